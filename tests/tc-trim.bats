# What a smaller trace holds.
load helper
load trim

@test "an input event that reaches into the window brings all that its latency is told from" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		bundle cpu=0 seq=2
		print ts=10 tid=90 text="B|9|UnwantedInteractionBlocker::notifyMotion(id=0xa, eventTime=5)"
		print ts=11 tid=90 text="E|9"
		print ts=12 tid=90 text="B|9|UnwantedInteractionBlocker::notifyMotion(id=0xb, eventTime=6)"
		print ts=13 tid=90 text="E|9"
		print ts=20 tid=91 text="B|9|dispatchOnce"
		print ts=21 tid=91 text="B|9|prepareDispatchCycleLocked(inputChannel=c0 app/Main (server), id=0xa)"
		print ts=22 tid=91 text="B|9|sendMessage(inputChannel=c0 app/Main (server), seq=0x1, type=MOTION)"
		print ts=23 tid=91 text="E|9"
		print ts=24 tid=91 text="E|9"
		print ts=25 tid=91 text="E|9"
		print ts=30 tid=91 text="B|9|prepareDispatchCycleLocked(inputChannel=c1 other (server), id=0xb)"
		print ts=31 tid=91 text="B|9|sendMessage(inputChannel=c1 other (server), seq=0x1, type=MOTION)"
		print ts=32 tid=91 text="E|9"
		print ts=33 tid=91 text="E|9"
		print ts=150 tid=91 text="B|9|receiveMessage(inputChannel=c0 app/Main (server), seq=0x1, type=FINISHED)"
		print ts=151 tid=91 text="E|9"
		endbundle
		bundle cpu=1 seq=2
		print ts=40 tid=7 text="B|7|receiveMessage(inputChannel=c0 app/Main (client), seq=0x1, type=MOTION)"
		print ts=41 tid=7 text="E|7"
		print ts=42 tid=7 text="B|7|dispatchInputEvent MotionEvent ACTION_MOVE"
		print ts=43 tid=7 text="B|7|deliverInputEvent src=0x1002 eventTimeNano=5 id=0xa"
		print ts=44 tid=7 text="E|7"
		print ts=45 tid=7 text="E|7"
		print ts=100 tid=7 text="B|7|sendMessage(inputChannel=c0 app/Main (client), seq=0x1, type=FINISHED)"
		print ts=101 tid=7 text="E|7"
		print ts=200 tid=7 text="B|7|Choreographer#doFrame 3"
		print ts=201 tid=7 text="E|7"
		print ts=250 tid=7 text="B|7|Choreographer#doFrame 4"
		print ts=251 tid=7 text="E|7"
		endbundle
		asurf ts=190 cookie=1 token=3 display=8 pid=7 layer=A present=4
		end ts=230 cookie=1
		asurf ts=240 cookie=2 token=4 display=9 pid=7 layer=A
		end ts=260 cookie=2
		asurf ts=250 cookie=5 token=5 display=9 pid=7 layer=A
		end ts=270 cookie=5
		adisp ts=260 cookie=3 token=9 pid=9
		end ts=300 cookie=3
	END
	agree t.pftrace --from 90 --to 110
	is "$(grep input_latency whole | jq -c '[.seq, .read_time, .event_action, .match, .matched_frame_id, .frame_id, .present_ts]')" \
		'[1,10,"MOVE","speculative",3,4,300]'
	decode part.pftrace >decoded
	is "$(grep -c 'id=0xb' decoded || true)" 0
	is "$(grep -o 'doFrame .' decoded)" 'doFrame 3'
	# The other side of the exchange stays too, whoever that is.
	tc-trim --process pid=7 t.pftrace >part.pftrace
	is "$(tc-import -T input_latency part.pftrace | jq -c 'select(.type == "input_latency") | [.dispatch_pid, .read_time, .ack_ts]')" \
		'[9,10,150]'
	decode part.pftrace >decoded
	is "$(grep -c 'id=0xb' decoded || true)" 0
}

