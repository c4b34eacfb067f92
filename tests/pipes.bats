load helper

# Tools as parts of a pipe: what they say of each other, and how a pipe ends.

setup() {
	cd "$TMP"
	mktrace "$DATA/scripts/a3.script" >t.pftrace
}

# A stand-in for the tool that holds the device: it runs until it is interrupted,
# then saves (which takes a moment), says what it saved, and ends.
session() {
	cat >session <<-'END'
		#!/bin/bash
		save() {
			sleep 0.3
			echo '{"type":"artifact","run":"r1","session":"s1","path":"t.pftrace","bytes":1,"kind":"perfetto"}'
			echo '{"type":"end","tool":"tc-session","status":0,"records":2}'
			exit 0
		}
		trap save INT
		echo '{"type":"tool","tool":"tc-session","version":"0","contract":1}'
		echo '{"type":"zebra"}'
		for ((n = 0; n < 300; n++)); do
			sleep 0.1
		done
		exit 99
	END
	chmod +x session
}

# The pipe of four that the tests interrupt: it leaves the statuses of its parts.
pipe_of_four() {
	cat >pipe <<-'END'
		# A shell at a terminal would not die of the signal either.
		trap : INT
		./session | tc-import 2>import.err | tc-jank --keep frames 2>frames.err |
			tc-jank stats >got.out 2>stats.err
		echo "${PIPESTATUS[*]}" >statuses.tmp
		mv statuses.tmp statuses
	END
}

@test "Ctrl-C on a pipe of four: what the first saves gets through to the end" {
	session
	pipe_of_four
	background bash pipe
	until_true grep -qs zebra got.out
	kill -INT -- -$group
	until_true [ -e statuses ]
	ends $group 0
	is "$(<statuses)" '0 0 0 0'
	is "$(cat import.err frames.err stats.err)" ''
	# The rows of the trace that was saved, and all ends, in order.
	jq -r '"\(.type) \(if .type == "tool" or .type == "end" then .tool else "" end)"' got.out | uniq >got
	same - got <<-END
		tool tc-jank
		tool tc-import
		tool tc-session
		zebra 
		artifact 
		trace 
		process 
		thread 
		stat 
		end tc-session
		end tc-import
		jank_frame 
		end tc-jank
		jank_stats 
		end tc-jank
	END
	is "$(only end got.out | jq .status | tr '\n' ' ')" '0 0 0 0 '
	is "$(only jank_frame got.out | wc -l)" 3
	is "$(only jank_stats got.out | jq .surface_frame_rows | tr '\n' ' ')" '1 1 1 '
}

@test "a second Ctrl-C ends every tool of the pipe" {
	cat >session <<-'END'
		#!/bin/bash
		trap 'trap "" INT; echo "{\"type\":\"lion\"}"; exec sleep 60' INT
		echo $$ >session.pid
		echo '{"type":"zebra"}'
		for ((n = 0; n < 600; n++)); do
			sleep 0.1
		done
	END
	chmod +x session
	pipe_of_four
	background bash pipe
	until_true grep -qs zebra got.out
	kill -INT -- -$group
	# It comes through, so all tools are there still.
	until_true grep -q lion got.out
	kill -INT -- -$group
	sleep 0.2
	kill -KILL "$(<session.pid)"
	until_true [ -e statuses ]
	ends $group 0
	is "$(<statuses)" '137 130 130 130'
}

# interrupted COMMAND...: reads from the fifo `in`; gets one line, and then SIGINT.
interrupted() {
	rm -f in got.out
	mkfifo in
	background "$@"
	exec 4<>in
	echo '{"type":"zebra"}' >&4
	until_true has_lines 2 got.out
	kill -INT $group
}

@test "the first SIGINT is for the tool upstream, where standard input is a pipe" {
	local tool

	for tool in tc-import tc-jank; do
		interrupted bash -c "exec $tool <in >got.out"
		echo '{"type":"lion"}' >&4
		until_true has_lines 3 got.out
		exec 4>&-
		ends $group 0
		is "$(jq -r .type got.out | tr '\n' ' ')" 'tool zebra lion end '
	done
}

@test "the second SIGINT ends a tool" {
	local tool

	for tool in tc-import tc-jank; do
		interrupted bash -c "exec $tool <in >got.out"
		echo '{"type":"lion"}' >&4
		until_true has_lines 3 got.out
		kill -INT $group
		ends $group 130
		exec 4>&-
	done
}

@test "the first SIGINT ends a tool whose input is a named file" {
	local tool

	for tool in tc-import tc-jank; do
		interrupted bash -c "exec $tool in >got.out"
		ends $group 130
		exec 4>&-
	done
}

