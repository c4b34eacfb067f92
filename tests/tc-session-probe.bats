# What a device can do: of each made-up Android device and fault the right record.
load helper
load peers

setup() {
	cd "$TMP" || return
	unset TC_DEVICE ANDROID_SERIAL
	android=$ROOT/tests/fake/android
}

# android [PROFILE [OPTION...]]: a made-up device in $TMP/root. Leaves $device.
android() {
	TC_BUILD=$BUILD "$android/setup" root "${1:-android-17}"
	"$android/enter" root true || skip 'no user and mount namespaces here'
	rm -f port
	"$android/enter" root fakeadbd --port-file "$TMP/port" --control "$TMP/faults" "${@:2}" \
		>fake.log 2>&1 3>&- </dev/null &
	pids+=($!)
	until_true test -s port
	port=$(cat port)
	device=tcp:127.0.0.1:$port
	echo '/data 123456789' >root/.control/free
	: >root/.log
}

# set_fact FILE LINE...
set_fact() {
	printf '%s\n' "${@:2}" >"root/.control/$1"
}

# probed: the device is asked, and nothing goes wrong. Leaves got.out.
probed() {
	tool got.out tc-session -d "$device" probe
	ended 0 && silent
}

# of FILTER: what the filter makes of the device record.
of() {
	jq -rc "select(.type == \"device\") | $1" got.out
}

# notices: "LEVEL CODE" of each.
notices() {
	jq -r 'select(.type == "notice") | "\(.level) \(.code)"' got.out
}

# texts: what they say.
texts() {
	jq -r 'select(.type == "notice") | .text' got.out
}

# ---- profiles ----

@test "android-17: the whole record, and nothing that is not known" {
	android
	probed
	jq . >wanted <<-END
		{
		  "type": "device", "device": "$device", "platform": "android", "state": "device",
		  "serial": "127.0.0.1:$port", "model": "Pixel 9", "sdk": 37, "release": "17",
		  "build": "made/up/device:17/TC1A.000000.001/1:userdebug/dev-keys", "root": "su",
		  "displays": [
		    {"id": "4619827259835644672", "name": "EMU_display_0"},
		    {"id": "4619827551948147201", "name": "EMU_display_1"}
		  ],
		  "screenrecord": "1.4", "wayland": false,
		  "free": [
		    {"path": "/data/local/tmp", "bytes": 123456512},
		    {"path": "/data/misc/perfetto-traces", "bytes": 123456512}
		  ],
		  "perfetto": {
		    "version": "v57.2",
		    "data_sources": $(cut -d ' ' -f 1 root/.control/data_sources | jq -Rn '[inputs]'),
		    "sessions": 0, "own_session": false
		  },
		  "protolog_groups": ["WM_DEBUG_FOCUS", "WM_DEBUG_WINDOW_TRANSITIONS", "WM_SHELL_TRANSITIONS"]
		}
	END
	of . | jq . | same wanted -
	is "$(notices)" ''
	set_fact wayland ''
	probed
	is "$(of .wayland)" true
}

@test "android-14: no service of ProtoLog, and a display without a name" {
	android android-14
	probed
	is "$(of '[.model, .sdk, .release, .root, .screenrecord, .wayland, .protolog_groups]')" \
		'["Pixel 7",34,"14","su","1.4",false,null]'
	is "$(of .displays)" '[{"id":"4630946165277524611","name":null}]'
	is "$(of '[.perfetto.version, (.perfetto.data_sources | length)]')" '["v38.0",10]'
	is "$(notices)" 'info no_protolog'
}

@test "android-12: a screenrecord that does not know --version" {
	android android-12
	probed
	is "$(of '[.model, .sdk, .release, .screenrecord, .perfetto.version]')" \
		'["Pixel 5",31,"12","1.2","v20.1"]'
	is "$(of .displays)" '[{"id":"4630946165277524611","name":null}]'
	is "$(notices)" 'info no_protolog'
}

# ---- root ----

