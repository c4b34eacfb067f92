load helper

# Which records, processes, layers and times: -T, --process, --layer, --from, --to.

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	# Two apps and SurfaceFlinger; a buffer of each app's layer.
	trace t.pftrace <<-'END'
		proc ts=1000 proc=10:1:1000:com.example.app proc=20:1:1001:com.other proc=30:1:1000:surfaceflinger
		esurf ts=1100 cookie=1 token=1 display=9 pid=10 layer=A
		asurf ts=1100 cookie=2 token=1 display=9 pid=10 layer=A
		end ts=1200 cookie=1
		end ts=1300 cookie=2
		esurf ts=1400 cookie=3 token=2 display=9 pid=20 layer=B
		end ts=1500 cookie=3
		edisp ts=1400 cookie=4 token=9 pid=30
		end ts=1600 cookie=4
		gfx ts=1100 type=DEQUEUE frame=1 layer=A buffer=1
		gfx ts=1300 type=QUEUE frame=1 layer=A buffer=1
		gfx ts=1350 type=ACQUIRE_FENCE frame=1 layer=A buffer=1
		gfx ts=1400 type=DEQUEUE frame=1 layer=B buffer=2
		gfx ts=1500 type=QUEUE frame=1 layer=B buffer=2
		gfx ts=2000 type=DEQUEUE frame=2 layer=A buffer=1
	END
	tc-import t.pftrace >all.out
}

setup() {
	cd "$TMP"
	ln -s "$BATS_FILE_TMPDIR"/t.pftrace .
	cp "$BATS_FILE_TMPDIR"/all.out .
}

rows='buffer_event|phase|expected_frame|actual_frame|process|thread'

# chosen OPTION...: got.out, from t.pftrace.
chosen() {
	tool got.out tc-import "$@" t.pftrace
	ended 0
	silent
}

# refused PART OPTION...: status 2, before anything is written.
refused() {
	tool got.out tc-import "${@:2}" t.pftrace
	ended 2
	diagnosed usage "$1"
	framed 2 got.out
}

@test "-T writes these types and no others, but for framing and news" {
	chosen -T phase,expected_frame
	same <(only 'tool|trace|phase|expected_frame|stat|notice' all.out) <(but end got.out)
	chosen --types=trace
	same <(only 'tool|trace|stat|notice' all.out) <(but end got.out)
	chosen -T process
	same <(only process all.out) <(only "$rows" got.out)
	chosen -T actual_frame -T buffer_event
	same <(only buffer_event all.out) <(only "$rows" got.out)
}

@test "-T with + and - changes the default set" {
	chosen -T -thread,-phase
	same <(but 'thread|phase|end' all.out) <(but end got.out)
	chosen -T phase -T +process
	same <(only 'process|phase' all.out) <(only "$rows" got.out)
	chosen -T +phase
	same all.out got.out
}

@test "an unknown type is 2, with those that there are" {
	refused "no type 'zebra'; there are: process thread buffer_event phase" -T phase,zebra
	refused 'all plain, or all begin' -T +phase,thread
	refused 'always written' -T -stat
	refused 'no type' -T ''
}

@test "--process keeps the frames, processes and threads that fit, by name, pid or upid" {
	chosen --process 'com.ex*'
	same <(only 'process|expected_frame|actual_frame' all.out | jq -c 'select(.pid == 10)') \
		<(only 'process|expected_frame|actual_frame' got.out)
	is "$(only thread got.out | jq -c .tid)" 10
	cp got.out by-name.out
	chosen --process pid=10
	same by-name.out got.out
	chosen --process "upid=$(only process by-name.out | jq .upid)"
	same by-name.out got.out
	# What has no process is no question of it.
	same <(only 'buffer_event|phase' all.out) <(only 'buffer_event|phase' got.out)
	chosen --process com.other --process surfaceflinger
	same <(only expected_frame all.out | jq -c 'select(.pid != 10)') <(only expected_frame got.out)
	refused 'pid=x: not a number' --process pid=x
	refused 'empty pattern' --process ''
}

@test "--layer keeps the rows of layers that fit, and what has no layer goes" {
	chosen --layer '[A]'
	same <(only 'buffer_event|phase|expected_frame|actual_frame' all.out | jq -c 'select(.layer_name == "A")') \
		<(only 'buffer_event|phase|expected_frame|actual_frame' got.out)
	same <(only 'process|thread' all.out) <(only 'process|thread' got.out)
	chosen --layer A --layer B
	is "$(only expected_frame got.out | jq -c .layer_name | tr '\n' ' ')" '"A" "B" '
	refused 'empty pattern' --layer ''
}

