# sf-chrome: the events are those of the tile records, and the object is what
# trace viewers read.

load helpers

# Checks a file by what the format asks for, with nothing but a JSON parser:
# what each event must have, names before events, and that the events of a
# thread are in order and do not overlap, in double precision and when each number
# is rounded to nanoseconds, as Perfetto does. It also misreads more than 19
# digits behind the point. An arrow has two ends, each inside of an event. Prints
# what it counted.
check='
import json, re, sys

def constant(text):
    raise ValueError(text)

def ns(us):
    return round(1000 * us)

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
doc = json.loads(text, parse_constant=constant)
assert not re.search(r"[.]\d{20}", text)
assert sorted(doc) == ["displayTimeUnit", "traceEvents"]
assert doc["displayTimeUnit"] in ("ns", "ms")
processes, threads, ends, counters = {}, {}, {}, {}
events, flows, spans = 0, {}, {}
for e in doc["traceEvents"]:
    assert type(e["pid"]) is int and type(e["tid"]) is int
    lane = (e["pid"], e["tid"])
    if e["ph"] == "M":
        if e["name"] == "process_name":
            assert e["pid"] not in processes
            processes[e["pid"]] = e["args"]["name"]
        elif e["name"] == "thread_name":
            assert lane not in threads
            threads[lane] = e["args"]["name"]
        else:
            assert e["name"] == "thread_sort_index"
            assert type(e["args"]["sort_index"]) is int
        continue
    assert e["pid"] in processes and e["ts"] >= 0
    if e["ph"] == "C":
        key = (e["pid"], e["name"])
        (value,) = e["args"].values()
        assert type(value) is int and value >= 0
        last = counters.get(key, (-1, None))
        assert e["ts"] > last[0] and value != last[1], (key, e)
        counters[key] = e["ts"], value
        continue
    assert lane in threads and e["name"] and e["cat"]
    if e["ph"] in "sf":
        # The producer was before, and its event is there already.
        assert threads[lane] == "Operators"
        assert any(a < e["ts"] < b for a, b in spans[lane]), e
        assert (e["ph"] == "f") == (e.get("bp") == "e")
        assert e["id"] not in flows if e["ph"] == "s" else (
            flows[e["id"]][1] < e["ts"])
        flows[e["id"]] = e["pid"], e["ts"], e["ph"]
        continue
    assert e["ph"] == "X"
    if threads[lane] == "Operators":
        spans.setdefault(lane, []).append((e["ts"], e["ts"] + e["dur"]))
    assert e["dur"] > 0
    end, end_ns = ends.get(lane, (0, 0))
    assert e["ts"] >= end and ns(e["ts"]) >= end_ns, e
    ends[lane] = e["ts"] + e["dur"], ns(e["ts"]) + ns(e["dur"])
    events += 1
assert all(value == 0 for _, value in counters.values())
assert all(end == "f" for _, _, end in flows.values())
print(len(processes), len(threads), events, len(flows))
'

valid() { python3 -c "$check" "$1"; }

simulated() {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower --preset edge-npu "$@" | sf-sim --tiles
}

@test "the object keeps the format, on every kind of block" {
	simulated | sf-chrome >out
	# 14 tiles, each loaded, computed and stored, of as many operators, each of
	# which but the first reads what the one before it made.
	equal "$(valid out)" "1 5 56 13"
	simulated --set buffer_bytes=16KiB | sf-chrome >out
	run -0 valid out
	simulated --quantise | sf-chrome >out
	equal "$(valid out)" "1 5 56 13"
	simulated --set transit_ops_per_byte=1 \
	    --set transit_categories=elementwise | sf-chrome >out
	equal "$(valid out)" "1 6 56 13"
	sf-ntt --log-n 12 --limbs 3 | sf-rules | sf-lower --preset dc-npu |
	    sf-sim --tiles | sf-chrome >out
	run -0 valid out
	# Arrows may go from one core to another.
	simulated --set cores=3 | sf-chrome >out
	run -0 valid out
	[[ $output == "3 15 "* ]]
}

