#!/usr/bin/env python3
"""Measures whichever JAX platform JAX_PLATFORMS selects; compare.py runs it for two.

  JAX_PLATFORMS=cpu python bench.py --out a.json
  PJRT_NAMES_AND_LIBRARY_PATHS=foo:/x/foo.so JAX_PLATFORMS=foo python bench.py --out b.json
  options: --only REGEX  --skip REGEX  --list  --budget SECONDS (per timed thing, 0.35)
           --resume (keep finished cases in --out, skip them)

Writes {case: {metric: value}} after every case, so that a crash loses only one; "_running" names the
case in progress. Every metric is a time unless named otherwise (ms, us, ns: minimum; *_med: median).
chk is the mean of |output|, to check the two platforms against each other; bytes and flops are the
work done, for the share of the machine's limit.
"""
import argparse, glob, json, os, re, resource, sys, time
T0 = time.perf_counter()
ap = argparse.ArgumentParser()
ap.add_argument("--out", default="bench.json"); ap.add_argument("--only", default=".")
ap.add_argument("--skip", default="^$"); ap.add_argument("--list", action="store_true")
ap.add_argument("--budget", type=float, default=0.35); ap.add_argument("--resume", action="store_true")
ap.add_argument("--quiet", action="store_true")
args = ap.parse_args()
import numpy as np
t_np = time.perf_counter()
import jax
t_jax = time.perf_counter()
dev = jax.devices()[0]
t_dev = time.perf_counter()
import jax.numpy as jnp
from jax import lax
from functools import partial
_first = None
if not args.list:
    jax.block_until_ready(jax.jit(lambda x: x + 1)(np.zeros(8, np.float32)))
t_first = time.perf_counter()
START = {"import_jax_s": t_jax - t_np, "devices_s": t_dev - t_jax, "first_jit_s": t_first - t_dev,
         "total_s": t_first - t_np, "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
so = None
for e in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "").split(","):
    if ":" in e and e.split(":")[0] == os.environ.get("JAX_PLATFORMS", "").split(",")[0]: so = e.split(":", 1)[1]
if so: START["so_mb"] = os.path.getsize(so) / 1e6
else:
    import jaxlib
    d = os.path.dirname(jaxlib.__file__)
    START["so_mb"] = sum(os.path.getsize(f) for f in glob.glob(d + "/libjax_common.so")) / 1e6

RES = {}
if args.resume and os.path.exists(args.out): RES = json.load(open(args.out))
def save():
    tmp = args.out + ".tmp"; json.dump(RES, open(tmp, "w"), indent=1); os.replace(tmp, args.out)
CASES = []   # (name, thunk)
def case(name):
    def d(f): CASES.append((name, f)); return f
    return d

