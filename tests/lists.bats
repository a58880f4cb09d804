# Operators of lists of tensors: what they come to is worked out beside them by
# tests/lists.py.

load helpers

# bats test_tags=SF-21
@test "a fused optimiser counts what its update takes under every setting" {
	"$ROOT/tests/lists.py" optimisers >trace
	"$ROOT/tests/law.py" --strict <trace
	[ "$(grep -c '"op"' trace)" -gt 500 ]
	run -0 "$ROOT/tests/lists.py" check < <(sf-rules --strict trace)
	echo "$output"
}

# bats test_tags=SF-21
@test "an operator on a list counts what its elements count one by one" {
	"$ROOT/tests/lists.py" foreach "$DATA/aten-schema.tsv" >trace
	"$ROOT/tests/law.py" --strict <trace
	[ "$(grep -c '"aten._foreach_' trace)" -gt 80 ]
	run -0 "$ROOT/tests/lists.py" check < <(sf-rules trace)
	echo "$output"
}
