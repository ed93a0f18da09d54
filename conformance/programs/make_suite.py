#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes those programs of suite/ that are too long to write by hand: many arguments, many results,
every common type. Afterwards regenerate.py makes the artifacts."""

import pathlib

SUITE = pathlib.Path(__file__).resolve().parent / "suite"


def w(name: str, text: str) -> None:
    (SUITE / f"{name}.mlir").write_text(text)


# 200 arguments, each with a weight of its own
args=', '.join(f'%a{i}: tensor<2xf32>' for i in range(200))
lines=[]
lines.append('    %s0 = stablehlo.constant dense<0.0> : tensor<2xf32>')
for i in range(200):
    lines.append(f'    %c{i} = stablehlo.constant dense<{i+1}.0> : tensor<2xf32>')
    lines.append(f'    %m{i} = stablehlo.multiply %a{i}, %c{i} : tensor<2xf32>')
    lines.append(f'    %s{i+1} = stablehlo.add %s{i}, %m{i} : tensor<2xf32>')
w('many_arguments', f'module @many_arguments {{\n  func.func public @main({args}) -> tensor<2xf32> {{\n'+'\n'.join(lines)+'\n    return %s200 : tensor<2xf32>\n  }\n}\n')
# 65 results of four shapes
def shape(i): return ['tensor<f32>','tensor<2xf32>','tensor<2x3xf32>','tensor<1x2x3xf32>'][i%4]
res=', '.join(shape(i) for i in range(65))
lines=[]
for i in range(65):
    t=shape(i)
    lines.append(f'    %c{i} = stablehlo.constant dense<{i}.0> : {t}')
    lines.append(f'    %b{i} = "stablehlo.broadcast_in_dim"(%arg0) {{broadcast_dimensions = array<i64>}} : (tensor<f32>) -> {t}')
    lines.append(f'    %r{i} = stablehlo.add %b{i}, %c{i} : {t}')
w('many_results', f'module @many_results {{\n  func.func public @main(%arg0: tensor<f32>) -> ({res}) {{\n'+'\n'.join(lines)+'\n    return '+', '.join(f'%r{i}' for i in range(65))+f' : {res}\n  }}\n}}\n')
# every common type, ranks 0 to 6
T=['i1','i8','i16','i32','i64','ui8','ui16','ui32','ui64','f16','bf16','f32','f64','complex<f32>','complex<f64>']
D=['','2x','2x3x','1x2x3x','2x1x3x2x','1x2x1x3x2x','2x1x2x1x2x1x','3x0x']
ts=[f'tensor<{D[i%8]}{t}>' for i,t in enumerate(T)]
w('of_types','module @of_types {\n  func.func public @main('+', '.join(f'%a{i}: {t}' for i,t in enumerate(ts))+') -> ('+', '.join(reversed(ts))+') {\n    return '+', '.join(f'%a{i}' for i in reversed(range(len(ts))))+' : '+', '.join(reversed(ts))+'\n  }\n}\n')
