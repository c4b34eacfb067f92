# Captures on the made-up Android device: started, watched, stopped, moved; and what
# goes wrong on the way.
load helper
load peers

folder=/data/local/tmp/last_winscope_tracing_session
log=dev/.log

setup() {
	cd "$TMP"
	unset TC_DEVICE ANDROID_SERIAL
}

# android [PROFILE]: such a device in $TMP/dev, the one that TC_DEVICE names.
android() {
	TC_BUILD=$BUILD "$ROOT/tests/fake/android/setup" dev "$@"
	"$ROOT/tests/fake/android/enter" dev true || skip 'no user and mount namespaces here'
	serve
}

# serve [OPTION...]: it is reachable, at the same port as before.
serve() {
	rm -f port
	"$ROOT/tests/fake/android/enter" dev fakeadbd --port "${port-0}" --port-file "$TMP/port" \
		--control "$TMP/faults" "$@" >fake.log 2>&1 3>&- </dev/null &
	served=$!
	pids+=($served)
	until_true test -s port
	port=$(cat port)
	export TC_DEVICE=tcp:127.0.0.1:$port
}

# gone: it is not reachable any more.
gone() {
	kill "$served"
	wait "$served" || true
}

# set_fact FILE LINE...
set_fact() {
	printf '%s\n' "${@:2}" >"dev/.control/$1"
}

# targets ARGUMENT...: what tc-parse makes of them, in targets.jsonl.
targets() {
	tc-parse --assume all "$@" </dev/null >targets.jsonl
}

# legacy ARGUMENT...: the same, without Perfetto.
legacy() {
	tc-parse --assume none "$@" </dev/null >targets.jsonl
}

# sessions [FILE]: "NAME STATE CODE" of each record of a session.
sessions() {
	jq -r 'select(.type == "session") | "\(.name) \(.state) \(.error.code // "-")"' "${1-got.out}"
}

# files [FILE]: "DEST STATE CODE" of each file.
files() {
	jq -r 'select(.type == "file") | "\(.dest) \(.state) \(.error.code // "-")"' "${1-got.out}"
}

# records PID: this process is a recorder, and not one that has ended.
records() {
	grep -q screenrecord "/proc/$1/cmdline" 2>/dev/null
}

# transcript: what reached the device, without the numbers of processes.
transcript() {
	sed -E "s/(p=|\/proc\/)[0-9]+/\\1PID/g" "$log"
}

teardown() {
	local file

	for file in "$TMP"/dev/.state/processes/*; do
		[ ! -e "$file" ] || kill -KILL "${file##*/}" 2>/dev/null || true
	done
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	all_records_valid
}

# ---- transcripts: what reaches the device, byte for byte ----

@test "a trace with Perfetto, without root: the commands that reach the device" {
	android
	set_fact no_root denied
	targets -t WINDOW_MANAGER_TRACE -t SURFACE_FLINGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	silent
	transcript | same "$DATA/session/perfetto.log" -
	is "$(sessions)" $'PerfettoTrace started -\nPerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
	cmp "dev$folder/trace.perfetto-trace" dev/.control/trace
	is "$(jq -r 'select(.type == "file").bytes' got.out)" "$(stat -c %s "dev$folder/trace.perfetto-trace")"
	[ ! -e dev/data/misc/perfetto-traces/winscope-proxy-trace.perfetto-trace ]
}

@test "a trace of the window manager without Perfetto, as root: the commands" {
	android android-14
	legacy -t WINDOW_MANAGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	silent
	transcript | same "$DATA/session/window.log" -
	is "$(sessions)" $'WmLegacyTrace started -\nWmLegacyTrace stopped -'
	is "$(jq -r 'select(.type == "session").as' got.out | sort -u)" su
	is "$(files)" 'wm_trace moved -'
	is "$(stat -c %a "dev$folder/wm_trace")" 644
}

@test "the second pattern is looked for where the first finds nothing" {
	android android-14
	set_fact legacy_ext pb
	legacy -t WINDOW_MANAGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	is "$(grep 'find ' "$log")" "su root find '/data/misc/wmtrace/' -name 'wm_trace.winscope'
su root find '/data/misc/wmtrace/' -name 'wm_trace.pb'"
	is "$(jq -r 'select(.type == "file").origin' got.out)" /data/misc/wmtrace/wm_trace.pb
}

@test "a dump with Perfetto: the commands" {
	android
	set_fact no_root denied
	mktrace >dev/.control/dump <<<'marker'
	targets --dump -t SURFACE_FLINGER_DUMP
	tool got.out tc-session dump targets.jsonl
	ended 0
	silent
	transcript | same "$DATA/session/dump.log" -
	is "$(sessions)" 'PerfettoDump stopped -'
	is "$(files)" 'dump.perfetto-trace moved -'
	cmp "dev$folder/dump.perfetto-trace" dev/.control/dump
}

@test "several targets: legacy ones first, Perfetto last, in every phase" {
	android android-14
	tc-parse --assume linux.ftrace -t WINDOW_MANAGER_TRACE -t SCREEN_RECORDING -t SCHED </dev/null >targets.jsonl
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	silent
	transcript | same "$DATA/session/several.log" -
	is "$(files)" 'wm_trace moved -
screen_recording_active moved -
trace.perfetto-trace moved -'
	grep -qa moov "dev$folder/screen_recording_active"
}

