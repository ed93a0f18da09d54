// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ARRAY_CALLS_H_
#define PLINTH_CONFORMANCE_CASES_ARRAY_CALLS_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/sweep_places.h"
#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

// Arrays of every kind, and each function that takes or makes one.
namespace plinth::conformance {

// An array of some type and shape, in some place.
struct ArrayKind {
  std::string name;  // "f32[3,5], last device"
  HostArray array;
  Place where;
  bool is_turned = false;  // column-major
};
std::vector<ArrayKind> ArrayKinds(Context& context);
Expected<OwnedBuffer> UploadKind(Context& context, const ArrayKind& kind);

// An array that is on the device.
struct HeldArray {
  const ArrayKind* kind = nullptr;
  OwnedBuffer buffer;
  OwnedLoadedExecutable identity;  // null where no program gives the array back
};
// With the program if `name` is the call that runs it.
Expected<HeldArray> Hold(Context& context, const ArrayKind& kind, std::string_view name);

struct ArrayCall {
  std::string name;
  std::string requirement;  // what other contents break
  // Calls a function with the array, or makes one like it; looks at what comes, and frees it.
  std::function<Status(Context&, const HeldArray&)> run;
};
std::vector<ArrayCall> ArrayCalls();

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ARRAY_CALLS_H_
