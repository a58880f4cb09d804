# Shape rules: by hand, line by line (tests/data/shapes); against the shapes
# that operators and models really had when they were run; on random inputs.

load helpers

by_hand() {
	run -0 "$SF_UNIT/infer" "$DATA/shapes/$1.txt"
	equal "$output" ""
}

# truth MODE ARGUMENT... - compares with what was recorded.
truth() {
	run -0 python3 "$ROOT/tests/shapes-truth.py" "$SF_UNIT/shapes" "$@"
}

@test "elements meet by broadcasting, and integers stay exact" {
	by_hand elementwise
}

@test "windows slide as far as stride, padding and dilation let them" {
	by_hand conv
}

@test "products and Einsum keep the outer dimensions" {
	by_hand matmul
}

@test "reductions drop or keep the axes they reduce" {
	by_hand reduce
}

@test "rearranged tensors keep every size that is known" {
	by_hand move
}

@test "indices pick rows, and are refused when they are out of range" {
	by_hand gather
}

@test "ONNX Runtime's own operators, channels last among them" {
	by_hand contrib
}

@test "ONNX Runtime's own operators have the shapes that it gives them" {
	by_hand runtime
}

@test "constants, shapes and ranges are followed by what they hold" {
	by_hand create
}

@test "resized images have the sizes that the runtimes give them" {
	by_hand resize
}

@test "normalisation, quantisation and recurrence keep their shapes" {
	by_hand norm
}

@test "attention has the heads of the query and the width of the value" {
	by_hand attention
}

@test "sequences know their elements one by one" {
	by_hand sequence
}

@test "a wrong line of such a file is found" {
	echo "Relu 14: f32[2,3] -> f32[3,2]" >wrong.txt
	run -1 --separate-stderr "$SF_UNIT/infer" wrong.txt
	equal "$stderr" "wrong.txt:1: found f32[2,3], expected f32[3,2]"
}

@test "no rule breaks on random inputs, and the table is sorted" {
	run -0 "$SF_UNIT/infer-random" 1 100
	equal "$output" ""
}

# Of 1,072; the rest are what strings decide.
@test "ONNX's conformance tests: none is wrong" {
	need_shared
	[ -d /usr/share/libonnx-testdata/data ] || skip "no libonnx-testdata"
	truth nodes "$SF_SHARED/data/onnx/node/debian_truth.tsv" \
	    /usr/share/libonnx-testdata/data
	echo "$output"
	equal "${lines[0]}" "1062 right, 10 unknown, 0 wrong"
}

# Of 259; the rest are encoded images and what strings decide.
@test "the newer conformance tests: none is wrong" {
	need_shared
	truth nodes "$SF_SHARED/data/onnx/node/newer_truth.tsv" \
	    "$SF_SHARED/data/onnx/node/newer"
	echo "$output"
	equal "${lines[0]}" "248 right, 11 unknown, 0 wrong"
}

# Of 9,457, without looking at what the models declare; the rest are operators
# that are not ONNX's, and conditions and sizes that the data decides.
@test "the values of whole models: none is wrong" {
	need_shared
	truth models "$SF_SHARED/data/onnx/models/truth" \
	    "$SF_SHARED/data/onnx/models"
	echo "$output"
	equal "${lines[0]}" "9374 right, 83 unknown, 0 wrong"
}

@test "what went wrong elsewhere is right here" {
	need_shared
	truth cases "$SF_SHARED/data/cases"
	echo "$output"
	equal "${lines[0]}" "62 right, 0 unknown, 0 wrong"
}
