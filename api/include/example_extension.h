// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef EXAMPLE_EXTENSION_H_
#define EXAMPLE_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// An example for authors of extensions. It registers itself as type 11, Unknown.
// Extension 10, PJRT_Extension_Type_Example.

#define PJRT_API_EXAMPLE_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

// The example's C++ object. [since 0.72]
typedef struct PJRT_ExampleExtensionCpp PJRT_ExampleExtensionCpp;
typedef struct PJRT_ExampleExtension_ExampleMethod_Args PJRT_ExampleExtension_ExampleMethod_Args;
typedef struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args;

// Arguments of the example's method. Never grows. [since 0.72]
struct PJRT_ExampleExtension_ExampleMethod_Args {
  // The example's C++ object, or null. [in, since 0.72]
  PJRT_ExampleExtensionCpp* extension_cpp;
  // The value. [in, since 0.72]
  int64_t value;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExampleExtension_ExampleMethod_Args, value);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_CreateExampleExtensionCpp_Fn. [since 0.72]
struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args {
  // The example's C++ object, or null. [inout, since 0.72]
  PJRT_ExampleExtensionCpp* extension_cpp;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args, extension_cpp);
typedef struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args;

// Makes the example's C++ object. [since 0.72, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_CreateExampleExtensionCpp_Fn(
    PJRT_ExampleExtension_CreateExampleExtensionCpp_Args* args);

// Frees the example's C++ object. [since 0.72, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_DestroyExampleExtensionCpp_Fn(
    PJRT_ExampleExtension_CreateExampleExtensionCpp_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. An example for authors of extensions. It registers itself as type 11, Unknown.
// [since 0.72]
struct PJRT_Example_Extension {
  PJRT_Extension_Base base;
  // The example's method. [since 0.72, answers UNIMPLEMENTED if absent]
  PJRT_Error* (*example_method)(PJRT_ExampleExtension_ExampleMethod_Args* args);
  // Makes the C++ object. [since 0.72, answers UNIMPLEMENTED if absent]
  PJRT_Error* (*create)(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args* args);
  // Frees the array. [since 0.72, answers UNIMPLEMENTED if absent]
  PJRT_Error* (*destroy)(PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Example_Extension, destroy);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_EXTENSION_H_
