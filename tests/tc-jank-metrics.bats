load helper

# app ID TOKEN TS DUR [DISPLAY]: an actual frame of the app. Variables say what differs.
app() {
	printf '{"type":"actual_frame","id":%s,"ts":%s,"dur":%s,"upid":%s,"pid":%s,"process":"%s","name":"%s","surface_frame_token":%s,"display_frame_token":%s,"layer_name":%s,"machine_id":0,"present_type":"%s","on_time_finish":1,"gpu_composition":0,"jank_type":"%s","jank_mask":1,"jank_tag":%s,"jank_severity_type":"Unknown","jank_score":%s,"prediction_type":"Valid Prediction","is_buffer":"Yes","trace":%s}\n' \
		"$1" "$3" "$4" "${upid-1}" "${pid-1000}" "${process-com.example}" "$2" "$2" "${5-$2}" "${layer-\"L#7\"}" \
		"${present-On-time Present}" "${type-None}" "${tag-\"No Jank\"}" "${score-null}" "${trace-0}"
}

# wants ID TOKEN TS DUR: its expectation.
wants() {
	printf '{"type":"expected_frame","id":%s,"ts":%s,"dur":%s,"upid":%s,"pid":%s,"process":"%s","name":"%s","surface_frame_token":%s,"display_frame_token":%s,"layer_name":"L#7","machine_id":0,"trace":%s}\n' \
		"$1" "$3" "$4" "${upid-1}" "${pid-1000}" "${process-com.example}" "$2" "$2" "$2" "${trace-0}"
}

# shown ID TOKEN TS DUR, and due ID TOKEN TS DUR: a display frame, and its expectation.
shown() {
	printf '{"type":"actual_frame","id":%s,"ts":%s,"dur":%s,"upid":9,"pid":900,"process":"/system/bin/surfaceflinger","name":"%s","surface_frame_token":null,"display_frame_token":%s,"layer_name":null,"machine_id":0,"present_type":"On-time Present","on_time_finish":1,"gpu_composition":0,"jank_type":"None","jank_mask":1,"jank_tag":"No Jank","jank_severity_type":"Unknown","jank_score":0,"prediction_type":"Valid Prediction","trace":%s}\n' \
		"$1" "$3" "$4" "$2" "$2" "${trace-0}"
}

due() {
	printf '{"type":"expected_frame","id":%s,"ts":%s,"dur":%s,"upid":9,"pid":900,"process":"/system/bin/surfaceflinger","name":"%s","surface_frame_token":null,"display_frame_token":%s,"layer_name":null,"machine_id":0,"trace":%s}\n' \
		"$1" "$3" "$4" "$2" "$2" "${trace-0}"
}

# rate TS DUR PERIOD
rate() {
	printf '{"type":"refresh_rate","ts":%s,"dur":%s,"period_ns":%s,"source":"expected_display_frames","machine_id":0,"trace":%s}\n' \
		"$1" "$2" "$3" "${trace-0}"
}

# slice ID TS DUR TID THREAD NAME [ID]; async and instant ID TS DUR NAME.
slice() {
	printf '{"type":"slice","id":%s,"ts":%s,"dur":%s,"kind":"thread","track":null,"parent_id":null,"depth":0,"upid":%s,"utid":%s,"pid":%s,"tid":%s,"process":"%s","thread":"%s","name":"%s"%s,"machine_id":0,"trace":0}\n' \
		"$1" "$2" "$3" "${upid-1}" "$4" "${pid-1000}" "$4" "${process-com.example}" "$5" "$6${7+ $7}" "${7+,\"vsync_id\":$7}"
}

ui() {
	slice "$1" "$3" "$4" "${pid-1000}" main 'Choreographer#doFrame' ${2:+"$2"}
}

draw() {
	slice "$1" "$3" "$4" "$((${pid-1000} + 7))" RenderThread DrawFrames ${2:+"$2"}
}

mark() {
	printf '{"type":"slice","id":%s,"ts":%s,"dur":%s,"kind":"%s","track":null,"parent_id":null,"depth":0,"upid":%s,"utid":%s,"pid":%s,"tid":%s,"process":"%s","thread":null,"name":"%s","machine_id":0,"trace":0}\n' \
		"$1" "$2" "$3" "$4" "${upid-1}" "${utid-null}" "${pid-1000}" "${utid-null}" "${process-com.example}" "$5"
}

# images MS...: an app whose images are so far apart, each of them begun 12 ms before it
# is shown and drawn in 8, with display frames that end when they should.
images() {
	local i=1 t=1000000000 gap

	for gap in 0 "$@"; do
		t=$((t + $(awk "BEGIN { printf \"%d\", $gap * 1000000 + 0.5 }")))
		wants $i $i $((t - 12000000)) 10000000
		app $i $i $((t - 12000000)) 8000000
		due $((1000 + i)) $i $((t - 4000000)) 4000000
		shown $((1000 + i)) $i $((t - 4000000)) 4000000
		i=$((i + 1))
	done
}

# metrics FILE [OPTION...]
metrics() {
	tool got.out tc-jank metrics "${@:2}" "$1"
	ended 0
	silent
}

# number METRIC [FIELD]: its value, or why it has none.
number() {
	only jank_metric got.out | jq -r --arg m "$1" --arg f "${2-value}" 'select(.metric == $m) | .reason // .[$f]'
}

# numbers METRIC...: each as METRIC=VALUE, in one line.
numbers() {
	local m

	for m in "$@"; do
		printf '%s=%s ' "$m" "$(number "$m" | tr '\n' ',')"
	done | sed 's/,//g; s/ $//'
}

# ---- what is shown ----

@test "PerfDog's jank, big jank and stutter come to what is known for five cases" {
	judged() {
		images "$@" >in
		metrics in
		numbers perfdog_jank_83 perfdog_jank_84 perfdog_big_jank
	}
	is "$(judged 16.7 16.7 16.7 90)" 'perfdog_jank_83=1 perfdog_jank_84=1 perfdog_big_jank=0'
	is "$(judged 16.7 16.7 16.7 130)" 'perfdog_jank_83=1 perfdog_jank_84=1 perfdog_big_jank=1'
	is "$(judged 45 45 45 130)" 'perfdog_jank_83=1 perfdog_jank_84=1 perfdog_big_jank=1'
	is "$(judged 30 30 30 83.5)" 'perfdog_jank_83=1 perfdog_jank_84=0 perfdog_big_jank=0'
	is "$(judged 60 60 60 119)" 'perfdog_jank_83=0 perfdog_jank_84=0 perfdog_big_jank=0'
}

