load helper

# Verdicts of tc-jank on metrics that are in the stream: `value=17 metric` is a record.

metric() {
	printf '{"type":"jank_metric","metric":"%s","definition":"%s","unit":"%s","value":%s,%s"samples":%s,"combine":"ratio",%s"upid":%s,"pid":%s,"process":%s,"layer_name":%s,%s%s%s"rate_hz":%s,"period_ns":%s,"ts":%s,"dur":10,%s"machine_id":0,"trace":%s}\n' \
		"${name-fps}" "${definition-$([ "${name-fps}" = fps ] && echo presents || echo frametimeline)}" "${unit-fps}" "${value-60}" "${why:+\"reason\":\"$why\",}" "${samples-100}" \
		"${p95:+\"p95\":$p95,\"max\":99,}" "${upid-1}" "${pid-1000}" "${process-\"com.example.app\"}" \
		"${layer-null}" "${cuj:+\"cuj\":\"$cuj\",}" "${scenario:+\"scenario\":\"$scenario\",}" \
		"${repetition:+\"repetition\":$repetition,}" "${rate-60}" "${period-16666666}" "${ts-1}" \
		"${device:+\"device\":\"$device\",}" "${trace-0}"
}

device() {
	printf '{"type":"device","device":"%s","platform":%s,"state":"device","serial":"x","model":%s,"sdk":%s,"release":"14","build":"b"}\n' \
		"$1" "${platform-\"android\"}" "$2" "$3"
}

# rule MEMBERS: a file of one rule, about fps to be at least 58.
rule() {
	printf '{"rules":[{"name":"r","metric":"fps"%s%s%s}]%s}' \
		"${op-,\"op\":\">=\"}" "${limit-,\"limit\":58}" "${1:+,$1}" "${2:+,$2}" >rules.json
}

# judge FILE [OPTION...]: what comes of it, a line for each verdict.
judge() {
	tool got.out tc-jank rules -r rules.json "${@:2}" "$1"
	only verdict got.out | jq -r '[.verdict, .reason // "-", if .policy then "\(.parts)/\(.judged)/\(.failed)" else .value end]
		| join(" ")' >got
}

# wanted LINE...
wanted() {
	printf '%s\n' "$@" | same - got
}

# ---- verdicts ----

