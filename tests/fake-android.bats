load helper

# The made-up Android device behaves as real ones do, and each fault as it is asked
# for. Commands run as they would reach a device: `/bin/sh -c LINE`.

android=$ROOT/tests/fake/android
conf=/data/misc/perfetto-configs/winscope-proxy-trace.conf
out=/data/misc/perfetto-traces/winscope-proxy-trace.perfetto-trace
dump_conf=/data/misc/perfetto-configs/winscope-proxy-dump.conf
dump_out=/data/misc/perfetto-traces/winscope-proxy-dump.perfetto-trace
backup=/data/local/tmp/last_winscope_tracing_session/
attach=--attach=WINSCOPE-PROXY-TRACING-SESSION

# device [PROFILE]: in $TMP/dev.
device() {
	TC_BUILD=$BUILD "$android/setup" dev "$@"
	"$android/enter" dev true || skip 'no user and mount namespaces here'
}

teardown() {
	local file

	for file in "$TMP"/dev/.state/processes/*; do
		[ ! -e "$file" ] || kill -KILL "${file##*/}" || true
	done
}

# on LINE: what the device makes of it.
on() {
	run --separate-stderr "$android/enter" dev /bin/sh -c "$1"
}

# lost LINE: there is no such command on the device.
lost() {
	run -127 --separate-stderr "$android/enter" dev /bin/sh -c "$1"
}

# set_fact FILE LINE...
set_fact() {
	printf '%s\n' "${@:2}" >"dev/.control/$1"
}

# fine LINE: it succeeds, and says nothing else than $output.
fine() {
	on "$1" && ended 0 && silent
}

# config NAME: a whole trace config with the two fragments of the shortest request.
config() {
	cat <<-END
		data_sources: {
		  config {
		    name: "android.surfaceflinger.layers"
		    surfaceflinger_layers_config: {
		      mode: MODE_ACTIVE
		    }
		  }
		}
		data_sources: {
		  config {
		    name: "android.windowmanager"
		    windowmanager_config: {
		      log_level: LOG_LEVEL_DEBUG
		      log_frequency: LOG_FREQUENCY_FRAME
		    }
		  }
		}
		data_sources {
		  config {
		    name: "linux.process_stats"
		    target_buffer: 0
		    process_stats_config {
		      scan_all_processes_on_start: true
		    }
		  }
		}
		data_sources: {
		  config {
		    name: "linux.ftrace"
		    ftrace_config {
		      ftrace_events: "ftrace/print"
		      ftrace_events: "task/task_newtask"
		      ftrace_events: "task/task_rename"
		      atrace_categories: "ss"
		      atrace_categories: "wm"
		    }
		  }
		}
		buffers: {
		  size_kb: 500000
		  fill_policy: RING_BUFFER
		}
		duration_ms: ${2-0}
		file_write_period_ms: 999999999
		write_into_file: true
		unique_session_name: "$1"
	END
}

# start NAME [KEY]: the command that starts such a session.
start() {
	printf '%s\n' "cat << EOF > $conf" "$(config "$1" "${3-0}")" EOF "rm -f $out" \
		"perfetto --out $out --txt --config $conf --detach=${2-WINSCOPE-PROXY-TRACING-SESSION}"
	printf '%s' "echo 'Perfetto trace started.'"
}

# rows: the lines of sessions in what `perfetto --query` printed.
rows() {
	sed -n '/^ID .*STARTED/,$p' <<<"$output" | sed 1,2d
}

# ---- transcripts ----

@test "a trace with Perfetto, as Winscope takes it: start, stop, move, fetch" {
	device
	fine 'perfetto --query'
	is "$(rows)" ''
	fine "rm -f $conf"
	fine "rm -rf $backup"
	fine "mkdir $backup"
	on "$(start 'winscope proxy perfetto tracing')"
	ended 0
	is "$output" 'Perfetto trace started.'
	has "$stderr" 'Connected to the Perfetto traced service, starting tracing'
	# The config that other tools' tests know by these figures arrived unharmed.
	is "$(sha256sum <"dev$conf")" 'd0b70fb697c60f94365c8bd0aa93aa36eafb3f1310ba364c90557283bbf0684e  -'
	[ ! -s "dev$out" ]
	is "$(stat -c %a "dev$out")" 600
	on "perfetto $attach --stop
echo 'Perfetto trace stopped.'"
	ended 0
	is "$output" 'Perfetto trace stopped.'
	has "$stderr" 'Trace written into the output file'
	on 'su root id -u'
	is "$output" 0
	fine "find $out"
	is "$output" "$out"
	fine "[ -f $out ] && cp -p $out ${backup}trace.perfetto-trace && rm -f $out"
	fine "find $backup*"
	is "$output" "${backup}trace.perfetto-trace"
	cmp "dev${backup}trace.perfetto-trace" dev/.control/trace
	[ ! -e "dev$out" ]
	tc-import "dev${backup}trace.perfetto-trace" >got.jsonl
	# All that was asked, in order, one line each.
	has "$(sed -n 5p dev/.log)" "cat << EOF > $conf"'\ndata_sources: {\n  config {'
	sed '1d; 6d' dev/.log | cut -c 1-20 >got
	printf '%.20s\n' "rm -f $conf" "rm -rf $backup" "mkdir $backup" 'cat << EOF > /data/m' \
		"su root id -u" "find $out" "[ -f $out" "find $backup*" >wanted
	same wanted got
}

