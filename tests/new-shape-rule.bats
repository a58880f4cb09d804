# The recipe of docs/new-shape-rule.md: its rule and its row are built into a copy
# of the tree, and do what the page says.

load helpers

# code LANGUAGE - the page's block in that language.
code() {
	awk -v fence="^\`\`\`$1\$" '$0 ~ fence { on = 1; next } /^```$/ { on = 0 }
	    on' "$ROOT/docs/new-shape-rule.md"
}

setup_file() {
	[ -z "${SF_SANITIZED:-}" ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	mkdir -p tree/build
	cp -a "$ROOT"/{Makefile,bin,formats,lib,configs} tree
	cp -a "$ROOT"/build/{bin,flags,gen,lib,obj,objects} tree/build
	code c >tree/lib/onnx/ops/shape-ours.c
	code def >>tree/lib/onnx/ops/infer.def
	make -s -C tree build/bin/sf-onnx >out 2>&1
	# No warning either.
	cat out
	[ -x tree/build/bin/sf-onnx ] && [ ! -s out ]
}

setup() {
	[ -z "${SF_SANITIZED:-}" ] || skip "what is built is another build"
	cd "$BATS_TEST_TMPDIR" || return
	PATH=$BATS_FILE_TMPDIR/tree/build/bin:$PATH
}

# model SHAPE - ours.onnx with an input of that shape.
model() {
	printf '{"opsets": {"": 17, "yours": 1}, "inputs": {"x": "f32%s"},
	    "outputs": ["y"], "nodes": ["y = yours.SwiGLU(x)"]}' "$1" |
	    "$ROOT/tests/onnx-model.py" >ours.onnx
}

@test "the page's row comes last in the table, in its order" {
	equal "$(tail -n 1 "$BATS_FILE_TMPDIR/tree/lib/onnx/ops/infer.def")" \
	    "$(code def)"
	[[ $(code def) == *'"yours"'* ]]
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
