// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_PLUGIN_TABLE_H_
#define PLINTH_IMPL_LOADER_PLUGIN_TABLE_H_

#include <string>

#include "impl/loader/log.h"
#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// Minors in which something changed that a loader has to know.
inline constexpr int kOldestMinorWithExtensions = 45;
inline constexpr int kMemoryHeadMinor = 105;
inline constexpr int kErrorHeadMinor = 107;

// More than this is no size of a table, whatever the future brings.
inline constexpr size_t kImplausibleTableSize = size_t{1} << 20;
// Extensions are a few hundred bytes; one that says more than this is damaged.
inline constexpr size_t kLargestExtension = size_t{1} << 16;

// The slots of a plugin's own table that exist, as far as anybody can tell, whether or not the
// loader would accept it: by the minor where struct_size lies (0.40 to 0.55), and none of a table
// of another major version, whose layout nobody knows.
int SlotsOf(const PJRT_Api& api);

// A table that a plugin gave, and how much of it may be read. Any thread.
struct PluginTable {
  std::string path;
  const PJRT_Api* api = nullptr;
  int minor = 0;           // That the plugin reports; may be newer than ours.
  int function_count = 0;  // Slots that exist and that we know.

  bool IsNewerThanUs() const { return minor > kPjrtDeclaredMinor; }
  bool HasErrorHeads() const { return minor >= kErrorHeadMinor; }
  // Null before 0.45, whose nodes have another layout.
  const PJRT_Extension_Base* Extensions() const;
  // What a slot of the core table holds, or null.
  void* Slot(const reflection::Function& function) const;
  // "/a/b.so (PJRT 0.90)", for messages.
  std::string Describe() const;
};

// Checks version and size. An error says what was found, and what can be done.
Expected<PluginTable> ReadPluginTable(const std::string& path, const PJRT_Api* api, bool allow_old,
                                      const LogSink& log);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_PLUGIN_TABLE_H_
