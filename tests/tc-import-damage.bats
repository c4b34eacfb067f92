load helper

setup() {
	cd "$TMP"
	mktrace "$DATA/scripts/a1.script" >a1.pftrace
	tc-import a1.pftrace >a1.out
	but 'tool|end|trace|stat' a1.out >a1.rows
}

teardown() {
	[ ! -e "$TMP/memory" ] || rm -rf "$(<"$TMP/memory")"
	all_records_valid
}

# rows FILE: what was decoded, without what is said about it.
rows() {
	but 'tool|end|trace|stat|notice|error|artifact' "$1"
}

# varint N: as bytes.
varint() {
	local n=$1

	while [ "$n" -gt 127 ]; do
		printf "\\x$(printf %x $((n % 128 + 128)))"
		n=$((n / 128))
	done
	printf "\\x$(printf %x "$n")"
}

# frames TRACE FILE: how many frame rows it has of that trace of the run.
frame_rows() {
	only 'expected_frame|actual_frame|buffer_event|phase' "$2" | grep -c "\"trace\":$1}$" || [ $? -eq 1 ]
}

@test "a cut tail is no damage: what is before it comes out, the rest is counted" {
	head -c -4 a1.pftrace >cut.pftrace
	tool got.out tc-import cut.pftrace
	ended 0
	silent
	rows got.out >got
	# Without the last present: its raw row, and the phase that it closed and opened.
	head -n -2 a1.rows | sed 's/"dur":16,/"dur":-1,/' >wanted
	same wanted got
	# The last packet has 19 bytes.
	is "$(counters got.out | grep trace_)" 'trace_truncated_bytes 15 data_loss'
	is "$(only trace got.out | jq -c '[.truncated, .packets]')" '[true,6]'
}

@test "a tail cut inside a packet's header is counted too" {
	head -c -18 a1.pftrace >cut.pftrace
	tool got.out tc-import cut.pftrace
	ended 0
	is "$(counters got.out | grep trace_)" 'trace_truncated_bytes 1 data_loss'
}

@test "a whole trace is not called truncated" {
	is "$(only trace a1.out | jq .truncated)" false
	is "$(only stat a1.out | grep -c trace_)" 0
}

@test "damage in the middle: everything before it comes out, with its byte offset, and 65" {
	local name bad at

	at=$(wc -c <a1.pftrace)
	for bad in 07 0b 0c 0e 00 0affffffffffffffffffff7f ffffffffffffffffffffff01 \
		0a020a05 0a0342ff01 0a020700; do
		mktrace <<<"raw hex=$bad" >bad
		cat a1.pftrace bad a1.pftrace >damaged.pftrace
		tool got.out tc-import damaged.pftrace
		ended 65
		rows got.out >got
		same a1.rows got
		is "$(counters got.out | grep trace_)" "trace_damaged_at_byte $at error"
		diagnosed malformed damaged.pftrace
		diagnosed malformed "byte $at"
		is "$(only trace got.out | jq -c '[.truncated, .packets]')" '[false,7]'
		is "$(tail -n 1 got.out | jq .status)" 65
	done
}

@test "garbage behind the last packet is damage" {
	{
		cat a1.pftrace
		printf '\x07garbage'
	} >damaged.pftrace
	tool got.out tc-import damaged.pftrace
	ended 65
	rows got.out >got
	same a1.rows got
	is "$(counters got.out | grep trace_)" "trace_damaged_at_byte $(wc -c <a1.pftrace) error"
	diagnosed malformed "byte $(wc -c <a1.pftrace)"
}

@test "damage in a trace from a pipe has the same offset" {
	{
		cat a1.pftrace
		printf '\x07garbage'
	} >damaged.pftrace
	cat damaged.pftrace | { run --separate-stderr capture got.out tc-import && ended 65 &&
		diagnosed malformed "byte $(wc -c <a1.pftrace)"; }
	is "$(counters got.out | grep trace_)" "trace_damaged_at_byte $(wc -c <a1.pftrace) error"
}

@test "damage beyond the first buffers has its true offset" {
	local at

	mkscene -s 30 >scene.pftrace
	at=$(wc -c <scene.pftrace)
	[ "$at" -gt 600000 ]
	{
		cat scene.pftrace
		printf '\x07'
		cat a1.pftrace
	} >damaged.pftrace
	tool got.out tc-import damaged.pftrace
	ended 65
	is "$(counters got.out | grep trace_)" "trace_damaged_at_byte $at error"
	diagnosed malformed "byte $at"
	tc-import scene.pftrace >wanted.out
	same <(rows wanted.out) <(rows got.out)
}

