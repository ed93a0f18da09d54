// SPDX-License-Identifier: Apache-2.0
// libcublasLt.so.13 of the simulator: products on the host, when the stream gets there. It reports
// matrices that leave their arrays, and what a real library would refuse or trip over.
#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <map>
#include <string>

#include "reference_plugin/cuda/driver/blas_types.h"
#include "reference_plugin/cuda/simulator/address.h"
#include "reference_plugin/cuda/simulator/driver_access.h"
#include "reference_plugin/cuda/simulator/multiply.h"

#define PLINTH_EXPORT extern "C" __attribute__((visibility("default")))

namespace plinth::cuda {

// What the handles of the library point at.
struct cublasLtContext {};
struct cublasLtMatmulDescOpaque_t {
  int compute = 0, scale = 0;
  std::map<int, int32_t> attributes = {};
  uint32_t epilogue = kBlasPlain;
  const void* bias = nullptr;
};
struct cublasLtMatrixLayoutOpaque_t {
  int type = 0;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  int32_t batch = 1;
  int64_t stride = 0;
  bool by_pointers = false;
};
struct cublasLtMatmulPreferenceOpaque_t {
  uint64_t workspace = 0;
  std::map<int, uint32_t> numbers = {};
};

namespace simulator {
namespace {

constexpr uint32_t kWorkspaceAlignment = 256;

// Written into algorithms, so that what a product was planned for can be checked.
struct Algorithm {
  uint64_t mark, workspace, alignments[3];
};
constexpr uint64_t kMark = 0x706c696e7468;
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

const DriverAccess& Driver() {
  static const DriverAccess& access = *[] {
    Dl_info self;
    dladdr(reinterpret_cast<void*>(&Driver), &self);
    std::string path = self.dli_fname;
    path = path.substr(0, path.rfind('/')) + "/libcuda.so.1";
    void* driver = dlopen(path.c_str(), RTLD_NOW);
    return reinterpret_cast<const DriverAccess* (*)()>(dlsym(driver, "plinth_simulator_access"))();
  }();
  return access;
}

std::atomic<int64_t> num_objects{0};

#define ENTER(name) \
  if (const int entered = Driver().enter(#name); entered != 0) return entered

template <typename T>
cublasStatus_t Create(T** made, T value) {
  *made = new T(std::move(value));
  ++num_objects;
  return kBlasSuccess;
}
template <typename T>
cublasStatus_t Destroy(T* object) {
  delete object;
  --num_objects;
  return kBlasSuccess;
}

template <typename T>
bool Get(const void* value, size_t size, T* to) {
  if (value == nullptr || size != sizeof(T)) return false;
  std::memcpy(to, value, sizeof(T));
  return true;
}

bool IsTurned(const cublasLtMatmulDescOpaque_t& product, int attribute) {
  const auto found = product.attributes.find(attribute);
  return found != product.attributes.end() && found->second == kBlasTranspose;
}

// What a product is, from its descriptors; a text if they do not fit each other.
struct Shape {
  int64_t rows, columns, depth, batch;
  bool left_turned, right_turned;
  std::string problem;
};
Shape ShapeOf(const cublasLtMatmulDescOpaque_t& product, const cublasLtMatrixLayoutOpaque_t& left,
              const cublasLtMatrixLayoutOpaque_t& right,
              const cublasLtMatrixLayoutOpaque_t& result) {
  Shape shape{};
  shape.left_turned = IsTurned(product, kBlasTransposeLeft);
  shape.right_turned = IsTurned(product, kBlasTransposeRight);
  shape.rows = static_cast<int64_t>(shape.left_turned ? left.columns : left.rows);
  shape.depth = static_cast<int64_t>(shape.left_turned ? left.rows : left.columns);
  shape.columns = static_cast<int64_t>(shape.right_turned ? right.rows : right.columns);
  shape.batch = result.batch;
  const auto right_depth = static_cast<int64_t>(shape.right_turned ? right.columns : right.rows);
  if (right_depth != shape.depth) shape.problem = "the depths of both matrices differ";
  if (static_cast<int64_t>(result.rows) != shape.rows ||
      static_cast<int64_t>(result.columns) != shape.columns) {
    shape.problem = "the result has another shape";
  }
  for (const auto* layout : {&left, &right, &result}) {
    if (SizeOf(layout->type) == 0) shape.problem = "an unknown type";
    if (layout->leading < static_cast<int64_t>(layout->rows)) shape.problem = "columns overlap";
    if (layout->batch != shape.batch) shape.problem = "batches of different lengths";
    if (layout->by_pointers != result.by_pointers) shape.problem = "batches of different modes";
  }
  return shape;
}

// Bytes from the first element of a matrix to its end.
size_t SpanOf(const cublasLtMatrixLayoutOpaque_t& layout) {
  return (static_cast<size_t>(layout.leading) * (layout.columns - 1) + layout.rows) *
         SizeOf(layout.type);
}

}  // namespace
}  // namespace simulator
}  // namespace plinth::cuda

using namespace plinth::cuda;             // NOLINT: the names below are those of the library.
using namespace plinth::cuda::simulator;  // NOLINT

PLINTH_EXPORT size_t cublasLtGetVersion() { return static_cast<size_t>(Driver().blas_version()); }

PLINTH_EXPORT const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
    case kBlasSuccess:
      return "CUBLAS_STATUS_SUCCESS";
    case kBlasNotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case kBlasAllocFailed:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case kBlasInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case kBlasExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case kBlasNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}

PLINTH_EXPORT cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  ENTER(cublasLtCreate);
  return Create(handle, cublasLtContext{});
}
PLINTH_EXPORT cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  Destroy(handle);
  if (const int64_t left = num_objects; left != 0) {
    Driver().report(std::to_string(left) + " descriptors of cuBLASLt were not destroyed");
    num_objects = 0;
  }
  return kBlasSuccess;
}

