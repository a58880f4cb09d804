# sf-calibrate: efficiencies of a device from traces that were measured on it.

load helpers

oracle() { python3 "$ROOT/tests/oracle/calibrate.py" "$@"; }

# A device of 1e12 FLOP/s and 1e11 B/s, half of which is reached.
device() {
	jq -n 'def v: {value: ., kind: "hypothetical", source: "test"};
	    {peak_flops: (1e12|v), memory_bw: (1e11|v), flops_eff: (0.5|v),
	    bw_eff: (0.5|v)}' >d.json
}

# op I NAME CATEGORY FLOPS BYTES TIME - counted, measured where there is a time.
op() {
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[],"outputs":[]%s,"category":"%s","flops":%s,"bytes_read":%s,"bytes_written":0,"weight_bytes":0}\n' \
	    "$1" "$2" "${6:+,\"measured_s\":$6}" "$3" "$4" "$5"
}

# near X WANT SHARE
near() {
	jq -ne --argjson x "$1" --argjson w "$2" --argjson s "$3" \
	    '($x - $w | fabs) <= $s * ($w | fabs)' >/dev/null ||
	    { echo "$1, expected $2"; return 1; }
}

# bats test_tags=SF-24
@test "what was put in comes out: two efficiencies and a time a call" {
	device
	# 0.25 of the FLOPs, 0.8 of the bandwidth, 3 us.
	oracle make 1 60 4e-12 1.25e-11 3e-6 0 >t.sft
	run -0 --separate-stderr sf-calibrate -d ./d.json -f json t.sft
	equal "$stderr" ""
	fit=$(jq -c .categories.matmul <<<"$output")
	near "$(jq .flops_eff <<<"$fit")" 0.25 1e-3
	near "$(jq .bw_eff <<<"$fit")" 0.8 1e-3
	near "$(jq .call_s <<<"$fit")" 3e-6 1e-3
	equal "$(jq -c '[.refused, .calls, .sizes, .after.deviation < 1e-3,
	    .held_out.calls, .held_out.deviation < 1e-3]' <<<"$fit")" \
	    '[{},60,60,true,12,true]'
}

@test "with noise and outliers it is as good as the best of another method" {
	device
	for seed in 1 2 3; do
		oracle make $seed 28 4e-12 1.25e-11 3e-6 0.1 >t.sft
		oracle fit t.sft >want
		sf-calibrate -d ./d.json -f json t.sft |
		    jq .categories.matmul >fit
		echo "$(cat want) $(jq -c '[.flops_eff, .bw_eff, .call_s,
		    .after.deviation]' fit)"
		# Fewer terms may explain it nearly as well; never much better.
		jq -ne --slurpfile w want --slurpfile f fit '
		    $f[0].after.deviation <= $w[0][3] * 1.06 and
		    $f[0].after.deviation >= $w[0][3] * 0.999'
		near "$(jq .bw_eff fit)" 0.8 0.2
		near "$(jq .flops_eff fit)" 0.25 0.2
	done
}

@test "the file that is written is one that sf-cost takes" {
	device
	oracle make 4 60 4e-12 1.25e-11 3e-6 0 >t.sft
	sf-calibrate -d ./d.json -o found.json t.sft >md
	equal "$(jq -c '[.peak_flops.value, .flops_eff.kind, .matmul_bw_eff.kind,
	    has("copy_call")]' found.json)" \
	    '[1000000000000,"hypothetical","measured",false]'
	sf-cost -d ./found.json t.sft | sf-report -f json |
	    jq -e '.measured.absolute_error < 1e-3'
	sf-cost -d ./d.json t.sft | sf-report -f json |
	    jq -e '.measured.absolute_error > 0.3'
	# It may be calibrated again, and stays what it is.
	sf-calibrate -d ./found.json -o again.json -f json t.sft |
	    jq -e '.before.deviation < 1e-3'
	diff <(jq .matmul_call.value found.json) <(jq .matmul_call.value again.json)
	grep -qE '^\| matmul +\| +60 \| +60 \| +0.25' md
}

