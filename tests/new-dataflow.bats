# The recipe of docs/new-dataflow.md: its file and its row are built into a copy
# of the tree, and do what the page says.

load helpers
load recipe

setup_file() {
	[ -z "${SF_SANITIZED:-}" ] || return 0
	copy_tree
	code c new-dataflow.md >tree/lib/accel/dataflow-dot.c
	code def new-dataflow.md >>tree/lib/accel/dataflow.def
	build_tree sf-lower sf-sim
}

setup() {
	use_tree
	trace '{"kind":"op","i":0,"name":"aten.mm","inputs":[{"tid":"a","shape":[100,33],"dtype":"f32","itemsize":4},{"tid":"b","shape":[33,70],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"c","shape":[100,70],"dtype":"f32","itemsize":4}]}' |
	    sf-rules >mm.sft
}

@test "the recipe's dataflow has the cycles that the page says" {
	said=$(grep -A1 '^    \$ ' "$ROOT/docs/new-dataflow.md" | sed 's/^    //')
	run -0 --separate-stderr bash -o pipefail -c "$(sed -n '1s/^\$ //p' <<<"$said")"
	equal "$output" "$(sed -n 2p <<<"$said")"
	equal "$output" $((100 * 3 * 5 + 32))
	equal "$stderr" ""
}

@test "the key, the record and the search know it by its row alone" {
	equal "$(sf-lower --keys | grep ^dataflow | cut -f 3)" "one of os,ws,is,dot"
	equal "$(sf-lower -p edge-npu -s dataflow=dot -s blocks=time -s reuse=on \
	    mm.sft | sf-sim | jq -r 'select(.kind=="accel").dataflow')" dot
	run -2 --separate-stderr sf-lower -p edge-npu -s dataflow=rs mm.sft
	[[ $stderr == *"dataflow is 'rs', expected one of: os, ws, is, dot" ]]
}

@test "no file but its own and the table names a dataflow" {
	for name in $(sed -n 's/^SF_DATAFLOW(\(.*\))/\1/p' \
	    "$ROOT/lib/accel/dataflow.def"); do
		file=$ROOT/lib/accel/dataflow-$name.c
		equal "$(grep -rl "dataflow_$name\b" "$ROOT/lib" "$ROOT/bin")" \
		    "$file"
		# The key's default is a word of the table, too.
		equal "$(grep -l "\"$name\"" "$ROOT"/lib/accel/* |
		    grep -v '/key.def$')" ""
	done
}