def block(x): return jax.block_until_ready(x)
def timeit(f, budget=None, min_n=3, max_n=2000, inner=1):
    """min and median seconds of f() (which must block), adaptive count."""
    budget = budget or args.budget
    f(); ts = []; end = time.perf_counter() + budget
    while len(ts) < min_n or (time.perf_counter() < end and len(ts) < max_n):
        t = time.perf_counter(); f(); ts.append((time.perf_counter() - t) / inner)
        if len(ts) >= min_n and time.perf_counter() > end: break
    ts.sort(); return ts[0], ts[len(ts) // 2]
def chk(out):
    l = [x for x in jax.tree_util.tree_leaves(out)]
    a = np.asarray(l[0]);
    if a.dtype == np.bool_: a = a.astype(np.float32)
    if np.iscomplexobj(a): a = np.abs(a)
    with np.errstate(all="ignore"): return float(np.mean(np.abs(a.astype(np.float64))))
def put(*xs): r = [jax.device_put(x) for x in xs]; block(r); return r
R = np.random.RandomState(0)
def f32(*s): return np.asarray(R.standard_normal(s), np.float32)
def u32(*s): return np.asarray(R.random_sample(s) + 0.1, np.float32)
def runcase(name, mk, bytes=None, flops=None, kind=None, x64=False):
    """mk() -> (fn, args): times jit(fn)(*args) blocking."""
    def go():
        import contextlib
        with (jax.enable_x64(True) if x64 else contextlib.nullcontext()):
            fn, a = mk(); a = put(*a); j = jax.jit(fn)
            t = time.perf_counter(); out = block(j(*a)); first = time.perf_counter() - t
            r = {"chk": chk(out)}; del out
            mn, md = timeit(lambda: block(j(*a)))
            r.update(ms=mn * 1e3, ms_med=md * 1e3, first_ms=first * 1e3)
            if bytes: r["GBps"] = bytes / mn / 1e9
            if flops: r["GFLOPs"] = flops / mn / 1e9
            if kind: r["kind"] = kind
            return r
    CASES.append((name, go))

# ------------------------------------------------------------ startup
@case("startup")
def _(): return dict(START)

# ------------------------------------------------------------ dispatch
def loop_ns(call, n, reps=7):
    call(); b = []
    for _ in range(reps):
        t = time.perf_counter()
        for _ in range(n): o = call()
        block(o); b.append((time.perf_counter() - t) / n)
    return min(b) * 1e9
@case("disp/jit_add8")
def _():
    x, = put(f32(8)); f = jax.jit(lambda x: x + 1); b = timeit(lambda: block(f(x)), max_n=5000)
    def chain(n=300):
        y = x
        for _ in range(n): y = f(y)
        block(y)
    c = timeit(chain, inner=300)[0]
    return {"async_ns": loop_ns(lambda: f(x), 500), "block_ns": b[0] * 1e9, "block_ns_med": b[1] * 1e9, "chain_ns": c * 1e9}
@case("disp/jit_100in_100out")
def _():
    xs = put(*[f32(8) for _ in range(100)]); f = jax.jit(lambda *a: [x + 1 for x in a])
    b = timeit(lambda: block(f(*xs)))
    return {"async_ns": loop_ns(lambda: f(*xs), 100), "block_ns": b[0] * 1e9}
@case("disp/jit_mlp_small")   # batch-1 inference: dispatch-dominated model
def _():
    W = [f32(64, 64) for _ in range(4)]; x = f32(1, 64); W = put(*W); x, = put(x)
    f = jax.jit(lambda x, W: jnp.tanh(jnp.tanh(jnp.tanh(x @ W[0]) @ W[1]) @ W[2]) @ W[3])
    b = timeit(lambda: block(f(x, W))); return {"block_ns": b[0] * 1e9, "async_ns": loop_ns(lambda: f(x, W), 300)}
def eager(name, mk):
    def go():
        call = mk(); b = timeit(lambda: block(call()), max_n=3000)
        return {"async_ns": loop_ns(call, 200), "block_ns": b[0] * 1e9}
    CASES.append(("eager/" + name, go))
def _e1(): x, y = put(f32(8), f32(8)); return lambda: jnp.add(x, y)
def _e2(): x, = put(f32(8)); return lambda: x + 1
def _e3(): x, = put(f32(64, 64)); return lambda: x @ x
def _e4(): x, = put(f32(64, 64)); return lambda: x[3]
def _e5(): x, = put(f32(64, 64)); return lambda: jnp.sum(x)
def _e6(): x, = put(f32(64, 64)); return lambda: x.at[3].set(1.0)
def _e7(): x, = put(f32(64, 64)); return lambda: x.reshape(4096)
for n, m in [("add", _e1), ("add_scalar", _e2), ("matmul64", _e3), ("index", _e4), ("sum", _e5), ("at_set", _e6), ("reshape", _e7)]: eager(n, m)
def aligned(n, al):
    b = np.empty(n + 4096, np.uint8); o = (-b.ctypes.data) % 4096 + (0 if al else 16); a = b[o:o + n].view(np.float32); a[:] = 1; return a
@case("xfer/put_1KB")
def _(): a = f32(256); t = timeit(lambda: block(jax.device_put(a)), max_n=5000); return {"us": t[0] * 1e6}
@case("xfer/get_1KB")
def _():
    x, = put(f32(256)); f = jax.jit(lambda x: x + 1)
    def go():
        ys = [f(x) for _ in range(50)]; block(ys); t = time.perf_counter()
        for y in ys: np.asarray(y)
        return (time.perf_counter() - t) / 50
    return {"us": min(go() for _ in range(30)) * 1e6}
for al in (True, False):
    def _p(al=al):
        a = aligned(64 << 20, al); t = timeit(lambda: block(jax.device_put(a)), max_n=40); return {"ms": t[0] * 1e3, "ms_med": t[1]*1e3, "GBps": (64 << 20) / t[0] / 1e9}
    CASES.append(("xfer/put_64MB_" + ("aligned" if al else "unaligned"), _p))
@case("xfer/get_64MB")
def _():
    x, = put(f32(16 << 20)); f = jax.jit(lambda x: x + 1); ts = []; tc = []
    for _ in range(6):
        y = block(f(x)); t = time.perf_counter(); np.asarray(y); ts.append(time.perf_counter() - t)
        y = block(f(x)); t = time.perf_counter(); np.array(y); tc.append(time.perf_counter() - t)
    return {"asarray_ms": min(ts) * 1e3, "copy_ms": min(tc) * 1e3, "copy_GBps": (64 << 20) / min(tc) / 1e9}

# ------------------------------------------------------------ models (shared by compile and run cases)
def glorot(*s): return (f32(*s) / np.sqrt(s[-2] if len(s) > 1 else s[0])).astype(np.float32)
def mlp_mk(sizes=(784, 1024, 1024, 10), B=256):
    P = [(glorot(a, b), np.zeros(b, np.float32)) for a, b in zip(sizes, sizes[1:])]
    x = f32(B, sizes[0]); y = R.randint(0, sizes[-1], B).astype(np.int32)
    def fwd(P, x):
        for i, (w, b) in enumerate(P):
            x = x @ w + b
            if i < len(P) - 1: x = jax.nn.relu(x)
        return x
    def loss(P, x, y):
        l = jax.nn.log_softmax(fwd(P, x)); return -jnp.mean(jnp.take_along_axis(l, y[:, None], 1))
    return P, x, y, fwd, loss
def sgd(loss, lr=0.01):
    def step(P, *a):
        l, g = jax.value_and_grad(loss)(P, *a); return l, jax.tree_util.tree_map(lambda p, g: p - lr * g, P, g)
    return step
def adam(loss, lr=1e-3):
    def step(P, m, v, *a):
        l, g = jax.value_and_grad(loss)(P, *a); t = jax.tree_util.tree_map
        m = t(lambda m, g: .9 * m + .1 * g, m, g); v = t(lambda v, g: .999 * v + .001 * g * g, v, g)
        return l, t(lambda p, m, v: p - lr * m / (jnp.sqrt(v) + 1e-8), P, m, v), m, v
    return step
def cnn_mk(B=32):
    P = {"c1": glorot(3, 3, 3, 32), "c2": glorot(3, 3, 32, 64), "c3": glorot(3, 3, 64, 64), "d1": glorot(4 * 4 * 64, 128), "d2": glorot(128, 10)}
    x = f32(B, 32, 32, 3); y = R.randint(0, 10, B).astype(np.int32)
    def conv(x, w): return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    def pool(x): return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    def fwd(P, x):
        x = pool(jax.nn.relu(conv(x, P["c1"]))); x = pool(jax.nn.relu(conv(x, P["c2"]))); x = pool(jax.nn.relu(conv(x, P["c3"])))
        return jax.nn.relu(x.reshape(x.shape[0], -1) @ P["d1"]) @ P["d2"]
    def loss(P, x, y): return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(fwd(P, x)), y[:, None], 1))
    return P, x, y, fwd, loss
