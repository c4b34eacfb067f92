# Devices by name: straight to the embedded one, through an adb server, and the
# real adbd.
load helper
load peers

# ---- names ----

@test "names that mean nothing, and those that are not built in, are told apart" {
	for name in nonsense adb tcp: tcp:x:y tcp:x:0 tcp:x:65536 'tcp:[::1' tcp:[::1]x; do
		dev caps "$name"
		failed 2 usage
	done
	dev caps ios:
	failed 69 unsupported
	is "$stderr" 'unsupported: ios: devices are not built in yet'
	ANDROID_ADB_SERVER_PORT=nonsense dev caps adb:
	failed 2 usage
}

@test "nobody listens" {
	dev caps tcp:127.0.0.1:1
	failed 69 not_found
	ANDROID_ADB_SERVER_PORT=1 dev caps adb:
	failed 69 no_server
	has "$stderr" 'adb start-server'
	ANDROID_ADB_SERVER_PORT=1 dev list
	failed 69 no_server
	ADB_SERVER_SOCKET=localfilesystem:$TMP/none dev list adb:
	failed 69 no_server
}

# ---- what works with every way to every device ----

# commands NAME [merged]: with an older device, both outputs are one.
commands() {
	dev run "$1" 'echo out; echo err >&2; exit 7'
	ended 7
	if [ "${2-}" ]; then
		is "$output" $'out\nerr'
	else
		is "$output" out
		is "$stderr" err
	fi
	dev run "$1" 'kill -9 $$'
	ended 137
	dev run "$1" 'exit 255'
	ended 255
	dev run "$1" "printf '%s|' 'a  b' \"it's\" '\\' '\$HOME'
		echo second line"
	ended 0
	is "$output" "a  b|it's|\\|\$HOME|second line"
	dev run "$1" 'syntax ( error'
	[ "$status" -gt 0 ]
	dev run "$1" ''
	ended 0
	capture bytes dev_raw run "$1" 'seq 200000'
	seq 200000 | cmp - bytes
	# Two at once: one waits while the other is read.
	dev two "$1" 'seq 60000' 'seq 5; exit 3'
	ended 0
	is "$output" "$(seq 5; echo status 3; seq 60000; echo status 0)"
}

dev_raw() {
	timeout 60 devtool "$@" </dev/null
}

# files NAME
files() {
	local dir=root/data/local/tmp size

	mkdir -p "$dir/dir/sub"
	echo hello >"$dir/dir/a"
	: >"$dir/dir/empty"
	ln -s a "$dir/dir/link"
	touch -d @1000000001 "$dir/dir/a"
	dev stat "$1" /data/local/tmp/dir/a
	is "$output" '100644 6 1000000001'
	dev stat "$1" /data/local/tmp/dir/none
	ended 1
	is "$output" ''
	dev ls "$1" /data/local/tmp/dir
	ended 0
	is "$(sort -k 3 <<<"$output" | sed 's/^40[0-9]* [0-9]*/dir/')" \
		$'100644 6 a\n100644 0 empty\n120777 1 link\ndir sub'
	dev ls "$1" /data/local/tmp/none
	ended 1
	dev ls "$1" /data/local/tmp/dir/a
	failed 66 not_a_directory
	dev pull "$1" /data/local/tmp/none got
	failed 66 not_found
	for size in 0 1 65535 65536 65537 3000000; do
		head -c "$size" /dev/urandom >"from.$size"
		dev push "$1" "from.$size" "/data/local/tmp/new/to.$size"
		ended 0
		is "$output" "$size"
		cmp "from.$size" "$dir/new/to.$size"
		is "$(stat -c '%a %Y' "$dir/new/to.$size" | sed 's/66/64/')" '640 1000000000'
		dev pull "$1" "/data/local/tmp/new/to.$size" got
		ended 0
		is "$output" "$size"
		cmp "from.$size" got
	done
}

@test "straight to a device: commands and files" {
	fake
	dev list "$device"
	is "$output" "$device	device	usable	127.0.0.1:$port	Fake_Model	fake_product"
	dev caps "$device"
	is "$output" "$device 31"
	commands "$device"
	files "$device"
	is "$(echo words | timeout 20 devtool -i run "$device" 'tr a-z A-Z')" WORDS
}

