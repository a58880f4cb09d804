# The C unit tests, for what no filter shows: each is a program of tests/unit
# that says file and line of the first thing that does not hold.

load helpers

unit() {
	run -0 "$SF_UNIT/$1"
	equal "$output" ""
}

@test "every program of tests/unit is run here" {
	for source in "$ROOT"/tests/unit/*.c; do
		grep -q "unit $(basename "$source" .c)$" \
		    "$BATS_TEST_FILENAME" || {
			echo "no test runs $source"
			return 1
		}
	done
}

@test "numbers keep every digit and know their limits" {
	unit num
}
