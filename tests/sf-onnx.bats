# sf-onnx: an ONNX model as a trace. The models are made here, from small
# descriptions, by a writer that shares nothing with the reader.

load helpers

# model NAME JSON - writes NAME.onnx.
model() { printf '%s' "$2" | "$ROOT/tests/onnx-model.py" >"$1.onnx"; }

# bytes HEX... - the bytes, to standard output.
bytes() { printf '%s' "$*" | tr -d ' ' | sed 's/../\\x&/g' | xargs -0 printf; }

# ops FILTER - what the jq FILTER makes of each op of the last run.
ops() { jq -rc "select(.kind==\"op\") | $1" <<<"$output"; }

header() { jq -rc "select(.kind==\"trace\") | $1" <<<"$output"; }

# shapes - tid and shape of each operator's outputs, one a line.
shapes() { ops '.outputs[] | select(.) | "\(.tid) \(.shape)"'; }

# good MODEL [OPTION...] - the trace is whole and nothing is said.
good() {
	run -0 --separate-stderr sf-onnx "${@:2}" "$1.onnx"
	[ -z "$stderr" ] || { echo "stderr: $stderr"; return 1; }
	[ "$(jq -r 'select(.kind=="end").ops' <<<"$output")" = \
	    "$(grep -c '^{"kind":"op"' <<<"$output")" ]
}

# refused MODEL STATUS TEXT [OPTION...] - one line with TEXT, and no output.
refused() {
	run -"$2" --separate-stderr sf-onnx "${@:4}" "$1.onnx"
	one_line_error
	[ -z "$output" ]
	case $stderr in
	*"$3"*) ;;
	*)
		printf 'found: %s\nexpected: %s\n' "$stderr" "$3"
		return 1
		;;
	esac
}

# What most models begin with.
X='"inputs":{"x":"f32[1,3,8,8]"},"outputs":["y"]'

# ---- the trace ----

# bats test_tags=SF-01,SF-08
@test "a real exported model: every shape is the one PyTorch had" {
	cp "$DATA/tiny-cnn.onnx" .
	good tiny-cnn
	while IFS=$'\t' read -r tid dtype shape; do
		equal "$(jq -rc --arg t "$tid" 'select(.kind=="op") |
		    (.inputs + .outputs)[] | select(.tid==$t) |
		    "\(.dtype) \(.shape)"' <<<"$output" | sort -u)" \
		    "$dtype $shape"
	done <"$DATA/tiny-cnn.shapes.tsv"
	equal "$(grep -c '^{"kind":"op"' <<<"$output")" 17
	equal "$(header '"\(.model) \(.route) \(.workload)"')" \
	    'tiny-cnn onnx {"batch":1}'
}

# bats test_tags=SF-01
@test "an operator has its node's name, its tensors and its attributes" {
	model m '{"inits":{"w":"f32[8,3,3,3]"},'"$X"',
	    "nodes":[["c1: y = Conv(x, w)",{"group":1,"pads":[1,1,1,1]}]]}'
	good m
	equal "$(ops .)" '{"kind":"op","i":0,"name":"onnx.Conv","node":"c1","inputs":[{"tid":"x","shape":[1,3,8,8],"dtype":"f32","itemsize":4},{"tid":"w","shape":[8,3,3,3],"dtype":"f32","itemsize":4,"param":true}],"outputs":[{"tid":"y","shape":[1,8,8,8],"dtype":"f32","itemsize":4,"kept":true}],"attrs":{"group":1,"pads":[1,1,1,1]}}'
}

@test "attributes of every kind are JSON" {
	local long
	long=$(seq -s, 1 65)
	model m '{"opsets":{"":17,"d":1},'"$X"',"nodes":[["y = d.Op(x)",{
	    "f":0.1,"i":-3,"s":"a\"b","fs":[0.5,2.0],"is":[1,2],"ss":["p","q"],
	    "t":{"tensor":"i64[2]","data":[1,2]},"g":{"graph":{"nodes":["a = Relu(x)"]}},
	    "long":['"$long"'],"k\"ey":1}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops .attrs)" '{"f":0.1,"i":-3,"s":"a\"b","fs":[0.5,2],"is":[1,2],"ss":["p","q"],"t":{"dtype":"i64","shape":[2]},"g":{"nodes":1},"long":{"n":65},"k\"ey":1}'
}

@test "an optional input that is left out in the middle is null" {
	model m '{"inits":{"hi":{"type":"f32[]","data":[6]}},'"$X"',
	    "nodes":["y = Clip(x, , hi)"]}'
	good m
	equal "$(ops '[.inputs[].tid]')" '["x",null,"hi"]'
}

@test "an operator of another domain has its domain's name" {
	model m '{"opsets":{"":17,"com.example":1},'"$X"',
	    "nodes":["y = com.example.Frob(x)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops .name)" com.example.Frob
}

@test "the domain ai.onnx is the default one" {
	model m '{'"$X"',"nodes":["y = ai.onnx.Relu(x)"]}'
	good m
	equal "$(ops .name)" onnx.Relu
}

@test "the model may come through a pipe" {
	model m '{'"$X"',"nodes":["y = Relu(x)"]}'
	good m
	named=$(ops .)
	output=$(sf-onnx - <m.onnx)
	equal "$(ops .)" "$named"
	output=$(cat m.onnx | sf-onnx -)
	equal "$(ops .)" "$named"
}

@test "nodes out of order are put in order, the others stay where they are" {
	model m '{"inputs":{"x":"f32[2]"},"outputs":["y","c"],"nodes":[
	    "a: c = Relu(x)","b: y = Neg(t)","d: t = Abs(c)"]}'
	good m
	equal "$(ops .node | paste -sd' ')" "a d b"
}

@test "a node that only a graph inside another needs comes before it" {
	model m '{"inputs":{"x":"f32[2]","p":"b8[]"},"outputs":["y"],"nodes":[
	    ["y = If(p)",{"then_branch":{"graph":{"nodes":["u = Neg(late)"],"outputs":["u"]}},
	      "else_branch":{"graph":{"nodes":["v = Abs(late)"],"outputs":["v"]}}}],
	    "late = Relu(x)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops .name | paste -sd' ')" "onnx.Relu onnx.If"
	equal "$(ops 'select(.name=="onnx.Relu").dead')" null
}

@test "of two Constants of one name the later one holds, and a note says so" {
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],"nodes":[
	    ["s = Constant()",{"value_ints":[1,4]}],"y = Reshape(x, s)",
	    ["s = Constant()",{"value_ints":[2,2]}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(shapes)" $'s [2]\ny [2,2]'
	one_line_error
	equal "$(grep -c '"kind":"note"' <<<"$output")" 1
}

# ---- sizes that the user gives ----

D='"inputs":{"x":"f32[batch,seq+1,8]"},"outputs":["y"],"nodes":["y = Relu(x)"]'

@test "without a size the dimension stands by its name, and the reason names it" {
	model m "{$D}"
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(shapes)" 'y ["batch","seq+1",8]'
	equal "$(ops .unresolved)" \
	    "dimension 'batch' of input 'x' has no size: --dim batch=N"
	equal "$(grep -c '"kind":"note"' <<<"$output")" 1
	one_line_error
	equal "$(header .workload)" '{}'
}

@test "--dim gives a dimension its size wherever it is named" {
	model m '{"inputs":{"x":"f32[b,8]","z":"f32[8,b]"},"outputs":["y"],
	    "nodes":["y = MatMul(x, z)"]}'
	good m --dim b=5
	equal "$(shapes)" 'y [5,5]'
	equal "$(header .workload)" '{"batch":5,"b":5}'
}

@test "the name of a dimension may have an equals sign in it" {
	model m "$(printf '{%s}' "$D" | sed 's/seq+1/a=b/')"
	good m --dim batch=2 --dim a=b=3
	equal "$(shapes)" 'y [2,3,8]'
}

@test "--dim reaches what only a declared type says" {
	model m '{"opsets":{"":17,"d":1},"inputs":{"x":"f32[2]"},
	    "outputs":{"y":"f32[rows,4]"},"nodes":["y = d.Frob(x)"]}'
	good m --dim rows=7
	equal "$(shapes)" 'y [7,4]'
}

@test "--dim reaches the branch of an If and the body of a function" {
	model m '{"opsets":{"":17,"d":1,"l":1},"inputs":{"x":"f32[2]"},"outputs":["y"],
	    "inits":{"p":{"type":"b8[]","data":[1]}},
	    "functions":[{"name":"l.f","inputs":["x"],"outputs":["o"],"opsets":{"d":1,"":17},
	      "values":{"t":"f32[k,3]"},"nodes":["t = d.Frob(x)","o = Relu(t)"]}],
	    "nodes":[["y = If(p)",{
	      "then_branch":{"graph":{"outputs":{"u":"f32[rows,3]"},
	        "nodes":["v = l.f(x)","u = d.Frob(v)"]}},
	      "else_branch":{"graph":{"outputs":["x"]}}}]]}'
	good m --dim rows=7 --dim k=5
	equal "$(shapes | tail -2)" $'y/v [5,3]\ny [7,3]'
}

@test "--shape gives a whole input its shape, and its dimensions their sizes" {
	model m '{"inputs":{"x":"f32[b,t]","z":"f32[t,b]","r":"f32"},"outputs":["y","q"],
	    "nodes":["y = MatMul(x, z)","q = Relu(r)"]}'
	good m --shape x=2x3 --shape r=
	equal "$(shapes)" $'y [2,2]\nq []'
}

# records NAME - the operators of the last run, into NAME.
records() { grep '^{"kind":"op"' <<<"$output" >"$1"; }

@test "--shape changes a size that the model fixes, as if the file had it" {
	local body='{"inputs":{"x":"f32[IN]"},"outputs":{"y":"f32[OUT]"},
	    "values":{"t":"f32[OUT]"},"inits":{"w":"f32[9,3,3,3]"},
	    "nodes":["t = Conv(x, w)","y = Relu(t)"]}'
	model one "$(sed 's/IN/1,3,16,16/;s/OUT/1,9,14,14/' <<<"$body")"
	model eight "$(sed 's/IN/8,3,32,32/;s/OUT/8,9,30,30/' <<<"$body")"
	good eight
	records eight
	good one --shape x=8x3x32x32
	records one
	cmp eight one
	equal "$(header .workload)" '{"batch":8}'
	equal "$(jq -r 'select(.kind=="note").text' <<<"$output")" "--shape \
changes sizes that the model fixes: 'x' from f32[1,3,16,16] to 8x3x32x32; \
those that it declares for other values are not used"
	# The shape it has changes nothing, and a repetition is no other one.
	good one --shape x=1x3x16x16 --shape x=1x3x16x16
	refute grep -q -- "--shape changes" <<<"$output"
}

