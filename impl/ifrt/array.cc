// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/array.h"

#include <algorithm>

#include "impl/ifrt/relayout.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {

bool Shard::IsGone() const {
  if (is_taken_.load(std::memory_order_acquire)) return true;
  if (buffer_ == nullptr) return false;
  const Expected<bool> is_deleted = buffer_->IsDeleted();
  return is_deleted.ok() && *is_deleted;
}

bool Shard::TakeAway() {
  if (is_taken_.exchange(true, std::memory_order_acq_rel)) return false;
  if (buffer_ == nullptr) return true;
  const Expected<bool> is_deleted = buffer_->IsDeleted();
  if (!is_deleted.ok() || !*is_deleted) return true;
  PutBack();
  return false;
}

void Shard::Delete() {
  if (is_taken_.exchange(true, std::memory_order_acq_rel) || buffer_ == nullptr) return;
  // A plugin that cannot frees the memory with the handle.
  (void)buffer_->Delete();
}

Array::Array(ArraySpec spec, std::vector<Ref<Shard>> shards)
    : spec_(std::move(spec)), shards_(std::move(shards)) {
  for (const Ref<Shard>& shard : shards_) shard->AddUser();
}

Ref<Array> Array::OfError(ArraySpec spec, const Status& error) {
  std::vector<Ref<Shard>> shards;
  for (size_t i = 0; i < spec.sharding->addressable().size(); ++i) {
    shards.push_back(MakeRef<Shard>(error));
  }
  return MakeRef<Array>(std::move(spec), std::move(shards));
}

Array::~Array() {
  if (is_deleted_.load(std::memory_order_acquire)) return;
  for (const Ref<Shard>& shard : shards_) shard->DropUser(/*is_delete=*/false);
}

Expected<Dims> Array::ShardDims(size_t place) const {
  const Partitioning& partitioning = spec_.sharding->partitioning();
  if (partitioning.kind() == Partitioning::Kind::kOpaque) {
    const Shard& shard = *shards_[place];
    if (!shard.error().ok()) return shard.error();
    PLINTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, shard.buffer()->Dims());
    return Dims(dims);
  }
  Expected<IndexDomain> domain =
      partitioning.Domain(spec_.dims, spec_.sharding->addressable()[place]);
  if (!domain.ok()) return InvalidArgument(domain.status().message());
  return (*std::move(domain)).extents;
}

Expected<std::string> Array::LayoutText() const {
  PLINTH_RETURN_IF_ERROR(CheckUsable("an array"));
  PLINTH_RETURN_IF_ERROR(Error());
  if (shards_.empty()) {
    return InvalidArgument(ToString(), " has no shard on a device of this process");
  }
  return LayoutTextOf(*shards_[0]->buffer(), spec_.dims.size());
}

void Array::Delete() {
  if (is_deleted_.exchange(true, std::memory_order_acq_rel)) return;
  for (const Ref<Shard>& shard : shards_) shard->DropUser(/*is_delete=*/true);
}

bool Array::IsDeleted() const {
  if (is_deleted_.load(std::memory_order_acquire)) return true;
  return std::any_of(shards_.begin(), shards_.end(),
                     [](const Ref<Shard>& shard) { return shard->IsGone(); });
}

Status Array::Error() const {
  for (const Ref<Shard>& shard : shards_) {
    if (!shard->error().ok()) return shard->error();
  }
  return {};
}

Status Array::CheckUsable(std::string_view what) const {
  if (!IsDeleted()) return {};
  return InvalidArgument(what, ", ", ToString(), ", was deleted or donated");
}

std::string Array::ToString() const {
  return StrCat(plinth::ToString(spec_.type, spec_.dims), " with ", spec_.sharding->ToString());
}

Ref<Future> ReadyFuture(const Ref<const Client>& client, std::span<Array* const> arrays) {
  Ref<Future> future = MakeRef<Future>(client);
  const auto join = std::make_shared<Join>(future);
  for (Array* array : arrays) {
    if (const Status usable = array->CheckUsable("an array"); !usable.ok()) {
      join->Add();
      join->Arrive(usable);
      continue;
    }
    for (const Ref<Shard>& shard : array->shards()) {
      join->Add();
      if (!shard->error().ok()) {
        join->Arrive(shard->error());
        continue;
      }
      const Expected<client::Event> ready = shard->buffer()->Ready();
      Status failed = ready.status();
      if (ready.ok()) {
        failed = ready->OnReady([join](const Status& outcome) { join->Arrive(outcome); });
      }
      if (!failed.ok()) join->Arrive(failed);
    }
  }
  join->Arrive({});
  return future;
}

Status CheckArrays(const Client& client, std::span<Array* const> arrays, std::string_view what) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i] == nullptr) return InvalidArgument(what, " ", i, " is null");
    if (arrays[i]->sharding()->client().get() != &client) {
      return InvalidArgument(what, " ", i, ", ", arrays[i]->ToString(), ", is of another client");
    }
    if (arrays[i]->IsDeleted()) return arrays[i]->CheckUsable(StrCat(what, " ", i));
  }
  return {};
}

Expected<Donation> Donation::Take(CopySemantics semantics, std::span<Array* const> arrays) {
  Donation donation;
  if (semantics != CopySemantics::kDonateInput) return donation;
  for (size_t i = 0; i < arrays.size(); ++i) {
    donation.arrays_.push_back(Ref<Array>::Share(arrays[i]));
    for (const Ref<Shard>& shard : arrays[i]->shards()) {
      if (!shard->TakeAway()) {
        return InvalidArgument("array ", i, ", ", arrays[i]->ToString(),
                               ", cannot be donated: it was donated or deleted before");
      }
      ++donation.num_taken_;
    }
  }
  return donation;
}

Donation::~Donation() {
  for (const Ref<Array>& array : arrays_) {
    for (const Ref<Shard>& shard : array->shards()) {
      if (num_taken_ == 0) return;
      --num_taken_;
      shard->PutBack();
    }
  }
}

void Donation::Keep(const Shard& shard) { kept_.push_back(&shard); }

void Donation::Commit() {
  for (const Ref<Array>& array : arrays_) {
    for (const Ref<Shard>& shard : array->shards()) {
      if (std::find(kept_.begin(), kept_.end(), shard.get()) != kept_.end()) continue;
      if (shard->buffer() != nullptr) {
        (void)shard->buffer()->Delete();
      }
    }
    array->Delete();
  }
  arrays_.clear();
  num_taken_ = 0;
}

}  // namespace plinth::ifrt
