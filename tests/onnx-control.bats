# sf-onnx: control flow. Loops are held against the same models unrolled by
# hand, real models against the kernels that really ran.

load helpers

# model NAME JSON - writes NAME.onnx.
model() { printf '%s' "$2" | "$ROOT/tests/onnx-model.py" >"$1.onnx"; }

# ops FILTER - what the jq FILTER makes of each op of the last run.
ops() { jq -rc "select(.kind==\"op\") | $1" <<<"$output"; }

unresolved() { ops '.unresolved // empty'; }

# good MODEL [OPTION...] - the trace is whole and nothing is said.
good() {
	run -0 --separate-stderr sf-onnx "${@:2}" "$1.onnx"
	[ -z "$stderr" ] || { echo "stderr: $stderr"; return 1; }
	equal "$(unresolved)" ""
}

# refused MODEL STATUS TEXT [OPTION...] - one line with TEXT, and no output.
refused() {
	run -"$2" --separate-stderr sf-onnx "${@:4}" "$1.onnx"
	one_line_error
	[ -z "$output" ]
	[[ $stderr == *"$3"* ]] || { echo "$stderr"; return 1; }
}

# work - of the last run: operator types and the types that they take and make,
# FLOPs and bytes, but for constants, names and what is dead.
work() {
	sf-rules <<<"$output" | jq -rc 'select(.kind=="op" and .name!="onnx.Constant" and
	    (.dead|not)) | [.name, (.inputs, .outputs | map(. and "\(.dtype)\(.shape)")),
	    .flops, .bytes_read, .bytes_written, .weight_bytes]'
}

# A body that goes on, with one value of 4 that goes round.
BODY='"inputs":{"i":"i64[]","k":"b8[]","s":"f32[4]"}'
COUNT='"n":{"type":"i64[]","data":[3]},"yes":{"type":"b8[]","data":[1]}'

# ---- loops ----

# bats test_tags=SF-01,SF-08
@test "a loop is what it comes to when it is unrolled by hand" {
	model loop '{"inputs":{"x":"f32[4]"},"outputs":["y","c"],
	    "inits":{'"$COUNT"',"w":"f32[4]"},"nodes":["a = Relu(x)",
	    ["l: y, c = Loop(n, yes, a)",{"body":{"graph":{'"$BODY"',
	      "nodes":["t = Mul(s, w)","s2 = Add(t, x)","k2 = Identity(k)"],
	      "outputs":["k2","s2","t"]}}}]]}'
	good loop
	work >loop.txt
	equal "$(ops '"\(.node) \(.outputs[0].tid) \(.outputs[0].shape)"')" "null a [4]
l/0 l/0/t [4]
l/0 l/0/s2 [4]
l/0 l/0/k2 []
l/1 l/1/t [4]
l/1 l/1/s2 [4]
l/1 l/1/k2 []
l/2 l/2/t [4]
l/2 y [4]
l/2 l/2/k2 []
l c [3,4]"
	equal "$(ops 'select(.outputs[0].tid=="l/1/t").inputs[0].tid')" l/0/s2
	model flat '{"inputs":{"x":"f32[4]"},"outputs":["y","c"],
	    "inits":{'"$COUNT"',"w":"f32[4]"},"nodes":["a = Relu(x)",
	    "t0 = Mul(a, w)","s0 = Add(t0, x)","t1 = Mul(s0, w)","s1 = Add(t1, x)",
	    "t2 = Mul(s1, w)","y = Add(t2, x)","q = SequenceConstruct(t0, t1, t2)",
	    ["c = ConcatFromSequence(q)",{"axis":0,"new_axis":1}]]}'
	good flat
	# Conditions are a loop's alone; a sequence is made of what is collected.
	diff <(grep -v onnx.Identity loop.txt) <(work | grep -v SequenceConstruct)
}

# bats test_tags=SF-01,SF-08
@test "a value that goes round may grow, and its sizes are followed" {
	model m '{"inputs":{"x":"f32[2,3]"},"outputs":["y"],"inits":{'"$COUNT"'},
	    "nodes":[["l: y = Loop(n, yes, x)",{"body":{"graph":{
	      "inputs":{"i":"i64[]","k":"b8[]","s":"f32[a,3]"},
	      "nodes":["k2 = Identity(k)",["s2 = Concat(s, s)",{"axis":0}]],
	      "outputs":["k2","s2"]}}}]]}'
	good m
	equal "$(ops '.outputs[0].shape' | grep , | paste -sd' ')" "[4,3] [8,3] [16,3]"
}

# bats test_tags=SF-01,SF-08
@test "the condition of each step is followed, and the count is the most" {
	# i + 1 < 2: two steps of at most five, or of any number.
	for most in n ""; do
		model m '{"inputs":{"x":"f32[4]"},"outputs":["y","c"],
		    "inits":{"n":{"type":"i64[]","data":[5]},"yes":{"type":"b8[]","data":[1]},
		      "one":{"type":"i64[]","data":[1]},"two":{"type":"i64[]","data":[2]}},
		    "nodes":[["y, c = Loop('$most', yes, x)",{"body":{"graph":{'"$BODY"',
		      "nodes":["j = Add(i, one)","k2 = Less(j, two)","s2 = Neg(s)"],
		      "outputs":["k2","s2","s2"]}}}]]}'
		good m
		equal "$(ops 'select(.name=="onnx.Neg").outputs[0].tid' | paste -sd' ')" \
		    "y/0/s2 y"
		equal "$(ops 'select(.outputs[0].tid=="c").outputs[0].shape')" "[2,4]"
	done
}

