// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/broken_table.h"

#include <algorithm>

#include "impl/loader/emulation.h"
#include "plinth/support/args.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

constexpr size_t kMaxNamed = 5;

// "PJRT_A, PJRT_B and 7 more"
std::string Names(const std::vector<const reflection::Function*>& functions) {
  std::string names;
  for (size_t i = 0; i < std::min(functions.size(), kMaxNamed); ++i) {
    names += StrCat(i == 0 ? "" : ", ", functions[i]->name);
  }
  if (functions.size() > kMaxNamed) {
    names += StrCat(" and ", functions.size() - kMaxNamed, " more");
  }
  return names;
}

// Whether the loader can answer for the plugin.
bool IsEmulated(const PluginTable& table, int function) {
  for (const Emulation& emulation : Emulations()) {
    if (emulation.function != function) continue;
    return std::all_of(emulation.needs.begin(), emulation.needs.end(), [&](int needed) {
      return table.Slot(reflection::Functions()[needed]) != nullptr;
    });
  }
  return false;
}

}  // namespace

Status CheckReadable(const std::string& path, const PJRT_Api* api, const OwnMemory& memory) {
  if (!memory.IsReadable(api, sizeof(api->struct_size))) {
    return FailedPrecondition("GetPjrtApi of ", path,
                              " returned an address that cannot be read. The plugin is damaged");
  }
  // What no table has is refused with better words.
  if (api->struct_size > kImplausibleTableSize || memory.IsReadable(api, api->struct_size)) {
    return {};
  }
  return FailedPrecondition("the table of ", path, " says that it has ", api->struct_size,
                            " bytes, and so many cannot be read there. The plugin is damaged");
}

Status CheckSlots(const PluginTable& table, const OwnMemory& memory) {
  std::vector<const reflection::Function*> missing, no_code;
  for (int i = 0; i < reflection::kFunctionCount; ++i) {
    const reflection::Function& function = reflection::Functions()[i];
    if (function.table >= 0 || function.slot >= table.function_count) continue;
    const void* slot = table.Slot(function);
    if (slot != nullptr) {
      if (!memory.IsCode(slot)) no_code.push_back(&function);
    } else if (function.absent == reflection::Absent::kRequired && !IsEmulated(table, i)) {
      missing.push_back(&function);
    }
  }
  if (!no_code.empty()) {
    return FailedPrecondition(table.Describe(), " has no functions where its table of ",
                              table.api->struct_size, " bytes says so: what stands at ",
                              Names(no_code),
                              " is no code. The table is shorter than it says, or damaged");
  }
  if (missing.empty()) return {};
  return FailedPrecondition(table.Describe(), " lacks functions that every plugin has: null at ",
                            Names(missing),
                            ". Frameworks call them without a test, so it is not opened. Ask the "
                            "plugin's maker for another release");
}

Status CheckExtensions(const PluginTable& table, const OwnMemory& memory) {
  constexpr int kMaxNodes = 1000;  // A chain may run in a circle.
  const PJRT_Extension_Base* node = table.Extensions();
  for (int i = 0; i < kMaxNodes && node != nullptr; ++i, node = node->next) {
    if (!memory.IsReadable(node, PJRT_Extension_Base_STRUCT_SIZE)) {
      return FailedPrecondition(table.Describe(), " has an extension chain whose node ", i,
                                " cannot be read. The plugin is damaged");
    }
    if (node->struct_size < PJRT_Extension_Base_STRUCT_SIZE) return {};
    if (node->struct_size > kLargestExtension || memory.IsReadable(node, node->struct_size)) {
      continue;
    }
    return FailedPrecondition(table.Describe(), " has an extension of type ", RawEnum(node->type),
                              " that says it has ", node->struct_size,
                              " bytes, and so many cannot be read there. The plugin is damaged");
  }
  return {};
}

}  // namespace plinth::loader
