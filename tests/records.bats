# One verdict on each record: whatever is wrong with a member of it, all programs
# that read the record find it wrong, and so does the schema where a schema can.

load helpers

# A trace with every member that a source writes.
source_trace() {
	cat <<'END'
{"kind":"trace","format":"simfront-trace/1","model":"m","route":"export","workload":{"batch":2},"params":{"count":80,"bytes":320},"graph":{"stage":"aot","rank":0}}
{"kind":"tool","tool":"sf-torch","version":"1","args":["export","m.py"],"inputs":[{"name":"m.py","crc32":"0123abcd"}],"assumed":[{"node":"i","branch":"then","trips":3}]}
{"kind":"note","tool":"sf-torch","text":"a note"}
{"kind":"op","i":0,"name":"aten.mm","node":"n0","module":"a.b","phase":"forward","inputs":[{"tid":"x","shape":[20,40],"dtype":"f32","itemsize":4},{"tid":"w","shape":[40,20],"dtype":"f32","itemsize":4,"param":true,"stored":1600,"read":900}],"outputs":[{"tid":"y","shape":[20,20],"dtype":"f32","itemsize":4}],"attrs":{"a":1}}
{"kind":"op","i":1,"name":"aten.relu","inputs":[{"tid":"y","shape":[20,20],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"z","shape":[20,20],"dtype":"f32","itemsize":4}],"folded":true,"dead":true}
{"kind":"op","i":2,"name":"aten.foo","inputs":[{"tid":"z","shape":["n",20],"dtype":"f32","itemsize":4}],"outputs":[null,{"tid":"u","shape":null,"dtype":null}],"unresolved":"a size","measured_s":0.5}
{"kind":"op","i":3,"name":"aten.relu","inputs":[{"tid":"y","shape":[20,20],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"v","shape":[20,20],"dtype":"f32","itemsize":4,"param":true,"stored":800,"read":700}]}
{"kind":"op","i":4,"name":"onnx.MaxPool","inputs":[{"tid":"p","shape":[1,2,8,8],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"q","shape":[1,2,4,4],"dtype":"f32","itemsize":4}],"attrs":{"kernel_shape":[2,2],"strides":[2,2]}}
{"kind":"op","i":5,"name":"aten.linalg_cholesky","inputs":[{"tid":"h","shape":[8,8],"dtype":"f32","itemsize":4,"kept":true,"cache":true}],"outputs":[{"tid":"l","shape":[8,8],"dtype":"f32","itemsize":4,"kept":true,"cache":true}]}
{"kind":"end","ops":6}
END
}

# What the extended accelerator and the route of a GPU put into a trace.
extended_trace() {
	cat <<'END'
{"kind":"trace","format":"simfront-trace/1","model":"m","route":"onnx"}
{"kind":"op","i":0,"name":"onnx.Conv","inputs":[{"tid":"p","shape":[1,2,8,8],"dtype":"f32","itemsize":4},{"tid":"w","shape":[3,2,3,3],"dtype":"f32","itemsize":4,"param":true}],"outputs":[{"tid":"q","shape":[1,3,6,6],"dtype":"f32","itemsize":4}],"attrs":{"kernel_shape":[3,3]}}
{"kind":"op","i":1,"name":"gpu.attention","inputs":[{"tid":"a","shape":[1,2,4,8],"dtype":"bf16","itemsize":2},{"tid":"b","shape":[1,2,4,8],"dtype":"bf16","itemsize":2},{"tid":"c","shape":[1,2,4,8],"dtype":"bf16","itemsize":2}],"outputs":[{"tid":"d","shape":[1,4,16],"dtype":"bf16","itemsize":2}],"attrs":{"causal":1}}
{"kind":"op","i":2,"name":"aten.mm","inputs":[{"tid":"x","shape":[256,16],"dtype":"f32","itemsize":4},{"tid":"v","shape":[16,32],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"y","shape":[256,32],"dtype":"f32","itemsize":4}]}
{"kind":"end","ops":3}
END
}

streams() {
	source_trace >traced
	sf-rules traced >counted 2>err
	sf-cost --keys | awk -F '\t' '$4 == "unknown" && $1 ~ /_/ &&
	    $1 !~ /memory/ {
	    print "--set=" $1 "=" ($1 ~ /peak_/ ? 2 : 0.5) }' >own
	# As if there were no peak of that type.
	# shellcheck disable=SC2046 # words are meant
	sf-cost --offload optical --link pcie5 --supports matmul --devices 2 \
	    --products operands --tf32 $(cat own) counted 2>>err |
	    sed 's/"type":"tf32"/&,"peak":"f64"/' >costed
	sf-lower --preset edge-npu counted >lowered
	sf-sim --tiles lowered >tiled
	# Blocks are reused in both orders of the loops.
	echo '{"base": ["edge-npu", "horowitz-45nm", "dosa-40nm"]}' >own.json
	extended_trace | sf-rules >extended
	sf-lower --preset ./own.json --set conv=implicit --set reuse=on \
	    --set blocks=bytes --set buffer_bytes=4KiB --set array_rows=8 \
	    --set array_cols=8 extended >blocked
	sf-sim blocked >spent
	# Cores, of which each has a part of a tile or two.
	sf-lower --preset edge-npu --set cores=2 --set acc_bytes=4KiB \
	    extended >split
	sf-sim --tiles split >shared
	sf-ep --claim aten.mm --categories matmul counted >partitioned
	# A design that is refused, and one of another engine.
	sf-sweep --preset edge-npu --set tile_fraction=1 \
	    --grid buffer_bytes=1,64KiB --grid dram_channels=1,2 \
	    --keep 'dram_channels<2' counted |
	    sed 's/},"tiles"/},"engine":"event","tiles"/' >swept
}

@test "every damage of every member has one verdict" {
	streams
	run -0 "$ROOT/tests/records.py" traced counted costed lowered tiled \
	    swept partitioned extended blocked spent split shared
	echo "$output"
	[[ ${lines[-1]} == *" damages, "*" runs, 0 wrong" ]]
}
