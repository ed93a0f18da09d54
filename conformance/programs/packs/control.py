# SPDX-License-Identifier: Apache-2.0
"""Ops with regions that decide what runs, and what stands between values."""

import numpy as np

from element_types import (ALL, F32, NUMBERS, S32, ElementType, small_integers)
from elementwise import signature
from movement import marked
from program import Op, Program, Result, main_of, tensor, tensor_of


def while_programs(element: ElementType):
    """Counts; the carried array grows by itself. No turn at all, one, and seven."""
    x = small_integers(element, (3, 5), "while", limit=1)
    for turns in (0, 1, 5):
        value = (x.astype(object) * 2**turns).astype(element.dtype)
        count, kind = np.array(turns, np.int32), tensor_of(x)
        body = f"""%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%r:2 = stablehlo.while(%i = %zero, %x = %a0) : tensor<i32>, {kind}
cond {{
%c = stablehlo.compare LT, %i, %a1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c : tensor<i1>
}} do {{
%n = stablehlo.add %i, %one : tensor<i32>
%y = stablehlo.add %x, %x : {kind}
stablehlo.return %n, %y : tensor<i32>, {kind}
}}"""
        yield Program(f"{element.name}/turns_{turns}",
                      main_of([x, count], [value, count], body, "%r#1, %r#0"), [x, count],
                      [Result(value, any_zero_sign=True), Result(count)])


def nested_while(_):
    """A loop in a loop, whose inner length is the outer's counter, until a sum is large enough."""
    limit = np.array(100, np.int32)
    total, outer = 0, 0
    while total < 100:
        total += sum(range(outer))
        outer += 1
    body = """%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%r:2 = stablehlo.while(%t = %zero, %i = %zero) : tensor<i32>, tensor<i32>
cond {
%c = stablehlo.compare LT, %t, %a0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c : tensor<i1>
} do {
%s:2 = stablehlo.while(%u = %t, %j = %zero) : tensor<i32>, tensor<i32>
cond {
%d = stablehlo.compare LT, %j, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %d : tensor<i1>
} do {
%v = stablehlo.add %u, %j : tensor<i32>
%k = stablehlo.add %j, %one : tensor<i32>
stablehlo.return %v, %k : tensor<i32>, tensor<i32>
}
%n = stablehlo.add %i, %one : tensor<i32>
stablehlo.return %s#0, %n : tensor<i32>, tensor<i32>
}"""
    values = [np.array(total, np.int32), np.array(outer, np.int32)]
    yield Program("s32/nested", main_of([limit], values, body, "%r#0, %r#1"), [limit],
                  [Result(value) for value in values])


def if_programs(element: ElementType):
    x, y = marked(element, (2, 3), "then"), marked(element, (2, 3), "else")
    for truth in (True, False):
        chosen = np.array(truth)
        body = f"""%r = "stablehlo.if"(%a0) ({{
stablehlo.return %a1 : {tensor_of(x)}
}}, {{
stablehlo.return %a2 : {tensor_of(x)}
}}) : (tensor<i1>) -> {tensor_of(x)}"""
        yield Program(f"{element.name}/{str(truth).lower()}",
                      main_of([chosen, x, y], [x], body), [chosen, x, y],
                      [Result(x if truth else y)])


def case_programs(element: ElementType):
    """An index that is none of a branch takes the last."""
    parts = [marked(element, (4,), i) for i in range(3)]
    kind = tensor_of(parts[0])
    branches = ", ".join(f"{{\nstablehlo.return %a{i + 1} : {kind}\n}}" for i in range(3))
    for index, taken in [(0, 0), (1, 1), (2, 2), (3, 2), (-1, 2)]:
        at = np.array(index, np.int32)
        body = f'%r = "stablehlo.case"(%a0) ({branches}) : (tensor<i32>) -> {kind}'
        name = f"minus_{-index}" if index < 0 else str(index)
        yield Program(f"{element.name}/{name}", main_of([at, *parts], [parts[0]], body),
                      [at, *parts], [Result(parts[taken])])


def call_programs(element: ElementType):
    """A function that is called twice, and one that calls it."""
    x = small_integers(element, (3, 4), "call", limit=2)
    kind = tensor_of(x)
    before = f"""func.func private @double(%x: {kind}) -> {kind} {{
  %y = stablehlo.add %x, %x : {kind}
  return %y : {kind}
}}
func.func private @fourfold(%x: {kind}) -> {kind} {{
  %y = func.call @double(%x) : ({kind}) -> {kind}
  %z = func.call @double(%y) : ({kind}) -> {kind}
  return %z : {kind}
}}
"""
    value = (x * 8).astype(element.dtype)
    body = (f"%y = func.call @fourfold(%a0) : ({kind}) -> {kind}\n"
            f"%r = func.call @double(%y) : ({kind}) -> {kind}")
    yield Program(element.name, main_of([x], [value], body, before=before), [x],
                  [Result(value, any_zero_sign=True)])


