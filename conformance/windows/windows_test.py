# SPDX-License-Identifier: Apache-2.0
"""The matrix tells what it should; and what is generated agrees with the history.

  windows_test.py CLIENT_FOLDER PLUGIN_FOLDER PLUGIN_BEHIND LIBPLINTH PLINTH PLINTH_CONFORMANCE
"""

from __future__ import annotations

import datetime
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import matrix
import matrix_html
import promises
import windows

CLIENTS, PLUGINS, BEHIND, LIBPLINTH, CLI, SUITE = (Path(argument) for argument in sys.argv[1:7])
BUILD = CLIENTS.parent.parent
HISTORY = windows.history()
REGISTRY = windows.registry_module.load(windows.API / "registry")


def sizes(name: str) -> dict[str, promises.Size]:
    return promises.sizes(REGISTRY, HISTORY, windows.revisions.find(HISTORY, name))


def client(name: str) -> matrix.Client:
    window = windows.named(HISTORY, [name])[0]
    return matrix.Client(window, sizes(window.name), CLIENTS / window.name)


def plugin(name: str) -> matrix.Plugin:
    window = windows.named(HISTORY, [name])[0]
    return matrix.Plugin(window.name, PLUGINS / f"pjrt_frozen_{window.name}.so", window,
                         sizes(window.name))


