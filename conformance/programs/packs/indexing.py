# SPDX-License-Identifier: Apache-2.0
"""gather and scatter, element by element as the specification says."""

import dataclasses

import numpy as np

from element_types import (ALL, BF16, F32, INTEGERS, NUMBERS, PRED, REAL, S32, U8, ElementType,
                           large_integers, small_integers)
from elementwise import signature
from movement import integers, marked
from program import Op, Program, Result, main_of, tensor, tensor_of


@dataclasses.dataclass(frozen=True)
class Shape:
    """Dimension numbers of gather, and of scatter with its names for the same things."""

    operand: tuple
    indices: list
    slices: tuple
    offset: tuple  # update_window_dims
    collapsed: tuple  # inserted_window_dims
    start_map: tuple
    index_axis: int
    operand_batch: tuple = ()
    index_batch: tuple = ()


SHAPES = {
    "rows": Shape((7, 5), [[2], [0], [6], [2]], (1, 5), (1,), (0,), (0,), 1),
    "columns": Shape((4, 6), [[5], [1]], (4, 1), (0,), (1,), (1,), 1),
    "elements": Shape((5, 6), [[0, 1], [4, 5], [2, 2]], (1, 1), (), (0, 1), (0, 1), 1),
    "swapped": Shape((5, 6), [[0, 1], [5, 4], [2, 3]], (1, 1), (), (0, 1), (1, 0), 1),
    "windows": Shape((6, 7), [[1, 2], [0, 0], [3, 4]], (3, 2), (1, 2), (), (0, 1), 1),
    "windows_first": Shape((6, 7), [[1, 2], [3, 4]], (3, 2), (0, 1), (), (0, 1), 1),
    "out_of_bounds": Shape((6, 7), [[-3, 2], [5, 6], [100, -100]], (2, 3), (1, 2), (), (0, 1), 1),
    # Whole windows outside, on every side; those inside are one beside the other.
    "elements_out_of_bounds": Shape((5, 6), [[0, 1], [-1, 2], [4, 5], [5, 0], [2, 6], [3, -7],
                                             [100, 100]], (1, 1), (), (0, 1), (0, 1), 1),
    "no_index_axis": Shape((7, 3), [6, 0, 3], (1, 3), (1,), (0,), (0,), 1),
    "two_axes": Shape((5, 4), [[[0], [1]], [[4], [2]], [[3], [3]]], (1, 4), (2,), (0,), (0,), 2),
    "index_axis_first": Shape((5, 6), [[0, 4, 2], [1, 5, 2]], (1, 1), (), (0, 1), (0, 1), 0),
    "none": Shape((4, 3), np.zeros((0, 1)).tolist(), (1, 3), (1,), (0,), (0,), 1),
    "batch": Shape((3, 5, 2), [[[1], [4]], [[0], [0]], [[3], [2]]], (1, 1, 2), (2,), (1,), (1,), 2,
                   (0,), (0,)),
}

# Indices just outside, one dimension at a time: on numpy's account -1 is the last element.
NEAR = {
    "rows_near": Shape((7, 5), [[-1], [7], [-7], [3], [8], [-2]], (1, 5), (1,), (0,), (0,), 1),
    "columns_near": Shape((4, 6), [[-1], [6], [2], [-6]], (4, 1), (0,), (1,), (1,), 1),
    "no_index_axis_near": Shape((7, 3), [-1, 7, 2, -7], (1, 3), (1,), (0,), (0,), 1),
    "batch_near": Shape((3, 5, 2), [[[-1], [5]], [[0], [7]], [[-5], [2]]], (1, 1, 2), (2,), (1,),
                        (1,), 2, (0,), (0,)),
}
OF_NEAR = [S32, F32, BF16, U8, PRED]


def index_array(shape: Shape, index: ElementType) -> np.ndarray:
    made = np.array(shape.indices, object).astype(index.dtype)
    return made.reshape(0, 1) if made.size == 0 else made


def places(shape: Shape, indices: np.ndarray):
    """(place in the result or the updates, place in the operand); the second is None where the
    window begins outside and a scatter would skip it."""
    starts = indices if shape.index_axis < indices.ndim else indices[..., None]
    starts = np.moveaxis(starts, shape.index_axis, -1)
    batch_shape = starts.shape[:-1]
    kept = [d for d in range(len(shape.operand))
            if d not in shape.collapsed and d not in shape.operand_batch]
    rank = len(batch_shape) + len(shape.offset)
    batch_axes = [d for d in range(rank) if d not in shape.offset]
    # Batch dimensions of the indices without the index axis.
    batch_of = {o: i - (i > shape.index_axis) for o, i in zip(shape.operand_batch,
                                                             shape.index_batch)}
    for batch in np.ndindex(*batch_shape):
        start = np.zeros(len(shape.operand), object)
        for k, d in enumerate(shape.start_map):
            start[d] = int(starts[batch + (k,)])
        for window in np.ndindex(*[shape.slices[d] for d in kept]):
            result = np.zeros(rank, int)
            result[batch_axes] = batch
            result[list(shape.offset)] = window
            yield tuple(int(r) for r in result), start, dict(zip(kept, window)), {
                o: batch[i] for o, i in batch_of.items()}


