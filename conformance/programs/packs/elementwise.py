# SPDX-License-Identifier: Apache-2.0
"""Ops that act on each element by itself."""

import dataclasses
import operator

import numpy as np

from element_types import (BF16, F32, F64, FLOATS, PRED, S8, S32, ElementType, edges, info,
                           is_subnormal, ordinary, pair_edges, round_to, spread, type_of)
from op_types import types_of
from program import Op, Program, Result, main_of, tensor_of

# Units in the last place that elementary functions may be off. Narrow types compute in f32.
ELEMENTARY = {"f16": 1, "bf16": 1, "f32": 8, "f64": 8, "c64": 32, "c128": 32}


def wide(array: np.ndarray, kind: str) -> np.ndarray:
    """Wide enough that what is computed and then rounded is as good as exact. NumPy rounds
    arithmetic of f64 itself; in a wider type it would be rounded twice."""
    element = type_of(array)
    if element.kind == "complex":
        return array.astype(np.clongdouble)
    if element.kind == "float":
        is_inexact = element is F64 and kind == "elementary"
        return array.astype(np.longdouble if is_inexact else np.float64)
    return array


def rounded(element: ElementType, value) -> np.ndarray:
    return round_to(element, value) if element.kind in ("float", "complex") else np.asarray(
        value).astype(element.dtype)


def unary_values(element: ElementType, more=()) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.concatenate([edges(element), round_to(element, np.array(more, np.float64)),
                               spread(element, 17, "unary")])


def pairs(element: ElementType) -> tuple[np.ndarray, np.ndarray]:
    """Every special value with every other, and ordinary ones."""
    values = pair_edges(element)
    left, right = (part.ravel() for part in np.meshgrid(values, values, indexing="ij"))
    count = 11
    return (np.concatenate([left, ordinary(element, (count,), "left")]),
            np.concatenate([right, ordinary(element, (count,), "right")]))


def signature(arguments, result) -> str:
    return f"({', '.join(tensor_of(a) for a in arguments)}) -> {tensor_of(result)}"


def elementwise(name: str, arguments, result: Result, attributes: str = "") -> Program:
    """A program of one op, in the generic form, which every op has."""
    operands = ", ".join(f"%a{i}" for i in range(len(arguments)))
    body = (f'%r = "stablehlo.{name}"({operands}){attributes} : '
            f"{signature(arguments, result.value)}")
    result.inputs = tuple(arguments)
    return Program(type_of(arguments[0]).name,
                   main_of(arguments, [result.value], body), arguments, [result])


def unary(name, reference, kind="exact", more=None, to=None, without=(), **options) -> Op:
    """`reference` takes values of a wider type; `to` gives the result's type."""

    def make(element):
        x = unary_values(element, (more or {}).get(element.real.name, ()))
        is_complex = element.kind == "complex"
        if is_complex:
            x = np.concatenate([x, far_complex(name, x.dtype)])
        with np.errstate(all="ignore"):
            value = rounded(to(element) if to else element, reference(wide(x, kind)))
        # What is elementary of complex numbers is exact of integers and some functions of reals.
        used = kind if element.kind != "signed" else "exact"
        if name in ("abs", "sign") and not is_complex:
            used = "exact"
        if is_complex and kind == "arithmetic":
            used = "elementary"
        allowed = ELEMENTARY.get(element.name, 0) if used == "elementary" else 0
        result = Result(value, used, allowed, **options)
        if element.is_integer and name in ("abs", "negate"):
            # Of the least number; unsigned ones are negated as if they were signed.
            least = np.array(1 << element.bits - 1, f"uint{element.bits}").view(element.dtype)
            result.not_asked = x == least
        if is_complex and used == "elementary":
            # XLA's parts cancel next to zero; at zero there may be no one answer. A modulus is
            # known, but where squares of what is scaled may be subnormal.
            near = 1e8 * np.finfo(x.dtype).tiny if name == "abs" else 0.01
            result.not_asked = ~np.isfinite(value) | (np.abs(x) < near)
        others = shaped(name, element, types, [x], result,
                        lambda arguments, made: elementwise(name, arguments, made))
        return [elementwise(name, [x], result), *others]

    types = types_of(name, without)
    return Op(name, types, make)


