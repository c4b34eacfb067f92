load helper

# ---- records; what a test does not care for has a default ----

# run_of COUNT MEAN DEVIATION SEED: a run whose frames took so many ms, about normally.
run_of() {
	[ "${bare-}" ] || printf '{"type":"trace","path":"x","rules":"%s","trace":%s}\n' "${rules-perfetto-57.2}" "${trace-0}"
	awk -v n="$1" -v mean="$2" -v deviation="$3" -v x="$((($4 * 7919 + 17) % 2147483647))" \
		-v process="${process-app}" -v period="${period-16666667}" -v trace="${trace-0}" -v scene="${scene-}" '
		function next_one() { x = (x * 16807) % 2147483647; return x / 2147483647 }
		BEGIN {
			for (i = 0; i < 10; i++)
				next_one()
			for (i = 0; i < n; i++) {
				r = sqrt(-2 * log(next_one())) * cos(6.283185307179586 * next_one())
				v = int((mean + deviation * r) * 1000) * 1000
				printf "{\"type\":\"frame_metrics\",\"frame_id\":%d,\"ts\":%d,\"dur\":%d,\"upid\":1,\"pid\":2,\"process\":\"%s\",\"overrun\":%d,\"app_vsync_delay\":0,\"cpu_time\":%d,\"ui_time\":%d,\"was_jank\":null,\"was_slow_frame\":null,\"was_big_jank\":null,\"was_huge_jank\":null,\"period_ns\":%s,%s\"definition\":\"perfetto\",\"machine_id\":0,\"trace\":%s}\n",
					i, i, v, process, v - 12000000, v, int(v / 2), period, scene, trace
			}
		}'
}

# rate NAME NUM DEN [SCALE]: a metric of a run, a ratio.
rate() {
	printf '{"type":"jank_metric","metric":"%s","definition":"d","unit":"u","value":%s,"samples":%s,"combine":"ratio","num":%s,"den":%s,"scale":%s,"upid":1,"pid":2,"process":"%s","layer_name":"%s",%s"rate_hz":%s,"period_ns":1,"ts":1,"dur":1,%s"machine_id":0,"trace":%s}\n' \
		"$1" "$(jq -n "$2 / $3 * ${4-100}")" "$3" "$2" "$3" "${4-100}" "${process-app}" "${layer-L#1}" \
		"${labels-}" "${hz-60}" "${origin-}" "${trace-0}"
}

# compared STATUS OPTION... A B: the verdicts, in `got`.
compared() {
	tool got.out tc-jank compare "${@:2}"
	ended "$1" || return 1
	silent || return 1
	only verdict got.out >got
}

# says FILTER < LINES: what FILTER makes of the verdicts.
says() {
	cat >wanted
	jq -c "$1" got | same wanted -
}

@test "a shift of 3 percent in noise passes" {
	run_of 300 10 1 1 >a
	run_of 300 10.3 1 2 >b
	compared 0 a b
	is "$(jq -r .verdict got | sort | uniq -c | xargs)" '2 pass'
	says '[.metric, .statistic, .change, .difference, .unit_of_sample, .a_samples, .b_samples, .a_runs, .b_runs]' <<-'END'
		["cpu_time","p50","none","none","frame",300,300,1,1]
		["cpu_time","p95","none","none","frame",300,300,1,1]
	END
	# As it does where it is significant, since it is not large.
	run_of 20000 10 1 1 >a
	run_of 20000 10.3 1 2 >b
	compared 0 --metric cpu_time a b
	says '[.verdict, .p_adjusted < 1e-6, .effect > 2.5 and .effect < 3.5, .change]' <<<'["pass",true,true,"none"]'
}