@test "no event runs into the next where times have no whole nanoseconds" {
	for more in '' '--set clock_hz=0.7GHz' '--set dram_bw=33GB/s' \
	    '--set clock_hz=3GHz --set dram_bw=3e13B/s --set dram_latency=0' \
	    '--set clock_hz=3GHz --quantise' \
	    '--set clock_hz=1e12Hz --set dram_bw=1e15B/s --set noc_bw=1e15B/s
	    --set dram_latency=0 --set noc_latency=0'; do
		simulated --set buffer_bytes=12KiB $more >in
		sf-chrome in >out
		[[ $(valid out) == "1 5 "* ]]
		# A duration gives way by half a nanosecond at most.
		python3 - <<'EOP'
import json
t, second = [], 1
for line in open("in"):
    r = json.loads(line)
    if r["kind"] == "accel" and r["quantise"]:
        second = 1 / r["clock_hz"]
    elif r["kind"] == "tile":
        t.append([1e6 * second * x for x in r["t"]])
at = {1: 2, 3: 4, 4: 4, 5: 6}
for e in json.load(open("out"))["traceEvents"]:
    if e["ph"] == "X" and "tile" in e["args"]:
        start, end = t[e["args"]["tile"]][at[e["tid"]]:][:2]
        assert abs(e["ts"] - start) < 1e-9, (e, start)
        assert -1e-9 < end - e["ts"] - e["dur"] < 0.5e-3 + 1e-9, (e, end)
EOP
	done
}

@test "what an operator waits for is its part on each core, and their mean its record" {
	sf-model gpt2 --tokens 16 | sf-rules >gpt2
	for cores in 1 3 8; do
		sf-lower -p edge-npu -s cores=$cores gpt2 | sf-sim -t >in
		sf-chrome in >out
		run -0 python3 - $cores <<'EOP'
import json, sys
cores, want, got, n = int(sys.argv[1]), {}, {}, 0
names = "compute", "load_bandwidth", "buffer_full", "dependency"
for line in open("in"):
    r = json.loads(line)
    if r["kind"] == "op" and "sim" in r:
        want[r["i"]] = [1e6 * r["sim"]["stalls_s"][k] for k in names]
for e in json.load(open("out"))["traceEvents"]:
    if e["ph"] != "X" or "compute_us" not in e["args"]:
        continue
    told = [e["args"][k + "_us"] for k in names]
    # Up to what viewers want of a duration.
    assert abs(sum(told) - e["dur"]) < 0.5e-3 + 1e-9, e
    sums = got.setdefault(e["args"]["op"], [0] * 4)
    for k in range(4):
        sums[k] += told[k] / cores
    n += 1
for i, sums in got.items():
    for a, b in zip(sums, want[i]):
        assert abs(a - b) < 1e-6, (i, sums, want[i])
assert len(got) > 100 and n > cores * 50
print(n)
EOP
	done
}

@test "real trace viewers read what is meant" {
	for more in '' '--set buffer_bytes=12KiB' '--quantise' \
	    '--set transit_ops_per_byte=1
	    --set transit_categories=elementwise' '--set cores=4'; do
		simulated $more
	done >in
	sf-chrome in >out
	run "${SF_VIEWER_PYTHON:-python3}" "$ROOT/tests/oracle/trace-viewers.py" in out
	[ "$status" != 77 ] || skip "$output"
	equal "$output" "perfetto: 1449 events, 104 arrows, 16 counters, 41 tracks
catapult: 1449 events, 104 arrows, 16 counters, 41 tracks"
}

