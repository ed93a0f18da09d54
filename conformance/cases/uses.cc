// SPDX-License-Identifier: Apache-2.0
// L2: each use of a buffer in each state that it may be in: with contents, a scalar, in another
// layout or memory, without elements, not ready yet by a transfer, an alias, a copy, an execution
// or its donor, failing later, failing from the begin, deleted. What comes out has the contents or
// the error of what went in, also where the array was deleted or its handle went away meanwhile.

#include <algorithm>
#include <cstring>
#include <functional>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/used_buffer.h"

namespace plinth::conformance {
namespace uses {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kToDevice[] = "PJRT-Buffer_CopyToDevice-contents";
constexpr char kToMemory[] = "PJRT-Buffer_CopyToMemory-contents";
constexpr char kToHost[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kRaw[] = "PJRT-Buffer_CopyRawToHost-offset";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kErrorInput[] = "PJRT-LoadedExecutable_Execute-error-input";
constexpr char kReady[] = "PJRT-Buffer_ReadyEvent-after";
constexpr char kSize[] = "PJRT-Buffer_ToHostBuffer-dst_size";
constexpr char kErrorBuffer[] = "PJRT-Client_CreateErrorBuffer-carries";
constexpr char kSetError[] = "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries";
constexpr char kAliasError[] = "PJRT-Client_FulfillAliasBuffer-error";
constexpr char kDonorWaits[] = "PJRT-Buffer_DonateWithControlDependency-waits";
constexpr char kBitcast[] = "PJRT-Buffer_Bitcast-same-bytes";
constexpr char kFuture[] = "PJRT-Buffer_CopyRawToHostFuture-offset";
constexpr char kUses[] = "PJRT-Buffer_Delete-uses";
constexpr char kWaits[] = "PJRT-Client_CreateAliasBuffer-waits";

// Whether an array is a matrix whose rows do not follow each other, as it says.
bool IsTurned(Context& context, const UsedBuffer& subject) {
  if (subject.array().dims.size() != 2) return false;
  auto args = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, subject.buffer());
  return !args || RawEnum(args->layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled ||
         args->layout.tiled.minor_to_major_size != 2 || args->layout.tiled.minor_to_major[0] != 1;
}

// What a use gives: an array, or bytes with an event.
struct Outcome {
  std::string what;
  const char* requirement;
  HostArray wanted = {};
  OwnedBuffer buffer = {};
  std::vector<std::byte> bytes = {};
  OwnedEvent event = {};
  PJRT_Device* device = nullptr;  // where a buffer has to be, if that is known
  PJRT_Memory* memory = nullptr;
};

// Bytes of a matrix of f32 whose rows follow each other, as they lie if its columns do.
std::vector<std::byte> Turned(const HostArray& array) {
  std::vector<std::byte> turned(array.bytes.size());
  for (int64_t i = 0; i < array.dims[0]; ++i) {
    for (int64_t j = 0; j < array.dims[1]; ++j) {
      std::memcpy(turned.data() + (j * array.dims[0] + i) * 4,
                  array.bytes.data() + (i * array.dims[1] + j) * 4, 4);
    }
  }
  return turned;
}

struct Use {
  Context& context;
  const UsedBuffer& subject;
  // For the state of the subject: what its error is, who carries it.
  std::vector<Outcome> outcomes;

  // Keeps an outcome if the call succeeded; says whether it did. A subject that has failed or was
  // deleted may be refused.
  // `is_at_home`: a copy to where the array lies, which a plugin may refuse.
  bool Keep(std::string what, const char* requirement, const Status& status,
            bool is_at_home = false);
};

bool IsTheError(const Status& status) {
  return CarriesOn(status, PJRT_Error_Code_DATA_LOSS, kErrorText);
}

const char* CarriedBy(State state, const char* requirement) {
  if (requirement == kResults) return kErrorInput;
  if (state == State::kAliasFailing) return kAliasError;
  if (state == State::kDonatedFailing) return kDonorWaits;
  return state == State::kFailing ? kSetError : kErrorBuffer;
}

bool Use::Keep(std::string what, const char* requirement, const Status& status, bool is_at_home) {
  State state = subject.state();
  if (status.code() == StatusCode::kUnimplemented || (is_at_home && !status.ok())) {
    context.Note(StrCat(what, ": ", status.ToString()));
    return false;
  }
  if (state == State::kDeleted) {
    // Refused, or an array that fails.
    if (status.ok()) outcomes.push_back({.what = std::move(what), .requirement = requirement});
    return status.ok();
  }
  if (state == State::kFailed && !status.ok()) {
    context.Check(CarriedBy(state, requirement), IsTheError(status), what,
                  ": the error of the array became ", status.ToString());
    return false;
  }
  if (!context.Ok(kAccepted, what, status)) return false;
  outcomes.push_back(
      {.what = std::move(what), .requirement = requirement, .wanted = subject.array()});
  return true;
}

void CopyToDevices(Context& context, Use& use) {
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.size() > 2) devices.erase(devices.begin() + 1, devices.end() - 1);
  for (PJRT_Device* device : devices) {
    auto args = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
    args.buffer = use.subject.buffer();
    args.dst_device = device;
    Status status = context.plugin().Call(args);
    if (use.Keep(StrCat("a copy on ", device == devices[0] ? "its own" : "another", " device"),
                 kToDevice, status, device == devices[0])) {
      use.outcomes.back().buffer = OwnedBuffer(context.plugin(), args.dst_buffer);
      use.outcomes.back().device = device;
    }
  }
}

void CopyToMemories(Context& context, Use& use) {
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  auto own = Get<&PJRT_Buffer_Memory_Args::buffer>(context, use.subject.buffer());
  PJRT_Memory* home = own ? own->memory : DefaultMemoryOf(context, *device);
  for (PJRT_Memory* memory : MemoriesOf(context, *device)) {
    auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    args.buffer = use.subject.buffer();
    args.dst_memory = memory;
    Status status = context.plugin().Call(args);
    if (use.Keep(StrCat("a copy in the memory ", MemoryKindOf(context, memory)), kToMemory, status,
                 memory == home)) {
      use.outcomes.back().buffer = OwnedBuffer(context.plugin(), args.dst_buffer);
      use.outcomes.back().device = *device;
      use.outcomes.back().memory = memory;
    }
  }
}

// Two at once, each with its own destination, the second larger than needed.
void CopyToHost(Context& context, Use& use) {
  size_t size = use.subject.array().bytes.size();
  const int64_t order[] = {1, 0};
  auto layout = MakeArgs<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
  layout.tiled.minor_to_major = order;
  layout.tiled.minor_to_major_size = 2;
  // An array that lies otherwise comes back row-major if one asks for it.
  PJRT_Buffer_MemoryLayout* wanted = IsTurned(context, use.subject) ? &layout : nullptr;
  if (use.subject.state() != State::kDeleted) {
    auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = use.subject.buffer();
    args.host_layout = wanted;
    Status status = context.plugin().Call(args);
    if (use.subject.state() != State::kFailed || status.ok()) {
      context.Ok(kSize, "asking for the size of a copy to the host", status);
      context.Check(kSize, args.dst_size == size && args.event == nullptr, "the size is ",
                    args.dst_size, ", not ", size, args.event == nullptr ? "" : ", with an event");
    }
  }
  // In another order first: what is asked for once does not stay.
  const std::vector<int64_t>& dims = use.subject.array().dims;
  const int64_t turned[] = {0, 1};
  auto other = layout;
  other.tiled.minor_to_major = turned;
  for (size_t more : {1, 0, 12}) {
    const bool is_turned = more == 1;
    if (is_turned && dims.size() != 2) continue;
    std::vector<std::byte> bytes(size + more, std::byte{0x6B});
    // Where the array is empty there is a place all the same.
    bytes.reserve(16);
    auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = use.subject.buffer();
    args.host_layout = is_turned ? &other : wanted;
    args.dst = bytes.data();
    args.dst_size = bytes.size();
    Status status = context.plugin().Call(args);
    if (!use.Keep(more == 0 ? "a copy to the host" : "a copy to a larger place", kToHost, status))
      continue;
    Outcome& outcome = use.outcomes.back();
    outcome.event = OwnedEvent(context.plugin(), args.event);
    outcome.bytes = std::move(bytes);
    if (is_turned && !outcome.wanted.bytes.empty()) outcome.wanted.bytes = Turned(outcome.wanted);
  }
}

// Whether bytes of the device lie as the layout says, without tiles.
bool HasNoTiles(Context& context, PJRT_Buffer* buffer) {
  auto layout = Get<&PJRT_Buffer_GetMemoryLayout_Args::buffer>(context, buffer);
  return layout && RawEnum(layout->layout.type) == PJRT_Buffer_MemoryLayout_Type_Tiled &&
         layout->layout.tiled.num_tiles == 0;
}

void CopyRaw(Context& context, Use& use) {
  const bool is_turned = IsTurned(context, use.subject);
  if (is_turned && !HasNoTiles(context, use.subject.buffer())) return;
  size_t size = use.subject.array().bytes.size();
  std::vector<std::byte> bytes(size, std::byte{0x6B});
  bytes.reserve(16);
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  args.buffer = use.subject.buffer();
  args.dst = bytes.data();
  args.transfer_size = static_cast<int64_t>(size);
  Status status = context.plugin().Call(args);
  if (!use.Keep("a raw copy", kRaw, status)) return;
  if (is_turned) use.outcomes.back().wanted.bytes = Turned(use.subject.array());
  use.outcomes.back().event = OwnedEvent(context.plugin(), args.event);
  use.outcomes.back().bytes = std::move(bytes);
}

// Two prepared copies at once, of all bytes and of the second half; the second is told first.
void CopyRawFutures(Context& context, Use& use) {
  if (IsTurned(context, use.subject)) return;
  size_t size = use.subject.array().bytes.size();
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Args>();
  decltype(args) both[] = {args, args};
  std::vector<size_t> prepared;
  for (size_t i : {size_t{0}, size_t{1}}) {
    both[i].buffer = use.subject.buffer();
    both[i].offset = static_cast<int64_t>(i * (size / 2));
    both[i].transfer_size = static_cast<int64_t>(size) - both[i].offset;
    Status status = context.plugin().Call(both[i]);
    if (!use.Keep(StrCat("prepared copy ", i), kFuture, status)) continue;
    prepared.push_back(i);
    Outcome& outcome = use.outcomes.back();
    outcome.event = OwnedEvent(context.plugin(), both[i].event);
    outcome.bytes.assign(static_cast<size_t>(both[i].transfer_size), std::byte{0x6B});
    outcome.bytes.reserve(16);
    if (!outcome.wanted.bytes.empty()) {
      outcome.wanted.bytes.erase(outcome.wanted.bytes.begin(),
                                 outcome.wanted.bytes.begin() + both[i].offset);
    }
  }
  for (size_t at = prepared.size(); at-- > 0;) {
    auto tell = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
    tell.callback_data = both[prepared[at]].callback_data;
    tell.dst = use.outcomes[at].bytes.data();
    both[prepared[at]].future_ready_callback(&tell);
  }
}

// The same bytes in another shape. Once: a plugin may take the array for it.
void Bitcast(Context& context, Use& use) {
  if (IsTurned(context, use.subject)) return;
  const HostArray& array = use.subject.array();
  const auto count = static_cast<int64_t>(array.bytes.size() / 4);
  std::vector<int64_t> dims = {2, 1, count / 2};
  if (array.dims.empty()) dims = {};
  if (count % 2 != 0 && count != 1) dims = {count};
  auto args = MakeArgs<PJRT_Buffer_Bitcast_Args>();
  args.buffer = use.subject.buffer();
  args.element_type = PJRT_Buffer_Type_F32;
  args.dims = dims.data();
  args.num_dims = dims.size();
  Status status = context.plugin().Call(args);
  if (!use.Keep(StrCat("as [", StrJoin(dims), "]"), kBitcast, status)) return;
  use.outcomes.back().buffer = OwnedBuffer(context.plugin(), args.out_buffer);
  use.outcomes.back().wanted.dims = dims;
}

// A read that goes on while its array is donated to a sum.
void Donate(Context& context, Use& use) {
  if (use.subject.array().dims != std::vector<int64_t>{4} || use.subject.state() == State::kOnHost)
    return;
  Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "donating"));
  if (!context.Ok("", "PJRT_Client_Compile", program.status())) return;
  CopyRaw(context, use);
  PJRT_Buffer* handles[] = {use.subject.buffer()};
  auto results = context.Execute(program->get(), handles);
  if (!use.Keep("a sum in place", kResults, results.status())) return;
  std::vector<float> sums = use.subject.array().AsF32();
  for (float& value : sums) value += 1;
  use.outcomes.back().buffer = std::move((*results)[0]);
  use.outcomes.back().wanted = HostArray::F32({4}, sums);
}

