# sf-check: engines that agree, engines that do not, and what is refused.

load helpers

# cnn [OPTION...] - the small CNN, lowered.
cnn() {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-lower -p edge-npu "$@"
}

tensor='{"tid":"%s","shape":[1],"dtype":"f32","itemsize":4}'

# relu I IN OUT [BYTES] - an operator of the vector unit that stores nothing.
# shellcheck disable=SC2059
relu() {
	printf '{"kind":"op","i":%d,"name":"aten.relu","inputs":['"$tensor"'],"outputs":['"$tensor"'],"category":"elementwise","flops":1,"bytes_read":%d,"bytes_written":0,"weight_bytes":0}' \
	    "$1" "$2" "$3" "${4:-1}"
}

# view I IN OUT - an operator without tiles.
view() {
	relu "$@" | sed 's/aten.relu/aten.view/; s/elementwise/view/;
	    s/"flops":1/"flops":0/; s/"bytes_read":1/"bytes_read":0/'
}

# slices N - an operator that is cut into N slices of one byte, and one behind.
slices() {
	trace "$(relu 0 x y 2)" "$(relu 1 x z "$1")" "$(relu 2 z u)" |
	    sf-lower -p edge-npu -s buffer_bytes=3B -s tile_fraction=0.5
}

# ---- agreement ----

@test "every engine that applies runs, and one line says so" {
	run -0 --separate-stderr sf-check < <(cnn)
	equal "$output" "14 tiles of 14 operators: 2 engines agree (event, fast)"
	run -0 sf-check < <(cnn -q)
	equal "$output" \
	    "14 tiles of 14 operators: 3 engines agree (event, fast, cycle)"
	run -0 sf-check < <(cnn -q -s dram_channels=1)
	equal "$output" \
	    "14 tiles of 14 operators: 3 engines agree (event, fast, cycle)"
	run -0 sf-check < <(cnn -s dram_channels=1)
	equal "$output" "14 tiles of 14 operators: 2 engines agree (event, fast)"
	run -0 sf-check < <(trace | sf-lower -p edge-npu)
	equal "$output" "0 tiles of 0 operators: 2 engines agree (event, fast)"
}

@test "the engines to run can be named" {
	cnn -q >in
	run -0 --separate-stderr sf-check -e fast --engine event in
	equal "$output" "14 tiles of 14 operators: 2 engines agree (event, fast)"
	run -0 sf-check -e cycle -e fast in
	equal "$output" "14 tiles of 14 operators: 2 engines agree (fast, cycle)"
	# 9 * 10^15 cycles, which nobody steps through.
	cnn -q -s clock_hz=1e15Hz -s dram_latency=1s >long
	run -0 timeout 20 sf-check -e fast -e event long
	equal "$output" "14 tiles of 14 operators: 2 engines agree (event, fast)"
	for args in '-e event' '-e fast -e fast' '-e fast -e slow' '-e'; do
		run -2 --separate-stderr sf-check $args in
		one_line_error
	done
	# What was asked for is not left out in silence.
	cnn >in
	run -3 --separate-stderr sf-check -e event -e cycle in
	one_line_error
	[[ $stderr == *"expected a trace from sf-lower --quantise" ]]
}

# bats test_tags=SF-31
@test "the engines agree on every golden trace" {
	for golden in "$DATA"/golden/*/*.jsonl.gz; do
		sf-rules "$golden" >counted
		sf-lower -p edge-npu counted
		# A tenth of a second is 10^8 cycles.
		sf-lower -p dc-npu -q counted >quantised
		sf-sim quantised | grep '"kind":"summary"' |
		    jq -e '.makespan_s < 0.1' >short || continue
		cat quantised
	done >in
	run -0 sf-check in
	equal "$(grep -c ' engines agree (event, fast' <<<"$output")" \
	    "$(grep -c '"kind":"trace"' in)"
	[ "$(grep -c '3 engines agree (event, fast, cycle)' <<<"$output")" -ge 20 ]
}

# bats test_tags=SF-31
@test "the engines agree on 10,000 random programs, and all keep the laws" {
	run -0 "$SF_UNIT/accel-random"
	[[ $output == "10000 programs, "*" tiles: "*" on three; "* ]]
}

@test "one line is written for each trace" {
	{ cnn; cnn -s buffer_bytes=64KiB; cnn -q; } >in
	run -0 sf-check in
	equal "$(sed 's/ tiles.*//' <<<"$output" | paste -sd' ')" "14 65 14"
}

# ---- difference ----

