# Sweeps over Slurm and over ssh hosts, all of them on this machine's loopback: what
# is killed in the middle leaves no trace in the result.

load ../helpers

# shellcheck disable=SC2016 # until_true evaluates what it is given
# shellcheck disable=SC2154 # run sets stderr

# need PROGRAM... - or skip, saying which Debian package it is of.
need() {
	local program
	[ "$(id -u)" = 0 ] || skip "not root"
	for program; do
		PATH=$PATH:/usr/sbin command -v "${program%:*}" >/dev/null ||
		    skip "no ${program%:*}: package ${program#*:} is not installed"
	done
}

setup() {
	PATH=$SF_BIN:$PATH:/usr/sbin
	# A directory of root's alone; not a long name, which a socket cannot have.
	work=$(mktemp -d /tmp/simfront-cluster.XXXXXX)
	chmod 755 "$work"
	cd "$work" || return
	sf-model gpt2 --tokens 128 | sf-rules >trace.sft
	# Shares of some seconds each, small enough to wait for.
	sweep=(-p edge-npu -s buffer_bytes=16KiB
	    -g "dram_bw=1GB/s:90GB/s:n6000" -g array_rows=8:64:x2)
}

teardown() {
	[ ! -d "$work/slurm" ] || "$ROOT/tests/cluster/slurm-down" "$work/slurm"
	[ ! -d "$work/ssh" ] || "$ROOT/tests/cluster/ssh-down" "$work/ssh"
	if [ -n "${driver:-}" ]; then
		kill "$driver" 2>/dev/null || true
	fi
	cd /
	rm -rf -- "$work" "${there:-$work}"
	rmdir "$(home_of_root)/.simfront-sweep" 2>/dev/null || true
}

# Where the hosts of ssh-up put what they get.
home_of_root() { getent passwd root | cut -d : -f 6; }

# sweep_of DIRECTORY FILE - the process there that writes that file.
sweep_of() {
	local proc
	for proc in /proc/[0-9]*; do
		[ "$(readlink "$proc/cwd" 2>/dev/null)" = "$1" ] || continue
		tr '\0' ' ' <"$proc/cmdline" | grep -q "^bin/sf-sweep .*-o $2 " ||
		    continue
		echo "${proc#/proc/}"
		return
	done
	return 1
}

# until SECONDS COMMAND - waits for it.
until_true() {
	local tries=$(($1 * 10))
	shift
	until eval "$*"; do
		[ $((tries -= 1)) -gt 0 ] || { echo "never: $*"; return 1; }
		sleep 0.1
	done
}

points_of() {
	local n
	n=$(grep -c '"point"' "$1" 2>/dev/null)
	echo "${n:-0}"
}

# On loopback alone does anything listen that was not there before.
listens() { ss -Hltn | awk '{ print $4 }' | grep -v '^127\.' | sort; }

# What all of them are held against, made once.
one_process() {
	local want=$BATS_FILE_TMPDIR/want
	[ -e "$want" ] || {
		sf-sweep "${sweep[@]}" -o whole trace.sft
		sf-front --all whole >"$want"
	}
	ln -s "$want" want
}

@test "the pipelines say how they are used, and that a trace is not there" {
	for pipeline in sweep-parallel sweep-slurm; do
		run -2 --separate-stderr "$ROOT/pipelines/$pipeline"
		[[ $stderr == "$pipeline: usage: $pipeline "* ]]
		run -2 --separate-stderr "$ROOT/pipelines/$pipeline" out nosuch \
		    -p edge-npu
		equal "$stderr" "$pipeline: nosuch: cannot be read"
		[ ! -e out ] && [ ! -e out.shares ]
	done
}

