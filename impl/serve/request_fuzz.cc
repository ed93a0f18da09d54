// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request of the protocol: what is read is written, and read again, as the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "impl/serve/proxy_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace proxy = plinth::serve::proxy;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  proxy::IfrtRequest request;
  if (!proxy::Read(bytes, &request).ok()) return 0;
  const std::string written = proxy::Write(request);
  proxy::IfrtRequest again;
  if (!proxy::Read(written, &again).ok()) abort();
  if (proxy::Write(again) != written) abort();
  return 0;
}
