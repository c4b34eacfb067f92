load helper

# Whatever a trace is wrapped in: what comes out is what the plain trace gives.

setup() {
	cd "$TMP"
	mktrace "$DATA/scripts/a1.script" >a1.pftrace
	mktrace "$DATA/scripts/a3.script" >a3.pftrace
	tc-import a1.pftrace >a1.out
	rows a1.out >a1.rows
}

# rows FILE: what was decoded, without what is said about it.
rows() {
	but 'tool|end|trace|stat|notice|error' "$1"
}

# scene: scene.pftrace, of some megabytes, and its rows.
scene() {
	mkscene -s 20 >scene.pftrace
	tc-import scene.pftrace >scene.out
	rows scene.out >scene.rows
}

# paths FILE: of its traces, with their indexes.
paths() {
	only trace "$1" | jq -r '"\(.trace) \(.path)"'
}

# facts FILE: what is said about its only trace.
facts() {
	only trace "$1" | jq -c 'del(.path)'
	but 'tool|end|trace' "$1"
}

# same_trace FILE: reads like a1.pftrace, or the trace named.
same_trace() {
	tool got.out tc-import "$1" || return 1
	ended 0 && silent || return 1
	same <(facts "${2:-a1.out}") <(facts got.out)
	# And from a pipe.
	cat "$1" | tc-import >got.out || return 1
	same <(facts "${2:-a1.out}") <(facts got.out)
}

