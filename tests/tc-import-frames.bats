load helper

# What comes out of tc-import for traces whose rows were worked out by hand.

# import [OPTION...] < SCRIPT: the script's trace in t.pftrace, its records in got.out.
import() {
	trace t.pftrace && tool got.out tc-import "$@" t.pftrace && ended 0 && silent
}

# gives TYPES FILTER < WANTED: what FILTER makes of the records of these types.
gives() {
	cat >wanted && only "$1" got.out | jq -rc "$2" >got && same wanted got
}

# counts < WANTED: all counters that are not 0, sorted: NAME VALUE SEVERITY.
counts() {
	cat >wanted && counters got.out >got && same wanted got
}

# example NAME: one of the worked examples, its rows against those on file.
example() {
	import <"$DATA/scripts/$1.script" && but 'tool|end|trace|stat' got.out >got &&
		same "$DATA/expected/$1.jsonl" got
}

# ---- whole examples ----

@test "mktrace's scripts are, byte for byte, the packets they stand for" {
	local hex

	for hex in "$DATA"/scripts/*.hex; do
		sed 's/^/raw hex=/' "$hex" | trace wanted
		trace made <"${hex%.hex}.script"
		if [[ $hex == *deflate* ]]; then
			# How well a compressor does is its own affair.
			tc-import wanted | but trace - >wanted.jsonl
			tc-import made | but trace - >made.jsonl
			same wanted.jsonl made.jsonl
		else
			cmp wanted made
		fi
	done
}

@test "a frame goes through all its phases" {
	example a1
}

@test "compressed packets give the same records" {
	trace plain.pftrace <"$DATA/scripts/a1.script"
	tc-import plain.pftrace >plain.out
	import <"$DATA/scripts/a1-deflate.script"
	but trace plain.out >wanted
	but trace got.out >got
	same wanted got
	sed 's/^/raw hex=/' "$DATA/scripts/a1-deflate.hex" | import
	but trace got.out >got
	same wanted got
	sed 's/^deflate$/deflate gzip=1/' "$DATA/scripts/a1-deflate.script" | import
	but trace got.out >got
	same wanted got
	is "$(only trace got.out | jq -c '[.packets, .truncated, .start_ts, .end_ts]')" \
		"$(only trace plain.out | jq -c '[.packets, .truncated, .start_ts, .end_ts]')"
}

@test "a buffer latched before its fence leaves its fence phase open" {
	example a2
}

@test "anomalies of buffer events" {
	example c
}

@test "a frame timeline: one expected row a token, one actual row a layer" {
	example a3
}

@test "--experimental adds what is not meant for jank analysis, and nothing else" {
	import --experimental <"$DATA/scripts/a3.script"
	only actual_frame got.out | jq -c .experimental >got
	same "$DATA/expected/a3-experimental.jsonl" got
	but 'tool|end|trace|stat' got.out | sed 's/,"experimental":{[^}]*}//' >got
	same "$DATA/expected/a3.jsonl" got
}

@test "times on another clock are moved by the snapshot at or before them" {
	example a4
	counts </dev/null
}

@test "healthy events count as the reference counts them, and not as faults" {
	import <"$DATA/scripts/a1.script"
	counts <<<'graphics_frame_event_parser_errors 3 info'
	import <"$DATA/scripts/a2.script"
	counts <<<'graphics_frame_event_parser_errors 2 info'
	import <"$DATA/scripts/a3.script"
	counts <<<'frame_timeline_event_parser_errors 3 info'
}

# ---- buffer events ----

@test "the names of all event types" {
	{
		for t in {0..14} -1; do
			echo "gfx ts=$((t + 10)) type=$t buffer=1 layer=L"
		done
		echo 'gfx ts=30 buffer=1 layer=L'
	} | import
	gives buffer_event '"\(.ts) \(.name)"' <<-END
		9 unknown_event
		10 unspecified_event
		11 Dequeue
		12 Queue
		13 Post
		14 AcquireFenceSignaled
		15 Latch
		16 HWCCompositionQueued
		17 FallbackComposition
		18 PresentFenceSignaled
		19 ReleaseFenceSignaled
		20 Modify
		21 Detach
		22 Attach
		23 Cancel
		24 unknown_event
		30 unknown_event
	END
	counts <<-END
		graphics_frame_event_faults 3 data_loss
		graphics_frame_event_parser_errors 13 info
	END
}

@test "an event without buffer id has no row, nor has a packet without event; both are counted" {
	import <<-END
		gfx ts=10 type=DEQUEUE layer=L
		gfx ts=11 noevent
		gfx ts=12 type=DEQUEUE layer=L buffer=0
	END
	gives buffer_event '[.ts, .buffer_id, .track]' <<<'[12,0,"Buffer: 0 L"]'
	counts <<-END
		graphics_frame_event_faults 2 data_loss
		graphics_frame_event_parser_errors 1 info
	END
}

@test "placeholders stay open, and what follows nests in them" {
	import <<-END
		gfx ts=10 type=DEQUEUE frame=1 layer=L buffer=1
		gfx ts=20 type=DEQUEUE frame=2 layer=L buffer=1
		gfx ts=30 type=DEQUEUE frame=3 layer=L buffer=1
		gfx ts=40 type=QUEUE frame=3 layer=L buffer=1
		gfx ts=50 type=DEQUEUE frame=4 layer=L buffer=1
		gfx ts=60 type=LATCH frame=4 layer=L buffer=1
		gfx ts=70 type=DEQUEUE frame=5 layer=L buffer=1
	END
	gives phase '"\(.id) \(.track) \(.ts) \(.dur) \(.name) \(.frame_number) \(.depth)"' <<-END
		0 APP_1 L 10 -1 0 0 0
		1 APP_1 L 20 -1 0 0 1
		2 APP_1 L 30 10 3 3 2
		3 GPU_1 L 40 -1 3 3 0
		4 APP_1 L 50 -1 0 0 2
		5 SF_1 L 60 -1 4 4 0
		6 APP_1 L 70 -1 5 5 3
	END
}

@test "a fence that signals at the time of the dequeue does not end the wait for it" {
	import <<-END
		gfx ts=10 type=ACQUIRE_FENCE frame=1 layer=L buffer=1
		gfx ts=10 type=DEQUEUE frame=2 layer=L buffer=1
		gfx ts=20 type=QUEUE frame=2 layer=L buffer=1
		gfx ts=25 type=ACQUIRE_FENCE frame=2 layer=L buffer=1
	END
	gives phase '"\(.track) \(.ts) \(.dur) \(.name)"' <<-END
		APP_1 L 10 10 2
		GPU_1 L 20 5 2
	END
}

@test "a present closes the layer's display phase whatever its buffer, latched or not" {
	import <<-END
		gfx ts=10 type=PRESENT_FENCE frame=1 layer=L buffer=1
		gfx ts=20 type=PRESENT_FENCE frame=2 layer=L buffer=2
		gfx ts=25 type=PRESENT_FENCE frame=7 layer=M buffer=2
		gfx ts=30 type=PRESENT_FENCE frame=3 layer=L buffer=1
	END
	gives phase '"\(.track) \(.ts) \(.dur) \(.name) \(.depth) \(has("buffer_id"))"' <<-END
		Display_L 10 10 1 0 false
		Display_L 20 10 2 0 false
		Display_M 25 -1 7 0 false
		Display_L 30 -1 3 0 false
	END
}

@test "a phase without frame number is named by its time until its queue names it" {
	import <<-END
		gfx ts=10 type=DEQUEUE layer=L buffer=1
		gfx ts=20 type=DEQUEUE layer=L buffer=2
		gfx ts=30 type=QUEUE layer=L buffer=2
		gfx ts=40 type=LATCH layer=L buffer=2
	END
	gives phase '"\(.track) \(.name) \(.frame_number)"' <<-END
		APP_1 L 10 0
		APP_2 L 0 0
		GPU_2 L 30 0
		SF_2 L 40 0
	END
}

@test "no layer name and an empty one are told apart" {
	import <<-END
		gfx ts=10 type=DEQUEUE frame=1 buffer=1
		gfx ts=11 type=DEQUEUE frame=2 buffer=1 layer=""
		gfx ts=12 type=QUEUE frame=1 buffer=1
		gfx ts=13 type=PRESENT_FENCE frame=1 buffer=1
		gfx ts=14 type=PRESENT_FENCE frame=2 buffer=1 layer=""
	END
	gives buffer_event '[.track, .layer_name]' <<-END
		["Buffer: 1 ","no_layer_name"]
		["Buffer: 1 ",""]
		["Buffer: 1 ","no_layer_name"]
		["Buffer: 1 ","no_layer_name"]
		["Buffer: 1 ",""]
	END
	gives phase '[.track, .layer_name, .name, .dur]' <<-END
		["APP_1 ","no_layer_name","1",2]
		["APP_1 ","","2",-1]
		["GPU_1 ","no_layer_name","1",-1]
		["Display_","no_layer_name","1",-1]
		["Display_","","2",-1]
	END
}

@test "buffer 1 of layer 2x is not buffer 12 of layer x" {
	import <<-END
		gfx ts=10 type=DEQUEUE frame=1 buffer=1 layer=2x
		gfx ts=20 type=DEQUEUE frame=2 buffer=12 layer=x
		gfx ts=30 type=QUEUE frame=1 buffer=1 layer=2x
		gfx ts=40 type=QUEUE frame=2 buffer=12 layer=x
	END
	gives phase '"\(.track) \(.ts) \(.dur) \(.name)"' <<-END
		APP_1 2x 10 20 1
		APP_12 x 20 20 2
		GPU_1 2x 30 -1 1
		GPU_12 x 40 -1 2
	END
}

@test "one buffer on two layers has two states" {
	import <<-END
		gfx ts=10 type=DEQUEUE frame=1 buffer=1 layer=A
		gfx ts=20 type=DEQUEUE frame=2 buffer=1 layer=B
		gfx ts=30 type=QUEUE frame=1 buffer=1 layer=A
	END
	gives phase '"\(.track) \(.ts) \(.dur) \(.name)"' <<-END
		APP_1 A 10 20 1
		APP_1 B 20 -1 2
		GPU_1 A 30 -1 1
	END
}

@test "a raw row that overlaps another or is negative is dropped, its phase is not" {
	import <<-END
		gfx ts=10 dur=20 type=DEQUEUE frame=1 layer=L buffer=1
		gfx ts=15 dur=5 type=QUEUE frame=1 layer=L buffer=1
		gfx ts=25 dur=10 type=LATCH frame=1 layer=L buffer=1
		gfx ts=30 dur=10 type=ACQUIRE_FENCE frame=1 layer=L buffer=1
		gfx ts=40 dur=9223372036854775808 type=QUEUE frame=2 layer=L buffer=1
	END
	gives buffer_event '"\(.id) \(.ts) \(.dur) \(.name)"' <<-END
		0 10 20 Dequeue
		1 15 5 Queue
		2 30 10 AcquireFenceSignaled
	END
	gives phase '"\(.id) \(.track) \(.ts) \(.dur) \(.name) \(.depth)"' <<-END
		0 APP_1 L 10 5 1 0
		1 GPU_1 L 15 -1 1 0
		2 SF_1 L 25 -1 1 0
		3 GPU_1 L 40 -1 2 1
	END
	counts <<-END
		slice_drop_overlapping_complete_event 1 error
		slice_negative_duration 1 error
	END
}

@test "a raw row of another track does not make one overlap" {
	import <<-END
		gfx ts=10 dur=20 type=POST layer=L buffer=1
		gfx ts=20 dur=20 type=POST layer=L buffer=2
		gfx ts=25 dur=20 type=POST layer=M buffer=1
	END
	gives buffer_event .ts <<-END
		10
		20
		25
	END
}

@test "a time that belongs to another frame is named stale" {
	import <<-END
		gfx ts=10 type=QUEUE frame=1 layer=L buffer=1
		gfx ts=12 type=ACQUIRE_FENCE frame=1 layer=L buffer=1
		gfx ts=14 type=LATCH frame=1 layer=L buffer=1
		gfx ts=20 type=QUEUE frame=2 layer=L buffer=1
		gfx ts=21 type=PRESENT_FENCE frame=1 layer=L buffer=1
		gfx ts=23 type=ACQUIRE_FENCE frame=2 layer=L buffer=1
		gfx ts=24 type=LATCH frame=2 layer=L buffer=1
	END
	gives buffer_event '[.ts, .queue_to_acquire_time, .acquire_to_latch_time, .latch_to_present_time] + (.stale | map(.[:1]))' <<-END
		[10,0,0,10,"q","a","l"]
		[12,2,-12,12,"a","l"]
		[14,2,2,0]
		[20,0,2,6,"q","a","l"]
		[21,0,2,7,"q"]
		[23,3,-9,9,"a","l"]
		[24,3,1,0]
	END
}

@test "tracks nest 512 deep, what is deeper is counted" {
	{
		for i in {1..514}; do
			echo "gfx ts=$i type=LATCH frame=$i layer=L buffer=1"
		done
		echo 'gfx ts=600 type=PRESENT_FENCE frame=1 layer=L buffer=1'
	} | import
	is "$(only phase got.out | sed -n '1p;512,515p' | jq -rc '"\(.ts) \(.dur) \(.depth)"' | tr '\n' ,)" \
		'1 -1 0,512 88 511,513 -1 0,514 -1 0,600 -1 0,'
	is "$(counters got.out | grep depth)" 'slice_max_depth_exceeded 2 error'
}

@test "track names and layer names are cut, and layer names that were are counted" {
	local layer

	layer=$(head -c 5000 /dev/zero | tr '\0' x)
	import <<-END
		gfx ts=10 type=DEQUEUE frame=1 layer=$layer buffer=1
		gfx ts=20 type=PRESENT_FENCE frame=1 layer=$layer buffer=1
	END
	gives 'buffer_event|phase' '"\(.track | length) \(.track[:10]) \(.layer_name | length)"' <<-END
		4095 Buffer: 1  4095
		1023 APP_1 xxxx 4095
		4095 Buffer: 1  4095
		1023 Display_xx 4095
	END
	counts <<-END
		graphics_frame_event_parser_errors 1 info
		name_cut 2 data_loss
	END
}

# ---- frame timeline ----

# "MASK SURFACE-TAG DISPLAY-TAG TEXT", with a present type behind a slash.
jank_table() {
	cat <<-END
		0|Unspecified|Unspecified|Unspecified
		1|No Jank|No Jank|None
		2|Other Jank|Self Jank|SurfaceFlinger Scheduling
		4|Other Jank|Self Jank|Prediction Error
		8|Other Jank|Self Jank|Display HAL
		16|Other Jank|Self Jank|SurfaceFlinger CPU Deadline Missed
		32|Other Jank|Self Jank|SurfaceFlinger GPU Deadline Missed
		64|Self Jank|No Jank|App Deadline Missed
		128|Buffer Stuffing|No Jank|Buffer Stuffing
		256|Self Jank|No Jank|Unknown Jank
		512|SurfaceFlinger Stuffing|SurfaceFlinger Stuffing|SurfaceFlinger Stuffing
		1024|No Jank|Dropped Frame|Dropped Frame
		2048|Non-perceivable Jank|Non-perceivable Jank|Non Animating
		4096|Self Jank|No Jank|App Resynced Jitter
		8192|Non-perceivable Jank|Non-perceivable Jank|Display not ON
		16384|No Jank|No Jank|ModeChange in progress
		32768|Non-perceivable Jank|Non-perceivable Jank|PowerModeChange in progress
		65536|No Jank|No Jank|
		66|Self Jank|Self Jank|SurfaceFlinger Scheduling, App Deadline Missed
		136|Other Jank|Self Jank|Display HAL, Buffer Stuffing
		640|No Jank|No Jank|Buffer Stuffing, SurfaceFlinger Stuffing
		640/4|Dropped Frame|No Jank|Buffer Stuffing, SurfaceFlinger Stuffing
		16386|Other Jank|Self Jank|SurfaceFlinger Scheduling, ModeChange in progress
		10240|No Jank|No Jank|Non Animating, Display not ON
		1024/4|Dropped Frame|Dropped Frame|Dropped Frame
		1024/2|No Jank|Dropped Frame|Dropped Frame
		1/4|Dropped Frame|No Jank|None
		2048/4|Dropped Frame|Non-perceivable Jank|Non Animating
		128/4|Buffer Stuffing|No Jank|Buffer Stuffing
		512/4|SurfaceFlinger Stuffing|SurfaceFlinger Stuffing|SurfaceFlinger Stuffing
		65|Self Jank|No Jank|App Deadline Missed
		64/4|Self Jank|No Jank|App Deadline Missed
		8/4|Other Jank|Self Jank|Display HAL
		0/4|Unspecified|Unspecified|Unspecified
		4288|Self Jank|No Jank|App Deadline Missed, App Resynced Jitter, Buffer Stuffing
		65664|No Jank|No Jank|Buffer Stuffing
		65534|Self Jank|Self Jank|SurfaceFlinger Scheduling, Prediction Error, Display HAL, SurfaceFlinger CPU Deadline Missed, SurfaceFlinger GPU Deadline Missed, App Deadline Missed, App Resynced Jitter, Buffer Stuffing, Unknown Jank, SurfaceFlinger Stuffing, Dropped Frame, Non Animating, Display not ON, ModeChange in progress, PowerModeChange in progress
		-2147483648|No Jank|No Jank|
	END
}

@test "jank texts and tags of surface and display frames" {
	local mask surface display text present ts=0

	while IFS='|' read -r mask surface display text; do
		present=
		[[ $mask != */* ]] || present="present=${mask#*/}"
		mask=${mask%/*}
		echo "asurf ts=$((ts++)) cookie=1 token=1 display=1 pid=1 layer=L jank=$mask $present" >&3
		echo "adisp ts=$((ts++)) cookie=1 token=1 pid=1 jank=$mask $present" >&3
		echo "$mask|$surface|$text"
		echo "$mask|$display|$text"
	done < <(jank_table) 3>script >table
	import <script
	gives actual_frame '"\(.jank_mask)|\(.jank_tag)|\(.jank_type)"' <table
}

@test "experimental jank texts and tags follow the same tables" {
	local mask surface display text present ts=0

	while IFS='|' read -r mask surface display text; do
		present=
		[[ $mask != */* ]] || present="presentx=${mask#*/}"
		mask=${mask%/*}
		echo "asurf ts=$((ts++)) cookie=1 token=1 display=1 pid=1 layer=L jankx=$mask $present" >&3
		echo "adisp ts=$((ts++)) cookie=1 token=1 pid=1 jankx=$mask $present" >&3
		echo "$mask|$surface|$text"
		echo "$mask|$display|$text"
	done < <(jank_table) 3>script >table
	import --experimental <script
	gives actual_frame '.experimental | "\(.jank_mask)|\(.jank_tag)|\(.jank_type)"' <table
}

@test "present and prediction types by name; what is out of range is counted" {
	{
		for i in {1..5}; do
			echo "asurf ts=$i cookie=1 token=1 display=1 pid=1 present=$i pred=$(((i - 1) % 3 + 1))"
		done
		echo 'asurf ts=6 cookie=1 token=1 display=1 pid=1'
		echo 'asurf ts=7 cookie=1 token=1 display=1 pid=1 present=6 pred=4'
		echo 'adisp ts=8 cookie=1 token=1 pid=1 present=-1 pred=-1'
		echo 'adisp ts=9 cookie=1 token=1 pid=1 present=2 pred=2'
	} | import
	gives actual_frame '"\(.ts) \(.present_type), \(.prediction_type)"' <<-END
		1 On-time Present, Valid Prediction
		2 Late Present, Expired Prediction
		3 Early Present, Unknown Prediction
		4 Dropped Frame, Valid Prediction
		5 Unknown Present, Expired Prediction
		6 Unspecified Present, Unspecified Prediction
		7 Unspecified Present, Unspecified Prediction
		8 Unspecified Present, Unspecified Prediction
		9 Late Present, Expired Prediction
	END
	counts <<-END
		frame_timeline_event_faults 4 data_loss
		frame_timeline_event_parser_errors 4 info
	END
}

@test "a dropped frame is one only by a present type in range" {
	import <<-END
		asurf ts=1 cookie=1 token=1 display=1 pid=1 jank=1024 present=4
		asurf ts=2 cookie=1 token=1 display=1 pid=1 jank=1024 present=260
	END
	gives actual_frame '"\(.jank_tag), \(.present_type)"' <<-END
		Dropped Frame, Dropped Frame
		No Jank, Unspecified Present
	END
}

@test "severity by name, and what it is when it was not recorded" {
	import <<-END
		asurf ts=1 cookie=1 token=1 display=1 pid=1 jank=64 sev=0
		asurf ts=2 cookie=1 token=1 display=1 pid=1 jank=64 sev=1
		asurf ts=3 cookie=1 token=1 display=1 pid=1 jank=64 sev=2
		asurf ts=4 cookie=1 token=1 display=1 pid=1 jank=64 sev=3
		asurf ts=5 cookie=1 token=1 display=1 pid=1 jank=64 sev=4
		asurf ts=6 cookie=1 token=1 display=1 pid=1 jank=1
		asurf ts=7 cookie=1 token=1 display=1 pid=1 jank=64
		asurf ts=8 cookie=1 token=1 display=1 pid=1
		adisp ts=9 cookie=1 token=1 pid=1 jank=1
		adisp ts=10 cookie=1 token=1 pid=1 jank=65
		adisp ts=11 cookie=1 token=1 pid=1 jank=1 sev=0
	END
	gives actual_frame '"\(.ts) \(.jank_severity_type)"' <<-END
		1 Unknown
		2 None
		3 Partial
		4 Full
		5 Unknown
		6 None
		7 Unknown
		8 Unknown
		9 None
		10 Unknown
		11 Unknown
	END
}

@test "fence states by name, and no field where none was recorded" {
	for i in {0..4}; do
		echo "asurf ts=$i cookie=1 token=1 display=1 pid=1 fence=$i"
	done | import
	gives actual_frame .latched_fence_state <<-END
		Unknown
		Latched Signaled
		Latched Unsignaled
		Delayed Latch Fence Unsignaled
		Unknown
	END
	import <<-END
		asurf ts=1 cookie=1 token=1 display=1 pid=1
		adisp ts=2 cookie=1 token=1 pid=1
	END
	gives actual_frame 'has("latched_fence_state")' <<-END
		false
		false
	END
}

@test "what was not recorded is left out, and a recorded zero is a zero" {
	import <<-END
		asurf ts=1 cookie=1 token=1 display=1 pid=1
		asurf ts=2 cookie=1 token=1 display=1 pid=1 delay=0 jitter=0 anim=0 buffer=0 score=0 ontime=0 gpu=0
		asurf ts=3 cookie=1 token=1 display=1 pid=1 delay=-1.5 jitter=0.1 anim=1234.5 buffer=1 score=0.7 ontime=1 gpu=1
		adisp ts=4 cookie=1 token=1 pid=1
	END
	gives actual_frame '[.is_buffer, .present_delay_ms, .vsync_resynced_jitter_ms, .animation_time_ms, .jank_score, .on_time_finish, .gpu_composition]' <<-END
		["Unspecified",null,null,null,0,0,0]
		["No",0,0,0,0,0,0]
		["Yes",-1.5,0.1,1234.5,0.7,1,1]
		[null,null,null,null,0,0,0]
	END
	is "$(only actual_frame got.out | grep -c null)" 4
	is "$(only actual_frame got.out | sed -n 1p | grep -c '_ms"')" 0
	is "$(only actual_frame got.out | sed -n 4p | grep -c 'is_buffer')" 0
}

@test "numbers that are not finite are left out" {
	import <<-END
		asurf ts=1 cookie=1 token=1 display=1 pid=1 delay=nan jitter=inf anim=-inf
	END
	is "$(only actual_frame got.out | grep -cE '_ms"|nan|inf')" 0
}

@test "integers come out exactly, whatever their size" {
	local n numbers=(0 1 9 10 99999999 100000000 4294967295 4294967296 9007199254740993
		9999999999999999 10000000000000000 999999999999999999 9223372036854775807
		-1 -10 -99999999 -100000000 -9007199254740993 -9223372036854775807)

	for n in "${numbers[@]}"; do
		echo "adisp ts=1 cookie=1 token=$n pid=1"
	done | import
	only actual_frame got.out |
		sed 's/.*"name":"\([^"]*\)",.*"display_frame_token":\([^,]*\),.*/\1 \2/' >got
	for n in "${numbers[@]}"; do
		echo "$n $n"
	done >wanted
	same wanted got
}

