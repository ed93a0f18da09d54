# SPDX-License-Identifier: Apache-2.0
"""compute-sanitizer over kernels of each kind: out of bounds, misaligned, shared memory races"""

import os
import pathlib
import shutil
import subprocess

from processes import CUDA, Missing, left, library_path
from suite import CONFORMANCE, PROFILES

OPS = (
    "sort",
    "scatter",
    "reduce",
    "transpose",
    "reduce_window",
    "dot_general",
    "gather",
    "cholesky",
    "select_and_scatter",
)
OF_THE_TOOL = ("ERROR SUMMARY", "COMPUTE-SANITIZER")


def find_tool() -> str:
    tool = shutil.which("compute-sanitizer")
    installed = pathlib.Path("/usr/local").glob("cuda*/bin/compute-sanitizer")
    tool = tool or next(map(str, installed), None)
    if tool is None:
        raise Missing("no compute-sanitizer")
    return tool


def measure(rows) -> None:
    tool = find_tool()
    # Racecheck first: the simulator finds accesses out of bounds, but not every missing barrier.
    for check in ("racecheck", "memcheck"):
        for op in OPS:
            checked = [tool, "--tool", check, "--target-processes", "all", "--print-limit", "10"]
            suite = [
                CONFORMANCE,
                "--plugin",
                CUDA,
                "--quiet",
                "--profile",
                PROFILES["plinth_cuda"],
                "--jobs",
                "1",
                "--case-seconds",
                "100",
                "--cases",
                f"L4/op/{op}/f32*",
            ]
            try:
                done = subprocess.run(
                    [str(c) for c in checked + suite],
                    capture_output=True,
                    text=True,
                    timeout=left(45),
                    check=False,
                    env=os.environ | library_path(),
                )
            except subprocess.TimeoutExpired:
                rows.add(f"{check} of {op}", "no end after 45 s")
                continue
            out = done.stdout + done.stderr
            if "no case matches" in out:
                continue
            found = [
                line
                for line in out.splitlines()
                if line.startswith("=========") and not any(said in line for said in OF_THE_TOOL)
            ]
            rows.add(f"{check} of {op}", "\n".join(found[:40]) or "clean", not found)
