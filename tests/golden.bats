# The golden traces: what PyTorch gave, counted by sf-rules, comes to what a
# second counter made of it when it was recorded, and to what was published of
# the same captures. tests/golden/README.md says how they are made.

load helpers

golden=$DATA/golden

# counted FILE... - the totals of each golden trace, one JSON object a line.
counted() { (cd "$golden" && sf-rules "$@") | sf-report --format json; }

# row PATH - operators, types, FLOPs, all bytes and weight bytes, from the trace.
row() {
	counted "$1.jsonl.gz" |
	    jq -r '[.ops,.op_types,.flops,.bytes,.weight_bytes]|join(" ")'
}

# gigabytes PATH - the bytes of each category, as the published tables print.
gigabytes() {
	counted "$1.jsonl.gz" | jq -r '.bytes_by_category as $b |
	    ["matmul","attention","softmax","elementwise","copy","reduction",
	    "norm","gather","creation"] | map(($b[.] // 0) / 1e7 | round / 100) |
	    join(" ")'
}

# bats test_tags=SF-21
@test "sf-rules counts every golden trace as the second counter did" {
	tail -n +2 "$golden/MANIFEST.tsv" >rows
	[ "$(wc -l <rows)" -gt 250 ]
	counted $(cut -f 1 rows) |
	    jq -r '[.ops,.op_types,.flops,.bytes,.weight_bytes]|@tsv' >got
	cut -f 9- rows | diff - got
}

@test "the manifest names the golden traces that are there, and no others" {
	(cd "$golden" && find . -name '*.jsonl.gz' | sed 's,^\./,,' | sort) >there
	tail -n +2 "$golden/MANIFEST.tsv" | cut -f 1 | sort | diff - there
}

# bats test_tags=SF-22
@test "every operator of every golden trace has a rule" {
	cut -f 1 "$golden/MANIFEST.tsv" | tail -n +2 >files
	(cd "$golden" && sf-rules --strict $(cat "$BATS_TEST_TMPDIR/files")) \
	    >/dev/null
}

@test "the five models count as published in prefill of 2,048 tokens" {
	at=dispatch-meta-prefill-2048
	equal "$(row llama3-8b/$at)" \
	    "3557 30 32970318026752 214345868032 15026626560"
	equal "$(row llama3-70b/$at | cut -d ' ' -f 1,2)" "8837 30"
	equal "$(row mistral-7b/$at | cut -d ' ' -f 1,2)" "3685 31"
	equal "$(row qwen2.5-0.5b/$at | cut -d ' ' -f 1,2)" "2677 31"
	equal "$(row gpt2/$at | cut -d ' ' -f 1,2)" "771 27"
	# TFLOP and GB of weights to the printed digit.
	for model in llama3-8b llama3-70b mistral-7b qwen2.5-0.5b gpt2; do
		row $model/$at
	done | awk '{ printf "%.2f %.2f\n", $3 / 1e12, $5 / 1e9 }' >got
	equal "$(cat got)" "32.97 15.03
295.83 139.04
31.36 14.24
2.39 0.99
0.67 0.25"
}

@test "the shorter prompts and the steps of decoding count as published" {
	equal "$(row llama3-8b/dispatch-meta-prefill-512)" \
	    "3557 30 7825405642240 40382673664 15014043648"
	equal "$(row llama3-8b/dispatch-meta-decode-512 | cut -d ' ' -f 1,3-)" \
	    "3333 15351092995 17537541192 15009857536"
	equal "$(row qwen2.5-0.5b/dispatch-meta-prefill-256 | cut -d ' ' -f 1,3-)" \
	    "2677 258834932480 3296000256 988524288"
	equal "$(row gpt2/dispatch-meta-prefill-256 | cut -d ' ' -f 1,3-)" \
	    "771 65852670208 1192438976 248093184"
	equal "$(gigabytes llama3-8b/dispatch-meta-decode-2048)" \
	    "17.18 0 0.02 2.16 5.66 0 0 0 0"
	equal "$(gigabytes llama3-8b/dispatch-cpu-decode-2048)" \
	    "15.01 0.27 0 0.01 0.54 0 0 0 0"
}

# bats test_tags=SF-05
@test "five captures of one model count as published" {
	at=prefill-2048
	equal "$(row llama3-8b/export-$at | cut -d ' ' -f 1,2)" "3850 37"
	equal "$(row llama3-8b/compile-$at | cut -d ' ' -f 1,2)" "3426 35"
	equal "$(row llama3-8b/onnx-$at | cut -d ' ' -f 1,2)" "6007 35"
	equal "$(row llama3-8b/dispatch-cpu-$at | cut -d ' ' -f 1,2)" "4577 37"
	for route in dispatch-meta export compile onnx dispatch-cpu; do
		counted llama3-8b/$route-$at.jsonl.gz
	done >reports
	equal "$(jq -r .weight_bytes reports | sort -u)" 15026626560
	equal "$(jq -c '[.flops_by_category.matmul,
	    .flops_by_category.attention // 0]' reports)" "[32938104455168,0]
[32938104455168,0]
[32938104455168,0]
[32938104193024,0]
[30739081199616,2220498092032]"
	equal "$(jq -r '[.flops, .bytes] | @tsv' reports |
	    awk '{ printf "%.3f %.2f\n", $1 / 1e12, $2 / 1e9 }')" \
	    "32.970 214.35
32.988 333.97
32.970 187.40
32.980 169.10
32.966 70.09"
	equal "$(gigabytes llama3-8b/dispatch-meta-$at)" \
	    "64.94 0 34.36 68.83 43.59 2.18 0 0.03 0.4"
	equal "$(gigabytes llama3-8b/export-$at)" \
	    "64.94 0 34.36 164.97 28.83 6.48 0 0.03 34.36"
	equal "$(gigabytes llama3-8b/compile-$at)" \
	    "64.94 0 34.36 68.32 17.55 2.18 0 0.03 0"
	equal "$(gigabytes llama3-8b/onnx-$at)" \
	    "45.62 0 17.18 88.55 15.54 2.18 0 0.03 0"
	equal "$(gigabytes llama3-8b/dispatch-cpu-$at)" \
	    "26.29 2.15 0 29.4 10.04 2.18 0 0.03 0"
}

@test "the models have as many parameters as published" {
	for model in llama3-8b llama3-70b mistral-7b qwen2.5-0.5b gpt2; do
		zcat "$golden/$model/dispatch-meta-prefill-2048.jsonl.gz" |
		    head -n 1 | jq .params.count
	done >got
	equal "$(cat got)" "8030261248
70553706496
7241732096
494032768
124439808"
}

# bats test_tags=SF-01
@test "the small network has 15 operators exported and 17 in ONNX" {
	equal "$(row tiny-cnn-1/export-batch-1 | cut -d ' ' -f 1)" 15
	equal "$(row tiny-cnn-1/onnx-batch-1 | cut -d ' ' -f 1)" 17
	equal "$(row gpt2/export-prefill-128 | cut -d ' ' -f 1)" 815
}

# simulated PATH ARGUMENT... - simulated operators, tiles and seconds in
# nanoseconds, of the golden trace on the accelerator that the arguments choose.
simulated() {
	sf-rules "$golden/$1.jsonl.gz" | sf-lower "${@:2}" | sf-sim |
	    sf-report --format json |
	    jq -r '.sim | [.ops, .tiles, (.makespan_s * 1e9 | round)] | join(" ")'
}

@test "the recorded models take as long on the accelerator as published" {
	at=export-prefill-128
	# 51.8373 ms and 4.212 ms; 1,613.057 ms; 104.44 us and, in whole
	# cycles of 1 ns, 104,439 and 973,135.
	equal "$(simulated gpt2/$at --preset edge-npu)" "456 1051 51837317"
	equal "$(simulated gpt2/$at --preset dc-npu)" "456 463 4212394"
	equal "$(simulated llama3-8b/dispatch-meta-prefill-2048 --preset dc-npu)" \
	    "1877 17991 1613056932"
	equal "$(simulated tiny-cnn-1/export-batch-1 --preset edge-npu)" \
	    "14 14 104438"
	equal "$(simulated tiny-cnn-1/export-batch-1 --preset edge-npu --quantise)" \
	    "14 14 104439"
	equal "$(simulated tiny-llama/export-prefill-32 --preset edge-npu \
	    --quantise | cut -d ' ' -f 2-)" "139 973135"
}

@test "sf-onnx makes of the model in the tree what onnx's own objects say" {
	sf-onnx "$DATA/tiny-cnn.onnx" | "$ROOT/tests/golden/normalise.py" >got
	zcat "$golden/tiny-cnn-1/onnx-batch-1.jsonl.gz" | diff - got
}

@test "a golden trace keeps the law and is its own normal form" {
	for file in "$golden"/tiny-*/*.gz "$golden"/small/1[0-4]/*.gz; do
		zcat "$file" >trace
		"$ROOT/tests/law.py" --strict <trace
		"$ROOT/tests/golden/normalise.py" <trace | cmp - trace
	done
}

@test "traces that differ in names only have one normal form" {
	zcat "$golden/tiny-llama/export-prefill-32.jsonl.gz" >trace
	sed -E 's/"tid":"([0-9]+)"/"tid":"value \1"/g' trace >named
	[ "$(grep -c 'value' named)" -gt 0 ]
	"$ROOT/tests/golden/normalise.py" <named | cmp - trace
	# Two values under one name are not the same trace.
	sed 's/"tid":"3"/"tid":"2"/g' trace | "$ROOT/tests/golden/normalise.py" >other
	run -1 cmp -s other trace
}