@test "PyTorch's export at batch 1, made 8, has the shapes of its export at 8" {
	run -0 --separate-stderr sf-onnx --shape x=8x3x32x32 "$DATA/tiny-cnn.onnx"
	ops '[.name, (.inputs, .outputs | map(.shape))]' >got
	run -0 zcat "$DATA/golden/tiny-cnn-8/onnx-batch-8.jsonl.gz"
	ops '[.name, (.inputs, .outputs | map(.shape))]' | diff - got
}

@test "sizes that are declared for another shape do not come back" {
	model m '{"opsets":{"":17,"d":1},"inputs":{"x":"f32[1,4]","z":"f32[b,4]"},
	    "inits":{"p":{"type":"b8[]","data":[1]}},
	    "outputs":{"y":"f32[1,4]","q":"f32[b,4]","r":"f32[1,4]","v":"f32[1,8]"},
	    "values":{"w":{"type":"f32[4,8]","meta":{"'$KIND'":"PARAMETER"}}},
	    "functions":[{"name":"d.f","inputs":["a"],"outputs":["o"],"opsets":{"d":1},
	      "values":{"o":"f32[1,4]"},"nodes":["o = d.Frob(a)"]}],
	    "nodes":["y = d.Frob(x)","q = d.Frob(z)","s = d.f(x)",
	      ["r = If(p)",{"then_branch":{"graph":{"outputs":{"u":"f32[1,4]"},
	        "nodes":["u = d.Frob(s)"]}},"else_branch":{"graph":{"outputs":["x"]}}}],
	      "v = MatMul(x, w)"]}'
	run -0 --separate-stderr sf-onnx --shape x=2x4 --dim b=3 m.onnx
	equal "$(shapes)" \
'y [null,null]
q [3,null]
s [null,null]
r [null,null]
v [2,8]'
}

@test "a model that cannot have the shape is refused, and the error names both" {
	model m '{"inputs":{"x":"f32[1,8]"},"outputs":["y"],
	    "inits":{"s":{"type":"i64[2]","data":[2,4]}},"nodes":["y = Reshape(x, s)"]}'
	refused m 3 "--shape changes 'x' from f32[1,8] to 3x8" --shape x=3x8
	refused m 2 "has rank 2 in the model, found 1 size" --shape x=8
}

@test "an input that has an initializer is a value, which has its shape" {
	model m '{"inputs":{"x":"f32[1,8]","w":"f32[?]"},"inits":{"w":"f32[8]"},
	    "outputs":["y"],"nodes":["y = Add(x, w)"]}'
	good m --shape w=8
	refused m 2 "'w' is given f32[9], but it is f32[8]" --shape w=9
	refused m 2 "no input and no value is named 'v'; the model has: x" --shape v=8
	model c '{"inits":{"w":"f32[8]"},"outputs":["y"],"nodes":["y = Relu(w)"]}'
	refused c 2 "no input and no value is named 'v'; the model has none" --shape v=8
	refused c 2 "no dimension is named 'w'; the model has none" --dim w=8
}

@test "a dimension that is written as a number is that number" {
	model m '{"inputs":{"x":"f32[\"80\",4]"},"outputs":["y"],"nodes":["y = Relu(x)"]}'
	good m
	equal "$(shapes)" 'y [80,4]'
}

@test "-1 is an unknown size, other sizes below 0 are errors" {
	model m '{"inputs":{"x":"f32[-1,4]"},"outputs":["y"],"nodes":["y = Relu(x)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(shapes)" 'y [null,4]'
	equal "$(ops .unresolved)" \
	    "dimension 0 of input 'x' has no size: --shape x=..."
	good m --shape x=3x4
	equal "$(shapes)" 'y [3,4]'
	model m '{"inputs":{"x":"f32[-5,4]"},"outputs":["y"],"nodes":["y = Relu(x)"]}'
	refused m 3 "input 'x': dimension 0 is -5"
}

@test "sizes that cannot be meant are usage errors that list what there is" {
	model m "{$D}"
	refused m 2 "no dimension is named 'bach'; the model has: batch, seq+1" --dim bach=2
	refused m 2 "found 'batch=-2'" --dim batch=-2
	refused m 2 "found 'batch'" --dim batch
	refused m 2 "found 'batch=2x'" --dim batch=2x
	refused m 2 "two sizes, 2 and 3" --dim batch=2 --dim batch=3
	refused m 2 "no input and no value is named 'z'; the model has: x" --shape z=1
	refused m 2 "input 'x' is given two shapes, 2x1x8 and 2x1x9" \
	    --shape x=2x1x8 --shape x=2x1x9
	refused m 2 "has rank 3" --shape x=1x8
	refused m 2 "found 'x=1x-1x8'" --shape x=1x-1x8
	refused m 2 "found 'x=1xx8'" --shape x=1xx8
}

# Twins: what has no letter in it is no name, and a model with it is the one
# without any.
@test "a name of a dimension has a letter in it" {
	local text body='{"inputs":{"x":"f32[D,3,D]"},"outputs":{"y":"f32[D,3,D]"},
	    "nodes":["y = Relu(x)"]}'
	model none "${body//D/?}"
	run -0 --separate-stderr sf-onnx none.onnx
	records expected
	for text in ? -1 '*' - '' ' ' -2 '?*' 2*3; do
		model m "${body//D/\\\"$text\\\"}"
		run -0 --separate-stderr sf-onnx m.onnx
		records got
		cmp expected got
		refused m 2 "no dimension is named '*'; the model has none" --dim '*=2'
		good m --shape x=1x3x224
		equal "$(shapes)" 'y [1,3,224]'
	done
	for text in N _ seq+1 '2*n' unk__1 größe é; do
		model m "${body//D/\\\"$text\\\"}"
		good m --dim "$text=4"
		equal "$(shapes)" 'y [4,3,4]'
	done
}

@test "a name that is given two sizes is none, and a note says so" {
	local note="names of dimensions that are given two sizes, and so are \
taken for none: 'N' is given"
	model m '{"inputs":{"x":"f32[N,3,N]","z":"f32[N,2]","k":"f32[N]"},
	    "outputs":["y","q","r"],"nodes":["y = Relu(x)","q = Neg(z)","r = Abs(k)"]}'
	run -0 --separate-stderr sf-onnx m.onnx --shape x=1x3x224 --shape z=5x2
	equal "$(shapes)" $'y [1,3,224]\nq [5,2]\nr [null]'
	equal "$(header .workload)" '{"batch":1}'
	equal "$(jq -r 'select(.kind=="note").text' <<<"$output" | head -1)" \
	    "$note 1 and 224"
	[[ $stderr == *"$note 1 and 224"* ]]
	equal "$(unresolved)" "dimension 0 of input 'k' has no size: --shape k=..."
	# What the user says of the name alone holds where nothing else does.
	run -0 --separate-stderr sf-onnx m.onnx --dim N=7 --shape z=5x2
	equal "$(shapes)" $'y [7,3,7]\nq [5,2]\nr [7]'
	equal "$(jq -r 'select(.kind=="note").text' <<<"$output")" "$note 7 and 5"
	# One size for it, however often it is given, is the name's.
	good m --shape x=5x3x5 --shape z=5x2 --dim N=5
	equal "$(shapes)" $'y [5,3,5]\nq [5,2]\nr [5]'
	equal "$(header .workload)" '{"batch":5,"N":5}'
	refused m 2 "dimension 'N' is given two sizes, 2 and 3" --dim N=2 --dim N=3
}

@test "a Split that cannot be is told of in a note" {
	local body n=0
	while read -r body; do
		model m '{"opsets":{"":'"${body%% *}"'},"inputs":{"x":"f32[7,2]"},
		    "inits":{"s":{"type":"i64[2]","data":[2,3]}},"outputs":["a","b"],
		    "nodes":['"${body#* }"']}'
		run -0 --separate-stderr sf-onnx m.onnx
		[[ $stderr == *"1 operators cannot be run as they are; the first: the Split that makes 'a': "*expected* ]]
		equal "$(jq -r 'select(.kind=="note").text' <<<"$output")" \
		    "${stderr#sf-onnx: note: }"
		equal "$(unresolved)" ""
		n=$((n + 1))
	done <<-'END'
		11 ["a, b = Split(x)",{"split":[2,3]}]
		13 "a, b = Split(x, s)"
		13 "a, b = Split(x)"
		18 ["a, b, c, d, e = Split(x)",{"num_outputs":5}]
	END
	equal "$n" 4
	model m '{"opsets":{"":18},"inputs":{"x":"f32[7,2]"},"outputs":["a","b"],
	    "nodes":[["a, b = Split(x)",{"num_outputs":2}]]}'
	good m
	equal "$(shapes)" $'a [4,2]\nb [3,2]'
}

@test "what may be a sequence is not written as a tensor" {
	model m '{"inputs":{"s":"opt(seq(f32[2,3]))","t":"opt(f32[2,3])"},
	    "opsets":{"":18},"outputs":["u","v","n"],
	    "nodes":["u = OptionalGetElement(s)","v = OptionalGetElement(t)",
	      "n = SequenceLength(u)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(shapes)" $'u null\nv [2,3]\nn []'
	equal "$(ops '.inputs[0].shape')" $'null\n[2,3]\nnull'
	# The same made in the model.
	model m '{"inputs":{"x":"f32[6]","p":"b8[]"},"opsets":{"":18},"outputs":["u","v"],
	    "nodes":[["s = SplitToSequence(x)",{"axis":0}],"o = Optional(s)",
	      "u = OptionalGetElement(o)","q = Optional(x)","v = OptionalGetElement(q)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops 'select(.name=="onnx.Optional").outputs | map(.shape)')" \
	    $'[[1],[1],[1],[1],[1],[1]]\n[[6]]'
	equal "$(ops 'select(.outputs[0].tid=="v").outputs[0].shape')" '[6]'
}

# ---- contents that the user gives ----

# unresolved - the reasons of the last run, one a line.
unresolved() { ops 'select(.unresolved).unresolved'; }

# An input of every type decides over a shape, and the shape is its value.
@test "--value says what an input holds, whatever its type" {
	local type
	for type in i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64; do
		model m '{"inputs":{"x":"f32[6]","s":"'$type'[2]"},"outputs":["y"],
		    "nodes":[["t = Cast(s)",{"to":7}],"y = Reshape(x, t)"]}'
		run -0 --separate-stderr sf-onnx m.onnx
		equal "$(unresolved)" "the contents of 't' are not known; input \
's' decides: --value s=..."
		good m --value s=3,2
		equal "$(shapes | tail -1)" 'y [3,2]'
		equal "$(ops .folded)" $'null\nnull'
		equal "$(jq -rc 'select(.kind=="tool").args' <<<"$output")" \
		    '["--value","s=3,2","m.onnx"]'
		# A wrong value is told of, not taken.
		refused m 3 "with --value s=4,2" --value s=4,2
	done
	for size in 1,1,2.5,0.5 1,1,25e-1,0.5; do
		model m '{"inputs":{"x":"f32[1,1,4,4]","s":"f32[4]"},
		    "outputs":["y"],"nodes":["y = Resize(x, , s)"]}'
		good m --value s=$size
		equal "$(shapes | tail -1)" 'y [1,1,10,2]'
	done
}