def unused_programs(element: ElementType):
    """Arguments that nothing uses are still arguments, here and of functions."""
    x, y, z, u = (marked(element, shape, i) for i, shape in enumerate([(3,), (2, 4), (3,), (0, 2)]))
    before = f"""func.func private @second(%p: {tensor_of(x)}, %q: {tensor_of(z)}) -> {tensor_of(z)} {{
  return %q : {tensor_of(z)}
}}
"""
    body = f"%s = func.call @second(%a0, %a2) : ({tensor_of(x)}, {tensor_of(z)}) -> {tensor_of(z)}"
    yield Program(f"{element.name}/unused",
                  main_of([x, y, z, u], [z, x, z], body, "%a2, %a0, %s", before), [x, y, z, u],
                  [Result(z), Result(x), Result(z)])


def composite_programs(element: ElementType):
    """Of a name that nobody knows: its decomposition says what it is."""
    x = small_integers(element, (5,), "composite")
    kind = tensor_of(x)
    before = f"""func.func private @parts(%x: {kind}) -> {kind} {{
  %y = stablehlo.multiply %x, %x : {kind}
  return %y : {kind}
}}
"""
    value = (x * x).astype(element.dtype)
    body = (f'%r = stablehlo.composite "conformance.square" %a0 {{composite_attributes = {{size = 5 '
            f": i64}}, decomposition = @parts, version = 1 : i32}} : ({kind}) -> {kind}")
    yield Program(element.name, main_of([x], [value], body, before=before), [x],
                  [Result(value, any_zero_sign=True)])


def map_programs(element: ElementType):
    x, y = (small_integers(element, (3, 5), part) for part in ("x", "y"))
    scalar = tensor(element, ())
    value = (x * y + x).astype(element.dtype)
    body = f"""%r = "stablehlo.map"(%a0, %a1) ({{
^bb0(%x: {scalar}, %y: {scalar}):
%p = stablehlo.multiply %x, %y : {scalar}
%s = stablehlo.add %p, %x : {scalar}
stablehlo.return %s : {scalar}
}}) {{dimensions = array<i64: 0, 1>}} : {signature([x, y], value)}"""
    yield Program(element.name, main_of([x, y], [value], body), [x, y],
                  [Result(value, any_zero_sign=True)])


def tuple_programs(element: ElementType):
    x, y = marked(element, (2, 3), "x"), marked(element, (4,), "y")
    kind = f"tuple<{tensor_of(x)}, {tensor_of(y)}>"
    body = f"""%t = stablehlo.tuple %a0, %a1 : {kind}
%r0 = stablehlo.get_tuple_element %t[1] : ({kind}) -> {tensor_of(y)}
%r1 = stablehlo.get_tuple_element %t[0] : ({kind}) -> {tensor_of(x)}"""
    yield Program(element.name, main_of([x, y], [y, x], body), [x, y], [Result(y), Result(x)])


def dimension_size_programs(element: ElementType):
    x = marked(element, (3, 7))
    value = np.array(7, np.int32)
    body = f"%r = stablehlo.get_dimension_size %a0, dim = 1 : ({tensor_of(x)}) -> tensor<i32>"
    yield Program(element.name, main_of([x], [value], body), [x], [Result(value)])


def token_programs(element: ElementType):
    """Tokens order effects; here there are none, and values pass by."""
    x = marked(element, (3,))
    body = f"""%t = stablehlo.create_token : !stablehlo.token
%u = stablehlo.after_all %t, %t : !stablehlo.token
%b:2 = stablehlo.optimization_barrier %u, %a0 : !stablehlo.token, {tensor_of(x)}"""
    yield Program(element.name, main_of([x], [x], body, "%b#1"), [x], [Result(x)])


def while_and_nested(element):
    yield from while_programs(element)
    if element is S32:
        yield from nested_while(element)


ROWS = [
    Op("while", NUMBERS, while_and_nested),
    Op("if", ALL, if_programs),
    Op("case", ALL, case_programs),
    Op("call", NUMBERS, lambda element: [*call_programs(element), *unused_programs(element)]),
    Op("composite", NUMBERS, composite_programs),
    Op("map", NUMBERS, map_programs),
    Op("tuple", ALL, tuple_programs),
    Op("get_dimension_size", ALL, dimension_size_programs),
    Op("after_all", [F32], token_programs),
]
