load helper

# Records are written out by hand. A device has what the variables say, each with a
# default: `sources='"linux.ftrace"' sessions=5 device adb:A`.
device() {
	local answers='{"version":"v47.0","data_sources":['${sources-$all}'],"sessions":'${sessions-0}',"own_session":'${own-false}'}'

	printf '{"type":"device","device":"%s","platform":"%s","state":"%s","serial":"S","model":"M","sdk":%s,"release":"14","build":"b","root":"%s"%s%s,"perfetto":%s}\n' \
		"$1" "${platform-android}" "${state-device}" "${sdk-34}" "${root-su}" \
		"${displays+,\"displays\":[$displays]}" "${more-}" "${perfetto-$answers}"
}

all='"android.viewcapture","android.windowmanager","android.surfaceflinger.layers","android.surfaceflinger.transactions","android.protolog","android.inputmethod","linux.ftrace","com.android.wm.shell.transition","android.input.inputevent","android.surfaceflinger.frametimeline","android.surfaceflinger.frame"'

request() {
	printf '{"type":"request","target":"%s"%s}\n' "$1" "${2+,\"config\":$2}"
}

# parse [ARGUMENT...]: for no device, with every data source; into got.out.
parse() {
	tool got.out tc-parse --assume all "$@" </dev/null
}

# notices FILE: "DEVICE CODE TARGET" of each.
notices() {
	jq -r 'select(.type == "notice") | "\(.device) \(.code) \(.target)"' "$1"
}

# targets FILE: "DEVICE NAME VIA REQUESTS" of each.
targets() {
	jq -r 'select(.type == "target") | "\(.device) \(.name) \(.via) \(.requests | join(","))"' "$1"
}

# config: that of the Perfetto target in got.out, byte for byte.
config() {
	jq -j 'select(.via == "perfetto").config' got.out
}

# ---- what every tool does ----

@test "records of other types pass byte for byte and in order, devices too" {
	device adb:A >device
	{
		cat <<-'END'
			{"type":"zebra","n":1}
			 	{ "n" : [ 1 , 2,{ } ] , "type" : "zebra" }
			{"\u0074ype":"zebra","x":{"type":"request"}}
			{"type":"session","id":"s"}
			{"type":"notice","level":"info","code":"x","text":"y"}
		END
		sed 's/,/ , /' device
		echo '{"type":"","x":null}'
	} >in
	tool got.out tc-parse -p jank in
	ended 0
	silent
	head -n 8 got.out | tail -n +2 | cmp in
	is "$(jq -r .type got.out | tail -n +9 | tr '\n' ' ')" 'target end '
	tc-parse -p jank <in >stdin.out
	cmp got.out stdin.out
}

@test "request records go no further" {
	{
		device adb:A
		request IME
	} >in
	tool got.out tc-parse in
	ended 0
	is "$(jq -r .type got.out | tr '\n' ' ')" 'tool device notice target end '
}

@test "empty input: without --assume there is no device, which is 2" {
	tool got.out tc-parse -p jank </dev/null
	ended 2
	diagnosed usage 'no device record'
	is "$(jq -c '[.type, .status, .records]' got.out | tr '\n' ' ')" '["tool",null,null] ["end",2,0] '
}

@test "nothing asked for is 2" {
	device adb:A >in
	tool got.out tc-parse in
	ended 2
	diagnosed usage 'nothing is asked for'
	parse
	ended 2
	diagnosed usage 'nothing is asked for'
}

@test "a malformed line ends the run with 65 and its file, line and column" {
	{
		echo '{"type":"zebra"}'
		echo '{"type":"device","device":}'
		request IME
	} >in
	tool got.out tc-parse in
	ended 65
	diagnosed malformed in:2:27
	is "$(between got.out)" '{"type":"zebra"}'
	for line in '[1]' '' '{"n":1}' '{"type":"request","target":5}' '{"type":"device","sdk":"x"}' \
		'{"type":"device","device":"a","displays":[1]}' '{"type":"device","model":"a"}'; do
		printf '%s\n' "$line" >in
		tool got.out tc-parse -p jank in
		ended 65
		diagnosed malformed in:1
		is "$(between got.out | but device - | wc -l)" 0
	done
}

