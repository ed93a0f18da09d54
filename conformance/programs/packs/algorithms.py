# SPDX-License-Identifier: Apache-2.0
"""Ops that are algorithms: linear algebra, Fourier transforms, batch normalization."""

import numpy as np

from element_types import (BF16, C64, C128, COMPLEX, F16, F32, F64, FLOATS, ElementType, ordinary, round_to)
from elementwise import signature
from program import Op, Program, Result, main_of, tensor_of

FULL = [F32, F64, C64, C128]


def wide(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def cholesky_programs(element: ElementType):
    for name, shape in [("matrix", (5, 5)), ("one", (1, 1)), ("batch", (2, 3, 4, 4)),
                        ("large", (33, 33)), ("empty", (0, 3, 3))]:
        root = ordinary(element, shape, "cholesky", low=-1, high=1)
        x = (wide(root) @ adjoint(wide(root)) + shape[-1] * np.eye(shape[-1])).astype(element.dtype)
        factor = np.linalg.cholesky(wide(x)) if x.size else wide(x)
        inside = np.tril(np.ones(shape[-2:], bool))
        for lower in (True, False):
            value = factor if lower else adjoint(factor)
            kept = inside if lower else inside.T
            # The other triangle is the implementation's.
            body = (f"%r = stablehlo.cholesky %a0, lower = {str(lower).lower()} : "
                    f"{tensor_of(x)}")
            value = value.astype(element.dtype)
            yield Program(f"{element.name}/{'lower' if lower else 'upper'}_{name}",
                          main_of([x], [value], body), [x],
                          [Result(value, "algorithm", 64, of_max=True,
                                  not_asked=np.broadcast_to(~kept, shape).copy())])


def triangular_solve_programs(element: ElementType):
    for left in (True, False):
        for lower in (True, False):
            for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                yield triangular_solve(element, (5, 5), (5, 3) if left else (3, 5), left, lower,
                                       transpose, False)
    yield triangular_solve(element, (2, 4, 4), (2, 4, 3), True, True, "NO_TRANSPOSE", False, "_batch")
    yield triangular_solve(element, (5, 5), (5, 2), True, False, "NO_TRANSPOSE", True, "_unit")
    yield triangular_solve(element, (29, 29), (29, 7), True, True, "NO_TRANSPOSE", False, "_large")


def triangular_solve(element, shape, right_shape, left, lower, transpose, unit, more=""):
    # Half of what is given is not read: it must not matter.
    a = wide(ordinary(element, shape, "triangle", low=-0.3, high=0.3))
    a = (a + 2 * np.eye(shape[-1])).astype(element.dtype)
    b = ordinary(element, right_shape, "right")
    read = np.tril(wide(a)) if lower else np.triu(wide(a))
    if unit:
        read = read - read * np.eye(shape[-1]) + np.eye(shape[-1])
    read = {"NO_TRANSPOSE": read, "TRANSPOSE": np.swapaxes(read, -1, -2),
            "ADJOINT": adjoint(read)}[transpose]
    if left:
        value = np.linalg.solve(read, wide(b))
    else:
        value = np.swapaxes(np.linalg.solve(np.swapaxes(read, -1, -2), np.swapaxes(wide(b), -1, -2)),
                            -1, -2)
    value = value.astype(element.dtype)
    body = (f'%r = "stablehlo.triangular_solve"(%a0, %a1) {{left_side = {str(left).lower()}, '
            f"lower = {str(lower).lower()}, unit_diagonal = {str(unit).lower()}, "
            f"transpose_a = #stablehlo<transpose {transpose}>}} : {signature([a, b], value)}")
    name = "_".join([("left" if left else "right"), ("lower" if lower else "upper"),
                     transpose.lower()]) + more
    return Program(f"{element.name}/{name}", main_of([a, b], [value], body), [a, b],
                   [Result(value, "algorithm", 64, of_max=True)])


def fft_programs(element: ElementType):
    """For c64 and f32 (c128, f64): the transforms that begin with the type."""
    lengths = [(8,), (5,), (3, 16), (1,), (7, 12), (2, 30)]
    if element in COMPLEX:
        real = element.real
        for shape in lengths:
            x = ordinary(element, shape, "fft")
            yield fft(element, "FFT", x, [shape[-1]], np.fft.fft(wide(x)))
            yield fft(element, "IFFT", x, [shape[-1]], np.fft.ifft(wide(x)))
            length = 2 * (shape[-1] - 1) or 1
            if shape[-1] > 1:
                yield fft(real, "IRFFT", x, [length], np.fft.irfft(wide(x), length),
                          f"_{length}", source=element)
        x = ordinary(element, (2, 4, 6), "fft")
        yield fft(element, "FFT", x, [4, 6], np.fft.fft2(wide(x)))
        yield fft(element, "IFFT", x, [2, 4, 6], np.fft.ifftn(wide(x)))
        yield fft(real, "IRFFT", x, [11], np.fft.irfft(wide(x), 11), "_odd", source=element)
    else:
        made = C64 if element is F32 else C128
        for shape in lengths + [(9,)]:
            x = ordinary(element, shape, "fft")
            yield fft(made, "RFFT", x, [shape[-1]], np.fft.rfft(wide(x)), source=element)
        x = ordinary(element, (3, 4, 6), "fft")
        yield fft(made, "RFFT", x, [4, 6], np.fft.rfft2(wide(x)), source=element)


def fft(element, kind, x, lengths, value, more="", source=None) -> Program:
    value = np.asarray(value).astype(element.dtype)
    shape = "x".join(map(str, x.shape))
    body = (f"%r = stablehlo.fft %a0, type = {kind}, length = {lengths} : "
            f"{signature([x], value)}")
    axes = "" if len(lengths) == 1 else f"_{len(lengths)}d"
    return Program(f"{(source or element).name}/{kind.lower()}{axes}_{shape}{more}",
                   main_of([x], [value], body), [x],
                   [Result(value, "algorithm", 32, of_max=True)])


SHAPE, FEATURE = (3, 4, 5), 2


def features(element, seed, low=-2.0, high=2.0):
    return ordinary(element, (SHAPE[FEATURE],), seed, low=low, high=high)


def batch_norm(name, element, arguments, values, op, ulps) -> Program:
    operands = ", ".join(f"%a{i}" for i in range(len(arguments)))
    values = [round_to(element, value) for value in values]
    types = ", ".join(map(tensor_of, values))
    count = f":{len(values)}" if len(values) > 1 else ""
    body = (f'%r{count} = "stablehlo.{op}"({operands}) {{epsilon = 0.001 : f32, feature_index = '
            f"{FEATURE} : i64}} : ({', '.join(map(tensor_of, arguments))}) -> "
            f"{'(' + types + ')' if count else types}")
    returned = ", ".join(f"%r#{i}" for i in range(len(values))) if count else "%r"
    return Program(name, main_of(arguments, values, body, returned), arguments,
                   [Result(value, "algorithm", ulps, of_max=True) for value in values])


def batch_norm_op(op) -> Op:
    def make(element):
        x, scale = ordinary(element, SHAPE, op), features(element, "scale")
        wx, ws = wide(x), wide(scale)
        axes, epsilon = (0, 1), np.float64(np.float32(0.001))
        mean, variance = wx.mean(axes), wx.var(axes)
        ulps = 4 if element in (F16, BF16) else 32
        if op == "batch_norm_training":
            offset = features(element, "offset")
            value = (wx - mean) / np.sqrt(variance + epsilon) * ws + wide(offset)
            return [batch_norm(element.name, element, [x, scale, offset], [value, mean, variance],
                               op, ulps)]
        if op == "batch_norm_inference":
            offset, given_mean = features(element, "offset"), features(element, "mean")
            given = features(element, "variance", 0.5, 3.0)
            value = (wx - wide(given_mean)) / np.sqrt(wide(given) + epsilon) * ws + wide(offset)
            return [batch_norm(element.name, element, [x, scale, offset, given_mean, given],
                               [value], op, ulps)]
        given_mean, given = round_to(element, mean), round_to(element, variance)
        grad = ordinary(element, SHAPE, "grad")
        wg, wm, wv = wide(grad), wide(given_mean), wide(given)
        count = SHAPE[0] * SHAPE[1]
        deviation, inverse = wx - wm, 1 / np.sqrt(wv + epsilon)
        to_offset = wg.sum(axes)
        to_scale = (wg * deviation).sum(axes) * inverse
        spread = deviation * (wg * deviation).sum(axes) / (wv + epsilon)
        to_x = ws * inverse / count * (count * wg - to_offset - spread)
        return [batch_norm(element.name, element, [x, scale, given_mean, given, grad],
                           [to_x, to_scale, to_offset], op, 8 * ulps)]

    return Op(op, FLOATS, make)


ROWS = [
    Op("cholesky", FULL, cholesky_programs),
    Op("triangular_solve", FULL, triangular_solve_programs),
    Op("fft", [F32, F64] + COMPLEX, fft_programs),
    batch_norm_op("batch_norm_training"),
    batch_norm_op("batch_norm_inference"),
    batch_norm_op("batch_norm_grad"),
]
