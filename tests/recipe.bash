# For suites of pages whose code is built.

# code LANGUAGE PAGE - the page's block in that language.
code() {
	awk -v fence="^\`\`\`$1\$" '$0 ~ fence { on = 1; next } /^```$/ { on = 0 }
	    on' "$ROOT/docs/$2"
}

# copy_tree - what is built, and what it is built from, in tree; build_tree
# PROGRAM... makes these anew, without a warning. Not of the sanitizers' build.
copy_tree() {
	cd "$BATS_FILE_TMPDIR" || return
	mkdir -p tree/build
	cp -a "$ROOT"/{Makefile,bin,formats,lib,configs} tree
	cp -a "$ROOT"/build/{bin,flags,gen,lib,obj,objects} tree/build
}

build_tree() {
	local program
	make -s -C tree "${@/#/build/bin/}" >out 2>&1
	cat out
	for program; do
		[ -x "tree/build/bin/$program" ] || return
	done
	[ ! -s out ]
}

use_tree() {
	[ -z "${SF_SANITIZED:-}" ] || skip "what is built is another build"
	cd "$BATS_TEST_TMPDIR" || return
	PATH=$BATS_FILE_TMPDIR/tree/build/bin:$PATH
}
