# simfront: one makefile, no recursion; objects and programs go to $(BUILD).

VERSION = 0.1.0
PREFIX  = /usr/local
DESTDIR =
BUILD   = build

CC       = gcc
CFLAGS   = -O2 -g
CPPFLAGS =
LDFLAGS  =

# What the code needs, whatever the user puts into CFLAGS.
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wformat=2
SF_CPPFLAGS = -D_GNU_SOURCE -DSF_VERSION='"$(VERSION)"' -Ilib -I$(BUILD)/gen
SF_CFLAGS = -std=c11 $(WARNINGS) -ffp-contract=off
LDLIBS = -lprotobuf-c -ljansson -lz -lm

LIB_C  = $(sort $(wildcard lib/*/*.c))
BIN_C  = $(sort $(wildcard bin/sf-*.c))
UNIT_C = $(sort $(wildcard tests/unit/*.c))
LIB    = $(BUILD)/lib/libsimfront.a
BINS   = $(BIN_C:bin/%.c=$(BUILD)/bin/%)
UNITS  = $(UNIT_C:tests/unit/%.c=$(BUILD)/unit/%)
PROTO_C = $(BUILD)/gen/formats/onnx.pb-c.c
LIB_O  = $(LIB_C:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/onnx.pb-c.o
ALL_O  = $(LIB_O) $(BIN_C:%.c=$(BUILD)/obj/%.o) $(UNIT_C:%.c=$(BUILD)/obj/%.o)

all: $(LIB) $(BINS)

$(LIB): $(LIB_O)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcs $@ $(LIB_O)

$(BUILD)/bin/%: $(BUILD)/obj/bin/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(SF_CPPFLAGS) $(CPPFLAGS) $(SF_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Generated code is compiled without our warnings.
$(PROTO_C): formats/onnx.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(BUILD)/gen $<

$(BUILD)/obj/gen/onnx.pb-c.o: $(PROTO_C)
	@mkdir -p $(@D)
	$(CC) $(SF_CPPFLAGS) $(CPPFLAGS) -std=c11 $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/lib/onnx/%.o: | $(PROTO_C)

# Other flags, other objects.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(SF_CPPFLAGS) $(CPPFLAGS) $(SF_CFLAGS) $(CFLAGS)' | \
	    cmp -s - $@ || \
	    echo '$(CC) $(SF_CPPFLAGS) $(CPPFLAGS) $(SF_CFLAGS) $(CFLAGS)' >$@

units: $(UNITS)

clean:
	rm -rf $(BUILD)

FORCE:
.PHONY: all units clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

-include $(ALL_O:.o=.d)
