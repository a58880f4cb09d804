# sf-cost against the published rooflines and offloads of Llama-3-8B, and
# against arithmetic by hand.

load helpers

golden=$DATA/golden/llama3-8b

# op I CATEGORY FLOPS READ WRITTEN INPUT OUTPUT... - a counted op of one input;
# tensors are 1,000,000 bytes.
op() {
	printf '{"kind":"op","i":%d,"name":"aten.x","inputs":[{"tid":"%s","shape":[1000000],"dtype":"u8","itemsize":1}],"outputs":[{"tid":"%s","shape":[1000000],"dtype":"u8","itemsize":1}],"category":"%s","flops":%d,"bytes_read":%d,"bytes_written":%d,"weight_bytes":0}\n' \
		"$1" "$6" "$7" "$2" "$3" "$4" "$5"
}

# device FILE PEAK BW - a device of whole numbers, all of which are reached.
device() {
	jq -n --argjson f "$2" --argjson b "$3" 'def v: {value: .,
	    kind: "hypothetical", source: "test"};
	    {peak_flops: ($f|v), memory_bw: ($b|v), flops_eff: (1|v),
	    bw_eff: (1|v)}' >"$1"
}

link() {
	jq -n --argjson b "$2" --argjson l "$3" 'def v: {value: .,
	    kind: "hypothetical", source: "test"};
	    {bw: ($b|v), latency: ($l|v)}' >"$1"
}

# total_ms - milliseconds of all operators, as published: two decimals.
total_ms() {
	jq -s '[.[] | select(.kind=="op").cost | .time_s + .transfer_s] |
		add * 1e3' | xargs printf '%.2f\n'
}

# bats test_tags=SF-24
@test "an operator takes the slower of its arithmetic and its traffic" {
	device d.json 1e6 1e3
	# 5e6 FLOP / 1e6 = 5 s against 2000 B / 1e3 = 2 s; then 1 s against 3 s.
	trace "$(op 0 matmul 5000000 1500 500 x y)" \
		"$(op 1 elementwise 1000000 2000 1000 y z)" \
		"$(op 2 view 0 0 0 z v)" >in
	run -0 --separate-stderr sf-cost --device ./d.json in
	equal "$stderr" ""
	equal "$(jq -c 'select(.kind=="op").cost' <<<"$output")" \
		'{"time_s":5,"bound":"compute","unit":"device","transfer_s":0}
{"time_s":3,"bound":"memory","unit":"device","transfer_s":0}
{"time_s":0,"bound":"free","unit":"none","transfer_s":0}'
	# Two devices halve both rates' times; the overhead spares the view.
	equal "$(sf-cost -d ./d.json -n 2 -t 250ms in | jq -c \
		'select(.kind=="op").cost.time_s')" '2.75
1.75
0'
	# Fused, the elementwise operator's bytes stay on the chip.
	equal "$(sf-cost -d ./d.json -m fused in | jq -c \
		'select(.kind=="op").cost.time_s')" '5
1
0'
	equal "$(sf-cost -d ./d.json in | sed -n 3p | jq -c \
		'[.kind, .mode, .name, .flops_per_s, .bytes_per_s]')" \
		'["device","roofline","d",1000000,1000]'
}

# bats test_tags=SF-24
@test "a category may have efficiencies and a time of its own" {
	device d.json 1e6 1e3
	jq 'def v: {value: ., kind: "measured", source: "test"};
	    . + {matmul_flops_eff: (0.5|v), elementwise_bw_eff: (2|v),
	    elementwise_call: ("250ms"|v)}' d.json >own.json
	trace "$(op 0 matmul 5000000 1500 500 x y)" \
		"$(op 1 elementwise 1000000 2000 2000 y z)" \
		"$(op 2 softmax 1000000 2000 1000 y z)" \
		"$(op 3 view 0 0 0 z v)" >in
	run -0 --separate-stderr sf-cost --device ./own.json in
	equal "$(jq -c 'select(.kind=="op").cost.time_s' <<<"$output" | xargs)" \
	    "10 2.25 3 0"
	equal "$(jq -c 'select(.kind=="device") | [.flops_per_s, .matmul_flops_eff,
	    .elementwise_call_s, .softmax_bw_eff]' <<<"$output")" \
	    '[1000000,0.5,0.25,null]'
	equal "$(sf-report <<<"$output" | grep -c 'elementwise_call_s')" 1
	# The oracle has them, too, on either side of an offload.
	for i in 1 2 3; do
		"$ROOT/tests/oracle/cost.py" make $i 20 >random
		sf-cost --device ./own.json random >costed
		"$ROOT/tests/oracle/cost.py" check random costed "$ROOT/configs" \
		    device=./own.json
		sf-cost --offload ./own.json --link pcie5 --supports matmul,copy \
		    --host ./own.json random >costed
		"$ROOT/tests/oracle/cost.py" check random costed "$ROOT/configs" \
		    offload=./own.json link=pcie5 supports=matmul,copy \
		    host=./own.json
	done
}

