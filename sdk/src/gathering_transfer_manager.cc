// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/gathering_transfer_manager.h"

#include <cstring>
#include <mutex>
#include <utility>

namespace plinth::sdk {

// NOLINTNEXTLINE(performance-unnecessary-value-param): those that override it keep it.
Status AsyncHostToDeviceTransferManager::AddMetadata(std::vector<NamedValue>) { return {}; }

namespace internal {
namespace {

class GatheringTransferManager : public AsyncHostToDeviceTransferManager {
 public:
  explicit GatheringTransferManager(Client& client, Memory* memory)
      : client_(client), memory_(memory), device_(memory->devices().front()) {}

  ~GatheringTransferManager() override {
    for (Item& item : items_) {
      if (item.fulfill == nullptr) continue;
      static_cast<void>(item.fulfill(Status(
          StatusCode::kCancelled, "the transfer manager was destroyed before the last transfer")));
    }
  }

  Status Add(Shape shape) {
    PLINTH_ASSIGN_OR_RETURN(int64_t size, DenseSizeInBytes(shape.dtype, shape.dims));
    PLINTH_ASSIGN_OR_RETURN(AliasBuffer alias, client_.CreateAliasBuffer(shape, memory_));
    items_.push_back(
        {std::move(shape), size, std::move(alias.buffer), std::move(alias.fulfill), nullptr});
    return {};
  }

  size_t buffer_count() const override { return items_.size(); }
  int64_t buffer_size(size_t index) const override { return items_[index].size; }
  Device* device() const override { return device_; }

  Expected<std::unique_ptr<Buffer>> RetrieveBuffer(size_t index) override {
    std::lock_guard lock(mutex_);
    if (items_[index].buffer == nullptr) {
      return FailedPrecondition("buffer ", index, " was already retrieved");
    }
    return std::move(items_[index].buffer);
  }

  Expected<Event> TransferData(size_t index, const void* data, int64_t offset, int64_t size,
                               bool is_last_transfer) override {
    Item& item = items_[index];
    std::unique_lock lock(mutex_);
    PLINTH_RETURN_IF_ERROR(CheckOpen(index));
    if (item.gathered == nullptr) {
      item.gathered = std::make_shared<std::vector<char>>(static_cast<size_t>(item.size));
    }
    if (size > 0) std::memcpy(item.gathered->data() + offset, data, static_cast<size_t>(size));
    if (!is_last_transfer) return Event();
    auto [fulfill, bytes] = Close(item);
    lock.unlock();
    const void* start = bytes->data();
    PLINTH_RETURN_IF_ERROR(Send(item.shape, start, item.shape.layout.get(), std::move(bytes),
                                HostBufferSemantics::kImmutableUntilTransferCompletes, fulfill));
    return Event();
  }

  Expected<Event> TransferLiteral(size_t index, const void* data, const Shape& shape) override {
    Item& item = items_[index];
    if (shape.dtype != item.shape.dtype || !(shape.dims == item.shape.dims)) {
      return InvalidArgument("the literal is ", ToString(shape.dtype, shape.dims), "; buffer ",
                             index, " is ", ToString(item.shape.dtype, item.shape.dims));
    }
    std::unique_lock lock(mutex_);
    PLINTH_RETURN_IF_ERROR(CheckOpen(index));
    auto [fulfill, dropped] = Close(item);
    lock.unlock();
    PLINTH_RETURN_IF_ERROR(Send(item.shape, data, shape.layout.get(), nullptr,
                                HostBufferSemantics::kImmutableOnlyDuringCall, fulfill));
    return Event();
  }

  Status SetBufferError(size_t index, Status error) override {
    std::unique_lock lock(mutex_);
    PLINTH_RETURN_IF_ERROR(CheckOpen(index));
    auto [fulfill, dropped] = Close(items_[index]);
    lock.unlock();
    return fulfill(std::move(error));
  }

 private:
  using Fulfill = std::function<Status(Expected<Buffer*>)>;
  using Bytes = std::shared_ptr<std::vector<char>>;
  struct Item {
    Shape shape;
    int64_t size;
    std::unique_ptr<Buffer> buffer;  // Until it is retrieved.
    Fulfill fulfill;                 // Until the last transfer.
    Bytes gathered;                  // Until then, from the first chunk on.
  };

  // With mutex_ held.
  Status CheckOpen(size_t index) const {
    if (items_[index].fulfill != nullptr) return {};
    return FailedPrecondition("buffer ", index, " already had its last transfer or its error");
  }

  // With mutex_ held: nothing more comes for the item.
  static std::pair<Fulfill, Bytes> Close(Item& item) {
    return {std::exchange(item.fulfill, nullptr), std::exchange(item.gathered, nullptr)};
  }

  // `layout`: of the data, null for row-major; `shape` says how the buffer lies.
  Status Send(const Shape& shape, const void* data, const Layout* layout,
              std::shared_ptr<void> keep_until_done, HostBufferSemantics semantics,
              const Fulfill& fulfill) {
    Dims strides(shape.dims.size());
    DenseByteStrides(shape.dims, ByteSize(shape.dtype),
                     layout == nullptr ? std::span<const int64_t>() : layout->minor_to_major,
                     {strides.data(), strides.size()});
    HostBufferRequest request;
    request.data = data;
    request.dtype = shape.dtype;
    request.dims = shape.dims;
    request.byte_strides = strides;
    request.is_dense = layout == nullptr || layout->IsRowMajor();
    PLINTH_ASSIGN_OR_RETURN(request.size, DenseSizeInBytes(shape.dtype, shape.dims));
    request.semantics = semantics;
    request.memory = memory_;
    request.device = device_;
    request.layout = shape.layout;
    Expected<HostBufferResult> result = client_.BufferFromHostBuffer(request);
    Status failed = result.status();
    if (failed.ok() && result->buffer == nullptr) {
      failed = Internal("the plugin made no buffer and gave no error");
    }
    if (!failed.ok()) {
      static_cast<void>(fulfill(failed));
      return failed;
    }
    result->done_with_host_buffer.OnReady([keep = std::move(keep_until_done)](const Status&) {});
    return fulfill(result->buffer.get());
  }

  Client& client_;
  Memory* memory_;
  Device* device_;
  std::mutex mutex_;
  std::vector<Item> items_;
};

}  // namespace

Expected<std::unique_ptr<AsyncHostToDeviceTransferManager>> MakeGatheringTransferManager(
    Client& client, std::vector<Shape> shapes, Memory* memory) {
  auto manager = std::make_unique<GatheringTransferManager>(client, memory);
  for (Shape& shape : shapes) PLINTH_RETURN_IF_ERROR(manager->Add(std::move(shape)));
  return std::unique_ptr<AsyncHostToDeviceTransferManager>(std::move(manager));
}

}  // namespace internal
}  // namespace plinth::sdk
