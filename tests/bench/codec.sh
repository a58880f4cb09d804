#!/bin/bash
# How fast a filter takes and passes records, beside jq, wc and cat on the same
# stream in the same run. Target: 500 MB/s, and 20 times jq.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

"$root/tests/bench/trace.py" "${1:-450000}" >long
"$root/tests/bench/trace.py" 40000 >short
sf-rules <long >counted
bytes=$(wc -c <long)
echo "codec: a stream of $((bytes / 1000000)) MB, $(wc -l <long) records"

short=$(wc -c <short)
jq_rate=$(mb_per_s "$short" "$(best 2 'jq -c . <short')")
row() { # NAME BYTES COMMAND
	local rate
	rate=$(mb_per_s "$2" "$(best 3 "$3")")
	printf '  %-28s %6d MB/s %8s x jq -c .\n' "$1" "$rate" \
	    "$(ratio "$rate" "$jq_rate")"
}
row 'jq -c . (yardstick)' "$short" 'jq -c . <short'
row 'wc -l' "$bytes" 'wc -l <long'
row 'cat | cat' "$bytes" 'cat long | cat'
# shellcheck disable=SC2016 # expanded when it runs
row 'pass (no op is decoded)' "$bytes" '"$SF_UNIT/pass" <long'
row 'sf-rules' "$bytes" 'sf-rules <long'
row 'sf-report' "$(wc -c <counted)" 'sf-report <counted'
