# pipelines/sweep: a table of rooflines that may be stopped, resumed and run
# beside itself.

load helpers

# sweep ARGS... - of a small grid, four cells, into `out.csv`.
sweep() {
	"$ROOT/pipelines/sweep" -m gpt2 -p decode -n 16 -d h100,a100 \
	    -M unfused,fused "$@" out.csv
}

# wrap PROGRAM SCRIPT - puts a program of that name before the others in a
# directory of its own, SF_BIN from then on.
wrap() {
	if [ ! -d bin ]; then
		mkdir bin
		for program in "$SF_BIN"/*; do
			ln -s "$program" bin/
		done
		REAL=$SF_BIN SF_BIN=$PWD/bin
		export REAL SF_BIN
	fi
	rm -f "bin/$1"
	printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

@test "each row is what the pipeline says of its cell" {
	run -0 --separate-stderr sweep
	equal "$output$stderr" ""
	equal "$(wc -l <out.csv)" 5
	equal "$(head -n 1 out.csv)" 'model,phase,length,device,memory,operators,flops,bytes,weight_bytes,total_s,compute_share,memory_share,roofline_s'
	equal "$(cut -d, -f 1-5 out.csv | tail -n +2)" \
	    'gpt2,decode,16,h100,unfused
gpt2,decode,16,h100,fused
gpt2,decode,16,a100,unfused
gpt2,decode,16,a100,fused'
	while IFS=, read -r model _ length device memory rest; do
		equal "$rest" "$(sf-model "$model" --decode "$length" |
		    sf-rules | sf-cost -d "$device" -m "$memory" |
		    sf-report -f csv | awk -F, '
			{ v[$5 "." $6] = $7 }
			END { print v["trace.ops"] "," v["trace.flops"] "," \
			    v["trace.bytes"] "," v["trace.weight_bytes"] "," \
			    v["cost.total_s"] "," v["cost.share.compute"] "," \
			    v["cost.share.memory"] "," \
			    v["cost.roofline.total_s"] }')"
	done < <(tail -n +2 out.csv)
	[ ! -e out.csv.cells ]
}

@test "the table does not depend on how many jobs make it" {
	sweep -j 1 -n 16,32 -p decode,prefill
	mv out.csv one.csv
	sweep -j 4 -n 16,32 -p decode,prefill
	equal "$(wc -l <one.csv)" 17
	cmp one.csv out.csv
}

# bats test_tags=SF-42
@test "a cell that fails is named, the others go on, the old table stays" {
	echo old >out.csv
	run -1 --separate-stderr sweep -d h100,nosuch
	equal "$output" ""
	equal "${#stderr_lines[@]}" 2
	[[ ${stderr_lines[0]} == "sweep: gpt2 decode 16 nosuch fused: sf-cost: no configuration 'nosuch'"* ]]
	[[ ${stderr_lines[1]} == "sweep: gpt2 decode 16 nosuch unfused: sf-cost:"* ]]
	equal "$(cat out.csv)" old
	[ -s out.csv.cells/gpt2,decode,16,h100,fused ]
	run -1 --separate-stderr sweep -m nosuch
	[[ ${stderr_lines[0]} == "sweep: nosuch decode 16 a100 fused: sf-model:"* ]]
	equal "${#stderr_lines[@]}" 4
}

# bats test_tags=SF-42
@test "a sweep that was stopped goes on where it was" {
	# The third roofline of all fails, once.
	wrap sf-cost 'n=$(cat '"$PWD"'/runs 2>/dev/null)
		echo $((n + 1)) >'"$PWD"'/runs
		[ "$n" != 2 ] || { echo "sf-cost: stopped" >&2; exit 4; }
		exec "$REAL/sf-cost" "$@"'
	run -1 --separate-stderr sweep -j 1
	equal "$stderr" "sweep: gpt2 decode 16 a100 unfused: sf-cost: stopped"
	equal "$(cat runs)" 4
	run -0 --separate-stderr sweep -j 1
	equal "$stderr" ""
	# One cell was left to do.
	equal "$(cat runs)" 5
	mv out.csv resumed.csv
	SF_BIN=$REAL sweep
	cmp resumed.csv out.csv
}

@test "a sweep that is killed takes its workers along, and is resumed" {
	# The first roofline says that it is there and stays.
	wrap sf-cost '[ -e '"$PWD"'/seen ] || { touch '"$PWD"'/seen
		exec sleep 60 3>&-; }
		exec "$REAL/sf-cost" "$@"'
	"$ROOT/pipelines/sweep" -m gpt2 -p decode -n 16 -d h100,a100 -j 1 \
	    out.csv 3>&- &
	for _ in $(seq 300); do
		[ ! -e seen ] || break
		sleep 0.1
	done
	[ -e seen ]
	kill $!
	wait $! || status=$?
	equal "$status" 143
	# The lock is free again: nobody is left.
	flock -w 10 out.csv.lock true
	[ ! -e out.csv ]
	SF_BIN=$REAL
	sweep
	equal "$(wc -l <out.csv)" 5
}

@test "other programs or configurations start it anew" {
	sweep -d h100,nosuch 2>err || true
	sed -i 's/.*/wrong/' out.csv.cells/gpt2*
	cp -r "$ROOT/configs" configs
	sed -i 's/989TFLOP/990TFLOP/' configs/devices/h100.json
	SIMFRONT_CONFIGS=$PWD/configs sweep
	refute grep -q wrong out.csv
}

