# SPDX-License-Identifier: Apache-2.0
"""The Plinth plugins, libplinth, and where they are."""

from pathlib import Path as _Path

from plinth_pjrt import _platform

_LIBRARIES = _Path(__file__).resolve().parent / "lib"


def _library(file: str) -> str:
    path = _LIBRARIES / file
    if path.exists():
        _platform.check(path)
    return str(path)


def plugin_path() -> str:
    """The PJRT plugin for CPUs, for PJRT_NAMES_AND_LIBRARY_PATHS and the like. OSError: it is for another machine."""
    return _library("pjrt_plinth_cpu.so")


def cuda_plugin_path() -> str:
    """That for NVIDIA GPUs. A build may be without it."""
    return _library("pjrt_plinth_cuda.so")


def loader_path() -> str:
    """libplinth, which a framework may load in place of a plugin."""
    return _library("libplinth.so.0")
