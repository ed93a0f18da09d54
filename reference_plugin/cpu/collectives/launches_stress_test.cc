// SPDX-License-Identifier: Apache-2.0
// Launches of several threads, many of them in flight at once on the same devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/testing/fleet.h"

namespace plinth::cpu::collectives {
namespace {

using backend::Fleet;

constexpr size_t kLanes = 8, kCount = 64;
using Lanes = std::vector<std::vector<uint32_t>>;

// A program of kCount numbers on every device, and what it makes of those of all.
struct Program {
  std::string body;  // makes %0 of %a; "TYPE" is that of both
  Lanes (*model)(const Lanes&);
};

constexpr std::string_view kSum = R"(({
    ^bb0(%x: tensor<ui32>, %y: tensor<ui32>):
      %s = stablehlo.add %x, %y : tensor<ui32>
      stablehlo.return %s : tensor<ui32>
  }) : (TYPE) -> TYPE)";
constexpr std::string_view kAll =
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids";

std::string SumIn(std::string_view groups, std::string_view result, std::string_view operand) {
  return StrCat(result, " = \"stablehlo.all_reduce\"(", operand, ") <{replica_groups = ", groups,
                ", ", kAll, "}> ", kSum, "\n");
}

Lanes SumsOfGroups(const Lanes& lanes, size_t size) {
  Lanes sums(kLanes, std::vector<uint32_t>(kCount, 0));
  for (size_t lane = 0; lane < kLanes; ++lane) {
    for (size_t other = lane / size * size; other < lane / size * size + size; ++other) {
      for (size_t i = 0; i < kCount; ++i) sums[lane][i] += lanes[other][i];
    }
  }
  return sums;
}
Lanes Rotated(const Lanes& lanes) {
  Lanes rotated = lanes;
  std::rotate(rotated.begin(), rotated.end() - 1, rotated.end());
  return rotated;
}

std::vector<Program> Programs() {
  const std::string permute =
      "\"stablehlo.collective_permute\"(%b) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], "
      "[3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>, channel_handle = "
      "#stablehlo.channel_handle<handle = 1, type = 0>}> : (TYPE) -> TYPE\n";
  return {
      {"%0 = stablehlo.add %a, %a : TYPE\n",
       [](const Lanes& lanes) {
         Lanes twice = lanes;
         for (auto& lane : twice) {
           for (uint32_t& number : lane) number *= 2;
         }
         return twice;
       }},
      {SumIn("dense<> : tensor<0x0xi64>", "%0", "%a"),
       [](const Lanes& lanes) { return SumsOfGroups(lanes, 8); }},
      {SumIn("dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>", "%0", "%a"),
       [](const Lanes& lanes) { return SumsOfGroups(lanes, 4); }},
      {StrCat("%b = stablehlo.add %a, %a : TYPE\n%c = ", permute,
              "%0 = stablehlo.subtract %c, %a : TYPE\n"),
       [](const Lanes& lanes) {
         Lanes result = Rotated(lanes);
         for (size_t lane = 0; lane < kLanes; ++lane) {
           for (size_t i = 0; i < kCount; ++i) {
             result[lane][i] = 2 * result[lane][i] - lanes[lane][i];
           }
         }
         return result;
       }},
      {"%0 = \"stablehlo.all_to_all\"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : "
       "i64, split_count = 8 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : "
       "tensor<1x8xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}> : "
       "(TYPE) -> TYPE\n",
       [](const Lanes& lanes) {
         constexpr size_t kPiece = kCount / kLanes;
         Lanes result = lanes;
         for (size_t lane = 0; lane < kLanes; ++lane) {
           for (size_t i = 0; i < kCount; ++i) {
             result[lane][i] = lanes[i / kPiece][lane * kPiece + i % kPiece];
           }
         }
         return result;
       }},
      // Three times round.
      {StrCat("%n0 = stablehlo.constant dense<0> : tensor<i32>\n"
              "%n1 = stablehlo.constant dense<1> : tensor<i32>\n"
              "%n3 = stablehlo.constant dense<3> : tensor<i32>\n"
              "%n, %0 = stablehlo.while(%i = %n0, %b = %a) : tensor<i32>, TYPE\n"
              "cond {\n %more = stablehlo.compare LT, %i, %n3 : (tensor<i32>, tensor<i32>) -> "
              "tensor<i1>\n stablehlo.return %more : tensor<i1>\n} do {\n%c = ",
              permute,
              SumIn("dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>", "%d", "%c"),
              " %next = stablehlo.add %i, %n1 : tensor<i32>\n"
              " stablehlo.return %next, %d : tensor<i32>, TYPE\n}\n"),
       [](const Lanes& lanes) {
         Lanes result = lanes;
         for (int turn = 0; turn < 3; ++turn) result = SumsOfGroups(Rotated(result), 2);
         return result;
       }},
  };
}

// The first device is at the end while the others wait for it.
std::string Diverging() {
  return StrCat(
      "%id = stablehlo.partition_id : tensor<ui32>\n"
      "%n0 = stablehlo.constant dense<0> : tensor<ui32>\n"
      "%first = stablehlo.compare EQ, %id, %n0 : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
      "%0 = \"stablehlo.if\"(%first) ({\n stablehlo.return %a : TYPE\n}, {\n",
      SumIn("dense<> : tensor<0x0xi64>", "%b", "%a"),
      " stablehlo.return %b : TYPE\n}) : (tensor<i1>) -> TYPE\n");
}