// A program with four results: the argument, twice its elements, and both again.
void Execute(Context& context, Use& use) {
  // An argument in another memory may be refused.
  if (use.subject.array().dims != std::vector<int64_t>{4} || use.subject.state() == State::kOnHost)
    return;
  Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "same_four"));
  if (!context.Ok("", "PJRT_Client_Compile", program.status())) return;
  PJRT_Buffer* handles[] = {use.subject.buffer()};
  OwnedEvent done;
  auto results = context.Execute(program->get(), handles, &done);
  if (!use.Keep("the first result", kResults, results.status())) return;
  std::vector<float> twice = use.subject.array().AsF32();
  for (float& value : twice) value *= 2;
  use.outcomes.back().buffer = std::move((*results)[0]);
  for (size_t i = 1; i < results->size(); ++i) {
    bool is_twice = i % 2 == 1;
    use.outcomes.push_back({.what = StrCat("result ", i),
                            .requirement = kResults,
                            .wanted = is_twice ? HostArray::F32({4}, twice) : use.subject.array(),
                            .buffer = std::move((*results)[i])});
  }
}

// An alias stands for it, whatever it waits for: also for one that is an alias itself.
void StandFor(Context& context, Use& use) {
  if (use.subject.state() == State::kDeleted) return;
  // XLA's own CPU refuses it of an array that waits for its contents and for a word.
  if (IsDonated(use.subject.state())) return;
  // Aliases here are row-major.
  if (use.subject.array().dims.size() > 1 && !LiesRowMajor(context, use.subject.buffer())) return;
  auto home = Get<&PJRT_Buffer_Memory_Args::buffer>(context, use.subject.buffer());
  if (!home) return;
  Expected<Alias> alias = MakeAlias(context, home->memory, use.subject.array().dims);
  if (!alias.ok()) return context.Note(StrCat("no alias: ", alias.status().ToString()));
  Status status = FulfillAlias(context, alias->fulfill, use.subject.buffer());
  if (!use.Keep("an alias that stands for it", kWaits, status)) return;
  use.outcomes.back().buffer = std::move(alias->buffer);
}

