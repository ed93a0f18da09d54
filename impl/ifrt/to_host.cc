// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "impl/ifrt/host.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

// Whether two elements would get one place: in the order of the strides each dimension has to step
// over what the ones before it fill.
bool Overlap(DType type, std::span<const int64_t> dims, std::span<const int64_t> strides) {
  std::vector<size_t> order(dims.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::abs(strides[a]) < std::abs(strides[b]); });
  int64_t filled = ByteSize(type);
  for (const size_t d : order) {
    if (dims[d] < 2) continue;
    if (std::abs(strides[d]) < filled) return true;
    filled = std::abs(strides[d]) * (dims[d] - 1) + filled;
  }
  return false;
}

struct Window {
  const Shard* shard;
  IndexDomain domain;
};

// A shard for every box of the array; of equal ones the first.
Expected<std::vector<Window>> WindowsOf(const Array& array) {
  const Sharding& sharding = *array.sharding();
  std::vector<Window> windows;
  int64_t covered = 0;
  for (size_t place = 0; place < array.shards().size(); ++place) {
    PLINTH_ASSIGN_OR_RETURN(IndexDomain domain, sharding.partitioning().Domain(
                                                    array.dims(), sharding.addressable()[place]));
    const bool is_known = std::any_of(windows.begin(), windows.end(), [&](const Window& window) {
      return window.domain == domain;
    });
    if (is_known) continue;
    covered += domain.NumElements();
    windows.push_back({array.shards()[place].get(), std::move(domain)});
  }
  const Expected<int64_t> total = NumElements(array.dims());
  if (!total.ok()) return total.status();
  if (covered != *total) {
    return InvalidArgument(array.ToString(),
                           " has elements on devices of other processes only; "
                           "this process reaches ",
                           covered, " of ", *total);
  }
  return windows;
}

struct Target {
  std::byte* data;
  std::vector<int64_t> strides;
};

// Starts the copy of one shard into its window.
Status CopyWindow(const Array& array, const Window& window, const Target& to,
                  const std::shared_ptr<Join>& join) {
  if (!window.shard->error().ok()) return window.shard->error();
  const client::Buffer& buffer = *window.shard->buffer();
  int64_t offset = 0;
  for (size_t d = 0; d < to.strides.size(); ++d) offset += window.domain.origin[d] * to.strides[d];
  join->Add();
  Status status;
  if (window.domain.IsEmpty()) {
    const Expected<client::Event> ready = buffer.Ready();
    status = ready.status();
    if (ready.ok()) status = ready->OnReady([join](const Status& s) { join->Arrive(s); });
  } else if (to.strides == RowMajorStrides(array.type(), window.domain.extents)) {
    const Expected<client::Event> copied =
        buffer.CopyToHost(to.data + offset, window.domain.extents.size(),
                          window.domain.NumElements() * ByteSize(array.type()));
    status = copied.status();
    if (copied.ok()) status = copied->OnReady([join](const Status& s) { join->Arrive(s); });
  } else {
    // Plugins need not write other orders than dense ones.
    Expected<client::Future<client::HostArray>> dense = buffer.ToHostAsync();
    status = dense.status();
    if (dense.ok()) {
      const auto held = std::make_shared<client::Future<client::HostArray>>(*std::move(dense));
      status = held->event().OnReady(
          [join, held, data = to.data + offset, strides = to.strides](const Status& s) {
            if (!s.ok()) return join->Arrive(s);
            const client::HostView from = held->value().view();
            join->Arrive(client::CopyStrided(from, {data, from.type, from.dims, strides}));
          });
    }
  }
  // Nothing will call.
  if (!status.ok()) join->Arrive(status);
  return {};
}

Expected<Target> CheckTarget(const Array& array, const HostDestination& to) {
  Target target{static_cast<std::byte*>(to.data), {}};
  target.strides.assign(to.byte_strides.begin(), to.byte_strides.end());
  if (target.strides.empty()) target.strides = RowMajorStrides(array.type(), array.dims());
  PLINTH_RETURN_IF_ERROR(CheckStrides(array.dims(), target.strides));
  const bool is_empty = IndexDomain::Whole(array.dims()).IsEmpty();
  if (to.data == nullptr && !is_empty) return InvalidArgument("the copy has nowhere to go: null");
  if (!is_empty && Overlap(array.type(), array.dims(), target.strides)) {
    return InvalidArgument("strides [", StrJoin(target.strides, ","), "] put several elements of ",
                           plinth::ToString(array.type(), array.dims()), " into one place");
  }
  return target;
}

}  // namespace

Expected<Ref<Future>> ArraysToHost(const Ref<const Client>& client, std::span<Array* const> arrays,
                                   std::span<const HostDestination> to) {
  PLINTH_RETURN_IF_ERROR(CheckArrays(*client, arrays, "array"));
  std::vector<std::vector<Window>> windows;
  std::vector<Target> targets;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Expected<Target> target = CheckTarget(*arrays[i], to[i]);
    if (!target.ok()) return target.status().WithContext(StrCat("array ", i));
    targets.push_back(*std::move(target));
    Expected<std::vector<Window>> of_array = WindowsOf(*arrays[i]);
    if (!of_array.ok()) return of_array.status().WithContext(StrCat("array ", i));
    windows.push_back(*std::move(of_array));
  }
  Ref<Future> future = MakeRef<Future>(client);
  const auto join = std::make_shared<Join>(future);
  Status failed;
  for (size_t i = 0; i < arrays.size(); ++i) {
    for (const Window& window : windows[i]) {
      const Status status = CopyWindow(*arrays[i], window, targets[i], join);
      if (failed.ok()) failed = status;
    }
  }
  join->Arrive(failed);
  return future;
}

}  // namespace plinth::ifrt
