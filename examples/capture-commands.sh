#!/bin/sh
# capture-commands.sh [TC-PARSE OPTION...]: what tc-session would run on a device for a
# capture, in its order and without a device. Without options, of Winscope's traces.
set -eu
case ${1-} in
-*) ;;
*) set -- -p winscope ;;
esac
out=$(mktemp)
trap 'rm -f "$out"' EXIT

tc-parse --assume all "$@" </dev/null | tc-session run --dry-run >"$out"
jq -r 'select(.type == "command") | "# \(.phase) \(.session // "")", .text' "$out"