// The ready event twice: two objects.
void Ready(Context& context, Use& use) {
  OwnedEvent first;
  for (int i = 0; i < 2; ++i) {
    auto args = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
    args.buffer = use.subject.buffer();
    Status status = context.plugin().Call(args);
    if (!context.Ok(kReady, "PJRT_Buffer_ReadyEvent", status)) return;
    context.Check("PJRT-Args-output-new", first.get() != args.event,
                  "two ready events of a buffer are one object");
    if (use.subject.state() == State::kDeleted) {
      OwnedEvent event(context.plugin(), args.event);
      context.Check("PJRT-Buffer_ReadyEvent-deleted", IsEventReady(context, event.get()),
                    "the ready event of a deleted buffer does not fail at once");
      continue;
    }
    use.outcomes.push_back({.what = i == 0 ? "the ready event" : "a second ready event",
                            .requirement = kReady,
                            .wanted = use.subject.array(),
                            .event = OwnedEvent(context.plugin(), args.event)});
    if (i == 0) {
      // Kept alive by its outcome.
      first = OwnedEvent();
      auto* kept = use.outcomes.back().event.get();
      context.Check("PJRT-Args-output-handle", kept != nullptr, "the ready event is null");
    }
  }
  if (use.outcomes.size() == 2) {
    context.Check("PJRT-Args-output-new",
                  use.outcomes[0].event.get() != use.outcomes[1].event.get(),
                  "two ready events of a buffer are one object");
  }
}

