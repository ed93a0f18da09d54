// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_API_H_
#define PLINTH_CLIENT_API_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/support/args.h"
#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

namespace plinth::client {

struct Version {
  int major = 0;
  int minor = 0;
};

// One node of a table's extension chain.
struct ExtensionInfo {
  int type = 0;
  size_t struct_size = 0;
};

// A plugin's function table, of any revision. A value the size of a pointer: copy it freely. The
// table belongs to the plugin, which is never unloaded. Any thread.
class Api {
 public:
  // INVALID_ARGUMENT for null, for a table too short to hold the functions of errors, and for
  // another major version.
  static Expected<Api> FromTable(const PJRT_Api* table);

  // Finds a plugin through libplinth and initializes it: a path, the name of an installed plugin,
  // or null for PLINTH_PLUGIN or the only one. PLINTH_LAYERS puts layers in front. Who calls it
  // links libplinth (plinth::plinth) too.
  static Expected<Api> Load(const char* plugin);

  const PJRT_Api* table() const { return table_; }
  Version version() const;
  // Functions that the table has room for, whatever their slots hold.
  int function_count() const;
  // Whether the table reaches slot number `slot` and holds a function there.
  bool has_slot(int slot) const;
  // Whether the table has the function that takes Args: api.Has<PJRT_Client_Load_Args>().
  template <typename Args>
  bool Has() const {
    return has_slot(FunctionOf<Args>::kSlot);
  }

  // PJRT_Plugin_Initialize: to be called once per process and plugin, before anything else is, also
  // for a table that libplinth handed out.
  Status Initialize() const;
  // Facts that hold for the process, copied.
  Expected<std::vector<NamedValue>> Attributes() const;

  // The nodes of the extension chain in its order. Stops after 1,000: a chain may run in a circle.
  std::vector<ExtensionInfo> Extensions() const;
  // The extension of that type, or null. The plugin owns it; what it holds reaches as far as its
  // struct_size (see CallExtension).
  const PJRT_Extension_Base* FindExtension(int type) const;

  // The error of a call, read through this table and destroyed; success for null. Works for errors
  // of every revision, with the head of 0.107 or without.
  Status TakeError(PJRT_Error* error) const;

  // Calls the function that takes Args: sets struct_size, converts the error. UNIMPLEMENTED, with
  // the function's name and the plugin's version, if the table does not have it. Output fields of
  // Args must be zero before: what an older plugin does not know stays zero.
  template <typename Args>
  Status Call(Args& args) const {
    using Function = PJRT_Error*(Args*);
    args.struct_size = StructOf<Args>::kSize;
    auto* function = reinterpret_cast<Function*>(Slot(FunctionOf<Args>::kSlot));
    if (function == nullptr) {
      return Missing(FunctionOf<Args>::kName, FunctionOf<Args>::kSlot, FunctionOf<Args>::kSince);
    }
    PJRT_Error* error = function(&args);
    return error == nullptr ? Status() : TakeError(error);
  }

  // The same for a function of an extension: CallExtension(*layouts,
  // &PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy, "PJRT_Layouts_...", args).
  template <typename Extension, typename Args>
  Status CallExtension(const Extension& extension, PJRT_Error* (*Extension::*slot)(Args*),
                       std::string_view name, Args& args, size_t args_size) const {
    args.struct_size = args_size;
    auto offset = reinterpret_cast<const char*>(&(extension.*slot)) -
                  reinterpret_cast<const char*>(&extension);
    if (static_cast<size_t>(offset) + sizeof(extension.*slot) > extension.base.struct_size ||
        extension.*slot == nullptr) {
      return MissingInExtension(name, extension.base.struct_size);
    }
    return TakeError((extension.*slot)(&args));
  }

 private:
  using AnyFunction = void();
  explicit Api(const PJRT_Api* table) : table_(table) {}
  AnyFunction* Slot(int slot) const;
  Status Missing(const char* name, int slot, int since) const;
  Status MissingInExtension(std::string_view name, size_t extension_size) const;

  const PJRT_Api* table_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_API_H_
