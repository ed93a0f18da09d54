# SPDX-License-Identifier: Apache-2.0
"""convert between all pairs of types, and bitcast_convert between all widths."""

import numpy as np
import pytest
from jax import lax

import values
from cases import check_functions_of
from compare import Tolerance

ids = {"ids": values.name}


def _args(dtype):
    return (np.concatenate([values.edges(dtype), values.spread(dtype, 300),
                            values.random(dtype, (100,), low=-300, high=300)]),)


@pytest.mark.parametrize("source", values.ALL, **ids)
def test_convert(source):
    args = _args(source)
    targets = values.ALL if not values.is_complex(source) else values.COMPLEX
    check_functions_of(args, {f"to_{values.name(t)}": lambda x, t=t: lax.convert_element_type(x, t)
                              for t in targets},
                       default=Tolerance(absolute=2e-38))  # Subnormals of f32 are flushed.


@pytest.mark.parametrize("source", values.REAL, **ids)
def test_bitcast_convert(source):
    def bits(x, target):
        return lax.bitcast_convert_type(x, target)

    # As integers, so that NaNs are compared bit for bit.
    def as_integer(x, target):
        result = bits(x, target)
        if values.is_float(target):
            return bits(result, np.dtype(f"uint{8 * np.dtype(target).itemsize}"))
        return result

    x = values.spread(source, 96).reshape(4, 3, 8)
    table = {}
    for target in values.REAL:
        ratio = np.dtype(target).itemsize / np.dtype(source).itemsize
        # To a wider type the last dimension holds the parts of one element.
        reshape = (-1, int(ratio)) if ratio > 1 else (4, 3, 8)
        table[f"to_{values.name(target)}"] = (
            lambda x, t=target, r=reshape: as_integer(x.reshape(r), t))
    check_functions_of((x,), table)
