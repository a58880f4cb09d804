# Operators of the user's own: what a rule of a file says that they make, and
# shapes that are given to values. Models are made here, from descriptions.

load helpers

# model NAME JSON - writes NAME.onnx.
model() { printf '%s' "$2" | "$ROOT/tests/onnx-model.py" >"$1.onnx"; }

# outs OPTION... - tid, type and shape of what m.onnx's operators make.
outs() {
	sf-onnx "$@" m.onnx | jq -rc 'select(.kind=="op") | .outputs[] |
	    select(.) | "\(.tid) \(.dtype) \(.shape)"'
}

# makes ATTRIBUTES SHAPE - what "o, p = my.Op(a, b, , d)" makes by the rule
# with this "out =" and that of its second output, if any; or the error.
makes() {
	printf 'my.Op(a, b, c?, d?, r*) copy; out = %s\n' "$1" >my.rules
	outs --rules my.rules | head -n "${2-1}" | cut -d ' ' -f 2- | paste -sd ' '
}

op_model() {
	model m '{"opsets":{"":17,"my":1},"inputs":{"a":"f32[2,3,4]",
	    "b":"f16[5,1,4]","d":"i64[7]","n":"c64[N,3]","u":"f32[...]"},
	    "outputs":["o"],"nodes":[["o, p = my.Op(a, b, , d, n)",{"k":3,
	    "l":[4,5],"to":10,"t":"x","e":0}]]}'
	sed -i 's/f32\[...\]/null/' m.onnx
}

refused() {
	run -"$1" --separate-stderr sf-onnx "${@:3}" m.onnx
	one_line_error
	[ -z "$output" ]
	case $stderr in
	*"$2"*) ;;
	*)
		printf 'found: %s\nexpected: %s\n' "$stderr" "$2"
		return 1
		;;
	esac
}

# ---- rules ----

# bats test_tags=SF-01,SF-23
@test "a rule that says what a built-in one does makes the same, on any shapes" {
	local seed
	"$ROOT/tests/own-operators.py" rules >twin.rules
	for seed in 1 2 3; do
		"$ROOT/tests/own-operators.py" model $seed 30 |
		    "$ROOT/tests/onnx-model.py" >m.onnx
		sf-onnx --rules twin.rules m.onnx >out 2>/dev/null
		run -0 "$ROOT/tests/own-operators.py" check <out
		equal "$output" "16 kinds, 480 pairs"
	done
}

# bats test_tags=SF-23
@test "what a shape is made of" {
	op_model
	while IFS='|' read -r shape want; do
		equal "$shape: $(makes "$shape")" "$shape: $want"
	done <<-'END'
	shape(a)|f32 [2,3,4]
	shape(in1) as a|f32 [5,1,4]
	shape(b) as b|f16 [5,1,4]
	scalar|f32 []
	scalar as i64|i64 []
	7|f32 [7]
	1, 2, 0|f32 [1,2,0]
	a[0], a[-1]|f32 [2,4]
	a[0:1]|f32 [2]
	a[:]|f32 [2,3,4]
	a[1:], 9|f32 [3,4,9]
	a[:-1]|f32 [2,3]
	a[-2:-1]|f32 [3]
	a[1:1]|f32 []
	a[:attr(k)]|f32 [2,3,4]
	a[:A], 8, a[A + 1:] where A = attr(k) - 2|f32 [2,8,4]
	a[(attr(k) == 3 ? 1 : 0):]|f32 [3,4]
	broadcast(a, b[1:])|f32 [2,3,4]
	broadcast(b[:1], d[:0])|f32 [5]
	broadcast(a[1:], b[1:])|f32 [3,4]
	broadcast(a)|f32 [2,3,4]
	prod(a[:2]), numel(d)//2|f32 [6,3]
	rank(b), count(inputs), count(outputs)|f32 [3,4,2]
	has(c), has(d), complex(in4)|f32 [0,1,1]
	attr(k)*attr(l[1]), attr(none, 6)|f32 [15,6]
	attr(e) ? a[0] : a[1]|f32 [3]
	shape(a) as attr(to)|f16 [2,3,4]
	shape(a) as attr(none, u8)|u8 [2,3,4]
	gcd(a[0], a[2]), log2(5), min(3, 4), max(3, 4)|f32 [2,3,3,4]
	bytes(b), reals(a), largest(b), along(a, e, 1)|f32 [40,24,20,2]
	in4[0], in4[1]|f32 ["N",3]
	shape(in4)|f32 ["N",3]
	in4[0]*2, 4|f32 [null,4]
	prod(in4[0:1]), prod(in4[:])|f32 ["N",null]
	broadcast(in4[:1], a[:1]), broadcast(in4[:1], b[1:2])|f32 [2,"N"]
	END
}