@test "PerfDog's limits are exact to the nanosecond, and a jank frame enters the mean" {
	images 30 30 30 83.333333 >in
	metrics in
	is "$(number perfdog_jank_83)" 0
	images 30 30 30 83.333334 >in
	metrics in
	is "$(number perfdog_jank_83)" 1
	# Twice the mean, and not more.
	images 50 50 50 100 >in
	metrics in
	is "$(number perfdog_jank_83)" 0
	images 50 50 50 100.000001 >in
	metrics in
	is "$(number perfdog_jank_83)" 1
	# The mean is 30 + 30 + 130, so that 126 is not twice as much.
	images 30 30 30 130 126 >in
	metrics in
	is "$(numbers perfdog_jank_83 perfdog_big_jank)" 'perfdog_jank_83=1 perfdog_big_jank=1'
	is "$(number perfdog_jank_83 samples)" 2
	is "$(number perfdog_stutter_83 num)/$(number perfdog_stutter_83 den)" 130000000/346000000
}

@test "fewer than four intervals are not judged, and that is not a zero" {
	images 16.7 16.7 90 >in
	metrics in
	is "$(numbers perfdog_jank_83 perfdog_jank_84 perfdog_big_jank perfdog_stutter_83 perfdog_stutter_84)" \
		'perfdog_jank_83=too_few_images perfdog_jank_84=too_few_images perfdog_big_jank=too_few_images perfdog_stutter_83=too_few_images perfdog_stutter_84=too_few_images'
	is "$(number images) $(number fps samples)" '4 3'
}

@test "several frames that one display frame shows are one image" {
	{
		images 16 16 16 16
		# Again, begun later, for the display frame of the third.
		app 50 50 1030000000 1000000 3
	} >in
	metrics in
	is "$(number images) $(number frames)" '5 6'
	is "$(number present_interval p50) $(number present_interval max)" '16 16'
}

@test "frames with no display frame, or with two, or that were dropped, are no images" {
	{
		images 16 16 16
		app 50 50 1060000000 1000000 777
		app 51 51 1060000000 1000000 0
		present='Dropped Frame' app 52 52 1060000000 1000000 60
		shown 2001 60 1060000000 5000000
		app 53 53 1060000000 1000000 61
		shown 2002 61 1060000000 6000000
		shown 2003 61 1060000000 7000000
		app 54 54 1060000000 1000000 62
		shown 2004 62 1060000000 -1
	} >in
	metrics in
	is "$(number images) $(number frames)" '4 9'
}

@test "idle is what went by before a frame began, and a long frame is not idle" {
	# 500 ms between images, for the first 488 of which there was no frame.
	images 20 20 500 20 >in
	metrics in
	is "$(numbers idle_time active_time)" 'idle_time=488 active_time=72'
	is "$(number fps num)/$(number fps den)" 4/72000000
	{
		images 20 20
		wants 50 50 1039000000 10000000
		app 50 50 1041000000 490000000
		shown 2050 50 1536000000 4000000
	} >in
	metrics in
	is "$(numbers idle_time active_time)" 'idle_time=0 active_time=540'
	# It is late with its doFrame, and was due all the time.
	{
		images 20 20
		wants 50 50 1041000000 10000000
		app 50 50 1530000000 8000000
		shown 2050 50 1536000000 4000000
	} >in
	metrics in
	is "$(numbers idle_time active_time)" 'idle_time=1 active_time=539'
}

@test "fps over windows counts full seconds that were not idle" {
	# Two seconds at 50, one at 10, a rest, and a pause.
	images $(yes 20 | head -n 100) $(yes 50 | head -n 20) 300 20 20 >in
	metrics in
	is "$(only jank_metric got.out | jq -c 'select(.metric == "fps_window") | [.samples, .min, .p1, .p50, .max, .unit]')" \
		'[3,20,20,50,50,"fps"]'
	images $(yes 20 | head -n 49) >in
	metrics in
	is "$(number fps_window)" too_short
	images $(yes 20 | head -n 50) >in
	metrics in
	is "$(number fps_window p50)" 50
}

@test "a hitch is how much later than expected an image is, however little" {
	{
		images 20 20 20
		i=0
		for late in 2000000 2000001 50000000; do
			i=$((i + 1))
			app $((50 + i)) $((50 + i)) $((1060000000 + i * 20000000)) 8000000
			due $((1050 + i)) $((50 + i)) $((1068000000 + i * 20000000)) 4000000
			shown $((1050 + i)) $((50 + i)) $((1068000000 + i * 20000000)) $((4000000 + late))
		done
	} >in
	metrics in
	is "$(number hitch_time num)" 54000001
	is "$(only jank_metric got.out | jq -c 'select(.metric == "hitch_time_ratio") | [.definition, .unit, .num, .den, .value == .num * 1000 / .den]')" \
		'["apple_analogue","ms_per_s",54000001,176000001,true]'
}

# ---- against the refresh rate ----

@test "frames of 10 ms are all late at 120 Hz and none is at 60" {
	for period in 8333333 16666667; do
		rate 0 9000000000 $period
		for i in $(seq 1 20); do
			app $i $i $((i * 20000000)) 10000000
		done
	done >both
	head -n 21 both >in
	metrics in
	is "$(numbers over_period_frames over_period_rate)" 'over_period_frames=20 over_period_rate=100'
	is "$(only jank_metric got.out | jq -c '[.rate_hz, .period_ns, .ts, .dur]' | sort -u)" '[120,8333333,0,9000000000]'
	tail -n 21 both >in
	metrics in
	is "$(numbers over_period_frames over_period_rate)" 'over_period_frames=0 over_period_rate=0'
}

