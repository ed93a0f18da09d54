# SPDX-License-Identifier: Apache-2.0
"""Ops that move elements and do not change them."""

import numpy as np

from element_types import (ALL, BF16, F16, INTEGERS, NUMBERS, S32, ElementType, edges, ordinary,
                           round_to, spread)
from elementwise import signature
from program import Op, Program, Result, main_of, tensor_of


def marked(element: ElementType, shape, *seed) -> np.ndarray:
    """Edge values and others, no two neighbours the same where the type has enough of them."""
    count = int(np.prod(shape))
    values = np.concatenate([spread(element, max(count - 8, 3), "moved", *seed), edges(element)])
    return np.resize(values, count).reshape(shape).copy()


def moved(name, arguments, value, line) -> Program:
    """`line` with SIG for its types: one op with result %r."""
    body = line.replace("SIG", signature(arguments, value))
    value = np.array(value, order="C")
    return Program(name, main_of(arguments, [value], body), arguments, [Result(value)])


def generic(name, op, arguments, value, attributes) -> Program:
    operands = ", ".join(f"%a{i}" for i in range(len(arguments)))
    return moved(name, arguments, value,
                 f'%r = "stablehlo.{op}"({operands}) {{{attributes}}} : SIG')


def integers(values) -> str:
    return f"array<i64: {', '.join(map(str, values))}>" if len(values) else "array<i64>"


def broadcast_programs(element):
    for name, shape, to, dims in [("scalar", (), (3, 5), []), ("rows", (5,), (3, 5), [1]),
                                  ("columns", (3,), (3, 5), [0]), ("ones", (3, 1), (3, 5), [0, 1]),
                                  ("empty", (0, 3), (2, 0, 3), [1, 2]),
                                  ("spread", (2, 1, 7), (2, 3, 4, 7), [0, 2, 3]),
                                  ("turned", (3, 5), (5, 2, 3), [2, 0]),
                                  ("square", (3, 3), (3, 3), [1, 0]),
                                  ("cube", (3, 3, 3), (3, 3, 3), [2, 0, 1])]:
        x = marked(element, shape)
        inner = [1] * len(to)
        for axis, dim in enumerate(dims):
            inner[dim] = shape[axis]
        value = np.broadcast_to(np.transpose(x, np.argsort(dims)).reshape(inner), to)
        yield moved(f"{element.name}/{name}", [x], value,
                    f"%r = stablehlo.broadcast_in_dim %a0, dims = {dims} : SIG")


def reshape_programs(element):
    for name, shape, to in [("flat", (3, 5), (15,)), ("more", (24,), (2, 3, 1, 4)),
                            ("scalar", (1, 1), ()), ("empty", (0, 3), (5, 0))]:
        x = marked(element, shape)
        yield moved(f"{element.name}/{name}", [x], x.reshape(to), "%r = stablehlo.reshape %a0 : SIG")


def transpose_programs(element):
    for name, shape, dims in [("matrix", (13, 9), [1, 0]), ("none", (2, 3), [0, 1]),
                              ("rotate", (2, 3, 5), [2, 0, 1]), ("batch", (2, 3, 4, 5), [0, 3, 2, 1]),
                              ("large", (33, 18), [1, 0]), ("empty", (3, 0), [1, 0]),
                              ("cube", (3, 3, 3), [1, 2, 0]),
                              ("five", (2, 3, 2, 4, 3), [4, 2, 0, 3, 1]),
                              ("six", (2, 3, 1, 4, 2, 3), [3, 0, 5, 1, 4, 2])]:
        x = marked(element, shape)
        yield moved(f"{element.name}/{name}", [x], np.transpose(x, dims),
                    f"%r = stablehlo.transpose %a0, dims = {dims} : SIG")


def slice_programs(element):
    for name, shape, start, limit, strides in [
            ("rows", (7, 5), [2, 0], [6, 5], [1, 1]), ("strided", (9, 11), [1, 2], [9, 11], [3, 2]),
            ("empty", (4,), [2], [2], [1]), ("whole", (3, 2), [0, 0], [3, 2], [1, 1]),
            ("one", (2, 3, 4), [1, 1, 1], [2, 2, 2], [1, 1, 1])]:
        x = marked(element, shape)
        parts = tuple(slice(a, b, c) for a, b, c in zip(start, limit, strides))
        yield generic(f"{element.name}/{name}", "slice", [x], x[parts],
                      f"start_indices = {integers(start)}, limit_indices = {integers(limit)}, "
                      f"strides = {integers(strides)}")


