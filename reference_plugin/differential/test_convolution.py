# SPDX-License-Identifier: Apache-2.0
"""convolution: dimension numbers, strides, paddings, dilations, groups, ranks, types, gradients."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import values
from cases import Case, check
from compare import EXACT, Tolerance

ids = {"ids": values.name}
NHWC = ("NHWC", "HWIO", "NHWC")


def _tolerance(dtype):
    rough = values.is_float(dtype) or values.is_complex(dtype)
    return Tolerance(of_max=32, ulps=8, zero_sign=False) if rough else EXACT


def _case(name, x, w, dtype=np.float32, numbers=NHWC, strides=(1, 1), padding="SAME", **options):
    convolve = functools.partial(lax.conv_general_dilated, window_strides=strides, padding=padding,
                                 dimension_numbers=numbers, **options)
    return Case(name, convolve, (values.random(dtype, x, 1), values.random(dtype, w, 2)),
                _tolerance(dtype))


WINDOWS = {
    "same": {},
    "valid": {"padding": "VALID"},
    "strides": {"strides": (2, 3)},
    "padding": {"padding": ((2, 0), (1, 3))},
    "negative_padding": {"padding": ((-1, 2), (-2, -1))},
    "input_dilation": {"padding": ((1, 1), (2, 0)), "lhs_dilation": (2, 3)},
    "kernel_dilation": {"padding": "VALID", "rhs_dilation": (2, 2)},
    "both_dilations": {"strides": (2, 1), "padding": ((3, 2), (2, 3)), "lhs_dilation": (2, 2),
                       "rhs_dilation": (1, 3)},
    "negative_and_dilated": {"padding": ((-2, 1), (1, -3)), "lhs_dilation": (3, 2)},
}


@pytest.mark.parametrize("dtype", values.NUMBERS, **ids)
def test_windows(dtype):
    check([_case(name, (2, 9, 8, 3), (3, 2, 3, 5), dtype, **window)
           for name, window in WINDOWS.items()])


@pytest.mark.parametrize("input_form", ["NHWC", "NCHW", "HWNC", "CHWN"])
def test_dimension_numbers(input_form):
    sizes = dict(N=2, H=7, W=6, C=3)
    kernel_sizes = dict(H=3, W=2, I=3, O=4)
    cases = []
    for kernel, output in itertools.product(["HWIO", "OIHW", "IOWH", "WHOI"],
                                            ["NHWC", "NCHW", "CWHN"]):
        cases.append(_case(f"{kernel}_{output}", tuple(sizes[c] for c in input_form),
                           tuple(kernel_sizes[c] for c in kernel),
                           numbers=(input_form, kernel, output), strides=(1, 2)))
    check(cases)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, values.BF16, np.int8], **ids)
def test_groups(dtype):
    check([
        _case("two_groups", (2, 6, 6, 4), (3, 3, 2, 6), dtype, feature_group_count=2),
        _case("depthwise", (2, 6, 6, 5), (3, 3, 1, 5), dtype, feature_group_count=5),
        _case("depthwise_x3", (1, 6, 7, 4), (2, 3, 1, 12), dtype, feature_group_count=4,
              strides=(2, 1)),
        _case("groups_nchw", (2, 6, 5, 5), (4, 3, 3, 3), dtype, ("NCHW", "OIHW", "NCHW"),
              feature_group_count=2),
        _case("batch_groups", (6, 5, 5, 3), (3, 3, 3, 4), dtype, batch_group_count=2),
        _case("batch_groups_all", (4, 5, 5, 2), (2, 2, 2, 4), dtype, batch_group_count=4),
    ])


def test_ranks():
    check([
        _case("0d", (3, 4), (4, 5), numbers=("NC", "IO", "NC"), strides=(), padding=()),
        _case("1d", (2, 17, 3), (4, 3, 5), numbers=("NWC", "WIO", "NWC"), strides=(2,)),
        _case("1d_ncw", (2, 3, 17), (5, 3, 4), numbers=("NCW", "OIW", "NCW"), strides=(1,),
              rhs_dilation=(3,)),
        _case("3d", (1, 5, 6, 4, 2), (2, 3, 2, 2, 3), numbers=("NDHWC", "DHWIO", "NDHWC"),
              strides=(1, 2, 1)),
        _case("3d_ncdhw", (2, 3, 5, 4, 6), (4, 3, 3, 2, 2), numbers=("NCDHW", "OIDHW", "NCDHW"),
              strides=(2, 1, 1), padding=((1, 0), (0, 1), (-1, 2))),
    ])


def test_sizes():
    check([
        _case("1x1", (2, 7, 7, 33), (1, 1, 33, 17)),
        _case("1x1_strided", (2, 7, 7, 8), (1, 1, 8, 9), strides=(2, 2)),
        _case("one_channel", (3, 28, 28, 1), (5, 5, 1, 6)),
        _case("wide", (1, 14, 14, 64), (3, 3, 64, 48)),
        _case("kernel_of_image_size", (2, 6, 5, 3), (6, 5, 3, 4), padding="VALID"),
        _case("kernel_larger_than_image", (1, 3, 3, 2), (5, 7, 2, 2)),
        _case("7x7_stride_2", (1, 33, 31, 3), (7, 7, 3, 16), strides=(2, 2)),
        _case("no_batch", (0, 5, 5, 2), (3, 3, 2, 4)),
        _case("no_channels", (2, 5, 5, 0), (3, 3, 0, 4)),
        _case("no_features", (2, 5, 5, 2), (3, 3, 2, 0)),
        _case("no_positions", (1, 2, 2, 2), (3, 3, 2, 2), padding="VALID"),
    ])


def test_kernel_reversed():
    """Transposed convolution reverses the kernel's windows."""
    x, w = values.random(np.float32, (2, 5, 6, 3), 1), values.random(np.float32, (3, 3, 3, 4), 2)
    check([Case(f"transpose{s}{p}", lambda x, w, s=s, p=p: lax.conv_transpose(x, w, (s, s), p),
                (x, w), _tolerance(np.float32)) for s in (1, 2, 3) for p in ("SAME", "VALID")])


