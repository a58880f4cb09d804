# docs/api.md: its programs are built against an installed tree as the page says,
# and give the numbers of the pipeline.

load helpers
load recipe

setup_file() {
	[ -z "${SF_SANITIZED:-}" ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	make -s -C "$ROOT" install PREFIX="$PWD/at" >out 2>&1 ||
	    { cat out; return 1; }
	code c api.md >latency.c
	code cpp api.md >agree.cc
	# The page's own commands, with every warning an error.
	grep -E '^    (cc|c\+\+) ' "$ROOT/docs/api.md" >commands
	[ "$(wc -l <commands)" = 2 ]
	PKG_CONFIG_PATH=$PWD/at/lib/pkgconfig bash -ec "$(sed -E \
	    's/ -std=[^ ]*/& -Wall -Wextra -Wpedantic -Wshadow -Werror/' commands)"
}

setup() {
	[ -z "${SF_SANITIZED:-}" ] || skip "what is installed is another build"
	cd "$BATS_TEST_TMPDIR" || return
	PATH=$BATS_FILE_TMPDIR:$PATH
}

@test "the C program counts, lowers and simulates as the pipeline does" {
	for preset in edge-npu dc-npu; do
		{
			sf-onnx "$DATA/tiny-cnn.onnx"
			sf-model gpt2 --tokens 16 --route export
		} >traces
		run -0 --separate-stderr latency --preset $preset traces
		equal "$stderr" ""
		sf-rules traces | sf-lower --preset $preset | sf-sim >simulated
		jq -rs '[.[] | select(.kind == "op")] as $all |
		    reduce .[] as $r ([[]];
			if $r.kind == "end" then . + [[]]
			else .[-1] += [$r] end) | .[] | select(. != []) |
		    {flops: (map(.flops // 0) | add),
		     tiles: (map(select(.kind == "summary").tiles) | add),
		     s: (map(select(.kind == "summary").makespan_s) | add),
		     longest: (map(select(.sim != null).sim |
			.end_s - .start_s) | max)} |
		    [.flops, .tiles, .s, .longest] | @tsv' simulated |
		    awk '{ printf "%s FLOPs, %s tiles, %.9g s, longest %.9g s\n",
			$1, $2, $3, $4 }' >want
		[ "$(wc -l <want)" = 2 ]
		diff want <(echo "$output")
	done
}

@test "the C program takes a counted trace, too, and refuses what is none" {
	sf-onnx "$DATA/tiny-cnn.onnx" >raw
	sf-rules raw >counted
	equal "$(latency counted)" "$(latency raw)"
	sed '$d' raw >cut
	run -3 --separate-stderr latency cut
	one_line_error
	run -2 latency --preset none raw
	run -0 latency --help
	[[ $output == *"--preset P"* ]]
}

@test "the C++ program finds that two engines agree" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower --preset edge-npu >lowered
	run -0 --separate-stderr agree lowered
	equal "$stderr" ""
	equal "$output" "9.9959375e-05 s, both"
	run -3 --separate-stderr agree <(sf-onnx "$DATA/tiny-cnn.onnx")
	one_line_error
}

@test "every public header that the page names is there" {
	grep -oE '`[a-z-]+(/[a-z-]+)*\.h`' "$ROOT/docs/api.md" | tr -d '`' |
	    sort -u >named
	[ "$(wc -l <named)" -gt 15 ]
	while read -r header; do
		[ -e "$BATS_FILE_TMPDIR/at/include/simfront/$header" ] ||
		    { echo "not installed: $header"; false; }
	done <named
}
