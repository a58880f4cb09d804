# sf-report --format html: one page with the tables of the report and the pictures
# of sf-plot, that needs nothing but itself.

load helpers

html() { "$ROOT/tests/page.py" "$@"; }

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	sf-onnx "$DATA/tiny-cnn.onnx" >raw
	sf-rules raw >counted
	sf-cost -d h100 counted >costed
	sf-cost -o optical -l pcie5 -s matmul counted >offload
	sf-lower -p edge-npu counted >lowered
	sf-sim lowered >simulated
	sf-sim --tiles lowered >tiles
	sf-lower -p edge-npu costed | sf-sim --tiles >all
	sf-ep --claim Conv counted >split
	sf-model gpt2 --tokens 64 | sf-rules | sf-cost -d h100 >prefill
	sf-model gpt2 --decode 64 | sf-rules | sf-cost -d h100 >decode
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

@test "a page has the tables and headings of the Markdown, cell by cell" {
	for in in raw counted costed offload lowered simulated tiles all split; do
		sf-report $in >page.md
		sf-report --format html $in >page.html
		html tables page.html page.md
		[ "$(grep -c '^|' page.md)" -gt 5 ]
	done
	sf-report --footprint --top 3 prefill decode >page.md
	sf-report -f html --footprint --top 3 prefill decode >page.html
	html tables page.html page.md
	sf-report --by node all >page.md
	sf-report --by node -f html all >page.html
	html tables page.html page.md
	equal "$(html pictures page.html no)" 0
}

@test "its pictures are those of sf-plot, to the byte" {
	while read -r in timeline roofline; do
		sf-report -f html $in >page.html
		equal "$in $(html pictures page.html $in)" \
		    "$in $((timeline + roofline))"
		if [ $timeline = 1 ]; then
			sf-plot -o want.svg $in
			cmp want.svg ${in}1.svg
		fi
		if [ $roofline = 1 ]; then
			sf-plot -k roofline -o want.svg $in
			cmp want.svg $in$((timeline + 1)).svg
		fi
	done <<-'END'
		raw 0 0
		counted 0 0
		lowered 0 0
		simulated 0 0
		split 0 0
		costed 0 1
		offload 0 1
		tiles 1 0
		all 1 1
	END
}

@test "several traces have contents, and a roofline of all that were costed" {
	sf-report -f html prefill raw decode >page.html
	html shape page.html
	equal "$(html pictures page.html many)" 3
	sf-plot -k roofline -o want.svg prefill decode
	cmp want.svg many3.svg
	equal "$(grep -c '<li><a href="#' page.html)" 4
	grep -q '<li><a href="#trace-3">gpt2 (dispatch), batch 1, decode behind 64 tokens</a>' page.html
	grep -q '<title>gpt2 (dispatch), batch 1, prefill of 64 tokens and 2 more</title>' page.html
	# Five have no picture in common.
	sf-report -f html costed costed costed costed costed >page.html
	html shape page.html
	equal "$(html pictures page.html many)" 5
	sf-report -f html costed costed costed costed >page.html
	equal "$(html pictures page.html many)" 5
	sf-report -f html costed >page.html
	refute grep -q '<nav>' page.html
}

@test "a page needs no script and nothing outside, and says so" {
	sf-report -f html all >page.html
	html shape page.html
	equal "$(head -n 1 page.html)" '<!DOCTYPE html>'
	grep -qF "content=\"default-src 'none'; style-src 'unsafe-inline'\"" page.html
	# The only addresses are the name of SVG.
	equal "$(grep -oE 'https?://[^"]*' page.html | sort -u)" \
	    http://www.w3.org/2000/svg
	sf-report -f html all | cmp page.html -
}

@test "what is wrong with a trace is said as without a page, and none is written" {
	head -n 9 tiles >cut
	run -3 --separate-stderr sf-report cut
	want=$stderr
	run -3 --separate-stderr sf-report -f html cut
	equal "$stderr" "$want"
	equal "$output" ""
	# Tiles that are missing behind some are, as for sf-plot.
	sed '/"kind":"tile","i":3,/d' tiles >some
	run -3 --separate-stderr sf-report -f html some
	one_line_error
	[[ $stderr == *"has no tile records, expected a trace from 'sf-sim --tiles'"* ]]
	run -2 --separate-stderr sf-report -f html --windows 3 tiles
	one_line_error
}

@test "a page is no larger in memory than its traces ask for" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory"
	peak=$("$SF_UNIT/peak" sf-report -f html prefill decode)
	echo "$peak KiB"
	[ "$peak" -lt 32768 ]
}

@test "Chromium shows a page as it was written" {
	chromium=$(command -v chromium || command -v chromium-browser) ||
	    skip "there is no Chromium"
	"$ROOT/tests/hostile.py" trace | sf-rules 2>err | sf-cost -d h100 |
	    sf-lower -p edge-npu | sf-sim -t >hostile
	sf-report -f html prefill decode all hostile >page.html
	if ! timeout 120 "$chromium" --headless --no-sandbox --disable-gpu \
	    --user-data-dir="$PWD/profile" --enable-logging=stderr \
	    --dump-dom "file://$PWD/page.html" >dom.html 2>log; then
		cat log
		skip "Chromium does not start here"
	fi
	# The same elements, so nothing was mended or made of text.
	equal "$(html tags dom.html)" "$(html tags page.html)"
	refute grep -iE 'refused|violat|CONSOLE' log
	# And what is drawn in a picture is seen: the colour of matmul, within a
	# page that has nothing of it but pictures.
	sf-report -f html prefill | sed -n '/<figure>/,/<\/figure>/p' >figure.html
	timeout 120 "$chromium" --headless --no-sandbox --disable-gpu \
	    --user-data-dir="$PWD/profile" --hide-scrollbars \
	    --window-size=1300,800 --screenshot="$PWD/figure.png" \
	    "file://$PWD/figure.html" 2>log
	[ "$("$ROOT/tests/png.py" figure.png count 0072b2)" -gt 500 ]
}
