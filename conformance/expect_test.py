# SPDX-License-Identifier: Apache-2.0
"""expect.py tells a program that does what it should from one that does half of it."""

import subprocess
import sys
import unittest
from pathlib import Path

EXPECT = Path(__file__).with_name("expect.py")


class Expect(unittest.TestCase):

    def status(self, *arguments: str) -> int:
        return subprocess.run([sys.executable, EXPECT, *arguments], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode

    def test_output_and_exit_status(self):
        self.assertEqual(self.status("a.*b", "sh", "-c", "echo a; echo b >&2"), 0)
        self.assertEqual(self.status("c", "sh", "-c", "echo a"), 1)
        self.assertEqual(self.status("a", "sh", "-c", "echo a; exit 23"), 1)
        self.assertEqual(self.status("a", "sh", "-c", "echo a; kill -SEGV $$"), 1)
        self.assertEqual(self.status("a"), 2)


if __name__ == "__main__":
    unittest.main()