@test "an event is what its tile record says" {
	simulated >in
	sf-chrome in >out
	# 256 x 144 and 144 x 32 elements in, 256 x 32 out, of four bytes.
	equal "$(jq -c '.traceEvents[] | select(.ph == "X" and .args.tile == 4) |
	    [.tid, .name, .cat, .args]' out)" \
	    '[1,"node_conv2d_1","matmul",{"op":4,"type":"onnx.Conv","tile":4,"category":"matmul","bytes":165888,"bound":"memory"}]
[3,"node_conv2d_1","matmul",{"op":4,"type":"onnx.Conv","tile":4,"category":"matmul","bytes":198656,"bound":"memory"}]
[5,"node_conv2d_1","matmul",{"op":4,"type":"onnx.Conv","tile":4,"category":"matmul","bytes":32768,"bound":"memory"}]'
	# Beginnings and ends of all, in microseconds.
	python3 - <<'EOP'
import json
tiles = [json.loads(line) for line in open("in")
         if line.startswith('{"kind":"tile"')]
want = sorted((t["i"], 1e6 * t["t"][a], 1e6 * t["t"][b])
              for t in tiles for a, b in ((2, 3), (4, 5), (6, 7)))
got = sorted((e["args"]["tile"], e["ts"], e["ts"] + e["dur"])
             for e in json.load(open("out"))["traceEvents"]
             if e["ph"] == "X" and "tile" in e["args"])
assert len(got) == len(want)
for g, w in zip(got, want):
    assert g[0] == w[0] and abs(g[1] - w[1]) < 1e-9 and \
        abs(g[2] - w[2]) < 1e-9, (g, w)
EOP
}

@test "the bytes of loads and stores are those of the summary" {
	for more in '' '--set buffer_bytes=16KiB' '--set buffer_bytes=4KiB'; do
		simulated $more >in
		sf-chrome in >out
		equal "$(jq -c '[.traceEvents[] | select(.ph == "X")] |
		    [([.[] | select(.tid == 1).args.bytes] | add),
		     ([.[] | select(.tid == 5).args.bytes] | add)]' out)" \
		    "$(jq -c 'select(.kind == "summary").bytes | [.read, .written]' in)"
	done
}

@test "the counter of the buffer has the summary's mean and peak" {
	for more in '' '--set buffer_bytes=16KiB' '--quantise'; do
		simulated $more >in
		sf-chrome in >out
		python3 - <<'EOP'
import json
records = [json.loads(line) for line in open("in")]
summary = next(r for r in records if r["kind"] == "summary")
size = next(r for r in records if r["kind"] == "accel")["buffer_bytes"]
steps = [(e["ts"], e["args"]["bytes"])
         for e in json.load(open("out"))["traceEvents"]
         if e["name"] == "buffer"]
assert steps[-1][1] == 0
area = sum(b * (t2 - t1) for (t1, b), (t2, _) in zip(steps, steps[1:]))
mean = area / (1e6 * summary["makespan_s"]) / size
assert abs(mean - summary["buffer"]["mean"]) < 1e-9
assert max(b for _, b in steps) / size == summary["buffer"]["peak"]
EOP
	done
}

@test "the counter of ready tiles is what the records say" {
	simulated --set buffer_bytes=64KiB --set dram_bw=400GB/s \
	    --set noc_bw=1TB/s >in
	sf-chrome in >out
	python3 - <<'EOP'
import json
tiles = [json.loads(line)["t"] for line in open("in")
         if line.startswith('{"kind":"tile"')]
steps = [(e["ts"], e["args"]["tiles"])
         for e in json.load(open("out"))["traceEvents"]
         if e["name"] == "ready"]
most = 0
for ts, value in steps:
    # As many as are loaded by then and not computed; times just beside a
    # change would be lost in microseconds.
    at = ts + 1e-7
    want = sum(1 for t in tiles if 1e6 * t[3] <= at < 1e6 * t[4])
    assert value == want, (ts, value, want)
    most = max(most, value)
assert most >= 1 and steps[-1][1] == 0
EOP
}

