# SPDX-License-Identifier: Apache-2.0
"""Models that are compiled, run and trained: parameters, inputs, forward pass, loss."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from measure import R, f32


def glorot(*s):
    return (f32(*s) / np.sqrt(s[-2] if len(s) > 1 else s[0])).astype(np.float32)


def mlp(sizes=(784, 1024, 1024, 10), B=256):
    P = [(glorot(a, b), np.zeros(b, np.float32)) for a, b in zip(sizes, sizes[1:])]
    x = f32(B, sizes[0])
    y = R.randint(0, sizes[-1], B).astype(np.int32)

    def fwd(P, x):
        for i, (w, b) in enumerate(P):
            x = x @ w + b
            if i < len(P) - 1:
                x = jax.nn.relu(x)
        return x

    def loss(P, x, y):
        l = jax.nn.log_softmax(fwd(P, x))
        return -jnp.mean(jnp.take_along_axis(l, y[:, None], 1))

    return P, x, y, fwd, loss


def sgd(loss, lr=0.01):
    def step(P, *a):
        l, g = jax.value_and_grad(loss)(P, *a)
        return l, jax.tree_util.tree_map(lambda p, g: p - lr * g, P, g)

    return step


def adam(loss, lr=1e-3):
    def step(P, m, v, *a):
        l, g = jax.value_and_grad(loss)(P, *a)
        t = jax.tree_util.tree_map
        m = t(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = t(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        return l, t(lambda p, m, v: p - lr * m / (jnp.sqrt(v) + 1e-8), P, m, v), m, v

    return step


def cnn(B=32):
    P = {
        "c1": glorot(3, 3, 3, 32),
        "c2": glorot(3, 3, 32, 64),
        "c3": glorot(3, 3, 64, 64),
        "d1": glorot(4 * 4 * 64, 128),
        "d2": glorot(128, 10),
    }
    x = f32(B, 32, 32, 3)
    y = R.randint(0, 10, B).astype(np.int32)

    def conv(x, w):
        return lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def fwd(P, x):
        x = pool(jax.nn.relu(conv(x, P["c1"])))
        x = pool(jax.nn.relu(conv(x, P["c2"])))
        x = pool(jax.nn.relu(conv(x, P["c3"])))
        return jax.nn.relu(x.reshape(x.shape[0], -1) @ P["d1"]) @ P["d2"]

    def loss(P, x, y):
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(fwd(P, x)), y[:, None], 1))

    return P, x, y, fwd, loss


def resblock(B=8, H=28, C=64):
    P = {
        "w1": glorot(3, 3, C, C),
        "w2": glorot(3, 3, C, C),
        "g1": np.ones(C, np.float32),
        "b1": np.zeros(C, np.float32),
        "g2": np.ones(C, np.float32),
        "b2": np.zeros(C, np.float32),
    }
    x = f32(B, H, H, C)

    def conv(x, w):
        return lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    def bn(x, g, b):
        m = x.mean((0, 1, 2))
        v = ((x - m) ** 2).mean((0, 1, 2))
        return (x - m) * lax.rsqrt(v + 1e-5) * g + b

    def fwd(P, x):
        y = jax.nn.relu(bn(conv(x, P["w1"]), P["g1"], P["b1"]))
        return jax.nn.relu(x + bn(conv(y, P["w2"]), P["g2"], P["b2"]))

    def loss(P, x):
        return jnp.mean(fwd(P, x) ** 2)

    return P, x, fwd, loss


def gpt(L=4, d=256, H=8, T=128, B=4, V=1024):
    def blk():
        return {
            "ln1": np.ones(d, np.float32),
            "ln2": np.ones(d, np.float32),
            "qkv": glorot(d, 3 * d),
            "o": glorot(d, d),
            "f1": glorot(d, 4 * d),
            "f2": glorot(4 * d, d),
            "b1": np.zeros(4 * d, np.float32),
            "b2": np.zeros(d, np.float32),
        }

    P = {
        "blocks": [blk() for _ in range(L)],
        "wte": (0.02 * f32(V, d)).astype(np.float32),
        "wpe": (0.02 * f32(T, d)).astype(np.float32),
        "lnf": np.ones(d, np.float32),
    }
    x = R.randint(0, V, (B, T)).astype(np.int32)
    y = R.randint(0, V, (B, T)).astype(np.int32)

    def ln(x, g):
        m = x.mean(-1, keepdims=True)
        v = ((x - m) ** 2).mean(-1, keepdims=True)
        return (x - m) * lax.rsqrt(v + 1e-5) * g

    def block_(p, x):
        B, T, _ = x.shape
        h = ln(x, p["ln1"]) @ p["qkv"]
        q, k, v = [t.reshape(B, T, H, d // H).transpose(0, 2, 1, 3) for t in jnp.split(h, 3, -1)]
        a = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(d // H))
        a = jnp.where(jnp.tril(jnp.ones((T, T), bool)), a, -1e9)
        a = jax.nn.softmax(a, -1)
        x = x + (a @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ p["o"]
        return x + jax.nn.gelu(ln(x, p["ln2"]) @ p["f1"] + p["b1"]) @ p["f2"] + p["b2"]

    def fwd(P, x):
        h = P["wte"][x] + P["wpe"]
        for p in P["blocks"]:
            h = block_(p, h)
        return ln(h, P["lnf"]) @ P["wte"].T

    def loss(P, x, y):
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(fwd(P, x)), y[..., None], -1))

    return P, x, y, fwd, loss, block_


def lstm(B=16, T=128, I=64, H=128):
    P = {"wi": glorot(I, 4 * H), "wh": glorot(H, 4 * H), "b": np.zeros(4 * H, np.float32)}
    x = f32(T, B, I)

    def fwd(P, x):
        def step(c, xt):
            h, s = c
            i, f, g, o = jnp.split(xt @ P["wi"] + h @ P["wh"] + P["b"], 4, -1)
            s = jax.nn.sigmoid(f) * s + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(s)
            return (h, s), h

        z = jnp.zeros((x.shape[1], H), jnp.float32)
        return lax.scan(step, (z, z), x)[1]

    def loss(P, x):
        return jnp.mean(fwd(P, x) ** 2)

    return P, x, fwd, loss


# A chain of k elementwise operations.
def chain(k):
    def f(x, y):
        for i in range(k):
            c = np.float32(0.5 + 0.01 * i)
            m = i % 5
            if m == 0:
                x = x * y
            elif m == 1:
                x = x + y
            elif m == 2:
                x = jnp.maximum(x, -c)
            elif m == 3:
                x = x - c
            else:
                x = jnp.minimum(x, 1 + c)
        return x

    return f
