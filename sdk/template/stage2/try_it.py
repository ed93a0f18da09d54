# SPDX-License-Identifier: Apache-2.0
"""Runs a program of several ops on the plugin, and shows what it says of an op that it lacks."""

import jax
import numpy as np

print("devices:", jax.devices())
x = np.arange(4, dtype=np.float32).reshape(2, 2)
w = np.array([[1, 2], [3, 4]], dtype=np.float32)
y = jax.jit(lambda x, w: x @ w + x)(x, w)
print(np.asarray(y))
assert np.array_equal(np.asarray(y), x @ w + x)
assert np.array_equal(np.asarray(jax.jit(lambda a: a * a)(w)), w * w)

try:
    jax.jit(jax.numpy.sin)(x)
except Exception as error:
    print(f"sin: {error}")
    assert "stablehlo.sine" in str(error) and "try_it.py" in str(error)
else:
    raise AssertionError("sin was run")
print("OK")
