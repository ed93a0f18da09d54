# SPDX-License-Identifier: Apache-2.0
"""jaxlib's own passes, and our tool, on programs in text: what tests of the partitioner compare."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
  from jax._src.interpreters import mlir as jax_mlir
  from jaxlib.mlir import ir, passmanager
  from jaxlib.mlir.dialects import stablehlo
except ImportError as error:
  sys.exit(f"this Python has no JAX ({error}): scripts/install_dependencies --tests")

PROGRAMS = pathlib.Path(__file__).parent / "../../../conformance/programs/jax-0.10.2"


def context():
  made = jax_mlir.make_ir_context()
  made.enable_multithreading(False)
  return made


def run_pass(pipeline: str, program: "str | bytes") -> "ir.Module":
  """The program, as text or bytecode, after the pass. Call it within a context."""
  if isinstance(program, bytes):
    module = stablehlo.deserialize_portable_artifact(ir.Context.current, program)
  else:
    module = ir.Module.parse(program)
  # The passes warn of what they do not know.
  saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
  os.dup2(null, 2)
  try:
    passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
  finally:
    os.dup2(saved, 2)
    os.close(saved)
    os.close(null)
  return module


def walk(operation):
  """Every op in it, an op before what is inside of it."""
  for region in operation.regions:
    for block in region.blocks:
      for op in block.operations:
        yield op.operation
        yield from walk(op.operation)


def run_tool(tool: str, what: str, programs: "list[str | bytes]") -> list[list[str]]:
  """The lines that the tool prints for each program."""
  with tempfile.TemporaryDirectory() as folder:
    paths = []
    for number, program in enumerate(programs):
      path = pathlib.Path(folder, f"{number}.mlir")
      path.write_bytes(program if isinstance(program, bytes) else program.encode())
      paths.append(path)
    done = subprocess.run([tool, what, *paths], capture_output=True, text=True, check=False)
  if done.returncode != 0:
    sys.exit(f"{tool} ended with {done.returncode}: {done.stderr}")
  parts = re.split(r"(?m)^== .*\n", done.stdout)[1:]
  return [part.splitlines() for part in parts]
