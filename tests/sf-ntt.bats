# sf-ntt: the workload by arithmetic, and the transform behind it by Python's
# integers.

load helpers

@test "a product is four operators a limb over rows of 2^N words" {
	run -0 --separate-stderr sf-ntt --log-n 3 --limbs 2 --products 3
	equal "$stderr" ""
	equal "$(jq -r 'select(.kind=="op").name' <<<"$output" | sort | uniq -c |
		tr -s ' \n' ' ')" " 6 fhe.intt 6 fhe.mulmod 12 fhe.ntt "
	# (8 / 2) x 3 butterflies.
	equal "$(jq -c 'select(.name=="fhe.ntt" or .name=="fhe.intt") |
		.attrs.butterflies' <<<"$output" | sort -u)" 12
	equal "$(jq -c 'select(.kind=="op") | (.inputs + .outputs)[] |
		[.shape, .dtype, .itemsize]' <<<"$output" | sort -u)" \
		'[[8],"u64",8]'
	equal "$(jq -c 'select(.kind=="trace").workload' <<<"$output")" \
		'{"log_n":3,"limbs":2,"products":3}'
}

@test "the default is 2^16 coefficients in 24 limbs" {
	run -0 sf-ntt
	equal "$(jq -s '[.[] | select(.kind=="op")] | length' <<<"$output")" 96
	# 2^15 x 16 butterflies.
	equal "$(jq -c 'select(.name=="fhe.ntt").attrs.butterflies' \
		<<<"$output" | sort -u)" 524288
}

@test "the transform back waits for the product, and that for both transforms" {
	sf-ntt --log-n 4 --limbs 2 --products 2 | jq -s '
		[.[] | select(.kind=="op")] as $ops |
		(reduce $ops[] as $o ({}; .[$o.outputs[0].tid] = $o.i)) as $by |
		[$ops[] | [.inputs[].tid | $by[.]]]' -c >deps
	equal "$(cat deps)" "[[null],[null],[0,1],[2],[null],[null],[4,5],[6],[null],[null],[8,9],[10],[null],[null],[12,13],[14]]"
}

@test "sizes that cannot be meant are refused" {
	for args in '-n 0' '-n 41' '-l 0' '-p 0' '-n x' 'operand'; do
		# shellcheck disable=SC2086 # several words are meant
		run -2 --separate-stderr sf-ntt $args
		one_line_error
	done
}

# Big integers and the definition alone: c = a b mod X^N + 1 mod q, and q the
# smallest prime of its form, by trial division.
oracle='
import sys
rows = {l.split()[0]: list(map(int, l.split()[1:])) for l in sys.stdin}
q, a, b, c = rows["q"][0], rows["a"], rows["b"], rows["c"]
n, floor = len(a), int(sys.argv[1])
want = [0] * n
for i, x in enumerate(a):
    for j, y in enumerate(b):
        want[(i + j) % n] += x * y if i + j < n else -x * y
assert c == [w % q for w in want], "product"
prime = lambda p: p > 1 and all(p % d for d in range(2, int(p ** 0.5) + 1))
k = -(-(floor - 1) // (2 * n))
while k * 2 * n + 1 < floor or not prime(k * 2 * n + 1):
    k += 1
assert q == k * 2 * n + 1, "prime"
print("ok", n)
'

# bats test_tags=SF-36
@test "products and primes are those of Python's integers" {
	for log_n in 1 2 5 8; do
		for floor in 2 536870912 4294967296; do
			run -0 bash -c '"$SF_UNIT/ntt" "$1" "$2" |
				python3 -c "$3" "$2"' - $log_n $floor "$oracle"
			equal "$output" "ok $((1 << log_n))"
		done
	done
}

# bats test_tags=SF-36
@test "for every size and prime the product is the schoolbook's" {
	run -0 "$SF_UNIT/ntt"
	equal "$output" ""
}