@test "a file that is no trace is 65, called what it is, with the offset in both places" {
	local at what

	printf 'hello, world\n' >text
	echo '[{"traceEvents":[]}]' >array
	printf '\x7fELF\x02\x01\x01' >binary
	head -c 100 /dev/zero >zeros
	for what in text array binary zeros; do
		tool got.out tc-import $what
		ended 65
		is "$(frame_rows 0 got.out)" 0
		diagnosed malformed $what
		at=$(counters got.out | sed -n 's/trace_damaged_at_byte \([0-9]*\) error/\1/p')
		[ "$at" ]
		diagnosed malformed "byte $at)"
	done
}

@test "JSON that is no record stream is malformed" {
	echo '{"traceEvents":[]}' >json
	tool got.out tc-import json
	ended 65
	diagnosed malformed json:1:1
}

@test "fields of the file that are no packets are stepped over" {
	{
		mktrace <<-END
			raw hex=1001
			raw hex=1a03616263
			raw hex=216162636465666768
			raw hex=2d61626364
			raw hex=0a00
		END
		cat a1.pftrace
		mktrace <<<'raw hex=82f4ffff7f0161'
	} >odd.pftrace
	tool got.out tc-import odd.pftrace
	ended 0
	silent
	rows got.out >got
	same a1.rows got
	is "$(counters got.out | grep trace_)" 'trace_unknown_top_level_fields 5 info'
}

@test "a trace of empty packets has no frames, and that is no error" {
	mktrace <<-END >empty.pftrace
		empty
		raw hex=0a00
		marker
	END
	tool got.out tc-import empty.pftrace
	ended 0
	is "$(counters got.out)" ''
}

@test "no frame data: status 0 and one notice that names both data sources" {
	mktrace <<-END >none.pftrace
		config ds=linux.ftrace
		proc ts=10 proc=60:1:0:app
	END
	tool got.out tc-import none.pftrace
	ended 0
	silent
	is "$(only notice got.out | jq -c '[.code, .level, .trace]')" '["no_frame_data","warning",0]'
	has "$(only notice got.out | jq -r .text)" android.surfaceflinger.frametimeline
	has "$(only notice got.out | jq -r .text | sed 's/android.surfaceflinger.frametimeline//')" \
		'android.surfaceflinger.frame '
	is "$(only process got.out | jq -r 'select(.pid == 60) | .name')" app
	is "$(only notice a1.out)" ''
}

@test "a nested message that ends in damage is used as far as it goes, and counted" {
	# A dequeue whose event ends in a length that is not there.
	mktrace <<-END >nested.pftrace
		rawpacket ts=5 hex=ca030c0a0a2801100108071a7f4c31
		gfx ts=6 type=DEQUEUE frame=8 layer=L1 buffer=2
	END
	tool got.out tc-import nested.pftrace
	ended 0
	is "$(only buffer_event got.out | jq -c '[.ts, .name, .frame_number, .buffer_id]' | tr '\n' ' ')" \
		'[5,"Dequeue",7,1] [6,"Dequeue",8,2] '
	is "$(counters got.out)" 'nested_message_damaged 1 data_loss'
}

# ---- compressed packets ----

# compressed < DEFLATED: a packet that holds it.
compressed() {
	local n

	cat >deflated
	n=$(wc -c <deflated)
	varint "$n" >length
	printf '\x0a'
	varint $((2 + $(wc -c <length) + n))
	printf '\x92\x03'
	cat length deflated
}

@test "damaged compressed packets are skipped and counted, the rest comes out, and 65" {
	local at

	{
		mktrace <<<'gfx ts=5 type=DEQUEUE frame=1 layer=L1 buffer=1'
		printf 'not deflate' | compressed
		mktrace <<-END
			gfx ts=6 type=QUEUE frame=1 layer=L1 buffer=1
			deflate
			gfx ts=7 type=LATCH frame=1 layer=L1 buffer=1
			enddeflate
		END
		# Cut in the middle, and not compressed by a method that is allowed.
		mktrace "$DATA/scripts/a1-deflate.script" | tail -c +6 | head -c 40 | compressed
		printf '\x4b\x04\x00' | compressed
		mktrace <<<'gfx ts=8 type=PRESENT_FENCE frame=1 layer=L1 buffer=1'
	} >damaged.pftrace
	at=$(mktrace <<<'gfx ts=5 type=DEQUEUE frame=1 layer=L1 buffer=1' | wc -c)
	tool got.out tc-import damaged.pftrace
	ended 65
	diagnosed malformed "byte $at"
	is "$(only buffer_event got.out | jq .ts | tr '\n' ' ')" '5 6 7 8 '
	is "$(counters got.out | grep -v parser_errors)" \
		"compressed_packets_damaged 3 data_loss
trace_damaged_at_byte $at error"
}

