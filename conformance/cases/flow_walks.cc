// SPDX-License-Identifier: Apache-2.0
// L2: long walks among what is still to come. Arrays wait for transfers and aliases; runs, copies,
// reads, events, callbacks and threads wait for arrays. What they all wait for ends in any order,
// well or badly, and each of them has to end as what it was made of, no sooner and once.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/counted_callback.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/random_walk.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/used_buffer.h"

namespace plinth::conformance {
namespace flow_walks {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kDone[] = "PJRT-LoadedExecutable_Execute-done";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kErrorInput[] = "PJRT-LoadedExecutable_Execute-error-input";
constexpr char kRead[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kReady[] = "PJRT-Buffer_ReadyEvent-after";
constexpr char kOnce[] = "PJRT-Event_OnReady-once";
constexpr char kTwice[] = "PJRT-Event_Await-twice";
constexpr char kCarries[] = "PJRT-Client_CreateErrorBuffer-carries";

constexpr size_t kMostArrays = 16, kMostPending = 4;
constexpr float kMostValue = 1e6;  // sums stay exact

constexpr uses::State kLate[] = {uses::State::kPending, uses::State::kAliased,
                                 uses::State::kFailing, uses::State::kAliasFailing};
constexpr uses::State kThere[] = {uses::State::kFilled, uses::State::kFailed};

// What something waits for.
struct Origin {
  std::set<size_t> sources;  // what it is made of
  size_t before = 0;         // a plugin that works in order waits for all sources that came earlier
  bool is_computed = false;  // a run may tell an error in other words
};

struct Array {
  OwnedBuffer buffer;
  Origin origin;
  std::vector<float> values;
  bool is_at_home = true;  // where programs take it
};

// An event, and what it is of.
struct Watch {
  const char* what;
  const char* requirement;
  Origin origin;
  OwnedEvent event;  // null: a callback outlives it
  CountedCallback* callback = nullptr;
  std::shared_ptr<std::optional<Status>> waited = {};  // by `thread`
  std::thread thread = {};
  std::shared_ptr<std::vector<float>> read = {};  // where a read goes
  std::vector<float> values = {};
};

struct Source {
  std::unique_ptr<uses::UsedBuffer> used;
  bool has_ended;
};

class FlowWalk : public RandomWalk {
 public:
  FlowWalk(Context& context, uint64_t number)
      : RandomWalk(context, number),
        late_(std::begin(kLate), std::end(kLate)),
        there_(std::begin(kThere), std::end(kThere)) {}

  void Run(size_t num_steps) {
    if (!Prepare()) return;
    Walk(
        num_steps, Steps(), [this] { LookAround(); }, [this] { return late_.empty(); });
    if (late_.empty()) context_.Unsupported("no array is to come");
    Finish();
    TellSteps();
  }

 private:
  bool Prepare() {
    Expected<PJRT_Device*> device = context_.Device();
    if (!context_.Ok("", "PJRT_Client_AddressableDevices", device.status())) return false;
    device_ = *device;
    memory_ = DefaultMemoryOf(context_, device_);
    for (const char* name : {"add_one", "donating", "add_donated", "same_four"}) {
      Expected<OwnedLoadedExecutable> program = context_.Compile(ProgramFor(context_, name));
      if (!context_.Ok("", "PJRT_Client_Compile", program.status())) return false;
      programs_.push_back(*std::move(program));
    }
    return true;
  }

  // What is known of the future.
  bool IsToCome(const Origin& origin) const {
    bool waits = false;
    for (size_t source : origin.sources) {
      // An error may come at once.
      if (sources_[source].has_ended && Fails(sources_[source].used->state())) return false;
      waits |= !sources_[source].has_ended;
    }
    return waits;
  }
  bool IsOver(const Origin& origin) const {
    return std::all_of(sources_.begin(),
                       sources_.begin() + static_cast<std::ptrdiff_t>(origin.before),
                       [](const Source& source) { return source.has_ended; });
  }
  bool Breaks(const Origin& origin) const {
    return std::any_of(origin.sources.begin(), origin.sources.end(),
                       [&](size_t source) { return Fails(sources_[source].used->state()); });
  }
  Origin From(const Origin& origin, bool is_computed) const {
    return {origin.sources, sources_.size(), origin.is_computed || is_computed};
  }

  // Whether it ended as what it was made of.
  bool CheckEnding(std::string_view requirement, std::string_view what, const Origin& origin,
                   const Status& status) {
    if (!Breaks(origin)) return context_.Ok(requirement, what, status);
    const auto carries = origin.is_computed ? CarriesOn : Carries;
    return context_.Check(origin.is_computed ? kErrorInput : kCarries,
                          carries(status, PJRT_Error_Code_DATA_LOSS, uses::kErrorText), what,
                          " of what is lost gave ", status.ToString());
  }
  // Whether there is something to go on with. A call may tell at once what is lost.
  bool IsMade(std::string_view what, const Origin& origin, const Status& status) {
    if (status.ok()) return true;
    if (Breaks(origin)) {
      CheckEnding(kErrorInput, what, origin, status);
    } else {
      context_.Ok(kAccepted, what, status);
    }
    return false;
  }

  void Keep(Array array) {
    if (arrays_.size() == kMostArrays) (void)TakeOneOf(arrays_);
    arrays_.push_back(std::move(array));
  }

  void Begin(std::vector<uses::State>& states, bool has_ended) {
    if (states.empty()) return;
    const size_t which = Below(states.size());
    auto used = std::make_unique<uses::UsedBuffer>(aside_, states[which],
                                                   Counted({4}, static_cast<float>(Below(1000))));
    const bool is_made = used->Make();
    TakeFindings();
    if (!is_made) {
      states.erase(states.begin() + static_cast<std::ptrdiff_t>(which));  // the plugin has none
      return;
    }
    const size_t number = sources_.size();
    Array array{used->Take(), {{number}, number + 1}, used->array().AsF32()};
    sources_.push_back({std::move(used), has_ended});
    Keep(std::move(array));
  }
  void BeginLate() {
    const auto pending = std::count_if(sources_.begin(), sources_.end(),
                                       [](const Source& source) { return !source.has_ended; });
    if (static_cast<size_t>(pending) < kMostPending) Begin(late_, false);
  }
  void BeginThere() { Begin(there_, true); }

  void EndSource() {
    std::vector<Source*> pending;
    for (Source& source : sources_) {
      if (!source.has_ended) pending.push_back(&source);
    }
    if (pending.empty()) return;
    Source& source = *OneOf(pending);
    (void)source.used->Finish();
    source.has_ended = true;
    TakeFindings();
  }

  // An array that programs take; null where there is none.
  Array* AnArgument() {
    if (arrays_.empty()) return nullptr;
    Array& array = OneOf(arrays_);
    return array.is_at_home && array.values[3] < kMostValue ? &array : nullptr;
  }
  Array Take(const Array* array) {
    Array taken = std::move(arrays_[static_cast<size_t>(array - arrays_.data())]);
    arrays_.erase(arrays_.begin() + (array - arrays_.data()));
    return taken;
  }

  // Keeps the results, each with its values, and the event.
  bool Execute(size_t program, const std::vector<PJRT_Buffer*>& arguments, const Origin& origin,
               const std::vector<std::vector<float>>& values) {
    OwnedEvent done;
    auto results = context_.Execute(programs_[program].get(), arguments, &done);
    if (!IsMade("an execution", origin, results.status())) return false;
    if (!context_.Check("PJRT-LoadedExecutable_Execute-output", results->size() == values.size(),
                        "an execution has ", results->size(), " results"))
      return false;
    for (size_t i = 0; i < values.size(); ++i) Keep({std::move((*results)[i]), origin, values[i]});
    if (done) watches_.push_back({"the event of an execution", kDone, origin, std::move(done)});
    return true;
  }

  void RunOne() {
    const Array* argument = AnArgument();
    if (argument == nullptr) return;
    const bool is_many = Below(3) == 0;
    std::vector<float> other = argument->values;
    for (float& value : other) value = is_many ? value + value : value + 1;
    std::vector<std::vector<float>> values = {other};
    if (is_many) values = {argument->values, other, argument->values, other};
    Execute(is_many ? 3 : 0, {argument->buffer.get()}, From(argument->origin, true), values);
  }

  // The first argument is gone when the call is back.
  void Donate() {
    const Array* argument = AnArgument();
    if (argument == nullptr) return;
    Array given = Take(argument);
    const Array* added = Below(2) == 0 ? AnArgument() : nullptr;
    Origin origin = From(given.origin, true);
    std::vector<PJRT_Buffer*> arguments = {given.buffer.get()};
    std::vector<float> sums = given.values;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += added != nullptr ? added->values[i] : 1;
    if (added != nullptr) {
      arguments.push_back(added->buffer.get());
      origin.sources.insert(added->origin.sources.begin(), added->origin.sources.end());
    }
    if (!Execute(added != nullptr ? 2 : 1, arguments, origin, {sums})) return;
    context_.Check("PJRT-LoadedExecutable_Execute-donation",
                   IsBufferDeleted(context_, given.buffer.get()),
                   "a donated array that is to come does not count as deleted");
  }

  void Copy() {
    if (arrays_.empty()) return;
    const Array& from = OneOf(arrays_);
    std::vector<PJRT_Device*> devices = AddressableDevices(context_);
    PJRT_Device* const device = Below(2) == 0 ? device_ : OneOf(devices);
    std::vector<PJRT_Memory*> memories = MemoriesOf(context_, device);
    if (memories.empty()) return;
    auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    args.buffer = from.buffer.get();
    args.dst_memory = device == device_ ? memory_ : OneOf(memories);
    // A plugin may refuse to copy to where an array is, and what it lacks.
    if (!context_.plugin().Call(args).ok()) return;
    Keep({OwnedBuffer(context_.plugin(), args.dst_buffer), From(from.origin, false), from.values,
          device == device_});
  }

  void Read() {
    if (arrays_.empty()) return;
    const Array& from = OneOf(arrays_);
    Watch watch{"a read", kRead, From(from.origin, false), {}};
    watch.read = std::make_shared<std::vector<float>>(4);
    watch.values = from.values;
    auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = from.buffer.get();
    args.dst = watch.read->data();
    args.dst_size = 16;
    if (!IsMade("PJRT_Buffer_ToHostBuffer", watch.origin, context_.plugin().Call(args))) return;
    watch.event = OwnedEvent(context_.plugin(), args.event);
    if (context_.Check("PJRT-Args-output-handle", static_cast<bool>(watch.event),
                       "PJRT_Buffer_ToHostBuffer gives no event"))
      watches_.push_back(std::move(watch));
  }

  // The ready event, or one of a run or read: alone, with a callback that may outlive it, or with a
  // thread that waits.
  void WatchOne() {
    if (arrays_.empty()) return;
    const Array& array = OneOf(arrays_);
    // The event itself may come sooner than what a plugin that works in order still has to do.
    Watch watch{"the ready event", kReady, array.origin,
                ReadyEventOf(context_, array.buffer.get())};
    if (!watch.event) return;
    const size_t how = Below(4);
    if (how == 1 || how == 2) {
      watch.callback = NewCountedCallback(context_);
      if (!RegisterCallback(context_, watch.event.get(), watch.callback)) return;
      watch.what = "a callback";
      if (how == 2) context_.Ok(kAccepted, "PJRT_Event_Destroy", watch.event.Destroy());
    } else if (how == 3) {
      watch.what = "a waiting thread";
      watch.waited = std::make_shared<std::optional<Status>>();
      watch.thread = std::thread([this, waited = watch.waited, event = watch.event.get()] {
        auto args = MakeArgs<PJRT_Event_Await_Args>();
        args.event = event;
        *waited = context_.plugin().Call(args);
      });
    }
    watches_.push_back(std::move(watch));
  }

  void Delete() {
    if (arrays_.empty()) return;
    Array array = TakeOneOf(arrays_);
    if (!DeleteBuffer(context_, array.buffer.get())) return;
    context_.Check("PJRT-Buffer_IsDeleted-truth", IsBufferDeleted(context_, array.buffer.get()),
                   "an array that was deleted does not count as deleted");
  }
  void Destroy() {
    if (arrays_.empty()) return;
    context_.Ok(kAccepted, "PJRT_Buffer_Destroy", TakeOneOf(arrays_).buffer.Destroy());
  }

  void Judge(const Array& array) {
    context_.Check("PJRT-Buffer_IsDeleted-truth", !IsBufferDeleted(context_, array.buffer.get()),
                   "an array counts as deleted that nobody deleted");
    if (IsToCome(array.origin)) {
      const OwnedEvent event = ReadyEventOf(context_, array.buffer.get());
      context_.Check(kReady, event && !IsEventReady(context_, event.get()),
                     "an array is ready before what it is made of");
    } else if (IsOver(array.origin)) {
      Expected<HostArray> found = context_.Download(array.buffer.get());
      if (!CheckEnding(kResults, "reading an array", array.origin, found.status()) || !found.ok())
        return;
      CheckSameArray(context_, kResults, "an array", HostArray::F32({4}, array.values), *found);
    }
  }

  // True if it has ended and was judged.
  bool Judge(Watch& watch) {
    if (IsToCome(watch.origin)) {
      context_.Check(watch.requirement, !watch.event || !IsEventReady(context_, watch.event.get()),
                     watch.what, " is ready before what it waits for");
      context_.Check(kOnce, watch.callback == nullptr || watch.callback->calls == 0,
                     "a callback came before what it waits for");
      return false;
    }
    if (!IsOver(watch.origin)) return false;
    if (watch.thread.joinable()) {
      watch.thread.join();
      CheckEnding(kTwice, watch.what, watch.origin, **watch.waited);
    }
    if (watch.callback != nullptr) {
      WaitForCall(*watch.callback);
      if (context_.Check(kOnce, watch.callback->calls == 1, "a callback came ",
                         watch.callback->calls.load(), " times, not once"))
        CheckEnding(kOnce, watch.what, watch.origin, watch.callback->status);
    }
    if (watch.event)
      CheckEnding(watch.requirement, watch.what, watch.origin, context_.Await(watch.event.get()));
    if (watch.read != nullptr && !Breaks(watch.origin)) {
      CheckSameArray(context_, kRead, "a read", HostArray::F32({4}, watch.values),
                     HostArray::F32({4}, *watch.read));
    }
    return true;
  }

  void LookAround() {
    if (!arrays_.empty()) Judge(OneOf(arrays_));
    if (watches_.empty()) return;
    Watch watch = TakeOneOf(watches_);
    if (!Judge(watch)) watches_.push_back(std::move(watch));
  }

  // Everything ends, whatever was found: threads wait.
  void Finish() {
    for (Source& source : sources_) {
      if (!source.has_ended) (void)source.used->Finish();
      source.has_ended = true;
    }
    TakeFindings();
    for (Watch& watch : watches_) (void)Judge(watch);
    for (const Array& array : arrays_) Judge(array);
  }

  std::vector<Step> Steps() {
    return {{"begin", [this] { BeginLate(); }},
            {"begin", [this] { BeginLate(); }},
            {"upload", [this] { BeginThere(); }},
            {"end what is to come", [this] { EndSource(); }},
            {"end what is to come", [this] { EndSource(); }},
            {"run", [this] { RunOne(); }},
            {"run", [this] { RunOne(); }},
            {"donate", [this] { Donate(); }},
            {"donate", [this] { Donate(); }},
            {"copy", [this] { Copy(); }},
            {"read", [this] { Read(); }},
            {"watch", [this] { WatchOne(); }},
            {"watch", [this] { WatchOne(); }},
            {"delete", [this] { Delete(); }},
            {"destroy", [this] { Destroy(); }}};
  }

  std::vector<uses::State> late_, there_;
  PJRT_Device* device_ = nullptr;
  PJRT_Memory* memory_ = nullptr;
  std::vector<OwnedLoadedExecutable> programs_;
  std::vector<Source> sources_;
  std::vector<Array> arrays_;
  std::vector<Watch> watches_;
};

}  // namespace

void AddCases(std::vector<Case>& cases) {
  constexpr int kWalks = 8;
  for (int number = 0; number < kWalks; ++number) {
    cases.push_back(
        {StrCat("L2/flow/", number),
         Level::kL2,
         ClientNeed::kShared,
         {kAccepted, kDone, kResults, kErrorInput, kRead, kReady, kOnce, kTwice, kCarries,
          "PJRT-LoadedExecutable_Execute-donation", "PJRT-Buffer_IsDeleted-truth"},
         [number](Context& context) {
           FlowWalk(context, static_cast<uint64_t>(number)).Run(NumSteps(context, 400));
         },
         false});
  }
}

}  // namespace flow_walks

void AddFlowWalkCases(std::vector<Case>& cases) { flow_walks::AddCases(cases); }

}  // namespace plinth::conformance
