// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_RULE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_RULE_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"

// How the dimensions of an op's operands and results belong together: as factors, like the letters
// of an einsum. The rules are those of Shardy, because users see the shardings that follow from
// them (the oracle is jaxlib's pass sdy-populate-op-sharding-rules).
namespace plinth::compiler::partition {

enum class FactorKind : uint8_t {
  kPassThrough,      // each device computes its part
  kReduction,        // each device has one term of the result
  kNeedReplication,  // the op is computed along all of it
  kPermutation,      // elements move to other places along it
};

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kPassThrough;
  bool is_blocked = false;  // nothing is propagated along it
  friend bool operator==(const Factor&, const Factor&) = default;
};

// The factors of a dimension, from the major to the minor; one at least.
using DimFactors = SmallVector<int32_t, 4>;
using TensorFactors = std::vector<DimFactors>;  // one per dimension

struct Rule {
  std::vector<Factor> factors;
  std::vector<TensorFactors> operands, results;

  bool empty() const { return operands.empty() && results.empty(); }
  friend bool operator==(const Rule&, const Rule&) = default;
};

using FactorSet = SmallVector<bool, 8>;  // whether each is in it

inline constexpr int64_t kNoDim = -1;

// Adds factors one after another. A dimension of a tensor that has none in the end gets one of size
// 1; a factor of size 1 is not added to a dimension that has one.
class RuleBuilder {
 public:
  explicit RuleBuilder(const Op& op);

  using Dims = std::span<const int64_t>;
  // One dimension, or kNoDim, per operand and per result.
  void Add(Dims operands, Dims results, int64_t size, Factor like = {});
  void Add(std::initializer_list<int64_t> operands, std::initializer_list<int64_t> results,
           int64_t size, Factor like = {}) {
    Add(Dims(operands.begin(), operands.size()), Dims(results.begin(), results.size()), size, like);
  }
  // The same dimension of all operands and results that are no scalars.
  void AddToAll(int64_t dim, int64_t size, Factor like = {});
  void AddToOperands(int64_t dim, int64_t size, Factor like = {});
  void AddToResults(int64_t dim, int64_t size, Factor like = {});
  // Factor by factor a shape that all but scalars have.
  void AddShape(std::span<const int64_t> shape) {
    for (size_t i = 0; i < shape.size(); ++i) AddToAll(static_cast<int64_t>(i), shape[i]);
  }
  // Dimensions in which `in` and `out` differ are `like`, the others pass through.
  void AddShapes(std::span<const int64_t> in, std::span<const int64_t> out, Factor like) {
    for (size_t i = 0; i < in.size(); ++i) {
      AddToAll(static_cast<int64_t>(i), in[i], in[i] == out[i] ? Factor() : like);
    }
  }

  Rule Build() &&;

 private:
  int32_t NewFactor(int64_t size, Factor like);
  static void AddTo(TensorFactors& tensor, int64_t dim, int32_t factor);

  Rule rule_;
};

// The rule of an op as its row in ops.toml says it; empty for ops that have none: what they make is
// not tied to what they are given, or through data flow alone (control).
Rule RuleOf(const Op& op);

// Of sums and their like, whose terms may come in any order, and of which it is known what is
// neutral.
bool IsCommonCombiner(Opcode combiner);

// What the column `sharding` of ops.toml says besides the name of a function.
enum class ShardingClass : uint8_t {
  kNone,         // no rule
  kElementwise,  // one factor per dimension of the result
  kFlow,         // operands and results are joined by the flow of data
  kFactors,      // a function
};
ShardingClass ShardingClassOf(Opcode opcode);

// As in MLIR text: "([i, j], [j, k])->([i, k]) {i=8, j=4, k=2} reduction={j}".
std::string ToString(const Rule& rule);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_RULE_H_
