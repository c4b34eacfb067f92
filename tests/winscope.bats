# Devices of a Winscope proxy: the made-up one, and all that can be wrong with it.
load helper
load peers

folder=/data/local/tmp/last_winscope_tracing_session

setup() {
	cd "$TMP"
	unset TC_DEVICE ANDROID_SERIAL TC_WINSCOPE_TOKEN_FILE http_proxy ALL_PROXY
	export TC_WINSCOPE_TOKEN=secret-token HOME=$TMP/home
}

# android [OPTION...]: one with the made-up Android device in $TMP/dev.
android() {
	TC_BUILD=$BUILD "$ROOT/tests/fake/android/setup" dev
	"$ROOT/tests/fake/android/enter" dev true || skip 'no user and mount namespaces here'
	proxied "$ROOT/tests/fake/android/enter" dev fakeproxy --device FAKE0001 "$@"
	export TC_DEVICE=$url
}

# one [OPTION...]: a proxy with one device.
one() {
	proxy --device ABC123 "$@"
	device=$url/ABC123
}

# made NAME BYTES: a file on the device.
made() {
	head -c "$2" /dev/urandom >"root/data/local/tmp/$1"
	touch -d @1000000000 "root/data/local/tmp/$1"
}

dev_raw() {
	timeout 60 devtool "$@" </dev/null
}

# ---- names and tokens ----

@test "names of proxies: host, port, serial number, and nothing else" {
	for name in http:// http:/x http://x:0 http://x:65536 http://x:y https://x:1 ftp://x \
		http://user:word@x:1 'http://x y:1' http://x:1?a 'http://x:1/a b' 'http://x:1/a?b' \
		'http://[::1' 'http://[::1]x' x:5544 'http://x:1/é'; do
		dev caps "winscope:$name"
		failed 2 usage
	done
	dev -t 5000 caps winscope:http://127.0.0.1:1
	failed 69 no_server
	has "$stderr" http://127.0.0.1:1
	dev -t 5000 caps 'winscope:http://[::1]:1/X'
	failed 69 no_server
	has "$stderr" 'http://[::1]:1:'
	dev -t 20000 caps winscope:http://no.such.host.invalid:1
	failed 69 no_server
	# Alone it is the one of this machine.
	mkdir -p none
	inside -n none true 2>/dev/null || skip 'this system makes no name spaces'
	run --separate-stderr timeout 60 inside -n none devtool -t 5000 caps winscope: </dev/null
	failed 69 no_server
	has "$stderr" http://localhost:5544:
}

@test "a token is needed: from the environment, a file, or the place where the proxy has it" {
	one
	unset TC_WINSCOPE_TOKEN
	dev caps "$url"
	failed 77 unauthorized
	has "$stderr" TC_WINSCOPE_TOKEN
	TC_WINSCOPE_TOKEN=wrong dev caps "$url"
	failed 77 unauthorized
	has "$stderr" 'does not take the token of TC_WINSCOPE_TOKEN'
	TC_WINSCOPE_TOKEN=secret-token-and-more dev caps "$url"
	failed 77 unauthorized
	TC_WINSCOPE_TOKEN_FILE=none dev caps "$url"
	failed 66 no_input
	echo secret-token >file
	TC_WINSCOPE_TOKEN_FILE=file dev caps "$url"
	ended 0
	is "$output" "$device 84"
	TC_WINSCOPE_TOKEN=wrong TC_WINSCOPE_TOKEN_FILE=file dev caps "$url"
	failed 77 unauthorized
	: >empty
	TC_WINSCOPE_TOKEN_FILE=empty dev caps "$url"
	failed 2 usage
	mkdir -p home/.config/winscope
	printf secret-token >home/.config/winscope/.token
	dev caps "$url"
	ended 0
	echo wrong >home/.config/winscope/.token
	dev caps "$url"
	failed 77 unauthorized
	has "$stderr" "does not take the token of $TMP/home/.config/winscope/.token"
	# It is for no other proxy than that of this machine.
	dev caps winscope:http://other.invalid:1
	failed 77 unauthorized
}