@test "a value decides as an initializer of the same contents does" {
	local body='"outputs":["y"],"nodes":["q = Not(p)",["y = If(q)",{
	    "then_branch":{"graph":{"nodes":["u = Neg(x)"],"outputs":["u"]}},
	    "else_branch":{"graph":{"nodes":["v = Flatten(x)"],"outputs":["v"]}}}]]'
	local truth
	model open '{"inputs":{"x":"f32[2,3,4]","p":"b8[]"},'"$body}"
	for truth in 0 1 false true; do
		model m '{"inputs":{"x":"f32[2,3,4]"},"inits":{"p":{"type":"b8[]",
		    "data":['$truth']}},'"$body}"
		good m
		local expected
		expected=$(shapes)
		good open --value p=$truth
		equal "$(shapes)" "$expected"
	done
}

@test "a vector without a size has that of its values, wherever it is named" {
	model m '{"inputs":{"x":"f32[6]","s":"i64[k]","z":"f32[k,2]"},
	    "outputs":["y","q"],"nodes":["y = Reshape(x, s)","q = Relu(z)"]}'
	good m --value s=3,2
	equal "$(shapes)" $'y [3,2]\nq [2,2]'
	equal "$(header .workload)" '{"batch":6,"k":2}'
	good m --value s=3,2 --dim k=2 --value s=3,2
	refused m 2 "found 2 elements for input 's', expected 3 as it is i64[3]" \
	    --value s=3,2 --dim k=3
	model m '{"inputs":{"x":"f32[1]","s":"i64[0]"},"outputs":["y"],
	    "nodes":["y = Reshape(x, s)"]}'
	good m --value s=
	equal "$(shapes)" 'y []'
}

@test "values that cannot be are usage errors" {
	model m '{"inputs":{"x":"f32[2]","n":"u8[2]","p":"b8[]","t":"str[]",
	      "big":"i64[4097]","b":"i64[b,2]","f":"f16[1]","w":"i64[1]"},
	    "inits":{"w":{"type":"i64[1]","data":[1]}},
	    "outputs":["y"],"nodes":["y = Relu(x)"]}'
	refused m 2 "no input is named 'z'; the model has: x, n, p" --value z=1
	refused m 2 "no input is named 'w'" --value w=1
	refused m 2 "found 'x', expected INPUT=V[,V...]" --value x
	refused m 2 "found 3 elements for input 'n', expected 2" --value n=1,2,3
	refused m 2 "element 1 of input 'n' is '256', no u8" --value n=0,256
	refused m 2 "element 0 of input 'n' is '-1', no u8" --value n=-1,0
	refused m 2 "element 1 of input 'n' is '', no u8" --value n=1,
	refused m 2 "element 0 of input 'n' is 'true', no u8" --value n=true,1
	refused m 2 "element 0 of input 'n' is '1.5', no u8" --value n=1.5,1
	refused m 2 "element 0 of input 'p' is '2', no b8" --value p=2
	refused m 2 "element 1 of input 'x' is '1e39', no f32" --value x=1,1e39
	refused m 2 "element 0 of input 'f' is '65520', no f16" --value f=65520
	refused m 2 "element 0 of input 'x' is 'nan', no f32" --value x=nan,1
	refused m 2 "input 't' is of type str" --value t=a
	refused m 2 "has 4097 elements, expected at most 4096" --value big=1
	refused m 2 "the type of input 'b' is i64[b,2]" --value b=1,2
	refused m 2 "input 'p' is given twice, as 1 and 0" --value p=1 --value p=0
}

@test "4096 values are as many as an input may be given" {
	model m '{"inputs":{"x":"f32[4096]","s":"i64[4096]"},"outputs":["y"],
	    "inits":{"k":{"type":"i64[1]","data":[4095]}},
	    "nodes":["t = Gather(s, k)","y = Reshape(x, t)"]}'
	good m --value s="$(seq -s, 1 4096)"
	equal "$(shapes | tail -1)" 'y [4096]'
}

@test "a reason names the inputs that decide, and the option where it settles" {
	# What is in between follows contents, or does not; a shape carries none.
	model m '{"inputs":{"x":"f32[1,1,4,4]","n":"i64[]","a":"i64[1]","t4":"i64[4]"},
	    "inits":{"w":"f32[1,1,3,3]","one":{"type":"i64[]","data":[1]},
	      "e":{"type":"i64[1]","data":[0]}},
	    "outputs":["f","r","q"],"nodes":["c = Conv(x, w)","z = NonZero(c)",
	      "m = Mul(n, one)","u = Unsqueeze(m, e)",
	      ["t = Concat(u, a)",{"axis":0}],"r = Reshape(x, t)","f = Relu(z)",
	      "k = Tile(x, t4)","q = Abs(k)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops 'select(.unresolved) | "\(.name) \(.unresolved)"')" \
"onnx.NonZero the number of elements of 'c' that are not zero is not known; input 'x' decides
onnx.Reshape the contents of 't' are not known; inputs 'n', 'a' decide: --value n=... --value a=...
onnx.Relu the number of elements of 'c' that are not zero is not known; input 'x' decides
onnx.Tile the contents of 't4' are not known; input 't4' decides: --value t4=...
onnx.Abs the contents of 't4' are not known; input 't4' decides: --value t4=..."
}

# The option that a reason names is taken, and the reason is then gone.
@test "what a reason offers settles it" {
	local body
	local -a kinds=(
	    '"nodes":["y = NonZero(v)"]'
	    '"nodes":["y = Unique(v)"]'
	    '"nodes":["y = Compress(x, b)"]'
	    '"nodes":["y = Expand(one, v)"]'
	    '"nodes":["y = ConstantOfShape(v)"]'
	    '"nodes":["y = Tile(x, v)"]'
	    '"nodes":["y = Pad(x, w)"]'
	    '"nodes":["y = Slice(x, v, w2)"]'
	    '"nodes":["y, z = TopK(x, v1)"]'
	    '"nodes":["y = Range(n, n2, n)"]'
	    '"nodes":["y = OneHot(v, n, two)"]'
	    '"nodes":["y = Resize(x, , , v)"]'
	    '"nodes":["y = NonMaxSuppression(bx, sc, v1)"]'
	    '"nodes":[["y, z = Split(x, v)",{"axis":1}]]'
	)
	for body in "${kinds[@]}"; do
		model m '{"opsets":{"":18},"inputs":{"x":"f32[4,2]","v":"i64[2]","w":"i64[4]",
		      "bx":"f32[1,2,4]","sc":"f32[1,1,2]",
		      "w2":"i64[2]","v1":"i64[1]","n":"i64[]","n2":"i64[]","b":"b8[4]"},
		    "inits":{"one":"f32[1,1]","two":{"type":"f32[2]","data":[0,1]}},
		    "outputs":["y"],'"$body}"
		run -0 --separate-stderr sf-onnx m.onnx
		local reason options
		reason=$(unresolved)
		[[ $reason == *"--value"* ]] || { echo "$body: $reason"; return 1; }
		options=$(grep -o -- '--value [a-z0-9]*=' <<<"$reason" | paste -sd' ' |
		    sed 's/v=/v=1,1/;s/w=/w=1,1,1,1/;s/w2=/w2=2,2/;s/v1=/v1=1/;s/bx=/bx=0,0,1,1,2,2,3,3/;s/sc=/sc=1,2/;s/n=/n=1/;s/n2=/n2=2/;s/b=/b=1,0,1,0/')
		# shellcheck disable=SC2086
		run -0 --separate-stderr sf-onnx $options m.onnx
		equal "$(unresolved)" ""
	done
}

@test "a condition names its inputs, and a size that it depends on" {
	local if='["y = If(a)",{"then_branch":{"graph":{"nodes":["u = Neg(x)"],"outputs":["u"]}},
	    "else_branch":{"graph":{"nodes":["v = Abs(x)"],"outputs":["v"]}}}]'
	model m '{"inputs":{"x":"f32[b,4]","p":"b8[]"},
	    "inits":{"one":{"type":"i64[]","data":[1]},"zero":{"type":"i64[]","data":[0]}},
	    "outputs":["y"],"nodes":["s = Shape(x)","g = Gather(s, zero)",
	    "e = Equal(g, one)","a = And(e, p)",'"$if"']}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops 'select(.name=="onnx.If").unresolved')" "the condition of If \
