# SPDX-License-Identifier: Apache-2.0
"""Registers the plugins with JAX, which finds this module by the entry point group `jax_plugins`."""

from __future__ import annotations

import logging
import os

import plinth_pjrt
from plinth_pjrt import c_api, cuda, dlpack, handlers

_logger = logging.getLogger(__name__)


def _cpu_options() -> dict[str, int]:
    """What the user has configured for JAX's own CPU; the plugin reads the environment itself."""
    from jax._src import xla_bridge

    asked = getattr(xla_bridge, "num_cpu_devices", None)
    devices = asked.value if asked is not None else -1
    return {"num_devices": devices} if devices > 0 else {}


def initialize() -> None:
    _register_cpu()
    _register_remote()
    if os.path.exists(plinth_pjrt.cuda_plugin_path()) and (cuda.is_asked_for() or not cuda.is_excluded() and cuda.has_gpu()):
        _register_cuda()


def _register(name: str, path: str, priority: int, options=None) -> None:
    from jax._src import xla_bridge

    xla_bridge.register_plugin(name, library_path=path, priority=priority, options=options)
    # Spares users a warning about a platform that JAX does not know.
    known = getattr(xla_bridge, "_nonexperimental_plugins", None)
    if isinstance(known, set):
        known.add(name)


def _register_cpu() -> None:
    replaces_cpu = os.environ.get("PLINTH_REPLACE_CPU") == "1"
    path = plinth_pjrt.plugin_path()
    # The built-in CPU backend has priority 0.
    _register("cpu" if replaces_cpu else "plinth", path, 0 if replaces_cpu else 400,
              options=_cpu_options if replaces_cpu else None)
    if replaces_cpu:
        dlpack.install()
    if not handlers.install(c_api.Plugin(path)):
        _logger.warning("handlers registered with jax.ffi do not reach the plinth plugin: another CPU client took them first")


def _register_remote() -> None:
    if not os.environ.get("PLINTH_REMOTE"):
        return
    from plinth_pjrt import remote

    try:
        remote.register_from_environment()
    except remote.Error as error:
        _logger.warning("PLINTH_REMOTE is not used: %s", error)


def _register_cuda() -> None:
    # A GPU comes before every CPU.
    _register("cuda" if cuda.replaces_cuda() else "plinth_cuda", plinth_pjrt.cuda_plugin_path(), 500)
