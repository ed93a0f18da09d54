// SPDX-License-Identifier: Apache-2.0
#include "plinth/program/compile_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "reference_plugin/program/sharding_text.h"
#include "reference_plugin/program/test_files.h"

namespace plinth::program {
namespace {

CompileOptions MustRead(const std::string& name) {
  const std::string file = LoadFile(kJaxPrograms + name + ".compileopts.pb");
  Expected<CompileOptions> options = ReadCompileOptions(Bytes(file));
  EXPECT_TRUE(options.ok()) << name << ": " << options.status().ToString();
  return options.ok() ? *std::move(options) : CompileOptions();
}

TEST(CompileOptions, OfJax) {
  for (const std::string& name : JaxProgramNames()) {
    const CompileOptions options = MustRead(name);
    EXPECT_EQ(options.num_replicas, 1) << name;
    EXPECT_EQ(options.device_ordinal, -1) << name;
    EXPECT_EQ(options.profile_version, -1) << name;
    EXPECT_EQ(options.process_count, 1) << name;
    EXPECT_TRUE(options.use_spmd_partitioning) << name;
    EXPECT_GT(options.debug_options.size(), 100u) << name;
    ASSERT_TRUE(options.device_assignment.has_value()) << name;
    EXPECT_EQ(options.device_assignment->num_partitions, options.num_partitions) << name;
  }
  EXPECT_TRUE(MustRead("conv").allow_in_place_mlir_modification);
  EXPECT_FALSE(MustRead("cpuplatform_io_callback").allow_in_place_mlir_modification);
  const CompileOptions shard = MustRead("shard_jit");
  EXPECT_EQ(shard.num_partitions, 2);
  EXPECT_TRUE(shard.use_shardy_partitioner);
  EXPECT_EQ(shard.device_assignment->At(0, 0), 0);
  EXPECT_EQ(shard.device_assignment->At(0, 1), 1);
  EXPECT_FALSE(MustRead("gspmd_shard_out").use_shardy_partitioner);
}

TEST(CompileOptions, WrittenAndReadAgainLoseNothing) {
  CompileOptions options = MustRead("shard_jit");
  options.env_option_overrides = {
      {"a", std::string("text")}, {"b", true}, {"c", int64_t{-5}}, {"d", 0.25}};
  options.unknown_fields.push_back({77, std::string("\xE8\x04\x2A", 3)});  // Field 77, varint 42.
  options.argument_layouts = {"a shape", ""};
  options.result_layout = "another";
  const std::string written = WriteCompileOptions(options);
  Expected<CompileOptions> again = ReadCompileOptions(Bytes(written));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->argument_layouts, options.argument_layouts);
  EXPECT_EQ(again->result_layout, options.result_layout);
  EXPECT_EQ(again->env_option_overrides, options.env_option_overrides);
  EXPECT_EQ(again->unknown_fields, options.unknown_fields);
  EXPECT_EQ(again->unknown_build_fields, options.unknown_build_fields);
  EXPECT_EQ(again->device_assignment, options.device_assignment);
  EXPECT_EQ(again->debug_options, options.debug_options);
  EXPECT_EQ(again->allow_spmd_sharding_propagation_to_output,
            options.allow_spmd_sharding_propagation_to_output);
  EXPECT_EQ(again->profile_version, -1);
  EXPECT_EQ(WriteCompileOptions(*again), written);
}

TEST(CompileOptions, EmptyMeansDefaults) {
  Expected<CompileOptions> options = ReadCompileOptions({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->num_partitions, 1);
  EXPECT_FALSE(options->device_assignment.has_value());
}

TEST(CompileOptions, MalformedIsAnError) {
  const std::string file = LoadFile(std::string(kJaxPrograms) + "conv.compileopts.pb");
  std::mt19937 random(3);
  for (size_t size = 0; size < file.size(); ++size) {
    (void)ReadCompileOptions(Bytes(std::string_view(file).substr(0, size)));
    std::string flipped = file;
    flipped[size] ^= static_cast<char>(1 << (random() % 8));
    Expected<CompileOptions> options = ReadCompileOptions(Bytes(flipped));
    if (!options.ok()) {
      EXPECT_EQ(options.status().code(), StatusCode::kInvalidArgument);
      EXPECT_NE(options.status().message().find("CompileOptionsProto"), std::string_view::npos);
    }
  }
  // num_replicas (field 4 of field 3) as a string.
  const std::string wrong("\x1A\x03\x22\x01x", 5);
  Expected<CompileOptions> options = ReadCompileOptions(Bytes(wrong));
  ASSERT_FALSE(options.ok());
  EXPECT_NE(options.status().message().find("executable_build_options: field 4"),
            std::string_view::npos)
      << options.status().ToString();
}

TEST(DeviceAssignment, CountsMustAgree) {
  const DeviceAssignment assignment = {2, 2, {0, 1, 2, 3}};
  const std::string written = WriteDeviceAssignment(assignment);
  Expected<DeviceAssignment> again = ReadDeviceAssignment(Bytes(written));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, assignment);
  // Three replicas, of which each of two computations names two devices.
  const std::string lying("\x08\x03\x10\x02\x1a\x04\x0a\x02\x00\x02\x1a\x04\x0a\x02\x01\x03", 16);
  EXPECT_FALSE(ReadDeviceAssignment(Bytes(lying)).ok());
  const std::string no_replicas("\x10\x01\x1a\x00", 4);  // One computation on no device.
  EXPECT_FALSE(ReadDeviceAssignment(Bytes(no_replicas)).ok());
}

TEST(OpSharding, BytesThatJaxReads) {
  EXPECT_EQ(WriteOpSharding({}), std::string("\x08\x00", 2));
  const OpSharding tiled = {OpSharding::Kind::kTiled, {2, 1, 2}, {0, 1, 2, 3}, true, {}};
  const std::string written = WriteOpSharding(tiled);
  EXPECT_EQ(written,
            std::string("\x08\x03\x1A\x03\x02\x01\x02\x22\x04\x00\x01\x02\x03\x30\x01", 15));
  Expected<OpSharding> again = ReadOpSharding(Bytes(written));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, tiled);
  const OpSharding tuple = {OpSharding::Kind::kTuple, {}, {}, false, {tiled, {}}};
  again = ReadOpSharding(Bytes(WriteOpSharding(tuple)));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, tuple);
  // As jaxlib 0.10.2 writes {devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dims={replicated}} for many
  // devices.
  OpSharding iota = {OpSharding::Kind::kTiled, {2, 1, 4}, {}, false, {}};
  iota.iota_reshape_dims = {2, 2, 2};
  iota.iota_transpose_perm = {1, 0, 2};
  iota.last_tile_dims = {OpSharding::Kind::kReplicated};
  const std::string iota_written = WriteOpSharding(iota);
  EXPECT_EQ(iota_written, std::string("\x08\x03\x1A\x03\x02\x01\x04\x42\x01\x00\x4A\x03\x02\x02\x02"
                                      "\x52\x03\x01\x00\x02",
                                      20));
  again = ReadOpSharding(Bytes(iota_written));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, iota);
  EXPECT_FALSE(ReadOpSharding(Bytes(std::string("\x08\x07", 2))).ok());
  EXPECT_FALSE(ReadOpSharding(Bytes(std::string("\x42\x01\x09", 3))).ok());
}