@test "a shift of 15 percent fails, with status 1, and the record says how sure that is" {
	run_of 300 10 1 1 >a
	run_of 300 11.5 1 2 >b
	compared 1 --metric cpu_time a b
	is "$(tail -n 1 got.out)" '{"type":"end","tool":"tc-jank","status":1,"records":3}'
	says '[.verdict, .by, .rule, .metric, .definition, .statistic, .unit, .process, .rate_hz, .worse, .change, .difference, .rules]' \
		<<<'["fail","compare",null,"cpu_time","perfetto","p50","ms","app",60,"higher","regression","shift","perfetto-57.2"]'
	says '[.test, .adjust, .comparisons, .alpha, .min_effect, .resamples, .seed]' <<<'["rank_normal","holm",1,0.05,5,2000,1]'
	says '[.p < 1e-20, .p == .p_adjusted, (.effect > 12 and .effect < 18), .ci_low < .effect, .effect < .ci_high, .ci_low > 10, .ci_high < 20]' \
		<<<'[true,true,true,true,true,true,true]'
	says '[.value == .b, .samples == .b_samples, (.b - .a - .delta | fabs) < 1e-9, (.delta / .a * 100 - .effect | fabs) < 1e-9, .superiority > 0.8, .op]' \
		<<<'[true,true,true,true,true,"<"]'
	says '[(.limit - .a * 1.05 | fabs) < 1e-9, .value < .limit]' <<<'[true,false]'
	# The median is the one of nearest rank.
	is "$(jq .a got)" "$(jq -s 'map(select(.type == "frame_metrics").cpu_time) | sort | .[149] / 1000000' a)"
}

@test "the other way round it is an improvement, passes, and says so" {
	run_of 300 11.5 1 1 >a
	run_of 300 10 1 2 >b
	compared 0 a b
	says '[.verdict, .statistic, .change, .difference, .effect < -10, .ci_high < 0]' <<-'END'
		["pass","p50","improvement","shift",true,true]
		["pass","p95","improvement","shift",true,true]
	END
}

@test "equal means with different variance are told apart" {
	run_of 400 10 1 3 >a
	run_of 400 10 2 4 >b
	compared 1 a b
	says '[.verdict, .statistic, .difference, .change, .spread_ratio > 1.6 and .spread_ratio < 2.4, .spread_p < 1e-6]' <<-'END'
		["pass","p50","spread","none",true,true]
		["fail","p95","both","regression",true,true]
	END
	compared 0 --metric cpu_time.mean b a
	says '[.verdict, .test, .difference, .spread_ratio < 0.7]' <<<'["pass","bootstrap","spread",true]'
}

@test "the same against itself is no difference at all" {
	run_of 300 10 1 1 >a
	compared 0 --metric cpu_time --metric cpu_time.p90 a a
	says '[.verdict, .p, .effect, .superiority, .spread_ratio, .difference]' <<-'END'
		["pass",1,0,0.5,1,"none"]
		["pass",1,0,0.5,1,"none"]
	END
}

@test "with several runs the run is the unit: frames of one are not independent" {
	local i

	# Runs differ by more than the builds do; frame by frame it would look certain.
	mkdir a b
	for i in 1 2 3 4 5 6; do
		run_of 200 $((8 + i)) 0.1 $i >a/$i
		run_of 200 "$((8 + i)).8" 0.1 $((i + 10)) >b/$i
	done
	compared 0 --metric cpu_time a b
	says '[.verdict, .unit_of_sample, .a_runs, .b_runs, .a_samples, .test, .p > 0.05, .ci_low < 0, .ci_high > 20]' \
		<<<'["pass","run",6,6,1200,"rank_exact",true,true,true]'
	# When runs agree, six are enough.
	for i in 1 2 3 4 5 6; do
		run_of 200 "10.0$i" 1 $i >a/$i
		run_of 200 "11.5$i" 1 $((i + 10)) >b/$i
	done
	compared 1 a b
	says '[.verdict, .statistic, .unit_of_sample, .p, .difference]' <<-'END'
		["fail","p50","run",0.0021645021645021645,"shift"]
		["fail","p95","run",0.0021645021645021645,"shift"]
	END
	# Spread, likewise, is that of each run.
	for i in 1 2 3 4 5 6; do
		run_of 200 "10.0$i" 2 $((i + 20)) >b/$i
	done
	compared 0 --metric cpu_time a b
	says '[.verdict, .difference, .spread_p, .spread_ratio > 1.5]' <<<'["pass","spread",0.0021645021645021645,true]'
}

# sides COUNT NUM_A NUM_B [DEN [SCALE]]: folders of so many runs with a ratio `metric`.
sides() {
	local i

	rm -rf a b
	mkdir a b
	for ((i = 1; i <= $1; i++)); do
		rate "$metric" $(($2 + i)) "${@:4}" >a/$i
		rate "$metric" $(($3 + i)) "${@:4}" >b/$i
	done
}

