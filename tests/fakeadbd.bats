# The embedded device as the stock adb sees it: what passes here is a device.
load helper
load peers

@test "adb connects, and lists it with its names" {
	adb_server
	fake --product my_product --model 'My Model' --device my_device
	connected
	is "$(adb connect "$serial")" "already connected to $serial"
	has "$(adb devices -l)" 'product:my_product model:My_Model device:my_device transport_id:'
	is "$(adb -s "$serial" get-state)" device
	is "$(adb features | sort | tr '\n' ' ')" \
		'cmd fixed_push_mkdir fixed_push_symlink_timestamp ls_v2 shell_v2 stat_v2 '
}

@test "adb shell: both outputs, the status, signals and input" {
	adb_server
	fake
	connected
	stock shell 'echo out; echo err >&2; exit 7'
	ended 7
	is "$output" out
	is "$stderr" err
	stock shell 'kill -9 $$'
	ended 137
	is "$(echo words | timeout 20 adb -s "$serial" shell 'tr a-z A-Z')" WORDS
}

@test "adb exec-out passes bytes on as they are" {
	adb_server
	fake
	connected
	head -c 300000 /dev/urandom >bytes
	cp bytes root/data/bytes
	needs_mount
	timeout 20 adb -s "$serial" exec-out 'cat /data/bytes; printf "\r\n\0x"' >got </dev/null
	{
		cat bytes
		printf '\r\n\0x'
	} | cmp - got
}

@test "adb push and pull: files, folders, permissions, times, and what is missing" {
	adb_server
	fake
	connected
	head -c 3000000 /dev/urandom >big
	chmod 640 big
	touch -d @1000000000 big
	stock push big /data/local/tmp/new/big
	ended 0
	cmp big root/data/local/tmp/new/big
	is "$(stat -c '%Y' root/data/local/tmp/new/big)" 1000000000
	: >root/data/local/tmp/new/empty
	stock pull /data/local/tmp/new got
	ended 0
	cmp big got/big
	is "$(stat -c %s got/empty)" 0
	stock pull /data/none
	ended 1
	has "$output$stderr" 'No such file or directory'
	stock shell ls /data/local/tmp/new
	[ "$output" = $'big\nempty' ] || needs_mount
}

@test "adb works with the protocol of older devices too" {
	adb_server
	fake --protocol 0 --max 4096 --features cmd
	connected
	head -c 100000 /dev/urandom >some
	stock push some /data/local/tmp/some
	ended 0
	stock pull /data/local/tmp/some got
	ended 0
	cmp some got
	stock shell 'echo out; echo err >&2; exit 7'
	ended 0
	is "$output" $'out\nerr'
}

@test "adb says of a device that asks for keys for ever, and of one in recovery" {
	adb_server
	fake --fault auth
	# What it prints now depends on who was quicker.
	run timeout 20 adb connect "127.0.0.1:$port" </dev/null
	until_true eval "adb devices | grep -qx '127.0.0.1:$port	unauthorized'"
	fake --state recovery
	run timeout 20 adb connect "127.0.0.1:$port" </dev/null
	until_true eval "adb devices | grep -qx '127.0.0.1:$port	recovery'"
}

@test "adb forwards a port to it" {
	adb_server
	fake
	connected
	stock forward tcp:0 "tcp:$port"
	ended 0
	# Through the device, to the device: it answers as one.
	dev list "tcp:127.0.0.1:$output"
	ended 0
	has "$output" Fake_Model
}

@test "its port is free again when it is stopped, and nothing of it stays" {
	fake
	dev watch "$device" 'echo $PPID; exec sleep 60' &
	client=$!
	until_true eval "pgrep -g ${pids[0]} -x sleep >sleeper"
	kill "${pids[0]}"
	wait "${pids[0]}" || true
	wait $client || true
	until_true is_gone "$(cat sleeper)"
	dev list "$device"
	failed 69 not_found
}

@test "options that make no sense are 2" {
	run --separate-stderr fakeadbd --fault nonsense
	ended 2
	run --separate-stderr fakeadbd --nonsense
	ended 2
	run --separate-stderr fakeadbd word
	ended 2
	run --separate-stderr inside
	ended 2
}
