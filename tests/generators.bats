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

# texts FILE: how many times each phase begins a text that looks like a print's.
texts() {
	LC_ALL=C grep -aoE '[BESFC]\|[0-9]+' "$1" | cut -c 1 | sort | uniq -c | tr -s ' \n' ' '
}

@test "mkscene: what is begun is ended, whatever the mix" {
	for mix in system mixed atrace; do
		mkscene --mix $mix --bytes 3M >scene
		[ "$(wc -c <scene)" -ge 3145728 ]
		read -r begun _ counters _ ended _ finished _ started _ <<<"$(texts scene)"
		is "$begun begun, $started started" "$ended begun, $finished started"
		[ "$begun" -gt 5000 ]
		[ "$counters" -gt 0 ]
	done
}

@test "mkscene: the same options give the same trace, another seed does not" {
	mkscene --mix mixed --bytes 1M >one
	mkscene --mix mixed --bytes 1M | cmp - one
	mkscene --mix mixed --bytes 1M --seed 2 >two
	run cmp -s one two
	[ "$status" -eq 1 ]
}

# frames OPTION...: the frame records of a scene.
frames() {
	mkscene --mix mixed --frames 120 "$@" >scene
	tc-import scene >scene.out
	only "expected_frame|actual_frame|buffer_event|phase" scene.out | sed "s/,\"upid\":[0-9]*//"
}

@test "mkscene: the same frames come with however much between them, compressed or not" {
	frames --bytes 1M >wanted
	[ "$(wc -l <wanted)" -gt 1000 ]
	[ "$(wc -c <scene)" -ge 1048576 ]
	frames --bytes 4M | cmp - wanted
	[ "$(wc -c <scene)" -ge 4194304 ]
	frames --bytes 4M --deflate | cmp - wanted
	[ "$(wc -c <scene)" -lt 3145728 ]
}

@test "mkscene: options that contradict each other are refused" {
	for options in '--frames 9 --seconds 9' '--frames 9 --bytes 9' '--frames 0' '--mix none'; do
		# shellcheck disable=SC2086 # options and their values
		run --separate-stderr mkscene $options
		ended 2
		is "$output" ''
		[ "$stderr" ]
	done
}

@test "measure: the time of the fastest run, the memory of the largest, or what failed" {
	run --separate-stderr measure 3 echo said
	ended 0
	[[ $output =~ ^[1-9][0-9]*\ [1-9][0-9]*$ ]]
	run --separate-stderr measure 2 sleep 0.05
	ended 0
	[ "${output% *}" -ge 50000000 ]
	run --separate-stderr measure 3 false
	ended 1
	is "$output" ''
	has "$stderr" 'false: status 1'
	run --separate-stderr measure 3 ./none
	ended 1
	run --separate-stderr measure 0 true
	ended 2
}
