load helper

# Records of input, and where they differ from the reference's.

# import [OPTION...] < SCRIPT: the script's trace in t.pftrace, its records in got.out.
import() {
	trace t.pftrace && tool got.out tc-import "$@" t.pftrace && ended 0 && silent
}

# gives TYPES < WANTED
gives() {
	cat >wanted && only "$1" got.out >got && same wanted got
}

# varint N: its bytes in hexadecimal.
varint() {
	local n=$1

	for (( ; n > 127; n >>= 7)); do
		printf %02x $((n & 127 | 128))
	done
	printf %02x "$n"
}

# ---- packets of android.input.inputevent ----

@test "a motion event: columns, and all else as arguments by path" {
	import <<-END
		clocks c=6:2000000 c=3:1000000
		motion ts=2000100 id=0xdeadbeef time=1000050 down=-5 source=0x1002 action=2 device=-1 display=-1 class=0 evflags=0x80000000 pointer=0:1:0:0.1:1:-16.5 pointer=1::8:3e-7 original=efbeadde01000000 cursorx=12.5 cursory=-0.25 actbutton=-1 buttons=1 meta=0 policy=4294967295 precx=16777216 precy=1
	END
	gives 'input_event|input_dispatch' <<-'END'
		{"type":"input_event","event_id":3735928559,"ts":2000100,"kind":"motion","source":4098,"action":2,"device_id":-1,"display_id":-1,"key_code":null,"args":{"event_time_nanos":1000050,"kernel_time":2000050,"classification":0,"flags":2147483648,"pointer[0].axis_value[0].axis":0,"pointer[0].axis_value[0].value":0.1,"pointer[0].axis_value[1].axis":1,"pointer[0].axis_value[1].value":-16.5,"pointer[0].pointer_id":0,"pointer[0].tool_type":1,"pointer[1].axis_value[0].axis":8,"pointer[1].axis_value[0].value":3e-07,"pointer[1].pointer_id":1,"original_event_id[0]":3735928559,"original_event_id[1]":1,"down_time_nanos":-5,"down_time":999995,"cursor_position_x":12.5,"cursor_position_y":-0.25,"action_button":-1,"button_state":1,"meta_state":0,"policy_flags":4294967295,"precision_x":16777216,"precision_y":1},"redacted":false,"machine_id":0,"trace":0}
	END
	is "$(only stat got.out)" ''
	is "$(only trace got.out | jq -c '.data_sources')" \
		'[{"name":"android.input.inputevent","requested":null,"packets":1}]'
}

@test "a key event, and what it was dispatched to" {
	import <<-END
		clocks c=6:2000000 c=3:1000000
		keyevent ts=10 id=1 time=1000000 down=999000 source=257 action=1 device=2 display=7 code=66 scan=28 meta=1 repeat=3 evflags=8 policy=1
		indispatch ts=20 id=1 vsync=500 window=201 pointer=0:1.5:2:0:2.5 pointer=1:nan resolved=131
		indispatch ts=30 id=1 vsync=0 window=0
	END
	gives 'input_event|input_dispatch' <<-'END'
		{"type":"input_event","event_id":1,"ts":10,"kind":"key","source":257,"action":1,"device_id":2,"display_id":7,"key_code":66,"args":{"event_time_nanos":1000000,"kernel_time":2000000,"down_time_nanos":999000,"down_time":1999000,"scan_code":28,"meta_state":1,"repeat_count":3,"flags":8,"policy_flags":1},"redacted":false,"machine_id":0,"trace":0}
		{"type":"input_dispatch","event_id":1,"ts":20,"vsync_id":500,"window_id":201,"args":{"dispatched_pointer[0].pointer_id":0,"dispatched_pointer[0].x_in_display":1.5,"dispatched_pointer[0].y_in_display":2,"dispatched_pointer[0].axis_value_in_window[0].axis":0,"dispatched_pointer[0].axis_value_in_window[0].value":2.5,"dispatched_pointer[1].pointer_id":1,"dispatched_pointer[1].x_in_display":null,"resolved_flags":131},"redacted":false,"machine_id":0,"trace":0}
		{"type":"input_dispatch","event_id":1,"ts":30,"vsync_id":0,"window_id":0,"args":{},"redacted":false,"machine_id":0,"trace":0}
	END
}