@test "a leftover session is listed under its name, and stops" {
	device
	on "$(start 'winscope proxy perfetto tracing')"
	ended 0
	fine 'perfetto --query'
	[[ $(rows) =~ ^101\ \ \ \ \ 2000\ \ \ \ STARTED\ \ \ \ \(1\)\ 500000\ \ \ 0\ \ \ \ \ \ \ \ \ 4\ \ \ \ [0-9:]{8}\ winscope\ proxy\ perfetto\ tracing$ ]]
	has "$output" 'Tracing sessions: 1 (started: 1)'
	fine 'perfetto --is_detached=WINSCOPE-PROXY-TRACING-SESSION'
	on "perfetto $attach --stop"
	ended 0
	on "perfetto $attach --stop"
	ended 2
	has "$stderr" 'Session re-attach failed. Check service logs for details'
	on 'perfetto --is_detached=WINSCOPE-PROXY-TRACING-SESSION'
	ended 2
	silent
	fine 'perfetto --query'
	is "$(rows)" ''
}

@test "a trace of the window manager without Perfetto, as root" {
	device android-14
	fine 'perfetto --query'
	is "$(grep -c windowmanager <<<"$output")" 0
	fine 'su root cmd window tracing frame'
	is "$output" 'Setting window tracing log frequency to frame'
	fine 'su root cmd window tracing level debug'
	fine 'su root cmd window tracing size 16000'
	is "$output" 'Setting window tracing buffer capacity to 16384000bytes'
	fine 'su root cmd window tracing start
echo "WM trace (legacy) started."'
	is "$output" 'Start tracing to /data/misc/wmtrace/wm_trace.winscope.
WM trace (legacy) started.'
	fine 'su root cmd window tracing stop
echo "WM trace (legacy) stopped."'
	is "${lines[-1]}" 'WM trace (legacy) stopped.'
	fine 'su root find /data/misc/wmtrace/ -name wm_trace.winscope'
	is "$output" /data/misc/wmtrace/wm_trace.winscope
	trace=$output
	fine "mkdir $backup"
	fine "su root [ -f $trace ] && su root cp -p $trace ${backup}window_trace && su root rm -f $trace"
	is "$(head -c 9 "dev${backup}window_trace")" $'\tWINTRACE'
	fine 'su root find /data/misc/wmtrace/ -name wm_trace.pb'
	is "$output" ''
}

@test "a dump with Perfetto" {
	device
	mktrace >dev/.control/dump <<<'marker'
	fine "rm -f $dump_conf; rm -rf $backup; mkdir $backup"
	on "cat << EOF > $dump_conf
data_sources: {
  config {
    name: \"android.surfaceflinger.layers\"
    surfaceflinger_layers_config: {
      mode: MODE_DUMP
      trace_flags: TRACE_FLAG_INPUT
      trace_flags: TRACE_FLAG_COMPOSITION
      trace_flags: TRACE_FLAG_EXTRA
      trace_flags: TRACE_FLAG_HWC
      trace_flags: TRACE_FLAG_BUFFERS
      trace_flags: TRACE_FLAG_VIRTUAL_DISPLAYS
    }
  }
}
buffers: {
  size_kb: 500000
  fill_policy: RING_BUFFER
}
duration_ms: 1
EOF
rm -f $dump_out
perfetto --out $dump_out --txt --config $dump_conf
echo 'Dumped perfetto'"
	ended 0
	is "$output" 'Dumped perfetto'
	has "$stderr" "Wrote $(stat -c %s dev/.control/dump) bytes into $dump_out"
	is "$(sha256sum <"dev$dump_conf")" '4cdbe7152c1ba0f1ef83849c0b04561cdea091cfc2515ec001539e950b6e185d  -'
	fine "find $dump_out"
	fine "[ -f $dump_out ] && cp -p $dump_out ${backup}dump.perfetto-trace && rm -f $dump_out"
	cmp "dev${backup}dump.perfetto-trace" dev/.control/dump
}

