// SPDX-License-Identifier: Apache-2.0
// Every committed input of the fuzz targets, without the fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <variant>

#include "impl/serve/proxy_messages.h"

// The targets, compiled into this test under these names.
extern "C" int RequestFuzz(const uint8_t* data, size_t size);
extern "C" int ConnectionFuzz(const uint8_t* data, size_t size);
extern "C" int ShardingFuzz(const uint8_t* data, size_t size);

namespace plinth::serve {
namespace {

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void Replay(const std::string& folder, int (*target)(const uint8_t*, size_t)) {
  size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string bytes = Contents(entry.path());
    EXPECT_EQ(target(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), 0)
        << entry.path();
    // Cut off anywhere, and with each byte changed.
    for (size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 64) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ 0x55);
      EXPECT_EQ(target(reinterpret_cast<const uint8_t*>(changed.data()), changed.size()), 0);
      EXPECT_EQ(target(reinterpret_cast<const uint8_t*>(changed.data()), i), 0);
    }
    ++inputs;
  }
  EXPECT_GE(inputs, 3u);
}

TEST(ServeFuzzCorpus, Requests) { Replay("testdata/request_fuzz", &RequestFuzz); }

TEST(ServeFuzzCorpus, RequestsOfEveryKind) {
  std::set<std::string_view> missing(std::begin(proxy::IfrtRequest::kRequestNames) + 1,
                                     std::end(proxy::IfrtRequest::kRequestNames));
  for (const auto& entry : std::filesystem::directory_iterator("testdata/request_fuzz")) {
    proxy::IfrtRequest request;
    if (!proxy::Read(Contents(entry.path()), &request).ok()) continue;
    missing.erase(proxy::IfrtRequest::kRequestNames[request.request.index()]);
  }
  for (const std::string_view name : missing) ADD_FAILURE() << "no input is a " << name;
}

TEST(ServeFuzzCorpus, Shardings) { Replay("testdata/sharding_fuzz", &ShardingFuzz); }
TEST(ServeFuzzCorpus, Connections) { Replay("testdata/connection_fuzz", &ConnectionFuzz); }

}  // namespace
}  // namespace plinth::serve
