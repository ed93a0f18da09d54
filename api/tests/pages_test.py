# SPDX-License-Identifier: Apache-2.0
"""What pages say about the size and the version of the API is what the registry holds."""

import os
import re
import unittest
from pathlib import Path

from common import API

import registry as registry_module

ROOT = API.parent
REGISTRY = registry_module.load(API / "registry")
DECLARED = REGISTRY.version["declared_minor"]
# Pages say these of the API as it is; of its past they say them in other words.
STATEMENTS = {
    r"PJRT C API 0\.(\d+)": DECLARED,
    r"\bAPI 0\.(\d+): every function": DECLARED,
    r"from 0\.1 to 0\.(\d+)": DECLARED,
    r"extension header at 0\.(\d+)": DECLARED,
    r"0\.(\d+) declared": DECLARED,
    r"0\.(\d+) reported": REGISTRY.version["reported_minor"],
    r"\b(\d{3,}) functions": len(REGISTRY.functions),
    r"\b(\d{3,}) structs": len(REGISTRY.structs) + 1,  # PJRT_Api itself
}


def pages():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in (".git", "build")]
        yield from (Path(folder) / name for name in files if name.endswith(".md"))


class PagesTest(unittest.TestCase):
    def test_numbers_are_those_of_the_registry(self):
        said = {pattern: 0 for pattern in STATEMENTS}
        for page in pages():
            text = page.read_text()
            for pattern, number in STATEMENTS.items():
                for found in re.finditer(pattern, text):
                    said[pattern] += 1
                    self.assertEqual(int(found[1]), number, f"{page.relative_to(ROOT)}: {found[0]}")
        for pattern, count in said.items():
            self.assertTrue(count, f"no page says {pattern!r}: take it out of STATEMENTS")


if __name__ == "__main__":
    unittest.main()
