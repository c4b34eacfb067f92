# trace.mk: an experiment as a Makefile. Put traces into traces/, then
#
#     make -f trace.mk            a table of late frames for each trace
#     make -f trace.mk check      fails when the app itself missed a deadline
#
# With RUNS it captures them, too, each run FOR so long on TC_DEVICE:
#
#     make -f trace.mk RUNS='before after' APP=com.example.app
#
# Each stage's output is a file: change a rule, and only what depends on it is
# made again; look into any of them with jq.

APP ?= com.example.app
RUNS ?=
FOR ?= 10s
REQUESTS ?= -p jank -a '$(APP)'
TRACES := $(wildcard traces/*.pftrace traces/*.perfetto-trace)
NAMES := $(basename $(notdir $(TRACES))) $(RUNS)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all check
all: $(NAMES:%=out/%.tsv)

vpath %.pftrace traces
vpath %.perfetto-trace traces

out/%.frames.jsonl: %.pftrace
	@mkdir -p out
	tc-import $< >$@

out/%.frames.jsonl: %.perfetto-trace
	@mkdir -p out
	tc-import $< >$@

# A device has one run at a time, and one folder for it. Pulling a run whose folder the
# next one got fails (other_run), so no run is ever taken for another.
ifneq ($(RUNS),)
.NOTPARALLEL:
endif

# The records of a capture say where its files are: when Ctrl-C ends it, too, they
# stay, and the next make goes on from there. One that failed is put aside.
.PRECIOUS: $(RUNS:%=out/%.session.jsonl)

# From the request to the trace. What came of a capture in part is gone on with: the
# records say what is missing, and tc-jank says it with its status.
out/%.device.jsonl:
	@mkdir -p out
	tc-session probe >$@

out/%.targets.jsonl: out/%.device.jsonl
	tc-parse $(REQUESTS) $< >$@

out/%.session.jsonl: out/%.targets.jsonl
	@echo 'tc-session run --for $(FOR) $< >$@'; trap : INT; s=0; \
	tc-session run --for $(FOR) $< >$@ || s=$$?; \
	[ $$s -gt 1 ] || exit 0; \
	mv $@ $@.failed; \
	[ $$s -ne 75 ] || echo 'trace.mk: $*: the device is busy with another run:' \
		'pull that, or end it with tc-session recover' >&2; \
	exit $$s

# Made again, a run is another one: what an earlier one left in traces/ stays.
out/%.files.jsonl: out/%.session.jsonl
	tc-pull -o traces/$* --name '{run}/{dest}' $< >$@ || [ $$? -eq 1 ]

$(RUNS:%=out/%.frames.jsonl): out/%.frames.jsonl: out/%.files.jsonl
	tc-import $< >$@

out/%.jank.jsonl: out/%.frames.jsonl
	tc-jank --app '$(APP)' --all $< >$@

out/%.tsv: out/%.jank.jsonl
	jq -r 'select(.type == "jank_frame") | [.actual_ts_ns, .end_delta_ms, .jank_tag, .jank_type] | @tsv' $< >$@

check: $(NAMES:%=out/%.jank.jsonl)
	@for f in $^; do \
		jq -e -n '[inputs | select(.type == "jank_stats" and .jank_tag == "Self Jank")] == []' \
			$$f >/dev/null || { echo "$$f: $(APP) missed deadlines" >&2; exit 1; }; \
	done
