# SPDX-License-Identifier: Apache-2.0
"""The comparator itself: what it must let pass and what it must find."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cases
from compare import EXACT, Tolerance, difference

F32 = np.float32


@pytest.mark.parametrize("expected, got, tolerance", [
    (F32([1, np.nan]), F32([1, np.nan]), EXACT),
    (F32([1]), np.nextafter(F32([1]), F32(2)), Tolerance(ulps=1)),
    (F32([0]), F32([-0.0]), Tolerance(zero_sign=False)),
    (F32([1000, 0]), F32([1000, 1e-4]), Tolerance(of_max=1)),
    (F32([np.inf]), F32([np.finfo(F32).max]), Tolerance(ulps=2)),
    (np.complex64([1 + 1e-8j]), np.complex64([1]), Tolerance(ulps=1)),
])
def test_passes(expected, got, tolerance):
    assert difference(expected, got, tolerance) is None


@pytest.mark.parametrize("expected, got, tolerance, words", [
    (F32([1, 2, 3]), F32([1, 5, 3]), EXACT, "1 of 3 elements differ, first at [1]"),
    (F32([0]), F32([-0.0]), EXACT, "expected 0.0 (0x00000000), got -0.0 (0x80000000)"),
    (F32([np.nan]), F32([1]), Tolerance(ulps=1e9), "nan"),
    (F32([1]), F32([np.nan]), Tolerance(ulps=1e9), "nan"),
    (F32([np.inf]), F32([-np.inf]), Tolerance(ulps=4), "-inf"),
    (F32([np.inf]), F32([1e30]), Tolerance(ulps=4), "inf"),
    (F32([1]), F32([1.01]), Tolerance(ulps=4), "1.01"),
    (np.int8([1]), np.int8([2]), Tolerance(ulps=99), "expected 1"),
    (np.int8([1]), np.int16([1]), EXACT, "expected int8[1], got int16[1]"),
    (F32([[1]]), F32([1]), EXACT, "got float32[1]"),
    (np.complex64([1 + 1j]), np.complex64([1 - 1j]), Tolerance(ulps=4), "(1-1j)"),
    (jnp.bfloat16([1]), jnp.bfloat16([1.0625]), Tolerance(ulps=2), "0x3f88"),
])
def test_finds(expected, got, tolerance, words):
    expected, got = (jax.device_get(a) for a in (expected, got))
    assert words in difference(expected, got, tolerance)


def test_report_names_the_case_that_differs():
    case = cases.Case("negate", jnp.negative, (F32([1, 2]),))
    with pytest.raises(pytest.fail.Exception, match=r"negate\(float32\[2\]\): .* first at \[0\]"):
        cases.report([case], [F32([-1, -2])], [F32([1, 2])])
