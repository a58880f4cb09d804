#!/bin/bash
# Every model of a directory through sf-onnx, a process each, beside the call of
# onnx's shape inference on the loaded model in a running Python, in the same
# run. Target: 0.6 of it. And models of up to 200,000 nodes. Target: linear.
# SF_ONNX_PYTHON names a Python with onnx; without it that part is left out.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

models=${SF_ONNX_MODELS:-$root/../shared/data/onnx/models}
if [ -z "${SF_ONNX_PYTHON-}" ]; then
	echo 'onnx: no comparison, SF_ONNX_PYTHON names no Python with onnx'
elif [ ! -d "$models" ]; then
	echo 'onnx: no comparison, SF_ONNX_MODELS names no directory of models'
else
	"$SF_ONNX_PYTHON" "$root/tests/bench/onnx-infer.py" "$models"/*.onnx
fi

echo 'onnx: models of many nodes'
for n in 25000 50000 100000 200000; do
	awk -v n="$n" 'BEGIN {
		printf "{\"inputs\":{\"x\":\"f32[8,64]\"},\"inits\":{\"w\":\"f32[64]\"},"
		printf "\"outputs\":[\"v%d\"],\"nodes\":[\"v0 = Relu(x)\"", n - 1
		for (i = 1; i < n; i++)
			printf ",\"v%d = %s)\"", i, i % 2 ? \
			    "Add(v" (i - 1) ", w" : "Relu(v" (i - 1)
		print "]}" }' | "$root/tests/onnx-model.py" >many.onnx
	us=$(cpu 5 'sf-onnx many.onnx')
	printf '  %6d nodes %8s ms %8s us a node\n' "$n" \
	    "$(ratio "$us" 1000)" "$(awk -v t="$us" -v n="$n" \
		'BEGIN { printf "%.2f", t / n }')"
done
