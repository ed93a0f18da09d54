# SPDX-License-Identifier: Apache-2.0
"""The rows and the generator: what is committed is current, and mistakes are found."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPS = Path(__file__).resolve().parent
ROOT = OPS.parents[1]
sys.path.insert(0, str(OPS / "generate"))

import rows  # noqa: E402

# Ops that run, and why they have no pack in conformance/programs/packs.
WITHOUT_PACK = {
    "async_done": "cpu/collectives",
    "async_start": "cpu/collectives",
    "broadcast": "older form of broadcast_in_dim",
    "create_token": "in the programs of after_all",
    "custom_call": "each target has tests of its own",
    "dot": "older form of dot_general",
    "get_tuple_element": "in the programs of tuple",
    "real_dynamic_slice": "older form of dynamic_slice",
    "set_dimension_size": "changes nothing where it runs; ../differential/test_dynamic.py",
}


def generate(*arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, OPS / "generate", "--root", root, *arguments],
                          capture_output=True, text=True, check=False)


class GenerateTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.ops = self.root / "reference_plugin/ops"
        self.ops.mkdir(parents=True)
        shutil.copy(OPS / "ops.toml", self.ops)
        page = self.root / "docs/using/operations.md"
        page.parent.mkdir(parents=True)
        shutil.copy(ROOT / "docs/using/operations.md", page)
        done = generate("--write", root=self.root)
        self.assertEqual(done.returncode, 0, done.stderr)

    def edit(self, old: str, new: str):
        path = self.ops / "ops.toml"
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def refused(self, old: str, new: str) -> str:
        self.edit(old, new)
        with self.assertRaises(rows.RowError) as caught:
            rows.load(self.ops / "ops.toml")
        return str(caught.exception)

    def test_committed_files_are_current(self):
        done = generate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_changed_row_is_found_and_rewritten(self):
        self.edit('name = "stablehlo.abs"', 'name = "stablehlo.magnitude"')
        done = generate(root=self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn('+PLINTH_PROGRAM_OP(Magnitude, "stablehlo.magnitude")', done.stdout)
        self.assertEqual(generate("--write", root=self.root).returncode, 0)
        self.assertEqual(generate(root=self.root).returncode, 0)

    def test_edited_page_is_found(self):
        page = self.root / "docs/using/operations.md"
        page.write_text(page.read_text().replace("| `abs` |", "| `magnitude` |"))
        done = generate(root=self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn("+| `abs` |", done.stdout)
        page.write_text(page.read_text().replace("<!-- ops: notes -->", ""))
        self.assertIn("expected one mark for each of", generate(root=self.root).stderr)

    def test_stale_table_is_found_and_removed(self):
        (self.ops / "old.inc").touch()
        done = generate(root=self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn("old.inc is committed", done.stdout)
        generate("--write", root=self.root)
        self.assertFalse((self.ops / "old.inc").exists())

    def test_a_mistake_ends_it(self):
        self.edit('category = "elementwise"', 'category = "element"')
        done = generate(root=self.root)
        self.assertEqual(done.returncode, 2)
        self.assertIn("category is 'element'; expected one of elementwise, source", done.stderr)

    def test_mistakes_are_named(self):
        start = (self.ops / "ops.toml").read_text()
        abs_row = 'name = "stablehlo.abs"\n'
        for old, new, message in (
                (abs_row, abs_row + 'colour = "red"\n', "stablehlo.abs: unknown column: colour"),
                (abs_row, 'name = "stablehlo.add"\n', "name given twice: stablehlo.add"),
                (abs_row, abs_row + 'work = "hard"\n', "stablehlo.abs: work is 'hard'"),
                (abs_row, abs_row + 'check = "no-name"\n', "check is no name of a function"),
                (abs_row, abs_row + 'status = "refused"\n', "why is given if, and only if,"),
                (abs_row, abs_row + 'becomes = "magic"\n', "'magic', which is no op of the IR"),
                (abs_row, abs_row + 'attributes = ["colour"]\n', "'colour' has no form"),
                (abs_row, abs_row + 'attributes = ["x: i65"]\n', "form 'i65'"),
                (abs_row, abs_row + 'attributes = ["x: enum stablehlo.no"]\n', "is not known"),
                ('types = ["signed", "float", "complex"]', 'types = ["number"]', "is no type"),
                ('operands = 1\n', 'operands = "several"\n', "'several' is no count"),
                ('lower = "source"', 'lower = "nowhere"', "lower is 'nowhere'"),
                ("[enums]", "[enum]", "unknown table: enum")):
            with self.subTest(message):
                (self.ops / "ops.toml").write_text(start)
                self.assertIn(message, self.refused(old, new))


class RowsTest(unittest.TestCase):
    table = rows.load(OPS / "ops.toml")

    def op(self, name: str) -> rows.Op:
        return next(op for op in self.table.ops if op.name == name)

    def test_revisions(self):
        first, second = self.op("stablehlo.dot_general").vhlo
        self.assertEqual((first.since, first.until), ((0, 9), (1, 5)))
        self.assertEqual((second.since, second.until), ((1, 6), None))
        self.assertEqual(set(second.attributes) - set(first.attributes),
                         {field.name for field in self.table.structs["stablehlo.dot_algorithm"]})

    def test_counts(self):
        rng = self.op("stablehlo.rng")
        self.assertEqual(rng.count("operands"), rows.Count(3, 3))
        self.assertEqual(rng.count("operands", in_ir=True), rows.Count(2, 2))
        self.assertEqual(self.op("stablehlo.scatter").count("operands"), rows.Count(3, None))

    def test_attributes(self):
        sort = {attribute.name: attribute for attribute in self.op("stablehlo.sort").attributes}
        self.assertEqual(sort["dimension"], rows.Attribute("dimension", "i64", "", "minus_one"))
        concatenate = self.op("stablehlo.concatenate").attributes
        self.assertEqual(concatenate, [rows.Attribute("dimension", "i64")])

    def test_every_op_that_runs_is_tested(self):
        """Elementwise ops by ../differential/test_ops.py, which goes by the rows; others by a pack."""
        packs = {path.stem for path in (ROOT / "conformance/programs/packs/ops").glob("*.bin")}
        without = {op.base for op in self.table.ops
                   if op.dialect == "stablehlo" and op.status != "refused" and
                   op.category not in ("elementwise", "structure")} - packs
        self.assertEqual(WITHOUT_PACK.keys(), without)
        self.assertEqual(set(), packs - {op.base for op in self.table.ops})


if __name__ == "__main__":
    unittest.main()
