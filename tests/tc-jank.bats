load helper

setup() {
	cd "$TMP"
	cp "$DATA/jank/frames.jsonl" stream
}

# Records are written out by hand: `upid=2 token=7 actual 0 100 20` is frame 0, which
# began at 100 and took 20. What a test does not care for has a default.
expected() {
	printf '{"type":"expected_frame","id":%s,"ts":%s,"dur":%s,"upid":%s,"pid":%s,"process":%s,"name":"%s","surface_frame_token":%s,"display_frame_token":9,"layer_name":"L","machine_id":%s,"trace":%s}\n' \
		"$1" "$2" "$3" "${upid-1}" "${pid-1000}" "${process-\"com.example\"}" "${token-7}" "${token-7}" "${machine-0}" "${trace-0}"
}

actual() {
	printf '{"type":"actual_frame","id":%s,"ts":%s,"dur":%s,"upid":%s,"pid":%s,"process":%s,"name":"%s","surface_frame_token":%s,"display_frame_token":9,"layer_name":%s,"machine_id":%s,"present_type":"Late Present","on_time_finish":0,"gpu_composition":0,"jank_type":"App Deadline Missed","jank_mask":64,"jank_tag":"%s","jank_severity_type":"Unknown","jank_score":0,"prediction_type":"Valid Prediction","is_buffer":"Yes","trace":%s}\n' \
		"$1" "$2" "$3" "${upid-1}" "${pid-1000}" "${process-\"com.example\"}" "${token-7}" "${token-7}" "${layer-\"L\"}" "${machine-0}" "${tag-Self Jank}" "${trace-0}"
}

process() {
	printf '{"type":"process","upid":%s,"pid":%s,"name":%s,"uid":null,"package":null,"start_ts":null,"end_ts":null,"machine_id":0,"trace":%s}\n' \
		"$1" "$2" "$3" "${trace-0}"
}

# gives TYPES FILTER < WANTED: what FILTER makes of the records of these types. Its
# `delta` is end_delta_ms in nanoseconds, as small fractions print in several ways.
gives() {
	local delta='def delta: .end_delta_ms | if . == null then . else . * 1000000 | round end; '

	cat >wanted && only "$1" got.out | jq -rc "$delta$2" >got && same wanted got
}

# ---- what every tool does ----

@test "records of other types pass byte for byte and in order" {
	cat >in <<-'END'
		{"type":"zebra","n":1}
		 	{ "n" : [ 1 , 2,{ } ] , "type" : "zebra" }
		{"type" : "zebra","text":"\u00fc ü 😀 \ud83d\ude00 \/ \\ \" "}
		{"n":[1.0,1e3,-0,123456789012345678901234567890],"type":"zebra"}
		{"\u0074ype":"zebra","x":{"type":"actual_frame"}}
		{"type":"","x":null}
		{"type":"trace","path":"x","trace":0}
		{"type":"thread","utid":1}
		{"type":"stat","name":"x","value":1}
		{"type":"artifact","kind":"perfetto","path":"none"}
	END
	tool got.out tc-jank in
	ended 0
	silent
	between got.out >passed
	cmp in passed
	tc-jank <in >stdin.out
	cmp got.out stdin.out
}

@test "process records pass byte for byte though they are read" {
	echo '{ "pid":7, "type" : "process", "upid":1,"name":"a\u0062c" , "more":[1.0] }' >in
	tool got.out tc-jank in
	ended 0
	between got.out | cmp in
}

@test "empty input is an empty answer" {
	: >empty
	tool got.out tc-jank empty
	ended 0
	silent
	is "$(jq -c '[.type, .status, .records]' got.out | tr '\n' ' ')" '["tool",null,null] ["end",0,0] '
	tool stdin.out tc-jank </dev/null
	ended 0
	cmp got.out stdin.out
}

@test "a malformed line ends the run with 65 and its file, line and column" {
	printf '%s\n' '{"type":"zebra"}' '{"type":"process","upid":}' '{"type":"lion"}' >in
	tool got.out tc-jank in
	ended 65
	diagnosed malformed in:2:26
	is "$(between got.out)" '{"type":"zebra"}'
	is "$(tail -n 1 got.out)" '{"type":"end","tool":"tc-jank","status":65,"records":1}'
}

