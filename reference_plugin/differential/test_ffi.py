# SPDX-License-Identifier: Apache-2.0
"""Handlers of users: typed ones in all stages, and untyped functions, in C, registered through the C API."""

import ctypes
import pathlib
import subprocess
import sys

import jax
import numpy as np
import pytest

import backends

ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.plugin_only


# Of the session: a worker may come to this file twice, and a handler is registered once.
@pytest.fixture(scope="session")
def plugin():
    import os
    sys.path.insert(0, str(ROOT / "reference_plugin/python"))
    from plinth_pjrt import c_api
    library = os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"].split(":", 1)[1]
    return c_api.Plugin(library)


def compile_library(folder, source, *flags):
    library = folder / f"{source.stem}.so"
    command = [*flags, "-shared", "-fPIC", "-O1", "-o", str(library), str(source)]
    subprocess.run(command, check=True, timeout=300)
    return ctypes.CDLL(str(library))


@pytest.fixture(scope="session")
def handlers(plugin, tmp_path_factory):
    source = pathlib.Path(__file__).parent / "testdata/ffi_handlers.c"
    library = compile_library(tmp_path_factory.mktemp("ffi"), source, "cc", "-std=c11", "-I", str(ROOT / "api/include"))

    def address(name):
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value

    for name in ("scale", "fail", "asynchronous", "describe", "many_results", "facts"):
        plugin.register_handler(f"test_{name}", {"execute": address(name)}, 1, 0)
    plugin.register_handler("test_stateful", {stage: address(f"stateful_{stage}") for stage in
                                              ("instantiate", "prepare", "initialize", "execute")}, 1, 0)
    plugin.register_handler("test_plain", {"execute": address("plain_add")}, 0, 0)
    plugin.register_handler("test_status", {"execute": address("status_negate")}, 0, 0)
    return library, address


def call(name, shape, *args, dtype=np.float32, **attributes):
    with jax.default_device(backends.plugin_device()):
        shapes = jax.tree.map(lambda s: jax.ShapeDtypeStruct(s, dtype), shape, is_leaf=lambda s: isinstance(s, tuple)
                              and all(isinstance(d, int) for d in s))
        return jax.device_get(jax.jit(lambda *a: jax.ffi.ffi_call(name, shapes)(*a, **attributes))(*args))


def test_scalar_attributes(handlers):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(call("test_scale", (2, 3), x, factor=np.float32(2.5)), x * 2.5)


def test_inside_of_a_loop(handlers):
    def function(x):
        return jax.lax.fori_loop(0, 10, lambda i, a: jax.ffi.ffi_call(
            "test_scale", jax.ShapeDtypeStruct((4,), np.float32))(a, factor=np.float32(2)), x)

    np.testing.assert_array_equal(backends.run_on_plugin(function, np.ones(4, np.float32)), np.full(4, 1024, np.float32))


def test_column_major_operands(handlers):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def function(a):
        return jax.ffi.ffi_call("test_scale", jax.ShapeDtypeStruct((2, 3), np.float32), input_layouts=[(1, 0)],
                                output_layouts=(1, 0))(a, factor=np.float32(3))

    np.testing.assert_array_equal(backends.run_on_plugin(function, x), x * 3)

    def one_sided(a):  # the handler copies memory in order, so the result is that of the transpose
        return jax.ffi.ffi_call("test_scale", jax.ShapeDtypeStruct((6,), np.float32), input_layouts=[(1, 0)])(a, factor=np.float32(1))

    np.testing.assert_array_equal(backends.run_on_plugin(one_sided, x), x.T.reshape(-1))


def test_aliased_results(handlers):
    x = np.arange(8, dtype=np.float32)

    def function(a):
        b = jax.ffi.ffi_call("test_scale", jax.ShapeDtypeStruct((8,), np.float32),
                             input_output_aliases={0: 0})(a, factor=np.float32(2))
        return a + 1, b

    got = backends.run_on_plugin(function, x)
    np.testing.assert_array_equal(got[0], x + 1)
    np.testing.assert_array_equal(got[1], x * 2)


def test_every_kind_of_attribute(handlers):
    library, _ = handlers
    attributes = dict(a_bool=True, b_int=np.int8(-3), c_text="words", d_list=np.array([1, 2, 3], np.int64),
                      e_dict=dict(inner=np.float64(0.5), text="x"))
    out = call("test_describe", (256,), dtype=np.uint8, **attributes)
    text = bytes(out).rstrip(b"\0").decode()
    assert text == "a_bool=pred:1 b_int=s8:-3 c_text='words' d_list=s64[1,2,3] e_dict={inner=f64:0.5 text='x'}"


def test_several_results(handlers):
    a, b = call("test_many_results", [(3,), (3,)], np.arange(3, dtype=np.float32))
    np.testing.assert_array_equal(a, [0, 1, 2])
    np.testing.assert_array_equal(b, [0, 2, 4])


def test_errors_carry_code_and_text(handlers):
    with pytest.raises(Exception, match="OUT_OF_RANGE.*custom_call @test_fail.*it was told to"):
        call("test_fail", (3,), np.zeros(3, np.float32))


