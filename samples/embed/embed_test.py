# SPDX-License-Identifier: Apache-2.0
"""Runs the embedding sample, compares what it prints, and holds it to its promises.

  embed_test.py EMBED LIBPLINTH PLUGIN
"""

import re
import subprocess
import sys
import time
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

    def test_memory(self):
        result = run("--measure", PLUGIN)
        megabytes = float(re.search(r"([0-9.]+) MB in use", result.stdout).group(1))
        self.assertLess(megabytes, 20)

    def test_time_of_a_whole_run(self):
        def fastest(program):  # Other work on the machine is not the sample's.
            times = []
            for _ in range(20):
                started = time.perf_counter()
                program()
                times.append(time.perf_counter() - started)
            return min(times)

        # Or what an empty program takes Python, on a machine where that is longer.
        python = fastest(lambda: subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True))
        self.assertLess(fastest(lambda: run(PLUGIN)), max(0.015, python))

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
