# SPDX-License-Identifier: Apache-2.0
"""Runs add_one on the plugin, and shows what happens to any other function."""

import jax
import numpy as np


@jax.jit
def add_one(x):
    return x + 1


print("devices:", jax.devices())
x = np.arange(8, dtype=np.float32)
y = add_one(x)
print(np.asarray(y))
assert np.array_equal(np.asarray(y), x + 1)
assert np.array_equal(np.asarray(add_one(y)), x + 2)
assert np.array_equal(np.asarray(add_one(x[::-1])), x[::-1] + 1)


def expect_error(what, run, text):
    try:
        run()
    except Exception as error:
        print(f"{what}: {error}")
        assert text in str(error), text
    else:
        raise AssertionError(f"{what} was run")


expect_error("another function", lambda: jax.jit(lambda a: a * 2)(x), "add_one")
expect_error("another size", lambda: add_one(x[:5]), "f32[8]")
assert np.array_equal(np.asarray(add_one(x)), x + 1)
print("OK")
