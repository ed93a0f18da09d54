// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/replayer.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "impl/layers/trace/struct_values.h"

namespace plinth::layers {

namespace fn = reflection::function;
using capture::Tag;
using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Struct;

// How a function is replayed. Functions that are not in the table are queries that say nothing
// about results, or can differ between plugins for good reasons; they are left out.
struct ReplayRow {
  fn::Id function;
  Status (Replayer::*replay)(const CapturedCall& call);

  static const ReplayRow* Find(int function);
};

namespace {

constexpr size_t kMaxNotes = 100;
constexpr std::chrono::seconds kLastWait(2);

const Struct& ArgsOf(const CapturedCall& call) {
  const reflection::Function& function =
      reflection::Functions()[static_cast<size_t>(call.function)];
  return reflection::Structs()[static_cast<size_t>(function.args)];
}

template <typename T>
T Load(const void* data, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + offset, sizeof(value));
  return value;
}

}  // namespace

const ReplayRow* ReplayRow::Find(int function) {
  using R = Replayer;
  static constexpr ReplayRow kRows[] = {
      {fn::kPJRT_Client_Create, &R::CreateClient},
      // Which objects there are.
      {fn::kPJRT_Client_Devices, &R::Query},
      {fn::kPJRT_Client_AddressableDevices, &R::Query},
      {fn::kPJRT_Client_AddressableMemories, &R::Query},
      {fn::kPJRT_Client_LookupDevice, &R::Query},
      {fn::kPJRT_Client_LookupAddressableDevice, &R::Query},
      {fn::kPJRT_Client_TopologyDescription, &R::Query},
      {fn::kPJRT_Device_AddressableMemories, &R::Query},
      {fn::kPJRT_Device_DefaultMemory, &R::Query},
      {fn::kPJRT_Memory_AddressableByDevices, &R::Query},
      {fn::kPJRT_LoadedExecutable_AddressableDevices, &R::Query},
      {fn::kPJRT_Buffer_Device, &R::Query},
      {fn::kPJRT_Buffer_Memory, &R::Query},
      {fn::kPJRT_Buffer_ReadyEvent, &R::Query},
      {fn::kPJRT_TopologyDescription_GetDeviceDescriptions, &R::Query},
      // Programs.
      {fn::kPJRT_Client_Compile, &R::CallAgain},
      {fn::kPJRT_Compile, &R::CallAgain},
      {fn::kPJRT_Client_Load, &R::CallAgain},
      {fn::kPJRT_Executable_DeserializeAndLoad, &R::CallAgain},
      {fn::kPJRT_LoadedExecutable_GetExecutable, &R::CallAgain},
      {fn::kPJRT_LoadedExecutable_Delete, &R::CallAgain},
      {fn::kPJRT_TopologyDescription_Create, &R::CallAgain},
      {fn::kPJRT_TopologyDescription_Deserialize, &R::CallAgain},
      {fn::kPJRT_Executable_NumOutputs, &R::CallAndCompare},
      {fn::kPJRT_Executable_NumReplicas, &R::CallAndCompare},
      {fn::kPJRT_Executable_NumPartitions, &R::CallAndCompare},
      {fn::kPJRT_Executable_OutputElementTypes, &R::CallAndCompare},
      {fn::kPJRT_Executable_OutputDimensions, &R::CallAndCompare},
      {fn::kPJRT_ExecuteContext_Create, &R::CallAgain},
      {fn::kPJRT_LoadedExecutable_Execute, &R::Execute},
      {fn::kPJRT_Device_PoisonExecution, &R::CallAgain},
      // Buffers.
      {fn::kPJRT_Client_BufferFromHostBuffer, &R::BufferFromHost},
      {fn::kPJRT_Client_CreateViewOfDeviceBuffer, &R::View},
      {fn::kPJRT_Client_CreateUninitializedBuffer, &R::CallAgain},
      {fn::kPJRT_Client_CreateErrorBuffer, &R::CallAgain},
      {fn::kPJRT_Client_CreateAliasBuffer, &R::CallAgain},
      {fn::kPJRT_Client_FulfillAliasBuffer, &R::CallAgain},
      {fn::kPJRT_Client_CreateBuffersForAsyncHostToDevice, &R::CallAgain},
      {fn::kPJRT_AsyncHostToDeviceTransferManager_TransferData, &R::CallAgain},
      {fn::kPJRT_AsyncHostToDeviceTransferManager_TransferLiteral, &R::TransferLiteral},
      {fn::kPJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, &R::CallAgain},
      {fn::kPJRT_AsyncHostToDeviceTransferManager_SetBufferError, &R::CallAgain},
      {fn::kPJRT_AsyncHostToDeviceTransferManager_AddMetadata, &R::CallAgain},
      {fn::kPJRT_Buffer_CopyToDevice, &R::CallAgain},
      {fn::kPJRT_Buffer_CopyToMemory, &R::CallAgain},
      {fn::kPJRT_Buffer_Bitcast, &R::CallAgain},
      {fn::kPJRT_Buffer_Delete, &R::CallAgain},
      {fn::kPJRT_Buffer_ElementType, &R::CallAndCompare},
      {fn::kPJRT_Buffer_Dimensions, &R::CallAndCompare},
      // Events.
      {fn::kPJRT_Event_Create, &R::CallAgain},
      {fn::kPJRT_Event_Set, &R::CallAgain},
      {fn::kPJRT_Event_Await, &R::Await},
      {fn::kPJRT_Event_Error, &R::Await},
      {fn::kPJRT_Device_CreateAsyncTrackingEvent, &R::CallAgain},
      // Ends.
      {fn::kPJRT_Client_Destroy, &R::Destroy},
      {fn::kPJRT_Buffer_Destroy, &R::Destroy},
      {fn::kPJRT_Event_Destroy, &R::Destroy},
      {fn::kPJRT_Executable_Destroy, &R::Destroy},
      {fn::kPJRT_LoadedExecutable_Destroy, &R::Destroy},
      {fn::kPJRT_TopologyDescription_Destroy, &R::Destroy},
      {fn::kPJRT_ExecuteContext_Destroy, &R::Destroy},
      {fn::kPJRT_AsyncHostToDeviceTransferManager_Destroy, &R::Destroy},
      {fn::kPJRT_AsyncTrackingEvent_Destroy, &R::Destroy},
  };
  for (const ReplayRow& row : kRows) {
    if (row.function == function) return &row;
  }
  return nullptr;
}

