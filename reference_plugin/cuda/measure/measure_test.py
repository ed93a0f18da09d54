# SPDX-License-Identifier: Apache-2.0
"""What needs no GPU: the list of parts, and what is said of a program that failed."""

import pathlib
import tempfile
import unittest

import failures
import measure
import pack

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


if __name__ == "__main__":
    unittest.main()
