# The parameters of accelerators, devices and links: each row of their tables is
# set, read, left out and refused in turn, and what is written of them is what
# the tables say.

load helpers

# lowered ARGUMENT... - the small CNN in tiles of the edge accelerator.
lowered() {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower --preset edge-npu "$@"
}

# offloaded ARGUMENT... - the small CNN split between a device and a host.
offloaded() {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-cost -o h100 -l pcie5 -s matmul "$@"
}

# refused STATUS TEXT COMMAND... - it ends so, with one line that has TEXT.
refused() {
	local status=$1 text=$2
	shift 2
	run "-$status" --separate-stderr "$@" </dev/null
	one_line_error
	equal "$output" ""
	[[ $stderr == *"$text"* ]] || {
		echo "$stderr"
		return 1
	}
}

# accel JQ ARGUMENT... - of the accel record of an empty trace, on edge-npu
# where no other is named.
accel() {
	local filter=$1
	shift
	case " $* " in
	*" -p "*) ;;
	*) set -- -p edge-npu "$@" ;;
	esac
	trace | sf-lower "$@" |
	    jq -c "select(.kind==\"accel\")|$filter"
}

# device JQ ARGUMENT... - of the device record of an empty trace.
device() {
	local filter=$1
	shift
	trace | sf-cost "$@" | jq -c "select(.kind==\"device\")|$filter"
}

# ---- what is written ----

@test "the pages, the format and the schema have the parameters of the tables" {
	run -0 "$ROOT/tests/keys.py" "$ROOT"
	equal "$output" ""
}

@test "a page, a format or a schema that says something else is found" {
	mkdir -p tree/docs
	while IFS='|' read -r file edit; do
		rm -rf tree/formats tree/docs/man
		cp -r "$ROOT/formats" tree
		cp -r "$ROOT/docs/man" tree/docs
		sed -i "$edit" "tree/$file"
		refute cmp -s "tree/$file" "$ROOT/$file"
		run -1 "$ROOT/tests/keys.py" tree
		[[ $output == *"$file"* ]]
	done <<-'END'
		docs/man/sf-lower.1|s/^.It Va noc_bw Pq.*/.It Va noc_bw/
		docs/man/sf-lower.1|s/^.It Va noc_bw /.It Va noc_bandwidth /
		docs/man/sf-lower.1|s/^.Cm ntt .$/.Cm matmul ./
		docs/man/sf-lower.1|s/^The on-chip buffer.$/The default is 1./
		docs/man/sf-cost.1|s/^.Cm unknown .$/.Cm 0 ./
		docs/man/sf-cost.1|s/^.It Va latency Pq s/.It Va latency Pq ns/
		formats/simfront-trace-1.md|/^| `latency_s`/d
		formats/simfront-trace-1.md|s/^| `bw_eff` | number | always/& and/
		formats/simfront-trace-1.schema.json|s/"default": 0/"default": 1/
		formats/simfront-trace-1.schema.json|s/"memory_bytes"/"memory_size"/
		formats/simfront-trace-1.schema.json|s/"maximum": 65536/"maximum": 8/
	END
}

# ---- --keys and --list ----

# Parameters of an accelerator that every record has; the others are coefficients.
plain() { sf-lower --keys | grep -vE '^(energy|area)\.'; }

