load helper

# refresh_rate records: the period in force, by the spacing of expected display frames.

# vsyncs START STEP COUNT [MASK]: display frames; with MASK, the actual ones have this jank.
cookie=0
vsyncs() {
	local i ts

	for ((i = 0; i < $3; i++)); do
		ts=$(($1 + i * $2))
		echo "edisp ts=$ts cookie=$((++cookie)) token=$cookie pid=100"
		echo "end ts=$((ts + 10000000)) cookie=$cookie"
		[ -z "${4-}" ] || echo "adisp ts=$ts cookie=$((++cookie)) token=$cookie pid=100 jank=$4"
	done
}

# import OPTION...: got.out, from the script on standard input.
import() {
	trace t.pftrace
	tool got.out tc-import "$@" t.pftrace
	ended 0
}

# rates: "TS DUR PERIOD EDGE" of each span.
rates() {
	only refresh_rate got.out | jq -c '[.ts, .dur, .period_ns, .edge // []]' | tr '\n' ' '
}

@test "a constant spacing is the period, whatever the budget is" {
	vsyncs 1000000000 17060000 30 | import
	same - <(only refresh_rate got.out) <<-'END'
		{"type":"refresh_rate","ts":1000000000,"dur":511800000,"period_ns":17060000,"source":"expected_display_frames","machine_id":0,"trace":0}
	END
}

@test "a change splits, and each span comes before the rows of its time" {
	{
		vsyncs 1000000000 8000000 30
		vsyncs 1240000000 16000000 30
	} | import
	is "$(rates)" '[1000000000,240000000,8000000,[]] [1240000000,480000000,16000000,[]] '
	is "$(but 'tool|trace|process|thread' got.out | jq -c 'select(.ts == 1240000000) | .type' | tr '\n' ' ')" \
		'"refresh_rate" "expected_frame" '
	tool got.out tc-import -T refresh_rate --from 1100000000 --to 1500000000 t.pftrace
	is "$(rates)" '[1000000000,240000000,8000000,["from"]] [1240000000,480000000,16000000,["to"]] '
	tool got.out tc-import -T -refresh_rate t.pftrace
	is "$(rates)" ''
}

@test "jank of a mode change splits where the period stays" {
	for mask in 16384 32768 16386; do
		{
			vsyncs 1000000000 8000000 30
			vsyncs 1240000000 8000000 1 $mask
			vsyncs 1248000000 8000000 30 64
		} | import
		is "$(rates)" '[1000000000,240000000,8000000,[]] [1240000000,248000000,8000000,[]] '
	done
}

@test "one frame does not tell, and neither do surface frames" {
	vsyncs 1000000000 8000000 1 | import
	is "$(rates)" '[1000000000,0,null,[]] '
	import <<<'esurf ts=100 cookie=1 token=7 display=9 pid=1000 layer=A'
	is "$(rates)" ''
}

@test "machines have rates of their own" {
	{
		vsyncs 1000000000 8000000 20
		vsyncs 1000000100 16000000 20 | sed 's/$/ machine=7/'
	} | import
	is "$(only refresh_rate got.out | jq -c '[.ts, .period_ns, .machine_id]' | tr '\n' ' ')" \
		'[1000000000,8000000,0] [1000000100,16000000,7] '
}
