// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/program_cache.h"

#include "plinth/support/str_cat.h"

namespace plinth::ifrt {

Expected<ProgramCache::Program> ProgramCache::Get(const client::Client& client,
                                                  const std::string& text,
                                                  std::span<const int64_t> devices) {
  const std::string key = devices.empty() ? text : StrCat(text, "// ", StrJoin(devices, ","));
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_text_.find(key); found != by_text_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->second;
    }
  }
  client::CompileOptions options;
  options.portable = devices.empty();
  if (!devices.empty()) {
    options.num_partitions = static_cast<int>(devices.size());
    options.device_assignment =
        client::DeviceAssignment{1, options.num_partitions, {devices.begin(), devices.end()}};
  }
  Expected<client::LoadedExecutable> compiled = client.Compile(client::Program{text}, options);
  Expected<Program> program = compiled.status();
  if (compiled.ok()) {
    program = Program(std::make_shared<const client::LoadedExecutable>(*std::move(compiled)));
  }
  // Another failure may not happen again.
  if (!program.ok() && program.status().code() != StatusCode::kUnimplemented) return program;
  // Executables end outside of the lock.
  std::list<Entry> dropped;
  const std::lock_guard lock(mutex_);
  if (const auto found = by_text_.find(key); found != by_text_.end()) {
    return found->second->second;
  }
  entries_.emplace_front(key, program);
  by_text_.emplace(entries_.front().first, entries_.begin());
  if (entries_.size() > kMaxPrograms) {
    by_text_.erase(entries_.back().first);
    dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
  }
  return program;
}

}  // namespace plinth::ifrt
