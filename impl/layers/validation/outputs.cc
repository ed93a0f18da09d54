// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/outputs.h"

#include "impl/layers/validation/answers.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

uint64_t LengthOf(const CallState& state, const FieldCheck& check) {
  if (check.length_size == 8) return state.Read<uint64_t>(check.length_offset);
  if (check.length_size == 4) return state.Read<uint32_t>(check.length_offset);
  return 0;
}

// Objects of a client: they are gone with it.
bool LivesWithClient(const Kinds& kinds, int kind) {
  return kind == kinds.buffer || kind == kinds.loaded_executable ||
         kind == kinds.transfer_manager || kind == kinds.fulfill_alias;
}

// Parts of a client, or of a topology that stands alone, that live as long as it.
bool IsPartOfClient(const Kinds& kinds, int kind) {
  return kind == kinds.device || kind == kinds.memory || kind == kinds.device_description ||
         kind == kinds.topology;
}

inline void Add(CallState& state, const FieldCheck& check, const void* address) {
  if (check.owned) {
    AddOwned(state, check.target, address, check.name);
    return;
  }
  Sight known = state.layer.table.Find(check.target, reinterpret_cast<uintptr_t>(address));
  if (known.alive() && check.target == state.layer.kinds.fulfill_alias) {
    // The one of that address was used, and is gone with that.
    state.layer.table.Free(known.ref(), state.at);
    known = {};
  }
  if (!known.alive()) {
    HandleRef parent = {};
    if (check.parent_field >= 0) {
      parent = state.InputAt(static_cast<size_t>(check.parent_field)).ref();
    }
    AddBorrowed(state, check.target, address, parent, check.name);
  }
}

[[gnu::cold]] void FaultNull(CallState& state, const FieldCheck& check) {
  // Asked for a size alone, ToHostBuffer starts no copy.
  bool is_query = state.call.id() == reflection::function::kPJRT_Buffer_ToHostBuffer &&
                  state.As<PJRT_Buffer_ToHostBuffer_Args>().dst == nullptr;
  if (is_query) return;
  state.Fault(*check.requirement, StrCat("`", check.name, "` is null"));
}

[[gnu::cold]] void FaultNullList(CallState& state, const FieldCheck& check, uint64_t length) {
  state.Fault(*check.requirement, StrCat("`", check.name, "` is null and its length is ", length));
}

[[gnu::cold]] void FaultNullElement(CallState& state, const FieldCheck& check, uint64_t index) {
  state.Fault(Require("PJRT-Args-output-handle"),
              StrCat("`", check.name, "[", index, "]` is null"));
}

[[gnu::cold]] void FaultEnum(CallState& state, const FieldCheck& check, int value) {
  state.Fault(*check.requirement, StrCat("`", check.name, "` = ", value, " is no ",
                                         reflection::Enums()[check.target].name));
}

void CheckList(CallState& state, const FieldCheck& check) {
  const void* const* list = state.Read<const void* const*>(check.offset);
  uint64_t length = LengthOf(state, check);
  if (list == nullptr) {
    if (length != 0 && !check.nullable) FaultNullList(state, check, length);
    return;
  }
  for (uint64_t i = 0; i < length && i < kMaxAnswerElements; ++i) {
    if (list[i] == nullptr) {
      FaultNullElement(state, check, i);
    } else {
      Add(state, check, list[i]);
    }
  }
}

void CheckOutput(CallState& state, const FieldCheck& check) {
  switch (check.kind) {
    case CheckKind::kHandle:
      if (const void* address = state.Read<const void*>(check.offset)) {
        Add(state, check, address);
      } else if (!check.nullable) {
        FaultNull(state, check);
      }
      return;
    case CheckKind::kHandleList:
      return CheckList(state, check);
    case CheckKind::kEnum: {
      int value = state.Read<int>(check.offset);
      if (!check.HasValue(value)) FaultEnum(state, check, value);
      return;
    }
    case CheckKind::kArray:
      if (state.Read<const void*>(check.offset) != nullptr) return;
      if (uint64_t length = LengthOf(state, check)) FaultNullList(state, check, length);
      return;
    default:
      return;
  }
}

