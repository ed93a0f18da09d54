// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/blas.h"

#include <complex>
#include <type_traits>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cuda/driver/blas_dtype.h"
#include "reference_plugin/cuda/print/program.h"
#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {
namespace {

using Matrix = MatrixProduct::Matrix;

// What NVIDIA recommends: from this capability on algorithms gain from more.
constexpr int kLargeWorkspaceCapability = 90;
constexpr uint64_t kLargeWorkspace = 32 << 20, kWorkspace = 8 << 20;

// In what products are added up, and the type of the factor one.
struct Arithmetic {
  int compute, scale;
  const void* one;
  const void* zero;
};

Arithmetic ArithmeticOf(const MatrixProduct& product) {
  static constexpr float kFloats[] = {1, 0};
  static constexpr double kDoubles[] = {1, 0};
  static constexpr std::complex<float> kComplex[] = {1, 0};
  static constexpr std::complex<double> kDoubleComplex[] = {1, 0};
  static constexpr int32_t kIntegers[] = {1, 0};
  switch (product.operands) {
    case DType::kF64:
      return {kBlasCompute64F, kBlasR64F, &kDoubles[0], &kDoubles[1]};
    case DType::kC64:
      return {kBlasCompute32F, kBlasC32F, &kComplex[0], &kComplex[1]};
    case DType::kC128:
      return {kBlasCompute64F, kBlasC64F, &kDoubleComplex[0], &kDoubleComplex[1]};
    case DType::kS8:
      return {kBlasCompute32I, kBlasR32I, &kIntegers[0], &kIntegers[1]};
    default:
      break;
  }
  int compute = kBlasCompute32F;
  switch (product.rounding) {
    case MatrixProduct::Rounding::kNone:
      break;
    case MatrixProduct::Rounding::kTf32:
      compute = kBlasCompute32FFastTf32;
      break;
    case MatrixProduct::Rounding::kBF16:
      compute = kBlasCompute32FFast16BF;
      break;
    case MatrixProduct::Rounding::kF16:
      compute = kBlasCompute32FFast16F;
      break;
  }
  return {compute, kBlasR32F, &kFloats[0], &kFloats[1]};
}

uint32_t BlasEpilogue(const MatrixProduct& product) {
  uint32_t epilogue = 0;
  if (product.activation == MatrixProduct::Activation::kRelu) epilogue = kBlasRelu;
  if (product.activation == MatrixProduct::Activation::kGelu) epilogue = kBlasGelu;
  if (product.has_bias) epilogue |= kBlasAddBias;
  return epilogue == 0 ? kBlasPlain : epilogue;
}

std::string Words(const MatrixProduct& product) {
  return StrCat(product.batch, " x ", product.rows, " x ", product.columns, " x ", product.depth,
                " of ", Name(product.operands));
}

}  // namespace

