# Files of the embedded device, with every fault that pulling can meet.
load helper
load peers

setup() {
	cd "$TMP"
	unset TC_DEVICE ANDROID_SERIAL
}

dir=/data/local/tmp
folder=$dir/last_winscope_tracing_session

# made NAME BYTES: a file on the device, of whose time nothing new is told.
made() {
	head -c "$2" /dev/urandom >"root$dir/$1"
	touch -d @1000000000 "root$dir/$1"
}

# file NAME [DEST [STATE]]: its record.
file() {
	printf '{"type":"file","run":"r1","session":"s1","device":"%s","path":"%s/%s","as":"shell","dest":"%s","bytes":null,"state":"%s"}\n' \
		"$device" "$dir" "$1" "${2-$1}" "${3-moved}"
}

# pulled OPTION...: tc-pull with the records in `in`, into `out`.
pulled() {
	tool got.out timeout 60 tc-pull -o out "$@" in
}

# codes: of the error records.
codes() {
	jq -r 'select(.type == "error").code' got.out
}

# holds NAME...: out has these files, whole, and nothing else.
holds() {
	is "$(ls -A out 2>/dev/null)" "$(printf '%s\n' "$@")" || return 1
	for name; do
		cmp "out/$name" "root$dir/$name" || return 1
	done
}

# ---- what works ----

@test "files are pulled, and an artifact follows each record" {
	fake
	made a 3000000
	made b 0
	made c 65537
	{ file a; file b; file c; } >in
	pulled
	ended 0
	silent
	holds a b c
	is "$(jq -r '.type + " " + (.path // "")' got.out)" "tool 
file $dir/a
artifact out/a
file $dir/b
artifact out/b
file $dir/c
artifact out/c
end "
	is "$(only artifact got.out | head -n 1)" \
		"{\"type\":\"artifact\",\"run\":\"r1\",\"session\":\"s1\",\"device\":\"$device\",\"path\":\"out/a\",\"bytes\":3000000,\"kind\":\"unknown\",\"source\":\"$dir/a\"}"
	only file got.out | cmp in
}

@test "through an adb server, and from an old device, too" {
	adb_server
	fake --protocol 0 --max 4096 --features ''
	connected
	device=adb:$serial
	made a 300000
	file a >in
	pulled
	ended 0
	holds a
	# Without a name the only one is meant.
	sed 's/"device":"[^"]*",//' in >in2
	tool got.out tc-pull -o out2 in2
	ended 0
	cmp out2/a "root$dir/a"
	TC_DEVICE=$device tool got.out tc-pull -o out3 in2
	ended 0
	tool got.out tc-pull -o out4 -d adb:none in2
	ended 69
	is "$(codes)" not_found
}

@test "foreign records pass, in order and byte for byte" {
	fake
	made a 1
	{
		echo '{"type":"zebra","x": 1}'
		file a
		echo '{"type":"zebra" , "x":2}'
	} >in
	pulled
	ended 0
	but 'tool|artifact|end' got.out | cmp in
}

@test "empty input is no work" {
	: >in
	pulled
	ended 0
	is "$(between got.out)" ''
	[ ! -e out ]
}

@test "several at once: artifacts in the order of their files" {
	fake
	for i in $(seq 30); do
		made "f$i" $((i * 10000))
		file "f$i"
	done >in
	pulled -j 8
	ended 0
	is "$(only artifact got.out | jq -r .path)" "$(only file got.out | jq -r '"out/" + .dest')"
	is "$(only artifact got.out | wc -l)" 30
	for i in $(seq 30); do
		cmp "out/f$i" "root$dir/f$i"
	done
	is "$(ls -A out | wc -l)" 30
}

@test "several at once are under way together" {
	fake --fault slow=300
	for i in 1 2 3 4 5 6; do
		made "f$i" 10
		file "f$i"
	done >in
	pulled -j 1
	ended 0
	one=$SECONDS
	start=$(date +%s%N)
	pulled --force -j 6
	ended 0
	six=$((($(date +%s%N) - start) / 1000000))
	start=$(date +%s%N)
	pulled --force -j 1
	one=$((($(date +%s%N) - start) / 1000000))
	[ $six -lt $((one * 2 / 3)) ]
}