@test "a line that is no object, or has no type, and a trace file, are malformed" {
	local line

	for line in '[1]' '1' 'null' '{"n":1}' '{"type":1}' '' 'x'; do
		printf '%s\n' "$line" '{"type":"zebra"}' >in
		tool got.out tc-jank in
		ended 65
		diagnosed malformed in:1:1
	done
	mktrace "$DATA/scripts/a1.script" >in
	tool got.out tc-jank in
	ended 65
	diagnosed malformed in:1:
}

@test "a value of the wrong kind in a record that is read is malformed" {
	local bad

	for bad in '"ts":"5"' '"ts":5.5' '"ts":[5]' '"ts":true' '"ts":1e30' '"ts":9223372036854775808' \
		'"ts":18446744073709551616' '"jank_tag":5' '"process":{}' '"on_time_finish":"1"' \
		'"present_delay_ms":"1"' '"surface_frame_token":{}' '"experimental":1'; do
		{
			echo '{"type":"zebra"}'
			echo "{\"type\":\"actual_frame\",\"upid\":1,$bad,\"pid\":1}"
			echo '{"type":"lion"}'
		} >in
		tool got.out tc-jank in
		ended 65
		diagnosed malformed in:2
		diagnosed malformed "$(expr "$bad" : '"\([a-z_]*\)"')"
		is "$(between got.out)" '{"type":"zebra"}'
		tool got.out tc-jank -k in
		ended 65
		is "$(between got.out | jq -r .type | tr '\n' ' ')" 'zebra lion '
	done
}

@test "-k reports malformed lines, skips them, and ends with 65" {
	{
		actual 0 100 20
		echo '{"type":"actual_frame","ts":}'
		echo '{"type":"actual_frame","ts":"x"}'
		expected 0 90 20
		echo '{"type":"zebra"}'
	} >in
	for k in -k --keep-going; do
		tool got.out tc-jank $k frames in
		ended 65
		diagnosed malformed in:3 2
		has "${stderr_lines[0]}" in:2:
		is "$(jq -r .type got.out | tr '\n' ' ')" 'tool zebra jank_frame end '
		is "$(only jank_frame got.out | jq -c '[.actual_ts_ns, .expected_count]')" '[100,1]'
		is "$(tail -n 1 got.out | jq .status)" 65
	done
}

@test "a last line without newline is read, or passes and gets one" {
	{
		expected 0 90 20
		actual 0 100 20
	} | head -c -1 >in
	tool got.out tc-jank frames in
	ended 0
	is "$(only jank_frame got.out | jq .expected_count)" 1
	printf '{"type":"zebra"}' >in
	tool got.out tc-jank in
	ended 0
	is "$(sed -n 2p got.out)" '{"type":"zebra"}'
}

@test "a line over 16 MiB is malformed" {
	{
		echo '{"type":"lion"}'
		printf '{"type":"zebra","x":"'
		head -c 16777216 /dev/zero | tr '\0' x
		printf '"}\n'
		echo '{"type":"lion"}'
	} >in
	tool got.out tc-jank in
	ended 65
	diagnosed malformed in:2
	tool got.out tc-jank -k in
	ended 65
	is "$(between got.out | jq -r .type | tr '\n' ' ')" 'lion lion '
}

@test "a blank line is malformed" {
	printf '%s\n' '{"type":"zebra"}' '' '{"type":"lion"}' >in
	tool got.out tc-jank in
	ended 65
	diagnosed malformed in:2:1
}

@test "a full disk is 74" {
	tool /dev/full tc-jank stream
	ended 74
	diagnosed io write
	tool /dev/full tc-jank -h
	ended 74
	tool /dev/full tc-jank /dev/null
	ended 74
}

# A stream whose answer is longer than a pipe holds.
long_stream() {
	mkscene -s 20 | tc-import
}

@test "a reader that is gone ends it with 141 and not a word" {
	long_stream >in
	"${FRESH[@]}" bash -c 'tc-jank frames in 2>err | head -n 1 >got.out; echo "${PIPESTATUS[*]}"' >status
	is "$(<status)" '141 0'
	is "$(<err)" ''
	is "$(jq -r .type got.out)" tool
	bash -c 'trap "" PIPE; tc-jank frames in 2>err | head -n 1 >got.out; echo "${PIPESTATUS[*]}"' >status
	is "$(<status)" '141 0'
	is "$(<err)" ''
}

