// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ORDERS_H_
#define PLINTH_CONFORMANCE_CASES_ORDERS_H_

#include <cstddef>
#include <functional>
#include <span>

#include "conformance/runner/context.h"

// What may happen to an object, in every order of a few steps.
namespace plinth::conformance {

// Visits every order of steps 0 <= s < num_steps that begins with `first`, each step as often as it
// comes; how long they are says the context's depth. Ends where `visit` returns false.
void ForEachOrder(const Context& context, size_t first, size_t num_steps,
                  const std::function<bool(std::span<const size_t>)>& visit);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ORDERS_H_
