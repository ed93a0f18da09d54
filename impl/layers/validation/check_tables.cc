// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/check_tables.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "impl/layers/validation/handle_table.h"
#include "impl/layers/validation/special_checks.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Function;
using reflection::Struct;
namespace function = reflection::function;
namespace handle = reflection::handle;

std::string_view View(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

FieldCheck RowOf(const Struct& structure, const Field& field, CheckKind kind) {
  auto fields = reflection::FieldsOf(structure);
  FieldCheck check = {};
  check.kind = kind;
  check.nullable = field.nullable;
  check.name = field.name;
  check.target = field.target;
  check.field = static_cast<int16_t>(&field - fields.data());
  check.offset = field.offset;
  check.end = static_cast<uint16_t>(field.offset + field.size);
  check.element_size = field.element_size;
  if (field.base == Base::kEnum) {
    auto values = reflection::ValuesOf(reflection::Enums()[field.target]);
    while (check.values_end < static_cast<int>(values.size()) &&
           values[static_cast<size_t>(check.values_end)].value == check.values_end) {
      ++check.values_end;
    }
  }
  if (field.length_field >= 0) {
    const Field& length = fields[field.length_field];
    check.length_offset = length.offset;
    check.length_size = static_cast<uint8_t>(length.size);
    check.end = std::max(check.end, static_cast<uint16_t>(length.offset + length.size));
  }
  if (field.inner_length_field >= 0) {
    const Field& length = fields[field.inner_length_field];
    check.inner_length_offset = length.offset;
    check.inner_length_size = static_cast<uint8_t>(length.size);
    check.end = std::max(check.end, static_cast<uint16_t>(length.offset + length.size));
  }
  return check;
}

bool IsHead(const Field& field) {
  return field.base == Base::kStructSize || field.base == Base::kExtensionChain ||
         field.base == Base::kExtensionNode || View(field.name) == "struct_size";
}

const reflection::Requirement* About(const Function* of, const Field& field,
                                     const char* otherwise) {
  return of == nullptr ? &Require(otherwise) : &RequirementOf(*of, field.name, otherwise);
}

// The check of a field on the way in, if there is one.
void AddInput(const Struct& structure, const Field& field, const Function* of,
              std::vector<FieldCheck>* checks) {
  bool has_length = field.length_field >= 0;
  auto add = [&](CheckKind kind, const char* otherwise) {
    FieldCheck check = RowOf(structure, field, kind);
    check.requirement = About(of, field, otherwise);
    checks->push_back(check);
  };
  if (IsHead(field)) return;
  if (field.direction == Direction::kInout) {
    // What the caller gives room for. The structs among them say how large they are.
    if (field.base == Base::kStruct && field.depth == 1) {
      add(CheckKind::kStruct, "PJRT-Args-pointer");
    } else if (field.base == Base::kHandle && has_length) {
      if (!field.nullable) add(CheckKind::kArray, "PJRT-Args-array");
    } else if (field.depth > 0 && !field.nullable && has_length) {
      add(CheckKind::kArray, "PJRT-Args-array");
    } else if (field.depth > 0 && !field.nullable) {
      add(CheckKind::kPointer, "PJRT-Args-pointer");
    }
    return;
  }
  switch (field.base) {
    case Base::kHandle:
      if (field.depth == 0) {
        add(CheckKind::kHandle, "PJRT-Args-pointer");
      } else if (field.depth == 1 && has_length) {
        add(CheckKind::kHandleList, "PJRT-Args-array");
      } else if (field.depth == 2 && has_length && field.inner_length_field >= 0) {
        add(CheckKind::kHandleLists, "PJRT-Args-array");
      }
      return;
    case Base::kEnum:
      if (field.depth == 0) add(CheckKind::kEnum, "PJRT-Args-enum");
      return;
    case Base::kStruct:
      if (field.depth == 1) {
        add(CheckKind::kStruct, has_length ? "PJRT-Args-array" : "PJRT-Args-pointer");
      } else if (field.depth > 1 && has_length) {
        add(CheckKind::kArray, "PJRT-Args-array");
      }
      return;
    case Base::kCallback:
      if (!field.nullable) add(CheckKind::kPointer, "PJRT-Args-pointer");
      return;
    case Base::kVoid:
    case Base::kChar:
    case Base::kBool:
    case Base::kInteger:
    case Base::kUnsigned:
    case Base::kFloat:
      if (field.depth == 0 && field.base != Base::kVoid) return;
      if (has_length) {
        add(CheckKind::kArray, "PJRT-Args-array");
      } else if (!field.nullable && field.base != Base::kVoid && field.depth == 1 &&
                 field.element_size > 0) {
        add(CheckKind::kPointer, "PJRT-Args-pointer");
      }
      return;
    default:
      return;
  }
}

// What a handle lives with: the handle of the same struct that its lifetime names, or for what a
// client's objects point to, the first handle.
void SetOwner(const Struct& structure, const Field& field, FieldCheck* check) {
  auto fields = reflection::FieldsOf(structure);
  std::string_view lifetime = View(field.lifetime);
  check->owned = field.owner == reflection::Owner::kCaller;
  const Field* first = nullptr;
  const Field* named = nullptr;
  for (const Field& other : fields) {
    if (other.base != Base::kHandle || other.depth != 0 || other.direction != Direction::kIn) {
      continue;
    }
    if (first == nullptr) first = &other;
    if (lifetime == View(other.name)) named = &other;
  }
  if (named == nullptr && !check->owned && lifetime != "process") named = first;
  if (named != nullptr) {
    check->parent_field = static_cast<int16_t>(named->offset);
    check->parent_kind = named->target;
  }
}

void AddOutput(const Struct& structure, const Field& field, CallChecks* checks) {
  bool has_length = field.length_field >= 0;
  auto add = [&](CheckKind kind, const char* requirement) -> FieldCheck& {
    checks->outputs.push_back(RowOf(structure, field, kind));
    checks->outputs.back().requirement = &Require(requirement);
    return checks->outputs.back();
  };
  if (field.base == Base::kHandle && field.depth == 0) {
    // A holder that goes to its deleter alone is no handle of any other call.
    bool by_function = reflection::FindFunction(View(field.lifetime)) != nullptr;
    if (field.owner == reflection::Owner::kCaller && !by_function) return;
    SetOwner(structure, field, &add(CheckKind::kHandle, "PJRT-Args-output-handle"));
    checks->cleared.push_back(field.offset);
  } else if (field.base == Base::kHandle && field.depth == 1 && has_length) {
    SetOwner(structure, field, &add(CheckKind::kHandleList, "PJRT-Args-output-array"));
    checks->cleared.push_back(field.offset);
  } else if (field.base == Base::kEnum && field.depth == 0) {
    add(CheckKind::kEnum, "PJRT-Args-output-enum");
  } else if (field.depth >= 1 && has_length && !field.nullable) {
    add(CheckKind::kArray, "PJRT-Args-output-array");
    checks->cleared.push_back(field.offset);
  }
}

// Moves single handles to the front, and makes their short rows.
void SetHandles(CallChecks* checks) {
  std::stable_partition(checks->inputs.begin(), checks->inputs.end(),
                        [](const FieldCheck& check) { return check.kind == CheckKind::kHandle; });
  for (const FieldCheck& check : checks->inputs) {
    size_t i = static_cast<size_t>(checks->num_handles);
    if (check.kind != CheckKind::kHandle || i == kMaxHandleInputs) break;
    checks->handles[i] = {check.offset, check.end, static_cast<int8_t>(check.target),
                          check.nullable};
    ++checks->num_handles;
  }
}

CallChecks ChecksOf(const Function& of) {
  CallChecks checks;
  if (of.args < 0) return checks;
  const Struct& args = reflection::Structs()[of.args];
  checks.minimum_size = args.minimum_size;
  checks.full_size = args.end;
  checks.carries_struct_size = args.carries_struct_size;
  for (const Field& field : reflection::FieldsOf(args)) {
    checks.has_chain = checks.has_chain || field.base == Base::kExtensionChain;
    if (field.direction == Direction::kOut) {
      AddOutput(args, field, &checks);
    } else {
      AddInput(args, field, &of, &checks.inputs);
    }
    bool is_unseen = field.direction != Direction::kIn && field.base == Base::kHandle &&
                     field.depth > 0 &&
                     (field.direction == Direction::kInout || field.length_field < 0);
    if (is_unseen && &of != &reflection::Get(function::kPJRT_LoadedExecutable_Execute)) {
      checks.opens_kinds |= uint64_t{1} << field.target;
    }
    bool is_first = checks.frees < 0;
    if (of.threads == reflection::Threads::kExclusive && is_first && field.base == Base::kHandle &&
        field.depth == 0 && field.direction == Direction::kIn) {
      checks.frees = static_cast<int16_t>(field.offset);
      checks.frees_kind = field.target;
      checks.frees_name = field.name;
    }
  }
  SetHandles(&checks);
  int id = static_cast<int>(&of - reflection::Functions().data());
  checks.special = SpecialCheckOf(static_cast<function::Id>(id));
  checks.takes_error = checks.num_handles > 0 && checks.handles[0].kind == Kinds::Get().error;
  checks.needs_initialize = of.table < 0 && !of.before_initialize;
  checks.has_outputs = !checks.outputs.empty() || checks.opens_kinds != 0;
  // A callback may free its own event while the call that made it run is on its way back.
  checks.tracks_calls =
      id != function::kPJRT_Event_OnReady && id != function::kPJRT_Event_Set && checks.frees < 0;
  return checks;
}

// The fields of an answer.
void SetAnswers(const Function& of, int slot, CallChecks* checks) {
  const Struct& args = reflection::Structs()[of.args];
  checks->answer_slot = static_cast<int8_t>(slot);
  checks->has_outputs = true;
  checks->is_question = checks->carries_struct_size && checks->has_chain &&
                        checks->num_handles == 1 && checks->inputs.size() == 1 &&
                        checks->frees < 0 && checks->opens_kinds == 0 &&
                        checks->special == nullptr && checks->tracks_calls;
  for (const Field& field : reflection::FieldsOf(args)) {
    if (field.direction != Direction::kOut || field.depth > 1) continue;
    bool is_list = field.depth == 1 && field.length_field >= 0;
    if (field.depth == 1 && !is_list) continue;
    FieldCheck row = RowOf(args, field, CheckKind::kPointer);
    if (!is_list) row.element_size = field.size;
    checks->answers.push_back(row);
  }
}

}  // namespace

