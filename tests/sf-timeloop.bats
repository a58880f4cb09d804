#!/usr/bin/env bats
# sf-timeloop: what a problem is by its data spaces, and a machine by its parts.

load helpers

conv=$DATA/timeloop/conv.yaml
product=$DATA/timeloop/product.yaml

op() { sf-timeloop "$1" | sf-rules | jq -c 'select(.kind=="op")|'"$2"; }

# bats test_tags=SF-53
@test "a convolution and a product are what their data spaces say" {
	equal "$(op "$conv" '[.name,.node,.inputs[].shape,.outputs[0].shape,
	    .attrs,.macs]')" \
'["onnx.Conv","CNN-Layer",[2,8,15,14],[24,8,3,5],[2,24,7,6],{"kernel_shape":[3,5],"strides":[2,1],"dilations":[1,2],"group":1},241920]'
	equal "$(op "$product" '[.name,.inputs[].shape,.outputs[0].shape,.macs]')" \
	    '["onnx.MatMul",[5,7],[7,6],[5,6],210]'
	sf-timeloop "$conv" >out
	"$ROOT/tests/law.py" --strict out
	sf-timeloop - <"$conv" | grep -q '"model":"stdin"'
}

# bats test_tags=SF-53
@test "no order of dimensions and no name of one makes a difference" {
	want=$(op "$conv" 'del(.node)')
	for order in 'Q, P, N, S, R, M, C' 'M, C, R, S, N, Q, P' \
	    'P, Q, R, S, C, N, M'; do
		sed "s/\[C, M, R, S, N, P, Q\]/[$order]/" "$conv" >in.yaml
		refute cmp -s "$conv" in.yaml
		equal "$(op in.yaml 'del(.node)')" "$want"
	done
	# Data spaces in another order, terms in another, sizes beside the shape.
	python3 - "$conv" >in.yaml <<-'END'
		import sys
		text = open(sys.argv[1]).read()
		weights = text[text.index("    - name: W"):text.index("    - name: I")]
		text = text.replace(weights, "").replace(
		    "  instance:", weights + "  instance:")
		text = text.replace("[[R, Wdilation], [P, Wstride]]",
		                    "[[P, Wstride], [R, Wdilation]]")
		print(text)
	END
	equal "$(op in.yaml 'del(.node)')" "$want"
	sed 's/\bM\b/rows/g; s/\bK\b/deep/g' "$product" >in.yaml
	equal "$(op in.yaml .macs)" 210
	sed '/instance/d; s/^    \([MNK]: \)/  \1/' "$product" >in.yaml
	equal "$(op in.yaml .macs)" 210
	# Batches in all three, groups likewise.
	sed 's/\[K, M, N\]/[K, B, M, N]/; s/projection: \[/&[[B]], /
	    s/    M: 5/    B: 3\n&/' "$product" >in.yaml
	equal "$(op in.yaml '[.inputs[].shape,.macs]')" \
	    '[[3,5,7],[3,7,6],630]'
	sed 's/\[C, M,/[G, C, M,/; s/- \[\[C\]\]/&\n      - [[G]]/
	    s/- \[\[M\]\]/&\n      - [[G]]/; s/{C: 8/{G: 2, C: 8/' "$conv" |
	    awk '/- name/ { n = 0 } /\[\[G\]\]/ && n++ { next } 1' >in.yaml
	equal "$(op in.yaml '[.inputs[].shape,.attrs.group,.macs]')" \
	    '[[2,16,15,14],[48,8,3,5],2,483840]'
}

@test "what is no problem is refused with its line" {
	while IFS='|' read -r file edit line text; do
		sed "$edit" "$DATA/timeloop/$file.yaml" >bad.yaml
		refute cmp -s "$DATA/timeloop/$file.yaml" bad.yaml
		run -3 --separate-stderr sf-timeloop bad.yaml
		one_line_error
		echo "$stderr"
		[[ $stderr == *"bad.yaml:$line: "*"$text"* ]]
	done <<-'END'
		product|s/\[\[K\]\], \[\[N\]\]/[[K]], [[Q]]/|9|'Q' is no dimension of the shape
		product|s/\[\[\[K\]\], \[\[N\]\]\]/[[[K]]]/|4|dimension 'N' is in one alone
		product|s/dimensions: \[/&X, /;s/    M: 5/    X: 1\n&/|4|dimension 'X' is in none
		product|s/dimensions: .*/dimensions: [K, M, K]/|4|dimension 'K' is there twice
		product|s/M: 5/M: 0/|14|M is '0', expected a whole number from 1
		product|s/M: 5/M: 99999999999999999999/|14|expected a whole number from 1
		product|/M: 5/d|14|'M' is missing
		product|s/M: 5/M: 5\n    M: 6/|15|'M' is there twice
		product|/read-write/d|6|no data space has
		product|s/\[\[M\]\], \[\[K\]\]/[[M, Two]], [[K]]/|7|'Two' is no coefficient of the shape
		product|/name: B/,+1d|6|2 data spaces
		product|s/  shape:/  shape: gemm\n  other:/|2|the shape is 'gemm', a name
		product|s/problem:/problem: [/|3|no YAML
		conv|s/\[R, Wdilation\], \[P/[R], [S], [P/|23|a rank of 3 terms
		conv|s/\[R, Wdilation\], \[P/[C], [P/|23|a sum of 'C' and 'P'
		conv|s/\[\[S, Hdilation\], \[Q, Hstride\]\]/[[S, Hdilation, 2]]/|24|a term of 3 parts
	END
}

@test "machines of both versions are accelerators, and say what is not read" {
	machine() { sf-timeloop -a "$1" | jq -c '[.array_rows,.array_cols,
	    .buffer_bytes,.dram_bw]'; }
	run -0 --separate-stderr machine "$DATA/timeloop/eyeriss-like.yaml"
	equal "$output" '[12,14,131072,8000000000]'
	[[ $stderr == *"not read: Weights" ]]
	run -0 --separate-stderr machine "$DATA/timeloop/nodes.yaml"
	equal "$output" '[4,8,65536,16000000000]'
	[[ $stderr == *"not read: Registers" ]]
	{ cat "$DATA/timeloop/nodes.yaml"; echo 'mapper: {}'; } >in.yaml
	run -0 --separate-stderr machine in.yaml
	[[ $stderr == *"not read: mapper"*"not read: Registers" ]]
	sf-timeloop -a "$DATA/timeloop/nodes.yaml" >own.json
	sf-timeloop "$conv" | sf-rules | sf-lower -p ./own.json -q | sf-check
	while IFS='|' read -r file edit text; do
		sed "$edit" "$DATA/timeloop/$file.yaml" >bad.yaml
		run -3 --separate-stderr sf-timeloop -a bad.yaml
		one_line_error
		echo "$stderr"
		[[ $stderr == *bad.yaml:[0-9]*": $text"* ]]
	done <<-'END'
		nodes|s/, shared_bandwidth: 16//|no attribute 'read-bandwidth'
		nodes|s/meshX: 8/meshY: 8/|no 'meshX'
		nodes|s/!Container/!Parallel/|a node '!Parallel', expected !Container
		nodes|s/class: SRAM/class: wire/|an architecture without a buffer
		nodes|s/class: compute/class: wire/|an architecture without a multiply-accumulate unit
		nodes|s/datawidth: 8, shared_bandwidth: 16/datawidth: 3, shared_bandwidth: 5/|5 words of 3 bits
		nodes|s/!Component/plain: {}\n  - &/|a node 'tag:yaml.org,2002:map'
		eyeriss-like|s/0..167/0..160/|161 units in rows of 14
		eyeriss-like|s/0..167/1..167/|the name 'PE[1..167]'
		eyeriss-like|s/class: intmac/class: wire/|an architecture without a multiply
	END
	run -2 sf-timeloop -a own.json "$conv"
}
