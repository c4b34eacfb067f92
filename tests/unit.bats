# Every program of tests/unit checks one module; here each is one test.
load helper

# unit NAME [ARGUMENT...]
unit() {
	run "$BUILD/tests/unit/$1" "${@:2}"
	echo "$output"
	[ "$status" -eq 0 ]
}

# A locale with a decimal comma, where one can be made; else what is installed.
comma_locale() {
	mkdir "$TMP/locales"
	printf '%s\n' LC_NUMERIC 'decimal_point ","' 'thousands_sep ""' 'grouping -1' \
		'END LC_NUMERIC' >"$TMP/comma"
	# With a category alone it makes one, and complains about the others.
	localedef -c -i "$TMP/comma" -f UTF-8 "$TMP/locales/comma" 2>/dev/null || true
	[ -e "$TMP/locales/comma/LC_NUMERIC" ] || return 0
	export LOCPATH="$TMP/locales"
	# The C library never frees its list of these folders.
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
}

@test "adb: what is said on a connection is what adbd takes, and what it says is bounded" {
	unit adb_link
}

@test "adb: a server is asked, and what it answers and lists is understood" {
	unit adb_server
}

@test "adb: messages, packets and answers are understood, wherever they are cut" {
	unit adb_wire
}

@test "choose: options say which records, processes, layers, names and times" {
	unit choose
}

@test "clock: time moves from clock to clock by the snapshots" {
	unit clock
}

@test "dist: percentiles, sketches that merge, and what tells two sets of numbers apart" {
	unit dist
}

@test "device: opening waits for a busy device, ten seconds at most" {
	unit device
}

@test "frames: phases, frames by cookie, and names of jank" {
	unit frames
}

@test "import: a trace becomes records that can be read" {
	unit import
}

@test "input: messages become events, and deliveries get their frames" {
	unit input
}

@test "io: an input shows its bytes and lines whole, however they arrive" {
	unit io_in
}

@test "io: an output loses nothing, and a text is a JSON string" {
	unit io_out
}

@test "json: values are read exactly, and what is none is refused" {
	unit json_read
}

@test "json: numbers are short, read back the same, and know no locale" {
	comma_locale
	unit json_write
}

@test "mem: arenas, maps and string tables keep what they are given" {
	unit mem
}

@test "unpack: what is in a file, and once more, plain, compressed and in an archive" {
	unit unpack
}

@test "atrace: a marker is taken apart, and what is none is refused" {
	unit atrace
}

@test "ftrace: events of all CPUs come in order, and a window is enough to hold" {
	unit ftrace
}

@test "metrics: present intervals have known answers, and parts add up to the whole" {
	unit metrics
}

@test "pb: fields are read as Perfetto reads them" {
	unit pb
}

@test "probe: outputs of a device become facts, and what are none do not" {
	unit probe
}

@test "pull: names that a peer chooses, kinds by first bytes, progress" {
	unit pull
}

@test "proc: a pid means the process that has it now" {
	unit proc
}

@test "rate: the refresh period is told from the spacing of frames, or not at all" {
	unit rate
}

@test "rec: every type of record comes out as it went in" {
	unit rec "$DATA/records"
}

@test "scenes: where they come from, and which frames count in them" {
	unit scenes
}

@test "session: the commands of every phase, from what is known" {
	unit session
}

@test "slices: names are chosen, and what is open counted, the short way as the long one" {
	unit slices
}

@test "targets: requests are understood, or refused with what they could be" {
	unit targets
}

@test "trace: packets, sequences, bundles, machines and times" {
	unit trace
}

@test "trim: an ftrace bundle is cut event by event" {
	unit trim
}

@test "wait: what is ready, time, silence and a request to stop end it" {
	unit wait
}

@test "every program of tests/unit has a test here" {
	local file name missing=

	for file in "$ROOT"/tests/unit/*.c; do
		name=$(basename "$file" .c)
		grep -Eqx "[[:blank:]]unit $name( .*)?" "$BATS_TEST_FILENAME" || missing+=" $name"
	done
	is "missing:$missing" 'missing:'
}