# patch FILE OFFSET BYTES: other bytes in that place.
patch() {
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

size() {
	wc -c <"$1" | tr -d ' '
}

# ---- compressed files ----

@test "gzip and zstd: the same records as from the plain trace, also from a pipe" {
	gzip -k a1.pftrace
	same_trace a1.pftrace.gz
	zstd -q a1.pftrace -o a1.zst
	same_trace a1.zst
	scene
	gzip -k scene.pftrace
	same_trace scene.pftrace.gz scene.out
	zstd -q scene.pftrace -o scene.zst
	same_trace scene.zst scene.out
	# Without a checksum, and with the size of the content left out.
	zstd -q --no-check <scene.pftrace >scene.zst
	same_trace scene.zst scene.out
}

@test "all members of gzip and all frames of zstd are one trace, wherever they are split" {
	local tool n

	for tool in gzip 'zstd -q'; do
		for n in 1 20 100; do
			{
				head -c $n a1.pftrace | $tool
				$tool </dev/null
				tail -c +$((n + 1)) a1.pftrace | $tool
			} >split
			same_trace split
		done
	done
	# Tapes and disks fill up with zeros.
	{
		gzip <a1.pftrace
		head -c 1000 /dev/zero
	} >padded.gz
	same_trace padded.gz
	# A frame to be skipped, in front and in the middle.
	{
		printf '\x50\x2a\x4d\x18\x03\0\0\0abc'
		head -c 20 a1.pftrace | zstd -q
		printf '\x5f\x2a\x4d\x18\0\0\0\0'
		tail -c +21 a1.pftrace | zstd -q
	} >skip.zst
	same_trace skip.zst
}

@test "two traces one after the other are one trace, plain or compressed" {
	cat a1.pftrace a3.pftrace >both.pftrace
	tool both.out tc-import both.pftrace
	ended 0
	is "$(paths both.out)" '0 both.pftrace'
	is "$(only trace both.out | jq .packets)" \
		$(($(only trace a1.out | jq .packets) + $(tc-import a3.pftrace | jq 'select(.type == "trace").packets')))
	for tool in gzip 'zstd -q'; do
		{
			$tool <a1.pftrace
			$tool <a3.pftrace
		} >both
		same_trace both both.out
	done
}

@test "the size of a compressed trace is that of what was in it" {
	gzip -k a1.pftrace
	tool got.out tc-import a1.pftrace.gz
	is "$(only trace got.out | jq -c '[.path, .bytes]')" "[\"a1.pftrace.gz\",$(size a1.pftrace)]"
}

@test "a compressed file that is cut: what is before the cut comes out, and that it is cut" {
	local file n whole

	scene
	gzip -k scene.pftrace
	zstd -q scene.pftrace -o scene.zst
	for file in scene.pftrace.gz scene.zst; do
		n=$(size $file)
		whole=$(wc -l <scene.rows)
		for cut in $((n / 2)) $((n - 1)); do
			head -c $cut $file >cut
			tool got.out tc-import cut
			ended 0
			silent
			is "$(only trace got.out | jq .truncated)" true
			has "$(counters got.out)" 'container_cut 1 data_loss'
			[ "$(rows got.out | wc -l)" -gt $((whole * (cut - 300000) / n)) ]
			[ "$(rows got.out | wc -l)" -le "$whole" ]
			cat cut | tool pipe.out tc-import
			same <(facts got.out) <(facts pipe.out)
		done
		# All of the data is there, only the checksum is not.
		same scene.rows <(rows got.out)
	done
	# Cut before the first packet.
	for n in 3 12; do
		head -c $n scene.pftrace.gz >cut
		tool got.out tc-import cut
		ended 65
		diagnosed malformed 'cut: the gzip data is cut before the first packet'
	done
}

@test "a compressed file that is damaged: 65, with everything before the damage" {
	gzip -k a1.pftrace
	cp a1.pftrace.gz sum.gz
	patch sum.gz $(($(size sum.gz) - 8)) 'XXXX'
	zstd -q --check a1.pftrace -o sum.zst
	patch sum.zst $(($(size sum.zst) - 4)) 'XXXX'
	for file in sum.gz sum.zst; do
		tool got.out tc-import $file
		ended 65
		diagnosed malformed "$file: the ${file#sum.}"
		rows got.out >got
		has "$(counters got.out)" 'trace_damaged_at_byte'
		# zstd holds a block back until its checksum is right.
		[ $file = sum.zst ] || same a1.rows got
	done
	# In the middle of a large one.
	scene
	zstd -q scene.pftrace -o scene.zst
	patch scene.zst $(($(size scene.zst) / 2)) '\xff\xff\xff\xff\xff\xff\xff\xff'
	tool got.out tc-import scene.zst
	ended 65
	diagnosed malformed 'scene.zst: '
	[ "$(rows got.out | wc -l)" -gt 100 ]
}

@test "something else behind compressed data is damage, and takes nothing away" {
	for tool in gzip 'zstd -q'; do
		{
			$tool <a1.pftrace
			echo 'something else'
		} >trailing
		tool got.out tc-import trailing
		ended 65
		diagnosed malformed 'trailing: something else follows'
		same a1.rows <(rows got.out)
		has "$(counters got.out)" "trace_damaged_at_byte $(size a1.pftrace) error"
	done
}

@test "what is compressed and no trace is called what it is" {
	echo '{"traceEvents":[]}' | gzip >json.gz
	tool got.out tc-import json.gz
	ended 65
	diagnosed malformed 'json.gz: not a Perfetto trace but JSON (byte '
	printf 'TRACE:\n\x78\x9c' | zstd -q >ctrace.zst
	tool got.out tc-import ctrace.zst
	ended 65
	diagnosed malformed 'ctrace.zst: not a Perfetto trace but systrace text'
	gzip <a1.pftrace | gzip >twice.gz
	tool got.out tc-import twice.gz
	ended 65
	diagnosed malformed 'not a Perfetto trace but gzip'
	gzip </dev/null >nothing.gz
	tool got.out tc-import nothing.gz
	ended 65
	diagnosed malformed 'nothing.gz: not a Perfetto trace but compressed data with nothing in it'
	# A frame that is to be skipped, and no other.
	printf '\x50\x2a\x4d\x18\4\0\0\0text' >skipped.zst
	tool got.out tc-import skipped.zst
	ended 65
	diagnosed malformed 'skipped.zst: not a Perfetto trace but compressed data with nothing in it'
	tool got.out tc-import /dev/null
	ended 65
	diagnosed malformed 'not a Perfetto trace but empty'
}

# ---- archives ----

# report: a folder like that of a bug report; $1 is what is in the trace's file.
report() {
	local dir=FS/data/misc/perfetto-traces

	rm -rf report
	mkdir -p report/$dir/bugreport report/FS/proc report/proto
	echo '2026-11-30-07-00-00' >report/version.txt
	{
		printf '\n\n== dumpstate: 2026-11-30 07:00:00\n'
		seq 100000
	} >report/bugreport-phone.txt
	seq 1000 >report/FS/proc/cmdline
	: >report/FS/proc/empty
	# Messages that begin as a trace does.
	printf '\x0a\x05\x0a\x03abc\x0a\x05\x0a\x03def' >report/proto/activity.proto
	printf '\x0a\x04\x45\x01\x02\x03' >report/proto/other.proto
	cp "$1" "report/$dir/bugreport/systrace.pftrace"
}

# pack KIND FILE FOLDER: the folder's files, in the order of their names.
pack() {
	case $1 in
	zip) (cd "$3" && find . -type f | sort | zip -q -@ - | cat) >"$2" ;;
	store) (cd "$3" && find . -type f | sort | zip -q -0 "$TMP/$2" -@) ;;
	tar) (cd "$3" && find . -type f | sort | tar -cf - -T -) >"$2" ;;
	pax) (cd "$3" && find . -type f | sort | tar -cf - --format=pax -T -) >"$2" ;;
	tar.gz) pack tar tar "$3" && gzip <tar >"$2" ;;
	tar.zst) pack tar tar "$3" && zstd -q <tar >"$2" ;;
	esac
}