void CheckOutcome(Context& context, State state, Outcome& outcome) {
  Status status = outcome.buffer ? AwaitBuffer(context, outcome.buffer.get())
                                 : context.Await(outcome.event.get());
  if (state == State::kDeleted) {
    context.Check(outcome.requirement, !status.ok(), outcome.what,
                  " of a deleted buffer succeeded");
    return;
  }
  if (Fails(state)) {
    context.Check(CarriedBy(state, outcome.requirement), IsTheError(status), outcome.what,
                  " ended with ", status.ToString(), ", not with the error of its array");
    return;
  }
  if (!context.Ok(outcome.requirement, outcome.what, status)) return;
  if (outcome.buffer) {
    Expected<HostArray> back = context.Download(outcome.buffer.get());
    if (!context.Ok(outcome.requirement, outcome.what, back.status())) return;
    context.Check(outcome.requirement,
                  back->dims == outcome.wanted.dims && back->bytes == outcome.wanted.bytes,
                  outcome.what, " has other contents");
    if (outcome.device != nullptr)
      JudgeBuffer(context, outcome.buffer.get(), {outcome.wanted, outcome.device, outcome.memory});
  } else if (!outcome.bytes.empty()) {
    size_t size = outcome.wanted.bytes.size();
    context.Check(
        outcome.requirement,
        std::equal(outcome.wanted.bytes.begin(), outcome.wanted.bytes.end(), outcome.bytes.begin()),
        outcome.what, " has other contents");
    for (size_t i = size; i < outcome.bytes.size(); ++i) {
      if (!context.Check(outcome.requirement, outcome.bytes[i] == std::byte{0x6B}, outcome.what,
                         " wrote behind the contents"))
        break;
    }
  }
}