@test "a request record that cannot be meant is 65, and says what can" {
	local line

	while read -r line; do
		{
			device adb:A
			request "${line%% *}" "$(cut -d ' ' -f 2 <<<"$line")"
		} >in
		tool got.out tc-parse in
		ended 65
		diagnosed malformed in:2
		diagnosed malformed "${line#* * }"
		is "$(between got.out | jq -r .type)" device
		tool got.out tc-parse -k -t IME in
		ended 65
		is "$(targets got.out)" 'adb:A PerfettoTrace perfetto IME'
	done <<-'END'
		NONE {} VIEW_CAPTURE, WINDOW_MANAGER_TRACE, SURFACE_FLINGER_TRACE, SCREEN_RECORDING, TRANSACTIONS, PROTO_LOG, IME, WAYLAND, EVENTLOG, TRANSITIONS, INPUT, WINDOW_MANAGER_DUMP, SURFACE_FLINGER_DUMP, SCREENSHOT, FRAME_TIMELINE, FRAME_EVENTS, ATRACE, FTRACE, SCHED
		ime {} no target 'ime'
		IME {"x":true} IME has no option 'x'
		SURFACE_FLINGER_TRACE {"inputs":true} input, composition, metadata, hwc, tracebuffers, virtualdisplays, sfbuffersize
		SURFACE_FLINGER_TRACE {"input":false} input: true
		SURFACE_FLINGER_TRACE {"input":"true"} input: true
		SURFACE_FLINGER_TRACE {"sfbuffersize":32000} a text is wanted
		SURFACE_FLINGER_TRACE {"sfbuffersize":"64000"} 4000, 8000, 16000, 32000
		WINDOW_MANAGER_TRACE {"tracinglevel":"info"} verbose, debug, critical
		WINDOW_MANAGER_TRACE {"tracingtype":["frame"]} a text is wanted
		WINDOW_MANAGER_TRACE {"tracingtype":"frame","tracingtype":"transaction"} two values
		PROTO_LOG {"groups":["A"]} objects with name and stacktrace
		PROTO_LOG {"groups":[{"name":"A","x":1}]} objects with name and stacktrace
		PROTO_LOG {"groups":[{"name":"A","stacktrace":1}]} objects with name and stacktrace
		PROTO_LOG {"groups":[{"stacktrace":true}]} letters, digits
		PROTO_LOG {"groups":[{"name":"A\"B"}]} letters, digits
		ATRACE {"apps":"$(reboot)"} letters, digits
		ATRACE {"apps":["a;b"]} letters, digits
		ATRACE {"apps":["a\nEOF"]} letters, digits
		ATRACE {"apps":[1]} a text or a list of texts
		ATRACE {} ATRACE needs categories or apps
		FTRACE {"events":[]} FTRACE needs events
		SCREEN_RECORDING {"displays":"`id`"} letters, digits
		SCREEN_RECORDING {"displays":["../x"]} letters, digits
		IME [] config is not an object
	END
	request IME >in
	echo '{"type":"request"}' >>in
	tool got.out tc-parse --assume all in
	ended 65
	diagnosed malformed in:2
}

@test "a last line without newline is read" {
	{
		request IME
		device adb:A | tr -d '\n'
	} >in
	tool got.out tc-parse in
	ended 0
	is "$(targets got.out)" 'adb:A PerfettoTrace perfetto IME'
}

@test "a full disk is 74" {
	tool /dev/full tc-parse --assume all -p jank /dev/null
	ended 74
	diagnosed io write
	tool /dev/full tc-parse -h
	ended 74
}

@test "a reader that is gone ends it with 141 and not a word" {
	for ((i = 0; i < 200; i++)); do
		device adb:$i
	done >in
	"${FRESH[@]}" bash -c 'tc-parse -p jank in 2>err | head -n 1 >got.out; echo "${PIPESTATUS[*]}"' >status
	is "$(<status)" '141 0'
	is "$(<err)" ''
	is "$(jq -r .type got.out)" tool
}

@test "what passes comes out before the input has ended" {
	mkfifo fifo
	tc-parse -p jank <fifo >live.tmp &
	exec 5>fifo
	device adb:A >&5
	until_true has_lines 2 live.tmp
	exec 5>&-
	wait $!
	is "$(jq -r .type live.tmp | tr '\n' ' ')" 'tool device target end '
}

@test "a stage that was cut off upstream is seen" {
	{
		echo '{"type":"tool","tool":"tc-session","version":"0","contract":1}'
		device adb:A
	} >in
	tool got.out tc-parse -p jank in
	ended 1
	diagnosed upstream_incomplete tc-session
	is "$(only error got.out | jq -r .code)" upstream_incomplete
	is "$(only target got.out | wc -l)" 1
}