def test_preferred_element_type():
    x, w = values.random(np.int8, (2, 9, 8, 3), 1, -99, 99), values.random(np.int8, (3, 2, 3, 5), 2)
    check([_case("bf16", (2, 9, 8, 3), (3, 2, 3, 5), values.BF16, preferred_element_type=np.float32),
           Case("int8", lambda x, w: lax.conv_general_dilated(
               x, w, (1, 1), "SAME", dimension_numbers=NHWC, preferred_element_type=np.int32),
               (x, w))])


@pytest.mark.parametrize("dtype", [np.float32, values.BF16], **ids)
def test_gradients(dtype):
    """Gradients use dilations, negative paddings, reversed kernels and batch groups."""
    variants = {
        "plain": ((2, 8, 7, 3), (3, 3, 3, 4), {}),
        "strided": ((2, 8, 7, 3), (3, 2, 3, 4), {"strides": (2, 2)}),
        "strided_valid": ((2, 9, 7, 3), (2, 2, 3, 4), {"strides": (3, 2), "padding": "VALID"}),
        "grouped": ((2, 6, 6, 4), (3, 3, 2, 6), {"feature_group_count": 2}),
        "depthwise": ((2, 6, 6, 4), (3, 3, 1, 4), {"feature_group_count": 4}),
        "dilated": ((2, 9, 9, 2), (3, 3, 2, 3), {"rhs_dilation": (2, 2)}),
        "1x1_strided": ((2, 7, 7, 3), (1, 1, 3, 4), {"strides": (2, 2)}),
    }
    cases = []
    for name, (x, w, window) in variants.items():
        case = _case(name, x, w, dtype, **window)
        loss = lambda x, w, f=case.function: jnp.sum(jnp.sin(f(x, w).astype(np.float32)))
        cases.append(Case(name, jax.grad(loss, (0, 1)), case.args, case.tolerance))
    check(cases)


@pytest.mark.parametrize("operands, result", [
    (bool, np.int32), (bool, np.uint8), (bool, np.float32), (bool, values.BF16), (bool, np.complex64),
    (np.int8, np.float16), (np.int16, np.int64), (values.BF16, np.float16), (np.float16, np.float64)], ids=str)
def test_every_preferred_element_type(operands, result):
    """Small integers, so that sums are exact."""
    x, w = (values.random(operands, s, i, low=-3, high=3) for i, s in enumerate([(2, 3, 7, 6), (4, 3, 3, 3)]))
    if np.dtype(operands) != bool:
        x, w = (np.round(a).astype(operands) for a in (x, w))
    check([Case("conv", lambda x, w: lax.conv(x, w, (1, 1), "SAME", preferred_element_type=result), (x, w))])


def _random_case(seed):
    """One to three spatial dimensions in any order of all dimensions, with every kind of window and group at once."""
    rng = np.random.default_rng(seed)
    spatial = "XYZ"[:rng.integers(1, 4)]
    below = lambda *limits: [int(rng.integers(limit)) for limit in limits]
    shuffled = lambda letters: "".join(rng.permutation(list(letters)))
    numbers = shuffled("NC" + spatial), shuffled("IO" + spatial), shuffled("NC" + spatial)
    groups, of_batch = int(rng.integers(1, 4)), rng.random() < 0.3
    sizes = {"N": 1 + below(3)[0], "C": 1 + below(3)[0], "O": groups * (1 + below(3)[0])}
    sizes["I"] = sizes["C"]
    sizes["N" if of_batch else "C"] *= groups
    x_sizes = sizes | {d: 3 + n for d, n in zip(spatial, below(6, 5, 3))}
    w_sizes = sizes | {d: 1 + n for d, n in zip(spatial, below(3, 4, 2))}
    turned = tuple(numbers[1].index(d) for d in spatial if rng.random() < 0.5)
    convolve = functools.partial(
        lax.conv_general_dilated, dimension_numbers=numbers, window_strides=[1 + below(3)[0] for _ in spatial],
        padding=[(below(4)[0] - 1, below(4)[0] - 1) for _ in spatial],
        lhs_dilation=[1 + below(3)[0] for _ in spatial], rhs_dilation=[1 + below(2)[0] for _ in spatial],
        **{"batch_group_count" if of_batch else "feature_group_count": groups})
    dtype = [np.float32, np.float32, values.BF16, np.int32][seed % 4]
    args = (values.random(dtype, tuple(x_sizes[d] for d in numbers[0]), 2 * seed),
            values.random(dtype, tuple(w_sizes[d] for d in numbers[1]), 2 * seed + 1))
    return Case(f"seed {seed}: {numbers}", lambda x, w: convolve(x, lax.rev(w, turned)), args, _tolerance(dtype))


@pytest.mark.parametrize("first", range(0, 64, 16))
def test_random(first):
    check([_random_case(seed) for seed in range(first, first + 16)])
