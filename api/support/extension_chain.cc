// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/extension_chain.h"

#include "plinth/support/args.h"

namespace plinth {

const PJRT_Extension_Base* FindExtension(const PJRT_Extension_Base* chain, int type) {
  constexpr int kMaxNodes = 1000;
  for (int i = 0; i < kMaxNodes && chain != nullptr; ++i, chain = chain->next) {
    if (chain->struct_size < PJRT_Extension_Base_STRUCT_SIZE) return nullptr;
    if (RawEnum(chain->type) == type) return chain;
  }
  return nullptr;
}

PJRT_Extension_Base* LinkExtensions(std::span<PJRT_Extension_Base* const> nodes) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i]->next = i + 1 < nodes.size() ? nodes[i + 1] : nullptr;
  }
  return nodes.empty() ? nullptr : nodes.front();
}

}  // namespace plinth
