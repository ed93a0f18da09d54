# SPDX-License-Identifier: Apache-2.0
"""Element types, and values of them that find mistakes."""

import dataclasses

import ml_dtypes
import numpy as np


@dataclasses.dataclass(frozen=True)
class ElementType:
    name: str  # in names of cases and in profiles
    mlir: str  # in text
    number: int  # PJRT_Buffer_Type
    dtype: np.dtype
    kind: str  # pred, signed, unsigned, float, complex

    @property
    def bits(self) -> int:
        if self.kind == "pred":
            return 1
        digits = self.name[1:].split("e")[0]
        return int(digits) if digits.isdigit() else self.dtype.itemsize * 8

    @property
    def is_integer(self) -> bool:
        return self.kind in ("signed", "unsigned")

    @property
    def real(self) -> "ElementType":
        """The type of a complex type's parts; any other is its own."""
        return {"c64": F32, "c128": F64}.get(self.name, self)


def _type(name: str, mlir: str, number: int, dtype, kind: str) -> ElementType:
    return ElementType(name, mlir, number, np.dtype(dtype), kind)


PRED = _type("pred", "i1", 1, bool, "pred")
SIGNED = [_type(f"s{8 << i}", f"i{8 << i}", 2 + i, f"int{8 << i}", "signed") for i in range(4)]
UNSIGNED = [_type(f"u{8 << i}", f"ui{8 << i}", 6 + i, f"uint{8 << i}", "unsigned")
            for i in range(4)]
F16 = _type("f16", "f16", 10, np.float16, "float")
F32 = _type("f32", "f32", 11, np.float32, "float")
F64 = _type("f64", "f64", 12, np.float64, "float")
BF16 = _type("bf16", "bf16", 13, ml_dtypes.bfloat16, "float")
C64 = _type("c64", "complex<f32>", 14, np.complex64, "complex")
C128 = _type("c128", "complex<f64>", 15, np.complex128, "complex")

# Of fewer than 8 bits, each in a byte of its own.
NARROW_INTEGERS = [
    _type("s2", "i2", 24, ml_dtypes.int2, "signed"), _type("u2", "ui2", 25, ml_dtypes.uint2, "unsigned"),
    _type("s4", "i4", 21, ml_dtypes.int4, "signed"), _type("u4", "ui4", 22, ml_dtypes.uint4, "unsigned")]
S4 = NARROW_INTEGERS[2]
NARROW_FLOATS = [
    _type("f8e3m4", "f8E3M4", 27, ml_dtypes.float8_e3m4, "float"),
    _type("f8e4m3", "f8E4M3", 26, ml_dtypes.float8_e4m3, "float"),
    _type("f8e4m3b11fnuz", "f8E4M3B11FNUZ", 18, ml_dtypes.float8_e4m3b11fnuz, "float"),
    _type("f8e4m3fn", "f8E4M3FN", 17, ml_dtypes.float8_e4m3fn, "float"),
    _type("f8e4m3fnuz", "f8E4M3FNUZ", 20, ml_dtypes.float8_e4m3fnuz, "float"),
    _type("f8e5m2", "f8E5M2", 16, ml_dtypes.float8_e5m2, "float"),
    _type("f8e5m2fnuz", "f8E5M2FNUZ", 19, ml_dtypes.float8_e5m2fnuz, "float"),
    _type("f4e2m1fn", "f4E2M1FN", 29, ml_dtypes.float4_e2m1fn, "float")]
NARROW = NARROW_INTEGERS + NARROW_FLOATS

INTEGERS = SIGNED + UNSIGNED
FLOATS = [F16, BF16, F32, F64]
COMPLEX = [C64, C128]
REAL = INTEGERS + FLOATS
NUMBERS = REAL + COMPLEX
ALL = [PRED] + NUMBERS
S8, S16, S32, S64 = SIGNED
U8, U16, U32, U64 = UNSIGNED


def type_of(array: np.ndarray) -> ElementType:
    for element in ALL + NARROW:
        if element.dtype == array.dtype:
            return element
    raise TypeError(array.dtype)


def info(element: ElementType):
    """numpy's facts about a float type or a complex type's parts."""
    return ml_dtypes.finfo(element.real.dtype)


def round_to(element: ElementType, values) -> np.ndarray:
    """Values of a wider type, rounded once to the nearest."""
    with np.errstate(all="ignore"):
        values = np.asarray(values)
        if element is BF16 and values.dtype == np.longdouble:
            values = values.astype(np.float64)
        return values.astype(element.dtype)


