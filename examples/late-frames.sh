#!/bin/sh
# late-frames.sh TRACE [APP]: the frames that missed their deadline, worst first.
#
# A table for a person: how late in ms, token, jank tag, jank type.
set -eu
trace=${1:?usage: late-frames.sh TRACE [APP]}
out=$(mktemp)
trap 'rm -f "$out" "$out.tsv"' EXIT

# The status of every stage counts, so no stage hides in a pipe: tc-jank says
# with its own status when tc-import failed.
tc-import "$trace" | tc-jank frames ${2:+--app "$2" --all} >"$out"
jq -r 'select(.type == "jank_frame" and .end_delta_ms != null and .end_delta_ms > 0)
	| [.end_delta_ms, .surface_frame_token, .jank_tag, .jank_type] | @tsv' "$out" >"$out.tsv"
LC_ALL=C sort -rn "$out.tsv"
