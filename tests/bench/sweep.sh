#!/bin/bash
# What a design of a sweep costs, in processor time: replayed, beside the loop over
# operators that an engine is, and beside the pipeline of sf-lower and sf-sim.
# Targets on edge-npu, Llama-3-8B prefill of 512 tokens: 6 times the loop in
# seconds, 15 times quantised, 60 times the pipeline; with a buffer of 32 KiB, 35
# million tiles, ten times.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

sf-model llama3-8b --tokens 512 | sf-rules >llama
echo "sweep: Llama-3-8B, prefill of 512 tokens, designs of other bandwidths"
speed() { # NAME ARG...
	local name=$1 tiles slow fast ratio
	shift
	read -r tiles _ slow _ fast _ _ ratio < \
	    <("$SF_UNIT/sweep-speed" "$@" llama)
	printf '  %-34s %9d tiles: %9.1f us by operator, %8.1f us replayed, %6.0f a second: %sx\n' \
	    "$name" "$tiles" "$slow" "$fast" \
	    "$(awk -v t="$fast" 'BEGIN { print 1e6 / t }')" "$ratio"
}
speed 'edge-npu' -n 100
speed 'edge-npu, quantised' -q -n 100
speed 'dc-npu' -p dc-npu -n 100
speed 'dc-npu, quantised' -p dc-npu -q -n 100
speed 'edge-npu, 32 KiB' -s buffer_bytes=32KiB -n 3
speed 'edge-npu, 32 KiB, quantised' -q -s buffer_bytes=32KiB -n 3

for quantise in '' -q; do
	one=$(cpu 7 "sf-lower -p edge-npu $quantise llama | sf-sim | \
	    grep '\"kind\":\"summary\"'")
	all=$(cpu 3 "sf-sweep -p edge-npu $quantise --random 500 \
	    -g dram_bw=6.4GB/s:102.4GB/s:l2 -g noc_bw=16GB/s:256GB/s:l2 llama")
	printf '  %-34s %9.1f us a design by the pipeline, %8.1f by sf-sweep: %sx\n' \
	    "edge-npu${quantise:+, quantised}, end to end" "$one" \
	    "$(ratio "$all" 500)" "$(ratio "$((one * 500))" "$all")"
done

few=$("$SF_UNIT/peak" sf-sweep -q -p dc-npu -g dram_bw=1GB/s:2GB/s:n1000 llama)
took=$(cpu 1 "'$SF_UNIT/peak' sf-sweep -q -p dc-npu --random 1000000 \
    -g dram_bw=400GB/s:6TB/s:l2 -g noc_bw=128GB/s:2TB/s:l2 \
    -o points llama >many")
printf '  1,000,000 designs of dc-npu, quantised, end to end: %.1f s, %d KiB; 1,000: %d KiB\n' \
    "$(ratio "$took" 1000000)" "$(cat many)" "$few"