is not known, so neither branch is expanded: then is 1 operator and at least 0 \
FLOPs, 1 not counted; else is 1 operator and at least 0 FLOPs, 1 not counted; \
dimension 'b' of input 'x' has no size: --dim b=N; input 'p' decides: \
--branch y=then or --branch y=else"
	run -0 --separate-stderr sf-onnx m.onnx --dim b=1
	equal "$(unresolved)" "the condition of If is not known, so neither branch \
is expanded: then is 1 operator and 4 FLOPs; else is 1 operator and 4 FLOPs; \
input 'p' decides: --value p=... or --branch y=then or --branch y=else"
	good m --dim b=1 --value p=true
	equal "$(ops .name | tail -1)" onnx.Neg
	model m '{"inputs":{"x":"f32[4]","n":"i64[]"},"outputs":["y"],
	    "nodes":[["y = Loop(n, , x)",{"body":{"graph":{
	      "inputs":{"i":"i64[]","k":"b8[]","s":"f32[4]"},
	      "nodes":["k2 = Identity(k)","s2 = Neg(s)"],"outputs":["k2","s2"]}}}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(unresolved)" "how often Loop runs is not known, so its body is not \
expanded: a step is 2 operators and 4 FLOPs; input 'n' decides how often it \
runs: --value n=... or --trips y=N"
}

@test "reasons stay short, however long the chain of conditions" {
	model m "$(python3 -c 'import json
n = 3000
branch = lambda op: {"graph": {"nodes": ["u = %s(x)" % op], "outputs": ["u"]}}
nodes = [["c%d = If(c%d)" % (i + 1, i), {"then_branch": branch("Not"),
    "else_branch": branch("Identity")}] for i in range(n)]
print(json.dumps({"inputs": {"c0": "b8[]", "x": "b8[]"}, "outputs": ["c%d" % n],
    "nodes": nodes}))')"
	run -0 --separate-stderr sf-onnx m.onnx
	[ "$(ops '.unresolved | length' | sort -n | tail -1)" -lt 1000 ]
}

# ---- what a model takes and gives ----

@test "--inputs lists inputs and outputs, and the options for what is open" {
	model m '{"inputs":{"x":"f32[b,3,?]","s":"seq(f32[2])","r":"f16",
	      "a b":"i64[k k,k k]","p":"b8[]","w":{"type":"f32[3]","meta":{"'$KIND'":"PARAMETER"}},
	      "i":"f32[3]"},
	    "inits":{"i":"f32[3]"},"outputs":{"y":null,"z":"f32[b,rows]","q":"i64[3]"},
	    "opsets":{"":17,"d":1},
	    "nodes":["z = d.Frob(x)","q = Shape(x)",["y = If(p)",{
	      "then_branch":{"graph":{"outputs":["x"]}},
	      "else_branch":{"graph":{"outputs":["w"]}}}]]}'
	run -0 --separate-stderr sf-onnx --inputs m.onnx
	[ -z "$stderr" ]
	equal "$output" "$(printf '%s\t%s\t%s\t%s\t%s\n' \
	    input x 'f32[b,3,?]' 'b,?' '--dim b=N --shape x=...' \
	    input s 'seq(f32[2])' - '--shape s=...' \
	    input r 'f16[...]' ... '--shape r=...' \
	    input 'a b' 'i64[k k,k k]' 'k k' "--dim 'k k=N'" \
	    input p 'b8[]' - '--value p=...' \
	    constant w 'f32[3]' - - \
	    output y 'f32[...]' ... - \
	    output z 'f32[b,rows]' b,rows '--dim b=N --dim rows=N' \
	    output q 'i64[3]' - -)"
	run -0 --separate-stderr sf-onnx --inputs --dim b=2 --shape x=2x3x4 \
	    --value p=true m.onnx
	equal "$(grep -P '\t(x|p|y)\t' <<<"$output")" \
	    $'input\tx\tf32[2,3,4]\t-\t-\ninput\tp\tb8[]\t-\t-\noutput\ty\tf32[2,3,4]\t-\t-'
	refused m 2 "no dimension is named 'c'" --inputs --dim c=2
}

# Each option that is listed is one that is taken, and then nothing is open.
@test "what --inputs offers binds all there is" {
	local options
	model m '{"inputs":{"x":"f32[b,3,h,\"p q\"]","z":"f32[?,?]","s":"i64[2]"},"outputs":["y","q","u"],
	    "nodes":["y = Relu(x)","q = Neg(z)","u = ConstantOfShape(s)"]}'
	run -0 sf-onnx --inputs m.onnx
	options=$(cut -f5 <<<"$output" | grep -v '^-$' |
	    sed 's/=N/=5/g;s/z=\.\.\./z=2x2/;s/s=\.\.\./s=1,2/' | paste -sd' ')
	eval "good m $options"
	eval "run -0 sf-onnx --inputs m.onnx $options"
	equal "$(cut -f4,5 <<<"$output" | sort -u)" $'-\t-'
}

# The same trace as with the option that says the same.
@test "--batch is the option that it stands for" {
	local inputs named n=0
	while IFS='|' read -r inputs named; do
		model m '{"inputs":{'"$inputs"'},"outputs":["y"],"nodes":["y = Relu(x)"]}'
		run -0 --separate-stderr sf-onnx m.onnx --batch 5
		records batch
		equal "$(header .workload.batch)" 5
		# shellcheck disable=SC2086
		run -0 --separate-stderr sf-onnx m.onnx $named
		records same
		cmp batch same
		n=$((n + 1))
	done <<-'END'
		"x":"f32[N,3]"|--dim N=5
		"x":"f32[1,3]"|--shape x=5x3
		"x":"f32[?,3]"|--shape x=5x3
		"x":"f32[2,3]","z":"f32[2,4]","s":"f32[]"|--shape x=5x3 --shape z=5x4
		"x":"f32[N,t]","z":"i64[N,t]","c":"b8[1]"|--dim N=5
		"c":"f32[batch_size,2]","x":"f32[t,batch_size]"|--dim batch_size=5
		"x":"f32[N,3]","h":"f32[2,N,8]","Batch":"f32[t,Batch.0]"|--dim Batch.0=5
	END
	equal "$n" 7
}

@test "--batch is refused where it is not clear, and says why" {
	local inputs text n=0
	while IFS='|' read -r inputs text; do
		model m '{"inputs":{'"$inputs"'},"outputs":[]}'
		refused m 2 "$text" --batch 5
		n=$((n + 1))
	done <<-'END'
		"x":"f32[2,3]","z":"f32[4,3]"|inputs 'x' f32[2,3] and 'z' f32[4,3] do not begin with one batch
		"x":"f32[N,3]","z":"f32[M,3]"|inputs 'x' f32[N,3] and 'z' f32[M,3] do not begin
		"x":"f32[N,3]","z":"f32[?,3]"|inputs 'x' f32[N,3] and 'z' f32[?,3] do not begin
		"x":"f32[1,3]","z":"f32[1]"|inputs 'x' f32[1,3] and 'z' f32[1] do not begin
		"x":"f32[N,N]"|'N' is dimension 1 of input 'x', too
		"x":"f32[batch,3]","z":"f32[batch_2,3]"|both 'batch' and 'batch_2' may be the batch
		"x":"f32"|input 'x' is no tensor of a known rank
		"x":"seq(f32[2])"|input 'x' is no tensor of a known rank
		"x":"f32[]"|the model has no input with a dimension
	END
	equal "$n" 9
	model m '{"inputs":{"x":"f32[1,8]"},"outputs":["y"],
	    "inits":{"s":{"type":"i64[2]","data":[2,4]}},"nodes":["y = Reshape(x, s)"]}'
	refused m 3 "--batch changes 'x' from f32[1,8] to a batch of 3" --batch 3
	refused m 2 "option '--batch'" --batch -1
}

# ---- what is known and what is not ----

# bats test_tags=SF-08
@test "an operator type without a rule is unresolved, by its name" {
	model m '{"opsets":{"":17,"d":1},'"$X"',"nodes":["t = d.Frob(x)","y = Relu(t)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops .unresolved | sort -u)" "no shape rule for operator type 'd.Frob'; --rules FILE with 'out =', or --shape t=... gives it"
	one_line_error
}

@test "a declared type fills in what does not follow from the inputs" {
	model m '{"opsets":{"":17,"d":1},'"$X"',"values":{"t":"f16[2,5]"},
	    "nodes":["t = d.Frob(x)","y = Relu(t)"]}'
	good m
	equal "$(shapes)" $'t [2,5]\ny [2,5]'
	equal "$(ops '.outputs[0].dtype' | sort -u)" f16
}

@test "a declared type that is wrong is not taken, and a note says so" {
	model m '{'"$X"',"values":[["t","f32[1]"],["t","f32[2]"]],
	    "nodes":["t = Relu(x)","y = Relu(t)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(shapes)" $'t [1,3,8,8]\ny [1,3,8,8]'
	equal "$(ops .unresolved | sort -u)" null
	[[ $stderr == *"'t': declared f32[1], found f32[1,3,8,8]"* ]]
	one_line_error
	equal "$(grep -c '"kind":"note"' <<<"$output")" 1
}

@test "names of any length are whole in notes, and what is left out is marked" {
	long=$(printf '%03000d' 0)
	model m '{"inputs":{"'"$long"'":"f32[1,3]"},"outputs":["y"],
	    "nodes":["t = Relu('"$long"')","y = Nope(t)"]}'
	run -0 --separate-stderr sf-onnx -s "$long=2x3" m.onnx
	equal "$(jq -r 'select(.kind=="note").text|scan("0{9,}")|length' \
	    <<<"$output")" 3000
	model m '{"inputs":{"'"$long"'":"i64[2]"},"outputs":["y"],
	    "nodes":["z = ConstantOfShape('"$long"')","y = Relu(z)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops '.unresolved|scan("0{9,}")|length' | sort -u)" 3000
	equal "$(jq -r 'select(.kind=="note").text|scan("0{9,}")|length' \
	    <<<"$output" | sort -u)" 3000
	refused m 2 " [...] " -s "$long=7x7"
}

@test "contents of small tensors are followed: shapes are computed in the model" {
	model m '{"inputs":{"x":"f32[2,3,4]"},"outputs":["y"],
	    "inits":{"zero":{"type":"i64[1]","data":[0]},"one":{"type":"i64[1]","data":[1]},
	      "rest":{"type":"i64[1]","data":[-1]}},
	    "nodes":["s = Shape(x)","n = Slice(s, zero, one)",
	      ["t = Concat(n, rest)",{"axis":0}],"y = Reshape(x, t)"]}'
	good m
	equal "$(shapes | tail -1)" 'y [2,12]'
}

@test "contents are read from every field that may hold them" {
	for home in raw typed; do
		for type in i64 i32; do
			model m '{"inputs":{"x":"f32[6]"},"outputs":["y"],
			    "inits":{"s":{"type":"'$type'[2]","data":[3,-1],"home":"'$home'"}},
			    "nodes":[["s64 = Cast(s)",{"to":7}],"y = Reshape(x, s64)"]}'
			good m
			equal "$(shapes | tail -1)" 'y [3,2]'
		done
		for type in f32 f64 f16; do
			[ $home$type = typedf16 ] && continue
			model m '{"inputs":{"x":"f32[1,1,4,4]"},"outputs":["y"],
			    "inits":{"s":{"type":"'$type'[4]","data":[1,1,2.5,0.5],"home":"'$home'"}},
			    "nodes":[["s32 = Cast(s)",{"to":1}],"y = Resize(x, , s32)"]}'
			good m
			equal "$(shapes | tail -1)" 'y [1,1,10,2]'
		done
	done
}

@test "a sequence of known tensors stands in the record as those tensors" {
	model m '{"inputs":{"x":"f32[6,4]"},"outputs":["y"],
	    "inits":{"n":{"type":"i64[]","data":[4]},"at":{"type":"i64[]","data":[1]}},
	    "nodes":[["s = SplitToSequence(x, n)",{"axis":0}],"y = SequenceAt(s, at)"]}'
	good m
	equal "$(shapes)" $'s[0] [4,4]\ns[1] [2,4]\ny [2,4]'
	equal "$(ops '[.inputs[].tid]' | tail -1)" '["s[0]","s[1]","at"]'
}

@test "an input that is a sequence is named as what it is" {
	model m '{"inputs":{"x":"seq(f32[2])"},"outputs":["y"],"nodes":["y = SequenceLength(x)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops .unresolved)" "input 'x' is no tensor but a sequence: --shape x=..."
}

