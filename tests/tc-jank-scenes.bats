load helper

# Scenes as tc-jank rules sees them: one rule, a part for each scene, and in it how many
# frames there are, or how long the longest of them is.

setup() {
	cd "$TMP"
	cat >rules.json <<-'END'
		{"rules":[{"name":"n","metric":"frames","op":">=","limit":1}]}
	END
	cat >longest.json <<-'END'
		{"rules":[{"name":"n","metric":"timeline_duration","statistic":"max","op":">=","limit":0}]}
	END
}

# ms N: in nanoseconds; -1 stands for never.
ms() {
	[ "$1" = -1 ] && echo -1 || echo $(($1 * 1000000))
}

# frame ID TS DUR: of an app, in milliseconds.
frame() {
	printf '{"type":"actual_frame","id":%s,"ts":%s,"dur":%s,"upid":%s,"pid":1000,"process":"com.example","name":"7","surface_frame_token":%s,"display_frame_token":9,"layer_name":"L","machine_id":0,"present_type":"On-time Present","on_time_finish":1,"gpu_composition":0,"jank_type":"None","jank_mask":1,"jank_tag":"No Jank","jank_severity_type":"None","jank_score":0,"prediction_type":"Valid Prediction","is_buffer":"Yes","trace":%s}\n' \
		"$1" "$(ms "$2")" "$(ms "$3")" "${upid-1}" "$1" "${trace-0}"
}

# marker TS DUR SCENARIO
marker() {
	printf '{"type":"marker","ts":%s,"dur":%s,"name":null,"scenario":%s,"repetition":%s%s}\n' \
		"$(ms "$1")" "$(ms "$2")" "$3" "${repetition-null}" "${of:+,\"trace\":$of}"
}

slice() {
	printf '{"type":"slice","id":%s,"ts":%s,"dur":%s,"kind":"%s","track":"%s","parent_id":null,"depth":0,"upid":%s,"utid":null,"pid":1000,"tid":null,"process":"com.example","thread":null,"name":"%s","vsync_id":null,"cookie":null,"machine_id":0,"trace":%s}\n' \
		"$1" "$(ms "$2")" "$(ms "$3")" "$4" "${track-t}" "${upid-1}" "$5" "${trace-0}"
}

trace_record() {
	printf '{"type":"trace","path":"t%s","trace":%s}\n' "$1" "$1"
}

# gives [OPTION...] < WANTED: scenario, repetition, number, and trace where it is not 0.
gives() {
	cat >wanted
	tool got.out tc-jank rules -r "${rules-rules.json}" "$@" in
	only verdict got.out | jq -r 'select(.policy == null)
		| "\(.scenario // "-") \(.repetition // "-") \(.value // .reason)\(if .trace == 0 then "" else " trace \(.trace)" end)"' >got
	same wanted got
}

@test "without markers a trace is one scene without a name" {
	{ frame 0 10 5; frame 1 20 5; trace=1 frame 0 10 5; } >in
	gives <<-'END'
		- - 2
		- - 1 trace 1
	END
	ended 0
}

@test "markers cut the time, and what lies outside counts nowhere" {
	{
		marker 100 100 '"a"'
		marker 300 100 '"a"'
		marker 500 100 '"b"'
		for ts in 50 110 120 250 310 510 520 530 700; do
			frame $ts $ts 5
		done
	} >in
	gives <<-'END'
		a 1 2
		a 2 1
		b 1 3
	END
	ended 0
	# In whatever order they come.
	tac in >back
	mv back in
	gives <<-'END'
		a 1 2
		a 2 1
		b 1 3
	END
}

@test "each policy for the edges of a scene has its own frames" {
	{
		marker 100 100 '"s"'
		frame 0 90 20
		frame 1 120 5
		frame 2 190 20
		frame 3 80 15
		frame 4 200 15
		frame 5 100 100
		frame 6 50 300
		frame 7 180 -1
	} >in
	gives <<<'s 1 4'
	gives --edge start-in <<<'s 1 4'
	gives --edge end-in <<<'s 1 3'
	gives --edge both <<<'s 1 2'
	gives --edge clip <<<'s 1 6'
}

