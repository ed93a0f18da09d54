# SPDX-License-Identifier: Apache-2.0
"""Ops whose operands say what the static ops say in attributes, in programs of static shapes."""

import jax
import numpy as np
import pytest

import backends

pytestmark = pytest.mark.plugin_only
X = np.arange(24, dtype=np.float32).reshape(4, 6)


def run(result, body, *args):
    arguments = ", ".join(f"%x{i}: tensor<{'x'.join(map(str, a.shape)) + 'x' if a.ndim else ''}"
                          f"{'f32' if a.dtype == np.float32 else 'i32'}>"
                          for i, a in enumerate(args))
    text = (f"module @m {{ func.func public @main({arguments}) -> tensor<{result}> {{\n{body}\n"
            f"return %r : tensor<{result}> }} }}")
    return backends.run_text_on_plugin(text, *args)[0]


def test_shapes_from_operands():
    got = run("4x3x6xf32", """%s = stablehlo.constant dense<[4, 3, 6]> : tensor<3xi64>
      %r = "stablehlo.dynamic_broadcast_in_dim"(%x0, %s) {broadcast_dimensions = array<i64: 0, 2>}
        : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<4x3x6xf32>""", X)
    assert np.array_equal(got, np.broadcast_to(X[:, None], (4, 3, 6)))
    got = run("3x8xf32", """%r = "stablehlo.dynamic_reshape"(%x0, %x1)
      : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<3x8xf32>""", X, np.array([3, 8], np.int32))
    assert np.array_equal(got, X.reshape(3, 8))
    got = run("2x5xi32", """%s = stablehlo.constant dense<[2, 5]> : tensor<2xi32>
      %r = "stablehlo.dynamic_iota"(%s) {iota_dimension = 1 : i64}
        : (tensor<2xi32>) -> tensor<2x5xi32>""", X)
    assert np.array_equal(got, np.broadcast_to(np.arange(5), (2, 5)))


def test_pad():
    got = run("6x11xf32", """%z = stablehlo.constant dense<9.0> : tensor<f32>
      %l = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
      %h = stablehlo.constant dense<1> : tensor<2xi64>
      %i = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
      %r = "stablehlo.dynamic_pad"(%x0, %z, %l, %h, %i) : (tensor<4x6xf32>, tensor<f32>,
        tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<6x11xf32>""", X)
    expected = np.full((6, 12), 9, np.float32)
    expected[1:5, 0:11:2] = X
    assert np.array_equal(got, expected[:, 1:])


def test_slices():
    constants = """%s = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
      %l = stablehlo.constant dense<[3, 6]> : tensor<2xi32>
      %t = stablehlo.constant dense<[1, STRIDE]> : tensor<2xi32>
      """
    slice_ = """%r = "stablehlo.real_dynamic_slice"(%x0, START, %l, %t) : (tensor<4x6xf32>,
      tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<RESULT>"""
    got = run("2x3xf32", (constants + slice_).replace("STRIDE", "2").replace("START", "%s")
              .replace("RESULT", "2x3xf32"), X)
    assert np.array_equal(got, X[1:3, 0:6:2])
    moving = (constants + slice_).replace("STRIDE", "1").replace("START", "%x1")
    got = run("2x6xf32", moving.replace("RESULT", "2x6xf32"), X, np.array([2, 0], np.int32))
    assert np.array_equal(got, X[2:4])
    with pytest.raises(jax.errors.JaxRuntimeError, match="UNIMPLEMENTED.*constant"):
        run("2x3xf32", (constants + slice_).replace("STRIDE", "2").replace("START", "%x1")
            .replace("RESULT", "2x3xf32"), X, np.array([2, 0], np.int32))


def test_gather():
    got = run("2x6xf32", """%s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
      %r = "stablehlo.dynamic_gather"(%x0, %x1, %s) {dimension_numbers = #stablehlo.gather<
        offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
        index_vector_dim = 1>, indices_are_sorted = false}
        : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x6xf32>""",
              X, np.array([[3], [1]], np.int32))
    assert np.array_equal(got, X[[3, 1]])


def test_size_of_a_dimension():
    got = run("i32", """%r = "stablehlo.get_dimension_size"(%x0) {dimension = 1 : i64}
      : (tensor<4x6xf32>) -> tensor<i32>""", X)
    assert got == 6


def test_size_that_a_dimension_has_already():
    body = """%n = stablehlo.constant dense<SIZE> : tensor<i32>
      %r = "stablehlo.set_dimension_size"(%x0, %n) {dimension = 1 : i64}
        : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x6xf32>"""
    assert np.array_equal(run("4x6xf32", body.replace("SIZE", "6"), X), X)
    with pytest.raises(jax.errors.JaxRuntimeError, match="UNIMPLEMENTED.*becomes one of size 5.*slice"):
        run("4x6xf32", body.replace("SIZE", "5"), X)
    with pytest.raises(jax.errors.JaxRuntimeError, match="UNIMPLEMENTED.*size of dimension 1.*no constant"):
        run("4x6xf32", body.replace("(%x0, %n)", "(%x0, %x1)").replace("SIZE", "6"), X, np.int32(6))


def test_host_channels_are_refused():
    with pytest.raises(jax.errors.JaxRuntimeError, match="UNIMPLEMENTED.*infeed.*callbacks"):
        run("4xf32", """%t = "stablehlo.create_token"() : () -> !stablehlo.token
          %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
          %r = stablehlo.add %0#0, %0#0 : tensor<4xf32>""", X)
