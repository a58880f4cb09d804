# The accelerators that come with the programs: each loads, runs, says where its
# values are from, and has the peak that its maker states.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >cnn
}

@test "every accelerator runs a network, on the engine that the event engine checks" {
	n=0
	for file in "$ROOT"/configs/accel/*.json; do
		name=$(basename "$file" .json)
		[ "$name" != dosa-40nm ] || continue # has no 32-bit floats
		sf-lower --preset "$name" cnn | sf-check -e fast -e event
		n=$((n + 1))
	done
	[ "$n" -ge 12 ]
}

# bats test_tags=SF-52
@test "each says what it rests on, the sources of products and what is chosen" {
	for file in "$ROOT"/configs/accel/*.json; do
		about=$(jq -r .about "$file")
		case $(basename "$file" .json) in
		*-npu) [[ $about == Illustrative* ]] ;;
		*nm) [[ $about == *"for use as a base"* ]] ;;
		*)
			[[ $about == *"What no page says is chosen here"* ]]
			[[ $about == *.com/* || $about == *documentation* ||
			    $about == *IEEE* || $about == *manual* ]]
			;;
		esac
	done
	# What nobody held against its page says so, in the report, too.
	for name in apple-like-npu ethos-u55-256 ethos-u65-512 eyeriss \
	    hexagon-like-npu tpuv4-core tpuv5e; do
		trace | sf-lower -p $name | sf-report >out
		grep -q "^- $name: .* Not verified: " out
		trace | sf-lower -p $name | sf-report --format json |
		    jq -e '.accel.about[0]|test("Not verified")' >/dev/null
	done
	equal "$(sf-lower --list | cut -f 1)" \
	    "$(find "$ROOT/configs/accel" -name '*.json' -printf '%f\n' | sed 's/.json$//' | sort)"
}

@test "peaks and bandwidths are those that makers state" {
	# Operations a second of the chip, in units of 1e9, and bytes a second.
	while read -r name cores operations bandwidth; do
		sf-lower --preset "$name" cnn | grep '"kind":"accel"' | jq -e --argjson cores "$cores" \
		    --argjson operations "$operations" --argjson bandwidth "$bandwidth" '
		    (2 * $cores * .arrays * .array_rows * .array_cols * .clock_hz
		        / 1e9 / $operations - 1 | fabs) < 0.005 and
		    (.dram_bw * $cores / 1e9 / $bandwidth - 1 | fabs) < 1e-9' >/dev/null ||
		    { echo "$name"; false; }
	done <<-'END'
		gemmini16 1 512 8
		tpuv3-core 2 123000 900
		tpuv4-core 2 275000 1200
		tpuv5e 1 197000 819
		eyeriss 1 67.2 0.48
		ethos-u55-256 1 256 4
		ethos-u65-512 1 1024 3.75
		apple-like-npu 1 11000 68
		hexagon-like-npu 1 45000 135
	END
}
