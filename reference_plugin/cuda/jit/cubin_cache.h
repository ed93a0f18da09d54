// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_JIT_CUBIN_CACHE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_JIT_CUBIN_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plinth::cuda {

// Binaries on disk, by key. Any damage is a miss, and so is a folder or file of somebody else, or
// one that others may write. Nothing fails: what cannot be kept is not. Any number of threads and
// processes may use one folder.
class CubinCache {
 public:
  // An empty folder keeps nothing.
  CubinCache(std::string directory, int64_t most_bytes)
      : directory_(std::move(directory)), most_bytes_(most_bytes) {}

  std::optional<std::string> Find(const std::string& key) const;
  void Keep(const std::string& key, std::string_view binary) const;
  // Removes the files that were used longest ago, until the rest is at most what may be kept.
  void Trim() const;

 private:
  std::string PathOf(const std::string& key) const { return directory_ + "/" + key + ".cubin"; }

  std::string directory_;
  int64_t most_bytes_;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_JIT_CUBIN_CACHE_H_
