load helper

# ---- records, in the order of their fields; what a test does not care for has a default ----

# metric NAME VALUE SAMPLES COMBINE MEMBERS: MEMBERS is JSON, `"num":1,"den":2,`, or nothing.
metric() {
	printf '{"type":"jank_metric","metric":"%s","definition":"d","unit":"%s","value":%s,"samples":%s,"combine":"%s",%s"upid":1,"pid":2,"process":%s,"layer_name":%s,%s"rate_hz":%s,"period_ns":16666667,"ts":5,"dur":%s,%s"machine_id":0,"trace":0}\n' \
		"$1" "${unit-ms}" "$2" "$3" "$4" "${5-}" "${process-\"app\"}" "${layer-\"L\"}" "${labels-}" \
		"${rate-60}" "${dur-100}" "${origin-}"
}

# stats ROWS POSITIVE SUM AVG MAX
stats() {
	printf '{"type":"jank_stats","upid":1,"pid":2,"process":"app","layer_name":"L","is_buffer":"Yes","jank_tag":"%s","jank_type":"None","present_type":"On-time Present","on_time_finish":1,"surface_frame_rows":%s,"closed_positive_rows":%s,"zero_rows":0,"open_rows":0,"sum_closed_ns":%s,"avg_closed_ms":%s,"max_closed_ms":%s,"machine_id":0,"trace":0}\n' \
		"${tag-No Jank}" "$1" "$2" "$3" "$4" "$5"
}

# merged FILE...: the records that came of them, in `got`.
merged() {
	tool got.out tc-jank merge "$@"
	ended 0 || return 1
	silent || return 1
	only 'jank_metric|jank_stats' got.out >got
}

@test "sums are added up, ratios are of sums, of extremes the greatest stays" {
	{
		unit=frames metric sum 3 10 sum '"num":3,'
		metric ratio 12.5 8 ratio '"num":1,"den":8,"scale":100,'
		metric most 4 8 max '"num":4,'
		metric ratio 50 2 ratio '"num":1,"den":2,"scale":100,'
		metric most 9 8 max '"num":9,'
		unit=frames metric sum 4 5 sum '"num":4,'
		metric most -2 8 max '"num":-2,'
	} >in
	merged in
	same - got <<-'END'
		{"type":"jank_metric","metric":"most","definition":"d","unit":"ms","value":9,"samples":24,"combine":"max","num":9,"scale":1,"upid":null,"pid":null,"process":"app","layer_name":"L","rate_hz":60,"period_ns":null,"ts":null,"dur":300,"runs":3,"runs_unknown":0,"machine_id":null,"trace":null}
		{"type":"jank_metric","metric":"ratio","definition":"d","unit":"ms","value":20,"samples":10,"combine":"ratio","num":2,"den":10,"scale":100,"upid":null,"pid":null,"process":"app","layer_name":"L","rate_hz":60,"period_ns":null,"ts":null,"dur":200,"runs":2,"runs_unknown":0,"machine_id":null,"trace":null}
		{"type":"jank_metric","metric":"sum","definition":"d","unit":"frames","value":7,"samples":15,"combine":"sum","num":7,"scale":1,"upid":null,"pid":null,"process":"app","layer_name":"L","rate_hz":60,"period_ns":null,"ts":null,"dur":200,"runs":2,"runs_unknown":0,"machine_id":null,"trace":null}
	END
}

@test "what differs in process, layer, interaction, scenario, rate, definition or rules stays apart" {
	{
		metric m 1 1 sum '"num":1,'
		process=null metric m 1 1 sum '"num":1,'
		layer=null metric m 1 1 sum '"num":1,'
		rate=null metric m 1 1 sum '"num":1,'
		rate=120 metric m 1 1 sum '"num":1,'
		labels='"cuj":"J<A>",' metric m 1 1 sum '"num":1,'
		labels='"scenario":"s",' metric m 1 1 sum '"num":1,'
		origin='"rules":"r1",' metric m 1 1 sum '"num":1,'
		origin='"rules":"r2",' metric m 1 1 sum '"num":1,'
		unit=s metric m 1 1 sum '"num":1,'
		metric m 1 1 max '"num":1,'
		metric m 1 1 sum '"num":1,' | sed 's/"definition":"d"/"definition":"e"/'
	} >in
	cat in in >twice
	merged twice
	is "$(wc -l <got)" "$(wc -l <in)"
	is "$(jq .runs got | sort -u)" 2
	jq -c '[.process, .layer_name, .cuj, .scenario, .rate_hz, .rules]' got >keys
	is "$(head -n 1 keys)" '[null,"L",null,null,60,null]'
}

