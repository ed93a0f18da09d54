# SPDX-License-Identifier: Apache-2.0
"""Element types, edge values and random values."""

import itertools

import jax.numpy as jnp
import ml_dtypes
import numpy as np

BOOL = np.dtype(bool)
SIGNED = [np.dtype(f"int{w}") for w in (8, 16, 32, 64)]
UNSIGNED = [np.dtype(f"uint{w}") for w in (8, 16, 32, 64)]
INTEGERS = SIGNED + UNSIGNED
BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(np.float16), BF16, np.dtype(np.float32), np.dtype(np.float64)]
COMPLEX = [np.dtype(np.complex64), np.dtype(np.complex128)]
REAL = INTEGERS + FLOATS
NUMBERS = REAL + COMPLEX
ALL = [BOOL] + NUMBERS
# One of each kind and width: for ops whose code depends on the type only through these.
FEW = [np.dtype(t) for t in (bool, np.int8, np.uint16, np.int32, np.uint64)] + [
    BF16, np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.complex64)]

SHAPES = [(), (0,), (1,), (7,), (3, 0, 2), (1, 1, 1), (5, 7), (2, 3, 5, 7), (13, 17, 3),
          (1, 2, 1, 3, 2, 2), (1009,), (129, 67)]
LARGE_SHAPES = [(1 << 20,), (1021, 1031), (3, 1, 100003), (64, 64, 64, 3)]


def name(dtype) -> str:
    return np.dtype(dtype).name


def is_float(dtype):
    return jnp.issubdtype(dtype, jnp.floating)


def is_narrow(dtype):
    """A float of 16 bits."""
    return is_float(dtype) and jnp.finfo(dtype).bits == 16


def is_complex(dtype):
    return jnp.issubdtype(dtype, jnp.complexfloating)


def edges(dtype) -> np.ndarray:
    """Every special value of a type; no subnormals where the built-in backend flushes them."""
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        return np.array([False, True])
    if is_complex(dtype):
        parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-3, 100.0]
        return np.array([complex(a, b) for a, b in itertools.product(parts, parts)], dtype)
    if is_float(dtype):
        info = jnp.finfo(dtype)
        positive = [0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 0.49999997, 0.25, 0.75, 2.0, np.pi, 1e-3, 10.0,
                    88.0, 100.0, float(info.eps), 1 - float(info.epsneg), 1 + float(info.eps),
                    float(info.tiny), float(info.max), np.inf]
        if dtype == np.float16:
            positive += [2.0**-24, 2.0**-15 * 1.5, 65000.0]
        with np.errstate(over="ignore"):
            return np.array(positive + [-v for v in positive] + [np.nan]).astype(dtype)
    info = np.iinfo(dtype)
    bits = info.bits
    values = {0, 1, 2, 3, 7, 10, 63, bits - 1, bits, bits + 1, info.max, info.max - 1, info.max // 2,
              info.min, info.min + 1, 0x55 & info.max}
    if info.min < 0:
        values |= {-v for v in values if v > info.min}
    return np.array(sorted(values), dtype)


def edge_pairs(dtype) -> tuple[np.ndarray, np.ndarray]:
    """Every edge value with every other."""
    values = edges(dtype)
    if is_complex(dtype):
        values = values[::5]
    left, right = np.meshgrid(values, values, indexing="ij")
    return left.ravel(), right.ravel()


def random(dtype, shape, seed=0, low=-2.0, high=2.0) -> np.ndarray:
    """Ordinary values: uniform in [low, high) (what is unsigned in [0, high), booleans fair)."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if dtype == BOOL:
        return np.asarray(rng.integers(0, 2, shape), bool)
    if is_complex(dtype):
        return np.asarray(rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape), dtype)
    if is_float(dtype):
        return np.asarray(rng.uniform(low, high, shape)).astype(dtype)
    info = np.iinfo(dtype)
    return np.asarray(rng.integers(max(info.min, int(low)), int(high) + 1, shape), dtype)


def spread(dtype, count, seed=0) -> np.ndarray:
    """Values of every magnitude: uniform exponents for floats, uniform bits for integers."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if dtype == BOOL or is_complex(dtype):
        return random(dtype, (count,), seed, -8.0, 8.0)
    if is_float(dtype):
        info = jnp.finfo(dtype)
        low, high = np.log2(float(info.tiny)), np.log2(float(info.max))
        exponents = np.where(rng.random(count) < 0.5, rng.uniform(-12, 7, count),
                             rng.uniform(low + 1, high - 1, count))
        return (rng.choice([-1.0, 1.0], count) * 2.0**exponents).astype(dtype)
    return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).copy()


def with_edges(dtype, shape, seed=0) -> np.ndarray:
    """Ordinary values with edge values strewn in."""
    values = random(dtype, shape, seed)
    flat = values.reshape(-1)
    special = edges(dtype)
    if flat.size > 3:
        places = np.random.default_rng(seed + 1).integers(0, flat.size, max(1, flat.size // 5))
        flat[places] = special[np.arange(len(places)) % len(special)]
    return values