# bats test_tags=SF-23
@test "outputs: one by one, all others, and none" {
	model m '{"opsets":{"":17,"my":1},"inputs":{"x":"f32[8,6]"},"outputs":["a"],
	    "nodes":["a, b, , d = my.Op(x)"]}'
	echo 'my.Op(x) copy; out1 = 3 as i32; out = 1; outputs = x[0]/count(outputs), x[1:]' >my.rules
	equal "$(outs --rules my.rules)" 'a f32 [1]
b i32 [3]
d f32 [2,6]'
	echo 'my.Op(x) copy; out0 = 1; out3 = 2' >my.rules
	run -0 --separate-stderr sf-onnx --rules my.rules m.onnx
	equal "$(jq -r 'select(.kind=="op").unresolved' <<<"$output")" \
	    'the rule in my.rules:1 states no out1'
	model m '{"opsets":{"":17,"my":1},"outputs":["a"],"nodes":["a = my.New()"]}'
	echo 'my.New creation; out = 3, 4' >my.rules
	run -0 --separate-stderr sf-onnx --rules my.rules m.onnx
	equal "$(jq -r 'select(.kind=="op") | "\(.outputs[0].shape) \(.folded) \(.unresolved)"' <<<"$output")" \
	    '[3,4] null the rule in my.rules:1 states no type for out0'
	echo 'my.New creation; out = 3, 4 as bf16' >my.rules
	equal "$(outs --rules my.rules)" 'a bf16 [3,4]'
}