@test "an unknown option is 2 and one line, before anything is read or written" {
	local option

	for option in -x --no-such --keep=1 -kx; do
		tool got.out tc-jank $option stream
		ended 2
		diagnosed usage "'-"
		framed 2 got.out
	done
	tool got.out tc-jank --no-such
	diagnosed usage --no-such
}

@test "an option that lacks its value is 2 and one line" {
	for option in -a --app; do
		tool got.out tc-jank $option
		ended 2
		diagnosed usage "$option"
		framed 2 got.out
	done
}

@test "-h prints the options and modes to standard output" {
	tool help tc-jank -h
	ended 0
	silent
	is "$(head -n 1 help | cut -c 1-15)" 'usage: tc-jank '
	for option in '-a, --app NAME' --all --keep --ignore-upstream 'frames' 'stats' \
		'-k, --keep-going' '-h, --help' '-V, --version'; do
		grep -qF -e "$option" help
	done
	tool long tc-jank --help no-such-file
	ended 0
	same help long
}

@test "-V prints one line with the tool's name and version" {
	tool version tc-jank -V
	ended 0
	silent
	is "$(<version)" "tc-jank (tc-tools) $(tc-import -V | sed 's/.* //')"
	tool long tc-jank --version
	ended 0
	same version long
	is "$(tc-jank </dev/null | head -n 1 | jq -r '"\(.tool) \(.version) \(.contract)"')" \
		"tc-jank $(sed 's/.* //' version) 1"
}

@test "-- ends the options, and a mode may follow it" {
	cp stream -- -k
	tool got.out tc-jank -- stats -k
	ended 0
	only jank_stats got.out >got
	same "$DATA/expected/jank-stats.jsonl" got
}

@test "a FILE may have the name of a mode" {
	cp stream stats
	tool got.out tc-jank stats ./stats
	ended 0
	only 'jank_frame|jank_stats' got.out >got
	same "$DATA/expected/jank-stats.jsonl" got
	cp stream frames
	tool got.out tc-jank frames ./frames
	ended 0
	only 'jank_frame|jank_stats' got.out >got
	same "$DATA/expected/jank-frames.jsonl" got
}

@test "- and no FILE are standard input, and several FILEs are one stream" {
	tc-jank frames stream >wanted.out
	tc-jank frames - <stream >dash.out
	same wanted.out dash.out
	tc-jank frames <stream >none.out
	same wanted.out none.out
	head -n 6 stream >first
	tail -n +7 stream >second
	tc-jank frames first - <second >two.out
	same wanted.out two.out
}

@test "a FILE that is missing is 66, and the others are read" {
	tool got.out tc-jank frames missing stream
	ended 66
	diagnosed no_input missing
	only jank_frame got.out >got
	same "$DATA/expected/jank-frames.jsonl" got
	is "$(tail -n 1 got.out | jq .status)" 66
}

@test "a word that is no mode and no file is 2, before any output" {
	for words in explane 'explane stream' '--app x explane stream'; do
		# shellcheck disable=SC2086 # words
		tool got.out tc-jank $words
		ended 2
		diagnosed usage 'no mode or file is called explane; modes: frames, stats, display, phases, match, explain, input, metrics, rules, compare, merge'
		framed 2 got.out
	done
	tool got.out tc-jank stream metrics
	ended 2
	diagnosed usage 'metrics: no file is called so, and a mode comes before files'
	tool got.out tc-jank metrics explain
	ended 2
	diagnosed usage 'explain: no file is called so, and one mode, metrics, is all'
	# Any other word may be a file that is not there, and one that is there is a file.
	for file in missing.jsonl no/file; do
		tool got.out tc-jank $file
		ended 66
	done
	cp stream metrics
	tool got.out tc-jank frames metrics
	ended 0
	tool got.out tc-jank '' <stream
	ended 66
}

@test "a record comes out before the input has ended" {
	mkfifo in
	tc-jank <in >got.out 3>&- &
	exec 4<>in
	until_true has_lines 1 got.out
	echo '{"type":"zebra"}' >&4
	until_true has_lines 2 got.out
	is "$(sed -n 2p got.out)" '{"type":"zebra"}'
	actual 0 100 20 >&4
	echo '{"type":"lion"}' >&4
	until_true has_lines 3 got.out
	exec 4>&-
	ends $! 0
	is "$(jq -r .type got.out | tr '\n' ' ')" 'tool zebra lion jank_frame jank_stats end '
}

