# What the sections of the results pages are written with. Each is a script
# NAME.section that prints Markdown, from traces and reports below $W.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# row FILTER [FILE...] - a row, by a jq filter that gives an array of cells.
row() {
	local filter=$1
	shift
	jq -r -L "$here" "include \"results\"; $filter | @tsv" "$@"
}

# table ALIGN - rows of cells with tabs between them, the heading first, as a
# Markdown table; ALIGN has an l or r a column.
table() {
	awk -F '\t' -v align="$1" '
	function cell(text, c,    pad) {
		pad = sprintf("%*s", width[c] - length(text), "")
		return substr(align, c, 1) == "r" ? pad text : text pad
	}
	{
		for (c = 1; c <= length(align); c++) {
			text[NR, c] = $c
			if (length($c) > width[c])
				width[c] = length($c)
		}
	}
	END {
		for (r = 1; r <= NR; r++) {
			line = "|"
			for (c = 1; c <= length(align); c++)
				line = line " " cell(text[r, c], c) " |"
			print line
			if (r > 1)
				continue
			line = "|"
			for (c = 1; c <= length(align); c++) {
				rule = sprintf("%*s", width[c], "")
				gsub(/ /, "-", rule)
				if (substr(align, c, 1) == "r")
					sub(/-$/, ":", rule)
				line = line " " rule " |"
			}
			print line
		}
		print ""
	}'
}

# heads TEXT... - the first row of a table.
heads() {
	local IFS=$'\t'
	echo "$*"
}

# accel_section - of a report, what it says of the accelerator, without the
# configuration; headings one level down.
accel_section() {
	sed -n '/^## Accelerator/,/^### Configuration/p' |
	    sed '/^## Accelerator/,+1d; /^### Configuration/d; s/^###/####/'
}
