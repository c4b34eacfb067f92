load helper

# Clock snapshots as records, and the clock of buffer events that name none.

# import OPTION...: got.out, from the script on standard input.
import() {
	trace t.pftrace
	tool got.out tc-import "$@" t.pftrace
	ended 0
	silent
}

times() {
	only buffer_event got.out | jq -c .ts | tr '\n' ' '
}

notices() {
	only notice got.out | jq -r 'select(.code != "no_frame_data") | "\(.level) \(.code) \(.text)"'
}

# ---- clock records ----

snapshots() {
	cat <<-'END'
		clocks seq=1 primary=6 c=1:5000 c=3:900 c=6:1000
		gfx ts=1010 clock=6 type=POST layer=L buffer=1
		clocks seq=1 primary=6 c=1:6000 c=3:1900 c=6:2000
		clocks seq=2 c=6:1500 c=64:7:1000 c=130:3
		clocks machine=9 c=6:1200 c=9:1
	END
}

@test "-T clock writes the snapshots, with names or numbers, in the order of time" {
	snapshots | import -T +clock
	same - <(only 'clock|buffer_event' got.out | jq -c 'if .type == "clock" then . else .type end') <<-'END'
		{"type":"clock","ts":1000,"snapshot":0,"clocks":{"REALTIME":5000,"MONOTONIC":900,"BOOTTIME":1000},"machine_id":0,"trace":0}
		"buffer_event"
		{"type":"clock","ts":1200,"snapshot":0,"clocks":{"BOOTTIME":1200,"TSC":1},"machine_id":9,"trace":0}
		{"type":"clock","ts":1500,"snapshot":2,"clocks":{"BOOTTIME":1500,"64":7000,"130":3},"machine_id":0,"trace":0}
		{"type":"clock","ts":2000,"snapshot":1,"clocks":{"REALTIME":6000,"MONOTONIC":1900,"BOOTTIME":2000},"machine_id":0,"trace":0}
	END
	tool got.out tc-import -T clock --from 1100 --to 2000 t.pftrace
	is "$(only clock got.out | jq -c .ts | tr '\n' ' ')" '1200 1500 '
}

@test "clock records come on request only" {
	snapshots | import
	is "$(only clock got.out)" ''
}

@test "a snapshot that was refused, or that the trace does not have, is no record" {
	# The second has one clock twice; without BOOTTIME one is made up for the conversion.
	import -T +clock <<-'END'
		clocks seq=1 primary=3 c=3:900 c=1:7
		clocks seq=1 primary=3 c=3:950 c=3:951
		gfx ts=910 clock=3 type=POST layer=L buffer=1
	END
	is "$(only clock got.out | jq -c '[.ts, .snapshot, .clocks]')" '[900,0,{"MONOTONIC":900,"REALTIME":7}]'
}

# ---- buffer events without a clock ----

# device SUSPENDED_MS CLOCK_OF_EVENTS: ten seconds of a trace, a buffer event every 100 ms.
# Time since boot is 10000 s when it begins.
device() {
	local off=$(($1 * 1000000)) ts=10000000000000 shift=0 i

	[ "$2" = boot ] || shift=$off
	echo "clocks seq=1 primary=6 c=3:$((ts - off)) c=6:$ts"
	echo "esurf ts=$ts clock=6 cookie=1 token=7 display=9 pid=1000 layer=A"
	echo "end ts=$((ts + 10000000000)) clock=6 cookie=1"
	for i in {0..99}; do
		echo "gfx ts=$((ts + i * 100000000 - shift)) type=POST layer=L buffer=1"
	done
}

first=10000000000000 last=10009900000000

@test "MONOTONIC values without a clock are found, converted and reported" {
	for suspended in 500 5000 7200000; do
		device $suspended mono | import
		is "$(times | cut -d ' ' -f 1,100)" "$first $last"
		is "$(notices | cut -d ' ' -f 1-4)" 'warning gfx_clock 100 buffer'
		has "$(notices)" 'read as MONOTONIC: as BOOTTIME'
		is "$(only trace got.out | jq -c '[.start_ts, .end_ts, .outliers, .clocks[1].clock]')" \
			'[10000000000000,10010000000000,0,"MONOTONIC"]'
	done
}

@test "BOOTTIME values without a clock stay, and there is nothing to report" {
	for suspended in 500 5000 7200000; do
		device $suspended boot | import
		is "$(times | cut -d ' ' -f 1,100)" "$first $last"
		is "$(notices)" ''
		is "$(only trace got.out | jq -c '[.outliers, .clocks[1].clock]')" '[0,"BOOTTIME"]'
	done
}

@test "where the clocks are equal there is nothing to decide" {
	device 0 mono | import
	is "$(times | cut -d ' ' -f 1,100)" "$first $last"
	is "$(notices)" ''
}

