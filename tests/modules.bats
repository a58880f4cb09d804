# Where in the model an operator is: what sources say of it, held against what
# PyTorch's own objects said, and against each other.

load helpers

# modules - of standard input, [operator, module] a line.
modules() { jq -c 'select(.kind == "op") | [.name, .module // ""]'; }

@test "sf-model has each operator in the module that PyTorch has it in" {
	while read -r line; do
		jq -c .config <<<"$line" >config.json
		jq -c '.ops[]' <<<"$line" >want
		[ "$(wc -l <want)" -gt 100 ]
		sf-model config.json --route export --tokens 8 | modules | cmp - want
	done <"$DATA/modules.jsonl"
}

@test "on each route the modules of a decoder are the same" {
	jq -c .config "$DATA/modules.jsonl" >configs
	while read -r config; do
		echo "$config" >config.json
		sf-model config.json --route export --tokens 8 | modules |
		    jq -r '.[1]' | sort -u >want
		for route in dispatch compile onnx; do
			# Each route has its way to say what rotary angles are.
			sf-model config.json --route $route --tokens 8 | modules |
			    jq -r '.[1]' | sort -u | diff - want
		done
		# One kernel for what several modules do is of what is around them.
		sf-model config.json --route gpu --tokens 8 | modules |
		    jq -r '.[1]' | sort -u >got
		[ "$(wc -l <got)" -gt 10 ]
		while read -r module; do
			grep -q "^$module\(\.\|$\)" want
		done <got
	done <configs
}

@test "every operator of a decoder's layers says its layer" {
	for model in llama3-8b mixtral-8x7b qwen3-30b-a3b gpt-oss-20b; do
		for route in dispatch gpu; do
			sf-model $model --route $route --decode 64 | modules >got
			# None outside of the layers stands between two inside.
			jq -rs --arg m $model 'map(.[1] | capture("layers[.](?<n>[0-9]+)") // {n: null} | .n) |
			    (index("0")) as $a | (length - (reverse | index(last(.[] | select(. != null))))) as $b |
			    .[$a:$b] | map(select(. == null)) | length' got >missing
			equal "$(cat missing)" 0
		done
	done
}

@test "sf-onnx and sf-export say the same of one network" {
	sf-export "$DATA/tiny-cnn.pt2" | modules |
	    jq -r 'select(.[1] != "")[1]' | uniq >exported
	sf-onnx "$DATA/tiny-cnn.onnx" | modules |
	    jq -r 'select(.[1] != "")[1]' | uniq >converted
	cmp exported converted
	equal "$(paste -sd ' ' exported)" 'features.0 features.1 features.2 features.3 features.4 features.5 features.6 features.7 features.8 features.9 features.10 features.11 classifier'
}

@test "a list of scopes is read as Python writes it, and nothing else is" {
	run -0 "$SF_UNIT/scopes"
	equal "$output" ""
}

@test "a call of a module for the second time is of that module" {
	python3 -c 'import sys, zipfile
sys.stdout.write(zipfile.ZipFile(sys.argv[1]).read(
    "tiny-cnn/models/model.json").decode())' "$DATA/tiny-cnn.pt2" >json
	for name in features.0@1 features@2.0 features.0@17; do
		sed "s/,features\.0,torch/,$name,torch/" json |
		    "$ROOT/tests/pt2.py" pack again.pt2
		equal "$(sf-export again.pt2 | modules | head -n 1 | jq -r '.[1]')" \
		    features.0
	done
	# Another '@' is a part of the name.
	sed "s/,features\.0,torch/,features@x.0@,torch/" json |
	    "$ROOT/tests/pt2.py" pack again.pt2
	equal "$(sf-export again.pt2 | modules | head -n 1 | jq -r '.[1]')" \
	    'features@x.0@'
}

@test "a report folds a model by its layers" {
	sf-model llama3-8b --tokens 128 | sf-rules | sf-cost --device h100 >in
	sf-report --by module --depth 3 --format json in >rows
	equal "$(jq '[.rows[] | select(.module | test("^model.layers.[0-9]+$"))] | length' rows)" 32
	jq -e '[.rows[] | select(.module | test("^model.layers.[0-9]+$")) | .flops] | unique | length == 1' rows
	equal "$(jq -r '.rows[-1].module' rows)" lm_head
}