@test "--process and --layer both have to fit" {
	chosen --process com.example.app --layer B
	is "$(only 'expected_frame|actual_frame' got.out)" ''
}

@test "--from and --to keep what lies in the window, and flag what crosses an edge" {
	chosen --from 1150 --to 1450
	same - <(only 'buffer_event|phase|expected_frame|actual_frame' got.out | jq -c '[.type, .id, .ts, .dur, .edge]') <<-'END'
		["expected_frame",0,1100,100,["from"]]
		["actual_frame",0,1100,200,["from"]]
		["phase",0,1100,200,["from"]]
		["buffer_event",1,1300,0,null]
		["phase",1,1300,50,null]
		["buffer_event",2,1350,0,null]
		["expected_frame",1,1400,100,["to"]]
		["expected_frame",2,1400,200,["to"]]
		["buffer_event",3,1400,0,null]
		["phase",2,1400,100,["to"]]
	END
	# The same rows but for the flag, with the ids that they have without a window.
	only 'buffer_event|phase|expected_frame|actual_frame' got.out | jq -c 'del(.edge)' >rows
	is "$(grep -cFxf rows <(only 'buffer_event|phase|expected_frame|actual_frame' all.out))" 10
	same <(only 'process|thread|trace' all.out) <(only 'process|thread|trace' got.out)
}

@test "a row that is never closed lasts until the end" {
	chosen --from 2000
	is "$(only "$rows" got.out | but 'process|thread' - | jq -c '[.type, .id, .dur, .edge]' | tr '\n' ' ')" \
		'["phase",3,-1,["from"]] ["buffer_event",5,0,null] ["phase",4,-1,null] '
	chosen --from 2001
	is "$(only "$rows" got.out | but 'process|thread' -)" ''
	chosen --from 1700 --to 1800
	is "$(only phase got.out | jq -c '[.id, .edge]')" '[3,["from","to"]]'
}

@test "a time after the start may be given in s, ms, us and ns" {
	chosen --from +400ns
	cp got.out wanted.out
	chosen --from 1400
	same wanted.out got.out
	chosen --from +0.4us
	same wanted.out got.out
	chosen --from +0s --to +1ms
	same <(but end all.out) <(but end got.out)
	refused '--from' --from +2
	refused 'begins with +' --to 2s
}

@test "a window that ends before it begins is 2, or 65 when only the trace tells" {
	refused 'later than --from' --from 20 --to 10
	refused 'later than --from' --from +1s --to +1000ms
	tool got.out tc-import --from 1500 --to +100ns t.pftrace
	ended 65
	diagnosed malformed 'not after --from'
}

@test "a marker that does not occur is 65: the trace and its stats, no rows" {
	tool got.out tc-import --from 'J<NONE>' t.pftrace
	ended 65
	diagnosed malformed "t.pftrace: no slice is named 'J<NONE>'"
	is "$(between got.out | jq -r .type | sort -u | tr '\n' ' ')" 'trace '
	tool got.out tc-import --to 'J<NONE>' <<<'{"type":"artifact","kind":"perfetto","path":"t.pftrace"}'
	ended 1
	is "$(only error got.out | jq -c '[.code, .subject]')" '["malformed","t.pftrace"]'
}

@test "the choice holds for every trace of a run" {
	tool got.out tc-import -T process --process com.other t.pftrace t.pftrace
	ended 0
	is "$(only "$rows" got.out | jq -c '[.name, .trace]' | tr '\n' ' ')" '["com.other",0] ["com.other",1] '
}

@test "an option that fits nothing in the trace has a notice" {
	chosen --process com.none --layer none
	is "$(only 'buffer_event|phase|expected_frame|actual_frame|process|thread' got.out)" ''
	is "$(only notice got.out | jq -c '[.level, .code, .text]' | tr '\n' ' ')" \
		'["warning","nothing_chosen","nothing in this trace fits --process"] ["warning","nothing_chosen","nothing in this trace fits --layer"] '
	chosen --process com.other --layer B
	is "$(only notice got.out)" ''
	chosen -T process --layer B
	is "$(only notice got.out)" ''
}