def edges(element: ElementType) -> np.ndarray:
    """Every special value of a type."""
    if element is PRED:
        return np.array([False, True])
    if element.kind == "complex":
        parts = [1.0, -1.0, 0.5, -2.5, 1e-3, 7.0]
        pairs = [complex(a, b) for a in parts for b in parts]
        return np.array(pairs + [0.0, 1.0, -1.0, 2.0j, -2.0j, 3.0], element.dtype)
    if element.kind == "float":
        facts = info(element)
        tiny, step = float(facts.tiny), float(facts.smallest_subnormal)
        positive = [0.0, 1.0, 0.5, 0.25, 0.75, 1.5, 2.0, 2.5, 3.0, np.pi, 1e-3, 10.0, 88.0, 100.0,
                    float(facts.eps), 1 - float(facts.epsneg), 1 + float(facts.eps), tiny, step,
                    tiny - step, float(facts.max), np.inf]
        return round_to(element, np.array(positive + [-v for v in positive] + [np.nan]))
    facts = np.iinfo(element.dtype)
    values = {0, 1, 2, 3, 7, 10, element.bits - 1, facts.max, facts.max - 1, facts.max // 2,
              facts.min, facts.min + 1, 0x55}
    if element.kind == "signed":
        values |= {-v for v in values if v > facts.min}
    return np.array(sorted(values), element.dtype)


def pair_edges(element: ElementType) -> np.ndarray:
    """Fewer special values, for every one with every other."""
    if element.kind == "complex":
        return np.array([1 + 2j, -0.5 + 0.25j, 3 - 1j, -2 - 2j, 1e-3 + 1e-3j, 100, 5j],
                        element.dtype)
    if element.kind == "float":
        facts = info(element)
        positive = [0.0, 1.0, 0.5, 3.0, float(facts.tiny), float(facts.smallest_subnormal),
                    float(facts.max), np.inf]
        return round_to(element, np.array(positive + [-v for v in positive] + [np.nan, 1.75]))
    if element is PRED:
        return edges(element)
    facts = np.iinfo(element.dtype)
    values = {0, 1, 2, 5, 10, facts.max, facts.max // 3, facts.min}
    if element.kind == "signed":
        values |= {-v for v in values if v > facts.min}
    return np.array(sorted(values), element.dtype)


def generator(*seed) -> np.random.Generator:
    """Random numbers that depend on nothing but `seed`."""
    return np.random.default_rng(list("/".join(map(str, seed)).encode()))


def ordinary(element: ElementType, shape, *seed, low=-2.0, high=2.0) -> np.ndarray:
    """Values of everyday size."""
    rng = generator("ordinary", element.name, shape, *seed)
    if element is PRED:
        return rng.integers(0, 2, shape).astype(bool)
    if element.kind == "complex":
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(
            element.dtype)
    if element.kind == "float":
        return round_to(element, rng.uniform(low, high, shape))
    facts = np.iinfo(element.dtype)
    low, high = (max(facts.min, -50), 51) if (low, high) == (-2.0, 2.0) else (int(low), int(high))
    return rng.integers(max(facts.min, low), high, shape).astype(element.dtype)


def small_integers(element: ElementType, shape, *seed, limit=4) -> np.ndarray:
    """Whole numbers so small that sums of products of them are exact in every type."""
    rng = generator("small", element.name, shape, *seed)
    low = 0 if element.kind in ("unsigned", "pred") else -limit
    values = rng.integers(low, limit + 1, shape)
    if element is PRED:
        return values > 1
    if element.kind == "complex":
        return (values + 1j * rng.integers(low, limit + 1, shape)).astype(element.dtype)
    return values.astype(element.dtype)


def large_integers(element: ElementType, shape, *seed, limit=None) -> np.ndarray:
    """Whole numbers of 32 or 64 bits. Sums of a few dozen products of them fit into the type, but
    not into a float type of as many bits; with a `limit` what is up to it."""
    rng = generator("large", element.name, shape, *seed)
    limit = limit or {32: 5000, 64: 1 << 28}[element.bits]
    low = 1 if element.kind == "unsigned" else -limit
    return (rng.integers(low, limit, shape) | 1).astype(element.dtype)


def spread(element: ElementType, count: int, *seed) -> np.ndarray:
    """Values of every magnitude."""
    rng = generator("spread", element.name, count, *seed)
    if element.kind == "float":
        facts = info(element)
        low, high = np.log2(float(facts.tiny)), np.log2(float(facts.max))
        exponents = np.where(rng.random(count) < 0.6, rng.uniform(-8, 5, count),
                             rng.uniform(low + 1, high - 1, count))
        return round_to(element, rng.choice([-1.0, 1.0], count) * 2.0**exponents)
    if element.kind in ("pred", "complex"):
        return ordinary(element, (count,), "spread", *seed, low=-8.0, high=8.0)
    return np.frombuffer(rng.bytes(count * element.dtype.itemsize), element.dtype).copy()


def is_subnormal(values: np.ndarray) -> np.ndarray:
    """Which elements are subnormal, or have a part that is."""
    element = type_of(values)
    if element.kind == "complex":
        return is_subnormal(values.real.copy()) | is_subnormal(values.imag.copy())
    if element.kind != "float":
        return np.zeros(values.shape, bool)
    magnitude = np.abs(values.astype(np.float64))
    return (magnitude > 0) & (magnitude < float(info(element).tiny))
