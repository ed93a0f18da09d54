// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ERROR_BUFFER_H_
#define PLINTH_CONFORMANCE_CASES_ERROR_BUFFER_H_

#include <string_view>

#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

namespace plinth::conformance {

// A buffer that carries an error instead of an array of that type and these dimensions. What the
// plugin borrows for the call is overwritten after it. A payload that is not empty goes with the
// error, under the key "note".
Expected<OwnedBuffer> NewErrorBuffer(const Context& context, PJRT_Memory* memory,
                                     PJRT_Error_Code code, std::string_view text,
                                     const HostArray& array = {DType::kF32, {4}, {}},
                                     std::string_view payload = "");

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ERROR_BUFFER_H_
