// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_REPORT_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_REPORT_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "impl/layers/layer.h"
#include "impl/layers/validation/handle_table.h"
#include "impl/layers/validation/options.h"

namespace plinth::layers::validation {

// Whose mistake it is.
enum class Side : uint8_t { kClient, kPlugin };

// "misuse by the client [PJRT-Args-null] in call #3 of ...: <what>. Required (contract): ..."
std::string ReportText(Side side, const reflection::Requirement& requirement, Origin at,
                       const std::string& what);

// Writes one line for each misuse. Any thread.
class Reporter {
 public:
  Reporter(const Options& options, LogSink sink) : options_(options), sink_(std::move(sink)) {}

  void Report(Side side, const reflection::Requirement& requirement, Origin at,
              const std::string& what);

  const Options& options() const { return options_; }
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  const Options options_;
  const LogSink sink_;
  std::atomic<uint64_t> count_{0};
};

// "0x5581c0"
std::string Hex(uint64_t value);
inline std::string Hex(const void* address) { return Hex(reinterpret_cast<uintptr_t>(address)); }

// "call #12 of PJRT_Buffer_Delete"
std::string ToString(Origin origin);

// "created by call #5 of ..., freed by call #9 of ..."
std::string Describe(const HandleTable& table, const Handle* handle);

// "num_dims = 2, dims = {2, 3}": the fields of `args` in one direction, as far as `size` reaches.
// Lists are read only for a call that succeeded, texts never beyond 40 bytes.
std::string DescribeFields(const reflection::Struct& structure, const void* args, size_t size,
                           reflection::Direction direction);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_REPORT_H_