def result_shape(shape: Shape, indices: np.ndarray) -> list[int]:
    starts = indices if shape.index_axis < indices.ndim else indices[..., None]
    batch = list(np.moveaxis(starts, shape.index_axis, -1).shape[:-1])
    kept = [shape.slices[d] for d in range(len(shape.operand))
            if d not in shape.collapsed and d not in shape.operand_batch]
    made = []
    for d in range(len(batch) + len(kept)):
        made.append(kept.pop(0) if d in shape.offset else batch.pop(0))
    return made


def gathered(x: np.ndarray, indices: np.ndarray, shape: Shape) -> np.ndarray:
    value = np.zeros(result_shape(shape, indices), x.dtype)
    for to, start, window, batch in places(shape, indices):
        value[to] = x[tuple(
            min(max(start[d], 0), x.shape[d] - shape.slices[d]) + window.get(d, 0) +
            batch.get(d, 0) for d in range(x.ndim))]
    return value


def list_of(name: str, values) -> str:
    return f"{name} = [{', '.join(map(str, values))}], " if len(values) else ""


def gather_programs(element: ElementType):
    for name, shape in SHAPES.items():
        yield gather(f"{element.name}/{name}", element, shape, S32)
    if element in OF_NEAR:
        for name, shape in NEAR.items():
            yield gather(f"{element.name}/{name}", element, shape, S32)
    if element in (S32, F32):
        for index in INTEGERS:
            yield gather(f"{element.name}/{index.name}_index", element, SHAPES["windows"], index)
            yield gather(f"{element.name}/{index.name}_far", element, far(index), index)