@test "a token that cannot be one is refused, and not shown" {
	one
	for token in 'two words' $'line\nX-Other: header' $'\x01control' 'é'; do
		TC_WINSCOPE_TOKEN=$token dev caps "$url"
		[ "$status" -ne 0 ]
		[[ $stderr != *words* && $stderr != *X-Other* && $stderr != *control* ]]
	done
	TC_WINSCOPE_TOKEN=$(printf '%0300d' 7) dev caps "$url"
	failed 2 usage
	[[ $stderr != *0007* ]]
}

@test "the token shows nowhere: not in messages, not in the list of processes" {
	one
	fault echo
	dev caps "$url"
	failed 69 failed
	has "$stderr" 'the token was ***'
	# Nor a part of it, where an answer is too long to be shown.
	for pad in 495 500 505; do
		fault "status 500 $(printf "%0${pad}d" 0)secret-token"
		dev caps "$url"
		failed 69 failed
		[[ $stderr != *secret* ]]
	done
	fault 'version secret-token'
	dev caps "$url"
	failed 76 protocol
	[[ $stderr != *secret* ]]
	fault 'list ["secret-token"]'
	dev caps "$url"
	[[ $stderr != *secret-token* ]]
	fault
	timeout 20 devtool run "$url" 'echo started >/data/started; sleep 1' </dev/null >/dev/null &
	until_true test -s root/data/started
	run ps -ef
	has "$output" 'devtool run'
	[[ $output != *secret-token* ]]
	wait $!
	fault
	mkdir -p out
	TC_DEVICE=$url tool got.out tc-session -v devices
	[[ $stderr$(cat got.out) != *secret-token* ]]
}

@test "the proxies of the environment are not asked" {
	one
	http_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1 dev caps "$url"
	ended 0
}

@test "versions: the same first number, and not older than ours" {
	one
	for version in 6.0.2 6.0.3 6.1.0 6.12.1; do
		fault "version $version"
		dev caps "$url"
		ended 0
	done
	for version in 6.0.1 6.0.0 5.9.9 7.0.0 6 6.0 6.0.x 6.0.2.1 -6.0.2 6.0.99999999999999999999; do
		fault "version $version"
		dev caps "$url"
		failed 76 protocol
		has "$stderr" '6.0.2 is needed'
	done
	fault 'version '
	dev caps "$url"
	failed 76 protocol
	has "$stderr" 'no Winscope proxy'
}

# ---- devices ----

@test "devices: none, one, several; what cannot be used is no candidate" {
	proxy
	dev list "$url"
	ended 0
	is "$output" ''
	dev caps "$url"
	failed 69 not_found
	kill "$served"
	wait "$served" || true
	proxy --device ABC123 --device locked,unauthorized,Two --device away,offline \
		--device 'plug,no permissions' --device new,connecting
	dev list "$url"
	is "$output" "$url/ABC123	device	usable	ABC123	Fake_Model	-
$url/locked	unauthorized	-	locked	Two	-
$url/away	offline	-	away	Fake_Model	-
$url/plug	no permissions	-	plug	Fake_Model	-
$url/new	connecting	-	new	Fake_Model	-"
	dev caps "$url"
	is "$output" "$url/ABC123 84"
	dev list "$url/away"
	is "$output" "$url/away	offline	-	away	Fake_Model	-"
	dev caps "$url/locked"
	failed 77 unauthorized
	dev caps "$url/away"
	failed 69 offline
	dev caps "$url/plug"
	failed 77 no_permission
	dev -t 3000 caps "$url/new"
	failed 75 busy
	dev caps "$url/other"
	failed 69 not_found
	has "$stderr" 'ABC123 (device, Fake_Model)'
	dev list "$url/other"
	is "$output" ''
}

@test "several usable devices are ambiguous, and one is named by its serial number" {
	proxy --device 192.168.1.5:5555,device,One --device adb-X._adb-tls/Y --device off,offline
	dev caps "$url"
	failed 69 ambiguous
	has "$stderr" '192.168.1.5:5555 (device, One), adb-X._adb-tls/Y (device, Fake_Model)'
	[[ $stderr != *'off ('* ]]
	for serial in 192.168.1.5:5555 adb-X._adb-tls/Y; do
		dev caps "$url/$serial"
		is "$output" "$url/$serial 84"
		dev run "$url/$serial" 'echo here'
		is "$output" here
	done
}

