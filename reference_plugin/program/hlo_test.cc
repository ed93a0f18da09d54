// SPDX-License-Identifier: Apache-2.0
#include "plinth/program/hlo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <protozero/pbf_writer.hpp>
#include <random>

#include "api/support/xla_message_fields.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_messages_for_tests.h"
#include "reference_plugin/program/test_files.h"

namespace plinth::program::hlo_testing {
namespace {

using messages::HloModuleConfigProto;
using messages::HloModuleProtoWithConfig;
using messages::LiteralProto;
using messages::ProgramShapeProto;
using protozero::pbf_writer;
using ::testing::HasSubstr;
using ::testing::Not;

void ExpectError(const std::string& proto, StatusCode code, const std::string& words) {
  const Expected<program::Module> module = ReadHlo(Bytes(proto));
  ASSERT_FALSE(module.ok()) << "expected: " << words;
  EXPECT_EQ(module.status().code(), code) << module.status().ToString();
  EXPECT_THAT(module.status().message(), HasSubstr(words));
}
void ExpectInvalid(const std::string& proto, const std::string& words) {
  ExpectError(proto, StatusCode::kInvalidArgument, words);
}

std::string Printed(const std::string& proto) {
  const Expected<program::Module> module = ReadHlo(Bytes(proto));
  if (!module.ok()) return module.status().ToString();
  return Print(*module);
}

// What is read prints and reads back as itself.
void ReadHostile(std::string_view proto, const std::string& what) {
  const Expected<program::Module> module = ReadHlo(Bytes(proto));
  if (!module.ok()) {
    EXPECT_TRUE(module.status().code() == StatusCode::kInvalidArgument ||
                module.status().code() == StatusCode::kUnimplemented)
        << what << ": " << module.status().ToString();
    return;
  }
  const Expected<program::Module> again = ReadText(Print(*module));
  ASSERT_TRUE(again.ok()) << what << ": " << again.status().ToString();
  std::string difference;
  EXPECT_TRUE(Equal(*module, *again, &difference)) << what << ": " << difference;
}

TEST(Hlo, RecordedProgramsAreRead) {
  const auto paths = FilesEndingWith(kTorchPrograms, ".hlo.pb");
  EXPECT_EQ(paths.size(), 33u);
  for (const auto& path : paths) {
    const std::string proto = LoadFile(path);
    const Expected<program::Module> module = ReadHlo(Bytes(proto));
    ASSERT_TRUE(module.ok()) << path << ": " << module.status().ToString();
    ReadHostile(proto, path);
    // The same with a configuration.
    const std::string with_config = AddHloConfig(proto);
    const Expected<program::Module> same = ReadHlo(Bytes(with_config));
    ASSERT_TRUE(same.ok()) << path << ": " << same.status().ToString();
    EXPECT_TRUE(Equal(*module, *same)) << path;
  }
}

TEST(Hlo, LayoutsOfShapesAreRead) {
  const std::string by_columns = ArrayShape(DType::kF32, {2, 3}, {0, 1});
  const std::string by_rows = ArrayShape(DType::kS64, {4, 5}, {1, 0});
  Expected<std::vector<ShapeLayout>> layouts =
      ReadShapeLayouts(TupleShape({by_columns, TupleShape({by_rows, kF32})}));
  ASSERT_TRUE(layouts.ok()) << layouts.status().ToString();
  ASSERT_EQ(layouts->size(), 3u);
  EXPECT_EQ((*layouts)[0].dims, (Ints{2, 3}));
  EXPECT_EQ((*layouts)[0].minor_to_major, (Ints{0, 1}));
  EXPECT_EQ((*layouts)[1].dims, (Ints{4, 5}));
  EXPECT_TRUE((*layouts)[1].minor_to_major.empty());
  EXPECT_TRUE((*layouts)[2].dims.empty());

  layouts = ReadShapeLayouts(ArrayShape(DType::kF32, {2, 3}, {0, 0}));
  EXPECT_THAT(layouts.status().ToString(), HasSubstr("the layout {0,0} of a shape with 2"));
  layouts = ReadShapeLayouts(std::string_view(by_columns).substr(0, by_columns.size() - 1));
  EXPECT_THAT(layouts.status().ToString(), HasSubstr("malformed protocol buffer"));
}

TEST(Hlo, TheConfigurationHasTheLayoutsThatWereAskedFor) {
  const std::string parameters[] = {"first", "second"};
  const std::string own = Text(ProgramShapeProto::kParameters, "own") +
                          Text(ProgramShapeProto::kResult, "own result") +
                          Text(ProgramShapeProto::kParameterNames, "name");
  const std::string module = Text(HloModuleProto::kHostProgramShape, own);
  const auto with = [&](const std::string& shape) {
    return Text(HloModuleProtoWithConfig::kHloModule, module) +
           Text(HloModuleProtoWithConfig::kConfig,
                Text(HloModuleConfigProto::kEntryComputationLayout, shape));
  };
  EXPECT_EQ(AddHloConfig(module), with(own));
  EXPECT_EQ(AddHloConfig(module, parameters, {}),
            with(Text(ProgramShapeProto::kResult, "own result") +
                 Text(ProgramShapeProto::kParameterNames, "name") +
                 Text(ProgramShapeProto::kParameters, "first") +
                 Text(ProgramShapeProto::kParameters, "second")));
  EXPECT_EQ(AddHloConfig(module, {}, "result"),
            with(Text(ProgramShapeProto::kParameters, "own") +
                 Text(ProgramShapeProto::kParameterNames, "name") +
                 Text(ProgramShapeProto::kResult, "result")));
}

TEST(Hlo, TuplesAreFlattenedAndDonationsFound) {
  const std::string pair = TupleShape({kPred, kF32});
  const std::string nested = TupleShape({kF32, pair});
  std::string proto = Simple(4, Parameter(0, 0, nested) + Parameter(1, 1, kF32) +
                                    Instruction(2, "get-tuple-element", pair, {0}, {},
                                                Int(HloInstructionProto::kTupleIndex, 1)) +
                                    Instruction(3, "get-tuple-element", kF32, {2}, {},
                                                Int(HloInstructionProto::kTupleIndex, 1)) +
                                    Instruction(4, "tuple", TupleShape({pair, kF32}), {2, 3}));
  using messages::AliasEntryProto;
  proto += Text(HloModuleProto::kInputOutputAlias,
                Text(1, Packed(AliasEntryProto::kOutputShapeIndex, {0, 1}) +
                            Packed(AliasEntryProto::kParameterShapeIndex, {1, 1})));
  proto += Text(HloModuleProto::kBufferDonor, Text(1, Int(1, 1)));
  const Expected<program::Module> module = ReadHlo(Bytes(proto));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const Function& main = *module->main();
  EXPECT_EQ(main.argument_types.size(), 4u);
  EXPECT_EQ(main.result_types.size(), 3u);
  EXPECT_EQ(main.body->operations.size(), 1u);  // No op is left but the return.
  EXPECT_THAT(main.body->operations[0].operands, testing::ElementsAre(1, 2, 2));
  EXPECT_EQ(Find(main.argument_attributes[2], "tf.aliasing_output")->integer(), 1);
  EXPECT_NE(Find(main.argument_attributes[3], "jax.buffer_donor"), nullptr);
  EXPECT_TRUE(main.argument_attributes[0].empty());
}

TEST(Hlo, FusionsStandInLineAndCallsAreFunctions) {
  const std::string fused =
      Computation(1, 2, Parameter(1, 0, kF32) + Instruction(2, "negate", kF32, {1}));
  const std::string module = Module(
      2, fused + Computation(2, 5,
                             Parameter(3, 0, kF32) + Instruction(4, "fusion", kF32, {3}, {1}) +
                                 Instruction(5, "call", kF32, {4}, {1})));
  const std::string text = Printed(module);
  EXPECT_THAT(text, HasSubstr("\"stablehlo.negate\""));
  EXPECT_THAT(text, HasSubstr("callee = @computation.1"));
}

TEST(Hlo, AsynchronousOpsAreDoneAtOnce) {
  const std::string start = TupleShape({kF32, kF32, ArrayShape(DType::kU32, {})});
  const auto program = [&](int64_t root) {
    return Simple(root, Parameter(0, 0, kF32) + Instruction(1, "copy-start", start, {0}) +
                            Instruction(2, "copy-done", kF32, {1}) +
                            Instruction(3, "negate", kF32, {2}) +
                            Instruction(4, "get-tuple-element", ArrayShape(DType::kU32, {}), {1},
                                        {}, Int(HloInstructionProto::kTupleIndex, 2)) +
                            Instruction(5, "tuple", TupleShape({kF32}), {3}));
  };
  EXPECT_THAT(Printed(program(3)), HasSubstr("\"stablehlo.negate\"(%arg0)"));
  ExpectError(program(4), StatusCode::kUnimplemented, "context of an asynchronous op");
}

// Every element type that has literals, in every form in which lists are written.
TEST(Hlo, LiteralsOfEveryType) {
  for (const HloElementType& type : kHloElementTypes) {
    if (type.form == HloLiteralForm::kNone) continue;
    const auto width = static_cast<size_t>(ByteSize(type.dtype));
    const int bits = InfoOf(type.dtype).bits;
    // Three elements: 1, 0, 1, as integers.
    std::string bytes(3 * width, '\0'), list;
    bytes[0] = bytes[2 * width] = 1;
    if (type.form == HloLiteralForm::kVarints) {
      list = Packed(type.literal_field, {1, 0, 1});
    } else {
      list = Text(type.literal_field, bytes);
    }
    const auto literal = [&](const std::string& elements) {
      const std::string shape = ArrayShape(type.dtype, {3}, {0});
      return Simple(1, Instruction(1, "constant", shape, {}, {},
                                   Text(HloInstructionProto::kLiteral,
                                        Text(LiteralProto::kShape, shape) + elements)));
    };
    const auto expect_elements = [&](const std::string& elements, const char* what) {
      const Expected<program::Module> module = ReadHlo(Bytes(literal(elements)));
      ASSERT_TRUE(module.ok()) << Name(type.dtype) << what << module.status().ToString();
      const AttributeRef value = module->main()->body->operations[0].Find("value");
      EXPECT_EQ(
          std::string(reinterpret_cast<const char*>(value->bytes().data()), value->bytes().size()),
          bytes)
          << Name(type.dtype) << what;
    };
    expect_elements(list, " packed ");
    if (type.form == HloLiteralForm::kVarints) {
      expect_elements(
          Int(type.literal_field, 1) + Int(type.literal_field, 0) + Int(type.literal_field, 1),
          " one by one ");
    }
    if (bits < 8 && type.dtype != DType::kPred) {
      const int packed = 1 | 1 << (2 * bits);
      expect_elements(
          Text(type.literal_field,
               bits == 4 ? std::string("\1\1") : std::string(1, static_cast<char>(packed))),
          " several a byte ");
    }
    const std::string longer = type.form == HloLiteralForm::kVarints
                                   ? Packed(type.literal_field, {1, 0, 1, 0})
                                   : Text(type.literal_field, bytes + std::string(width, '\0'));
    ExpectInvalid(literal(longer), "more than the 3 elements");
    ExpectInvalid(literal(""), "its literal has 0 bytes of elements, not the 3 elements");
  }
}

TEST(Hlo, LiteralsInAnyLayoutBecomeRowMajor) {
  const std::string shape = ArrayShape(DType::kS32, {2, 3}, {0, 1});
  const std::string proto =
      Simple(1, Instruction(1, "constant", shape, {}, {},
                            Text(HloInstructionProto::kLiteral,
                                 Text(LiteralProto::kShape, shape) +
                                     Packed(LiteralProto::kS32s, {0, 10, 1, 11, 2, 12}))));
  EXPECT_THAT(Printed(proto), HasSubstr("[[0, 1, 2], [10, 11, 12]]"));
}

// Four forms of one list, which XLA has written one after the other.
TEST(Hlo, GroupsInEveryForm) {
  using messages::AxisRefProto;
  using messages::CollectiveDeviceListProto;
  using messages::IotaReplicaGroupListProto;
  using messages::MeshAxesReplicaGroupListProto;
  using messages::MeshAxisProto;
  using messages::MeshProto;
  using messages::ReplicaGroupProto;
  using Field = HloInstructionProto;
  const auto groups = [](uint32_t field) {
    return Text(field, Packed(ReplicaGroupProto::kReplicaIds, {0, 2})) +
           Text(field, Packed(ReplicaGroupProto::kReplicaIds, {1, 3}));
  };
  const std::string formula = Int(IotaReplicaGroupListProto::kNumReplicaGroups, 2) +
                              Int(IotaReplicaGroupListProto::kNumDevicesPerGroup, 2) +
                              Packed(IotaReplicaGroupListProto::kIotaReshapeDims, {2, 2}) +
                              Packed(IotaReplicaGroupListProto::kIotaTransposePerm, {1, 0});
  const std::string axis = Text(MeshProto::kAxes, Int(MeshAxisProto::kSize, 2));
  const auto first_axis = [&](const std::string& mesh) {
    return Text(MeshAxesReplicaGroupListProto::kMesh, mesh) +
           Text(MeshAxesReplicaGroupListProto::kAxes, Int(AxisRefProto::kMeshAxisIndex, 0));
  };
  for (const std::string& form :
       {groups(Field::kReplicaGroups),
        Text(Field::kCollectiveDeviceList, groups(CollectiveDeviceListProto::kReplicaGroups)),
        Text(Field::kCollectiveDeviceList,
             Text(CollectiveDeviceListProto::kIotaReplicaGroupList, formula)),
        Text(Field::kIotaCollectiveDeviceList, formula),
        Text(Field::kMeshAxesReplicaGroupList, first_axis(axis + axis)),
        Text(Field::kMeshAxesReplicaGroupList,
             first_axis(axis + axis + Packed(MeshProto::kDeviceIds, {0, 1, 2, 3})))}) {
    EXPECT_THAT(Printed(Simple(1, Parameter(0, 0, kF32) +
                                      Instruction(1, "collective-broadcast", kF32, {0}, {}, form))),
                HasSubstr("replica_groups = dense<[[0, 2], [1, 3]]>"));
  }
  ExpectInvalid(
      Simple(1, Parameter(0, 0, kF32) +
                    Instruction(1, "collective-broadcast", kF32, {0}, {},
                                Text(Field::kMeshAxesReplicaGroupList, first_axis(axis)) +
                                    Text(Field::kMeshAxesReplicaGroupList, first_axis("")))),
      "axis 0 of a mesh that has 0");
}

TEST(Hlo, AnAllToAllOfATupleIsOneOfSlices) {
  const std::string text = Printed(
      Simple(2, Parameter(0, 0, kF32) + Parameter(1, 1, kF32) +
                    Instruction(2, "all-to-all", TupleShape({kF32, kF32}), {0, 1}, {},
                                Text(HloInstructionProto::kReplicaGroups,
                                     Packed(messages::ReplicaGroupProto::kReplicaIds, {0, 1})))));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.concatenate\""));
  EXPECT_THAT(text, HasSubstr("split_count = 2 : i64"));
  EXPECT_THAT(text, HasSubstr("tensor<2xf32>"));
  ExpectInvalid(Simple(1, Parameter(0, 0, kF32) +
                              Instruction(1, "all-to-all", TupleShape({kF32, kF32}), {0})),
                "is not 1 times one array");
}

