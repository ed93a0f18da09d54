# SPDX-License-Identifier: Apache-2.0
"""compare.py on a bench.py that is made up: rounds, deaths, what is kept. Needs no JAX."""

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import compare

BENCH = """
import argparse, json, os, sys, time
parser = argparse.ArgumentParser()
for name in ("out", "only", "skip", "budget"):
    parser.add_argument("--" + name)
for name in ("quiet", "resume"):
    parser.add_argument("--" + name, action="store_true")
options = parser.parse_args()
if options.only == "nothing": sys.exit(1)
results = json.load(open(options.out)) if os.path.exists(options.out) else {}
def save():
    json.dump(results, open(options.out + ".tmp", "w"))
    os.replace(options.out + ".tmp", options.out)
for case in options.only.split(","):
    if case in results: continue
    results["_running"] = case
    save()
    if case == "dies": os._exit(7)
    if case == "hangs": time.sleep(60)
    results[case] = {"ms": 2.0 if os.path.basename(options.out)[0] == "a" else 1.0, "chk": 1.0}
del results["_running"]
save()
"""


class Compare(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bench.py").write_text(BENCH)

    def run_it(self, *arguments: str) -> tuple[subprocess.CompletedProcess, dict]:
        kept = self.folder / "out.json"
        done = subprocess.run(
            [sys.executable, compare.__file__, "--a", "cpu", "--b", "cpu", "--timeout", "2", "--dir",
             self.folder / "runs", "--bench", self.folder / "bench.py", "--json", kept, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=100)
        return done, json.loads(kept.read_text()) if kept.exists() else {}

    def test_rounds_of_an_earlier_run_are_no_part_of_the_report(self):
        done, rows = self.run_it("--rounds", "2", "--only", "old/x")
        self.assertIn("rounds=2/2", done.stdout)
        self.assertEqual(list(rows), ["old/x.ms"])
        (self.folder / "runs" / "notes.json").write_text("{}")
        done, rows = self.run_it("--rounds", "1", "--only", "new/x,new/y")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("rounds=1/1", done.stdout)
        self.assertEqual(list(rows), ["new/x.ms", "new/y.ms"])
        self.assertEqual((rows["new/x.ms"]["a"], rows["new/x.ms"]["ratio"]), (2, 2))
        self.assertIn("new 2.00 (n=2)", done.stdout)
        self.assertTrue((self.folder / "runs" / "notes.json").exists())
        again, _ = self.run_it("--report-only")
        self.assertEqual(again.stdout, "".join(line for line in done.stdout.splitlines(True)
                                               if not line.startswith(("# round", "# others"))))

    def test_rounds_under_load_are_run_again_so_often(self):
        done, rows = self.run_it("--rounds", "1", "--only", "new/x", "--most-load", "-1", "--repeats", "2")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count("run again\n"), 2)
        self.assertIn("during a0, b0, after 2 rounds", done.stdout)
        self.assertEqual(rows["new/x.ms"]["min_ratio"], 2)
        quiet, _ = self.run_it("--rounds", "1", "--only", "new/x", "--most-load", "1000")
        self.assertNotIn("run again", quiet.stdout)

    def test_a_group_counts_each_case_once(self):
        a = [{"g/x": {"ms": 4, "us": 4}, "g/y": {"ms": 1}}, {"g/x": {"ms": 8, "us": 8}, "g/y": {"ms": 1}}]
        b = [{"g/x": {"ms": 1, "us": 1}, "g/y": {"ms": 1}}] * 2
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            compare.report(a, b, {})
        self.assertIn("minima: g 2.00 (n=2), all 2.00 (n=2)", printed.getvalue())
        self.assertIn("medians: g 2.45 (n=2)", printed.getvalue())

    def test_a_case_that_dies_or_hangs_is_an_error_and_the_rest_goes_on(self):
        done, rows = self.run_it("--rounds", "1", "--only", "first,dies,hangs,last")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(rows["dies"], {"error_a": "process died rc=7", "error_b": "process died rc=7"})
        self.assertEqual(rows["hangs"], {"error_a": "timeout", "error_b": "timeout"})
        self.assertEqual(rows["last.ms"]["ratio"], 2)

    def test_limits_are_those_of_the_machine(self):
        path = Path(self.folder) / "limits.json"
        path.write_text(json.dumps({compare.machine(): {"mem": 20}, "another": {"mem": 30}}))
        self.assertEqual(compare.limits_of(path, compare.machine()), {"mem": 20})
        self.assertEqual(compare.limits_of(path, "another"), {"mem": 30})
        self.assertEqual(compare.limits_of(path, "unknown"), {})

    def test_no_start_and_no_plugin(self):
        done, _ = self.run_it("--rounds", "1", "--only", "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not start", done.stdout)
        done, _ = self.run_it("--b", "x:/nowhere.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no plugin at /nowhere.so", done.stdout)

    def test_numbers(self):
        self.assertFalse(compare.checksums_differ(1.0, 1.001))
        self.assertFalse(compare.checksums_differ(float("nan"), float("nan")))
        self.assertTrue(compare.checksums_differ(1.0, 1.01))
        self.assertTrue(compare.checksums_differ(1.0, float("nan")))
        limits = {"mem": 20, "f32": 100}
        rounds = [{"ms": 1, "kind": "mem", "GBps": 5}, {"ms": 2, "kind": "mem", "GBps": 10}]
        self.assertEqual(compare.percent_of_limit(rounds, limits, "ms"), 50)
        self.assertIsNone(compare.percent_of_limit(rounds, limits, "async_ns"))
        self.assertIsNone(compare.percent_of_limit([{"ms": 1}], limits, "ms"))


if __name__ == "__main__":
    unittest.main()
