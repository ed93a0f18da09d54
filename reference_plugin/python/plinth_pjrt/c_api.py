# SPDX-License-Identifier: Apache-2.0
"""The functions of the PJRT C API with which handlers are registered, by ctypes."""

from __future__ import annotations

import ctypes

from plinth_pjrt import pjrt_abi as abi

_Call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_CallVoid = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _pointer_at(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value or 0


def _made(struct: type, **fields):
    """Arguments as a caller of the newest known minor fills them in."""
    return struct(struct_size=struct.STRUCT_SIZE, **fields)


class Plugin:
    """A loaded plugin, as far as handlers go."""

    def __init__(self, path: str) -> None:
        get = ctypes.CDLL(path).GetPjrtApi
        get.restype = ctypes.c_void_p
        self._table = get()
        self._extensions: dict[int, int] = {}
        node = _pointer_at(self._table + abi.EXTENSION_START)
        while node:
            base = abi.PJRT_Extension_Base.from_address(node)
            self._extensions[base.type] = node
            node = base.next

    def _address(self, function: abi.Function) -> int:
        where = self._table if function.extension is None else self._extensions[function.extension]
        return _pointer_at(where + function.offset)

    def _call(self, function: abi.Function, args) -> None:
        error = _Call(self._address(function))(ctypes.addressof(args))
        if not error:
            return
        read = _made(abi.PJRT_Error_Message.args, error=error)
        _CallVoid(self._address(abi.PJRT_Error_Message))(ctypes.addressof(read))
        message = ctypes.string_at(read.message, read.message_size).decode(errors="replace")
        destroy = _made(abi.PJRT_Error_Destroy.args, error=error)
        _CallVoid(self._address(abi.PJRT_Error_Destroy))(ctypes.addressof(destroy))
        raise RuntimeError(message)

    @property
    def takes_handlers(self) -> bool:
        needed = (abi.PJRT_Gpu_Register_Custom_Call, abi.PJRT_FFI_Type_Register)
        return all(function.extension in self._extensions for function in needed)

    def register_handler(self, name: str, stages: dict[str, int], api_version: int, traits: int) -> None:
        """Addresses of functions by stage; api_version 0 is untyped and has "execute" alone."""
        text = name.encode()
        function = abi.PJRT_Gpu_Register_Custom_Call
        handlers = {f"handler_{stage}": address for stage, address in stages.items()}
        self._call(function, _made(function.args, function_name=text, function_name_size=len(text),
                                   api_version=api_version, traits=traits, **handlers))

    def register_host_handler(self, name: str, address: int, traits: int) -> None:
        """A typed function of one stage that works on the host's memory, with a plugin whose arrays are elsewhere."""
        text, platform = name.encode(), b"Host"
        function = abi.PJRT_FFI_Register_Handler
        self._call(function, _made(function.args, target_name=text, target_name_size=len(text), handler=address,
                                   platform_name=platform, platform_name_size=len(platform), traits=traits))

    def register_type(self, name: str, type_id: int, deleter: int | None) -> int:
        text = name.encode()
        info = abi.PJRT_FFI_Type_Info(deleter=deleter)
        function = abi.PJRT_FFI_Type_Register
        args = _made(function.args, type_name=text, type_name_size=len(text), type_id=type_id,
                     type_info=ctypes.addressof(info))
        self._call(function, args)
        return args.type_id
