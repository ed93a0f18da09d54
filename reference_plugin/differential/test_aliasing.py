# SPDX-License-Identifier: Apache-2.0
"""Who owns which memory: results that are arguments, donation, views that outlive their array."""

import functools
import gc
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values

# Small ones are copied, large ones may be shared: every pattern at both sizes.
SIZES = pytest.mark.parametrize("size", [5, 1000, 300_000])


@pytest.fixture
def device():
    with jax.default_device(backends.plugin_device()):
        yield backends.plugin_device()


def _numbers(size, seed=0):
    return values.random(np.float32, (size,), seed)


def _same(got, expected):
    np.testing.assert_array_equal(np.asarray(got), expected)


@SIZES
def test_argument_returned(device, size):
    x = _numbers(size)
    a = jax.device_put(x, device)
    b = jax.jit(lambda x: x, keep_unused=True)(a)
    c, d = jax.jit(lambda x, y: (y, x + y))(a, a)
    a.delete()
    _same(b, x)
    _same(c, x)
    _same(d, x + x)


@SIZES
def test_returned_twice(device, size):
    x = _numbers(size)
    first, second, third = jax.jit(lambda x: (x + 1, x + 1, x + 1))(jax.device_put(x, device))
    p, q = jax.jit(lambda x: (x, x))(jax.device_put(x, device))
    # One of them given away must not change the others.
    changed = jax.jit(lambda x: x * 0, donate_argnums=0)(first)
    _same(second, x + 1)
    _same(third, x + 1)
    changed_too = jax.jit(lambda x: x * 0, donate_argnums=0)(p)
    _same(q, x)
    _same(changed, x * 0)
    _same(changed_too, x * 0)


def _address(array):
    return array.unsafe_buffer_pointer()


@SIZES
@pytest.mark.plugin_only
def test_results_have_memory_of_their_own(device, size):
    """Who writes into a result, through DLPack for example, changes nothing else."""
    x, y = jax.device_put((_numbers(size, 1), _numbers(size, 2)), device)

    def swapped(n, x, y):
        return lax.fori_loop(0, n, lambda i, c: (c[1], c[0]), (x, y))

    constant = _numbers(size, 3)
    programs = [lambda x, y: (x, x, y), lambda x, y: (y, x.reshape(1, -1), x + 1), lambda x, y: (x * y,) * 3,
                lambda x, y: swapped(0, x, y) + swapped(2, x, y),
                lambda x, y: lax.cond(x[0] > 9, lambda: (x, x), lambda: (y, y)),
                lambda x, y: (jnp.array(constant), jnp.zeros(size), jnp.array(constant), jnp.zeros(size))]
    for program in programs:
        run = jax.jit(program, keep_unused=True, compiler_options=backends.plugin_options() or None)
        arrays = [x, y, *run(x, y), *run(x, y)]
        assert len({_address(a) for a in arrays}) == len(arrays)


@pytest.mark.plugin_only
def test_donated_arguments_are_returned_as_they_are(device):
    x, y = (jax.device_put(_numbers(1000, s), device) + 1 for s in (1, 2))
    before = _address(x), _address(y)
    swap = jax.jit(lambda x, y: (y, x.reshape(1, -1)), donate_argnums=(0, 1))
    y, x = swap(x, y)
    assert (_address(x), _address(y)) == before
    kept = np.asarray(x)  # Somebody looks at it, so it stays.
    z = jax.jit(lambda x: x, donate_argnums=0)(x)
    is_copy = kept.ctypes.data != before[0]  # as on a GPU: nobody looks at it then
    assert (_address(z) == before[0]) == is_copy
    _same(z, kept)


@SIZES
def test_swapped(device, size):
    x, y = _numbers(size, 1), _numbers(size, 2)
    a, b = jax.device_put((x, y), device)
    a, b = jax.jit(lambda a, b: (b, a), donate_argnums=(0, 1))(a, b)
    _same(a, y)
    _same(b, x)
    a, b = jax.jit(lambda a, b: (b + 1, a + 2), donate_argnums=(0, 1))(a, b)
    _same(a, x + 1)
    _same(b, y + 2)


@SIZES
@pytest.mark.parametrize("count", [0, 1, 6, 7])
def test_swapped_loop_carries(device, size, count):
    x, y, z = (_numbers(size, s) for s in range(3))

    @functools.partial(jax.jit, donate_argnums=(0, 1, 2))
    def loop(n, x, y, z):
        return lax.fori_loop(0, n, lambda i, c: (c[1], c[2], c[0]), (x, y, z))

    loop = jax.jit(loop.__wrapped__, donate_argnums=(1, 2, 3))
    got = loop(count, *jax.device_put((x, y, z), device))
    order = [x, y, z]
    for g, e in zip(got, order[count % 3:] + order[:count % 3]):
        _same(g, e)


@SIZES
def test_donation(device, size):
    x = _numbers(size)
    a = jax.device_put(x, device)
    b = jax.jit(lambda x: x * 2, donate_argnums=0)(a)
    assert a.is_deleted()
    with pytest.raises(RuntimeError, match="deleted|donated"):
        np.asarray(a)
    for i in range(5):
        b = jax.jit(lambda x: x + 1, donate_argnums=0)(b)
    _same(b, x * 2 + 1 + 1 + 1 + 1 + 1)


@SIZES
def test_donated_numpy_is_not_written(device, size):
    x = _numbers(size)
    kept = x.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = jax.jit(lambda x: x * 2 + 1, donate_argnums=0)(x)
        shared = jax.device_put(x, device)
        z = jax.jit(lambda x: x * 3, donate_argnums=0)(shared)
    _same(y, kept * 2 + 1)
    _same(z, kept * 3)
    np.testing.assert_array_equal(x, kept)


