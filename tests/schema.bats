# The schema of the records: what every filter writes keeps it, and it refuses
# what the law refuses. law.py checks the order of records besides.

load helpers

law() { "$ROOT/tests/law.py" "$@"; }

# What the stages write for the model of the tree, one file a stage.
pipeline() { # ARGUMENTS-OF-SF-LOWER...
	sf-onnx "$DATA/tiny-cnn.onnx" >traced
	sf-rules <traced >counted
	sf-lower "$@" <counted >lowered
	sf-sim <lowered >simulated
	sf-sim --tiles <lowered >tiled
}

@test "each stage of the pipeline keeps the law" {
	pipeline --preset edge-npu
	law --strict traced counted lowered simulated tiled
	# The members are there for the schema to look at.
	[ "$(grep -c '"weight_bytes":' counted)" -gt 0 ]
	[ "$(grep -c '"lower":' lowered)" -gt 0 ]
	[ "$(grep -c '^{"kind":"accel"' lowered)" = 1 ]
	[ "$(grep -c '"sim":' simulated)" -gt 0 ]
	[ "$(grep -c '^{"kind":"summary"' simulated)" = 1 ]
	[ "$(grep -c '^{"kind":"tile"' tiled)" = 14 ]
}

@test "the other preset, whole cycles and an in-transit stage keep it, too" {
	pipeline --preset dc-npu
	law --strict tiled
	pipeline --preset edge-npu --quantise
	law --strict tiled
	pipeline --preset edge-npu --set buffer_bytes=16KiB
	law --strict tiled
	pipeline --preset edge-npu --set transit_ops_per_byte=4 \
	    --set transit_categories=elementwise
	law --strict tiled
}

@test "sf-rules --why and a rules file keep it" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules --why >out
	law --strict out
	[ "$(grep -c '"why":' out)" -gt 0 ]
}