@test "metrics are compared run by run, each the way that is worse" {
	metric=janky_rate sides 5 20 40 1000
	compared 1 a b
	says '[.verdict, .metric, .statistic, .a, .b, .delta, .worse, .a_samples, .unit_of_sample, .test, .p]' \
		<<<'["fail","janky_rate","value",2.3,4.3,2,"higher",5,"run","rank_exact",0.007936507936507936]'
	metric=fps sides 5 50000 40000 1000 1
	compared 1 --metric fps a b
	says '[.verdict, .a, .b, .worse, .change, .op, (.limit - 0.95 * .a | fabs) < 1e-9]' \
		<<<'["fail",50.003,40.003,"lower","regression",">",true]'
	compared 0 --metric fps b a
	says '[.verdict, .change]' <<<'["pass","improvement"]'
	# More frames are neither good nor bad.
	metric=idle_time sides 5 50000 80000 1000 1
	compared 0 --metric idle_time a b
	says '[.verdict, .worse, .op, .limit, .change, .difference]' <<<'["pass",null,null,null,"increase","shift"]'
}

@test "a rise from nothing has no percentage, and counts" {
	local i

	mkdir a b
	for i in 1 2 3 4 5; do
		rate janky_rate 0 1000 >a/$i
		rate janky_rate $((30 + i)) 1000 >b/$i
	done
	compared 1 a b
	says '[.verdict, .a, .b, .effect, .ci_low, .delta]' <<<'["fail",0,3.3,null,null,3.3]'
}

@test "an overrun is held against the period, since its zero is in the middle" {
	run_of 300 12.1 1 1 >a
	run_of 300 12.4 1 2 >b
	compared 0 --metric overrun a b
	says '[.verdict, (.delta / (1000 / 60) * 100 - .effect | fabs) < 1e-9, .effect < 5]' <<<'["pass",true,true]'
}

@test "an overrun or delay at a rate that is not known is held against nothing" {
	local mean i

	# Microseconds about 0, which are any share of one another.
	period=null run_of 300 11.999 1 1 >a
	period=null run_of 300 12.3 0.5 2 >b
	compared 0 --metric overrun a b
	says '[.verdict, .reason, .unit, .limit, .effect, .a < .b]' <<<'["not_enough_data","unknown_rate","ms",null,null,true]'
	compared 0 --metric app_vsync_delay a b
	says '[.verdict, .reason]' <<<'["not_enough_data","unknown_rate"]'
	# What has no sign is a share of itself.
	compared 0 --metric cpu_time a b
	says '[.verdict, .rate_hz]' <<<'["pass",null]'
	# Likewise the metrics of runs.
	for mean in 1 2; do
		for i in 1 2 3 4 5; do
			echo '{"type":"jank_metric","metric":"frame_overrun","definition":"macrobenchmark","unit":"ms","combine":"distribution","samples":100,"min":'0.00$mean$i',"p50":'0.00$mean$i',"max":'0.00$mean$i',"process":"app","rate_hz":null,"trace":'$i'}'
		done >m$mean
	done
	compared 0 --metric frame_overrun m1 m2
	says '[.verdict, .reason, .a_runs]' <<<'["not_enough_data","unknown_rate",5]'
	sed -i 's/"rate_hz":null/"rate_hz":60/' m1 m2
	compared 0 --metric frame_overrun m1 m2
	says '[.verdict, .effect < 1]' <<<'["pass",true]'
}

@test "a trace, and a repetition, is a run, also in one file" {
	local i

	for i in 1 2 3 4 5; do
		trace=$i run_of 50 10 1 $i >>a
		trace=$i run_of 50 12 1 $((i + 10)) >>b
	done
	compared 1 --metric cpu_time a b
	says '[.a_runs, .b_runs, .unit_of_sample]' <<<'[5,5,"run"]'
	rm a b
	# Streams that were put together count their traces from 0 each.
	for i in 1 2 3 4 5; do
		run_of 50 10 1 $i >>a
		run_of 50 12 1 $((i + 10)) >>b
	done
	compared 1 --metric cpu_time a b
	says '[.a_runs, .b_runs]' <<<'[5,5]'
	rm a b
	for i in 1 2 3 4 5; do
		scene="\\\"scenario\\\":\\\"s\\\",\\\"repetition\\\":$i," bare=1 run_of 50 10 1 $i >>a
		scene="\\\"scenario\\\":\\\"s\\\",\\\"repetition\\\":$i," bare=1 run_of 50 12 1 $((i + 10)) >>b
	done
	compared 1 --metric cpu_time a b
	says '[.a_runs, .b_runs, .scenario]' <<<'[5,5,"s"]'
}

