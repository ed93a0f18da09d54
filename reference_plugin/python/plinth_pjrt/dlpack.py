# SPDX-License-Identifier: Apache-2.0
"""DLPack imports that need a copy.

Where an array cannot be shared (its layout or its alignment, or the caller wants a copy), jaxlib hands its data to
the client in a way that its client of the C API refuses for every plugin. The copy is made here instead, by NumPy.
"""

from __future__ import annotations

import ctypes

_TENSOR = b"dltensor"
_CPU = 1
_UNSIGNED = 1


class _Tensor(ctypes.Structure):  # DLTensor, the first field of DLManagedTensor
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


# Codes of element types that NumPy itself does not know.
_EXTENSION_TYPES = {4: "bfloat16", 7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz", 10: "float8_e4m3fn",
                    11: "float8_e4m3fnuz", 12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu"}


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

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(get(capsule, _TENSOR))
    extension = _EXTENSION_TYPES.get(tensor.code)
    if extension is not None:
        tensor.code = _UNSIGNED
    array = np.array(np.from_dlpack(_Exporter(capsule)), order="C", copy=True)
    return array if extension is None else array.view(getattr(ml_dtypes, extension))


# What jaxlib and the plugin say of a tensor that a copy helps with: an address, strides or a layout of another kind.
_NEEDS_COPY = ("is not aligned", "row-major layouts", "compact) striding")


def install() -> None:
    """Takes the place of jaxlib's import for the client of the C API that is the CPU."""
    import jax
    from jaxlib import _jax

    native = _jax.dlpack_managed_tensor_to_buffer

    def managed_tensor_to_buffer(capsule, device, stream=None, copy=None, *rest):
        if device.platform != "cpu" or "PJRT C API" not in device.client.platform_version:
            return native(capsule, device, stream, copy, *rest)
        if not copy:
            try:
                return native(capsule, device, stream, False, *rest)
            except jax.errors.JaxRuntimeError as error:
                if copy is False or not any(words in str(error) for words in _NEEDS_COPY):
                    raise
        return jax.device_put(_copied(capsule), device)

    _jax.dlpack_managed_tensor_to_buffer = managed_tensor_to_buffer
