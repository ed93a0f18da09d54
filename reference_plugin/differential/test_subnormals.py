# SPDX-License-Identifier: Apache-2.0
"""The client option that flushes subnormal numbers to zero, and that nothing does without it."""

import jax.numpy as jnp
import numpy as np
import pytest

import backends

pytestmark = pytest.mark.plugin_only
TYPES = [np.float32, np.float64]
SIZES = [5, 1 << 20]  # one thread; two
ARITHMETIC = {
    "add": lambda x: x + x,
    "subtract": lambda x: x - 1,
    "multiply": lambda x: x * 0.5,
    "divide": lambda x: 1 / x,
    "sqrt": lambda x: jnp.sqrt(abs(x)),
    "compare": lambda x: x == 0,
    "sum": lambda x: jnp.sum(x) * 2.0,
    "product": lambda x: x[:5] @ x[:5].reshape(5, 1),
    "exp": jnp.exp,
    "chain": lambda x: (x * 0.5 + x) * (x - 3) / (x * x + 2),
}
MOVEMENT = {
    "reverse": lambda x: x[::-1],
    "concatenate": lambda x: jnp.concatenate([x, x]),
    "pad": lambda x: jnp.pad(x, 3),
    "negate": lambda x: -x,
}


def subnormals(dtype, size):
    tiny = np.finfo(dtype).tiny
    return (np.random.default_rng(0).uniform(-1, 1, size) * tiny).astype(dtype)


def bits(array):
    return array.view(f"u{array.dtype.itemsize}")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_flushes_as_builtin(name, size, dtype):
    function, x = ARITHMETIC[name], subnormals(dtype, size)
    client = backends.client_with(flush_subnormals=True, num_threads=2)
    program = backends.compile_for(client, function, x)
    expected = backends.run_on_builtin(function, x)
    for _ in range(2):  # by routines; by machine code
        np.testing.assert_array_equal(bits(program(x)[0]), bits(expected))
    # Nothing of it stays with this thread.
    assert np.all(x * dtype(1) == x) and np.any(x != 0)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("flush", [False, True])
@pytest.mark.parametrize("name", MOVEMENT)
def test_what_only_moves_stays(name, flush, dtype):
    function, x = MOVEMENT[name], subnormals(dtype, 1000)
    client = backends.client_with(flush_subnormals=flush)
    got = backends.compile_for(client, function, x)(x)[0]
    np.testing.assert_array_equal(bits(got), bits(np.asarray(function(x))))


def test_subnormal_f16_is_read_as_zero():
    x = np.array([2.0**-24, -(2.0**-20), 2.0**-14, 1], np.float16)
    for flush, expected in ((True, [0, 0, 2.0**-14, 1]), (False, x)):
        client = backends.client_with(flush_subnormals=flush)
        got = backends.compile_for(client, lambda x: x * 1 + 0, x)(x)[0]
        np.testing.assert_array_equal(got, np.array(expected, np.float16))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_both_kinds_of_clients_side_by_side(size, dtype):
    x = subnormals(dtype, size)
    clients = [backends.client_with(flush_subnormals=flush, num_threads=2) for flush in (False, True, False)]
    half = lambda x: x * 0.5
    programs = [backends.compile_for(client, half, x) for client in clients]
    for _ in range(2):
        kept, flushed, also_kept = (program(x)[0] for program in programs)
        np.testing.assert_array_equal(bits(kept), bits(x * dtype(0.5)))
        np.testing.assert_array_equal(bits(also_kept), bits(kept))
        np.testing.assert_array_equal(bits(flushed), bits(np.copysign(dtype(0), x)))
