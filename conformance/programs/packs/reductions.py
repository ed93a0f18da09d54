# SPDX-License-Identifier: Apache-2.0
"""Ops that combine elements by a region: reduce, reduce_window, select_and_scatter, sort."""

import numpy as np

from element_types import (ALL, F32, F64, FLOATS, INTEGERS, NUMBERS, PRED, REAL, S32, ElementType,
                           generator, large_integers, ordinary, round_to, small_integers)
from elementwise import signature, total_order
from movement import integers, marked
from program import Op, Program, Result, main_of, tensor, tensor_of

def reducers(element: ElementType) -> dict:
    """By the region's op: its value for no elements, NumPy's function."""
    table = {}
    if element in NUMBERS:
        table["add"] = (0, np.add)
        table["multiply"] = (1, np.multiply)
    if element in REAL:
        low, high = ((-np.inf, np.inf) if element in FLOATS else
                     (np.iinfo(element.dtype).min, np.iinfo(element.dtype).max))
        table["maximum"], table["minimum"] = (low, np.maximum), (high, np.minimum)
    if element in INTEGERS or element is PRED:
        table["or"] = (0, np.bitwise_or)
        table["and"] = (True if element is PRED else -1, np.bitwise_and)
        table["xor"] = (0, np.bitwise_xor)
    return table


def initial(element: ElementType, value) -> np.ndarray:
    return np.array(value).astype(element.dtype)


def region(op: str, element: ElementType) -> str:
    scalar = tensor(element, ())
    return (f"({{\n^bb0(%x: {scalar}, %y: {scalar}):\n%z = stablehlo.{op} %x, %y : {scalar}\n"
            f"stablehlo.return %z : {scalar}\n}})")


def operands_for(op: str, element: ElementType, shape) -> np.ndarray:
    """Whose sums and products are exact in any order."""
    if op == "multiply":
        signs = np.array([1, 1 if element.kind == "unsigned" else -1])
        values = generator("product", element.name, shape).choice(signs, shape)
        # A 2 now and then, so that no product leaves the type.
        return np.where(np.arange(values.size).reshape(shape) % 7 == 3, 2, values).astype(
            element.dtype)
    if op == "add":
        return small_integers(element, shape, op)
    return marked(element, shape, op)


def folded(function, x: np.ndarray, axes, start: np.ndarray) -> np.ndarray:
    """NaN and wrapping as the element type has them."""
    kept = [d for d in range(x.ndim) if d not in axes]
    value = np.full([x.shape[d] for d in kept], start, x.dtype)
    for at in np.ndindex(*x.shape):
        to = tuple(at[d] for d in kept)
        value[to] = function(value[to], x[at])
    return value


def reduce_programs(element: ElementType):
    for op, (neutral, function) in reducers(element).items():
        start = initial(element, neutral)
        for name, shape, axes in [("rows", (5, 19), [1]), ("columns", (19, 5), [0]),
                                  ("all", (3, 4, 5), [0, 1, 2]), ("middle", (3, 7, 4), [1]),
                                  ("ends", (3, 2, 6), [0, 2]), ("empty", (0, 3), [0]),
                                  ("long", (150,), [0])]:
            if op not in ("add", "maximum") and name in ("middle", "ends", "columns"):
                continue
            if op == "multiply" and name == "long":
                continue
            x = operands_for(op, element, shape)
            value = folded(function, x, axes, start)
            body = (f'%r = "stablehlo.reduce"(%a0, %a1) {region(op, element)} '
                    f"{{dimensions = {integers(axes)}}} : {signature([x, start], value)}")
            yield Program(f"{element.name}/{op}_{name}", main_of([x, start], [value], body),
                          [x, start], [Result(value, any_zero_sign=True)])
    for op in ("maximum", "minimum", "or", "and"):
        if op in reducers(element):
            yield started(element, op)
    for op, (neutral, function) in reducers(element).items():
        yield started_with_nothing(element, op)
    if element.is_integer and element.bits >= 32:
        yield large_sum(element)
    if element in (S32, F32):
        yield many_elements(element)
    if element in FLOATS:
        yield real_sum(element)
    if element in REAL:
        yield argmax(element)


