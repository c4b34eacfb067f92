#!/bin/sh
# ci.sh TRACE [RULES [JUNIT]]: fail a build whose frames do not keep to the rules.
#
# A table for a person: verdict, rule, how many parts were judged and how many failed.
# The parts that failed are listed below it. RULES is ci-rules.json beside this script
# unless it is given; JUNIT is written for the CI system to show.
set -eu
trace=${1:?usage: ci.sh TRACE [RULES [JUNIT]]}
rules=${2:-$(dirname "$0")/ci-rules.json}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# 0: all is well; 1: a rule failed, or something upstream. Anything else is no verdict.
status=0
tc-import "$trace" | tc-jank rules -r "$rules" ${3:+--junit "$3"} >"$out" || status=$?

jq -r 'select(.type == "verdict" and .policy)
	| [.verdict, .rule, .judged, .failed, .reason // ""] | @tsv' "$out"
jq -r 'select(.type == "verdict" and .policy == null and .verdict == "fail")
	| ["failed", .rule, .process, .layer_name, .scenario, .repetition, .value, .op, .limit, .unit]
	| map(. // "-") | @tsv' "$out"
exit $status