@test "a dry run says what would be run, and touches nothing" {
	android android-14
	tc-parse --assume linux.ftrace -t WINDOW_MANAGER_TRACE -t SCREEN_RECORDING -t SCHED </dev/null >targets.jsonl
	for mode in run start; do
		tool got.out tc-session $mode --dry-run targets.jsonl
		ended 0
		silent
		only command got.out | jq -r '"\(.phase) \(.session) \(.text)"' | same "$DATA/session/dry-$mode.txt" -
	done
	tool started.out tc-session start targets.jsonl
	rm "$log"
	tool got.out tc-session stop --dry-run started.out
	ended 0
	[ ! -e "$log" ]
	only command got.out | jq -r '"\(.phase) \(.session) \(.text)"' | sed -E 's/p=[0-9]+/p=PID/' |
		same "$DATA/session/dry-stop.txt" -
	tool got.out tc-session recover --dry-run
	ended 0
	is "$(jq -r 'select(.type == "command").phase' got.out | tr '\n' ' ')" 'read list '
	[ ! -e "$log" ]
	tool got.out tc-session stop started.out
	ended 0
}

# ---- parts that fail ----

@test "a start that fails leaves the others running, listed, and to be stopped" {
	android android-14
	tc-parse --assume linux.ftrace -t WINDOW_MANAGER_TRACE -t IME -t SCHED </dev/null >targets.jsonl
	set_fact fail '1|ime tracing start|ime: no'
	tool started.out tc-session start targets.jsonl
	ended 1
	is "$(sessions started.out)" 'WmLegacyTrace started -
ImeLegacy failed start_failed
PerfettoTrace started -'
	is "$(jq -r 'select(.state == "failed").error.text' started.out)" 'ime: no'
	rm dev/.control/fail
	tool got.out tc-session stop started.out
	# The part that failed is told again.
	ended 1
	is "$(sessions got.out | tail -n 2)" $'WmLegacyTrace stopped -\nPerfettoTrace stopped -'
	is "$(files)" 'wm_trace moved -
ime_trace_clients missing not_started
ime_trace_service missing not_started
ime_trace_managerservice missing not_started
trace.perfetto-trace moved -'
	[ ! -e dev/.state/on/ime ]
}

@test "a setup that fails is a start that fails; what service call answers counts" {
	android android-17
	legacy -t SURFACE_FLINGER_TRACE -t WINDOW_MANAGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 1
	is "$(sessions)" 'SfLegacyTrace failed setup_failed
WmLegacyTrace failed setup_failed'
	has "$(jq -r 'select(.name == "SfLegacyTrace").error.text' got.out)" Parcel
	is "$(files)" $'layers_trace missing not_started\nwm_trace missing not_started'
	# There was nothing to wait for, and nothing to stop.
	is "$(grep -c 'tracing stop\|1025 i32 0' "$log" || true)" 0
}

@test "a stop that fails keeps no other from being stopped" {
	android android-14
	tc-parse --assume linux.ftrace -t WINDOW_MANAGER_TRACE -t IME -t SCHED </dev/null >targets.jsonl
	set_fact fail '1|cmd window tracing stop|cmd: cannot'
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 1
	is "$(sessions | tail -n 3)" 'WmLegacyTrace failed stop_failed
ImeLegacy stopped -
PerfettoTrace stopped -'
	is "$(files | grep -c moved)" 4
	is "$(files | head -n 1)" 'wm_trace missing not_found'
}

@test "a target that dies is noticed, and its file is saved all the same" {
	android
	targets -t SURFACE_FLINGER_TRACE -t SCREEN_RECORDING
	set_fact dies 'screenrecord 1500'
	tool got.out tc-session run --for 4s targets.jsonl
	ended 1
	is "$(sessions)" 'ScreenRecordingactive started -
PerfettoTrace started -
ScreenRecordingactive failed died
PerfettoTrace stopped -'
	diagnosed died ScreenRecordingactive
	is "$(files)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
	is "$(grep -c 'screenrecord has ended' "$log" || true)" 0
}

@test "when nothing runs any more, the run is over" {
	android
	targets -t SURFACE_FLINGER_TRACE
	set_fact dies 'perfetto 200'
	tool got.out timeout 20 tc-session run targets.jsonl
	ended 1
	is "$(sessions)" $'PerfettoTrace started -\nPerfettoTrace failed died'
}

@test "a trace with a duration ends by itself, and that is no failure" {
	android
	targets --duration 300ms -t SURFACE_FLINGER_TRACE
	tool got.out timeout 20 tc-session run targets.jsonl
	ended 0
	silent
	is "$(sessions)" $'PerfettoTrace started -\nPerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
	is "$(grep -c -e '^perfetto --attach' "$log" || true)" 0
}

@test "what cannot be copied stays where it is, and half a copy does not stay" {
	android
	set_fact no_root denied
	set_fact fail '1|cp -p *|cp: xwrite: No space left on device'
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 1
	is "$(files)" 'trace.perfetto-trace left_in_place copy_failed'
	is "$(jq -r 'select(.type == "file") | .path, .as, .error.text' got.out)" '/data/misc/perfetto-traces/winscope-proxy-trace.perfetto-trace
shell
cp: xwrite: No space left on device'
	[ -s dev/data/misc/perfetto-traces/winscope-proxy-trace.perfetto-trace ]
	is "$(ls "dev$folder")" run.json
}

@test "a file that still grows is copied again until it is whole" {
	android
	set_fact file_grows 1200
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	is "$(files)" 'trace.perfetto-trace moved -'
	[ ! -e dev/data/misc/perfetto-traces/winscope-proxy-trace.perfetto-trace ]
}