class Generated(unittest.TestCase):
    def test_frozen_tables_have_the_sizes_of_the_history(self):
        for window in windows.windows(HISTORY):
            view = windows.revisions.View(REGISTRY, HISTORY, window.revision)
            text = windows.frozen_tables.tables(view, [])
            layout = window.revision.layout
            rows = re.findall(r'\{"(PJRT_\w+)", (\d+), (\d+), \d+, ', text)
            self.assertGreater(len(rows), 100)
            for name, announced, end in rows:
                struct = layout["structs"][name]
                self.assertEqual(int(end), struct["end"], f"{name} at {window.name}")
                self.assertEqual(int(announced), struct.get("announced", struct["end"]),
                                 f"{name} at {window.name}")
            functions = re.findall(r'\{"(PJRT_\w+)", \d+\}', text)
            self.assertEqual(functions, layout["functions"], window.name)

    def test_every_distinct_layout_is_a_window_and_no_label_is_lost(self):
        every = windows.windows(HISTORY)
        labels = [label for w in every for label in w.labels]
        self.assertEqual(labels, [r.name for r in HISTORY if r.minor >= 57])
        for before, after in zip(every, every[1:]):
            self.assertNotEqual(before.revision.layout, after.revision.layout)

    def test_the_window_is_18_months_or_more(self):
        rows = json.loads((windows.API / "history" / "layouts.json").read_text())["revisions"]
        dates = {row["revision"]: [datetime.date.fromisoformat(day) for day, _ in row["commits"]]
                 for row in rows}
        newest = max(day for days in dates.values() for day in days)
        oldest = windows.windows(HISTORY)[0].labels[-1]
        self.assertGreaterEqual((newest - max(dates[oldest])).days, 18 * 365 // 12)
        default = matrix.default_names(BUILD)
        self.assertLessEqual(max(dates[default[0]]), newest - datetime.timedelta(18 * 365 // 12))

    def test_a_minor_means_its_last_revision(self):
        self.assertEqual([w.name for w in windows.named(HISTORY, ["0.90", "0.58"])],
                         ["0.90-c", "0.57"])

    def test_what_is_too_old_is_refused(self):
        with self.assertRaisesRegex(windows.revisions.HistoryError, "windows begin"):
            windows.named(HISTORY, ["0.55"])


class Find(unittest.TestCase):
    def test_all_that_is_asked_for_has_to_be_there(self):
        clients, plugins = matrix.find(BUILD, ["0.57", "0.116"])
        self.assertEqual([c.name for c in clients], ["0.57", "0.116"])
        self.assertEqual([p.name for p in plugins], ["0.57", "0.116"])
        with tempfile.TemporaryDirectory() as folder:
            only = Path(folder) / "windows" / "client" / "0.57"
            only.parent.mkdir(parents=True)
            only.write_text("")
            with self.assertRaisesRegex(FileNotFoundError, "client/0.116 does not exist .3 are"):
                matrix.find(Path(folder), ["0.57", "0.116"])


class Promises(unittest.TestCase):
    def check(self, client_name: str, plugin_name: str, expected: list[str]) -> None:
        self.assertEqual(promises.verdicts(sizes(client_name), sizes(plugin_name)), expected)

    def test_newer_clients_pass(self):
        self.check("0.116", "0.57", ["PASS"])
        self.check("0.90", "0.90", ["PASS"])

    def test_older_clients_pass_where_no_struct_grew(self):
        self.check("0.57", "0.60", ["PASS"])

    def test_older_clients_may_be_refused_where_one_did(self):
        self.check("0.57", "0.116", ["PASS", "REFUSED"])

    def test_through_a_loader_only_full_size_plugins_may_refuse(self):
        self.assertEqual(matrix.expected(client("0.57"), plugin("0.104"), True), ["PASS"])
        self.assertEqual(matrix.expected(client("0.57"), plugin("0.116"), True), ["PASS", "REFUSED"])
        self.assertEqual(matrix.expected(client("0.57"), plugin("0.116"), True, True), ["PASS"])
        vendors = matrix.Plugin("x.so", Path("x.so"))
        self.assertEqual(matrix.expected(client("0.57"), vendors, False), ["PASS"])

    def test_a_wrong_announcement_excuses_a_crash(self):
        self.assertIn("CRASH", promises.verdicts(sizes("0.69"), sizes("0.70-a")))
        self.assertNotIn("CRASH", promises.verdicts(sizes("0.69"), sizes("0.72")))


class Runs(unittest.TestCase):
    """Single pairs of what is built."""

    def setUp(self):
        self.runner = matrix.Runner(None, 60, BEHIND)

    def test_a_pair_of_one_revision_passes(self):
        row = self.runner.client(client("0.78"), [plugin("0.78")])[0]
        self.assertEqual(row["verdict"], "PASS", row)
        self.assertEqual((row["client_minor"], row["plugin_minor"]), (78, 78))
        self.assertGreater(row["calls"], 150)

    def test_a_refusal_is_told_from_a_failure(self):
        row = self.runner.client(client("0.57"), [plugin("0.116")])[0]
        self.assertEqual(row["verdict"], "REFUSED", row)
        self.assertTrue(any("Client_Create_Args size: expected 88, got 72" in r
                            for r in row["refusals"]), row)

    def test_clients_that_know_no_shardings_get_them_in_hlo(self):
        """The table of docs/using/frameworks.md: these clients ask for no extension."""
        self.runner._environment["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
        for path in sorted(CLIENTS.iterdir()):
            row = self.runner.client(client(path.name), [matrix.Plugin("plinth", BEHIND)])[0]
            self.assertEqual((row["verdict"], row["form_of_two"]), ("PASS", "hlo_with_config"), row)

    def test_a_plugin_that_is_none_fails(self):
        row = self.runner.client(client("0.78"), [matrix.Plugin("none", Path("/nowhere.so"))])[0]
        self.assertEqual(row["verdict"], "FAIL")
        self.assertIn("dlopen", row["failures"][0])


class AnotherMajor(unittest.TestCase):
    """What each side sees of a plugin or a framework of major version 1."""

    def row(self, through: Path | None, **environment: str) -> dict:
        runner = matrix.Runner(through, 60, BEHIND)
        runner._environment.update(environment)
        return runner.client(client("0.116"), [plugin("0.116")])[0]

    def tool(self, *command: Path | str) -> subprocess.CompletedProcess:
        environment = {**os.environ, "PLINTH_FROZEN_MAJOR": "1", "PLINTH_FROZEN_PLUGIN": str(BEHIND)}
        return subprocess.run(command, env=environment, capture_output=True, text=True,
                              timeout=60, check=False)

    def test_a_plugin_is_seen_by_its_version_alone(self):
        row = self.row(None, PLINTH_FROZEN_MAJOR="1")
        self.assertEqual(row["verdict"], "FAIL", row)
        self.assertEqual((row["failures"], row["calls"]), (["major version 1"], 0), row)

    def test_a_framework_sees_ours_by_its_version_alone(self):
        for through in (None, LIBPLINTH):
            row = self.row(through, PLINTH_WINDOW_MAJOR="1")
            self.assertEqual((row["failures"], row["calls"]), (["major version 0"], 0), row)

    def test_the_loader_refuses_it_in_words(self):
        row = self.row(LIBPLINTH, PLINTH_FROZEN_MAJOR="1")
        self.assertEqual(row["verdict"], "FAIL", row)
        self.assertTrue(any("1.116" in text for text in row["failures"]), row)

    def test_the_tools_name_the_version_and_stop(self):
        path = plugin("0.116").path
        info, doctor = self.tool(CLI, "info", path), self.tool(CLI, "doctor", path)
        self.assertEqual(info.returncode, 3, info)
        self.assertEqual(doctor.returncode, 1, doctor)
        self.assertNotIn("PJRT_Client_", info.stdout + doctor.stdout)
        for done in (info, doctor):
            self.assertIn("1.116", done.stdout + done.stderr)
        suite = self.tool(SUITE, "--plugin", path, "--level", "L0", "--quick", "--jobs", "1")
        self.assertEqual(suite.returncode, 3, suite)
        self.assertIn("1.116", suite.stdout + suite.stderr)


class FakeRuns(unittest.TestCase):
    """What a client does that dies or hangs."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def fake(self, body: str) -> matrix.Client:
        path = Path(self.folder.name) / "client"
        path.write_text(f"#!/bin/sh\npass() {{ echo '{self.PASS}'; }}\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return matrix.Client(client("0.116").window, {}, path)

    def rows(self, body: str, names: list[str], timeout: float = 60) -> list[dict]:
        runner = matrix.Runner(None, timeout, None)
        return runner.client(self.fake(body), [matrix.Plugin(n, Path(n)) for n in names])

    PASS = '{"verdict": "PASS", "failures": [], "refusals": [], "absent": []}'

    def test_one_that_dies_does_not_take_others_with_it(self):
        rows = self.rows("for p; do [ $p = bad ] && kill -ABRT $$; pass; done", ["a", "bad", "b"])
        self.assertEqual([r["verdict"] for r in rows], ["PASS", "CRASH", "PASS"])
        self.assertIn("SIGABRT", rows[1]["failures"])

    def test_one_that_dies_only_in_company_passes(self):
        rows = self.rows("for p; do [ $p = bad ] && [ $# -gt 1 ] && kill -ABRT $$; pass; done",
                         ["a", "bad", "b"])
        self.assertEqual([r["verdict"] for r in rows], ["PASS", "PASS", "PASS"])

    def test_one_that_hangs(self):
        rows = self.rows("for p; do [ $p = bad ] && exec sleep 60; pass; done", ["bad", "b"], 2)
        self.assertEqual([r["verdict"] for r in rows], ["HANG", "PASS"])

    def test_noise_on_standard_output_is_no_answer(self):
        rows = self.rows("echo hello; echo '{\"begin\": 1}'; pass", ["a"])
        self.assertEqual([r["verdict"] for r in rows], ["PASS"])


class Picture(unittest.TestCase):
    def test_a_broken_promise_is_listed_with_its_command(self):
        pair = {"client": "0.90", "plugin": "x.so", "verdict": "FAIL", "kept": False,
                "failures": ["a < b"], "refusals": [], "absent": [], "command": "run </this>"}
        page = matrix_html.page({"through": None, "counts": {"FAIL": 1}, "pairs": [pair],
                                 "clients": [{"name": "0.90", "labels": ["0.90"]}],
                                 "plugins": [{"name": "x.so", "labels": []}]})
        self.assertIn("<td>a &lt; b", page)
        self.assertIn("run &lt;/this&gt;", page)
        self.assertIn('class="broken"', page)
        data = re.search(r'id="data">(.*?)</script>', page).group(1)
        self.assertEqual(json.loads(data)["answers"], [["FAIL", "a < b"]])


if __name__ == "__main__":
    os.environ.pop("PLINTH_PLUGIN", None)
    unittest.main(argv=sys.argv[:1])
