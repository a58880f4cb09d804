# The first minutes with the programs: mistakes that everybody makes once.

load helpers

# readers - programs that read a stream and need no option to begin.
readers() {
	printf '%s\n' sf-rules sf-sim sf-check sf-report sf-compare sf-chrome
}

@test "a file that is no stream is named, and who reads it" {
	gzip -c "$ROOT/configs/models/gpt2.json" >config.json.gz
	printf '\x10\0\0\0\0\0\0\0{"a":{"dtype"' >w.safetensors
	printf 'GGUF\3\0\0\0' >w.gguf
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >counted
	sf-report counted >report.md
	sf-report --by op --format csv counted >rows.csv
	while read -r file who; do
		for program in $(readers); do
			run -3 --separate-stderr "$program" $file
			one_line_error
			[[ $stderr == *"expected a stream, and this is "*"$who"* ]]
		done
	done <<-END
		$DATA/tiny-cnn.onnx ONNX model, which sf-onnx reads
		$DATA/tiny-cnn.pt2 sf-export reads
		$ROOT/configs/models/llama3-8b.json which sf-model reads
		config.json.gz which sf-model reads
		$ROOT/configs/accel/edge-npu.json sf-lower --preset takes
		$ROOT/configs/devices/h100.json sf-cost --device takes
		$DATA/profiles/train.et.json.gz sf-dispatch reads
		$DATA/profiles/train.kineto.json.gz sf-dispatch reads
		$DATA/compile/infer.log sf-compile reads
		$DATA/tiny-cnn.ort-profile.json sf-ort reads
		w.safetensors weights
		w.gguf GGUF
		report.md a report
		rows.csv rows
	END
}

@test "every ONNX file of the tests is told from a stream" {
	local n=0
	for file in "$DATA"/*.onnx "$DATA"/*/*.onnx; do
		[ -s "$file" ] || continue
		run -3 --separate-stderr sf-rules "$file"
		one_line_error
		case $stderr in
		*"an ONNX model, which sf-onnx reads") n=$((n + 1)) ;;
		esac
	done
	[ "$n" -gt 0 ]
}

@test "a stream is a stream, whatever its names hold" {
	trace '{"kind":"note","tool":"x","text":"\"model_type\" \"traceEvents\""}' |
	    sf-rules >/dev/null
	# White space before the first member is allowed.
	trace | sed 's/^{"kind"/{ "kind"/' | sf-rules >/dev/null
}

@test "a name that is nearly right is answered with the one that is meant" {
	while IFS='|' read -r command meant; do
		run -2 --separate-stderr $command </dev/null
		one_line_error
		equal "${stderr##*; }" "did you mean '$meant'?"
	done <<-END
		sf-cost --device h10|h100
		sf-cost --devcie h100|--device
		sf-cost --device H100|h100
		sf-cost --device A100-80GB|a100
		sf-cost --device rtx-4090|rtx4090
		sf-cost --device MI300|mi300x
		sf-lower --preset egde-npu|edge-npu
		sf-lower --preset edge|edge-npu
		sf-model llama3|llama3-8b
		sf-cost --device 4090|rtx4090
		sf-model lama3-8b|llama3-8b
		sf-model --tokns 3 gpt2|--tokens
		sf-report --format jsn|json
		sf-sim --engine evnt|event
		sf-plot --kind roofl|roofline
		sf-cost --device h100 --set memory_bww=1TB/s|memory_bw
		sf-cost --device h100 --set peak_bf16=1PFLOP/s|peak_flops
		sf-cost --offload h100 --link pcie5 --supports matmull|matmul
		sf-lower --preset edge-npu --set dataflow=wss|ws
		sf-lower --preset edge-npu --set transit_categories=norms|norm
		sf-sweep --preset edge-npu --grid array_row=1,2|array_rows
		sf-sweep --preset edge-npu --grid cores=1,2 --tie dram_bww=cores|dram_bw
		sf-sweep --preset edge-npu --grid cores=1,2 --where coress<3|cores
	END
	# What a file says, and what a model calls its sizes.
	echo '{"model_type":"lama"}' >type.json
	jq '.peak_bf16 = .peak_flops | del(.peak_flops)' \
	    "$ROOT/configs/devices/h100.json" >key.json
	echo 'onnx.Relu(x) elementwisee; flops = 2' >category.rules
	printf '%s' '{"inputs":{"x":"f32[batch,4]"},"outputs":["y"],
	    "nodes":["y = Relu(x)"]}' | "$ROOT/tests/onnx-model.py" >m.onnx
	while IFS='|' read -r command meant; do
		run --separate-stderr $command </dev/null
		[[ $status = [23] ]]
		one_line_error
		equal "${stderr##*; }" "did you mean '$meant'?"
	done <<-END
		sf-model type.json|llama
		sf-cost --device ./key.json|peak_flops
		sf-rules --rules category.rules|elementwise
		sf-onnx --dim bach=3 m.onnx|batch
	END
	for command in 'sf-cost --device zzzzz' 'sf-report --xyzzy' \
	    'sf-sim --engine warp'; do
		run -2 --separate-stderr $command </dev/null
		one_line_error
		[[ $stderr != *'did you mean'* ]]
	done
}

