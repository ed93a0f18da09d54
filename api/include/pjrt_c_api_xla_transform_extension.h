// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_
#define PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers transformations of HLO modules and reads the trace of the pass pipeline.
// Extension 24, PJRT_Extension_Type_XlaTransform.

#define PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_XlaTransform_string PJRT_XlaTransform_string;
typedef struct PJRT_XlaTransform_version_and_error PJRT_XlaTransform_version_and_error;
typedef struct PJRT_XlaTransform_Args PJRT_XlaTransform_Args;
typedef struct PJRT_XlaTransform_Callbacks PJRT_XlaTransform_Callbacks;
typedef struct PJRT_Register_Xla_Transform_Args PJRT_Register_Xla_Transform_Args;
typedef struct PJRT_Clear_Xla_Transform_Args PJRT_Clear_Xla_Transform_Args;
typedef struct PJRT_HloPassPipelineTrace PJRT_HloPassPipelineTrace;
typedef struct PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args;
typedef struct PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args;

// Where in the pipeline a transformation runs. [since 0.110]
typedef enum {
  // Before scheduling. [since 0.110]
  PJRT_XlaTransform_PipelineStage_kPreScheduler = 0,
  // After scheduling. [since 0.110]
  PJRT_XlaTransform_PipelineStage_kPostScheduler = 1
} PJRT_XlaTransform_PipelineStage;

// Registers a transformation for one stage of the pipeline. [since 0.110]
// args: Arguments and results.
typedef PJRT_Error* (*PJRT_Register_Xla_Transform_Fn)(PJRT_Register_Xla_Transform_Args* args);

// Removes a transformation. [since 0.111]
// args: Arguments and results.
typedef PJRT_Error* (*PJRT_Clear_Xla_Transform_Fn)(PJRT_Clear_Xla_Transform_Args* args);

// Gives the trace of the passes that ran on a module. [since 0.114]
// args: Arguments and results.
typedef PJRT_Error* (*PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn)(
    PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args* args);

// Frees a trace. [since 0.114]
// args: Arguments and results.
typedef void (*PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn)(
    PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args* args);

// A text with its size. Never grows. [since 0.110]
struct PJRT_XlaTransform_string {
  // The data. [in, since 0.110, lives for the call]
  const char* data;
  // Number of bytes. [in, since 0.110]
  size_t size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_string, size);

// Head of every transformation call: version in, error out. Never grows. [since 0.110]
struct PJRT_XlaTransform_version_and_error {
  // 0 for the old form, 1 for the typed form. [in, since 0.110]
  int64_t api_version;
  // The data. [out, since 0.110, lives until: process]
  void* data;
  // Frees `data`. [out, since 0.110]
  void (*cleanup_fn)(void* data);
  // True if there is an error. [out, since 0.110]
  bool has_error;
  // The code. [out, since 0.110]
  PJRT_Error_Code code;
  // Text of the error. [out, since 0.110]
  PJRT_XlaTransform_string error_msg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_version_and_error, error_msg);

// Arguments of a transformation. [since 0.110]
struct PJRT_XlaTransform_Args {
  size_t struct_size;
  // Version in, error out. [in, since 0.110]
  PJRT_XlaTransform_version_and_error header;
  // The HLO module, serialized. [in, since 0.110]
  PJRT_XlaTransform_string hlo_module;
  // The module after it, serialized. [in, since 0.110]
  PJRT_XlaTransform_string transformed_hlo_module;
  // True if the module was changed. [out, since 0.110]
  bool changed;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_Args, changed);

// The callbacks of one transformation. Never grows. [since 0.110]
struct PJRT_XlaTransform_Callbacks {
  // Version of this struct. [in, since 0.110]
  int64_t version;
  // Frees the callbacks. [in, since 0.110]
  void (*dtor)(PJRT_XlaTransform_Callbacks* data);
  // Transforms one module. [in, since 0.110]
  void (*transform_hlo_module)(PJRT_XlaTransform_Callbacks* data, PJRT_XlaTransform_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_Callbacks, transform_hlo_module);

// Arguments of PJRT_Register_Xla_Transform_Fn. [since 0.110]
struct PJRT_Register_Xla_Transform_Args {
  size_t struct_size;
  // Name of the custom calls. [in, since 0.110, length name_size, lives for the call]
  const char* name;
  // Bytes of `name`. [in, since 0.110]
  size_t name_size;
  // The stage of the pipeline. [in, since 0.110]
  PJRT_XlaTransform_PipelineStage stage;
  // The callbacks; owned by the plugin from now on, which frees them with `dtor`. [in, since 0.110,
  // lives for the call]
  PJRT_XlaTransform_Callbacks* callbacks;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Xla_Transform_Args, callbacks);

// Arguments of PJRT_Clear_Xla_Transform_Fn. [since 0.111]
struct PJRT_Clear_Xla_Transform_Args {
  size_t struct_size;
  // The stage of the pipeline. [in, since 0.111]
  PJRT_XlaTransform_PipelineStage stage;
  // Name of the custom calls. [in, since 0.111, length name_size, lives for the call]
  const char* name;
  // Bytes of `name`. [in, since 0.111]
  size_t name_size;
  // The callbacks; owned by the plugin from now on, which frees them with `dtor`. [in, since 0.111,
  // lives for the call]
  PJRT_XlaTransform_Callbacks* callbacks;
  // True if one was removed. [out, since 0.111]
  bool cleared;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Clear_Xla_Transform_Args, cleared);

// A serialized trace of the pass pipeline. Never grows. [since 0.114]
struct PJRT_HloPassPipelineTrace {
  // The trace, serialized. [in, since 0.114, length serialized_trace_size, lives for the call]
  const char* serialized_trace;
  // Bytes of `serialized_trace`. [in, since 0.114]
  size_t serialized_trace_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HloPassPipelineTrace, serialized_trace_size);

// Arguments of PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn. [since 0.114]
struct PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args {
  size_t struct_size;
  // The HLO module, serialized. [in, since 0.114]
  PJRT_XlaTransform_string hlo_module;
  // The trace. [out, since 0.114]
  PJRT_HloPassPipelineTrace trace;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args, trace);

// Arguments of PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn. [since 0.114]
struct PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args {
  size_t struct_size;
  // The trace. [in, since 0.114, lives for the call]
  PJRT_HloPassPipelineTrace* trace;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args, trace);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Registers transformations of HLO modules and reads the trace of the pass pipeline.
// [since 0.110]
struct PJRT_Xla_Transform_Extension {
  PJRT_Extension_Base base;
  // Registers a transformation for one stage of the pipeline. [since 0.110, answers UNIMPLEMENTED
  // if absent]
  PJRT_Register_Xla_Transform_Fn register_xla_transform;
  // Removes a transformation. [since 0.111, answers UNIMPLEMENTED if absent]
  PJRT_Clear_Xla_Transform_Fn clear_xla_transform;
  // Gives the trace of the passes that ran on a module. [since 0.114, answers UNIMPLEMENTED if
  // absent]
  PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn get_hlo_pass_pipeline_trace;
  // Frees a trace. [since 0.114, answers UNIMPLEMENTED if absent]
  PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn destroy_hlo_pass_pipeline_trace;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Xla_Transform_Extension, destroy_hlo_pass_pipeline_trace);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_