@test "an unknown option, or one without its value, is 2 and one line" {
	for option in -x --no-such --dump=1 -kx; do
		tool got.out tc-parse $option
		ended 2
		diagnosed usage "'-"
		framed 2 got.out
	done
	for option in -p -t -a --assume --buffer-size --write-period --duration --data-rate; do
		tool got.out tc-parse $option
		ended 2
		diagnosed usage "$option"
		framed 2 got.out
	done
}

@test "-h and -V" {
	tool help tc-parse -h
	ended 0
	silent
	has "$(head -n 1 help)" 'usage: tc-parse '
	tool version tc-parse -V
	is "$(<version)" "tc-parse (tc-tools) $(tc-import -V | sed 's/.* //')"
}

@test "what -t, -p, -a and --assume cannot mean is 2, and says what they can" {
	local line

	while read -r line; do
		# shellcheck disable=SC2086 # an option and its value
		tool got.out tc-parse ${line%% :*} </dev/null
		ended 2
		diagnosed usage "${line#* : }"
		framed 2 got.out
	done <<-'END'
		-t NONE : FRAME_TIMELINE, FRAME_EVENTS, ATRACE, FTRACE, SCHED
		-t SURFACE_FLINGER_TRACE,inputs : input, composition, metadata, hwc, tracebuffers, virtualdisplays, sfbuffersize
		-t SURFACE_FLINGER_TRACE,input=1 : input takes no value
		-t SURFACE_FLINGER_TRACE,input, : has no option ''
		-t WINDOW_MANAGER_TRACE,tracinglevel : needs a value
		-t WINDOW_MANAGER_TRACE,tracinglevel=debug,verbose : has no option 'verbose'
		-t WINDOW_MANAGER_TRACE,tracinglevel=Debug : verbose, debug, critical
		-t WINDOW_MANAGER_TRACE,wmbuffersize=1 : 4000, 8000, 16000, 32000
		-t PROTO_LOG,groups=A+stack : letters, digits
		-t ATRACE : ATRACE needs categories or apps
		-t FTRACE,events=a,,b : letters, digits
		-t SCREENSHOT,displays=a/b : letters, digits
		-p none : winscope, jank, input, dump
		-a a'b : letters, digits
		--assume none,all : all, none, android.viewcapture
		--assume linux : linux.ftrace
		--assume android.surfaceflinger.frames : android.surfaceflinger.frametimeline, android.surfaceflinger.frame
		--buffer-size 5T : 64M
		--buffer-size 0 : from 1 to
		--buffer-size -1 : 64M
		--buffer-size 4096G : from 1 to 4294967295K
		--write-period 1d : 5s
		--duration 18446744073709551617 : from 0 to 4294967295ms
		--duration 1.5s : 30s
		--data-rate x : 2M
	END
}

# ---- golden vectors: whole texts ----

# golden NAME ARGUMENT...: configuration and command are those on file.
golden() {
	parse "${@:2}"
	ended 0
	silent
	config | cmp "$DATA/parse/$1.conf" - || return 1
	jq -j 'select(.type == "target").start' got.out | cmp "$DATA/parse/$1.start" -
}

@test "Winscope's configurations and commands come byte for byte" {
	local wm=WINDOW_MANAGER_TRACE,tracingtype=frame,tracinglevel=verbose
	local sf=SURFACE_FLINGER_TRACE,input,composition

	golden g1 -t SURFACE_FLINGER_TRACE -t WINDOW_MANAGER_TRACE
	golden g2 -t $wm -t $sf -t TRANSACTIONS -t IME -t INPUT
	golden g3 -t VIEW_CAPTURE -t $wm -t $sf -t TRANSACTIONS -t PROTO_LOG -t IME -t EVENTLOG \
		-t TRANSITIONS -t INPUT
	golden g4 -t PROTO_LOG,groups=GROUP_1,GROUP_2+stacktrace
	golden g5 -t WINDOW_MANAGER_DUMP -t SURFACE_FLINGER_DUMP
	golden g6 -t SURFACE_FLINGER_DUMP
}

