// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ALIAS_BUFFER_H_
#define PLINTH_CONFORMANCE_CASES_ALIAS_BUFFER_H_

#include <vector>

#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

namespace plinth::conformance {

// A buffer that stands for one that is said later. Whoever makes it owes a call of FulfillAlias.
struct Alias {
  OwnedBuffer buffer;
  PJRT_FulfillAliasBufferCallback* fulfill = nullptr;
};

// Row-major: XLA's own CPU makes none without a layout.
Expected<Alias> MakeAlias(const Context& context, PJRT_Memory* memory,
                          const std::vector<int64_t>& dims,
                          PJRT_Buffer_Type type = PJRT_Buffer_Type_F32);

// Says what the alias stands for.
Status FulfillAlias(const Context& context, PJRT_FulfillAliasBufferCallback* fulfill,
                    PJRT_Buffer* buffer);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ALIAS_BUFFER_H_