Status Replayer::OnCall(const CapturedCall& call) {
  ++report_.calls;
  const ReplayRow* row = ReplayRow::Find(call.function);
  if (row == nullptr) {
    ++report_.skipped;
    const CapturedValue* platform = call.Find("platform_name");
    if (call.function == fn::kPJRT_Client_PlatformName && platform != nullptr) {
      report_.captured_platform = platform->bytes;
    }
    return Status();
  }
  ++report_.replayed;
  PLINTH_RETURN_IF_ERROR((this->*row->replay)(call));
  TrackOpen(call);
  return Status();
}

Status Replayer::CallAgain(const CapturedCall& call) {
  ArgsBuilder builder(handles_);
  Expected<void*> args = builder.Build(ArgsOf(call), call.fields);
  if (!args.ok()) return NoArguments(call, args.status());
  Status status = call_.Call(call.function, *args);
  if (!CompareStatus(call, status)) {
    if (status.ok()) DestroyOutputs(call, *args);
    return Status();
  }
  MapOutputs(call, *args);
  return AwaitInputs(call, *args);
}

Status Replayer::Query(const CapturedCall& call) {
  ArgsBuilder builder(handles_);
  Expected<void*> args = builder.Build(ArgsOf(call), call.fields);
  if (!args.ok() && args.status().code() != StatusCode::kNotFound) return args.status();
  // A plugin may have other devices and memories: it matters only if one is used that is not there.
  if (call.code != 0 || !args.ok() || !call_.Call(call.function, *args).ok()) return Status();
  MapOutputs(call, *args);
  return Status();
}

Status Replayer::CallAndCompare(const CapturedCall& call) {
  ArgsBuilder builder(handles_);
  Expected<void*> args = builder.Build(ArgsOf(call), call.fields);
  if (!args.ok()) return NoArguments(call, args.status());
  if (CompareStatus(call, call_.Call(call.function, *args))) CompareNumbers(call, *args);
  return Status();
}