# bats test_tags=SF-23
@test "a shape that is not one is an error with its file and line" {
	while IFS='~' read -r shape text; do
		printf '# first\nmy.Op(a, b?, r*) copy; %s\n' "$shape" >bad.rules
		for program in sf-onnx sf-rules; do
			run -3 --separate-stderr $program --rules bad.rules "$DATA/tiny-cnn.onnx"
			one_line_error
			[[ $stderr == "$program: bad.rules:2: "*"$text"* ]] || {
				printf '%s\n%s\n' "$shape" "$stderr"
				return 1
			}
		done
	done <<-'END'
	out =~found no sizes, expected such as shape(x)
	out = as f32~formula 'as f32': found 'as'
	out = 1,~found nothing behind the last ','
	out = 1,,2~formula '': found 'the end'
	out = 1; out = 2~'out' is there twice
	out = 1; out0 = 2~'out0' is there twice
	outputs = 1; outputs = 2~'outputs' is there twice
	outs = 1~found 'outs', expected gemm =
	out1000 = 1~found 'out1000', expected gemm =
	out = shape(c)~found 'c', expected the name of one input or in0
	out = shape(r)~found 'r', expected the name of one input or in0
	out = shape(inputs)~found 'inputs', expected the name of one input
	out = shape(out)~found 'out', expected the name of one input or in0
	out = shape()~found '', expected the name of one input or in0
	out = out1[0]~'out1[0]' asks for what is not known before the shape
	out = numel(outputs)~'numel(outputs)' asks for what is not known
	out = a[0] + weight(a)~asks for what is not known before the shape
	out = macs()~'macs()' asks for what is not known before the shape
	out = x where x = 2*einsum()~'x' asks for what is not known
	out = a[0:param(a)]~'param(a)' asks for what is not known
	out = a[0:x]~formula 'x': found 'x', expected one tensor
	out = a[0~formula 'a[0': found 'the end', expected ']'
	out = broadcast()~found 'broadcast()', expected tensors
	out = broadcast(a,)~found nothing behind the last ',' of 'a,'
	out = broadcast(a, 3)~found '3', expected the name of an input, in0 or
	out = a~found 'a', expected shape(a), a part of it such as a[1:], or
	out = a[:] as f33~found the type 'f33', expected that of an input by its
	out = 1 as f33~found the type 'f33', expected that of an input by its name
	out = 1 as r~found the type 'r', expected that of an input by its name
	out = 1 as attr()~found 'attr()', expected attr(NAME) or attr(NAME, TYPE)
	out = 1 as attr(x, y)~found the type 'y', expected that of an input
	out = 1 where~formula '1 where': found 'where'
	out = 1 where a = 2~found 'a', expected a name that means nothing yet
	END
}

# bats test_tags=SF-23
@test "an operator that is not what its rule is for names the rule and the node" {
	op_model
	while IFS='~' read -r shape text; do
		printf 'my.Op(a, b, c?, d?, r*) copy; out = %s\n' "$shape" >my.rules
		refused 3 "m.onnx: the Op that makes 'o': my.rules:1: out0 = $shape: $text" \
		    --rules my.rules
	done <<-'END'
	a[0] - 3~a[0] - 3 is -1, expected a size of 0 or more
	a[0]/4~2 is no multiple of 4
	a[3]~a[3]: a has rank 3, expected at least 4
	a[:4]~a has rank 3, which has no sizes 0 up to 4
	a[2:1]~a has rank 3, which has no sizes 2 up to 1
	a[-4:]~a has rank 3, which has no sizes -1 up to 3
	shape(c)~input 3 (c) is missing
	shape(in9)~input 10 (in9) is missing
	broadcast(a, d)~sizes 4 and 7 do not go together
	attr(none)~attribute 'none' is missing
	1 as attr(k2)~attribute 'k2' is missing
	1 as attr(t)~attribute 't' is "x", expected an integer
	1 as attr(e)~attribute 'e' is 0, expected the number of a type
	9223372036854775807, 2 + 9223372036854775807~passes 2^63 - 1
	END
	echo 'my.Op(a, b, c, d) copy; out = 1' >my.rules
	refused 3 "my.rules:1: input 3 (c) is missing, expected inputs: a, b, c, d" \
	    --rules my.rules
	echo 'my.Op copy; out = 4611686018427387904, 2' >my.rules
	refused 3 "output 'o' would have more than 2^63 - 1 elements" --rules my.rules
}

# bats test_tags=SF-23
@test "both programs read one file: shapes change no count, costs no shape" {
	op_model
	echo 'my.*(a) elementwise; flops = 3*numel(outputs); outputs = a[0], 5' >both.rules
	echo 'my.*(a) elementwise; flops = 3*numel(outputs)' >costs.rules
	echo 'my.*(a) copy; outputs = a[0], 5' >shapes.rules
	sf-onnx --rules both.rules m.onnx >m.sft
	equal "$(sf-onnx --rules shapes.rules m.onnx | grep -v '"tool"')" \
	    "$(grep -v '"tool"' m.sft)"
	equal "$(sf-rules --rules both.rules m.sft | grep -v '"tool"')" \
	    "$(sf-rules --rules costs.rules m.sft | grep -v '"tool"')"
	# What is read has an unknown size, so all is said and nothing counted.
	equal "$(sf-onnx --dim N=2 --rules both.rules m.onnx |
	    sf-rules --strict --rules both.rules | jq -c 'select(.kind=="op").flops')" 60
}

