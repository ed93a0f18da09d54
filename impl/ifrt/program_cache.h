// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_PROGRAM_CACHE_H_
#define PLINTH_IMPL_IFRT_PROGRAM_CACHE_H_

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "plinth/client/client.h"
#include "plinth/support/status.h"

namespace plinth::ifrt {

// Programs that the library itself runs, compiled once per client and found by their text. Keeps
// the last kMaxPrograms; that a plugin does not implement one is kept too. Any thread; two threads
// that ask for the same new program may both compile it.
class ProgramCache {
 public:
  static constexpr size_t kMaxPrograms = 1024;
  using Program = std::shared_ptr<const client::LoadedExecutable>;

  // `text`: StableHLO, for any one device, or with one partition on each of the devices with these
  // ids. The plugin's error if it does not compile it.
  Expected<Program> Get(const client::Client& client, const std::string& text,
                        std::span<const int64_t> devices = {});

 private:
  using Entry = std::pair<std::string, Expected<Program>>;
  std::mutex mutex_;
  std::list<Entry> entries_;  // The one that was used last in front.
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_text_;  // And devices.
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_PROGRAM_CACHE_H_
