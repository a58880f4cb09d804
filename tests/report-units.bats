# How numbers are scaled for people: one rule in every report, and nothing that
# is not zero printed as zero. The factors between units are written out here.

load helpers

# costed TIME... - operators that take so many seconds, on a device.
costed() {
	local i=0 time ops=()
	for time; do
		ops+=("$(printf '{"kind":"op","i":%d,"name":"aten.relu","inputs":[],"outputs":[],"category":"elementwise","flops":%d,"bytes_read":%d,"bytes_written":0,"weight_bytes":0,"cost":{"time_s":%s,"bound":"memory","unit":"device","transfer_s":0}}' \
		    $i $((i * i)) $((i * 7000000000)) "$time")")
		i=$((i + 1))
	done
	trace '{"kind":"device","mode":"roofline","name":"d","peak_flops":100,"memory_bw":10,"flops_eff":1,"bw_eff":1,"devices":1,"flops_per_s":100,"bytes_per_s":10,"memory":"unfused","op_overhead_s":0}' \
	    "${ops[@]}"
}

# reports NAME - every report of the trace NAME, without the parameters of its
# device, which stand in the units that they came in.
reports() {
	local by
	sf-report "$1"
	! grep -q '"kind":"tile"' "$1" || sf-report --windows 3 "$1"
	for by in op node module type; do
		sf-report --by "$by" "$1"
	done
	sf-compare "$1" "$1"
}

# units - the units of time of what is read, but for parameters and notes.
units() {
	awk '/^#/ { told = !/Device|Configuration|Notes|Made by/ }
	    told' | grep -oE '[0-9] (ns|us|ms|s) ' | sort -u | sed 's/^[0-9] //'
}

# units_of NAME - the units of time of all reports of the trace NAME, a line.
units_of() {
	reports "$1" | units | sort -u | tr -d '\n'
}

@test "all times of all reports of one trace have one unit, its longest's" {
	while read -r times unit; do
		# shellcheck disable=SC2086 # operators' times, one word each
		costed ${times//,/ } >in
		equal "$(units_of in)" "$unit "
	done <<-'EOF'
		9.9e-7 ns
		1e-9,5e-7 ns
		5e-7,5e-7 us
		1e-9,0.0999 us
		1e-9,0.05,0.05 ms
		1e-9,1e-5,0.3 ms
		1e-9,1e-5,0.02,99.9 ms
		1e-9,1e-5,0.02,50,50 s
		1e-9,1e-5,0.02,1e5 s
	EOF
}

@test "a simulation, a cost and an offload follow it alike" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >cnn
	sf-model gpt2 --tokens 16 | sf-rules >gpt2
	sf-model gpt2 --tokens 16 --batch 512 | sf-rules >large
	for name in cnn gpt2 large; do
		sf-lower -p edge-npu "$name" | sf-sim --tiles >"$name.sim"
		sf-cost -d h100 "$name" >"$name.cost"
		sf-cost -o optical -l pcie5 -s matmul "$name" >"$name.offload"
		for kind in sim cost offload; do
			seconds=$(sf-report -f json "$name.$kind" |
			    jq '.sim.makespan_s // .cost.total_s')
			want=$(awk -v s="$seconds" 'BEGIN {
				print s < 1e-6 ? "ns" : s < 0.1 ? "us" : \
				    s < 100 ? "ms" : "s" }')
			equal "$name.$kind $(units_of "$name.$kind")" \
			    "$name.$kind $want "
			equal "$(sf-report "$name.$kind" |
			    awk '$2 == "Takes" { print $4, $5 }')" \
			    "$(sf-compare "$name.$kind" "$name.$kind" |
			    grep -oE '[0-9.,]+ (ns|us|ms|s) ' | head -n 1 |
			    sed 's/ $//')"
		done
	done
}

@test "the row of a partition has one unit for its times" {
	sf-model gpt2 --tokens 16 | sf-rules >in
	sf-ep --claim aten.addmm in | sf-report >out
	equal "$(grep -oE '(Device|Host|Link|Total) [a-z]+' out |
	    tr '\n' ' ')" 'Device us Host us Link us Total us '
	# Of 64 long sequences.
	sf-model gpt2 --tokens 2048 --batch 64 | sf-rules >in
	sf-ep --claim aten.addmm in | sf-report >out
	equal "$(grep -oE '(Device|Host|Link|Total) [a-z]+' out |
	    tr '\n' ' ')" 'Device ms Host ms Link ms Total ms '
}

@test "the answer, the table and the sum of the rows print one figure" {
	sf-model gpt2 --tokens 128 --route export | sf-rules |
	    sf-lower -p edge-npu | sf-sim >in
	# Published: 51.8373 ms.
	equal "$(sf-report in | awk '$2 == "Takes" { print $4, $5 }')" \
	    '51,837.32 us'
	equal "$(sf-report in | awk '$2 == "Latency" { print $4, $5 }')" \
	    '51,837.32 us'
	equal "$(sf-report --by type --top 0 in |
	    grep -oE '[0-9.,]+ us' | head -n 1)" '51,837.32 us'
}

@test "what is not zero is not printed as zero" {
	# 0.1 us beside 3 s, of 0 and of 7 GB; 1 FLOP.
	costed 1e-7 3 >in
	sf-report in >out
	grep -q ' 3,000.000 ms ' out
	sf-report --by op in >rows
	equal "$(awk -F ' *[|] *' '$2 == "0" { print $6, $7, $8 }' rows)" \
	    '0 0.0 0.00010 ms'
	equal "$(awk -F ' *[|] *' '$2 == "1" { print $6, $7, $8 }' rows)" \
	    '1 7,000.0 3,000.000 ms'
	# A byte beside a gigabyte.
	sed 's/"bytes_read":0/"bytes_read":1/' in | sf-report --by op >rows
	equal "$(awk -F ' *[|] *' '$2 == "0" { print $7 }' rows)" 0.0000010
}