# bats test_tags=SF-01,SF-08
@test "a loop without a step hands on what came, and collects nothing" {
	for begin in '"n":{"type":"i64[]","data":[0]},"yes":{"type":"b8[]","data":[1]}' \
	    '"n":{"type":"i64[]","data":[7]},"yes":{"type":"b8[]","data":[0]}'; do
		model m '{"inputs":{"x":"f32[4]"},"outputs":["z","d"],"inits":{'"$begin"'},
		    "nodes":[["l: y, c = Loop(n, yes, x)",{"body":{"graph":{'"$BODY"',
		      "nodes":["k2 = Identity(k)","s2 = Neg(s)","t = Unsqueeze(s, one)"],
		      "inits":{"one":{"type":"i64[1]","data":[0]}},"outputs":["k2","s2","t"]}}}],
		      "z = Neg(y)","d = Relu(c)"]}'
		good m
		equal "$(ops '"\(.name) \(.inputs[0].tid) \(.outputs[0].shape)"')" \
		    $'onnx.Neg x [4]\nonnx.Relu c [0,1,4]'
	done
}

# bats test_tags=SF-01,SF-08
@test "loops in loops, branches in them, and in functions with attributes" {
	# f(x) runs Neg A times in each of 2 steps when i is 0, else Abs.
	local inner='{"inputs":{"p":"i64[]","q":"b8[]","u":"f32[4]"},
	    "nodes":["q2 = Identity(q)","u2 = Neg(u)"],"outputs":["q2","u2"]}'
	model m '{"opsets":{"":17,"d":1},"inputs":{"x":"f32[4]"},"outputs":["y","z"],
	    "functions":[{"name":"d.f","inputs":["x"],"outputs":["y"],"attrs":["times"],
	      "nodes":[["n = Constant()",{"value_int":{"ref":"times","type":2}}],
		["two = Constant()",{"value_int":2}],["zero = Constant()",{"value_int":0}],
		["yes = Constant()",{"value":{"tensor":"b8[]","data":[1]}}],
		["outer: y = Loop(two, yes, x)",{"body":{"graph":{'"$BODY"',"nodes":[
		  "k2 = Identity(k)","first = Equal(i, zero)",
		  ["s2 = If(first)",{
		    "then_branch":{"graph":{"nodes":[["inner: v = Loop(n, yes, s)",
		      {"body":{"graph":'"$inner"'}}]],"outputs":["v"]}},
		    "else_branch":{"graph":{"nodes":["w = Abs(s)"],"outputs":["w"]}}}]],
		  "outputs":["k2","s2"]}}}]]}],
	    "nodes":[["a: y = d.f(x)",{"times":3}],["b: z = d.f(y)",{"times":1}]]}'
	good m
	equal "$(ops 'select(.name|IN("onnx.Neg","onnx.Abs")) |
	    "\(.name) \(.inputs[0].tid) \(.outputs[0].tid)"')" "onnx.Neg x a/outer/0/s2/inner/0/u2
onnx.Neg a/outer/0/s2/inner/0/u2 a/outer/0/s2/inner/1/u2
onnx.Neg a/outer/0/s2/inner/1/u2 a/outer/0/s2
onnx.Abs a/outer/0/s2 y
onnx.Neg y b/outer/0/s2
onnx.Abs b/outer/0/s2 z"
}

# bats test_tags=SF-01,SF-08
@test "no name is there twice, whatever the file calls its nodes" {
	model m '{"inputs":{"x":"f32[4]"},"outputs":["a","b"],"inits":{'"$COUNT"'},
	    "nodes":["l/0/s2 = Relu(x)",
	      ["l: a = Loop(n, yes, x)",{"body":{"graph":{'"$BODY"',
	      "nodes":["k2 = Identity(k)","s2 = Neg(s)"],"outputs":["k2","s2"]}}}],
	      ["l: b = Loop(n, yes, l/0/s2)",{"body":{"graph":{'"$BODY"',
	      "nodes":["k2 = Identity(k)","s2 = Neg(s)"],"outputs":["k2","s2"]}}}]]}'
	good m
	equal "$(ops '.outputs[].tid' | sort | uniq -d)" ""
	equal "$(ops 'select(.name=="onnx.Neg").outputs[0].tid' | paste -sd' ')" \
	    "l/0/s2~2 l/1/s2 a l~2/0/s2 l~2/1/s2 b"
}

