# SPDX-License-Identifier: Apache-2.0
"""The driver's own functions, for what is measured beside the plugin."""

import ctypes
import os
import time


_VERSION = 12040  # what the plugin needs at least: forms of functions are those of it


class Driver:
    """The driver that the plugin finds, in the context of the first GPU."""

    def __init__(self) -> None:
        folders = os.environ.get("PLINTH_CUDA_LIBRARY_PATH", "").split(":")
        files = [os.path.join(folder, "libcuda.so.1") for folder in folders]
        library = ctypes.CDLL(next(filter(os.path.exists, files), "libcuda.so.1"))
        self._find = library.cuGetProcAddress_v2
        context = ctypes.c_void_p()
        self.call("cuInit", ctypes.c_uint(0))
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *arguments) -> None:
        address, found = ctypes.c_void_p(), ctypes.c_int()
        status = self._find(
            name.encode(), ctypes.byref(address), _VERSION, ctypes.c_uint64(0), ctypes.byref(found)
        )
        if status or not address:
            raise RuntimeError(f"the driver has no {name}")
        if status := ctypes.CFUNCTYPE(ctypes.c_int)(address.value)(*arguments):
            raise RuntimeError(f"{name} answers {status}")


def copy_speed(to: int, source: int, bytes: int) -> float:
    """GB/s that a copy from one address of the device to another reads and writes, at best."""
    driver, stream = Driver(), ctypes.c_void_p()
    driver.call("cuStreamCreate", ctypes.byref(stream), 1)
    copy = (ctypes.c_uint64(to), ctypes.c_uint64(source), ctypes.c_size_t(bytes), stream)
    best = 1e9
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(10):
            driver.call("cuMemcpyDtoDAsync", *copy)
        driver.call("cuStreamSynchronize", stream)
        best = min(best, (time.perf_counter() - begin) / 10)
    driver.call("cuStreamDestroy", stream)
    return 2 * bytes / best / 1e9
