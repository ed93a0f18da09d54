// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a client sends over a connection: HTTP/2, gRPC and requests, on the real
// devices of the CPU plugin, in pieces of a size that the first byte says.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "impl/serve/connection.h"
#include "impl/serve/testing/test_client.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using plinth::serve::Connection;
  using plinth::serve::Service;
  if (size == 0) return 0;
  static Service service(plinth::serve::TestDevices(), {.memory_per_connection = 1 << 20}, nullptr);
  Connection connection(&service);
  const size_t piece = size_t{1} + data[0] * size_t{16};
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  while (!rest.empty() && connection.Feed(rest.substr(0, piece)).ok()) {
    rest.remove_prefix(std::min(piece, rest.size()));
    connection.mailbox()->Run();
    if (data[0] % 2 != 0) connection.ResumeLate();
    std::string out;
    if (!connection.Send(&out, size_t{1} << 20).ok()) break;
  }
  return 0;
}
