# SPDX-License-Identifier: Apache-2.0
"""Collective ops among one device, as JAX writes them for a mesh of one."""

import numpy as np

from element_types import F32, S32, U32, ElementType
from elementwise import signature
from movement import marked
from program import Op, Program, Result, main_of, tensor

TYPES = [S32, F32]
ALONE = "replica_groups = dense<0> : tensor<1x1xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"


def alone(op: str, attributes: str, region: bool = False):
    def make(element: ElementType):
        x, scalar = marked(element, (4, 6)), tensor(element, ())
        added = f""" ({{
^bb0(%x: {scalar}, %y: {scalar}):
%z = stablehlo.add %x, %y : {scalar}
stablehlo.return %z : {scalar}
}})""" if region else ""
        body = f'%r = "stablehlo.{op}"(%a0){added} {{{attributes}}} : {signature([x], x)}'
        yield Program(element.name, main_of([x], [x], body), [x], [Result(x)])

    return Op(op, TYPES, make)


def id_op(op: str) -> Op:
    def make(element: ElementType):
        value = np.array(0, np.uint32)
        yield Program(element.name, main_of([], [value], f"%r = stablehlo.{op} : tensor<ui32>"), [],
                      [Result(value)])

    return Op(op, [U32], make)


ROWS = [
    alone("all_reduce", f"{ALONE}, {CHANNEL}, use_global_device_ids", True),
    alone("reduce_scatter", f"scatter_dimension = 1 : i64, {ALONE}, {CHANNEL}, "
          "use_global_device_ids", True),
    alone("all_gather", f"all_gather_dim = 0 : i64, {ALONE}, {CHANNEL}, use_global_device_ids"),
    alone("all_to_all", f"split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : "
          f"i64, {ALONE}, {CHANNEL}"),
    alone("collective_permute", f"source_target_pairs = dense<0> : tensor<1x2xi64>, {CHANNEL}"),
    alone("collective_broadcast", f"{ALONE}, {CHANNEL}"),
    id_op("partition_id"),
    id_op("replica_id"),
]
