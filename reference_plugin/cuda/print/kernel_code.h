// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_KERNEL_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_KERNEL_CODE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cuda/print/code.h"
#include "reference_plugin/cuda/print/program.h"

// What the forms of kernels share: parameters, addresses, the nodes of phases.
namespace plinth::cuda {

// The expression of the coordinate in each dimension of the domain.
using Point = std::vector<std::string>;

class KernelCode {
 public:
  // `takes_length`: offsets fit 31 bits whatever the extents say.
  KernelCode(const compiler::Kernel& kernel, bool takes_length);

  Code& code() { return code_; }
  const compiler::Kernel& kernel() const { return kernel_; }

  // The type of coordinates: "s32" unless an offset is larger.
  std::string_view index_type() const { return is_wide_ ? "s64" : "s32"; }

  // Declares what holds for the whole launch: offsets that are known only at run time.
  void Begin();
  // Declares the coordinates `names` of a number `index` (an expression of type u32 or u64) in the
  // dimensions from `first` on.
  void Split(std::string_view index, int64_t count, int32_t first,
             std::span<const std::string> names);

  // Statements that declare every node of the phase, named by ValueName. `load` may say how an
  // input that is a node is read, instead of from memory at `point` (an empty text: from memory);
  // `row` says how a kept value of an earlier phase over points is read.
  Status Nodes(int32_t phase, const Point& point,
               const std::function<std::string(int32_t node)>& load,
               const std::function<std::string(int32_t phase, int32_t node)>& row);
  // A constant or uniform input of a phase, anywhere in the function.
  std::string UniformValue(int32_t phase, int32_t node);

  // How phases over points read a node of an earlier phase once per row: by its name with another
  // first letter and an end, instead of ValueName.
  void SetRowValues(std::string first, std::string end) {
    row_first_ = std::move(first);
    row_end_ = std::move(end);
  }

  std::string ValueName(int32_t phase, int32_t node) const { return StrCat("v", phase, "_", node); }
  std::string ReducedName(int32_t reduction, int32_t component) const {
    return StrCat("r", reduction, "_", component);
  }
  // `bytes` more than the address at the point.
  std::string InputAddress(int32_t input, const Point& point) const;
  std::string OutputAddress(int32_t output, const Point& point) const;
  // The bits of `vector` neighbours along `dim`, which are a pack, or of the point if it is one.
  std::string PackText(int32_t input, const Point& point, int32_t vector) const;
  // The type of that.
  std::string PackType(int32_t input, int32_t vector) const;
  // The value at the point: the fill value out of bounds.
  std::string LoadText(int32_t input, const Point& point) const;

  // Points, `vector` neighbours along `dim` at once from the coordinate in `point` on, through all
  // of `phases`. `after` may add statements at each point,
  // once a phase's nodes are known; `j` is the point's number among the neighbours. `kept` may say
  // where a thread has an input already: its pack of neighbours, or, without neighbours or where
  // all are one element, its bits (an empty text: nowhere).
  Status Points(std::span<const int32_t> phases, Point point, int32_t dim, int32_t vector,
                const std::function<std::string(int32_t phase, int32_t node)>& row,
                const std::function<Status(int32_t phase, std::string_view j)>& after,
                const std::function<std::string(int32_t input)>& kept = nullptr);

  // Arguments of the launch for the parameters that the text uses so far, and those parameters.
  std::vector<Argument> arguments() const;
  std::vector<std::string> parameters() const;

 private:
  std::string Offset(const compiler::Access& access, const Point& point, bool is_input,
                     size_t number) const;
  std::string Sum(int64_t constant, std::span<const int64_t> factors, const Point& point) const;
  std::string Condition(const compiler::Access& access, const Point& point) const;

  const compiler::Kernel& kernel_;
  Code code_;
  bool is_wide_ = false;
  std::string row_first_ = "v", row_end_;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_KERNEL_CODE_H_
