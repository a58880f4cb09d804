# docs/results.md and docs/accel-results.md: they are what the pipelines give,
# and have the published figures.

load helpers

page() { cat "$ROOT/docs/$1.md"; }

# has PAGE CELL... - one row of the page has these cells, the first ones.
has() {
	local page=$1 IFS='|'
	shift
	page "$page" | sed 's/ *| */|/g' | grep -qF "|$*|" || {
		echo "no row of $page has $*"
		return 1
	}
}

# made TARGET... - of results.mk, in a directory that the tests share.
made() {
	W=$BATS_FILE_TMPDIR/results
	make -s -j 2 -f "$ROOT/pipelines/results/results.mk" W="$W" \
	    BIN="$SF_BIN" "$@"
}

# bats test_tags=SF-12,SF-41
@test "the pages are what the pipelines give" {
	made pages
	for page in results accel-results; do
		diff "$ROOT/docs/$page.md" "$W/$page.md"
		[ "$(grep -c '^## ' "$W/$page.md")" -ge 5 ]
	done
}

@test "timings are a page of their own, and made again change no other" {
	made pages pictures
	(cd "$W" && cksum results.md accel-results.md pictures/*) >before
	find "$W" \( -name '*.md' -o -name '*.png' \) -delete
	made pages pictures timings
	(cd "$W" && cksum results.md accel-results.md pictures/*) >after
	diff before after
	refute grep -qi wall-clock "$ROOT/docs/results.md" \
	    "$ROOT/docs/accel-results.md"
	# The same rows, whatever took how long.
	diff <(sed 's/ *| */|/g; s/|[0-9.]*|/||/; s/([0-9]* proc/(n proc/; s/-*//g' \
	    "$ROOT/docs/timings.md") \
	    <(sed 's/ *| */|/g; s/|[0-9.]*|/||/; s/([0-9]* proc/(n proc/; s/-*//g' \
	    "$W/timings.md")
}

@test "a program that fails leaves no section of a page" {
	made pages
	# Programs that count their calls, and of which one fails at one of them.
	mkdir bin
	for program in "$SF_BIN"/sf-*; do
		sed "s,REAL,$program," >"bin/${program##*/}" <<-'EOF'
			#!/bin/bash
			n=$(($(cat "$CALLS/${0##*/}" 2>/dev/null) + 1))
			echo $n >"$CALLS/${0##*/}"
			[ "${0##*/} $n" != "$FAIL" ] || exit 3
			exec REAL "$@"
		EOF
	done
	chmod +x bin/*
	# section SCRIPT FAIL - runs it, with new counts.
	section() {
		rm -rf calls
		mkdir calls
		W=$W CALLS=$PWD/calls FAIL=$2 PATH=$PWD/bin:$PATH "$1" \
		    >said 2>&1
	}
	for script in "$ROOT"/pipelines/results/*.section; do
		section "$script" ''
		find calls -type f -printf '%f:' -exec cat {} \; >programs
		# The last call of each, behind which nobody would notice.
		while IFS=: read -r program calls; do
			echo "${script##*/}: $program fails, call $calls"
			refute section "$script" "$program $calls"
		done <programs
	done
	for fails in 'traces:sf-model' 'accel:sf-sim'; do
		refute section "$ROOT/pipelines/results/${fails%:*}.timing" \
		    "${fails#*:} 1"
	done
}

@test "pages are made anew when what they are made with is newer" {
	made pages
	for file in configs/devices/host.json configs/models/gpt2.json \
	    configs/accel/edge-npu.json configs/links/pcie5.json \
	    pipelines/results/tiny-llama.json pipelines/results/results.jq \
	    tests/data/tiny-cnn.onnx; do
		echo "$file"
		refute made -q pages \
		    -W "$ROOT/pipelines/results/../../$file"
	done
	made -q pages
}

# But for the sweep, which has no page: tests/docs.bats runs it and compares.
@test "the README quotes only numbers of the pages" {
	python3 - "$ROOT" <<-'END'
		import re, sys
		NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e-?\d+)?"
		def read(path):
		    return open(sys.argv[1] + "/" + path, encoding="utf-8").read()
		def numbers(text):
		    return {x.replace(",", "") for x in re.findall(NUMBER, text)}
		def in_ms(match):  # as the pages have times: to the hundredth
		    ms = float(match[1].replace(",", "")) * (
		        1e-3 if match[2] == "us" else 1)
		    return f"{ms:.2f} ms"
		pages = numbers(read("docs/results.md") + read("docs/accel-results.md"))
		told = numbers("\n".join(
		    line for block in re.findall(r"\x60{3}sh\n(.*?)\x60{3}",
		                                 re.sub(rf"({NUMBER}) (us|ms)\b", in_ms,
		                                        read("README.md")), re.S)
		    if "sf-sweep" not in block
		    for line in block.split("\n") if line[:1] not in ("$", ">")))
		assert len(told) > 20, told
		assert told <= pages, told - pages
	END
}

