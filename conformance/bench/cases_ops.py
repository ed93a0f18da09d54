# SPDX-License-Identifier: Apache-2.0
"""Single operations and chains: elementwise, reductions, movement, scans, sorting."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from measure import KEY, MB, R, f32, run_case, u32
from models import chain

for nm, n in (("64KB", 16384), ("64MB", 16 * MB)):
    for k in (1, 5, 20):
        run_case(
            f"ew/chain{k}_{nm}",
            partial(lambda k, n: (chain(k), (u32(n), u32(n))), k, n),
            bytes=12 * n,
            kind="mem" if n > 1e6 else None,
        )
    for fn_n in ("exp", "tanh", "log", "erf", "sin", "logistic", "rsqrt"):
        run_case(
            f"ew/{fn_n}_{nm}",
            partial(lambda g, n: (g, (u32(n),)), getattr(lax, fn_n), n),
            bytes=8 * n,
            kind="mem" if n > 1e6 else None,
        )
run_case("ew/add1_64MB", lambda: (lambda x: x + 1, (u32(16 * MB),)), bytes=128 * MB, kind="mem")
run_case("ew/gelu_16MB", lambda: (jax.nn.gelu, (f32(4 * MB),)), bytes=32 * MB, kind="mem")
run_case(
    "ew/convert_f32_bf16_64MB",
    lambda: (lambda x: x.astype(jnp.bfloat16), (f32(16 * MB),)),
    bytes=96 * MB,
    kind="mem",
)
run_case(
    "ew/where_64MB",
    lambda: (lambda x: jnp.where(x > 0, x, 0.1 * x), (f32(16 * MB),)),
    bytes=128 * MB,
    kind="mem",
)

# Reductions, norms.
S = (4096, 4096)
for nm, g in (
    ("sum_last", lambda x: x.sum(-1)),
    ("sum_first", lambda x: x.sum(0)),
    ("sum_all", lambda x: x.sum()),
    ("max_last", lambda x: x.max(-1)),
    ("argmax_last", lambda x: jnp.argmax(x, -1)),
    ("argmax_all", lambda x: jnp.argmax(x)),
    ("var_last", lambda x: jnp.var(x, -1)),
):
    run_case(f"red/{nm}_64MB", partial(lambda g: (g, (f32(*S),)), g), bytes=64 * MB, kind="mem")
run_case("red/sum_all_64KB", lambda: (lambda x: x.sum(), (f32(128, 128),)), bytes=65536)
run_case(
    "red/softmax_6144x512",
    lambda: (lambda x: jax.nn.softmax(x, -1), (f32(6144, 512),)),
    bytes=8 * 6144 * 512,
    kind="mem",
)


def _ln(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = jnp.var(x, -1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


run_case(
    "red/layernorm_4096x1024",
    lambda: (_ln, (f32(4096, 1024), f32(1024), f32(1024))),
    bytes=8 * 4096 * 1024,
    kind="mem",
)
run_case(
    "red/logsumexp_4096x1024",
    lambda: (lambda x: jax.nn.logsumexp(x, -1), (f32(4096, 1024),)),
    bytes=4 * 4096 * 1024,
    kind="mem",
)
run_case(
    "red/maxpool_8x112x112x64",
    lambda: (
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
        (f32(8, 112, 112, 64),),
    ),
    bytes=4 * 8 * 112 * 112 * 64 * 1.25,
    kind="mem",
)

# Movement.
run_case(
    "move/transpose2d_64MB", lambda: (lambda x: x.T + 0, (f32(*S),)), bytes=128 * MB, kind="mem"
)
run_case(
    "move/transpose4d_8x128x16x64",
    lambda: (lambda x: x.transpose(0, 2, 1, 3), (f32(8, 128, 16, 64),)),
    bytes=8 * MB,
)
run_case(
    "move/transpose4d_NHWC_NCHW",
    lambda: (lambda x: x.transpose(0, 3, 1, 2), (f32(8, 56, 56, 64),)),
    bytes=8 * 8 * 56 * 56 * 64,
)
run_case(
    "move/broadcast_outer_64MB",
    lambda: (lambda a, b: a[:, None] + b[None], (f32(4096), f32(4096))),
    bytes=64 * MB,
    kind="mem",
)
run_case(
    "move/concat_ax0_4x16MB",
    lambda: (lambda *a: jnp.concatenate(a, 0), [f32(1024, 4096) for _ in range(4)]),
    bytes=128 * MB,
    kind="mem",
)
run_case(
    "move/concat_ax1_4x16MB",
    lambda: (lambda *a: jnp.concatenate(a, 1), [f32(4096, 1024) for _ in range(4)]),
    bytes=128 * MB,
    kind="mem",
)
run_case("move/slice_64MB", lambda: (lambda x: x[1:, 1:], (f32(*S),)), bytes=128 * MB, kind="mem")
run_case("move/pad_64MB", lambda: (lambda x: jnp.pad(x, 3), (f32(*S),)), bytes=128 * MB, kind="mem")
run_case(
    "move/reverse_64MB", lambda: (lambda x: x[:, ::-1], (f32(*S),)), bytes=128 * MB, kind="mem"
)
run_case(
    "move/haar_4MB",
    lambda: (
        lambda x: jnp.concatenate([x[:, 0::2] + x[:, 1::2], x[:, 0::2] - x[:, 1::2]], 1),
        (f32(1024, 1024),),
    ),
)
run_case(
    "move/stack_50_padded",
    lambda: (
        lambda *a: jnp.stack([jnp.pad(x, ((0, 64 - x.shape[0]), (0, 0))) for x in a]),
        [f32(rows, 16) for rows in range(1, 51)],
    ),
)
run_case(
    "move/dus_rows_16MB",
    lambda: (
        lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)),
        (f32(2048, 2048), f32(64, 64), np.int32(7)),
    ),
    bytes=32 * MB,
    kind="mem",
)
ids = R.randint(0, 50000, 8192).astype(np.int32)
idx1m = R.randint(0, 4 * MB, MB).astype(np.int32)
run_case(
    "gather/rows_8192x256",
    lambda: (lambda t, i: t[i], (f32(50000, 256), ids)),
    bytes=8 * 8192 * 256,
    kind="mem",
)
run_case("gather/scalars_1M", lambda: (lambda t, i: t[i], (f32(4 * MB), idx1m)), bytes=12 * MB)
run_case(
    "gather/take_along_1024x1024",
    lambda: (
        lambda t, i: jnp.take_along_axis(t, i, 1),
        (f32(1024, 1024), R.randint(0, 1024, (1024, 1024)).astype(np.int32)),
    ),
    bytes=12 * MB,
)
run_case(
    "scatter/add_rows_8192x256",
    lambda: (lambda t, i, u: t.at[i].add(u), (f32(50000, 256), ids, f32(8192, 256))),
    bytes=8 * 50000 * 256 + 12 * 8192 * 256,
    kind="mem",
)
run_case(
    "scatter/add_scalars_1M",
    lambda: (lambda t, i, u: t.at[i].add(u), (f32(4 * MB), idx1m, f32(MB))),
    bytes=32 * MB + 16 * MB,
)
run_case(
    "scatter/segment_sum_1M_1000",
    lambda: (
        lambda u, i: jax.ops.segment_sum(u, i, 1000),
        (f32(MB), R.randint(0, 1000, MB).astype(np.int32)),
    ),
    bytes=8 * MB,
)
run_case(
    "scatter/set_scalars_100K",
    lambda: (
        lambda t, i, u: t.at[i].set(u),
        (f32(MB), R.permutation(MB)[:100000].astype(np.int32), f32(100000)),
    ),
    bytes=8 * MB,
)
run_case("scan/cumsum_1M", lambda: (lambda x: jnp.cumsum(x), (f32(MB),)), bytes=8 * MB)
run_case(
    "scan/cumsum_1024x1024_ax1",
    lambda: (lambda x: jnp.cumsum(x, 1), (f32(1024, 1024),)),
    bytes=8 * MB,
)
run_case(
    "scan/cumsum_1024x1024_ax0",
    lambda: (lambda x: jnp.cumsum(x, 0), (f32(1024, 1024),)),
    bytes=8 * MB,
)
run_case("scan/cummax_1M", lambda: (lambda x: lax.cummax(x), (f32(MB),)), bytes=8 * MB)
run_case(
    "scan/assoc_scan_1M",
    lambda: (
        lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, b)),
        (u32(MB) * 0.5, f32(MB)),
    ),
    bytes=16 * MB,
)
run_case(
    "scan/tiny_body_10k",
    lambda: (
        lambda x: lax.scan(lambda c, _: (c * 0.999 + 0.1, None), x, None, 10000)[0],
        (f32(8),),
    ),
)
run_case(
    "scan/tiny_body_out_10k",
    lambda: (
        lambda x: lax.scan(
            lambda c, t: (c * 0.999 + t, c.sum()), x, jnp.arange(10000, dtype=jnp.float32)
        )[1],
        (f32(8),),
    ),
)
run_case(
    "scan/while_scalar_100k",
    lambda: (
        lambda x: lax.while_loop(
            lambda c: c[0] < 100000, lambda c: (c[0] + 1, c[1] * 1.00001 + 0.5), (0, x)
        ),
        (np.float32(1),),
    ),
)
run_case(
    "scan/fori_dus_4096",
    lambda: (
        lambda x: lax.fori_loop(0, 4096, lambda i, a: a.at[i].set(a[i - 1] * 0.9 + 1), x),
        (f32(4096),),
    ),
)
run_case(
    "scan/cond_10k",
    lambda: (
        lambda x: lax.fori_loop(
            0, 10000, lambda i, c: lax.cond(i % 3 == 0, lambda c: c + 1, lambda c: c * 0.99, c), x
        ),
        (f32(8),),
    ),
)


run_case(
    "scan/pendulum_1k",
    lambda: (
        lambda x: lax.fori_loop(
            0, 1000, lambda i, c: (c[0] + 0.01 * c[1], c[1] - 0.01 * jnp.sin(c[0])), (x, x)
        ),
        (np.float32(1),),
    ),
)
run_case(
    "scan/ista_100",
    lambda: (
        lambda a, b: lax.fori_loop(
            0, 100, lambda i, x: jnp.maximum(x - 0.001 * a.T @ (a @ x - b), 0), jnp.zeros(200)
        ),
        (f32(100, 200), f32(100)),
    ),
)
run_case(
    "scan/value_iteration_50",
    lambda: (
        lambda r: lax.fori_loop(0, 50, lambda i, v: r + 0.9 * best_neighbor(v), r * 0),
        (f32(64, 64),),
    ),
)


def best_neighbor(v):
    p = jnp.pad(v, 1, mode="edge")
    return jnp.max(jnp.stack([p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]]), 0)


def lorenz(y):
    return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


def runge_kutta_step(i, y):
    k1 = lorenz(y)
    k2 = lorenz(y + 0.005 * k1)
    k3 = lorenz(y + 0.005 * k2)
    k4 = lorenz(y + 0.01 * k3)
    return y + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


run_case(
    "scan/rk4_ode_5000",
    lambda: (lambda y: lax.fori_loop(0, 5000, runge_kutta_step, y), (np.ones(3, np.float32),)),
)

# Rows of a few elements, many of them: points, small matrices, bits, features of a graph.
points = f32(100000, 3)
segments = R.randint(0, 200, 20000).astype(np.int32)
run_case("short/cross_100K", lambda: (jnp.cross, (points, points[::-1])))
run_case("short/argmax_100Kx5", lambda: (lambda x: jnp.argmax(x, -1), (f32(100000, 5),)))
run_case(
    "short/norm_100Kx3",
    lambda: (lambda x: x / jnp.linalg.norm(x, axis=-1)[:, None], (points,)),
)
run_case("short/matvec_10Kx8x8", lambda: (jax.vmap(jnp.dot), (f32(10000, 8, 8), f32(10000, 8))))
run_case("short/vecmat_10Kx8x8", lambda: (jax.vmap(jnp.dot), (f32(10000, 8), f32(10000, 8, 8))))
run_case(
    "short/gather_100Kx8",
    lambda: (lambda t, i: t[i], (f32(10000, 8), R.randint(0, 10000, 100000).astype(np.int32))),
)
run_case(
    "short/segment_max_20Kx8",
    lambda: (lambda u, i: jax.ops.segment_max(u, i, 200), (f32(20000, 8), segments)),
)
run_case(
    "short/segment_sum_20Kx8",
    lambda: (lambda u, i: jax.ops.segment_sum(u, i, 200), (f32(20000, 8), segments)),
)
run_case("short/packbits_1M", lambda: (jnp.packbits, (f32(MB) > 0,)))
run_case(
    "short/unpackbits_100K",
    lambda: (jnp.unpackbits, (R.randint(0, 256, 100000).astype(np.uint8),)),
)
run_case(
    "short/select_1M",
    lambda: (lambda x: jnp.select([x < -1, x < 0, x < 1], [x * 2, x * 3, x * 4], 0.0), (f32(MB),)),
)
run_case("short/mod8_1M", lambda: (lambda x: jnp.mod(x, 8), (f32(MB) * 100,)))

# Sorting, random numbers.
run_case("sort/f32_1M", lambda: (lambda x: jnp.sort(x), (f32(MB),)))
run_case("sort/f32_1000x1000", lambda: (lambda x: jnp.sort(x, -1), (f32(1000, 1000),)))
run_case("sort/f32_1000x1000_ax0", lambda: (lambda x: jnp.sort(x, 0), (f32(1000, 1000),)))
run_case(
    "sort/i32_1M", lambda: (lambda x: jnp.sort(x), (R.randint(0, 2**30, MB).astype(np.int32),))
)
run_case("sort/argsort_1M", lambda: (lambda x: jnp.argsort(x), (f32(MB),)))
run_case("sort/topk50_1M", lambda: (lambda x: lax.top_k(x, 50), (f32(MB),)))
run_case("sort/topk10_256x10000", lambda: (lambda x: lax.top_k(x, 10), (f32(256, 10000),)))
run_case("sort/median_100x10000", lambda: (lambda x: jnp.median(x, -1), (f32(100, 10000),)))
run_case(
    "sort/searchsorted_1M",
    lambda: (lambda a, v: jnp.searchsorted(a, v), (np.sort(f32(10000)), f32(MB))),
)
run_case(
    "rng/normal_4M", lambda: (lambda k: jax.random.normal(k, (4 * MB,)), (KEY,)), bytes=16 * MB
)
run_case(
    "rng/uniform_4M", lambda: (lambda k: jax.random.uniform(k, (4 * MB,)), (KEY,)), bytes=16 * MB
)
run_case("rng/split_1000", lambda: (lambda k: jax.random.split(k, 1000), (KEY,)))
run_case("rng/permutation_100K", lambda: (lambda k: jax.random.permutation(k, 100000), (KEY,)))
run_case(
    "rng/dropout_4M",
    lambda: (
        lambda k, x: jnp.where(jax.random.bernoulli(k, 0.9, x.shape), x / 0.9, 0),
        (KEY, f32(4 * MB)),
    ),
    bytes=32 * MB,
)
