// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_LAYOUTS_H_
#define PLINTH_IMPL_SERVE_LAYOUTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impl/serve/proxy_messages.h"
#include "plinth/support/status.h"

// Layouts of the protocol, as orders of dimensions: the one that varies fastest first.
namespace plinth::serve {

// Of "{1,0}", as XLA writes it. UNIMPLEMENTED for anything else, such as tiles.
Expected<std::vector<int64_t>> OrderFromText(std::string_view text);

// What a client asks for in a request; empty if nothing. INVALID_ARGUMENT for another number of
// dimensions, UNIMPLEMENTED, with its type or tiles, for what is no order.
Expected<std::vector<int64_t>> OrderAskedFor(const std::optional<proxy::LayoutProto>& layout,
                                             size_t rank);
Expected<std::vector<int64_t>> OrderAskedFor(const proxy::ArraySpecProto& spec);

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_LAYOUTS_H_