@test "what one run says in parts is put together" {
	local i

	mkdir a b
	for i in 1 2 3 4 5; do
		for side in a b; do
			{
				rate janky_rate $i 100
				rate janky_rate 0 300
			} >$side/$i
		done
	done
	compared 0 a b
	says '[.a, .b, .a_samples]' <<<'[0.75,0.75,5]'
	# Percentiles cannot be, without sketches.
	d='{"type":"jank_metric","metric":"frame_duration_cpu","definition":"d","unit":"ms","value":null,"samples":2,"combine":"distribution","scale":1e-6,"min":1,"p50":2,"max":3,"process":"app","rate_hz":60,"trace":0}'
	printf '%s\n' "$d" "$d" >c
	compared 0 --metric frame_duration_cpu c c
	says '[.verdict, .reason]' <<<'["not_enough_data","not_mergeable"]'
}

@test "processes, layers, rates and scenarios are never mixed" {
	local i side

	mkdir a b
	for i in 1 2 3 4 5; do
		for side in a b; do
			{
				rate janky_rate $((10 + i)) 1000
				process=other rate janky_rate $((20 + i)) 1000
				layer="M#$i" rate janky_rate $((30 + i)) 1000
				hz=120 rate janky_rate $((40 + i)) 1000
				labels='"scenario":"s",' rate janky_rate $((50 + i)) 1000
				labels='"cuj":"J<A>",' rate janky_rate $((60 + i)) 1000
			} >$side/$i
		done
	done
	compared 0 a b
	says '[.process, .layer_name, .cuj, .scenario, .rate_hz, .a, .b]' <<-'END'
		["app","L",null,null,60,1.3,1.3]
		["app","L",null,null,120,4.3,4.3]
		["app","L",null,"s",60,5.3,5.3]
		["app","L","J<A>",null,60,6.3,6.3]
		["app","M",null,null,60,3.3,3.3]
		["other","L",null,null,60,2.3,2.3]
	END
	# Frames too.
	rm -r a b
	{ run_of 50 10 1 1; process=other bare=1 run_of 50 20 1 2; period=8333333 bare=1 run_of 50 5 1 3; } >a
	cp a b
	compared 0 --metric cpu_time a b
	says '[.process, .rate_hz, .a_samples, .a > 4, .a > 9, .a > 19]' <<-'END'
		["app",60,50,true,true,false]
		["app",120,50,true,false,false]
		["other",60,50,true,true,true]
	END
}

@test "what only one side has is said" {
	{ run_of 50 10 1 1; process=gone bare=1 run_of 50 10 1 2; } >a
	{ run_of 50 10 1 3; process=new bare=1 run_of 50 10 1 4; } >b
	compared 0 --metric cpu_time a b
	says '[.process, .verdict, .reason, .a_samples, .b_samples, .a != null, .b != null, .p != null]' <<-'END'
		["app","pass",null,50,50,true,true,true]
		["gone","not_enough_data","only_in_a",50,0,true,false,false]
		["new","not_enough_data","only_in_b",0,50,false,true,false]
	END
	compared 1 --strict --metric cpu_time a b
	compared 0 --strict --metric cpu_time a a
}

