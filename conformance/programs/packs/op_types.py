# SPDX-License-Identifier: Apache-2.0
"""The element types of elementwise ops, from their rows in reference_plugin/ops/ops.toml."""

import pathlib
import sys

from element_types import ALL, ElementType

OPS = pathlib.Path(__file__).resolve().parents[3] / "reference_plugin/ops"
sys.path.insert(0, str(OPS / "generate"))
import rows  # noqa: E402

_KINDS = {op.base: [kind for kind in op.types if kind not in op.unimplemented_types]
          for op in rows.load(OPS / "ops.toml").ops
          if op.dialect == "stablehlo" and op.category == "elementwise"}


def types_of(name: str, without=()) -> list[ElementType]:
    """Those that the op takes, but for the kinds in `without`, which no plugin is asked for."""
    missing = set(without) - set(_KINDS[name])
    assert not missing, f"{name} takes no {', '.join(sorted(missing))} anyway"
    return [element for element in ALL
            if element.kind in _KINDS[name] and element.kind not in without]
