# docs/traceability.md and the script that makes it: no requirement without a
# passing test, no test for a requirement that is not there.

load helpers

matrix() { "$ROOT/tests/trace-matrix.py" "$@"; }

# spec LINE... - a specification of those requirements.
spec() { printf '%s\nIt shall.\n\n' "$@" >spec.md; }

# suite TAGS NAME RESULT [TAGS NAME RESULT...] - a suite and what bats said of
# it; RESULT is "ok", "not ok", "skip" or "" for a test that did not run.
suite() {
	local n=0
	: >s.bats
	: >s.tap
	while [ $# -ge 3 ]; do
		n=$((n + 1))
		[ -z "$1" ] || printf '# %s test_tags=%s\n' bats "$1" >>s.bats
		printf '@%s "%s" {\n\ttrue\n}\n' test "$2" >>s.bats
		case $3 in
		'') ;;
		skip) printf 'ok %d %s # skip no such thing\n' $n "$2" >>s.tap ;;
		*) printf '%s %d %s\n' "$3" $n "$2" >>s.tap ;;
		esac
		shift 3
	done
}

# told TEXT - the matrix is not made, and TEXT is the one line that says why.
told() {
	run -1 --separate-stderr matrix spec.md . s.bats
	equal "$output" ""
	equal "$stderr" "$1"
}

@test "each test stands beside each requirement that it verifies" {
	spec '**SF-01** (ubiquitous, test)' \
	    '**SF-02** (unwanted behaviour, analysis)' \
	    '**SF-03** (event-driven, test, planned)'
	suite SF-01,SF-02 'one: two' ok '' other 'not ok' SF-01 three ok
	run -0 --separate-stderr matrix spec.md . s.bats
	equal "$(grep '^| SF' <<<"$output")" \
	    '| SF-01 | test | s | one: two | passed |
| SF-01 | test | s | three | passed |
| SF-02 | analysis | s | one: two | passed |
| SF-03 | test | | | planned |'
	[[ $output == *"3 requirements, 1 of them planned."* ]]
}

# bats test_tags=SF-43
@test "a requirement without a passing test is told, and no matrix made" {
	spec '**SF-01** (ubiquitous, test)' '**SF-02** (ubiquitous, test)'
	suite SF-01 one ok
	told 'SF-02 has no passing test'
	suite SF-01 one ok SF-02 two skip
	told 'SF-02 has no passing test'
	suite SF-01 one ok SF-02 two 'not ok'
	told "SF-02 has no passing test
SF-02: s: 'two': failed"
	suite SF-01 one ok SF-02 two ''
	told "SF-02 has no passing test
SF-02: s: 'two': not run"
	suite SF-01,SF-02 one ok SF-02 two 'not ok'
	told "SF-02: s: 'two': failed"
}

# bats test_tags=SF-43
@test "a test that names an unknown requirement is told" {
	spec '**SF-01** (ubiquitous, test)'
	suite SF-01,SF-9 one ok
	told "s.bats: 'one' names SF-9, which spec.md does not have"
}

@test "a planned requirement that has a test is planned no more" {
	spec '**SF-01** (ubiquitous, test, planned)'
	suite SF-01 one ok
	told 'SF-01 is planned and has a test'
}

@test "a demonstration may be skipped, and says so, but not missing" {
	spec '**SF-01** (ubiquitous, demonstration)'
	suite SF-01 one skip
	run -0 matrix spec.md . s.bats
	[[ $output == *'| SF-01 | demonstration | s | one | skipped |'* ]]
	suite SF-01 one 'not ok'
	run -1 matrix spec.md . s.bats
	suite '' one ok
	told 'SF-01 has no passing test'
}

@test "a requirement is written in a pattern and verified in a way there is" {
	for wrong in '**SF-01** (sometimes, test)' '**SF-01** (ubiquitous, luck)' \
	    '**SF-01** (ubiquitous)' '**SF-01** ubiquitous, test' \
	    '**SF-01** (ubiquitous, test, later)'; do
		spec "$wrong" '**SF-02** (ubiquitous, test)'
		suite SF-02 one ok
		told "spec.md: found '$wrong'"
	done
	spec '**SF-02** (ubiquitous, test)' '**SF-02** (ubiquitous, test)'
	told "spec.md: found '**SF-02** (ubiquitous, test)'"
	: >spec.md
	suite '' one ok
	told 'spec.md has no requirement'
}

@test "every requirement says what shall be, each by its number" {
	grep -c '^\*\*SF-' "$ROOT/docs/spec.md" >n
	equal "$(grep -oE '^\*\*SF-[0-9]+' "$ROOT/docs/spec.md" | cut -c 6-)" \
	    "$(seq -f %02.0f "$(cat n)")"
	# The sentence behind each number has its one "shall" and its pattern.
	awk '/^\*\*SF-/ { head = $0; text = ""; next }
	    head != "" && /^$/ { print head "@" text; head = "" }
	    head != "" { text = text " " $0 }
	    END { if (head != "") print head "@" text }' "$ROOT/docs/spec.md" >all
	equal "$(wc -l <all)" "$(($(cat n)))"
	while IFS=@ read -r head text; do
		echo "$head"
		[[ $text == *" shall "* ]]
		case $head in
		*"(event-driven"*) [[ $text == " When "* ]] ;;
		*"(state-driven"*) [[ $text == " While "* ]] ;;
		*"(unwanted"*) [[ $text == " If "*" then "* ]] ;;
		*"(optional"*) [[ $text == " Where "* ]] ;;
		esac
	done <all
}

@test "the committed matrix lists the tests that carry requirements" {
	"$ROOT/tests/trace-matrix.py" --tags "$ROOT/docs/spec.md" . \
	    "$ROOT"/tests/*.bats >tags
	# But for the results, which only a run has.
	diff <(sed 's/ [a-z]* |$//' "$ROOT/docs/traceability.md") \
	    <(sed 's/ [a-z]* |$//' tags)
	refute grep -E '\| (failed|not run) \|$' "$ROOT/docs/traceability.md"
}
