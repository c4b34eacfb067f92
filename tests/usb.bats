# Devices at a USB port: libusb as it is, above a bus that is made up, with the
# embedded device behind it.
load helper
load peers

setup() {
	cd "$TMP"
	unset TC_DEVICE ANDROID_SERIAL
	needs_bus
}

dir=/data/local/tmp

# logged WORD...: what the log has of these words, and how often.
logged() {
	grep -xE "$(IFS='|'; echo "$*")" log | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/'
}

# ---- which ----

@test "usb: is the only device, and a serial number or a port one of several" {
	fake
	bus --device "S1=$port" -- devtool caps usb:
	ended 0
	is "$output" 'usb:S1 63'
	bus --device "S1=$port" --device "S2=$port" --product 'Other One' -- devtool caps usb:
	failed 69 ambiguous
	has "$stderr" 'usb:S1 (Fake USB), usb:S2 (Other One)'
	bus --device "S1=$port" --device "S2=$port" -- devtool caps usb:S2
	is "$output" 'usb:S2 63'
	bus --device "S1=$port" --device "S2=$port" -- devtool caps usb:1-1
	is "$output" 'usb:S1 63'
	bus --device "S1=$port" --device "S2=$port" -- devtool caps usb:S3
	failed 69 not_found
	has "$stderr" 'no device S3: with adb at USB ports there is usb:S1 (Fake USB), usb:S2 (Fake USB)'
	bus --device "S1=$port" --fault absent-ms=60000 -- devtool caps usb:
	failed 69 not_found
	has "$stderr" 'is USB debugging on?'
}

@test "serial numbers that several devices have, or none, or that are no word" {
	fake
	bus --device "S1=$port" --device "S1=$port" -- devtool caps usb:S1
	failed 69 ambiguous
	has "$stderr" 'usb:1-1 (Fake USB), usb:1-2 (Fake USB)'
	bus --device "S1=$port" --device "S1=$port" -- devtool caps usb:1-2
	is "$output" 'usb:1-2 63'
	bus --device "S1=$port" --no-serial -- devtool caps usb:
	is "$output" 'usb:1-1 63'
	bus --device "two words=$port" -- devtool caps usb:
	is "$output" 'usb:1-1 63'
}

@test "a list has all devices, and says which cannot be used" {
	fake
	bus --device "S1=$port" --device "S2=$port" --fault denied \
		--device "S3=$port" --fault busy=1 -- devtool list usb:
	ended 0
	is "$output" 'usb:S1	device	usable	S1	Fake USB	-
usb:S2	no permissions	-	S2	Fake USB	-
usb:S3	busy	-	S3	Fake USB	-'
	bus --device "S1=$port" --hide-texts -- devtool list usb:S1
	is "$output" 'usb:S1	device	usable	S1	Fake USB	-'
	bus --device "S1=$port" --fault absent-ms=60000 -- devtool list usb:
	ended 0
	is "$output" ''
}

@test "adb in another setting of the interface: that is set" {
	fake
	plugged --setting -- run usb: 'echo yes'
	is "$output" yes
	is "$(logged 'setting [0-9]')" 'setting 1 1'
}

# ---- what works ----

# works OPTION...: commands and files of all lengths that matter.
works() {
	local size

	plugged "$@" -- run usb: 'echo out; echo err >&2; exit 7'
	ended 7
	is "$output" out
	is "$stderr" err
	plugged "$@" -- two usb: 'seq 20000' 'seq 5; exit 3'
	ended 0
	is "$output" "$(seq 5; echo status 3; seq 20000; echo status 0)"
	for size in 0 1 512 1000000; do
		head -c "$size" /dev/urandom >from
		plugged "$@" -- push usb: from "$dir/to"
		ended 0
		is "$output" "$size"
		cmp from "root$dir/to"
		plugged "$@" -- pull usb: "$dir/to" got
		ended 0
		is "$output" "$size"
		cmp from got
	done
	is "$(grep -c violation log)" 0
}

@test "commands and files, over packets of 512 bytes" {
	fake
	works
}

@test "and of 64 and 1024 bytes, and a controller that takes 16 KiB at a time" {
	fake
	works --packet 64
	works --packet 1024 --small
}

