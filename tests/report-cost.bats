# The cost section of sf-report: the published rooflines and offloads of
# Llama-3-8B, read off the report, and small traces by hand.

load helpers
load report

golden=$DATA/golden/llama3-8b

# op I NAME CATEGORY FLOPS READ WRITTEN COST - a counted operator whose cost is
# TIME_S,BOUND,UNIT,TRANSFER_S.
op() {
	local time bound unit transfer
	IFS=, read -r time bound unit transfer <<<"$7"
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[],"outputs":[],"category":"%s","flops":%s,"bytes_read":%s,"bytes_written":%s,"weight_bytes":0,"cost":{"time_s":%s,"bound":"%s","unit":"%s","transfer_s":%s}}' \
	    "$1" "$2" "$3" "$4" "$5" "$6" "$time" "$bound" "$unit" "$transfer"
}

device='{"kind":"device","mode":"roofline","name":"d","peak_flops":100,"memory_bw":10,"flops_eff":1,"bw_eff":1,"devices":1,"flops_per_s":100,"bytes_per_s":10,"memory":"unfused","op_overhead_s":0}'
offload='{"kind":"device","mode":"offload","name":"d","peak_flops":100,"memory_bw":10,"flops_eff":1,"bw_eff":1,"devices":1,"flops_per_s":100,"bytes_per_s":10,"memory":"unfused","op_overhead_s":0,"host":{"name":"h","peak_flops":10,"memory_bw":1,"flops_eff":1,"bw_eff":1},"link":{"name":"l","bw":1,"latency_s":0},"supports":"matmul"}'

# Matmul 3 s on compute; relu 4 s on memory; a view for nothing; relu 1 s.
small() {
	trace "$device" \
	    "$(op 0 aten.mm matmul 300 10 5 3,compute,device,0)" \
	    "$(op 1 aten.relu elementwise 20 20 20 4,memory,device,0)" \
	    "$(op 2 aten.t view 0 0 0 0,free,none,0)" \
	    "$(op 3 aten.relu elementwise 5 5 5 1,memory,device,0)"
}

# 2 s on the accelerator with 1 s of transfer, 5 s on the host with 2 s.
split() {
	trace "$offload" \
	    "$(op 0 aten.mm matmul 300 10 5 2,compute,accel,1)" \
	    "$(op 1 aten.t view 0 0 0 0,free,none,0)" \
	    "$(op 2 aten.relu elementwise 100 20 20 5,memory,host,2)"
}

@test "the total is split into compute-bound and memory-bound time" {
	small >in
	sf-report in >out
	equal "$(cells 'compute-bound operators' <out)" '3,000.000 ms|37.5 %'
	equal "$(cells 'memory-bound operators' <out)" '5,000.000 ms|62.5 %'
	equal "$(cells total <out)" '8,000.000 ms|100.0 %'
	equal "$(sf-report -f json in | jq -c '.cost | [.total_s, .time_s, .share]')" \
	    '[8,{"compute":3,"memory":5,"transfer":0},{"compute":0.375,"memory":0.625,"transfer":0}]'
}

@test "the whole-trace roofline is the larger of all FLOPs and all bytes" {
	small >in
	# 325 FLOPs at 100 a second, 65 bytes at 10 a second.
	equal "$(sf-report -f json in | jq -c .cost.roofline)" \
	    '{"compute_s":3.25,"memory_s":6.5,"total_s":6.5}'
	sf-report in | grep -qF 'rate): 6,500.000 ms, memory-bound (arithmetic 3,250.000 ms, memory 6,500.000 ms).'
	# Fused, the bytes of the products alone: 15 bytes at 10 a second.
	small | sed 's/unfused/fused/' >fused
	equal "$(sf-report -f json fused | jq -c .cost.roofline)" \
	    '{"compute_s":3.25,"memory_s":1.5,"total_s":3.25}'
	# Of two units there is no one roofline.
	equal "$(split | sf-report -f json | jq -c .cost.roofline)" null
}

