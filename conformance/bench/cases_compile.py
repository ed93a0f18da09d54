# SPDX-License-Identifier: Apache-2.0
"""How long JAX takes to compile."""

import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from measure import block, case, f32, put
from models import chain, gpt, lstm, mlp, resblock, sgd


def compile_case(name, mk):
    def go():
        fn, a = mk()
        ts = []
        tl = []
        end = time.perf_counter() + 4
        while len(ts) < 3 or (time.perf_counter() < end and len(ts) < 8):
            jax.clear_caches()
            t = time.perf_counter()
            low = jax.jit(lambda *a: fn(*a)).lower(*a)
            t1 = time.perf_counter()
            c = low.compile()
            t2 = time.perf_counter()
            ts.append(t2 - t1)
            tl.append(t1 - t)
            del c
            if len(ts) >= 3 and time.perf_counter() > end:
                break
        n = low.as_text().count("stablehlo.")
        return {
            "compile_ms": min(ts) * 1e3,
            "compile_ms_med": sorted(ts)[len(ts) // 2] * 1e3,
            "lower_ms": min(tl) * 1e3,
            "n_ops": n,
        }

    case("compile/" + name)(go)


def compiled(name):
    return partial(compile_case, name)


compile_case("add1", lambda: (lambda x: x + 1, (f32(8),)))


@compiled("mlp_grad")
def _():
    P, x, y, fwd, loss = mlp()
    return jax.value_and_grad(loss), (P, x, y)


@compiled("transformer_block_grad")
def _():
    P, x, y, fwd, loss, blk = gpt(L=1)
    h = f32(4, 128, 256)
    p = P["blocks"][0]
    return jax.value_and_grad(lambda p, h: jnp.mean(blk(p, h) ** 2)), (p, h)


@compiled("gpt4_train")
def _():
    P, x, y, fwd, loss, blk = gpt()
    return sgd(loss), (P, x, y)


@compiled("resblock_grad")
def _():
    P, x, fwd, loss = resblock()
    return jax.value_and_grad(loss), (P, x)


@compiled("lstm_scan")
def _():
    P, x, fwd, loss = lstm()
    return fwd, (P, x)


@compiled("lstm_scan_grad")
def _():
    P, x, fwd, loss = lstm()
    return jax.value_and_grad(loss), (P, x)


compile_case("sort", lambda: (lambda x: jnp.sort(x), (f32(1000),)))
compile_case("chain300", lambda: (chain(300), (f32(1024), f32(1024))))
compile_case(
    "tanh_exp_log",
    lambda: (lambda x: jnp.tanh(x) + jnp.exp(x) + jnp.log1p(jnp.abs(x)), (f32(1024),)),
)
compile_case(
    "normal", lambda: ((lambda k: jax.random.normal(k, (1000,))), (np.array([0, 1], np.uint32),))
)
compile_case("dot", lambda: (lambda a, b: a @ b, (f32(64, 64), f32(64, 64))))


# Many small functions one after another: what the first call of eager code is like.
@case("compile/eager_first_call_20ops")
def _():
    def go():
        jax.clear_caches()
        (x,) = put(f32(16, 16))
        t = time.perf_counter()
        y = jnp.sin(x)
        y = jnp.cos(y)
        y = y + x
        y = y * 2
        y = jnp.sum(y, 0)
        y = y.reshape(4, 4)
        y = jnp.dot(y, y)
        y = jnp.exp(-y)
        y = jnp.where(y > 0, y, 0.0)
        y = jnp.concatenate([y, y])
        y = y.T
        y = jnp.sqrt(y)
        y = y - y.mean()
        y = jnp.maximum(y, 0.0)
        y = jnp.argmax(y, 0)
        y = y[:2]
        y = y.astype(jnp.float32)
        block(y)
        return time.perf_counter() - t

    ts = [go() for _ in range(4)]
    return {"wall_ms": min(ts) * 1e3}
