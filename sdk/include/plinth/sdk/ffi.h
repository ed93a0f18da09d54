// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_FFI_H_
#define PLINTH_SDK_FFI_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

// Handlers that a framework registers for custom calls, and data that it gives them with an
// execution. A plugin whose Plugin::ffi() is not null has two extensions: FFI, and the one named
// Gpu_Custom_Call (its only users were GPUs), which registers all stages, and untyped functions.
namespace plinth::sdk {

// Data for the custom calls of an execution. The maker of the type's id knows its form. The data
// lives until the execution's completion event is ready.
struct FfiUserData {
  int64_t type_id = 0;
  void* data = nullptr;
};

// How to handle objects of a type.
struct FfiTypeInfo {
  void (*deleter)(void* object) = nullptr;  // may be null
  friend bool operator==(const FfiTypeInfo&, const FfiTypeInfo&) = default;
};

// Functions for the custom calls of a name.
struct FfiHandler {
  std::string_view target;    // borrowed for the call
  std::string_view platform;  // borrowed for the call; empty: the plugin's own
  // XLA_FFI_Handler* for the stages of typed handlers, all but the last optional. Of an untyped
  // one, `execute` is a plain C function, which gets pointers to operands and results.
  bool is_typed = true;
  void* instantiate = nullptr;
  void* prepare = nullptr;
  void* initialize = nullptr;
  void* execute = nullptr;  // never null
  uint32_t traits = 0;      // PJRT_FFI_Handler_TraitsBits
};

// A plugin implements this. Any thread may call any method.
class Ffi {
 public:
  virtual ~Ffi() = default;

  // For the life of the process. ALREADY_EXISTS if the name has another handler.
  virtual Status RegisterHandler(const FfiHandler& handler) = 0;
  // The type's id: the one asked for, or one of its own choice for 0. See FfiTypes.
  virtual Expected<int64_t> RegisterType(std::string_view name, int64_t type_id,
                                         const FfiTypeInfo& info) = 0;
};

// Types by name and by id. Thread-safe.
class FfiTypes {
 public:
  // ALREADY_EXISTS if name or id belong to another type; the same again gives the same id.
  Expected<int64_t> Register(std::string_view name, int64_t type_id, const FfiTypeInfo& info);
  // NOT_FOUND names the id.
  Expected<FfiTypeInfo> Find(int64_t type_id) const;

 private:
  struct Type {
    std::string name;
    FfiTypeInfo info;
  };
  mutable std::mutex mutex_;
  std::map<std::string, int64_t, std::less<>> ids_;
  std::map<int64_t, Type> types_;
  int64_t next_id_ = 1;
};

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_FFI_H_