@test "damage inside decompressed packets ends that group only" {
	mktrace <<-END >damaged.pftrace
		deflate
		gfx ts=5 type=DEQUEUE frame=1 layer=L1 buffer=1
		raw hex=1a03616263
		gfx ts=6 type=QUEUE frame=1 layer=L1 buffer=1
		enddeflate
		deflate
		gfx ts=7 type=QUEUE frame=1 layer=L1 buffer=1
		raw hex=0a7f
		enddeflate
		deflate
		gfx ts=8 type=LATCH frame=1 layer=L1 buffer=1
		raw hex=0a
		enddeflate
		deflate
		deflate
		gfx ts=9 type=LATCH frame=1 layer=L1 buffer=1
		enddeflate
		enddeflate
		gfx ts=10 type=PRESENT_FENCE frame=1 layer=L1 buffer=1
	END
	tool got.out tc-import damaged.pftrace
	ended 65
	diagnosed malformed 'byte 0'
	is "$(only buffer_event got.out | jq .ts | tr '\n' ' ')" '5 7 8 10 '
	is "$(counters got.out | grep -v parser_errors)" \
		'compressed_packets_damaged 2 data_loss
trace_damaged_at_byte 0 error'
}

@test "a trace of nothing but damaged compressed packets is damaged at the first one" {
	{
		mktrace <<<'raw hex=1001'
		printf 'not deflate' | compressed
		printf 'not deflate' | compressed
	} >damaged.pftrace
	tool got.out tc-import damaged.pftrace
	ended 65
	is "$(counters got.out | grep -v unknown)" \
		'compressed_packets_damaged 2 data_loss
trace_damaged_at_byte 2 error'
	diagnosed malformed 'byte 2'
}

@test "two bytes behind the last packet of a group are ignored" {
	mktrace <<-END >fine.pftrace
		deflate
		gfx ts=5 type=DEQUEUE frame=1 layer=L1 buffer=1
		raw hex=ffff
		enddeflate
	END
	tool got.out tc-import fine.pftrace
	ended 0
	is "$(counters got.out)" ''
	is "$(only buffer_event got.out | jq .ts)" 5
}

@test "compressed packets that would grow without end are refused in bounded memory" {
	{
		cat a1.pftrace
		head -c 300000000 /dev/zero | gzip -9 | compressed
		mktrace <<<'gfx ts=99 type=POST layer=L1 buffer=1'
	} >bomb.pftrace
	[ "$(wc -c <bomb.pftrace)" -lt 1000000 ]
	tool got.out limited 200 tc-import bomb.pftrace
	ended 65
	diagnosed malformed "byte $(wc -c <a1.pftrace)"
	is "$(counters got.out | grep compressed)" 'compressed_packets_damaged 1 data_loss'
	is "$(only buffer_event got.out | tail -n 1 | jq .ts)" 99
}

# ---- absurd numbers ----

@test "a length that is not there costs no memory" {
	local length lengths=(ffffff7f 8080808001 808080808080808010 ffffffffffffffff7f ffffffffffffffffff01)

	for length in "${lengths[@]}"; do
		# Of a packet, of another field, of a field in a packet, and deeper.
		for hex in 0a$length 1a$length; do
			mktrace <<<"raw hex=$hex" >absurd
			cat a1.pftrace absurd a1.pftrace >absurd.pftrace
			tool got.out limited 100 tc-import absurd.pftrace
			[ "$status" -eq 65 ] || ended 0
			rows got.out >got
			same a1.rows got
		done
		for hex in 12$length ca03$length e204$length 32$length; do
			mktrace <<<"rawpacket hex=$hex" >absurd
			cat a1.pftrace absurd >absurd.pftrace
			tool got.out limited 100 tc-import absurd.pftrace
			ended 65
			rows got.out >got
			same a1.rows got
		done
		mktrace <<-END >absurd
			rawpacket hex=ca03040a021a$length
			rawpacket hex=120b0a09083d1a$length
			rawpacket hex=32020a$length
		END
		cat a1.pftrace absurd >absurd.pftrace
		tool got.out limited 100 tc-import absurd.pftrace
		[ "$status" -eq 65 ] || ended 0
		only buffer_event got.out >got
		same <(only buffer_event a1.rows) got
	done
}