def far_complex(name, dtype) -> np.ndarray:
    """Complex numbers whose squares, or powers of e, do not fit, or vanish, although the function
    does not."""
    most = float(np.finfo(dtype).max)
    large, high = most**0.75, 0.6 * np.log(most)
    directions = np.array([3 + 4j, -4 + 3j, 1 - 1j, 1, -2j, -1 - 1e-3j])
    if name in ("abs", "sign", "log"):
        return np.concatenate([directions * large, directions / large]).astype(dtype)
    if name in ("sqrt", "rsqrt", "log_plus_one"):
        return (directions * large).astype(dtype)
    if name in ("exponential", "exponential_minus_one", "logistic", "tanh"):
        return np.array([high + 1j, -high + 1j, high - 2j, -high - 2j]).astype(dtype)
    if name in ("sine", "cosine", "tan"):
        return np.array([1 + high * 1j, 1 - high * 1j, -2 + high * 1j, -2 - high * 1j]).astype(dtype)
    return np.array([], dtype)


SHAPES = {"rank_0": (), "empty": (3, 0), "ones": (1, 1), "rank_6": (2, 1, 3, 2, 1, 3)}
# More than 16 bits count, and no multiple of any width.
MANY = (65543,)
SHAPED = [F32, S32, PRED]  # of an op the first of them that it takes
WITH_MANY = {"add": [F32, S32, BF16, S8, F64], "exponential": [F32, BF16], "negate": [F32, S8],
             "and": [PRED], "compare": [F32, S32], "select": [F32]}


def shaped(name, element, types, arguments, result: Result, make):
    """The same elements as arrays of other shapes: none, one, many. `make` makes a program of
    arguments and a result."""
    shapes = dict(SHAPES) if element is next((t for t in SHAPED if t in types), None) else {}
    if element in WITH_MANY.get(name, []):
        shapes["many"] = MANY
    rank = arguments[0].ndim
    if rank != 1:
        return
    for word, shape in shapes.items():
        # A scalar of everyday size; the special ones have their turn elsewhere.
        start = len(arguments[0]) - 11

        def formed(x):
            return None if x is None else np.resize(np.roll(x, -start), shape).astype(x.dtype)

        program = make([formed(a) for a in arguments], dataclasses.replace(
            result, value=formed(result.value), not_asked=formed(result.not_asked)))
        program.name = f"{element.name}/{word}"
        yield program


def binary(name, reference, kind="exact", not_asked=None, without=(), **options) -> Op:
    def make(element):
        x, y = pairs(element)
        with np.errstate(all="ignore"):
            value = rounded(element, reference(wide(x, kind), wide(y, kind)))
            unasked = not_asked(element, x, y) if not_asked else None
        part = "exact" if element.is_integer else kind
        allowed = ELEMENTARY[element.name] if part == "elementary" else 0
        if element.kind == "complex" and kind == "arithmetic" and name in ("multiply", "divide"):
            part, allowed = "elementary", 4
            unasked = ~np.isfinite(value)
        result = Result(value, part, allowed, not_asked=unasked, **options)
        others = shaped(name, element, types, [x, y], result,
                        lambda arguments, made: elementwise(name, arguments, made))
        programs = [elementwise(name, [x, y], result), *others]
        if element.is_integer and name in OVERFLOWING:
            programs.append(overflow(name, element, x, y))
        if element.kind == "complex" and name == "divide":
            programs.append(far_quotients(element))
        return programs

    types = types_of(name, without)
    return Op(name, types, make)


def far_quotients(element) -> Program:
    """Of numbers whose squared magnitude does not fit, or vanishes."""
    most = float(np.finfo(element.dtype).max)
    directions = np.array([3 + 4j, -4 + 3j, 1 - 1j, 1 + 0j, -2j, -1 - 0.5j])
    x, y = (part.ravel() for part in np.meshgrid(directions, directions, indexing="ij"))
    x, y = (np.concatenate([part * most**p for p in (0.7, -0.7)]).astype(element.dtype)
            for part in (x, y))
    value = (x.astype(np.clongdouble) / y.astype(np.clongdouble)).astype(element.dtype)
    program = elementwise("divide", [x, y], Result(value, "elementary", 8))
    program.name += "/far"
    return program


