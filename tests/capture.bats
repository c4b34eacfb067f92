# The whole chain on the made-up Android device: from what the device says to the
# verdict, whatever happens to it at whichever stage.
load helper
load peers

folder=/data/local/tmp/last_winscope_tracing_session
origin=dev/data/misc/perfetto-traces/winscope-proxy-trace.perfetto-trace

setup() {
	cd "$TMP"
	unset TC_DEVICE ANDROID_SERIAL
}

teardown() {
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	all_records_valid
}

# android [PROFILE]: such a device in $TMP/dev, which plays a trace with late frames.
android() {
	TC_BUILD=$BUILD "$ROOT/tests/fake/android/setup" dev "$@"
	"$ROOT/tests/fake/android/enter" dev true || skip 'no user and mount namespaces here'
	mkscene -s 3 >dev/.control/trace
	"$ROOT/tests/fake/android/enter" dev fakeadbd --port-file "$TMP/port" \
		--control "$TMP/faults" >fake.log 2>&1 3>&- </dev/null &
	pids+=($!)
	until_true test -s port
	export TC_DEVICE=tcp:127.0.0.1:$(cat port)
}

# set_no_perfetto: it is gone from the device.
set_no_perfetto() {
	: >dev/.control/no_perfetto
}

# verdict FILE: what tc-jank found, without where the trace came from.
verdict() {
	only 'jank_frame|jank_stats' "$1"
}

# wanted_verdict TRACE
wanted_verdict() {
	tc-import "$1" | tc-jank --app com.example.app >wanted.out
	verdict wanted.out >wanted
	[ -s wanted ]
}

@test "the whole pipe: what the device played is pulled, imported and judged" {
	android
	tc-session probe | tc-parse -p jank -a com.example.app | tc-session run --for 1s |
		tc-pull -o out | tc-import | tc-jank --app com.example.app >got.out
	cmp dev/.control/trace out/trace.perfetto-trace
	wanted_verdict out/trace.perfetto-trace
	verdict got.out | same wanted -
	is "$(jq -r 'select(.type == "tool").tool' got.out | tr '\n' ' ')" \
		'tc-jank tc-import tc-pull tc-session tc-parse tc-session '
	is "$(jq -r 'select(.type == "end").status' got.out | sort -u)" 0
	is "$(jq -r 'select(.type == "session").state' got.out | tr '\n' ' ')" 'started stopped '
	is "$(jq -r 'select(.type == "artifact") | [.kind, .path, .session] | @tsv' got.out)" \
		"perfetto	out/trace.perfetto-trace	$(jq -r 'select(.type == "trace").session' got.out)"
	[ ! -e "$origin" ]
}

@test "the same pipe again and again: each run has a folder of its own" {
	android
	for _ in 1 2 3; do
		tc-session probe | tc-parse -p jank | tc-session run --for 200ms |
			tc-pull -o out --name '{run}/{dest}' | tc-import | tc-jank >got.out
	done
	is "$(find out -name trace.perfetto-trace | wc -l)" 3
	# What was not pulled is in the way, until it is recovered.
	tc-parse --assume all -p jank </dev/null | tc-session run --for 200ms >/dev/null
	tool got.out bash -c 'set -o pipefail; tc-parse --assume all -p jank </dev/null | tc-session run --for 200ms'
	ended 75
	tc-session recover | tc-pull -o out --name '{run}/{dest}' | tc-import | tc-jank >got.out
	is "$(find out -name trace.perfetto-trace | wc -l)" 4
	tc-session probe | tc-parse -p jank | tc-session run --for 200ms >got.out
}

@test "Ctrl-C at the whole pipe: everything captured is pulled, imported and judged" {
	android
	background bash -c 'tc-session probe | tc-parse -p jank -a com.example.app |
		tc-session run 2>run.err | tc-pull -o out | tc-import | tc-jank --app com.example.app >got.out'
	# Before the start is done, run.json has no time of it, or nothing yet, which is no
	# failure to jq -e before 1.7.
	until_true eval 'jq -en "input.sessions[0].started_at" "dev$folder/run.json" >started 2>&1'
	kill -INT -- "-$group"
	wait "$group" || true
	until_true grep -q '"type":"end","tool":"tc-jank"' got.out
	cmp dev/.control/trace out/trace.perfetto-trace
	wanted_verdict out/trace.perfetto-trace
	verdict got.out | same wanted -
	is "$(jq -r 'select(.type == "end").status' got.out | sort -u)" 0
	[ ! -s run.err ]
}

# ---- examples ----