@test "the texts on file are those that the golden vectors' hashes are of" {
	command -v sha256sum >/dev/null || skip 'no sha256sum'
	cd "$DATA/parse"
	sha256sum -c --quiet <<-'END'
		d0b70fb697c60f94365c8bd0aa93aa36eafb3f1310ba364c90557283bbf0684e  g1.conf
		276b8404d05f931981d3540fa95f5b9a4f5b8e2a7b0d6d53f3991df0090f8e91  g1.start
		d247c7347fba062ca4b0f3d5c642357632efcf4a10fd15d9713583dffe376894  g2.conf
		a04477a7f31ce21599370971d3e0e15b0b6ee61342340c8e22abb72abe47733f  g2.start
		74122ceb5ec16e9a2906e43f78df6cfa7e7ba4796d977d24fac31f6e3c5140fc  g3.conf
		e5de8604dd711deb9cfc159d279d2a57cf922a684e4e30852a1279cfa770f085  g3.start
		27bf0b22d1c495e3318fa78fcd92e992958a5ae10f6ba3872aaf7fb50148622d  g4.conf
		b27da5c41ce6b5692fe3ebe7c9192581039da01e38f7c1a2702c12c1d8425fef  g4.start
		7b7c7d701390cce1e71f7941aa8f3ded65ee370193da7d1952936efbcf6e2d25  g5.conf
		916cc4e63b597868b37d17874218063952f5461f561a1cdb711d57e323586ea0  g5.start
		4cdbe7152c1ba0f1ef83849c0b04561cdea091cfc2515ec001539e950b6e185d  g6.conf
		01117e6c7c41d6c2b0c39dbc7a71b16f832d355832f8ea6614dd68cc493de8a0  g6.start
	END
}

# whole NAME ARGUMENT...: the records between tool and end are those on file.
whole() {
	tool got.out tc-parse "${@:2}" </dev/null
	ended "${wanted_status-0}"
	silent
	between got.out | same "$DATA/parse/$1.jsonl" -
}

@test "presets: whole outputs" {
	whole winscope --assume all -p winscope
	whole jank --assume all -p jank -a com.example.app -a com.example.other
	whole input --assume all -p input
	whole dump --assume all -p dump
}

@test "every target without Perfetto: whole outputs" {
	whole legacy --assume none -t VIEW_CAPTURE -t WINDOW_MANAGER_TRACE -t SURFACE_FLINGER_TRACE \
		-t SCREEN_RECORDING -t TRANSACTIONS -t PROTO_LOG -t IME -t WAYLAND -t EVENTLOG \
		-t TRANSITIONS -t INPUT -t FRAME_TIMELINE -t FRAME_EVENTS -t ATRACE,categories=gfx \
		-t FTRACE,events=a/b -t SCHED
	whole legacy-dump --assume none -p dump
}

@test "several devices, several reasons: whole output" {
	{
		more=',"wayland":false,"screenrecord":"1.10"' displays='{"id":"11529215048785374281","name":"x"},{"id":"2","name":null}' \
			root=none sdk=36 sources='"linux.ftrace","android.windowmanager.more"' device adb:A
		request SCREEN_RECORDING '{"displays":["\"EMU 0\" 11529215048785374281 (HWC display 0): port=0","d1 Other"],"pointer_and_touches":true}'
		perfetto=null sdk=33 device adb:B
		sessions=5 own=true device adb:C
		request SURFACE_FLINGER_TRACE '{"hwc":true,"input":true,"sfbuffersize":"8000"}'
		request INPUT
		request WAYLAND
		platform=ios device ios:D
		state=unauthorized device adb:E
		request ATRACE '{"categories":["gfx"]}'
	} >in
	wanted_status=1 whole devices -t WINDOW_MANAGER_TRACE in
}

# ---- requests ----

@test "options are the same in -t, in records, and in any order of -t and -p" {
	{
		request SURFACE_FLINGER_TRACE '{"hwc":true,"input":true,"sfbuffersize":"8000"}'
		request PROTO_LOG '{"groups":[{"name":"A","stacktrace":true},{"name":"B","stacktrace":false},{"name":"C"}]}'
		request ATRACE '{"categories":["gfx","view"],"apps":"com.a"}'
		request SCREEN_RECORDING '{"pointer_and_touches":true,"displays":["1","2 HWC"]}'
	} >in
	tc-parse --assume all in >records.out
	parse -t SURFACE_FLINGER_TRACE,hwc,input,sfbuffersize=8000 -t PROTO_LOG,groups=A+stacktrace,B,groups=C \
		-t ATRACE,categories=gfx,view,apps=com.a -t SCREEN_RECORDING,displays=1,pointer_and_touches,displays=2
	ended 0
	same records.out got.out
}

