# Devices that ask for a key: whose keys they get, who is told to accept one, and TLS.
load helper
load peers

# locked [OPTION...]: a fake device that knows the keys in $TMP/known.
locked() {
	mkdir -p "$TMP/home"
	touch known
	fake --keys "$TMP/known" "$@"
}

# learn HOME...: the device gets to know these homes' keys, one after the other.
learn() {
	local home

	fault 'accept 0'
	for home; do
		HOME=$home timeout 20 devtool -a 5000 caps "$device" >/dev/null 2>&1 </dev/null
	done
	rm -f faults
}

@test "a device that knows our key gets a signature, and nobody is asked" {
	locked
	learn "$HOME"
	dev -a 5000 caps "$device"
	ended 0
	is "$stderr" ''
	is "$output" "$device 31"
	dev list "$device"
	has "$output" "$device	device	usable"
	dev run "$device" 'echo out; exit 7'
	ended 7
	is "$(grep -c 'is offered' fake.log)" 1
}

@test "a key is made where adb has it, offered, and accepted after a while" {
	locked --fault accept=300
	dev -a 5000 caps "$device"
	ended 0
	is "${#stderr_lines[@]}" 1
	has "$stderr" "asked: $device: allow USB debugging on its screen, to the key "
	has "$stderr" " of $HOME/.android/adbkey; waiting up to 5 s"
	[[ $stderr =~ \ ([0-9A-F]{2}:){15}[0-9A-F]{2}\  ]]
	is "$(stat -c '%a %F' home/.android home/.android/adbkey home/.android/adbkey.pub)" \
		$'750 directory\n600 regular file\n644 regular file'
	is "$(head -n 1 home/.android/adbkey)" '-----BEGIN PRIVATE KEY-----'
	is "$(cat known)" "$(cat home/.android/adbkey.pub)"
	is "$(cut -d ' ' -f 1 known | tr -d '\n' | wc -c)" 700
	is "$(ls home/.android)" $'adbkey\nadbkey.pub'
	# It is for good.
	dev caps "$device"
	ended 0
	is "$stderr" ''
}

@test "a key is for its owner, whatever the umask" {
	for mask in 0 077; do
		locked --fault accept=0
		(umask $mask && devtool -a 5000 caps "$device" >got 2>&1 </dev/null)
		is "$(stat -c %a home/.android/adbkey home/.android/adbkey.pub)" $'600\n644'
		[[ $(stat -c %a home/.android) = 7[05]0 ]]
		rm -r home known
	done
}

@test "without HOME, keys are in the home that the system knows" {
	needs_mount
	locked --fault accept=0
	mkdir -p root"$(echo ~root)"
	for unset in '-u HOME' HOME=; do
		# shellcheck disable=SC2086 # an option and its value
		run --separate-stderr inside root env $unset devtool -a 5000 caps "$device" </dev/null
		ended 0
		is "$output" "$device 31"
	done
	is "$(cat root/*/.android/adbkey.pub)" "$(cat known)"
	[ ! -e home/.android ]
}

@test "the fingerprint is that of the key, as devices show it" {
	locked --fault accept=0
	dev -a 5000 caps "$device"
	ended 0
	sum=$(cut -d ' ' -f 1 known | base64 -d | md5sum | cut -c 1-32 | tr a-f A-F |
		sed 's/../&:/g; s/:$//')
	has "$stderr" "to the key $sum of "
}

@test "where nobody can be told, no key is made, none is offered" {
	locked --fault accept=0
	dev caps "$device"
	failed 77 unauthorized
	has "$stderr" "the device knows none of our keys, and that of $HOME/.android/adbkey is not offered"
	dev -a 5000 list "$device"
	ended 0
	is "$output" "$device	unauthorized	-	127.0.0.1:$port	-	-"
	[ ! -e home/.android ]
	is "$(grep 'is offered' fake.log || true)" ''
}

