# SPDX-License-Identifier: Apache-2.0
"""Follows docs/extending/op.md in a copy of the tree: an elementwise op is three files by hand.

  add_op_test.py --compiler C++ [--include FOLDER]...
"""

import argparse
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
from recipe import Copy, run  # noqa: E402  (needs the path above)

# Every file that includes a table, and those of the recipe.
COMPILED = (
    "program/op.cc", "program/op_schema.cc", "program/text_forms.cc", "program/vhlo_ops.cc",
    "compiler/ir/op_checks.cc", "compiler/ir/op_checks_elementwise.cc",
    "compiler/import/import_table.cc", "cpu/math/arithmetic.cc", "cpu/math/accuracy_test.cc",
)
arguments = argparse.Namespace(compiler="c++", include=[])


class AddOpTest(unittest.TestCase):
    def test_three_files(self):
        copy = Copy(self.enterContext(tempfile.TemporaryDirectory()),
                    ("api/generate", "api/support/include", "api/include", "docs/using",
                     "reference_plugin/ops", "reference_plugin/program",
                     "reference_plugin/compiler", "reference_plugin/cpu/math"),
                    arguments.compiler, arguments.include)
        copy.follow(ROOT / "docs/extending/op.md")
        self.assertEqual({"reference_plugin/ops/ops.toml", "reference_plugin/cpu/math/arithmetic.cc",
                          "reference_plugin/cpu/math/accuracy_test.cc"}, copy.changed())

        run([sys.executable, "reference_plugin/ops/generate", "--write"], copy.root)
        outside = {name for name in copy.changed() if not name.startswith("reference_plugin/ops/")}
        self.assertEqual({"docs/using/operations.md",
                          "reference_plugin/program/include/plinth/program/program_ops.inc"}, outside)

        copy.check_syntax(*(f"reference_plugin/{name}" for name in COMPILED))
        table = (copy.root / "reference_plugin/ops/opcodes.inc").read_text()
        self.assertIn('PLINTH_OPCODE(Reciprocal, "reciprocal", Pure, Elementwise, Elementwise, '
                      "Division, false)", table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--include", action="append", default=[])
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