@test "a packet as long as one may be is read in memory of its size" {
	{
		cat a1.pftrace
		printf '\x0a'
		varint $((50000000 + 6))
		# One field that nobody knows.
		printf '\xc2\x3e'
		varint 50000000
		head -c 50000000 /dev/zero
		cat a1.pftrace
	} >large.pftrace
	tool got.out limited 160 tc-import large.pftrace
	ended 0
	is "$(only trace got.out | jq .packets)" 15
}

@test "very many machines, sequences and clocks are held in bounded memory" {
	seq 20000 | sed 's/.*/gfx ts=& machine=& seq=& type=POST layer=L buffer=1/' >script
	seq 5000 | sed 's/.*/clocks seq=& c=64:& c=12345&:& c=6:&/' >>script
	mktrace script >many.pftrace
	tool got.out limited 200 tc-import many.pftrace
	ended 0
	has "$(counters got.out)" machines_beyond_limit_dropped
}

@test "a trace that is made to be slow takes seconds, not minutes" {
	seq 100000 | sed 's/.*/clocks seq=& c=64:& c=6:&/' | mktrace >clocks.pftrace
	{
		seq 100000 -1 1 | sed 's/.*/clocks c=3:& c=4:&/'
		echo 'clocks c=4:5 c=6:6 primary=6'
		echo 'gfx ts=5 clock=3 type=POST layer=L buffer=1'
	} | mktrace >backwards.pftrace
	seq 100000 | sed 's/.*/gfx ts=& dur=1000000 type=POST layer=L buffer=1/' | mktrace >nested.pftrace
	seq 100000 | sed 's/.*/gfx ts=& type=LATCH layer=L buffer=1/' | mktrace >deep.pftrace
	seq 100000 | sed 's/.*/asurf ts=& cookie=1 token=& display=1 pid=& layer=L&/' | mktrace >names.pftrace
	{
		seq 30000 | sed 's/.*/packages ts=1 pkg=p&:10001/'
		seq 30000 | sed 's/.*/proc ts=1 proc=&:1:10001:q&/'
	} | mktrace >packages.pftrace
	for name in clocks backwards nested deep names packages; do
		timeout 30 tc-import $name.pftrace >got && status=0 || status=$?
		is "$name $status" "$name 0"
	done
}

# ---- every prefix, every byte ----

# A trace in time order with something of everything, and still small.
small_trace() {
	mktrace <<-END
		clocks seq=1 c=6:9 c=3:8 primary=6
		proc ts=9 proc=70:1:5:ab
		defaults seq=3 flags=1 dclock=3
		esurf ts=10 cookie=1 token=7 display=9 pid=70 layer=A
		asurf ts=11 cookie=2 token=7 display=9 pid=70 layer=A present=2 jank=64 delay=1.5
		end ts=12 cookie=2
		gfx ts=13 seq=3 type=DEQUEUE frame=1 layer=A buffer=1
		deflate
		gfx ts=15 type=QUEUE frame=1 layer=A buffer=1
		enddeflate
		gfx ts=17 type=LATCH frame=1 layer=A buffer=1
		gfx ts=19 type=PRESENT_FENCE frame=1 layer=A buffer=1
	END
}

@test "every prefix of a trace: no crash, and the number of rows never falls" {
	local size i n before=0

	small_trace >whole
	size=$(wc -c <whole)
	for ((i = 0; i <= size; i++)); do
		printf -v n p%04d $i
		head -c $i whole >$n
	done
	tool got.out tc-import p????
	ended 65
	is "$(only trace got.out | wc -l)" $((size + 1))
	only 'trace|expected_frame|actual_frame|buffer_event|phase' got.out |
		sed 's/^{"type":"\([a-z_]*\)".*"trace":\([0-9]*\)}$/\1 \2/' |
		awk '$1 == "trace" { n++; next } { rows[$2]++ } END { for (i = 0; i < n; i++) print rows[i] + 0 }' >rows
	is "$(wc -l <rows)" $((size + 1))
	sort -n rows | cmp - rows
	is "$(tail -n 1 rows)" 10
	# One by one the statuses: 65 while there is no packet, and 0 from then on.
	for i in 0 1 5 21 22 23 60 100 $((size - 1)) $size; do
		printf -v n p%04d "$i"
		tool one.out tc-import $n
		if [ "$(only trace one.out | jq .packets)" -gt 0 ]; then
			ended 0
		else
			ended 65
		fi
	done
}

