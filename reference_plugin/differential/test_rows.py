# SPDX-License-Identifier: Apache-2.0
"""Softmax, layer norm and their kind, which are one kernel with phases: forward, with what the backward
pass keeps, and backward; rows of one element, of many, and longer than a kernel keeps."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import values
from cases import Case, check
from compare import NARROW, Tolerance

SHAPES = [(5, 7), (64, 129), (1, 100), (4, 1), (2, 3, 50)]
LONG = [(3, 40000)]
TYPES = [np.float32, np.float16, np.float64]


def _layer_norm(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-3) * scale + shift


def _rms_norm(x, scale, shift):
    return x / jnp.sqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-3) * scale


FUNCTIONS = {
    "softmax": lambda x, scale, shift: jax.nn.softmax(x * scale),
    "log_softmax": lambda x, scale, shift: jax.nn.log_softmax(x + shift),
    "logsumexp": lambda x, scale, shift: jax.nn.logsumexp(x, -1),
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "standardized": lambda x, scale, shift: (jnp.mean(x, -1), jnp.std(x, -1), jax.nn.standardize(x)),
    "masked_softmax": lambda x, scale, shift: jax.nn.softmax(jnp.where(x > shift, x, -jnp.inf)),
}
# Their gradients are small differences of terms of about 1, each of which is rounded to 16 bits.
CANCELLING = {"log_softmax", "rms_norm"}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", TYPES, ids=values.name)
def test_rows(name, dtype):
    function = FUNCTIONS[name]

    def training(*args):
        out, pullback = jax.vjp(function, *args)
        kept = [x for x in jax.tree.leaves(pullback) if jnp.issubdtype(x.dtype, jnp.floating)]
        weights = jax.tree.map(
            lambda x: np.cos(np.arange(x.size)).reshape(x.shape).astype(dtype).astype(x.dtype), out)
        return out, kept, pullback(weights)

    cases = []
    narrow = values.is_narrow(dtype)
    tolerance = NARROW if narrow else Tolerance(ulps=64, of_max=256, zero_sign=False)
    cancelling = tolerance
    if narrow and name in CANCELLING:
        cancelling = dataclasses.replace(tolerance, absolute=4 * float(jnp.finfo(dtype).eps))
    for shape in SHAPES + ([] if narrow else LONG):
        x = values.random(dtype, shape, low=-2, high=2)
        scale = values.random(dtype, shape[-1:], low=0.5, high=1.5)
        shift = values.random(dtype, shape[-1:], low=-1.9, high=-1)
        if name == "masked_softmax":
            x[..., 0] = 1  # Something is left of every row.
        for what, f, near in (("inference", function, tolerance), ("training", training, cancelling)):
            cases.append(Case(f"{what} {shape}", f, (x, scale, shift), near, wide=narrow))
    check(cases)
