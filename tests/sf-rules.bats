# sf-rules: the counts of operators. What they must be is worked out by hand,
# in rules-examples.tsv or beside the test.

load helpers

# op I NAME INPUTS OUTPUTS [MORE] - an op record; INPUTS and OUTPUTS are lists
# of tensors, MORE further members.
op() {
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[%s],"outputs":[%s]%s}' \
	    "$1" "$2" "$3" "$4" "${5:+,$5}"
}

# f32 TID SHAPE [MORE] - a tensor.
f32() {
	printf '{"tid":"%s","shape":[%s],"dtype":"f32","itemsize":4%s}' \
	    "$1" "$2" "${3:+,$3}"
}

# param TID SHAPE - a tensor that is marked as a parameter.
param() {
	f32 "$1" "$2" '"param":true'
}

# counted [ARG...] - the counts of each op of standard input, one line an op.
counted() {
	sf-rules "$@" | jq -r 'select(.kind == "op") | "\(.name) \(.category) " +
	    "\(.flops) \(.bytes_read) \(.bytes_written) \(.weight_bytes)"'
}

# fails_with STATUS TEXT - the last run, of sf-rules on a trace, ended with
# STATUS and one line that has TEXT in it.
fails_with() {
	equal "$status" "$1"
	one_line_error
	[[ $stderr == *"$2"* ]] && return
	printf 'stderr: %s\nwant:   ...%s...\n' "$stderr" "$2"
	return 1
}

# set_aside TEXT - of the trace in the file "in", whose only operator is not
# what its rule is for: it does not count, the record says why, one line names
# it, and --strict says no.
set_aside() {
	run -0 --separate-stderr sf-rules in
	equal "$(jq -r 'select(.kind == "op") | "\(.category) \(.flops) " +
	    "\(.bytes_read) \(.bytes_written) \(.weight_bytes)"' <<<"$output")" \
	    "unknown 0 0 0 0"
	[[ $(jq -r '.unresolved // empty' <<<"$output") == *"$1"* ]]
	one_line_error
	[[ $stderr == "sf-rules: note: 1 operator of 1 name that does not fit the rule, not counted; the first is '"*"', op 0: "*"$1"* ]]
	run -1 --separate-stderr sf-rules --strict in
	[[ $stderr == "sf-rules: note: no fit for the rule of '"*"': 1 operator; op 0: "*"$1"* ]]
}

# ---- the tables ----

@test "every published operator name is in its category" {
	sf-rules --list | cut -f 1,2 | sort >have
	sort "$DATA/rules-expected.tsv" >want
	equal "$(comm -13 have want)" ""
	equal "$(wc -l <want)" 323
}

# bats test_tags=SF-21
@test "every worked example comes to the counts that were worked out" {
	python3 "$ROOT/tests/rules.py" trace "$DATA/rules-examples.tsv" >in
	sf-rules <in >out
	run -0 python3 "$ROOT/tests/rules.py" check "$DATA/rules-examples.tsv" <out
	equal "$output" ""
}

# bats test_tags=SF-21
@test "every rule has a worked example" {
	# A rule is what stands behind the name; many names may share it.
	sf-rules --list >rules
	grep -v '^#' "$DATA/rules-examples.tsv" | cut -f 1 |
	    sed 's/^prim[.].*/prim.*/' | sort -u >examples
	sort -t "$(printf '\t')" -k 1,1 rules |
	    join -t "$(printf '\t')" - examples | cut -f 2- | sort -u >shown
	equal "$(cut -f 2- rules | sort -u | comm -23 - shown)" ""
}

@test "operators without a formula of their own all count like their category" {
	# Inputs of 6 and 3 f32 elements, the first a parameter; outputs of 4
	# bf16 and 5 f32 elements: 36 bytes in, 28 out, 24 of parameters.
	sf-rules --list >rules
	while read -r category want; do
		python3 "$ROOT/tests/rules.py" names rules "$category" >in
		[ "$(wc -l <in)" -gt 10 ]
		equal "$(counted <in | cut -d ' ' -f 2- | sort -u)" \
		    "$category $want"
	done <<-'END'
	elementwise 9 36 28 24
	reduction 6 36 28 24
	softmax 30 36 28 24
	norm 30 36 28 24
	copy 0 36 28 24
	creation 0 0 28 0
	view 0 0 0 0
	END
}

@test "no name is listed twice" {
	sf-rules --list | cut -f 1 | sort >names
	equal "$(uniq -d names)" ""
}

# ---- names ----

@test "an overload and a trailing underscore change nothing" {
	trace "$(op 0 aten.add.Tensor "$(f32 a 4)" "$(f32 b 4)")" \
	    "$(op 1 aten.add_.Tensor "$(f32 a 4)" "$(f32 b 4)")" \
	    "$(op 2 aten.relu_ "$(f32 a 4)" "$(f32 b 4)")" \
	    "$(op 3 aten.copy_.default "$(f32 a 4),$(f32 b 4)" "$(f32 b 4)")" >in
	equal "$(counted <in)" "\
aten.add.Tensor elementwise 4 16 16 0
aten.add_.Tensor elementwise 4 16 16 0
aten.relu_ elementwise 4 16 16 0
aten.copy_.default copy 0 32 16 0"
}

@test "a name in another namespace has no rule" {
	trace "$(op 0 onnx.add "" "")" "$(op 1 aten.Add "" "")" \
	    "$(op 2 onnx.Relu_ "" "")" "$(op 3 onnx.Add.Tensor "" "")" \
	    "$(op 4 add "" "")" "$(op 5 fhe.Conv "" "")" "$(op 6 aten. "" "")" \
	    "$(op 7 "prim.*" "" "")" "$(op 8 primer.x "" "")" \
	    "$(op 9 com.microsoft.Conv "" "")" >in
	equal "$(counted <in | cut -d ' ' -f 2- | sort | uniq -c | sed 's/^ *//')" \
	    "9 unknown 0 0 0 0
1 view 0 0 0 0"
}

# ---- parameters ----

@test "a view of a parameter is still weight traffic" {
	trace "$(op 0 aten.t "$(param w 16,8)" "$(f32 t 8,16)")" \
	    "$(op 1 aten.view "$(f32 t 8,16)" "$(f32 v 8,16)")" \
	    "$(op 2 aten.mm "$(f32 x 4,8),$(f32 v 8,16)" "$(f32 y 4,16)")" >in
	run -0 --separate-stderr sf-rules <in
	# 8 x 16 elements of four bytes.
	equal "$(jq -r 'select(.name == "aten.mm").weight_bytes' <<<"$output")" 512
	equal "$stderr" ""
}

