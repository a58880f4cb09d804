# SECURITY.md: what it promises is held by tests, which it names.

load helpers

# "SUITE: TITLE" of each test that the page names.
named() { sed -n 's/^  - `\([^:]*: .*\)`$/\1/p' "$ROOT/SECURITY.md"; }

@test "every test that SECURITY.md names is there" {
	named >names
	[ "$(grep -c '' names)" -ge 25 ]
	while IFS= read -r name; do
		echo "$name"
		grep -qxF "@test \"${name#*: }\" {" "$ROOT/tests/${name%%: *}.bats"
	done <names
	equal "$(sort names | uniq -d)" ""
}

@test "every promise of SECURITY.md names a test" {
	sed -n '/^## What is promised/,/^## What is not/p' "$ROOT/SECURITY.md" |
	    awk '/^- / { if (promise != "" && !tests) print promise
			promise = $0; tests = 0; n++ }
		/^  - `/ { tests++ }
		END { if (!tests) print promise; print n " promises" }' >got
	equal "$(grep -vc ' promises$' got)" 0
	[ "$(sed -n 's/ promises$//p' got)" -ge 8 ]
}