// Through 2025 a comparison had a type, since then an order.
TEST(Hlo, ComparisonsHaveATypeOrAnOrder) {
  using Field = HloInstructionProto;
  const auto compare = [](const std::string& shape, const std::string& more) {
    return Printed(Simple(
        1, Parameter(0, 0, shape) + Instruction(1, "compare", kPred, {0, 0}, {},
                                                Text(Field::kComparisonDirection, "LT") + more)));
  };
  const auto total = HasSubstr("comparison_type TOTALORDER");
  EXPECT_THAT(compare(kF32, Text(Field::kComparisonType, "TOTALORDER")), total);
  EXPECT_THAT(compare(kF32, Text(Field::kComparisonOrder, "TOTAL")), total);
  EXPECT_THAT(compare(kF32, Text(Field::kComparisonOrder, "PARTIAL")), Not(total));
  EXPECT_THAT(compare(ArrayShape(DType::kS32, {}), Text(Field::kComparisonOrder, "TOTAL")),
              Not(total));
  EXPECT_THAT(compare(kF32, Text(Field::kComparisonOrder, "SOME")), HasSubstr("its order is"));
}

TEST(Hlo, PowersAndLogarithmsOfTwo) {
  const auto one = [](std::string_view opcode) {
    return Printed(Simple(1, Parameter(0, 0, kF32) + Instruction(1, opcode, kF32, {0})));
  };
  EXPECT_THAT(one("exp2"), HasSubstr("\"stablehlo.power\"(%1, %arg0)"));
  EXPECT_THAT(one("log2"), HasSubstr("\"stablehlo.multiply\""));
}

