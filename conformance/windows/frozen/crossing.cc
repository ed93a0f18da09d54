// SPDX-License-Identifier: Apache-2.0
#include "conformance/windows/frozen/crossing.h"

#include <cstring>

#include "conformance/windows/frozen/handles.h"

namespace plinth::windows {
namespace {

constexpr unsigned char kCanary = 0xA5;

// The form in which plugins of all revisions answer a struct that is too small; adapters read it.
Status CheckSize(const Struct& description, const void* object) {
  if (object == nullptr) return InvalidArgument(description.name, " is null");
  size_t size;
  std::memcpy(&size, object, sizeof(size));
  if (size >= description.announced) return {};
  return InvalidArgument("Unexpected ", description.name, " size: expected ", description.announced,
                         ", got ", size, ". This plugin is frozen at ", kRevision.name);
}

// PJRT_ProcessInfo until 0.75-b.
struct HeadlessProcessInfo {
  int task_id;
  uint64_t incarnation_id;
  PJRT_ProcessState state;
  int error_code;
  const char* error_message;
  size_t error_message_size;
};

}  // namespace

Crossing::Crossing(const Struct& description, void* caller)
    : description_(description), caller_(static_cast<char*>(caller)) {}

Crossing::~Crossing() {
  for (const ReplacedCallback& callback : callbacks_) callback.cancel(callback.user_arg);
}

void Crossing::Replace(size_t offset, void* pointer) {
  replaced_.push_back({offset, At<void*>(offset)});
  At<void*>(offset) = pointer;
}

Status Crossing::CheckType(int type) const {
  if (type >= 0 && type <= kRevision.largest_buffer_type) return {};
  return InvalidArgument(description_.name, ": element type ", type, " is unknown at ",
                         kRevision.name, ", where they end with ", kRevision.largest_buffer_type);
}

Status Crossing::CheckShapeSpecs(const Field& field) {
  auto* specs = At<PJRT_ShapeSpec*>(field.offset);
  const size_t count = At<size_t>(field.other);
  for (size_t i = 0; specs != nullptr && i < count; ++i) {
    PLINTH_RETURN_IF_ERROR(CheckSize(kRevision.structs[kRevision.shape_spec], &specs[i]));
    PLINTH_RETURN_IF_ERROR(CheckType(specs[i].element_type));
  }
  return {};
}

void Crossing::AddHeads(const Field& field) {
  const auto* infos = At<const HeadlessProcessInfo*>(field.offset);
  const size_t count = infos == nullptr ? 0 : At<size_t>(field.other);
  for (size_t i = 0; i < count; ++i) {
    process_infos_.push_back({.struct_size = PJRT_ProcessInfo_STRUCT_SIZE,
                              .task_id = infos[i].task_id,
                              .incarnation_id = infos[i].incarnation_id,
                              .state = infos[i].state,
                              .error_code = infos[i].error_code,
                              .error_message = infos[i].error_message,
                              .error_message_size = infos[i].error_message_size});
  }
  Replace(field.offset, process_infos_.data());
}

Status Crossing::EnterField(const Field& field) {
  if (field.direction == Direction::kOut) return {};
  switch (field.kind) {
    case Kind::kMemory:
      Replace(field.offset, MemoryFromCaller(At<PJRT_Memory*>(field.offset)));
      return {};
    case Kind::kError:
      Replace(field.offset, ErrorFromCaller(At<PJRT_Error*>(field.offset)));
      return {};
    case Kind::kBufferType:
      return CheckType(At<int>(field.offset));
    case Kind::kStruct: {
      void* object = At<void*>(field.offset);
      if (object == nullptr) return {};
      nested_.push_back(std::make_unique<Crossing>(kRevision.structs[field.other], object));
      PLINTH_RETURN_IF_ERROR(nested_.back()->Enter());
      Replace(field.offset, nested_.back()->args());
      return {};
    }
    case Kind::kShapeSpecs:
      return CheckShapeSpecs(field);
    case Kind::kHeadlessProcessInfos:
      AddHeads(field);
      return {};
    case Kind::kOnReady:
    case Kind::kKeyValueGet:
    case Kind::kKeyValuePut:
    case Kind::kKeyValueTryGet: {
      if (At<void*>(field.offset) == nullptr) return {};
      callbacks_.push_back(
          ReplaceCallback(field.kind, At<void*>(field.offset), At<void*>(field.other)));
      Replace(field.offset, callbacks_.back().callback);
      Replace(field.other, callbacks_.back().user_arg);
      return {};
    }
    case Kind::kMemories:
    case Kind::kBufferTypes:
      return {};  // Outputs only.
  }
  return {};
}

Status Crossing::Enter() {
  PLINTH_RETURN_IF_ERROR(CheckSize(description_, caller_));
  // Where the announced size was wrong, plugins of that time read and wrote past it.
  std::memcpy(bytes_, caller_, description_.end);
  std::memset(bytes_ + description_.end, kCanary, kCapacity - description_.end);
  At<size_t>(0) = description_.end;
  for (int i = 0; i < description_.field_count; ++i) {
    PLINTH_RETURN_IF_ERROR(EnterField(description_.fields[i]));
  }
  return {};
}

Status Crossing::LeaveField(const Field& field) {
  if (field.direction == Direction::kIn) return {};
  switch (field.kind) {
    case Kind::kMemory:
      At<PJRT_Memory*>(field.offset) = MemoryToCaller(At<PJRT_Memory*>(field.offset));
      return {};
    case Kind::kMemories:
      At<PJRT_Memory* const*>(field.offset) =
          MemoriesToCaller(At<PJRT_Memory* const*>(field.offset), At<size_t>(field.other));
      return {};
    case Kind::kBufferType:
      return CheckType(At<int>(field.offset));
    case Kind::kBufferTypes: {
      const auto* types = At<const PJRT_Buffer_Type*>(field.offset);
      for (size_t i = 0; types != nullptr && i < At<size_t>(field.other); ++i) {
        PLINTH_RETURN_IF_ERROR(CheckType(types[i]));
      }
      return {};
    }
    default:
      return {};
  }
}

Status Crossing::Leave() {
  callbacks_.clear();  // The plugin behind has them.
  for (const Replaced& replaced : replaced_) At<void*>(replaced.offset) = replaced.original;
  for (size_t i = description_.end; i < kCapacity; ++i) {
    if (static_cast<unsigned char>(bytes_[i]) == kCanary) continue;
    return Internal("the plugin behind wrote to byte ", i, " of ", description_.name, ", which at ",
                    kRevision.name, " ends at ", description_.end);
  }
  for (const auto& nested : nested_) PLINTH_RETURN_IF_ERROR(nested->Leave());
  for (int i = 0; i < description_.field_count; ++i) {
    PLINTH_RETURN_IF_ERROR(LeaveField(description_.fields[i]));
  }
  std::memcpy(caller_ + sizeof(size_t), bytes_ + sizeof(size_t), description_.end - sizeof(size_t));
  return {};
}

}  // namespace plinth::windows
