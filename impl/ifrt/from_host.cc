// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "impl/ifrt/host.h"
#include "impl/ifrt/relayout.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

// Counts the transfers that use the host's memory.
class HostUse {
 public:
  explicit HostUse(std::function<void()> done) : done_(std::move(done)) {}

  void Begin() {
    const std::lock_guard lock(mutex_);
    ++transfers_;
  }
  void End() {
    std::function<void()> run;
    {
      const std::lock_guard lock(mutex_);
      if (--transfers_ != 0) return;
      run = std::move(done_);
      done_ = nullptr;
    }
    ended_.notify_all();
    if (run) run();
  }
  // After a failure: nobody is told, and nothing uses the memory when this returns. The caller has
  // begun one transfer, which this ends, and has freed the buffers.
  void Cancel() {
    std::unique_lock lock(mutex_);
    done_ = nullptr;
    --transfers_;
    ended_.wait(lock, [this] { return transfers_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  size_t transfers_ = 0;
  std::function<void()> done_;
};

Status CheckHostSpec(const Client& client, const HostSpec& from) {
  const ArraySpec& spec = from.spec;
  if (!spec.sharding) return InvalidArgument("its sharding is null");
  if (spec.sharding->client().get() != &client) {
    return InvalidArgument("its sharding is of another client");
  }
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, client::HostByteSize(spec.type, spec.dims));
  PLINTH_RETURN_IF_ERROR(spec.sharding->partitioning().Domain(spec.dims, 0).status());
  PLINTH_RETURN_IF_ERROR(CheckOrder(from.minor_to_major, spec.dims.size()));
  if (!from.shard_data.empty()) {
    if (from.shard_data.size() != spec.sharding->addressable().size()) {
      return InvalidArgument("it has ", from.shard_data.size(), " shards in host memory, and ",
                             spec.sharding->addressable().size(), " on devices of this process");
    }
    if (!from.byte_strides.empty()) {
      return InvalidArgument("shards in host memory are dense and have no strides");
    }
    return {};
  }
  if (!from.byte_strides.empty()) {
    PLINTH_RETURN_IF_ERROR(CheckStrides(spec.dims, from.byte_strides));
  }
  if (from.data == nullptr && bytes != 0 && !spec.sharding->addressable().empty()) {
    return InvalidArgument("it has no data: null");
  }
  return {};
}

// The part of the host's array that a shard holds.
Expected<client::Buffer> ShardFromHost(const client::Client& client, const HostSpec& from,
                                       size_t place, client::HostSemantics semantics,
                                       const std::shared_ptr<HostUse>& use) {
  const Sharding& sharding = *from.spec.sharding;
  const size_t shard = sharding.addressable()[place];
  PLINTH_ASSIGN_OR_RETURN(const IndexDomain domain,
                          sharding.partitioning().Domain(from.spec.dims, shard));
  client::HostView view{
      .data = from.data, .type = from.spec.type, .dims = domain.extents, .byte_strides = {}};
  std::vector<int64_t> strides;
  if (!from.shard_data.empty()) {
    view.data = from.shard_data[place];
    if (view.data == nullptr && !domain.IsEmpty()) {
      return InvalidArgument("shard ", shard, " has no data: null");
    }
  } else {
    strides.assign(from.byte_strides.begin(), from.byte_strides.end());
    if (strides.empty()) strides = RowMajorStrides(from.spec.type, from.spec.dims);
    if (!domain.IsEmpty()) {
      int64_t offset = 0;
      for (size_t d = 0; d < strides.size(); ++d) offset += domain.origin[d] * strides[d];
      view.data = static_cast<const std::byte*>(from.data) + offset;
    }
    // Dense ones need no strides, which not every plugin takes.
    if (strides != RowMajorStrides(from.spec.type, domain.extents)) view.byte_strides = strides;
  }
  const client::Placement to = sharding.PlacementOf(shard);
  client::Layout order;
  order.minor_to_major.assign(from.minor_to_major.begin(), from.minor_to_major.end());
  const client::Layout* const layout = order.minor_to_major.empty() ? nullptr : &order;
  constexpr auto kDuringCall = client::HostSemantics::kDuringCall;
  if (semantics == kDuringCall) {
    Expected<client::Buffer> buffer = client.BufferFromHost(view, to, kDuringCall, {}, layout);
    if (buffer.ok() || buffer.status().code() != StatusCode::kUnimplemented ||
        view.byte_strides.empty()) {
      return buffer;
    }
  } else {
    use->Begin();
    Expected<client::Buffer> buffer = client.BufferFromHost(
        view, to, semantics, [use] { use->End(); }, layout);
    if (buffer.ok()) return buffer;
    use->End();
    if (buffer.status().code() != StatusCode::kUnimplemented || view.byte_strides.empty()) {
      return buffer;
    }
  }
  // A plugin that takes dense arrays only.
  PLINTH_ASSIGN_OR_RETURN(client::HostArray dense, client::HostArray::Create(view.type, view.dims));
  PLINTH_RETURN_IF_ERROR(client::CopyStrided(view, dense.mutable_view()));
  if (layout != nullptr) return client.BufferFromHost(dense.view(), to, kDuringCall, {}, layout);
  return client.BufferFromHost(std::move(dense), to);
}

}  // namespace

Status CheckStrides(std::span<const int64_t> dims, std::span<const int64_t> byte_strides) {
  if (byte_strides.size() != dims.size()) {
    return InvalidArgument(byte_strides.size(), " strides for ", dims.size(), " dimensions");
  }
  constexpr int64_t kFar = int64_t{1} << 56;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t limit = kFar / std::max<int64_t>(dims[d], 1);
    if (byte_strides[d] > limit || byte_strides[d] < -limit) {
      return InvalidArgument("stride ", byte_strides[d], " of dimension ", d, " with ", dims[d],
                             " elements reaches further than any memory");
    }
  }
  return {};
}