@test "a list of devices that is none" {
	one
	for list in '' '[' '[{"id":"a"'; do
		fault "list $list"
		dev list "$url"
		failed 69 gone
	done
	for list in '{}' 'null' '[1]' '[{"id":"a"}]' '[{"id":1,"authorized":true}]' \
		'[{"id":"a b","authorized":true}]' '[{"id":"","authorized":true}]' \
		'[{"id":"../x","authorized":"yes"}]' '[{"id":"a\u0000b","authorized":true}]' \
		"[$(printf '{"id":"a","authorized":true},%.0s' {1..300})0]"; do
		fault "list $list"
		dev list "$url"
		failed 76 protocol
	done
	fault 'list [{"id":"a","authorized":false,"model":7},{"id":"b","authorized":false}]'
	dev list "$url"
	ended 0
}

# ---- commands ----

@test "commands: any bytes, any status; both outputs are one" {
	one
	dev run "$device" 'echo out; echo err >&2; exit 7'
	ended 7
	is "$output" $'out\nerr'
	for code in 0 1 9 10 99 100 255; do
		dev run "$device" "exit $code"
		ended "$code"
		is "$output" ''
	done
	dev run "$device" 'kill -9 $$'
	ended 137
	dev run "$device" "printf '%s|' 'a  b' \"it's\" '\\' '\$HOME' '<tc-' ' 7'
		echo second line"
	ended 0
	is "$output" "a  b|it's|\\|\$HOME|<tc-| 7|second line"
	dev run "$device" 'syntax ( error'
	[ "$status" -gt 0 ]
	dev run "$device" ''
	ended 0
	dev run "$device" "printf '%s' 'é€😀' | od -An -tx1"
	is "$output" ' c3 a9 e2 82 ac f0 9f 98 80'
	# What is no UTF-8 cannot be in a request as it is.
	dev run "$device" "$(printf "printf '%%s' '\xff\xfe it'\\\\''s' | od -An -tx1; exit 5")"
	ended 5
	is "$output" ' ff fe 20 69 74 27 73'
	dev two "$device" 'seq 60000' 'seq 5; exit 3'
	ended 0
	is "$output" "$(seq 5; echo status 3; seq 60000; echo status 0)"
}

@test "outputs of any bytes and sizes, to the limit" {
	one
	for size in 0 1 2 3 7 8 9 12287 12288 300000; do
		head -c "$size" /dev/urandom >root/data/bytes
		capture got dev_raw run "$device" 'cat /data/bytes'
		cmp got root/data/bytes
	done
	capture got dev_raw run "$device" 'seq 200000'
	seq 200000 | cmp - got
	head -c 16777216 /dev/urandom >root/data/bytes
	capture got dev_raw -t 60000 run "$device" 'cat /data/bytes'
	cmp got root/data/bytes
	dev -t 60000 run "$device" 'head -c 17000000 /dev/zero'
	failed 65 too_long
	dev run "$device" 'echo again'
	is "$output" again
}

@test "what the proxy cannot do is said" {
	one
	run --separate-stderr bash -c "echo words | timeout 20 devtool -i run $device cat"
	failed 69 unsupported
	dev push "$device" port /data/x
	failed 69 unsupported
	[ ! -e root/data/x ]
	dev run "$device" "$(printf ': %0131000d' 0)"
	failed 2 too_long
	fake
	dev keep "tcp:127.0.0.1:$port" id : : 1 1
	failed 69 unsupported
}