@test "maps are written as the table of their numbers" {
	model m '{"opsets":{"":17,"ai.onnx.ml":3},"inputs":{"x":"f32[N,5]"},"outputs":["z"],
	    "nodes":[["l, p = ai.onnx.ml.LinearClassifier(x)",
	        {"coefficients":[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,1.0,2.0,3.0,4.0,5.0,6.0],
	        "classlabels_ints":[0,1,2]}],
	      ["z = ai.onnx.ml.ZipMap(p)",{"classlabels_int64s":[0,1,2]}]]}'
	run -0 --separate-stderr sf-onnx --dim N=4 m.onnx
	equal "$stderr" ""
	equal "$(shapes | tail -1)" "z [4,3]"
	run -0 --separate-stderr sf-onnx m.onnx
	[[ $(ops 'select(.outputs[0].tid=="z").unresolved') == "dimension 'N' of input 'x'"* ]]
}

# lists - a model that takes a sequence, an optional of one, and an optional.
lists() {
	model m '{"inputs":{"s":"opt(seq(f32[2,N]))","t":"opt(f32[2,K])","q":"seq(f32[M])"},
	    "inits":{"at":{"type":"i64[]","data":[1]}},"opsets":{"":18},
	    "outputs":["v","n","h","c","y"],
	    "nodes":["u = OptionalGetElement(s)","v = OptionalGetElement(t)",
	      "n = SequenceLength(u)","h = OptionalHasElement(t)","c = SequenceAt(u, at)",
	      ["y = ConcatFromSequence(q)",{"axis":0}]]}'
}

@test "--shape says what a sequence or an optional holds" {
	lists
	run -0 --separate-stderr sf-onnx --shape s=2x4,2x5 --shape t=2x3 \
	    --shape q=3,4,5 m.onnx
	equal "$stderr" ""
	equal "$(shapes)" \
	    $'u[0] [2,4]\nu[1] [2,5]\nv [2,3]\nn []\nh []\nc [2,5]\ny [12]'
	equal "$(ops '[.inputs[].tid]' | head -2)" $'["s[0]","s[1]"]\n["t"]'
	# Nothing where something is taken, and a sequence of none.
	run -0 --separate-stderr sf-onnx --shape s=2x4,2x5 --shape t=none \
	    --shape q=7 m.onnx
	[[ $stderr == *"the optional holds nothing"* ]]
	equal "$(ops 'select(.name=="onnx.OptionalHasElement").inputs')" "[null]"
	equal "$(ops 'select(.outputs[0].tid=="y").outputs[0].shape')" "[7]"
	model m '{"inputs":{"s":"opt(seq(f32[2]))","q":"seq(f32[2])"},"opsets":{"":18},
	    "outputs":["l","n"],"nodes":["u = OptionalGetElement(s)",
	      "l = SequenceLength(u)","n = SequenceLength(q)"]}'
	run -0 --separate-stderr sf-onnx --shape s=empty --shape q=empty m.onnx
	equal "$stderr" ""
	equal "$(ops '.inputs | length')" $'0\n0\n0'
}

@test "what an optional holds decides on a branch" {
	model m '{"inputs":{"t":"opt(f32[2,3])","x":"f32[5]"},"opsets":{"":18},"outputs":["y"],
	    "nodes":["h = OptionalHasElement(t)",["y = If(h)",
	      {"then_branch":{"graph":{"nodes":["v = OptionalGetElement(t)"],"outputs":["v"]}},
	       "else_branch":{"graph":{"nodes":["w = Identity(x)"],"outputs":["w"]}}}]]}'
	run -0 --separate-stderr sf-onnx --shape t=2x3 m.onnx
	equal "$(shapes | tail -1)" "y [2,3]"
	run -0 --separate-stderr sf-onnx --shape t=none m.onnx
	equal "$stderr" ""
	equal "$(shapes | tail -1)" "y [5]"
}

@test "elements that the model has no room for are usage errors" {
	lists
	refused() {
		run -2 --separate-stderr sf-onnx --shape "$1" m.onnx
		[[ $stderr == *"option '--shape': $2"* ]]
	}
	refused s=2x3,3x4 "found '3x4' for an element of input 's', which in the model is f32[2,N]"
	refused s=2x3:f16 "found '2x3:f16' for an element of input 's', which in the model is f32[2,N]"
	refused t=2x3,2x3 "found 2 shapes for input 't', which holds one tensor or none"
	refused t=empty "found 'empty' for an element of input 't', expected 1x3[:TYPE]"
	refused q=none "found 'none' for an element of input 'q', expected 1x3[:TYPE]"
	refused q=2,-1 "found '-1' for an element of input 'q', expected 1x3[:TYPE]"
	run -2 --separate-stderr sf-onnx --shape q=2 --shape q=3 m.onnx
	[[ $stderr == *"input 'q' is given two shapes, 2 and 3"* ]]
}

@test "a sequence of many tensors is unresolved, and says why" {
	model m '{"inputs":{"x":"f32[65]"},"outputs":["y"],"nodes":[
	    ["s = SplitToSequence(x)",{"axis":0}],"y = SequenceLength(s)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops .unresolved | sort -u)" "it is a sequence of more than 64 tensors"
	equal "$(shapes)" $'s null\ny []'
}

@test "computing on constants has an end, and a note says so" {
	model m "$(python3 -c 'import json
n = 2000
print(json.dumps({"inputs": {"x": "f32[2]"}, "outputs": ["y"],
    "inits": {"c": {"type": "i64[4096]", "data": [1] * 4096},
        "zero": {"type": "i64[]", "data": [0]}, "one": {"type": "i64[]", "data": [1]}},
    "nodes": ["t0 = Add(c, c)"] +
        ["t%d = Add(t%d, c)" % (i, i - 1) for i in range(1, n)] +
        ["g = Gather(t%d, zero)" % (n - 1), "y = Range(zero, g, one)"]}))')"
	run -0 --separate-stderr sf-onnx m.onnx
	[[ $stderr == *"constants of more than 4194304 elements"* ]]
	[[ $(ops 'select(.name=="onnx.Range").unresolved') == *"contents"* ]]
}

# ---- constants, dead nodes ----

@test "an operator on constants is folded, one on an input is not" {
	model m '{'"$X"',"inits":{"w":"f32[3,1,1]"},
	    "nodes":["v = Exp(w)","y = Mul(x, v)"]}'
	good m
	equal "$(ops '"\(.name) \(.folded)"')" $'onnx.Exp true\nonnx.Mul null'
	equal "$(ops '[.inputs[].param]' | paste -sd' ')" '[true] [null,true]'
}

@test "random numbers and operators without a rule are not folded" {
	model m '{"opsets":{"":17,"d":1},'"$X"',"inits":{"w":"f32[3,1,1]"},"values":{"v":"f32[1]"},
	    "nodes":[["r = RandomNormal()",{"shape":[3,1,1]}],"l = RandomNormalLike(w)","v = d.Frob(w)",
	      "s = Sum(r, l, v)","y = Mul(x, s)"]}'
	good m
	equal "$(ops '.folded' | sort -u)" null
}

@test "a weight that is only rearranged is folded and a parameter still" {
	model m '{"inputs":{"x":"f16[2,4]"},"outputs":["y"],"inits":{"w":"f32[8,4]"},
	    "nodes":[["h = Cast(w)",{"to":10}],["t = Transpose(h)",{"perm":[1,0]}],
	      "i = Identity(t)","y = MatMul(x, i)"]}'
	good m
	equal "$(ops '"\(.name) \(.folded) \(.outputs[0].param)"')" \
'onnx.Cast true true
onnx.Transpose true true
onnx.Identity true true
onnx.MatMul null null'
	equal "$(ops '.inputs[1]' | tail -1)" \
	    '{"tid":"i","shape":[4,8],"dtype":"f16","itemsize":2,"param":true}'
	equal "$(header .params)" '{"count":32,"bytes":128}'
}

@test "a Constant is an operator of the trace" {
	model m '{"inputs":{"x":"f32[2]"},"outputs":["y"],
	    "nodes":[["c = Constant()",{"value_float":2.0}],"y = Mul(x, c)"]}'
	good m
	equal "$(ops '"\(.name) \(.folded)"' | head -1)" 'onnx.Constant true'
}

@test "what no output needs is dead, what a graph inside needs is not" {
	model m '{"inputs":{"x":"f32[2]","p":"b8[]"},"outputs":["y"],"nodes":[
	    "unused = Neg(x)","deeper = Abs(unused)","captured = Exp(x)","t = Relu(x)",
	    ["u = If(p)",{"then_branch":{"graph":{"nodes":["a = Neg(captured)"],"outputs":["a"]}},
	      "else_branch":{"graph":{"nodes":["b = Neg(x)"],"outputs":["b"]}}}],
	    "y = Add(t, u)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops 'select(.dead).name' | paste -sd' ')" "onnx.Neg onnx.Abs"
}

# ---- parameters ----

@test "without metadata every initializer is a parameter, a size is none" {
	model m '{"inputs":{"x":"f32[2,4]"},"outputs":["y"],
	    "inits":{"w":"f32[4,8]","unused":"f16[3]","n":{"type":"i64[2]","data":[2,8]}},
	    "nodes":["t = MatMul(x, w)","y = Reshape(t, n)"]}'
	good m
	equal "$(header .params)" '{"count":35,"bytes":134}'
	equal "$(ops '[.inputs[].param]')" $'[null,true]\n[null,null]'
}

@test "an initializer that is also an input is a parameter, as in old files" {
	model m '{"ir":3,"inputs":{"x":"f32[2,4]","w":"f32[4,8]"},"outputs":["y"],
	    "inits":{"w":"f32[4,8]"},"nodes":["y = MatMul(x, w)"]}'
	good m
	equal "$(header .params)" '{"count":32,"bytes":128}'
}

@test "types below a byte are packed, and rounded up to whole bytes" {
	model m '{"opsets":{"":21},"inputs":{"x":"f32[3]"},"outputs":["y"],
	    "inits":{"w":"i4[3]","s":"f32[]"},
	    "nodes":["d = DequantizeLinear(w, s)","y = Add(x, d)"]}'
	good m
	equal "$(header .params)" '{"count":4,"bytes":6}'
}

@test "the tensor of a Constant is a parameter as an initializer is" {
	model m '{"inputs":{"x":"f32[1,2]"},"outputs":["y"],"nodes":[
	    ["w = Constant()",{"value":{"tensor":"f32[2,3]"}}],
	    ["k = Constant()",{"value":{"tensor":"f32[]","data":[2.0]}}],
	    ["n = Constant()",{"value":{"tensor":"i64[2]","data":[3,1]}}],
	    "a = MatMul(x, w)","b = Mul(a, k)","y = Reshape(b, n)"]}'
	good m
	equal "$(ops 'select(.name=="onnx.Constant").outputs[0].param' | paste -sd' ')" \
	    "true true null"
	equal "$(header .params)" '{"count":7,"bytes":28}'
}