@test "--keys has the coefficients that a configuration may have" {
	names() { sf-lower --keys | sed -n "s/^$1\.\([^	]*\)	.*/\1/p"; }
	for part in energy area; do
		# As the law names them, in its order.
		for name in $(names $part); do
			grep -q "\`$name\`" "$ROOT/formats/simfront-trace-1.md"
		done
		# Each is a member of a configuration, to the ends of its range.
		while IFS=$'\t' read -r name unit range default _; do
			equal "$default" unknown
			refute [ "$unit" = - ]
			for value in "${range%..*}" "${range#*..}"; do
				echo "{\"base\":\"edge-npu\",\"$part\":{\"${name#*.}\":{\"value\":$value,\"kind\":\"published\",\"source\":\"s\"}}}" >own.json
				lower_from ./own.json >out
				equal "$(jq -c "select(.kind==\"accel\").$part|
				    keys[0]" out)" "\"${name#*.}\""
			done
			lower_with "$name=${range#*..}" >out
			equal "$(jq -r "select(.kind==\"accel\").$name.source" \
			    out)" "given with --set"
		done < <(sf-lower --keys | grep "^$part\.")
	done
	# And no other: what a file has beyond them is refused by their names.
	echo '{"base":"edge-npu","energy":{"bogus":{"value":1,"kind":"published","source":"s"}}}' >own.json
	refused 3 "$(names energy | paste -sd, | sed 's/,/, /g')" \
	    lower_from ./own.json
}

lower_from() { trace | sf-lower -p "$1"; }

@test "--keys prints five columns a parameter, and only once" {
	for program in sf-lower sf-cost; do
		run -0 --separate-stderr "$program" --keys <&-
		equal "$stderr" ""
		equal "$(awk -F '\t' 'NF != 5 || /(^|\t)(\t|$)/' <<<"$output")" ""
		equal "$(cut -f 1 <<<"$output" | sort | uniq -d)" ""
		[ "${#lines[@]}" -ge 12 ]
	done
	equal "$(plain | cut -f 1)" \
	    "$(accel 'del(.kind, .preset, .about)|keys_unsorted[]' | jq -r .)"
	# Efficiencies of a category are there where they are known, and so are
	# peaks of types.
	equal "$(sf-cost --keys | cut -f 1 | grep -v '\.' |
	    grep -vE '._(flops_eff|bw_eff|call)$')" \
	    "$(device 'keys_unsorted[3:16][]' -d b200 -S peak_i4=1GFLOP/s |
	    jq -r .)"
	# What a host may have is what a device may have.
	diff <(sf-cost --keys | grep -vE '^[a-z]+\.') \
	    <(sf-cost --keys | sed -n 's/^host\.//p')
}