OVERFLOWING = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul}


def overflow(name, element, x, y) -> Program:
    """A number that does not fit goes round or becomes the nearest that does. Which of both is the
    implementation's: the program itself asks whether it is one of them."""
    facts = np.iinfo(element.dtype)
    exact = np.array([OVERFLOWING[name](int(a), int(b)) for a, b in zip(x, y)], object)
    far = np.array([not facts.min <= v <= facts.max for v in exact])
    x, y, exact = x[far], y[far], exact[far]
    around = wrapped(exact, element.dtype)
    nearest = np.array([min(max(v, facts.min), facts.max) for v in exact]).astype(element.dtype)
    true = np.ones(x.shape, bool)
    kind = element.kind.upper()
    types = f"({tensor_of(x)}, {tensor_of(x)}) -> {tensor_of(true)}"
    body = f"""%r = stablehlo.{name} %a0, %a1 : {tensor_of(x)}
%around = stablehlo.compare EQ, %r, %a2, {kind} : {types}
%nearest = stablehlo.compare EQ, %r, %a3, {kind} : {types}
%one = stablehlo.or %around, %nearest : {tensor_of(true)}"""
    arguments = [x, y, around, nearest]
    return Program(f"{element.name}/overflow", main_of(arguments, [true], body, "%one"), arguments,
                   [Result(true)])


def integer_divide(x, y):
    """Rounds to zero; where the divisor is 0 it is not asked."""
    if x.dtype.kind not in "iu":
        return x / y
    safe = np.where(y == 0, 1, y)
    quotient = np.abs(x.astype(object)) // np.abs(safe.astype(object))
    sign = np.where((x < 0) != (safe < 0), -1, 1)
    return wrapped(quotient * sign, x.dtype)


def integer_remainder(x, y):
    """The sign is the dividend's."""
    if x.dtype.kind not in "iu":
        return np.fmod(x, y)
    safe = np.where(y == 0, 1, y).astype(object)
    rest = np.abs(x.astype(object)) % np.abs(safe)
    return wrapped(np.where(x < 0, -rest, rest), x.dtype)


def wrapped(values, dtype) -> np.ndarray:
    """Python integers modulo 2^n."""
    bits = np.dtype(dtype).itemsize * 8
    unsigned = np.array([int(v) % (1 << bits) for v in np.ravel(values)], f"uint{bits}")
    return unsigned.view(dtype).reshape(np.shape(values))


def overflow_not_asked(function):
    """What an integer type cannot hold is implementation-defined."""

    def unasked(element, x, y):
        if not element.is_integer:
            return None
        facts = np.iinfo(x.dtype)
        exact = [function(int(a), int(b)) for a, b in zip(x, y)]
        return np.array([not facts.min <= v <= facts.max for v in exact])

    return unasked


def division_not_asked(element, x, y):
    if not element.is_integer:
        return None
    overflow = (x == np.iinfo(x.dtype).min) & (y == -1) if element.kind == "signed" else False
    return (y == 0) | overflow


def power(x, y):
    if x.dtype.kind not in "iu":
        return np.power(x, y)
    bits = x.dtype.itemsize * 8
    made = [pow(int(a), int(b), 1 << bits) if b >= 0 else 0 for a, b in zip(x, y)]
    return wrapped(np.array(made, object), x.dtype)


def power_not_asked(element, x, y):
    if element.is_integer:
        most = np.iinfo(x.dtype).max
        # XLA looks at six bits of the exponent.
        return np.array([not 0 <= b <= 63 or not -most - 1 <= int(a)**int(b) <= most
                         for a, b in zip(x, y)])
    if element.kind == "complex":
        # What is large multiplies the error of the logarithm.
        return ~(np.abs(y * np.log(x)) < 8)
    return None


def shift_not_asked(element, x, y):
    return (y < 0) | (y.astype(object) >= element.bits).astype(bool)


