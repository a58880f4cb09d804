# The published figures of real configurations (sections 1 to 3 and 8 of them),
# row by row, to the last printed digit. They were measured by another system, from
# PyTorch 2.14.1 and transformers 5.18.0 themselves.

load helpers

# The totals of a trace, as JSON in `totals`; no operator may lack a rule.
count() { # MODEL OPTION...
	sf-model "$@" | sf-rules --strict | sf-report --format json >totals
}

# Whole numbers, exactly.
total() { # JQ-FILTER WANT
	equal "$1 $(jq -r "$1" totals)" "$1 $2"
}

# A number as the tables print it: divided by SCALE, with DIGITS decimals.
printed() { # JQ-FILTER SCALE DIGITS WANT
	equal "$1 $(jq -r "$1" totals |
	    awk -v s="$2" -v d="$3" '{ printf "%.*f", d, $1 / s }')" "$1 $4"
}

# A row of section 1.
row_1() { # MODEL PARAMETERS OPERATORS TYPES TFLOP WEIGHTS
	count "$1" --tokens 2048
	total .params.count "$2"
	total .params.bytes $(($2 * 2))
	total .ops "$3"
	total .op_types "$4"
	printed .flops 1e12 2 "$5"
	printed .weight_bytes 1e9 2 "$6"
}

# Totals of section 1 that are published exactly.
exact() { # FLOPS WEIGHT_BYTES OPERATORS BYTES
	total .flops "$1"
	total .weight_bytes "$2"
	total .ops "$3"
	total .bytes "$4"
}

# GB by category, in the order of section 2's second table.
gigabytes() { # MATMUL ATTENTION SOFTMAX ELEMENTWISE COPY REDUCTION NORM GATHER CREATION
	local c
	for c in matmul attention softmax elementwise copy reduction norm \
	    gather creation; do
		printed ".bytes_by_category.$c // 0" 1e9 2 "$1"
		shift
	done
}

# A row of section 2's first table.
row_2() { # OPERATORS TYPES MATMUL ATTENTION TFLOP GB
	total .ops "$1"
	total .op_types "$2"
	total .flops_by_category.matmul "$3"
	total '.flops_by_category.attention // 0' "$4"
	printed .flops 1e12 3 "$5"
	printed .bytes 1e9 2 "$6"
	total .weight_bytes 15026626560
	total .params.count 8030261248
}

@test "1: llama3-8b, a prefill of 2048 tokens" {
	row_1 llama3-8b 8030261248 3557 30 32.97 15.03
}

@test "1: llama3-70b, a prefill of 2048 tokens" {
	row_1 llama3-70b 70553706496 8837 30 295.83 139.04
}

@test "1: mistral-7b, a prefill of 2048 tokens" {
	row_1 mistral-7b 7241732096 3685 31 31.36 14.24
}

@test "1: qwen2.5-0.5b, a prefill of 2048 tokens" {
	row_1 qwen2.5-0.5b 494032768 2677 31 2.39 0.99
}

@test "1: gpt2, a prefill of 2048 tokens" {
	row_1 gpt2 124439808 771 27 0.67 0.25
}

@test "1: exact totals of shorter prefills and of decoding" {
	count llama3-8b --tokens 512
	exact 7825405642240 15014043648 3557 40382673664
	count llama3-8b --decode 512
	exact 15351092995 15009857536 3333 17537541192
	count qwen2.5-0.5b --tokens 256
	exact 258834932480 988524288 2677 3296000256
	count gpt2 --tokens 256
	exact 65852670208 248093184 771 1192438976
}

@test "2: the dispatcher on the meta device" {
	count llama3-8b --route dispatch --device meta --tokens 2048
	row_2 3557 30 32938104455168 0 32.970 214.35
	gigabytes 64.94 0.00 34.36 68.83 43.59 2.18 0.00 0.03 0.40
}

@test "2: torch.export and Core ATen" {
	count llama3-8b --route export --tokens 2048
	row_2 3850 37 32938104455168 0 32.988 333.97
	gigabytes 64.94 0.00 34.36 164.97 28.83 6.48 0.00 0.03 34.36
}

@test "2: a backend of torch.compile" {
	count llama3-8b --route compile --tokens 2048
	row_2 3426 35 32938104455168 0 32.970 187.40
	gigabytes 64.94 0.00 34.36 68.32 17.55 2.18 0.00 0.03 0.00
}

