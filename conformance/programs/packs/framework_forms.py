# SPDX-License-Identifier: Apache-2.0
"""How JAX writes donation, layouts, shardings and memory kinds on functions, in programs of one
device."""

import numpy as np

from element_types import F32, ordinary
from jax_programs import FOLDER, exact
from program import Op, Program

OPTIONS = (FOLDER / "while.compileopts.pb").read_bytes()
T = "tensor<4x8xf32>"


def module(arguments: str, results: str, body: str, before: str = "") -> str:
    return f"""module @jit_form attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} {{
{before}
func.func public @main({arguments}) -> ({results}) {{
{body}
}}
}}
"""


ADD_ONE = f"""%c = stablehlo.constant dense<1.0> : {T}
%r = stablehlo.add %a, %c : {T}
return %r : {T}"""
ONE_MESH = 'sdy.mesh @mesh = <["x"=1]>'
ROWS_OF_MESH = '#sdy.sharding<@mesh, [{"x"}, {}]>'


def plain(name, argument="", result="", before="", body=ADD_ONE) -> Program:
    x = ordinary(F32, (4, 8), "form")
    return program(name, module(f"%a: {T} {{{argument}}}", f'{T} {{jax.result_info = "result"{result}}}',
                                body, before), [x], [x + np.float32(1)])


def program(name, text, arguments, values) -> Program:
    return Program(name, text, arguments, [exact(v) for v in values], options=OPTIONS)


def programs(_) -> list[Program]:
    x, y = ordinary(F32, (4, 8), "form"), ordinary(F32, (4, 8), "other")
    made = [
        plain("buffer_donor", "jax.buffer_donor = true"),
        plain("aliasing_output", "tf.aliasing_output = 0 : i32"),
        plain("layout_auto", 'mhlo.layout_mode = "auto"', ', mhlo.layout_mode = "auto"'),
        plain("layout_default", 'mhlo.layout_mode = "default"', ', mhlo.layout_mode = "default"'),
        plain("layout_explicit", 'mhlo.layout_mode = "{1,0}"', ', mhlo.layout_mode = "{1,0}"'),
        plain("shardy_one_device", f"sdy.sharding = {ROWS_OF_MESH}", f", sdy.sharding = {ROWS_OF_MESH}",
              ONE_MESH),
        plain("shardy_empty_mesh", "sdy.sharding = #sdy.sharding<@empty_mesh, [{}, {}]>",
              ", sdy.sharding = #sdy.sharding<@empty_mesh, [{}, {}]>", "sdy.mesh @empty_mesh = <[]>"),
        plain("shardy_constraint", f"sdy.sharding = {ROWS_OF_MESH}", "", ONE_MESH,
              f"""%c = stablehlo.constant dense<1.0> : {T}
%s = stablehlo.add %a, %c : {T}
%r = sdy.sharding_constraint %s <@mesh, [{{}}, {{"x"}}]> : {T}
return %r : {T}"""),
        plain("gspmd_replicated", 'mhlo.sharding = "{replicated}"', ', mhlo.sharding = "{replicated}"',
              "", f"""%c = stablehlo.constant dense<1.0> : {T}
%s = stablehlo.add %a, %c : {T}
%r = stablehlo.custom_call @Sharding(%s) {{mhlo.sharding = "{{replicated}}"}} : ({T}) -> {T}
return %r : {T}"""),
        plain("frontend_attributes", body=f"""%c = stablehlo.constant dense<1.0> : {T}
%r = stablehlo.add %a, %c {{mhlo.frontend_attributes = {{who = "conformance"}}}} : {T}
return %r : {T}"""),
    ]
    body = f"""%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x"}}, {{}}]>] out_shardings=[<@mesh, [{{"x"}}, {{}}]>] manual_axes={{"x"}} (%b: {T}) {{
%c = stablehlo.constant dense<1.0> : {T}
%s = "stablehlo.all_reduce"(%b) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}}> ({{
^bb0(%x: tensor<f32>, %y: tensor<f32>):
%z = stablehlo.add %x, %y : tensor<f32>
stablehlo.return %z : tensor<f32>
}}) : ({T}) -> {T}
%r = stablehlo.add %s, %c : {T}
sdy.return %r : {T}
}} : ({T}) -> {T}
return %0 : {T}"""
    made.append(plain("shard_map_one_device", f"sdy.sharding = {ROWS_OF_MESH}", "", ONE_MESH, body))
    text = module(f"%a: {T}, %b: {T} {{tf.aliasing_output = 1 : i32}}, %unused: tensor<i1>",
                  f"{T}, {T}, {T}, tensor<0xf32>", f"""%e = stablehlo.constant dense<> : tensor<0xf32>
%s = stablehlo.subtract %b, %a : {T}
return %a, %s, %a, %e : {T}, {T}, {T}, tensor<0xf32>""")
    made.append(program("many_results", text, [x, y, np.array(True)],
                        [x, y - x, x, np.zeros(0, np.float32)]))
    return sorted(made, key=lambda p: p.name)


ROWS = [Op("form", [F32], programs, "frameworks")]
