# Loaded by every test file. Tools and makers of test inputs are found in PATH,
# from the build that TC_BUILD names.
bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
BUILD=$(cd "${TC_BUILD:-$ROOT/build}" && pwd)
DATA=$ROOT/tests/data
TMP=${BATS_TEST_TMPDIR-}
PATH=$BUILD/bin:$BUILD/tests:$PATH
export PATH LC_ALL=C

# What the caller's surroundings must not change.
umask 022
unset TC_DIAG MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES SAN
[[ $BUILD != */san ]] || SAN=1

# A sanitizer's report must not look like a status of the tool's own.
export ASAN_OPTIONS=exitcode=99:detect_leaks=1
export UBSAN_OPTIONS=exitcode=99:print_stacktrace=1

# The longest that anything here waits for what should take no time at all.
PATIENCE=20

# capture FILE COMMAND...: the command's standard output, byte for byte, in FILE.
capture() {
	"${@:2}" >"$1"
}

# tool FILE COMMAND...: what nearly every test does. Leaves $status and $stderr.
# Files named *.out hold nothing but records: teardown looks at every one.
tool() {
	run --separate-stderr capture "$@"
}

# trace FILE < SCRIPT: a trace made by mktrace.
trace() {
	mktrace >"$1"
}

# same EXPECTED GOT
same() {
	diff -u "$1" "$2"
}

# only TYPES FILE: the records of these types (TYPE|TYPE...), in order.
only() {
	grep -E "^\{\"type\":\"($1)\"" "$2" || [ $? -eq 1 ]
}

# but TYPES FILE: the records of all other types.
but() {
	grep -vE "^\{\"type\":\"($1)\"" "$2" || [ $? -eq 1 ]
}

# between FILE: the records between the first and the last one.
between() {
	sed '1d; $d' "$1"
}

# framed STATUS FILE: a tool ended so, and wrote nothing else.
framed() {
	is "$(jq -c '[.type, .status, .records]' "$2" | tr '\n' ' ')" \
		"[\"tool\",null,null] [\"end\",$1,0] "
}

# counters FILE: "NAME VALUE SEVERITY" of each `stat` record, sorted.
counters() {
	jq -r 'select(.type == "stat") | "\(.name) \(.value) \(.severity)"' "$1" | sort
}

# is GOT WANTED
is() {
	[ "$1" = "$2" ] && return 0
	printf 'got:    %s\nwanted: %s\n' "$1" "$2"
	return 1
}

# has TEXT PART
has() {
	[[ $1 = *"$2"* ]] && return 0
	printf 'got:         %s\nthis is not in it: %s\n' "$1" "$2"
	return 1
}

# ended STATUS: the command that was run ended so.
ended() {
	[ "$status" -eq "$1" ] && return 0
	printf 'status %s, not %s; standard error:\n%s\n' "$status" "$1" "$stderr"
	return 1
}

# silent: it said nothing on standard error.
silent() {
	is "$stderr" ''
}

# diagnosed CODE PART [COUNT]: COUNT lines (1) on standard error, each of them a
# diagnostic. The last has this code, and PART in its place or message.
diagnosed() {
	local said

	is "${#stderr_lines[@]} lines" "${3:-1} lines" || return 1
	said=$(jq -s 'all(.type == "diagnostic" and (.tool | startswith("tc-"))
		and (.level == "note" or .level == "warning" or .level == "error")
		and (keys - ["at"] == ["code", "level", "msg", "tool", "type"]))' <<<"$stderr") || return 1
	is "well-formed: $said" 'well-formed: true' || return 1
	is "$(jq -r .code <<<"${stderr_lines[-1]}")" "$1" || return 1
	has "$(jq -r '(.at // "") + " " + .msg' <<<"${stderr_lines[-1]}")" "$2"
}

# limited MIB COMMAND...: with no more memory than that. Sanitizers reserve far
# more address space than they use, so there it is the use that is limited.
limited() {
	if [ "${SAN-}" ]; then
		ASAN_OPTIONS=$ASAN_OPTIONS:hard_rss_limit_mb=$(($1 * 2)) "${@:2}"
	else
		(ulimit -v $(($1 * 1024)) && exec "${@:2}")
	fi
}

# until_true COMMAND...: waits for it to succeed.
until_true() {
	local deadline=$((SECONDS + PATIENCE))

	until "$@"; do
		if [ $SECONDS -ge $deadline ]; then
			echo "waited $PATIENCE seconds for: $*"
			return 1
		fi
		sleep 0.02
	done
}

# has_lines N FILE: that many whole lines, or more.
has_lines() {
	[ -e "$2" ] && [ "$(wc -l <"$2")" -ge "$1" ]
}

# With these signals as a shell at a terminal has them, also where nohup or whatever
# started the tests ignores them: to be put in front of a command.
FRESH=(env --default-signal=HUP,INT,PIPE)
"${FRESH[@]}" true 2>/dev/null || FRESH=()

# background COMMAND...: a job like that of a shell at a terminal, with a process
# group of its own: $group, the process id of the command too.
background() {
	set -m
	"${FRESH[@]}" "$@" 3>&- &
	group=$!
	set +m
}

# ends PID STATUS: a child ends by itself, and so.
ends() {
	local got=0

	if ! until_true is_gone "$1"; then
		kill -KILL -- "-$1" 2>/dev/null || kill -KILL "$1"
		return 1
	fi
	wait "$1" || got=$?
	is "status $got" "status $2"
}

# needs_terminal: skips where script(1) makes none.
needs_terminal() {
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip 'no terminal can be made here'
}

# is_gone PID: it has ended. That it was waited for is not asked: where the first
# process of a container does not do so, orphans remain in the list.
is_gone() {
	! kill -0 "$1" 2>/dev/null || grep -qs '^State:	Z' "/proc/$1/status"
}

# valid_records FILE: what holds for all that a tool prints. Every line is a JSON
# object with a type, in UTF-8, and has its newline; `jq -e .` accepts it. Where
# the output ends with an `end` record, that counts what is behind `tool`.
valid_records() {
	local count last

	[ -s "$1" ] || return 0
	is "last byte:$(tail -c 1 "$1" | od -An -tx1)" 'last byte: 0a' || return 1
	iconv -f UTF-8 -t UTF-8 "$1" >/dev/null || return 1
	# As `jq -e .` does, but in the same pass, which takes a while on some outputs.
	count=$(jq -en 'reduce inputs as $r (0;
		if ($r | type) != "object" or ($r.type | type) != "string" then error("no record: \($r)")
		else . + 1 end)' "$1") || return 1
	is "$(wc -l <"$1") lines" "$count lines" || return 1
	last=$(tail -n 1 "$1")
	[[ $last == '{"type":"end",'* ]] || return 0
	is "$(head -c 15 "$1")" '{"type":"tool",' || return 1
	is "records: $(jq .records <<<"$last")" "records: $((count - 2))"
}

setup() {
	cd "$TMP"
}

# all_records_valid: the outputs of the test that has ended.
all_records_valid() {
	local file

	for file in "$TMP"/*.out; do
		[ -e "$file" ] || continue
		if ! valid_records "$file"; then
			echo "in ${file##*/}"
			return 1
		fi
	done
}

teardown() {
	all_records_valid
}
