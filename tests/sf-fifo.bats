# sf-fifo against the published table, against CPython's own random numbers,
# and against Little's law.

load helpers

# The rows of a case, as depth:throughput:blocked:starved:L:lambda W:max.
rows() {
	sf-fifo | sed -n "s/^| $1 *|//p" | tr -d ' ' | tr '|' ':' | sed 's/:$//'
}

@test "the slow consumer's table is the published one" {
	equal "$(rows 'slow consumer')" "1:0.8271:17.0%:0.6%:0.809:0.809:1
2:0.8308:16.6%:0.1%:1.761:1.761:2
4:0.8317:16.4%:0.0%:3.709:3.709:4
8:0.8317:16.2%:0.0%:7.641:7.641:8
16:0.8317:15.9%:0.0%:15.373:15.373:16"
}

@test "the bursty case's table is the published one" {
	equal "$(rows bursty)" "1:0.5741:42.9%:42.5%:0.503:0.503:1
2:0.6181:38.5%:38.1%:1.003:1.003:2
4:0.7219:28.1%:27.7%:2.021:2.021:4
8:0.9054:9.6%:9.3%:4.208:4.208:8
16:0.9641:3.4%:3.4%:7.805:7.805:16"
}

# The same model with CPython's generator and no queue at all: the level at a
# time is counted over all items.
oracle='
import random, sys
produce, consume = float(sys.argv[1]), float(sys.argv[2])
burst, depth, items, seed = map(int, sys.argv[3:])
p, c = random.Random(seed), random.Random(seed + 1000)
ready = idle = blocked = starved = 0.0
put, get = [], []
for j in range(items):
    if j % burst == 0:
        mean = produce * burst
        ready += p.uniform(mean * 0.5, mean * 1.5)
    t = max(ready, get[j - depth] if j >= depth else 0.0)
    blocked += t - ready
    ready = t
    put.append(t)
    t = max(idle, t)
    starved += t - idle
    get.append(t)
    idle = t + c.uniform(consume * 0.5, consume * 1.5)
most = max(sum(1 for k in range(max(0, j - depth), j + 1)
               if k == j or get[k] > put[j]) for j in range(items))
print(repr(items / idle), repr(blocked / idle), repr(starved / idle), most)
'

@test "every digit is that of the same run with CPython's generator" {
	while read -r produce consume burst depth items seed; do
		want=$(python3 -c "$oracle" "$produce" "$consume" "$burst" \
			"$depth" "$items" "$seed")
		got=$(sf-fifo -f json -p "$produce" -c "$consume" -b "$burst" \
			-d "$depth" -n "$items" -s "$seed" | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(*(repr(float(r[k])) for k in ("throughput", "blocked", "starved")),
      r["max_depth"])')
		equal "$got" "$want"
	done <<-EOF
		1 1.2 1 1 2000 1
		1 1 8 16 2000 1
		0.7 1.1 3 5 1000 0
		2.5 2.4 7 2 500 4294967296
		1 0.1 2 3 300 123456789012345
		3 4 1000 10 1 7
		0 1 4 2 50 9
	EOF
}

# bats test_tags=SF-37
@test "L equals lambda W on every run" {
	for seed in 0 1 2 3 4 5 6 7; do
		sf-fifo -f json -s "$seed" -p 1 -c 0.95 -b 5
	done >runs
	equal "$(jq -s 'length' runs)" 40
	equal "$(jq -s 'map(select((.mean_depth - .lambda_w | fabs) >
		1e-9 * .mean_depth)) | length' runs)" 0
}

@test "a deeper queue is never slower" {
	sf-fifo -f json -b 8 $(seq -f '-d %g' 1 40) >runs
	equal "$(jq -s '[.[].throughput] | . == sort' runs)" true
}

@test "json, csv and the table agree" {
	equal "$(sf-fifo -f csv | tail -n +2 | cut -d, -f5,6,11)" \
		"$(sf-fifo -f json | jq -r '[.depth,.throughput,.max_depth]|@csv')"
}

