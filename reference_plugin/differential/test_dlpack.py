# SPDX-License-Identifier: Apache-2.0
"""Arrays shared with other libraries through DLPack: the same memory on both sides, for as long as either needs it."""

import ctypes
import gc
import pathlib
import sys
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxlib import _jax

import backends
import values
from processes import run_python

pytestmark = pytest.mark.plugin_only
TYPES = [np.bool_, np.int8, np.uint16, np.int32, np.uint64, np.float16, np.float32, np.float64, np.complex64, np.complex128]
SHAPES = [(), (1,), (5,), (3, 4), (2, 1, 300), (0, 4), (300, 301)]
each_type = pytest.mark.parametrize("dtype", TYPES, ids=values.name)


def aligned(x, to):
    """A copy of `x` at an address that is a multiple of `to` and of nothing larger."""
    bytes_ = np.empty(x.nbytes + 2 * to, np.uint8)
    start = (to - bytes_.ctypes.data) % (2 * to)
    copy = bytes_[start:][:x.nbytes].view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy


def imported(x, copy=False):
    """What jax.dlpack.from_dlpack does where the plugin is the backend `cpu`."""
    return _jax.dlpack_managed_tensor_to_buffer(x.__dlpack__(), backends.plugin_device(), None, copy)


def address(x):
    return x.ctypes.data if isinstance(x, np.ndarray) else x.unsafe_buffer_pointer()


@each_type
def test_from_numpy_and_back(dtype):
    for shape in SHAPES:
        x = aligned(np.asarray(values.random(dtype, shape)), 16)
        there = imported(x)
        assert there.dtype == dtype and there.shape == shape
        back = np.from_dlpack(there)
        if x.size:
            assert address(there) == address(x) == address(back)
        np.testing.assert_array_equal(back, x)
        computed = np.from_dlpack(jax.jit(lambda a: a[..., None])(there))
        np.testing.assert_array_equal(computed, x[..., None])


@each_type
def test_to_numpy_and_back(dtype):
    for shape in SHAPES:
        x = np.asarray(values.random(dtype, shape))
        here = jax.device_put(x, backends.plugin_device())
        view = np.from_dlpack(here)
        assert view.dtype == dtype and view.shape == shape and not view.flags.writeable
        again = imported(here)
        if x.size:
            assert address(view) == address(here) == address(again)
        np.testing.assert_array_equal(view, x)
        np.testing.assert_array_equal(again, x)


@each_type
def test_what_is_not_aligned_is_no_view(dtype):
    for alignment in (2, 4, 8):
        x = aligned(np.asarray(values.random(dtype, (5,))), alignment)
        with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT.*is not aligned to 16 bytes"):
            imported(x)
    # Nothing was taken over.
    assert sys.getrefcount(x) == 2


def test_bfloat16():
    here = jax.device_put(jnp.arange(6, dtype=jnp.bfloat16), backends.plugin_device())
    again = imported(here)
    assert again.dtype == jnp.bfloat16 and address(again) == address(here)
    np.testing.assert_array_equal(again, np.arange(6))


def test_other_layouts_are_refused():
    with pytest.raises(jax.errors.JaxRuntimeError, match="row-major.*0,1"):
        imported(aligned(np.zeros((3, 4), np.float32).T, 64).T)


def test_memory_is_kept_as_long_as_it_is_used():
    class Owner(np.ndarray):
        pass

    x = aligned(np.arange(1000.0), 64).view(Owner)
    expected = np.array(x)
    owner = weakref.ref(x)
    view = imported(x)
    result = jax.jit(lambda a: (a * 2, a.reshape(10, 100)))(view)
    del x
    gc.collect()
    assert owner() is not None
    np.testing.assert_array_equal(view, expected)
    del view
    # Results never are what was lent.
    jax.block_until_ready(result)
    gc.collect()
    assert owner() is None
    np.testing.assert_array_equal(result[0], expected * 2)
    np.testing.assert_array_equal(result[1], expected.reshape(10, 100))


def test_exported_memory_outlives_the_array():
    here = jax.device_put(np.arange(300_000.0), backends.plugin_device()) + 1
    view = np.from_dlpack(here)
    here.delete()
    del here
    gc.collect()
    others = [jax.device_put(np.zeros(300_000), backends.plugin_device()) + i for i in range(4)]
    jax.block_until_ready(others)
    np.testing.assert_array_equal(view, np.arange(300_000.0) + 1)


