// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_LOCAL_OP_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_LOCAL_OP_H_

#include <forward_list>
#include <optional>
#include <vector>

#include "reference_plugin/compiler/partition/layout.h"
#include "reference_plugin/compiler/partition/rule.h"

// What one device computes of an op.
namespace plinth::compiler::partition {

// The rule by which the op is spread where it is not `rule`, that of propagation: more dimensions
// of operands and results may go together.
std::optional<Rule> OtherLocalRule(const Op& op, const Rule& rule);

// Along which factors an op may be spread as it is: each device runs the same op on its parts.
// Others are gathered before it. By factor.
FactorSet SpreadableFactors(const Op& op, const Rule& rule);

// Whether the op is worth more than moving what it is made of: along dimensions that it needs
// whole, axes go to dimensions along which each device computes its part.
bool MovesAxes(const Op& op);

// Whether the initial value of a reduction may count any number of times.
bool IsNeutral(const Value* init, Opcode combiner);

// What a device has of the result of an op that is spread along a reduction factor is one term.
struct Terms {
  Opcode combiner = Opcode::kAdd;
  bool counts_init = false;  // each term has the initial value, which counts once
  size_t init = 1;           // which operand that is: a scalar, or an array as the result
};
// Nothing: the op's terms cannot be combined.
std::optional<Terms> TermsOf(const Op& op);

// Which operands of an op may be terms of sums, so that its results are terms of sums without more:
// in those together the op is linear. `has_terms` says which operands are terms. By operand; empty:
// none may be.
std::vector<bool> TermOperands(const Op& op, const std::vector<bool>& has_terms);

// The axes of each factor: those of the results wanted first, then those that operands have, larger
// ones first; each axis once, and only where all parts are equal. Reductions of which all operands
// have their part come before all else.
struct SpreadWish {
  SpreadWish() = default;
  SpreadWish(SpreadWish&&) = default;  // No copy: it would refer to `made` of the first.

  const Rule* rule = nullptr;
  FactorSet spreadable;
  SmallVector<const Layout*, 4> operands, results;  // they lie elsewhere, or in `made`
  SmallVector<int64_t, 4> operand_sizes;
  AxisList taken;  // for other things
  // Axes of dimensions that the op needs whole go to others, the minor ones first.
  bool moves_axes = false;
  std::forward_list<Layout> made;

  // The layout without what is not reduced; the same where nothing goes.
  const Layout* WithoutTerms(const Layout& layout);
};
struct Spread {
  MeshRef mesh;  // null: not spread
  std::vector<AxisList> axes;
};
Spread ChooseSpread(const SpreadWish& wish);

// The layouts of the operands and results of an op that is spread so.
struct OpLayouts {
  std::vector<Layout> operands, results;
};
OpLayouts LayoutsOf(const Rule& rule, const Spread& spread);

// Whether an op of one result runs on parts that lie so, and nothing moves: along each factor all
// arrays have the same axes, and there the op may be spread. `axes` become those of the factors;
// they are of the layouts.
using FactorAxes = SmallVector<const AxisList*, 8>;
bool RunsOnParts(const Rule& rule, const FactorSet& spreadable,
                 std::span<const Layout* const> operands, const Layout& result, FactorAxes& axes);

// The same where the result may be spread further than it is wanted, as it is where the operands
// are spread so and nobody wants anything along those dimensions. `result` becomes its layout.
bool RunsOnParts(const Rule& rule, const FactorSet& spreadable,
                 std::span<const Layout* const> operands, const Layout& wanted, Layout& result);

// The attributes of the op on its parts; `operands` and `result` are local types.
std::shared_ptr<const Attributes> LocalAttributes(const Op& op, std::span<const Type> operands,
                                                  std::span<const Type> results);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_LOCAL_OP_H_
