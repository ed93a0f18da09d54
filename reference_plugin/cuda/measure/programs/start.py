# SPDX-License-Identifier: Apache-2.0
"""The first result of jit(x + 1), and the device's memory after it. With the argument `ours` no
plugin of XLA is loaded: whatever client JAX makes loads it, and that is not ours to wait for.
"""

import ctypes
import json
import os
import subprocess
import sys
import time

for version in (12, 13) if sys.argv[1:] == ["ours"] else ():
    sys.modules[f"jax_plugins.xla_cuda{version}"] = None
begin = time.perf_counter()
import jax  # noqa: E402

imported = time.perf_counter()
device = jax.devices()[0]
made = time.perf_counter()
jax.block_until_ready(jax.jit(lambda x: x + 1)(1.0))
first = time.perf_counter()


def used_by_this_process() -> str:
    """In MiB; empty where process numbers are others."""
    query = ["--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]
    try:
        asked = subprocess.run(["nvidia-smi", *query], capture_output=True, text=True, timeout=20)
    except OSError:
        return ""
    used = dict(line.split(",")[:2] for line in asked.stdout.splitlines() if "," in line)
    return used.get(str(os.getpid()), "").strip()


def used_on_device() -> str:
    try:
        driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        failed = (
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
            or driver.cuCtxSetCurrent(context)
            or driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        )
    except (AttributeError, OSError):
        return ""
    return "" if failed else str((total.value - free.value) >> 20)


result = {"client": made - imported, "first": first - made, "device": device.device_kind}
print(json.dumps(result | {"memory": used_by_this_process() or used_on_device()}))