def started(element: ElementType, op: str) -> Program:
    """From a value that is not the neutral one. Of ops for which it does not matter how often it
    is taken in, which the specification leaves open."""
    x = operands_for(op, element, (5, 19))
    start = x[2, 11]
    value = folded(reducers(element)[op][1], x, [1], start)
    body = (f'%r = "stablehlo.reduce"(%a0, %a1) {region(op, element)} '
            f"{{dimensions = array<i64: 1>}} : {signature([x, start], value)}")
    return Program(f"{element.name}/{op}_started", main_of([x, start], [value], body), [x, start],
                   [Result(value, any_zero_sign=True)])


def started_with_nothing(element: ElementType, op: str) -> Program:
    """No elements: what is left is where it started."""
    x = operands_for(op, element, (0, 3))
    start = np.array(3 if element is not PRED else op == "xor" or op == "or").astype(element.dtype)
    value = np.full((3,), start, element.dtype)
    body = (f'%r = "stablehlo.reduce"(%a0, %a1) {region(op, element)} '
            f"{{dimensions = array<i64: 0>}} : {signature([x, start], value)}")
    return Program(f"{element.name}/{op}_of_nothing_started", main_of([x, start], [value], body),
                   [x, start], [Result(value)])


def many_elements(element: ElementType) -> Program:
    """More than 16 bits count, and no multiple of any width: along each dimension, and all."""
    x = (np.arange(70001 * 3) % 7 % 5).reshape(70001, 3).astype(element.dtype)
    start = initial(element, 0)
    wide = x.astype(np.int64)
    values = [wide.sum(axis).astype(element.dtype) for axis in (0, 1, (0, 1))]
    lines = [f'%r{i} = "stablehlo.reduce"(%a0, %a1) {region("add", element)} '
             f"{{dimensions = {integers(axes)}}} : {signature([x, start], value)}"
             for i, (axes, value) in enumerate(zip(([0], [1], [0, 1]), values))]
    return Program(f"{element.name}/many", main_of([x, start], values, "\n".join(lines)),
                   [x, start], [Result(value, any_zero_sign=True) for value in values])


def large_sum(element: ElementType) -> Program:
    """Sums that no float type of as many bits holds: along each dimension, and over windows."""
    x = large_integers(element, (5, 19), "sum", limit=1 << element.bits - 6)
    start = initial(element, 0)
    values = [x.sum(axis, dtype=element.dtype) for axis in (0, 1)]
    values.append(np.cumsum(x, 1, dtype=element.dtype))
    lines = [f'%r{i} = "stablehlo.reduce"(%a0, %a1) {region("add", element)} '
             f"{{dimensions = {integers([i])}}} : {signature([x, start], values[i])}"
             for i in (0, 1)]
    window = ((1, 19), (1, 1), (1, 1), (1, 1), ((0, 0), (18, 0)))
    lines.append(f'%r2 = "stablehlo.reduce_window"(%a0, %a1) {region("add", element)} '
                 f"{{{window_attributes(*window)}}} : {signature([x, start], values[2])}")
    return Program(f"{element.name}/large_numbers", main_of([x, start], values, "\n".join(lines)),
                   [x, start], [Result(value) for value in values])


def real_sum(element: ElementType) -> Program:
    x = ordinary(element, (3, 501), "sum", low=-1, high=2)
    start = initial(element, 0)
    value = round_to(element, x.astype(np.longdouble if element is F64 else np.float64).sum(1))
    body = (f'%r = "stablehlo.reduce"(%a0, %a1) {region("add", element)} '
            f"{{dimensions = array<i64: 1>}} : {signature([x, start], value)}")
    # In a narrow type each partial sum may have been rounded.
    ulps = {"f16": 8, "bf16": 8}.get(element.name, 32)
    return Program(f"{element.name}/add_fractions", main_of([x, start], [value], body), [x, start],
                   [Result(value, "sum", ulps, of_max=True)])


