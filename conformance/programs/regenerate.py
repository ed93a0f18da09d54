#!/usr/bin/env python3
"""Makes <name>.vhlo-1.17.mlirbc beside every <name>.mlirbc: the same program for VHLO 1.17.0.

Needs jaxlib 0.10.2, whose own serializer does the work. With --check nothing is written; the exit
status says whether the files are what the serializer makes.
"""

import argparse
import pathlib
import sys

from jax._src.interpreters import mlir as jax_mlir
from jaxlib import _jax
from jaxlib.mlir.dialects import stablehlo

TARGET = "1.17.0"


def upgrade(artifact: bytes) -> bytes:
  context = jax_mlir.make_ir_context()
  with context:
    module = stablehlo.deserialize_portable_artifact(context, artifact)
    # The function that the PJRT client calls; sdy stays as it is.
    return _jax.mlir.serialize_portable_artifact(module, TARGET, True)


def main() -> int:
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--check", action="store_true")
  arguments = parser.parse_args()
  wrong = []
  for path in sorted(pathlib.Path(__file__).parent.glob("jax-*/*.mlirbc")):
    if path.name.endswith(".vhlo-1.17.mlirbc"):
      continue
    made = upgrade(path.read_bytes())
    target = path.with_name(path.name.removesuffix(".mlirbc") + ".vhlo-1.17.mlirbc")
    if arguments.check:
      if not target.exists() or target.read_bytes() != made:
        wrong.append(target)
    else:
      target.write_bytes(made)
  for target in wrong:
    print(f"{target}: differs from what the serializer makes", file=sys.stderr)
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main())
