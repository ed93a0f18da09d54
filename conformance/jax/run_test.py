# SPDX-License-Identifier: Apache-2.0
"""The runner on a made-up checkout whose tests pass, fail, skip, crash and hang."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import comparison
import isolation
import through_serve

FOLDER = Path(__file__).resolve().parent
# "Built-in CPU" is JAX_PLATFORMS=cpu: there everything passes that can.
FILE = """
import os, signal, time, unittest
PLUGIN = os.environ["JAX_PLATFORMS"] != "cpu"

class Some(unittest.TestCase):
    def test_passes(self): pass
    def id(self): return "all of them. have (one name)"
    def test_fails(self): self.assertFalse(PLUGIN, "a reason")
    def test_fails_everywhere(self): self.fail()
    def test_fails_in_part(self):
        with self.subTest("part"): self.assertFalse(PLUGIN, "a part")
    def test_crashes(self):
        print("last words", flush=True)
        if PLUGIN: os.kill(os.getpid(), signal.SIGSEGV)
    def test_exits(self):
        if PLUGIN: os._exit(3)
    def test_hangs(self):
        if PLUGIN: time.sleep(100)
    def test_skips(self):
        if PLUGIN: self.skipTest("not here")
    def test_skips_everywhere(self): self.skipTest("nowhere")
    def test_wide(self): self.assertEqual(os.environ["JAX_ENABLE_X64"], "1")
    @unittest.expectedFailure
    def test_wrong_as_expected(self): self.fail()
    if PLUGIN and False:
        def test_missing(self): pass

class Fixture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if PLUGIN: raise RuntimeError("no fixture")
    def test_one(self): pass
    def test_two(self): pass