@test "times up to the end of 63 bits come out exactly" {
	import <<-END
		gfx ts=9223372036854775807 type=DEQUEUE frame=1 layer=L buffer=1
		gfx ts=9007199254740993 type=DEQUEUE frame=2 layer=L buffer=2
		edisp ts=9223372026854775806 cookie=1 token=1 pid=1
		edisp ts=9223372026854775807 cookie=2 token=2 pid=1
	END
	is "$(only 'buffer_event|expected_frame' got.out | sed 's/.*"ts":\([0-9]*\),.*/\1/' | tr '\n' ' ')" \
		'9007199254740993 9223372026854775806 9223372036854775807 '
	counts <<-END
		frame_timeline_event_faults 1 data_loss
		frame_timeline_event_parser_errors 1 info
	END
}

@test "an expected frame is shown once a process and token, with what came first" {
	import <<-END
		esurf ts=10 cookie=1 token=5 display=1 pid=100 layer=A
		esurf ts=11 cookie=2 token=5 display=2 pid=100 layer=B
		esurf ts=12 cookie=3 token=5 display=3 pid=200 layer=C
		end ts=20 cookie=1
		end ts=21 cookie=2
		end ts=22 cookie=3
		esurf ts=30 cookie=4 token=5 display=4 pid=100 layer=D
		end ts=40 cookie=4
		edisp ts=50 cookie=5 token=5 pid=100
		edisp ts=51 cookie=6 token=5 pid=100
	END
	gives expected_frame '[.ts, .dur, .pid, .layer_name, .surface_frame_token, .display_frame_token]' <<-END
		[10,10,100,"A",5,1]
		[12,10,200,"C",5,3]
		[50,-1,100,null,null,5]
		[51,-1,100,null,null,5]
	END
	counts </dev/null
}

