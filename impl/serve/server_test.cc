// SPDX-License-Identifier: Apache-2.0
// What a server does with connections: how many there may be, and when they end.
#include "impl/serve/server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <memory>
#include <string>

#include "impl/serve/testing/test_server.h"

namespace plinth::serve {
namespace {

// The first bytes of a server, which sends them before it is asked anything; "" if it closes the
// connection. Waits.
std::string FirstBytes(const Socket& socket) {
  std::string bytes(64, '\0');
  const ssize_t size = recv(socket.fd(), bytes.data(), bytes.size(), 0);
  bytes.resize(size < 0 ? 0 : static_cast<size_t>(size));
  return bytes;
}

// Waits for the end of the connection, and drops what comes before it.
void ExpectEnd(const Socket& socket) {
  while (!FirstBytes(socket).empty()) continue;
}

// A client with a session.
class Peer {
 public:
  explicit Peer(const TestServer& server) : socket_(*server.Connect()) { init_ = client_.Begin(); }
  bool has_session() const { return init_.session_id != 0; }
  bool Asks() {
    const auto answer = client_.Ask(proxy::IsArrayDeletedRequest{1});
    return answer.response_metadata.status.has_value();  // There is none, which it says.
  }
  void EndSession() {
    client_.Finish(client_.session_stream());
    client_.WaitFor(client_.session_stream());
  }
  const Socket& socket() const { return socket_; }

 private:
  Socket socket_;
  TestClient client_{std::make_unique<SocketWire>(socket_.fd())};
  proxy::InitResponse init_;
};

TEST(ServerTest, ConnectionsBeyondTheLimitAreClosed) {
  TestServer server({.max_connections = 2});
  Socket one = *server.Connect();
  const Socket two = *server.Connect();
  EXPECT_NE(FirstBytes(one), "");
  EXPECT_NE(FirstBytes(two), "");
  EXPECT_EQ(FirstBytes(*server.Connect()), "");
  // One that ends makes room, as soon as the server has seen it.
  one = Socket();
  while (FirstBytes(*server.Connect()).empty()) continue;
}

TEST(ServerTest, AnIdleSessionEnds) {
  TestServer server({.memory_per_connection = 1 << 20, .idle_seconds = 1});
  Peer peer(server);
  ASSERT_TRUE(peer.has_session());
  ExpectEnd(peer.socket());
  EXPECT_TRUE(Peer(server).has_session());
}

TEST(ServerTest, SessionsGoOnAfterStop) {
  TestServer server({.memory_per_connection = 1 << 20, .drain_seconds = 3600});
  Peer peer(server);
  ASSERT_TRUE(peer.has_session());
  server.Stop();
  while (server.Connect().ok()) continue;  // Until the address is closed.
  EXPECT_TRUE(peer.Asks());
  peer.EndSession();
  server.Wait();
}

TEST(ServerTest, ASecondStopEndsAtOnce) {
  TestServer server({.memory_per_connection = 1 << 20, .drain_seconds = 3600});
  Peer peer(server);
  ASSERT_TRUE(peer.has_session());
  server.Stop();
  server.Stop();
  server.Wait();
  ExpectEnd(peer.socket());
}

TEST(ServerTest, SessionsEndWhenTheTimeIsOver) {
  TestServer server({.memory_per_connection = 1 << 20, .drain_seconds = 0});
  Peer peer(server);
  ASSERT_TRUE(peer.has_session());
  server.Stop();
  server.Wait();
  ExpectEnd(peer.socket());
}

}  // namespace
}  // namespace plinth::serve