@test "--list prints what can be named, with what it says of itself" {
	for pair in 'sf-lower accel' 'sf-model models'; do
		read -r program kind <<<"$pair"
		run -0 --separate-stderr "$program" --list <&-
		equal "$stderr" ""
		equal "$(cut -f 1 <<<"$output" | sort)" \
		    "$(basename -s .json "$ROOT/configs/$kind"/*.json | sort)"
	done
	equal "$(sf-lower --list | grep -c $'^edge-npu\tIllustrative edge ')" 1
	equal "$(sf-model --list | grep -c $'\t')" 0
	equal "$(sf-cost --list | awk -F '\t' '{ print $3 "s/" $1 ".json" }' |
	    sort)" "$(cd "$ROOT/configs" && ls -- devices/* links/* | sort)"
	equal "$(sf-cost --list | grep -P '^pcie5\t')" \
	    $'pcie5\tPCI Express 5.0, 16 lanes\tlink'
	# One line a name, whatever is in the text, and the text of the base.
	mkdir -p here/accel
	jq '.about = "two\nlines\tand a tab"' \
	    "$ROOT/configs/accel/edge-npu.json" >here/accel/a.json
	echo '{"base":"a"}' >here/accel/b.json
	equal "$(SIMFRONT_CONFIGS=here sf-lower --list)" \
	    $'a\ttwo lines and a tab\nb\ttwo lines and a tab'
	echo '{' >here/accel/c.json
	SIMFRONT_CONFIGS=here refused 3 here/accel/c.json:2 sf-lower --list
}

@test "--keys and --list go with no other option and no operand" {
	for args in 'sf-lower --keys --list' 'sf-lower --keys -p edge-npu' \
	    'sf-lower --list in' 'sf-lower -l -q' 'sf-cost --keys -d h100' \
	    'sf-cost --list --keys' 'sf-cost -L -n 1' 'sf-cost -k in' \
	    'sf-model --list gpt2' 'sf-model -l -b 2'; do
		refused 2 "stands alone, expected no other option" $args
	done
	refused 2 "missing operand; usage: sf-model" sf-model
	for args in 'sf-lower --keys' 'sf-cost --list' 'sf-model --list'; do
		run -4 --separate-stderr bash -c "$args >/dev/full"
		one_line_error
	done
}

# ---- each row ----

@test "a row of each type takes what it says, as text and in a record" {
	run -0 "$SF_UNIT/keys"
	equal "$output" ""
}

# tried PROGRAM RANGE - values in the range, a line each, with their JSON where
# the record's differs, and a line of what is out of it behind "!".
tried() {
	python3 - "$1" <<'END'
import re, sys
text = sys.argv[1]
if text.startswith("some of "):
    names = text[8:].split(",")
    for n in names:
        print(n, '["%s"]' % n)
    print(",".join(names), "[%s]" % ",".join('"%s"' % n for n in names))
    print("!" + names[0] + ",bogus"), print("!," + names[0])
elif text.startswith("one of "):
    for n in text[7:].split(","):
        print(n, '"%s"' % n)
    print("!bogus")
elif text == "on or off":
    for t, v in ("on", "true"), ("off", "false"), ("true", "true"):
        print(t, v)
    print("!1"), print("!")
else:
    least, most = re.search(r"(\S+)\.\.(\S+)", text).groups()
    for x in least, most:
        print(x, x)
    if text.startswith("off "):
        print("off", 0), print("0", 0)
    print("!%r" % (float(most) * 1.01)), print("!-1"), print("!")
    print("!fast"), print("!nan"), print("!1parsec")
    if text.startswith("whole "):
        print("!%s.5" % least)
END
}

# each_row COMMAND PREFIX < ROWS - sets each row to what it may and may not be.
# COMMAND KEY=VALUE prints the members of the record.
each_row() {
	local command=$1 prefix=$2 name unit range value json member
	while IFS=$'\t' read -r name unit range _ _; do
		while read -r value json; do
			if [[ $value == !* ]]; then
				refused 2 "$name" $command \
				    "$prefix$name=${value#!}"
				continue
			fi
			member=$name
			# In a record a time of a device or a link says so.
			[ "$command $unit" != "cost_with s" ] ||
			    member=${name}_s
			run -0 --separate-stderr $command "$prefix$name=$value"
			echo "$name=$value"
			equal "$(jq -c "select(.kind==\"accel\" or
			    .kind==\"device\")|.$prefix$member" \
			    <<<"$output")" "$(jq -nc "$json")"
		done < <(tried "$range")
	done
}

lower_with() { trace | sf-lower -p edge-npu -s buffer_bytes=1TiB -s "$1"; }

cost_with() { trace | sf-cost -o h100 -l pcie5 -s matmul -S "$1"; }

@test "each parameter takes its range or its choices, and nothing else" {
	# Of a buffer of one byte half is no byte, nor is 1e-9 of two MiB.
	plain | grep -v '^buffer_bytes' | each_row lower_with ""
	equal "$(accel .buffer_bytes -s buffer_bytes=1B -s tile_fraction=1)" 1
	sf-cost --keys | grep -vE '^[a-z]+\.' | each_row cost_with ""
	sf-cost --keys | sed -n 's/^host\.//p' | each_row cost_with host.
	sf-cost --keys | sed -n 's/^link\.//p' | each_row cost_with link.
}

@test "a record without a parameter has its default, or is refused by name" {
	lowered --quantise >quantised
	lowered >in
	sf-sim --tiles <in | grep -v '^{"kind":"accel"' >want
	while IFS=$'\t' read -r name _ _ default _; do
		sed -E '/^\{"kind":"accel"/s/,"'"$name"'":(\[[^]]*\]|[^,}]*)//' \
		    in >old
		refute cmp -s in old
		if [ "$default" = - ]; then
			refused 3 "old:5: accel: '$name' is missing" sf-sim old
			refused 3 "old:5: accel: '$name' is missing" \
			    sf-check old
			continue
		fi
		echo "$name"
		sf-sim --tiles <old | grep -v '^{"kind":"accel"' | diff - want
		sf-check old >said
	done < <(plain)
	# The default, and not what stood there.
	sed '/"kind":"accel"/s/,"quantise":true//' quantised |
	    sf-sim --tiles >old
	jq -c 'select(.kind=="tile").t' old >have
	jq -c 'select(.kind=="tile").t' want | diff have -
}

@test "a parameter twice in a record is refused, and one of another kind" {
	lowered >in
	while IFS=$'\t' read -r name _ _ _ _; do
		sed -E '/^\{"kind":"accel"/s/,("'"$name"'":(\[[^]]*\]|[^,}]*))/&,\1/' \
		    in >bad
		refused 3 "bad:5: accel: '$name' is there twice" sf-sim bad
		for value in null '"bogus"' '{}' '[1]' '["bogus"]' -7 1e400; do
			sed -E '/^\{"kind":"accel"/s/"'"$name"'":(\[[^]]*\]|[^,}]*)/"'"$name"'":'"$value"'/' \
			    in >bad
			refused 3 "bad:5:" sf-sim bad
		done
	done < <(plain)
}

# ---- a table with more rows ----

@test "twenty more rows with defaults break nothing, in old traces or in new" {
	mkdir lib
	cp -r "$ROOT/lib/." lib
	for i in $(seq 4); do
		cat <<-END
			SF_ACCEL_KEY(more_real_$i, REAL, S, SF_KEY_RANGE(0, 1), "1ms", "r")
			SF_ACCEL_KEY(more_int_$i, INT, BYTES, SF_KEY_RANGE(0, 9), "3", "i")
			SF_ACCEL_KEY(more_off_$i, OFF, HZ, SF_KEY_RANGE(1, 9), "off", "o")
			SF_ACCEL_KEY(more_flag_$i, FLAG, NONE, SF_KEY_ANY, "on", "f")
			SF_ACCEL_KEY(more_words_$i, WORDS, NONE, SF_KEY_CHOICES(sf_category_work), "ntt,norm", "w")
		END
	done >>lib/accel/key.def
	for program in sf-lower sf-sim; do
		gcc -std=c11 -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -Ilib \
		    -ffp-contract=off \
		    ${SF_SANITIZED:+-fsanitize=address,undefined} \
		    -o "new-$program" "$ROOT/bin/$program.c" lib/accel/*.c \
		    "${SF_BIN%/bin}/lib/libsimfront.a" -ljansson -lz -lm
	done
	equal "$(./new-sf-lower --keys | wc -l)" \
	    $((20 + $(sf-lower --keys | wc -l)))
	# An older trace in the newer program, and a newer one in the older.
	lowered >old
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    ./new-sf-lower --preset edge-npu >new
	equal "$(jq -c 'select(.kind=="accel")|[.more_real_4, .more_int_4,
	    .more_off_4, .more_flag_4, .more_words_4]' new)" \
	    '[0.001,3,0,true,["norm","ntt"]]'
	for trace in old new; do
		sf-sim --tiles $trace | grep -v '^{"kind":"accel"' >want
		./new-sf-sim --tiles $trace | grep -v '^{"kind":"accel"' |
		    diff - want
	done
	refused 3 "accel: 'more_flag_3' is 7, expected true or false" \
	    ./new-sf-sim <(sed 's/"more_flag_3":true/"more_flag_3":7/' new)
	# All keys are in the message: none of it has a fixed size.
	refused 2 "unknown key 'bogus', expected one of: " \
	    ./new-sf-lower --preset edge-npu --set bogus=1
	for key in $(./new-sf-lower --keys | cut -f 1 | grep -v '\.'); do
		[[ $stderr =~ [\ ]$key(,|$) ]]
	done
	jq '.bogus = 1' "$ROOT/configs/accel/edge-npu.json" >bogus.json
	refused 3 "more_words_4, energy, area, about, base" \
	    ./new-sf-lower --preset bogus.json
}

@test "a newer parameter of a device, a host or a link has its default" {
	mkdir lib
	cp -r "$ROOT/lib/." lib
	echo 'SF_DEVICE_KEY(more, INT, BYTES, SF_KEY_RANGE(0, 9), "3", "i")' \
	    >>lib/cost/device.def
	echo 'SF_LINK_KEY(more, REAL, S, SF_KEY_RANGE(0, 9), "5ms", "r")' \
	    >>lib/cost/link.def
	cat >read.c <<-'END'
		#include "cost/device_record.h"

		int
		main(int argc, char *argv[])
		{
			static const struct sf_opt opts[] = { SF_OPT_END };
			const struct sf_tool tool = { .name = "read",
				.summary = "Read.", .opts = opts };
			struct sf_stream *s = sf_sink_open(&tool, argc, argv);
			struct sf_device_record d;

			for (enum sf_kind k; (k = sf_stream_next(s)) != SF_K_EOF;) {
				if (k != SF_K_DEVICE)
					continue;
				sf_device_record_read(s, NULL, &d);
				sf_buf_printf(sf_stream_text(s), "%d %d %g\n",
				    (int)d.device.more, (int)d.host.more,
				    d.link.more);
			}
			return sf_stream_close(s);
		}
	END
	gcc -std=c11 -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -Ilib \
	    -ffp-contract=off ${SF_SANITIZED:+-fsanitize=address,undefined} \
	    -o read read.c lib/cost/*.c "${SF_BIN%/bin}/lib/libsimfront.a" \
	    -ljansson -lz -lm
	equal "$(offloaded | ./read)" "3 3 0.005"
	equal "$(sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-cost -d h100 |
	    ./read)" "3 3 0.005"
	offloaded | sed -E 's/("host":\{)/"more":1,\1"more":2,/
	    s/("link":\{)/\1"more_s":0.5,/' | ./read >said
	equal "$(cat said)" "1 2 0.5"
}

# ---- configurations with a base ----

crc() {
	python3 -c 'import sys, zlib
print("%08x" % zlib.crc32(open(sys.argv[1], "rb").read()))' "$1"
}

@test "a configuration begins from its base, and all files are inputs" {
	mkdir -p up/deep
	echo '{"base":"edge-npu","dram_channels":4,"dram_bw":"51.2GB/s"}' \
	    >up/first.json
	echo '{"dram_bw":"1GB/s","base":"../first.json"}' >up/deep/second.json
	equal "$(accel 'del(.preset)' -p up/deep/second.json)" \
	    "$(accel 'del(.preset)' -s dram_channels=4 -s dram_bw=1GB/s)"
	equal "$(trace | sf-lower -p up/deep/second.json -s dram_bw=2GB/s |
	    jq -c 'select(.kind=="tool").inputs|map([.name, .crc32])')" \
	    "$(jq -nc '[["second.json",$a],["first.json",$b],
		["edge-npu.json",$c]]' --arg a "$(crc up/deep/second.json)" \
		--arg b "$(crc up/first.json)" \
		--arg c "$(crc "$ROOT/configs/accel/edge-npu.json")")"
	equal "$(accel .preset -p up/deep/second.json)" '"second"'
	equal "$(cd up/deep && accel .dram_channels -p second.json)" 4
	# A device's, whose figures keep what they rest on, and a link's.
	echo '{"base":"h100","memory_bw":{"value":"5TB/s","kind":"hypothetical",
	    "source":"test"}}' >d.json
	equal "$(device '[.name, .memory_bw, .peak_flops]' -d d.json)" \
	    '["d",5000000000000,989000000000000]'
	echo '{"base":"pcie5"}' >l.json
	equal "$(device '[.link.name, .link.bw]' -o d.json -s matmul \
	    -l l.json)" '["l",64000000000]'
	equal "$(trace | sf-cost -o d.json -s matmul -l l.json | jq -c \
	    'select(.kind=="tool").inputs|map(.name)')" \
	    '["d.json","h100.json","l.json","pcie5.json","host.json"]'
	echo '{"base":"h100","memory_bw":"5TB/s"}' >d.json
	refused 3 "d.json:1: 'memory_bw' is no object of value, kind" \
	    sf-cost -d d.json
}

@test "a base that leads nowhere, back, or too deep is refused by name" {
	echo '{"base":"nosuch"}' >a.json
	refused 3 "a.json:1: 'base': no configuration 'nosuch' in " \
	    sf-lower -p a.json
	[[ $stderr == *"which has: apple-like-npu, dc-npu, dosa-40nm, edge-npu, ethos-u55-256, ethos-u65-512, eyeriss, gemmini16, hexagon-like-npu, horowitz-45nm, tpuv3-core, tpuv4-core, tpuv5e" ]]
	printf '{\n"base":"nosuch.json"}' >a.json
	refused 3 "a.json:2: 'base': cannot open nosuch.json" sf-lower -p a.json
	for base in 7 '""' '["edge-npu",7]' null '{}'; do
		echo "{\"base\":$base}" >a.json
		refused 3 "a.json:1: 'base' is no text" sf-lower -p a.json
	done
	echo '{"base":"a.json"}' >a.json
	refused 3 "a.json:1: 'base': 'a.json' leads back to a.json" \
	    sf-lower -p a.json
	echo '{"base":"./b.json"}' >a.json
	echo '{"base":"../here/c.json"}' >b.json
	echo "{\"base\":\"$PWD/b.json\"}" >c.json
	ln -s . here
	ln -s "$PWD" ../here
	refused 3 "c.json:1: 'base': '$PWD/b.json' leads back to ./b.json" \
	    sf-lower -p a.json
	rm ../here
	# Eight bases are well, nine are not.
	cp "$ROOT/configs/accel/edge-npu.json" 0.json
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "{\"base\":\"$((i - 1)).json\",\"array_rows\":$i}" >$i.json
	done
	equal "$(accel '[.preset, .array_rows, .array_cols]' -p 8.json)" \
	    '["8",8,32]'
	refused 3 "1.json:1: 'base': '0.json' is number 9 behind 9.json, expected at most 8" \
	    sf-lower -p 9.json
	# What is wrong in a base is wrong in its own file.
	echo '{"base":"b.json"}' >a.json
	echo '{"base":"edge-npu","array_rows":0}' >b.json
	refused 3 "b.json:1: array_rows is '0'" sf-lower -p a.json
	echo '{"array_rows":1}' >b.json
	refused 3 "a.json:1: no 'clock_hz'" sf-lower -p a.json
}

# ---- numbers without a unit ----

@test "a quantity of --set without its unit gets a note of what it is" {
	trace >in
	while IFS=$'\t' read -r name unit _ _ _; do
		case $unit in
		-) continue ;;
		bytes) symbol=B ;;
		bytes/s) symbol=B/s ;;
		*) symbol=$unit ;;
		esac
		value=3
		[ "$unit" != s ] || value=0.25
		for program in "sf-lower -p edge-npu -s tile_fraction=1" \
		    "sf-cost -o h100 -l pcie5 -s matmul"; do
			grep -q "^$name	" <(${program%% *} --keys) || continue
			run -0 --separate-stderr $program --set "$name=$value" in
			one_line_error
			[[ $stderr == "${program%% *}: note: --set $name=$value: understood as $value $symbol; units: $symbol, "* ]]
			run -0 --separate-stderr $program \
			    --set "$name=$value$symbol" in
			equal "$stderr" ""
		done
	done < <(plain; sf-cost --keys)
	run -0 --separate-stderr sf-lower -p edge-npu -s dram_bw=25.6 in
	equal "$stderr" "sf-lower: note: --set dram_bw=25.6: understood as 25.6 B/s; units: B/s, kB/s, KB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s"
	# Nothing to say of 0, of what has no unit, of files and of records.
	run -0 --separate-stderr bash -c 'sf-lower -p edge-npu -s noc_latency=0 \
	    -s dram_latency=0.0 -s array_rows=7 -s transit_ops_per_byte=2 in |
	    sf-sim | sf-report'
	equal "$stderr" ""
	jq '.dram_bw = 25600000000' "$ROOT/configs/accel/edge-npu.json" >my.json
	run -0 --separate-stderr sf-lower -p my.json in
	equal "$stderr" ""
}

# ---- sf-cost --set ----

@test "sf-cost --set changes a device as another file would" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	jq '.memory_bw.value = "1GB/s"' "$ROOT/configs/devices/h100.json" \
	    >h100.json
	sf-cost -d h100.json in | grep -v '"kind":"tool"' >want
	sf-cost -d h100 -S memory_bw=2TB/s --set memory_bw=1GB/s in |
	    grep -v '"kind":"tool"' | diff - want
	jq '.peak_flops.value = "1GFLOP/s"' "$ROOT/configs/devices/host.json" \
	    >host.json
	jq '.latency.value = "1ms"' "$ROOT/configs/links/pcie5.json" \
	    >pcie5.json
	sf-cost -o h100.json -l pcie5.json -H host.json -s matmul in |
	    grep -v '"kind":"tool"' >want
	offloaded -S memory_bw=1GB/s -S host.peak_flops=1GFLOP/s \
	    -S link.latency=1ms | grep -v '"kind":"tool"' | diff - want
	equal "$(sf-cost -d h100 -S bw_eff=1 in | jq -c \
	    'select(.tool=="sf-cost").args')" \
	    '["--device","h100","--set","bw_eff=1"]'
}

@test "a setting of sf-cost that cannot be meant is refused" {
	refused 2 "unknown key 'bogus', expected one of: peak_flops, peak_i4, peak_f4, peak_i8, peak_f8, peak_f16, peak_tf32, peak_f32, peak_f64, memory_bw, memory_bytes, flops_eff, bw_eff, matmul_flops_eff, matmul_bw_eff, matmul_call, " \
	    sf-cost -d h100 --set bogus=1
	refused 2 "unknown key 'bw'" sf-cost -d h100 --set bw=1
	refused 2 "found 'memory_bw', expected KEY=VALUE" \
	    sf-cost -d h100 --set memory_bw
	refused 2 "option '--set link.bw=1GB/s' goes with '--offload' only" \
	    sf-cost -d h100 --set link.bw=1GB/s
	refused 2 "option '--set host.bw_eff=1' goes with '--offload' only" \
	    sf-cost -d h100 --set host.bw_eff=1
	refused 2 "host.bw_eff is '2', expected a number from 1e-06 to 1" \
	    sf-cost -o h100 -l pcie5 -s matmul --set host.bw_eff=2
	equal "$(device .memory_bytes -d h100 -S memory_bytes=unknown)" null
}
