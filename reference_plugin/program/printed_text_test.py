#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What print_program writes is the same program to jaxlib's own MLIR: for every bytecode file of
the tests, jaxlib parses our text and prints it exactly as it prints its own reading of the bytecode.

usage: printed_text_test.py PRINT_PROGRAM
"""

import pathlib
import subprocess
import sys

try:
  from jax._src.interpreters import mlir as jax_mlir
  from jaxlib.mlir import ir
  from jaxlib.mlir.dialects import stablehlo
except ImportError as error:
  sys.exit(f"this Python has no JAX ({error}): scripts/install_dependencies --tests")

HERE = pathlib.Path(__file__).parent
FOLDERS = [HERE / "testdata", HERE / "../../conformance/programs/jax-0.10.2"]


def first_difference(ours: str, theirs: str) -> str:
  for a, b in zip(ours.splitlines(), theirs.splitlines()):
    if a != b:
      return f"\n  ours:   {a.strip()[:300]}\n  theirs: {b.strip()[:300]}"
  return "one is longer"


def main() -> int:
  paths = sorted(path for folder in FOLDERS for path in folder.glob("*.mlirbc"))
  if len(paths) < 90:
    print(f"only {len(paths)} programs found")
    return 1
  failed = 0
  for path in paths:
    run = subprocess.run([sys.argv[1], path], capture_output=True, text=True)
    if run.returncode != 0:
      print(run.stderr)
      failed += 1
      continue
    context = jax_mlir.make_ir_context()
    with context:
      theirs = stablehlo.deserialize_portable_artifact(context, path.read_bytes())
      try:
        ours = ir.Module.parse(run.stdout)
      except ir.MLIRError as error:
        print(f"{path.name}: jaxlib does not accept our text: {error}")
        failed += 1
        continue
      if str(ours) != str(theirs):
        print(f"{path.name}: {first_difference(str(ours), str(theirs))}")
        failed += 1
  print(f"{len(paths) - failed} of {len(paths)} programs are the same to jaxlib")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
