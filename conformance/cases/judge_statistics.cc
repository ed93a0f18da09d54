// SPDX-License-Identifier: Apache-2.0
// L1: statistics of memory follow what is allocated.

#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/judge_case.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/transfer_manager.h"

namespace plinth::conformance {
namespace judge_statistics {
namespace {

using Stats = PJRT_Device_MemoryStats_Args;

// What a plugin may leave out.
struct Number {
  const char* name;
  bool Stats::*is_set;
  int64_t Stats::*value;
  int64_t Stats::*part;  // is no larger; null: nothing to compare with
  bool never_falls;      // until it is cleared
};
constexpr Number kNumbers[] = {
    {"peak_bytes_in_use", &Stats::peak_bytes_in_use_is_set, &Stats::peak_bytes_in_use,
     &Stats::bytes_in_use, true},
    {"num_allocs", &Stats::num_allocs_is_set, &Stats::num_allocs, nullptr, true},
    {"largest_alloc_size", &Stats::largest_alloc_size_is_set, &Stats::largest_alloc_size, nullptr,
     true},
    {"bytes_limit", &Stats::bytes_limit_is_set, &Stats::bytes_limit, nullptr, false},
    {"bytes_reserved", &Stats::bytes_reserved_is_set, &Stats::bytes_reserved, nullptr, false},
    {"peak_bytes_reserved", &Stats::peak_bytes_reserved_is_set, &Stats::peak_bytes_reserved,
     &Stats::bytes_reserved, true},
    {"bytes_reservable_limit", &Stats::bytes_reservable_limit_is_set,
     &Stats::bytes_reservable_limit, nullptr, false},
    {"largest_free_block_bytes", &Stats::largest_free_block_bytes_is_set,
     &Stats::largest_free_block_bytes, nullptr, false},
    {"pool_bytes", &Stats::pool_bytes_is_set, &Stats::pool_bytes, nullptr, false},
    {"peak_pool_bytes", &Stats::peak_pool_bytes_is_set, &Stats::peak_pool_bytes, &Stats::pool_bytes,
     true},
};

constexpr char kInUse[] = "PJRT-Device_MemoryStats-in-use";

// Of one that nobody wrote; it is read, so that its bytes have to be there.
Expected<OwnedBuffer> WithoutContents(Context& context, PJRT_Device* device, int64_t bytes) {
  auto args = MakeArgs<PJRT_Client_CreateUninitializedBuffer_Args>();
  args.client = context.client();
  args.shape_dims = &bytes;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_U8;
  args.device = device;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer made(context.plugin(), args.buffer);
  PLINTH_RETURN_IF_ERROR(context.Download(made.get()).status());
  return made;
}
Expected<OwnedBuffer> PieceByPiece(Context& context, PJRT_Device* device, int64_t bytes) {
  const HostArray array{DType::kU8, {bytes}, std::vector<std::byte>(static_cast<size_t>(bytes))};
  PLINTH_ASSIGN_OR_RETURN(OwnedManager manager,
                          NewManager(context, DefaultMemoryOf(context, device), {array}));
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer made, RetrieveBuffer(context, manager.get(), 0));
  PLINTH_RETURN_IF_ERROR(
      TransferBytes(context, manager.get(), 0, array.bytes.data(), 0, bytes, true));
  PLINTH_RETURN_IF_ERROR(AwaitBuffer(context, made.get()));
  return made;
}

// An array counts however it was made; a copy may share the bytes of its original.
void CountHoweverMade(Context& context, PJRT_Device* device) {
  constexpr int64_t kBytes = int64_t{4} << 20;
  for (auto [how, make] : {std::pair("made without contents", &WithoutContents),
                           {"filled piece by piece", &PieceByPiece}}) {
    const std::optional<int64_t> before = BytesInUse(context, device);
    Expected<OwnedBuffer> made = make(context, device, kBytes);
    const std::optional<int64_t> with = BytesInUse(context, device);
    // Whether it can be made is asked elsewhere.
    if (!made.ok() || !before || !with) continue;
    context.Check(kInUse, *with - *before >= kBytes / 2, "bytes_in_use grew by ", *with - *before,
                  " with a buffer of ", kBytes, " bytes that was ", how);
    (void)made->Destroy();
    int64_t left = kBytes;
    for (int i = 0; i < 1000 && left >= kBytes / 2; ++i) {
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      left = BytesInUse(context, device).value_or(*before) - *before;
    }
    context.Check(kInUse, left < kBytes / 2, "bytes_in_use is ", left, " larger after a buffer of ",
                  kBytes, " bytes that was ", how, " was destroyed");
  }
}

// What a run takes of its arguments is counted no longer, although their handles live on.
void CountWhatIsTaken(Context& context, PJRT_Device* device) {
  constexpr int64_t kLarge = 70001;
  constexpr int64_t kBytes = kLarge * 4;
  Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "donating_large"));
  if (!context.Ok("", "PJRT_Client_Compile", program.status())) return;
  const std::optional<int64_t> before = BytesInUse(context, device);
  std::vector<OwnedBuffer> buffers;
  std::vector<PJRT_Buffer*> arguments = UploadAll(
      context, {Counted({4}, 1), Counted({96, 33}, 1), Counted({kLarge}, 1), Counted({2, 3}, 1)},
      buffers);
  if (arguments.size() != 4 || !before) return;
  auto results = context.Execute(program->get(), arguments);
  if (!context.Ok("", "PJRT_LoadedExecutable_Execute", results.status())) return;
  context.Ok("", "a result", AwaitBuffer(context, (*results)[0].get()));
  // Whether it is taken is asked elsewhere.
  if (!IsBufferDeleted(context, arguments[2])) return;
  auto falls_below = [&](int64_t most, std::string_view when) {
    int64_t more = most;
    for (int i = 0; i < 1000 && more >= most; ++i) {
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      more = BytesInUse(context, device).value_or(*before) - *before;
    }
    context.Check(kInUse, more < most, "bytes_in_use is ", more, " larger when an argument of ",
                  kBytes, " bytes was donated", when);
  };
  falls_below(kBytes * 7 / 4, " and its result is there");
  results->clear();
  falls_below(kBytes / 2, " and its result is gone");
}

