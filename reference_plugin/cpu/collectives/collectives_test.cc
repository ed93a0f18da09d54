// SPDX-License-Identifier: Apache-2.0
// Programs with collectives on several devices of one client.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <complex>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/run/collective_step.h"
#include "reference_plugin/backend/testing/fleet.h"
#include "reference_plugin/cpu/backend.h"
#include "reference_plugin/cpu/collectives/collectives_test_util.h"
#include "reference_plugin/cpu/pjrt/client.h"

namespace plinth::backend {

std::shared_ptr<const Backend> BackendUnderTest() { return cpu::MakeBackend(); }

std::unique_ptr<BackendClient> ClientUnderTest(int num_devices) {
  cpu::CpuClientOptions options;
  options.num_devices = num_devices;
  options.num_threads = 4;
  return std::make_unique<cpu::CpuClient>(options);
}

}  // namespace plinth::backend

namespace plinth::cpu::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LaneGroupsTable, CollectivesOfTheSameGroupsShareThem) {
  backend::LaneGroupsTable table;
  const compiler::DeviceGroups groups(compiler::DeviceGroups::Lists{{2, 0}, {1}});
  const backend::LaneGroupsRef lanes = table.Find(groups);
  EXPECT_EQ(table.Find(compiler::DeviceGroups(groups)), lanes);
  EXPECT_THAT(lanes->Members(0), ElementsAre(2, 0));
  EXPECT_EQ(lanes->GroupOf(1), 1);
  // Those of which nobody else knows any more are still there.
  const void* const first = table.Find(compiler::DeviceGroups::Lists{{0, 1, 2}}).get();
  const backend::LaneGroupsRef other = table.Find(compiler::DeviceGroups::Lists{{0}, {1, 2}});
  EXPECT_NE(other.get(), first);
  EXPECT_EQ(other->size(), 2);
}

// Long arrays go to the pool, short ones run on the caller's thread.
TEST(Collectives, AllReduceInGroups) {
  Fleet fleet(8);
  for (const size_t count : {size_t{1}, size_t{1000}, size_t{300'001}}) {
    const auto numbers = Numbers<float>(8, count);
    const auto outputs =
        MustRun(fleet,
                Module(1, 8, StrCat(count, "xf32"), StrCat(count, "xf32"),
                       AllReduce("add", static_cast<int64_t>(count), "f32",
                                 "dense<[[7, 0, 2, 5, 1], [3, 4, 6, -1, -1]]> : tensor<2x5xi64>")),
                numbers, DType::kF32);
    ASSERT_EQ(outputs.size(), 8u);
    const auto first = SumOf(numbers, {7, 0, 2, 5, 1}), second = SumOf(numbers, {3, 4, 6});
    for (size_t lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(outputs[lane], lane == 3 || lane == 4 || lane == 6 ? second : first) << lane;
    }
  }
}

TEST(Collectives, AllReduceOfEveryKindOfType) {
  Fleet fleet(3);
  const auto check = [&]<typename T>(std::string_view type, DType dtype) {
    const auto numbers = Numbers<T>(3, 77);
    const auto outputs = MustRun(
        fleet, Module(1, 3, StrCat("77x", type), StrCat("77x", type), AllReduce("add", 77, type)),
        numbers, dtype);
    ASSERT_EQ(outputs.size(), 3u) << type;
    for (const auto& output : outputs) EXPECT_EQ(output, SumOf(numbers, {0, 1, 2})) << type;
  };
  check.operator()<double>("f64", DType::kF64);
  check.operator()<int8_t>("i8", DType::kS8);
  check.operator()<uint16_t>("ui16", DType::kU16);
  check.operator()<int32_t>("i32", DType::kS32);
  check.operator()<int64_t>("i64", DType::kS64);
  check.operator()<std::complex<float>>("complex<f32>", DType::kC64);
  check.operator()<std::complex<double>>("complex<f64>", DType::kC128);
  // Whether any is true.
  std::vector<std::vector<uint8_t>> flags = {{0, 1, 0, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}};
  const auto any =
      MustRun(fleet, Module(1, 3, "4xi1", "4xi1", AllReduce("or", 4, "i1")), flags, DType::kPred);
  for (const auto& output : any) EXPECT_EQ(output, (std::vector<uint8_t>{0, 1, 0, 1}));
}

uint16_t ToBf16(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16); }

// 1 + 2^-8 is a tie that rounds to 1 in bf16, as often as it is added; 1 + 4 * 2^-8 is a value.
TEST(Collectives, NarrowFloatsAreRoundedOnce) {
  Fleet fleet(5);
  std::vector<std::vector<uint16_t>> numbers(5, {ToBf16(0x1p-8f)});
  numbers[0] = {ToBf16(1)};
  const auto outputs = MustRun(fleet, Module(1, 5, "1xbf16", "1xbf16", AllReduce("add", 1, "bf16")),
                               numbers, DType::kBF16);
  ASSERT_EQ(outputs.size(), 5u);
  for (const auto& output : outputs) EXPECT_EQ(output[0], ToBf16(1 + 0x1p-6f));
}

TEST(Collectives, AllReduceByAnyRegion) {
  Fleet fleet(4);
  const auto numbers = Numbers<float>(4, 5000);
  const auto outputs = MustRun(fleet, Module(1, 4, "5000xf32", "5000xf32", R"(
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %most = stablehlo.constant dense<60.0> : tensor<f32>
        %s = stablehlo.add %x, %y : tensor<f32>
        %t = stablehlo.minimum %s, %most : tensor<f32>
        stablehlo.return %t : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}
      : (tensor<5000xf32>) -> tensor<5000xf32>)"),
                               numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), 4u);
  auto expected = SumOf(numbers, {0, 1, 2, 3});
  for (float& sum : expected) sum = std::min(sum, 60.0f);
  for (const auto& output : outputs) EXPECT_EQ(output, expected);
}

