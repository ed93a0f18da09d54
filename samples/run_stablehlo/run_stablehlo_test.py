# SPDX-License-Identifier: Apache-2.0
"""Runs the C sample on the CPU plugin and compares what it prints.

  run_stablehlo_test.py RUN_STABLEHLO PLUGIN
"""

import pathlib
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(__file__).with_name("softmax.mlir")
SAMPLE, PLUGIN = sys.argv[1:3]


def run(*arguments):
    return subprocess.run([SAMPLE, *arguments], capture_output=True, text=True, timeout=60)


class RunStablehloTest(unittest.TestCase):
    def test_softmax(self):
        result = run(PLUGIN, str(PROGRAM), "2x3:0,0,0,1,3,2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            result.stdout,
            "2x3:0.333333,0.333333,0.333333,0.0900306,0.665241,0.244728\n2:0,1\n")

    def test_wrong_input_is_an_error_that_says_so(self):
        result = run(PLUGIN, str(PROGRAM), "3x2:0,0,0,1,3,2")
        self.assertEqual(result.returncode, 1)
        self.assertIn("PJRT_LoadedExecutable_Execute:", result.stderr)
        self.assertIn("f32[2,3]", result.stderr)

    def test_wrong_number_of_elements(self):
        few, many = "too few elements, or no comma between them", "too many elements"
        for text, message in (("2x3:0,0,0,1,3", few), ("2x3:0,0,0,1,3,2,1", many),
                              ("0:1", many), (":1 2", many), ("3:1,3;2", few),
                              ("2:1,", "expected a number for every element")):
            # The next argument is no continuation.
            result = run(PLUGIN, str(PROGRAM), text, "7")
            self.assertEqual(result.returncode, 2, text)
            self.assertIn(f"{message}: {text}", result.stderr)

    def test_no_plugin(self):
        result = run("/nowhere/plugin.so", str(PROGRAM))
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere/plugin.so", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