@test "with clip no more of a frame counts than was in the scene" {
	{ marker 100 100 '"s"'; frame 0 90 30; frame 1 195 30; } >in
	rules=longest.json
	gives <<<'s 1 30'
	gives --edge end-in <<<'s 1 30'
	gives --edge both <<<'s 1 no_frames'
	gives --edge clip <<<'s 1 20'
}

@test "a scene without length, or without frames, is there and is not judged" {
	{
		marker 100 0 '"zero"'
		marker 100 50 '"empty"'
		marker 200 50 '"full"'
		frame 0 200 5
		frame 1 99 2
		frame 2 100 0
	} >in
	gives --edge end-in <<-'END'
		zero 1 no_frames
		empty 1 2
		full 1 1
	END
	{ marker 100 50 '"empty"'; marker 200 50 '"full"'; frame 0 200 5; } >in
	gives --strict <<-'END'
		empty 1 no_frames
		full 1 1
	END
	ended 1
}

@test "a frame counts in each of the scenes that it lies in" {
	{
		marker 100 400 '"outer"'
		marker 200 50 '"inner"'
		marker 200 100 '"inner"'
		frame 0 110 5
		frame 1 210 5
		frame 2 260 5
	} >in
	gives <<-'END'
		inner 1 1
		inner 2 2
		outer 1 3
	END
}

@test "a marker counts in its own trace, and one without in every trace" {
	{
		trace_record 0
		of=0 marker 100 100 '"zero"'
		of=1 marker 100 100 '"one"'
		marker 300 100 '"every"'
		frame 0 110 5
		frame 1 310 5
		frame 2 320 5
		trace_record 1
		trace=1 frame 0 120 5
		trace=1 frame 1 130 5
		trace=1 frame 2 310 5
		trace_record 2
		trace=2 frame 2 310 5
	} >in
	gives <<-'END'
		every 1 2
		every 1 1 trace 1
		every 1 1 trace 2
		one 1 2 trace 1
		zero 1 1
	END
}

@test "a trace that no marker is about is one scene beside those that have some" {
	{
		of=1 marker 100 100 '"one"'
		frame 0 10 5
		trace=1 frame 0 10 5
		trace=1 frame 1 120 5
	} >in
	gives <<-'END'
		- - 1
		one 1 1 trace 1
	END
}

@test "repetitions are numbered by their markers, or in the order of time" {
	{
		repetition=5 marker 300 10 '"s"'
		marker 100 10 '"s"'
		marker 500 10 '"s"'
		frame 0 100 5
		frame 1 300 5
		frame 2 500 5
	} >in
	gives <<-'END'
		s 1 1
		s 5 1
		s 6 1
	END
}

@test "a repetition below 0, or with none behind it, is malformed" {
	local n

	# As great as it may be, all others have numbers of their own.
	{
		repetition=9223372036853727231 marker 100 10 '"s"'
		marker 200 10 '"s"'
		marker 300 10 '"s"'
		frame 0 100 5
		frame 1 300 5
	} >in
	tool got.out tc-jank rules -r rules.json in
	ended 0
	# jq may keep them as doubles.
	is "$(only verdict got.out | grep -o '"repetition":[0-9]*' | sort | paste -sd ' ')" \
		'"repetition":9223372036853727231 "repetition":9223372036853727232 "repetition":9223372036853727233'
	for n in -1 9223372036853727232 9223372036854775807; do
		{ frame 0 100 5; repetition=$n marker 100 10 '"s"'; marker 200 10 '"s"'; } >in
		tool got.out tc-jank rules -r rules.json in
		ended 65
		diagnosed malformed "in:2: a marker with repetition $n"
		tool got.out tc-jank rules -k -r rules.json in
		ended 65
		is "$(only verdict got.out | jq -r .repetition | head -n 1)" 1
		repetition=$n marker 100 10 '"s"' >markers
		tool got.out tc-jank rules -r rules.json --markers markers /dev/null
		ended 65
		diagnosed malformed "markers:1: a marker with repetition $n"
	done
}

@test "only the third repetition fails, and the rule with it" {
	for i in 1 2 3 4; do
		marker ${i}00 50 '"s"'
		frame $i ${i}10 $((i == 3 ? 40 : 10))
	done >in
	cat >rules.json <<-'END'
		{"rules":[{"name":"n","metric":"timeline_duration","statistic":"max","op":"<","limit":20}]}
	END
	gives <<-'END'
		s 1 10
		s 2 10
		s 3 40
		s 4 10
	END
	ended 1
	is "$(only verdict got.out | jq -r 'select(.verdict == "fail") | .repetition // .policy' | paste -sd ' ')" '3 all'
}