@test "equal requests are one, whatever says so" {
	{
		request SURFACE_FLINGER_TRACE '{"composition":true,"input":true,"input":true}'
		request SURFACE_FLINGER_TRACE '{"sfbuffersize":"16000","input":true,"composition":true}'
		request WINDOW_MANAGER_TRACE
		request IME '{}'
	} >in
	tool got.out tc-parse --assume none -t IME -t WINDOW_MANAGER_TRACE,tracingtype=frame \
		-t SURFACE_FLINGER_TRACE,input,composition in
	ended 0
	same - <(targets got.out) <<-'END'
		null ImeLegacy legacy IME
		null WmLegacyTrace legacy WINDOW_MANAGER_TRACE
		null SfLegacyTrace legacy SURFACE_FLINGER_TRACE
	END
	is "$(notices got.out | grep -c conflict || true)" 0
}

@test "a request takes the place of the preset's for the same target" {
	parse -t SURFACE_FLINGER_TRACE,hwc -p winscope
	ended 0
	is "$(config | grep trace_flags)" '      trace_flags: TRACE_FLAG_HWC'
	is "$(only target got.out | jq -r '.requests | join(" ")' | tail -n 1)" \
		'WINDOW_MANAGER_TRACE SURFACE_FLINGER_TRACE TRANSACTIONS IME INPUT'
	is "$(notices got.out)" ''
}

@test "two requests for one target that differ are both kept, and said" {
	parse -t SURFACE_FLINGER_TRACE,hwc -t SURFACE_FLINGER_TRACE,input
	ended 0
	is "$(notices got.out)" 'null conflict SURFACE_FLINGER_TRACE'
	is "$(config | grep trace_flags | tr -d '\n')" '      trace_flags: TRACE_FLAG_HWC      trace_flags: TRACE_FLAG_INPUT'
	is "$(only target got.out | jq -c .requests)" '["SURFACE_FLINGER_TRACE"]'
	tool got.out tc-parse --assume none -t SURFACE_FLINGER_TRACE,hwc -t SURFACE_FLINGER_TRACE,input </dev/null
	is "$(only target got.out | jq -c .setup[1])" '"su root service call SurfaceFlinger 1033 i32 16"'
}

# ftrace ARGUMENT...: the piece of configuration that is ours.
ftrace() {
	parse "$@"
	config | sed -n '/"linux.ftrace"/,/^}/p' | sed -n '1,/^}/s/^      //p'
}

@test "ATRACE, FTRACE and SCHED share one piece: events, categories, apps, each once" {
	ftrace -a com.b -t ATRACE,apps=com.a,com.b,categories=view -t SCHED -t IME -t ATRACE,categories=gfx,view \
		-t FTRACE,events=power/cpu_frequency,sched/sched_switch >got
	same - got <<-'END'
		ftrace_events: "sched/sched_switch"
		ftrace_events: "sched/sched_waking"
		ftrace_events: "sched/sched_process_exit"
		ftrace_events: "sched/sched_process_free"
		ftrace_events: "power/cpu_frequency"
		atrace_categories: "view"
		atrace_categories: "gfx"
		atrace_apps: "com.a"
		atrace_apps: "com.b"
	END
	# In the place of the first of them, beside what every trace has.
	is "$(config | grep -o '"linux.ftrace"\|"android.inputmethod"' | tr '\n' ' ')" '"linux.ftrace" "android.inputmethod" "linux.ftrace" '
	is "$(only target got.out | jq -c .requests)" '["ATRACE","SCHED","IME","FTRACE"]'
}

@test "-a asks for ATRACE, or adds to it" {
	ftrace -a com.a >got
	is "$(<got)" 'atrace_apps: "com.a"'
	ftrace -t ATRACE -a com.a >got
	is "$(<got)" 'atrace_apps: "com.a"'
	request ATRACE '{"categories":"gfx"}' >in
	tool got.out tc-parse --assume all -a com.a in
	ended 0
	is "$(config | grep atrace_ | head -n 2 | tr -d '\n')" '      atrace_categories: "gfx"      atrace_apps: "com.a"'
}

@test "a free text at its limits" {
	local longest

	longest=$(printf '%0255d' 0)
	parse -t "ATRACE,apps=$longest,*,a-b_c.d:e/f"
	ended 0
	is "$(config | grep -c "atrace_apps: \"\($longest\|\*\|a-b_c.d:e/f\)\"")" 3
	parse -t "ATRACE,apps=0$longest"
	ended 2
}

