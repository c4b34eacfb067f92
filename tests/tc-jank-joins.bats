load helper

setup() {
	cd "$TMP"
}

# app ID TOKEN DISPLAY: an app's actual frame; display ID TOKEN: a display frame.
app() {
	printf '{"type":"actual_frame","id":%s,"ts":%s,"dur":20,"upid":1,"pid":1000,"process":"com.example","surface_frame_token":%s,"display_frame_token":%s,"layer_name":"L","machine_id":%s,"present_type":"Late Present","jank_type":"Display HAL","jank_tag":"Other Jank","is_buffer":"Yes","trace":%s}\n' \
		"$1" "${ts-100}" "$2" "$3" "${machine-0}" "${trace-0}"
}

display() {
	printf '{"type":"actual_frame","id":%s,"ts":%s,"dur":30,"upid":%s,"pid":%s,"process":%s,"surface_frame_token":null,"display_frame_token":%s,"layer_name":null,"machine_id":%s,"present_type":"Early Present","jank_type":"Prediction Error","jank_tag":"Self Jank","trace":%s}\n' \
		"$1" "${ts-110}" "${upid-2}" "${pid-600}" "${process-\"/system/bin/surfaceflinger\"}" "$2" "${machine-0}" "${trace-0}"
}

displays() {
	tool got.out tc-jank display "$@" in
	ended 0
	only jank_display got.out | jq -c '[.app_actual_id, .sf_candidate_count, .sf_actual_id, .sf_upid, .sf_pid, .sf_jank_tag, .sf_jank_type, .sf_present_type]'
}

@test "display: the one display frame of the token, with what the platform says of it" {
	{
		app 1 7 50
		display 3 50
		display 4 51
	} >in
	displays | same <(echo '[1,1,3,2,600,"Self Jank","Prediction Error","Early Present"]') -
	only jank_display got.out | jq -c '[.app_upid, .app_pid, .layer_name, .surface_frame_token, .display_frame_token, .is_buffer, .app_jank_tag, .app_jank_type]' >got
	is "$(<got)" '[1,1000,"L",7,50,"Yes","Other Jank","Display HAL"]'
}

@test "display: none and several are counted, and nothing of them is told" {
	{
		app 1 7 50
		app 2 8 51
		display 3 51
		display 4 51
	} >in
	displays >got
	same - got <<-END
		[1,0,null,null,null,null,null,null]
		[2,2,null,null,null,null,null,null]
	END
}

@test "display: token 0, which skipped frames have, joins nothing" {
	{
		app 1 7 0
		app 2 8 null
		display 3 0
	} >in
	displays | jq -c '.[:2]' >got
	same - got <<-END
		[1,0]
		[2,0]
	END
}

@test "display: traces and machines are not mixed" {
	{
		app 1 7 50
		machine=1 app 2 7 50
		trace=1 app 3 7 50
		machine=1 display 4 50
		trace=2 display 5 50
	} >in
	displays | jq -c '.[:3]' | sort >got
	same - got <<-END
		[1,0,null]
		[2,1,4]
		[3,0,null]
	END
}

@test "display: of several processes with display frames, surfaceflinger is by its name" {
	{
		app 1 7 50
		upid=3 pid=601 process='"other"' display 3 50
		display 4 50
		upid=5 pid=602 process=null display 5 50
	} >in
	displays >got
	is "$(jq -c '.[:4]' got)" '[1,1,4,2]'
	silent
}

@test "display: where no name tells either, that is said and nothing is joined, until --sf" {
	{
		app 1 7 50
		upid=3 pid=601 process='"other"' display 3 50
		upid=4 pid=602 process=null display 4 50
	} >in
	displays >got
	is "$(jq -c '.[:2]' got)" '[1,0]'
	diagnosed sf_not_known 'several processes'
	displays --sf upid=4 >got
	is "$(jq -c '.[:4]' got)" '[1,1,4,4]'
	silent
	displays --sf pid=601 >got
	is "$(jq -c '.[:4]' got)" '[1,1,3,3]'
}

@test "display: --sf that fits no process, or several of a trace, is 2" {
	{
		app 1 7 50
		upid=3 pid=601 display 3 50
		upid=4 pid=601 display 4 50
	} >in
	for sf in pid=601 pid=9 upid=9; do
		tool got.out tc-jank display --sf $sf in
		ended 2
		diagnosed usage "$sf"
	done
	for sf in 4 upid= upid=x name pid=1x; do
		tool got.out tc-jank display --sf $sf in
		ended 2
	done
}

