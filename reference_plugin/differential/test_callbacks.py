# SPDX-License-Identifier: Apache-2.0
"""Python callbacks: values against the built-in backend, effects, errors, and what could deadlock."""

import functools
import subprocess
import sys
import textwrap
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import compiler
from jax.experimental import buffer_callback, io_callback
from jaxlib import _jax

import backends

TYPES = [np.bool_, np.int8, np.uint16, np.int32, np.uint64, np.float16, np.float32, np.float64, np.complex64,
         np.complex128, jnp.bfloat16, jnp.float8_e4m3fn, jnp.int4]


def on_plugin(test):
    """Runs a test with the plugin's device as the default."""
    @functools.wraps(test)
    def wrapped(*args, **kwargs):
        with jax.default_device(backends.plugin_device()):
            return test(*args, **kwargs)
    return wrapped


def same(function, *args):
    mine = backends.run_on_plugin(function, *args)
    theirs = backends.run_on_builtin(function, *args)
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(np.asarray(a), np.asarray(b)), mine, theirs)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (0, 5)], ids=str)
def test_every_type_and_shape(dtype, shape):
    x = (np.arange(np.prod(shape)) % 5).reshape(shape).astype(dtype)

    def callback(a):
        assert isinstance(a, (np.ndarray, jax.Array)) and a.shape == shape and a.dtype == np.dtype(dtype)
        return np.asarray(a)[..., ::-1] if a.ndim else np.asarray(a)

    same(lambda a: jax.pure_callback(callback, jax.ShapeDtypeStruct(shape, dtype), a), x)


def test_several_arguments_and_results():
    def callback(a, b):
        return np.asarray(a).T @ np.asarray(b), {"sum": np.asarray(a).sum(dtype=np.float32)}

    shapes = (jax.ShapeDtypeStruct((4, 5), np.float32), {"sum": jax.ShapeDtypeStruct((), np.float32)})
    same(lambda a, b: jax.tree.map(lambda t: t * 2, jax.pure_callback(callback, shapes, a, b)),
         np.arange(12, dtype=np.float32).reshape(3, 4), np.ones((3, 5), np.float32))


@pytest.mark.parametrize("method", ["sequential", "expand_dims", "broadcast_all"])
def test_vmap(method):
    def one(a, b):
        return jax.pure_callback(lambda x, y: np.asarray(np.sin(x) + y, np.float32),
                                 jax.ShapeDtypeStruct(jnp.broadcast_shapes(a.shape, b.shape), np.float32), a, b,
                                 vmap_method=method)

    same(jax.vmap(one, in_axes=(0, None)), np.arange(6, dtype=np.float32).reshape(3, 2), np.ones(2, np.float32))


def test_inside_of_loops_and_branches():
    def double(x):
        return jax.pure_callback(lambda a: np.asarray(a) * 2, jax.ShapeDtypeStruct((3,), np.float32), x)

    def function(x):
        x = jax.lax.fori_loop(0, 5, lambda i, a: double(a) + i, x)
        x = jax.lax.while_loop(lambda a: jax.pure_callback(lambda v: np.all(v < 5000), jax.ShapeDtypeStruct((), np.bool_), a),
                               lambda a: a * 3 + 1, x)
        return jax.lax.cond(x[0] > 2, double, lambda a: -a, x)

    same(function, np.arange(3, dtype=np.float32))


@on_plugin
def test_unused_pure_callbacks_do_not_run():
    calls = []

    def function(x):
        jax.pure_callback(lambda a: calls.append(1) or np.asarray(a), jax.ShapeDtypeStruct((), np.float32), x)
        return x + 1

    jax.block_until_ready(jax.jit(function)(np.float32(1)))
    assert not calls


@on_plugin
def test_effects_happen_as_often_as_asked_for():
    seen = []

    def function(x):
        def body(i, a):
            io_callback(lambda v: seen.append(int(v)), None, i)
            return a + 1
        return jax.lax.fori_loop(0, 4, body, x)

    jitted = jax.jit(function)
    for _ in range(3):
        jitted(np.float32(0))
    jax.effects_barrier()
    assert sorted(seen) == sorted(list(range(4)) * 3)


@on_plugin
def test_ordered_effects_keep_their_order():
    seen = []

    @jax.jit
    def function(x):
        for k in range(5):
            x = io_callback(lambda v, k=k: seen.append((k, int(v))) or np.int32(v + 1),
                            jax.ShapeDtypeStruct((), np.int32), x, ordered=True)
        jax.lax.fori_loop(0, 3, lambda i, _: io_callback(lambda v: seen.append(("loop", int(v))), None, i, ordered=True), None)
        return x

    x = jnp.int32(0)
    for _ in range(20):
        x = function(x)
    jax.effects_barrier()
    expected = []
    for run in range(20):
        expected += [(k, 5 * run + k) for k in range(5)] + [("loop", i) for i in range(3)]
    assert seen == expected and int(x) == 100


