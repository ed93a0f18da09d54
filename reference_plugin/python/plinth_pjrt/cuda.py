# SPDX-License-Identifier: Apache-2.0
"""Whether the CUDA plugin is to be registered with JAX: one that cannot make its client takes all of JAX with it."""

from __future__ import annotations

import ctypes
import importlib.util
import os

# The oldest driver that serves, as cuDriverGetVersion says it.
_OLDEST_DRIVER = 12040


def is_asked_for() -> bool:
    """JAX_PLATFORMS names it, or it takes the place of JAX's own."""
    from jax._src import config

    platforms = (config.jax_platforms.value or "").split(",")
    return "plinth_cuda" in platforms or replaces_cuda()


def replaces_cuda() -> bool:
    return os.environ.get("PLINTH_REPLACE_CUDA") == "1"


def has_jax_plugin() -> bool:
    """Whether JAX's own plugin for CUDA is installed."""
    return any(importlib.util.find_spec(f"jax_cuda{version}_plugin") for version in (12, 13))


def is_excluded() -> bool:
    """JAX_PLATFORMS names others only."""
    from jax._src import config

    return bool(config.jax_platforms.value) and not is_asked_for()


def has_gpu() -> bool:
    """Whether there is a driver that serves, and it sees a GPU."""
    folders = [f for f in os.environ.get("PLINTH_CUDA_LIBRARY_PATH", "").split(":") if f]
    # Loading a driver takes time where it finds nothing.
    if not folders and not any(os.path.exists(node) for node in ("/dev/nvidiactl", "/dev/dxg")):
        return False
    for file in [os.path.join(f, "libcuda.so.1") for f in folders] + ["libcuda.so.1"]:
        try:
            driver = ctypes.CDLL(file)
        except OSError:
            continue
        return _sees_gpu(driver)
    return False


def _sees_gpu(driver) -> bool:
    number = ctypes.c_int(0)
    try:
        if driver.cuDriverGetVersion(ctypes.byref(number)) != 0 or number.value < _OLDEST_DRIVER:
            return False
        if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(number)) != 0:
            return False
    except AttributeError:  # no driver, whatever its name
        return False
    return number.value > 0
