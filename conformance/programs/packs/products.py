# SPDX-License-Identifier: Apache-2.0
"""Products of arrays: dot_general and convolution."""

import dataclasses

import numpy as np

from element_types import (BF16, F16, F32, F64, FLOATS, NUMBERS, S8, S16, S32, U8,
                           ElementType, large_integers, ordinary, round_to, small_integers)
from elementwise import signature
from program import Op, Program, Result, main_of, tensor_of

# Left and right shape, batch dimensions, contracting dimensions.
DOTS = {
    "matrices": ((5, 7), (7, 4), ([], []), ([1], [0])),
    "transposed": ((7, 5), (4, 7), ([], []), ([0], [1])),
    "matrix_vector": ((6, 9), (9,), ([], []), ([1], [0])),
    "vectors": ((33,), (33,), ([], []), ([0], [0])),
    "outer": ((3,), (4,), ([], []), ([], [])),
    "batch": ((3, 4, 5), (3, 5, 2), ([0], [0]), ([2], [1])),
    "inner_batch": ((4, 3, 5), (5, 2, 3), ([1], [2]), ([2], [0])),
    "two_contracted": ((3, 4, 5), (5, 4, 2), ([], []), ([1, 2], [1, 0])),
    "large": ((37, 65), (65, 41), ([], []), ([1], [0])),
    "empty": ((3, 0), (0, 2), ([], []), ([1], [0])),
}


def product(x, y, batch, contract) -> np.ndarray:
    left = "abcdefgh"[:x.ndim]
    right = list("ijklmnop"[:y.ndim])
    for pair in (batch, contract):
        for a, b in zip(*pair):
            right[b] = left[a]
    used = [left[a] for a in batch[0]]
    used += [c for i, c in enumerate(left) if i not in batch[0] + contract[0]]
    used += [c for i, c in enumerate(right) if i not in batch[1] + contract[1]]
    return np.einsum(f"{left},{''.join(right)}->{''.join(used)}", x, y)


def exactly(array: np.ndarray) -> np.ndarray:
    """In a type in which the sums here are exact, or wrap."""
    kind = array.dtype.kind
    if kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.int64 if kind in "iub" else np.float64)


# A device that multiplies in fewer bits is asked not to.
IN_FULL = ", precision = [HIGHEST, HIGHEST]"


def dot(name, x, y, element: ElementType, batch, contract, precision=IN_FULL, **options) -> Program:
    value = product(exactly(x), exactly(y), batch, contract)
    value = round_to(element, value) if element in FLOATS else value.astype(element.dtype)
    dims = f"contracting_dims = {contract[0]} x {contract[1]}"
    if batch[0]:
        dims = f"batching_dims = {batch[0]} x {batch[1]}, {dims}"
    body = f"%r = stablehlo.dot_general %a0, %a1, {dims}{precision} : {signature([x, y], value)}"
    return Program(name, main_of([x, y], [value], body), [x, y],
                   [Result(value, any_zero_sign=True, **options)])


def wide_sums(element: ElementType, shape, *seed) -> np.ndarray:
    """Whole numbers of which f32 holds sums of products, and types of 16 bits do not."""
    return np.abs(small_integers(element, shape, *seed, limit=100))


def dot_programs(element: ElementType):
    for name, (left, right, batch, contract) in DOTS.items():
        x, y = small_integers(element, left, "left"), small_integers(element, right, "right")
        yield dot(f"{element.name}/{name}", x, y, element, batch, contract)
    if element.is_integer and element.bits >= 32:
        x, y = large_integers(element, (5, 7), "left"), large_integers(element, (7, 4), "right")
        yield dot(f"{element.name}/large_numbers", x, y, element, ([], []), ([1], [0]))
    if element in FLOATS or element.kind == "complex":
        x, y = ordinary(element, (9, 31), "left"), ordinary(element, (31, 11), "right")
        ulps = {"f16": 4, "bf16": 4}.get(element.name, 32)
        yield dot(f"{element.name}/fractions", x, y, element, ([], []), ([1], [0]), kind="sum",
                  ulps=ulps, of_max=True)
    if element is F32:
        # Here it may, down to bf16: who promises more tests it by themselves.
        x, y = ordinary(element, (64, 128), "left"), ordinary(element, (128, 48), "right")
        yield dot(f"{element.name}/default_precision", x, y, element, ([], []), ([1], [0]),
                  precision="", kind="sum", ulps=1 << 16, of_max=True)
    for left, right, result in [(S8, S8, S32), (U8, U8, S32), (BF16, BF16, F32), (F16, F16, F32),
                                (S16, S16, S32), (F32, F32, F64)]:
        if left is element:
            x, y = small_integers(left, (5, 7), "left"), small_integers(right, (7, 4), "right")
            if left.is_integer:  # sums that the factors' type does not hold
                x, y = (ordinary(left, shape, part, low=60, high=127)
                        for shape, part in (((5, 41), "left"), ((41, 4), "right")))
            elif left is not F32:
                x, y = (wide_sums(left, shape, part)
                        for shape, part in (((5, 41), "left"), ((41, 4), "right")))
            yield dot(f"{left.name}_{right.name}_to_{result.name}", x, y, result, ([], []),
                      ([1], [0]))