# bats test_tags=SF-26
@test "each tensor is moved at most once to a side" {
	device accel.json 1e6 1e9
	device host.json 1e3 1e9
	link link.json 1e6 0.5
	# x is on the accelerator: op 0 there, its y moved to the host for op 1
	# (0.5 s + 1e6 B / 1e6 B/s), read there again for nothing by op 2, and
	# op 2's w moved back for op 3; x itself goes to the host once.
	trace "$(op 0 matmul 1000 1000 0 x y)" \
		"$(op 1 elementwise 1000 1000 0 y z)" \
		"$(op 2 softmax 1000 1000 0 y w)" \
		"$(op 3 matmul 1000 1000 0 w a)" \
		"$(op 4 copy 0 1000 0 x b)" "$(op 5 copy 0 1000 0 x c)" >in
	run -0 sf-cost --offload ./accel.json --host ./host.json \
		--link ./link.json --supports matmul in
	equal "$(jq -c 'select(.kind=="op").cost | [.unit, .transfer_s]' \
		<<<"$output")" '["accel",0]
["host",1.5]
["host",0]
["accel",1.5]
["host",1.5]
["host",0]'
}

@test "the next trace knows nothing of where tensors of the last were" {
	device d.json 1e6 1e9
	link link.json 1e6 0.5
	trace "$(op 0 copy 0 1000 0 x y)" >in
	equal "$(sf-cost -o ./d.json -l ./link.json -s matmul in in |
		jq -c 'select(.kind=="op").cost.transfer_s')" '1.5
1.5'
}

# bats test_tags=SF-26
@test "a parameter is on both sides, and so is a view of one" {
	device d.json 1e6 1e9
	link link.json 1e6 0.5
	trace "$(op 0 view 0 0 0 w v | sed 's/"itemsize":1}/"itemsize":1,"param":true}/')" \
		"$(op 1 copy 0 1000 0 v y)" >in
	equal "$(sf-cost -o ./d.json -l ./link.json -s matmul in |
		jq -s 'map(.cost.transfer_s // 0) | add')" 0
}