@test "a key that nobody accepts: the wait ends by itself, by a signal, and with the device" {
	locked
	dev -a 700 caps "$device"
	failed 77 asked
	has "$stderr" "unauthorized: 127.0.0.1:$port is unauthorized: nobody has accepted the key $HOME/.android/adbkey"
	# The time for a person is on top of all others.
	dev -t 1500 -q 1000 -a 3000 caps "$device"
	failed 77 asked
	dev -s 2000 -a 20000 caps "$device"
	failed 75 asked
	has "$stderr" 'interrupted: '
	devtool -a 20000 caps "$device" >gone.out 2>gone.err </dev/null &
	client=$!
	until_true eval "[ \"\$(grep -c 'is offered' fake.log)\" -ge 4 ]"
	kill "${pids[0]}"
	status=0
	wait $client || status=$?
	is "$status" 69
	has "$(cat gone.err)" 'gone: '
}

@test "the key of the stock adb opens the device to us, and ours to the stock adb" {
	adb_server
	locked --fault accept=0
	# What adb prints depends on who was quicker.
	timeout 20 adb connect "127.0.0.1:$port" </dev/null >/dev/null
	until_true eval "adb devices | grep -qx '127.0.0.1:$port	device'"
	is "$(wc -l <known)" 1
	dev caps "$device"
	ended 0
	is "$stderr" ''
	# A home that has only our key.
	adb kill-server
	rm -r home/.android known
	locked --fault accept=0
	dev -a 5000 caps "$device"
	ended 0
	rm -f faults
	cp home/.android/adbkey made
	timeout 20 adb start-server >server.log 2>&1 3>&- </dev/null
	connected
	cmp made home/.android/adbkey
	is "$(adb pubkey made | cut -d ' ' -f 1)" "$(cut -d ' ' -f 1 known)"
	is "$(wc -l <known)" 1
	stock shell 'echo out'
	is "$output" out
}

@test "keys of others: in files and in folders, in this order, behind our own" {
	locked
	for who in one two three other; do
		mkdir $who
		learn "$TMP/$who"
		mv known $who.pub
		touch known
	done
	mkdir keys
	cp one/.android/adbkey keys/b.adb_key
	cp two/.android/adbkey keys/a.adb_key
	cp other/.android/adbkey keys/ignored
	export ADB_VENDOR_KEYS=$TMP/keys::$TMP/three/.android/adbkey:$TMP/none
	for who in one two three; do
		cp $who.pub known
		dev caps "$device"
		ended 0
		is "$stderr" ''
	done
	cp other.pub known
	dev caps "$device"
	failed 77 unauthorized
	has "$stderr" "not tried: $TMP/none: No such file or directory"
	# What is offered is our own, and nobody else's.
	: >fake.log
	fault 'accept 0'
	dev -a 5000 caps "$device"
	ended 0
	is "$(tail -n 1 known)" "$(cat home/.android/adbkey.pub)"
}

@test "a device that does not believe the first signatures gets the next ones" {
	locked
	learn "$HOME"
	mkdir other
	learn "$TMP/other"
	export ADB_VENDOR_KEYS=$TMP/other/.android/adbkey
	fault 'doubt 1'
	dev caps "$device"
	ended 0
	# After an offer it may ask again, and the first key is the one then.
	fault 'doubt 2' 'accept -1'
	dev -a 700 caps "$device"
	failed 77 asked
}

@test "what is unauthorized is called so, straight and through a server" {
	locked
	dev caps "$device"
	failed 77 unauthorized
	has "$stderr" "unauthorized: 127.0.0.1:$port is unauthorized: the device knows"
	adb_server
	run timeout 20 adb connect "127.0.0.1:$port" </dev/null
	until_true eval "adb devices | grep -qx '127.0.0.1:$port	unauthorized'"
	dev caps "adb:127.0.0.1:$port"
	failed 77 unauthorized
	has "$stderr" "unauthorized: 127.0.0.1:$port is unauthorized: allow"
	run --separate-stderr fakeadbd --tls
	ended 2
}

@test "a device that asks for ever is given up at once" {
	mkdir "$HOME"
	fake --fault auth
	dev caps "$device"
	failed 77 unauthorized
	dev -a 20000 caps "$device"
	failed 77 asked
	has "$stderr" 'asks for keys again and again'
	is "$(grep -c '^asked' <<<"$stderr")" 1
	# Slowly, it does not stretch the time for a person.
	fault 'slow 500'
	dev -a 1000 caps "$device"
	failed 77 asked
	has "$stderr" 'nobody has accepted the key'
}

