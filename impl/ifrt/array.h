// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_ARRAY_H_
#define PLINTH_IMPL_IFRT_ARRAY_H_

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "impl/ifrt/client.h"
#include "impl/ifrt/counted.h"
#include "impl/ifrt/future.h"
#include "impl/ifrt/sharding.h"
#include "plinth/client/buffer.h"
#include "plinth/support/dtype.h"
#include "plinth/support/shape.h"

namespace plinth::ifrt {

// What happens to the inputs of an operation on arrays.
enum class CopySemantics {
  kAlwaysCopy = 0,   // No output shares memory with an input.
  kReuseInput = 1,   // An output may share memory with an input.
  kDonateInput = 2,  // Inputs are deleted at once; outputs may take over their memory.
};

// One piece of an array: a buffer on a device of this process, or the error that it has instead.
// Several arrays may share one. Any thread.
class Shard : public Counted {
 public:
  using Buffer = std::shared_ptr<client::Buffer>;

  explicit Shard(Buffer buffer) : buffer_(std::move(buffer)) {}
  explicit Shard(Status error) : error_(std::move(error)) {}

  // Null if it has an error.
  const Buffer& buffer() const { return buffer_; }
  const Status& error() const { return error_; }
  // Deleted or donated, here or by an execution.
  bool IsGone() const;
  // Takes the contents away from everybody who shares it; false if they are gone already. Undone by
  // PutBack, or made final by what takes the buffer over or deletes it.
  bool TakeAway();
  void PutBack() { is_taken_.store(false); }
  // Drops the memory of the device, if the contents were not taken away.
  void Delete();

  // How many arrays have it and are not deleted.
  void AddUser() { users_.fetch_add(1, std::memory_order_relaxed); }
  // The last of them deletes it.
  void DropUser(bool is_delete) {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1 && is_delete) Delete();
  }

 private:
  Buffer buffer_;
  Status error_;
  std::atomic<bool> is_taken_{false};
  std::atomic<int> users_{0};
};

// What an array is, without contents.
struct ArraySpec {
  DType type = DType::kInvalid;
  Dims dims = {};
  Ref<const Sharding> sharding = {};
};

// An array over devices. Immutable but for being deleted. Any thread.
class Array : public Counted {
 public:
  // `shards`: those of sharding.addressable(), in that order.
  Array(ArraySpec spec, std::vector<Ref<Shard>> shards);
  // The same error in every shard.
  static Ref<Array> OfError(ArraySpec spec, const Status& error);

  DType type() const { return spec_.type; }
  const Dims& dims() const { return spec_.dims; }
  const Ref<const Sharding>& sharding() const { return spec_.sharding; }
  const ArraySpec& spec() const { return spec_; }
  const std::vector<Ref<Shard>>& shards() const { return shards_; }
  // Of the shard at a place of `shards`, also where its part of the array is not known.
  // INVALID_ARGUMENT if the sharding is not for such arrays; of an opaque one's shard without
  // contents their error.
  Expected<Dims> ShardDims(size_t place) const;
  // How its shards lie on their devices, as XLA writes it. INVALID_ARGUMENT if none is here, or it
  // is deleted; its error, if it has one; UNIMPLEMENTED where a plugin does not tell.
  Expected<std::string> LayoutText() const;
  // Drops this array's contents; the memory goes with the last array that shares it. Again:
  // nothing.
  void Delete();
  // Deleted, or a shard was donated.
  bool IsDeleted() const;
  // The error of the first shard that has one.
  Status Error() const;
  // INVALID_ARGUMENT, naming `what`, if it is deleted.
  Status CheckUsable(std::string_view what) const;
  // "f32[4,8] with tiles [2,1] over 2, devices 0,1".
  std::string ToString() const;

 private:
  ~Array() override;
  ArraySpec spec_;
  std::vector<Ref<Shard>> shards_;
  std::atomic<bool> is_deleted_{false};
};

// Completes when the contents of all arrays are there or have failed; then with the first error.
Ref<Future> ReadyFuture(const Ref<const Client>& client, std::span<Array* const> arrays);

// INVALID_ARGUMENT for null, deleted arrays, and those of another client.
Status CheckArrays(const Client& client, std::span<Array* const> arrays, std::string_view what);

// Takes the contents of arrays away if that is asked for, of all or none: INVALID_ARGUMENT if any
// is deleted, donated or given twice. Given back when this object goes, unless committed.
class Donation {
 public:
  Donation() = default;
  static Expected<Donation> Take(CopySemantics semantics, std::span<Array* const> arrays);
  Donation(Donation&&) = default;
  Donation& operator=(Donation&& other) noexcept {
    std::swap(arrays_, other.arrays_);
    std::swap(kept_, other.kept_);
    std::swap(num_taken_, other.num_taken_);
    return *this;
  }
  ~Donation();
  // The arrays are deleted. Buffers that nothing took over are given back to the device; work that
  // uses them finishes.
  void Commit();
  // An output has this buffer now, so that Commit lets it live.
  void Keep(const Shard& shard);

 private:
  std::vector<Ref<Array>> arrays_;
  std::vector<const Shard*> kept_;
  size_t num_taken_ = 0;  // Shards taken, in order, while Take runs.
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_ARRAY_H_