@test "too little to tell is not enough data, with the reason" {
	rate janky_rate 1 100 >a
	rate janky_rate 9 100 >b
	compared 0 a b
	says '[.verdict, .reason, .a, .b, .unit_of_sample, .p]' <<<'["not_enough_data","one_run",1,9,"run",null]'
	metric=janky_rate sides 3 10 900 1000
	compared 0 a b
	says '[.verdict, .reason]' <<<'["not_enough_data","too_few_runs"]'
	metric=janky_rate sides 4 10 900 1000
	compared 1 a b
	compared 0 --alpha 0.01 a b
	says '[.verdict, .reason]' <<<'["not_enough_data","too_few_runs"]'
	rm -r a b
	run_of 19 10 1 1 >a
	run_of 300 20 1 2 >b
	compared 0 --metric cpu_time a b
	says '[.verdict, .reason, .a_samples]' <<<'["not_enough_data","too_few_frames",19]'
	run_of 100 10 1 1 >a
	compared 0 --metric cpu_time.p99 b a
	says '.verdict' <<<'"pass"'
	run_of 99 10 1 1 >a
	compared 0 --metric cpu_time.p99 b a
	says '[.verdict, .reason]' <<<'["not_enough_data","too_few_frames"]'
	compared 0 --metric vitals_frozen_rate a b
	says '[.verdict, .reason, .metric, .process]' <<<'["not_enough_data","not_found","vitals_frozen_rate",null]'
	jq -c '.cpu_time = null' a >none
	compared 0 none b
	is "$(jq -r .reason got | sort -u)" no_values
}

@test "several comparisons are corrected for, and what so few runs cannot show is said" {
	local i metric

	mkdir a b
	for i in 1 2 3 4; do
		for metric in janky_rate self_jank_rate; do
			rate $metric $i 1000 >>a/$i
			rate $metric $((i + 50)) 1000 >>b/$i
		done
	done
	# 2 / 70 for each of two tests.
	compared 0 --metric janky_rate --metric self_jank_rate a b
	says '[.verdict, .reason, .p, .p_adjusted, .comparisons]' <<-'END'
		["not_enough_data","too_many_comparisons",0.02857142857142857,0.05714285714285714,2]
		["not_enough_data","too_many_comparisons",0.02857142857142857,0.05714285714285714,2]
	END
	compared 1 --metric janky_rate a b
	says '[.verdict, .p_adjusted, .comparisons]' <<<'["fail",0.02857142857142857,1]'
	compared 1 --alpha 0.06 --metric janky_rate --metric self_jank_rate a b
	is "$(jq -r .verdict got | xargs)" 'fail fail'
	# Wanted twice is one test.
	compared 1 --metric janky_rate --metric janky_rate.value a b
	is "$(wc -l <got)" 1
}

# times METRIC MS SAMPLES: a distribution of a run, or null for its values.
times() {
	printf '{"type":"jank_metric","metric":"%s","definition":"d","unit":"ms","value":null,"samples":%s,"combine":"distribution","scale":1e-6,"min":%s,"p50":%s,"p95":%s,"max":%s,"process":"%s","rate_hz":%s,"trace":0}\n' \
		"$1" "$3" "$2" "$2" "$2" "$2" "${process-app}" "${hz-60}"
}

@test "runs of few frames are not tested, and cost the others nothing" {
	local i span

	mkdir a b
	for i in 1 2 3 4 5; do
		{ times frame_duration_cpu "10.$i" 60; hz=null times frame_duration_cpu "10.$i" 1; } >a/$i
		{ times frame_duration_cpu "12.$i" 60; hz=null times frame_duration_cpu "12.$i" 1; } >b/$i
		for span in 50 40 30 20; do
			hz=$span times frame_duration_cpu "10.$i" 19 | tee -a a/$i >>b/$i
		done
		run_of 60 "10.$i" 0 $i >>a/$i
		run_of 60 "12.$i" 0 $i >>b/$i
		period=null bare=1 run_of 1 "10.$i" 0 $i >>a/$i
		period=null bare=1 run_of 1 "12.$i" 0 $i >>b/$i
	done
	compared 1 a b
	says 'select(.rate_hz == 60 or .rate_hz == null or .rate_hz == 20) | [.metric, .statistic, .rate_hz, .verdict, .reason, .comparisons]' <<-'END'
		["frame_duration_cpu","p50",null,"not_enough_data","too_few_frames",4]
		["frame_duration_cpu","p95",null,"not_enough_data","too_few_frames",4]
		["cpu_time","p50",null,"not_enough_data","too_few_frames",4]
		["cpu_time","p95",null,"not_enough_data","too_few_frames",4]
		["frame_duration_cpu","p50",20,"not_enough_data","too_few_frames",4]
		["frame_duration_cpu","p95",20,"not_enough_data","too_few_frames",4]
		["frame_duration_cpu","p50",60,"fail",null,4]
		["frame_duration_cpu","p95",60,"fail",null,4]
		["cpu_time","p50",60,"fail",null,4]
		["cpu_time","p95",60,"fail",null,4]
	END
	# One short run among others is no reason, nor is a short interaction.
	rm -r a b
	mkdir a b
	for i in 1 2 3 4 5; do
		times frame_duration_cpu "10.$i" $((i * 8)) >a/$i
		times frame_duration_cpu "12.$i" $((i * 8)) >b/$i
		times cuj_frame_duration "10.$i" 3 | jq -c '.cuj = "J<A>"' >>a/$i
		times cuj_frame_duration "12.$i" 3 | jq -c '.cuj = "J<A>"' >>b/$i
	done
	compared 1 --metric frame_duration_cpu --metric cuj_frame_duration a b
	is "$(jq -r .verdict got | xargs)" 'fail fail'
}

