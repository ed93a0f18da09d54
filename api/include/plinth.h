// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry/libplinth/plinth.toml by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// libplinth: Finds PJRT plugins, probes them in a process of their own, and loads them with layers
// in front.
//
// Rules for everything: C11 and C++17. Structs begin with struct_size, set by whoever fills the struct
// to X_STRUCT_SIZE; the other side reads a field only if struct_size reaches its end, and takes the
// default for the rest. Null is success; whoever receives a status frees it. Texts are UTF-8 and
// NUL-terminated. Any function may be called from any thread; only freeing a handle excludes other uses of
// it. Nothing throws, aborts, exits or writes to standard error.

#ifndef PLINTH_H_
#define PLINTH_H_

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

// Why a call failed; null is success. Immutable. Whoever receives one frees it with
// plinth_status_destroy. [since 0.1]
typedef struct plinth_status plinth_status;
// A loaded plugin. Immutable. Freed with plinth_plugin_destroy; the plugin itself and its table
// stay until the process ends. [since 0.1]
typedef struct plinth_plugin plinth_plugin;
// What plinth_list found. Immutable. Freed with plinth_plugin_list_destroy. [since 0.1]
typedef struct plinth_plugin_list plinth_plugin_list;

// How important a log line is. A callback must accept values it does not know. [since 0.1]
typedef enum {
  // Something asked for does not work. [since 0.1]
  PLINTH_LOG_ERROR = 1,
  // Something was ignored or adapted in a way that may surprise. [since 0.1]
  PLINTH_LOG_WARNING = 2,
  // Which plugin was loaded from where, and the chain of layers. [since 0.1]
  PLINTH_LOG_INFO = 3,
  // Every place that was looked at. [since 0.1]
  PLINTH_LOG_DEBUG = 4
} plinth_log_level;

// Bits of `search` in plinth_load_options: where plugins are looked for. An explicit path needs
// none. [since 0.1]
typedef enum {
  // Variables: PJRT_NAMES_AND_LIBRARY_PATHS, PLINTH_MANIFEST_PATH, PLINTH_ADD_MANIFEST_PATH; also
  // PLINTH_ALLOW and PLINTH_DENY. [since 0.1]
  PLINTH_SEARCH_ENVIRONMENT = 1,
  // Manifests of the virtual environment and of the user. [since 0.1]
  PLINTH_SEARCH_USER = 2,
  // Manifests of the system. [since 0.1]
  PLINTH_SEARCH_SYSTEM = 4,
  // Installed Python packages with a jax_plugins entry point. [since 0.1]
  PLINTH_SEARCH_PYTHON = 8
} plinth_search;

// Receives log lines. Called on the thread that calls libplinth and, while the plugin is in use, by
// layers on any thread, possibly several at once. It must not call libplinth or the plugin, and
// must not throw. [since 0.1]
// level: How important the line is.
// message: One line or more of UTF-8, NUL-terminated, without a newline at the end. Lives for the
// call.
// user_data: `log_user_data` of the options.
typedef void (*plinth_log_callback)(plinth_log_level level, const char* message, void* user_data);