@dataclasses.dataclass(frozen=True)
class Convolution:
    """Operand as b, spatial..., f; kernel as spatial..., i, o; result as b, spatial..., f."""

    operand: tuple
    kernel: tuple
    strides: tuple
    padding: tuple
    operand_dilation: tuple
    kernel_dilation: tuple
    reversal: tuple = ()
    feature_groups: int = 1
    batch_groups: int = 1


CONVOLUTIONS = {
    "line": Convolution((2, 9, 3), (4, 3, 5), (1,), ((0, 0),), (1,), (1,)),
    "square": Convolution((1, 6, 7, 2), (3, 3, 2, 4), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1)),
    "padded": Convolution((2, 5, 5, 2), (3, 3, 2, 3), (1, 1), ((1, 1), (2, 0)), (1, 1), (1, 1)),
    "strided": Convolution((1, 8, 7, 2), (3, 2, 2, 3), (2, 3), ((1, 0), (0, 1)), (1, 1), (1, 1)),
    "dilated": Convolution((1, 9, 9, 1), (3, 2, 1, 2), (1, 1), ((0, 0), (0, 0)), (1, 1), (2, 3)),
    "transposed": Convolution((1, 4, 3, 2), (3, 3, 2, 2), (1, 1), ((2, 1), (2, 1)), (2, 3), (1, 1)),
    "reversed": Convolution((1, 5, 6, 2), (3, 2, 2, 2), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1),
                            (True, False)),
    "feature_groups": Convolution((1, 5, 5, 4), (3, 3, 2, 6), (1, 1), ((1, 1), (1, 1)), (1, 1),
                                  (1, 1), feature_groups=2),
    "depthwise": Convolution((1, 5, 5, 3), (3, 3, 1, 6), (1, 1), ((1, 1), (1, 1)), (1, 1), (1, 1),
                             feature_groups=3),
    "batch_groups": Convolution((4, 5, 5, 2), (3, 3, 2, 4), (1, 1), ((0, 0), (0, 0)), (1, 1),
                                (1, 1), batch_groups=2),
    "cube": Convolution((1, 4, 3, 4, 2), (2, 2, 2, 2, 2), (1, 1, 1), ((0, 0), (0, 1), (0, 0)),
                        (1, 1, 1), (1, 1, 1)),
    "negative_padding": Convolution((1, 7, 7, 1), (2, 2, 1, 1), (1, 1), ((-1, 1), (0, -2)), (1, 1),
                                    (1, 1)),
}


