# SPDX-License-Identifier: Apache-2.0
"""Runs the C++ sample on the CPU plugin and compares what it prints.

  fit_test.py FIT PLUGIN
"""

import re
import subprocess
import sys
import unittest

SAMPLE, PLUGIN = sys.argv[1:3]


def run(*arguments):
    return subprocess.run([SAMPLE, *arguments], capture_output=True, text=True, timeout=60)


class FitTest(unittest.TestCase):
    def test_fit(self):
        result = run(PLUGIN)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.splitlines()[-1], "y = 1.960 x + 1.000")
        errors = [float(text) for text in re.findall(r"error (\S+)", result.stdout)]
        self.assertEqual(errors, sorted(errors, reverse=True))

    def test_no_plugin(self):
        result = run("/nowhere/plugin.so")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/nowhere/plugin.so", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
