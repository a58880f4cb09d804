# What formats/simfront-trace-1.md and the rules of the stream ask of every
# program: each test here is one clause, and loops over all programs.

load helpers

# What each program does with a stream. A reducer writes a stream of its own
# records, to which ops do not go on. A document is one text for all traces, a
# picture goes to files and not to standard output; text is a program that reads
# no stream, torch needs PyTorch for more than the answers about itself. A
# program of bin/ that is not named here fails the first test. "pass" is the
# smallest filter, which shows what the library does of itself.
role_of() {
	case $1 in
	sf-onnx | sf-export | sf-compile | sf-dispatch | sf-model | sf-ntt | sf-scalesim | \
	    sf-timeloop)
		echo source ;;
	pass | sf-rules | sf-cost | sf-lower | sf-sim | sf-ep) echo filter ;;
	sf-report | sf-check) echo sink ;;
	sf-chrome | sf-calibrate | sf-compare) echo document ;;
	sf-sweep | sf-front) echo reducer ;;
	sf-plot) echo picture ;;
	sf-fifo | sf-ort) echo text ;;
	sf-diff) echo pair ;;
	sf-torch) echo torch ;;
	*) echo unknown ;;
	esac
}

# A command line of the program that does its usual job.
command_of() {
	case $1 in
	pass) echo "$SF_UNIT/pass" ;;
	sf-onnx) echo "sf-onnx $DATA/tiny-cnn.onnx" ;;
	sf-export) echo "sf-export $DATA/tiny-cnn.pt2" ;;
	sf-model) echo "sf-model gpt2" ;;
	sf-scalesim) echo "sf-scalesim $DATA/scalesim/conv.csv" ;;
	sf-timeloop) echo "sf-timeloop $DATA/timeloop/conv.yaml" ;;
	sf-dispatch) echo "sf-dispatch $DATA/profiles/train.et.json.gz" ;;
	sf-compile) echo "sf-compile $DATA/compile/infer.log" ;;
	sf-cost) echo "sf-cost --device h100" ;;
	sf-lower) echo "sf-lower --preset edge-npu" ;;
	sf-report) echo "sf-report --format json" ;;
	sf-compare) echo "sf-compare --format json" ;;
	sf-calibrate) echo "sf-calibrate --device h100 --format json" ;;
	sf-ep) echo "sf-ep --claim aten.mm,aten.relu" ;;
	sf-sweep) echo "sf-sweep -p edge-npu -g dram_bw=20GB/s,30GB/s" ;;
	sf-front) echo "sf-front --front makespan_s" ;;
	sf-ort) echo "sf-ort $DATA/tiny-cnn.ort-profile.json" ;;
	sf-plot) echo "sf-plot --output %d.svg" ;;
	*) echo "$1" ;;
	esac
}

# Turns a stream as a source writes it into one that the program takes.
prepare() {
	case $1 in
	sf-cost | sf-lower | sf-ep | sf-calibrate | sf-sweep) sf-rules ;;
	sf-front) sf-rules | sf-sweep -p edge-npu -g dram_bw=20GB/s,30GB/s ;;
	sf-sim | sf-check | sf-report | sf-compare) sf-rules | sf-lower --preset edge-npu ;;
	sf-plot | sf-chrome) sf-rules | sf-lower --preset edge-npu |
	    sf-sim --tiles ;;
	*) cat ;;
	esac
}

# The programs that play one of the given roles.
programs() {
	local source name role
	for source in pass "$ROOT"/bin/sf-*; do
		[ -e "$source" ] || [ "$source" = pass ] || continue
		name=$(basename "$source" .c)
		role=$(role_of "$name")
		case " $* " in
		*" $role "*) echo "$name" ;;
		esac
	done
}

readers() { programs filter sink document picture reducer; }

# Those that look into ops; pass needs nothing of them but that they are JSON.
op_readers() { readers | grep -vx 'pass\|sf-front'; }

# ---- streams ----

tensor() { # TID SHAPE DTYPE ITEMSIZE [MORE]
	printf '{"tid":"%s","shape":%s,"dtype":"%s","itemsize":%s%s}' \
	    "$1" "$2" "$3" "$4" "${5:-}"
}

x='{"tid":"x","shape":[64,32],"dtype":"f32","itemsize":4}'
w='{"tid":"w","shape":[32,16],"dtype":"f32","itemsize":4,"param":true}'
y='{"tid":"y","shape":[64,16],"dtype":"f32","itemsize":4}'
z='{"tid":"z","shape":[64,16],"dtype":"f32","itemsize":4}'
v='{"tid":"v","shape":[1024],"dtype":"f32","itemsize":4}'

mm='{"kind":"op","i":0,"name":"aten.mm","inputs":['$x,$w'],"outputs":['$y']}'
relu='{"kind":"op","i":1,"name":"aten.relu","inputs":['$y'],"outputs":['$z']}'
view='{"kind":"op","i":2,"name":"aten.view","inputs":['$z'],"outputs":['$v']}'
head='{"kind":"trace","format":"simfront-trace/1","model":"m","route":"export"'
tool='{"kind":"tool","tool":"sf-export","version":"9","args":["m.pt2"]}'