@test "a steady cadence of 17.06 ms is as smooth as can be on a panel of 58.6 Hz" {
	{
		rate 0 9000000000 17064846
		images $(yes 17.06 | head -n 60)
	} >in
	metrics in
	is "$(number smooth_rate) $(number smooth_rate samples)" '100 60'
	is "$(numbers over_period_frames perfdog_jank_83 hitch_time)" 'over_period_frames=0 perfdog_jank_83=0 hitch_time=0'
	is "$(number fps_window p50)" 58
}

@test "an interval that rounds to two periods is not smooth" {
	{
		rate 0 9000000000 16000000
		images 16 23.9 24 32 8
	} >in
	metrics in
	is "$(number smooth_rate num)/$(number smooth_rate den)" 3/5
	# Nor is one that rounds to none.
	{
		rate 0 9000000000 16000000
		images 16 7.9 8 4
	} >in
	metrics in
	is "$(number smooth_rate num)/$(number smooth_rate den)" 2/4
}

@test "without a refresh rate what hangs on it is unknown, and nothing else" {
	images 16.7 16.7 16.7 16.7 >in
	metrics in
	unknown='matrix_dropped_frames over_period_frames over_period_rate smooth_rate'
	is "$(only jank_metric got.out | jq -r 'select(.reason == "unknown_rate") | .metric' | sort | tr '\n' ' ')" "$unknown "
	is "$(only jank_metric got.out | jq -c 'select(.reason == "unknown_rate") | [.value, .num, .den, .samples]' | sort -u)" \
		'[null,null,null,0]'
	{
		rate 0 9000000000 null
		cat in
	} >unsure
	metrics unsure
	is "$(only jank_metric got.out | jq -r 'select(.reason == "unknown_rate") | .metric' | sort | tr '\n' ' ')" "$unknown "
	is "$(only jank_metric got.out | jq -c 'select(.metric == "frames") | [.rate_hz, .ts, .dur]')" '[null,0,9000000000]'
}

@test "variable rates split the numbers, and a frame belongs where it begins" {
	{
		rate 0 100 10
		rate 100 100 20
		rate 200 100 null
		app 1 1 0 15
		app 2 2 99 15
		app 3 3 100 15
		app 4 4 200 15
		app 5 5 300 15
		app 6 6 400 15
	} >in
	metrics in
	is "$(only jank_metric got.out | jq -c 'select(.metric | test("^(frames|over_period_frames)$")) | [.metric, .ts, .dur, .period_ns, .rate_hz, .value, .reason]')" \
		'["frames",null,null,null,null,2,null]
["over_period_frames",null,null,null,null,null,"unknown_rate"]
["frames",0,100,10,100000000,2,null]
["over_period_frames",0,100,10,100000000,2,null]
["frames",100,100,20,50000000,1,null]
["over_period_frames",100,100,20,50000000,0,null]
["frames",200,100,null,null,1,null]
["over_period_frames",200,100,null,null,null,"unknown_rate"]'
}

@test "a frame that begins where no rate is known yet belongs where it is shown, or should be" {
	spans() {
		metrics in
		only jank_metric got.out | jq -r 'select(.metric | test("^(frames|perfetto_frames|frame_count)$")) | "\(.metric) \(.rate_hz) \(.value)"' | sort >got
	}
	local t=1000000000

	# Frame 1 begins before the first expected display frame.
	{
		rate $((t + 10000000)) 100000000 16666667
		wants 1 1 $t 12000000
		app 1 1 $t 11000000
		ui 1 1 $t 3000000
		draw 2 1 $((t + 3000000)) 4000000
		due 1001 1 $((t + 20000000)) 4000000
		shown 1001 1 $((t + 20000000)) 4000000
		wants 2 2 $((t + 17000000)) 10000000
		app 2 2 $((t + 17000000)) 8000000
	} >in
	spans
	same - got <<-'END'
		frame_count 60 1
		frames 60 2
		perfetto_frames 60 2
	END
	is "$(only frame_metrics got.out | jq -c .period_ns | sort -u)" 16666667
	# Never shown: where it should have ended.
	grep -v '"upid":9,' in >shown && mv shown in
	spans
	is "$(sort -u got | tr '\n' ' ')" 'frame_count 60 1 frames 60 2 perfetto_frames 60 2 '
	# The rate that is known where a frame begins is its own, wherever it is shown.
	{ rate $((t - 1000)) 10001000 8333333; cat in; } >both && mv both in
	spans
	is "$(grep -w frames got | tr '\n' ' ')" 'frames 120 1 frames 60 1 '
	# Nothing is known of it anywhere.
	grep -v refresh_rate in >unsure && mv unsure in
	spans
	is "$(grep -w frames got)" 'frames null 2'
}

@test "JankStats wants more than twice what was expected, Matrix counts whole periods" {
	{
		rate 0 9000000000 10000000
		n=0
		for dur in 20000000 20000001 5000000 39999999; do
			n=$((n + 1))
			wants $n $n $((n * 100000000)) 8000000
			app $n $n $((n * 100000000 + 1)) $dur
		done
	} >in
	metrics in
	is "$(numbers jankstats_jank_frames matrix_dropped_frames)" 'jankstats_jank_frames=3 matrix_dropped_frames=8'
	# Where nothing was expected it is the period, and without that nothing is known.
	grep -v expected_frame in >bare
	metrics bare
	is "$(numbers jankstats_jank_frames jankstats_jank_rate)" 'jankstats_jank_frames=2 jankstats_jank_rate=50'
	grep -v refresh_rate in >rateless
	metrics rateless
	is "$(numbers jankstats_jank_frames jankstats_jank_rate)" 'jankstats_jank_frames=3 jankstats_jank_rate=75'
	grep -v refresh_rate bare >neither
	metrics neither
	is "$(numbers jankstats_jank_frames jankstats_jank_rate)" 'jankstats_jank_frames=unknown_rate jankstats_jank_rate=unknown_rate'
}

# ---- FrameTimeline's rows ----

