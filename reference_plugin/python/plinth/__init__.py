# SPDX-License-Identifier: Apache-2.0
"""The Plinth plugins for JAX."""

from pathlib import Path as _Path

_LIBRARIES = _Path(__file__).resolve().parent / "lib"


def plugin_path() -> str:
    """The PJRT plugin for CPUs, for PJRT_NAMES_AND_LIBRARY_PATHS and the like."""
    return str(_LIBRARIES / "pjrt_plinth_cpu.so")


def cuda_plugin_path() -> str:
    """That for NVIDIA GPUs. A build may be without it."""
    return str(_LIBRARIES / "pjrt_plinth_cuda.so")


def loader_path() -> str:
    """libplinth, which a framework may load in place of a plugin."""
    return str(_LIBRARIES / "libplinth.so.0")
