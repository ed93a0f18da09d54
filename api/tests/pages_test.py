# SPDX-License-Identifier: Apache-2.0
"""Pages that say how large the API is and which version it has are kept by the generator."""

import re
import unittest

from common import API, generate, work_dir

import pages
import registry as registry_module

REGISTRY = registry_module.load(API / "registry")


class PagesTest(unittest.TestCase):
    def test_every_statement_is_made_by_some_page(self):
        text = "".join(page.read_text() for page in pages.pages(API.parent))
        for pattern in pages.statements(REGISTRY):
            self.assertTrue(re.search(pattern, text), f"no page says {pattern}")

    def test_a_wrong_number_is_found_and_mended(self):
        said = "A table of 137 functions, from 0.1 to 0.90."
        wanted = (f"A table of {len(REGISTRY.functions)} functions, "
                  f"from 0.1 to 0.{REGISTRY.version['declared_minor']}.")
        self.assertEqual(pages.rewritten(REGISTRY, said), wanted)
        root = work_dir("pages")
        (root / "api").mkdir()
        (root / "page.md").write_text(said)
        (root / "CHANGELOG.md").write_text(said)
        self.assertEqual(pages.current(REGISTRY, root / "api"), {"../page.md": wanted})

    def test_pages_are_current(self):
        done = generate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