def resblock_mk(B=8, H=28, C=64):
    P = {"w1": glorot(3, 3, C, C), "w2": glorot(3, 3, C, C), "g1": np.ones(C, np.float32), "b1": np.zeros(C, np.float32), "g2": np.ones(C, np.float32), "b2": np.zeros(C, np.float32)}
    x = f32(B, H, H, C)
    def conv(x, w): return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    def bn(x, g, b):
        m = x.mean((0, 1, 2)); v = ((x - m) ** 2).mean((0, 1, 2)); return (x - m) * lax.rsqrt(v + 1e-5) * g + b
    def fwd(P, x):
        y = jax.nn.relu(bn(conv(x, P["w1"]), P["g1"], P["b1"])); return jax.nn.relu(x + bn(conv(y, P["w2"]), P["g2"], P["b2"]))
    def loss(P, x): return jnp.mean(fwd(P, x) ** 2)
    return P, x, fwd, loss
def gpt_mk(L=4, d=256, H=8, T=128, B=4, V=1024):
    def blk(): return {"ln1": np.ones(d, np.float32), "ln2": np.ones(d, np.float32), "qkv": glorot(d, 3 * d), "o": glorot(d, d), "f1": glorot(d, 4 * d), "f2": glorot(4 * d, d), "b1": np.zeros(4 * d, np.float32), "b2": np.zeros(d, np.float32)}
    P = {"blocks": [blk() for _ in range(L)], "wte": (0.02 * f32(V, d)).astype(np.float32), "wpe": (0.02 * f32(T, d)).astype(np.float32), "lnf": np.ones(d, np.float32)}
    x = R.randint(0, V, (B, T)).astype(np.int32); y = R.randint(0, V, (B, T)).astype(np.int32)
    def ln(x, g): m = x.mean(-1, keepdims=True); v = ((x - m) ** 2).mean(-1, keepdims=True); return (x - m) * lax.rsqrt(v + 1e-5) * g
    def block_(p, x):
        B, T, _ = x.shape; h = ln(x, p["ln1"]) @ p["qkv"]; q, k, v = [t.reshape(B, T, H, d // H).transpose(0, 2, 1, 3) for t in jnp.split(h, 3, -1)]
        a = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(d // H)); a = jnp.where(jnp.tril(jnp.ones((T, T), bool)), a, -1e9); a = jax.nn.softmax(a, -1)
        x = x + (a @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ p["o"]
        return x + jax.nn.gelu(ln(x, p["ln2"]) @ p["f1"] + p["b1"]) @ p["f2"] + p["b2"]
    def fwd(P, x):
        h = P["wte"][x] + P["wpe"]
        for p in P["blocks"]: h = block_(p, h)
        return ln(h, P["lnf"]) @ P["wte"].T
    def loss(P, x, y): return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(fwd(P, x)), y[..., None], -1))
    return P, x, y, fwd, loss, block_
def lstm_mk(B=16, T=128, I=64, H=128):
    P = {"wi": glorot(I, 4 * H), "wh": glorot(H, 4 * H), "b": np.zeros(4 * H, np.float32)}; x = f32(T, B, I)
    def fwd(P, x):
        def step(c, xt):
            h, s = c; i, f, g, o = jnp.split(xt @ P["wi"] + h @ P["wh"] + P["b"], 4, -1)
            s = jax.nn.sigmoid(f) * s + jax.nn.sigmoid(i) * jnp.tanh(g); h = jax.nn.sigmoid(o) * jnp.tanh(s); return (h, s), h
        z = jnp.zeros((x.shape[1], H), jnp.float32); return lax.scan(step, (z, z), x)[1]
    def loss(P, x): return jnp.mean(fwd(P, x) ** 2)
    return P, x, fwd, loss
def chain_fn(k):
    def f(x, y):
        for i in range(k):
            c = np.float32(0.5 + 0.01 * i); m = i % 5
            x = x * y if m == 0 else x + y if m == 1 else jnp.maximum(x, -c) if m == 2 else x - c if m == 3 else jnp.minimum(x, 1 + c)
        return x
    return f

# ------------------------------------------------------------ compile latency
def compcase(name, mk):
    def go():
        fn, a = mk(); ts = []; tl = []; end = time.perf_counter() + 4
        while len(ts) < 3 or (time.perf_counter() < end and len(ts) < 8):
            jax.clear_caches(); t = time.perf_counter(); low = jax.jit(lambda *a: fn(*a)).lower(*a); t1 = time.perf_counter()
            c = low.compile(); t2 = time.perf_counter(); ts.append(t2 - t1); tl.append(t1 - t); del c
            if len(ts) >= 3 and time.perf_counter() > end: break
        n = low.as_text().count("stablehlo.")
        return {"compile_ms": min(ts) * 1e3, "compile_ms_med": sorted(ts)[len(ts) // 2] * 1e3, "lower_ms": min(tl) * 1e3, "n_ops": n}
    CASES.append(("compile/" + name, go))
compcase("add1", lambda: (lambda x: x + 1, (f32(8),)))
def _c(): P, x, y, fwd, loss = mlp_mk(); return jax.value_and_grad(loss), (P, x, y)
compcase("mlp_grad", _c)
def _c():
    P, x, y, fwd, loss, blk = gpt_mk(L=1); h = f32(4, 128, 256); p = P["blocks"][0]
    return jax.value_and_grad(lambda p, h: jnp.mean(blk(p, h) ** 2)), (p, h)
compcase("transformer_block_grad", _c)
def _c(): P, x, y, fwd, loss, blk = gpt_mk(); return sgd(loss), (P, x, y)
compcase("gpt4_train", _c)
def _c(): P, x, fwd, loss = resblock_mk(); return jax.value_and_grad(loss), (P, x)
compcase("resblock_grad", _c)
def _c(): P, x, fwd, loss = lstm_mk(); return fwd, (P, x)
compcase("lstm_scan", _c)
def _c(): P, x, fwd, loss = lstm_mk(); return jax.value_and_grad(loss), (P, x)
compcase("lstm_scan_grad", _c)
compcase("sort", lambda: (lambda x: jnp.sort(x), (f32(1000),)))
compcase("chain300", lambda: (chain_fn(300), (f32(1024), f32(1024))))
compcase("tanh_exp_log", lambda: (lambda x: jnp.tanh(x) + jnp.exp(x) + jnp.log1p(jnp.abs(x)), (f32(1024),)))
compcase("normal", lambda: ((lambda k: jax.random.normal(k, (1000,))), (np.array([0, 1], np.uint32),)))
compcase("dot", lambda: (lambda a, b: a @ b, (f32(64, 64), f32(64, 64))))
def _c():   # many small functions one after another, the usual eager/first-call experience
    def fn(x):
        return x
    return fn, (f32(8),)
@case("compile/eager_first_call_20ops")
def _():
    def go():
        jax.clear_caches(); x, = put(f32(16, 16)); t = time.perf_counter()
        y = jnp.sin(x); y = jnp.cos(y); y = y + x; y = y * 2; y = jnp.sum(y, 0); y = y.reshape(4, 4); y = jnp.dot(y, y); y = jnp.exp(-y); y = jnp.where(y > 0, y, 0.)
        y = jnp.concatenate([y, y]); y = y.T; y = jnp.sqrt(y); y = y - y.mean(); y = jnp.maximum(y, 0.); y = jnp.argmax(y, 0); y = y[:2]; y = y.astype(jnp.float32); block(y)
        return time.perf_counter() - t
    ts = [go() for _ in range(4)]; return {"wall_ms": min(ts) * 1e3}

# ------------------------------------------------------------ run: elementwise
MB = 1 << 20
for nm, n in (("64KB", 16384), ("64MB", 16 * MB)):
    for k in (1, 5, 20):
        runcase(f"ew/chain{k}_{nm}", partial(lambda k, n: (chain_fn(k), (u32(n), u32(n))), k, n), bytes=12 * n, kind="mem" if n > 1e6 else None)
    for fn_n in ("exp", "tanh", "log", "erf", "sin", "logistic", "rsqrt"):
        runcase(f"ew/{fn_n}_{nm}", partial(lambda g, n: (g, (u32(n),)), getattr(lax, fn_n), n), bytes=8 * n, kind="mem" if n > 1e6 else None)
runcase("ew/add1_64MB", lambda: (lambda x: x + 1, (u32(16 * MB),)), bytes=128 * MB, kind="mem")
runcase("ew/gelu_16MB", lambda: (jax.nn.gelu, (f32(4 * MB),)), bytes=32 * MB, kind="mem")
runcase("ew/convert_f32_bf16_64MB", lambda: (lambda x: x.astype(jnp.bfloat16), (f32(16 * MB),)), bytes=96 * MB, kind="mem")
runcase("ew/where_64MB", lambda: (lambda x: jnp.where(x > 0, x, 0.1 * x), (f32(16 * MB),)), bytes=128 * MB, kind="mem")
# reductions, norms
S = (4096, 4096)
for nm, g in (("sum_last", lambda x: x.sum(-1)), ("sum_first", lambda x: x.sum(0)), ("sum_all", lambda x: x.sum()), ("max_last", lambda x: x.max(-1)), ("argmax_last", lambda x: jnp.argmax(x, -1)), ("argmax_all", lambda x: jnp.argmax(x)), ("var_last", lambda x: jnp.var(x, -1))):
    runcase(f"red/{nm}_64MB", partial(lambda g: (g, (f32(*S),)), g), bytes=64 * MB, kind="mem")
runcase("red/sum_all_64KB", lambda: (lambda x: x.sum(), (f32(128, 128),)), bytes=65536)
runcase("red/softmax_6144x512", lambda: (lambda x: jax.nn.softmax(x, -1), (f32(6144, 512),)), bytes=8 * 6144 * 512, kind="mem")
def _ln(x, g, b): m = x.mean(-1, keepdims=True); v = jnp.var(x, -1, keepdims=True); return (x - m) * lax.rsqrt(v + 1e-5) * g + b
runcase("red/layernorm_4096x1024", lambda: (_ln, (f32(4096, 1024), f32(1024), f32(1024))), bytes=8 * 4096 * 1024, kind="mem")
runcase("red/logsumexp_4096x1024", lambda: (lambda x: jax.nn.logsumexp(x, -1), (f32(4096, 1024),)), bytes=4 * 4096 * 1024, kind="mem")
runcase("red/maxpool_8x112x112x64", lambda: (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), (f32(8, 112, 112, 64),)), bytes=4 * 8 * 112 * 112 * 64 * 1.25, kind="mem")
# movement
runcase("move/transpose2d_64MB", lambda: (lambda x: x.T + 0, (f32(*S),)), bytes=128 * MB, kind="mem")
runcase("move/transpose4d_8x128x16x64", lambda: (lambda x: x.transpose(0, 2, 1, 3), (f32(8, 128, 16, 64),)), bytes=8 * MB)
runcase("move/transpose4d_NHWC_NCHW", lambda: (lambda x: x.transpose(0, 3, 1, 2), (f32(8, 56, 56, 64),)), bytes=8 * 8 * 56 * 56 * 64)
runcase("move/broadcast_outer_64MB", lambda: (lambda a, b: a[:, None] + b[None], (f32(4096), f32(4096))), bytes=64 * MB, kind="mem")
runcase("move/concat_ax0_4x16MB", lambda: (lambda *a: jnp.concatenate(a, 0), [f32(1024, 4096) for _ in range(4)]), bytes=128 * MB, kind="mem")
runcase("move/concat_ax1_4x16MB", lambda: (lambda *a: jnp.concatenate(a, 1), [f32(4096, 1024) for _ in range(4)]), bytes=128 * MB, kind="mem")
runcase("move/slice_64MB", lambda: (lambda x: x[1:, 1:], (f32(*S),)), bytes=128 * MB, kind="mem")
runcase("move/pad_64MB", lambda: (lambda x: jnp.pad(x, 3), (f32(*S),)), bytes=128 * MB, kind="mem")
runcase("move/reverse_64MB", lambda: (lambda x: x[:, ::-1], (f32(*S),)), bytes=128 * MB, kind="mem")
runcase("move/dus_rows_16MB", lambda: (lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)), (f32(2048, 2048), f32(64, 64), np.int32(7))), bytes=32 * MB, kind="mem")
ids = R.randint(0, 50000, 8192).astype(np.int32); idx1m = R.randint(0, 4 * MB, MB).astype(np.int32)
runcase("gather/rows_8192x256", lambda: (lambda t, i: t[i], (f32(50000, 256), ids)), bytes=8 * 8192 * 256, kind="mem")
runcase("gather/scalars_1M", lambda: (lambda t, i: t[i], (f32(4 * MB), idx1m)), bytes=12 * MB)
runcase("gather/take_along_1024x1024", lambda: (lambda t, i: jnp.take_along_axis(t, i, 1), (f32(1024, 1024), R.randint(0, 1024, (1024, 1024)).astype(np.int32))), bytes=12 * MB)
runcase("scatter/add_rows_8192x256", lambda: (lambda t, i, u: t.at[i].add(u), (f32(50000, 256), ids, f32(8192, 256))), bytes=8 * 50000 * 256 + 12 * 8192 * 256, kind="mem")
runcase("scatter/add_scalars_1M", lambda: (lambda t, i, u: t.at[i].add(u), (f32(4 * MB), idx1m, f32(MB))), bytes=32 * MB + 16 * MB)
runcase("scatter/segment_sum_1M_1000", lambda: (lambda u, i: jax.ops.segment_sum(u, i, 1000), (f32(MB), R.randint(0, 1000, MB).astype(np.int32))), bytes=8 * MB)
runcase("scatter/set_scalars_100K", lambda: (lambda t, i, u: t.at[i].set(u), (f32(MB), R.permutation(MB)[:100000].astype(np.int32), f32(100000))), bytes=8 * MB)
runcase("scan/cumsum_1M", lambda: (lambda x: jnp.cumsum(x), (f32(MB),)), bytes=8 * MB)
runcase("scan/cumsum_1024x1024_ax1", lambda: (lambda x: jnp.cumsum(x, 1), (f32(1024, 1024),)), bytes=8 * MB)
runcase("scan/cumsum_1024x1024_ax0", lambda: (lambda x: jnp.cumsum(x, 0), (f32(1024, 1024),)), bytes=8 * MB)
runcase("scan/cummax_1M", lambda: (lambda x: lax.cummax(x), (f32(MB),)), bytes=8 * MB)
runcase("scan/assoc_scan_1M", lambda: (lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, b)), (u32(MB) * 0.5, f32(MB))), bytes=16 * MB)
runcase("scan/tiny_body_10k", lambda: (lambda x: lax.scan(lambda c, _: (c * 0.999 + 0.1, None), x, None, 10000)[0], (f32(8),)))
runcase("scan/tiny_body_out_10k", lambda: (lambda x: lax.scan(lambda c, t: (c * 0.999 + t, c.sum()), x, jnp.arange(10000, dtype=jnp.float32))[1], (f32(8),)))
runcase("scan/while_scalar_100k", lambda: (lambda x: lax.while_loop(lambda c: c[0] < 100000, lambda c: (c[0] + 1, c[1] * 1.00001 + 0.5), (0, x)), (np.float32(1),)))
runcase("scan/fori_dus_4096", lambda: (lambda x: lax.fori_loop(0, 4096, lambda i, a: a.at[i].set(a[i - 1] * 0.9 + 1), x), (f32(4096),)))
runcase("scan/cond_10k", lambda: (lambda x: lax.fori_loop(0, 10000, lambda i, c: lax.cond(i % 3 == 0, lambda c: c + 1, lambda c: c * 0.99, c), x), (f32(8),)))
runcase("scan/rk4_ode_5000", lambda: (lambda y: lax.fori_loop(0, 5000, lambda i, y: (lambda f: (lambda k1: (lambda k2: (lambda k3: (lambda k4: y + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4))(f(y + 0.01 * k3)))(f(y + 0.005 * k2)))(f(y + 0.005 * k1)))(f(y)))(lambda y: jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])), y), (np.ones(3, np.float32),)))
# sort etc
runcase("sort/f32_1M", lambda: (lambda x: jnp.sort(x), (f32(MB),)))
runcase("sort/f32_1000x1000", lambda: (lambda x: jnp.sort(x, -1), (f32(1000, 1000),)))
runcase("sort/f32_1000x1000_ax0", lambda: (lambda x: jnp.sort(x, 0), (f32(1000, 1000),)))
runcase("sort/i32_1M", lambda: (lambda x: jnp.sort(x), (R.randint(0, 2**30, MB).astype(np.int32),)))
runcase("sort/argsort_1M", lambda: (lambda x: jnp.argsort(x), (f32(MB),)))
runcase("sort/topk50_1M", lambda: (lambda x: lax.top_k(x, 50), (f32(MB),)))
runcase("sort/topk10_256x10000", lambda: (lambda x: lax.top_k(x, 10), (f32(256, 10000),)))
runcase("sort/median_100x10000", lambda: (lambda x: jnp.median(x, -1), (f32(100, 10000),)))
runcase("sort/searchsorted_1M", lambda: (lambda a, v: jnp.searchsorted(a, v), (np.sort(f32(10000)), f32(MB))))
KEY = np.array([0, 42], np.uint32)
runcase("rng/normal_4M", lambda: (lambda k: jax.random.normal(k, (4 * MB,)), (KEY,)), bytes=16 * MB)
runcase("rng/uniform_4M", lambda: (lambda k: jax.random.uniform(k, (4 * MB,)), (KEY,)), bytes=16 * MB)
runcase("rng/split_1000", lambda: (lambda k: jax.random.split(k, 1000), (KEY,)))
runcase("rng/permutation_100K", lambda: (lambda k: jax.random.permutation(k, 100000), (KEY,)))
runcase("rng/dropout_4M", lambda: (lambda k, x: jnp.where(jax.random.bernoulli(k, .9, x.shape), x / .9, 0), (KEY, f32(4 * MB))), bytes=32 * MB)
# matmul
for n in (32, 128, 512, 2048):
    runcase(f"mm/f32_{n}", partial(lambda n: (lambda a, b: a @ b, (f32(n, n), f32(n, n))), n), flops=2 * n**3, kind="f32")