@test "diagnostics are text with TC_DIAG=text, one line each" {
	TC_DIAG=text tool got.out tc-jank ./missing
	ended 66
	is "$stderr" 'tc-jank: ./missing: No such file or directory'
}

@test "on a terminal one line sums up what was found" {
	command -v script >/dev/null || skip 'script (bsdutils) is not here'
	needs_terminal
	script -qec 'tc-jank stream >got.out' /dev/null </dev/null >screen
	is "$(tr -d '\r' <screen)" 'tc-jank: note: 12 app frame rows, 6 janky (50.0 %), 1 never closed'
	script -qec 'tc-jank --app com.android.systemui stats stream >got.out' /dev/null </dev/null >screen
	is "$(tr -d '\r' <screen)" 'tc-jank: note: 1 app frame rows, 1 janky (100.0 %), 0 never closed'
	tool got.out tc-jank stream
	silent
}

# ---- frames and stats ----

@test "frames: each app frame against its expectation" {
	tool got.out tc-jank frames stream
	ended 0
	silent
	only 'jank_.*' got.out >got
	same "$DATA/expected/jank-frames.jsonl" got
}

@test "stats: counts by class, most rows first" {
	tool got.out tc-jank stats stream
	ended 0
	silent
	only 'jank_.*' got.out >got
	same "$DATA/expected/jank-stats.jsonl" got
}

@test "without a mode: janky frames, then the stats" {
	tool got.out tc-jank stream
	ended 0
	silent
	only 'jank_.*' got.out >got
	same "$DATA/expected/jank-default.jsonl" got
}

@test "the rows are replaced, everything else passes, and the answer is last" {
	tc-jank stream >got.out
	but 'expected_frame|actual_frame|phase|buffer_event' stream >wanted
	cat "$DATA/expected/jank-default.jsonl" >>wanted
	between got.out >got
	same wanted got
}

@test "rows of every other type of a trace go no further either" {
	for type in slice counter sched refresh_rate input_event input_dispatch input_latency clock; do
		cat "$DATA/records/$type.jsonl"
	done >rows
	[ "$(wc -l <rows)" -ge 8 ]
	tc-jank stats rows >got.out
	between got.out | same /dev/null -
	tc-jank stats --keep rows >got.out
	between got.out | same rows -
}

@test "--keep passes the rows on too, in their places" {
	tc-jank --keep stream >got.out
	cat stream "$DATA/expected/jank-default.jsonl" >wanted
	between got.out >got
	same wanted got
}

@test "expectations count wherever they stand in the stream" {
	tac stream >turned
	tc-jank frames turned | only jank_frame - >got
	same "$DATA/expected/jank-frames.jsonl" got
}

@test "several traces in one stream are not mixed" {
	{
		expected 0 100 20
		actual 0 100 30
		trace=1 expected 0 200 20
		trace=1 actual 0 200 10
		trace=2 actual 0 300 10
	} >in
	tool got.out tc-jank frames in
	ended 0
	gives jank_frame '[.trace, .expected_count, .expected_ts_ns, delta]' <<-END
		[0,1,100,10]
		[1,1,200,-10]
		[2,0,null,null]
	END
	tool got.out tc-jank stats in
	gives jank_stats '[.trace, .surface_frame_rows]' <<-END
		[0,1]
		[1,1]
		[2,1]
	END
}

@test "machines, and processes with the same token, are not mixed" {
	{
		expected 0 100 20
		upid=2 pid=2000 expected 1 200 20
		machine=7 upid=1 expected 2 300 20
		actual 0 101 20
		upid=2 pid=2000 actual 1 202 20
		machine=7 upid=1 actual 2 303 20
		upid=3 pid=1000 actual 3 101 20
	} >in
	tool got.out tc-jank frames in
	ended 0
	gives jank_frame '[.machine_id, .upid, .pid, .expected_count, .expected_id, delta]' <<-END
		[0,1,1000,1,0,1]
		[0,3,1000,0,null,null]
		[0,2,2000,1,1,2]
		[7,1,1000,1,2,3]
	END
	tool got.out tc-jank stats in
	is "$(only jank_stats got.out | wc -l)" 4
}