@test "what is read of a table is its rows, as they are stored" {
	local ids='{"tid":"ids","shape":[4],"dtype":"i64"}' name table ops=()
	for stored in 256000 64005 64000 32000 63999 1; do
		table=$(f32 t 1000,64 '"param":true,"stored":'$stored)
		for name in onnx.Gather aten.embedding aten.index \
		    aten.index_select aten.embedding_bag \
		    aten._embedding_bag_per_sample_weights_backward \
		    com.microsoft.EmbedLayerNormalization; do
			set -- "$table,$ids"
			[[ $name != *backward ]] || set -- "$(f32 g 0),$1"
			[[ $name != com* ]] || set -- "$ids,null,$table,$(
			    f32 p 9,64),null,$(f32 g 64),$(f32 b 64)"
			ops+=("$(op ${#ops[@]} $name "$1" \
			    "$(f32 y 4,64)")")
		done
	done
	trace "${ops[@]}" | sf-rules >out
	# Beside the weights: indices, and rows of positions, gamma and beta.
	equal "$(jq -c 'select(.kind=="op")|[.weight_bytes, .bytes_read -
	    .weight_bytes]' out | sort | uniq -c | tr -s ' ')" \
	    "$(for w in 1024 128 1 256 257; do
		[ $w != 256 ] || echo " 2 [256,1568]"$'\n'" 12 [256,32]"
		[ $w = 256 ] || echo " 1 [$w,1568]"$'\n'" 6 [$w,32]"
	done | sort -k 2)"
	# No step passes 2^63, and an empty table is no division.
	trace "$(op 0 onnx.Gather "$(f32 t 8589934592 \
	    '"param":true,"stored":8589934599'),$ids" "$(f32 y 4294967296)")" \
	    "$(op 1 aten.embedding_bag "$(f32 e 0,64),$ids" \
		"$(f32 z 4,64)")" | sf-rules >out
	equal "$(jq -c 'select(.kind=="op").weight_bytes' out)" \
	    $'4294967300\n0'
}

@test "what is read of a parameter is what is stored of it" {
	kept() { f32 "$1" "$2" '"param":true,"stored":'"$3"; }
	trace "$(op 0 aten.mm "$(f32 x 4,8),$(kept w 8,16 136)" "$(f32 y 4,16)")" \
	    "$(op 1 onnx.Sum "$(kept a 4 0),$(kept b 4 4503599627370496)" \
	    "$(f32 y 4)")" >in
	equal "$(counted <in)" "\
aten.mm matmul 1024 264 256 136
onnx.Sum elementwise 4 4503599627370496 16 4503599627370496"
	# Experts that no token goes to are not read.
	trace "$(op 0 aten._grouped_mm \
	    "$(f32 x 2,8),$(kept w 4,8,16 1024 | sed 's/}/,"read":512}/'),$(f32 e 4)" \
	    "$(f32 y 2,16)")" >in
	equal "$(counted <in)" "aten._grouped_mm matmul 512 592 128 512"
	# What a filter hands on is what it was given.
	equal "$(sf-rules <in | jq -c '.inputs[1]?.read // empty')" 512
	for wrong in '"param":true,"stored":-1' '"stored":4' \
	    '"param":true,"read":17' '"read":4' '"param":true,"read":-1' \
	    '"param":true,"stored":3,"read":4' \
	    '"param":true,"stored":9223372036854775808' \
	    '"param":true,"stored":0.5' '"param":true,"stored":null'; do
		trace "$(op 0 aten.relu "$(f32 x 4 "$wrong")" "$(f32 y 4)")" >in
		run -3 --separate-stderr sf-rules in
		fails_with 3 "in:2: "
	done
}

@test "each part of a split parameter is a parameter" {
	trace "$(op 0 aten.split "$(param w 8,6)" "$(f32 a 8,3),$(f32 b 8,3)")" \
	    "$(op 1 aten.mm "$(f32 x 4,8),$(f32 b 8,3)" "$(f32 y 4,3)")" >in
	equal "$(counted <in | tail -n 1)" "aten.mm matmul 192 224 48 96"
}

@test "a copy, a shape and a computed value of a parameter are none" {
	trace "$(op 0 aten.clone "$(param w 4)" "$(f32 a 4)")" \
	    "$(op 1 onnx.Shape "$(param w 4)" "$(f32 b 4)")" \
	    "$(op 2 aten.neg "$(param w 4)" "$(f32 c 4)")" \
	    "$(op 3 aten.view "$(f32 x 4),$(param w 4)" "$(f32 d 4)")" \
	    "$(op 4 aten.cat "$(f32 a 4),$(f32 b 4),$(f32 c 4),$(f32 d 4)" \
	    "$(f32 y 16)")" >in
	equal "$(counted <in | tail -n 1)" "aten.cat copy 0 64 64 0"
}

@test "what one trace says of a tensor does not hold in the next" {
	trace "$(op 0 aten.t "$(param w 4,4)" "$(f32 t 4,4)")" >first
	trace "$(op 0 aten.neg "$(f32 t 4,4)" "$(f32 y 4,4)")" >second
	cat first second >in
	equal "$(counted <in | tail -n 1)" "aten.neg elementwise 16 64 64 0"
}

@test "a tensor that is passed twice is read twice" {
	trace "$(op 0 aten.mul "$(param w 4),$(param w 4)" "$(f32 y 4)")" >in
	equal "$(counted <in)" "aten.mul elementwise 4 32 16 32"
}

# ---- operators that cost nothing ----

@test "folded and dead operators cost nothing, whatever they are" {
	trace "$(op 0 aten.mm "$(f32 a 4,8),$(f32 b 8,4)" "$(f32 c 4,4)" '"folded":true')" \
	    "$(op 1 my.op "$(f32 a 4)" "$(f32 c 4)" '"dead":true')" \
	    "$(op 2 aten.add "" "$(f32 c '"n"')" '"dead":true,"unresolved":"why not"')" >in
	run -0 --separate-stderr sf-rules --strict --why <in
	equal "$(jq -c 'select(.kind == "op") |
	    [.category,.flops,.bytes_read,.bytes_written,.weight_bytes,.why]' \
	    <<<"$output")" \
	    '["view",0,0,0,0,"folded"]
["view",0,0,0,0,"dead"]
["view",0,0,0,0,"dead"]'
}

