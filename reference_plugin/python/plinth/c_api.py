# SPDX-License-Identifier: Apache-2.0
"""The functions of the PJRT C API with which handlers are registered, by ctypes."""

from __future__ import annotations

import ctypes

_GPU_CUSTOM_CALL = 0  # PJRT_Extension_Type
_FFI = 5
_FIRST_SLOT = 40  # of the table; 0 is PJRT_Error_Destroy, 1 PJRT_Error_Message


class _Extension(ctypes.Structure):
    pass


_Extension._fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", ctypes.POINTER(_Extension))]


class _ErrorArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("error", ctypes.c_void_p),
                ("message", ctypes.c_void_p), ("message_size", ctypes.c_size_t)]


class _RegisterArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("function_name", ctypes.c_char_p), ("function_name_size", ctypes.c_size_t),
                ("api_version", ctypes.c_int), ("instantiate", ctypes.c_void_p), ("prepare", ctypes.c_void_p),
                ("initialize", ctypes.c_void_p), ("execute", ctypes.c_void_p), ("traits", ctypes.c_uint32)]


class _TypeInfo(ctypes.Structure):
    _fields_ = [("deleter", ctypes.c_void_p), ("serialize", ctypes.c_void_p), ("deserialize", ctypes.c_void_p)]


class _TypeArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("type_name", ctypes.c_char_p),
                ("type_name_size", ctypes.c_size_t), ("type_id", ctypes.c_int64), ("type_info", ctypes.POINTER(_TypeInfo))]


_Call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_CallVoid = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _pointer_at(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value or 0


class Plugin:
    """A loaded plugin, as far as handlers go."""

    def __init__(self, path: str) -> None:
        get = ctypes.CDLL(path).GetPjrtApi
        get.restype = ctypes.c_void_p
        self._table = get()
        self._extensions: dict[int, int] = {}
        node = ctypes.cast(_pointer_at(self._table + 8), ctypes.POINTER(_Extension))
        while node:
            self._extensions[node.contents.type] = ctypes.addressof(node.contents)
            node = node.contents.next

    def _raise(self, error: int | None) -> None:
        if not error:
            return
        args = _ErrorArgs(ctypes.sizeof(_ErrorArgs), None, error, None, 0)
        _CallVoid(_pointer_at(self._table + _FIRST_SLOT + 8))(ctypes.addressof(args))
        message = ctypes.string_at(args.message, args.message_size).decode(errors="replace")
        destroy = _ErrorArgs(24, None, error, None, 0)
        _CallVoid(_pointer_at(self._table + _FIRST_SLOT))(ctypes.addressof(destroy))
        raise RuntimeError(message)

    def _function(self, extension: int, offset: int):
        return _Call(_pointer_at(self._extensions[extension] + offset))

    @property
    def takes_handlers(self) -> bool:
        return _GPU_CUSTOM_CALL in self._extensions and _FFI in self._extensions

    def register_handler(self, name: str, stages: dict[str, int], api_version: int, traits: int) -> None:
        """Addresses of functions by stage; api_version 0 is untyped and has "execute" alone."""
        text = name.encode()
        args = _RegisterArgs(68, text, len(text), api_version, stages.get("instantiate"), stages.get("prepare"),
                             stages.get("initialize"), stages.get("execute"), traits)
        self._raise(self._function(_GPU_CUSTOM_CALL, 24)(ctypes.addressof(args)))

    def register_type(self, name: str, type_id: int, deleter: int | None) -> int:
        text = name.encode()
        info = _TypeInfo(deleter, None, None)
        args = _TypeArgs(ctypes.sizeof(_TypeArgs), None, text, len(text), type_id, ctypes.pointer(info))
        self._raise(self._function(_FFI, 24)(ctypes.addressof(args)))
        return args.type_id
