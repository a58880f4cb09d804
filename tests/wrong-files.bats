# Every program with every file that is not its own: one line, which names what
# the file is and who reads it.

load helpers

# files - one of each kind that a user has at hand, and what it is called by.
files() {
	mkdir files && cd files || return
	cp "$DATA/tiny-cnn.onnx" model.onnx
	gzip -c model.onnx >model.onnx.gz
	cp "$DATA/tiny-cnn.pt2" program.pt2
	cp "$ROOT/configs/models/gpt2.json" config.json
	gzip -dc "$DATA/profiles/train.et.json.gz" >et.json
	cp "$DATA/profiles/train.kineto.json.gz" kineto.json.gz
	cp "$DATA/compile/infer.log" compile.log
	cp "$DATA/tiny-cnn.ort-profile.json" ort.json
	cp "$ROOT/configs/devices/h100.json" device.json
	cp "$ROOT/configs/links/pcie5.json" link.json
	cp "$ROOT/configs/accel/edge-npu.json" accel.json
	sf-onnx model.onnx | sf-rules | sf-lower -p edge-npu |
		sf-sim --tiles >stream.sft
	gzip -c stream.sft >stream.sft.gz
	sf-report stream.sft >report.md
	sf-report --format json stream.sft >report.json
	sf-report --format html stream.sft >page.html
	sf-report --by op --format csv stream.sft >rows.csv
	sf-compare --format json stream.sft >compare.json
	sf-chrome stream.sft >events.json
	sf-plot -o picture.png stream.sft
	sf-plot -o picture.svg stream.sft
	iconv -t UTF-16 stream.sft >utf16.sft
	python3 -c 'import bz2, lzma
stream = open("stream.sft", "rb").read()
open("stream.bz2", "wb").write(bz2.compress(stream))
open("stream.xz", "wb").write(lzma.compress(stream))'
	cd ..
	cat >kinds <<-END
		model.onnx an ONNX model, which sf-onnx reads
		model.onnx.gz an ONNX model, which sf-onnx reads
		program.pt2 a zip archive; sf-export reads those
		config.json a model's configuration, which sf-model reads
		et.json an execution trace, which sf-dispatch reads
		kineto.json.gz a profiler's trace, which sf-dispatch reads
		compile.log a log of torch.compile, which sf-compile reads
		ort.json a profile of ONNX Runtime, which sf-ort reads
		device.json a device, which sf-cost --device takes
		link.json a link, which sf-cost --link takes
		accel.json an accelerator, which sf-lower --preset takes
		stream.sft a stream, which sf-report and the other filters read
		stream.sft.gz a stream, which sf-report and the other filters read
		report.md a report that sf-report wrote
		report.json an object that sf-report wrote
		page.html a page of HTML
		rows.csv rows that sf-report wrote
		compare.json an object that sf-compare wrote
		events.json events that sf-chrome wrote
		picture.png a picture
		picture.svg a picture
		utf16.sft a text in UTF-16; 'iconv
		stream.bz2 compressed with bzip2; 'bzip2 -dc'
		stream.xz compressed with xz; 'xz -dc'
	END
	[ "$(find files -type f | wc -l)" = "$(wc -l <kinds)" ]
}

# named PROGRAM... - each file that it cannot read, given as the last argument.
named() {
	local file what
	while read -r file what; do
		run --separate-stderr "$@" "files/$file"
		# What it is for, and what else it takes.
		case "$status $1 $file" in
		"0 $1 "*) echo "$1 $file" >>taken && continue ;;
		*" sf-onnx model.onnx.gz" | *" sf-dispatch events.json") continue ;;
		esac
		equal "$1 $file $status" "$1 $file 3"
		one_line_error
		# A configuration is not read through gzip, and all else is.
		[[ $stderr == *"his is $what"* || $file == *.gz &&
		    $stderr == *"his is compressed with gzip; 'gzip -dc'"* ]] ||
		    { echo "$1 $file: $stderr"; return 1; }
		[ -z "$output" ] || { echo "$1 $file: $output"; return 1; }
	done <kinds
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	files
}

@test "a program that makes a trace says what it was given in place of its own" {
	for program in sf-onnx sf-export sf-model sf-dispatch sf-compile sf-ort \
	    sf-scalesim sf-timeloop; do
		named $program
	done
	named sf-scalesim --config
	equal "$(sort -u taken | xargs)" "sf-compile compile.log \
sf-dispatch et.json sf-dispatch events.json sf-dispatch kineto.json.gz \
sf-dispatch ort.json sf-export program.pt2 sf-model config.json \
sf-onnx model.onnx sf-ort ort.json"
}

@test "a filter says what it was given in place of a stream" {
	sed -i '/^stream.sft/d' kinds
	sf-sweep -p edge-npu --grid cores=1,2 <(grep -v '"tile"' files/stream.sft |
	    jq -c 'del(.lower, .sim) | select(.kind | IN("accel", "summary") | not)') >points
	for program in sf-rules 'sf-cost -d h100' 'sf-lower -p edge-npu' sf-sim \
	    sf-check sf-report sf-compare sf-chrome 'sf-plot -o x.png' \
	    'sf-ep --host xeon-8480 --claim X' 'sf-calibrate -d h100' \
	    'sf-sweep -p edge-npu --grid cores=1,2' 'sf-diff points' \
	    'sf-front --sort makespan_s'; do
		# shellcheck disable=SC2086 # words are meant
		named $program
	done
	[ ! -e taken ]
}

@test "an option that takes a configuration says what it was given" {
	sf-onnx files/model.onnx | sf-rules >counted
	named sf-cost counted --device
	named sf-lower counted --preset
	named sf-cost counted -l pcie5 -s matmul -o
	named sf-cost counted -o h100 -s matmul --link
	equal "$(sort -u taken | xargs)" \
	    "sf-cost device.json sf-cost link.json sf-lower accel.json"
}

@test "a file in the place of a name is told, too, and a name stays a name" {
	cd files
	while read -r file what; do
		run --separate-stderr sf-model "$file"
		[ "$file" != config.json ] || continue
		[ "${file%.gz}" = "$file" ] || what="compressed with gzip"
		[[ $stderr == *"$file: expected a model's configuration; this is $what"* ]]
	done <../kinds
	mkdir gpt
	run -2 --separate-stderr sf-model gpt
	[[ $stderr == "sf-model: no configuration 'gpt' in "*"did you mean 'gpt2'?" ]]
}