KINDS='zip store tar pax tar.gz tar.zst'

@test "the trace in a bug report is found, and nothing else taken for one" {
	local kind

	scene
	report scene.pftrace
	for kind in $KINDS; do
		rm -f report.$kind
		pack $kind report.$kind report
		tool got.out tc-import report.$kind
		ended 0
		silent
		is "$(paths got.out | sed 's/:\.\//:/')" \
			"0 report.$kind:FS/data/misc/perfetto-traces/bugreport/systrace.pftrace"
		same <(facts scene.out) <(facts got.out)
		cat report.$kind | tc-import >pipe.out
		is "$(paths pipe.out | sed 's/:\.\//:/')" \
			"0 -:FS/data/misc/perfetto-traces/bugreport/systrace.pftrace"
		same <(facts scene.out) <(facts pipe.out)
	done
}

@test "every trace of an archive is one of the run, compressed or not" {
	local kind

	mkdir many
	cp a1.pftrace many/1
	cp a3.pftrace many/2.perfetto-trace
	gzip <a1.pftrace >many/3.gz
	zstd -q <a3.pftrace >many/4.zst
	echo text >many/5
	for kind in $KINDS; do
		pack $kind many.$kind many
		tool got.out tc-import a1.pftrace many.$kind a1.pftrace
		ended 0
		silent
		is "$(paths got.out | sed 's/:\.\//:/' | tr '\n' ' ')" \
			"0 a1.pftrace 1 many.$kind:1 2 many.$kind:2.perfetto-trace 3 many.$kind:3.gz 4 many.$kind:4.zst 5 a1.pftrace "
		for i in 1 3 5; do
			same <(sed 's/,"trace":0}$//' a1.rows) <(rows got.out | sed -n "s/,\"trace\":$i}\$//p")
		done
	done
}

@test "an archive without a trace is 65 and says so" {
	mkdir none
	echo text >none/text
	printf '\nmore text\n' >none/more
	gzip <none/text >none/text.gz
	pack zip inner.zip none
	cp inner.zip none
	for kind in $KINDS; do
		pack $kind none.$kind none
		tool got.out tc-import none.$kind
		ended 65
		diagnosed malformed "none.$kind: no Perfetto trace in this archive (archives inside it are not opened)"
		is "$(wc -l <got.out)" 2
	done
	# An archive of nothing.
	printf 'PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >empty.zip
	tar -cf empty.tar -T /dev/null
	tool got.out tc-import empty.zip
	ended 65
	diagnosed malformed 'no Perfetto trace in this archive'
}