@test "time is given by category and by type, transfers included" {
	split >in
	sf-report in | sed -n '/^### Time by category/,$p' >out
	equal "$(cells matmul <out)" '1|300|15|3,000.000 ms|30.00 %'
	equal "$(cells elementwise <out)" '1|100|40|7,000.000 ms|70.00 %'
	equal "$(cells view <out)" '1|0|0|0.000 ms|0.00 %'
	equal "$(cells all <out)" '3|400|55|10,000.000 ms|100.00 %'
	equal "$(cells aten.mm <out)" 'matmul|1|300|15|3,000.000 ms|30.00 %|accel'
	equal "$(sf-report -f json in | jq -c '[.cost.types[] | [.name, .unit, .time_s, .transfer_s, .share]]')" \
	    '[["aten.relu","host",5,2,0.7],["aten.mm","accel",2,1,0.3],["aten.t","none",0,0,0]]'
}

@test "types stand by time, then by name, and --top sums the others" {
	trace "$device" "$(op 0 z copy 0 1 1 1,memory,device,0)" \
	    "$(op 1 b copy 0 1 1 1,memory,device,0)" \
	    "$(op 2 a copy 0 1 1 2,memory,device,0)" >in
	equal "$(sf-report -f json in | jq -c '[.cost.types[].name]')" \
	    '["a","b","z"]'
	sf-report --top 1 in | sed -n '/^### Time by operator/,$p' >out
	equal "$(cells a <out)" 'copy|1|0|2|2,000.000 ms|50.00 %|device'
	equal "$(cells '(2 more)' <out)" '|2|0|4|2,000.000 ms|50.00 %|'
}

# bats test_tags=SF-27
@test "coverage is told in operators, FLOPs and time, transfers against it" {
	split >in
	sf-report in >out
	# A view is free and counts on neither side.
	equal "$(cells accelerator <out)" '50.0 %|75.00 %|20.0 %|2,000.000 ms'
	equal "$(cells host <out | head -n 1)" '50.0 %|25.00 %|50.0 %|5,000.000 ms'
	equal "$(cells transfers <out | tail -n 1)" '||30.0 %|3,000.000 ms'
	equal "$(sf-report -f json in | jq -c '.cost.coverage.accel')" \
	    '{"calls":1,"flops":300,"time_s":2,"calls_share":0.5,"flops_share":0.75,"time_share":0.2}'
}

@test "a trace that costs nothing has no shares" {
	trace "$device" "$(op 0 aten.t view 0 0 0 0,free,none,0)" >in
	equal "$(sf-report -f json in | jq -c '.cost | [.total_s, .share.compute, .types[0].share]')" \
	    '[0,null,null]'
	equal "$(sf-report in | cells total)" '0.00 ns|-'
}

@test "a trace that is not costed has no section for it" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	equal "$(sf-report -f json in | jq 'has("cost")')" false
	equal "$(sf-report in | grep -c '^## Cost')" 0
}

@test "CSV has a row for each value of the JSON" {
	sf-rules "$golden/dispatch-cpu-decode-2048.jsonl.gz" |
	    sf-cost -o optical -l pcie5 -s matmul >in
	sf-report -f json in | jq -r '[.cost | paths(type | . != "object" and . != "array")] | length' >want
	sf-report -f csv in | grep -c '^1,[^,]*,[^,]*,[^,]*,cost[.,]' >got
	equal "$(cat got)" "$(cat want)"
	sf-report -f csv in | grep -q ',cost,total_s,0.0165[0-9]*,s$'
}

@test "costs that are not whole are refused with their place" {
	while IFS='@' read -r edit message; do
		small | sed "$edit" >bad
		run -3 --separate-stderr sf-report bad
		one_line_error
		[[ $stderr == "sf-report: bad:"*"$message"* ]] ||
		    { echo "$edit: $stderr"; false; }
		equal "$output" ""
	done <<-'EOF'
		/"device","mode/d@operators carry costs, expected a device record
		5s/,"cost".*/}/@3 of 4 operators carry costs, expected all
		/"mode"/p@a second device record
		s/"roofline"/"other"/@device: 'mode' is "other", expected one of: roofline, offload
		s/"flops_per_s":100/"flops_per_s":0/@device: 'flops_per_s' is 0, expected a number >= 1e-30
		s/"bytes_per_s":10,//@device: 'bytes_per_s' is missing, expected a number >= 1e-30
		4s/"memory"/"heat"/@op 1 'aten.relu': cost: 'bound' is "heat", expected one of: free, compute, memory
		4s/"time_s":4/"time_s":-4/@cost: 'time_s' is -4, expected a number >= 0
		4s/,"transfer_s":0//@cost: 'transfer_s' is missing, expected a number >= 0
		4s/"time_s":4/"time_s":4,"time_s":4/@cost: 'time_s' is there twice
	EOF
}