@test "layers that share a token are several rows, and their expectation is one" {
	{
		expected 0 100 20
		layer='"A"' actual 0 100 25
		layer='"B"' actual 1 100 26
		layer=null actual 2 100 27
	} >in
	tool got.out tc-jank frames in
	ended 0
	gives jank_frame '[.layer_name, .expected_count, .expected_id, delta]' <<-END
		["A",1,0,5]
		["B",1,0,6]
		[null,1,0,7]
	END
}

@test "token 0 is a token, and null is a display frame" {
	{
		token=0 expected 0 100 20
		token=0 actual 0 100 20
		token=null expected 1 100 20
		token=null actual 1 100 20
	} >in
	tool got.out tc-jank in
	ended 0
	is "$(only jank_frame got.out | jq -c '[.surface_frame_token, .expected_count]')" '[0,1]'
	is "$(only jank_stats got.out | jq .surface_frame_rows)" 1
}

@test "every difference that a class can have makes two classes" {
	local base field

	base=$(actual 0 100 20)
	{
		echo "$base"
		echo "$base"
		for field in '"layer_name":"L"' '"is_buffer":"Yes"' '"jank_tag":"Self Jank"' \
			'"jank_type":"App Deadline Missed"' '"present_type":"Late Present"'; do
			echo "${base/$field/${field%%:*}:\"other\"}"
			echo "${base/$field/${field%%:*}:null}"
		done
		echo "${base/'"on_time_finish":0'/'"on_time_finish":1'}"
		echo "${base/'"upid":1'/'"upid":2'}"
		echo "${base/'"machine_id":0'/'"machine_id":1'}"
		echo "${base/'"trace":0'/'"trace":1'}"
	} >in
	tool got.out tc-jank stats in
	ended 0
	is "$(only jank_stats got.out | jq .surface_frame_rows | tr '\n' ' ')" '2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 '
}

@test "classes of equally many rows come in the order of their first rows" {
	{
		tag=b actual 0 100 20
		tag=a actual 1 100 20
		tag=c actual 2 100 20
		tag=c actual 3 100 20
		tag=a actual 4 100 20
		tag=d actual 5 100 20
	} >in
	tc-jank stats in >got.out
	is "$(only jank_stats got.out | jq -r .jank_tag | tr '\n' ' ')" 'a c b d '
}

@test "which tags are janky" {
	local tag

	for tag in 'Self Jank' 'Other Jank' 'Buffer Stuffing' 'SurfaceFlinger Stuffing' 'Dropped Frame' \
		'No Jank' 'Unspecified' 'Non-perceivable Jank'; do
		actual 0 100 20
	done >in
	tool got.out tc-jank in
	ended 0
	gives jank_frame .jank_tag <<-END
		Self Jank
		Other Jank
		Buffer Stuffing
		SurfaceFlinger Stuffing
		Dropped Frame
	END
}

@test "the mean is rounded to the nanosecond, the maximum is exact" {
	{
		actual 0 100 1
		actual 1 100 1
		actual 2 100 2
		actual 3 100 123456789
		token=1 tag=b actual 4 100 9007199254740993
	} >in
	tc-jank stats in >got.out
	is "$(only jank_stats got.out | sed 's/.*"avg_closed_ms":\([^,]*\),"max_closed_ms":\([^,]*\),.*/\1 \2/' | head -n 1)" \
		'30.864198 123.456789'
}

@test "integers are exact over 64 bits" {
	{
		token=9007199254740993 expected 9007199254740995 9007199254740997 20
		token=9007199254740993 actual 9223372036854775807 9223372036854775000 1
		token=9007199254740992 actual 1 -9223372036854775807 1
	} >in
	tool got.out tc-jank frames in
	ended 0
	only jank_frame got.out | sed 's/.*"actual_id":\([^,]*\),.*"surface_frame_token":\([^,]*\),.*"actual_ts_ns":\([^,]*\),.*"expected_count":\([^,]*\),"expected_id":\([^,]*\),"expected_ts_ns":\([^,]*\),.*/\1 \2 \3 \4 \5 \6/' >got
	same - got <<-END
		1 9007199254740992 -9223372036854775807 0 null null
		9223372036854775807 9007199254740993 9223372036854775000 1 9007199254740995 9007199254740997
	END
}

@test "times at the ends of 64 bits give no wrong difference" {
	{
		token=1 expected 0 -9223372036854775807 10
		token=1 actual 0 9223372036854775807 10
		token=2 expected 1 5 9223372036854775807
		token=2 actual 1 6 9223372036854775807
	} >in
	tool got.out tc-jank in
	ended 0
	silent
	gives jank_frame '.end_delta_ms | . == null or . > 1e12 or . == 0.000001' <<-END
		true
		true
	END
}

