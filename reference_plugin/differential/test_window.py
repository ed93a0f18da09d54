# SPDX-License-Identifier: Apache-2.0
"""reduce_window, cumulative ops, and select_and_scatter (the gradient of max pooling)."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import values
from cases import Case, check, check_functions_of
from compare import EXACT, NARROW, Tolerance

ids = {"ids": values.name}
SUMS = Tolerance(of_max=16, ulps=16, zero_sign=False)

# window, strides, padding, base dilation, window dilation
WINDOWS = [
    ((2, 3), (1, 1), "VALID", (1, 1), (1, 1)),
    ((3, 3), (2, 2), "SAME", (1, 1), (1, 1)),
    ((1, 4), (1, 3), ((0, 0), (2, 1)), (1, 1), (1, 1)),
    ((3, 2), (1, 1), ((2, 2), (1, 3)), (1, 1), (2, 3)),
    ((2, 2), (2, 1), ((1, 0), (0, 1)), (2, 3), (1, 1)),
    ((3, 3), (1, 2), ((-1, 1), (0, -2)), (1, 2), (2, 1)),
    ((9, 11), (1, 1), "VALID", (1, 1), (1, 1)),
]


def windows(op, start):
    def function(x):
        return [lax.reduce_window(x, jnp.asarray(start, x.dtype), op, window, strides, padding,
                                  base, dilation)
                for window, strides, padding, base, dilation in WINDOWS]
    return function


@pytest.mark.parametrize("dtype", values.REAL, **ids)
def test_reduce_window(dtype):
    x = values.random(dtype, (9, 11), low=-40, high=40)
    low = -np.inf if values.is_float(dtype) else np.iinfo(dtype).min
    high = np.inf if values.is_float(dtype) else np.iinfo(dtype).max
    check_functions_of((x,), {
        "max": windows(lax.max, low), "min": windows(lax.min, high), "sum": windows(lax.add, 0),
    }, {"sum": NARROW if values.is_narrow(dtype) else SUMS} if values.is_float(dtype) else {},
        Tolerance(zero_sign=False), wide=True)


@pytest.mark.parametrize("dtype", [np.int32, np.float32], **ids)
def test_regions_of_ones_own(dtype):
    x, y = values.random(dtype, (9, 11), 1, -9, 9), values.random(np.int32, (9, 11), 2, -9, 9)
    zero = np.zeros((), dtype)

    def by_magnitude(a, b):
        return jnp.where(jnp.abs(a) >= jnp.abs(b), a, b)

    def pair(a, b):
        take = a[0] >= b[0]
        return jnp.where(take, a[0], b[0]), jnp.where(take, a[1], b[1])

    low = np.asarray(-1000, dtype)
    check([
        Case("by_magnitude", windows(by_magnitude, 0), (x,)),
        Case("pair", lambda x, y: lax.reduce_window(
            (x, y), (low, np.int32(0)), pair, (3, 3), (1, 2), "SAME"), (x, y)),
        Case("start_value", lambda x: lax.reduce_window(
            x, np.asarray(3, dtype), lax.add, (2, 3), (1, 2), "VALID"), (x,), SUMS),
        Case("product", windows(lax.mul, 1), (np.sign(x) + (x == 0),)),
        Case("4d", lambda x: lax.reduce_window(x.reshape(1, 9, 11, 1), zero, lax.add, (1, 3, 3, 1),
                                               (1, 2, 2, 1), "SAME"), (x,), SUMS),
        Case("1d", lambda x: lax.reduce_window(x.ravel(), low, lax.max, (5,), (3,), "SAME"), (x,)),
    ])


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.float32, np.complex64], **ids)
def test_initial_values_count_once(dtype):
    """What is not an element, in the padding or in gaps, is not combined."""
    x = values.random(dtype, (9, 11), low=0, high=3)
    ops = {"sum": lax.add, "prod": lax.mul}
    if not values.is_complex(dtype):
        ops |= {"max": lax.max, "min": lax.min}
    if np.issubdtype(dtype, np.integer):
        ops |= {"and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor}
    windows_and_padding = WINDOWS + [((1, 11), (1, 1), ((0, 0), low_high), (1, 1), (1, 1))
                                     for low_high in ((10, 0), (0, 10))]
    check([Case(name, lambda x, start, op=op: [
        lax.reduce_window(x, start, op, *rest) for rest in windows_and_padding], (x, np.asarray(3, dtype)),
        EXACT if np.issubdtype(dtype, np.integer) else Tolerance(of_max=64, ulps=64)) for name, op in ops.items()])


@pytest.mark.parametrize("dtype", values.NUMBERS, **ids)
def test_cumulative(dtype):
    rough = values.is_float(dtype) or values.is_complex(dtype)
    x = values.random(dtype, (4, 37), low=0.5, high=1.5)
    table = {}
    ops = {"sum": lax.cumsum, "prod": lax.cumprod}
    if not values.is_complex(dtype):
        ops |= {"max": lax.cummax, "min": lax.cummin}
    if values.is_float(dtype):
        ops["logsumexp"] = lax.cumlogsumexp
    for name, op in ops.items():
        for axis, reverse in ((0, False), (1, False), (1, True)):
            table[f"cum{name}{axis}{'r' if reverse else ''}"] = (
                lambda x, op=op, axis=axis, reverse=reverse: op(x, axis=axis, reverse=reverse))
    tolerances = {n: EXACT for n in table if "max" in n or "min" in n}
    tolerance = NARROW if values.is_narrow(dtype) else Tolerance(of_max=64, ulps=64)
    check_functions_of((x,), table, tolerances, tolerance if rough else EXACT, wide=True)


def test_cumulative_shapes():
    shapes = [(0,), (1,), (5, 0), (1000,), (3, 257, 2)]
    check([Case(f"cumsum{axis}", lambda x, a=axis: lax.cumsum(x, axis=a),
                (values.random(np.float32, shape),), Tolerance(of_max=64))
           for shape in shapes for axis in range(len(shape))])


def _max_pool(window, strides, padding):
    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding)
    return pool


@pytest.mark.parametrize("dtype", values.FLOATS, **ids)
def test_select_and_scatter(dtype):
    x = values.random(dtype, (2, 9, 11, 3))
    # Ties: the first of the equal elements is selected.
    ties = np.round(x.astype(np.float32)).astype(dtype)
    pools = {
        "2x2": _max_pool((1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        "3x3_overlapping": _max_pool((1, 3, 3, 1), (1, 1, 2, 1), "SAME"),
        "4x1_padded": _max_pool((1, 4, 1, 1), (1, 3, 1, 1), ((0, 0), (2, 1), (0, 0), (0, 0))),
    }

    def gradient(pool):
        return jax.grad(lambda x: jnp.sum(pool(x) ** 2))

    check([Case(f"{name}_{kind}", gradient(pool), (value,), SUMS)
           for name, pool in pools.items() for kind, value in (("plain", x), ("ties", ties))])


@pytest.mark.parametrize("dtype", [np.float32], **ids)
def test_pools_and_their_gradients(dtype):
    x = values.random(dtype, (2, 8, 8, 3))

    def average(x):
        total = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        return total / lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1),
                                         "SAME")

    check([Case("average", average, (x,), SUMS),
           Case("average_grad", jax.grad(lambda x: jnp.sum(jnp.sin(average(x)))), (x,), SUMS),
           Case("cumsum_grad", jax.grad(lambda x: jnp.sum(lax.cumsum(x, 1) ** 2)), (x,), SUMS),
           Case("cummax_grad", jax.grad(lambda x: jnp.sum(lax.cummax(x, 2) ** 2)), (x,), SUMS),
           Case("cumprod_grad", jax.grad(lambda x: jnp.sum(lax.cumprod(x + 3, 3))), (x,), SUMS)])
