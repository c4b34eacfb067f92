load helper

# What tc-parse says to run is run on the made-up Android device, which leaves the
# files that the targets name.

android=$ROOT/tests/fake/android

teardown() {
	local file

	all_records_valid
	for file in "$TMP"/dev/.state/processes/*; do
		[ ! -e "$file" ] || kill -KILL "${file##*/}" || true
	done
}

# on LINE: as it would reach the device; into `said`.
on() {
	"$android/enter" dev /bin/sh -c "$1" </dev/null >said 2>&1 3>&-
}

# found PATH [PATTERN...]: one file, by the first pattern that finds any, with bytes.
found() {
	local pattern

	[ $# -gt 1 ] || set -- "$1" "'*'"
	for pattern in "${@:2}"; do
		on "su root find $1 -name $pattern -type f -size +0"
		[ ! -s said ] || break
	done
	is "$1 ${*:2}: $(wc -l <said) files" "$1 ${*:2}: 1 files"
}

# carried_out PROFILE ARGUMENT...: every target, one after another, as its commands say.
carried_out() {
	local i line count

	rm -rf dev
	TC_BUILD=$BUILD "$android/setup" dev "$1"
	"$android/enter" dev true || skip 'no user and mount namespaces here'
	tool plan.out tc-parse "${@:2}" </dev/null
	ended 0
	only target plan.out >targets
	count=$(wc -l <targets)
	[ "$count" -gt 0 ]
	for ((i = 1; i <= count; i++)); do
		sed -n "${i}p" targets >target
		jq -r '.setup[]' target >setup
		while read -r line; do
			on "$line"
		done <setup
		on "$(jq -r .start target)"
		line=$(jq -r .stop target)
		# A recording takes a moment to begin.
		[ -z "$line" ] || { sleep 0.3 && on "$line"; }
		jq -r '.files[] | "\(.path) \(.match | join(" "))"' target >files
		while read -r line; do
			# shellcheck disable=SC2086 # a path and patterns
			until_true found $line
		done <files
	done
}

@test "all that Perfetto and the recorder are to do is done by a new device" {
	carried_out android-17 --assume all -p winscope -p input -a com.example.app -t SCHED -t EVENTLOG \
		-t PROTO_LOG,groups=A,B+stacktrace -t VIEW_CAPTURE -t TRANSITIONS --duration 1h \
		--write-period 1s --buffer-size 64M
	is "$(wc -l <targets)" 2
}

@test "all that is done without Perfetto is done by an old device" {
	carried_out android-12 --assume none -t VIEW_CAPTURE -t WINDOW_MANAGER_TRACE \
		-t SURFACE_FLINGER_TRACE,input -t TRANSACTIONS -t PROTO_LOG -t IME -t TRANSITIONS \
		-t SCREEN_RECORDING
	is "$(wc -l <targets)" 8
}

@test "dumps are made, with Perfetto and without" {
	carried_out android-17 --assume all --dump
	is "$(wc -l <targets)" 2
	carried_out android-12 --assume none --dump
	is "$(wc -l <targets)" 3
}
