# make install and make uninstall, into a directory of the test's own.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	[ -z "${SF_SANITIZED:-}" ] || skip "what is installed is another build"
	unset SIMFRONT_CONFIGS
	PATH=/usr/bin:/bin
}

install_tree() {
	at=$PWD/root/opt/sf
	make -s -C "$ROOT" install PREFIX="$at" >out 2>&1 || { cat out; false; }
}

uninstall_tree() {
	make -s -C "$ROOT" uninstall PREFIX="$at"
}

# copy_tree NAME - the tree as $tree, built.
copy_tree() {
	tree=$PWD/$1
	mkdir -p "$tree/build"
	cp -a "$ROOT"/{Makefile,bin,completions,configs,docs,formats,lib,pipelines,tests} "$tree"
	cp -a "$ROOT"/build/{bin,flags,gen,lib,obj,objects} "$tree/build"
}

@test "everything is installed, and uninstall leaves nothing" {
	install_tree
	for source in "$ROOT"/bin/sf-*; do
		[ -x "$at/bin/$(basename "$source" .c)" ]
	done
	for page in "$ROOT"/docs/man/*.[1-9]; do
		cmp "$page" "$at/share/man/man${page##*.}/${page##*/}"
	done
	diff -r "$ROOT/configs" "$at/share/simfront/configs"
	[ -e "$at/lib/libsimfront.a" ]
	uninstall_tree
	[ ! -e root ]
}

@test "a second install changes nothing of what uninstall removes" {
	install_tree
	cp "$at/share/simfront/manifest" first
	install_tree
	cmp first "$at/share/simfront/manifest"
	uninstall_tree
	[ ! -e root ]
}

@test "uninstall keeps the directories that were there, and the user's files" {
	mkdir -p root/opt/sf/bin root/opt/sf/share/man
	install_tree
	touch "$at/lib/mine" "$at/share/simfront/configs/accel/mine.json"
	uninstall_tree
	equal "$(cd root && find . | sort | tr '\n' ' ')" \
	    ". ./opt ./opt/sf ./opt/sf/bin ./opt/sf/lib ./opt/sf/lib/mine ./opt/sf/share ./opt/sf/share/man ./opt/sf/share/simfront ./opt/sf/share/simfront/configs ./opt/sf/share/simfront/configs/accel ./opt/sf/share/simfront/configs/accel/mine.json "
	# There is nothing left to do, and that is said.
	run -0 --separate-stderr uninstall_tree
	[[ $stderr == *"nothing to remove" ]]
}

@test "what an older version installed and this one does not is removed" {
	install_tree
	mkdir "$at/include/simfront/gone"
	touch "$at/include/simfront/gone/gone.h"
	{
		echo include/simfront/gone/gone.h
		echo include/simfront/gone/
		cat "$at/share/simfront/manifest"
	} >older
	cp older "$at/share/simfront/manifest"
	install_tree
	[ ! -e "$at/include/simfront/gone/gone.h" ]
	uninstall_tree
	[ ! -e root ]
}

@test "DESTDIR and PREFIX may have spaces and quotes in them" {
	dest="$PWD/it's a stage" prefix='/my dir/sf'
	make -s -C "$ROOT" install DESTDIR="$dest" PREFIX="$prefix"
	"$dest$prefix/bin/sf-model" gpt2 --tokens 1 |
	    "$dest$prefix/bin/sf-rules" | tail -n 1 | grep -q '"end"'
	# What pkg-config says is of the place where it will be.
	PKG_CONFIG_PATH="$dest$prefix/lib/pkgconfig"
	export PKG_CONFIG_PATH
	eval "words=($(pkg-config --cflags simfront))"
	equal "${words[0]}" '-I/my dir/sf/include/simfront'
	make -s -C "$ROOT" uninstall DESTDIR="$dest" PREFIX="$prefix"
	[ ! -e "$dest" ]
}

@test "a build directory with a space in its name is refused by name" {
	run -2 make -s -C "$ROOT" BUILD='my build' all
	[[ $output == *"BUILD is 'my build', expected a directory without spaces"* ]]
	run -2 make -s -C "$ROOT" -f pipelines/results/results.mk W='a b' pages
	[[ $output == *"W='a b'"*"expected paths without spaces"* ]]
}

@test "a tree whose path has spaces builds, installs and runs its pipelines" {
	copy_tree "sim front's"
	run -0 make -s -C "$tree" demo PACKAGES=
	[[ $output == *"edge-npu"* ]]
	mkdir golden
	head -n 3 "$DATA/golden/MANIFEST.tsv" >golden/MANIFEST.tsv
	tail -n +2 golden/MANIFEST.tsv | cut -f 1 | while read -r capture; do
		mkdir -p "golden/$(dirname "$capture")"
		cp "$DATA/golden/$capture" "golden/$capture"
	done
	mv golden "golden captures"
	run -0 "$tree/pipelines/gate" -g "golden captures" arithmetic
	[[ $output == *"2 captures have their counts"* ]]
	make -s -C "$tree" -f pipelines/results/results.mk \
	    W=build/results BIN=build/bin build/results/fifo.section.md
	[ -s "$tree/build/results/fifo.section.md" ]
	make -s -C "$tree" install PREFIX="$PWD/root"
	make -s -C "$tree" uninstall PREFIX="$PWD/root"
	[ ! -e root ]
}

@test "the README's commands run as they stand, in the tree and installed" {
	copy_tree tree
	"$ROOT/tests/examples.py" --script "$ROOT" "$ROOT/README.md" |
	    grep -vxE 'make (demo|test)' >commands
	echo 'test -s cnn.sft' >>commands
	head -n 3 commands | diff - <(echo make
	    echo 'PATH=$PWD/build/bin:$PATH'
	    echo 'cp tests/data/tiny-cnn.onnx build; cd build')
	grep -q sf-report commands
	(cd "$tree" && bash -e -o pipefail "$OLDPWD/commands")
	# Where the README says that the programs and the sample are then.
	install_tree
	grep -q share/simfront/examples "$ROOT/README.md"
	cp "$at"/share/simfront/examples/* .
	sed 1,3d commands >rest
	PATH=$at/bin:$PATH bash -e -o pipefail rest
}

@test "the public headers are installed with their tables, and no other" {
	install_tree
	include=$at/include/simfront
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

@test "installed programs find their configurations, and their sample is there" {
	install_tree
	cmp "$DATA/tiny-cnn.onnx" "$at/share/simfront/examples/tiny-cnn.onnx"
	PATH=$at/bin:$PATH
	cd "$at/share/simfront/examples"
	sf-onnx tiny-cnn.onnx | sf-rules | sf-lower --preset edge-npu |
	    sf-sim | sf-report >"$BATS_TEST_TMPDIR/report"
	grep -q edge-npu "$BATS_TEST_TMPDIR/report"
}

@test "a program is built from the installed headers and library" {
	install_tree
	gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror \
	    -I"$at/include/simfront" -o pass "$ROOT/tests/unit/pass.c" \
	    -L"$at/lib" -lsimfront -lz -lm
	trace | ./pass | grep -q '"tool":"pass"'
}