runcase("mm/f32_512_AtB", lambda: (lambda a, b: a.T @ b, (f32(512, 512), f32(512, 512))), flops=2 * 512**3, kind="f32")
runcase("mm/f32_512_ABt", lambda: (lambda a, b: a @ b.T, (f32(512, 512), f32(512, 512))), flops=2 * 512**3, kind="f32")
runcase("mm/f32_batch64x128", lambda: (lambda a, b: a @ b, (f32(64, 128, 128), f32(64, 128, 128))), flops=64 * 2 * 128**3, kind="f32")
runcase("mm/f32_batch1024x16", lambda: (lambda a, b: a @ b, (f32(1024, 16, 16), f32(1024, 16, 16))), flops=1024 * 2 * 16**3, kind="f32")
runcase("mm/matvec_4096", lambda: (lambda a, b: a @ b, (f32(4096, 4096), f32(4096))), bytes=64 * MB, kind="mem")
runcase("mm/vecmat_4096", lambda: (lambda a, b: b @ a, (f32(4096, 4096), f32(4096))), bytes=64 * MB, kind="mem")
runcase("mm/skinny_4096x4096x8", lambda: (lambda a, b: a @ b, (f32(4096, 4096), f32(4096, 8))), flops=2 * 8 * 4096**2, bytes=64 * MB, kind="mem")
runcase("mm/skinny_8x4096x4096", lambda: (lambda a, b: a @ b, (f32(8, 4096), f32(4096, 4096))), flops=2 * 8 * 4096**2, bytes=64 * MB, kind="mem")
runcase("mm/dense_bias_relu_256x1024x1024", lambda: (lambda x, w, b: jax.nn.relu(x @ w + b), (f32(256, 1024), f32(1024, 1024), f32(1024))), flops=2 * 256 * 1024**2, kind="f32")
runcase("mm/bf16_1024", lambda: (lambda a, b: a @ b, (f32(1024, 1024).astype(jnp.bfloat16), f32(1024, 1024).astype(jnp.bfloat16))), flops=2 * 1024**3, kind="bf16")
runcase("mm/f16_1024", lambda: (lambda a, b: a @ b, (f32(1024, 1024).astype(np.float16), f32(1024, 1024).astype(np.float16))), flops=2 * 1024**3, kind="f32")
runcase("mm/f64_1024", lambda: (lambda a, b: a @ b, (f32(1024, 1024).astype(np.float64), f32(1024, 1024).astype(np.float64))), flops=2 * 1024**3, kind="f64", x64=True)
runcase("mm/int8_1024", lambda: (lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), (R.randint(-99, 99, (1024, 1024)).astype(np.int8), R.randint(-99, 99, (1024, 1024)).astype(np.int8))), flops=2 * 1024**3, kind="int8")
runcase("mm/int32_512", lambda: (lambda a, b: a @ b, (R.randint(-99, 99, (512, 512)).astype(np.int32), R.randint(-99, 99, (512, 512)).astype(np.int32))), flops=2 * 512**3, kind="f32")
runcase("mm/c64_512", lambda: (lambda a, b: a @ b, ((f32(512, 512) + 1j * f32(512, 512)).astype(np.complex64), (f32(512, 512) + 1j * f32(512, 512)).astype(np.complex64))), flops=8 * 512**3, kind="f32")
# conv
def _conv(x, w, g=1, s=1, dn=("NHWC", "HWIO", "NHWC")): return lax.conv_general_dilated(x, w, (s, s), "SAME", dimension_numbers=dn, feature_group_count=g)
runcase("conv/3x3_64_56_b8", lambda: (_conv, (f32(8, 56, 56, 64), f32(3, 3, 64, 64))), flops=2 * 8 * 56 * 56 * 64 * 64 * 9, kind="f32")
runcase("conv/3x3_64_56_b8_NCHW", lambda: (partial(_conv, dn=("NCHW", "OIHW", "NCHW")), (f32(8, 64, 56, 56), f32(64, 64, 3, 3))), flops=2 * 8 * 56 * 56 * 64 * 64 * 9, kind="f32")
runcase("conv/1x1_256_28_b8", lambda: (_conv, (f32(8, 28, 28, 256), f32(1, 1, 256, 256))), flops=2 * 8 * 28 * 28 * 256 * 256, kind="f32")
runcase("conv/7x7s2_3_64_224_b2", lambda: (partial(_conv, s=2), (f32(2, 224, 224, 3), f32(7, 7, 3, 64))), flops=2 * 2 * 112 * 112 * 49 * 3 * 64, kind="f32")
runcase("conv/depthwise3x3_64_56_b8", lambda: (partial(_conv, g=64), (f32(8, 56, 56, 64), f32(3, 3, 1, 64))), flops=2 * 8 * 56 * 56 * 64 * 9, bytes=8 * 8 * 56 * 56 * 64)
def _cg(x, w): return jax.grad(lambda x, w: (_conv(x, w) ** 2).sum(), (0, 1))(x, w)
runcase("conv/3x3_64_28_b8_grad", lambda: (_cg, (f32(8, 28, 28, 64), f32(3, 3, 64, 64))), flops=3 * 2 * 8 * 28 * 28 * 64 * 64 * 9, kind="f32")
# fft, linalg
runcase("fft/c64_1M", lambda: (jnp.fft.fft, ((f32(MB) + 1j * f32(MB)).astype(np.complex64),)), flops=5 * MB * 20)
runcase("fft/rfft2_1024", lambda: (jnp.fft.rfft2, (f32(1024, 1024),)), flops=2.5 * MB * 20)
def _spd(n): a = f32(n, n); return (a @ a.T + n * np.eye(n)).astype(np.float32)
runcase("linalg/cholesky_512", lambda: (jnp.linalg.cholesky, (_spd(512),)), flops=512**3 / 3, kind="f32")
runcase("linalg/qr_512", lambda: (lambda a: jnp.abs(jnp.linalg.qr(a)[1]), (f32(512, 512),)), flops=4 / 3 * 2 * 512**3, kind="f32")
runcase("linalg/solve_512", lambda: (jnp.linalg.solve, (_spd(512), f32(512, 16))), flops=2 / 3 * 512**3, kind="f32")
runcase("linalg/eigh_512", lambda: (lambda a: jnp.linalg.eigh(a)[0], (_spd(512),)), flops=9 * 512**3, kind="f32")
runcase("linalg/svd_256", lambda: (lambda a: jnp.linalg.svd(a, full_matrices=False)[1], (f32(256, 256),)), flops=22 * 256**3, kind="f32")
runcase("linalg/trisolve_512", lambda: (lambda l, b: jax.scipy.linalg.solve_triangular(l, b, lower=True), (np.linalg.cholesky(_spd(512)), f32(512, 512))), flops=512**3, kind="f32")
runcase("linalg/inv_batch_1000x8", lambda: (jnp.linalg.inv, (np.stack([_spd(8) for _ in range(1000)]),)))

