# SPDX-License-Identifier: Apache-2.0
"""Regions that use values of the program around them. JAX cannot write such programs and the built-in
backend does not take them, so each is text, compared with what means the same in NumPy or lax."""

import numpy as np
import pytest
from jax import lax

import backends
import values

pytestmark = pytest.mark.plugin_only

ids = {"ids": values.name}
HLO = {np.float32: "f32", np.float16: "f16", np.int32: "i32", np.int8: "i8", np.float64: "f64"}
TYPES = [np.float32, np.int32, np.float16, np.int8, np.float64]

ADD_UP_TO = """({
    ^bb0(%x: tensor<T>, %y: tensor<T>):
      %sum = stablehlo.add %x, %y : tensor<T>
      %r = stablehlo.minimum %sum, %most : tensor<T>
      stablehlo.return %r : tensor<T>
  })"""


def _small(dtype, shape, seed=0, high=4):
    return np.random.default_rng(seed).integers(0, high, shape).astype(dtype)


def _run(text, dtype, *args):
    text = "module @m {\nfunc.func public @main" + text + "\n}"
    return backends.run_text_on_plugin(text.replace("<T>", f"<{HLO[dtype]}>")
                                       .replace("xT>", f"x{HLO[dtype]}>"), *args)


@pytest.mark.parametrize("dtype", TYPES, **ids)
@pytest.mark.parametrize("shape", [(3, 5), (300, 7), (2, 3000)], ids=str)
@pytest.mark.parametrize("dim", [0, 1])
def test_reduce(dtype, shape, dim):
    rows, columns = shape
    kept = shape[1 - dim]
    x, most = _small(dtype, shape), dtype(9)
    got, = _run(f"""(%a: tensor<{rows}x{columns}xT>, %half: tensor<T>) -> tensor<{kept}xT> {{
      %zero = stablehlo.subtract %half, %half : tensor<T>
      %most = stablehlo.add %half, %half : tensor<T>
      %0 = "stablehlo.reduce"(%a, %zero) {ADD_UP_TO} {{dimensions = array<i64: {dim}>}}
        : (tensor<{rows}x{columns}xT>, tensor<T>) -> tensor<{kept}xT>
      return %0 : tensor<{kept}xT> }}""", dtype, x, dtype(4.5))
    most = dtype(4.5) * 2
    np.testing.assert_array_equal(got, np.minimum(x.astype(np.float64).sum(dim), most).astype(dtype))


@pytest.mark.parametrize("region", ["%x, %s", "%s, %x", "%y, %s", "%s, %y"])
@pytest.mark.parametrize("size", [3, 2000])
def test_one_element_and_a_captured_value(region, size):
    # An op of one parameter and a captured value is not that op of both parameters.
    x, scalar = np.arange(1, size + 1, dtype=np.float32), np.float32(2)
    body = f"""({{
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %r = stablehlo.maximum {region} : tensor<f32>
        stablehlo.return %r : tensor<f32>
    }})"""
    got = _run(f"""(%a: tensor<{size}xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<{size - 1}xf32>) {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.reduce"(%a, %zero) {body} {{dimensions = array<i64: 0>}}
        : (tensor<{size}xf32>, tensor<f32>) -> tensor<f32>
      %1 = "stablehlo.reduce_window"(%a, %zero) {body} {{window_dimensions = array<i64: 2>}}
        : (tensor<{size}xf32>, tensor<f32>) -> tensor<{size - 1}xf32>
      return %0, %1 : tensor<f32>, tensor<{size - 1}xf32> }}""", np.float32, x, scalar)
    takes_last = "%y" in region
    np.testing.assert_array_equal(got[0], max(size, 2) if takes_last else 2)
    np.testing.assert_array_equal(got[1], np.maximum(x[1:] if takes_last else 0, 2))


