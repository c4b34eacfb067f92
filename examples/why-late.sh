#!/bin/sh
# why-late.sh TRACE [APP]: what is known of each frame that was janky, late or dropped.
#
# A table for a person, the frame that ended latest first: how much later than expected
# in ms, token, what the platform says in a word, the path, a sentence; and at the end
# what would have told more, had it been captured: data source, and target of tc-parse.
set -eu
trace=${1:?usage: why-late.sh TRACE [APP]}
out=$(mktemp)
trap 'rm -f "$out" "$out.tsv"' EXIT

tc-import "$trace" | tc-jank explain ${2:+--app "$2" --all} >"$out"
jq -r 'select(.type == "jank_cause")
	| [.end_delta_ms // "-", .surface_frame_token, .class, .path, .text] | @tsv' "$out" >"$out.tsv"
LC_ALL=C sort -rn "$out.tsv"
jq -r 'select(.type == "jank_cause") | .hints[] | [.source, .target, .text] | @tsv' "$out" >"$out.tsv"
LC_ALL=C sort -u "$out.tsv"
