#!/bin/sh
# slow-touches.sh TRACE [N]: the N (10) input events that took longest.
#
# A table for a person: how long from dispatch to acknowledgement in ms, how much
# of it in the app, what it was, whose, and the window. Needs ftrace of the atrace
# categories input and view, Android 14 or newer.
set -eu
trace=${1:?usage: slow-touches.sh TRACE [N]}
out=$(mktemp)
trap 'rm -f "$out" "$out.tsv"' EXIT

tc-import -T input_latency "$trace" >"$out"
jq -r 'select(.type == "input_latency" and .total_latency_dur != null)
	| [.total_latency_dur / 1e6, (.handling_latency_dur // 0) / 1e6, .event_type,
		.event_action // "-", .process_name // "-", .normalized_event_channel // "-"]
	| @tsv' "$out" >"$out.tsv"
printf 'total_ms\tapp_ms\ttype\taction\tprocess\tchannel\n'
LC_ALL=C sort -rn "$out.tsv" | head -n "${2-10}"
