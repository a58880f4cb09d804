# sf-compile on what torch.compile logs, made by tests/golden/compile-logs.py
# with PyTorch 2.14, and on logs that are written here.

load helpers

LOGS=$DATA/compile

# header REST - a structured record's header; its payload follows by hand.
header() { printf 'V0101 00:00:00.000000 1 torch/a.py:1] %s\n' "$1"; }

# record JSON [FRAME/COMPILE[_ATTEMPT]] <PAYLOAD - a record of a structured log.
record() {
	local id=${2:-0/0_0}
	local attempt=${id#*_}
	[ "$attempt" != "$id" ] || attempt=0
	id=${id%_*}
	header "{$1, \"frame_id\": ${id%/*}, \"frame_compile_id\": ${id#*/}, \"attempt\": $attempt, \"has_payload\": \"\"}"
	sed 's/^/\t/'
}

# graph LINE... - a graph of an input x with the given lines, which return y.
graph() {
	echo 'class GraphModule(torch.nn.Module):'
	echo '    def forward(self, x: "f32[2, 3][3, 1]cpu"):'
	printf '        %s\n' "$@" 'return (y,)'
}

exp='y: "f32[2, 3][3, 1]cpu" = torch.ops.aten.exp.default(x);  x = None'
sin='y: "f32[2, 3][3, 1]cpu" = torch.ops.aten.sin.default(x);  x = None'

# ops FILE [OPTION...] - names of the operators, in one line, a graph a word.
ops() {
	sf-compile "${@:2}" "$1" 2>/dev/null |
	    jq -rn '[inputs | select(.kind == "op" or .kind == "end") |
		if .kind == "op" then .name else "|" end] | join(" ")' |
	    sed 's/ *| */|/g; s/|$//'
}

notes() { sf-compile "$@" 2>/dev/null | jq -r 'select(.kind == "note").text'; }

heads() {
	sf-compile "$@" 2>/dev/null |
	    jq -c 'select(.kind == "trace") | [.graph.compile_id, .graph.stage,
		.graph.direction]' | tr -d '["]' | tr ']\n' ' ' | sed 's/ *$//'
}

