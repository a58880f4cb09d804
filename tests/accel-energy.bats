# Energy and area: worked out by hand for each dataflow, the same by every engine
# and in a sweep, and refused where a coefficient is missing.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	# Two operators: 32 x 16 by 16 x 8 in 8 bits, and an addition of 256 bytes.
	trace '{"kind":"op","i":0,"name":"aten.mm","inputs":[{"tid":"x","shape":[32,16],"dtype":"i8","itemsize":1},{"tid":"w","shape":[16,8],"dtype":"i8","itemsize":1,"param":true}],"outputs":[{"tid":"y","shape":[32,8],"dtype":"i8","itemsize":1}]}' \
	    '{"kind":"op","i":1,"name":"aten.neg","inputs":[{"tid":"y","shape":[32,8],"dtype":"i8","itemsize":1}],"outputs":[{"tid":"z","shape":[32,8],"dtype":"i8","itemsize":1}]}' |
	    sf-rules >in
	python3 - >by-hand.json <<-'END'
		import json
		def figure(x):
		    return {"value": x, "kind": "hypothetical", "source": "by hand"}
		print(json.dumps({"base": "edge-npu", "array_rows": 4, "array_cols": 8,
		    "buffer_bytes": 4096, "tile_fraction": 1, "energy": {
		        "mac_i8_pj": figure(2), "buffer_pj_per_byte": figure(3),
		        "buffer_ref_bytes": figure(1024), "acc_pj": figure(5),
		        "acc_ref_bytes": figure(4096), "dram_pj_per_byte": figure(100),
		        "static_w": figure(0.5)},
		    "area": {"pe_mm2": figure(0.25), "buffer_mm2_per_kib": figure(0.5)}}))
	END
}

# energy ARGUMENT... - [mac, buffer, accumulator, dram] in pJ.
energy() {
	sf-lower -p by-hand.json "$@" in | sf-sim | jq -c 'select(.kind=="summary") |
	    .energy_j | [.mac, .buffer, .accumulator, .dram] |
	    map(. * 1e12 * 1000 | round / 1000)'
}

@test "worked by hand: what stays in the array is read once a fill" {
	# 4,096 MACs of 2 pJ. Buffer of 4 times its reference: 3 x 2 = 6 pJ a byte.
	# Loaded 512 + 128 and 256 bytes, which the addition reads once more.
	# os: 640 + 4096 / 8 + 4096 / 4, + 256 + 256 = 2,688 bytes; 256 results.
	# Memory: 640 + 256 + 256 + 256 = 1,408 bytes of 100 pJ.
	equal "$(energy -s dataflow=os)" '[8192,16128,1280,140800]'
	# ws: 640 + 4096 / 8 + 128, + 512 = 1,792; 4096 / 4 = 1,024 updates.
	equal "$(energy -s dataflow=ws)" '[8192,10752,5120,140800]'
	# is: 640 + 4096 / 8 + 512, + 512 = 2,176.
	equal "$(energy -s dataflow=is)" '[8192,13056,5120,140800]'
}

# bats test_tags=SF-51
@test "watts are joules over the makespan, and areas by unit and KiB" {
	sf-lower -p by-hand.json in | sf-sim >out
	equal "$(jq -c 'select(.kind=="summary") | [
	    (.energy_j | .static + .mac + .buffer + .accumulator + .dram - .total | fabs) < 1e-20,
	    (.energy_j.static - 0.5 * .makespan_s | fabs) < 1e-18,
	    (.average_w - .energy_j.total / .makespan_s | fabs) < 1e-9,
	    .area_mm2, .energy_basis]' out)" \
	    '[true,true,true,{"array":8,"buffer":2,"total":10},"not calibrated"]'
	run -0 sf-report out
	[[ $output == *"Not calibrated: sums of counts"* ]]
	[[ $output == *"| energy.mac_i8_pj "*"2 pJ | by hand"* ]]
	equal "$(sf-report -f csv out | grep -c 'sim.energy_j\|,average_w,\|sim.area_mm2\|not calibrated')" 11
}

# bats test_tags=SF-51
@test "no coefficient, no energy; one coefficient, one component and the total" {
	sf-lower -p edge-npu in | sf-sim >out
	equal "$(jq -c 'select(.kind=="summary") | [has("energy_j"), has("average_w"),
	    has("area_mm2"), has("energy_basis")] | any' out)" false
	refute grep -q Energy <(sf-report out)
	equal "$(sf-lower -p edge-npu -s energy.dram_pj_per_byte=10 in | sf-sim |
	    jq -c 'select(.kind=="summary") | .energy_j')" \
	    '{"dram":1.408e-08,"total":1.408e-08}'
	equal "$(sf-lower -p edge-npu -s energy.static_w=2 in |
	    jq -c 'select(.kind=="accel").energy')" \
	    '{"static_w":{"value":2,"source":"given with --set"}}'
}

