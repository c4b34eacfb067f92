# tc-tools. `make demo` and `make check` are all that a newcomer needs.
#
#   make            build everything into build/ (the tools into build/bin)
#   make demo       capture a trace from a made-up device and judge it
#   make check      all tests; with SAN=1 under the sanitizers
#   make bench      speed, as ratios against what a user would otherwise run
#   make fuzz       build the fuzz targets with libFuzzer and run each for a while
#   make deps       install what is missing
#   make install    into PREFIX, below DESTDIR; make uninstall
#   make fmt        apply .clang-format
#
# WERROR=1 makes warnings errors, CC=clang works. There is no configure step:
# pkg-config finds the libraries.

VERSION := 0.1.0
PREFIX ?= /usr/local
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
OUT := build$(if $(SAN),/san)

ifeq ($(origin CC),default)
CC := gcc
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes \
	-Wstrict-prototypes -Wcast-qual -Wvla -Wundef -Wformat=2 -Wswitch-enum \
	$(if $(WERROR),-Werror)
SANITIZE := $(if $(SAN),-fsanitize=address -fsanitize=undefined \
	-fno-sanitize-recover=all -fno-omit-frame-pointer)
BASE := -std=c11 -pthread -D_GNU_SOURCE -DTC_VERSION='"$(VERSION)"' -Ilib -I$(OUT)/proto \
	-MMD -MP

# Looked up when first used, so that `make deps` can run before they are there.
LIBS := yyjson libprotobuf-c libdeflate zlib libzstd libarchive libssl libcrypto libusb-1.0 \
	libcurl
TEST_LIBS := libprotobuf-c zlib libzstd
pkg = $(shell $(PKG_CONFIG) $(1) $(2) || echo -DMISSING_LIBRARY_run_make_deps)
lib_cflags = $(eval lib_cflags := $(call pkg,--cflags,$(LIBS)))$(lib_cflags)
lib_libs = $(eval lib_libs := $(call pkg,--libs,$(LIBS)))$(lib_libs)
test_cflags = $(eval test_cflags := $(call pkg,--cflags,$(TEST_LIBS)))$(test_cflags)
test_libs = $(eval test_libs := $(call pkg,--libs,$(TEST_LIBS)))$(test_libs)

# GCC for x86 clears small structures with `rep stos`, which takes longer to begin than
# to store some zeros. Where it can be told so, which is tried, it stores them.
stores := -mmemset-strategy=unrolled_loop:512:noalign,libcall:-1:noalign
tuning = $(eval tuning := $(shell $(CC) $(stores) -x c -c -o /dev/null - \
	</dev/null >/dev/null 2>&1 && echo $(stores)))$(tuning)

compile = $(CC) $(BASE) $(tuning) $(CFLAGS) $(WARNINGS) $(SANITIZE) $(lib_cflags)
link = $(CC) -pthread $(CFLAGS) $(LDFLAGS) $(SANITIZE)