@test "many at once make one key" {
	locked --fault accept=0
	for i in 1 2 3 4 5 6; do
		devtool -a 9000 caps "$device" >made.$i 2>&1 </dev/null &
		clients[i]=$!
	done
	for i in 1 2 3 4 5 6; do
		wait "${clients[i]}"
		has "$(cat made.$i)" "$device 31"
	done
	is "$(sort -u known | wc -l)" 1
	is "$(sort -u known)" "$(cat home/.android/adbkey.pub)"
	is "$(ls home/.android)" $'adbkey\nadbkey.pub'
}

@test "a key that cannot be used is named, and stays as it is" {
	command -v openssl >/dev/null || skip 'openssl is not here'
	locked --fault accept=0
	mkdir home/.android
	key=home/.android/adbkey
	: >$key
	dev -a 5000 caps "$device"
	failed 77 unauthorized
	has "$stderr" "there is none to offer: $HOME/.android/adbkey: it is empty"
	[ ! -s $key ]
	echo words >$key
	dev -a 5000 caps "$device"
	failed 77 unauthorized
	has "$stderr" 'it is no private key'
	is "$(cat $key)" words
	openssl genrsa -out $key 1024 2>/dev/null
	dev -a 5000 caps "$device"
	has "$stderr" 'no RSA key of 2048 bits'
	openssl ecparam -genkey -name prime256v1 -noout -out $key 2>/dev/null
	dev -a 5000 caps "$device"
	has "$stderr" 'no RSA key of 2048 bits'
	# Nobody is asked at the terminal for a passphrase.
	openssl genrsa -aes128 -passout pass:secret -out $key 2048 2>/dev/null
	dev -a 5000 caps "$device"
	failed 77 unauthorized
	has "$stderr" 'it wants a passphrase'
	head -c 20000 /dev/zero >$key
	dev -a 5000 caps "$device"
	has "$stderr" 'File too large'
	rm $key
	mkfifo $key
	dev -a 5000 caps "$device"
	failed 77 unauthorized
	rm $key
	mkdir $key
	dev -a 5000 caps "$device"
	has "$stderr" 'Is a directory'
	is "$(cat known)" ''
}

@test "a key of the older form is as good" {
	command -v openssl >/dev/null || skip 'openssl is not here'
	locked --fault accept=0
	mkdir home/.android
	openssl genrsa -traditional -out home/.android/adbkey 2048 2>/dev/null ||
		openssl genrsa -out home/.android/adbkey 2048 2>/dev/null
	dev -a 5000 caps "$device"
	ended 0
	# Not even the public key beside it is written.
	is "$(ls home/.android)" adbkey
	is "$(wc -l <known)" 1
}

@test "a home where no key can be written is named" {
	locked --fault accept=0
	: >home/.android
	dev -a 5000 caps "$device"
	failed 77 unauthorized
	has "$stderr" "$HOME/.android/adbkey: Not a directory"
	HOME=$TMP/no/such dev -a 5000 caps "$device"
	failed 77 unauthorized
	has "$stderr" "$TMP/no/such/.android: No such file or directory"
}

# ---- the tools ----

# record NAME: that of a file which is on the device.
record() {
	printf '{"type":"file","device":"%s","path":"/data/local/tmp/%s","dest":"%s","bytes":6,"state":"moved"}\n' \
		"$device" "$1" "$1"
}

@test "tc-session says which key to accept, in a note, and goes on when it was" {
	locked --fault accept=300
	tool probe.out tc-session -d "$device" probe
	ended 0
	is "$(jq -r 'select(.level == "note" and .code == "accept_key") | .at' <<<"$stderr")" "$device"
	has "$stderr" "of $HOME/.android/adbkey; waiting up to 120 s"
	is "$(jq -r 'select(.type == "device").state' probe.out)" device
	tool devices.out tc-session -d "$device" devices
	ended 0
	is "$stderr" ''
}

