// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_STREAM_EXTENSION_H_
#define PJRT_C_API_STREAM_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Orders outside work with the plugin's streams, for DLPack on GPUs.
// Extension 3, PJRT_Extension_Type_Stream.

#define PJRT_API_STREAM_EXTENSION_VERSION 0

// ---- Types --------------------------------------------------------------------------------------


// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Get_Stream_For_External_Ready_Events. [since 0.49]
struct PJRT_Get_Stream_For_External_Ready_Events_Args {
  size_t struct_size;
  // The device. [in, since 0.49]
  PJRT_Device* device;
  // The stream, as the platform's own handle. [out, since 0.49]
  intptr_t stream;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Get_Stream_For_External_Ready_Events_Args, stream);

// Gives the stream on which outside work signals that it is ready. [since 0.49, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Get_Stream_For_External_Ready_Events(
    PJRT_Get_Stream_For_External_Ready_Events_Args* args);

// Arguments of PJRT_Wait_Until_Buffer_Ready_On_Stream. [since 0.49]
struct PJRT_Wait_Until_Buffer_Ready_On_Stream_Args {
  size_t struct_size;
  // The stream, as the platform's own handle. [in, since 0.49]
  intptr_t stream;
  // The buffer. [in, since 0.49]
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, buffer);

// Makes a stream wait until a buffer is ready. [since 0.49, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Wait_Until_Buffer_Ready_On_Stream(
    PJRT_Wait_Until_Buffer_Ready_On_Stream_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Orders outside work with the plugin's streams, for DLPack on GPUs. [since 0.49]
struct PJRT_Stream_Extension {
  PJRT_Extension_Base base;
  // Gives the stream on which outside work signals that it is ready. [since 0.49, answers
  // UNIMPLEMENTED if absent]
  PJRT_Get_Stream_For_External_Ready_Events* get_stream;
  // Makes a stream wait until a buffer is ready. [since 0.49, answers UNIMPLEMENTED if absent]
  PJRT_Wait_Until_Buffer_Ready_On_Stream* wait_stream;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Stream_Extension, wait_stream);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_STREAM_EXTENSION_H_