@test "what adb says before, between and in place of an answer" {
	one
	fault noise
	dev run "$device" 'echo out; exit 4'
	ended 4
	is "$output" out
	for bytes in 0 5 20 22 23 30 40; do
		fault "lose $bytes"
		dev run "$device" 'echo output'
		failed 69 gone
		# Half a mark of ours is nothing that the proxy says.
		[[ $stderr != *'<tc'* ]]
	done
	# The command is a part of that, whatever it says.
	fault 'lose 0'
	dev run "$device" 'echo no permissions'
	failed 69 gone
	is "$stderr" 'gone: the device was lost'
	fault 'state offline'
	dev caps "$device"
	failed 69 offline
	# Of one that was there before, it is a loss.
	fault
	devtool keep "$device" x 'echo x >/data/started' : 1000 200 </dev/null >/dev/null 2>err &
	until_true test -s root/data/started
	fault 'state offline'
	ends $! 69
	has "$(cat err)" "gone: the device was lost: the proxy says: error: device offline"
}

# ---- files ----

@test "files: told of, listed, fetched, whatever is in them and in their names" {
	one
	mkdir -p root/data/local/tmp/dir/sub
	cd root/data/local/tmp/dir
	echo hello >a
	: >empty
	: >.hidden
	ln -s a link
	ln -s none dangling
	: >$'new\nline'
	touch -d @1000000001 a
	cd "$TMP"
	dev stat "$device" /data/local/tmp/dir/a
	is "$output" '100644 6 1000000001'
	dev stat "$device" /data/local/tmp/dir/link
	is "$output" '100644 6 1000000001'
	dev stat "$device" /data/local/tmp/dir/none
	ended 1
	dev stat "$device" /data/local/tmp/dir/a/b
	ended 1
	dev ls "$device" /data/local/tmp/dir
	ended 0
	is "$(sort -k 3 <<<"$output" | sed 's/^40[0-9]* [0-9]*/dir/; s/^\(120777\) [0-9]*/\1/')" \
		$'line\n100644 0 .hidden\n100644 6 a\n120777 dangling\n100644 0 empty\n120777 link\n100644 0 new\ndir sub'
	dev ls "$device" /data/local/tmp/dir/sub
	ended 0
	is "$output" ''
	dev ls "$device" /data/local/tmp/none
	ended 1
	dev ls "$device" /data/local/tmp/dir/a
	failed 66 not_a_directory
	for size in 0 1 2 3 56 57 58 65535 65536 65537 3000000; do
		made "f$size" "$size"
		dev pull "$device" "/data/local/tmp/f$size" got
		ended 0
		is "$output" "$size"
		cmp got "root/data/local/tmp/f$size"
	done
	for name in 'a b' "it's" 'a;touch x' '$(touch x)' 'a?b#c' 'a%20b' 'é' '*' 'a//b/../c'; do
		mkdir -p "root/data/$(dirname "$name")" root/data/a/b
		head -c 100000 /dev/urandom >"root/data/$name"
		dev pull "$device" "/data/$name" got
		ended 0
		cmp got "root/data/$name"
	done
	[ ! -e root/data/x ] && [ ! -e x ] && [ ! -e root/x ]
}

@test "a file that goes while its folder is listed is left out" {
	mkdir -p bin root/data/local/tmp/dir
	cat >bin/stat <<-END
		#!/bin/sh
		for f; do :; done
		case \$f in *gone) rm "\$f" ;; esac
		exec $(command -v stat) "\$@"
	END
	chmod +x bin/stat
	PATH=$TMP/bin:$PATH one
	: >root/data/local/tmp/dir/a-gone
	: >root/data/local/tmp/dir/b
	: >root/data/local/tmp/dir/c-gone
	dev ls "$device" /data/local/tmp/dir
	ended 0
	is "$(sed 's/.* //' <<<"$output")" b
}

@test "files that are not there, and what is no file" {
	one
	dev pull "$device" /data/none got
	failed 66 not_found
	dev pull "$device" /data/local got
	failed 74 failed
	has "$stderr" 'Is a directory'
	dev pull "$device" /dev/zero got
	failed 74 failed
	has "$stderr" 'no regular file'
	dev pull "$device" '/data/none here' got
	failed 66 not_found
	made file 100
	fault null
	dev pull "$device" /data/local/tmp/file got
	failed 74 failed
	has "$stderr" 'the proxy could not read it'
	[ -w /dev/full ] || skip 'no /dev/full here'
	fault
	made file 300000
	dev pull "$device" /data/local/tmp/file /dev/full
	failed 74 io
}

