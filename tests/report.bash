# For suites that read what is written for people.

# cells LABEL - the cells behind the label in the table on standard input, one
# bar between two, however the table is padded.
cells() {
	awk -F ' *[|] *' -v label="$1" '$2 == label {
		line = $3
		for (i = 4; i < NF; i++)
			line = line "|" $i
		print line
	}'
}
