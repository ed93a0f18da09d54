// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_PROGRAM_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_PROGRAM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cuda/print/matrix_product.h"

// What a step of a plan becomes on a device: CUDA C++ text, and how it is launched. Everything here
// is a pure function of the step and the architecture; no CUDA library is asked.
namespace plinth::cuda {

// Where the pointers of a step point, at least: arrays of arguments and results, constants, scratch
// and the arena.
inline constexpr int64_t kArrayAlignment = 256;

// What accesses of several elements rely on, of that: arrays of others have no more.
inline constexpr int64_t kAccessAlignment = 16;

// What printing may know of a device. It follows from the compute capability alone, so that a
// program gives the same text, and thus the same bits, on every device of one.
struct Architecture {
  int32_t capability = 90;                  // 10 * major + minor: 90 is sm_90
  int32_t multiprocessors = 132;            // of a usual device; how finely work is split
  int32_t shared_bytes = 48 << 10;          // of one block, static
  int32_t most_shared_bytes = 227 << 10;    // of one block that asks for it, with what is static
  int32_t threads_per_block = 1024;         // at most
  int64_t grid_x = (int64_t{1} << 31) - 1;  // blocks, at most; y and z are never used

  friend bool operator==(const Architecture&, const Architecture&) = default;
};

// "sm_90" is capability 90. INVALID_ARGUMENT names what is known.
Expected<Architecture> ArchitectureOf(int32_t capability);

// One `extern "C" __global__` function. A translation unit is Prelude(), then the texts of some
// kernels in any order, each once.
struct KernelText {
  std::string name;  // of the function; follows from the rest of the text, so equal names are equal
                     // texts
  std::string text;  // without the prelude
  bool has_barriers = false;  // __syncthreads, or exchanges within a warp
};

// What every unit begins with: types, arithmetic, index helpers. Includes nothing. Kernels are
// `extern "C" __global__ void __launch_bounds__(N) NAME(...)` on one line, their parameters
// pointers to char and numbers.
//
// A host compiler (without __CUDACC__) compiles a unit too, if these words stand before it:
// __global__, __device__, __forceinline__, __launch_bounds__(n), __shared__ (a block's memory, of
// which static arrays are declared; what a launch adds is one of them there), threadIdx, blockIdx,
// blockDim, gridDim (of which only x is used), __syncthreads(), __syncwarp(), __shfl_sync,
// __shfl_xor_sync,
// __shfl_up_sync, __shfl_down_sync (mask, unsigned, lane or distance), __ballot_sync(mask, int),
// atomicAdd, atomicCAS, atomicMax, atomicMin (unsigned*, unsigned), atomicAdd (float, double),
// atomicCAS (u64), __popc, __clz,
// __popcll, __clzll, __umulhi, __umul64hi, and the functions of <cmath> and memcpy by their C
// names.
std::string_view Prelude();

// A parameter of a launch, in the order of the function's parameters.
struct Argument {
  enum class Kind : uint8_t {
    kOperand,    // pointer: the step's operand `index`, plus `offset` bytes
    kResult,     // pointer: the step's result `index`, plus `offset` bytes
    kScratch,    // pointer: the step's scratch, plus `offset` bytes
    kU32,        // `scalar`
    kU64,        // `scalar`
    kPartition,  // u32: the partition id of the run
    kReplica,    // u32: the replica id of the run
    kStreamKey,  // u64: a key that no other step of the process has
    kDrawn,      // u64: `scalar` times the earlier runs of the step
  };
  Kind kind = Kind::kOperand;
  int32_t index = 0;
  int64_t offset = 0;
  uint64_t scalar = 0;

  friend bool operator==(const Argument&, const Argument&) = default;
};

// One thing that a stream does.
struct Action {
  enum class Kind : uint8_t { kLaunch, kFill, kCopy, kProduct };
  Kind kind = Kind::kLaunch;

  // kLaunch. The grid is (grid, 1, 1), the block (block, 1, 1); neither is zero.
  std::shared_ptr<const KernelText> kernel;
  uint32_t grid = 1;
  uint32_t block = 1;
  uint32_t shared_bytes = 0;  // dynamic; what is static is in the text
  std::vector<Argument> arguments;

  // kFill: `bytes` bytes of arguments[0] become `value`. kCopy: arguments[0] = arguments[1], which
  // do not overlap. `bytes` is not zero.
  int64_t bytes = 0;
  uint8_t value = 0;

  // kProduct: the arguments are the matrices left, right and result (or lists of addresses), and
  // the workspace, of `bytes` bytes; then the bias, if the product has one.
  std::shared_ptr<const MatrixProduct> product;
};

// A kernel or library step, printed. Actions run one after the other, in the order of a stream.
// A step whose results are empty has none.
struct PrintedStep {
  std::string label;  // for messages and profiles: "fusion.3 (add, exponential)", "dot_general"
  std::vector<Action> actions;
  int64_t scratch_bytes = 0;  // a multiple of kArrayAlignment; nothing is kept in it between steps
  // Kernels that no action launches, but that the step may need where it is printed again: for a
  // device with libraries, from what was compiled without one.
  std::vector<std::shared_ptr<const KernelText>> spare;
};

// How steps are printed, besides what the device is.
struct PrintOptions {
  ProductChoices products;
  // Whether sums of floats that arrive in no order (scatter) give the same bits each time.
  bool deterministic = true;
};

// Prints a step of kind kKernel or kLibrary; of a kernel, it depends on `kernel` and the sizes of
// the arrays alone. UNIMPLEMENTED names the op and its place.
Expected<PrintedStep> Print(const compiler::plan::PlanStep& step, const Architecture& architecture,
                            const PrintOptions& options = {});

// Whether a custom call's target is one that Print knows.
bool IsPrintedCall(const compiler::plan::PlanStep& step);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_PROGRAM_H_
