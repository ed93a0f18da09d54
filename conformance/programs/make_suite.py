#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes those programs of suite/ that are too long to write by hand: many arguments, many results,
every common type. Afterwards regenerate.py makes the artifacts. Constants come first, the last one
before the others: so the serializer leaves them."""

import pathlib

SUITE = pathlib.Path(__file__).resolve().parent / "suite"


def write(name: str, arguments: list[str], results: list[str], body: list[str], values: list[str]):
    """A program whose main has these arguments and lines, and returns these values."""
    types = ", ".join(results)
    if len(results) > 1:
        types = f"({types})"
    lines = "".join(f"    {line}\n" for line in body)
    returned = f"return {', '.join(values)} : {', '.join(results)}"
    (SUITE / f"{name}.mlir").write_text(
        f"module @{name} {{\n  func.func public @main({', '.join(arguments)}) -> {types} {{\n"
        f"{lines}    {returned}\n  }}\n}}\n")


def constant(name: str, value: int, type_: str) -> str:
    return f"{name} = stablehlo.constant dense<{value}.0> : {type_}"


def many_arguments():
    """200 arguments, each with a weight of its own."""
    pair, numbers = "tensor<2xf32>", range(200)
    body = [constant(f"%c{i}", i + 1, pair) for i in reversed(numbers)] + [constant("%s0", 0, pair)]
    for i in numbers:
        body.append(f"%m{i} = stablehlo.multiply %a{i}, %c{i} : {pair}")
        body.append(f"%s{i + 1} = stablehlo.add %s{i}, %m{i} : {pair}")
    write("many_arguments", [f"%a{i}: {pair}" for i in numbers], [pair], body, ["%s200"])


def many_results():
    """65 results of four shapes."""
    shapes = ["tensor<f32>", "tensor<2xf32>", "tensor<2x3xf32>", "tensor<1x2x3xf32>"]
    types = [shapes[i % 4] for i in range(65)]
    body = [constant(f"%c{i}", i, types[i]) for i in reversed(range(65))]
    for i, type_ in enumerate(types):
        body.append(f'%b{i} = "stablehlo.broadcast_in_dim"(%arg0) '
                    f"{{broadcast_dimensions = array<i64>}} : (tensor<f32>) -> {type_}")
        body.append(f"%r{i} = stablehlo.add %b{i}, %c{i} : {type_}")
    write("many_results", ["%arg0: tensor<f32>"], types, body, [f"%r{i}" for i in range(65)])


def of_types():
    """Every common type, ranks 0 to 6; the arguments come back in the other order."""
    elements = ["i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "bf16", "f32",
                "f64", "complex<f32>", "complex<f64>"]
    dims = ["", "2x", "2x3x", "1x2x3x", "2x1x3x2x", "1x2x1x3x2x", "2x1x2x1x2x1x", "3x0x"]
    types = [f"tensor<{dims[i % 8]}{element}>" for i, element in enumerate(elements)]
    write("of_types", [f"%a{i}: {type_}" for i, type_ in enumerate(types)], types[::-1], [],
          [f"%a{i}" for i in reversed(range(len(types)))])


if __name__ == "__main__":
    many_arguments()
    many_results()
    of_types()