@test "a folded view of a parameter hands it on" {
	trace "$(op 0 onnx.Reshape "$(param w 32)" "$(f32 r 8,4)" '"folded":true')" \
	    "$(op 1 onnx.MatMul "$(f32 x 2,8),$(f32 r 8,4)" "$(f32 y 2,4)")" >in
	# 2 x 2 x 4 x 8; (16 + 32) x 4; 8 x 4; 32 x 4.
	equal "$(counted <in | tail -n 1)" "onnx.MatMul matmul 128 192 32 128"
}

# ---- what can not be counted ----

# bats test_tags=SF-22
@test "an operator without a rule is unknown, and one line says so" {
	trace "$(op 0 my.op "$(f32 x 4)" "$(f32 y 4)")" >in
	run -0 --separate-stderr sf-rules <in
	equal "$stderr" "sf-rules: note: 1 operator of 1 name without a rule, not counted; most are 'my.op': 1"
	equal "$(jq -c 'select(.kind == "op") | [.category,.flops,.bytes_read,
	    .bytes_written,.weight_bytes]' <<<"$output")" '["unknown",0,0,0,0]'
}

# bats test_tags=SF-22
@test "an operator whose shapes are not known is unknown and says so" {
	trace "$(op 0 aten.add "$(f32 x '4,"n"')" "$(f32 y 4,5)")" \
	    "$(op 1 aten.add "$(f32 x 4)" "{\"tid\":\"y\",\"shape\":null,\"dtype\":\"f32\"}")" \
	    "$(op 2 aten.add "$(f32 x 4)" "{\"tid\":\"z\",\"shape\":[4],\"dtype\":null}")" \
	    "$(op 3 aten.add "$(f32 x 4)" "$(f32 y null)" '"unresolved":"the reason"')" \
	    "$(op 4 aten.add "$(f32 x 4)" "$(f32 y 4)" '"unresolved":"another"')" >in
	run -0 --separate-stderr sf-rules <in
	equal "$(jq -r 'select(.kind == "op") | "\(.category) \(.flops) \(.unresolved)"' \
	    <<<"$output")" "\
unknown 0 tensor 'x': a size is not known
unknown 0 tensor 'y': its shape is not known
unknown 0 tensor 'z': its type is not known
unknown 0 the reason
unknown 0 another"
}

@test "a view needs no shapes, unless its source says that they matter" {
	trace "$(op 0 aten.view "$(f32 x '"n"')" "$(f32 y '"n"')")" \
	    "$(op 1 aten.view "$(f32 x '"n"')" "$(f32 y '"n"')" '"unresolved":"n"')" >in
	equal "$(counted <in | cut -d ' ' -f 2)" "view
unknown"
}

# bats test_tags=SF-22
@test "--strict passes the stream, names what was not counted and says no" {
	trace "$(op 0 my.op "" "")" "$(op 1 aten.add "" "$(f32 y null)")" \
	    "$(op 2 your.op "" "")" "$(op 3 my.op "" "")" \
	    "$(op 4 aten.neg "$(f32 x 2)" "$(f32 y 2)")" >in
	sf-rules <in | grep -v '"kind":"tool"' >want
	run -1 --separate-stderr sf-rules --strict <in
	equal "$stderr" "\
sf-rules: note: no rule for 'my.op': 2 operators
sf-rules: note: no rule for 'your.op': 1 operator
sf-rules: note: unresolved 'aten.add': 1 operator"
	equal "$(grep -v '"kind":"tool"' <<<"$output")" "$(cat want)"
}

# bats test_tags=SF-22
@test "the note on operators without a rule is one line for the whole stream" {
	trace "$(op 0 my.op "" "")" "$(op 1 your.op "" "")" \
	    "$(op 2 your.op "" "")" "$(op 3 my.op "" "" '"dead":true')" >in
	sf-rules in in >/dev/null 2>said
	equal "$(cat said)" "sf-rules: note: 6 operators of 2 names without a rule, not counted; most are 'your.op': 4"
	trace "$(op 0 aten.neg "$(f32 x 2)" "$(f32 y 2)")" >in
	sf-rules in >/dev/null 2>said
	equal "$(cat said)" ""
}

@test "--strict is content when all is counted" {
	trace "$(op 0 aten.neg "$(f32 x 2)" "$(f32 y 2)")" >in
	run -0 --separate-stderr sf-rules --strict <in
	equal "$stderr" ""
}

# ---- operators that are not what their rule is for ----

# bats test_tags=SF-22
@test "too few inputs do not count and are told with what was expected" {
	trace "$(op 0 aten.mm "$(f32 x 4,8)" "$(f32 y 4,4)")" >in
	set_aside "input 2 (b) is missing, expected inputs: a, b"
}

# bats test_tags=SF-22
@test "no rule refuses an operator, whatever tensors it has" {
	sf-rules --list >rules
	python3 "$ROOT/tests/rules.py" short rules >in
	sf-rules in >counted 2>said
	[[ $(cat said) == *" that do not fit the rule, not counted; the first is 'aten."* ]]
	run -0 python3 "$ROOT/tests/rules.py" unfit rules <counted
	equal "$output" ""
	sf-report counted >/dev/null
	sf-cost --device h100 counted >/dev/null
	sf-lower --preset dc-npu counted >/dev/null
}

# bats test_tags=SF-22
@test "operators that do not fit are one line, under --strict one a name" {
	trace "$(op 0 aten.mm "$(f32 a 4,8)" "")" "$(op 1 aten.mm "" "")" \
	    "$(op 2 aten.sum "" "")" >in
	run -0 --separate-stderr sf-rules in in
	equal "$stderr" "sf-rules: note: 6 operators of 2 names that do not fit the rule, not counted; the first is 'aten.mm', op 0: input 2 (b) is missing, expected inputs: a, b"
	run -1 --separate-stderr sf-rules --strict --why in
	equal "$stderr" "\
sf-rules: note: no fit for the rule of 'aten.mm': 2 operators; op 0: input 2 (b) is missing, expected inputs: a, b
sf-rules: note: no fit for the rule of 'aten.sum': 1 operator; op 2: flops = largest(inputs): found none of inputs, expected at least one"
	equal "$(jq -r '.why // empty' <<<"$output" | sort -u)" unresolved
}

@test "an input that was left out is not there" {
	trace "$(op 0 onnx.Gemm "$(f32 x 4,8),null" "$(f32 y 4,4)")" >in
	set_aside "input 2 (b) is missing"
}

