// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/driver/driver.h"

#include <dlfcn.h>
#include <stdlib.h>

namespace plinth::cuda {
namespace {

const LibraryName& DriverLibrary() {
  static const auto& library = *new LibraryName{
      .title = "no GPU can be used: the CUDA driver, libcuda.so.1,",
      .files = {"libcuda.so.1"},
      .wheels = {},
      // Where WSL has it, and where hosts put it into containers.
      .toolkits = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64"},
      .remedy =
          "It comes with NVIDIA's driver, 550 or newer (in a container: run it with "
          "--gpus all); without a GPU choose another platform, for example "
          "JAX_PLATFORMS=plinth or cpu.",
  };
  return library;
}

template <typename... Pieces>
Status Unavailable(const Pieces&... pieces) {
  return Status(StatusCode::kUnavailable, StrCat(pieces...));
}

using GetVersion = CUresult (*)(int* version);

Status TooOld(std::string_view path, int version) {
  return Unavailable("the driver ", path, " is for CUDA ", VersionText(version),
                     "; this plugin needs one for CUDA ", VersionText(kOldestDriver),
                     " or newer: install NVIDIA's driver 550 or newer");
}

// What to look at where a driver sees no device.
std::string VisibleDevices() {
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? "CUDA_VISIBLE_DEVICES is not set"
                            : StrCat("CUDA_VISIBLE_DEVICES is '", visible, "'");
}

// Why a driver does not start, and what to do.
constexpr struct {
  CUresult result;
  std::string_view why;  // after "the driver PATH (CUDA 12.4)"
  std::string_view remedy;
} kNoStart[] = {
    {kCudaSystemNotReady, "is not ready",
     "GPUs that NVSwitch connects need the Fabric Manager: systemctl status nvidia-fabricmanager"},
    {kCudaSystemDriverMismatch, "and that of the kernel are of different versions",
     "restart the machine after an update of the driver"},
    {kCudaCompatNotSupportedOnDevice, "is a compatibility package, which this GPU does not take",
     "take its folder (cuda-compat) out of LD_LIBRARY_PATH, or update the machine's driver"},
    {kCudaDeviceUnavailable, "sees a GPU that is in use",
     "another process has it alone: nvidia-smi -q -d COMPUTE tells its mode"},
    {kCudaMpsConnectionFailed, "reaches no MPS server",
     "start nvidia-cuda-mps-control, or unset CUDA_MPS_PIPE_DIRECTORY"},
    {kCudaMpsServerNotReady, "finds an MPS server that is not ready", "try again"},
    {kCudaMpsMaxClientsReached, "finds an MPS server with too many clients",
     "try again when another process has ended"},
    {kCudaUnknown, "does not start",
     "the kernel's module nvidia_uvm may not be loaded: nvidia-modprobe -u, or restart the "
     "machine"},
};

}  // namespace

std::string VersionText(int version) { return StrCat(version / 1000, ".", version % 1000 / 10); }

bool Driver::IsSticky(CUresult result) {
  switch (result) {
    case kCudaEccUncorrectable:
    case kCudaNvlinkUncorrectable:
    case kCudaContained:
    case kCudaIllegalAddress:
    case kCudaLaunchTimeout:
    case kCudaContextIsDestroyed:
    case kCudaAssert:
    case kCudaHardwareStackError:
    case kCudaIllegalInstruction:
    case kCudaMisalignedAddress:
    case kCudaInvalidAddressSpace:
    case kCudaInvalidPc:
    case kCudaLaunchFailed:
    case kCudaTensorMemoryLeak:
    case kCudaMpsClientTerminated:
    case kCudaExternalDevice:
      return true;
    default:
      return false;
  }
}

Status Driver::Check(CUresult result, std::string_view what) const {
  if (result == kCudaSuccess) return Status();
  const char* name = nullptr;
  const char* text = nullptr;
  if (functions_.cuGetErrorName == nullptr ||
      functions_.cuGetErrorName(result, &name) != kCudaSuccess || name == nullptr) {
    name = "an unknown error of CUDA";
  }
  if (functions_.cuGetErrorString == nullptr ||
      functions_.cuGetErrorString(result, &text) != kCudaSuccess || text == nullptr) {
    text = "no description";
  }
  StatusCode code = StatusCode::kInternal;
  switch (result) {
    case kCudaOutOfMemory:
      code = StatusCode::kResourceExhausted;
      break;
    case kCudaStubLibrary:
    case kCudaDeviceUnavailable:
    case kCudaNoDevice:
    case kCudaSystemNotReady:
    case kCudaSystemDriverMismatch:
    case kCudaCompatNotSupportedOnDevice:
    case kCudaMpsConnectionFailed:
    case kCudaMpsServerNotReady:
    case kCudaMpsMaxClientsReached:
    case kCudaNotInitialized:
    case kCudaDeinitialized:
      code = StatusCode::kUnavailable;
      break;
    default:
      break;
  }
  return Status(code, StrCat(what, ": ", name, " (", result, "): ", text));
}

Expected<std::shared_ptr<const Driver>> Driver::Open(const LibraryPlaces& places) {
  PLINTH_ASSIGN_OR_RETURN(const OpenLibrary library, cuda::Open(DriverLibrary(), places));
  std::shared_ptr<Driver> driver(new Driver());
  driver->path_ = library.path;
  const auto get_version =
      reinterpret_cast<GetVersion>(dlsym(library.handle, "cuDriverGetVersion"));
  if (get_version == nullptr) {
    return Unavailable(library.path, " is no CUDA driver: it has no cuDriverGetVersion. ",
                       DriverLibrary().remedy);
  }
  CUresult result = get_version(&driver->version_);
  const auto get_address =
      reinterpret_cast<CudaGetProcAddress>(dlsym(library.handle, "cuGetProcAddress_v2"));
  if (result == kCudaSuccess && driver->version_ < kOldestDriver) {
    return TooOld(library.path, driver->version_);
  }
  if (get_address == nullptr) {
    return Unavailable("the driver ", library.path, " (CUDA ", VersionText(driver->version_),
                       ") has no cuGetProcAddress_v2, which those for CUDA ",
                       VersionText(kOldestDriver), " and newer have: install NVIDIA's driver 550 ",
                       "or newer");
  }
  std::string missing;
  auto find = [&](const char* name, int since, auto& function) {
    void* found = nullptr;
    int why = 0;
    if (get_address(name, &found, since, 0, &why) != kCudaSuccess || found == nullptr) {
      missing += StrCat(missing.empty() ? "" : ", ", name);
      return;
    }
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
#define PLINTH_CUDA_FUNCTION(name, since, parameters) find(#name, since, driver->functions_.name);
#include "reference_plugin/cuda/driver/driver_functions.inc"
  const bool is_stub = result == kCudaStubLibrary;
  if (!missing.empty() && !is_stub) {
    return Unavailable("the driver ", library.path, " (CUDA ", VersionText(driver->version_),
                       ") lacks ", missing, "; this plugin needs one for CUDA ",
                       VersionText(kOldestDriver), " or newer");
  }
  if (result == kCudaSuccess) result = driver->functions_.cuInit(0);
  switch (result) {
    case kCudaSuccess:
      break;
    case kCudaStubLibrary:
      return Unavailable(library.path, " is the stub for linking, not a driver (",
                         driver->Check(result, "cuInit").message(),
                         "); take the toolkit's folder of stubs out of LD_LIBRARY_PATH. ",
                         DriverLibrary().remedy);
    case kCudaNoDevice:
      return Unavailable("the driver ", library.path, " (CUDA ", VersionText(driver->version_),
                         ") sees no GPU (", driver->Check(result, "cuInit").message(), "); ",
                         VisibleDevices(), "; nvidia-smi lists what there is");
    default:
      for (const auto& [code, why, remedy] : kNoStart) {
        if (code != result) continue;
        return Unavailable("the driver ", library.path, " (CUDA ", VersionText(driver->version_),
                           ") ", why, " (", driver->Check(result, "cuInit").message(), "); ",
                           remedy);
      }
      return Unavailable("the driver ", library.path, " (CUDA ", VersionText(driver->version_),
                         ") does not start: ", driver->Check(result, "cuInit").message());
  }
  PLINTH_RETURN_IF_ERROR(driver->Check(driver->functions_.cuDeviceGetCount(&driver->num_devices_),
                                       "cuDeviceGetCount"));
  if (driver->num_devices_ == 0) {
    return Unavailable("the driver ", library.path, " (CUDA ", VersionText(driver->version_),
                       ") sees no GPU: cuDeviceGetCount says 0; ", VisibleDevices(),
                       "; nvidia-smi lists what there is");
  }
  return std::shared_ptr<const Driver>(std::move(driver));
}

}  // namespace plinth::cuda
