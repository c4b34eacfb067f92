#!/bin/sh
# capture.sh APP [SECONDS]: capture what a device shows of an app, and list its late
# frames, worst first: how late in ms, token, jank tag, jank type.
#
# TC_DEVICE names the device, if there are several. What was captured is in the new
# folder APP-DATE, with the records of all stages in jank.jsonl. Without SECONDS it
# goes on until Ctrl-C, which stops, saves and judges as well.
set -eu
app=${1:?usage: capture.sh APP [SECONDS]}
dir=$app-$(date +%Y%m%d-%H%M%S)
[ ! -e "$dir" ] || dir=$dir-$$
mkdir "$dir"

# The shell is not to be ended by what ends the capture.
trap : INT
status=0
tc-session probe | tc-parse -p jank -a "$app" | tc-session run ${2:+--for "$2s"} |
	tc-pull -o "$dir" | tc-import | tc-jank --app "$app" >"$dir/jank.jsonl" || status=$?
trap - INT

jq -r 'select(.type == "jank_frame" and .end_delta_ms != null and .end_delta_ms > 0)
	| [.end_delta_ms, .surface_frame_token, .jank_tag, .jank_type] | @tsv' \
	"$dir/jank.jsonl" >"$dir/late.unsorted"
sort -rn "$dir/late.unsorted" >"$dir/late.tsv"
rm "$dir/late.unsorted"
cat "$dir/late.tsv"

# tc-jank says with its own status what went wrong before it.
[ "$status" -eq 0 ] || echo "capture.sh: not all went well, see $dir/jank.jsonl" >&2
exit "$status"
