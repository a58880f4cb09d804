# FLOPs, weight bytes and parameters are what closed forms say, exactly, for a
# thousand configurations that nobody chose.

load helpers

# bats test_tags=SF-04,SF-06
@test "a thousand random configurations cost what the closed forms say" {
	python3 "$ROOT/tests/model-forms.py" draw 1000 1
	while read -r config options; do
		# shellcheck disable=SC2086 # options are words
		sf-model "$config" $options || exit
	done <runs.tsv >traces
	sf-rules traces | python3 "$ROOT/tests/model-forms.py" check >checked
	equal "$(cat checked)" 1000
}

# bats test_tags=SF-04
@test "five hundred random towers, and encoders with decoders, do so too" {
	python3 "$ROOT/tests/tower-forms.py" draw 500 1
	while read -r config options; do
		# shellcheck disable=SC2086 # options are words
		sf-model "$config" $options || exit
	done <runs.tsv >traces
	sf-rules --strict traces | python3 "$ROOT/tests/tower-forms.py" check \
	    >checked
	equal "$(cat checked)" 500
}

# bats test_tags=SF-04,SF-06
@test "a thousand configurations whose layers differ cost what theirs say" {
	python3 "$ROOT/tests/sparse-forms.py" draw 1000 1
	while read -r config options; do
		# shellcheck disable=SC2086 # options are words
		sf-model "./$config" $options || exit
	done <runs.tsv >traces
	sf-rules traces | python3 "$ROOT/tests/sparse-forms.py" check >checked
	equal "$(cat checked)" 1000
}

# bats test_tags=SF-04,SF-06
@test "a thousand older decoders, encoders and towers cost what theirs say" {
	python3 "$ROOT/tests/later-forms.py" draw 1000 1
	while read -r config options; do
		# shellcheck disable=SC2086 # options are words
		sf-model "./$config" $options || exit
	done <runs.tsv >traces
	sf-rules --strict traces | python3 "$ROOT/tests/later-forms.py" check \
	    >checked
	equal "$(cat checked)" 1000
}

# bats test_tags=SF-04,SF-06
@test "the forms as they are published hold for Llama-3-8B" {
	# P = L (2 d^2 + 2 d kv d/h + 3 d f) + V d, of a prefill of T tokens.
	L=32 d=4096 h=32 kv=8 f=14336 V=128256 T=2048 e=2
	P=$((L * (2 * d * d + 2 * d * kv * (d / h) + 3 * d * f) + V * d))
	sf-model llama3-8b --tokens $T | sf-rules |
	    sf-report --format json >totals
	equal "$(jq .flops_by_category.matmul totals)" \
	    $((2 * P * T + 4 * L * d * T * T + 2 * (d / h / 2) * T))
	equal "$(jq .weight_bytes totals)" \
	    $((e * (P + T * d + (2 * L + 1) * d)))
	sf-model llama3-8b --decode $T | sf-rules |
	    sf-report --format json >totals
	equal "$(jq .flops_by_category.matmul totals)" \
	    $((2 * P + 4 * L * d * (T + 1) + 2 * (d / h / 2)))
}
