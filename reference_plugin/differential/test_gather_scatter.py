# SPDX-License-Identifier: Apache-2.0
"""gather and scatter: dimension numbers, modes, batching, combiners, types."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import Case, check
from compare import EXACT, Tolerance

ids = {"ids": values.name}
MODES = ["clip", "fill", "promise_in_bounds"]


def _gather(sizes, mode="clip", **numbers):
    dimension_numbers = lax.GatherDimensionNumbers(**numbers)
    return lambda x, i: lax.gather(x, i, dimension_numbers, sizes, mode=mode)


# name: slice sizes, collapsed dimensions, start index map, where the offset dimensions begin in the
# result (None: after the dimensions of the indices).
FORMS = {
    "rows": ((1, 7, 3), (0,), (0,), None),
    "columns": ((5, 1, 3), (1,), (1,), None),
    "elements": ((1, 1, 1), (0, 1, 2), (0, 1, 2), None),
    "points_swapped": ((1, 1, 3), (0, 1), (1, 0), None),
    "windows": ((2, 3, 2), (), (0, 1, 2), None),
    "windows_first": ((2, 1, 3), (1,), (0, 1), 0),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", values.FEW, **ids)
def test_gather(dtype, mode):
    x = values.with_edges(dtype, (5, 7, 3))
    # Outside on both sides unless promised.
    low, high = (0, 0) if mode == "promise_in_bounds" else (-3, 8)
    cases = []
    for name, (sizes, collapsed, index_map, offset) in FORMS.items():
        for batch in ((), (4,), (2, 3)):
            first = len(batch) if offset is None else offset
            function = _gather(sizes, mode, collapsed_slice_dims=collapsed, start_index_map=index_map,
                               offset_dims=tuple(range(first, first + 3 - len(collapsed))))
            index = values.random(np.int32, (*batch, len(index_map)), len(cases), low, high)
            cases.append(Case(f"{name}{list(batch)}", function, (x, index)))
    check(cases)


@pytest.mark.parametrize("index", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64], **ids)
def test_index_types(index):
    x = values.random(np.float32, (5, 7))
    i = values.random(index, (9,), 3, -3, 9)
    check([Case("take", lambda x, i: jnp.take(x, i, 0, mode="clip"), (x, i)),
           Case("fill", lambda x, i: jnp.take(x, i, 1, mode="fill"), (x, i)),
           Case("scatter", lambda x, i: x.at[i].add(1.0, mode="drop"), (x, i))])


INDEXING = {
    "take": lambda x, i, j: jnp.take(x, i, axis=1),
    "take_along_axis": lambda x, i, j: jnp.take_along_axis(x, i[None, :, None] % 5, 0),
    "fancy": lambda x, i, j: x[i, j],
    "fancy_apart": lambda x, i, j: x[i, :, j % 3],
    "fancy_slice": lambda x, i, j: x[1:3, i],
    "scalar": lambda x, i, j: x[i[0], j[1]],
    "negative": lambda x, i, j: x[-i],
    "boolean": lambda x, i, j: jnp.where(x > x[0, 0, 0], x, x[i[0]]),
    "vmap": lambda x, i, j: jax.vmap(lambda row, k: row[k])(x, i[:5] % 7),
    "vmap_slice": lambda x, i, j: jax.vmap(
        lambda row, k: lax.dynamic_slice(row, (k, 0 * k), (2, 2)))(x, i[:5]),
    "vmap_vmap": lambda x, i, j: jax.vmap(jax.vmap(lambda row, k: row[k]))(x, jnp.stack([j] * 5) % 3),
    "chosen_row_scaled": lambda x, i, j: x[i] * 2 + 1,
    "one_hot_sum": lambda x, i, j: jnp.sum(x[i], 0),
}


@pytest.mark.parametrize("dtype", [np.int8, values.BF16, np.float32, np.float64], **ids)
def test_indexing(dtype):
    x = values.random(dtype, (5, 7, 3))
    i, j = (np.array(a, np.int32) for a in ([0, 2, 4, 1, 3, 3, 0], [6, 5, 0, 2, 1, 3, 4]))
    rough = Tolerance(ulps=4) if values.is_float(dtype) else EXACT
    check([Case(name, f, (x, i, j), rough) for name, f in INDEXING.items()])


SCATTERS = {
    "set": lambda x, i, u: x.at[i].set(u),
    "add": lambda x, i, u: x.at[i].add(u),
    "add_drop": lambda x, i, u: x.at[i + 3].add(u, mode="drop"),
    "add_clip": lambda x, i, u: x.at[i + 3].add(u, mode="clip"),
    "add_fill_negative": lambda x, i, u: x.at[i - 9].add(u, mode="fill", wrap_negative_indices=False),
    "mul": lambda x, i, u: x.at[i].multiply(u),
    "min": lambda x, i, u: x.at[i].min(u),
    "max": lambda x, i, u: x.at[i].max(u),
    "apply": lambda x, i, u: x.at[i].apply(lambda v: v * v),
    "element": lambda x, i, u: x.at[i, i % 3].add(u[:, 0]),
    "column": lambda x, i, u: x.at[:, i % 3].add(jnp.ones((), x.dtype)),
    "window": lambda x, i, u: x.at[1:3, i[0] % 3].set(u[0, 0]),
    "sorted_unique": lambda x, i, u: x.at[jnp.arange(4)].add(u[:4], indices_are_sorted=True,
                                                               unique_indices=True),
    "vmap": lambda x, i, u: jax.vmap(lambda row, k, v: row.at[k].add(v[0]))(x[:4], i[:4] % 3, u[:4]),
    "into_zeros": lambda x, i, u: jnp.zeros_like(x).at[i].add(u),
    "histogram": lambda x, i, u: jnp.zeros(8, np.int32).at[i].add(1),
    "bincount": lambda x, i, u: jnp.bincount(i, length=9),
    "segment_sum": lambda x, i, u: jax.ops.segment_sum(u, i, 8),
}


@pytest.mark.parametrize("dtype", values.NUMBERS, **ids)
def test_scatter(dtype):
    x, u = values.random(dtype, (8, 3), 1), values.random(dtype, (7, 3), 2)
    i = np.array([0, 5, 2, 5, 7, 0, 1], np.int32)  # Some twice.
    unique = np.array([0, 5, 2, 6, 7, 3, 1], np.int32)
    rough = (Tolerance(ulps=8, of_max=4, zero_sign=False)
             if values.is_float(dtype) or values.is_complex(dtype) else EXACT)
    table = dict(SCATTERS)
    if values.is_complex(dtype):
        del table["min"], table["max"]
    # What the same place gets twice is undefined for these.
    once = {"set", "apply"}
    check([Case(name, f, (x, unique if name in once else i, u), rough) for name, f in table.items()])


def test_scatter_of_ones_own_combiner():
    x = values.random(np.float32, (8,), 1)
    u = values.random(np.float32, (5, 1), 2)
    i = np.array([[0], [3], [9], [-1], [7]], np.int32)
    numbers = lax.ScatterDimensionNumbers((1,), (), (0,))
    check([Case(op.__name__, lambda x, i, u, op=op: op(x, i, u, numbers), (x, i, u),
                Tolerance(ulps=2))
           for op in (lax.scatter_add, lax.scatter_mul, lax.scatter_min, lax.scatter_max,
                      lax.scatter_sub, lax.scatter)])


@pytest.mark.plugin_only
@pytest.mark.parametrize("columns", [1, 40, 700])
def test_scatter_that_swaps(columns):
    # JAX has no scatter of two arrays.
    x, y = (values.random(np.float32, (6, columns), seed) for seed in (1, 2))
    i = np.array([[0], [3], [0], [5]], np.int32)
    whole, rows = f"tensor<6x{columns}xf32>", f"tensor<4x{columns}xf32>"
    got = backends.run_text_on_plugin(f"""
      func.func @main(%a: {whole}, %b: {whole}, %i: tensor<4x1xi32>, %u: {rows}) -> ({whole}, {whole}) {{
        %r:2 = "stablehlo.scatter"(%a, %b, %i, %u, %u) ({{
          ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>):
            "stablehlo.return"(%y, %x) : (tensor<f32>, tensor<f32>) -> ()
        }}) {{scatter_dimension_numbers = #stablehlo.scatter<
               update_window_dims = [1], inserted_window_dims = [0],
               scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
             indices_are_sorted = false, unique_indices = false}}
          : ({whole}, {whole}, tensor<4x1xi32>, {rows}, {rows}) -> ({whole}, {whole})
        return %r#0, %r#1 : {whole}, {whole}
      }}""", x, y, i, np.zeros((4, columns), np.float32))
    swapped = np.array([False, False, False, True, False, True])[:, None]  # Row 0 twice.
    np.testing.assert_array_equal(got[0], np.where(swapped, y, x))
    np.testing.assert_array_equal(got[1], np.where(swapped, x, y))


def test_gradients_and_empty():
    x = values.random(np.float32, (6, 4))
    i = np.array([1, 1, 5, 0], np.int32)
    none = np.zeros((0,), np.int32)
    check([
        Case("gather_grad", jax.grad(lambda x: jnp.sum(jnp.sin(x[i]) * 2)), (x,), Tolerance(ulps=8)),
        Case("embedding_grad", jax.grad(lambda x: jnp.sum(jnp.take(x, i.reshape(2, 2), 0) ** 2)), (x,),
             Tolerance(ulps=8)),
        Case("gather_none", lambda x, i: x[i], (x, none)),
        Case("scatter_none", lambda x, i: x.at[i].set(7), (x, none)),
        Case("gather_nothing_of_empty", lambda x, i: jnp.take(x[:0], i, 0), (x, none)),
    ])


@pytest.mark.full
@pytest.mark.parametrize("dtype", values.FEW[1:], **ids)
def test_large(dtype):
    x = values.random(dtype, (20011, 16))
    i = values.random(np.int32, (100003,), 1, 0, 20010)
    check([Case("take", lambda x, i: x[i], (x, i)),
           Case("scatter", lambda x, i: jnp.zeros((20011,), np.int32).at[i].add(1), (x, i))])