# ------------------------------------------------------------ models
def mrun(name, mk, flops=None): runcase("model/" + name, mk, flops=flops, kind="f32" if flops else None)
_mlpf = 2 * 256 * (784 * 1024 + 1024 * 1024 + 1024 * 10)
def _m(): P, x, y, fwd, loss = mlp_mk(); return fwd, (P, x)
mrun("mlp_fwd", _m, _mlpf)
def _m(): P, x, y, fwd, loss = mlp_mk(); return sgd(loss), (P, x, y)
mrun("mlp_train_sgd", _m, 3 * _mlpf - 2 * 256 * 784 * 1024)
def _m():
    P, x, y, fwd, loss = mlp_mk(); z = jax.tree_util.tree_map(np.zeros_like, P); z2 = jax.tree_util.tree_map(np.zeros_like, P); return adam(loss), (P, z, z2, x, y)
mrun("mlp_train_adam", _m, 3 * _mlpf - 2 * 256 * 784 * 1024)
_cnnf = 32 * 2 * 9 * (32 * 32 * 3 * 32 + 16 * 16 * 32 * 64 + 8 * 8 * 64 * 64)
def _m(): P, x, y, fwd, loss = cnn_mk(); return fwd, (P, x)
mrun("cnn_fwd", _m, _cnnf)
def _m(): P, x, y, fwd, loss = cnn_mk(); return sgd(loss), (P, x, y)
mrun("cnn_train", _m, 3 * _cnnf)
def _m(): P, x, fwd, loss = resblock_mk(); return fwd, (P, x)
_resf = 2 * 2 * 8 * 28 * 28 * 9 * 64 * 64
mrun("resblock_fwd", _m, _resf)
def _m(): P, x, fwd, loss = resblock_mk(); return sgd(loss), (P, x)
mrun("resblock_train", _m, 3 * _resf)
_gptf = 512 * 2 * (4 * 12 * 256 * 256 + 1024 * 256) + 4 * 4 * 4 * 128 * 128 * 256
def _m(): P, x, y, fwd, loss, b = gpt_mk(); return fwd, (P, x)
mrun("gpt_fwd", _m, _gptf)
def _m(): P, x, y, fwd, loss, b = gpt_mk(); return sgd(loss), (P, x, y)
mrun("gpt_train", _m, 3 * _gptf)
_lstmf = 2 * 16 * 128 * 192 * 512
def _m(): P, x, fwd, loss = lstm_mk(); return fwd, (P, x)
mrun("lstm_fwd", _m, _lstmf)
def _m(): P, x, fwd, loss = lstm_mk(); return sgd(loss), (P, x)
mrun("lstm_train", _m, 3 * _lstmf)
def heat(u): return lax.fori_loop(0, 100, lambda i, u: u.at[1:-1, 1:-1].add(0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])), u)
mrun("heat2d_at_1024_100", lambda: (heat, (f32(1024, 1024),)))
def heat2(u): return lax.fori_loop(0, 100, lambda i, u: u + 0.1 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u), u)
mrun("heat2d_roll_1024_100", lambda: (heat2, (f32(1024, 1024),)))
def nbody(p):
    d = p[None] - p[:, None]; r = lax.rsqrt((d * d).sum(-1) + 1e-3); return (d * (r * r * r)[..., None]).sum(1)
