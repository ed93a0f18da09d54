// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/orders.h"

#include <vector>

namespace plinth::conformance {

void ForEachOrder(const Context& context, size_t first, size_t num_steps,
                  const std::function<bool(std::span<const size_t>)>& visit) {
  const size_t length = context.depth() == Depth::kFull    ? 5
                        : context.depth() == Depth::kQuick ? 2
                                                           : 4;
  std::vector<size_t> order(length, 0);
  order[0] = first;
  while (visit(order)) {
    size_t at = length;
    while (at-- > 1 && ++order[at] == num_steps) order[at] = 0;
    if (at == 0) return;
  }
}

}  // namespace plinth::conformance