@test "and with a device that wants sums and small payloads, or acknowledges in bulk" {
	fake --protocol 0 --max 4096 --features shell_v2,stat_v2,ls_v2
	works
	fake --features shell_v2,stat_v2,ls_v2,delayed_ack --window 100000
	works
}

@test "an empty packet follows a payload of whole packets, and nothing else" {
	fake
	# A request to open a shell: "shell,v2,raw:" and its command and a NUL.
	plugged --packet 64 -- run usb: "$(printf ': %048d' 0)"
	ended 0
	is "$(logged empty)" 'empty 1'
	plugged --packet 64 -- run usb: "$(printf ': %047d' 0)"
	ended 0
	is "$(logged empty)" ''
	plugged --packet 64 -- run usb: "$(printf ': %049d' 0)"
	ended 0
	is "$(logged empty)" ''
}

@test "less memory of the kernel's: transfers become smaller" {
	fake
	head -c 1000000 /dev/urandom >"root$dir/a"
	plugged --fault no-memory=40000 -- pull usb: "$dir/a" got
	ended 0
	cmp "root$dir/a" got
	grep -q '^refuse' log
	plugged --fault no-memory=40000 -- push usb: got "$dir/b"
	ended 0
	cmp got "root$dir/b"
	plugged --fault no-memory=8000 -- pull usb: "$dir/a" got
	ended 74
}

@test "more to be sent than there is room for: what waits goes on when there is" {
	fake --features shell_v2,stat_v2,ls_v2,delayed_ack --window 33554432
	head -c 8000000 /dev/urandom >from
	plugged --small --packet 64 -- push usb: from "$dir/to"
	ended 0
	cmp from "root$dir/to"
}

@test "a device that asks for a key gets it, and a person is told" {
	export HOME=$TMP/home
	mkdir -p home
	: >known
	fake --keys "$TMP/known" --fault accept=300
	plugged -- caps usb:
	failed 77 unauthorized
	plugged -- -a 5000 run usb: 'echo yes'
	ended 0
	is "$output" yes
	has "$stderr" 'asked: usb:S1: allow USB debugging on its screen, to the key '
	plugged --fault deaf=1 -- run usb: 'echo yes'
	ended 0
	is "$output$stderr" yes
	is "$(stat -c %a "$HOME/.android/adbkey")" 600
}

@test "the real adbd, with a bus in front of it" {
	with_adbd 'fakeusb --device S1=15555 -- sh -c "
		devtool caps usb:
		devtool run usb: \"echo out; exit 7\"
		echo \$?
		head -c 3000000 /dev/urandom >big
		devtool push usb: big /data/local/tmp/big
		devtool pull usb: /data/local/tmp/big got
		cmp big got"'
	ended 0
	is "$output" $'usb:S1 63\nout\n7\n3000000\n3000000'
}

# ---- what was there before ----

@test "a bus that stands still for a while loses nobody" {
	fake
	cat >script <<-'END'
		devtool watch usb: 'echo ready; sleep 3; echo yes' >got &
		until grep -q ready got; do sleep 0.02; done
		for i in 1 2 3 4 5; do
			kill -STOP $PPID
			sleep 0.3
			kill -CONT $PPID
			sleep 0.1
		done
		wait $!
		echo $? $(cat got)
	END
	bus --device "S1=$port" -- bash script
	is "$output" '0 ready yes'
}

@test "what somebody left in the device is passed over" {
	fake
	plugged --fault junk=20 -- run usb: 'echo yes'
	ended 0
	is "$output" yes
}

@test "what it said to somebody who did not wait for it counts for nothing" {
	export HOME=$TMP/home
	mkdir -p home
	: >known
	fake
	for word in old-name old-token; do
		plugged --fault $word -- run usb: 'echo yes'
		ended 0
		is "$output" yes
	done
	# Such as one whose user has accepted the key later, or not at all.
	fake --keys "$TMP/known" --fault accept=0
	plugged -- -a 5000 caps usb:
	ended 0
	fake --keys "$TMP/known"
	for word in old-name old-token; do
		plugged --fault $word -- -a 5000 run usb: 'echo yes'
		ended 0
		is "$output$stderr" yes
	done
}

