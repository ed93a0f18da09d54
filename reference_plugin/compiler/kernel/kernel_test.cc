// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/kernel/kernel.h"

#include <gtest/gtest.h>

#include <functional>

namespace plinth::compiler {
namespace {

Node Make(NodeKind kind, DType type, int32_t index = 0) {
  Node node;
  node.kind = kind;
  node.dtype = type;
  node.index = index;
  return node;
}

Node Add(DType type, int32_t a, int32_t b) {
  Node node = Make(NodeKind::kOp, type);
  node.opcode = Opcode::kAdd;
  node.num_operands = 2;
  node.operands[0] = a;
  node.operands[1] = b;
  return node;
}

// The sum of each row of f32[4,8], padded to 9 columns.
Kernel RowSums() {
  Kernel kernel;
  kernel.name = "sum";
  kernel.shape.extents = {4, 9};
  kernel.shape.num_parallel = 1;
  Access input;
  input.dtype = DType::kF32;
  input.byte_strides = {32, 4};
  input.bounds = {{{0, 1}, 0, 8}};
  kernel.shape.inputs = {input};
  Access output;
  output.dtype = DType::kF32;
  output.byte_strides = {4, 0};
  kernel.shape.outputs = {output};
  Phase all, point;
  all.over_reduced = true;
  all.nodes = {Make(NodeKind::kInput, DType::kF32), Make(NodeKind::kConstant, DType::kF32)};
  Reduction reduction;
  reduction.inputs = {0};
  reduction.initial = {1};
  reduction.combiner.nodes = {Make(NodeKind::kParameter, DType::kF32, 0),
                              Make(NodeKind::kParameter, DType::kF32, 1), Add(DType::kF32, 0, 1)};
  reduction.combiner.results = {2};
  all.reductions = {reduction};
  point.nodes = {Make(NodeKind::kReduced, DType::kF32)};
  point.stores = {{0, 0}};
  kernel.body.phases = {all, point};
  return kernel;
}

TEST(KernelTest, AcceptsAndPrints) {
  const Kernel kernel = RowSums();
  EXPECT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString();
  EXPECT_EQ(ToString(kernel),
            "kernel \"sum\" [4, reduce 9]\n"
            "  input 0: f32 buffer 0 strides [32, 4] if 0 <= 0 + [0, 1] . p < 8 else 0\n"
            "  output 0: f32 buffer 0 strides [4, 0]\n"
            "  phase 0, every point\n"
            "    n0: f32 = input 0\n"
            "    n1: f32 = constant 0\n"
            "    reduction 0: n0 from n1\n"
            "      n0: f32 = parameter 0\n"
            "      n1: f32 = parameter 1\n"
            "      n2: f32 = add n0, n1\n"
            "      n2\n"
            "  phase 1\n"
            "    n0: f32 = reduced 0.0\n"
            "    output 0 = n0\n");
}

TEST(KernelTest, SameWorkWhateverTheName) {
  const Kernel kernel = RowSums();
  Kernel other = kernel;
  other.name = "another";
  EXPECT_TRUE(SameWork(kernel, other));
  EXPECT_EQ(WorkHash(kernel), WorkHash(other));
  const std::function<void(Kernel&)> changes[] = {
      [](Kernel& k) { k.shape.extents[0] = 5; },
      [](Kernel& k) { k.shape.inputs[0].bounds[0].extent = 7; },
      [](Kernel& k) { k.shape.inputs[0].fill.low = 1; },
      [](Kernel& k) { k.shape.outputs[0].buffer = 1; },
      [](Kernel& k) { k.body.phases[0].nodes[1].constant.low = 1; },
      [](Kernel& k) {
        k.body.phases[0].reductions[0].combiner.nodes[2].opcode = Opcode::kMultiply;
      },
      [](Kernel& k) { k.body.phases.pop_back(); },
  };
  for (const auto& change : changes) {
    other = kernel;
    change(other);
    EXPECT_FALSE(SameWork(kernel, other)) << ToString(other);
  }
}

TEST(KernelTest, RefusesWhatBreaksARule) {
  struct Case {
    const char* message;
    std::function<void(Kernel*)> change;
  };
  const Case cases[] = {
      {"an extent is negative", [](Kernel* k) { k->shape.extents[0] = -4; }},
      {"overflows",
       [](Kernel* k) {
         k->shape.extents = {int64_t{1} << 40, int64_t{1} << 40};
       }},
      {"3 parallel dimensions", [](Kernel* k) { k->shape.num_parallel = 3; }},
      {"1 strides for a domain of rank 2",
       [](Kernel* k) { k->shape.inputs[0].byte_strides = {4}; }},
      {"bound coefficients", [](Kernel* k) { k->shape.inputs[0].bounds[0].coefficients = {}; }},
      {"an output access has bounds",
       [](Kernel* k) { k->shape.outputs[0].bounds = k->shape.inputs[0].bounds; }},
      {"type token", [](Kernel* k) { k->shape.inputs[0].dtype = DType::kToken; }},
      {"input 7 of 1", [](Kernel* k) { k->body.phases[0].nodes[0].index = 7; }},
      {"what it reads is f32", [](Kernel* k) { k->body.phases[0].nodes[0].dtype = DType::kF64; }},
      {"is not of an earlier phase",
       [](Kernel* k) { k->body.phases[0].nodes[0] = Make(NodeKind::kReduced, DType::kF32); }},
      {"does not run over the reduced dimensions",
       [](Kernel* k) { k->body.phases[0].over_reduced = false; }},
      {"neither a constant nor an input with zero strides",
       [](Kernel* k) { k->body.phases[0].reductions[0].initial[0] = 0; }},
      {"which is not before it",
       [](Kernel* k) { k->body.phases[0].reductions[0].combiner.nodes[2].operands[0] = 2; }},
      {"add of (f32, f32) to s32",
       [](Kernel* k) { k->body.phases[0].reductions[0].combiner.nodes[2].dtype = DType::kS32; }},
      {"parameter 2 of 2",
       [](Kernel* k) { k->body.phases[0].reductions[0].combiner.nodes[1].index = 2; }},
      {"combiner result 9",
       [](Kernel* k) { k->body.phases[0].reductions[0].combiner.results[0] = 9; }},
      {"to output 3", [](Kernel* k) { k->body.phases[1].stores[0].output = 3; }},
  };
  for (const Case& c : cases) {
    Kernel kernel = RowSums();
    c.change(&kernel);
    const Status status = Verify(kernel);
    EXPECT_EQ(status.code(), StatusCode::kInternal) << c.message;
    EXPECT_NE(status.message().find(c.message), std::string::npos) << status.ToString();
  }
}

}  // namespace
}  // namespace plinth::compiler