@test "an open marker lasts to the end of the trace" {
	{ marker 100 -1 '"s"'; frame 0 50 5; frame 1 110 5; frame 2 90000 5; } >in
	gives <<<'s 1 2'
}

@test "--markers reads scenes from a file, beside those of the stream" {
	{ marker 100 100 '"stream"'; frame 0 110 5; frame 1 310 5; frame 2 320 5; } >in
	{
		echo '{"type":"zebra"}'
		marker 300 100 '"file"'
		marker 100 100 '"stream"'
		of=4 marker 100 100 '"other"'
	} >markers
	gives --markers markers <<-'END'
		file 1 2
		stream 1 1
	END
	ended 0
	# They do not become part of the stream.
	is "$(only marker got.out | wc -l)" 1
}

@test "a file of markers may be any stream of records, however long their lines" {
	frame 0 110 5 >in
	{
		printf '{"type":"zebra","x":"'
		head -c 16777193 /dev/zero | tr '\0' x
		echo '"}'
		marker 100 100 '"s"'
	} >markers
	is "$(head -n 1 markers | wc -c)" 16777217
	gives --markers markers <<<'s 1 1'
	ended 0
	sed -i 's/zebra/zebras/' markers
	tool got.out tc-jank rules -r rules.json --markers markers in
	ended 65
	diagnosed malformed 'markers:1: line is longer than 16777216 bytes'
}

@test "a file of markers that is none is an error, before any input is read" {
	mkfifo never
	tool got.out tc-jank rules -r rules.json --markers missing never
	ended 66
	has "$stderr" missing
	printf '%s\n' '{"type":"zebra"}' '{"type":"marker","ts":"1"}' >markers
	tool got.out timeout 10 tc-jank rules -r rules.json --markers markers never
	ended 65
	diagnosed malformed markers:2
	echo '{"type":"marker","ts":null}' >markers
	tool got.out timeout 10 tc-jank rules -r rules.json --markers markers never
	ended 65
	diagnosed malformed 'markers:1: a marker without ts'
	echo '{"type":"marker","ts":59734764343222.5,"name":"a"}' >markers
	tool got.out timeout 10 tc-jank rules -r rules.json --markers markers never
	ended 65
	diagnosed malformed 'markers:1: marker record: field ts has a wrong value; it must be an integer'
	echo '{"type":"marker","ts":5,"dur":1}' >markers
	tool got.out timeout 10 tc-jank rules -r rules.json --markers markers never
	ended 65
	diagnosed malformed 'markers:1: a marker without name and scenario'
	for text in '' '{"type":"zebra"}'; do
		echo -n "$text" >markers
		tool got.out timeout 10 tc-jank rules -r rules.json --markers markers never
		ended 65
		diagnosed malformed 'markers: no marker record in it'
	done
}

@test "a marker of the stream without a name is malformed, and with -k no scene" {
	{ marker 0 100 '"s"'; marker 0 100 null; frame 0 10 5; } >in
	for mode in "rules -r rules.json" metrics; do
		# shellcheck disable=SC2086 # words
		tool got.out tc-jank $mode in
		ended 65
		diagnosed malformed 'in:2: a marker without name and scenario'
	done
	tool got.out tc-jank metrics -k in
	ended 65
	is "$(only jank_metric got.out | jq -r .scenario | sort -u)" s
	# What does not look at markers lets them through.
	tool got.out tc-jank frames in
	ended 0
}

@test "--scenario takes slices whose name fits, and no frames where there is none" {
	{
		frame 0 110 5
		frame 1 120 5
		frame 2 310 5
		slice 0 100 100 thread 'scroll up'
		upid=9 slice 1 300 100 async 'scroll down'
		slice 2 300 0 instant 'scroll off'
		slice 3 300 100 thread fling
	} >in
	gives --scenario 'scroll*' <<-'END'
		scroll down 1 1
		scroll up 1 2
	END
	gives --scenario none </dev/null
	ended 0
	is "$(only verdict got.out | jq -r '[.verdict, .reason] | join(" ")')" 'not_enough_data no_scenes'
}

