# What the option of an output may name besides a file that is not there: links,
# pipes, devices, directories. One behaviour for every program that has one.

load helpers

# A command line for each program with an output, OUT being its name; each puts
# the same bytes into it at each run.
lines() {
	cat <<-'END'
		sf-calibrate -d h100 -o OUT measured.sft
		sf-plot -o OUT sim.sft
		sf-fifo -o OUT
		sf-sweep -p edge-npu -g dram_bw=20GB/s,30GB/s -o OUT rules.sft
	END
}

inputs() {
	sf-dispatch "$DATA/profiles/train.kineto.json.gz" | sf-rules >measured.sft
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >rules.sft
	sf-lower -q -p edge-npu rules.sft | sf-sim -t >sim.sft
}

# put NAME LINE - runs the line with that output.
put() {
	local line=${2//OUT/$1}
	echo "$line"
	$line >stdout
}

# each FUNCTION - FUNCTION LINE for each line, with `want`, what it writes.
each() {
	local line n=0
	inputs
	while IFS= read -r line; do
		rm -rf want.svg at x.svg
		put want.svg "$line"
		mv want.svg want
		mkdir at
		"$1" "$line"
		n=$((n + 1))
	done < <(lines)
	[ $n -ge 4 ]
}

@test "every program with an output is among them" {
	grep -l SF_OPT_OUTPUT "$ROOT"/bin/*.c | sed 's|.*/\(.*\)\.c|\1|' >want
	lines | cut -d ' ' -f 1 | sort -u | diff - want
}

links() {
	ln -s at/file x.svg
	put x.svg "$1"
	[ -L x.svg ]
	cmp at/file want
	echo old >at/file
	put x.svg "$1"
	[ -L x.svg ]
	cmp at/file want
	ln -s ../x.svg at/again.svg
	echo old >at/file
	put at/again.svg "$1"
	[ -L at/again.svg ]
	[ -L x.svg ]
	cmp at/file want
	rm x.svg
	ln -s "$PWD/at/file" x.svg
	put ./x.svg "$1"
	cmp at/file want
	equal "$(ls at)" "$(printf 'again.svg\nfile')"
}

@test "an output that is a link stays one, and the file at its end is written" {
	each links
}

pipe() {
	mkfifo x.svg
	timeout 20 cat x.svg >got &
	put x.svg "$1"
	wait $!
	[ -p x.svg ]
	cmp got want
	equal "$(ls)" "$(printf '%s\n' at got measured.sft rules.sft sim.sft \
	    stdout want x.svg)"
}

@test "an output that is a pipe is written to" {
	each pipe
}

device() {
	ln -s /dev/full x.svg
	status=0
	put x.svg "$1" 2>err || status=$?
	equal $status 4
	equal "$(wc -l <err)" 1
	grep -q 'No space left on device$' err
	[ -c /dev/full ]
	[ -L x.svg ]
	rm x.svg
	ln -s /dev/null x.svg
	put x.svg "$1"
	[ -c /dev/null ]
	# Standard output by its name.
	ln -sf /dev/stdout x.svg
	${1//OUT/x.svg} | cat >both
	cat want stdout | cmp - both
	${1//OUT/x.svg} >both
	cat want stdout | cmp - both
}

@test "an output that is a device is written to, and stays one" {
	[ -w /dev/full ] || skip "no /dev/full"
	each device
}

nowhere() {
	mkdir x.svg
	for name in x.svg no/x.svg at/loop.svg/x.svg; do
		ln -sf loop.svg at/loop.svg
		status=0
		put "$name" "$1" 2>err || status=$?
		equal $status 4
		equal "$(wc -l <err)" 1
		grep -qF "$name: " err
	done
	equal "$(ls -A x.svg at)" "$(printf 'at:\nloop.svg\n\nx.svg:')"
}

@test "an output where no file can be is refused in one line" {
	each nowhere
}