const Kinds& Kinds::Get() {
  static const Kinds kinds = [] {
    Kinds k = {
        .buffer = handle::kPJRT_Buffer,
        .client = handle::kPJRT_Client,
        .device = handle::kPJRT_Device,
        .device_description = handle::kPJRT_DeviceDescription,
        .error = handle::kPJRT_Error,
        .event = handle::kPJRT_Event,
        .loaded_executable = handle::kPJRT_LoadedExecutable,
        .memory = handle::kPJRT_Memory,
        .topology = handle::kPJRT_TopologyDescription,
        .transfer_manager = handle::kPJRT_AsyncHostToDeviceTransferManager,
        .fulfill_alias = handle::kPJRT_FulfillAliasBufferCallback,
        .of_one_client = 0,
    };
    for (int kind : {k.buffer, k.client, k.device, k.memory, k.loaded_executable,
                     k.transfer_manager, k.fulfill_alias}) {
      k.of_one_client |= uint64_t{1} << kind;
    }
    return k;
  }();
  return kinds;
}

const reflection::Requirement& Require(const char* id) {
  const reflection::Requirement* found = reflection::FindRequirement(id);
  return found == nullptr ? reflection::Requirements().front() : *found;
}

const reflection::Requirement& RequirementOf(const Function& of, const char* field,
                                             const char* otherwise) {
  std::string_view name = View(of.name);
  if (name.starts_with("PJRT_")) name.remove_prefix(5);
  const reflection::Requirement* found =
      reflection::FindRequirement(StrCat("PJRT-", name, "-", field));
  // What frees a handle has a requirement of its own for null.
  if (found == nullptr) found = reflection::FindRequirement(StrCat("PJRT-", name, "-null"));
  return found == nullptr ? Require(otherwise) : *found;
}