// XLA of 2026 names the axes of a mesh. The bytes are those of jaxlib 0.12.0.1, the tiles those
// that its v3_to_v2_sharding gives, with axes that follow one another kept apart.
TEST(OpSharding, AxesOfAMeshBecomeTiles) {
  const auto text_of = [](std::string_view hex) {
    std::string bytes;
    for (size_t i = 0; i < hex.size(); i += 2) {
      bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
    }
    const Expected<OpSharding> sharding = ReadOpSharding(Bytes(bytes));
    return sharding.ok() ? WriteShardingText(*sharding) : sharding.status().ToString();
  };
  // {mesh['x'=2,'y'=2], [{'x'}, {'y'}]}, and the other way round.
  EXPECT_EQ(text_of("721e120e0a050a017810020a050a017910021a040a0010011a060a0208011001"),
            "{devices=[2,2]<=[2,2]T(0,1)}");
  EXPECT_EQ(text_of("721e120e0a050a017810020a050a017910021a060a02080110011a040a001001"),
            "{devices=[2,2]<=[2,2]T(1,0)}");
  // [{'y'}, {}]; two axes of one dimension; parts of an axis: {mesh['x'=4,'y'=2], ['x':(2)2,
  // 'x':(1)2]}.
  EXPECT_EQ(text_of("721c120e0a050a017810020a050a017910021a060a02080110011a021001"),
            "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(text_of("721e120e0a050a017810020a050a017910021a080a0208010a0010011a021001"),
            "{devices=[4,1]<=[2,2]T(1,0)}");
  EXPECT_EQ(
      text_of("7228120e0a050a017810040a050a017910021a0a0a0612040802100210011a0a0a06120408011002"
              "1001"),
      "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
  // The middle of an axis of 8; manual and unreduced axes.
  EXPECT_EQ(text_of("721912070a050a017810081a0a0a0612040802100210011a021001"),
            "{devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
  EXPECT_EQ(
      text_of("722912150a050a017810020a050a017910020a050a017a10021a060a02080110011a0210012a0208"
              "023a00"),
      "{devices=[2,1,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual, unreduced}}");
  EXPECT_EQ(text_of("721e120e0a050a017810020a050a017910021a0210011a0210013a003a020801"),
            "{manual}");
  EXPECT_EQ(text_of("7218120e0a050a017810020a050a017910021a0210011a021001"), "{replicated}");
  // Devices in a list, and by a formula.
  EXPECT_EQ(text_of("722012140a050a017810020a050a017910021204030102001a040a0010011a021001"),
            "{devices=[2,1,2]3,1,2,0 last_tile_dim_replicate}");
  EXPECT_EQ(text_of("722412180a050a017810020a050a017910021a080a020202120201001a040a0010011a021001"),
            "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  // An axis that is not there, one twice, and half of an axis of 3.
  EXPECT_THAT(text_of("720d12070a050a017810021a020a00720f12070a050a017810021a040a020805"),
              testing::HasSubstr("axis 5 of a mesh that has 1"));
  EXPECT_THAT(text_of("720f12070a050a017810021a040a000a00"), testing::HasSubstr("is used twice"));
  EXPECT_THAT(text_of("721312070a050a017810031a080a06120408011002"),
              testing::HasSubstr("the part (1)2 of an axis of 3 devices"));
}

// As jaxlib 0.10.2 writes {devices=[2,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual}}.
TEST(OpSharding, IotaAndLastTileDims) {
  const std::string bytes(
      "\x08\x03\x1A\x03\x02\x02\x02\x42\x01\x04\x4A\x03\x02\x02\x02\x52\x03\x00\x02\x01", 20);
  const Expected<OpSharding> sharding = ReadOpSharding(Bytes(bytes));
  ASSERT_TRUE(sharding.ok());
  EXPECT_EQ(sharding->last_tile_dims, std::vector{OpSharding::Kind::kManual});
  EXPECT_EQ(sharding->iota_reshape_dims, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(sharding->iota_transpose_perm, (std::vector<int64_t>{0, 2, 1}));
  EXPECT_EQ(WriteOpSharding(*sharding), bytes);
  EXPECT_EQ(ReadOpSharding(Bytes(std::string("\x08\x07", 2))).status().code(),
            StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace plinth::program