@test "each operator compares the value with the limit" {
	local op line

	while read -r op lower equal higher; do
		op=",\"op\":\"$op\"" rule
		for value in "57.5 $lower" "58 $equal" "58.5 $higher"; do
			value=${value% *} metric >in
			judge in
			wanted "${value#* } - ${value% *}" "${value#* } - 1/1/$([ "${value#* }" = fail ] && echo 1 || echo 0)"
			[ "$status" -eq "$([ "${value#* }" = fail ] && echo 1 || echo 0)" ]
		done
	done <<-'END'
		< pass fail fail
		<= pass pass fail
		> fail fail pass
		>= fail pass pass
		== fail pass fail
		!= pass fail pass
	END
}

@test "a verdict says what was judged, and how, in full" {
	rule '"min_samples":50,"scope":{"scenario":"scr*"}'
	layer='"L"' scenario=scroll repetition=3 device=adb:1 value=57.25 metric >in
	tool got.out tc-jank rules -r rules.json in
	ended 1
	silent
	only verdict got.out | same - <(
		cat <<-'END'
			{"type":"verdict","verdict":"fail","by":"rules","rule":"r","metric":"fps","definition":"presents","statistic":"value","op":">=","limit":58,"unit":"fps","value":57.25,"samples":100,"min_samples":50,"upid":1,"process":"com.example.app","layer_name":"L","scenario":"scroll","repetition":3,"rate_hz":60,"ts":1,"dur":10,"device":"adb:1","machine_id":0,"trace":0}
			{"type":"verdict","verdict":"fail","by":"rules","rule":"r","metric":"fps","definition":"presents","statistic":"value","op":">=","limit":58,"unit":"fps","value":null,"samples":100,"min_samples":50,"policy":"all","parts":1,"judged":1,"failed":1,"process":null,"layer_name":null,"rate_hz":null}
		END
	)
	# The metrics themselves pass.
	only jank_metric got.out | cmp in
}

@test "every scenario and every repetition is judged, not only the first" {
	rule
	for repetition in 1 2 3 4; do
		value=60 scenario=scroll ts=$repetition metric
		value=$((repetition == 3 ? 50 : 60)) scenario=fling ts=$repetition metric
	done >in
	judge in
	ended 1
	wanted 'pass - 60' 'pass - 60' 'fail - 50' 'pass - 60' 'pass - 60' 'pass - 60' 'pass - 60' 'pass - 60' 'fail - 8/8/1'
	is "$(only verdict got.out | jq -rc 'select(.verdict == "fail" and .policy == null) | [.scenario, .repetition]')" '["fling",3]'
}

@test "a repetition in which there is nothing of the rule's process or layer is not passed over" {
	rule '"scope":{"process":"com.example.app"}'
	{
		for repetition in 1 2 3; do
			process='"com.other"' scenario=scroll metric
			process='"com.other"' scenario=elsewhere metric
			[ $repetition = 3 ] || scenario=scroll metric
		done
	} >in
	judge in --strict
	ended 1
	wanted 'not_enough_data nothing_in_scope ' 'pass - 60' 'pass - 60' 'not_enough_data parts_not_judged 3/2/0'
	is "$(only verdict got.out | jq -c 'select(.reason == "nothing_in_scope") | [.scenario, .repetition, .trace, .samples]')" '["scroll",3,0,0]'
	# Likewise of a layer, and where the process is chosen by --app.
	rule '"scope":{"layer":"L"}'
	{ layer='"L"' metric; trace=1 layer='"M"' metric; } >in
	judge in
	wanted 'not_enough_data nothing_in_scope ' 'pass - 60' 'not_enough_data parts_not_judged 2/1/0'
	rule
	{ metric; trace=1 process='"com.other"' metric; } >in
	judge in --app com.example.app
	wanted 'not_enough_data nothing_in_scope ' 'pass - 60' 'not_enough_data parts_not_judged 2/1/0'
	# The interactions of another process are none of this one's.
	rule '"scope":{"process":"com.example.app"}'
	{ scenario='J<A>' metric; trace=1 scenario='J<A>' process='"com.other"' metric; } >in
	sed 's/"scenario":"[^"]*"/&,"scenario_is_cuj":1/' in >cuj
	judge cuj
	wanted 'pass - 60' 'pass - 1/1/0'
	# A scene that is called like one is everybody's.
	judge in
	wanted 'not_enough_data nothing_in_scope ' 'pass - 60' 'not_enough_data parts_not_judged 2/1/0'
}

@test "too few samples, no value, and no limit are not enough data, each with its reason" {
	rule '"min_samples":100'
	samples=99 metric >in
	judge in
	ended 0
	wanted 'not_enough_data too_few_samples 60' 'not_enough_data parts_not_judged 1/0/0'
	samples=100 metric >in
	judge in
	wanted 'pass - 60' 'pass - 1/1/0'
	samples=null metric >in
	judge in
	wanted 'not_enough_data samples_not_known 60' 'not_enough_data parts_not_judged 1/0/0'
	value=null why=no_frames metric >in
	judge in
	wanted 'not_enough_data no_frames ' 'not_enough_data parts_not_judged 1/0/0'
	value=null metric >in
	judge in
	wanted 'not_enough_data no_value ' 'not_enough_data parts_not_judged 1/0/0'
}

@test "--strict exits 1 on not enough data, and on nothing else that passes" {
	rule
	metric >in
	judge in --strict
	ended 0
	value=null metric >in
	judge in
	ended 0
	judge in --strict
	ended 1
	judge /dev/null --strict
	ended 1
	wanted 'not_enough_data no_trace 0/0/0'
	# One part of two: the other could not save it, or need not.
	{ metric; value=null ts=2 metric; } >in
	rule '"policy":"any"'
	judge in --strict
	ended 0
	wanted 'pass - 60' 'not_enough_data no_value ' 'pass - 2/1/0'
}

@test "a rule that nothing fits says so, and why" {
	rule '"scope":{"process":"com.other"}'
	metric >in
	judge in
	ended 0
	wanted 'not_enough_data nothing_in_scope 0/0/0'
	name=frames unit=frames metric >in
	judge in
	wanted 'not_enough_data no_such_metric 0/0/0'
}

@test "rules for which neither a trace nor a number came have failed" {
	rule
	echo '{"type":"zebra"}' >in
	for option in '' --strict '--app com.example.app'; do
		for input in in /dev/null; do
			# shellcheck disable=SC2086 # words
			judge $input --junit j.xml $option
			ended 1
			diagnosed no_trace 'no trace came down the pipe'
			wanted 'not_enough_data no_trace 0/0/0'
			is "$(only error got.out | jq -c '[.tool, .code, .subject]')" "[\"tc-jank\",\"no_trace\",$([ "${option#--a}" = "$option" ] && echo null || echo '"com.example.app"')]"
			same - j.xml <<-'END'
				<?xml version="1.0" encoding="UTF-8"?>
				<testsuites name="tc-jank rules" tests="1" failures="0" errors="1" skipped="0">
				  <testsuite name="r" tests="1" failures="0" errors="1" skipped="0">
				    <testcase classname="r" name="all parts"><error type="no_trace" message="no_trace: policy all: 0 parts, of which 0 were judged and 0 failed"/></testcase>
				  </testsuite>
				</testsuites>
			END
		done
	done
	# A trace in which nothing was drawn is one, and its numbers stand for a trace.
	echo '{"type":"trace","trace":0}' >in
	judge in
	ended 0
	wanted 'not_enough_data no_frames ' 'not_enough_data parts_not_judged 1/0/0'
	name=frames metric >in
	judge in
	ended 0
}

@test "on a terminal one line says how many rules passed and how many did not" {
	command -v script >/dev/null || skip 'script (bsdutils) is not here'
	needs_terminal
	cat >rules.json <<-'END'
		{"rules":[{"name":"z","metric":"fps","op":">","limit":0},
			{"name":"a","metric":"fps","op":"<","limit":0},
			{"name":"m","metric":"frames","op":">","limit":0}]}
	END
	metric >in
	script -qec 'tc-jank rules -r rules.json in >got.out' /dev/null </dev/null >screen || :
	is "$(tr -d '\r' <screen)" 'tc-jank: note: rules: 1 passed, 1 failed, 1 without enough data'
}

# ---- scope ----

# in_scope SCOPE: the upids of the parts that a rule of this scope has.
in_scope() {
	rule "\"scope\":$1" "$classes"
	tool got.out tc-jank rules -r rules.json in
	is "$(only verdict got.out | jq -r 'select(.policy == null).upid // empty' | sort -n | paste -sd ' ')" "$2"
}

@test "each key of a scope chooses by name, by pattern, and by being absent" {
	{
		upid=1 metric
		upid=2 process='"com.example.other"' metric
		upid=3 process=null metric
		upid=4 layer='"L#1"' metric
		upid=5 cuj='J<A>' metric
		upid=6 scenario=scroll metric
		upid=7 rate=120 metric
		upid=8 rate=null metric
		upid=9 device=adb:1 metric
	} >in
	in_scope '{}' '1 2 3 4 5 6 7 8 9'
	in_scope '{"process":"com.example.other"}' 2
	in_scope '{"process":"com.*.o*"}' 2
	in_scope '{"process":null}' 3
	in_scope '{"layer":"L#[1]"}' 4
	in_scope '{"layer":"L"}' ''
	in_scope '{"layer":null}' '1 2 3 5 6 7 8 9'
	in_scope '{"cuj":"J<A>"}' 5
	in_scope '{"cuj":"J<?>"}' 5
	in_scope '{"cuj":null}' '1 2 3 4 6 7 8 9'
	in_scope '{"scenario":"scr*"}' 6
	in_scope '{"scenario":null}' '1 2 3 4 5 7 8 9'
	in_scope '{"rate_hz":120}' 7
	in_scope '{"rate_hz":null}' 8
	in_scope '{"device":"adb:*"}' 9
	in_scope '{"device":null}' '1 2 3 4 5 6 7 8'
	in_scope '{"process":"com.example.app","rate_hz":60,"scenario":null,"cuj":null,"layer":null,"device":null}' 1
}

@test "a name that is like a pattern fits as it is" {
	layer='"a[b]*"' metric >in
	in_scope '{"layer":"a[b]*"}' 1
}

@test "a class of devices is told by their records, whenever these come" {
	{
		upid=1 device=adb:1 metric
		upid=2 device=adb:2 metric
		device adb:1 '"Pixel 4"' 30
		device adb:2 '"Pixel 9"' 35
		device ios:3 '"iPhone12,1"' null
		upid=3 device=ios:3 metric
	} >in
	platform='"ios"' device ios:3 '"iPhone12,1"' null >>in
	classes='"device_classes":{"old":{"sdk_max":30},"new":{"sdk_min":31,"platform":"android"},"pixel":{"model":"Pixel*"},
		"four":{"model":["Nexus*","Pixel 4"]},"apple":{"platform":"ios"},"between":{"sdk_min":31,"sdk_max":34}}'
	in_scope '{"device_class":"new"}' 2
	in_scope '{"device_class":"pixel"}' '1 2'
	in_scope '{"device_class":"four"}' 1
	in_scope '{"device_class":"apple"}' 3
	# The sdk of the third is not known.
	in_scope '{"device_class":"old"}' '1 3'
	in_scope '{"device_class":"between"}' 3
	is "$(only verdict got.out | jq -rc '[.device_class, .reason]' | sort -u)" $'["between","device_class_not_known"]\n["between","parts_not_judged"]'
}

@test "a device of which there is no record may be of the class, and is not judged" {
	{ metric; device=adb:1 ts=2 metric; } >in
	rule '"scope":{"device_class":"c"}' '"device_classes":{"c":{"model":"*"}}'
	judge in --strict
	ended 1
	wanted 'not_enough_data device_class_not_known 60' 'not_enough_data device_class_not_known 60' 'not_enough_data parts_not_judged 2/0/0'
}

@test "--app chooses among metrics by name, pattern, pid and upid" {
	rule
	{ metric; upid=2 pid=2000 process='"com.other"' value=1 metric; } >in
	for app in com.example.app 'com.ex*' pid=1000 upid=1; do
		judge in --app "$app"
		ended 0
		wanted 'pass - 60' 'pass - 1/1/0'
	done
	judge in --app com.none
	ended 0
	wanted 'not_enough_data nothing_in_scope 0/0/0'
}

# ---- limits in frames, statistics ----

@test "limit_frames is in periods of the rate in force, and needs one" {
	cat >rules.json <<-'END'
		{"rules":[{"name":"r","metric":"timeline_duration","statistic":"p95","op":"<=","limit_frames":1.5}]}
	END
	{
		name=timeline_duration unit=ms value=null p95=20 metric
		name=timeline_duration unit=ms value=null p95=20 rate=120 period=8333333 ts=2 metric
		name=timeline_duration unit=ms value=null p95=20 rate=50 period=null ts=3 metric
		name=timeline_duration unit=ms value=null p95=20 rate=null period=null ts=4 metric
	} >in
	tool got.out tc-jank rules -r rules.json in
	ended 1
	is "$(only verdict got.out | jq -rc '[.verdict, .rate_hz, .limit, .limit_frames, .value, .reason]')" \
		'["not_enough_data",null,null,1.5,20,"rate_not_known"]
["pass",50,30,1.5,20,null]
["pass",60,24.999999,1.5,20,null]
["fail",120,12.4999995,1.5,20,null]
["fail",null,null,1.5,null,null]'
}

@test "the statistic is the one that is asked for" {
	cat >rules.json <<-'END'
		{"rules":[{"name":"a","metric":"timeline_duration","statistic":"p95","op":"<=","limit":20},
			{"name":"b","metric":"timeline_duration","statistic":"max","op":"<=","limit":20},
			{"name":"c","metric":"timeline_duration","statistic":"p50","op":"<=","limit":20}]}
	END
	name=timeline_duration unit=ms value=null p95=20 metric >in
	judge in
	ended 1
	wanted 'pass - 20' 'pass - 1/1/0' 'fail - 99' 'fail - 1/1/1' \
		'not_enough_data no_value ' 'not_enough_data parts_not_judged 1/0/0'
}

# ---- policies ----

# policy POLICY PARTS VERDICT [REASON]: of parts written p (pass), f (fail), n.
policy() {
	local i

	rule "\"policy\":$1"
	for ((i = 0; i < ${#2}; i++)); do
		case ${2:i:1} in
		p) ts=$i metric ;;
		f) value=1 ts=$i metric ;;
		n) value=null ts=$i metric ;;
		esac
	done >in
	judge in
	is "$1 $2 $(tail -n 1 got | cut -d ' ' -f 1,2)" "$1 $2 $3 ${4--}"
	is "$status" "$([ "$3" = fail ] && echo 1 || echo 0)"
}

@test "all must pass: one failure is enough, and what is not judged leaves it open" {
	policy '"all"' ppp pass
	policy '"all"' ppf fail
	policy '"all"' pnf fail
	policy '"all"' ppn not_enough_data parts_not_judged
	policy '"all"' n not_enough_data parts_not_judged
}

@test "the samples of a rule are those of the parts that were judged" {
	rule '"min_samples":50,"unjudged":"skip"'
	{ samples=49 metric; ts=2 samples=70 metric; ts=3 samples=80 metric; } >in
	tool got.out tc-jank rules -r rules.json in
	ended 0
	is "$(only verdict got.out | jq -c 'select(.policy) | [.parts, .judged, .samples]')" '[3,2,150]'
	{ samples=null metric; ts=2 samples=70 metric; } >in
	tool got.out tc-jank rules -r rules.json in
	is "$(only verdict got.out | jq -c 'select(.policy) | [.parts, .judged, .samples]')" '[2,1,70]'
}

@test "any may pass: one is enough, and what is not judged leaves it open" {
	policy '"any"' ffp pass
	policy '"any"' nfp pass
	policy '"any"' fff fail
	policy '"any"' ffn not_enough_data parts_not_judged
}

@test "k must pass, of however many there are" {
	policy '{"at_least":2}' ppfff pass
	policy '{"at_least":2}' pfff fail
	policy '{"at_least":2}' pffn not_enough_data parts_not_judged
	policy '{"at_least":2}' ff fail
	policy '{"at_least":2}' fff fail
}

@test "fewer parts than must pass leave it open" {
	policy '{"at_least":2}' p not_enough_data too_few_parts
	policy '{"at_least":3}' pp not_enough_data too_few_parts
	policy '{"at_least":3}' pf fail
	policy '{"at_least":3}' ppn not_enough_data parts_not_judged
	policy '{"at_least":3},"unjudged":"skip"' ppn not_enough_data parts_not_judged
	judge in --strict
	ended 1
}

@test "a number in another unit, or after another definition, is not judged" {
	rule
	unit=s metric >in
	definition=mine ts=2 metric >>in
	ts=3 metric >>in
	judge in
	ended 0
	wanted 'not_enough_data unit_differs 60' 'not_enough_data definition_differs 60' 'pass - 60' \
		'not_enough_data parts_not_judged 3/1/0'
	is "$(only verdict got.out | jq -r '[.unit, .definition] | join(" ")' | head -n 2 | paste -sd ,)" 's presents,fps mine'
	# 4 s are less than 5 in number alone.
	echo '{"rules":[{"name":"r","metric":"timeline_duration","statistic":"p95","op":"<","limit":5}]}' >rules.json
	name=timeline_duration unit=s p95=4 metric >in
	judge in
	wanted 'not_enough_data unit_differs 4' 'not_enough_data parts_not_judged 1/0/0'
}

@test "k of n must pass: missing parts leave it open, of more the same share must pass" {
	policy '{"at_least":2,"of":3}' ppf pass
	policy '{"at_least":2,"of":3}' pff fail
	policy '{"at_least":2,"of":3}' pnf not_enough_data parts_not_judged
	policy '{"at_least":2,"of":3}' pp pass
	policy '{"at_least":2,"of":3}' p not_enough_data too_few_parts
	policy '{"at_least":2,"of":3}' ff fail
	policy '{"at_least":2,"of":3}' ppppff pass
	policy '{"at_least":2,"of":3}' pppfff fail
	policy '{"at_least":2,"of":3}' pppf pass
	policy '{"at_least":2,"of":3}' ppff fail
	is "$(only verdict got.out | jq -r 'select(.policy).policy')" 'at least 2 of 3'
}

@test "parts without enough data are left out where the rule says so, and any was judged" {
	policy '"all","unjudged":"skip"' ppn pass
	policy '"all","unjudged":"skip"' pfn fail
	policy '"all","unjudged":"skip"' nn not_enough_data parts_not_judged
	policy '"any","unjudged":"skip"' fn fail
	policy '"all","unjudged":"open"' ppn not_enough_data parts_not_judged
	policy '{"at_least":2,"of":3},"unjudged":"skip"' ppn pass
	policy '{"at_least":2,"of":3},"unjudged":"skip"' pnn not_enough_data parts_not_judged
	policy '{"at_least":1},"unjudged":"skip"' fn fail
	is "$(only verdict got.out | jq -c 'select(.policy) | [.parts, .judged, .failed]')" '[2,1,1]'
}

# ---- one answer ----

@test "verdicts do not hang on the order of lines" {
	local i

	rule
	for i in 5 3 9 1; do
		scenario=s$i repetition=$i metric
		layer="\"L$i\"" ts=$i metric
		device=adb:$i value=50 metric
	done >in
	judge in
	cp got.out first.out
	tac in >back
	judge back
	only verdict first.out | same - <(only verdict got.out)
}

@test "rules are judged in the order of the file" {
	cat >rules.json <<-'END'
		{"rules":[{"name":"z","metric":"fps","op":">","limit":0},{"name":"a","metric":"fps","op":"<","limit":0},
			{"name":"m","metric":"frames","op":">","limit":0}]}
	END
	{ name=frames unit=frames metric; metric; } >in
	tool got.out tc-jank rules -r rules.json in
	ended 1
	is "$(only verdict got.out | jq -r '"\(.rule) \(.verdict)"' | tr '\n' ' ')" 'z pass z pass a fail a fail m pass m pass '
}

# ---- the file ----

# refused PART... < FILE: status 65 and one line that has all of these.
refused() {
	local part

	cat >rules.json
	tool got.out tc-jank rules -r rules.json /dev/null
	ended 65
	for part in rules.json "$@"; do
		diagnosed malformed "$part" || return 1
	done
	framed 65 got.out
}

@test "an unknown key is an error that names the rule, the key, and those there are" {
	refused 'rules[1]: rule "b": unknown key "treshold"' 'a rule can have name, metric, statistic, op, limit, limit_frames, scope, min_samples, policy, unjudged' \
		<<<'{"rules":[{"name":"a","metric":"fps","op":">","limit":1},{"name":"b","metric":"fps","op":">","treshold":1}]}'
	refused 'rules[0]: rule "a": "scope": unknown key "layer_name"; a scope can have process, layer, cuj, scenario, device, device_class, rate_hz' \
		<<<'{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"scope":{"layer_name":"x"}}]}'
	refused '"policy": unknown key "k"; a policy can have at_least, of' \
		<<<'{"rules":[{"name":"a","policy":{"k":1}}]}'
	refused 'unknown key "rule"; a file of rules can have rules, device_classes, $schema' <<<'{"rule":[]}'
	refused '"device_classes": "c": unknown key "os"; a device class can have platform, model, sdk_min, sdk_max' \
		<<<'{"device_classes":{"c":{"os":"x"}},"rules":[]}'
}

@test "what is missing is named" {
	refused 'a file of rules needs "rules"' <<<'{}'
	refused 'a rule needs "name"' 'rules[0]' <<<'{"rules":[{"metric":"fps","op":">","limit":1}]}'
	refused 'rule "a": a rule needs "metric"' <<<'{"rules":[{"name":"a","op":">","limit":1}]}'
	refused 'a rule needs "op"' <<<'{"rules":[{"name":"a","metric":"fps","limit":1}]}'
	refused 'needs either "limit" or "limit_frames"' <<<'{"rules":[{"name":"a","metric":"fps","op":">"}]}'
	refused 'needs either "limit" or "limit_frames"' <<<'{"rules":[{"name":"a","metric":"present_interval","statistic":"p95","op":">","limit":1,"limit_frames":1}]}'
	refused 'a policy needs "at_least"' <<<'{"rules":[{"name":"a","policy":{"of":1}}]}'
	refused '"statistic": of present_interval it must be one of min' <<<'{"rules":[{"name":"a","metric":"present_interval","op":">","limit":1}]}'
}

@test "a value of the wrong kind, or out of range, is an error that says what it must be" {
	local member bad

	while read -r member bad; do
		refused "\"$member\"" must <<<"{\"rules\":[{\"name\":\"a\",\"metric\":\"fps\",\"op\":\">\",\"limit\":1,\"$member\":$bad}]}"
	done <<-'END'
		statistic 5
		statistic "p42"
		limit_frames -1
		limit_frames "1"
		limit_frames 1e999
		scope []
		min_samples 0
		min_samples 1.5
		min_samples 18446744073709551616
		policy "some"
		policy 3
		policy null
		unjudged "never"
		unjudged true
	END
	refused '"op"' 'must be one of "<", "<=", ">", ">=", "==", "!="' <<<'{"rules":[{"name":"a","metric":"fps","op":"=>","limit":1}]}'
	refused '"limit"' 'must be a number' <<<'{"rules":[{"name":"a","metric":"fps","op":">","limit":"58"}]}'
	refused '"name"' 'must be a text' <<<'{"rules":[{"name":""}]}'
	refused '"name"' 'must be a text' <<<'{"rules":[{"name":"a\u0000b"}]}'
	refused '"metric"' 'no metric is called "fsp"; tc-jank(1) lists them' <<<'{"rules":[{"name":"a","metric":"fsp"}]}'
	[[ $stderr != *'is one'* ]]
	refused '"metric"' 'janky_frames is one' <<<'{"rules":[{"name":"a","metric":"janky"}]}'
	refused '"metric"' 'perfetto_cpu_time is one' <<<'{"rules":[{"name":"a","metric":"cpu_time"}]}'
	refused '"scope": "rate_hz"' 'must be a whole number' <<<'{"rules":[{"name":"a","scope":{"rate_hz":59.9}}]}'
	refused '"scope": "layer"' 'must be a pattern' <<<'{"rules":[{"name":"a","scope":{"layer":1}}]}'
	refused '"policy"' '"of" is less than "at_least"' <<<'{"rules":[{"name":"a","policy":{"at_least":2,"of":1}}]}'
	refused 'rules.json: "rules": must be a list of 1 to 1000 rules' <<<'{"rules":[]}'
	refused 'rules.json: rules[0]: rule "a": "op": must be one of' <<<'{"rules":[{"name":"a","op":"~"}]}'
	refused 'a rule must be an object with name' <<<'{"rules":[1]}'
	refused '"device_classes": "c"' 'says nothing' <<<'{"device_classes":{"c":{}},"rules":[]}'
	refused '"c": "sdk_max" is less than "sdk_min"' <<<'{"device_classes":{"c":{"sdk_min":31,"sdk_max":30}},"rules":[]}'
	refused '"model"' 'must not be empty' <<<'{"device_classes":{"c":{"model":[]}},"rules":[]}'
	refused '"platform"' 'must be "android" or "ios"' <<<'{"device_classes":{"c":{"platform":"tizen"}},"rules":[]}'
}

@test "what two places of the file say together is checked too" {
	refused 'rules[1]: rule "a": "name": another rule has it too' \
		<<<'{"rules":[{"name":"a","metric":"fps","op":">","limit":1},{"name":"a","metric":"fps","op":">","limit":1}]}'
	refused '"device_class": no class of "device_classes" is called "c"' \
		<<<'{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"scope":{"device_class":"c"}}]}'
	refused '"limit_frames": only for metrics in ms; fps is in fps' \
		<<<'{"rules":[{"name":"a","metric":"fps","op":">","limit_frames":1}]}'
	refused '"name" stands there twice' <<<'{"rules":[{"name":"a","name":"b"}]}'
	refused '"c" stands there twice' <<<'{"device_classes":{"c":{"sdk_min":1},"c":{"sdk_min":1}},"rules":[]}'
	# A class may stand behind the rules that name it.
	echo '{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"scope":{"device_class":"c"}}],"device_classes":{"c":{"sdk_min":1}}}' >rules.json
	judge <(echo "{\"type\":\"trace\",\"trace\":0}")
	ended 0
}

@test "a file that is no JSON is an error with line and column; one too large is refused" {
	refused 'rules.json: 2:3: not JSON' <<-'END'
		{"rules":
		  x}
	END
	refused 'a file of rules must be an object' <<<'[]'
	refused 'not JSON' </dev/null
	head -c 500000 /dev/zero | tr '\0' '[' | refused 'not JSON: nested too deep'
	head -c 1048577 /dev/zero | tr '\0' ' ' | refused 'at most 1048576 bytes'
}

@test "a file that cannot be opened is 66, and no file is a usage error" {
	tool got.out tc-jank rules -r missing /dev/null
	ended 66
	has "$stderr" missing
	tool got.out tc-jank rules /dev/null
	ended 2
	has "$stderr" '-r FILE'
	tool got.out tc-jank frames -r missing /dev/null
	ended 2
	has "$stderr" 'not with frames'
	rule
	for option in --strict '--junit x' '--markers x' --cuj '--scenario x' '--edge both'; do
		tool got.out tc-jank stats $option /dev/null
		ended 2
		has "$stderr" 'not with stats'
	done
	tool got.out tc-jank rules -r rules.json --edge some /dev/null
	ended 2
	has "$stderr" 'start-in, end-in, both or clip'
}

@test "the rules are looked at before any input is" {
	echo '{"rules":0}' >rules.json
	mkfifo never
	tool got.out timeout 10 tc-jank rules -r rules.json never
	ended 65
}

# ---- JUnit ----

@test "--junit writes a suite for each rule and a case for each part" {
	cat >rules.json <<-'END'
		{"rules":[{"name":"all <&>","metric":"fps","op":">=","limit":58},
			{"name":"any","metric":"fps","op":">=","limit":58,"policy":"any"},
			{"name":"none","metric":"frames","op":">=","limit":58}]}
	END
	{
		value=60.5 layer='"a\"b<c>&'"'"'#7"' rate=null metric
		value=50 scenario=$'s' repetition=2 device=adb:1 trace=null ts=null upid=null metric
		value=null why=no_frames process='"com.x"' cuj='J<A>' metric
	} >in
	tool got.out tc-jank rules -r rules.json --junit j.xml in
	ended 1
	silent
	same - j.xml <<-'END'
		<?xml version="1.0" encoding="UTF-8"?>
		<testsuites name="tc-jank rules" tests="9" failures="2" errors="0" skipped="3">
		  <testsuite name="all &lt;&amp;&gt;" tests="4" failures="2" errors="0" skipped="1">
		    <testcase classname="all &lt;&amp;&gt;" name="process com.example.app, layer a&quot;b&lt;c&gt;&amp;&apos;, rate unknown, trace 0"><system-out>pass: fps value is 60.5 fps, to be &gt;= 58; samples 100; layer a&quot;b&lt;c&gt;&amp;&apos;#7; trace 0; machine 0; from 1 ns; upid 1</system-out></testcase>
		    <testcase classname="all &lt;&amp;&gt;" name="process com.x, cuj J&lt;A&gt;, 60 Hz, trace 0"><skipped message="no_frames: fps value is unknown fps, to be &gt;= 58; samples 100"/><system-out>not_enough_data: fps value is unknown fps, to be &gt;= 58; samples 100; trace 0; machine 0; from 1 ns; upid 1</system-out></testcase>
		    <testcase classname="all &lt;&amp;&gt;" name="process com.example.app, scenario s, repetition 2, 60 Hz, device adb:1"><failure type="fail" message="fps value is 50 fps, to be &gt;= 58; samples 100"/><system-out>fail: fps value is 50 fps, to be &gt;= 58; samples 100; device adb:1; machine 0</system-out></testcase>
		    <testcase classname="all &lt;&amp;&gt;" name="all parts"><failure type="fail" message="policy all: 3 parts, of which 2 were judged and 1 failed"/></testcase>
		  </testsuite>
		  <testsuite name="any" tests="4" failures="0" errors="0" skipped="1">
		    <testcase classname="any" name="process com.example.app, layer a&quot;b&lt;c&gt;&amp;&apos;, rate unknown, trace 0"><system-out>pass: fps value is 60.5 fps, to be &gt;= 58; samples 100; layer a&quot;b&lt;c&gt;&amp;&apos;#7; trace 0; machine 0; from 1 ns; upid 1</system-out></testcase>
		    <testcase classname="any" name="process com.x, cuj J&lt;A&gt;, 60 Hz, trace 0"><skipped message="no_frames: fps value is unknown fps, to be &gt;= 58; samples 100"/><system-out>not_enough_data: fps value is unknown fps, to be &gt;= 58; samples 100; trace 0; machine 0; from 1 ns; upid 1</system-out></testcase>
		    <testcase classname="any" name="process com.example.app, scenario s, repetition 2, 60 Hz, device adb:1"><system-out>fail: fps value is 50 fps, to be &gt;= 58; samples 100; device adb:1; machine 0</system-out></testcase>
		    <testcase classname="any" name="all parts"><system-out>policy any: 3 parts, of which 2 were judged and 1 failed</system-out></testcase>
		  </testsuite>
		  <testsuite name="none" tests="1" failures="0" errors="0" skipped="1">
		    <testcase classname="none" name="all parts"><skipped message="no_such_metric: policy all: 0 parts, of which 0 were judged and 0 failed"/></testcase>
		  </testsuite>
		</testsuites>
	END
	if command -v xmllint >/dev/null; then
		xmllint --noout j.xml
	fi
}

# names: of the cases of j.xml, one a line.
names() {
	sed -n 's/.*<testcase[^>]* name="\([^"]*\)".*/\1/p' j.xml
}

@test "the names in a JUnit file are the same in every run, and no two are the same" {
	rule
	# Times and the numbers of a trace differ from run to run.
	for run in 1 2; do
		ts=$((run * 100)) upid=$run layer="\"app/.Main#$((run * 7))\"" device=adb:$run metric >in
		tool got.out tc-jank rules -r rules.json --junit j.xml in
		names >names$run
	done
	same names1 names2
	same - names1 <<-'END'
		process com.example.app, layer app/.Main, 60 Hz
		all parts
	END
	# Two traces are told apart by their files, where these are known.
	for file in one.pftrace two.pftrace; do
		printf '{"type":"trace","path":"%s","trace":0}\n' $file
		metric
	done >in
	tool got.out tc-jank rules -r rules.json --junit j.xml in
	same - <(names) <<-'END'
		process com.example.app, 60 Hz, trace one.pftrace
		process com.example.app, 60 Hz, trace two.pftrace
		all parts
	END
	has "$(<j.xml)" '; path two.pftrace; trace 0;'
	# What nothing tells apart is counted.
	{ metric; ts=5 metric; ts=9 metric; rate=120 metric; } >in
	tool got.out tc-jank rules -r rules.json --junit j.xml in
	same - <(names) <<-'END'
		process com.example.app, 60 Hz
		process com.example.app, 60 Hz (2)
		process com.example.app, 60 Hz (3)
		process com.example.app, 120 Hz
		all parts
	END
}

@test "a JUnit file names the traces whose rows are in the stream" {
	for seed in 1 2; do
		mkscene -s $seed -m system >s$seed.pftrace
		tc-import s$seed.pftrace
	done >in
	echo '{"rules":[{"name":"r","metric":"frames","op":">","limit":0,"scope":{"process":"com.example.app","rate_hz":60}}]}' >rules.json
	tool got.out tc-jank rules -r rules.json --junit j.xml in
	ended 0
	is "$(names | grep -o 'trace .*' | sort -u | xargs)" 'trace s1.pftrace trace s2.pftrace'
}

@test "a process that is missing from one of two streams is missed in that one" {
	rule '"scope":{"process":"com.example.app"}'
	{
		echo '{"type":"trace","path":"one","trace":0}'
		metric
		process='"com.other"' metric
		echo '{"type":"trace","path":"two","trace":0}'
		process='"com.other"' metric
	} >in
	judge in
	wanted 'not_enough_data nothing_in_scope ' 'pass - 60' 'not_enough_data parts_not_judged 2/1/0'
}

@test "a JUnit file is XML whatever the names are" {
	rule
	printf '%s\n' '{"type":"jank_metric","metric":"fps","unit":"\u0007","value":1,"samples":5,"process":"\u0000\u0001\t\n\r\u001b\u007f\ufffe\uffff\ufffd\u0085 ü😀","layer_name":"]]>","reason":null,"ts":1,"trace":0}' >in
	printf '{"type":"jank_metric","metric":"fps","unit":"ms","value":1,"samples":5,"process":"a","layer_name":"--><x>","ts":1,"trace":0}\n' >>in
	tool got.out tc-jank rules -r rules.json --junit j.xml in
	ended 0
	command -v xmllint >/dev/null || skip 'xmllint is not here'
	xmllint --noout j.xml
	is "$(xmllint --xpath 'string(//testcase[1]/@name)' j.xml)" $'process \xef\xbf\xbd\xef\xbf\xbd\t\n\r\xef\xbf\xbd\x7f\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc2\x85 ü😀, layer ]]>, rate unknown'
}

@test "a JUnit file shows when it is whole, and one that cannot be written is 74" {
	rule
	metric >in
	echo old >j.xml
	tool got.out tc-jank rules -r rules.json --junit no/such/folder/j.xml in
	ended 74
	has "$stderr" no/such/folder/j.xml
	echo '{"type":"jank_metric","ts":}' >>in
	tool got.out tc-jank rules -r rules.json --junit j.xml in
	ended 65
	is "$(cat j.xml)" old
	is "$(ls j.xml*)" j.xml
	metric >in
	tool got.out tc-jank rules -r rules.json --junit j.xml in
	ended 0
	is "$(head -c 5 j.xml)" '<?xml'
	is "$(ls j.xml*)" j.xml
}

@test "a JUnit file takes no place but a file's: links are followed, pipes and devices written" {
	rule
	metric >in
	tool got.out tc-jank rules -r rules.json --junit real.xml in
	ended 0
	# A link stays one, and what it leads to is written.
	echo old >other.xml
	ln -s other.xml link.xml
	tool got.out tc-jank rules -r rules.json --junit link.xml in
	ended 0
	[ -L link.xml ]
	cmp other.xml real.xml
	ln -s nowhere dangling.xml
	tool got.out tc-jank rules -r rules.json --junit dangling.xml in
	ended 74
	[ -L dangling.xml ]
	# A pipe.
	mkfifo pipe
	timeout 20 cat pipe >got.xml &
	tool got.out timeout 20 tc-jank rules -r rules.json --junit pipe in
	wait $!
	ended 0
	[ -p pipe ]
	cmp got.xml real.xml
	# What the records go to, if it is a pipe, where one of them ends.
	run bash -o pipefail -c 'tc-jank rules -r rules.json --junit /dev/stdout in | cat >both'
	ended 0
	grep -v '^{' both | cmp - real.xml
	is "$(grep -c '^{' both)" 5
	# The folder itself.
	tool got.out tc-jank rules -r rules.json --junit . in
	ended 74
	is "$(ls -d ./*xml.* ./pipe.* 2>/dev/null)" ''
}

@test "a device that a JUnit file is written to stays, and where that fails it is 74" {
	rule
	metric >in
	mknod full c 1 7 2>/dev/null || skip 'no device can be made here'
	tool got.out tc-jank rules -r rules.json --junit full in
	ended 74
	has "$stderr" full
	[ -c full ]
}

@test "a JUnit file in the place of what is still needed is a usage error" {
	rule
	metric >in
	echo '{"type":"zebra"}' >markers
	cp rules.json rules.old
	cp in in.old
	ln in same
	while read -r what options; do
		tool got.out tc-jank rules -r rules.json $options
		ended 2
		has "$stderr" "${what//_/ }"
	done <<-'END'
		the_file_of_rules --junit rules.json in
		the_file_of_rules --junit ./rules.json in
		the_file_of_markers --markers markers --junit markers in
		an_input --junit in in
		an_input --junit same /dev/null in
		records --junit - in
	END
	tool got.out tc-jank rules -r rules.json --junit in <in
	ended 2
	tool got.out tc-jank rules -r rules.json --junit got.out in
	ended 2
	has "$stderr" 'the output'
	cmp rules.json rules.old
	cmp in in.old
	[ ! -e ./- ]
}

@test "standard input is one thing: rules, markers, or the records" {
	rule
	metric >in
	while read -r option rest; do
		tool got.out tc-jank rules $rest <in
		ended 2
		diagnosed usage "$option"
	done <<-'END'
		-r -r -
		-r -r - -
		-r -r - in -
		--markers -r rules.json --markers -
		--markers -r rules.json --markers - in -
		--markers -r - --markers - in
	END
	tool got.out tc-jank metrics --markers - <in
	ended 2
	mkfifo pipe
	tool got.out timeout 20 tc-jank rules -r rules.json --markers pipe pipe
	ended 2
	# Alone it may be.
	tool got.out tc-jank rules -r - in <rules.json
	ended 0
	tool got.out tc-jank rules -r rules.json --markers - in <<<'{"type":"marker","ts":1,"dur":2,"name":"m"}'
	ended 0
	tool got.out tc-jank rules -r rules.json --markers rules.json rules.json
	ended 65
}

# ---- the schema and the example ----

# keys_of SECTION: as the schema has them.
keys_of() {
	jq -r "$1.properties | keys[]" "$ROOT/examples/rules.schema.json" | sort
}

# keys_said FILE: as the tool lists them when one is wrong.
keys_said() {
	cat >rules.json
	tool got.out tc-jank rules -r rules.json /dev/null
	ended 65
	jq -r .msg <<<"$stderr" | sed 's/.* can have //; s/, /\n/g' | sort
}

@test "the schema has the keys that the tool knows, and no others" {
	same <(keys_of '') <(keys_said <<<'{"x":0}')
	same <(keys_of '."$defs".rule') <(keys_said <<<'{"rules":[{"x":0}]}')
	same <(keys_of '."$defs".scope') <(keys_said <<<'{"rules":[{"scope":{"x":0}}]}')
	same <(keys_of '."$defs".policy') <(keys_said <<<'{"rules":[{"policy":{"x":0}}]}')
	same <(keys_of '."$defs".device_class') <(keys_said <<<'{"device_classes":{"c":{"x":0}}}')
	is "$(jq -c '[.. | objects | select(.properties) | .additionalProperties] | unique' "$ROOT/examples/rules.schema.json")" '[false]'
}

# validates FILE: by the schema.
validates() {
	python3 - "$ROOT/examples/rules.schema.json" "$1" <<-'END'
		import json, sys, jsonschema
		jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))
	END
}

@test "the example is good by the schema and by the tool, and both refuse the same" {
	cp "$ROOT/examples/ci-rules.json" rules.json
	judge <(echo "{\"type\":\"trace\",\"trace\":0}")
	ended 0
	python3 -c 'import jsonschema' 2>/dev/null || skip 'there is no validator'
	validates rules.json
	while read -r line; do
		echo "$line" >rules.json
		run ! validates rules.json
		judge /dev/null
		ended 65
	done <<-'END'
		{}
		{"rules":[]}
		{"rules":[{"name":"a","metric":"fps","op":">"}]}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"limit_frames":1}]}
		{"rules":[{"name":"a","metric":"fps","op":"~","limit":1}]}
		{"rules":[{"name":"","metric":"fps","op":">","limit":1}]}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"min_samples":0}]}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"policy":"most"}]}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"policy":{"of":2}}]}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"scope":{"rate_hz":0}}]}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"statistic":"p42"}]}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1,"x":1}]}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1}],"device_classes":{"c":{}}}
		{"rules":[{"name":"a","metric":"fps","op":">","limit":1}],"device_classes":{"c":{"model":[]}}}
	END
}

