# SPDX-License-Identifier: Apache-2.0
"""Ops that change the type of elements, or their precision."""

from fractions import Fraction

import ml_dtypes
import numpy as np

from element_types import (ALL, BF16, F16, F32, F64, FLOATS, NARROW, PRED, S32, ElementType, edges,
                           round_to, spread, type_of)
from elementwise import signature, wrapped
from op_types import types_of
from program import Op, Program, Result, main_of


def convert_programs(source: ElementType):
    """To every other type. What does not fit is not asked for."""
    x = np.concatenate([edges(source), spread(source, 19, "convert"), near_ties(source)])
    for target in ALL:
        if target is source or (source.kind == "complex" and target.kind == "pred"):
            continue
        value, not_asked = converted(x, target)
        result = Result(value, not_asked=not_asked, inputs=(x,))
        yield conversion(f"{source.name}_to_{target.name}", x, result)


def near_ties(source: ElementType) -> np.ndarray:
    """Where conversions to other types round, cut and end: on both sides of the middle of two
    numbers of each float type, of its largest number and its smallest, and of the limits of each
    integer type. Whole numbers of 64 bits among them, which f64 does not hold: who goes by way of
    it rounds twice."""
    wanted = [v for target in FLOATS if target is not source for v in boundaries_of(target)]
    if source.is_integer:
        facts = np.iinfo(source.dtype)
        wanted = [v + step for v in wanted if abs(v) >= 2 for step in (-1, 0, 1)]
        wanted += [(1 << k) + (m << k - 23) + (1 << k - 24) + sign
                   for k in (30, 60, 61, 62) for m in (0, 1, 6) for sign in (1, -1)]
        wanted += [(1 << k) + (m << k - 52) + (1 << k - 53) + sign
                   for k in (54, 62) for m in (0, 1) for sign in (1, 0, -1)]
        wanted += [-v for v in wanted]
        exact = {int(v) for v in wanted if v == int(v) and facts.min <= v <= facts.max}
        return np.array(sorted(exact), source.dtype)
    if source.kind != "float":
        return np.array([], source.dtype)
    limits = [Fraction(2)**k for k in (7, 8, 15, 16, 31, 32, 63, 64)]
    wanted += limits + [v - 1 for v in limits] + [Fraction(n, 2) for n in (1, 3, 5)]
    near = round_to(source, np.array([float(v) for v in wanted]))
    with np.errstate(all="ignore"):
        near = np.concatenate([near, neighbour(near, -1), neighbour(near, 1)])
    near = np.concatenate([near, -near])
    return near[np.isfinite(near.astype(np.float64))]


def boundaries_of(target: ElementType) -> list[Fraction]:
    """The middle of two neighbours, one of them even, the other odd; also of the largest number and
    what would follow, and of the least ones."""
    facts = ml_dtypes.finfo(target.dtype)
    step = Fraction(1, 1 << facts.nmant)
    made = [(1 + m * step + step / 2) * Fraction(2)**k
            for m in (0, 1, 2) for k in (0, 3, facts.nmant + 1, facts.nmant + 4)]
    if target is not F64:
        made.append(Fraction(float(facts.max)) + step / 2 * Fraction(2)**(int(facts.maxexp) - 1))
        least = Fraction(float(facts.smallest_subnormal))
        made += [least * Fraction(n, 2) for n in (1, 3, 5)]
    return made


def neighbour(x: np.ndarray, step: int) -> np.ndarray:
    """The number of the type that follows in size."""
    bits = x.dtype.itemsize * 8
    return (x.view(f"int{bits}") + step).astype(f"int{bits}").view(x.dtype)


def converted(x: np.ndarray, target: ElementType):
    source = type_of(x)
    if source.kind == "complex":
        if target.kind == "complex":
            return x.astype(target.dtype), None
        return converted(np.ascontiguousarray(x.real), target)
    if target.kind == "complex":
        real, not_asked = converted(x, target.real)
        return real.astype(target.dtype), not_asked
    if target is PRED:
        return x.astype(np.float64) != 0 if source.kind == "float" else x != 0, None
    if source.kind != "float":
        if target.is_integer:
            facts = np.iinfo(target.dtype)
            unasked = np.array([not facts.min <= int(v) <= facts.max for v in x])
            return wrapped(x, target.dtype), unasked
        value, unasked = rounded_once(x.astype(np.longdouble), target)
        too_large = np.isinf(value.astype(np.float64))
        return value, too_large if unasked is None else unasked | too_large
    if target.kind == "float":
        return rounded_once(x.astype(np.longdouble), target)
    whole = np.trunc(x.astype(np.longdouble))
    facts = np.iinfo(target.dtype)
    fits = (whole >= facts.min) & (whole <= facts.max)
    return np.where(fits, whole, 0).astype(target.dtype), ~fits


def rounded_once(x: np.ndarray, target: ElementType):
    """To the nearest. A wide number may get to a narrow type by way of f32: not asked where that
    is another number."""
    direct = round_to(target, x if target is not F16 else x.astype(np.float64))
    if target not in (F16, BF16):
        return direct, None
    detour = round_to(target, x.astype(np.float32).astype(np.float64))
    if target is BF16:
        fraction, exponent = np.frexp(x)
        # Of the least numbers the last bit stands for 2^-133.
        is_large = np.abs(x) >= np.ldexp(np.longdouble(1), -126)
        small = np.ldexp(np.rint(np.ldexp(x, 133)), -133)
        exact = np.where(is_large, np.ldexp(np.rint(fraction * 256) / 256, exponent), small)
        direct = round_to(BF16, np.where(np.isfinite(x), exact, x))
    same = (direct == detour) | np.isnan(direct.astype(np.float64))
    return direct, ~same