# totals FILE [OPTION...] - traces, operators and multiply-accumulates.
totals() {
	sf-compile "${@:2}" "$1" 2>/dev/null | sf-rules 2>/dev/null |
	    jq -rn '[inputs] | "\(map(select(.kind == "trace")) | length) \(
		map(select(.kind == "op")) | length) \(map(.macs // 0) | add)"'
}

# ---- against PyTorch's own objects ----

# bats test_tags=SF-14
@test "the graphs are those that PyTorch's compiler had, op by op" {
	for walked in "$LOGS"/*.jsonl; do
		name=$(basename "$walked" .jsonl)
		[ "$name" != train ] || continue # Inductor decomposes
		sf-compile "$LOGS/$name.log" >trace
		run -0 python3 "$ROOT/tests/same-graphs.py" trace "$walked"
		echo "$name: $output"
		[ "${output#* }" -ge 6 ]
	done
}

# bats test_tags=SF-14
@test "a decoder's log is the trace that sf-model writes, op by op" {
	sf-compile "$LOGS/decoder.log.gz" >mine
	sf-model "$DATA/golden/small/04/config.json" --route compile \
	    --tokens 2 --dtype f32 >model
	run -0 python3 "$ROOT/tests/same-graphs.py" mine model
	equal "$output" "1 138"
	for trace in mine model; do
		jq -c 'select(.params).params' $trace
		sf-rules $trace | jq -n '[inputs.macs // 0] | add'
	done >totals
	equal "$(head -n 2 totals)" "$(tail -n 2 totals)"
}

# bats test_tags=SF-14
@test "a forward and a backward pass of a layer are counted once" {
	products() {
		sf-compile "$LOGS/$1.log" | sf-rules |
		    jq -n '[inputs.macs // 0] | add * 2'
	}
	# 3 products of 3 x 3 x 3, a multiply-add being two; the bias is one
	# addition for each of the 9 results.
	[ "$(products linear)" = 162 ]
	[ "$(products linear_weight)" = 108 ]
	equal "$(sf-compile "$LOGS/linear.log" | sf-rules |
	    jq -c 'select(.category == "matmul").flops' | tr '\n' ' ')" \
	    "63 54 54 "
	if [ -d "$SF_SHARED/data/cases" ]; then
		equal "$(jq -c '.expect |
		    [.flops_matmul, .flops_matmul_no_input_grad, .bias_adds]' \
		    "$SF_SHARED"/data/cases/037-*.expect.json)" "[162,108,9]"
	fi
	equal "$(sf-compile "$LOGS/linear.log" | jq -r 'select(.name).phase' |
	    uniq -c | tr -s ' \n' ' ')" " 4 forward 12 backward "
	# The loss, and what the backward graph reads of the forward one.
	equal "$(sf-compile "$LOGS/linear.log" | jq -r 'select(.phase == "forward") |
	    .outputs[] | select(.kept).tid' | tr '\n' ' ')" "addmm sum_1 "
	# The joint graph holds both, and is there in place of them.
	awk '/^V/ { drop = /aot_(forward|backward)_graph/ } !drop' \
	    "$LOGS/linear.log" >joint.log
	equal "$(heads joint.log)" "0/0,aot,joint"
	equal "$(totals joint.log)" "1 15 81"
	equal "$(totals "$LOGS/linear.log")" "2 16 81"
}

# bats test_tags=SF-14
@test "what is computed again in the backward pass is counted as it runs" {
	sf-compile "$LOGS/checkpoint.log" | sf-rules >counted
	equal "$(heads "$LOGS/checkpoint.log")" \
	    "0/0,aot,forward 0/0,aot,backward"
	# Forward 3 x 4 x 6 and 3 x 6 x 5; backward the first of them again,
	# both gradients of the second and the weight's of the first.
	equal "$(jq -rn '[inputs | select(.macs) | .macs] | @csv' counted)" \
	    "72,90,72,90,90,72"
}

# bats test_tags=SF-14
@test "attention counts by its query heads, however few those of the keys" {
	want='1,8/2,256,64 134217728
1,12,64,64 12582912
2,5,9,4 12960
1,32/8,8192,128 1099511627776'
	while read -r shape flops; do
		IFS=, read -r batch heads length size <<<"$shape"
		q="$batch, ${heads%/*}, $length, $size"
		kv="$batch, ${heads#*/}, $length, $size"
		graph "y: \"f32[$q]\" = torch.nn.functional.scaled_dot_product_attention(x, k, k, attn_mask = None, dropout_p = 0.0, is_causal = False, enable_gqa = True)" |
		    sed "s/x: [^)]*/x: \"f32[$q]\", k: \"f32[$kv]\"/" >g.txt
		equal "$shape $(sf-compile g.txt | sf-rules |
		    jq 'select(.macs).macs * 2')" "$shape $flops"
	done <<<"$want"
	if [ -d "$SF_SHARED/data/cases" ]; then
		equal "$(jq -r '.expect.sdpa_flops | to_entries[] |
		    "\(.key) \(.value)"' "$SF_SHARED"/data/cases/034-*.expect.json)" \
		    "$want"
	fi
}

# ---- all forms of a log ----

# bats test_tags=SF-14
@test "a log for people holds the same graphs as a structured one" {
	for stage in dynamo aot post-grad; do
		sf-compile -s $stage "$LOGS/train.log" | grep '"kind":"op"' >log
		sf-compile -s $stage "$LOGS/train.txt" | grep '"kind":"op"' >txt
		[ -s log ]
		# Without Dynamo's records parameters go by their names alone,
		# which are the same here.
		diff log txt
	done
	equal "$(heads "$LOGS/train.txt")" "0/0,aot,forward 0/0,aot,backward"
}

# bats test_tags=SF-14
@test "any part of the prefix may be gone, and colours may be there" {
	ops "$LOGS/train.txt" >want
	sed 's/^[VI]0101 [^]]*\] //' "$LOGS/train.txt" >no-time
	sed 's/^[VI]0101 [^]]*\] \[0.0\] //' "$LOGS/train.txt" >no-id
	sed 's/^/[rank3]:/' "$LOGS/train.txt" >ranked
	sed 's/^\([VI]0101\)/\x1b[32m\1/; s/$/\x1b[0m/' "$LOGS/train.txt" >coloured
	sed 's/$/\r/' "$LOGS/train.txt" >crlf
	gzip -n <"$LOGS/train.txt" >packed
	for form in no-time no-id ranked coloured crlf packed; do
		echo "$form"
		ops $form | diff want -
		[ -s want ]
	done
	equal "$(sf-compile ranked | jq -c 'select(.kind == "trace").graph.rank' |
	    tr '\n' ' ')" "3 3 "
	# With nothing left but the titles they tell what a graph is.
	sed 's/^[VI]0101 [^]]*\] \[0.0\] \[__[a-z_]*\] //' "$LOGS/train.txt" >bare
	ops bare | diff want -
	equal "$(heads bare)" "null,aot,forward null,aot,backward"
}

