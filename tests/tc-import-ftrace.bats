load helper

# What the events of ftrace become: processes and threads, slices, counters,
# thread states.

# import [OPTION...] < SCRIPT: the script's trace in t.pftrace, its records in got.out.
import() {
	trace t.pftrace && tool got.out tc-import "$@" t.pftrace && ended 0 && silent
}

# gives TYPES FILTER < WANTED: what FILTER makes of the records of these types.
gives() {
	cat >wanted && only "$1" got.out | jq -rc "$2" >got && same wanted got
}

# slices < WANTED: id, ts, dur, kind, depth, parent, tid, name of each.
slices() {
	gives slice '"\(.id) \(.ts) \(.dur) \(.kind) \(.depth) \(.parent_id) \(.tid) \(.name)"'
}

processes() {
	gives process '"\(.upid) \(.pid) \(.name) \(.start_ts) \(.end_ts)"'
}

threads() {
	gives thread '"\(.utid) \(.upid) \(.tid) \(.name) \(.is_main)"'
}

counts() {
	cat >wanted && counters got.out >got && same wanted got
}

# ---- slices ----

@test "slices of a thread nest, on whatever CPU it runs" {
	import --slices '*' <<-'END'
	proc ts=1 proc=10:1:10007:com.example.app thread=11:10:RenderThread
	bundle cpu=0
	print ts=100 tid=10 text="B|10|Choreographer#doFrame 7\n"
	print ts=130 tid=10 text="E|10\n"
	print ts=150 tid=11 text="B|10|DrawFrames 7"
	endbundle
	bundle cpu=1
	print ts=110 tid=10 text="B|10|traversal"
	print ts=120 tid=10 text="E|10"
	print ts=125 tid=10 text="I|10|mark|more"
	print ts=160 tid=11 text="E"
	print ts=170 tid=11 text=E
	endbundle
	END
	gives slice . <<-'END'
	{"type":"slice","id":0,"ts":100,"dur":30,"kind":"thread","track":null,"parent_id":null,"depth":0,"upid":1,"utid":1,"pid":10,"tid":10,"process":"com.example.app","thread":null,"name":"Choreographer#doFrame 7","vsync_id":7,"machine_id":0,"trace":0}
	{"type":"slice","id":1,"ts":110,"dur":10,"kind":"thread","track":null,"parent_id":0,"depth":1,"upid":1,"utid":1,"pid":10,"tid":10,"process":"com.example.app","thread":null,"name":"traversal","machine_id":0,"trace":0}
	{"type":"slice","id":2,"ts":125,"dur":0,"kind":"instant","track":null,"parent_id":0,"depth":1,"upid":1,"utid":1,"pid":10,"tid":10,"process":"com.example.app","thread":null,"name":"mark","machine_id":0,"trace":0}
	{"type":"slice","id":3,"ts":150,"dur":10,"kind":"thread","track":null,"parent_id":null,"depth":0,"upid":1,"utid":2,"pid":10,"tid":11,"process":"com.example.app","thread":"RenderThread","name":"DrawFrames 7","vsync_id":7,"machine_id":0,"trace":0}
	END
}

@test "a slice ends where its thread says so, wherever that ran in between" {
	import --slices '*' <<-'END'
	bundle cpu=0
	print ts=100 tid=10 text="B|10|one"
	print ts=150 tid=10 text="E|10"
	print ts=150 tid=10 text="B|10|three"
	print ts=150 tid=10 text="B|10|four"
	print ts=150 tid=10 text="E|10"
	print ts=160 tid=10 text="E|10"
	print ts=200 tid=0 text="B|0|idle 0"
	print ts=230 tid=0 text="E|0"
	print ts=300 tid=20 text="B|20|outer"
	print ts=400 tid=20 text="E|20"
	print ts=500 tid=10 text="B|10|five"
	print ts=510 tid=10 text="E|11"
	endbundle
	bundle cpu=1
	print ts=110 tid=10 text="E|10"
	print ts=120 tid=10 text="B|10|two"
	print ts=210 tid=0 text="B|0|idle 1"
	print ts=240 tid=0 text="E|0"
	print ts=310 tid=20 text="B|20|inner"
	print ts=390 tid=20 text="E|20"
	endbundle
	END
	slices <<-'END'
	0 100 10 thread 0 null 10 one
	1 120 30 thread 0 null 10 two
	2 150 10 thread 0 null 10 three
	3 150 0 thread 1 2 10 four
	4 200 40 thread 0 null 0 idle 0
	5 210 20 thread 1 4 0 idle 1
	6 300 100 thread 0 null 20 outer
	7 310 80 thread 1 6 20 inner
	8 500 -1 thread 0 null 10 five
	END
}