def argmax(element: ElementType) -> Program:
    """Two results at once; of equal ones the first, as frameworks spell it."""
    x = marked(element, (4, 13), "argmax")
    if element in FLOATS:
        x = np.where(np.isnan(x.astype(np.float64)), 0, x).astype(element.dtype)
        x[2, 5] = np.nan
    x[1, 3] = x[1, 9] = x[1].max()
    positions = np.broadcast_to(np.arange(13, dtype=np.int32), (4, 13)).copy()
    low = initial(element, reducers(element)["maximum"][0])
    zero = np.array(0, np.int32)
    wide = x.astype(np.float64) if element in FLOATS else x
    index = np.argmax(wide, 1).astype(np.int32)  # NumPy too takes a NaN for the largest
    value = np.take_along_axis(x, index[:, None], 1)[:, 0]
    scalar, position = tensor(element, ()), "tensor<i32>"
    kind = "FLOAT" if element in FLOATS else element.kind.upper()
    nan = f"%n = stablehlo.compare NE, %x, %x, {kind} : ({scalar}, {scalar}) -> tensor<i1>"
    body = f"""%r:2 = "stablehlo.reduce"(%a0, %a1, %a2, %a3) ({{
^bb0(%x: {scalar}, %i: {position}, %y: {scalar}, %j: {position}):
{nan}
%g = stablehlo.compare GT, %x, %y, {kind} : ({scalar}, {scalar}) -> tensor<i1>
%left = stablehlo.or %g, %n : tensor<i1>
%e = stablehlo.compare EQ, %x, %y, {kind} : ({scalar}, {scalar}) -> tensor<i1>
%l = stablehlo.compare LT, %i, %j, SIGNED : ({position}, {position}) -> tensor<i1>
%tie = stablehlo.and %e, %l : tensor<i1>
%first = stablehlo.or %left, %tie : tensor<i1>
%v = stablehlo.select %left, %x, %y : tensor<i1>, {scalar}
%p = stablehlo.select %first, %i, %j : tensor<i1>, {position}
stablehlo.return %v, %p : {scalar}, {position}
}}) {{dimensions = array<i64: 1>}} : ({tensor_of(x)}, {tensor_of(positions)}, {scalar}, {position}) -> ({tensor_of(value)}, {tensor_of(index)})"""
    arguments = [x, positions, low, zero]
    return Program(f"{element.name}/argmax", main_of(arguments, [value, index], body, "%r#0, %r#1"),
                   arguments, [Result(value, any_zero_sign=True), Result(index)])


WINDOWS = {
    # size, strides, base dilation, window dilation, padding
    "plain": ((2, 3), (1, 1), (1, 1), (1, 1), ((0, 0), (0, 0))),
    "strided": ((2, 2), (2, 3), (1, 1), (1, 1), ((0, 0), (0, 0))),
    "padded": ((3, 3), (2, 2), (1, 1), (1, 1), ((1, 1), (2, 0))),
    "window_dilated": ((2, 2), (1, 1), (1, 1), (2, 3), ((0, 1), (0, 0))),
    "base_dilated": ((2, 2), (1, 2), (2, 3), (1, 1), ((0, 0), (1, 1))),
    "cumulative": ((1, 7), (1, 1), (1, 1), (1, 1), ((0, 0), (6, 0))),
}