@test "ci.sh says what failed, and ends as the rules do" {
	mkscene -s 5 >scene.pftrace
	"$ROOT/examples/ci.sh" scene.pftrace >got
	is "$(cut -f 1,3,4 got | sort | uniq -c | tr -s ' \t' ' ' | paste -sd ,)" ' 1 not_enough_data 0 0, 2 pass 1 0, 1 pass 2 0'
	echo '{"rules":[{"name":"never late","metric":"janky_frames","op":"==","limit":0,"scope":{"process":"com.example.app"}}]}' >rules.json
	run --separate-stderr "$ROOT/examples/ci.sh" scene.pftrace rules.json junit.xml
	ended 1
	is "$(head -n 1 <<<"$output" | cut -f 1,2)" $'fail\tnever late'
	has "$output" $'failed\tnever late\tcom.example.app'
	has "$(cat junit.xml)" '<failure'
	run --separate-stderr "$ROOT/examples/ci.sh" missing
	[ "$status" -ne 0 ]
	run --separate-stderr "$ROOT/examples/ci.sh" scene.pftrace missing
	ended 66
	run --separate-stderr "$ROOT/examples/ci.sh"
	[ "$status" -ne 0 ]
	has "$stderr" usage
}

# ---- what every tool does ----

@test "an output that cannot be written is 74, and a malformed line 65 or skipped" {
	rule
	metric >in
	run --separate-stderr bash -c 'tc-jank rules -r rules.json in >/dev/full'
	ended 74
	{ metric; echo '{"type":"jank_metric","value":"x"}'; ts=2 metric; } >in
	tool got.out tc-jank rules -r rules.json in
	ended 65
	diagnosed malformed in:2
	tool got.out tc-jank rules -k -r rules.json in
	ended 65
	is "$(only verdict got.out | wc -l)" 3
	# A rule that failed counts for less than an input that was no good.
	{ value=1 metric; echo '{"type":"jank_metric","value":"x"}'; } >in
	tool got.out tc-jank rules -k -r rules.json in
	ended 65
}