# bats test_tags=SF-51
@test "every engine and a sweep give the same joules" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >cnn
	for engine in fast event cycle; do
		sf-lower -p horowitz-45nm -q cnn | sf-sim -e $engine |
		    jq -c 'select(.kind=="summary") | [.energy_j, .average_w]'
	done | sort -u >all
	equal "$(wc -l <all)" 1
	sf-sweep -p horowitz-45nm -q -g array_rows=32 cnn |
	    jq -c 'select(.kind=="point") | [.energy_j, .average_w]' | cmp - all
}

@test "operators without inputs, and whole networks, have their energy" {
	sf-model gpt2 -t 8 | sf-rules | sf-lower -p horowitz-45nm >lowered
	jq -es 'any(.[]; .name == "aten.arange" and .inputs == [])' lowered >/dev/null
	# Of what it multiplies 24 products are of f32, 4.6 pJ, the others of bf16, 1.5.
	equal "$(sf-sim lowered | jq -c 'select(.kind=="summary") |
	    .energy_j.mac * 1e12 | round')" \
	    "$(jq -s '[.[] | select(.macs) | .macs * (if .inputs[0].dtype == "f32" then 4.6 else 1.5 end)] | add | round' lowered)"
	sed 's/"shape":\[8,768\],"dtype":"bf16","itemsize":2/"shape":[8,768],"dtype":"c32","itemsize":4/g' lowered >complex
	run -3 --separate-stderr sf-sim complex
	one_line_error
	[[ $stderr == *"its multiply-accumulates are of c32, for which energy has no coefficient"* ]]
}

@test "a type of multiply-accumulate without its coefficient is named" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-lower -p dosa-40nm >lowered
	run -3 --separate-stderr sf-sim lowered
	one_line_error
	[[ $stderr == *"op 0 'onnx.Conv': energy has no mac_f32_pj, expected it for multiply-accumulates of f32"* ]]
}

@test "coefficients without source, of another name or out of range are refused" {
	while IFS='|' read -r edit want; do
		jq -c "$edit" by-hand.json >wrong.json
		run --separate-stderr sf-lower -p wrong.json in
		equal "$status" 3
		[[ $stderr == "sf-lower: wrong.json:1: "*"$want"* ]] || {
			echo "$edit: $stderr"
			return 1
		}
	done <<-'END'
		.energy.mac_i8_pj = 2|'mac_i8_pj' is no object of value, kind and source
		.energy.mac_i8_pj.kind = "rumour"|the kind of 'mac_i8_pj' is none of: datasheet, illustrative, hypothetical, measured, published
		del(.energy.static_w.source)|'static_w' has no 'source'
		.energy.watts = .energy.static_w|unknown key 'watts', expected one of: mac_i4_pj,
		.energy.static_w.value = -1|static_w is '-1', expected a number from 1e-09
		.area = 3|'area' is no object of figures
		.energy.base = "x"|unknown key 'base'
	END
	run -2 --separate-stderr sf-lower -p by-hand.json -s energy.watts=1 in
	[[ $stderr == *"unknown key 'energy.watts'"* ]]
	sf-lower -p by-hand.json in | sed 's/"value":0.5/"value":0/' >zero
	run -3 --separate-stderr sf-sim zero
	one_line_error
}

@test "of several bases the last counts most, and all files are named" {
	echo '{"base": ["dosa-40nm", "edge-npu", "./by-hand.json"]}' >several.json
	sf-lower -p several.json in >out
	equal "$(jq -c 'select(.kind=="accel") | [.array_rows, .energy.mac_i8_pj.value,
	    .area.acc_mm2_per_kib.value]' out)" '[4,2,0.00589]'
	equal "$(jq -c 'select(.tool=="sf-lower") | .inputs | map(.name)' out)" \
	    '["several.json","by-hand.json","edge-npu.json","edge-npu.json","dosa-40nm.json","edge-npu.json"]'
	echo '{"base": ["edge-npu", "./b.json"]}' >a.json
	echo '{"base": ["./a.json"]}' >b.json
	run -3 --separate-stderr sf-lower -p a.json in
	[[ $stderr == *"'base': './a.json' leads back to a.json"* ]]
}

@test "each coefficient stands in the page, the format and the document" {
	jq -c '.energy.x = 1' by-hand.json >wrong.json
	run -3 --separate-stderr sf-lower -p wrong.json in
	names=${stderr##*expected one of: }
	jq -c '.area.x = 1' by-hand.json >wrong.json
	run -3 --separate-stderr sf-lower -p wrong.json in
	names+=", ${stderr##*expected one of: }"
	n=0
	for name in $(tr -d ',' <<<"$names"); do
		case $name in about | base) continue ;; esac
		n=$((n + 1))
		grep -qw "$name" "$ROOT/docs/man/sf-lower.1"
		grep -q "\`$name\`" "$ROOT/formats/simfront-trace-1.md"
		grep -q "\`$name\`" "$ROOT/docs/accel-energy.md"
	done
	equal "$n" 18
}