@test "traces, devices and repetitions are combined, and named where there is but one" {
	{
		labels='"repetition":1,' origin='"device":"a",' metric m 1 1 sum '"num":1,'
		labels='"repetition":1,' origin='"device":"b",' metric m 1 1 sum '"num":1,'
		labels='"repetition":1,' origin='"device":"a",' metric n 1 1 sum '"num":1,'
		labels='"repetition":2,' origin='"device":"a",' metric n 1 1 sum '"num":1,'
	} >in
	merged in
	is "$(jq -c '[.metric, .device, .repetition, .runs]' got | tr '\n' ' ')" \
		'["m",null,1,2] ["n","a",null,2] '
}

@test "what has no value adds to the runs, and is counted" {
	{
		metric m null 0 ratio '' | sed 's/"samples"/"reason":"no_frames","samples"/'
		metric m 0.5 2 ratio '"num":1,"den":2,'
		metric n null 0 ratio '' | sed 's/"samples"/"reason":"z","samples"/'
		metric n null 0 ratio '' | sed 's/"samples"/"reason":"a","samples"/'
	} >in
	merged in
	is "$(jq -c '[.metric, .value, .reason, .samples, .num, .runs, .runs_unknown]' got | tr '\n' ' ')" \
		'["m",0.5,null,2,1,2,1] ["n",null,"a",0,null,2,2] '
}

@test "what is not known has no scale, and joins what is; two scales have no sum" {
	{
		metric m null 0 ratio ''
		metric m 50 2 ratio '"num":1,"den":2,"scale":100,'
		metric x 50 2 ratio '"num":1,"den":2,"scale":100,'
		metric x 0.5 2 ratio '"num":1,"den":2,"scale":1,'
		metric x 50 2 ratio '"num":1,"den":2,"scale":100,'
		metric d null 0 distribution ''
		metric d null 1 distribution "$(sketch 4 4 4 '[[1082,1]]')\"scale\":1e-6,"
	} >in
	merged in
	is "$(jq -c '[.metric, .value, .reason, .num, (.scale | if . == 1e-6 then "ms" else . end), .p50, .runs]' got | tr '\n' ' ')" \
		'["d",null,null,null,"ms",4,2] ["m",50,null,1,100,null,2] ["x",null,"scale_differs",null,null,null,3] '
	cp got first
	tac in >back
	merged back
	same first got
	split -l 1 in part.
	for part in part.*; do tc-jank merge "$part"; done >parts
	merged parts
	same first got
}

sketch() {
	echo "\"min\":$1,\"p50\":$2,\"max\":$3,\"method\":\"nearest_rank\",\"sketch\":{\"error\":0.0078125,\"buckets\":$4},"
}

@test "distributions with sketches combine, and percentiles are those of all values" {
	# Nanoseconds: 1 ms is in bucket 954, from 0.999424 ms on and 0.008192 wide, 2 ms in
	# 1018, 4 ms in 1082.
	{
		metric d null 3 distribution "$(sketch 1 1 1.001 '[[954,3]]')"
		metric d null 1 distribution "$(sketch 4 4 4 '[[1082,1]]')"
		metric d null 0 distribution ''
		metric d null 2 distribution "$(sketch 1.999 2 2.01 '[[1018,2]]')"
	} >in
	merged in
	is "$(jq -c '[.samples, .min, .p50, .p99, .max, .method, .reason, .runs, .runs_unknown]' got)" \
		'[6,1,1.00352,4,4,"sketch",null,4,1]'
	is "$(jq -c .sketch got)" '{"error":0.0078125,"buckets":[[954,3],[1018,2],[1082,1]]}'
	# Within the error that is stated.
	is "$(jq '.p90 | . >= 4 * (1 - 0.0078125) and . <= 4' got)" true
}