// Which plugin, from where, with which layers. Set struct_size to plinth_load_options_STRUCT_SIZE
// and everything else to zero, then fill in what differs. A null pointer in place of the options
// means all defaults. Nothing is kept after the call but `log` and `log_user_data`. [since 0.1]
struct plinth_load_options {
  size_t struct_size;
  // A path (anything with a slash), else the name of a plugin. Null: PLINTH_PLUGIN, or the only
  // plugin that is found. [in, since 0.1, may be null, lives for the call, if absent: null]
  const char* plugin;
  // Layers in the order in which calls pass them, separated by commas, each with its options in
  // parentheses: `trace(file=t.json),validation(mode=error)`. Null: PLINTH_LAYERS; empty: none.
  // [in, since 0.1, may be null, lives for the call, if absent: null]
  const char* layers;
  // The minor that the table is to report. 0: the plugin's own, lowered to ours if it is newer. A
  // larger one than the plugin's own makes the load fail unless everything in between is there or
  // honestly emulated. [in, since 0.1, if absent: 0]
  int32_t api_minor;
  // Bits of plinth_search. 0: everywhere. [in, since 0.1, if absent: 0]
  uint32_t search;
  // Folders or files of manifests, separated by colons, looked at before those that `search` gives.
  // [in, since 0.1, may be null, lives for the call, if absent: null]
  const char* manifest_path;
  // Globs of names, separated by commas, compared without case: only these plugins. Null:
  // PLINTH_ALLOW. [in, since 0.1, may be null, lives for the call, if absent: null]
  const char* allow;
  // Globs of names: none of these plugins; stronger than `allow`. Null: PLINTH_DENY. [in, since
  // 0.1, may be null, lives for the call, if absent: null]
  const char* deny;
  // Accept plugins of 0.28 to 0.55, as PLINTH_ALLOW_OLD=1 does. [in, since 0.1, if absent: false]
  bool allow_old;
  // Receives log lines; null: nobody does. Layers keep it as long as the plugin is in use. [in,
  // since 0.1, may be null, lives until: process, if absent: null]
  plinth_log_callback log;
  // Given to `log`. [in, since 0.1, may be null, lives until: process, if absent: null]
  void* log_user_data;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_load_options, log_user_data);

// One plugin of a list. Filled by libplinth, which sets struct_size: read a field only if
// struct_size reaches its end. All texts are UTF-8, NUL-terminated, and live as long as the list.
// [since 0.1]
struct plinth_plugin_entry {
  size_t struct_size;
  // By which it can be loaded. Never null. [out, since 0.1, lives until: list]
  const char* name;
  // Of its library; empty if it could not be told. Never null. [out, since 0.1, lives until: list]
  const char* path;
  // How it was found: `path`, `PJRT_NAMES_AND_LIBRARY_PATHS`, `manifest` or `python`. Never null.
  // [out, since 0.1, lives until: list]
  const char* source;
  // Where it was found and why it was looked for there, for people. Never null. [out, since 0.1,
  // lives until: list]
  const char* found;
  // Path of the manifest, or of JAX's JSON file. [out, since 0.1, may be null, lives until: list]
  const char* manifest;
  // Text of that file. [out, since 0.1, may be null, lives until: list]
  const char* manifest_json;
  // Options for PJRT_Client_Create that it asks for, as a JSON object. The caller who creates a
  // client applies them. [out, since 0.1, may be null, lives until: list]
  const char* create_options_json;
  // Why it is not loaded by its name: denied, not allowed, hidden by an earlier one of the same
  // name, or broken. Null: it can be loaded. [out, since 0.1, may be null, lives until: list]
  const char* ignored_because;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_plugin_entry, ignored_because);

// How to probe. Set struct_size to plinth_probe_options_STRUCT_SIZE and everything else to zero,
// then fill in what differs. A null pointer means all defaults. [since 0.1]
struct plinth_probe_options {
  size_t struct_size;
  // Deadline of the whole probe. 0: 30,000. [in, since 0.1, if absent: 0]
  int32_t timeout_ms;
  // Create and destroy a client too, and list its devices. [in, since 0.1, if absent: false]
  bool create_client;
  // Options for PJRT_Client_Create as a JSON object: texts, integers, lists of integers, floats,
  // booleans. Null: those of the manifest. [in, since 0.1, may be null, lives for the call, if
  // absent: null]
  const char* create_options_json;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_probe_options, create_options_json);

// How to repeat a captured run. Set struct_size to plinth_replay_options_STRUCT_SIZE and everything
// else to zero, then fill in what differs. A null pointer means all defaults. [since 0.3]
struct plinth_replay_options {
  size_t struct_size;
  // Floats may differ by this times the wanted element, plus `absolute_tolerance`. Both 0: the
  // default of the element type, see docs/using/layers.md. Integers and booleans never differ. [in,
  // since 0.3, if absent: 0]
  double relative_tolerance;
  // As above. [in, since 0.3, if absent: 0]
  double absolute_tolerance;
  // Floats are equal; both tolerances must be 0. [in, since 0.3, if absent: false]
  bool exact;
  // Count all differences; else the first one ends the replay. [in, since 0.3, if absent: false]
  bool keep_going;
  // Longest wait for one event of the plugin. 0: 300,000. [in, since 0.3, if absent: 0]
  int32_t timeout_ms;
  // Most bytes that arrays of the capture may take in host memory at a time. 0: 8 GiB. [in, since
  // 0.3, if absent: 0]
  int64_t memory_limit;
  // Options for PJRT_Client_Create as a JSON object. Null: those of the capture. [in, since 0.3,
  // may be null, lives for the call, if absent: null]
  const char* create_options_json;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_replay_options, create_options_json);