@test "a window is from a slice and to a slice, as for an import" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		bundle cpu=0 seq=2
		print ts=10 tid=70 text="I|7|early"
		print ts=20 tid=70 text="B|7|J<begin>"
		print ts=25 tid=70 text="S|7|J<end>|3"
		print ts=30 tid=70 text="E|7"
		print ts=40 tid=70 text="I|7|within"
		print ts=50 tid=70 text="F|7|J<end>|3"
		print ts=60 tid=70 text="I|7|late"
		print ts=70 tid=70 text="B|7|J<begin>"
		print ts=71 tid=70 text="E|7"
		endbundle
		bundle cpu=1 seq=2
		print ts=15 tid=70 text="S|7|J<begin>x|3"
		print ts=22 tid=71 text="I|7|on another cpu"
		endbundle
	END
	agree t.pftrace --from 'J<begin>' --to 'J<end>'
	is "$(jq -r .name whole | xargs)" 'J<begin>x J<begin> on another cpu J<end> within'
	tc-trim --from 20 --to 50 t.pftrace | cmp - part.pftrace
	agree t.pftrace --from 'J<end>'
	tc-trim --to 41 t.pftrace >times.pftrace
	tc-trim --to within t.pftrace | cmp - times.pftrace
	tc-trim --from 22 --to 30 t.pftrace >times.pftrace
	tc-trim --from +12ns --to 'J<begin>' t.pftrace | cmp - times.pftrace
}

@test "an instant is in the window that it ends, or that is nothing else" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		bundle cpu=0 seq=2
		print ts=10 tid=70 text="I|7|first"
		print ts=20 tid=70 text="I|7|last"
		print ts=20 tid=71 text="I|7|at that time"
		print ts=21 tid=70 text="I|7|late"
		endbundle
	END
	agree t.pftrace --from first --to last
	is "$(jq -r .name whole | xargs)" 'first last at that time'
	agree t.pftrace --from last --to last
	is "$(jq -r .name whole | xargs)" 'last at that time'
}

@test "a marker that does not occur is 65, and nothing is written" {
	mkscene -s 1 >scene.pftrace
	run --separate-stderr tc-import --from 'no such slice' scene.pftrace
	wanted=$(jq -r .msg <<<"$stderr")
	[ "$wanted" ]
	tool got tc-trim --from 'no such slice' scene.pftrace
	ended 65
	is "$(jq -r .msg <<<"$stderr")" "$wanted"
	is "$(stat -c %s got)" 0
	run --separate-stderr tc-trim -o out --to 'no such slice' scene.pftrace
	ended 65
	diagnosed malformed "no slice is named"
	[ ! -e out ]
}

@test "with processes and layers too" {
	mkscene -s 3 >scene.pftrace
	start=$(tc-import -T trace scene.pftrace | jq 'select(.type == "trace").start_ts')
	name=$(tc-import -T actual_frame scene.pftrace |
		jq -r 'select(.layer_name != null and .process != null).process' | sed -n 1p)
	layer=$(tc-import -T actual_frame scene.pftrace |
		jq -r 'select(.layer_name != null).layer_name' | sed -n 1p)
	[ "$name" ]
	[ "$layer" ]
	for choice in "--process=$name" "--layer=*${layer#*#}"; do
		agree scene.pftrace "$choice"
		agree scene.pftrace "$choice" --from "$((start + 1000000000))"
		agree scene.pftrace "$choice" --to "$((start + 1100000000))"
		agree scene.pftrace "$choice" --from +1s --to +1.2s
		[ -s whole ]
	done
}

@test "without a choice every packet stays as it is" {
	mkscene -s 1 -m system >scene.pftrace
	tool got tc-trim scene.pftrace
	ended 0
	silent
	cmp scene.pftrace got
	mktrace "$DATA/scripts/a1.script" >plain.pftrace
	mktrace "$DATA/scripts/a1-deflate.script" >deflated.pftrace
	tool got tc-trim deflated.pftrace
	ended 0
	cmp plain.pftrace got
}

