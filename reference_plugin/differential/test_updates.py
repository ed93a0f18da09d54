# SPDX-License-Identifier: Apache-2.0
"""Parts of an array that are read and replaced in one program: what is updated in place is read before."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import Case, check, report
from compare import Tolerance

CLOSE = Tolerance(of_max=16, ulps=8)


def _at(row):
    return row, jnp.zeros_like(row)


def _row(c, x, i):
    old = lax.dynamic_index_in_dim(c, i, 0)
    return old / jnp.linalg.norm(old), lax.dynamic_update_index_in_dim(c, x, i, 0)


def _rows_of_a_temporary(c, x, i):
    y = jnp.sort(c, axis=1)
    part = lax.dynamic_slice(y, _at(i), (2, 5))
    return part - part.sum(1, keepdims=True), lax.dynamic_update_slice(y, part * 2, _at(i))


def _softmax_of_what_is_replaced(c, x, i):
    part = lax.dynamic_slice(c, _at(i), (1, 4))
    return jax.nn.softmax(part), lax.dynamic_update_slice(c, -part, _at(i))


def _in_a_scan(c, x, i):
    def step(c, k):
        old = lax.dynamic_slice(c, _at(k), (1, 5))
        return lax.dynamic_update_slice(c, old * 0.5 + x, _at(k)), old - old.sum(1, keepdims=True)
    return lax.scan(step, c, jnp.arange(4))


def _exchanged_rows(c, x, i):
    first, second = (lax.dynamic_slice(c, _at(k), (1, 5)) for k in (i, 3 - i))
    return lax.dynamic_update_slice(lax.dynamic_update_slice(c, second, _at(i)), first, _at(3 - i))


def _two_updates_of_one_array(c, x, i):
    return [lax.dynamic_update_slice(c, row, _at(i)) for row in (x[None], -x[None])]


PROGRAMS = [_row, _rows_of_a_temporary, _softmax_of_what_is_replaced, _in_a_scan, _exchanged_rows,
            _two_updates_of_one_array]


def _arguments():
    return values.random(np.float32, (4, 5), 1), values.random(np.float32, (5,), 2), np.int32(1)


def test_reads_and_updates():
    check([Case(program.__name__, program, _arguments(), CLOSE) for program in PROGRAMS])


@pytest.mark.filterwarnings("ignore:Some donated buffers")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_of_donated_arrays(program):
    args = _arguments()
    donating = jax.jit(program, donate_argnums=(0, 1), compiler_options=backends.plugin_options() or None)
    got = jax.device_get(donating(*jax.device_put(args, backends.plugin_device())))
    report([Case("donated", program, args, CLOSE)], [backends.run_on_builtin(program, *args)], [got])


def test_tiny_kernels_around_a_sort():
    """What comes before and behind the sort could be one kernel, which the sort and itself would have to wait for."""
    def program(x, y, j):
        after = j + 1
        near = jnp.tanh(lax.dynamic_slice(y, (after,), (3,)))
        return near, jnp.sort(jnp.sin(x))[0] * 2

    def with_an_index(x, y, j):
        after = j * 2 + 1
        least = jnp.sort(jnp.sin(x))[0]
        return (jnp.tanh(lax.dynamic_slice(y, (after,), (3,))),
                lax.dynamic_slice(y, (least.astype(np.int32) + after,), (2,)))

    args = (np.arange(3, dtype=np.float32), np.arange(6, dtype=np.float32), np.int32(1))
    check([Case(f.__name__, f, args, CLOSE) for f in (program, with_an_index)])
