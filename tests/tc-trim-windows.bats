# What a smaller trace says inside the window, in many windows: the same as the whole one.
load helper
load trim

@test "in every window the part says what the whole says: made-up scenes" {
	for seed in 1 2 3; do
		mkscene -s 3 -S "$seed" >scene.pftrace
		agree_everywhere scene.pftrace
	done
	mkscene -s 2 -m system >system.pftrace
	agree_everywhere system.pftrace
	mkscene -s 1 -r 120 -m frames >frames.pftrace
	agree_everywhere frames.pftrace
}

@test "in every window the part says what the whole says: anomalies" {
	for script in "$DATA"/scripts/*.script; do
		mktrace "$script" >anomaly.pftrace
		agree_everywhere anomaly.pftrace
	done
}

@test "in every window the part says what the whole says: reference traces" {
	[ -d "$SHARED" ] || skip 'the shared data is not here'
	for t in "$SHARED"/frames/*.pftrace "$SHARED"/*.perfetto-trace; do
		agree_everywhere "$t"
	done
}

@test "in every window the part says what the whole says: input events" {
	[ -d "$SHARED/input" ] || skip 'the shared data is not here'
	for t in "$SHARED"/input/*.pftrace; do
		agree_everywhere "$t"
	done
	agree "$SHARED/input/008.pftrace" --process 'org.*'
	[ "$(grep -c '"input_latency"' whole)" -gt 0 ]
	agree "$SHARED/input/008.pftrace" --process 'org.*' --from +0.2s --to +0.3s
	[ "$(grep -c '"input_latency"' whole)" -gt 0 ]
}

@test "in every window of markers the part says what the whole says" {
	mkscene -s 1 -m system >scene.pftrace
	tc-import -T slice scene.pftrace | jq -r 'select(.type == "slice" and .dur > 0).name' |
		LC_ALL=C sort -u | sed -n '5p;$p' >names
	is "$(wc -l <names)" 2
	while read -r name; do
		agree scene.pftrace --from "$name"
		agree scene.pftrace --to "$name"
	done <names
}