@test "a frame is not early by an expectation without deadline" {
	{
		token=1 expected 0 100 9223372036854775807
		token=1 actual 0 102 10
		token=2 expected 1 100 9223372036854775707
		token=2 actual 1 102 10
	} >in
	tool got.out tc-jank frames in
	ended 0
	gives jank_frame '[.expected_count, .expected_ts_ns, delta]' <<-END
		[1,100,null]
		[1,100,null]
	END
}

@test "what a record does not say is null in the answer" {
	{
		echo '{"type":"expected_frame","upid":1,"surface_frame_token":7,"dur":20}'
		echo '{"type":"actual_frame","upid":1,"surface_frame_token":7,"dur":20}'
		echo '{"type":"actual_frame","upid":1,"surface_frame_token":7,"ts":5}'
	} >in
	tool got.out tc-jank frames in
	ended 0
	silent
	gives jank_frame '[.pid, .process, .actual_ts_ns, .raw_actual_dur_ns, .expected_count, delta, .jank_tag]' <<-END
		[null,null,null,20,1,null,null]
		[null,null,5,null,1,null,null]
	END
}

@test "fields may come in any order, be unknown, be null, or be written as 5.0" {
	{
		expected 0 100 20
		jq -c 'to_entries | reverse | from_entries | .more = [1, {"ts": "x"}] | .score = null' < <(actual 0 101 20)
		echo '{"trace":0,"dur":20.0,"machine_id":0.0,"ts":1.03e2,"upid":1.0,"surface_frame_token":7.0,"jank_tag":"x","layer_name":null,"type":"actual_frame"}'
	} >in
	tool got.out tc-jank frames in
	ended 0
	gives jank_frame '[.actual_ts_ns, .raw_actual_dur_ns, .expected_count, delta]' <<-END
		[101,20,1,1]
		[103,20,1,3]
	END
}

@test "answers of an earlier tc-jank pass" {
	tc-jank stats stream >first.out
	tool got.out tc-jank frames first.out
	ended 0
	between got.out >got
	same first.out got
}

# ---- which process ----

some_processes() {
	process 1 1000 '"com.example.app"'
	process 2 2000 '"com.example.app:remote"'
	process 3 3000 '"com.example.idle"'
	process 4 4000 '"com.other"'
	process 5 4000 '"com.other"'
	process 6 6000 null
	upid=1 pid=1000 process='"com.example.app"' token=1 actual 0 100 20
	upid=2 pid=2000 process='"com.example.app:remote"' token=2 actual 1 100 20
	upid=4 pid=4000 process='"com.other"' token=3 actual 2 100 20
	upid=5 pid=4000 process='"com.other"' token=4 actual 3 100 20
	upid=6 pid=6000 process=null token=5 actual 4 100 20
}

# chosen OPTION...: the tokens of the frames that it takes.
chosen() {
	tool got.out tc-jank frames "$@" in
	tokens=$(only jank_frame got.out | jq .surface_frame_token | tr '\n' ' ')
}

@test "--app takes a name, the whole of it" {
	some_processes >in
	chosen --app com.example.app
	ended 0
	silent
	is "$tokens" '1 '
	chosen -a com.example.app:remote
	is "$tokens" '2 '
	chosen --app=com.example.app
	is "$tokens" '1 '
}

@test "--app takes a pattern" {
	some_processes >in
	chosen --app '*:remote'
	ended 0
	is "$tokens" '2 '
	chosen --app 'com.?xample.[a-c]pp'
	ended 0
	is "$tokens" '1 '
}

@test "--app takes pid=N and upid=N" {
	some_processes >in
	chosen --app pid=2000
	ended 0
	is "$tokens" '2 '
	chosen --app upid=5
	ended 0
	is "$tokens" '4 '
	chosen --app upid=6
	ended 0
	is "$tokens" '5 '
}

@test "--app holds for stats and for the default too" {
	some_processes >in
	tc-jank stats --app upid=4 in >got.out
	is "$(only 'jank_.*' got.out | jq -c '[.type, .upid]' | tr '\n' ' ')" '["jank_stats",4] '
	tc-jank --app upid=4 in >got.out
	is "$(only 'jank_.*' got.out | jq -c '[.type, .upid]' | tr '\n' ' ')" '["jank_frame",4] ["jank_stats",4] '
}

