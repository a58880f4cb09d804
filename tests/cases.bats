# Cases from public bug reports that say which commands to run and what they
# must print. They are outside of the tree; without them this is skipped.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	need_shared
}

# Checks that ask for programs or options that are not there yet: the number of
# a case, the position of the check, why.
LATER="085 2 convolutions that are tiled as matrices of patches"

@test "every check of every case comes out as it must" {
	run -0 python3 - "$SF_SHARED/data/cases" "$LATER" <<-'END'
		import json, pathlib, subprocess, sys
		folder = pathlib.Path(sys.argv[1])
		later = {tuple(row.split()[:2]) for row in sys.argv[2].splitlines()}
		ran = bad = 0
		for path in sorted(folder.glob("*.expect.json")):
		    for i, check in enumerate(json.loads(path.read_text()).get("checks", [])):
		        if (path.name[:3], str(i)) in later:
		            continue
		        ran += 1
		        got = subprocess.run(["bash", "-c", check["run"]], cwd=folder,
		                             capture_output=True, text=True).stdout.strip()
		        if got != check["want"]:
		            bad += 1
		            print(path.name, i, "got", got, "want", check["want"])
		sys.exit(1 if bad or ran < 20 else 0)
	END
}

# ---- configurations of models ----

# want CASE KEY - what a case expects.
want() {
	jq -c ".expect$2" "$SF_SHARED"/data/cases/"$1"-*.expect.json
}

# model CASE OPTION... - its model as a GPU runs it, counted.
model() {
	sf-model "$SF_SHARED"/data/cases/"$1"-*.config.json --route gpu "${@:2}" |
		sf-rules --strict
}

# sum FIELD NAME... - of a counted trace, what operators of those names have.
sum() {
	jq -s --arg f "$1" --args \
	    'map(select(.name as $n | $ARGS.positional | index($n)) | .[$f]) |
	    add' "${@:2}"
}

LINEAR="gpu.linear gpu.mlp_up"

@test "models have the parameters and the products of their cases" {
	for case in 041 042 044 045 049 050 052; do
		model $case --tokens 1 >out
		equal "$case $(head -1 out | jq .params.count)" \
		    "$case $(want $case .params)"
	done
	# shellcheck disable=SC2086 # names are words
	equal "$(model 041 --tokens 4096 | tee out | sum macs $LINEAR)" \
	    "$(want 041 .macs_linear_S4096)"
	equal "$(sum macs gpu.attention <out)" \
	    "$(want 041 .macs_attention_full_S4096)"
	# Of each score as much is hidden by the mask as of the products.
	equal "$(jq -s 'map(select(.masked_flops)) |
	    map((.flops - .masked_flops) / .flops * .macs) | add | round' out)" \
	    "$(want 041 .macs_attention_causal_S4096)"
	# shellcheck disable=SC2086 # names are words
	equal "$(model 042 --tokens 1 | sum macs $LINEAR)" \
	    "$(want 042 .macs_per_token_linear)"
	equal "$(model 044 --tokens 1 | jq -s '[.[].inputs? // [] | .[] |
	    select((.tid? // "") | endswith(".bias"))] | unique_by(.tid) |
	    map(.shape[0]) | add')" "$(want 044 .bias_params)"
	equal "$(model 045 --tokens 1 | jq -sc '[.[].inputs? // [] | .[] |
	    select((.tid? // "") |
	    endswith("layers.0.self_attn.q_proj.weight"))] |
	    .[0].shape')" "$(want 045 .q_proj)"
	model 049 --tokens 1 | sf-report --format json >report
	equal "$(jq .active_params.count report)" "$(want 049 .params_active)"
	equal "$(jq '.active_params.count - 102400 * 2048' report)" \
	    "$(want 049 .params_active_no_input_embedding)"
	# An older OLMo, whose norms have no weights.
	jq -n '{model_type: "olmo", hidden_size: 4096, intermediate_size: 11008,
	    num_hidden_layers: 32, num_attention_heads: 32,
	    num_key_value_heads: 32, vocab_size: 50304,
	    tie_word_embeddings: false}' >olmo.json
	equal "$(sf-model ./olmo.json --tokens 1 | head -1 | jq .params.count)" \
	    "$(want 050 .params_olmo_7b)"
}

@test "caches are as large as their cases say" {
	token() {
		model "$1" --decode 9 | sum bytes_written gpu.cache_write
	}
	equal "$(token 041)" "$(want 041 .kv_bytes_per_token_fp16)"
	equal "$(token 045)" "$(want 045 .kv_bytes_per_token_bf16)"
	equal "$(token 049)" "$(want 049 .kv_bytes_per_token_bf16)"
	equal "$(token 052)" "$(want 052 .kv_bytes_per_token)"
	# What is kept behind the last token: all of it in half of the layers.
	for n in 1 128 8192; do
		size=(--tokens 1)
		[ $n = 1 ] || size=(--decode $((n - 1)))
		model 052 --kept cache "${size[@]}" >out
		equal "$n $(jq -s '[.[] | select(.kind == "op") |
		    (.inputs, .outputs)[] | select(.kept?)] | unique_by(.tid) |
		    map(.itemsize * (.shape | reduce .[] as $n (1; . * $n))) |
		    add' out)" "$n $(want 052 ".kv_bytes_window_aware[\"$n\"]")"
	done
	equal "$((8192 * $(token 052)))" "$(want 052 .kv_bytes_uncapped_8192)"
}