@test "a second match has a name of its own" {
	android android-14
	legacy -t WINDOW_MANAGER_TRACE
	mkdir -p dev/data/misc/wmtrace/more
	echo other >dev/data/misc/wmtrace/more/wm_trace.winscope
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	is "$(files)" $'wm_trace moved -\nwm_trace-2 moved -'
	is "$(cat "dev$folder"/wm_trace* | grep -ac other)" 1
	is "$(cat "dev$folder"/wm_trace* | grep -ac WINTRACE)" 1
}

@test "errors of find are told from files by its status" {
	android
	set_fact no_root denied
	legacy -t WAYLAND
	sed -i 's/su root //g' targets.jsonl
	set_fact wayland
	tool got.out tc-session run --for 100ms targets.jsonl
	is "$(files)" 'wl_trace missing not_found'
	has "$(jq -r 'select(.type == "file").error.text' got.out)" 'Permission denied'
	ended 1
}

@test "when nothing could be started, all is put back, and the device is free" {
	android
	targets -t SCREEN_RECORDING,displays=77,pointer_and_touches
	tool got.out tc-session start targets.jsonl
	ended 1
	is "$(sessions)" 'ScreenRecording77 failed start_failed'
	[ -z "$(ls dev/.state/settings/system)" ]
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
}

@test "a device whose adbd is root needs no su" {
	android
	set_fact adbd_root
	set_fact no_root missing
	targets -t SURFACE_FLINGER_TRACE
	tool started.out tc-session start targets.jsonl
	ended 0
	is "$(jq -r 'select(.type == "session").as' started.out)" adbd
	tool got.out tc-session stop started.out
	ended 0
	is "$(files)" 'trace.perfetto-trace moved -'
	is "$(jq -r 'select(.type == "file").as' got.out)" adbd
	is "$(grep -c '^su' "$log" || true)" 0
}

@test "a folder that is full: what does not fit stays where it is" {
	android
	gone
	set_fact disk_full "/data/local/tmp 64k"
	serve
	head -c 300000 /dev/zero >>dev/.control/trace
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 1
	is "$(files)" 'trace.perfetto-trace left_in_place copy_failed'
	has "$(jq -r 'select(.type == "file").error.text' got.out)" 'No space left on device'
	cmp dev/data/misc/perfetto-traces/winscope-proxy-trace.perfetto-trace dev/.control/trace
}

@test "an output that cannot be written: what runs is stopped and saved, and the status is 74" {
	android
	targets -t SURFACE_FLINGER_TRACE
	run --separate-stderr timeout 30 bash -c 'tc-session run targets.jsonl >/dev/full'
	ended 74
	cmp "dev$folder/trace.perfetto-trace" dev/.control/trace
}

# ---- settings, recordings ----

@test "settings that a target changed are as before, also when they were not set" {
	android
	set_fact screen on
	"$ROOT/tests/fake/android/enter" dev /bin/sh -c 'settings put system show_touches 1'
	tc-parse --assume none -t SCREEN_RECORDING -t VIEW_CAPTURE </dev/null >targets.jsonl
	"$ROOT/tests/fake/android/enter" dev /bin/sh -c 'su root settings put global view_capture_enabled 1'
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	is "$(cat dev/.state/settings/system/show_touches)" 1
	[ ! -e dev/.state/settings/system/pointer_location ]
	is "$(cat dev/.state/settings/global/view_capture_enabled)" 1
	is "$(jq -c 'select(.state == "stopped") | .restore | map("\(.key)=\(.value)")' got.out)" \
		'["show_touches=1","pointer_location=null"]
["view_capture_enabled=1"]'
}

@test "a recording has no time limit, and only ours is stopped" {
	android
	"$ROOT/tests/fake/android/enter" dev /bin/sh -c 'screenrecord --time-limit 0 /data/local/tmp/other.mp4 >/dev/null 2>&1 & echo $!' >other
	targets -t SCREEN_RECORDING
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	has "$(grep -h screenrecord dev/.calls)" 'screenrecord --time-limit 0 --bugreport --bit-rate 8M /data/local/tmp/screen_active.mp4'
	! records "$(jq -r 'select(.state == "stopped").pids[0]' got.out)"
	kill -0 "$(cat other)"
	kill -INT "$(cat other)"
	grep -qa moov "dev$folder/screen_recording_active"
}

@test "a recorder that ends after three minutes is followed by another" {
	android android-12
	# It takes less here: a limit that the recorder is given.
	targets -t SCREEN_RECORDING
	sed -i 's/screenrecord --bugreport/screenrecord --time-limit 1 --bugreport/' targets.jsonl
	tool got.out tc-session run --for 2500ms targets.jsonl
	ended 0
	silent
	is "$(files)" 'screen_recording_active moved -
screen_recording_active-2 moved -
screen_recording_active-3 moved -'
	is "$(jq -r 'select(.type == "file").origin' got.out)" '/data/local/tmp/screen_active.1.mp4
/data/local/tmp/screen_active.2.mp4
/data/local/tmp/screen_active.mp4'
	for file in "dev$folder"/screen_recording_active*; do
		grep -qa moov "$file"
	done
}

@test "a recording that cannot start says why" {
	android
	targets -t SCREEN_RECORDING,displays=77
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 1
	is "$(sessions)" 'ScreenRecording77 failed start_failed'
	has "$(jq -r 'select(.type == "session").error.text' got.out)" 'Invalid physical display'
	is "$(ls dev/data/local/tmp)" last_winscope_tracing_session
}

# ---- signals ----

