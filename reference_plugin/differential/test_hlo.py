# SPDX-License-Identifier: Apache-2.0
"""Programs that reach the plugin as HLO: those that PyTorch/XLA sent, and a sample of JAX's.

`--hlo` sends all that the other files run on the plugin as HLO.
"""

import importlib
import math
import pathlib
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.interpreters import mlir
from jaxlib import _hlo, _jax
from jaxlib.mlir import ir

import backends
import cases
from cases import Case
from compare import EXACT, Tolerance

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "conformance/programs"
TORCH = sorted((PROGRAMS / "pytorch-xla-2.9").glob("*.hlo.pb"))
TEXTS = sorted((PROGRAMS / "jax-0.10.2").glob("*.mlir.txt")) + sorted((PROGRAMS / "suite").glob("*.mlir"))
# Programs for two devices, which are compiled. XLA spells manual computations as calls.
TWO_DEVICES = {"gspmd_shard_out", "shard_jit", "shard_out", "sharded", "pmap", "shard_map_many", "shard_map_psum"}
MODULES = dict(re.findall(r"^// (\w+)\n(.*?ENTRY.*?)(?=\n// |\Z)",
                          (pathlib.Path(__file__).parent / "testdata/hlo_modules.txt").read_text(), re.M | re.S))
# Modules that XLA's own CPU does not take, or its conversion to StableHLO: what they compute.
SPELLED_OUT = {
    "fusions_of_fusions": lambda p: [(p * p + p) ** 2 + (p * p + p)],
    "asynchronous_ops": lambda p, q: [-(p + q)[1::2]],
    "an_all_to_all_of_a_tuple": lambda p: [p],
    "functions_that_stablehlo_has_not": lambda p: [
        np.arcsin(p / 2), np.arccos(p / 2), np.arctanh(p / 2), np.vectorize(math.erf)(p).astype(p.dtype), np.sinh(p),
        np.cosh(p), np.arcsinh(p), np.arccosh(p + 2)],
}
SUMS = Tolerance(ulps=64, of_max=64, zero_sign=False)
# Batch normalization of an image of one color: XLA's variance, a difference of two sums, is negative.
NO_ORACLE = {"conv_1"}
# A custom call with a tuple as its result, which is refused in StableHLO.
NO_TWIN = {"linalg_4"}
pytestmark = pytest.mark.plugin_only

# The programs of plinth-conformance: for each op of StableHLO, every type and form of it. XLA makes no HLO of
# dynamic_conv.
sys.path.append(str(PROGRAMS / "packs"))
PACKS = {row.name: row for table in ("elementwise", "conversions", "movement", "indexing", "reductions", "products",
                                     "algorithms", "control", "random_bits", "dynamic")
         for row in importlib.import_module(table).ROWS if row.folder == "ops" and row.name != "dynamic_conv"}
# XLA makes several ops of these where numbers are complex.
SPELLED_BY_XLA = {"exponential", "log", "log_plus_one", "sqrt"}


def name_of(path) -> str:
    return path.name.partition(".")[0]


def twin(path):
    return path.with_name(name_of(path) + ".mlirbc")


def parsed(text: str | bytes) -> ir.Module:
    return ir.Module.parse(text, mlir.make_ir_context())


def as_stablehlo(hlo: bytes) -> str:
    """What XLA makes of an HLO module."""
    return str(parsed(_jax.mlir.hlo_to_stablehlo(hlo)))


def dtype_of(element: str) -> np.dtype:
    named = {"i1": np.bool_, "bf16": jnp.bfloat16, "complex<f32>": np.complex64, "complex<f64>": np.complex128}
    if element in named:
        return np.dtype(named[element])
    if element.startswith("ui"):
        return np.dtype("uint" + element[2:])
    return np.dtype(("int" if element[0] == "i" else "float") + element[1:])


def arguments(text: str) -> list[np.ndarray]:
    """Random ones, as the program's main function takes them."""
    random = np.random.default_rng(19)
    main = next(op for op in parsed(text).body.operations if "main" in str(op.name))
    made = []
    for type_of_input in main.type.inputs:
        shaped = ir.RankedTensorType(type_of_input)
        dtype = dtype_of(str(shaped.element_type))
        values = (random.integers(0, 2, list(shaped.shape)) if dtype.kind in "bui"
                  else random.random(list(shaped.shape)) + 0.1)
        made.append(np.asarray(values).astype(dtype))
    return made


def test_there_are_programs():
    assert len(TORCH) == 33
    assert sum(twin(path).exists() for path in TORCH) == 29
    assert len(TEXTS) >= 55


@pytest.mark.parametrize("path", TORCH, ids=name_of)
def test_pytorch_program(path):
    """As what XLA makes of it; and, if recorded in both modes, as its StableHLO."""
    hlo = path.read_bytes()
    text = as_stablehlo(hlo)
    args = arguments(text)
    got = backends.run_hlo(hlo, args)
    case = Case(name_of(path), None, tuple(args), SUMS)
    if name_of(path) not in NO_ORACLE:
        cases.report([case], [backends.run_text_on_builtin(text, *args)], [got])
    if twin(path).exists() and name_of(path) not in NO_TWIN:
        expected = backends.run_hlo(twin(path).read_bytes(), args, format="mlir")
        cases.report([case], [expected], [got])