PLINTH_EXPORT cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product, int compute,
                                                      int scale) {
  ENTER(cublasLtMatmulDescCreate);
  return Create(product, cublasLtMatmulDescOpaque_t{compute, scale});
}
PLINTH_EXPORT cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  return Destroy(product);
}
PLINTH_EXPORT cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                                            int attribute, const void* value,
                                                            size_t size) {
  ENTER(cublasLtMatmulDescSetAttribute);
  if (attribute == kBlasEpilogue) {
    return Get(value, size, &product->epilogue) ? kBlasSuccess : kBlasInvalidValue;
  }
  if (attribute == kBlasBias) {
    return Get(value, size, &product->bias) ? kBlasSuccess : kBlasInvalidValue;
  }
  const bool is_known = attribute == kBlasTransposeLeft || attribute == kBlasTransposeRight;
  if (!is_known || !Get(value, size, &product->attributes[attribute])) return kBlasInvalidValue;
  return kBlasSuccess;
}

PLINTH_EXPORT cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, int type,
                                                        uint64_t rows, uint64_t columns,
                                                        int64_t leading) {
  ENTER(cublasLtMatrixLayoutCreate);
  return Create(layout, cublasLtMatrixLayoutOpaque_t{type, rows, columns, leading});
}
PLINTH_EXPORT cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return Destroy(layout);
}
PLINTH_EXPORT cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                              int attribute, const void* value,
                                                              size_t size) {
  ENTER(cublasLtMatrixLayoutSetAttribute);
  if (attribute == kBlasBatchCount) return Get(value, size, &layout->batch) ? 0 : kBlasInvalidValue;
  if (attribute == kBlasBatchStride) {
    return Get(value, size, &layout->stride) ? 0 : kBlasInvalidValue;
  }
  uint32_t mode = 0;
  if (attribute != kBlasBatchMode || !Get(value, size, &mode)) return kBlasInvalidValue;
  // As real ones do it: older libraries take it and go on as before.
  if (Driver().blas_version() < kBlasFirstWithPointers) return kBlasSuccess;
  layout->by_pointers = mode == kBlasPointerArray;
  return kBlasSuccess;
}

PLINTH_EXPORT cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  ENTER(cublasLtMatmulPreferenceCreate);
  return Create(preference, cublasLtMatmulPreferenceOpaque_t{});
}
PLINTH_EXPORT cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return Destroy(preference);
}
PLINTH_EXPORT cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference, int attribute, const void* value, size_t size) {
  ENTER(cublasLtMatmulPreferenceSetAttribute);
  if (attribute == kBlasMaxWorkspace) {
    return Get(value, size, &preference->workspace) ? 0 : kBlasInvalidValue;
  }
  const bool is_known = attribute == kBlasReductionSchemes || attribute == kBlasAlignmentLeft ||
                        attribute == kBlasAlignmentRight || attribute == kBlasAlignmentAdded ||
                        attribute == kBlasAlignmentResult;
  if (!is_known) return kBlasInvalidValue;
  return Get(value, size, &preference->numbers[attribute]) ? 0 : kBlasInvalidValue;
}

// One algorithm, which takes workspace where it would split what is summed over.
PLINTH_EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t left,
    cublasLtMatrixLayout_t right, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t result,
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t* found,
    int* num_found) {
  ENTER(cublasLtMatmulAlgoGetHeuristic);
  if (wanted < 1 || !ShapeOf(*product, *left, *right, *result).problem.empty()) {
    return kBlasInvalidValue;
  }
  // As with real ones: products of bytes need both matrices along what is summed over.
  if (left->type == kBlasR8I &&
      !(IsTurned(*product, kBlasTransposeLeft) && !IsTurned(*product, kBlasTransposeRight))) {
    return kBlasNotSupported;
  }
  const bool is_small_float =
      result->type == kBlasR32F || result->type == kBlasR16F || result->type == kBlasR16BF;
  const bool adds_bias = (product->epilogue & kBlasAddBias) != 0;
  if (product->epilogue != kBlasPlain && (!is_small_float || result->by_pointers)) {
    return kBlasNotSupported;
  }
  if (adds_bias && product->bias == nullptr) return kBlasInvalidValue;
  constexpr uint64_t kSplitWorkspace = 5000;
  const int64_t depth = ShapeOf(*product, *left, *right, *result).depth;
  Algorithm algorithm{
      kMark,
      depth >= 64 ? std::min(kSplitWorkspace, preference->workspace) : 0,
      {preference->numbers[kBlasAlignmentLeft], preference->numbers[kBlasAlignmentRight],
       preference->numbers[kBlasAlignmentResult]}};
  *found = {};
  std::memcpy(found->algo.data, &algorithm, sizeof(algorithm));
  found->workspaceSize = algorithm.workspace;
  *num_found = 1;
  return kBlasSuccess;
}