# bats test_tags=SF-24
@test "Llama-3-8B on an H100 takes what is published" {
	while read -r capture unfused share fused; do
		sf-rules "$golden/dispatch-$capture-2048.jsonl.gz" >in
		equal "$(sf-cost -d h100 in | total_ms)" "$unfused"
		equal "$(sf-cost -d h100 -m fused in | total_ms)" "$fused"
		equal "$(sf-cost -d h100 in | jq -s '[.[] | select(.kind=="op").cost] |
			([.[] | select(.bound=="compute").time_s] | add // 0) /
			([.[].time_s] | add) * 100' | xargs printf '%.1f')" "$share"
	done <<-EOF
		meta-prefill 126.68 44.6 71.01
		cpu-prefill 76.14 79.6 60.62
		meta-decode 9.34 0.0 6.41
		cpu-decode 5.91 0.0 5.70
	EOF
}

# bats test_tags=SF-26
@test "Llama-3-8B offloaded takes what is published" {
	while read -r phase link supports accel host transfers total; do
		[ -e "$phase" ] || sf-rules \
			"$golden/dispatch-cpu-$phase-2048.jsonl.gz" >"$phase"
		sf-cost -o optical -l "$link" -s "$supports" "$phase" |
			jq -rs '[.[] | select(.kind=="op").cost] |
			    ([.[] | select(.unit=="accel").time_s] | add) as $a |
			    ([.[] | select(.unit=="host").time_s] | add // 0) as $h |
			    ([.[].transfer_s] | add) as $t | ($a + $h + $t) as $all |
			    [$a / $all, $h / $all, $t / $all | . * 100], [$all * 1e3] |
			    @tsv' | xargs printf '%.1f %.1f %.1f %.2f\n' >got
		equal "$phase $link $supports $(cat got)" \
			"$phase $link $supports $accel $host $transfers $total"
	done <<-EOF
		prefill pcie5 matmul 1.3 87.1 11.7 1514.34
		prefill pcie5 matmul,attention 4.8 48.8 46.4 426.93
		prefill pcie5 matmul,attention,elementwise 10.9 21.2 67.8 288.57
		prefill pcie5 matmul,attention,elementwise,norm,reduction,softmax 13.3 20.7 66.0 243.74
		prefill pcie5 matmul,attention,elementwise,norm,reduction,softmax,copy,creation,gather 100.0 0.0 0.0 36.16
		prefill nvlink4 matmul 1.4 96.6 2.0 1364.80
		prefill nvlink4 matmul,attention 7.9 80.3 11.8 259.40
		prefill nvlink4 matmul,attention,elementwise 25.4 49.3 25.3 124.36
		prefill nvlink4 matmul,attention,elementwise,norm,reduction,softmax 29.8 46.3 23.9 108.77
		decode pcie5 matmul 33.8 24.9 41.3 16.59
		decode pcie5 matmul,attention 28.7 14.0 57.3 19.86
		decode pcie5 matmul,attention,elementwise 27.0 12.8 60.1 21.12
		decode pcie5 matmul,attention,elementwise,norm,reduction,softmax 27.9 13.2 58.9 20.45
		decode pcie5 matmul,attention,elementwise,norm,reduction,softmax,copy,creation,gather 100.0 0.0 0.0 5.91
		decode nvlink4 matmul 43.4 32.0 24.7 12.92
		decode nvlink4 matmul,attention 45.3 22.1 32.6 12.59
		decode nvlink4 matmul,attention,elementwise 41.2 19.6 39.2 13.85
		decode nvlink4 matmul,attention,elementwise,norm,reduction,softmax 43.3 20.5 36.2 13.20
	EOF
}

# bats test_tags=SF-24
@test "the devices and links are those that are published" {
	trace >in
	while read -r name flops bw bytes feff beff; do
		equal "$(sf-cost -d "$name" in | jq -c 'select(.kind=="device") |
			[.peak_flops, .memory_bw, .memory_bytes // 0, .flops_eff,
			.bw_eff] | map(tostring) | join(" ")' -r)" \
			"$(jq -n "$flops,$bw,$bytes,$feff,$beff" | jq -rs \
			'map(tostring) | join(" ")')"
	done <<-EOF
		h100 989e12 3.35e12 80e9 0.55 0.80
		a100 312e12 2.039e12 80e9 0.55 0.80
		a100-40g 312e12 1.555e12 40e9 0.55 0.80
		h200 989e12 4.8e12 141e9 0.55 0.80
		b200 2250e12 8e12 180e9 0.55 0.80
		optical 4000e12 3.35e12 80e9 0.40 0.80
		host 2e12 200e9 0 1 1
	EOF
	while read -r name bw latency; do
		equal "$(sf-cost -o h100 -s matmul -l "$name" in | jq -c \
			'select(.kind=="device").link | [.bw, .latency_s]')" \
			"$(jq -nc "[$bw,$latency]")"
	done <<-EOF
		pcie5 64e9 5e-6
		pcie4 32e9 5e-6
		nvlink3 300e9 5e-6
		nvlink4 450e9 5e-6
		nvlink5 900e9 5e-6
		ib-ndr 50e9 10e-6
		eth-100g 12.5e9 20e-6
		eth-25g 3.125e9 20e-6
		cpo-optical 200e9 5e-6
	EOF
}

# same FILE WHAT... - the second program finds the same costs of that trace.
same() {
	local in=$1 word
	local options=()
	shift
	for word; do
		case $word in
		overhead_s=*) options+=(--op-overhead "${word#*=}") ;;
		tf32=) options+=(--tf32) ;;
		*) options+=("--${word%%=*}" "${word#*=}") ;;
		esac
	done
	sf-cost "${options[@]}" "$in" >costed 2>notes
	run -0 "$ROOT/tests/oracle/cost.py" check "$in" costed \
		"$ROOT/configs" "$@"
	equal "$output" "$(grep -c '^{"kind":"op"' "$in")"
}