@pytest.mark.parametrize("format", ["hlo", "mlir"])
@pytest.mark.parametrize("name", ["spmdlin_1", "spmdlin_2"])
def test_pytorch_program_for_two_devices(name, format):
    """Its shardings are its own, the number of devices is said in the compile options alone."""
    path = PROGRAMS / f"pytorch-xla-2.9/{name}.hlo.pb"
    args = arguments(as_stablehlo(path.read_bytes()))
    expected = backends.run_hlo(path.read_bytes(), args)
    program = path if format == "hlo" else twin(path)
    by_rows = {"spmdlin_1": {1, 2}, "spmdlin_2": {2}}[name]
    got = backends.run_on_two_devices(program.read_bytes(), args, by_rows, format)
    # The weight stays where it was: the next step takes it from here.
    assert got[5].sharding.shard_shape((4, 4)) == ((2, 4) if 1 in by_rows else (4, 4))
    cases.report([Case(name, None, tuple(args), SUMS)], [expected], [[np.asarray(x) for x in got]])


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_program_in_both_forms(path):
    """The same results bit by bit, or the same error."""
    text = path.read_text()
    hlo = backends.to_hlo(text)
    if name_of(path) in TWO_DEVICES:
        backends.compile_hlo_for_two_devices(hlo).wait()
        return
    args = arguments(text)
    expected = results_or_code(text.encode(), args, "mlir")
    got = results_or_code(hlo, args, "hlo")
    if isinstance(expected, str):
        assert got == expected
    else:
        cases.report([Case(name_of(path), None, tuple(args), EXACT)], [expected], [got])


@pytest.mark.parametrize("op", PACKS)
def test_op_in_both_forms(op):
    """Some programs of the op's pack: bit by bit the same results as from StableHLO, which the pack's own are."""
    with np.errstate(all="ignore"):  # Edge values are meant.
        programs = list(PACKS[op].programs())
    tolerance = SUMS if op in SPELLED_BY_XLA else EXACT
    for program in {p.name: p for p in (programs[0], programs[len(programs) // 2], programs[-1])}.values():
        expected = results_or_code(program.text.encode(), program.arguments, "mlir")
        got = results_or_code(backends.to_hlo(program.text), program.arguments, "hlo")
        assert not isinstance(expected, str), expected
        cases.report([Case(program.name, None, tuple(program.arguments), tolerance)], [expected], [got])


def hlo_of_module(name: str) -> bytes:
    return _hlo.hlo_module_from_text(f"HloModule {name}\n{MODULES[name]}").as_serialized_hlo_module_proto()


def test_there_are_modules():
    assert len(MODULES) == 30 and not SPELLED_OUT.keys() - MODULES.keys()


@pytest.mark.parametrize("name", MODULES)
def test_module_in_text(name):
    """What odd but legal modules compute, beside XLA's own CPU where it takes them."""
    hlo = hlo_of_module(name)
    if name in SPELLED_OUT:
        count = MODULES[name].partition("ENTRY")[2].count("parameter(")
        args = [np.linspace(0.1, 0.9, 4, dtype=np.float32) + i for i in range(count)]
        expected = SPELLED_OUT[name](*args)
    else:
        text = as_stablehlo(hlo)
        args = arguments(text)
        expected = backends.run_text_on_builtin(text, *args)
    got = backends.run_hlo(hlo, args)
    cases.report([Case(name, None, tuple(args), SUMS)], [expected], [got])


def results_or_code(program, args, format):
    """An error's code, for programs that need handlers or callbacks which nobody brings here."""
    try:
        return backends.run_hlo(program, args, format=format)
    except RuntimeError as error:
        return error.code


def test_a_donated_argument_is_aliased():
    function = jax.jit(lambda x, y: (x + y, y), donate_argnums=0)
    lowered = function.lower(np.ones(1000, np.float32), np.ones(1000, np.float32))
    executable = backends.compile_hlo(backends.to_hlo(lowered.as_text()))
    x, y = (backends.put(np.full(1000, value, np.float32)) for value in (1, 2))
    results = executable(x, y)
    np.testing.assert_array_equal(np.asarray(results[0]), np.full(1000, 3, np.float32))
    assert x.is_deleted and not y.is_deleted


def test_a_serialized_executable_keeps_the_format():
    hlo = backends.to_hlo("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                          "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n"
                          "  return %0 : tensor<3xf32>\n}")
    serialized = backends.compile_hlo(hlo).serialize()
    assert len(serialized) > 100


def test_errors_name_instruction_and_computation():
    with pytest.raises(RuntimeError, match="UNIMPLEMENTED.*custom-call.*main"):
        backends.run_hlo(backends.to_hlo(
            "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
            "  %0 = stablehlo.custom_call @nobody_has_it(%x) : (tensor<3xf32>) -> tensor<3xf32>\n"
            "  return %0 : tensor<3xf32>\n}"), [np.ones(3, np.float32)])
