# SPDX-License-Identifier: Apache-2.0
"""Measures the CUDA plugin on this machine's GPU: parts in turn, one table, one JSON file.

scripts/gpu                    the default parts, most telling first
scripts/gpu --part NAME ...    these parts; --list names them
scripts/gpu --pack FILE        collects what another machine needs, as FILE (.tar.gz), and stops:
                               unpack it there, run scripts/gpu

Needs no network and no compiler. NVRTC, Python and JAX are the machine's; what is missing is named,
and its parts are "not run". One that fails stops no other. Without --part all have --seconds
together (540): a part that begins later is "not run". Of what fails, the error, the text of the
kernels that it names and the program are printed, as far as they are short; every stage and kernel
is in gpu.failures.tar.gz beside the JSON file. A second run should not be needed. Both files are
written after each part, and the table once more at the end, so that the last lines of the output
have it whole.
"""

import argparse
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import failures
import pack
import processes
from processes import CUDA, Failed, Missing
from rows import Rows

# Modules of parts/. What runs at all, then the figures that are short to get, then all ops one by
# one, then the rest.
ORDER = (
    "machine",
    "demo",
    "cublaslt",
    "bits",
    "conformance",
    "dlpack",
    "bandwidth",
    "products",
    "chains",
    "speeds",
    "ops",
    "start",
    "models",
    "jax_tests",
    "memcheck",
)

SEES_DEVICE = """
import ctypes
driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
assert driver.cuInit(0) == 0
assert driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
"""


def has_device() -> bool:
    # A folder with a driver is asked for: a test has put one there.
    if "PLINTH_CUDA_LIBRARY_PATH" in os.environ:
        return True
    if any(os.path.exists(node) for node in ("/dev/nvidiactl", "/dev/dxg")):
        return True
    # Where a sandbox has the device in another way.
    asked = [sys.executable, "-c", SEES_DEVICE]
    return subprocess.run(asked, capture_output=True, timeout=60, check=False).returncode == 0


def check_machine() -> None:
    if not CUDA.is_file():
        raise Missing(f"no {CUDA}: scripts/build release pjrt_plinth_cuda")
    if not has_device():
        raise Missing("no device")


def part(name: str):
    return importlib.import_module(f"parts.{name}")


def measure(names, rows: Rows, seconds: float, file: pathlib.Path) -> None:
    start = time.perf_counter()
    processes.end_at(start + seconds)
    for name in names:
        begin = time.perf_counter()
        try:
            check_machine()
            if begin - start > seconds:
                raise Missing(f"no time left of {seconds:.0f} s: --part {name}")
            part(name).measure(rows)
        except Missing as missing:
            rows.add(name, f"not run: {missing}")
        except Failed as failed:
            rows.add(name, str(failed), False)
            print(failed.evidence(), flush=True)
        except Exception as error:  # The next part is measured whatever happened.
            rows.add(name, f"{type(error).__name__}: {error}", False)
        print(f"--- {name}: {time.perf_counter() - begin:.0f} s", flush=True)
        # A machine may be taken away at any time.
        if any("holds" in row for row in rows.rows):
            file.write_text(
                json.dumps({"machine": rows.machine, "rows": rows.rows}, indent=1) + "\n"
            )
        failures.keep(file.parent)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/gpu",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--part", action="append", choices=ORDER, help="run this part; may be given again"
    )
    parser.add_argument("--list", action="store_true", help="name the parts")
    parser.add_argument("--pack", type=pathlib.Path, metavar="FILE")
    parser.add_argument(
        "--seconds", type=float, default=540, help="for all parts together, if none is named"
    )
    parser.add_argument(
        "--json", type=pathlib.Path, default=pathlib.Path("gpu.json"), help="where the figures go"
    )
    arguments = parser.parse_args()
    if arguments.list:
        for name in ORDER:
            print(f"{name:<14}{part(name).__doc__.splitlines()[0]}")
        return
    if arguments.pack:
        pack.write(arguments.pack)
        return
    rows = Rows()
    shutil.rmtree(failures.FOLDER, ignore_errors=True)
    seconds = float("inf") if arguments.part else arguments.seconds
    measure(arguments.part or ORDER, rows, seconds, arguments.json)
    if not arguments.part:
        rows.print_again()
    if kept := failures.keep(arguments.json.parent):
        print(f"what failed: {kept}")
    shutil.rmtree(failures.FOLDER, ignore_errors=True)
    sys.exit(any(row.get("holds") is False for row in rows.rows))