def test_reduce_of_one_element_and_of_none():
    for size in (1, 0):
        got, = _run(f"""(%a: tensor<4x{size}xT>, %zero: tensor<T>, %most: tensor<1xT>) -> tensor<4xT> {{
          %0 = "stablehlo.reduce"(%a, %zero) ({{
            ^bb0(%x: tensor<T>, %y: tensor<T>):
              %sum = stablehlo.add %x, %y : tensor<T>
              %scalar = stablehlo.reshape %most : (tensor<1xT>) -> tensor<T>
              %r = stablehlo.minimum %sum, %scalar : tensor<T>
              stablehlo.return %r : tensor<T>
          }}) {{dimensions = array<i64: 1>}} : (tensor<4x{size}xT>, tensor<T>) -> tensor<4xT>
          return %0 : tensor<4xT> }}""", np.float32, np.arange(4 * size, dtype=np.float32)
                    .reshape(4, size), np.float32(1), np.float32([3]))
        np.testing.assert_array_equal(got, [1, 2, 3, 3] if size else [1, 1, 1, 1])


def test_reduce_of_pairs():
    # The first of the elements that are nearest to a value.
    x, center = _small(np.float32, (6, 40), high=1000), np.float32(400)
    got, = _run("""(%a: tensor<6x40xf32>, %center: tensor<f32>, %far: tensor<f32>) -> tensor<6xi32> {
      %i = stablehlo.iota dim = 1 : tensor<6x40xi32>
      %none = stablehlo.constant dense<-1> : tensor<i32>
      %0:2 = "stablehlo.reduce"(%a, %i, %far, %none) ({
        ^bb0(%x: tensor<f32>, %xi: tensor<i32>, %y: tensor<f32>, %yi: tensor<i32>):
          %dx = stablehlo.subtract %x, %center : tensor<f32>
          %dy = stablehlo.subtract %y, %center : tensor<f32>
          %ax = stablehlo.abs %dx : tensor<f32>
          %ay = stablehlo.abs %dy : tensor<f32>
          %p = stablehlo.compare LE, %ax, %ay : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %v = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
          %w = stablehlo.select %p, %xi, %yi : tensor<i1>, tensor<i32>
          stablehlo.return %v, %w : tensor<f32>, tensor<i32>
      }) {dimensions = array<i64: 1>} : (tensor<6x40xf32>, tensor<6x40xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<6xf32>, tensor<6xi32>)
      return %0#1 : tensor<6xi32> }""", np.float32, x, center, np.float32(1e9))
    np.testing.assert_array_equal(got, np.abs(x - center).argmin(1))


@pytest.mark.parametrize("dtype", TYPES, **ids)
def test_reduce_window(dtype):
    x = _small(dtype, (9, 8))
    attributes = """{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>,
                     base_dilations = array<i64: BASE, 1>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>}"""
    for dilation, rows in ((1, 5), (2, 9)):
        got, = _run(f"""(%a: tensor<9x8xT>, %zero: tensor<T>, %most: tensor<T>) -> tensor<{rows}x8xT> {{
          %0 = "stablehlo.reduce_window"(%a, %zero) {ADD_UP_TO} {attributes.replace("BASE", str(dilation))}
            : (tensor<9x8xT>, tensor<T>) -> tensor<{rows}x8xT>
          return %0 : tensor<{rows}x8xT> }}""", dtype, x, dtype(0), dtype(7))
        sums = backends.run_on_builtin(lambda x: lax.reduce_window(
            x, dtype(0), lax.add, (3, 2), (2, 1), ((1, 1), (0, 1)), base_dilation=(dilation, 1)), x)
        np.testing.assert_array_equal(got, np.minimum(sums, dtype(7)))


