#!/usr/bin/env python3
"""Runs bench.py for two platforms in turn (A, B, A, B, ...; a process each) and prints their ratios.

  compare.py                                     built-in CPU and build/release's CPU plugin
  compare.py --a cpu --b name:/path/plugin.so [--rounds 5] [--only RE] [--skip RE] [--budget S]
  compare.py --a cpu --b cpu --rounds 3          the noise of this machine
  compare.py --report-only --dir RUNS            the table again, from kept files
See README.md for how to read the table.
"""
import argparse, json, math, os, statistics as st, subprocess, sys, time
HERE = os.path.dirname(os.path.abspath(__file__)); ROOT = os.path.dirname(os.path.dirname(HERE))
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("--a", default="cpu"); ap.add_argument("--b", default="plinth:" + os.path.join(ROOT, "build/release/lib/pjrt_plinth_cpu.so")); ap.add_argument("--rounds", type=int, default=5)
ap.add_argument("--python", default=sys.executable); ap.add_argument("--bench", default=os.path.join(HERE, "bench.py"))
ap.add_argument("--only", default="."); ap.add_argument("--skip", default="^$"); ap.add_argument("--budget", default="0.3")
ap.add_argument("--dir", default=os.path.join(ROOT, "build/bench")); ap.add_argument("--timeout", type=float, default=60); ap.add_argument("--cpus", default="")
ap.add_argument("--limits", default=""); ap.add_argument("--report-only", action="store_true"); ap.add_argument("--json", default="")
o = ap.parse_args()
for platform in (o.a, o.b):
    if ":" in platform and not os.path.exists(platform.split(":", 1)[1]):
        sys.exit(f"no plugin at {platform.split(':', 1)[1]}: build it with `scripts/build release pjrt_plinth_cpu`")
os.makedirs(o.dir, exist_ok=True)
HIGHER = ("GBps", "GFLOPs", "copy_GBps"); INFO = ("chk", "n_ops", "kind", "ms_med", "block_ns_med", "compile_ms_med", "lower_ms", "first_ms")

def once(plat, out):
    env = dict(os.environ); env.pop("PJRT_NAMES_AND_LIBRARY_PATHS", None)
    if ":" in plat: env["PJRT_NAMES_AND_LIBRARY_PATHS"] = plat; env["JAX_PLATFORMS"] = plat.split(":")[0]
    else: env["JAX_PLATFORMS"] = plat
    if os.path.exists(out): os.remove(out)
    for attempt in range(200):
        cmd = (["taskset", "-c", o.cpus] if o.cpus else []) + [o.python, o.bench, "--out", out, "--only", o.only, "--skip", o.skip, "--budget", o.budget, "--quiet", "--resume"]
        p = subprocess.Popen(cmd, env=env, stdout=subprocess.DEVNULL, stderr=open(out + ".err", "a")); last = None; t_last = time.time(); why = None
        while p.poll() is None:
            time.sleep(0.25)
            try: r = json.load(open(out)).get("_running")
            except Exception: r = None
            if r != last: last, t_last = r, time.time()
            if time.time() - t_last > o.timeout: p.kill(); p.wait(); why = "timeout"
        d = json.load(open(out)) if os.path.exists(out) else {}
        r = d.pop("_running", None)
        if r is None: 
            if not d: sys.exit(f"{plat}: bench.py did not start, see {out}.err")
            return d
        d[r] = {"error": why or f"process died rc={p.returncode}"}; json.dump(d, open(out, "w"))
    return d
if not o.report_only:
    for k in range(o.rounds):
        for s, plat in (("a", o.a), ("b", o.b)) if k % 2 == 0 else (("b", o.b), ("a", o.a)):
            t = time.time(); once(plat, f"{o.dir}/{s}{k}.json"); print(f"# round {k} {s} ({plat}) {time.time()-t:.0f}s load {os.getloadavg()[0]:.2f}", file=sys.stderr, flush=True)
A, B = [], []
for s, L in (("a", A), ("b", B)):
    k = 0
    while os.path.exists(f"{o.dir}/{s}{k}.json"): L.append(json.load(open(f"{o.dir}/{s}{k}.json"))); k += 1
lim = json.load(open(o.limits)) if o.limits else {}
print(f"# A={o.a} B={o.b} rounds={len(A)}/{len(B)}  (times: min of rounds; ratio: median of per-round A/B, >1 = B faster; spread = max/min of A)")
print(f"{'case.metric':46s} {'A':>11s} {'B':>11s} {'ratio':>7s} {'spreadA':>7s} {'%limA':>6s} {'%limB':>6s}  note")
ratios = {}; rows = {}
def pct(rec, kind, metric):
    if not lim or kind is None or kind not in lim: return None
    v = rec.get("GFLOPs" if kind != "mem" else "GBps"); return 100 * v / lim[kind] if v else None
for c in dict.fromkeys(c for r in A + B for c in r if not c.startswith("_")):
    ra = [r[c] for r in A if c in r]; rb = [r[c] for r in B if c in r]
    ea = next((x["error"] for x in ra if "error" in x), None); eb = next((x["error"] for x in rb if "error" in x), None)
    if ea or eb or not ra or not rb: print(f"{c:46s} {'ERR' if ea else 'ok':>11s} {'ERR' if eb else 'ok':>11s}  A:{ea} B:{eb}"); rows[c] = {"error_a": ea, "error_b": eb}; continue
    note = ""
    ca, cb = ra[0].get("chk"), rb[0].get("chk")
    if ca is not None and cb is not None and not (ca == cb or abs(ca - cb) <= 2e-3 * max(abs(ca), abs(cb), 1e-6) or (math.isnan(ca) and math.isnan(cb))): note = f"CHK DIFFERS {ca:.6g} {cb:.6g}"
    main = [m for m in ra[0] if m not in INFO and m not in HIGHER and m in rb[0]]
    for m in main:
        va = [x[m] for x in ra]; vb = [x[m] for x in rb]; r = st.median([p / q if q else float("inf") for p, q in zip(va, vb)])
        kind = ra[0].get("kind") if m == "ms" else None
        pa = max((pct(x, kind, m) or 0) for x in ra) or None; pb = max((pct(x, kind, m) or 0) for x in rb) or None
        f = lambda v: "%11.4g" % v
        print(f"{c + '.' + m:46s} {f(min(va))} {f(min(vb))} {r:7.2f} {max(va)/min(va) if min(va) else 0:7.2f} {'%6.0f' % pa if pa else '      '} {'%6.0f' % pb if pb else '      '}  {note}")
        rows[c + "." + m] = {"a": min(va), "b": min(vb), "ratio": r, "pct_a": pa, "pct_b": pb}
        if math.isfinite(r) and r > 0: ratios.setdefault(c.split("/")[0], []).append(r)
print("# geometric mean of ratios per group: " + ", ".join(f"{g} {math.exp(st.mean(map(math.log, v))):.2f} (n={len(v)})" for g, v in ratios.items()))
if o.json: json.dump(rows, open(o.json, "w"), indent=1)
