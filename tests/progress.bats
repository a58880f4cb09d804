# Long programs say on a terminal how far they are, and leave nothing behind.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	python3 -c 'import pty, os; os.close(pty.openpty()[0])' 2>/dev/null ||
	    skip "no pseudo-terminals"
}

# on_terminal COMMAND - standard error is one; what was written there.
on_terminal() {
	python3 - "$1" <<'EOP'
import os, pty, subprocess, sys
ours, theirs = pty.openpty()
process = subprocess.Popen(["bash", "-c", sys.argv[1]], stderr=theirs,
                           stdin=subprocess.DEVNULL)
os.close(theirs)
seen = b""
while True:
    try:
        some = os.read(ours, 4096)
    except OSError:
        break
    if not some:
        break
    seen += some
sys.stdout.buffer.write(seen)
sys.exit(process.wait())
EOP
}

# slowly N - a trace whose operators come one by one, for N tenths of a second.
slowly() {
	python3 - "$1" <<'EOP'
import sys, time
n = int(sys.argv[1])
print('{"kind":"trace","format":"simfront-trace/1","model":"m","route":"export"}')
for i in range(n):
    print('{"kind":"op","i":%d,"name":"aten.relu","inputs":[],"outputs":[]}' % i,
          flush=True)
    time.sleep(0.1)
print('{"kind":"end","ops":%d}' % n)
EOP
}

export -f slowly

@test "a program that reads for long says so on a terminal, and takes it away" {
	for program in sf-rules sf-report; do
		on_terminal "slowly 45 | $program >out" >seen
		run -0 grep -cE 'operators, [0-9]+/s' seen
		[ "$(wc -l <seen)" = 0 ]
		# At last the line is empty.
		equal "$(tail -c 4 seen | od -An -c | tr -s ' ')" ' \r 033 [ K'
		[ -s out ]
	done
}

# late FILE - its bytes, later than a program that is over soon has ended.
late() {
	sleep 3.6
	cat "$1"
}

export -f late

# inputs - of all kinds.
inputs() {
	sf-onnx "$DATA/tiny-cnn.onnx" >raw
	sf-rules raw >counted
	sf-cost -d h100 counted >costed
	sf-lower -p edge-npu counted >lowered
	sf-sim --tiles lowered >tiles
	sf-sweep -p edge-npu -g cores=1,2 counted >sweep
	sf-dispatch "$DATA/profiles/train.kineto.json.gz" | sf-rules >measured
}

# commands - for each program one that takes longer than two seconds: what it
# reads comes late, or there is that much to do.
commands() {
	cat <<-END
		sf-calibrate late measured | sf-calibrate -d h100
		sf-check     late lowered | sf-check
		sf-chrome    late tiles | sf-chrome
		sf-compare   late costed | sf-compare - costed
		sf-compile   late $DATA/compile/infer.log | sf-compile -
		sf-cost      late counted | sf-cost -d h100
		sf-diff      late counted | sf-diff - counted
		sf-dispatch  late $DATA/profiles/train.et.json.gz | sf-dispatch -
		sf-ep        late counted | sf-ep --claim Conv
		sf-export    late $DATA/tiny-cnn.pt2 | sf-export -
		sf-fifo      timeout 4 sf-fifo --items 1000000000
		sf-front     late sweep | sf-front --sort makespan_s
		sf-lower     late counted | sf-lower -p edge-npu
		sf-model     sf-model <(late $ROOT/configs/models/gpt2.json) --tokens 8
		sf-ntt       timeout 4 sf-ntt --products 1000000
		sf-onnx      late $DATA/tiny-cnn.onnx | sf-onnx -
		sf-ort       late $DATA/tiny-cnn.ort-profile.json | sf-ort
		sf-plot      late tiles | sf-plot -o plot.svg
		sf-report    late costed | sf-report
		sf-rules     late raw | sf-rules
		sf-scalesim  late $DATA/scalesim/conv.csv | sf-scalesim -
		sf-sim       late lowered | sf-sim
		sf-sweep     late counted | sf-sweep -p edge-npu -g cores=1,2
		sf-timeloop  late $DATA/timeloop/conv.yaml | sf-timeloop -
	END
}