@test "each tag has a count and a rate of its own" {
	n=0
	for tag in 'No Jank' 'Self Jank' 'Other Jank' 'Dropped Frame' 'Buffer Stuffing' 'SurfaceFlinger Stuffing' \
		'Non-perceivable Jank' Unspecified 'New Jank' null; do
		n=$((n + 1))
		[ "$tag" = null ] || tag="\"$tag\""
		for i in $(seq 1 $n); do
			app $((n * 100 + i)) $((n * 100 + i)) $((n * 100 + i)) 5
		done
	done >in
	metrics in
	is "$(numbers frames no_jank_frames self_jank_frames other_jank_frames dropped_frames buffer_stuffing_frames sf_stuffing_frames non_perceivable_frames unspecified_frames other_tag_frames)" \
		'frames=55 no_jank_frames=1 self_jank_frames=2 other_jank_frames=3 dropped_frames=4 buffer_stuffing_frames=5 sf_stuffing_frames=6 non_perceivable_frames=7 unspecified_frames=8 other_tag_frames=19'
	is "$(only jank_metric got.out | jq -c 'select(.metric == "sf_stuffing_rate") | [.num, .den, .scale, .value == 600 / 55]')" '[6,55,100,true]'
	# What the default mode calls janky: of the ten, those but 1, 7, 8 and none.
	is "$(number janky_frames)" $((2 + 3 + 4 + 5 + 6 + 9))
	tool janky.out tc-jank in
	is "$(only jank_frame janky.out | wc -l)" 29
}

@test "open, zero and invalid rows are counted apart and have no durations" {
	{
		app 1 1 100 -1
		app 2 2 100 -1
		app 3 3 100 0
		app 4 4 100 -7
		app 5 5 100 40000000
		present='Dropped Frame' app 6 6 100 50000000
	} >in
	metrics in
	is "$(numbers frames open_frames zero_frames invalid_frames unexpected_frames vitals_slow_frames)" \
		'frames=6 open_frames=2 zero_frames=1 invalid_frames=1 unexpected_frames=6 vitals_slow_frames=1'
	is "$(number timeline_duration samples) $(number timeline_duration max) $(number vitals_slow_rate den)" '1 40 1'
	head -n 4 in >none
	metrics none
	is "$(numbers timeline_duration timeline_overrun vitals_slow_rate vitals_frozen_frames)" \
		'timeline_duration=no_timed_frames timeline_overrun=no_timed_frames vitals_slow_rate=no_timed_frames vitals_frozen_frames=no_timed_frames'
}

@test "slow is over 16 ms and frozen is over 700" {
	n=0
	for dur in 16000000 16000001 700000000 700000001; do
		n=$((n + 1))
		app $n $n $((n * 1000)) $dur
	done >in
	metrics in
	is "$(numbers vitals_slow_frames vitals_slow_rate vitals_frozen_frames vitals_frozen_rate)" \
		'vitals_slow_frames=3 vitals_slow_rate=75 vitals_frozen_frames=1 vitals_frozen_rate=25'
}

@test "delay, overrun and duration have percentiles of the nearest rank" {
	for i in $(seq 1 200); do
		wants $i $i $((i * 1000000)) 1000000
		app $i $i $((i * 1000000 + i * 1000)) $((i * 10000))
	done >in
	metrics in
	of() {
		only jank_metric got.out | jq -c --arg m "$1" \
			'select(.metric == $m) | [.min, .p1, .p50, .p90, .p95, .p99, .max, .samples, .method, .unit, .value, .sketch] | map(if type == "number" then . * 1000 | round | . / 1000 else . end)'
	}
	is "$(of timeline_duration)" '[0.01,0.02,1,1.8,1.9,1.98,2,200,"nearest_rank","ms",null,null]'
	is "$(of timeline_delay)" '[0.001,0.002,0.1,0.18,0.19,0.198,0.2,200,"nearest_rank","ms",null,null]'
	is "$(of timeline_overrun)" '[-0.989,-0.978,0.1,0.98,1.09,1.178,1.2,200,"nearest_rank","ms",null,null]'
}

