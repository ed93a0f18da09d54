# SPDX-License-Identifier: Apache-2.0
"""reduce: the usual reducers, argmax and argmin, several operands at once, and regions of one's own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import Case, check, check_functions_of
from compare import EXACT, NARROW, Tolerance

ids = {"ids": values.name}
AXES = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]


def _sums(dtype):
    if values.is_narrow(dtype):
        return NARROW
    if values.is_complex(dtype) or values.is_float(dtype):
        return Tolerance(of_max=64, ulps=64, zero_sign=False)
    return EXACT


def _over(function):
    return lambda x: [function(x, axis=axes) for axes in AXES]


@pytest.mark.parametrize("dtype", values.NUMBERS, **ids)
def test_sum_and_product(dtype):
    x = values.random(dtype, (5, 7, 3), low=0.5, high=1.6)
    if not values.is_float(dtype) and not values.is_complex(dtype):
        x = values.spread(dtype, 105).reshape(5, 7, 3)
    check_functions_of((x,), {
        "sum": _over(lambda x, axis: jnp.sum(x, axis, dtype=x.dtype)),
        "prod": _over(lambda x, axis: jnp.prod(x, axis, dtype=x.dtype)),
    }, default=_sums(dtype), wide=True)


@pytest.mark.parametrize("dtype", values.REAL, **ids)
def test_extremes(dtype):
    tolerance = Tolerance(absolute=0, zero_sign=False)
    for args in ((values.random(dtype, (5, 7, 3), low=-50, high=50),),
                 (values.with_edges(dtype, (5, 7, 3)),)):
        check_functions_of(args, {
            "max": _over(jnp.max), "min": _over(jnp.min),
            "argmax": lambda x: [lax.argmax(x, d, np.int32) for d in range(3)],
            "argmin": lambda x: [lax.argmin(x, d, np.int64) for d in range(3)],
            "argmax_flat": jnp.argmax,
        }, default=tolerance)


@pytest.mark.parametrize("dtype", values.INTEGERS + [values.BOOL], **ids)
def test_bits(dtype):
    x = values.spread(dtype, 105).reshape(5, 7, 3)
    check_functions_of((x,), {
        "and": lambda x: [lax.reduce_and(x, a) for a in AXES],
        "or": lambda x: [lax.reduce_or(x, a) for a in AXES],
        "xor": lambda x: [lax.reduce_xor(x, a) for a in AXES],
        "all": _over(jnp.all), "any": _over(jnp.any), "count": _over(jnp.count_nonzero),
    })


def test_not_a_number_wins():
    x = np.array([[1, np.nan, 3], [4, 5, 6], [np.nan, np.nan, -np.inf]], np.float32)
    check_functions_of((x,), {
        "max": lambda x: [jnp.max(x, a) for a in (0, 1, None)],
        "min": lambda x: [jnp.min(x, a) for a in (0, 1, None)],
        "sum": lambda x: [jnp.sum(x, a) for a in (0, 1, None)],
        "nanmax": lambda x: jnp.nanmax(x, 1), "argmax": lambda x: jnp.argmax(x, 1),
        "argmin": lambda x: jnp.argmin(x, 0),
    })


@pytest.mark.parametrize("dtype", [np.float16, values.BF16, np.float32, np.float64], **ids)
@pytest.mark.parametrize("size", [2, 7, 64, 100, 1000])
def test_positive_zero_is_the_greater(dtype, size):
    rows = np.zeros((3, size), dtype)
    rows[[0, 1, 2], [0, size // 2, size - 1]] = -0.0

    def extremes(reduce, cumulative, op, first):
        return lambda x: [reduce(x), reduce(x, 1), reduce(x.T, 0), cumulative(x, 1)[:, -1],
                          lax.reduce_window(x, np.array(first, dtype), op, (1, size), (1, 1), "VALID")]

    check([Case("min", extremes(jnp.min, lax.cummin, lax.min, np.inf), (rows,)),
           Case("max", extremes(jnp.max, lax.cummax, lax.max, -np.inf), (-rows,))])


@pytest.mark.parametrize("dtype", [np.int32, values.BF16, np.float32, np.float64], **ids)
def test_regions_of_ones_own(dtype):
    x = values.random(dtype, (6, 11), low=1, high=9)
    y = values.random(np.int32, (6, 11), 2, -9, 9)
    zero = np.zeros((), dtype)

    def largest_by_magnitude(a, b):
        return jnp.where(jnp.abs(a) >= jnp.abs(b), a, b)

    def hypotenuse(a, b):
        return jnp.maximum(a, b) + jnp.minimum(a, b) * jnp.asarray(0, a.dtype)

    def pair(a, b):
        return a[0] + b[0], lax.max(a[1], b[1])

    def complex_product(a, b):
        return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]

    def first_of_largest(a, b):
        take = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
        return jnp.where(take, a[0], b[0]), jnp.where(take, a[1], b[1])

    def three(a, b):
        return a[0] + b[0], jnp.minimum(a[1], b[1]), a[2] | b[2]

    # Powers of two: products stay exact.
    signs = np.where(values.random(np.int32, (6, 11), 4) > 0, 1, -1).astype(dtype)
    check([
        Case("by_magnitude", lambda x: lax.reduce(x, zero, largest_by_magnitude, (1,)), (x,)),
        Case("with_inner_ops", lambda x: lax.reduce(x, zero, hypotenuse, (0,)), (x,)),
        Case("pair", lambda x, y: lax.reduce((x, y), (zero, np.int32(-100)), pair, (1,)), (x, y),
             _sums(dtype)),
        Case("pair_all", lambda x, y: lax.reduce((x, y), (zero, np.int32(-100)), pair, (0, 1)),
             (x, y), _sums(dtype)),
        Case("complex_product", lambda a, b: lax.reduce(
            (a, b), (np.ones((), dtype), zero), complex_product, (0,)),
             (signs, np.zeros_like(signs)), Tolerance(absolute=1e-30, zero_sign=False)
             if values.is_float(dtype) else EXACT),
        Case("argmax_by_hand", lambda x, y: lax.reduce(
            (x, y), (zero, np.int32(99)), first_of_largest, (1,)), (x, y)),
        Case("three", lambda x, y: lax.reduce(
            (x, y, y), (zero, np.int32(99), np.int32(0)), three, (0,)), (x, y, y)[:2], _sums(dtype)),
    ])


@pytest.mark.parametrize("dtype", [np.int8, values.BF16, np.float32, np.float64], **ids)
def test_shapes(dtype):
    cases = []
    for shape in values.SHAPES:
        x = values.random(dtype, shape, low=0, high=3)
        for axes in [(d,) for d in range(len(shape))] + [tuple(range(len(shape)))]:
            cases.append(Case(f"sum{axes}", lambda x, a=axes: jnp.sum(x, a, dtype=x.dtype), (x,),
                              _sums(dtype), wide=True))
    check(cases)
    empty = np.zeros((3, 0, 2), dtype)
    check([Case("max_of_none", lambda x: jnp.max(x, 1, initial=-3), (empty,))])


@pytest.mark.full
@pytest.mark.parametrize("shape", values.LARGE_SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.int8, np.int64] + values.FLOATS, **ids)
def test_large_shapes(dtype, shape):
    x = values.random(dtype, shape)
    check([Case(f"{name}{axes}", lambda x, f=f, a=axes: f(x, a), (x,), tolerance)
           for axes in [(0,), (len(shape) - 1,), None]
           for name, f, tolerance in [
               ("max", jnp.max, EXACT),
               ("sum", lambda x, a: jnp.sum(jnp.abs(x.astype(np.float64)), a),
                Tolerance(of_max=1e5))]])


FUSED = {
    "softmax": lambda x: jax.nn.softmax(x),
    "softmax_first": lambda x: jax.nn.softmax(x, 0),
    "log_softmax": lambda x: jax.nn.log_softmax(x),
    "logsumexp": lambda x: jax.nn.logsumexp(x, 1),
    "layer_norm": lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(
        x.var(-1, keepdims=True) + 1e-5),
    "rms_norm": lambda x: x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6),
    "variance": lambda x: jnp.var(x, (0, 1)),
    "mean_of_exp": lambda x: jnp.mean(jnp.exp(x), 0),
    "norm": lambda x: jnp.sqrt(jnp.sum(x * x)),
    "two_of_one": lambda x: (jnp.sum(x, 1), jnp.max(x * 2, 1), x + 1),
    "sum_used_twice": lambda x: x / jnp.sum(x * x, 1, keepdims=True) + jnp.sum(x * x, 0),
    "sum_of_transpose": lambda x: jnp.sum(x.T * 2, 0),
    "sum_of_slice": lambda x: jnp.sum(x[1:-1, ::2], 1),
    "sum_of_pad": lambda x: jnp.sum(jnp.pad(x, ((1, 2), (0, 1)), constant_values=3), 0),
    "sum_of_concatenate": lambda x: jnp.sum(jnp.concatenate([x, x * 2], 1), 1),
    "sum_of_iota": lambda x: jnp.sum(x * lax.broadcasted_iota(x.dtype, x.shape, 1), 1),
}


@pytest.mark.parametrize("dtype", values.FLOATS, **ids)
@pytest.mark.parametrize("shape", [(7, 33), (64, 257)], ids=str)
def test_fused(dtype, shape):
    x = values.random(dtype, shape)
    tolerance = NARROW if values.is_narrow(dtype) else Tolerance(of_max=64, ulps=16, zero_sign=False)
    check_functions_of((x,), FUSED, default=tolerance, wide=True)


@pytest.mark.parametrize("dtype", values.ALL, **ids)
def test_of_broadcast(dtype):
    """Along dimensions of equal elements nothing has to be added up."""
    x = values.with_edges(dtype, (5, 1, 3))
    to = {"rows": lambda x: jnp.broadcast_to(x[0, 0], (4, 7, 3)), "inner": lambda x: jnp.broadcast_to(x, (5, 6, 3)),
          "scalar": lambda x: jnp.broadcast_to(x[1, 0, 2], (4, 7, 3)), "constant": lambda x: jnp.full((4, 7, 3), 1, dtype),
          "transposed": lambda x: jnp.broadcast_to(x[:, 0].T[:, None, :], (3, 4, 5)),
          "converted": lambda x: jnp.broadcast_to(x[0] != 0, (4, 7, 3)).astype(dtype),
          "empty": lambda x: jnp.broadcast_to(x, (5, 0, 3))}
    ops = {"sum": lambda x, axis: lax.reduce(x, np.ones((), dtype), lax.add, axis),
           "prod": lambda x, axis: lax.reduce(x, np.ones((), dtype), lax.mul, axis)}
    if dtype == values.BOOL:
        ops = {}
    if not values.is_complex(dtype):
        ops |= {"max": lambda x, axis: lax.reduce(x, np.zeros((), dtype), lax.max, axis),
                "min": lambda x, axis: lax.reduce(x, np.ones((), dtype), lax.min, axis)}
    if not values.is_complex(dtype) and not values.is_float(dtype):
        ops |= {"and": lambda x, axis: lax.reduce_and(x, axis), "or": lambda x, axis: lax.reduce_or(x, axis),
                "xor": lambda x, axis: lax.reduce_xor(x, axis)}
    check_functions_of((x,), {f"{op}_{name}": lambda x, f=f, g=g: [g(f(x), axes) for axes in AXES]
                              for name, f in to.items() for op, g in ops.items()}, default=_sums(dtype))


@pytest.mark.plugin_only
def test_of_large_broadcast():
    """More elements than could be added up."""
    with jax.default_device(backends.plugin_device()):
        def sums(x):
            wide = jnp.broadcast_to(x, (1 << 20, 1 << 20, 3))
            mean = jnp.broadcast_to(x[1].astype(values.BF16), (1 << 20, 1 << 20)).mean()
            return wide.sum((0, 1)), wide.sum(), wide.max((0, 1)), jnp.ones((1 << 20, 1 << 20), np.int64).sum(), mean
        x = np.array([1, -0.5, np.inf], np.float32)
        some, every, most, ones, mean = jax.jit(sums)(x)
    np.testing.assert_array_equal(some, x * np.float32(2**40))
    assert every == np.inf and ones == 2**40 and mean == -0.5
    np.testing.assert_array_equal(most, x)


@pytest.mark.parametrize("columns", [3, 4, 8])
def test_sums_of_predicates(columns):
    x = values.random(np.float32, (1500, columns), low=-1, high=1)
    weights = np.array([[7, 0, 90, 1, 3, 100, 2, 50]], np.int32)[:, :columns]
    check_functions_of((x,), {
        "count": lambda x: jnp.sum(x > 0, 1),
        "count of u8": lambda x: jnp.sum((x > 0).astype(np.uint8), 1, dtype=np.uint8),
        "mean": lambda x: jnp.mean((x > 0).astype(np.float32), 1),
        "weights": lambda x: jnp.sum((x > 0) * weights, 1),
        "packbits": lambda x: [jnp.packbits(x > 0, bitorder=order) for order in ("big", "little")],
    }, default=EXACT)
