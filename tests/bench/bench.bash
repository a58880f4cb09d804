# What the benchmarks are written with. Loaded by each of them.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
SF_BIN=${SF_BIN:-$root/build/bin}
SF_UNIT=${SF_UNIT:-${SF_BIN%/bin}/unit}
export PATH="$SF_BIN:$PATH" SF_UNIT SIMFRONT_CONFIGS="$root/configs" LC_ALL=C

work=$(mktemp -d "${TMPDIR:-/tmp}/simfront-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

# best N COMMAND - the shortest of N runs of a shell command in microseconds;
# its output is thrown away.
best() {
	local n=$1 command=$2 start end least=
	for ((; n > 0; n--)); do
		start=$(date +%s%N)
		bash -c "$command" >/dev/null
		end=$(date +%s%N)
		if [ -z "$least" ] || [ $((end - start)) -lt "$least" ]; then
			least=$((end - start))
		fi
	done
	echo $((least / 1000))
}

# cpu N COMMAND - the same in processor time, for rates a core: what else the
# machine does counts less.
cpu() {
	local n=$1 command=$2 took least=
	local TIMEFORMAT='%3U %3S'
	for ((; n > 0; n--)); do
		took=$({ time bash -c "$command" >/dev/null; } 2>&1 |
		    awk '{ printf "%d", ($1 + $2) * 1e6 + 1 }')
		if [ -z "$least" ] || [ "$took" -lt "$least" ]; then
			least=$took
		fi
	done
	echo "$least"
}

# ratio A B - A / B with one decimal.
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }

# mb_per_s BYTES MICROSECONDS - 10^6 bytes a second.
mb_per_s() { awk -v b="$1" -v t="$2" 'BEGIN { printf "%.2f", b / t }'; }
