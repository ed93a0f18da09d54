# SPDX-License-Identifier: Apache-2.0
"""rng_bit_generator and rng. Which bits they give is the implementation's, so the programs themselves
ask what has to hold of them: the answer is one pred for each property, all true."""

import math

import numpy as np

from element_types import F32, F64, S32, S64, U8, U16, U32, U64, ElementType
from program import Op, Program, Result, main_of, tensor

COUNT = 4096
SIX_SIGMA = 6


def bits_programs(element: ElementType):
    for algorithm, words in [("DEFAULT", 2), ("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3)]:
        if algorithm == "DEFAULT" and element is not U32:
            continue
        yield bits(element, algorithm, words)


def bits(element: ElementType, algorithm: str, words: int) -> Program:
    state = np.array([0x0123456789ABCDEF, 42, 7][:words], np.uint64)
    other = state + np.array([1, 0, 0][:words], np.uint64)
    kind, of_state = tensor(element, (COUNT,)), tensor(U64, (words,))
    wide = tensor(S64, (COUNT,))
    total, sigma = COUNT * element.bits, math.sqrt(COUNT * element.bits) / 2
    low, high = int(total / 2 - SIX_SIGMA * sigma), int(total / 2 + SIX_SIGMA * sigma)
    # Of two independent numbers of few bits, some are the same.
    same = COUNT / 2**element.bits
    at_most = int(same + SIX_SIGMA * math.sqrt(same) + 1)

    def draw(name, given):
        return (f"%{name}_state, %{name} = stablehlo.rng_bit_generator %{given}, algorithm = "
                f"{algorithm} : ({of_state}) -> ({of_state}, {kind})")

    body = f"""{draw("b", "a0")}
{draw("again", "a0")}
{draw("other", "a1")}
{draw("next", "b_state")}
%zero = stablehlo.constant dense<0> : tensor<i64>
%false = stablehlo.constant dense<false> : tensor<i1>
%low = stablehlo.constant dense<{low}> : tensor<i64>
%high = stablehlo.constant dense<{high}> : tensor<i64>
%few = stablehlo.constant dense<{at_most}> : tensor<i64>
%differ = stablehlo.compare NE, %b, %again, UNSIGNED : ({kind}, {kind}) -> tensor<{COUNT}xi1>
%any = stablehlo.reduce(%differ init: %false) applies stablehlo.or across dimensions = [0] : (tensor<{COUNT}xi1>, tensor<i1>) -> tensor<i1>
%r0 = stablehlo.not %any : tensor<i1>
{equal_count("e1", "b", "other", kind, wide)}
%r1 = stablehlo.compare LE, %e1, %few, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
{equal_count("e2", "b", "next", kind, wide)}
%r2 = stablehlo.compare LE, %e2, %few, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
%ones = stablehlo.popcnt %b : {kind}
%wide = stablehlo.convert %ones : ({kind}) -> {wide}
%sum = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0] : ({wide}, tensor<i64>) -> tensor<i64>
%r3 = stablehlo.compare GE, %sum, %low, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
%r4 = stablehlo.compare LE, %sum, %high, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>"""
    results = [np.array(True)] * 5
    return Program(f"{element.name}/{algorithm.lower()}_{words}",
                   main_of([state, other], results, body), [state, other],
                   [Result(value) for value in results], inner_types=[element, S64])


def equal_count(name, one, other, kind, wide) -> str:
    return f"""%{name}_same = stablehlo.compare EQ, %{one}, %{other}, UNSIGNED : ({kind}, {kind}) -> tensor<{COUNT}xi1>
%{name}_wide = stablehlo.convert %{name}_same : (tensor<{COUNT}xi1>) -> {wide}
%{name} = stablehlo.reduce(%{name}_wide init: %zero) applies stablehlo.add across dimensions = [0] : ({wide}, tensor<i64>) -> tensor<i64>"""


def rng_programs(element: ElementType):
    if element is S32:
        yield rng(element, "UNIFORM", -10, 30, 9.5, 40 / math.sqrt(12))
        return
    yield rng(element, "UNIFORM", -1, 3, 1.0, 4 / math.sqrt(12))
    yield rng(element, "NORMAL", 2, 0.5, 2.0, 0.5)


def rng(element, distribution, first, second, mean, deviation) -> Program:
    """Uniform numbers lie in their range; the mean of all is where it has to be."""
    a, b = np.array(first, element.dtype), np.array(second, element.dtype)
    kind, scalar = tensor(element, (COUNT,)), tensor(element, ())
    near = SIX_SIGMA * deviation / math.sqrt(COUNT)
    to_f32 = "" if element.kind == "float" else f"%f = stablehlo.convert %x : ({kind}) -> tensor<{COUNT}xf32>"
    used = ("%x", kind, scalar) if element.kind == "float" else ("%f", f"tensor<{COUNT}xf32>",
                                                                 "tensor<f32>")
    comparison = "FLOAT" if element.kind == "float" else "SIGNED"
    inside = "" if distribution == "NORMAL" else f"""%lows = stablehlo.broadcast_in_dim %a0, dims = [] : ({scalar}) -> {kind}
%highs = stablehlo.broadcast_in_dim %a1, dims = [] : ({scalar}) -> {kind}
%ge = stablehlo.compare GE, %x, %lows, {comparison} : ({kind}, {kind}) -> tensor<{COUNT}xi1>
%lt = stablehlo.compare LT, %x, %highs, {comparison} : ({kind}, {kind}) -> tensor<{COUNT}xi1>
%in = stablehlo.and %ge, %lt : tensor<{COUNT}xi1>
%all = stablehlo.reduce(%in init: %true) applies stablehlo.and across dimensions = [0] : (tensor<{COUNT}xi1>, tensor<i1>) -> tensor<i1>"""
    body = f"""%shape = stablehlo.constant dense<[{COUNT}]> : tensor<1xi64>
%x = stablehlo.rng %a0, %a1, %shape, distribution = {distribution} : ({scalar}, {scalar}, tensor<1xi64>) -> {kind}
%true = stablehlo.constant dense<true> : tensor<i1>
{inside}
{to_f32}
%zero = stablehlo.constant dense<0.0> : {used[2]}
%sum = stablehlo.reduce({used[0]} init: %zero) applies stablehlo.add across dimensions = [0] : ({used[1]}, {used[2]}) -> {used[2]}
%low = stablehlo.constant dense<{(mean - near) * COUNT}> : {used[2]}
%high = stablehlo.constant dense<{(mean + near) * COUNT}> : {used[2]}
%above = stablehlo.compare GE, %sum, %low, FLOAT : ({used[2]}, {used[2]}) -> tensor<i1>
%below = stablehlo.compare LE, %sum, %high, FLOAT : ({used[2]}, {used[2]}) -> tensor<i1>"""
    first_result = "%true" if distribution == "NORMAL" else "%all"
    results = [np.array(True)] * 3
    return Program(f"{element.name}/{distribution.lower()}",
                   main_of([a, b], results, body, f"{first_result}, %above, %below"), [a, b],
                   [Result(value) for value in results])


ROWS = [
    Op("rng_bit_generator", [U8, U16, U32, U64], bits_programs),
    Op("rng", [S32, F32, F64], rng_programs),
]