# twins KIND - the pairs of that kind, in tests/onnx-twins.py.
twins() {
	run -0 python3 "$ROOT/tests/onnx-twins.py" "$1"
}

@test "what is computed from weights beforehand is one, as it is stored" {
	twins weights
}

@test "sizes, places and indices are no parameters, wherever they stand" {
	twins numbers
}

@test "several elements in a byte count, whichever way they are packed" {
	twins packed
}

@test "an operator costs what that costs which it stands for" {
	twins alike
}

@test "weights in attributes count, and their operator reads them" {
	twins learned
}

KIND=pkg.torch.export.graph_signature.InputSpec.kind
SIGNATURE=pkg.torch.export.ExportedProgram.graph_signature
FOLDED=pkg.onnxscript.optimizer.folded_from

@test "PyTorch's metadata tells parameters from buffers" {
	cp "$DATA/tiny-cnn.onnx" .
	good tiny-cnn
	# 3x3 convolutions 3-16-32-64 and biases, weight and bias of the norms,
	# 64x10+10; the running means and variances (224) are buffers.
	equal "$(header .params)" \
	    "{\"count\":$((448 + 4640 + 18496 + 224 + 650)),\"bytes\":97832}"
	equal "$(ops 'select(.name=="onnx.BatchNormalization") |
	    [.inputs[].param]' | sort -u)" '[null,true,true,null,null]'
}

@test "PyTorch's signature tells them when values have no kind" {
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],
	    "inits":{"a.weight":"f32[4]","a.mean":"f32[4]","val_0":"f32[4]"},
	    "meta":{"'$SIGNATURE'":"\n# inputs\np_a_weight: PARAMETER target='\''a.weight'\''\nb_a_mean: BUFFER target='\''a.mean'\'' persistent=True\nx: USER_INPUT\n\n# outputs\ny: USER_OUTPUT\n"},
	    "nodes":["y = Sum(x, a.weight, a.mean, val_0)"]}'
	good m
	equal "$(ops '[.inputs[].param]')" '[null,true,null,null]'
	equal "$(header .params)" '{"count":4,"bytes":16}'
}

@test "a constant folded from a parameter is one, and tied weights count once" {
	model m '{"inputs":{"x":"f32[2,4]"},"outputs":["y"],
	    "inits":{"emb":"f32[6,4]","t":"f32[4,6]","other":"f32[6]"},
	    "values":{"emb":{"type":"f32[6,4]","meta":{"'$KIND'":"PARAMETER"}},
	      "t":{"type":"f32[4,6]","meta":{"'$FOLDED'":"['\''emb'\'']"}},
	      "other":{"type":"f32[6]","meta":{"'$FOLDED'":"['\''val_1'\'']"}}},
	    "nodes":["a = MatMul(x, t)","b = Add(a, other)","y = MatMul(b, emb)"]}'
	good m
	equal "$(ops '.inputs[1].param' | paste -sd' ')" "true null true"
	equal "$(header .params)" '{"count":24,"bytes":96}'
}

@test "a tool that kept nothing but USER_INPUT says nothing of the weights" {
	model m '{"inputs":{"x":{"type":"f32[2,4]","meta":{"'$KIND'":"USER_INPUT"}}},
	    "outputs":["y"],"inits":{"w":"f32[4,8]"},"nodes":["y = MatMul(x, w)"]}'
	good m
	equal "$(header .params)" '{"count":32,"bytes":128}'
}

# bats test_tags=SF-07
@test "an export without weights that lists them as inputs counts them" {
	model m '{"inputs":{"x":{"type":"f32[2,4]","meta":{"'$KIND'":"USER_INPUT"}},
	      "w":{"type":"f32[8,4]","meta":{"'$KIND'":"PARAMETER"}},
	      "b":{"type":"f32[8]","meta":{"'$KIND'":"BUFFER"}},
	      "v":{"type":"f32[8,8]","meta":{"'$FOLDED'":"['\''w2'\'']"}},
	      "val_1":"f32[8]"},
	    "meta":{"'$SIGNATURE'":"# inputs\np: PARAMETER target='\''w2'\''\n"},
	    "outputs":["y"],"nodes":[["wt = Transpose(w)",{"perm":[1,0]}],
	      "a = MatMul(x, wt)","c = Add(a, b)","d = MatMul(c, v)","y = Mul(d, val_1)"]}'
	good m
	equal "$(ops '"\(.name) \(.inputs[1].param) \(.folded)"')" \
'onnx.Transpose null true
onnx.MatMul true null
onnx.Add null null
onnx.MatMul true null
onnx.Mul null null'
	equal "$(header .params)" '{"count":96,"bytes":384}'
	equal "$(header .workload)" '{"batch":2}'
}

# bats test_tags=SF-07
@test "a weight that is a name in value_info alone counts" {
	model m '{"inputs":{"x":"f32[2,4]"},"outputs":["y"],
	    "values":{"w":{"type":"f32[4,8]","meta":{"'$KIND'":"PARAMETER"}}},
	    "nodes":["y = MatMul(x, w)"]}'
	good m
	equal "$(ops '.inputs[1].param')" true
	equal "$(header .params)" '{"count":32,"bytes":128}'
}

# bats test_tags=SF-07,SF-08
@test "a weight whose shape is nowhere leaves its operators unresolved" {
	model m '{"inputs":{"x":"f32[2,4]"},"outputs":["y"],
	    "meta":{"'$SIGNATURE'":"# inputs\np_w: PARAMETER target='\''w'\''\n"},
	    "nodes":["t = MatMul(x, w)","y = Add(t, val_3)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops .unresolved)" \
"constant 'w' was left out of the file, and its shape; --shape w=...:TYPE gives it
constant 'w' was left out of the file, and its shape; --shape w=...:TYPE gives it"
	equal "$(ops '.inputs[1].param' | paste -sd' ')" "true null"
}

@test "--params names the parameters otherwise, whatever makes them" {
	model m '{"inputs":{"x":"f32[2,4]","k":"f32[8]"},"outputs":["y"],
	    "inits":{"w":"f32[4,8]","s":{"type":"i64[1]","data":[8]}},
	    "nodes":["z = ConstantOfShape(s)","a = MatMul(x, w)","b = Add(a, z)","y = Mul(b, k)"]}'
	printf '# the real ones\n\n  z\nk \n' >list
	good m --params list
	equal "$(header .params)" '{"count":16,"bytes":64}'
	equal "$(ops '[.inputs[].param]' | paste -sd' ')" \
	    '[null] [null,null] [null,true] [null,true]'
	equal "$(jq -rc 'select(.kind=="tool").inputs[].name' <<<"$output" | paste -sd' ')" \
	    "m.onnx list"
	printf 'z\nnone\n' >list
	refused m 3 "list:2: the model has no value named 'none'" --params list
	refused m 4 "nolist: No such file" --params nolist
}

# ---- functions and branches ----

@test "functions are expanded, those that they call too" {
	model m '{"opsets":{"":15,"l":1},"inputs":{"x":"f32[2,10,64]"},"outputs":["s"],
	    "inits":{"w":"f32[64,32]"},
	    "functions":[
	      {"name":"l.outer","inputs":["x","w"],"outputs":["o"],"opsets":{"l":1},
	       "nodes":["p: h = l.proj(x, w)","o = l.heads(h)"]},
	      {"name":"l.proj","inputs":["x","w"],"outputs":["o"],"opsets":{"":15},
	       "nodes":["mm: o = MatMul(x, w)"]},
	      {"name":"l.heads","inputs":["x"],"outputs":["o"],"opsets":{"":15},
	       "nodes":[["c = Constant()",{"value_ints":[0,0,4,-1]}],"r = Reshape(x, c)",
	         ["o = Transpose(r)",{"perm":[0,2,1,3]}]]}],
	    "nodes":["a: q = l.outer(x, w)","b: k = l.outer(x, w)",
	      ["kt = Transpose(k)",{"perm":[0,1,3,2]}],"s = MatMul(q, kt)"]}'
	good m
	equal "$(shapes)" \
'a/h [2,10,32]
a/o/c [4]
a/o/r [2,10,4,8]
q [2,4,10,8]
b/h [2,10,32]
b/o/c [4]
b/o/r [2,10,4,8]
k [2,4,10,8]
kt [2,4,8,10]
s [2,4,10,10]'
	equal "$(ops .node | head -1)" a/p/mm
	equal "$(header .params.count)" 2048
}

@test "a function takes attributes from its call, or its own defaults" {
	model m '{"opsets":{"":17,"l":1},"inputs":{"x":"f32[2,3,4]"},"outputs":["a","b","c"],
	    "functions":[{"name":"l.f","inputs":["x"],"outputs":["y"],"attrs":["keep"],
	      "defaults":{"ax":[0]},
	      "nodes":[["y = ReduceMax(x)",{"axes":{"ref":"ax","type":7},
	        "keepdims":{"ref":"keep","type":2}}]]}],
	    "nodes":["a = l.f(x)",["b = l.f(x)",{"ax":[1,2],"keep":0}],
	      ["c = l.f(x)",{"keep":0}]]}'
	good m
	equal "$(shapes)" $'a [1,3,4]\nb [2]\nc [3,4]'
	equal "$(ops .attrs | head -1)" '{"axes":[0]}'
}

@test "an attribute of the wrong type does not get into a function" {
	model m '{"opsets":{"":17,"l":1},"inputs":{"x":"f32[2,3,4]"},"outputs":["a"],
	    "functions":[{"name":"l.f","inputs":["x"],"outputs":["y"],"attrs":["ax"],
	      "nodes":[["y = ReduceMax(x)",{"axes":{"ref":"ax","type":7}}]]}],
	    "nodes":[["a = l.f(x)",{"ax":"no"}]]}'
	refused m 3 "attribute 'ax' of the call has type 3, expected 7"
}

@test "a function is told from others by its overload, and has its own opset" {
	model m '{"opsets":{"":17,"l":1},"inputs":{"x":"f32[2,3]"},"outputs":["a","b"],
	    "functions":[
	      {"name":"l.f","overload":"flat","inputs":["x"],"outputs":["y"],
	       "nodes":["y = Flatten(x)"]},
	      {"name":"l.f","overload":"up","inputs":["x"],"outputs":["y"],"opsets":{"":11},
	       "nodes":[["y = Unsqueeze(x)",{"axes":[0]}]]}],
	    "nodes":[["a = l.f(x)",{"overload":"flat"}],["b = l.f(x)",{"overload":"up"}]]}'
	good m
	equal "$(shapes)" $'a [2,3]\nb [1,2,3]'
}

