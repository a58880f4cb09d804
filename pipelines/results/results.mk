# results.mk - the pages docs/results.md and docs/accel-results.md, made by
# pipelines alone: `make results` runs this. Every trace, report and section is
# a file below $(W), so that they are made in parallel, each once.
#
#   pages     $(W)/results.md and $(W)/accel-results.md
#   timings   $(W)/timings.md, which is another each time
#   pictures  $(W)/pictures/NAME.png, which the pages show

ROOT := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))/../..
W    = $(ROOT)/build/results
BIN  = $(ROOT)/build/bin
HERE = $(ROOT)/pipelines/results

# make splits names at spaces; a path from here to there may have none.
ifneq ($(words $(MAKEFILE_LIST)) $(words $(W)) $(words $(BIN)),1 1 1)
$(error -f$(MAKEFILE_LIST) W='$(W)' BIN='$(BIN)', expected paths without spaces)
endif

SHELL = /bin/bash
.SHELLFLAGS = -eu -o pipefail -c
export PATH := $(abspath $(BIN)):$(PATH)
export SIMFRONT_CONFIGS := $(abspath $(ROOT))/configs
export LC_ALL = C
export W

# Whatever a trace or a section is made with besides its own script: when one of
# these is newer, it is made anew.
OLDER = $(wildcard $(BIN)/sf-* $(ROOT)/configs/*/*.json $(HERE)/*.json \
	$(ROOT)/tests/data/tiny-cnn.* $(ROOT)/tests/data/resnet50.pt2 \
	$(ROOT)/tests/data/golden/tiny-cnn-*/*.gz)

# The sections of each page, in order, and the traces that each reads: a name is
# MODEL/ROUTE-PHASE-N, see `trace`.
RESULTS = models captures decode roofline offload today
ACCEL   = fifo cnn decoders engines ntt ep designs

LLAMA   = llama3-8b
ALL     = gpt2 llama3-70b $(LLAMA) mistral-7b qwen2.5-0.5b
PREFILL = dispatch-meta-prefill-2048
DECODE  = $(LLAMA)/dispatch-meta-decode-2048 $(LLAMA)/dispatch-cpu-decode-2048

models_traces = $(ALL:%=%/$(PREFILL)) $(LLAMA)/dispatch-meta-prefill-512 \
	$(LLAMA)/dispatch-meta-decode-512 \
	qwen2.5-0.5b/dispatch-meta-prefill-256 gpt2/dispatch-meta-prefill-256
captures_traces = $(addprefix $(LLAMA)/,$(PREFILL) export-prefill-2048 \
	compile-prefill-2048 onnx-prefill-2048 dispatch-cpu-prefill-2048)
decode_traces   = $(DECODE)
roofline_traces = $(LLAMA)/$(PREFILL) $(LLAMA)/dispatch-cpu-prefill-2048 \
	$(DECODE)
offload_traces  = $(LLAMA)/dispatch-cpu-prefill-2048 \
	$(LLAMA)/dispatch-cpu-decode-2048
today_traces    =
cnn_traces      = tiny-cnn/export-batch-1 tiny-cnn/export-batch-8 \
	tiny-cnn/onnx-batch-1
decoders_traces = gpt2/export-prefill-128 $(LLAMA)/$(PREFILL)
engines_traces  = tiny-cnn/export-batch-1 tiny-llama/export-prefill-32 \
	gpt2/export-prefill-128
ntt_traces      = ntt/product
ep_traces       = tiny-cnn/onnx-batch-1
designs_traces  = resnet50/export-image bert-base/dispatch-meta-prefill-384 \
	$(LLAMA)/dispatch-meta-decode-2048

PAGES = results accel-results

pages: $(PAGES:%=$(W)/%.md)

timings: $(W)/timings.md

$(W)/results.md: $(HERE)/results.head.md $(RESULTS:%=$(W)/%.section.md)
$(W)/accel-results.md: $(HERE)/accel-results.head.md $(ACCEL:%=$(W)/%.section.md)
$(PAGES:%=$(W)/%.md):
	@cat $^ >$@.new
	@mv $@.new $@

# Timings are taken one after the other.
$(W)/timings.md: $(HERE)/timings.head $(HERE)/traces.timing \
    $(HERE)/accel.timing | $(W)/gpt2/export-prefill-128.sft \
    $(W)/$(LLAMA)/$(PREFILL).sft
	@for part in $^; do $$part; done >$@.new
	@mv $@.new $@

# Pictures have the name of the section that shows them and of what they show.
PICTURES = roofline-prefill roofline-decode cnn-timeline decoders-timeline \
	designs-resnet50 designs-bert designs-decode

pictures: $(PICTURES:%=$(W)/pictures/%.png)

$(W)/pictures/roofline-%.png: $(W)/$(LLAMA)/dispatch-meta-%-2048.sft
	@mkdir -p $(@D)
	@sf-cost --device h100 $< | sf-plot --kind roofline -o $@

$(W)/pictures/cnn-timeline.png: $(W)/tiny-cnn/export-batch-1.sft
$(W)/pictures/decoders-timeline.png: $(W)/gpt2/export-prefill-128.sft
$(W)/pictures/%-timeline.png:
	@mkdir -p $(@D)
	@sf-lower --preset edge-npu $< | sf-sim --tiles | sf-plot -o $@

$(W)/pictures/designs-resnet50.png: $(W)/resnet50/export-image.sft
	@mkdir -p $(@D)
	@sf-lower --preset tpuv3-core $< | sf-sim --tiles | sf-plot -o $@
$(W)/pictures/designs-bert.png: $(W)/bert-base/dispatch-meta-prefill-384.sft
	@mkdir -p $(@D)
	@sf-lower --preset gemmini16 --set blocks=bytes $< | sf-sim --tiles | \
	    sf-plot -o $@
$(W)/pictures/designs-decode.png: $(W)/$(LLAMA)/dispatch-meta-decode-2048.sft
	@mkdir -p $(@D)
	@sf-lower --preset edge-npu $< | sf-sim --tiles | sf-plot -o $@

define section
$(W)/$(1).section.md: $(HERE)/$(1).section $(HERE)/section.bash \
    $(HERE)/results.jq $$($(1)_traces:%=$(W)/%.sft) \
    $$($(1)_traces:%=$(W)/%.json) $(OLDER)
endef
$(foreach s,$(RESULTS) $(ACCEL),$(eval $(call section,$(s))))

%.section.md:
	@mkdir -p $(@D)
	@$< >$@.new
	@mv $@.new $@

# A trace that is counted, and its report.
$(W)/%.sft: $(HERE)/trace $(OLDER)
	@mkdir -p $(@D)
	@$< $* | sf-rules >$@.new
	@mv $@.new $@

$(W)/%.json: $(W)/%.sft
	@sf-report --format json $< >$@.new
	@mv $@.new $@

.PHONY: pages timings pictures $(W)/timings.md
.DELETE_ON_ERROR:
.SECONDARY:
