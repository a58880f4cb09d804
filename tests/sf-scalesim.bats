# sf-scalesim: layers by hand, cycles by what SCALE-Sim 3.0.0 itself printed
# (tests/golden/scalesim), its closed forms on every shape of a grid.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	LAYERS=$DATA/scalesim
}

shapes() {
	jq -c 'select(.kind=="op") | [.name, .node, .inputs[0].shape,
	    .inputs[1].shape, .outputs[0].shape, .attrs.pads]'
}

@test "a convolution is padded where SCALE-Sim's filter reaches past its input" {
	sf-scalesim "$LAYERS/conv.csv" >trace
	# (16 - 3 + 2) / 2 = 7.5 positions, 8 of them: one row past the input.
	equal "$(shapes <trace)" '["onnx.Conv","Conv1",[1,3,16,16],[8,3,3,3],[1,8,8,8],[0,0,1,1]]
["onnx.Conv","Conv2",[1,8,15,14],[24,8,3,3],[1,24,7,7],[0,0,0,1]]
["onnx.Conv","Conv3",[1,5,9,11],[40,5,3,5],[1,40,7,7],[0,0,0,0]]
["onnx.Conv","DP4Channel_0",[1,1,8,8],[1,1,3,3],[1,1,6,6],[0,0,0,0]]
["onnx.Conv","DP4Channel_1",[1,1,8,8],[1,1,3,3],[1,1,6,6],[0,0,0,0]]
["onnx.Conv","DP4Channel_2",[1,1,8,8],[1,1,3,3],[1,1,6,6],[0,0,0,0]]
["onnx.Conv","FC5",[1,64,1,1],[10,64,1,1],[1,10,1,1],[0,0,0,0]]'
	equal "$(jq -r 'select(.kind=="note").text' trace)" "SCALE-Sim rounds the positions of a filter up: 2 layers are padded at the end, where it reaches past its input; the first: Conv1"
	# 216 + 1,728 + 3,000 + 3 x 9 + 640 bytes, and as many elements.
	equal "$(jq -c 'select(.kind=="trace") | [.model, .route, .params]' trace)" \
	    '["conv","scalesim",{"count":5611,"bytes":5611}]'
}

@test "a product is M by K and K by N, and its MACs are counted" {
	sf-scalesim "$LAYERS/gemm.csv" | sf-rules >trace
	equal "$(jq -c 'select(.kind=="op") | [.node, .inputs[0].shape,
	    .inputs[1].shape, .macs]' trace)" '["square",[64,64],[64,64],262144]
["odd",[100,33],[33,70],231000]
["tall",[200,9],[9,5],9000]
["vector",[1,96],[96,48],4608]'
}

@test "one layer read from standard input, with or without the last comma, with CRLF" {
	sf-scalesim "$LAYERS/gemm.csv" | shapes >want
	sed 's/,$//' "$LAYERS/gemm.csv" | sf-scalesim | shapes | cmp - want
	sed 's/$/\r/' "$LAYERS/gemm.csv" | sf-scalesim - | shapes | cmp - want
	sed 's/,$/, 1:1,/' "$LAYERS/gemm.csv" | sf-scalesim | shapes | cmp - want
	sed 's/$/\n\n/' "$LAYERS/gemm.csv" | sf-scalesim | shapes | cmp - want
}

@test "what is no topology is refused with its line" {
	local wrong=(
		'x\n|there is no layer behind the line of headings'
		'x\na,1,2|2: 3 columns, expected 4 of a matrix product'
		'x\na,1,2,3\nb,1,2,3,1:1,5|3: 6 columns, expected a name, 3 numbers'
		'x\na,1,2,3\n\nb,1,0,3|4: N is '"'0'"', expected a number from 1'
		'x\na,1,2,x|2: K is '"'x'"
		'x\na,1,2,3,2:4|2: sparsity is '"'2:4'"', expected 1:1'
		'x\na,8,8,9,3,1,1,1|2: filter height is 9, expected at most the input height, 8'
		'x\nDP,8,8,3,3,2000000,1,1|2: channels is 2000000, expected at most 1000000'
		'x\na,2147483648,2147483648,2147483648,1,2,1,1\nb,1,1,1,1,1,1,1| layer '"'a'"': its sizes pass 2^63 - 1 bytes'
	)
	for row in "${wrong[@]}"; do
		text=${row%%|*} want=${row#*|}
		printf '%b' "$text" >t.csv
		run --separate-stderr sf-scalesim t.csv
		equal "$status" 3
		[ -z "$output" ]
		[[ $stderr == *"t.csv:"*"$want"* ]] || { echo "$row: $stderr"; false; }
	done
}

@test "the machine is that of the configuration, in both versions of it" {
	sf-scalesim -c "$LAYERS/run.cfg" >a.json
	equal "$(jq -c '[.array_rows, .array_cols, .dataflow, .array_fill,
	    .buffer_bytes, .acc_bytes]' a.json)" '[8,16,"os","fold",1125899906842624,null]'
	sed 's/CALC/USER/; s/= os/= ws/; s/FilterSRAMBankBandwidth = 10/filtersrambankbandwidth : 7/' \
	    "$LAYERS/run.cfg" >user.cfg
	sf-scalesim --config user.cfg >user.json
	# 64 + 64 KiB; 10, 10 and 7 bytes a cycle of 1 ns.
	equal "$(jq -c '[.dataflow, .buffer_bytes, .acc_bytes, .tile_fraction, .dram_bw]' user.json)" \
	    '["ws",131072,65536,"0.5",27000000000]'
	# Version 2 has no layout: all three interfaces have the first number.
	sed '/^\[layout/,/^\[sparsity/{/sparsity/!d}' user.cfg >two.cfg
	equal "$(sf-scalesim -c two.cfg | jq .dram_bw)" 30000000000
	for machine in a user; do
		sf-scalesim "$LAYERS/gemm.csv" | sf-rules |
		    sf-lower -p ./$machine.json | sf-sim | sf-report >/dev/null
	done
}

