# Against measurements: how far off is computed on times that are made up, and the
# page is what the measured sets give, where they are.

load helpers

# products FACTOR... - a table of TPU products whose times are FACTOR times the
# model's, in times.tsv.
products() {
	mkdir -p data
	printf 'M\tN\tK\tus\n' >data/tpuv4_matmul.tsv
	for factor; do
		n=$((n + 256))
		trace "{\"kind\":\"op\",\"i\":0,\"name\":\"aten.mm\",\"inputs\":[{\"tid\":\"x\",\"shape\":[$n,512],\"dtype\":\"bf16\",\"itemsize\":2},{\"tid\":\"w\",\"shape\":[512,128],\"dtype\":\"bf16\",\"itemsize\":2,\"param\":true}],\"outputs\":[{\"tid\":\"y\",\"shape\":[$n,128],\"dtype\":\"bf16\",\"itemsize\":2}]}" |
		    sf-rules | sf-lower --preset tpuv4-core | sf-sim |
		    jq -r --argjson f "$factor" --argjson n "$n" 'select(.kind=="summary") |
		        [$n, 128, 512, .makespan_s * 1e6 * $f] | @tsv' >>data/tpuv4_matmul.tsv
	done
}

@test "errors of times that are half, once and twice the model's" {
	# (1/f - 1) of 0.5, 1, 2 and 5: 100, 0, -50, -80 %.
	products 0.5 1 2 5
	run -0 "$ROOT/pipelines/validate" data page.md
	grep -qF '| the model | 57.5 | 65.0 | -7.5 | 1.000 |' page.md
	grep -qF 'Farthest off: M256 N128 K512 +100 %; M1024 N128 K512 -80 %;' page.md
	grep -qF 'on 4 problems of 1 sets' page.md
	# No measured time is in it.
	refute grep -qF "$(sed -n 3p data/tpuv4_matmul.tsv | cut -f 4)" page.md
}

@test "what is fitted has no error on times that are its terms" {
	mkdir data
	{
		printf 'M\tN\tK\tus\n'
		for m in 128 256 640 1024; do
			# 3 us, 2 us a million MACs, 1 us a million bytes.
			awk -v m=$m 'BEGIN { n = 128; k = 64 * (1 + m % 5);
			    t = 3 + 2e-6 * m * n * k + 2e-6 * (m * k + k * n + m * n);
			    printf "%d\t%d\t%d\t%.9f\n", m, n, k, t }'
		done
	} >data/tpuv4_linear.tsv
	"$ROOT/pipelines/validate" data page.md
	grep -qE '^\| a MACs \+ b bytes \+ c, fitted to these \| 0\.0 \| 0\.0 \| [-+]0\.0 \| 1\.000 \|$' page.md
	refute grep -qE '^\| a MACs \+ b bytes, fitted to these \| 0\.0 ' page.md
}

@test "no directory, or none of the tables, is one line" {
	run -1 --separate-stderr "$ROOT/pipelines/validate" nowhere
	[[ $stderr == "validate: no directory of measured times"* ]]
	mkdir empty
	run -1 --separate-stderr "$ROOT/pipelines/validate" empty
	[[ $stderr == "validate: empty has none of: gemmini16.tsv, "* ]]
	run -2 make -s -C "$ROOT" validate
	[[ $output == *"missing SF_DATA=DIR"* ]]
}

@test "the page is what the measured sets give, and Gemmini's error is 10.7 %" {
	need_shared
	"$ROOT/pipelines/validate" "$SF_SHARED/data/accel" page.md
	cmp page.md "$ROOT/docs/validation.md"
	grep -qF '| the model | 10.7 |' page.md
	grep -qF '| MACs over peak | 35.4 |' page.md
	grep -qF '| the larger of that and bytes over bandwidth | 22.9 |' page.md
}