@on_plugin
def test_debug_print(capfd):
    @jax.jit
    def function(x):
        jax.debug.print("x is {x}", x=x)
        jax.debug.print("and {y}", y=x * 2, ordered=True)
        return x

    function(np.int32(4))
    jax.effects_barrier()
    out = capfd.readouterr().out
    assert "x is 4" in out and "and 8" in out


@on_plugin
def test_an_exception_is_the_error_of_the_outputs():
    def function(x):
        return jax.pure_callback(lambda a: 1 // 0, jax.ShapeDtypeStruct((), np.float32), x)

    with pytest.raises(Exception, match="(?s)Traceback.*ZeroDivisionError.*division"):
        jax.block_until_ready(jax.jit(function)(np.float32(1)))
    # What depends on it fails as well, and the next execution does not.
    with pytest.raises(Exception, match="ZeroDivisionError"):
        jax.block_until_ready(jax.jit(lambda a: a + 1)(jax.jit(function)(np.float32(1))))
    assert float(jax.jit(lambda x: x + 1)(np.float32(1))) == 2


def fail(_):
    raise ValueError("on purpose")


def effect_in_scan(x):
    return jax.lax.scan(lambda c, _: (jax.debug.callback(fail, c, ordered=True), (c + 1, c))[1], x, None, length=3)[0]


def effect_in_while(x):
    return jax.lax.while_loop(lambda c: c < 5, lambda c: (jax.debug.callback(fail, c, ordered=True), c + 1)[1], x)


@on_plugin
@pytest.mark.parametrize("function", [lambda x: (jax.debug.callback(fail, x, ordered=True), x + 1)[1],
                                      effect_in_scan, effect_in_while], ids=["alone", "scan", "while"])
def test_an_error_does_not_end_ordered_effects(function):
    seen = []
    good = jax.jit(lambda x: (jax.debug.callback(lambda v: seen.append(float(v)), x, ordered=True), x + 1)[1])
    bad = jax.jit(function)
    good(np.float32(1))
    with pytest.raises(Exception, match="on purpose"):
        jax.block_until_ready(bad(np.float32(0)))
    with pytest.raises(Exception, match="on purpose"):
        jax.block_until_ready(bad(np.float32(0)))
    assert float(good(np.float32(2))) == 3
    jax.effects_barrier()
    assert seen == [1, 2]


@on_plugin
@pytest.mark.parametrize("ordered", [False, True])
def test_an_error_without_results_is_that_of_the_call(ordered):
    bad = jax.jit(lambda x: jax.debug.callback(fail, x, ordered=ordered))
    with pytest.raises(Exception, match="on purpose"):
        bad(np.float32(0))
    jax.effects_barrier()


@on_plugin
@pytest.mark.parametrize("result, words", [
    (lambda: np.zeros(3, np.float32), "shape"), (lambda: np.zeros((), np.int32), "dtype"),
    (lambda: "text", "."), (lambda: (np.float32(0), np.float32(0)), ".")], ids=["shape", "dtype", "text", "count"])
def test_wrong_results(result, words):
    def function(x):
        return jax.pure_callback(lambda a: result(), jax.ShapeDtypeStruct((), np.float32), x)

    with pytest.raises(Exception, match=words):
        jax.block_until_ready(jax.jit(function)(np.float32(1)))


@on_plugin
def test_a_callback_may_use_jax():
    plugin = backends.plugin_device()

    @jax.jit
    def inner(x):
        return jax.pure_callback(lambda a: np.asarray(a) + 1, jax.ShapeDtypeStruct((), np.float32), x) * 2

    def callback(a):
        with jax.default_device(plugin):
            return np.asarray(inner(np.asarray(a)) + jnp.sum(jnp.ones((300, 300))), np.float32)

    outer = jax.jit(lambda x: jax.pure_callback(callback, jax.ShapeDtypeStruct((), np.float32), x) + 1)
    assert float(outer(np.float32(3))) == 90009


@on_plugin
def test_arguments_may_be_kept():
    kept = []
    function = jax.jit(lambda x: io_callback(lambda a: kept.append(a), None, x * 2) or x)
    for i in range(10):
        function(np.full(1000, i, np.float32))
    jax.effects_barrier()
    assert sorted(float(np.asarray(a)[0]) for a in kept) == [2.0 * i for i in range(10)]
    assert all(np.all(np.asarray(a) == np.asarray(a)[0]) for a in kept)


def test_many_programs_at_once():
    plugin = backends.plugin_device()
    errors = []

    def work(seed):
        try:
            with jax.default_device(plugin):
                function = jax.jit(lambda x: jax.lax.fori_loop(
                    0, 10, lambda i, a: jax.pure_callback(lambda v: np.asarray(v) + seed,
                                                          jax.ShapeDtypeStruct((50,), np.float32), a), x))
                outputs = [function(np.zeros(50, np.float32)) for _ in range(10)]
                for output in outputs:
                    assert np.all(np.asarray(output) == 10 * seed)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert not errors, errors


@on_plugin
def test_callbacks_that_wait_for_each_other():
    first, second = threading.Event(), threading.Event()

    def wait(a):
        second.set()
        assert first.wait(30)
        return np.asarray(a)

    def release(a):
        assert second.wait(30)
        first.set()
        return np.asarray(a)

    shape = jax.ShapeDtypeStruct((), np.float32)
    a = jax.jit(lambda x: jax.pure_callback(wait, shape, x))(np.float32(1))
    b = jax.jit(lambda x: jax.pure_callback(release, shape, x))(np.float32(2))
    assert float(a) + float(b) == 3


@pytest.mark.plugin_only
@pytest.mark.parametrize("ending", ["pass", "sys.exit(0)", "raise SystemExit(0)"])
def test_exit_with_callbacks_under_way(ending):
    program = textwrap.dedent(f"""
        import sys, time, jax, numpy as np
        from jax.experimental import io_callback
        f = jax.jit(lambda x: io_callback(lambda a: time.sleep(0.05) or np.asarray(a), jax.ShapeDtypeStruct((), np.float32), x))
        g = jax.jit(lambda x: jax.debug.callback(lambda a: time.sleep(0.02), x))
        for _ in range(3):
            f(np.float32(1)); g(np.float32(1))
        {ending}
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.plugin_only
@on_plugin
def test_tokens():
    token = jax.lax.create_token()
    with pytest.raises(jax.errors.JaxRuntimeError, match="Cannot convert a token-shape buffer to a numpy array"):
        _ = token._buf._value
    after = jax.jit(lambda x, t: (x + 1, t))
    x, token = after(np.float32(1), token)
    x, token = after(x, token)
    jax.block_until_ready(token)
    assert float(x) == 3


@pytest.mark.plugin_only
def test_what_is_taken_for_a_token():
    device = backends.plugin_device()
    text = "func.func @main(%t: !stablehlo.token) -> !stablehlo.token { return %t : !stablehlo.token }"
    loaded = device.client.compile_and_load(text, _jax.DeviceList((device,)), compiler.get_compile_options(1, 1))
    first, = loaded.execute([jax.device_put(np.zeros(0, np.bool_), device)])
    second, = loaded.execute([first])
    second.block_until_ready()
    for other in (np.zeros(1, np.bool_), np.zeros((), np.bool_), np.zeros(0, np.float32)):
        with pytest.raises(jax.errors.JaxRuntimeError, match=r"INVALID_ARGUMENT.*wants token\[\]"):
            loaded.execute([jax.device_put(other, device)])


def buffers(function, shape, dtype, **options):
    return buffer_callback.buffer_callback(function, jax.ShapeDtypeStruct(shape, dtype), **options)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4)], ids=str)
@on_plugin  # Built-in shows the callback packed int4 as if it were not packed.
def test_buffers_of_every_type_and_shape(dtype, shape):
    x = (np.arange(np.prod(shape)) % 5).reshape(shape).astype(dtype)

    def callback(context, out, a):
        assert context.stage == buffer_callback.ExecutionStage.EXECUTE
        assert isinstance(a, buffer_callback.Buffer) and isinstance(out, buffer_callback.Buffer)
        assert a.shape == out.shape == shape and a.dtype == out.dtype == np.dtype(dtype)
        assert out.writeable and not a.writeable
        np.asarray(out)[...] = np.asarray(a)[..., ::-1] if shape else np.asarray(a)

    result = jax.jit(buffers(callback, shape, dtype))(x)
    np.testing.assert_array_equal(np.asarray(result), x[..., ::-1] if shape else x)


def test_buffers_under_vmap_in_loops_and_in_place():
    def add(context, out, a, b):
        np.asarray(out)[...] = np.asarray(a) + np.asarray(b)

    def double(context, out, a):
        assert np.asarray(a).ctypes.data == np.asarray(out).ctypes.data
        np.asarray(out)[...] *= 2

    in_place = buffers(double, (3,), np.float32, input_output_aliases={0: 0})
    same(jax.vmap(buffers(add, (3,), np.float32, vmap_method="sequential")),
         np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32))
    same(lambda x: jax.lax.fori_loop(0, 5, lambda i, a: in_place(a) + i, x), np.arange(3, dtype=np.float32))


@on_plugin
def test_errors_of_buffer_callbacks():
    def raises(context, out, a):
        raise ValueError("not this one")

    with pytest.raises(jax.errors.JaxRuntimeError, match="not this one"):
        jax.block_until_ready(jax.jit(buffers(raises, (3,), np.float32))(jnp.ones(3, np.float32)))


@on_plugin
def test_buffers_have_no_stream():
    """Built-in CPU raises here; jaxlib cannot read the error of another runtime."""
    streams = []

    def callback(context, out, a):
        streams.append(context.stream)

    jax.block_until_ready(jax.jit(buffers(callback, (3,), np.float32))(jnp.ones(3, np.float32)))
    assert streams == [0]