@test "a name that fits several processes lists them and is 2" {
	some_processes >in
	chosen --app com.other
	ended 2
	is "$tokens" ''
	diagnosed usage com.other 3
	has "${stderr_lines[0]}" 'upid=4 pid=4000 com.other'
	has "${stderr_lines[1]}" 'upid=5 pid=4000 com.other'
	chosen --app 'com.example*'
	ended 2
	diagnosed usage 'com.example*' 3
	has "${stderr_lines[0]}" 'upid=1 pid=1000 com.example.app'
	has "${stderr_lines[1]}" 'upid=2 pid=2000 com.example.app:remote'
	chosen --app pid=4000
	ended 2
	diagnosed usage pid=4000 3
	is "$(tail -n 1 got.out | jq .status)" 2
}

@test "the same process in two traces is two processes" {
	{
		process 1 1000 '"com.example.app"'
		token=1 actual 0 100 20
		trace=1 process 1 1000 '"com.example.app"'
		trace=1 token=2 actual 0 100 20
	} >in
	chosen --app com.example.app
	ended 2
	diagnosed usage com.example.app 3
	chosen --app com.example.app --all
	ended 0
	is "$tokens" '1 2 '
}

@test "--all takes every process that fits" {
	some_processes >in
	chosen --all --app com.other
	ended 0
	silent
	is "$tokens" '3 4 '
	chosen --app 'com.*' --all
	ended 0
	is "$tokens" '1 2 3 4 '
	chosen --all
	ended 0
	is "$tokens" '1 2 3 4 5 '
}

@test "a name that no process has is 2, and lists those that have frames" {
	some_processes >in
	chosen --app com.example
	ended 2
	is "$tokens" ''
	diagnosed usage com.example 6
	has "$stderr" 'upid=1 pid=1000 com.example.app'
	has "$stderr" 'upid=6 pid=6000'
	is "$(grep -c com.example.idle <<<"$stderr" || true)" 0
	chosen --app upid=99
	ended 2
	diagnosed usage upid=99 6
	chosen --app ''
	ended 2
}

@test "a process without frames is an empty answer" {
	some_processes >in
	chosen --app com.example.idle
	ended 0
	is "$tokens" ''
	diagnosed no_app_frames com.example.idle
	chosen --app upid=3
	ended 0
	is "$tokens" ''
}

@test "an app of no trace at all: that no trace came is said, not that none fits" {
	echo '{"type":"zebra"}' >in
	chosen --app com.example.idle
	ended 1
	diagnosed no_trace 'no trace came down the pipe'
	is "$(only error got.out | jq -c '[.tool, .code, .subject]')" '["tc-jank","no_trace","com.example.idle"]'
	chosen
	ended 0
	# A trace without any process is one.
	echo '{"type":"trace","trace":0}' >in
	chosen --app com.example.idle
	ended 2
	diagnosed usage 'fits no process'
}

@test "a process that has display frames only has no app frames" {
	{
		process 1 600 '"/system/bin/surfaceflinger"'
		token=null actual 0 100 20
	} >in
	chosen --app /system/bin/surfaceflinger
	ended 0
	is "$tokens" ''
}

@test "frames name their process where no process record does" {
	some_processes | but process - >in
	chosen --app com.example.app
	ended 0
	is "$tokens" '1 '
}

@test "a pid or upid that is no number is 2 and one line, before anything is read" {
	local app

	some_processes >in
	for app in pid=x upid= pid=1x 'upid= 1x' pid=99999999999999999999; do
		chosen --app "$app"
		ended 2
		diagnosed usage "$app"
		framed 2 got.out
	done
}

@test "a name may hold any bytes, and its process can be chosen" {
	{
		process='"a\u0001\ud83d\ude00\"b"' actual 0 100 20
	} >in
	chosen --app $'a\001😀"b'
	ended 0
	is "$tokens" '7 '
	is "$(only jank_frame got.out | jq -c .process)" '"a\u0001😀\"b"'
	TC_DIAG=text chosen --app none
	ended 2
	is "$(printf %s "$stderr" | tr -d '\n' | LC_ALL=C tr -d '\040-\176\200-\377' | wc -c)" 0
}
