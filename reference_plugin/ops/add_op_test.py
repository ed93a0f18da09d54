# SPDX-License-Identifier: Apache-2.0
"""Follows docs/extending/op.md in a copy of the tree: an elementwise op is three files by hand.

  add_op_test.py --compiler C++ [--include FOLDER]...
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "docs/extending/op.md"
STEP = re.compile(r"In\s`([^`]+)`,\s(after|before)\s+`([^`]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
# Every file that includes a table, and those of the recipe.
COMPILED = (
    "program/op.cc", "program/op_schema.cc", "program/text_forms.cc", "program/vhlo_ops.cc",
    "compiler/ir/op_checks.cc", "compiler/ir/op_checks_elementwise.cc",
    "compiler/import/import_table.cc", "cpu/math/arithmetic.cc", "cpu/math/accuracy_test.cc",
)
arguments = argparse.Namespace(compiler="c++", include=[])


def copy_of_the_tree(folder: Path) -> Path:
    root = folder / "tree"
    for part in ("api/generate", "api/support/include", "api/include", "docs/using",
                 "reference_plugin/ops", "reference_plugin/program", "reference_plugin/compiler",
                 "reference_plugin/cpu/math"):
        shutil.copytree(ROOT / part, root / part, symlinks=True,
                        ignore=shutil.ignore_patterns("testdata", "__pycache__"))
    return root


def contents(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes()
            for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def follow(root: Path, steps) -> None:
    """Puts each block where the recipe says: beside the line that holds a text."""
    for name, where, text, block in steps:
        lines = (root / name).read_text().splitlines(keepends=True)
        found = [i for i, line in enumerate(lines) if text in line]
        assert found, f"{name} has no line with {text!r}"
        lines.insert(found[0] + (where == "after"), block)
        (root / name).write_text("".join(lines))


class AddOpTest(unittest.TestCase):
    def test_three_files(self):
        root = copy_of_the_tree(Path(self.enterContext(tempfile.TemporaryDirectory())))
        before = contents(root)
        follow(root, STEP.findall(RECIPE.read_text()))
        by_hand = changed(before, contents(root))
        self.assertEqual({"reference_plugin/ops/ops.toml", "reference_plugin/cpu/math/arithmetic.cc",
                          "reference_plugin/cpu/math/accuracy_test.cc"}, by_hand)

        edited = contents(root)
        done = subprocess.run([sys.executable, root / "reference_plugin/ops/generate", "--write"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        made = changed(edited, contents(root))
        outside = {name for name in made if not name.startswith("reference_plugin/ops/")}
        self.assertEqual({"docs/using/operations.md",
                          "reference_plugin/program/include/plinth/program/program_ops.inc"}, outside)

        self.compile(root, [root / "reference_plugin" / name for name in COMPILED])
        table = (root / "reference_plugin/ops/opcodes.inc").read_text()
        self.assertIn('PLINTH_OPCODE(Reciprocal, "reciprocal", Pure, Elementwise, Elementwise, '
                      "Division, false)", table)

    def compile(self, root: Path, sources: list[Path]):
        """Looks at syntax and types only."""
        folders = [root, root / "api/support/include", root / "api/include",
                   root / "reference_plugin/program/include", *arguments.include]
        command = [arguments.compiler, "-std=c++20", "-fsyntax-only",
                   *(f"-I{folder}" for folder in folders)]
        for source in sources:
            done = subprocess.run([*command, source], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--include", action="append", default=[])
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
