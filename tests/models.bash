# For suites of sf-model that write configurations.

# config MORE - a small Llama's configuration in config.json, fields of MORE
# added to it or put in the place of its own.
config() {
	jq -n '{model_type: "llama", hidden_size: 8, intermediate_size: 12,
	    num_hidden_layers: 1, num_attention_heads: 4,
	    num_key_value_heads: 2, vocab_size: 10} + '"$1" >config.json
}

# refused [:LINE] TEXT - config.json is bad input, told in one line that has
# TEXT, of that line of the file.
# shellcheck disable=SC2154 # stderr is set by run
refused() {
	local place=:
	case $1 in
	:[0-9]*)
		place=$1:
		shift
		;;
	esac
	run -3 --separate-stderr sf-model config.json --tokens 4
	equal "$output" ""
	one_line_error
	[[ $stderr == "sf-model: config.json$place"*"$1"* ]] || {
		echo "$stderr"
		return 1
	}
}

# params [MODEL...] - how many parameters it has; config.json by default.
params() {
	sf-model "${@:-config.json}" --tokens 1 | head -n 1 |
	    jq .params.count
}

# notes [MODEL...] - the texts of its notes.
notes() {
	sf-model "${@:-config.json}" -t 2 |
	    jq -r 'select(.kind == "note").text'
}
