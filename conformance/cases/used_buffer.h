// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_USED_BUFFER_H_
#define PLINTH_CONFORMANCE_CASES_USED_BUFFER_H_

#include <utility>

#include "conformance/cases/pending_buffer.h"
#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

// Buffers in every state that they may be in.
namespace plinth::conformance::uses {

inline constexpr char kErrorText[] = "100 % of this array is lost: %s, %d, %n";

enum class State {
  kFilled,
  kScalar,
  kTurned,
  kLarge,
  kEmpty,
  kOnHost,
  kPending,
  kAliased,
  kCopied,
  kComputed,
  kDonated,
  kFailing,
  kAliasFailing,
  kDonatedFailing,
  kFailed,
  kDeleted
};
inline constexpr std::pair<State, const char*> kStates[] = {
    {State::kFilled, "filled"},
    {State::kScalar, "scalar"},
    {State::kTurned, "column_major"},
    {State::kLarge, "large"},
    {State::kEmpty, "empty"},
    {State::kOnHost, "other_memory"},
    {State::kPending, "pending"},
    {State::kAliased, "alias"},
    {State::kCopied, "copied"},
    {State::kComputed, "computed"},
    {State::kDonated, "donated"},
    {State::kFailing, "failing"},
    {State::kAliasFailing, "failing_alias"},
    {State::kDonatedFailing, "failing_donated"},
    {State::kFailed, "failed"},
    {State::kDeleted, "deleted"}};

inline bool IsLate(State state) {
  return state == State::kPending || state == State::kAliased || state == State::kCopied ||
         state == State::kComputed || state == State::kDonated || state == State::kFailing ||
         state == State::kAliasFailing || state == State::kDonatedFailing;
}
inline bool IsAlias(State state) {
  return state == State::kAliased || state == State::kAliasFailing;
}
// It waits for the word of its donor.
inline bool IsDonated(State state) {
  return state == State::kDonated || state == State::kDonatedFailing;
}
inline bool Fails(State state) {
  return state == State::kFailing || state == State::kAliasFailing ||
         state == State::kDonatedFailing || state == State::kFailed;
}

inline HostArray FourNumbers() { return HostArray::F32({4}, {1, 2, 3, 4}); }

// A buffer in a state, and how it ends.
class UsedBuffer {
 public:
  // `late`: of what type and shape one is that is not ready yet.
  UsedBuffer(Context& context, State state, const HostArray& late = FourNumbers())
      : context_(context), state_(state), array_(late), pending_(context, late) {}

  // False, with a finding or a note, if there is none.
  bool Make();
  // Ends what a buffer that is not ready waits for.
  bool Finish();
  // Destroys the handle.
  Status Drop() { return buffer_.Destroy(); }
  PJRT_Buffer* buffer() const { return buffer_.get(); }
  // The buffer is the caller's from now on; it ends all the same.
  OwnedBuffer Take() { return std::move(buffer_); }
  const HostArray& array() const { return array_; }
  State state() const { return state_; }

 private:
  bool Upload(PJRT_Buffer_MemoryLayout* layout = nullptr);
  bool MakeLate(PJRT_Memory* home);
  bool MakeDonated();

  Context& context_;
  State state_;
  HostArray array_;
  PendingBuffer pending_;
  PJRT_FulfillAliasBufferCallback* fulfill_ = nullptr;
  PJRT_Buffer_DonateWithControlDependency_Args donation_ =
      MakeArgs<PJRT_Buffer_DonateWithControlDependency_Args>();
  OwnedBuffer buffer_;
};

}  // namespace plinth::conformance::uses

#endif  // PLINTH_CONFORMANCE_CASES_USED_BUFFER_H_
