load helper

# phases --missing, match and explain. Rows are written out by hand; times are in
# milliseconds, and what a test does not care for has a default.

ns() {
	local whole=${1%.*} part=

	[[ $1 != null ]] || { echo null && return; }
	[[ $1 != *.* ]] || part=${1#*.}
	part=${part}000000
	echo $((${whole}${part:0:6}))
}

# dur FROM TO: from one to the other; `open` is never.
dur() {
	if [ "$2" = open ]; then
		echo -1
	else
		echo $(($(ns "$2") - $(ns "$1")))
	fi
}

# of_trace [MAPPED [SOURCES]]: the record of a trace with both data sources of frames.
of_trace() {
	printf '{"type":"trace","path":"t","start_ts":0,"end_ts":1000000000,"clocks":[{"source":"android.surfaceflinger.frametimeline","clock":"BOOTTIME","mapped":true,"snapshots":1},{"source":"android.surfaceflinger.frame","clock":"MONOTONIC","mapped":%s,"snapshots":1}],"data_sources":[%s],"trace":0}\n' \
		"${1-true}" "${2-{\"name\":\"android.surfaceflinger.frametimeline\",\"requested\":true,\"packets\":9\},{\"name\":\"android.surfaceflinger.frame\",\"requested\":true,\"packets\":9\}}"
}

rate() {
	printf '{"type":"refresh_rate","ts":0,"dur":-1,"period_ns":%s,"source":"expected_display_frames","machine_id":0,"trace":0}\n' \
		"$(ns "${1-16}")"
}

# expected FROM TO, actual FROM TO: an app frame.
expected() {
	printf '{"type":"expected_frame","id":%s,"ts":%s,"dur":%s,"upid":%s,"pid":1000,"process":"com.example","name":"7","surface_frame_token":%s,"display_frame_token":%s,"layer_name":"L","machine_id":0,"trace":0}\n' \
		"${id-100}" "$(ns "$1")" "$(dur "$1" "$2")" "${upid-1}" "${token-7}" "${shown-9}"
}

actual() {
	printf '{"type":"actual_frame","id":%s,"ts":%s,"dur":%s,"upid":%s,"pid":1000,"process":"%s","name":"7","surface_frame_token":%s,"display_frame_token":%s,"layer_name":%s,"machine_id":0,"present_type":"%s","on_time_finish":%s,"gpu_composition":%s,"jank_type":%s,"jank_mask":%s,"jank_tag":"%s","jank_severity_type":"Full","jank_score":0,"prediction_type":"Valid Prediction","is_buffer":"%s","trace":0}\n' \
		"${id-1}" "$(ns "$1")" "$(dur "$1" "$2")" "${upid-1}" "${process-com.example}" "${token-7}" "${shown-9}" \
		"${layer-\"TX - L#1\"}" "${present-Late Present}" "${on_time-0}" "${gpu-0}" "${type-\"App Deadline Missed\"}" \
		"${mask-64}" "${tag-Self Jank}" "${is_buffer-Yes}"
}

# display EXPECTED-END ACTUAL-END: the display frame with this token, both from 124.
display() {
	printf '{"type":"expected_frame","id":%s,"ts":%s,"dur":%s,"upid":99,"pid":99,"process":"surfaceflinger","name":"9","surface_frame_token":null,"display_frame_token":%s,"layer_name":null,"machine_id":0,"trace":0}\n' \
		"$((${shown-9} + 1000))" "$(ns "${from-124}")" "$(dur "${from-124}" "$1")" "${shown-9}"
	printf '{"type":"actual_frame","id":%s,"ts":%s,"dur":%s,"upid":99,"pid":99,"process":"surfaceflinger","name":"9","surface_frame_token":null,"display_frame_token":%s,"layer_name":null,"machine_id":0,"present_type":"On-time Present","on_time_finish":1,"gpu_composition":1,"jank_type":"%s","jank_mask":1,"jank_tag":"No Jank","jank_severity_type":"None","jank_score":0,"prediction_type":"Valid Prediction","trace":0}\n' \
		"$((${shown-9} + 2000))" "$(ns "${from-124}")" "$(dur "${from-124}" "$2")" "${shown-9}" "${sf_type-None}"
}

event() {
	printf '{"type":"buffer_event","id":%s,"ts":%s,"dur":0,"name":"%s","track":"Buffer: %s %s","buffer_id":%s,"layer_name":"%s","frame_number":%s,"queue_to_acquire_time":0,"acquire_to_latch_time":0,"latch_to_present_time":0,"stale":[],"machine_id":0,"trace":0}\n' \
		"$((${number-11} * 10))" "$(ns "$2")" "$1" "${buffer-3}" "${name-L#1}" "${buffer-3}" "${name-L#1}" "${number-11}"
}

phase() {
	printf '{"type":"phase","id":%s,"ts":%s,"dur":%s,"phase":"%s","name":"%s","track":"X_%s %s","buffer_id":%s,"layer_name":"%s","frame_number":%s,"depth":0,"machine_id":0,"trace":0}\n' \
		"$((${number-11} * 10))" "$(ns "$2")" "$(dur "$2" "$3")" "$1" "${number-11}" "${buffer-3}" "${name-L#1}" \
		"${buffer-3}" "${name-L#1}" "${number-11}"
}

# buffer DEQUEUE QUEUE ACQUIRE LATCH PRESENT: a submission's events; - is none.
buffer() {
	local step

	for step in Dequeue Queue AcquireFenceSignaled Latch PresentFenceSignaled; do
		[ "$1" = - ] || event "$step" "$1"
		shift
	done
}

slice() {
	printf '{"type":"slice","id":%s,"ts":%s,"dur":%s,"kind":"thread","track":null,"parent_id":null,"depth":0,"upid":%s,"utid":%s,"pid":1000,"tid":%s,"process":"%s","thread":"t","name":"%s","vsync_id":%s,"machine_id":0,"trace":0}\n' \
		"${id-5}" "$(ns "$2")" "$(dur "$2" "$3")" "${upid-1}" "${utid-50}" "$((${utid-50} + 950))" "${process-com.example}" \
		"$1 ${token-7}" "${token-7}"
}

sched() {
	printf '{"type":"sched","ts":%s,"dur":%s,"utid":%s,"tid":%s,"pid":1000,"state":%s,"cpu":0,"machine_id":0,"trace":0}\n' \
		"$(ns "$2")" "$(dur "$2" "$3")" "${utid-50}" "$((${utid-50} + 950))" "$1"
}

# One frame: expected to end at 116, ended at 120, shown at 133; and the one before.
one_frame() {
	expected 100 116
	actual 102 120
	display 133 133
	token=6 shown=8 id=101 expected 84 100
	token=6 shown=8 id=2 type='"None"' mask=1 tag='No Jank' present='On-time Present' on_time=1 actual 84 99
	shown=8 from=108 display 117 117
}

# The buffer of that frame.
its_buffer() {
	buffer 105 118 120 126 133
}

# of MODE FILTER < ROWS: what FILTER makes of the answers, a line each.
of() {
	tc-jank $1 >got.out
	jq -rc "select(.type == \"jank_match\" or .type == \"jank_cause\" or .type == \"jank_phase\" or .type == \"jank_metric\") | $2" got.out
}

# ---- phases ----

phase_of='select(.why) | "\(.phase_name) \(.why)"'

@test "--missing lists the phases that a buffer lacks behind those that there are, without times" {
	{ phase app_hold 105 118 && buffer 105 118 120 - -; } | of 'phases --missing' '[.phase_name, .duration_status, .ts_ns, .duration_ms]' >got
	cat >wanted <<-'END'
		["app_hold","closed-positive",105000000,13]
		["latch_to_present","absent",null,null]
		["present_interval","absent",null,null]
	END
	same wanted got
	# Phases alone do not tell of presents where nothing was latched.
	{ phase app_hold 105 118 && phase producer_fence_wait 118 120; } | of 'phases --missing' "$phase_of" >got
	is "$(cat got)" 'latch_to_present not_traced'
}

@test "a buffer that lacks nothing has no missing phases" {
	its_buffer | of 'phases --missing' . >got
	same /dev/null got
	{ phase app_hold 105 118 && phase producer_fence_wait 118 120 && phase latch_to_present 126 133 && event PresentFenceSignaled 133; } |
		of 'phases --missing' "$phase_of" | same /dev/null -
}

@test "what came after the last of its kind in the layer is missing for the tail" {
	{ buffer 105 118 120 126 133 && number=12 buffer=4 buffer 121 134 - - -; } |
		of 'phases --missing' "\"\(.frame_number) \" + ($phase_of)" >got
	printf '12 %s\n' 'producer_fence_wait tail' 'latch_to_present tail' 'present_interval tail' | same - got
}

@test "a fence event that only the buffer's next use would bring is missing for the tail" {
	# Presented last before this one was latched, but buffer 3 had no event since.
	{ number=12 buffer=4 buffer 95 100 101 110 127 && buffer 105 118 120 126 -; } |
		of 'phases --missing' "$phase_of" >got
	is "$(cat got)" 'present_interval tail'
}

@test "what no frame of the layer has was not traced, though other layers have it" {
	{ name=A buffer 105 118 120 126 133 && buffer - 118 120 126 133; } | of 'phases --missing' "$phase_of" >got
	is "$(cat got)" 'app_hold not_traced'
}

@test "what others of the layer have and this one has not is unknown" {
	{ buffer - 118 120 - - && number=12 buffer 125 134 136 140 149; } |
		of 'phases --missing' "\"\(.frame_number) \" + ($phase_of)" >got
	printf '11 %s unknown\n' app_hold latch_to_present present_interval | same - got
}

@test "a fence that signaled before its buffer was queued is no missing wait" {
	buffer 105 118 110 126 133 | of 'phases --missing' . | same /dev/null -
}

@test "rows without frame number belong to no submission" {
	{ number=0 phase app_hold 105 open && number=null event Dequeue 106; } | of 'phases --missing' "$phase_of" | same /dev/null -
}

@test "a dequeue without frame number counts by the phase that its queueing named" {
	{ number=null event Dequeue 105 && phase app_hold 105 118 && buffer - 118 120 126 133; } |
		of 'phases --missing' "$phase_of" | same /dev/null -
}

@test "a missing phase names its buffer and layer, and what is not in the trace" {
	buffer - 118 120 126 133 | of 'phases --missing' . >got
	is "$(cat got)" '{"type":"jank_phase","phase_slice_id":null,"track":null,"ts_ns":null,"raw_dur_ns":null,"layer_name":"L#1","frame_number":11,"phase_name":"app_hold","buffer_track_suffix":"3 L#1","duration_status":"absent","duration_ms":null,"why":"not_traced","text":"no Dequeue of this frame is in this trace; nor of any other frame of this layer","machine_id":0,"trace":0}'
}

@test "an open phase is there, and what would have closed it is missing once" {
	{ buffer 105 118 120 126 - && phase latch_to_present 126 open; } |
		of 'phases --missing' '"\(.phase_name) \(.duration_status)"' >got
	printf '%s\n' 'latch_to_present open' 'present_interval absent' | same - got
}

@test "--app leaves the phases of layers that its frames name" {
	{
		one_frame
		phase app_hold 105 118
		name=A phase app_hold 105 118
		name=A buffer - 118 - - -
	} >rows
	of 'phases --missing --app com.example' '[.layer_name, .phase_name]' <rows | sort -u >got
	is "$(cut -d , -f 1 got | sort -u)" '["L#1"'
	of 'phases --missing' .layer_name <rows | sort -u | same - <(printf '%s\n' A 'L#1')
	tool none.out tc-jank phases --app com.none rows
	ended 2
}

@test "--missing goes with phases alone" {
	for mode in match explain frames; do
		tool got.out tc-jank --missing $mode </dev/null
		ended 2
		has "$stderr" "not with $mode"
	done
}

# ---- match ----

# Of frame 7, which has id 1.
candidate='select(.actual_id == 1) | "\(.confidence) \(.candidate_count) \(.limits | join(","))"'

@test "layer, time and present agree and there is one candidate: high" {
	{ of_trace && one_frame && its_buffer; } | of match 'select(.actual_id == 1)' >got
	is "$(jq -c '[.confidence, .candidate_count, .limits, .display_present_ts_ns]' got)" '["high",1,[],133000000]'
	is "$(jq -c '.candidates[0] | del(.confidence)' got)" '{"buffer_id":3,"frame_number":11,"dequeue_ts_ns":105000000,"queue_ts_ns":118000000,"acquire_ts_ns":120000000,"latch_ts_ns":126000000,"present_ts_ns":133000000,"overlap_ns":15000000,"end_delta_ns":0,"present_delta_ns":0}'
}

@test "phases alone give the same candidate as events" {
	{ of_trace && one_frame && phase app_hold 105 118 && phase producer_fence_wait 118 120 && phase latch_to_present 126 133; } >phases
	{ of_trace && one_frame && its_buffer; } | of match . >wanted
	of match . <phases | same wanted -
	{ cat phases && its_buffer; } | of match . | same wanted -
}

@test "a frame number that equals the token is no evidence" {
	{ of_trace && one_frame && number=7 buffer 405 418 420 426 433; } | of match "$candidate" >got
	is "$(cat got)" 'none 0 '
}

@test "a buffer of another layer is no candidate" {
	{ of_trace && one_frame && name=A its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'none 0 no_buffer_events'
}

@test "a buffer that was presented at another time is no candidate, 2 ms is the same" {
	{ of_trace && one_frame && buffer 105 118 120 126 135.000001; } | of match "$candidate" >got
	is "$(cat got)" 'none 0 '
	{ of_trace && one_frame && buffer 105 118 120 126 135; } | of match "$candidate" >got
	is "$(cat got)" 'high 1 '
}

@test "a buffer that was ready at another time is not high" {
	{ of_trace && one_frame && buffer 105 118 122.1 126 133; } | of match "$candidate" >got
	is "$(cat got)" 'high 1 '
	{ of_trace && one_frame && buffer 105 110 112 126 133; } | of match "$candidate" >got
	is "$(cat got)" 'medium 1 '
}

@test "several candidates are never high, and those that agree in nothing more are low" {
	{ of_trace && one_frame && its_buffer && number=10 buffer=4 buffer 106 110 111 - -; } | of match 'select(.actual_id == 1)' >got
	is "$(jq -c '[.confidence, [.candidates[] | [.frame_number, .confidence]], .limits]' got)" \
		'["medium",[[11,"medium"],[10,"low"]],["no_present"]]'
}

@test "clocks that are not mapped make every candidate low" {
	{ of_trace false && one_frame && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'low 1 clocks_unmapped'
}

@test "without a trace record nobody knows of clocks, and it is not high" {
	{ one_frame && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'medium 1 clocks_unknown'
}

@test "without display frame, with several, or with an open one, there is no present to agree with" {
	{ of_trace && expected 100 116 && actual 102 120 && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'medium 1 no_display_frame'
	{ of_trace && expected 100 116 && actual 102 120 && display 133 133 && display 133 150 && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'medium 1 several_displays'
	{ of_trace && expected 100 116 && actual 102 120 && display 133 open && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'medium 1 display_frame_open'
	{ of_trace && shown=0 expected 100 116 && shown=0 actual 102 120 && shown=0 display 133 133 && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'medium 1 no_display_frame'
}

@test "a candidate without present is medium when it was ready in time" {
	{ of_trace && one_frame && buffer 105 118 120 126 -; } | of match "$candidate" >got
	is "$(cat got)" 'medium 1 no_present'
	{ of_trace && one_frame && buffer 105 110 112 126 -; } | of match "$candidate" >got
	is "$(cat got)" 'low 1 no_present'
}

@test "a dropped frame is matched with nothing that was presented" {
	{ of_trace && expected 100 116 && present='Dropped Frame' actual 102 120 && display 133 133 && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'none 0 dropped'
	{ of_trace && expected 100 116 && mask=1024 present='Dropped Frame' actual 102 120 && display 133 133 && buffer 105 118 120 - -; } | of match "$candidate" >got
	is "$(cat got)" 'low 1 dropped,no_present'
	# It ended when it was dropped, which says nothing of when it was ready.
	is "$(jq -c 'select(.actual_id == 1).candidates[0].end_delta_ns' got.out)" null
}

@test "two processes whose frames name the same layer, as two windows of one name do: low" {
	{ of_trace && one_frame && its_buffer && upid=2 process=other token=17 id=3 actual 300 310; } | of match "$candidate" >got
	is "$(cat got)" 'low 1 same_name'
}

@test "frame numbers that go to and fro are of two layers, those that begin anew of one made again" {
	{
		of_trace && one_frame && its_buffer
		number=2 buffer=9 buffer - 140 - - - && number=12 buffer - 150 - - - && number=3 buffer=9 buffer - 160 - - -
	} | of match "$candidate" >got
	is "$(cat got)" 'low 1 same_name'
	{
		of_trace && one_frame && its_buffer
		number=9 buffer=9 buffer - 140 - - - && number=10 buffer=9 buffer - 150 - - - && number=12 buffer=9 buffer - 160 - - -
	} | of match "$candidate" >got
	is "$(cat got)" 'medium 1 numbers_restarted'
}

@test "a buffer that has the same number again is another submission" {
	{ of_trace && one_frame && its_buffer && buffer 405 418 420 426 433; } | of match 'select(.actual_id == 1)' >got
	is "$(jq -c '[.candidate_count, .candidates[0].queue_ts_ns, .candidates[0].present_ts_ns]' got)" '[1,118000000,133000000]'
}

@test "the same name with another number is told, and whether at the same time" {
	{ of_trace && one_frame && its_buffer && layer='"TX - L#2"' token=17 id=3 actual 110 130; } | of match "$candidate" >got
	is "$(cat got)" 'high 1 same_title'
	{ of_trace && one_frame && its_buffer && layer='"TX - L#2"' token=17 id=3 actual 310 330; } | of match "$candidate" >got
	is "$(cat got)" 'high 1 layer_remade'
}

@test "a SurfaceView, a frame without buffer, an open one and one without layer are told" {
	{ of_trace && one_frame | sed 's/TX - L#1/SurfaceView[x]#1/' && name='SurfaceView[x]#1' its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'high 1 surface_view'
	{ of_trace && is_buffer=No one_frame && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'low 1 not_a_buffer'
	{ of_trace && expected 100 116 && actual 102 open && display 133 133 && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'medium 1 open_frame'
	{ of_trace && layer=null one_frame && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'none 0 no_layer'
}

@test "one token with three layers is three frames, each with its own buffer" {
	{
		of_trace && display 133 133
		for i in 1 2 3; do
			id=$i layer="\"TX - L#$i\"" actual 102 120
			name=L#$i number=$((40 - i)) its_buffer
		done
	} | of match '[.actual_id, .layer_name, .confidence, .candidates[].frame_number]' >got
	printf '[%s,"TX - L#%s","high",%s]\n' 1 1 39 2 2 38 3 3 37 | same - got
}

@test "traces and machines are not mixed" {
	{ of_trace && one_frame && its_buffer | sed 's/"machine_id":0/"machine_id":5/'; } | of match "$candidate" >got
	is "$(cat got)" 'none 0 no_buffer_events'
	{ of_trace && one_frame && of_trace && its_buffer; } | of match "$candidate" >got
	is "$(cat got)" 'none 0 no_buffer_events'
}

@test "many candidates are counted up to 64 and listed up to 16" {
	{
		of_trace && one_frame
		for i in $(seq 70); do
			number=$i buffer=$i buffer 105 118 - - -
		done
	} | of match 'select(.actual_id == 1) | [.confidence, .candidate_count, (.candidates | length), .limits]' >got
	is "$(cat got)" '["low",64,16,["no_present","many_candidates"]]'
}

@test "the order of lines with equal times changes nothing" {
	{
		of_trace && rate && one_frame && its_buffer
		number=12 buffer=4 buffer 105 118 120 126 133
		slice Choreographer#doFrame 102 110 && id=6 slice DrawFrames 102 112
		sched '"Running"' 102 105 && sched '"S"' 105 130
		name=A#1 buffer 105 118 120 126 133
		name=B buffer 105 118 - - -
	} >rows
	for mode in match explain 'phases --missing'; do
		of "$mode" . <rows >wanted
		[ -s wanted ]
		tac rows >in
		of "$mode" . <in | same wanted -
		shuf --random-source=<(yes) rows >in
		of "$mode" . <in | same wanted -
	done
}

# ---- explain ----

cause='select(.actual_id == 1)'

# stretch NAME: what explain says of it, in ms.
stretch() {
	printf '%s | .stretches[] | select(.name == "%s") | "\(.is_long) \(if .dur_ns then .dur_ns / 1e6 else null end) \(if .expected_ns then .expected_ns / 1e6 else null end) \(if .over_ns then .over_ns / 1e6 else null end) \(.why // "")"' "$cause" "$1"
}

@test "frames that were fine are not explained, and each kind that was not is" {
	{
		of_trace
		good='present="On-time Present" on_time=1 type="\"None\"" mask=1 tag="No Jank"'
		eval "$good id=1 token=1 actual 100 110"
		eval "$good id=2 token=2 on_time=0 actual 100 110"
		eval "$good id=3 token=3 present='Late Present' actual 100 110"
		eval "$good id=4 token=4 present='Dropped Frame' actual 100 110"
		eval "$good id=5 token=5 mask=2048 type='\"Non Animating\"' actual 100 110"
		eval "$good id=6 token=6 on_time=null actual 100 110"
		eval "$good id=7 token=7 on_time=null actual 100 118"
		eval "$good id=8 token=8 mask=0 type='\"Unspecified\"' tag=Unspecified actual 100 110"
		eval "$good id=9 token=9 mask=16384 type='\"ModeChange in progress\"' actual 100 110"
		for i in $(seq 9); do
			token=$i id=20$i expected 100 116
		done
	} | of explain '"\(.actual_id) \(.class)"' >got
	printf '%s\n' '2 late' '3 late' '4 dropped' '5 non_perceivable' '7 late' '9 mode_change' | same - got
}

@test "a bit that nobody knows is no reason, and no frame is late for it" {
	new='mask=65536 type="\"\"" tag="No Jank"'
	{
		of_trace
		eval "$new present='On-time Present' on_time=1 id=1 token=1 actual 100 110"
		eval "$new id=2 token=2 actual 100 110"
	} | of explain '[.actual_id, .class, .blame, (.unknown[] | select(.what == "blame").why), (.text | split(";")[0])]' >got
	is "$(cat got)" '[2,"unknown",[],"unknown_bits","the platform gives a reason that has no name"]'
}

@test "dropped is what was presented so, for explain as for metrics" {
	{
		of_trace && rate && display 133 133
		expected 100 116
		mask=1024 type='"Dropped Frame"' tag='No Jank' present='On-time Present' on_time=1 actual 102 110
	} >rows
	is "$(of explain '[.class, .text]' <rows)" \
		"[\"dropped\",\"the platform says 'Dropped Frame', which blames nobody; it began 2.000 ms late; it ended 6.000 ms before its expected end\"]"
	is "$(of metrics 'select(.metric == "images" or .metric == "timeline_duration") | .samples' <rows | xargs)" '1 1'
	sed -i 's/On-time Present","on_time_finish":1,"gpu_composition":0/Dropped Frame","on_time_finish":1,"gpu_composition":0/' rows
	is "$(of explain .text <rows)" "the platform says 'Dropped Frame', which blames nobody; it began 2.000 ms late; the platform marks it dropped"
	is "$(of metrics 'select(.metric == "images" or .metric == "timeline_duration") | .samples' <rows | xargs)" '0 0'
}

@test "an expectation far away from the trace is none, for explain as for metrics" {
	{ of_trace && rate && one_frame | jq -c 'if .id == 100 then .outlier = true else . end' && its_buffer; } >rows
	is "$(of explain "$cause | [.expected_count, .end_delta_ms, (.unknown[] | select(.what == \"expectation\").why)]" <rows)" '[1,null,"no_expectation"]'
	is "$(of explain "$(stretch producer_hold)" <rows)" 'null 13 null null no_expectation'
	is "$(of metrics 'select(.metric == "timeline_overrun") | .samples' <rows)" 1
}

@test "every reason of the platform has its class and whom it blames, by bit and by text" {
	cat >wanted <<-'END'
		2 surfaceflinger [surfaceflinger] SurfaceFlinger Scheduling
		4 prediction_error [prediction] Prediction Error
		8 display_hal [display_hal] Display HAL
		16 surfaceflinger [surfaceflinger] SurfaceFlinger CPU Deadline Missed
		32 surfaceflinger [surfaceflinger] SurfaceFlinger GPU Deadline Missed
		64 app [app] App Deadline Missed
		4096 app [app] App Resynced Jitter
		128 buffer_stuffing [stuffing] Buffer Stuffing
		256 unknown_jank [unknown] Unknown Jank
		512 surfaceflinger_stuffing [stuffing] SurfaceFlinger Stuffing
		1024 dropped [] Dropped Frame
		2048 non_perceivable [] Non Animating
		8192 display_off [display_state] Display not ON
		16384 mode_change [display_state] ModeChange in progress
		32768 power_mode_change [display_state] PowerModeChange in progress
		66 app [app,surfaceflinger] SurfaceFlinger Scheduling, App Deadline Missed
		136 display_hal [display_hal,stuffing] Display HAL, Buffer Stuffing
		16400 mode_change [surfaceflinger,display_state] SurfaceFlinger CPU Deadline Missed, ModeChange in progress
		1088 app [app] App Deadline Missed, Dropped Frame
	END
	while read -r bits class blame words; do
		for given in "$bits" null; do
			{ mask=$given type="\"$words\"" actual 102 120; } | of explain '"\(.class) [\(.blame | join(","))] \(.jank_type)"'
		done
	done <wanted >got
	sed 's/^[0-9]* //; p' wanted | same - got
}

@test "of many slices those that are threads' work are taken, and too many are said to be" {
	works="$cause | [[.threads[].name], [.unknown[] | select(.what == \"threads\").why]]"
	{
		of_trace && one_frame
		for i in $(seq 12); do
			id=$i slice "a$i" 102 103
		done
		id=20 slice DrawFrames 104 112
	} >rows
	is "$(of explain "$works" <rows)" '[["DrawFrames 7"],[]]'
	for i in $(seq 30 38); do
		id=$i slice DrawFrames 113 114
	done >>rows
	is "$(of explain "$cause | [(.threads | length), [.unknown[] | select(.what == \"threads\").why]]" <rows)" '[8,["many_slices"]]'
	{
		of_trace && one_frame
		for i in $(seq 100 400); do
			id=$i slice "a$i" 102 103
		done
		id=20 slice DrawFrames 104 112
	} >rows
	is "$(of explain "$works" <rows)" '[[],["many_slices"]]'
}

@test "a late frame of which the platform says nothing is of unknown class" {
	{ mask=null type=null actual 102 120; } | of explain '[.class, .blame, .jank_mask, .unknown[0]]' >got
	is "$(cat got)" '["unknown",[],null,{"what":"blame","why":"no_jank_type"}]'
}

@test "hold and fence are held against the app's expected end, by what lies behind it" {
	{ of_trace && rate && one_frame && its_buffer; } >rows
	is "$(of explain "$(stretch producer_hold)" <rows)" 'true 13 11 2 '
	is "$(of explain "$(stretch producer_fence)" <rows)" 'true 2 -2 2 began_late'
	{ of_trace && one_frame && buffer 105 110 114 126 133; } >rows
	is "$(of explain "$(stretch producer_hold)" <rows)" 'false 5 11 -6 '
	is "$(of explain "$(stretch producer_fence)" <rows)" 'false 4 6 -2 '
}

@test "a fence that had signaled by the time of queueing was not waited for" {
	{ of_trace && one_frame && buffer 105 120 110 126 133; } | of explain "$(stretch producer_fence)" >got
	is "$(cat got)" 'false 0 -4 0 began_late'
}

@test "a missing and a doubled expectation leave hold and fence without verdict" {
	{ of_trace && actual 102 120 && display 133 133 && its_buffer; } >rows
	is "$(of explain "$(stretch producer_hold)" <rows)" 'null 13 null null no_expectation'
	is "$(of explain "$cause | .expected_count, (.unknown[] | select(.what == \"expectation\").why)" <rows | tr '\n' ' ')" '0 no_expectation '
	{ of_trace && one_frame && id=102 expected 101 117 && its_buffer; } >rows
	is "$(of explain "$(stretch producer_fence)" <rows)" 'null 2 null null several_expectations'
	is "$(of explain "$cause | .expected_count, .end_delta_ms" <rows | tr '\n' ' ')" '2 null '
}

@test "an expectation without deadline is none" {
	{ of_trace && one_frame | jq -c 'if .id == 100 then .dur = 9223372036754775807 else . end' && its_buffer; } >rows
	is "$(of explain "$cause | .end_delta_ms" <rows)" null
	is "$(of explain "$(stretch producer_hold)" <rows)" 'null 13 null null no_expectation'
}

@test "acquire to latch is held against one period of the rate in force" {
	{ of_trace && one_frame && buffer 105 108 109 126 133; } >rows
	is "$({ cat rows && rate 16; } | of explain "$(stretch acquire_to_latch)")" 'true 17 16 1 '
	is "$({ cat rows && rate 17; } | of explain "$(stretch acquire_to_latch)")" 'false 17 17 0 '
	is "$(of explain "$(stretch acquire_to_latch)" <rows)" 'null 17 null null no_period'
	# Where the display frame does not tell, it is the rate where the frame should end.
	jq -c 'select(.display_frame_token != 9 or .surface_frame_token)' rows >unshown
	is "$({ cat unshown && rate 17 | jq -c '.ts = 110000000'; } | of explain "$cause | .period_ns")" 17000000
	{ of_trace && rate && one_frame && buffer 105 118 121 120.5 133; } | of explain "$(stretch acquire_to_latch)" >got
	is "$(cat got)" 'false null null null latched_unsignaled'
}

@test "output is held against the display frame's expected end, and long beyond 2 ms" {
	{ of_trace && expected 100 116 && actual 102 120 && its_buffer; } >rows
	is "$({ cat rows && display 131 133; } | of explain "$(stretch latch_to_present)")" 'false 7 5 2 '
	is "$({ cat rows && display 130.9 133; } | of explain "$(stretch latch_to_present)")" 'true 7 4.9 2.1 '
	is "$({ cat rows && display 130.9 133; } | of explain "$(stretch display_frame)")" 'true 9 6.9 2.1 '
	is "$(of explain "$(stretch latch_to_present)" <rows)" 'null 7 null null no_display_frame'
	is "$({ cat rows && display 130 133 && display 130 133; } | of explain "$(stretch latch_to_present)")" 'null 7 null null several_display_frames'
	is "$({ cat rows && display 130 133 | sed 1d; } | of explain "$(stretch latch_to_present)")" 'null 7 null null no_display_expectation'
	# One far away from the trace, or without deadline, is none, and not several.
	is "$({ cat rows && display 130 133 | sed '1s/"machine_id"/"outlier":true,&/'; } | of explain "$(stretch latch_to_present)")" 'null 7 null null no_display_expectation'
	is "$({ cat rows && display 130 133 | sed '1s/"dur":[0-9]*/"dur":9223372036854775807/'; } | of explain "$(stretch display_frame)")" 'null 9 null null no_display_expectation'
	is "$({ cat rows && display 130 133 | sed 1p; } | of explain "$(stretch display_frame)")" 'null 9 null null several_expectations'
}

@test "the cadence gap is from the layer's last present to this one, against one period" {
	{ of_trace && rate 8 && one_frame; } >rows
	is "$(of explain "$(stretch cadence_gap)" <rows)" 'true 16 8 8 '
	{ of_trace && rate 14 && one_frame; } >rows
	is "$(of explain "$(stretch cadence_gap)" <rows)" 'false 16 14 2 '
	is "$(one_frame | of explain "$(stretch cadence_gap)")" 'null 16 null null no_period'
	is "$({ expected 100 116 && actual 102 120 && display 133 133; } | of explain "$(stretch cadence_gap)")" 'null null null null no_frame_before'
	is "$({ one_frame | jq -c 'if .display_frame_token == 8 then .layer_name = "TX - L#2" else . end'; } | of explain "$(stretch cadence_gap)")" 'null null null null no_frame_before'
}

@test "why there is no cadence gap is said as it is: an open display frame, a doubled expectation" {
	{ of_trace && rate && expected 100 116 && actual 102 120 && display 133 open; } >rows
	is "$(of explain "$(stretch cadence_gap)" <rows)" 'null null null null display_frame_open'
	{ of_trace && rate && one_frame && id=102 expected 101 117; } >rows
	is "$(of explain "$(stretch cadence_gap)" <rows)" 'null 16 null null several_expectations'
}

@test "a pause in which nothing was to be drawn is no gap" {
	{ of_trace && rate 16 && one_frame | jq -c 'if .display_frame_token == 9 then .ts += 1000000000 else . end'; } |
		of explain "$(stretch cadence_gap)" >got
	is "$(cat got)" 'null 1016 null null idle_before'
}

@test "without a match no stretch of a buffer has a verdict" {
	{ of_trace && rate 8 && one_frame; } >rows
	for one in producer_hold producer_fence acquire_to_latch latch_to_present; do
		is "$(of explain "$(stretch $one)" <rows)" 'null null null null no_match'
	done
	for what in 'false low 1 clocks_unmapped' 'true none 0 no_buffer_events'; do
		set -- $what
		{ of_trace "$1" && one_frame; } >rows
		[ "$3" = 0 ] || its_buffer >>rows
		is "$(of explain "$cause | \"\(.match_confidence) \(.match_count) \(.unknown[] | select(.what == \"submission\").why) \(.frame_number)\"" <rows)" "$2 $3 $4 null"
	done
}

@test "main and render thread are those of the same vsync id in the same process" {
	{
		one_frame
		echo '{"type":"thread","utid":50,"upid":1,"tid":1000,"name":"main","is_main":true,"machine_id":0,"trace":0}'
		id=5 slice Choreographer#doFrame 102 110
		id=6 utid=51 slice DrawFrames 109 118
		id=7 token=8 slice Choreographer#doFrame 118 130
		id=8 upid=2 utid=60 process=other slice Choreographer#doFrame 102 140
		id=9 upid=2 utid=61 process=other slice DrawFrames 140 150
	} | of explain "$cause | .threads[] | [.role, .slice_id, .name, .dur_ns, .running_ns]" >got
	cat >wanted <<-'END'
		["main",5,"Choreographer#doFrame 7",8000000,null]
		["render",6,"DrawFrames 7",9000000,null]
	END
	same wanted got
}

@test "two processes that share a vsync id are explained by their own slices" {
	{
		id=1 upid=1 actual 102 120 && id=3 upid=2 process=other layer='"O#1"' actual 102 120
		id=5 slice Choreographer#doFrame 102 110
		id=8 upid=2 utid=60 process=other slice Choreographer#doFrame 102 140
	} | of explain '[.actual_id, .upid, [.threads[].slice_id]]' >got
	printf '%s\n' '[1,1,[5]]' '[3,2,[8]]' | same - got
}

@test "sched rows tell what a thread did meanwhile, cut to the slice, and what they do not tell" {
	{
		one_frame
		slice Choreographer#doFrame 102 120
		sched '"Running"' 90 104
		sched '"R"' 104 105
		sched '"Running"' 105 107
		sched '"R+"' 107 108
		sched '"S"' 108 111
		sched '"DK"' 111 112.5
		sched null 112.5 113
		sched '"Running"' 114 130
		utid=51 sched '"Running"' 90 200
	} >rows
	times="$cause | .threads[0] | [.dur_ns, .running_ns, .runnable_ns, .blocked_ns, .not_known_ns] | map(if . then . / 1e5 else . end)"
	is "$(of explain "$times" <rows)" '[180,100,20,45,15]'
	# A state that was never closed lasted nobody knows how long.
	sed 's/"ts":114000000,"dur":16000000/"ts":114000000,"dur":-1/' rows >in
	is "$(of explain "$times" <in)" '[180,40,20,45,75]'
	# Another thread's states, or those of another time, are none.
	grep -v '"sched".*"utid":50,' rows >in
	is "$(of explain "$times" <in)" '[180,null,null,null,null]'
	is "$(of explain "$cause | .unknown[] | select(.what == \"thread_states\").why" <in)" no_states_meanwhile
	grep -v '"type":"sched"' rows >in
	is "$(of explain "$cause | .unknown[] | select(.what == \"thread_states\").why" <in)" no_sched
}

@test "a slice that was never closed has no times" {
	{ one_frame && slice Choreographer#doFrame 102 open && sched '"Running"' 90 200; } |
		of explain "$cause | .threads[0] | [.dur_ns, .running_ns]" >got
	is "$(cat got)" '[null,null]'
}

@test "SurfaceFlinger's slices are those of the display frame" {
	{ one_frame && token=9 upid=99 process=surfaceflinger slice commit 124 126 && token=7 upid=99 process=surfaceflinger slice commit 60 61; } |
		of explain "$cause | .threads[] | [.role, .name]" >got
	is "$(cat got)" '["surfaceflinger","commit 9"]'
}

@test "client composition is told as the two data sources tell it" {
	{ of_trace && gpu=1 one_frame && its_buffer; } >rows
	composition="$cause | [.gpu_composition, .fallback_composition, .sf_gpu_composition]"
	is "$(of explain "$composition" <rows)" '[1,null,1]'
	is "$({ cat rows && event FallbackComposition 127; } | of explain "$composition")" '[1,1,1]'
}

@test "a path needs more than a name" {
	{ of_trace && one_frame && its_buffer; } >rows
	path="$cause | \"\(.path) \(.path_evidence | length)\""
	is "$(of explain "$path" <rows)" 'unknown 0'
	both() {
		slice Choreographer#doFrame 102 110
		slice DrawFrames 109 118
	}
	is "$({ cat rows && both; } | of explain "$path")" 'hwui_window 1'
	is "$({ cat rows && slice Choreographer#doFrame 102 110; } | of explain "$path")" 'unknown 1'
	is "$({ cat rows && upid=2 both; } | of explain "$path")" 'unknown 0'
	named() {
		sed "s/L#1/$1/" rows
	}
	is "$({ named 'SurfaceView[a]#1' && both; } | of explain "$path")" 'surface_view 2'
	for word in Camera:camera codec:video Game:game WebView:webview_overlay; do
		is "$(named "${word%:*}#1" | of explain "$path")" 'unknown 1'
		# The process draws, but not under this vsync id.
		is "$({ named "${word%:*}#1" && token=8 both; } | of explain "$path")" "${word#*:} 2"
	done
	is "$({ named com.game && both; } | of explain "$path")" 'hwui_window 2'
	is "$({ named Webview && both; } | of explain "$path")" 'unknown 2'
}

@test "the fence is read as the GPU's work only in a window" {
	{ of_trace && one_frame && its_buffer; } >rows
	reading="$cause | .stretches[] | select(.reading) | .name"
	unread="$cause | .unknown[] | select(.what == \"producer_fence\").why"
	is "$(of explain "$reading" <rows)" ''
	is "$(of explain "$unread" <rows)" path_is_no_window
	{ cat rows && slice Choreographer#doFrame 102 110 && slice DrawFrames 109 118; } >in
	is "$(of explain "$reading" <in)" producer_fence
	is "$(of explain "$unread" <in)" ''
}

@test "hints name what was not in the trace and would tell, and nothing that was" {
	hints="$cause | [.hints[].target]"
	is "$(one_frame | of explain "$hints")" '["FRAME_EVENTS","ATRACE","SCHED"]'
	{ of_trace && one_frame; } >rows
	is "$(of explain "$hints" <rows)" '["ATRACE","SCHED"]'
	{ cat rows && its_buffer && slice DrawFrames 109 118 && sched '"S"' 100 120; } >in
	is "$(of explain "$hints" <in)" '[]'
	{ of_trace true '' && one_frame; } >in
	is "$(of explain "$hints" <in)" '["FRAME_EVENTS","ATRACE","SCHED"]'
}

@test "a sentence says what was over and what the longest slice did, and of nothing that it caused it" {
	{ of_trace && rate && one_frame && its_buffer && slice Choreographer#doFrame 102 118 && sched '"Running"' 90 112 && sched '"R"' 112 130; } |
		of explain "$cause | .text" >got
	is "$(cat got)" "the platform says 'App Deadline Missed' and blames app; it began 2.000 ms late; it ended 4.000 ms past its expected end; over expectation: producer_hold by 2.000 ms, producer_fence by 2.000 ms; Choreographer#doFrame 7 took 16.000 ms (10.000 running, 6.000 runnable, 0.000 blocked)"
	is "$(jq -c "select(.type == \"jank_cause\") | $cause | .begin_delta_ms" got.out)" 2
}

@test "a sentence says what was late before: the frame's begin, and a stretch's" {
	# All but the fence's 2 ms went by before the frame began, and before it was queued.
	{ of_trace && rate && expected 100 116 && actual 108.5 126 && display 133 133 && buffer 118 120 122 126 133; } |
		of explain "$cause | .begin_delta_ms, .text" >got
	same - got <<-'END'
		8.5
		the platform says 'App Deadline Missed' and blames app; it began 8.500 ms late; it ended 10.000 ms past its expected end; over expectation: producer_hold by 2.000 ms, which began 2.000 ms past the end, producer_fence by 2.000 ms
	END
	# Not of one that began in time, or of which nobody knows.
	{ of_trace && rate && expected 100 116 && actual 99 120 && display 133 133; } | of explain "$cause | .begin_delta_ms, .text" >got
	is "$(head -n 1 got)" -1
	[[ $(<got) != *began* ]]
	{ of_trace && rate && actual 99 120 && display 133 133; } | of explain "$cause | .begin_delta_ms" >got
	is "$(<got)" null
}

@test "--app and --sf choose for match and explain" {
	{ of_trace && one_frame && its_buffer && upid=2 process=other layer='"O#1"' id=3 actual 102 120; } >rows
	is "$(of 'match --app other' .actual_id <rows)" 3
	is "$(of 'explain --app com.example' .actual_id <rows)" 1
	for mode in match explain; do
		tool got.out tc-jank $mode --sf upid=1 rows
		ended 2
		diagnosed usage '--sf upid=1 has no display frames' 2
	done
}

# ---- both, on bad and large input ----

@test "times at the ends of 64 bits, open rows and repetitions break nothing" {
	local t=(0 1 -1 9223372036854775807 -9223372036854775807 null 5)
	{
		of_trace && rate
		for a in "${t[@]}"; do
			for b in "${t[@]}"; do
				{ one_frame && its_buffer && phase app_hold 105 118 && phase latch_to_present 126 133; } |
					sed -E "s/\"ts\":[0-9]+,\"dur\":-?[0-9]+/\"ts\":$a,\"dur\":$b/"
				{ slice Choreographer#doFrame 1 2 && slice DrawFrames 1 2 && sched '"R"' 1 2 && token=9 upid=99 slice commit 1 2; } |
					sed -E "s/\"ts\":[0-9]+,\"dur\":-?[0-9]+/\"ts\":$b,\"dur\":$a/"
			done
		done
	} >rows
	for mode in match explain 'phases --missing'; do
		tool got.out tc-jank $mode rows
		ended 0
		[ "$(wc -l <got.out)" -gt 40 ]
	done
}

@test "empty input is an empty answer in each mode" {
	for mode in match explain 'phases --missing'; do
		tool got.out tc-jank $mode </dev/null
		ended 0
		silent
		framed 0 got.out
	done
}

# many N: as many frames of one token, each over all buffers, slices and states.
many() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) {
			printf "{\"type\":\"actual_frame\",\"id\":%d,\"ts\":1,\"dur\":9000000,\"upid\":1,\"pid\":1,\"process\":\"p\",\"surface_frame_token\":7,\"display_frame_token\":9,\"layer_name\":\"L\",\"present_type\":\"Late Present\",\"on_time_finish\":0,\"jank_type\":\"App Deadline Missed\",\"jank_mask\":64,\"machine_id\":0,\"trace\":0}\n", i
			printf "{\"type\":\"phase\",\"id\":%d,\"ts\":%d,\"dur\":8000000,\"phase\":\"app_hold\",\"track\":\"APP_1 L\",\"buffer_id\":1,\"layer_name\":\"L\",\"frame_number\":%d,\"machine_id\":0,\"trace\":0}\n", i, i, i + 1
			printf "{\"type\":\"slice\",\"id\":%d,\"ts\":1,\"dur\":8000000,\"kind\":\"thread\",\"upid\":1,\"utid\":1,\"pid\":1,\"tid\":1,\"name\":\"DrawFrames 7\",\"vsync_id\":7,\"machine_id\":0,\"trace\":0}\n", i
			printf "{\"type\":\"sched\",\"ts\":%d,\"dur\":10,\"utid\":1,\"tid\":1,\"pid\":1,\"state\":\"R\",\"machine_id\":0,\"trace\":0}\n", i * 10
		}
	}'
}

@test "many frames that all overlap everything take time that grows with their number" {
	many 20000 >rows
	for mode in match explain 'phases --missing'; do
		run --separate-stderr timeout 60 sh -c "tc-jank $mode rows | tail -n 1"
		ended 0
		is "$(jq -c '[.type, .status]' <<<"$output")" '["end",0]'
	done
}

@test "on a made-up phone nearly every frame has one buffer, and every jank an explanation" {
	mkscene -s 3 | tc-import >rows
	tc-jank match rows >match.out
	is "$(jq -r 'select(.type == "jank_match").confidence' match.out | sort | uniq -c | awk '$2 == "high" { print ($1 > 150) }')" 1
	is "$(jq -r 'select(.type == "jank_match" and .confidence != "high" and .confidence != "medium").actual_id' match.out)" ''
	tc-jank explain rows >explain.out
	jq -r 'select(.type == "jank_cause") | "\(.actual_id) \(.jank_type)"' explain.out | sort >got
	jq -r 'select(.type == "actual_frame" and .surface_frame_token != null and .jank_type != "None") | "\(.id) \(.jank_type)"' rows | sort | same - got
	is "$(jq -r 'select(.type == "jank_cause" and .buffer_id == null).actual_id' explain.out)" ''
}

@test "why-late.sh lists what is known of late frames and what would tell more" {
	mkscene -s 3 >t.pftrace
	"$ROOT/examples/why-late.sh" t.pftrace com.example.app >got
	# A locale in which a point is none of a fraction changes nothing.
	LC_ALL=de_DE.UTF-8 "$ROOT/examples/why-late.sh" t.pftrace com.example.app >german
	same got german
	[ "$(grep -c 'the platform says' got)" -gt 5 ]
	is "$(awk -F '\t' 'NF == 3 { print $2 }' got | tr '\n' ' ')" 'ATRACE SCHED '
	run --separate-stderr "$ROOT/examples/why-late.sh" missing
	[ "$status" -ne 0 ]
	run --separate-stderr "$ROOT/examples/why-late.sh"
	[ "$status" -ne 0 ]
	has "$stderr" usage
}
