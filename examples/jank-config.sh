#!/bin/sh
# jank-config.sh APP [SECONDS]: the Perfetto configuration for looking at the frames
# of APP, for 10 seconds or as many as are given. For example:
#
#   jank-config.sh com.example.app 20 |
#     adb shell perfetto --txt -c - -o /data/misc/perfetto-traces/app.perfetto-trace
set -eu
app=${1:?usage: jank-config.sh APP [SECONDS]}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

tc-parse --assume all -p jank -a "$app" --duration "${2-10}s" --write-period 5s \
	</dev/null >"$out"
jq -j 'select(.type == "target").config' "$out"
