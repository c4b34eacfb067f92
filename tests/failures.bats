# What goes wrong with devices is said alike, whichever way they are reached.
load helper
load peers

# The word for each failure, the exit status, and how the text begins: NAME is what the
# device is called behind the prefix of its way.
failures='not_found 69 there is no device NAME
ambiguous 69 several devices (
offline 69 NAME is offline
unauthorized 77 NAME is unauthorized
no_permission 77 NAME may not be used:
busy 75 NAME is busy:
gone 69 the device was lost
timed_out 75 no answer for 0.500 s
protocol 76 *what the * sent is no'

setup() {
	cd "$TMP"
	unset TC_DEVICE ANDROID_SERIAL TC_WINSCOPE_TOKEN_FILE http_proxy ALL_PROXY
	export TC_WINSCOPE_TOKEN=secret-token
}

# fails FAILURE [NAME]: the client ended as the table says.
fails() {
	local word code text

	read -r word code text < <(grep "^$1 " <<<"$failures")
	failed "$code" "$word" || return 1
	text=${text// NAME/${2:+ $2}}
	text=${text/#NAME/${2-}}
	[[ $stderr == $word:\ $text* ]] && return
	echo "not \"$word: $text\": $stderr"
	return 1
}

# listing LINE...: an adb server that says so of its devices.
listing() {
	serving --lists "$(printf '%s\n' "$@")"$'\n'
}

serving() {
	rm -f server.port
	adbserver server.port "$@" >server.log 2>&1 3>&- </dev/null &
	pids+=($!)
	until_true test -s server.port
	unset ADB_SERVER_SOCKET ANDROID_ADB_SERVER_ADDRESS
	export ANDROID_ADB_SERVER_PORT
	ANDROID_ADB_SERVER_PORT=$(cat server.port)
}

# served: the embedded device, at an adb server that is one.
served() {
	fake
	adb_server
	connected
}

# ---- not found ----

@test "not_found, adb:" {
	listing $'A1\tdevice'
	dev caps adb:B2
	fails not_found B2
	tool got.out tc-session -d adb:B2 devices
	ended 69
	diagnosed not_found 'there is no device B2: the adb server has A1 (device)'
	listing
	dev caps adb:
	fails not_found
	tool got.out tc-session -d adb:B2 probe
	ended 69
	diagnosed not_found 'there is no device B2: the adb server has none'
}

@test "not_found, tcp:" {
	dev caps tcp:127.0.0.1:1
	fails not_found 127.0.0.1:1
}

@test "not_found, usb:" {
	plugged -- caps usb:B2
	fails not_found B2
	plugged --fault absent-ms=60000 -- caps usb:
	fails not_found
	bus --device S1 --fault absent-ms=60000 -- tc-session -d usb: --all probe
	ended 69
	is "$(jq -r '.code, .msg' <<<"$stderr")" $'not_found\nthere is no device that usb: means (is USB debugging on?)'
	# A list of none is a list.
	bus --device S1 --fault absent-ms=60000 -- tc-session -d usb: devices
	ended 0
	bus --device S1 -- tc-session -d usb:B2 devices
	ended 69
	is "$(jq -r '.code, .msg' <<<"$stderr")" $'not_found\nthere is no device B2: with adb at USB ports there is usb:S1 (Fake USB)'
}

@test "not_found, winscope:" {
	proxy --device A1
	dev caps "$url/B2"
	fails not_found B2
	kill "$served"
	wait "$served" || true
	proxy
	dev caps "$url"
	fails not_found
	tool got.out tc-session -d "$url" devices
	ended 0
	tool got.out tc-session -d "$url/B2" devices
	ended 69
	diagnosed not_found 'there is no device B2: the proxy has none'
}

# ---- ambiguous ----

@test "ambiguous, adb:" {
	listing $'A1\tdevice' $'B2\tdevice'
	dev caps adb:
	fails ambiguous
}

@test "ambiguous, usb:" {
	plugged --device S2 -- caps usb:
	fails ambiguous
}

@test "ambiguous, winscope:" {
	proxy --device A1 --device B2
	dev caps "$url"
	fails ambiguous
}

# ---- offline ----

@test "offline, adb:" {
	listing $'A1\toffline'
	for name in adb: adb:A1; do
		dev caps $name
		fails offline A1
	done
}

@test "offline, tcp:" {
	fake --fault silent
	dev -t 3000 caps "$device"
	fails offline "127.0.0.1:$port"
}

@test "offline, usb:" {
	fake --fault silent
	plugged -- -t 3000 caps usb:
	fails offline S1
}

@test "offline, winscope:" {
	proxy --device A1,offline
	for name in "$url" "$url/A1"; do
		dev caps "$name"
		fails offline A1
	done
}

# ---- unauthorized ----

@test "unauthorized, adb:" {
	listing $'A1\tunauthorized'
	dev caps adb:
	fails unauthorized A1
}

@test "unauthorized, tcp:" {
	: >known
	fake --keys "$TMP/known"
	dev caps "$device"
	fails unauthorized "127.0.0.1:$port"
}

@test "unauthorized, usb:" {
	: >known
	fake --keys "$TMP/known"
	plugged -- caps usb:
	fails unauthorized S1
}

@test "unauthorized, winscope:" {
	proxy --device A1,unauthorized
	dev caps "$url"
	fails unauthorized A1
}

# ---- no permission ----

@test "no_permission, adb:" {
	listing $'A1\tno permissions (user in plugdev group; are your udev rules wrong?)'
	dev caps adb:
	fails no_permission A1
	has "$stderr" 'no permissions (user in plugdev group; are your udev rules wrong?)'
}

@test "no_permission, usb:" {
	plugged --fault denied -- caps usb:
	fails no_permission S1
}

@test "no_permission, winscope:" {
	proxy --device 'A1,no permissions'
	dev caps "$url"
	fails no_permission A1
}

# ---- busy ----

@test "busy, adb:" {
	for state in authorizing connecting; do
		listing $'A1\t'$state
		dev -t 3000 caps adb:
		fails busy A1
		has "$stderr" "it is still $state"
	done
}

@test "busy, usb:" {
	plugged --fault busy=1000 -- -t 3000 caps usb:
	fails busy S1
}

@test "busy, winscope:" {
	proxy --device A1,connecting
	dev -t 3000 caps "$url"
	fails busy A1
}

# ---- gone ----

@test "gone, adb:" {
	served
	fault 'drop 100'
	dev run adb: 'seq 20000; sleep 1'
	fails gone
}

@test "gone, tcp:" {
	fake
	fault 'drop 100'
	dev run "$device" 'seq 20000; sleep 1'
	fails gone
	# Who listens there hangs up on us, as for pairing.
	fault brief
	dev caps "$device"
	failed 69 gone
	has "$stderr" ': the device was lost before its first word (is that the port of adbd'
}

@test "gone, usb:" {
	plugged --fault unplug=5000 -- run usb: 'seq 20000'
	fails gone
	bus --device "S1=$port" -- sh -c 'rm "$UMOCKDEV_DIR"/dev/bus/usb/*/*; devtool caps usb:'
	fails gone
	has "$stderr" '/dev/bus/usb has no S1 here'
}

@test "gone, winscope:" {
	proxy --device A1
	fault 'lose 100'
	dev run "$url" 'seq 20000'
	fails gone
}

# ---- timed out ----

@test "timed_out, adb:" {
	served
	dev -q 500 run adb: 'sleep 20'
	fails timed_out
}

@test "timed_out, tcp:" {
	fake
	dev -q 500 run "$device" 'sleep 20'
	fails timed_out
}

@test "timed_out, usb:" {
	plugged -- -q 500 run usb: 'sleep 20'
	fails timed_out
}

@test "timed_out, winscope:" {
	proxy --device A1
	dev -q 500 run "$url" 'sleep 3'
	fails timed_out
}

# ---- the protocol is broken ----

@test "protocol, adb:" {
	serving --babbles
	dev caps adb:
	fails protocol
}

@test "protocol, tcp:" {
	fake --fault garbage=0
	dev caps "$device"
	fails protocol
}

@test "protocol, usb:" {
	# What comes before its first word may be somebody else's, and is passed over.
	fake --fault garbage=1000
	plugged -- run usb: 'seq 20000'
	fails protocol
}

@test "protocol, winscope:" {
	proxy --device A1
	fault garbage
	dev caps "$url"
	fails protocol
}

# ---- the tools ----

# tools_fail FAILURE DEVICE [COMMAND...]: run by the command, they end as the table says.
tools_fail() {
	local word code tool

	read -r word code _ < <(grep "^$1 " <<<"$failures")
	printf '{"type":"file","device":"%s","path":"/data/local/tmp/f","dest":"f","state":"moved"}\n' \
		"$2" >in
	for tool in "tc-session -d $2 probe" 'tc-pull -o out in'; do
		# shellcheck disable=SC2086 # a command and its words
		run --separate-stderr timeout 60 "${@:3}" $tool </dev/null 3>&-
		ended "$code" || return 1
		is "$(tail -n 1 <<<"$stderr" | jq -r .code)" "$word" || return 1
	done
}

@test "what the client ends with, the tools end with, whenever it happens" {
	export TC_AUTH_WAIT=0
	: >known
	fake --keys "$TMP/known"
	tools_fail unauthorized "$device"
	needs_bus
	tools_fail unauthorized usb: fakeusb --device "S1=$port" --
	fake
	head -c 100000 /dev/urandom >root/data/local/tmp/f
	tools_fail gone usb: fakeusb --device "S1=$port" --fault unplug=300 --
	tools_fail protocol usb: fakeusb --device "S1=$port" --fault cut-head=300 --
	fault 'drop 300'
	tools_fail gone "$device"
	fault 'garbage 300'
	tools_fail protocol "$device"
	unset port
	proxy --device A1
	fault 'state unauthorized'
	tools_fail unauthorized "$url"
	fault 'lose 3'
	tools_fail gone "$url"
	fault garbage
	tools_fail protocol "$url"
}