@pytest.mark.parametrize("shape", [(20, 3), (5, 40)], ids=str)
def test_cumulative(shape):
    x = _small(np.int32, shape)
    rows, columns = shape
    got, = _run(f"""(%a: tensor<{rows}x{columns}xT>, %zero: tensor<T>, %most: tensor<T>)
        -> tensor<{rows}x{columns}xT> {{
      %0 = "stablehlo.reduce_window"(%a, %zero) {ADD_UP_TO} {{window_dimensions = array<i64: {rows}, 1>,
        padding = dense<[[{rows - 1}, 0], [0, 0]]> : tensor<2x2xi64>}}
        : (tensor<{rows}x{columns}xT>, tensor<T>) -> tensor<{rows}x{columns}xT>
      return %0 : tensor<{rows}x{columns}xT> }}""", np.int32, x, np.int32(0), np.int32(11))
    np.testing.assert_array_equal(got, np.minimum(x.cumsum(0), 11))


@pytest.mark.parametrize("dtype", TYPES, **ids)
@pytest.mark.parametrize("columns", [1, 5])
def test_scatter(dtype, columns):
    x, updates = _small(dtype, (6, columns)), _small(dtype, (9, columns), 1)
    indices = _small(np.int32, (9, 1), 2, 7)
    got, = _run(f"""(%a: tensor<6x{columns}xT>, %i: tensor<9x1xi32>, %u: tensor<9x{columns}xT>, %s: tensor<T>)
        -> tensor<6x{columns}xT> {{
      %0 = "stablehlo.scatter"(%a, %i, %u) ({{
        ^bb0(%x: tensor<T>, %y: tensor<T>):
          %scaled = stablehlo.multiply %y, %s : tensor<T>
          %r = stablehlo.add %x, %scaled : tensor<T>
          stablehlo.return %r : tensor<T>
      }}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
            inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
        : (tensor<6x{columns}xT>, tensor<9x1xi32>, tensor<9x{columns}xT>) -> tensor<6x{columns}xT>
      return %0 : tensor<6x{columns}xT> }}""", dtype, x, indices, updates, dtype(3))
    expected = np.concatenate([x, np.zeros_like(x[:1])])
    np.add.at(expected, indices[:, 0], updates * dtype(3))
    np.testing.assert_array_equal(got, expected[:6])


@pytest.mark.parametrize("shape,dim", [((50,), 0), ((7, 9), 0), ((3, 700), 1)], ids=str)
@pytest.mark.parametrize("sign", [1, -1])
def test_sort(shape, dim, sign):
    x = _small(np.float32, shape, high=1000)
    order = np.arange(x.size, dtype=np.int32).reshape(shape)
    dims = "x".join(map(str, shape))
    for compared, threshold in (("%kx, %ky", 0), ("%d, %limit", 0)):  # A key; no key.
        got = _run(f"""(%a: tensor<{dims}xf32>, %i: tensor<{dims}xi32>, %s: tensor<f32>, %limit: tensor<f32>)
            -> (tensor<{dims}xf32>, tensor<{dims}xi32>) {{
          %0:2 = "stablehlo.sort"(%a, %i) ({{
            ^bb0(%x: tensor<f32>, %y: tensor<f32>, %xi: tensor<i32>, %yi: tensor<i32>):
              %kx = stablehlo.multiply %x, %s : tensor<f32>
              %ky = stablehlo.multiply %y, %s : tensor<f32>
              %d = stablehlo.subtract %kx, %ky : tensor<f32>
              %r = stablehlo.compare LT, {compared} : (tensor<f32>, tensor<f32>) -> tensor<i1>
              stablehlo.return %r : tensor<i1>
          }}) {{dimension = {dim} : i64, is_stable = true}}
            : (tensor<{dims}xf32>, tensor<{dims}xi32>) -> (tensor<{dims}xf32>, tensor<{dims}xi32>)
          return %0#0, %0#1 : tensor<{dims}xf32>, tensor<{dims}xi32> }}""", np.float32, x, order,
                   np.float32(sign), np.float32(threshold))
        by = np.argsort(sign * x, dim, kind="stable")
        np.testing.assert_array_equal(got[0], np.take_along_axis(x, by, dim))
        np.testing.assert_array_equal(got[1], np.take_along_axis(order, by, dim))