@test "the first in time is shown, not the first in the file" {
	import <<-END
		esurf ts=20 cookie=2 token=5 display=1 pid=100 layer=B
		esurf ts=10 cookie=1 token=5 display=1 pid=100 layer=A
	END
	gives expected_frame '[.ts, .layer_name]' <<<'[10,"A"]'
}

@test "a layer name that is absent is null, and an empty one is empty" {
	import <<-END
		esurf ts=10 cookie=1 token=1 display=1 pid=1
		esurf ts=11 cookie=2 token=2 display=1 pid=1 layer=""
		asurf ts=12 cookie=3 token=1 display=1 pid=1
		asurf ts=13 cookie=4 token=2 display=1 pid=1 layer=""
	END
	gives 'expected_frame|actual_frame' .layer_name <<-END
		null

		null

	END
}

@test "a cookie begun twice: the end closes the second, the first stays open" {
	import <<-END
		asurf ts=10 cookie=1 token=1 display=1 pid=1
		asurf ts=20 cookie=1 token=2 display=1 pid=1
		end ts=30 cookie=1
		end ts=40 cookie=1
	END
	gives actual_frame '"\(.ts) \(.dur)"' <<-END
		10 -1
		20 10
	END
	counts <<<'frame_timeline_unpaired_end_event 1 info'
}