@test "without sketches the percentiles of several are unknown, and stay so" {
	{
		metric d null 3 distribution '"min":1,"p50":2,"p90":3,"p95":3,"p99":3,"max":3,"method":"nearest_rank",'
		metric d null 2 distribution '"min":0.5,"p50":1,"p90":9,"p95":9,"p99":9,"max":9,"method":"nearest_rank",'
	} >in
	merged in
	is "$(jq -c '[.samples, .min, .p50, .p99, .max, .method, .reason]' got)" '[5,0.5,null,null,9,null,"not_mergeable"]'
	{
		cat got
		metric d null 1 distribution "$(sketch 4 4 4 '[[1082,1]]')"
	} >more
	merged more
	is "$(jq -c '[.samples, .p50, .sketch, .reason]' got)" '[6,null,null,"not_mergeable"]'
	# Of one that has samples they are what they were.
	{
		head -n 1 in
		metric d null 0 distribution '' | sed 's/"samples"/"reason":"no_frames","samples"/'
	} >one
	merged one
	is "$(jq -c '[.samples, .p50, .p99, .method, .reason, .runs, .runs_unknown]' got)" '[3,2,3,"nearest_rank",null,2,1]'
}

@test "stats are added up, and the mean is that of all" {
	{
		stats 4 3 25000001 8.333334 10.000001
		stats 2 1 9000002 9.000002 9.000002
		tag=Dropped stats 7 0 0 null null
		tag=Old stats 1 1 null 5 5 | sed 's/"sum_closed_ns":null,//'
		tag=Old stats 1 1 5000000 5 6
	} >in
	merged in
	is "$(jq -c '[.jank_tag, .surface_frame_rows, .closed_positive_rows, .sum_closed_ns, .avg_closed_ms, .max_closed_ms, .runs, .upid, .trace]' got)" \
		'["Dropped",7,0,0,null,null,1,null,null]
["No Jank",6,4,34000003,8.500001,10.000001,2,null,null]
["Old",2,2,null,null,6,2,null,null]'
}

@test "a sum that is too great is unknown, in every order" {
	{
		unit=ns metric m 9e18 1 sum '"num":9000000000000000000,'
		unit=ns metric m 9e18 1 sum '"num":9000000000000000000,'
		unit=ns metric m 1 1 sum '"num":1,'
		metric d null 9223372036854775807 distribution "$(sketch 1 1 1 '[[954,9223372036854775807]]')"
		metric d null 1 distribution "$(sketch 1 1 1 '[[954,1]]')"
		stats 9223372036854775807 1 9223372036854775806 9223372036854.775 1
		stats 1 1 5 0.000005 1
		stats 1 1 5 0.000005 1
	} >in
	merged in
	is "$(only jank_metric got | jq -c '[.metric, .value, .reason, .num == null, .samples, .sketch]' | tr '\n' ' ')" \
		'["d",null,"not_mergeable",true,null,null] ["m",null,"overflow",false,3,null] '
	is "$(only jank_stats got | jq -c '[.surface_frame_rows, .closed_positive_rows, .sum_closed_ns, .avg_closed_ms]')" '[null,3,null,null]'
	mv got first
	tac in >back
	merged back
	same first got
	split -l 2 in part.
	for part in part.*; do tc-jank merge "$part"; done >parts
	merged parts
	same first got
}

# For the property tests: many records of few groups, with holes and extremes.
random_records() {
	jq -nc --argjson seed "$1" '
		def next: (. * 1103515245 + 12345) % 2147483648;
		def pick($n): ((. / 65536) | floor) % $n;
		[limit(60; $seed | recurse(next; true))] | . as $r
		| range(4; 56) as $i | $r[$i] as $a | $r[$i + 1] as $b | $r[$i + 2] as $c | $r[$i + 3] as $d
		| {type: "jank_metric", metric: "m\($a | pick(2))", definition: "d", unit: "ms", value: null,
			samples: ($b | pick(4)), combine: ["sum", "ratio", "max", "distribution"][$d | pick(4)],
			num: ($c | pick(1000)), den: (1 + ($d | pick(1000))), scale: 100,
			upid: $i, pid: 1, process: "app", layer_name: ([null, "L"][$b | pick(2)]), rate_hz: 60,
			dur: ([5, null, 7][$a | pick(3)]), device: (["a", "b", "a"][$c | pick(3)]), rules: "r", machine_id: 0, trace: ($i % 5)}
		| if .samples == 0 then del(.num, .den) + {reason: "none\($c | pick(3))"}
		  elif .combine == "distribution" then
			del(.num, .den) + {min: ($c | pick(9)), p50: ($c | pick(9)), max: (9 + ($c | pick(9))), method: "nearest_rank"}
			| .scale = 1
			| if ($a | pick(5)) > 0 and .metric == "m1" then
				.min = ($c | pick(50))
				| .max = (if .samples == 1 then .min else 60 + ($d | pick(50)) end)
				| .sketch = {error: 0.0078125, buckets: (if .samples == 1 then [[.min, 1]] else [[.min, .samples - 1], [.max, 1]] end)}
			  else . end
		  elif .combine == "ratio" then .value = .num * 100 / .den
		  else .value = .num * 100 end
		| [.type, .metric] as [$t, $m] | {type: $t} + .'
}

