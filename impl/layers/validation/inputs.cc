// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/inputs.h"

#include <span>

#include "impl/layers/validation/input_reports.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

// No struct of any revision comes near it.
constexpr size_t kAbsurdSize = 1 << 16;
constexpr int kMaxChain = 256;
constexpr uint64_t kMaxElements = 4096;  // of a list that is looked at
constexpr int kMaxNesting = 3;

template <typename T>
T ReadAt(const char* base, size_t offset) {
  T value;
  std::memcpy(&value, base + offset, sizeof(value));
  return value;
}

uint64_t LengthAt(const char* base, size_t offset, int bytes) {
  if (bytes == 8) return ReadAt<uint64_t>(base, offset);
  if (bytes == 4) return ReadAt<uint32_t>(base, offset);
  return 0;
}

uint64_t LengthOf(const char* base, const FieldCheck& check) {
  return LengthAt(base, check.length_offset, check.length_size);
}

// A handle that is not alive as far as the table knows. Reports it, unless functions may have
// handed it out unseen: then it is taken for good, and true is returned.
[[gnu::cold, gnu::noinline]] bool TakesUnknown(CallState& state, int kind, const void* address,
                                               Sight* sight, const char* name) {
  LayerState& layer = state.layer;
  bool is_open = (layer.open_kinds.load(std::memory_order_relaxed) >> kind & 1) != 0;
  if (!is_open) {
    ReportBadHandle(state, kind, address, *sight, name);
    return false;
  }
  bool was_alive;
  NewHandle values;
  values.owned = true;
  values.origin = state.at;
  *sight = layer.table.Register(kind, reinterpret_cast<uintptr_t>(address), values, &was_alive);
  return true;
}

// Looks up a handle that is not null, counts it as in use, and compares its client with the call's.
inline Sight CheckKnown(CallState& state, int kind, const void* address, const char* name) {
  LayerState& layer = state.layer;
  Sight sight = layer.table.Find(kind, reinterpret_cast<uintptr_t>(address));
  if (!sight.alive()) [[unlikely]] {
    if (!TakesUnknown(state, kind, address, &sight, name)) return sight;
  }
  state.saw_flags |= sight.flags;
  if (state.checks.tracks_calls) state.uses.Push(sight.handle, state.at.function);
  HandleRef client = kind == layer.kinds.client ? sight.ref() : sight.client();
  if (client.handle == state.client.handle || !client) return sight;
  if (!state.client) {
    state.client = client;
  } else if ((layer.kinds.of_one_client >> kind & 1) != 0) {
    ReportOtherClient(state, kind, address, sight, client, name);
  }
  return sight;
}

void CheckElement(CallState& state, const FieldCheck& check, const void* address, uint64_t index) {
  if (address == nullptr) return ReportNullElement(state, check.name, index);
  CheckKnown(state, check.target, address, check.name);
}

void CheckList(CallState& state, const FieldCheck& check, const char* base) {
  const void* const* list = ReadAt<const void* const*>(base, check.offset);
  uint64_t length = LengthOf(base, check);
  if (list == nullptr) {
    if (length != 0) ReportNullList(state, check, length);
    return;
  }
  for (uint64_t i = 0; i < length && i < kMaxElements; ++i) CheckElement(state, check, list[i], i);
}

void CheckLists(CallState& state, const FieldCheck& check, const char* base) {
  auto lists = ReadAt<const void* const* const*>(base, check.offset);
  uint64_t length = LengthOf(base, check);
  uint64_t inner = LengthAt(base, check.inner_length_offset, check.inner_length_size);
  if (inner == 0) return;
  if (lists == nullptr) {
    if (length != 0) ReportNullList(state, check, length);
    return;
  }
  for (uint64_t i = 0; i < length && i < kMaxElements; ++i) {
    if (lists[i] == nullptr) {
      ReportNullElement(state, check.name, i);
      continue;
    }
    for (uint64_t j = 0; j < inner && j < kMaxElements; ++j) {
      CheckElement(state, check, lists[i][j], j);
    }
  }
}

void CheckNested(CallState& state, std::span<const FieldCheck> checks, const char* base,
                 size_t size, int nesting);

