// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_PENDING_BUFFER_H_
#define PLINTH_CONFORMANCE_CASES_PENDING_BUFFER_H_

#include <utility>

#include "conformance/cases/transfer_manager.h"
#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

namespace plinth::conformance {

// A buffer that becomes ready when the case says so.
class PendingBuffer {
 public:
  explicit PendingBuffer(Context& context, HostArray array = HostArray::F32({4}, {1, 2, 3, 4}))
      : context_(context), array_(std::move(array)) {}

  // False, with a finding or UNSUPPORTED, if the plugin gives none.
  bool Make();
  // Only the manager; the buffer can still be retrieved.
  bool MakeManager();
  bool Retrieve();
  PJRT_Buffer* buffer() const { return buffer_.get(); }
  // The buffer is the caller's from now on; it is filled all the same.
  OwnedBuffer Take() { return std::move(buffer_); }
  OwnedManager& manager() { return manager_; }

  // Transfers `size` bytes to `offset`, and waits for it unless the plugin gives no event.
  Status Transfer(int index, const float* values, int64_t offset, int64_t size, bool is_last) const;
  // Gives it its contents and makes it ready; false, with a finding, if that fails.
  bool Fill();

 private:
  Context& context_;
  HostArray array_;
  OwnedManager manager_;
  OwnedBuffer buffer_;
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_PENDING_BUFFER_H_