# bats test_tags=SF-01
@test "weights inside count once, and have one name for all steps" {
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],"inits":{'"$COUNT"'},
	    "nodes":[["l: y = Loop(n, yes, x)",{"body":{"graph":{'"$BODY"',
	      "inits":{"w":"f32[4,4]"},
	      "nodes":[["c = Constant()",{"value":{"tensor":"f32[4]","data":[1,2,3,4]}}],
		"k2 = Identity(k)","t = MatMul(s, w)","s2 = Add(t, c)"],
	      "outputs":["k2","s2"]}}}]]}'
	good m
	equal "$(jq -c 'select(.kind=="trace").params' <<<"$output")" '{"count":20,"bytes":80}'
	equal "$(ops 'select(.name=="onnx.MatMul").inputs[1] | "\(.tid) \(.param)"' | sort -u)" \
	    "l/w true"
	equal "$(ops 'select(.name=="onnx.Add").inputs[1] | "\(.tid) \(.param)"' | sort -u)" \
	    "l/c true"
}

# bats test_tags=SF-01
@test "what a loop begins with is a parameter still, and nothing is folded" {
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],"inits":{'"$COUNT"',"w":"f32[4]"},
	    "nodes":[["l: v = Loop(n, yes, w)",{"body":{"graph":{'"$BODY"',
	      "nodes":["k2 = Identity(k)","s2 = Neg(s)"],"outputs":["k2","s2"]}}}],
	      "y = Add(v, x)"]}'
	good m
	equal "$(ops 'select(.name=="onnx.Neg") | "\(.inputs[0].param) \(.folded)"' | paste -sd' ')" \
	    "true null null null null null"
	equal "$(jq 'select(.kind=="trace").params.count' <<<"$output")" 4
}

# bats test_tags=SF-01
@test "a loop that nothing needs is dead, one that is needed runs whole" {
	local loop='["l: a, c = Loop(n, yes, x)",{"body":{"graph":{'"$BODY"',
	    "nodes":["k2 = Not(k)","s2 = Neg(s)","t = Abs(s)"],"outputs":["k2","s2","t"]}}}]'
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],"inits":{'"$COUNT"'},
	    "nodes":['"$loop"',"y = Relu(x)"]}'
	good m
	equal "$(ops '"\(.name) \(.dead)"')" "onnx.Not true
onnx.Neg true
onnx.Abs true
onnx.ConcatFromSequence true
onnx.Relu null"
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],"inits":{'"$COUNT"'},
	    "nodes":['"$loop"',"y = Relu(a)"]}'
	good m
	equal "$(ops '"\(.name) \(.dead)"')" "onnx.Not null
onnx.Neg null
onnx.Abs null
onnx.ConcatFromSequence true
onnx.Relu null"
}

# bats test_tags=SF-01,SF-08
@test "sequences go round, too" {
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],"inits":{'"$COUNT"'},
	    "nodes":["e = SequenceEmpty()",
	    ["l: q, z = Loop(n, yes, e, x)",{"body":{"graph":{
	      "inputs":{"i":"i64[]","k":"b8[]","s":"seq(f32[4])","v":"f32[4]"},
	      "nodes":["k2 = Identity(k)","v2 = Neg(v)","s2 = SequenceInsert(s, v2)"],
	      "outputs":["k2","s2","v2"]}}}],
	    ["y = ConcatFromSequence(q)",{"axis":0}]]}'
	good m
	equal "$(ops 'select(.outputs[0].tid=="y") | [[.inputs[].tid], .outputs[0].shape]')" \
	    '[["q[0]","q[1]","q[2]"],[12]]'
}

# bats test_tags=SF-01,SF-08
@test "SequenceMap is a step for each tensor of its sequence" {
	model m '{"inputs":{"x":"f32[6,4]","w":"f32[4]"},"outputs":["y"],
	    "inits":{"sizes":{"type":"i64[3]","data":[1,2,3]}},
	    "nodes":[["q = SplitToSequence(x, sizes)",{"axis":0}],
	    ["m: r, p = SequenceMap(q, w)",{"body":{"graph":{
	      "inputs":{"a":"f32[n,4]","b":"f32[4]"},
	      "nodes":["t = Mul(a, b)"],"outputs":["t","a"]}}}],
	    ["z = ConcatFromSequence(r)",{"axis":0}],
	    ["v = ConcatFromSequence(p)",{"axis":0}],"y = Add(z, v)"]}'
	good m
	equal "$(ops 'select(.name=="onnx.Mul") | "\(.inputs[0].tid) \(.outputs[0])"' |
	    cut -d, -f 1-3)" 'q[0] {"tid":"r[0]","shape":[1,4]
