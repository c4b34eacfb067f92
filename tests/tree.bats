load helper

# What holds for the tree as a whole.

setup() {
	cd "$TMP"
	tools=$(cd "$ROOT/cmd" && ls | sed 's/\.c$//')
}

# built TARGET...: make in the tree, for the build that is tested.
built() {
	make -s -C "$ROOT" ${SAN+SAN=1} "$@"
}

# ---- source ----

@test "modules include from their own row and the rows before" {
	run --separate-stderr built check-layers
	ended 0
	is "$output$stderr" ''
}

@test "an include from a later row, or of a private header, is found" {
	mkdir tree
	cp -R "$ROOT/.make" "$ROOT/lib" "$ROOT/cmd" tree
	cd tree
	echo '#include "rec/rec.h"' >>lib/pb/pb.c
	run --separate-stderr .make/check-layers
	ended 1
	is "$stderr" 'pb includes rec/rec.h, from a later row'
	cp "$ROOT/lib/pb/pb.c" lib/pb
	echo '#include "trace/priv.h"' >>cmd/tc-jank.c
	run --separate-stderr .make/check-layers
	ended 1
	has "$stderr" trace/priv.h
}

@test "every header compiles alone" {
	run --separate-stderr built check-headers
	ended 0
	is "$output$stderr" ''
}

@test "on a machine without pkg-config, make has nothing to say of that" {
	run --separate-stderr built check-layers PKG_CONFIG="$TMP/none"
	ended 0
	is "$output$stderr" ''
}

# ---- manual pages ----

@test "every tool has a manual page, and the record types have one" {
	for tool in $tools; do
		[ -s "$ROOT/man/$tool.1" ]
	done
	[ -s "$ROOT/man/tc-records.5" ]
}

@test "manual pages pass mandoc's check" {
	command -v mandoc >/dev/null || skip 'mandoc is not here'
	run --separate-stderr mandoc -T lint -W warning "$ROOT"/man/*.[15]
	ended 0
	is "$output$stderr" ''
}

# Options as help and manual page list them, one a line, short ones too.
options_of_help() {
	"$1" -h | sed -n 's/^  *\(-.*\)/\1/p' | sed 's/   *.*//' | grep -oE -e '(^| )--?[A-Za-z][a-z-]*' |
		tr -d ' ' | sort
}

options_of_page() {
	sed -n 's/^\.It Fl /Fl /p' "$ROOT/man/$1.1" | grep -oE 'Fl [A-Za-z-]+' | sed 's/Fl /-/' | sort
}

@test "every option in -h is in the manual page, and the reverse" {
	for tool in $tools; do
		options_of_help "$tool" >help
		grep -qx -e --help help
		options_of_page "$tool" >page
		same help page
	done
}

@test "every option in -h is one that the tool takes, and is in its first lines" {
	for tool in $tools; do
		"$tool" -h | sed -n '1,/^[^ u]/p' >usage
		for option in $(options_of_help "$tool"); do
			run --separate-stderr "$tool" "$option" x </dev/null
			is "$option: $(grep -c 'unknown option' <<<"$stderr" || true)" "$option: 0"
			case $option in
			--help | --version | --keep-going | -[hV] | --app | --types | --output | --preset | --target | --device | --verbose | --jobs | --rules) ;;
			-?) grep -qE -e "[[ ]$option[] ]" usage || [ "$option" = -a ] ;;
			*) grep -qF -e "$option" usage ;;
			esac
		done
	done
}

@test "the statuses that tools end with in these tests are in the manual pages" {
	for tool in $tools; do
		for status in 0 1 2 65 66 71 74 130 141; do
			case "$tool $status" in
			# It has no check that can fail, and no parts.
			'tc-trim 1') continue ;;
			esac
			grep -qx ".It $status" "$ROOT/man/$tool.1"
		done
	done
}

# ---- records ----