@SIZES
def test_donated_twice_is_an_error(device, size):
    x = _numbers(size)
    a = jax.device_put(x, device)
    add = jax.jit(lambda a, b: (a + b, a - b), donate_argnums=(0, 1))
    with pytest.raises((ValueError, RuntimeError), match="donate"):
        jax.block_until_ready(add(a, a))
    a = jax.device_put(x, device)
    first = jax.jit(lambda a, b: a + b, donate_argnums=0)
    with pytest.raises((ValueError, RuntimeError), match="donate"):
        jax.block_until_ready(first(a, a))
    p, q = add(*jax.device_put((x, x + 1), device))  # The client still works.
    _same(p, x + (x + 1))


@SIZES
def test_read_only_input(device, size):
    x = _numbers(size)
    x.flags.writeable = False
    y = jax.jit(lambda x: x.at[0].set(9) + 0)(x)
    assert float(y[0]) == 9 and x[0] != 9


@SIZES
def test_input_changed_after_the_call(device, size):
    """device_put may share memory that the caller promised not to change; results never do."""
    x = _numbers(size)
    kept = x.copy()
    results = [jnp.array(x), jax.jit(lambda x: x, keep_unused=True)(x), jnp.asarray(x).copy(),
               *jax.jit(lambda x: (x, x.reshape(-1, 1)[:, 0]))(x)]
    jax.block_until_ready(results)
    x[:] = 0
    for result in results:
        _same(result, kept)


@pytest.mark.plugin_only
def test_small_arrays_may_be_reused_at_once(device):
    """The next batch is written while the step that reads this one may still run."""
    slow = jax.jit(lambda x: lax.fori_loop(0, 20000, lambda i, s: s * 0.5 + x[i % 1000], 0.0))
    x = _numbers(1000)
    expected = float(slow(x.copy()))
    result = slow(x)
    x[:] = np.nan
    assert float(result) == expected


@SIZES
def test_views_outlive_the_array(device, size):
    x = _numbers(size)
    a = jax.jit(lambda x: x + 1)(jax.device_put(x, device))
    view = np.asarray(a)
    a.delete()
    del a
    gc.collect()
    # Fresh arrays must not get the memory that the view still shows.
    others = [jax.jit(lambda x, i: x * i)(x, i) for i in range(8)]
    jax.block_until_ready(others)
    np.testing.assert_array_equal(view, x + 1)


@SIZES
def test_donated_array_with_a_view(device, size):
    x = _numbers(size)
    a = jax.jit(lambda x: x + 1)(jax.device_put(x, device))
    view = np.asarray(a)
    b = jax.jit(lambda x: x * 0, donate_argnums=0)(a)
    jax.block_until_ready(b)
    np.testing.assert_array_equal(view, x + 1)
    _same(b, x * 0)


@SIZES
def test_output_that_shares_with_its_input_is_donated(device, size):
    x = _numbers(size)
    a = jax.device_put(x, device)
    b = jax.jit(lambda x: x, keep_unused=True)(a)
    reshaped = jax.jit(lambda x: x.reshape(1, -1))(a)
    c = jax.jit(lambda x: x + 5, donate_argnums=0)(b)
    d = jax.jit(lambda x: x + 6, donate_argnums=0)(reshaped)
    _same(a, x)
    _same(c, x + 5)
    _same(d, (x + 6)[None])


@SIZES
def test_update_in_place(device, size):
    x = _numbers(size)
    update = jax.jit(lambda x, i: x.at[i].set(7), donate_argnums=0)
    a = jax.device_put(x, device)
    kept = jax.jit(lambda x: x, keep_unused=True)(a)
    for i in range(3):
        a = update(a, i)
    expected = x.copy()
    expected[:3] = 7
    _same(a, expected)
    _same(kept, x)
    # The old value is used after the update.
    both = jax.jit(lambda x: (x.at[1].set(8), x * 2, x[1]), donate_argnums=0)(a)
    old = expected.copy()
    expected[1] = 8
    _same(both[0], expected)
    _same(both[1], old * 2)


def test_donation_to_another_type_or_shape(device):
    x = values.random(np.float32, (64, 32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a = jax.jit(lambda x: x.astype(jnp.int32), donate_argnums=0)(jax.device_put(x, device))
        b = jax.jit(lambda x: x.T + 1, donate_argnums=0)(jax.device_put(x, device))
        c = jax.jit(lambda x: jnp.sum(x), donate_argnums=0)(jax.device_put(x, device))
    _same(a, x.astype(np.int32))
    _same(b, x.T + 1)
    assert float(c) == pytest.approx(x.sum(), rel=1e-4)


@pytest.mark.parametrize("view", [
    lambda x: x[::-1], lambda x: x.T, lambda x: x[:, ::2], lambda x: x[1:, 1:], lambda x: x[::-2, ::-1],
    lambda x: np.broadcast_to(x[0], (9, 40)), lambda x: x[:0], lambda x: x[3, 4],
    lambda x: np.frombuffer(x.tobytes()[4:], np.float32),
    lambda x: np.asfortranarray(x)], ids=range(10))
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex128], ids=values.name)
def test_host_strides_and_alignment(device, view, dtype):
    x = values.random(dtype, (30, 40))
    expected = np.array(view(x))
    _same(jax.device_put(view(x), device), expected)
    _same(jax.jit(lambda x: lax.rev(x, tuple(range(x.ndim))))(view(x)), np.flip(expected))


def test_copies_between_backends(device):
    x = _numbers(1000)
    there = jax.device_put(jax.device_put(x, device) + 0, backends.builtin_device())
    back = jax.device_put(there * 1, device)
    del there
    _same(back, x)
