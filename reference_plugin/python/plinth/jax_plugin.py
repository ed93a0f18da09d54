# SPDX-License-Identifier: Apache-2.0
"""Registers the CPU plugin with JAX, which finds this module by the entry point group `jax_plugins`."""

from __future__ import annotations

import logging
import os

import plinth
from plinth import c_api, dlpack, handlers

_logger = logging.getLogger(__name__)


def initialize() -> None:
    from jax._src import xla_bridge

    replaces_cpu = os.environ.get("PLINTH_REPLACE_CPU") == "1"
    name = "cpu" if replaces_cpu else "plinth"
    path = plinth.plugin_path()
    # The built-in CPU backend has priority 0.
    xla_bridge.register_plugin(name, library_path=path, priority=0 if replaces_cpu else 400)
    if replaces_cpu:
        dlpack.install()
    # Spares users a warning about a platform that JAX does not know.
    known = getattr(xla_bridge, "_nonexperimental_plugins", None)
    if isinstance(known, set):
        known.add(name)
    if not handlers.install(c_api.Plugin(path)):
        _logger.warning("handlers registered with jax.ffi do not reach the plinth plugin: another CPU client took them first")