@test "every program says on a terminal that it is at work, and takes it away" {
	inputs
	commands >table
	# All that there are, but the script.
	cut -d ' ' -f 1 table >named
	for program in "$SF_BIN"/sf-*; do
		[ "${program##*/}" = sf-torch ] || echo "${program##*/}"
	done | diff - named
	while read -r name command; do
		to=$name.out
		[[ $command != timeout* ]] || to=/dev/null
		on_terminal "$command >$to" >"$name.seen" &
	done <table
	wait
	while read -r name command; do
		grep -qE '[0-9]+ (items|operators), |no operators yet, [23] s|at work for [23] s' "$name.seen" ||
		    { echo "$name: $(cat -v "$name.seen")"; return 1; }
		# No line is ended but those of notes.
		equal "$name $(wc -l <"$name.seen")" \
		    "$name $(grep -c "$name: note: " "$name.seen")"
		[[ $command != timeout* ]] || continue
		equal "$name $(tail -c 4 "$name.seen" | od -An -c | tr -s ' ')" \
		    "$name  \\r 033 [ K"
		# And what it wrote is what it writes.
		bash -c "late() { cat \"\$1\"; }; $command" >want 2>err
		cmp "$name.out" want
	done <table
	[ -s plot.svg ]
}

@test "an error stands on a line of its own" {
	on_terminal "(sleep 3; echo nonsense) | sf-rules >out" >seen || [ $? = 3 ]
	python3 - <<'EOP'
seen = open("seen", "rb").read()
line, error = seen.rsplit(b"\r\x1b[K", 1)
assert b"yet" in line and error.startswith(b"sf-rules: ") and \
    error.endswith(b"\r\n") and error.count(b"\n") == 1, seen
EOP
}

@test "one long operator is told by how long it takes" {
	trace '{"kind":"op","i":0,"name":"aten.mm","inputs":[{"tid":"a","shape":[4096,16384],"dtype":"f32","itemsize":4},{"tid":"b","shape":[16384,16384],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"c","shape":[4096,16384],"dtype":"f32","itemsize":4}],"category":"matmul","flops":2199023255552,"bytes_read":1342177280,"bytes_written":268435456,"weight_bytes":0,"product":{"batch":1,"m":4096,"k":16384,"n":16384}}' |
	    sf-lower -p edge-npu --quantise -s buffer_bytes=4KiB \
	        >lowered
	[ "$(jq 'select(.kind == "op") | .lower.tiles' lowered)" -gt 10000000 ]
	for engine in event cycle; do
		on_terminal "timeout 5.5 sf-sim -e $engine lowered >out" >$engine.seen || :
		grep -q '1 operators, [345] s since the last' $engine.seen
	done
}

@test "a sweep says how many points there are" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	on_terminal "sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:n1000 \
	    -g array_rows=8,16,32,64 -g noc_bw=10GB/s:60GB/s:n2500 in >out & sleep 4.5; \
	    kill \$!; wait \$! || :" >seen
	run -0 grep -oE '[0-9]+ of 10000000 points, [0-9]+/s, [0-9]+ s left' seen
}

@test "nothing is said soon, into a pipe, or where there is no terminal" {
	on_terminal "slowly 10 | sf-rules >out" >seen
	[ ! -s seen ]
	# Of a pipeline the last one speaks.
	on_terminal "slowly 40 | sf-rules | cat >out" >seen
	[ ! -s seen ]
	slowly 40 | sf-rules >out 2>seen
	[ ! -s seen ]
}

@test "what is written does not depend on it" {
	slowly 40 | sf-rules >want
	on_terminal "slowly 40 | sf-rules >out" >seen
	[ -s seen ]
	cmp out want
}