# Three operators, nothing unusual.
plain() {
	printf '%s\n' "$head,\"workload\":{\"batch\":1}}" "$tool" "$mm" "$relu" \
	    "$view" '{"kind":"end","ops":3}'
}

# The same with all that the page allows and no program knows.
unusual() {
	printf '%s\n' \
	    "{ \"kind\" : \"trace\", \"x\":1e999,\"format\":\"simfront-trace\\/1\",\"model\":\"\\u00fc ü\",\"route\":\"export\"} " \
	    "$tool" \
	    '{"kind":"tool","args":[],"version":"1","tool":"other","tool.x":{"kind":"op"}}' \
	    '{"kind":"acme","a":[[],{},"\ud83d\ude00",-0.0,1E+2,12345678901234567890123,null]}' \
	    '{"kind":""}' \
	    '{	"kind"	:	"note"	,"tool":"t","text":"\"quoted\"","text2":1}' \
	    "${mm%\}},\"acme.energy_j\":1.50e-3,\"attrs\":{\"a\":{\"b\":[1,2]}}} 	 " \
	    "{\"kind\":\"op\",\"outputs\":[$z],\"zz\":\"}\",\"inputs\":[ $y , null ],\"name\":\"aten.relu\",\"i\" : 1}" \
	    '{"kind":"acme","i":7}' \
	    "$view" \
	    '{"kind":"device2"}' \
	    '{"ops":9}' '{"kind":"end","note":"}","ops":3}' | grep -v '^{"ops"'
}

