// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_TABLE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_TABLE_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/program/attribute.h"
#include "plinth/support/status.h"
#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/plan/plan.h"

// Custom calls that the plugin has built in: name -> prepare function. One file per family of
// targets: those here, which every back end has, and a back end's own.
namespace plinth::backend {

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
using PrepareCustomCallFunction =
    Expected<std::unique_ptr<PreparedStep>> (*)(const CustomCall& call);

struct CustomCallRow {
  std::string_view target;
  PrepareCustomCallFunction prepare;
};

// The custom calls of one kind that a back end has.
struct CallFamily {
  std::function<bool(std::string_view target)> has;
  std::function<Expected<std::unique_ptr<PreparedStep>>(const CustomCall& call)> prepare;
};

// The calls of a table, whose rows have a `target`, and a `prepare` that gets the call and `more`.
template <typename Row, typename... More>
CallFamily FamilyOf(std::span<const Row> rows, const More&... more) {
  const auto find = [rows](std::string_view target) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const Row& row) { return row.target == target; });
  };
  return {[=](std::string_view target) { return find(target) != rows.end(); },
          [=](const CustomCall& call) { return find(call.target)->prepare(call, more...); }};
}

// Whose memory the code that a call enters reads and writes.
enum class CallPlace : uint8_t {
  kHost,
  kPlatform,  // of the plugin's own platform, for which a user registered it
};

// Makes a step of a back end whose arrays are not the host's from one that enters code of others.
using CallAdapter = std::function<Expected<std::unique_ptr<PreparedStep>>(
    std::unique_ptr<PreparedStep> step, const CustomCall& call, CallPlace place)>;

// Runs kCustomCall steps: those of the families given, then those that any back end has, then what
// users registered; the last two by way of `adapt`, if there is one. UNIMPLEMENTED names a target
// that is not known, with its place.
Engine CallEngine(std::string backend_name, std::vector<CallFamily> families,
                  CallAdapter adapt = nullptr);

// The families that any back end has, each in the file of its name.
std::span<const CustomCallRow> AnnotationRows();
std::span<const CustomCallRow> BufferCallbackRows();
std::span<const CustomCallRow> PythonCallbackRows();

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_TABLE_H_