@test "displays are found in descriptions, and each is recorded once" {
	request SCREENSHOT '{"displays":["\"Test Display\" 12345 Extra","d1 Other","12345","","\"\" 7","\"x"]}' >in
	tool got.out tc-parse --assume none in
	ended 65
	sed -i 's/,"\\"x"//' in
	tool got.out tc-parse --assume none in
	ended 0
	is "$(only target got.out | jq -r .start | tr '\n' ' ')" \
		'screencap -p -d 12345 > /data/local/tmp/screenshot_12345.png screencap -p -d d1 > /data/local/tmp/screenshot_d1.png screencap -p > /data/local/tmp/screenshot_active.png screencap -p -d 7 > /data/local/tmp/screenshot_7.png '
	request SCREENSHOT '{"displays":[]}' >in
	tool got.out tc-parse --assume none in
	is "$(targets got.out)" 'null Screenshotactive legacy SCREENSHOT'
}

# ---- devices ----

@test "each device gets its own targets, in the order of the devices" {
	{
		device adb:A
		sources='"android.windowmanager"' device adb:B
		request IME
		sources='' device adb:A
		device adb:C
	} >in
	tool got.out tc-parse -t WINDOW_MANAGER_TRACE in
	ended 0
	same - <(targets got.out) <<-'END'
		adb:A WmLegacyTrace legacy WINDOW_MANAGER_TRACE
		adb:A ImeLegacy legacy IME
		adb:B ImeLegacy legacy IME
		adb:B PerfettoTrace perfetto WINDOW_MANAGER_TRACE
		adb:C PerfettoTrace perfetto WINDOW_MANAGER_TRACE,IME
	END
	same - <(notices got.out) <<-'END'
		null incomplete IME
		adb:A no_data_source WINDOW_MANAGER_TRACE
		adb:A no_data_source IME
		adb:B no_data_source IME
	END
}

@test "the session limit is 5, ours not counted" {
	local row

	while read -r sessions own said; do
		sessions=$sessions own=$own device adb:A >in
		tool got.out tc-parse -t IME in
		ended 0
		is "$(notices got.out | sed -n 's/^adb:A //p')" "${said:+$said IME}"
	done <<-'END'
		0 false
		4 false
		4 true
		5 false session_limit
		5 true session_limit
		15 false session_limit
		null false
	END
}

@test "every reason is named, for every request that it is the reason of" {
	perfetto=null device adb:A >in
	tool got.out tc-parse -t INPUT -t IME -t SCREEN_RECORDING in
	ended 0
	same - <(notices got.out | tail -n +2) <<-'END'
		adb:A no_perfetto INPUT
		adb:A no_legacy_form INPUT
		adb:A no_perfetto IME
	END
	is "$(targets got.out | cut -d ' ' -f 2 | tr '\n' ' ')" 'ImeLegacy ScreenRecordingactive '
	device adb:A | sed 's/,"perfetto":.*/}/' >in
	tool got.out tc-parse -t INPUT -t IME -t SCREEN_RECORDING in
	is "$(notices got.out | sed -n 2p)" 'adb:A no_perfetto INPUT'
}

@test "a data source is matched by its whole name" {
	sources='"android.surfaceflinger.frametimeline","android.surfaceflinger.layers.x"' device adb:A >in
	tool got.out tc-parse -t FRAME_EVENTS -t SURFACE_FLINGER_TRACE in
	is "$(notices got.out | grep no_data)" "$(printf 'adb:A no_data_source %s\n' FRAME_EVENTS SURFACE_FLINGER_TRACE)"
}

@test "--assume stands in for a device, and goes before what its record says" {
	tool got.out tc-parse --assume android.inputmethod,linux.ftrace -t IME -t INPUT -t SCHED </dev/null
	ended 0
	is "$(targets got.out)" 'null PerfettoTrace perfetto IME,SCHED'
	is "$(only target got.out | jq 'has("device")')" false
	perfetto=null device adb:A >in
	tool got.out tc-parse --assume all -t IME in
	is "$(targets got.out)" 'adb:A PerfettoTrace perfetto IME'
	device adb:A >in
	tool got.out tc-parse --assume none -t IME in
	is "$(targets got.out)" 'adb:A ImeLegacy legacy IME'
	sessions=7 device adb:A >in
	tool got.out tc-parse --assume all -t IME in
	is "$(targets got.out)" 'adb:A ImeLegacy legacy IME'
}

@test "a device with nothing to capture makes the status 1, the others get theirs" {
	{
		sources='' device adb:A
		device adb:B
	} >in
	tool got.out tc-parse -t INPUT in
	ended 1
	is "$(targets got.out)" 'adb:B PerfettoTrace perfetto INPUT'
	same - <(notices got.out) <<-'END'
		adb:A no_data_source INPUT
		adb:A no_legacy_form INPUT
		adb:A nothing_to_capture null
	END
}