def test_lent_memory_is_never_written():
    x = aligned(np.arange(1000.0), 64)
    view = imported(x)
    jax.block_until_ready(jax.jit(lambda a: a + 1, donate_argnums=0)(view))
    np.testing.assert_array_equal(x, np.arange(1000.0))


def test_results_may_be_written():
    """Other libraries write into what they import: results of one run are nobody else's memory."""
    x = np.arange(1000.0)
    argument = jax.device_put(x, backends.plugin_device()) + 0
    constant = np.arange(1000.0) + 5
    run = jax.jit(lambda a: (a, a, jnp.array(constant)), compiler_options=backends.plugin_options() or None)
    results = run(argument)
    for result in results:
        view = np.from_dlpack(result)
        ctypes.memset(view.ctypes.data, 0, view.nbytes)
        np.testing.assert_array_equal(result, 0 * x)
        np.testing.assert_array_equal(argument, x)
        for again, expected in zip(run(argument), (x, x, constant)):
            np.testing.assert_array_equal(again, expected)


PATCHED = """
    import sys, types
    sys.path.insert(0, sys.argv[1])
    import jax, numpy as np, pytest
    from jaxlib import _jax

    calls, failure = [], None
    native = _jax.dlpack_managed_tensor_to_buffer

    def recorded(*args):
        calls.append(args)
        if failure is not None:
            raise jax.errors.JaxRuntimeError(failure)
        return native(*args) if args[1] is cpu else "native"

    _jax.dlpack_managed_tensor_to_buffer = recorded
    from plinth_pjrt import dlpack
    dlpack.install()
    patched = _jax.dlpack_managed_tensor_to_buffer
    cpu = jax.devices("plinth")[0]
    x = np.arange(12.0).reshape(3, 4)

    # Devices of other plugins are none of its business.
    other = types.SimpleNamespace(platform="gpu", client=types.SimpleNamespace(platform_version="PJRT C API cuda 13"))
    for copy in (None, True, False):
        assert patched("capsule", other, 7, copy, 2) == "native"
        assert calls.pop() == ("capsule", other, 7, copy, 2)

    for there in (x.T, x[:, ::2], x[::-1], np.lib.stride_tricks.as_strided(x, (5,), (0,))):
        np.testing.assert_array_equal(patched(there.__dlpack__(), cpu, None), there)
        with pytest.raises(jax.errors.JaxRuntimeError, match="layout|striding"):
            patched(there.__dlpack__(), cpu, None, False)

    # What a copy does not help with is told as it is.
    used = x.__dlpack__()
    np.from_dlpack(dlpack._Exporter(used))
    with pytest.raises(jax.errors.JaxRuntimeError, match="used_dltensor"):
        patched(used, cpu, None)
    failure = "RESOURCE_EXHAUSTED: out of memory"
    with pytest.raises(jax.errors.JaxRuntimeError, match="out of memory"):
        patched(x.__dlpack__(), cpu, None)
"""


def test_the_package_copies_for_the_cpu_only_where_a_copy_helps():
    run_python(PATCHED, str(pathlib.Path(__file__).resolve().parents[1] / "python"))


@pytest.mark.torch
def test_pytorch():
    try:
        import torch
    except ImportError as error:
        pytest.fail(f"{error}: pip install torch --index-url https://download.pytorch.org/whl/cpu")
    for dtype in (torch.uint8, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64,
                  torch.complex64):
        tensor = torch.arange(64 * 40).reshape(64, 40).to(dtype)
        there = imported(tensor)
        assert there.unsafe_buffer_pointer() == tensor.data_ptr() and there.shape == (64, 40)
        back = torch.from_dlpack(there)
        assert back.data_ptr() == tensor.data_ptr() and torch.equal(back, tensor)
        computed = torch.from_dlpack(jax.jit(lambda a: a[1:, ::2])(there))
        assert computed.dtype == dtype and torch.equal(computed, tensor[1:, ::2])
    tensor = torch.arange(1000.0)
    there = imported(tensor)
    expected = tensor.clone()
    del tensor
    gc.collect()
    np.testing.assert_array_equal(there, expected.numpy())
    kept = torch.from_dlpack(there)
    del there
    gc.collect()
    assert torch.equal(kept, expected)