@test "capture.sh captures, judges and lists the late frames, also after Ctrl-C" {
	android
	"$ROOT/examples/capture.sh" com.example.app 1 >late
	wanted_verdict com.example.app-*/trace.perfetto-trace
	is "$(wc -l <late)" "$(jq 'select(.type == "jank_frame" and .end_delta_ms > 0).actual_id' wanted.out | wc -l)"
	rm -r com.example.app-*
	background bash -c '"$1" com.example.app >late.again 2>err' - "$ROOT/examples/capture.sh"
	until_true eval "grep -qs '\"state\":\"started\"' com.example.app-*/jank.jsonl"
	kill -INT -- "-$group"
	wait "$group" || true
	until_true is_gone "$group"
	cmp late late.again
	set_no_perfetto
	run --separate-stderr "$ROOT/examples/capture.sh" com.example.app 1
	[ "$status" -ne 0 ]
	has "$stderr" 'not all went well'
	run --separate-stderr "$ROOT/examples/capture.sh"
	[ "$status" -ne 0 ]
	has "$stderr" usage
}

@test "trace.mk goes from the request to the verdict, and a failure stays one" {
	android
	run --separate-stderr make -f "$ROOT/examples/trace.mk" RUNS='one two' FOR=500ms
	ended 0
	[ -s out/one.tsv ]
	cmp out/one.tsv out/two.tsv
	run --separate-stderr make -f "$ROOT/examples/trace.mk" RUNS='one two' FOR=500ms
	has "$output" 'Nothing to be done'
	wanted_verdict traces/one/*/trace.perfetto-trace
	is "$(wc -l <out/one.tsv)" "$(tc-import traces/one/*/trace.perfetto-trace |
		tc-jank --app com.example.app --all | only jank_frame - | wc -l)"
	set_no_perfetto
	run --separate-stderr make -f "$ROOT/examples/trace.mk" RUNS=three FOR=500ms
	ended 2
}

@test "trace.mk with two runs makes one after the other, and takes none for another" {
	android
	run --separate-stderr make -j 4 -f "$ROOT/examples/trace.mk" RUNS='one two' FOR=300ms
	ended 0
	for name in one two; do
		is "$(jq -r 'select(.type == "artifact").run' "out/$name.files.jsonl")" "$(run_of "out/$name.session.jsonl")"
	done
	[ "$(run_of out/one.session.jsonl)" != "$(run_of out/two.session.jsonl)" ]
	# Pulled once more, after the next one took the folder.
	rm -r traces/one out/one.[fjt]*
	run --separate-stderr make -f "$ROOT/examples/trace.mk" RUNS='one two' FOR=300ms
	ended 2
	has "$stderr" other_run
	[ ! -e out/one.tsv ]
	[ -z "$(find traces/one -name trace.perfetto-trace 2>/dev/null)" ]
	[ -s out/one.session.jsonl ]
	# What is not pulled is in the way of the next.
	captured three 10000
	run --separate-stderr make -f "$ROOT/examples/trace.mk" RUNS=four FOR=300ms
	ended 2
	has "$stderr" 'trace.mk: four: the device is busy'
	[ ! -e out/four.session.jsonl ]
}

@test "trace.mk goes on from a capture that Ctrl-C ended" {
	android
	background make -f "$ROOT/examples/trace.mk" RUNS=one FOR=60s >make.log 2>&1
	until_true grep -qs '"state":"started"' out/one.session.jsonl
	kill -INT -- "-$group"
	wait "$group" || true
	until_true grep -qs '"type":"end"' out/one.session.jsonl
	run --separate-stderr make -f "$ROOT/examples/trace.mk" RUNS=one FOR=60s
	ended 0
	wanted_verdict traces/one/*/trace.perfetto-trace
	cmp traces/one/*/trace.perfetto-trace dev/.control/trace
}

# Through both ways, with a daemon that nobody here wrote.
@test "behind the real adbd: the whole chain, straight to it and through an adb server" {
	command -v adb >/dev/null || skip 'adb is not here'
	TC_BUILD=$BUILD "$ROOT/tests/fake/android/setup" root
	"$ROOT/tests/fake/android/enter" root true || skip 'no user and mount namespaces here'
	mkscene -s 2 >root/.control/trace
	mkdir home
	ENTER=$ROOT/tests/fake/android/enter with_adbd '
		chain() {
			tc-session probe | tc-parse -p jank -a com.example.app |
				tc-session run --for 500ms | tc-pull -o "$1" --delete | tc-import | tc-jank
			echo "status $?" >&2
		}
		cd '"$TMP"'
		export TC_DEVICE=$device
		chain straight >straight.out
		export HOME=$PWD/home ADB_USB=0 ADB_EMU=0 ADB_MDNS=0 ANDROID_ADB_SERVER_PORT=15037
		adb connect 127.0.0.1:15555 >/dev/null 2>&1
		TC_DEVICE=adb:127.0.0.1:15555
		chain served >served.out
		adb kill-server'
	ended 0
	is "$stderr" $'status 0\nstatus 0'
	for way in straight served; do
		cmp root/.control/trace $way/trace.perfetto-trace
		[ -n "$(verdict $way.out)" ]
		is "$(jq -r 'select(.type == "end").status' $way.out | sort -u)" 0
	done
}