@test "where slices are missing the platform's own durations are compared, and that is said" {
	local i

	mkdir a b
	for i in 1 2 3 4 5; do
		{ times timeline_duration "10.$i" 60; times frame_duration_cpu null 0; } >a/$i
		{ times timeline_duration "12.$i" 60; times frame_duration_cpu null 0; } >b/$i
		run_of 60 10 1 $i | jq -c 'if .frame_id then .cpu_time = null else . end' | tee -a a/$i >>b/$i
	done
	compared 1 a b
	says '[.metric, .statistic, .process, .verdict, .reason]' <<-'END'
		["frame_duration_cpu","p50",null,"not_enough_data","no_values"]
		["frame_duration_cpu","p95",null,"not_enough_data","no_values"]
		["cpu_time","p50",null,"not_enough_data","no_values"]
		["cpu_time","p95",null,"not_enough_data","no_values"]
		["timeline_duration","p50","app","fail",null]
		["timeline_duration","p95","app","fail",null]
	END
	# With them these are compared, process by process; also where one side has none.
	for i in 1 2 3 4 5; do
		process=other times timeline_duration "10.$i" 60 | tee -a a/$i >>b/$i
		times frame_duration_cpu "10.$i" 60 | tee -a a/$i >>b/$i
	done
	compared 0 a b
	says 'select(.metric != "cpu_time" and .statistic == "p50") | [.metric, .process, .verdict]' <<-'END'
		["frame_duration_cpu","app","pass"]
		["timeline_duration","other","pass"]
	END
	for i in 1 2 3 4 5; do
		grep -v frame_duration_cpu b/$i >less
		mv less b/$i
	done
	compared 1 a b
	says 'select(.metric != "cpu_time" and .statistic == "p50") | [.metric, .process, .verdict, .reason]' <<-'END'
		["frame_duration_cpu","app","not_enough_data","only_in_a"]
		["timeline_duration","app","fail",null]
		["timeline_duration","other","pass",null]
	END
}

@test "the least effect and alpha are the user's" {
	run_of 300 10 1 1 >a
	run_of 300 11.5 1 2 >b
	compared 0 --metric cpu_time --min-effect 30 a b
	says '[.verdict, .min_effect, .difference]' <<<'["pass",30,"none"]'
	run_of 300 10.3 1 2 >b
	compared 1 --metric cpu_time --min-effect 1.5 a b
	says '[.verdict, .min_effect]' <<<'["fail",1.5]'
	compared 0 --metric cpu_time --min-effect 1.5 --alpha 0.000001 a b
	says '[.verdict, .alpha < 0.000002]' <<<'["pass",true]'
}

@test "the same seed gives the same bytes, another one other intervals, and it is printed" {
	run_of 300 10 1 1 >a
	run_of 300 10.3 1 2 >b
	compared 0 a b
	cp got first
	compared 0 --seed 1 a b
	same first got
	compared 0 --seed 2 a b
	is "$(jq .seed got | sort -u)" 2
	[ "$(jq -c '[.ci_low, .ci_high]' got)" != "$(jq -c '[.ci_low, .ci_high]' first)" ]
	is "$(jq -c '[.p, .effect]' got | head -n 1)" "$(jq -c '[.p, .effect]' first | head -n 1)"
	compared 0 --resamples 500 a b
	is "$(jq .resamples got | sort -u)" 500
	# Company does not change what is said of one.
	compared 0 --metric cpu_time a b
	is "$(jq -c '[.ci_low, .ci_high]' got)" "$(jq -c '[.ci_low, .ci_high]' first | head -n 1)"
}

