# sf-dispatch: what PyTorch's dispatcher ran, from its own files.

load helpers

ops() { grep '^{"kind":"op"' "$@"; }
names() { ops "$@" | jq -r .name; }

# node ID UP NAME SCHEMA INPUTS OUTPUTS - a node of an execution trace; the
# last two are "VALUES SHAPES TYPES", each without its brackets.
node() {
	local in out
	IFS='|' read -r -a in <<<"$5"
	IFS='|' read -r -a out <<<"$6"
	printf '{"id":%d,"name":"%s","ctrl_deps":%d,"inputs":{"values":[%s],"shapes":[%s],"types":[%s]},' \
	    "$1" "$3" "$2" "${in[0]:-}" "${in[1]:-}" "${in[2]:-}"
	printf '"outputs":{"values":[%s],"shapes":[%s],"types":[%s]},' \
	    "${out[0]:-}" "${out[1]:-}" "${out[2]:-}"
	printf '"attrs":[{"name":"op_schema","type":"string","value":"%s"}]}' "$4"
}

# et NODE... - an execution trace of them.
et() {
	local IFS=,
	printf '{"schema":"1.1.1-chakra.0.0.4","pid":1,"nodes":[%s],"finish_ts":2}\n' "$*"
}

relu='aten::neg(Tensor self) -> Tensor'
a='[4,5,0,6,4,\"cpu\"]|[2,3]|\"Tensor(float)\"'
a=${a//\\/}
b=${a/4,5/7,8}

# call TS DUR NAME DIMS TYPES CONCRETE [TID] - a call in a profiler's trace.
call() {
	printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":%s,"ts":%s,"dur":%s,"args":{"External id":1,"Input Dims":[%s],"Input type":[%s],"Concrete Inputs":[%s]}}' \
	    "$3" "${7:-1}" "$1" "$2" "$4" "$5" "$6"
}

# launch TS DUR CORRELATION [TID] and kernel DUR CORRELATION [CAT].
launch() {
	printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":%s,"ts":%s,"dur":%s,"args":{"correlation":%s}}' \
	    "${4:-1}" "$1" "$2" "$3"
}
kernel() {
	printf '{"ph":"X","cat":"%s","name":"k","pid":0,"tid":7,"ts":900,"dur":%s,"args":{"stream":7,"correlation":%s}}' \
	    "${3:-kernel}" "$1" "$2"
}

# profile EVENT... - a profiler's trace of them.
profile() {
	local IFS=,
	printf '{"schemaVersion":1,"record_shapes":1,"traceEvents":[%s],"traceName":"t"}\n' "$*"
}

neg() { call "$1" "$2" aten::neg '[2,3]' '"float"' '""' "${3:-1}"; }

# Holds what sf-dispatch makes of the files against tests/oracle/dispatch.py.
check() {
	python3 "$ROOT/tests/oracle/dispatch.py" "$1" >want
	sf-dispatch "$1" | sf-rules 2>/dev/null | grep '^{"kind":"op"' | jq -cs '
	    ["aten.mm", "aten.bmm", "aten.addmm", "aten.baddbmm"] as $products |
	    { ops: length,
	      names: (group_by(.name) | map({key: .[0].name, value: length}) |
		  from_entries),
	      macs: (map(select(.name | IN($products[])) | .macs // 0) |
		  add // 0),
	      measured_s: (map(select(.measured_s)) | group_by(.name) |
		  map({key: .[0].name, value: (map(.measured_s) | add)}) |
		  from_entries) }' >have
	run -0 jq -n --slurpfile a want --slurpfile b have '
	    def near($x; $y): ($x - $y | fabs) <= 1e-12 + 1e-9 * $x;
	    $a[0] as $a | $b[0] as $b |
	    ($a | del(.measured_s)) == ($b | del(.measured_s)) and
	    ($a.measured_s | keys) == ($b.measured_s | keys) and
	    all($a.measured_s | keys[]; near($a.measured_s[.]; $b.measured_s[.]))'
	equal "$1: $output" "$1: true"
}

# bats test_tags=SF-15
@test "a recorded step has the operators that another reader finds" {
	for file in "$DATA"/profiles/*.gz; do
		check "$file"
	done
}

# bats test_tags=SF-15
@test "both files of one step have the same operators" {
	sf-dispatch "$DATA/profiles/train.et.json.gz" >et
	sf-dispatch "$DATA/profiles/train.kineto.json.gz" >kineto
	diff <(names et) <(names kineto)
	equal "$(ops et | wc -l)" 138
	# Results that were derived are those that were recorded.
	ops et | jq -c '[.outputs[] | [.shape, .dtype]]' >recorded
	ops kineto | jq -c '[.outputs[] | [.shape, .dtype]]' >derived
	run -0 jq -n --slurpfile a recorded --slurpfile b derived '
	    [range($a | length)] |
	    map(select($b[.] != [] and $b[.][0][0] != null)) |
	    [length, all(.[]; $a[.][:($b[.] | length)] == $b[.])]' -c
	equal "$output" '[42,true]'
}

# Files that were published, or made with PyTorch 2.14: operators, those that
# stay unresolved, and multiply-accumulates of matrix products, convolutions
# left out.
# bats test_tags=SF-15
@test "published files have the counts that another reader finds" {
	need_shared
	while read -r file ops unresolved macs; do
		path=$(find "$SF_SHARED/data/pytorch" -path "*/et/$file.json.gz")
		check "$path"
		equal "$file $(jq -c '[.ops, .macs]' want)" "$file [$ops,$macs]"
		equal "$file $(sf-dispatch "$path" | grep -c '"unresolved"')" \
		    "$file $unresolved"
	done <<-'END'
		chakra_allgather_1.0.2 70 0 0
		et_compiled 4 0 416
		et_infer 18 0 416
		et_train 80 0 1056
		kineto_compiled 4 0 416
		kineto_hta_cpu_only_rank34 4 4 0
		kineto_hta_negative_queue_rank0 12938 1930 11264327680
		kineto_hta_rank_non_gpu 1074 214 57993200640
		kineto_hta_simple_add 8 8 0
		kineto_hta_triton_example 1 1 0
		kineto_infer 18 1 416
		kineto_param_dlrm_worker0 655 103 30243584
		kineto_train 80 12 1056
		param_dlrm_eg_0_1.0.1 655 0 30243584
		param_hf_GPT2_et_1.1.0 8583 0 1258450452480
		param_linear_et_1.0.1 342 0 33285996544
		param_pt2_et_1.1.1 4 0 128
		param_resnet_1gpu_et_1.0.3 5145 0 589824000
	END
}

# bats test_tags=SF-15
@test "what is made of others is what ran inside, what works itself is one" {
	et "$(node 3 2 aten::linear 'aten::linear(Tensor a) -> Tensor' "$a" "$b")" \
	    "$(node 4 3 aten::t 'aten::t(Tensor(a) self) -> Tensor(a)' "$a" "$a")" \
	    "$(node 5 3 aten::addmm 'aten::addmm(Tensor self) -> Tensor' "$a" "$b")" \
	    "$(node 6 5 aten::expand 'aten::expand(Tensor(a) self) -> Tensor(a)' "$a" "$b")" \
	    "$(node 7 2 aten::to 'aten::to(Tensor self) -> Tensor' "$a" "$a")" \
	    "$(node 8 2 aten::to 'aten::to(Tensor self) -> Tensor' "$a" "$b")" \
	    "$(node 9 8 aten::_to_copy 'aten::_to_copy(Tensor self) -> Tensor' "$a" "$b")" \
	    "$(node 10 2 my::wrap 'my::wrap(Tensor self) -> Tensor' "$a" "$b")" \
	    "$(node 11 10 aten::neg "$relu" "$a" "$b")" \
	    "$(node 12 2 my::kernel 'my::kernel(Tensor self) -> Tensor' "$a" "$b")" \
	    "$(node 13 12 aten::view 'aten::view(Tensor self) -> Tensor' "$a" "$b")" \
	    "$(node 14 2 NegBackward0 '' '' '')" \
	    "$(node 15 14 aten::neg "$relu" "$a" "$b")" \
	    "$(node 2 1 thread '' '' '')" "$(node 1 1 process '' '' '')" >t.json
	run -0 --separate-stderr sf-dispatch t.json
	equal "$(names <<<"$output" | paste -sd ' ')" \
	    "aten.t aten.addmm aten._to_copy aten.neg my.kernel aten.neg"
}

@test "an id that is used again is another value" {
	c=${b/7,8/7,9}
	c=${c/\[2,3\]/[6]}
	et "$(node 10 1 aten::neg "$relu" "$a" "$b")" \
	    "$(node 11 1 aten::neg "$relu" "$b" "$a")" \
	    "$(node 12 1 aten::neg "$relu" "$a" "$b")" \
	    "$(node 13 1 aten::neg "$relu" "$c" "$a")" >t.json
	run -0 --separate-stderr sf-dispatch t.json
	equal "$(ops <<<"$output" | jq -c '[.inputs[0].tid, .outputs[0].tid]' |
	    paste -sd ' ')" \
	    '["t4","t7"] ["t7","t4.1"] ["t4.1","t7.1"] ["t7.2","t4.2"]'
	equal "$(sf-rules <<<"$output" | grep -c '"flops":6')" 4
}

@test "arguments go by their schema: types, names, what is written" {
	et "$(node 5 1 aten::add 'aten::add.out(Tensor self, Tensor? other, *, Scalar alpha=1, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)' \
	    "[4,5,0,6,4,\"cpu\"],\"<None>\",0.500000,15,[9,9,0,6,4,\"cpu\"]|[2,3],[],[],[],[2,3]|\"Tensor(float)\",\"None\",\"Double\",\"Int\",\"Tensor(float)\"" "$b")" \
	    "$(node 6 1 aten::_foreach_add_ 'aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()' \
	    '[[4,5,0,6,4,"cpu"],[7,8,0,6,4,"cpu"]],1|[[2,3],[2,3]],[]|"GenericList[Tensor(c10::BFloat16),Tensor(float)]","Int"' '')" >t.json
	run -0 --separate-stderr sf-dispatch t.json
	equal "$(ops <<<"$output" | jq -c '[[.inputs[].tid], [.outputs[].tid],
	    [.inputs[].dtype], .attrs]')" \
	    '[["t4"],["t7"],["f32"],{"overload":"out","alpha":0.5,"dtype":"bf16"}]
[["t4.1","t7"],["t4.2","t7.1"],["bf16","f32"],{"overload":"Scalar","scalar":1}]'
}

@test "a file of a process that died is what was written, with a note" {
	et "$(node 10 1 aten::neg "$relu" "$a" "$b")" \
	    "$(node 11 1 aten::neg "$relu" "$b" "$a")" >whole.json
	sed 's/],"finish_ts":2}$//' whole.json | tr -d '\n' >cut.json
	for end in '' ',' $',\n  '; do
		printf '%s%s' "$(cat cut.json)" "$end" >died.json
		run -0 --separate-stderr sf-dispatch died.json
		equal "$(names <<<"$output" | wc -l)" 2
		grep -q '"kind":"note".*process died' <<<"$output"
		equal "$stderr" "sf-dispatch: note: died.json: the file ends behind node 2: the process died"
	done
}

@test "collectives have sizes and group, wherever the file says them" {
	cp "$ROOT/tests/fuzz/corpus/execution/linear" new.json
	cp "$ROOT/tests/fuzz/corpus/execution/old" old.json
	{ printf '{"traceEvents":['
	cat "$ROOT/tests/fuzz/corpus/kineto/linear"
	printf ']}'; } >kineto.json
	for file in new.json old.json kineto.json; do
		run -0 --separate-stderr sf-dispatch "$file"
		equal "$file $(ops <<<"$output" | jq -c 'select(.name == "c10d.allreduce_") |
		    [.attrs.collective, .attrs.group_size, (.inputs | length),
		     ([.inputs[].shape[]] | reduce .[] as $n (1; . * $n))]')" \
		    "$file [\"allreduce\",8,1,6]"
	done
}

# bats test_tags=SF-15
@test "kernels go to the operator that launched them" {
	profile "$(neg 10 20)" "$(launch 12 3 1)" \
	    "$(call 40 20 aten::mm '[2,3],[3,4]' '"float","float"' '"",""')" \
	    "$(call 42 5 aten::resolve_conj '[2,3]' '"float"' '""')" \
	    "$(launch 43 2 2)" "$(launch 50 2 3)" "$(launch 61 2 4)" \
	    "$(neg 70 5)" "$(neg 71 5 2)" "$(launch 72 2 5 2)" \
	    "$(kernel 1.5 1)" "$(kernel 2 1)" "$(kernel 4 2)" \
	    "$(kernel 8 3 gpu_memset)" "$(kernel 16 4)" "$(kernel 32 5)" \
	    "$(kernel 64 9)" >t.json
	run -0 --separate-stderr sf-dispatch t.json
	equal "$(ops <<<"$output" | jq -c '[.name, .measured_s]' | paste -sd ' ')" \
	    '["aten.neg",3.5e-06] ["aten.mm",1.2e-05] ["aten.neg",null] ["aten.neg",3.2e-05]'
	grep -q '"2 of 7 kernels and copies, 8e-05 of 0.0001275 s, ran for no operator"' \
	    <<<"$output"
	grep -q '"measured":"device"' <<<"$output"
}

@test "without a device the time is that of the call" {
	profile "$(neg 1683564901550101.5 20.25)" >t.json
	run -0 --separate-stderr sf-dispatch t.json
	equal "$(ops <<<"$output" | jq -c .measured_s)" 2.025e-05
	grep -q '"measured":"host"' <<<"$output"
}

# module TS DUR NAME [TID] - one of Python's modules that ran.
module() {
	printf '{"ph":"X","cat":"python_function","name":"nn.Module: %s","pid":1,"tid":%s,"ts":%s,"dur":%s,"args":{"Python id":1}}' \
	    "$3" "${4:-1}" "$1" "$2"
}

# where - of the trace on standard input, the modules of its operators.
where() { ops | jq -r '.module // "-"' | paste -sd ' '; }

@test "a profile with stacks says by their classes which modules ran an operator" {
	# What PyTorch 2.14.1 wrote of blocks in a list, the first of them twice.
	sf-dispatch "$DATA/profiles/modules.kineto.json.gz" >out
	block() {
		echo "$1.LayerNorm_$2 $1 $1.Sequential_$2.Linear_$2 $1.Sequential_$2.ReLU_$2 $1"
	}
	# The backward pass runs outside of them.
	equal "$(where <out | tr ' ' '\n' | uniq | paste -sd ' ')" \
	    "$(block Nested_0.Block_0 0) $(block Nested_0.Block_1 1) $(block \
	    Nested_0.Block_0 0) Nested_0.Linear_2 Nested_0 -"
	sf-rules out 2>/dev/null | sf-report --by module --depth 2 --format json |
	    jq -e '[.rows[].module] | index("Nested_0.Block_1")'
	# Files without stacks say nothing of them.
	equal "$(sf-dispatch "$DATA/profiles/train.kineto.json.gz" |
	    where | tr ' ' '\n' | sort -u)" -
}

