# SPDX-License-Identifier: Apache-2.0
"""Hands what jax.ffi registers for the CPU to the plugin, too.

jax.ffi.register_ffi_target gives handlers to jaxlib, which keeps them for its own CPU client. Before that client
exists, jaxlib lets somebody else take them; they are passed on to both here.
"""

from __future__ import annotations

import ctypes
import logging

from plinth_pjrt import c_api, pjrt_abi

_logger = logging.getLogger(__name__)
_PLATFORM = "cpu"


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


def install(plugin: c_api.Plugin) -> bool:
    """Returns whether handlers reach the plugin. To be called before jaxlib's CPU client is made."""
    from jaxlib import xla_client

    native = xla_client._xla  # jaxlib._jax, or jaxlib.xla_extension before 0.6.1
    if not plugin.takes_handlers:
        return False

    def register_call(name, function, platform, api_version=0, traits=0, *rest):
        native.register_custom_call_target(name, function, platform, api_version, traits, *rest)
        _pass_on(lambda: plugin.register_handler(name, _stages(function), api_version, int(traits)), name)

    def register_type(name, registration, *rest):
        native.register_custom_type(name, registration, *rest)
        type_id = ctypes.c_int64.from_address(_address(registration["type_id"])).value
        info = registration.get("type_info")
        deleter = pjrt_abi.XLA_FFI_TypeInfo.from_address(_address(info)).deleter if info is not None else None
        _pass_on(lambda: plugin.register_type(name, type_id, deleter), name)

    def register_type_id(name, type_id, *rest):
        native.register_custom_type_id(name, type_id, *rest)
        value = ctypes.c_int64.from_address(_address(type_id)).value
        _pass_on(lambda: plugin.register_type(name, value, None), name)

    xla_client.register_custom_call_handler(_PLATFORM, register_call)
    if hasattr(xla_client, "register_custom_type_handler"):
        xla_client.register_custom_type_handler(_PLATFORM, register_type)
    elif hasattr(xla_client, "register_custom_type_id_handler"):  # through 0.8.0
        xla_client.register_custom_type_id_handler(_PLATFORM, register_type_id)
    handlers = getattr(xla_client, "_custom_callback_handler", {})
    return register_call in handlers.values()


def _pass_on(register, name: str) -> None:
    # What the plugin does not take stays usable on jaxlib's own CPU; a program that calls it here fails to compile.
    try:
        register()
    except RuntimeError as error:
        _logger.warning("the plinth plugin did not take the handler or type %s: %s", name, error)
