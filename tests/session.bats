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

# transcript: what reached the device, without the numbers of processes.
transcript() {
	sed -E "s/\\b(kill -0|p=|kill -2) ?[0-9]+/\\1 PID/g" "$log"
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