@test "modules are those of the thread and the time, wherever the file has them" {
	set -- "$(neg 5 1)" "$(neg 10 1)" "$(neg 12 1)" "$(neg 20 1)" \
	    "$(neg 30 1)" "$(neg 31 1 2)" "$(neg 39 1)" "$(neg 40 1)"
	# One that ends behind what is around it ends with that.
	profile "$@" "$(module 12 3 B_0)" "$(module 10 30 A_0)" \
	    "$(module 31 20 C_0)" "$(module 30 9 A_0 2)" >behind.json
	profile "$(module 31 20 C_0)" "$(module 30 9 A_0 2)" \
	    "$(module 10 30 A_0)" "$(module 12 3 B_0)" "$@" >before.json
	for file in behind before; do
		equal "$(sf-dispatch $file.json | where)" \
		    "- A_0 A_0.B_0 A_0 A_0 A_0 A_0.C_0 -"
	done
	# Another function of Python's, and a module without a name, are none.
	profile "$(module 1 90 "")" "$(module 1 90 A_0 | sed 's/nn.Module: /f.py: /')" \
	    "$(neg 5 1)" >t.json
	equal "$(sf-dispatch t.json | where)" -
}

@test "modules in modules without end, and more than memory holds" {
	python3 - >t.json <<-'END'
		print('{"traceEvents":[')
		for i in range(60000):
		    print('{"ph":"X","cat":"python_function","name":"nn.Module: Deep_%d",'
		          '"pid":1,"tid":1,"ts":%d,"dur":%d},' % (i, i, 200000 - 2 * i))
		for i in range(60000):
		    print('{"ph":"X","cat":"python_function","name":"nn.Module: A_0",'
		          '"pid":1,"tid":1,"ts":%d,"dur":5},' % (300000 + i * 10))
		print('{"ph":"X","cat":"cpu_op","name":"aten::neg","pid":1,"tid":1,"ts":100000,"dur":1,'
		      '"args":{"Input Dims":[[2]],"Input type":["float"]}},')
		print('{"ph":"X","cat":"cpu_op","name":"aten::neg","pid":1,"tid":1,"ts":899991,"dur":1,'
		      '"args":{"Input Dims":[[2]],"Input type":["float"]}}]}')
	END
	sf-dispatch t.json | ops | jq -r .module >got
	equal "$(sed -n 2p got)" A_0
	# 4096 bytes of a name are enough.
	head -n 1 got | grep -q '^Deep_0[.]Deep_1[.]Deep_2[.]'
	[ "$(head -n 1 got | wc -c)" -le 4097 ]
	TMPDIR=/nowhere run --separate-stderr sf-dispatch t.json
	equal "$status" 4
}