def shift(how):
    def reference(x, y):
        bits = x.dtype.itemsize * 8
        unsigned = x.view(f"uint{bits}")
        made = []
        for value, raw, count in zip(x, unsigned, y):
            count = int(count) if 0 <= int(count) < bits else 0
            made.append({"left": int(value) << count, "arithmetic": (
                int(raw.view(f"int{bits}")) >> count), "logical": int(raw) >> count}[how])
        return wrapped(np.array(made, object), x.dtype)

    return reference


def inverse_root(x):
    if x.dtype.kind == "c":
        return 1 / np.sqrt(x)
    return np.where(x == 0, np.copysign(np.inf, x), 1 / np.sqrt(x))


def sign(x):
    if x.dtype.kind == "c":
        modulus = np.abs(x)
        return np.where(modulus == 0, 0, x / np.where(modulus == 0, 1, modulus))
    if x.dtype.kind in "iu":
        return np.sign(x)
    return np.where(np.isnan(x) | (x == 0), x, np.sign(x))


def round_away(x):
    whole = np.trunc(x)
    return np.copysign(np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole), x)


def bit_count(x):
    return np.array([int(v) % (1 << x.dtype.itemsize * 8) for v in x], object)


def popcnt(x):
    return np.array([v.bit_count() for v in bit_count(x)])


def leading_zeros(x):
    bits = x.dtype.itemsize * 8
    return np.array([bits - v.bit_length() for v in bit_count(x)])


def maximum(x, y):
    if x.dtype.kind == "c":
        raise TypeError("no order")
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.maximum(x, y)) if x.dtype.kind == "f" \
        else np.maximum(x, y)


def minimum(x, y):
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.minimum(x, y)) if x.dtype.kind == "f" \
        else np.minimum(x, y)


# Arguments at which e^x leaves the type.
NEAR_OVERFLOW = {"f16": [11.0, 11.1, -9.0, -17.5], "bf16": [88.5, -87.0, -92.0],
                 "f32": [88.7, 88.75, -87.3, -103.5, -104.5],
                 "f64": [709.7, 709.8, -708.3, -745.0, -746.0]}


NEAR_ONE = {name: [-1.0, -0.99, -0.5, 1e-4, -1e-4, 1e-2, 0.3] for name in ("f16", "bf16", "f32",
                                                                         "f64")}
LARGE_ANGLES = {"f16": [1000.0, 60000.0], "bf16": [1e4, 1e20], "f32": [1e4, 1e10, 1e30, 3.1415927,
                                                                       1.5707964],
                "f64": [1e4, 1e10, 1e100, 3.141592653589793, 1.5707963267948966]}


def compare_programs(element):
    x, y = pairs(element)
    functions = {"EQ": np.equal, "NE": np.not_equal, "GE": np.greater_equal, "GT": np.greater,
                 "LE": np.less_equal, "LT": np.less}
    if element.kind == "complex":
        functions = {d: functions[d] for d in ("EQ", "NE")}
        x[:3] = y[:3]
    kind = {"signed": "SIGNED", "float": "FLOAT", "complex": "FLOAT"}.get(element.kind, "UNSIGNED")
    a, b = (x, y) if element is not PRED else (x.astype(int), y.astype(int))
    yield comparison(element.name, kind, x, y, {d: f(a, b) for d, f in functions.items()})
    if element.kind == "complex":
        # Every pair of numbers of a few parts: many agree in one part.
        parts = np.array([0.0, -0.0, 1.0, 2.0, np.inf, np.nan], element.real.dtype)
        made = np.array([complex(a, b) for a in parts for b in parts], element.dtype)
        left, right = (part.ravel() for part in np.meshgrid(made, made, indexing="ij"))
        yield comparison(f"{element.name}/parts", kind, left, right,
                         {d: f(left, right) for d, f in functions.items()})
    yield from shaped_comparisons(element, kind, x, y, functions)
    if element.is_integer or element.kind == "float":
        yield from neighbours(element, kind, functions)
    if element.kind == "float":
        keys = total_order(x), total_order(y)
        yield comparison(f"{element.name}/total_order", "TOTALORDER", x, y,
                         {d: f(*keys) for d, f in functions.items()})