std::vector<int64_t> RowMajorStrides(DType type, std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  DenseByteStrides(dims, ByteSize(type), {}, strides);
  return strides;
}

Expected<std::vector<Ref<Array>>> ArraysFromHost(const Ref<const Client>& client,
                                                 std::span<const HostSpec> specs,
                                                 client::HostSemantics semantics,
                                                 std::function<void()> done) {
  for (size_t i = 0; i < specs.size(); ++i) {
    const Status status = CheckHostSpec(*client, specs[i]);
    if (!status.ok()) return status.WithContext(StrCat("array ", i));
  }
  const auto use = std::make_shared<HostUse>(std::move(done));
  use->Begin();  // Ended when every transfer has begun.
  std::vector<Ref<Array>> arrays;
  for (size_t i = 0; i < specs.size(); ++i) {
    std::vector<Ref<Shard>> shards;
    for (size_t place = 0; place < specs[i].spec.sharding->addressable().size(); ++place) {
      Expected<client::Buffer> buffer =
          ShardFromHost(client->raw(), specs[i], place, semantics, use);
      if (!buffer.ok()) {
        shards.clear();
        arrays.clear();
        use->Cancel();
        return buffer.status().WithContext(StrCat("array ", i));
      }
      shards.push_back(MakeRef<Shard>(std::make_shared<client::Buffer>(*std::move(buffer))));
    }
    arrays.push_back(MakeRef<Array>(specs[i].spec, std::move(shards)));
  }
  use->End();
  return arrays;
}

Expected<std::vector<Ref<Array>>> ArraysUninitialized(const Ref<const Client>& client,
                                                      std::span<const ArraySpec> specs) {
  std::vector<Ref<Array>> arrays;
  for (size_t i = 0; i < specs.size(); ++i) {
    const ArraySpec& spec = specs[i];
    const HostSpec checked{.spec = spec, .data = &checked};
    const Status status = CheckHostSpec(*client, checked);
    if (!status.ok()) return status.WithContext(StrCat("array ", i));
    std::vector<Ref<Shard>> shards;
    for (const size_t shard : spec.sharding->addressable()) {
      PLINTH_ASSIGN_OR_RETURN(const IndexDomain domain,
                              spec.sharding->partitioning().Domain(spec.dims, shard));
      PLINTH_ASSIGN_OR_RETURN(client::Buffer buffer,
                              client->raw().CreateUninitialized(
                                  {spec.type, {domain.extents.begin(), domain.extents.end()}},
                                  spec.sharding->PlacementOf(shard)));
      shards.push_back(MakeRef<Shard>(std::make_shared<client::Buffer>(std::move(buffer))));
    }
    arrays.push_back(MakeRef<Array>(spec, std::move(shards)));
  }
  return arrays;
}

}  // namespace plinth::ifrt
