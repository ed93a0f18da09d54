# SPDX-License-Identifier: Apache-2.0
"""Ops that move elements: every type, odd shapes, bit for bit."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import Case, check, check_functions_of
from compare import Tolerance

ids = {"ids": values.name}


def _pad(config, value=1):
    return lambda x: lax.pad(x, jnp.asarray(value, x.dtype), config)


SHAPE = (5, 7, 3)
UNARY = {
    "copy": lambda x: x,
    "reshape": lambda x: x.reshape(3, 35),
    "reshape_flat": lambda x: x.ravel(),
    "transpose_021": lambda x: x.transpose(0, 2, 1),
    "transpose_210": lambda x: x.transpose(2, 1, 0),
    "transpose_120": lambda x: x.transpose(1, 2, 0),
    "transpose_reshape": lambda x: x.transpose(2, 0, 1).reshape(15, 7),
    "broadcast_leading": lambda x: lax.broadcast(x, (2, 1)),
    "broadcast_in_dim": lambda x: lax.broadcast_in_dim(x[:, 0, :], (5, 4, 3), (0, 2)),
    "broadcast_of_one": lambda x: lax.broadcast_in_dim(x[:, :1, :], (5, 6, 3), (0, 1, 2)),
    "slice": lambda x: lax.slice(x, (1, 2, 0), (4, 6, 2)),
    "slice_strided": lambda x: lax.slice(x, (0, 1, 0), (5, 7, 3), (2, 3, 2)),
    "slice_empty": lambda x: lax.slice(x, (2, 2, 2), (2, 7, 3)),
    "reverse_last": lambda x: lax.rev(x, (2,)),
    "reverse_all": lambda x: lax.rev(x, (0, 1, 2)),
    "pad_edge": _pad(((1, 2, 0), (0, 3, 0), (2, 0, 0))),
    "pad_interior": _pad(((0, 0, 1), (1, 1, 2), (0, 0, 3))),
    "pad_negative": _pad(((-1, -2, 0), (-3, 1, 0), (0, -1, 0))),
    "pad_negative_interior": _pad(((-3, -1, 2), (2, -4, 1), (-2, -2, 3))),
    "pad_all_removed": _pad(((-3, -2, 0), (0, 0, 0), (0, 0, 0))),
    "concatenate_self": lambda x: lax.concatenate([x, x[:2], x[3:]], 0),
    "concatenate_last": lambda x: lax.concatenate([x, x[:, :, :1], x[:, :, :0], x], 2),
    "roll": lambda x: jnp.roll(x, (2, -3), (0, 1)),
    "tile": lambda x: jnp.tile(x, (1, 2, 3)),
    "stack": lambda x: jnp.stack([x, x[::-1]], 1),
    "tril": lambda x: jnp.tril(x),
    "squeeze": lambda x: lax.squeeze(x[:, :1], (1,)),
    "split": lambda x: lax.split(x, (2, 1, 4), 1),
    "rearranged": lambda x: jnp.pad(x[::2, ::-1].transpose(1, 0, 2), ((0, 0), (1, 0), (0, 0))),
    "pad_of_concatenate": lambda x: _pad(((0, 0, 0), (2, 2, 0), (0, 0, 0)))(
        lax.concatenate([x[:, 2:], x[:, :1]], 1)),
    "reverse_of_slice": lambda x: lax.rev(x[1:4, ::2], (0, 1)).reshape(-1),
}


@pytest.mark.parametrize("dtype", values.ALL, **ids)
def test_movement(dtype):
    check_functions_of((values.with_edges(dtype, SHAPE),), UNARY)


@pytest.mark.plugin_only
@pytest.mark.parametrize("dtype", [np.float16, values.BF16], **ids)
@pytest.mark.parametrize("size", [3, 20, 1000])
def test_signaling_nans_are_only_moved(dtype, size):
    x = (0x7c01 + np.arange(size)).astype(np.uint16).view(dtype)
    moves = {"reverse": lambda x: x[::-1], "stride": lambda x: x[::2], "pad": lambda x: jnp.pad(x, (3, 1)),
             "rows": lambda x: jnp.stack([x, x], 1), "columns": lambda x: jnp.stack([x, x]).T,
             "concatenate": lambda x: jnp.concatenate([x, x[:2]]),
             "select": lambda x: jnp.where(jnp.arange(size) % 3 == 0, x[::-1], x)}
    for name, move in moves.items():
        # The built-in backend quiets some, but not as integers.
        want = backends.run_on_builtin(move, x.view(np.uint16))
        got = backends.run_on_plugin(move, x)
        np.testing.assert_array_equal(got.view(np.uint16), want, name)


def _zero(index):
    return jnp.zeros((), index.dtype)


DYNAMIC = {
    "dynamic_slice": lambda x, i, j: lax.dynamic_slice(x, (i, j, _zero(i)), (2, 3, 3)),
    "dynamic_slice_row": lambda x, i, j: lax.dynamic_index_in_dim(x, i, 1),
    "dynamic_update_slice": lambda x, i, j: lax.dynamic_update_slice(x, x[:2, :3, :1], (i, j, _zero(i))),
    "dynamic_update_row": lambda x, i, j: lax.dynamic_update_index_in_dim(x, x[0], j, 0),
    "update_of_whole": lambda x, i, j: lax.dynamic_update_slice(x, lax.rev(x, (0,)), (i, j, i)),
    "update_twice": lambda x, i, j: lax.dynamic_update_slice(
        lax.dynamic_update_slice(x, x[:1], (i, _zero(i), j)), x[:, :1], (_zero(i), j, i)),
    "slice_of_update": lambda x, i, j: lax.dynamic_slice(
        lax.dynamic_update_slice(x, x[:1, :2], (i, j, j)), (j, i, _zero(i)), (3, 2, 2)),
}


@pytest.mark.parametrize("index", [np.int32, np.uint8, np.int64], **ids)
@pytest.mark.parametrize("dtype", values.FEW, **ids)
def test_dynamic_slices(dtype, index):
    """Start indices inside, at the end, and outside, where they are clamped."""
    x = values.with_edges(dtype, SHAPE)
    starts = [(0, 0), (2, 3), (4, 6), (100, 1)]
    if np.issubdtype(index, np.signedinteger):
        starts += [(-1, -100), (np.iinfo(index).min, np.iinfo(index).max)]
    check([Case(f"{name}{start}", function, (x, index(start[0]), index(start[1])))
           for start in starts for name, function in DYNAMIC.items()])


@pytest.mark.parametrize("dtype", [np.int8, values.BF16, np.float32, np.complex128], **ids)
def test_shapes(dtype):
    cases = []
    for shape in values.SHAPES:
        x = values.with_edges(dtype, shape)
        axes = tuple(range(len(shape)))
        cases += [
            Case("transpose", lambda x, a=axes: lax.transpose(x, a[::-1]), (x,)),
            Case("reverse", lambda x, a=axes: lax.rev(x, a), (x,)),
            Case("flat", lambda x: x.reshape(-1), (x,)),
            Case("broadcast", lambda x: lax.broadcast(x, (3,)), (x,)),
            Case("pad", lambda x: _pad([(1, 0, 1)] * x.ndim)(x), (x,)),
        ]
        if shape:
            cases += [
                Case("concatenate", lambda x: lax.concatenate([x, x], x.ndim - 1), (x,)),
                Case("rotate", lambda x: jnp.moveaxis(x, 0, -1), (x,)),
                Case("stride", lambda x: x[::2], (x,)),
            ]
    check(cases)


@pytest.mark.parametrize("dtype", [np.int8, values.BF16, np.float32, np.complex128], **ids)
def test_columns_of_a_padded_array(dtype):
    # Rows that end before the padding does.
    x = values.random(dtype, (1000,))

    def columns(low, rows, width, count):
        return lambda x: jnp.pad(x, (low, rows * width - low - 1000)).reshape(rows, width)[:, :count] + x[0]

    check_functions_of((x,), {str(shape): columns(*shape) for shape in (
        (1200, 150, 50, 20), (2400, 150, 100, 20), (260000, 150, 2000, 20), (5, 150, 7, 3))})


@pytest.mark.full
@pytest.mark.parametrize("shape", values.LARGE_SHAPES, ids=str)
@pytest.mark.parametrize("dtype", values.FEW, **ids)
def test_large_shapes(dtype, shape):
    check_functions_of((values.random(dtype, shape),), {
        "transpose": lambda x: x.T, "reverse": lambda x: lax.rev(x, tuple(range(x.ndim))),
        "roll": lambda x: jnp.roll(x, 3, 0), "concatenate": lambda x: lax.concatenate([x, x], 0),
        "slice": lambda x: x[1::3], "pad": _pad([(2, -1, 0)] + [(0, 1, 0)] * (len(shape) - 1)),
    })


@pytest.mark.parametrize("dtype", values.NUMBERS, **ids)
def test_iota(dtype):
    def iotas(dtype):
        return ([lax.iota(dtype, n) for n in (0, 1, 7, 127)]
                + [lax.broadcasted_iota(dtype, (3, 5, 2), d) for d in range(3)])

    check([Case("iota", functools.partial(iotas, dtype), ())])


@pytest.mark.parametrize("index", [np.int8, np.int32, np.uint64], **ids)
def test_slices_of_iotas(index):
    """A row of a mask, as in decoding; the position is not known before."""
    def functions(p):
        mask = jnp.tril(jnp.ones((40, 40), bool))
        return [jnp.arange(40)[p], lax.dynamic_index_in_dim(jnp.eye(40, dtype=np.float32), p), lax.dynamic_slice_in_dim(mask, p, 3),
                lax.dynamic_slice(jnp.arange(40, dtype=np.uint8)[::-3], (p,), (2,)), jnp.linspace(0, 1, 40)[p],
                lax.dynamic_slice(lax.broadcasted_iota(np.float16, (5, 300), 1), (p, p), (2, 7))]

    check([Case(f"at {p}", functions, (np.asarray(p).astype(index),), Tolerance(ulps=2)) for p in (0, 5, 39, 127, -1, -128)])


@pytest.mark.parametrize("dtype", values.ALL, **ids)
def test_constants(dtype):
    """Array constants arrive in the program itself."""
    dense, splat = values.with_edges(dtype, (4, 9)), np.full((3, 4), values.edges(dtype)[-1])
    check([Case("constants", lambda: (jnp.asarray(dense), jnp.asarray(splat),
                                      jnp.zeros((0, 3), dtype)), ())])


@pytest.mark.parametrize("dtype", values.ALL, **ids)
def test_select(dtype):
    x, y = (values.with_edges(dtype, (6, 5), seed) for seed in (1, 2))
    which = values.random(bool, (6, 5))
    index = np.arange(30, dtype=np.int32).reshape(6, 5) % 3
    check([
        Case("select", lax.select, (which, x, y)),
        Case("select_scalar", lambda p, x, y: lax.select(p[0, 0], x, y), (which, x, y)),
        Case("select_n", lambda i, x, y: lax.select_n(i, x, y, x[::-1]), (index, x, y)),
        Case("where_broadcast", lambda p, x, y: jnp.where(p[:, :1], x, y[:1]), (which, x, y)),
    ])