def pad_programs(element):
    for name, shape, low, high, interior in [
            ("outside", (3, 4), [1, 0], [2, 3], [0, 0]), ("inside", (3, 4), [0, 0], [0, 0], [1, 2]),
            ("negative", (5, 6), [-1, 2], [-2, -3], [0, 0]),
            ("all", (4, 3), [1, -1], [-1, 2], [2, 1]), ("from_nothing", (0, 2), [1, 0], [1, 0], [0, 0]),
            ("to_nothing", (3,), [-2], [-1], [0]), ("cut_inside", (5,), [-2], [-4], [2])]:
        x, fill = marked(element, shape), marked(element, (), "fill")
        value = padded(x, fill, low, high, interior)
        yield generic(f"{element.name}/{name}", "pad", [x, fill], value,
                      f"edge_padding_low = {integers(low)}, edge_padding_high = {integers(high)}, "
                      f"interior_padding = {integers(interior)}")


def padded(x, fill, low, high, interior) -> np.ndarray:
    inner = [d + max(d - 1, 0) * i for d, i in zip(x.shape, interior)]
    shape = [d + a + b for d, a, b in zip(inner, low, high)]
    value = np.full(shape, fill, x.dtype)
    for at in np.ndindex(*x.shape):
        to = tuple(a + i * (step + 1) for a, i, step in zip(low, at, interior))
        if all(0 <= t < d for t, d in zip(to, shape)):
            value[to] = x[at]
    return value


def concatenate_programs(element):
    for name, shapes, axis in [("rows", [(2, 3), (1, 3), (4, 3)], 0),
                               ("columns", [(3, 2), (3, 5)], 1), ("one", [(3, 2)], 0),
                               ("empty", [(2, 0), (2, 3), (2, 0)], 1),
                               ("middle", [(2, 1, 3), (2, 4, 3), (2, 2, 3)], 1),
                               ("many", [(1 + i % 3, 2) for i in range(19)], 0)]:
        parts = [marked(element, shape, i) for i, shape in enumerate(shapes)]
        yield generic(f"{element.name}/{name}", "concatenate", parts,
                      np.concatenate(parts, axis), f"dimension = {axis} : i64")


def reverse_programs(element):
    for name, shape, axes in [("vector", (17,), [0]), ("both", (3, 5), [0, 1]),
                              ("rows", (4, 7), [0]), ("none", (3,), []),
                              ("middle", (3, 4, 5), [1]), ("ends", (3, 2, 5), [0, 2])]:
        x = marked(element, shape)
        yield generic(f"{element.name}/{name}", "reverse", [x], np.flip(x, axes) if axes else x,
                      f"dimensions = {integers(axes)}")


def iota_programs(element):
    for name, shape, axis in [("vector", (9,), 0), ("rows", (3, 5), 0), ("columns", (3, 5), 1),
                              ("empty", (2, 0), 0), ("middle", (3, 4, 5), 1), ("first", (4, 3, 2), 0)]:
        count = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        value = np.broadcast_to(count, shape).astype(element.dtype)
        yield moved(f"{element.name}/{name}", [], value,
                    f"%r = stablehlo.iota dim = {axis} : {tensor_of(value)}")
    if element in (F16, BF16):
        # Farther than the type has whole numbers: each is rounded, none is counted up to.
        value = round_to(element, np.arange(5000.0))
        yield moved(f"{element.name}/far", [], value,
                    f"%r = stablehlo.iota dim = 0 : {tensor_of(value)}")


def dynamic_slice_programs(element):
    x = marked(element, (7, 9))
    for name, starts in [("inside", [2, 3]), ("too_high", [6, 100]), ("negative", [-5, 1])]:
        at = [int(np.clip(s, 0, d - n)) for s, d, n in zip(starts, x.shape, (3, 4))]
        indices = [np.array(s, np.int32) for s in starts]
        yield generic(f"{element.name}/{name}", "dynamic_slice", [x, *indices],
                      x[at[0]:at[0] + 3, at[1]:at[1] + 4], f"slice_sizes = {integers([3, 4])}")