# A trace of N operators, 40 in a group.
long() {
	python3 - "$1" <<'EOP'
import sys
n = int(sys.argv[1])
t = '{"tid":"%s","shape":[64,%d],"dtype":"f32","itemsize":4}'
print('{"kind":"trace","format":"simfront-trace/1","model":"long",'
      '"route":"export"}')
for i in range(n):
    print('{"kind":"op","i":%d,"name":"aten.relu","inputs":[%s],"outputs":[%s]'
          ',"attrs":{"module":"layers.%d.block"}}' %
          (i, t % ("v%d" % (i - 1), 16), t % ("v%d" % i, 16), i // 40))
print('{"kind":"end","ops":%d}' % n)
EOP
}

# ---- what a run must look like ----

# ok PROGRAM [ARG...] - takes standard input, is quiet, and leaves `out`.
ok() {
	local command
	command=$(command_of "$1")
	shift
	$command "$@" >out 2>err || {
		echo "$command $*: status $?: $(cat err)"
		return 1
	}
	[ ! -s err ] || {
		echo "$command: not quiet: $(cat err)"
		return 1
	}
}

# refuses STATUS PLACE PROGRAM [ARG...] - ends with STATUS and one line that
# begins with the program's name and holds PLACE; no part of a line on stdout.
refuses() {
	local want=$1 place=$2 program=$3 command status=0
	command=$(command_of "$program")
	shift 3
	$command "$@" >out 2>err || status=$?
	if [ "$status" -ne "$want" ] || [ "$(wc -l <err)" -ne 1 ] ||
	    ! grep -qF "$program: $place" err; then
		echo "$command $*: status $status, expected $want and" \
		    "one line with '$program: $place':"
		cat err
		return 1
	fi
	if [ -s out ] && [ "$(tail -c 1 out | od -An -tx1)" != " 0a" ]; then
		echo "$command: part of a line on standard output"
		return 1
	fi
}

# An output that was cut must not read as a whole stream.
not_whole() {
	if [ -s out ] && [[ $(role_of "$1") =~ ^(filter|reducer)$ ]]; then
		refute "$SF_UNIT/pass" <out >/dev/null 2>&1
	fi
	if [ -s out ] && [ "$(role_of "$1")" = document ]; then
		refute jq -e . out >/dev/null 2>&1
	fi
}

# ---- the programs ----

@test "every program is known to these tests, has a page and a suite" {
	for source in "$ROOT"/bin/sf-*; do
		name=$(basename "$source" .c)
		echo "$name"
		[ "$(role_of "$name")" != unknown ]
		[ -e "$ROOT/docs/man/$name.1" ]
		[ -e "$ROOT/tests/$name.bats" ]
	done
}

@test "the version names the commit, and a trace the release alone" {
	version=$(sed -n 's/^VERSION *= *//p' "$ROOT/Makefile")
	[ -e "$ROOT/.git" ] && commit=$(git -C "$ROOT" rev-parse --short=7 HEAD 2>/dev/null) ||
	    skip "no checkout"
	run -0 sf-rules --version
	# The build may be of an earlier commit, or of a release.
	echo "$output, now $commit"
	shopt -s extglob
	[[ $output == "sf-rules (simfront) $version"?(" ("+([A-Za-z0-9._+-])")") ]]
	# A trace says the release: two builds of one release give the same bytes.
	equal "$(sf-model gpt2 -t 4 | sf-rules | jq -r 'select(.kind=="tool").version' | sort -u)" "$version"
}

@test "--help and --version answer on standard output and exit 0" {
	version=$(sed -n 's/^VERSION *= *//p' "$ROOT/Makefile")
	for program in $(programs source filter sink document picture reducer text \
	    pair torch); do
		name=$(command_of "$program")
		for option in --help -h; do
			run -0 --separate-stderr ${name%% *} $option
			[[ $output == "usage: $program "* ]]
			equal "$stderr" ""
		done
		for option in --version -V; do
			run -0 --separate-stderr ${name%% *} $option
			# Behind it the commit, where there is one.
			[[ $output == "$program (simfront) $version"?(" ("+([A-Za-z0-9._+-])")") ]]
			equal "$stderr" ""
		done
	done
}

@test "options that cannot be meant exit 2 with one line" {
	for program in $(programs source filter sink document picture reducer text \
	    pair torch); do
		for wrong in --no-such-option --no-such=1 -% --help=yes \
		    --versio; do
			refuses 2 "" "$program" "$wrong" </dev/null
			equal "$(cat out)" ""
		done
	done
}

# ---- 1: streams concatenate ----

@test "concatenated traces are taken one after the other" {
	for program in $(readers); do
		plain | prepare "$program" >a
		unusual | prepare "$program" >b
		ok "$program" <a && mv out a.out
		ok "$program" <b && mv out b.out
		cat a b a | ok "$program"
		[ "$(role_of "$program")" = document ] ||
		    cat a.out b.out a.out | cmp - out
	done
}

@test "files are read one after the other, and - is standard input" {
	for program in $(readers); do
		plain | prepare "$program" >a
		# Only the recorded arguments may differ.
		ok "$program" a - a <a
		sed 's/"args":\[[^]]*\]/"args":[]/' out >want
		cat a a a | ok "$program"
		sed 's/"args":\[[^]]*\]/"args":[]/' out | cmp want -
	done
}

@test "an input without a trace is refused" {
	for program in $(readers); do
		refuses 3 "<stdin>: no trace" "$program" </dev/null
		equal "$(cat out)" ""
		: >empty
		refuses 3 "empty: no trace" "$program" empty
	done
}

# A loop's turn that failed is told from a shorter loop.
# bats test_tags=SF-16
# silent STATUS COMMAND - fails with that status; what it says is in `said`.
silent() {
	local status=0
	eval "$2" 2>said >out || status=$?
	[ "$status" = "$1" ] && [ ! -s out ] || {
		echo "$2: status $status: $(cat said out)"
		return 1
	}
}

@test "a pipe that brought nothing is handed on without a word, but by the last" {
	local command line
	for program in $(readers); do
		command=$(command_of "$program")
		line="$program: <stdin>: no trace in the input"
		[ "$program" != pass ] || line="pass: <stdin>: no trace in the input"
		set -o pipefail
		if [ "$(role_of "$program")" = filter ]; then
			silent 3 "false | $command | cat"
			equal "$(cat said)" ''
			# What comes is no trace, though it is short.
			for text in '\n' ' ' '{}' '\x1f\x8b'; do
				silent 3 "printf '$text' | $command | cat" ||
				    silent 4 "printf '$text' | $command | cat"
				equal "$(wc -l <said)" 1
			done
		else
			silent 3 "false | $command | cat"
			equal "$(cat said)" "$line"
		fi
		set +o pipefail
		# The last of a pipeline, and one without a pipe.
		silent 3 "false | $command >file"
		equal "$(cat said)" "$line"
		silent 3 "$command </dev/null | cat >file; (exit \"\${PIPESTATUS[0]}\")"
		equal "$(cat said)" "$line"
	done
}

@test "a pipeline whose source fails has the line of that and of its end" {
	silent 3 "sf-onnx missing.onnx | sf-rules | sf-lower -p edge-npu | sf-sim | sf-report"
	equal "$(cat said | sort)" "sf-onnx: missing.onnx: No such file or directory
sf-report: <stdin>: no trace in the input"
	set -o pipefail
	silent 3 "sf-onnx missing.onnx | sf-rules | jq ."
	equal "$(cat said)" "sf-onnx: missing.onnx: No such file or directory"
}

@test "with --traces the input has that many traces" {
	for program in $(readers); do
		plain | prepare "$program" >one
		cat one one >two
		words=$(command_of "$program")
		$words --traces 2 two >want
		cat two | $words --traces 2 >got
		$words --traces 2 one one >files
		cmp want got
		cmp want files
		refuses 3 "two:$(($(wc -l <one) + 1)): a trace more than the 1 of '--traces'" \
		    "$program" --traces 1 two
		refuses 3 "<stdin>: 2 traces in the input, expected the 3 of '--traces'" \
		    "$program" --traces 3 <two
		refuses 2 "option '--traces'" "$program" --traces 0 two
	done
}

@test "a byte order mark and an empty line are named" {
	for program in $(readers); do
		plain | prepare "$program" >in
		{ printf '\357\273\277' && cat in; } >marked
		refuses 3 "marked:1: column 1: a byte order mark" "$program" marked
		sed '2s/^/\n/' in >gap
		refuses 3 "gap:2: an empty line, expected a record; 'grep .'" \
		    "$program" gap
	done
}

# ---- 2: a trace is whole or it is an error ----

# bats test_tags=SF-16
@test "a stream that is cut at any record is refused" {
	for program in $(readers); do
		unusual | prepare "$program" >in
		records=$(wc -l <in)
		for ((n = 1; n < records; n++)); do
			head -n "$n" in >cut
			refuses 3 "<stdin>:$((n + 1)): " "$program" <cut
			not_whole "$program"
		done
		for ((n = 2; n <= records; n++)); do
			tail -n +"$n" in >cut
			refuses 3 "<stdin>:1: " "$program" <cut
		done
	done
}

# bats test_tags=SF-16
@test "a stream that is cut inside a record is refused" {
	echo >lf
	for program in $(readers); do
		plain | prepare "$program" >in
		size=$(wc -c <in)
		for ((n = 1; n < size - 2; n += 41)); do
			head -c "$n" in >cut
			line=$(($(wc -l <cut) + 1))
			# Where only the LF is missing the record is whole.
			head -c $((n + 1)) in | tail -c 1 | cmp -s - lf &&
			    line=$((line + 1))
			refuses 3 "<stdin>:$line: " "$program" <cut
			not_whole "$program"
		done
	done
}

@test "a trace that is cut behind a whole one is refused" {
	for program in $(readers); do
		plain | prepare "$program" >in
		lines=$(wc -l <in)
		{ cat in && head -n 3 in; } >cut
		refuses 3 "<stdin>:$((lines + 4)): " "$program" <cut
		not_whole "$program"
		{ head -n 3 in && cat in; } >cut
		refuses 3 "<stdin>:4: a trace begins" "$program" <cut
	done
}

# bats test_tags=SF-16
@test "a wrong count in the end record is refused" {
	for program in $(readers); do
		plain | prepare "$program" >in
		last=$(wc -l <in)
		for end in '"ops":2' '"ops":4' '"ops":7' '"ops":-3' '"ops":3.0' \
		    '"ops":"3"' '"ops":null' '"ops":9223372036854775808' \
		    '"ops":18446744073709551619' '"op":3' '"ops":3,"ops":3' \
		    '"ops":3,"points":1'; do
			sed "\$s/\"ops\":[03]\(,\"points\":2\)\?/$end/" in >wrong
			refuses 3 "<stdin>:$last: " "$program" <wrong
			not_whole "$program"
		done
		sed '$d' in >wrong
		printf '{"kind":"end"}\n' >>wrong
		refuses 3 "<stdin>:$last: " "$program" <wrong
		# An op less, and an op more.
		grep -vF "$(grep -E '"kind":"(op|point)"' in | tail -n 1)" \
		    in >wrong
		refuses 3 "<stdin>:$((last - 1)): " "$program" <wrong
	done
}

@test "a record behind the end is refused" {
	for program in $(readers); do
		plain | prepare "$program" >in
		for more in '{"kind":"end","ops":3}' '{"kind":"acme"}' "$mm" "$tool"; do
			{ cat in && echo "$more"; } >wrong
			refuses 3 "<stdin>:$(wc -l <wrong): a record outside" \
			    "$program" <wrong
		done
	done
}

@test "a tool record behind a record of another kind is refused" {
	for program in $(readers); do
		plain | prepare "$program" >in
		line=$(grep -nE '"kind":"(op|point)","i":0' in | cut -d: -f1)
		sed "${line}a $tool" in >behind-op
		sed "${line}i {\"kind\":\"acme\"}\n$tool" in >behind-other
		for wrong in behind-op behind-other; do
			refuses 3 "<stdin>:$((line + 1)): a 'tool' behind another" \
			    "$program" <"$wrong"
		done
	done
}

@test "a trace record that says too little is refused by all programs" {
	for program in $(readers); do
		for member in model route; do
			plain | prepare "$program" |
				sed -E "1s/,\"$member\":\"[^\"]*\"//" >wrong
			refuses 3 "<stdin>:1: trace: '$member' is missing" \
				"$program" <wrong
		done
	done
}

@test "another format is refused" {
	for program in $(readers); do
		plain | prepare "$program" >in
		for format in simfront-trace/2 simfront-trace/10 "" x; do
			sed "1s,simfront-trace/1,$format," in >wrong
			refuses 3 "<stdin>:1: trace: 'format' is \"$format\"" \
			    "$program" <wrong
		done
		sed '1s/"format"/"format":"simfront-trace\/1","format"/' in >wrong
		refuses 3 "<stdin>:1: trace: 'format' is there twice" \
			"$program" <wrong
		sed '1s/"format"/"form"/' in >wrong
		refuses 3 "<stdin>:1: " "$program" <wrong
	done
}

@test "gzip data that is cut short or damaged is refused" {
	for program in $(readers); do
		plain | prepare "$program" | gzip -n >in.gz
		size=$(wc -c <in.gz)
		for ((n = 2; n < size; n += 23)); do
			head -c "$n" in.gz >cut
			refuses 3 "<stdin>:" "$program" <cut
			not_whole "$program"
		done
		{ head -c 60 in.gz && head -c 8 /dev/zero && tail -c +69 in.gz; } >cut
		refuses 3 "<stdin>:" "$program" <cut
	done
}

# ---- 3: what is not known passes byte for byte ----

# bats test_tags=SF-17
# A step back through a layer whose input needs no gradient, and what reads it;
# with NULL, each result stands at its place and some are left out at the end.
backwards() { # [NULL]
	local first=${1:+null,} more=${1:+,null}
	local gw gb wt
	gw=$(tensor gw '[32,64]' f32 4) gb=$(tensor gb '[32]' f32 4)
	wt=$(tensor gt '[64,32]' f32 4)
	printf '%s\n' "$head}" "$tool" \
	    "$(edit_op "$mm" "\"outputs\":[$y$more]")" \
	    "$(edit_op "$relu" "\"outputs\":[$z$more$more]")" \
	    '{"kind":"op","i":2,"name":"aten.linear_backward","inputs":['"$(tensor in '[16,64]' f32 4),$(tensor g '[16,32]' f32 4),$(tensor lw '[32,64]' f32 4 ',"param":true')"'],"outputs":['"$first$gw,$gb"'],"attrs":{"output_mask":[false,true,true]}}' \
	    '{"kind":"op","i":3,"name":"aten.t","inputs":['"$gw"'],"outputs":['"$wt$more"']}' \
	    '{"kind":"op","i":4,"name":"aten.mul","inputs":['"$wt,$gb"'],"outputs":['"$(tensor e '[64,32]' f32 4)"']}' \
	    '{"kind":"end","ops":5}'
}

# edit_op OP OUTPUTS - the op with other outputs.
edit_op() { printf '%s\n' "${1%%,\"outputs\"*},$2}"; }

@test "a result that is not wanted is null, and changes nothing else" {
	backwards >without
	backwards null >with
	cat without with | "$ROOT/tests/law.py" --strict
	equal "$(grep -o null with | wc -l)" 5
	# The weight's gradient: 2 x 32 x 16 x 64; the bias's: 16 x 32.
	equal "$(sf-rules with | jq 'select(.i==2).flops')" $((2*32*16*64 + 16*32))
	for program in $(readers); do
		echo "$program"
		for twin in without with; do
			mkdir -p "$program.$twin"
			prepare "$program" <$twin >"$program.$twin/in"
			(cd "$program.$twin" &&
			    $(command_of "$program") <in >out && rm in)
			sed -i 's/,null//g; s/null,//g' "$program.$twin"/*
		done
		diff -r "$program.without" "$program.with"
	done
	sf-rules without >counted.without
	sf-rules with >counted.with
	sf-diff counted.without counted.with
}

@test "records and members that nobody knows pass byte for byte" {
	for program in $(programs filter); do
		unusual | prepare "$program" >in
		ok "$program" <in
		"$ROOT/tests/passed.py" "$program" in out
		cat in in >twice
		ok "$program" <twice
		"$ROOT/tests/passed.py" "$program" twice out
	done
}

# bats test_tags=SF-17
@test "each filter adds one tool record, behind those that are there" {
	for program in $(programs filter); do
		plain | prepare "$program" >in
		ok "$program" <in
		tools=$(grep -c '^{"kind":"tool"' in)
		equal "$(grep -c '^{"kind":"tool"' out)" $((tools + 1))
		equal "$(grep '^{"kind":"tool"' out | tail -n 1 | jq -r .tool)" \
		    "$program"
		equal "$(sed -n "$((tools + 2))p" out | jq -r .tool)" "$program"
		# Without any tool before it, it is the first; and so it is
		# in a trace of no ops at all.
		printf '%s\n' "$head}" '{"kind":"end","ops":0}' |
		    prepare "$program" | grep -v '^{"kind":"tool"' >in
		ok "$program" <in
		equal "$(sed -n 2p out | jq -r .tool)" "$program"
	done
}

@test "the output of every filter keeps the law" {
	for program in $(programs filter); do
		plain | prepare "$program" >in
		ok "$program" <in
		"$ROOT/tests/law.py" --strict <out
		unusual | prepare "$program" >in
		ok "$program" <in
		"$ROOT/tests/law.py" <out
	done
	for program in $(programs source); do
		ok "$program" </dev/null
		"$ROOT/tests/law.py" --strict <out
	done
}

# ---- 4: the same input, the same bytes; integers are exact ----

# bats test_tags=SF-18
@test "the output does not depend on place, locale, time zone or reads" {
	mkdir -p other/place
	for program in $(programs source filter sink document text); do
		unusual | prepare "$program" >in
		ok "$program" <in
		mv out once
		ok "$program" <in
		cmp once out
		(cd other/place && LC_ALL=C.UTF-8 LANG=tr_TR TZ=Asia/Tokyo \
		    HOME=/nowhere COLUMNS=20 ok "$program" <../../in)
		cmp once other/place/out
		# Small reads, cut anywhere.
		dd bs=7 status=none <in | ok "$program"
		cmp once out
	done
}

@test "no directory of a file gets into the output" {
	mkdir -p deep/er
	for program in $(readers); do
		plain | prepare "$program" >deep/er/in
		ok "$program" "$PWD/deep/er/in"
		refute grep -q 'deep\|/er' out
	done
	for program in $(programs source); do
		ok "$program" </dev/null
		refute grep -qF "$ROOT" out
	done
}

@test "integers are exact up to 2^63-1, and refused beyond" {
	for program in $(op_readers); do
		# 2^63-1 elements of a byte in a view, which costs nothing.
		big='{"tid":"b","shape":[9223372036854775807],"dtype":"i8","itemsize":1}'
		printf '%s\n' "$head}" \
		    '{"kind":"op","i":0,"name":"aten.view","inputs":['"$big"'],"outputs":['"$big"'],"attrs":{"n":9223372036854775807}}' \
		    '{"kind":"end","ops":1}' >raw
		prepare "$program" <raw >in
		ok "$program" <in
		if [ "$(role_of "$program")" = filter ]; then
			"$ROOT/tests/passed.py" "$program" in out
		fi
		last=$(grep -n '"kind":"op"' in | cut -d: -f1)
		sed 's/9223372036854775807\]/9223372036854775808]/' in >wrong
		refuses 3 "<stdin>:$last: " "$program" <wrong
		sed 's/\[9223372036854775807\]/[9223372036854775807,2]/' in >wrong
		refuses 3 "<stdin>:$last: " "$program" <wrong
		sed 's/\[9223372036854775807\]/[4294967296,4294967296]/' in >wrong
		refuses 3 "<stdin>:$last: " "$program" <wrong
		sed 's/\[9223372036854775807\]/[18446744073709551617]/' in >wrong
		refuses 3 "<stdin>:$last: " "$program" <wrong
		# A size of 0 makes it nothing, whatever the others are.
		sed 's/\[9223372036854775807\]/[9223372036854775807,2,0]/' in >zero
		ok "$program" <zero
	done
}

# ---- 5: quiet on success, one line on an error ----

@test "what is no record is refused with its line" {
	for program in $(readers); do
		plain | prepare "$program" >in
		for wrong in '' ' ' '[]' '17' '"kind"' 'null' '{}' '{"kind":1}' \
		    '{"kind":null}' '{"i":0,"kind":"op"}' '{"kind":"op"' \
		    '{"kind":"op"}}' '{"kind":"op"} x' '{"kind":"op",}' \
		    '{"kind":"acme" "a":1}' '{"kind":"acme","a":}' \
		    '{"kind":"acme","a":01}' '{"kind":"acme","a":.5}' \
		    '{"kind":"acme","a":+1}' '{"kind":"acme","a":NaN}' \
		    '{"kind":"acme","a":tru}' '{"kind":"acme","a":[1,]}' \
		    '{"kind":"acme","a":[1 2]}' '{"kind":"acme",a:1}' \
		    "{'kind':'acme'}" '{"kind":"acme","a":"\x"}' \
		    '{"kind":"acme","a":"\u12g4"}' '{"kind":"acme","a":"' \
		    $'{"kind":"acme","a":"\t"}' $'{"kind":"acme","a":"\x01"}' \
		    $'\xef\xbb\xbf{"kind":"acme"}' '{"kind":"acme"}{"kind":"acme"}' \
		    '// comment'; do
			{ head -n 2 in; printf '%s\n' "$wrong"; tail -n +3 in; } >bad
			refuses 3 "<stdin>:3: " "$program" <bad
			not_whole "$program"
		done
	done
}

@test "text that is not UTF-8 is refused with its line" {
	for program in $(readers); do
		plain | prepare "$program" >in
		for wrong in '\xff' '\xc3' '\xc0\x80' '\xed\xa0\x80' '\xf4\x90\x80\x80' \
		    '\x80'; do
			{ head -n 2 in
			printf '{"kind":"acme","a":"%b"}\n' "$wrong"
			tail -n +3 in; } >bad
			refuses 3 "<stdin>:3: the line is not UTF-8" "$program" <bad
		done
	done
}

# Those that say which trace they read.
trace_readers() { readers | grep -e 'sf-report' -e plot -e chrome; }

@test "a trace record that is not one is refused with its line" {
	for program in $(trace_readers); do
		plain | sed '1s/}}$/},"params":{"count":1,"bytes":4}}/' |
		    prepare "$program" >in
		ok "$program" <in
		for edit in 's/"model":"m"/"model":7/' 's/"model":"m"/&,&/' \
		    's/"model":"m"/"model":"\\ud800"/' 's/"route":"export"/&,&/' \
		    's/"route":"export"/"route":null/' \
		    's/"model":"m",//' 's/,"route":"export"//' 's/"batch":1/"batch":1.5/' \
		    's/"batch":1/"batch":"1"/' 's/"batch":1/&,&/' \
		    's/{"batch":1}/[1]/' 's/"workload":{"batch":1}/&,&/' \
		    's/"count":1/"count":-1/' 's/"count":1/&,&/' \
		    's/"count":1,//' 's/,"bytes":4//' 's/"bytes":4/"bytes":4.0/' \
		    's/"params":/"params":7,"params":/' \
		    's/"bytes":4/"bytes":9223372036854775808/'; do
			sed "1$edit" in >bad
			refute cmp -s in bad
			refuses 3 "<stdin>:1: " "$program" <bad
		done
	done
}

@test "an op that is not one is refused with its line" {
	for program in $(op_readers); do
		plain | prepare "$program" >in
		line=$(grep -n '"kind":"op","i":0' in | cut -d: -f1)
		for edit in 's/"i":0/"i":1/' 's/"i":0/"i":"0"/' 's/"i":0/"i":-1/' \
		    's/"i":0/"i":0,"i":0/' 's/"i":0,//' 's/"name"/"nam"/' \
		    's/"inputs"/"input"/' 's/"outputs"/"output"/' \
		    's/"inputs":\[/"inputs":[7,/' 's/"inputs":\[/"inputs":[[],/' \
		    's/"tid":"x"/"tid":null/' 's/"tid":"x",//' \
		    's/\[64,32\]/[64,-32]/' 's/\[64,32\]/[64,32.5]/' \
		    's/\[64,32\]/[64,true]/' 's/\[64,32\]/64/' \
		    's/"shape":\[64,32\],//' 's/"f32"/"float32"/' \
		    's/"dtype":"f32",//' 's/"itemsize":4/"itemsize":2/' \
		    's/"itemsize":4/"itemsize":"4"/' 's/"param":true/"param":1/' \
		    's/"name":"aten.mm"/"name":7/' \
		    's/"tid":"x"/"tid":"x","tid":"x"/' \
		    's/"shape":\[64,32\]/&,&/' 's/"dtype":"f32"/&,&/' \
		    's/"itemsize":4/&,&/' 's/"param":true/&,&/' \
		    's/"param":true/&,"stored":-1/' \
		    's/"param":true/"stored":1/' \
		    's/"param":true/"read":1/' \
		    's/"name":"aten.mm"/"name":"aten.mm","name":"aten.mm"/'; do
			sed "${line}$edit" in >bad
			refute cmp -s in bad
			refuses 3 "<stdin>:$line: " "$program" <bad
		done
	done
}

@test "a very long line and deep nesting are taken, or refused by name" {
	for program in $(readers); do
		plain | prepare "$program" >in
		line=$(grep -nE '"kind":"(op|point)","i":0' in | cut -d: -f1)
		{ head -n $((line - 1)) in
		printf '{"kind":"acme","a":"'
		head -c 20000000 /dev/zero | tr '\0' x
		printf '"}\n'
		printf '{"kind":"acme","a":%s%s}\n' "$(printf '[%.0s' {1..500})" \
		    "$(printf ']%.0s' {1..500})"
		tail -n "+$line" in; } >odd
		ok "$program" <odd
		if [ "$(role_of "$program")" = filter ]; then
			"$ROOT/tests/passed.py" "$program" odd out
		fi
		{ head -n $((line - 1)) in
		printf '{"kind":"acme","a":'
		head -c 1000000 /dev/zero | tr '\0' '['
		printf '\n'
		tail -n "+$line" in; } >bad
		refuses 3 "<stdin>:$line: " "$program" <bad
		grep -q nest err
	done
}

@test "standard output that is full, or closed, exits 4" {
	for program in $(programs source filter sink document text); do
		plain | prepare "$program" >in
		command=$(command_of "$program")
		for to in /dev/full closed; do
			status=0
			if [ $to = closed ]; then
				$command <in 2>err >&- || status=$?
			else
				$command <in 2>err >/dev/full || status=$?
			fi
			equal "$status" 4
			equal "$(wc -l <err)" 1
			grep -q "^$program: <stdout>: " err
		done
		for option in --help --version; do
			status=0
			${command%% *} $option >/dev/full 2>err || status=$?
			equal "$status" 4
			equal "$(wc -l <err)" 1
		done
	done
}

@test "standard output that is full is seen in a long stream, too" {
	long 3000 >raw
	for program in $(programs filter); do
		prepare "$program" <raw >in
		status=0
		$(command_of "$program") <in >/dev/full 2>err || status=$?
		equal "$status" 4
		equal "$(wc -l <err)" 1
	done
}

@test "input that cannot be read exits 4" {
	for program in $(readers); do
		refuses 4 "no/such/file: " "$program" no/such/file
		refuses 4 "<stdin>: " "$program" <.
		refuses 4 ".: " "$program" .
	done
}

@test "a reader that has gone ends every program in silence" {
	long 3000 >raw
	for program in $(programs source filter sink document text); do
		prepare "$program" <raw >in
		for how in default ignore; do
			run -0 --separate-stderr "$ROOT/tests/no-reader.py" $how \
			    $(command_of "$program") <in
			equal "$output" -13
			equal "$stderr" ""
		done
	done
}

# ---- 7: gzip is read as it is ----

@test "gzip input gives the bytes that plain input gives" {
	for program in $(readers); do
		unusual | prepare "$program" >in
		ok "$program" <in
		mv out want
		gzip -n <in | ok "$program"
		cmp want out
		# Members in a row, and plain text behind them.
		cat in in in | ok "$program"
		mv out want
		{ gzip -n <in; gzip -n9 <in; cat in; } >mixed
		ok "$program" <mixed
		cmp want out
		dd bs=3 status=none <mixed | ok "$program"
		cmp want out
	done
}

@test "a last line without its LF is taken" {
	for program in $(readers); do
		plain | prepare "$program" >in
		ok "$program" <in
		mv out want
		head -c -1 in >short
		ok "$program" <short
		cmp want out
	done
}

@test "carriage returns are white space" {
	for program in $(readers); do
		plain | prepare "$program" | sed 's/$/\r/' >in
		ok "$program" <in
		if [ "$(role_of "$program")" = filter ]; then
			"$ROOT/tests/passed.py" "$program" in out
		fi
	done
}

# bats test_tags=SF-20
@test "what passes the limit on memory ends in one line" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	long 5 >raw
	for program in $(readers); do
		prepare "$program" <raw >in
		SIMFRONT_MEMORY=1GiB $(command_of "$program") <in >limited
		$(command_of "$program") <in >free
		cmp limited free
		# A record that is 64 MB, and little of it in a file.
		{
			head -n 1 in
			printf '{"kind":"x","text":"'
			head -c 64000000 /dev/zero | tr '\0' a
			printf '"}\n'
			tail -n +2 in
		} | gzip -1 >bomb
		SIMFRONT_MEMORY=24MiB run --separate-stderr \
		    $(command_of "$program") <bomb
		equal "$status" 4
		equal "$stderr" "$program: out of memory"
	done
}

@test "a limit on memory that is none is named" {
	for program in $(readers); do
		for wrong in x 10 -1MiB 1e300 1GiB/s; do
			SIMFRONT_MEMORY=$wrong run --separate-stderr \
			    $(command_of "$program") </dev/null
			equal "$status" 2
			one_line_error
			[[ $stderr == "$program: SIMFRONT_MEMORY: found '$wrong', expected "* ]]
		done
	done
}

@test "memory does not grow with the stream" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	long 20000 >raw
	# Once a large array is freed malloc takes the next ones from its heap, where
	# they leave gaps that fit no other: sf-check grows by 1.8 MiB at its fourth
	# trace and never again, and not at all where such arrays are always mapped.
	export GLIBC_TUNABLES=glibc.malloc.mmap_threshold=65536
	for program in $(readers); do
		prepare "$program" <raw >in
		# What the first trace freed lies about when the second comes.
		cat in in >few
		run -0 $SF_UNIT/peak $(command_of "$program") <few
		few=$output
		cat in in in in in in >six
		run -0 $SF_UNIT/peak $(command_of "$program") <six
		echo "$program: $few KiB for the first traces, $output KiB for six"
		[ "$output" -lt $((few + 1024)) ]
		# sf-ep says of a trace what only its end tells.
		if [ "$program" = sf-ep ]; then
			[ "$few" -lt $((20000 * 2 + 4096)) ]
		elif [ "$(role_of "$program")" = filter ]; then
			[ "$few" -lt 16384 ]
		fi
	done
}

# What a program may keep of each operator of a trace that has not ended, in
# bytes; docs/spec.md says why. The operators are those of `long`, with one input
# and one output.
kept_of() {
	case $1 in
	sf-lower | sf-plot | sf-sweep) echo 256 ;;
	sf-check) echo 600 ;;
	sf-compare) echo 1024 ;;
	sf-ep) echo 2500 ;;
	*) echo 24 ;;
	esac
}

# bats test_tags=SF-20
@test "within one trace memory grows by what a program must know of an operator" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	long 10000 >few
	long 50000 >many
	for program in $(readers); do
		[ "$program" != sf-front ] || continue
		prepare "$program" <few >a
		prepare "$program" <many >b
		least=$("$SF_UNIT/peak" $(command_of "$program") <a)
		most=$("$SF_UNIT/peak" $(command_of "$program") <b)
		echo "$program: $(((most - least) * 1024 / 40000)) bytes an operator"
		[ $(((most - least) * 1024 / 40000)) -le "$(kept_of "$program")" ]
	done
}
