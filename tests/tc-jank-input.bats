load helper

setup() {
	cd "$TMP"
}

# latency DISPATCH RECEIVE FINISH ACK: a row of an event; the rest has defaults.
latency() {
	jq -nc --argjson dispatch "$1" --argjson receive "$2" --argjson finish "$3" --argjson ack "$4" \
		--argjson present "${present-null}" --argjson event "${event-null}" --argjson read "${read-null}" \
		--argjson upid "${upid-1}" --argjson pid "${pid-1000}" --argjson tid "${tid-1000}" \
		--argjson machine "${machine-0}" --argjson trace "${trace-0}" --argjson seq "${seq-7}" '{
		type: "input_latency", upid: (if $finish == null then null else $upid end),
		tid: (if $finish == null then null else $tid end), thread_name: "main",
		pid: (if $finish == null then null else $pid end), process_name: "com.example",
		event_type: "MOTION", event_action: "MOVE", event_seq: "0x7", event_channel: "3f Main (server)",
		normalized_event_channel: "Main", read_time: $read, dispatch_ts: $dispatch,
		receive_ts: $receive, receive_tid: $tid, receive_thread_name: "main", receive_pid: $pid,
		receive_process_name: "com.example", match: "exact", frame_id: 5, matched_frame_id: 5,
		present_ts: $present, finish_ts: $finish, ack_ts: $ack, event_ts: $event, event_id: 9,
		seq: $seq, machine_id: $machine, trace: $trace}'
}

# slice TS DUR NAME, of thread 1000
slice() {
	printf '{"type":"slice","id":%s,"ts":%s,"dur":%s,"kind":"thread","upid":1,"utid":%s,"pid":1000,"tid":%s,"process":"com.example","thread":"main","name":"%s","machine_id":%s,"trace":0}\n' \
		"${id-0}" "$1" "$2" "${utid-3}" "${tid-1000}" "$3" "${machine-0}"
}

# sched TS DUR STATE, of thread 1000
sched() {
	printf '{"type":"sched","ts":%s,"dur":%s,"utid":%s,"tid":%s,"pid":1000,"state":%s,"machine_id":0,"trace":0}\n' \
		"$1" "$2" "${utid-3}" "${tid-1000}" "$3"
}

# ends END: a trace that ends there
ends() {
	printf '{"type":"trace","path":"t","start_ts":0,"end_ts":%s,"data_sources":[],"clocks":[],"trace":0}\n' "$1"
}

lags() {
	tool got.out tc-jank input "$@" in
	ended 0
	only lag got.out
}

@test "input: every stage of an event in milliseconds, of whose instants both were seen" {
	{
		event=10000000 read=11000000 present=50000000 latency 20000000 21000000 25000000 25500000
		seq=8 latency 30000000 null 31000000 null
		seq=9 event=1000000 latency null 41000000 42000000 43000000
	} >in
	lags | jq -c '[.seq, .ts, .status, .dispatch_ms, .handling_ms, .ack_ms, .finish_ms, .total_ms, .age_ms, .present_ms, .end_to_end_ms]' >got
	same - got <<-END
		[7,20000000,"finished",1,4,0.5,5,5.5,15,30,39]
		[8,30000000,"finished",null,null,null,1,null,null,null,null]
		[9,41000000,"finished",null,1,1,null,null,41,null,null]
	END
}

@test "input: what the thread ran meanwhile, inside of one another or not, longest first" {
	{
		slice 5000000 2000000 before
		id=1 slice 10000000 30000000 around
		id=2 slice 21000000 4000000 inside
		id=3 slice 24000000 20000000 'over the end'
		id=4 slice 25000000 1000000 'at the end'
		id=5 utid=4 tid=1001 slice 21000000 4000000 'another thread'
		latency 20000000 20500000 25000000 null
	} >in
	lags | jq -c '.slices[] | [.name, .ts, .dur, .overlap_ms]' >got
	same - got <<-END
		["around",10000000,30000000,5]
		["inside",21000000,4000000,4]
		["over the end",24000000,20000000,1]
	END
}