mrun("nbody_1024", lambda: (nbody, (f32(1024, 3),)), 20 * 1024 * 1024)
def mandel(cr, ci):
    def body(s):
        i, zr, zi, n = s; a = zr * zr; b = zi * zi; live = a + b < 4
        return i + 1, jnp.where(live, a - b + cr, zr), jnp.where(live, 2 * zr * zi + ci, zi), n + live
    return lax.while_loop(lambda s: s[0] < 200, body, (0, jnp.zeros_like(cr), jnp.zeros_like(cr), jnp.zeros(cr.shape, jnp.int32)))[3]
def _m(): x, y = np.meshgrid(np.linspace(-2, 1, 512, dtype=np.float32), np.linspace(-1, 1, 512, dtype=np.float32)); return mandel, (x, y)
mrun("mandelbrot_512_200", _m, 200 * 512 * 512 * 9)
def kmeans(x, c):
    def it(i, c):
        d = ((x * x).sum(-1)[:, None] - 2 * x @ c.T + (c * c).sum(-1)); a = jnp.argmin(d, -1); o = jax.nn.one_hot(a, c.shape[0], dtype=x.dtype)
        return (o.T @ x) / jnp.maximum(o.sum(0), 1)[:, None]
    return lax.fori_loop(0, 10, it, c)