@test "a scalar where a size is asked for does not count" {
	trace "$(op 0 aten.matmul "$(f32 x ""),$(f32 z 8)" "$(f32 y 4)")" >in
	set_aside "a[-1]: a has rank 0, expected at least 1"
	trace "$(op 0 aten.conv2d "$(f32 x 4),$(f32 w "")" "$(f32 y 4)")" >in
	set_aside "w has rank 0"
}

@test "a reduction of nothing does not count" {
	trace "$(op 0 aten.sum "" "$(f32 y 4)")" >in
	set_aside "found none of inputs, expected at least one"
}

# bats test_tags=SF-19
@test "a count that passes 2^63 - 1 is an error that names its formula" {
	# Elements of four bits, so that the tensors themselves are small enough.
	n=2147483648
	cat >in <<-END
	{"kind":"trace","format":"simfront-trace/1","model":"m","route":"export"}
	{"kind":"op","i":0,"name":"aten.mm","inputs":[{"tid":"a","shape":[$n,$n],"dtype":"u4","itemsize":0.5},{"tid":"b","shape":[$n,1],"dtype":"u4","itemsize":0.5}],"outputs":[{"tid":"c","shape":[$n,1],"dtype":"u4","itemsize":0.5}]}
	{"kind":"end","ops":1}
	END
	# 2 x 2^31 x 1 x 2^31 = 2^63, one too many.
	run --separate-stderr sf-rules <in
	fails_with 3 "op 0 'aten.mm': flops = 2*macs(): passes 2^63 - 1"
}

@test "bytes of several inputs that pass 2^63 - 1 are an error" {
	# Twice 2^60 elements of four bytes: 2^63.
	trace "$(op 0 aten.add "$(f32 a 1152921504606846976),$(f32 b 1152921504606846976)" \
	    "$(f32 c 1)")" >in
	run --separate-stderr sf-rules <in
	fails_with 3 "read = bytes(inputs): passes 2^63 - 1"
}

# A window of no size was written, and refused by the next program.
@test "an empty tensor has no window, and an attribute of 0 none that fits" {
	local pool='"attrs":{"kernel_size":'
	trace "$(op 0 aten.max_pool2d "$(f32 a 1,3,0,8)" "$(f32 b 1,3,0,8)" \
		"${pool}[2,2]}")" \
	    "$(op 1 onnx.GlobalAveragePool "$(f32 c 1,3,0,8)" "$(f32 d 1,3,1,1)")" \
	    "$(op 2 onnx.Conv "$(f32 e 1,3,8,8),$(f32 w 4,3,0,3)" \
		"$(f32 f 1,4,8,8)" '"attrs":{"kernel_shape":[0,3]}')" \
	    "$(op 3 aten.convolution "$(f32 g 1,3,8,8),$(f32 v 4,3,3,0)" \
		"$(f32 h 1,4,8,8)" '"attrs":{"stride":[1,1],"transposed":false}')" \
	    "$(op 4 aten.max_pool2d "$(f32 i 1,3,8,8)" "$(f32 j 1,3,8,8)" \
		"${pool}[0,2]}")" \
	    "$(op 5 aten.max_pool2d "$(f32 k 1,3,8,8)" "$(f32 l 1,3,8,8)" \
		"${pool}[-1]}")" >in
	sf-rules in 2>notes >out
	equal "$(jq -c 'select(.kind == "op")|[.flops,.window.kernel,.unresolved]' \
	    out)" '[0,[2,2],null]
[0,null,null]
[0,null,null]
[0,null,null]
[0,null,"window = x[-2:], attr(kernel_size): attribute '\''kernel_size'\'' has 0, expected 1 or more"]
[0,null,"window = x[-2:], attr(kernel_size): attribute '\''kernel_size'\'' has -1, expected 1 or more"]'
	sf-lower -p edge-npu -s conv=implicit out >lowered
	for program in sf-sim sf-report sf-check "sf-cost -d h100"; do
		$program lowered >/dev/null
	done
}

@test "the largest count that fits is exact" {
	# 2^61 - 1 bytes and one flop an element: no rounding through a double.
	trace "$(op 0 aten.add \
	    '{"tid":"a","shape":[2305843009213693951],"dtype":"u8","itemsize":1}' \
	    '{"tid":"c","shape":[2305843009213693951],"dtype":"u8","itemsize":1}')" >in
	sf-rules <in >out
	grep -q '"flops":2305843009213693951,"bytes_read":2305843009213693951,' out
}

@test "a trace that is counted is not counted again" {
	trace "$(op 0 aten.neg "$(f32 x 2)" "$(f32 y 2)")" | sf-rules >once
	run --separate-stderr sf-rules <once
	fails_with 3 "op 0 'aten.neg': is counted already"
}

@test "attributes are read in any spelling that JSON allows" {
	a=$(f32 a 8,4) b=$(f32 b 8,16) c=$(f32 c 4,16)
	trace "$(op 0 onnx.Gemm "$a,$b" "$c" '"attrs":{"x":[{"transA":0}], "transA" : true}')" \
	    "$(op 1 onnx.Gemm "$a,$b" "$c" '"attrs":{"tr\u0061nsA":1}')" \
	    "$(op 2 onnx.Gemm "$a,$b" "$c" '"attrs":{"transA":null}')" \
	    "$(op 3 onnx.Einsum "$a,$b" "$c" '"attrs":{"equation":"ki,kj-\u003eij"}')" >in
	# Twice 4 x 16 x 8; with K = 4 when it is not transposed.
	equal "$(counted <in | cut -d ' ' -f 3)" "1024
1024
512
1024"
}

@test "an attribute of another type, or none that is needed, does not count" {
	trace "$(op 0 onnx.Gemm "$(f32 a 8,4),$(f32 b 8,16)" "$(f32 c 4,16)" \
	    '"attrs":{"transA":"yes"}')" >in
	set_aside "attribute 'transA' is \"yes\", expected an integer"
	trace "$(op 0 fhe.ntt "$(f32 a 8)" "$(f32 b 8)")" >in
	set_aside "attribute 'butterflies' is missing"
}

@test "an equation that does not go with its inputs does not count" {
	while IFS='|' read -r equation shapes text; do
		inputs=
		for shape in $shapes; do
			inputs="$inputs${inputs:+,}$(f32 a "$shape")"
		done
		trace "$(op 0 onnx.Einsum "$inputs" "$(f32 c 4)" \
		    "\"attrs\":{\"equation\":\"$equation\"}")" >in
		set_aside "$text"
	done <<-'END'
	ij,jk->ik|2,3 4,5|does not go with input 2
	ij->i|2,3,4|does not go with input 1
	ijk->i|2,3|does not go with input 1
	ij,jk->ik|2,3|does not go with input 2
	ij->i|2,3 4|is for 1 inputs, found 2
	i.j->i|2,3|does not go with input 1
	i1->i|2,3|does not go with input 1
	END
}