@test "lines of several ranks that are mixed come apart" {
	{
		graph "$exp" | sed 's/^/[rank1]:I0101 0:0:0.0 1 a.py:1] [0\/0] [__aot_graphs] /'
	} >one
	graph "$sin" | sed 's/^/[rank0]:I0101 0:0:0.0 1 a.py:1] [0\/0] [__aot_graphs] /' >two
	paste -d '\n' one two >mixed
	equal "$(ops mixed)" "aten.sin|aten.exp"
	equal "$(sf-compile mixed 2>/dev/null | jq -c 'select(.graph).graph.rank' |
	    tr '\n' ' ')" "0 1 "
}

@test "a graph alone is read, with and without strides, by its file's name" {
	graph "$exp" >g.txt
	equal "$(ops g.txt)" "aten.exp"
	equal "$(heads g.txt)" "null,aot,inference"
	sed 's/\[3, 1\]cpu//' g.txt >fx_graph_transformed.py
	equal "$(heads fx_graph_transformed.py)" "null,post-grad,inference"
	equal "$(ops fx_graph_transformed.py)" "aten.exp"
	sed 's/x:/L_x_:/; s/(x)/(L_x_)/; s/torch.ops.aten.exp.default/torch.exp/' \
	    g.txt >d.txt
	equal "$(heads d.txt)" "null,dynamo,forward"
	equal "$(ops d.txt)" "aten.exp"
	cat g.txt g.txt >both.txt
	equal "$(ops both.txt)" "aten.exp|aten.exp"
	sed 's/"f32\[2, 3\]\[3, 1\]cpu"/f32[2, 3]/' g.txt >old.txt
	equal "$(ops old.txt)" "aten.exp"
	equal "$(sf-compile old.txt | jq -c 'select(.name).inputs[0].shape')" "[2,3]"
}

@test "where the text has no type none is guessed, and that is said" {
	graph 'a = torch.ops.aten.exp.default(x)' \
	    'y = torch.ops.aten.sin.default(a);  a = None' >g.txt
	run -0 --separate-stderr sf-compile g.txt
	equal "$(jq -c 'select(.name) | .outputs[0].shape, .unresolved' <<<"$output")" \
	    "$(printf '%s\n' null "\"the graph's text has no shape of 'a'\"" \
		null "\"the graph's text has no shape of 'a'\"")"
	equal "$stderr" "sf-compile: note: 2 of 2 operators are not resolved; the first: the graph's text has no shape of 'a'"
	[[ $output == *'"text":"2 of 2 operators are not resolved; the first'* ]]
}

@test "standard input is read like a file" {
	sf-compile "$LOGS/train.log" | grep '"op"' >want
	sf-compile - <"$LOGS/train.log" | grep '"op"' | diff want -
	gzip <"$LOGS/train.log" | sf-compile - | grep '"op"' | diff want -
	sf-compile <(cat "$LOGS/train.log") | grep '"op"' | diff want -
}

# bats test_tags=SF-14
@test "of a directory the logs are read by rank, and nothing else is" {
	mkdir logs logs/dedicated_log_torch_trace_more
	for rank in 10 9; do
		graph "$exp" | record '"aot_inference_graph": {}, "rank": '$rank \
		    >logs/dedicated_log_torch_trace_rank_${rank}_abcdefgh.log
	done
	echo none >logs/other.log
	equal "$(sf-compile logs | jq -c 'select(.graph) | [.model, .graph.rank]' |
	    tr '\n' ' ')" \
	    '["logs 0/0 inference rank 9",9] ["logs 0/0 inference rank 10",10] '
	# Each trace names its own file.
	equal "$(sf-compile logs | jq -r 'select(.tool).inputs[].name' |
	    cut -d _ -f 6 | tr '\n' ' ')" "9 10 "
	if command -v strace >/dev/null; then
		ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=open,openat \
		    -o calls sf-compile logs >out
		refute grep -q 'other.log' calls
		refute grep -q 'O_WRONLY\|O_RDWR\|O_CREAT' calls
	fi
	rm logs/dedicated*.log
	graph "$sin" | record '"aot_inference_graph": {}' >logs/a.log
	rm logs/other.log
	equal "$(ops logs)" "aten.sin"
	mkdir empty
	run -3 --separate-stderr sf-compile empty
	[[ $stderr == "sf-compile: empty: found no log, expected "* ]]
}

