# simfront: one makefile; objects, programs and what tests leave go to $(BUILD).

VERSION = 0.1.0
PREFIX  = /usr/local
DESTDIR =
BUILD   = build

CC       = gcc
CFLAGS   = -O2 -g
CPPFLAGS =
LDFLAGS  =

# Jobs at a time where a target starts them itself; the suites to run.
JOBS  = $(shell nproc 2>/dev/null || echo 2)
TESTS =

# Debian's names of what is needed: to build and run, to test, to lint.
PACKAGES      = gcc libc6-dev protobuf-c-compiler libprotobuf-c-dev \
	libjansson-dev libyaml-dev zlib1g-dev libzip-dev libcairo2-dev
TEST_PACKAGES = bats jq python3 python3-jsonschema python3-simpy3 mandoc \
	pkg-config g++ libonnx-testdata
LINT_PACKAGES = clang clang-format shellcheck mandoc
CLUSTER_PACKAGES = slurmctld slurmd slurm-client munge openssh-server \
	openssh-client parallel procps iproute2
FUZZ_PACKAGES = clang libclang-rt-14-dev llvm

# What the code needs, whatever the user puts into CFLAGS.
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wformat=2
# Which commit is built, for --version; nothing in a release's own files.
DESCRIBE := $(shell test -z "$$(git rev-parse --show-cdup 2>&1)" && \
	git describe --tags --always --dirty 2>/dev/null | \
	tr -cd 'A-Za-z0-9._+-' | sed 's/^v\{0,1\}$(VERSION)$$//')
SF_CPPFLAGS = -D_GNU_SOURCE -DSF_VERSION='"$(VERSION)"' -Ilib -I$(BUILD)/gen
SF_CFLAGS = -std=c11 $(WARNINGS) -ffp-contract=off
# Only sf-plot and sf-fifo draw; the others start without loading cairo.
LDLIBS = -Wl,--as-needed -lprotobuf-c -ljansson -lyaml -lzip -lz -lcairo -lm
# A static program starts in half the time, 0.4 ms less. What unzips or draws
# has shared libraries only, and so have the sanitizers: where the static link
# fails, the shared one is made. With an empty STATIC all are shared, so that
# their calls can be intercepted.
STATIC      = -static -Wl,-z,noseparate-code
STATIC_LIBS = $(filter-out -lzip -lcairo,$(LDLIBS))

