# SPDX-License-Identifier: Apache-2.0
"""Runs the embedding sample, compares what it prints, and holds it to its promises.

  embed_test.py EMBED LIBPLINTH PLUGIN
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SAMPLE, LIBPLINTH, PLUGIN = sys.argv[1:4]


def run(*arguments, **options):
    return subprocess.run([SAMPLE, *arguments], capture_output=True, text=True, timeout=60, **options)


class EmbedTest(unittest.TestCase):
    def test_result(self):
        result = run(PLUGIN)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            result.stdout,
            "energy 0.5\nforces 0.25 0 0 0.5 -1 0.5 0 0 -0.25\n")

    def test_measure(self):
        result = run("--measure", PLUGIN)
        self.assertRegex(result.stdout, r"first result after [0-9.]+ ms, [0-9.]+ MB in use\n")

    def test_asks_the_plugin_once(self):
        """What takes time is done once; two results are read, three events waited for."""
        with tempfile.TemporaryDirectory() as folder:
            timeline = pathlib.Path(folder) / "timeline.json"
            run(PLUGIN, check=True, env=os.environ | {"PLINTH_LAYERS": f"trace(file={timeline})"})
            events = json.loads(timeline.read_text())
        calls = collections.Counter(event["name"] for event in events if event["ph"] == "X")
        self.assertLessEqual({"PJRT_Client_Create", "PJRT_Client_Compile",
                              "PJRT_LoadedExecutable_Execute"}, calls.keys())
        self.assertEqual({"PJRT_Buffer_ToHostBuffer": 2, "PJRT_Buffer_Destroy": 3,
                          "PJRT_Event_Await": 3, "PJRT_Event_Destroy": 3},
                         {name: count for name, count in calls.items() if count > 1})

    def test_no_python_and_no_library_but_two(self):
        for path in (SAMPLE, LIBPLINTH, PLUGIN):
            text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
            needed = set(re.findall(r"NEEDED.*\[(.*)\]", text))
            system = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
                      "libpthread.so.0", "libdl.so.2", "libz.so.1"}
            self.assertLessEqual(needed - system, {"libplinth.so.0"}, path)

    def test_no_plugin_lists_the_places_tried(self):
        result = run("/nowhere/plugin.so")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/nowhere/plugin.so", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
