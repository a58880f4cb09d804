# The files for other CI servers: they call what is there.

load helpers

# called FILE - the commands of `run:` and `sh` in it.
called() {
	sed -nE "s/^ +run: //p; s/.*sh '([^']*)'.*/\\1/p" "$1"
}

@test "every make target that a CI server calls is there, and every script" {
	for file in .github/workflows/ci.yml .ci/Jenkinsfile; do
		called "$ROOT/$file" >commands
		grep -oE '(^|&& |junit )make( [a-z-]+)*' commands |
		    sed 's/.*make//' | tr ' ' '\n' | grep . | sort -u >targets
		[ "$(wc -l <targets)" -ge 3 ]
		while read -r target; do
			echo "$file: $target"
			grep -qE "^$target:" "$ROOT/Makefile"
		done <targets
		grep -oE '\.ci/[a-z]+' commands | while read -r script; do
			[ -x "$ROOT/$script" ]
		done
	done
}

@test "together they run tests, lint, sanitizers, gate, results and matrix" {
	{ called "$ROOT/.github/workflows/ci.yml"; cat "$ROOT/.ci/run"; } >github
	called "$ROOT/.ci/Jenkinsfile" >jenkins
	for target in test lint test-asan gate results trace-matrix; do
		for server in github jenkins; do
			echo "$server: $target"
			grep -qE "make ([a-z-]+ )*$target( |$)" $server
		done
	done
}

@test "with JUNIT each suite leaves a report of its tests" {
	python3 - <<-END
		import os, subprocess, xml.etree.ElementTree as tree
		where = os.path.join(os.getcwd(), "junit")
		subprocess.run(["$ROOT/tests/run", "tests/sf-fifo.bats"], check=True,
		               env=dict(os.environ, JUNIT=where))
		cases = tree.parse(where + "/sf-fifo/report.xml").findall(".//testcase")
		tests = sum(line.startswith("@" + "test")
		            for line in open("$ROOT/tests/sf-fifo.bats"))
		assert len(cases) == tests > 5, (len(cases), tests)
	END
}

@test "the suites see no variable of the shell that runs them" {
	# shellcheck disable=SC2016 # expanded by that suite
	printf '@%s\n' 'test "what is seen" { env >"$BATS_TEST_DIRNAME/seen"; }' \
	    >env.bats
	env -u SF_STATED PATH=/usr/bin:/bin SHELL=/usr/sbin/nologin TERM=vt52 \
	    LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo CDPATH=/ POSIXLY_CORRECT=1 GREP_COLORS=mt=31 \
	    SIMFRONT_CONFIGS=/nowhere SF_SHARED="$SF_SHARED" \
	    "$ROOT/tests/run" "$PWD/env.bats"
	for want in SHELL=/bin/sh TERM=dumb LC_ALL=C "SF_SHARED=$SF_SHARED"; do
		grep -qxF "$want" seen
	done
	for name in TZ CDPATH POSIXLY_CORRECT GREP_COLORS SIMFRONT_CONFIGS; do
		refute grep -q "^$name=" seen
	done
}

@test "make names what it does, and make -s says nothing" {
	object=$PWD/build/obj/lib/base/crc32.o
	for flags in '' -s -sk '-s -j2' '-s V='; do
		rm -f "$object"
		# shellcheck disable=SC2086 # several words
		make --no-print-directory -C "$ROOT" $flags BUILD="$PWD/build" \
		    "$object" >said 2>&1
		[ -e "$object" ]
		case $flags in
		'') equal "$(cat said)" 'cc lib/base/crc32.c' ;;
		*) equal "$(cat said)" "" ;;
		esac
	done
}
