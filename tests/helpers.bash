# What every suite loads: the programs first in PATH, an empty directory to
# work in, and the few words the tests are written with.

bats_require_minimum_version 1.5.0

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
DATA=$ROOT/tests/data
SF_BIN=${SF_BIN:-$ROOT/build/bin}
SF_UNIT=${SF_UNIT:-$(dirname "$SF_BIN")/unit}
SF_FUZZ=${SF_FUZZ:-$(dirname "$SF_BIN")/fuzz}
SF_SHARED=${SF_SHARED:-$ROOT/../shared}
export ROOT DATA SF_BIN SF_UNIT SF_FUZZ SF_SHARED
export PATH="$SF_BIN:$PATH"
export LC_ALL=C

# Configurations come from the tree, whatever is installed on the machine.
export SIMFRONT_CONFIGS=$ROOT/configs

# What the sanitizers are not to call a leak.
export LSAN_OPTIONS=suppressions=$ROOT/tests/lsan.supp:print_suppressions=0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# trace RECORD... - a whole trace made of the given lines: the trace record
# before them, the end record with the number of ops after them.
trace() {
	local record ops=0
	printf '%s\n' '{"kind":"trace","format":"simfront-trace/1","model":"test","route":"export"}'
	for record; do
		case $record in
		'{"kind":"op"'*) ops=$((ops + 1)) ;;
		esac
		printf '%s\n' "$record"
	done
	printf '{"kind":"end","ops":%d}\n' "$ops"
}

# need_shared - skip the test where the shared data is missing.
need_shared() {
	[ -d "$SF_SHARED/data" ] || skip "no shared data in SF_SHARED"
}

# refute COMMAND... - the command must fail; a bare "! COMMAND" tests nothing,
# as bash does not end on it.
refute() {
	if "$@"; then
		return 1
	fi
}

# equal GOT WANT - like [ "$GOT" = "$WANT" ], but says what differs.
equal() {
	[ "$1" = "$2" ] && return
	printf 'got:  %s\nwant: %s\n' "$1" "$2"
	return 1
}

# one_line_error - the last run, made with --separate-stderr, printed exactly
# one line on standard error.
# shellcheck disable=SC2154 # set by run
one_line_error() {
	[ -n "$stderr" ] && [ "${#stderr_lines[@]}" -eq 1 ] && return
	printf 'stderr: %s\n' "$stderr"
	return 1
}

# help_of PROGRAM - what --help prints, an option a line.
help_of() {
	"$1" --help | sed -e ':a' -e 'N' -e '$!ba' -e 's/\n \{31\}/ /g'
}
