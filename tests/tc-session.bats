# tc-session: which devices there are.
load helper
load peers

setup() {
	cd "$TMP"
	unset TC_DEVICE ANDROID_SERIAL
}

# devices FILTER FILE: what the filter makes of each device record.
devices() {
	jq -rc "select(.type == \"device\") | $1" "$2"
}

# ---- what every tool does ----

@test "a wrong option, mode or argument is status 2, and nothing else comes out" {
	local args

	for args in --nonsense '' nonsense 'devices x' '-d' '--dry-run=x devices' '-d nonsense devices'; do
		# shellcheck disable=SC2086 # words
		tool got.out tc-session $args </dev/null
		ended 2
		diagnosed usage ''
		framed 2 got.out
	done
}

@test "standard input is not read" {
	run --separate-stderr bash -c 'tc-session --dry-run devices <&-'
	ended 0
	silent
	printf 'nonsense\n' >in
	tool got.out tc-session --dry-run devices <in
	ended 0
	silent
	is "$(between got.out)" '{"type":"command","device":null,"phase":"devices","text":"adb devices -l"}'
}

@test "a full disk is status 74" {
	[ -e /dev/full ] || skip 'there is no /dev/full'
	run --separate-stderr bash -c 'tc-session --dry-run devices >/dev/full'
	ended 74
	diagnosed io ''
}

@test "a reader that is gone ends it by SIGPIPE" {
	run --separate-stderr "${FRESH[@]}" bash -c \
		'{ sleep 0.2; tc-session --dry-run devices; echo "$?" >status; } | true'
	is "$(cat status)" 141
}

# ---- devices ----

@test "devices: straight to one" {
	fake --model Made_Up
	tool got.out tc-session -d "$device" devices
	ended 0
	silent
	is "$(devices . got.out)" \
		'{"type":"device","device":"'"$device"'","platform":"android","state":"device","serial":"127.0.0.1:'"$port"'","model":"Made Up","sdk":null,"release":null,"build":null}'
	TC_DEVICE=$device tool again.out tc-session devices
	same got.out again.out
}

@test "devices: all of the adb server, usable or not" {
	fake
	adb_server
	tool got.out tc-session devices
	ended 0
	is "$(devices . got.out)" ''
	connected
	tool got.out tc-session devices
	ended 0
	silent
	is "$(devices '[.device, .state, .serial, .model]' got.out)" \
		"[\"adb:$serial\",\"device\",\"$serial\",\"Fake Model\"]"
	tool got.out tc-session -d "adb:$serial" devices
	is "$(devices .device got.out)" "adb:$serial"
}

@test "devices: one that cannot be used keeps its own word" {
	fake --state recovery
	tool got.out tc-session -d "$device" devices
	ended 0
	is "$(devices .state got.out)" recovery
}

@test "devices: no server, and no such device" {
	ANDROID_ADB_SERVER_PORT=1 tool got.out tc-session devices
	ended 69
	diagnosed no_server 'adb start-server'
	is "$(jq -c 'select(.type == "end") | .status' got.out)" 69
	adb_server
	tool got.out tc-session -d adb:none devices
	ended 69
	diagnosed not_found none
}

@test "devices: -v says what was asked, and its answer" {
	fake
	tool got.out tc-session -v -d "$device" devices
	ended 0
	diagnosed command 'devices found: 1'
}