TEST(Collectives, ReduceScatterGivesEachItsPart) {
  Fleet fleet(2);
  const auto numbers = Numbers<int32_t>(2, 24);
  const auto outputs = MustRun(fleet,
                               Module(1, 2, "24xi32", "12xi32",
                                      R"(
    %1 = stablehlo.reshape %a : (tensor<24xi32>) -> tensor<3x4x2xi32>
    %2 = "stablehlo.reduce_scatter"(%1) <{scatter_dimension = 1 : i64,
        replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> )" +
                                          Region("add", "i32") + R"(
      : (tensor<3x4x2xi32>) -> tensor<3x2x2xi32>
    %0 = stablehlo.reshape %2 : (tensor<3x2x2xi32>) -> tensor<12xi32>)"),
                               numbers, DType::kS32);
  ASSERT_EQ(outputs.size(), 2u);
  const auto sum = SumOf(numbers, {0, 1});
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<int32_t> expected;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) expected.push_back(sum[8 * i + 4 * rank + j]);
    }
    EXPECT_EQ(outputs[1 - rank], expected);  // lane 1 has rank 0
  }
}

TEST(Collectives, AllGatherJoinsByRank) {
  Fleet fleet(3);
  const auto numbers = Numbers<int32_t>(3, 4);
  for (const int dim : {0, 1}) {
    const auto outputs = MustRun(
        fleet,
        Module(1, 3, "4xi32", "12xi32",
               StrCat("%1 = stablehlo.reshape %a : (tensor<4xi32>) -> tensor<2x2xi32>\n",
                      "%2 = \"stablehlo.all_gather\"(%1) <{all_gather_dim = ", dim,
                      " : i64, replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>, "
                      "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, "
                      "use_global_device_ids}> : (tensor<2x2xi32>) -> tensor<",
                      dim == 0 ? "6x2" : "2x6", "xi32>\n%0 = stablehlo.reshape %2 : (tensor<",
                      dim == 0 ? "6x2" : "2x6", "xi32>) -> tensor<12xi32>")),
        numbers, DType::kS32);
    ASSERT_EQ(outputs.size(), 3u);
    std::vector<int32_t> expected;
    for (int row = 0; row < (dim == 0 ? 1 : 2); ++row) {
      for (size_t lane : {2, 0, 1}) {
        const auto* begin = numbers[lane].data() + 2 * row;
        expected.insert(expected.end(), begin, begin + (dim == 0 ? 4 : 2));
      }
    }
    for (const auto& output : outputs) EXPECT_EQ(output, expected);
  }
}

