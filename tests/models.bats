# Models of other people: whole networks, hostile files, cases from bug reports.
# They are outside of the tree; without them these tests are skipped.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	need_shared
	MODELS=$SF_SHARED/data/onnx/models
	TRUTH=$ROOT/tests/onnx-truth.py
}

# These must come out whole.
COMPLETE="light_bvlc_alexnet light_inception_v1 light_resnet50 light_squeezenet
    light_vgg19 zigzag_alexnet stream_resnet18 super_resolution_10 tinybert
    mnist_cntk"

# trace_of ID - the model's trace with the inputs it was really run with.
trace_of() {
	local shapes
	mapfile -t shapes < <("$TRUTH" --shapes "$MODELS/truth/$1.tsv")
	sf-onnx "${shapes[@]}" "$MODELS/$1.onnx"
}

# The multiply-adds of the operators that run: half the FLOPs that are left when
# the addition of a bias to each element of the output is taken away.
MACS='def numel: reduce .shape[] as $d (1; . * $d);
    def bias: {"onnx.Conv":2, "onnx.ConvTranspose":2, "onnx.Gemm":2}[.name] as $at |
        if $at and .inputs[$at] then .outputs[0] | numel else 0 end;
    [.[] | select(.category == "matmul" and (.folded or .dead | not)) |
        (.flops - bias) / 2] | add // 0'

@test "networks that are wholly known: every shape and every multiply-add" {
	for id in $COMPLETE; do
		trace_of "$id" >trace 2>err
		[ ! -s err ] || { cat err; false; }
		read -r right open wrong missing < <("$TRUTH" "$MODELS/truth/$id.tsv" <trace)
		echo "$id: $right right, $open open, $wrong wrong, $missing missing"
		[ "$right" -gt 0 ]
		equal "$open $wrong $missing" "0 0 0"
		equal "$(jq -c 'select(.unresolved)' trace)" ""
		equal "$(sf-rules trace | jq -s "$MACS")" \
		    "$(awk -F'\t' -v id="$id" '$1 == id { print $4 }' "$SF_SHARED/data/onnx/macs_truth.tsv")"
	done
}