@test "what cannot be meant is refused in one line" {
	for args in '-d 0' '-d x' '-d 1000001' '-p -1' '-c 1e13' '-n 0' '-b 0' \
		'-p 0 -c 0' '-f xml' 'operand'; do
		# shellcheck disable=SC2086 # several words are meant
		run -2 --separate-stderr sf-fifo $args
		one_line_error
		equal "$output" ""
	done
}

@test "a time or a depth out of its range says what the range is" {
	run -2 --separate-stderr sf-fifo -p -1
	equal "$stderr" "sf-fifo: option '--produce': found '-1', expected a number from 0 to 1000000000000"
	run -2 --separate-stderr sf-fifo -d 4 -d 1000001
	equal "$stderr" "sf-fifo: option '--depth': found '1000001', expected an integer from 1 to 1000000"
	run -2 --separate-stderr sf-cost -d h100 --op-overhead=-1us
	equal "$stderr" "sf-cost: option '--op-overhead': found '-1us', expected a number from 0 to 1000000 s"
	run -2 --separate-stderr sf-plot -o a.png --window=-2us,1us
	equal "$stderr" "sf-plot: option '--window': found '-2us,1us', expected numbers >= 0 s"
	run -2 --separate-stderr sf-plot -o a.png --window=1km,2km
	equal "$stderr" "sf-plot: option '--window': found '1km', expected a number, with or without one of: s ms us ns ps"
}

@test "--plot draws the queue over time, and the table is what it was" {
	sf-fifo >want
	for suffix in png svg pdf; do
		sf-fifo --plot "a.$suffix" >got
		cmp want got
		sf-fifo -o "b.$suffix" >got
		cmp "a.$suffix" "b.$suffix"
	done
}

# The pixels below the curve in each column of the left panel, top to bottom.
areas() {
	local x run out
	for x in $(seq 65 445); do
		for run in $("$ROOT/tests/png.py" a.png down "$x" c9d3da); do
			echo $((${run#*-} - ${run%-*} + 1))
		done
	done | awk '{ n += $1 } END { print n }'
}

@test "the picture's area is the items in the queue, by the oracle's times" {
	# Twice as slow a consumer: the queue of two is full nearly always.
	sf-fifo -d 2 -p 1 -c 2 -n 300 -o a.png >out
	want=$(python3 -c '
import random
p, c = random.Random(1), random.Random(1001)
ready = idle = 0.0
put, get = [], []
for j in range(300):
    ready = max(ready + p.uniform(0.5, 1.5), get[j - 2] if j >= 2 else 0.0)
    put.append(ready)
    get.append(max(idle, ready))
    idle = get[-1] + c.uniform(1, 3)
# The first 200 units of time, as a share of a queue that is always full.
area = sum(max(0, min(g, 200) - min(t, 200)) for t, g in zip(put, get))
print(round(1000 * area / 400))')
	# The panel is 384 pixels wide, and the limit is at 74 / 1.15 of them.
	got=$(python3 -c "print(round(1000 * $(areas) / (381 * 74 / 1.15)))")
	echo "got $got, want $want of 1000"
	# Lines on the area take some of it.
	[ $((want - got)) -lt 90 ] && [ $((got - want)) -lt 20 ]
}

@test "a picture that cannot be is a wrong command, and prints no table" {
	run -2 --separate-stderr sf-fifo --plot a.jpg
	equal "$output" ""
	equal "$stderr" "sf-fifo: option '--plot': found 'a.jpg', expected a name that ends in .png, .svg or .pdf"
	run -2 --separate-stderr sf-fifo -o a.png $(printf ' -d %d' {1..13})
	equal "$stderr" "sf-fifo: option '--plot' with 13 depths, expected at most 12"
	run -4 --separate-stderr sf-fifo -o no/such/a.png
	equal "$output" ""
	one_line_error
	sf-fifo -o a.png $(printf ' -d %d' {1..12}) >out
	equal "$(wc -l <out)" 26
}
