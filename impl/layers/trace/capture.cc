// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/capture.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "impl/layers/trace/call_encoder.h"
#include "impl/layers/trace/host_array.h"
#include "plinth/support/row_major_layout.h"

namespace plinth::layers {

using capture::RecordType;
using capture::Writer;

namespace {

namespace fn = reflection::function;

constexpr uint64_t kMaxArray = uint64_t{4} << 30;
// Copies under way; an array that would exceed it is recorded as not captured.
constexpr uint64_t kMaxCopying = uint64_t{1} << 30;
constexpr size_t kMaxMessage = 1000;
constexpr std::chrono::milliseconds kMaxViewWait(2000);

Writer RecordOf(RecordType type) {
  Writer record;
  record.Byte(static_cast<uint8_t>(type));
  return record;
}

}  // namespace

// A copy of a buffer under way. Freed when it is done.
struct Capture::Copy {
  Capture* capture;
  uint64_t number;
  DType type;
  std::vector<int64_t> dims;
  std::string bytes;
};

Capture::Capture(std::unique_ptr<CaptureFile> file, Objects& objects, CapturedOutputs outputs,
                 const LayerContext& context)
    : file_(std::move(file)), objects_(objects), outputs_(outputs) {
  Writer record = RecordOf(RecordType::kRun);
  record.Varint(static_cast<uint64_t>(context.plugin_minor));
  record.Text(context.plugin_path.substr(0, kMaxMessage));
  file_->Add(record.out());
}

void Capture::AfterCall(const FinishedCall& finished) {
  // What is read comes before the call, so that it is replayed while the buffer is alive.
  if (finished.error == nullptr && outputs_ != CapturedOutputs::kNone) {
    if (finished.call.id() != fn::kPJRT_LoadedExecutable_Execute) AddReads(finished);
  }
  AddCall(finished);
  if (finished.error == nullptr && outputs_ == CapturedOutputs::kAll &&
      finished.call.id() == fn::kPJRT_LoadedExecutable_Execute) {
    AddReads(finished);
  }
}

std::optional<std::string_view> Capture::ArrayOf(const FinishedCall& finished,
                                                 std::string& storage) {
  if (finished.error != nullptr) return std::nullopt;
  if (finished.call.id() == fn::kPJRT_Client_CreateViewOfDeviceBuffer) {
    return ViewOf(finished, storage);
  }
  if (finished.call.id() == fn::kPJRT_AsyncHostToDeviceTransferManager_TransferLiteral) {
    return LiteralOf(finished);
  }
  if (finished.call.id() != fn::kPJRT_Client_BufferFromHostBuffer) return std::nullopt;
  auto* args = finished.ArgsTo(&PJRT_Client_BufferFromHostBuffer_Args::buffer);
  if (args == nullptr) return std::nullopt;
  std::optional<DType> type = DTypeFromC(RawEnum(args->type));
  if (!type) return std::nullopt;
  std::span<const int64_t> dims(args->dims, args->num_dims);
  std::optional<uint64_t> size = DenseSize(*type, dims, kMaxArray);
  if (size == 0u) return std::string_view();
  if (!size || args->data == nullptr) return std::nullopt;
  if (args->byte_strides == nullptr || args->num_byte_strides != args->num_dims) {
    return std::string_view(static_cast<const char*>(args->data), *size);
  }
  storage = Gather(*type, dims, {args->byte_strides, args->num_byte_strides}, args->data);
  return storage;
}

// Bytes in the order that the call's layout says; with strides that is not the array alone.
std::optional<std::string_view> Capture::LiteralOf(const FinishedCall& finished) {
  using Args = PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args;
  const auto* args = finished.ArgsTo(&Args::done_with_h2d_transfer);
  if (args == nullptr) return std::nullopt;
  const PJRT_Buffer_MemoryLayout* layout = args->shape_layout;
  if (layout != nullptr && (RawEnum(layout->type) != PJRT_Buffer_MemoryLayout_Type_Tiled ||
                            layout->tiled.num_tiles != 0)) {
    return std::nullopt;
  }
  std::optional<DType> type = DTypeFromC(RawEnum(args->shape_element_type));
  if (!type) return std::nullopt;
  std::optional<uint64_t> size =
      DenseSize(*type, {args->shape_dims, args->shape_num_dims}, kMaxArray);
  if (size == 0u) return std::string_view();
  if (!size || args->data == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(args->data), *size);
}

std::optional<std::string_view> Capture::ViewOf(const FinishedCall& finished,
                                                std::string& storage) {
  auto* args = finished.ArgsTo(&PJRT_Client_CreateViewOfDeviceBuffer_Args::buffer);
  std::unique_ptr<Copy> copy;
  PJRT_Event* event = nullptr;
  if (args == nullptr || args->buffer == nullptr || !StartCopy(args->buffer, copy, event)) {
    return std::nullopt;
  }
  // Memory that is lent to the plugin holds its contents already, as a rule.
  auto is_ready = MakeArgs<PJRT_Event_IsReady_Args>();
  is_ready.event = event;
  auto end = std::chrono::steady_clock::now() + kMaxViewWait;
  while (objects_.lower()(is_ready).ok() && !is_ready.is_ready &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  bool is_copied = false;
  if (is_ready.is_ready) {
    auto error = MakeArgs<PJRT_Event_Error_Args>();
    error.event = event;
    is_copied = objects_.lower()(error).ok();
    copies_.End(copy->bytes.size());
    storage = std::move(copy->bytes);
  } else {
    // The plugin may still write into it.
    copies_.End(copy->bytes.size());
    static_cast<void>(copy.release());
  }
  objects_.lower().DestroyEvent(event);
  return is_copied ? std::optional<std::string_view>(storage) : std::nullopt;
}

void Capture::AddCall(const FinishedCall& finished) {
  thread_local const auto thread = static_cast<uint64_t>(syscall(SYS_gettid));
  const reflection::Function& function = finished.call.function();
  int extension =
      function.table < 0 ? -1 : reflection::Tables()[static_cast<size_t>(function.table)].type;
  Writer record = RecordOf(RecordType::kCall);
  record.Varint(thread);
  record.Varint(static_cast<uint64_t>(extension) + 1);
  record.Varint(static_cast<uint64_t>(function.slot));
  Status status = finished.error == nullptr ? Status() : PeekError(finished.error);
  record.Varint(static_cast<uint64_t>(status.code()));
  record.Text(status.message().substr(0, kMaxMessage));
  std::string storage;
  std::optional<std::string_view> array = ArrayOf(finished, storage);
  EncodeFields(finished, objects_, array ? &*array : nullptr, *file_, record);
  file_->Add(record.out());
}

void Capture::AddReads(const FinishedCall& finished) {
  switch (finished.call.id()) {
    case fn::kPJRT_LoadedExecutable_Execute: {
      auto* args = finished.ArgsTo(&PJRT_LoadedExecutable_Execute_Args::output_lists);
      if (args == nullptr || args->output_lists == nullptr) return;
      size_t outputs = objects_.Find(args->executable)->num_outputs;
      for (size_t device = 0; device < args->num_devices; ++device) {
        for (size_t i = 0; i < outputs; ++i) Read(args->output_lists[device][i]);
      }
      return;
    }
    case fn::kPJRT_Buffer_ToHostBuffer: {
      auto* args = finished.ArgsTo(&PJRT_Buffer_ToHostBuffer_Args::dst);
      if (args != nullptr && args->dst != nullptr) Read(args->src);
      return;
    }
    case fn::kPJRT_Buffer_CopyRawToHost:
      if (auto* args = finished.ArgsTo(&PJRT_Buffer_CopyRawToHost_Args::buffer)) {
        Read(args->buffer);
      }
      return;
    case fn::kPJRT_Buffer_CopyRawToHostFuture:
      if (auto* args = finished.ArgsTo(&PJRT_Buffer_CopyRawToHostFuture_Args::buffer)) {
        Read(args->buffer);
      }
      return;
    case fn::kPJRT_Buffer_UnsafePointer:
      if (auto* args = finished.ArgsTo(&PJRT_Buffer_UnsafePointer_Args::buffer)) {
        Read(args->buffer);
      }
      return;
    case fn::kPJRT_Buffer_OpaqueDeviceMemoryDataPointer:
      if (auto* args = finished.ArgsTo(&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer)) {
        Read(args->buffer);
      }
      return;
    default:
      return;
  }
}

bool Capture::StartCopy(PJRT_Buffer* buffer, std::unique_ptr<Copy>& copy, PJRT_Event*& event) {
  const Lower& lower = objects_.lower();
  auto type = MakeArgs<PJRT_Buffer_ElementType_Args>();
  type.buffer = buffer;
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = buffer;
  if (!lower(type).ok() || !lower(dims).ok()) return false;
  std::optional<DType> dtype = DTypeFromC(RawEnum(type.type));
  if (!dtype || (dims.dims == nullptr && dims.num_dims > 0)) return false;
  copy = std::make_unique<Copy>();
  copy->capture = this;
  copy->type = *dtype;
  if (dims.num_dims > 0) copy->dims.assign(dims.dims, dims.dims + dims.num_dims);
  std::optional<uint64_t> size = DenseSize(*dtype, copy->dims, kMaxArray);
  if (!size) return false;

  RowMajorLayout layout(copy->dims.size());
  auto query = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  query.src = buffer;
  query.host_layout = layout.get();
  if (!lower(query).ok()) {
    // A plugin that knows no layouts gives this one.
    query.host_layout = nullptr;
    if (!lower(query).ok()) return false;
  }
  if (query.dst_size > kMaxArray) return false;
  if (!copies_.Begin(query.dst_size, kMaxCopying)) return false;
  copy->bytes.resize(query.dst_size);
  auto to_host = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  to_host.src = buffer;
  to_host.host_layout = query.host_layout;
  // Not null, which would ask for the size.
  to_host.dst = copy->bytes.data();
  to_host.dst_size = copy->bytes.size();
  if (!lower(to_host).ok() || to_host.event == nullptr) {
    copies_.End(query.dst_size);
    return false;
  }
  event = to_host.event;
  return true;
}

void Capture::Read(PJRT_Buffer* buffer) {
  HandleTable& handles = objects_.handles();
  uint64_t id = handles.IdOf(buffer, reflection::handle::kPJRT_Buffer);
  if (id == 0 || !handles.MarkRead(buffer)) return;
  uint64_t number = next_read_.fetch_add(1, std::memory_order_relaxed);
  std::unique_ptr<Copy> copy;
  PJRT_Event* event = nullptr;
  bool is_started = StartCopy(buffer, copy, event);
  Writer record = RecordOf(RecordType::kRead);
  record.Varint(number);
  record.Varint(id);
  record.Varint(copy == nullptr ? 0 : static_cast<uint64_t>(copy->type));
  record.Numbers(copy == nullptr ? nullptr : copy->dims.data(),
                 copy == nullptr ? 0 : copy->dims.size(), sizeof(int64_t));
  file_->Add(record.out());
  if (!is_started) return AddOutput(number, capture::kNotCaptured, {});
  copy->number = number;
  Copy* under_way = copy.release();
  if (!objects_.lower().OnReady(event, &Capture::CopyDone, under_way)) {
    // Nobody will say when the memory is free: it stays.
    copies_.End(under_way->bytes.size());
    AddOutput(number, capture::kNotCaptured, {});
  }
  objects_.lower().DestroyEvent(event);
}

void Capture::AddOutput(uint64_t number, uint64_t code, std::string_view bytes) {
  Writer record = RecordOf(RecordType::kOutput);
  record.Varint(number);
  record.Varint(code);
  file_->AddBlob(bytes, record);
  file_->Add(record.out());
}

void Capture::CopyDone(PJRT_Error* error, void* user_arg) {
  std::unique_ptr<Copy> copy(static_cast<Copy*>(user_arg));
  Status status = TakeError(error);
  copy->capture->AddOutput(copy->number, static_cast<uint64_t>(status.code()),
                           status.ok() ? std::string_view(copy->bytes) : std::string_view());
  copy->capture->copies_.End(copy->bytes.size());
}

}  // namespace plinth::layers
