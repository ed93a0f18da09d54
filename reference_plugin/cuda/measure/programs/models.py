# SPDX-License-Identifier: Apache-2.0
"""Each model's training step in milliseconds: the best of three rounds of five; and the first, with
its compilation. PLINTH_GPU_SMALL in the environment makes the models tiny.
"""

import json
import os
import time

import jax
import jax.numpy as jnp
from jax import lax, random

SMALL = "PLINTH_GPU_SMALL" in os.environ


def normal(key, *shape):
    return random.normal(key, shape, jnp.float32) * 0.02


def norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def gpt():
    layers, width, heads, vocabulary, batch, length = (
        (1, 32, 2, 64, 2, 16) if SMALL else (4, 768, 12, 50304, 8, 1024)
    )
    keys = iter(random.split(random.key(0), 4 * layers + 2))
    params = {
        "embed": normal(next(keys), vocabulary, width),
        "place": normal(next(keys), length, width),
        "layers": [
            [
                normal(next(keys), width, 3 * width),
                normal(next(keys), width, width),
                normal(next(keys), width, 4 * width),
                normal(next(keys), 4 * width, width),
            ]
            for _ in range(layers)
        ],
    }
    tokens = random.randint(random.key(1), (batch, length), 0, vocabulary)
    mask = jnp.tril(jnp.ones((length, length), bool))

    def loss(params, tokens):
        x = params["embed"][tokens] + params["place"]
        for qkv, out, up, down in params["layers"]:
            q, k, v = jnp.split((norm(x) @ qkv).reshape(batch, length, heads, -1), 3, axis=-1)
            scores = jnp.einsum("bthd,bshd->bhts", q, k) / (width / heads) ** 0.5
            attention = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
            x = x + jnp.einsum("bhts,bshd->bthd", attention, v).reshape(batch, length, width) @ out
            x = x + jax.nn.gelu(norm(x) @ up) @ down
        logits = norm(x) @ params["embed"].T
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[..., None], axis=-1).mean()

    return loss, params, tokens


def cnn():
    batch, size, widths = (2, 8, (4, 8)) if SMALL else (64, 56, (64, 128, 256))
    keys = iter(random.split(random.key(0), 2 * len(widths)))
    params, width = [], 3
    for w in widths:
        params.append((normal(next(keys), 3, 3, width, w), jnp.ones(w), jnp.zeros(w)))
        width = w
    images = random.normal(random.key(1), (batch, size, size, 3))

    def loss(params, x):
        for weights, scale, shift in params:
            x = lax.conv_general_dilated(
                x, weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            x = jax.nn.relu(
                (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5) * scale + shift
            )
        return (x**2).mean()

    return loss, params, images


def lstm():
    batch, length, width = (2, 5, 8) if SMALL else (64, 256, 512)
    params = (normal(random.key(0), width, 4 * width), normal(random.key(1), width, 4 * width))
    inputs = random.normal(random.key(2), (length, batch, width))

    def loss(params, inputs):
        def turn(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ params[0] + h @ params[1], 4, axis=-1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((batch, width))
        return (lax.scan(turn, (zero, zero), inputs)[1] ** 2).mean()

    return loss, params, inputs


result = {}
for model in (gpt, cnn, lstm):
    loss, params, data = model()
    moments = jax.tree.map(lambda p: (jnp.zeros_like(p), jnp.zeros_like(p)), params)

    def step(params, moments, data, loss=loss):
        value, grads = jax.value_and_grad(loss)(params, data)
        moments = jax.tree.map(
            lambda g, m: (0.9 * m[0] + 0.1 * g, 0.99 * m[1] + 0.01 * g * g), grads, moments
        )
        params = jax.tree.map(
            lambda p, m: p - 1e-3 * m[0] / (jnp.sqrt(m[1]) + 1e-8), params, moments
        )
        return params, moments, value

    step = jax.jit(step, donate_argnums=(0, 1))
    begin = time.perf_counter()
    params, moments, value = step(params, moments, data)
    jax.block_until_ready(value)
    first = time.perf_counter() - begin
    best = 1e9
    for _ in range(3):
        begin = time.perf_counter()
        for _ in range(5):
            params, moments, value = step(params, moments, data)
        jax.block_until_ready(value)
        best = min(best, (time.perf_counter() - begin) / 5)
    result[model.__name__] = {"ms": 1e3 * best, "first": 1e3 * first, "loss": float(value)}
print(json.dumps(result))