tools := $(patsubst cmd/%.c,%,$(wildcard cmd/*.c))
bins := $(tools:%=$(OUT)/bin/%)
lib_objs := $(patsubst %.c,$(OUT)/%.o,$(wildcard lib/*/*.c)) $(OUT)/proto/query.pb-c.o
archive := $(OUT)/libtc.a
headers := $(wildcard lib/*/*.h)
shells := bash zsh fish
completions := $(foreach s,$(shells),$(tools:%=$(OUT)/completions/$(s)/%))
manuals := $(wildcard man/*.1 man/*.5)

.PHONY: all demo check bench fuzz deps install uninstall fmt clean \
	check-layers check-headers generators made-up-device test-programs
all: $(bins) $(completions)

# ---- the tools ----
$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(compile) -c -o $@ $<

# Messages of proto/ come through protobuf-c; generated code keeps its own style.
# Each file is named, since make would sooner take a rule that needs none of them.
# When all is well, all that protoc-c says is that it is to be called otherwise one day.
pb_sources := $(patsubst proto/%.proto,$(OUT)/proto/%.pb-c.c,$(wildcard proto/*.proto))
$(pb_sources): $(OUT)/proto/%.pb-c.c: proto/%.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=proto --c_out=$(@D) $< 2>$@.said || { cat $@.said >&2; exit 1; }
	@rm $@.said
# Without a recipe, make would not look again at when it was written.
$(pb_sources:.c=.h): %.h: %.c ;
$(pb_sources:.c=.o): %.o: %.c
	$(CC) -std=c11 $(CFLAGS) $(SANITIZE) $(lib_cflags) -c -o $@ $<
$(OUT)/lib/probe/service.o $(OUT)/lib/session/start.o: $(OUT)/proto/query.pb-c.h

$(archive): $(lib_objs)
	@rm -f $@
	$(AR) rcs $@ $^

$(bins): $(OUT)/bin/%: $(OUT)/cmd/%.o $(archive)
	@mkdir -p $(@D)
	$(link) -o $@ $^ $(lib_libs) -lm

$(completions): .make/completion
$(OUT)/completions/bash/%: $(OUT)/bin/%
	@mkdir -p $(@D)
	$< -h | .make/completion bash $* >$@.tmp && mv $@.tmp $@
$(OUT)/completions/zsh/%: $(OUT)/bin/%
	@mkdir -p $(@D)
	$< -h | .make/completion zsh $* >$@.tmp && mv $@.tmp $@
$(OUT)/completions/fish/%: $(OUT)/bin/%
	@mkdir -p $(@D)
	$< -h | .make/completion fish $* >$@.tmp && mv $@.tmp $@

# ---- the programs that tests need ----
pb_stem := $(OUT)/proto/trace.pb-c

gen_mains := mktrace mkscene measure
gen_shared := $(filter-out $(gen_mains:%=$(OUT)/tests/gen/%.o), \
	$(patsubst %.c,$(OUT)/%.o,$(wildcard tests/gen/*.c)))
gens := $(gen_mains:%=$(OUT)/tests/%)
$(OUT)/tests/gen/%.o: tests/gen/%.c $(pb_stem).h Makefile
	@mkdir -p $(@D)
	$(compile) $(test_cflags) -Itests/gen -c -o $@ $<
$(gens): $(OUT)/tests/%: $(OUT)/tests/gen/%.o $(gen_shared) $(pb_stem).o
	$(link) -o $@ $^ $(test_libs) -lm

# The embedded device, and what else stands in for a phone or its user.
peer_mains := adbserver devtool fakeadbd fakeproxy inside
peer_shared := $(filter-out $(peer_mains:%=$(OUT)/tests/fake/%.o), \
	$(patsubst %.c,$(OUT)/%.o,$(wildcard tests/fake/*.c)))
peers := $(peer_mains:%=$(OUT)/tests/%)
$(peers): $(OUT)/tests/%: $(OUT)/tests/fake/%.o $(peer_shared) $(archive)
	$(link) -o $@ $^ $(lib_libs) -lm

# USB devices, where there is what makes them up. The sanitizers' libraries and that
# one want to be loaded first both, so this is built without.
has_umockdev := $(shell $(PKG_CONFIG) --exists umockdev-1.0 2>/dev/null && echo yes)
bus_objs := $(patsubst %.c,$(OUT)/%.o,$(wildcard tests/fake/usb/*.c))
bus := $(if $(has_umockdev),$(OUT)/tests/fakeusb)
$(bus_objs): $(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(WARNINGS) \
		$$($(PKG_CONFIG) --cflags umockdev-1.0 gio-unix-2.0 | sed 's/-I/-isystem /g') \
		-c -o $@ $<
$(OUT)/tests/fakeusb: $(bus_objs)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$($(PKG_CONFIG) --libs umockdev-1.0 gio-unix-2.0)

units := $(patsubst tests/unit/%.c,$(OUT)/tests/unit/%,$(wildcard tests/unit/*.c))
$(units): $(OUT)/tests/unit/%: $(OUT)/tests/unit/%.o $(archive)
	$(link) -o $@ $^ $(lib_libs) -lm

# What the made-up Android device runs that a shell script cannot do.
fake_mains := enter perfetto screenrecord sh
fake_shared := $(filter-out $(fake_mains:%=$(OUT)/tests/fake/android/%.o), \
	$(patsubst %.c,$(OUT)/%.o,$(wildcard tests/fake/android/*.c)))
fakes := $(fake_mains:%=$(OUT)/tests/android/%)
$(fakes): $(OUT)/tests/android/%: $(OUT)/tests/fake/android/%.o $(fake_shared) $(archive)
	@mkdir -p $(@D)
	$(link) -o $@ $^ $(lib_libs) -lm

fuzz_names := $(filter-out replay,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
replays := $(fuzz_names:%=$(OUT)/tests/fuzz/%)
$(replays): $(OUT)/tests/fuzz/%: $(OUT)/tests/fuzz/%.o $(OUT)/tests/fuzz/replay.o $(archive)
	$(link) -o $@ $^ $(lib_libs) -lm

generators: $(gens)
made-up-device: $(fakes) $(OUT)/tests/fakeadbd
test-programs: $(gens) $(units) $(replays) $(fakes) $(peers) $(bus)

# ---- what a person types ----
# `all` again in a make of its own: what deps installs must be there to be found.
demo:
	@.make/deps build run
	@$(MAKE) -q all generators made-up-device >/dev/null 2>&1 || \
		echo 'demo: building, which takes a minute or two'
	@$(MAKE) --no-print-directory -s all generators made-up-device
	@.make/demo $(OUT)

check:
	@.make/deps build run check
	@$(MAKE) --no-print-directory all test-programs
	@.make/check $(OUT)

bench:
	@.make/deps build run
	@$(MAKE) --no-print-directory -s all generators $(peers) $(bus)
	@.make/bench $(OUT)

fuzz:
	@.make/deps build fuzz
	@.make/fuzz $(fuzz_names)

deps:
	@.make/deps build run check fmt

check-layers:
	@.make/check-layers

check-headers:
	@for h in $(headers); do \
		$(compile) -x c -fsyntax-only -MF /dev/null $$h || exit 1; \
	done

fmt:
	@.make/deps fmt
	clang-format -i cmd/*.c $(wildcard lib/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch])

install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(bins) $(DESTDIR)$(PREFIX)/bin
	for m in $(manuals); do \
		install -D -m 644 $$m \
			$(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/} || exit 1; \
	done
	for t in $(tools); do \
		install -D -m 644 $(OUT)/completions/bash/$$t \
			$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$t && \
		install -D -m 644 $(OUT)/completions/zsh/$$t \
			$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_$$t && \
		install -D -m 644 $(OUT)/completions/fish/$$t \
			$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$t.fish || exit 1; \
	done

uninstall:
	for t in $(tools); do \
		rm -f $(DESTDIR)$(PREFIX)/bin/$$t \
			$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$t \
			$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_$$t \
			$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$t.fish; \
	done
	for m in $(manuals); do \
		rm -f $(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/}; \
	done

clean:
	rm -rf build

.SECONDARY:
-include $(lib_objs:.o=.d) $(tools:%=$(OUT)/cmd/%.d)
-include $(wildcard $(OUT)/tests/*/*.d $(OUT)/tests/*/*/*.d)
