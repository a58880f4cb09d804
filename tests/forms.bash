# For suites that hold random models against tests/*-forms.py.

# forms_hold FORMS COUNT [OPTIONS...] - draws COUNT configurations with a run
# each and checks what sf-rules counts of them; with OPTIONS, of each run once
# with every one of them.
forms_hold() {
	local forms=$ROOT/tests/$1-forms.py count=$2 config options more
	shift 2
	python3 "$forms" draw "$count" 1
	while read -r config options; do
		for more in "${@:-}"; do
			# shellcheck disable=SC2086 # options are words
			sf-model "./$config" $more $options || exit
		done
	done <runs.tsv >traces
	sf-rules --strict traces | python3 "$forms" check >checked
	equal "$(cat checked)" "$count"
}