Status Replayer::Destroy(const CapturedCall& call) {
  for (const CapturedField& field : call.fields) {
    if (field.value.tag != Tag::kHandle) continue;
    auto found = handles_.find(field.value.ids[0]);
    if (found == handles_.end() || !found->second.is_owned) return Status();
    if (call.function == fn::kPJRT_Client_Destroy) {
      PLINTH_RETURN_IF_ERROR(SettleAll());
      DestroyAll();  // whatever the captured run left behind goes before its client
      return Status();
    }
    ReplayedHandle handle = found->second;
    handles_.erase(found);
    auto late = std::find_if(late_awaits_.begin(), late_awaits_.end(),
                             [&](const LateAwait& each) { return each.event == handle.handle; });
    if (late != late_awaits_.end()) {
      late->is_destroyed = true;
    } else {
      DestroyHandle(handle);
    }
    return Status();
  }
  return Status();
}

void Replayer::DestroyHandle(const ReplayedHandle& handle) {
  std::string name = StrCat(reflection::Handles()[static_cast<size_t>(handle.type)], "_Destroy");
  const reflection::Function* destroy = reflection::FindFunction(name);
  if (destroy == nullptr || destroy->table >= 0 || destroy->args < 0) return;
  const Struct& structure = reflection::Structs()[static_cast<size_t>(destroy->args)];
  for (const Field& field : reflection::FieldsOf(structure)) {
    if (field.base != Base::kHandle) continue;
    std::string args(structure.size, '\0');
    size_t size = structure.end;
    std::memcpy(args.data(), &size, sizeof(size));
    std::memcpy(args.data() + field.offset, &handle.handle, sizeof(handle.handle));
    Status status = call_.Call(destroy->slot, args.data());
    if (!status.ok()) Note(StrCat(name, ": ", status.ToString()));
    return;
  }
}

void Replayer::DestroyAll() {
  // Events of waits that were put off have no use any more.
  for (LateAwait& late : late_awaits_) {
    if (late.is_destroyed) DestroyHandle({late.event, reflection::handle::kPJRT_Event, true});
  }
  late_awaits_.clear();
  // The newest first, clients last.
  std::vector<ReplayedHandle> clients;
  for (auto handle = handles_.rbegin(); handle != handles_.rend(); ++handle) {
    if (!handle->second.is_owned) continue;
    if (handle->second.type == reflection::handle::kPJRT_Client) {
      clients.push_back(handle->second);
    } else {
      DestroyHandle(handle->second);
    }
  }
  // Copies under way end before their client.
  const auto end = Clock::now() + kLastWait;
  for (auto& [number, read] : reads_) IsReady(read, end);
  for (const ReplayedHandle& client : clients) DestroyHandle(client);
  handles_.clear();
  open_.clear();
}

Replayer::~Replayer() {
  DestroyAll();
  for (auto& [number, read] : reads_) {
    // The plugin may still write there, and nobody will say when it has.
    if (read.event == nullptr) continue;
    auto kept = std::make_unique<std::vector<char>>(std::move(read.bytes));
    static_cast<void>(kept.release());
  }
}

void Replayer::MapList(int function, const Field& field, const CapturedValue& value,
                       const void* const* handles, size_t count) {
  for (size_t i = 0; i < std::min(count, value.ids.size()); ++i) {
    bool is_owned = field.owner == reflection::Owner::kCaller;
    if (value.ids[i] == 0 || handles[i] == nullptr) continue;
    Map(value.ids[i],
        {const_cast<void*>(handles[i]), field.target, is_owned, report_.calls, function});
  }
}

void Replayer::Map(uint64_t id, const ReplayedHandle& handle) {
  ReplayedHandle& known = handles_[id];
  if (!known.is_owned) {
    known = handle;
  } else if (handle.is_owned && handle.handle != known.handle) {
    DestroyHandle(handle);  // in a capture that contradicts itself
  }
}

void Replayer::DestroyOutputs(const CapturedCall& call, const void* args) {
  for (const Field& field : reflection::FieldsOf(ArgsOf(call))) {
    if (field.base != Base::kHandle || field.depth != 0 || field.direction != Direction::kOut ||
        field.owner != reflection::Owner::kCaller) {
      continue;
    }
    auto* handle = Load<void*>(args, field.offset);
    if (handle != nullptr) DestroyHandle({handle, field.target, true});
  }
}