@test "any order and any grouping of the same records give the same bytes" {
	local seed groups

	for seed in 1 2 3 4 5 6; do
		random_records $((seed * 7919)) >in
		{
			stats $((seed * 3)) $seed $((seed * 1000003)) 1 1.5
			stats 5 2 77777 0.1 $seed.25
		} >>in
		is "$(wc -l <in)" 54
		merged in
		mv got whole
		[ "$(wc -l <whole)" -gt 8 ]
		for groups in 1 2 3 7 20; do
			rm -f part.*
			shuf --random-source=<(yes "$seed $groups") in | split -n "r/$groups" - part.
			for part in part.*; do
				merged "$part"
				cat got
			done >all
			# And groups of groups.
			head -n 40 all >left
			tail -n +41 all >right
			merged left
			mv got parts
			merged right
			cat got >>parts
			merged parts
			same whole got
		done
	done
}

@test "merging the stats of parts equals the stats of the whole" {
	mkscene -s 6 -S 5 | tc-import >import.out
	only 'process|actual_frame' import.out >rows
	first=$(jq -s 'map(.ts // empty) | min' rows)
	for i in 0 1 2; do
		jq -c "select(.type == \"process\" or
			(((.ts - $first) / 2000000000 | floor | [., 2] | min) == $i))" rows >rows.$i
		tc-jank stats rows.$i >stats.$i
	done
	tc-jank stats rows >stats
	merged stats
	jq -c 'del(.runs)' got >whole
	[ "$(jq -s 'map(.surface_frame_rows) | add' whole)" -gt 100 ]
	merged stats.0 stats.1 stats.2
	jq -c 'del(.runs)' got | same whole -
	cat stats.2 stats.0 >two
	tc-jank merge two >pair
	merged stats.1 pair
	jq -c 'del(.runs)' got | same whole -
}

# What is of single rows, and so adds up; not when, how often and in which scene.
rows_of() {
	jq -c 'select(.samples > 0 and (.definition | IN("frametimeline", "perfetto_tag",
			"tc_jank", "refresh_period", "jankstats", "matrix", "android_vitals")) and
			.metric != "smooth_rate")
		| del(.runs, .runs_unknown, .dur, .scenario, .repetition)' got
}

@test "merging the metrics of scenes that leave nothing out equals those of the whole" {
	mkscene -s 6 -S 5 | tc-import >import.out
	first=$(only actual_frame import.out | jq -s 'map(.ts) | min')
	for i in $(seq 0 9); do
		echo "{\"type\":\"marker\",\"ts\":$((first - 1000000000 + i * 1000000000)),\"dur\":1000000000,\"name\":\"a\"}"
	done >markers
	for sketch in '' --sketch; do
		tc-jank metrics $sketch import.out >metrics.out
		merged metrics.out
		rows_of >whole
		[ "$(wc -l <whole)" -gt 40 ]
		tc-jank metrics $sketch --markers markers import.out >metrics.out
		[ "$(only jank_metric metrics.out | jq .repetition | sort -u | wc -l)" -gt 5 ]
		merged metrics.out
		# Percentiles of several need sketches, and of one they are exact.
		jq -c 'del(.p1, .p50, .p90, .p95, .p99, .method, .reason)' whole >wanted
		rows_of | jq -c 'del(.p1, .p50, .p90, .p95, .p99, .method, .reason)' | same wanted -
	done
}