@test "ids and depths do not depend on what was chosen, and parents are among it" {
	import <<-'END'
	print cpu=0 ts=100 tid=10 text="B|10|outer"
	print cpu=0 ts=101 tid=10 text="B|10|DrawFrame"
	print cpu=0 ts=102 tid=10 text="B|10|inner"
	print cpu=0 ts=103 tid=10 text="B|10|commit x"
	print cpu=0 ts=104 tid=10 text="E|10"
	END
	slices <<-'END'
	1 101 -1 thread 1 null 10 DrawFrame
	3 103 1 thread 3 1 10 commit x
	END
	tc-import --slices 'inn*' t.pftrace | only slice - | jq -r .name | tr '\n' ' ' >got
	is "$(cat got)" 'DrawFrame inner commit x '
	tc-import --slices '*' t.pftrace | only slice - | jq -r .name | tr '\n' ' ' >got
	is "$(cat got)" 'outer DrawFrame inner commit x '
	tc-import -T counter --slices '*' t.pftrace | only slice - | same /dev/null -
}

@test "slices of one time have the same ids, whatever was chosen" {
	{
		echo bundle cpu=0
		printf 'print ts=%s tid=5 text="%s"\n' 10 'B|5|a' 10 'B|5|DrawFrame 1' 10 'B|5|b' \
			10 'E|5' 20 'S|5|c|1' 20 'S|5|c|1' 20 'I|5|d' 20 'I|5|commit 2' 20 'N|5|t|e' \
			30 'E|5' 30 'B|5|DrawFrame 3'
		echo endbundle
		echo bundle cpu=1
		printf 'print ts=%s tid=6 text="%s"\n' 10 'B|6|f' 20 'G|6|t|g|1' 20 'N|6|t|commit 4' \
			30 'E|6' 30 'B|6|DrawFrame 5' 29 'B|6|h' 29 'E|6'
		echo endbundle
	} >script
	import --slices '*' <script
	only slice got.out | jq -c 'select(.name | test("^(DrawFrame|commit)")) | [.id, .name]' >wanted
	import <script
	only slice got.out | jq -c '[.id, .name]' >got
	is "$(wc -l <got)" 5
	same wanted got
}

@test "what nobody wants is left out, and nothing else changes" {
	local seed

	# of FILE...: the slices that are written by default, but for what counts the others.
	of() {
		only slice "$1" | jq -c 'select(.name | test("^(DrawFrame|Choreographer#doFrame|commit )"))
			| [.id, .ts, .dur, .kind, .depth, .pid, .tid, .process, .thread, .name]'
	}
	for seed in 1 2 3; do
		mkscene --mix atrace --seconds 3 --bytes 3000000 --seed $seed >t
		tool all tc-import --slices '*' t
		tool got.out tc-import t
		of all >wanted
		[ "$(wc -l <wanted)" -gt 100 ]
		of got.out >got
		same wanted got
	done
}

@test "slices that nobody wants count for depths and ends wherever their thread ran" {
	import <<-'END'
	bundle cpu=0
	print ts=10 tid=5 text="B|5|a"
	print ts=11 tid=5 text="B|5|b"
	print ts=12 tid=5 text="B|5|c"
	print ts=13 tid=5 text="E|5"
	print ts=14 tid=5 text="B|5|DrawFrame 1"
	print ts=15 tid=5 text="B|5|d"
	print ts=16 tid=5 text="B|5|e"
	print ts=17 tid=6 text="B|6|other"
	print ts=40 tid=5 text="E|5"
	print ts=41 tid=5 text="B|5|DrawFrame 3"
	print ts=42 tid=5 text="E|5"
	print ts=43 tid=5 text="E|5"
	print ts=44 tid=5 text="E|5"
	print ts=45 tid=5 text="B|5|DrawFrame 4"
	endbundle
	bundle cpu=1
	print ts=20 tid=5 text="E|5"
	print ts=21 tid=5 text="B|5|f"
	print ts=22 tid=5 text="B|5|DrawFrame 2"
	print ts=23 tid=5 text="B|5|g"
	print ts=24 tid=5 text="E|5"
	print ts=25 tid=5 text="E|5"
	print ts=26 tid=5 text="E|5"
	print ts=27 tid=5 text="E|5"
	endbundle
	END
	slices <<-'END'
	3 14 26 thread 2 null 5 DrawFrame 1
	8 22 3 thread 5 3 5 DrawFrame 2
	10 41 1 thread 2 null 5 DrawFrame 3
	11 45 -1 thread 0 null 5 DrawFrame 4
	END
}