@test "input: a slice that was never closed lasts, and one without length is none" {
	{
		slice 15000000 -1 open
		id=1 slice 21000000 0 instant
		latency 20000000 20500000 25000000 null
	} >in
	lags | jq -c '.slices | map([.name, .dur, .overlap_ms])' >got
	is "$(<got)" '[["open",-1,5],["instant",0,0]]'
}

@test "input: of many slices the eight longest are told, and how many are left off" {
	{
		for i in $(seq 1 12); do
			id=$i slice "$((20000000 + i * 100000))" "$((i * 1000))" "s$i"
		done
		latency 20000000 20500000 25000000 null
	} >in
	lags | jq -c '[(.slices | map(.name)), .slices_left_off]' >got
	is "$(<got)" '[["s12","s11","s10","s9","s8","s7","s6","s5"],4]'
}

@test "input: slices found by the tree are those that a walk over all finds" {
	awk 'BEGIN {
		srand(7)
		for (i = 0; i < 300; i++) {
			ts = int(rand() * 1000000); dur = int(rand() * rand() * 200000)
			printf "{\"type\":\"slice\",\"id\":%d,\"ts\":%d,\"dur\":%d,\"kind\":\"thread\",\"upid\":1,\"utid\":%d,\"pid\":1000,\"tid\":%d,\"name\":\"s%d\",\"machine_id\":0,\"trace\":0}\n", i, ts, dur, 3 + i % 2, 1000 + i % 2, i
		}
	}' >in
	for from in 0 1000 250000 500000 777777 999999; do
		seq=$from latency "$from" "$from" "$((from + 30000))" null
	done >>in
	lags | jq -c '[.ts, (.slices | length) + (.slices_left_off // 0)]' >got
	jq -nc '[inputs] | map(select(.type == "slice" and .tid == 1000)) as $s
		| .[] | select(.type == "input_latency") | .dispatch_ts as $f | .finish_ts as $t
		| [$f, ($s | map(select(.ts < $t and .ts + .dur > $f)) | length)]' in >wanted
	same wanted got
}

@test "input: how long the thread ran and waited, of a part of each state" {
	{
		sched 10000000 11000000 '"Running"'
		sched 21000000 500000 '"R+"'
		sched 21500000 500000 '"R"'
		sched 22000000 1000000 '"D"'
		sched 23000000 1000000 '"S"'
		sched 24000000 10000000 '"Running"'
		utid=4 tid=1001 sched 10000000 90000000 '"Running"'
		latency 20000000 20500000 25000000 null
	} >in
	lags | jq -c '[.running_ms, .runnable_ms, .blocked_ms]' >got
	is "$(<got)" '[2,1,2]'
}

@test "input: without states nothing is said of them, least of all 0" {
	latency 20000000 20500000 25000000 null >in
	lags | jq -c '[.running_ms, .runnable_ms, .blocked_ms, .slices]' >got
	is "$(<got)" '[null,null,null,null]'
	# Nor of slices, where there are none of any thread.
	sched 20000000 3000000 '"Running"' >>in
	lags | jq -c '[.running_ms, .slices, .slices_left_off]' >got
	is "$(<got)" '[3,null,null]'
}

@test "input: an event that nobody finished is its receiver's, to the end of the trace" {
	{
		ends 90000000
		slice 21000000 4000000 busy
		id=1 slice 95000000 1000000 later
		latency 20000000 20500000 null null
		seq=8 latency 30000000 null null null
	} >in
	lags | jq -c '[.seq, .status, .upid, .pid, .process, (.slices | map(.name)), .handling_ms, .finish_ms]' >got
	same - got <<-END
		[7,"not_finished",1,1000,"com.example",["busy"],null,null]
		[8,"not_received",1,1000,"com.example",[],null,null]
	END
}

@test "input: where a pid or tid stands for several, whose an event is is not said" {
	{
		ends 90000000
		echo '{"type":"process","upid":1,"pid":1000,"name":"a","machine_id":0,"trace":0}'
		echo '{"type":"process","upid":2,"pid":1000,"name":"b","machine_id":0,"trace":0}'
		slice 21000000 4000000 one
		id=1 utid=9 slice 21000000 4000000 two
		latency 20000000 20500000 null null
	} >in
	lags | jq -c '[.upid, .pid, .slices]' >got
	is "$(<got)" '[null,1000,null]'
}

