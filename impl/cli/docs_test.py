# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of a page and compares what they print.

  docs_test.py PLINTH PLUGIN DOCS PROGRAM

A block ```console holds commands ("$ ...") and what they print, standard error after standard
output; "..." within a line stands for anything, and as a line for any lines; "[exit code N]" if it
is not 0.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLINTH, PLUGIN, DOCS, PROGRAM = map(pathlib.Path, sys.argv[1:5])


def examples():
    """(command, expected text) of every block, in order."""
    for block in re.findall(r"```console\n(.*?)```", DOCS.read_text(), re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, expected = part.partition("\n")
            yield command, expected


def pattern_of(expected):
    lines = []
    for line in expected.splitlines():
        if line == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(re.escape(line).replace(re.escape("..."), ".*") + r"\n")
    return "".join(lines)


class DocsTest(unittest.TestCase):
    def test_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / PLUGIN.name).symlink_to(PLUGIN)
            shutil.copy(PROGRAM, folder)
            environment = {"PATH": f"{PLINTH.parent}:/usr/bin:/bin", "HOME": folder}
            count = 0
            for command, expected in examples():
                with self.subTest(command):
                    result = subprocess.run(command, shell=True, cwd=folder, env=environment,
                                            capture_output=True, text=True, timeout=60)
                    text = result.stdout + result.stderr
                    expected, _, code = expected.partition("[exit code ")
                    self.assertEqual(result.returncode, int(code.rstrip("]\n") or 0), text)
                    self.assertRegex(text, r"\A" + pattern_of(expected) + r"\Z")
                count += 1
            self.assertGreater(count, 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