@test "the vsync id is the number behind the name, and a resync is no frame" {
	import <<-'END'
	print cpu=0 ts=1 tid=10 text="I|10|Choreographer#doFrame 12"
	print cpu=0 ts=2 tid=10 text="I|10|Choreographer#doFrame - resynced to 13 in 2.5ms"
	print cpu=0 ts=3 tid=10 text="I|10|DrawFrames 14oem more"
	print cpu=0 ts=4 tid=10 text="I|10|DrawFrame"
	print cpu=0 ts=5 tid=10 text="I|10|commit 15"
	print cpu=0 ts=6 tid=10 text="I|10|Choreographer#doFrame -1"
	print cpu=0 ts=7 tid=10 text="I|10|drawLayers 16"
	print cpu=0 ts=8 tid=10 text="I|10|composite 99999999999999999999"
	END
	gives slice '"\(.name): \(.vsync_id)"' <<-'END'
	Choreographer#doFrame 12: 12
	Choreographer#doFrame - resynced to 13 in 2.5ms: null
	DrawFrames 14oem more: 14
	DrawFrame: null
	commit 15: 15
	Choreographer#doFrame -1: null
	drawLayers 16: null
	composite 99999999999999999999: null
	END
}

@test "asynchronous slices are told apart by name and cookie, and on named tracks nest" {
	import --slices '*' <<-'END'
	proc ts=1 proc=10:1:0:app
	print cpu=0 ts=10 tid=10 text="S|10|J<OPEN>|1"
	print cpu=0 ts=11 tid=11 text="S|10|J<OPEN>|2"
	print cpu=0 ts=12 tid=10 text="S|10|J<OPEN>|1"
	print cpu=0 ts=13 tid=11 text="F|10|J<OPEN>|1"
	print cpu=0 ts=14 tid=11 text="F|10|J<OPEN>|1"
	print cpu=0 ts=15 tid=10 text="F|10|J<CLOSE>|2"
	print cpu=0 ts=20 tid=10 text="G|10|track|a|-5"
	print cpu=0 ts=21 tid=10 text="G|10|track|b|-5"
	print cpu=0 ts=22 tid=10 text="N|10|J<OPEN>|FT#begin"
	print cpu=0 ts=23 tid=10 text="H|10|track|b|-5"
	print cpu=0 ts=24 tid=10 text="H|10|track|-5"
	print cpu=0 ts=25 tid=10 text="H|10|track|-5"
	END
	gives slice '[.id,.ts,.dur,.kind,.track,.depth,.parent_id,.upid,.utid,.name,.cookie]' <<-'END'
	[0,10,3,"async",null,0,null,1,null,"J<OPEN>",1]
	[1,11,-1,"async",null,0,null,1,null,"J<OPEN>",2]
	[3,20,4,"async","track",0,null,1,null,"a",-5]
	[4,21,2,"async","track",1,3,1,null,"b",-5]
	[5,22,0,"instant","J<OPEN>",0,null,1,null,"FT#begin",null]
	END
}

@test "markers of drivers are slices and counters like others" {
	import --slices '*' --counters '*' <<-'END'
	zero cpu=0 ts=1 tid=5 flag=1 name=zeroed pid=4
	zero cpu=0 ts=2 tid=5 flag=2 name="" pid=4
	zero cpu=0 ts=3 tid=5 flag=4 name=load pid=4 value=-7
	zero cpu=0 ts=3 tid=5 flag=9 name=load pid=4 value=8
	tracing_mark_write cpu=0 ts=4 tid=5 pid=4 trace_name=old trace_begin=1
	tracing_mark_write cpu=0 ts=5 tid=5 pid=4 trace_begin=0
	sde_tracing_mark_write cpu=0 ts=6 tid=5 pid=4 trace_name=sde trace_type=66
	sde_tracing_mark_write cpu=0 ts=7 tid=5 pid=4 trace_name=sde trace_begin=0
	dpu_tracing_mark_write cpu=0 ts=8 tid=5 pid=4 name=TE type=67 value=1
	dpu_tracing_mark_write cpu=0 ts=9 tid=5 pid=4 name=wait type=66
	dpu_tracing_mark_write cpu=0 ts=10 tid=5 pid=4 name="" type=69
	END
	slices <<-'END'
	0 1 1 thread 0 null 5 zeroed
	1 4 1 thread 0 null 5 old
	2 6 1 thread 0 null 5 sde
	3 9 1 thread 0 null 5 wait
	END
	gives counter '"\(.ts) \(.upid) \(.name) \(.value)"' <<-'END'
	3 1 load -7
	8 1 TE 1
	END
}