# ---- which graphs ----

# bats test_tags=SF-14
@test "of a compilation the graphs of one stage are written, each once" {
	equal "$(heads "$LOGS/train.log")" "0/0,aot,forward 0/0,aot,backward"
	equal "$(heads -s dynamo "$LOGS/train.log")" "0/0,dynamo,forward"
	equal "$(heads -s post-grad "$LOGS/train.log")" \
	    "0/0,post-grad,forward 0/0,post-grad,backward"
	# The same products at every stage: 2 x 8 x 8 x 8 x 27 and 2 x 128 x 10.
	forward=$((2 * 8 * 64 * 27 + 2 * 128 * 10))
	equal "$(totals "$LOGS/train.log" -s dynamo | cut -d ' ' -f 3)" $forward
	for stage in aot post-grad; do
		# The weights' gradients, and that of the second layer's input.
		equal "$(totals "$LOGS/train.log" -s $stage | cut -d ' ' -f 3)" \
		    $((2 * forward + 2 * 128 * 10))
	done
	# A log has several names for one graph.
	{
		graph "$exp" | record '"inductor_post_grad_graph": {}'
		graph "$exp" | record '"artifact": {"name": "after_recompile_post_grad"}'
		graph "$exp" | record '"artifact": {"name": "after_post_grad_graph"}'
		graph "$exp" | record '"artifact": {"name": "before_post_grad_graph"}'
		graph "$sin" | record '"inductor_post_grad_graph": {}' 1/0
	} >names.log
	equal "$(heads -s post-grad names.log)" \
	    "0/0,post-grad,inference 1/0,post-grad,inference"
	run -3 --separate-stderr sf-compile -s aot names.log
	equal "$stderr" "sf-compile: names.log: found no graph of the stage aot; it has 0 of dynamo, 0 of aot, 4 of post-grad"
}

@test "an attempt that was given up is not there" {
	{
		graph "$exp" | record '"dynamo_output_graph": {}'
		graph "$exp" | record '"aot_inference_graph": {}'
		graph "$sin" | record '"dynamo_output_graph": {}' 0/0_1
		graph "$sin" | record '"aot_inference_graph": {}' 0/0_1
		graph "$exp" | record '"dynamo_output_graph": {}' 1/0
		graph "$sin" "z = torch.sin(y)" |
		    record '"dynamo_output_graph": {}' 1/1
	} >a.log
	equal "$(ops a.log)" "aten.sin|aten.exp|aten.sin aten.sin"
	equal "$(heads a.log)" \
	    "0/0,aot,inference 1/0,dynamo,forward 1/1,dynamo,forward"
	equal "$(sf-compile a.log 2>/dev/null | jq -c 'select(.graph).graph.attempt' |
	    tr '\n' ' ')" "1 null null "
	[[ $(notes a.log) == *"no graph of ATen operators for this compilation; this is Dynamo's"* ]]
}

# bats test_tags=SF-14
@test "the reason of a graph break is a note of its compilation" {
	for form in log txt; do
		sf-compile "$LOGS/breaks.$form" 2>/dev/null | jq -r '
		    if .kind == "trace" then .graph.compile_id
		    elif .kind == "note" and (.text | startswith("graph break"))
		    then .text[:60] else empty end' >$form
		grep -q '^graph break in 0/0 at model.py:[0-9]*: Failed to trace' \
		    $form
		equal "$(grep -c '^graph break' $form)" 2
		equal "$(sed 's/ at .*//' $form | tr '\n' ',')" \
		    "0/0,graph break in 0/0,1/0,0/1,graph break in 0/1,1/1,"
	done
	{
		printf '%s\n' 'Graph break in user code at /a/b.py:3' \
		    'Reason: Unsupported: print' 'User code traceback:' |
		    record '"artifact": {"name": "dynamo_graph_break_reason"}' 7/0
		graph "$exp" | record '"aot_inference_graph": {}' 8/0
	} >other.log
	equal "$(notes other.log | head -n 1)" \
	    "graph break in 7/0 at b.py:3: Unsupported: print"
	head -n 5 other.log | grep -v '^V.*aot' >only.log
	run -3 --separate-stderr sf-compile only.log
	equal "$stderr" "sf-compile: only.log: found 1 graph breaks and no graph"
}