@test "a cookie of an expected and then an actual frame: the end closes the actual one" {
	import <<-END
		esurf ts=10 cookie=1 token=1 display=1 pid=1
		asurf ts=20 cookie=1 token=1 display=1 pid=1
		end ts=30 cookie=1
	END
	gives 'expected_frame|actual_frame' '"\(.type) \(.dur)"' <<-END
		expected_frame -1
		actual_frame 10
	END
}

@test "a second start that is suppressed opens nothing, and the end closes the first" {
	import <<-END
		esurf ts=10 cookie=1 token=1 display=1 pid=1
		esurf ts=20 cookie=1 token=1 display=1 pid=1
		end ts=30 cookie=1
	END
	gives expected_frame '"\(.ts) \(.dur)"' <<<'10 20'
	counts </dev/null
}

@test "ends belong to starts by time, however many were read when a cookie comes up again" {
	# In the order of the file, and what became of each start in the order of time.
	cat >events <<-END
		adisp ts=100 cookie=1 token=1 pid=1
		end ts=150 cookie=1
		adisp ts=105 cookie=2 token=2 pid=1
		adisp ts=106 cookie=3 token=3 pid=1
		end ts=190 cookie=2
		end ts=170 cookie=3
		adisp ts=5000000000 cookie=4 token=4 pid=1
		end ts=9294967296 cookie=4
		adisp ts=107 cookie=4294967301 token=5 pid=1
		end ts=180 cookie=4294967301
	END
	import <events
	gives actual_frame '"\(.ts) \(.name) \(.dur)"' <<-END
		100 1 50
		105 2 85
		106 3 64
		107 5 73
		5000000000 4 4294967296
	END
	# A second end, an earlier one, and the start of another frame.
	import < <(cat events && echo 'end ts=120 cookie=1')
	counts <<-END
		frame_timeline_unpaired_end_event 1 info
	END
	gives actual_frame 'select(.ts < 107) | "\(.ts) \(.name) \(.dur)"' <<-END
		100 1 20
		105 2 85
		106 3 64
	END
	import < <(cat events && echo 'adisp ts=140 cookie=2 token=9 pid=1')
	gives actual_frame 'select(.ts < 150) | "\(.ts) \(.name) \(.dur)"' <<-END
		100 1 50
		105 2 -1
		106 3 64
		107 5 73
		140 9 50
	END
	# At the time of the end that it follows in the file, a start begins anew.
	import < <(cat events && echo 'adisp ts=150 cookie=1 token=9 pid=1')
	gives actual_frame 'select(.ts < 5000 and .name != "5") | "\(.ts) \(.name) \(.dur)"' <<-END
		100 1 50
		105 2 85
		106 3 64
		150 9 -1
	END
}

