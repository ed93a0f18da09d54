# SPDX-License-Identifier: Apache-2.0
"""The client option that turns machine code of elementwise ops off: none is made then, with the same bits."""

import os
import pathlib

import jax.numpy as jnp
import numpy as np
import pytest

import backends

pytestmark = pytest.mark.plugin_only
RUNS = 3  # code is made when a program runs again


def chain(x):
    for i in range(8):
        x = jnp.maximum(x * 1.5 - i, jnp.abs(x) / 3)
    return x


def bytes_of_code():
    """Executable memory that is no file's."""
    total = 0
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        fields = line.split()
        if fields[1].startswith("r-x") and len(fields) == 5:
            begin, end = (int(address, 16) for address in fields[0].split("-"))
            total += end - begin
    return total


def run(function, x, options):
    """The result, and how many bytes of code running it made."""
    before = bytes_of_code()
    program = backends.compile_for(backends.client_with(num_threads=1, **options), function, x)
    results = [program(x)[0] for _ in range(RUNS)]
    for other in results[1:]:
        np.testing.assert_array_equal(other.view(np.uint32), results[0].view(np.uint32))
    return results[0], bytes_of_code() - before


def test_the_option_turns_it_off():
    x = np.random.default_rng(0).standard_normal(5000).astype(np.float32)
    without, none = run(chain, x, {"native_kernels": False})
    code, some = run(chain, x, {"native_kernels": True})
    np.testing.assert_array_equal(code.view(np.uint32), without.view(np.uint32))
    assert none == 0
    # Without AVX2 there is no such code.
    if " avx2 " in pathlib.Path("/proc/cpuinfo").read_text() and "PLINTH_SIMD" not in os.environ:
        assert some > 0


def image(x):
    """Whole numbers of 8 and 16 bits beside wider types, and rows of them."""
    wide = x.astype(jnp.int32)
    brighter = jnp.clip(x.astype(jnp.float32) * 1.2 - 10, -200, 300).astype(x.dtype)
    mixed = ((wide * 3 + brighter) >> 1).astype(x.dtype) ^ (x - brighter)
    return mixed, (mixed > x).sum(-1), mixed.astype(jnp.float32).mean(-1), x.sum(-1)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
@pytest.mark.parametrize("width", [3, 8, 100])
def test_short_types_have_the_same_bits(dtype, width):
    limits = np.iinfo(dtype)
    x = np.random.default_rng(0).integers(limits.min, limits.max + 1, (777, width), dtype)
    results = []
    for native in (False, True):
        client = backends.client_with(num_threads=1, native_kernels=native)
        program = backends.compile_for(client, image, x)
        results += [program(x) for _ in range(RUNS)]
    for other in results[1:]:
        for got, wanted in zip(other, results[0]):
            np.testing.assert_array_equal(got, wanted)