@test "an expected end of INT64_MAX gives no overrun, and a reason" {
	local n

	for n in '9223372036854775806 1' '100 9223372036854775707' '100 9223372036854775807' '0 9223372036854775807' '100 -1'; do
		{
			wants 1 1 ${n% *} ${n#* }
			app 1 1 100 50
		} >in
		metrics in
		is "$(number timeline_overrun)" no_expected_end
		is "$(only jank_metric got.out | jq -c 'select(.metric == "timeline_overrun") | [.value, .max, .samples]')" '[null,null,0]'
		is "$(only frame_metrics got.out | jq -c '[.overrun, .was_jank]')" '[null,null]'
		is "$(grep -c 922337203685477 got.out || true)" 0
	done
}

@test "a frame without expectation, or with two, has neither delay nor overrun" {
	{
		app 1 1 100 50
		app 2 2 100 50
		wants 1 2 90 50
		wants 2 2 90 50
	} >in
	metrics in
	is "$(numbers timeline_delay timeline_overrun unexpected_frames)" 'timeline_delay=no_expectation timeline_overrun=no_expectation unexpected_frames=2'
}

@test "each layer has its numbers, and one without a name too" {
	{
		layer='"B"' app 1 1 100 50
		layer='"A"' app 2 1 100 60
		layer=null app 3 1 100 70
		layer='"A"' app 4 2 200 60
	} >in
	metrics in
	is "$(only jank_metric got.out | jq -c 'select(.metric == "frames") | [.layer_name, .value]')" '[null,1]
["A",2]
["B",1]'
	# One token with three layers is one frame of the process.
	is "$(numbers perfetto_frames)" perfetto_frames=2
}

# ---- no frames ----

@test "without frames every number is unknown, and none is 0" {
	echo '{"type":"trace","path":"x","trace":0}' >in
	metrics in
	is "$(only jank_metric got.out | jq -c '[.value, .reason, .samples, .num, .process, .p50]' | sort -u)" '[null,"no_frames",0,null,null,null]'
	is "$(number fps)" no_frames
	is "$(only jank_metric got.out | jq -r 'select(.cuj) | .metric')" ''
	: >empty
	metrics empty
	is "$(between got.out)" ''
}

@test "a process that was asked for and has no frames is named" {
	{
		app 1 1 100 50
		echo '{"type":"process","upid":5,"pid":55,"name":"idle","uid":null,"package":null,"start_ts":null,"end_ts":null,"machine_id":0,"trace":0}'
	} >in
	tool got.out tc-jank metrics --app idle in
	ended 0
	is "$(only jank_metric got.out | jq -c '[.process, .pid, .value, .reason]' | sort -u)" '["idle",55,null,"no_frames"]'
	metrics in
	is "$(only jank_metric got.out | jq -c .process | sort -u)" '"com.example"'
}

# ---- Macrobenchmark ----

@test "Macrobenchmark's durations go from doFrame to DrawFrame, to actual and expected end" {
	{
		ui 1 7 1000 300
		draw 2 7 1250 400
		app 1 7 1040 500
		wants 1 7 1010 600
	} >in
	metrics in
	is "$(number frame_count) $(number frame_duration_cpu num)" '1 null'
	is "$(only jank_metric got.out | jq -c 'select(.definition == "macrobenchmark") | [.metric, (.p99 // .value) * (if .unit == "ms" then 1000000 else 1 end)]')" \
		'["frame_count",1]
["frame_duration_cpu",650]
["frame_duration_ui",300]
["frame_duration_full",640]
["frame_overrun",40]'
}

@test "Macrobenchmark takes the last unused actual frame, and its own expectation" {
	{
		# The first doFrame takes frame 2, which began last before it, the second 1.
		ui 1 20 1000000 300
		draw 2 20 1000100 400
		ui 3 21 1000600 200
		draw 4 21 1000700 300
		app 1 1 900 5000
		wants 1 1 900 1000
		app 2 2 1049999 5000
		wants 2 2 1049000 2000
	} >in
	metrics in
	# 1054999 - 1051000 of the first; and of the second, whose DrawFrame ends at 1001000,
	# less 1900.
	is "$(only jank_metric got.out | jq -c 'select(.metric == "frame_overrun") | [.samples, .min, .max] | map(if . < 2 then . * 1000000 | round else . end)')" '[2,3999,999100]'
	# It may begin less than 50 us after.
	sed 's/1049999/1050000/' in >late
	metrics late
	is "$(number frame_count)" 2
	sed 's/1049999/1050000/; s/1000600/999000/' in | sed 's/1000700/1000090/' >later
	metrics later
	is "$(number frame_count)" 1
}

@test "what lacks a part is no frame of Macrobenchmark's" {
	{
		ui 1 1 1000 300
		draw 2 1 1100 300
		app 1 1 1000 500
		wants 1 1 1000 600
		ui 3 2 3000 300
		app 2 2 3000 400
		wants 2 2 3000 400
		draw 4 3 5100 300
		app 3 3 5000 400
		wants 3 3 5000 400
		ui 5 4 7000 0
		draw 6 4 7100 300
		ui 7 5 8000 100
		draw 8 5 8100 -1
		slice 9 9000 100 1008 Worker 'Choreographer#doFrame' 6
		draw 10 6 9100 100
		ui 11 7 9500 100
		slice 12 9600 100 1009 Painter DrawFrames 7
	} >in
	metrics in
	is "$(number frame_count) $(number frame_duration_cpu samples)" '1 1'
}

@test "slices without ids are paired by time, without an overrun" {
	{
		ui 1 '' 1000 300
		draw 2 '' 1200 500
		draw 3 '' 1400 100
		ui 4 '' 2000 300
		draw 5 '' 2299 100
	} >in
	metrics in
	is "$(number frame_count) $(number frame_overrun) $(number frame_duration_full)" '2 no_expectation no_expectation'
	is "$(number frame_duration_cpu max) $(number frame_duration_cpu min)" '0.0007 0.000399'
	is "$(only frame_metrics got.out)" ''
}

@test "no slices is unknown, and so are slices that make no frame" {
	app 1 1 100 50 >in
	metrics in
	is "$(numbers frame_count frame_overrun perfetto_cpu_time)" 'frame_count=no_slices frame_overrun=no_slices perfetto_cpu_time=no_slices'
	ui 1 1 100 50 >>in
	metrics in
	is "$(numbers frame_count frame_overrun)" 'frame_count=no_whole_frames frame_overrun=no_whole_frames'
}

# ---- Perfetto's per-frame set ----

@test "a frame has Perfetto's times, over all its layers and slices" {
	{
		wants 1 7 1000 20000000
		layer='"A"' app 2 7 2000 30000000
		layer='"B"' app 1 7 3000 40000000
		ui 1 7 2100 11000000
		draw 2 7 9000000 5000000
		draw 3 7 15000000 4500000
		rate 0 9000000000 10000000
	} >in
	metrics in
	is "$(only frame_metrics got.out | jq -c 'del(.type, .machine_id, .trace)')" \
		'{"frame_id":7,"ts":2000,"dur":40000000,"upid":1,"pid":1000,"process":"com.example","overrun":20002000,"app_vsync_delay":1000,"cpu_time":20501000,"ui_time":11000000,"was_jank":1,"was_slow_frame":1,"was_big_jank":null,"was_huge_jank":null,"period_ns":10000000,"definition":"perfetto"}'
	is "$(numbers perfetto_jank_frames perfetto_slow_rate perfetto_big_jank_frames perfetto_huge_jank_rate)" \
		'perfetto_jank_frames=1 perfetto_slow_rate=100 perfetto_big_jank_frames=0 perfetto_huge_jank_rate=0'
}

@test "two processes that share a vsync id are two frames" {
	{
		wants 1 7 1000 10
		app 1 7 1000 50
		ui 1 7 1000 30000000
		draw 2 7 2000 100
		upid=2 pid=2000 process=other wants 2 7 500 5000
		upid=2 pid=2000 process=other app 2 7 600 50
		upid=2 pid=2000 process=other ui 3 7 1000 300
		upid=2 pid=2000 process=other draw 4 7 2000 200
	} >in
	metrics in
	is "$(only frame_metrics got.out | jq -c '[.upid, .frame_id, .overrun, .app_vsync_delay, .cpu_time, .ui_time, .was_jank, .was_slow_frame]')" \
		'[1,7,40,0,30000100,30000000,1,1]
[2,7,-4850,100,600,300,null,null]'
}

@test "without DrawFrame the render thread counts 5 ms, and what is open does not count" {
	{
		wants 1 1 1000 10
		app 1 1 1000 50
		ui 1 1 1000 300
		wants 2 2 2000 10
		app 2 2 2000 50
		ui 2 2 2000 300
		draw 3 2 2100 -1
		wants 3 3 3000 10
		app 3 3 3000 -1
		ui 4 3 3000 -1
		draw 5 3 3100 10
	} >in
	metrics in
	is "$(only frame_metrics got.out | jq -c '[.frame_id, .dur, .overrun, .cpu_time, .ui_time]')" '[1,50,40,5000300,300]
[2,50,40,null,300]
[3,null,null,null,null]'
	is "$(number perfetto_cpu_time samples) $(number perfetto_jank_rate den)" '1 2'
}

@test "ids 0 and -1 are no frames, and a doFrame that drew nothing is none" {
	{
		app 1 0 1000 50
		app 2 -1 1000 50
		ui 1 0 1000 50
		ui 2 5 1000 50
		ui 3 6 1000 50
		draw 4 6 1020 50
	} >in
	metrics in
	is "$(only frame_metrics got.out | jq -c '[.frame_id, .ts, .dur, .app_vsync_delay, .cpu_time]')" '[6,1000,70,null,null]'
}

# ---- interactions ----

# An interaction from 10000 on, and six frames: missed by the app, by SurfaceFlinger
# twice, by nobody, by both, dropped.
interaction() {
	mark 100 10000 10000000 async 'J<SCROLL>'
	type='App Deadline Missed' score=0.5 app 1 11 11000 50
	type='SurfaceFlinger Scheduling' score=0.25 app 2 12 12000 60
	type='Display HAL, Buffer Stuffing' score=-2 app 3 13 13000 70
	app 4 14 14000 80
	type='App Resynced Jitter, Prediction Error' score=1.000001 app 5 15 15000 90
	type='Dropped Frame' app 6 16 16000 10
	for i in 1 2 3 4 5 6; do
		ui $i 1$i 1${i}000 100
	done
}

cuj() {
	only jank_metric got.out | jq -rc 'select(.cuj) | "\(.metric)=\(.reason // (.p99 | if . then "\(. * 1000000 | round) ns" else null end) // .value)"' | sed 's/^cuj_//' | tr '\n' ' '
}

@test "an interaction has its frames, those missed, by whom, how badly, and in a row" {
	interaction >in
	metrics in
	is "$(cuj)" 'frames=6 missed_frames=4 missed_rate=66.66666666666667 missed_app_frames=2 missed_sf_frames=3 weighted_missed=3.750001 longest_missed_run=3 frame_duration=90 ns '
	is "$(only jank_metric got.out | jq -c 'select(.metric == "cuj_longest_missed_run") | [.cuj, .combine, .num, .ts, .dur, .process, .definition, .layer_name]')" \
		'["J<SCROLL>","max",3,10000,10000000,"com.example","perfetto_cuj",null]'
	is "$(number cuj_weighted_missed num)" 3750001
}

@test "of several layers any misses a vsync, and a noted layer is the only one" {
	{
		interaction
		layer='"Popup#8"' type='App Deadline Missed' score=3 app 7 14 14000 400
	} >in
	metrics in
	is "$(cuj)" 'frames=6 missed_frames=5 missed_rate=83.33333333333333 missed_app_frames=3 missed_sf_frames=3 weighted_missed=6.750001 longest_missed_run=5 frame_duration=400 ns '
	mark 101 10001 0 instant 'J<SCROLL>#FT#layerId#8' >>in
	metrics in
	is "$(cuj)" 'frames=1 missed_frames=1 missed_rate=100 missed_app_frames=1 missed_sf_frames=0 weighted_missed=3 longest_missed_run=1 frame_duration=400 ns '
}

@test "noted vsync ids bound an interaction, and its UI thread says which doFrames are its" {
	interaction >in
	{
		cat in
		mark 101 10001 0 instant 'J<SCROLL>#FT#beginVsync#12'
		mark 102 10002 0 instant 'J<SCROLL>#FT#endVsync#14'
		mark 103 10003 0 instant 'J<OTHER>#FT#endVsync#11'
	} >noted
	metrics noted
	is "$(cuj)" 'frames=3 missed_frames=2 missed_rate=66.66666666666667 missed_app_frames=0 missed_sf_frames=2 weighted_missed=2.25 longest_missed_run=2 frame_duration=80 ns '
	{
		cat in
		utid=1008 mark 101 10001 0 instant 'J<SCROLL>#UIThread'
		slice 200 15000 100 1008 Worker 'Choreographer#doFrame' 15
		slice 201 16000 100 1008 Worker 'Choreographer#doFrame' 16
	} >threaded
	metrics threaded
	is "$(cuj)" 'frames=2 missed_frames=1 missed_rate=50 missed_app_frames=1 missed_sf_frames=1 weighted_missed=1.000001 longest_missed_run=1 frame_duration=90 ns '
	grep -v doFrame in >blind
	metrics blind
	is "$(number cuj_frames)" no_vsync_range
	is "$(number cuj_longest_missed_run)" no_vsync_range
}

@test "cancelled interactions do not count, nor short ones without a note of their end" {
	interaction >in
	{
		cat in
		mark 101 10500 0 instant 'J<SCROLL>#FT#cancel#3'
	} >cancelled
	metrics cancelled
	is "$(cuj)" ''
	sed '1s/"dur":10000000/"dur":4000000/' in >short
	metrics short
	is "$(cuj)" ''
	sed '1s/"dur":10000000/"dur":4000001/' in >just
	metrics just
	is "$(number cuj_frames)" 6
	mark 101 10500 0 instant 'J<SCROLL>#FT#end#0' >>short
	metrics short
	is "$(number cuj_frames)" 6
	sed '1s/"dur":10000000/"dur":-1/' in >open
	metrics open
	is "$(cuj)" ''
}

@test "a missed frame without a score makes the weighted sum unknown, and no other" {
	interaction | sed 's/"jank_score":0.25/"jank_score":null/' >in
	metrics in
	is "$(numbers cuj_missed_frames cuj_weighted_missed)" 'cuj_missed_frames=4 cuj_weighted_missed=no_score'
}

@test "an interaction has no frames of another process" {
	{
		interaction
		upid=2 pid=2000 process=other type='App Deadline Missed' app 9 14 14000 900
	} >in
	metrics in
	is "$(number cuj_missed_app_frames)" 2
}

# ---- scenes ----

marker() {
	printf '{"type":"marker","ts":%s,"dur":%s,"name":"m","scenario":"%s","repetition":%s,"trace":0}\n' "$@"
}

@test "each repetition of a scenario has its numbers, and one without frames says so" {
	{
		marker 1000 1000 scroll 1
		marker 2000 1000 scroll 2
		marker 9000 1000 scroll 3
		app 1 1 1000 50
		app 2 2 1500 50
		app 3 3 2000 50
		app 4 4 4000 50
	} >in
	metrics in
	is "$(only jank_metric got.out | jq -c 'select(.metric == "frames") | [.scenario, .repetition, .value, .reason, .process, .ts, .dur]')" \
		'["scroll",1,2,null,"com.example",1000,1000]
["scroll",2,1,null,"com.example",2000,1000]
["scroll",3,null,"no_frames",null,9000,1000]'
	is "$(only frame_metrics got.out | jq -c '[.frame_id, .scenario, .repetition]')" '[1,"scroll",1]
[2,"scroll",1]
[3,"scroll",2]'
}

@test "intervals do not reach from one repetition into the next" {
	{
		marker 0 1050000000 scroll 1
		marker 1050000000 9000000000 scroll 2
		images 20 20 20 20 90 20
	} >in
	metrics in
	is "$(only jank_metric got.out | jq -c 'select(.metric | test("^(images|active_time)$")) | [.repetition, .metric, .value]')" \
		'[1,"images",4]
[1,"active_time",60]
[2,"images",3]
[2,"active_time",32]'
}

@test "with --edge clip a duration is what lies in the scene, and moments stay" {
	{
		marker 1000 1000 scroll 1
		wants 1 1 900 200
		app 1 1 900 300
		app 2 2 1900 400
	} >in
	metrics in --edge clip
	is "$(only jank_metric got.out | jq -c 'select(.metric | test("^timeline")) | [.metric, .min * 1000000, .max * 1000000]')" \
		'["timeline_duration",100,200]
["timeline_delay",0,0]
["timeline_overrun",100,100]'
}

@test "a row of no length and the frame that it is count in the same scene" {
	{
		marker 1000 1000 scroll 1
		app 1 1 1500 0
	} >in
	for edge in start-in end-in both clip; do
		metrics in --edge $edge
		is "$(numbers frames perfetto_frames)" 'frames=1 perfetto_frames=1'
		is "$(only frame_metrics got.out | jq -c '[.frame_id, .dur, .scenario]')" '[1,0,"scroll"]'
	done
}

# ---- combining ----

@test "--sketch counts by bucket, and percentiles are off by no more than it says" {
	for i in $(seq 1 500); do
		app $i $i $((i * 1000)) $((i * i * 1237))
	done >in
	metrics in
	only jank_metric got.out | jq -c 'select(.metric == "timeline_duration") | [.min, .p1, .p50, .p90, .p95, .p99, .max]' >exact
	metrics in --sketch
	is "$(only jank_metric got.out | jq -c 'select(.metric == "timeline_duration") | [.method, .sketch.error, .scale * 1000000, (.sketch.buckets | map(.[1]) | add)]')" \
		'["sketch",0.0078125,1,500]'
	is "$(only jank_metric got.out | jq -c --slurpfile e exact 'select(.metric == "timeline_duration") | [.min, .p1, .p50, .p90, .p95, .p99, .max] as $g
		| [range(7) | (($g[.] - $e[0][.]) / $e[0][.]) | fabs <= 0.0078125] | unique')" '[true]'
	is "$(only jank_metric got.out | jq -r 'select(.combine == "distribution" and .samples > 0 and (.sketch | not)) | .metric')" ''
}

@test "a number is what it was made of, times its scale" {
	{
		rate 0 9000000000 16666667
		images $(yes 16.7 | head -n 80)
		interaction
	} >in
	metrics in
	is "$(only jank_metric got.out | jq -r 'select(.combine == "ratio" or .combine == "sum" or .combine == "max") | select(.value != null)
		| select(((.num * .scale / (.den // 1)) - .value) | fabs > 1e-9) | .metric')" ''
	is "$(only jank_metric got.out | jq -c 'select(.value != null and (.combine == "ratio") != (.den != null)) | .metric')" ''
	is "$(only jank_metric got.out | jq -c 'select(.num and (.num | floor != .)) | .metric')" ''
}

@test "merged with nothing else, numbers are what they were" {
	{
		rate 0 9000000000 16666667
		images $(yes 16.7 | head -n 80)
		interaction
	} >in
	metrics in --sketch
	figures() {
		only jank_metric "$1" | jq -c '[.metric, .definition, .value, .reason, .samples, .num, .den, .scale, .min, .p1, .p50, .p90, .p95, .p99, .max,
			.sketch, .process, ((.layer_name // "") | sub("#[0-9]+$"; "")), .cuj, .rate_hz]' | sort
	}
	figures got.out >wanted
	tool merged.out tc-jank merge got.out
	ended 0
	figures merged.out | same wanted -
}

@test "the order of lines makes no difference" {
	{
		rate 0 1050000000 16666667
		rate 1050000000 9000000000 8333333
		images 16 16 30 90 16 16 16 400 16
		interaction
		layer='"B#1"' app 90 90 1000000000 50
		layer='"A#1"' app 91 91 1000000000 50
		layer='"C#1"' app 92 91 1000000000 50
		for i in 3 2 1; do
			draw 30$i $i $((1000000000 + i)) 100
			ui 31$i $i $((1000000000 + i - 50)) 100
		done
	} >in
	metrics in
	between got.out >wanted
	[ "$(wc -l <wanted)" -gt 300 ]
	for seed in 1 2 3; do
		shuf --random-source=<(yes $seed) in >shuffled
		metrics shuffled
		between got.out | cmp wanted
	done
}

@test "fleet.sh makes one of many traces, however many at a time, and fails when one does" {
	for seed in 1 2 3; do
		mkscene -s 2 -S $seed >$seed.pftrace
	done
	"$ROOT/examples/fleet.sh" 1.pftrace 2.pftrace 3.pftrace >together.out
	JOBS=1 "$ROOT/examples/fleet.sh" 3.pftrace 1.pftrace 2.pftrace >apart.out
	cmp together.out apart.out
	is "$(jq -r 'select(.metric == "frames" and .rate_hz and (.layer_name | contains("MainActivity"))) | .runs' together.out)" 3
	for seed in 1 2 3; do
		tc-import $seed.pftrace | tc-jank stats
	done | jq -s 'map(select(.type == "jank_stats").surface_frame_rows) | add' >rows
	is "$(jq -s 'map(select(.metric == "frames").value) | add' together.out)" "$(<rows)"
	run --separate-stderr "$ROOT/examples/fleet.sh" 1.pftrace missing
	[ "$status" -ne 0 ]
	# Nor is one left out silently whose numbers could not be kept.
	mkdir full
	printf '#!/bin/sh\ncase $* in */1.all) exit 2 ;; esac\nexec %s "$@"\n' "$(command -v grep)" >full/grep
	chmod +x full/grep
	PATH=$PWD/full:$PATH run --separate-stderr "$ROOT/examples/fleet.sh" 1.pftrace 2.pftrace
	[ "$status" -ne 0 ]
	is "$output" ''
	run --separate-stderr "$ROOT/examples/fleet.sh"
	ended 2
}

# ---- what every mode does ----

@test "the manual has every metric with its definition, and no other" {
	{
		rate 0 9000000000 16666667
		interaction
		echo '{"type":"trace","path":"x","trace":1}'
	} >in
	metrics in
	only jank_metric got.out | jq -r '"\(.metric) \(.definition)"' | sort -u >got
	sed -n '/^\.Sh METRICS/,/^\.Sh SCENES/p' "$ROOT/man/tc-jank.1" | grep '^\.It Li .* Pq ' |
		sed 's/^\.It Li //' | awk '{
			n = split($0, part, / , Li /)
			for (i = 1; i <= n; i++) {
				split(part[i], side, / Pq /)
				m = split(side[1], name, / , /)
				for (k = 1; k <= m; k++) print name[k], side[2]
			}
		}' | sort -u >wanted
	same wanted got
}

@test "--sketch is for metrics alone" {
	for mode in frames stats display phases ''; do
		tool got.out tc-jank --sketch $mode </dev/null
		ended 2
		diagnosed usage "--sketch: not with ${mode:-the default mode}"
	done
}

@test "numbers that have no place are unknown, and nothing hangs" {
	local max=9223372036854775807 min=-9223372036854775807

	{
		rate $min 5 1
		rate 0 $max 1
		rate 7 0 $max
		rate 7 -1 $min
		app 1 1 $min $max
		app 2 2 $max $max
		app 3 3 0 $max
		app 4 4 $max 1
		app 5 $max 5 $max
		app 6 $min 5 $min
		wants 1 1 $max $max
		wants 2 2 $min $max
		wants 3 3 $min 1
		shown 101 1 $min 1
		shown 102 2 0 $max
		shown 103 3 $min $max
		due 101 1 $max $max
		due 103 3 $min 1
		ui 1 1 $min $max
		draw 2 1 $max $max
		ui 3 3 $min 1
		draw 4 3 0 $max
		mark 5 $min $max async 'J<X>'
		mark 6 0 0 instant 'J<X>#FT#beginVsync#99999999999999999999999'
		mark 7 0 0 instant 'J<X>#FT#endVsync#9223372036854775807'
		mark 8 0 0 instant 'J<X>#'
		mark 9 0 0 instant 'J<'
	} >in
	metrics in
	metrics in --sketch
	metrics in --edge clip
	metrics in --edge both
}

@test "many interactions over the same frames are given up, and quickly" {
	{
		seq 1 3000 | awk '{ printf "{\"type\":\"slice\",\"id\":%d,\"ts\":%d,\"dur\":1000000000,\"kind\":\"async\",\"track\":null,\"parent_id\":null,\"depth\":0,\"upid\":1,\"utid\":null,\"pid\":1000,\"tid\":null,\"process\":\"com.example\",\"thread\":null,\"name\":\"J<%d>\",\"machine_id\":0,\"trace\":0}\n", $1, $1, $1 }'
		seq 1 3000 | awk '{ printf "{\"type\":\"slice\",\"id\":%d,\"ts\":%d,\"dur\":5,\"kind\":\"thread\",\"track\":null,\"parent_id\":null,\"depth\":0,\"upid\":1,\"utid\":1,\"pid\":1000,\"tid\":1000,\"process\":\"com.example\",\"thread\":\"main\",\"name\":\"Choreographer#doFrame %d\",\"vsync_id\":%d,\"machine_id\":0,\"trace\":0}\n", 5000 + $1, 5000 + $1 * 10, $1, $1 }'
		for i in 1 2 3; do app $i $i $((5000 + i * 10)) 5; done
	} >in
	timeout $PATIENCE tc-jank metrics in >got.out
	is "$(only jank_metric got.out | jq -r 'select(.metric == "cuj_frames") | .reason // "known"' | sort | uniq -c | awk '{ print $2 }' | tr '\n' ' ')" 'known too_many '
}

@test "of an interaction that was given up every number says so" {
	{
		seq 1 3000 | awk '{ printf "{\"type\":\"slice\",\"id\":%d,\"ts\":%d,\"dur\":1000000000,\"kind\":\"async\",\"track\":null,\"parent_id\":null,\"depth\":0,\"upid\":1,\"utid\":null,\"pid\":1000,\"tid\":null,\"process\":\"com.example\",\"thread\":null,\"name\":\"J<%d>\",\"machine_id\":0,\"trace\":0}\n", $1, $1, $1 }'
		# Missed, and without a score.
		type='App Deadline Missed' app 1 1 5000 5 >row
		seq 1 3000 | awk -v row="$(<row)" '{ sub(/"id":[0-9]*/, "\"id\":" $1, row); sub(/"surface_frame_token":[0-9]*/, "\"surface_frame_token\":" $1, row); print row }'
		ui 5001 1 5000 5
		ui 5002 3000 6000 5
	} >in
	timeout $PATIENCE tc-jank metrics in >got.out
	is "$(only jank_metric got.out | jq -r 'select(.cuj and .reason == "too_many") | .cuj' | sort | uniq -c | awk '{ print $1 }' | sort -u)" 8
}
