# Every fuzz target takes what is on file for it: hand-made inputs, what once
# failed, and what libFuzzer found to reach something new.
load helper

# replay TARGET
replay() {
	run "$BUILD/tests/fuzz/$1" "$DATA/fuzz/$1"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "adb: what a device says is understood alike, however it is cut, and bounded" {
	replay adb
}

@test "atrace: what a marker is taken apart into lies inside it" {
	replay atrace
}

@test "input: slices become events, each of which has its own" {
	replay input
}

@test "jank: answers are the same whatever the order of the rows" {
	replay jank
}

@test "json: what can be read can be written, and read again as the same" {
	replay json
}

@test "pb: the reader says what a plain one says" {
	replay pb
}

@test "rules: what is accepted as a rule has a verdict that agrees with its parts" {
	replay rules
}

@test "session: nothing of a path, a pattern or a setting gets out of its quotes" {
	replay session
}

@test "targets: nothing that is asked for gets out of its quotes" {
	replay targets
}

@test "probe: what an answer does not say has its notice" {
	replay probe
}

@test "trace: records come of any bytes, or nothing does" {
	replay trace
}

@test "trace: the seeds about ftrace are what their scripts make" {
	for script in "$DATA"/scripts/ftrace*.script; do
		mktrace "$script" | cmp - "$DATA/fuzz/trace/$(basename "$script" .script)"
	done
}

@test "unpack: what comes out of a file is bounded, and the same a second time" {
	replay unpack
}

@test "trim: what is cut out of any bytes is a trace" {
	replay trim
}

@test "usb: what a device sends comes as messages, and everything is given back" {
	replay usb
}

@test "winscope: what a proxy says is understood alike, however it is cut, and bounded" {
	replay winscope
}

@test "a replay without an input has failed" {
	mkdir "$TMP/empty"
	run "$BUILD/tests/fuzz/pb" "$TMP/empty"
	[ "$status" -eq 1 ]
	has "$output" 'nothing to replay'
	run "$BUILD/tests/fuzz/pb" "$TMP/none"
	[ "$status" -eq 1 ]
}

@test "every target of tests/fuzz has a test here" {
	local file name missing=

	for file in "$ROOT"/tests/fuzz/*.c; do
		name=$(basename "$file" .c)
		[ "$name" = replay ] ||
			grep -Eqx "[[:blank:]]replay $name" "$BATS_TEST_FILENAME" || missing+=" $name"
	done
	is "missing:$missing" 'missing:'
}
