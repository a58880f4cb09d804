# The man pages: the options of each are exactly the program's, its examples
# run, and mandoc has nothing against it.

load helpers

pages() { basename -s .1 "$ROOT"/docs/man/*.1; }

# The options in the order of --help, one a line: "-f --format FORMAT". What
# follows a name behind one blank is its value, behind more its help.
options_of_program() {
	help_of "$1" | sed -nE \
	    's/^  (-., )? *--([a-z0-9-]+)( [^ ]+)? .*/\1--\2\3/; T; s/,//; p'
}

# The same from the .It lines of the page's source.
options_of_page() {
	awk '/^\.It Fl / {
		sub(/^\.It /, "")
		gsub(/ , ?/, " ")
		gsub(/Fl /, "-")
		gsub(/ Ns (Ar )?/, "")
		gsub(/ Ar /, " ")
		gsub(/ -([a-z])/, " -&")
		gsub(/ - -/, " -")
		print
	    }' "$1" | sed -E 's/ -+([a-z])/ --\1/g; s/\\&//g'
}

@test "every program has a page and every page a program" {
	for source in "$ROOT"/bin/sf-*; do
		[ -e "$ROOT/docs/man/$(basename "$source" .c).1" ] ||
		    { echo "no page: $source"; false; }
	done
	for page in $(pages); do
		ls "$ROOT/bin/$page"* >/dev/null
	done
}

@test "the options of each page are the program's, in its order" {
	for page in $(pages); do
		options_of_program "$page" >program
		options_of_page "$ROOT/docs/man/$page.1" >page
		[ -s program ]
		diff program page || { echo "$page"; false; }
	done
}

@test "each page says what the program says it is for, and has all sections" {
	for page in "$ROOT"/docs/man/*.1; do
		name=$(basename "$page" .1)
		echo "$name"
		grep -qx ".Nm $name" "$page"
		for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" \
		    EXAMPLES "SEE ALSO"; do
			grep -qx ".Sh $section" "$page"
		done
	done
}

@test "each page refers to pages that are there" {
	for page in "$ROOT"/docs/man/*.[1-9]; do
		sed -n 's/^\.Xr \(s[fi][a-z-]*\) \([1-9]\).*/\1.\2/p' "$page" |
		    while read -r other; do
			[ -e "$ROOT/docs/man/$other" ] ||
			    { echo "$page: no $other"; exit 1; }
		done
	done
}

@test "mandoc has nothing against the pages" {
	for page in "$ROOT"/docs/man/*.[1-9]; do
		run -0 mandoc -T lint -W warning "$page"
		equal "$output" ""
	done
}

@test "the examples of every page run" {
	for page in "$ROOT"/docs/man/*.[1-9]; do
		run -0 "$ROOT/tests/examples.py" --count "$ROOT" "$page"
		echo "$page: $output commands"
		[ "$output" -gt 0 ]
	done
}

# page OUTPUT - a page with one example, that prints OUTPUT or so it says.
page() {
	printf '%s\n' '.Dd November 29, 2026' '.Dt P 1' .Os '.Sh NAME' '.Nm p' \
	    '.Nd a page' '.Sh EXAMPLES' '.Bd -literal' '$ seq 3 |' '> tac' \
	    "${@}" .Ed >p.1
}

@test "an example that prints something else than its page says is found" {
	true_page() {
		page "$@"
		run -0 "$ROOT/tests/examples.py" "$ROOT" p.1
	}
	false_page() {
		page "$@"
		run -1 "$ROOT/tests/examples.py" "$ROOT" p.1
		[[ $output == *"it prints"* ]]
	}
	true_page 3 2 1
	true_page 3 '\&...'
	true_page # says nothing
	false_page 4
	false_page 3 2
	false_page 3 2 1 0
	false_page 2 1
	false_page ' 3' 2 1
	false_page 3 '\&...' 2
}

@test "quotes end before others begin, in every page as it is read" {
	for page in "$ROOT"/docs/man/*.[1-9]; do
		mandoc -T ascii -O width=300 "$page" | sed 's/.\x08//g' >read
		[ -s read ]
		# Nor is one left open in a paragraph, outside of examples.
		awk -v page="$page" '
		    /^[A-Z]/ { text = !/^(EXAMPLES|SYNOPSIS)/ }
		    text && /""/ { print page ": " $0; bad = 1 }
		    text && gsub(/"/, "") % 2 { print page ": " $0; bad = 1 }
		    END { exit bad }' read
	done
}
