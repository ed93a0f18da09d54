# SPDX-License-Identifier: Apache-2.0
"""Every elementwise op, for every type it allows, over edge values, magnitudes and shapes."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import Case, check, check_functions_of
from compare import Tolerance
from values import BOOL, COMPLEX, FLOATS, REAL

UNARY_EXACT = {
    "neg": lax.neg, "sign": lax.sign, "square": lax.square,
    "integer_pow3": lambda x: lax.integer_pow(x, 3),
}
UNARY_FLOAT_EXACT = {
    "ceil": lax.ceil, "floor": lax.floor, "round_away": lax.round,
    "round_even": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "is_finite": lax.is_finite, "sqrt": lambda x: lax.sqrt(lax.abs(x)),
    "reciprocal": lambda x: 1 / x,
}
UNARY_INTEGER = {
    "not": lax.bitwise_not, "population_count": lax.population_count, "clz": lax.clz,
}
# Each within the sum of both sides' errors.
UNARY_FUNCTIONS = {
    "exp": lax.exp, "exp2": lax.exp2, "expm1": lax.expm1, "log": lax.log, "log1p": lax.log1p,
    "sqrt": lax.sqrt, "rsqrt": lax.rsqrt, "cbrt": lax.cbrt, "logistic": lax.logistic,
    "tanh": lax.tanh, "sinh": lax.sinh, "cosh": lax.cosh, "asinh": lax.asinh, "acosh": lax.acosh,
    "atanh": lax.atanh, "asin": lax.asin, "acos": lax.acos, "atan": lax.atan, "erf": lax.erf,
    "erfc": lax.erfc, "erf_inv": lax.erf_inv,
}
# Of arguments whose reduction modulo pi/2 both sides do exactly.
PERIODIC = {"sin": lax.sin, "cos": lax.cos, "tan": lax.tan}
SPECIAL = {
    "lgamma": lax.lgamma, "digamma": lax.digamma, "bessel_i0e": lax.bessel_i0e,
    "bessel_i1e": lax.bessel_i1e,
}
FUNCTION_TOLERANCE = {np.dtype(np.float16): 2, values.BF16: 2, np.dtype(np.float32): 8,
                      np.dtype(np.float64): 6}
# Made of several ops whose errors add up, on either side.
LOOSER = {"erfc": 32, "erf_inv": 16, "asinh": 16, "acosh": 16, "atanh": 16, "acos": 16, "asin": 16,
          "sinh": 16, "cosh": 16}
# Here the built-in backend is up to 127 units off (log1p, cbrt; NumPy agrees with the plugin), and so
# is what it makes of them.
LOOSER_IN_F64 = {"log1p": 256, "cbrt": 256, "atanh": 256, "erf_inv": 64, "asinh": 64}

BINARY_EXACT = {
    "add": lax.add, "sub": lax.sub, "mul": lax.mul,
    "eq": lax.eq, "ne": lax.ne,
}
BINARY_ORDERED = {
    "max": lax.max, "min": lax.min, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge,
    "div": lax.div, "rem": lax.rem,
}
BINARY_INTEGER = {
    "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor,
    "shift_left": lax.shift_left, "shift_right_arithmetic": lax.shift_right_arithmetic,
    "shift_right_logical": lax.shift_right_logical,
}
TERNARY = {
    "clamp": lambda x, y: lax.clamp(lax.min(x, y), x, lax.max(x, y)),
    "select": lambda x, y: lax.select(lax.lt(x, y), x, y),
    "where_scalar": lambda x, y: jnp.where(x.ravel()[0] == x, x, y),
}
ids = {"ids": values.name}


@pytest.mark.parametrize("dtype", REAL, **ids)
def test_unary_exact(dtype):
    args = (np.concatenate([values.edges(dtype), values.spread(dtype, 200)]),)
    table = UNARY_EXACT | (UNARY_FLOAT_EXACT if values.is_float(dtype) else UNARY_INTEGER)
    if dtype not in values.UNSIGNED:
        table = table | {"abs": lax.abs}
    tolerances = {}
    if values.is_float(dtype):
        # x*x*x is rounded once or twice.
        tolerances = {"integer_pow3": Tolerance(ulps=2), "square": Tolerance(ulps=0.5),
                      "reciprocal": Tolerance(ulps=0.5), "sqrt": Tolerance(ulps=1)}
    check_functions_of(args, table, tolerances)


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_functions(dtype):
    dtype = np.dtype(dtype)
    args = (np.concatenate([values.edges(dtype), values.spread(dtype, 500),
                            values.random(dtype, (500,), low=-1, high=1)]),)
    base = FUNCTION_TOLERANCE[dtype]
    looser = {} if base == 2 else LOOSER | (LOOSER_IN_F64 if dtype.itemsize == 8 else {})
    tolerances = {name: Tolerance(ulps=looser.get(name, base)) for name in UNARY_FUNCTIONS}
    check_functions_of(args, UNARY_FUNCTIONS, tolerances)


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_periodic_functions(dtype):
    dtype = np.dtype(dtype)
    args = (np.concatenate([values.random(dtype, (1000,), low=-100, high=100),
                            np.array([0.0, -0.0, np.inf, -np.inf, np.nan]).astype(dtype)]),)
    tolerance = Tolerance(ulps=FUNCTION_TOLERANCE[dtype])
    check_functions_of(args, PERIODIC, default=tolerance)


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_special_functions(dtype):
    dtype = np.dtype(dtype)
    args = (np.concatenate([values.random(dtype, (300,), low=0.01, high=30),
                            values.random(dtype, (100,), low=-5.4, high=0.3),
                            np.array([np.inf, np.nan, 1, 2, 100]).astype(dtype)]),)
    # Near their zeros these cancel.
    eps = float(jnp.finfo(dtype).eps)
    check_functions_of(args, SPECIAL, default=Tolerance(ulps=64, absolute=64 * eps))
    a, x = (values.random(dtype, (60,), seed, 0.1, 12) for seed in (1, 2))
    check_functions_of((a, x), {"igamma": lax.igamma, "igammac": lax.igammac},
                       default=Tolerance(ulps=256, absolute=16 * eps))


@pytest.mark.parametrize("dtype", REAL, **ids)
def test_binary(dtype):
    table = BINARY_EXACT | BINARY_ORDERED | TERNARY
    tolerances = {}
    if values.is_float(dtype):
        # XLA's float min and max may return either zero.
        either_zero = Tolerance(zero_sign=False)
        tolerances = {"max": either_zero, "min": either_zero, "clamp": either_zero,
                      "div": Tolerance(ulps=0.5), "mul": Tolerance(ulps=0.5)}
    else:
        table = table | BINARY_INTEGER
    check_functions_of(values.edge_pairs(dtype), table, tolerances)
    args = values.spread(dtype, 300, 1), values.spread(dtype, 300, 2)
    tolerances["rem"] = Tolerance(ulps=0.5)
    check_functions_of(args, table, tolerances)


def test_logic_of_booleans():
    args = np.array([False, False, True, True]), np.array([False, True, False, True])
    check_functions_of(args, {
        "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor,
        "not": lambda x, y: lax.bitwise_not(x), "eq": lax.eq, "ne": lax.ne, "lt": lax.lt,
        "ge": lax.ge, "max": lax.max, "min": lax.min, "select": lambda x, y: lax.select(x, y, x),
        "add": lambda x, y: jnp.add(x, y), "mul": lambda x, y: jnp.multiply(x, y),
    })


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_two_argument_functions(dtype):
    dtype = np.dtype(dtype)
    base = FUNCTION_TOLERANCE[dtype]
    x, y = values.edge_pairs(dtype)
    table = {"atan2": lax.atan2, "nextafter": lax.nextafter} if dtype.itemsize > 2 else {
        "atan2": lax.atan2}
    check_functions_of((x, y), table, {"atan2": Tolerance(ulps=base)})
    x = np.concatenate([values.random(dtype, (300,), 3, 0.01, 20),
                        np.array([0, -0.0, 1, 2, np.inf, -np.inf, np.nan, -2, -3, 0, 0]).astype(dtype)])
    y = np.concatenate([values.random(dtype, (300,), 4, -5, 5),
                        np.array([0, 3, np.nan, np.inf, -1, 2, 0, 3, 2.5, -1, 2]).astype(dtype)])
    check_functions_of((x, y), {"pow": lax.pow}, default=Tolerance(ulps=4 * base))


@pytest.mark.parametrize("exponent", [np.int8, np.int32, np.int64], **ids)
def test_power_of_integer_type(exponent):
    x = values.random(np.float32, (64,), low=-3, high=3)
    y = values.random(exponent, (64,), low=-6, high=6)
    check_functions_of((x, y), {"pow": lax.pow}, default=Tolerance(ulps=32))


@pytest.mark.parametrize("dtype", COMPLEX, **ids)
def test_complex(dtype):
    near, few, many = Tolerance(ulps=4), Tolerance(ulps=32), Tolerance(ulps=256)
    x, y = (values.random(dtype, (300,), seed, -3, 3) for seed in (1, 2))
    check_functions_of((x, y), {
        "add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "neg": lambda x, y: -x,
        "conj": lambda x, y: lax.conj(x), "real": lambda x, y: lax.real(x),
        "imag": lambda x, y: lax.imag(x), "abs": lambda x, y: lax.abs(x),
        "sign": lambda x, y: lax.sign(x), "eq": lax.eq, "ne": lax.ne,
        "complex": lambda x, y: lax.complex(lax.real(x), lax.imag(y)),
        "select": lambda x, y: lax.select(lax.real(x) > 0, x, y),
        "square": lambda x, y: x * x,
    }, {"mul": near, "div": few, "abs": near, "sign": near, "square": near})
    check_functions_of((x,), {
        "exp": lax.exp, "log": lax.log, "sqrt": lax.sqrt, "rsqrt": lax.rsqrt, "tanh": lax.tanh,
        "sin": lax.sin, "cos": lax.cos, "tan": lax.tan, "log1p": lax.log1p, "expm1": lax.expm1,
        "logistic": lax.logistic, "sinh": lax.sinh, "cosh": lax.cosh,
    }, default=few)
    check_functions_of((x, y), {"pow": lax.pow}, default=many)
    edges = values.edge_pairs(dtype)
    check_functions_of(edges, {"add": lax.add, "sub": lax.sub, "mul": lax.mul, "eq": lax.eq,
                               "ne": lax.ne}, {"mul": Tolerance(ulps=4, zero_sign=False)})


# Left out are those where the parts of one infinite or NaN operand go ways that C's Annex G leaves
# to no other (abs, expm1, tan, tanh), and products of c64 that overflow: the built-in backend fuses.
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_special_values(dtype):
    parts = [0.0, -0.0, 1.0, -2.5, np.nan, np.inf, -np.inf]
    x = np.array([complex(a, b) for a in parts for b in parts], dtype)
    near = Tolerance(ulps=32, zero_sign=False)
    check_functions_of((x,), {
        "exp": lax.exp, "log": lax.log, "sqrt": lax.sqrt, "rsqrt": lax.rsqrt, "sin": lax.sin,
        "cos": lax.cos, "log1p": lax.log1p, "logistic": lax.logistic, "sign": lax.sign,
    }, default=near)
    left, right = (side.ravel() for side in np.meshgrid(x, x, indexing="ij"))
    check_functions_of((left, right), {"mul": lax.mul, "div": lax.div, "eq": lax.eq}, default=near)
    zeros = np.zeros_like(x)
    check_functions_of((zeros, x), {"pow": lax.pow}, default=near)
    bases, exponents = (side.ravel().astype(dtype) for side in np.meshgrid(
        [0, 1e-30, 1, 2.5, 1e30, np.inf], [-1, 0.5, 1, 0.0, -0.25], indexing="ij"))
    check_functions_of((bases, exponents), {"pow": lax.pow}, default=near)


SUBNORMAL_ORACLE = {
    "add": (np.add, lax.add), "sub": (np.subtract, lax.sub), "mul": (np.multiply, lax.mul),
    "abs": (lambda x, y: np.abs(x), lambda x, y: lax.abs(x)),
    "max": (np.maximum, lax.max), "lt": (np.less, lax.lt), "eq": (np.equal, lax.eq),
}


@pytest.mark.plugin_only
@pytest.mark.parametrize("dtype", [np.float32, np.float64], **ids)
def test_subnormals_are_kept(dtype):
    """Against NumPy: the built-in backend flushes them."""
    import backends
    from compare import difference

    tiny = np.finfo(dtype).tiny
    numbers = np.array([tiny / 2, tiny / 8, -tiny / 2, np.finfo(dtype).smallest_subnormal, tiny,
                        1.0, 0.5, -1.5, 0.0], dtype)
    x, y = (a.ravel() for a in np.meshgrid(numbers, numbers))
    names = list(SUBNORMAL_ORACLE)
    got = backends.run_on_plugin(lambda x, y: [SUBNORMAL_ORACLE[n][1](x, y) for n in names], x, y)
    for name, result in zip(names, got):
        assert not difference(SUBNORMAL_ORACLE[name][0](x, y), result), name


@pytest.mark.parametrize("dtype", [np.int8, values.BF16, np.float32, np.float64, np.complex64],
                         **ids)
def test_shapes(dtype):
    cases = []
    for shape in values.SHAPES:
        x, y = (values.random(dtype, shape, seed, 1, 3) for seed in (1, 2))
        cases.append(Case("mul_add", lambda x, y: x * y + x, (x, y), Tolerance(ulps=4)))
        cases.append(Case("select", lambda x, y: jnp.where(x == y, x, -y), (x, y)))
        cases.append(Case("scalar", lambda x, y: x + y.ravel()[:1].sum(), (x, y), Tolerance(ulps=1)))
    check(cases)


@pytest.mark.full
@pytest.mark.parametrize("shape", values.LARGE_SHAPES, ids=str)
@pytest.mark.parametrize("dtype", values.FEW, **ids)
def test_large_shapes(dtype, shape):
    x, y = (values.random(dtype, shape, seed, 1, 3) for seed in (1, 2))
    if np.dtype(dtype) == BOOL:
        check_functions_of((x, y), {"xor": lax.bitwise_xor})
        return
    check_functions_of((x, y), {"mul": lax.mul, "sub": lax.sub, "eq": lax.eq},
                       default=Tolerance(ulps=4))


def test_long_chain():
    """More ops than one kernel holds."""
    def chain(x):
        for i in range(300):
            x = x * 0.99 + (i % 7) * 0.01 if i % 3 else jnp.abs(x) - 0.5
        return x

    x = values.random(np.float32, (501,))
    check([Case("chain", chain, (x,), Tolerance(of_max=64))])


def test_wide_fusion():
    """Many inputs and outputs in one kernel, of different types."""
    x = values.random(np.float32, (333,))

    def wide(*xs):
        total = functools.reduce(jnp.add, xs)
        return [(total * i).astype(t) for i, t in enumerate([np.float32, np.int32, np.float64,
                                                             values.BF16, np.int8] * 6)]

    check([Case("wide", wide, tuple(x + i for i in range(20)), Tolerance(ulps=64))])


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_reduce_precision(dtype):
    args = (np.concatenate([values.edges(dtype), values.spread(dtype, 300)]),)
    formats = [(5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (11, 52), (2, 1)]
    check_functions_of(args, {
        f"e{e}m{m}": functools.partial(lax.reduce_precision, exponent_bits=e, mantissa_bits=m)
        for e, m in formats})


@pytest.mark.parametrize("dtype", COMPLEX, **ids)
@pytest.mark.plugin_only
def test_clamp_of_complex(dtype):
    """Real parts first, as lax.max does; without its optimizer built-in has no such clamp."""
    a, b = np.meshgrid(values.edges(dtype), values.edges(dtype))
    a, b, bound = a.ravel(), b.ravel(), np.asarray(complex(0.5, 1), dtype)
    with jax.default_device(backends.plugin_device()):
        clamped, expected = jax.jit(lambda a, b: (lax.clamp(a, b, bound), lax.min(lax.max(b, a), bound)))(a, b)
    np.testing.assert_array_equal(clamped, expected)