@test "a first stage that is killed: an error record, a diagnostic, and 1 from there on" {
	cat >session <<-'END'
		#!/bin/bash
		echo '{"type":"tool","tool":"tc-session","version":"0","contract":1}'
		echo '{"type":"artifact","path":"t.pftrace","kind":"perfetto"}'
		kill -KILL $$
	END
	chmod +x session
	bash -c './session | tc-import 2>import.err | tc-jank >got.out 2>jank.err; echo "${PIPESTATUS[*]}"' >statuses 2>/dev/null
	is "$(<statuses)" '137 1 1'
	# Every reader of the stream sees that its first tool has no end.
	only error got.out | jq -c '[.tool, .code, .subject]' >got
	same - got <<-END
		["tc-import","upstream_incomplete","tc-session"]
		["tc-jank","upstream_incomplete","tc-session"]
	END
	is "$(only error got.out | jq -r .text | grep -c tc-session)" 2
	is "$(cat import.err jank.err | jq -c '[.tool, .code]' | tr '\n' ' ')" \
		'["tc-import","upstream_incomplete"] ["tc-jank","upstream_incomplete"] '
	is "$(only end got.out | jq -c '[.tool, .status]' | tr '\n' ' ')" '["tc-import",1] ["tc-jank",1] '
	is "$(only jank_stats got.out | wc -l)" 3
}

@test "output that was cut is noticed by tc-jank too, also with an innermost tool open" {
	{
		echo '{"type":"tool","tool":"a","version":"0","contract":1}'
		echo '{"type":"tool","tool":"b","version":"0","contract":1}'
		echo '{"type":"end","tool":"b","status":0,"records":0}'
	} >cut
	tool got.out tc-jank cut
	ended 1
	diagnosed upstream_incomplete cut
	is "$(only error got.out | jq -c '[.tool, .code, .subject]')" '["tc-jank","upstream_incomplete","a"]'
	tool got.out tc-jank --ignore-upstream cut
	ended 0
	is "$(only error got.out | jq -r .code)" upstream_incomplete
}

@test "two streams one after the other are two streams" {
	tc-import t.pftrace >one.out
	cat one.out one.out | tc-jank stats >got.out
	is "$(only end got.out | jq .status | tr '\n' ' ')" '0 0 0 '
	tool got.out tc-jank one.out one.out
	ended 0
	silent
}

@test "a stream that is cut is noticed though a whole one follows" {
	tc-import t.pftrace >whole.out
	head -n -1 whole.out >cut
	tool got.out tc-jank cut whole.out
	ended 1
	diagnosed upstream_incomplete tc-import
	is "$(only error got.out | wc -l)" 1
}

@test "streams without tool records are fine" {
	tc-import t.pftrace | but 'tool|end' - >bare
	tool got.out tc-jank bare
	ended 0
	silent
}

@test "a full disk at the end of a pipe is 74, and upstream ends quietly" {
	mkscene -s 20 >scene.pftrace
	"${FRESH[@]}" bash -c 'cat scene.pftrace | tc-import 2>import.err | tc-jank --keep 2>jank.err >/dev/full; echo "${PIPESTATUS[*]}"' >statuses
	case $(<statuses) in
	'0 141 74' | '141 141 74') ;;
	*) is "$(<statuses)" '0 141 74' ;;
	esac
	is "$(<import.err)" ''
	is "$(jq -c '[.tool, .code]' jank.err)" '["tc-jank","io"]'
}

@test "a reader that is gone ends the whole pipe" {
	cat >endless <<-'END'
		#!/bin/bash
		while echo '{"type":"zebra","text":"............................................"}'; do :; done 2>/dev/null
	END
	chmod +x endless
	"${FRESH[@]}" bash -c './endless | tc-import 2>import.err | tc-jank 2>jank.err | head -n 2 >got.out; echo "${PIPESTATUS[*]}"' >statuses
	is "$(<statuses)" '141 141 141 0'
	is "$(cat import.err jank.err)" ''
	has_lines 2 got.out
}

@test "records of another contract are 65" {
	local tool

	{
		echo '{"type":"lion"}'
		echo '{"type":"tool","tool":"tc-new","version":"9","contract":2}'
		echo '{"type":"zebra"}'
	} >in
	for tool in tc-import tc-jank; do
		tool got.out $tool in
		ended 65
		diagnosed malformed in:2
		diagnosed malformed 'contract 2'
		is "$(between got.out)" '{"type":"lion"}'
	done
}

@test "what failed upstream makes tc-jank's status 1, and --ignore-upstream 0" {
	local bad

	for bad in \
		'{"type":"error","tool":"tc-pull","code":"io","text":"x","subject":null}' \
		'{"type":"session","id":"s","state":"failed"}' \
		'{"type":"session","id":"s","state":"lost"}' \
		'{"type":"file","path":"f","state":"missing"}' \
		'{"type":"file","path":"f","state":"left_in_place"}' \
		'{"state":"lost" , "type":"session"}' \
		'{"type":"end","tool":"tc-pull","status":1,"records":0}'; do
		{
			echo '{"type":"zebra"}'
			echo "$bad"
			echo '{"type":"lion"}'
		} >in
		tool got.out tc-jank in
		ended 1
		silent
		between got.out | cmp in
		is "$(tail -n 1 got.out | jq .status)" 1
		tool got.out tc-jank --ignore-upstream in
		ended 0
		is "$(tail -n 1 got.out | jq .status)" 0
		# It is for the end of the pipe to say so.
		tool got.out tc-import in
		ended 0
		between got.out | cmp in
	done
}

