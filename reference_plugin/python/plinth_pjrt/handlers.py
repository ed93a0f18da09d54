# SPDX-License-Identifier: Apache-2.0
"""Hands what jax.ffi registers to the plugins, too.

jax.ffi.register_ffi_target gives handlers to jaxlib, which keeps those for the CPU for its own client. Before that client
exists, jaxlib lets somebody else take them; they are passed on to both here. Those for CUDA are for one plugin.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import logging
import pathlib
from collections.abc import Sequence

from plinth_pjrt import c_api, pjrt_abi

_logger = logging.getLogger(__name__)


def _address(capsule) -> int:
    """The pointer in a capsule, whatever its name."""
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


def _stages(function) -> dict[str, int]:
    if not isinstance(function, dict):
        return {"execute": _address(function)}
    return {stage: _address(capsule) for stage, capsule in function.items() if capsule is not None}


def install(plugin: c_api.Plugin, devices: Sequence[c_api.Plugin] = ()) -> bool:
    """Returns whether handlers for the CPU reach the plugin. To be called before jaxlib's CPU client is made. Plugins of
    `devices` get those that they can call on copies in the host's memory."""
    from jaxlib import xla_client

    native = xla_client._xla  # jaxlib._jax, or jaxlib.xla_extension before 0.6.1
    if not plugin.takes_handlers:
        return False

    def register_call(name, function, platform, api_version=0, traits=0, *rest):
        native.register_custom_call_target(name, function, platform, api_version, traits, *rest)
        stages = _stages(function)
        _pass_on(lambda: plugin.register_handler(name, stages, api_version, int(traits)), name)
        if api_version == 1 and list(stages) == ["execute"]:
            for device in devices:
                _pass_on(lambda: device.register_host_handler(name, stages["execute"], int(traits)), name)

    def register_type(name, registration, *rest):
        native.register_custom_type(name, registration, *rest)
        _register_type(plugin, name, registration)

    def register_type_id(name, type_id, *rest):
        native.register_custom_type_id(name, type_id, *rest)
        _register_type(plugin, name, {"type_id": type_id})

    return _take("cpu", register_call, register_type, register_type_id)


def install_for_gpus(plugin: c_api.Plugin) -> bool:
    """Returns whether handlers for CUDA reach the plugin: they do not if JAX's own plugin took them first."""
    if not plugin.takes_handlers:
        return False

    def register_call(name, function, platform, api_version=0, traits=0, *rest):
        _pass_on(lambda: plugin.register_handler(name, _stages(function), api_version, int(traits)), name)

    def register_type(name, registration, *rest):
        _register_type(plugin, name, registration)

    def register_type_id(name, type_id, *rest):
        _register_type(plugin, name, {"type_id": type_id})

    return _take("CUDA", register_call, register_type, register_type_id)


def register_jax_gpu_handlers() -> bool:
    """Registers what JAX's own plugin for CUDA brings: solvers, sparse products and others. False if it is not installed."""
    from jaxlib import xla_client

    for package in ("jax_cuda13_plugin", "jax_cuda12_plugin"):
        try:
            extension = importlib.import_module(f"{package}.cuda_plugin_extension")
        except ImportError:
            continue
        _load_solvers()
        for name, registration in getattr(extension, "ffi_types", dict)().items():
            xla_client.register_custom_type(name, registration, platform="CUDA")
        for name, function in extension.ffi_handlers().items():
            xla_client.register_custom_call_target(name, function, platform="CUDA", api_version=1)
        return True
    return False


def _load_solvers() -> None:
    """Opens what those handlers look for by name alone, from NVIDIA's packages, which are on no path."""
    spec = importlib.util.find_spec("nvidia")
    for folder in map(pathlib.Path, spec.submodule_search_locations or () if spec else ()):
        for library in ("cublas", "cusparse", "cusolver", "cufft"):
            for file in [*folder.glob(f"cu1?/lib/lib{library}.so.*"), *folder.glob(f"{library}/lib/lib{library}.so.*")]:
                with contextlib.suppress(OSError):  # Where it is needed, its handler says so.
                    ctypes.CDLL(str(file))


def _take(platform: str, register_call, register_type, register_type_id) -> bool:
    """Whether jaxlib gives these functions what is registered for the platform from now on, and was before."""
    from jaxlib import xla_client

    xla_client.register_custom_call_handler(platform, register_call)
    if hasattr(xla_client, "register_custom_type_handler"):
        xla_client.register_custom_type_handler(platform, register_type)
    elif hasattr(xla_client, "register_custom_type_id_handler"):  # through 0.8.0
        xla_client.register_custom_type_id_handler(platform, register_type_id)
    handlers = getattr(xla_client, "_custom_callback_handler", {})
    return register_call in handlers.values()


def _register_type(plugin: c_api.Plugin, name: str, registration: dict) -> None:
    type_id = ctypes.c_int64.from_address(_address(registration["type_id"])).value
    info = registration.get("type_info")
    deleter = pjrt_abi.XLA_FFI_TypeInfo.from_address(_address(info)).deleter if info is not None else None
    _pass_on(lambda: plugin.register_type(name, type_id, deleter), name)


def _pass_on(register, name: str) -> None:
    # What the plugin does not take stays usable on jaxlib's own CPU; a program that calls it here fails to compile.
    try:
        register()
    except RuntimeError as error:
        _logger.warning("the plinth plugin did not take the handler or type %s: %s", name, error)