@test "what a redacted event lacks is null, and nothing is made up for it" {
	import <<-END
		clocks c=6:2000000 c=3:1000000
		keyeventr ts=1 id=2
		motionr ts=2 id=3 pointer=0:1
		indispatchr ts=3 id=3 window=5
	END
	gives 'input_event|input_dispatch' <<-'END'
		{"type":"input_event","event_id":2,"ts":1,"kind":"key","source":null,"action":null,"device_id":null,"display_id":null,"key_code":null,"args":{},"redacted":true,"machine_id":0,"trace":0}
		{"type":"input_event","event_id":3,"ts":2,"kind":"motion","source":null,"action":null,"device_id":null,"display_id":null,"key_code":null,"args":{"pointer[0].pointer_id":0,"pointer[0].tool_type":1},"redacted":true,"machine_id":0,"trace":0}
		{"type":"input_dispatch","event_id":3,"ts":3,"vsync_id":null,"window_id":5,"args":{},"redacted":true,"machine_id":0,"trace":0}
	END
}

@test "times of events are converted by the snapshot that holds for them, or not at all" {
	import <<-END
		clocks c=6:2000 c=3:1000
		keyevent ts=2010 id=1 time=1500
		keyevent ts=9010 id=2 time=4500
		clocks c=6:9000 c=3:4000
	END
	is "$(only input_event got.out | jq -c .args.kernel_time)" $'2500\n9500'
	import <<<'keyevent ts=2010 id=1 time=1500 down=1000'
	is "$(only input_event got.out | jq -c .args)" '{"event_time_nanos":1500,"down_time_nanos":1000}'
}

@test "of two members of the oneof the lower counts, and none makes no record" {
	# Field 112 { 5 { key redacted (4) { 1: 9 }, motion (1) { 1: 8 } } }
	import <<-END
		rawpacket ts=5 hex=8207102a0e22050d090000000a050d08000000
		rawpacket ts=6 hex=8207022a00
	END
	is "$(only input_event got.out | jq -c '[.ts, .event_id, .kind, .redacted]')" '[5,8,"motion",false]'
}

@test "input records are chosen by type and time" {
	for choice in '-T input_event' '-T input_dispatch --from 2' '-T -input_event,-input_dispatch' '--to 2'; do
		import $choice <<-END
			keyevent ts=1 id=1
			indispatch ts=1 id=1
			indispatch ts=2 id=1
			keyevent ts=2 id=2
		END
		echo "$choice" $(only 'input_event|input_dispatch' got.out | jq -r '"\(.type)@\(.ts)"') >>all
	done
	same all - <<-'END'
		-T input_event input_event@1 input_event@2
		-T input_dispatch --from 2 input_dispatch@2
		-T -input_event,-input_dispatch
		--to 2 input_event@1 input_dispatch@1
	END
}

@test "another extension in front, or alone, is no input event, and is not counted as one" {
	# Field 112 { 4 {}, 5 { motion { 1: 8 } } }, the two in the other order, 4 alone.
	import <<-END
		rawpacket ts=5 hex=82070b22002a070a050d08000000
		rawpacket ts=6 hex=82070b2a070a050d080000002200
		rawpacket ts=7 hex=8207022200
	END
	is "$(only input_event got.out | jq -c .ts)" 6
	is "$(only trace got.out | jq -c '.data_sources[] | select(.name == "android.input.inputevent").packets')" 1
}

@test "of a value that comes twice the last counts, and each argument is there once" {
	# motion { 1: 8, 7: 1, 9 { 2: 4, 2: 5 }, 7: 2, 9 { 3: 6 } }
	import <<<'rawpacket ts=5 hex=8207172a150a130d0800000038014a041004100538024a021806'
	is "$(only input_event got.out | jq -c .args)" \
		'{"classification":2,"pointer[0].pointer_id":5,"pointer[1].tool_type":6}'
	is "$(only input_event got.out | grep -o classification | wc -l)" 1
}

