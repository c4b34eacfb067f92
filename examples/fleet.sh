#!/bin/sh
# fleet.sh TRACE...: the numbers of many traces as one, JOBS (2) of them at a time.
#
# One jank_metric record for each number of each process, layer and refresh rate. Any
# engine that maps and reduces can do the same: what comes of merging does not hang on
# the order or the grouping.
set -eu
[ $# -gt 0 ] || {
	echo 'usage: fleet.sh TRACE...' >&2
	exit 2
}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Each trace's numbers in a file. A stage that failed shows in the status of tc-jank,
# and that in the status of xargs; the frames one by one are not needed here.
n=0
for trace; do
	n=$((n + 1))
	printf '%s\0%s\0' "$trace" "$out/$n"
done | xargs -0 -n 2 -P "${JOBS:-2}" sh -c '
	tc-import "$1" | tc-jank metrics --sketch >"$2.all" || exit
	grep "^{\"type\":\"jank_metric\"" "$2.all" >"$2.jsonl" || exit
	rm "$2.all"' -

tc-jank merge "$out"/*.jsonl >"$out/merged"
grep '^{"type":"jank_metric"' "$out/merged"
