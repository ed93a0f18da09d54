// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/builtin_layers.h"

#include "impl/layers/fault/fault_layer.h"
#include "impl/layers/trace/trace_layer.h"
#include "impl/layers/validation/validation_layer.h"

namespace plinth::layers {
namespace {

constexpr LayerEntry kLayers[] = {
    {"fault", &CreateFaultLayer,
     "makes chosen calls fail and events late: fault(PJRT_Client_Compile:3=INTERNAL; alloc:5="
     "RESOURCE_EXHAUSTED; delay events 20ms)"},
    {"trace", &CreateTraceLayer,
     "writes a timeline for Perfetto and a capture for plinth replay: trace(file=t.json,"
     "capture=run.plinth-capture,outputs=all)"},
    {"validation", &validation::CreateValidationLayer, validation::kValidationDoc},
};

}  // namespace

std::span<const LayerEntry> BuiltinLayers() { return kLayers; }

const LayerEntry* FindBuiltinLayer(std::string_view name) {
  for (const LayerEntry& entry : BuiltinLayers()) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace plinth::layers