# A directory of lib/ may have rooms, as lib/onnx has.
LIB_C   = $(sort $(wildcard lib/*/*.c lib/*/*/*.c))
BIN_C   = $(sort $(wildcard bin/sf-*.c))
UNIT_C  = $(sort $(wildcard tests/unit/*.c))
PARTS_C = $(sort $(wildcard tests/unit/*/*.c))
PROTO   = $(sort $(wildcard formats/*.proto))
PROTO_C = $(PROTO:%.proto=$(BUILD)/gen/%.pb-c.c)
PROTO_O = $(PROTO_C:$(BUILD)/gen/%.c=$(BUILD)/obj/gen/%.o)
LIB     = $(BUILD)/lib/libsimfront.a
SCRIPTS = $(patsubst bin/%,$(BUILD)/bin/%,$(filter-out %.c,$(wildcard bin/sf-*)))
BINS    = $(BIN_C:bin/%.c=$(BUILD)/bin/%) $(SCRIPTS)
UNITS   = $(UNIT_C:tests/unit/%.c=$(BUILD)/unit/%)

# Each fuzz target is a file; the others of tests/fuzz are what they share.
# Where nobody fuzzes, the driver replays files.
FUZZ_C    = $(sort $(wildcard tests/fuzz/*.c))
FUZZ_MAIN = driver
FUZZ_WITH = copy harness mutate mutate-gzip mutate-json mutate-lines mutate-wire \
	mutate-zip owned paper pool stages
FUZZERS   = $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(filter-out \
	$(patsubst %,tests/fuzz/%.c,driver $(FUZZ_WITH)),$(FUZZ_C)))
FUZZ_O    = $(patsubst %,$(BUILD)/obj/tests/fuzz/%.o,$(FUZZ_MAIN) $(FUZZ_WITH))
MAINS     = calibrate check chrome compare compile cost diff dispatch ep export \
	fifo front lower model ntt onnx ort plot report rules scalesim sim sweep \
	timeloop
MAINS_O   = $(MAINS:%=$(BUILD)/obj/main/sf-%.o)
# At most how many calls of one kind are failed in one run.
FAULTS = 100
# Seconds that each target is fuzzed for; TESTS names targets.
FUZZ_SECONDS = 20
# What fuzz-night takes in all.
HOURS = 8
LIB_O   = $(LIB_C:%.c=$(BUILD)/obj/%.o) $(PROTO_O)
ALL_O   = $(LIB_O) $(MAINS_O) $(BIN_C:%.c=$(BUILD)/obj/%.o) \
	$(UNIT_C:%.c=$(BUILD)/obj/%.o) $(PARTS_C:%.c=$(BUILD)/obj/%.o) \
	$(FUZZ_C:%.c=$(BUILD)/obj/%.o)

# A text as one word of the shell. Directories may have spaces in their names
# but for BUILD, in which make finds its targets.
quote = '$(subst ','\'',$(1))'
BIN   = $(call quote,$(abspath $(BUILD))/bin)
ifneq ($(words $(BUILD)),1)
$(error BUILD is '$(BUILD)', expected a directory without spaces in its name)
endif

# V=1 shows the commands, -s not even their names, so that cron has no mail.
V =
Q = $(if $(V),,@)
SAY = @$(if $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),:,echo)

# The same build with other flags: $(call build,VARIABLES,TARGETS).
build = $(MAKE) --no-print-directory \
	$(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) $(1) $(2)

ASAN  = BUILD=build/asan CFLAGS='-O1 -g -fno-omit-frame-pointer \
	-fsanitize=address,undefined,float-cast-overflow \
	-fno-sanitize-recover=all -Wno-format-truncation'
GCC   = BUILD=build/gcc CC=gcc CFLAGS='-O2 -g -Werror'
CLANG = BUILD=build/clang CC=clang CFLAGS='-O2 -g -Werror'
FAULT = BUILD=build/faults STATIC=
FUZZ  = BUILD=build/libfuzzer CC=clang FUZZ_MAIN= CFLAGS='-O2 -g \
	-fno-omit-frame-pointer -fno-sanitize-recover=all \
	-fsanitize=address,undefined,float-cast-overflow,fuzzer-no-link'
# Without sanitizers, and with memory that is reset in place.
RAPID = BUILD=build/rapid CC=clang FUZZ_MAIN= CFLAGS='-O2 -g -DFUZZ_POOL \
	-fsanitize-coverage=inline-8bit-counters,indirect-calls,pc-table'
COVERAGE = BUILD=build/coverage CC=clang CFLAGS='-O1 -g \
	-fprofile-instr-generate -fcoverage-mapping'

all: $(LIB) $(BINS) ## build/bin and build/lib (the default)
	@:

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s%s\n", $$1, $$2 }' \
	    Makefile

demo: deps ## install what is missing, build, run the pipeline on a model
	@$(call build,,all)
	@pipelines/demo $(BIN)

test: deps-test ## install what is missing, build, run all tests
	@$(call build,,all units fuzzers)
	@SF_BIN=$(BIN) tests/run -j $(JOBS) $(TESTS)

test-cluster: deps-cluster ## sweeps over Slurm and ssh hosts on loopback
	@$(call build,,all units)
	@SF_BIN=$(BIN) tests/run -j 1 tests/cluster/cluster.bats

test-asan: deps-test ## the same tests on a build with ASan and UBSan
	@$(call build,$(ASAN),all units fuzzers)
	@SF_SANITIZED=1 SF_BIN=$(call quote,$(CURDIR)/build/asan/bin) \
	    tests/run -j $(JOBS) $(TESTS)

test-faults: deps-test ## each program while what it calls fails, FAULTS a kind
	@$(call build,$(FAULT),all build/faults/faults/inject.so)
	@SF_BIN=$(call quote,$(CURDIR)/build/faults/bin) \
	    tests/faults/run -m $(FAULTS) $(TESTS)

ports: deps-test ## other compilers, C libraries and machines, where they are
	@JOBS=$(JOBS) tests/ports $(TESTS)

lint: deps-lint ## format, layers, headers, warnings, scripts, pages, symbols
	@$(call build,$(GCC),all units fuzzers)
	@$(call build,$(CLANG),all units fuzzers)
	@tests/lint/run build/gcc/lib/libsimfront.a

fuzz: deps-fuzz ## fuzz each target of tests/fuzz for FUZZ_SECONDS
	@$(call build,,all)
	@$(call build,$(FUZZ),fuzzers)
	@SF_BIN=$(BIN) FUZZ_SECONDS=$(FUZZ_SECONDS) \
	    tests/fuzz/run $(call quote,$(CURDIR)/build/libfuzzer/fuzz) $(TESTS)

fuzz-night: deps-fuzz ## fuzz each target for its share of HOURS, for cron
	@$(call build,,all)
	@$(call build,$(RAPID),fuzzers)
	@$(call build,$(FUZZ),fuzzers)
	@SF_BIN=$(BIN) tests/fuzz/night $(call quote,$(CURDIR)/build/rapid/fuzz) \
	    $(call quote,$(CURDIR)/build/libfuzzer/fuzz) $(HOURS) $(TESTS)

fuzz-coverage: deps-fuzz ## what of lib/ no fuzz target reaches
	@$(call build,,all)
	@$(call build,$(COVERAGE),fuzzers)
	@SF_BIN=$(BIN) tests/fuzz/coverage $(call quote,$(CURDIR)/build/coverage) \
	    $(call quote,$(CURDIR)/build/rapid/fuzz)

bench: deps-test ## ratios beside yardsticks measured in the same run
	@$(call build,,all units)
	@SF_BIN=$(BIN) tests/bench/run

gate: deps-test ## arithmetic against golden counts, speed against a yardstick
	@$(call build,,all)
	@SF_BIN=$(BIN) pipelines/gate

validate: deps ## hold the accelerator against measured times in SF_DATA=DIR
	@test -n "$(SF_DATA)" || \
	    { echo 'validate: missing SF_DATA=DIR, a directory of measured times' >&2; exit 2; }
	@$(call build,,all)
	@PATH="$$PWD/$(BUILD)/bin:$$PATH" pipelines/validate "$(SF_DATA)"

results: deps-test ## write docs/results.md and docs/accel-results.md anew
	@$(call build,,all)
	@$(call build,W=$(BUILD)/results BIN=$(BUILD)/bin,-s \
	    -f pipelines/results/results.mk pages pictures)
	@for page in results accel-results; do \
	    cp $(BUILD)/results/$$page.md docs || exit; done
	@mkdir -p docs/pictures
	@cp $(BUILD)/results/pictures/*.png docs/pictures

timings: deps-test ## write docs/timings.md anew, with this machine's
	@$(call build,,all)
	@$(call build,W=$(BUILD)/results BIN=$(BUILD)/bin,-s \
	    -f pipelines/results/results.mk timings)
	@cp $(BUILD)/results/timings.md docs

sweep: deps-test ## rooflines, $(BUILD)/sweep.csv, and designs, $(BUILD)/night
	@pipelines/install-packages parallel || :
	@$(call build,,all)
	@SF_BIN=$(BIN) pipelines/sweep-night \
	    -j $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(JOBS)) \
	    $(BUILD)/night
	@SF_BIN=$(BIN) pipelines/sweep \
	    -j $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(JOBS)) \
	    $(BUILD)/sweep.csv

trace-matrix: deps-test ## write docs/traceability.md from a run of the tests
	@$(call build,,all units fuzzers)
	@SF_BIN=$(BIN) pipelines/trace-matrix $(BUILD)/tap \
	    $(JOBS) >$(BUILD)/traceability.md
	@cp $(BUILD)/traceability.md docs/traceability.md

deps: ## install the Debian packages that building needs
	@pipelines/install-packages $(PACKAGES)

deps-test: ## and those that the tests need
	@pipelines/install-packages $(PACKAGES) $(TEST_PACKAGES)

deps-cluster: ## and those that sweeps over several machines need
	@pipelines/install-packages $(PACKAGES) $(TEST_PACKAGES)
	@pipelines/install-packages $(CLUSTER_PACKAGES) || :

deps-lint: ## and those that lint needs
	@pipelines/install-packages $(PACKAGES) $(TEST_PACKAGES) $(LINT_PACKAGES)

deps-fuzz: ## and those that fuzzing needs
	@pipelines/install-packages $(PACKAGES) $(FUZZ_PACKAGES)

# What `make install` puts below $(DESTDIR)$(PREFIX): "MODE SOURCE TARGET" each.
# The public headers, see lib/base/decl.h, go with the tables they include, and
# those with the tables that they are made of.
PUBLIC  = lib/simfront.h $(sort $(shell grep -rl SF_PUBLIC_BEGIN lib))
tables  = $(sort \
	$(shell sed -n 's,^.include "\(.*\.def\)",lib/\1,p' $(1) /dev/null))
TABLES  = $(call tables,$(PUBLIC))
HEADERS = $(PUBLIC) $(sort $(TABLES) $(call tables,$(TABLES)))
CONFIGS = $(wildcard configs/*/*)
PAGES   = $(wildcard docs/man/*.[1-9])
COMPLETION = completions/simfront.bash
SAMPLE  = tests/data/tiny-cnn.onnx
PC      = $(BUILD)/lib/simfront.pc
SHARE   = share/simfront
INSTALLED = $(foreach f,$(BINS),'755 $f bin/$(notdir $f)') \
	'644 $(LIB) lib/libsimfront.a' '644 $(PC) lib/pkgconfig/simfront.pc' \
	$(foreach f,$(HEADERS),'644 $f include/simfront/$(f:lib/%=%)') \
	$(foreach f,$(CONFIGS),'644 $f $(SHARE)/$f') \
	'644 $(SAMPLE) $(SHARE)/examples/$(notdir $(SAMPLE))' \
	$(foreach f,$(BINS),'644 $(COMPLETION) \
	    share/bash-completion/completions/$(notdir $f)') \
	$(foreach f,$(PAGES),'644 $f \
	    share/man/man$(subst .,,$(suffix $f))/$(notdir $f)')

install: all $(PC) ## to $(DESTDIR)$(PREFIX)
	@printf '%s\n' $(INSTALLED) | \
	    pipelines/install-files install $(call quote,$(DESTDIR)$(PREFIX))

uninstall: ## remove what install put there
	@pipelines/install-files uninstall $(call quote,$(DESTDIR)$(PREFIX))

clean: ## remove the build
	rm -rf $(BUILD)

# ---- how things are made ----

$(LIB): $(LIB_O) $(BUILD)/objects
	@mkdir -p $(@D)
	$(SAY) 'ar $@'
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_O)

$(BUILD)/bin/%: $(BUILD)/obj/bin/%.o $(LIB)
	@mkdir -p $(@D)
	$(SAY) 'ld $@'
	$(Q)$(if $(STATIC),$(CC) $(CFLAGS) $(LDFLAGS) $(STATIC) -o $@ $< $(LIB) \
	    $(STATIC_LIBS) 2>/dev/null ||) \
	    $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

$(SCRIPTS): $(BUILD)/bin/%: bin/%
	@mkdir -p $(@D)
	$(SAY) 'cp $@'
	$(Q)install $< $@

$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(SAY) 'ld $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LDLIBS)

# A unit test that has a directory of its own is linked with what is there.
$(foreach f,$(PARTS_C),$(eval $(BUILD)/unit/$(notdir $(patsubst \
	%/,%,$(dir $f))): $(f:%.c=$(BUILD)/obj/%.o)))

# A program's main under a name of its own, sf_rules_main for sf-rules.
$(BUILD)/obj/main/%.o: bin/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY) 'cc $< (main)'
	$(Q)$(CC) $(SF_CPPFLAGS) $(CPPFLAGS) $(SF_CFLAGS) $(CFLAGS) -MMD -MP \
	    -Dmain=$(subst -,_,$*)_main -include tests/fuzz/harness.h \
	    -c -o $@ $<

$(BUILD)/faults/%.so: tests/faults/%.c Makefile
	@mkdir -p $(@D)
	$(SAY) 'ld $@'
	$(Q)$(CC) $(SF_CPPFLAGS) $(SF_CFLAGS) $(CFLAGS) -shared -fPIC -o $@ $<

$(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(FUZZ_O) $(MAINS_O) $(LIB)
	@mkdir -p $(@D)
	$(SAY) 'ld $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(if $(FUZZ_MAIN),,-fsanitize=fuzzer) \
	    -Wl,--wrap=mmap,--wrap=munmap,--wrap=exit \
	    -o $@ $(filter-out $(LIB),$^) $(LIB) $(LDLIBS)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY) 'cc $<'
	$(Q)$(CC) $(SF_CPPFLAGS) $(CPPFLAGS) $(SF_CFLAGS) $(CFLAGS) -MMD -MP \
	    $(if $(filter lib/base/opt.c,$<),-DSF_DESCRIBE='"$(DESCRIBE)"') \
	    -c -o $@ $<

# It alone says the commit, so that another one compiles one file.
$(BUILD)/obj/lib/base/opt.o: $(BUILD)/describe

# Generated code is compiled without our warnings.
$(BUILD)/gen/%.pb-c.c: %.proto
	@mkdir -p $(@D)
	$(SAY) 'protoc-c $<'
	$(Q)protoc-c --c_out=$(BUILD)/gen $<

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY) 'cc $<'
	$(Q)$(CC) $(SF_CPPFLAGS) $(CPPFLAGS) -std=c11 $(CFLAGS) -MMD -MP \
	    -c -o $@ $<

# The generated header must be there before its first reader is compiled.
$(filter $(BUILD)/obj/lib/onnx/%,$(LIB_O)): | $(PROTO_C)

# Where the library is, for pkg-config; a space in a path is escaped there.
SPACE = $(subst ,, )
$(PC): FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(call quote,prefix=$(subst $(SPACE),\$(SPACE),$(PREFIX))) \
	    'includedir=$${prefix}/include/simfront' 'libdir=$${prefix}/lib' '' \
	    'Name: simfront' 'Version: $(VERSION)' \
	    'Description: traces of models, their cost, simulated accelerators' \
	    'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lsimfront' \
	    'Libs.private: $(LDLIBS)' >$@

# Other flags, other objects; another list of objects, another library.
$(BUILD)/flags: FORCE
	@$(call remember,$(CC) $(SF_CPPFLAGS) $(CPPFLAGS) $(SF_CFLAGS) $(CFLAGS) \
	    $(LDFLAGS) $(LDLIBS) $(STATIC))

$(BUILD)/describe: FORCE
	@$(call remember,$(DESCRIBE))

$(BUILD)/objects: FORCE
	@$(call remember,$(LIB_O))

# Writes the text to the target unless it stands there already.
remember = mkdir -p $(@D); echo '$(subst ','"'"',$(1))' | cmp -s - $@ || \
	echo '$(subst ','"'"',$(1))' >$@

units: $(UNITS)
	@:

fuzzers: $(FUZZERS)
	@:

FORCE:
.PHONY: all help demo test test-cluster test-asan test-faults ports lint fuzz \
	fuzz-night fuzz-coverage bench gate results validate sweep \
	trace-matrix deps deps-test deps-cluster deps-lint deps-fuzz install \
	uninstall clean \
	units fuzzers FORCE
.DELETE_ON_ERROR:
.SECONDARY:

-include $(ALL_O:.o=.d)
