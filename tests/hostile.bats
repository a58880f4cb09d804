# Content is not markup: names that a model brings, in every place of a trace that
# takes a name, through every program that writes for people or other programs.

load helpers

hostile() {
	python3 "$ROOT/tests/hostile.py" "$@"
}

simulated() {
	hostile trace | sf-rules 2>rules.err | sf-cost -d h100 |
	    sf-lower -p edge-npu | sf-sim -t
}

# one_by_one - the traces that come in, in files of their own.
one_by_one() {
	awk '/^{"kind":"trace"/ { n++ } { print >sprintf("%02d.sft", n) }'
}

# bats test_tags=SF-18
@test "hostile names: a Markdown report stays as many tables as it has" {
	simulated >all.sim
	sf-report all.sim | hostile markdown
	sf-report --format md --top 40 all.sim | hostile markdown
}

@test "hostile names: a page has no element that is not a report's" {
	simulated >all.sim
	sf-report all.sim >page.md
	sf-report --format html all.sim >page.html
	"$ROOT/tests/page.py" tables page.html page.md
	hostile html <page.html
	# One page a trace, whose title has the name, too.
	one_by_one <all.sim
	n=0
	for file in ??.sft; do
		sf-report -f html "$file" >page.html
		"$ROOT/tests/page.py" shape page.html
		n=$((n + 1))
	done
	[ $n -gt 30 ]
}

# bats test_tags=SF-18
@test "hostile names: no cell of a CSV report is a formula or ends a row" {
	simulated | sf-report --format csv | hostile csv
}

@test "hostile names: JSON has them as they were" {
	simulated >all.sim
	sf-report --format json all.sim | hostile lines
	hostile lines <all.sim
}

@test "hostile names: a timeline for the viewers is JSON, a picture is SVG" {
	simulated | one_by_one
	for file in ??.sft; do
		sf-chrome "$file"
		printf '\0'
		sf-plot -o timeline.svg "$file"
		cat timeline.svg >>svg
		printf '\0' >>svg
	done >json
	hostile json <json
	hostile svg <svg
}

@test "hostile names: a message is one visible line" {
	hostile trace | one_by_one
	for file in ??.sft; do
		for program in "sf-rules --strict" "sf-cost -d h100" sf-chrome \
		    "sf-lower -p edge-npu" sf-sim "sf-ep --claim x" \
		    "sf-diff $file" "sf-plot -o x.svg"; do
			{ refute $program "$file" >out; } 2>&1
			printf '\0'
		done
	done >messages
	hostile message <messages
}

@test "hostile names: a file's name in a message" {
	for name in $'a\nb' $'\e[31m' $'\u0085' $'\u202e' $'\xff'; do
		run --separate-stderr sf-rules "./$name"
		equal "$status" 4
		printf '%s\n' "$stderr"
		run --separate-stderr sf-onnx "./$name"
		equal "$status" 4
		printf '%s\n' "$stderr"
	done >messages
	equal "$(wc -l <messages)" 10
	refute grep -aP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e-\xae]|\xff' \
	    messages
}

@test "hostile names: one of a million underscores takes no longer than others" {
	printf '{"kind":"op","i":0,"name":"my.%s","inputs":[],"outputs":[]}' \
	    "$(head -c 1000000 /dev/zero | tr '\0' _)" >record
	trace "$(cat record)" | timeout 60 sf-rules >counted 2>notes
	for command in sf-report 'sf-report --by op' 'sf-ep --claim x' \
	    'sf-report --format csv' 'sf-compare'; do
		timeout 60 $command <counted >out
		[ -s out ]
	done
}

# Each character stands a million times in every name that has a place in a
# picture; those that names are cut at are the worst.
@test "hostile names: a million breaks take no longer than others in a picture" {
	for c in _ . / : '[' ' '; do
		printf '{"kind":"op","i":0,"name":"aten.relu","node":"%s","module":"m%s","inputs":[{"tid":"x","shape":[4],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"y","shape":[4],"dtype":"f32","itemsize":4}]}' \
		    "$(head -c 1000000 /dev/zero | tr '\0' "$c")x" \
		    "$(head -c 100000 /dev/zero | tr '\0' "$c")x" >record
		trace "$(cat record)" | sf-rules | sf-lower -p edge-npu |
		    timeout 60 sf-sim -t >in
		timeout 60 sf-plot -o out.svg in
		timeout 60 sf-report --format html in >out.html
		[ -s out.html ]
	done
}

@test "hostile numbers: rates and times out of all range are refused, with their place" {
	trace '{"kind":"op","i":0,"name":"aten.relu","inputs":[{"tid":"x","shape":[4],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"y","shape":[4],"dtype":"f32","itemsize":4}]}' |
	    sf-rules | sf-cost -d h100 >costed
	for format in md json csv; do
		for change in 's/"flops_per_s":[0-9.e+]*/"flops_per_s":1e-308/' \
		    's/"time_s":[0-9.e+-]*/"time_s":1e308/'; do
			sed "$change" costed >in
			refute cmp -s in costed
			run -3 --separate-stderr sf-report --format $format in
			one_line_error
			[[ $stderr == *" is 1e"*"308, expected a number >= "* ]]
		done
	done
}

# The largest and the least number in the place of each that has a fraction.
@test "hostile numbers: no number of a record makes a report print what is none" {
	run -0 "$ROOT/tests/members.py" --doubles \
	    ${SF_SANITIZED:+--every 5}
	[[ $output == *" runs, 0 wrong" ]]
}

# One in so many of all; the whole of them is tests/members.py without an option.
@test "hostile members: every program takes each, or all refuse it in one line" {
	run -0 "$ROOT/tests/members.py" --every ${SF_SANITIZED:+1}199 --start 7
	[[ $output == *" runs, 0 wrong" ]]
}

# 10^12 layers of a decoder, or rounds of a router, are a trace without an end.
# 2^40 multiplies to what no machine holds, the others overflow in a product of
# two, doubled, and in a conversion from a fraction.
@test "hostile sizes: a model that is too large to write is refused" {
	local numbers="$((1 << 40)) $((1 << 62)) 9223372036854775807 1e308"
	local options

	[[ $SF_SANITIZED ]] || numbers+=" 3037000500 1844674407370955161 -1 0.5"
	for options in "--tokens 2" "--decode 2" "--route gpu --decode 2" \
	    "--route onnx --tokens 2" "--route compile --tokens 2"; do
		run -0 "$ROOT/tests/config-sizes.py" $numbers -- $options
		[[ $output == *" runs, 0 wrong" ]]
	done
}
