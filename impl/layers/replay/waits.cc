// SPDX-License-Identifier: Apache-2.0
// The waits of a replay.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "impl/layers/replay/replayer.h"

namespace plinth::layers {
namespace {

using capture::Tag;

constexpr std::chrono::milliseconds kShortWait(20);
constexpr int kMaxShortWaits = 1000;
constexpr size_t kMaxLateAwaits = size_t{1} << 16;

}  // namespace

void Replayer::TrackOpen(const CapturedCall& call) {
  if (call.code != 0) return;
  const reflection::Function& function = reflection::Functions()[call.function];
  const auto handle_in = [&](int16_t field) -> std::optional<uint64_t> {
    if (field < 0) return std::nullopt;
    const auto fields = reflection::FieldsOf(reflection::Structs()[function.args]);
    const CapturedValue* handle = call.Find(fields[field].name);
    if (handle == nullptr || handle->tag != Tag::kHandle) return std::nullopt;
    return handle->ids[0];
  };
  if (const auto opened = handle_in(function.opens)) open_.insert(*opened);
  if (const auto closed = handle_in(function.closes)) open_.erase(*closed);
  if (function.provides) Settle(Clock::now());
}

Replayer::Clock::time_point Replayer::LimitEnd() const {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(options_.wait_seconds));
}

Replayer::Clock::time_point Replayer::WaitEnd() const {
  if (open_.empty()) return LimitEnd();
  return num_put_off_ < kMaxShortWaits ? Clock::now() + kShortWait : Clock::now();
}

Status Replayer::NotReady(std::string_view what) const {
  return Status(StatusCode::kDeadlineExceeded,
                StrCat(what, " is not ready after ", options_.wait_seconds,
                       " seconds; in the captured run it was"));
}

bool Replayer::IsReady(PendingRead& read, Clock::time_point end) {
  if (read.event == nullptr) return true;
  if (!call_.WaitUntilReady(read.event, end)) return false;
  read.status = call_.TakeEvent(std::exchange(read.event, nullptr));
  return true;
}

void Replayer::Settle(Clock::time_point end) {
  std::erase_if(late_awaits_, [&](const LateAwait& late) {
    if (!call_.WaitUntilReady(late.event, end)) return false;
    auto await = MakeArgs<PJRT_Event_Await_Args>();
    await.event = late.event;
    CompareStatus(late.call, call_(await), late.number);
    if (late.is_destroyed) {
      DestroyHandle({late.event, reflection::handle::kPJRT_Event, true});
    }
    return true;
  });
  for (auto entry = reads_.begin(); entry != reads_.end();) {
    PendingRead& read = entry->second;
    if (read.has_output && IsReady(read, end)) {
      CompareOutput(read);
      pending_bytes_ -= read.counted;
      entry = reads_.erase(entry);
    } else {
      ++entry;
    }
  }
}

Status Replayer::SettleAll() {
  Settle(LimitEnd());
  if (!late_awaits_.empty()) return NotReady(StrCat("event ", late_awaits_[0].id));
  for (const auto& [number, read] : reads_) {
    if (read.has_output) return NotReady(StrCat("buffer ", read.buffer));
  }
  return Status();
}

Status Replayer::OnEnd(bool truncated) {
  if (truncated) {
    Settle(Clock::now() + kShortWait);
  } else {
    PLINTH_RETURN_IF_ERROR(SettleAll());
  }
  report_.outputs_not_captured += reads_.size();
  return Status();
}

Status Replayer::Await(const CapturedCall& call) {
  const CapturedValue* event = call.Find("event");
  if (event == nullptr || event->tag != Tag::kHandle) return Status();
  uint64_t id = event->ids[0];
  auto found = handles_.find(id);
  // Events of functions that are left out, such as of copies to the host, are not here.
  if (found == handles_.end() || found->second.type != reflection::handle::kPJRT_Event) {
    return Status();
  }
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = static_cast<PJRT_Event*>(found->second.handle);
  if (call_.WaitUntilReady(await.event, WaitEnd())) {
    CompareStatus(call, call_(await));
    return Status();
  }
  if (open_.empty() || late_awaits_.size() >= kMaxLateAwaits) return NotReady(StrCat("event ", id));
  ++num_put_off_;
  auto is_known = [id](const LateAwait& late) { return late.id == id; };
  if (std::none_of(late_awaits_.begin(), late_awaits_.end(), is_known)) {
    late_awaits_.push_back({call, report_.calls, id, await.event});
  }
  return Status();
}

Status Replayer::AwaitInputs(const CapturedCall& call, void* args) {
  // Memory that the plugin may read until an event of the same struct is ready.
  const reflection::Struct& structure = reflection::Structs()[static_cast<size_t>(
      reflection::Functions()[static_cast<size_t>(call.function)].args)];
  for (const reflection::Field& field : reflection::FieldsOf(structure)) {
    if (field.base != reflection::Base::kVoid || field.direction != reflection::Direction::kIn ||
        field.lifetime == nullptr) {
      continue;
    }
    const reflection::Field* event = reflection::FindField(structure, field.lifetime.view());
    if (event == nullptr || event->target != reflection::handle::kPJRT_Event) continue;
    auto await = MakeArgs<PJRT_Event_Await_Args>();
    std::memcpy(&await.event, static_cast<const char*>(args) + event->offset, sizeof(await.event));
    if (await.event == nullptr) continue;
    // That does not depend on later calls: the memory is there.
    if (!call_.WaitUntilReady(await.event, LimitEnd())) {
      return NotReady(event->name.view());
    }
    CompareStatus(call, call_(await));
  }
  return Status();
}

}  // namespace plinth::layers