# ---- why ----

@test "--why prints the formula with names, then with numbers" {
	trace "$(op 0 aten.mm "$(f32 a 4096,2048),$(f32 b 2048,4096)" "$(f32 c 4096,4096)")" \
	    "$(op 1 aten.add "$(f32 a 3)" "$(f32 c 3)")" \
	    "$(op 2 aten.linear "$(f32 x 2,4),$(f32 w 8,4),$(f32 b 8)" "$(f32 c 2,8)")" \
	    "$(op 3 my.op "" "")" "$(op 4 aten.add "" "$(f32 x null)")" >in
	sf-rules --why <in >out
	equal "$(jq -r 'select(.kind == "op").why' out)" "\
2*M*K*N = 2*4096*2048*4096
reals(outputs) = 3
2*prod(x[:-1])*x[-1]*N + (has(bias) ? reals(out) : 0) = 2*2*4*8 + 16
no rule
unresolved"
}

@test "the numbers that --why prints come to the flops, for every rule" {
	python3 "$ROOT/tests/rules.py" trace "$DATA/rules-examples.tsv" >in
	sf-rules --why <in >out
	run -0 python3 "$ROOT/tests/rules.py" why <out
	equal "$output" ""
}

@test "without --why there is none" {
	trace "$(op 0 aten.neg "$(f32 x 2)" "$(f32 y 2)")" | sf-rules >out
	run -1 grep why out
}

# ---- what the stream says of it ----

# bats test_tags=SF-21
@test "the tool record states the conventions" {
	trace | sf-rules >out
	equal "$(jq -c 'select(.kind == "tool") | [.tool,.args,.conventions]' out)" \
	    '["sf-rules",[],{"multiply_add_flops":2,"attention":"unmasked","bytes":"unfused"}]'
}

@test "--list prints ten fields a rule and reads nothing" {
	run -0 --separate-stderr sf-rules --list <&-
	equal "$stderr" ""
	equal "$(awk -F '\t' 'NF != 10' <<<"$output")" ""
	grep -qxF "$(printf '%s\t' aten.mm matmul 'a, b' \
	    '2*macs()' 'bytes(inputs)' 'bytes(outputs)' 'weight(inputs)' \
	    '1, M, K, N of a, b where M = a[0], K = a[1], N = b[1]' '')0" <<<"$output"
	# In the order of the tables, of which the dispatcher's is the first.
	first=$(sed -n '/^SF_RULE/{n; s/ *"\([^ ]*\).*/\1/p; q}' \
	    "$ROOT/lib/rules/aten.def")
	equal "$(head -1 <<<"$output" | cut -f 1)" "aten.$first"
}

@test "--list takes nothing that would have to do with a trace" {
	for more in --strict --why in -; do
		run --separate-stderr sf-rules --list "$more"
		fails_with 2 "'--list' reads no trace, expected no other option"
		equal "$output" ""
	done
}

# ---- rules of the user's own ----

# bats test_tags=SF-23
@test "a rule of the user's own counts an operator without one" {
	cat >my.rules <<-'END'
	# A fused layer of ours.

	my.swiglu(x, gate, bias?) elementwise; flops = 5*numel(out) + numel(bias)   # and a comment
	END
	trace "$(op 0 my.swiglu.default "$(f32 x 2,3),$(f32 g 2,3),$(f32 b 3)" \
	    "$(f32 y 2,3)")" >in
	# 5 x 6 + 3; (6 + 6 + 3) x 4; 6 x 4.
	equal "$(counted --strict --rules my.rules <in)" \
	    "my.swiglu.default elementwise 33 60 24 0"
}

@test "a rule may state bytes, too" {
	echo 'my.lookup(table, ids) gather; read = bytes(out); written = 2*bytes(out); weight = param(table)*bytes(out)' >my.rules
	trace "$(op 0 my.lookup "$(param t 10,4),$(f32 i 3)" "$(f32 y 3,4)")" >in
	equal "$(counted -r my.rules <in)" "my.lookup gather 0 48 96 48"
}

