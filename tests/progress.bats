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
