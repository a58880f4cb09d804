# sf-ort on a profile that ONNX Runtime wrote, and on what is none.

load helpers

# event NAME TYPE PROVIDER INDEX DUR - as ONNX Runtime writes one.
event() {
	printf '{"cat" : "Node","pid" :1,"tid" :1,"dur" :%d,"ts" :1,"ph" : "X","name" :"%s","args" : {"op_name" : "%s","provider" : "%s","node_index" : "%s"}}' \
		"$5" "$1" "$2" "$3" "$4"
}

@test "ONNX Runtime ran the small network's 15 nodes on the CPU" {
	sf-ort -f json "$DATA/tiny-cnn.ort-profile.json" >out
	equal "$(jq -r '.counts[] | "\(.provider) \(.type) \(.nodes) \(.runs)"' out)" \
		"CPUExecutionProvider BatchNormalization 3 3
CPUExecutionProvider Conv 3 3
CPUExecutionProvider Gemm 1 1
CPUExecutionProvider MaxPool 3 3
CPUExecutionProvider ReduceMean 1 1
CPUExecutionProvider Relu 3 3
CPUExecutionProvider Reshape 1 1"
	equal "$(jq '.nodes | length' out)" 15
	# They are the nodes of the model, but for its constants.
	equal "$(jq -r '.nodes[] | "\(.node) \(.type)"' out | sort)" \
		"$(sf-onnx "$DATA/tiny-cnn.onnx" | jq -r 'select(.kind=="op" and .name!="onnx.Constant") |
		"\(.node) \(.name[5:])"' | sort)"
	# Nothing is said of them that jq does not find.
	equal "$(jq -c '[.nodes[] | [.index, .dur_us]] | sort' out)" \
		"$(jq -c '[.[] | select(.cat=="Node") |
		[.args.node_index, .dur]] | sort' "$DATA/tiny-cnn.ort-profile.json")"
}

@test "the recorded profile names no place" {
	refute grep -qE '/|[0-9]{4}-[0-9]{2}-[0-9]{2}' \
		"$DATA/tiny-cnn.ort-profile.json"
	equal "$(jq '[.[] | .pid, .tid] | unique[]' \
		"$DATA/tiny-cnn.ort-profile.json")" 1
}

@test "a node that ran several times is one node, on each provider" {
	{ echo '['
	event conv_kernel_time Conv CUDAExecutionProvider 0 7 && echo ,
	event relu_kernel_time Relu CPUExecutionProvider 1 2 && echo ,
	event conv_kernel_time Conv CUDAExecutionProvider 0 5 && echo ,
	event body_kernel_time Relu CPUExecutionProvider 1 3 && echo ,
	# Marks around a node, and events of the session, are no runs.
	event conv_fence_before Conv "" 0 0 && echo ,
	echo '{"cat":"Session","name":"model_run","dur":99,"args":{}}]'; } >p.json
	sf-ort -f json p.json >out
	equal "$(jq -c '.nodes[] | [.index, .node, .type, .provider, .runs, .dur_us]' \
		out)" '["0","conv","Conv","CUDAExecutionProvider",2,12]
["1","relu","Relu","CPUExecutionProvider",1,2]
["1","body","Relu","CPUExecutionProvider",1,3]'
	equal "$(jq -c '.counts[] | [.provider, .type, .nodes, .runs, .dur_us]' out)" \
		'["CPUExecutionProvider","Relu",2,2,5]
["CUDAExecutionProvider","Conv",1,2,12]'
	equal "$(jq .events out)" 6
}

@test "the text's lines and spaces make no difference" {
	sf-ort <"$DATA/tiny-cnn.ort-profile.json" >want
	for how in . -c --tab; do
		jq $how . "$DATA/tiny-cnn.ort-profile.json" | sf-ort - >out
		cmp want out
	done
	jq . "$DATA/tiny-cnn.ort-profile.json" | sed 's/$/\r/' | sf-ort >out
	cmp want out
	gzip -n <"$DATA/tiny-cnn.ort-profile.json" | sf-ort >out
	cmp want out
	jq -c . "$DATA/tiny-cnn.ort-profile.json" | tr -d '\n' | sf-ort >out
	cmp want out
}