# bats test_tags=SF-23
@test "the user's rule stands instead of a built-in one, and that is recorded" {
	echo 'aten.relu elementwise; flops = 2*numel(out)' >my.rules
	trace "$(op 0 aten.relu "$(f32 x 4)" "$(f32 y 4)")" \
	    "$(op 1 aten.relu_.default "$(f32 x 4)" "$(f32 y 4)")" >in
	mkdir dir && mv my.rules dir
	sf-rules --rules dir/my.rules <in >out
	equal "$(jq -r 'select(.kind == "op").flops' out)" "8
8"
	crc=$(printf '%08x' "$(python3 -c 'import sys, zlib
print(zlib.crc32(open(sys.argv[1], "rb").read()))' dir/my.rules)")
	equal "$(jq -c 'select(.kind == "tool") |
	    [.args, .inputs, .replaced_rules]' out)" \
	    "[[\"--rules\",\"my.rules\"],[{\"name\":\"my.rules\",\"crc32\":\"$crc\"}],[\"aten.relu\"]]"
}

@test "of several files the last one holds" {
	echo 'my.op elementwise; flops = 1' >a
	echo 'my.op copy; flops = 2' >b
	trace "$(op 0 my.op "" "")" >in
	equal "$(counted --rules a --rules b <in)" "my.op copy 2 0 0 0"
	equal "$(counted --rules b --rules a <in)" "my.op elementwise 1 0 0 0"
}

@test "a star stands for any end, and the longest beginning holds" {
	cat >my.rules <<-'END'
	my.* elementwise; flops = 1
	my.fused_* elementwise; flops = 2
	my.fused_one elementwise; flops = 3
	aten.* elementwise; flops = 4
	END
	trace "$(op 0 my.op "" "")" "$(op 1 my.fused_two "" "")" \
	    "$(op 2 my.fused_one "" "")" "$(op 3 my.fused_one.out "" "")" \
	    "$(op 4 aten.neg "" "$(f32 y 7)")" "$(op 5 aten.no_such "" "")" >in
	equal "$(counted --rules my.rules <in | cut -d ' ' -f 3 | xargs)" \
	    "1 2 3 3 7 4"
}

@test "the rule of one overload holds for it alone" {
	echo 'aten.max.other elementwise' >my.rules
	trace "$(op 0 aten.max.other "$(f32 x 4),$(f32 z 1)" "$(f32 y 4)")" \
	    "$(op 1 aten.max.dim "$(f32 x 4)" "$(f32 y 1)")" >in
	equal "$(counted --rules my.rules <in | cut -d ' ' -f 2)" "elementwise
reduction"
}

# value FORMULA - its value for an operator with inputs a [2,3,5], b [7] (a
# parameter) and c left out, outputs [4] and [6,1], some attributes.
value() {
	printf 'my.op(a, b, c?, rest*) elementwise; flops = %s; read = bytes(inputs)\n' \
	    "$1" >my.rules
	trace "$(op 0 my.op "$(f32 a 2,3,5),$(param b 7),null,$(f32 d 9),$(f32 e 3,3)" \
	    "$(f32 y 4),$(f32 z 6,1)" \
	    '"attrs":{"n":12,"yes":true,"list":[5,6,7],"text":"t","half":0.5,"zero":0.0e9,"least":5e-324,"minus":-0.0}')" |
	    sf-rules --why --rules my.rules |
	    jq -r 'select(.kind == "op") | "\(.flops) \(.why)"'
}

@test "formulas: what there is to ask, and what it comes to" {
	while IFS='|' read -r formula want; do
		equal "$formula: $(value "$formula" | cut -d ' ' -f 1)" \
		    "$formula: $want"
	done <<-'END'
	1 + 2*3 - 4|3
	2*(3 + 4)|14
	20 - 5 - 3|12
	24/2/3|4
	7//2|3
	7//2*2|6
	min(3, 4) + max(3, 4)|7
	(2 < 3) + (3 <= 3) + (4 > 3) + (3 >= 3) + (1 == 1) + (1 != 2)|6
	(3 < 2) + (3 <= 2) + (3 > 4) + (3 >= 4) + (1 == 2) + (1 != 1)|0
	1 + 1 == 2 ? 10 : 20|10
	0 ? 1 : 0 ? 2 : 3|3
	a[0] + 10*a[1] + 100*a[-1]|532
	prod(a[:])|30
	prod(a[1:])|15
	prod(a[:-1])|6
	prod(a[1:2])|3
	prod(a[3:])|1
	rank(a) + 10*rank(b)|13
	numel(a)|30
	numel(c)|0
	numel(rest)|18
	numel(rest, 2)|9
	numel(inputs)|55
	numel(inputs, 1)|16
	numel(outputs)|10
	numel(out) + 100*numel(out1) + 10000*numel(in1)|70604
	bytes(a) + bytes(b) + bytes(c)|148
	weight(inputs) + weight(a)|28
	param(a) + 2*param(b) + 4*param(c)|2
	has(a) + 2*has(c) + 4*has(out1) + 8*has(out2)|5
	largest(inputs)|30
	largest(rest)|9
	count(inputs)|4
	count(rest, 2)|1
	attr(n)|12
	attr(yes)|1
	attr(none, 3 + 4)|7
	attr(list[0]) + 10*attr(list[-1])|75
	nonzero(half) + 10*nonzero(none, 7) + 100*nonzero(n)|171
	nonzero(yes) + 10*nonzero(list[2]) + 100*nonzero(none, 0)|11
	nonzero(zero) + nonzero(least) + nonzero(minus)|1
	x*y where x = a[0], y = x + 1|6
	END
}

@test "formulas: numbers keep the parentheses that they need" {
	while IFS='|' read -r formula want; do
		equal "$(value "$formula")" "$want"
	done <<-'END'
	(a[0] + a[1])*2|10 (a[0] + a[1])*2 = (2 + 3)*2
	a[2] - (a[1] - a[0])|4 a[2] - (a[1] - a[0]) = 5 - (3 - 2)
	60/(a[0]*a[1])|10 60/(a[0]*a[1]) = 60/(2*3)
	2*(has(c) ? 7 : a[0] + 1)|6 2*(has(c) ? 7 : a[0] + 1) = 2*(2 + 1)
	max(a[0]*2, a[1])|4 max(a[0]*2, a[1]) = max(2*2, 3)
	(a[0] < 3) + 1|2 (a[0] < 3) + 1 = 1 + 1
	n*n where n = a[0] + a[1]|25 n*n = 5*5
	END
}

@test "formulas: what an operator can not answer is told" {
	while IFS='|' read -r formula text; do
		run --separate-stderr value "$formula"
		[[ $stderr == *"flops = $formula: $text"* ]] || {
			printf '%s\n%s\n' "$formula" "$stderr"
			return 1
		}
	done <<-'END'
	7/2|7 is no multiple of 2 (// would round down)
	1/(a[0] - 2)|divides by zero
	1//0|divides by zero
	a[0] - 9|found -7, expected no negative number
	a[3]|a[3]: a has rank 3, expected at least 4
	a[-4]|a[-4]: a has rank 3, expected at least 4
	prod(a[4:])|prod(a[...]): a has rank 3, which has no sizes 4 up to 3
	prod(a[2:1])|prod(a[...]): a has rank 3, which has no sizes 2 up to 1
	c[0]|input 3 (c) is missing
	in7[0]|input 8 (in7) is missing
	numel(out2)|output 3 (out2) is missing
	largest(rest, 5)|found none of rest, expected at least one
	attr(none)|attribute 'none' is missing
	attr(text)|attribute 'text' is "t", expected an integer
	attr(half)|attribute 'half' is 0.5, expected an integer
	attr(list)|attribute 'list' is [5,6,7], expected an integer
	attr(list[3])|attribute 'list' is [5,6,7], expected a list with that element
	attr(n[0])|attribute 'n' is 12, expected a list with that element
	nonzero(none)|attribute 'none' is missing
	nonzero(text)|attribute 'text' is "t", expected a number
	nonzero(list)|attribute 'list' is [5,6,7], expected a number
	nonzero(list[3])|attribute 'list' is [5,6,7], expected a list with that element
	einsum()|attribute 'equation' is missing
	9223372036854775807 + 1|passes 2^63 - 1
	4611686018427387904*2|passes 2^63 - 1
	END
}

@test "weights above what is read are an error" {
	echo 'my.op copy; read = 3; weight = 4' >my.rules
	trace "$(op 0 my.op "" "")" >in
	run --separate-stderr sf-rules --rules my.rules <in
	fails_with 3 "weight = 4: found 4 bytes of parameters among 3 read; state both read and weight"
}

@test "a product or a window that is not whole is refused" {
	while IFS='~' read -r field text; do
		echo "my.op(a, b, r*) matmul; flops = 1; $field" >bad.rules
		run --separate-stderr sf-rules --rules bad.rules </dev/null
		fails_with 3 "sf-rules: bad.rules:1: $text"
		equal "$output" ""
	done <<-'END'
	gemm =~found '', expected a product as batch, m, k, n
	gemm = 1, 2, 3~found '1, 2, 3', expected a product
	gemm = 1, 2, 3,~found nothing behind the last ',' of '1, 2, 3,'
	gemm = 1, 2, 3, 4,~found nothing behind the last ',' of '1, 2, 3, 4,'
	gemm = 1, 2, 3, 4, of a, b~found nothing behind the last ','
	gemm = 1, 2, 3, 4, 5~found '1, 2, 3, 4, 5', expected a product
	gemm = 1, 2, 3, 4 |~found nothing behind the last '|'
	gemm = 1, 2, 3, 4 | where x = 1~found nothing behind the last '|'
	gemm = | 1, 2, 3, 4~found '', expected a product
	gemm = 1, 2, 3, 4 || 1, 2, 3, 4~found '', expected a product
	gemm = 1, 2, 3, 4 of a~found one operand 'a', expected two
	gemm = 1, 2, 3, 4 of a, b,~found 'b,', expected the name of an input
	gemm = 1, 2, 3, 4 of a, b +~found nothing behind the last '+' of 'b +'
	gemm = 1, 2, 3, 4 of a, b(6) +~found nothing behind the last '+'
	gemm = 1, 2, 3, 4 of a, b + a(6)~found 'a(6)', expected elements behind
	gemm = 1, 2, 3, 4 of a, - + b~found '-', expected the name of an input
	gemm = 1, 2, 3, 4 of a, c~found 'c', expected the name of an input
	gemm = 1, 2, 3, p[0] for p in b~found 'for p in b', expected 'for NAME
	gemm = 1, 2, 3, macs()~'1, 2, 3, macs()' asks for its own macs()
	gemm = 1, 2, 3, x where x = 2*macs()~'1, 2, 3, x where x = 2*macs()' asks
	gemm = 1, 2, 3, 4; gemm = 1, 2, 3, 4~'gemm' is there twice
	window =~found '', expected sizes of an input
	window = a~found 'a', expected sizes of an input
	window = a[2]~found 'a[2]', expected sizes of an input
	window = a[2:~found 'a[2:', expected sizes of an input
	window = a[2:1]~found 'a[2:1]', expected sizes of an input
	window = out[2:]~found 'out[2:]', expected sizes of an input
	window = a[2:],~found '', expected sizes of an input
	window = a[2:], b~found 'b', expected sizes of an input
	window = a[2:], b[2:], b[2:]~found 'b[2:], b[2:]', expected sizes
	window = a[2:], attr()~found 'attr()', expected attr(NAME)
	window = a[2:], attr(k, 3)~found 'attr(k, 3)', expected attr(NAME)
	window = a[2:], attr(k[0])~found 'attr(k[0])', expected attr(NAME)
	window = a[2:]; window = a[2:]~'window' is there twice
	END
}

@test "a wrong rule is an error with its file and line" {
	while IFS='|' read -r rule text; do
		printf '# first\nmy.op copy\n%s\n' "$rule" >bad.rules
		run --separate-stderr sf-rules --rules bad.rules </dev/null
		fails_with 3 "sf-rules: bad.rules:3: "
		fails_with 3 "$text"
		equal "$output" ""
	done <<-'END'
	op copy|found the name 'op', expected NAMESPACE.OPERATOR
	.op copy|found the name '.op', expected NAMESPACE.OPERATOR
	my. copy|found the name 'my.', expected NAMESPACE.OPERATOR
	my.*x copy|found the name 'my.*x', expected '*' only at its end
	my.op|found the category '', expected one of: matmul, attention,
	my.op cpoy|found the category 'cpoy', expected one of: matmul, attention,
	my.op unknown|found the category 'unknown', expected one of: matmul,
	my.op copy flops = 1|found 'flops = 1', expected ';' behind the category
	my.op copy; flop = 1|found 'flop', expected gemm =, window =, flops =, read =, written =, weight =, masked =, out = or outputs =
	my.op copy; flops|found 'flops', expected gemm =
	my.op copy; flops =|formula '': found 'the end', expected a number, a name or '('
	my.op copy; flops = 1; flops = 2|'flops' is there twice
	my.op copy;; flops = 1|found '', expected gemm =
	my.op matmul|a rule of category matmul needs gemm = BATCH, M, K, N or flops = FORMULA
	my.op elementwise; gemm = 1, 2, 3, 4|a rule of category elementwise has gemm =, expected that of matmul or attention only
	my.op attention; read = 1|a rule of category attention needs flops = FORMULA
	my.op() copy|found '()', expected the names of inputs or no parentheses
	my.op(a copy|expected ')' behind the inputs
	my.op(a,) copy; flops = b[0]|formula 'b[0]': found 'b', expected one tensor
	my.op(a,,b) copy|found '', expected a name for an input that means nothing yet
	my.op(a, a) copy|two inputs are called 'a'
	my.op(a) elementwise|'my.op' has a rule in line 2, expected another name
	my.op(a*, b) copy|'a*' takes all inputs that follow, expected no 'b' behind it
	my.op(out) copy|found 'out', expected a name for an input that means nothing yet
	my.op(in0) copy|found 'in0', expected a name for an input
	my.op(numel) copy|found 'numel', expected a name for an input
	my.op(2a) copy|found '2a', expected a name for an input
	my.op copy; flops = 1 +|formula '1 +': found 'the end', expected a number, a name or '('
	my.op copy; flops = (1|formula '(1': found 'the end', expected ')'
	my.op copy; flops = 1 2|formula '1 2': found '2', expected an operator or the end
	my.op copy; flops = -1|formula '-1': found '-', expected a number, a name or '('
	my.op copy; flops = 1.5|formula '1.5': found '.', expected an operator or the end
	my.op copy; flops = 9223372036854775808|formula '9223372036854775808': found '9223372036854775808', expected an integer
	my.op copy; flops = inputs[0]|found 'inputs', expected one tensor
	my.op copy; flops = numel(nothing)|found 'nothing', expected a tensor
	my.op copy; flops = numel(inputs, x)|found 'x', expected an integer
	my.op copy; flops = out|found 'the end', expected '['
	my.op copy; flops = out[i]|found 'i', expected an integer
	my.op copy; flops = prod(out[0])|found ']', expected ':'
	my.op copy; flops = prod(out)|found ')', expected '['
	my.op copy; flops = attr()|found ')', expected the name of an attribute
	my.op copy; flops = min(1)|found ')', expected ','
	my.op copy; flops = 1 ? 2|found 'the end', expected ':'
	my.op copy; flops = x where x = |found 'the end', expected a number
	my.op copy; flops = x where 3 = x|found '3', expected a name that means nothing yet
	my.op(a) copy; flops = a where a = 1|found 'a', expected a name that means nothing yet
	my.op copy; flops = x where x = 1, x = 2|found 'x', expected a name that means nothing yet
	my.op copy; flops = x where x = 1 2|found '2', expected ',' or the end
	my.op copy; flops = x where x = y, y = 1|found 'y', expected one tensor
	END
}

@test "formulas that would be endless are refused" {
	{
		printf 'my.op copy; flops = '
		for _ in $(seq 100); do printf '('; done
		printf 1
		for _ in $(seq 100); do printf ')'; done
		echo
	} >deep.rules
	run --separate-stderr sf-rules --rules deep.rules </dev/null
	fails_with 3 "expected less nesting"
	{
		printf 'my.op copy; flops = a20 where a0 = 1'
		for i in $(seq 20); do printf ', a%d = a%d + a%d' "$i" $((i - 1)) $((i - 1)); done
		echo
	} >wide.rules
	run --separate-stderr sf-rules --rules wide.rules </dev/null
	fails_with 3 "expected a shorter formula"
}

@test "a file of rules that is not there is an I/O error" {
	run --separate-stderr sf-rules --rules nowhere.rules </dev/null
	fails_with 4 "sf-rules: nowhere.rules: No such file or directory"
}

@test "a file of rules with bytes that are no text is an error" {
	printf 'my.o\0p copy\n' >bad.rules
	run --separate-stderr sf-rules --rules bad.rules </dev/null
	fails_with 3 "bad.rules:1: found a NUL byte"
	printf 'my.\377 copy\n' >bad.rules
	run --separate-stderr sf-rules --rules bad.rules </dev/null
	fails_with 3 "bad.rules:1: the name is not UTF-8"
}

@test "rules with CR LF and without a last LF are read" {
	printf 'my.a copy; flops = 1\r\nmy.b(x) copy; flops = 2' >my.rules
	trace "$(op 0 my.a "" "")" "$(op 1 my.b "$(f32 x 1)" "")" >in
	equal "$(counted --rules my.rules <in | cut -d ' ' -f 3)" "1
2"
}

@test "the rules that the page shows are rules" {
	grep '^my\.' "$ROOT/docs/man/simfront-rules.5" >shown.rules
	[ "$(wc -l <shown.rules)" -ge 4 ]
	sf-rules --rules shown.rules --list | cut -f 1 >names
	for name in $(sed 's/[( ].*//' shown.rules); do
		grep -qxF "$name" names
	done
}

@test "formulas can be cut and mangled anywhere without harm" {
	run -0 "$SF_UNIT/rules"
	equal "$output" ""
}

# ---- how records are spelled ----

@test "members count the same in any order and with white space" {
	cat >respell.py <<'PY'
import itertools, json, sys

def tensor(tid, shape, **more):
    return {"tid": tid, "shape": shape, "dtype": "f32", "itemsize": 4, **more}

usual = {"i": 0, "name": "onnx.MatMul",
         "inputs": [tensor("a", [2, 3]), tensor("w", [3, 5], param=True)],
         "outputs": [tensor("y", [2, 5])], "attrs": {"n": 1}}

def put(op, separators):
    print('{"kind":"trace","format":"simfront-trace/1","model":"m",'
          '"route":"onnx"}')
    print(json.dumps({"kind": "op", **op}, separators=separators))
    print('{"kind":"end","ops":1}')

for order in itertools.permutations(usual["inputs"][1].items()):
    w = dict(order)
    put(usual | {"inputs": [usual["inputs"][0], w]}, (",", ":"))
    put(usual | {"inputs": [usual["inputs"][0], w | {"more": [{}]}]},
        (" , ", " : "))
for order in itertools.permutations(usual.items()):
    put(dict(order), (",", ":"))
PY
	python3 respell.py >in
	equal "$(sf-rules in | jq -c 'select(.kind == "op") |
	    [.flops, .bytes_read, .bytes_written, .weight_bytes]' |
	    sort | uniq -c | tr -s ' ')" ' 360 [60,84,40,60]'
}

@test "a member that an op or a tensor has twice or lacks is refused" {
	usual='"tid":"x","shape":[1],"dtype":"f32","itemsize":4,"param":true,"stored":1'
	for name in tid shape dtype itemsize param stored; do
		member=$(grep -o "\"$name\":[^,]*" <<<"$usual")
		for x in "$usual,$member" "$member,$usual"; do
			trace "$(op 0 aten.relu "{$x}" "$(f32 y 1)")" >in
			run -3 --separate-stderr sf-rules in
			fails_with 3 "in:2: op 0 'aten.relu': inputs[0]: '$name' is there twice"
		done
	done
	for name in tid shape dtype; do
		x=$(sed "s/\"$name\":[^,]*,//" <<<"$usual")
		trace "$(op 0 aten.relu "{$x}" "$(f32 y 1)")" >in
		run -3 --separate-stderr sf-rules in
		fails_with 3 "in:2: op 0 'aten.relu': inputs[0]: '$name' is missing, expected "
	done
	for name in i name inputs outputs; do
		trace "$(op 0 aten.relu "$(f32 x 1)" "$(f32 y 1)" "\"$name\":0" |
		    sed 's/"\(inputs\|outputs\)":0/"\1":[]/; s/"name":0/"name":"x"/')" >in
		run -3 --separate-stderr sf-rules in
		fails_with 3 "in:2: op 0 'aten.relu': '$name' is there twice"
	done
}

@test "an error about a long text keeps its place and what was expected" {
	long=$(printf '(%.0s' {1..3000})
	echo "a.b(x) elementwise; flops = $long" >rules
	run -3 --separate-stderr sf-rules --rules rules "$DATA/cnn-export.sft"
	one_line_error
	[[ $stderr == "sf-rules: rules:1: formula '((("*" [...] "*", expected "* ]]
	[ "${#stderr}" -lt 700 ]
	trace '{"kind":"op","i":0,"name":"'"${long//(/é}"'","inputs":7}' >in
	run -3 --separate-stderr sf-rules in
	one_line_error
	[[ $stderr == "sf-rules: in:2: op 0 "*"expected an array of tensors" ]]
	iconv -f utf-8 -t utf-8 <<<"$stderr" >/dev/null
}