@test "two sweeps are not at one file" {
	exec 8>out.csv.lock
	flock 8
	run -4 --separate-stderr sweep
	equal "$stderr" "sweep: out.csv.lock: another sweep is at it"
	[ ! -e out.csv ]
	exec 8>&-
	run -0 sweep
}

@test "a terminal shows how far it is, a file sees nothing of it" {
	script -qec true /dev/null >/dev/null 2>&1 ||
	    skip "no script(1), or no pseudo-terminals as in a bare chroot"
	# script(1) has the command run by whatever shell SHELL names; one of
	# them drops exported functions, so it is given plain words.
	for shell in /bin/sh /bin/bash; do
		SHELL=$shell run -0 script -qec "'$ROOT/pipelines/sweep' -m gpt2 \
		    -p decode -n 16 -d h100,a100 -M unfused,fused ${shell##*/}.csv" /dev/null
		[[ $output == *"sweep: 4 of 4 rows"* ]]
	done
	run -0 --separate-stderr sweep
	equal "$stderr" ""
}

@test "a model may be the path of a configuration" {
	cp "$ROOT/configs/models/gpt2.json" mine.json
	sweep
	sed -i 's,^gpt2,./mine.json,' out.csv
	mv out.csv want.csv
	sweep -m ./mine.json
	cmp want.csv out.csv
}

@test "names may have spaces and whatever else a file's name may have" {
	mkdir 'a dir' -- '-x'
	cp "$ROOT/configs/models/gpt2.json" 'a dir/my %2F*?[a] model.json'
	cp "$ROOT/configs/devices/h100.json" "a dir/it's \$HOME.json"
	sweep -m 'gpt2,./a dir/my %2F*?[a] model.json' \
	    -d "h100,./a dir/it's \$HOME.json" -M fused
	equal "$(cut -d, -f 1,4 out.csv | tail -n +2)" \
	    "gpt2,h100
gpt2,./a dir/it's \$HOME.json
./a dir/my %2F*?[a] model.json,h100
./a dir/my %2F*?[a] model.json,./a dir/it's \$HOME.json"
	equal "$(cut -d, -f 6- out.csv | tail -n +2 | sort -u | wc -l)" 1
	for to in 'a dir/one table.csv' "it's" '-x/t.csv' '-t.csv'; do
		run -0 --separate-stderr "$ROOT/pipelines/sweep" -m gpt2 \
		    -p decode -n 16 -d h100 -M fused -- "$to"
		equal "$output$stderr" ""
		cmp <(sed -n '1,2p' out.csv) "./$to"
	done
	# Nothing but the tables is left.
	equal "$(find . -name '*.cells' -o -name '*.lock' -o -name '*.new')" ""
}

@test "words that differ have rows that differ" {
	# As names of files all three could be "b:c" or "b/c".
	mkdir b
	for name in b/c.json b:c.json b%2Fc.json; do
		sed "s/989TFLOP/$((++n))TFLOP/" "$ROOT/configs/devices/h100.json" \
		    >"$name"
	done
	sweep -p prefill -d ./b/c.json,./b:c.json,./b%2Fc.json -M fused
	equal "$(cut -d, -f 10 out.csv | sort -u | wc -l)" 4
}

# bats test_tags=SF-42
@test "a disk that is full is status 1 or 4, with each cell, and no table" {
	mkdir small
	unshare -rm mount -t tmpfs none small 2>/dev/null ||
	    skip "no file system of one's own here"
	# Room for the key alone, for a row or two, for all rows but not the
	# table; then for all.
	for size in 4k 8k 16k 24k 1M; do
		run --separate-stderr unshare -rm bash -c '
			mount -t tmpfs -o size='$size' none small &&
			"$ROOT/pipelines/sweep" -m gpt2 -p decode -n 16 \
			    -d h100,a100 -j 1 small/o.csv
			status=$?
			[ $status -eq 0 ] || [ ! -e small/o.csv ] || status=99
			exit $status'
		echo "$size: $status $stderr"
		case $size in
		1M) [ "$status" -eq 0 ] ;;
		4k) [ "$status" -eq 4 ] || [ "$status" -eq 1 ] ;;
		*) [ "$status" -eq 1 ] ;;
		esac
		refute grep -q '^xargs\|line [0-9]' <<<"$stderr"
		[ "$status" -ne 1 ] ||
		    equal "$(grep -c '^sweep: gpt2 decode 16 [ah]100 .*fused: ' \
			<<<"$stderr")" "${#stderr_lines[@]}"
	done
}

