// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/trace_layer.h"

#include <atomic>
#include <cstring>
#include <vector>

#include "impl/layers/process_generation.h"
#include "impl/layers/trace/capture.h"
#include "impl/layers/trace/clock.h"
#include "impl/layers/trace/struct_values.h"
#include "impl/layers/trace/timeline.h"
#include "impl/layers/trace/trace_options.h"

namespace plinth::layers {
namespace {

namespace fn = reflection::function;
using reflection::Field;

// For each function the field with the handle that it destroys, or null.
std::vector<const Field*> DestroyedFields() {
  std::vector<const Field*> fields;
  for (const reflection::Function& function : reflection::Functions()) {
    const Field* destroyed = nullptr;
    if (function.args >= 0 && std::string_view(function.name).ends_with("_Destroy")) {
      for (const Field& field :
           reflection::FieldsOf(reflection::Structs()[static_cast<size_t>(function.args)])) {
        if (field.base == reflection::Base::kHandle && field.depth == 0) {
          destroyed = &field;
          break;
        }
      }
    }
    fields.push_back(destroyed);
  }
  return fields;
}

class TraceLayer : public Layer {
 public:
  explicit TraceLayer(const LayerContext& context)
      : objects_(Lower(context)), destroyed_fields_(DestroyedFields()) {}

  Status Open(const TraceOptions& options, const LayerContext& context) {
    if (!options.file.empty()) {
      PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<TimelineFile> file,
                              TimelineFile::Create(options.file, options.limit_bytes, context.log));
      timeline_ = std::make_unique<Timeline>(std::move(file), objects_, context.plugin_path);
    }
    if (!options.capture.empty()) {
      PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<CaptureFile> file,
                              CaptureFile::Create(options.capture, context.log));
      capture_ = std::make_unique<Capture>(std::move(file), objects_, options.outputs, context);
    }
    return Status();
  }

  PJRT_Error* OnCall(const Call& call) override {
    // A forked child has the parent's files, and must not write into them.
    if (!IsProcessGeneration(generation_)) return call.Next();
    if (call.id() == fn::kPJRT_Client_Destroy) {
      if (capture_ != nullptr) capture_->BeforeClientDestroy();
      if (timeline_ != nullptr) timeline_->BeforeClientDestroy();
    }
    const void* destroyed = nullptr;
    HandleTable::Taken taken;
    TakeDestroyed(call, destroyed, taken);
    std::vector<PJRT_Event*> own_events;
    int64_t start = NowNs();
    PJRT_Error* error = timeline_ != nullptr && call.id() == fn::kPJRT_LoadedExecutable_Execute
                            ? Timeline::Execute(call, own_events)
                            : call.Next();
    FinishedCall finished{call, start, NowNs(), error, destroyed, taken, std::move(own_events)};
    if (capture_ != nullptr) capture_->AfterCall(finished);
    if (timeline_ != nullptr) timeline_->AfterCall(finished);
    CountClients(call.id(), error);
    return error;
  }

 private:
  // Before the call: its address may belong to another handle as soon as the plugin has it.
  void TakeDestroyed(const Call& call, const void*& destroyed, HandleTable::Taken& taken) {
    const Field* field = destroyed_fields_[static_cast<size_t>(call.id())];
    if (field == nullptr || call.args() == nullptr) return;
    const reflection::Struct& structure =
        reflection::Structs()[static_cast<size_t>(call.function().args)];
    if (size_t{field->offset} + field->size > SizeOfStruct(structure, call.args())) return;
    std::memcpy(&destroyed, static_cast<const char*>(call.args()) + field->offset,
                sizeof(destroyed));
    if (destroyed == nullptr) return;
    taken = objects_.handles().Take(destroyed, field->target);
    if (call.id() == fn::kPJRT_LoadedExecutable_Destroy) {
      objects_.Forget(static_cast<const PJRT_LoadedExecutable*>(destroyed));
    }
  }

  void CountClients(fn::Id id, const PJRT_Error* error) {
    if (error != nullptr) return;
    if (id == fn::kPJRT_Client_Create) ++live_clients_;
    if (id == fn::kPJRT_Client_Destroy && --live_clients_ == 0) {
      objects_.handles().ForgetClientOwned();
      if (capture_ != nullptr) capture_->Finish();
    }
  }

  const uint32_t generation_ = ProcessGeneration();
  Objects objects_;
  const std::vector<const Field*> destroyed_fields_;
  std::atomic<int> live_clients_{0};
  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<Capture> capture_;
};

}  // namespace

Expected<std::unique_ptr<Layer>> CreateTraceLayer(const LayerContext& context) {
  PLINTH_ASSIGN_OR_RETURN(TraceOptions options, ParseTraceOptions(context.options));
  auto layer = std::make_unique<TraceLayer>(context);
  Status status = layer->Open(options, context);
  if (!status.ok()) return status.WithContext("trace");
  return std::unique_ptr<Layer>(std::move(layer));
}

}  // namespace plinth::layers
