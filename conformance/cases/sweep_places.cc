// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/sweep_places.h"

#include <algorithm>

#include "conformance/cases/ask.h"

namespace plinth::conformance {

HostLayout::HostLayout(std::string_view how, const std::vector<int64_t>& dims, int64_t bytes) {
  size_t rank = dims.size();
  for (size_t d = rank; d-- > 0;) order_.push_back(static_cast<int64_t>(d));
  if (how == "column major" || how == "column strides") std::reverse(order_.begin(), order_.end());
  if (how == "rotated" && rank > 1) std::rotate(order_.begin(), order_.begin() + 1, order_.end());
  strides_.resize(rank);
  int64_t next = bytes;
  for (int64_t d : order_) {
    strides_[static_cast<size_t>(d)] = next;
    next *= std::max<int64_t>(dims[static_cast<size_t>(d)], 1);
    // Between rows, or columns, lies what belongs to somebody else.
    if (how == "padded strides" && d == order_.front()) next += 3 * bytes;
  }
  is_there_ = how != "none";
  if (how == "row strides" || how == "column strides" || how == "padded strides") {
    layout_.type = PJRT_Buffer_MemoryLayout_Type_Strides;
    layout_.strides = MakeArgs<PJRT_Buffer_MemoryLayout_Strides>();
    layout_.strides.byte_strides = strides_.data();
    layout_.strides.num_byte_strides = rank;
  } else {
    layout_.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout_.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
    layout_.tiled.minor_to_major = order_.data();
    layout_.tiled.minor_to_major_size = rank;
  }
}

const std::vector<std::string>& Places() {
  static const std::vector<std::string> places = {
      "device", "memory", "last device", "last memory", "other kind", "other kind on last"};
  return places;
}

std::optional<Place> PlaceNamed(Context& context, std::string_view how) {
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.empty()) return std::nullopt;
  bool is_last = how.find("last") != std::string_view::npos;
  if (is_last && devices.size() < 2) {
    context.LacksDevices("the client has one device");
    return std::nullopt;
  }
  if (how == kMemoryNotDevice) {
    PJRT_Memory* memory = DefaultMemoryOf(context, devices.front());
    return Place{devices.back(), memory, devices.front(), memory};
  }
  Place place;
  place.wanted_device = is_last ? devices.back() : devices.front();
  place.wanted_memory = DefaultMemoryOf(context, place.wanted_device);
  if (how.ends_with("device")) {
    place.device = place.wanted_device;
    return place;
  }
  if (how.starts_with("other")) {
    PJRT_Memory* other = nullptr;
    for (PJRT_Memory* memory : MemoriesOf(context, place.wanted_device)) {
      if (memory != place.wanted_memory) other = memory;
    }
    if (other == nullptr) {
      context.Unsupported("the device has one memory");
      return std::nullopt;
    }
    place.wanted_memory = other;
  }
  place.memory = place.wanted_memory;
  return place;
}

}  // namespace plinth::conformance
