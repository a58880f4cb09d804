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

@test "tables find every name in the order in which they came" {
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

@test "options are taken, recorded and refused" {
	unit opt
}

@test "numbers for people are grouped, and rounded half to even" {
	unit report-human
}

@test "text in Markdown means itself, whatever its bytes" {
	unit report-markdown
}

@test "the copy of an ONNX file without its weights stays within its bytes" {
	unit wire
}
