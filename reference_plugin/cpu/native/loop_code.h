// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_CODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "reference_plugin/backend/run/native_loop.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/emit/vector_code.h"

namespace plinth::cpu::native {

// Steps of a plan as one function int32_t(const backend::NativeFrame*), and after it its constants.
// The bytes may run at any address that is a multiple of kAlignment.
class LoopCode {
 public:
  static constexpr size_t kAlignment = sizeof(emit::ConstantPool::Vector);

  // Steps [first, last]; nothing where one of them may wait, or none of them gains, or there is no
  // memory.
  static std::optional<LoopCode> Make(const compiler::plan::Plan& plan,
                                      std::span<const backend::NativeStep> steps, int32_t first,
                                      int32_t last);

  std::span<const uint8_t> bytes() const { return {code_->getCode(), code_->getSize()}; }

 private:
  std::unique_ptr<emit::Assembler> code_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_CODE_H_
