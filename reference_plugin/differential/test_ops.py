# SPDX-License-Identifier: Apache-2.0
"""Every elementwise op of ../ops/ops.toml, for each type of its row, on ordinary values.

What edge values give is for test_elementwise.py; that no op is left out is for this file.
"""

import pathlib
import sys

import jax
import numpy as np
import pytest

import backends
import values
from compare import Tolerance, difference

OPS = pathlib.Path(__file__).resolve().parents[1] / "ops"
sys.path.insert(0, str(OPS / "generate"))
import rows  # noqa: E402

TYPES = {"pred": [values.BOOL], "signed": values.SIGNED, "unsigned": values.UNSIGNED,
         "float": values.FLOATS, "complex": values.COMPLEX}
MLIR = {"bool": "i1", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
        "complex64": "complex<f32>", "complex128": "complex<f64>"}
# Attributes without a default.
ATTRIBUTES = {
    "compare": "{comparison_direction = #stablehlo<comparison_direction EQ>}",
    "reduce_precision": "{exponent_bits = 5 : i32, mantissa_bits = 3 : i32}",
}
# The comparison type follows from the element type.
COMPARE_TYPE = {"pred": "UNSIGNED", "unsigned": "UNSIGNED", "signed": "SIGNED", "float": "FLOAT",
                "complex": "FLOAT"}
# Units in the last place, by what an element takes: of reals, and of the modulus of complex numbers.
ULPS = {"none": (0, 0), "simple": (0, 4), "division": (0.5, 32), "root": (2, 32),
        "remainder": (0.5, 32), "function": (8, 256)}
# What the built-in backend does not have, and what has two types only.
NOT_BUILT_IN = {("cbrt", "complex"), ("clamp", "complex"), ("clamp", "pred"),
                ("maximum", "complex"), ("minimum", "complex")}
ONLY = {"complex": [np.dtype(np.float32), np.dtype(np.float64)]}
COUNT = 64

TABLE = [op for op in rows.load(OPS / "ops.toml").ops
         if op.category == "elementwise" and op.in_program and op.status != "refused"]
CASES = [(op, kind) for op in TABLE for kind in op.types if kind not in op.unimplemented_types]


def mlir(dtype) -> str:
    name = values.name(dtype)
    text = MLIR.get(name) or name.replace("uint", "ui").replace("int", "i")
    return f"tensor<{COUNT}x{text}>"


def result_type(op, dtype) -> str:
    real = {"complex64": np.float32, "complex128": np.float64}.get(values.name(dtype), dtype)
    to_complex = {"float32": np.complex64, "float64": np.complex128}
    return mlir({"real_part": real, "pred": values.BOOL,
                 "complex": to_complex.get(values.name(dtype)), "any": np.float32}.get(
                     op.result, dtype))


def program(op, kind, types) -> str:
    """One function with an op for each type, in the generic form, which every op has."""
    attributes = ATTRIBUTES.get(op.base, "")
    if op.base == "compare":
        attributes = attributes.replace(
            "}", f", compare_type = #stablehlo<comparison_type {COMPARE_TYPE[kind]}>}}")
    count, body, parameters, results = op.operands, [], [], []
    for t, dtype in enumerate(types):
        operands = [mlir(dtype)] * count
        if op.result == "select":
            operands[0] = mlir(values.BOOL)
        names = [f"%a{t}_{i}" for i in range(count)]
        parameters += [f"{name}: {operand}" for name, operand in zip(names, operands)]
        results.append(result_type(op, dtype))
        body.append(f'  %r{t} = "{op.name}"({", ".join(names)}) {attributes} : '
                    f"({', '.join(operands)}) -> {results[-1]}")
    returned = ", ".join(f"%r{t}" for t in range(len(types)))
    lines = "\n".join(body)
    return (f"func.func @main({', '.join(parameters)}) -> ({', '.join(results)}) {{\n{lines}\n"
            f"  return {returned} : {', '.join(results)}\n}}")


def arguments(op, types) -> list[np.ndarray]:
    made = []
    for dtype in types:
        operands = [values.random(dtype, (COUNT,), seed, -3, 3) for seed in range(op.operands)]
        if op.base in ("divide", "remainder", "power") and not values.is_float(dtype):
            operands[1] = values.random(dtype, (COUNT,), 9, 1, 5)  # What others give is undefined.
        if op.base.startswith("shift"):
            operands[1] = values.random(dtype, (COUNT,), 9, 0, 6).clip(0, None)
        if op.result == "select":
            operands[0] = values.random(values.BOOL, (COUNT,), 9)
        if op.base == "clamp":
            operands[0], operands[2] = np.minimum(operands[0], operands[2]), np.maximum(
                operands[0], operands[2])
        made += operands
    return made


@pytest.mark.parametrize("op, kind", CASES, ids=[f"{op.base}-{kind}" for op, kind in CASES])
def test_row(op, kind):
    types = ONLY.get(op.base, TYPES[kind])
    text, args = program(op, kind, types), arguments(op, types)
    if (op.base, kind) in NOT_BUILT_IN:
        with pytest.raises(jax.errors.JaxRuntimeError):
            backends.run_text_on_builtin(text, *args)
        assert len(backends.run_text_on_plugin(text, *args)) == len(types)
        return
    expected = backends.run_text_on_builtin(text, *args)
    got = backends.run_text_on_plugin(text, *args)
    is_exact = kind not in ("float", "complex") or op.result in ("any", "same_bits", "select", "pred")
    tolerance = Tolerance(ulps=0 if is_exact else ULPS[op.work][kind == "complex"])
    for dtype, e, g in zip(types, expected, got):
        assert not difference(e, g, tolerance), values.name(dtype)
