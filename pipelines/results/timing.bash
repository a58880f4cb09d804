# What the page of timings is written with: wall-clock time, the machine's own,
# and so not compared.
# shellcheck source=pipelines/results/section.bash
source "$(dirname "${BASH_SOURCE[0]}")/section.bash"

# seconds COMMAND - the shortest of five runs, in seconds.
seconds() {
	local start end least=''
	cd "$W"
	for _ in 1 2 3 4 5; do
		start=$(date +%s%N)
		bash -o pipefail -c "$1" >/dev/null || return
		end=$(date +%s%N)
		if [ -z "$least" ] || [ $((end - start)) -lt "$least" ]; then
			least=$((end - start))
		fi
	done
	awk -v t="$least" 'BEGIN { printf "%.4f", t / 1e9 }'
}

# timings - rows of `what<TAB>command` on standard input, timed.
timings() {
	{
		heads What 'Seconds' Command
		while IFS=$'\t' read -r what command; do
			# On its own, so that a command that fails ends the page.
			took=$(seconds "$command")
			printf '%s\t%s\t`%s`\n' "$what" "$took" \
			    "${command//|/\\|}"
		done
	} | table lrl
}