"""
KINDS = {"Some.test_fails": "fails here only", "Some.test_fails_in_part": "fails here only",
         "Some.test_crashes": "crash", "Some.test_exits": "crash", "Some.test_hangs": "hang",
         "Some.test_skips": "skipped here only", "Fixture.test_one": "fails here only",
         "Fixture.test_two": "fails here only"}


class ThroughServe(unittest.TestCase):
    def faults(self, different, listed):
        report = {"files": [{"file": "some_test", "different": {
            name: {"kind": "fails here only", "message": text} for name, text in different.items()}}]}
        return through_serve.faults(report, {"some_test": listed})

    def test_what_is_listed_fails_with_its_message(self):
        self.assertEqual([], self.faults({"A.one": "x\nrefused: 7"}, {"A.one": "refused"}))
        self.assertEqual([], self.faults({}, {}))

    def test_anything_else_is_a_fault(self):
        self.assertIn("A.two: fails here only: lost", self.faults({"A.two": "x\nlost"}, {"A.one": "refused"})[0])
        self.assertIn("another message", self.faults({"A.one": "lost"}, {"A.one": "refused"})[0])
        self.assertIn("A.one: passes", self.faults({}, {"A.one": "refused"})[0])

    def test_the_list_is_sound(self):
        causes = json.loads((FOLDER / "through_serve.json").read_text())
        listed = [(file, name, text) for files in causes.values() for file, tests in files.items()
                  for name, text in tests.items()]
        for file, name, text in listed:
            self.assertRegex(file, r"^\w+_test( with [0-9]+ devices)?$")
            self.assertTrue("." in name and len(text) > 10, name)
        # With one device only what is listed for any number.
        one = [entry for entry in listed if " with " not in entry[0]]
        self.assertLess(len(one), len(listed))
        for devices, wanted in ((1, one), (8, listed)):
            merged = through_serve.listed_tests(devices)
            self.assertEqual(len(wanted), sum(map(len, merged.values())), "a test has two causes")


class Run(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "tests").mkdir()
        (self.folder / "tests" / "some_test.py").write_text(FILE)
        (self.folder / "tests" / "bad_test.py").write_text("import no_such_module_anywhere\n")
        (self.folder / "plugin.so").write_text("")

    def run_it(self, *arguments):
        done = subprocess.run(
            [sys.executable, FOLDER / "run.py", "--jax", self.folder, "--plugin", self.folder / "plugin.so",
             "--cache", self.folder / "cache", "--seconds", "2", "--json", self.folder / "report.json",
             "--markdown", self.folder / "report.md", *arguments],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=100)
        report = self.folder / "report.json"
        return done, json.loads(report.read_text()) if report.exists() else None

    def test_every_verdict(self):
        for jobs in ("1", "3"):
            with self.subTest(jobs=jobs):
                done, report = self.run_it("--files", "some_test", "--jobs", jobs)
                self.assertEqual(done.returncode, 1, done.stdout)
                narrow, wide = report["files"]
                self.assertEqual({n: d["kind"] for n, d in wide["different"].items()}, KINDS)
                self.assertEqual((narrow["tests"], wide["tests"]), (10, 11))
                self.assertEqual(wide["counts"]["passed on both"], 3)
                self.assertIn("a reason", wide["different"]["Some.test_fails"]["message"])
                self.assertIn("SIGSEGV\nlast words", wide["different"]["Some.test_crashes"]["message"])
                self.assertIn("ended with status 3", wide["different"]["Some.test_exits"]["message"])
                self.assertIn("in test_hangs", wide["different"]["Some.test_hangs"]["message"])
                self.assertIn("no fixture", wide["different"]["Fixture.test_one"]["message"])
                self.assertIn("- `Some.test_fails`: fails here only: AssertionError: True is not false : a reason",
                              (self.folder / "report.md").read_text())

    def test_selection_and_built_in_results_once(self):
        done, report = self.run_it("--files", "some_test", "--bits", "64", "--select", "passes|_fails$")
        self.assertEqual(report["files"][0]["tests"], 2, done.stdout)
        cache, = (self.folder / "cache").glob("*.json")
        known = json.loads(cache.read_text())
        self.assertEqual(set(known["results"]), {"Some.test_passes", "Some.test_fails"})
        known["results"]["Some.test_passes"]["verdict"] = "skip"
        cache.write_text(json.dumps(known))
        _, report = self.run_it("--files", "some_test", "--bits", "64", "--select", "passes|_fails$")
        self.assertEqual(report["files"][0]["tests"], 1)
        # What differed is run again, and nothing else.
        _, report = self.run_it("--files", "some_test", "--bits", "64", "--again", self.folder / "report.json")
        self.assertEqual(list(report["files"][0]["different"]), ["Some.test_fails"])
        self.assertEqual(report["files"][0]["tests"], 1)

    def test_quick(self):
        done, report = self.run_it("--files", "some_test", "--bits", "64", "--quick", "--select", "Some")
        self.assertEqual({n: d["kind"] for n, d in report["files"][0]["different"].items()},
                         {n: kind for n, kind in KINDS.items() if n.startswith("Some")}, done.stdout)
        self.assertEqual(report["files"][0]["counts"]["passed on both"], 3)
        cache, = (self.folder / "cache").glob("*.json")
        self.assertNotIn("Some.test_passes", json.loads(cache.read_text())["results"])

    def test_another_plugin_in_place_of_built_in_cpu(self):
        # There the same tests fail as on the plugin: nothing is said of them.
        for against, tests in (("tpu,cpu", 1), ("cpu", 2)):
            _, report = self.run_it("--files", "some_test", "--bits", "64", "--select", "passes|_fails$",
                                    "--against", against)
            self.assertEqual(report["files"][0]["tests"], tests)

    def test_exit_status(self):
        done, _ = self.run_it("--files", "some_test", "--select", "passes|wrong_as")
        self.assertEqual(done.returncode, 0, done.stdout)
        done, _ = self.run_it("--files", "some_test", "--select", "passes|_fails$", "--rate", "0.5")
        self.assertEqual(done.returncode, 0, done.stdout)
        done, _ = self.run_it("--files", "some_test", "--select", "passes|_crashes$", "--rate", "0.5")
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_nothing_compared_is_a_failure(self):
        done, report = self.run_it("--files", "some_test", "--select", "nothing")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no test was compared", done.stdout)
        self.assertIn("| 0 | 0 | 0 | 0 | 0 | 0 | - |", (self.folder / "report.md").read_text())
        for quick in ([], ["--quick"]):
            done, report = self.run_it("--files", "some_test", "--select", "everywhere|_passes$", "--rate", "0.1", *quick)
            self.assertEqual(done.returncode, 0, done.stdout)
            done, report = self.run_it("--files", "some_test", "--select", "fails_everywhere", *quick)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("built-in CPU passes none", report["files"][0]["error"])
        # Once more: what could not be compared, and, where all was well, nothing.
        done, report = self.run_it("--files", "some_test", "--again", self.folder / "report.json")
        self.assertEqual(report["files"][0]["tests"], 10, done.stdout)
        self.run_it("--files", "some_test", "--select", "_passes$")
        done, _ = self.run_it("--files", "some_test", "--again", self.folder / "report.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("nothing differs", done.stdout)

    def test_libraries_that_are_not_there(self):
        for option in ("--plugin", "--through"):
            done, _ = self.run_it("--files", "some_test", option, "/nowhere.so")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("/nowhere.so does not exist", done.stdout)

    def test_files_that_cannot_be_read(self):
        done, report = self.run_it("--files", "bad_test")
        self.assertEqual(done.returncode, 1)
        self.assertIn("No module named 'no_such_module_anywhere'", report["files"][0]["error"])
        done, _ = self.run_it("--files", "absent_test")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--jax names a checkout", done.stdout)

    def test_layers_are_asked(self):
        (self.folder / "tests" / "some_test.py").write_text("""