@test "what is still written to is not pulled, and its run not given free" {
	android
	tc-session probe | tc-parse -p jank -a com.example.app | tc-session start >start.out
	set_no_perfetto
	tc-session stop start.out >stop.out || is $? 1
	rm dev/.control/no_perfetto
	tool pull.out tc-pull -o out stop.out
	ended 75
	is "$(jq -r 'select(.type == "error").code' pull.out)" still_running
	[ ! -e out/trace.perfetto-trace ]
	run --separate-stderr tc-session start start.out
	[ "$status" -eq 75 ]
	tc-session recover | tc-pull -o out | tc-import | tc-jank --app com.example.app >got.out
	wanted_verdict out/trace.perfetto-trace
	verdict got.out | same wanted -
	cmp dev/.control/trace out/trace.perfetto-trace
}

# captured NAME BYTES: a run from its start to its stop, in NAME.out, not pulled.
captured() {
	head -c "$2" /dev/urandom >dev/.control/trace
	tc-parse --assume all -t SURFACE_FLINGER_TRACE </dev/null | tc-session start "${@:3}" >"$1.started"
	only session "$1.started" | tc-session stop >"$1.out"
}

# run_of FILE: the id of its run.
run_of() {
	jq -r 'select(.type == "file").run' "$1" | head -n 1
}

# told_of_other FILE: no file of the run is taken, for the one reason.
told_of_other() {
	is "$(jq -r 'select(.type == "error").code' "$1")" other_run
	is "$(jq -r 'select(.type == "error").subject.run' "$1")" "$(run_of one.out)"
	diagnosed other_run "the folder is of run $(run_of two.out) now"
	is "$(only artifact "$1")" ''
	cmp dev/.control/trace "dev$folder/trace.perfetto-trace"
	is "$(jq -r '.run + " " + .progress' "dev$folder/run.json")" "$(run_of two.out) unpulled"
}

@test "the files of a run that has the folder now are not pulled for those of another" {
	android
	captured one 10000
	tool pull.out tc-pull -o a one.out
	ended 0
	captured two 10000
	for option in '' --delete '-j 4'; do
		tool again.out tc-pull $option -o b one.out
		ended 74
		told_of_other again.out
		[ -z "$(ls -A b 2>/dev/null)" ]
	done
	# Both in one stream: each has its own answer.
	cat one.out two.out | only file - >both
	tool both.out tc-pull -o c --name '{run}-{dest}' --delete both
	ended 1
	is "$(jq -r 'select(.type == "error").code' both.out)" other_run
	cmp dev/.control/trace "c/$(run_of two.out)-trace.perfetto-trace"
	is "$(ls c | wc -l)" 1
	[ ! -e "dev$folder/trace.perfetto-trace" ]
	is "$(jq -r .progress "dev$folder/run.json")" pulled
}

@test "without run.json the size tells a file from another; with it, too" {
	android
	captured one 10000
	mv "dev$folder/run.json" run.json
	tool pull.out tc-pull -o a one.out
	ended 0
	cmp dev/.control/trace a/trace.perfetto-trace
	head -c 9999 dev/.control/trace >"dev$folder/trace.perfetto-trace"
	for with in '' run.json; do
		[ -z "$with" ] || cp run.json "dev$folder/run.json"
		tool pull.out tc-pull -o b --delete one.out
		ended 74
		is "$(jq -r 'select(.type == "error").code' pull.out)" changed
		[ -e "dev$folder/trace.perfetto-trace" ]
	done
	is "$(jq -r .progress "dev$folder/run.json")" unpulled
	# Of what was left in place nobody knows the size.
	only file one.out | jq -c '.state = "left_in_place" | .bytes = null' >left
	tool pull.out tc-pull -o b left
	ended 0
}

