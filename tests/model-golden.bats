# What sf-model writes is what PyTorch gave, operator by operator: each golden
# trace of a model, with the same shapes, types, parameters and identities.
# tests/golden/README.md says how they were recorded.

load helpers

# agree ROUTE DEVICE LEAST - at least LEAST golden traces, all the same.
agree() {
	# The one configuration that is no published one.
	cp "$ROOT"/configs/models/*.json .
	cat >tiny-llama.json <<-'EOF'
		{"model_type": "llama", "hidden_size": 256,
		 "intermediate_size": 512, "num_hidden_layers": 2,
		 "num_attention_heads": 4, "num_key_value_heads": 2,
		 "vocab_size": 1000, "tie_word_embeddings": false}
	EOF
	run "$ROOT/tests/model-same.py" "$DATA/golden/MANIFEST.tsv" . "$1" "$2"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" -ge "$3" ]
}

# bats test_tags=SF-01,SF-03
@test "the dispatcher on the meta device" {
	agree dispatch meta 78
}

# bats test_tags=SF-01,SF-03
@test "the dispatcher under fake CPU tensors" {
	agree dispatch cpu 76
}

# bats test_tags=SF-01,SF-03
@test "torch.export and Core ATen" {
	agree export meta 37
}

# bats test_tags=SF-01,SF-03
@test "a backend of torch.compile" {
	agree compile meta 37
}

# bats test_tags=SF-01,SF-03
@test "ONNX without weights" {
	agree onnx meta 37
}

@test "Qwen3, which was added behind the others, on all routes" {
	for how in "dispatch meta 4" "dispatch cpu 4" "export meta 2" \
	    "compile meta 2" "onnx meta 2"; do
		read -r route device count <<<"$how"
		run "$ROOT/tests/model-same.py" "$DATA/qwen3/MANIFEST.tsv" . \
		    "$route" "$device"
		equal "$output" "$count"
	done
}

# bats test_tags=SF-06
@test "chunks behind a cache: as PyTorch was seen to run them" {
	for device in meta cpu; do
		run "$ROOT/tests/model-same.py" "$DATA/chunks/MANIFEST.tsv" . \
		    dispatch $device
		echo "$output"
		[ "$status" = 0 ]
	done
	[ "$(wc -l <"$DATA/chunks/MANIFEST.tsv")" -ge 100 ]
}

# agree_families ROUTE DEVICE - all traces of tests/data/families, which are
# two or more of each family that PyTorch can capture there.
agree_families() {
	run "$ROOT/tests/model-same.py" "$DATA/families/MANIFEST.tsv" . "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	equal "$output" "$(awk -F'\t' -v r="$1" -v d="$2" \
	    '$3 == r && $4 == d' "$DATA/families/MANIFEST.tsv" | wc -l)"
}

# bats test_tags=SF-01,SF-03
@test "each other family, on the dispatcher" {
	agree_families dispatch meta
	agree_families dispatch cpu
}

# bats test_tags=SF-01,SF-03
@test "each other family, exported and compiled" {
	agree_families export meta
	agree_families compile meta
	agree_families onnx meta
}

@test "each family has its golden traces" {
	# Of those that transformers has.
	families=$(tr '\n' ' ' <"$ROOT/lib/model/family.def" |
	    sed 's/SF_FAMILY(/\n&/g' | grep -v 'unchecked = true' |
	    sed -n 's/^SF_FAMILY("\([^"]*\)".*/\1/p')
	for family in $families; do
		echo "$family"
		calls=4
		case $family in
		gpt2 | llama | mistral | qwen2 | qwen3) continue ;;
		# Another name of deepseek_v4, which has them.
		deepseek_ref) continue ;;
		*bert* | clip_* | deit | dinov2 | electra | mpnet | siglip_* | vit)
			calls=2 ;;
		esac
		compiled=2
		# Dynamo makes no masks of numbers on the meta device.
		case $family in
		bloom | codegen | deepseek_v4 | gpt_neo | gpt_oss | gptj | \
		    mimo_v2_flash) compiled=0 ;;
		# Nor does it take a list as an index there.
		falcon) compiled=0 ;;
		esac
		onmeta=$calls
		# Their mask of ones is looked at, which has no values there.
		case $family in
		bart | marian | mbart | pegasus) onmeta=0 ;;
		esac
		for how in "dispatch meta $onmeta" "dispatch cpu $calls" \
		    "export meta 2" "compile meta $compiled"; do
			read -r route device count <<<"$how"
			equal "$(awk -F'\t' -v f="$family" -v r="$route" \
			    -v d="$device" '$3 == r && $4 == d &&
			    $5 ~ /^(prefill|decode|image)$/ &&
			    $2 ~ "^" f "-[0-9]+$"' \
			    "$DATA/families/MANIFEST.tsv" | wc -l)" "$count"
		done
	done
	# What an encoder reads beside its decoder, of each of the routes.
	for how in "source t5 10" "audio whisper 10" "source bart 8" \
	    "source marian 8" "source mbart 8" "source pegasus 8"; do
		read -r phase family count <<<"$how"
		equal "$(awk -F'\t' -v p="$phase" -v f="$family" \
		    '$5 == p && $2 ~ "^" f "-[0-9]+$"' \
		    "$DATA/families/MANIFEST.tsv" | wc -l)" "$count"
	done
}

