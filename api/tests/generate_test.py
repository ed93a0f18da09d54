# SPDX-License-Identifier: Apache-2.0
"""The command line of the generator: what is committed is current, and differences are found."""

import shutil
import unittest

from common import API, generate, work_dir

import registry as registry_module

VERSION = registry_module.load(API / "registry").version
NEWEST = VERSION["declared_minor"]


def copy_of_api(name: str):
    folder = work_dir(name)
    for part in ("registry", "history", "messages", "include", "support/include"):
        shutil.copytree(API / part, folder / part)
    return folder


class GenerateTest(unittest.TestCase):
    def test_committed_files_are_current(self):
        done = generate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_changed_header_is_found_and_rewritten(self):
        api = copy_of_api("changed_header")
        header = api / "include/pjrt_c_api.h"
        text = header.read_text()
        header.write_text(text.replace(f"#define PJRT_API_MINOR {NEWEST}", f"#define PJRT_API_MINOR {NEWEST - 1}"))
        done = generate(api=api)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"-#define PJRT_API_MINOR {NEWEST - 1}\n+#define PJRT_API_MINOR {NEWEST}\n", done.stdout)
        self.assertEqual(generate("--write", api=api).returncode, 0)
        self.assertEqual(header.read_text(), text)
        self.assertEqual(generate(api=api).returncode, 0)

    def test_changed_registry_is_found(self):
        api = copy_of_api("changed_registry")
        path = api / "registry/version.toml"
        reported = VERSION["reported_minor"]
        path.write_text(path.read_text().replace(f"reported_minor = {reported}",
                                                 f"reported_minor = {reported - 1}"))
        done = generate(api=api)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"+inline constexpr int kPjrtReportedMinor = {reported - 1};", done.stdout)

    def test_missing_and_stale_headers_are_found(self):
        api = copy_of_api("stale")
        (api / "include/pjrt_c_api_layouts_extension.h").unlink()
        (api / "include/pjrt_c_api_old_extension.h").write_text("// old\n")
        done = generate(api=api)
        self.assertEqual(done.returncode, 1)
        self.assertIn("pjrt_c_api_old_extension.h is committed", done.stdout)
        self.assertIn("+#ifndef PJRT_C_API_LAYOUTS_EXTENSION_H_", done.stdout)

    def test_missing_history_fails(self):
        for lost in ("layouts.json", "extensions.json", "quirks.toml"):
            api = copy_of_api(f"no_history_{lost}")
            (api / "history" / lost).unlink()
            done = generate(api=api)
            self.assertEqual(done.returncode, 2)
            self.assertIn(lost, done.stderr)

    def test_broken_history_fails(self):
        api = copy_of_api("broken_history")
        path = api / "history/layouts.json"
        path.write_text(path.read_text()[:-1000])
        done = generate(api=api)
        self.assertEqual(done.returncode, 2)
        self.assertIn("layouts.json", done.stderr)

    def test_contradiction_fails(self):
        api = copy_of_api("contradiction")
        path = api / "registry/event.toml"
        path.write_text(path.read_text().replace("slot = 127", "slot = 126"))
        done = generate(api=api)
        self.assertEqual(done.returncode, 2)
        self.assertIn("slots are not contiguous", done.stderr)

    def test_past_header(self):
        folder = work_dir("past")
        self.assertEqual(generate("--header", "0.61-b", str(folder)).returncode, 0)
        text = (folder / "pjrt_c_api.h").read_text()
        self.assertIn("#define PJRT_API_MINOR 61", text)
        self.assertIn("PJRT_Buffer_Type_F8E8M0FNU", text)
        self.assertNotIn("PJRT_KeyValueTryGetCallback", text)
        self.assertEqual(generate("--header", "0.61-a", str(folder)).returncode, 0)
        text = (folder / "pjrt_c_api.h").read_text()
        self.assertIn("PJRT_KeyValueTryGetCallback", text)
        self.assertNotIn("PJRT_Buffer_Type_F8E8M0FNU", text)

    def test_past_header_of_an_unknown_or_old_revision(self):
        folder = work_dir("past_unknown")
        for name, reason in ((f"0.{NEWEST + 1}", f"no revision 0.{NEWEST + 1}"), ("0.40", "from 0.57 on"),
                             ("0.56-b", "from 0.57 on")):
            done = generate("--header", name, str(folder))
            self.assertEqual(done.returncode, 2, name)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    unittest.main()
