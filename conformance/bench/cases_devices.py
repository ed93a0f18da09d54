# SPDX-License-Identifier: Apache-2.0
"""Several devices in one process: each case in a process of its own, which has that many."""

import json
import os
import pathlib
import subprocess
import sys

from measure import case

PROGRAM = pathlib.Path(__file__).resolve().parent / "devices.py"
KB = 1 << 10
MB = 1 << 20


def on_devices(count, *arguments):
    flag = f"--xla_force_host_platform_device_count={count}"
    done = subprocess.run([sys.executable, str(PROGRAM), *map(str, arguments)], capture_output=True,
                          text=True, timeout=100, check=False, env=os.environ | {"XLA_FLAGS": flag})
    if done.returncode != 0:
        lines = (done.stderr.strip() or "nothing on stderr").splitlines()
        raise RuntimeError(f"exit status {done.returncode}: {lines[-1][:120]}")
    return json.loads(done.stdout.splitlines()[-1])


def devices_case(name, count, *arguments):
    case(f"devices/{name}_{count}")(lambda: on_devices(count, *arguments))


for devices in (2, 8, 64, 512):
    devices_case("add_one", devices, "add_one", 8)
for devices in (8, 64):
    for collective in ("psum", "all_gather", "all_to_all", "ppermute", "psum_scatter"):
        devices_case(f"{collective}_4kb", devices, collective, KB)
for collective in ("psum", "all_gather", "all_to_all", "ppermute", "psum_scatter"):
    devices_case(f"{collective}_4mb", 8, collective, MB)
devices_case("all_to_all", 512, "all_to_all", 512)
devices_case("client", 512, "client")
devices_case("compile_gpt", 8, "compile_gpt")
for failure in ("raises", "diverges"):
    devices_case(failure, 8, failure)