@test "models of several parts have theirs of each part, and of both" {
	# All but those that say that there is none.
	parts=$(tr '\n' ' ' <"$ROOT/lib/model/whole.def" |
	    grep -oE 'SF_WHOLE\("[^)]*\)' | grep -v '\.stated' |
	    sed 's/SF_WHOLE("\([^"]*\)".*/\1/')
	[ -n "$parts" ]
	for model in $parts; do
		echo "$model"
		for phase in prefill image; do
			for how in "dispatch meta" "dispatch cpu" "export meta" \
			    "onnx meta"; do
				read -r route device <<<"$how"
				equal "$(awk -F'\t' -v f="$model" -v r="$route" \
				    -v d="$device" -v p="$phase" '$3 == r &&
				    $4 == d && $5 == p && $2 ~ "^" f "-[0-9]+$"' \
				    "$DATA/families/MANIFEST.tsv" | wc -l)" 2
			done
		done
	done
	for model in clip siglip; do
		equal "$(awk -F'\t' -v f="$model" '$5 == "both" &&
		    $2 ~ "^" f "-"' "$DATA/families/MANIFEST.tsv" | wc -l)" 10
	done
}

@test "fields that change constants only, and heads wide for fused kernels" {
	for how in "dispatch meta 6" "dispatch cpu 6" "export meta 6" \
	    "onnx meta 6"; do
		read -r route device count <<<"$how"
		run "$ROOT/tests/model-same.py" "$DATA/fields/MANIFEST.tsv" . \
		    "$route" "$device"
		equal "$output" "$count"
	done
}

# bats test_tags=SF-03
@test "the comparison sees a shape, a type, a mark, a name and an order" {
	x='{"tid":"x","shape":[2,3],"dtype":"f32","itemsize":4}'
	y='{"tid":"y","shape":[2,3],"dtype":"f32","itemsize":4}'
	op='{"kind":"op","i":0,"name":"aten.neg","inputs":['$x'],"outputs":['$y']}'
	next='{"kind":"op","i":1,"name":"aten.add","inputs":['$x,$y'],"outputs":['$y']}'
	trace "$op" "$next" >one
	sed 's/"x"/"a"/g; s/"y"/"b"/g' one >two
	"$ROOT/tests/model-same.py" one two
	sed 's/\[2,3\]/[3,2]/' one >other-shape
	sed 's/"f32"/"i32"/' one >other-type
	sed 's/"itemsize":4/"itemsize":4,"param":true/' one >other-mark
	sed 's/aten.neg/aten.abs/' one >other-name
	trace "$op" "${next/"$x,$y"/"$y,$x"}" >other-order
	trace "$op" >other-end
	for other in shape type mark name order end; do
		run -1 "$ROOT/tests/model-same.py" one other-$other
		[[ $output == "op "* ]]
	done
}