@test "an end before its start is unpaired, one at the same time gives 0" {
	import <<-END
		end ts=9 cookie=1
		asurf ts=10 cookie=1 token=1 display=1 pid=1
		asurf ts=20 cookie=2 token=2 display=1 pid=1
		end ts=20 cookie=2
		end ts=30 cookie=3
	END
	gives actual_frame '"\(.ts) \(.dur)"' <<-END
		10 -1
		20 0
	END
	counts <<<'frame_timeline_unpaired_end_event 2 info'
}

@test "an end is paired by time, wherever it stands in the file" {
	import <<-END
		end ts=30 cookie=1
		asurf ts=10 cookie=1 token=1 display=1 pid=1
	END
	gives actual_frame .dur <<<20
	counts </dev/null
}

@test "a cookie used again after its end is another frame" {
	import <<-END
		asurf ts=10 cookie=1 token=1 display=1 pid=1
		end ts=15 cookie=1
		esurf ts=20 cookie=1 token=2 display=1 pid=2
		end ts=29 cookie=1
	END
	gives 'expected_frame|actual_frame' '"\(.type) \(.pid) \(.dur)"' <<-END
		actual_frame 1 5
		expected_frame 2 9
	END
}

@test "a frame without a required field is counted and has no row" {
	import <<-END
		esurf ts=1 token=1 display=1 pid=1
		esurf ts=1 cookie=1 display=1 pid=1
		esurf ts=1 cookie=1 token=1 pid=1
		esurf ts=1 cookie=1 token=1 display=1
		asurf ts=1 token=1 display=1 pid=1
		asurf ts=1 cookie=1 display=1 pid=1
		asurf ts=1 cookie=1 token=1 pid=1
		asurf ts=1 cookie=1 token=1 display=1
		edisp ts=1 token=1 pid=1
		edisp ts=1 cookie=1 pid=1
		edisp ts=1 cookie=1 token=1
		adisp ts=1 token=1 pid=1
		adisp ts=1 cookie=1 pid=1
		adisp ts=1 cookie=1 token=1
		end ts=1
		rawpacket ts=1 hex=e20400
		asurf ts=2 cookie=0 token=0 display=0 pid=0
	END
	gives 'expected_frame|actual_frame' '"\(.ts) \(.pid) \(.upid) \(.surface_frame_token)"' <<<'2 0 0 0'
	counts <<-END
		frame_timeline_event_faults 16 data_loss
		frame_timeline_event_parser_errors 16 info
	END
}

@test "a negative pid is taken as an unsigned number" {
	import <<-END
		asurf ts=1 cookie=1 token=1 display=1 pid=-1
	END
	gives actual_frame .pid <<<4294967295
}

@test "of several members of the event the first by number counts" {
	# An actual surface frame (4) in front of an expected one (3); an end (5) in front of both.
	import <<-END
		rawpacket ts=5 hex=e20418220808011008180920201a0c08021007180920e8072a0141
		rawpacket ts=6 hex=e204182a0208011a08080210081809200122080801100818092020
	END
	gives 'expected_frame|actual_frame' '[.type, .ts, .name, .layer_name]' <<-END
		["expected_frame",5,"7","A"]
		["expected_frame",6,"8",null]
	END
}

@test "the last of a field given twice counts, and one of the wrong wire type is absent" {
	# token 1 then 2; then a token as fixed32, which is no token.
	import <<-END
		rawpacket ts=5 hex=e2040c1a0a08011001200110021801
		rawpacket ts=6 hex=e2040d1a0b0801150100000018012001
	END
	gives expected_frame '[.ts, .name, .pid]' <<<'[5,"2",1]'
	counts <<-END
		frame_timeline_event_faults 1 data_loss
		frame_timeline_event_parser_errors 1 info
	END
}

@test "a packet that holds two kinds of data counts as the first of them" {
	local gfx=ca030a0a0810011a024c312801 esurf=e2040e1a0c08011007180920e8072a0141

	import <<-END
		rawpacket ts=1 hex=$gfx$esurf
		rawpacket ts=2 hex=$esurf$gfx
	END
	gives 'buffer_event|expected_frame' '"\(.type) \(.ts)"' <<-END
		buffer_event 1
		expected_frame 2
	END
}

@test "fields that nobody knows are stepped over at every level" {
	import <<-END
		rawpacket ts=1 hex=827d03616263887d05957d61626364917d6162636465666768ca032948010a21081010011a024c312801a0060ba2060141ad0661626364a9066162636465666768ea040178
	END
	gives buffer_event '[.ts, .frame_number, .layer_name, .buffer_id]' <<<'[1,16,"L1",1]'
	counts </dev/null
}

# ---- order and time ----

@test "rows come by time, and by place in the file where times are equal" {
	import <<-END
		gfx ts=30 type=DEQUEUE layer=L buffer=1
		edisp ts=20 cookie=1 token=1 pid=1
		gfx ts=20 type=DEQUEUE layer=L buffer=2
		gfx ts=10 type=DEQUEUE layer=L buffer=3
		adisp ts=20 cookie=2 token=1 pid=1
		gfx ts=20 type=DEQUEUE layer=L buffer=4
	END
	gives 'buffer_event|expected_frame|actual_frame' '[.ts, .type, .id, .buffer_id // 0]' <<-END
		[10,"buffer_event",0,3]
		[20,"expected_frame",0,0]
		[20,"buffer_event",1,2]
		[20,"actual_frame",0,0]
		[20,"buffer_event",2,4]
		[30,"buffer_event",3,1]
	END
}

@test "many rows are sorted by time and keep their order where it is equal" {
	local i

	for ((i = 0; i < 3000; i++)); do
		echo "gfx ts=$((i * 7919 % 1000 * 1000003)) type=POST frame=$i layer=L buffer=1"
	done | import
	only buffer_event got.out | jq -r '"\(.ts) \(.frame_number)"' >got
	for ((i = 0; i < 3000; i++)); do
		echo "$((i * 7919 % 1000 * 1000003)) $i"
	done | sort -n -k1,1 -k2,2 >wanted
	same wanted got
}

@test "a packet without timestamp has the largest seen before it in the file" {
	import <<-END
		gfx type=DEQUEUE layer=L buffer=1
		gfx ts=10 type=DEQUEUE layer=L buffer=2
		gfx ts=30 type=DEQUEUE layer=L buffer=3
		gfx ts=20 type=DEQUEUE layer=L buffer=4
		gfx type=DEQUEUE layer=L buffer=5
		gfx ts=40 type=DEQUEUE layer=L buffer=6
	END
	gives buffer_event '"\(.ts) \(.buffer_id)"' <<-END
		0 1
		10 2
		20 4
		30 3
		30 5
		40 6
	END
}

@test "a sequence's default clock holds until the sequence starts afresh" {
	import <<-END
		clocks seq=1 c=6:1000 c=3:900 primary=6
		defaults seq=5 dclock=3
		gfx ts=950 seq=5 type=DEQUEUE layer=L buffer=1
		gfx ts=960 seq=6 type=DEQUEUE layer=L buffer=2
		gfx ts=970 seq=5 clock=6 type=DEQUEUE layer=L buffer=3
		gfx ts=980 seq=5 clock=0 type=DEQUEUE layer=L buffer=4
		gfx ts=990 seq=5 flags=1 type=DEQUEUE layer=L buffer=5
		defaults seq=7 dclock=3
		defaults seq=7
		gfx ts=991 seq=7 type=DEQUEUE layer=L buffer=6
		defaults seq=8 dclock=3
		gfx ts=992 seq=8 dropped=1 type=DEQUEUE layer=L buffer=7
	END
	gives buffer_event '"\(.ts) \(.buffer_id)"' <<-END
		960 2
		970 3
		990 5
		991 6
		1050 1
		1080 4
		1092 7
	END
}

