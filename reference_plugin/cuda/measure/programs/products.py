# SPDX-License-Identifier: Apache-2.0
"""TFLOP/s of products of matrices of the sizes that the arguments say: ten at once before it waits;
the best of three rounds.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

result = {}
for size in map(int, sys.argv[1:]):
    for kind, dtype, precision in (
        ("bf16", jnp.bfloat16, None),
        ("tf32", jnp.float32, "default"),
        ("f32", jnp.float32, "highest"),
    ):
        a, b = (
            jnp.asarray(np.random.RandomState(seed).randn(size, size), dtype) for seed in (0, 1)
        )
        f = jax.jit(lambda a, b, p=precision: jax.lax.dot(a, b, precision=p))
        jax.block_until_ready(f(a, b))
        best = 1e9
        for _ in range(3):
            begin = time.perf_counter()
            for _ in range(10):
                c = f(a, b)
            jax.block_until_ready(c)
            best = min(best, (time.perf_counter() - begin) / 10)
        result[f"{kind} {size}"] = 2 * size**3 / best / 1e12
print(json.dumps(result))
