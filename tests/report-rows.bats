# sf-report --by: a row for each operator, node, module or type. Sums are held
# against the report of the whole trace, and modules against names by hand.

load helpers

# tensor TID [MORE] - two rows of four.
tensor() {
	printf '{"tid":"%s","shape":[2,4],"dtype":"f32","itemsize":4%s}' \
	    "$1" "${2:-}"
}

# op I NAME NODE INPUTS OUTPUT [MORE] - an operator that is not counted.
op() {
	printf '{"kind":"op","i":%d,"name":"%s"%s,"inputs":[%s],"outputs":[%s]%s}' \
	    "$1" "$2" "${3:+,\"node\":\"$3\"}" "$4" "$5" "${6:-}"
}

# counts CATEGORY FLOPS READ WRITTEN
counts() {
	printf ',"category":"%s","flops":%s,"bytes_read":%s,"bytes_written":%s,"weight_bytes":0' "$@"
}

# column NAME - of the CSV on standard input, without its head.
column() {
	awk -F, -v name="$1" 'NR == 1 {
		for (i = 1; i <= NF; i++)
			if ($i == name)
				at = i
		next
	}
	{ print $at }'
}

# layers - two layers, a parameter that is read through a view, and operators
# that say nothing of where they belong.
layers() {
	local w=',"param":true'
	trace "$(op 0 aten.embedding '' "$(tensor m.embed.weight "$w"),$(tensor ids)" "$(tensor t0)")" \
	    "$(op 1 aten.pow '' "$(tensor t0)" "$(tensor t1)")" \
	    "$(op 2 aten.t '' "$(tensor m.layers.0.mlp.up.weight "$w")" "$(tensor t2 "$w")")" \
	    "$(op 3 aten.mm '' "$(tensor t1),$(tensor t2 "$w")" "$(tensor t3)")" \
	    "$(op 4 aten.relu '' "$(tensor t3)" "$(tensor t4)")" \
	    "$(op 5 aten.mm '' "$(tensor t4),$(tensor m.layers.0.mlp.down.weight "$w")" "$(tensor t5)")" \
	    "$(op 6 aten.add '' "$(tensor t5),$(tensor t0)" "$(tensor t6)")" \
	    "$(op 7 aten.mm '' "$(tensor t6),$(tensor m.layers.1.mlp.up.weight "$w")" "$(tensor t7)")" \
	    "$(op 8 aten.mul '' "$(tensor t7),$(tensor t7)" "$(tensor t8)")"
}

@test "a module is that of the parameter, and between two what both share" {
	layers >in
	sf-report --by op --format csv in >out
	equal "$(column module <out | paste -sd ' ')" \
	    'm.embed m m.layers.0.mlp.up m.layers.0.mlp.up m.layers.0.mlp m.layers.0.mlp.down m.layers m.layers.1.mlp.up '
	# Nobody behind the last one shares anything with it.
	equal "$(sf-report --by op --format json in | jq -r '.rows[8].module')" ''
}

@test "a node's name up to its last stroke is its module, before its parameters'" {
	local w=',"param":true'
	trace "$(op 0 onnx.Conv /a/b.0/Conv "$(tensor x.y.weight "$w")" "$(tensor t0)")" \
	    "$(op 1 onnx.Relu Relu_7 "$(tensor t0)" "$(tensor t1)")" \
	    "$(op 2 onnx.Conv a//b.0/c/Conv_1 "$(tensor t1)" "$(tensor t2)")" >in
	sf-report --by op --format csv in >out
	equal "$(column module <out | paste -sd ' ')" 'a.b.0 a.b.0 a.b.0.c'
	equal "$(column node <out | paste -sd ' ')" '/a/b.0/Conv Relu_7 a//b.0/c/Conv_1'
}

@test "what the source says of a module goes before all names" {
	local w=',"param":true'
	trace "$(op 0 onnx.Conv /a/Conv "$(tensor x.y.weight "$w")" "$(tensor t0)" ',"module":"net.0.conv"')" \
	    "$(op 1 aten.relu '' "$(tensor t0)" "$(tensor t1)")" \
	    "$(op 2 aten.mm '' "$(tensor t1),$(tensor p.q "$w")" "$(tensor t2)" ',"module":"net.0"')" >in
	sf-report --by op --format csv in >out
	equal "$(column module <out | paste -sd ' ')" 'net.0.conv net.0 net.0'
	equal "$(sf-report --by module --depth 1 --format json in |
	    jq -c '[.rows[]|[.module,.calls]]')" '[["net",3]]'
}

@test "--depth tells modules by the first parts of their names" {
	layers >in
	equal "$(sf-report --by module --depth 3 --format json in |
	    jq -c '[.rows[]|[.module,.calls]]')" \
	    '[["m.embed",1],["m",1],["m.layers.0",4],["m.layers",1],["m.layers.1",1],["",1]]'
	equal "$(sf-report --by module --depth 1 --format json in |
	    jq -c '[.rows[]|[.module,.calls]]')" '[["m",8],["",1]]'
	run -2 --separate-stderr sf-report --by op --depth 2 in
	equal "$stderr" 'sf-report: --depth needs --by module'
}

@test "what the operators of a row do not share is empty" {
	layers >in
	equal "$(sf-report --by type --format json in |
	    jq -c '.rows[]|select(.type=="aten.mm")|[.i,.calls,.node,.module,.inputs,.dtype]')" \
	    '[3,3,"","","2x4:f32 2x4:f32","f32"]'
}