def window_places(shape, size, strides, base, dilation, padding):
    """The result's shape, and of each of its elements the places of the operand in its window."""
    dilated = [(d - 1) * b + 1 if d else 0 for d, b in zip(shape, base)]
    reach = [(s - 1) * w + 1 for s, w in zip(size, dilation)]
    result = [max((d + lo + hi - r) // st + 1, 0)
              for d, (lo, hi), r, st in zip(dilated, padding, reach, strides)]

    def places(at):
        for offset in np.ndindex(*size):
            place = [a * st + o * w - lo for a, st, o, w, (lo, _) in
                     zip(at, strides, offset, dilation, padding)]
            if all(p >= 0 and p % b == 0 and p // b < d for p, b, d in zip(place, base, shape)):
                yield tuple(p // b for p, b in zip(place, base))

    return result, places


def window_attributes(size, strides, base, dilation, padding) -> str:
    return (f"window_dimensions = {integers(size)}, window_strides = {integers(strides)}, "
            f"base_dilations = {integers(base)}, window_dilations = {integers(dilation)}, "
            f"padding = dense<{[list(p) for p in padding]}> : tensor<{len(size)}x2xi64>")


def reduce_window_programs(element: ElementType):
    if element in (S32, F32):
        yield window_of_two(element)
    for op, (neutral, function) in reducers(element).items():
        start = initial(element, neutral)
        for name, window in WINDOWS.items():
            if op not in ("add", "maximum", "or") and name not in ("plain", "padded"):
                continue
            x = operands_for(op, element, (5, 7))
            shape, places = window_places(x.shape, *window)
            value = np.full(shape, start, element.dtype)
            for at in np.ndindex(*shape):
                for place in places(at):
                    value[at] = function(value[at], x[place])
            body = (f'%r = "stablehlo.reduce_window"(%a0, %a1) {region(op, element)} '
                    f"{{{window_attributes(*window)}}} : {signature([x, start], value)}")
            yield Program(f"{element.name}/{op}_{name}", main_of([x, start], [value], body),
                          [x, start], [Result(value, any_zero_sign=True)])
        if op in ("maximum", "minimum", "or", "and"):
            yield from started_windows(element, op, function)


def started_windows(element: ElementType, op: str, function):
    """From a value that is not the neutral one, which is also what lies around the array: of ops for
    which it does not matter how often it is taken in."""
    for name in ("padded", "base_dilated"):
        x = operands_for(op, element, (5, 7))
        start = x[2, 3]
        shape, places = window_places(x.shape, *WINDOWS[name])
        value = np.full(shape, start, element.dtype)
        for at in np.ndindex(*shape):
            for place in places(at):
                value[at] = function(value[at], x[place])
        body = (f'%r = "stablehlo.reduce_window"(%a0, %a1) {region(op, element)} '
                f"{{{window_attributes(*WINDOWS[name])}}} : {signature([x, start], value)}")
        yield Program(f"{element.name}/{op}_{name}_started", main_of([x, start], [value], body),
                      [x, start], [Result(value, any_zero_sign=True)])


def select_and_scatter_programs(element: ElementType):
    for name, size, strides, padding in [("plain", (2, 2), (2, 2), ((0, 0), (0, 0))),
                                         ("overlapping", (3, 3), (2, 2), ((1, 1), (0, 1)))]:
        x = small_integers(element, (6, 7), "select", limit=60)
        # No two equal in a window: which of them is taken would be the order's.
        x = (np.arange(42).reshape(6, 7) * 17 % 43).astype(element.dtype)
        shape, places = window_places(x.shape, size, strides, (1, 1), (1, 1), padding)
        source = small_integers(element, tuple(shape), "source")
        start = initial(element, 0)
        value = np.full(x.shape, start, element.dtype)
        for at in np.ndindex(*shape):
            chosen = max(places(at), key=lambda place: x[place])
            value[chosen] += source[at]
        scalar = tensor(element, ())
        kind = "FLOAT" if element in FLOATS else element.kind.upper()
        body = f"""%r = "stablehlo.select_and_scatter"(%a0, %a1, %a2) ({{
^bb0(%x: {scalar}, %y: {scalar}):
%g = stablehlo.compare GE, %x, %y, {kind} : ({scalar}, {scalar}) -> tensor<i1>
stablehlo.return %g : tensor<i1>
}}, {region("add", element)[1:-1]}) {{window_dimensions = {integers(size)}, window_strides = {integers(strides)}, padding = dense<{[list(p) for p in padding]}> : tensor<2x2xi64>}} : {signature([x, source, start], value)}"""
        arguments = [x, source, start]
        yield Program(f"{element.name}/{name}", main_of(arguments, [value], body), arguments,
                      [Result(value, any_zero_sign=True)])
        # What no window chooses keeps the initial value, whatever it is.
        start = initial(element, 3)
        chosen = {max(places(at), key=lambda place: x[place]) for at in np.ndindex(*shape)}
        not_asked = np.zeros(x.shape, bool)
        for place in chosen:
            not_asked[place] = True
        arguments = [x, source, start]
        yield Program(f"{element.name}/{name}_started",
                      main_of(arguments, [np.full(x.shape, start)], body), arguments,
                      [Result(np.full(x.shape, start), not_asked=not_asked)])


def sort_programs(element: ElementType):
    if element in (S32, F32):
        yield sort_by_two_keys(element)
        yield sort_many(element)
    kind = {"float": "TOTALORDER", "signed": "SIGNED"}.get(element.kind, "UNSIGNED")
    x = marked(element, (3, 29), "sort")
    if element in FLOATS:
        # Of NaNs there are several; only one is sorted here.
        x = np.where(np.isnan(x.astype(np.float64)), 7, x).astype(element.dtype)
        x[0, 4] = np.nan
    keys = np.stack([total_order(row) for row in x]) if element in FLOATS else x.astype(object)
    order = np.stack([np.array(sorted(range(29), key=lambda i: row[i])) for row in keys])
    ascending = np.take_along_axis(x, order, 1)
    yield sort(f"{element.name}/ascending", element, [x], [ascending], 1, "LT", kind, False)
    backwards = np.stack([np.array(sorted(range(29), key=lambda i: row[i], reverse=True))
                          for row in keys])
    yield sort(f"{element.name}/descending", element, [x],
               [np.take_along_axis(x, backwards, 1)], 1, "GT", kind, False)
    cube = np.resize(x, (3, 5, 4))
    total = np.stack([total_order(row) for row in cube.reshape(3, -1)]).reshape(
        cube.shape) if element in FLOATS else cube.astype(object)
    order = np.argsort(total, 1, kind="stable")
    yield sort(f"{element.name}/middle", element, [cube], [np.take_along_axis(cube, order, 1)], 1,
               "LT", kind, False)
    # With what belongs to each, and few keys: equal ones stay in order.
    few = np.resize(x.reshape(-1)[:4], (17, 2)).copy()
    few = np.random.default_rng(3).permutation(few)
    few_keys = (np.stack([total_order(row.copy()) for row in few]) if element in FLOATS
                else few.astype(object))
    payload = np.arange(34, dtype=np.int32).reshape(17, 2)
    order = np.stack([np.array(sorted(range(17), key=lambda i: few_keys[i, column]))
                      for column in range(2)], 1)
    yield sort(f"{element.name}/stable_pairs", element, [few, payload],
               [np.take_along_axis(few, order, 0), np.take_along_axis(payload, order, 0)], 0, "LT",
               kind, True)


def sort_many(element: ElementType) -> Program:
    """So many that plugins take another way than for few; equal ones stay in order."""
    count = 3001
    x = (np.arange(count) * 7919 % 13).astype(element.dtype)
    position = np.arange(count, dtype=np.int32)
    order = np.argsort(x, kind="stable")
    return sort(f"{element.name}/many", element, [x, position], [x[order], position[order]], 0, "LT",
                "FLOAT" if element in FLOATS else "SIGNED", True)


def sort_by_two_keys(element: ElementType) -> Program:
    x = small_integers(element, (23,), "first", limit=3)
    y = small_integers(element, (23,), "second", limit=9)
    order = np.lexsort((y, x))
    scalar, kind = tensor(element, ()), "FLOAT" if element in FLOATS else element.kind.upper()
    body = f"""%r:2 = "stablehlo.sort"(%a0, %a1) ({{
^bb0(%x: {scalar}, %y: {scalar}, %p: {scalar}, %q: {scalar}):
%l = stablehlo.compare LT, %x, %y, {kind} : ({scalar}, {scalar}) -> tensor<i1>
%e = stablehlo.compare EQ, %x, %y, {kind} : ({scalar}, {scalar}) -> tensor<i1>
%m = stablehlo.compare LT, %p, %q, {kind} : ({scalar}, {scalar}) -> tensor<i1>
%b = stablehlo.and %e, %m : tensor<i1>
%c = stablehlo.or %l, %b : tensor<i1>
stablehlo.return %c : tensor<i1>
}}) {{dimension = 0 : i64, is_stable = true}} : ({tensor_of(x)}, {tensor_of(y)}) -> ({tensor_of(x)}, {tensor_of(y)})"""
    values = [x[order], y[order]]
    return Program(f"{element.name}/two_keys", main_of([x, y], values, body, "%r#0, %r#1"), [x, y],
                   [Result(value, any_zero_sign=True) for value in values])


def window_of_two(element: ElementType) -> Program:
    """Sum and maximum in one window."""
    x, y = small_integers(element, (13,), "sum"), small_integers(element, (13,), "largest", limit=50)
    zero, low = initial(element, 0), initial(element, reducers(element)["maximum"][0])
    sums = np.array([x[i:i + 3].sum(dtype=np.float64) for i in range(11)]).astype(element.dtype)
    largest = np.array([y[i:i + 3].max() for i in range(11)])
    scalar = tensor(element, ())
    body = f"""%r:2 = "stablehlo.reduce_window"(%a0, %a1, %a2, %a3) ({{
^bb0(%p: {scalar}, %q: {scalar}, %u: {scalar}, %v: {scalar}):
%s = stablehlo.add %p, %u : {scalar}
%m = stablehlo.maximum %q, %v : {scalar}
stablehlo.return %s, %m : {scalar}, {scalar}
}}) {{window_dimensions = array<i64: 3>}} : ({tensor_of(x)}, {tensor_of(y)}, {scalar}, {scalar}) -> ({tensor_of(sums)}, {tensor_of(largest)})"""
    arguments, values = [x, y, zero, low], [sums, largest]
    return Program(f"{element.name}/two_arrays", main_of(arguments, values, body, "%r#0, %r#1"),
                   arguments, [Result(value, any_zero_sign=True) for value in values])


def sort(name, element, arguments, values, axis, direction, kind, is_stable) -> Program:
    scalar = tensor(element, ())
    more = "" if len(arguments) == 1 else ", %p: tensor<i32>, %q: tensor<i32>"
    types = ", ".join(map(tensor_of, arguments))
    results = types if len(arguments) == 1 else f"({types})"
    count = "" if len(arguments) == 1 else f":{len(arguments)}"
    operands = ", ".join(f"%a{i}" for i in range(len(arguments)))
    body = f"""%r{count} = "stablehlo.sort"({operands}) ({{
^bb0(%x: {scalar}, %y: {scalar}{more}):
%c = stablehlo.compare {direction}, %x, %y, {kind} : ({scalar}, {scalar}) -> tensor<i1>
stablehlo.return %c : tensor<i1>
}}) {{dimension = {axis} : i64, is_stable = {str(is_stable).lower()}}} : ({types}) -> {results}"""
    returned = "%r" if len(arguments) == 1 else ", ".join(f"%r#{i}" for i in range(len(arguments)))
    return Program(name, main_of(arguments, values, body, returned), arguments,
                   [Result(value) for value in values])


ROWS = [
    Op("reduce", ALL, reduce_programs),
    Op("reduce_window", ALL, reduce_window_programs),
    Op("select_and_scatter", REAL, select_and_scatter_programs),
    Op("sort", [PRED] + REAL, sort_programs),
]
