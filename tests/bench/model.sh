#!/bin/bash
# sf-model on published configurations, beside four cats of what it writes and,
# where $SF_TORCH_PYTHON (python3) has torch and transformers, beside PyTorch's
# capture of the same call. Targets: llama3-8b 8 ms and 16 MB, llama3-70b 16 ms,
# the pipeline up to sf-report 40 ms. And all configurations of a directory,
# SF_MODEL_CONFIGS. Target: 20 ms and 16 MB each, but for the time of a model that
# runs token by token; two copies of what it writes are beside it.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

python=${SF_TORCH_PYTHON:-python3}

# What sf-torch is asked to run: the calls that the golden traces are of.
cat >targets.py <<EOF
import sys
sys.path.insert(0, "$root/tests/golden")
from models import CONFIGS, prefill
def llama3_8b(): return prefill(CONFIGS["llama3-8b"], 2048)
def llama3_70b(): return prefill(CONFIGS["llama3-70b"], 2048)
def gpt2(): return prefill(CONFIGS["gpt2"], 2048)
EOF
capture=
if "$python" -c 'import torch, transformers' 2>/dev/null; then
	capture="OMP_NUM_THREADS=1 '$python' '$SF_BIN/sf-torch' dispatch \
	    --device meta targets.py"
fi

row() { # MODEL
	local us four torch='no PyTorch here'
	sf-model "$1" --tokens 2048 >trace
	us=$(best 20 "sf-model $1 --tokens 2048")
	four=$(best 20 'cat trace | cat | cat | cat')
	if [ -n "$capture" ]; then
		torch=$(best 1 "$capture:${1//-/_}")
		torch="PyTorch $(ratio "$torch" 1000) ms, $(ratio "$torch" "$us") x"
	fi
	printf '  %-12s %5d operators %7.1f ms %5s x four cats %6s MB  %s\n' \
	    "$1" "$(grep -c '^{"kind":"op"' trace)" "$(ratio "$us" 1000)" \
	    "$(ratio "$us" "$four")" "$("$SF_UNIT/peak" sf-model "$1" | awk '{ printf "%.1f", $1 / 1000 }')" \
	    "$torch"
}

echo 'sf-model, a prefill of 2,048 tokens on the meta device:'
row gpt2
row llama3-8b
row llama3-70b

stages='sf-model llama3-8b | sf-rules | sf-lower --preset dc-npu | sf-sim |
    sf-report'
printf '  %-36s %5.1f ms\n' 'llama3-8b up to sf-report' \
    "$(ratio "$(best 20 "$stages")" 1000)"

configs=${SF_MODEL_CONFIGS:-$root/../shared/data/configs}
if ! ls "$configs"/*.json >/dev/null 2>&1; then
	echo 'sf-model: no others, SF_MODEL_CONFIGS names no directory of models'
	exit
fi
for config in "$configs"/*.json; do
	name=$(basename "$config" .json)
	if kib=$("$SF_UNIT/peak" sf-model "$config" 2>/dev/null); then
		echo "$(cpu 3 "sf-model $config") $kib $name"
	fi
done | sort -rn >all
echo "sf-model, the $(wc -l <all) configurations that it takes, the slowest in processor time:"
head -n 5 all | while read -r us kib name; do
	sf-model "$configs/$name.json" >trace
	copies=$(cpu 3 'cat trace | cat')
	printf '  %-36s %6d operators %6.1f ms %5s x two cats\n' "$name" \
	    "$(grep -c '^{"kind":"op"' trace)" "$(ratio "$us" 1000)" \
	    "$(ratio "$us" "$copies")"
done
sort -k 2 -rn all | head -n 1 | while read -r us kib name; do
	printf '  the most memory: %s MB, %s\n' \
	    "$(awk -v k="$kib" 'BEGIN { printf "%.1f", k * 1.024 / 1000 }')" "$name"
done
