// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_CONVERT_H_
#define PLINTH_IMPL_SERVE_CONVERT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/serve/proxy_messages.h"
#include "plinth/ifrt.hpp"
#include "plinth/support/dtype.h"
#include "plinth/support/status.h"

// Between the values of the protocol and those of libplinth_ifrt.
namespace plinth::serve {

// Takes over a status of libplinth_ifrt.
Status FromC(plinth_status* status);
Status FromIfrt(const ifrt::Status& status);
template <typename T>
Expected<T> FromIfrt(ifrt::Expected<T> value) {
  if (!value.ok()) return FromIfrt(value.status());
  return *std::move(value);
}

proxy::StatusProto ToProto(const Status& status);
// An error that calls itself OK is UNKNOWN.
Status ErrorFromProto(const proxy::StatusProto& proto);

// UNIMPLEMENTED, with the number, for kinds without a place in PJRT, such as strings.
Expected<DType> TypeFromProto(const proxy::DTypeProto& proto);
proxy::DTypeProto ToProto(DType type);

// INVALID_ARGUMENT for negative dimensions and more than 2^48 elements.
Status CheckShape(const proxy::ShapeProto& shape);

Expected<std::vector<ifrt::Device>> DevicesFromProto(const ifrt::Client& client,
                                                     std::span<const int32_t> ids);
Expected<ifrt::Sharding> ShardingFromProto(const ifrt::Client& client,
                                           const proxy::ShardingProto& proto);
proxy::ShardingProto ToProto(const ifrt::Sharding& sharding, size_t rank);

Expected<plinth_ifrt_copy_semantics> CopySemanticsFromProto(int32_t semantics);

// Bytes between the first and the last of an array in host memory, which a host buffer has.
// INVALID_ARGUMENT for strides that are not positive or too many.
Expected<int64_t> HostSpan(DType type, std::span<const int64_t> dims,
                           const std::optional<proxy::ByteStrides>& strides);
// Whether these strides, or none, are those of a row-major array without gaps.
bool IsDense(DType type, std::span<const int64_t> dims,
             const std::optional<proxy::ByteStrides>& strides);

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_CONVERT_H_