@test "and what was on its way to a program that was killed" {
	# Such a device sends more than we receive ahead.
	fake --features shell_v2,stat_v2,ls_v2,delayed_ack
	head -c 40000000 /dev/urandom >"root$dir/big"
	cat >script <<-END
		devtool pull usb: $dir/big got &
		until [ -s got ]; do sleep 0.01; done
		kill -STOP \$!
		sleep 0.5
		kill -KILL \$!
		wait
		[ \$(stat -c %s got) -lt 40000000 ] || echo too late
		devtool run usb: 'echo yes'
	END
	bus --device "S1=$port" -- bash script
	ended 0
	is "$output" yes
	grep -q '^left [1-9]' log
}

@test "a device that misses the first word is asked again, and then reset" {
	fake
	plugged --fault deaf=1 -- run usb: 'echo yes'
	is "$output" yes
	is "$(logged connect reset)" 'connect 2'
	plugged --fault deaf=-1 -- run usb: 'echo yes'
	is "$output" yes
	is "$(logged connect reset)" $'connect 2\nreset 1\nconnect 1'
}

@test "a reset that makes another device of it: that is found at the same port" {
	fake
	plugged --fault deaf=-1 --fault renewed --fault replug-ms=200 -- run usb: 'echo yes'
	ended 0
	is "$output" yes
	is "$(logged reset 'unplug S1' 'plug S1' claim)" \
		$'plug S1 1\nclaim 1\nreset 1\nunplug S1 1\nplug S1 1\nclaim 1'
	plugged --fault deaf=-1 --fault renewed -- caps usb:
	failed 69 gone
}

@test "a device that says nothing, or does not even listen, is offline" {
	fake
	bus --device S1 -- devtool -t 3000 caps usb:
	failed 69 offline
	plugged --fault stuck=0 -- -t 3000 caps usb:
	failed 69 offline
	fault silent
	plugged -- -t 3000 caps usb:
	failed 69 offline
}

# ---- who may ----

@test "no permission: the rule for udev is told" {
	fake
	plugged --fault denied -- caps usb:
	failed 77 no_permission
	has "$stderr" 'SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ENV{ID_USB_INTERFACES}=="*:ff4201:*", MODE="0660", GROUP="plugdev", TAG+="uaccess"'
}

@test "one that another program has is tried again, and then busy" {
	fake
	plugged --fault busy=3 -- run usb: 'echo yes'
	ended 0
	is "$output" yes
	is "$(logged busy)" 'busy 3'
	plugged --fault busy=1000 -- -t 1000 caps usb:
	failed 75 busy
	has "$stderr" 'S1 is busy: another program has it'
}

@test "two of ours: the second waits until the first has let go" {
	fake
	cat >both <<-'END'
		go=/data/local/tmp/go
		devtool watch usb: "echo ready; until [ -e \${TC_FAKE_ROOT-}$go ]; do sleep 0.1; done" >first &
		until grep -q ready first; do sleep 0.1; done
		devtool -t 300 caps usb:
		echo $?
		{ sleep 0.5; : >root$go; } &
		devtool caps usb:
		wait $!
	END
	bus --device "S1=$port" -- bash both
	ended 0
	is "$output" $'75\nusb:S1 63'
	has "$stderr" busy:
	is "$(logged claim release | tail -n 2)" $'claim 1\nrelease 1'
}

# with_server [--old] SCRIPT: the words of a shell, while an adb server has the device;
# what that is told is in the file told.
with_server() {
	local option=

	[ "$1" != --old ] || { option=--old && shift; }
	cat >script <<-END
		adbserver server.port S1 $option >told 2>server.log &
		server=\$!
		trap 'kill \$server' EXIT
		until [ -s server.port ]; do sleep 0.05; done
		export ANDROID_ADB_SERVER_PORT=\$(cat server.port)
		unset ADB_SERVER_SOCKET ANDROID_ADB_SERVER_ADDRESS
		$1
	END
	rm -f server.port
	bus --device "S1=$port" -- bash script
}

@test "one that the adb server has: the other way is told" {
	fake
	with_server 'devtool -t 1000 caps usb:'
	failed 75 busy
	has "$stderr" 'S1 is busy: the adb server has it: use adb:S1, or --take'
	is "$(cat told)" ''
}