# running FILE: all that was to be started is.
running() {
	until_true has_started "$1"
}

has_started() {
	[ "$(grep -c '^{"type":"session"' "$1")" -ge "$(grep -c '^{"type":"target"' targets.jsonl)" ]
}

@test "Ctrl-C at a pipe stops, saves, and all of it gets through" {
	android
	targets -t SURFACE_FLINGER_TRACE -t SCREEN_RECORDING
	background bash -c 'tc-session run targets.jsonl 2>err.jsonl | tc-jank --ignore-upstream >got.out; exit "${PIPESTATUS[0]}"'
	until_true test -s "dev/data/misc/perfetto-configs/winscope-proxy-trace.conf"
	until_true grep -q '"state":"started".*"pids"' "dev$folder/run.json"
	kill -INT -- "-$group"
	# The shell that made the pipe has the signal's status; the tools went on.
	wait "$group" || true
	until_true grep -q '"type":"end","tool":"tc-jank"' got.out
	is "$(sessions | tail -n 2)" $'ScreenRecordingactive stopped -\nPerfettoTrace stopped -'
	is "$(files)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
	is "$(jq -r 'select(.type == "end" and .tool == "tc-session").status' got.out)" 0
	is "$(cat err.jsonl)" ''
}

@test "SIGTERM and SIGHUP end a run as Ctrl-C does, and the status is that of the work" {
	android
	targets -t SURFACE_FLINGER_TRACE
	for signal in INT TERM HUP; do
		background tc-session run targets.jsonl >got.out 2>err.jsonl
		running got.out
		kill "-$signal" "$group"
		ends "$group" 0
		is "$(files)" 'trace.perfetto-trace moved -'
		is "$(cat err.jsonl)" ''
		tool recovered.out tc-session recover
	done
}

@test "the second signal gives up, and names what is left and how to get it" {
	android
	targets -t SURFACE_FLINGER_TRACE -t SCREEN_RECORDING
	set_fact hang 'perfetto --attach*'
	background tc-session run targets.jsonl >got.out 2>err.jsonl
	running got.out
	kill -INT "$group"
	until_true grep -q -e '^perfetto --attach' "$log"
	sleep 0.2
	is "$(cat err.jsonl)" ''
	kill -INT "$group"
	ends "$group" 130
	stderr=$(cat err.jsonl)
	mapfile -t stderr_lines <err.jsonl
	diagnosed left_behind "still running: PerfettoTrace; tc-session -d $TC_DEVICE recover"
	is "$(sessions | tail -n 2)" $'ScreenRecordingactive stopped -\nPerfettoTrace lost gave_up'
	is "$(files)" 'screen_recording_active left_in_place gave_up
trace.perfetto-trace left_in_place gave_up'
	# And it can be got.
	rm dev/.control/hang
	tool got.out tc-session recover
	is "$(files)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
}


@test "a signal while targets are started stops those that were" {
	android android-14
	set_fact slow '700|ime'
	tc-parse --assume linux.ftrace -t WINDOW_MANAGER_TRACE -t IME -t SCHED </dev/null >targets.jsonl
	background tc-session run targets.jsonl >got.out 2>err.jsonl
	until_true grep -q 'ime tracing start' "$log"
	kill -TERM "$group"
	ends "$group" 1
	is "$(sessions)" 'WmLegacyTrace started -
ImeLegacy started -
PerfettoTrace failed interrupted
WmLegacyTrace stopped -
ImeLegacy stopped -'
	[ -z "$(ls dev/.state/on)" ]
}

@test "the reader of the output goes: what runs is stopped and saved, and the status is 141" {
	android
	targets -t SURFACE_FLINGER_TRACE
	background bash -c 'tc-session run targets.jsonl 2>err.jsonl | head -n 1 >got; exit "${PIPESTATUS[0]}"'
	ends "$group" 141
	is "$(cat err.jsonl)" ''
	cmp "dev$folder/trace.perfetto-trace" dev/.control/trace
	"$ROOT/tests/fake/android/enter" dev /bin/sh -c 'perfetto --is_detached=WINSCOPE-PROXY-TRACING-SESSION; echo $?' | grep -qx 2
	# While it waits, too.
	tool got.out tc-session recover
	background bash -c 'tc-session run targets.jsonl 2>err.jsonl | sed /\"started\"/q >got; exit "${PIPESTATUS[0]}"'
	ends "$group" 141
	is "$(cat err.jsonl)" ''
	tool got.out tc-session recover
	background bash -c 'tc-session start targets.jsonl 2>err.jsonl | { exec <&-; sleep 2; }; exit "${PIPESTATUS[0]}"'
	ends "$group" 141
	[ "$(ls "dev$folder")" = $'run.json\ntrace.perfetto-trace' ]
}

# ---- a device that is lost ----

@test "a device that is lost comes back, and all goes on" {
	android
	targets -t SURFACE_FLINGER_TRACE
	background tc-session run targets.jsonl >got.out 2>err.jsonl
	running got.out
	gone
	until_true grep -q '"state":"lost"' got.out
	serve
	until_true eval '[ $(grep -c \"state\":\"started\" got.out) = 2 ]'
	kill -INT "$group"
	ends "$group" 0
	is "$(sessions)" 'PerfettoTrace started -
PerfettoTrace lost -
PerfettoTrace started -
PerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
	is "$(jq -r .code err.jsonl)" $'lost\nback'
}

