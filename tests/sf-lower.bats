# sf-lower: configurations, units, GEMMs, blocks, slices and dependencies, with
# the arithmetic by hand.

load helpers

# op I NAME CATEGORY INPUTS OUTPUTS [MORE] - a counted operator; a tensor is
# TID:SHAPE, "w" tensors are parameters, elements are 4 bytes, and the counts
# are what the test says in MORE or bytes of all tensors and no FLOPs.
op() {
	python3 - "$@" <<'EOP'
import json, sys
from math import prod
i, name, category, inputs, outputs = sys.argv[1:6]
def tensors(text):
    for part in text.split():
        tid, shape = part.split(":")
        t = {"tid": tid, "shape": json.loads(shape), "dtype": "f32",
             "itemsize": 4}
        if tid.startswith("w"):
            t["param"] = True
        yield t
inputs, outputs = list(tensors(inputs)), list(tensors(outputs))
def size(ts):
    return sum(4 * prod(t["shape"]) for t in ts)
counts = {"flops": 0, "bytes_read": size(inputs),
          "bytes_written": size(outputs), "weight_bytes": 0}
more = json.loads(sys.argv[6]) if len(sys.argv) > 6 else {}
attrs = {k: more.pop(k) for k in list(more) if k in ("attrs", "dead", "folded")}
if category in ("view", "unknown"):
    counts = dict.fromkeys(counts, 0)
counts.update(more)
record = {"kind": "op", "i": int(i), "name": name, "inputs": inputs,
          "outputs": outputs, **attrs, "category": category, **counts}
print(json.dumps(record, separators=(",", ":")))
EOP
}

# lowered OPTION... - the `lower` members of the trace on standard input.
lowered() {
	sf-lower --preset edge-npu "$@" |
	    jq -c 'select(.kind=="op").lower'
}

# gemms - batch, m, k, n of each GEMM of the one operator given.
gemms() {
	lowered | jq -c '[.gemms[]|[.batch,.m,.k,.n]]'
}

# refused STATUS TEXT OPTION... - sf-lower ends so, with one line that has TEXT.
refused() {
	local status=$1 text=$2
	shift 2
	run "-$status" --separate-stderr sf-lower "$@" </dev/null
	one_line_error
	[[ $stderr == *"$text"* ]] || {
		echo "$stderr"
		return 1
	}
}

one_op() { trace "$(op 0 "$@")"; }

# ---- the accelerator ----

@test "without a preset the presets are listed" {
	refused 2 "missing --preset, expected one of: apple-like-npu, dc-npu, dosa-40nm, edge-npu, ethos-u55-256, ethos-u65-512, eyeriss, gemmini16, hexagon-like-npu, horowitz-45nm, tpuv3-core, tpuv4-core, tpuv5e"
}

@test "an unknown preset is refused with the names there are" {
	refused 2 "no configuration 'edge'" --preset edge
	refused 2 "which has: apple-like-npu, dc-npu, dosa-40nm, edge-npu, ethos-u55-256, ethos-u65-512, eyeriss, gemmini16, hexagon-like-npu, horowitz-45nm, tpuv3-core, tpuv4-core, tpuv5e" --preset edge
}

