# SPDX-License-Identifier: Apache-2.0
"""Every generated header, of now and of every past revision, has the layout that the history says."""

import json
import unittest
from pathlib import Path

from common import API, COMPILERS, compile_all, work_dir

import c_assertions
import c_header
import registry as registry_module
import revisions

HISTORY = revisions.load_history(API / "history")
REGISTRY = registry_module.load(API / "registry")


class HeadersTest(unittest.TestCase):
    def expect_compiled(self, jobs):
        failures = compile_all(jobs)
        self.assertFalse(failures, "\n".join(failures[:3]))

    def test_header_of_now(self):
        folder = work_dir("header_now")
        newest = HISTORY[-1]
        self.assertEqual(newest.minor, REGISTRY.version["declared_minor"])
        source = folder / "now.c"
        source.write_text(c_assertions.core(newest.layout, newest.minor))
        self.expect_compiled([(c, [API / "include"], source) for c in COMPILERS])

    def test_every_past_header(self):
        folder = work_dir("past_headers")
        jobs = []
        oldest = REGISTRY.version["oldest_minor"]
        past = [r for r in HISTORY if r.minor >= oldest]
        self.assertGreaterEqual(len(past), 78)
        # Each revision with both compilers and in both languages; the pairs alternate.
        pairs = [("gcc C11", "clang++ C++17"), ("clang C11", "g++ C++17")]
        for number, revision in enumerate(past):
            place = folder / revision.name
            place.mkdir()
            view = revisions.View(REGISTRY, HISTORY, revision)
            (place / "pjrt_c_api.h").write_text(c_header.header(view))
            source = place / "layout.c"
            source.write_text(c_assertions.core(revision.layout, revision.minor))
            jobs += [(c, [place], source) for c in pairs[number % 2]]
        self.expect_compiled(jobs)

    def test_extension_headers(self):
        folder = work_dir("extension_headers")
        entries = json.loads((API / "history/extensions.json").read_text())["extensions"]
        jobs = []
        for entry in entries:
            source = folder / f"{Path(entry['header']).name}.c"
            source.write_text(c_assertions.extension(entry))
            jobs += [(c, [API / "include"], source) for c in COMPILERS]
        self.assertEqual(len(entries), 25)
        self.expect_compiled(jobs)

    def test_table_headers(self):
        folder = work_dir("table_headers")
        jobs = []
        for table in REGISTRY.tables:
            newest = revisions.load_table_history(
                API / "history" / f"{Path(table.module.path).stem}.json")[-1]
            layout = newest.layout
            functions = [f.name for f in sorted(table.module.functions, key=lambda f: f.slot)]
            self.assertEqual(functions, layout["functions"])
            text = c_assertions.table(layout, newest.minor, table.upstream_header,
                                      table.struct)
            for number, (old, new) in enumerate((("", ""), ("_STRUCT_SIZE == ", "_STRUCT_SIZE == 1"))):
                source = folder / f"{table.header}.{number}.c"
                source.write_text(text.replace(old, new) if old else text)
                sources = [(c, [API / "include"], source) for c in COMPILERS]
                if old:
                    self.assertEqual(len(compile_all(sources)), len(COMPILERS))
                else:
                    jobs += sources
        self.assertTrue(jobs)
        self.expect_compiled(jobs)

    def test_every_header_stands_alone(self):
        folder = work_dir("alone")
        jobs = []
        for path in sorted((API / "include").rglob("*.h")):
            name = path.relative_to(API / "include").as_posix()
            source = folder / f"{name.replace('/', '_')}.c"
            source.write_text(f'#include "{name}"\n#include "{name}"\nint not_empty(void);\n')
            jobs += [(c, [API / "include"], source) for c in COMPILERS]
        self.expect_compiled(jobs)

    def test_code_for_upstreams_include_path(self):
        source = API / "tests/testdata/upstream_client.c"
        self.expect_compiled([(c, [API / "include"], source) for c in COMPILERS])

    def test_assertions_can_fail(self):
        newest = HISTORY[-1]
        text = c_assertions.core(newest.layout, newest.minor)
        for wrong in (text.replace("offsetof(PJRT_Client_Create_Args, client) == 64",
                                   "offsetof(PJRT_Client_Create_Args, client) == 72"),
                      text.replace("PJRT_ExecuteOptions_STRUCT_SIZE == 160",
                                   "PJRT_ExecuteOptions_STRUCT_SIZE == 144"),
                      text.replace("(int)PJRT_Buffer_Type_S4 == 21", "(int)PJRT_Buffer_Type_S4 == 19"),
                      text.replace("Slot_PJRT_Compile(PJRT_Compile_Args*)",
                                   "Slot_PJRT_Compile(PJRT_Client_Load_Args*)")):
            self.assertNotEqual(text, wrong)
            source = work_dir("wrong") / "wrong.c"
            source.write_text(wrong)
            jobs = [(c, [API / "include"], source) for c in COMPILERS]
            self.assertEqual(len(compile_all(jobs)), len(COMPILERS))


if __name__ == "__main__":
    unittest.main()
