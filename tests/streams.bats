# Streams that were made apart and meet, and input that is made to mislead.
load helper

# stream TOKEN-TIME: a trace of one frame, as records.
stream() {
	mktrace <<-END | tc-import
		esurf ts=$1 cookie=1 token=7 display=9 pid=10 layer=A
		asurf ts=$1 cookie=2 token=7 display=9 pid=10 layer=A jank=64
		end ts=$(($1 + 10)) cookie=1
		end ts=$(($1 + 12)) cookie=2
	END
}

@test "streams whose traces have the same index are not joined" {
	stream 100 >a
	stream 5000 >b
	tool got.out tc-jank frames a b
	ended 0
	jq -c 'select(.type == "jank_frame") | [.actual_ts_ns, .expected_count, .expected_ts_ns]' got.out >got
	same - got <<-'END'
		[100,1,100]
		[5000,1,5000]
	END
}

@test "tc-import numbers on from the traces that pass through it" {
	stream 100 >a
	mktrace <<<'esurf ts=5 cookie=1 token=1 display=1 pid=1' >t
	tool got.out tc-import a t
	ended 0
	is "$(jq -r 'select(.type == "trace") | .trace' got.out | tr '\n' ' ')" '0 1 '
}

@test "trace and machine make a place by both of their values" {
	{
		echo '{"type":"expected_frame","trace":0,"machine_id":0,"upid":1,"surface_frame_token":5}'
		echo '{"type":"actual_frame","trace":4294967296,"machine_id":0,"upid":1,"surface_frame_token":5}'
		echo '{"type":"actual_frame","trace":1,"machine_id":4294967296,"upid":1,"surface_frame_token":5}'
		echo '{"type":"actual_frame","trace":0,"machine_id":0,"upid":1,"surface_frame_token":5}'
	} >stream
	tool got.out tc-jank frames stream
	ended 0
	is "$(jq -c 'select(.type == "jank_frame") | [.trace, .machine_id, .expected_count]' got.out | tr '\n' ' ')" \
		'[0,0,1] [1,4294967296,0] [4294967296,0,0] '
}

@test "a machine comes with its trace, wherever its first row stands" {
	row() {
		printf '{"type":"actual_frame","trace":%s,"machine_id":%s,"upid":1,"surface_frame_token":5}\n' "$@"
	}
	printf '{"type":"trace","trace":%s}\n' 1 0 >stream
	{ row 0 0 && row 1 0 && row 1 7; } >>stream
	tool got.out tc-jank frames stream
	ended 0
	is "$(only jank_frame got.out | jq -c '[.trace, .machine_id]' | xargs)" '[1,0] [1,7] [0,0]'
}

@test "an artifact named - is a file, and one without a path is an error" {
	{
		echo '{"type":"artifact","kind":"perfetto","path":"-"}'
		echo '{"type":"artifact","kind":"perfetto"}'
		echo '{"type":"artifact","kind":"perfetto","path":"t\u0000x"}'
		echo '{"type":"zebra"}'
	} >stream
	run --separate-stderr bash -c 'tc-import <stream >got.out'
	is "$status" 1
	is "$(jq -r .type got.out | tr '\n' ' ')" 'tool artifact error artifact error artifact error zebra end '
}

@test "a status or a contract that is no number is malformed" {
	local line

	for line in '{"type":"end","tool":"x","status":"65"}' '{"type":"tool","tool":"x","contract":"1"}'; do
		run --separate-stderr tc-jank <<<"$line"
		is "$status" 65
	done
}

@test "with -k, too, the first failure is the status" {
	echo '{"type":1}' >bad
	run --separate-stderr tc-import -k none bad
	is "$status" 66
}

@test "an interrupt that is ignored from the start stays so" {
	mkfifo in
	(trap '' INT; exec tc-jank <in >got.out) 3>&- &
	exec 5>in
	until_true [ -s got.out ]
	kill -INT $!
	kill -INT $!
	exec 5>&-
	wait $!
	is "$(jq -r .type got.out | tr '\n' ' ')" 'tool end '
}

@test "a name with the signs of a pattern in it is found by itself" {
	echo '{"type":"actual_frame","upid":1,"process":"a[b]","surface_frame_token":5}' >stream
	tool got.out tc-jank frames --app 'a[b]' stream
	ended 0
	is "$(jq -r 'select(.type == "jank_frame") | .process' got.out)" 'a[b]'
}

@test "a limit on the size of files is a failed write" {
	run --separate-stderr bash -c "mkscene -s 1 >t.pftrace; ulimit -f 4; exec tc-import t.pftrace >cut"
	is "$status" 74
}

@test "a process with nothing but expectations is no candidate, and its name stays known" {
	{
		echo '{"type":"expected_frame","upid":1,"pid":5,"process":"a","surface_frame_token":5}'
		echo '{"type":"actual_frame","upid":2,"pid":6,"process":"a","surface_frame_token":5}'
		echo '{"type":"process","upid":2,"pid":null,"name":null}'
	} >stream
	tool got.out tc-jank frames --app a stream
	ended 0
	is "$(jq -r 'select(.type == "jank_frame") | "\(.upid) \(.pid) \(.process)"' got.out)" '2 6 a'
}

@test "frames that cannot be placed are no reason to ask for data sources" {
	mktrace <<<'gfx ts=1 clock=77 seq=1 type=LATCH buffer=1 layer=L' >t
	tool got.out tc-import t
	is "$(jq -r 'select(.type == "notice") | .code' got.out)" ''
	has "$(jq -r 'select(.type == "stat") | .name' got.out)" clock_sync_failure_undeferrable_packet_loss
}

@test "the end of a damaged trace is named, also when a bundle before it is damaged" {
	{
		mktrace <<<'gfx ts=1 type=LATCH buffer=1 layer=L'
		mktrace <<<'rawpacket hex=92030474726173'
		mktrace <<<'raw hex=0a0207ff'
	} >t
	run --separate-stderr bash -c 'tc-import t >got.out'
	is "$status" 65
	at=$(($(wc -c <t) - 4))
	is "$(jq -r 'select(.name == "trace_damaged_at_byte") | .value' got.out)" "$at"
	has "$stderr" "byte $at"
}

@test "an option that takes no value is named as it was written" {
	run --separate-stderr tc-jank --all=1
	is "$status" 2
	has "$stderr" "option '--all=1' takes no value"
}
