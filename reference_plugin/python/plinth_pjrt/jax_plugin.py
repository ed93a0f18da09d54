# SPDX-License-Identifier: Apache-2.0
"""Registers the plugins with JAX, which finds this module by the entry point group `jax_plugins`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping

import plinth_pjrt
from plinth_pjrt import c_api, cuda, dlpack, handlers

_logger = logging.getLogger(__name__)


def _cpu_options() -> dict[str, int]:
    """What the user has configured for JAX's own CPU; the plugin reads the environment itself."""
    from jax._src import xla_bridge

    asked = getattr(xla_bridge, "num_cpu_devices", None)
    devices = asked.value if asked is not None else -1
    return {"num_devices": devices} if devices > 0 else {}


class _Late(Mapping):
    """Options that are asked for when a client is made. Old releases of JAX take no function in their place."""

    def __init__(self, make: Callable[[], dict]) -> None:
        self._make = make

    def __getitem__(self, key):
        return self._make()[key]

    def __iter__(self) -> Iterator:
        return iter(self._make())

    def __len__(self) -> int:
        return len(self._make())


def _adapt(what: str, install: Callable[[], bool]) -> None:
    """Changes something of jaxlib; where this jaxlib is another than expected, it stays as it is."""
    try:
        done = install()
    except (AttributeError, ImportError, TypeError):
        _logger.debug("%s of this jaxlib stay as they are", what, exc_info=True)
    else:
        if not done:
            _logger.debug("%s of this jaxlib stay as they are", what)


def initialize() -> None:
    devices = []
    if os.path.exists(plinth_pjrt.cuda_plugin_path()) and (cuda.is_asked_for() or not cuda.is_excluded() and cuda.has_gpu()):
        devices = _register_cuda()
    _register_cpu(devices)
    _register_remote()


def _taken(name: str, path: str) -> str | None:
    """Who else registers a plugin of this name, if anybody does: with two, JAX does not start."""
    for entry in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "").split(","):
        other, _, library = entry.partition(":")
        if other != name:
            continue
        if os.path.realpath(library) == os.path.realpath(path):
            return ""
        return f"PJRT_NAMES_AND_LIBRARY_PATHS gives that name to {library}; unset it, or choose another name there"
    from jax._src.lib import xla_client

    if name != "cpu" and getattr(xla_client, "pjrt_plugin_loaded", lambda name: False)(name):
        return "another package has registered a plugin of that name; uninstall one of the two"
    return None


def _register(name: str, path: str, priority: int, options=None) -> bool:
    """Whether this package's library is the plugin of that name."""
    from jax._src import xla_bridge

    by = _taken(name, path)
    if by is not None:
        if by:
            _logger.warning("plinth-pjrt does not register its plugin %s: %s", name, by)
        return not by
    # Spares users a warning about a platform that JAX does not know.
    known = getattr(xla_bridge, "_nonexperimental_plugins", None)
    if isinstance(known, set):
        known.add(name)
    xla_bridge.register_plugin(name, library_path=path, priority=priority, options=options)
    return True


def _register_cpu(devices: list[c_api.Plugin]) -> None:
    replaces_cpu = os.environ.get("PLINTH_REPLACE_CPU") == "1"
    path = plinth_pjrt.plugin_path()
    # The built-in CPU backend has priority 0.
    if not _register("cpu" if replaces_cpu else "plinth", path, 0 if replaces_cpu else 400,
                     options=_Late(_cpu_options) if replaces_cpu else None):
        return
    if replaces_cpu:
        _adapt("imports by DLPack", dlpack.install)
    _adapt("handlers registered with jax.ffi", lambda: _install_handlers(path, devices))


def _install_handlers(path: str, devices: list[c_api.Plugin]) -> bool:
    if not handlers.install(c_api.Plugin(path), devices):
        _logger.warning("handlers registered with jax.ffi do not reach the plinth plugin: another CPU client took them first")
    return True


def _register_remote() -> None:
    if not os.environ.get("PLINTH_REMOTE"):
        return
    from plinth_pjrt import remote

    try:
        remote.register_from_environment()
    except remote.Error as error:
        _logger.warning("PLINTH_REMOTE is not used: %s", error)


def _register_cuda() -> list[c_api.Plugin]:
    """The plugin, if this package's is registered."""
    path = plinth_pjrt.cuda_plugin_path()
    # A GPU comes before every CPU.
    if not _register("cuda" if cuda.replaces_cuda() else "plinth_cuda", path, 500):
        return []
    plugin = c_api.Plugin(path)
    # JAX's own plugin registers what it needs itself for the same platform, and would not get it any more.
    if cuda.replaces_cuda() or not cuda.has_jax_plugin():
        _adapt("handlers for CUDA", lambda: handlers.install_for_gpus(plugin))
    if cuda.replaces_cuda():
        _adapt("the handlers of JAX's own plugin for CUDA", handlers.register_jax_gpu_handlers)
    return [plugin]