@test "two devices at once, and names that tell them apart" {
	fake
	made a 100000
	file a >in
	one=$device
	mkdir two
	TMP=$PWD/two fake
	echo other >"two/root$dir/a"
	file a >>in
	two=$device
	pulled -j 2 --name '{run}/{serial}-{session}-{dest}'
	ended 0
	cmp "out/r1/$(tr : _ <<<"${one#tcp:}")-s1-a" "root$dir/a"
	cmp "out/r1/$(tr : _ <<<"${two#tcp:}")-s1-a" "two/root$dir/a"
	rm -r out
	# The same name twice: the first one has it, whatever --force says.
	pulled --force -j 2
	ended 1
	is "$(codes)" exists
	cmp out/a "root$dir/a"
}

@test "first bytes make the kind" {
	fake
	mkscene -s 1 | head -c 200000 >"root$dir/p"
	gzip -c "root$dir/p" >"root$dir/gz"
	zstd -q -c "root$dir/p" >"root$dir/zst"
	printf '\tWINTRACE\n' >"root$dir/w"
	printf '\0\0\0\x18ftypmp42' >"root$dir/v"
	printf '\x89PNG\r\n\x1a\n' >"root$dir/i"
	printf 'PK\x03\x04' >"root$dir/z"
	printf 'EventLog\n' >"root$dir/e"
	echo x >"root$dir/u"
	: >"root$dir/empty"
	for name in p gz zst w v i z e u empty; do
		file $name $name.perfetto-trace
	done >in
	pulled
	ended 0
	is "$(only artifact got.out | jq -r .kind | tr '\n' ' ')" \
		'perfetto perfetto perfetto winscope video image zip eventlog unknown unknown '
}

@test "a shell reads what the transfer of files may not, with what rights the record says" {
	fake --shims "$PWD/shims"
	needs_mount
	mkdir shims
	printf '#!/bin/sh\n[ "$1" = root ] && shift && echo "$1" >>"%s/su" && exec "$@"\n' "$PWD" >shims/su
	chmod +x shims/su
	made "it's a" 300000
	fault "deny it's a"
	file "it's a" >in
	pulled
	ended 0
	silent
	holds "it's a"
	sed 's/"as":"shell"/"as":"su"/' in >in2
	tool got.out tc-pull --hash --delete -o out2 in2
	ended 0
	cmp "out2/it's a" "out/it's a"
	is "$(tr '\n' ' ' <su)" 'cat stat sha256sum rm '
	[ ! -e "root$dir/it's a" ]
}

@test "a shell that complains for ever in place of reading is given up" {
	fake --shims "$PWD/shims"
	mkdir shims
	printf '#!/bin/sh\nexec yes no >&2\n' >shims/cat
	chmod +x shims/cat
	made a 1000
	fault 'deny a'
	file a >in
	pulled
	ended 74
	is "$(codes)" no_permission
	has "$stderr" 'the device says: no'
	is "$(ls -A out)" ''
}

# ---- what goes wrong with one file ----

# lost_one CODE: of two files the first one failed so; it is in no way there, and
# still on the device. Then, alone, it is the whole work.
lost_one() {
	made a 300000
	made b 100
	cp "root$dir/b" wanted
	{ file a; file b; } >in
	pulled "${@:2}"
	ended 1
	is "$(codes)" "$1"
	is "$(ls -A out)" b
	cmp out/b wanted
	diagnosed "$1" "$dir/a"
	is "$(jq -c 'select(.type == "error").subject' got.out)" "$(file a)"
	rm -r out
	made a 300000
	file a >in
	pulled "${@:2}"
	is "$(ls -A out 2>/dev/null)" ''
}

@test "a connection that is lost in the middle" {
	fake
	fault 'lose a'
	lost_one gone
	ended 69
	[ -e "root$dir/a" ]
	has "$stderr" 'after 65536 of 300000 bytes'
}

@test "a connection that is lost once: the file is pulled in a second go" {
	fake
	made a 300000
	file a >in
	fault 'lose a'
	until_true eval 'test -s out/a.* && fault' 3>&- &
	helper=$!
	pulled
	wait $helper
	ended 0
	silent
	holds a
}

@test "every connection ends early: the bytes at which do not matter" {
	fake
	made a 300000
	file a >in
	for n in 0 1 7 71 72 73 80 81 150 65608 299000; do
		fault "cut $n"
		pulled
		ended 69
		is "$(ls -A out 2>/dev/null)" ''
		fault "drop $n"
		pulled
		ended 69
		is "$(ls -A out 2>/dev/null)" ''
		[ -e "root$dir/a" ]
	done
}

@test "a device that breaks its protocol" {
	fake
	made a 300000
	file a >in
	fault 'garbage 100000'
	pulled --delete
	ended 76
	is "$(codes)" protocol
	is "$(ls -A out)" ''
	[ -e "root$dir/a" ]
}

@test "a device that does not answer any more" {
	fake
	made a 300000
	file a >in
	fault hang
	pulled --delete
	ended 75
	is "$(codes)" timed_out
	[ -e "root$dir/a" ]
}

@test "the device says that it is done before it is" {
	fake
	fault 'short a'
	lost_one truncated --delete
	ended 74
	[ -e "root$dir/a" ]
}

@test "a file that grows, before and after it was read" {
	fake
	fault 'grow a'
	lost_one growing --delete
	ended 74
	[ -e "root$dir/a" ]
	fault 'grown a'
	rm -rf out
	lost_one growing
	ended 74
}

@test "a file that changes without growing" {
	fake
	fault 'touch a'
	lost_one changed
	ended 74
}

@test "a file that never ends is given up" {
	fake
	fault 'endless a'
	lost_one growing
	ended 74
}

@test "a file that is not there, and one that vanishes" {
	fake
	fault 'vanish a'
	lost_one not_found
	ended 74
	has "$stderr" vanished
	made a 1
	{ file none; file a; } >in
	fault
	pulled
	ended 1
	is "$(codes)" not_found
	holds a
	rm -r out
	file none >in
	pulled
	ended 74
}

@test "permission denied" {
	fake --shims "$PWD/shims"
	mkdir shims
	printf '#!/bin/sh\necho "cat: $1: Permission denied" >&2\nexit 1\n' >shims/cat
	chmod +x shims/cat
	fault 'deny a'
	lost_one no_permission
	ended 74
	# No way round where commands' outputs are one.
	kill "${pids[@]}"
	fake --features stat_v2
	rm -rf out
	lost_one no_permission
}

@test "what is no regular file is not pulled" {
	fake
	mkdir "root$dir/a"
	file a >in
	pulled
	ended 74
	is "$(codes)" not_a_file
}

@test "no room on this host: what does not fit is no file, and the rest is pulled" {
	fake
	made a 300000
	made b 100
	{ file a; file b; } >in
	run --separate-stderr capture got.out sh -c 'ulimit -f 200; exec tc-pull -o out in'
	ended 1
	is "$(codes)" no_space
	holds b
	[ -e "root$dir/a" ]
	made c 300000
	file c >in
	run --separate-stderr capture got.out sh -c 'ulimit -f 200; exec tc-pull --delete -o out in'
	ended 74
	[ -e "root$dir/c" ]
}

@test "a full disk" {
	unshare -rm true 2>/dev/null || skip 'this system makes no name spaces'
	fake
	made a 3000000
	made b 100
	{ file a; file b; } >in
	mkdir full
	run --separate-stderr capture got.out unshare -rm sh -c \
		'mount -t tmpfs -o size=1m none full && tc-pull -o full in; echo $? >status; ls -A full >left'
	is "$(cat status)" 1
	is "$(codes)" no_space
	is "$(cat left)" b
}

@test "a folder that cannot be made, or written to" {
	fake
	made a 1
	file a >in
	: >out
	pulled
	ended 74
	is "$(codes)" io
	rm out
	mkdir out
	: >out/x
	pulled --name 'x/{dest}'
	ended 74
}

@test "no device, and one that does not let us in: all files are told so" {
	fake --fault auth
	made a 10
	{ file a; file b; } >in
	pulled -j 2
	ended 77
	is "$(codes | tr '\n' ' ')" 'unauthorized unauthorized '
	kill "${pids[@]}"
	until_true eval '! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null'
	pulled
	ended 69
	[ ! -e out ]
	# Some of both kinds is trouble with files.
	file a '../a' >>in
	pulled
	ended 74
}

# ---- names ----

@test "names that a peer chose get nothing outside the folder" {
	fake
	made a 10
	for name in .. ../x a/../../x /x a/b . '' a..b 'a\u0000b' 'a\nb' 'a\u001bb' 'a\u009bb' "$(printf '%0300d' 0)"; do
		file a "$name"
	done >in
	pulled --force
	ended 74
	is "$(codes | sort | uniq -c | tr -s ' ')" ' 13 bad_name'
	[ ! -e out ]
	is "$(ls | grep -v '^separate-stderr')" "$(printf '%s\n' fake.log got.out in port root)"
	# Nor through other fields, where the template has them.
	file a | sed 's/"run":"r1"/"run":"..\/r"/; s/"session":"s1"/"session":"..\/s"/' >in
	pulled --name '{run}/{dest}'
	ended 74
	pulled --name '{session}-{dest}'
	ended 74
	is "$(codes)" bad_name
	pulled
	ended 0
	file a | sed 's/"run":"r1",//' >in
	pulled --name '{run}{dest}'
	ended 74
	is "$(codes)" bad_name
}

@test "paths without sense on the device are refused" {
	fake
	made a 10
	file a | sed 's/"path":"[^"]*"/"path":"relative"/' >in
	file a | sed 's/"path":"[^"]*"/"path":null/' >>in
	file a | sed 's/"path":"[^"]*"/"path":"\/a\\u0000b"/' >>in
	file a | sed "s|\"path\":\"[^\"]*\"|\"path\":\"/$(printf '%01100d' 0)\"|" >>in
	pulled
	ended 74
	is "$(codes | tr '\n' ' ')" 'bad_name bad_name bad_name too_long '
}

@test "a file that exists stays, unless --force" {
	fake
	made a 10
	file a >in
	mkdir out
	echo old >out/a
	pulled --delete
	ended 74
	is "$(codes)" exists
	is "$(cat out/a)" old
	[ -e "root$dir/a" ]
	pulled --force
	ended 0
	holds a
	# A link is not followed.
	echo old >elsewhere
	ln -sf ../elsewhere out/a
	pulled
	ended 74
	pulled --force
	ended 0
	holds a
	is "$(cat elsewhere)" old
}

# ---- --delete, --hash, missing ----

@test "--delete removes what was pulled, and nothing else" {
	fake
	needs_mount
	made a 300000
	made b 10
	cp "root$dir/a" wanted
	fault 'short a'
	file a >in
	pulled --delete
	fault
	pulled --delete
	ended 0
	cmp out/a wanted
	[ ! -e "root$dir/a" ]
	[ -e "root$dir/b" ]
}

@test "--delete that fails is said, and the file is there" {
	fake --shims "$PWD/shims"
	mkdir shims
	printf '#!/bin/sh\necho "rm: no" >&2\nexit 1\n' >shims/rm
	chmod +x shims/rm
	made a 10
	file a >in
	pulled --delete
	ended 1
	is "$(codes)" not_removed
	is "$(only artifact got.out | wc -l)" 1
	holds a
}

@test "--hash compares with the device's, and says which one there is" {
	fake --shims "$PWD/shims"
	needs_mount
	mkdir shims
	made a 3000000
	file a >in
	pulled --hash
	ended 0
	is "$(only artifact got.out | jq -r .sha256)" "$(sha256sum <out/a | cut -d ' ' -f 1)"
	rm -r out
	printf '#!/bin/sh\necho "%064d  $1"\n' 7 >shims/sha256sum
	chmod +x shims/sha256sum
	pulled --hash --delete
	ended 74
	is "$(codes)" hash_mismatch
	is "$(ls -A out)" ''
	[ -e "root$dir/a" ]
	printf '#!/bin/sh\necho "sha256sum: not found" >&2\nexit 127\n' >shims/sha256sum
	pulled --hash
	ended 74
	is "$(codes)" no_hash
	has "$stderr" 'not found'
	printf '#!/bin/sh\nexec yes\n' >shims/sha256sum
	pulled --hash --delete
	ended 74
	is "$(codes)" no_hash
	is "$(ls -A out)" ''
	[ -e "root$dir/a" ]
}

@test "a missing file passes on and makes the status 1" {
	fake
	made a 10
	{ file x x missing; file a; file y y left_in_place; } >in
	cp "root$dir/a" "root$dir/y"
	pulled
	ended 1
	only file got.out | cmp in
	is "$(codes)" ''
	holds a y
	diagnosed missing 'x: it is not on the device'
	file x x missing | jq -c '.error = {code: "not_found", text: "find: x: none"}' >in
	pulled
	ended 1
	diagnosed missing 'x: it is not on the device: find: x: none'
}

# ---- --zip ----

@test "--zip makes an archive as Winscope writes them" {
	fake
	mkscene -s 1 | head -c 200000 >"root$dir/trace.perfetto-trace"
	printf '\tWINTRACE\n' >"root$dir/window_trace"
	printf '\tLYRTRACE\n' >"root$dir/layers_trace"
	printf '\0\0\0\x18ftypmp42' >"root$dir/screen_recording_0"
	printf '\x89PNG\r\n\x1a\n' >"root$dir/screenshot_0.png"
	printf 'EventLog\n' >"root$dir/eventlog"
	echo x >"root$dir/window_dump"
	printf 'PK\x05\x06%018d' 0 >"root$dir/view_capture_trace.zip"
	for name in trace.perfetto-trace window_trace layers_trace screen_recording_0 screenshot_0.png eventlog window_dump view_capture_trace.zip; do
		file $name
	done >in
	pulled --zip all.zip
	ended 0
	is "$(tail -n 2 got.out | head -n 1 | jq -c .)" \
		"{\"type\":\"artifact\",\"run\":\"r1\",\"device\":\"$device\",\"path\":\"all.zip\",\"bytes\":$(stat -c %s all.zip),\"kind\":\"zip\"}"
	unzip -tqq all.zip
	is "$(unzip -Z1 all.zip)" 'trace.perfetto-trace
wm/window_trace.winscope
sf/layers_trace.winscope
screen_recording_0.mp4
screenshot_0.png
eventlog/eventlog.winscope
wm/window_dump.winscope
vc/view_capture_trace.zip'
	unzip -p all.zip trace.perfetto-trace | cmp - "root$dir/trace.perfetto-trace"
	# It can be read back by what reads archives here.
	tool read.out tc-import all.zip
	ended 0
	has "$(only trace read.out)" 'all.zip:trace.perfetto-trace'
	pulled --force --zip all.zip
	ended 0
}

@test "one Perfetto trace an archive, and one run of one device" {
	fake
	for name in trace.perfetto-trace dump.perfetto-trace other; do
		mkscene -s 1 | head -c 100000 >"root$dir/$name"
	done
	echo '+' >"root$dir/u"
	{
		file trace.perfetto-trace
		file dump.perfetto-trace
		file u
		file u u2.perfetto-trace
		file other other.bin | sed 's/"r1"/"r2"/'
		file u 'ü (1)' | sed 's/"r1"/"r2"/'
		file u x/u | sed 's/"r1"/"r2"/'
	} >in
	pulled --zip z/all.zip
	ended 1
	is "$(codes | tr '\n' ' ')" 'bad_name io io io io '
	mkdir z
	pulled --force --zip z/all.zip
	is "$(only artifact got.out | jq -r 'select(.kind == "zip").path')" 'z/all.zip
z/all-2.zip
z/all-3.zip
z/all-4.zip'
	is "$(unzip -Z1 z/all.zip)" 'trace.perfetto-trace
u.winscope'
	is "$(unzip -Z1 z/all-2.zip)" dump.perfetto-trace
	is "$(unzip -Z1 z/all-3.zip)" u2.perfetto-trace
	is "$(LC_ALL=C.UTF-8 unzip -Z1 z/all-4.zip)" 'other.bin.perfetto-trace
ü (1).winscope'
	head -n 1 in >in1
	tool got.out tc-pull --force -o out --zip z/all.zip in1
	ended 0
	tool got.out tc-pull --force -o out --name '{run}/{dest}' --zip z/all.zip in1
	ended 0
	tool got.out tc-pull -o out5 --zip z/all.zip in1
	ended 1
	is "$(codes)" exists
}

@test "equal names in an archive are numbered" {
	fake
	made a.x 10
	made a.y 10
	{ file a.x; file a.x | sed 's/"s1"/"s2"/'; file a.x | sed 's/"s1"/"s3"/'; } >in
	pulled --name '{session}/{dest}' --zip a.zip
	ended 0
	is "$(unzip -Z1 a.zip)" 'a.x
a (1).x
a (2).x'
}

# ---- --last and run.json ----

# last_run: a run's folder, with run.json.
last_run() {
	mkdir -p "root$folder"
	made last_winscope_tracing_session/trace.perfetto-trace 1000
	made last_winscope_tracing_session/other 10
	cat >"root$folder/run.json" <<-'END'
		{"type":"run","run":"r-9","progress":"unpulled","host":"h","started_at":"2026-11-30T03:30:00Z","sessions":[{"id":"s1","run":"r-9","name":"PerfettoTrace","state":"started","target":{"name":"PerfettoTrace","mode":"trace","via":"perfetto","requests":[],"setup":[],"start":"","stop":"","files":[{"path":"/x","match":[],"dest":"trace.perfetto-trace"},{"path":"/y","match":[],"dest":"layers_trace"}]}}]}
	END
}

@test "--last with run.json: runs, sessions, and what is missing" {
	fake
	needs_mount
	last_run
	tool got.out tc-pull --last -d "$device" -o out
	ended 1
	is "$(only file got.out)" "{\"type\":\"file\",\"run\":\"r-9\",\"session\":\"s1\",\"device\":\"$device\",\"path\":\"$folder/layers_trace\",\"origin\":\"$folder/layers_trace\",\"dest\":\"layers_trace\",\"bytes\":null,\"state\":\"missing\"}
{\"type\":\"file\",\"run\":\"r-9\",\"device\":\"$device\",\"path\":\"$folder/other\",\"origin\":\"$folder/other\",\"dest\":\"other\",\"bytes\":10,\"state\":\"moved\"}
{\"type\":\"file\",\"run\":\"r-9\",\"session\":\"s1\",\"device\":\"$device\",\"path\":\"$folder/trace.perfetto-trace\",\"origin\":\"$folder/trace.perfetto-trace\",\"dest\":\"trace.perfetto-trace\",\"bytes\":1000,\"state\":\"moved\"}"
	is "$(ls out | tr '\n' ' ')" 'other trace.perfetto-trace '
	is "$(jq -r .progress "root$folder/run.json")" pulled
}

@test "--last without run.json, and with one that makes no sense: all files" {
	fake
	last_run
	rm "root$folder/run.json"
	mkdir "root$folder/sub"
	TC_DEVICE=$device tool got.out tc-pull --last -o out
	ended 0
	is "$(only artifact got.out | jq -r '.path + (.run // "")' | tr '\n' ' ')" 'out/other out/trace.perfetto-trace '
	for text in '' '{' '[]' '{"run":1,"sessions":7}' '{"sessions":[1,{"target":2},{"target":{"files":[{"dest":"../x"},3]}}]}'; do
		echo "$text" >"root$folder/run.json"
		tool got.out tc-pull --last --force -d "$device" -o out
		ended 0
		is "$(only artifact got.out | wc -l)" 2
	done
}

@test "--last where there was no run, and without a device" {
	fake
	tool got.out tc-pull --last -d "$device" -o out
	ended 66
	diagnosed not_found 'no last run'
	tool got.out tc-pull --last -d tcp:127.0.0.1:1 -o out
	ended 69
	tool got.out tc-pull --last -d nonsense -o out
	ended 2
	tool got.out tc-pull --last -o out in
	ended 2
}

@test "names in the folder of the last run are not believed either" {
	fake
	mkdir -p "root$folder"
	echo 1 >"root$folder/a..b"
	echo 2 >"root$folder/"$'c\nd'
	echo 3 >"root$folder/"$'\xff'
	echo 4 >"root$folder/ok"
	tool got.out tc-pull --last -d "$device" -o out
	ended 1
	is "$(codes | sort -u)" bad_name
	is "$(ls -A out)" ok
}

# progress: what run.json says of the run.
progress() {
	jq -r .progress "root$folder/run.json"
}

@test "a run is marked as pulled when all of it is here, and not before" {
	fake
	needs_mount
	last_run
	file last_winscope_tracing_session/other other | sed 's/"r1"/"r-9"/' >good
	{ cat good; file none | sed 's/"r1"/"r-9"/'; } >in
	pulled
	ended 1
	is "$(progress)" unpulled
	# Another run than the one that is there.
	sed 's/"r-9"/"r-8"/' good >in
	pulled --force
	is "$(progress)" unpulled
	# Who wrote the records was cut off.
	{ echo '{"type":"tool","tool":"tc-session","version":"1","contract":1}'; cat good; } >in
	pulled --force
	ended 1
	is "$(progress)" unpulled
	# It goes on.
	cp good in
	sed -i 's/"progress":"unpulled"/"progress":"running"/' "root$folder/run.json"
	pulled --force
	ended 0
	is "$(progress)" running
	sed -i 's/"progress":"running"/"progress":"unpulled"/' "root$folder/run.json"
	# What is missing cannot be waited for.
	{ cat good; file x x missing | sed 's/"r1"/"r-9"/'; } >in
	pulled --force --delete
	ended 1
	is "$(progress)" pulled
	[ ! -e "root$folder/other" ]
}

@test "a run that takes the folder while a file is pulled keeps its copy" {
	fake --shims "$PWD/shims"
	needs_mount
	last_run
	mkdir shims
	# Asked whose the folder is, it says so, and is another's by then.
	cat >shims/cat <<-END
		#!/bin/sh
		/bin/cat "\$@"
		sed -i s/r-9/r-8/g $folder/run.json
	END
	chmod +x shims/cat
	file last_winscope_tracing_session/other other | sed 's/"r1"/"r-9"/' >in
	pulled --delete
	ended 1
	is "$(codes)" other_run
	[ -e "root$folder/other" ]
	is "$(progress)" unpulled
	rm out/other
	pulled --delete
	ended 74
	is "$(codes)" other_run
	[ -z "$(ls -A out)" ]
}

# ---- the stream and its ends ----

@test "malformed lines end it, or are skipped with -k" {
	fake
	made a 10
	{ echo '{'; file a; } >in
	pulled
	ended 65
	[ ! -e out ]
	pulled -k
	ended 65
	holds a
}

@test "no room for the records" {
	fake
	made a 10
	file a >in
	run --separate-stderr sh -c 'tc-pull -o out in >/dev/full'
	ended 74
	diagnosed io 'write'
}

@test "the reader is gone: 141, and nothing half done" {
	fake
	for i in $(seq 200); do
		made "f$i" 10000
		file "f$i"
	done >in
	for how in '' "trap '' PIPE;"; do
		rm -rf out
		run --separate-stderr "${FRESH[@]}" bash -c "$how"' tc-pull -o out -j 4 in | head -n 3 >got.out; exit ${PIPESTATUS[0]}'
		ended 141
		silent
		is "$(ls out | grep -c '\.')" 0 || true
		[ "$(ls -A out | wc -l)" -lt 200 ]
	done
}

@test "an artifact comes out before the input has ended, whatever -j" {
	fake
	made a 100
	made b 100
	for jobs in 1 4; do
		mkfifo pipe
		background sh -c "exec tc-pull -o out$jobs -j $jobs <pipe >got.out"
		exec 9>pipe
		file a >&9
		until_true has_lines 3 got.out
		is "$(tail -n 1 got.out | jq -r .path)" "out$jobs/a"
		file b >&9
		until_true has_lines 5 got.out
		exec 9>&-
		ends "$group" 0
		rm pipe
	done
}

@test "the device is free while there is nothing to do" {
	fake
	made a 100
	mkfifo pipe
	background sh -c 'exec tc-pull -o out -j 4 <pipe >got.out'
	exec 9>pipe
	file a >&9
	until_true has_lines 3 got.out
	until_true eval '! ss -Htn state established "dport = :$port" 2>/dev/null | grep -q .'
	exec 9>&-
	ends "$group" 0
}

# started FAULT: tc-pull at work on a slow file, with a pipe for its input.
started() {
	fault "$1"
	mkfifo pipe
	background sh -c 'exec tc-pull -o out <pipe >got.out 2>err'
	exec 9>pipe
	file a >&9
	until_true eval 'ls out 2>/dev/null | grep -q "^a\."'
}

@test "the first interrupt is for who holds the pipe, and the file comes through" {
	fake
	made a 3000000
	started 'slow 200'
	kill -INT -- "-$group"
	fault
	exec 9>&-
	ends "$group" 0
	holds a
}

@test "the second interrupt gives up: no file, no temporary one, 130" {
	fake
	made a 3000000
	started 'slow 1000'
	kill -INT -- "-$group"
	sleep 0.3
	kill -INT -- "-$group"
	ends "$group" 130
	exec 9>&-
	is "$(ls -A out)" ''
	is "$(codes)" interrupted
	has "$(tail -n 1 got.out)" '"type":"end"'
}

@test "SIGTERM and SIGHUP give up at once, and so do they while it waits" {
	fake
	made a 3000000
	started 'slow 1000'
	kill -TERM -- "-$group"
	ends "$group" 143
	exec 9>&-
	is "$(ls -A out)" ''
	rm pipe
	mkfifo pipe
	background sh -c 'exec tc-pull -o out2 <pipe >got.out 2>err'
	exec 9>pipe
	echo '{"type":"x"}' >&9
	until_true has_lines 2 got.out
	kill -HUP -- "-$group"
	ends "$group" 129
	exec 9>&-
}

@test "on a terminal a line says how far it is, and is wiped out" {
	needs_terminal
	fake
	made a 3000000
	fault 'slow 300'
	file a >in
	script -qec 'env -u TC_DIAG tc-pull -o out in >got.out' /dev/null >seen </dev/null
	grep -qE $'\r0 of 1 files, [0-9.]+ of [0-9.]+ MB' seen
	grep -qE 'MB/s, [0-9]+ s left' seen
	has "$(tail -c 8 seen)" $'\r\033[K'
	holds a
	# Not where nobody looks.
	pulled --force
	silent
}

@test "options that make no sense are 2" {
	for options in '' '-o' '-o out -j 0' '-o out -j 65' '-o out -j x' '-o out --name {x}' '-o out --name ../x' '-o out --name /x' '-o out --name a}' '-o out --name x/' '-o out --nonsense'; do
		tool got.out tc-pull $options </dev/null
		ended 2
		diagnosed usage ''
	done
	tool got.out tc-pull -o out --name '' </dev/null
	ended 2
	tool got.out tc-pull -o out none
	ended 66
}

# ---- behind tc-session ----

@test "what tc-session leaves is pulled; then, and not before, the next run may start" {
	android=$ROOT/tests/fake/android
	TC_BUILD=$BUILD "$android/setup" dev
	"$android/enter" dev true || skip 'this system makes no name spaces'
	"$android/enter" dev fakeadbd --port-file "$TMP/port" >fake.log 2>&1 3>&- </dev/null &
	pids+=($!)
	until_true test -s port
	TC_DEVICE=tcp:127.0.0.1:$(cat port)
	export TC_DEVICE
	tc-parse --assume all -t SURFACE_FLINGER_TRACE </dev/null >targets
	tc-session run --for 100ms targets >one.out
	run --separate-stderr tc-session run --for 100ms targets
	ended 75
	tool got.out tc-pull -o out --hash one.out
	ended 0
	silent
	is "$(only artifact got.out | jq -r .kind)" perfetto
	cmp out/trace.perfetto-trace "dev$folder/trace.perfetto-trace"
	# Records are lost, but not what run.json says of them.
	tool last.out tc-pull --last -o last --delete
	ended 0
	is "$(only artifact last.out | jq -c '[.run, .session, .device]')" \
		"$(only artifact got.out | jq -c '[.run, .session, .device]')"
	[ ! -e "dev$folder/trace.perfetto-trace" ]
	bash -o pipefail -c 'tc-session run --for 100ms targets | tc-pull -o two --delete >two.out'
	[ -s two/trace.perfetto-trace ]
}

# ---- the real adbd ----

@test "the real adbd: files come whole, and leave" {
	with_adbd '
		head -c 20000000 /dev/urandom >/data/local/tmp/a
		: >/data/local/tmp/b
		for name in a b none; do
			echo "{\"type\":\"file\",\"run\":\"r\",\"device\":\"$device\",\"path\":\"/data/local/tmp/$name\",\"dest\":\"$name\",\"state\":\"moved\"}"
		done >in
		cp /data/local/tmp/a wanted
		tc-pull -o out -j 2 --hash --delete in >got.out 2>err; echo "status $?"
		cmp out/a wanted && ls out /data/local/tmp'
	ended 0
	is "$output" 'status 1
/data/local/tmp:

out:
a
b'
	is "$(codes)" not_found
}

@test "closed standard streams are no pipes of its own" {
	# Whoever hangs is ended, and then the status is 137.
	for streams in '<&-' '<&- >&-' '>&-' '<&- >&- 2>&-'; do
		run timeout -s KILL 10 sh -c "tc-pull -o out $streams"
		[ "$status" -eq 66 ] || [ "$status" -eq 74 ]
		run timeout -s KILL 10 sh -c "echo '{\"type\":\"log\"}' >in; tc-pull -o out in $streams"
		[ "$status" -ne 137 ]
	done
	run timeout -s KILL 10 sh -c "tc-session run <&-"
	is "$status" 66
}
