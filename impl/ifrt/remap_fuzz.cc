// SPDX-License-Identifier: Apache-2.0
// Any bytes as a remap plan over eight devices of the CPU plugin, through the C API: it is refused
// with INVALID_ARGUMENT, or followed, and then no element is lost and none is there twice.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "plinth/ifrt.hpp"

namespace {

using plinth::ifrt::Array;
using plinth::ifrt::Client;
using plinth::ifrt::Device;
using plinth::ifrt::Sharding;
using plinth::ifrt::Status;

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

const Client& Devices() {
  static const Client client = [] {
    auto made = Client::Create({.plugin = PLINTH_TEST_PLUGIN, .options = {"num_devices=8"}});
    Check(made.ok(), "the plugin cannot be loaded");
    return *std::move(made);
  }();
  return client;
}

// Small numbers out of the input; zeros at its end.
class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t Byte() { return at_ < size_ ? data_[at_++] : 0; }
  size_t Below(size_t limit) { return Byte() % limit; }
  // Mostly near the number of shards; sometimes far off.
  int64_t Number() {
    const uint8_t byte = Byte();
    if (byte == 255) return INT64_MAX;
    if (byte == 254) return INT64_MIN;
    if (byte >= 250) return int64_t{byte} - 253;
    return byte % 10;
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

struct Spec {
  int64_t per_shard;
  PJRT_Buffer_Type type;
  std::optional<Sharding> sharding;
  int64_t dims[1];

  plinth_ifrt_array_spec ToC() const {
    return {plinth_ifrt_array_spec_STRUCT_SIZE, type, dims, 1, sharding->get()};
  }
};

// Shards of one or two elements on some devices in a row.
Spec ReadSpec(Reader& in) {
  const std::vector<Device> all = Devices().devices();
  const size_t count = 1 + in.Below(4);
  const size_t first = in.Below(all.size() - count + 1);
  Spec spec;
  spec.per_shard = 1 + static_cast<int64_t>(in.Below(2));
  spec.type = in.Below(8) == 7 ? PJRT_Buffer_Type_F32 : PJRT_Buffer_Type_S32;
  spec.dims[0] = spec.per_shard * static_cast<int64_t>(count);
  const std::vector<Device> devices(all.begin() + static_cast<ptrdiff_t>(first),
                                    all.begin() + static_cast<ptrdiff_t>(first + count));
  auto sharding = Devices().Named({{{"x", static_cast<int64_t>(count)}}, devices}, {{"x"}});
  Check(sharding.ok(), "a sharding of a few devices");
  spec.sharding = *std::move(sharding);
  return spec;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Reader in(data, size);
  const auto semantics = static_cast<plinth_ifrt_copy_semantics>(in.Below(4));
  std::vector<Spec> specs;
  const size_t num_inputs = in.Below(4);
  const size_t num_outputs = in.Below(4);
  for (size_t i = 0; i < num_inputs + num_outputs; ++i) specs.push_back(ReadSpec(in));
  std::vector<plinth_ifrt_array_spec> c_specs;
  c_specs.reserve(specs.size());
  for (const Spec& spec : specs) c_specs.push_back(spec.ToC());
  const size_t num_mappings = in.Below(6);
  std::vector<std::vector<plinth_ifrt_shard_interval>> intervals;
  std::vector<plinth_ifrt_shard_mapping> mappings(num_mappings);
  for (plinth_ifrt_shard_mapping& mapping : mappings) {
    mapping.struct_size = plinth_ifrt_shard_mapping_STRUCT_SIZE;
    mapping.input = in.Below(5);
    mapping.output = in.Below(5);
    for (int side = 0; side < 2; ++side) {
      auto& list = intervals.emplace_back();
      for (size_t i = in.Below(3) + 1; i > 0; --i) {
        const int64_t start = in.Number();
        const int64_t end = in.Number();
        list.push_back({plinth_ifrt_shard_interval_STRUCT_SIZE, start, end, in.Number()});
      }
    }
  }
  for (size_t i = 0; i < num_mappings; ++i) {
    mappings[i].from = intervals[2 * i].data();
    mappings[i].num_from = intervals[2 * i].size();
    mappings[i].to = intervals[2 * i + 1].data();
    mappings[i].num_to = intervals[2 * i + 1].size();
  }
  const plinth_ifrt_remap_plan plan = {plinth_ifrt_remap_plan_STRUCT_SIZE,
                                       c_specs.data(),
                                       num_inputs,
                                       c_specs.data() + num_inputs,
                                       num_outputs,
                                       mappings.data(),
                                       num_mappings};
  const Status sound(plinth_ifrt_remap_validate(Devices().get(), &plan));
  Check(sound.ok() || sound.code() == PJRT_Error_Code_INVALID_ARGUMENT, "another code");

  // Every element is different.
  std::vector<Array> arrays;
  std::vector<plinth_ifrt_array*> raw;
  std::vector<int32_t> elements(8);
  int32_t next = 0;
  for (size_t i = 0; i < num_inputs; ++i) {
    std::iota(elements.begin(), elements.end(), next);
    next += 8;
    auto array = Devices().FromHost({specs[i].type, {specs[i].dims[0]}, *specs[i].sharding},
                                    elements.data());
    Check(array.ok(), "an array of the host");
    raw.push_back(array->get());
    arrays.push_back(*std::move(array));
  }
  std::vector<plinth_ifrt_array*> made(num_outputs);
  const Status followed(plinth_ifrt_arrays_remap(Devices().get(), &plan, raw.data(), raw.size(),
                                                 semantics, made.data()));
  Check(followed.ok() || followed.code() == PJRT_Error_Code_INVALID_ARGUMENT, "another code");
  Check(!followed.ok() || sound.ok(), "an unsound plan was followed");
  std::vector<int32_t> seen;
  for (size_t i = 0; i < num_outputs && followed.ok(); ++i) {
    plinth_ifrt_client_retain(Devices().get());
    const Array output(plinth::ifrt::internal::ClientHandle(Devices().get()), made[i]);
    const auto count = static_cast<size_t>(specs[num_inputs + i].dims[0]);
    std::vector<int32_t> read(count);
    const auto copied = output.CopyToHost(read.data());
    Check(copied.ok() && copied->Await().ok(), "an output cannot be read");
    seen.insert(seen.end(), read.begin(), read.end());
  }
  std::sort(seen.begin(), seen.end());
  Check(std::adjacent_find(seen.begin(), seen.end()) == seen.end(), "an element is there twice");
  for (const Array& array : arrays) {
    const bool is_donated = followed.ok() && semantics == PLINTH_IFRT_DONATE_INPUT;
    Check(array.is_deleted() == is_donated, "an input is deleted, or not, against the semantics");
  }
  return 0;
}
