load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	trace one.pftrace <<-END
		esurf ts=100 cookie=1 token=7 display=9 pid=1000 layer=A
		end ts=116 cookie=1
	END
	trace two.pftrace <<-END
		esurf ts=200 cookie=1 token=8 display=9 pid=2000 layer=B
		esurf ts=201 cookie=2 token=9 display=9 pid=2000 layer=B
	END
	mkscene -s 20 >scene.pftrace
}

setup() {
	cd "$TMP"
	ln -s "$BATS_FILE_TMPDIR"/*.pftrace .
}

# Records that are none of tc-import's business, in forms that a writer of JSON
# would not choose.
foreign() {
	cat <<-'END'
		{"type":"zebra","n":1}
		{"n":1,"type":"zebra"}
		 	{ "n" : [ 1 , 2,{ } ] , "type" : "zebra" }
		{"type" : "zebra","text":"\u00fc ü 😀 \ud83d\ude00 \/ \\ \" "}
		{"type":"zebra","n":[1.0,1e3,-0,123456789012345678901234567890,1.50]}
		{"n":123456789012345678901234567890,"type":"zebra"}
		{"type":"zebra","type2":"artifact","a":1,"a":2}
		{"\u0074ype":"zebra","x":{"type":"artifact","kind":"perfetto","path":"none"}}
		{"type":"","x":null}
		{"type":"process","upid":1,"unknown":true}
		{"type":"device","device":"adb:1","serial":"1"}
	END
}

@test "records of other types pass byte for byte and in order" {
	foreign >in
	tool got.out tc-import in
	ended 0
	silent
	between got.out >passed
	cmp in passed
	foreign | tc-import >stdin.out
	cmp got.out stdin.out
}

@test "an artifact passes on, byte for byte, in front of what it held" {
	echo '{ "bytes":46 , "kind":"perfetto", "path":"one.pftrace","type":"artifact" , "x":[] }' >in
	tool got.out tc-import in
	ended 0
	sed -n 2p got.out >passed
	cmp in passed
	is "$(sed -n 3p got.out | jq -r .type)" trace
	is "$(only expected_frame got.out | jq .dur)" 16
}

@test "a type written with escapes is the type it stands for" {
	echo '{"type":"artifac\u0074","kind":"perfetto","path":"one.pftrace"}' >in
	tool got.out tc-import in
	ended 0
	is "$(only expected_frame got.out | jq .dur)" 16
}

@test "empty input is no trace: 65, with byte 0 in a stat and in the diagnostic" {
	: >empty
	tool got.out tc-import empty
	ended 65
	diagnosed malformed empty
	diagnosed malformed 'byte 0'
	is "$(counters got.out)" 'trace_damaged_at_byte 0 error'
	is "$(tail -n 1 got.out | jq -c '[.type, .status]')" '["end",65]'
	tool stdin.out tc-import </dev/null
	ended 65
	is "$(counters stdin.out)" 'trace_damaged_at_byte 0 error'
}

@test "a malformed line ends the run with 65 and its file, line and column" {
	printf '%s\n' '{"type":"zebra"}' '{"type":"artifact","path":}' '{"type":"lion"}' >in
	tool got.out tc-import in
	ended 65
	diagnosed malformed in:2:27
	is "$(between got.out)" '{"type":"zebra"}'
	is "$(tail -n 1 got.out)" '{"type":"end","tool":"tc-import","status":65,"records":1}'
}

@test "a malformed line from standard input is named by line and column" {
	printf '%s\n' '{"type":"zebra"}' '{"n":01,"type":"zebra"}' >in
	tool got.out tc-import <in
	ended 65
	diagnosed malformed -:2:
}

@test "a line that is JSON but not an object, or has no type, is malformed" {
	local line

	for line in '[1]' '1' '"type"' 'null' '{"n":1}' '{"type":1}' '{"type":null}' 'x'; do
		printf '%s\n' '{"type":"zebra"}' "$line" >in
		tool got.out tc-import in
		ended 65
		diagnosed malformed in:2:1
		is "$(between got.out)" '{"type":"zebra"}'
	done
}

@test "a value of the wrong kind in a record that is read is malformed" {
	printf '%s\n' '{"type":"zebra"}' '{"type":"artifact","kind":"perfetto","path":7}' >in
	tool got.out tc-import in
	ended 65
	diagnosed malformed in:2
	diagnosed malformed path
	is "$(between got.out)" '{"type":"zebra"}'
}

@test "-k reports malformed lines, skips them, and ends with 65" {
	printf '%s\n' '{"type":"zebra","n":1}' '{"type":"artifact",}' '{"n":' '{"type":"zebra","n":2}' \
		'{"type":"artifact","kind":"perfetto","path":"one.pftrace"}' '{"type":"zebra","n":3}' >in
	for k in -k --keep-going; do
		tool got.out tc-import $k in
		ended 65
		diagnosed malformed in:3: 2
		has "${stderr_lines[0]}" in:2:
		is "$(only zebra got.out | jq -c .n | tr '\n' ' ')" '1 2 3 '
		is "$(only expected_frame got.out | jq .dur)" 16
		is "$(tail -n 1 got.out | jq .status)" 65
	done
}

@test "a blank line is malformed" {
	printf '%s\n' '{"type":"zebra"}' '' '{"type":"lion"}' >in
	tool got.out tc-import in
	ended 65
	diagnosed malformed in:2:1
	tool kept.out tc-import -k in
	ended 65
	is "$(between kept.out | jq -r .type | tr '\n' ' ')" 'zebra lion '
}

@test "a last line without newline passes and gets one" {
	printf '{"type":"zebra"}\n{"type":"lion"}' >in
	tool got.out tc-import in
	ended 0
	printf '{"type":"zebra"}\n{"type":"lion"}\n' >wanted
	between got.out | cmp wanted
}

# A record of this many bytes, less its newline.
long_record() {
	printf '{"type":"zebra","x":"'
	head -c $(($1 - 23)) /dev/zero | tr '\0' x
	printf '"}\n'
}

@test "a line of 16 MiB passes, a longer one is malformed" {
	long_record 16777216 >long
	is "$(wc -c <long)" 16777217
	tool passed tc-import long
	ended 0
	between passed | cmp long
	{
		echo '{"type":"lion"}'
		long_record 16777217
		echo '{"type":"lion"}'
	} >longer
	tool got.out tc-import longer
	ended 65
	diagnosed malformed longer:2
	is "$(between got.out | wc -l)" 1
	tool kept.out tc-import -k longer
	ended 65
	is "$(between kept.out | jq -r .type | tr '\n' ' ')" 'lion lion '
}

@test "a line that never ends is refused in bounded memory" {
	{
		echo '{"type":"lion"}'
		printf '{"type":"zebra","x":"'
		head -c 200000000 /dev/zero | tr '\0' x
		printf '"}\n'
	} | {
		tool got.out limited 120 tc-import
		ended 65
		diagnosed malformed -:2
	}
}

@test "a full disk is 74, in the middle and at the last flush" {
	run --separate-stderr capture /dev/full tc-import one.pftrace
	ended 74
	diagnosed io write
	run --separate-stderr capture /dev/full tc-import scene.pftrace
	ended 74
	diagnosed io write
}

@test "a full disk is 74 for -h and -V too" {
	run --separate-stderr capture /dev/full tc-import -h
	ended 74
	diagnosed io write
	run --separate-stderr capture /dev/full tc-import -V
	ended 74
}

@test "output that is closed from the start is 74" {
	run --separate-stderr bash -c 'tc-import one.pftrace >&-'
	ended 74
	diagnosed io write
}

@test "a reader that is gone ends it with 141 and not a word" {
	"${FRESH[@]}" bash -c 'tc-import scene.pftrace 2>"$1" | head -n 1 >"$2"; echo "${PIPESTATUS[*]}"' \
		- err got.out >status
	is "$(<status)" '141 0'
	is "$(<err)" ''
	is "$(jq -r .type got.out)" tool
}

@test "a reader that is gone ends it with 141 where SIGPIPE is ignored" {
	bash -c 'trap "" PIPE; tc-import scene.pftrace 2>"$1" | head -n 1 >"$2"; echo "${PIPESTATUS[*]}"' \
		- err got.out >status
	is "$(<status)" '141 0'
	is "$(<err)" ''
}

@test "an unknown option is 2 and one line, before anything is read or written" {
	local option

	for option in -x --no-such --experimental=1 -kx; do
		tool got.out tc-import $option one.pftrace
		ended 2
		diagnosed usage "'-"
		framed 2 got.out
	done
	tool got.out tc-import --no-such
	diagnosed usage --no-such
	tool got.out tc-import -kx
	diagnosed usage "'-x'"
}

@test "-h prints the options to standard output" {
	tool help tc-import -h
	ended 0
	silent
	is "$(head -n 1 help | cut -c 1-17)" 'usage: tc-import '
	for option in --experimental '-k, --keep-going' '-h, --help' '-V, --version'; do
		grep -qF -e "$option" help
	done
	tool long tc-import --help one.pftrace no-such-file
	ended 0
	same help long
}

@test "-V prints one line with the tool's name and version" {
	tool version tc-import -V
	ended 0
	silent
	grep -qxE 'tc-import \(tc-tools\) [0-9]+\.[0-9]+\.[0-9]+' version
	is "$(wc -l <version)" 1
	tool long tc-import --version
	ended 0
	same version long
}

@test "the tool record has the version that -V prints" {
	tc-import one.pftrace >got.out
	is "$(tc-import -V)" "tc-import (tc-tools) $(head -n 1 got.out | jq -r .version)"
	is "$(head -n 1 got.out | jq -c 'del(.version)')" \
		'{"type":"tool","tool":"tc-import","contract":1}'
}

@test "-- ends the options" {
	cp one.pftrace -- -k
	tool got.out tc-import -- -k
	ended 0
	is "$(only trace got.out | jq -r .path)" -k
	is "$(only expected_frame got.out | jq .dur)" 16
}

@test "- and no FILE are standard input, seekable or not" {
	tc-import one.pftrace >file.out
	tool dash.out tc-import - <one.pftrace
	ended 0
	is "$(only trace dash.out | jq -c '[.path, .bytes]')" "[\"-\",$(wc -c <one.pftrace)]"
	same <(but trace file.out) <(but trace dash.out)
	tool none.out tc-import <one.pftrace
	ended 0
	same dash.out none.out
	cat one.pftrace | tool pipe.out tc-import
	cat one.pftrace | tc-import - >pipe.out
	same dash.out pipe.out
}

@test "a trace that trickles in is the same trace" {
	{
		head -c 1 one.pftrace
		sleep 0.1
		tail -c +2 one.pftrace | head -c 20
		sleep 0.1
		tail -c +22 one.pftrace
	} | tc-import >got.out
	tc-import <one.pftrace >wanted.out
	same wanted.out got.out
}

@test "a record comes out before the input has ended" {
	local line

	mkfifo in
	tc-import <in >got.out 3>&- &
	exec 4<>in
	until_true has_lines 1 got.out
	is "$(head -n 1 got.out | jq -r .type)" tool
	echo '{"type":"zebra"}' >&4
	until_true has_lines 2 got.out
	is "$(sed -n 2p got.out)" '{"type":"zebra"}'
	echo '{"type":"artifact","kind":"perfetto","path":"one.pftrace"}' >&4
	until_true grep -q expected_frame got.out
	exec 4>&-
	ends $! 0
	is "$(tail -n 1 got.out | jq .status)" 0
}

@test "a FILE that is missing is 66, and the others are read" {
	tool got.out tc-import one.pftrace missing two.pftrace
	ended 66
	diagnosed no_input missing
	is "$(only expected_frame got.out | jq -c '[.pid, .trace]' | tr '\n' ' ')" \
		'[1000,0] [2000,1] [2000,1] '
	is "$(tail -n 1 got.out | jq .status)" 66
}

@test "the only FILE missing, and a directory, are 66" {
	tool got.out tc-import missing
	ended 66
	diagnosed no_input missing
	is "$(tail -n 1 got.out)" '{"type":"end","tool":"tc-import","status":66,"records":0}'
	tool dir.out tc-import .
	ended 66
	diagnosed no_input directory
}

@test "standard input that is closed is 66" {
	run --separate-stderr bash -c 'tc-import <&-'
	ended 66
	diagnosed no_input -
}

@test "the first failure of several FILEs is the status" {
	: >empty
	tool got.out tc-import empty missing one.pftrace
	ended 65
	diagnosed no_input missing 2
	tool got.out tc-import missing empty one.pftrace
	ended 66
	is "$(only expected_frame got.out | jq .dur)" 16
}

@test "traces and record streams mix, each trace with a number of its own" {
	{
		echo '{"type":"zebra"}'
		echo '{"type":"artifact","kind":"perfetto","path":"two.pftrace"}'
		echo '{"type":"artifact","kind":"perfetto","path":"one.pftrace"}'
	} >in
	tool got.out tc-import one.pftrace in one.pftrace
	ended 0
	silent
	is "$(only 'trace|expected_frame' got.out | jq -c '[.path // .id, .trace]' | tr '\n' ' ')" \
		'["one.pftrace",0] [0,0] ["two.pftrace",1] [0,1] [1,1] ["one.pftrace",2] [0,2] ["one.pftrace",3] [0,3] '
}

@test "diagnostics are text with TC_DIAG=text, one line each" {
	TC_DIAG=text tool got.out tc-import missing
	ended 66
	is "$stderr" 'tc-import: missing: No such file or directory'
	TC_DIAG=text tool got.out tc-import -x
	ended 2
	is "$stderr" "tc-import: unknown option '-x' (see tc-import -h)"
}

@test "control characters in a diagnostic are shown escaped" {
	TC_DIAG=text tool got.out tc-import $'a\e[31mb\n\x7fc'
	ended 66
	is "$stderr" 'tc-import: a\x1b[31mb\x0a\x7fc: No such file or directory'
	tool got.out tc-import $'a\e[31mb\n\x7fc'
	ended 66
	diagnosed no_input $'a\e[31mb\n\x7fc'
	is "$(printf %s "$stderr" | tr -d '\n' | tr -d '\040-\176' | wc -c)" 0
}

@test "a FILE whose name is not UTF-8 gives valid records and diagnostics" {
	cp one.pftrace $'\xff.pftrace'
	tool got.out tc-import $'\xff.pftrace' $'\xfe'
	ended 66
	is "$(only trace got.out | jq -r .path)" $'\xef\xbf\xbd.pftrace'
	diagnosed no_input $'\xef\xbf\xbd'
}
