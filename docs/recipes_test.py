# SPDX-License-Identifier: Apache-2.0
"""Follows extending/validation-rule.md and extending/layer.md in a copy of the tree: what they say
is all that there is to do.

  recipes_test.py --compiler C++

(extending/op.md is followed by ../reference_plugin/ops/add_op_test.py, extending/slot.md by
../sdk/add_slot_test.py.)
"""

import argparse
import re
import shlex
import sys
import tempfile
import unittest

from pages_test import excerpts
from recipe import ROOT, Copy, run

RECIPES = ROOT / "docs/extending"
arguments = argparse.Namespace(compiler="c++")


def commands(page: str) -> list[list[str]]:
    """Those of the page's blocks of shell."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (RECIPES / page).read_text(), re.M | re.S)
    return [shlex.split(line) for block in blocks
            for line in block.replace("\\\n", " ").splitlines()]


class RecipeTest(unittest.TestCase):
    def setUp(self):
        self.copy = Copy(self.enterContext(tempfile.TemporaryDirectory()),
                         ("api", "docs", "impl/layers", "samples/layer"), arguments.compiler)

    def test_validation_rule(self):
        page = (RECIPES / "validation-rule.md").read_text()
        for name, code in excerpts(page):
            if "function::k" in code:
                continue  # A function has one row.
            new = code.replace("too-small", "scratch").replace("too_small", "scratch")
            self.assertNotEqual(new, code)
            if "Require(" in code:
                new = "  if (args.num_replicas == 77) {\n" + new[new.index("  state."):] + "  }\n"
            self.copy.edit(name, code, new + code)
        self.copy.edit("impl/layers/validation/misuse/programs.h", "  ERROR(assignment_too_small)",
                       "  ERROR(assignment_scratch) \\\n  ERROR(assignment_too_small)")
        by_hand = self.copy.changed()
        # The fifth is what the test of misuses prints.
        self.assertIn("You touch five files", page.replace("\n", " "))
        self.assertEqual({"api/registry/compile.toml", "impl/layers/validation/client_checks.cc",
                          "impl/layers/validation/misuse/arguments.c",
                          "impl/layers/validation/misuse/programs.h"}, by_hand)
        count = 0
        for command in commands("validation-rule.md"):
            if command[0] == "python3":
                count += 1
                run([sys.executable, *command[1:]], self.copy.root)
        self.assertEqual(count, 2)
        self.assertLessEqual({"api/reflection/reflection_tables.inc"}, self.copy.changed())
        run([sys.executable, "api/generate"], self.copy.root)
        self.copy.check_syntax("impl/layers/validation/client_checks.cc",
                               "impl/layers/validation/misuse/arguments.c")

    def test_layer_of_ones_own(self):
        build = next(c for c in commands("layer.md") if c[0] == "cc")
        (self.copy.root / "build").mkdir()
        run(build, self.copy.root)
        self.assertEqual({"build/libcount_calls.so"}, self.copy.changed())

    def test_layer_of_libplinth(self):
        folder = self.copy.root / "impl/layers/scratch"
        for source in (self.copy.root / "impl/layers/fault").iterdir():
            copy = folder / source.name.replace("fault", "scratch")
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(source.read_text().replace("fault", "scratch").replace(
                "Fault", "Scratch").replace("FAULT", "SCRATCH").replace("descratch", "default"))
        for old in ("foreach(layer fault", "plinth_layer_fault plinth"):
            self.copy.edit("impl/layers/CMakeLists.txt", old, old + " scratch" if "foreach" in old
                           else old.replace("fault", "scratch plinth_layer_fault"))
        row = next(code for _, code in excerpts((RECIPES / "layer.md").read_text())
                   if "CreateFaultLayer" in code)
        builtin = "impl/layers/builtin_layers.cc"
        lines = [line.strip() for line in row.strip().splitlines()]
        self.copy.edit(builtin, '    {"fault"', " ".join(lines).replace("fault", "scratch").replace(
            "Fault", "Scratch") + '\n    {"fault"')
        self.copy.edit(builtin, '#include "impl/layers/fault/fault_layer.h"\n',
                       '#include "impl/layers/fault/fault_layer.h"\n'
                       '#include "impl/layers/scratch/scratch_layer.h"\n')
        self.copy.edit("docs/using/layers.md", "| [`fault`](#fault)",
                       "| `scratch` | nothing |\n| [`fault`](#fault)")
        touched = {name for name in self.copy.changed() if "/scratch/" not in name}
        self.assertEqual({"impl/layers/CMakeLists.txt", builtin, "docs/using/layers.md"}, touched)
        self.copy.check_syntax(builtin, "impl/layers/scratch/scratch_layer.cc")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="c++")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
