# What a program can no longer do once its command line is read. `held` of
# tests/unit is a filter that tries; what it reads and writes it takes from
# options that the library does not know for files.

load helpers

# The build and the machine have what it takes.
need_sandbox() {
	[ -z "${SF_SANITIZED:-}" ] || skip "a build with AddressSanitizer has none"
	python3 -c '
import ctypes, sys
sys.exit(ctypes.CDLL(None).syscall(444, 0, 0, 1) < 1)' ||
	    skip "the system has no Landlock"
}

# As a user has it, who found the configurations beside the programs.
held() {
	env -u SIMFRONT_CONFIGS "$SF_UNIT/held" "$@" </dev/null 2>err || :
}

# files - what the tests below read and write.
files() {
	mkdir in out
	echo text | tee in/a in/b in/c.json out/old >secret
}

# bats test_tags=SF-55
@test "without a file on the command line nothing is read or written" {
	need_sandbox
	files
	held -r secret -r in/a -r . -w secret -w new -w out/new >got
	equal "$(grep -c '^\(read\|write\) .*: Permission denied$' got)" 6
	[ "$(grep -c '' got)" = 16 ]
	[ ! -e new ]
	equal "$(cat secret)" text
}

# bats test_tags=SF-55
@test "what is no file is held, too: processes, programs, signals, sockets, modes" {
	need_sandbox
	files
	held >got
	for what in chmod truncate socket fork kill ptrace execve; do
		grep -qx "$what: Operation not permitted" got
	done
	equal "$(grep -c ': done$' got)" 0
}

# bats test_tags=SF-55
@test "SIMFRONT_SANDBOX=off lets all of it pass, and another word is refused" {
	files
	SIMFRONT_SANDBOX=off held -r secret -r in/a -w new >got
	equal "$(grep -cv ': done$' got)" 0
	equal "$(grep -c '' got)" 13
	for wrong in no 0 OFF; do
		SIMFRONT_SANDBOX=$wrong run -2 --separate-stderr "$SF_UNIT/held"
		equal "$stderr" "held: SIMFRONT_SANDBOX: found '$wrong', expected on or off"
	done
}

# bats test_tags=SF-55
@test "files of the command line are read, and no others beside them" {
	need_sandbox
	files
	held -i in/a -r in/a -r in/b -w in/a >got
	grep -qx 'read in/a: done' got
	grep -qx 'read in/b: Permission denied' got
	grep -qx 'write in/a: Permission denied' got
	held -p in/a --paths=in/b -r in/a -r in/b -r in/c.json >got
	equal "$(grep -c '^read in/.: done' got)" 2
	grep -qx 'read in/c.json: Permission denied' got
	held -r in/a -r in/b -- in/a in/b >got
	equal "$(grep -c '^read in/.: done' got)" 2
	# A directory is read with what is in it, a link where it leads.
	ln -s ../secret in/link
	held -r in/a -r secret in >got
	grep -qx 'read in/a: done' got
	grep -qx 'read secret: Permission denied' got
	held -r secret in/link >got
	grep -qx 'read secret: done' got
}

# bats test_tags=SF-55
@test "an output is made, and what lies beside it, and nothing else" {
	need_sandbox
	files
	held -o out/new -w out/new -w out/temporary -w in/new -w secret >got
	grep -qx 'write out/new: done' got
	grep -qx 'write out/temporary: done' got
	grep -qx 'write in/new: Permission denied' got
	grep -qx 'write secret: Permission denied' got
	held -o out/%d.svg -w out/1.svg -w new >got
	grep -qx 'write out/1.svg: done' got
	grep -qx 'write new: Permission denied' got
	# Through a link, whether there is something behind it or not.
	ln -s "$PWD/secret" out/link
	mkdir far
	ln -s "$PWD/far/later" out/dangling
	held -o out/link -w out/link >got
	grep -qx 'write out/link: done' got
	held -o out/dangling -w out/dangling -w far/new -w in/new -w out/new2 >got
	grep -qx 'write out/dangling: done' got
	grep -qx 'write far/new: done' got
	grep -qx 'write in/new: Permission denied' got
	grep -qx 'write out/new2: Permission denied' got
}

# bats test_tags=SF-55
@test "a configuration by its file may name files, one by its name may not" {
	need_sandbox
	files
	held -c edge-npu -r secret >got
	grep -qx 'read secret: Permission denied' got
	held -c in/c.json -r secret -w new >got
	grep -qx 'read secret: done' got
	grep -qx 'write new: Permission denied' got
	SIMFRONT_CONFIGS=$PWD/in "$SF_UNIT/held" -c c -r secret </dev/null \
	    2>/dev/null >got || :
	grep -qx 'read secret: done' got
}

# bats test_tags=SF-55
@test "what configurations and fonts may open nothing may that comes after them" {
	need_sandbox
	files
	trace '{"kind":"note","tool":"t","text":"t"}' >in.sft
	late() { "$@" --late -r secret -r in/a -i in/a -o out/old -w out/new \
	    -w new in.sft 2>err >got || :; }
	cp "$SF_UNIT/held" held-drawing
	late env -u SIMFRONT_CONFIGS "$SF_UNIT/held" -c in/c.json
	cp got by-file
	SIMFRONT_CONFIGS=$PWD/in late "$SF_UNIT/held" -c c
	cp got by-directory
	late ./held-drawing
	cp got drawing
	for got in by-file by-directory drawing; do
		grep -qx 'read secret: Permission denied' $got
		grep -qx 'read in/a: done' $got
		grep -qx 'write out/new: done' $got
		grep -qx 'write new: Permission denied' $got
		for what in fork kill socket execve; do
			grep -qx "$what: Operation not permitted" $got
		done
		rm -f out/new
	done
}

