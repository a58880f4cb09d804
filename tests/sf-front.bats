# sf-front: the best points, by an oracle that compares all with all.

load helpers

points() { grep '^{"kind":"point"' "$@"; }

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	sf-model gpt2 --tokens 16 | sf-rules >in
	sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:+5GB/s \
	    -g array_rows=8:64:x2 -g vector_lanes=16,64 \
	    -c area=array_rows*array_cols+vector_lanes in >whole
	export WHOLE=$BATS_FILE_TMPDIR/whole
}

# Indices of the front of the columns, which are jq's, less being better.
front_by_jq() { # COLUMNS
	points "$WHOLE" | jq -s -r "map({i, v: [$1]}) as \$all | \$all[] as \$p |
	    select(all(\$all[]; . as \$q |
		((all(range(\$p.v | length); \$q.v[.] <= \$p.v[.])) and
		 ((any(range(\$p.v | length); \$q.v[.] < \$p.v[.])) or
		  \$q.i < \$p.i)) | not)) | \$p.i"
}

@test "the front is what comparing all with all finds" {
	for columns in makespan_s,area:.makespan_s,.area \
	    'makespan_s,array_rows*vector_lanes:.makespan_s,.set.array_rows*.set.vector_lanes' \
	    makespan_s,-pe_efficiency,area:.makespan_s,-.pe_efficiency,.area \
	    -stalls_s.compute,busy.dram:-.stalls_s.compute,.busy.dram \
	    tiles:.tiles; do
		front_by_jq "${columns#*:}" >want
		[ -s want ]
		sf-front --front="${columns%%:*}" "$WHOLE" | points |
		    jq .i | cmp - want
	done
}

# bats test_tags=SF-46
@test "the front inside a sweep, of shares, and of fronts is one" {
	cp "$BATS_FILE_TMPDIR/in" .
	go() { sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:+5GB/s \
	    -g array_rows=8:64:x2 -g vector_lanes=16,64 "$@" in; }
	sf-front --front makespan_s,array_rows "$WHOLE" | points |
	    sed 's/,"area":[0-9]*//' >want
	go --front makespan_s,array_rows | points | cmp - want
	for i in 1 2 3; do
		go --shard $i/3 >s.$i
		go --shard $i/3 --front makespan_s,array_rows >f.$i
	done
	cat s.* | sf-front --front makespan_s,array_rows | points | cmp - want
	sf-front --front makespan_s,array_rows f.* | points | cmp - want
	sf-front --front makespan_s,array_rows f.* |
	    sf-front --front makespan_s,array_rows | points | cmp - want
	sf-front --front makespan_s,array_rows f.* |
	    "$ROOT/tests/law.py" --strict /dev/stdin
	equal "$(go --front makespan_s,array_rows | grep '"sf-sweep"' |
	    jq -c .front)" '["makespan_s","array_rows"]'
}

@test "points are sorted, and the first are kept" {
	sf-front --sort makespan_s "$WHOLE" | points | jq .makespan_s >all
	sort -g all | cmp all -
	equal "$(wc -l <all)" 88
	sf-front --sort makespan_s --top 5 "$WHOLE" >five
	points five | jq .makespan_s | cmp - <(head -n 5 all)
	equal "$(tail -n 1 five)" \
	    '{"kind":"end","ops":0,"points":5,"dropped":83}'
	sf-front --sort -dram_bw/makespan_s --top 1 "$WHOLE" | points |
	    jq .i | cmp - <(points "$WHOLE" |
		jq -s 'max_by(.set.dram_bw / .makespan_s).i')
	# Other traces are other fronts.
	sf-model gpt2 --tokens 17 | sf-rules |
	    sf-sweep -p edge-npu -g dram_bw=10GB/s,20GB/s >other
	sf-front --sort makespan_s --top 2 "$WHOLE" other "$WHOLE" >out
	equal "$(grep -c '"kind":"trace"' out)" 3
	equal "$(points out | wc -l)" 6
}

@test "CSV and Markdown say what the records say" {
	sf-front --sort i --format csv "$WHOLE" >table
	equal "$(head -n 1 table | cut -d, -f 1-7)" \
	    i,dram_bw,array_rows,vector_lanes,tiles,macs,makespan_s
	equal "$(awk -F, '{ for (i = 1; i <= NF; i++) if ($i == "buffer.peak")
	    k = i } NR > 1 { print $k }' table)" \
	    "$(points "$WHOLE" | jq .buffer.peak)"
	sf-front --front makespan_s,area --format md "$WHOLE" >md
	equal "$(sed -n 1p md)" \
	    '| i | dram_bw | array_rows | vector_lanes | makespan_s | area |'
	equal "$(($(wc -l <md) - 2))" \
	    "$(sf-front --front makespan_s,area "$WHOLE" | points | wc -l)"
}

@test "shares that are not whole are refused by name" {
	cp "$BATS_FILE_TMPDIR/in" .
	for i in 1 2 3; do
		sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:+5GB/s \
		    --shard $i/3 -o s.$i in
	done
	all_refuses() { # TEXT FILES...
		local text=$1
		shift
		run -3 --separate-stderr sf-front --all "$@"
		equal "${#stderr_lines[@]}" 1
		[[ $stderr == *"$text"* ]] || { echo "$stderr"; return 1; }
	}
	sf-front --all s.* >ok
	"$ROOT/tests/law.py" --strict ok
	all_refuses 'share 2/3 is missing' s.1 s.3
	all_refuses 'share 3/3 is there twice' s.1 s.2 s.3 s.3
	sed '$d' s.2 >bad
	all_refuses 'bad:10: the input ends inside a trace' s.1 bad s.3
	grep -v '"i":4,' s.2 >bad
	cmp -s bad s.2 || all_refuses 'the trace is not whole' s.1 bad s.3
	sed 's/"version":"0/"version":"9/' s.2 >bad
	all_refuses 'bad: its head differs' s.1 bad s.3
	sed 's/"shard":"2/"shard":"3/' s.3 >bad
	all_refuses 'is there twice' s.1 s.2 bad s.3
	i=$(points s.1 | head -n 1 | jq .i)
	sed "s/\"i\":[0-9]*/\"i\":$i/; " s.2 >bad
	all_refuses "point $i is there twice" s.1 bad s.3
	equal "$(sf-front --all --traces 3 s.* | points)" "$(points ok)"
	run -3 --separate-stderr sf-front --all --traces 2 s.*
	[[ $stderr == *"3 traces in the input, expected the 2 of '--traces'" ]]
	run -2 sf-front --all --top 3 s.1
	run -2 sf-front s.1
	run -2 sf-front --sort a,b s.1
	run -3 --separate-stderr sf-front --front nosuch s.1
	[[ $stderr == *"has no number 'nosuch'"* ]]
	run -3 sf-front --front ops in
}