@test "a trace from a pipe is cut like one from a file" {
	mkscene -s 2 >scene.pftrace
	tool file tc-trim --from +0.5s --to +1s scene.pftrace
	ended 0
	run --separate-stderr capture pipe sh -c 'cat scene.pftrace | tc-trim --from +0.5s --to +1s -'
	ended 0
	cmp file pipe
	tool stdin tc-trim --from +0.5s --to +1s <scene.pftrace
	ended 0
	cmp file stdin
	is "$(find "$TMP" -name 'tc-*')" ''
}

@test "a trace is taken out of what it is wrapped in" {
	mkscene -s 1 >scene.pftrace
	tool want tc-trim --from +0.2s --to +0.5s scene.pftrace
	ended 0
	gzip -k scene.pftrace
	zstd -q scene.pftrace
	zip -q scene.zip scene.pftrace
	tar -czf scene.tgz scene.pftrace
	for wrapped in scene.pftrace.gz scene.pftrace.zst scene.zip scene.tgz; do
		tool got tc-trim --from +0.2s --to +0.5s "$wrapped"
		ended 0
		silent
		cmp want got
		tool got sh -c "cat $wrapped | tc-trim --from +0.2s --to +0.5s"
		ended 0
		cmp want got
	done
}

@test "of several traces in an archive the first is taken, and the others are named" {
	mkscene -s 1 >a.pftrace
	mkscene -s 1 -S 2 >b.pftrace
	zip -q both.zip a.pftrace b.pftrace
	tool got tc-trim both.zip
	ended 0
	diagnosed more_traces both.zip
	cmp a.pftrace got
}

@test "an input that has been read in part begins where it stands" {
	mkscene -s 1 >scene.pftrace
	(echo skipped && cat scene.pftrace) >longer
	tool got sh -c 'read line && tc-trim' <longer
	# dash reads a file byte by byte, so that what follows begins behind the line.
	ended 0
	cmp scene.pftrace got
}

@test "the state of a sequence outlives the packets that made it" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		gfx ts=10 type=11 layer=A buffer=1 seq=7 flags=1 dropped=1
		interned seq=7 flags=2
		defaults seq=7 dclock=6
		gfx ts=20 type=11 layer=A buffer=2 seq=7 flags=2
		gfx ts=100 type=11 layer=A buffer=3 seq=7 flags=2
		gfx ts=200 type=11 layer=A buffer=4 seq=7 flags=2
		interned seq=7 flags=2
	END
	trace wanted.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		empty seq=7 flags=1 dropped=1
		interned seq=7 flags=2
		defaults seq=7 dclock=6
		gfx ts=100 type=11 layer=A buffer=3 seq=7 flags=2
		empty ts=109 clock=6
	END
	tool got.pftrace tc-trim --from 90 --to 110 t.pftrace
	ended 0
	decode wanted.pftrace >wanted
	decode got.pftrace >got
	same wanted got
}

@test "state that nothing builds on goes with its packets" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		rawpacket ts=10 hex=c23e0101 seq=7 flags=1
		interned seq=7 flags=2
		rawpacket ts=20 hex=c23e0101 seq=7 flags=1
		rawpacket ts=100 hex=c23e0101 seq=8 flags=1
		rawpacket ts=200 hex=c23e0101 seq=8 flags=1
	END
	trace wanted.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		rawpacket ts=100 hex=c23e0101 seq=8 flags=1
		empty ts=109 clock=6
	END
	tool got.pftrace tc-trim --from 90 --to 110 t.pftrace
	ended 0
	decode wanted.pftrace >wanted
	decode got.pftrace >got
	same wanted got
}