q[1] {"tid":"r[1]","shape":[2,4]
q[2] {"tid":"r[2]","shape":[3,4]'
	equal "$(ops 'select(.outputs[0].tid=="v") | [[.inputs[].tid], .outputs[0].shape]')" \
	    '[["p[0]","p[1]","p[2]"],[6,4]]'
}

# ---- scans ----

# bats test_tags=SF-01,SF-08
@test "a scan takes slices along any axis, from either end, and stacks on any" {
	local axis out back shape rest want
	# axis of the input, of the output, backwards: its shape, a slice, the stack
	while read -r axis out back shape rest want; do
		model m '{"inputs":{"x":"f32['"$shape"']","s":"f32[2]"},"outputs":["f","y"],
		    "nodes":[["c: f, y = Scan(s, x)",{"num_scan_inputs":1,
		      "scan_input_axes":['"$axis"'],"scan_output_axes":['"$out"'],
		      "scan_input_directions":['"$back"'],
		      "body":{"graph":{"inputs":{"a":"f32[2]","b":"f32['"$rest"']"},
			"nodes":["a2 = Neg(a)","z = Abs(b)"],"outputs":["a2","z"]}}}]]}'
		good m
		equal "$(ops 'select(.outputs[0].tid=="y").outputs[0].shape')" "$want"
		equal "$(ops 'select(.outputs[0].tid=="f").inputs[0].tid')" c/1/a2
		equal "$(ops 'select(.name=="onnx.SplitToSequence") | .outputs[0].tid')" \
		    "c/$((back * 2))/b"
		equal "$(ops 'select(.name=="onnx.Abs") | .inputs[0] | "\(.tid) \(.shape)"' |
		    head -1)" "c/0/b [$rest]"
	done <<-'END2'
		0 0 0 3,4,5 4,5 [3,4,5]
		0 2 1 3,4,5 4,5 [4,5,3]
		1 -1 0 4,3,5 4,5 [4,5,3]
		-1 1 1 4,5,3 4,5 [4,3,5]
	END2
}

# bats test_tags=SF-01,SF-08
@test "a scan of opset 8 goes through each element of the batch" {
	model m '{"opsets":{"":8},"inputs":{"s":"f32[2,4]","x":"f32[2,3,4]"},"outputs":["f","y"],
	    "nodes":[["c: f, y = Scan(, s, x)",{"num_scan_inputs":1,
	      "body":{"graph":{"inputs":{"a":"f32[4]","b":"f32[4]"},
		"nodes":["a2 = Add(a, b)"],"outputs":["a2","a2"]}}}]]}'
	good m
	equal "$(ops 'select(.name=="onnx.Add") | .inputs | map(.tid) | join(" ")')" \
	    "c/0/a c/0/b
c/0/a2 c/1/b
c/1/a2 c/2/b
c/1/a c/3/b
c/3/a2 c/4/b
c/4/a2 c/5/b"
	equal "$(ops 'select(.name=="onnx.ConcatFromSequence").outputs[0] | "\(.tid) \(.shape)"')" \
	    $'f [2,4]\ny [2,3,4]'
}

# ---- what is not known ----

