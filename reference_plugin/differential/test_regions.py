# SPDX-License-Identifier: Apache-2.0
"""Branches in the regions of reductions and windows, which JAX's own CPU cannot compile."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values

pytestmark = pytest.mark.plugin_only
ZERO = np.float32(0)


def _larger(a, b):
    return lax.cond(a > b, lambda: a, lambda: b)


def _larger_of_three_branches(a, b):
    return lax.switch(jnp.sign(a - b).astype(jnp.int32) + 1, [
        lambda: b, lambda: lax.cond(a > 0, lambda: a, lambda: b + 0), lambda: a])


def _largest_and_place(a, b):
    return lax.cond(a[0] >= b[0], lambda: a, lambda: b)


def test_branches():
    x = values.random(np.float32, (5, 33), low=0, high=4)

    def program(x):
        places = lax.broadcasted_iota(jnp.int32, x.shape, 1)
        return (lax.reduce(x, ZERO, _larger, (0,)), lax.reduce(x, ZERO, _larger, (0, 1)),
                lax.reduce(x, ZERO, _larger_of_three_branches, (0,)), lax.reduce(x, ZERO, jax.jit(_larger), (1,)),
                lax.reduce_window(x, ZERO, _larger, (2, 3), (1, 2), "VALID"),
                *lax.reduce((x, places), (ZERO, np.int32(-1)), _largest_and_place, (1,)))

    got = backends.run_on_plugin(program, x)
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 3))[:, ::2].max((2, 3))
    expected = (x.max(0), x.max(), x.max(0), x.max(1), windows, x.max(1), x.argmax(1))
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_array_equal(g, e)
