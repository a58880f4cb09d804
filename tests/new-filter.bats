# The recipe of docs/new-filter.md: its filter is built as the page says and does
# what the page says.

load helpers

setup_file() {
	awk '/^```c$/ { on = 1; next } /^```$/ { if (on) exit } on' \
		"$ROOT/docs/new-filter.md" >"$BATS_FILE_TMPDIR/sf-intensity.c"
	gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$ROOT/lib" \
		${SF_SANITIZED:+-fsanitize=address,undefined} \
		-o "$BATS_FILE_TMPDIR/sf-intensity" \
		"$BATS_FILE_TMPDIR/sf-intensity.c" \
		"${SF_BIN%/bin}/lib/libsimfront.a" -lz -lm
}

counted='{"kind":"op","i":0,"name":"aten.mm","inputs":[],"outputs":[],"category":"matmul","flops":12,"bytes_read":6,"bytes_written":2,"weight_bytes":0}'

@test "the recipe's filter adds the intensity and passes the rest" {
	trace "$counted" '{"kind":"other"}' >in
	run -0 --separate-stderr "$BATS_FILE_TMPDIR/sf-intensity" in
	equal "$(jq -c 'select(.kind=="op").intensity' <<<"$output")" 1.5
	equal "$(jq -r 'select(.kind=="tool").tool' <<<"$output")" sf-intensity
	equal "$(grep -c '^{"kind":"other"}$' <<<"$output")" 1
}

@test "the recipe's filter refuses a trace that is not counted" {
	trace '{"kind":"op","i":0,"name":"aten.mm","inputs":[],"outputs":[]}' >in
	run -3 --separate-stderr "$BATS_FILE_TMPDIR/sf-intensity" in
	one_line_error
	equal "$stderr" "sf-intensity: in:2: op 0 'aten.mm': is not counted, expected a trace from sf-rules"
}

@test "the recipe's filter run twice refuses the member that it wrote" {
	trace "$counted" >in
	"$BATS_FILE_TMPDIR/sf-intensity" in >once
	run -3 --separate-stderr "$BATS_FILE_TMPDIR/sf-intensity" once
	one_line_error
	equal "$stderr" "sf-intensity: once:3: op 0: 'intensity' is there already, expected an op without it"
}

@test "a member is there already however it is spelled, and only at the top" {
	for spelled in '"\u0069ntensity":0' '"in\u0074ensity" : {}' \
	    ' "intensity":null'; do
		trace "${counted%\}},$spelled}" >in
		run -3 --separate-stderr "$BATS_FILE_TMPDIR/sf-intensity" in
		equal "$stderr" "sf-intensity: in:2: op 0: 'intensity' is there already, expected an op without it"
	done
	for inside in '"x":{"intensity":1}' '"x":"\"intensity\":1"' \
	    '"x":[{"intensity":[]}]' '"intensity_":1'; do
		trace "${counted%\}},$inside}" >in
		equal "$("$BATS_FILE_TMPDIR/sf-intensity" in |
		    jq -c 'select(.kind=="op").intensity')" 1.5
	done
}
