// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_DONATION_H_
#define PLINTH_PROGRAM_DONATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "plinth/program/program.h"
#include "plinth/support/status.h"

namespace plinth::program {

// An argument whose memory the program may use for its results.
struct Donation {
  size_t argument = 0;
  std::optional<size_t> output;  // the one that it is meant for; none: any
};

// What the attributes of a function's arguments give away ("tf.aliasing_output",
// "jax.buffer_donor"), by argument. INVALID_ARGUMENT if an output does not exist, or is given two
// arguments; their types are not compared.
Expected<std::vector<Donation>> ReadDonations(const Function& function);

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_DONATION_H_
