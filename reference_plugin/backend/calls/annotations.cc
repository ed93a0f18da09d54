// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "reference_plugin/backend/calls/table.h"

// Calls that tell a compiler something about their operands and compute nothing. In programs of one
// device the importer has taken them away.
namespace plinth::backend {
namespace {

class CopyOperandsStep final : public PreparedStep {
 public:
  explicit CopyOperandsStep(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}

  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext&) const override {
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (sizes_[i] > 0 && operands[i] != results[i]) {
        std::memcpy(results[i], operands[i], static_cast<size_t>(sizes_[i]));
      }
    }
    return Status();
  }

 private:
  const std::vector<int64_t> sizes_;
};

Expected<std::unique_ptr<PreparedStep>> PrepareCopy(const CustomCall& call) {
  if (call.operands.size() != call.results.size()) {
    return InvalidArgument("it has ", call.operands.size(), " operands and ", call.results.size(),
                           " results; expected as many");
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < call.results.size(); ++i) {
    const CustomCallArray& operand = call.operands[i];
    const CustomCallArray& result = call.results[i];
    if (operand.dtype != result.dtype || operand.dims != result.dims ||
        operand.minor_to_major != result.minor_to_major) {
      return InvalidArgument("result ", i, " has another type or layout than operand ", i);
    }
    sizes.push_back(result.SizeInBytes());
  }
  return std::unique_ptr<PreparedStep>(new CopyOperandsStep(std::move(sizes)));
}

constexpr CustomCallRow kAnnotationRows[] = {
    {"LayoutConstraint", PrepareCopy},
    {"MoveToDevice", PrepareCopy},
    {"MoveToHost", PrepareCopy},
    {"annotate_device_placement", PrepareCopy},
};

}  // namespace

std::span<const CustomCallRow> AnnotationRows() { return kAnnotationRows; }

}  // namespace plinth::backend