# published TIME - a time of a report in the ms, to the hundredth, of what was
# published.
published() {
	awk -v time="$1" 'BEGIN {
		split(time, part, "[ |]")
		gsub(/,/, "", part[1])
		ms = sprintf("%.2f", part[1] * (part[2] == "us" ? 1e-3 : 1))
		while (ms ~ /[0-9][0-9][0-9][0-9][.,]/)
			sub(/[0-9][0-9][0-9][.,]/, ",&", ms)
		print ms }'
}

@test "the published rooflines stand in the report" {
	while read -r capture unfused share fused; do
		sf-rules "$golden/dispatch-$capture-2048.jsonl.gz" >in
		sf-cost -d h100 in | sf-report >out
		equal "$(published "$(cells total <out)")" "$unfused"
		equal "$(cells 'compute-bound operators' <out)" \
		    "$(cells 'compute-bound operators' <out | cut -d '|' -f 1)|$share %"
		sf-cost -d h100 -m fused in | sf-report >out
		equal "$(published "$(cells total <out)")" "$fused"
	done <<-EOF
		meta-prefill 126.68 44.6 71.01
		cpu-prefill 76.14 79.6 60.62
		meta-decode 9.34 0.0 6.41
		cpu-decode 5.91 0.0 5.70
	EOF
}

# bats test_tags=SF-27
@test "the published coverage stands in the report" {
	some=matmul,attention
	more=$some,elementwise,norm,reduction,softmax
	while read -r phase link supports ops flops accel host moved total; do
		[ -e "$phase" ] || sf-rules \
		    "$golden/dispatch-cpu-$phase-2048.jsonl.gz" >"$phase"
		sf-cost -o optical -l "$link" -s "${!supports:-$supports}" \
		    "$phase" | sf-report >out
		equal "$(cells accelerator <out | cut -d '|' -f 1-3)" \
		    "$ops %|$flops %|$accel %"
		equal "$(cells host <out | head -n 1 | cut -d '|' -f 3)" "$host %"
		equal "$(cells transfers <out | head -n 1 | cut -d '|' -f 2)" "$moved %"
		equal "$(published "$(cells total <out)")" "$total"
	done <<-EOF
		prefill pcie5 matmul 16.0 93.25 1.3 87.1 11.7 1,514.34
		prefill pcie5 some 18.2 99.98 4.8 48.8 46.4 426.93
		prefill pcie5 more 76.3 100.00 13.3 20.7 66.0 243.74
		prefill nvlink4 some 18.2 99.98 7.9 80.3 11.8 259.40
		decode pcie5 matmul 17.4 93.24 33.8 24.9 41.3 16.59
		decode nvlink4 more 79.7 100.00 43.3 20.5 36.2 13.20
	EOF
}

@test "the published operators that take longest stand in the report" {
	sf-rules "$golden/dispatch-cpu-prefill-2048.jsonl.gz" |
	    sf-cost -o optical -l pcie5 -s matmul | sf-report --top 8 |
	    sed -n '/^### Time by operator/,$p' >out
	while read -r type calls gflop mb share unit; do
		equal "$(cells "aten.$type" <out | cut -d '|' -f 2-4,6-7)" \
		    "$calls|$gflop|$mb|$share %|$unit"
	done <<-EOF
		_scaled_dot_product_flash_attention_for_cpu 32 2,220.5 2,147.5 73.32 host
		mul 292 2.7 14,937.0 7.59 host
		mm 225 30,739.1 26,288.8 6.62 accel
		silu 32 0.9 3,758.1 3.19 host
		add 196 0.9 5,235.7 2.86 host
		_to_copy 133 0.0 6,546.3 2.16 host
		pow 65 0.5 4,362.1 1.44 host
		clone 64 0.0 2,147.5 1.27 host
	EOF
	equal "$(awk '/^[|] aten/ { n++ } END { print n }' out)" 8
}