@test "what takes no time has no event" {
	trace '{"kind":"accel","preset":"hand","clock_hz":1e9,"array_rows":4,"array_cols":4,"vector_lanes":4,"buffer_bytes":4000,"tile_fraction":0.5,"dram_bw":1e9,"dram_channels":2,"dram_latency":0,"noc_bw":1e9,"noc_latency":0,"transit_ops_per_byte":0,"transit_categories":[],"quantise":false}' \
	    '{"kind":"op","i":0,"name":"a","inputs":[],"outputs":[],"category":"copy","flops":0,"bytes_read":8,"bytes_written":0,"weight_bytes":0,"lower":{"unit":"vector","deps":[],"tiles":1,"slices":1,"rd":8,"wr":0,"work":0,"flops":0},"sim":{"start_s":0,"end_s":1,"bound":"memory","tiled_bytes":8}}' \
	    '{"kind":"tile","i":0,"op":0,"t":[0,0,0,1,1,1,1,1]}' \
	    '{"kind":"summary","engine":"fast","tiles":0,"ops":1,"macs":0,"makespan_s":0,"stalls_s":{"compute":0,"load_bandwidth":0,"buffer_full":0,"dependency":0,"store_tail":0},"busy":{"dram":0,"noc_read":0,"noc_write":0,"load_dma":0,"store_dma":0,"array":0,"vector":0,"transit":0},"bandwidth_used":{"dram":0,"noc_read":0,"noc_write":0},"bytes":{"read":0,"written":0},"pe_efficiency":0,"buffer":{"mean":0,"peak":0},"hotspot":"none","why":"nothing","cost":{}}' >in
	sf-chrome in >out
	equal "$(valid out)" "1 5 2 0"
	equal "$(jq -c '.traceEvents[] | select(.ph == "X") | [.tid, .ts, .dur]' out)" \
	    '[1,0,1000000]
[6,0,1000000]'
}

@test "each trace is a process of its own" {
	simulated >a
	sf-ntt --log-n 12 | sf-rules | sf-lower --preset dc-npu |
	    sf-sim --tiles >b
	cat a b a | sf-chrome >out
	tiles=$(grep -c '^{"kind":"tile"' b)
	ops=$(grep -c '"sim":' b)
	edges=$(jq -s '[.[] | select(.kind == "op").lower.deps | length] | add' b)
	equal "$(valid out)" "3 15 $((3 * tiles + ops + 112)) $((edges + 26))"
	equal "$(jq -r '.traceEvents[] | select(.name == "process_name").args.name' out)" \
	    "tiny-cnn (onnx) on edge-npu
ntt (fhe) on dc-npu
tiny-cnn (onnx) on edge-npu"
}

@test "names of models and operators are escaped" {
	simulated | sed 's/"model":"tiny-cnn"/"model":"a\\"b\\\\\\u0001"/
	    s/onnx.Conv/on\\"nx/' | sf-chrome >out
	run -0 valid out
	equal "$(jq -c '.traceEvents[0].args.name' out)" \
	    '"a\"b\\\u0001 (onnx) on edge-npu"'
	[ "$(jq -r '.traceEvents[] | select(.ph == "X").args.type' out |
	    grep -cF 'on"nx')" = 12 ]
}

