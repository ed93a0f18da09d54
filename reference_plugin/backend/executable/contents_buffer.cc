// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/contents_buffer.h"

#include <utility>

namespace plinth::backend {

bool ContentsBuffer::Lock(std::unique_lock<std::mutex>& lock) const {
  lock = std::unique_lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) return true;
  if (IsFromBeforeFork()) return false;
  lock.lock();
  return true;
}

ContentsPtr ContentsBuffer::contents() {
  std::unique_lock<std::mutex> lock;
  return Lock(lock) ? contents_ : nullptr;
}

ContentsPtr ContentsBuffer::Donate() {
  std::unique_lock<std::mutex> lock;
  if (!Lock(lock)) return nullptr;
  is_deleted_.store(true, std::memory_order_release);
  return std::exchange(contents_, nullptr);
}

void ContentsBuffer::Delete() {
  ContentsPtr contents = Donate();
  // The pool's locks are not for a child of fork(), which keeps what it has.
  if (contents != nullptr && IsFromBeforeFork()) new ContentsPtr(std::move(contents));
}

Status ContentsBuffer::DeletedError(const char* action) const {
  return FailedPrecondition("cannot ", action, " ", sdk::ToString(dtype(), dims()),
                            ": the buffer was deleted or donated");
}

Expected<ContentsPtr> ContentsBuffer::ContentsFor(const char* action) {
  ContentsPtr result = contents();
  if (result == nullptr) return DeletedError(action);
  return result;
}

Expected<std::shared_ptr<const sdk::Layout>> DenseLayoutOf(
    std::shared_ptr<const sdk::Layout> layout, size_t rank) {
  if (layout == nullptr || layout->IsRowMajor()) return std::shared_ptr<const sdk::Layout>();
  if (layout->tiles.empty()) return layout;
  return Unimplemented("arrays have no tiles here; asked for ", layout->ToString(rank));
}

Status CheckRowMajor(const std::shared_ptr<const sdk::Layout>& layout, size_t rank) {
  if (layout == nullptr || layout->IsRowMajor()) return Status();
  return Unimplemented("only row-major layouts are supported, not ", layout->ToString(rank));
}

PromisedContents PromiseContents(const sdk::Shape& shape) {
  auto done = std::make_shared<sdk::EventSource>();
  auto contents = std::make_shared<Contents>();
  contents->ready = contents->placed = done->event();
  auto fulfill = [contents, done, shape](Expected<sdk::Buffer*> source) -> Status {
    if (!source.ok()) {
      done->Set(source.status());
      return Status();
    }
    auto& buffer = static_cast<ContentsBuffer&>(**source);
    ContentsPtr given = buffer.contents();
    Status problem;
    if (given == nullptr) {
      problem = FailedPrecondition("the buffer that fulfills an alias was deleted");
    } else if (given == contents) {
      problem = InvalidArgument("an alias was fulfilled with itself");
    } else if (buffer.dtype() != shape.dtype || sdk::Dims(buffer.dims()) != shape.dims ||
               buffer.layout() != nullptr) {
      problem =
          InvalidArgument("an alias of ", sdk::ToString(shape.dtype, shape.dims),
                          " was fulfilled with ", sdk::ToString(buffer.dtype(), buffer.dims()));
    }
    if (!problem.ok()) {
      done->Set(problem);
      return problem;
    }
    given->ready.OnReady([contents, done, given](const Status& status) {
      if (status.ok()) contents->storage = given->storage;
      done->Set(status);
    });
    return Status();
  };
  return {contents, std::move(fulfill)};
}

}  // namespace plinth::backend
