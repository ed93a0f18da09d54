# SPDX-License-Identifier: Apache-2.0
"""GB/s of functions of an array of so many f32 as the argument says.

Rows as short as an embedding, as long as a hidden layer and as a vocabulary. The device has ten
calls at once, so that what a call costs on the host does not show; the best of five rounds.
"""

import json
import sys
import time

import driver
import jax
import jax.numpy as jnp

elements = int(sys.argv[1])
side = int(elements**0.5)


def layer_norm(x):
    mean = jnp.mean(x, axis=1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(jnp.mean((x - mean) ** 2, axis=1, keepdims=True) + 1e-5)


long = {
    "softmax": (lambda x: jax.nn.softmax(x, axis=1), 2),
    "layer norm": (layer_norm, 2),
    "row sums": (lambda x: jnp.sum(x, axis=1), 1),
}
all = {
    "addition": (lambda x: x + 0.5, 2),
    "elementwise": (lambda x: jnp.tanh(x) * x + jnp.exp(-x * x), 2),
    "transpose": (lambda x: x.T, 2),
    "sum with the transpose": (lambda x: x.reshape(side, side) + x.reshape(side, side).T, 3),
    "column sums": (lambda x: jnp.sum(x, axis=0), 1),
    "column maxima": (lambda x: jnp.max(x, axis=0), 1),
}
result = {}
for length in (8192, 1024, 32768):
    length = min(length, elements)
    x = jax.block_until_ready(
        jax.jit(
            lambda: jax.lax.broadcasted_iota(jnp.float32, (elements // length, length), 1) * 1e-6
        )()
    )
    functions = {f"{name} of {length}": f for name, f in long.items()}
    for name, (f, passes) in (functions if result else all | functions).items():
        g = jax.jit(f)
        jax.block_until_ready(g(x))
        best = 1e9
        for _ in range(5):
            begin = time.perf_counter()
            for _ in range(10):
                y = g(x)
            jax.block_until_ready(y)
            best = min(best, (time.perf_counter() - begin) / 10)
        result[name] = 4 * elements * passes / best / 1e9
    if "copy" not in result:
        y = jax.block_until_ready(jnp.zeros_like(x))
        places = y.unsafe_buffer_pointer(), x.unsafe_buffer_pointer()
        result["copy"] = driver.copy_speed(*places, 4 * elements)
    del x, y
print(json.dumps(result))