// The union of a layout or value, which an enum beside it chooses.
void CheckUnion(CallState& state, int structure, const char* base, int nesting, const char* path) {
  if (structure == reflection::structure::kPJRT_Buffer_MemoryLayout) {
    const auto& layout = *reinterpret_cast<const PJRT_Buffer_MemoryLayout*>(base);
    int type = RawEnum(layout.type);
    if (type != PJRT_Buffer_MemoryLayout_Type_Tiled &&
        type != PJRT_Buffer_MemoryLayout_Type_Strides) {
      return;
    }
    int member = type == PJRT_Buffer_MemoryLayout_Type_Tiled
                     ? reflection::structure::kPJRT_Buffer_MemoryLayout_Tiled
                     : reflection::structure::kPJRT_Buffer_MemoryLayout_Strides;
    const char* at = reinterpret_cast<const char*>(&layout.tiled);
    const StructChecks& checks = state.layer.checks.OfStruct(member);
    CheckNested(state, checks.inputs, at, checks.full_size, nesting + 1);
  } else if (structure == reflection::structure::kPJRT_NamedValue) {
    const auto& value = *reinterpret_cast<const PJRT_NamedValue*>(base);
    int type = RawEnum(value.type);
    bool is_pointer = type == PJRT_NamedValue_kString || type == PJRT_NamedValue_kInt64List;
    if (is_pointer && value.string_value == nullptr && value.value_size > 0) {
      state.InvalidArgument(
          Require("PJRT-Args-array"),
          StrCat("`", path, "`: the value of a PJRT_NamedValue is null and its length is ",
                 value.value_size));
    }
  }
}

void CheckOneStruct(CallState& state, int target, const char* at, int nesting, const char* path) {
  const StructChecks& checks = state.layer.checks.OfStruct(target);
  size_t size = checks.full_size;
  if (checks.carries_struct_size) {
    size = ReadAt<size_t>(at, 0);
    // Layouts have always had the same size, and JAX 0.10.2 leaves the field uninitialized.
    if (target == reflection::structure::kPJRT_Buffer_MemoryLayout) size = checks.full_size;
    if (size < checks.minimum_size || size > kAbsurdSize) {
      return ReportNestedSize(state, target, size, checks.minimum_size, path);
    }
  }
  CheckNested(state, checks.inputs, at, size, nesting);
  CheckUnion(state, target, at, nesting, path);
}

void CheckStruct(CallState& state, const FieldCheck& check, const char* base, int nesting) {
  const char* list = ReadAt<const char*>(base, check.offset);
  uint64_t length = check.length_size == 0 ? 1 : LengthOf(base, check);
  if (list == nullptr) {
    if (check.length_size != 0) {
      if (length != 0) ReportNullList(state, check, length);
    } else if (!check.nullable) {
      ReportNull(state, *check.requirement, check.name);
    }
    return;
  }
  if (nesting >= kMaxNesting) return;
  for (uint64_t i = 0; i < length && i < kMaxElements; ++i) {
    CheckOneStruct(state, check.target, list + i * check.element_size, nesting + 1, check.name);
  }
}

// One of a nested struct, or of more than a call usually has.
void CheckNestedHandle(CallState& state, const FieldCheck& check, const char* base) {
  const void* address = ReadAt<const void*>(base, check.offset);
  if (address != nullptr) {
    CheckKnown(state, check.target, address, check.name);
  } else if (!check.nullable) {
    ReportNull(state, *check.requirement, check.name);
  }
}

// One that the short rows tell of.
inline void CheckHandle(CallState& state, size_t index) {
  const HandleInput& row = state.checks.handles[index];
  if (row.end > state.size) return;
  const FieldCheck& check = state.checks.inputs[index];
  const void* address = state.Read<const void*>(row.offset);
  Sight sight = {};
  if (address != nullptr) [[likely]] {
    sight = CheckKnown(state, row.kind, address, check.name);
  } else if (!row.nullable) {
    ReportNull(state, *check.requirement, check.name);
  }
  state.inputs[state.num_inputs++] = {sight, row.offset};
}

