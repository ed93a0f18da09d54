// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/relayout.h"

#include <vector>

#include "impl/ifrt/device_program.h"
#include "plinth/client/layouts.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

std::string TextOf(std::span<const int64_t> minor_to_major) {
  return StrCat("{", StrJoin(minor_to_major, ","), "}");
}

Expected<client::Buffer> OverHost(const client::Buffer& buffer, const PlacedShard& shard,
                                  std::span<const int64_t> minor_to_major) {
  PLINTH_ASSIGN_OR_RETURN(const client::HostArray contents, buffer.ToHost());
  client::Layout order;
  order.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  return shard.sharding.client()->raw().BufferFromHost(
      contents.view(), shard.sharding.PlacementOf(shard.index), client::HostSemantics::kDuringCall,
      {}, &order);
}

}  // namespace

Status CheckOrder(std::span<const int64_t> minor_to_major, size_t rank) {
  std::vector<bool> is_there(rank);
  for (const int64_t dim : minor_to_major) {
    if (dim < 0 || dim >= static_cast<int64_t>(rank) || is_there[static_cast<size_t>(dim)]) {
      return InvalidArgument("the layout ", TextOf(minor_to_major),
                             " is no order of the dimensions 0 to ", rank - 1);
    }
    is_there[static_cast<size_t>(dim)] = true;
  }
  return {};
}

Expected<std::string> LayoutTextOf(const client::Buffer& buffer, size_t rank) {
  Expected<std::string> text = client::LayoutText(buffer);
  if (text.ok() || text.status().code() != StatusCode::kUnimplemented) return text;
  PLINTH_ASSIGN_OR_RETURN(const client::Layout layout, buffer.DeviceLayout());
  if (!layout.byte_strides.empty()) return Unimplemented("a layout of strides, which has no text");
  return layout.ToString(rank);
}

bool LiesIn(const client::Buffer& buffer, std::span<const int64_t> minor_to_major) {
  const Expected<std::string> text = LayoutTextOf(buffer, minor_to_major.size());
  return text.ok() && *text == TextOf(minor_to_major);
}

std::string LayoutAttribute(std::span<const int64_t> minor_to_major) {
  return StrCat("mhlo.layout_mode = \"", TextOf(minor_to_major), "\"");
}

std::string ResultIn(const std::string& type, std::span<const int64_t> minor_to_major) {
  if (minor_to_major.empty()) return type;
  return StrCat("(", type, " {", LayoutAttribute(minor_to_major), "})");
}

Expected<client::Buffer> LayOut(const client::Buffer& buffer, const PlacedShard& shard,
                                std::span<const int64_t> minor_to_major, bool may_use_host) {
  const Device& device = *shard.sharding.devices()[shard.index];
  Status refused = Unimplemented("programs read and write the default memory, not ",
                                 shard.sharding.canonical_memory_kind());
  if (IsDefaultMemory(device, shard.sharding.canonical_memory_kind())) {
    const Expected<std::string> told = LayoutTextOf(buffer, shard.dims.size());
    const std::string type = TensorType(shard.type, shard.dims);
    // A program has to know how its argument lies; without a word it lies as by default.
    const std::string argument =
        told.ok() ? StrCat(" {mhlo.layout_mode = \"", *told, "\"}") : std::string();
    const std::string text =
        StrCat("module @ifrt_layout {\n  func.func public @main(%arg0: ", type, argument, ") -> ",
               ResultIn(type, minor_to_major), " {\n    return %arg0 : ", type, "\n  }\n}\n");
    const client::Buffer* const from = &buffer;
    Expected<client::Buffer> laid = RunProgram(*shard.sharding.client(), text, {&from, 1}, device);
    if (laid.ok() && LiesIn(*laid, minor_to_major)) return laid;
    refused = laid.ok() ? Unimplemented("the plugin's programs give results as they like, not as ",
                                        TextOf(minor_to_major))
                        : laid.status();
  }
  if (!may_use_host) return refused;
  return OverHost(buffer, shard, minor_to_major);
}

}  // namespace plinth::ifrt