@test "the accel record holds every parameter of the block" {
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	equal "$(sf-lower -p edge-npu in | grep '"kind":"accel"')" \
	    '{"kind":"accel","preset":"edge-npu","clock_hz":1000000000,"array_rows":32,"array_cols":32,"vector_lanes":64,"buffer_bytes":2097152,"tile_fraction":0.5,"dram_bw":25600000000,"dram_channels":2,"dram_latency":1e-07,"noc_bw":64000000000,"noc_latency":2e-08,"transit_ops_per_byte":0,"transit_categories":["ntt"],"quantise":false,"arrays":1,"dataflow":"os","array_fill":"tile","conv":"im2col","reuse":false,"blocks":"halve","acc_bytes":0,"acc_itemsize":0,"latency":"held","dram_interleave":false,"op_overhead":0,"fuse":"off","cores":1,"about":["edge-npu: Illustrative edge accelerator, not a product: 1,024 multiply-accumulates a cycle at 1 GHz behind two memory channels."]}'
	equal "$(sf-lower -p dc-npu in | grep '"kind":"accel"')" \
	    '{"kind":"accel","preset":"dc-npu","clock_hz":1000000000,"array_rows":128,"array_cols":128,"vector_lanes":512,"buffer_bytes":33554432,"tile_fraction":0.5,"dram_bw":1600000000000,"dram_channels":8,"dram_latency":1e-07,"noc_bw":512000000000,"noc_latency":2e-08,"transit_ops_per_byte":0,"transit_categories":["ntt"],"quantise":false,"arrays":1,"dataflow":"os","array_fill":"tile","conv":"im2col","reuse":false,"blocks":"halve","acc_bytes":0,"acc_itemsize":0,"latency":"held","dram_interleave":false,"op_overhead":0,"fuse":"off","cores":1,"about":["dc-npu: Illustrative data-centre accelerator, not a product: 16,384 multiply-accumulates a cycle at 1 GHz behind eight memory channels."]}'
}

@test "settings take units, and the last of a key wins" {
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	run -0 sf-lower -p edge-npu -s buffer_bytes=1MiB --set clock_hz=1.5GHz \
	    --set dram_latency=70ns --set dram_bw=1GB/s --set dram_bw=51.2GB/s \
	    --set transit_ops_per_byte=1.6 --set buffer_bytes=512KiB \
	    --set transit_categories=ntt,elementwise --quantise in
	equal "$(grep '"kind":"accel"' <<<"$output" | jq -c \
	    '[.buffer_bytes,.clock_hz,.dram_latency,.dram_bw,.transit_ops_per_byte,.transit_categories,.quantise]')" \
	    '[524288,1500000000,7e-08,51200000000,1.6,["elementwise","ntt"],true]'
}

@test "an unknown key is refused with the keys there are" {
	refused 2 "unknown key 'bufer_bytes', expected one of: clock_hz, array_rows, array_cols, vector_lanes, buffer_bytes, tile_fraction, dram_bw, dram_channels, dram_latency, noc_bw, noc_latency, transit_ops_per_byte, transit_categories, quantise, arrays, dataflow, array_fill, conv, reuse, blocks, acc_bytes, acc_itemsize, latency, dram_interleave, op_overhead, fuse, cores" \
	    -p edge-npu -s bufer_bytes=1
	refused 2 "found 'buffer_bytes', expected KEY=VALUE" -p edge-npu \
	    -s buffer_bytes
}

@test "a value out of range is refused with the range" {
	refused 2 "buffer_bytes is '2000TB', expected a whole number from 1 to 1125899906842624 bytes" \
	    -p edge-npu -s buffer_bytes=2000TB
	refused 2 "dram_channels is '0', expected a whole number from 1 to 65536" \
	    -p edge-npu -s dram_channels=0
	refused 2 "tile_fraction is '1.5', expected a number from 1e-09 to 1" \
	    -p edge-npu -s tile_fraction=1.5
	refused 2 "tile_fraction is '0'" -p edge-npu -s tile_fraction=0
	refused 2 "noc_latency is '-1ns', expected a number from 0 to 1 s" \
	    -p edge-npu -s noc_latency=-1ns
	refused 2 "leaves no byte" -p edge-npu -s tile_fraction=1e-9
}