def dynamic_update_slice_programs(element):
    x, update = marked(element, (7, 9)), marked(element, (3, 4), "update")
    for name, starts in [("inside", [2, 3]), ("too_high", [6, 100]), ("negative", [-5, 1])]:
        at = [int(np.clip(s, 0, d - n)) for s, d, n in zip(starts, x.shape, (3, 4))]
        indices = [np.array(s, np.int32) for s in starts]
        value = x.copy()
        value[at[0]:at[0] + 3, at[1]:at[1] + 4] = update
        operands = "%a0, %a1, %a2, %a3"
        yield moved(f"{element.name}/{name}", [x, update, *indices], value,
                    f'%r = "stablehlo.dynamic_update_slice"({operands}) : SIG')


def far_starts(index: ElementType) -> list[int]:
    """Inside, behind the end, before the begin; what is inside if it is cut to half of its bits, or
    read with the other sign."""
    facts, half = np.iinfo(index.dtype), 1 << index.bits // 2
    starts = [5, 10, half + 2, facts.max, facts.max - 2]
    return starts + ([-3, 1 - half, facts.min] if index.kind == "signed" else [facts.max // 2 + 3])


def index_type_programs(index: ElementType):
    """Slices whose starts have each of the index types."""
    x = marked(S32, (11,), "indexed")
    for number, start in enumerate(far_starts(index)):
        at = min(max(int(start), 0), 7)
        yield generic(f"{index.name}_index/{number}", "dynamic_slice",
                      [x, np.array(start, index.dtype)], x[at:at + 4],
                      f"slice_sizes = {integers([4])}")


def update_index_programs(index: ElementType):
    """The same of updates."""
    x, update = marked(S32, (11,), "indexed"), marked(S32, (4,), "update")
    for number, start in enumerate(far_starts(index)):
        at = min(max(int(start), 0), 7)
        value = x.copy()
        value[at:at + 4] = update
        yield moved(f"{index.name}_index/{number}", [x, update, np.array(start, index.dtype)], value,
                    '%r = "stablehlo.dynamic_update_slice"(%a0, %a1, %a2) : SIG')


def barrier_programs(element):
    x, y = marked(element, (3, 5)), marked(element, (2,))
    body = f"""%r:2 = stablehlo.optimization_barrier %a0, %a1 : {tensor_of(x)}, {tensor_of(y)}"""
    yield Program(element.name, main_of([x, y], [x, y], body, "%r#0, %r#1"), [x, y],
                  [Result(x), Result(y)])


def constant_programs(element):
    """Written as hexadecimal bytes, as frameworks write them; one value for all elements too."""
    x = marked(element, (3, 7), "constant")
    # Text has one bit per pred; artifacts are made by the serializer.
    if element.name == "pred":
        literal = str(x.tolist()).lower()
    elif element.kind in ("signed", "unsigned"):
        literal = str(x.tolist())
    else:
        literal = f'"0x{x.tobytes().hex().upper()}"'
    splat = np.full((5,), ordinary(element, (), "splat"), element.dtype)
    one = splat[:1].tobytes().hex().upper()
    single = {"pred": str(bool(splat[0])).lower(), "signed": str(splat[0]),
              "unsigned": str(splat[0])}.get(element.kind, f'"0x{one}"')
    body = (f"%r0 = stablehlo.constant dense<{literal}> : {tensor_of(x)}\n"
            f"%r1 = stablehlo.constant dense<{single}> : {tensor_of(splat)}")
    yield Program(element.name, main_of([], [x, splat], body), [], [Result(x), Result(splat)])


def both(*makers):
    def make(element):
        for maker in makers:
            yield from maker(element)

    return make


ROWS = [
    Op("broadcast_in_dim", ALL, broadcast_programs),
    Op("reshape", ALL, reshape_programs),
    Op("transpose", ALL, transpose_programs),
    Op("slice", ALL, slice_programs),
    Op("pad", ALL, pad_programs),
    Op("concatenate", ALL, concatenate_programs),
    Op("reverse", ALL, reverse_programs),
    Op("iota", NUMBERS, iota_programs),
    Op("dynamic_slice", ALL, lambda element: both(
        dynamic_slice_programs,
        *([index_type_programs] if element in INTEGERS else []))(element)),
    Op("dynamic_update_slice", ALL, lambda element: both(
        dynamic_update_slice_programs,
        *([update_index_programs] if element in INTEGERS else []))(element)),
    Op("optimization_barrier", ALL, barrier_programs),
    Op("constant", ALL, constant_programs),
]
