// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_TESTING_TEST_SERVER_H_
#define PLINTH_IMPL_SERVE_TESTING_TEST_SERVER_H_

#include <string>
#include <string_view>
#include <thread>

#include "impl/serve/server.h"
#include "impl/serve/testing/test_client.h"

namespace plinth::serve {

// A server on a Unix socket, with its threads, over the devices of TestDevices.
class TestServer {
 public:
  explicit TestServer(const Server::Options& options);
  // Ends at once.
  ~TestServer();

  // UNAVAILABLE if nobody listens any more.
  Expected<Socket> Connect() const { return serve::Connect(address_); }
  void Stop() { server_.Stop(); }
  // Returns when the server has ended.
  void Wait();

 private:
  const Address address_;
  Server server_;
  std::thread thread_;
};

// To a server's socket.
class SocketWire : public Wire {
 public:
  // Does not own the socket.
  explicit SocketWire(int fd) : fd_(fd) {}
  void Send(std::string_view bytes) override { SendPieces(bytes, bytes.size()); }
  std::string Receive(bool is_reading) override { return is_reading ? ReceivePiece(65536) : ""; }
  void Wait() override;

 protected:
  // Sends pieces of that size until nothing is left, or the connection is gone.
  void SendPieces(std::string_view bytes, size_t size);
  // At most so many, without waiting.
  std::string ReceivePiece(size_t size);

 private:
  const int fd_;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_TESTING_TEST_SERVER_H_
