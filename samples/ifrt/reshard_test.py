# SPDX-License-Identifier: Apache-2.0
"""reshard_test.py BINARY PLUGIN LIBRARIES: both samples print the same, and what NumPy says."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
binary, plugin, libraries = sys.argv[1:]
program = str(HERE / "product.mlir")
whole = np.arange(64, dtype=np.float32).reshape(8, 8)
text = " ".join(f"{x:g}" for x in (whole @ whole).flat)
want = "".join(f"{what} ({where}): {text}\n" for what, where in zip(
    ("program", "columns", "pair"),
    ("tiles [4,2] over 8, devices 0,1,2,3,4,5,6,7, memory device",
     "tiles [1,8] over 8, devices 0,1,2,3,4,5,6,7, memory device",
     "tiles [2,1] over 2, devices 6,1, memory device")))
environment = dict(os.environ, PLINTH_IFRT_LIBRARIES=libraries,
                   PYTHONPATH=str(HERE.parents[1] / "reference_plugin/python"))
for command in ([binary], [sys.executable, str(HERE / "reshard.py")]):
    done = subprocess.run([*command, plugin, program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == want, f"{command}:\n{done.stdout}\nwanted:\n{want}"
wrong = subprocess.run([binary, "/no/such/plugin.so", program], capture_output=True, text=True)
assert wrong.returncode == 1 and "/no/such/plugin.so" in wrong.stderr, wrong
print("both samples are right")