@test "display: --sf of a process without display frames is 2, and those with some are named" {
	{
		app 1 7 50
		upid=3 pid=601 display 3 50
	} >in
	tool got.out tc-jank display --sf upid=1 in
	ended 2
	diagnosed usage '--sf upid=1 has no display frames' 2
	has "${stderr_lines[0]}" 'has display frames: upid=3 pid=601'
	# Of two traces it may be that of one.
	{ cat in; trace=1 upid=3 app 1 7 50; } >two
	tool got.out tc-jank display --sf upid=3 two
	ended 0
	silent
	# Where nobody has any, it is an empty answer.
	app 1 7 50 >in
	tool got.out tc-jank display --sf upid=1 in
	ended 0
	diagnosed no_display_frames '--sf upid=1'
}

@test "an option that the mode does not have is 2, not ignored" {
	: >in
	for mode in frames stats phases input ''; do
		# shellcheck disable=SC2086 # no mode is no word
		tool got.out tc-jank $mode --sf pid=1 in
		ended 2
		diagnosed usage --sf
	done
}

# phase ID DUR PHASE TRACK BUFFER
phase() {
	printf '{"type":"phase","id":%s,"ts":100,"dur":%s,"phase":"%s","name":"5","track":"%s","buffer_id":%s,"layer_name":"L_1","frame_number":5,"depth":0,"machine_id":0,"trace":0}\n' "$@"
}

@test "phases: each as it is, open ones without a duration" {
	{
		phase 1 4000000 app_hold 'APP_1 L_1' 1
		phase 2 -1 producer_fence_wait 'GPU_1 L_1' 1
		phase 3 0 latch_to_present 'SF_1 L_1' 1
		phase 4 -7 latch_to_present 'SF_1 L_1' 1
		phase 5 16000000 present_interval Display_L_1 null
	} >in
	tool got.out tc-jank phases in
	ended 0
	only jank_phase got.out | jq -c '[.phase_slice_id, .ts_ns, .raw_dur_ns, .phase_name, .buffer_track_suffix, .duration_status, .duration_ms, .frame_number, .layer_name, has("why")]' >got
	same - got <<-END
		[1,100,4000000,"app_hold","1 L_1","closed-positive",4,5,"L_1",false]
		[2,100,-1,"producer_fence_wait","1 L_1","open",null,5,"L_1",false]
		[3,100,0,"latch_to_present","1 L_1","zero",0,5,"L_1",false]
		[4,100,-7,"latch_to_present","1 L_1","invalid",null,5,"L_1",false]
		[5,100,16000000,"present_interval",null,"closed-positive",16,5,"L_1",false]
	END
}

# answers FILE: what tc-jank made itself.
answers() {
	only 'jank_[a-z]*|frame_metrics|lag|verdict' "$1"
}

@test "the order of lines with equal times changes nothing in any answer" {
	shared=${TC_SHARED:-$ROOT/../shared/data}
	[ -d "$shared/frames" ] || skip "no traces in $shared"
	echo '{"rules":[{"name":"r","metric":"janky_rate","op":"<","limit":5}]}' >rules.json
	for trace in "$shared"/frames/00[1-5].pftrace "$shared"/input/012.pftrace; do
		tc-import "$trace" >import.out 2>/dev/null || [ $? -eq 65 ]
		between import.out | grep -v '"type":"trace"' >rows
		grep '"type":"trace"' import.out >first
		for seed in 1 2 3; do
			awk -v seed=$seed 'BEGIN { srand(seed) } { print rand() "\t" $0 }' rows | sort -n | cut -f 2- >shuffled
			for mode in frames stats display 'phases --missing' match explain input metrics \
				'metrics --cuj' 'rules -r rules.json'; do
				cat first rows | tc-jank $mode | but 'tool|end' - >wanted
				cat first shuffled | tc-jank $mode | but 'tool|end' - >got
				same <(answers wanted) <(answers got)
				answers wanted >>answers.${mode%% *}
			done
		done
	done
	for mode in frames stats display phases match explain input metrics rules; do
		[ -s answers.$mode ]
	done
}