# What a file says alone is bad input; what a setting makes of it, bad usage.
@test "values that do not go together are the file's fault or a setting's" {
	echo '{"base":"edge-npu","buffer_bytes":1}' >one.json
	refused 3 "one.json:1: a tile_fraction of 0.5 leaves no byte of a buffer of 1 bytes to a tile" \
	    -p ./one.json
	refused 3 "one.json:1: a tile_fraction of 0.5 leaves" \
	    -p ./one.json -s dram_channels=2
	refused 2 "a tile_fraction of 0.5 leaves no byte of an accumulator of 1" \
	    -p edge-npu -s acc_bytes=1B
	echo '{"base":"edge-npu","acc_bytes":1}' >acc.json
	refused 3 "acc.json:1: a tile_fraction of 0.5 leaves no byte of an accumulator of 1 bytes to a tile" \
	    -p ./acc.json
	refused 2 "leaves no byte of a buffer" -p edge-npu -s buffer_bytes=1B
	lowered() { one_op aten.relu elementwise "x:[1]" "y:[1]" | sf-lower "$@"; }
	lowered -p ./one.json -s buffer_bytes=1KiB >/dev/null
	lowered -p ./acc.json -s acc_bytes=1KiB >/dev/null
}

@test "whole numbers stay whole" {
	refused 2 "array_rows is '32.5', expected a whole number" \
	    -p edge-npu -s array_rows=32.5
	refused 2 "buffer_bytes is '0.3KiB', expected a whole number" \
	    -p edge-npu -s buffer_bytes=0.3KiB
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	equal "$(sf-lower -p edge-npu -s buffer_bytes=0.5KiB in |
	    jq 'select(.kind=="accel").buffer_bytes')" 512
}

@test "--quantise does not go with a setting of the same" {
	refused 2 "'--quantise' with '--set quantise=off', expected one of them" \
	    -p edge-npu -q -s quantise=off
	refused 2 "'--quantise' with '--set quantise=on'" \
	    -p edge-npu -s quantise=on -q
}

@test "a value of another kind is refused with what is expected" {
	refused 2 "found '1GHz', expected a number, with or without one of: B " \
	    -p edge-npu -s buffer_bytes=1GHz
	refused 2 "clock_hz: found 'off'" -p edge-npu -s clock_hz=off
	refused 2 "or 'off'" -p edge-npu -s transit_ops_per_byte=fast
	refused 2 "quantise is 'yes', expected on or off" -p edge-npu \
	    -s quantise=yes
	refused 2 "transit_categories has 'view', expected some of: matmul, " \
	    -p edge-npu -s transit_categories=ntt,view
	refused 2 "transit_categories has ''" -p edge-npu \
	    -s transit_categories=ntt,
}

# ---- configurations of the user's own ----

@test "a file is a configuration when its name has a slash or .json" {
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	sed 's/"2MiB"/1000/' "$ROOT/configs/accel/edge-npu.json" >my.json
	for name in my.json ./my.json "$PWD/my.json"; do
		equal "$(sf-lower -p "$name" in | jq -c \
		    'select(.kind=="accel")|[.preset,.buffer_bytes]')" \
		    '["my",1000]'
	done
	refused 4 "no.json: cannot open" -p no.json
}

@test "SIMFRONT_CONFIGS says where configurations are" {
	mkdir -p here/accel
	sed 's/"2MiB"/1000/' "$ROOT/configs/accel/edge-npu.json" \
	    >here/accel/mine.json
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	export SIMFRONT_CONFIGS=$PWD/here
	equal "$(sf-lower -p mine in | jq -r 'select(.kind=="accel").preset')" \
	    mine
	refused 2 "which has: mine" -p edge-npu
}