@test "a clock that becomes known later in the file counts, last among equal times" {
	import <<-END
		gfx ts=900 clock=3 type=DEQUEUE layer=L buffer=1
		gfx ts=1000 clock=6 type=DEQUEUE layer=L buffer=2
		clocks c=6:1000 c=3:900 primary=6
		gfx ts=1000 clock=6 type=DEQUEUE layer=L buffer=3
		gfx ts=901 clock=3 type=DEQUEUE layer=L buffer=4
	END
	gives buffer_event '"\(.ts) \(.buffer_id)"' <<-END
		1000 2
		1000 3
		1000 1
		1001 4
	END
	counts </dev/null
}

@test "packets on a clock that is never known are dropped and counted" {
	import <<-END
		gfx ts=900 clock=3 type=DEQUEUE layer=L buffer=1
		gfx ts=901 clock=3 type=DEQUEUE layer=L buffer=2
		gfx ts=5 type=DEQUEUE layer=L buffer=3
	END
	gives buffer_event '"\(.ts) \(.buffer_id)"' <<<'5 3'
	counts <<-END
		clock_sync_failure_undeferrable_packet_loss 2 data_loss
		clock_sync_failure_unknown_source_clock 2 error
	END
	gives trace '.clocks[]' <<<'{"source":"android.surfaceflinger.frame","clock":"MONOTONIC","mapped":false,"snapshots":0}'
}

@test "a packet of several rows whose clock is never known counts once" {
	import <<-END
		proc ts=5 clock=70 seq=3 proc=10:1:0:a proc=11:1:0:b thread=12:10:t
		gfx ts=5 type=DEQUEUE layer=L buffer=3
	END
	counts <<-END
		clock_sync_failure_undeferrable_packet_loss 1 data_loss
		clock_sync_failure_unknown_source_clock 1 error
	END
}

@test "a packet of several rows advances an incremental clock once" {
	import <<-END
		clocks c=6:1000
		proc ts=5 clock=64 seq=3 proc=10:1:0:a proc=11:1:0:b
		gfx ts=10 clock=64 seq=3 type=DEQUEUE layer=L buffer=3
		clocks seq=3 c=64:100:1:1 c=6:2000
	END
	gives buffer_event .ts <<<2015
	counts </dev/null
}

@test "a time is moved over several clocks" {
	import <<-END
		clocks c=3:100 c=4:200
		clocks c=4:300 c=6:1300 primary=6
		gfx ts=150 clock=3 type=DEQUEUE layer=L buffer=1
	END
	gives buffer_event .ts <<<1250
	counts </dev/null
}

@test "two clocks that no snapshot joins have no path" {
	import <<-END
		clocks c=6:1000 c=1:5 primary=6
		clocks c=3:100 c=4:200
		gfx ts=150 clock=3 type=DEQUEUE layer=L buffer=1
	END
	gives buffer_event .ts </dev/null
	counts <<-END
		clock_sync_failure_no_path 1 error
		clock_sync_failure_undeferrable_packet_loss 1 data_loss
	END
}

@test "clocks 64 to 127 belong to their sequence, and units and steps are heeded" {
	import <<-END
		clocks seq=2 c=64:100 c=6:1000 primary=6
		clocks seq=3 c=64:100 c=6:5000
		clocks seq=4 c=65:100:1000 c=6:6000
		clocks seq=5 c=66:100:1:1 c=6:7000
		gfx ts=110 seq=2 clock=64 type=DEQUEUE layer=L buffer=1
		gfx ts=110 seq=3 clock=64 type=DEQUEUE layer=L buffer=2
		gfx ts=110 seq=4 clock=65 type=DEQUEUE layer=L buffer=3
		gfx ts=10 seq=5 clock=66 type=DEQUEUE layer=L buffer=4
		gfx ts=5 seq=5 clock=66 type=DEQUEUE layer=L buffer=5
	END
	gives buffer_event '"\(.ts) \(.buffer_id)"' <<-END
		1010 1
		5010 2
		7010 4
		7015 5
		16000 3
	END
	counts </dev/null
}

@test "a clock that was set back is no source any more" {
	import <<-END
		clocks c=6:1000 c=1:5000 primary=6
		clocks c=6:2000 c=1:4000
		gfx ts=5100 clock=1 type=DEQUEUE layer=L buffer=1
		gfx ts=2100 type=DEQUEUE layer=L buffer=2
	END
	gives buffer_event .ts <<<2100
	counts <<-END
		clock_sync_failure_no_path 1 error
		clock_sync_failure_undeferrable_packet_loss 1 data_loss
	END
}

@test "snapshots that contradict themselves or earlier ones are counted and not used" {
	import <<-END
		clocks c=6:1000 c=3:900 primary=6
		clocks c=6:2000 c=6:2001
		clocks c=6:500 c=3:2000
		clocks c=6:3000 c=3:2000:1:1
		clocks c=6:3000 c=3:2000:1000
		clocks c=6:3000:1000 c=4:7
		gfx ts=2500 clock=3 type=DEQUEUE layer=L buffer=1
	END
	gives buffer_event .ts <<<2600
	counts <<<'invalid_clock_snapshots 5 error'
}

@test "times below 0 are dropped and counted" {
	import <<-END
		clocks c=6:1000 c=3:5000 primary=6
		gfx ts=100 clock=3 type=DEQUEUE layer=L buffer=1
		gfx ts=9223372036854775808 type=DEQUEUE layer=L buffer=2
		asurf ts=18446744073709551615 cookie=1 token=1 display=1 pid=1
		gfx ts=4000 clock=3 type=DEQUEUE layer=L buffer=3
	END
	gives buffer_event '"\(.ts) \(.buffer_id)"' <<<'0 3'
	counts <<<'trace_sorter_negative_timestamp_dropped 3 error'
}

@test "without any snapshot times are taken as they are, on BOOTTIME too" {
	import <<-END
		gfx ts=10 type=DEQUEUE layer=L buffer=1
		gfx ts=20 clock=6 type=DEQUEUE layer=L buffer=2
	END
	gives buffer_event .ts <<-END
		10
		20
	END
	counts </dev/null
}

# ---- sequences ----

@test "loss and lost state of packet sequences" {
	import <<-END
		gfx ts=10 seq=5 dropped=1 type=DEQUEUE layer=L buffer=1
		gfx ts=11 seq=5 dropped=1 type=DEQUEUE layer=L buffer=2
		gfx ts=12 seq=6 type=DEQUEUE layer=L buffer=3
		gfx ts=13 seq=6 dropped=66 type=DEQUEUE layer=L buffer=4
		gfx ts=14 seq=5 flags=2 type=DEQUEUE layer=L buffer=5
		gfx ts=15 seq=5 flags=1 type=DEQUEUE layer=L buffer=6
		gfx ts=16 seq=5 flags=2 type=DEQUEUE layer=L buffer=7
		gfx ts=17 seq=5 dropped=1 type=DEQUEUE layer=L buffer=8
		gfx ts=18 seq=5 flags=2 type=DEQUEUE layer=L buffer=9
		gfx ts=19 seq=5 cleared=1 type=DEQUEUE layer=L buffer=10
		gfx ts=20 seq=5 flags=2 type=DEQUEUE layer=L buffer=11
		gfx ts=21 seq=5 flags=1 dropped=1 type=DEQUEUE layer=L buffer=12
		gfx ts=22 seq=5 flags=3 type=DEQUEUE layer=L buffer=13
		gfx ts=23 seq=6 flags=2 type=DEQUEUE layer=L buffer=14
	END
	is "$(only buffer_event got.out | jq .buffer_id | tr '\n' ' ')" '1 2 3 4 6 7 8 10 11 12 13 '
	counts <<-END
		packet_skipped_seq_needs_incremental_state_invalid 3 info
		sequence_packet_loss 4 data_loss
	END
}