@test "a configuration that cannot be meant is refused with its line" {
	local wrong=(
		's/^ArrayHeight.*//|run.cfg: there is no arrayheight in section'
		's/ArrayHeight = 8/ArrayHeight = 0/|run.cfg:6: arrayheight is '"'0'"
		's/Dataflow = os/Dataflow = rs/|run.cfg:15: dataflow is '"'rs'"', expected os, ws or is'
		's/SparsitySupport = false/SparsitySupport = true/|: sparsitysupport is '"'true'"', expected False'
		's/UseRamulatorTrace = False/UseRamulatorTrace = True/|: useramulatortrace is '"'True'"
		's/CALC/CALL/|: interfacebandwidth is '"'CALL'"', expected CALC or USER'
		's/^MemoryBanks/Banks/|: '"'Banks'"' is no key of section'
		's/^\[layout/[plan/|: section '"'plan'"
		's/^ArrayWidth = 16/ArrayHeight = 16/|:7: arrayheight stands in line 6, too'
		's/^Bandwidth.*//;s/CALC/USER/|there is no bandwidth'
	)
	for row in "${wrong[@]}"; do
		sed "${row%%|*}" "$LAYERS/run.cfg" >run.cfg
		run --separate-stderr sf-scalesim -c run.cfg
		equal "$status" 3
		[ -z "$output" ]
		[[ $stderr == *"${row#*|}"* ]] || { echo "$row: $stderr"; false; }
	done
	run --separate-stderr sf-scalesim -c run.cfg t.csv
	equal "$status" 2
	run --separate-stderr sf-scalesim no-such.csv
	equal "$status" 4
}

@test "a report in SCALE-Sim's columns needs tiles and whole cycles" {
	sf-scalesim "$LAYERS/gemm.csv" | sf-rules >in
	sf-lower -p edge-npu in | sf-sim -t >seconds
	sf-lower -p edge-npu -q in | sf-sim >untold
	run -3 --separate-stderr sf-report -f scalesim seconds
	[[ $stderr == *"the accelerator is not quantised"* ]]
	run -3 --separate-stderr sf-report -f scalesim untold
	[[ $stderr == *"op 0 has no tiles, expected a trace from sf-sim --tiles"* ]]
	run -3 --separate-stderr sf-report -f scalesim in
	[[ $stderr == *"is not lowered"* ]]
}

# columns FILE - cycles, stalls and shares of a report, without "incl. prefetch".
columns() {
	tail -n +2 "$1" | tr -d ' ' | cut -d , -f 1,3-7
}

# bats test_tags=SF-53
@test "cycles and shares are those that SCALE-Sim prints, in three dataflows" {
	for dataflow in os ws is; do
		sed "s/^Dataflow = .*/Dataflow = $dataflow/" "$LAYERS/run.cfg" >m.cfg
		sf-scalesim -c m.cfg >m.json
		for layers in conv gemm; do
			sf-scalesim "$LAYERS/$layers.csv" | sf-rules |
			    sf-lower -p ./m.json | sf-sim -t |
			    sf-report -f scalesim >got.csv
			head -n 1 got.csv | cmp - <(head -n 1 "$LAYERS/want-$layers-$dataflow.csv")
			paste -d , <(columns got.csv) \
			    <(columns "$LAYERS/want-$layers-$dataflow.csv")
		done
	done >both
	equal "$(wc -l <both)" 33
	run -0 awk -F, '{
		for (i = 1; i <= 6; i++) {
			off = $i - $(i + 6)
			if (off < 0) off = -off
			# Layers and cycles are equal, shares to twelve digits.
			if (off > (i <= 3 ? 0 : 1e-12 * $i)) { print; bad = 1 }
		} } END { exit bad }' both
}

# bats test_tags=SF-53
@test "3,000 products on 16 arrays take the cycles of SCALE-Sim's closed forms" {
	"$ROOT/tests/scalesim-rows.py" make 3000 >rows.tsv
	run -0 "$ROOT/tests/scalesim-rows.py" check rows.tsv
	equal "$output" "3000 compared, 0 wrong"
	# One that is wrong is found.
	awk -F'\t' -v OFS='\t' 'NR == 9 { $7++ } 1' rows.tsv | head -n 20 >off.tsv
	run -1 "$ROOT/tests/scalesim-rows.py" check off.tsv
	equal "${lines[-1]}" "19 compared, 1 wrong"
}

@test "all rows of the published tables are SCALE-Sim's to the cycle" {
	need_shared
	run -0 "$ROOT/tests/scalesim-rows.py" check "$SF_SHARED/data/accel/scalesim_all.tsv.gz"
	equal "$output" "6947 compared, 0 wrong"
}

@test "a NUL in a layer's name is refused, as no stream may have it" {
	head -n 1 "$DATA/scalesim/conv.csv" >in.csv
	printf 'F\0C, 1, 1, 1, 1, 64, 10, 1,\n' >>in.csv
	run -3 --separate-stderr sf-scalesim in.csv
	equal "$stderr" "sf-scalesim: in.csv:2: a NUL in the name"
}