def _m(): x = f32(20000, 32); return kmeans, (x, x[:64])
mrun("kmeans_20000x32_k64_10it", _m, 10 * 4 * 20000 * 32 * 64)
def _m():   # greedy decode with KV cache: small-op loop
    P, x, y, fwd, loss, b = gpt_mk(L=2, T=64, B=1)
    def gen(P, tok):
        def body(i, t):
            l = fwd(P, t); n = jnp.argmax(lax.dynamic_index_in_dim(l, i, 1, False), -1).astype(t.dtype); return lax.dynamic_update_slice(t, n[:, None], (0, i + 1))
        return lax.fori_loop(0, 32, body, tok)
    return gen, (P, x)
mrun("gpt_generate_32tok", _m)
def _m():
    def logp(q): return -0.5 * jnp.sum(q * q * jnp.arange(1., 51.)) - jnp.sum(jnp.log1p(jnp.exp(q)))
    def hmc(k, q):
        def step(c, k):
            q, = c; k1, k2 = jax.random.split(k); p = jax.random.normal(k1, q.shape); g = jax.grad(logp)
            def leap(i, s): q, p = s; p = p + 0.05 * g(q); q = q + 0.1 * p; p = p + 0.05 * g(q); return q, p
            q2, p2 = lax.fori_loop(0, 10, leap, (q, p)); a = jnp.exp(logp(q2) - .5 * (p2 * p2).sum() - logp(q) + .5 * (p * p).sum())
            q = jnp.where(jax.random.uniform(k2) < a, q2, q); return (q,), q
        return lax.scan(step, (q,), jax.random.split(k, 200))[1]
    return hmc, (KEY, f32(50) * .1)
mrun("hmc_200x10_d50", _m)
@case("end_rss")
def _(): return {"peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}

# ------------------------------------------------------------ main
if __name__ == "__main__":
    sel = [(n, f) for n, f in CASES if re.search(args.only, n) and not re.search(args.skip, n)]
    if args.list: print("\n".join(n for n, _ in sel)); sys.exit()
    for n, f in sel:
        if n in RES: continue
        RES["_running"] = n; save(); t = time.perf_counter()
        try: RES[n] = f()
        except Exception as e: RES[n] = {"error": (type(e).__name__ + ": " + str(e).split("\n")[0])[:200]}
        if not args.quiet: print(f"{n:40s} {time.perf_counter() - t:5.1f}s ", {k: (round(v, 3) if isinstance(v, float) else v) for k, v in RES[n].items() if k not in ("ms_med", "kind")}, flush=True)
    RES.pop("_running", None)
    RES["_env"] = {"platform": dev.platform, "jax": jax.__version__, "wall_s": time.perf_counter() - T0, "load": os.getloadavg()[0]}
    save()