# ---- sizes ----

# bats test_tags=SF-14
@test "symbols stand for what the log says, or the user" {
	equal "$(totals "$LOGS/dynamic.log")" "1 6 240"
	shape() {
		sf-compile "$@" 2>/dev/null |
		    jq -c 'select(.name == "aten.cat").outputs[0].shape'
	}
	equal "$(shape "$LOGS/dynamic.log")" "[10,6]"
	equal "$(shape -d s77=64 "$LOGS/dynamic.log")" "[128,6]"
	equal "$(sf-compile -d s77=64 "$LOGS/dynamic.log" |
	    jq -c 'select(.kind == "trace").workload')" '{"s77":64}'
	# Without the records of symbols, by the tensors that were described.
	grep -v create_symbol "$LOGS/dynamic.log" >described.log
	equal "$(shape described.log)" "[10,6]"
	grep -v 'create_symbol\|describe_' "$LOGS/dynamic.log" >none.log
	equal "$(shape none.log)" '["2*s77",6]'
	[[ $(notes none.log) == *"the first: size 's77' of "* ]]
	equal "$(shape -d s77=7 none.log)" "[14,6]"
	run -2 --separate-stderr sf-compile -d s78=1 "$LOGS/dynamic.log"
	one_line_error
	equal "$stderr" "sf-compile: option '--dim': no size in the graphs is made of 's78'"
}