@test "a device that does not come back in time: what is on it is left, and said" {
	android
	targets -t SURFACE_FLINGER_TRACE
	background tc-session run --wait 700ms targets.jsonl >got.out 2>err.jsonl
	running got.out
	gone
	ends "$group" 69
	is "$(sessions)" 'PerfettoTrace started -
PerfettoTrace lost -
PerfettoTrace lost gone'
	is "$(files)" 'trace.perfetto-trace left_in_place gone'
	has "$(jq -r 'select(.type == "error").text' got.out)" "tc-session -d $TC_DEVICE recover"
	serve
	tool got.out tc-session recover
	ended 0
	is "$(sessions)" 'PerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
}

@test "a device that is lost while it stops, too" {
	android
	targets -t SURFACE_FLINGER_TRACE
	set_fact slow '1500|perfetto --attach*'
	background tc-session run targets.jsonl >got.out 2>err.jsonl
	running got.out
	kill -INT "$group"
	until_true grep -q -e '^perfetto --attach' "$log"
	gone
	serve
	ends "$group" 0
	is "$(sessions | tail -n 1)" 'PerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
}

@test "a device that is lost while a target starts: it is stopped, and its file is looked for" {
	android
	targets -t SURFACE_FLINGER_TRACE
	set_fact slow '1500|perfetto --out*'
	background tc-session run --for 300ms targets.jsonl >got.out 2>err.jsonl
	until_true grep -q -e '^cat << EOF' "$log"
	gone
	serve
	ends "$group" 1
	is "$(sessions | tail -n 2)" $'PerfettoTrace failed gone\nPerfettoTrace failed gone'
	grep -q -e '^perfetto --attach.*--stop' "$log"
	is "$(files)" 'trace.perfetto-trace missing not_found'
}

@test "a device that was never there: the status is its own" {
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session -d tcp:127.0.0.1:1 run --for 1s targets.jsonl
	ended 69
	diagnosed not_found 127.0.0.1
	is "$(sessions)" 'PerfettoTrace failed not_found'
	is "$(jq -r 'select(.type == "error").code' got.out)" not_found
	jq -c '.device = "tcp:127.0.0.1:1"' "$DATA/records/session.jsonl" | head -n 1 >in
	tool got.out tc-session stop in
	ended 69
	is "$(sessions | tail -n 1)" 'ScreenRecordingactive lost not_found'
}

# ---- one run at a time ----

@test "two runs on one device: the second is told, and the first goes on" {
	android
	targets -t SURFACE_FLINGER_TRACE
	background tc-session run targets.jsonl >got.out 2>err.jsonl
	running got.out
	tool second.out tc-session run --for 1s targets.jsonl
	ended 75
	diagnosed busy "is going on; tc-session -d $TC_DEVICE recover"
	is "$(sessions second.out)" 'PerfettoTrace failed busy'
	kill -INT "$group"
	ends "$group" 0
	is "$(files)" 'trace.perfetto-trace moved -'
	# It was not pulled either.
	tool second.out tc-session start targets.jsonl
	ended 75
	diagnosed busy 'was not pulled'
	cmp "dev$folder/trace.perfetto-trace" dev/.control/trace
}

@test "of many starts at once on one device one goes on" {
	android
	targets -t SURFACE_FLINGER_TRACE
	for n in 1 2 3 4 5; do
		background tc-session start targets.jsonl >"$n.out" 2>"$n.err"
		jobs[n]=$group
	done
	for n in 1 2 3 4 5; do
		wait "${jobs[n]}" || true
	done
	is "$(cat ./[1-5].out | jq -r 'select(.type == "session").state' | sort | uniq -c | tr -s ' ')" \
		$' 4 failed\n 1 started'
	is "$(cat ./[1-5].out | jq -r 'select(.type == "error").code' | sort -u)" busy
	[ ! -e dev/data/local/tmp/.last_winscope_tracing_session.lock ]
}

@test "after recover, and after a pull, the device is free again" {
	android
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session run --for 100ms targets.jsonl
	tool got.out tc-session recover
	ended 0
	is "$(sessions)" ''
	is "$(files)" 'trace.perfetto-trace moved -'
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	sed -i 's/"progress":"unpulled"/"progress":"pulled"/' "dev$folder/run.json"
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
}

@test "--discard stops what a dropped run left, and forgets its files" {
	android
	targets -t SURFACE_FLINGER_TRACE -t SCREEN_RECORDING
	tool got.out tc-session start targets.jsonl
	ended 0
	pid=$(jq -r 'select(.type == "session").pids[0] // empty' got.out)
	records "$pid"
	targets -t TRANSACTIONS
	tool got.out tc-session run --discard --for 100ms targets.jsonl
	ended 0
	! records "$pid"
	is "$(files)" 'trace.perfetto-trace moved -'
	is "$(ls "dev$folder")" $'run.json\ntrace.perfetto-trace'
	# One that cannot be read, and a start that was cut off, give way too.
	echo '{"type":"run' >"dev$folder/run.json"
	mkdir dev/data/local/tmp/.last_winscope_tracing_session.lock
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 75
	tool got.out tc-session run --discard --for 100ms targets.jsonl
	ended 0
}

@test "a trace of Winscope that was left running gives way" {
	android
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session start targets.jsonl
	rm "dev$folder/run.json"
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	is "$(files)" 'trace.perfetto-trace moved -'
}

