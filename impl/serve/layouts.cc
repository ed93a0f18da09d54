// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/layouts.h"

#include <charconv>

#include "plinth/support/str_cat.h"

namespace plinth::serve {
namespace {

Expected<std::vector<int64_t>> ForRank(std::vector<int64_t> order, size_t rank) {
  if (order.size() != rank) {
    return InvalidArgument("the layout {", StrJoin(order, ","), "} for ", rank, " dimensions");
  }
  return order;
}

}  // namespace

Expected<std::vector<int64_t>> OrderFromText(std::string_view text) {
  std::vector<int64_t> order;
  std::string_view left = text;
  if (left.size() < 2 || left.front() != '{' || left.back() != '}') {
    return Unimplemented("the layout ", text.substr(0, 100));
  }
  left = left.substr(1, left.size() - 2);
  while (!left.empty()) {
    int64_t dim = 0;
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), dim);
    if (error != std::errc()) return Unimplemented("the layout ", text.substr(0, 100));
    order.push_back(dim);
    left.remove_prefix(static_cast<size_t>(end - left.data()));
    if (left.empty()) break;
    if (left.front() != ',') {
      return Unimplemented("the layout ", text.substr(0, 100), ", which has tiles");
    }
    left.remove_prefix(1);
  }
  return order;
}

Expected<std::vector<int64_t>> OrderAskedFor(const std::optional<proxy::LayoutProto>& layout,
                                             size_t rank) {
  if (!layout.has_value() || layout->serialized_layout.type_name.empty()) {
    return std::vector<int64_t>();
  }
  const auto& [type_name, data] = layout->serialized_layout;
  if (type_name == "xla::ifrt::CompactLayout") {
    proxy::CompactLayoutProto compact;
    PLINTH_RETURN_IF_ERROR(proxy::Read(data, &compact));
    return ForRank({compact.major_to_minor.rbegin(), compact.major_to_minor.rend()}, rank);
  }
  if (type_name == "xla::ifrt::PjRtLayout") {
    proxy::PjRtLayoutProto pjrt;
    PLINTH_RETURN_IF_ERROR(proxy::Read(data, &pjrt));
    if (!pjrt.xla_layout.tiles.empty()) {
      return Unimplemented("a layout with ", pjrt.xla_layout.tiles.size(), " tiles");
    }
    return ForRank(std::move(pjrt.xla_layout.minor_to_major), rank);
  }
  return Unimplemented("a layout of type '", type_name.substr(0, 100), "'");
}

Expected<std::vector<int64_t>> OrderAskedFor(const proxy::ArraySpecProto& spec) {
  if (!spec.layout.has_value() || spec.layout->empty()) return std::vector<int64_t>();
  PLINTH_ASSIGN_OR_RETURN(std::vector<int64_t> order, OrderFromText(*spec.layout));
  return ForRank(std::move(order), spec.shape.dims.size());
}

}  // namespace plinth::serve