// XLA writes an instruction's fields in the order of their numbers. Nobody else has to.
TEST(Hlo, FieldsInAnyOrder) {
  const std::string matrix = ArrayShape(DType::kF32, {2, 3});
  const std::string flipped = ArrayShape(DType::kF32, {3, 2});
  const std::string dimensions = Packed(HloInstructionProto::kDimensions, {1, 0});
  const std::string transpose[] = {
      Text(HloInstructionProto::kName, "t"), Text(HloInstructionProto::kOpcode, "transpose"),
      Text(HloInstructionProto::kShape, flipped), Int(HloInstructionProto::kId, 2),
      Packed(HloInstructionProto::kOperandIds, {1})};
  std::string expected;
  for (size_t place = 0; place <= std::size(transpose); ++place) {
    std::string fields;
    for (size_t i = 0; i < std::size(transpose); ++i) {
      if (i == place) fields += dimensions;
      fields += transpose[std::size(transpose) - 1 - i];
    }
    if (place == std::size(transpose)) fields += dimensions;
    const std::string printed = Printed(
        Simple(2, Parameter(1, 0, matrix) + Text(HloComputationProto::kInstructions, fields)));
    EXPECT_THAT(printed, HasSubstr("permutation = array<i64: 1, 0>"));
    if (place == 0) expected = printed;
    EXPECT_EQ(printed, expected);
  }
}