// ---- Functions ----------------------------------------------------------------------------------

// Version of libplinth, for example `0.1.0`. A constant; never fails. [since 0.1]
PLINTH_EXPORT const char* plinth_version(void);

// Makes an error, for libraries that stand on libplinth; a code that is none becomes UNKNOWN. Null
// for OK. Without memory: an error that says so. [since 0.2]
// code: Of the error.
// message: UTF-8; copied.
// size: Bytes of the message.
// RESOURCE_EXHAUSTED: No memory for it. Other codes are those that were asked for.
PLINTH_EXPORT plinth_status* plinth_status_create(
    PJRT_Error_Code code, const char* message, size_t size);

// The code of an error; PJRT_Error_Code_OK for null. [since 0.1]
// status: May be null.
PLINTH_EXPORT PJRT_Error_Code plinth_status_code(const plinth_status* status);

// What was asked, what was found and what to do; UTF-8, NUL-terminated, possibly several lines.
// Lives as long as the status. Empty for null. [since 0.1]
// status: May be null.
PLINTH_EXPORT const char* plinth_status_message(const plinth_status* status);

// Frees a status. Does nothing for null. [since 0.1, no other use of the handle during the call]
// status: May be null.
PLINTH_EXPORT void plinth_status_destroy(plinth_status* status);

// Frees a text that libplinth made for the caller. Does nothing for null. [since 0.1]
// text: May be null.
PLINTH_EXPORT void plinth_string_free(char* text);

// Finds a plugin, opens it in this process, and puts the layers in front of it. Does not call
// PJRT_Plugin_Initialize: the caller does, once, as the first call. Loading the same plugin again
// opens nothing new; with equal layers and minor it gives the same table. A library that aborts
// when it is opened takes the process with it: plinth_probe finds out first. [since 0.1]
// options: May be null: all defaults.
// plugin: Out: the plugin; null on failure. The caller destroys it.
// INVALID_ARGUMENT: `plugin` is null, struct_size is too small, an unknown search bit, a layer spec
// that cannot be read.
// NOT_FOUND: No such plugin. The message lists every place that was tried and why each failed.
// FAILED_PRECONDITION: It is no plugin, of a major or minor that cannot be served, denied, or
// several were found and none was named.
// RESOURCE_EXHAUSTED: More than 16 chains of layers in one process.
PLINTH_EXPORT plinth_status* plinth_load(
    const plinth_load_options* options, plinth_plugin** plugin);

// Frees the handle and its texts. The plugin stays loaded and its table valid. Does nothing for
// null. [since 0.1, no other use of the handle during the call]
// plugin: May be null.
PLINTH_EXPORT void plinth_plugin_destroy(plinth_plugin* plugin);

// The table to call: the plugin's own if it needs no adapting and no layer, else a full-size one in
// front of it. Valid until the process ends, also after plinth_plugin_destroy. Never null. [since
// 0.1]
// plugin: Not null.
PLINTH_EXPORT const PJRT_Api* plinth_plugin_api(const plinth_plugin* plugin);

// Path of the library that was opened. Lives as long as the handle. [since 0.1]
// plugin: Not null.
PLINTH_EXPORT const char* plinth_plugin_path(const plinth_plugin* plugin);

// Name under which it was found; for an explicit path the file name without prefix and ending.
// Lives as long as the handle. [since 0.1]
// plugin: Not null.
PLINTH_EXPORT const char* plinth_plugin_name(const plinth_plugin* plugin);