@test "expressions of sizes are evaluated exactly" {
	while read -r size want; do
		size=${size//_/ }
		sed "s|\[2, 3\]\[3, 1\]|[$size][1]|g" >g.txt < <(graph "$exp")
		equal "$size: $(sf-compile -d s0=7 -d u1=3 g.txt |
		    jq -c 'select(.name).inputs[0].shape[0]')" "$size: $want"
	done <<-'END'
		s0+0*u1 7
		2*((s0//2))+0*u1 6
		(((-u1)//2))_+_s0 5
		Max(1,_u1,_s0) 7
		s0**2_-_u1 46
		Mod(s0,_4)_+_u1 6
		4503599627370495*2+0*s0*u1 9007199254740990
	END
	for size in s0*9223372036854775807 u1-s0 s0/u1 '2,,3' '2 3' '('; do
		sed "s|\[2, 3\]\[3, 1\]|[$size][1]|g" >g.txt < <(graph "$exp")
		run -3 --separate-stderr sf-compile -d s0=7 -d u1=3 g.txt
		one_line_error
	done
}

# ---- operators ----

# bats test_tags=SF-14
@test "Python's functions, methods and signs are ATen's operators" {
	sf-compile -s dynamo "$LOGS/python.log" >trace
	run -0 jq -rn '[inputs | select(.name).name | ltrimstr("aten.")] |
	    join(" ")' trace
	equal "$output" "embedding mul add batch_norm to transpose contiguous view add_ neg layer_norm chunk prim.getitem prim.getitem prim.getitem scaled_dot_product_attention prim.getitem gelu eye matmul"
	# ATen's order of tensors, not Python's.
	equal "$(jq -c 'select(.name == "aten.embedding") |
	    [.inputs[] | .shape]' trace)" "[[10,8],[6]]"
	equal "$(jq -c 'select(.name == "aten.batch_norm") |
	    [.inputs[] | .param // false]' trace)" "[false,true,true,false,false]"
	# AOTAutograd takes them apart; the products are the same.
	macs=$(sf-rules trace | jq -n '[inputs.macs // 0] | add')
	equal "$macs" "$(totals "$LOGS/python.log" | cut -d ' ' -f 3)"
}

@test "what no rule knows is named, in Python and in ATen" {
	graph 'a: "f32[2, 3]" = torch.nn.functional.made_up(x, 1)' \
	    'b: "f32[2, 3]" = a.made_up()' \
	    'c: "f32[2, 3]" = self.L__self___layer(b)' \
	    'd: "f32[2, 3]" = torch.ops.mine.op.default(c)' \
	    'e = torch._C._set_grad_enabled(False);  e = None' \
	    'd[0] = 1;  setitem = d;  setitem = None' \
	    'y: "f32[2, 3]" = torch.relu(d)' >g.txt
	run -0 sf-compile g.txt
	equal "$(jq -r 'select(.name).name' <<<"$output" | tr '\n' ' ')" \
	    "torch.nn.functional.made_up torch.Tensor.made_up module.L__self___layer mine.op operator.setitem aten.relu "
	equal "$(sf-rules <<<"$output" 2>/dev/null |
	    jq -r 'select(.category == "unknown").name' | wc -l)" 5
}

@test "results have their places, and None before a tensor its own" {
	graph 'b = torch.ops.aten.native_batch_norm.default(x, None, x, None, None, True, 0.1, inf)' \
	    'm: "f32[3]" = b[2]' \
	    'y: "f32[2, 3]" = torch.ops.aten.index.Tensor(x, [None, m]);  b = m = None' >g.txt
	sf-compile g.txt >trace
	equal "$(jq -c 'select(.name) | [.inputs[] | .tid?]' trace | tr '\n' ' ')" \
	    '["x",null,"x"] ["x",null,"m"] '
	equal "$(jq -c 'select(.name) | [.outputs[] | .tid?]' trace | tr '\n' ' ')" \
	    '[null,null,"m"] ["y"] '
}

# bats test_tags=SF-14
@test "a graph that is called stands in place of the call" {
	equal "$(ops "$LOGS/region.log")" \
	    "aten.mm aten.relu aten.mm aten.relu aten.mm aten.relu"
	equal "$(sf-compile "$LOGS/region.log" | jq -r 'select(.name).node' |
	    sed -n 3p)" "invoke_subgraph_1/mm"
	equal "$(totals "$LOGS/region.log" | cut -d ' ' -f 3)" $((3 * 64))
	# Every value is made by the call before.
	equal "$(sf-compile "$LOGS/region.log" | jq -r 'select(.name == "aten.mm").inputs[0].tid' |
	    tr '\n' ' ')" "arg0_1 invoke_subgraph/relu invoke_subgraph_1/relu "
}

@test "which branch runs is not known, and is said" {
	run -0 --separate-stderr sf-compile "$LOGS/choice.log"
	equal "$(jq -r 'select(.unresolved).name' <<<"$output")" higher_order.cond
	[[ $stderr == "sf-compile: note: 1 of "* ]]
	refute grep -q addmm <<<"$output"
}

# ---- parameters ----

# bats test_tags=SF-14
@test "parameters are those that the log describes, at every stage" {
	for stage in dynamo aot post-grad; do
		equal "$(sf-compile -s $stage "$LOGS/train.log" |
		    jq -c 'select(.kind == "trace" and .graph.direction == "forward").params')" \
		    '{"count":1514,"bytes":6056}'
	done
	# A view of one is one, in the backward graph, too.
	equal "$(sf-compile "$LOGS/linear.log" |
	    jq -c 'select(.node == "t_1") | .outputs[0].param')" true
	# A record has the say, and without one the name.
	sed 's/"is_parameter": true/"is_parameter": false/' "$LOGS/linear.log" >none.log
	equal "$(sf-compile none.log | jq -c 'select(.params).params' | sort -u)" \
	    '{"count":0,"bytes":0}'
	grep -v describe_ "$LOGS/linear.log" >named.log
	sf-compile named.log | grep '"op"' >named
	sf-compile "$LOGS/linear.log" | grep '"op"' | diff named -
	# With ATen's graph alone nothing tells.
	awk '/^V/ { drop = /dynamo_output_graph/ } !drop' "$LOGS/linear.log" >alone.log
	equal "$(sf-compile alone.log | jq -c 'select(.kind == "trace").params')" \
	    "$(printf 'null\nnull')"
	[[ $(notes alone.log) == *"does not say which inputs of the graph are parameters"* ]]
}

@test "buffers, sizes and other inputs move no parameter from its place" {
	signature() {
		graph "$exp" | sed "s/x: [^)]*/$1/"
	}
	{
		signature 's0: "Sym(s0)", L_b: "f32[2, 3]", L_self_parameters_w_: "f32[2, s0]"' |
		    record '"dynamo_output_graph": {}'
		signature 'arg0_1: "Sym(s0)", x: "f32[2, 3]", arg2_1: "f32[2, s0]"' |
		    sed 's/exp.default(x)/add.Tensor(x, arg2_1)/' |
		    record '"aot_inference_graph": {}'
	} >a.log
	equal "$(sf-compile -d s0=3 a.log | jq -c 'select(.name).inputs[1].param')" true
	equal "$(sf-compile -d s0=3 a.log | jq -c 'select(.params).params')" \
	    '{"count":6,"bytes":24}'
	# Of another type it is another input.
	sed 's/arg2_1: "f32/arg2_1: "f16/' a.log >b.log
	equal "$(sf-compile -d s0=3 b.log | jq -c 'select(.params).params')" \
	    '{"count":0,"bytes":0}'
}

