#!/bin/bash
# The whole pipeline on a trace of 3,500 operators, beside four cats and one jq
# on the same trace in the same run. Target: 25 ms.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

"$root/tests/bench/trace.py" 3500 >in
stages='sf-rules <in | sf-lower --preset dc-npu | sf-sim | sf-report'
four=$(best 20 'cat in | cat | cat | cat')
echo "pipeline: $(grep -c '^{"kind":"op"' in) operators," \
    "$(wc -c <in | awk '{ printf "%.1f", $1 / 1e6 }') MB," \
    "$(sf-rules <in | sf-lower --preset dc-npu | sf-sim |
	jq 'select(.kind == "summary").tiles') tiles"
row() { # NAME COMMAND
	local us
	us=$(best 20 "$2")
	printf '  %-28s %8.1f ms %8s x four cats\n' "$1" \
	    "$(ratio "$us" 1000)" "$(ratio "$us" "$four")"
}
row 'cat | cat | cat | cat' 'cat in | cat | cat | cat'
row 'jq -c .' 'jq -c . <in'
row 'the pipeline' "$stages"