@test "the tool record names the configuration and its checksum" {
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	crc=$(python3 -c 'import sys, zlib
print("%08x" % zlib.crc32(open(sys.argv[1], "rb").read()))' \
	    "$ROOT/configs/accel/edge-npu.json")
	equal "$(sf-lower -p edge-npu in | jq -c 'select(.kind=="tool").inputs')" \
	    '[{"name":"edge-npu.json","crc32":"'"$crc"'"}]'
}

@test "what is wrong in a configuration is named with its line" {
	good=$ROOT/configs/accel/edge-npu.json
	sed 's/"vector_lanes"/"vector_lane"/' "$good" >bad.json
	refused 3 "bad.json:6: unknown key 'vector_lane', expected one of: clock_hz" \
	    -p bad.json
	sed 's/"vector_lanes": 64/"vector_lanes": 0/' "$good" >bad.json
	refused 3 "bad.json:6: vector_lanes is '0', expected a whole number from 1" \
	    -p bad.json
	sed 's/"vector_lanes": 64/"vector_lanes": 6.5/' "$good" >bad.json
	refused 3 "bad.json:6: vector_lanes is '6.5'" -p bad.json
	sed 's/"vector_lanes": 64/"vector_lanes": {}/' "$good" >bad.json
	refused 3 "bad.json:6: 'vector_lanes' is an object" -p bad.json
	sed 's/"vector_lanes": 64/"array_cols": 64/' "$good" >bad.json
	refused 3 "bad.json:6: duplicate object key" -p bad.json
	sed 's/"vector_lanes": 64,/"vector_lanes": 64/' "$good" >bad.json
	refused 3 "bad.json:7: " -p bad.json
	grep -v vector_lanes "$good" >bad.json
	refused 3 "bad.json:1: no 'vector_lanes'" -p bad.json
	echo '[]' >bad.json
	refused 3 "bad.json:1: found a list, expected an object" -p bad.json
	sed 's/\["ntt"\]/["ntt",\n3]/' "$good" >bad.json
	refused 3 "bad.json:16: 'transit_categories' has an element" -p bad.json
}

# ---- which GEMMs ----

@test "mm, addmm, bmm and baddbmm take their sizes from the factors" {
	equal "$(one_op aten.mm matmul "a:[3,5] b:[5,7]" "y:[3,7]" | gemms)" \
	    '[[1,3,5,7]]'
	equal "$(one_op aten.addmm matmul "w:[7] a:[3,5] b:[5,7]" "y:[3,7]" |
	    gemms)" '[[1,3,5,7]]'
	equal "$(one_op aten.bmm matmul "a:[2,3,5] b:[2,5,7]" "y:[2,3,7]" |
	    gemms)" '[[2,3,5,7]]'
	equal "$(one_op aten.baddbmm matmul "c:[1] a:[2,3,5] b:[2,5,7]" \
	    "y:[2,3,7]" | gemms)" '[[2,3,5,7]]'
	equal "$(one_op aten.addmm_ matmul "w:[7] a:[3,5] b:[5,7]" "y:[3,7]" |
	    gemms)" '[[1,3,5,7]]'
}

@test "matmul's batch is what the output says" {
	equal "$(one_op onnx.MatMul matmul "a:[4,1,3,5] b:[2,5,7]" \
	    "y:[4,2,3,7]" | gemms)" '[[8,3,5,7]]'
	equal "$(one_op aten.matmul matmul "a:[9,3,5] b:[5,7]" "y:[9,3,7]" |
	    gemms)" '[[9,3,5,7]]'
}

@test "linear folds all leading sizes into rows" {
	equal "$(one_op aten.linear matmul "x:[2,3,5] w:[7,5] w2:[7]" \
	    "y:[2,3,7]" | gemms)" '[[1,6,5,7]]'
}

@test "Gemm under transA swaps rows and depth" {
	equal "$(one_op onnx.Gemm matmul "a:[3,5] w:[5,7]" "y:[3,7]" | gemms)" \
	    '[[1,3,5,7]]'
	equal "$(one_op onnx.Gemm matmul "a:[5,3] w:[5,7]" "y:[3,7]" \
	    '{"attrs":{"transA":1}}' | gemms)" '[[1,3,5,7]]'
}