@test "--cuj takes interactions, and the frames of their process alone" {
	{
		frame 0 110 5
		upid=2 frame 1 120 5
		frame 2 310 5
		track='J<A>' slice 0 100 100 async 'J<A>'
		track='J<B>' slice 1 300 100 async 'J<B>'
		track='J<B>' slice 2 350 0 instant 'FT#cancel'
	} >in
	gives --cuj <<<'J<A> 1 1'
	is "$(tc-jank metrics --cuj in | jq -c 'select(.metric == "frames") | [.scenario, .scenario_is_cuj]')" '["J<A>",1]'
	is "$(tc-jank metrics --scenario 'J<A>' in | jq -c 'select(.metric == "frames") | .scenario_is_cuj' | sort -u)" null
}

# cujs: the interactions that are scenes, which are those that metrics are about.
cujs() {
	tc-jank metrics --cuj in >scenes.out
	tc-jank metrics in >cujs.out
	jq -r 'select(.scenario) | "\(.scenario) \(.ts / 1000000)"' scenes.out | sort -u >scenes
	jq -r 'select(.metric == "cuj_frames") | "\(.cuj) \(.ts / 1000000)"' cujs.out | diff scenes -
	cat scenes
}

@test "the same interactions are scenes and have metrics of their own" {
	{
		frame 0 110 5
		# A note of a vsync is none of an end, and that it began says nothing.
		slice 0 100 3 async 'J<A>'
		slice 1 101 0 instant 'J<A>#FT#endVsync#5'
		slice 2 101 0 instant 'J<A>#FT#beginVsync#5'
		slice 3 101 0 instant 'J<A>#FT#begin#0'
		slice 4 200 3 async 'J<B#1>'
		slice 5 201 0 instant 'J<B#1>#FT#end#0'
		# What is cancelled while several of the name are under way is all of them.
		slice 6 300 100 async 'J<C>'
		slice 7 350 100 async 'J<C>'
		slice 8 370 0 instant 'J<C>#FT#cancel#1'
		slice 9 500 100 async 'J<C>'
		# No name, and no time.
		slice 10 600 100 async 'J<BROKEN'
		slice 11 600 100 async 'J<>'
		slice 12 600 0 async 'J<D>'
	} >in
	is "$(cujs)" "$(printf '%s\n' 'J<B#1> 200' 'J<C> 500')"
}

@test "metrics that come by way of the stream are judged the same" {
	{
		marker 100 100 '"a"'
		marker 300 100 '"b"'
		for ts in 90 110 190 310 320 500; do
			frame $ts $ts 15
		done
		of=1 marker 100 100 '"c"'
		trace=1 frame 1 100 5
	} >in
	for edge in start-in end-in both clip; do
		tool got.out tc-jank rules -r rules.json --edge $edge in
		ended 0
		tc-jank metrics --edge $edge in >metrics.out
		tool by.out tc-jank rules -r rules.json metrics.out
		ended 0
		same <(only verdict got.out) <(only verdict by.out)
		# What comes both ways is judged once.
		tc-jank metrics --keep --edge $edge in >metrics.out
		tool by.out tc-jank rules -r rules.json --edge $edge metrics.out
		same <(only verdict got.out) <(only verdict by.out)
	done
}

@test "metrics of one stream do not stand for the trace of another that has its number" {
	{ trace_record 0; frame 0 110 5; } >one
	{ trace_record 0; frame 1 210 5; frame 2 230 5; } >two
	tc-jank metrics one >one.out
	cat one.out two >in
	gives <<-'END'
		- - 1
		- - 2
	END
	cat two one.out >in
	gives <<-'END'
		- - 1
		- - 2
	END
	# What was combined stands for the traces whose rows are not here.
	tc-jank metrics one >one.out
	tc-jank metrics two >two.out
	tc-jank merge one.out two.out >both.out
	cat both.out two >in
	gives <<-'END'
		- - 3 trace null
		- - 2
	END
	cp both.out in
	gives <<<'- - 3 trace null'
	# A trace that has no frames says so, unless its metrics do.
	trace_record 0 >in
	gives <<<'- - no_frames'
	tc-jank metrics in >empty.out
	cat empty.out >in
	gives <<<'- - no_frames'
}

