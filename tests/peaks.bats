# Peaks by element type: what is multiplied decides how fast it is multiplied.

load helpers

# mm DTYPE [DTYPE2] - a counted product of two square matrices, so large that
# every device is bound by its arithmetic.
mm() {
	local n=65536 a=$1 b=${2:-$1}
	trace "{\"kind\":\"op\",\"i\":0,\"name\":\"aten.mm\",\"inputs\":[$(
	    tensor a "$a"),$(tensor b "$b")],\"outputs\":[$(
	    tensor c "$a")]}" | sed "s/N/$n/g" | sf-rules
}

# tensor TID DTYPE - N by N.
tensor() {
	local bytes=1
	case $2 in
	f64) bytes=8 ;;
	f32) bytes=4 ;;
	f16 | bf16) bytes=2 ;;
	i4 | f4*) bytes=0.5 ;;
	esac
	echo "{\"tid\":\"$1\",\"shape\":[N,N],\"dtype\":\"$2\",\"itemsize\":$bytes}"
}

cost() { # OPTION... - of the one operator
	sf-cost "$@" 2>err | jq -c 'select(.kind=="op").cost'
}

# Every device file, with the name that it goes by.
devices() {
	basename -s .json "$ROOT"/configs/devices/*.json
}

# bats test_tags=SF-24
@test "types take as long as the data sheet says, on every device" {
	for type in f16 f32 f64 f8e4m3fn f4e2m1fn i8 i4 bf16; do
		mm $type >$type
	done
	for d in $(devices); do
		bf16=$(cost -d "$d" bf16 | jq .time_s)
		for type in f16 f32 f64 f8e4m3fn f4e2m1fn i8 i4 tf32; do
			key=peak_${type%%e[0-9]*}
			# In the file, in units of a TFLOP/s.
			ratio=$(jq --arg k "$key" 'def t: .value |
			    rtrimstr("TFLOP/s") | tonumber;
			    if has($k) then (.peak_flops|t) / (.[$k]|t)
			    else 0 end' "$ROOT/configs/devices/$d.json")
			[ "$ratio" != 0 ] || continue
			echo "$d $key" >>seen
			if [ $type = tf32 ]; then
				cost -d "$d" -T f32 >got
			else
				cost -d "$d" $type >got
			fi
			equal "$d $type $(jq -r .bound got)" "$d $type compute"
			equal "$(cat err)" ""
			# The peak of each is rounded on its own.
			jq -e --argjson b "$bf16" --argjson r "$ratio" \
			    '(.time_s / $b / $r - 1) | fabs < 1e-14' got
		done
	done
	# Those that have several, with f32 among them.
	equal "$(grep -c peak_f32 seen)" 13
	[ "$(grep -c . seen)" -ge 60 ]
}

# sheets - TFLOP/s, or TOP/s, dense, as the makers print them, typed in by hand:
# device, bf16, f16, tf32, f32, f64, f8, f4, i8, i4; - is a type that it has not.
sheets() {
	cat <<-END
		a100         312     312    156   19.5   19.5   -      -    624    1248
		a100-40g     312     312    156   19.5   19.5   -      -    624    1248
		h100         989     989    494.5 67     67     1979   -    1979   -
		h200         989     989    494.5 67     67     1979   -    1979   -
		b200         2250    2250   1125  75     37     4500   9000 4500   -
		mi300x       1307.4  1307.4 653.7 163.4  163.4  2614.9 -    2614.9 -
		l4           121     121    60    30.3   -      242.5  -    242.5  -
		l40s         362.05  362.05 183   91.6   -      733    -    733    733
		rtx4090      165.2   165.2  82.6  82.6   -      330.3  -    660.6  1321.2
		tpu-v5e      197     -      -     -      -      -      -    393    -
		tpu-v5p      459     -      -     -      -      -      -    918    -
		xeon-8480    114.688 14.336 -     7.168  3.584  -      -    229.376 -
		ryzen-7840u  0.8448  -      -     0.8448 0.4224 -      -    -      -
		apple-m1-max 10.4    -      -     10.4   -      -      -    -      -
		apple-m2     3.6     -      -     3.6    -      -      -    -      -
	END
}

# bats test_tags=SF-24
@test "a product takes what a table by hand says, on a device and beside a host" {
	local n=65536 types='bf16 f16 tf32 f32 f64 f8e4m3fn f4e2m1fn i8 i4'
	local device i type options
	for type in ${types/tf32/}; do
		mm $type | grep -v '"kind":"tool"' >$type
	done
	cp f32 tf32
	while read -r device rates; do
		i=0
		for type in $types; do
			i=$((i + 1))
			want=$(cut -d ' ' -f $i <<<"$rates")
			file=$(jq -r ".${type%%e[0-9]*} // empty" <<<"$(jq '{bf16: .peak_flops,
			    f16: .peak_f16, tf32: .peak_tf32, f32: .peak_f32,
			    f64: .peak_f64, f8: .peak_f8, f4: .peak_f4,
			    i8: .peak_i8, i4: .peak_i4} | map_values(.value)' \
			    "$ROOT/configs/devices/$device.json")")
			# What the table has not the file has not, and in reverse.
			equal "$device $type ${file:--}" \
			    "$device $type ${want/%[0-9]/&TFLOP/s}"
			[ "$want" != - ] || continue
			options=()
			[ $type != tf32 ] || options=(--tf32)
			cost -d "$device" "${options[@]}" $type >on
			equal "$(cat err)" ""
			cost -o "$device" -l pcie5 -s matmul "${options[@]}" $type >beside
			equal "$(jq -c '[.type, .bound, .unit]' on beside | xargs)" \
			    "[${type%%e[0-9]*},compute,device] [${type%%e[0-9]*},compute,accel]"
			# 2 n^3 FLOPs at 0.55 of the peak.
			jq -e --argjson peak "$want" --argjson n $n \
			    '.time_s / (2 * $n * $n * $n / ($peak * 1e12 * 0.55)) - 1 |
			    fabs < 1e-12' on beside
		done
	done < <(sheets | tr -s ' ')
	# All devices but those that are no product.
	equal "$(sheets | cut -d ' ' -f 1 | sort | xargs)" \
	    "$(devices | grep -vx 'host\|optical' | sort | xargs)"
}

@test "every figure of every device says where it is from, in whole units" {
	mm bf16 >in
	for d in $(devices); do
		jq -e 'del(.about, .base) | all(.[]; (.source | length > 8) and
		    (.kind | IN("datasheet", "illustrative", "hypothetical")))' \
		    "$ROOT/configs/devices/$d.json"
		# Half the bits are never the slower ones, nor twice the faster.
		sf-cost -d "$d" in | jq -se '.[] | select(.kind=="device") |
		    (.peak_flops >= (.peak_f32 // 0)) and
		    ((.peak_tf32 // .peak_flops) >= (.peak_f32 // 0)) and
		    ((.peak_f32 // 1e99) >= (.peak_f64 // 0)) and
		    ((.peak_f8 // 1e99) >= .peak_flops) and
		    ((.peak_i8 // 1e99) >= .peak_flops) and
		    ((.peak_f4 // 1e99) >= (.peak_f8 // 0)) and
		    ((.peak_i4 // 1e99) >= (.peak_i8 // 0))'
	done
}

@test "a type without a peak is noted, costed at the next wider, or refused" {
	while read -r device type said peak; do
		mm "$type" >in
		run -0 --separate-stderr sf-cost -d "$device" in
		text="device '$device' has no peak of $said: 1 operator costed at that of $peak"
		equal "$stderr" "sf-cost: note: $text"
		equal "$(jq -rs 'map(select(.kind=="note").text) | .[0]' \
		    <<<"$output")" "$text"
		equal "$(jq -c 'select(.kind=="op").cost | [.type, .peak]' \
		    <<<"$output")" "[\"$said\",\"$peak\"]"
		run -1 --separate-stderr sf-cost -d "$device" --strict in
		equal "$stderr" "sf-cost: note: $text"
		# As long as if it were of that type.
		mm "${peak/#f8/f8e5m2}" >wide
		equal "$(cost -d "$device" in | jq .time_s)" \
		    "$(cost -d "$device" wide | jq .time_s)"
	done <<-END
		a100 f8e4m3fn f8 f16
		h100 f4e2m1fn f4 f8
		h100 i4 i4 i8
		l4 f64 f64 f32
		tpu-v5e f32 f32 bf16
		tpu-v5p f16 f16 bf16
		ryzen-7840u f16 f16 bf16
		xeon-8480 f8e4m3fn f8 bf16
		apple-m2 f64 f64 f32
	END
	# One peak for all is no peak that is missing; a peak may be set.
	mm f32 >in
	equal "$(cost -d host --strict in | jq -c keys)" \
	    '["bound","time_s","transfer_s","unit"]'
	equal "$(cat err)" ""
	equal "$(cost -d tpu-v5e --strict -S peak_f32=30TFLOP/s in |
	    jq -r .type)" f32
	equal "$(cat err)" ""
}

@test "the widest of what is multiplied decides" {
	# By pairs; what an int8 weight scaled to bf16 is multiplied by.
	for pair in 'bf16 i8 bf16' 'f32 bf16 f32' 'i8 i4 i8' 'f8e4m3fn i8 f8'; do
		read -r a b want <<<"$pair"
		equal "$pair $(mm "$a" "$b" | cost -d h100 | jq -r .type)" \
		    "$pair $want"
		equal "$pair $(mm "$b" "$a" | cost -d h100 | jq -r .type)" \
		    "$pair $want"
	done
}

# bats test_tags=SF-24
@test "what was only widened is of the type that it had" {
	sf-model qwen2.5-0.5b --tokens 64 --batch 2 | sf-rules >in
	# The mathematical attention multiplies F32 that was BF16.
	jq -c 'select(.name=="aten.bmm" and .inputs[0].shape[2] > 1) |
	    .inputs[0].dtype' in | sort | uniq -c >types
	equal "$(tr -s ' ' <types)" ' 48 "f32"'
	sf-cost -d h100 in >data
	sf-cost -d h100 --products operands in >operands
	equal "$(jq -c 'select(.kind=="device").operands' operands)" true
	for f in data operands; do
		jq -r 'select(.name=="aten.bmm" and .inputs[0].shape[2] > 1) |
		    .cost.type' $f | sort | uniq -c | tr -s ' ' >types.$f
	done
	equal "$(cat types.data)" ' 48 bf16'
	equal "$(cat types.operands)" ' 48 f32'
	# A model of F32 stays one.
	sf-model qwen2.5-0.5b --tokens 64 --dtype f32 | sf-rules |
		sf-cost -d h100 | jq -r 'select(.cost.type).cost.type' |
		sort -u >types
	equal "$(cat types)" f32
}

# bats test_tags=SF-24
@test "F32 is no 9 % slower than BF16 but what a data sheet says" {
	total() {
		sf-model llama3-8b --tokens 2048 --device cpu "$@" | sf-rules |
			sf-cost -d h100 -m fused |
			sf-report --format json | jq .cost.total_s
	}
	jq -en --argjson bf16 "$(total)" --argjson f32 "$(total -D f32)" \
	    '$f32 / $bf16 > 10 and $f32 / $bf16 < 989 / 67'
}

@test "a report tells the mix of types, and what each is costed at" {
	sf-model qwen2.5-0.5b --tokens 64 | sf-rules >in
	sf-cost -d h100 in | sf-report --format json |
		jq -c '.cost.by_element_type' >mix
	equal "$(jq -c 'map_values(.peak_flops)' mix)" \
	    '{"bf16":989000000000000,"f32":67000000000000,"none":null}'
	# The one product in F32 is that of the rotary angles.
	equal "$(jq -c '.f32 | [.calls, .flops]' mix)" '[1,4096]'
	equal "$(jq '[.[].calls] | add' mix)" "$(grep -c '"kind":"op"' in)"
	equal "$(jq '[.[].flops] | add' mix)" \
	    "$(jq -s 'map(.flops // 0) | add' in)"
	sf-cost -d h100 in | sf-report >page
	grep -q '^### Time by element type of the products' page
	grep -q '^| f32  *|  *1 |.*67.*TFLOP/s' page
	# One peak, no mix.
	sf-cost -d host in | sf-report >page
	refute grep -q 'element type' page
	equal "$(sf-cost -d host in | sf-report --format json |
	    jq -c .cost.by_element_type)" null
}

@test "the roofline of a whole trace has each FLOP at the rate of its type" {
	{
		mm f32
		mm bf16
	} | sf-cost -d h100 | sf-report --format json --top 0 |
		jq .cost.roofline.compute_s >alone
	# Both in one trace.
	mm f32 | grep '"kind":"op"' >first
	mm bf16 | grep '"kind":"op"' | sed 's/"i":0/"i":1/' >second
	trace "$(cat first)" "$(cat second)" | sf-cost -d h100 |
		sf-report --format json | jq -c .cost.roofline.compute_s >both
	jq -en --slurpfile a alone --slurpfile b both \
	    '($a | add) / $b[0] - 1 | fabs < 1e-12'
}

# bats test_tags=SF-24
@test "several devices are ideal, in the stream and in the report" {
	mm bf16 >in
	sf-cost -d h100 -n 8 in >out
	equal "$(jq -c 'select(.kind=="device").ideal' out)" true
	sf-report out | grep -qxF 'Ideal: all work is divided among 8 devices, and nothing passes between them.'
	equal "$(sf-report --format json out | jq .cost.device.ideal)" true
	sf-cost -d h100 in >out
	equal "$(jq -c 'select(.kind=="device") | has("ideal")' out)" false
	refute grep -q Ideal <(sf-report out)
}

@test "attention that is in parts is noted, once a trace" {
	for model in 'gpt2 -t 64' 'mistral-7b -t 64 -r export' \
	    'llama3-8b -t 64 -r compile' 'gpt2 -t 64 -r onnx' \
	    'qwen2.5-0.5b -c 64 -b 2'; do
		# shellcheck disable=SC2086 # words are meant
		sf-model $model | sf-rules >in
		sf-cost -d h100 in | jq -r 'select(.kind=="note").text' >notes
		layers=$(jq -r 'select(.category=="softmax").i' in | wc -l)
		equal "$model $(cat notes)" "$model attention is in parts, $layers times: its scores are written and read, which a device that runs it as one operator does not do"
		sf-cost -d h100 in | sf-report | grep -q 'attention is in parts'
	done
	# One operator, an encoder's too; and a router's softmax is none.
	for model in 'gpt2 -t 64 -d cpu' 'llama3-8b -c 64 -d cpu'; do
		# shellcheck disable=SC2086 # words are meant
		sf-model $model | sf-rules | sf-cost -d h100 >out
		equal "$model $(grep -c '"kind":"note"' out)" "$model 0"
	done
}

@test "a calibration and an execution provider's host know types, too" {
	# Products of one size in two types, each at half of its own peak.
	local ops=() i=0 n
	for n in 5120 6144 1536 2048 2560 3072 3584 4096; do
		for type in bf16 f32; do
			[ $type = bf16 ] && bytes=2 || bytes=4
			t="\"shape\":[$n,$n],\"dtype\":\"$type\",\"itemsize\":$bytes"
			peak=$([ $type = bf16 ] && echo 989e12 || echo 67e12)
			ops+=("{\"kind\":\"op\",\"i\":$i,\"name\":\"aten.mm\",\"inputs\":[{\"tid\":\"a$i\",$t},{\"tid\":\"b$i\",$t}],\"outputs\":[{\"tid\":\"c$i\",$t}],\"measured_s\":$(
			    jq -n "2 * $n * $n * $n / ($peak * 0.5)")}")
			i=$((i + 1))
		done
	done
	trace "${ops[@]}" | sf-rules >in
	sf-calibrate --device h100 --output device.json in >page
	jq -e '.matmul_flops_eff.value - 0.5 | fabs < 1e-6' device.json
	sf-cost -d ./device.json in | jq -es '[.[] | select(.kind=="op") |
	    .cost.time_s / .measured_s - 1 | fabs] | max < 0.01'
	# The host of a split is faster in BF16 by the ratio of its peaks.
	for type in bf16 f32; do
		mm $type | sf-ep --host xeon-8480 --claim nothing.at.all 2>err |
			jq -r 'select(.kind=="partition").host_s' >host.$type
	done
	jq -en --slurpfile a host.f32 --slurpfile b host.bf16 \
	    '$a[0] / $b[0] - 114.688 / 7.168 | fabs < 1e-9'
}
