# The README and the documents: every command in a block marked sh is run, and
# prints what the document says it prints.

load helpers

documents() {
	ls "$ROOT"/README.md "$ROOT"/docs/*.md 2>/dev/null
}

@test "the commands of the documents run and print what they say" {
	for document in $(documents); do
		run -0 "$ROOT/tests/examples.py" "$ROOT" "$document"
		equal "$output" ""
	done
}

@test "the README shows the pipeline, and its two commands are the tree's" {
	[ "$("$ROOT/tests/examples.py" --count "$ROOT" "$ROOT/README.md")" -gt 3 ]
	for target in demo test; do
		grep -qE "^ *\\\$? ?make $target$" "$ROOT/README.md"
		make -C "$ROOT" -n $target >/dev/null
	done
}

@test "every file that a document names is there" {
	for document in $(documents); do
		# Relative links of Markdown.
		grep -oE '\]\([^)#: ]+[)#]' "$document" | sed 's/^](//; s/[)#]$//' |
		    while read -r link; do
			[ -e "$(dirname "$document")/$link" ] ||
			    { echo "$document: no $link"; exit 1; }
		done
		# Paths in the text.
		grep -oE '`(bin|lib|formats|configs|pipelines|tests|docs)/[a-zA-Z0-9_./-]+`' \
		    "$document" | tr -d '`' | while read -r path; do
			[ -e "$ROOT/$path" ] || { echo "$document: no $path"; exit 1; }
		done
	done
}