@test "an input that a call leaves out is left out inside" {
	model m '{"opsets":{"":17,"l":1},"inits":{"w":"f32[8,3,1,1]"},'"$X"',
	    "functions":[{"name":"l.f","inputs":["x","w","b"],"outputs":["o"],
	      "nodes":["o = Conv(x, w, b)"]}],
	    "nodes":["y = l.f(x, w)"]}'
	good m
	equal "$(ops '[.inputs[] | .tid?]')" '["x","w",null]'
}

@test "calls of the same name get names of their own" {
	model m '{"opsets":{"":17,"l":1},"inputs":{"x":"f32[2]"},"outputs":["b"],
	    "functions":[{"name":"l.f","inputs":["x"],"outputs":["y"],
	      "nodes":["t = Neg(x)","y = Abs(t)"]}],
	    "nodes":["c: a = l.f(x)","c: b = l.f(a)"]}'
	good m
	equal "$(ops '.outputs[0].tid' | sort | uniq -d)" ""
	equal "$(ops '.outputs[0].tid' | paste -sd' ')" "c/t a c~2/t b"
}

@test "a function that calls itself is refused, straight or round a corner" {
	model m '{"opsets":{"":17,"l":1},"inputs":{"x":"f32[2]"},"outputs":["y"],
	    "functions":[{"name":"l.f","inputs":["x"],"outputs":["y"],"nodes":["y = l.g(x)"]},
	      {"name":"l.g","inputs":["x"],"outputs":["y"],"nodes":["y = l.f(x)"]}],
	    "nodes":["y = l.f(x)"]}'
	refused m 3 "the function calls itself"
}

# bats test_tags=SF-09
@test "functions that double 40 times are refused before they fill the memory" {
	local functions=() i
	for i in $(seq 0 39); do
		functions+=('{"name":"l.f'"$i"'","inputs":["x"],"outputs":["y"],
		    "nodes":["t = l.f'$((i + 1))'(x)","y = l.f'$((i + 1))'(t)"]},')
	done
	model m '{"opsets":{"":17,"l":1},"inputs":{"x":"f32[2]"},"outputs":["y"],
	    "functions":['"${functions[*]}"'{"name":"l.f40","inputs":["x"],"outputs":["y"],
	      "nodes":["y = Relu(x)"]}],"nodes":["y = l.f0(x)"]}'
	refused m 3 "expand to more than 200000 nodes"
}

@test "calls 300 deep are refused" {
	local functions=() i
	for i in $(seq 0 299); do
		functions+=('{"name":"l.f'"$i"'","inputs":["x"],"outputs":["y"],
		    "nodes":["y = l.f'$((i + 1))'(x)"]},')
	done
	model m '{"opsets":{"":17,"l":1},"inputs":{"x":"f32[2]"},"outputs":["y"],
	    "functions":['"${functions[*]}"'{"name":"l.f300","inputs":["x"],"outputs":["y"],
	      "nodes":["y = Relu(x)"]}],"nodes":["y = l.f0(x)"]}'
	refused m 3 "nested deeper than 256"
}

BRANCHES='"then_branch":{"graph":{"nodes":["u = Neg(x)"],"outputs":["u"]}},
    "else_branch":{"graph":{"inits":{"two":{"type":"i64[1]","data":[2]}},
      "nodes":["w = Unsqueeze(x, two)"],"outputs":["w"]}}'

@test "an If whose condition is known is its branch, outer names and all" {
	for taken in 0 1; do
		model m '{"inputs":{"x":"f32[3,4]"},"outputs":["y"],
		    "inits":{"p":{"type":"b8[]","data":['$taken']}},
		    "nodes":["d: z = Relu(x)",["if: y = If(p)",{'"${BRANCHES//x/z}"'}]]}'
		good m
		if [ $taken = 1 ]; then
			equal "$(shapes | tail -1)" 'y [3,4]'
			equal "$(ops .name | tail -1)" onnx.Neg
		else
			equal "$(shapes | tail -1)" 'y [3,4,1]'
			equal "$(ops '.inputs[1].tid' | tail -1)" if/two
		fi
	done
}

@test "what decides on a branch is not dead" {
	model m '{"inputs":{"x":"f32[3,4]"},"outputs":["y"],
	    "inits":{"k":{"type":"i64[]","data":[12]}},
	    "nodes":["n = Size(x)","p = Equal(n, k)",["y = If(p)",{'"$BRANCHES"'}]]}'
	good m
	equal "$(ops '"\(.name) \(.dead)"')" $'onnx.Size null\nonnx.Equal null\nonnx.Neg null'
}

@test "a branch may hand out a name from around it" {
	model m '{"inputs":{"x":"f32[3,4]"},"outputs":["y"],"inits":{"p":{"type":"b8[]","data":[1]}},
	    "nodes":["z = Relu(x)",["t = If(p)",{
	      "then_branch":{"graph":{"outputs":["z"]}},"else_branch":{"graph":{"outputs":["x"]}}}],
	      "y = Neg(t)"]}'
	good m
	equal "$(ops '.inputs[0].tid' | tail -1)" z
}

@test "control flow on data is an operator whose graphs are not expanded" {
	model m '{"inputs":{"x":"f32[3,4]","p":"b8[]"},"outputs":["y"],
	    "nodes":[["y = If(p)",{'"$BRANCHES"'}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops .name)" onnx.If
	[[ $(ops .unresolved) == *"condition of If is not known"* ]]
	equal "$(ops .attrs)" '{"then_branch":{"nodes":1},"else_branch":{"nodes":1}}'
	model m '{"inputs":{"x":"f32[4]"},"outputs":["y"],
	    "inits":{"n":{"type":"i64[]","data":[9223372036854775807]},"c":{"type":"b8[]","data":[1]}},
	    "nodes":[["y = Loop(n, c, x)",{"body":{"graph":{
	      "inputs":{"i":"i64[]","k":"b8[]","s":"f32[4]"},
	      "nodes":["k2 = Identity(k)","s2 = Neg(s)"],"outputs":["k2","s2"]}}}]]}'
	run -0 --separate-stderr sf-onnx m.onnx
	equal "$(ops '"\(.name) \(.folded) \(.unresolved)"')" \
	    "onnx.Loop null the body of Loop is not expanded, as 9223372036854775807 \
steps of 3 nodes would take more than 2^63, and there may be 200000 in all: a step is \
2 operators and 4 FLOPs"
}

# ---- what is refused ----

# bats test_tags=SF-09
@test "files that are no model are named for what they are" {
	: >m.onnx
	refused m 3 "m.onnx: the file is empty"
	model n "{$X}"
	gzip <n.onnx >m.onnx
	refused m 3 "gzip-compressed"
	echo '<!DOCTYPE html>' >m.onnx
	refused m 3 "markup"
	bytes 08 08 >m.onnx
	refused m 3 "the model has no graph"
}

@test "what is no file is refused, and a FIFO does not hang" {
	mkdir d.onnx
	refused d 3 "it is a directory"
	mkfifo f.onnx
	refused f 3 "it is a FIFO"
	refused none 4 "No such file"
}

# bats test_tags=SF-09
@test "a wrong encoding is refused with the byte" {
	bytes 08 80 80 80 80 80 80 80 80 80 80 80 01 >m.onnx
	refused m 3 "byte 1: the number is longer than 10 bytes"
	bytes 3a 05 00 >m.onnx
	refused m 3 "byte 0: field 7 claims 5 bytes, but 1 are left"
	bytes 3a 02 00 01 >m.onnx
	refused m 3 "byte 2: found field number 0"
	bytes 38 01 >m.onnx
	refused m 3 "byte 0: found wire type 0 of Model.graph, expected 2"
	bytes 3a 07 0a 05 0d 00 00 00 00 >m.onnx # Graph.node.input as fixed32
	refused m 3 "byte 4: found wire type 5 of Node.input, expected 2"
	bytes 3a 07 2a 05 0d 00 00 00 00 >m.onnx # Graph.initializer.dims
	refused m 3 "byte 4: found wire type 5 of Tensor.dims, expected 0 or 2"
	bytes 3b 3c >m.onnx
	refused m 3 "byte 0: found wire type 3 of field 7"
	bytes 3a 00 3a 00 >m.onnx
	refused m 3 "Model.graph comes twice"
	bytes 93 03 08 01 >m.onnx
	refused m 3 "byte 0: a group of field 50 is not ended"
	bytes 93 03 9c 03 >m.onnx
	refused m 3 "byte 2: a group of field 51 ends that did not begin"
	bytes 3a 05 0a 03 0a 01 ff >m.onnx
	refused m 3 "byte 4: Node.input is no name"
	bytes 3a 05 0a 03 0a 01 00 >m.onnx
	refused m 3 "byte 4: Node.input is no name"
	bytes 3a 07 2a 05 22 03 00 00 80 >m.onnx
	refused m 3 "byte 4: Tensor.float_data has 3 bytes, expected a multiple of 4"
}

# bats test_tags=SF-09
@test "every prefix of a model is refused, or is a model" {
	model whole '{"inits":{"w":"f32[8,3,3,3]","s":{"type":"i64[2]","data":[8,-1]}},'"$X"',
	    "nodes":[["c: t = Conv(x, w)",{"group":1}],"y = Reshape(t, s)"]}'
	for n in $(seq 1 "$(($(stat -c %s whole.onnx) - 1))"); do
		head -c "$n" whole.onnx >m.onnx
		run --separate-stderr sf-onnx m.onnx
		[ "$status" -eq 3 ]
		one_line_error
		[ -z "$output" ]
	done
}

@test "unknown fields and groups are passed over, payloads kept apart" {
	model a '{'"$X"',"nodes":["y = Relu(x)"]}'
	{
		cat a.onnx
		# A number, 64 bits, text, a group with a number, 32 bits.
		bytes 90 03 01 91 03 01 02 03 04 05 06 07 08 92 03 02 68 69
		bytes 93 03 08 01 94 03 95 03 01 02 03 04
	} >m.onnx
	good m
	equal "$(shapes)" 'y [1,3,8,8]'
}