# The directory of configurations is gone when the input comes.
# bats test_tags=SF-55
@test "a sweep of costs has read what its designs name before its input" {
	sf-model gpt2 --tokens 4 | sf-rules >rules.sft
	mkfifo input
	export SIMFRONT_CONFIGS=$PWD/configs
	for axes in "-g device=h100,a100 -g bw_eff=0.5,1" \
	    "-s device=optical -s link=pcie5 -g supports=matmul" \
	    "-s device=optical -g link=pcie5,nvlink4 -s supports=matmul
	    -g host=host,xeon-8480"; do
		cp -r "$ROOT/configs" configs
		# shellcheck disable=SC2086
		sf-sweep --cost $axes rules.sft | grep '"point"' >want
		# shellcheck disable=SC2086
		sf-sweep --cost $axes input >out &
		exec 9>input
		rm -r configs
		cat rules.sft >&9
		exec 9>&-
		wait $!
		grep '"point"' out | cmp - want
	done
}

# bats test_tags=SF-55
@test "a program that draws starts a process, and no program" {
	need_sandbox
	files
	cp "$SF_UNIT/held" held-drawing
	./held-drawing -r secret -w new </dev/null 2>/dev/null >got || :
	for what in 'read secret' fork kill; do
		grep -qx "$what: done" got
	done
	for what in 'write new' mkdir socket ptrace execve; do
		grep -q "^$what: .* \(denied\|permitted\)$" got
	done
}

# A command line of each program, none of which needs an input to be there.
lines() {
	local program
	for program in "$SF_BIN"/sf-*; do
		program=${program##*/}
		case $program in
		sf-torch) ;;
		sf-onnx) echo "$program $DATA/tiny-cnn.onnx" ;;
		sf-export) echo "$program $DATA/tiny-cnn.pt2" ;;
		sf-compile) echo "$program $DATA/compile/infer.log" ;;
		sf-dispatch) echo "$program $DATA/profiles/train.et.json.gz" ;;
		sf-model) echo "$program gpt2" ;;
		sf-scalesim) echo "$program $DATA/scalesim/conv.csv" ;;
		sf-timeloop) echo "$program $DATA/timeloop/conv.yaml" ;;
		sf-ort) echo "$program -" ;;
		sf-diff) echo "$program - $DATA/compile/infer.log" ;;
		sf-cost | sf-calibrate) echo "$program -d h100" ;;
		sf-lower) echo "$program -p edge-npu" ;;
		sf-ep) echo "$program --claim Conv" ;;
		sf-sweep) echo "$program -p edge-npu -g dram_bw=20GB/s,30GB/s" ;;
		sf-front) echo "$program -F makespan_s" ;;
		sf-plot) echo "$program -o out.svg" ;;
		*) echo "$program" ;;
		esac
	done
	echo "$SF_UNIT/pass"
}

# bats test_tags=SF-55
@test "every program is held before it reads its input" {
	need_sandbox
	lines >lines
	[ "$(grep -c '' lines)" = "$(find "$SF_BIN" -name 'sf-*' | wc -l)" ]
	run -0 "$ROOT/tests/held.py" <lines
	equal "$output" ""
	# The test can fail.
	SIMFRONT_SANDBOX=off run -1 "$ROOT/tests/held.py" 1 < <(tail -n 2 lines)
	equal "$(grep -c 'is not held$' <<<"$output")" 2
}

# bats test_tags=SF-55
@test "with the sandbox and without it every program does the same" {
	need_sandbox
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >rules.sft
	run_all() {
		env -u SIMFRONT_CONFIGS sf-lower -q -p edge-npu rules.sft |
		    sf-sim -t >"$1.sim"
		sf-sweep -p edge-npu -g dram_bw=20GB/s,30GB/s -o "$1.sweep" \
		    rules.sft
		sf-plot -o "$1-%d.svg" <"$1.sim"
		sf-fifo -o "$1.png" >"$1.fifo"
		sf-dispatch "$DATA/profiles/train.kineto.json.gz" >"$1.dispatch"
		sf-diff <(cat rules.sft) <(cat rules.sft) >"$1.diff"
		sf-report /dev/stdin <"$1.sim" >"$1.report"
		sf-model gpt2 --tokens 4 >"$1.model"
		sf-cost -d h100 rules.sft | sf-report >"$1.cost"
		ls >"$1.left"
	}
	mkdir on off
	(cd on && cp ../rules.sft . && run_all x)
	(cd off && cp ../rules.sft . && SIMFRONT_SANDBOX=off run_all x)
	diff -r on off
}

# bats test_tags=SF-55
@test "a program that has temporary files says that it needs them" {
	found=0
	for source in "$ROOT"/bin/sf-*.c; do
		program=$(basename "$source" .c)
		nm "$SF_BIN/$program" >symbols
		grep -q ' sf_sorted_new$' symbols || continue
		echo "$program"
		grep -q 'SF_NEEDS_TEMPORARY' "$source"
		found=$((found + 1))
	done
	[ "$found" -ge 1 ]
}
