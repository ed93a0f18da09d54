# SPDX-License-Identifier: Apache-2.0
"""Makes JAX find the plugin that lies beside this file."""

import pathlib


def initialize():
    """Called by JAX before it looks for devices."""
    from jax._src import xla_bridge

    library = pathlib.Path(__file__).parent / "pjrt_plugin_template.so"
    xla_bridge.register_plugin("plinth_template", priority=500, library_path=str(library), options=None)
