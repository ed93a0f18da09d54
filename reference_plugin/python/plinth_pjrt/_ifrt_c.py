# SPDX-License-Identifier: Apache-2.0
"""plinth_ifrt.h by ctypes: its structs, the library, statuses as exceptions, counted handles.

`ifrt` alone uses it.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, Iterable, Sequence

HERE = Path(__file__).resolve().parent

CODES = ("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
         "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
         "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
         "UNAUTHENTICATED")
P = ctypes.c_void_p
SIZE = ctypes.c_size_t


class Error(RuntimeError):
    """What a plugin, or this library, refuses. `code` is one of CODES."""

    __module__ = "plinth_pjrt.ifrt"  # Where users find it.

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class _Struct(ctypes.Structure):
    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        last = self._fields_[-1][0]
        self.struct_size = getattr(type(self), last).offset + getattr(type(self), last).size


def _fields(*pairs: tuple[str, Any]) -> list[tuple[str, Any]]:
    return [("struct_size", SIZE), *pairs]


GET = ctypes.CFUNCTYPE(P, P, SIZE, ctypes.c_int64, P, P, P)
PUT = ctypes.CFUNCTYPE(P, P, SIZE, P, SIZE, P)
DONE = ctypes.CFUNCTYPE(None, P)


class ClientOptions(_Struct):
    _fields_ = _fields(("plugin", ctypes.c_char_p), ("layers", ctypes.c_char_p), ("api", P),
                       ("options", P), ("num_options", SIZE), ("key_value_get", GET),
                       ("key_value_put", PUT), ("key_value_done", DONE),
                       ("key_value_user_data", P))


class Named(_Struct):
    _fields_ = _fields(("axis_names", P), ("axis_sizes", P), ("num_axes", SIZE), ("rank", SIZE),
                       ("num_dim_axes", P), ("dim_axes", P))


class HostArray(_Struct):
    _fields_ = _fields(("type", ctypes.c_int32), ("dims", P), ("num_dims", SIZE),
                       ("sharding", P), ("data", P), ("byte_strides", P), ("shard_data", P),
                       ("num_shard_data", SIZE), ("minor_to_major", P))


class ArraySpec(_Struct):
    _fields_ = _fields(("type", ctypes.c_int32), ("dims", P), ("num_dims", SIZE),
                       ("sharding", P))


class HostDestination(_Struct):
    _fields_ = _fields(("data", P), ("byte_strides", P))


class CompileOptions(_Struct):
    _fields_ = _fields(("code", ctypes.c_char_p), ("code_size", SIZE), ("format", ctypes.c_char_p),
                       ("devices", P), ("num_devices", SIZE), ("num_replicas", ctypes.c_int32),
                       ("portable", ctypes.c_bool), ("use_shardy", ctypes.c_bool),
                       ("serial", ctypes.c_bool), ("overrides", P), ("num_overrides", SIZE),
                       ("extra_proto", ctypes.c_char_p), ("extra_proto_size", SIZE),
                       ("output_shardings", P), ("num_output_shardings", SIZE))


class ExecuteOptions(_Struct):
    _fields_ = _fields(("launch_id", ctypes.c_int32), ("non_donatable", P),
                       ("num_non_donatable", SIZE), ("device", P),
                       ("call_location", ctypes.c_char_p))


ON_READY = ctypes.CFUNCTYPE(None, P, P)
# What functions return, if not a status: a pointer that is null for success.
_RETURNS = {
    "plinth_status_code": ctypes.c_int, "plinth_status_message": ctypes.c_char_p,
    "plinth_ifrt_client_platform_name": ctypes.c_char_p,
    "plinth_ifrt_client_platform_version": ctypes.c_char_p,
    "plinth_ifrt_client_process_index": ctypes.c_int32, "plinth_ifrt_client_devices": P,
    "plinth_ifrt_device_id": ctypes.c_int32, "plinth_ifrt_device_process_index": ctypes.c_int32,
    "plinth_ifrt_device_is_addressable": ctypes.c_bool, "plinth_ifrt_device_kind": ctypes.c_char_p,
    "plinth_ifrt_device_num_memories": SIZE, "plinth_ifrt_device_memory_kind": ctypes.c_char_p,
    "plinth_ifrt_sharding_devices": P, "plinth_ifrt_sharding_num_addressable": SIZE,
    "plinth_ifrt_sharding_memory_kind": ctypes.c_char_p,
    "plinth_ifrt_sharding_is_fully_replicated": ctypes.c_bool,
    "plinth_ifrt_sharding_equal": ctypes.c_bool, "plinth_ifrt_sharding_hash": ctypes.c_uint64,
    "plinth_ifrt_sharding_text": P, "plinth_ifrt_array_type": ctypes.c_int,
    "plinth_ifrt_array_dims": P, "plinth_ifrt_array_sharding": P,
    "plinth_ifrt_array_is_deleted": ctypes.c_bool, "plinth_ifrt_future_is_ready": ctypes.c_bool,
}


class _Library:
    """libplinth_ifrt; loaded at first use."""

    def __init__(self) -> None:
        self._functions: dict[str, Any] = {}
        self._libraries: list[ctypes.CDLL] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._functions:
            if not self._libraries:
                folder = Path(os.environ.get("PLINTH_IFRT_LIBRARIES", HERE / "lib"))
                # The second needs the first, which is not where the system looks.
                self._libraries = [ctypes.CDLL(str(folder / file))
                                   for file in ("libplinth.so.0", "libplinth_ifrt.so.0")]
            function = getattr(self._libraries["ifrt" in name], name)
            function.restype = _RETURNS.get(name, P)
            self._functions[name] = function
        return self._functions[name]


lib = _Library()


def check(status: int | None) -> None:
    if not status:
        return
    code = lib.plinth_status_code(P(status))
    message = lib.plinth_status_message(P(status)).decode(errors="replace")
    lib.plinth_status_destroy(P(status))
    raise Error(CODES[code] if 0 <= code < len(CODES) else "UNKNOWN", message)


def text(text: int | None) -> str:
    copy = ctypes.string_at(text).decode(errors="replace") if text else ""
    lib.plinth_string_free(P(text))
    return copy


def ints(values: Iterable[int]) -> Any:
    values = list(values)
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def pointers(objects: Sequence[Any]) -> Any:
    return (P * max(len(objects), 1))(*[o._handle for o in objects])


def texts(texts: Sequence[str]) -> Any:
    return (ctypes.c_char_p * max(len(texts), 1))(*[t.encode() for t in texts])


class Counted:
    """Owns one reference to a handle."""

    _release: str

    def __init__(self, handle: int) -> None:
        self._handle = P(handle)

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib is not None:
            getattr(lib, self._release)(handle)


class Store:
    """A key-value store as callbacks of the C API, kept until the client is gone."""

    _live: dict[int, Store] = {}
    _ended: list[int] = []

    def __init__(self, store: Any) -> None:
        malloc = ctypes.CDLL(None).malloc
        malloc.restype, malloc.argtypes = P, [SIZE]

        def failed(error: BaseException) -> int | None:
            code = {KeyError: "NOT_FOUND", TimeoutError: "DEADLINE_EXCEEDED"}.get(type(error), "UNKNOWN")
            text = f"{type(error).__name__}: {error}".encode()
            return lib.plinth_status_create(CODES.index(code), text, SIZE(len(text)))

        def get(key: int, key_size: int, timeout_ms: int, value: int, value_size: int, _: Any) -> int | None:
            try:
                found = bytes(store.get(ctypes.string_at(key, key_size), timeout_ms / 1000))
            except BaseException as error:  # Nothing may be raised into C.
                return failed(error)
            copy = malloc(len(found) + 1)
            ctypes.memmove(copy, found, len(found))
            P.from_address(value).value = copy
            SIZE.from_address(value_size).value = len(found)
            return None

        def put(key: int, key_size: int, value: int, value_size: int, _: Any) -> int | None:
            try:
                store.put(ctypes.string_at(key, key_size), ctypes.string_at(value, value_size))
            except BaseException as error:
                return failed(error)
            return None

        # The callback cannot free itself.
        self.callbacks = GET(get), PUT(put), DONE(lambda _: Store._ended.append(id(self)))
        while Store._ended:
            Store._live.pop(Store._ended.pop(), None)
        Store._live[id(self)] = self