@test "a convolution is a GEMM for each group" {
	# 2 x 8x8 outputs of 6 channels; each group 3 in, 2 out, 3x3.
	equal "$(one_op onnx.Conv matmul "x:[2,9,8,8] w:[6,3,3,3]" \
	    "y:[2,6,8,8]" | gemms)" '[[3,128,27,2]]'
	equal "$(one_op aten.convolution matmul "x:[1,4,10] w:[8,4,3] w2:[8]" \
	    "y:[1,8,8]" '{"attrs":{"transposed":false}}' | gemms)" \
	    '[[1,8,12,8]]'
}

@test "attention is two GEMMs: scores, and scores times values" {
	equal "$(one_op aten.scaled_dot_product_attention attention \
	    "q:[2,4,16,8] k:[2,4,32,8] v:[2,4,32,24]" "y:[2,4,16,24]" | gemms)" \
	    '[[8,16,8,32],[8,16,32,24]]'
	equal "$(one_op onnx.Attention attention \
	    "q:[2,4,16,8] k:[2,4,32,8] v:[2,4,32,24]" "y:[2,4,16,24]" |
	    lowered | jq -c '[.tiles,.gemms[].tiles]')" '[2,1,1]'
}

@test "a vector is a matrix of one row or of one column" {
	equal "$(one_op aten.mv matmul "a:[3,5] b:[5]" "y:[3]" | gemms)" \
	    '[[1,3,5,1]]'
	equal "$(one_op aten.matmul matmul "a:[5] b:[5,7]" "y:[7]" | gemms)" \
	    '[[1,1,5,7]]'
}

@test "a transposed convolution is a GEMM over its input" {
	# 64 inputs, each 4 channels, scattered into 2 x 2x2 weights.
	equal "$(one_op aten.convolution matmul "x:[1,4,8,8] w:[4,2,2,2]" \
	    "y:[1,2,16,16]" '{"attrs":{"groups":1,"transposed":true}}' |
	    gemms)" '[[1,64,4,8]]'
}

@test "what the rule states is cut, whatever the operator is called" {
	equal "$(one_op my.product matmul "a:[3,5] b:[5,7]" "y:[3,7]" \
	    '{"macs":105,"gemms":[{"batch":1,"m":3,"k":5,"n":7,"a":0,"b":1}]}' |
	    gemms)" '[[1,3,5,7]]'
	equal "$(one_op aten.mm matmul "a:[3,5] b:[5,7]" "y:[3,7]" \
	    '{"macs":4,"gemms":[{"batch":1,"m":2,"k":2,"n":1}]}' |
	    gemms)" '[[1,2,2,1]]'
}

@test "without a product the array is fed slices of bytes, and a note says so" {
	for more in '"flops":99' '"flops":99,"gemms":[]'; do
		one_op my.einsum matmul "a:[3,5] b:[5,7]" "y:[3,7]" "{$more}" >in
		equal "$(lowered <in |
		    jq -c '[.unit,.slices,.flops,.gemms,.ideal]')" \
		    '["array",1,99,null,true]'
		equal "$(sf-lower -p edge-npu in | jq -r 'select(.kind=="note").text')" \
		    "operators whose rule states no product are cut ideally, as if they kept the whole array busy: my.einsum x1; they have 100.0 % of the multiply-accumulates"
	done
	# A product without elements is none.
	run -0 lowered < <(one_op aten.mm matmul "a:[3,0] b:[0,7]" "y:[3,7]" \
	    '{"macs":0,"gemms":[]}')
	equal "$(jq -c '[.gemms,.slices,.ideal]' <<<"$output")" '[null,1,null]'
}

@test "an operand that is stored otherwise is loaded as it is stored" {
	# 16 x 64 x 8 with weights of 4 bits and a scale of 4 bytes for each
	# 32: 512 elements in 256 + 64 bytes; operand a is 4,096 bytes.
	equal "$(one_op my.nbits matmul "a:[16,64] w:[8,2,16]" "y:[16,8]" \
	    '{"gemms":[{"batch":1,"m":16,"k":64,"n":8,"a":0,"b":1,"b_bytes":320,"b_elements":512}]}' |
	    sf-lower -p edge-npu | sf-sim |
	    jq -c 'select(.kind=="op").sim.tiled_bytes')" \
	    $((16 * 64 * 4 + 320 + 16 * 8 * 4))
}

