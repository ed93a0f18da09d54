// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/lower_steps.h"

#include <algorithm>
#include <cmath>

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
      // What is not taken is not read.
      bytes = 2 * static_cast<double>(op.type().SizeInBytes());
      work = rates.gather_ns * Elements(op.result());
      break;
    case Opcode::kScatter:
      work = rates.scatter_ns * Elements(op.operands[op.results.size() + 1]);
      bytes = 2 * static_cast<double>(op.operands[op.results.size() + 1]->type.SizeInBytes());
      break;
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
