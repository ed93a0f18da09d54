// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_TABLE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_TABLE_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/program/attribute.h"

// Custom calls that the plugin has built in: name -> prepare function. One file per family of
// targets; table.cc lists the families.
namespace plinth::cpu {

// An operand or result. Its elements are dense in memory, in the order that the program asked for:
// minor_to_major lists the dimensions from the fastest varying on.
struct CustomCallArray {
  DType dtype = DType::kInvalid;  // kToken: no bytes
  compiler::Dims dims;            // as the program counts them
  compiler::Dims minor_to_major;  // one entry per dimension

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t SizeInBytes() const;
  bool IsRowMajor() const;
  // The last two dimensions are a matrix stored column by column, batches of them row major: what
  // LAPACK takes. True for rank 2 on; false below.
  bool IsColumnMajorMatrices() const;
};

// Memory that the attributes of one program's calls may take. They are shared in the program, and
// may be much shorter there.
class AttributeBudget {
 public:
  // RESOURCE_EXHAUSTED if so much is not left.
  Status Take(int64_t bytes);

 private:
  static constexpr int64_t kMostBytes = int64_t{64} << 20;
  int64_t left_ = kMostBytes;
};

// A call site. Valid while it is prepared only; the attributes live as long as the step.
struct CustomCall {
  std::string_view target;
  int32_t api_version = 1;
  std::string_view backend_config;             // text; empty beside a dictionary
  program::AttributeRef attributes = nullptr;  // dictionary of a typed call, or null
  std::span<const CustomCallArray> operands, results;
  // Result i lies over operand aliases[i]; -1: nowhere. Both pointers of Run are then equal.
  std::span<const int32_t> aliases;
  AttributeBudget* budget = nullptr;  // of the program; never null for typed calls

  // An integer (or boolean) of `attributes`; INVALID_ARGUMENT if it is missing or something else.
  Expected<int64_t> Integer(std::string_view name) const;
};

// Checks types, shapes, layouts and attributes once, when the program is compiled, and decides
// everything that depends on them. The step's Run gets pointers to the arrays above, in order
// (tokens too), and its scratch memory; it may run on several threads at once. An error need not
// name the target or its place.
using PrepareCustomCallFunction = Expected<std::unique_ptr<PreparedStep>> (*)(
    const CustomCall& call, const LibraryOptions& options);

struct CustomCallRow {
  std::string_view target;
  PrepareCustomCallFunction prepare;
};

// The row of a target, or null.
const CustomCallRow* FindCustomCall(std::string_view target);

// Makes a kCustomCall step ready. UNIMPLEMENTED names a target that is not known, with its place.
// `budget` is that of the program.
Expected<std::unique_ptr<PreparedStep>> PrepareCustomCall(const compiler::PlanStep& step,
                                                          const LibraryOptions& options,
                                                          AttributeBudget& budget);

// The families, each in the file of its name.
std::span<const CustomCallRow> AnnotationRows();
std::span<const CustomCallRow> BufferCallbackRows();
std::span<const CustomCallRow> LapackOrthogonalRows();
std::span<const CustomCallRow> LapackSolverRows();
std::span<const CustomCallRow> LapackSpectralRows();
std::span<const CustomCallRow> PythonCallbackRows();
std::span<const CustomCallRow> SparseRows();

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_TABLE_H_
