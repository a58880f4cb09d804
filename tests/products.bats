# Products and operators over the kind: what tests/products.py works out from
# the rules and the shapes, without the code that it holds to account.

load helpers

# bats test_tags=SF-21
@test "every ATen operator that computes something has a rule or a reason" {
	sf-rules --list | cut -f 1 >rules
	run -0 python3 "$ROOT/tests/products.py" schema \
	    "$DATA/aten-schema.tsv" "$DATA/aten-exceptions.tsv" rules
	equal "$output" ""
}