@test "GNU parallel over local processors: the driver is killed and started again" {
	need parallel:parallel
	# The line of docs/sweeps.md.
	mv trace.sft gpt2.sft
	grep '^    parallel ' "$ROOT/docs/sweeps.md" >line
	equal "$(wc -l <line)" 1
	bash -e line 2>said
	sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:+1GB/s gpt2.sft |
	    sf-front --all | cmp - <(sf-front --all s.*)
	mv gpt2.sft trace.sft
	one_process
	go() { "$ROOT/pipelines/sweep-parallel" -j 2 -n 5 out trace.sft \
	    "${sweep[@]}"; }
	setsid "$ROOT/pipelines/sweep-parallel" -j 2 -n 5 out trace.sft \
	    "${sweep[@]}" 3>&- &
	driver=$!
	until_true 60 '[ "$(points_of out.shares/s.1)" -gt 100 ]'
	kill -9 -- -$driver
	wait "$driver" || true
	driver=
	[ ! -e out ]
	go
	cmp want out
	[ ! -e out.shares ]
	# A share that fails is told of, and nothing appears.
	run -1 --separate-stderr "$ROOT/pipelines/sweep-parallel" -n 2 bad \
	    trace.sft -p nosuch -g dram_bw=1GB/s
	[[ $stderr == *"no configuration 'nosuch'"* ]]
	[ ! -e bad ]
}

@test "GNU parallel over two ssh hosts: a process, parallel and a host are killed" {
	need parallel:parallel sshd:openssh-server ss:iproute2
	one_process
	before=$(listens)
	eval "$("$ROOT/tests/cluster/ssh-up" "$work/ssh" 2)"
	equal "$(listens)" "$before"
	export HOME=$work/home
	mkdir -p "$HOME"
	run_it() {
		setsid "$ROOT/pipelines/sweep-parallel" -S "$work/ssh/nodes" \
		    -n 6 out trace.sft "${sweep[@]}" >>log 2>&1 3>&- &
		driver=$!
	}
	shares=$(home_of_root)/.simfront-sweep
	key=$(printf '%s\n' "6 $(printf '%q ' "${sweep[@]}")" | cksum)
	there=$shares/${key%% *}
	run_it
	# A process is killed: its share is tried again.
	until_true 60 '[ "$(points_of $there/s.1)" -gt 50 ]'
	kill -9 "$(sweep_of "$there" s.1)"
	# Parallel and its driver are killed.
	until_true 60 '[ "$(points_of $there/s.3)" -gt 50 ]'
	kill -9 -- -$driver
	wait "$driver" || true
	sleep 2
	run_it
	# A host dies, with its sessions.
	until_true 60 '[ "$(points_of $there/s.5)" -gt 50 ]'
	id=$(cat "$work/ssh/run/n2.id")
	# shellcheck disable=SC2046 # words are meant
	kill -9 "$id" $(ps -o pid= --ppid "$id") || true
	wait "$driver" || { cat log; false; }
	driver=
	cmp want out
}

@test "Slurm, four nodes: a process, a task, a node and the driver are killed" {
	need slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge \
	    ss:iproute2
	one_process
	before=$(listens)
	eval "$("$ROOT/tests/cluster/slurm-up" "$work/slurm" 4)"
	equal "$(listens)" "$before"
	# The line of docs/sweeps.md by hand, with fewer tasks and designs.
	sbatch --wait --array=1-4 --requeue --open-mode=append --output=log.%a \
	    --wrap 'sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:+1GB/s --shard $SLURM_ARRAY_TASK_ID/4 -o line.$SLURM_ARRAY_TASK_ID --resume trace.sft'
	sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:+1GB/s trace.sft |
	    sf-front --all | cmp - <(sf-front --all line.*)
	run_it() {
		setsid "$ROOT/pipelines/sweep-slurm" -n 8 out trace.sft \
		    "${sweep[@]}" >>log 2>&1 3>&- &
		driver=$!
	}
	run_it
	at=out.shares
	until_true 60 '[ "$(points_of $at/s.1)" -gt 50 ] &&
	    [ "$(points_of $at/s.2)" -gt 50 ] && [ "$(points_of $at/s.3)" -gt 50 ]'
	job=$(cat $at/job)
	# A process.
	kill -9 "$(cat $at/pid.1)"
	# A task.
	scontrol requeue "${job}_2"
	# A node, with all that runs on it.
	node=$(squeue -h -j "${job}_3" -o %N)
	read -r script step <$at/step.3
	kill -9 "$(cat "$work/slurm/run/$node.id")" "$step" "$script" \
	    "$(cat $at/pid.3)" || true
	# The driver.
	kill -9 -- -$driver
	wait "$driver" || true
	run_it
	until_true 60 'sinfo -h -n "$node" -o %T | grep -q down'
	wait "$driver" || { cat log; false; }
	driver=
	cmp want out
	[ ! -e out.shares ]
}
