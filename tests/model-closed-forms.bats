# FLOPs, weight bytes and parameters are what closed forms say, exactly, for a
# thousand configurations that nobody chose.

load helpers
load forms

# bats test_tags=SF-04,SF-06
@test "a thousand random configurations cost what the closed forms say" {
	forms_hold model 1000
}

# bats test_tags=SF-04
@test "five hundred random towers, and encoders with decoders, do so too" {
	forms_hold tower 500
}

# bats test_tags=SF-04,SF-06
@test "a thousand configurations whose layers differ cost what theirs say" {
	forms_hold sparse 1000
}

# bats test_tags=SF-04,SF-06
@test "a thousand older decoders, encoders and towers cost what theirs say" {
	forms_hold later 1000
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