# lies OPTION... - an engine that lies about that one thing is found out.
lies() { run -1 --separate-stderr "$SF_UNIT/wrong" "$@"; }

@test "an engine that is right is not called wrong" {
	run -0 "$SF_UNIT/wrong" < <(cnn)
	equal "$output" \
	    "14 tiles of 14 operators: 3 engines agree (event, fast, wrong)"
}

@test "the last bit of each of the eight times of a tile is seen" {
	times=(issue dep alloc load_end comp_start comp_end store_start
		store_end)
	cnn -s buffer_bytes=64KiB >in
	tiles=$(sf-sim in | jq 'select(.kind=="summary").tiles')
	for tile in 0 1 $((tiles / 2)) $((tiles - 1)); do
		want=$(sf-sim -t in | jq "select(.kind==\"tile\" and .i==$tile).op")
		for t in 0 1 2 3 4 5 6 7; do
			lies --tile $tile --time $t in
			echo "$output"
			[[ $output == "op $want 'onnx."*"', tile $tile: ${times[t]} is "*" by wrong, "*" by event" ]]
			equal "${#lines[@]}" 1
		done
	done
}

@test "the tile is found among millions" {
	slices 1200000 >in
	for tile in 0 1 2 1023 1024 1025 700001 1048577 1200001 1200002; do
		lies --tile $tile --time 2 in
		[[ $output == "op "*", tile $tile: alloc is "* ]]
	done
}

@test "memory does not grow with the tiles" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	slices 1000 >few
	slices 1200000 >many
	few=$("$SF_UNIT/peak" sf-check few)
	[ "$("$SF_UNIT/peak" sf-check many)" -le $((few + 256)) ]
}

@test "what is told of an operator is compared" {
	cnn >in
	for field in start end bound tiled_bytes computing wait_load \
	    wait_buffer op_wait_deps; do
		lies --op 5 --field $field in
		[[ $output == "op 5 'onnx.BatchNormalization': ${field#op_} is "*" by wrong, "*" by event" ]]
	done
}

@test "a tile that is never told of is missed" {
	lies --tile 4 --field drop < <(cnn)
	equal "$output" \
	    "op 4 'onnx.Conv': the number of tiles is 0 by wrong, 1 by event"
}

@test "what is measured of the run is compared" {
	lies --field peak < <(cnn)
	equal "$output" "the run: peak is 198657 by wrong, 198656 by event"
	lies --field wait_deps < <(cnn)
	[[ $output == "the run: sums.wait_deps is "* ]]
}

@test "the status says no when one trace of several differs" {
	# The lie is about operator 5, which the second has not.
	{ cnn; slices 5; } >in
	lies --op 5 in
	equal "${#lines[@]}" 2
	[[ ${lines[0]} == "op 5 "* ]]
	equal "${lines[1]}" \
	    "8 tiles of 3 operators: 3 engines agree (event, fast, wrong)"
}

@test "an engine that fails is named" {
	run -3 --separate-stderr "$SF_UNIT/wrong" --op 5 --field fail < <(cnn)
	one_line_error
	[[ $stderr == *"the wrong engine: op 5 'onnx.BatchNormalization': it has had enough" ]]
	equal "$output" ""
}

# ---- what is refused ----

# refused TEXT - sf-check refuses `in` with one line that has TEXT.
refused() {
	run -3 --separate-stderr sf-check in
	one_line_error
	[[ $stderr == *"$1"* ]] || {
		echo "$stderr"
		return 1
	}
	equal "$output" ""
}

@test "a trace that is not lowered is sent to sf-lower" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	refused "op 0 'onnx.Conv': is not lowered, expected a trace from sf-lower"
	trace >in
	refused "the trace has no accel record, expected a trace from sf-lower"
	cnn | grep -v '"kind":"accel"' >in
	refused "comes before any accel record"
	cnn | sed '/"kind":"accel"/p' >in
	refused "a second accel record"
}

@test "what no engine could run is refused with its line" {
	cnn | sed 's/"buffer_bytes":[0-9]*/"buffer_bytes":1000/' >in
	refused "op 0 'onnx.Conv': a tile needs 177856 bytes of buffer, buffer_bytes is 1000"
	# Operator 2 of these has no tiles.
	trace "$(relu 0 x y)" "$(view 1 y z)" "$(relu 2 z u)" |
	    sf-lower -p edge-npu | sed 's/"deps":\[0\]/"deps":[1]/' >in
	refused "op 2 'aten.relu': depends on op 1, which has no tiles"
}