# ---- what is wrong ----

@test "what is no log, or is damaged, is named with its place" {
	refused() { # PLACE-AND-TEXT
		run -3 --separate-stderr sf-compile "$file"
		one_line_error
		[[ $stderr == "sf-compile: $file$1"* ]] || {
			printf '%s\n' "$stderr"
			false
		}
	}
	file=f
	echo '{"kind":"trace"}' >f
	refused ": found no graph, expected a log of TORCH_TRACE or"
	: >f
	refused ": found no graph"
	printf '%s\n' '[rank0]:V0101 0:0:0.0 1 a.py:1] [1/0] [__ddp_graphs] graph():' \
	    '[rank0]:V0101 0:0:0.0 1 a.py:1] [1/0] [__ddp_graphs]   %x : [num_users=1]' >f
	refused ":1: found a graph as a table, which has no shapes"
	graph "$exp" | head -n 3 >f
	refused ":3: graph: graph 'GraphModule' ends without its return"
	graph 'y: "f32[2, 3]" = torch.exp(x' >f
	refused ":4: graph: found "
	graph 'y: "f32[2, 3" = torch.exp(x)' >f
	refused ":3: graph: found type 'f32[2, 3', expected a bracket"
	graph 'y: "f32[2, x y]" = torch.exp(x)' >f
	refused ":3: graph: found type 'f32[2, x y]', expected sizes"
	graph "y = f'" >f
	refused ":3: graph: found 'a string without its end', expected"
	graph 'a = (((1)))' "y: \"f32[2]\" = x[99999999]" 'b = torch.split(x)' \
	    'c: "f32[2]" = b[-1]' >f
	refused ":6: graph: found result -1, expected 0 to"
	graph "$exp" | record '"aot_inference_graph": {}' >f
	echo 'not of a log' >>f
	refused ":6: found 'not of a log', expected a record's header, or its"
	header '{"a": tru}' >f
	refused ":1:"
	header '{"aot_inference_graph": {}, "frame_id": 0}' >f
	refused ":1: graph 0/0: found no class"
	run -4 --separate-stderr sf-compile no/such
	one_line_error
	run -2 --separate-stderr sf-compile -s late "$LOGS/train.log"
	one_line_error
	for dim in s0 =1 s0=-1 s0=x; do
		run -2 --separate-stderr sf-compile -d $dim "$LOGS/train.log"
		one_line_error
	done
}

@test "every prefix of a log is refused in one line, or is a log" {
	for name in linear_weight.log train.txt; do
		size=$(stat -c %s "$LOGS/$name")
		for ((n = 0; n < size; n += 97)); do
			head -c $n "$LOGS/$name" >cut
			run --separate-stderr sf-compile cut
			[ "$status" = 0 ] || [ "$status" = 3 ]
			[ "$status" = 0 ] || one_line_error
		done
	done
}

@test "graphs that double 40 times are refused before they fill the memory" {
	{
		graph 'a: "f32[2, 3]" = self.m0(x)' 'y: "f32[2, 3]" = torch.exp(x)'
		for ((i = 0; i < 40; i++)); do
			pad=$(printf '%*s' $((4 * i + 4)) '')
			echo "${pad}class m$i(torch.nn.Module):"
			echo "$pad    def forward(self, x: \"f32[2, 3]\"):"
			echo "$pad        a: \"f32[2, 3]\" = self.m$((i + 1))(x)"
			echo "$pad        b: \"f32[2, 3]\" = self.m$((i + 1))(x)"
			echo "$pad        return (a, b)"
		done
		pad=$(printf '%*s' $((4 * 40 + 4)) '')
		echo "${pad}class m40(torch.nn.Module):"
		echo "$pad    def forward(self, x: \"f32[2, 3]\"):"
		echo "$pad        c: \"f32[2, 3]\" = torch.exp(x)"
		echo "$pad        return (c, c)"
	} >g.txt
	run -3 --separate-stderr timeout 20 sf-compile g.txt
	[[ $stderr == *"found graphs in graphs more than"*"deep, or more than"* ]]
	graph "$(printf 'a0 = [x, x]\n'
	    for ((i = 1; i < 40; i++)); do
		    printf '        a%d = [a%d, a%d]\n' $i $((i - 1)) $((i - 1))
	    done)" "$exp" >g.txt
	run -3 --separate-stderr timeout 20 sf-compile g.txt
	[[ $stderr == *"found a list of more than"* ]]
	graph "y = $(printf '(%.0s' {1..5000})" >g.txt
	run -3 --separate-stderr sf-compile g.txt
	one_line_error
}

