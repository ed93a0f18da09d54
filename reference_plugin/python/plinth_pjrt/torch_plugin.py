# SPDX-License-Identifier: Apache-2.0
"""The plugin for PyTorch/XLA, which finds this module by the entry point group `torch_xla.plugins`: PJRT_DEVICE=PLINTH."""

from __future__ import annotations

from torch_xla.experimental import plugins

import plinth_pjrt
from plinth_pjrt import client_options


class CpuPlugin(plugins.DevicePlugin):
    """One client per process, on all devices that it has."""

    def library_path(self) -> str:
        return plinth_pjrt.plugin_path()

    def client_create_options(self) -> dict[str, client_options.Value]:
        return client_options.from_environment()