# Lines "STRUCT PRESENCE FIELD" for all record structs, in the order of their lists. A
# group stands for the list before it that has its name, which is written out too.
contract() {
	awk 'function put(field) {
			print list, field
			fields[list] = fields[list] field "\n"
		}
		/^#define [A-Z_]*\(F, s\)/ { name = $2; sub(/\(.*/, "", name); list = tolower(name); fields[list] = "" }
		# A list of one field has a single line.
		{ sub(/^#define [A-Z_]*\(F, s\) F/, "\tF") }
		/^\tF\(s, / {
			gsub(/[,)]/, "")
			if ($2 == "GROUP") {
				n = split(fields[tolower($3)], group, "\n")
				for (i = 1; i < n; i++)
					put(group[i])
			} else {
				put($2 " " $4)
			}
		}' "$ROOT"/lib/rec/*.[ch]
}

# The types of the table, one a line.
types() {
	sed -n 's/^\t&tc_rec_\([a-z_]*\),$/\1/p' "$ROOT/lib/rec/table.c"
}

@test "tc-records(5) describes the fields of every record type, in their order" {
	is "$(types | wc -l)" "$(sed -n '/^static const struct tc_rec_type .const table/,/};/p' "$ROOT/lib/rec/table.c" | grep -c '&tc_rec')"
	for type in $(types); do
		sed -n "/^\.Ss $type\$/,/^\.S[sh]/p" "$ROOT/man/tc-records.5" >section
		[ -s section ]
		contract | sed -n "s/^$type [A-Z]* //p" >wanted
		[ -s wanted ]
		sed -n 's/^\.It Li //p' section >got
		same wanted got
	done
	# And those of the objects inside: a word of the page.
	for field in $(contract | sed -n 's/^\(experimental\|\(trace\|device\|target\|file\|jank_metric\|jank_match\|jank_cause\)_[a-z]*\) [A-Z]* //p'); do
		grep -qw "$field" "$ROOT/man/tc-records.5"
	done
}

@test "tc-records(5) says what jank_cause does not know and why, and no more" {
	sed -n '/^\.Ss jank_cause$/,/^\.Ss/p' "$ROOT/man/tc-records.5" |
		sed -n '/^\.It Li unknown$/,/^\.It Li hints$/p' |
		sed -n 's/^\.Li \([a-z_]*\).*/\1/p' | grep -vxE 'what|why' | sort >got
	# In the call, or in what chooses between none and several.
	cat "$ROOT"/lib/jank/*.c | tr -d '\n' | grep -oE '(tc_jank_not_known\(|return c->[a-z_.]*count > 1 \?)[^;]*;' |
		grep -oE '"[a-z_]+"' | tr -d '"' | sort -u >wanted
	[ -s wanted ]
	same wanted got
}

@test "tc-records(5) has each code of an error that has a name" {
	cat "$ROOT"/lib/*/*.c "$ROOT"/cmd/*.c | tr -d '\n\t' | grep -o 'tc_err_named([^;]*;' |
		grep -oE 'TC_[A-Z]+, *"[a-z_]+"' | grep -oE '[a-z_]+"' | tr -d '"' | sort -u >codes
	[ -s codes ]
	sed -n '/^\.Ss error$/,/^\.It Li text$/p' "$ROOT/man/tc-records.5" >page
	# That one ends a run before it has records.
	grep -vx not_a_directory codes | while read -r code; do
		grep -qw "$code" page || echo "$code"
	done | same - /dev/null
}

@test "tc-jank(1) names the diagnostics of the rows that it reads" {
	cat "$ROOT"/lib/rows/*.c | grep -o 'tc_cli_diag(cli, TC_WARNING, "[a-z_]*"' | grep -oE '"[a-z_]+"' | tr -d '"' >codes
	[ -s codes ]
	while read -r code; do
		grep -qw "$code" "$ROOT/man/tc-jank.1"
	done <codes
}

@test "tc-records(5) describes no type that does not exist" {
	sed -n 's/^\.Ss \([a-z_]*\)$/\1/p' "$ROOT/man/tc-records.5" | sort >got
	types | sort | same - got
}

# misfits FILE...: the records whose fields are not those of their table: unknown,
# out of order, or missing though they are always there.
misfits() {
	contract | jq -Rn '[inputs | split(" ") | {struct: .[0], always: (.[1] == "ALWAYS"), name: .[2]}]
		| group_by(.struct) | map({key: .[0].struct, value: .}) | from_entries' >contract.json
	jq -rc --slurpfile contract contract.json '
		$contract[0] as $c
		| def misfit($fields):
			keys_unsorted as $keys
			| [$fields[] | select(.name as $n | $keys | index($n)).name] as $in_order
			| if $keys != $in_order then "fields \($keys)"
			  elif [$fields[] | select(.always).name] - $keys != [] then "lacks \([$fields[] | select(.always).name] - $keys)"
			  else empty end;
		def of_session: (.error // empty | misfit($c.session_error)),
			(.restore[]? | misfit($c.session_setting)),
			(.target // empty | misfit($c.target), (.files[]? | misfit($c.target_file)));
		if $c[.type] == null then "no such type: \(.type)"
		  elif keys_unsorted[0] != "type" then "type is not first: \(.)"
		  else (. as $r | del(.type) | misfit($c[$r.type])),
			(.experimental // empty | misfit($c.experimental)),
			(if .type == "trace" then (.clocks[]? | misfit($c.trace_clock)),
				(.data_sources[]? | misfit($c.trace_source)),
				(.config // empty | misfit($c.trace_config)),
				(.buffers[]? | misfit($c.trace_buffer)) else empty end),
			(if .type == "jank_metric" then (.sketch // empty | misfit($c.jank_metric_sketch)) else empty end),
			(if .type == "jank_match" then (.candidates[] | misfit($c.jank_match_candidate)) else empty end),
			(if .type == "jank_cause" then (.stretches[] | misfit($c.jank_cause_stretch)),
				(.threads[] | misfit($c.jank_cause_thread)),
				(.unknown[] | misfit($c.jank_cause_unknown)),
				(.hints[] | misfit($c.jank_cause_hint)) else empty end),
			(if .type == "device" then (.displays[]? | misfit($c.device_display)),
				(.free[]? | misfit($c.device_free)),
				(.perfetto // empty | misfit($c.device_perfetto)) else empty end),
			(if .type == "target" then (.files[]? | misfit($c.target_file)) else empty end),
			(if .type == "file" then (.error // empty | misfit($c.file_error)) else empty end),
			(if .type == "session" then of_session else empty end),
			(if .type == "run" then (.sessions[] | misfit($c.session), of_session) else empty end)
		  end' "$@"
}

@test "there are samples of every record type, and between them of every field" {
	is "$(misfits "$DATA"/records/*.jsonl)" ''
	for type in $(types); do
		is "$(jq -r .type "$DATA/records/$type.jsonl" | sort -u)" "$type"
		{
			jq -r 'keys[] | select(. != "type")' "$DATA/records/$type.jsonl"
			jq -r 'select(.type != "request") | (.experimental, .clocks[0]?, .data_sources[0]?, .config?,
				.buffers[0]?, .displays[0]?, .free[0]?, .perfetto?, .files[0]?, .error?, .sketch?,
				.candidates[0]?, .stretches[]?, .threads[0]?, .unknown[0]?, .hints[0]?,
				.sessions[]?, ((., .sessions[]?) | .error?, .restore[0]?, (.target? | objects | ., .files[0]))) // {} | objects | keys[]' "$DATA/records/$type.jsonl"
		} | sort -u >got
		contract | case $type in
		actual_frame) grep -E '^(actual_frame|experimental) ' ;;
		session) grep -E '^(session(_[a-z]+)?|target(_file)?) ' ;;
		run) grep -E '^(run|session(_[a-z]+)?|target(_file)?) ' ;;
		trace | device | target | file | jank_metric | jank_match | jank_cause) grep -E "^$type(_[a-z]+)? " ;;
		*) grep "^$type " ;;
		esac | sed 's/.* //' | sort -u | same - got
	done
	is "$(ls "$DATA/records" | wc -l)" "$(types | wc -l)"
}

@test "every sample passes through every tool byte for byte" {
	cat "$DATA"/records/*.jsonl >all
	# A request is replaced, and a tool without its end is missed.
	but 'request|tool' all >most
	tool got.out tc-parse --assume all -t IME most
	# One of the devices has nothing to capture.
	ended 1
	head -n $(($(wc -l <most) + 1)) got.out | tail -n +2 | cmp most
	tool got.out tc-jank --keep --ignore-upstream all
	ended 0
	head -n $(($(wc -l <all) + 1)) got.out | tail -n +2 | cmp all
	# Nothing of these two is without consequences for tc-import.
	but 'artifact|tool' all >most
	tool got.out tc-import most
	ended 0
	between got.out | cmp most
}

@test "what the tools print keeps to the contract: known fields, in order, none missing" {
	mkscene -s 3 | tc-import --experimental >rows.out
	tc-jank --keep frames rows.out >frames.out
	tc-jank stats rows.out >stats.out
	tc-parse --assume none -p jank -p winscope </dev/null >plan.out
	is "$(misfits rows.out frames.out stats.out plan.out | head -n 5)" ''
	is "$(cat rows.out frames.out stats.out plan.out | jq -r .type | sort -u | tr '\n' ' ')" \
		'actual_frame buffer_event end expected_frame jank_frame jank_stats notice phase process refresh_rate stat target thread tool trace '
}

# ---- examples ----

scene() {
	mkscene -s 5 >scene.pftrace
}

@test "every example script runs" {
	scene
	for example in "$ROOT"/examples/*.sh; do
		[ -x "$example" ]
		# With a device, elsewhere.
		[ "${example##*/}" != capture.sh ] || continue
		run --separate-stderr "$example" scene.pftrace
		ended 0
		silent
		[ "$output" ]
	done
}