@test "state of a sequence in a packet that names none is counted" {
	import <<-END
		gfx ts=10 flags=1 type=DEQUEUE layer=L buffer=1
		gfx ts=11 cleared=1 dropped=1 type=DEQUEUE layer=L buffer=2
		gfx ts=12 dropped=1 type=DEQUEUE layer=L buffer=3
		defaults dclock=3
		interned
		interned seq=5
		interned seq=5 flags=1
	END
	is "$(only buffer_event got.out | jq .buffer_id | tr '\n' ' ')" '1 2 3 '
	counts <<-END
		incremental_state_cleared_missing_sequence_id 2 error
		interned_data_missing_sequence_id 1 error
		interned_data_skipped_incremental_state_invalid 1 info
		previous_packet_dropped_missing_sequence_id 1 error
		trace_packet_defaults_missing_sequence_id 1 error
	END
}

# ---- machines ----

@test "machines share neither processes nor the state of frames" {
	import <<-END
		esurf ts=10 cookie=1 token=5 display=6 pid=10 layer=A
		esurf ts=11 machine=7 cookie=1 token=5 display=6 pid=10 layer=A
		gfx ts=12 type=DEQUEUE frame=1 layer=L buffer=1
		gfx ts=13 machine=7 type=DEQUEUE frame=2 layer=L buffer=1
		gfx ts=14 machine=7 type=QUEUE frame=2 layer=L buffer=1
		gfx ts=15 type=PRESENT_FENCE frame=1 layer=L buffer=1
		gfx ts=16 machine=7 type=PRESENT_FENCE frame=2 layer=L buffer=1
		end ts=20 machine=7 cookie=1
		proc ts=21 machine=7 proc=10:1:0:remote
	END
	gives expected_frame '[.ts, .dur, .upid, .process, .machine_id]' <<-END
		[10,-1,1,null,0]
		[11,9,2,"remote",7]
	END
	gives phase '"\(.track) \(.ts) \(.dur) \(.depth) \(.machine_id)"' <<-END
		APP_1 L 12 -1 0 0
		APP_1 L 13 1 0 7
		GPU_1 L 14 -1 0 7
		Display_L 15 -1 0 0
		Display_L 16 -1 0 7
	END
	only process got.out | jq -c 'select(.pid == 10) | [.upid, .name, .machine_id]' >got
	same - got <<-END
		[1,null,0]
		[2,"remote",7]
	END
	is "$(only buffer_event got.out | jq .latch_to_present_time | tr '\n' ' ')" '12 13 14 15 16 '
}

@test "a sequence number means something else on each machine, and clocks do too" {
	import <<-END
		clocks seq=1 c=6:1000 c=3:900 primary=6
		clocks seq=1 machine=7 c=6:1000 c=3:400 primary=6
		defaults seq=5 dclock=3
		gfx ts=950 seq=5 type=DEQUEUE layer=L buffer=1
		gfx ts=950 seq=5 machine=7 type=DEQUEUE layer=L buffer=2
		gfx ts=950 clock=3 seq=5 machine=7 type=DEQUEUE layer=L buffer=3
		defaults seq=6 machine=7 dclock=3
		gfx ts=960 seq=6 type=DEQUEUE layer=L buffer=4
		gfx ts=960 seq=6 machine=7 type=DEQUEUE layer=L buffer=5
	END
	gives buffer_event '"\(.ts) \(.buffer_id) \(.machine_id)"' <<-END
		950 2 7
		960 4 0
		1050 1 0
		1550 3 7
		1560 5 7
	END
}

@test "times of a remote machine are taken back by its clock's offset" {
	# Offsets 520 and 530 follow from the two exchanges.
	import <<-END
		clocks c=6:100 c=3:90 primary=6
		remote machine=7 client=6:1000 host=6:500 client=6:1040 host=6:520
		gfx ts=2000 machine=7 clock=6 type=DEQUEUE layer=L buffer=1
		gfx ts=2000 clock=6 type=DEQUEUE layer=L buffer=2
	END
	gives buffer_event '"\(.ts) \(.machine_id)"' <<-END
		1475 7
		2000 0
	END
}

# ---- processes ----

@test "names of processes" {
	# The one of pid 61 has two elements, "a b" and "c".
	import <<-END
		proc ts=10 proc=60:1:0:"/system/bin/app --flag x"
		rawpacket ts=10 hex=120e0a0c083d10011a036120621a0163
		proc ts=10 proc=62:2:0:"kworker/0:1-events"
		proc ts=10 proc=63:2:0:"kworker/u8:2+flush-259:0"
		proc ts=10 proc=64:1:0:"kworker/0:1-events"
		proc ts=10 proc=65:1:0:
		proc ts=10 proc=66:1:0:""
		proc ts=10 proc=67:2:0:"kthread-x+y"
		proc ts=10 proc=68:1:0:before
		proc ts=20 proc=68:1:0:after
		proc ts=30 proc=69:1:0:late
		proc ts=5 proc=69:1:0:early
	END
	only process got.out | jq -rc 'select(.pid > 0) | "\(.pid) \(.name)"' | sort >got
	same - got <<-END
		60 /system/bin/app
		61 a b
		62 kworker/0:1
		63 kworker/u8:2
		64 kworker/0:1-events
		66 
		67 kthread-x+y
		68 after
		69 late
	END
}

@test "user ids and start times of processes, which are on BOOTTIME" {
	import <<-END
		clocks c=6:5000 c=3:1000 primary=3
		proc ts=2000 clock=3 proc=60:1:10123:app:4500 proc=61:1:0:other
	END
	only process got.out | jq -c 'select(.pid > 0) | [.pid, .uid, .start_ts]' >got
	same - got <<-END
		[60,10123,500]
		[61,0,null]
	END
}

@test "threads, and the main thread that a process is named after" {
	import <<-END
		proc ts=10 proc=60:1:0:app thread=61:60:RenderThread
		proc ts=11 comm=1 proc=2:0:0:kthreadd
		proc ts=12 thread=70:70:main
		asurf ts=13 cookie=1 token=1 display=1 pid=80
	END
	only thread got.out | jq -c 'select(.tid > 0) | [.tid, .name, .is_main]' | sort >got
	same - got <<-END
		[2,"kthreadd",true]
		[60,null,true]
		[61,"RenderThread",false]
		[70,"main",true]
		[80,null,true]
	END
	# Each belongs to the process that it should.
	jq -cn '[inputs] | (map(select(.type == "process") | {key: "\(.upid)", value: .pid}) | from_entries) as $pid
		| map(select(.type == "thread") | [.tid, $pid["\(.upid)"]])[]' got.out | sort >got
	same - got <<-END
		[0,0]
		[2,2]
		[60,60]
		[61,60]
		[70,70]
		[80,80]
	END
}