@test "a file of 100 MB takes no more memory than a small one" {
	one
	head -c 50000000 /dev/urandom >root/data/big
	head -c 50000000 /dev/zero >>root/data/big
	limited 160 timeout 120 devtool pull "$device" /data/big got </dev/null
	cmp got root/data/big
}

@test "answers that are no file, or not all of it, are told from files" {
	one
	made file 300000
	for what in base64 gzip more short plain key; do
		fault "$what"
		dev pull "$device" /data/local/tmp/file got
		failed 76 protocol
		fault "$what" chunked
		dev pull "$device" /data/local/tmp/file got
		failed 76 protocol
	done
	for bytes in 1 2 10 27 28 100 5000 399999; do
		fault "cut $bytes"
		run timeout 20 devtool -t 10000 pull "$device" /data/local/tmp/file got </dev/null
		[ "$status" -eq 69 ] || [ "$status" -eq 76 ]
	done
	fault
	dev pull "$device" /data/local/tmp/file got
	cmp got root/data/local/tmp/file
}

@test "a file that never ends fills neither memory nor disk" {
	one
	made file 1000
	fault bomb
	run --separate-stderr limited 160 timeout 60 devtool pull "$device" /data/local/tmp/file got </dev/null
	failed 76 protocol
	[ "$(stat -c %s got)" -le $((65 << 20)) ]
	printf '{"type":"file","device":"%s","path":"/data/local/tmp/file","dest":"x","state":"moved"}\n' \
		"$device" >in
	tool got.out timeout 60 tc-pull -o out in
	ended 74
	is "$(jq -r 'select(.type == "error").code' got.out)" growing
	is "$(ls -A out)" ''
}

# ---- a proxy that fails ----

@test "a proxy that dies in the middle of any answer is gone" {
	one
	for bytes in 1 5 20 47; do
		fault "cut $bytes"
		dev list "$url"
		failed 69 gone
		fault "cut $bytes /runadbcmd"
		dev -t 10000 caps "$device"
		failed 69 gone
	done
	for bytes in 60 61 70 100 400; do
		fault "cut $bytes /runadbcmd"
		dev -t 10000 run "$device" 'seq 100'
		failed 69 gone
	done
	fault 'exit 60 /runadbcmd'
	dev -t 10000 run "$device" 'seq 100'
	failed 69 gone
	dev -t 10000 list "$url"
	failed 69 no_server
}

@test "a proxy that never answers: the time, silence or a signal end the wait" {
	one
	fault silent
	dev -t 500 list "$url"
	failed 75 timed_out
	dev -q 500 list "$url"
	failed 75 timed_out
	has "$stderr" 'no answer for 0.500 s'
	dev -s 300 list "$url"
	failed 75 interrupted
	fault
	dev -t 500 run "$device" 'sleep 1'
	failed 75 timed_out
	dev -q 500 watch "$device" 'echo one; sleep 2'
	failed 75 timed_out
	dev run "$device" 'echo again'
	is "$output" again
}

@test "answers of nonsense, and without an end" {
	one
	fault garbage
	dev -t 10000 list "$url"
	failed 76 protocol
	fault headers
	run --separate-stderr limited 160 timeout 20 devtool list "$url" </dev/null
	failed 76 protocol
	has "$stderr" 'header does not end'
	fault endless
	run --separate-stderr limited 160 timeout 20 devtool list "$url" </dev/null
	failed 76 protocol
	made file 1000
	for text in '{"/data/local/tmp/file": ' '{"/data/local/tmp/file": null' '{'; do
		fault "endless /fetch $text"
		run --separate-stderr limited 160 timeout 60 devtool -q 60000 pull "$device" \
			/data/local/tmp/file got </dev/null
		failed 76 protocol
	done
	for text in '"' '"\u003ctc' ' '; do
		fault "endless /runadbcmd $text"
		run --separate-stderr limited 160 timeout 60 devtool -q 60000 caps "$device" </dev/null
		failed 76 protocol
	done
	fault 'status 404 what' chunked
	dev list "$url"
	failed 76 protocol
	fault 'status 302 elsewhere'
	dev list "$url"
	failed 76 protocol
	fault 'status 400 Bad request!'
	dev list "$url"
	failed 76 protocol
	fault 'status 403 no'
	dev list "$url"
	failed 77 unauthorized
	fault 'status 500 adb is not there'
	dev list "$url"
	failed 69 failed
	has "$stderr" 'adb is not there'
	fault 'status 200 True'
	dev list "$url"
	failed 76 protocol
}

