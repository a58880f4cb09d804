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

# bats test_tags=SF-21
@test "every rule of matmul and attention states products that it keeps to" {
	sf-rules --list >rules
	python3 "$ROOT/tests/rules.py" trace "$DATA/rules-examples.tsv" >in
	run -0 python3 "$ROOT/tests/products.py" property rules < <(sf-rules in)
	equal "$output" ""
	# A relation between sizes that is linear holds at any scale.
	jq -c 'select(.kind != "op" or (.name | test("^aten[.](mm|bmm|addmm|linear|conv|einsum|scaled_dot|_flash|_efficient)|onnx[.](MatMul|Gemm|Conv|Attention)")))' \
	    <in | jq -sc '(map(select(.kind == "op")) | to_entries |
	    map(.value + {i: .key})) as $ops | .[0], $ops[],
	    (.[-1] + {ops: ($ops | length)})' >few
	for factor in 2 3 7; do
		python3 "$ROOT/tests/products.py" grow "$factor" <few >grown
		sf-rules grown >counted
		[ "$(grep -c '"gemms":' counted)" -gt 20 ]
		grep -v never < <(python3 "$ROOT/tests/products.py" property rules \
		    <counted) >bad || true
		equal "$(cat bad)" ""
	done
}

@test "products are those of PyTorch's own counter" {
	run "${SF_TORCH_PYTHON:-python3}" "$ROOT/tests/oracle/flop-counter.py" \
	    "$(command -v sf-rules)"
	[ "$status" != 2 ] || skip "no PyTorch in SF_TORCH_PYTHON"
	equal "$status" 0
	[[ $output == *" comparisons, 0 differ" ]]
}

# bats test_tags=SF-21
@test "one product costs the same under every name that has it" {
	cat >own.rules <<-'END'
	my.mm(a, b) matmul; gemm = 1, a[0], a[1], b[1] of a, b
	my.attend(q, k, v) attention; gemm = B, M, D, L of q, k | B, M, L, D of -, v where B = prod(q[:-2]), M = q[-2], D = q[-1], L = k[-2]; flops = 2*macs()
	END
	sf-rules --rules own.rules --list >rules
	run -0 python3 "$ROOT/tests/products.py" pairs rules own.rules
	equal "$output" ""
}