# bats test_tags=SF-15
@test "of a profiler's trace nothing is guessed: results follow or are unknown" {
	while IFS=';' read -r name dims types concrete want; do
		profile "$(call 1 1 "aten::$name" "$dims" "$types" "$concrete")" >t.json
		run -0 --separate-stderr sf-dispatch t.json
		equal "$name $(ops <<<"$output" | jq -c \
		    '[.outputs[] | [.shape, .dtype]]')" "$name $want"
		[ "$(grep -c '"unresolved"' <<<"$output")" = \
		    "$(grep -c null <<<"$want")" ]
	done <<-'END'
		add;[2,1],[3];"float","c10::Half";"","";[[[2,3],"f32"]]
		add;[2,1],[];"int","double";"","";[[[2,1],"f64"]]
		add;[2,1],[];"int","Scalar";"","0.5";[[[2,1],null]]
		add_;[2,1],[];"int","Scalar";"","2";[[[2,1],"i32"]]
		mm;[2,3],[3,4];"float","float";"","";[[[2,4],"f32"]]
		mm;[2,3],[5,4];"float","float";"","";[[null,null]]
		addmm;[4],[2,3],[3,4];"float","float","float";"","","";[[[2,4],"f32"]]
		bmm;[5,2,3],[5,3,4];"c10::BFloat16","c10::BFloat16";"","";[[[5,2,4],"bf16"]]
		eq;[2,1],[1,3];"float","float";"","";[[[2,3],"b8"]]
		sqrt;[2];"int";"";[[[2],null]]
		_softmax;[2,3];"c10::Half";"";[[[2,3],null]]
		_softmax;[2,3],[],[];"c10::Half","Scalar","Scalar";"","1","False";[[[2,3],"f16"]]
		cat;[[2,3],[2,3]],[];"TensorList","Scalar";"","0";[[null,null]]
		conv2d;[1,3,8,8],[4,3,3,3];"float","float";"","";[[null,null]]
		conv2d;[1,3,8,8],[4,3,3,3],[],[],[],[],[];"float","float","","ScalarList","ScalarList","ScalarList","Scalar";"","","","[2, 2]","[1, 1]","[1, 1]","1";[[[1,4,4,4],"f32"]]
		max_pool2d_with_indices;[1,3,7,7],[],[],[],[],[];"float","ScalarList","ScalarList","ScalarList","ScalarList","Scalar";"","[2, 2]","[]","[0, 0]","[1, 1]","True";[[[1,3,4,4],"f32"],[[1,3,4,4],"i64"]]
		sum;[2,3],[],[],[];"float","ScalarList","Scalar","";"","[1]","True","";[[[2,1],"f32"]]
		empty;[],[];"ScalarList","Scalar";"[4, 5]","15";[[[4,5],"bf16"]]
		empty;[],[];"ScalarList","";"[4, 5]","";[[[4,5],null]]
		frobnicate;[4];"float";"";[[null,null]]
	END
	# What costs nothing needs no result.
	profile "$(call 1 1 aten::view '[4]' '"float"' '""')" >t.json
	run -0 --separate-stderr sf-dispatch t.json
	refute grep -q unresolved <<<"$output"
	# Without shapes nothing is known.
	profile '{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":1,"args":{}}' >t.json
	run -0 --separate-stderr sf-dispatch t.json
	grep -q '"unresolved":"it was recorded without shapes"' <<<"$output"
}