@test "a pid with another start time is another process" {
	import <<-END
		proc ts=10 proc=50:1:10001:first:5
		esurf ts=20 cookie=1 token=1 display=1 pid=50 layer=A
		proc ts=25 proc=50:1:10001:first:5
		proc ts=30 proc=50:1:10002:second:25
		esurf ts=40 cookie=2 token=1 display=2 pid=50 layer=B
	END
	only process got.out | jq -c 'select(.pid > 0) | [.upid, .name, .uid, .start_ts]' >got
	same - got <<-END
		[1,"first",10001,5]
		[2,"second",10002,25]
	END
	gives expected_frame '[.upid, .process, .layer_name]' <<-END
		[1,"first","A"]
		[2,"second","B"]
	END
	counts </dev/null
}

@test "a process with another parent is the same process, and counted" {
	import <<-END
		proc ts=10 proc=50:40:10001:app
		esurf ts=20 cookie=1 token=1 display=1 pid=50 layer=A
		proc ts=30 proc=50:1:10001:app
		esurf ts=40 cookie=2 token=1 display=2 pid=50 layer=B
		esurf ts=50 cookie=3 token=2 display=2 pid=50 layer=C
	END
	is "$(only process got.out | jq -c 'select(.pid > 0) | .upid')" 1
	gives expected_frame '[.upid, .layer_name]' <<-END
		[1,"A"]
		[1,"C"]
	END
	counts <<<'process_tracker_parent_pid_changed 1 info'
}

@test "rows have the name of their process also when it becomes known later" {
	import <<-END
		asurf ts=10 cookie=1 token=1 display=1 pid=50
		proc ts=30 proc=50:1:0:com.example.app
	END
	gives actual_frame .process <<<com.example.app
}

# ---- text ----

@test "names may hold any bytes, and the output is JSON all the same" {
	import <<-'END'
		gfx ts=1 type=POST buffer=1 layer="a\"b\\c"
		gfx ts=2 type=POST buffer=1 layer="tab\tnl\none\x01del\x7fesc\x1b"
		gfx ts=3 type=POST buffer=1 layer="a\x00b"
		gfx ts=4 type=POST buffer=1 layer="é😀\xef\xbf\xbf"
		gfx ts=5 type=POST buffer=1 layer="\xff\xfe"
		gfx ts=6 type=POST buffer=1 layer="x\xc0\xafx"
		gfx ts=7 type=POST buffer=1 layer="x\xed\xa0\x80x"
		gfx ts=8 type=POST buffer=1 layer="x\xe2\x82"
		gfx ts=9 type=POST buffer=1 layer="\xf4\x90\x80\x80"
		gfx ts=10 type=POST buffer=1 layer="plain plain plain \xff plain plain plain"
		proc ts=11 proc=60:1:0:"\xff\"\x01\x00z"
		proc ts=12 thread=61:60:"\x80\"t"
		asurf ts=13 cookie=1 token=1 display=1 pid=60 layer="\x80\n"
		sysinfo build="\xfe\"b"
		config ds="\xfe\"d"
	END
	only buffer_event got.out | jq -c .layer_name >got
	same - got <<-'END'
		"a\"b\\c"
		"tab\tnl\none\u0001del\u007fesc\u001b"
		"a\u0000b"
		"é😀￿"
		"��"
		"x��x"
		"x���x"
		"x��"
		"����"
		"plain plain plain � plain plain plain"
	END
	is "$(only process got.out | jq -c 'select(.pid == 60) | .name')" '"�\"\u0001\u0000z"'
	is "$(only thread got.out | jq -c 'select(.tid == 61) | .name')" '"�\"t"'
	is "$(only actual_frame got.out | jq -c '[.process, .layer_name]')" '["�\"\u0001\u0000z","�\n"]'
	is "$(only trace got.out | jq -c '[.build, .data_sources[-1].name]')" '["�\"b","�\"d"]'
}

@test "a track name that is cut inside a character is still UTF-8" {
	local layer

	layer=x$(printf 'é%.0s' {1..2500})
	import <<-END
		gfx ts=10 type=DEQUEUE frame=1 layer=$layer buffer=1
		gfx ts=11 type=DEQUEUE frame=1 layer=x$layer buffer=1
	END
	valid_records got.out
	is "$(only buffer_event got.out | wc -l)" 2
}

# ---- the trace's own record ----

@test "the trace record says what the trace is and holds" {
	import <<-'END'
		uuid msb=0x0123456789abcdef lsb=0xfedcba9876543210
		config ds=android.surfaceflinger.frametimeline ds=android.log ds=android.log duration=1000
		sysinfo sdk=34 build="google/panther/panther:14/UQ1A/1:user/release-keys"
		clocks c=6:1000 c=3:900 primary=6
		gfx ts=950 clock=3 type=DEQUEUE layer=L buffer=1
		gfx ts=1951 type=DEQUEUE layer=L buffer=1
		edisp ts=1500 cookie=1 token=1 pid=1
		marker
	END
	only trace got.out | sed 's/"importer":"tc-import [0-9.]*"/"importer":"tc-import"/' >got
	same - got <<-END
		{"type":"trace","path":"t.pftrace","bytes":$(wc -c <t.pftrace),"packets":8,"uuid":"01234567-89ab-cdef-fedc-ba9876543210","start_ts":1050,"end_ts":1951,"duration_ns":901,"outliers":0,"tracing_started_ts":null,"all_data_sources_started_ts":null,"tracing_disabled_ts":null,"clocks":[{"source":"android.surfaceflinger.frametimeline","clock":"BOOTTIME","mapped":true,"snapshots":1},{"source":"android.surfaceflinger.frame","clock":"MONOTONIC","mapped":true,"snapshots":1},{"source":"android.surfaceflinger.frame","clock":"BOOTTIME","mapped":true,"snapshots":1}],"data_sources":[{"name":"android.surfaceflinger.frametimeline","requested":true,"packets":1},{"name":"android.surfaceflinger.frame","requested":false,"packets":2},{"name":"android.log","requested":true,"packets":null}],"config":{"duration_ms":1000,"write_into_file":null},"buffers":null,"packets_lost":0,"flushes_failed":null,"final_flush":null,"truncated":false,"sdk":34,"build":"google/panther/panther:14/UQ1A/1:user/release-keys","importer":"tc-import","rules":"perfetto-57.2","trace":0}
	END
}

@test "what a trace does not say of itself is null" {
	import <<-END
		gfx ts=10 type=DEQUEUE layer=L buffer=1
	END
	gives trace '[.uuid, .sdk, .build, .clocks, .data_sources]' <<<'[null,null,null,[],[{"name":"android.surfaceflinger.frame","requested":null,"packets":1}]]'
	is "$(only trace got.out | grep -cE '"(device|session)"')" 0
}

@test "the records of a trace come in order: trace, processes, threads, rows, counters" {
	import <<-END
		proc ts=10 proc=60:1:0:app thread=61:60:t
		asurf ts=11 cookie=1 token=1 display=1 pid=60
		esurf ts=9 cookie=2 token=1 display=1 pid=61
		gfx ts=12 type=DEQUEUE layer=L buffer=1
		end ts=50 cookie=9
	END
	is "$(jq -r .type got.out | uniq | tr '\n' ' ')" \
		'tool trace process thread expected_frame actual_frame buffer_event phase stat end '
}

@test "two trace files one after the other are a trace" {
	trace a.pftrace <<-END
		gfx ts=20 type=DEQUEUE frame=1 layer=L buffer=1
	END
	trace b.pftrace <<-END
		gfx ts=10 type=QUEUE frame=2 layer=L buffer=2
	END
	cat a.pftrace b.pftrace >both.pftrace
	tool got.out tc-import both.pftrace
	ended 0
	is "$(only buffer_event got.out | jq .ts | tr '\n' ' ')" '10 20 '
	is "$(only trace got.out | jq .packets)" 2
}