@test "a trace in an archive in an archive is not looked for" {
	mkdir inside outside
	cp a1.pftrace inside
	pack zip inside.zip inside
	cp inside.zip outside
	pack tar outside.tar outside
	tool got.out tc-import outside.tar
	ended 65
	diagnosed malformed 'archives inside it are not opened'
	cp a3.pftrace outside
	pack tar outside.tar outside
	tool got.out tc-import outside.tar
	ended 0
	is "$(paths got.out)" '0 outside.tar:./a3.pftrace'
}

@test "a damaged trace of an archive does not keep the others from being read" {
	mkdir some
	cp a1.pftrace some/1
	cp a1.pftrace some/2
	cp a1.pftrace some/3
	printf '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff' >>some/2
	cp some/2 some/4
	for kind in $KINDS; do
		pack $kind some.$kind some
		tool got.out tc-import some.$kind
		ended 65
		diagnosed malformed '2 failures, the first: some.'
		is "$(only trace got.out | wc -l)" 4
		for i in 0 1 2 3; do
			same <(sed 's/,"trace":0}$//' a1.rows) <(rows got.out | sed -n "s/,\"trace\":$i}\$//p")
		done
	done
}

@test "a compressed file of an archive that is damaged near its beginning is reported" {
	local bad

	mkdir some
	cp a3.pftrace some/good
	gzip <a1.pftrace >some/bad.gz
	zstd -q <a1.pftrace >some/bad.zst
	# The first block is of a type that there is not.
	patch some/bad.gz 10 '\377\377\377\377'
	patch some/bad.zst 6 '\377\377\377\377'
	for bad in bad.gz bad.zst; do
		tar -cf some.tar -C some good $bad
		tool got.out tc-import some.tar
		ended 65
		diagnosed malformed 'some.tar: 1 files in it cannot be read, the first: the '
		has "$stderr" 'data is damaged'
		is "$(paths got.out)" '0 some.tar:good'
	done
	# In front of the good one too.
	tar -cf some.tar -C some bad.gz bad.zst good
	tool got.out tc-import some.tar
	ended 65
	diagnosed malformed '2 files in it cannot be read, the first: the gzip data is damaged'
	is "$(paths got.out)" '0 some.tar:good'
}

@test "a cut archive: what is before the cut comes out, and 65" {
	mkdir two
	scene
	cp a1.pftrace two/1
	cp scene.pftrace two/2
	for kind in $KINDS; do
		pack $kind two.$kind two
		head -c $(($(size two.$kind) / 2)) two.$kind >cut.$kind
		tool got.out tc-import cut.$kind
		ended 65
		diagnosed malformed "cut.$kind: the"
		has "$(jq -r .msg <<<"$stderr")" 'cut'
		is "$(only trace got.out | jq -c .truncated | tr '\n' ' ')" 'false true '
		same a1.rows <(rows got.out | grep '"trace":0}$')
		[ "$(rows got.out | grep -c '"trace":1}$')" -gt 100 ]
	done
}

@test "a file of an archive that is damaged by itself: 65, and the others come out" {
	local at

	mkdir some
	cp a1.pftrace some/1
	cp a3.pftrace some/2
	pack store some.zip some
	# A letter of a layer's name: packets as before, and the sum is wrong.
	at=$(grep -obUa L1 some.zip | head -n 1 | cut -d: -f1)
	patch some.zip "$at" 'X'
	tool got.out tc-import some.zip
	ended 65
	diagnosed malformed some.zip
	is "$(paths got.out | tr '\n' ' ')" '0 some.zip:1 1 some.zip:2 '
	# All of it comes out, with the other letter.
	is "$(rows got.out | grep -c '"trace":0}$')" "$(wc -l <a1.rows)"
}

