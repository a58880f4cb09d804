# The fuzz targets, replayed: each file of tests/fuzz/corpus is an input that
# once showed a fault, or a small one made by hand to begin from. `make fuzz`
# looks for new ones.

load helpers

# The names of the targets, one a line.
targets() {
	for source in "$ROOT"/tests/fuzz/*.c; do
		grep -q '^LLVMFuzzerTestOneInput' "$source" &&
		    basename "$source" .c
	done
}

@test "every input that is kept passes its target" {
	for target in $(targets); do
		run -0 "$SF_FUZZ/$target" "$ROOT/tests/fuzz/corpus/$target"
		kept=$(find "$ROOT/tests/fuzz/corpus/$target" -type f | wc -l)
		[ "$kept" -ge 1 ]
		equal "${lines[-1]}" "$kept replayed"
	done
}

@test "every kept input belongs to a target, and is small" {
	targets | sort >have
	find "$ROOT/tests/fuzz/corpus" -mindepth 1 -maxdepth 1 -printf '%f\n' |
	    sort | diff - have
	run find "$ROOT/tests/fuzz/corpus" -type f -size +8k
	equal "$output" ""
}

@test "an input that is empty, cut short or no text at all passes, too" {
	mkdir odd
	: >odd/empty
	head -c 300 "$DATA/tiny-cnn.onnx" >odd/cut
	head -c 300 "$DATA/cnn-export.sft" >odd/half
	printf '\0\377\n{[("\\' >odd/bytes
	for target in $(targets); do
		run -0 "$SF_FUZZ/$target" odd
		equal "${lines[-1]}" "4 replayed"
	done
}
