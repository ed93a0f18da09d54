# SPDX-License-Identifier: Apache-2.0
"""What the other programs have no figure of: milliseconds a call, ten of them at once, the best of
five rounds. PLINTH_GPU_SMALL in the environment makes the arrays tiny.
"""

import json
import os
import time

import jax
import jax.numpy as jnp
from jax import lax, random

SMALL = "PLINTH_GPU_SMALL" in os.environ
n = 1 << (12 if SMALL else 24)
x = random.normal(random.key(0), (n,), jnp.float32)
rows, width = (64, 16) if SMALL else (50_000, 512)
table = random.normal(random.key(1), (rows, width), jnp.float32)
index = random.randint(random.key(2), (n // width,), 0, rows)
updates = random.normal(random.key(3), (n // width, width), jnp.float32)
count = 100 if SMALL else 100_000
small = [
    random.normal(random.key(4 + i), (count, s, s), jnp.float32) for i, s in enumerate((3, 8, 16))
]
points = random.normal(random.key(9), (count, 64), jnp.float32)
batch, length, heads, depth = (1, 16, 2, 8) if SMALL else (8, 1024, 12, 64)
q = random.normal(random.key(10), (batch, length, heads, depth), jnp.bfloat16)
scores = random.normal(random.key(11), (batch, heads, length, length), jnp.bfloat16)
image = random.normal(random.key(12), (2, 8, 8, 8) if SMALL else (64, 56, 56, 64), jnp.float32)
taps = random.normal(random.key(13), (3, 3, 8, 8) if SMALL else (3, 3, 64, 64), jnp.float32)
square = random.normal(random.key(14), (8, 8) if SMALL else (1024, 1024), jnp.float32)
functions = {
    "sort of 16M f32": (jnp.sort, x),
    "argsort of rows of 1k": (lambda x: jnp.argsort(x.reshape(-1, min(1024, n)), axis=1), x),
    "top 16 of rows of 4k": (lambda x: lax.top_k(x.reshape(-1, min(4096, n)), 16), x),
    "cumsum of 16M": (jnp.cumsum, x),
    "argmax of rows of 4k": (lambda x: jnp.argmax(x.reshape(-1, min(4096, n)), axis=1), x),
    "sum of 16M": (jnp.sum, x),
    "gather of rows": (lambda t, i: t[i], table, index),
    "scatter-add of rows": (lambda t, i, u: t.at[i].add(u), table, index, updates),
    "scatter-add of scalars": (
        lambda x: jnp.zeros(rows).at[(jnp.arange(n) * 7919) % rows].add(x),
        x,
    ),
    "random normal of 16M": (lambda k: random.normal(k, (n,)), random.key(0)),
    "small products of 3": (jnp.matmul, small[0], small[0]),
    "small products of 8": (jnp.matmul, small[1], small[1]),
    "small products of 16": (jnp.matmul, small[2], small[2]),
    "dots of 64": (lambda a: jax.vmap(jnp.dot)(a, a), points),
    "matrix by vector of 1k": (jnp.matmul, square, square[0]),
    "attention scores": (lambda q: jnp.einsum("bthd,bshd->bhts", q, q), q),
    "attention values": (lambda s, v: jnp.einsum("bhts,bshd->bthd", s, v), scores, q),
    "convolution of 3 x 3": (
        lambda x, w: lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        image,
        taps,
    ),
    "cholesky of 1k": (lambda a: jnp.linalg.cholesky(a @ a.T + 1e3 * jnp.eye(a.shape[0])), square),
    "transpose of three dimensions": (lambda x: jnp.transpose(x.reshape(16, -1, 16), (2, 1, 0)), x),
}
result = {}
for name, (f, *arrays) in functions.items():
    try:
        g = jax.jit(f)
        jax.block_until_ready(g(*arrays))
        best = 1e9
        for _ in range(5):
            begin = time.perf_counter()
            for _ in range(1 if SMALL else 10):
                y = g(*arrays)
            jax.block_until_ready(y)
            best = min(best, (time.perf_counter() - begin) / 10)
        result[name] = 1e3 * best
    except Exception as error:
        result[name] = str(error)[-300:]
print(json.dumps(result))