@test "several targets at once: they start, stop and are moved one after the other" {
	device android-14
	fine "rm -rf $backup; mkdir $backup"
	fine 'su root cmd window tracing start
echo "WM trace (legacy) started."'
	fine 'screenrecord --bugreport --bit-rate 8M /data/local/tmp/screen_active.mp4 >/dev/null 2>&1 & echo "ScreenRecorder started."'
	on "$(start 'winscope proxy perfetto tracing')"
	ended 0
	# Of the two sources that were asked for by name, this device has one.
	fine 'perfetto --query'
	has "$(rows)" ' 3    '
	until_true test -s dev/data/local/tmp/screen_active.mp4
	fine 'su root cmd window tracing stop'
	fine 'pkill -l SIGINT screenrecord'
	on "perfetto $attach --stop"
	ended 0
	until_true grep -qa moov dev/data/local/tmp/screen_active.mp4
	fine "find /data/local/tmp/screen_active.mp4"
	for move in "su root:/data/misc/wmtrace/wm_trace.winscope:window_trace" \
		":/data/local/tmp/screen_active.mp4:screen_recording_active" ":$out:trace.perfetto-trace"; do
		IFS=: read -r su from to <<<"$move"
		fine "$su [ -f $from ] && $su cp -p $from $backup$to && $su rm -f $from"
	done
	fine "find $backup* | sort"
	is "$output" "${backup}screen_recording_active
${backup}trace.perfetto-trace
${backup}window_trace"
}

# ---- other targets without Perfetto ----

# legacy FILE MAGIC: such a trace is there.
legacy() {
	is "$(head -c 9 "dev/data/misc/$1")" $'\t'"$2"
}