@test "names of brackets, quotes and escapes are names" {
	echo '[{"cat":"Node","name":"a]},{\"\\\u00fc","dur":1,"args":{"op_name":"[{","provider":"P\\"}}]' \
		>p.json
	equal "$(sf-ort -f json p.json | jq -c '.nodes[] | [.node, .type, .provider, .index]')" \
		'["a]},{\"\\ü","[{","P\\",""]'
}

@test "what is no whole profile is refused in one line with its place" {
	good=$(event a_kernel_time A P 0 1)
	while IFS=$'\t' read -r text place; do
		printf '%b' "$text" >p.json
		run -3 --separate-stderr sf-ort p.json
		one_line_error
		equal "$output" ""
		[[ $stderr == "sf-ort: p.json$place"* ]] || {
			echo "$text: $stderr"
			false
		}
	done <<-EOF
		 	:1: expected a JSON array
		{"traceEvents":[$good]}	:1: expected a JSON array
		[	:1: the array is cut short
		[\n$good	:2: the array is cut short
		[\n$good,	:2: the array is cut short
		[\n$good,\n]	:3: expected a value
		[\n$good\n]\n[]	:4: text behind the end
		[\n$good $good]	:2: expected ',' or ']'
		[$good,17]	:1: event 2: expected an object
		[$good,\n{"dur":-1}]	:2: event 2: 'dur' is -1, expected an integer >= 0
		[$good,\n{"dur":1.5}]	:2: event 2: 'dur' is 1.5, expected an integer
		[$good,\n{"args":7}]	:2: event 2: 'args' is 7, expected an object
		[$good,\n{"name":"a\nb"}]	:2: event 2: the string does not end
		[$good,\n{"name":"\xff"}]	:2: the event is not UTF-8
		[$good,\n{"name":"a"]]	:2: event 2: expected
		[]	: none of the 0 events
		[{"cat":"Session"}]	: none of the 1 events
		[${good/:1,\"ts/:9223372036854775807,\"ts},$good]	:1: event 2: durations pass
	EOF
	run -4 --separate-stderr sf-ort no/such.json
	one_line_error
}

@test "a profile that is cut anywhere is refused" {
	size=$(wc -c <"$DATA/tiny-cnn.ort-profile.json")
	for ((n = 0; n < size - 2; n += 97)); do
		head -c "$n" "$DATA/tiny-cnn.ort-profile.json" >cut
		run -3 --separate-stderr sf-ort cut
		one_line_error
	done
}

@test "memory does not grow with the events of a profile" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	for n in 1000 100000; do
		{ echo '['
		yes "$(event a_kernel_time A P 0 1)," | head -n $n
		event b_kernel_time B P 1 1
		echo ']'; } >p.json
		run -0 "$SF_UNIT/peak" sf-ort p.json
		eval "peak$n=$output"
	done
	# shellcheck disable=SC2154 # set by eval
	echo "$peak1000 KiB, $peak100000 KiB"
	[ "$peak100000" -lt $((peak1000 + 256)) ]
}

@test "one profile is read, and no more" {
	for args in 'a.json b.json' '-f xml' '--claim Conv'; do
		# shellcheck disable=SC2086 # several words are meant
		run -2 --separate-stderr sf-ort $args
		one_line_error
		equal "$output" ""
	done
}

@test "json and csv say the same" {
	sf-ort -f csv "$DATA/tiny-cnn.ort-profile.json" >csv
	equal "$(awk -F, '$6 == "dur_us" && $5 ~ /nodes/ { print $7 }' csv)" \
		"$(sf-ort -f json "$DATA/tiny-cnn.ort-profile.json" |
		jq '.nodes[].dur_us')"
	equal "$(head -n 1 csv)" "$(trace | sf-report -f csv | head -n 1)"
}
