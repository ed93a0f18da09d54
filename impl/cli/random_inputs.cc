// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/random_inputs.h"

#include <string_view>

#include "impl/cli/literal.h"
#include "plinth/support/str_cat.h"

namespace plinth::cli {

Expected<std::vector<client::HostArray>> RandomInputs(const ProgramSource& source) {
  const std::string signature = SignatureOf(source);
  std::vector<client::HostArray> inputs;
  constexpr std::string_view kTensor = "tensor<";
  for (size_t at = signature.find(kTensor); at != std::string::npos;
       at = signature.find(kTensor, at + 1)) {
    size_t end = at + kTensor.size();
    for (int depth = 1; depth > 0 && end < signature.size(); ++end) {
      depth += signature[end] == '<' ? 1 : 0;
      depth -= signature[end] == '>' ? 1 : 0;
    }
    // "2x3xf32", "complex<f32>", "4x!quant..."
    std::string inner = signature.substr(at + kTensor.size(), end - at - kTensor.size() - 1);
    inner = inner.substr(0, inner.find(','));
    std::string dims, type = inner;
    while (!type.empty() && type.find('x') != std::string::npos && type[0] >= '0' &&
           type[0] <= '9') {
      const size_t x = type.find('x');
      dims += StrCat(dims.empty() ? "" : ",", type.substr(0, x));
      type = type.substr(x + 1);
    }
    if (type == "complex<f32>") type = "c64";
    if (type == "complex<f64>") type = "c128";
    PLINTH_ASSIGN_OR_RETURN(client::HostArray array,
                            ParseLiteral(StrCat(type, "[", dims, "]=random")));
    inputs.push_back(std::move(array));
  }
  return inputs;
}

}  // namespace plinth::cli
