# SPDX-License-Identifier: Apache-2.0
"""Ops whose shape is an operand, with result types that say what it comes to: what is left of them
when a framework has refined a program."""

import numpy as np

from element_types import F32, S32, ElementType, small_integers

from movement import marked, padded
from products import CONVOLUTIONS, convolved
from indexing import SHAPES, gathered, index_array, list_of
from program import Op, Program, Result, main_of, tensor_of

TYPES = [S32, F32]


def with_shape(name, arguments, value, line) -> Program:
    return Program(name, main_of(arguments, [value], line), arguments, [Result(value)])


def constant(name: str, values) -> str:
    array = np.array(values, np.int64)
    return f"%{name} = stablehlo.constant dense<{array.tolist()}> : {tensor_of(array)}\n"


def shape_type(values) -> str:
    return f"tensor<{len(values)}xi64>"


def broadcast(element: ElementType):
    x = marked(element, (1, 5))
    value = np.broadcast_to(x.reshape(1, 1, 5), (2, 3, 5)).copy()
    yield with_shape(element.name, [x], value, constant("s", [2, 3, 5]) +
                     f"%r = stablehlo.dynamic_broadcast_in_dim %a0, %s, dims = [1, 2] : "
                     f"({tensor_of(x)}, {shape_type([2, 3, 5])}) -> {tensor_of(value)}")


def reshape(element: ElementType):
    x = marked(element, (3, 4))
    value = x.reshape(2, 6)
    yield with_shape(element.name, [x], value, constant("s", [2, 6]) +
                     f"%r = stablehlo.dynamic_reshape %a0, %s : ({tensor_of(x)}, tensor<2xi64>) -> "
                     f"{tensor_of(value)}")


def iota(element: ElementType):
    value = np.broadcast_to(np.arange(4), (3, 4)).astype(element.dtype)
    yield with_shape(element.name, [], value, constant("s", [3, 4]) +
                     f"%r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> "
                     f"{tensor_of(value)}")


def pad(element: ElementType):
    x, fill = marked(element, (3, 4)), marked(element, (), "fill")
    low, high, interior = [1, -1], [0, 2], [1, 0]
    value = padded(x, fill, low, high, interior)
    yield with_shape(element.name, [x, fill], value, constant("l", low) + constant("h", high) +
                     constant("i", interior) +
                     f"%r = stablehlo.dynamic_pad %a0, %a1, %l, %h, %i : ({tensor_of(x)}, "
                     f"{tensor_of(fill)}, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> "
                     f"{tensor_of(value)}")


def gather(element: ElementType):
    shape = SHAPES["windows"]
    x, indices = marked(element, shape.operand), index_array(shape, S32)
    value = gathered(x, indices, shape)
    yield with_shape(element.name, [x, indices], value, constant("s", shape.slices) +
                     '%r = "stablehlo.dynamic_gather"(%a0, %a1, %s) {dimension_numbers = '
                     "#stablehlo.gather<" + list_of("offset_dims", shape.offset) +
                     list_of("start_index_map", shape.start_map) +
                     f"index_vector_dim = {shape.index_axis}>, indices_are_sorted = false}} : "
                     f"({tensor_of(x)}, {tensor_of(indices)}, tensor<2xi64>) -> {tensor_of(value)}")


def convolution(element: ElementType):
    c = CONVOLUTIONS["padded"]
    x, kernel = small_integers(element, c.operand, "x"), small_integers(element, c.kernel, "k")
    value = convolved(x, kernel, c).astype(element.dtype)
    padding = np.array(c.padding, np.int64)
    program = with_shape(element.name, [x, kernel], value,
                         f"%p = stablehlo.constant dense<{padding.tolist()}> : tensor<2x2xi64>\n"
                         '%r = "stablehlo.dynamic_conv"(%a0, %a1, %p) {dimension_numbers = '
                         "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
                         "batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
                         f"({tensor_of(x)}, {tensor_of(kernel)}, tensor<2x2xi64>) -> "
                         f"{tensor_of(value)}")
    program.results[0].any_zero_sign = True
    yield program


ROWS = [
    Op("dynamic_broadcast_in_dim", TYPES, broadcast),
    Op("dynamic_reshape", TYPES, reshape),
    Op("dynamic_iota", TYPES, iota),
    Op("dynamic_pad", TYPES, pad),
    Op("dynamic_gather", TYPES, gather),
    Op("dynamic_conv", TYPES, convolution),
]