def test_work_that_goes_on_after_the_return(handlers):
    np.testing.assert_array_equal(call("test_asynchronous", (5,), np.arange(5, dtype=np.float32)), -np.arange(5))
    with pytest.raises(Exception, match="later"):
        call("test_asynchronous", (0,), np.zeros(0, np.float32))


def test_state_of_every_stage(handlers):
    library, _ = handlers
    with jax.default_device(backends.plugin_device()):
        function = jax.jit(lambda: jax.ffi.ffi_call("test_stateful", jax.ShapeDtypeStruct((3,), np.int64))())
        with jax.enable_x64(True):
            first, second = jax.device_get(function()), jax.device_get(function())
    # Instantiated once; prepared and initialized once per execution.
    assert first[0] == second[0] and first[1] + 1 == second[1] and first[2] + 1 == second[2]
    assert library.live_states() == 1
    del function
    jax.clear_caches()
    assert library.live_states() == 0


def test_what_the_context_tells(handlers):
    first, second = call("test_facts", (4,), dtype=np.int64), call("test_facts", (4,), dtype=np.int64)
    assert first[0] != second[0]  # runs
    assert first[1] == 0 and first[2] >= 1 and first[3] == 1  # device, threads, memory


def untyped(name, shape, *args, api_version):
    def lower(ctx, *operands):
        from jax._src.interpreters import mlir
        return mlir.custom_call(name, result_types=[mlir.aval_to_ir_type(ctx.module_context, a) for a in ctx.avals_out], operands=operands,
                                api_version=api_version, backend_config="7" if api_version == 3 else "").results

    from jax.extend.core import Primitive
    from jax.interpreters import mlir
    primitive = Primitive(f"{name}_{api_version}")
    primitive.def_abstract_eval(lambda *a: jax.core.ShapedArray(shape, np.float32))
    mlir.register_lowering(primitive, lower, platform="cpu")
    return backends.run_on_plugin(lambda *a: primitive.bind(*a), *args)


def test_untyped_functions(handlers):
    x, y = np.arange(4, dtype=np.float32), np.full(4, 10, np.float32)
    np.testing.assert_array_equal(untyped("test_plain", (4,), x, y, api_version=1), x + y)
    np.testing.assert_array_equal(untyped("test_status", (4,), x, api_version=2), -x)


def test_unknown_targets_fail_to_compile():
    with pytest.raises(Exception, match="UNIMPLEMENTED.*custom_call @no_such_target"):
        call("no_such_target", (3,), np.zeros(3, np.float32))


def test_typed_and_untyped_are_not_mixed(handlers):
    with pytest.raises(Exception, match="untyped function"):
        call("test_plain", (4,), np.zeros(4, np.float32))
    with pytest.raises(Exception, match="typed handler"):
        untyped("test_scale", (4,), np.zeros(4, np.float32), api_version=1)


def test_bad_registrations(plugin, handlers):
    _, address = handlers
    plugin.register_handler("test_scale", {"execute": address("scale")}, 1, 0)  # the same again
    with pytest.raises(RuntimeError, match="has another handler already"):
        plugin.register_handler("test_scale", {"execute": address("fail")}, 1, 0)
    with pytest.raises(RuntimeError, match="handler_execute"):
        plugin.register_handler("test_null", {}, 1, 0)
    with pytest.raises(RuntimeError, match="empty"):
        plugin.register_handler("", {"execute": address("scale")}, 1, 0)
    with pytest.raises(RuntimeError, match="api_version is 9"):
        plugin.register_handler("test_version", {"execute": address("scale")}, 9, 0)
    with pytest.raises(RuntimeError, match="built for XLA FFI 0.1000"):
        plugin.register_handler("test_newer", {"execute": address("newer")}, 1, 0)
    known = plugin.register_type("test_type", 0, None)
    assert plugin.register_type("test_type", 0, None) == known != 0
    with pytest.raises(RuntimeError, match="has the id"):
        plugin.register_type("test_type", known + 1, None)
    with pytest.raises(RuntimeError, match="is that of"):
        plugin.register_type("test_other_type", known, None)


@pytest.mark.full
def test_handlers_built_with_upstreams_header(plugin, tmp_path):
    source = pathlib.Path(__file__).parent / "testdata/ffi_upstream_handler.cc"
    for number, include in enumerate(([], ["-I", str(ROOT / "api/include")])):
        folder = tmp_path / str(number)
        folder.mkdir()
        library = compile_library(folder, source, "c++", "-std=c++17", *include, "-I", jax.ffi.include_dir())
        address = ctypes.cast(library.RmsNorm, ctypes.c_void_p).value
        plugin.register_handler(f"test_rms_norm_{number}", {"execute": address}, 1, 0)
        x = np.linspace(-1, 2, 12, dtype=np.float32).reshape(3, 4)
        got = call(f"test_rms_norm_{number}", (3, 4), x, eps=np.float32(1e-5))
        np.testing.assert_allclose(got, x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5), rtol=1e-5)