@test "the last run is not pulled while it goes on, or was left" {
	android
	tc-parse --assume all -t SURFACE_FLINGER_TRACE </dev/null | tc-session start >one.out
	tool last.out tc-pull --last -o out
	ended 75
	diagnosed busy "run $(jq -r .run "dev$folder/run.json") is going on or was left: tc-session recover ends it"
	is "$(only 'file|artifact' last.out)" ''
	tc-session recover >recovered.out
	tool last.out tc-pull --last -o out
	ended 0
	cmp dev/.control/trace out/trace.perfetto-trace
}

# ---- every fault at every stage ----

# fault_on FAULT, fault_off: what the daemon does, or a file of the device's own.
fault_on() {
	case $1 in
	android:*=*) printf '%b\n' "${1#*=}" >"dev/.control/$(name=${1%%=*}; echo "${name#android:}")" ;;
	android:*) : >"dev/.control/${1#android:}" ;;
	*) printf '%s\n' "$1" >faults ;;
	esac
}

fault_off() {
	case $1 in
	android:*) rm -f "dev/.control/$(name=${1%%=*}; echo "${name#android:}")" ;;
	*) : >faults ;;
	esac
}

# step NAME FAULT COMMAND...: the stage NAME, with the fault if it is the one for it.
step() {
	local name=$1 fault=$2

	shift 2
	[ "$name" != "$stage" ] || fault_on "$fault"
	status=0
	timeout 60 "$@" 2>"$name.err" >"$name.out" || status=$?
	[ "$name" != "$stage" ] || fault_off "$fault"
	echo "$name $status" >>statuses
}

# said FILE...: something in there tells of a failure.
said() {
	cat "$@" | grep -qE '"type":"(error|notice)"|"state":"(failed|lost|missing|left_in_place)"|"level":"error"|"error":\{"code"'
}

# nothing_runs: on the device, of what was started.
nothing_runs() {
	local pid

	for pid in dev/.state/processes/*; do
		[ ! -e "$pid" ] || ! kill -0 "${pid##*/}" 2>/dev/null || return 1
	done
	is "$(ls dev/.state/sessions)" ''
}

# chain_with STAGE FAULT: whatever happens, what was captured comes back in the end.
chain_with() {
	local stage=$1 fault=$2 status

	rm -rf dev/data/local/tmp/* out statuses ./*.out ./*.err
	tc-session probe >probe.in
	: >statuses
	step probe "$fault" tc-session probe
	[ "$stage" != probe ] || cp probe.in probe.out
	tc-parse -p jank -a com.example.app probe.out >parse.out
	step start "$fault" tc-session start parse.out
	step stop "$fault" tc-session stop --wait 5s start.out
	step pull "$fault" tc-pull -o out stop.out
	tc-session recover >recover.out 2>recover.err || true
	tc-pull -o again recover.out >again.out 2>again.err || true
	echo "$stage, $fault: $(tr '\n' ' ' <statuses)"
	nothing_runs
	# A status that is not 0 has its reason, and a failure its status.
	if grep -qv ' 0$' statuses; then
		said ./*.out ./*.err
	fi
	if grep -q '"state":"started"' start.out; then
		# What the device had no room for is nowhere.
		[ "$stage $fault" != 'stop android:disk_full=1000' ] || return 0
		# A file that grew has more than was played.
		cmp -n "$(wc -c <dev/.control/trace)" dev/.control/trace out/trace.perfetto-trace ||
			cmp -n "$(wc -c <dev/.control/trace)" dev/.control/trace again/trace.perfetto-trace
	fi
	rm -rf again
	tc-session recover >/dev/null 2>&1 || true
	"$ROOT/tests/fake/android/enter" dev /bin/sh -c "rm -rf $folder" >/dev/null
}

@test "a daemon that fails, at every stage: nothing captured is lost, and nothing keeps running" {
	android
	for stage in probe start stop pull; do
		for fault in 'slow 20' 'drop 2000' 'drop 20000' 'cut 3000' 'piece 1' 'garbage 5000' auth; do
			chain_with $stage "$fault"
		done
	done
}

@test "a daemon that says nothing, at every stage: nothing captured is lost, and nothing keeps running" {
	android
	for stage in probe start stop pull; do
		for fault in silent hang; do
			chain_with $stage "$fault"
		done
	done
}

@test "an Android that fails, at every stage: nothing captured is lost, and nothing keeps running" {
	android
	for stage in probe start stop pull; do
		for fault in android:no_root=denied android:no_perfetto android:no_traced \
			android:old_perfetto android:five_sessions android:file_grows=300 \
			'android:fail=1|cp|cp: no' 'android:fail=1|rm|rm: no' 'android:fail=1|find|find: no' \
			'android:slow=200|perfetto' android:su_cr android:disk_full=1000; do
			chain_with $stage "$fault"
		done
	done
}
