# SPDX-License-Identifier: Apache-2.0
#!/usr/bin/env python3
"""Makes the portable artifacts of this folder, by jaxlib 0.10.2's own serializer:

  jax-*/<name>.vhlo-1.17.mlirbc           the program of <name>.mlirbc at VHLO 1.17.0
  suite/<name>.vhlo-{0.9,1.0,1.13}.mlirbc the program of <name>.mlir at these versions, or those
                                          from the one on that its first line "// since" names
  suite/one_device.compileopts.pb         CompileOptionsProto for one replica and one partition

With --check nothing is written; the exit status says whether the files are what would be made.
"""

import argparse
import pathlib
import sys

import jaxlib_version

jaxlib_version.need()

from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

HERE = pathlib.Path(__file__).parent
SUITE_VERSIONS = ["0.9", "1.0", "1.13"]


def serialize(module: ir.Module, version: str) -> bytes:
  # The function that the PJRT client calls; sdy stays as it is.
  return _jax.mlir.serialize_portable_artifact(module, version + ".0", True)


def compile_options() -> bytes:
  options = xla_client.CompileOptions()
  options.num_replicas = 1
  options.num_partitions = 1
  return options.SerializeAsString()


def artifacts() -> dict[pathlib.Path, bytes]:
  made = {HERE / "suite/one_device.compileopts.pb": compile_options()}
  with jax_mlir.make_ir_context() as context:
    for path in sorted(HERE.glob("jax-*/*.mlirbc")):
      if path.name.endswith(".vhlo-1.17.mlirbc"):
        continue
      module = stablehlo.deserialize_portable_artifact(context, path.read_bytes())
      target = path.with_name(path.name.removesuffix(".mlirbc") + ".vhlo-1.17.mlirbc")
      made[target] = serialize(module, "1.17")
    for path in sorted(HERE.glob("suite/*.mlir")):
      text = path.read_text()
      module = ir.Module.parse(text)
      since = text.split()[2] if text.startswith("// since ") else SUITE_VERSIONS[0]
      for version in SUITE_VERSIONS[SUITE_VERSIONS.index(since):]:
        made[path.with_suffix(f".vhlo-{version}.mlirbc")] = serialize(module, version)
  return made


def main() -> int:
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--check", action="store_true")
  arguments = parser.parse_args()
  wrong = []
  for path, contents in artifacts().items():
    if not arguments.check:
      path.write_bytes(contents)
    elif not path.exists() or path.read_bytes() != contents:
      wrong.append(path)
  for path in wrong:
    print(f"{path}: differs from what the serializer makes", file=sys.stderr)
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main())