@test "recover ends what a run that was killed left, and saves it" {
	android android-14
	tc-parse --assume linux.ftrace -t WINDOW_MANAGER_TRACE -t SCREEN_RECORDING -t SCHED </dev/null >targets.jsonl
	background tc-session run targets.jsonl >killed.out 2>err.jsonl
	running killed.out
	kill -KILL "$group"
	wait "$group" || true
	"$ROOT/tests/fake/android/enter" dev /bin/sh -c 'settings put system show_touches 1'
	tool got.out tc-session recover
	ended 0
	silent
	is "$(sessions)" 'WmLegacyTrace stopped -
ScreenRecordingactive stopped -
PerfettoTrace stopped -'
	is "$(files)" 'wm_trace moved -
screen_recording_active moved -
trace.perfetto-trace moved -'
	[ ! -e dev/.state/settings/system/show_touches ]
	is "$(jq -r 'select(.type == "session").id' killed.out got.out | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
	# Again: nothing runs, the files are named, also those that nobody knows.
	echo x >"dev$folder/other"
	tool got.out tc-session recover
	ended 0
	is "$(sessions)" ''
	is "$(files)" 'wm_trace moved -
screen_recording_active moved -
trace.perfetto-trace moved -
other moved -'
}

@test "a probe, a plan, a capture: one pipe, and its files" {
	android
	tool got.out bash -c 'set -o pipefail; tc-session probe | tc-parse -p winscope | tc-session run --for 200ms | jq -c .'
	ended 0
	silent
	is "$(jq -r 'select(.type == "tool").tool' got.out)" $'tc-session\ntc-parse\ntc-session'
	is "$(files | sort)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
}

@test "on a terminal it says that it records, and until when" {
	needs_terminal
	android
	targets -t SURFACE_FLINGER_TRACE
	script -qec 'tc-session run --for 200ms targets.jsonl >got.out' /dev/null </dev/null >screen
	is "$(tr -d '\r' <screen)" "tc-session: note: recording on $TC_DEVICE for 0.2 s: Ctrl-C stops and saves"
	tc-session probe >device.out
	cat device.out targets.jsonl >both.jsonl
	script -qec 'tc-session run --discard --for 1s both.jsonl >got.out' /dev/null </dev/null >screen
	is "$(tr -d '\r' <screen)" "tc-session: note: recording on $(jq -r 'select(.type == "device").model' device.out) for 1 s: Ctrl-C stops and saves"
}

@test "on a terminal it names only the devices on which it records" {
	needs_terminal
	android
	other=tcp:127.1:$port
	targets -t SURFACE_FLINGER_TRACE
	# By its second name, the device has a run already.
	for device in "$TC_DEVICE" "$other"; do
		only target targets.jsonl | jq -c --arg d "$device" '.device = $d'
	done >both.jsonl
	run script -qec 'tc-session run --for 200ms both.jsonl >got.out' /dev/null </dev/null
	is "$status" 1
	is "${output%$'\r'}" "tc-session: note: recording on $TC_DEVICE for 0.2 s: Ctrl-C stops and saves"
	is "$(jq -r 'select(.type == "error").code' got.out)" busy
}

@test "recover on a device without a run" {
	android
	tool got.out tc-session recover
	ended 0
	diagnosed nothing 'no run'
	is "$(between got.out)" ''
}

@test "tc-jank tells that something was not captured, and not that a device came back" {
	sed -n 1p "$DATA/records/session.jsonl" >good
	jq -c '.state = "lost"' good >lost
	jq -c '.id = "other"' lost >other
	tool got.out tc-jank lost lost good
	ended 0
	tool got.out tc-jank lost other good
	ended 1
	tool got.out tc-jank good lost
	ended 1
}

@test "the real adbd: a trace and a recording" {
	TC_BUILD=$BUILD "$ROOT/tests/fake/android/setup" root
	"$ROOT/tests/fake/android/enter" root true || skip 'no user and mount namespaces here'
	targets -t SURFACE_FLINGER_TRACE -t SCREEN_RECORDING
	ENTER=$ROOT/tests/fake/android/enter with_adbd \
		"cd '$TMP'"' && tc-session -d $device run --for 1500ms targets.jsonl >got.out; echo "status $?"'
	ended 0
	is "$output" 'status 0'
	is "$(files)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
	grep -qa moov "root$folder/screen_recording_active"
	cmp "root$folder/trace.perfetto-trace" root/.control/trace
}

# ended_itself: the session of Perfetto is over.
ended_itself() {
	[ "$("$ROOT/tests/fake/android/enter" dev /bin/sh -c \
		'perfetto --is_detached=WINSCOPE-PROXY-TRACING-SESSION; echo $?')" = 2 ]
}

@test "a trace that has ended by itself is no failure to stop, nor to recover" {
	android
	targets --duration 300ms -t SURFACE_FLINGER_TRACE
	tool started.out tc-session start targets.jsonl
	ended 0
	until_true ended_itself
	tool got.out tc-session stop started.out
	ended 0
	is "$(sessions | tail -n 1)" 'PerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
	tool started.out tc-session start --discard targets.jsonl
	ended 0
	until_true ended_itself
	tool got.out tc-session recover
	ended 0
	is "$(sessions)" 'PerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
}

# ---- start now, stop later ----

@test "start and stop, with nothing but the records between them" {
	android
	targets -t SURFACE_FLINGER_TRACE -t SCREEN_RECORDING
	tool started.out tc-session start targets.jsonl
	ended 0
	is "$(jq -r .progress "dev$folder/run.json")" running
	# From the records alone: nothing that starts it, the device by its record.
	only session started.out >in
	tool got.out tc-session stop in
	ended 0
	silent
	is "$(sessions | tail -n 2)" $'ScreenRecordingactive stopped -\nPerfettoTrace stopped -'
	is "$(files)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
	is "$(jq -r .progress "dev$folder/run.json")" unpulled
	# A second time, the records say that it is done.
	tool again.out tc-session stop got.out
	ended 0
	is "$(files again.out | sort -u)" "$(files | sort)"
}