TEST(Hlo, IdsAreAnyNumbers) {
  // A chain that adds each value to itself.
  const auto chain = [](const Ints& ids) {
    std::string instructions = Parameter(ids[0], 0, kF32);
    for (size_t i = 1; i < ids.size(); ++i) {
      instructions += Instruction(ids[i], "add", kF32, {ids[i - 1], ids[i - 1]});
    }
    return Printed(Simple(ids.back(), instructions));
  };
  const std::string expected = chain({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(expected, HasSubstr("add"));
  EXPECT_EQ(chain({8, 7, 6, 5, 4, 3, 2, 1}), expected);
  EXPECT_EQ(chain({0, INT32_MAX, INT32_MIN, -1, 1, int64_t{1} << 31 | 1, 100, 3}), expected);
  EXPECT_EQ(chain({INT32_MIN, INT32_MAX, 0, 5, -5, 6, 7, 8}), expected);
  ExpectInvalid(Simple(1, Parameter(1, 0, kF32) + Parameter(1, 1, kF32)), "as has another");
  ExpectInvalid(
      Simple(1, Parameter(1, 0, kF32) + Parameter(900, 1, kF32) + Parameter(900, 2, kF32)),
      "as has another");
}

TEST(Hlo, IdsMayBeginWithThatOfTheComputation) {
  const int64_t of_computation = int64_t{1} << 32;
  const std::string expected =
      Printed(Simple(2, Parameter(1, 0, kF32) + Instruction(2, "negate", kF32, {1})));
  for (const int64_t operand : {int64_t{1}, of_computation | 1}) {
    EXPECT_EQ(Printed(Simple(of_computation | 2,
                             Parameter(of_computation | 1, 0, kF32) +
                                 Instruction(of_computation | 2, "negate", kF32, {operand}))),
              expected);
  }
  ExpectInvalid(Simple(1, Parameter(1, 0, kF32) + Parameter(of_computation | 1, 1, kF32)),
                "it has the id 1, as has another");
}

TEST(Hlo, ErrorsNameInstructionAndComputation) {
  ExpectInvalid(
      Simple(1, Parameter(0, 0, kF32) + Instruction(1, "get-tuple-element", kF32, {0})),
      "HLO: get-tuple-element %get-tuple-element.1 of computation %computation.1: it asks "
      "for element 0 of f32[]");
}

TEST(HostileHlo, WhatIsNotThere) {
  const std::string parameter = Parameter(0, 0, kF32);
  ExpectInvalid("", "no computations");
  ExpectInvalid("\xFF", "malformed protocol buffer of 1 bytes");
  ExpectInvalid(Module(7, Computation(1, 0, parameter)), "entry computation has the id 7");
  ExpectInvalid(Simple(7, parameter), "root has the id 7");
  ExpectInvalid(Simple(0, ""), "no instructions");
  ExpectInvalid(Simple(1, parameter + Instruction(1, "negate", kF32, {9})),
                "operand 0 has the id 9, which no instruction before it has");
  ExpectInvalid(Simple(1, parameter + Instruction(1, "negate", kF32, {1})),
                "operand 0 has the id 1, which no instruction before it has");
  ExpectInvalid(Simple(1, parameter + Instruction(1, "call", kF32, {0}, {1})),
                "called computation 0 has the id 1, which no computation before it has");
  ExpectInvalid(Simple(0, parameter + parameter), "as has another instruction");
  ExpectInvalid(Module(1, Computation(1, 0, parameter) + Computation(1, 0, parameter)),
                "as has another one");
  ExpectInvalid(Simple(0, Parameter(0, 5, kF32)), "there is a parameter 5, but 1 parameters");
  ExpectInvalid(Simple(0, Parameter(0, 0, kF32) + Parameter(1, 0, kF32)),
                "there are two parameters 0");
  ExpectInvalid(Simple(1, Instruction(1, "constant", kF32)), "it has no literal");
  ExpectInvalid(Simple(0, Parameter(0, 0, ArrayShape(DType::kF32, {-1}))), "is not possible");
  ExpectInvalid(Simple(0, Parameter(0, 0, ArrayShape(DType::kF32, {2}, {1}))),
                "the layout {1} of a shape with 1 dimensions");
  for (const auto& [alias, words] :
       {std::pair(Int(2, 4), "names parameter 4; the entry computation has 1"),
        std::pair(Packed(3, {0}), "names {0} of parameter 0, which is f32[]"),
        std::pair(Packed(1, {2}), "names {2} of the result, which is f32[]")}) {
    ExpectInvalid(Simple(0, parameter) + Text(HloModuleProto::kInputOutputAlias, Text(1, alias)),
                  words);
  }
  ExpectInvalid(Simple(0, parameter) + Text(HloModuleProto::kBufferDonor, Text(1, Int(1, -1))),
                "buffer_donor names parameter -1");
}

TEST(HostileHlo, WhatIsNotSupportedIsNamed) {
  const auto expect = [](const std::string& instruction, const std::string& words) {
    ExpectError(Simple(1, Parameter(0, 0, kF32) + instruction), StatusCode::kUnimplemented, words);
  };
  expect(Instruction(1, "wobble", kF32, {0}), "opcode \"wobble\" is not known");
  expect(Instruction(1, "dynamic-reshape", kF32, {0}), "dynamic-reshape is not supported");
  expect(Instruction(1, "infeed", kF32, {0}), "infeed is not supported");
  expect(Instruction(1, "scan", kF32, {0}), "scan is not supported");
  expect(Instruction(1, "negate", Int(ShapeProto::kElementType, 14), {0}),
         "element type 14 of a shape is not known");
  expect(
      Instruction(1, "negate",
                  ArrayShape(DType::kF32, {2}) + Packed(ShapeProto::kIsDynamicDimension, {1}), {0}),
      "dynamic dimensions");
}

TEST(HostileHlo, ShapesThatDoNotFit) {
  const std::string pair = TupleShape({kF32, kF32});
  const auto simple = [](const std::string& instruction) {
    return Simple(1, Parameter(0, 0, kF32) + instruction);
  };
  ExpectInvalid(simple(Instruction(1, "copy", kPred, {0})), "its shape pred[] is not that of");
  ExpectInvalid(simple(Instruction(1, "tuple", pair, {0})), "its shape (f32[], f32[])");
  ExpectInvalid(simple(Instruction(1, "negate", pair, {0})), "it has 2 results, not 1");
  ExpectInvalid(simple(Instruction(1, "add", kF32, {0})), "it has 1 operands, not 2");
  ExpectInvalid(simple(Instruction(1, "while", kF32, {0})), "it calls 0 computations, not 2");
  const std::string branch = Computation(7, 3, Parameter(3, 0, kPred));
  ExpectInvalid(Module(1, branch + Computation(1, 1,
                                               Parameter(0, 0, kF32) +
                                                   Instruction(1, "fusion", kPred, {0}, {7}))),
                "parameters of computation %computation.7 are not the 1 values");
}

TEST(HostileHlo, ShapesNestedDeep) {
  std::string shape = kF32;
  for (int i = 0; i < 10'000; ++i) shape = TupleShape({shape});
  ExpectInvalid(Simple(0, Parameter(0, 0, shape)), "nested deeper than 64");
}

TEST(HostileHlo, ComputationsNestedDeep) {
  // Each has a fusion of the one before.
  std::string computations = Computation(0, 1, Parameter(1, 0, kF32));
  for (int i = 1; i <= 10'000; ++i) {
    computations +=
        Computation(i, 2, Parameter(1, 0, kF32) + Instruction(2, "fusion", kF32, {1}, {i - 1}));
  }
  ExpectInvalid(Module(10'000, computations), "deeper than 200");
}

// Thirty computations, each of which has the one before twice.
TEST(HostileHlo, ComputationsThatMultiply) {
  std::string computations = Computation(0, 1, Parameter(1, 0, kF32));
  for (int i = 1; i <= 30; ++i) {
    computations +=
        Computation(i, 3,
                    Parameter(1, 0, kF32) + Instruction(2, "fusion", kF32, {1}, {i - 1}) +
                        Instruction(3, "fusion", kF32, {2}, {i - 1}));
  }
  ExpectInvalid(Module(30, computations), "out of proportion");
}

TEST(HostileHlo, ATupleIsRepeatedWithoutMuchMemory) {
  // One of a thousand arrays, which each of a thousand instructions passes on.
  const std::string wide = TupleShape(std::vector<std::string>(1000, kF32));
  std::string instructions = Parameter(0, 0, wide);
  for (int i = 1; i < 1000; ++i) {
    instructions += Instruction(i, "get-tuple-element", kF32, {0}, {},
                                Int(HloInstructionProto::kTupleIndex, i));
  }
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  const std::clock_t start = std::clock();
  const Expected<program::Module> module = ReadHlo(Bytes(Simple(0, instructions)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024);
}

TEST(HostileHlo, CutAtEveryByte) {
  for (const char* name : {"train_1", "scan_1", "sort_1", "bf16_1"}) {
    const std::string proto = LoadFile(StrCat(kTorchPrograms, name, ".hlo.pb"));
    ASSERT_FALSE(proto.empty());
    for (size_t size = 0; size < proto.size(); ++size) {
      // An exact copy, so that a sanitizer sees a read past its end.
      const std::vector<char> part(proto.begin(), proto.begin() + static_cast<ptrdiff_t>(size));
      const Expected<program::Module> module = ReadHlo(std::as_bytes(std::span<const char>(part)));
      // Fields may be missing at the end of a message.
      if (!module.ok()) {
        ASSERT_TRUE(module.status().code() == StatusCode::kInvalidArgument ||
                    module.status().code() == StatusCode::kUnimplemented)
            << module.status().ToString();
      }
    }
  }
}

TEST(HostileHlo, FuzzCorpus) {
  const auto paths = FilesEndingWith("testdata/hlo_fuzz", "");
  EXPECT_GE(paths.size(), 60u);
  for (const auto& path : paths) ReadHostile(LoadFile(path), path.string());
}

TEST(HostileHlo, FlippedBits) {
  std::mt19937 random(19);
  for (const auto& path : FilesEndingWith(kTorchPrograms, ".hlo.pb")) {
    const std::string proto = LoadFile(path);
    if (proto.size() > 8000) continue;
    for (int round = 0; round < 60; ++round) {
      std::string hostile = proto;
      for (int flips = 1 + round % 4; flips > 0; --flips) {
        hostile[random() % hostile.size()] ^= static_cast<char>(1 << random() % 8);
      }
      ReadHostile(hostile, StrCat(path.string(), " round ", round));
    }
  }
}

}  // namespace
}  // namespace plinth::program::hlo_testing
