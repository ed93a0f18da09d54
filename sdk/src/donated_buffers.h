// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_DONATED_BUFFERS_H_
#define PLINTH_SDK_SRC_DONATED_BUFFERS_H_

#include <algorithm>

#include "plinth/support/small_vector.h"
#include "sdk/src/buffer_access.h"

namespace plinth::sdk::internal {

// The buffers that one call takes the contents of. Unless the call finishes, it takes nothing: they
// are released again.
class DonatedBuffers {
 public:
  DonatedBuffers() = default;
  DonatedBuffers(const DonatedBuffers&) = delete;
  DonatedBuffers& operator=(const DonatedBuffers&) = delete;
  ~DonatedBuffers() {
    for (Buffer* buffer : buffers_) BufferAccess::Release(*buffer);
  }

  // False if the buffer is deleted, or somebody else takes it.
  bool Add(Buffer& buffer) {
    buffers_.reserve(buffers_.size() + 1);  // before the claim, which nobody would release
    if (!BufferAccess::Claim(buffer)) return false;
    buffers_.push_back(&buffer);
    return true;
  }
  bool Has(const Buffer& buffer) const {
    return std::find(buffers_.begin(), buffers_.end(), &buffer) != buffers_.end();
  }
  void Finish() {
    for (Buffer* buffer : buffers_) BufferAccess::Finish(*buffer);
    buffers_.clear();
  }

 private:
  SmallVector<Buffer*, 16> buffers_;
};

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_DONATED_BUFFERS_H_
