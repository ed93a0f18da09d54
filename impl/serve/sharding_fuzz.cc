// SPDX-License-Identifier: Apache-2.0
// Any bytes as a sharding that a client serialized, of the kind that the first byte says, for the
// devices of the CPU plugin: what is read is written, and read again, as the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "impl/serve/convert.h"
#include "impl/serve/testing/test_client.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace serve = plinth::serve;
  static constexpr const char* kKinds[] = {
      "xla::ifrt::SingleDeviceSharding", "xla::ifrt::HloSharding",    "xla::ifrt::ConcreteSharding",
      "xla::ifrt::ConcreteEvenSharding", "xla::ifrt::OpaqueSharding", "ShardingParamSharding"};
  if (size == 0) return 0;
  serve::proxy::ShardingProto proto;
  proto.serialized_sharding.type_name = kKinds[data[0] % std::size(kKinds)];
  proto.serialized_sharding.data.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto sharding = serve::ShardingFromProto(serve::TestDevices(), proto);
  if (!sharding.ok()) return 0;
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {5}, {4, 6}}) {
    const auto domains = sharding->IndexDomains(dims);
    const serve::proxy::ShardingProto written = serve::ToProto(*sharding, dims.size());
    const auto again = serve::ShardingFromProto(serve::TestDevices(), written);
    if (!again.ok()) abort();
    // An opaque one stays opaque, and is equal to itself alone.
    if (domains.ok() && !(again->SameFor(*sharding, dims))) abort();
  }
  return 0;
}