@test "a page that is not what the pipelines give is told from one that is" {
	page results | sed '0,/15.03/s//15.04/' >wrong
	refute cmp -s wrong <(page results)
}

# bats test_tags=SF-41
@test "the published models and captures stand on the page" {
	has results llama3-8b '8.03 B' 3,557 30 32.97 15.03 0
	has results llama3-70b '70.55 B' 8,837 30 295.83 139.04 0
	has results mistral-7b '7.24 B' 3,685 31 31.36 14.24 0
	has results qwen2.5-0.5b '0.49 B' 2,677 31 2.39 0.99 0
	has results gpt2 '0.12 B' 771 27 0.67 0.25 0
	has results llama3-8b prefill 512 7,825,405,642,240 15,014,043,648 \
	    3,557 40,382,673,664
	has results llama3-8b decode 512 15,351,092,995 15,009,857,536 3,333 \
	    17,537,541,192
	has results qwen2.5-0.5b prefill 256 258,834,932,480 988,524,288 2,677 \
	    3,296,000,256
	has results gpt2 prefill 256 65,852,670,208 248,093,184 771 1,192,438,976
	m=32,938,104,455,168
	has results 'dispatch, meta' 3,557 30 $m 0 32.970 214.35 15.027
	has results torch.export 3,850 37 $m 0 32.988 333.97 15.027
	has results torch.compile 3,426 35 $m 0 32.970 187.40 15.027
	has results 'ONNX, no weights' 6,007 35 32,938,104,193,024 0 32.980 \
	    169.10 15.027
	has results 'dispatch, fake CPU' 4,577 37 30,739,081,199,616 \
	    2,220,498,092,032 32.966 70.09 15.027
	has results 'dispatch, meta' 64.94 0.00 34.36 68.83 43.59 2.18 0.00 0.03 0.40
	has results torch.export 64.94 0.00 34.36 164.97 28.83 6.48 0.00 0.03 34.36
	has results torch.compile 64.94 0.00 34.36 68.32 17.55 2.18 0.00 0.03 0.00
	has results 'ONNX, no weights' 45.62 0.00 17.18 88.55 15.54 2.18 0.00 0.03 0.00
	has results 'dispatch, fake CPU' 26.29 2.15 0.00 29.40 10.04 2.18 0.00 0.03 0.00
	page results | grep -qF "30,739,080,937,472 (two for each of 7,504,658,432 parameters and each token) + 2,199,023,255,552 (attention) + 262,144 (rotary frequencies) = $m;"
}

# bats test_tags=SF-41
@test "the published decode stands on the page" {
	has results 'dispatch, meta' 16,083,583,104 15,009,857,536 15.01 17.18 \
	    0.00 5.66 2.16 25.02
	page results | sed 's/ *| */|/g' |
	    grep -qF '|15,009,857,536|15.01|15.01|0.27|0.54|0.01|15.84|'
	page results | grep -qF '`aten.clone`, 4.30 GB'
	page results | grep -qF 'moves 0.54 GB'
	page results | grep -qF '532,480 are the scales of RMSNorm'
}