@test "straight to a device that acknowledges in bulk" {
	fake --features shell_v2,stat_v2,ls_v2,delayed_ack --window 100000
	commands "$device"
	files "$device"
}

@test "straight to an old device: checksums, small messages, no packets, no status" {
	fake --protocol 0 --max 4096 --features ''
	dev caps "$device"
	is "$output" "$device 12"
	commands "$device" merged
	files "$device"
	run timeout 20 devtool -i run "$device" cat <<<words
	ended 69
	has "$output" unsupported
	# Android 4 has no exec: at all.
	fault 'refuse exec:'
	commands "$device" merged
}

@test "straight to a device that says everything in messages of one byte" {
	fake --fault piece=1
	dev run "$device" 'echo out; echo err >&2; exit 7'
	ended 7
	is "$output" out
	files_small "$device"
}

# Bytes enough to be cut at every place of every head.
files_small() {
	head -c 3000 /dev/urandom >root/data/small
	dev pull "$1" /data/small got
	ended 0
	cmp root/data/small got
	dev stat "$1" /data/small
	ended 0
	dev ls "$1" /data/local
	has "$output" ' tmp'
}

@test "through an adb server: commands and files" {
	adb_server
	fake
	connected
	dev list
	is "$output" "adb:$serial	device	usable	$serial	Fake_Model	fake_product"
	dev caps adb:
	is "$output" "adb:$serial 31"
	commands adb:
	files "adb:$serial"
	is "$(echo words | timeout 20 devtool -i run adb: 'tr a-z A-Z')" WORDS
}

@test "through an adb server to an old device" {
	adb_server
	fake --protocol 0 --max 4096 --features ''
	connected
	commands adb: merged
	files adb:
}

@test "the real adbd: commands and files" {
	with_adbd '
		devtool list $device
		devtool run $device "echo out; echo err >&2; exit 7"; echo "status $?"
		devtool run $device "kill -9 \$\$"; echo "status $?"
		echo words | devtool -i run $device "tr a-z A-Z"
		devtool two $device "seq 300000 | tail -n 1" "seq 5; exit 3"
		devtool ls $device /data/local
		devtool stat $device /data/none; echo "status $?"
		head -c 20000000 /dev/urandom >from
		devtool push $device from /data/local/tmp/new/to && cmp from /data/local/tmp/new/to
		devtool pull $device /data/local/tmp/new/to got && cmp from got
		devtool pull $device /data/none got; echo "status $?"'
	ended 0
	is "$(sed 's/^40[0-9]* [0-9]* /dir /' <<<"$output")" \
		"tcp:127.0.0.1:15555	device	usable	127.0.0.1:15555	-	-
out
status 7
status 137
WORDS
1
2
3
4
5
status 3
300000
status 0
dir tmp
status 1
20000000
20000000
status 66"
	is "$stderr" 'err
not_found: /data/none: the device says: open failed: No such file or directory'
}

@test "the real adbd does not start where there is a network" {
	"$ADBD" --is-here 2>/dev/null || skip 'adbd is not here'
	grep -qv -e '|' -e '^ *lo:' /proc/net/dev || skip 'there is no network here'
	run -77 "$ADBD"
	has "$output" 'not with a network'
}

@test "the real adbd through an adb server" {
	command -v adb >/dev/null || skip 'adb is not here'
	with_adbd '
		export HOME=$PWD ANDROID_ADB_SERVER_PORT=15037 ADB_USB=0 ADB_EMU=0 ADB_MDNS=0
		export ANDROID_ADB_LOG_PATH=$PWD/adb.log
		adb start-server 2>/dev/null
		adb connect 127.0.0.1:15555
		devtool run adb: "echo out; echo err >&2; exit 7"; echo "status $?"
		head -c 20000000 /dev/urandom >from
		devtool push adb: from /data/local/tmp/new/to && cmp from /data/local/tmp/new/to
		devtool pull adb: /data/local/tmp/new/to got && cmp from got
		adb kill-server'
	ended 0
	is "$output" 'connected to 127.0.0.1:15555
out
status 7
20000000
20000000'
	is "$stderr" err
}

# ---- choosing among the devices of a server ----

