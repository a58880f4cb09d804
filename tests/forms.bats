# One product costs the array the same under each name and in each form that it
# has: cycles by hand from docs/accel-spec.md, on edge-npu's 32 x 32 array.

load helpers

# counted OP... - a counted trace; an OP is NAME|INPUTS|OUTPUTS|ATTRS, a tensor
# SHAPE:DTYPE with "!" behind it when it is a parameter, "-" one left out.
counted() {
	python3 - "$@" <<-'END' | sf-rules ${RULES:+--rules "$RULES"}
		import json, sys
		BITS = {"f32": 32, "bf16": 16, "f16": 16, "u8": 8, "i8": 8, "i32": 32,
		        "i64": 64, "f8e4m3fn": 8}
		def tensor(text, tid):
		    if text == "-":
		        return None
		    shape, dtype = text.rstrip("!").split(":")
		    t = {"tid": tid, "shape": [int(s) for s in shape.split("x") if s],
		         "dtype": dtype, "itemsize": BITS[dtype] // 8}
		    return dict(t, param=True) if text.endswith("!") else t
		def put(record):
		    print(json.dumps(record, separators=(",", ":")))
		put({"kind": "trace", "format": "simfront-trace/1", "model": "m",
		     "route": "onnx"})
		for i, text in enumerate(sys.argv[1:]):
		    name, inputs, outputs, attrs = text.split("|")
		    put({"kind": "op", "i": i, "name": name,
		         "inputs": [tensor(t, f"i{i}.{k}") for k, t in
		                    enumerate(inputs.split(","))],
		         "outputs": [tensor(t, f"o{i}.{k}") for k, t in
		                     enumerate(outputs.split(","))],
		         "attrs": json.loads(attrs or "{}")})
		put({"kind": "end", "ops": len(sys.argv) - 1})
	END
}

# cycles - how long the array computes for each operator.
cycles() {
	sf-lower -p edge-npu -q | sf-sim -t |
	    jq -cs 'map(select(.kind=="tile"))|group_by(.op)|map(map(.t[5]-.t[4])|add)'
}

@test "a matrix and a vector, in every form" {
	# 1 x ceil(1/32) x ceil(256/32) x 64 + 64 = 576 cycles, by the default block.
	RULES=my.rules
	echo 'my.product(a, b) matmul; gemm = 1, a[0], a[1], b[1] of a, b' >my.rules
	ops=("onnx.MatMul|1x64:f32,64x256:f32!|1x256:f32|"
	    "onnx.MatMulInteger|1x64:u8,64x256:i8!|1x256:i32|"
	    "onnx.QLinearMatMul|1x64:u8,:f32,:u8,64x256:i8!,:f32!,:i8!,:f32,:u8|1x256:u8|"
	    'com.microsoft.MatMulNBits|1x64:f32,256x2x16:u8!,512:f32!|1x256:f32|{"K":64,"N":256,"bits":4,"block_size":32}'
	    "com.microsoft.FusedMatMul|1x64:f32,64x256:f32!|1x256:f32|"
	    "onnx.Gemm|1x64:f32,64x256:f32!|1x256:f32|"
	    "onnx.Conv|1x64x1x1:f32,256x64x1x1:f32!|1x256x1x1:f32|"
	    'onnx.Einsum|1x64:f32,64x256:f32!|1x256:f32|{"equation":"ij,jk->ik"}'
	    "aten.mm|1x64:bf16,64x256:bf16!|1x256:bf16|"
	    "aten.linear|1x64:bf16,256x64:bf16!|1x256:bf16|"
	    "aten.linalg_matmul|1x64:bf16,64x256:bf16!|1x256:bf16|"
	    "aten._int_mm|1x64:i8,64x256:i8!|1x256:i32|"
	    "aten._scaled_mm|1x64:f8e4m3fn,64x256:f8e4m3fn!,:f32,:f32|1x256:bf16|"
	    "my.product|1x64:f32,64x256:f32!|1x256:f32|")
	counted "${ops[@]}" >out
	equal "$(cycles <out | jq -c unique)" "[576]"
	equal "$(jq -cs 'map(select(.kind=="op").macs)|unique' out)" "[16384]"
	# Weights as they are stored: 64 x 256 of 4, 1, 0.5 or 2 bytes, scales.
	equal "$(jq -cs 'map(select(.kind=="op").weight_bytes)' out)" \
	    "[65536,16384,16389,10240,65536,65536,65536,65536,32768,32768,32768,16384,16384,65536]"
	# So does the load: 64 of a, and the weights, and 256 stored.
	equal "$(sf-lower -p edge-npu out | sf-sim | jq -cs 'map(select(.kind=="op").sim.tiled_bytes)|.[0:4]')" \
	    "[$((256 + 65536 + 1024)),$((64 + 16384 + 1024)),$((64 + 16384 + 256)),$((256 + 10240 + 1024))]"
	equal "$(sf-lower -p edge-npu out | jq -c 'select(.kind=="note")')" ""
}

@test "a depthwise convolution, in every form" {
	# 16 groups x ceil(196/32) x 1 x 9 + 64 = 1,072 cycles.
	counted \
	    'onnx.Conv|1x16x14x14:f32,16x1x3x3:f32!|1x16x14x14:f32|{"group":16,"pads":[1,1,1,1]}' \
	    'onnx.ConvInteger|1x16x14x14:u8,16x1x3x3:u8!|1x16x14x14:i32|{"group":16,"pads":[1,1,1,1]}' \
	    'onnx.QLinearConv|1x16x14x14:u8,:f32,:u8,16x1x3x3:u8!,:f32!,:u8!,:f32,:u8|1x16x14x14:u8|{"group":16,"pads":[1,1,1,1]}' \
	    'com.microsoft.FusedConv|1x16x14x14:f32,16x1x3x3:f32!|1x16x14x14:f32|{"group":16,"pads":[1,1,1,1]}' \
	    'com.microsoft.NhwcConv|1x14x14x16:f32,16x3x3x1:f32!|1x14x14x16:f32|{"group":16,"kernel_shape":[3,3],"pads":[1,1,1,1]}' \
	    'aten.convolution|1x16x14x14:f32,16x1x3x3:f32!|1x16x14x14:f32|{"groups":16,"padding":[1,1]}' \
	    'aten.conv2d|1x16x14x14:f32,16x1x3x3:f32!|1x16x14x14:f32|{"groups":16,"padding":[1,1]}' >out
	equal "$(cycles <out | jq -c unique)" "[1072]"
	equal "$(jq -cs 'map(select(.kind=="op")|[.macs,.window.kernel,.window.pads])|unique' out)" \
	    "[[28224,[3,3],[1,1,1,1]]]"
	equal "$(jq -cs 'map(select(.kind=="op").weight_bytes)' out)" \
	    "[576,144,149,576,576,576,576]"
}

@test "one token behind 4,095, in every form" {
	# 32 heads of 128 share 8 of keys and values: 2 x 32 x 4096 x 128 MACs;
	# keys and values are loaded once, 4096 x 1024 x 4 bytes each; queries
	# once for each of 4 blocks of keys, scores and results once.
	q4=1x32x1x128:f32 kv4=1x8x1x128:f32 past=1x8x4095x128:f32 all=1x8x4096x128:f32
	counted \
	    "onnx.Attention|$q4,$kv4,$kv4,-,$past,$past|$q4,$all,$all|" \
	    "onnx.Attention|1x1x4096:f32,1x1x1024:f32,1x1x1024:f32,-,$past,$past|1x1x4096:f32,$all,$all|{\"q_num_heads\":32,\"kv_num_heads\":8}" \
	    "com.microsoft.GroupQueryAttention|1x1x4096:f32,1x1x1024:f32,1x1x1024:f32,$past,$past,1:i32,:i32|1x1x4096:f32,$all,$all|{\"num_heads\":32,\"kv_num_heads\":8}" \
	    "aten.scaled_dot_product_attention|$q4,$all,$all|$q4|" >out
	equal "$(jq -cs 'map(select(.kind=="op").macs)|unique' out)" "[33554432]"
	equal "$(cycles <out | jq -c 'unique|length')" 1
	sf-lower -p edge-npu out | sf-sim >sim
	equal "$(jq -cs 'map(select(.kind=="op").sim.tiled_bytes)|unique' sim)" \
	    "[$((2 * 4096 * 1024 * 4 + 4 * 4096 * 4 + 4096 * 4 + 2 * 32 * 4096 * 4))]"
	equal "$(jq -s 'map(select(.kind=="summary"))[0].macs' sim)" \
	    $((4 * 33554432))
}

@test "what is added to a product is no multiply-accumulate" {
	counted \
	    "onnx.ConvTranspose|1x4x8x8:f32,4x2x2x2:f32!,2:f32!|1x2x16x16:f32|{\"strides\":[2,2]}" \
	    "onnx.GRU|5x1x8:f32,1x12x8:f32!,1x12x4:f32!,1x24:f32!|5x1x1x4:f32,1x1x4:f32|{\"hidden_size\":4}" \
	    "onnx.LSTM|5x2x8:f32,1x16x8:f32!,1x16x4:f32!,1x32:f32!|5x1x2x4:f32|{\"hidden_size\":4}" \
	    "com.microsoft.Attention|1x6x8:f32,8x24:f32!,24:f32!|1x6x8:f32|{\"num_heads\":2}" >out
	macs="[$((64 * 4 * 8)),$((5 * 12 * 12)),$((10 * 16 * 12)),$((6 * 8 * 24 + 2 * 2 * 6 * 6 * 4))]"
	equal "$(jq -cs 'map(select(.kind=="op").macs)' out)" "$macs"
	equal "$(sf-lower -p edge-npu out | sf-sim | jq 'select(.kind=="summary").macs')" \
	    "$(jq add <<<"$macs")"
}