# bats test_tags=SF-24,SF-26
@test "a second program finds every cost, to the last bit" {
	device ./own.json 1.25e13 '"312.5GB/s"'
	link ./own-link.json '"1.5GiB/s"' '"333ns"'
	"$ROOT/tests/oracle/cost.py" make 1 300 >random
	sf-rules "$golden/dispatch-cpu-decode-2048.jsonl.gz" >decode
	sf-model gpt2 --tokens 100 --route export | sf-rules >export
	for in in random decode export; do
		same $in device=h100
		same $in device=h100 products=operands
		same $in device=b200 tf32= devices=3
		same $in device=tpu-v5e memory=fused
		same $in device=./own.json memory=fused devices=7 overhead_s=3e-6
		same $in device=a100-40g devices=1000000
		same $in offload=optical link=pcie5 supports=matmul,attention
		same $in offload=b200 link=eth-25g supports=ntt,copy,softmax,copy \
			host=a100-40g devices=3 memory=fused overhead_s=1e-7
		same $in offload=./own.json link=./own-link.json host=./own.json \
			supports=elementwise,norm,reduction,view
	done
}

@test "options that do not go together are refused" {
	for args in '' '-d h100 -o h100' '-o h100' '-o h100 -l pcie5' \
		'-d h100 -l pcie5' '-d h100 -s matmul' '-d h100 -H host' \
		'-d h100 -n 0' '-d h100 -m some' '-d h100 -t 5m' \
		'-o h100 -l pcie5 -s matmul,foo' '-d nosuch' \
		'-o h100 -s matmul -l nosuch'; do
		# shellcheck disable=SC2086 # several words are meant
		run -2 --separate-stderr sf-cost $args </dev/null
		one_line_error
		equal "$output" ""
	done
	run -2 --separate-stderr sf-cost -d nosuch </dev/null
	[[ $stderr == *"a100-40g, a100, apple-m1-max, apple-m2, b200, h100, h200, host, l4, l40s, mi300x, optical, rtx4090, "* ]]
}

@test "a configuration that is not whole is refused with its line" {
	device d.json 1e6 1e3
	while read -r edit; do
		jq "$edit" d.json >bad.json
		run -3 --separate-stderr sf-cost -d ./bad.json </dev/null
		one_line_error
		[[ $stderr == *bad.json:[0-9]* ]] || { echo "$edit: $stderr"; false; }
	done <<-EOF
		del(.bw_eff)
		.more = .bw_eff
		.bw_eff = 1
		.bw_eff.value = 1.5
		.bw_eff.value = "fast"
		.bw_eff.kind = "guess"
		.bw_eff.source = ""
		del(.bw_eff.source)
		.bw_eff.note = "x"
		.memory_bw.value = "3TFLOP/s"
		.memory_bw.value = -1
		.memory_bw.value = 0
		.memory_bw.value = null
		.memory_bw.value = [1]
		.memory_bw.value = 1e30
		.memory_bw = null
		.bw_eff.kind = 7
		.bw_eff.kind = "Datasheet"
		.about = 5
		.about = {}
		[.]
		{}
	EOF
	jq '.bw_eff.value = 1.5' d.json >bad.json
	run -3 --separate-stderr sf-cost -d ./bad.json </dev/null
	[[ $stderr == *"bw_eff is '1.5', expected a number from 1e-06 to 1" ]]
	# A figure that stands there twice is not one or the other.
	sed '0,/{/s//{"bw_eff": {},/' d.json >bad.json
	run -3 --separate-stderr sf-cost -d ./bad.json </dev/null
	one_line_error
}

@test "what is not counted, or is costed already, is refused" {
	trace '{"kind":"op","i":0,"name":"aten.mm","inputs":[],"outputs":[]}' >in
	run -3 --separate-stderr sf-cost -d h100 in
	one_line_error
	trace "$(op 0 copy 0 1 1 x y)" >in
	run -3 --separate-stderr bash -c \
		'sf-cost -d h100 in | sf-cost -d h100 2>&1 >/dev/null'
	equal "$output" "sf-cost: <stdin>:3: the trace is costed already"
}