@test "a damaged message is used as far as it goes, and counted once" {
	# motion { 1: 8, 9 { 2: 4, 3 without a value } }
	import <<<'rawpacket ts=5 hex=82070e2a0c0a0a0d080000004a03100418'
	is "$(only input_event got.out | jq -c '[.event_id, .args]')" '[8,{"pointer[0].pointer_id":4}]'
	is "$(counters got.out)" 'nested_message_damaged 1 data_loss'
}

@test "an endless event becomes a line of ordinary size, and is counted" {
	# Motion events with 400000 empty pointers, and with as many axes of one pointer.
	for part in 4a021000 0a020800; do
		yes $part | head -n 100000 | tr -d '\n' >body
		if [ $part = 0a020800 ]; then
			motion=0d080000004a$(varint 400000)$(<body)
		else
			motion=0d08000000$(<body)
		fi
		inner=0a$(varint $((${#motion} / 2)))$motion
		inner=2a$(varint $((${#inner} / 2)))$inner
		inner=8207$(varint $((${#inner} / 2)))$inner
		import <<<"rawpacket ts=5 hex=$inner"
		is "$(counters got.out | grep cut)" 'input_event_cut 1 data_loss'
		[ "$(only input_event got.out | wc -c)" -lt 2000000 ]
		is "$(only input_event got.out | jq .event_id)" 8
	done
}

# ---- latency, from slices ----

# slices: a healthy exchange, with its frame; of the lines that are piped in, those
# that begin with a time are in a bundle of ftrace: TIME TID TEXT.
slices() {
	{
		echo 'clocks c=6:5000 c=3:1000'
		echo 'proc proc=100:1:1000:system_server proc=200:1:10001:org.demo thread=101:100:InputDispatcher thread=102:100:InputReader thread=200:200:org.demo'
		echo 'bundle cpu=0'
		sed -n 's/^\([0-9]*\) \([0-9]*\) \(.*\)/print ts=\1 tid=\2 text="\3"/p' script
		echo endbundle
		grep -v '^[0-9]' script || true
	} | import -T input_latency "$@"
}

healthy() {
	cat >script <<-'END'
		10000 102 B|100|UnwantedInteractionBlocker::notifyMotion(id=0xa, eventTime=4500)
		10010 102 E|100
		10020 101 B|100|prepareDispatchCycleLocked(inputChannel=1a org.demo/.Main (server), id=0xa)
		10030 101 B|100|sendMessage(inputChannel=1a org.demo/.Main (server), seq=0x1f, type=MOTION)
		10035 101 E|100
		10040 101 E|100
		10050 200 B|200|receiveMessage(inputChannel=1a org.demo/.Main (client), seq=0x1f, type=MOTION)
		10051 200 E|200
		10060 200 B|200|Choreographer#doFrame 7
		10061 200 B|200|dispatchInputEvent MotionEvent ACTION_MOVE deviceId=4 source=0x1002
		10062 200 B|200|deliverInputEvent src=0x1002 eventTimeNano=4500 id=0xa
		10070 200 B|200|sendMessage(inputChannel=1a org.demo/.Main (client), seq=0x1f, type=FINISHED)
		10071 200 E|200
		10075 200 E|200
		10076 200 E|200
		10080 101 B|100|receiveMessage(inputChannel=1a org.demo/.Main (server), seq=0x1f, type=FINISHED)
		10081 101 E|100
		10090 200 E|200
		asurf ts=10055 cookie=1 token=7 display=9 pid=200 layer=L present=1
		end ts=10095 cookie=1
		adisp ts=10100 cookie=2 token=9 pid=300 present=1
		end ts=10200 cookie=2
	END
}

# latency FILTER: of the rows.
latency() {
	only input_latency got.out | jq -c "$1"
}

@test "an input event from its reading to the display of its frame" {
	healthy
	slices
	gives input_latency <<-'END'
		{"type":"input_latency","dispatch_latency_dur":20,"handling_latency_dur":20,"ack_latency_dur":10,"total_latency_dur":50,"end_to_end_latency_dur":200,"tid":200,"thread_name":"org.demo","upid":2,"pid":200,"process_name":"org.demo","event_type":"MOTION","event_action":"MOVE","event_seq":"0x1f","event_channel":"1a org.demo/.Main (server)","normalized_event_channel":"org.demo/.Main","input_event_id":"0xa","read_time":10000,"event_time":4500,"dispatch_ts":10030,"dispatch_dur":5,"dispatch_tid":101,"dispatch_thread_name":"InputDispatcher","dispatch_pid":100,"dispatch_process_name":"system_server","receive_ts":10050,"receive_dur":1,"receive_tid":200,"receive_thread_name":"org.demo","receive_pid":200,"receive_process_name":"org.demo","frame_id":7,"is_speculative_frame":0,"match":"exact","matched_frame_id":7,"matched_frame_ts":10060,"present_ts":10200,"delivery_ts":10062,"delivery_dur":13,"finish_ts":10070,"last_finish_ts":10070,"finish_count":1,"ack_ts":10080,"event_ts":8500,"event_id":10,"batch_event_id":null,"seq":31,"machine_id":0,"trace":0}
	END
	is "$(only stat got.out)" ''
}

@test "an event that is never finished has a row, with what is known of it" {
	healthy
	sed -i '/^100[789]/d; /^10061/d' script
	slices
	is "$(latency '[.dispatch_latency_dur, .handling_latency_dur, .total_latency_dur, .pid, .receive_pid, .finish_count, .ack_ts, .match]')" \
		'[20,null,null,null,200,0,null,"exact"]'
	sed -i '/^100[56]/d' script
	slices
	is "$(latency '[.dispatch_ts, .receive_ts, .event_id, .read_time, .delivery_ts, .match]')" '[10030,null,10,10000,null,"none"]'
}

@test "an event of which only the app's side was seen is on the publisher's channel" {
	healthy
	sed -i '/ 10[12] /d' script
	slices
	is "$(latency '[.event_channel, .event_type, .dispatch_ts, .handling_latency_dur, .ack_ts, .event_id, .event_ts, .read_time]')" \
		'["1a org.demo/.Main (server)","MOTION",null,20,null,10,8500,null]'
}

@test "a delivery outside a frame is matched with the next one, and says so" {
	healthy
	sed -i '/^10060/d; /^10090/d' script
	printf '%s\n' '10300 200 B|200|Choreographer#doFrame 8' '10310 200 E|200' >>script
	slices
	is "$(latency '[.match, .is_speculative_frame, .matched_frame_id, .matched_frame_ts, .frame_id, .present_ts]')" \
		'["speculative",1,8,10300,null,null]'
}

@test "frames without numbers are matched too" {
	healthy
	sed -i 's/doFrame 7/doFrame/; /^[ae]/d' script
	slices
	is "$(latency '[.match, .matched_frame_id, .matched_frame_ts, .frame_id, .end_to_end_latency_dur]')" '["exact",null,10060,null,null]'
}

@test "an event that an app passes on is a row of its own" {
	cat >script <<-'END'
		100 200 B|200|sendMessage(inputChannel=ClientState{1 mUid=5, mPid=6} (server), seq=0x1, type=KEY)
		110 200 E|200
		120 101 B|100|receiveMessage(inputChannel=ClientState{1 mUid=5, mPid=6} (client), seq=0x1, type=KEY)
		121 101 E|100
		130 200 B|200|sendMessage(inputChannel=ClientState{1 mUid=5, mPid=6} (server), seq=0x0, type=TIMELINE)
		131 200 E|200
	END
	slices
	is "$(latency '[.event_channel, .normalized_event_channel, .dispatch_process_name, .receive_process_name, .event_type]')" \
		'["ClientState{1 mUid=5, mPid=6} (server)","ClientState{1 mUid=5, mPid=6}","org.demo","system_server","KEY"]'
}

@test "rows of latency come where they begin, and are chosen by type, process and time" {
	healthy
	slices -T input_latency,actual_frame
	is "$(only 'input_latency|actual_frame' got.out | jq -r .type | tr '\n' ' ')" 'input_latency actual_frame actual_frame '
	slices -T actual_frame
	is "$(only input_latency got.out)" ''
	slices --process org.demo
	is "$(latency .seq)" 31
	slices --process system_server
	is "$(latency .seq)" ''
	slices --from 10040
	is "$(latency '[.seq, .edge]')" '[31,["from"]]'
	slices --from 10081
	is "$(latency .seq)" ''
}