@test "where the times do not tell, they are read as the reference does, and that is said" {
	# Events in the middle of a long trace, and clocks that differ little.
	{
		echo 'clocks seq=1 primary=6 c=3:1000000000 c=6:1050000000'
		echo 'gfx ts=1060000000 type=POST layer=L buffer=1'
		echo 'esurf ts=9000000000 clock=6 cookie=1 token=7 display=9 pid=1000 layer=A'
	} >script
	import <script
	is "$(times)" '1060000000 '
	is "$(notices | cut -d ' ' -f 1-4)" 'warning gfx_clock 1 buffer'
	has "$(notices)" 'up to 50 ms behind'
	import --gfx-clock=mono <script
	is "$(times)" '1110000000 '
	is "$(notices)" ''
}

@test "--gfx-clock decides, whatever the times say, and says no more" {
	device 5000 mono | import --gfx-clock boot
	is "$(times | cut -d ' ' -f 1)" 9995000000000
	is "$(notices)" ''
	device 5000 boot | import --gfx-clock=mono
	is "$(times | cut -d ' ' -f 1)" 10005000000000
	is "$(notices)" ''
	tool got.out tc-import --gfx-clock=monotonic t.pftrace
	ended 2
	diagnosed usage "'monotonic' is none of auto, mono, boot"
}

@test "events that name their clock, themselves or by default, are left alone" {
	{
		device 5000 mono
		echo 'gfx ts=10001000000000 clock=6 type=POST layer=boot buffer=2'
		echo 'defaults seq=7 cleared=1 dclock=6'
		echo 'gfx ts=10002000000000 seq=7 type=POST layer=default buffer=2'
	} >script
	import <script
	is "$(only buffer_event got.out | jq -c 'select(.layer_name != "L").ts' | tr '\n' ' ')" '10001000000000 10002000000000 '
	import --gfx-clock=mono <script
	is "$(only buffer_event got.out | jq -c 'select(.layer_name != "L").ts' | tr '\n' ' ')" '10001000000000 10002000000000 '
}

@test "a trace with nothing but such events and one snapshot is decided by its begin" {
	device 5000 mono | grep -v '^e' | import
	is "$(times | cut -d ' ' -f 1,100)" "$first $last"
	device 5000 boot | grep -v '^e' | import
	is "$(times | cut -d ' ' -f 1,100)" "$first $last"
	is "$(notices)" ''
}

@test "times of events that are as far apart as can be are compared without overflow" {
	# The trace is as long as they are: none is behind its end.
	import <<-'END'
		clocks seq=1 primary=6 c=3:1000000000 c=6:9000000000
		gfx ts=0 type=POST layer=L buffer=1
		gfx ts=9223372036854775807 type=POST layer=L buffer=1
	END
	is "$(only buffer_event got.out | cut -d, -f 3 | tr '\n' ' ')" '"ts":0 "ts":9223372036854775807 '
	is "$(notices)" ''
}

@test "without a MONOTONIC clock in the trace, --gfx-clock=mono loses the events, and says so" {
	import --gfx-clock=mono <<-'END'
		clocks seq=1 primary=6 c=1:1 c=6:1000
		gfx ts=1010 type=POST layer=L buffer=1
		esurf ts=1020 clock=6 cookie=1 token=7 display=9 pid=1000 layer=A
	END
	is "$(times)" ''
	has "$(counters got.out)" 'clock_sync_failure_undeferrable_packet_loss 1 data_loss'
}

# ---- odd events ----

@test "event types that AOSP does not write are kept, with a notice that names the build" {
	import <<-'END'
		sysinfo sdk=31 build="vendor/phone:12/X1/1:user"
		gfx ts=10 type=HWC_COMPOSITION_QUEUED layer=L buffer=1
		gfx ts=20 type=RELEASE_FENCE layer=L buffer=1
		gfx ts=30 type=RELEASE_FENCE layer=M buffer=2
	END
	is "$(only buffer_event got.out | jq -r .name | tr '\n' ' ')" 'HWCCompositionQueued ReleaseFenceSignaled ReleaseFenceSignaled '
	same - <(only notice got.out | jq -c) <<-'END'
		{"type":"notice","level":"info","code":"vendor_or_old_event","text":"1 events of type HWCCompositionQueued, which the FrameTracer of AOSP does not write (any more): an old or a vendor's build, vendor/phone:12/X1/1:user","trace":0}
		{"type":"notice","level":"info","code":"vendor_or_old_event","text":"2 events of type ReleaseFenceSignaled, which the FrameTracer of AOSP does not write (any more): an old or a vendor's build, vendor/phone:12/X1/1:user","trace":0}
	END
	import <<<'gfx ts=10 type=RELEASE_FENCE layer=L buffer=1'
	has "$(notices)" 'build, not recorded'
}