@test "times that count from the packet before go on counting right" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1000 primary=6
		clocks seq=7 c=6:1000 c=64:0:1:1
		gfx ts=10 type=11 layer=A buffer=1 seq=7 clock=64
		gfx ts=10 type=11 layer=A buffer=2 seq=7 clock=64
		gfx ts=10 type=11 layer=A buffer=3 seq=7 clock=64
		gfx ts=10 type=11 layer=A buffer=4 seq=7 clock=64
		gfx ts=10 type=11 layer=A buffer=5 seq=7 clock=64
		clocks seq=7 c=6:2000 c=64:500:1:1
		gfx ts=1 type=11 layer=A buffer=6 seq=7 clock=64
	END
	tool got.pftrace tc-trim --from 1025 --to 1035 t.pftrace
	ended 0
	is "$(tc-import got.pftrace | jq -c 'select(.type == "buffer_event") | [.buffer_id, .ts]')" \
		'[3,1030]'
	tool got.pftrace tc-trim --from 1045 t.pftrace
	ended 0
	is "$(tc-import got.pftrace | jq -c 'select(.type == "buffer_event") | [.buffer_id, .ts]' | xargs)" \
		'[5,1050] [6,2001]'
}

@test "a packet without a time keeps the one that the packets before gave it" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		gfx ts=50 type=11 layer=A buffer=1
		gfx ts=30 type=11 layer=A buffer=2
		gfx type=11 layer=A buffer=3
		gfx ts=60 type=11 layer=A buffer=4
	END
	tool got.pftrace tc-trim --from 20 --to 55 t.pftrace
	ended 0
	is "$(tc-import got.pftrace | jq -c 'select(.type == "buffer_event") | [.buffer_id, .ts]' | xargs)" \
		'[2,30] [1,50] [3,50]'
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		esurf ts=50 cookie=1 token=1 display=2 pid=7 layer=A
		end ts=55 cookie=1
		proc proc=7:1:0:app
		gfx ts=70 type=11 layer=A buffer=1
	END
	tool got.pftrace tc-trim --from 60 t.pftrace
	ended 0
	decode got.pftrace >decoded
	# The process tree was at the time of the frame that is gone.
	is "$(grep -c '^  8: 55' decoded)" 1
}

@test "packets on a clock that nothing maps are kept, and said" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		gfx ts=10 type=11 layer=A buffer=1
		gfx ts=500 type=11 layer=A buffer=2 clock=130
		asurf ts=501 cookie=1 token=1 display=2 pid=7 layer=A clock=130
		gfx ts=900 type=11 layer=A buffer=3
	END
	tool got.pftrace tc-trim --from 800 t.pftrace
	ended 0
	diagnosed unmapped '2 packets kept'
	decode got.pftrace >decoded
	is "$(grep -c '^  8: ' decoded)" 3
}

@test "a clock that is known only later still decides" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		gfx ts=10 type=11 layer=A buffer=1 clock=3
		gfx ts=900 type=11 layer=A buffer=2 clock=3
		clocks seq=1 c=6:1000 c=3:500
	END
	tool got.pftrace tc-trim --from 1300 t.pftrace
	ended 0
	silent
	is "$(tc-import got.pftrace | jq -c 'select(.type == "buffer_event") | [.buffer_id, .ts]')" \
		'[2,1400]'
}

@test "the first conversion fixes trace time, also when its packet goes" {
	trace t.pftrace <<-END
		gfx ts=10 type=11 layer=A buffer=1 clock=6
		clocks seq=1 c=3:100 c=6:1100 primary=3
		gfx ts=200 type=11 layer=A buffer=2 clock=6
		gfx ts=300 type=11 layer=A buffer=3 clock=3
	END
	agree t.pftrace --from 150
	is "$(wc -l <whole)" 2
}

@test "a frame that crosses an edge is whole, and its display frame is there" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		esurf ts=10 cookie=1 token=1 display=2 pid=7 layer=A
		end ts=30 cookie=1
		asurf ts=12 cookie=2 token=1 display=2 pid=7 layer=A
		end ts=60 cookie=2
		edisp ts=14 cookie=3 token=2 pid=9
		end ts=20 cookie=3
		adisp ts=15 cookie=4 token=2 pid=9
		end ts=25 cookie=4
		asurf ts=11 cookie=5 token=9 display=8 pid=7 layer=A
		end ts=13 cookie=5
		asurf ts=80 cookie=6 token=10 display=11 pid=7 layer=A
		end ts=90 cookie=6
	END
	tool got.pftrace tc-trim --from 40 --to 50 t.pftrace
	ended 0
	is "$(tc-import -T actual_frame,expected_frame got.pftrace |
		jq -c 'select(.dur) | [.type, .ts, .dur]' | xargs)" \
		'[actual_frame,12,48] [expected_frame,14,6] [actual_frame,15,10]'
}