@test "several files, as of several ranks, are several traces" {
	profile "$(neg 1 1)" | sed 's/"schemaVersion":1/"distributedInfo":{"backend":"nccl","rank":3,"world_size":8}/' >r3.pt.trace.json
	gzip -9n <r3.pt.trace.json >r4.json.gz
	run -0 --separate-stderr sf-dispatch r3.pt.trace.json r4.json.gz
	equal "$(jq -c 'select(.kind == "trace") | [.model, .workload]' <<<"$output")" \
	    '["r3",{"rank":3,"world_size":8}]
["r4",{"rank":3,"world_size":8}]'
	equal "$(jq -c 'select(.kind == "tool") | .inputs | map(.name)' <<<"$output")" \
	    '["r3.pt.trace.json"]
["r4.json.gz"]'
	sf-rules <<<"$output" | sf-report >/dev/null
}

@test "what is neither kind of file is refused in one line with its place" {
	while IFS='	' read -r text want; do
		printf '%b' "$text" >t.json
		run -3 --separate-stderr sf-dispatch t.json
		one_line_error
		[[ $stderr == *"$want"* ]] || { echo "$text: $stderr"; false; }
	done <<-'END'
			t.json:1: the file is empty
		{}	t.json:1: found neither, expected an execution trace
		{"nodes":[],"traceEvents":[]}	found both
		{"schema":"2.0","nodes":[]}	schema '2.0', expected 1.0.1 to 1.1.1
		{"nodes":[\n{"id":1}]}	t.json:2: node 1: expected 'id', and
		{"nodes":[{"id":1,"ctrl_deps":1},\n{"id":1,"ctrl_deps":1}]}	a second node of id 1
		{"traceEvents":[\n{"ph":"X","cat":"cpu_op","name":"a::b"}]}	t.json:2: event 1: expected 'ts'
		{"traceEvents":[{"ph":"X","cat":"cpu_op","ts":5,"dur":-1}]}	event 1: a time below 0
		{"traceEvents":[\n	t.json:2: the array is cut short
		{"traceEvents":[]} x	text behind the end
	END
	profile "$(neg 5 1)" "$(neg 4 1)" >t.json
	run -3 --separate-stderr sf-dispatch t.json
	[[ $stderr == *"event 2: it begins before the one before it"* ]]
	run -3 --separate-stderr sf-dispatch - <t.json
	[[ $stderr == *"<stdin>: a profiler's trace is read twice"* ]]
	run -4 --separate-stderr sf-dispatch no/such.json
	one_line_error
}

# hostile COUNT FILE - every cut of it, and COUNT mutations.
@test "a file that is cut anywhere, or damaged, ends in one line" {
	sf-dispatch "$DATA/profiles/train.kineto.json.gz" >/dev/null
	for name in et kineto; do
		zcat "$DATA/profiles/train.$name.json.gz" >"$name.json"
		size=$(wc -c <"$name.json")
		for ((n = 0; n < size - 2; n += size / 60)); do
			head -c "$n" "$name.json" >cut
			run -3 --separate-stderr sf-dispatch cut
			one_line_error
		done
	done
	for name in execution/linear execution/old; do
		file=$ROOT/tests/fuzz/corpus/$name
		size=$(wc -c <"$file")
		for ((n = 0; n < size - 1; n += 37)); do
			head -c "$n" "$file" >cut
			run --separate-stderr sf-dispatch cut
			# Behind a node it may have been left by a process that died.
			[ "$status" = 3 ] || [[ $stderr == *"process died" ]]
			[ "$(wc -l <<<"$stderr")" = 1 ]
		done
	done
	run -0 python3 "$ROOT/tests/mutants.py" 1 60 'sf-dispatch "$1"' \
	    kineto.json et.json
	equal "$output" ""
}

# launched N [tac] - a profile of N operators that launch a kernel each; the
# launches and kernels from the first to the last, or the other way round.
launched() {
	echo '{"traceEvents":['
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
	    printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":50,\"args\":{\"Input Dims\":[[8,8],[8,8]],\"Input type\":[\"float\",\"float\"]}},\n",
		i % 3, i * 100 }'
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) {
	    printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}},\n",
		i % 3, i * 100 + 3, i
	    printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d.25,\"args\":{\"correlation\":%d,\"device\":0,\"stream\":7}},\n",
		i * 100 + 20, i % 997 + 1, i } }' | "${2:-cat}"
	echo '{"ph":"i","name":"x","ts":1}]}'
}