@test "where nothing can be written it ends with status 4, in one line" {
	run -4 --separate-stderr "$ROOT/pipelines/sweep" -m gpt2 no/such/out.csv
	one_line_error
	# What is not a sweep's own is not removed.
	mkdir out.csv.cells
	: >out.csv.cells/mine
	run -4 --separate-stderr sweep
	one_line_error
	[ -e out.csv.cells/mine ]
	rm -r out.csv.cells
	echo old >out.csv
	mkdir out.csv.new
	run -4 --separate-stderr sweep
	equal "${stderr_lines[-1]}" 'sweep: out.csv.new: cannot be written'
	equal "$(cat out.csv)" old
}

@test "a device or a model by path that has changed starts it anew" {
	cp "$ROOT/configs/models/gpt2.json" "$ROOT/configs/devices/h100.json" .
	words=(-m ./gpt2.json -d './h100.json,nosuch' -M fused)
	while read -r file edit; do
		sweep "${words[@]}" 2>err || true
		sed -i 's/.*/wrong/' out.csv.cells/.%2Fgpt2.json,*h100.json,fused
		sed -i "$edit" "$file"
		sweep "${words[@]/,nosuch/}"
		refute grep -q wrong out.csv
	done <<-'EOF'
		h100.json s/989TFLOP/900TFLOP/
		gpt2.json s/"n_layer": 12/"n_layer": 11/
	EOF
}

@test "cron's few variables are enough, from anywhere, without a terminal" {
	sweep
	mv out.csv want.csv
	# One of the programs' directory, as a sweep by hand may name it.
	env -i PATH=/usr/bin:/bin HOME=/ SHELL=/bin/sh LOGNAME=x \
	    SF_BIN="$SF_BIN" /bin/sh -c 'cd / && exec setsid -w "$@"' - \
	    "$ROOT/pipelines/sweep" -m gpt2 -p decode -n 16 -d h100,a100 \
	    "$PWD/out.csv" </dev/null >said 2>&1
	equal "$(cat said)" ""
	cmp want.csv out.csv
}

@test "what cannot be meant is refused, before anything is written" {
	mkdir dir
	while IFS= read -r line; do
		eval "set -- $line"
		run -2 --separate-stderr "$ROOT/pipelines/sweep" "$@"
		echo "$line: $stderr"
		one_line_error
	done <<-'END'

		''
		a b
		-x a
		dir
		dir/
		-p encode a
		-p 'prefill decode' a
		-p '' a
		-p prefill, a
		-m '' a
		-m gpt2,,gpt2 a
		-m gpt2,gpt2 a
		-m 'say "gpt2"' a
		-m $'gpt2\nllama3-8b' a
		-n '' a
		-n 0 a
		-n -1 a
		-n 1e3 a
		-n 16,16 a
		-d ,h100 a
		-d h100,b200,h100 a
		-M both a
		-M fused,fused a
		-j 0 a
		-j x a
		-j 1,2 a
	END
	equal "$(find . -type f ! -name 'separate-stderr*')" ""
}

@test "nothing is written through a link that was left under one of its names" {
	for name in out.csv.lock out.csv.new out.csv.cells; do
		echo precious >precious
		ln -s precious "$name"
		run -4 --separate-stderr sweep
		equal "$stderr" "sweep: $name: is a symbolic link, expected none"
		equal "$(cat precious)" precious
		rm "$name"
	done
}

@test "the night has decoders and ONNX models, accelerators and devices" {
	cp "$DATA/tiny-cnn.onnx" mine.onnx
	run -0 --separate-stderr "$ROOT/pipelines/sweep-night" -j 2 \
	    -x mine.onnx night
	equal "$output$stderr" ""
	for name in {gpt2,llama3-8b}.{prefill,decode} tiny-cnn mine; do
		for target in edge-npu dc-npu devices; do
			[ "$(tail -n 1 "night/$name.$target.sft" |
			    jq .points)" -ge 96 ]
			[ "$(wc -l <"night/$name.$target.front.md")" -gt 2 ]
		done
	done
	# What is there is not run again; what is missing is.
	cp night/mine.devices.sft want
	touch -d '1 hour ago' night/*.sft
	rm night/mine.devices.sft
	"$ROOT/pipelines/sweep-night" -j 2 -x mine.onnx night
	cmp want night/mine.devices.sft
	equal "$(find night -name '*.sft' -mmin -30)" night/mine.devices.sft
	run -2 "$ROOT/pipelines/sweep-night"
	run -2 "$ROOT/pipelines/sweep-night" -j 0 night
}