CheckTables::CheckTables() {
  for (const Struct& structure : reflection::Structs()) {
    StructChecks checks;
    checks.carries_struct_size = structure.carries_struct_size;
    checks.minimum_size = structure.minimum_size;
    checks.full_size = structure.end;
    for (const Field& field : reflection::FieldsOf(structure)) {
      if (field.direction != Direction::kOut) AddInput(structure, field, nullptr, &checks.inputs);
    }
    structs_.push_back(std::move(checks));
  }
  for (const Function& of : reflection::Functions()) functions_.push_back(ChecksOf(of));
  uint64_t given_out = 0;
  for (const CallChecks& checks : functions_) {
    for (const FieldCheck& check : checks.outputs) {
      bool is_handle = check.kind == CheckKind::kHandle || check.kind == CheckKind::kHandleList;
      if (is_handle) given_out |= uint64_t{1} << check.target;
    }
  }
  never_given_out_ = ~given_out;
  std::vector<int> slots(reflection::Handles().size());
  for (size_t i = 0; i < functions_.size(); ++i) {
    const Function& of = reflection::Functions()[i];
    if (of.answer != reflection::Answer::kStable) continue;
    CallChecks& checks = functions_[i];
    int kind = checks.inputs.empty() ? -1 : checks.inputs[0].target;
    // A kind with more of them than a handle has room for: the last are asked without comparison.
    if (kind < 0 || slots[kind] == kNumAnswers) continue;
    SetAnswers(of, slots[kind]++, &checks);
  }
  for (const char* handle : reflection::Handles()) {
    std::string_view name = View(handle);
    if (name.starts_with("PJRT_")) name.remove_prefix(5);
    const reflection::Requirement* once =
        reflection::FindRequirement(StrCat("PJRT-", name, "_Destroy-once"));
    once_.push_back(once == nullptr ? &Require("PJRT-Handle-foreign") : once);
  }
}

const CheckTables& CheckTables::Get() {
  static const CheckTables* const checks = new CheckTables;
  return *checks;
}

}  // namespace plinth::layers::validation