# ---- blocks and slices ----

# blocks BUDGET - tiles and bb, bm, bk, bn of each GEMM with that tile budget.
blocks() {
	lowered -s "buffer_bytes=$1B" -s tile_fraction=1 |
	    jq -c '[.tiles,(.gemms[]|[.bb,.bm,.bk,.bn])]'
}

# bats test_tags=SF-28
@test "the largest side of a block is halved until it fits" {
	# 4 (100x30 + 30x8 + 100x8) = 16160 bytes; 50: 8560; 25: 4760; then k
	# at 30: 4 (25x15 + 15x8 + 25x8) = 2780.
	one_op aten.mm matmul "a:[100,30] b:[30,8]" "y:[100,8]" >in
	equal "$(blocks 16160 <in)" '[1,[1,100,30,8]]'
	equal "$(blocks 16159 <in)" '[2,[1,50,30,8]]'
	equal "$(blocks 8559 <in)" '[4,[1,25,30,8]]'
	equal "$(blocks 4759 <in)" '[8,[1,25,15,8]]'
}

@test "of equal sides m is halved before n before k, rounding up" {
	# 4 x 3 x 81 = 972; 5x9x9: 4 (45 + 81 + 45) = 684; 5x9x5: 4 (45 + 45 +
	# 25) = 460; 5x5x5: 300; 3x5x5: 220; 3x5x3: 156; 3x3x3: 108.
	one_op aten.mm matmul "a:[9,9] b:[9,9]" "y:[9,9]" >in
	equal "$(blocks 971 <in)" '[2,[1,5,9,9]]'
	equal "$(blocks 683 <in)" '[4,[1,5,9,5]]'
	equal "$(blocks 459 <in)" '[8,[1,5,5,5]]'
	equal "$(blocks 299 <in)" '[12,[1,3,5,5]]'
	equal "$(blocks 219 <in)" '[18,[1,3,5,3]]'
	equal "$(blocks 155 <in)" '[27,[1,3,3,3]]'
	equal "$(blocks 12 <in)" '[729,[1,1,1,1]]'
}

@test "whole GEMMs share a block while they fit" {
	# One is 4 x 3 x 4 = 48 bytes.
	one_op aten.bmm matmul "a:[7,2,2] b:[7,2,2]" "y:[7,2,2]" >in
	equal "$(blocks 335 <in)" '[2,[6,2,2,2]]'
	equal "$(blocks 336 <in)" '[1,[7,2,2,2]]'
	equal "$(blocks 1000 <in)" '[1,[7,2,2,2]]'
	equal "$(blocks 95 <in)" '[7,[1,2,2,2]]'
	equal "$(blocks 47 <in)" '[14,[1,1,2,2]]'
}

@test "a block of one element that does not fit is an error" {
	one_op aten.mm matmul "a:[9,9] b:[9,9]" "y:[9,9]" >in
	run -3 --separate-stderr sf-lower -p edge-npu -s buffer_bytes=11B \
	    -s tile_fraction=1 in
	one_line_error
	[[ $stderr == *"in:2: op 0 'aten.mm': a block of 1x1x1 takes 12 bytes, a tile may take 11"* ]]
}