@pytest.mark.parametrize("channels", [1, 4])
def test_select_and_scatter(channels):
    x = np.random.default_rng(3).permutation(36 * channels).reshape(6, 6, channels).astype(np.float32)
    source = _small(np.float32, (3, 3, channels), 4)
    got, = _run(f"""(%a: tensor<6x6x{channels}xf32>, %b: tensor<3x3x{channels}xf32>, %s: tensor<f32>, %t: tensor<f32>)
        -> tensor<6x6x{channels}xf32> {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.select_and_scatter"(%a, %b, %zero) ({{
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %sx = stablehlo.multiply %x, %s : tensor<f32>
          %sy = stablehlo.multiply %y, %s : tensor<f32>
          %r = stablehlo.compare GE, %sx, %sy : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %r : tensor<i1>
      }}, {{
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %ty = stablehlo.multiply %t, %y : tensor<f32>
          %r = stablehlo.add %x, %ty : tensor<f32>
          stablehlo.return %r : tensor<f32>
      }}) {{window_dimensions = array<i64: 2, 2, 1>, window_strides = array<i64: 2, 2, 1>}}
        : (tensor<6x6x{channels}xf32>, tensor<3x3x{channels}xf32>, tensor<f32>) -> tensor<6x6x{channels}xf32>
      return %0 : tensor<6x6x{channels}xf32> }}""", np.float32, x, source, np.float32(-2), np.float32(5))
    expected = np.zeros_like(x)
    for r, c, f in np.ndindex(source.shape):
        window = x[2 * r:2 * r + 2, 2 * c:2 * c + 2, f]
        i, j = np.unravel_index(window.argmin(), (2, 2))
        expected[2 * r + i, 2 * c + j, f] += 5 * source[r, c, f]
    np.testing.assert_array_equal(got, expected)


def test_map():
    x = _small(np.float32, (4, 5))
    got, = _run("""(%a: tensor<4x5xf32>, %s: tensor<1xf32>, %c: tensor<f32>) -> tensor<4x5xf32> {
      %e = stablehlo.negate %c : tensor<f32>
      %0 = "stablehlo.map"(%a) ({
        ^bb0(%x: tensor<f32>):
          %scalar = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
          %m = stablehlo.multiply %x, %scalar : tensor<f32>
          %r = stablehlo.add %m, %e : tensor<f32>
          stablehlo.return %r : tensor<f32>
      }) {dimensions = array<i64: 0, 1>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
      return %0 : tensor<4x5xf32> }""", np.float32, x, np.float32([3]), np.float32(2))
    np.testing.assert_array_equal(got, 3 * x - 2)


def test_captures_of_a_loop():
    # most doubles each turn; the body's reducer uses it.
    x = _small(np.int32, (4, 100), high=9)
    got, = _run(f"""(%a: tensor<4x100xT>, %n: tensor<i32>) -> tensor<4xT> {{
      %zero = stablehlo.constant dense<0> : tensor<T>
      %one = stablehlo.constant dense<1> : tensor<T>
      %start = stablehlo.constant dense<0> : tensor<4xT>
      %0:3 = stablehlo.while(%i = %zero, %most = %one, %total = %start)
        : tensor<T>, tensor<T>, tensor<4xT>
        cond {{
          %c = stablehlo.compare LT, %i, %n : (tensor<T>, tensor<T>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }} do {{
          %1 = "stablehlo.reduce"(%a, %zero) {ADD_UP_TO} {{dimensions = array<i64: 1>}}
            : (tensor<4x100xT>, tensor<T>) -> tensor<4xT>
          %2 = stablehlo.add %total, %1 : tensor<4xT>
          %3 = stablehlo.add %most, %most : tensor<T>
          %4 = stablehlo.add %i, %one : tensor<T>
          stablehlo.return %4, %3, %2 : tensor<T>, tensor<T>, tensor<4xT>
        }}
      return %0#2 : tensor<4xT> }}""", np.int32, x, np.int32(12))
    np.testing.assert_array_equal(got, sum(np.minimum(x.sum(1), 2**k) for k in range(12)))