# bats test_tags=SF-24,SF-41
@test "the published rooflines and closed forms stand on the page" {
	row() { page results | sed 's/ *| */|/g' | grep -F "|$1|" |
		cut -d '|' -f 3,4,6,7; }
	equal "$(row 'prefill of 2,048, meta')" '126.68|44.6 %|71.01|58.53'
	equal "$(row 'prefill of 2,048, cpu')" '76.14|79.6 %|60.62|58.53'
	equal "$(row 'decode of 2,048, meta')" '9.34|0.0 %|6.41|5.70'
	equal "$(row 'decode of 2,048, cpu')" '5.91|0.0 %|5.70|5.70'
}

# bats test_tags=SF-41
@test "the published offloads and their longest operators stand on the page" {
	while IFS='|' read -r row; do
		has results "$row"
	done <<-EOF
		prefill|pcie5|matmul|16.0 %|93.25 %|1.3 %|87.1 %|11.7 %|1,514.34
		prefill|pcie5|+ attention|18.2 %|99.98 %|4.8 %|48.8 %|46.4 %|426.93
		prefill|pcie5|+ elementwise|71.6 %|100.00 %|10.9 %|21.2 %|67.8 %|288.57
		prefill|pcie5|+ norm, reduction, softmax|76.3 %|100.00 %|13.3 %|20.7 %|66.0 %|243.74
		prefill|pcie5|+ copy, creation, gather|100.0 %|100.00 %|100.0 %|0.0 %|0.0 %|36.16
		prefill|nvlink4|matmul|16.0 %|93.25 %|1.4 %|96.6 %|2.0 %|1,364.80
		prefill|nvlink4|+ attention|18.2 %|99.98 %|7.9 %|80.3 %|11.8 %|259.40
		prefill|nvlink4|+ elementwise|71.6 %|100.00 %|25.4 %|49.3 %|25.3 %|124.36
		prefill|nvlink4|+ norm, reduction, softmax|76.3 %|100.00 %|29.8 %|46.3 %|23.9 %|108.77
		decode|pcie5|matmul|17.4 %|93.24 %|33.8 %|24.9 %|41.3 %|16.59
		decode|pcie5|+ attention|19.8 %|99.98 %|28.7 %|14.0 %|57.3 %|19.86
		decode|pcie5|+ elementwise|74.7 %|100.00 %|27.0 %|12.8 %|60.1 %|21.12
		decode|pcie5|+ norm, reduction, softmax|79.7 %|100.00 %|27.9 %|13.2 %|58.9 %|20.45
		decode|pcie5|+ copy, creation, gather|100.0 %|100.00 %|100.0 %|0.0 %|0.0 %|5.91
		decode|nvlink4|matmul|17.4 %|93.24 %|43.4 %|32.0 %|24.7 %|12.92
		decode|nvlink4|+ attention|19.8 %|99.98 %|45.3 %|22.1 %|32.6 %|12.59
		decode|nvlink4|+ elementwise|74.7 %|100.00 %|41.2 %|19.6 %|39.2 %|13.85
		decode|nvlink4|+ norm, reduction, softmax|79.7 %|100.00 %|43.3 %|20.5 %|36.2 %|13.20
		\`aten._scaled_dot_product_flash_attention_for_cpu\`|32|2,220.5|2,147.5|73.32 %|host
		\`aten.mul\`|292|2.7|14,937.0|7.59 %|host
		\`aten.mm\`|225|30,739.1|26,288.8|6.62 %|accel
		\`aten.silu\`|32|0.9|3,758.1|3.19 %|host
		\`aten.add\`|196|0.9|5,235.7|2.86 %|host
		\`aten._to_copy\`|133|0.0|6,546.3|2.16 %|host
		\`aten.pow\`|65|0.5|4,362.1|1.44 %|host
		\`aten.clone\`|64|0.0|2,147.5|1.27 %|host
	EOF
}

# bats test_tags=SF-41
@test "the published accelerator stands on its page" {
	while IFS='|' read -r row; do
		has accel-results "$row"
	done <<-EOF
		slow consumer|1|0.8271|17.0%|0.6%|0.809|0.809|1
		slow consumer|2|0.8308|16.6%|0.1%|1.761|1.761|2
		slow consumer|4|0.8317|16.4%|0.0%|3.709|3.709|4
		slow consumer|8|0.8317|16.2%|0.0%|7.641|7.641|8
		slow consumer|16|0.8317|15.9%|0.0%|15.373|15.373|16
		bursty|1|0.5741|42.9%|42.5%|0.503|0.503|1
		bursty|2|0.6181|38.5%|38.1%|1.003|1.003|2
		bursty|4|0.7219|28.1%|27.7%|2.021|2.021|4
		bursty|8|0.9054|9.6%|9.3%|4.208|4.208|8
		bursty|16|0.9641|3.4%|3.4%|7.805|7.805|16
		export|15|14|14|2,802,304|104.44|3.3 %|78.5 %|45.2 %|off-chip memory
		onnx|17|14|14|2,802,304|99.96|3.5 %|78.5 %|45.0 %|off-chip memory
		off-chip memory|46.8 %|1.21 MB|45.2 %
		NoC read|59.8 %|0.78 MB|11.6 %
		NoC write|33.8 %|0.43 MB|6.4 %
		vector unit|3.0 %
		Buffer used, mean|5.1 %
		Buffer used, peak|9.5 %
		computing|6.64 us|6.4 %
		waiting: load bandwidth|62.49 us|59.8 %
		waiting: buffer full|0.00 us|0.0 %
		waiting: dependency|35.18 us|33.7 %
		store tail|0.12 us|0.1 %
		aten.convolution #4|16.98 us
		aten.convolution #0|15.06 us
		aten.convolution #8|14.26 us
		aten._native_batch_norm_legit_no_training #1|11.78 us
		aten.relu #2|10.74 us
		aten.max_pool2d_with_indices #3|9.46 us
		0.59 us|1.03 us|2
		1.03 us|1.81 us|0
		1.81 us|3.17 us|2
		3.17 us|5.54 us|3
		5.54 us|9.70 us|2
		9.70 us|16.98 us|5
		128|12.8|32x32|184|1,083.33|5.2 %|90.1 %|0.0 %|4.6 %|off-chip memory
		128|12.8|64x64|184|1,083.11|4.4 %|90.9 %|0.0 %|4.6 %|off-chip memory
		128|25.6|32x32|184|560.16|10.1 %|85.2 %|0.0 %|4.6 %|off-chip memory
		128|25.6|64x64|184|559.95|8.6 %|86.8 %|0.0 %|4.6 %|off-chip memory
		128|102.4|32x32|184|167.78|33.9 %|61.5 %|0.0 %|4.6 %|off-chip memory
		128|102.4|64x64|184|167.57|28.7 %|66.7 %|0.0 %|4.6 %|off-chip memory
		512|12.8|32x32|46|1,097.59|4.7 %|79.3 %|0.0 %|16.0 %|off-chip memory
		512|12.8|64x64|46|1,095.11|3.5 %|80.5 %|0.0 %|16.0 %|off-chip memory
		512|25.6|32x32|46|561.14|9.3 %|75.0 %|0.0 %|15.8 %|off-chip memory
		512|25.6|64x64|46|558.66|6.9 %|77.3 %|0.0 %|15.8 %|off-chip memory
		512|102.4|32x32|46|158.84|32.7 %|52.6 %|0.0 %|14.7 %|off-chip memory
		512|102.4|64x64|46|156.32|24.5 %|60.5 %|0.0 %|14.9 %|off-chip memory
		2048|12.8|32x32|17|1,345.73|3.8 %|63.7 %|0.0 %|32.5 %|off-chip memory
		2048|12.8|64x64|17|1,335.04|2.7 %|64.5 %|0.0 %|32.7 %|off-chip memory
		2048|25.6|32x32|17|693.57|7.4 %|61.0 %|0.0 %|31.6 %|off-chip memory
		2048|25.6|64x64|17|682.88|5.3 %|62.5 %|0.0 %|32.1 %|off-chip memory
		2048|102.4|32x32|17|204.45|24.9 %|47.6 %|0.0 %|27.4 %|off-chip memory
		2048|102.4|64x64|17|193.77|18.8 %|52.2 %|0.0 %|28.9 %|off-chip memory
		gpt2|export|128|edge-npu|815|1,051|51.837|0.62|31.0 %|56.4 %|1.09|off-chip memory
		gpt2|export|128|dc-npu|815|463|4.212|7.65|24.2 %|10.2 %|1.00|off-chip memory
		llama3-8b|dispatch|2048|dc-npu|3,557|17,991|1,613.057|20.42|62.5 %|9.4 %|1.13|compute array
		off-chip memory|56.6 %|748.23 MB|56.4 %
		NoC read|82.1 %|542.94 MB
		NoC write|31.2 %|205.29 MB
		Operators simulated|456
		Latency|51,837.32 us
		PE efficiency|98.1 %
		vector unit|2.6 %
		Buffer used, mean|50.6 %
		Buffer used, peak|93.8 %
		computing|17,410.90 us|33.6 %
		waiting: load bandwidth|27,716.38 us|53.5 %
		waiting: dependency|6,703.00 us|12.9 %
		aten.mm #813|8,053.18 us|15.5 %
		aten.addmm #613|537.21 us|1.0 %
		Conv, Gemm|4/17|4|13|140.4|36.35|3.04|15.19|54.59
		+ Relu, MaxPool|10/17|5|12|230.3|69.17|1.16|15.60|85.93
		+ BatchNormalization, ReduceMean|17/17|1|0|0.0|99.96|0.00|0.00|99.96
		CPUExecutionProvider|Reshape|1
	EOF
	row() { page accel-results | sed 's/ *| */|/g' | grep "^|$1|" |
		cut -d '|' -f "$2"; }
	equal "$(row tiny-llama 3,4,6,7)" '139|973,135|2,920,647|the same'
	equal "$(row 'gpt2|1,051' 3,4,6,7)" '1,051|51,837,348|155,520,753|the same'
	equal "$(row 'tiny-cnn' 3,4,6,7)" '14|104,439|313,449|the same'
	while IFS='|' read -r preset lanes chip rest; do
		has accel-results "$preset" "$lanes" "$chip"
		equal "$(row "$preset|$lanes" 5-8 |
			sed 's/ (in-transit stage)//g')" "$rest"
	done <<-EOF
		edge-npu|64|6,856.50 (9.0 %; off-chip memory)|21,208.89|9,043.77|6,463.29|6,463.29
		edge-npu|8|9,719.49 (50.6 %; vector unit)|21,294.90|9,129.78|6,549.30|6,549.30
		dc-npu|512|489.10 (15.7 %; off-chip memory)|1,407.21|628.65|463.50|463.50
		dc-npu|16|2,789.18 (88.1 %; vector unit)|1,502.45|723.88|558.73|558.73
	EOF
	page accel-results | grep -q '^ONNX Runtime ran all 15 nodes .* on CPUExecutionProvider,'
}

@test "every picture of a page is there, and the pipelines make it" {
	made pictures
	cd "$W"
	for page in results accel-results; do
		grep -oE '\]\(pictures/[^)]*' "$ROOT/docs/$page.md" | cut -c 3-
	done | sort >shown
	find pictures -type f | sort | diff shown -
	(cd "$ROOT/docs" && find pictures -type f | sort) | diff shown -
	while read -r picture; do
		for file in "$picture" "$ROOT/docs/$picture"; do
			equal "$(head -c 4 "$file" | tail -c 3)" PNG
			[ "$(wc -c <"$file")" -gt 10000 ]
		done
	done <shown
}