@test "metrics too say that no scene of those asked for is there" {
	{ frame 0 110 5; slice 0 100 100 thread fling; of=5 marker 0 10 '"s"'; } >in
	echo '{"type":"marker","ts":1,"dur":1,"name":"s","trace":7}' >markers
	for option in --cuj '--scenario scrol*' '--markers markers'; do
		# shellcheck disable=SC2086 # words
		tool got.out tc-jank metrics $option <(grep -v marker in)
		ended 0
		diagnosed no_scenes 'no scene of those that were asked for'
		is "$(only jank_metric got.out)" ''
	done
	tool got.out tc-jank metrics --scenario 'f*' in
	ended 0
	silent
}

@test "scenes asked for where metrics came already are not made, and that is said" {
	frame 0 110 5 >in
	tc-jank metrics in >metrics.out
	marker 0 1000 '"s"' >markers
	for option in '--markers markers' --cuj '--scenario x' '--edge clip'; do
		# shellcheck disable=SC2086 # words
		tool got.out tc-jank rules -r rules.json $option metrics.out
		ended 0
		diagnosed scenes_kept "${option%% *}: metrics came already, and their scenes are kept"
	done
	tool got.out tc-jank rules -r rules.json metrics.out
	silent
}

@test "scenes over one another without end are refused" {
	local i

	for ((i = 0; i < 65; i++)); do
		marker $((100 + i)) 1000 '"s"'
	done >in
	frame 0 110 5 >>in
	tool got.out tc-jank rules -r rules.json in
	ended 65
	diagnosed malformed 'more than 64 scenes'
}

@test "frames that outlast many scenes are dealt out quickly" {
	{
		seq 0 29999 | awk '{ printf "{\"type\":\"marker\",\"ts\":%d,\"dur\":%d,\"scenario\":\"s\",\"trace\":0}\n", $1 * 10, $1 % 2 * 10 }'
		seq 1 100000 | awk '{ printf "{\"type\":\"actual_frame\",\"id\":%d,\"ts\":15,\"dur\":299980,\"upid\":1,\"pid\":1000,\"process\":\"com.example\",\"surface_frame_token\":%d,\"display_frame_token\":9,\"layer_name\":\"L\",\"machine_id\":0,\"jank_tag\":\"No Jank\",\"trace\":0}\n", $1, $1 }'
	} >in
	counts() {
		timeout $PATIENCE tc-jank rules -r rules.json --edge "$1" in >got.out
		only verdict got.out | jq -r 'select(.value) | "\(.repetition) \(.value)"'
	}
	is "$(counts start-in)" '2 100000'
	is "$(counts end-in)" '30000 100000'
	is "$(counts both)" ''
}

@test "processes without anything in most scenes are done with quickly" {
	{
		seq 0 99999 | awk '{ printf "{\"type\":\"marker\",\"ts\":%d,\"dur\":10,\"scenario\":\"s\",\"trace\":0}\n", $1 * 10 }'
		seq 1 30000 | awk '{ printf "{\"type\":\"actual_frame\",\"id\":%d,\"ts\":15,\"dur\":5,\"upid\":%d,\"pid\":%d,\"process\":\"p\",\"surface_frame_token\":1,\"display_frame_token\":9,\"layer_name\":\"L\",\"machine_id\":0,\"jank_tag\":\"No Jank\",\"trace\":0}\n", $1, $1, $1 }'
	} >in
	timeout $PATIENCE tc-jank rules -r rules.json in >got.out
	is "$(only verdict got.out | jq -r 'select(.policy == null) | .value // .reason' | sort | uniq -c | awk '{ print $1, $2 }')" \
		$'30000 1\n99999 no_frames'
}

@test "the marker file in the manual gives the scenes that it says" {
	grep '^{"type":"marker"' "$ROOT/man/tc-jank.1" >scenes.jsonl
	mkscene -s 2 | tc-import >rows
	tool got.out tc-jank metrics --app com.example.app --markers scenes.jsonl rows
	ended 0
	only jank_metric got.out | jq -c 'select(.metric == "fps") | [.scenario, .repetition, .value > 50]' >got
	same - got <<-'END'
		["scroll",1,true]
		["scroll",2,true]
	END
}
