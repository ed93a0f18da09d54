// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry/libplinth/layer.toml by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// Layers for libplinth: A layer sees every call of a PJRT plugin and passes it on, changes it or
// answers it.
//
// Rules for everything: C11 and C++17. Structs begin with struct_size, set by whoever fills the struct
// to X_STRUCT_SIZE; the other side reads a field only if struct_size reaches its end, and takes the
// default for the rest. Null is success; whoever receives a status frees it. Texts are UTF-8 and
// NUL-terminated. Any function may be called from any thread; only freeing a handle excludes other uses of
// it. Nothing throws, aborts, exits or writes to standard error.

#ifndef PLINTH_LAYER_H_
#define PLINTH_LAYER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pjrt_c_api.h"

// Linked dynamically; define it as empty before the first include to link statically.
#ifndef PLINTH_EXPORT
#define PLINTH_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Types --------------------------------------------------------------------------------------

// libplinth's side of one layer. Given to the functions of plinth_layer_context; lives until the
// process ends. [since 0.1]
typedef struct plinth_layer_host plinth_layer_host;
// The rest of the way of one call. Given to plinth_layer_call.next; lives until the layer's `call`
// returns. [since 0.1]
typedef struct plinth_layer_next plinth_layer_next;

typedef struct plinth_layer_context plinth_layer_context;

typedef struct plinth_layer_call plinth_layer_call;

typedef struct plinth_layer plinth_layer;

// Hands the call down, with the arguments as they are now. Returns null for functions that return
// nothing. [since 0.1]
// next: From the same plinth_layer_call.
typedef PJRT_Error* (*plinth_layer_next_callback)(const plinth_layer_next* next);

// A call of the layer's own to the layers below it and the plugin; the layer itself does not see
// it. A function that is not there gives UNIMPLEMENTED. [since 0.1]
// host: From the context.
// extension_type: As in plinth_layer_call.
// slot: As in plinth_layer_call.
// args: Argument struct of that function.
typedef PJRT_Error* (*plinth_layer_invoke_callback)(
    const plinth_layer_host* host, int32_t extension_type, int32_t slot, void* args);

// Gives a line of text to the program that loaded the plugin. [since 0.1]
// host: From the context.
// message: UTF-8, NUL-terminated, without a newline at the end. Copied.
typedef void (*plinth_layer_log_callback)(const plinth_layer_host* host, const char* message);

// Makes an error that the layer can return in place of the plugin's. The caller destroys it, as any
// other. [since 0.1]
// host: From the context.
// code: Not OK; a number that is no code becomes UNKNOWN.
// message: UTF-8, NUL-terminated. Copied.
typedef PJRT_Error* (*plinth_layer_make_error_callback)(
    const plinth_layer_host* host, PJRT_Error_Code code, const char* message);

// Makes the layer for one loaded plugin. An error (made with make_error) fails the load and becomes
// part of its report. [since 0.1]
// context: Lives until the process ends; its texts too.
// state: Whatever the layer wants to get back in its other functions; null at first.
typedef PJRT_Error* (*plinth_layer_create_callback)(
    const plinth_layer_context* context, void** state);

// One call on its way down. Usually ends with `return call->next(call->token)`. Comes on any
// thread, several at once, also inside of another call and in callbacks; a layer holds no lock
// while it calls down. What it returns for a function that returns nothing is dropped. [since 0.1]
// state: From create.
// call: Lives until the return.
typedef PJRT_Error* (*plinth_layer_call_callback)(void* state, const plinth_layer_call* call);

// Ends a layer whose chain could not be completed, before any call. A layer in use never ends,
// because plugins are never unloaded. It gives its last report when the last client is destroyed.
// [since 0.1, called exactly once]
// state: From create.
typedef void (*plinth_layer_destroy_callback)(void* state);

// What a layer knows when it is made, and the functions of libplinth that it may call. Filled by
// libplinth. [since 0.1]
struct plinth_layer_context {
  size_t struct_size;
  // For the functions below. [in, since 0.1, lives until: process]
  const plinth_layer_host* host;
  // Of the plugin's library. [in, since 0.1, lives until: process]
  const char* plugin_path;
  // The minor that the table handed out reports. [in, since 0.1]
  int32_t plugin_minor;
  // The text in parentheses after the layer's path; empty if there is none. [in, since 0.1, lives
  // until: process]
  const char* options;
  // Never null. [in, since 0.1]
  plinth_layer_log_callback log;
  // Never null. [in, since 0.1]
  plinth_layer_make_error_callback make_error;
  // Never null. Not to be called before create has returned. [in, since 0.1]
  plinth_layer_invoke_callback invoke;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_layer_context, invoke);

// One call. A function is known by its extension type and slot, which never change. [since 0.1]
struct plinth_layer_call {
  size_t struct_size;
  // PJRT_Extension_Type of the extension that the function belongs to; -1: PJRT_Api itself. [in,
  // since 0.1]
  int32_t extension_type;
  // Which function of that table, from 0. PJRT_Api's begin with PJRT_Error_Destroy. [in, since 0.1]
  int32_t slot;
  // Its name, for people. [in, since 0.1, lives until: process]
  const char* function;
  // The argument struct as the client gave it: of any struct_size, possibly null. [in, since 0.1,
  // may be null, lives for the call]
  void* args;
  // For next. [in, since 0.1, lives for the call]
  const plinth_layer_next* token;
  // Hands the call down; never null. [in, since 0.1]
  plinth_layer_next_callback next;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_layer_call, next);

// A layer, as plinth_layer_get returns it: a constant of the layer's library. [since 0.1]
struct plinth_layer {
  size_t struct_size;
  // Of this interface that the layer was written for; 1. [in, since 0.1]
  int32_t version;
  // For log lines and errors. [in, since 0.1, lives until: process]
  const char* name;
  // Null: the layer has no state. [in, since 0.1, may be null]
  plinth_layer_create_callback create;
  // Never null. [in, since 0.1]
  plinth_layer_call_callback call;
  // Null: nothing to end. [in, since 0.1, may be null]
  plinth_layer_destroy_callback destroy;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_layer, destroy);

// ---- Functions ----------------------------------------------------------------------------------

// The one function that a layer's library exports. Returns null if the layer cannot work with a
// libplinth of that version. [since 0.1]
// version: The newest version of this interface that libplinth knows. It refuses layers of a newer
// one.
PLINTH_EXPORT const plinth_layer* plinth_layer_get(int32_t version);

#ifdef __cplusplus
}
#endif

#endif  // PLINTH_LAYER_H_