@test "messages nested 100 deep are read, 101 are not" {
	local inner='{"nodes":["a = Relu(x)"],"outputs":["a"]}' i
	# The model, its graph, a node; then an attribute, a graph and a node
	# for each If: 3 + 3 * 32 = 99.
	for i in $(seq 32); do
		inner='{"nodes":[["a = If(p)",{"then_branch":{"graph":'"$inner"'},
		    "else_branch":{"graph":{"nodes":["b = Relu(x)"],"outputs":["b"]}}}]],"outputs":["a"]}'
	done
	model m '{"inputs":{"x":"f32[2]","p":"b8[]"},"outputs":["a"],'"${inner:1}"
	run -0 --separate-stderr sf-onnx m.onnx
	inner='{"nodes":[["a = If(p)",{"then_branch":{"graph":'"$inner"'},
	    "else_branch":{"graph":{"outputs":["x"]}}}]],"outputs":["a"]}'
	model m '{"inputs":{"x":"f32[2]","p":"b8[]"},"outputs":["a"],'"${inner:1}"
	refused m 3 "messages are nested deeper than 100"
}

@test "constants that cannot be are refused by their name" {
	nodes='"nodes":["y = Relu(x)"]'
	model m '{'"$X,$nodes"',"inits":{"w":"f32[-4,4]"}}'
	refused m 3 "initializer 'w': dimension 0 is -4"
	model m '{'"$X,$nodes"',"inits":{"w":"f32[4,4294967296,4294967296]"}}'
	refused m 3 "initializer 'w': the number of elements passes 2^63 - 1"
	model m '{'"$X,$nodes"',"inits":{"w":"9999[4]"}}'
	refused m 3 "initializer 'w': element type 9999"
	model m '{'"$X,$nodes"',"inits":{"s":{"type":"i64[2]","data":[1]}}}'
	refused m 3 "initializer 's': 2 elements of i64, but the data has 8 bytes"
	model m '{'"$X,$nodes"',"inits":{"s":{"type":"i64[2]","data":[1],"home":"typed"}}}'
	refused m 3 "but the data has 1 numbers"
	model m '{'"$X,$nodes"',"inits":{"w":{"type":"f32[1099511627776,1099511627776]","sparse":true}}}'
	refused m 3 "initializer 'w': the number of elements passes"
	model m '{"inputs":{"x":"f32[4294967296,4294967296]"},"outputs":["y"],'"$nodes}"
	refused m 3 "'x' is f32[4294967296,4294967296]: its bits pass 2^63 - 1"
}

@test "an element that its type cannot hold is refused" {
	model m '{'"$X"',"nodes":["y = Relu(x)"],
	    "inits":{"w":{"type":"u8[2]","data":[1,300],"home":"typed"}}}'
	refused m 3 "initializer 'w': element 1 is 300, no u8"
}

@test "a large payload of the wrong length is refused, though it is not read" {
	model m '{'"$X"',"nodes":["y = Relu(x)"],"inits":{"w":{"type":"f32[100,100]",
	    "data":['"$(seq -s, 1 9999)"']}}}'
	refused m 3 "10000 elements of f32, but the data has 39996 bytes"
}

@test "names that two things have, or none, are refused" {
	model m '{'"$X"',"nodes":["y = Relu(x)","y = Flatten(x)"]}'
	refused m 3 "its output 'y' is made by another node, too"
	model m '{'"$X"',"nodes":["x = Relu(x)","y = Relu(x)"]}'
	refused m 3 "its output 'x' is an input or an initializer, too"
	model m '{'"$X"',"nodes":["n: y = Relu(w)"]}'
	refused m 3 "node 'n' (Relu): its input 'w' comes from nowhere"
	model m '{"inputs":{"x":"f32[1]"},"outputs":["q"],"nodes":["y = Relu(x)"]}'
	refused m 3 "output 'q' comes from nowhere"
	model m '{'"$X"',"nodes":["a = Add(x, b)","b = Relu(a)","y = Relu(b)"]}'
	refused m 3 "a cycle"
	model m '{'"$X"',"nodes":["n: y = (x)"]}'
	refused m 3 "node 0: no operator type, expected a name"
}

@test "a node with too many or too few inputs is refused" {
	model m '{'"$X"',"nodes":["y = Relu(x, x)"]}'
	refused m 3 "2 inputs, expected at most 1"
	model m '{'"$X"',"nodes":["y = Add(x)"]}'
	refused m 3 "expected"
	model m '{'"$X"',"nodes":[["y = Loop(, , x)",{"body":{"graph":{}}}]]}'
	refused m 3 "the body has 0 inputs and 0 outputs, expected 3 and 2"
	model m '{'"$X"',"nodes":["y = If(x)"]}'
	refused m 3 "attribute 'then_branch' is not there"
}

@test "a model must say which operators it means" {
	model m '{"opsets":{},'"$X"',"nodes":["y = Relu(x)"]}'
	refused m 3 "which version of the default operator set"
	model m '{"ir":2,"opsets":{},'"$X"',"nodes":["y = Relu(x)"]}'
	good m
}

@test "an error inside a function names the node and the call" {
	model m '{"opsets":{"":17,"l":1},'"$X"',
	    "functions":[{"name":"l.f","inputs":["x"],"outputs":["o"],
	      "nodes":[["bad: o = Concat(x, x)",{"axis":9}]]}],
	    "nodes":["call: y = l.f(x)"]}'
	refused m 3 "node 'bad' (Concat) in 'call': attribute 'axis' is 9"
}

# ---- what is read ----

# bats test_tags=SF-09
@test "external data is not opened" {
	model m '{'"$X"',"inits":{"w":{"type":"f32[3,8]","external":true}},
	    "nodes":["t = Flatten(x)","y = Relu(x)","z = Relu(w)"]}'
	if command -v strace >/dev/null; then
		ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=open,openat \
		    -o calls sf-onnx m.onnx >/dev/null
		run ! grep no/such/file calls
	fi
	good m
	model m '{"inputs":{"x":"f32[2,6]"},"outputs":["y"],
	    "inits":{"s":{"type":"i64[2]","external":true}},"nodes":["y = Reshape(x, s)"]}'
	run -0 --separate-stderr sf-onnx m.onnx
	[[ $(ops .unresolved) == *"'s'"* ]]
}

@test "the crc32 leaves large contents out and takes in all else" {
	crc() {
		model m '{"inputs":{"x":"f32[2]"},"outputs":["y"],"nodes":["y = '"$3"'(x)"],
		    "inits":{"big":{"type":"f32[9000]","data":['"$(yes "$1" | head -9000 | paste -sd,)"']},
		      "small":{"type":"f32[1]","data":['"$2"']}}}'
		sf-onnx m.onnx | jq -r 'select(.kind=="tool").inputs[0].crc32'
	}
	base=$(crc 1 1 Relu)
	equal "$(crc 2 1 Relu)" "$base"
	[ "$(crc 1 2 Relu)" != "$base" ]
	[ "$(crc 1 1 Tanh)" != "$base" ]
	# Without large contents it is that of the file.
	model m '{'"$X"',"nodes":["y = Relu(x)"]}'
	equal "$(sf-onnx m.onnx | jq -r 'select(.kind=="tool").inputs[0].crc32')" \
	    "$(python3 -c 'import zlib; print("%08x" % zlib.crc32(open("m.onnx", "rb").read()))')"
}

# sparse_model BYTES [TYPE] - m.onnx, a model whose weight of so many bytes is a
# hole. What Reshape needs, and the node behind it, of type TYPE, lie behind it.
sparse_model() {
	python3 - "$1" "${2-Relu}" <<-'END'
		import os, sys
		size, last = int(sys.argv[1]), os.fsencode(sys.argv[2])
		def varint(n):
		    out = b''
		    while n > 127:
		        out += bytes([n & 127 | 128])
		        n >>= 7
		    return out + bytes([n])
		def head(number, length):
		    return varint(number << 3 | 2) + varint(length)
		def field(number, body):
		    return head(number, len(body)) + body
		io = lambda name: field(1, name) + field(2, field(1, b'\x08\x01' + field(2, field(1, b'\x08\x02'))))
		def node(op, out, *inputs):
		    return field(1, b''.join(field(1, i) for i in inputs) + field(2, out) + field(4, op))
		tensor = b'\x08' + varint(size) + b'\x10\x02' + field(8, b'w') + head(9, size)
		shape = field(5, b'\x08\x01\x10\x07' + field(8, b's') + field(9, b'\x02' + bytes(7)))
		before = field(11, io(b'x')) + head(5, len(tensor) + size) + tensor
		behind = shape + node(b'Reshape', b't', b'x', b's') + node(last, b'y', b't') + field(12, io(b'y'))
		model = b'\x08\x08' + field(8, b'\x10\x11')
		model += head(7, len(before) + size + len(behind)) + before
		with open('m.onnx', 'wb') as file:
		    file.write(model)
		    file.truncate(len(model) + size)
		    file.seek(0, 2)
		    file.write(behind)
	END
}

# bats test_tags=SF-02
@test "weights stay on the disk: files beyond 2, 4 and 32 GiB are like small ones" {
	local bytes
	for bytes in 40000 $((2**31 - 1)) $((2**31)) $((2**32 - 1)) $((2**32)) \
	    $((2**34)) $((2**35)) $((2**36 + 1)); do
		sparse_model "$bytes" || skip "no sparse files"
		good m
		equal "$(header .params)" "{\"count\":$bytes,\"bytes\":$bytes}"
		equal "$(shapes)" 't [2]
y [2]'
		ops .outputs >named
		run -0 sf-onnx - <m.onnx
		equal "$(ops .outputs)" "$(cat named)"
		run -0 python3 -c 'import resource, subprocess
subprocess.check_call(["sf-onnx", "m.onnx"], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 65536)'
		equal "$output" True
	done
	# What is wrong behind the hole has its place.
	truncate -s -1 m.onnx
	refused m 3 "byte "
	sparse_model $((2**33)) $'\xff'
	refused m 3 "byte 8589934"
}

@test "external data may lie anywhere, as it is never looked at" {
	local offset
	for offset in 0 4294967296 1099511627776 9223372036854775807; do
		model m '{'"$X"',"nodes":["y = Add(x, w)"],"inits":{"w":{"type":"f32[3,1,1]",
		    "external":{"location":"none.bin","offset":"'$offset'","length":"12"}}}}'
		good m
		equal "$(shapes)" 'y [1,3,8,8]'
		equal "$(header .params)" '{"count":3,"bytes":12}'
	done
	model m '{'"$X"',"nodes":["y = Add(x, x)"],"inits":{"w":{"type":"f32[65536,65536,4]",
	    "external":{"location":"none.bin","offset":"8589934592","length":"68719476736"}}}}'
	good m
	equal "$(header .params)" '{"count":17179869184,"bytes":68719476736}'
}

@test "the trace does not depend on where the model is" {
	mkdir -p a/b
	model m '{'"$X"',"nodes":["y = Relu(x)"]}'
	cp m.onnx a/b
	sf-onnx m.onnx >one
	sf-onnx a/b/m.onnx >two
	cmp one two
}
