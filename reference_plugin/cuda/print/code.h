// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_CODE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cuda/print/program.h"

// Text of functions, line by line.
namespace plinth::cuda {

// Lines with the indentation of the braces around them.
class Code {
 public:
  template <typename... Pieces>
  void Line(const Pieces&... pieces) {
    text_.append(2 * static_cast<size_t>(depth_), ' ');
    text_ += StrCat(pieces...);
    text_ += '\n';
  }
  // A line that ends in an opening brace, and what closes it.
  template <typename... Pieces>
  void Open(const Pieces&... pieces) {
    Line(pieces..., " {");
    ++depth_;
  }
  void Close() {
    --depth_;
    Line("}");
  }
  // Lines that someone else wrote, as they are.
  void Text(std::string_view text) { text_ += text; }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
};

// The function with this body and these parameters ("const char* i0"), launched with `block`
// threads. Its name follows from its text.
std::shared_ptr<const KernelText> MakeKernel(std::span<const std::string> parameters,
                                             std::string_view body, int32_t block,
                                             bool has_barriers);

// Whether `points` values of the index are numbers of 31 bits.
constexpr bool FitsS32(int64_t value) { return value >= -INT32_MAX && value <= INT32_MAX; }

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_CODE_H_