PLINTH_EXPORT cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product,
                                            const void*, const void* left,
                                            cublasLtMatrixLayout_t left_layout, const void* right,
                                            cublasLtMatrixLayout_t right_layout, const void*,
                                            const void*, cublasLtMatrixLayout_t, void* result,
                                            cublasLtMatrixLayout_t result_layout,
                                            const cublasLtMatmulAlgo_t* chosen, void* workspace,
                                            size_t workspace_bytes, CUstream stream) {
  ENTER(cublasLtMatmul);
  auto refuse = [](const std::string& why) {
    Driver().report("cublasLtMatmul: " + why);
    return kBlasInvalidValue;
  };
  Algorithm algorithm;
  std::memcpy(&algorithm, chosen->data, sizeof(algorithm));
  if (algorithm.mark != kMark) return refuse("an algorithm that the heuristic did not give");
  const Shape shape = ShapeOf(*product, *left_layout, *right_layout, *result_layout);
  if (!shape.problem.empty()) return refuse(shape.problem);
  const auto work_begin = reinterpret_cast<uint64_t>(workspace);
  if (workspace_bytes < algorithm.workspace) return refuse("the workspace is too small");
  if (algorithm.workspace > 0 &&
      (work_begin % kWorkspaceAlignment != 0 || !Driver().contains(work_begin, workspace_bytes))) {
    return refuse("the workspace is not aligned, or leaves its array");
  }

  struct Array {
    const char* name;
    uint64_t address;
    cublasLtMatrixLayoutOpaque_t layout;
    uint64_t alignment;
    // Of one product, when the stream gets there; zero, with a report, if it cannot be.
    uint64_t Of(int64_t number) const {
      uint64_t at = address + static_cast<uint64_t>(number * layout.stride) * SizeOf(layout.type);
      if (layout.by_pointers) at = reinterpret_cast<const uint64_t*>(ToHost(address))[number];
      const std::string where = std::string("cublasLtMatmul: the ") + name + " matrix of product " +
                                std::to_string(number);
      if (!Driver().contains(at, SpanOf(layout))) {
        Driver().report(where + " leaves its array");
        return 0;
      }
      if (at % alignment != 0) Driver().report(where + " is not aligned as it was planned");
      return at;
    }
  };
  const Array arrays[] = {
      {"left", reinterpret_cast<uint64_t>(left), *left_layout, algorithm.alignments[0]},
      {"right", reinterpret_cast<uint64_t>(right), *right_layout, algorithm.alignments[1]},
      {"result", reinterpret_cast<uint64_t>(result), *result_layout, algorithm.alignments[2]}};
  for (const Array& array : arrays) {
    const size_t list = array.layout.by_pointers ? 8 * static_cast<size_t>(shape.batch) : 1;
    if (!Driver().contains(array.address, list)) {
      return refuse(std::string("the ") + array.name + " matrix is no array");
    }
  }
  const bool adds_bias = (product->epilogue & kBlasAddBias) != 0;
  const auto bias = reinterpret_cast<uint64_t>(product->bias);
  const size_t bias_bytes = result_layout->rows * SizeOf(result_layout->type);
  if (adds_bias && !Driver().contains(bias, bias_bytes)) return refuse("the bias leaves its array");
  std::vector<DriverAccess::Use> uses;
  if (adds_bias) uses.push_back({bias, false});
  for (const Array& array : arrays) {
    uses.push_back({array.address, &array == &arrays[2] && !array.layout.by_pointers});
  }
  if (algorithm.workspace > 0) uses.push_back({work_begin, true});
  Driver().enqueue(
      stream, "cublasLtMatmul", uses,
      [shape, algorithm, work_begin, left = arrays[0], right = arrays[1], result = arrays[2],
       mantissa = MantissaOf(product->compute),
       epilogue = Epilogue{product->epilogue, ToHost(bias)}] {
        constexpr int kRubbish = 0xe7;
        std::memset(ToHost(work_begin), kRubbish, algorithm.workspace);
        for (int64_t n = 0; n < shape.batch; ++n) {
          const uint64_t a = left.Of(n), b = right.Of(n), c = result.Of(n);
          if (a == 0 || b == 0 || c == 0) return;
          auto matrix = [](uint64_t at, const Array& array, bool is_turned) {
            return Matrix{ToHost(at), array.layout.type, array.layout.leading, is_turned};
          };
          Multiply(matrix(a, left, shape.left_turned), matrix(b, right, shape.right_turned),
                   matrix(c, result, false), shape.rows, shape.columns, shape.depth, mantissa,
                   epilogue);
        }
      });
  return kBlasSuccess;
}
