// SPDX-License-Identifier: Apache-2.0
// Generated from ops.toml by `python3 reference_plugin/ops/generate --write`. Do not edit.
// clang-format off
#ifndef PLINTH_REFERENCE_PLUGIN_OPS_WORK_CLASS_H_
#define PLINTH_REFERENCE_PLUGIN_OPS_WORK_CLASS_H_

#include <cstdint>

namespace plinth::ops {

// What an element of an op takes, in kinds that processors know. What a kind costs is
// the target's business.
enum class WorkClass : uint8_t {
  kNone,  // nothing is computed
  kSimple,  // an instruction or two
  kDivision,  // an instruction that takes many cycles
  kRoot,  // the same; counted as transcendental
  kRemainder,  // a loop or many instructions
  kFunction,  // the same; transcendental
};
inline constexpr int kNumWorkClasses = 6;

}  // namespace plinth::ops

#endif  // PLINTH_REFERENCE_PLUGIN_OPS_WORK_CLASS_H_
