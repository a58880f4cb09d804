#!/bin/bash
# How fast a filter takes and passes records, in bytes a second of processor
# time, beside jq, wc and cat on the same stream in the same run. Target: 500
# MB/s, and 20 times jq.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

"$root/tests/bench/trace.py" "${1:-450000}" >long
"$root/tests/bench/trace.py" 40000 >short
sf-rules <long >counted
bytes=$(wc -c <long)
echo "codec: a stream of $((bytes / 1000000)) MB, $(wc -l <long) records"

short=$(wc -c <short)
jq_rate=$(mb_per_s "$short" "$(cpu 3 'jq -c . <short')")
print() { # NAME RATE
	printf '  %-28s %6.0f MB/s %8s x jq -c .\n' "$1" "$2" \
	    "$(ratio "$2" "$jq_rate")"
}
row() { # NAME BYTES COMMAND
	print "$1" "$(mb_per_s "$2" "$(cpu 5 "$3")")"
}
print 'jq -c . (the yardstick)' "$jq_rate"
row 'wc -l' "$bytes" 'wc -l <long'
row 'cat | cat' "$bytes" 'cat long | cat'
# shellcheck disable=SC2016 # expanded when it runs
row 'pass (no op is decoded)' "$bytes" '"$SF_UNIT/pass" <long'
row 'sf-rules' "$bytes" 'sf-rules <long'
row 'sf-report' "$(wc -c <counted)" 'sf-report <counted'
