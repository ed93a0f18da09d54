# SPDX-License-Identifier: Apache-2.0
"""The PJRT C API as far as Python calls it. STRUCT_SIZE is what a caller announces."""
# Generated from api/registry by `python3 api/generate --write`. Do not edit.

import ctypes
from typing import NamedTuple, Optional


class Function(NamedTuple):
    """Where a function pointer lies: in the node of an extension, or in PJRT_Api itself."""

    extension: Optional[int]  # PJRT_Extension_Type
    offset: int
    args: type


EXTENSION_START = 8  # of PJRT_Api


class PJRT_Extension_Base(ctypes.Structure):
    STRUCT_SIZE = 24
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
    ]


class PJRT_FFI_Type_Info(ctypes.Structure):
    STRUCT_SIZE = 24
    _fields_ = [
        ("deleter", ctypes.c_void_p),
        ("serialize", ctypes.c_void_p),
        ("deserialize", ctypes.c_void_p),
    ]


class XLA_FFI_TypeInfo(ctypes.Structure):
    STRUCT_SIZE = 24
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class PJRT_Error_Destroy_Args(ctypes.Structure):
    STRUCT_SIZE = 24
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
    ]


class PJRT_Error_Message_Args(ctypes.Structure):
    STRUCT_SIZE = 40
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
        ("message", ctypes.c_void_p),
        ("message_size", ctypes.c_size_t),
    ]


class PJRT_Gpu_Register_Custom_Call_Args(ctypes.Structure):
    STRUCT_SIZE = 68
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("function_name", ctypes.c_char_p),
        ("function_name_size", ctypes.c_size_t),
        ("api_version", ctypes.c_int),
        ("handler_instantiate", ctypes.c_void_p),
        ("handler_prepare", ctypes.c_void_p),
        ("handler_initialize", ctypes.c_void_p),
        ("handler_execute", ctypes.c_void_p),
        ("traits", ctypes.c_uint32),
    ]


class PJRT_FFI_Type_Register_Args(ctypes.Structure):
    STRUCT_SIZE = 48
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("type_name", ctypes.c_char_p),
        ("type_name_size", ctypes.c_size_t),
        ("type_id", ctypes.c_int64),
        ("type_info", ctypes.c_void_p),
    ]


class PJRT_FFI_Register_Handler_Args(ctypes.Structure):
    STRUCT_SIZE = 52
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("target_name", ctypes.c_char_p),
        ("target_name_size", ctypes.c_size_t),
        ("handler", ctypes.c_void_p),
        ("platform_name", ctypes.c_char_p),
        ("platform_name_size", ctypes.c_size_t),
        ("traits", ctypes.c_int),
    ]


PJRT_Error_Destroy = Function(None, 40, PJRT_Error_Destroy_Args)
PJRT_Error_Message = Function(None, 48, PJRT_Error_Message_Args)
PJRT_Gpu_Register_Custom_Call = Function(0, 24, PJRT_Gpu_Register_Custom_Call_Args)
PJRT_FFI_Type_Register = Function(5, 24, PJRT_FFI_Type_Register_Args)
PJRT_FFI_Register_Handler = Function(5, 40, PJRT_FFI_Register_Handler_Args)