@test "a frame that repeats a known token brings the one that it repeats" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		esurf ts=10 cookie=1 token=1 display=2 pid=7 layer=A
		end ts=30 cookie=1
		esurf ts=50 cookie=2 token=1 display=2 pid=7 layer=B
		end ts=60 cookie=2
	END
	agree t.pftrace --from 40
	is "$(wc -l <whole)" 0
}

@test "a cookie that was taken over twice still ends the right frame" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		asurf ts=10 cookie=1 token=1 display=2 pid=7 layer=A
		asurf ts=20 cookie=1 token=2 display=3 pid=7 layer=A
		end ts=30 cookie=1
		end ts=90 cookie=1
	END
	agree t.pftrace --from 80
	is "$(jq -c '[.ts, .dur]' whole)" '[10,-1]'
}

@test "a bundle keeps the events that are in the time, and what they need" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		bundle cpu=0 seq=2 previous_bundle_end_timestamp=5
		print ts=6 tid=70 text="I|7|before"
		endbundle
		bundle cpu=0 seq=2 previous_bundle_end_timestamp=7
		task_rename ts=8 tid=70 pid=70 newcomm=one
		print ts=10 tid=70 text="B|7|open"
		print ts=11 tid=70 text="B|7|closed"
		print ts=12 tid=70 text="E|7"
		print ts=13 tid=70 text="S|7|async|3"
		print ts=14 tid=70 text="S|7|gone|4"
		print ts=15 tid=70 text="F|7|gone|4"
		sched_switch ts=16 tid=70 prev_pid=70 next_pid=1
		sched_switch ts=18 tid=1 prev_pid=1 next_pid=70
		print ts=100 tid=70 text="B|7|inside"
		print ts=101 tid=70 text="I|7|now"
		print ts=200 tid=70 text="B|7|after"
		print ts=201 tid=70 text="E|7"
		print ts=202 tid=70 text="E|7"
		print ts=203 tid=70 text="E|7"
		print ts=204 tid=70 text="E|7"
		print ts=205 tid=70 text="F|7|async|3"
		sched_switch ts=210 tid=70 prev_pid=70 next_pid=1
		sched_switch ts=220 tid=1 prev_pid=1 next_pid=70
		endbundle
		bundle cpu=0 seq=2
		print ts=300 tid=70 text="I|7|behind"
		endbundle
	END
	trace wanted.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		bundle cpu=0 seq=2 previous_bundle_end_timestamp=5
		endbundle
		bundle cpu=0 seq=2 previous_bundle_end_timestamp=7
		task_rename ts=8 tid=70 pid=70 newcomm=one
		print ts=10 tid=70 text="B|7|open"
		print ts=13 tid=70 text="S|7|async|3"
		sched_switch ts=18 tid=1 prev_pid=1 next_pid=70
		print ts=100 tid=70 text="B|7|inside"
		print ts=101 tid=70 text="I|7|now"
		print ts=202 tid=70 text="E|7"
		print ts=203 tid=70 text="E|7"
		print ts=205 tid=70 text="F|7|async|3"
		sched_switch ts=210 tid=70 prev_pid=70 next_pid=1
		endbundle
	END
	tool got.pftrace tc-trim --from 90 --to 150 t.pftrace
	ended 0
	decode wanted.pftrace >wanted
	decode got.pftrace >got
	same wanted got
}

