# SPDX-License-Identifier: Apache-2.0
"""DLPack imports that need a copy.

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

    name_of, get = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = name_of(capsule)
    tensor = _Tensor.from_address(get(capsule, name) + _TENSORS[name])
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