# bats test_tags=SF-08
@test "both branches are taken on trial: their types, their costs, their errors" {
	model m '{"inputs":{"x":"f32[2,3]","p":"b8[]"},"outputs":["z"],
	    "nodes":[["i: y, t = If(p)",{
	      "then_branch":{"graph":{"nodes":["u = MatMul(x, w)","v = Neg(x)"],
		"inits":{"w":"f32[3,5]"},"outputs":["u","v"]}},
	      "else_branch":{"graph":{"nodes":["u = Add(x, x)","v = d.Odd(x)"],
		"outputs":["u","v"]}}}],"z = Relu(y)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops '"\(.name) \(.outputs[0].shape)"' | paste -sd' ')" \
	    "onnx.If [2,null] onnx.Relu [2,null]"
	equal "$(unresolved | head -1)" "the condition of If is not known, so neither \
branch is expanded: then is 2 operators and 66 FLOPs; else is 2 operators and at least 6 \
FLOPs, 1 not counted; input 'p' decides: --value p=... or --branch i=then or --branch i=else"
	# What is wrong in a branch is wrong when it is taken, and only then.
	model m '{"inputs":{"x":"f32[2,3]","p":"b8[]"},"outputs":["y"],
	    "nodes":[["i: y = If(p)",{
	      "then_branch":{"graph":{"nodes":["bad: u = MatMul(x, x)"],"outputs":["u"]}},
	      "else_branch":{"graph":{"nodes":["u = Neg(x)"],"outputs":["u"]}}}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	[[ $(unresolved) == *"then cannot be run: node 'bad' (MatMul) in"*"; else is 1 operator and 6 FLOPs;"* ]]
	refused m 3 "node 'bad' (MatMul) in 'i'" --branch "then"
	run -0 sf-onnx --branch "else" m.onnx
}

# bats test_tags=SF-08
@test "what the reason says of a branch is what the branch then costs" {
	local sizes=(--dim batch_size=2 --dim sequence_length=3 --dim past_length=5)
	for style in script dynamo; do
		"$ROOT/tests/merged-decoder.py" $style | "$ROOT/tests/onnx-model.py" >$style.onnx
		run -0 --separate-stderr sf-onnx "${sizes[@]}" $style.onnx
		reason=$(unresolved)
		for branch in "then" "else"; do
			run -0 --separate-stderr sf-onnx "${sizes[@]}" --branch $branch $style.onnx
			equal "$(unresolved)" ""
			told=$(sf-rules <<<"$output" | jq -rs '[.[] | select(.kind=="op")] |
			    "\(length) operators and \([.[].flops] | add) FLOPs"')
			[[ $reason == *"$branch is $told;"* ]]
		done
	done
}

# bats test_tags=SF-08,SF-01
@test "a merged decoder, both branches: with a past and without one" {
	local sizes=(--dim batch_size=2 --dim sequence_length=3 --dim past_length=5) past
	for style in script dynamo; do
		"$ROOT/tests/merged-decoder.py" $style | "$ROOT/tests/onnx-model.py" >$style.onnx
		for past in 5 0; do
			branch="then" value=true
			[ $past = 5 ] || branch="else" value=false
			run -0 --separate-stderr sf-onnx "${sizes[@]}" --branch optimum::if=$branch \
			    $style.onnx
			# Batch 2, 3 tokens; 4 products of 8 by 8, one of 8 by 11, two with
			# the keys and values of past and present.
			equal "$(sf-rules <<<"$output" | jq -s '[.[].macs // 0] | add')" \
			    $((2 * 3 * (4 * 64 + 88) + 2 * 2 * 3 * (past + 3) * 8))
			equal "$(ops '.outputs[] | select(.tid|IN("logits","present.0.key")) |
			    "\(.tid) \(.shape)"' | sort | paste -sd' ')" \
			    "logits [2,3,11] present.0.key [2,2,$((past + 3)),4]"
			equal "$(jq 'select(.kind=="trace").params.count' <<<"$output")" \
			    $((11 * 8 * 2 + 4 * 64))
			ops . >chosen
			good $style "${sizes[@]}" --value use_cache_branch=$value
			equal "$(ops .)" "$(cat chosen)"
		done
	done
}

# bats test_tags=SF-08
@test "types that no step changes go on from a loop of unknown length" {
	model m '{"inputs":{"x":"f32[4]","g":"f32[1,2]","n":"i64[]"},"outputs":["y","h","c"],
	    "nodes":[["y, h, c = Loop(n, , x, g)",{"body":{"graph":{
	      "inputs":{"i":"i64[]","k":"b8[]","s":"f32[4]","t":"f32[a,2]"},
	      "nodes":["k2 = Identity(k)","s2 = Neg(s)",["t2 = Concat(t, t)",{"axis":0}]],
	      "outputs":["k2","s2","t2","s2"]}}}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops '[.outputs[].shape]')" '[[4],[null,2],[null,4]]'
	equal "$(unresolved)" "how often Loop runs is not known, so its body is not \
expanded: a step is 3 operators and at least 4 FLOPs, 1 not counted; input 'n' decides how \
often it runs: --value n=... or --trips y=N"
	good m --value n=2
	equal "$(ops '.outputs[0] | select(.tid|IN("y","h","c")) | "\(.tid) \(.shape)"' |
	    paste -sd' ')" "y [4] h [4,2] c [2,4]"
}

# bats test_tags=SF-08
@test "a condition that only the data knows names its inputs" {
	model m '{"inputs":{"x":"f32[1]"},"outputs":["y"],"inits":{"yes":{"type":"b8[]","data":[1]},
	      "top":{"type":"f32[1]","data":[4.5]}},
	    "nodes":[["while: y = Loop(, yes, x)",{"body":{"graph":{
	      "inputs":{"i":"i64[]","k":"b8[]","s":"f32[1]"},
	      "nodes":["s2 = Add(s, s)","k2 = Less(s2, top)"],"outputs":["k2","s2"]}}}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	[[ $(unresolved) == *"input 'x' decides how often it runs: "*"--trips while=N" ]]
	good m --value x=1
	equal "$(ops 'select(.name=="onnx.Add").outputs[0].tid' | paste -sd' ')" \
	    "while/0/s2 while/1/s2 y"
	run -0 --separate-stderr sf-onnx --trips while=2 m.onnx
	equal "$(ops 'select(.name=="onnx.Add").outputs[0].tid' | paste -sd' ')" "while/0/s2 y"
	[[ $stderr == *"1 choice of control flow is the user's: 'while' runs 2 times"* ]]
}

# ---- what the user decides ----

# bats test_tags=SF-08
@test "choices stand in the tool record, and whoever reads the trace is told" {
	local if='"then_branch":{"graph":{"nodes":["u = Neg(x)"],"outputs":["u"]}},
	    "else_branch":{"graph":{"nodes":["u = Abs(x)"],"outputs":["u"]}}'
	model m '{"inputs":{"x":"f32[4]","p":"b8[]","n":"i64[]"},"outputs":["a","b","y"],
	    "nodes":[["one: a = If(p)",{'"$if"'}],["b = If(p)",{'"$if"'}],
	    ["l: y = Loop(n, , x)",{"body":{"graph":{'"$BODY"',
	      "nodes":["k2 = Identity(k)",["in: s2 = If(p)",{'"${if//x/s}"'}]],
	      "outputs":["k2","s2"]}}}]]}'
	run -0 --separate-stderr sf-onnx --branch "then" --branch b=else --branch l/1/in=else \
	    --trips 3 m.onnx
	one_line_error
	equal "$(unresolved)" ""
	equal "$(ops .name | grep -v Identity | paste -sd' ')" \
	    "onnx.Neg onnx.Abs onnx.Neg onnx.Abs onnx.Neg"
	equal "$(jq -c 'select(.kind=="tool").assumed' <<<"$output")" '[{"node":"one","branch":"then"},{"node":"b","branch":"else"},{"node":"in","branch":"then"},{"node":"in","branch":"else"},{"node":"l","trips":3}]'
	equal "$(jq -r 'select(.kind=="note").text' <<<"$output")" \
	    "5 choices of control flow are the user's; the first: 'one' takes its then branch"
	# Without one there is nothing to tell.
	good m --value p=true --value n=3
	equal "$(jq -c 'select(.kind=="tool").assumed' <<<"$output")" null
}

# bats test_tags=SF-08
@test "a choice that is not the user's to make is refused" {
	model m '{"inputs":{"x":"f32[4]","p":"b8[]"},"outputs":["y","z"],"inits":{'"$COUNT"'},
	    "nodes":[["i: y = If(yes)",{"then_branch":{"graph":{"outputs":["x"]}},
	      "else_branch":{"graph":{"outputs":["x"]}}}],
	    ["l: z = Loop(n, yes, x)",{"body":{"graph":{'"$BODY"',
	      "nodes":["k2 = Identity(k)","s2 = Neg(s)"],"outputs":["k2","s2"]}}}]]}'
	refused m 2 "found else for 'i', whose condition is known to be true" --branch i=else
	refused m 2 "found 2 for 'l', which is known to run 3 times" --trips l=2
	refused m 2 "the model comes to no If named 'j'; it has 'i'" --branch j=then
	refused m 2 "the model comes to no loop named 'i'; it has 'l'" --trips i=2
	refused m 2 "option '--branch': found 'maybe', expected then, else" --branch maybe
	refused m 2 "option '--trips': found 'l=-1', expected N or NODE=N" --trips l=-1
	# What is for all is for what is not known.
	good m --branch "else" --trips 9
	good m --branch i=then --trips l=3
}

# ---- searches ----

# A decoder of one product: width 4, 2 heads of 2, 7 words, and its cache.
DECODER='"inputs":{"input_ids":"i32[b,s]","position_ids":"i32[b,s]","attention_mask":"i32[b,t]",
    "past_0":"f32[2,b,2,p,2]"},
  "nodes":["h = Gather(wte, input_ids)","logits = MatMul(h, head)",
    ["r = Constant()",{"value":{"tensor":"i64[5]","data":[0,0,2,2,2]}}],
    "k = Gather(two, input_ids)",["kk = Transpose(k)",{"perm":[2,0,3,1,4]}],
    ["present_0 = Concat(past_0, kk)",{"axis":3}]],
  "outputs":["logits","present_0"]'
SEARCH='"opsets":{"":17,"com.microsoft":1},"inits":{"wte":"f32[7,4]","head":"f32[4,7]","two":"f32[7,2,2,2]",
    "most":{"type":"i32[1]","data":[8]},"beams":{"type":"i32[1]","data":[3]},
    "give":{"type":"i32[1]","data":[2]}}'

# bats test_tags=SF-01,SF-08
@test "a search runs its decoder once a token, with the cache growing" {
	model beam '{'"$SEARCH"',"inputs":{"ids":"i32[2,5]"},"outputs":["y"],
	    "nodes":[["s: y = com.microsoft.BeamSearch(ids, most, , beams, give)",
	    {"decoder":{"graph":{'"$DECODER"'}}}]]}'
	good beam
	equal "$(ops 'select(.outputs[0].tid|endswith("logits")).outputs[0].shape' | paste -sd' ')" \
	    "[6,5,7] [6,1,7] [6,1,7]"
	equal "$(ops 'select(.outputs[0].tid|endswith("present_0")).outputs[0].shape' | paste -sd' ')" \
	    "[2,6,2,5,2] [2,6,2,6,2] [2,6,2,7,2]"
	equal "$(ops 'select(.name|startswith("com.microsoft")).outputs[0].shape')" "[2,2,8]"
	equal "$(sf-rules --strict <<<"$output" | jq -s '[.[].macs // 0] | add')" $((6 * 7 * 28))
	for kind in GreedySearch Sampling; do
		model m '{'"$SEARCH"',"inputs":{"ids":"i32[2,5]"},"outputs":["y"],
		    "nodes":[["s: y = com.microsoft.'$kind'(ids, most)",
		    {"decoder":{"graph":{'"$DECODER"'}}}]]}'
		good m
		equal "$(ops 'select(.name|startswith("com.microsoft")).outputs[0].shape')" "[2,8]"
		equal "$(sf-rules --strict <<<"$output" | jq -s '[.[].macs // 0] | add')" \
		    $((2 * 7 * 28))
	done
}