// Element (i, j) of lane l is 100 l + 10 i + j.
TEST(Collectives, AllToAllAlongAnyDimensions) {
  Fleet fleet(2);
  std::vector<std::vector<int32_t>> numbers(2);
  for (int lane = 0; lane < 2; ++lane) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j) numbers[lane].push_back(100 * lane + 10 * i + j);
    }
  }
  struct Row {
    int split, join;
    std::string_view result;
    std::vector<int32_t> first;  // of lane 0
  };
  for (const Row& row : {
           Row{1, 0, "4x2", {0, 1, 10, 11, 100, 101, 110, 111}},
           Row{0, 1, "1x8", {0, 1, 2, 3, 100, 101, 102, 103}},
           Row{0, 0, "2x4", {0, 1, 2, 3, 100, 101, 102, 103}},
           Row{1, 1, "2x4", {0, 1, 100, 101, 10, 11, 110, 111}},
       }) {
    const auto outputs = MustRun(
        fleet,
        Module(1, 2, "8xi32", "8xi32",
               StrCat("%1 = stablehlo.reshape %a : (tensor<8xi32>) -> tensor<2x4xi32>\n",
                      "%2 = \"stablehlo.all_to_all\"(%1) <{split_dimension = ", row.split,
                      " : i64, concat_dimension = ", row.join,
                      " : i64, split_count = 2 : i64, "
                      "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, "
                      "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}> : "
                      "(tensor<2x4xi32>) -> tensor<",
                      row.result, "xi32>\n%0 = stablehlo.reshape %2 : (tensor<", row.result,
                      "xi32>) -> tensor<8xi32>")),
        numbers, DType::kS32);
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0], row.first) << row.split << row.join;
  }
}

TEST(Collectives, PermuteGivesZeroWhereNobodySends) {
  Fleet fleet(4);
  const auto numbers = Numbers<float>(4, 6);
  const auto outputs = MustRun(fleet, Module(1, 4, "6xf32", "6xf32", R"(
    %0 = "stablehlo.collective_permute"(%a) <{
        source_target_pairs = dense<[[0, 1], [1, 2], [3, 3]]> : tensor<3x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}>
      : (tensor<6xf32>) -> tensor<6xf32>)"),
                               numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(outputs[0], std::vector<float>(6, 0));
  EXPECT_EQ(outputs[1], numbers[0]);
  EXPECT_EQ(outputs[2], numbers[1]);
  EXPECT_EQ(outputs[3], numbers[3]);
}

TEST(Collectives, BroadcastSendsTheFirst) {
  Fleet fleet(4);
  const auto numbers = Numbers<float>(4, 6);
  const auto outputs = MustRun(fleet, Module(4, 1, "6xf32", "6xf32", R"(
    %0 = "stablehlo.collective_broadcast"(%a) <{
        replica_groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>}>
      : (tensor<6xf32>) -> tensor<6xf32>)"),
                               numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(outputs[0], numbers[2]);
  EXPECT_EQ(outputs[2], numbers[2]);
  EXPECT_EQ(outputs[1], numbers[1]);
  EXPECT_EQ(outputs[3], numbers[1]);
}

TEST(Collectives, BroadcastLeavesZerosToWhoIsNotNamed) {
  Fleet fleet(4);
  const auto numbers = Numbers<float>(4, 6);
  const auto outputs = MustRun(fleet, Module(4, 1, "6xf32", "6xf32", R"(
    %0 = "stablehlo.collective_broadcast"(%a) <{
        replica_groups = dense<[[3, 0, 1]]> : tensor<1x3xi64>}>
      : (tensor<6xf32>) -> tensor<6xf32>)"),
                               numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), 4u);
  for (size_t lane : {0u, 1u, 3u}) EXPECT_EQ(outputs[lane], numbers[3]);
  EXPECT_EQ(outputs[2], std::vector<float>(6, 0));
}

TEST(Collectives, InTheBackground) {
  Fleet fleet(2);
  const auto numbers = Numbers<float>(2, 5);
  const auto outputs = MustRun(
      fleet,
      Module(1, 2, "5xf32", "5xf32",
             StrCat("%f = \"stablehlo.async_start\"(%a) ({\n^bb0(%b: tensor<5xf32>):\n",
                    AllReduce("add", 5, "f32", "dense<> : tensor<0x0xi64>", "%c", "%b"),
                    "\n stablehlo.return %c : tensor<5xf32>\n}) : (tensor<5xf32>) -> "
                    "!stablehlo.future<tensor<5xf32>>\n"
                    "%0 = \"stablehlo.async_done\"(%f) : (!stablehlo.future<tensor<5xf32>>) -> "
                    "tensor<5xf32>")),
      numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1], SumOf(numbers, {0, 1}));
}