@test "no device, one, several: candidates are named, and what is unusable is none" {
	adb_server
	dev caps adb:
	failed 69 not_found
	fake --fault auth
	adb connect "127.0.0.1:$port" >/dev/null
	locked=127.0.0.1:$port
	until_true eval "adb devices | grep -q 'unauthorized'"
	dev caps adb:
	failed 77 unauthorized
	fake --model One
	connected
	one=$serial
	dev caps adb:
	is "$output" "adb:$one 31"
	dev caps "adb:$locked"
	failed 77 unauthorized
	fake --model Two
	connected
	dev caps adb:
	failed 69 ambiguous
	has "$stderr" "$one (device, One)"
	has "$stderr" "$serial (device, Two)"
	[[ $stderr != *"$locked"* ]]
	ANDROID_SERIAL=$one dev caps adb:
	is "$output" "adb:$one 31"
	ANDROID_SERIAL=$one dev caps "adb:$serial"
	is "$output" "adb:$serial 31"
	dev caps adb:other
	failed 69 not_found
	has "$stderr" "$one (device, One)"
	dev list adb:
	is "$(wc -l <<<"$output")" 3
	is "$(grep -c usable <<<"$output")" 2
}

# ---- what goes wrong ----

@test "a device that asks for a key, and one that does not answer" {
	fake
	fault auth
	dev caps "$device"
	failed 77 unauthorized
	dev list "$device"
	ended 0
	has "$output" "$device	unauthorized	-"
	fault silent
	dev -t 500 caps "$device"
	failed 69 offline
}

@test "straight to a device that is in no state for commands" {
	fake --state sideload
	dev caps "$device"
	failed 69 offline
	has "$stderr" "offline: 127.0.0.1:$port is sideload"
	dev list "$device"
	ended 0
	has "$output" "$device	sideload	-"
	fake --state recovery
	dev caps "$device"
	ended 0
}

@test "a command that hangs: the time, silence or a signal end the wait" {
	fake
	dev -t 500 run "$device" 'sleep 50'
	failed 75 timed_out
	dev -q 2000 watch "$device" 'echo one; sleep 50'
	failed 75 timed_out
	is "$output" one
	dev -s 500 run "$device" 'sleep 50'
	failed 75 interrupted
	fault hang
	dev -t 500 run "$device" 'echo never'
	failed 75 timed_out
	dev -q 500 pull "$device" /data/none got
	failed 75 timed_out
}

@test "what never ends is ended by the time or a signal, too" {
	fake
	dev -t 500 pull "$device" /dev/zero /dev/null
	failed 75 timed_out
	dev -s 500 pull "$device" /dev/zero /dev/null
	failed 75 interrupted
	dev -s 200 push "$device" /dev/zero /data/local/tmp/zeros
	failed 75 interrupted
	dev -s 500 run "$device" 'while :; do echo x; done'
	failed 75 interrupted
	fake --features shell_v2,delayed_ack --fault junk
	dev -t 500 run "$device" 'echo never'
	failed 75 timed_out
	dev -s 500 run "$device" 'echo never'
	failed 75 interrupted
}

@test "a command that is over before it has its input has not failed" {
	fake --max 4096
	head -c 200000 /dev/zero >zeros
	run --separate-stderr timeout 60 devtool -i run "$device" 'exit 3' <zeros
	ended 3
	is "$stderr" ''
}

@test "a slow device is waited for" {
	fake --fault slow=100
	dev -q 2000 run "$device" 'for i in 1 2 3; do echo $i; sleep 0.3; done'
	ended 0
	is "$output" $'1\n2\n3'
}

@test "a command that is given up gets a hangup" {
	fake
	dev -t 3000 watch "$device" 'echo $$; exec sleep 50'
	failed 75 timed_out
	until_true is_gone "$output"
}

# lost_everywhere NAME...: a connection that breaks off is found out, wherever.
lost_everywhere() {
	head -c 3000 /dev/urandom >root/data/file
	for bytes in 0 1 4 8 71 72 73 100 2000 3008 3015; do
		fault "drop $bytes"
		dev -t 20000 pull "$1" /data/file got
		failed 69 gone
	done
	for bytes in 0 1 5 6 7; do
		fault "drop $bytes"
		dev -t 20000 run "$1" 'echo x; sleep 1'
		failed 69 gone
	done
}

