// SPDX-License-Identifier: Apache-2.0
#include "plinth/program/donation.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "plinth/support/str_cat.h"

namespace plinth::program {

Expected<std::vector<Donation>> ReadDonations(const Function& function) {
  std::vector<Donation> donations;
  std::set<int64_t> aliased;
  const size_t count =
      std::min(function.argument_attributes.size(), function.argument_types.size());
  for (size_t i = 0; i < count; ++i) {
    const Attributes attributes = function.argument_attributes[i];
    if (const AttributeRef output = Find(attributes, "tf.aliasing_output")) {
      const int64_t number = output->integer();
      if (number < 0 || number >= static_cast<int64_t>(function.result_types.size())) {
        return InvalidArgument("argument ", i, " of @", function.name, " is donated to output ",
                               number, "; there are ", function.result_types.size(), " outputs");
      }
      if (!aliased.insert(number).second) {
        return InvalidArgument("argument ", i, " of @", function.name, " is donated to output ",
                               number, ", as is another argument");
      }
      donations.push_back({i, static_cast<size_t>(number)});
    } else if (const AttributeRef donor = Find(attributes, "jax.buffer_donor");
               donor != nullptr && (donor->Is(AttributeKind::kUnit) || donor->integer() != 0)) {
      donations.push_back({i, std::nullopt});
    }
  }
  return donations;
}

}  // namespace plinth::program
