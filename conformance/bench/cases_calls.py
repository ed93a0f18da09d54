# SPDX-License-Identifier: Apache-2.0
"""Calls of small programs, and transfers."""

import time

import jax
import jax.numpy as jnp
import numpy as np

from measure import block, case, f32, put, timeit


def loop_ns(call, n, reps=7):
    call()
    b = []
    for _ in range(reps):
        t = time.perf_counter()
        for _ in range(n):
            o = call()
        block(o)
        b.append((time.perf_counter() - t) / n)
    return min(b) * 1e9


@case("disp/jit_add8")
def _():
    (x,) = put(f32(8))
    f = jax.jit(lambda x: x + 1)
    b = timeit(lambda: block(f(x)), max_n=5000)

    def chain(n=300):
        y = x
        for _ in range(n):
            y = f(y)
        block(y)

    c = timeit(chain, inner=300)[0]
    return {
        "async_ns": loop_ns(lambda: f(x), 500),
        "block_ns": b[0] * 1e9,
        "block_ns_med": b[1] * 1e9,
        "chain_ns": c * 1e9,
    }


@case("disp/jit_100in_100out")
def _():
    xs = put(*[f32(8) for _ in range(100)])
    f = jax.jit(lambda *a: [x + 1 for x in a])
    b = timeit(lambda: block(f(*xs)))
    return {"async_ns": loop_ns(lambda: f(*xs), 100), "block_ns": b[0] * 1e9}


@case("disp/jit_mlp_small")  # batch-1 inference: dispatch-dominated model
def _():
    W = [f32(64, 64) for _ in range(4)]
    x = f32(1, 64)
    W = put(*W)
    (x,) = put(x)
    f = jax.jit(lambda x, W: jnp.tanh(jnp.tanh(jnp.tanh(x @ W[0]) @ W[1]) @ W[2]) @ W[3])
    b = timeit(lambda: block(f(x, W)))
    return {"block_ns": b[0] * 1e9, "async_ns": loop_ns(lambda: f(x, W), 300)}


def eager(name):
    """Of a function that prepares a call and returns it."""

    def register(prepare):
        @case("eager/" + name)
        def _():
            call = prepare()
            b = timeit(lambda: block(call()), max_n=3000)
            return {"async_ns": loop_ns(call, 200), "block_ns": b[0] * 1e9}

    return register


@eager("add")
def _():
    x, y = put(f32(8), f32(8))
    return lambda: jnp.add(x, y)


@eager("add_scalar")
def _():
    (x,) = put(f32(8))
    return lambda: x + 1


@eager("matmul64")
def _():
    (x,) = put(f32(64, 64))
    return lambda: x @ x


@eager("index")
def _():
    (x,) = put(f32(64, 64))
    return lambda: x[3]


@eager("sum")
def _():
    (x,) = put(f32(64, 64))
    return lambda: jnp.sum(x)


@eager("at_set")
def _():
    (x,) = put(f32(64, 64))
    return lambda: x.at[3].set(1.0)


@eager("reshape")
def _():
    (x,) = put(f32(64, 64))
    return lambda: x.reshape(4096)


def aligned(n, al):
    b = np.empty(n + 4096, np.uint8)
    o = (-b.ctypes.data) % 4096 + (0 if al else 16)
    a = b[o : o + n].view(np.float32)
    a[:] = 1
    return a


@case("xfer/put_1KB")
def _():
    a = f32(256)
    t = timeit(lambda: block(jax.device_put(a)), max_n=5000)
    return {"us": t[0] * 1e6}


@case("xfer/get_1KB")
def _():
    (x,) = put(f32(256))
    f = jax.jit(lambda x: x + 1)

    def go():
        ys = [f(x) for _ in range(50)]
        block(ys)
        t = time.perf_counter()
        for y in ys:
            np.asarray(y)
        return (time.perf_counter() - t) / 50

    return {"us": min(go() for _ in range(30)) * 1e6}


def put_64MB(is_aligned):
    a = aligned(64 << 20, is_aligned)
    t = timeit(lambda: block(jax.device_put(a)), max_n=40)
    return {"ms": t[0] * 1e3, "ms_med": t[1] * 1e3, "GBps": (64 << 20) / t[0] / 1e9}


case("xfer/put_64MB_aligned")(lambda: put_64MB(True))
case("xfer/put_64MB_unaligned")(lambda: put_64MB(False))


@case("xfer/get_64MB")
def _():
    (x,) = put(f32(16 << 20))
    f = jax.jit(lambda x: x + 1)
    ts = []
    tc = []
    for _ in range(6):
        y = block(f(x))
        t = time.perf_counter()
        np.asarray(y)
        ts.append(time.perf_counter() - t)
        y = block(f(x))
        t = time.perf_counter()
        np.array(y)
        tc.append(time.perf_counter() - t)
    return {
        "asarray_ms": min(ts) * 1e3,
        "copy_ms": min(tc) * 1e3,
        "copy_GBps": (64 << 20) / min(tc) / 1e9,
    }