# Random traces from a fixed seed: op counts and who reads what.
random_traces() {
	python3 - "$1" <<-'END'
		import random, sys
		r = random.Random(5)
		cats = ["matmul", "attention", "softmax", "elementwise", "norm",
		        "reduction", "copy", "creation", "gather", "view", "unknown"]
		t = lambda n: '{"tid":"t%d","shape":[%d],"dtype":"u8","itemsize":1}' % n
		for _ in range(int(sys.argv[1])):
		    print('{"kind":"trace","format":"simfront-trace/1","model":"r","route":"export"}')
		    n = r.randint(1, 60)
		    made = [(i, r.randint(0, 10**6)) for i in range(3)]
		    for i in range(n):
		        c = r.choice(cats)
		        free = c in ("view", "unknown")
		        ins = [r.choice(made) for _ in range(r.randint(1, 3))]
		        out = (len(made), r.randint(0, 10**6))
		        made.append(out)
		        print('{"kind":"op","i":%d,"name":"aten.x","inputs":[%s],"outputs":[%s],"category":"%s","flops":%d,"bytes_read":%d,"bytes_written":%d,"weight_bytes":0}'
		              % (i, ",".join(map(t, ins)), t(out), c,
		                 0 if free else r.randint(0, 10**12),
		                 0 if free else sum(x[1] for x in ins),
		                 0 if free else out[1]))
		    print('{"kind":"end","ops":%d}' % n)
	END
}

# totals OPTIONS... - seconds of each random trace.
totals() {
	sf-cost "$@" random | jq -c 'if .kind=="op" then .cost.time_s + .cost.transfer_s
	    elif .kind=="end" then "end" else empty end' |
	    awk '/end/ { printf "%.17g\n", s; s = 0; next } { s += $1 }'
}

# bats test_tags=SF-25
@test "faster is never slower, fused never more than unfused" {
	random_traces 200 >random
	totals -d h100 >base
	equal "$(wc -l <base)" 200
	for faster in '-d b200' '-d h200' '-d h100 -n 2' '-d h100 -m fused'; do
		# shellcheck disable=SC2086 # several words are meant
		totals $faster | paste - base | awk '$1 > $2 * (1 + 1e-12) { exit 1 }'
	done
	totals -d h100 -t 1us | paste - base | awk '$1 < $2 { exit 1 }'
	# Of an offload, too: accelerator, link, host and memory.
	totals -o h100 -l pcie4 -s matmul,softmax >base
	for faster in '-o b200 -l pcie4' '-o h100 -l pcie5' \
		'-o h100 -l pcie4 -H a100' '-o h100 -l pcie4 -m fused' \
		'-o h100 -l pcie4 -n 3'; do
		# shellcheck disable=SC2086 # several words are meant
		totals $faster -s matmul,softmax | paste - base |
			awk '$1 > $2 * (1 + 1e-12) { exit 1 }'
	done
}

@test "an accelerator that supports everything is the plain roofline" {
	random_traces 200 >random
	all=matmul,attention,softmax,elementwise,reduction,norm,gather,copy,creation,ntt
	diff <(totals -o h100 -l eth-25g -s $all) <(totals -d h100)
}

# bats test_tags=SF-26
@test "on random traces each tensor moves at most once to each side" {
	random_traces 200 >random
	device d.json 1e12 1e12
	link l.json 1e18 1
	# A transfer takes one second, so that seconds count transfers.
	sf-cost -o ./d.json -l ./l.json -s matmul,softmax,copy random |
	    jq -c 'select(.kind=="op" or .kind=="end")' | python3 -c '
import json, sys
reads, moves = set(), 0
for line in sys.stdin:
    r = json.loads(line)
    if r["kind"] == "end":
        assert moves <= len(reads), (moves, len(reads))
        reads, moves = set(), 0
        continue
    moves += round(r["cost"]["transfer_s"])
    side = r["cost"]["unit"]
    if side != "none":
        reads |= {(t["tid"], side) for t in r["inputs"]}
'
}
