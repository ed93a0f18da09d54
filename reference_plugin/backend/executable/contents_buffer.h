// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_BUFFER_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_BUFFER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "plinth/sdk/buffer.h"
#include "reference_plugin/backend/executable/contents.h"

namespace plinth::backend {

// A PJRT buffer that refers to contents, with a shape. Dense; `layout` is null for row major. What
// moves bytes is a back end's, which derives from it.
class ContentsBuffer : public sdk::Buffer {
 public:
  ContentsBuffer(DType dtype, std::span<const int64_t> dims, sdk::Memory* memory,
                 sdk::Device* device, ContentsPtr contents,
                 std::shared_ptr<const sdk::Layout> layout = nullptr)
      : Buffer(dtype, dims, memory, device, std::move(layout)),
        ready_(contents->ready),
        contents_(contents.Release()) {}
  ~ContentsBuffer() override { ContentsPtr::Adopt(contents_.load(std::memory_order_relaxed)); }

  // The contents to read, or null if the buffer is deleted.
  ContentsPtr contents();
  // The same without a reference: they stay the buffer's until Return is called, which does what a
  // Delete meanwhile left to do. A null need not be returned.
  Contents* Borrow();
  void Return() {
    if (state_.fetch_sub(1, std::memory_order_acq_rel) == (kDeleted | 1)) DropContents();
  }
  // The contents to keep: the buffer is deleted. Null if it was already.
  ContentsPtr Donate();

  sdk::Event ReadyEvent() override { return ready_; }
  void Delete() override;
  bool IsReadableAfterFork() const override { return true; }
  bool IsDeleted() override { return (state_.load(std::memory_order_acquire) & kDeleted) != 0; }

 protected:
  Status DeletedError(const char* action) const;
  // FAILED_PRECONDITION says that one cannot do `action` with it, if it is deleted.
  Expected<ContentsPtr> ContentsFor(const char* action);

 private:
  // Of state_, for ever.
  static constexpr uint32_t kDeleted = uint32_t{1} << 31;

  void DropContents();

  const sdk::Event ready_;
  // How many look at contents_, and kDeleted. With that, the last who leaves drops them. Nobody
  // waits, so that a child of fork() may read, whatever other threads were doing.
  std::atomic<uint32_t> state_{0};
  std::atomic<Contents*> contents_;  // with a reference; null once dropped
};

// What a ContentsBuffer keeps of a layout: null for row major. UNIMPLEMENTED for tiles.
Expected<std::shared_ptr<const sdk::Layout>> DenseLayoutOf(
    std::shared_ptr<const sdk::Layout> layout, size_t rank);
// UNIMPLEMENTED if it is another.
Status CheckRowMajor(const std::shared_ptr<const sdk::Layout>& layout, size_t rank);

// Contents of an alias (PJRT_Client_CreateAliasBuffer), ready and placed once it is fulfilled.
struct PromisedContents {
  ContentsPtr contents;
  // sdk::AliasBuffer::fulfill: they share the storage of a ContentsBuffer of that shape.
  std::function<Status(Expected<sdk::Buffer*>)> fulfill;
};
PromisedContents PromiseContents(const sdk::Shape& shape);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_BUFFER_H_
