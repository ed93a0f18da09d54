# SPDX-License-Identifier: Apache-2.0
"""Compares an array with the expected one and says where they first differ."""

import dataclasses

import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far an element may be from the expected one; the parts add up.

    ulps: units in the last place of the expected element (complex: of its modulus).
    of_max: units in the last place of the largest finite expected element of the array, for what
      sums or cancels.
    absolute: as it says.
    zero_sign: whether -0 and +0 differ.
    """

    ulps: float = 0
    of_max: float = 0
    absolute: float = 0
    zero_sign: bool = True

    @property
    def exact(self) -> bool:
        return not (self.ulps or self.of_max or self.absolute)


EXACT = Tolerance()
# Sums and chains in 16 bits, of a result that is computed in f32 (cases.Case.wide): a few roundings.
NARROW = Tolerance(ulps=4, of_max=4, zero_sign=False)


def difference(expected, got, tolerance: Tolerance = EXACT) -> str | None:
    """None when `got` is as expected, else a sentence with the first differing element."""
    expected, got = np.asarray(expected), np.asarray(got)
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return (f"expected {expected.dtype}{list(expected.shape)}, "
                f"got {got.dtype}{list(got.shape)}")
    wrong = ~_close(expected, got, tolerance)
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{expected.dtype}{list(expected.shape)}: {int(wrong.sum())} of {wrong.size} elements "
            f"differ, first at {list(first)}: expected {_show(expected[first])}, "
            f"got {_show(got[first])}")


def _show(element) -> str:
    return f"{element!s} (0x{element.tobytes()[::-1].hex()})"


def _close(expected, got, tolerance):
    if jnp.issubdtype(expected.dtype, jnp.complexfloating):
        parts_same = (_same(expected.real, got.real, tolerance.zero_sign)
                      & _same(expected.imag, got.imag, tolerance.zero_sign))
        return parts_same | _within(expected, got, tolerance)
    if not jnp.issubdtype(expected.dtype, jnp.floating):
        return expected == got
    same = _same(expected, got, tolerance.zero_sign)
    return same | _within(expected, got, tolerance)


def _same(expected, got, zero_sign):
    with np.errstate(all="ignore"):
        same = (expected == got) | (np.isnan(expected) & np.isnan(got))
    if zero_sign:
        same &= (np.signbit(expected) == np.signbit(got)) | (expected != 0)
    return same


def _within(expected, got, tolerance):
    if tolerance.exact:
        return np.zeros(expected.shape, bool)
    wide = np.complex128 if np.iscomplexobj(expected) else np.float64
    info = jnp.finfo(expected.dtype)
    largest, eps, tiny = float(info.max), float(info.eps), float(info.tiny)
    e, g = expected.astype(wide), got.astype(wide)
    with np.errstate(all="ignore"):
        finite = np.isfinite(e)
        scale = np.max(np.abs(e), where=finite, initial=0.0)
        size = np.maximum(np.abs(e), tiny)
        allowed = tolerance.ulps * eps * size + tolerance.of_max * eps * scale + tolerance.absolute
        # Beside the largest finite number lies infinity.
        if wide is np.float64:
            edge = largest * (1 - min(0.5, tolerance.ulps * eps))
            overflow = ((np.isinf(e) | np.isinf(g)) & (np.sign(e) == np.sign(g))
                        & (np.minimum(np.abs(e), np.abs(g)) >= edge))
        else:
            overflow = False
        # The built-in backend computes with subnormals flushed to zero.
        flushed = (np.abs(e) <= tiny) & (np.abs(g) <= tiny)
        near = finite & np.isfinite(g) & (np.abs(e - g) <= allowed)
        return overflow | flushed | near