@test "models of the shared data keep it, with their unknowns named" {
	need_shared
	files=("$SF_SHARED"/data/onnx/models/*.onnx)
	for model in "${files[@]}"; do
		[ "$(wc -c <"$model")" -lt 400000 ] || continue
		echo "$model"
		status=0
		sf-onnx "$model" >traced 2>err || status=$?
		[ "$status" = 0 ] || continue
		sf-rules <traced | sf-lower --preset edge-npu |
		    sf-sim >"${model##*/}.out"
	done
	law --strict ./*.out
}

@test "costs keep it" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >counted
	sf-cost --device h100 counted >roofline
	sf-cost --offload optical --link pcie5 --supports matmul counted >offload
	law --strict roofline offload
	[ "$(grep -c '"cost":' offload)" = 17 ]
}

@test "wrong devices and costs are refused" {
	edits "$(sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-cost --offload optical --link pcie5 --supports matmul |
	    grep '^{"kind":"device"')" \
	    's/"offload"/"other"/' 's/"name":"optical",//' \
	    's/"flops_eff":0.4/"flops_eff":0/' 's/"unfused"/"some"/' \
	    's/"devices":1/"devices":0/' 's/"latency_s":5e-06/"latency":5e-06/' \
	    's/,"supports":"matmul"//' 's/"host":{/"hots":{/'
	edits '{"kind":"op","i":0,"name":"x","inputs":[],"outputs":[],"category":"copy","flops":0,"bytes_read":0,"bytes_written":0,"weight_bytes":0,"cost":{"time_s":0,"bound":"free","unit":"none","transfer_s":0}}' \
	    's/"time_s":0/"time_s":-1/' 's/"free"/"none"/' 's/"none"/"gpu"/' \
	    's/,"transfer_s":0//' 's/{"time_s".*}/1}/' 's/"category".*"cost"/"cost"/'
}

@test "partitions keep it, and wrong ones are refused" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >counted
	sf-ep --claim Conv,Gemm,Softmax counted >split
	sf-ep --claim Conv --by-node --set tile_fraction=0.5 counted >by-node
	law --strict split by-node
	[ "$(grep -c '"ep":' split)" = 17 ]
	edits "$(grep '^{"kind":"partition"' split)" \
	    's/"claim":\["Conv"/"claim":[7/' 's/"matmul"/"gemm"/' \
	    's/"engine":"fast"/"engine":"slow"/' 's/"settings":\[\],//' \
	    's/"host":{"name":"host",/"host":{/' 's/"latency_s":1e-06/"latency":0/' \
	    's/"claimed":4/"claimed":-1/' 's/"tiles":4/"tiles":4.5/' \
	    's/"link_s":/"links":/' 's/"cut_edges":6,//'
	edits '{"kind":"op","i":0,"name":"x","inputs":[],"outputs":[],"category":"copy","flops":0,"bytes_read":0,"bytes_written":0,"weight_bytes":0,"ep":{"side":"device","subgraph":0,"crossings":1,"crossing_bytes":4}}' \
	    's/"device"/"accel"/' 's/"subgraph":0/"subgraph":null/' \
	    's/"crossings":1,//' 's/"crossing_bytes":4/"crossing_bytes":-4/' \
	    's/"category".*"ep"/"ep"/'
}

@test "the records of the page are what the page says" {
	grep '^    {"kind"' "$ROOT/formats/simfront-trace-1.md" | sed 's/^    //' >page
	[ "$(wc -l <page)" = 4 ]
	law --strict page
}

@test "the words of the page, the schema and the programs are the same" {
	schema=$ROOT/formats/simfront-trace-1.schema.json
	for table in category dtype; do
		sed -n 's/^SF_[A-Z]*([A-Z0-9_]*, "\([a-z0-9]*\)".*/\1/p' \
		    "$ROOT/lib/trace/$table.def" | sort >programs
		[ "$(wc -l <programs)" -gt 10 ]
		jq -r ".\"\$defs\".$table.enum[]" "$schema" | sort | cmp - programs
		while read -r word; do
			grep -qF "\`$word\`" "$ROOT/formats/simfront-trace-1.md" ||
			    { echo "the page lacks $word"; false; }
		done <programs
	done
	# The schema has a type's size as the program has it.
	sed -n 's/^SF_DTYPE([A-Z0-9]*, "\(.*\)", \([0-9]*\), [12])/\1 \2/p' \
	    "$ROOT/lib/trace/dtype.def" | while read -r word bits; do
		itemsize=$(awk -v bits="$bits" 'BEGIN { print bits / 8 }')
		one '{"kind":"op","i":0,"name":"x","inputs":[],"outputs":[{"tid":"x","shape":[],"dtype":"'"$word"'","itemsize":'"$itemsize"'}]}' >"dtype.$word"
	done
	law dtype.*
	# The engines, in the records and on the pages of who runs them.
	sed -n 's/^SF_ENGINE(\([a-z]*\),.*/\1/p' "$ROOT/lib/accel/engine.def" |
	    sort >programs
	[ "$(wc -l <programs)" = 3 ]
	jq -r '."$defs".engine.enum[]' "$schema" | sort | cmp - programs
	while read -r word; do
		equal "$(grep -c "\`engine\`.*\`$word\`" \
		    "$ROOT/formats/simfront-trace-1.md")" 2
		for page in sim check; do
			grep -q "^.Cm $word\b" "$ROOT/docs/man/sf-$page.1"
			help_of "sf-$page" | grep -q -e "--engine.*: .*\b$word\b"
		done
	done <programs
	# And the kinds of records.
	for kind in $(sed -n 's/^SF_KIND([A-Z]*, "\(.*\)")/\1/p' \
	    "$ROOT/lib/stream/kind.def"); do
		grep -qE "^### .*\b$kind\b" "$ROOT/formats/simfront-trace-1.md"
	done
}

# ---- what the schema refuses ----

# one RECORD - a trace of the record.
one() {
	printf '%s\n' \
	    '{"kind":"trace","format":"simfront-trace/1","model":"","route":"x"}' \
	    "$1" "{\"kind\":\"end\",\"ops\":$(grep -c '"kind":"op"' <<<"$1")}"
}

# edits RECORD SED... - the record is right, and wrong after each edit.
edits() {
	local record=$1 edited edit n=0
	shift
	one "$record" | law --apart
	rm -f edit.*
	for edit; do
		edited=$(sed "$edit" <<<"$record")
		[ "$edited" != "$record" ]
		n=$((n + 1))
		one "$edited" >"edit.$n"
	done
	run -1 law --apart edit.*
	for ((; n > 0; n--)); do
		grep -q "^law: edit.$n: line 2: " <<<"$output" || {
			echo "taken: $(cat edit.$n)"
			return 1
		}
	done
}

# What records say of each other: the page's reader and the programs refuse the
# same.
@test "records that disagree are refused, by the law and by every program" {
	local edit n=0
	sf-ntt --log-n 4 | sf-rules >counted
	sf-lower -p edge-npu counted | sf-sim -t >simulated
	sf-cost -d h100 counted >costed
	sf-ep --claim fhe.ntt counted >split
	disagrees() { # STREAM SED
		sed -E "$2" "$1" >edited
		run -1 law edited
		for program in sf-rules sf-report sf-compare sf-chrome; do
			run -3 $program edited
		done
		n=$((n + 1))
	}
	for edit in '0,/"flops":[0-9]+/s//"flops":9223372036854775807/' \
	    's/("weight_bytes"):0/\1:9223372036854775807/' \
	    '0,/,"category":.*/s//}/' '/"category"/{n;s/,"category":.*/}/}'; do
		disagrees counted "$edit"
	done
	for edit in '/"kind":"device"/d' '/"kind":"device"/p' \
	    '0,/,"cost":.*/s//}/'; do
		disagrees costed "$edit"
	done
	for edit in '/"kind":"accel"/d' '/"kind":"accel"/p' '/"kind":"summary"/d' \
	    '/"kind":"summary"/p' '/"kind":"summary"/s/"ops":[0-9]+/"ops":1/' \
	    '0,/,"sim":.*/s//}/' '0,/"tiled_bytes":[0-9]+/s//"tiled_bytes":9223372036854775807/' \
	    '/"kind":"tile"/s/"i":2,/"i":3,/' '/"kind":"tile"/s/"op":1,/"op":0,/'; do
		disagrees simulated "$edit"
	done
	for edit in '/"kind":"partition"/d' '/"kind":"partition"/p' \
	    '/"kind":"partition"/s/"claimed":[0-9]+/"claimed":99/' \
	    '/"kind":"partition"/s/"subgraphs":[0-9]+/"subgraphs":99/' \
	    '/"kind":"partition"/s/"crossings":[0-9]+/"crossings":99/' \
	    '/"kind":"partition"/s/"crossing_bytes":[0-9]+/"crossing_bytes":99/' \
	    '0,/"subgraph":0/s//"subgraph":1/' '0,/,"ep":.*/s//}/'; do
		disagrees split "$edit"
	done
	equal "$n" 24
	for stream in counted costed simulated split; do
		law --strict $stream
		sf-report $stream >/dev/null
	done
}

@test "wrong ops are refused" {
	edits '{"kind":"op","i":0,"name":"aten.mm","node":"n","module":"m","inputs":[null,{"tid":"x","shape":[2,"n",null],"dtype":"i4","itemsize":0.5,"param":true,"stored":3,"read":2}],"outputs":[{"tid":"y","shape":null,"dtype":null}],"attrs":{},"category":"matmul","flops":0,"bytes_read":1,"bytes_written":9223372036854775807,"weight_bytes":0,"unresolved":"why"}' \
	    's/"i":0/"i":1/' 's/"i":0/"i":0.0/' 's/"i":0/"i":-1/' \
	    's/"i":0,//' 's/"aten.mm"/""/' 's/"aten.mm"/7/' \
	    's/"node":"n"/"node":""/' 's/"module":"m"/"module":1/' 's/"inputs":\[null/"inputs":[1/' \
	    's/"inputs"/"input"/' 's/"tid":"x"/"tid":1/' 's/"tid":"x",//' \
	    's/\[2,/[-2,/' 's/\[2,/[2.0,/' 's/"n",/"",/' 's/"n",/true,/' \
	    's/"i4"/"int4"/' 's/0\.5/1/' 's/,"itemsize":0.5//' \
	    's/"dtype":null/"dtype":null,"itemsize":4/' \
	    's/"param":true/"param":false/' 's/"param":true,//' \
	    's/"stored":3/"stored":-3/' 's/"read":2/"read":-2/' 's/"attrs":{}/"attrs":[]/' \
	    's/"matmul"/"gemm"/' 's/"flops":0,//' 's/"category":"matmul",//' \
	    's/"bytes_read":1/"bytes_read":-1/' \
	    's/9223372036854775807/9223372036854775808/' \
	    's/"weight_bytes":0/"weight_bytes":null/' 's/"why"/""/' \
	    's/"i":0/"i":0,"folded":false/' 's/"i":0/"i":0,"dead":1/' \
	    's/"i":0/"i":0,"i":0/'
}

@test "wrong lowerings and times are refused" {
	edits '{"kind":"op","i":0,"name":"aten.mm","inputs":[],"outputs":[],"category":"matmul","flops":0,"bytes_read":0,"bytes_written":0,"weight_bytes":0,"lower":{"unit":"array","deps":[],"tiles":1,"e_in":4,"e_out":4,"gemms":[{"batch":1,"m":2,"k":3,"n":4,"bb":1,"bm":2,"bk":3,"bn":4,"tiles":1}]},"sim":{"start_s":0,"end_s":1e-06,"bound":"memory","tiled_bytes":3,"stalls_s":{"compute":0,"load_bandwidth":1e-06,"buffer_full":0,"dependency":0}}}' \
	    's/"array"/"tensor"/' 's/"deps":\[\]/"deps":[0]/' \
	    's/"deps":\[\]/"deps":["a"]/' 's/"tiles":1/"tiles":-1/' \
	    's/"tiles":1/"tiles":1.5/' 's/"gemms":\[/"gemms":[{},/' \
	    's/"m":2/"m":0/' 's/"bk":3,//' 's/"e_out":4,//' 's/"start_s":0/"start_s":-1/' \
	    's/"memory"/"dram"/' 's/"tiled_bytes":3/"tiled_bytes":3.5/' \
	    's/,"end_s":1e-06//' 's/"unit":"array",//' \
	    's/"compute":0,//' 's/"buffer_full":0/"buffer_full":-1/'
}

@test "wrong traces, tools, notes and ends are refused" {
	edits '{"kind":"tool","tool":"t","version":"1","args":["a"],"inputs":[{"name":"f","crc32":"0123abcd"}]}' \
	    's/"tool":"t",//' 's/"version":"1",//' 's/"args":\["a"\],//' \
	    's/"tool":"t"/"tool":"bin\/t"/' 's/"a"/1/' 's/"name":"f"/"name":"d\/f"/' \
	    's/0123abcd/0123ABCD/' 's/0123abcd/123abcd/' 's/,"crc32":"0123abcd"//'
	edits '{"kind":"tool","tool":"t","version":"1","args":[],"assumed":[{"node":"i","branch":"then"},{"node":"l","trips":3}]}' \
	    's/"node":"i",//' 's/"then"/"maybe"/' 's/"then"/1/' 's/"trips":3/"trips":-3/' \
	    's/"trips":3/"trips":2.5/' 's/"node":"l"/"node":2/' 's/:\[{.*}\]/:[]/' \
	    's/:\[{.*}\]/:{}/'
	edits '{"kind":"note","tool":"t","text":"x"}' 's/"tool":"t",//' \
	    's/"text":"x"/"text":""/' 's/"text":"x"/"text":1/'
	edits '{"kind":"acme","tool":7}' 's/"acme"/7/' 's/"acme"/"end"/' \
	    's/"acme"/"trace"/' 's/"acme"/"tool"/'
}

@test "wrong tiles, accelerators and summaries are refused" {
	pipeline --preset edge-npu
	edits "$(grep '^{"kind":"accel"' lowered)" 's/"clock_hz":/"clock":/' \
	    's/"array_rows":[0-9]*/"array_rows":0/' \
	    's/"quantise":[a-z]*/"quantise":1/' \
	    's/"tile_fraction":[0-9.]*/"tile_fraction":1.5/'
	edits "$(grep '^{"kind":"summary"' simulated)" 's/"engine":"fast"/"engine":"slow"/' \
	    's/"macs":[0-9]*/"macs":-1/' 's/"makespan_s":/"makespan":/' \
	    's/"store_tail":/"tail":/' 's/"pe_efficiency":[0-9.]*/"pe_efficiency":"1"/' \
	    's/"hotspot":"[^"]*"/"hotspot":""/' 's/"noc_write":/"noc_writes":/'
	grep -m 1 '"kind":"op"' tiled >op
	sed -n '/"kind":"tile"/{p;q}' tiled >tile
	n=0
	for edit in 's/"t":\[/"t":[0,/' 's/"t":\[[^,]*,/"t":[/' 's/"op":0/"op":1/' \
	    's/"i":0/"i":1/' 's/"t":\[[^,]*,/"t":[1e9,/' \
	    's/"t":\[[^,]*,/"t":[-1,/'; do
		n=$((n + 1))
		{ head -n 1 tiled; cat op; sed "$edit" tile
		echo '{"kind":"end","ops":1}'; } >"bad.$n"
	done
	run -1 law bad.*
	equal "${#lines[@]}" "$n"
}