@test "an answer in chunks is as good as any other" {
	one
	made file 300000
	fault chunked
	dev list "$url"
	ended 0
	dev run "$device" 'echo out; exit 3'
	ended 3
	dev pull "$device" /data/local/tmp/file got
	cmp got root/data/local/tmp/file
}

# ---- targets that the proxy keeps ----

@test "a target is started, kept alive, and stopped, with what came of both" {
	one
	dev keep "$device" run.1 'echo it runs; echo $$ >/data/pid' \
		'cat "$TC_STARTED"; echo stopped >/data/stopped; exit 4' 1500 500
	ended 0
	is "$output" $'start 0 it runs\n\nstop 4 it runs'
	is "$(cat root/data/stopped)" stopped
	is "$(find root/data -name 'tc-winscope*' -o -name 'winscope_status*')" ''
	dev keep "$device" run.2 'echo no; exit 9' 'echo stopped >/data/never' 100 100
	ended 9
	has "$output" 'start 9 no'
	[ ! -e root/data/never ]
	is "$(find root/data -name 'tc-winscope*')" ''
}

@test "a target for which nobody asks is stopped, and is told to have been" {
	one
	fault 'keep 300'
	dev keep "$device" run.1 : 'echo late; exit 3' 3000 1500
	ended 1
	has "$output" 'stop 3 late'
}

@test "a device stops what runs when whoever asked is killed" {
	one
	devtool keep "$device" run.1 'echo x >/data/started' 'echo x >/data/stopped' \
		60000 200 </dev/null >/dev/null &
	until_true test -s root/data/started
	kill -KILL $!
	until_true test -s root/data/stopped
}

@test "what the proxy says of the end is not what counts" {
	one
	fault deaf
	dev keep "$device" run.1 : 'sleep 1; echo whole' 100 100
	ended 0
	has "$output" 'stop 0 whole'
}

# ---- the tools ----

# files [FILE]: "DEST STATE CODE" of each file.
files() {
	jq -r 'select(.type == "file") | "\(.dest) \(.state) \(.error.code // "-")"' "${1-got.out}"
}

sessions() {
	jq -r 'select(.type == "session") | "\(.name) \(.state) \(.error.code // "-")"' "${1-got.out}"
}

@test "the whole pipe, from probe to files on this host" {
	android
	tool got.out bash -o pipefail -c 'tc-session probe | tc-parse -p winscope |
		tc-session -v run --for 1500ms 2>said | tc-pull --hash --delete -o out'
	ended 0
	is "$(jq -r .msg said | grep '^alive: [A-Z]' | sort -u)" $'alive: PerfettoTrace\nalive: ScreenRecordingactive'
	is "$(sessions)" 'ScreenRecordingactive started -
PerfettoTrace started -
ScreenRecordingactive stopped -
PerfettoTrace stopped -'
	is "$(files)" $'screen_recording_active moved -\ntrace.perfetto-trace moved -'
	is "$(jq -r 'select(.type == "artifact") | "\(.path) \(.kind)"' got.out)" \
		$'out/screen_recording_active video\nout/trace.perfetto-trace perfetto'
	cmp out/trace.perfetto-trace dev/.control/trace
	is "$(jq -r 'select(.type == "device").device' got.out)" "$url/FAKE0001"
	is "$(find dev/data -name 'tc-winscope*' -o -name 'winscope_status*')" ''
	is "$(ls "dev$folder")" run.json
	grep -q '^POST /starttrace/' proxy.log
}