# bats test_tags=SF-23
@test "the user's rule comes before a built-in one, and the trace says so" {
	model m '{"opsets":{"":17,"my":1},"inputs":{"x":"f32[2,3]"},"outputs":["z"],
	    "nodes":["y = Relu(x)","z = Neg(y)"]}'
	echo 'onnx.Relu(x) elementwise; out = 1, 2, 3' >my.rules
	equal "$(outs --rules my.rules)" 'y f32 [1,2,3]
z f32 [1,2,3]'
	equal "$(sf-onnx --rules my.rules m.onnx | jq -c 'select(.kind=="tool") |
	    [.args, (.inputs | map(.name)), .replaced_rules]')" \
	    '[["--rules","my.rules","m.onnx"],["m.onnx","my.rules"],["onnx.Relu"]]'
	# A rule without an output leaves it to the built-in one.
	echo 'onnx.* copy; flops = 1' >my.rules
	equal "$(sf-onnx --rules my.rules m.onnx | grep -v '"tool"')" \
	    "$(sf-onnx m.onnx | grep -v '"tool"')"
	equal "$(sf-onnx --rules my.rules m.onnx | jq -c 'select(.kind=="tool").replaced_rules')" null
	# The last file holds.
	echo 'onnx.Neg copy; out = 4' >one.rules
	echo 'onnx.Neg copy; out = 5' >two.rules
	equal "$(outs --rules one.rules --rules two.rules | tail -n 1)" 'z f32 [5]'
}

# bats test_tags=SF-23
@test "operators of the user's own in functions and branches" {
	model m '{"opsets":{"":17,"my":1},"inputs":{"x":"f32[2,8]","c":"b8[]"},
	    "outputs":["z"],"functions":[{"name":"my.Block","inputs":["a"],
	    "outputs":["b"],"attrs":["n"],"opsets":{"":17,"my":1},
	    "nodes":[["h = my.Half(a)",{"n":{"ref":"n","type":2}}],"b = my.Half(h)"]}],
	    "nodes":[["f: y = my.Block(x)",{"n":4}],
	    ["i: z = If(c)",{"then_branch":{"graph":{"nodes":["t = my.Half(y)"],"outputs":["t"]}},
	    "else_branch":{"graph":{"nodes":["e = Relu(y)"],"outputs":["e"]}}}]]}'
	echo 'my.Half(x) copy; out = x[0], max(1, x[1]//attr(n, 2))' >my.rules
	equal "$(outs --rules my.rules --value c=1)" 'f/h f32 [2,2]
y f32 [2,1]
z f32 [2,1]'
	# A rule for the function itself: its call is one operator then.
	echo 'my.Block(x) copy; out = attr(n), 9' >>my.rules
	equal "$(outs --rules my.rules --value c=0)" 'y f32 [4,9]
z f32 [4,9]'
}

@test "what an operator of the user's own makes of weights is not folded" {
	model m '{"opsets":{"":17,"my":1},"inits":{"w":"f32[2,3]"},"outputs":["z"],
	    "inputs":{"x":"f32[2,3]"},"nodes":["u = my.Un(w)","v = Neg(w)","z = Sum(x, u, v)"]}'
	echo 'my.Un(w) copy; out = shape(w)' >my.rules
	equal "$(sf-onnx --rules my.rules m.onnx |
	    jq -rc 'select(.kind=="op") | "\(.name) \(.folded)"')" 'my.Un null
onnx.Neg true
onnx.Sum null'
}

@test "a file of rules that is not there is status 4, one that is none 3" {
	op_model
	refused 4 "none.rules: No such file" --rules none.rules
	refused 3 "m.onnx:1: " --rules m.onnx
}

# ---- shapes of values ----

