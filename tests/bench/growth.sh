#!/bin/bash
# What hostile or simply large streams cost: ten times the input, how many times
# the time and the memory. Targets: 10 of the one, 1 of the other but where one
# record grows, which is held whole.
# shellcheck source=tests/bench/bench.bash
source "$(dirname "$0")/bench.bash"

trace='{"kind":"trace","format":"simfront-trace/1","model":"m","route":"export"}'
end='{"kind":"end","ops":'
op='"name":"aten.add","inputs":[%s],"outputs":[{"tid":"y","shape":[4],"dtype":"f32"}]'

# Each writes a stream of size N.
operators() {
	awk -v n="$1" -v t="$trace" -v e="$end" -v op="$op" 'BEGIN {
		print t
		for (i = 0; i < n; i++)
			printf "{\"kind\":\"op\",\"i\":%d," op "}\n", i,
			    "{\"tid\":\"x\",\"shape\":[4],\"dtype\":\"f32\"}"
		print e n "}" }'
}
names() {
	operators "$1" | awk '{ sub(/aten.add/, "my.op" NR); print }'
}
inputs() {
	awk -v n="$1" -v t="$trace" -v e="$end" 'BEGIN {
		print t
		printf "{\"kind\":\"op\",\"i\":0,\"name\":\"aten.cat\",\"inputs\":["
		for (i = 0; i < n; i++)
			printf "%s{\"tid\":\"x%d\",\"shape\":[4],\"dtype\":\"f32\"}",
			    i ? "," : "", i
		print "],\"outputs\":[]}"
		print e "1}" }'
}
traces() {
	awk -v n="$1" -v t="$trace" -v e="$end" 'BEGIN {
		for (i = 0; i < n; i++)
			print t "\n" e "0}" }'
}
line() {
	echo "$trace"
	printf '{"kind":"x","text":"'
	head -c "$1" /dev/zero | tr '\0' a
	printf '"}\n%s0}\n' "$end"
}
name() {
	echo "$trace"
	printf '{"kind":"op","i":0,"name":"my.'
	head -c "$1" /dev/zero | tr '\0' _
	printf '","inputs":[],"outputs":[]}\n%s1}\n' "$end"
}
bomb() { line "$1" | gzip -c1; }

# row KIND N COMMAND - COMMAND on KIND of N and of 10 N.
row() {
	local few many least most
	"$1" "$2" >few
	"$1" $(($2 * 10)) >many
	few=$(cpu 3 "$3 <few")
	many=$(cpu 3 "$3 <many")
	# shellcheck disable=SC2086 # a command and its options
	least=$("$SF_UNIT/peak" $3 <few 2>/dev/null)
	# shellcheck disable=SC2086
	most=$("$SF_UNIT/peak" $3 <many 2>/dev/null)
	printf '  %-10s %9d %-12s %7s ms %6s times %7d KiB %6s times\n' "$1" \
	    $(($2 * 10)) "${3%% *}" "$(ratio "$many" 1000)" \
	    "$(ratio "$many" "$few")" "$most" "$(ratio "$most" "$least")"
}

echo 'growth: a stream of so many, and what it costs more than a tenth of it'
scale=${1:-1}
for program in 'sf-rules' 'sf-report'; do
	row operators $((100000 * scale)) "$program"
	row names $((10000 * scale)) "$program"
	row inputs $((10000 * scale)) "$program"
	row traces $((10000 * scale)) "$program"
	row line $((10000000 * scale)) "$program"
	row name $((100000 * scale)) "$program"
	row bomb $((10000000 * scale)) "$program"
done