@test "started by one process and stopped by another, since commands start it then" {
	android
	tc-parse --assume all -t WINDOW_MANAGER_TRACE </dev/null >targets.jsonl
	tool first.out tc-session start targets.jsonl
	ended 0
	# Longer than the proxy waits for somebody who asks for what it keeps.
	sleep 6
	tool got.out tc-session stop first.out
	ended 0
	is "$(sessions | tail -n 1)" 'PerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
	tool pulled.out tc-pull --last -o out
	ended 0
	cmp out/trace.perfetto-trace dev/.control/trace
	is "$(grep -c '^POST /starttrace/' proxy.log)" 0
	grep -q '^POST /runadbcmd/' proxy.log
	is "$(find dev/data -name 'tc-winscope*')" ''
}

@test "a dump" {
	android
	tc-parse --assume all --dump -t SURFACE_FLINGER_DUMP </dev/null >targets.jsonl
	tool got.out tc-session dump targets.jsonl
	ended 0
	is "$(files)" 'dump.perfetto-trace moved -'
}

@test "a start that fails, and a stop that fails, over the proxy" {
	android
	tc-parse --assume all -t WINDOW_MANAGER_TRACE </dev/null >targets.jsonl
	echo '1|perfetto --out*|no way' >dev/.control/fail
	tool got.out tc-session run --for 200ms targets.jsonl
	ended 1
	is "$(sessions)" 'PerfettoTrace failed start_failed'
	has "$(jq -r 'select(.type == "session").error.text' got.out)" 'no way'
	rm dev/.control/fail
	echo '5|perfetto --attach*|not now' >dev/.control/fail
	tool got.out tc-session run --for 200ms --discard targets.jsonl
	ended 1
	is "$(sessions | tail -n 1)" 'PerfettoTrace failed stop_failed'
	has "$(jq -r 'select(.type == "session").error.text // empty' got.out)" 'not now'
}

@test "a capture that the proxy ends, for want of being asked, is saved and said so" {
	android
	fault 'keep 700'
	tc-parse --assume all -t WINDOW_MANAGER_TRACE </dev/null >targets.jsonl
	background tc-session run --for 20s targets.jsonl >got.out 2>err
	until_true grep -q '"state":"started"' got.out
	kill -STOP "$group"
	until_true eval '[ ! "$(ls dev/.state/sessions)" ]'
	kill -CONT "$group"
	ends "$group" 1
	is "$(sessions)" $'PerfettoTrace started -\nPerfettoTrace failed timed_out'
	is "$(files)" 'trace.perfetto-trace moved -'
	has "$(cat err)" timed_out
	cmp "dev$folder/trace.perfetto-trace" dev/.control/trace
}

@test "a capture whose process is killed stops on the device, and is recovered" {
	android
	tc-parse --assume all -t WINDOW_MANAGER_TRACE </dev/null >targets.jsonl
	background tc-session run targets.jsonl >got.out 2>err
	until_true grep -q '"state":"started"' got.out
	kill -KILL "$group"
	wait "$group" || true
	until_true eval '[ ! "$(ls dev/.state/sessions)" ]'
	tool back.out tc-session recover
	ended 1
	is "$(sessions back.out)" 'PerfettoTrace failed died'
	is "$(files back.out)" 'trace.perfetto-trace moved -'
	rm -f got.out
}

@test "a device that forgets what it was to stop: commands stop it" {
	# The proxy has its own patience with the device, of fifteen seconds.
	PATIENCE=60
	android
	tc-parse --assume all -t WINDOW_MANAGER_TRACE </dev/null >targets.jsonl
	background tc-session run --for 20s targets.jsonl >got.out 2>err
	until_true grep -q '"state":"started"' got.out
	kill -KILL "$(cat dev/data/local/tmp/tc-winscope-*.pid)"
	ends "$group" 1
	is "$(sessions)" $'PerfettoTrace started -\nPerfettoTrace failed timed_out'
	is "$(files)" 'trace.perfetto-trace moved -'
	is "$(ls dev/.state/sessions)" ''
}