@test "a tool upstream that did not do its work makes the status of all others 1" {
	local code tool

	for code in 2 65 66 69 70 71 74 75 76 77; do
		echo '{"type":"end","tool":"x","status":'$code',"records":0}' >in
		for tool in tc-jank tc-import 'tc-pull -o out' 'tc-parse --assume all -p jank' \
			'tc-session run' 'tc-session stop'; do
			# shellcheck disable=SC2086 # a tool and its options
			tool got.out $tool in
			ended 1
			silent
			is "$(tail -n 1 got.out | jq .status)" 1
		done
	done
	tool got.out tc-jank --ignore-upstream in
	ended 0
}

@test "options that one tool refuses show in the status of the last one" {
	local statuses

	tc-parse -p jnk 2>err | tc-session run --for 1s | tc-pull -o out | tc-import |
		tc-jank >got.out || statuses="${PIPESTATUS[*]}"
	is "$statuses" '2 1 1 1 1'
	is "$(jq -r .code err)" usage
	tc-import -T foo t.pftrace 2>err | tc-jank >got.out || statuses="${PIPESTATUS[*]}"
	is "$statuses" '2 1'
	is "$(jq -c '[.type, .tool, .status]' got.out | tr '\n' ' ')" '["tool","tc-jank",null] ["tool","tc-import",null] ["end","tc-import",2] ["end","tc-jank",1] '
}

@test "refused options are status 2 also where nobody reads, and on a full disk" {
	local tool

	for tool in tc-jank tc-import tc-parse tc-pull tc-session; do
		tool /dev/full $tool --nonsense
		ended 2
		diagnosed usage "'--nonsense'"
		run --separate-stderr bash -c "(sleep 0.1; $tool --nonsense) | exec true; exit \${PIPESTATUS[0]}"
		ended 2
	done
	tool trimmed tc-trim --nonsense
	ended 2
	[ ! -s trimmed ]
}

@test "what is no stream of records is named as what it is" {
	local tool

	for tool in tc-jank tc-parse 'tc-pull -o out' 'tc-session run'; do
		# shellcheck disable=SC2086 # a tool and its options
		tool got.out $tool t.pftrace
		ended 65
		diagnosed malformed 't.pftrace:1:1: not records: a Perfetto trace? tc-import reads those'
		echo hello >in
		# shellcheck disable=SC2086
		tool got.out $tool in
		ended 65
		diagnosed malformed 'in:1:1: not JSON: '
		printf '\n{"type":"zebra"}\n' >in
		# shellcheck disable=SC2086
		tool got.out $tool in
		ended 65
		diagnosed malformed 'in:1:1: not JSON: an empty line'
	done
}

@test "what went well upstream is no failure" {
	cat >in <<-END
		{"type":"tool","tool":"tc-pull","version":"0","contract":1}
		{"type":"session","id":"s","state":"started"}
		{"type":"session","id":"s","state":"stopped"}
		{"type":"file","path":"f","state":"moved"}
		{"type":"notice","level":"warning","code":"x","text":"y"}
		{"type":"end","tool":"tc-pull","status":0,"records":4}
	END
	tool got.out tc-jank in
	ended 0
	silent
	between got.out | cmp in
}

@test "a failure of its own goes before one upstream, also with --ignore-upstream" {
	{
		echo '{"type":"error","tool":"x","code":"io","text":"x","subject":null}'
		echo '{"type":"process",}'
	} >in
	for option in -k --ignore-upstream; do
		tool got.out tc-jank $option in
		ended 65
	done
}

@test "tool is the first record and end the last, and end counts what is between" {
	local n

	for n in 0 1 7; do
		head -n $n <(yes '{"type":"zebra"}') >in
		for tool in tc-jank 'tc-import t.pftrace'; do
			tool got.out $tool in
			if [ $n -gt 0 ]; then ended 0; fi
			is "$(jq -r .type got.out | sed -n '1p;$p' | tr '\n' ' ')" 'tool end '
			is "$(tail -n 1 got.out | jq .records)" $(($(wc -l <got.out) - 2))
			is "$(tail -n 1 got.out | jq .status)" $status
		done
	done
}

@test "a slow pipe stays live through all its stages" {
	local n

	mkfifo in
	bash -c 'tc-import <in | tc-jank | tc-jank >got.out' 3>&- &
	exec 4<>in
	# Three tool records, the last tool's first.
	until_true has_lines 3 got.out
	for n in 1 2 3; do
		echo "{\"type\":\"zebra\",\"n\":$n}" >&4
		until_true has_lines $((3 + n)) got.out
		is "$(tail -n 1 got.out)" "{\"type\":\"zebra\",\"n\":$n}"
	done
	exec 4>&-
	ends $! 0
}

@test "a part of a line is not passed before the rest of it is there" {
	mkfifo in
	tc-jank <in >got.out 3>&- &
	exec 4<>in
	printf '{"type":"ze' >&4
	until_true has_lines 1 got.out
	printf 'bra"}\n' >&4
	until_true has_lines 2 got.out
	is "$(tail -n 1 got.out)" '{"type":"zebra"}'
	exec 4>&-
	ends $! 0
}
