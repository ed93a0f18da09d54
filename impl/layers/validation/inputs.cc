#include "impl/layers/validation/inputs.h"

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

const reflection::Requirement& ElementRequirement() {
  static const reflection::Requirement& requirement = Require("PJRT-Args-element");
  return requirement;
}

const char* FieldName(const reflection::Struct& structure, const FieldCheck& check) {
  return reflection::FieldsOf(structure)[check.field].name;
}

bool IsOpen(const CallState& state, int kind) {
  return (state.layer.open_kinds.load(std::memory_order_relaxed) >> kind & 1) != 0;
}

void ReportBadHandle(CallState& state, int kind, const void* address, const Sight& sight,
                     const char* name) {
  const LayerState& layer = state.layer;
  if (sight.handle != nullptr) {
    History history = layer.table.HistoryOf(sight.handle);
    const reflection::Requirement* requirement = layer.plans.OnceOf(kind);
    const char* what = " that was freed: ";
    if (history.parent_is_gone && history.freed.call == 0) {
      what = " that is gone: ";
      requirement = history.parent->kind == layer.kinds.client
                        ? &Require("PJRT-Client_Destroy-owned")
                        : layer.plans.OnceOf(history.parent->kind);
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

bool BelongsToOneClient(const Kinds& kinds, int kind) {
  return kind == kinds.buffer || kind == kinds.client || kind == kinds.device ||
         kind == kinds.memory || kind == kinds.loaded_executable ||
         kind == kinds.transfer_manager || kind == kinds.fulfill_alias;
}

void CheckClient(CallState& state, int kind, const void* address, const Sight& sight,
                 const char* name) {
  HandleRef client = kind == state.layer.kinds.client ? sight.ref() : sight.client;
  if (!client) return;
  if (!state.client) {
    state.client = client;
  } else if (state.client.handle != client.handle && BelongsToOneClient(state.layer.kinds, kind)) {
    state.InvalidArgument(
        Require("PJRT-Handle-client"),
        StrCat(state.Name(name, kind, address), " of client ", Hex(client.handle->address),
               ", the call is one of client ", Hex(state.client.handle->address), ": ",
               Describe(state.layer.table, sight.handle)));
  }
}

void CheckList(CallState& state, const FieldCheck& check, const char* base, const char* name) {
  const void* const* list = ReadAt<const void* const*>(base, check.offset);
  uint64_t length = LengthAt(base, check.length_offset, check.length_size);
  if (list == nullptr) {
    if (length == 0) return;
    state.InvalidArgument(*check.requirement,
                          StrCat("`", name, "` is null and its length is ", length));
    return;
  }
  for (uint64_t i = 0; i < length && i < kMaxElements; ++i) {
    CheckHandle(state, check.target, list[i], false, ElementRequirement(), name);
  }
}

void CheckLists(CallState& state, const FieldCheck& check, const char* base, const char* name) {
  auto lists = ReadAt<const void* const* const*>(base, check.offset);
  uint64_t length = LengthAt(base, check.length_offset, check.length_size);
  uint64_t inner = LengthAt(base, check.inner_length_offset, check.inner_length_size);
  if (lists == nullptr) {
    if (length == 0 || inner == 0) return;
    state.InvalidArgument(*check.requirement,
                          StrCat("`", name, "` is null for ", length, " lists of ", inner));
    return;
  }
  for (uint64_t i = 0; inner > 0 && i < length && i < kMaxElements; ++i) {
    if (lists[i] == nullptr) {
      state.InvalidArgument(Require("PJRT-Args-element"),
                            StrCat("`", name, "[", i, "]` is null and has ", inner, " elements"));
      continue;
    }
    for (uint64_t j = 0; j < inner && j < kMaxElements; ++j) {
      CheckHandle(state, check.target, lists[i][j], false, ElementRequirement(), name);
    }
  }
}

void CheckEnum(CallState& state, const FieldCheck& check, const char* base, const char* name) {
  int value = ReadAt<int>(base, check.offset);
  const reflection::Enum& type = reflection::Enums()[check.target];
  auto values = reflection::ValuesOf(type);
  // Most enums count from 0 on.
  bool is_at_its_place =
      value >= 0 && static_cast<size_t>(value) < values.size() && values[value].value == value;
  if (is_at_its_place || reflection::NameOf(type, value) != nullptr) return;
  state.InvalidArgument(*check.requirement, StrCat("`", name, "` = ", value, " is no ", type.name));
}

void CheckFields(CallState& state, const std::vector<FieldCheck>& checks,
                 const reflection::Struct& structure, const char* base, size_t size, int nesting);

// The union of a layout or value, which an enum beside it chooses.
void CheckUnion(CallState& state, int16_t structure, const char* base, int nesting,
                const char* path) {
  if (structure == reflection::structure::kPJRT_Buffer_MemoryLayout) {
    const auto& layout = *reinterpret_cast<const PJRT_Buffer_MemoryLayout*>(base);
    int type = RawEnum(layout.type);
    int16_t member = type == PJRT_Buffer_MemoryLayout_Type_Tiled
                         ? reflection::structure::kPJRT_Buffer_MemoryLayout_Tiled
                         : reflection::structure::kPJRT_Buffer_MemoryLayout_Strides;
    if (type != PJRT_Buffer_MemoryLayout_Type_Tiled &&
        type != PJRT_Buffer_MemoryLayout_Type_Strides) {
      return;
    }
    const char* at = reinterpret_cast<const char*>(&layout.tiled);
    const StructPlan& plan = state.layer.plans.OfStruct(member);
    size_t size = ReadAt<size_t>(at, 0);
    if (size < plan.minimum_size) {
      state.InvalidArgument(
          Require("PJRT-Args-nested-struct_size"),
          StrCat("`", path, "`: struct_size of ", reflection::Structs()[member].name, " is ", size,
                 ", not ", plan.minimum_size));
      return;
    }
    CheckFields(state, plan.inputs, reflection::Structs()[member], at, size, nesting + 1);
  } else if (structure == reflection::structure::kPJRT_NamedValue) {
    const auto& value = *reinterpret_cast<const PJRT_NamedValue*>(base);
    int type = RawEnum(value.type);
    bool is_pointer = type == PJRT_NamedValue_kString || type == PJRT_NamedValue_kInt64List;
    if (is_pointer && value.string_value == nullptr && value.value_size > 0) {
      state.InvalidArgument(Require("PJRT-Args-array"),
                            StrCat("`", path,
                                   "`: the value of a PJRT_NamedValue is null and its "
                                   "length is ",
                                   value.value_size));
    }
  }
}

void CheckOneStruct(CallState& state, int16_t target, const char* at, int nesting,
                    const char* path) {
  const reflection::Struct& structure = reflection::Structs()[target];
  const StructPlan& plan = state.layer.plans.OfStruct(target);
  size_t size = structure.size;
  if (plan.carries_struct_size) {
    size = ReadAt<size_t>(at, 0);
    if (size < plan.minimum_size || size > kAbsurdSize) {
      state.InvalidArgument(size < plan.minimum_size ? Require("PJRT-Args-nested-struct_size")
                                                     : Require("PJRT-Args-struct_size-set"),
                            StrCat("`", path, "`: struct_size of ", structure.name, " is ", size,
                                   ", the smallest is ", plan.minimum_size));
      return;
    }
  }
  CheckFields(state, plan.inputs, structure, at, size, nesting);
  CheckUnion(state, target, at, nesting, path);
}

void CheckStruct(CallState& state, const FieldCheck& check, const char* base, int nesting,
                 const char* name) {
  const char* list = ReadAt<const char*>(base, check.offset);
  uint64_t length =
      check.length_size == 0 ? 1 : LengthAt(base, check.length_offset, check.length_size);
  if (list == nullptr) {
    if (length == 0 || (check.nullable && check.length_size == 0)) return;
    state.InvalidArgument(*check.requirement,
                          check.length_size == 0
                              ? StrCat("`", name, "` is null")
                              : StrCat("`", name, "` is null and its length is ", length));
    return;
  }
  if (nesting >= kMaxNesting) return;
  for (uint64_t i = 0; i < length && i < kMaxElements; ++i) {
    CheckOneStruct(state, check.target, list + i * check.element_size, nesting + 1, name);
  }
}

void CheckFields(CallState& state, const std::vector<FieldCheck>& checks,
                 const reflection::Struct& structure, const char* base, size_t size, int nesting) {
  for (const FieldCheck& check : checks) {
    if (check.end > size) continue;
    switch (check.kind) {
      case CheckKind::kHandle: {
        const void* address = ReadAt<const void*>(base, check.offset);
        Sight sight = CheckHandle(state, check.target, address, check.nullable, *check.requirement,
                                  FieldName(structure, check));
        if (nesting == 0 && state.num_inputs < CallState::kMaxInputs) {
          state.inputs[state.num_inputs++] = {check.offset, check.target, sight};
        }
        break;
      }
      case CheckKind::kHandleList:
        CheckList(state, check, base, FieldName(structure, check));
        break;
      case CheckKind::kHandleLists:
        CheckLists(state, check, base, FieldName(structure, check));
        break;
      case CheckKind::kEnum:
        CheckEnum(state, check, base, FieldName(structure, check));
        break;
      case CheckKind::kPointer:
        if (ReadAt<const void*>(base, check.offset) == nullptr) {
          state.InvalidArgument(*check.requirement,
                                StrCat("`", FieldName(structure, check), "` is null"));
        }
        break;
      case CheckKind::kArray: {
        if (ReadAt<const void*>(base, check.offset) != nullptr) break;
        uint64_t length = LengthAt(base, check.length_offset, check.length_size);
        if (length == 0) break;
        state.InvalidArgument(*check.requirement, StrCat("`", FieldName(structure, check),
                                                         "` is null and its length is ", length));
        break;
      }
      case CheckKind::kStruct:
        CheckStruct(state, check, base, nesting, FieldName(structure, check));
        break;
    }
  }
}

void CheckChain(CallState& state, const PJRT_Extension_Base* node) {
  static const reflection::Requirement& requirement = Require("PJRT-Args-extension_start-chain");
  for (int i = 0; node != nullptr; ++i) {
    if (i == kMaxChain) {
      state.InvalidArgument(requirement, StrCat("the chain has no end after ", i, " nodes"));
      return;
    }
    if (reinterpret_cast<uintptr_t>(node) % alignof(PJRT_Extension_Base) != 0) {
      state.InvalidArgument(requirement, StrCat("node ", i, " at ", Hex(node), " is no struct"));
      return;
    }
    if (node->struct_size < sizeof(PJRT_Extension_Base)) {
      state.InvalidArgument(requirement,
                            StrCat("struct_size of node ", i, " is ", node->struct_size,
                                   ", the head alone has ", sizeof(PJRT_Extension_Base)));
      return;
    }
    node = node->next;
  }
}

}  // namespace

Sight CheckHandle(CallState& state, int kind, const void* address, bool nullable,
                  const reflection::Requirement& if_null, const char* name) {
  if (address == nullptr) {
    if (!nullable) state.InvalidArgument(if_null, StrCat("`", name, "` is null"));
    return {};
  }
  LayerState& layer = state.layer;
  uintptr_t number = reinterpret_cast<uintptr_t>(address);
  bool counts = state.plan.tracks_calls && state.num_entered < CallState::kMaxEntered;
  int function = state.plan.frees >= 0 ? -1 : state.at.function;
  Sight sight = counts ? layer.table.Enter(kind, number, function) : layer.table.Find(kind, number);
  if (!sight.alive) {
    if (!IsOpen(state, kind)) {
      ReportBadHandle(state, kind, address, sight, name);
      return sight;
    }
    bool was_alive;
    layer.table.Register(
        kind, number, {.owned = true, .client = {}, .parent = {}, .origin = state.at}, &was_alive);
    sight = counts ? layer.table.Enter(kind, number, function) : layer.table.Find(kind, number);
    if (!sight.alive) return sight;
  }
  state.saw_flags |= sight.flags;
  if (counts) state.entered[state.num_entered++] = sight.handle;
  CheckClient(state, kind, address, sight, name);
  return sight;
}

bool CheckInputs(CallState& state) {
  const reflection::Struct& structure = reflection::Structs()[state.call.function().args];
  if (state.args == nullptr) {
    state.InvalidArgument(Require("PJRT-Args-null"), "the argument struct is null");
    return false;
  }
  state.size = state.plan.minimum_size;
  if (structure.carries_struct_size) {
    state.size = state.Read<size_t>(0);
    if (state.size < state.plan.minimum_size) {
      state.InvalidArgument(Require("PJRT-Args-struct_size-smaller"),
                            StrCat("struct_size of ", structure.name, " is ", state.size,
                                   ", the smallest is ", state.plan.minimum_size));
      return false;
    }
    if (state.size > kAbsurdSize) {
      state.InvalidArgument(Require("PJRT-Args-struct_size-set"),
                            StrCat("struct_size of ", structure.name, " is ", state.size,
                                   ", the struct has ", structure.size));
      return false;
    }
    // What upstream announced too small; the last field of a struct ends it.
    if (state.size < structure.end &&
        state.call.id() == reflection::function::kPJRT_Plugin_Attributes) {
      state.size = structure.end;
    }
  }
  bool has_chain = structure.num_fields > 1 &&
                   reflection::FieldsOf(structure)[1].base == reflection::Base::kExtensionChain;
  if (has_chain && state.size >= 16) {
    auto* chain = state.Read<const PJRT_Extension_Base*>(8);
    if (chain != nullptr) CheckChain(state, chain);
  }
  CheckFields(state, state.plan.inputs, structure, state.args, state.size, 0);
  return true;
}

void FreeInput(CallState& state) {
  if (state.plan.frees < 0) return;
  Sight sight = state.InputAt(static_cast<size_t>(state.plan.frees));
  if (sight.handle == nullptr) return;
  const int kind = state.plan.frees_kind;
  const void* address = reinterpret_cast<const void*>(sight.handle->address);
  const char* name = "handle";
  for (const reflection::Field& field :
       reflection::FieldsOf(reflection::Structs()[state.call.function().args])) {
    if (field.offset == state.plan.frees) name = field.name;
  }
  if ((sight.flags & kOwned) == 0) {
    state.FailedPrecondition(Require("PJRT-Handle-borrowed"),
                             StrCat(state.Name(name, kind, address), " that the plugin owns: ",
                                    Describe(state.layer.table, sight.handle)));
    return;
  }
  // A call that will not reach the plugin frees nothing.
  if (state.is_misused && state.layer.reporter.options().mode == Mode::kError) return;
  int others = 0;
  int16_t user = sight.handle->used_by.load(std::memory_order_relaxed);
  bool freed = state.layer.table.Free(sight.ref(), state.at, 1, &others);
  for (int i = 0; i < state.num_entered; ++i) {
    if (state.entered[i] != sight.handle) continue;
    HandleTable::Leave(sight.handle);
    state.entered[i] = state.entered[--state.num_entered];
    break;
  }
  if (freed) state.freed = sight.ref();
  if (freed && others <= 0) return;
  std::string what = state.Name(name, kind, address);
  if (!freed) {
    what += StrCat(" that another thread frees: ", Describe(state.layer.table, sight.handle));
  } else {
    what += StrCat(" that ", others, others == 1 ? " other call uses" : " other calls use");
    if (user >= 0) {
      what += StrCat(", ", reflection::Functions()[user].name, " among them");
    }
    what += StrCat(": ", Describe(state.layer.table, sight.handle));
  }
  state.FailedPrecondition(*state.layer.plans.OnceOf(kind), what);
}

void RestoreInput(CallState& state) {
  if (state.freed) state.layer.table.Revive(state.freed);
}

}  // namespace plinth::layers::validation