# Operators that the truth says it leaves out are left out here, too: those
# that a "not counted" of its note names, but for attention where it was added.
@test "the multiply-adds of every network that is wholly known" {
	local table=$SF_SHARED/data/onnx/macs_truth.tsv compared=0
	while IFS=$'\t' read -r id want kinds note; do
		[ -e "$MODELS/truth/$id.tsv" ] || continue
		trace_of "$id" 2>err | sf-rules >counted
		[ "$(grep -c '"unresolved"' counted)" -eq 0 ] || continue
		echo "$id"
		[[ $kinds != *attention=* ]] || note=${note//Attention not counted/}
		equal "$(jq -s --arg note "$note" '
		    ($note | [scan("[A-Za-z]+(?= not counted)|(?<=not counted: )[A-Za-z,]+")] |
			map(split(",")) | add // []) as $out |
		    [.[] | select(.kind == "op" and
			(.name | split(".") | last | IN($out[]) | not)).macs // 0] |
		    add // 0' counted)" "$want"
		compared=$((compared + 1))
	done < <(awk -F'\t' 'NR > 1 && $4 != "" { print $1 "\t" $4 "\t" $5 "\t" $NF }' "$table")
	# What comes out whole today; it may only grow.
	[ "$compared" -ge 45 ]
}

# What of a model's parameters is not in its products and norms, or the other
# way round: id, how many more there are, why.
MORE="light_bvlc_alexnet -60965224 made by ConstantOfShape
light_inception_v1 -6997480 made by ConstantOfShape
light_resnet50 -25555239 made by ConstantOfShape
light_squeezenet -1234856 made by ConstantOfShape
light_vgg19 -143667112 made by ConstantOfShape
zigzag_alexnet 0
stream_resnet18 0
super_resolution_10 0
tinybert 88662 embeddings, biases that are added, scalars
mnist_cntk 34 biases that are added"

@test "their parameters are those of their products and norms, and others" {
	while read -r id more _; do
		equal "$id $(trace_of "$id" | jq 'select(.kind=="trace").params.count')" \
		    "$(awk -F'\t' -v id="$id" -v more="$more" \
			'$1 == id { print id, $6 + more }' \
			"$SF_SHARED/data/onnx/macs_truth.tsv")"
	done <<<"$MORE"
}

@test "no network has a wrong shape; what is open has a reason" {
	total=0
	for truth in "$MODELS"/truth/*.tsv; do
		id=$(basename "$truth" .tsv)
		trace_of "$id" >trace 2>err
		read -r right open wrong missing < <("$TRUTH" "$truth" <trace)
		echo "$id: $right right, $open open, $wrong wrong, $missing missing"
		equal "$wrong" 0
		total=$((total + right))
		if [ "$open" -ne 0 ]; then
			[ "$(jq -c 'select(.unresolved)' trace | wc -l)" -gt 0 ]
			[ "$(wc -l <err)" -gt 0 ]
		fi
	done
	# What the rules reach today; it may only grow.
	[ "$total" -ge 9368 ]
}

# options_of ID - into the array options: the table's, or the shapes of a run.
options_of() {
	local line
	line=$(grep "^$1"$'\t' "$DATA/models-options.tsv" | cut -f 2)
	if [ -n "$line" ]; then
		read -ra options <<<"${line//RULES/$DATA/models.rules}"
	elif [ -e "$MODELS/truth/$1.tsv" ]; then
		mapfile -t options < <("$TRUTH" --shapes "$MODELS/truth/$1.tsv")
	else
		options=()
	fi
}

@test "every model is wholly counted with the options of the table" {
	local options whole=0 refused=0
	for model in "$MODELS"/*.onnx; do
		id=$(basename "$model" .onnx)
		options_of "$id"
		echo "$id ${options[*]}"
		if [ "${options[*]}" = refused ]; then
			run sf-onnx "$model"
			[ "$status" -eq 3 ]
			refused=$((refused + 1))
			continue
		fi
		sf-onnx "${options[@]}" "$model" >trace 2>err
		equal "$(jq -c 'select(.unresolved) | [.node, .unresolved]' trace)" ""
		sf-rules --strict --rules "$DATA/models.rules" trace >counted 2>err
		whole=$((whole + 1))
	done
	# Each line of the table is of a model that there is.
	while IFS=$'\t' read -r id _; do
		[[ $id == "#"* ]] || [ -e "$MODELS/$id.onnx" ]
	done <"$DATA/models-options.tsv"
	equal "$whole $refused" "65 2"
}

@test "every file gives a whole trace or one clear error" {
	for file in "$MODELS"/*.onnx "$SF_SHARED"/data/pytorch/onnx/*.onnx; do
		echo "$file"
		run --separate-stderr sf-onnx "$file"
		case $status in
		0) equal "$(tail -n 1 <<<"$output")" \
		    "{\"kind\":\"end\",\"ops\":$(grep -c '^{"kind":"op"' <<<"$output")}" ;;
		3)
			[ -z "$output" ]
			one_line_error
			;;
		*) false ;;
		esac
	done
}

@test "hostile files are refused or read as they should be" {
	local bad=$SF_SHARED/data/onnx/bad file expect rest
	while IFS=$'\t' read -r file expect rest; do
		[ "$file" = file ] && continue
		echo "$file: $expect ($rest)"
		# Two seconds do; a machine that is busy may take longer.
		run --separate-stderr timeout 60 sf-onnx "$bad/$file"
		case $expect:$status in
		reject:3 | either:3)
			[ -z "$output" ]
			one_line_error
			;;
		accept:0 | either:0)
			equal "$(jq -r 'select(.kind=="end").ops' <<<"$output")" \
			    "$(grep -c '^{"kind":"op"' <<<"$output")"
			;;
		*) false ;;
		esac
		[ "${#stderr_lines[@]}" -le 1 ]
	done <"$bad/EXPECT.tsv"
}

@test "no hostile file makes sf-onnx large" {
	[ -z "${SF_SANITIZED-}" ] || skip "the sanitizers need more memory"
	run -0 python3 - "$SF_SHARED"/data/onnx/bad/*.onnx <<-'END'
		import resource, subprocess, sys
		for path in sys.argv[1:]:
		    subprocess.run(["sf-onnx", path], stdout=subprocess.DEVNULL,
		                   stderr=subprocess.DEVNULL)
		    kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
		    assert kib < 256 * 1024, (path, kib)
	END
}

@test "cases from bug reports have the right output shapes" {
	local skipped=0
	for expect in "$SF_SHARED"/data/cases/*.expect.json; do
		model=${expect%.expect.json}.onnx
		[ -e "$model" ] || continue
		jq -e .expect "$expect" >/dev/null || continue
		echo "$model"
		sf-onnx "$model" >trace 2>err
		if grep -q 'is not expanded' trace; then
			skipped=$((skipped + 1))
			continue
		fi
		read -r right open wrong missing < <("$TRUTH" --case "$expect" <trace)
		[ "$right" -gt 0 ]
		equal "$open $wrong $missing" "0 0 0"
	done
	# Loops are not expanded yet.
	[ "$skipped" -le 1 ]
}

@test "cases about parameters give what they ask for" {
	cd "$SF_SHARED/data/cases"
	for id in 071 073 081 097; do
		jq -c '.checks[]' "$id"-*.expect.json >"$BATS_TEST_TMPDIR/checks"
		while read -r check; do
			run=$(jq -r .run <<<"$check")
			echo "$run"
			equal "$(bash -c "$run" 2>&1)" "$(jq -r .want <<<"$check")"
		done <"$BATS_TEST_TMPDIR/checks"
	done
}

@test "a case with functions in functions: parameters and multiply-adds" {
	sf-onnx "$SF_SHARED/data/cases/026-nested-functions.onnx" >trace
	equal "$(jq 'select(.kind=="trace").params.count' trace)" 4096
	equal "$(sf-rules trace | jq -s "$MACS")" 88320
}

@test "a case with dead nodes: they are there and marked" {
	sf-onnx "$SF_SHARED/data/cases/032-dead-nodes.onnx" >trace
	equal "$(sf-rules trace | jq -s "$MACS")" 1382400
	equal "$(jq -c 'select(.dead).name' trace | paste -sd' ')" \
	    '"onnx.Conv" "onnx.Conv" "onnx.Relu"'
}

# ---- sf-model ----

@test "a prefill of any published configuration holds 16 MB at most" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	most=0 n=0
	for config in "$SF_SHARED"/data/configs/*.json "$ROOT"/configs/models/*.json; do
		# What no route takes is refused, and told by other tests.
		kib=$("$SF_UNIT/peak" sf-model "$config" 2>err) || {
			grep -q '^sf-model: ' err
			continue
		}
		echo "$kib KiB: $config"
		[ "$kib" -lt 15625 ]
		[ "$kib" -le "$most" ] || most=$kib
		n=$((n + 1))
	done
	[ "$n" -gt 60 ]
	# It was measured, not only run.
	[ "$most" -gt 1000 ]
}