@test "what the calls do not determine is refused, with the reason" {
	device
	{
	# Of one intensity, that of the ridge; too few; the same time whatever
	# the bytes, slower ones by the base; memory alone.
	for i in {0..9}; do
		op $i aten.mm matmul $((i * 10000 + 10000)) \
		    $((i * 1000 + 1000)) "$((i + 1))e-5"
	done
	for i in {10..16}; do op $i aten.relu elementwise $i $((i * 1000)) 1e-5; done
	for i in {17..36}; do op $i aten.copy_ copy 0 $((i * i * 1000)) 5e-6; done
	for i in {37..56}; do
		op $i aten._softmax softmax 5 $((i * i * i * 1000)) \
		    "$((i * i * i * 25))e-9"
	done
	op 57 aten.sum reduction 5 100
	op 58 my.op unknown 0 0 1e-3
	op 59 aten.t view 0 0 1e-3
	op 60 c10d.allreduce_ copy 0 1000 1
	} >ops
	readarray -t lines <ops
	trace "${lines[@]}" >t.sft
	run -0 --separate-stderr sf-calibrate -d ./d.json -f json t.sft
	jq -r '.categories | map_values(.refused) | .matmul.flops_eff,
	    .elementwise.call_s, .copy.call_s, .softmax.flops_eff,
	    .softmax.bw_eff, .gather.bw_eff' <<<"$output" >have
	diff - have <<-'END'
		its calls do not tell arithmetic, memory and a fixed time apart
		too few calls, or too few sizes
		what its calls tell does not go with the base's other terms
		no call is bound by its arithmetic
		null
		no call was measured
	END
	near "$(jq .categories.softmax.bw_eff <<<"$output")" 0.4 1e-3
	equal "$(jq -c '.never_seen | map([.name, .calls])' <<<"$output")" \
	    '[["aten.sum",1],["c10d.allreduce_",1],["my.op",1]]'
	sf-calibrate -d ./d.json t.sft >md
	grep -qx -- '- my.op: 1 calls, not counted' md
	grep -qx -- '- aten.sum: 1 calls, not measured' md
	grep -qx -- '- c10d.allreduce_: 1 calls, a collective' md
	grep -qx -- '- gather: no call was measured' md
}

@test "nothing measured is nothing found, and no file" {
	device
	trace "$(op 0 aten.mm matmul 5 5)" >t.sft
	sf-calibrate -d ./d.json -f json t.sft |
	    jq -e '.before.deviation == null and .categories.matmul.calls == 0'
	run -3 --separate-stderr sf-calibrate -d ./d.json -o no.json t.sft
	one_line_error
	[ ! -e no.json ]
	run -2 --separate-stderr sf-calibrate t.sft
	[[ $stderr == *"expected '--device'"* ]]
	run -4 --separate-stderr sf-calibrate -d ./d.json -o no/such.json \
	    <(oracle make 1 20 4e-12 1.25e-11 3e-6 0)
	one_line_error
	trace '{"kind":"op","i":0,"name":"aten.mm","inputs":[],"outputs":[],"measured_s":1}' >t.sft
	run -3 --separate-stderr sf-calibrate -d ./d.json t.sft
	[[ $stderr == *"is not counted, expected a trace from sf-rules"* ]]
}

# Six iterations of a recommender in F32 on an A100, at that type's peak.
@test "published and recorded times: the error before and after" {
	need_shared
	sf-dispatch "$SF_SHARED/data/pytorch/et/kineto_hta_negative_queue_rank0.json.gz" |
	    sf-rules 2>/dev/null >a100.sft
	sf-calibrate -d a100 -f json a100.sft | jq -c '
	    [.before.deviation, .after.deviation, .held_out.deviation] |
	    map(. * 1000 | round)' >out
	equal "$(cat out)" '[907,148,239]'
}
