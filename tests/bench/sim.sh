#!/bin/bash
# What a tile costs each engine of sf-sim in processor time, beside a plain
# recurrence over as many tiles and beside the same block in SimPy, and the most
# memory they hold. Targets: fast 6 ns a tile, event 150 ns a tile and 200 times
# SimPy, cycle 300 million cycles a second; 16 MB whatever the number of tiles.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

tiles=10000000
cc -O2 -o recurrence "$root/tests/bench/recurrence.c"
python=python3
"$python" -c 'import simpy' 2>/dev/null || python=/usr/bin/python3

# ns COMMAND TILES [RUNS] - nanoseconds a tile, with one decimal.
ns() { ratio "$(cpu "${3:-7}" "$1")" "$(($2 / 1000))"; }

# nests KIND TILES - a lowered trace of about that many tiles, and how many.
nests() {
	"$root/tests/bench/nests.py" "$1" "$2" >"$1.$2.counted"
	sf-lower --preset edge-npu --set buffer_bytes=64KiB "$1.$2.counted" \
	    >"$1.$2"
	sf-sim "$1.$2" | jq 'select(.kind == "summary").tiles'
}

peak_mb() { "$SF_UNIT/peak" "$@" | awk '{ print $1 / 1000 }'; }

floor=$(ns "./recurrence $tiles" $tiles)
echo "sim: traces of 10 million tiles, and one of a tenth"
printf '  %-28s %6.1f ns a tile\n' 'recurrence (the yardstick)' "$floor"
row() { # KIND TILES
	local n fast event
	n=$(nests "$1" "$2")
	fast=$(ns "sf-sim $1.$2" "$n")
	event=$(ns "sf-sim --engine event $1.$2" "$n" 2)
	printf '  %-28s %6.1f ns a tile %6s x the recurrence, %5.1f MB; event %6.1f ns a tile, %5.1f MB\n' \
	    "$1, $n tiles" "$fast" "$(ratio "$fast" "$floor")" \
	    "$(peak_mb sf-sim "$1.$2")" \
	    "$event" "$(peak_mb sf-sim --engine event "$1.$2")"
}
row mixed $tiles
row mixed $((tiles / 10))
for kind in deep flat batch slices uneven; do
	row $kind $tiles
done

echo "sim: the same programs of 20,000 tiles, in SimPy once and else fifty times"
beside() { # KIND
	local n copies=50 simpy end event fast made
	n=$(nests "$1" 20000)
	for ((i = 0; i < copies; i++)); do
		cat "$1.20000"
	done >many
	read -r simpy end < <("$python" "$root/tests/bench/simpy-run.py" 65536 \
	    <"$1.20000.counted")
	made=$(sf-sim --engine event "$1.20000" |
	    jq 'select(.kind == "summary").makespan_s')
	[ "$(jq -n "$made == $end")" = true ] ||
	    { echo "SimPy ends at $end, sf-sim at $made"; exit 1; }
	fast=$(ns "sf-sim many" $((n * copies)))
	event=$(ns "sf-sim --engine event many" $((n * copies)))
	printf '  %-28s fast %5.1f, event %6.1f, SimPy %8.1f ns a tile: event %s x SimPy\n' \
	    "$1, $n tiles" "$fast" "$event" "$simpy" "$(ratio "$simpy" "$event")"
}
for kind in mixed deep flat batch slices uneven; do
	beside $kind
done

echo "sim: GPT-2 of 128 tokens, quantised, on edge-npu"
sf-rules "$root/tests/data/golden/gpt2/export-prefill-128.jsonl.gz" |
	sf-lower --preset edge-npu --quantise >gpt2
cycles=$(sf-sim --engine cycle gpt2 | jq 'select(.kind == "summary").cost.cycles')
for engine in fast event cycle; do
	took=$(cpu 7 "sf-sim --engine $engine gpt2")
	printf '  %-28s %9.1f ms' "$engine" "$(ratio "$took" 1000)"
	[ $engine != cycle ] ||
	    printf ', %s million cycles a second' "$(ratio "$cycles" "$took")"
	echo
done