@test "names of members are shown as they are, odd ones too" {
	local name

	mkdir odd
	cp a1.pftrace 'odd/1 a "b" c'
	cp a1.pftrace odd/$'2\nnew\ttab'
	cp a1.pftrace odd/3äöü€
	cp a1.pftrace odd/$'4\xff\xfe'
	cp a1.pftrace odd/5$(printf 'x%.0s' {1..200})
	cp a1.pftrace 'odd/-6'
	(cd odd && tar -cf ../odd.tar *4* -- ./1* ./2* ./3* ./5* ./-6 && zip -q ../odd.zip *1* *2* *3* *4* *5* -- ./-6)
	for kind in tar zip; do
		tool got.out tc-import odd.$kind
		ended 0
		silent
		is "$(only trace got.out | wc -l)" 6
		only trace got.out | jq -r '.path | @json' | sed 's/^"odd\.[a-z]*:\(\.\/\)\?/"/' | sort >got
		{
			printf '%s\n' '"-6"' '"1 a \"b\" c"' '"2\nnew\ttab"' '"3äöü€"'
			printf '"5%s"\n' "$(printf 'x%.0s' {1..200})"
			printf '"4\xef\xbf\xbd\xef\xbf\xbd"\n'
		} | sort >wanted
		same wanted got
	done
}

@test "an archive that is an artifact: its traces follow the record" {
	mkdir many
	cp a1.pftrace many/1
	cp a3.pftrace many/2
	pack zip many.zip many
	mkdir none
	echo text >none/text
	pack tar none.tar none
	{
		echo '{"type":"artifact","kind":"perfetto","path":"many.zip","device":"d"}'
		echo '{"type":"artifact","kind":"perfetto","path":"none.tar"}'
		echo '{"type":"zebra"}'
	} >in
	tool got.out tc-import in
	ended 1
	is "$(only 'trace|artifact|error|zebra' got.out | jq -r '[.type, .path // .subject // "", .device // ""] | join(" ")' | tr '\n' ,)" \
		'artifact many.zip d,trace many.zip:1 d,trace many.zip:2 d,artifact none.tar ,error none.tar ,zebra  ,'
	diagnosed malformed 'no Perfetto trace in this archive'
}

# ---- several files ----

@test "plain, compressed, archive and standard input in one run; a bad one does not stop it" {
	mkdir many
	cp a1.pftrace many/1
	cp a3.pftrace many/2
	pack tar many.tar many
	gzip -k a1.pftrace
	echo text >text
	tool got.out tc-import a1.pftrace text many.tar - missing a1.pftrace.gz <a1.pftrace.gz
	ended 65
	diagnosed no_input missing 2
	is "$(paths got.out | tr '\n' ' ')" \
		'0 a1.pftrace 1 text 2 many.tar:./1 3 many.tar:./2 4 - 5 a1.pftrace.gz '
	is "$(only 'expected_frame|buffer_event|phase' got.out | grep -c '"trace":1}$')" 0
	for i in 0 2 4 5; do
		same <(sed 's/,"trace":0}$//' a1.rows) <(rows got.out | sed -n "s/,\"trace\":$i}\$//p")
	done
}

# ---- pipes ----

@test "a pipe is read while it is written, in every container" {
	local kind file n

	scene
	mkdir one
	cp scene.pftrace one
	gzip -k scene.pftrace
	zstd -q scene.pftrace
	pack zip scene.zip one
	pack tar scene.tar one
	for file in scene.pftrace scene.pftrace.gz scene.pftrace.zst scene.zip scene.tar; do
		mkfifo in
		tc-import <in >got.out 3>&- &
		exec 4>in
		n=$(($(size $file) * 3 / 4))
		# A pipe holds 64 KiB: that this comes to its end says that the rest was taken.
		timeout $PATIENCE head -c $n $file >&4
		kill -0 $!
		tail -c +$((n + 1)) $file >&4
		exec 4>&-
		ends $! 0
		same scene.rows <(rows got.out)
		rm in
	done
}

@test "what follows in an archive behind its last trace is read to the end" {
	mkdir tail
	cp a1.pftrace tail/1
	head -c 3000000 /dev/urandom >tail/2
	for kind in zip tar; do
		pack $kind tail.$kind tail
		set -o pipefail
		cat tail.$kind | tc-import >got.out
		same a1.rows <(rows got.out)
	done
}

# ---- bombs ----

# doubled N FILE: its bytes 2^N times.
doubled() {
	local i

	for ((i = 0; i < $1; i++)); do
		cat "$2" "$2" >twice
		mv twice "$2"
	done
}

