# trace.mk: an experiment as a Makefile. Put traces into traces/, then
#
#     make -f trace.mk            a table of late frames for each trace
#     make -f trace.mk check      fails when the app itself missed a deadline
#
# Each stage's output is a file: change a rule, and only what depends on it is
# made again; look into any of them with jq.

APP ?= com.example.app
TRACES := $(wildcard traces/*.pftrace traces/*.perfetto-trace)
NAMES := $(basename $(notdir $(TRACES)))

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

out/%.jank.jsonl: out/%.frames.jsonl
	tc-jank --app '$(APP)' --all $< >$@

out/%.tsv: out/%.jank.jsonl
	jq -r 'select(.type == "jank_frame") | [.actual_ts_ns, .end_delta_ms, .jank_tag, .jank_type] | @tsv' $< >$@

check: $(NAMES:%=out/%.jank.jsonl)
	@for f in $^; do \
		jq -e -n '[inputs | select(.type == "jank_stats" and .jank_tag == "Self Jank")] == []' \
			$$f >/dev/null || { echo "$$f: $(APP) missed deadlines" >&2; exit 1; }; \
	done
