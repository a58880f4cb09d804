# The section of sf-report on measured times, on small traces by hand.

load helpers

device='{"kind":"device","mode":"roofline","name":"d","peak_flops":100,"memory_bw":10,"flops_eff":1,"bw_eff":1,"devices":1,"flops_per_s":100,"bytes_per_s":10,"memory":"unfused","op_overhead_s":0}'

# op I NAME CATEGORY MEASURED [TIME BOUND] - costed where there is a time.
op() {
	local cost=
	[ -z "${5:-}" ] || cost=',"cost":{"time_s":'$5',"bound":"'$6'","unit":"device","transfer_s":0}'
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[],"outputs":[]%s,"category":"%s","flops":1,"bytes_read":1,"bytes_written":1,"weight_bytes":0%s}' \
	    "$1" "$2" "${4:+,\"measured_s\":$4}" "$3" "$cost"
}

# Measured 4 + 1 s beside 3 + 2 s; a view of 1 s and an unmeasured op are not
# compared.
small() {
	trace "$device" "$(op 0 aten.mm matmul 4 3 compute)" \
	    "$(op 1 aten.relu elementwise 1 2 memory)" \
	    "$(op 2 aten.t view 1 0 free)" \
	    "$(op 3 aten.relu elementwise '' 9 memory)"
}

# bats test_tags=SF-15
@test "measured stands beside modelled, by type and operator, with the error" {
	small | sf-report --format json | jq -c '.measured' >json
	equal "$(jq -c 'del(.types, .top)' json)" \
	    '{"calls":3,"measured_s":6,"compared":2,"compared_s":5,"modelled_s":5,"error":0,"absolute_error":0.4}'
	equal "$(jq -c '.types[] | [.name, .calls, .measured_s, .compared, .modelled_s, .error, .absolute_error]' json)" \
	    '["aten.mm",1,4,1,3,-0.25,0.25]
["aten.relu",1,1,1,2,1,1]
["aten.t",1,1,0,0,null,null]'
	equal "$(jq -c '.top[] | [.op, .measured_s, .modelled_s, .error]' json)" \
	    '[0,4,3,-0.25]
[1,1,2,1]
[2,1,null,null]'
	small | sf-report >md
	grep -qE '^\| aten.mm +\| matmul +\| +1 \| 4,000.000 ms \| 4,000.000 ms \| 3,000.000 ms \| +-25.0 % \| +25.0 % \|' md
	grep -qE '^\| all +\| +\| +3 \| 6,000.000 ms \| 5,000.000 ms \| 5,000.000 ms \| +\+0.0 % \| +40.0 % \|' md
	grep -qE '^\| +1 \| aten.relu +\| 1,000.000 ms \| 2,000.000 ms \| \+100.0 % \|' md
}

@test "json and csv have the same figures" {
	small | sf-report --format csv | grep measured >csv
	grep -q 'measured,error,0,ratio$' csv
	grep -q 'measured.types.1,modelled_s,2,s$' csv
	grep -q 'measured.top.2,modelled_s,,s$' csv
}

@test "a list that is cut short has the rest in one row" {
	small | sf-report --top 1 >md
	grep -qE '^\| \(2 more\) +\| +\| +2 \| 2,000.000 ms \| 1,000.000 ms \| 2,000.000 ms \| \+100.0 % \| +100.0 % \|' md
	equal "$(sed -n '/measured longest/,$p' md | grep -c '^| *[0-9]')" 1
}

@test "measured times are there without costs, and no section without them" {
	trace "$(op 0 aten.mm matmul 4)" | sf-report --format json |
	    jq -e '.measured | .measured_s == 4 and .error == null'
	trace "$(op 0 aten.mm matmul '')" >t
	equal "$(sf-report --format json t | jq -c .measured)" null
	refute grep -q Measured <(sf-report t)
}

@test "a measured time that cannot be one is refused" {
	for bad in -1 '"1"' 1e31 null; do
		trace "$(op 0 aten.mm matmul "$bad")" >t
		run -3 --separate-stderr sf-report t
		one_line_error
		[[ $stderr == *"'measured_s' is $bad, expected a number"* ]]
	done
}

# bats test_tags=SF-15
@test "a profile goes all the way to the comparison" {
	sf-dispatch "$DATA/profiles/train.kineto.json.gz" | sf-rules |
	    sf-cost --device host | sf-report --format json |
	    jq -c '.measured | [.calls, .compared, (.error < 0)]' >out
	equal "$(cat out)" '[138,60,true]'
}