@test "shapes are told with unknown sizes, scalars and absent tensors" {
	trace '{"kind":"op","i":0,"name":"onnx.X","inputs":[{"tid":"a","shape":["n",3,null],"dtype":"f32","itemsize":4},null,{"tid":"b","shape":[],"dtype":"i64","itemsize":8},{"tid":"c","shape":null,"dtype":null}],"outputs":[{"tid":"d","shape":[0,2],"dtype":"b8","itemsize":1}],"unresolved":"why"}' >in
	sf-report --by op --format json in >out
	equal "$(jq -r '.rows[0].inputs' out)" 'nx3x?:f32 - scalar:i64 ?:?'
	equal "$(jq -r '.rows[0].outputs' out)" '0x2:b8'
	equal "$(jq -r '.rows[0].node' out)" 'd'
}

@test "rows are the operators, the largest first with --top, and sum to the trace" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-cost --device h100 >in
	sf-report --format json in >whole
	for by in op node module type; do
		sf-report --by $by --format json in >rows
		jq -e -s '.[0] as $r | .[1] as $w |
		    ($r.rows | map(.calls) | add) == $w.ops and
		    ($r.rows | map(.flops) | add) == $w.flops and
		    ($r.rows | map(.bytes_read + .bytes_written) | add) == $w.bytes and
		    ($r.rows | map(.share) | add - 1 | fabs) < 1e-9 and
		    (($r.rows | map(.time_s + .transfer_s) | add) / $w.cost.total_s - 1 | fabs) < 1e-9' \
		    rows whole
		sf-report --by $by --top 3 --format json in >top
		jq -e -s '.[1].rows == (.[0].rows | sort_by(-.share, .i) | .[:3])' rows top
	done
}

@test "what operators add to a run sums to its latency" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower --preset edge-npu | sf-sim >in
	sf-report --format json in >whole
	sf-report --by module --format json in >rows
	jq -e -s '.[0] as $r | .[1] as $w |
	    (($r.rows | map(.added_s // 0) | add) / $w.sim.makespan_s - 1 | fabs) < 1e-9 and
	    ($r.rows | map(.tiled_bytes // 0) | add) == $w.sim.tiled_bytes and
	    ($r.rows | map(.tiles // 0) | add) == $w.sim.tiles' rows whole
}

@test "the parts of the latency that rows have sum to it" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower --preset edge-npu | sf-sim >in
	grep '"kind":"summary"' in >summary
	for by in op node module type; do
		sf-report --by $by --format json in >rows
		jq -e -s '.[0].rows as $r | .[1] as $s |
		    all($s.stalls_s | to_entries[]; .key as $k | .value as $v |
		        ($r | map(.[$k + "_s"] // 0) | add) - $v | fabs < 1e-12) and
		    ($r | map(.store_tail_s // 0) | map(select(. > 0)) | length) == 1' \
		    rows summary
	done
	sf-report --by op --format json in | jq -e '.rows | last | .store_tail_s > 0'
	run -0 sf-report --by type --top 1 in
	equal "$(sed -n 5p <<<"$output" | tr -s ' ')" \
	    '| Calls | Type | Category | MFLOP | kB | Adds | Computes | Loads | Buffer full | Depends | Tail | Bound | Share |'
	# A trace of a time before there were any.
	sed 's/,"stalls_s":{"compute":[^}]*"dependency":[0-9.e-]*}}/}/' in >old
	equal "$(sf-report --by op --format csv old | column compute_s | tr -d '\n')" ''
	run -0 sf-report --by type --top 1 old
	[[ $output != *Computes* ]]
}

@test "CSV and JSON have the same columns and values" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower --preset edge-npu | sf-sim >in
	sf-report --by op --format json in |
	    jq -r '(.rows[0]|keys_unsorted), (.rows[]|[.[]|if . == null then "" else tostring end]) | join(",")' >json
	sf-report --by op --format csv in | cut -d, -f5- >csv
	# Numbers have one spelling in both, as jq 1.7 and later keep theirs.
	sed 's/[0-9]\{1,\}\.[0-9e-]*/N/g; s/[0-9]e-[0-9]*/N/g' json >json.plain
	sed 's/[0-9]\{1,\}\.[0-9e-]*/N/g; s/[0-9]e-[0-9]*/N/g' csv >csv.plain
	cmp json.plain csv.plain
}

@test "several traces have one head in CSV and one object each in JSON" {
	layers >one
	cat one one >in
	equal "$(sf-report --by op --format csv in | grep -c ^trace,)" 1
	equal "$(sf-report --by op --format csv in | column trace | sort -u | paste -sd ' ')" '1 2'
	equal "$(sf-report --by type --format json in | jq -s length)" 2
}

@test "a table names the stage's figures and sums those that it leaves out" {
	trace "$(op 0 a.x '' '' "$(tensor t0)" "$(counts matmul 300 20 20)")" \
	    "$(op 1 a.y '' '' "$(tensor t1)" "$(counts copy 0 10 30)")" \
	    "$(op 2 a.z '' '' "$(tensor t2)" "$(counts copy 100 5 5)")" >in
	run -0 sf-report --by op --top 1 in
	equal "${lines[0]}" '# test by op'
	equal "$(tail -n +3 <<<"$output" | sed 's/  */ /g')" \
	    "Route export.

| Op | Node | Type | Result | FLOP | B | Share |
| --: | :------- | :--- | :------ | ---: | --: | -----: |
| 0 | t0 | a.x | 2x4:f32 | 300 | 40 | 75.0 % |
| | (2 more) | | | 100 | 50 | 25.0 % |"
}

@test "the sections of memory do not go with rows" {
	layers >in
	for more in --footprint --memory=1GB --strict --format=scalesim; do
		run -2 --separate-stderr sf-report --by op "$more" in
		one_line_error
	done
}