@test "stop of one session leaves the others of the run as they are" {
	android android-14
	legacy -t WINDOW_MANAGER_TRACE -t IME
	tool started.out tc-session start targets.jsonl
	only session started.out | head -n 1 >in
	tool got.out tc-session stop in
	ended 0
	is "$(sessions | tail -n 1)" 'WmLegacyTrace stopped -'
	is "$(ls dev/.state/on)" ime
	is "$(jq -r .progress "dev$folder/run.json")" running
	tool got.out tc-session recover
	ended 0
	is "$(sessions)" 'ImeLegacy stopped -'
	[ -z "$(ls dev/.state/on)" ]
}

@test "stop of a run that lost the folder to another takes and ends nothing of that one" {
	android
	targets -t SURFACE_FLINGER_TRACE
	tool one.out tc-session start targets.jsonl
	only session one.out >in
	tool two.out tc-session start --discard targets.jsonl
	ended 0
	other=$(jq -r 'select(.type == "session").run' two.out)
	tool got.out tc-session stop in
	ended 1
	is "$(sessions | tail -n 1)" 'PerfettoTrace lost other_run'
	is "$(files)" 'trace.perfetto-trace missing other_run'
	is "$(jq -r 'select(.type == "error") | .code + ": " + .text' got.out)" "other_run: the folder is of run $other now"
	diagnosed other_run "$other"
	# That one goes on, as it is known on the device, and is stopped and saved.
	is "$(jq -r '.run + " " + .progress' "dev$folder/run.json")" "$other running"
	only session two.out >>in
	tool both.out tc-session stop in
	ended 1
	is "$(sessions both.out | tail -n 1)" 'PerfettoTrace stopped -'
	is "$(files both.out)" 'trace.perfetto-trace missing other_run
trace.perfetto-trace moved -'
	cmp "dev$folder/trace.perfetto-trace" dev/.control/trace
	is "$(jq -r '[.run, .progress, (.sessions[].run)] | join(" ")' "dev$folder/run.json")" "$other unpulled $other"
	# When both have ended, too.
	head -n 1 in | jq -c '.state = "stopped"' >stopped
	tool got.out tc-session stop stopped
	ended 1
	is "$(files)" 'trace.perfetto-trace missing other_run'
}

@test "several devices in one stream, of which one is not there" {
	android
	first=$TC_DEVICE
	mv dev first
	port=0
	rm -f port
	android
	{
		tc-parse --assume all -t SURFACE_FLINGER_TRACE </dev/null | only target - | jq -c --arg d "$TC_DEVICE" '.device = $d'
		tc-parse --assume all -t SURFACE_FLINGER_TRACE </dev/null | only target - | jq -c '.device = "tcp:127.0.0.1:1"'
	} >targets.jsonl
	tool got.out tc-session -d tcp:127.0.0.1:2 run --for 100ms targets.jsonl
	ended 1
	is "$(jq -r 'select(.type == "session") | "\(.device) \(.state)"' got.out)" "$TC_DEVICE started
tcp:127.0.0.1:1 failed
$TC_DEVICE stopped"
}

@test "ten targets cost no more commands than their own, and a few for all" {
	android android-14
	legacy -t WINDOW_MANAGER_TRACE -t IME -t TRANSITIONS -t PROTO_LOG -t TRANSACTIONS -t VIEW_CAPTURE
	n=$(jq -s 'map(select(.type == "target") | (.setup | length) + 1) | add' targets.jsonl)
	tool started.out tc-session start targets.jsonl
	ended 0
	# Settings, the folder, and the note that all is started.
	is "$(wc -l <"$log")" $((n + 3))
	rm "$log"
	tool got.out tc-session stop started.out
	ended 0
	is "$(grep -c '^su root.*stop\|^su root service call\|^su root sh' "$log")" 6
	is "$(sed -n '/id -u/q; p' "$log" | wc -l)" $((6 + 3))
}

# ---- what every tool does ----

@test "records of other types pass, and what is malformed or cannot be run does not" {
	echo '{"type":"zebra","n":[1, 2]}' >in
	tool got.out tc-session run --dry-run in
	ended 0
	between got.out | cmp in
	: >empty
	for mode in run start stop dump; do
		tool got.out tc-session $mode empty
		ended 0
		is "$(between got.out)" ''
		run --separate-stderr bash -c "tc-session $mode --dry-run in >/dev/full"
		ended 74
	done
	for bad in '{"type":"target"' '{"type":"target","name":"a/b"}' \
		'{"type":"target","name":"a","mode":"trace","setup":[],"start":"x","stop":"","files":[{"path":"x","match":[],"dest":"x"}]}' \
		'{"type":"target","name":"a","mode":"trace","setup":[],"start":"x","stop":"","files":[{"path":"/x","match":[],"dest":"../x"}]}' \
		'{"type":"target","name":"a","mode":"dump","setup":[],"start":"x","stop":"","files":[]}'; do
		{ cat in; echo "$bad"; } >bad
		tool got.out tc-session run --dry-run bad
		ended 65
		diagnosed malformed bad:2
		tool got.out tc-session run -k --dry-run bad
		ended 65
	done
	# The last of them, and its like, are for the other mode, which is told.
	diagnosed malformed 'mode is not trace: tc-session dump is'
	sed 's/"dump"/"trace"/' bad >other
	tool got.out tc-session dump --dry-run other
	ended 65
	diagnosed malformed 'mode is not dump: tc-session run'
	for bad in '{"type":"session","id":"a","state":"started","target":null}' \
		'{"type":"session","id":"","state":"started","target":{"name":"a","setup":[],"start":"x","stop":"","files":[]}}'; do
		echo "$bad" >bad
		tool got.out tc-session stop --dry-run bad
		ended 65
	done
	tool got.out tc-session run none
	ended 66
	for args in '--for 10x run' '--for 1s start' '--wait 1s dump' '--discard stop' 'recover in' '--for 0 run'; do
		# shellcheck disable=SC2086 # words
		tool got.out tc-session $args </dev/null
		ended 2
		diagnosed usage ''
	done
}