// The descriptors of a product. Immutable once it is made.
class Blas::Plan {
 public:
  explicit Plan(const BlasFunctions& api) : api_(api) {}
  ~Plan() {
    if (product != nullptr) api_.cublasLtMatmulDescDestroy(product);
    for (cublasLtMatrixLayout_t layout : {left, right, result}) {
      if (layout != nullptr) api_.cublasLtMatrixLayoutDestroy(layout);
    }
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
  // The library has none.
  bool is_refused = false;
  cublasLtMatmulAlgo_t algorithm;
  int64_t workspace = 0;

  // Fills all in.
  Status Make(const Blas& blas, const MatrixProduct& wanted) {
    // As little aligned as any bias: the heuristic reads that of the address.
    PLINTH_RETURN_IF_ERROR(blas.MakeDescriptor(
        wanted, reinterpret_cast<const void*>(uintptr_t{kAccessAlignment}), &product));
    PLINTH_RETURN_IF_ERROR(
        MakeLayout(blas, wanted, wanted.left, wanted.operands, wanted.rows, wanted.depth, &left));
    PLINTH_RETURN_IF_ERROR(MakeLayout(blas, wanted, wanted.right, wanted.operands, wanted.depth,
                                      wanted.columns, &right));
    PLINTH_RETURN_IF_ERROR(MakeLayout(blas, wanted, wanted.result, wanted.result_type, wanted.rows,
                                      wanted.columns, &result));
    return is_refused ? Status() : Choose(blas, wanted);
  }

 private:
  Status MakeLayout(const Blas& blas, const MatrixProduct& wanted, const Matrix& matrix, DType type,
                    int64_t rows, int64_t columns, cublasLtMatrixLayout_t* layout) {
    if (matrix.is_turned) std::swap(rows, columns);
    PLINTH_RETURN_IF_ERROR(blas.Check(
        api_.cublasLtMatrixLayoutCreate(layout, BlasType(type), static_cast<uint64_t>(rows),
                                        static_cast<uint64_t>(columns), matrix.leading),
        "cublasLtMatrixLayoutCreate"));
    if (wanted.batch == 1) return Status();
    const auto count = static_cast<int32_t>(wanted.batch);
    PLINTH_RETURN_IF_ERROR(blas.Check(
        api_.cublasLtMatrixLayoutSetAttribute(*layout, kBlasBatchCount, &count, sizeof(count)),
        "cublasLtMatrixLayoutSetAttribute"));
    if (wanted.by_pointers) {
      // Older libraries take the attribute, and then the lists for matrices.
      if (blas.library_->version() < kBlasFirstWithPointers) {
        is_refused = true;
        return Status();
      }
      return blas.Check(api_.cublasLtMatrixLayoutSetAttribute(
                            *layout, kBlasBatchMode, &kBlasPointerArray, sizeof(kBlasPointerArray)),
                        "cublasLtMatrixLayoutSetAttribute");
    }
    return blas.Check(
        api_.cublasLtMatrixLayoutSetAttribute(*layout, kBlasBatchStride, &matrix.batch_stride,
                                              sizeof(matrix.batch_stride)),
        "cublasLtMatrixLayoutSetAttribute");
  }

  // Asks the library for its algorithm.
  Status Choose(const Blas& blas, const MatrixProduct& wanted) {
    cublasLtMatmulPreference_t preference = nullptr;
    PLINTH_RETURN_IF_ERROR(blas.Check(api_.cublasLtMatmulPreferenceCreate(&preference),
                                      "cublasLtMatmulPreferenceCreate"));
    const auto destroy = [this](cublasLtMatmulPreference_t made) {
      api_.cublasLtMatmulPreferenceDestroy(made);
    };
    const std::unique_ptr<std::remove_pointer_t<cublasLtMatmulPreference_t>, decltype(destroy)>
        owner(preference, destroy);
    const uint64_t most =
        blas.gpu_.capability() >= kLargeWorkspaceCapability ? kLargeWorkspace : kWorkspace;
    PLINTH_RETURN_IF_ERROR(blas.Check(api_.cublasLtMatmulPreferenceSetAttribute(
                                          preference, kBlasMaxWorkspace, &most, sizeof(most)),
                                      "cublasLtMatmulPreferenceSetAttribute"));
    const auto result_alignment = static_cast<uint32_t>(wanted.result.alignment);
    const std::pair<int, uint32_t> numbers[] = {
        {kBlasReductionSchemes, kBlasReduceInComputeType},
        {kBlasAlignmentLeft, static_cast<uint32_t>(wanted.left.alignment)},
        {kBlasAlignmentRight, static_cast<uint32_t>(wanted.right.alignment)},
        {kBlasAlignmentAdded, result_alignment},
        {kBlasAlignmentResult, result_alignment},
    };
    for (const auto& [attribute, value] : numbers) {
      PLINTH_RETURN_IF_ERROR(blas.Check(
          api_.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute"));
    }
    cublasLtMatmulHeuristicResult_t found;
    int num_found = 0;
    const cublasStatus_t status = api_.cublasLtMatmulAlgoGetHeuristic(
        blas.handle_, product, left, right, result, result, preference, 1, &found, &num_found);
    is_refused = status == kBlasNotSupported || status == kBlasInvalidValue ||
                 (status == kBlasSuccess && (num_found < 1 || found.state != kBlasSuccess));
    if (is_refused) return Status();
    PLINTH_RETURN_IF_ERROR(blas.Check(status, "cublasLtMatmulAlgoGetHeuristic"));
    algorithm = found.algo;
    const auto bytes = static_cast<int64_t>(found.workspaceSize);
    workspace = (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
    return Status();
  }

  const BlasFunctions& api_;
};

Blas::Blas(const Gpu& gpu, std::shared_ptr<const BlasLibrary> library)
    : gpu_(gpu), library_(std::move(library)) {}

Expected<std::unique_ptr<Blas>> Blas::Open(const Gpu& gpu, const LibraryPlaces& places) {
  PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const BlasLibrary> library,
                          BlasLibrary::Open(places, gpu.driver().version()));
  std::unique_ptr<Blas> blas(new Blas(gpu, std::move(library)));
  const Gpu::Current current(gpu);
  PLINTH_RETURN_IF_ERROR(
      blas->Check(blas->library_->api().cublasLtCreate(&blas->handle_), "cublasLtCreate"));
  return blas;
}

Status Blas::MakeDescriptor(const MatrixProduct& product, const void* bias,
                            cublasLtMatmulDesc_t* made) const {
  const BlasFunctions& api = library_->api();
  const Arithmetic arithmetic = ArithmeticOf(product);
  PLINTH_RETURN_IF_ERROR(
      Check(api.cublasLtMatmulDescCreate(made, arithmetic.compute, arithmetic.scale),
            "cublasLtMatmulDescCreate"));
  auto set = [&](int attribute, const auto& value) {
    return Check(api.cublasLtMatmulDescSetAttribute(*made, attribute, &value, sizeof(value)),
                 "cublasLtMatmulDescSetAttribute");
  };
  if (product.left.is_turned) PLINTH_RETURN_IF_ERROR(set(kBlasTransposeLeft, kBlasTranspose));
  if (product.right.is_turned) PLINTH_RETURN_IF_ERROR(set(kBlasTransposeRight, kBlasTranspose));
  const uint32_t epilogue = BlasEpilogue(product);
  if (epilogue != kBlasPlain) PLINTH_RETURN_IF_ERROR(set(kBlasEpilogue, epilogue));
  if (product.has_bias) PLINTH_RETURN_IF_ERROR(set(kBlasBias, bias));
  return Status();
}

Blas::~Blas() {
  plans_.clear();
  if (handle_ != nullptr) library_->api().cublasLtDestroy(handle_);
}

// Of two threads that make one at once, the first one's stays.
Expected<const Blas::Plan*> Blas::PlanOf(const MatrixProduct& product) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = plans_.find(product);
    if (known != plans_.end()) return known->second.get();
  }
  auto made = std::make_unique<Plan>(library_->api());
  {
    const Gpu::Current current(gpu_);
    PLINTH_RETURN_IF_ERROR(made->Make(*this, product));
  }
  const std::lock_guard lock(mutex_);
  return plans_.try_emplace(product, std::move(made)).first->second.get();
}

std::optional<int64_t> Blas::Workspace(const MatrixProduct& product) {
  const Expected<const Plan*> plan = PlanOf(product);
  // A kernel serves where the library failed.
  if (!plan.ok() || (*plan)->is_refused) return std::nullopt;
  return (*plan)->workspace;
}

Status Blas::Multiply(const MatrixProduct& product, const Arrays& arrays, int64_t workspace_bytes) {
  PLINTH_ASSIGN_OR_RETURN(const Plan* plan, PlanOf(product));
  if (plan->is_refused || plan->workspace > workspace_bytes) {
    return Internal("cuBLASLt needs ", plan->workspace, " bytes for a product of ", Words(product),
                    " on GPU ", gpu_.ordinal(), "; the program was planned with ", workspace_bytes);
  }
  const Arithmetic arithmetic = ArithmeticOf(product);
  cublasLtMatmulDesc_t descriptor = plan->product;
  // The address of a bias is part of the descriptor, and the plan's is everybody's.
  const auto destroy = [this](cublasLtMatmulDesc_t made) {
    library_->api().cublasLtMatmulDescDestroy(made);
  };
  std::unique_ptr<std::remove_pointer_t<cublasLtMatmulDesc_t>, decltype(destroy)> own(nullptr,
                                                                                      destroy);
  if (product.has_bias) {
    descriptor = nullptr;
    const Status made = MakeDescriptor(product, arrays.bias, &descriptor);
    own.reset(descriptor);
    PLINTH_RETURN_IF_ERROR(made);
  }
  return Check(library_->api().cublasLtMatmul(
                   handle_, descriptor, arithmetic.one, arrays.left, plan->left, arrays.right,
                   plan->right, arithmetic.zero, arrays.result, plan->result, arrays.result,
                   plan->result, &plan->algorithm, arrays.workspace,
                   static_cast<size_t>(workspace_bytes), gpu_.stream(StreamKind::kCompute)),
               StrCat("cublasLtMatmul of ", Words(product)));
}

}  // namespace plinth::cuda