def far(index: ElementType) -> Shape:
    """Elements at indices that would lie inside if they were cut to half of their bits, or read with
    the other sign."""
    facts, half = np.iinfo(index.dtype), 1 << index.bits // 2
    rows = [[1, 2], [half + 1, 0], [0, half + 3], [facts.max, 4], [2, facts.max - 1],
            [facts.max // 2 + 2, 1], [4, 5]]
    if index.kind == "signed":
        rows += [[1 - half, 3], [3, facts.min], [facts.min + 2, facts.min + 1]]
    return dataclasses.replace(SHAPES["elements"], indices=rows)


def gather(name, element, shape: Shape, index: ElementType) -> Program:
    x, indices = marked(element, shape.operand), index_array(shape, index)
    value = gathered(x, indices, shape)
    body = ('%r = "stablehlo.gather"(%a0, %a1) {dimension_numbers = #stablehlo.gather<'
            + list_of("offset_dims", shape.offset) + list_of("collapsed_slice_dims", shape.collapsed)
            + list_of("operand_batching_dims", shape.operand_batch)
            + list_of("start_indices_batching_dims", shape.index_batch)
            + list_of("start_index_map", shape.start_map) +
            f"index_vector_dim = {shape.index_axis}>, slice_sizes = {integers(shape.slices)}, "
            f"indices_are_sorted = false}} : {signature([x, indices], value)}")
    return Program(name, main_of([x, indices], [value], body), [x, indices], [Result(value)])


def scattered(x, indices, updates, shape: Shape, combine) -> np.ndarray:
    """A window that does not lie inside as a whole loses the elements that do not."""
    value = x.copy()
    for at, start, window, batch in places(shape, indices):
        to = tuple(int(start[d]) + window.get(d, 0) + batch.get(d, 0) for d in range(x.ndim))
        if all(0 <= t < n for t, n in zip(to, x.shape)):
            value[to] = combine(value[to], updates[at])
    return value


SCATTER_SHAPES = ["rows", "columns", "elements", "swapped", "windows", "windows_first",
                  "out_of_bounds", "elements_out_of_bounds", "no_index_axis", "two_axes",
                  "index_axis_first", "none", "batch"]


def scatter_programs(element: ElementType):
    if element in (S32, F32):
        yield scatter_two(element)
        for index in INTEGERS:
            yield scatter(f"{element.name}/{index.name}_far", element, far(index), "add", index)
    for name in SCATTER_SHAPES:
        if name in ("windows", "out_of_bounds", "rows", "two_axes"):
            continue  # windows overlap: only what commutes has one answer
        yield scatter(f"{element.name}/{name}", element, SHAPES[name], "replace")
    if element in OF_NEAR:
        for name, shape in NEAR.items():
            yield scatter(f"{element.name}/{name}", element, shape, "replace")
            if element is not PRED:
                yield scatter(f"{element.name}/add_{name}", element, shape, "add")
    if element.is_integer and element.bits >= 32:
        yield scatter(f"{element.name}/add_large", element, SHAPES["rows"], "add",
                      values=large_integers)
    if element in NUMBERS:
        for name in ("rows", "windows", "two_axes", "elements_out_of_bounds"):
            yield scatter(f"{element.name}/add_{name}", element, SHAPES[name], "add")
    if element in REAL:
        for op in ("multiply", "maximum", "minimum"):
            yield scatter(f"{element.name}/{op}", element, SHAPES["rows"], op)
    if element in INTEGERS or element.name == "pred":
        for op in ("and", "or", "xor"):
            yield scatter(f"{element.name}/{op}", element, SHAPES["rows"], op)


def scatter_two(element: ElementType) -> Program:
    """Two arrays with the same indices: one adds, the other takes the largest."""
    shape = SHAPES["rows"]
    indices = index_array(shape, S32)
    x, y = (small_integers(element, shape.operand, part) for part in ("x", "y"))
    u, v = (small_integers(element, result_shape(shape, indices), part) for part in ("u", "v"))
    values = [scattered(x, indices, u, shape, np.add), scattered(y, indices, v, shape, np.maximum)]
    scalar = tensor(element, ())
    types = ", ".join(map(tensor_of, (x, y, indices, u, v)))
    body = f"""%r:2 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4) ({{
^bb0(%p: {scalar}, %q: {scalar}, %m: {scalar}, %n: {scalar}):
%s = stablehlo.add %p, %m : {scalar}
%l = stablehlo.maximum %q, %n : {scalar}
stablehlo.return %s, %l : {scalar}, {scalar}
}}) {{scatter_dimension_numbers = #stablehlo.scatter<{list_of("update_window_dims", shape.offset)}{list_of("inserted_window_dims", shape.collapsed)}{list_of("scatter_dims_to_operand_dims", shape.start_map)}index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}} : ({types}) -> ({tensor_of(x)}, {tensor_of(y)})"""
    arguments = [x, y, indices, u, v]
    return Program(f"{element.name}/two_arrays", main_of(arguments, values, body, "%r#0, %r#1"),
                   arguments, [Result(value, any_zero_sign=True) for value in values])


COMBINE = {"replace": lambda a, b: b, "add": np.add, "multiply": np.multiply,
           "maximum": np.maximum, "minimum": np.minimum, "and": np.bitwise_and,
           "or": np.bitwise_or, "xor": np.bitwise_xor}


def scatter(name, element, shape: Shape, op, index=S32, values=None) -> Program:
    indices = index_array(shape, index)
    # With whole numbers the order of sums does not matter.
    values = values or (marked if op == "replace" else small_integers)
    x = values(element, shape.operand, "operand")
    updates = values(element, result_shape(shape, indices), "updates")
    if op == "multiply":
        updates = np.where(updates == 0, 1, updates).astype(element.dtype)
    value = scattered(x, indices, updates, shape, COMBINE[op])
    scalar = tensor(element, ())
    line, returned = ("", "%new") if op == "replace" else (
        f"%both = stablehlo.{op} %old, %new : {scalar}\n", "%both")
    body = (f'%r = "stablehlo.scatter"(%a0, %a1, %a2) ({{\n'
            f"^bb0(%old: {scalar}, %new: {scalar}):\n{line}"
            f"stablehlo.return {returned} : {scalar}\n"
            f"}}) {{scatter_dimension_numbers = #stablehlo.scatter<"
            + list_of("update_window_dims", shape.offset)
            + list_of("inserted_window_dims", shape.collapsed)
            + list_of("input_batching_dims", shape.operand_batch)
            + list_of("scatter_indices_batching_dims", shape.index_batch)
            + list_of("scatter_dims_to_operand_dims", shape.start_map) +
            f"index_vector_dim = {shape.index_axis}>, indices_are_sorted = false, "
            f"unique_indices = false}} : {signature([x, indices, updates], value)}")
    return Program(name, main_of([x, indices, updates], [value], body), [x, indices, updates],
                   [Result(value, any_zero_sign=op != "replace")])


ROWS = [
    Op("gather", ALL, gather_programs),
    Op("scatter", ALL, scatter_programs),
]
