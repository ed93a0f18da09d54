#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what the tests compare forms.mlir with, by jaxlib 0.10.2's own parser and serializer:

  forms.generic.mlir         the same program in generic form, with locations
  forms_kept.mlir            the same, and in every function an op that uses all of its values
                             (the serializer drops ops without use)
  forms_kept.vhlo-*.mlirbc   that program as portable artifacts
  revisions*.vhlo-*.mlirbc   revisions*.mlir as portable artifacts of each version that has other
                             revisions of ops, or another container, than its neighbours
"""

import pathlib

from jax._src.interpreters import mlir as jax_mlir
from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

HERE = pathlib.Path(__file__).parent
VERSIONS = {"1.13": "1.13.7", "1.17": "1.17.0"}
REVISIONS = {
    "revisions": ["0.9", "0.12", "0.14", "0.15", "0.20", "1.1", "1.5", "1.6", "1.9", "1.17"],
    "revisions_1_4": ["1.4", "1.12", "1.17"],
}


def keep_all(module: ir.Module) -> None:
  for function in module.body.operations:
    if function.operation.name != "func.func" or function.is_external:
      continue
    block = function.regions[0].blocks[0]
    ops = list(block.operations)
    # The input of a data_flow_edge must have no other use.
    taken = [op.operands[0] for op in ops if op.operation.name == "sdy.data_flow_edge"]
    values = [result for op in ops for result in op.operation.results if result not in taken]
    if not values:
      continue
    with ir.InsertionPoint(ops[-1]), ir.Location.unknown():
      ir.Operation.create(
          "stablehlo.custom_call", operands=values, results=[],
          attributes={"call_target_name": ir.StringAttr.get("keep"),
                      "has_side_effect": ir.BoolAttr.get(True)})


def main() -> None:
  with jax_mlir.make_ir_context():
    module = ir.Module.parse((HERE / "forms.mlir").read_text())
    (HERE / "forms.generic.mlir").write_text(
        module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
    keep_all(module)
    for name, version in VERSIONS.items():
      artifact = _jax.mlir.serialize_portable_artifact(module, version, True)
      (HERE / f"forms_kept.vhlo-{name}.mlirbc").write_bytes(artifact)
    # The serializer also moves constants, so the text is that of the artifact.
    kept = stablehlo.deserialize_portable_artifact(module.context, artifact)
    (HERE / "forms_kept.mlir").write_text(kept.operation.get_asm())
    for name, versions in REVISIONS.items():
      module = ir.Module.parse((HERE / f"{name}.mlir").read_text())
      for version in versions:
        artifact = _jax.mlir.serialize_portable_artifact(module, version + ".0", True)
        (HERE / f"{name}.vhlo-{version}.mlirbc").write_bytes(artifact)


if __name__ == "__main__":
  main()
