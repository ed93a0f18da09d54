// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_DESCRIPTIONS_H_
#define PLINTH_CONFORMANCE_CASES_DESCRIPTIONS_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/context.h"

// What devices and clients say of themselves, for comparison.
namespace plinth::conformance {

template <typename T>
std::vector<T> List(const T* items, size_t count) {
  return items == nullptr ? std::vector<T>() : std::vector<T>(items, items + count);
}

inline bool Contains(const auto& list, const auto& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Those of other processes too.
std::vector<PJRT_Device*> AllDevices(Context& context);

// What a description says, for comparison with another of the same device.
struct Described {
  int id = -1, process = -1;
  std::string kind, debug, text, attributes;
  friend bool operator==(const Described&, const Described&) = default;
};

Described Describe(Context& context, PJRT_DeviceDescription* description);
// "name=value", a line for each; findings about their forms name `of`.
std::string AttributesText(Context& context, const PJRT_NamedValue* values, size_t count,
                           std::string_view of);

// Compare what devices and memories of a client say with one another.
void JudgeDevices(Context& context);
void JudgeMemories(Context& context);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_DESCRIPTIONS_H_
