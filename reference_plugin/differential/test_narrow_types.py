# SPDX-License-Identifier: Apache-2.0
"""Integers of 2 and 4 bits and floats of 4 and 8: every value, conversions from all types, ops, products."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import check_functions_of

INTEGERS = [np.dtype(getattr(ml_dtypes, n)) for n in ("int2", "uint2", "int4", "uint4")]
FLOATS = [np.dtype(getattr(ml_dtypes, n)) for n in (
    "float8_e3m4", "float8_e4m3", "float8_e8m0fnu", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float4_e2m1fn")]
ids = {"ids": values.name}


def _bits(dtype):
    return jnp.finfo(dtype).bits if dtype in FLOATS else jnp.iinfo(dtype).bits


def every_value(dtype):
    bits = np.arange(2**_bits(dtype), dtype=np.uint8)
    return bits.view(dtype) if dtype in FLOATS else bits.astype(dtype)


def wide(x):
    return x.astype(jnp.float32 if jnp.issubdtype(x.dtype, jnp.floating) else jnp.int32)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, **ids)
@pytest.mark.plugin_only
def test_passes_through_the_host(dtype):
    x = every_value(dtype)
    with jax.default_device(backends.plugin_device()):
        same, twice = jax.jit(lambda x: (x, jnp.concatenate([x, x])))(x)
        assert same.dtype == dtype
        np.testing.assert_array_equal(np.asarray(same).view(np.uint8), x.view(np.uint8))
        np.testing.assert_array_equal(np.asarray(twice).astype(np.float32), np.tile(x, 2).astype(np.float32))


@pytest.mark.parametrize("dtype", INTEGERS, **ids)
def test_bytes_of_results(dtype):
    """The unused bits of a byte are zero, as ml_dtypes and built-in write them."""
    x = every_value(dtype)

    def results(x):
        return (x + x, x * 3, lax.iota(dtype, 4), jnp.concatenate([x, ~x]), x.astype(np.int32).astype(dtype),
                jnp.broadcast_to(x[-1] - 1, (3, 5)), lax.sort(~x),
                lax.bitcast_convert_type(x + x, jnp.uint2 if _bits(dtype) == 2 else jnp.int4))

    for device in (backends.plugin_device(), backends.builtin_device()):
        with jax.default_device(device):
            for result in (*jax.jit(results)(x), *jax.jit(lambda: (jnp.asarray(x), *results(jnp.asarray(x))))()):
                assert np.asarray(result).view(np.uint8).max() < 1 << _bits(dtype)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, **ids)
def test_convert_from(dtype):
    x = every_value(dtype)
    if dtype == np.dtype(ml_dtypes.float8_e8m0fnu):
        x = x[1:]  # Subnormal in f32, which built-in flushes.
    check_functions_of((x,), {
        f"to_{values.name(t)}": lambda x, t=t: lax.convert_element_type(x, t)
        for t in (np.float32, np.float64, np.float16, values.BF16, np.int8, np.int32, np.uint8, bool, np.complex64)})


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_rounding(dtype):
    """Halfway between neighbours, and one unit of f32 to each side; beyond the largest."""
    finite = np.unique(every_value(dtype).astype(np.float32))
    finite = finite[np.isfinite(finite)]
    half = (finite[1:] + finite[:-1]) / 2
    largest = finite.max()
    beyond = np.array([1.03, 1.0625, 1.125, 1.25, 1.26, 1.5, 2, 4], np.float32) * np.minimum(largest, 1e37)
    x = np.concatenate([finite, half, np.nextafter(half, np.float32(np.inf)), np.nextafter(half, np.float32(-np.inf)),
                        beyond, -beyond, [np.inf, -np.inf, np.nan]]).astype(np.float32)
    x = x[(np.abs(x) >= 2e-38) | (x == 0) | np.isnan(x)]  # Built-in flushes subnormals of f32.
    with jax.default_device(backends.plugin_device()):
        got = np.asarray(jax.jit(lambda x: x.astype(dtype))(x)).astype(np.float32)
        got64 = np.asarray(jax.jit(lambda x: x.astype(dtype))(x.astype(np.float64))).astype(np.float32)
    with np.errstate(all="ignore"):
        expected = x.astype(dtype).astype(np.float32)
    if dtype == np.dtype(ml_dtypes.float8_e8m0fnu):
        x, got, got64, expected = (a[:finite.size] for a in (x, got, got64, expected))
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(got64, expected)


@pytest.mark.parametrize("dtype", INTEGERS, **ids)
def test_integer_ops(dtype):
    a, b = (x.ravel() for x in np.meshgrid(every_value(dtype), every_value(dtype)))
    check_functions_of((a, b), {
        "add": lambda a, b: wide(a + b), "sub": lambda a, b: wide(a - b), "mul": lambda a, b: wide(a * b),
        "and": lambda a, b: wide(a & b), "or": lambda a, b: wide(a | b), "xor": lambda a, b: wide(a ^ b),
        "not": lambda a, b: wide(~a), "neg": lambda a, b: wide(-a), "eq": lambda a, b: a == b,
        "lt": lambda a, b: a < b, "ge": lambda a, b: a >= b, "max": lambda a, b: wide(jnp.maximum(a, b)),
        "min": lambda a, b: wide(jnp.minimum(a, b)), "select": lambda a, b: wide(jnp.where(a < b, a, b)),
        "reverse": lambda a, b: wide(a[::-1]), "take": lambda a, b: wide(a[jnp.array([1, 3, 0, 0])]),
        "set": lambda a, b: wide(a.at[jnp.array([1, 3])].set(b[2:4])), "iota": lambda a, b: wide(lax.iota(dtype, 3)),
        "constant": lambda a, b: wide(a + every_value(dtype)[1]),
        "from_s32": lambda a, b: wide(lax.convert_element_type(lax.convert_element_type(a, jnp.int32) * 5, dtype)),
    })
    a, b = a[:12].reshape(3, 4), b[:12].reshape(4, 3)
    with jax.default_device(backends.plugin_device()):
        products = jax.jit(lambda a, b: (lax.dot(a, b, preferred_element_type=jnp.int32), wide(lax.dot(a, b))))(a, b)
    expected = a.astype(np.int32) @ b.astype(np.int32)
    np.testing.assert_array_equal(products[0], expected)
    np.testing.assert_array_equal(products[1], expected.astype(dtype).astype(np.int32))


@pytest.mark.parametrize("dtype", INTEGERS, **ids)
def test_bitcast_of_parts(dtype):
    bits = _bits(dtype)
    x = np.resize(every_value(dtype), 64)
    table = {}
    for wide_type in (np.uint8, np.int8, np.uint16, np.float16, np.int32, np.float32):
        count = 8 * np.dtype(wide_type).itemsize // bits
        unsigned = np.dtype(f"uint{8 * np.dtype(wide_type).itemsize}")
        table[f"to_{np.dtype(wide_type).name}"] = lambda x, t=wide_type, n=count, u=unsigned: (
            lax.bitcast_convert_type(lax.bitcast_convert_type(x.reshape(-1, n), t), u))
    if bits == 2:
        table["to_int4"] = lambda x: wide(lax.bitcast_convert_type(x.reshape(-1, 2), jnp.int4))
        table["to_uint4"] = lambda x: wide(lax.bitcast_convert_type(x.reshape(-1, 2), jnp.uint4))
    else:
        table["to_int2"] = lambda x: wide(lax.bitcast_convert_type(x, jnp.int2))
    table["to_unsigned"] = lambda x: wide(lax.bitcast_convert_type(x, jnp.uint2 if bits == 2 else jnp.uint4))
    table["to_signed"] = lambda x: wide(lax.bitcast_convert_type(x, jnp.int2 if bits == 2 else jnp.int4))
    check_functions_of((x,), table)
    y = np.arange(0, 60000, 1237).astype(np.uint16)
    check_functions_of((y,), {"from_u16": lambda y: wide(lax.bitcast_convert_type(y, dtype)),
                              "from_u8": lambda y: wide(lax.bitcast_convert_type(y.astype(jnp.uint8), dtype)),
                              "from_s32": lambda y: wide(lax.bitcast_convert_type(y.astype(jnp.int32), dtype))})


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_float_ops(dtype):
    x = every_value(dtype)
    x = x[np.isfinite(x.astype(np.float32))]
    size = np.abs(x.astype(np.float32))
    x = np.resize(x[(size == 0) | ((size < 1e4) & (size > 1e-6))], 48).reshape(6, 8)
    with jax.default_device(backends.plugin_device()):
        product = jax.jit(lambda a: lax.dot(a, a.T, preferred_element_type=jnp.float32))(x)
        narrow = jax.jit(lambda a: lax.dot(a, a.T))(x)
        added, sorted_, taken = jax.jit(lambda a: (a + a, lax.sort(a), a[jnp.array([3, 1])]))(x)
    f = x.astype(np.float64)
    np.testing.assert_allclose(product, f @ f.T, rtol=1e-5)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.asarray(narrow).astype(np.float32),
                                      np.asarray(product).astype(dtype).astype(np.float32))
        np.testing.assert_array_equal(np.asarray(added).astype(np.float32), (x + x).astype(np.float32))
    np.testing.assert_array_equal(np.asarray(sorted_).astype(np.float32), np.sort(x.astype(np.float32)))
    np.testing.assert_array_equal(np.asarray(taken).view(np.uint8), x[[3, 1]].view(np.uint8))


def test_bitcast_to_other_widths_and_on():
    """What changes the width is a view of memory; ops behind it join no kernel with it."""
    for x in (values.spread(np.float16, 12).reshape(3, 4), np.zeros((3, 0, 2), np.float16)):
        check_functions_of((x,), {
            "byteswap": lambda x: lax.bitcast_convert_type(
                lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint8)[..., ::-1], jnp.float16), jnp.uint16),
            "computed": lambda x: lax.bitcast_convert_type(x + x, jnp.uint8) + jnp.uint8(1)})


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_products_of_integers_as_floats(dtype):
    a, b = values.random(dtype, (5, 7), low=-9, high=9), values.random(dtype, (7, 3), 1, low=-9, high=9)
    check_functions_of((a, b), {
        f"dot_{np.dtype(t).name}": lambda a, b, t=t: lax.dot(a, b, preferred_element_type=t)
        for t in (np.float32, np.float16, values.BF16) if np.dtype(t).itemsize >= np.dtype(dtype).itemsize})


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, **ids)
def test_top_k(dtype):
    """Built-in has no top_k of less than a byte, and orders NaN of 8 bits in several ways."""
    x = np.random.default_rng(0).permutation(np.concatenate([every_value(dtype)] * 2))
    if _bits(dtype) == 8:
        size = np.abs(x.astype(np.float32))
        x = x[(size == 0) | (size >= 2.0**-14)]  # Neither NaN nor subnormal in f16, which built-in flushes.
        check_functions_of((x,), {f"top{k}": lambda x, k=k: lax.top_k(x, k)[1] for k in (1, 5, x.size)})
    with jax.default_device(backends.plugin_device()):
        got, positions = (np.asarray(a) for a in jax.jit(lambda x: lax.top_k(x, x.size))(x))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.astype(np.float32), x[positions].astype(np.float32))
    if _bits(dtype) < 8:
        f = x.astype(np.float32)
        np.testing.assert_array_equal(positions, np.lexsort((-np.copysign(np.float32(1), f), -f)))


@pytest.mark.plugin_only
@pytest.mark.parametrize("dtype", INTEGERS, **ids)
def test_indices(dtype):
    """JAX has no such indices, the specification has. Negative ones are out of range."""
    x, every = np.arange(12, dtype=np.float32), every_value(dtype)
    n = len(every)
    kind = values.name(dtype).replace("uint", "ui").replace("int", "i")
    text = f"""module @m {{
      func.func public @main(%a: tensor<12xf32>, %i: tensor<{n}x1x{kind}>, %s: tensor<{kind}>)
          -> (tensor<2xf32>, tensor<12xf32>, tensor<{n}xf32>, tensor<12xf32>) {{
        %u = stablehlo.constant dense<[50.0, 60.0]> : tensor<2xf32>
        %0 = stablehlo.dynamic_slice %a, %s, sizes = [2] : (tensor<12xf32>, tensor<{kind}>) -> tensor<2xf32>
        %1 = stablehlo.dynamic_update_slice %a, %u, %s
          : (tensor<12xf32>, tensor<2xf32>, tensor<{kind}>) -> tensor<12xf32>
        %2 = "stablehlo.gather"(%a, %i) {{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
          start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}}
          : (tensor<12xf32>, tensor<{n}x1x{kind}>) -> tensor<{n}xf32>
        %ones = stablehlo.constant dense<1.0> : tensor<{n}xf32>
        %3 = "stablehlo.scatter"(%a, %i, %ones) ({{
          ^bb0(%x: tensor<f32>, %y: tensor<f32>):
            %sum = stablehlo.add %x, %y : tensor<f32>
            stablehlo.return %sum : tensor<f32>
        }}) {{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
          : (tensor<12xf32>, tensor<{n}x1x{kind}>, tensor<{n}xf32>) -> tensor<12xf32>
        return %0, %1, %2, %3 : tensor<2xf32>, tensor<12xf32>, tensor<{n}xf32>, tensor<12xf32> }} }}"""
    indices = every.astype(np.int32)
    scattered = x.copy()
    np.add.at(scattered, indices[(indices >= 0) & (indices < 12)], 1)
    for i, start in enumerate(np.clip(indices, 0, 10)):
        updated = x.copy()
        updated[start:start + 2] = 50, 60
        got = backends.run_text_on_plugin(text, x, every.reshape(n, 1), every[i])
        np.testing.assert_array_equal(got[0], x[start:start + 2])
        np.testing.assert_array_equal(got[1], updated)
        np.testing.assert_array_equal(got[2], x[np.clip(indices, 0, 11)])
        np.testing.assert_array_equal(got[3], scattered)


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_approx_top_k(dtype):
    x = every_value(dtype)
    x = np.random.default_rng(0).permutation(x[np.isfinite(x.astype(np.float32))])
    check_functions_of((x,), {"max": lambda x: lax.approx_max_k(x, 4)[1], "min": lambda x: lax.approx_min_k(x, 4)[1]})