@test "a file that grows without end is refused in bounded memory and time" {
	local file

	# Empty packets, 128 MiB of them, and what is no trace at all.
	printf '\n\0' >empty
	doubled 26 empty
	cat a1.pftrace empty | gzip >packets.gz
	cat a1.pftrace empty | zstd -q >packets.zst
	head -c 134217728 /dev/zero | gzip >zeros.gz
	for file in packets.gz packets.zst zeros.gz; do
		[ "$(size $file)" -lt 2000000 ]
		tool got.out limited 200 tc-import $file
		ended 65
		diagnosed malformed $file
		[ $file = zeros.gz ] || has "$stderr" 'grows more than 64 times'
	done
	tool got.out tc-import packets.gz
	same a1.rows <(rows got.out)
}

@test "so is one that begins with a packet which claims to be as large as a packet may be" {
	local file

	# One packet, and one field in it, of nearly 256 MiB.
	packet() {
		printf '\012\372\377\377\177\100\1\302\076\364\377\377\177'
		head -c 268435000 /dev/zero
	}
	packet | gzip >packet.gz
	packet | zstd -q >packet.zst
	for file in packet.gz packet.zst; do
		[ "$(size $file)" -lt 300000 ]
		tool got.out limited 240 tc-import $file
		ended 65
		diagnosed malformed 'grows more than 64 times'
		[ "$(jq -r .msg <<<"$stderr" | grep -o 'byte [0-9]*' | cut -d' ' -f2)" -lt 90000000 ]
	done
}

@test "so is an archive, also for what is in it besides traces" {
	mkdir big
	cp a1.pftrace big/1
	head -c 134217728 /dev/zero >big/2
	pack zip big.zip big
	pack tar.gz big.tar.gz big
	for file in big.zip big.tar.gz; do
		[ "$(size $file)" -lt 1000000 ]
		tool got.out limited 200 tc-import $file
		ended 65
		diagnosed malformed 'grows more than 64 times'
		same a1.rows <(rows got.out)
	done
}

@test "many small bombs in one archive are one" {
	local i

	printf '\n\0' >empty
	doubled 23 empty
	gzip -9 <empty >empty.gz
	mkdir many
	for i in {10..29}; do
		{
			gzip -9 <a1.pftrace
			cat empty.gz
		} >many/$i
	done
	pack zip many.zip many
	tool got.out limited 200 tc-import many.zip
	ended 65
	has "$stderr" 'failures, the first'
	# Some of it comes out whole, and then no more than what is free.
	[ "$(only trace got.out | jq 'select(.truncated | not).bytes' | wc -l)" -ge 1 ]
	[ "$(only trace got.out | jq -s 'map(.bytes) | add')" -lt 100000000 ]
}

# ---- compressed packets ----

# varint N: as bytes.
varint() {
	local n=$1

	while [ "$n" -gt 127 ]; do
		printf "\\x$(printf %x $((n % 128 + 128)))"
		n=$((n / 128))
	done
	printf "\\x$(printf %x "$n")"
}

# bundle FIELD < BYTES: a packet with these bytes in field 50 (deflate) or 133 (zstd).
bundle() {
	local n

	cat >bytes
	n=$(size bytes)
	varint "$n" >length
	printf '\x0a'
	varint $((2 + $(size length) + n))
	if [ "$1" = 50 ]; then printf '\x92\x03'; else printf '\xaa\x08'; fi
	cat length bytes
}

# one TS: a packet.
one() {
	mktrace <<<"gfx ts=$1 type=POST layer=L1 buffer=1"
}

# on_one_core COMMAND...
on_one_core() {
	taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$@"
}

@test "packets compressed with zstd are read, and may stand beside deflate" {
	{
		zstd -q <a1.pftrace | bundle 133
	} >zstd.pftrace
	tool got.out tc-import zstd.pftrace
	ended 0
	silent
	same a1.rows <(rows got.out)
	# Without the size in front, with a checksum; many, of both kinds.
	{
		one 5
		one 6 | zstd -q --check | bundle 133
		one 7 | zstd -q | cat | bundle 133
		one 8 | gzip | bundle 50
		one 9
		one 10 | gzip | bundle 50
		one 11 | zstd -q | bundle 133
	} >both.pftrace
	tool got.out tc-import both.pftrace
	ended 0
	silent
	is "$(only buffer_event got.out | jq .ts | tr '\n' ' ')" '5 6 7 8 9 10 11 '
}