@test "tc-session ends with 77 when nobody accepts it, in the time there is" {
	locked
	export TC_AUTH_WAIT=500ms
	tool probe.out tc-session -d "$device" probe
	ended 77
	diagnosed unauthorized 'nobody has accepted the key' 2
	is "$(jq -r .code <<<"${stderr_lines[0]}")" accept_key
	TC_AUTH_WAIT=0 HOME=$TMP/other tool probe.out tc-session -d "$device" probe
	ended 77
	diagnosed unauthorized 'knows none of our keys'
	[ ! -e other ]
	# Whether it is unauthorized is seen without asking.
	tool devices.out tc-session -d "$device" devices
	ended 0
	is "$(jq -r 'select(.type == "device").state' devices.out)" unauthorized
	is "$stderr" ''
	TC_AUTH_WAIT=soon tool probe.out tc-session -d "$device" probe
	ended 2
	diagnosed usage 'TC_AUTH_WAIT soon'
}

@test "tc-session that waits for a person is ended by the first signal" {
	locked
	tool target.out tc-parse --assume all -p jank
	background tc-session -d "$device" run --for 1s target.out >run.out 2>run.err
	until_true grep -q accept_key run.err
	kill -INT "$group"
	ends "$group" 75
	is "$(jq -r 'select(.type == "session").state' run.out | sort -u)" failed
	is "$(jq -r 'select(.type == "error").code' run.out)" interrupted
}

@test "tc-pull says it once for all that it pulls at once" {
	locked --fault accept=300
	for i in 1 2 3 4; do
		echo hello >root/data/local/tmp/f$i
		record f$i
	done >files
	tool pull.out tc-pull -o out -j 4 files
	ended 0
	is "$(jq -r 'select(.type == "artifact").path' pull.out | wc -l)" 4
	is "$(jq -r .code <<<"$stderr")" accept_key
	is "$(wc -l <known)" 1
	: >known
	rm -r out
	fault 'accept -1'
	TC_AUTH_WAIT=300ms tool pull.out tc-pull -o out files
	ended 77
	is "$(jq -r 'select(.type == "error").code' pull.out | sort -u)" unauthorized
}

# ---- TLS ----

@test "by TLS: commands and files" {
	locked
	learn "$HOME"
	locked --tls --features shell_v2,cmd,stat_v2,ls_v2,delayed_ack
	dev -a 5000 list "$device"
	has "$output" "$device	device	usable"
	dev run "$device" 'echo out; echo err >&2; exit 7'
	ended 7
	is "$output" out
	is "$stderr" err
	dev two "$device" 'seq 60000' 'seq 5; exit 3'
	is "$output" "$(seq 5; echo status 3; seq 60000; echo status 0)"
	head -c 5000000 /dev/urandom >from
	dev push "$device" from /data/local/tmp/to
	ended 0
	cmp from root/data/local/tmp/to
	dev pull "$device" /data/local/tmp/to got
	ended 0
	cmp from got
	fault 'drop 100000'
	dev pull "$device" /data/local/tmp/to got
	failed 69 gone
}

@test "by TLS to an old device, in messages of one byte" {
	locked
	learn "$HOME"
	locked --tls --protocol 0 --max 4096 --fault piece=1
	dev run "$device" 'echo out; echo err >&2; exit 7'
	ended 7
	is "$output" out
	head -c 3000 /dev/urandom >root/data/small
	dev pull "$device" /data/small got
	ended 0
	cmp root/data/small got
}

@test "by TLS, the key that the device knows is shown" {
	locked
	for who in one two; do
		mkdir $who
		learn "$TMP/$who"
	done
	locked --tls
	export ADB_VENDOR_KEYS=$TMP/two/.android/adbkey
	HOME=$TMP/other dev caps "$device"
	ended 0
	tail -n 1 known >last
	mv last known
	HOME=$TMP/one dev caps "$device"
	ended 0
}

@test "by TLS, a device that does not know us has to be paired, by adb" {
	locked
	learn "$HOME"
	: >known
	locked --tls
	dev -a 5000 caps "$device"
	failed 77 unauthorized
	has "$stderr" 'does not know our key'
	has "$stderr" 'pair it once, with adb pair'
	dev list "$device"
	has "$output" "$device	unauthorized	-"
	# With no key at all, none is made: it could not be known.
	HOME=$TMP/other dev -a 5000 caps "$device"
	failed 77 unauthorized
	has "$stderr" 'adb pair'
	[ ! -e other ]
}

@test "by TLS of an older version, a device that knows us is not said to want pairing" {
	locked
	learn "$HOME"
	locked --tls --fault old-tls
	dev caps "$device"
	failed 76 protocol
	has "$stderr" 'the protocol of TLS: '
}
