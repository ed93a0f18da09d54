# SPDX-License-Identifier: Apache-2.0
"""What the machine has: versions of packages, and what the driver answers."""

import ctypes
import json
import sys

found = {"python": sys.version.split()[0]}
for name in ("jax", "jaxlib", "torch", "numpy", "sklearn"):
    try:
        import importlib.metadata as metadata

        found[name] = metadata.version({"sklearn": "scikit-learn"}.get(name, name))
    except Exception:
        found[name] = "none"
try:
    driver = ctypes.CDLL("libcuda.so.1")
    version, count = ctypes.c_int(), ctypes.c_int()
    found["cuDriverGetVersion"] = (
        f"{driver.cuDriverGetVersion(ctypes.byref(version))}: {version.value}"
    )
    found["cuInit"] = driver.cuInit(0)
    found["cuDeviceGetCount"] = f"{driver.cuDeviceGetCount(ctypes.byref(count))}: {count.value}"
except OSError as error:
    found["driver"] = str(error)
print(json.dumps(found))
