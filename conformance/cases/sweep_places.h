// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_SWEEP_PLACES_H_
#define PLINTH_CONFORMANCE_CASES_SWEEP_PLACES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/context.h"

// What sweeps over transfers say of a buffer: how it lies, and where.
namespace plinth::conformance {

// A layout in which the dimensions have another order; null for "none". Elements have `bytes`.
class HostLayout {
 public:
  HostLayout(std::string_view how, const std::vector<int64_t>& dims, int64_t bytes);
  PJRT_Buffer_MemoryLayout* get() { return is_there_ ? &layout_ : nullptr; }
  const std::vector<int64_t>& byte_strides() const { return strides_; }

 private:
  std::vector<int64_t> order_, strides_;
  PJRT_Buffer_MemoryLayout layout_ = MakeArgs<PJRT_Buffer_MemoryLayout>();
  bool is_there_;
};

// A place for a buffer: on the first device or the last, named by device or by memory.
struct Place {
  PJRT_Device* device = nullptr;  // as the caller says it
  PJRT_Memory* memory = nullptr;
  PJRT_Device* wanted_device = nullptr;  // where the buffer has to be
  PJRT_Memory* wanted_memory = nullptr;
};

const std::vector<std::string>& Places();
// And where the memory wins over a device that is named beside it.
inline constexpr char kMemoryNotDevice[] = "memory, and the last device";
// Nothing, with UNSUPPORTED, where there is no such place.
std::optional<Place> PlaceNamed(Context& context, std::string_view how);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_SWEEP_PLACES_H_
