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

# Every trace of tests/data/families on the dispatcher, of two models or more of
# each family; that each has some is in model-golden.bats.
@test "each family has each operator in the module that PyTorch ran it in" {
	run "$ROOT/tests/model-modules.py" "$DATA/family-modules.jsonl.gz" \
	    "$DATA/families/MANIFEST.tsv"
	echo "$output"
	[ "$status" = 0 ]
	equal "$output" "$(awk -F'\t' '$3 == "dispatch"' \
	    "$DATA/families/MANIFEST.tsv" | wc -l)"
}

# inside WANT [OUTSIDE] - of modules on standard input each is one of those in
# WANT, or around one; those that are not are printed.
inside() {
	while read -r module; do
		grep -q "^$module\(\.\|$\)" "$1" || echo "$module"
	done
}

# What the dispatcher has is held against PyTorch above; other routes may leave
# out a module of which nothing is needed, and have masks in the one around.
@test "each family's modules are the same on every route" {
	compared=0
	for config in "$DATA"/families/*-0/config.json; do
		given=(--tokens 8)
		jq -e 'has("image_size")' "$config" >/dev/null &&
		    given=(--image "$(jq -r '.image_size | if type == "number"
			then [., .] else . end | map(tostring) | join("x")' "$config")")
		sf-model "$config" "${given[@]}" | modules |
		    jq -r 'select(.[1] != "")[1]' | sort -u >want
		[ -s want ]
		for route in export compile onnx gpu; do
			# Not every route is defined for every family.
			sf-model "$config" "${given[@]}" --route $route \
			    >trace 2>error || {
				grep -q "no ONNX\|as ONNX\|route gpu is not" error
				continue
			}
			modules <trace | jq -r 'select(.[1] != "")[1]' |
			    sort -u | inside want >other
			echo "$config $route: $(cat other)"
			[ ! -s other ]
			[ "$route" = gpu ] || {
				modules <trace | jq -r 'select(.[1] != "")[1]' |
				    sort -u >got
				# Rotary angles may go, as may what fills a cache.
				comm -23 want got >missing
				refute grep -v 'rotary_emb$\|compressor' missing
			}
			compared=$((compared + 1))
		done
	done
	[ "$compared" -gt 300 ]
}

# between - of the modules on standard input, operators without one that stand
# between two of layers.
between() {
	jq -rs 'map(.[1] | test("[.][0-9]+([.]|$)")) as $in |
	    if any($in[]; .) | not then "no layer" else
	    ($in | index(true)) as $a |
	    ($in | length - (reverse | index(true))) as $b |
	    .[$a:$b][] | select(.[1] == "")[0] end'
}

# uncaptured - configurations of the families that transformers has not, from
# those of their relatives.
uncaptured() {
	tr '\n' ' ' <"$ROOT/lib/model/family.def" | sed 's/SF_FAMILY(/\n&/g' |
	    grep 'unchecked = true' | sed 's/SF_FAMILY("\([^"]*\)".*/\1/' |
	    while read -r family; do
		case $family in
		minimax_m3) of=minimax_m3_vl_text ;;
		step3p7) of=step3p5 ;;
		*) of=arcee ;;
		esac
		jq -c --arg f "$family" '.model_type = $f | .hidden_act = "silu" |
		    if $f == "nemotron-nas" then .block_configs =
			[range(.num_hidden_layers) | {attention:
			{n_heads_in_group: 1}, ffn: {ffn_mult: 2}}] |
			.num_key_value_heads = null | .intermediate_size = null
		    else . end' "$DATA/families/$of-0/config.json"
	done
}

@test "every operator between two of a model's layers says its module" {
	uncaptured >configs
	[ "$(wc -l <configs)" -ge 5 ]
	for config in "$ROOT"/configs/models/*.json; do
		jq -c . "$config" >>configs
	done
	runs=0
	while read -r config; do
		echo "$config" >config.json
		for given in "--decode 9" "--tokens 4 --route gpu" "--image 48x48"; do
			# shellcheck disable=SC2086 # an option and its value
			sf-model config.json $given >trace 2>error ||
			    continue
			runs=$((runs + 1))
			modules <trace | between >missing
			echo "$config $given: $(cat missing)"
			[ ! -s missing ]
		done
	done <configs
	[ "$runs" -ge 30 ]
}

# Towers that PyTorch cannot capture without an image, in wholes of their own.
@test "every operator of a tower says its module" {
	d=$DATA/families
	jq '{model_type: "qwen3_vl", text_config: del(.architectures),
	    vision_config: {hidden_size: 16, num_heads: 4, depth: 2,
	    intermediate_size: 8, patch_size: 2, out_hidden_size: .hidden_size,
	    deepstack_visual_indexes: [0]}}' "$d/qwen3_vl_text-0/config.json" >q.json
	jq '{model_type: "gemma4", text_config: del(.architectures),
	    vision_config: {hidden_size: 16, num_attention_heads: 4, head_dim: 4,
	    num_hidden_layers: 2, intermediate_size: 8, patch_size: 2,
	    standardize: true}}' "$d/gemma4_text-0/config.json" >g.json
	while read -r config layers rest; do
		sf-model $config.json --image 12x12 | modules >got
		equal "$(jq -r '.[1]' got | grep -c "^$")" 0
		equal "$(jq -r '.[1]' got | sed -n "s/^\(${layers}[.][0-9]*\).*/\1/p" |
		    sort -u | wc -l)" 2
		for module in $rest; do
			jq -r '.[1]' got | grep -qx "$module"
		done
		# The text beside it is a part of the same model.
		sf-model $config.json --tokens 4 | modules |
		    jq -r '.[1]' | grep -v '^model.language_model\|^lm_head' |
		    sort -u >other
		equal "$(cat other)" ""
	done <<-'EOF'
		q model.visual.blocks model.visual.patch_embed.proj model.visual.merger.linear_fc2 model.visual.deepstack_merger_list.0.norm
		g model.vision_tower.encoder.layers model.vision_tower.pooler model.embed_vision.embedding_projection
	EOF
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