@test "root: whoever answers with 0, and su that is denied, missing, or of another kind" {
	android
	: >root/.control/su_cr
	probed
	is "$(of .root)" su
	rm root/.control/su_cr
	set_fact no_root denied
	probed
	is "$(of .root)" none
	is "$(notices)" 'info su_denied'
	has "$(texts)" 'Permission denied'
	set_fact no_root missing
	probed
	is "$(of .root)" none
	is "$(notices)" 'info no_su'
	rm root/.control/no_root
	set_fact su magisk
	probed
	is "$(of .root)" none
	is "$(notices)" 'info su_denied'
	: >root/.control/adbd_root
	probed
	is "$(of .root)" adbd
	is "$(notices)" ''
}

# ---- Perfetto ----

@test "perfetto: none, no service, and one without --query-raw" {
	android
	probed
	of .perfetto >raw
	: >root/.control/old_perfetto
	probed
	of .perfetto | same raw -
	is "$(notices)" 'info query_text'
	: >root/.control/no_traced
	probed
	is "$(of .perfetto)" null
	is "$(notices)" 'warning no_traced'
	: >root/.control/no_perfetto
	probed
	is "$(of .perfetto)" null
	is "$(notices)" 'warning no_perfetto'
}

@test "perfetto: other sessions of the same user count, ours is told apart" {
	local old

	android
	set_fact sessions '2000|STARTED|8|0|2|0|a' '0|STARTED|8|0|2|1|b' \
		'2000|DISABLED|8|0|2|0|c' '2000|CLONED_READ_ONLY|8|0|2|0|d' \
		'2000|STARTED|8|0|2|0|not winscope proxy perfetto tracing'
	for old in '' old_perfetto; do
		[ ! "$old" ] || : >"root/.control/$old"
		probed
		is "$(of '[.perfetto.sessions, .perfetto.own_session]')" '[2,false]'
		: >root/.control/adbd_root
		probed
		is "$(of '[.perfetto.sessions, .perfetto.own_session]')" '[1,false]'
		rm root/.control/adbd_root
	done
	rm root/.control/old_perfetto
	echo '2000|STARTED|8|0|2|0|winscope proxy perfetto tracing' >>root/.control/sessions
	probed
	is "$(of '[.perfetto.sessions, .perfetto.own_session]')" '[2,true]'
	is "$(notices)" 'warning leftover_session'
}

@test "perfetto: five sessions" {
	android
	: >root/.control/five_sessions
	probed
	is "$(of '[.perfetto.sessions, .perfetto.own_session]')" '[5,false]'
}

@test "perfetto: what the real one printed, raw and for people, says the same" {
	local n

	android
	rm root/system/bin/perfetto
	: >root/.control/adbd_root
	for n in 0 5; do
		printf '#!/bin/sh\n[ "$*" = --query-raw ] && exec cat "$TC_FAKE_ROOT/answer"\nexit 1\n' >root/system/bin/perfetto
		chmod 755 root/system/bin/perfetto
		cp "$DATA/probe/query-$n.pb" root/answer
		probed
		of .perfetto >raw
		sed -i 's/--query-raw/--query/' root/system/bin/perfetto
		cp "$DATA/probe/query-$n.txt" root/answer
		probed
		of .perfetto | same raw -
		is "$(of '[.perfetto.version, (.perfetto.data_sources | length), .perfetto.data_sources[11]]')" \
			'["v57.2",19,"linux.ftrace"]'
		# One of the five has our name.
		is "$(of '[.perfetto.sessions, .perfetto.own_session]')" \
			"$([ $n = 0 ] && echo '[0,false]' || echo '[4,true]')"
	done
}

# ---- what cannot be learnt ----

@test "commands that fail leave their facts out, and say why" {
	android
	set_fact fail '1|getprop|no properties' '1|dumpsys|no dump' '3|screenrecord|no screen' \
		'1|service|no services' '1|stat|no stat' '1|df|no df' '2|perfetto|no query' \
		'1|cmd|no groups' '1|id|no id'
	probed
	is "$(of 'del(.device, .serial)')" \
		'{"type":"device","platform":"android","state":"device","model":"Fake Model","sdk":null,"release":null,"build":null}'
	is "$(notices | sort | uniq -c | tr -s ' ')" $' 7 warning failed\n 2 warning unreadable'
	for text in 'no properties' 'no id' 'no dump' 'no screen' 'no services' 'no stat' 'no query' 'no groups'; do
		has "$(texts)" "$text"
	done
}

