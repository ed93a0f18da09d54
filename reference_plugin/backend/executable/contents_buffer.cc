// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/contents_buffer.h"

#include <utility>

namespace plinth::backend {

Contents* ContentsBuffer::Borrow() {
  if ((state_.fetch_add(1, std::memory_order_acquire) & kDeleted) == 0) [[likely]] {
    return contents_.load(std::memory_order_relaxed);
  }
  Return();
  return nullptr;
}

ContentsPtr ContentsBuffer::contents() {
  Contents* const borrowed = Borrow();
  if (borrowed == nullptr) return nullptr;
  ContentsPtr result(borrowed);
  Return();
  return result;
}

ContentsPtr ContentsBuffer::Donate() {
  Contents* const borrowed = Borrow();
  if (borrowed == nullptr) return nullptr;
  const uint32_t before = state_.fetch_or(kDeleted, std::memory_order_acq_rel);
  ContentsPtr result;
  if (before == 1) {  // Whoever comes now finds it deleted, and looks at nothing.
    result = ContentsPtr::Adopt(contents_.exchange(nullptr, std::memory_order_acq_rel));
  } else if ((before & kDeleted) == 0) {
    result = ContentsPtr(borrowed);
  }
  Return();
  return result;
}

void ContentsBuffer::DropContents() {
  ContentsPtr dropped = ContentsPtr::Adopt(contents_.exchange(nullptr, std::memory_order_acq_rel));
  // The pool's locks are not for a child of fork(), which keeps what it has.
  if (dropped != nullptr && IsFromBeforeFork()) dropped.Release();
}

void ContentsBuffer::Delete() {
  ContentsPtr contents = Donate();
  if (contents != nullptr && IsFromBeforeFork()) contents.Release();
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
  ContentsPtr contents = ContentsPtr::Make();
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
