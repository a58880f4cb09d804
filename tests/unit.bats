# The C unit tests, for what no filter shows: each is a program of tests/unit
# that says file and line of the first thing that does not hold.

load helpers

unit() {
	run -0 "$SF_UNIT/$1"
	equal "$output" ""
}

@test "every program of tests/unit is run by a suite" {
	for source in "$ROOT"/tests/unit/*.c; do
		echo "$source"
		grep -qE "(unit |SF_UNIT/)$(basename "$source" .c)\b" \
		    "$ROOT"/tests/*.bats
	done
}

@test "numbers keep every digit and know their limits" {
	unit num
}

@test "arenas and buffers hand out memory that nobody else has" {
	unit arena
}

@test "records are sorted in pieces as they are at once" {
	unit sorted
}

@test "tables find every name in the order in which they came, crafted ones too" {
	unit table
}

@test "UTF-8 is what RFC 3629 says, byte for byte" {
	unit utf8
}

@test "quantities take their units and no others" {
	unit quantity
}

@test "the scanner takes what is JSON, and nothing else" {
	unit json
}

@test "the writer writes what the scanner reads back" {
	unit jsonw
}

@test "a line is too long by its length, in whatever pieces it comes" {
	unit line
}

@test "options are taken, recorded and refused" {
	unit opt
}

@test "numbers for people are grouped, and rounded half to even" {
	unit text-human
}

@test "text in XML means itself, whatever its bytes" {
	unit text-xml
}

@test "text of an SVG is as wide as in the other pictures" {
	unit plot-advance
}

@test "text in Markdown means itself, whatever its bytes" {
	unit text-markdown
}

@test "the copy of an ONNX file without its weights stays within its bytes" {
	unit wire
}

@test "events happen in the order that the kernel promises" {
	unit des
}

# held N - what hold is to make of standard input: the op that each op waited
# for and its own number behind its members, and a line behind it for two of
# three.
held() {
	python3 -c '
import json, sys
most, lines = int(sys.argv[1]), sys.stdin.read().splitlines()
ops = sum(json.loads(x)["kind"] == "op" for x in lines)
seen = -1
for line in lines:
    if json.loads(line)["kind"] != "op":
        print(line)
        continue
    seen += 1
    until = min(seen + most, ops - 1)
    print("%s,\"until\":%d,\"tag\":%d}" % (line.rstrip()[:-1], until, seen))
    if seen % 3:
        print("{\"kind\":\"acme\",\"of\":%d}" % seen)' "$1"
}

@test "records that wait keep their order, whatever lies between them" {
	for ((i = 0; i < 70; i++)); do
		echo '{"kind":"op","i":'$i',"name":"a.b","inputs":[],"outputs":[]}'
		((i % 7 == 2)) && echo '{"kind":"acme","behind":'$i'}'
		((i % 14 == 2)) && echo '{"kind":"note","tool":"t","text":"}"}'
		true
	done >records
	readarray -t records <records
	trace '{"kind":"acme","before":"all"}' "${records[@]}" >in
	for most in 0 1 3 16 17 69 70 200; do
		cat in in | "$SF_UNIT/hold" --most $most | grep -v '"tool":"hold"' \
		    >got
		{ held $most <in && held $most <in; } | diff - got
	done
}

@test "the cycle engine stops when nothing moves" {
	unit accel-stuck
}

@test "every operator of ONNX and its runtime has both rules, or a reason" {
	run -0 "$SF_UNIT/tables" "$DATA/onnx-schema.tsv" \
	    "$DATA/onnx-exceptions.tsv"
	equal "$output" ""
}

@test "PyTorch's spellings of types and operators are told apart" {
	unit torch
}

@test "a roofline is fitted as it was made, outliers or not, and nothing is made up" {
	unit fit
}
