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

@test "what cannot be meant is refused" {
	for args in '' 'a b' '-x a' '-p encode a'; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr "$ROOT/pipelines/sweep" $args
		one_line_error
	done
	run -4 --separate-stderr "$ROOT/pipelines/sweep" no/such/out.csv
}
