#include "impl/layers/validation/outputs.h"

#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

constexpr uint64_t kMaxElements = 1 << 16;
constexpr uint64_t kMaxHashedBytes = 256;  // of a list

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

Sight Add(CallState& state, const FieldCheck& check, const void* address) {
  if (check.owned) return AddOwned(state, check.target, address, check.name);
  HandleRef parent = {};
  if (check.parent_field >= 0) {
    Sight owner = state.InputAt(static_cast<size_t>(check.parent_field));
    parent = owner.ref();
  }
  return AddBorrowed(state, check.target, address, parent, check.name);
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
  for (uint64_t i = 0; i < length && i < kMaxElements; ++i) {
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

class Hash {
 public:
  void Add(const void* bytes, size_t size) {
    const char* from = static_cast<const char*>(bytes);
    for (; size >= 8; size -= 8, from += 8) AddWord(Load(from, 8));
    if (size > 0) AddWord(Load(from, size));
  }
  uint32_t Value() const {
    uint32_t value = static_cast<uint32_t>(state_ >> 32);
    return value == 0 ? 1 : value;
  }

 private:
  static uint64_t Load(const char* from, size_t size) {
    uint64_t word = 0;
    std::memcpy(&word, from, size);
    return word;
  }
  void AddWord(uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 29;
  }
  uint64_t state_ = 0x2545F4914F6CDD1Du;
};

[[gnu::cold]] void FaultOtherAnswer(CallState& state) {
  const reflection::Struct& args = reflection::Structs()[state.call.function().args];
  state.Fault(Require("PJRT-Args-output-same"),
              StrCat("the answer before was another one than ",
                     DescribeFields(args, state.args, state.size, reflection::Direction::kOut)));
}

void CompareAnswer(CallState& state) {
  Sight first = state.First();
  if (first.handle == nullptr) return;
  Hash hash;
  for (const FieldCheck& row : state.plan.answers) {
    if (row.end > state.size) continue;
    if (row.kind == CheckKind::kPointer) {
      hash.Add(state.args + row.offset, row.element_size);
      continue;
    }
    const void* list = state.Read<const void*>(row.offset);
    uint64_t length = LengthOf(state, row);
    hash.Add(&length, sizeof(length));
    uint64_t bytes = length * row.element_size;
    if (list != nullptr) hash.Add(list, bytes < kMaxHashedBytes ? bytes : kMaxHashedBytes);
  }
  uint32_t before = 0;
  std::atomic<uint32_t>& kept = first.handle->answers[state.plan.answer_slot];
  if (kept.load(std::memory_order_relaxed) == hash.Value()) return;
  if (kept.compare_exchange_strong(before, hash.Value(), std::memory_order_relaxed) ||
      before == hash.Value() || !first.ref().IsCurrent()) {
    return;
  }
  FaultOtherAnswer(state);
}

[[gnu::cold]] void FaultNotNew(CallState& state, const Sight& sight, const char* name) {
  state.Fault(Require("PJRT-Args-output-new"),
              StrCat(state.Name(name, sight.handle->kind,
                                reinterpret_cast<const void*>(sight.handle->address)),
                     " that is in use: ", Describe(state.layer.table, sight.handle)));
}

[[gnu::cold]] void FaultNotListed(CallState& state, const Sight& sight, const char* name) {
  state.Fault(Require("PJRT-Client_AddressableDevices-subset"),
              StrCat(state.Name(name, sight.handle->kind,
                                reinterpret_cast<const void*>(sight.handle->address)),
                     " that PJRT_Client_Devices of client ", Hex(state.client.handle->address),
                     " does not list"));
}

}  // namespace

Sight AddOwned(CallState& state, int kind, const void* address, const char* name) {
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
  return sight;
}

Sight AddBorrowed(CallState& state, int kind, const void* address, const HandleRef& parent,
                  const char* name) {
  LayerState& layer = state.layer;
  uintptr_t number = reinterpret_cast<uintptr_t>(address);
  Sight known = layer.table.Find(kind, number);
  if (known.alive) return known;
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
  return sight;
}

void ClearOutputs(CallState& state) {
  for (uint16_t offset : state.plan.cleared) {
    if (offset + sizeof(void*) > state.size) continue;
    std::memset(state.args + offset, 0, sizeof(void*));
  }
}

void CheckOutputs(CallState& state) {
  for (const FieldCheck& check : state.plan.outputs) {
    if (check.end <= state.size) CheckOutput(state, check);
  }
  if (state.plan.answer_slot >= 0) CompareAnswer(state);
  if (state.plan.opens_kinds != 0) {
    state.layer.open_kinds.fetch_or(state.plan.opens_kinds, std::memory_order_relaxed);
  }
}

}  // namespace plinth::layers::validation
