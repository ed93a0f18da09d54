# SPDX-License-Identifier: Apache-2.0
"""Models, forward and training steps, and small programs of science."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from measure import KEY, f32, run_case
from models import adam, cnn, gpt, lstm, mlp, resblock, sgd


def model_case(name, mk, flops=None):
    run_case("model/" + name, mk, flops=flops, kind="f32" if flops else None)


def model(name, flops=None):
    return partial(model_case, name, flops=flops)


# Floating-point operations of a forward pass.
MLP_FLOPS = 2 * 256 * (784 * 1024 + 1024 * 1024 + 1024 * 10)
CNN_FLOPS = 32 * 2 * 9 * (32 * 32 * 3 * 32 + 16 * 16 * 32 * 64 + 8 * 8 * 64 * 64)
GPT_FLOPS = 512 * 2 * (4 * 12 * 256 * 256 + 1024 * 256) + 4 * 4 * 4 * 128 * 128 * 256
LSTM_FLOPS = 2 * 16 * 128 * 192 * 512
RESBLOCK_FLOPS = 2 * 2 * 8 * 28 * 28 * 9 * 64 * 64


@model("mlp_fwd", MLP_FLOPS)
def _():
    P, x, y, fwd, loss = mlp()
    return fwd, (P, x)


@model("mlp_train_sgd", 3 * MLP_FLOPS - 2 * 256 * 784 * 1024)
def _():
    P, x, y, fwd, loss = mlp()
    return sgd(loss), (P, x, y)


@model("mlp_train_adam", 3 * MLP_FLOPS - 2 * 256 * 784 * 1024)
def _():
    P, x, y, fwd, loss = mlp()
    z = jax.tree_util.tree_map(np.zeros_like, P)
    z2 = jax.tree_util.tree_map(np.zeros_like, P)
    return adam(loss), (P, z, z2, x, y)


@model("cnn_fwd", CNN_FLOPS)
def _():
    P, x, y, fwd, loss = cnn()
    return fwd, (P, x)


@model("cnn_train", 3 * CNN_FLOPS)
def _():
    P, x, y, fwd, loss = cnn()
    return sgd(loss), (P, x, y)


@model("resblock_fwd", RESBLOCK_FLOPS)
def _():
    P, x, fwd, loss = resblock()
    return fwd, (P, x)


@model("resblock_train", 3 * RESBLOCK_FLOPS)
def _():
    P, x, fwd, loss = resblock()
    return sgd(loss), (P, x)


@model("gpt_fwd", GPT_FLOPS)
def _():
    P, x, y, fwd, loss, b = gpt()
    return fwd, (P, x)


@model("gpt_train", 3 * GPT_FLOPS)
def _():
    P, x, y, fwd, loss, b = gpt()
    return sgd(loss), (P, x, y)


@model("lstm_fwd", LSTM_FLOPS)
def _():
    P, x, fwd, loss = lstm()
    return fwd, (P, x)


@model("lstm_train", 3 * LSTM_FLOPS)
def _():
    P, x, fwd, loss = lstm()
    return sgd(loss), (P, x)


def heat(u):
    return lax.fori_loop(
        0,
        100,
        lambda i, u: u.at[1:-1, 1:-1].add(
            0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        ),
        u,
    )


model_case("heat2d_at_1024_100", lambda: (heat, (f32(1024, 1024),)))


def heat2(u):
    return lax.fori_loop(
        0,
        100,
        lambda i, u: u
        + 0.1
        * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u),
        u,
    )


model_case("heat2d_roll_1024_100", lambda: (heat2, (f32(1024, 1024),)))


def nbody(p):
    d = p[None] - p[:, None]
    r = lax.rsqrt((d * d).sum(-1) + 1e-3)
    return (d * (r * r * r)[..., None]).sum(1)


model_case("nbody_1024", lambda: (nbody, (f32(1024, 3),)), 20 * 1024 * 1024)


def mandel(cr, ci):
    def body(s):
        i, zr, zi, n = s
        a = zr * zr
        b = zi * zi
        live = a + b < 4
        return (
            i + 1,
            jnp.where(live, a - b + cr, zr),
            jnp.where(live, 2 * zr * zi + ci, zi),
            n + live,
        )

    return lax.while_loop(
        lambda s: s[0] < 200,
        body,
        (0, jnp.zeros_like(cr), jnp.zeros_like(cr), jnp.zeros(cr.shape, jnp.int32)),
    )[3]


@model("mandelbrot_512_200", 200 * 512 * 512 * 9)
def _():
    x, y = np.meshgrid(
        np.linspace(-2, 1, 512, dtype=np.float32), np.linspace(-1, 1, 512, dtype=np.float32)
    )
    return mandel, (x, y)


def kmeans(x, c):
    def it(i, c):
        d = (x * x).sum(-1)[:, None] - 2 * x @ c.T + (c * c).sum(-1)
        a = jnp.argmin(d, -1)
        o = jax.nn.one_hot(a, c.shape[0], dtype=x.dtype)
        return (o.T @ x) / jnp.maximum(o.sum(0), 1)[:, None]

    return lax.fori_loop(0, 10, it, c)


@model("kmeans_20000x32_k64_10it", 10 * 4 * 20000 * 32 * 64)
def _():
    x = f32(20000, 32)
    return kmeans, (x, x[:64])


@model("gpt_generate_32tok")
def _():  # greedy decode with KV cache: small-op loop
    P, x, y, fwd, loss, b = gpt(L=2, T=64, B=1)

    def gen(P, tok):
        def body(i, t):
            l = fwd(P, t)
            n = jnp.argmax(lax.dynamic_index_in_dim(l, i, 1, False), -1).astype(t.dtype)
            return lax.dynamic_update_slice(t, n[:, None], (0, i + 1))

        return lax.fori_loop(0, 32, body, tok)

    return gen, (P, x)


@model("hmc_200x10_d50")
def _():
    def logp(q):
        return -0.5 * jnp.sum(q * q * jnp.arange(1.0, 51.0)) - jnp.sum(jnp.log1p(jnp.exp(q)))

    def hmc(k, q):
        def step(c, k):
            (q,) = c
            k1, k2 = jax.random.split(k)
            p = jax.random.normal(k1, q.shape)
            g = jax.grad(logp)

            def leap(i, s):
                q, p = s
                p = p + 0.05 * g(q)
                q = q + 0.1 * p
                p = p + 0.05 * g(q)
                return q, p

            q2, p2 = lax.fori_loop(0, 10, leap, (q, p))
            a = jnp.exp(logp(q2) - 0.5 * (p2 * p2).sum() - logp(q) + 0.5 * (p * p).sum())
            q = jnp.where(jax.random.uniform(k2) < a, q2, q)
            return (q,), q

        return lax.scan(step, (q,), jax.random.split(k, 200))[1]

    return hmc, (KEY, f32(50) * 0.1)
