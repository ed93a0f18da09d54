// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/timeline.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "impl/layers/trace/clock.h"
#include "impl/layers/trace/json_arguments.h"
#include "impl/layers/trace/json_text.h"
#include "impl/layers/trace/struct_values.h"

namespace plinth::layers {
namespace {

namespace fn = reflection::function;

// Counters are written at most this often.
constexpr int64_t kCounterPeriodNs = 200'000;

int ThisThread() {
  thread_local int thread = static_cast<int>(syscall(SYS_gettid));
  return thread;
}

// What events of all kinds begin with.
void Head(JsonText& json, std::string_view phase, std::string_view category, int process,
          int thread, int64_t time_ns) {
  json.Raw("{\"ph\":\"");
  json.Raw(phase);
  json.Raw("\",\"cat\":\"");
  json.Raw(category);
  json.Raw("\",\"pid\":");
  json.Number(process);
  json.Raw(",\"tid\":");
  json.Number(thread);
  json.Raw(",\"ts\":");
  json.Microseconds(time_ns);
}

}  // namespace

// Something that goes on after its call has returned. Freed by its end.
struct Timeline::Span {
  Timeline* timeline;
  uint64_t number;
  const char* category;
  std::string name;
};

Timeline::Timeline(std::unique_ptr<TimelineFile> file, Objects& objects,
                   std::string_view plugin_path)
    : file_(std::move(file)), objects_(objects), process_(getpid()), number_([] {
        static constinit std::atomic<uint64_t> next{1};
        return next.fetch_add(1, std::memory_order_relaxed);
      }()) {
  JsonText json;
  json.Raw("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":");
  json.Number(process_);
  json.Raw(",\"args\":{\"name\":");
  json.String(plugin_path);
  json.Close("}}");
  file_->Add(json.text());
}

void Timeline::NameThread(int thread) {
  thread_local uint64_t named_in = 0;
  if (std::exchange(named_in, number_) == number_) return;
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  JsonText json;
  json.Raw("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":");
  json.Number(process_);
  json.Raw(",\"tid\":");
  json.Number(thread);
  json.Raw(",\"args\":{\"name\":");
  json.String(name);
  json.Close("}}");
  file_->Add(json.text());
}

void Timeline::AfterCall(const FinishedCall& finished) {
  AddCall(finished);
  AddCounters(finished);
  if (finished.error == nullptr) AddSpans(finished);
}

void Timeline::AddCall(const FinishedCall& finished) {
  const reflection::Function& function = finished.call.function();
  int thread = ThisThread();
  NameThread(thread);
  JsonText json;
  Head(json, "X", function.table < 0 ? "core" : "extension", process_, thread, finished.start_ns);
  json.Raw(",\"dur\":");
  json.Microseconds(finished.end_ns - finished.start_ns);
  json.Raw(",\"name\":");
  json.String(function.name.view());
  json.Raw(",\"args\":");
  AppendArguments(finished, objects_, json);
  json.Close("}");
  file_->Add(json.text());
}

void Timeline::Begin(std::unique_ptr<Span> span, int64_t start_ns, uint64_t bytes,
                     PJRT_Event* event) {
  JsonText json;
  Head(json, "b", span->category, process_, ThisThread(), start_ns);
  json.Raw(",\"id\":");
  json.Number(span->number);
  json.Raw(",\"name\":");
  json.String(span->name);
  json.Raw(",\"args\":{");
  if (bytes > 0) {
    json.Raw("\"bytes\":");
    json.Number(bytes);
  }
  json.Close("}}");
  file_->Add(json.text());
  spans_.Begin(0, 0);
  if (objects_.lower().OnReady(event, &Timeline::End, span.get())) {
    static_cast<void>(span.release());
  } else {
    spans_.End(0);
  }
}

void Timeline::End(PJRT_Error* error, void* user_arg) {
  std::unique_ptr<Span> span(static_cast<Span*>(user_arg));
  Status status = TakeError(error);
  JsonText json;
  Head(json, "e", span->category, span->timeline->process_, ThisThread(), NowNs());
  json.Raw(",\"id\":");
  json.Number(span->number);
  json.Raw(",\"name\":");
  json.String(span->name);
  json.Raw(",\"args\":{");
  if (!status.ok()) {
    json.Raw("\"error\":");
    json.String(status.ToString(), 300);
  }
  json.Close("}}");
  span->timeline->file_->Add(json.text());
  span->timeline->spans_.End(0);
}

PJRT_Error* Timeline::Execute(const Call& call, std::vector<PJRT_Event*>& own_events) {
  constexpr size_t kMaxDevices = 65536;
  auto* args = static_cast<PJRT_LoadedExecutable_Execute_Args*>(call.args());
  if (args == nullptr ||
      !HasField(*args, &PJRT_LoadedExecutable_Execute_Args::device_complete_events) ||
      args->device_complete_events != nullptr || args->num_devices > kMaxDevices) {
    return call.Next();
  }
  own_events.resize(args->num_devices);
  auto below = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  size_t size = std::min(SizeOf(*args), sizeof(below));
  std::memcpy(&below, args, size);
  below.struct_size = size;
  below.device_complete_events = own_events.data();
  PJRT_Error* error = call.Below(call.id(), &below);
  if (error != nullptr) own_events.clear();
  return error;
}

void Timeline::Executions(const FinishedCall& finished) {
  auto* args = finished.ArgsTo(&PJRT_LoadedExecutable_Execute_Args::device_complete_events);
  if (args == nullptr) return;
  PJRT_Event* const* events =
      finished.own_events.empty() ? args->device_complete_events : finished.own_events.data();
  if (events == nullptr) return;
  std::string name = objects_.Find(args->executable)->name;
  for (size_t device = 0; device < args->num_devices; ++device) {
    std::string span_name = args->num_devices == 1 ? name : StrCat(name, " (device ", device, ")");
    Begin(std::unique_ptr<Span>(new Span{this, next_span_++, "execution", std::move(span_name)}),
          finished.start_ns, 0, events[device]);
  }
  for (PJRT_Event* event : finished.own_events) objects_.lower().DestroyEvent(event);
}

void Timeline::Transfer(const FinishedCall& finished, std::string name, uint64_t bytes,
                        PJRT_Event* event) {
  Begin(std::unique_ptr<Span>(new Span{this, next_span_++, "transfer", std::move(name)}),
        finished.start_ns, bytes, event);
}

void Timeline::TransferToBuffer(const FinishedCall& finished, std::string name,
                                PJRT_Buffer* buffer) {
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  if (buffer == nullptr || !objects_.lower()(ready).ok()) return;
  Transfer(finished, std::move(name), BytesOf(buffer), ready.event);
  objects_.lower().DestroyEvent(ready.event);
}

void Timeline::AddSpans(const FinishedCall& finished) {
  switch (finished.call.id()) {
    case fn::kPJRT_LoadedExecutable_Execute:
      return Executions(finished);
    case fn::kPJRT_Client_BufferFromHostBuffer:
      if (auto* args = finished.ArgsTo(&PJRT_Client_BufferFromHostBuffer_Args::buffer)) {
        TransferToBuffer(finished, "host to device", args->buffer);
      }
      return;
    case fn::kPJRT_Buffer_ToHostBuffer:
      if (auto* args = finished.ArgsTo(&PJRT_Buffer_ToHostBuffer_Args::event);
          args != nullptr && args->dst != nullptr) {
        Transfer(finished, "device to host", args->dst_size, args->event);
      }
      return;
    case fn::kPJRT_Buffer_CopyRawToHost:
      if (auto* args = finished.ArgsTo(&PJRT_Buffer_CopyRawToHost_Args::event)) {
        Transfer(finished, "device to host", static_cast<uint64_t>(args->transfer_size),
                 args->event);
      }
      return;
    case fn::kPJRT_AsyncHostToDeviceTransferManager_TransferData:
      if (auto* args = finished.ArgsTo(
              &PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::done_with_h2d_transfer)) {
        Transfer(finished, "host to device", static_cast<uint64_t>(args->transfer_size),
                 args->done_with_h2d_transfer);
      }
      return;
    case fn::kPJRT_Buffer_CopyToDevice:
      if (auto* args = finished.ArgsTo(&PJRT_Buffer_CopyToDevice_Args::dst_buffer)) {
        TransferToBuffer(finished, "device to device", args->dst_buffer);
      }
      return;
    case fn::kPJRT_Buffer_CopyToMemory:
      if (auto* args = finished.ArgsTo(&PJRT_Buffer_CopyToMemory_Args::dst_buffer)) {
        TransferToBuffer(finished, "memory to memory", args->dst_buffer);
      }
      return;
    default:
      return;
  }
}

uint64_t Timeline::BytesOf(PJRT_Buffer* buffer) const {
  auto size = MakeArgs<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  size.buffer = buffer;
  return objects_.lower()(size).ok() ? size.on_device_size_in_bytes : 0;
}

void Timeline::CountBuffer(PJRT_Buffer* buffer) {
  if (buffer == nullptr) return;
  objects_.handles().IdOf(buffer, reflection::handle::kPJRT_Buffer);
  uint64_t bytes = BytesOf(buffer);
  if (!objects_.handles().SetBytes(buffer, bytes)) return;
  live_buffers_.fetch_add(1, std::memory_order_relaxed);
  live_bytes_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

void Timeline::CountNewBuffers(const FinishedCall& finished) {
  const reflection::Struct& structure =
      reflection::Structs()[static_cast<size_t>(finished.call.function().args)];
  size_t size = SizeOfStruct(structure, finished.call.args());
  for (const reflection::Field& field : reflection::FieldsOf(structure)) {
    if (field.base != reflection::Base::kHandle || field.depth != 0 ||
        field.target != reflection::handle::kPJRT_Buffer ||
        field.direction != reflection::Direction::kOut ||
        size_t{field.offset} + field.size > size) {
      continue;
    }
    PJRT_Buffer* buffer;
    std::memcpy(&buffer, static_cast<const char*>(finished.call.args()) + field.offset,
                sizeof(buffer));
    CountBuffer(buffer);
  }
  if (finished.call.id() != fn::kPJRT_LoadedExecutable_Execute) return;
  auto* args = finished.ArgsTo(&PJRT_LoadedExecutable_Execute_Args::output_lists);
  if (args == nullptr || args->output_lists == nullptr) return;
  size_t outputs = objects_.Find(args->executable)->num_outputs;
  for (size_t device = 0; device < args->num_devices; ++device) {
    for (size_t i = 0; i < outputs; ++i) CountBuffer(args->output_lists[device][i]);
  }
}

void Timeline::AddCounters(const FinishedCall& finished) {
  int64_t buffers = live_buffers_, bytes = live_bytes_;
  if (finished.taken.counted) {
    live_buffers_.fetch_sub(1, std::memory_order_relaxed);
    live_bytes_.fetch_sub(static_cast<int64_t>(finished.taken.bytes), std::memory_order_relaxed);
  } else if (finished.error == nullptr && finished.call.id() == fn::kPJRT_Buffer_Delete) {
    if (auto* args = finished.ArgsTo(&PJRT_Buffer_Delete_Args::buffer)) {
      live_bytes_.fetch_sub(static_cast<int64_t>(objects_.handles().TakeBytes(args->buffer)),
                            std::memory_order_relaxed);
    }
  } else if (finished.error == nullptr) {
    CountNewBuffers(finished);
  }
  bool is_end = finished.call.id() == fn::kPJRT_Client_Destroy;
  if (!is_end && buffers == live_buffers_ && bytes == live_bytes_) return;
  int64_t last = counters_written_ns_.load(std::memory_order_relaxed);
  if (!is_end && finished.end_ns - last < kCounterPeriodNs) return;
  if (counters_written_ns_.compare_exchange_strong(last, finished.end_ns) || is_end) {
    WriteCounters(finished.end_ns);
  }
}

void Timeline::WriteCounters(int64_t now_ns) {
  JsonText json;
  Head(json, "C", "memory", process_, ThisThread(), now_ns);
  json.Raw(",\"name\":\"live buffers\",\"args\":{\"buffers\":");
  json.Number(live_buffers_.load());
  json.Close("}}");
  file_->Add(json.text());
  JsonText bytes;
  Head(bytes, "C", "memory", process_, ThisThread(), now_ns);
  bytes.Raw(",\"name\":\"live bytes\",\"args\":{\"bytes\":");
  bytes.Number(live_bytes_.load());
  bytes.Close("}}");
  file_->Add(bytes.text());
}

}  // namespace plinth::layers