TEST(Collectives, InLoops) {
  Fleet fleet(4);
  std::vector<std::vector<float>> numbers(4, std::vector<float>(3, 1));
  const auto outputs = MustRun(
      fleet,
      Module(1, 4, "3xf32", "3xf32",
             StrCat("%zero = stablehlo.constant dense<0> : tensor<i32>\n",
                    "%one = stablehlo.constant dense<1> : tensor<i32>\n",
                    "%end = stablehlo.constant dense<5> : tensor<i32>\n",
                    "%n, %0 = stablehlo.while(%i = %zero, %b = %a) : tensor<i32>, tensor<3xf32>\n",
                    "cond {\n %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) "
                    "-> tensor<i1>\n stablehlo.return %more : tensor<i1>\n} do {\n",
                    AllReduce("add", 3, "f32", "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>", "%c",
                              "%b"),
                    "\n %next = stablehlo.add %i, %one : tensor<i32>\n"
                    " stablehlo.return %next, %c : tensor<i32>, tensor<3xf32>\n}")),
      numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), 4u);
  for (const auto& output : outputs) EXPECT_EQ(output, std::vector<float>(3, 32));
}

// Lane l turns l + 1 times round a loop whose body has `body`, which makes %c of %b.
std::string Turns(std::string_view body, int lanes) {
  return Module(
      1, lanes, "3xf32", "3xf32",
      StrCat("%id = stablehlo.partition_id : tensor<ui32>\n"
             "%own = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>\n"
             "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
             "%one = stablehlo.constant dense<1> : tensor<i32>\n"
             "%n, %0 = stablehlo.while(%i = %zero, %b = %a) : tensor<i32>, tensor<3xf32>\n"
             "cond {\n %more = stablehlo.compare LE, %i, %own : (tensor<i32>, tensor<i32>) -> "
             "tensor<i1>\n stablehlo.return %more : tensor<i1>\n} do {\n",
             body,
             "\n %next = stablehlo.add %i, %one : tensor<i32>\n"
             " stablehlo.return %next, %c : tensor<i32>, tensor<3xf32>\n}"));
}

TEST(Collectives, LanesMayTurnDifferentlyOftenOnTheirOwn) {
  Fleet fleet(3);
  std::vector<std::vector<float>> numbers(3, std::vector<float>(3, 1));
  const auto outputs =
      MustRun(fleet, Turns("%c = stablehlo.add %b, %b : tensor<3xf32>", 3), numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), 3u);
  for (int lane = 0; lane < 3; ++lane) EXPECT_EQ(outputs[lane][0], 2 << lane);
}

// The error of a launch, which is on every output of every device.
Status ErrorOf(Fleet& fleet, std::string_view text, size_t lanes) {
  auto executable = fleet.Compile(text);
  EXPECT_TRUE(executable.ok()) << executable.status().ToString();
  if (!executable.ok()) return executable.status();
  std::vector<std::unique_ptr<backend::ContentsBuffer>> buffers;
  std::vector<std::vector<sdk::Buffer*>> arguments;
  const std::vector<float> data(3, 1);
  for (size_t lane = 0; lane < lanes; ++lane) {
    buffers.push_back(
        fleet.Upload<float>((*executable)->info().addressable_devices[lane], data, DType::kF32));
    arguments.push_back({buffers.back().get()});
  }
  auto results = fleet.Execute(**executable, arguments);
  EXPECT_TRUE(results.ok()) << results.status().ToString();
  if (!results.ok()) return results.status();
  Status status;
  for (size_t lane = 0; lane < lanes; ++lane) {
    const Status own = results->outputs[lane][0]->ReadyEvent().Await();
    EXPECT_EQ(results->completions[lane].Await().ToString(), own.ToString());
    if (lane > 0) {
      EXPECT_EQ(own.ToString(), status.ToString());
    }
    status = own;
  }
  return status;
}

