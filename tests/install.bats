# make install and make uninstall, into a directory of the test's own.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	[ -z "${SF_SANITIZED:-}" ] || skip "what is installed is another build"
	unset SIMFRONT_CONFIGS
	PATH=/usr/bin:/bin
}

install_tree() {
	make -s -C "$ROOT" install DESTDIR="$PWD/root" PREFIX=/opt/sf >out 2>&1 ||
	    { cat out; false; }
}

@test "everything is installed, and uninstall removes it all" {
	install_tree
	at=$PWD/root/opt/sf
	for source in "$ROOT"/bin/sf-*; do
		[ -x "$at/bin/$(basename "$source" .c)" ]
	done
	for page in "$ROOT"/docs/man/*.[1-9]; do
		cmp "$page" "$at/share/man/man${page##*.}/${page##*/}"
	done
	diff -r "$ROOT/configs" "$at/share/simfront/configs"
	[ -e "$at/lib/libsimfront.a" ]
	make -s -C "$ROOT" uninstall DESTDIR="$PWD/root" PREFIX=/opt/sf
	equal "$(find root -type f)" ""
}

@test "the public headers are installed with their tables, and no other" {
	install_tree
	include=$PWD/root/opt/sf/include/simfront
	(cd "$ROOT/lib" && grep -rl SF_PUBLIC_BEGIN . && echo ./simfront.h) |
	    sort >public
	[ "$(wc -l <public)" -gt 20 ]
	(cd "$include" && find . -name '*.h') | sort | diff public -
	# Each is whole: what it includes is there.
	(cd "$include" && grep -rhoE '^#include "[^"]+"' . | cut -d '"' -f 2) |
	    sort -u | while read -r included; do
		[ -e "$include/$included" ] || { echo "no $included"; exit 1; }
	done
	(cd "$include" && find . -name '*.def') | while read -r table; do
		grep -rq "#include \"${table#./}\"" "$include"
	done
}

@test "installed programs find their configurations" {
	install_tree
	PATH=$PWD/root/opt/sf/bin:$PATH
	cd /
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-lower --preset edge-npu |
	    sf-sim | sf-report >"$BATS_TEST_TMPDIR/report"
	grep -q edge-npu "$BATS_TEST_TMPDIR/report"
}

@test "a program is built from the installed headers and library" {
	install_tree
	at=$PWD/root/opt/sf
	gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror \
	    -I"$at/include/simfront" -o pass "$ROOT/tests/unit/pass.c" \
	    -L"$at/lib" -lsimfront -lz -lm
	trace | ./pass | grep -q '"tool":"pass"'
}
