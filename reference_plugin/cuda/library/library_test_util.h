// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_LIBRARY_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_LIBRARY_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/testing/host_device.h"

// Printed library steps, run on the host, against their definitions.
namespace plinth::cuda::testing {

using compiler::Combiner;
using compiler::Dims;
using compiler::MakeAttributes;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Type;
using compiler::plan::PlanStep;
using compiler::testing::Load;
using compiler::testing::Save;

// An array of real numbers.
struct Array {
  Type type;
  std::vector<double> values;

  Array(DType dtype, Dims dims, std::vector<double> v = {})
      : type(Type::Tensor(dtype, std::move(dims))), values(std::move(v)) {
    values.resize(static_cast<size_t>(type.NumElements()));
  }
  double& operator[](size_t i) { return values[i]; }
  double operator[](size_t i) const { return values[i]; }
};

inline PlanStep MakeStep(Opcode opcode, const std::vector<Array>& operands,
                         std::vector<Type> results,
                         std::shared_ptr<const compiler::Attributes> attributes,
                         std::vector<Combiner> combiners = {}) {
  PlanStep step;
  step.kind = compiler::plan::PlanStepKind::kLibrary;
  step.opcode = opcode;
  for (const Array& operand : operands) step.operands.push_back({0, operand.type});
  for (Type& result : results) step.results.push_back({0, std::move(result)});
  step.attributes = std::move(attributes);
  step.combiners = std::move(combiners);
  return step;
}

// Runs the step; results begin as `initial`, which a scatter adds to.
inline std::vector<Array> RunStep(const PlanStep& step, const std::vector<Array>& operands,
                                  const std::vector<Array>& initial = {},
                                  const Architecture& architecture = {},
                                  const PrintOptions& options = {}) {
  std::vector<Array> out;
  for (const auto& result : step.results) out.emplace_back(result.type.dtype, result.type.dims);
  auto printed = Print(step, architecture, options);
  EXPECT_TRUE(printed.ok()) << printed.status().ToString();
  if (!printed.ok()) return out;
  HostDevice device;
  const Status loaded = device.Load({&*printed, 1});
  EXPECT_TRUE(loaded.ok()) << loaded.ToString();
  if (!loaded.ok()) return out;
  std::deque<GuardedArray> in, results;
  auto fill = [](GuardedArray& memory, const Array& array) {
    for (size_t i = 0; i < array.values.size(); ++i) {
      Save(array.type.dtype, array[i],
           memory.data() + static_cast<int64_t>(i) * ByteSize(array.type.dtype));
    }
  };
  for (const Array& operand : operands) {
    fill(in.emplace_back(operand.type.SizeInBytes()), operand);
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    results.emplace_back(step.results[i].type.SizeInBytes());
    if (i < initial.size()) fill(results.back(), initial[i]);
  }
  std::vector<std::byte*> from, to;
  for (GuardedArray& array : in) from.push_back(array.data());
  for (GuardedArray& array : results) to.push_back(array.data());
  const Status run = device.Run(*printed, from, to);
  EXPECT_TRUE(run.ok()) << run.ToString();
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(results[i].IsIntact());
    for (size_t e = 0; e < out[i].values.size(); ++e) {
      out[i][e] = Load(out[i].type.dtype,
                       results[i].data() + static_cast<int64_t>(e) * ByteSize(out[i].type.dtype));
    }
  }
  return out;
}

// The values that elements of the array's type can have.
inline Array RoundTrip(const Array& array) {
  Array rounded = array;
  for (double& value : rounded.values) {
    std::byte element[16];
    Save(array.type.dtype, value, element);
    value = Load(array.type.dtype, element);
  }
  return rounded;
}

inline void ForEachIndex(const Dims& sizes, const std::function<void(const Dims&)>& visit) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Dims index(sizes.size(), 0);
  for (;;) {
    visit(index);
    size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

inline size_t Place(const Dims& dims, const Dims& index) {
  int64_t place = 0;
  for (size_t d = 0; d < dims.size(); ++d) place = place * dims[d] + index[d];
  return static_cast<size_t>(place);
}

inline Combiner MakeCombiner(Opcode opcode, DType type, DType result) {
  Combiner combiner;
  for (int32_t i = 0; i < 2; ++i) {
    Node parameter;
    parameter.kind = NodeKind::kParameter;
    parameter.dtype = type;
    parameter.index = i;
    combiner.nodes.push_back(parameter);
  }
  Node op;
  op.opcode = opcode;
  op.dtype = result;
  op.num_operands = 2;
  op.operands[1] = 1;
  combiner.nodes.push_back(op);
  combiner.results = {2};
  return combiner;
}

inline Combiner MakeComparator(DType type, compiler::ComparisonDirection direction) {
  Combiner combiner = MakeCombiner(Opcode::kCompare, type, DType::kPred);
  combiner.nodes[2].compare = {direction, compiler::ComparisonType::kFloat};
  return combiner;
}

class LibraryTest : public ::testing::Test {
 protected:
  int64_t Below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(random_);
  }
  // Small integers, so that sums are exact.
  Array Random(DType type, Dims dims, int64_t spread = 5) {
    Array array(type, std::move(dims));
    const bool is_signed =
        InfoOf(type).kind == DTypeClass::kSigned || InfoOf(type).kind == DTypeClass::kFloat;
    for (double& value : array.values) {
      value = static_cast<double>(Below(spread) - (is_signed ? spread / 2 : 0));
      if (type == DType::kPred) value = value != 0 && Below(4) == 0;
    }
    return array;
  }
  std::mt19937_64 random_{7};
};

}  // namespace plinth::cuda::testing

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_LIBRARY_TEST_UTIL_H_