@test "and is taken from that server, and given back" {
	fake
	with_server 'devtool -T run usb: "echo yes" && cat told && devtool -t 500 caps usb:S1'
	failed 75 busy
	is "$output" $'yes\ndetach\nattach'
	with_server 'devtool -T -s 2000 watch usb: "sleep 20"; cat told'
	has "$stderr" interrupted:
	is "$output" $'detach\nattach'
}

@test "and a server that does not let go of it keeps it" {
	fake
	with_server --old 'devtool -T -t 1000 caps usb:'
	failed 75 busy
	has "$stderr" "does not let go of it (transport type doesn't support detach): use adb:S1"
}

@test "--take is what the tools call that" {
	fake
	echo yes >"root$dir/a"
	printf '{"type":"file","run":"r1","session":"s1","device":"usb:S1","path":"%s/a","as":"shell","dest":"a","bytes":null,"state":"moved"}\n' \
		$dir >in
	with_server 'tc-pull --take -o out in; cat told'
	ended 0
	cmp out/a "root$dir/a"
	is "$(grep -E '^(at|de)tach' <<<"$output" | tail -n 2)" $'detach\nattach'
	with_server 'tc-session --take -d usb: probe >device && cat told'
	ended 0
	is "$(jq -r 'select(.type == "device") | .device, .state' device)" $'usb:S1\ndevice'
	is "$output" $'detach\nattach'
	tool got.out tc-session --take -d usb: devices
	ended 2
	diagnosed usage 'devices takes no --take'
}

# ---- what goes wrong in the middle ----

# breaks FAULT STATUS NAME TEXT: a pull of 3 MB, after one and a half.
breaks() {
	plugged --fault "$1=1500000" -- pull usb: "$dir/big" got
	failed "$2" "$3" || return 1
	has "$stderr" "$4"
	cmp -n "$(stat -c %s got)" got "root$dir/big"
	[ "$(stat -c %s got)" -lt 3000000 ]
}

@test "what breaks a pull off, in one table" {
	fake
	head -c 3000000 /dev/urandom >"root$dir/big"
	breaks unplug 69 gone 'the device was lost'
	breaks stall 69 gone 'the device was lost: it has halted the connection'
	breaks fail 69 gone 'the device was lost: a transfer failed'
	breaks stuck 69 gone 'the device was lost: it takes no more bytes'
	breaks cut-head 76 protocol 'what the device sent is no message of adb'
	breaks cut-payload 76 protocol 'a payload is too short'
	fault 'garbage 1500000'
	plugged -- pull usb: "$dir/big" got
	failed 76 protocol
	has "$stderr" 'what the device sent is no message of adb'
	fault 'drop 1500000'
	plugged -- pull usb: "$dir/big" got
	failed 69 gone
}

@test "with a controller that takes 16 KiB at a time, too" {
	fake
	head -c 3000000 /dev/urandom >"root$dir/big"
	plugged --small --fault unplug=1500000 -- pull usb: "$dir/big" got
	failed 69 gone
	plugged --small --fault cut-payload=1500000 -- pull usb: "$dir/big" got
	failed 76 protocol
	plugged --small --fault cut-head=1500000 -- pull usb: "$dir/big" got
	failed 76 protocol
}

@test "time and interruption end a call" {
	fake
	plugged -- -t 500 watch usb: 'sleep 20'
	failed 75 timed_out
	plugged -- -q 2000 watch usb: 'echo one; sleep 20'
	failed 75 timed_out
	is "$output" one
	plugged -- -s 2000 watch usb: 'sleep 20'
	failed 75 interrupted
	grep -qx release log
}

@test "unplugged while nothing goes on: the next call says so" {
	fake
	plugged --fault unplug-ms=2500 -- watch usb: 'echo one; sleep 20'
	failed 69 gone
	is "$output" one
}

@test "tc-pull: what was lost in the middle leaves nothing behind" {
	fake
	head -c 3000000 /dev/urandom >"root$dir/big"
	printf '{"type":"file","run":"r1","session":"s1","device":"usb:S1","path":"%s/big","as":"shell","dest":"big","bytes":null,"state":"moved"}\n' \
		$dir >in
	bus --device "S1=$port" --fault unplug=1500000 -- tc-pull -o out in
	ended 69
	has "$stderr" '"code":"gone"'
	is "$(ls -A out 2>/dev/null)" ''
	bus --device "S1=$port" -- tc-pull -o out in
	ended 0
	cmp out/big "root$dir/big"
}

