// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/extension_copy.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

#include "impl/loader/default_layouts.h"
#include "plinth/support/args.h"
#include "plinth/support/extension_chain.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

// Extensions of older plugins that cannot be passed on.
struct Hidden {
  int type;
  int below_minor;
  const char* reason;
};

constexpr char kErrorsWithoutHead[] =
    "its functions hand out errors, which have no head before PJRT 0.107";
constexpr Hidden kHidden[] = {
    {PJRT_Extension_Type_FFI, 82, "its layout changed at 0.54, 0.80 and 0.81 without a new minor"},
    {PJRT_Extension_Type_Triton, 84, "three fields left the middle of its arguments at 0.83"},
    {PJRT_Extension_Type_Example, kErrorHeadMinor, kErrorsWithoutHead},
    {PJRT_Extension_Type_CrossHostTransfers, kErrorHeadMinor, kErrorsWithoutHead},
    {PJRT_Extension_Type_ExecutableMetadata, kErrorHeadMinor, kErrorsWithoutHead},
    {PJRT_Extension_Type_HostAllocator, kErrorHeadMinor, kErrorsWithoutHead},
    {PJRT_Extension_Type_HostMemoryAllocator, kErrorHeadMinor, kErrorsWithoutHead},
};

const Hidden* FindHidden(int type, int minor) {
  auto found = std::find_if(std::begin(kHidden), std::end(kHidden),
                            [=](const Hidden& row) { return row.type == type; });
  return found != std::end(kHidden) && minor < found->below_minor ? found : nullptr;
}

// Puts our functions into the slots of a copied node, and tells the adapter what stood there.
void WrapSlots(const reflection::Table& extension, char* node, size_t size,
               const ThunkTable& thunks, Adapter& adapter) {
  auto table = static_cast<int16_t>(&extension - reflection::Tables().data());
  for (int i = 0; i < reflection::kFunctionCount; ++i) {
    const reflection::Function& function = reflection::Functions()[i];
    if (function.table != table || function.offset + sizeof(void*) > size) continue;
    RawFunction target;
    std::memcpy(&target, node + function.offset, sizeof(target));
    if (target == nullptr && function.absent == reflection::Absent::kNull) continue;
    adapter.SetTarget(i, target);
    std::memcpy(node + function.offset, &thunks[static_cast<size_t>(i)], sizeof(void*));
  }
}

}  // namespace

CopiedExtensions CopyExtensions(const PluginTable& table, const ThunkTable& thunks,
                                Adapter& adapter, const LogSink& log) {
  CopiedExtensions result;
  std::vector<PJRT_Extension_Base*> links;
  std::set<const void*> visited;
  std::set<int> types;
  auto warn = [&](int type, std::string_view reason) {
    Log(log, LogLevel::kWarning,
        StrCat("extension ", type, " of ", table.Describe(), " is left out: ", reason));
  };
  for (const PJRT_Extension_Base* node = table.Extensions(); node != nullptr; node = node->next) {
    if (!visited.insert(node).second) {
      Log(log, LogLevel::kWarning,
          StrCat("the extension chain of ", table.Describe(), " runs in a circle; its ",
                 links.size(), " nodes are used once"));
      break;
    }
    size_t size = node->struct_size;
    if (size < PJRT_Extension_Base_STRUCT_SIZE) {
      Log(log, LogLevel::kWarning,
          StrCat("the extension chain of ", table.Describe(), " ends at a node of ", size,
                 " bytes; a node has ", size_t{PJRT_Extension_Base_STRUCT_SIZE}, " at least"));
      break;
    }
    int type = RawEnum(node->type);
    const reflection::Table* extension = reflection::FindTable(type);
    if (const Hidden* hidden = FindHidden(type, table.minor)) {
      warn(type, hidden->reason);
      continue;
    }
    if (size > kLargestExtension) {
      if (extension == nullptr) {
        warn(type, StrCat("its struct_size is ", size, ", and nothing else tells its size"));
        continue;
      }
      size = reflection::Structs()[extension->structure].end;
    }
    if (extension != nullptr && !types.insert(type).second) {
      warn(type, "it is on the chain twice; the first one is used");
      continue;
    }
    auto copy = std::make_unique<char[]>(size);
    std::memcpy(copy.get(), node, size);
    std::memcpy(copy.get(), &size, sizeof(size));
    if (extension != nullptr) WrapSlots(*extension, copy.get(), size, thunks, adapter);
    links.push_back(reinterpret_cast<PJRT_Extension_Base*>(copy.get()));
    result.nodes.push_back(std::move(copy));
  }
  if (adapter.uses_default_layouts() && types.insert(PJRT_Extension_Type_Layouts).second) {
    result.nodes.push_back(MakeDefaultLayoutsNode(thunks));
    links.push_back(reinterpret_cast<PJRT_Extension_Base*>(result.nodes.back().get()));
  }
  result.first = LinkExtensions(links);
  return result;
}

}  // namespace plinth::loader