@test "commands that hang cost their own facts only" {
	android
	set_fact hang 'su *' 'cmd *'
	probed
	rm root/.control/hang
	is "$(of '[.root, .protolog_groups]')" '[null,null]'
	is "$(of '[.model, .sdk, .screenrecord, .wayland, .perfetto.version, (.displays | length), (.free | length)]')" \
		'["Pixel 9",37,"1.4",false,"v57.2",2,2]'
	is "$(notices)" $'warning timed_out\nwarning timed_out'
	has "$(texts)" 'root is not known: su root id -u: it does not end'
}

@test "nonsense is not taken for facts" {
	android
	for name in getprop id su dumpsys screenrecord service stat df perfetto cmd; do
		rm "root/system/bin/$name"
		printf '#!/bin/sh\nprintf "nonsense\\001\\377\\n"\n' >"root/system/bin/$name"
		chmod 755 "root/system/bin/$name"
	done
	probed
	is "$(of 'keys - ["build", "device", "model", "platform", "release", "sdk", "serial", "state", "type"]')" '[]'
	is "$(notices | sort -u)" 'warning unreadable'
}

@test "an answer without end is given up" {
	android
	rm root/system/bin/getprop
	printf '#!/bin/sh\nexec yes\n' >root/system/bin/getprop
	chmod 755 root/system/bin/getprop
	probed
	is "$(of '[.sdk, .root]')" '[null,"su"]'
	is "$(notices)" 'warning too_long'
}

# ---- ways to a device ----

@test "a device whose shell has one output and no status" {
	android android-14 --protocol 0 --max 4096 --features ''
	probed
	is "$(of '[.model, .root, .screenrecord, .wayland, .perfetto.version, (.displays | length), (.free | length)]')" \
		'["Pixel 7","su","1.4",false,"v38.0",1,2]'
	is "$(notices)" 'info no_protolog'
}

@test "through an adb server: the only device, one by name, and all" {
	android
	adb_server
	connected
	tool got.out tc-session probe
	ended 0
	silent
	is "$(of '[.device, .state, .serial, .model, .root]')" \
		"[\"adb:$serial\",\"device\",\"$serial\",\"Pixel 9\",\"su\"]"
	cp got.out only.out
	tool got.out tc-session -d "adb:$serial" probe
	same only.out got.out
	tool got.out tc-session --all probe
	same only.out got.out
	ANDROID_SERIAL=none tool got.out tc-session probe
	ended 69
	diagnosed not_found none
}

@test "several devices: one has to be named, and --all takes those that it can" {
	local first

	android
	adb_server
	connected
	first=$serial
	fake --state sideload
	is "$(timeout 20 adb connect "127.0.0.1:$port" </dev/null)" "connected to 127.0.0.1:$port"
	until_true eval 'adb devices | grep -q sideload'
	tool got.out tc-session --all probe
	ended 1
	diagnosed offline sideload
	is "$(jq -rc 'select(.type == "device") | [.device, .state, .root]' got.out | sort)" \
		"$(printf '%s\n' "[\"adb:$first\",\"device\",\"su\"]" "[\"adb:127.0.0.1:$port\",\"sideload\",null]" | sort)"
	is "$(jq -c 'select(.type == "error") | [.tool, .code, .subject]' got.out)" \
		"[\"tc-session\",\"offline\",\"adb:127.0.0.1:$port\"]"
	fake
	connected
	tool got.out tc-session probe
	ended 69
	diagnosed ambiguous "$first"
	is "$(jq -r .type got.out | tr '\n' ' ')" 'tool end '
	is "$(tc-session --dry-run probe | jq -rc 'select(.type == "command") | .device' | sort -u)" null
}

