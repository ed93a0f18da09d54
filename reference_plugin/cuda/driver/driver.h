// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_DRIVER_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_DRIVER_H_

#include <memory>
#include <string>
#include <string_view>

#include "plinth/support/status.h"
#include "reference_plugin/cuda/driver/library_search.h"
#include "reference_plugin/cuda/driver/types.h"

namespace plinth::cuda {

// The functions of the driver by name: api.cuMemcpyHtoDAsync(...).
struct DriverFunctions {
#define PLINTH_CUDA_FUNCTION(name, since, parameters) CUresult(*name) parameters = nullptr;
#include "reference_plugin/cuda/driver/driver_functions.inc"
};

// The oldest driver that serves: that of CUDA 12.4.
inline constexpr int kOldestDriver = 12040;

// The driver of this machine, initialized, with at least one device. Immutable; any thread. It is
// never closed.
class Driver {
 public:
  // UNAVAILABLE says what is missing and what to do: no driver, one that is too old, a stub, one
  // that sees no device.
  static Expected<std::shared_ptr<const Driver>> Open(const LibraryPlaces& places);

  const DriverFunctions& api() const { return functions_; }
  int version() const { return version_; }  // 1000 * major + 10 * minor
  int num_devices() const { return num_devices_; }
  const std::string& path() const { return path_; }

  // Success, or the driver's error as a status: "`what`: CUDA_ERROR_... (2): its words". OUT_OF_...
  // is RESOURCE_EXHAUSTED, what says that there is no device or driver UNAVAILABLE, the rest
  // INTERNAL.
  Status Check(CUresult result, std::string_view what) const;

  // Whether the context is lost: it answers every later call with this error.
  static bool IsSticky(CUresult result);

 private:
  Driver() = default;
  DriverFunctions functions_;
  int version_ = 0;
  int num_devices_ = 0;
  std::string path_;
};

// "12.4" of 12040.
std::string VersionText(int version);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_DRIVER_H_
