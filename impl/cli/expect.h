// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_EXPECT_H_
#define PLINTH_IMPL_CLI_EXPECT_H_

#include <string>

#include "plinth/client/host_array.h"

namespace plinth::cli {

// What may be off: |got - wanted| <= absolute + relative * |wanted|. Negative: by the type, exact
// for integers, and a relative tolerance of 16 units in the last place for floats.
struct ExpectTolerance {
  double relative = -1, absolute = -1;
};

// How two arrays differ: shapes, or how many elements and the first of them; empty if they agree.
// NaN agrees with NaN, and infinities with themselves alone.
std::string Difference(const client::HostArray& got, const client::HostArray& wanted,
                       const ExpectTolerance& tolerance);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_EXPECT_H_
