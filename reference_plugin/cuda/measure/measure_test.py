# SPDX-License-Identifier: Apache-2.0
"""What needs no GPU: the list of parts, and what is said of a program that failed."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

import failures
import measure
import pack
import rows
from parts import jax_tests

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = "k" + "0123456789" * 2


class MeasureTest(unittest.TestCase):
    def test_every_part_has_its_turn(self):
        self.assertEqual(sorted(measure.ORDER), sorted(f.stem for f in HERE.glob("parts/*.py")))

    def test_the_archive_has_every_script(self):
        scripts = {HERE / "measure.py", HERE / "parts/demo.py", HERE / "programs/start.py"}
        self.assertLessEqual(scripts, set(pack.files()))

    def test_the_last_error_is_shown(self):
        output = "Traceback\nValueError: first\n\nJaxRuntimeError: second\n  its line\n"
        self.assertEqual(failures.error_of(output), "JaxRuntimeError: second\n  its line")
        self.assertEqual(failures.error_of("no error\n"), "no error")

    def test_evidence_is_what_the_error_names(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "jit_f-1.program.txt").write_text("text of f")
            (place / "jit_g-2.program.txt").write_text("text of g")
            (place / f"{KERNEL}.cu").write_text("text of the kernel")
            said = failures.evidence(f"Error: {KERNEL} of program 'jit_f'", place)
            self.assertIn("text of the kernel", said)
            self.assertIn("text of f", said)
            self.assertNotIn("text of g", said)
            self.assertIn("text of g", failures.evidence("Error: none is named", place))
            self.assertEqual(failures.evidence("Error", place / "nothing"), "")

    def test_what_waits_for_a_library_is_not_compared(self):
        found = {
            "T.wrong": {"kind": "fails here only", "message": "1 is not 2"},
            "T.lu": {"kind": "crash", "message": "no custom_call @cusolver_getrf_ffi"},
            "T.cpu": {"kind": "skipped here only", "message": "Skipped on devices with tags: cuda"},
        }
        counts = {"passed on both": 2}
        table = rows.Rows()
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "failures"
            with mock.patch.object(failures, "FOLDER", kept), mock.patch("builtins.print"):
                files = [{"file": "a_test", "different": found, "counts": counts, "tests": 5}]
                jax_tests.add_rows(table, {"files": files})
                text = (kept / "jax_tests.txt").read_text()
        self.assertEqual(text, "a_test/T.wrong: fails here only\n1 is not 2\n")
        self.assertEqual(
            [(row["value"], row.get("holds")) for row in table.rows],
            [("2 of 3, 2 left out", None), ("66.67% of 3; 2 left out", False)],
        )

    def test_the_archive_has_the_tests_of_a_checkout(self):
        with tempfile.TemporaryDirectory() as folder:
            test = pathlib.Path(folder) / "tests/lax_test.py"
            test.parent.mkdir()
            test.write_text("")
            with mock.patch.dict(os.environ, PLINTH_JAX_CHECKOUT=folder):
                self.assertIn(test, jax_tests.packed())
                self.assertIn(test, pack.files())
        self.assertNotIn(test, jax_tests.packed())


if __name__ == "__main__":
    unittest.main()
