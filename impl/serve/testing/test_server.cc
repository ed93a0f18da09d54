// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/testing/test_server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace plinth::serve {
namespace {

Listener ListenAt(const Address& address) {
  Expected<Listener> listener = Listen(address, false);
  EXPECT_TRUE(listener.ok()) << listener.status().ToString();
  return listener.ok() ? *std::move(listener) : Listener();
}

}  // namespace

TestServer::TestServer(const Server::Options& options)
    : address_{true, ::testing::TempDir() + "/plinth_serve_" + std::to_string(getpid()), ""},
      server_(ListenAt(address_), TestDevices(), options, nullptr),
      thread_([this] { server_.Run(); }) {}

TestServer::~TestServer() {
  server_.Stop();
  server_.Stop();
  Wait();
  unlink(address_.host.c_str());
}

void TestServer::Wait() {
  if (thread_.joinable()) thread_.join();
}

void SocketWire::Wait() {
  pollfd ready = {fd_, POLLIN, 0};
  poll(&ready, 1, 100);
}

void SocketWire::SendPieces(std::string_view bytes, size_t size) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), std::min(bytes.size(), size), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string SocketWire::ReceivePiece(size_t size) {
  std::string bytes(size, '\0');
  const ssize_t received = recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  bytes.resize(received < 0 ? 0 : static_cast<size_t>(received));
  return bytes;
}

}  // namespace plinth::serve
