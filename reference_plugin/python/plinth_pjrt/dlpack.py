# SPDX-License-Identifier: Apache-2.0
"""DLPack: the capsules of version 1.x, and imports into JAX that need a copy.

Where an array cannot be shared (its layout or its alignment, or the caller wants a copy), jaxlib hands its data to
the client in a way that its client of the C API refuses for every plugin. The copy is made here instead, by NumPy.
"""

from __future__ import annotations

import ctypes

# Names of capsules, and where the tensor lies in what they hold.
_TENSORS = {b"dltensor": 0, b"dltensor_versioned": 32}
_CPU = 1
_UNSIGNED = 1


class _Tensor(ctypes.Structure):  # DLTensor: the first field of DLManagedTensor, the last of DLManagedTensorVersioned
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


# Codes of element types that NumPy itself does not know.
_EXTENSION_TYPES = {4: "bfloat16", 7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz", 10: "float8_e4m3fn",
                    11: "float8_e4m3fnuz", 12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu"}


_NATIVE_TYPES = {0: "int", 1: "uint", 2: "float", 5: "complex"}
_VERSIONED, _USED = b"dltensor_versioned", b"used_dltensor_versioned"
_DELETER = 16  # Of a DLManagedTensorVersioned, behind its version and its manager.

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_get = ctypes.pythonapi.PyCapsule_GetPointer
_get.restype, _get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def tensor_at(managed: int) -> _Tensor:
    """The tensor of a DLManagedTensorVersioned, which stays the caller's."""
    return _Tensor.from_address(managed + _TENSORS[_VERSIONED])


def delete(managed: int) -> None:
    deleter = ctypes.c_void_p.from_address(managed + _DELETER).value
    if deleter:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(managed)


# Gets the capsule at its end: no Python object may refer to it again.
@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _drop(capsule: int) -> None:
    call = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
    is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
    if is_valid(("PyCapsule_IsValid", ctypes.pythonapi))(capsule, _VERSIONED):
        delete(call(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, _VERSIONED))


def capsule(managed: int) -> object:
    """Owns a DLManagedTensorVersioned until a consumer takes it."""
    return _new(managed, _VERSIONED, ctypes.cast(_drop, ctypes.c_void_p))


def versioned(producer: object) -> object | None:
    """The capsule of a producer that knows DLPack 1.x."""
    try:
        made = producer.__dlpack__(max_version=(1, 1))
    except TypeError:
        return None
    return made if _name(made) == _VERSIONED else None


def pointer(made: object) -> int:
    """What a capsule of `versioned` holds."""
    return _get(made, _VERSIONED)


def use_up(made: object) -> None:
    """Somebody has taken over what the capsule holds."""
    _rename(made, _USED)


def type_name(tensor: _Tensor) -> str:
    """NumPy's or ml_dtypes' name of the type; "" for others."""
    if tensor.lanes != 1:
        return ""
    if tensor.code in _NATIVE_TYPES:
        return f"{_NATIVE_TYPES[tensor.code]}{tensor.bits}"
    return "bool" if (tensor.code, tensor.bits) == (6, 8) else _EXTENSION_TYPES.get(tensor.code, "")


class _Exporter:
    """What np.from_dlpack takes."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return _CPU, 0


def _copied(capsule):
    """The tensor of a capsule, which is used up, as a NumPy array of its own."""
    import ml_dtypes
    import numpy as np

    name = _name(capsule)
    tensor = _Tensor.from_address(_get(capsule, name) + _TENSORS[name])
    extension = _EXTENSION_TYPES.get(tensor.code)
    if extension is not None:
        tensor.code = _UNSIGNED
    array = np.array(np.from_dlpack(_Exporter(capsule)), order="C", copy=True)
    return array if extension is None else array.view(getattr(ml_dtypes, extension))


# What jaxlib and the plugin say of a tensor that a copy helps with: an address, strides or a layout of another kind.
_NEEDS_COPY = ("is not aligned", "row-major layouts", "compact) striding", "non-default layout", "HostBufferSemantics")
_COPY = 1  # among what follows the device: stream, and of newer releases copy


def install() -> bool:
    """Takes the place of jaxlib's import for the client of the C API that is the CPU. False where there is none."""
    import jax
    from jaxlib import xla_client

    module = xla_client._xla
    native = getattr(module, "dlpack_managed_tensor_to_buffer", None)
    if native is None:
        return False

    def managed_tensor_to_buffer(capsule, device, *rest, **named):
        client = getattr(device, "client", None)  # the old form has clients in place of the device
        if client is None or device.platform != "cpu" or not any(
                text in client.platform_version for text in ("PJRT C API", "plinth ")):
            return native(capsule, device, *rest, **named)
        copy = rest[_COPY] if len(rest) > _COPY else named.get("copy")
        if not copy:
            shared = [*rest[:_COPY], False, *rest[_COPY + 1:]] if len(rest) > _COPY else rest
            try:
                return native(capsule, device, *shared, **named)
            except RuntimeError as error:
                if copy is False or not any(words in str(error) for words in _NEEDS_COPY):
                    raise
        return jax.device_put(_copied(capsule), device)

    module.dlpack_managed_tensor_to_buffer = managed_tensor_to_buffer
    return True