@test "SurfaceFlinger's traces without Perfetto, their size and flags" {
	device android-14
	fine 'su root service call SurfaceFlinger 1029 i32 16000$'
	is "$output" "Result: Parcel(00000000    '....')"
	is "$(cat dev/.state/sf_buffer_kb)" 16000
	fine 'su root service call SurfaceFlinger 1033 i32 44'
	is "$(cat dev/.state/sf_flags)" 44
	fine 'su root service call SurfaceFlinger 1025 i32 1
echo "SF layers trace (legacy) started."'
	fine 'su root service call SurfaceFlinger 1041 i32 1'
	[ ! -e dev/data/misc/wmtrace/layers_trace.winscope ]
	fine 'su root service call SurfaceFlinger 1025 i32 0 >/dev/null 2>&1
echo "SF layers trace (legacy) stopped."'
	is "$output" 'SF layers trace (legacy) stopped.'
	fine 'su root service call SurfaceFlinger 1041 i32 0 >/dev/null 2>&1'
	legacy wmtrace/layers_trace.winscope LYRTRACE
	legacy wmtrace/transactions_trace.winscope TNXTRACE
	# What is not on leaves nothing when it stops.
	rm dev/data/misc/wmtrace/*
	fine 'su root service call SurfaceFlinger 1025 i32 0'
	is "$(ls dev/data/misc/wmtrace)" ''
}

@test "service call: new devices refuse, the shell is refused, and status 0 each time" {
	device android-17
	fine 'su root service call SurfaceFlinger 1025 i32 1'
	is "$output" 'Result: Parcel(Error: 0xfffffffffffffffe "No such file or directory")'
	fine 'service call SurfaceFlinger 1025 i32 1'
	is "$output" 'Result: Parcel(Error: 0xffffffffffffffff "Operation not permitted")'
	fine 'service call activity 999'
	is "$output" 'Result: Parcel(Error: 0xffffffffffffffb6 "Not a data message")'
	on 'service call nothing 1'
	ended 10
	is "$stderr" 'service: Service nothing does not exist'
	on 'su root cmd window tracing start'
	ended 255
	has "$output" 'Shell commands are ignored.'
}

@test "view capture, ProtoLog, input methods and transitions without Perfetto" {
	device android-14
	fine 'su root settings put global view_capture_enabled 1
echo "ViewCapture tracing (legacy) started."'
	fine 'su root sh -c "cmd launcherapps dump-view-hierarchies >/data/misc/wmtrace/view_capture_trace.zip"
su root settings put global view_capture_enabled 0
echo "ViewCapture tracing (legacy) stopped."'
	is "$output" 'ViewCapture tracing (legacy) stopped.'
	is "$(head -c 2 dev/data/misc/wmtrace/view_capture_trace.zip)" PK
	fine 'su root settings get global view_capture_enabled'
	is "$output" 0
	fine 'su root cmd window logging start'
	fine 'su root cmd window logging stop >/dev/null 2>&1'
	legacy wmtrace/wm_log.winscope PROTOLOG
	fine 'su root ime tracing start'
	fine 'su root ime tracing stop >/dev/null 2>&1'
	legacy wmtrace/ime_trace_clients.winscope IMCTRACE
	legacy wmtrace/ime_trace_service.winscope IMSTRACE
	legacy wmtrace/ime_trace_managerservice.winscope IMMTRACE
	for what in start stop; do
		fine "su root cmd window shell tracing $what && su root dumpsys activity service SystemUIService WMShell transitions tracing $what"
	done
	legacy wmtrace/wm_transition_trace.winscope TRNTRACE
	legacy wmtrace/shell_transition_trace.winscope WMSTRACE
}

@test "Wayland is there when the device has it" {
	device android-12
	fine 'service check Wayland'
	is "$output" 'Service Wayland: not found'
	set_fact wayland
	fine 'service check Wayland'
	is "$output" 'Service Wayland: found'
	fine 'su root service call Wayland 26 i32 1 >/dev/null
echo "Wayland trace started."'
	fine 'su root service call Wayland 26 i32 0 >/dev/null'
	[ -s dev/data/misc/wltrace/wl_trace.pb ]
	fine 'service list'
	has "$output" 'Wayland: [android.wayland.IWayland]'
}

@test "events since a time, for root alone" {
	device
	fine 'rm -f /data/local/tmp/eventlog.winscope
 echo "EventLog started."'
	fine "echo \"EventLog\\n\" > /data/local/tmp/eventlog.winscope && su root logcat -b events -v threadtime -v printable -v uid -v nsec -v epoch -b events -t $(date +%s).5 >> /data/local/tmp/eventlog.winscope"
	is "$(head -n 1 dev/data/local/tmp/eventlog.winscope)" EventLog
	fine 'su root logcat -b events'
	is "${#lines[@]}" 4
	[[ ${lines[1]} =~ ^[0-9]+\.[0-9]{9}\ +[0-9]+\ +[0-9]+\ +[0-9]+\ I\ [a-z_]+:\ \[ ]]
	fine 'logcat -b events'
	is "${#lines[@]}" 1
}

@test "dumps and screenshots without Perfetto" {
	device
	fine 'su root dumpsys SurfaceFlinger --proto > /data/local/tmp/sf_dump.winscope'
	is "$(head -c 9 dev/data/local/tmp/sf_dump.winscope)" $'\tLYRTRACE'
	fine 'su root dumpsys window --proto > /data/local/tmp/wm_dump.winscope'
	[ -s dev/data/local/tmp/wm_dump.winscope ]
	fine 'screencap -p -d 4619827551948147201 > /data/local/tmp/screenshot_1.png'
	cmp dev/data/local/tmp/screenshot_1.png "$android/data/screenshot.png"
	on 'screencap -p /data/local/tmp/s.png'
	ended 0
	has "$stderr" '[Warning] Multiple displays were found'
	cmp dev/data/local/tmp/s.png "$android/data/screenshot.png"
	on 'screencap -p -d 7'
	ended 1
	is "$output" ''
	set_fact displays 'Display 1 (HWC display 0): port=1'
	fine 'screencap -p >/data/local/tmp/s.png'
	is "$(od -An -tx1 -N 8 dev/data/local/tmp/s.png)" ' 89 50 4e 47 0d 0a 1a 0a'
}

# ---- recordings ----

@test "a recording goes on until it is told to stop, and then is whole" {
	device
	fine "settings put system show_touches 1 && settings put system pointer_location 1"
	fine '
      screenrecord --bugreport --bit-rate 8M /data/local/tmp/screen_active.mp4 >/dev/null 2>&1 &       echo "ScreenRecorder started."
      '
	is "$output" 'ScreenRecorder started.'
	until_true test -s dev/data/local/tmp/screen_active.mp4
	fine 'pidof screenrecord'
	pid=$output
	fine "ps -A -o PID,NAME"
	has "$output" screenrecord
	fine "su root kill -0 $pid"
	fine 'settings put system pointer_location 0 &&       settings put system show_touches 0 &&       pkill -l SIGINT screenrecord >/dev/null 2>&1'
	until_true is_gone "$pid"
	is "$(od -An -tx1 -N 12 dev/data/local/tmp/screen_active.mp4)" ' 00 00 00 18 66 74 79 70 6d 70 34 32'
	grep -qa '#VV1NSC0PET1ME2#' dev/data/local/tmp/screen_active.mp4
	grep -qa moov dev/data/local/tmp/screen_active.mp4
	on 'pkill -l SIGINT screenrecord'
	ended 1
	fine 'settings get system show_touches; settings get system no_such_key'
	is "$output" $'0\nnull'
}

@test "a recording stops after its time, takes a display, and checks what it is told" {
	device
	fine 'screenrecord --time-limit 1 --display-id 4619827551948147201 /data/local/tmp/a.mp4'
	grep -qa moov dev/data/local/tmp/a.mp4
	is "$(grep -ca VV1NSC0PET1ME2 dev/data/local/tmp/a.mp4 || true)" 0
	on 'screenrecord --display-id 12 /data/local/tmp/b.mp4'
	ended 2
	is "$stderr" 'Invalid physical display ID'
	on 'screenrecord'
	ended 2
	fine 'screenrecord --version'
	is "$output" 1.4
	set_fact screen off
	on 'screenrecord /data/local/tmp/b.mp4'
	ended 218
	is "$stderr" 'ERROR: INVALID_LAYER_STACK, please check your display state.'
	fine 'dumpsys power'
	has "$output" mWakefulness=Asleep
}

@test "an old recorder has no --version, and no recordings without limit" {
	device android-12
	on 'screenrecord --version'
	ended 2
	has "$stderr" 'unrecognized option'
	on 'screenrecord --help'
	has "$stderr" 'Android screenrecord v1.2.'
	on 'screenrecord --time-limit 0 /data/local/tmp/a.mp4'
	ended 2
	has "$stderr" 'outside acceptable range [1,180]'
}

# ---- probes ----

@test "what is asked before a capture has the device's forms" {
	device
	fine 'dumpsys SurfaceFlinger --display-id'
	same dev/.control/displays - <<<"$output"
	fine 'cmd protolog_configuration groups list'
	is "${lines[0]}" 'ProtoLog groups registered with service:'
	is "${lines[1]}" '- WM_DEBUG_FOCUS'
	fine 'getprop no.such.key; getprop ro.build.version.sdk'
	is "$output" $'\n37'
	fine 'getprop'
	has "$output" '[ro.product.model]: [Pixel 9]'
	fine 'id -u; su root id -u; su 0 id -un; su shell id -u'
	is "$output" $'2000\n0\nroot\n2000'
	set_fact adbd_root
	fine 'id -u'
	is "$output" 0
	rm dev/.control/adbd_root
	fine 'perfetto --version'
	is "$output" 'Perfetto v57.2 (N/A)'
	set_fact free '/data 1073741824' '/data/local 524288'
	fine 'stat -f -c "%a*%S" /data/misc /data/local/tmp'
	is "$output" $'1048576*1024\n512*1024'
	fine 'df /data'
	is "$(awk 'NR == 2 { print $4, $6 }' <<<"$output")" '1048576 /data'
	has "${lines[0]}" 'Filesystem      1K-blocks     Used Available Use% Mounted on'
	on 'df /nothing'
	ended 1
	on 'find /data/misc/wmtrace/ -name x'
	ended 1
	is "$stderr" 'find: /data/misc/wmtrace/: Permission denied'
	on 'find /data/nothing*'
	ended 1
	is "$stderr" 'find: /data/nothing*: No such file or directory'
}

@test "profiles differ in what can be traced how" {
	device android-12
	fine 'perfetto --query'
	is "$(grep -c 'surfaceflinger\.layers' <<<"$output" || true)" 0
	grep -q '^android.surfaceflinger.frametimeline ' <<<"$output"
	on 'cmd protolog_configuration groups list'
	ended 20
	is "$stderr" "cmd: Can't find service: protolog_configuration"
	run --separate-stderr "$android/setup" dev2 android-1
	ended 2
	run --separate-stderr "$android/enter" dev2 true
	ended 2
}

@test "perfetto --query-raw says the same as --query" {
	device
	set_fact sessions '0|STARTED|1024|30|2|0|of root' '0|STARTED|2048|60|1|9|for a report' \
		'2000|STOP_WAIT|8|0|1|0|of the shell'
	fine 'perfetto --query'
	has "$output" $'\nNOTE: Some tracing sessions are not reported in the list above.'
	rows | grep '^[0-9]' | sed 's/[0-9:]\{8\} /T /' >got
	cat >wanted <<-'END'
		2       0       STARTED    (1) 2048     60        1    T for a report
		3       2000    STOP_WAIT  (1) 8        0         1    T of the shell
	END
	same wanted got
	# The first line is coloured, also for pipes.
	is "$(head -n 1 <<<"$output" | cut -c 2-5)" '[31m'
	sed -n '/^DATA SOURCES/,/^TRACING/p' <<<"$output" | awk '$2 ~ /traced_probes|surfaceflinger|system/ { print $1 }' >sources
	is "$(wc -l <sources)" 16
	capture state "$android/enter" dev perfetto --query-raw
	protoc --decode_raw <state >decoded
	sed -n '/^2 {/,/^}/s/^    1: "\(.*\)"$/\1/p' decoded | same sources -
	sed -n '/^6 {/,/^}/s/^  \([12347]\): /\1 /p' decoded >got
	cat >wanted <<-'END'
		1 2
		2 0
		3 "STARTED"
		4 "for a report"
		7 1
		1 3
		2 2000
		3 "STOP_WAIT"
		4 "of the shell"
		7 1
	END
	same wanted got
	grep -qx '3: 3' decoded
	fine 'su root perfetto --query'
	is "$(rows | wc -l)" 3
}

# ---- sessions ----

@test "what the service refuses, and what is left of it" {
	device
	on "$(start one key1)"
	ended 0
	on "$(start one key2)"
	has "$stderr" 'Service error: A trace with this unique session name (one) already exists'
	has "$stderr" 'Session detach failed'
	[ ! -e "dev$out" ]
	# The status of a refusal is hidden by the echo that follows it.
	ended 0
	on "perfetto -c $conf --txt -o $out --detach=key2"
	ended 1
	on "$(start two key1)"
	has "$stderr" 'Session detach failed'
	is "$(stat -c %s "dev$out")" 2
	set_fact five_sessions
	on "$(start three key3)"
	has "$stderr" 'Service error: Too many concurrent tracing sesions (6) for uid 2000 limit is 5'
	on "su root perfetto --txt -c $conf -o /data/misc/perfetto-traces/r --detach=key1"
	ended 0
	# A key is that of the user who has it.
	on 'perfetto --attach=key1 --stop'
	ended 0
	on 'perfetto --attach=key1 --stop'
	ended 2
	on 'su root perfetto --attach=key1 --stop'
	ended 0
}

@test "what detached sessions need, and configs that are none" {
	device
	on "echo 'duration_ms: 1' | perfetto -c - --txt --detach=a -o $out"
	ended 1
	has "$stderr" 'write_into_file must be true'
	for bad in 'buffers {' 'duration_ms: undefined' '}' 'a: "b' '?'; do
		on "echo '$bad' | perfetto -c - --txt -o $out"
		ended 1
		has "$stderr" '-:'
	done
	on "perfetto -c /data/none --txt -o $out"
	ended 1
	has "$stderr" 'No such file or directory'
	on 'perfetto --no-such-option'
	ended 1
}

@test "sessions end by themselves when their time is over" {
	device
	on "$(start short key 300)"
	ended 0
	on 'perfetto --is_detached=key'
	ended 0
	until_true cmp -s "dev$out" dev/.control/trace
	on 'perfetto --is_detached=key'
	ended 2
	on "perfetto -t 100ms -o /data/misc/perfetto-traces/t sched"
	ended 0
	cmp dev/data/misc/perfetto-traces/t dev/.control/trace
	on "perfetto --background -t 60s -o /data/misc/perfetto-traces/b sched"
	ended 0
	kill -TERM "$output"
	until_true cmp -s dev/data/misc/perfetto-traces/b dev/.control/trace
	# Whoever attaches waits for the end.
	on "rm -f $out; echo 'write_into_file: true duration_ms: 300 unique_session_name: \"n\"' |
		perfetto -c - --txt --detach=KEY -o $out && perfetto --clone-by-name n -o /data/local/tmp/c &&
		perfetto --attach=KEY"
	ended 0
	cmp "dev$out" dev/.control/trace
	cmp dev/data/local/tmp/c dev/.control/trace
	on "perfetto --clone-by-name none -o /data/misc/perfetto-traces/c"
	ended 0
	has "$stderr" 'Tracing session not found'
}

# ---- faults ----

@test "no_root: su fails, and says how" {
	device
	set_fact no_root denied
	on 'su root id -u'
	ended 1
	is "$output" ''
	is "$stderr" 'su: Permission denied'
	set_fact no_root missing
	lost 'su root id -u'
	is "$stderr" '/system/bin/sh: su: inaccessible or not found'
	fine 'id -u'
	is "$output" 2000
}

@test "su of other kinds: -c is for some alone, and some end lines in CR LF" {
	device
	on 'su -c id'
	ended 1
	set_fact su magisk
	fine 'su -c "id -u"'
	is "$output" 0
	on 'su root id -u'
	[ "$status" -ne 0 ]
	set_fact su aosp
	set_fact su_cr
	fine 'su root id -u'
	is "$output" $'0\r'
	on 'su root cat /data/none'
	ended 1
	on 'su root no-such-command'
	ended 1
	is "$stderr" 'su: failed to exec no-such-command: No such file or directory'
}

@test "no_perfetto, old_perfetto, no_traced" {
	device
	on "$(start a key)"
	set_fact old_perfetto
	on 'perfetto --query-raw'
	ended 1
	has "$stderr" "unrecognized option '--query-raw'"
	fine 'perfetto --query'
	set_fact no_traced
	on 'perfetto --query'
	ended 1
	has "$stderr" 'Could not connect to the traced socket'
	on 'perfetto --is_detached=key'
	ended 1
	silent
	rm dev/.control/no_traced
	set_fact no_perfetto
	lost 'perfetto --query'
	is "$stderr" '/system/bin/sh: perfetto: inaccessible or not found'
}

@test "five_sessions: the sixth is refused" {
	device
	set_fact five_sessions
	fine 'perfetto --query'
	is "$(rows | wc -l)" 5
	on "$(start winscope)"
	has "$stderr" 'Too many concurrent tracing sesions (5) for uid 2000 limit is 5'
	[ ! -e "dev$out" ]
}

@test "disk_full: files end early, and nobody says so, or a file system is full" {
	device
	set_fact disk_full 1000
	on "$(start a key)"
	on 'perfetto --attach=key --stop'
	ended 0
	is "$(stat -c %s "dev$out")" 1000
	on 'screenrecord --time-limit 60 /data/local/tmp/a.mp4'
	ended 1
	has "$stderr" ERROR
	on "perfetto -t 100ms -o /data/misc/perfetto-traces/t sched"
	ended 0
	has "$stderr" 'Failed to write packets'
	has "$stderr" 'Wrote 1000 bytes'
	set_fact disk_full "$backup 16k"
	head -c 50000 /dev/zero >dev/data/local/tmp/large
	on "cp -p /data/local/tmp/large ${backup}large"
	ended 1
	has "$stderr" 'No space left on device'
}

# larger FILE: than what a trace holds.
larger() {
	[ "$(stat -c %s "dev$1")" -gt "$(stat -c %s dev/.control/trace)" ]
}

@test "file_grows: a trace grows after it was stopped, and stays a trace" {
	device
	set_fact file_grows 400
	on "$(start a key)"
	on 'perfetto --attach=key --stop'
	ended 0
	until_true larger "$out"
	sleep 0.6
	size=$(stat -c %s "dev$out")
	sleep 0.1
	is "$(stat -c %s "dev$out")" "$size"
	tc-import "dev$out" >got.jsonl
	# Or another file, from when it is there.
	set_fact file_grows '2000 /data/local/tmp/copy'
	on "$(start a key)"
	on "perfetto --attach=key --stop; cp $out /data/local/tmp/copy"
	until_true larger /data/local/tmp/copy
}

@test "dies: a session and a recording end before they are told to" {
	device
	set_fact dies 'perfetto 100' 'screenrecord 100'
	on "$(start a key)"
	fine 'screenrecord /data/local/tmp/a.mp4 >/dev/null 2>&1 & echo $!'
	sleep 0.3
	on 'perfetto --is_detached=key'
	ended 2
	on 'perfetto --attach=key --stop'
	ended 2
	is "$(stat -c %s "dev$out")" 0
	on 'pidof screenrecord'
	ended 1
	is "$(grep -ca moov dev/data/local/tmp/a.mp4 || true)" 0
	# In the foreground, the status does not tell.
	on "perfetto -t 60s -o /data/misc/perfetto-traces/t sched"
	ended 0
	[ ! -e dev/data/misc/perfetto-traces/t ]
	# What is no file stays, whatever becomes of the session.
	ln -s nowhere dev/data/local/tmp/link
	on "perfetto -t 60s -o /data/local/tmp/link sched"
	ended 0
	[ -L dev/data/local/tmp/link ]
}

@test "hang, slow and fail: one command, or the calls of a pattern" {
	device
	set_fact fail '3|settings|' '1|cp -p * /data/local/*|cp: xwrite: No space left on device'
	on 'settings get system x'
	ended 3
	silent
	on 'cp -p /etc/passwd /data/local/tmp/x'
	ended 1
	is "$stderr" 'cp: xwrite: No space left on device'
	[ ! -e dev/data/local/tmp/x ]
	fine 'cp /etc/passwd /data/local/tmp/x'
	set_fact slow '300|getprop ro.serialno'
	before=$(date +%s%N)
	fine 'getprop ro.serialno'
	[ $(($(date +%s%N) - before)) -ge 300000000 ]
	set_fact hang 'getprop *'
	"$android/enter" dev /bin/sh -c 'getprop ro.product.name; echo done' >said 3>&- &
	sleep 0.5
	[ ! -s said ]
	fine 'getprop'
	rm dev/.control/hang
	wait $!
	is "$(cat said)" $'up\ndone'
}

# ---- the device itself ----

@test "every command that arrives is logged once, in one line, and every call is" {
	device
	fine 'echo "a\\b"
su root sh -c "id -u; id -u"'
	is "$(cat dev/.log)" 'echo "a\\\\b"\nsu root sh -c "id -u; id -u"'
	is "$(cat dev/.calls)" $'2000 su root sh -c id -u; id -u\n0 id -u\n0 id -u'
	# A peer that writes the log itself says so.
	run --separate-stderr "$android/enter" dev env TC_FAKE_LOGGED=1 /bin/sh -c 'id -u'
	is "$output" 2000
	is "$(wc -l <dev/.log)" 1
}

@test "the device's commands come first whatever PATH a command is started with" {
	device
	run --separate-stderr "$android/enter" dev env -i PATH=/usr/bin:/bin /bin/sh -c 'getprop ro.product.name; uname'
	ended 0
	is "$output" $'up\nLinux'
}

@test "with a network of its own the device has nothing but a loopback" {
	device
	"$android/enter" -n dev true 2>/dev/null || skip 'no network namespaces here'
	run --separate-stderr "$android/enter" -n dev cat /proc/net/dev
	ended 0
	is "$(sed -n 's/^ *\([^:]*\):.*/\1/p' <<<"$output")" lo
	"$android/enter" -n dev grep -q 127.0.0.1 /proc/net/fib_trie
}

