# SPDX-License-Identifier: Apache-2.0
"""Follows docs/extending/slot.md in a copy of the tree: six files by hand; the SDK then answers.

  add_slot_test.py --compiler C++
"""

import argparse
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))
from recipe import Copy, run  # noqa: E402  (needs the path above)

PAGE = ROOT / "docs/extending/slot.md"
FUNCTION = "PJRT_Client_Trim"
arguments = argparse.Namespace(compiler="c++")


class AddSlotTest(unittest.TestCase):
    def test_six_files(self):
        copy = Copy(self.enterContext(tempfile.TemporaryDirectory()),
                    ("api", "conformance/cases", "conformance/runner", "docs", "impl", "sdk"),
                    arguments.compiler)
        copy.follow(PAGE)
        minor = re.search(r"^since = (\d+)$", PAGE.read_text(), re.M)[1]
        copy.edit("api/registry/version.toml", f"declared_minor = {int(minor) - 1}",
                  f"declared_minor = {minor}")
        self.assertEqual({"api/registry/client.toml", "api/registry/version.toml",
                          "sdk/include/plinth/sdk/client.h", "sdk/src/client.cc",
                          "sdk/src/client_api.cc", "sdk/src/client_test.cc"}, copy.changed())

        for command in re.findall(r"^python3 (.*)$", PAGE.read_text(), re.M):
            run([sys.executable, *command.split()], copy.root)
        made = copy.changed()
        self.assertLessEqual({"api/include/pjrt_c_api.h", "api/history/layouts.json",
                              "docs/inside/requirements.md"}, made)
        outside = {name for name in made if not name.startswith(("api/", "docs/"))}
        self.assertEqual(set(), outside)
        self.assertIn(f"{FUNCTION}_Args", (copy.root / "api/include/pjrt_c_api.h").read_text())

        # What lists every function of the table, outside the SDK.
        copy.check_syntax("api/tests/abi_tables_test.cc", "impl/loader/probe_questions.cc",
                          "impl/loader/failure_table.cc", "impl/loader/plugin_shape.cc",
                          "conformance/cases/abi_functions.cc")
        self.run_the_tests_of_the_table(copy)

    def run_the_tests_of_the_table(self, copy: Copy):
        """With the SDK as one source, without optimization."""
        sources = [path for folder in ("api/support", "sdk/src")
                   for path in sorted((copy.root / folder).glob("*.cc"))
                   if not path.name.endswith("_test.cc")]
        sdk = copy.root / "sdk.cc"
        sdk.write_text("".join(f'#include "{path}"\n' for path in sources))
        copy.compile("-std=c++20", "-O0", "-o", "table_test", sdk, "sdk/src/client_test.cc",
                     "sdk/src/table_test.cc", "-lgtest_main", "-lgmock", "-lgtest", "-pthread")
        shown = run([copy.root / "table_test"], copy.root)
        self.assertIn("Client.TrimIsNotOffered", shown)
        self.assertIn("Table.SizesAndNullsOfEveryFunction", shown)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="c++")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
