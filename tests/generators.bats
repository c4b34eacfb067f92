load helper

# The makers of test traces, where no other test would notice what they do wrong.

# refuses PART < SCRIPT: a script that mktrace makes nothing of, and what it says.
refuses() {
	run --separate-stderr mktrace
	ended 2 && has "$stderr" "$1"
}

@test "what makes no ftrace bundle is refused, and the line is named" {
	refuses 'line 2: only ftrace events go into a bundle' <<-END
		bundle cpu=1
		marker
	END
	refuses 'line 2: only ftrace events go into a bundle' <<-END
		bundle cpu=1
		bundle cpu=1
	END
	refuses 'line 1: bundle without endbundle' <<-END
		bundle cpu=1
		print ts=1 text=E
	END
	refuses 'line 1: endbundle without bundle' <<<endbundle
	refuses 'line 2: keys belong on the bundle line' <<-END
		bundle cpu=1
		endbundle seq=1
	END
	refuses 'line 2: these keys belong on the bundle line' <<-END
		bundle cpu=1
		print cpu=1 ts=1 text=E
	END
	refuses 'line 2: these keys belong on the bundle line' <<-END
		bundle cpu=1
		compact_switch seq=1 ts=1
	END
	refuses "line 1: no kind 'timestamp'" <<<'timestamp ts=1'
	refuses "line 1: kind 'zero' has no key 'comm'" <<<'zero ts=1 comm=a'
	refuses "line 1: kind 'compact_waking' has no key 'next_pid'" <<<'compact_waking next_pid=1'
	refuses 'line 1: hex without id' <<<'other hex=00'
	refuses 'line 1: id 0' <<<'other id=0 hex=00'
	refuses 'line 1: a comm of more than 255 bytes' \
		<<<"compact_waking comm=$(printf %256s | tr ' ' a)"
}

@test "compact events of one bundle know nothing of those of another" {
	{
		echo 'bundle cpu=1'
		echo 'compact_waking ts=7 comm=a'
		echo 'endbundle'
		echo 'compact_waking cpu=1 ts=7 comm=a'
	} | mktrace >both
	mktrace <<<'compact_waking cpu=1 ts=7 comm=a' >one
	cat one one | cmp - both
}