@test "late-frames.sh lists the late frames, the worst first, and passes on failures" {
	scene
	"$ROOT/examples/late-frames.sh" scene.pftrace com.example.app >late
	[ -s late ]
	cut -f 1 late | sort -rn | cmp - <(cut -f 1 late)
	LC_ALL=de_DE.UTF-8 "$ROOT/examples/late-frames.sh" scene.pftrace com.example.app >german
	same late german
	is "$(awk -F '\t' 'NF != 4 || $1 <= 0' late | wc -l)" 0
	tc-import scene.pftrace | tc-jank frames --app com.example.app >got.out
	is "$(wc -l <late)" "$(only jank_frame got.out | jq 'select(.end_delta_ms > 0).actual_id' | wc -l)"
	run --separate-stderr "$ROOT/examples/late-frames.sh" scene.pftrace com.example.none
	[ "$status" -ne 0 ]
	run --separate-stderr "$ROOT/examples/late-frames.sh" missing
	[ "$status" -ne 0 ]
	run --separate-stderr "$ROOT/examples/late-frames.sh"
	[ "$status" -ne 0 ]
	has "$stderr" usage
}

@test "jank-config.sh prints a configuration for the app, or says why not" {
	"$ROOT/examples/jank-config.sh" com.example.app 20 >got
	is "$(grep -c 'atrace_apps: "com.example.app"\|^duration_ms: 20000\|android.surfaceflinger.frame' got)" 4
	run --separate-stderr "$ROOT/examples/jank-config.sh" 'a b'
	[ "$status" -eq 2 ]
	run --separate-stderr "$ROOT/examples/jank-config.sh"
	[ "$status" -ne 0 ]
	has "$stderr" usage
}