# bats test_tags=SF-01
@test "--shape gives any value its shape, and its type" {
	op_model
	refused 2 "no input and no value is named 'q'; the model has: a, b, d, n, u" --shape q=3
	equal "$(outs --shape o=2x3 --shape p=)" 'o f32 [2,3]
p f32 []'
	equal "$(outs --shape o=2x3:i64 --shape p=:b8)" 'o i64 [2,3]
p b8 []'
	run -0 --separate-stderr sf-onnx --shape o=2x3 --dim N=1 m.onnx
	equal "$(jq -r 'select(.kind=="op").unresolved' <<<"$output")" \
	    "no shape rule for operator type 'my.Op'; --rules FILE with 'out =', or --shape p=... gives it"
	equal "$(sf-onnx --shape o=2x3 --shape p=1 --dim N=1 m.onnx |
	    jq -rc 'select(.kind=="op").unresolved, (select(.kind=="tool") | .args)')" \
	    '["--shape","o=2x3","--shape","p=1","--dim","N=1","m.onnx"]
null'
	refused 2 "option '--shape': 'o' is given two shapes" --shape o=2 --shape o=3
	refused 2 "found 'o=2:f33', expected VALUE=1x3x224x224[:TYPE]" --shape o=2:f33
	refused 2 "found 'o=2x:f32'" --shape o=2x:f32
	refused 2 "found 'o=2:'" --shape o=2:
	refused 2 "input 'a' is of type f32 in the model, found f16" --shape a=2x3x4:f16
}

# bats test_tags=SF-01
@test "--shape of what is known otherwise is an error that says both" {
	model m '{"opsets":{"":17,"my":1},"inputs":{"x":"f32[N,8]"},"outputs":["z"],
	    "values":{"s":"f16[?,4]"},"nodes":["y = Relu(x)","s = my.Op(y)",
	    "q = SequenceConstruct(y)","z = Neg(y)"]}'
	equal "$(outs --shape y=3x8 --shape s=3x4 2>/dev/null | grep -v ^q)" 'y f32 [3,8]
s f16 [3,4]
z f32 [3,8]'
	refused 2 "'y' is given f32[3,7], but it is f32[N,8]" --shape y=3x7
	refused 2 "'y' is given f32[8], but it is f32[N,8]" --shape y=8
	refused 2 "'y' is given f16[3,8], but it is f32[N,8]" --shape y=3x8:f16
	refused 2 "'s' is given f16[3,5], but it is f16[?,4]" --shape s=3x5
	refused 2 "'q' is given f32[3,8], but it is no tensor of f32" --shape q=3x8
	refused 2 "'y' is given f32[4,8], but it is f32[3,8]" --dim N=3 --shape y=4x8
}

# bats test_tags=SF-01
@test "--shape of values in functions, and of weights that were left out" {
	model m '{"opsets":{"":17,"my":1},"inputs":{"x":"f32[2,8]"},
	    "outputs":["y"],"functions":[{"name":"my.Block","inputs":["a"],
	    "outputs":["b"],"opsets":{"":17,"my":1},
	    "nodes":["h = my.Un(a)","b = Relu(h)"]}],
	    "nodes":["f: y = my.Block(x)"]}'
	equal "$(outs --shape f/h=5x6:f16)" 'f/h f16 [5,6]
y f16 [5,6]'
	refused 2 "'y' is given f16[7], but it is f16[5,6]" --shape f/h=5x6:f16 --shape y=7
	model m '{"inputs":{"x":"f32[2,4]"},"outputs":["y"],
	    "meta":{"pkg.torch.export.ExportedProgram.graph_signature":"# inputs\np_w: PARAMETER target='\''w'\''\n"},
	    "nodes":["y = MatMul(x, w)"]}'
	equal "$(sf-onnx --shape w=4x3:f32 m.onnx |
	    jq -c '.params // empty, (.outputs // empty | .[].shape)')" \
	    '{"count":12,"bytes":48}
[2,3]'
}
