// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/code.h"

#include <string>

#include "plinth/support/sha256.h"

namespace plinth::cuda {

std::shared_ptr<const KernelText> MakeKernel(std::span<const std::string> parameters,
                                             std::string_view body, int32_t block,
                                             bool has_barriers) {
  // Names of 80 bits of the digest: no two texts of one program, or of one cache, share one.
  constexpr size_t kNameDigits = 20;
  const std::string start = StrCat("extern \"C\" __global__ void __launch_bounds__(", block, ") ");
  std::string rest = "(";
  for (size_t i = 0; i < parameters.size(); ++i) rest += StrCat(i > 0 ? ", " : "", parameters[i]);
  rest += StrCat(") {\n", body, "}\n");
  auto kernel = std::make_shared<KernelText>();
  kernel->name = StrCat("k", Sha256(StrCat(start, rest)).substr(0, kNameDigits));
  kernel->text = StrCat(start, kernel->name, rest);
  kernel->has_barriers = has_barriers;
  return kernel;
}

std::string_view Prelude() {
  static constexpr std::string_view kText =
#include "reference_plugin/cuda/print/prelude.inc"
      ;
  return kText;
}

}  // namespace plinth::cuda