# bats test_tags=SF-01,SF-08
@test "an encoder runs once, and what it makes is there for each beam" {
	local names='"encoder_input_ids":"i32[b,e]","encoder_attention_mask":"i32[b,e]"'
	local kind
	for kind in BeamSearch WhisperBeamSearch; do
		model m '{'"$SEARCH"',"inputs":{"ids":"i32[2,9]"},"outputs":["y"],
		    "nodes":[["s: y = com.microsoft.'$kind'(ids, most, , beams, give)",{
		    "model_type":1,"encoder":{"graph":{"inputs":{'"$names"',"decoder_input_ids":"i32[b,1]"},
		      "nodes":["e = Gather(wte, encoder_input_ids)","d = Gather(wte, decoder_input_ids)",
			"logits = MatMul(d, head)","c = Gather(two, encoder_input_ids)",
			["cc = Transpose(c)",{"perm":[2,0,3,1,4]}],
			"encoder_hidden_states = Relu(e)","present_key_cross_0 = Relu(e)",
			"present_key_self_0 = Relu(d)"],
		      "outputs":["logits","encoder_hidden_states","present_key_self_0","present_key_cross_0"]}},
		    "decoder":{"graph":{"inputs":{"input_ids":"i32[b,1]","encoder_attention_mask":"i32[b,e]",
			"encoder_hidden_states":"f32[b,e,4]","past_key_self_0":"f32[b,p,4]",
			"past_key_cross_0":"f32[b,e,4]"},
		      "nodes":["g = Gather(wte, input_ids)","logits = MatMul(g, head)",
			["present_key_self_0 = Concat(past_key_self_0, g)",{"axis":1}],
			"q = Add(encoder_hidden_states, past_key_cross_0)"],
		      "outputs":["logits","present_key_self_0","q"]}}}]]}'
		good m
		# One token is the encoder's, six are the decoder's: 2 rows, then 6.
		equal "$(sf-rules --strict <<<"$output" | jq -s '[.[].macs // 0] | add')" \
		    $((2 * 28 + 6 * 6 * 28))
		equal "$(ops 'select(.name=="onnx.Add").outputs[0].shape' | uniq -c | xargs)" \
		    "6 [6,9,4]"
		equal "$(ops 'select(.outputs[0].tid|endswith("present_key_self_0")).outputs[0].shape' |
		    paste -sd' ')" "[2,1,4] [6,2,4] [6,3,4] [6,4,4] [6,5,4] [6,6,4] [6,7,4]"
	done
}

