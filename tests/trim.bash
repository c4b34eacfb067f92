# What tests of tc-trim compare: a whole trace and a part of it.

SHARED=${TC_SHARED:-$ROOT/../shared/data}

# decode FILE: the fields of the trace, as a reader sees them that is not ours.
decode() {
	protoc --decode_raw <"$1"
}

# rows WHOLE|PART OPTION...: what an import shows of a trace, without what is about the file
# or counts what went before, and without refresh rates, which many frames tell together.
# What was never closed reaches to the end of whichever trace. A thread that waits across
# an edge does so for a time of which only one end is in the part; and one that was never
# seen to leave its CPU, or to go on, may be outside.
rows() {
	tc-import -T +sched --slices '*' --counters '*' "${@:2}" "$1" | jq -c 'select(.type | IN("tool", "end", "trace", "stat", "notice",
		"process", "thread", "clock", "refresh_rate") | not)
		| select(.type == "sched" and (.dur == -1 or .edge and .state != "Running") | not)
		| del(.id, .upid, .utid, .depth, .parent_id, .outlier)
		| if .dur == -1 then del(.edge) else . end' | LC_ALL=C sort
}

# named TYPE FILE OPTION...: processes or threads that have a name; others are known only by
# what they did.
named() {
	tc-import "${@:3}" "$2" | jq -c "select(.type == \"$1\" and .name) | del(.upid, .utid, .is_main)" |
		LC_ALL=C sort
}

# agree TRACE OPTION...: what is in the window of the whole one is in the part.
agree() {
	rows "$@" >whole
	tc-trim "${@:2}" "$1" >part.pftrace 2>trim.err || {
		cat trim.err
		return 1
	}
	# Nothing but packets, each of them whole.
	decode part.pftrace >decoded
	rows part.pftrace "${@:2}" >part
	same whole part || {
		echo "of $*"
		return 1
	}
	named process "$1" >whole.names
	named process part.pftrace >part.names
	same whole.names part.names
	named thread "$1" >whole.names
	named thread part.pftrace >part.names
	same whole.names part.names
}

# Windows of a trace: the whole, its ends, its middle, small ones. Two of the five, other ones
# for another name; all of them with TC_TEST_ALL set, which takes minutes.
windows() {
	local bounds start length from to i=0 name

	name=$(basename "$1" | cksum | cut -d ' ' -f 1)

	bounds=$(tc-import -T trace "$1" | jq -r 'select(.type == "trace") | "\(.start_ts) \(.end_ts)"')
	start=${bounds% *}
	length=$((${bounds#* } - start))
	for window in '0 100' '10 60' '33 34' '50 51' '99 102'; do
		i=$((i + 1))
		[ -n "${TC_TEST_ALL-}" ] || [ $(((i + name) % 5)) -lt 2 ] || continue
		from=$((start + length * ${window% *} / 100))
		to=$((start + length * ${window#* } / 100 + 1))
		echo "$from $to"
	done
}

# agree_everywhere TRACE
agree_everywhere() {
	local from to

	while read -r from to; do
		agree "$1" --from "$from" --to "$to"
	done < <(windows "$1")
}