@test "no device at all" {
	adb_server
	tool got.out tc-session probe
	ended 69
	diagnosed not_found ''
	tool got.out tc-session --all probe
	ended 69
	diagnosed not_found ''
	tool got.out tc-session -d tcp:127.0.0.1:1 probe
	ended 69
	diagnosed not_found ''
}

@test "a device that is lost meanwhile is an error, and no record" {
	android
	fault 'drop 300'
	tool got.out tc-session -d "$device" probe
	ended 69
	diagnosed gone ''
	is "$(jq -r .type got.out | tr '\n' ' ')" 'tool end '
}

@test "a device that takes commands and answers none is an error, and no record" {
	android
	fault hang
	tool got.out tc-session -d "$device" probe
	ended 75
	diagnosed timed_out 'not one command has an answer'
	is "$(jq -r .type got.out | tr '\n' ' ')" 'tool end '
}

@test "a device of several that is lost meanwhile has no record that others would use" {
	android
	adb_server
	connected
	fault 'drop 300'
	tool got.out tc-session --all probe
	ended 1
	diagnosed gone ''
	is "$(jq -r .type got.out | tr '\n' ' ')" 'tool error end '
}

@test "behind the real adbd" {
	TC_BUILD=$BUILD "$android/setup" root
	"$android/enter" root true || skip 'no user and mount namespaces here'
	ENTER=$android/enter with_adbd 'tc-session -d $device probe'
	ended 0
	silent
	printf '%s\n' "$output" >got.out
	is "$(of '[.model, .root, .screenrecord, .perfetto.version, (.displays | length), (.free | length), (.protolog_groups | length)]')" \
		'["Pixel 9","su","1.4","v57.2",2,2,3]'
	is "$(notices)" ''
}

# ---- dry run, -v ----

@test "a dry run names the commands that are run, each once, and runs none" {
	android
	tool got.out tc-session -d "$device" --dry-run probe
	ended 0
	silent
	is "$(jq -rc 'select(.type == "command") | [.device, .phase]' got.out | sort -u)" "[\"$device\",\"probe\"]"
	is "$(cat root/.log)" ''
	jq -r 'select(.type == "command") | .text' got.out | sort >said
	probed
	sort root/.log | same said -
	is "$(tc-session -d "$device" --dry-run devices | only command -)" ''
	is "$(tc-session -d adb:abc --dry-run devices | jq -r 'select(.type == "command").text')" 'adb devices -l'
	ANDROID_SERIAL=abc tool got.out tc-session --dry-run probe
	is "$(jq -r 'select(.type == "command") | .device' got.out | sort -u)" adb:abc
	tool got.out tc-session --dry-run --all probe
	is "$(jq -rc 'select(.type == "command") | [.device, .phase]' got.out | uniq)" \
		$'[null,"devices"]\n[null,"probe"]'
}

@test "-v says each command and what came of it" {
	local text

	android
	set_fact no_root denied
	tool got.out tc-session -v -d "$device" probe
	ended 0
	diagnosed command 'cmd protolog_configuration groups list: status 0' 10
	for text in 'devices found: 1' 'id -u: status 0, 5 bytes: 2000' \
		'su root id -u: status 1, 0 bytes; errors: su: Permission denied' \
		'service check Wayland: status 0' "$device"; do
		has "$stderr" "$text"
	done
}

@test "--all goes with probe alone" {
	tool got.out tc-session --all devices
	ended 2
	diagnosed usage --all
}

# ---- what comes next ----

@test "tc-parse makes targets of what a probe says" {
	android
	tc-session -d "$device" probe >probe.out
	tool got.out tc-parse -p jank -a com.example.app probe.out
	ended 0
	is "$(jq -rc 'select(.type == "target") | [.device, .name, .via]' got.out)" \
		"[\"$device\",\"PerfettoTrace\",\"perfetto\"]"
	is "$(jq -c 'select(.type == "notice")' got.out)" ''
	: >root/.control/five_sessions
	tool got.out bash -c 'tc-session -d "$1" probe | tc-parse -p winscope' - "$device"
	has "$(jq -r 'select(.type == "notice") | .code' got.out)" session_limit
	is "$(jq -r 'select(.type == "target" and .via == "perfetto")' got.out)" ''
}