@test "marks that cannot be read are counted, the tracer's own are not" {
	import --slices '*' --counters '*' <<-'END'
	print cpu=0 ts=1 tid=5 text="X|5|a"
	print cpu=0 ts=2 tid=5 text="B"
	print cpu=0 ts=3 tid=5 text="B||a"
	print cpu=0 ts=4 tid=5 text="S|5|a|"
	print cpu=0 ts=5 tid=5 text="C|5|a|b"
	print cpu=0 ts=6 tid=5 text=""
	print cpu=0 ts=7 tid=5 text="hello"
	print cpu=0 ts=8 tid=5 text="trace_event_clock_sync: parent_ts=1.5\n"
	print cpu=0 ts=9 tid=5 text="B|5|"
	print cpu=0 ts=10 tid=5 text="B|5|a\xffb\xc3|c\n\x00"
	END
	slices <<-'END'
	0 9 -1 thread 0 null 5 [empty slice name]
	1 10 -1 thread 1 0 5 ab|c
	END
	counts <<-'END'
	systrace_parse_failure 7 error
	END
}

@test "slices of the same moment stack as those of the reference" {
	import --slices '*' <<-'END'
	bundle cpu=0
	print ts=10 tid=5 text="I|5|a"
	print ts=10 tid=5 text="I|5|b"
	print ts=10 tid=5 text="B|5|c"
	print ts=10 tid=5 text="E"
	print ts=10 tid=5 text="I|5|d"
	print ts=11 tid=5 text="I|5|e"
	endbundle
	END
	slices <<-'END'
	0 10 0 instant 0 null 5 a
	1 10 0 instant 1 0 5 b
	2 10 0 thread 0 null 5 c
	3 10 0 instant 0 null 5 d
	4 11 0 instant 0 null 5 e
	END
}

@test "slices that nest too deeply are counted, and their ends close no others" {
	{
		for ((i = 0; i < 514; i++)); do echo "print cpu=0 ts=$((i + 1)) tid=5 text=B|5|$i"; done
		for ((i = 0; i < 514; i++)); do echo "print cpu=0 ts=$((i + 1000)) tid=5 text=E"; done
	} >script
	import --slices '*' <script
	only slice got.out | jq -s '[length, (map(.dur) | min, max), (map(.depth) | max)]' -c >got
	is "$(cat got)" '[512,490,1512,511]'
	counts <<<'slice_max_depth_exceeded 2 error'
}

# ---- which events count ----

@test "events from before all CPUs are complete, or the tracer started, become no rows" {
	import --slices '*' -T +sched <<-'END'
	service ts=90 started=1
	bundle cpu=0 previous_bundle_end_timestamp=100
	print ts=80 tid=5 text="B|5|too early"
	print ts=150 tid=5 text="B|5|incomplete"
	print ts=210 tid=5 text="B|5|kept"
	sched_switch ts=180 prev_comm=a prev_pid=5 prev_state=1 next_comm=b next_pid=6
	endbundle
	bundle cpu=1 last_read_event_timestamp=200
	print ts=205 tid=7 text="E|7"
	print ts=220 tid=5 text="E|5"
	print ts=230 tid=5 text="E|5"
	endbundle
	END
	slices <<<'0 210 10 thread 0 null 5 kept'
	gives sched .ts </dev/null
}

@test "bundles and events that say too little are counted" {
	import <<-'END'
	bundle
	print ts=1 tid=5 text="B|5|DrawFrame"
	endbundle
	bundle cpu=1024
	print ts=1 tid=5 text="B|5|DrawFrame"
	endbundle
	bundle cpu=1 ftrace_clock=1
	print ts=1 tid=5 text="B|5|DrawFrame"
	endbundle
	bundle cpu=2 lost_events=1
	print tid=5 text="B|5|DrawFrame"
	other ts=3 tid=5
	endbundle
	END
	gives slice . </dev/null
	counts <<-'END'
	ftrace_bundle_tokenizer_errors 4 error
	ftrace_cpu_has_data_loss 1 data_loss
	ftrace_missing_event_id 1 info
	END
	only stat got.out | jq -r 'select(.name == "ftrace_cpu_has_data_loss").index' >got
	is "$(cat got)" 2
}

@test "the times of a bundle are on the clock that it names" {
	import <<-'END'
	clocks c=6:1000 c=5:100
	bundle cpu=0 ftrace_clock=4
	print ts=110 tid=5 text="I|5|DrawFrame 1"
	endbundle
	bundle cpu=0 seq=3 ftrace_clock=3 ftrace_timestamp=50 boot_timestamp=2000
	print ts=60 tid=5 text="I|5|DrawFrame 2"
	endbundle
	bundle cpu=0 seq=4 ftrace_clock=2
	print ts=60 tid=5 text="I|5|DrawFrame 3"
	endbundle
	END
	slices <<-'END'
	0 1010 0 instant 0 null 5 DrawFrame 1
	1 2010 0 instant 0 null 5 DrawFrame 2
	END
	counts <<<'clock_sync_failure_unknown_source_clock 1 error'
}

