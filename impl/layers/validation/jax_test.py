#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jax_test.py LIBPLINTH PLUGIN: unmodified JAX trains the sample network through libplinth with the
validation layer, which has nothing to report.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBPLINTH, PLUGIN = (Path(a).resolve() for a in sys.argv[1:3])
TRAIN = Path(__file__).resolve().parents[3] / "samples/digits/train.py"

# Ends with a mistake: silence alone would not tell that anybody looks.
MISTAKE = """
import ctypes, jax, numpy as np
print(jax.jit(lambda x: x + 1)(np.float32(1)))
library = ctypes.CDLL({library!r})
library.GetPjrtApi.restype = ctypes.POINTER(ctypes.c_void_p)
destroy = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(library.GetPjrtApi()[{slot}])
destroy((ctypes.c_size_t * 3)(8, 0, 0))
"""
BUFFER_DESTROY = 5 + 58  # the slots come behind five words


class Jax(unittest.TestCase):
    def reports(self, command: list[str]) -> list[str]:
        """Runs a program through libplinth; the lines of the validation layer."""
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            environment = {**os.environ, "PLINTH_PLUGIN": str(PLUGIN), "PLINTH_LAYERS": "validation",
                           "PLINTH_LOG": str(log), "JAX_PLATFORMS": "plinth",
                           "PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth:{LIBPLINTH}"}
            done = subprocess.run([sys.executable, *command], env=environment, text=True, cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  timeout=240)
            self.assertEqual(done.returncode, 0, done.stdout[-3000:])
            lines = log.read_text(encoding="utf-8").splitlines()
            self.assertTrue(any("caller -> validation -> " in line for line in lines), lines)
            return [line for line in lines if "validation:" in line]

    def test_training(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "digits"
            self.assertEqual(self.reports([str(TRAIN), "--out", str(out), "--epochs", "3"]), [])
            self.assertGreater(json.loads(out.with_suffix(".json").read_text())["accuracy"], 0.9)

    def test_a_mistake_is_seen(self) -> None:
        program = MISTAKE.format(library=str(LIBPLINTH), slot=BUFFER_DESTROY)
        lines = self.reports(["-c", program])
        self.assertTrue(lines)
        self.assertIn("[PJRT-Args-struct_size-smaller]", lines[0])
        self.assertIn("PJRT_Buffer_Destroy", lines[0])


if __name__ == "__main__":
    for package in ("jax", "sklearn"):
        if not importlib.util.find_spec(package):
            sys.exit(f"{sys.executable} has no {package}: scripts/install_dependencies --tests")
    unittest.main(argv=sys.argv[:1])