@test "tc-pull: a signal leaves the device free and nothing behind" {
	fake --fault piece=10000 --fault slow=20
	head -c 3000000 /dev/urandom >"root$dir/big"
	printf '{"type":"file","run":"r1","session":"s1","device":"usb:S1","path":"%s/big","as":"shell","dest":"big","bytes":null,"state":"moved"}\n' \
		$dir >in
	cat >script <<-'END'
		tc-pull -o out in >got.out &
		until [ "$(ls -A out 2>/dev/null)" ]; do sleep 0.01; done
		kill -TERM $!
		wait $!
		echo $? $(ls -A out)
	END
	bus --device "S1=$port" -- bash script
	is "$output" 143
	is "$(tail -n 1 log)" release
}

@test "tc-pull -j: a device that only one can have is used by one at a time" {
	local name

	fake
	for name in a b c d; do
		head -c 100000 /dev/urandom >"root$dir/$name"
		printf '{"type":"file","run":"r1","session":"s1","device":"usb:","path":"%s/%s","as":"shell","dest":"%s","bytes":null,"state":"moved"}\n' \
			$dir $name $name
	done >in
	bus --device "S1=$port" -- tc-pull -j 4 -o out in
	ended 0
	is "$(ls out | tr '\n' ' ')" 'a b c d '
	is "$(logged busy)" ''
}

@test "wait for a device that comes is no waiting by asking" {
	fake
	bus --device "S1=$port" --fault absent-ms=1500 -- devtool wait usb:S1
	ended 0
	is "$output" 'usb:S1 63'
	is "$(logged 'plug S1' claim | head -n 2)" $'plug S1 1\nclaim 1'
	bus --device "S1=$port" --fault absent-ms=60000 -- devtool -t 500 wait usb:S1
	failed 75 timed_out
	bus --device "S1=$port" --fault absent-ms=60000 -- devtool -s 500 wait usb:S1
	failed 75 interrupted
}

# android: the embedded device is the made-up Android in $TMP/dev. Leaves $port.
android() {
	TC_BUILD=$BUILD "$ROOT/tests/fake/android/setup" dev
	"$ROOT/tests/fake/android/enter" dev true || skip 'no user and mount namespaces here'
	"$ROOT/tests/fake/android/enter" dev fakeadbd --port 0 --port-file "$TMP/port" \
		>fake.log 2>&1 3>&- </dev/null &
	pids+=($!)
	until_true test -s port
	port=$(cat port)
}

@test "the whole pipe, from probe to files on this host, also of a device that is taken" {
	android
	cat >pipe <<-'END'
		set -o pipefail
		tc-session $1 -d usb: probe | tc-parse -p jank -a com.example.app |
			tc-session $1 -d usb: run --for 300ms |
			tc-pull $1 -d usb: --hash --delete -o out$1 >got.out
	END
	bus --device "S1=$port" -- bash pipe
	ended 0
	cmp out/trace.perfetto-trace dev/.control/trace
	with_server 'bash pipe --take && cat told'
	ended 0
	cmp out--take/trace.perfetto-trace dev/.control/trace
	# What was taken is given back each time.
	is "$(sort <<<"$output" | uniq -c | sed 's/ *\([0-9]*\) .*/\1/' | uniq -u)" ''
	is "$(tail -n 1 <<<"$output")" attach
	grep -q '"device":"usb:S1"' got.out
}

@test "tc-session: a device that is unplugged comes back, and all goes on" {
	android
	tc-parse --assume all -p jank -a com.example.app </dev/null >targets.jsonl
	bus --device "S1=$port" --fault unplug-ms=6000 --fault replug-ms=1000 -- \
		tc-session run -d usb: --for 12s targets.jsonl
	ended 0
	is "$(jq -r 'select(.type == "session").state' <<<"$output" | uniq | tr '\n' ' ')" \
		'started lost started stopped '
	is "$(jq -r 'select(.type == "session").device' <<<"$output" | sort -u)" usb:S1
	is "$(jq -r .code <<<"$stderr" | grep -vx note | tr '\n' ' ')" 'lost back '
}
