// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BLAS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BLAS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "plinth/support/status.h"
#include "reference_plugin/cuda/driver/blas.h"
#include "reference_plugin/cuda/print/matrix_product.h"

namespace plinth::cuda {

class Gpu;

// cuBLASLt on a device: its handle, and each kind of product with its descriptors and the algorithm
// that the library's heuristic gives it, which is never timed. Any thread; the device outlives it.
class Blas final : public ProductLibrary {
 public:
  // UNAVAILABLE if there is no library. Needs no Current.
  static Expected<std::unique_ptr<Blas>> Open(const Gpu& gpu, const LibraryPlaces& places);
  // Nothing that is enqueued uses it. Needs the device's context.
  ~Blas();

  const BlasLibrary& library() const { return *library_; }

  std::optional<int64_t> Workspace(const MatrixProduct& product) override;

  struct Arrays {
    const void *left, *right;
    void *result, *workspace;
    const void* bias;  // null if the product has none
  };
  // Enqueues the product on the compute stream. Needs the device's context. The workspace has the
  // bytes that Workspace has answered.
  Status Multiply(const MatrixProduct& product, const Arrays& arrays, int64_t workspace_bytes);

 private:
  class Plan;

  Blas(const Gpu& gpu, std::shared_ptr<const BlasLibrary> library);
  // UNIMPLEMENTED if the library has no algorithm for it.
  Expected<const Plan*> PlanOf(const MatrixProduct& product);
  // *made is the caller's to destroy, also after an error.
  Status MakeDescriptor(const MatrixProduct& product, const void* bias,
                        cublasLtMatmulDesc_t* made) const;
  Status Check(cublasStatus_t result, std::string_view what) const {
    return library_->Check(result, what);
  }

  const Gpu& gpu_;
  const std::shared_ptr<const BlasLibrary> library_;
  cublasLtHandle_t handle_ = nullptr;
  std::mutex mutex_;
  std::map<MatrixProduct, std::unique_ptr<const Plan>> plans_;  // guarded; never erased
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BLAS_H_