[[gnu::cold]] void FaultOtherAnswer(CallState& state) {
  const reflection::Struct& args = reflection::Structs()[state.call.function().args];
  state.Fault(Require("PJRT-Args-output-same"),
              StrCat("the answer before was another one than ",
                     DescribeFields(args, state.args, state.size, reflection::Direction::kOut)));
}

void CompareAnswer(CallState& state) {
  Sight first = state.First();
  if (first.handle == nullptr) return;
  uint32_t answer = HashOfAnswer(state.checks, state.args, state.size);
  std::atomic<uint32_t>& kept =
      first.handle->answers[static_cast<size_t>(state.checks.answer_slot)];
  if (kept.load(std::memory_order_relaxed) == answer) return;
  // An answer that has faults of its own is looked at again each time.
  uint32_t before = 0;
  bool is_first = state.is_faulty
                      ? kept.load(std::memory_order_relaxed) == 0
                      : kept.compare_exchange_strong(before, answer, std::memory_order_relaxed);
  if (is_first || before == answer || !first.ref().IsCurrent()) return;
  FaultOtherAnswer(state);
}

[[gnu::cold]] void FaultNotNew(CallState& state, const Sight& sight, const char* name) {
  state.Fault(Require("PJRT-Args-output-new"),
              StrCat(state.Name(name, sight.handle->kind(), sight.handle->pointer()),
                     " that is in use: ", Describe(state.layer.table, sight.handle)));
}

[[gnu::cold]] void FaultNotListed(CallState& state, const Sight& sight, const char* name) {
  state.Fault(Require("PJRT-Client_AddressableDevices-subset"),
              StrCat(state.Name(name, sight.handle->kind(), sight.handle->pointer()),
                     " that PJRT_Client_Devices of client ", Hex(state.client.handle->address()),
                     " does not list"));
}

}  // namespace

void AddOwned(CallState& state, int kind, const void* address, const char* name) {
  LayerState& layer = state.layer;
  NewHandle values;
  values.owned = true;
  values.origin = state.at;
  if (kind != layer.kinds.client) values.client = state.client;
  if (LivesWithClient(layer.kinds, kind)) values.parent = state.client;
  bool was_alive = false;
  Sight sight =
      layer.table.Register(kind, reinterpret_cast<uintptr_t>(address), values, &was_alive);
  bool is_new_each_time = kind == layer.kinds.buffer || kind == layer.kinds.event ||
                          kind == layer.kinds.client || kind == layer.kinds.loaded_executable;
  if (was_alive && is_new_each_time) FaultNotNew(state, sight, name);
}

void AddBorrowed(CallState& state, int kind, const void* address, const HandleRef& parent,
                 const char* name) {
  LayerState& layer = state.layer;
  uintptr_t number = reinterpret_cast<uintptr_t>(address);
  NewHandle values;
  values.origin = state.at;
  values.client = state.client;
  values.parent = IsPartOfClient(layer.kinds, kind) && state.client ? state.client : parent;
  bool was_alive = false;
  Sight sight = layer.table.Register(kind, number, values, &was_alive);
  bool is_listed = kind == layer.kinds.device && state.client &&
                   state.call.id() != reflection::function::kPJRT_Client_Devices &&
                   state.client.handle->counts[kDevices].load(std::memory_order_relaxed) > 0;
  if (is_listed && !was_alive) FaultNotListed(state, sight, name);
}

void CheckOutputs(CallState& state) {
  for (const FieldCheck& check : state.checks.outputs) {
    if (check.end <= state.size) CheckOutput(state, check);
  }
  if (state.checks.answer_slot >= 0) CompareAnswer(state);
  if (state.checks.opens_kinds != 0) {
    state.layer.open_kinds.fetch_or(state.checks.opens_kinds, std::memory_order_relaxed);
  }
}

}  // namespace plinth::layers::validation