# ---- processes and threads ----

@test "a pid that is used again is another process, with another upid" {
	import <<-'END'
	proc ts=1 proc=10:1:0:first
	bundle cpu=0
	task_newtask ts=5 tid=10 pid=11 comm=first clone_flags=0x10000
	print ts=6 tid=11 text="B|10|DrawFrame 1"
	sched_process_free ts=9 tid=1 comm=first pid=11
	sched_process_free ts=10 tid=1 comm=first pid=10
	task_newtask ts=20 tid=1 pid=10 comm=init clone_flags=0x4000
	task_rename ts=21 tid=10 pid=10 oldcomm=init newcomm=sh
	sched_process_exec ts=22 tid=10 filename=/bin/second pid=10 old_pid=10
	task_newtask ts=23 tid=10 pid=11 comm=sh clone_flags=0x10000
	print ts=24 tid=11 text="B|10|DrawFrame 2"
	sched_process_exit ts=30 tid=10 comm=sh pid=10
	endbundle
	END
	processes <<-'END'
	0 0 null null null
	1 10 first null 10
	2 10 /bin/second 20 null
	END
	threads <<-'END'
	0 0 0 swapper true
	1 1 10 null true
	2 1 11 first false
	3 null 1 null false
	4 2 10 sh true
	5 2 11 sh false
	END
	gives slice '"\(.name) \(.upid) \(.utid) \(.dur)"' <<-'END'
	DrawFrame 1 1 2 -1
	DrawFrame 2 2 5 -1
	END
}

@test "a process ended when it exited, where nobody tells of it being freed" {
	import <<-'END'
	task_newtask cpu=0 ts=20 tid=1 pid=10 comm=init clone_flags=0
	sched_process_exit cpu=0 ts=30 tid=10 comm=sh pid=10
	END
	processes <<-'END'
	0 0 null null null
	1 10 init 20 30
	END
}

@test "a thread is called what the process tree says, or else the scheduler last" {
	import <<-'END'
	proc ts=100 thread=11:10:FromTree
	bundle cpu=0
	sched_switch ts=10 prev_comm=swapper/0 prev_pid=0 next_comm=one next_pid=11
	sched_switch ts=20 prev_comm=one prev_pid=11 next_comm=two next_pid=12
	sched_switch ts=50 prev_comm=three prev_pid=12 next_comm=four next_pid=13
	endbundle
	bundle cpu=1
	compact_switch ts=30 prev_state=1 next_pid=12 next_comm=between
	compact_switch ts=60 prev_state=1 next_pid=13 next_comm=five
	sched_process_fork ts=70 tid=13 parent_comm=five parent_pid=13 child_comm=child child_pid=14
	endbundle
	END
	gives thread '"\(.tid) \(.name)"' <<-'END'
	0 swapper
	11 FromTree
	12 three
	13 five
	14 child
	10 null
	END
	counts <<<'compact_sched_switch_skipped 1 info'
}

@test "damage inside an event is counted, and a rename without a name changes none" {
	import <<-'END'
	proc ts=1 proc=5:1:0:app
	bundle cpu=0
	task_rename ts=5 tid=5 pid=5
	endbundle
	raw hex=0a100a0e0800120a080310051a041205427c
	END
	counts <<-'END'
	nested_message_damaged 1 data_loss
	systrace_parse_failure 1 error
	END
	gives process .name <<-'END'
	null
	app
	END
}

@test "names of threads keep what is no UTF-8 as U+FFFD, wherever they come from" {
	import <<-'END'
	bundle cpu=0
	sched_switch ts=3 prev_comm=a prev_pid=4 next_comm="b\xff" next_pid=5
	task_rename ts=4 tid=6 pid=6 newcomm="c\xff"
	compact_switch ts=5 prev_state=1 next_pid=7 next_comm="d\xff"
	endbundle
	END
	gives thread '"\(.tid) \(.name)"' <<-END
	0 swapper
	4 a
	5 b$(printf '\xef\xbf\xbd')
	6 c$(printf '\xef\xbf\xbd')
	7 d$(printf '\xef\xbf\xbd')
	END
}

