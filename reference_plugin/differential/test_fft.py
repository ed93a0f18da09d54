# SPDX-License-Identifier: Apache-2.0
"""fft: every type, lengths with small and large prime factors, one to three dimensions, batches."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
import values
from cases import Case, check, check_functions_of
from compare import Tolerance

TYPES = [np.dtype(np.complex64), np.dtype(np.complex128)]
NEAR = Tolerance(of_max=4)
ids = {"ids": values.name}


def transforms(n, axes=(-1,)):
    """{name: function of a complex array} for the four types over the last dimensions."""
    def real(f):
        return lambda x: f(x.real)

    return {
        "fft": lambda x: jnp.fft.fftn(x, axes=axes),
        "ifft": lambda x: jnp.fft.ifftn(x, axes=axes),
        "rfft": real(lambda x: jnp.fft.rfftn(x, axes=axes)),
        "irfft": lambda x: jnp.fft.irfftn(x, s=(*x.shape[len(x.shape) - len(axes):-1], n),
                                          axes=axes),
    }


@pytest.mark.parametrize("dtype", TYPES, **ids)
def test_lengths(dtype):
    cases = []
    for n in (1, 2, 3, 5, 8, 12, 13, 16, 31, 60, 64, 67, 97, 128, 134, 210, 256, 337, 1024):
        x = values.random(dtype, (3, n))
        cases += [Case(f"{name}_{n}", f, (x,), NEAR) for name, f in transforms(n).items()]
    check(cases)


@pytest.mark.parametrize("dtype", TYPES, **ids)
def test_batches(dtype):
    cases = []
    for shape in ((17, 8), (33, 15), (2, 3, 96), (40, 74), (1, 256), (5, 1)):
        x = values.random(dtype, shape)
        cases += [Case(f"{name}_{shape}", f, (x,), NEAR)
                  for name, f in transforms(shape[-1]).items()]
    check(cases)


@pytest.mark.parametrize("dtype", TYPES, **ids)
def test_several_dimensions(dtype):
    cases = []
    for shape, rank in (((16, 16), 2), ((3, 5, 8), 2), ((67, 33), 2), ((4, 32, 10), 3),
                        ((2, 3, 6, 5), 3), ((1, 1, 1), 3), ((64, 48), 2)):
        x = values.random(dtype, shape)
        axes = tuple(range(len(shape) - rank, len(shape)))
        cases += [Case(f"{name}{rank}_{shape}", f, (x,), NEAR)
                  for name, f in transforms(shape[-1], axes).items()]
    check(cases)


def test_other_axes():
    x = values.random(np.complex64, (6, 9, 20))
    check_functions_of((x,), {
        f"{f.__name__}_{axis}": lambda x, f=f, axis=axis: f(x, axis=axis)
        for f in (jnp.fft.fft, jnp.fft.ifft, jnp.fft.hfft) for axis in (0, 1)}, default=NEAR)


def test_lengths_cut_and_padded():
    x = values.random(np.complex128, (4, 30))
    check_functions_of((x,), {
        f"{f.__name__}_{n}": lambda x, f=f, n=n: f(x, n)
        for f in (jnp.fft.fft, jnp.fft.ifft, jnp.fft.irfft) for n in (1, 7, 29, 30, 31, 64)},
        default=NEAR)


def test_nothing_to_transform():
    x = np.zeros((0, 8), np.complex64)
    check_functions_of((x,), transforms(8))
    check([Case("rfft_of_no_rows", lambda x: lax.fft(x, "RFFT", (4,)),
                (np.zeros((3, 0, 4), np.float32),))])


def test_real_inverse_ignores_imaginary_ends():
    x = np.array([[1 + 5j, 2 - 1j, 3 + 7j], [0.5 - 9j, 1j, -2 - 3j]], np.complex64)
    check_functions_of((x,), {"even": lambda x: jnp.fft.irfft(x, 4),
                              "odd": lambda x: jnp.fft.irfft(x, 5)}, default=NEAR)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_not_finite(value):
    x = values.random(np.complex64, (3, 24))
    x[1, 5] = value
    got = backends.run_on_plugin(jnp.fft.fft, x)
    assert np.isnan(got[1]).all() or not np.isfinite(got[1]).any()
    assert np.isfinite(got[0]).all() and np.isfinite(got[2]).all()


@pytest.mark.parametrize("dtype", TYPES, **ids)
def test_as_exact_as_in_more_digits(dtype):
    for n in (1000, 4096, 4099):
        x = values.random(dtype, (2, n))
        exact = np.fft.fft(x.astype(np.complex128))
        got = backends.run_on_plugin(jnp.fft.fft, x)
        error = np.linalg.norm(got - exact) / np.linalg.norm(exact)
        assert error < 5 * np.finfo(dtype).eps, (n, error / np.finfo(dtype).eps)