@test "a device that is not ready gets no target" {
	for state in offline unauthorized recovery detached \
		'no permissions (missing udev rules? user is in the plugdev group)'; do
		device adb:A >in
		tool got.out tc-parse -p jank in
		ended 1
		is "$(notices got.out)" 'adb:A not_ready null'
	done
}

@test "a legacy way that is likely to fail is said" {
	sources='' root=none sdk=35 device adb:A >in
	tool got.out tc-parse -t SURFACE_FLINGER_TRACE -t SCREEN_RECORDING in
	ended 0
	same - <(notices got.out) <<-'END'
		adb:A no_data_source SURFACE_FLINGER_TRACE
		adb:A needs_root SURFACE_FLINGER_TRACE
		adb:A legacy_refused SURFACE_FLINGER_TRACE
	END
	is "$(targets got.out | wc -l)" 2
}

@test "screenrecord takes a display from 1.4 on, by number" {
	for version in 1.2 1.3 0; do
		more=',"screenrecord":"'$version'"' device adb:A >in
		tool got.out tc-parse -t SCREEN_RECORDING,displays=1 in
		ended 1
		is "$(notices got.out | head -n 1)" 'adb:A no_such_display SCREEN_RECORDING'
	done
	for version in 1.4 1.10 2.0; do
		more=',"screenrecord":"'$version'"' device adb:A >in
		tool got.out tc-parse -t SCREEN_RECORDING,displays=1 in
		ended 0
		is "$(notices got.out)" ''
	done
	displays='{"id":"1"},{"id":"2"}' device adb:A >in
	tool got.out tc-parse -t SCREEN_RECORDING in
	is "$(notices got.out)" 'adb:A several_displays SCREEN_RECORDING'
}

# ---- dumps ----

@test "traces and dumps in one run are 2" {
	for arguments in '-p jank -p dump' '-t IME -t SCREENSHOT' '-p dump -a com.a' '--dump -p jank'; do
		# shellcheck disable=SC2086 # several
		parse $arguments
		ended 2
		diagnosed usage 'traces and dumps'
		is "$(between got.out)" ''
	done
	{
		device adb:A
		request SCREENSHOT
	} >in
	tool got.out tc-parse -t IME in
	ended 2
	diagnosed usage 'traces and dumps'
}

@test "--dump alone is the preset of that name" {
	tc-parse --assume all -p dump </dev/null >wanted.out
	parse --dump
	ended 0
	same wanted.out got.out
	parse --dump -t SCREENSHOT
	is "$(targets got.out)" 'null Screenshotactive legacy SCREENSHOT'
	for option in --duration --write-period; do
		parse --dump $option 5s
		ended 2
		diagnosed usage 'not for dumps'
	done
}

# ---- numbers and what is said of them ----

# numbers ARGUMENT...: what the configuration has of them, in one line.
numbers() {
	parse -t IME "$@"
	config | sed -n 's/^ *\(size_kb\|duration_ms\|file_write_period_ms\): /\1=/p' | tr '\n' ' '
}

@test "buffer, period and duration go into the configuration, with units" {
	is "$(numbers)" 'size_kb=500000 duration_ms=0 file_write_period_ms=999999999 '
	is "$(numbers --buffer-size 64M --duration 30s --write-period 5s)" 'size_kb=65536 duration_ms=30000 file_write_period_ms=5000 '
	is "$(numbers --buffer-size 1000K --duration 2m --write-period 100ms)" 'size_kb=1000 duration_ms=120000 file_write_period_ms=100 '
	is "$(numbers --buffer-size 1G --duration 1h --write-period 0)" 'size_kb=1048576 duration_ms=3600000 '
	is "$(numbers --buffer-size 4294967295 --duration 4294967295)" 'size_kb=4294967295 duration_ms=4294967295 file_write_period_ms=999999999 '
	# No other line changes.
	parse -t IME
	config | grep -v 'size_kb\|_ms' >before
	parse -t IME --buffer-size 64M --duration 30s --write-period 5s
	config | grep -v 'size_kb\|_ms' | same before -
	parse --dump --buffer-size 1000
	is "$(config | grep size_kb)" '  size_kb: 1000'
}

# lint ARGUMENT...: the codes that are no matter of a device.
lint() {
	parse "$@"
	[ "$status" -eq 0 ] || return 1
	jq -r 'select(.type == "notice") | .code' got.out | tr '\n' ' '
}