# bats test_tags=SF-28
@test "slices are as few as fit, each side rounded up" {
	slices() {
		one_op aten.relu elementwise "x:[1]" "y:[1]" \
		    "{\"bytes_read\":$1,\"bytes_written\":$2}" |
		    lowered -s "buffer_bytes=$3B" -s tile_fraction=1 |
		    jq .slices
	}
	equal "$(slices 0 0 10)" 1
	equal "$(slices 5 5 10)" 1
	equal "$(slices 6 5 10)" 2
	equal "$(slices 10 10 10)" 2
	# ceil(15/2) + ceil(5/2) = 11 does not fit, ceil(15/3) + ceil(5/3) does.
	equal "$(slices 15 5 10)" 3
	# Two bytes a slice: one in, one out.
	equal "$(slices 100 3 2)" 100
	equal "$(slices 9000000000000000000 1 1125899906842624)" 7994
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	run -3 --separate-stderr sf-lower -p edge-npu -s buffer_bytes=1B \
	    -s tile_fraction=1 in
	[[ $stderr == *"does not fit a tile of 1 bytes"* ]]
}

@test "work is the FLOPs or the elements of all outputs, whichever is more" {
	equal "$(one_op aten.x elementwise "x:[5]" "y:[5] z:[4]" '{"flops":8}' |
	    lowered | jq .work)" 9
	equal "$(one_op aten.x elementwise "x:[5]" "y:[5] z:[4]" '{"flops":10}' |
	    lowered | jq .work)" 10
	equal "$(one_op fhe.ntt ntt "x:[8]" "y:[8]" \
	    '{"flops":36,"attrs":{"butterflies":12}}' | lowered | jq .work)" 12
	one_op fhe.ntt ntt "x:[8]" "y:[8]" >in
	run -3 --separate-stderr sf-lower -p edge-npu in
	[[ $stderr == *"op 0 'fhe.ntt': no attribute 'butterflies'"* ]]
}

# ---- units ----

@test "each category has its unit" {
	for c in elementwise softmax norm reduction copy creation gather; do
		equal "$(one_op any.x "$c" "x:[5]" "y:[5]" | lowered |
		    jq -r .unit)" vector
	done
	equal "$(one_op any.x matmul "x:[5]" "y:[5]" | lowered | jq -r .unit)" \
	    array
	for c in view unknown; do
		equal "$(one_op any.x "$c" "x:[5]" "y:[5]" | lowered)" \
		    '{"unit":"none","deps":[],"tiles":0}'
	done
}

@test "a stage in the read path takes its categories, while there is one" {
	on() {
		one_op any.x "$1" "x:[5]" "y:[5]" '{"attrs":{"butterflies":1}}' |
		    lowered -s "transit_ops_per_byte=$2" \
		    -s "transit_categories=$3" | jq -r .unit
	}
	equal "$(on ntt off ntt)" vector
	equal "$(on ntt 1.6 ntt)" transit
	equal "$(on norm 1.6 ntt)" vector
	equal "$(on norm 1.6 ntt,norm)" transit
	equal "$(on matmul 1.6 matmul)" transit
}

@test "what is folded or dead has no tiles" {
	for what in folded dead; do
		equal "$(one_op any.x elementwise "x:[5]" "y:[5]" \
		    "{\"$what\":true}" | lowered | jq -c .)" \
		    '{"unit":"none","deps":[],"tiles":0}'
	done
}

# ---- dependencies ----

deps() { lowered | jq -c '.deps' | tr '\n' ' '; }

@test "an operator waits for those that made its inputs, each once, in order" {
	trace "$(op 0 a.x copy "in:[1]" "a:[1]")" \
	    "$(op 1 a.x copy "in:[1]" "b:[1] c:[1]")" \
	    "$(op 2 a.x copy "c:[1] a:[1] b:[1] a:[1]" "d:[1]")" >in
	equal "$(deps <in)" "[] [] [0,1] "
}

@test "nobody waits for a parameter" {
	trace "$(op 0 a.x copy "in:[1]" "w:[1]")" \
	    "$(op 1 a.x copy "w:[1]" "b:[1]")" >in
	equal "$(deps <in)" "[] [] "
}

