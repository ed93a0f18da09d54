// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/program/hlo.h"
#include "reference_plugin/program/hlo_messages_for_tests.h"
#include "reference_plugin/program/test_files.h"

// What the ops of an HLO module say of where they come from.
namespace plinth::program::hlo_testing {
namespace {

using messages::FileLocationProto;
using messages::OpMetadataProto;
using messages::StackFrameIndexProto;
using messages::StackFrameProto;
using ::testing::HasSubstr;

std::string Metadata(const std::string& fields) {
  return Text(HloInstructionProto::kMetadata, fields);
}
std::string Negate(const std::string& more) {
  return Simple(1, Parameter(0, 0, kF32) + Instruction(1, "negate", kF32, {0}, {}, more));
}
// Of the first op.
std::string LocationIn(const std::string& proto) {
  const Expected<program::Module> module = ReadHlo(Bytes(proto));
  if (!module.ok()) return module.status().ToString();
  return ToString(module->main()->body->operations[0].location);
}

TEST(HloLocations, AnOpHasItsNameAndWhatTheFrameworkSaid) {
  EXPECT_EQ(LocationIn(Negate("")), "\"negate.1\"(\"computation.1\")");
  EXPECT_EQ(LocationIn(Negate(Metadata(""))), "\"negate.1\"(\"computation.1\")");
  const std::string name = Text(OpMetadataProto::kOpName, "jit(f)/neg");
  EXPECT_EQ(LocationIn(Negate(Metadata(name))), "\"jit(f)/neg\", \"negate.1\"(\"computation.1\")");
  const std::string place = Text(OpMetadataProto::kSourceFile, "f.py") +
                            Int(OpMetadataProto::kSourceLine, 3) +
                            Int(OpMetadataProto::kSourceColumn, 9);
  EXPECT_EQ(LocationIn(Negate(Metadata(place))), "f.py:3:9, \"negate.1\"(\"computation.1\")");
  EXPECT_EQ(LocationIn(Negate(Metadata(name + place))),
            "\"jit(f)/neg\"(f.py:3:9), \"negate.1\"(\"computation.1\")");
}

TEST(HloLocations, StackFramesAreOfTheModule) {
  const auto frames = [](int64_t location) {
    return Text(HloModuleProto::kStackFrameIndex,
                Text(StackFrameIndexProto::kFileNames, "a.py") +
                    Text(StackFrameIndexProto::kFileNames, "b.py") +
                    Text(StackFrameIndexProto::kFileLocations,
                         Int(FileLocationProto::kFileNameId, 2) + Int(FileLocationProto::kLine, 7) +
                             Int(FileLocationProto::kColumn, 5)) +
                    Text(StackFrameIndexProto::kStackFrames,
                         Int(StackFrameProto::kFileLocationId, location)));
  };
  const auto with_frame = [](int64_t frame) {
    return Negate(Metadata(Int(OpMetadataProto::kStackFrameId, frame)));
  };
  EXPECT_EQ(LocationIn(with_frame(1) + frames(1)), "b.py:7:5, \"negate.1\"(\"computation.1\")");
  // Places that are not there say nothing.
  EXPECT_EQ(LocationIn(with_frame(2) + frames(1)), "\"negate.1\"(\"computation.1\")");
  EXPECT_EQ(LocationIn(with_frame(-1) + frames(1)), "\"negate.1\"(\"computation.1\")");
  EXPECT_THAT(LocationIn(with_frame(1) + frames(9)), HasSubstr(":0:0, \"negate.1\""));
}

// A thousand stack frames in one file, and as many ops that have one each.
TEST(HloLocations, ManyFramesInOneFileTakeLittleMemory) {
  std::string instructions = Parameter(0, 0, kF32), frames;
  for (int i = 1; i <= 1000; ++i) {
    instructions +=
        Instruction(i, "negate", kF32, {0}, {}, Metadata(Int(OpMetadataProto::kStackFrameId, i)));
    frames += Text(StackFrameIndexProto::kStackFrames, Int(StackFrameProto::kFileLocationId, 1));
  }
  const std::string index =
      Text(StackFrameIndexProto::kFileNames, std::string(100'000, 'f')) +
      Text(StackFrameIndexProto::kFileLocations, Int(FileLocationProto::kFileNameId, 1)) + frames;
  const Expected<program::Module> module =
      ReadHlo(Bytes(Simple(1, instructions) + Text(HloModuleProto::kStackFrameIndex, index)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_LT(module->memory(), 1'000'000u);
}

// One instruction becomes many ops: its name and what else it says are there once.
TEST(HloLocations, AnInstructionOfManyOpsTakesLittleMemory) {
  const std::string long_text(100'000, 'n');
  const std::string frontend = Text(messages::FrontendAttributesProto::kMap,
                                    Text(messages::FrontendAttributeEntry::kKey, "key") +
                                        Text(messages::FrontendAttributeEntry::kValue, long_text));
  const Ints operands(500, 0);
  const Expected<program::Module> module = ReadHlo(Bytes(
      Simple(1, Parameter(0, 0, kF32) +
                    Instruction(1, "all-to-all", TupleShape(std::vector<std::string>(500, kF32)),
                                operands, {},
                                Text(HloInstructionProto::kName, long_text) +
                                    Text(HloInstructionProto::kFrontendAttributes, frontend)))));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_GT(module->main()->body->operations.size(), 1000u);
  EXPECT_LT(module->memory(), 1'500'000u);
}

}  // namespace
}  // namespace plinth::program::hlo_testing