@test "an option with one value is not given twice, one of many is" {
	while IFS='|' read -r command name; do
		run -2 --separate-stderr $command </dev/null
		equal "$stderr" "${command%% *}: option '--$name' is given twice"
	done <<-END
		sf-cost -d h100 --device a100|device
		sf-report --top 3 -n 3|top
		sf-report --format json --format json|format
		sf-model --tokens 3 --tokens 4 gpt2|tokens
	END
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower -p edge-npu -s array_rows=16 -s array_cols=16 |
	    grep -q '"array_rows":16,"array_cols":16'
}

@test "a terminal is no stream" {
	script -qec true /dev/null >/dev/null 2>&1 ||
	    skip "no script(1), or no pseudo-terminals as in a bare chroot"
	for program in $(readers); do
		SHELL=/bin/sh run -0 script -qc "$SF_BIN/$program; echo \$?" /dev/null </dev/null
		[[ $output == *"standard input is a terminal"*"--help"* ]]
		[[ $output == *2* ]]
	done
}

# completed WORD... - what the completion offers for the last one.
completed() {
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _simfront
	    printf "%s\n" "${COMPREPLY[@]}"' \
	    "$ROOT/completions/simfront.bash" "$@" | sort
}

@test "every option of every program is completed" {
	for program in "$SF_BIN"/sf-*; do
		program=$(basename "$program")
		[ "$program" != sf-torch ] || continue
		completed "$program" -- >got
		"$program" --help | grep -o '^  .\{4\}--[a-z0-9-]*' |
		    sed 's/.* //' | sort >want
		cmp got want
	done
}

@test "help fits 80 columns, and says in them what it says in one line" {
	for program in "$SF_BIN"/sf-*; do
		run -0 --separate-stderr "$program" --help
		equal "$(awk 'length($0) > 80' <<<"$output")" ""
		refute grep -q ' $' <<<"$output"
		# An option a row, whatever it is made of.
		equal "$(help_of "$program" | grep -c '^  \(-.,\|   \) --')" \
		    "$(help_of "$program" | sed '1,/^options:/d' | grep -c .)"
	done
}

@test "words and configurations are completed behind their option" {
	equal "$(completed sf-report --format '' | paste -sd ' ')" \
	    "$(help_of sf-report | sed -n 's/.*write: \([^(]*\) (.*/\1/p' |
	    tr -d , | tr ' ' '\n' | sort | paste -sd ' ')"
	equal "$(completed sf-lower -p edge)" edge-npu
	equal "$(completed sf-cost --device h1)" h100
	equal "$(completed sf-model gpt2)" gpt2
	equal "$(completed sf-sim --engine f)" fast
	equal "$(completed sf-lower --engine-of-nobody '')" ''
}

# Which of them begin as the word does zsh finds out itself.
@test "zsh completes, too" {
	command -v zsh >/dev/null || skip "no zsh"
	zsh -n "$ROOT/completions/simfront.bash"
	equal "$(zsh -fc 'autoload -U compinit bashcompinit; compinit -D
	    bashcompinit; . "$0"; setopt ksharrays shwordsplit
	    COMP_WORDS=(sf-cost -d h1) COMP_CWORD=2; _simfront
	    printf "%s\n" "${COMPREPLY[@]}"' "$ROOT/completions/simfront.bash" |
	    grep -x h100)" h100
}