@test "input: --app takes the events of one process" {
	{
		latency 20000000 20500000 25000000 null
		seq=8 upid=2 pid=2000 tid=2000 latency 20000000 20500000 25000000 null
	} >in
	is "$(lags --app upid=2 | jq .seq)" 8
	is "$(lags --app pid=1000 | jq .seq)" 7
	tool got.out tc-jank input --app pid=3 in
	ended 2
}

@test "input: machines and traces are not mixed, and lines may come in any order" {
	{
		machine=1 slice 21000000 4000000 elsewhere
		slice 21000000 3000000 here
		latency 20000000 20500000 25000000 null
		machine=1 latency 20000000 20500000 25000000 null
		trace=1 latency 20000000 20500000 25000000 null
	} >in
	lags | jq -c '[.machine_id, .trace, (.slices | map(.name)?)]' | sort >got
	same - got <<-END
		[0,0,["here"]]
		[0,1]
		[1,0,["elsewhere"]]
	END
	tac in >turned
	mv turned in
	lags | jq -c '[.machine_id, .trace, (.slices | map(.name)?)]' | sort | same - got
}

@test "input: the order of lines with equal times changes nothing" {
	{
		# Of the first three nobody can say which it was, of those behind them they can.
		for state in Running S Running; do
			sched 21000000 2000000 "\"$state\""
		done
		for state in Running R+ S R+; do
			sched 23000000 1000000 "\"$state\""
			sched 23000000 1500000 '"D"'
		done
		for i in 1 2 3; do
			id=$i slice 21000000 3000000 s$i
			seq=$i latency 20000000 20500000 25000000 null
		done
	} >in
	lags >wanted
	is "$(jq -c '[.running_ms, .runnable_ms, .blocked_ms]' wanted | sort -u)" '[0,0,1.5]'
	mv in rows
	for seed in 1 2 3 4 5 6; do
		shuf --random-source=<(yes $seed) rows >in
		lags | same wanted -
	done
}

@test "input: instants at the ends of 64 bits give no wrong length" {
	{
		slice -9223372036854775807 9223372036854775807 long
		id=1 slice 9223372036854775805 9223372036854775807 far
		latency 101 103 102 null | sed 's/:101,/:-9223372036854775807,/; s/:103,/:9223372036854775807,/; s/:102,/:9223372036854775806,/'
	} >in
	# How jq writes such a small number differs.
	lags | jq -c '[.dispatch_ms, .handling_ms == -1e-6, .finish_ms, (.slices | map(.name))]' >got
	is "$(<got)" '[null,true,null,["long","far"]]'
}

@test "input: real rows of latency come out with all their events" {
	shared=${TC_SHARED:-$ROOT/../shared/data}
	[ -d "$shared/input" ] || skip "no traces in $shared"
	tc-import "$shared/input/012.pftrace" >import.out
	tc-jank input import.out >got.out
	is "$(only lag got.out | wc -l)" "$(only input_latency import.out | wc -l)"
	[ "$(only lag got.out | jq -c 'select(.slices != [])' | wc -l)" -gt 0 ]
}

@test "input: states of one thread that overlap, or stand at one time, are not counted twice" {
	{
		sched 20000000 8000000 '"Running"'
		sched 21000000 9000000 '"S"'
		utid=4 tid=1001 sched 20000000 5000000 '"Running"'
		utid=4 tid=1001 sched 20000000 5000000 '"S"'
		latency 20000000 20500000 30000000 null
		seq=8 tid=1001 latency 20000000 20500000 25000000 null
	} >in
	lags | jq -c '[.running_ms, .runnable_ms, .blocked_ms]' >got
	same - got <<-END
		[1,0,9]
		[null,null,null]
	END
	tac in >turned
	mv turned in
	lags | jq -c '[.running_ms, .runnable_ms, .blocked_ms]' | same got -
}