// What is more than a comparison.
[[gnu::noinline]] void CheckObjects(CallState& state, const FieldCheck& check, const char* base,
                                    int nesting) {
  switch (check.kind) {
    case CheckKind::kHandle:
      return CheckNestedHandle(state, check, base);
    case CheckKind::kHandleList:
      return CheckList(state, check, base);
    case CheckKind::kHandleLists:
      return CheckLists(state, check, base);
    case CheckKind::kStruct:
      return CheckStruct(state, check, base, nesting);
    default:
      return;
  }
}

inline void CheckField(CallState& state, const FieldCheck& check, const char* base, int nesting) {
  switch (check.kind) {
    case CheckKind::kEnum: {
      int value = ReadAt<int>(base, check.offset);
      if (!check.HasValue(value)) ReportBadEnum(state, check, value);
      return;
    }
    case CheckKind::kPointer:
      if (ReadAt<const void*>(base, check.offset) != nullptr) return;
      return ReportNull(state, *check.requirement, check.name);
    case CheckKind::kArray:
      if (ReadAt<const void*>(base, check.offset) != nullptr) return;
      if (uint64_t length = LengthOf(base, check)) ReportNullList(state, check, length);
      return;
    default:
      return CheckObjects(state, check, base, nesting);
  }
}

inline void CheckFields(CallState& state, std::span<const FieldCheck> checks, const char* base,
                        size_t size, int nesting) {
  for (const FieldCheck& check : checks) {
    if (check.end <= size) CheckField(state, check, base, nesting);
  }
}

void CheckNested(CallState& state, std::span<const FieldCheck> checks, const char* base,
                 size_t size, int nesting) {
  CheckFields(state, checks, base, size, nesting);
}

void CheckChain(CallState& state, const PJRT_Extension_Base* node) {
  for (int i = 0; node != nullptr; ++i) {
    if (reinterpret_cast<uintptr_t>(node) % alignof(PJRT_Extension_Base) != 0) {
      return ReportBadChain(state, i, node, "is no struct");
    }
    if (i == kMaxChain) return ReportBadChain(state, i, node, "is not the last");
    if (node->struct_size < sizeof(PJRT_Extension_Base)) {
      return ReportBadChain(state, i, node, "has a struct_size below that of its head");
    }
    node = node->next;
  }
}

}  // namespace

bool CheckInputs(CallState& state) {
  const CallChecks& checks = state.checks;
  if (state.args == nullptr) [[unlikely]] {
    state.InvalidArgument(Require("PJRT-Args-null"), "the argument struct is null");
    return false;
  }
  state.size = checks.minimum_size;
  if (checks.carries_struct_size) {
    state.size = state.Read<size_t>(0);
    if (state.size < checks.minimum_size || state.size > kAbsurdSize) [[unlikely]] {
      ReportBadSize(state);
      return false;
    }
    // What upstream announced too small; the last field of a struct ends it.
    if (state.size < checks.full_size &&
        state.call.id() == reflection::function::kPJRT_Plugin_Attributes) {
      state.size = checks.full_size;
    }
  }
  if (checks.has_chain && state.size >= sizeof(size_t) + sizeof(void*)) {
    auto* chain = state.Read<const PJRT_Extension_Base*>(sizeof(size_t));
    if (chain != nullptr) CheckChain(state, chain);
  }
  const size_t num_handles = static_cast<size_t>(checks.num_handles);
  for (size_t i = 0; i < num_handles; ++i) CheckHandle(state, i);
  CheckFields(state, std::span(checks.inputs).subspan(num_handles), state.args, state.size, 0);
  return true;
}

void FreeInput(CallState& state) {
  Sight sight = state.InputAt(static_cast<size_t>(state.checks.frees));
  if (sight.handle == nullptr) return;
  if ((sight.flags & kOwned) == 0) return ReportBorrowed(state, sight);
  // A call that will not reach the plugin frees nothing.
  if (state.is_misused && state.layer.reporter.options().mode == Mode::kError) return;
  int16_t user = -1;
  int others = ThreadUses::CountOthers(sight.handle, &user);
  bool is_freed = state.layer.table.Free(sight.ref(), state.at);
  if (is_freed) state.freed = sight.ref();
  if (!is_freed || others > 0) ReportBadFree(state, sight, is_freed, others, user);
}

void RestoreInput(CallState& state) {
  if (state.freed) state.layer.table.Revive(state.freed);
}

}  // namespace plinth::layers::validation
