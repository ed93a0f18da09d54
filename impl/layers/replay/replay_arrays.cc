// SPDX-License-Identifier: Apache-2.0
// The parts of a replay that move arrays: buffers from the host, executions, and comparison.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "impl/layers/replay/compare.h"
#include "impl/layers/replay/replayer.h"
#include "impl/layers/trace/host_array.h"
#include "plinth/support/row_major_layout.h"

namespace plinth::layers {

using capture::Tag;

Status Replayer::CreateClient(const CapturedCall& call) {
  if (call.code != 0) return Status();
  auto create = MakeArgs<PJRT_Client_Create_Args>();
  std::vector<NamedValue> values;
  if (options_.create_options) {
    values = *options_.create_options;
  } else if (const CapturedValue* captured = call.Find("create_options")) {
    values = captured->named_values;
  }
  for (const NamedValue& value : values) {
    const int64_t* nodes = std::get_if<int64_t>(&value.value);
    if (value.name == "num_nodes" && nodes != nullptr && *nodes > 1) {
      return Unimplemented("the capture is one process of ", *nodes,
                           " that ran together; such a run cannot be replayed alone");
    }
  }
  NamedValueArray array(std::move(values));
  create.create_options = array.data();
  create.num_options = array.size();
  Status status = call_(create);
  if (!status.ok()) return status.WithContext("the plugin makes no client");
  MapOutputs(call, &create);
  return Status();
}

Status Replayer::OtherSize(size_t bytes) const {
  return Status(StatusCode::kDataLoss, StrCat("call ", report_.calls, " of the capture brings in ",
                                              bytes, " bytes for an array of another size"));
}

Status Replayer::MakeBuffer(const CapturedCall& call, PJRT_Client_BufferFromHostBuffer_Args& args,
                            const std::string& dense) {
  std::optional<DType> type = DTypeFromC(RawEnum(args.type));
  std::span<const int64_t> dims(args.dims, args.dims == nullptr ? 0 : args.num_dims);
  std::optional<uint64_t> size =
      type ? DenseSize(*type, dims, options_.memory_limit) : std::nullopt;
  if (!size || *size != dense.size()) return OtherSize(dense.size());
  // The original strides, unless there would be much more gap than array.
  std::string strided;
  std::optional<StridedExtent> extent;
  if (args.byte_strides != nullptr) {
    extent = ExtentOf(*type, dims, {args.byte_strides, args.num_byte_strides},
                      4 * *size + (uint64_t{1} << 20));
  }
  if (extent) {
    strided.resize(extent->size);
    Scatter(*type, dims, {args.byte_strides, args.num_byte_strides}, dense,
            strided.data() + extent->origin);
    args.data = strided.data() + extent->origin;
  } else {
    args.data = dense.data();
    args.byte_strides = nullptr;
    args.num_byte_strides = 0;
  }
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  if (!CompareStatus(call, call_(args))) return Status();
  // The event that ends a loan of the memory; there is none under these semantics.
  if (call.Find("done_with_host_buffer") == nullptr && args.done_with_host_buffer != nullptr) {
    if (!call_.WaitUntilReady(args.done_with_host_buffer, LimitEnd())) return NotReady("a loan");
    return call_.TakeEvent(args.done_with_host_buffer);
  }
  return Status();
}

Status Replayer::BufferFromHost(const CapturedCall& call) {
  const CapturedValue* data = call.Find("data");
  if (call.code != 0) return Status();  // what was refused may have been anything
  ArgsBuilder builder(handles_);
  Expected<void*> built = builder.Build(
      reflection::Get(reflection::structure::kPJRT_Client_BufferFromHostBuffer_Args), call.fields);
  if (!built.ok()) return NoArguments(call, built.status());
  if (data == nullptr || data->tag != Tag::kHostData) {
    Note("an array that the client brought in is not in the capture");
    return Status();
  }
  auto& args = *static_cast<PJRT_Client_BufferFromHostBuffer_Args*>(*built);
  PLINTH_RETURN_IF_ERROR(MakeBuffer(call, args, data->bytes));
  MapOutputs(call, &args);
  return Status();
}

// Memory of the captured process that was lent to the plugin is a copy here.
Status Replayer::View(const CapturedCall& call) {
  const CapturedValue* data = call.Find("device_buffer_ptr");
  if (call.code != 0) return Status();
  ArgsBuilder builder(handles_);
  Expected<void*> built = builder.Build(
      reflection::Get(reflection::structure::kPJRT_Client_CreateViewOfDeviceBuffer_Args),
      call.fields);
  if (!built.ok()) return NoArguments(call, built.status());
  if (data == nullptr || data->tag != Tag::kHostData) {
    Note("memory that the client lent to the plugin is not in the capture");
    return Status();
  }
  auto& view = *static_cast<PJRT_Client_CreateViewOfDeviceBuffer_Args*>(*built);
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = view.client;
  args.type = view.element_type;
  args.dims = view.dims;
  args.num_dims = view.num_dims;
  args.device = view.device;
  args.memory = view.memory;
  PLINTH_RETURN_IF_ERROR(MakeBuffer(call, args, data->bytes));
  view.buffer = args.buffer;
  MapOutputs(call, &view);
  return Status();
}

Status Replayer::TransferLiteral(const CapturedCall& call) {
  const CapturedValue* data = call.Find("data");
  if (call.code != 0) return Status();
  ArgsBuilder builder(handles_);
  Expected<void*> built = builder.Build(
      reflection::Get(
          reflection::structure::kPJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args),
      call.fields);
  if (!built.ok()) return NoArguments(call, built.status());
  if (data == nullptr || data->tag != Tag::kHostData) {
    Note("an array that the client transferred is not in the capture");
    return Status();
  }
  auto& args = *static_cast<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args*>(*built);
  std::optional<DType> type = DTypeFromC(RawEnum(args.shape_element_type));
  std::span<const int64_t> dims(args.shape_dims,
                                args.shape_dims == nullptr ? 0 : args.shape_num_dims);
  std::optional<uint64_t> size =
      type ? DenseSize(*type, dims, options_.memory_limit) : std::nullopt;
  if (!size || *size != data->bytes.size()) return OtherSize(data->bytes.size());
  args.data = data->bytes.data();
  if (!CompareStatus(call, call_(args))) return Status();
  MapOutputs(call, &args);
  return AwaitInputs(call, &args);
}

Status Replayer::Execute(const CapturedCall& call) {
  const reflection::Struct& structure =
      reflection::Get(reflection::structure::kPJRT_LoadedExecutable_Execute_Args);
  ArgsBuilder builder(handles_);
  Expected<void*> built = builder.Build(structure, call.fields);
  if (!built.ok()) return NoArguments(call, built.status());
  auto& args = *static_cast<PJRT_LoadedExecutable_Execute_Args*>(*built);
  const CapturedValue* outputs = call.Find("output_lists");
  const CapturedValue* arguments = call.Find("argument_lists");
  if (args.options == nullptr || arguments == nullptr || args.executable == nullptr) {
    return Status(StatusCode::kDataLoss, "an execution in the capture lacks its arguments");
  }
  if (args.options->num_send_ops > 0 || args.options->num_recv_ops > 0 ||
      args.options->num_hlo_output_callbacks > 0) {
    Note("an execution with callbacks into the client cannot be replayed");
    return Status();
  }
  if (arguments->tag == Tag::kHandleLists) {
    args.num_devices = arguments->outer_count;
  } else if (outputs != nullptr && outputs->tag == Tag::kHandleLists) {
    args.num_devices = outputs->outer_count;
  }
  constexpr size_t kMaxDevices = 65536;
  if (args.num_devices > kMaxDevices ||
      (args.num_devices > 0 && args.num_args > 0 && args.argument_lists == nullptr)) {
    return Status(StatusCode::kDataLoss, "an execution in the capture lacks its arguments");
  }

  auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = args.executable;
  auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
  PLINTH_RETURN_IF_ERROR(call_(get));
  count.executable = get.executable;
  Status counted = call_(count);
  auto destroy = MakeArgs<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  PLINTH_RETURN_IF_ERROR(call_(destroy));
  PLINTH_RETURN_IF_ERROR(counted);

  size_t num_outputs = count.num_outputs;
  std::vector<std::vector<PJRT_Buffer*>> results(args.num_devices,
                                                 std::vector<PJRT_Buffer*>(num_outputs));
  std::vector<PJRT_Buffer**> lists(args.num_devices);
  for (size_t i = 0; i < lists.size(); ++i) lists[i] = results[i].data();
  std::vector<PJRT_Event*> events(args.num_devices);
  args.output_lists = lists.data();
  const CapturedValue* captured_events = call.Find("device_complete_events");
  bool maps_events = captured_events != nullptr && captured_events->tag == Tag::kHandles;
  args.device_complete_events = maps_events ? events.data() : nullptr;
  Status executed = call_(args);
  if (!CompareStatus(call, executed)) {
    for (const auto& list : results) {
      for (PJRT_Buffer* buffer : list) {
        if (executed.ok() && buffer != nullptr) {
          DestroyHandle({buffer, reflection::handle::kPJRT_Buffer, true});
        }
      }
    }
    return Status();
  }

  for (size_t i = 0; i < events.size(); ++i) {
    ReplayedHandle event{events[i], reflection::handle::kPJRT_Event, true};
    if (event.handle == nullptr) continue;
    uint64_t id = maps_events && i < captured_events->ids.size() ? captured_events->ids[i] : 0;
    if (id != 0) {
      Map(id, event);
    } else {
      DestroyHandle(event);  // an error shows on the outputs
    }
  }
  size_t captured_outputs =
      outputs != nullptr && outputs->tag == Tag::kHandleLists ? outputs->inner_count : 0;
  for (size_t device = 0; device < results.size(); ++device) {
    for (size_t i = 0; i < num_outputs; ++i) {
      ReplayedHandle handle{results[device][i],
                            reflection::handle::kPJRT_Buffer,
                            true,
                            report_.calls,
                            call.function,
                            static_cast<int>(device),
                            static_cast<int>(i)};
      bool is_captured = i < captured_outputs && device < outputs->outer_count;
      uint64_t id = is_captured ? outputs->ids[device * captured_outputs + i] : 0;
      if (id != 0 && handle.handle != nullptr) {
        Map(id, handle);
      } else if (handle.handle != nullptr) {
        DestroyHandle(handle);
      }
    }
  }
  if (captured_outputs != num_outputs && outputs != nullptr) {
    ReplayDivergence divergence;
    divergence.function = "PJRT_LoadedExecutable_Execute";
    divergence.output = "number of outputs";
    divergence.got = StrCat(num_outputs);
    divergence.wanted = StrCat(captured_outputs);
    Diverge(std::move(divergence));
  }
  return Status();
}

Status Replayer::StartRead(PJRT_Buffer* buffer, PendingRead& read) {
  std::optional<uint64_t> size = DenseSize(read.type, read.dims, options_.memory_limit);
  if (!size || *size > options_.memory_limit - pending_bytes_) {
    return ResourceExhausted("an array is larger than the limit of ", options_.memory_limit,
                             " bytes for host data");
  }
  RowMajorLayout layout(read.dims.size());
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.host_layout = layout.get();
  if (!call_(args).ok()) {
    // A plugin that knows no layouts gives this one.
    args.host_layout = nullptr;
    PLINTH_RETURN_IF_ERROR(call_(args));
  }
  if (args.dst_size != *size) {
    return Unimplemented("the plugin wants ", args.dst_size, " bytes for an array of ", *size);
  }
  // Not null, which would ask for the size.
  read.bytes.reserve(std::max<uint64_t>(*size, 1));
  read.bytes.resize(*size);
  args.dst = read.bytes.data();
  args.event = nullptr;
  PLINTH_RETURN_IF_ERROR(call_(args));
  if (args.event == nullptr) return Internal("the plugin gave no event");
  read.event = args.event;
  pending_bytes_ += *size;
  read.counted = *size;
  return Status();
}

Status Replayer::OnRead(capture::Reader& reader) {
  uint64_t number = reader.Varint();
  PendingRead read;
  read.buffer = reader.Varint();
  uint64_t type = reader.Varint();
  read.dims = DecodeInt64s(reader);
  if (!reader.ok()) return Status(StatusCode::kDataLoss, "a read in the capture is broken");
  constexpr size_t kMaxPending = size_t{1} << 20;
  if (reads_.size() >= kMaxPending) {
    return Status(StatusCode::kDataLoss, "the capture reads arrays without saying what is in them");
  }
  if (reads_.contains(number)) {
    return Status(StatusCode::kDataLoss, "the capture has two reads of one number");
  }
  read.origin.call = report_.calls;
  std::optional<DType> known =
      type < kNumDTypes ? DTypeFromC(static_cast<int>(type)) : std::nullopt;
  if (known) read.type = *known;
  auto found = handles_.find(read.buffer);
  if (found == handles_.end() || found->second.type != reflection::handle::kPJRT_Buffer) {
    read.status = NotFound("buffer ", read.buffer, " was not made in this replay");
  } else if (known) {
    read.origin = found->second;
    read.status = StartRead(static_cast<PJRT_Buffer*>(found->second.handle), read);
  }
  reads_.emplace(number, std::move(read));
  return Status();
}

Status Replayer::OnOutput(capture::Reader& reader, BlobStore& blobs) {
  uint64_t number = reader.Varint();
  uint64_t code = reader.Varint();
  std::string wanted = blobs.Take(reader);
  auto found = reads_.find(number);
  if (!reader.ok() || found == reads_.end() || found->second.has_output) {
    return Status(StatusCode::kDataLoss, "an output in the capture is broken");
  }
  PendingRead& read = found->second;
  read.has_output = true;
  read.code = code;
  read.wanted = std::move(wanted);
  if (IsReady(read, WaitEnd())) {
    CompareOutput(read);
    pending_bytes_ -= read.counted;
    reads_.erase(found);
    return Status();
  }
  if (open_.empty()) return NotReady(StrCat("buffer ", read.buffer));
  ++num_put_off_;
  if (read.wanted.size() > options_.memory_limit - pending_bytes_) {
    return ResourceExhausted("the capture holds more host data at a time than the limit of ",
                             options_.memory_limit, " bytes");
  }
  pending_bytes_ += read.wanted.size();
  read.counted += read.wanted.size();
  return Status();
}

void Replayer::CompareOutput(const PendingRead& read) {
  if (read.code == capture::kNotCaptured) {
    ++report_.outputs_not_captured;
    return;
  }
  std::string dims;
  for (int64_t dim : read.dims) dims += StrCat(dims.empty() ? "" : ",", dim);
  ReplayDivergence divergence;
  // The call to look at is the one that made the array.
  divergence.call = read.origin.call;
  divergence.function =
      read.origin.function < 0
          ? "PJRT_Buffer_ToHostBuffer"
          : reflection::Functions()[static_cast<size_t>(read.origin.function)].name;
  if (read.origin.output >= 0) {
    divergence.output =
        StrCat("output ", read.origin.output, " of device ", read.origin.device, ", ");
  }
  divergence.output += StrCat("buffer ", read.buffer, " (", Name(read.type), "[", dims, "])");
  bool wanted_ok = read.code == 0;
  if (wanted_ok != read.status.ok()) {
    divergence.got = read.status.ToString();
    divergence.wanted = wanted_ok
                            ? "an array"
                            : std::string(StatusCodeName(static_cast<StatusCode>(
                                  std::min<uint64_t>(read.code, PJRT_Error_Code_UNAUTHENTICATED))));
    Diverge(std::move(divergence));
    return;
  }
  if (!wanted_ok) return;
  if (read.type == DType::kInvalid || read.wanted.size() != read.bytes.size()) {
    ++report_.outputs_unknown;
    return;
  }
  Tolerance tolerance = DefaultTolerance(read.type, read.wanted);
  if (options_.relative_tolerance >= 0) tolerance.relative = options_.relative_tolerance;
  if (options_.absolute_tolerance >= 0) tolerance.absolute = options_.absolute_tolerance;
  ++report_.outputs_compared;
  report_.bytes_compared += read.wanted.size();
  std::optional<ArrayDifference> difference = CompareArrays(
      read.type, read.dims, {read.bytes.data(), read.bytes.size()}, read.wanted, tolerance);
  if (!difference) return;
  divergence.index = std::move(difference->first);
  divergence.got = std::move(difference->got);
  divergence.wanted = std::move(difference->wanted);
  divergence.elements_different = difference->elements;
  divergence.largest_difference = difference->largest;
  Diverge(std::move(divergence));
}

}  // namespace plinth::layers