// The layers in front of it, in the order in which calls pass them, separated by commas; empty for
// none. Lives as long as the handle. [since 0.1]
// plugin: Not null.
PLINTH_EXPORT const char* plinth_plugin_layers(const plinth_plugin* plugin);

// Options for PJRT_Client_Create that its manifest asks for, as a JSON object; null if it asks for
// none. The caller who creates a client applies them. Lives as long as the handle. [since 0.1]
// plugin: Not null.
PLINTH_EXPORT const char* plinth_plugin_create_options(const plinth_plugin* plugin);

// How it was found, every place that was looked at before, and what was adapted: the log lines of
// the load, for people. Lives as long as the handle. [since 0.1]
// plugin: Not null.
PLINTH_EXPORT const char* plinth_plugin_report(const plinth_plugin* plugin);

// Finds plugins as plinth_load would, all of them, in the order of preference. Opens no library.
// `plugin`, `layers`, `api_minor` and `allow_old` of the options are not used. What is broken is
// listed with the reason, and fails nothing. [since 0.1]
// options: May be null: all defaults.
// list: Out: the list; null on failure. The caller destroys it.
// INVALID_ARGUMENT: `list` is null, struct_size is too small, an unknown search bit.
PLINTH_EXPORT plinth_status* plinth_list(
    const plinth_load_options* options, plinth_plugin_list** list);

// Number of entries. [since 0.1]
// list: Not null.
PLINTH_EXPORT size_t plinth_plugin_list_size(const plinth_plugin_list* list);

// One entry, which lives as long as the list; null if `index` is not below the size. [since 0.1]
// list: Not null.
// index: From 0.
PLINTH_EXPORT const plinth_plugin_entry* plinth_plugin_list_entry(
    const plinth_plugin_list* list, size_t index);

// Every place that was looked at and what came of it, one line each, for people. Lives as long as
// the list. [since 0.1]
// list: Not null.
PLINTH_EXPORT const char* plinth_plugin_list_report(const plinth_plugin_list* list);

// Frees a list. Does nothing for null. [since 0.1, no other use of the handle during the call]
// list: May be null.
PLINTH_EXPORT void plinth_plugin_list_destroy(plinth_plugin_list* list);

// Finds a plugin as plinth_load would, then opens and questions it in a spawned child with a
// deadline, so that an abort, an exit or a hang is a verdict and not the end of the caller. What
// the child writes to standard error is part of the result. Blocks until the child has ended;
// nothing is left running. [since 0.1]
// options: May be null: all defaults. With `layers` the child calls through them.
// probe: May be null: all defaults.
// result: Out: the result as JSON; docs/using/loader.md describes it. Null on failure. The caller
// frees it with plinth_string_free.
// INVALID_ARGUMENT: `result` is null, or the options are as plinth_load refuses them.
// NOT_FOUND: No such plugin, with every place that was tried. That a plugin does not work is no
// failure, but the result.
// INTERNAL: The child could not be started.
PLINTH_EXPORT plinth_status* plinth_probe(
    const plinth_load_options* options, const plinth_probe_options* probe, char** result);

// Repeats a run that the trace layer captured on a plugin, and compares what it gives with what was
// captured. Calls PJRT_Plugin_Initialize. Blocks until the run has ended; what the capture leaves
// alive is destroyed. [since 0.3]
// api: Of a plugin, or plinth_plugin_api.
// capture: Path of the capture.
// options: May be null: all defaults.
// result: Out: the report as JSON, which docs/using/layers.md describes, also of a replay that
// failed half-way; null if none began. The caller frees it with plinth_string_free.
// INVALID_ARGUMENT: A null pointer, options that cannot be, or a file that is no capture. That the
// plugin gives something else is no failure, but the result.
// NOT_FOUND: No such file.
// RESOURCE_EXHAUSTED: More than `memory_limit`.
// DEADLINE_EXCEEDED: An event was not ready in time.
PLINTH_EXPORT plinth_status* plinth_replay(
    const PJRT_Api* api, const char* capture, const plinth_replay_options* options, char** result);

#ifdef __cplusplus
}
#endif

#endif  // PLINTH_H_
