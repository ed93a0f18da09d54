// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_CALL_PARTITIONERS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_CALL_PARTITIONERS_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "plinth/program/compile_options.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::partition {

// A call whose result nobody uses: a framework asks how the operand lies.
inline constexpr std::string_view kInspectSharding = "InspectSharding";

// Those outside of the compiler who say what becomes of a custom call on several devices.
class CallPartitioners {
 public:
  virtual ~CallPartitioners() = default;

  struct Array {
    const Type* type;
    program::OpSharding sharding;
  };
  // What one device does, in place of the call.
  struct Part {
    // Its entry takes the parts of the operands and returns those of the results; calls are
    // inlined.
    std::unique_ptr<Module> module;
    std::vector<program::OpSharding> operands, results;
  };

  // Whether somebody says it for the calls of that name.
  virtual bool Has(std::string_view target) const = 0;
  // `operands` and `results`: as they lie without the call.
  virtual Expected<Part> Partition(const Op& op, std::span<const Array> operands,
                                   std::span<const Array> results, int64_t num_partitions) = 0;
  // How the operand of an InspectSharding lies, for who asked in `backend_config`.
  virtual Status Tell(std::string_view backend_config, const program::OpSharding& sharding) = 0;
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_CALL_PARTITIONERS_H_
