#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py on a checkout of three sources, with a clang-tidy that finds what has BAD in it."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TIDY = pathlib.Path(__file__).resolve().parent / "tidy.py"
CLANG_TIDY = """#!/bin/sh
[ "$1" = --version ] && exit 0
echo "$@" >> {log}
for last; do :; done
! grep -q BAD "$last"
"""


class TidyTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)
        for folder in ("bin", "build", "cmake", "one", "two"):
            (self.root / folder).mkdir()
        shutil.copy(TIDY, self.root / "cmake")
        self.log = self.root / "log"
        tool = self.root / "bin/clang-tidy"
        tool.write_text(CLANG_TIDY.format(log=self.log))
        tool.chmod(0o755)
        self.write("one/shared.h", "")
        self.write(".clang-tidy", "")
        self.write("one/a.cc", '#include "shared.h"\n')
        self.write("one/a_test.cc", "")
        self.write("two/b.cc", "")
        self.write("two/c.c", "")
        sources = [self.root / name for name in ("one/a.cc", "one/a_test.cc", "two/b.cc", "two/c.c")]
        self.write("build/compile_commands.json", json.dumps([
            {"directory": str(self.root), "file": str(source), "command": f"c++ -o x.o -c {source}"}
            for source in sources]))

    def write(self, name, text):
        (self.root / name).write_text(text)

    def tidy(self, *folders):
        """Whether nothing was found, and what clang-tidy was called for."""
        self.log.write_text("")
        done = subprocess.run(
            [sys.executable, self.root / "cmake/tidy.py", self.root / "build", *folders],
            env=os.environ | {"PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"},
            capture_output=True, text=True, check=False)
        calls = self.log.read_text().splitlines()
        return done.returncode == 0, sorted(pathlib.Path(call.split()[-1]).name for call in calls)

    def test_reads_a_clean_source_once(self):
        self.assertEqual(self.tidy(), (True, ["a.cc", "a_test.cc", "b.cc"]))
        self.assertEqual(self.tidy(), (True, []))

    def test_reads_it_again_after_what_it_includes_changes(self):
        self.tidy()
        self.write("one/shared.h", "int x;\n")
        self.assertEqual(self.tidy(), (True, ["a.cc"]))

    def test_reads_what_was_found_again(self):
        self.write("two/b.cc", "// BAD\n")
        self.assertEqual(self.tidy(), (False, ["a.cc", "a_test.cc", "b.cc"]))
        self.assertEqual(self.tidy(), (False, ["b.cc"]))

    def test_of_folders(self):
        self.assertEqual(self.tidy("one"), (True, ["a.cc", "a_test.cc"]))
        self.assertEqual(self.tidy("-one"), (True, ["b.cc"]))
        self.assertEqual(self.tidy("three"), (False, []))

    def test_of_one_source(self):
        self.assertEqual(self.tidy("one/a.cc"), (True, ["a.cc"]))
        self.assertEqual(self.tidy("one/none.cc"), (False, []))

    def test_of_tests_only_what_clang_says(self):
        self.tidy()
        lines = self.log.read_text().splitlines()
        limited = [line.split()[-1] for line in lines if "--checks=-*,clang-diagnostic-*" in line]
        self.assertEqual(limited, [str(self.root / "one/a_test.cc")])


if __name__ == "__main__":
    unittest.main()
