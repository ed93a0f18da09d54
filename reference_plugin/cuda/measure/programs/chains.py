# SPDX-License-Identifier: Apache-2.0
"""1,000 dependent tiny kernels, by a call each and in one program, and a while loop of unknown
length: microseconds for each.
"""

import json
import time

import jax
import jax.numpy as jnp

x = jnp.ones(8)
f = jax.jit(lambda x: x * 1.0001)
known = jax.jit(lambda x: jax.lax.fori_loop(0, 1000, lambda i, x: x * 1.0001, x))
loop = jax.jit(lambda x: jax.lax.while_loop(lambda x: x[0] < 1.1, lambda x: x * 1.0001, x))
jax.block_until_ready((f(x), known(x), loop(x)))
result = {}
for name, run, count in (
    ("tiny kernels", lambda: [globals().__setitem__("y", f(y)) for _ in range(1000)], 1000),
    ("turns of a loop", lambda: globals().__setitem__("y", known(x)), 1000),
    ("while loop", lambda: globals().__setitem__("y", loop(x)), 954),
):
    best = 1e9
    for _ in range(3):
        y = x
        begin = time.perf_counter()
        run()
        jax.block_until_ready(y)
        best = min(best, time.perf_counter() - begin)
    result[name] = 1e6 * best / count
print(json.dumps(result))