@test "a thread keeps the name that a switch outside of the window gave it, and its process" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		proc ts=2 proc=7:1:0:com.example.app
		bundle cpu=0 seq=2
		print ts=5 tid=72 text="I|7|whose thread it is"
		sched_switch ts=10 tid=7 prev_comm=example.app prev_pid=7 next_comm=early next_pid=71
		sched_switch ts=20 tid=71 prev_comm=early prev_pid=71 next_comm=worker next_pid=72
		task_rename ts=30 tid=73 pid=73 newcomm=by-event
		print ts=100 tid=71 text="I|7|now"
		sched_switch ts=200 tid=72 prev_comm=worker prev_pid=72 next_comm=old next_pid=73
		sched_switch ts=205 tid=73 prev_comm=older prev_pid=73 next_comm=swapper next_pid=0
		task_rename ts=206 tid=73 pid=73 newcomm=by-event
		endbundle
		bundle cpu=1 seq=2
		compact_switch ts=210 prev_state=1 next_pid=71 next_prio=120 next_comm=late
		compact_switch ts=220 prev_state=1 next_pid=7 next_prio=120 next_comm=renamed
		compact_switch ts=230 prev_state=1 next_pid=74 next_prio=120 next_comm=other
		endbundle
	END
	agree t.pftrace --from 90 --to 110
	is "$(jq -r '"\(.tid) \(.name)"' part.names | tail -n 5 | xargs)" \
		'7 renamed 71 late 72 worker 73 by-event 74 other'
	is "$(tc-import -T process,thread part.pftrace | jq -c 'select(.name == "com.example.app" or .tid == 72) | .upid' | uniq)" 1
	agree t.pftrace --process nobody
}

@test "compact scheduling is cut by rows, and counts from the first that is left" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		bundle cpu=0 seq=2
		compact_switch ts=10 prev_state=1 next_pid=5 next_prio=120 next_comm=five
		compact_switch ts=20 prev_state=1 next_pid=6 next_prio=120 next_comm=six
		compact_switch ts=30 prev_state=1 next_pid=7 next_prio=120 next_comm=seven
		compact_switch ts=100 prev_state=0 next_pid=8 next_prio=120 next_comm=eight
		compact_switch ts=200 prev_state=1 next_pid=5 next_prio=120 next_comm=five
		compact_switch ts=210 prev_state=1 next_pid=6 next_prio=120 next_comm=six
		compact_waking ts=15 pid=6 target_cpu=0 prio=120 comm=six common_flags=1
		compact_waking ts=95 pid=8 target_cpu=0 prio=120 comm=eight common_flags=1
		endbundle
	END
	tool got.pftrace tc-trim --from 90 --to 150 t.pftrace
	ended 0
	decode got.pftrace >got
	trace wanted.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		bundle cpu=0 seq=2
		compact_switch ts=20 prev_state=1 next_pid=6 next_prio=120 next_comm=six
		compact_switch ts=30 prev_state=1 next_pid=7 next_prio=120 next_comm=seven
		compact_switch ts=100 prev_state=0 next_pid=8 next_prio=120 next_comm=eight
		compact_switch ts=200 prev_state=1 next_pid=5 next_prio=120 next_comm=five
		compact_waking ts=95 pid=8 target_cpu=0 prio=120 comm=eight common_flags=1
		endbundle
	END
	# The table of names is the old one, and so are the indices: look at the rest.
	decode wanted.pftrace >wanted
	times() { sed -n '/^    4 {/,/^    }/p' "$1" | grep -E '^      (1|2|3|4|7|8|9|10|12):'; }
	times wanted >wanted.columns
	times got >got.columns
	same wanted.columns got.columns
	is "$(grep -cE '^      5[ :]' got)" 4
	# The switch that went was the last to name thread 6.
	is "$(grep -A 3 '^      236 {' got | grep -cE '1: 6|3: "six"')" 2
}

