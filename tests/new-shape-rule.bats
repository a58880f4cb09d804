# The recipe of docs/new-shape-rule.md: its rule and its row are built into a copy
# of the tree, and do what the page says.

load helpers
load recipe

setup_file() {
	[ -z "${SF_SANITIZED:-}" ] || return 0
	copy_tree
	code c new-shape-rule.md >tree/lib/onnx/ops/shape-ours.c
	code def new-shape-rule.md >>tree/lib/onnx/ops/infer.def
	build_tree sf-onnx
}

setup() {
	use_tree
}

# model SHAPE - ours.onnx with an input of that shape.
model() {
	printf '{"opsets": {"": 17, "yours": 1}, "inputs": {"x": "f32%s"},
	    "outputs": ["y"], "nodes": ["y = yours.SwiGLU(x)"]}' "$1" |
	    "$ROOT/tests/onnx-model.py" >ours.onnx
}

@test "the page's row comes last in the table, in its order" {
	equal "$(tail -n 1 "$BATS_FILE_TMPDIR/tree/lib/onnx/ops/infer.def")" \
	    "$(code def new-shape-rule.md)"
	[[ $(code def new-shape-rule.md) == *'"yours"'* ]]
	grep -o '^SF_INFER("[^"]*", "[^"]*"' \
	    "$BATS_FILE_TMPDIR/tree/lib/onnx/ops/infer.def" | LC_ALL=C sort -c
}

@test "the recipe's rule halves the last dimension, as the page says" {
	model '[2,N,8]'
	said=$(grep -A1 '^    \$ ' "$ROOT/docs/new-shape-rule.md" | sed 's/^    //')
	run -0 --separate-stderr bash -o pipefail -c "$(sed -n '1s/^\$ //p' <<<"$said")"
	equal "$output" "$(sed -n 2p <<<"$said")"
	equal "$output" "[2,3,4]"
	equal "$stderr" ""
}

@test "the recipe's rule says what it can, and refuses what cannot be" {
	model '[2,N,M]'
	run -0 --separate-stderr sf-onnx ours.onnx
	equal "$(jq -c 'select(.kind == "op").outputs[0].shape[:1]' <<<"$output")" \
	    "[2]"
	model '[2,7]'
	run -3 --separate-stderr sf-onnx ours.onnx
	one_line_error
	[[ $stderr == *"the last dimension is 7, expected an even one" ]]
	model '[]'
	run -3 --separate-stderr sf-onnx ours.onnx
	[[ $stderr == *"the input is a scalar, expected a dimension to halve" ]]
}
