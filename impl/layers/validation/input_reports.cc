// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/input_reports.h"

#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {

void ReportNull(CallState& state, const reflection::Requirement& requirement, const char* name) {
  state.InvalidArgument(requirement, StrCat("`", name, "` is null"));
}

void ReportNullList(CallState& state, const FieldCheck& check, uint64_t length) {
  state.InvalidArgument(*check.requirement,
                        StrCat("`", check.name, "` is null and its length is ", length));
}

void ReportNullElement(CallState& state, const char* name, uint64_t index) {
  state.InvalidArgument(Require("PJRT-Args-element"), StrCat("`", name, "[", index, "]` is null"));
}

void ReportBadHandle(CallState& state, int kind, const void* address, const Sight& sight,
                     const char* name) {
  const LayerState& layer = state.layer;
  if (sight.handle != nullptr) {
    History history = layer.table.HistoryOf(sight.handle);
    const reflection::Requirement* requirement = layer.checks.OnceOf(kind);
    const char* what = " that was freed: ";
    if (history.parent_is_gone && history.freed.call == 0) {
      what = " that is gone: ";
      requirement = history.parent->kind() == layer.kinds.client
                        ? &Require("PJRT-Client_Destroy-owned")
                        : layer.checks.OnceOf(history.parent->kind());
    }
    state.FailedPrecondition(*requirement, StrCat(state.Name(name, kind, address), what,
                                                  Describe(layer.table, sight.handle)));
    return;
  }
  uintptr_t number = reinterpret_cast<uintptr_t>(address);
  int other = layer.table.KindAt(number, static_cast<int>(reflection::Handles().size()));
  if (other >= 0) {
    Sight found = layer.table.Find(other, number);
    state.InvalidArgument(
        Require("PJRT-Handle-type"),
        StrCat(state.Name(name, other, address), ", not a ", reflection::Handles()[kind], ": ",
               Describe(layer.table, found.handle)));
  } else {
    state.InvalidArgument(Require("PJRT-Handle-foreign"),
                          StrCat("`", name, "` = ", Hex(address), " was never given out as a ",
                                 reflection::Handles()[kind]));
  }
}

void ReportOtherClient(CallState& state, int kind, const void* address, const Sight& sight,
                       HandleRef client, const char* name) {
  state.InvalidArgument(
      Require("PJRT-Handle-client"),
      StrCat(state.Name(name, kind, address), " of client ", Hex(client.handle->address()),
             ", the call is one of client ", Hex(state.client.handle->address()), ": ",
             Describe(state.layer.table, sight.handle)));
}

void ReportBadEnum(CallState& state, const FieldCheck& check, int value) {
  state.InvalidArgument(*check.requirement, StrCat("`", check.name, "` = ", value, " is no ",
                                                   reflection::Enums()[check.target].name));
}

void ReportBadSize(CallState& state) {
  const reflection::Struct& structure = reflection::Structs()[state.call.function().args];
  if (state.size < state.checks.minimum_size) {
    state.InvalidArgument(Require("PJRT-Args-struct_size-smaller"),
                          StrCat("struct_size of ", structure.name, " is ", state.size,
                                 ", the smallest is ", state.checks.minimum_size));
  } else {
    state.InvalidArgument(Require("PJRT-Args-struct_size-set"),
                          StrCat("struct_size of ", structure.name, " is ", state.size,
                                 ", the struct has ", structure.size));
  }
}

void ReportNestedSize(CallState& state, int structure, size_t size, size_t minimum,
                      const char* path) {
  state.InvalidArgument(
      Require(size < minimum ? "PJRT-Args-nested-struct_size" : "PJRT-Args-struct_size-set"),
      StrCat("`", path, "`: struct_size of ", reflection::Structs()[structure].name, " is ", size,
             ", the smallest is ", minimum));
}

void ReportBadChain(CallState& state, int node, const PJRT_Extension_Base* at, const char* what) {
  state.InvalidArgument(Require("PJRT-Args-extension_start-chain"),
                        StrCat("node ", node, " at ", Hex(at), " ", what));
}

void ReportBadFree(CallState& state, const Sight& sight, bool is_freed, int others, int16_t user) {
  const int kind = state.checks.frees_kind;
  std::string what = state.Name(state.checks.frees_name, kind, sight.handle->pointer());
  if (!is_freed) {
    what += " that another thread frees: ";
  } else {
    what += StrCat(" that ", others, others == 1 ? " other call uses" : " other calls use");
    if (user >= 0) what += StrCat(", ", reflection::Functions()[user].name);
    what += ": ";
  }
  state.FailedPrecondition(*state.layer.checks.OnceOf(kind),
                           what + Describe(state.layer.table, sight.handle));
}

void ReportBorrowed(CallState& state, const Sight& sight) {
  state.FailedPrecondition(
      Require("PJRT-Handle-borrowed"),
      StrCat(state.Name(state.checks.frees_name, state.checks.frees_kind, sight.handle->pointer()),
             " that the plugin owns: ", Describe(state.layer.table, sight.handle)));
}

}  // namespace plinth::layers::validation