@test "a long log needs memory for one graph" {
	[ -z "${SF_SANITIZED:-}" ] || skip "a sanitizer keeps what was freed"
	block() {
		graph "$exp" | record '"dynamo_output_graph": {}' "$1/0"
		graph "$exp" | record '"aot_inference_graph": {}' "$1/0"
	}
	block 7 >one
	for ((i = 0; i < 64; i++)); do cat one; done >more
	for ((i = 0; i < 64; i++)); do cat more; done >many.log
	run -0 --separate-stderr "$SF_UNIT/peak" sf-compile one
	few=$output
	run -0 --separate-stderr "$SF_UNIT/peak" sf-compile many.log
	echo "$few $output"
	[ "$output" -lt $((few + 4096)) ]
}

# ---- real files ----

# The table of the test plan: log, traces, operators, multiply-accumulates of
# their products, and what is not counted.
real_logs() {
	sed -n '/^| log | /,/^$/p' "$ROOT/docs/test-plan.md" | sed 1,2d |
	    sed '/^$/d; s/^| //; s/ |$//; s/ | /\t/g'
}

path_of() {
	case $1 in
	made-2.14/*) echo "$SF_SHARED/data/pytorch/$1" ;;
	*) echo "$SF_SHARED/data/pytorch/compile/$1" ;;
	esac
}

# bats test_tags=SF-14
@test "real logs come out as a second reader has them" {
	need_shared
	[ "$(real_logs | wc -l)" = 36 ]
	while IFS=$'\t' read -r log traces ops macs unknown; do
		file=$(path_of "$log")
		if [ "$traces" = refused ]; then
			run -3 --separate-stderr sf-compile "$file"
			one_line_error
			continue
		fi
		sf-compile "$file" 2>/dev/null | sf-rules >counted 2>/dev/null
		run -0 python3 "$ROOT/tests/oracle/compile-logs.py" counted "$file"
		equal "$log $output" "$log $traces $ops $macs"
		equal "$log $(jq -rn '[inputs | select(.category == "unknown").name] |
		    group_by(.) | map("\(.[0]) \(length)") |
		    if . == [] then "-" else join(", ") end' counted)" \
		    "$log $unknown"
	done < <(real_logs)
}

@test "every log of the shared data is in the table" {
	need_shared
	real_logs | cut -f 1 | while read -r log; do path_of "$log"; done |
	    sort >table
	find "$SF_SHARED"/data/pytorch/compile \
	    "$SF_SHARED"/data/pytorch/made-2.14/trace -type f | sort | diff - table
}

@test "excerpts that are cut off, and tables, are refused with the line" {
	need_shared
	cd "$SF_SHARED/data/pytorch/compile/issue_excerpts"
	run -3 --separate-stderr sf-compile pytorch_issue_145463_graph_code.txt
	[[ $stderr == *"_graph_code.txt:8: graph 0/0: graph 'GraphModule' ends without its return" ]]
	run -3 --separate-stderr sf-compile torch_spyre_issue_1107_fx_graph_transformed.txt
	[[ $stderr == *"ends without its return" ]]
	run -3 --separate-stderr sf-compile pytorch_issue_127552_ddp_graphs_rank_prefix.txt
	[[ $stderr == *"_prefix.txt:3: found a graph as a table"* ]]
}

@test "the second reader refuses a trace that is not the log's" {
	sf-compile "$LOGS/linear.log" | sf-rules >counted
	oracle() { python3 "$ROOT/tests/oracle/compile-logs.py" "$@"; }
	equal "$(oracle counted "$LOGS/linear.log")" "2 16 81"
	for change in 's/"macs":27/"macs":26/' 's/aten.mm/aten.bmm/' \
	    's/"shape":\[3,3\]/"shape":[3,4]/' '/aten.sin/d'; do
		sed "$change" counted >changed
		run -1 oracle changed "$LOGS/linear.log"
	done
}