@test "a record that is no part of a whole is malformed" {
	local bad

	while read -r bad; do
		{
			echo '{"type":"zebra"}'
			eval "$bad"
			metric m 1 1 sum '"num":1,'
		} >in
		tool got.out tc-jank merge in
		ended 65
		diagnosed malformed in:2
		tool got.out tc-jank merge -k in
		ended 65
		is "$(between got.out | jq -c '[.type, .value]' | tr '\n' ' ')" '["zebra",null] ["jank_metric",1] '
	done <<-'END'
		metric m 1 1 sum ''
		metric m 1 1 sum '"num":-1,'
		metric m 1 1 ratio '"num":1,'
		metric m 1 1 ratio '"num":1,"den":0,'
		metric m 1 1 ratio '"num":1,"den":-5,'
		metric m 1 1 mean '"num":1,'
		metric m 1 -1 sum '"num":1,'
		origin='"runs":0,' metric m 1 1 sum '"num":1,'
		metric m 1 1 sum '"num":1,' | sed 's/"metric":"m",//'
		metric d null 1 distribution "$(sketch 1 1 1 '[[2,1],[1,1]]')"
		metric d null 1 distribution "$(sketch 1 1 1 '[[9999,1]]')"
		metric d null 1 distribution "$(sketch 1 1 1 '[[1,0]]')"
		metric d null 1 distribution "$(sketch 1 1 1 '[[1,1]]' | sed s/0.0078125/0.02/)"
		metric d null 2 distribution "$(sketch 1 1 1 '[[954,1]]')"
		metric d null 0 distribution "$(sketch 1 1 1 '[[954,1]]')"
		metric d null null distribution "$(sketch 1 1 1 '[[954,1]]')"
		metric d null 1 distribution "$(sketch 1 1 1 '[[1082,1]]')"
		metric d null 2 distribution "$(sketch 4 2 1 '[[954,2]]')"
		metric d null 1 distribution '"p50":1,'
		metric m 2 1 sum '"num":1,'
		metric m 0 1 sum '"num":1,"scale":0,'
		metric m -5 1 sum '"num":1,"scale":-5,'
		unit=percent metric m 200 1 ratio '"num":2,"den":1,"scale":100,'
		origin='"runs":1,"runs_unknown":2,' metric m 1 1 sum '"num":1,'
		stats -1 0 0 null null
	END
}

@test "a value that is too great for a number is unknown, with the reason" {
	metric m null 1 sum '"num":9223372036854775806,"scale":1e308,' | sed 's/"samples"/"reason":"overflow","samples"/' >in
	cat in in >twice
	merged twice
	is "$(jq -c '[.value, .reason, .runs]' got)" '[null,"overflow",2]'
	metric m 1.7e308 1 sum '"num":17,"scale":1e307,' >in
	cat in in >twice
	merged twice
	is "$(jq -c '[.value, .reason, .num]' got)" '[null,"overflow",34]'
}

@test "what is no number of that kind passes unchanged, rows too" {
	{
		echo '{"type":"zebra","n":[1.0]}'
		cat "$DATA/records/frame_metrics.jsonl" "$DATA/records/actual_frame.jsonl" "$DATA/records/trace.jsonl"
	} >rows
	{ cat rows; metric m 1 1 sum '"num":1,'; } >in
	tool got.out tc-jank merge in
	ended 0
	between got.out | head -n -1 | cmp rows
	: >empty
	tool got.out tc-jank merge empty
	ended 0
	framed 0 got.out
	metric m 1 1 sum '"num":1,' >in
	tool got.out tc-jank merge --keep in
	ended 0
	is "$(between got.out | wc -l)" 2
	is "$(between got.out | head -n 1)" "$(<in)"
}

@test "rows of traces are nothing to merge, which is said" {
	cp "$DATA/records/actual_frame.jsonl" in
	tool got.out tc-jank merge in
	ended 65
	diagnosed no_metrics 'rows of traces and no metrics: run tc-jank metrics on them'
	is "$(only error got.out | jq -r .code)" no_metrics
	echo '{"type":"jank_stats","rows":1}' >>in
	tool got.out tc-jank merge in
	ended 0
}

@test "a folder is no input, and its files are" {
	mkdir M
	tool got.out tc-jank merge M
	ended 66
	diagnosed no_input 'M: is a directory: name files of it, as M/*'
}

@test "options of other modes are refused" {
	for option in --app=x --all --sf=pid=1; do
		tool got.out tc-jank $option merge /dev/null
		ended 2
		diagnosed usage "${option%%=*}: not with merge"
	done
}

@test "a full disk is noticed" {
	metric m 1 1 sum '"num":1,' >in
	run --separate-stderr bash -c 'tc-jank merge in >/dev/full'
	ended 74
}