std::string Text(std::string body) {
  body = StrCat("module attributes {mhlo.num_partitions = ", kLanes,
                " : i32} {\nfunc.func @main(%a: TYPE) -> TYPE {\n", body, "return %0 : TYPE\n}\n}");
  const std::string type = StrCat("tensor<", kCount, "xui32>");
  for (size_t at = body.find("TYPE"); at != std::string::npos; at = body.find("TYPE", at)) {
    body.replace(at, 4, type);
  }
  return body;
}

// What a thread has on the devices, and what it should be.
class Chain {
 public:
  using Buffers = std::vector<std::unique_ptr<sdk::Buffer>>;

  Chain(Fleet& fleet, uint32_t seed) : fleet_(fleet) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      for (size_t i = 0; i < kCount; ++i) {
        numbers_[lane][i] = seed * 100'003 + static_cast<uint32_t>(lane * 131 + i * 17);
      }
      buffers_.push_back(fleet.Upload<uint32_t>(fleet.client().devices()[lane].get(),
                                                numbers_[lane], DType::kU32));
    }
  }

  // Goes on without waiting. `donates`: the buffers are given away.
  Status Run(sdk::LoadedExecutable& executable, const Program& program, bool donates) {
    PLINTH_ASSIGN_OR_RETURN(Fleet::Results results, Launch(executable, donates));
    for (size_t lane = 0; lane < kLanes; ++lane) {
      buffers_[lane] = std::move(results.outputs[lane][0]);
    }
    numbers_ = program.model(numbers_);
    return Status();
  }
  // A program that cannot end; what the thread has stays.
  Status RunInVain(sdk::LoadedExecutable& executable) {
    PLINTH_ASSIGN_OR_RETURN(const Fleet::Results results, Launch(executable, false));
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const Status status = results.outputs[lane][0]->ReadyEvent().Await();
      if (status.code() != StatusCode::kFailedPrecondition) {
        return Internal("lane ", lane, " says ", status.ToString());
      }
    }
    return Status();
  }
  Status Check() {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      PLINTH_ASSIGN_OR_RETURN(const auto found, Fleet::Download<uint32_t>(*buffers_[lane]));
      if (found != numbers_[lane]) return Internal("lane ", lane, " has other numbers");
    }
    return Status();
  }

 private:
  Expected<Fleet::Results> Launch(sdk::LoadedExecutable& executable, bool donates) {
    std::vector<std::vector<sdk::Buffer*>> arguments;
    for (const auto& buffer : buffers_) arguments.push_back({buffer.get()});
    const bool donated[] = {donates};
    return fleet_.Execute(executable, arguments, donated);
  }

  Fleet& fleet_;
  Buffers buffers_;
  Lanes numbers_ = Lanes(kLanes, std::vector<uint32_t>(kCount));
};

int64_t BytesInUse(Fleet& fleet) {
  int64_t bytes = 0;
  for (const auto& device : fleet.client().devices()) {
    const auto stats = device->GetMemoryStats();
    if (stats.ok()) bytes += stats->bytes_in_use;
  }
  return bytes;
}

// Each thread enqueues programs in an order of its own, some of which fail, and drops results while
// they are computed.
TEST(LaunchesStress, FourThreadsOnTheSameDevices) {
  Fleet fleet(kLanes);
  const std::vector<Program> programs = Programs();
  std::vector<std::unique_ptr<sdk::LoadedExecutable>> loaded;
  for (const Program& program : programs) {
    auto executable = fleet.Compile(Text(program.body));
    ASSERT_TRUE(executable.ok()) << executable.status().ToString() << Text(program.body);
    loaded.push_back(*std::move(executable));
  }
  auto diverging = fleet.Compile(Text(Diverging()));
  ASSERT_TRUE(diverging.ok()) << diverging.status().ToString();
  const int64_t before = BytesInUse(fleet);
  std::vector<Status> results(4);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      const auto work = [&]() -> Status {
        for (uint32_t round = 0; round < 6; ++round) {
          Chain chain(fleet, 10 * t + round);
          for (int i = 0; i < 30; ++i) {
            const size_t which = random() % programs.size();
            PLINTH_RETURN_IF_ERROR(
                chain.Run(*loaded[which], programs[which], /*donates=*/random() % 3 == 0));
            if (random() % 20 == 0) PLINTH_RETURN_IF_ERROR(chain.RunInVain(**diverging));
            if (random() % 10 == 0) PLINTH_RETURN_IF_ERROR(chain.Check());
          }
          if (round % 3 != 2) PLINTH_RETURN_IF_ERROR(chain.Check());
        }
        return Status();
      };
      results[t] = work();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& result : results) EXPECT_TRUE(result.ok()) << result.ToString();
  // What was dropped goes when it has been computed.
  for (int i = 0; i < 6000 && BytesInUse(fleet) != before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(BytesInUse(fleet), before);
}

}  // namespace
}  // namespace plinth::cpu::collectives