void Replayer::MapOutputs(const CapturedCall& call, const void* args) {
  const Struct& structure = ArgsOf(call);
  std::span<const Field> fields = reflection::FieldsOf(structure);
  for (const CapturedField& captured : call.fields) {
    for (const Field& field : fields) {
      if (field.offset != captured.offset || field.base != Base::kHandle ||
          field.direction != Direction::kOut) {
        continue;
      }
      if (captured.value.tag == Tag::kHandle && field.depth == 0) {
        auto* handle = Load<const void*>(args, field.offset);
        MapList(call.function, field, captured.value, &handle, 1);
      } else if (captured.value.tag == Tag::kHandles && field.depth == 1 &&
                 field.length_field >= 0) {
        auto* handles = Load<const void* const*>(args, field.offset);
        if (handles == nullptr) continue;
        MapList(call.function, field, captured.value, handles,
                LengthIn(args, fields[static_cast<size_t>(field.length_field)]));
      }
    }
  }
}

void Replayer::CompareNumbers(const CapturedCall& call, const void* args) {
  const Struct& structure = ArgsOf(call);
  std::span<const Field> fields = reflection::FieldsOf(structure);
  for (const CapturedField& captured : call.fields) {
    for (const Field& field : fields) {
      if (field.offset != captured.offset || field.direction != Direction::kOut) continue;
      std::string got;
      if (captured.value.tag == Tag::kNumber && field.depth == 0) {
        got.assign(static_cast<const char*>(args) + field.offset, field.size);
      } else if (captured.value.tag == Tag::kNumbers && field.depth == 1 &&
                 field.length_field >= 0) {
        auto* data = Load<const char*>(args, field.offset);
        uint64_t count = LengthIn(args, fields[static_cast<size_t>(field.length_field)]);
        if (data != nullptr) got.assign(data, count * field.element_size);
      } else {
        continue;
      }
      if (got == captured.value.bytes) continue;
      auto text = [&](const std::string& bytes) {
        std::string numbers;
        for (size_t i = 0; i + field.element_size <= bytes.size() && i < 512;
             i += field.element_size) {
          int64_t number = 0;
          std::memcpy(&number, bytes.data() + i, field.element_size);
          numbers += StrCat(i == 0 ? "" : ",", number);
        }
        return numbers;
      };
      ReplayDivergence divergence;
      divergence.function = reflection::Functions()[static_cast<size_t>(call.function)].name;
      divergence.output = field.name;
      divergence.got = text(got);
      divergence.wanted = text(captured.value.bytes);
      Diverge(std::move(divergence));
    }
  }
}

bool Replayer::CompareStatus(const CapturedCall& call, const Status& got, uint64_t number) {
  bool wanted_ok = call.code == 0;
  Status wanted = wanted_ok ? Status()
                            : Status(static_cast<StatusCode>(std::min<uint64_t>(
                                         call.code, PJRT_Error_Code_UNAUTHENTICATED)),
                                     call.message);
  if (wanted_ok && got.ok()) return true;
  const char* name = reflection::Functions()[static_cast<size_t>(call.function)].name;
  if (wanted_ok != got.ok()) {
    ReplayDivergence divergence;
    divergence.call = number;
    divergence.function = name;
    divergence.output = "error";
    divergence.got = got.ToString();
    divergence.wanted = wanted.ToString();
    Diverge(std::move(divergence));
  } else if (wanted.code() != got.code()) {
    Note(StrCat(name, " failed with ", StatusCodeName(got.code()), ", in the capture with ",
                StatusCodeName(wanted.code())));
  }
  return false;
}

Status Replayer::NoArguments(const CapturedCall& call, const Status& status) {
  if (status.code() == StatusCode::kUnimplemented) {
    Note(StrCat("a call is left out: ", status.message()));
    return Status();
  }
  if (status.code() != StatusCode::kNotFound) return status;
  ReplayDivergence divergence;
  divergence.function = reflection::Functions()[static_cast<size_t>(call.function)].name;
  divergence.output = "arguments";
  divergence.got = status.message();
  divergence.wanted = "a handle";
  Diverge(std::move(divergence));
  return Status();
}

void Replayer::Diverge(ReplayDivergence divergence) {
  if (divergence.call == 0) divergence.call = report_.calls;
  ++report_.divergences;
  if (!report_.first) report_.first = std::move(divergence);
}

void Replayer::Note(std::string text) {
  if (notes_.size() < kMaxNotes && notes_.insert(text).second) {
    report_.notes.push_back(std::move(text));
  }
}

}  // namespace plinth::layers
