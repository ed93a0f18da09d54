// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin in which every op runs: on the host, but for what TemplateDevice takes. Here that
// is the product of f32 matrices. Take op after op, and give arrays to the device by
// reference::DeviceMemory if it does not read the host's memory.

#include "plinth/reference/plugin.h"

#include <algorithm>
#include <memory>

namespace {

using plinth::DType;
using plinth::Expected;
using plinth::Status;
namespace reference = plinth::reference;
namespace sdk = plinth::sdk;

// Put the hardware here. This one adds up one product after the other.
void MultiplyMatrices(const reference::Matmul& m, const float* a, const float* b, float* c) {
  for (int64_t n = 0; n < m.batch; ++n) {
    for (int64_t i = 0; i < m.rows; ++i) {
      for (int64_t j = 0; j < m.columns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < m.inner; ++k) {
          sum += a[n * m.a.batch + i * m.a.row + k * m.a.column] *
                 b[n * m.b.batch + k * m.b.row + j * m.b.column];
        }
        c[n * m.c.batch + i * m.c.row + j * m.c.column] = sum;
      }
    }
  }
}

class TemplateDevice : public reference::Device {
 public:
  bool Takes(const reference::Step& step) const override {
    return step.matmul.has_value() && IsF32(step.operands) && IsF32(step.results);
  }

  Expected<Run> Prepare(const reference::Step& step) const override {
    return Run([m = *step.matmul](std::span<void* const> operands, std::span<void* const> results) {
      MultiplyMatrices(m, static_cast<const float*>(operands[0]),
                       static_cast<const float*>(operands[1]), static_cast<float*>(results[0]));
      return Status();
    });
  }

 private:
  static bool IsF32(const std::vector<reference::Array>& arrays) {
    return std::ranges::all_of(arrays,
                               [](const auto& array) { return array.dtype == DType::kF32; });
  }
};

class TemplatePlugin : public reference::Plugin {
 public:
  TemplatePlugin()
      : Plugin(
            {.name = "plinth_template", .version = "0.1.0", .make_device = [](const sdk::Options&) {
               return Expected<std::shared_ptr<const reference::Device>>(
                   std::make_shared<const TemplateDevice>());
             }}) {}
};

}  // namespace

PLINTH_DEFINE_PLUGIN(TemplatePlugin)