def convolved(x, kernel, c: Convolution) -> np.ndarray:
    x, kernel = exactly(x), exactly(kernel)
    sizes, window = x.shape[1:-1], kernel.shape[:-2]
    batch, outputs = x.shape[0] // c.batch_groups, kernel.shape[-1]
    spatial = []
    for d, k, s, (low, high), b, w in zip(sizes, window, c.strides, c.padding, c.operand_dilation,
                                          c.kernel_dilation):
        spatial.append(((d - 1) * b + 1 + low + high - ((k - 1) * w + 1)) // s + 1)
    value = np.zeros((batch, *spatial, outputs), x.dtype)
    inputs = kernel.shape[-2]
    for at in np.ndindex(*spatial):
        for offset in np.ndindex(*window):
            place = [a * s + o * w - low for a, s, o, w, (low, _) in zip(
                at, c.strides, offset, c.kernel_dilation, c.padding)]
            if any(p % b or not 0 <= p // b < d
                   for p, b, d in zip(place, c.operand_dilation, sizes)):
                continue
            pixel = x[(slice(None), *[p // b for p, b in zip(place, c.operand_dilation)])]
            tap = [k - 1 - o if r else o for k, o, r in zip(
                window, offset, c.reversal or (False,) * len(window))]
            weights = kernel[tuple(tap)]  # inputs, outputs
            for o in range(outputs):
                group = o * c.feature_groups // outputs
                rows = slice(0, batch)
                if c.batch_groups > 1:
                    part = o * c.batch_groups // outputs
                    rows = slice(part * batch, (part + 1) * batch)
                features = pixel[rows, group * inputs:(group + 1) * inputs]
                value[(slice(None), *at, o)] += features @ weights[:, o]
    return value


def convolution_programs(element: ElementType):
    for name, c in CONVOLUTIONS.items():
        x, kernel = (small_integers(element, shape, part) for shape, part in (
            (c.operand, "image"), (c.kernel, "kernel")))
        yield convolution(f"{element.name}/{name}", x, kernel, element, c)
    yield from ordered(element)
    if element.is_integer and element.bits >= 32:
        c = CONVOLUTIONS["padded"]
        x, kernel = (large_integers(element, shape, part) for shape, part in (
            (c.operand, "image"), (c.kernel, "kernel")))
        yield convolution(f"{element.name}/large_numbers", x, kernel, element, c)
    if element in FLOATS:
        c = CONVOLUTIONS["padded"]
        x, kernel = (ordinary(element, shape, part) for shape, part in (
            (c.operand, "image"), (c.kernel, "kernel")))
        yield convolution(f"{element.name}/fractions", x, kernel, element, c, kind="sum",
                          ulps=4 if element in (F16, BF16) else 32, of_max=True)
    if element in (F16, BF16):
        c = CONVOLUTIONS["padded"]
        x, kernel = (wide_sums(element, shape, part) for shape, part in (
            (c.operand, "image"), (c.kernel, "kernel")))
        yield convolution(f"{element.name}_{element.name}_to_f32", x, kernel, F32, c)


# How the dimensions of image, kernel and result lie: what JAX and PyTorch send, and what gradients
# make of it.
ORDERS = {"channels_first": ("bf01", "oi01", "bf01"), "batch_last": ("f01b", "i01o", "01bf"),
          "all_mixed": ("0bf1", "1oi0", "f1b0")}


def ordered(element: ElementType):
    """Images, kernels and results in every order of dimensions."""
    c = CONVOLUTIONS["strided"]
    x, kernel = (small_integers(element, shape, part) for shape, part in (
        (c.operand, "image"), (c.kernel, "kernel")))
    usual = ("b01f", "01io", "b01f")
    for name, orders in ORDERS.items():
        program = convolution(f"{element.name}/{name}", x, kernel, element, c)
        arrays = [x, kernel, program.results[0].value]
        placed = [np.ascontiguousarray(np.transpose(a, [was.index(d) for d in order]))
                  for a, was, order in zip(arrays, usual, orders)]
        numbers = ["[" + ", ".join(order) + "]" for order in orders]
        plain = ["[" + ", ".join(order) + "]" for order in usual]
        text = program.text.replace(f"{plain[0]}x{plain[1]}->{plain[2]}",
                                    f"{numbers[0]}x{numbers[1]}->{numbers[2]}")
        for was, now in zip(arrays, placed):
            text = text.replace(tensor_of(was), f"<{id(now)}>")
        for was, now in zip(arrays, placed):
            text = text.replace(f"<{id(now)}>", tensor_of(now))
        yield Program(program.name, text, placed[:2], [Result(placed[2], any_zero_sign=True)])


def convolution(name, x, kernel, element, c: Convolution, **options) -> Program:
    value = convolved(x, kernel, c)
    value = round_to(element, value) if element in FLOATS else value.astype(element.dtype)
    rank = len(c.strides)
    spatial = ", ".join(map(str, range(rank)))
    windows = [f"stride = {list(c.strides)}", f"pad = {[list(p) for p in c.padding]}",
               f"lhs_dilate = {list(c.operand_dilation)}",
               f"rhs_dilate = {list(c.kernel_dilation)}"]
    if c.reversal:
        windows.append(f"reverse = {str(list(c.reversal)).lower()}")
    body = (f"%r = stablehlo.convolution(%a0, %a1) dim_numbers = [b, {spatial}, f]x[{spatial}, i, o]"
            f"->[b, {spatial}, f], window = {{{', '.join(windows)}}} "
            f"{{batch_group_count = {c.batch_groups} : i64, feature_group_count = "
            f"{c.feature_groups} : i64, precision_config = [#stablehlo<precision HIGHEST>, "
            f"#stablehlo<precision HIGHEST>]}} : {signature([x, kernel], value)}")
    return Program(name, main_of([x, kernel], [value], body), [x, kernel],
                   [Result(value, any_zero_sign=True, **options)])


ROWS = [
    Op("dot_general", NUMBERS, dot_programs),
    Op("convolution", NUMBERS, convolution_programs),
]