import os, unittest
class Some(unittest.TestCase):
    def test_it(self):
        if os.environ["JAX_PLATFORMS"] == "cpu": return
        assert os.environ["PLINTH_LAYERS"] == "validation(leaks=false)"
        assert os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"].endswith("through.so")
        for n in "12":
            print(f"plinth error: validation: call #{n} at 0x{n}", file=open(os.environ["PLINTH_LOG"], "a"))
""")
        (self.folder / "through.so").write_text("")
        done, report = self.run_it("--files", "some_test", "--bits", "32", "--through", self.folder / "through.so",
                                   "--layers", "validation(leaks=false)")
        self.assertEqual(report["validation"], {"validation: call #.. at 0x..": 2}, done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_setup_is_called_on_the_plugin(self):
        (self.folder / "vendor").mkdir()
        (self.folder / "vendor" / "module_of_vendor.py").write_text(
            "import os\ndef prepare(): os.environ['PREPARED'] = '1'\n")
        (self.folder / "tests" / "some_test.py").write_text("""
import os, unittest
class Some(unittest.TestCase):
    def test_it(self):
        self.assertEqual("PREPARED" in os.environ, os.environ["JAX_PLATFORMS"] != "cpu")
""")
        done, _ = self.run_it("--files", "some_test", "--bits", "32",
                              "--setup", f"{self.folder / 'vendor'}:module_of_vendor:prepare")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_death_before_the_first_test(self):
        file = self.folder / "tests" / "some_test.py"
        file.write_text("import os\nos._exit(7)\n")
        found = isolation.run_tests(file, ["A.test_a"], {**os.environ}, 5)
        self.assertEqual(found["A.test_a"]["verdict"], "crash")


class Words(unittest.TestCase):

    def test_last_line(self):
        self.assertEqual(comparison.last_line("x\nAssertionError: no\n\nMismatch: 3\n more"), "AssertionError: no")
        self.assertEqual(comparison.last_line("first\nsecond"), "first")
        self.assertEqual(comparison.last_line(""), "")


if __name__ == "__main__":
    unittest.main()