# bats test_tags=SF-05
@test "2: ONNX without weights, whose rotary matmul is folded" {
	count llama3-8b --route onnx --tokens 2048
	row_2 6007 35 32938104193024 0 32.980 169.10
	gigabytes 45.62 0.00 17.18 88.55 15.54 2.18 0.00 0.03 0.00
}

@test "2: the dispatcher under fake CPU tensors" {
	count llama3-8b --device cpu --tokens 2048
	row_2 4577 37 30739081199616 2220498092032 32.966 70.09
	gigabytes 26.29 2.15 0.00 29.40 10.04 2.18 0.00 0.03 0.00
}

# FLOPs that ONNX has outside of its matmuls, and weights it does not read: the
# rotary matmul and the look-up of positions are folded, and the biases of a
# linear layer are an Add of their own.
outside() { # MODEL
	python3 - "$ROOT/configs/models/$1.json" <<'EOP'
import json, sys
c = json.load(open(sys.argv[1]))
flops = weights = 0
if c["model_type"] == "gpt2":
    weights += 2 * 2048 * c["n_embd"]
else:
    d = c["hidden_size"] // c["num_attention_heads"]
    flops += 2 * (d // 2) * 2048
if c["model_type"] == "qwen2":
    wide = c["hidden_size"] + 2 * c["num_key_value_heads"] * d
    flops += c["num_hidden_layers"] * 2048 * wide
print(flops, weights)
EOP
}

# bats test_tags=SF-05
@test "2: the routes agree on matmul FLOPs and weight bytes" {
	for model in llama3-8b mistral-7b qwen2.5-0.5b gpt2; do
		for route in dispatch export compile onnx; do
			count "$model" --route "$route" --tokens 2048
			jq -r '"\(.flops_by_category.matmul) \(.weight_bytes)"' \
			    totals
		done >routes
		read -r flops weights <routes
		equal "$(head -n 3 routes | uniq)" "$flops $weights"
		read -r rotary folded <<<"$(outside "$model")"
		equal "$(tail -n 1 routes)" \
		    "$((flops - rotary)) $((weights - folded))"
	done
}

# bats test_tags=SF-06
@test "3: decoding at 2048, on the meta device" {
	count llama3-8b --decode 2048
	total .flops_by_category.matmul 16083583104
	total .weight_bytes 15009857536
	total .weight_bytes_by_category.elementwise 532480
	printed .bytes_by_category.copy 1e9 2 5.66
	printed .bytes_by_category.elementwise 1e9 2 2.16
	printed .bytes 1e9 2 25.02
	printed '.types[] | select(.name == "aten.clone").bytes' 1e9 2 4.30
	printed '.types[] | select(.name == "aten.cat").bytes' 1e9 2 0.54
	printed .bytes_by_category.matmul 1e9 2 17.18
}

# bats test_tags=SF-06
@test "3: decoding at 2048, under fake CPU tensors" {
	count llama3-8b --decode 2048 --device cpu
	# 32 layers of 32 heads: two products over 4096, five for each score.
	total .flops_by_category.attention \
	    $((32 * 2049 * (4 * 4096 + 5 * 32)))
	total .weight_bytes 15009857536
	printed .bytes_by_category.matmul 1e9 2 15.01
	printed .bytes_by_category.attention 1e9 2 0.27
	printed .bytes_by_category.copy 1e9 2 0.54
	printed .bytes_by_category.elementwise 1e9 2 0.01
	printed .bytes 1e9 2 15.84
}

# ---- 8: on the accelerator ----

# A row of section 8.
row_8() { # PRESET OPERATORS TILES MS HOT-SPOT
	sf-rules <trace | sf-lower --preset "$1" | sf-sim --engine fast |
	    sf-report --format json >totals
	total .ops "$2"
	total .sim.tiles "$3"
	printed .sim.makespan_s 1e-3 3 "$4"
	total .sim.hotspot "$5"
}

@test "8: gpt2 exported, 128 tokens, on both presets" {
	sf-model gpt2 --route export --tokens 128 >trace
	row_8 edge-npu 815 1051 51.837 "off-chip memory"
	total .sim.ops 456
	printed '.sim.bytes.read + .sim.bytes.written' 1e6 2 748.23
	printed .sim.bytes.read 1e6 2 542.94
	printed .sim.bytes.written 1e6 2 205.29
	printed .sim.pe_efficiency 0.01 1 98.1
	row_8 dc-npu 815 463 4.212 "off-chip memory"
}

@test "8: llama3-8b dispatched, 2048 tokens, on dc-npu" {
	sf-model llama3-8b --tokens 2048 >trace
	row_8 dc-npu 3557 17991 1613.057 "compute array"
}