# corrupted FROM TO: `whole` with each other value in each byte from FROM on, before
# TO, as files FROM.VALUE. In a shell of its own: in one that bats watches, loops are
# ten times as slow.
corrupted() {
	bash -s -- "$@" <<-'END'
		text=$(od -An -v -tx1 whole | tr -d '\n' | sed 's/ /\\x/g')
		for ((at = $1; at < $2; at++)); do
			before=${text:0:4*at} byte=${text:4*at:4} after=${text:4*at+4}
			for ((value = 0; value < 256; value++)); do
				printf -v other '\\x%02x' $value
				[ $other = $byte ] || printf "$before$other$after" >$at.$value
			done
		done
	END
}

@test "every single-byte corruption of a trace: no crash, and valid records" {
	local from to size work=$TMP

	# Many thousand small files: in memory, where there is such a place.
	if [ -w /dev/shm ]; then
		work=$(mktemp -d /dev/shm/tc-check.XXXXXX)
		echo "$work" >memory
	fi
	cd "$work"
	small_trace >whole
	size=$(wc -c <whole)
	for ((from = 0; from < size; from = to)); do
		to=$((from + 16 < size ? from + 16 : size))
		corrupted $from $to
		# With this as its first byte it is a stream of records.
		rm -f 0.123
		tc-import [0-9]*.* >got 2>err && status=0 || status=$?
		[ $status -eq 0 ] || [ $status -eq 65 ] || {
			cat err
			return 1
		}
		is "$(only trace got | wc -l)" $(((to - from) * 255 - (from == 0)))
		valid_records got
		rm [0-9]*.*
	done
}

# ---- artifacts ----

artifact() {
	printf '{"type":"artifact","run":"r","session":"s1","device":"adb:X","path":"%s","bytes":1,"kind":"%s"}\n' "$1" "${2-perfetto}"
}

@test "an artifact's trace knows its device and session" {
	artifact a1.pftrace >in
	tool got.out tc-import in
	ended 0
	is "$(only trace got.out | jq -c '[.path, .device, .session, .bytes]')" \
		"[\"a1.pftrace\",\"adb:X\",\"s1\",$(wc -c <a1.pftrace)]"
	rows got.out >got
	same a1.rows got
}

@test "an artifact that cannot be read is an error record, the others go on, and 1" {
	{
		artifact a1.pftrace
		artifact missing.pftrace
		artifact a1.pftrace
	} >in
	tool got.out tc-import in
	ended 1
	diagnosed no_input missing.pftrace
	is "$(only error got.out | jq -c '[.tool, .code, .subject]')" '["tc-import","no_input","missing.pftrace"]'
	has "$(only error got.out | jq -r .text)" missing.pftrace
	is "$(frame_rows 0 got.out)" "$(frame_rows 0 a1.out)"
	is "$(only trace got.out | wc -l)" 2
	is "$(jq -r .type got.out | uniq | grep -A1 error | tr '\n' ' ')" 'error artifact '
	is "$(tail -n 1 got.out | jq .status)" 1
}

@test "an artifact that is no trace, or a damaged one, is an error record, and 1" {
	local at

	echo 'no trace' >text
	{
		cat a1.pftrace
		printf '\x07'
	} >damaged.pftrace
	at=$(wc -c <a1.pftrace)
	{
		artifact text
		artifact damaged.pftrace
		artifact a1.pftrace
	} >in
	tool got.out tc-import in
	ended 1
	diagnosed malformed "byte $at" 2
	is "$(only error got.out | jq -c '[.tool, .code, .subject]' | tr '\n' ' ')" \
		'["tc-import","malformed","text"] ["tc-import","malformed","damaged.pftrace"] '
	has "$(only error got.out | tail -n 1 | jq -r .text)" "byte $at"
	# What stands before the damage came out.
	grep '"trace":1}' got.out | rows - | sed 's/"trace":1}/"trace":0}/' >got
	same a1.rows got
	grep '"trace":2}' got.out | rows - | sed 's/"trace":2}/"trace":0}/' >got
	same a1.rows got
}

@test "artifacts of other kinds, or of none, are left alone" {
	{
		artifact missing winscope
		artifact missing unknown
		echo '{"type":"artifact","path":"missing"}'
		echo '{"type":"artifact","path":"missing","kind":null}'
	} >in
	tool got.out tc-import in
	ended 0
	silent
	between got.out >got
	cmp in got
}

@test "a bad artifact does not hide that a line was malformed" {
	{
		artifact missing
		echo '{"type":"artifact",}'
	} >in
	tool got.out tc-import -k in
	ended 65
	is "$(only error got.out | wc -l)" 1
	{
		echo '{"type":"artifact",}'
		artifact missing
	} >in
	tool got.out tc-import -k in
	ended 65
}
