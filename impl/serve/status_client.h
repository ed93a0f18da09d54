// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_STATUS_CLIENT_H_
#define PLINTH_IMPL_SERVE_STATUS_CLIENT_H_

#include <string>

#include "impl/serve/address.h"

namespace plinth::serve {

// The JSON text that a server tells of itself. UNAVAILABLE if nobody answers within seconds.
Expected<std::string> AskStatus(const Address& address);

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_STATUS_CLIENT_H_
