// SPDX-License-Identifier: Apache-2.0
// Any bytes as an OpSharding: what is read writes itself again, and every element of an array lies
// in some shard.
#include <cstdlib>

#include "impl/ifrt/op_sharding.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using plinth::ifrt::Partitioning;
  if (size == 0) return 0;
  const size_t num_shards = data[0] % 17;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto read = plinth::ifrt::PartitioningFromOpSharding(bytes, num_shards);
  if (!read.ok()) return 0;
  const size_t rank = read->tiles().size();
  const auto written = plinth::ifrt::ToOpSharding(*read, rank);
  if (!written.ok()) abort();
  const auto again = plinth::ifrt::PartitioningFromOpSharding(*written, num_shards);
  if (!again.ok() || !(*again == *read)) abort();
  const plinth::Dims dims(rank, 5);
  const auto domains = read->Domains(dims);
  if (!domains.ok()) abort();
  if (rank > 4) return 0;
  int64_t covered = 0;
  for (size_t i = 0; i < domains->size(); ++i) {
    bool is_new = true;
    for (size_t j = 0; j < i; ++j) is_new &= !((*domains)[j] == (*domains)[i]);
    if (is_new) covered += (*domains)[i].NumElements();
  }
  int64_t total = 1;
  for (const int64_t extent : dims) total *= extent;
  if (covered != total) abort();
  return 0;
}
