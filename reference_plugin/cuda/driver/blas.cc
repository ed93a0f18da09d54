// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/driver/blas.h"

#include <utility>

#include "plinth/support/str_cat.h"

namespace plinth::cuda {
namespace {

constexpr ToolkitLibrary kCublasLt = {
    .name = "cuBLASLt",
    .does = "NVIDIA's library of matrix products",
    .file = "libcublasLt.so",
    .wheel = "nvidia-cublas",
};

// That of CUDA 12.4.
constexpr int64_t kOldest = 120400;

}  // namespace

Expected<std::shared_ptr<const BlasLibrary>> BlasLibrary::Open(const LibraryPlaces& places,
                                                               int driver_version) {
  const LibraryName name = NameFor(kCublasLt, driver_version);
  PLINTH_ASSIGN_OR_RETURN(const OpenLibrary library, cuda::Open(name, places));
  std::shared_ptr<BlasLibrary> blas(new BlasLibrary());
  blas->path_ = library.path;
  FunctionFinder find(library, name);
#define PLINTH_BLAS_FUNCTION(name, since, parameters) find(#name, blas->functions_.name);
#include "reference_plugin/cuda/driver/blas_functions.inc"
  find("cublasLtGetVersion", blas->functions_.cublasLtGetVersion);
  find("cublasLtGetStatusName", blas->functions_.cublasLtGetStatusName);
  PLINTH_RETURN_IF_ERROR(find.status());
  blas->version_ = static_cast<int64_t>(blas->functions_.cublasLtGetVersion());
  if (blas->version_ < kOldest) {
    return Status(StatusCode::kUnavailable,
                  StrCat(library.path, " is cuBLASLt ", blas->version_ / 10000, ".",
                         blas->version_ / 100 % 100, "; 12.4 or newer is needed. ", name.remedy));
  }
  return std::shared_ptr<const BlasLibrary>(std::move(blas));
}

Status BlasLibrary::Check(cublasStatus_t result, std::string_view what) const {
  if (result == kBlasSuccess) return Status();
  const char* name = functions_.cublasLtGetStatusName(result);
  StatusCode code = StatusCode::kInternal;
  if (result == kBlasAllocFailed) code = StatusCode::kResourceExhausted;
  if (result == kBlasNotSupported || result == kBlasArchMismatch) code = StatusCode::kUnimplemented;
  return Status(code, StrCat(what, ": ", name == nullptr ? "an unknown error of cuBLASLt" : name,
                             " (", result, ")"));
}

}  // namespace plinth::cuda
