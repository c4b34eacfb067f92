# Many streams on one connection, whatever the ways of the device are.
load helper
load peers

# streams [COMMAND...]: of little and of much, at the same time, and the connection goes
# on. The command is what runs our client.
streams() {
	local client=("${@:-dev}")

	"${client[@]}" many "$device" 40 'echo out; exit 7'
	ended 0
	is "$output" '40 jobs, 160 bytes, status 7'
	"${client[@]}" many "$device" 12 'seq 50000; exit 1'
	ended 0
	is "$output" "12 jobs, $((12 * 288894)) bytes, status 1"
}

@test "many streams at once: a message at a time" {
	fake
	streams
}

@test "many streams at once: with checksums, in small messages" {
	fake --protocol 0 --max 4096 --features shell_v2
	streams
}

@test "many streams at once: with windows, wide and narrow" {
	fake --features shell_v2,delayed_ack
	streams
	fake --features shell_v2,delayed_ack --window 1
	streams
	head -c 3000000 /dev/urandom >from
	dev push "$device" from /data/local/tmp/to
	ended 0
	cmp from root/data/local/tmp/to
}

@test "many streams at once: through TLS" {
	mkdir "$HOME"
	touch known
	fake --keys "$TMP/known" --fault accept=0
	dev -a 5000 caps "$device"
	fake --keys "$TMP/known" --tls --features shell_v2,delayed_ack
	streams
}

@test "many streams at once: at a USB port" {
	fake --features shell_v2
	device=usb: streams plugged --small --
	fake --features shell_v2,delayed_ack --window 5000
	device=usb: streams plugged --packet 64 --
	is "$(grep -c violation log)" 0
}

@test "many streams at once: the real adbd" {
	with_adbd '
		devtool many $device 40 "echo out; exit 7"
		devtool many $device 12 "seq 50000; exit 1"'
	ended 0
	is "$output" "40 jobs, 160 bytes, status 7
12 jobs, $((12 * 288894)) bytes, status 1"
	is "$stderr" ''
}

@test "a device that is lost ends all streams, and says so" {
	fake
	fault 'drop 100000'
	dev many "$device" 12 'seq 50000'
	failed 69 gone
}