def shaped_comparisons(element, kind, x, y, functions):
    if element.kind == "complex":
        return
    yield from shaped("compare", element, types_of("compare"), [x, y], Result(functions["LT"](x, y)),
                      lambda a, made: comparison("", kind, *a, {"LT": made.value}))


def neighbours(element, kind, functions):
    """Numbers and those next to them."""
    x = edges(element)
    if element.is_integer:
        x = x[x < np.iinfo(x.dtype).max]
        y = (x + 1).astype(x.dtype)
    else:
        wide = x.astype(np.float64)
        x = x[np.isfinite(wide) & (wide != 0) & ~is_subnormal(x)]
        bits = element.bits
        y = (x.view(f"int{bits}") + 1).astype(f"int{bits}").view(x.dtype)
    x, y = np.concatenate([x, y, x]), np.concatenate([y, x, x])
    yield comparison(f"{element.name}/neighbours", kind, x, y,
                     {d: f(x, y) for d, f in functions.items()})


def comparison(name, kind, x, y, values) -> Program:
    one = len(values) == 1
    body = "\n".join(
        f"%r{'' if one else i} = stablehlo.compare {direction}, %a0, %a1, {kind} : "
        f"{signature([x, y], value)}" for i, (direction, value) in enumerate(values.items()))
    results = [Result(value, inputs=(x, y)) for value in values.values()]
    return Program(name, main_of([x, y], [r.value for r in results], body), [x, y], results)


def total_order(x) -> np.ndarray:
    """Whole numbers in IEEE 754's totalOrder."""
    bits = x.dtype.itemsize * 8
    raw = x.view(f"int{bits}").astype(object)
    return np.array([v if v >= 0 else -(v + (1 << bits - 1)) - 1 for v in raw], object)


def select_programs(element):
    rng = np.random.default_rng(7)
    shape = (5, 9)
    chosen = rng.integers(0, 2, shape).astype(bool)
    x, y = (np.resize(np.roll(edges(element), s), shape).copy() for s in (0, 5))
    yield elementwise_named(element.name, "select", [chosen, x, y], np.where(chosen, x, y))
    flat = [chosen.ravel(), x.ravel(), y.ravel()]
    yield from shaped("select", element, types_of("select"), flat, Result(np.where(*flat)),
                      lambda a, made: elementwise_named("", "select", a, made.value))
    one = np.array(True)
    yield elementwise_named(f"{element.name}/scalar", "select", [one, x, y], x)


def elementwise_named(name, op, arguments, value, **options) -> Program:
    program = elementwise(op, arguments, Result(value, **options))
    program.name = name
    program.results[0].inputs = ()
    return program


def clamp_programs(element):
    x = unary_values(element)
    low, high = (ordinary(element, x.shape, s) for s in ("low", "high"))
    if element is not PRED:
        low, high = np.minimum(low, high), np.maximum(low, high)
    else:
        low, high = low & high, low | high

    def clamped(low, high):
        return minimum(maximum(x, low), high)

    program = elementwise("clamp", [low, x, high], Result(
        clamped(low, high).astype(element.dtype), any_zero_sign=True))
    yield program
    low, high = low[3:4].reshape(()), high[3:4].reshape(())
    program = elementwise("clamp", [low, x, high], Result(
        clamped(low, high).astype(element.dtype), any_zero_sign=True))
    program.name += "/scalar"
    yield program
    if element is not PRED:
        # Limits that cross: the upper one counts.
        low, high = (ordinary(element, x.shape, s) for s in ("more", "less"))
        low, high = np.maximum(low, high), np.minimum(low, high)
        program = elementwise("clamp", [low, x, high], Result(
            clamped(low, high).astype(element.dtype), any_zero_sign=True))
        program.name += "/crossed"
        yield program


def atan2(x, y):
    if x.dtype.kind == "c":
        return -1j * np.log((y + 1j * x) / np.sqrt(x * x + y * y))
    return np.arctan2(x, y)


