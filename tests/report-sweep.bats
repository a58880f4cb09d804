# sf-report of a sweep: the fastest designs, and the picture of the front in a page.

load helpers

html() { "$ROOT/tests/page.py" "$@"; }

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >cnn
	sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:+10GB/s \
	    -g array_rows=8:64:x2 cnn >sweep
	sf-sweep --cost -g device=h100,l4 -g devices=1,2,4 cnn >costs
	sf-sweep -p edge-npu -g dataflow=os,ws -g cores=1,2 cnn >words
	sf-sweep -p edge-npu -g buffer_bytes=1KiB,1MiB \
	    -g tile_fraction=0.0001,0.5 cnn >some
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

@test "the fastest designs of a sweep are those of sf-front" {
	for in in sweep costs words some; do
		column=makespan_s
		[ $in != costs ] || column=total_s
		sf-report -f json $in >out
		sf-front --sort $column --top 10 $in |
		    jq -c --arg c $column 'select(.kind == "point") |
		        {i, time_s: .[$c], set}' >want
		jq -c '.sweep.top[]' out >got
		cmp got want
		jq -s -c --arg c $column '[.[] | select(.kind == "point")] |
		    (map(select(.refused | not))) as $run |
		    {run: ($run | length), refused: (length - ($run | length)),
		     fastest_s: ($run | map(.[$c]) | min),
		     slowest_s: ($run | map(.[$c]) | max)}' $in >want
		jq -c '.sweep | del(.top)' out >got
		cmp got want
		jq -e '(.sweep.top[0].i) as $i |
		    .answer.latency_s == .sweep.fastest_s and
		    (.answer.on | startswith("design \($i), the fastest of "))' out
	done
	equal "$(sf-report -f json -n 0 sweep | jq -c .sweep.top)" '[]'
	equal "$(sf-report -f json -n 2 sweep | jq -c '.sweep.top[].i' | paste -sd ' ')" '23 22'
	[ "$(sf-report -f json some | jq .sweep.refused)" -gt 0 ]
	# Of many only the best are held.
	sf-sweep --cost -g device=h100 -g op_overhead=0s:5us:n3000 cnn >many
	equal "$(sf-report -f json -n 3 many | jq -c '[.sweep.run,.sweep.top[].i]')" \
	    '[3000,0,1,2]'
}

@test "a report of a sweep has no times of operators, which it has none of" {
	sf-report sweep >out
	grep -qF '| Takes  | 46.93 us on design 23, the fastest of 24 from edge-npu |' out
	grep -qxE '\| +23 \| 46.93 us \| dram_bw 60 GB/s, array_rows 64 +\|' out
	grep -qx 'Designs are this one but for what they set.' out
	refute grep -q 'Nothing is simulated' out
	sf-report costs >out
	refute grep -q 'roofline, max' out
	grep -q '^### Device$' out
	equal "$(sf-report -f json costs | jq -c '.cost | keys')" '["device"]'
	sf-report -f csv costs >out
	refute grep -q ',cost,total_s,' out
	grep -q ',sweep.top.0.set,device,h100,$' out
	# What the operators are is not known from its points, and so not zero.
	for sweep in costs sweep; do
		sf-report "$sweep" >out
		refute grep -qE '[|] (Operators|FLOPs|Bytes|Rule|Folded|Dead) ' out
		refute grep -qF 'Nothing is counted' out
		equal "$(sf-report -f json "$sweep" |
		    jq -c '[.flops, .bytes, .weight_bytes, .coverage]')" \
		    '[null,null,null,null]'
	done
	# Other traces have no section on one.
	sf-report cnn >out
	refute grep -q '## Sweep' out
	equal "$(sf-report -f json cnn | jq -c .sweep)" null
	# One of which every design was refused.
	sf-sweep -p edge-npu -g tile_fraction=0.0001,0.0002 \
	    -g buffer_bytes=1KiB cnn >none
	equal "$(sf-report -f json none | jq -c '.sweep,.answer.latency_s')" \
	    '{"run":0,"refused":2,"fastest_s":null,"slowest_s":null,"top":[]}
null'
}

@test "a page of a sweep has the front, drawn by sf-plot, to the byte" {
	while read -r in columns; do
		sf-report $in >page.md
		sf-report -f html $in >page.html
		html tables page.html page.md
		if [ "$columns" = - ]; then
			equal "$(html pictures page.html none)" 0
			continue
		fi
		equal "$(html pictures page.html $in)" 1
		sf-plot -k front -c "$columns" -o want.svg $in
		cmp want.svg ${in}1.svg
	done <<-'END'
		sweep makespan_s,dram_bw,array_rows
		costs total_s,devices
		words makespan_s,cores
		some makespan_s,buffer_bytes,tile_fraction
	END
	# What a front was made by, of more columns the first three.
	sf-front -F dram_bw,makespan_s,-pe_efficiency,array_rows sweep >four
	sf-report -f html four >page.html
	equal "$(html pictures page.html four)" 1
	sf-plot -k front -c dram_bw,makespan_s,-pe_efficiency -o want.svg four
	cmp want.svg four1.svg
	# A front of one column is of two all the same.
	sf-front -F makespan_s sweep >one
	sf-report -f html one >page.html
	equal "$(html pictures page.html one)" 1
	# Nothing to draw: designs from a file, words alone, none that was run.
	sf-front --sort makespan_s -n 3 --format csv sweep |
	    cut -d, -f 2,3 >points.csv
	sf-sweep -p edge-npu --points points.csv cnn >file
	sf-sweep -p edge-npu -g dataflow=os,ws cnn >word
	sf-sweep -p edge-npu -g buffer_bytes=1KiB -g tile_fraction=0.0001 \
	    cnn >none
	for in in file word none; do
		sf-report -f html $in >page.html
		equal "$in $(html pictures page.html $in)" "$in 0"
	done
	# Beside other traces.
	sf-report -f html cnn sweep costs >page.html
	html shape page.html
	equal "$(html pictures page.html all)" 2
}

@test "a sweep that broke off has no page" {
	head -n 9 sweep >cut
	run -3 --separate-stderr sf-report -f html cut
	one_line_error
	equal "$output" ""
}
