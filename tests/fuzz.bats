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

# fuzzer BUILD NAME EXECUTIONS [STATUS] - in the place of one of libFuzzer's,
# which leaves an input in its corpus and, with a status, a finding.
fuzzer() {
	mkdir -p "$1/seeds/$2"
	cat >"$1/$2" <<END
#!/bin/bash
for word; do
	case \$word in
	-artifact_prefix=*) prefix=\${word#*=} ;;
	-max_total_time=*) ;;
	-*) ;;
	*) corpus=\${corpus:-\$word} ;;
	esac
done
echo input >"\$corpus/${1##*/}-$2"
echo slow >"\${prefix}slow-unit-1"
[ $3 -eq 0 ] || echo "#$3	DONE   cov: 12 ft: 30 corp: 3/1Kb lim: 8192"
[ ${4:-0} -eq 0 ] || echo bytes >"\${prefix}crash-1"
exit ${4:-0}
END
	chmod +x "$1/$2"
}

@test "a night is one table, keeps what it found, and fails by findings alone" {
	mkdir -p in
	cd in
	for name in one two; do
		fuzzer "$PWD/rapid" $name 3000
		fuzzer "$PWD/checked" $name 40
	done
	export FUZZ_SEEDS_KEPT=1
	run -0 --separate-stderr "$ROOT/tests/fuzz/night" "$PWD/rapid" \
	    "$PWD/checked" 0
	equal "$(tr -s ' ' <<<"$output")" "target build executions a second coverage corpus findings
one rapid 3000 1000 12 3 0
one checked 40 40 12 3 0
two rapid 3000 1000 12 3 0
two checked 40 40 12 3 0"
	equal "$stderr" ""
	equal "$(cat rapid/total)" "one 3040
two 3040"
	[ "$(find rapid/corpus/two checked/corpus/two -type f | wc -l)" -eq 4 ]
	# One that fails at its seeds has a row, too, and the next night adds.
	fuzzer "$PWD/checked" two 0 77
	fuzzer "$PWD/checked" one 0 77
	run -1 --separate-stderr "$ROOT/tests/fuzz/night" "$PWD/rapid" \
	    "$PWD/checked" 0
	equal "$(tr -s ' ' <<<"${lines[-1]}")" "two checked 0 0 0 0 1"
	equal "$(cat rapid/total)" "one 6040
two 6040"
}

# mutants SEED COUNT COMMAND FILE... - see tests/mutants.py; prints nothing.
mutants() {
	run -0 python3 "$ROOT/tests/mutants.py" "$@"
	equal "$output" ""
}

@test "every stage refuses a damaged stream in one line, or takes it" {
	sf-rules "$DATA/cnn-export.sft" >counted
	sf-lower --preset edge-npu counted >lowered
	sf-sim --tiles lowered >timed
	sf-cost --device h100 counted >costed
	mutants 1 40 'sf-rules "$1"' "$DATA/cnn-export.sft" counted
	mutants 2 40 'sf-lower --preset edge-npu "$1"' counted lowered
	mutants 3 40 'sf-sim "$1"' lowered counted
	mutants 4 40 'sf-report "$1"' timed costed counted
	mutants 5 40 'sf-chrome "$1"' timed lowered
	mutants 6 40 'sf-cost --device h100 "$1"' counted costed
	MAY="0 1 3" mutants 7 40 'sf-rules --strict "$1"' "$DATA/cnn-export.sft"
}

@test "a damaged model, profile or configuration is refused in one line" {
	MAY="0 2 3" mutants 1 80 'sf-onnx "$1"' "$DATA/tiny-cnn.onnx" \
	    "$ROOT"/tests/fuzz/corpus/onnx/*
	mutants 2 40 'sf-ort "$1"' "$DATA"/*.json
	mutants 6 40 'sf-scalesim "$1"' "$DATA"/scalesim/conv.csv \
	    "$DATA"/scalesim/gemm.csv
	mutants 7 40 'sf-scalesim --config "$1"' "$DATA"/scalesim/run.cfg
	mutants 9 40 'sf-timeloop "$1"' "$DATA"/timeloop/conv.yaml \
	    "$DATA"/timeloop/product.yaml
	mutants 10 40 'sf-timeloop -a "$1"' "$DATA"/timeloop/nodes.yaml \
	    "$DATA"/timeloop/eyeriss-like.yaml
	mutants 5 80 'sf-export "$1"' "$DATA"/*.pt2 \
	    "$ROOT"/tests/fuzz/corpus/exported/*
	mutants 8 40 'sf-dispatch "$1"' "$ROOT"/tests/fuzz/corpus/execution/*
	mutants 3 40 'sf-lower --preset "$1" <"$DATA/cnn-export.sft"' \
	    "$ROOT"/configs/accel/*.json
	mutants 4 40 'sf-cost --device "$1" <"$DATA/cnn-export.sft"' \
	    "$ROOT"/configs/devices/*.json
	mutants 9 80 'sf-compile "$1"' "$ROOT"/tests/fuzz/corpus/compile/* \
	    "$DATA"/compile/linear_weight.log "$DATA"/compile/breaks.txt
}
