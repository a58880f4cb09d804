# Completion for bash, and for zsh behind bashcompinit. Options and their words
# come from what a program says of itself, so there is nothing here to keep up.

# _simfront_rows PROGRAM - "LETTER NAME METAVAR WORDS", a row an option.
_simfront_rows() {
	"$1" --help 2>/dev/null | awk '
		# What an option does may go on in further lines.
		/^ {31}/ { sub(/^ +/, " "); rows[n] = rows[n] $0 }
		/^  (-.,|   ) --/ { rows[++n] = $0 }
		END { for (i = 1; i <= n; i++) put(rows[i]) }
		function put(row) {
			$0 = row
			letter = substr($0, 3, 2)
			if (letter !~ /^-[^-]/)
				letter = "."
			line = substr($0, 7)
			sub(/^--/, "", line)
			split(line, part, " ")
			meta = part[2] ~ /^[A-Z][A-Z0-9=,.\[\]]*$/ ? part[2] : "."
			words = ""
			if (match(line, /: [a-z0-9][^:]*$/)) {
				words = substr(line, RSTART + 2)
				sub(/ \(default.*/, "", words)
				gsub(/, /, ",", words)
				if (words ~ / /)
					words = ""
			}
			print letter, part[1], meta, words
		}'
}

# _simfront_names PROGRAM OPTION - the configurations that an option takes, as
# the message about one that there is not lists them.
_simfront_names() {
	"$1" "--$2" ' ' </dev/null 2>&1 |
		sed -n "s/.*which has: //p" | sed 's/;.*//; s/, / /g'
}

# Fills COMPREPLY with those of the given words that begin as the first does.
_simfront_among() {
	# shellcheck disable=SC2207 # names have no blanks, and zsh no mapfile
	COMPREPLY=($(compgen -W "$2" -- "$1"))
}

_simfront() {
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD-1]} letter name meta words all=
	COMPREPLY=()
	while read -r letter name meta words; do
		all+=" --$name"
		[ "$letter" = . ] || all+=" $letter"
		[ "$before" = "--$name" ] || [ "$before" = "$letter" ] ||
			continue
		[ "$meta" != . ] || continue
		[ -n "$words" ] || words=$(_simfront_names "$program" "$name")
		[ -z "$words" ] || _simfront_among "$word" "${words//,/ }"
		return
	done < <(_simfront_rows "$program")
	case $word in
	-*) _simfront_among "$word" "$all" ;;
	*) case $("$program" --help 2>/dev/null) in
	    *'] NAME|'*) _simfront_among "$word" \
		"$("$program" --list | sed 's/[: ].*//')" ;;
	    esac ;;
	esac
}

for _simfront_program in "$(dirname "$(command -v sf-report)")"/sf-*; do
	complete -o default -F _simfront "$(basename "$_simfront_program")"
done
unset _simfront_program
