#!/bin/bash
# What a tile costs sf-sim in processor time, and the most memory it holds,
# beside a plain recurrence over as many tiles in the same run. Targets: 6 ns a
# tile on 10 million of them, and 16 MB whatever their number.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

tiles=10000000
cc -O2 -o recurrence "$root/tests/bench/recurrence.c"

# ns COMMAND TILES - nanoseconds a tile, with one decimal.
ns() { ratio "$(cpu 7 "$1")" "$(($2 / 1000))"; }

# nests KIND TILES - a lowered trace of about that many tiles, and how many.
nests() {
	"$root/tests/bench/nests.py" "$1" "$2" |
		sf-lower --preset edge-npu --set buffer_bytes=64KiB >"$1.$2"
	sf-sim "$1.$2" | jq 'select(.kind == "summary").tiles'
}

floor=$(ns "./recurrence $tiles" $tiles)
echo "sim: traces of 10 million tiles, and one of a tenth"
printf '  %-28s %6.1f ns a tile\n' 'recurrence (the yardstick)' "$floor"
row() { # KIND TILES
	local n cost
	n=$(nests "$1" "$2")
	cost=$(ns "sf-sim $1.$2" "$n")
	printf '  %-28s %6.1f ns a tile %6s x the recurrence, %5.1f MB\n' \
	    "$1, $n tiles" "$cost" "$(ratio "$cost" "$floor")" \
	    "$("$SF_UNIT/peak" sf-sim "$1.$2" | awk '{ print $1 / 1000 }')"
}
row mixed $tiles
row mixed $((tiles / 10))
for kind in deep flat batch slices; do
	row $kind $tiles
done
