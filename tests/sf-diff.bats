# sf-diff: arithmetic must match, the framework's choices may drift.

load helpers
load report

# op I NAME CATEGORY FLOPS READ WRITTEN WEIGHT - a counted operator.
op() {
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[],"outputs":[],"category":"%s","flops":%s,"bytes_read":%s,"bytes_written":%s,"weight_bytes":%s}' "$@"
}

base() {
	trace "$(op 0 aten.mm matmul 1000 100 50 40)" \
	    "$(op 1 aten.relu elementwise 50 50 50 0)" \
	    "$(op 2 aten.clone copy 0 50 50 0)"
}

@test "the same counts are the same in silence, in any order" {
	base >a
	trace "$(op 0 aten.clone copy 0 50 50 0)" \
	    "$(op 1 aten.mm matmul 1000 100 50 40)" \
	    "$(op 2 aten.relu elementwise 50 50 50 0)" >b
	for strict in '' --strict; do
		run -0 --separate-stderr sf-diff $strict a b
		equal "$output$stderr" ""
	done
}

# bats test_tags=SF-39
@test "one FLOP more or one weight byte less is a difference" {
	base >a
	for edit in 's/1000/1001/' 's/"weight_bytes":40/"weight_bytes":39/'; do
		sed "$edit" a >b
		run -1 --separate-stderr sf-diff a b
		equal "$stderr" ""
		equal "${lines[0]}" \
		    '# test (export) and test (export): the arithmetic differs'
	done
	sed 's/1000/1001/' a >b
	sf-diff a b >out || true
	equal "$(cells FLOPs <out | head -n 1)" '1,050|1,051|+1'
	equal "$(cells aten.mm <out)" '0|+1|0|0'
	equal "$(cells aten.relu <out)" ''
	sf-diff b a >out || true
	equal "$(cells FLOPs <out | head -n 1)" '1,051|1,050|-1'
}

# bats test_tags=SF-39
@test "operators and bytes are drift, and a difference under --strict" {
	base >a
	trace "$(op 0 aten.addmm matmul 1000 100 50 40)" \
	    "$(op 1 aten.relu elementwise 50 50 50 0)" >b
	run -0 --separate-stderr sf-diff a b
	equal "${lines[0]}" \
	    '# test (export) and test (export): the same arithmetic, other operators'
	equal "$(cells Operators <<<"$output")" '3|2|-1'
	equal "$(cells 'Bytes moved' <<<"$output")" '350|250|-100'
	equal "$(cells aten.addmm <<<"$output")" '+1|+1,000|+40|+150'
	equal "$(cells aten.mm <<<"$output")" '-1|-1,000|-40|-150'
	equal "$(cells aten.clone <<<"$output")" '-1|0|0|-100'
	strict=$(sf-diff --strict a b) && return 1
	equal "$strict" "$output"
}

@test "bytes that moved from one operator to another are drift, too" {
	base >a
	base | sed '2s/"bytes_read":100/"bytes_read":110/;
	    3s/"bytes_read":50/"bytes_read":40/' >b
	equal "$(sf-diff a b | cells 'Bytes moved')" '350|350|0'
	run -1 sf-diff --strict a b
}

@test "the biggest changes come first, --top of them, the others summed" {
	trace "$(op 0 a copy 0 1 0 0)" "$(op 1 b copy 0 1 0 0)" \
	    "$(op 2 c copy 0 1 0 1)" "$(op 3 d norm 5 1 0 0)" >a
	trace "$(op 0 a copy 0 3 0 0)" "$(op 1 b copy 0 9 0 0)" \
	    "$(op 2 c copy 0 1 0 0)" "$(op 3 d norm 1 1 0 0)" >b
	sf-diff a b >out || true
	equal "$(sed -n 's/^| \([abcd]\) .*/\1/p' out | paste -sd ' ')" 'd c b a'
	sf-diff --top 2 a b >out || true
	equal "$(cells '(2 more)' <out)" '0|0|0|+10'
}

@test "either file may be gzip, and one of them standard input" {
	base >a
	base | gzip >b.gz
	run -0 sf-diff a b.gz
	run -0 sf-diff b.gz a
	run -0 sf-diff - b.gz <a
	run -0 sf-diff b.gz - <a
	equal "$output" ""
}

@test "files of several traces are compared trace by trace" {
	base >a
	sed 's/1000/1001/' a >other
	cat a other a >left
	cat a a a >right
	run -1 sf-diff left right
	equal "$(grep -c '^# ' <<<"$output")" 1
	run -0 sf-diff left left
	run -3 --separate-stderr sf-diff left a
	one_line_error
	equal "$stderr" "sf-diff: a:5: found 1 traces here, expected 3 as in the first file"
}

@test "a trace that is not counted is refused with what to do" {
	base >a
	sed 's/,"category".*/}/' a >b
	for pair in 'a b' 'b a' 'b b'; do
		# shellcheck disable=SC2086 # two files
		run -3 --separate-stderr sf-diff $pair
		one_line_error
		equal "$stderr" "sf-diff: b:2: op 0 'aten.mm': is not counted, expected a trace from sf-rules"
		equal "$output" ""
	done
}

@test "two files are named, no more and no fewer" {
	base >a
	for files in '' a 'a a a'; do
		# shellcheck disable=SC2086 # several files
		run -2 --separate-stderr sf-diff $files </dev/null
		one_line_error
		equal "$output" ""
	done
}

@test "a stream that is not whole is refused, whichever it is" {
	base >a
	sed '$d' a >cut
	run -3 --separate-stderr sf-diff a cut
	one_line_error
	run -3 --separate-stderr sf-diff cut a
	one_line_error
	run -4 --separate-stderr sf-diff a no-such
	one_line_error
}

@test "two captures of one model share their matmuls and differ as recorded" {
	golden=$DATA/golden/llama3-8b
	sf-rules "$golden/dispatch-meta-prefill-2048.jsonl.gz" >meta
	sf-rules "$golden/compile-prefill-2048.jsonl.gz" >compiled
	run -1 sf-diff meta compiled
	# 3,557 operators against 3,426; weights as published.
	equal "$(cells Operators <<<"$output")" '3,557|3,426|-131'
	equal "$(cells 'Weight bytes read' <<<"$output")" \
	    '15,026,626,560|15,026,626,560|0'
	equal "$(cells aten.mm <<<"$output")" ''
	equal "$(cells aten.bmm <<<"$output")" ''
}

@test "a full standard output is status 4, a reader that has gone is silence" {
	base >a
	sed 's/1000/1001/' a >b
	status=0
	sf-diff a b >/dev/full 2>err || status=$?
	equal "$status" 4
	equal "$(wc -l <err)" 1
	run -0 --separate-stderr "$ROOT/tests/no-reader.py" default sf-diff a b
	equal "$output" -13
	equal "$stderr" ""
}