@test "behind a real adbd the same commands answer, and files are the device's" {
	command -v adb >/dev/null || skip 'adb is not here'
	"$ROOT/tests/fake/adbd" --is-here 2>/dev/null || skip 'adbd is not here'
	device
	# Its server has a network of its own too, so any port is free.
	cat >behind <<-'END'
		"$ADBD" >/data/local/tmp/adbd.log 2>&1 &
		trap 'adb kill-server; kill $!' EXIT
		for try in 1 2 3 4 5 6 7 8 9 10; do
			case $(adb connect localhost:5555) in connected* | already*) break ;; esac
			sleep 0.5
		done >&2
		adb="adb -s localhost:5555"
		$adb wait-for-device
		$adb shell 'getprop ro.product.model; id -u; su root id -u; echo no >&2; exit 7' 2>/dev/null
		echo "status $?"
		$adb pull /data/local/tmp/sent got >&2
	END
	echo sent >dev/data/local/tmp/sent
	"$android/enter" -n dev true 2>/dev/null || skip 'no network namespaces here'
	run --separate-stderr timeout 60 "$android/enter" -n dev env HOME=/data/local/tmp ADBD="$ROOT/tests/fake/adbd" \
		sh -c "cd '$TMP' && exec env -u TC_FAKE_LOGGED sh behind" 3>&-
	is "$output" $'Pixel 9\n2000\n0\nstatus 7'
	ended 0
	cmp got dev/data/local/tmp/sent
	is "$(tail -n 1 dev/.log)" 'getprop ro.product.model; id -u; su root id -u; echo no >&2; exit 7'
}

@test "the commands of the device are clean for shellcheck, and need no bash" {
	command -v shellcheck >/dev/null || skip 'shellcheck is not here'
	run shellcheck -s sh "$android"/setup "$android"/enter "$android"/lib.sh "$android"/bin/*
	is "$output" ''
	ended 0
	is "$(grep -L '^#!/bin/sh$' "$android"/bin/* "$android/setup" "$android/enter")" ''
}
