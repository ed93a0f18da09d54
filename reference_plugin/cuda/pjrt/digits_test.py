#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unmodified JAX trains samples/digits for 22 steps through the plugin on the simulated driver, and its parameters agree
with those of the CPU plugin: digits_test.py CUDA_PLUGIN CPU_PLUGIN SIMULATOR FOLDER"""

import os
import pathlib
import subprocess
import sys

import numpy as np

TRAIN = pathlib.Path(__file__).resolve().parents[3] / "samples/digits/train.py"
LARGEST_DIFFERENCE = 1e-4  # of the largest parameter of an array


def train(plugin: str, out: pathlib.Path, **environment: str):
    names = {"PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth_tested:{plugin}", "JAX_PLATFORMS": "plinth_tested"}
    subprocess.run([sys.executable, str(TRAIN), "--out", str(out), "--epochs", "1"], check=True, timeout=300,
                   env=os.environ | names | environment)
    return np.load(out.with_suffix(".npz"))


def main() -> None:
    cuda, cpu, simulator, folder = sys.argv[1:]
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    report = out / "report.txt"
    report.unlink(missing_ok=True)
    cache = out / "kernels"
    cache.mkdir(exist_ok=True)
    there = train(cuda, out / "cuda", PLINTH_CUDA_LIBRARY_PATH=simulator, PLINTH_CUDA_CACHE="off",
                  PLINTH_SIMULATOR_CACHE=str(cache), PLINTH_SIMULATOR=f"report={report},seed=1")
    here = train(cpu, out / "cpu")
    difference = max(np.max(np.abs(there[k] - here[k])) / np.max(np.abs(here[k])) for k in here.files)
    print(f"largest difference of the parameters: {difference:.2g}")
    assert difference <= LARGEST_DIFFERENCE
    assert not report.exists(), report.read_text()


if __name__ == "__main__":
    main()