@test "a proxy that dies and comes back: what ran is saved" {
	android
	tc-parse --assume all -t WINDOW_MANAGER_TRACE </dev/null >targets.jsonl
	background tc-session run --for 30s targets.jsonl >got.out 2>err
	until_true grep -q '"state":"started"' got.out
	kill -KILL "$served"
	wait "$served" || true
	until_true grep -q '"state":"lost"' got.out
	proxied "$ROOT/tests/fake/android/enter" dev fakeproxy --device FAKE0001
	ends "$group" 1
	is "$(sessions | sed -n '$p')" 'PerfettoTrace failed timed_out'
	is "$(files)" 'trace.perfetto-trace moved -'
}

@test "Ctrl-C stops and saves" {
	android
	tc-parse --assume all -t WINDOW_MANAGER_TRACE </dev/null >targets.jsonl
	background tc-session run targets.jsonl >got.out 2>err
	until_true grep -q '"state":"started"' got.out
	kill -INT "$group"
	ends "$group" 0
	is "$(sessions)" $'PerfettoTrace started -\nPerfettoTrace stopped -'
	is "$(files)" 'trace.perfetto-trace moved -'
}

@test "files that only root may read are refused with the reason" {
	one
	made file 100
	printf '{"type":"file","device":"%s","path":"/data/local/tmp/file","dest":"x","state":"moved"}\n' \
		"$device" >in
	tool got.out tc-pull --name '{serial}/{dest}' -o out in
	ended 0
	cmp out/ABC123/x root/data/local/tmp/file
	fault null
	tool got.out tc-pull -o out in
	ended 74
	has "$(jq -r 'select(.type == "error").text' got.out)" 'the proxy could not read it'
	is "$(ls out)" ABC123
}

# ---- no file outside of the output folder, whatever the way ----

# hostile DEVICE: names that lead out of the folder.
hostile() {
	local dest

	for dest in ../evil .. . / /tmp/evil a/b a/../../evil '..\\evil' 'a..b' '' 'x\u0000y' 'x\ny'; do
		printf '{"type":"file","run":"r","session":"s","device":"%s","path":"/data/local/tmp/f","dest":"%s","state":"moved"}\n' \
			"$1" "$dest" >in
		tool got.out timeout 30 tc-pull -o deep/out in
		ended 74
		is "$(jq -r 'select(.type == "error").code' got.out)" bad_name
	done
	is "$(find deep -type f)" ''
	[ ! -e evil ] && [ ! -e deep/evil ] && [ ! -e /tmp/evil ]
}

@test "a dest with .. or / is refused, straight from a device, by a server and by a proxy" {
	one
	made f 10
	hostile "$device"
	fake
	hostile "tcp:127.0.0.1:$port"
	adb_server
	connected
	hostile "adb:$serial"
}

@test "tc-pull -j: a proxy is asked for one file at a time, also of several devices" {
	local name

	mkdir -p bin
	cat >bin/stat <<-END
		#!/bin/sh
		for f; do :; done
		echo "\$f" >>/data/asked
		exec $(command -v stat) "\$@"
	END
	chmod +x bin/stat
	PATH=$TMP/bin:$PATH proxy --device A1 --device B2
	for name in a b c d; do
		made $name 100000
		printf '{"type":"file","device":"%s/%s","path":"/data/local/tmp/%s","dest":"%s","state":"moved"}\n' \
			"$url" "$([ $name = c ] && echo B2 || echo A1)" $name $name
	done >in
	tool got.out tc-pull -j 4 -o out in
	ended 0
	# Whose turn it is, of one device after the other, until all is checked.
	is "$(sed 's,.*/,,' root/data/asked | uniq | sort)" $'a\nb\nc\nd'
	for name in a b c d; do
		cmp out/$name root/data/local/tmp/$name
	done
}

@test "what a device lists as the last run's files stays in the folder, too" {
	one
	mkdir -p "root$folder"
	echo x >"root$folder/a..b"
	echo x >"root$folder/good"
	tool got.out timeout 30 tc-pull --last -d "$device" -o deep/out
	ended 1
	is "$(jq -r 'select(.type == "error").code' got.out)" bad_name
	is "$(find deep -type f)" deep/out/good
	fake
	tool got.out timeout 30 tc-pull --last -d "tcp:127.0.0.1:$port" -o deep/out2
	ended 1
	is "$(find deep/out2 -type f)" deep/out2/good
}
