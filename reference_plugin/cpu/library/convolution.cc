#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu {
Expected<std::unique_ptr<PreparedStep>> PrepareConvolution(const compiler::PlanStep& step,
                                                           const LibraryOptions& options) {
  return Unimplemented("no convolution for ", Name(step.results[0].type.dtype));
}
}  // namespace plinth::cpu