@test "views and unknowns hand on what made their first input" {
	trace "$(op 0 a.x copy "in:[1]" "a:[1]")" \
	    "$(op 1 a.x copy "in:[1]" "b:[1]")" \
	    "$(op 2 a.view view "in:[1] b:[1] a:[1]" "c:[1]")" \
	    "$(op 3 a.what unknown "c:[1]" "d:[1] e:[1]")" \
	    "$(op 4 a.x copy "e:[1]" "f:[1]")" \
	    "$(op 5 a.view view "in:[1]" "g:[1]")" \
	    "$(op 6 a.x copy "g:[1]" "h:[1]")" >in
	equal "$(deps <in)" "[] [] [] [] [1] [] [] "
}

@test "a tensor is made by the latest operator that wrote it" {
	trace "$(op 0 a.x copy "in:[1]" "a:[1]")" \
	    "$(op 1 a.x_ copy "a:[1]" "a:[1]")" \
	    "$(op 2 a.x copy "a:[1]" "b:[1]")" >in
	equal "$(deps <in)" "[] [0] [1] "
}

@test "one trace knows nothing of the tensors of another" {
	trace "$(op 0 a.x copy "in:[1]" "a:[1]")" >one
	trace "$(op 0 a.x copy "a:[1]" "b:[1]")" >two
	equal "$(cat one two | deps)" "[] [] "
}

# ---- what else ----

@test "unknown operators are named with their calls in a note" {
	trace "$(op 0 b.what unknown "a:[1]" "b:[1]")" \
	    "$(op 1 a.what unknown "a:[1]" "b:[1]")" \
	    "$(op 2 b.what unknown "a:[1]" "b:[1]")" >in
	run -0 --separate-stderr sf-lower -p edge-npu in in
	equal "$stderr" ""
	equal "$(grep '"kind":"note"' <<<"$output" | jq -r .text | sort | uniq -c |
	    sed 's/^ *//')" \
	    "2 unknown operators are not simulated: b.what x2, a.what x1"
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	run -0 sf-lower -p edge-npu in
	refute grep -q '"kind":"note"' <<<"$output"
}

@test "a note names all unknown operators however many there are" {
	for i in {0..999}; do
		op "$i" "a.what_is_this_$i" unknown "a:[1]" "b:[1]"
	done >ops
	mapfile -t ops <ops
	trace "${ops[@]}" >in
	sf-lower -p edge-npu in | jq -r 'select(.kind=="note").text' >text
	equal "$(tr ',' '\n' <text | wc -l)" 1000
	equal "$(sed 's/.*, //' text)" "a.what_is_this_999 x1"
}

@test "a trace that is not counted is sent to sf-rules" {
	run -3 --separate-stderr sf-lower -p edge-npu "$DATA/cnn-export.sft"
	one_line_error
	[[ $stderr == *"cnn-export.sft:2: op 0 'aten.convolution': is not counted, expected a trace from sf-rules" ]]
}

@test "a trace is lowered once" {
	one_op aten.relu elementwise "x:[1]" "y:[1]" >in
	sf-lower -p edge-npu in >out
	run -3 --separate-stderr sf-lower -p dc-npu out
	one_line_error
	[[ $stderr == *"out:3: the trace is lowered already"* ]]
	grep -v '"kind":"accel"' out >again
	run -3 --separate-stderr sf-lower -p dc-npu again
	[[ $stderr == *"op 0 'aten.relu': comes before any accel record"* ]]
}

# bats test_tags=SF-19
@test "figures that pass 2^63 - 1 are errors" {
	one_op a.x copy "x:[1]" "y:[1]" \
	    '{"bytes_read":9223372036854775807,"bytes_written":1}' >in
	run -3 --separate-stderr sf-lower -p edge-npu in
	[[ $stderr == *"sum of bytes read and written passes 2^63 - 1" ]]
}

@test "configurations are read to the line, whatever stands in their texts" {
	run -0 "$SF_UNIT/accel-config"
	equal "$output" ""
}