@test "names of nodes are what they are, whatever is in them" {
	python3 - "$BATS_TEST_TMPDIR/names" >in <<'EOP'
import json, subprocess, sys
names = ["a/b.0/Conv", 'quote " and \\', "</script><b>", "line\nbreak\ttab",
         "\x01\x7f", "\u202eright to left", "\u2028", "emoji \U0001f600",
         "{{x}}", "'); drop--", "%s%n", "x" * 300, "combining e\u0301", "0"]
with open(sys.argv[1], "w") as f:
    json.dump(names, f)
def tensor(tid):
    return {"tid": tid, "shape": [64], "dtype": "f32", "itemsize": 4}
print(json.dumps({"kind": "trace", "format": "simfront-trace/1", "model": "m",
                  "route": "onnx"}))
for i, name in enumerate(names):
    print(json.dumps({"kind": "op", "i": i, "name": "onnx.Relu", "node": name,
                      "inputs": [tensor(f"t{i}")],
                      "outputs": [tensor(f"t{i + 1}")]}))
print(json.dumps({"kind": "end", "ops": len(names)}))
EOP
	sf-rules in | sf-lower -p edge-npu | sf-sim --tiles | sf-chrome >out
	equal "$(valid out)" "1 5 $((14 * 4)) 13"
	for tid in 1 4 5 6; do
		jq -c --argjson t $tid '[.traceEvents[] |
		    select(.ph == "X" and .tid == $t).name]' out | cmp - <(jq -c . names)
	done
}

@test "the track of operators divides the run, and arrows are dependencies" {
	for more in '' '--set buffer_bytes=16KiB' '--quantise' \
	    '--set reuse=on --set latency=pipelined'; do
		simulated $more >in
		sf-chrome in >out
		run -0 valid out
		python3 - <<'EOP'
import json
records = [json.loads(line) for line in open("in")]
second = next(1 / r["clock_hz"] if r["quantise"] else 1
              for r in records if r["kind"] == "accel")
ops = {r["i"]: r for r in records if r["kind"] == "op"}
ends = {r["op"]: 1e6 * second * r["t"][5] for r in records
        if r["kind"] == "tile"}
events = json.load(open("out"))["traceEvents"]
track = [e for e in events if e["ph"] == "X" and e["tid"] == 6]
assert [e["args"]["op"] for e in track] == sorted(ends)
at = 0.0
for e in track:
    op, args = ops[e["args"]["op"]], e["args"]
    assert e["name"] == op["node"] and args["type"] == op["name"]
    assert abs(e["ts"] - at) < 1e-9, (e, at)
    at = ends[args["op"]]
    assert -1e-9 < at - e["ts"] - e["dur"] < 0.5e-3 + 1e-9
    stalls = op["sim"]["stalls_s"]
    for k, v in stalls.items():
        assert abs(args[k + "_us"] - 1e6 * v) < 1e-9, (k, args)
    assert abs(sum(stalls.values()) * 1e6 - e["dur"]) < 1e-3
    assert args["tiles"] == op["lower"]["tiles"]
    shape = op["outputs"][0]["shape"]
    assert args["outputs"] == "x".join(map(str, shape)) + ":f32"
    assert len(args["inputs"].split()) == len(op["inputs"])
def at_op(ts):
    return next(e["args"]["op"] for e in track
                if e["ts"] < ts < e["ts"] + e["dur"])
sent = {e["id"]: at_op(e["ts"]) for e in events if e["ph"] == "s"}
got = {(sent[e["id"]], at_op(e["ts"])) for e in events if e["ph"] == "f"}
assert got == {(d, i) for i, op in ops.items() for d in op["lower"]["deps"]}
EOP
	done
}

@test "a trace without tiles is refused, and the way to them is named" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	run -3 --separate-stderr sf-chrome in
	one_line_error
	[[ $stderr == *"expected a trace from 'sf-rules | sf-lower | sf-sim --tiles'" ]]
	sf-lower --preset edge-npu in | sf-sim >simulated
	run -3 --separate-stderr sf-chrome simulated
	one_line_error
	[[ $stderr == *"expected a trace from 'sf-sim --tiles'" ]]
}

@test "memory does not grow with the number of tiles" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	simulated >few
	simulated --set buffer_bytes=2KiB >more
	[ "$(grep -c '^{"kind":"tile"' more)" -gt 5000 ]
	sf-chrome more >out
	valid out
	one=$("$SF_UNIT/peak" sf-chrome few)
	many=$("$SF_UNIT/peak" sf-chrome more)
	echo "$one KiB, $many KiB"
	[ "$many" -lt $((one + 512)) ]
}
