# What tests with a device need: the embedded one, a private adb server, and the
# real adbd. Loaded after helper; what was started here is stopped in teardown.

ADBD=$ROOT/tests/fake/adbd
pids=()

# Keys of adb are those of a home of the test's own, which is made where one is wanted.
unset ADB_VENDOR_KEYS
export HOME=$TMP/home

# fake [OPTION...]: a fakeadbd whose /data is $TMP/root/data. Leaves $port, $device.
fake() {
	mkdir -p "$TMP/root/data/local/tmp"
	rm -f "$TMP/port"
	fakeadbd --root "$TMP/root" --port-file "$TMP/port" --control "$TMP/faults" \
		"$@" >"$TMP/fake.log" 2>&1 3>&- </dev/null &
	pids+=($!)
	until_true test -s "$TMP/port"
	port=$(cat "$TMP/port")
	device=tcp:127.0.0.1:$port
}

# fault LINE...: from the next stream or connection on.
fault() {
	printf '%s\n' "$@" >"$TMP/faults"
}

# needs_mount: skips where a device cannot have a /data of its own.
needs_mount() {
	mkdir -p "$TMP/probe"
	inside "$TMP/probe" true 2>/dev/null || skip 'this system makes no name spaces'
}

# adb_server: one of our own, which leaves all devices and other servers alone.
adb_server() {
	command -v adb >/dev/null || skip 'adb is not here'
	mkdir -p "$TMP/home"
	unset ADB_SERVER_SOCKET ANDROID_ADB_SERVER_ADDRESS ANDROID_SERIAL ADB_VENDOR_KEYS
	export HOME=$TMP/home TMPDIR=$TMP ADB_USB=0 ADB_EMU=0 ADB_MDNS=0
	export ANDROID_ADB_LOG_PATH=$TMP/adb.log ANDROID_ADB_SERVER_PORT
	until
		ANDROID_ADB_SERVER_PORT=$((20000 + RANDOM % 10000))
		! (: <"/dev/tcp/127.0.0.1/$ANDROID_ADB_SERVER_PORT") 2>/dev/null
	do :; done
	timeout 20 adb start-server >"$TMP/server.log" 2>&1 3>&- </dev/null
	has_server=yes
}

# connected [PORT]: the server has that device (the fake one); leaves $serial.
connected() {
	serial=127.0.0.1:${1:-$port}
	is "$(timeout 20 adb connect "$serial" </dev/null)" "connected to $serial"
	until_true eval "adb devices | grep -qx '$serial	device'"
}

# stock ARGUMENT...: the stock client, that never hangs. Leaves what `run` leaves.
stock() {
	run --separate-stderr timeout 60 adb -s "$serial" "$@" </dev/null
}

# with_adbd SCRIPT: the words of a shell, with the real adbd at tcp:127.0.0.1:15555,
# in name spaces without any network but their own, since it listens everywhere.
# ENTER is what makes them, of $TMP/root.
with_adbd() {
	mkdir -p "$TMP/root/data/local/tmp" "$TMP/probe"
	"$ADBD" --is-here 2>/dev/null || skip 'adbd is not here'
	inside -n "$TMP/probe" true 2>/dev/null || skip 'this system makes no name spaces'
	cat >"$TMP/with-adbd" <<-'END'
		device=tcp:127.0.0.1:15555
		ADBD_PORT=15555 "$ADBD" >adbd.log 2>&1 &
		pid=$!
		trap 'kill $pid; wait $pid 2>/dev/null' EXIT
		tries=0
		until devtool list $device >/dev/null 2>&1; do
			tries=$((tries + 1))
			[ $tries -lt 200 ] || { cat adbd.log; exit 1; }
			sleep 0.05
		done
	END
	echo "$1" >>"$TMP/with-adbd"
	ADBD=$ADBD run --separate-stderr timeout 60 \
		"${ENTER:-inside}" -n "$TMP/root" sh "$TMP/with-adbd" </dev/null 3>&-
}

# needs_bus: skips where there are no made-up USB devices.
needs_bus() {
	# Both umockdev and the sanitizers want to be loaded first.
	ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
	[ -x "$BUILD/tests/fakeusb" ] || skip 'umockdev is not here'
}

# bus OPTION... -- COMMAND...: the command, with these USB devices. What went on at the
# bus is in the file log.
bus() {
	run --separate-stderr timeout 60 fakeusb --log "$TMP/log" "$@" </dev/null 3>&-
}

# plugged [OPTION...] -- ARGUMENT...: our client, with the embedded device at a USB port,
# where it is called S1.
plugged() {
	local options=()

	needs_bus
	[ "${port-}" ] || fake
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	bus --device "S1=$port" "${options[@]}" -- devtool "$@"
}

# proxy [OPTION...]: one whose devices have $TMP/root/data as their /data. Leaves $url,
# $device (of the first of them).
proxy() {
	needs_mount
	mkdir -p "$TMP/root/data/local/tmp"
	proxied fakeproxy --root "$TMP/root" "$@"
}

# proxied COMMAND...: starts it, at the same port as before.
proxied() {
	rm -f "$TMP/port"
	"$@" --port "${port-0}" --port-file "$TMP/port" --control "$TMP/faults" \
		>"$TMP/proxy.log" 2>&1 3>&- </dev/null &
	served=$!
	pids+=($served)
	until_true test -s "$TMP/port"
	port=$(cat "$TMP/port")
	url=winscope:http://127.0.0.1:$port
	device=$url
}

# dev ARGUMENT...: our client.
dev() {
	run --separate-stderr timeout 60 devtool "$@" </dev/null
}

# failed STATUS NAME: it ended so, saying so.
failed() {
	ended "$1" || return 1
	is "${stderr%%:*}" "$2"
}

teardown() {
	local pid

	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ ! "${has_server-}" ] || timeout 20 adb kill-server >"$TMP/server.log" 2>&1 3>&- || true
	all_records_valid
}