def part_op(name) -> Op:
    def make(element):
        x, y = pairs(element.real)
        value = np.empty(x.shape, element.dtype)
        value.real, value.imag = x, y
        return [elementwise(name, [value], Result(x if name == "real" else y))]

    return Op(name, types_of(name, ["float"]), make)


def complex_op() -> Op:
    def make(element):
        x, y = pairs(element)
        value = np.empty(x.shape, np.complex64 if element is F32 else np.complex128)
        value.real, value.imag = x, y
        return [elementwise("complex", [x, y], Result(value))]

    return Op("complex", [F32, F64], make)


# What lies next to a half, and whole numbers to which a half cannot be added: the floor of x + 0.5
# is another number.
NEAR_HALVES = {
    e.name: [sign * v for bits in [info(e).nmant]
             for v in (0.5 - 2.0**(-bits - 2), 0.5 + 2.0**(-bits - 1), 2.0**(bits - 1) - 0.5,
                       2.0**bits + 1, 2.0**(bits + 1) - 1) for sign in (1, -1)]
    for e in FLOATS}

# Without the types of which no plugin is asked: JAX's own CPU does not have them, or NumPy has no
# answer; sums and products of pred are other ops.
ROWS = [
    unary("abs", np.abs, "elementary", to=lambda e: e.real),
    unary("negate", np.negative),
    unary("sign", sign, "elementary"),
    unary("ceil", np.ceil, more=NEAR_HALVES),
    unary("floor", np.floor, more=NEAR_HALVES),
    unary("round_nearest_afz", round_away, more=NEAR_HALVES),
    unary("round_nearest_even", np.rint, more=NEAR_HALVES),
    unary("is_finite", np.isfinite, to=lambda element: PRED),
    unary("not", np.invert),
    unary("popcnt", popcnt),
    unary("count_leading_zeros", leading_zeros),
    unary("sqrt", np.sqrt, "arithmetic"),
    unary("rsqrt", inverse_root, "elementary"),
    unary("cbrt", np.cbrt, "elementary", without=["complex"]),
    unary("exponential", np.exp, "elementary", NEAR_OVERFLOW),
    unary("exponential_minus_one", np.expm1, "elementary", NEAR_OVERFLOW),
    unary("log", np.log, "elementary", NEAR_ONE),
    unary("log_plus_one", np.log1p, "elementary", NEAR_ONE),
    unary("logistic", lambda x: 1 / (1 + np.exp(-x)), "elementary", NEAR_OVERFLOW),
    unary("tanh", np.tanh, "elementary", NEAR_ONE),
    unary("sine", np.sin, "elementary", LARGE_ANGLES),
    unary("cosine", np.cos, "elementary", LARGE_ANGLES),
    unary("tan", np.tan, "elementary", LARGE_ANGLES),
    binary("add", np.add, "arithmetic", overflow_not_asked(operator.add)),
    binary("subtract", np.subtract, "arithmetic",
           overflow_not_asked(operator.sub)),
    binary("multiply", np.multiply, "arithmetic",
           overflow_not_asked(operator.mul)),
    binary("divide", integer_divide, "arithmetic", division_not_asked),
    binary("remainder", integer_remainder, "arithmetic", division_not_asked),
    binary("maximum", maximum, any_zero_sign=True, without=["complex"]),
    binary("minimum", minimum, any_zero_sign=True, without=["complex"]),
    binary("power", power, "elementary", power_not_asked),
    binary("atan2", atan2, "elementary", without=["complex"]),
    binary("and", np.bitwise_and),
    binary("or", np.bitwise_or),
    binary("xor", np.bitwise_xor),
    binary("shift_left", shift("left"), not_asked=shift_not_asked),
    binary("shift_right_arithmetic", shift("arithmetic"), not_asked=shift_not_asked),
    binary("shift_right_logical", shift("logical"), not_asked=shift_not_asked),
    Op("compare", types_of("compare"), compare_programs),
    Op("select", types_of("select"), select_programs),
    Op("clamp", types_of("clamp", ["pred", "complex"]), clamp_programs),
    complex_op(),
    part_op("real"),
    part_op("imag"),
]