@test "the order of records changes nothing" {
	local i

	mkdir a b
	for i in 1 2 3 4 5 6; do
		{ run_of 50 10 1 $i; rate janky_rate $i 100; rate janky_rate 3 100; process=z bare=1 run_of 30 5 1 $i; } >a/$i
		{ run_of 50 11 1 $((i + 10)); rate janky_rate $((i + 3)) 100; process=z bare=1 run_of 30 5 1 $((i + 5)); } >b/$i
	done
	compared 1 --metric cpu_time --metric cpu_time.p90 --metric ui_time.mean --metric janky_rate a b
	cp got first
	for i in a/* b/*; do
		{ head -n 1 "$i"; sed 1d "$i" | shuf --random-source=<(yes); } >shuffled
		mv shuffled "$i"
	done
	compared 1 --metric cpu_time --metric cpu_time.p90 --metric ui_time.mean --metric janky_rate a b
	same first got
}

@test "where a side does not say its rules, the verdicts name none" {
	run_of 50 10 1 1 >a
	bare=1 run_of 50 10 1 1 >b
	tool got.out tc-jank compare a a
	is "$(only verdict got.out | jq -r .rules | sort -u)" perfetto-57.2
	tool got.out tc-jank compare a b
	ended 0
	is "$(only verdict got.out | jq -r .rules | sort -u)" null
}

@test "runs made by different rules are refused, and both are named" {
	run_of 50 10 1 1 >a
	rules=perfetto-58.1 run_of 50 10 1 1 >b
	tool got.out tc-jank compare a b
	ended 65
	diagnosed rules_differ perfetto-57.2
	has "$stderr" perfetto-58.1
	is "$(only error got.out | jq -c '[.tool, .code, .subject]')" '["tc-jank","rules_differ",null]'
	has "$(only error got.out)" perfetto-58.1
	is "$(only verdict got.out)" ''
	# Of metrics too, and within a side.
	origin='"rules":"r1",' rate janky_rate 1 100 >a
	origin='"rules":"r2",' rate janky_rate 1 100 >>a
	tool got.out tc-jank compare a a
	ended 65
	diagnosed rules_differ r2
}

@test "a side without metrics is refused, and what to do is said" {
	run_of 50 10 1 1 >a
	mkscene -s 3 | tc-import >rows.out
	tool got.out tc-jank compare a rows.out
	ended 65
	diagnosed no_metrics 'run tc-jank metrics'
	has "$stderr" rows.out
	is "$(only error got.out | jq -r .code)" no_metrics
	: >empty
	tool got.out tc-jank compare empty a
	ended 65
	diagnosed no_metrics 'empty: no metrics'
}

@test "the metrics of real scenes are compared with themselves" {
	local seed

	mkdir a
	for seed in 1 2 3 4; do
		mkscene -s 3 -S $seed -m system | tc-import | tc-jank --ignore-upstream metrics >a/$seed
	done
	compared 0 --metric janky_rate --metric cpu_time a a
	says 'select(.process == "com.example.app") | [.metric, .verdict, .reason, .p, .effect, .difference]' <<-'END'
		["cpu_time","pass",null,1,0,"none"]
		["janky_rate","pass",null,1,0,"none"]
	END
}

@test "other records pass, metrics are replaced unless --keep is given" {
	run_of 50 10 1 1 >a
	{ echo '{"type":"zebra","n":[1.0]}'; run_of 50 10 1 2; } >b
	tool got.out tc-jank compare --metric cpu_time a b
	ended 0
	is "$(between got.out | jq -r .type | xargs)" 'trace zebra trace verdict'
	tool got.out tc-jank compare --keep --metric cpu_time a b
	ended 0
	between got.out | head -n -1 | cmp - <(cat a b)
	tool got.out tc-jank compare --metric cpu_time a - <b
	ended 0
	is "$(only verdict got.out | jq -r .verdict)" pass
}

@test "neither one side nor three are compared" {
	run_of 50 10 1 1 >a
	for sides in a 'a a a' ''; do
		# shellcheck disable=SC2086 # words
		tool got.out tc-jank compare $sides
		ended 2
		diagnosed usage 'compare needs exactly two files or folders, A and B'
	done
}

@test "an input that cannot be read leaves no verdict" {
	run_of 50 10 1 1 >a
	mkdir none
	tool got.out tc-jank compare a missing
	ended 66
	is "$(only verdict got.out)" ''
	tool got.out tc-jank compare none a
	ended 66
	diagnosed no_input 'none: no files in it'
	touch none/.hidden
	tool got.out tc-jank compare a none
	ended 66
	diagnosed no_input 'none: no files in it'
	{ cat a; echo '{"type":"frame_metrics","cpu_time":"x"}'; cat a; } >bad
	tool got.out tc-jank compare a bad
	ended 65
	diagnosed malformed bad:52
	is "$(only verdict got.out)" ''
	tool got.out tc-jank compare -k --metric cpu_time a bad
	ended 65
	is "$(only verdict got.out | wc -l)" 1
	rate janky_rate -1 100 >bad
	tool got.out tc-jank compare a bad
	ended 65
	diagnosed malformed bad:1
	# What cannot be read in a folder is missed there as well, without waiting for it.
	for make in 'ln -s nowhere' 'ln -s self' mkfifo; do
		mkdir odd
		cp a odd/run
		(cd odd && $make self)
		tool got.out timeout 20 tc-jank compare --metric cpu_time odd a
		ended 66
		diagnosed no_input odd/self
		is "$(only verdict got.out)" ''
		rm -r odd
	done
	# A folder's hidden files and folders are not read.
	mkdir side side/inner
	cp a side/run
	echo 'no record' >side/.hidden
	compared 0 --metric cpu_time side a
}

@test "extreme values are no crash and no nonsense" {
	local v

	for v in 9223372036854775807 -9223372036854775808 -9223372036854775807 0; do
		run_of 40 10 1 1 | jq -c "if .frame_id then .cpu_time = $v | .dur = $v | .overrun = $v | .ts = $v | .period_ns = $v else . end" |
			sed -E 's/9223372036854775807|9223372036854776000|9223372036854775808/9223372036854775807/g' >a
		tool got.out tc-jank compare --metric cpu_time --metric dur.p90 --metric overrun.mean a a
		ended 0
		is "$(only verdict got.out | jq -r 'select(.verdict == "fail")')" ''
	done
	for v in 1e308 -1e308 0; do
		rm -rf a
		mkdir a
		for i in 1 2 3 4 5; do
			echo '{"type":"jank_metric","metric":"fps_window","combine":"distribution","samples":1,"p50":'$v',"min":'$v',"max":'$v',"trace":0}' >a/$i
		done
		tool got.out tc-jank compare --metric fps_window a a
		ended 0
		is "$(only verdict got.out | jq -r .verdict)" pass
	done
}

@test "options and sides are checked" {
	local name wants

	run_of 20 10 1 1 >a
	while read -r part options; do
		tool got.out tc-jank compare $options
		ended 2
		diagnosed usage "$part"
	done <<-'END'
		A a
		A a a a
		speed --metric speed a a
		janky_frames --metric janky a a
		frame_duration_cpu --metric frame_duration.p50 a a
		value --metric cpu_time.value a a
		max --metric cpu_time.max a a
		p50 --metric fps.p50 a a
		alpha --alpha 0 a a
		alpha --alpha 0.9 a a
		alpha --alpha x a a
		min-effect --min-effect -1 a a
		min-effect --min-effect 1.2.3 a a
		min-effect --min-effect . a a
		resamples --resamples 10 a a
		seed --seed -1 a a
		app --app x a a
	END
	tool got.out tc-jank compare --metric "$(printf 'x%.0s' {1..64})" a a
	ended 2
	diagnosed usage 'no metric is called "xxx'
	wants=()
	for name in {frame_duration_cpu,timeline_duration,present_interval,fps_window,frame_overrun}.{min,p1,p50,p90,p95,p99,max} \
		{cpu_time,ui_time,dur,overrun,app_vsync_delay}.{p1,p50,p90,p95,p99,mean}; do
		wants+=(--metric "$name")
	done
	tool got.out tc-jank compare "${wants[@]:0:128}" a a
	ended 0
	tool got.out tc-jank compare "${wants[@]}" a a
	ended 2
	diagnosed usage '--metric app_vsync_delay.mean: more than 64 metrics'
	tool got.out tc-jank stats --metric fps a
	ended 2
	diagnosed usage '--metric: not with stats'
}