@test "a process has the package of its uid, if it is one or named after it" {
	import <<-'END'
	packages ts=1 pkg=com.one:10001 pkg=sys:1000
	packages ts=1 pkg=com.one:10001 pkg=com.two:10002 pkg=com.two.more:10002 pkg=sys:1000
	proc ts=1 proc=10:1:10001:whatever proc=11:1:1010001:com.one proc=12:1:10002:x
	task_rename cpu=0 ts=9 tid=12 pid=12 newcomm=com.two:bg
	proc ts=1 proc=13:1:10002:shared proc=14:1:1000:system_server proc=15:1:7:none proc=16:1:10002:com.two.more
	END
	gives process '"\(.pid) \(.uid) \(.package)"' <<-'END'
	0 null null
	10 10001 com.one
	11 1010001 com.one
	12 10002 com.two
	13 10002 null
	14 1000 sys
	15 7 null
	16 10002 com.two.more
	END
}

# ---- counters and thread states ----

@test "counters are BufferTX by default, and others when asked for" {
	trace t.pftrace <<-'END'
	print cpu=0 ts=1 tid=5 text="C|5|BufferTX - com.a/b#1|2"
	print cpu=0 ts=2 tid=5 text="C|5|other|3"
	cpu_frequency cpu=0 ts=3 tid=1 state=1704000 cpu_id=4
	END
	tc-import t.pftrace >got.out
	gives counter . <<-'END'
	{"type":"counter","ts":1,"name":"BufferTX - com.a/b#1","cpu":null,"upid":1,"value":2,"machine_id":0,"trace":0}
	END
	tc-import --counters cpufreq t.pftrace >got.out
	gives counter . <<-'END'
	{"type":"counter","ts":1,"name":"BufferTX - com.a/b#1","cpu":null,"upid":1,"value":2,"machine_id":0,"trace":0}
	{"type":"counter","ts":3,"name":"cpufreq","cpu":4,"upid":null,"value":1704000,"machine_id":0,"trace":0}
	END
}

@test "thread states say who ran, who waited for a CPU and who slept" {
	import -T sched <<-'END'
	bundle cpu=0
	sched_switch ts=10 prev_comm=a prev_pid=5 prev_state=1 next_comm=b next_pid=6
	sched_waking ts=20 tid=6 comm=a pid=5
	sched_waking ts=21 tid=6 comm=a pid=5
	sched_switch ts=30 prev_comm=b prev_pid=6 prev_state=256 next_comm=a next_pid=5
	sched_switch ts=40 prev_comm=a prev_pid=5 prev_state=66 next_comm=swapper next_pid=0
	endbundle
	bundle cpu=1
	sched_switch ts=50 prev_comm=swapper prev_pid=0 prev_state=0 next_comm=b next_pid=6
	endbundle
	END
	gives sched '"\(.ts) \(.dur) \(.tid) \(.state) \(.cpu)"' <<-'END'
	10 10 5 S null
	10 20 6 Running 0
	20 10 5 R null
	30 20 6 R+ null
	30 10 5 Running 0
	40 -1 5 DP null
	50 -1 6 Running 1
	END
}

@test "a thread of two names in turn has the one that it had last" {
	import -T thread <<-'END'
	bundle cpu=0
	compact_switch ts=10 prev_state=1 next_pid=12 next_comm=one
	compact_switch ts=20 prev_state=1 next_pid=12 next_comm=two
	compact_switch ts=30 prev_state=1 next_pid=12 next_comm=one
	compact_switch ts=40 prev_state=1 next_pid=13 next_comm=one
	compact_switch ts=50 prev_state=1 next_pid=13 next_comm=two
	endbundle
	END
	only thread got.out | jq -r 'select(.tid > 0) | "\(.tid) \(.name)"' >got
	is "$(cat got)" $'12 one\n13 two'
}

@test "compact switches tell the same, and whoever left unseen stays open" {
	import -T sched <<-'END'
	bundle cpu=0
	compact_switch ts=10 prev_state=1 next_pid=6 next_comm=b
	compact_waking ts=15 pid=5 comm=a
	compact_switch ts=20 prev_state=2 next_pid=5 next_comm=a
	compact_switch ts=30 prev_state=0 next_pid=0 next_comm=swapper
	endbundle
	bundle cpu=1
	sched_switch ts=40 prev_comm=x prev_pid=7 prev_state=1 next_comm=y next_pid=8
	sched_switch ts=50 prev_comm=x prev_pid=7 prev_state=1 next_comm=b next_pid=6
	endbundle
	END
	gives sched '"\(.ts) \(.dur) \(.tid) \(.state) \(.cpu)"' <<-'END'
	10 10 6 Running 0
	15 5 5 R null
	20 30 6 D null
	20 10 5 Running 0
	30 -1 5 R null
	40 10 7 S null
	40 -1 8 Running 1
	50 -1 7 S null
	50 -1 6 Running 1
	END
	counts <<-'END'
	compact_sched_switch_skipped 1 info
	mismatched_sched_switch_tids 1 error
	END
}