TEST(Collectives, WithoutPartnersAreAnErrorAtOnce) {
  Fleet fleet(3);
  const Status status = ErrorOf(
      fleet, Turns(AllReduce("add", 3, "f32", "dense<> : tensor<0x0xi64>", "%c", "%b"), 3), 3);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("on device 1, 2 waits for device 0: 0 has ended"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("all_reduce"));
  // The next program runs.
  const auto numbers = Numbers<float>(3, 3);
  const auto outputs = MustRun(fleet, Module(1, 3, "3xf32", "3xf32", AllReduce("add", 3, "f32")),
                               numbers, DType::kF32);
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0], SumOf(numbers, {0, 1, 2}));
}

TEST(Collectives, AtDifferentPlacesNeverMeet) {
  Fleet fleet(2);
  const Status status =
      ErrorOf(fleet,
              Module(1, 2, "3xf32", "3xf32",
                     StrCat("%id = stablehlo.partition_id : tensor<ui32>\n"
                            "%own = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>\n"
                            "%0 = \"stablehlo.case\"(%own) ({\n",
                            AllReduce("add", 3, "f32", "dense<> : tensor<0x0xi64>", "%b"),
                            "\n stablehlo.return %b : tensor<3xf32>\n}, {\n",
                            AllReduce("maximum", 3, "f32", "dense<> : tensor<0x0xi64>", "%c"),
                            "\n stablehlo.return %c : tensor<3xf32>\n}) : (tensor<i32>) -> "
                            "tensor<3xf32>")),
              2);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("1 waits at all_reduce"));
}

// What elements of other devices a part of the result needs comes from there.
std::vector<std::vector<float>> Redistributed(Fleet& fleet, int64_t lanes, int64_t rows,
                                              int64_t columns, std::string_view op,
                                              const std::vector<std::vector<float>>& parts) {
  const std::string type = StrCat("tensor<", lanes * rows, "x", columns, "xf32>");
  const std::string spread = " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}";
  return MustRun(fleet,
                 StrCat("module attributes {mhlo.num_partitions = ", lanes,
                        " : i32} {\nsdy.mesh @mesh = <[\"x\"=", lanes,
                        "]>\nfunc.func @main(%a: ", type, spread, ") -> (", type, spread,
                        ") {\n%one = stablehlo.constant dense<1.0> : tensor<f32>\n", op, type,
                        "\nreturn %0 : ", type, "\n}\n}"),
                 parts, DType::kF32);
}

// Short and long rows, on the caller's thread and on the pool's.
TEST(Collectives, Redistribute) {
  constexpr int64_t kLanes = 4;
  Fleet fleet(kLanes);
  struct Shape {
    int64_t rows, columns;
  };
  for (const Shape& shape : {Shape{1, 3}, {3, 1}, {5, 7}, {257, 300}, {2, 200'000}}) {
    const int64_t rows = shape.rows, columns = shape.columns;
    const auto parts = Numbers<float>(kLanes, static_cast<size_t>(rows * columns));
    const int64_t all = kLanes * rows;
    const auto at = [&](int64_t row, int64_t column) {
      return parts[static_cast<size_t>(row / rows)]
                  [static_cast<size_t>(row % rows * columns + column)];
    };
    const auto expect = [&](std::string_view op, auto from) {
      const auto outputs = Redistributed(fleet, kLanes, rows, columns, op, parts);
      ASSERT_EQ(outputs.size(), static_cast<size_t>(kLanes)) << op;
      int64_t wrong = 0;
      for (int64_t row = 0; row < all; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
          const float got = outputs[static_cast<size_t>(row / rows)]
                                   [static_cast<size_t>(row % rows * columns + column)];
          const int64_t source = from(row);
          wrong += got != (source < 0 || source >= all ? 1.0f : at(source, column));
        }
      }
      EXPECT_EQ(wrong, 0) << rows << "x" << columns << " " << op;
    };
    expect("%0 = stablehlo.reverse %a, dims = [0] : ", [&](int64_t row) { return all - 1 - row; });
    // Further than to the next device, and beyond the last.
    for (const int64_t by : {int64_t{1}, -rows - 1, 2 * rows, all - 1}) {
      const std::string type = StrCat("tensor<", all, "x", columns, "xf32>");
      expect(StrCat("%0 = stablehlo.pad %a, %one, low = [", by, ", 0], high = [", -by,
                    ", 0], interior = [0, 0] : (", type, ", tensor<f32>) -> "),
             [&](int64_t row) { return row - by; });
    }
  }
}

}  // namespace
}  // namespace plinth::cpu::collectives
