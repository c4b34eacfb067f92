# shellcheck shell=sh disable=SC2034 # what is set here is used where this is read
# Read by every command of ./bin: who calls, the record of calls, and the faults
# that a test asked for. After it, PATH is the host's, and $device_path is the
# device's, for what a command runs in its turn.

: "${TC_FAKE_ROOT:?is not set: this runs on the device that ./setup makes}"
control=$TC_FAKE_ROOT/.control
state=$TC_FAKE_ROOT/.state
data=$TC_FAKE_ROOT/data
name=${0##*/}
uid=2000
[ ! -e "$control/adbd_root" ] || uid=0
uid=${TC_FAKE_UID:-$uid}
call=$name${*:+ $*}

device_path=$PATH
bin=${0%/*}
while :; do
	case $PATH: in
	*"$bin":*) PATH=${PATH%%"$bin"*}${PATH#*"$bin"} ;;
	*) break ;;
	esac
done

printf '%s %s\n' "$uid" "$call" >>"$TC_FAKE_ROOT/.calls"

# say TEXT...: as the command that was called, on standard error.
say() {
	printf '%s: %s\n' "$name" "$*" >&2
}

# fact NAME: the first line of that file of .control, or nothing.
fact() {
	value=
	[ ! -e "$control/$1" ] || read -r value <"$control/$1" || :
	printf '%s\n' "$value"
}

# missing: as the device's shell says it of a command that is not there.
missing() {
	printf '/system/bin/sh: %s: inaccessible or not found\n' "$name" >&2
	exit 127
}

# pause MS
pause() {
	sleep "$(($1 / 1000)).$(printf '%03d' "$(($1 % 1000))")"
}

# fits PATTERN: is that this call? The name alone fits with any arguments.
fits() {
	# shellcheck disable=SC2254 # a pattern is wanted
	case $call in
	$1) return 0 ;;
	esac
	[ "$name" = "$1" ]
}

hangs() {
	[ -e "$control/hang" ] || return 1
	while read -r pattern; do
		! fits "$pattern" || return 0
	done <"$control/hang"
	return 1
}

if [ -e "$control/slow" ]; then
	while IFS='|' read -r ms pattern; do
		! fits "$pattern" || pause "$ms"
	done <"$control/slow"
fi
while hangs; do
	sleep 0.05
done
if [ -e "$control/fail" ]; then
	while IFS='|' read -r status pattern text; do
		fits "$pattern" || continue
		[ -z "$text" ] || printf '%s\n' "$text" >&2
		exit "$status"
	done <"$control/fail"
fi

# is_on NAME, turn_on NAME, turn_off NAME: traces that are not Perfetto's.
is_on() {
	[ -e "$state/on/$1" ]
}

turn_on() {
	: >"$state/on/$1"
}

turn_off() {
	rm -f "$state/on/$1"
}

# legacy_file FOLDER NAME: its path on the device.
legacy_file() {
	printf '/data/misc/%s/%s.%s\n' "$1" "$2" "$(fact legacy_ext)"
}

# write_legacy FOLDER NAME MAGIC: a file with these first bytes and one entry that
# holds a time. Whoever made the trace notices nothing when the disk is full.
write_legacy() {
	space=$(fact disk_full)
	case $space in
	'' | *[!0-9]*) space=1000000 ;;
	esac
	printf '\t%s\022\012\011\000\312\232\073\000\000\000\000\032' "$3" |
		head -c "$space" >"$TC_FAKE_ROOT$(legacy_file "$1" "$2")" 2>/dev/null || :
}

# free_at PATH: the bytes free there by .control/free, or nothing.
free_at() {
	free='' longest=-1
	[ -e "$control/free" ] || return 0
	while read -r path bytes; do
		case $1/ in
		"${path%/}"/*)
			if [ ${#path} -gt "$longest" ]; then
				longest=${#path} free=$bytes
			fi
			;;
		esac
	done <"$control/free"
	printf '%s\n' "$free"
}