def narrow_programs(element: ElementType):
    """Every value of a narrow type to f32 or s32, and values around all of them back."""
    if element.kind == "float":
        patterns = np.arange(1 << element.bits, dtype=np.uint8)
        x, wide = patterns.view(element.dtype), F32
        known = np.unique(x.astype(np.float32)[np.isfinite(x.astype(np.float32))])
        between = (known[1:] + known[:-1]) / 2  # halves: ties
        beyond = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, known[-1] * 1.01, known[-1] * 1.1,
                           1e-30], np.float32)
        y = np.concatenate([known, between, np.nextafter(between, np.float32(np.inf)), beyond])
        if element.name == "f4e2m1fn":
            y = y[np.isfinite(y)]  # which number infinity becomes is nobody's promise
    else:
        facts = ml_dtypes.iinfo(element.dtype)
        x, wide = np.arange(facts.min, facts.max + 1).astype(element.dtype), S32
        y = np.arange(-40, 41, dtype=np.int32)
    widened = x.astype(wide.dtype)
    yield conversion(f"{element.name}_to_{wide.name}", x, Result(widened))
    narrowed = y.astype(element.dtype)
    back = narrowed.astype(wide.dtype)
    body = (f"%r0 = stablehlo.convert %a0 : {signature([y], narrowed)}\n"
            f"%r1 = stablehlo.convert %r0 : {signature([narrowed], back)}")
    # A type may have several NaNs.
    not_asked = np.isnan(back) if element.kind == "float" else back != y
    yield Program(f"{wide.name}_to_{element.name}", main_of([y], [narrowed, back], body), [y],
                  [Result(narrowed, not_asked=not_asked),
                   Result(back, not_asked=None if element.kind == "float" else not_asked)])


def conversion(name, x, result: Result) -> Program:
    body = f"%r = stablehlo.convert %a0 : {signature([x], result.value)}"
    return Program(name, main_of([x], [result.value], body), [x], [result])


def bitcast_programs(source: ElementType):
    x = np.concatenate([edges(source), spread(source, 19, "bits")])
    for target in ALL:
        if target in (source, PRED) or source is PRED or "complex" in (source.kind, target.kind):
            continue
        if target.bits == source.bits:
            value, given = x.view(target.dtype), x
        elif target.bits < source.bits:
            value = x.view(target.dtype).reshape(x.size, -1)
            given = x
        else:
            width = target.bits // source.bits
            given = x[:x.size // width * width].reshape(-1, width)
            value = np.ascontiguousarray(given).view(target.dtype).reshape(-1)
        # Which bits a NaN has after it was a value is nobody's promise.
        body = f"%r = stablehlo.bitcast_convert %a0 : {signature([given], value)}"
        yield Program(f"{source.name}_to_{target.name}", main_of([given], [value], body), [given],
                      [Result(value, any_zero_sign=False)])


PRECISIONS = [(5, 10), (8, 7), (4, 3), (5, 2), (3, 1), (8, 23), (11, 52)]


def reduce_precision_programs(element: ElementType):
    x = np.concatenate([edges(element), spread(element, 19, "reduce"),
                        round_to(element, np.array([1.0625, 1.03125, 1.09375, 65519.0, 65520.0,
                                                    448.0, 464.0, 480.0, 2.0**-14, 2.0**-15]))])
    values = [reduced(x, *precision) for precision in PRECISIONS]
    body = "\n".join(
        f"%r{i} = stablehlo.reduce_precision %a0, format = e{e}m{m} : {signature([x], value)[1:].split(')')[0]}"
        for i, ((e, m), value) in enumerate(zip(PRECISIONS, values)))
    results = [Result(value, inputs=(x,)) for value in values]
    return [Program(element.name, main_of([x], values, body), [x], results)]


def reduced(x: np.ndarray, exponent_bits: int, mantissa_bits: int) -> np.ndarray:
    """The mantissa is rounded to the nearest, ties to even; what is then too large becomes infinity,
    what is below the smallest normal number of the format zero."""
    element = type_of(x)
    own_mantissa = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[element.name]
    own_exponent = {"f16": 5, "bf16": 8, "f32": 8, "f64": 11}[element.name]
    made = x.astype(np.longdouble)
    fraction, exponent = np.frexp(made)
    ordinary = np.isfinite(made) & (made != 0)
    if mantissa_bits < own_mantissa:
        # A subnormal number's bits are where they are.
        lowest = 2 - (1 << own_exponent - 1) + 1
        scale = mantissa_bits + 1 - np.maximum(lowest - exponent, 0)
        made = np.where(ordinary, np.ldexp(np.rint(np.ldexp(fraction, scale)), exponent - scale),
                        made)
    if exponent_bits < own_exponent:
        largest_exponent = (1 << exponent_bits - 1) - 1
        size = np.abs(made)
        too_large = ordinary & (size >= np.ldexp(np.longdouble(1), largest_exponent + 1))
        too_small = ordinary & (size < np.ldexp(np.longdouble(1), 1 - largest_exponent))
        made = np.where(too_large, np.copysign(np.inf, made), made)
        made = np.where(too_small, np.copysign(0.0, made), made)
    return round_to(element, made.astype(np.float64))


ROWS = [
    Op("convert", types_of("convert") + NARROW,
       lambda t: narrow_programs(t) if t in NARROW else convert_programs(t)),
    Op("bitcast_convert", types_of("bitcast_convert"), bitcast_programs),
    Op("reduce_precision", types_of("reduce_precision"), reduce_precision_programs),
]