# bats test_tags=SF-08
@test "a search of unknown length says what decides, and takes --trips" {
	model m '{'"${SEARCH/\"most\"/\"none\"}"',"inputs":{"ids":"i32[2,5]","most":"i32[1]"},
	    "outputs":["y"],
	    "nodes":[["s: y = com.microsoft.BeamSearch(ids, most, , beams, give)",
	    {"decoder":{"graph":{'"$DECODER"'}}}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(unresolved)" "the decoder of BeamSearch is not expanded: its length is not \
known; input 'most' decides how often it runs: --value most=... or --trips s=N"
	good m --value most=8
	ops . >given
	run -0 --separate-stderr sf-onnx --trips 3 m.onnx
	equal "$(ops .)" "$(cat given)"
	# A search may end before its length, but not run longer.
	run -0 --separate-stderr sf-onnx --value most=8 --trips s=2 m.onnx
	equal "$(jq -c 'select(.kind=="tool").assumed' <<<"$output")" '[{"node":"s","trips":2}]'
	refused m 2 "which is known to run 3 times" --value most=8 --trips s=4
}

# ---- bounds ----

# bats test_tags=SF-09
@test "loops of a billion steps, twenty inside one another, end at once" {
	[ -z "${SF_SANITIZED-}" ] || skip "the sanitizers need more memory"
	for kind in pass count endless; do
		for depth in 0 1 20; do
			python3 - $kind $depth >m.json <<-'END2'
				import json, sys
				kind, depth = sys.argv[1], int(sys.argv[2])
				most = '' if kind == 'endless' else 'n'
				def loop(out, state, d):
				    return ['%s = Loop(%s, c, %s)' % (out, most, state),
				            {'body': {'graph': body(d)}}]
				def body(d):
				    p = 'd%d' % d
				    nodes = [loop(p + 'o', p + 's', d - 1) if d else '%so = Neg(%ss)' % (p, p),
				             '%sg = %s' % (p, 'Less(%si, n)' % p if kind == 'count'
				                           else 'Identity(%sk)' % p)]
				    return {'inputs': {p + 'i': 'i64[]', p + 'k': 'b8[]', p + 's': 'f32[4]'},
				            'nodes': nodes, 'outputs': [p + 'g', p + 'o']}
				json.dump({'inputs': {'x': 'f32[4]'}, 'outputs': ['y'],
				           'inits': {'n': {'type': 'i64[]', 'data': [10 ** 9]},
				                     'c': {'type': 'b8[]', 'data': [1]}},
				           'nodes': [loop('y', 'x', depth)]}, sys.stdout)
			END2
			model m "$(cat m.json)"
			# In processor time: the machine may be busy.
			run -0 --separate-stderr python3 - <<-'END2'
				import resource, subprocess
				r = subprocess.run(['sf-onnx', 'm.onnx'], stdout=open('out', 'w'))
				u = resource.getrusage(resource.RUSAGE_CHILDREN)
				assert u.ru_utime + u.ru_stime < 2, u
				assert u.ru_maxrss < 256 * 1024, u
				raise SystemExit(r.returncode)
			END2
			# shellcheck disable=SC2154 # set by run
			[ "${#stderr_lines[@]}" -eq 1 ]
			equal "$(jq -r 'select(.kind=="op") | .name' out)" onnx.Loop
		done
	done
}

# bats test_tags=SF-09
@test "what is too long stays closed and says what it would take" {
	local loop='["l: y = Loop(n, yes, x)",{"body":{"graph":{'"$BODY"',
	    "nodes":["k2 = Identity(k)","s2 = Neg(s)"],"outputs":["k2","s2"]}}}]'
	for n in 66666 66667; do
		model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],
		    "inits":{"n":{"type":"i64[]","data":['$n']},"yes":{"type":"b8[]","data":[1]}},
		    "nodes":['"$loop"']}'
		run -0 --separate-stderr sf-onnx m.onnx
		if [ $n = 66666 ]; then
			equal "$(unresolved)" ""
			equal "$(tail -1 <<<"$output")" '{"kind":"end","ops":133332}'
		else
			equal "$(unresolved)" "the body of Loop is not expanded, as 66667 \
steps of 3 nodes would take 200001, and there may be 200000 in all: a step is 2 operators \
and 4 FLOPs"
		fi
	done
	model m '{"inputs":{"x":"f32[1000000,4]","s":"f32[4]"},"outputs":["f"],
	    "nodes":[["f = Scan(s, x)",{"num_scan_inputs":1,"body":{"graph":{
	      "inputs":{"a":"f32[4]","b":"f32[4]"},"nodes":["c = Add(a, b)"],"outputs":["c"]}}}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(unresolved)" "the body of Scan is not expanded, as 1000000 steps of 2 nodes \
would take 2000000, and there may be 200000 in all: a step is 1 operator and 4 FLOPs"
	equal "$(ops '.outputs[0].shape')" "[4]"
}

# bats test_tags=SF-08
@test "a loop that is tried in vain leaves the others as they are" {
	local rest='"nodes":["k2 = Identity(k)","s2 = Neg(s)"],"outputs":["k2","s2"]'
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y","z"],"inits":{'"$COUNT"',
	      "big":{"type":"i64[]","data":[1000000000]}},
	    "nodes":[["z = Loop(big, yes, x)",{"body":{"graph":{'"$BODY"',
	      "nodes":["k2 = Less(i, big)","s2 = Neg(s)"],"outputs":["k2","s2"]}}}],
	    ["y = Loop(n, yes, x)",{"body":{"graph":{'"$BODY,$rest"'}}}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops 'select(.name=="onnx.Neg").outputs[0].tid' | paste -sd' ')" \
	    "y/0/s2 y/1/s2 y"
	equal "$(unresolved | wc -l)" 1
}

# ---- real models ----

# What their control flow depends on: id, options.
OPTIONS="cntk_scan_1 --dim Sequence=6
polygraphy_loop --trips while_loop=1
resnet18_dynamo
silero_vad_v5 --value sr=16000
tiny_gpt2_beamsearch --value max_length=8 --value num_beams=2 --value num_return_sequences=1"

# traced ID OPTION... - its trace with the inputs it was really run with.
traced() {
	local shapes models=$SF_SHARED/data/onnx/models
	mapfile -t shapes < <("$ROOT/tests/onnx-truth.py" --shapes "$models/truth/$1.tsv")
	sf-onnx "${shapes[@]}" "${@:2}" "$models/$1.onnx"
}

# bats test_tags=SF-08
@test "models with control flow are the kernels that really ran" {
	need_shared
	while read -r id options; do
		# shellcheck disable=SC2086 # options are words
		traced "$id" $options 2>err >trace
		echo "$id"
		equal "$(jq -c 'select(.unresolved)' trace)" ""
		run -0 "$ROOT/tests/exec-truth.py" \
		    "$SF_SHARED/data/onnx/models/exec_truth/$id.tsv" <trace
	done <<<"$OPTIONS"
}

# bats test_tags=SF-08
@test "their multiply-adds are those of the kernels" {
	need_shared
	while read -r id options; do
		echo "$id"
		# shellcheck disable=SC2086 # options are words
		traced "$id" $options 2>err | sf-rules >counted
		equal "$(jq -s '[.[] | select(.name|IN("com.microsoft.Attention")|not) |
		    .macs // 0] | add' counted)" \
		    "$(awk -F'\t' -v id="$id" '$1 == id { print $4 }' \
			"$SF_SHARED/data/onnx/macs_truth.tsv")"
	done <<<"$OPTIONS"
}

# bats test_tags=SF-08
@test "the other models with control flow come out whole, too" {
	need_shared
	while read -r id options; do
		echo "$id"
		# shellcheck disable=SC2086 # options are words
		run -0 --separate-stderr sf-onnx $options "$SF_SHARED/data/onnx/models/$id.onnx"
		equal "$(unresolved)" ""
	done <<-'END2'
		burn_nested_if_loop_if_scan --value condition1=true --value M=3 --value cond=true --value condition2=true
		burn_nested_if_loop_if_scan --branch then --branch inner_if=else --trips 4
		burn_nested_if_loop_if_scan --branch else
		burn_opset_13 --branch then --value nonzero_input=1,1,1,1,1,1
		ort_issue_11536 --shape x=2x3x4 --shape axis1=1 --shape axis2=1 --value axis1=0 --value axis2=2
	END2
}
