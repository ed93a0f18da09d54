# SPDX-License-Identifier: Apache-2.0
"""Arrays that lie in memory in another order of dimensions than row major, as jax.experimental.layout asks for."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import compiler
from jax.experimental.layout import Format, Layout
from jax.sharding import SingleDeviceSharding
from jaxlib import _jax, xla_client

import backends

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ORDERS = list(itertools.permutations(range(3)))


def formatted(device, order):
    return Format(Layout(major_to_minor=order), SingleDeviceSharding(device))


def order_of(array):
    return array.format.layout.major_to_minor


def devices():
    return [backends.plugin_device(), backends.builtin_device()]


def strides_of(order, shape, size):
    strides, stride = [0] * len(shape), size
    for dim in reversed(order):
        strides[dim] = stride
        stride *= shape[dim]
    return tuple(strides)


@pytest.mark.parametrize("dtype", [np.float32, np.bool_, jnp.bfloat16, np.complex128, jnp.int4], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_put_and_read(order, dtype):
    x = (X % 7).astype(dtype)
    for device in devices():
        y = jax.device_put(x, formatted(device, order))
        assert order_of(y) == order
        np.testing.assert_array_equal(np.asarray(y), x)
        np.testing.assert_array_equal(np.asarray(jax.device_put(y, formatted(device, (0, 1, 2)))), x)
        copy = jnp.copy(y)
        np.testing.assert_array_equal(np.asarray(copy), x)


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_parameters_and_results(order):
    for device in devices():
        form, row_major = formatted(device, order), formatted(device, (0, 1, 2))
        y = jax.device_put(X, form)
        out = jax.jit(lambda x: (x + 1, x.sum(0)), out_shardings=(form, None))(jax.device_put(X, device))
        assert order_of(out[0]) == order
        np.testing.assert_array_equal(out[0], X + 1)
        np.testing.assert_array_equal(out[1], X.sum(0))
        into = jax.jit(lambda x: x * 2, in_shardings=form, out_shardings=row_major)(y)
        assert order_of(into) == (0, 1, 2)
        np.testing.assert_array_equal(into, X * 2)
        # Nobody says how the parameter lies: as the argument does.
        np.testing.assert_array_equal(jax.jit(lambda x: jnp.flip(x, 1))(y), np.flip(X, 1))
        both = jax.jit(lambda x, z: (z, x, x @ z), in_shardings=(form, None), out_shardings=(None, form, None))
        z = np.ones((4, 2), np.float32)
        results = both(y, jax.device_put(z, device))
        for mine, wanted in zip(results, (z, X, X @ z)):
            np.testing.assert_array_equal(mine, wanted)


def test_the_program_is_compiled_for_the_layout():
    for device in devices():
        form = formatted(device, (2, 0, 1))
        compiled = jax.jit(lambda x: x - 1, in_shardings=form, out_shardings=form).lower(X).compile()
        assert compiled.input_formats[0][0].layout.major_to_minor == (2, 0, 1)
        assert compiled.output_formats.layout.major_to_minor == (2, 0, 1)
        np.testing.assert_array_equal(compiled(jax.device_put(X, form)), X - 1)


@pytest.mark.parametrize("in_order, out_order", [((2, 0, 1), (2, 0, 1)), ((2, 0, 1), (0, 1, 2)), ((1, 0, 2), (2, 1, 0))])
def test_donation(in_order, out_order):
    device = backends.plugin_device()
    y = jax.device_put(X, formatted(device, in_order))
    step = jax.jit(lambda x: x * 3, donate_argnums=0, in_shardings=formatted(device, in_order),
                   out_shardings=formatted(device, out_order))
    z = step(y)
    assert order_of(z) == out_order and y.is_deleted()
    np.testing.assert_array_equal(z, X * 3)


def test_the_bytes_lie_so():
    for device in devices():
        y = jax.device_put(X, formatted(device, (2, 0, 1)))
        view = np.from_dlpack(y)
        assert view.strides == strides_of((2, 0, 1), X.shape, 4)
        np.testing.assert_array_equal(view, X)
    moved = jax.device_put(jax.device_put(X, formatted(backends.plugin_device(), (2, 0, 1))),
                           SingleDeviceSharding(backends.plugin_device(), memory_kind="pinned_host"))
    np.testing.assert_array_equal(np.asarray(moved), X)


def test_no_elements_and_one_dimension():
    device = backends.plugin_device()
    empty = jax.device_put(np.ones((0, 3), np.float32), formatted(device, (1, 0)))
    assert np.asarray(empty).shape == (0, 3)
    line = jax.device_put(np.arange(5), formatted(device, (0,)))
    np.testing.assert_array_equal(line, np.arange(5))


def compile_text(mode, place="argument"):
    attribute = f'{{mhlo.layout_mode = "{mode}"}}'
    argument, result = (attribute, "") if place == "argument" else ("", attribute)
    text = f"func.func @main(%x: tensor<2x3xf32> {argument}) -> (tensor<2x3xf32> {result}) {{ return %x : tensor<2x3xf32> }}"
    device = backends.plugin_device()
    return device.client.compile_and_load(text, _jax.DeviceList((device,)), compiler.get_compile_options(1, 1))


@pytest.mark.plugin_only
@pytest.mark.parametrize("mode", ["auto", "default", "{1,0}", "{0,1}"])
@pytest.mark.parametrize("place", ["argument", "result"])
def test_modes(mode, place):
    compile_text(mode, place)


@pytest.mark.plugin_only
def test_arguments_that_lie_otherwise_are_refused():
    device = backends.plugin_device()
    loaded = compile_text("{0,1}")
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    right = jax.device_put(x, formatted(device, (1, 0)))
    np.testing.assert_array_equal(loaded.execute([right])[0], x)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"INVALID_ARGUMENT.*argument 0.*\{1,0\}.*compiled for \{0,1\}"):
        loaded.execute([jax.device_put(x, device)])


def compile_with_layouts(arguments, result=None):
    """f(x, y) = x + y of f32[2,3], with layouts in the compile options alone; minor to major."""
    device = backends.plugin_device()
    shape = lambda order: xla_client.Shape.array_shape(np.dtype(np.float32), (2, 3), order)
    options = compiler.get_compile_options(1, 1)
    options.argument_layouts = [shape(order) for order in arguments]
    if result is not None:
        options.executable_build_options.result_layout = shape(result)
    text = ("func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {"
            " %z = stablehlo.add %x, %y : tensor<2x3xf32> return %z : tensor<2x3xf32> }")
    return device.client.compile_and_load(text, _jax.DeviceList((device,)), options)


@pytest.mark.plugin_only
def test_layouts_of_compile_options():
    device = backends.plugin_device()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    by_columns, by_rows = (jax.device_put(x, formatted(device, order)) for order in ((1, 0), (0, 1)))
    loaded = compile_with_layouts([(0, 1), (1, 0)], (0, 1))
    z, = loaded.execute([by_columns, by_rows])
    # JAX itself looks for the result's layout in the program alone.
    view = np.from_dlpack(z)
    assert view.strides == strides_of((1, 0), x.shape, 4)
    np.testing.assert_array_equal(view, x + x)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"argument 1.*compiled for \{1,0\}"):
        loaded.execute([by_columns, by_columns])
    with pytest.raises(jax.errors.JaxRuntimeError, match="argument_layouts of the compile options is for 1 arrays; the program has 2"):
        compile_with_layouts([(0, 1)])
