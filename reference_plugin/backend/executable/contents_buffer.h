// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_BUFFER_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_BUFFER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
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
        contents_(std::move(contents)) {}

  // The contents to read, or null if the buffer is deleted, and in a child of fork() if another
  // thread was just doing this.
  ContentsPtr contents();
  // The contents to keep: the buffer is deleted. Null if it was already.
  ContentsPtr Donate();

  sdk::Event ReadyEvent() override { return ready_; }
  void Delete() override;
  bool IsReadableAfterFork() const override { return true; }
  bool IsDeleted() override { return is_deleted_.load(std::memory_order_acquire); }

 protected:
  Status DeletedError(const char* action) const;
  // FAILED_PRECONDITION says that one cannot do `action` with it, if it is deleted.
  Expected<ContentsPtr> ContentsFor(const char* action);

 private:
  // False if whoever has the lock is not in this process.
  bool Lock(std::unique_lock<std::mutex>& lock) const;

  const sdk::Event ready_;
  mutable std::mutex mutex_;
  ContentsPtr contents_;                 // null once deleted
  std::atomic<bool> is_deleted_{false};  // written with the lock held, read without it
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