@test "damaged packets of zstd are skipped and counted, the rest comes out, and 65" {
	{
		one 5
		printf 'not zstd' | bundle 133
		one 6
		# Cut, two frames, none, one to be skipped, something behind.
		one 90 | zstd -q | head -c -2 | bundle 133
		{ one 91 | zstd -q; one 92 | zstd -q; } | bundle 133
		printf '' | bundle 133
		printf '\x50\x2a\x4d\x18\x03\0\0\0abc' | bundle 133
		{ one 93 | zstd -q; printf x; } | bundle 133
		one 94 | gzip | bundle 133
		one 95 | zstd -q | bundle 50
		# Packets in it that are compressed again.
		{ one 96 | zstd -q | bundle 133; } | zstd -q | bundle 133
		one 7 | zstd -q | bundle 133
	} >damaged.pftrace
	tool got.out tc-import damaged.pftrace
	ended 65
	diagnosed malformed "the first at byte $(one 5 | wc -c)"
	is "$(only buffer_event got.out | jq .ts | tr '\n' ' ')" '5 6 7 '
	is "$(counters got.out | grep -v parser_errors)" "compressed_packets_damaged 9 data_loss
trace_damaged_at_byte $(one 5 | wc -c) error"
}

@test "packets that grow without end under zstd are refused in bounded memory" {
	{
		one 5
		head -c 200000000 /dev/zero | zstd -q | bundle 133
		head -c 60000000 /dev/zero | zstd -q | bundle 133
		one 6
	} >bomb.pftrace
	tool got.out limited 240 tc-import bomb.pftrace
	ended 65
	is "$(counters got.out | grep compressed)" 'compressed_packets_damaged 2 data_loss'
	is "$(only buffer_event got.out | jq .ts | tr '\n' ' ')" '5 6 '
}

@test "one core or more: the same records, and the same damage in the same place" {
	local i

	taskset -c 0 true 2>/dev/null || skip 'taskset is not here'
	# Bundles with whole packets between them, damage of each kind at each distance,
	# one too large to be read ahead, and a cut at the end.
	head -c 3000000 /dev/urandom >noise
	{
		for i in {1..9}; do one $i | gzip | bundle 50; done
		printf x | bundle 50
		for i in {10..15}; do one $i | zstd -q | bundle 133; done
		one 16
		printf x | bundle 133
		one 17 | gzip | head -c -1 | bundle 50
		{ printf '\x0a'; varint 3000005; printf '\x22'; varint 3000000; cat noise; } |
			gzip -1 | bundle 50
		{ one 18; printf '\x0a\x7f\x08'; } | gzip | bundle 50
		for i in {19..40}; do { one $i; one $i; } | gzip | bundle 50; done
		head -c 30000000 /dev/zero | gzip | bundle 50
		for i in {41..44}; do one $i | gzip | bundle 50; done
		one 45 | head -c -1
	} >mix.pftrace
	tool two.out tc-import mix.pftrace
	ended 65
	cp two.out wanted
	wanted=$stderr
	tool one.out on_one_core tc-import mix.pftrace
	ended 65
	is "$stderr" "$wanted"
	same wanted one.out
	has "$(counters one.out)" 'compressed_packets_damaged 5 data_loss'
	is "$(only buffer_event one.out | wc -l)" 65
	mkscene -z -s 30 >scene.pftrace
	tc-import scene.pftrace >two.out
	on_one_core tc-import scene.pftrace >one.out
	same two.out one.out
	# Damage between packets ends the trace there.
	{
		head -c 100000 scene.pftrace
		printf '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'
	} >cut.pftrace
	tool two.out tc-import cut.pftrace
	wanted=$stderr
	tool one.out on_one_core tc-import cut.pftrace
	is "$stderr" "$wanted"
	same two.out one.out
}