@test "old kernels number states in another way, and what differs is not told" {
	trace t.pftrace <<-'END'
	sysinfo release=4.9.111-perf
	bundle cpu=0
	sched_switch ts=10 prev_comm=a prev_pid=5 prev_state=2 next_comm=b next_pid=6
	sched_switch ts=20 prev_comm=b prev_pid=6 prev_state=64 next_comm=c next_pid=7
	endbundle
	END
	tc-import -T sched t.pftrace >got.out
	gives sched '"\(.tid) \(.state)"' <<-'END'
	5 D
	6 Running
	6 null
	7 Running
	END
}

@test "machines have threads of their own" {
	import <<-'END'
	print cpu=0 ts=1 tid=5 text="B|5|DrawFrame 1"
	print cpu=0 ts=2 tid=5 machine=7 text="B|5|DrawFrame 2"
	print cpu=0 ts=3 tid=5 text="E|5"
	END
	gives slice '"\(.ts) \(.dur) \(.upid) \(.machine_id)"' <<-'END'
	1 2 1 0
	2 -1 2 7
	END
}

# ---- what is left out ----

# Only what has more than this behind it in the file is read the short way.
behind() {
	local i

	for i in 1 2 3 4 5 6 7 8; do
		echo "print cpu=7 ts=2000$i tid=99 text=\"C|99|a counter that nobody asks for|$i\\n\""
	done
}

# went_away [SWITCH...]: thread 77 leaves CPU 0 within a slice that nobody asks for, ends it
# on CPU 1 and begins one there, and comes back; the lines say how that is told.
went_away() {
	echo bundle cpu=0
	echo 'print ts=1000 tid=77 text="B|55|DrawFrame 1\n"'
	echo 'print ts=2000 tid=77 text="B|55|one\n"'
	printf '%s\n' "$@"
	echo 'print ts=9000 tid=77 text="E|55\n"'
	echo 'print ts=9500 tid=77 text="E|55\n"'
	echo endbundle
	echo bundle cpu=1
	echo 'print ts=5000 tid=77 text="E|55\n"'
	echo 'print ts=6000 tid=77 text="B|55|another\n"'
	echo endbundle
	behind
}

@test "what a thread began on a CPU and ended on another one is no slice of what it ends here" {
	went_away | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 8500'
	went_away 'sched_switch ts=3000 prev_comm=a prev_pid=77 next_comm=b next_pid=5' \
		'sched_switch ts=8000 prev_comm=b prev_pid=5 next_comm=a next_pid=77' | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 8500'
	went_away 'compact_switch ts=3000 prev_state=1 next_pid=5 next_prio=120 next_comm=b' \
		'compact_switch ts=8000 prev_state=1 next_pid=77 next_prio=120 next_comm=a' | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 8500'
}

# lost HEAD [LINE...]: the same in two bundles of CPU 0; what tells of the switches between
# them is lost. HEAD is of the second one, and the lines are the first one's last.
lost() {
	echo bundle cpu=0
	echo 'sched_switch ts=500 prev_comm=b prev_pid=5 next_comm=a next_pid=77'
	echo 'print ts=1000 tid=77 text="B|55|DrawFrame 1\n"'
	echo 'print ts=2000 tid=77 text="B|55|one\n"'
	printf '%s\n' "${@:2}"
	echo endbundle
	echo bundle cpu=1
	echo 'print ts=5000 tid=77 text="E|55\n"'
	echo 'print ts=6000 tid=77 text="B|55|another\n"'
	echo endbundle
	echo bundle cpu=0 "$1"
	echo 'print ts=9000 tid=77 text="E|55\n"'
	echo 'print ts=9500 tid=77 text="E|55\n"'
	echo endbundle
	behind
}

@test "a thread may have left its CPU where something is lost that would say so" {
	# Where nothing says so it is believed, though there is no such trace.
	lost '' | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 4000'
	lost dropped=1 | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 8500'
	lost lost_events=1 | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 8500'
	lost '' 'compact_switch ts=2500 next_pid=77 next_comm=a' 'compact_switch ts=3000' | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 8500'
	# A bundle that does not say of which CPU it is.
	lost '' endbundle bundle 'print ts=2500 tid=77 text="B|55|one\n"' | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 8500'
}

# Three bundles of a CPU, of which the last two are the wrong way round.
out_of_order() {
	echo bundle cpu=0
	echo 'sched_switch ts=100 prev_comm=b prev_pid=5 next_comm=a next_pid=77'
	echo 'print ts=1000 tid=77 text="B|55|DrawFrame 1\n"'
	echo endbundle
	echo bundle cpu=0
	echo 'print ts=5000 tid=77 text="B|55|one\n"'
	echo 'print ts=9000 tid=77 text="E|55\n"'
	echo 'print ts=9500 tid=77 text="E|55\n"'
	echo endbundle
	echo bundle cpu=0
	echo 'print ts=6000 tid=77 text="E|55\n"'
	echo 'print ts=7000 tid=77 text="B|55|another\n"'
	echo endbundle
	behind
}