// A peak that was cleared before is cleared once more. `cleared`: what the first call left.
void ClearAgain(Context& context, PJRT_Device* device,
                const PJRT_Device_MemoryStats_Args& cleared) {
  constexpr int64_t kBytes = int64_t{8} << 20;
  Expected<OwnedBuffer> large =
      context.Upload({DType::kU8, {kBytes}, std::vector<std::byte>(kBytes)}, device);
  if (!context.Ok("", "an upload", large.status())) return;
  (void)large->Destroy();
  for (int i = 0; i < 1000; ++i) {
    if (BytesInUse(context, device).value_or(0) < cleared.bytes_in_use + kBytes / 2) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!Get<&PJRT_Device_ClearMemoryStats_Args::device>(context, device)) return;
  const auto again = Get<&PJRT_Device_MemoryStats_Args::device>(context, device);
  if (!again) return;
  context.Check("PJRT-Device_ClearMemoryStats-peak",
                again->peak_bytes_in_use < cleared.bytes_in_use + kBytes / 2,
                "peak_bytes_in_use is ", again->peak_bytes_in_use,
                " after a second PJRT_Device_ClearMemoryStats");
}

// Statistics follow what is allocated.
void JudgeMemoryStats(Context& context) {
  constexpr int64_t kBytes = int64_t{8} << 20;
  constexpr char kLimit[] = "PJRT-Device_MemoryStats-bytes_limit";
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  auto ask = [&](PJRT_Device* device) {
    return Get<&PJRT_Device_MemoryStats_Args::device>(context, device);
  };
  for (PJRT_Device* device : devices) {
    auto before = ask(device);
    if (!before) return context.Unsupported("no statistics");
    auto look = [&](const Stats& stats) {
      context.Check(kOutputTrue, stats.bytes_in_use >= 0, "bytes_in_use is ", stats.bytes_in_use);
      for (const Number& each : kNumbers) {
        if (!RawBool(stats.*each.is_set)) continue;
        // A lower bound that is not set is 0.
        const int64_t least = each.part == nullptr ? 0 : stats.*each.part;
        context.Check("PJRT-Device_MemoryStats-peak", stats.*each.value >= least, each.name, " is ",
                      stats.*each.value, ", at least ", least, " expected");
      }
      bool has_limit = RawBool(stats.bytes_limit_is_set) && stats.bytes_limit > 0;
      context.Check(kLimit, RawBool(stats.bytes_limit_is_set) || stats.bytes_limit == 0,
                    "bytes_limit is ", stats.bytes_limit, " and not set");
      context.Check(kOutputTrue, !has_limit || stats.bytes_limit >= stats.bytes_in_use,
                    "bytes_limit is ", stats.bytes_limit, " with ", stats.bytes_in_use, " in use");
      if (RawBool(stats.largest_alloc_size_is_set) && RawBool(stats.peak_bytes_in_use_is_set)) {
        context.Check(kOutputTrue,
                      stats.largest_alloc_size <= stats.peak_bytes_in_use + kBytes ||
                          stats.peak_bytes_in_use == 0,
                      "largest_alloc_size is ", stats.largest_alloc_size, ", peak_bytes_in_use ",
                      stats.peak_bytes_in_use);
      }
    };
    look(*before);
    // What counts, and what is the most that there was, never falls until it is cleared.
    auto last = *before;
    auto grows = [&](const Stats& stats, std::string_view when) {
      for (const Number& each : kNumbers) {
        if (!each.never_falls || !RawBool(stats.*each.is_set)) continue;
        context.Check(kOutputTrue, stats.*each.value >= last.*each.value, each.name, " fell from ",
                      last.*each.value, " to ", stats.*each.value, " ", when);
      }
      last = stats;
    };
    Expected<OwnedBuffer> large =
        context.Upload({DType::kU8, {kBytes}, std::vector<std::byte>(kBytes)}, device);
    if (!context.Ok("", "an upload", large.status())) return;
    auto with = ask(device);
    if (!with) return;
    look(*with);
    grows(*with, "with a large array");
    // One that is smaller than the largest.
    Expected<OwnedBuffer> small = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}), device);
    if (!context.Ok("", "an upload", small.status())) return;
    if (auto stats = ask(device)) grows(*stats, "with a small array after a large one");
    (void)small->Destroy();
    if (auto stats = ask(device)) grows(*stats, "when an array was destroyed");
    with = ask(device);
    if (!with) return;
    int64_t more = with->bytes_in_use - before->bytes_in_use;
    context.Check("PJRT-Device_MemoryStats-in-use", more >= kBytes && more < 2 * kBytes,
                  "bytes_in_use grew by ", more, " with a buffer of ", kBytes, " bytes");
    std::optional<Stats> told;
    std::thread([&] { told = ask(device); }).join();
    if (told) {
      context.Check("PJRT-Device_MemoryStats-in-use", told->bytes_in_use == with->bytes_in_use,
                    "bytes_in_use is ", told->bytes_in_use, " on another thread, ",
                    with->bytes_in_use, " on the first");
    }
    if (RawBool(with->num_allocs_is_set)) {
      context.Check(kOutputTrue, with->num_allocs > before->num_allocs,
                    "num_allocs did not grow with an allocation");
    }
    if (RawBool(with->largest_alloc_size_is_set)) {
      context.Check(kOutputTrue, with->largest_alloc_size >= kBytes, "largest_alloc_size is ",
                    with->largest_alloc_size, " after an allocation of ", kBytes);
    }
    // Which statistics there are does not change.
    context.Check(kOutputTrue,
                  RawBool(with->bytes_limit_is_set) == RawBool(before->bytes_limit_is_set) &&
                      with->bytes_limit == before->bytes_limit,
                  "bytes_limit changed from ", before->bytes_limit, " to ", with->bytes_limit);
    context.Check(
        kOutputTrue,
        RawBool(with->peak_bytes_in_use_is_set) == RawBool(before->peak_bytes_in_use_is_set) &&
            RawBool(with->num_allocs_is_set) == RawBool(before->num_allocs_is_set),
        "a statistic was set in one call only");
    for (PJRT_Device* other : devices) {
      if (other == device) continue;
      auto theirs = ask(other);
      bool is_shared = DefaultMemoryOf(context, other) == DefaultMemoryOf(context, device);
      Expected<OwnedBuffer> again =
          context.Upload({DType::kU8, {kBytes}, std::vector<std::byte>(kBytes)}, device);
      auto after = ask(other);
      if (theirs && after && !is_shared) {
        context.Check("PJRT-Device_MemoryStats-in-use",
                      after->bytes_in_use - theirs->bytes_in_use < kBytes,
                      "memory of one device counts for another");
      }
      break;
    }
    auto falls = [&](std::string_view how) {
      int64_t left = kBytes;
      for (int i = 0; i < 1000 && left >= kBytes / 2; ++i) {
        auto after = ask(device);
        if (!after) return;
        left = after->bytes_in_use - before->bytes_in_use;
        if (left >= kBytes / 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (left < kBytes / 2 && RawBool(after->peak_bytes_in_use_is_set)) {
          context.Check("PJRT-Device_MemoryStats-peak",
                        after->peak_bytes_in_use >= with->bytes_in_use, "peak_bytes_in_use is ",
                        after->peak_bytes_in_use, " after ", with->bytes_in_use, " were in use");
        }
      }
      context.Check("PJRT-Device_MemoryStats-in-use", left < kBytes / 2, "bytes_in_use is ", left,
                    " larger after a buffer of ", kBytes, " bytes was ", how);
    };
    // Results count as what was uploaded does.
    if (device == devices.front()) {
      constexpr int64_t kResult = 70001 * 4;
      Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "large"));
      auto empty = ask(device);
      Expected<OwnedBuffer> argument = context.Upload(
          {DType::kF32, {70001}, std::vector<std::byte>(static_cast<size_t>(kResult))});
      if (!context.Ok("", "PJRT_Client_Compile", program.status()) || !argument.ok()) return;
      PJRT_Buffer* handles[] = {argument->get()};
      auto idle = ask(device);
      std::vector<std::vector<OwnedBuffer>> results;
      for (int i = 0; i < 8; ++i) {
        auto result = context.Execute(program->get(), handles);
        if (!context.Ok("", "PJRT_LoadedExecutable_Execute", result.status())) return;
        context.Ok("", "a result", AwaitBuffer(context, (*result)[0].get()));
        results.push_back(*std::move(result));
      }
      auto busy = ask(device);
      if (idle && busy) {
        context.Check("PJRT-Device_MemoryStats-in-use",
                      busy->bytes_in_use - idle->bytes_in_use >= 8 * kResult,
                      "bytes_in_use grew by ", busy->bytes_in_use - idle->bytes_in_use,
                      " with eight results of ", kResult, " bytes");
      }
      results.clear();
      auto after = ask(device);
      // What a run used goes, although its program stays.
      (void)argument->Destroy();
      int64_t left = kResult;
      for (int i = 0; i < 1000 && empty && left >= kResult / 2; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        auto now = ask(device);
        left = now ? now->bytes_in_use - empty->bytes_in_use : 0;
      }
      context.Check("PJRT-Device_MemoryStats-in-use", !empty || left < kResult / 2,
                    "bytes_in_use is ", left, " larger when the argument of ", kResult,
                    " bytes and the results of a run are gone");
      if (busy && after && RawBool(after->peak_bytes_in_use_is_set)) {
        context.Check("PJRT-Device_MemoryStats-peak",
                      after->peak_bytes_in_use >= busy->bytes_in_use, "peak_bytes_in_use is ",
                      after->peak_bytes_in_use, " after ", busy->bytes_in_use, " were in use");
      }
      if (idle && busy) {
        context.Check("PJRT-Device_MemoryStats-peak",
                      busy->peak_bytes_in_use >= idle->peak_bytes_in_use,
                      "peak_bytes_in_use fell from ", idle->peak_bytes_in_use, " to ",
                      busy->peak_bytes_in_use);
      }
      if (busy && RawBool(busy->peak_bytes_in_use_is_set)) {
        context.Check("PJRT-Device_MemoryStats-peak", busy->peak_bytes_in_use >= busy->bytes_in_use,
                      "peak_bytes_in_use is ", busy->peak_bytes_in_use, " with ",
                      busy->bytes_in_use, " in use");
      }
    }
    // Deleting gives the memory back, whether or not the handle lives on.
    if (DeleteBuffer(context, large->get())) falls("deleted");
    large = context.Upload({DType::kU8, {kBytes}, std::vector<std::byte>(kBytes)}, device);
    if (!context.Ok("", "an upload", large.status())) return;
    (void)large->Destroy();
    falls("destroyed");
    CountHoweverMade(context, device);
    if (device == devices.front()) CountWhatIsTaken(context, device);
    if (!context.plugin().Has(reflection::function::kPJRT_Device_ClearMemoryStats)) continue;
    // With something in use.
    Expected<OwnedBuffer> kept =
        context.Upload({DType::kU8, {kBytes / 4}, std::vector<std::byte>(kBytes / 4)}, device);
    if (!context.Ok("", "an upload", kept.status())) return;
    auto held = ask(device);
    // Another device has a peak of its own, which stays.
    PJRT_Device* other = device == devices.front() ? devices.back() : devices.front();
    const bool is_alone =
        other == device || DefaultMemoryOf(context, other) == DefaultMemoryOf(context, device);
    if (!is_alone) {
      Expected<OwnedBuffer> theirs =
          context.Upload({DType::kU8, {kBytes}, std::vector<std::byte>(kBytes)}, other);
      context.Ok("", "an upload", theirs.status());
    }
    auto theirs = ask(other);
    if (!Get<&PJRT_Device_ClearMemoryStats_Args::device>(context, device)) continue;
    auto cleared = ask(device), theirs_after = ask(other);
    if (!cleared || !held || !theirs || !theirs_after) return;
    look(*cleared);
    context.Check("PJRT-Device_MemoryStats-in-use",
                  cleared->bytes_in_use > held->bytes_in_use - kBytes / 8,
                  "bytes_in_use fell from ", held->bytes_in_use, " to ", cleared->bytes_in_use,
                  " by PJRT_Device_ClearMemoryStats");
    if (RawBool(held->bytes_limit_is_set)) {
      context.Check(
          "PJRT-Device_MemoryStats-bytes_limit",
          RawBool(cleared->bytes_limit_is_set) && cleared->bytes_limit == held->bytes_limit,
          "bytes_limit was ", held->bytes_limit, ", and is ", cleared->bytes_limit,
          " after PJRT_Device_ClearMemoryStats");
    }
    if (!is_alone && RawBool(theirs->peak_bytes_in_use_is_set)) {
      context.Check("PJRT-Device_ClearMemoryStats-peak",
                    theirs_after->peak_bytes_in_use == theirs->peak_bytes_in_use,
                    "PJRT_Device_ClearMemoryStats of one device changed the peak of another from ",
                    theirs->peak_bytes_in_use, " to ", theirs_after->peak_bytes_in_use);
    }
    if (RawBool(cleared->peak_bytes_in_use_is_set)) {
      context.Check("PJRT-Device_ClearMemoryStats-peak",
                    cleared->peak_bytes_in_use < with->bytes_in_use, "peak_bytes_in_use is ",
                    cleared->peak_bytes_in_use, " after PJRT_Device_ClearMemoryStats");
      ClearAgain(context, device, *cleared);
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  AddJudgeCase(cases, "L1/judge/memory_stats",
               {"PJRT-Device_MemoryStats-bytes_limit", "PJRT-Device_MemoryStats-in-use"},
               JudgeMemoryStats);
}

}  // namespace judge_statistics

void AddStatisticsJudgeCases(std::vector<Case>& cases) { judge_statistics::AddCases(cases); }

}  // namespace plinth::conformance
