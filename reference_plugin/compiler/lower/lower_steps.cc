// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/lower_steps.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "plinth/support/str_cat.h"

namespace plinth::compiler::lower {
namespace {

double Elements(const Value* value) { return static_cast<double>(value->type.NumElements()); }

// Multiplications and additions of a matrix product or convolution.
double Flops(const Op& op) {
  double flops = 2 * Elements(op.result());
  if (op.opcode == Opcode::kDotGeneral) {
    for (int64_t dim : op.Get<DotAttributes>().lhs_contracting) {
      flops *= static_cast<double>(op.operands[0]->type.dims[dim]);
    }
    return flops;
  }
  const auto& convolution = op.Get<ConvolutionAttributes>();
  const Dims& kernel = op.operands[1]->type.dims;
  flops *= static_cast<double>(kernel[convolution.kernel_input_feature]);
  for (int64_t dim : convolution.kernel_spatial) flops *= static_cast<double>(kernel[dim]);
  return flops;
}

double Bytes(const Value* value) { return static_cast<double>(value->type.SizeInBytes()); }

// How many places an array of indices names.
double Places(const Value* indices, int64_t vector_dim) {
  const Dims& dims = indices->type.dims;
  const bool has_vectors = vector_dim < static_cast<int64_t>(dims.size()) && dims[vector_dim] > 0;
  return Elements(indices) / (has_vectors ? static_cast<double>(dims[vector_dim]) : 1);
}

// Elements of a window that lie one after the other in an array of `rank` dimensions and in the
// array of all windows. `window_dims`: of the latter; `dropped`: of the former, which windows lack.
double RunLength(int64_t rank, const Value* windows, const Dims& window_dims,
                 std::initializer_list<const Dims*> dropped) {
  const int64_t last = static_cast<int64_t>(windows->type.dims.size()) - 1;
  if (window_dims.empty() || window_dims.back() != last) return 1;
  for (const Dims* dims : dropped) {
    if (std::find(dims->begin(), dims->end(), rank - 1) != dims->end()) return 1;
  }
  return static_cast<double>(std::max<int64_t>(windows->type.dims[last], 1));
}

// What is not taken is not read.
double GatherCost(const Rates& rates, const Op& op) {
  const auto& attributes = op.Get<GatherAttributes>();
  const double length =
      RunLength(op.operands[0]->type.rank(), op.result(), attributes.offset_dims,
                {&attributes.collapsed_slice_dims, &attributes.operand_batching_dims});
  const double runs =
      std::max(Places(op.operands[1], attributes.index_vector_dim), Elements(op.result()) / length);
  return rates.library_start_ns + rates.gather_ns * runs +
         rates.kernel_ns_per_byte * 2 * Bytes(op.result());
}

// Whether the library combines runs of so many elements in a loop.
bool IsLoop(const Target& target, const Op& op, double length) {
  const std::vector<Op*>& ops = op.blocks[0]->ops;
  // Besides the op there is the return.
  if (ops.size() > 2) return false;
  const DType type = op.operands[0]->type.dtype;
  return std::any_of(target.scatter_loops.begin(), target.scatter_loops.end(),
                     [&](const ScatterLoop& loop) {
                       return loop.combiner == ops[0]->opcode &&
                              (loop.runs.Has(type) || (length == 1 && loop.elements.Has(type)));
                     });
}

// The updates are read; where they go is taken to be in a cache.
double ScatterCost(const Target& target, const Op& op) {
  const Rates& rates = target.rates;
  const auto& attributes = op.Get<ScatterAttributes>();
  const size_t arrays = op.results.size();
  const Value* const updates = op.operands[arrays + 1];
  const double places = Places(op.operands[arrays], attributes.index_vector_dim);
  const double length =
      RunLength(op.operands[0]->type.rank(), updates, attributes.update_window_dims,
                {&attributes.inserted_window_dims, &attributes.input_batching_dims});
  const double runs = std::max(places, Elements(updates) / length);
  double bytes = 0;
  for (size_t a = 0; a < arrays; ++a) bytes += Bytes(op.operands[arrays + 1 + a]);
  const bool is_called = arrays > 1 || runs > places || !IsLoop(target, op, length);
  const double run_ns = rates.scatter_ns + (is_called ? rates.scatter_call_ns : 0);
  return rates.library_start_ns + run_ns * runs + rates.kernel_ns_per_byte * bytes;
}

}  // namespace

double LibraryCost(const LowerContext& context, const Op& op) {
  const Rates& rates = context.target().rates;
  double bytes = 0;
  for (const Value* operand : context.OperandsOf(op)) {
    bytes += static_cast<double>(operand->type.SizeInBytes());
  }
  for (const Value* result : op.results) bytes += static_cast<double>(result->type.SizeInBytes());
  const double first = op.operands.empty() ? 1 : Elements(op.operands[0]);
  double work = 0;  // besides reading and writing
  switch (op.opcode) {
    case Opcode::kDotGeneral:
    case Opcode::kConvolution:
      work = Flops(op) / rates.library_flops_per_ns;
      break;
    case Opcode::kSort: {
      const int64_t dim = op.Get<DimensionAttributes>().dimension;
      const double length = static_cast<double>(op.operands[0]->type.dims[dim]);
      work = rates.sort_ns * first * std::log2(std::max(length, 2.0));
      break;
    }
    case Opcode::kTopK:
    case Opcode::kCumulativeReduce:
      work = rates.scan_ns * first;
      break;
    case Opcode::kSelectAndScatter: {
      work = rates.window_ns * Elements(op.operands[1]);
      for (int64_t size : op.Get<WindowAttributes>().window.sizes) {
        work *= static_cast<double>(size);
      }
      break;
    }
    case Opcode::kGather:
      return GatherCost(rates, op);
    case Opcode::kScatter:
      return ScatterCost(context.target(), op);
    case Opcode::kFft: {
      double length = 1;
      for (int64_t n : op.Get<FftAttributes>().length) length *= static_cast<double>(n);
      work = rates.fft_ns * Elements(op.result()) * std::log2(std::max(length, 2.0));
      break;
    }
    case Opcode::kCholesky:
      work = first * static_cast<double>(op.type().dims.back()) / 3 / rates.library_flops_per_ns;
      break;
    case Opcode::kTriangularSolve:
      work = Elements(op.result()) * static_cast<double>(op.operands[0]->type.dims.back()) /
             rates.library_flops_per_ns;
      break;
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
      work = rates.random_ns * Elements(op.results.back());
      break;
    default:
      break;
  }
  return rates.library_start_ns + work + bytes * rates.library_ns_per_byte;
}

Expected<plan::ScheduleStep> MakeLibraryStep(LowerContext& context, const Op& op) {
  plan::ScheduleStep step;
  step.kind = plan::StepKind::kLibrary;
  step.opcode = op.opcode;
  step.attributes = op.attributes;
  step.location = op.location;
  step.cost_ns = LibraryCost(context, op);
  for (const Value* operand : context.OperandsOf(op)) {
    const int32_t number = context.Number(operand);
    if (number < 0) {
      return Internal("lowering ", Describe(op), ": an operand has not been computed");
    }
    step.operands.push_back(number);
  }
  for (const Value* result : op.results) {
    const int32_t number = context.NewArray(result->type);
    context.SetNumber(result, number);
    step.results.push_back(number);
  }
  for (const Block* block : op.blocks) {
    PLINTH_ASSIGN_OR_RETURN(Combiner combiner, MakeCombiner(context, op, *block));
    step.combiners.push_back(std::move(combiner));
  }
  for (const InPlaceRule& rule : context.target().in_place) {
    if (rule.opcode != op.opcode) continue;
    if (op.operands[rule.operand]->type != op.results[rule.result]->type) continue;
    step.in_place.push_back({rule.operand, rule.result, false});
  }
  if (op.opcode == Opcode::kScatter) {
    // Writes the updates only: the rest is what the operands hold.
    for (size_t i = 0; i < op.results.size(); ++i) {
      step.in_place.push_back({static_cast<int32_t>(i), static_cast<int32_t>(i), true});
    }
  }
  if (op.opcode == Opcode::kCustomCall) {
    // What is called relies on it, so it is no mere permission.
    for (const auto& alias : op.Get<CustomCallAttributes>().aliases) {
      step.in_place.push_back({alias.operand, alias.result, true});
    }
  }
  return step;
}

}  // namespace plinth::compiler::lower