@test "slow-touches.sh lists input events, the slowest first" {
	mktrace >t.pftrace <<-'END'
		bundle cpu=0
		print ts=1000000 tid=5 text="B|5|sendMessage(inputChannel=1f com.a (server), seq=0x1, type=MOTION)"
		print ts=1000010 tid=5 text="E|5"
		print ts=1100000 tid=9 text="B|9|receiveMessage(inputChannel=1f com.a (client), seq=0x1, type=MOTION)"
		print ts=1100000 tid=9 text=E
		print ts=3100000 tid=9 text="B|9|sendMessage(inputChannel=1f com.a (client), seq=0x1, type=FINISHED)"
		print ts=3100000 tid=9 text=E
		print ts=4000000 tid=5 text="B|5|receiveMessage(inputChannel=1f com.a (server), seq=0x1, type=FINISHED)"
		print ts=4000000 tid=5 text=E
		endbundle
	END
	"$ROOT/examples/slow-touches.sh" t.pftrace >got
	is "$(sed 1d got)" $'3\t2\tMOTION\t-\t-\tcom.a'
}

@test "every example makefile runs, and does nothing when nothing has changed" {
	scene
	mkdir traces
	mv scene.pftrace traces
	cp traces/scene.pftrace traces/other.perfetto-trace
	for example in "$ROOT"/examples/*.mk; do
		rm -rf out
		run --separate-stderr make -f "$example"
		ended 0
		silent
		run --separate-stderr make -f "$example"
		ended 0
		has "$output" 'Nothing to be done'
	done
}

@test "trace.mk makes a table for each trace, and check fails on missed deadlines" {
	scene
	mkdir traces
	mv scene.pftrace traces
	cp traces/scene.pftrace traces/other.perfetto-trace
	make -s -f "$ROOT/examples/trace.mk"
	[ -s out/scene.tsv ]
	cmp out/scene.tsv out/other.tsv
	run --separate-stderr make -s -f "$ROOT/examples/trace.mk" check
	ended 2
	has "$stderr" 'com.example.app missed deadlines'
	# With no trace of that app's there is nothing to miss.
	rm -r out
	mktrace "$DATA/scripts/a3.script" >traces/scene.pftrace
	rm traces/other.perfetto-trace
	run --separate-stderr make -s -f "$ROOT/examples/trace.mk" APP=pid=1000 check
	ended 0
	# A stage that fails leaves no file that looks finished.
	rm -r out
	echo 'no trace' >traces/scene.pftrace
	run --separate-stderr make -s -f "$ROOT/examples/trace.mk"
	ended 2
	is "$(find out -type f)" ''
}

# ---- installation ----

@test "install puts everything below DESTDIR and PREFIX, and uninstall takes it away" {
	{
		for tool in $tools; do
			echo "./opt/tc/bin/$tool"
			echo "./opt/tc/share/bash-completion/completions/$tool"
			echo "./opt/tc/share/fish/vendor_completions.d/$tool.fish"
			echo "./opt/tc/share/man/man1/$tool.1"
			echo "./opt/tc/share/zsh/site-functions/_$tool"
		done
		echo ./opt/tc/share/man/man5/tc-records.5
	} | sort >wanted
	built install DESTDIR="$TMP/root" PREFIX=/opt/tc >said
	(cd root && find . ! -type d | sort) >got
	same wanted got
	is "$(root/opt/tc/bin/tc-import -V)" "$(tc-import -V)"
	is "$(find root -type f -path '*/bin/*' -perm 755 | wc -l)" "$(wc -w <<<"$tools")"
	is "$(find root -type f ! -path '*/bin/*' ! -perm 644)" ''
	touch root/opt/tc/bin/other
	built uninstall DESTDIR="$TMP/root" PREFIX=/opt/tc >said
	is "$(cd root && find . ! -type d)" ./opt/tc/bin/other
}

@test "completions know every option" {
	for tool in $tools; do
		for option in $(options_of_help "$tool"); do
			grep -qF -e "$option" "$BUILD/completions/bash/$tool"
			grep -qF -e "$option" "$BUILD/completions/zsh/$tool"
			case $option in
			--*) grep -q -e " -l ${option#--}\\>" "$BUILD/completions/fish/$tool" ;;
			-*) grep -q -e " -s ${option#-}\\>" "$BUILD/completions/fish/$tool" ;;
			esac
		done
	done
}

@test "bash completes an option" {
	run --separate-stderr bash -c '
		. "$1/completions/bash/tc-jank"
		COMP_WORDS=(tc-jank --ke) COMP_CWORD=1
		_tc_jank
		printf "%s\n" "${COMPREPLY[@]}"' - "$BUILD"
	ended 0
	silent
	is "$(sort <<<"$output" | tr '\n' ' ')" '--keep --keep-going '
}

# ---- the runner of these tests ----

# tests NAME < FILE: a file of tests in a tree that has little more. Its tests are
# marked @TEST here, because bats would take them for tests of this file.
tests() {
	mkdir -p tree/tests
	sed 's/@TEST/@test/' >"tree/tests/$1.bats"
}

# runner: what .make/check makes of that tree. bats puts its own folder in front of
# PATH, where its parts have the name of the whole.
runner() {
	local path

	path=$(tr : '\n' <<<"$PATH" | grep -v 'lib\(exec\)\?/bats-core' | paste -s -d :)
	mkdir -p tree/.make tree/tests tree/build
	cp "$ROOT/.make/check" tree/.make
	run --separate-stderr env -i PATH="$path" TMPDIR="$TMP" tree/.make/check tree/build
}

@test "the runner counts what passed, failed and was skipped, in one last line" {
	tests a <<-'END'
		@TEST "passes" { [ "$TC_BUILD" = "$(cd "$BATS_TEST_DIRNAME/../build" && pwd)" ]; }
		@TEST "fails" { false; }
		@TEST "skips" { skip "no reason"; }
	END
	tests b <<-'END'
		@TEST "passes" { [ "$LC_ALL" = C ]; }
		@TEST "reads nothing" { [ "$(cat)" = "" ]; }
	END
	runner
	ended 1
	is "${lines[-1]}" '3 passed, 1 failed, 1 skipped'
	has "$output" '# tests/a.bats'
	has "$output" 'not ok 2 fails'
	is "$(grep -c ' passed' <<<"$output")" 1
	rm tree/tests/a.bats
	runner
	ended 0
	is "${lines[-1]}" '2 passed, 0 failed'
}

@test "the runner fails when nothing ran, or a file of tests cannot be read" {
	runner
	ended 1
	tests a <<<'@TEST "skips" { skip; }'
	runner
	ended 1
	is "${lines[-1]}" '0 passed, 0 failed, 1 skipped'
	tests a <<<'@TEST "broken" { if; }'
	tests b <<<'@TEST "passes" { true; }'
	runner
	ended 1
	is "${lines[-1]}" '1 passed, 1 failed'
	tests a <<-'END'
		setup_file() { false; }
		@TEST "one" { true; }
		@TEST "two" { true; }
	END
	runner
	ended 1
	has "${lines[-1]}" '1 passed, 2 failed'
	run --separate-stderr "$ROOT/.make/check" "$TMP/no-such-folder"
	ended 2
	run --separate-stderr "$ROOT/.make/check"
	ended 2
}