constexpr std::pair<void (*)(Context&, Use&), const char*> kEveryUse[] = {
    {CopyToDevices, "devices"},  {CopyToMemories, "memories"},
    {CopyToHost, "host"},        {CopyRaw, "raw"},
    {CopyRawFutures, "futures"}, {Bitcast, "bitcast"},
    {Execute, "execute"},        {Donate, "donate"},
    {StandFor, "stand_for"},     {Ready, "ready"}};

// Arrays that a subject of the state is tried with.
std::vector<HostArray> ArraysOf(State state) {
  std::vector<HostArray> arrays = {FourNumbers()};
  // The program whose results are computed takes no others.
  if (IsLate(state) && state != State::kComputed) arrays.push_back(HostArray::F32({}, {5}));
  return arrays;
}

// What becomes of the array while it is used.
enum class Meanwhile { kNothing, kDeleted, kDestroyed };

void RunState(Context& context, State state, const HostArray& array, Meanwhile meanwhile) {
  for (auto [run, name] : kEveryUse) {
    // The event of a deleted array fails; what sees its bytes is no work that uses it.
    if (meanwhile == Meanwhile::kDeleted && (run == Ready || run == Bitcast || run == StandFor))
      continue;
    context.TellRow(StrCat(name, ", [", StrJoin(array.dims), "]"));
    UsedBuffer subject(context, state, array);
    if (!subject.Make()) return;
    Use use{context, subject, {}};
    run(context, use);
    if (meanwhile == Meanwhile::kDeleted && !DeleteBuffer(context, subject.buffer())) return;
    if (meanwhile == Meanwhile::kDestroyed &&
        !context.Ok(kAccepted, "PJRT_Buffer_Destroy", subject.Drop()))
      return;
    for (const Outcome& outcome : use.outcomes) {
      if (!IsLate(state)) continue;
      OwnedEvent own = outcome.buffer ? ReadyEventOf(context, outcome.buffer.get()) : OwnedEvent();
      PJRT_Event* event = outcome.buffer ? own.get() : outcome.event.get();
      context.Check(outcome.requirement == kWaits ? kWaits : kReady,
                    event == nullptr || !IsEventReady(context, event), outcome.what,
                    " was ready before the array was");
    }
    if (!subject.Finish()) return;
    for (Outcome& outcome : use.outcomes) CheckOutcome(context, state, outcome);
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](std::string name, State state, Meanwhile meanwhile) {
    cases.push_back({std::move(name),
                     Level::kL2,
                     ClientNeed::kShared,
                     {"PJRT-Client_BufferFromHostBuffer-done",
                      "PJRT-Client_BufferFromHostBuffer-only-during-call",
                      kAccepted,
                      kToDevice,
                      kToMemory,
                      kToHost,
                      kRaw,
                      kResults,
                      kErrorInput,
                      kReady,
                      kSize,
                      kErrorBuffer,
                      kSetError,
                      kAliasError,
                      kDonorWaits,
                      kBitcast,
                      kFuture,
                      kUses,
                      kWaits,
                      "PJRT-Buffer_ToHostBuffer-layout",
                      "PJRT-Args-output-new",
                      "PJRT-Buffer_ReadyEvent-deleted",
                      "PJRT-Buffer_ToHostBuffer-deleted"},
                     [=](Context& context) {
                       for (const HostArray& array : ArraysOf(state))
                         RunState(context, state, array, meanwhile);
                     },
                     false});
  };
  for (auto [state, name] : kStates) {
    add(StrCat("L2/use/", name), state, Meanwhile::kNothing);
    if (state == State::kDeleted) continue;
    add(StrCat("L2/use/destroyed/", name), state, Meanwhile::kDestroyed);
    // What an alias stands for is told of the alias itself.
    if (!IsAlias(state)) add(StrCat("L2/use/deleted_meanwhile/", name), state, Meanwhile::kDeleted);
  }
}

}  // namespace uses

void AddUseCases(std::vector<Case>& cases) { uses::AddCases(cases); }

}  // namespace plinth::conformance