@test "a file whose bundles are out of order is read again, and a pipe counted" {
	out_of_order | import
	gives slice '"\(.ts) \(.dur)"' <<<'1000 8500'
	[ "$(counters got.out | grep -c sorter_push_event_out_of_order)" -eq 0 ]
	cat t.pftrace | tc-import >pipe.out
	counters pipe.out | grep -x 'sorter_push_event_out_of_order 2 error'
}

@test "whose a thread is is known of marks that are left out, but of none that do not count" {
	{
		echo bundle cpu=0 previous_bundle_end_timestamp=100
		echo 'sched_switch ts=40 prev_comm=b prev_pid=5 next_comm=later next_pid=77'
		echo 'print ts=50 tid=77 text="B|55|one\n"'
		echo 'print ts=60 tid=77 text="E|55\n"'
		echo 'print ts=150 tid=77 text="B|55|one\n"'
		echo 'print ts=160 tid=77 text="E|55\n"'
		echo 'sched_switch ts=200 prev_comm=later prev_pid=77 next_comm=b next_pid=5'
		echo endbundle
		echo bundle cpu=1
		echo 'print ts=70 tid=88 text="B|66|one\n"'
		echo 'print ts=80 tid=88 text="E|66\n"'
		echo 'sched_switch ts=300 prev_comm=before prev_pid=88 next_comm=b next_pid=5'
		echo endbundle
		behind
	} | import
	gives process .pid <<-'END'
	0
	55
	END
	gives thread 'select(.tid > 60) | "\(.tid) \(.name) \(.upid != null)"' <<-'END'
	77 later true
	88 before false
	END
}

@test "an instant at the time of another one is in it, though what is around both has ended" {
	{
		cat <<-'END'
		bundle cpu=0
		print ts=100 tid=77 text="B|55|outer\n"
		print ts=200 tid=77 text="I|55|one\n"
		print ts=200 tid=77 text="E|55\n"
		print ts=200 tid=77 text="I|55|two\n"
		endbundle
		END
		behind
	} | import --slices '*'
	gives slice '"\(.ts) \(.dur) \(.depth) \(.name)"' <<-'END'
	100 100 0 outer
	200 0 1 one
	200 0 2 two
	END
}

@test "slices are the same, whatever others were chosen" {
	local mix types

	for mix in system mixed atrace; do
		mkscene --mix "$mix" --bytes 4M >scene
		for types in slice slice,sched; do
			tc-import -T $types scene >got.out
			only slice got.out | jq -c '[.id, .ts, .dur, .depth, .tid, .name]' | sort >some
			tc-import -T $types --slices '*' scene >got.out
			only slice got.out | jq -c '[.id, .ts, .dur, .depth, .tid, .name]' | sort >all
			[ "$(wc -l <some)" -gt 50 ]
			[ "$(wc -l <all)" -gt "$(wc -l <some)" ]
			comm -23 some all >missing
			is "$(<missing)" ''
		done
	done
}

# ---- long traces ----

@test "events that come very late count in a file, and are counted on a pipe" {
	mkscene --mix atrace --bytes 60M >scene
	start=$(tc-import -T clock scene | only trace - | jq .start_ts)
	{
		cat scene
		echo "print cpu=60 ts=$((start + 1000000000)) tid=5 text=\"I|5|DrawFrame late\"" | mktrace
	} >t.pftrace
	tool got.out tc-import -T slice t.pftrace
	ended 0
	[ "$(grep -c 'DrawFrame late' got.out)" -eq 1 ]
	[ "$(counters got.out | grep -c sorter_push_event_out_of_order)" -eq 0 ]
	cat t.pftrace | tc-import -T slice >pipe.out
	[ "$(grep -c 'DrawFrame late' pipe.out)" -eq 0 ]
	counters pipe.out | grep -x 'sorter_push_event_out_of_order 1 error'
	# Nothing else differs.
	slices_of() { only slice "$1" | grep -v 'DrawFrame late' | jq -c '[.ts, .dur, .depth, .tid, .name]'; }
	same <(slices_of got.out) <(slices_of pipe.out)
}

@test "what a busy trace marked is balanced, wherever its threads ran" {
	mkscene --mix mixed --bytes 8M >scene
	tc-import --slices '*' -T slice scene >got.out
	only slice got.out | jq -r '.dur < 0' | sort | uniq -c | tr -s ' ' >got
	has "$(<got)" false
	[ "$(grep -c true got)" -eq 0 ]
}