@test "with -v each command and what came of it is told" {
	android
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session -v run --for 100ms targets.jsonl
	ended 0
	is "$(jq -r 'select(.code == "command").msg | split(":")[0]' <<<"$stderr" | tr '\n' ' ')" \
		'prepare start ready note stop root find copy delete note '
	is "$(jq -r 'select(.code == "result").msg' <<<"$stderr" | grep -c 'status 0')" 10
}

@test "through an adb server, and a device that speaks an old shell" {
	adb_server
	android
	connected
	targets -t SURFACE_FLINGER_TRACE -t SCREEN_RECORDING
	TC_DEVICE='' tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	silent
	is "$(files)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
	is "$(jq -r 'select(.type == "file").device' got.out | sort -u)" "adb:$serial"
	tool got.out tc-session -d "adb:$serial" recover
	gone
	serve --features ''
	tool got.out tc-session run --for 100ms targets.jsonl
	ended 0
	silent
	is "$(files)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
}
@test "a third signal ends what waits for a reader that does not read" {
	android
	targets -t SURFACE_FLINGER_TRACE
	mkfifo full
	exec 5<>full
	head -c 65536 /dev/zero >&5
	background bash -c 'exec tc-session run targets.jsonl >full 2>err.jsonl 5>&-'
	until_true grep -qs '"state":"started"' "dev$folder/run.json"
	kill -INT "$group"
	sleep 0.1
	kill -INT "$group"
	sleep 0.1
	kill -0 "$group"
	kill -INT "$group"
	ends "$group" 130
	exec 5>&-
}

@test "after a signal no other device is opened" {
	android
	set_fact slow '1500|perfetto --out*'
	for device in "$TC_DEVICE" tcp:127.0.0.1:1; do
		tc-parse --assume all -t SURFACE_FLINGER_TRACE </dev/null | only target - | jq -c --arg d "$device" '.device = $d'
	done >targets.jsonl
	background tc-session run targets.jsonl >got.out 2>err.jsonl
	until_true grep -q '^cat << EOF' "$log"
	kill -INT "$group"
	ends "$group" 1
	# Where it was tried, it was not found.
	is "$(sessions)" 'PerfettoTrace started -
PerfettoTrace failed interrupted
PerfettoTrace stopped -'
	is "$(jq -r 'select(.type == "error").code' got.out)" interrupted
	is "$(files)" 'trace.perfetto-trace moved -'
}

@test "a setting of any length is kept in run.json, and put back" {
	android
	targets -t SCREEN_RECORDING
	mkdir -p dev/.state/settings/system
	long=$(head -c 30000 /dev/zero | tr '\0' '"')
	printf '%s\n' "$long" >dev/.state/settings/system/show_touches
	tool got.out tc-session start targets.jsonl
	ended 0
	is "$(jq -r '.sessions[0].restore[] | select(.key == "show_touches").value' "dev$folder/run.json")" "$long"
	is "$(cat dev/.state/settings/system/show_touches)" 0
	tool got.out tc-session recover
	ended 0
	is "$(cat dev/.state/settings/system/show_touches)" "$long"
}

@test "a signal before anything is started ends it at once" {
	android
	mkfifo fifo
	background tc-session run fifo >got.out 2>err.jsonl
	exec 5>fifo
	head -n 2 <(tc-parse --assume all -t IME </dev/null) >&5
	sleep 0.3
	kill -INT "$group"
	exec 5>&-
	ends "$group" 130
	[ ! -s "$log" ]
}

@test "what could not be stopped is not moved from under its writer, and recover ends it" {
	android
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session start targets.jsonl
	ended 0
	set_fact no_perfetto
	tool stopped.out tc-session stop got.out
	ended 1
	is "$(sessions stopped.out | tail -n 1)" 'PerfettoTrace failed stop_failed'
	is "$(jq -r 'select(.type == "session").stopped_at' stopped.out | tail -n 1)" null
	is "$(files stopped.out)" 'trace.perfetto-trace left_in_place still_running'
	rm dev/.control/no_perfetto
	tool recovered.out tc-session recover
	ended 0
	is "$(sessions recovered.out)" 'PerfettoTrace stopped -'
	is "$(files recovered.out)" 'trace.perfetto-trace moved -'
	is "$(ls dev/.state/sessions)" ''
}

@test "a session that could not be stopped is stopped later, whatever had kept it" {
	android
	targets -t SURFACE_FLINGER_TRACE
	tool got.out tc-session start targets.jsonl
	ended 0
	only session got.out |
		jq -c '.state = "failed" | .error = { code: "timed_out", text: "it does not end" }' >in
	tool got.out tc-session stop in
	ended 0
	is "$(sessions | tail -n 1)" 'PerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
}