@test "only the events of a process's threads, and the switches to and from them" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		proc ts=2 proc=7:1:0:app proc=8:1:0:other thread=70:7:a thread=80:8:b
		bundle cpu=0 seq=2
		print ts=10 tid=70 text="I|7|mine"
		print ts=11 tid=80 text="I|8|theirs"
		print ts=12 tid=99 text="N|0|?|nobody's"
		sched_switch ts=13 tid=80 prev_pid=80 next_pid=70
		sched_switch ts=14 tid=70 prev_pid=70 next_pid=80
		sched_switch ts=15 tid=80 prev_pid=80 next_pid=0
		sched_waking ts=16 tid=80 pid=70
		sched_waking ts=17 tid=80 pid=81
		cpu_frequency ts=18 tid=80 state=1000 cpu_id=0
		task_newtask ts=19 tid=70 pid=71 comm=child clone_flags=65536
		task_newtask ts=20 tid=80 pid=81 comm=child clone_flags=65536
		print ts=21 tid=71 text="I|0|child of mine"
		print ts=22 tid=81 text="I|0|child of theirs"
		endbundle
	END
	trace wanted.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		proc ts=2 proc=7:1:0:app proc=8:1:0:other thread=70:7:a thread=80:8:b
		bundle cpu=0 seq=2
		print ts=10 tid=70 text="I|7|mine"
		print ts=12 tid=99 text="N|0|?|nobody's"
		sched_switch ts=13 tid=80 prev_pid=80 next_pid=70
		sched_switch ts=14 tid=70 prev_pid=70 next_pid=80
		sched_waking ts=16 tid=80 pid=70
		cpu_frequency ts=18 tid=80 state=1000 cpu_id=0
		task_newtask ts=19 tid=70 pid=71 comm=child clone_flags=65536
		task_newtask ts=20 tid=80 pid=81 comm=child clone_flags=65536
		print ts=21 tid=71 text="I|0|child of mine"
		endbundle
		empty ts=22 clock=6
	END
	tool got.pftrace tc-trim --process app t.pftrace
	ended 0
	decode wanted.pftrace >wanted
	decode got.pftrace >got
	same wanted got
}

@test "a process is chosen by every name that it ever had" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		bundle cpu=0 seq=2
		print ts=5 tid=7 text="I|7|an early one"
		task_newtask ts=6 tid=1 pid=8 comm=zygote clone_flags=0
		task_rename ts=30 tid=7 pid=7 newcomm=app
		task_rename ts=31 tid=8 pid=8 newcomm=other
		print ts=32 tid=8 text="I|8|not this one"
		endbundle
		proc ts=50 proc=7:1:0:app
	END
	tool got.pftrace tc-trim --process app t.pftrace
	ended 0
	decode got.pftrace >got
	is "$(grep -c 'I|7|an early one' got)" 1
	is "$(grep -c 'I|8|not this one' got || true)" 0
}

@test "a bundle's clock pair holds on when its events are gone" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1000 primary=6
		bundle cpu=0 seq=2 ftrace_clock=2 ftrace_timestamp=10 boot_timestamp=1010
		print ts=11 tid=7 text="I|7|first"
		endbundle
		bundle cpu=0 seq=2 ftrace_clock=2 ftrace_timestamp=20 boot_timestamp=2020
		print ts=21 tid=7 text="I|7|second"
		endbundle
		bundle cpu=0 seq=2 ftrace_clock=2 ftrace_timestamp=20 boot_timestamp=2020
		print ts=30 tid=7 text="I|7|the third one"
		endbundle
	END
	tool got.pftrace tc-trim --from 2025 t.pftrace
	ended 0
	decode got.pftrace >got
	is "$(grep -c '^    7: ' got)" 3
	is "$(grep -o 'I|7|[a-z ]*' got)" 'I|7|the third one'
}

@test "kinds of data that nobody here knows are kept by their time" {
	trace t.pftrace <<-END
		clocks seq=1 c=6:1 primary=6
		rawpacket ts=10 hex=c23e0101
		rawpacket ts=100 hex=c23e0102
	END
	tool got.pftrace tc-trim --from 50 t.pftrace
	ended 0
	decode got.pftrace >got
	is "$(grep -c '^  8: ' got)" 1
	is "$(grep '^  8: ' got)" '  8: 100'
}

@test "with nothing in the window there is what describes the trace, and a note" {
	mkscene -s 1 >scene.pftrace
	tool got.pftrace tc-trim --from 1 --to 2 scene.pftrace
	ended 0
	diagnosed nothing_chosen 'nothing of what was chosen'
	named process scene.pftrace >whole
	named process got.pftrace >part
	same whole part
}