@test "what kernels take is found whatever their order, in memory and in a file" {
	launched 60000 >t.json
	sf-dispatch t.json | grep '^{"kind":"op"' >forth
	launched 60000 tac >t.json
	sf-dispatch t.json | grep '^{"kind":"op"' >back
	cmp forth back
	equal "$(wc -l <forth)" 60000
	equal "$(sed -n '1p;998p;59999p' forth | jq .measured_s)" \
	    $'1.2499999999999999e-06\n1.2499999999999999e-06\n0.00017925'
	# 4 MiB are 100,000 kernels and launches: these are none too many.
	launched 60000 >t.json
	TMPDIR=/nowhere run --separate-stderr sf-dispatch t.json
	equal "$status" 4
	equal "$stderr" "sf-dispatch: temporary file: No such file or directory"
	launched 40000 >t.json
	TMPDIR=/nowhere sf-dispatch t.json >/dev/null
}

@test "memory does not grow with the kernels of a profile" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	for n in 100000 300000; do
		launched $n >t.json
		run -0 "$SF_UNIT/peak" sf-dispatch t.json
		eval "peak$n=$output"
	done
	# shellcheck disable=SC2154 # set by eval
	echo "$peak100000 KiB, $peak300000 KiB"
	[ "$peak300000" -lt $((peak100000 + 512)) ]
}

@test "memory does not grow with the events of a profile" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	for n in 2000 40000; do
		python3 - $n >t.json <<-'END'
			import sys
			n = int(sys.argv[1])
			print('{"traceEvents":[')
			for i in range(n):
			    print('{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,'
			          '"ts":%d,"dur":50,"args":{"Input Dims":[[8,8],[8,8]],'
			          '"Input type":["float","float"]}},' % (i * 100))
			    print('{"ph":"X","cat":"cpu_op","name":"aten::empty","pid":1,"tid":1,'
			          '"ts":%d,"dur":5,"args":{}},' % (i * 100 + 3))
			print('{"ph":"i","name":"x","ts":1}]}')
		END
		run -0 "$SF_UNIT/peak" sf-dispatch t.json
		eval "peak$n=$output"
	done
	# shellcheck disable=SC2154 # set by eval
	echo "$peak2000 KiB, $peak40000 KiB"
	[ "$peak40000" -lt $((peak2000 + 512)) ]
}