@test "what was changed is looked at: buffer, period, duration" {
	is "$(lint -t INPUT)" ''
	is "$(lint -t INPUT --buffer-size 64M)" 'no_write_period '
	is "$(lint -t INPUT --duration 10s)" 'no_write_period '
	is "$(lint -t INPUT --write-period 5s)" ''
	is "$(lint -t INPUT --write-period 0)" 'no_write_period '
	# 900 KB a second.
	is "$(lint -t INPUT --write-period 10s --buffer-size 9000)" ''
	is "$(lint -t INPUT --write-period 10s --buffer-size 8999)" 'buffer_too_small '
	is "$(lint -t INPUT --duration 10s --buffer-size 9000)" 'no_write_period '
	is "$(lint -t INPUT --duration 10s --buffer-size 8999)" 'no_write_period buffer_too_small '
	is "$(lint -t INPUT --duration 10s --buffer-size 1000 --write-period 1s)" ''
	is "$(lint -t INPUT --duration 10s --buffer-size 9000 --data-rate 1M --write-period 1h)" 'buffer_too_small '
	is "$(lint -t INPUT --duration 10m)" 'no_write_period buffer_too_small '
	is "$(lint -t SCREEN_RECORDING --duration 10m)" ''
	is "$(lint --dump --buffer-size 1)" ''
}

@test "frames that are meant to be looked at need their data source" {
	is "$(lint -p jank)" ''
	is "$(lint -a com.a)" 'no_frame_data '
	is "$(lint -t FRAME_EVENTS)" 'no_frame_data '
	is "$(lint -t ATRACE,categories=gfx)" 'no_frame_data '
	is "$(lint -t ATRACE,categories=am)" ''
	is "$(lint -t ATRACE,categories=gfx -t FRAME_TIMELINE)" ''
	sources='"linux.ftrace","android.surfaceflinger.frame"' device adb:A >in
	tool got.out tc-parse -p jank in
	ended 0
	same - <(notices got.out) <<-'END'
		adb:A no_data_source FRAME_TIMELINE
		adb:A no_legacy_form FRAME_TIMELINE
		adb:A no_frame_data FRAME_TIMELINE
	END
}

@test "an option without effect, a group that is not there, and the rest" {
	more=',"protolog_groups":["A","B"]' device adb:A >in
	tool got.out tc-parse -t SURFACE_FLINGER_TRACE,sfbuffersize=8000 -t PROTO_LOG,groups=A,C in
	ended 0
	same - <(notices got.out) <<-'END'
		adb:A option_ignored SURFACE_FLINGER_TRACE
		adb:A unknown_group PROTO_LOG
	END
	is "$(lint -t IME)" 'incomplete '
	is "$(lint -t IME -t SURFACE_FLINGER_TRACE -t TRANSACTIONS -t WINDOW_MANAGER_TRACE)" ''
	is "$(lint -t WAYLAND)" 'caveat '
	is "$(lint -p winscope)" ''
}

@test "at a terminal one line says how much came of it" {
	needs_terminal
	tty() {
		script -qec "tc-parse --assume none -t INPUT -t IME </dev/null >got.out" /dev/null </dev/null | tr -d '\r'
	}
	is "$(tty)" 'tc-parse: note: targets: 1; warnings in notice records: 3'
}

@test "with --assume, a terminal is not read from" {
	needs_terminal
	# Nothing is ever typed there: who reads it waits until it is ended.
	mkfifo typed
	sleep 30 >typed 3>&- &
	script -qec "timeout --foreground 9 tc-parse --assume all -p jank >got.out 2>got.err; echo \$? >status
		timeout --foreground 1 tc-parse -p jank >waits.out 2>/dev/null; echo \$? >>status
		timeout --foreground 1 tc-parse --assume all -p jank - >reads.out 2>/dev/null; echo \$? >>status" \
		/dev/null <typed >/dev/null
	kill $!
	is "$(cat status)" $'0\n124\n124'
	tc-parse --assume all -p jank </dev/null >wanted.out
	cmp wanted.out got.out
}

@test "notices say what they are about" {
	sessions=6 device adb:A >in
	tool got.out tc-parse -t INPUT in
	is "$(only notice got.out | jq -r '"\(.level): \(.text)"' | head -n 2)" \
		"warning: INPUT: 6 Perfetto sessions are there already, the limit is 5: not captured
warning: INPUT is not captured: there is no way but Perfetto"
}