@test "a device that is lost in the middle is gone, after however many bytes" {
	fake
	lost_everywhere "$device"
	fault
	dev pull "$device" /data/file got
	ended 0
	cmp root/data/file got
}

@test "a stream that ends in the middle has no result" {
	fake
	head -c 3000 /dev/urandom >root/data/file
	for bytes in 0 7 8 100 3007; do
		fault "cut $bytes"
		dev pull "$device" /data/file got
		failed 69 gone
	done
	fault 'cut 7'
	dev run "$device" 'echo output'
	failed 69 gone
	# The same through a server.
	adb_server
	connected
	for bytes in 0 7 8 100 3007; do
		fault "cut $bytes"
		dev pull adb: /data/file got
		failed 69 gone
	done
}

@test "a device that talks nonsense broke the protocol" {
	fake
	head -c 3000 /dev/urandom >root/data/file
	fault 'garbage 100'
	dev pull "$device" /data/file got
	failed 76 protocol
	# And one that never was a device.
	fault 'garbage 0'
	dev caps "$device"
	failed 76 protocol
}

@test "what the device refuses to read or to write is said in its words" {
	fake
	mkdir root/data/folder
	dev pull "$device" /data/folder got
	failed 74 failed
	has "$stderr" 'Is a directory'
	dev push "$device" "$TMP/port" /data/folder
	failed 74 failed
	has "$stderr" 'File exists'
	dev push "$device" "$TMP/port" "$TMP/outside"
	failed 74 failed
	has "$stderr" 'Read-only file system'
	[ ! -e outside ]
	dev push "$device" "$TMP/port" "/data/..$TMP/outside"
	failed 74 failed
	head -c 5000000 /dev/zero >big
	dev push "$device" big /data/folder
	failed 74 failed
	dev pull "$device" "/$(printf '%01100d' 0)" got
	failed 2 too_long
}

@test "a full disk here is said, and nothing hangs" {
	[ -w /dev/full ] || skip 'no /dev/full here'
	fake
	head -c 3000000 /dev/zero >root/data/file
	dev pull "$device" /data/file /dev/full
	failed 74 io
}

@test "more output than there may be is refused, and the connection goes on" {
	fake
	dev -t 60000 run "$device" 'head -c 17000000 /dev/zero'
	failed 65 too_long
	run --separate-stderr bash -c "head -c 300000 /dev/zero | devtool -i run $device cat"
	failed 2 too_long
	run --separate-stderr bash -c "head -c 262144 /dev/zero | devtool -i run $device cat | wc -c"
	is "$output" 262144
}

@test "a folder without an end is refused" {
	fake
	mkdir root/data/local/tmp/all
	: >root/data/local/tmp/all/one
	dev ls "$device" /data/local/tmp/all
	is "$output" '100644 0 one'
	fault 'endless all'
	run --separate-stderr limited 160 timeout 60 devtool ls "$device" /data/local/tmp/all </dev/null
	failed 65 too_long
	has "$stderr" "/data/local/tmp/all: the device lists more than 16777216 bytes"
}

# ---- with the made-up Android device behind it ----

android() {
	TC_BUILD=$BUILD "$ROOT/tests/fake/android/setup" root
	"$ROOT/tests/fake/android/enter" root true || skip 'no user and mount namespaces here'
}

@test "commands and files of the Android device come through the embedded one" {
	android
	"$ROOT/tests/fake/android/enter" root fakeadbd --port-file "$TMP/port" >fake.log 2>&1 3>&- </dev/null &
	pids+=($!)
	until_true test -s port
	dev run "tcp:127.0.0.1:$(cat port)" 'id -u; getprop ro.build.version.sdk; perfetto --version'
	ended 0
	is "$(head -n 2 <<<"$output")" $'2000\n37'
	has "$output" Perfetto
	echo hello >root/data/local/tmp/file
	dev pull "tcp:127.0.0.1:$(cat port)" /data/local/tmp/file got
	cmp root/data/local/tmp/file got
	has "$(cat root/.log)" 'id -u; getprop ro.build.version.sdk; perfetto --version'
}

@test "commands of the Android device come through the real adbd" {
	android
	ENTER=$ROOT/tests/fake/android/enter with_adbd 'devtool run $device "id -u; getprop ro.build.version.sdk"'
	ended 0
	is "$output" $'2000\n37'
}
