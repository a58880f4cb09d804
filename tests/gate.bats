# pipelines/gate: it passes on the tree, and it fails when it should.

load helpers

gate() { "$ROOT/pipelines/gate" "$@"; }

# golden NAME... - a directory `golden` of the named captures alone.
golden() {
	local name
	mkdir -p golden
	head -n 1 "$DATA/golden/MANIFEST.tsv" >golden/MANIFEST.tsv
	for name; do
		grep "^$name	" "$DATA/golden/MANIFEST.tsv" >>golden/MANIFEST.tsv
		mkdir -p "golden/$(dirname "$name")"
		cp "$DATA/golden/$name" "golden/$name"
	done
}

gpt2=gpt2/dispatch-meta-prefill-256.jsonl.gz

# edit SCRIPT - changes that capture.
edit() {
	gzip -dc "$DATA/golden/$gpt2" | sed "$1" | gzip >"golden/$gpt2"
}

# recount - writes the manifest's counts anew, as if nothing had happened.
recount() {
	sf-rules "golden/$gpt2" | sf-report -f json |
	    jq -r '[.ops, .op_types, .flops, .bytes, .weight_bytes] | @tsv' >counts
	paste <(tail -n 1 golden/MANIFEST.tsv | cut -f 1-8) counts >row
	sed -i '$d' golden/MANIFEST.tsv
	cat row >>golden/MANIFEST.tsv
}

# bats test_tags=SF-39
@test "the arithmetic of the tree passes, to the last operator and byte" {
	run -0 gate -s arithmetic
	equal "${#lines[@]}" 2
	[[ ${lines[0]} == "arithmetic: "*" captures have their counts" ]]
	[[ ${lines[1]} == "arithmetic: "*" traces of sf-model have that of their captures" ]]
	[ "$(tr -dc 0-9 <<<"${lines[1]}")" -gt 50 ]
}

# bats test_tags=SF-39
@test "counts that are not the manifest's fail, each of them" {
	golden "$gpt2"
	run -0 gate -g golden arithmetic
	for column in 9 10 11 12 13; do
		awk -v OFS='\t' -v c=$column \
		    'NR == 2 { $c++ } { print }' golden/MANIFEST.tsv >edited
		mkdir -p "wrong$column"
		cp -r golden/gpt2 "wrong$column"
		mv edited "wrong$column/MANIFEST.tsv"
		run -1 gate -g "wrong$column" arithmetic
		[[ $output == *"counts of golden captures"*"< $gpt2"*"> $gpt2"* ]]
	done
}

# bats test_tags=SF-39
@test "a model whose arithmetic is not the capture's fails, with the operator" {
	golden "$gpt2"
	# A matmul is gone from the capture, and the manifest does not mind.
	edit '0,/"aten.addmm"/s//"aten.view"/'
	recount
	run -1 gate -g golden arithmetic
	[[ $output == *"$gpt2: sf-model gpt2 --batch 1"* ]]
	[[ $output == *"the arithmetic differs"*"aten.addmm "*"does not have the arithmetic"* ]]
}

@test "drift is reported, and fails under -s" {
	golden "$gpt2"
	# One clone is named as a view: no FLOPs, fewer bytes.
	edit '0,/"aten.clone"/s//"aten.view"/;0,/"aten._to_copy"/s//"aten.view"/'
	recount
	run -0 gate -g golden arithmetic
	[[ $output == *"the same arithmetic, other operators"* ]]
	run -1 gate -s -g golden arithmetic
}

@test "a capture that is damaged or gone fails" {
	golden "$gpt2"
	gzip -dc "$DATA/golden/$gpt2" | head -n 100 | gzip >"golden/$gpt2"
	run -1 gate -g golden arithmetic
	rm "golden/$gpt2"
	run -1 gate -g golden arithmetic
	head -n 1 "$DATA/golden/MANIFEST.tsv" >golden/MANIFEST.tsv
	run -1 gate -g golden arithmetic
	[[ $output == *"names no capture"* ]]
}

# bats test_tags=SF-39
@test "a program that miscounts fails" {
	golden "$gpt2"
	# The last layer's projection counts one FLOP more.
	mkdir bin
	for program in "$SF_BIN"/*; do ln -s "$program" bin/; done
	rm bin/sf-rules
	cat >bin/sf-rules <<-EOF
		#!/bin/bash
		set -o pipefail
		"$SF_BIN/sf-rules" "\$@" | sed '0,/"flops":100663296,/s//"flops":100663297,/'
	EOF
	chmod +x bin/sf-rules
	"$SF_BIN/sf-rules" "$DATA/golden/$gpt2" | grep '"aten.addmm"' |
	    sed 's/.*"flops":\([0-9]*\),.*/\1/' | head -n 1 >flops
	sed -i "s/100663296/$(cat flops)/; s/100663297/$(($(cat flops) + 1))/" \
	    bin/sf-rules
	SF_BIN=$PWD/bin run -1 gate -g golden arithmetic
	[[ $output == *"counts of golden captures"* ]]
}

# bats test_tags=SF-40
@test "a pipeline above its limit fails, one below passes" {
	echo '1000 sf-rules <traces' >limits
	run -0 gate -l limits speed
	[[ $output == "speed: "*" of the yardstick (at most 1000): sf-rules <traces" ]]
	printf '# a comment\n0 sf-rules <traces\n1000 true\n' >limits
	run -1 gate -l limits speed
	[[ ${lines[0]} == "gate: speed: "*" at most 0: sf-rules <traces" ]]
	[[ ${lines[1]} == "speed: "*"true" ]]
}

@test "a pipeline that fails is not fast" {
	echo '1000 sf-rules --no-such-option <traces' >limits
	run -1 gate -l limits speed
	[[ $output == *"'sf-rules --no-such-option <traces' failed"* ]]
}

# bats test_tags=SF-40
# bats test_tags=SF-40
@test "limits that would hold whatever happens are refused" {
	while read -r line; do
		printf '0.5 true\n%b\n' "$line" >limits
		run -2 --separate-stderr gate -l limits speed
		echo "$line: $stderr"
		[[ $stderr == "gate: limits:2: found '"*"', expected a number and a command" ]]
		equal "$output" ""
	done <<-'EOF'

		abc true
		-1 true
		1e3 true
		inf true
		0.5
		0.5\t
		true
		. true
	EOF
	for none in '' '# 0.5 true\n'; do
		# shellcheck disable=SC2059 # a format
		printf "$none" >limits
		run -1 gate -l limits speed
		equal "$output" "gate: speed: $PWD/limits has no limit"
	done
}

@test "files that are not there are status 4, in one line" {
	run -4 --separate-stderr gate -l nosuch speed
	one_line_error
	run -4 --separate-stderr gate -g nosuch arithmetic
	one_line_error
	TMPDIR=$PWD/nosuch run -4 --separate-stderr gate speed
	equal "${stderr_lines[-1]}" 'gate: no directory to work in'
}

# bats test_tags=SF-40
@test "the limits of the tree are for commands that work" {
	sf-model gpt2 --tokens 16 >traces
	grep -v '^#' "$ROOT/pipelines/gate.limits" >limits
	[ "$(wc -l <limits)" -ge 4 ]
	while read -r limit command; do
		awk "BEGIN { exit !($limit > 0) }"
		run -0 --separate-stderr bash -o pipefail -c "$command"
		[ -n "$output" ]
	done <limits
}

@test "what cannot be meant is refused" {
	for args in -x fast 'speed speed'; do
		# shellcheck disable=SC2086 # several words
		run -2 gate $args
	done
}