@test "what comes before damage is kept, status 65" {
	mkscene -s 1 >scene.pftrace
	(cat scene.pftrace && printf '\013\013') >damaged.pftrace
	tool got.pftrace tc-trim damaged.pftrace
	ended 65
	diagnosed malformed 'damaged at byte'
	cmp scene.pftrace got.pftrace
	run --separate-stderr tc-trim -o out.pftrace damaged.pftrace
	ended 65
	cmp scene.pftrace out.pftrace
}

@test "a tail that is cut is no damage" {
	mkscene -s 1 >scene.pftrace
	head -c -1 scene.pftrace >cut.pftrace
	tool got.pftrace tc-trim cut.pftrace
	ended 0
	silent
	cmp -n "$(stat -c %s got.pftrace)" scene.pftrace got.pftrace
}

@test "what is no trace ends with 65, and an old output stays" {
	tool got tc-trim /dev/null
	ended 65
	diagnosed malformed 'no packets'
	echo '{}' >json
	echo old >out
	run --separate-stderr tc-trim -o out json
	ended 65
	diagnosed malformed json
	is "$(cat out)" old
	is "$(ls out*)" out
	run --separate-stderr tc-trim none
	ended 66
	diagnosed no_input none
}

@test "-o follows a link, and writes to a pipe as it is" {
	mkscene -s 1 >scene.pftrace
	run --separate-stderr tc-trim -o real scene.pftrace
	ended 0
	echo old >other
	ln -s other link
	run --separate-stderr tc-trim -o link scene.pftrace
	ended 0
	[ -L link ]
	cmp other real
	mkfifo pipe
	timeout 20 cat pipe >got &
	run --separate-stderr timeout 20 tc-trim -o pipe scene.pftrace
	wait $!
	ended 0
	[ -p pipe ]
	cmp got real
}

@test "-o writes the whole file or none" {
	mkdir out
	mkscene -s 1 >out/scene.pftrace
	run --separate-stderr tc-trim -o out/scene.pftrace out/scene.pftrace
	ended 0
	silent
	mkscene -s 1 | cmp - out/scene.pftrace
	is "$(ls out)" scene.pftrace
	run --separate-stderr tc-trim -o none/out out/scene.pftrace
	ended 74
	diagnosed io none/out
}

@test "an interrupt leaves nothing of the output behind" {
	mkfifo pipe
	background tc-trim -o out pipe
	exec 4>pipe
	until_true compgen -G 'out.??????'
	kill -INT "$group"
	ends "$group" 130
	exec 4>&-
	is "$(ls)" pipe
}

@test "the input is no output" {
	mkscene -s 1 >scene.pftrace
	run --separate-stderr sh -c 'tc-trim scene.pftrace >>scene.pftrace'
	ended 2
	diagnosed usage 'is the output too'
}

@test "a trace is not for a terminal" {
	needs_terminal
	mkscene -s 1 >scene.pftrace
	run script -qec 'tc-trim scene.pftrace 2>err' /dev/null
	is "$status" 2
	has "$(cat err)" 'not for a terminal'
}

@test "a full disk is 74, a reader that is gone 141" {
	mkscene -s 2 -m system >scene.pftrace
	tool /dev/full tc-trim scene.pftrace
	ended 74
	diagnosed io write
	run "${FRESH[@]}" bash -c 'tc-trim scene.pftrace 2>err | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}"'
	is "$output" 141
	is "$(cat err)" ''
}

@test "options that make no sense are 2" {
	for options in '--frm 1' '--from 5 --to 5' '--process upid=3' '--process=' \
		'one two' '-k' '-o'; do
		run --separate-stderr tc-trim $options
		ended 2
		diagnosed usage ''
	done
}

@test "memory does not follow the trace" {
	mkscene -m system -b 48M >large.pftrace
	run --separate-stderr limited 76 tc-trim --from +1s --to +2s -o part large.pftrace
	ended 0
	[ "$(stat -c %s part)" -gt 100000 ]
}
