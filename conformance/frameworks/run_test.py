# SPDX-License-Identifier: Apache-2.0
"""The matrix runner on programs that need no framework: what fails, differs, crashes and hangs is told."""

import importlib.machinery
import importlib.util
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import environments  # noqa: E402
import table  # noqa: E402

PROGRAMS = '''
import os, signal, sys, time
import numpy as np
from programs import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
RAN = []
WRONG = os.environ.get("WRONG", "") == "1"

@program()
def right():
    RAN.append(1)
    return {"b": np.arange(3.0), "a": [1, "text"]}

@program()
def differs():
    return np.arange(4.0) + 0.01 * WRONG

@program(0.1)
def differs_by_what_is_allowed():
    return np.arange(4.0) + 0.01 * WRONG

@program()
def other_type():
    return np.zeros(3, np.float64 if WRONG else np.float32)

@program()
def nan():
    return np.array([1.0, float("nan") if WRONG else 2.0])

@program()
def raises():
    if WRONG: raise ValueError("first line\\nsecond")
    return 1

@program()
def crashes():
    if WRONG: os.kill(os.getpid(), signal.SIGSEGV)
    return 1

@program()
def hangs():
    if WRONG: time.sleep(60)
    return 1

@program(alone=True)
def alone():
    return len(RAN)

@program(0.2)
def trains():
    return {"loss": 1.0, "accuracy": 0.5 if WRONG else 0.55}

@program()
def last():
    return 2
'''


def load_run():
    loader = importlib.machinery.SourceFileLoader("frameworks_run", str(FOLDER / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("frameworks_run", loader))
    loader.exec_module(module)
    return module


class RunnerTest(unittest.TestCase):
    def test_each_way_to_fail_is_told_and_the_rest_runs(self):
        run = load_run()
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "no_framework.py").write_text(PROGRAMS)
            runner = object.__new__(run.Runner)
            runner.seconds, runner.list, runner.work, runner.figures = 3, "no_framework", pathlib.Path(folder), {}
            runner.python, runner.folders = sys.executable, [pathlib.Path(folder), pathlib.Path(environments.__file__).parent]
            import numpy
            runner.folders.append(pathlib.Path(numpy.__file__).parents[1])
            own = runner.run("own", {}, None, [])
            self.assertEqual(set(own.values()), {None})
            results = pickle.loads((runner.work / "own.results").read_bytes())
            self.assertEqual(list(results), list(own))
            self.assertEqual(int(results["alone"][0][1]), 0)
            found = runner.run("way", {"WRONG": "1"}, runner.work / "own.results", [])
            self.assertEqual(list(found), list(own))
            self.assertIsNone(found["right"])
            self.assertIsNone(found["differs by what is allowed"])
            self.assertIn("differs by 0.01", found["differs"])
            self.assertIn("float64(3,)", found["other type"])
            self.assertIn("NaN", found["nan"])
            self.assertEqual(found["raises"], "ValueError: first line")
            self.assertEqual(found["crashes"], "killed by signal 11")
            self.assertIn("took more than 3 s", found["hangs"])
            self.assertIsNone(found["last"])
            self.assertEqual(runner.figures, {"own": {"trains": "55.0%"}, "way": {"trains": "50.0%"}})

    def test_a_process_that_does_not_start_is_told(self):
        run = load_run()
        with tempfile.TemporaryDirectory() as folder:
            runner = object.__new__(run.Runner)
            runner.seconds, runner.list, runner.work, runner.figures = 3, "no_such_list", pathlib.Path(folder), {}
            runner.python, runner.folders = sys.executable, []
            import numpy
            runner.folders.append(pathlib.Path(numpy.__file__).parents[1])
            self.assertIn("no_such_list", runner.run("way", {}, None, [])["(start)"])


class TableTest(unittest.TestCase):
    def test_what_was_ok_and_is_not_is_found(self):
        old = table.Table({("jax-1.0", "file"): {"a": None, "b": "wrong", "c": None}, ("jax-2.0", "file"): {"a": None}})
        new = table.Table({("jax-1.0", "file"): {"a": "now wrong", "b": None, "c": None}})
        self.assertEqual(old.lost(new), ["jax-1.0, file: a: now wrong"])
        # A release that was not run is not compared; one that does not start has lost all.
        self.assertEqual(len(old.lost(table.Table({("jax-2.0", "file"): {"(start)": "no"}}))), 1)

    def test_it_survives_a_file(self):
        first = table.Table({("jax-1.0", "file"): {"a": None, "b": "wrong"}}, {("jax-1.0", "file"): {"a": "96.1%"}})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "table.json"
            path.write_text(first.text())
            self.assertEqual(table.Table.read(path), first)

    def test_the_lowest_accuracy_of_all_ways_is_told(self):
        cells = {("jax-1.0", way): {"a": None} for way in ("file", "wheel")}
        stored = table.Table(cells, {("jax-1.0", "file"): {"a": "100.0%"}, ("jax-1.0", "wheel"): {"a": "96.1%"}})
        self.assertIn("| a | ok 96.1% |", table.markdown(stored))
        # Neither a run that did not start nor a figure outlives the next run.
        stored.update(table.Table({("jax-1.0", "wheel"): {"(start)": "no"}}))
        stored.update(table.Table({("jax-1.0", "wheel"): {"a": None}}))
        self.assertIn("| a | ok 100.0% |", table.markdown(stored))

    def test_the_page_says_which_way_fails(self):
        text = table.markdown(table.Table({("jax-1.10", "file"): {"a": None, "b": "wrong"}, ("jax-1.10", "wheel"): {"a": None, "b": None},
                                           ("jax-1.9", "file"): {"a": None}}))
        self.assertIn("| program | 1.9 | 1.10 |", text)
        self.assertIn("| a | ok | ok |", text)
        self.assertIn("| b |  | (1) |", text)
        self.assertIn("| 1 | file: wrong |", text)

    def test_the_page_is_what_the_table_says(self):
        page = (environments.ROOT / "docs/using/frameworks.md").read_text()
        stored = table.Table.read(FOLDER / "table.json")
        self.assertTrue(stored.cells)
        self.assertIn(table.markdown(stored), page, "conformance/frameworks/run --record writes the page")


class EnvironmentsTest(unittest.TestCase):
    def test_releases_are_pinned(self):
        tables = environments._tables()
        for entry in [*environments.releases(), *map(lambda t: environments.Release("", "", **t), tables["layers"].values())]:
            for requirement in entry.requirements:
                self.assertRegex(requirement, r"^[\w.-]+==[\w.+]+ --hash=sha256:[0-9a-f]{64}$")
            for layer in entry.layers:
                self.assertEqual(tables["layers"][layer]["python"], entry.python)

    def test_a_python_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(environments.Missing, "no Python 3.99 .* pyenv install 3.99"):
            environments.find_python("3.99")

    def test_an_unknown_release_is_refused(self):
        done = subprocess.run([sys.executable, FOLDER / "run", "jax-0.0"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no release jax-0.0", done.stderr)


if __name__ == "__main__":
    unittest.main()
