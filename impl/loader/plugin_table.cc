// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/plugin_table.h"

#include <algorithm>
#include <cstring>

#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

constexpr size_t kHeadSize = offsetof(PJRT_Api, pjrt_api_version) + PJRT_Api_Version_STRUCT_SIZE;
constexpr int kAmbiguousMinor = 56;

// Functions in the table of a minor: from 28 on it has only grown at its end. Where a minor was
// used twice, the larger table.
int FunctionsAt(int minor) {
  int count = 0;
  for (const reflection::Function& function : reflection::Functions()) {
    if (function.table >= 0 || function.since > minor) break;
    ++count;
  }
  return count;
}

Status CheckMinor(const std::string& path, int minor, bool allow_old) {
  if (minor >= kPjrtOldestMinor) return {};
  std::string found = StrCat(path, " reports PJRT 0.", minor);
  if (minor < kPjrtOldestReadableMinor) {
    return FailedPrecondition(
        found, "; tables before 0.", kPjrtOldestReadableMinor,
        " cannot be read: functions were inserted and removed in their "
        "middle, some without a new minor. Use a newer release of the plugin");
  }
  if (minor == kAmbiguousMinor) {
    return FailedPrecondition(found,
                              "; two different tables report 0.56, and nothing tells them apart. "
                              "Use another release of the plugin");
  }
  if (!allow_old) {
    return FailedPrecondition(
        found, "; plugins older than 0.", kPjrtOldestMinor,
        " are opened only when asked to: set PLINTH_ALLOW_OLD=1 or the option "
        "allow_old, or use a newer release of the plugin");
  }
  return {};
}

}  // namespace

const PJRT_Extension_Base* PluginTable::Extensions() const {
  return minor >= kOldestMinorWithExtensions ? api->extension_start : nullptr;
}

void* PluginTable::Slot(const reflection::Function& function) const {
  if (function.table >= 0 || function.slot >= function_count) return nullptr;
  void* pointer;
  std::memcpy(&pointer, reinterpret_cast<const char*>(api) + function.offset, sizeof(pointer));
  return pointer;
}

std::string PluginTable::Describe() const { return StrCat(path, " (PJRT 0.", minor, ")"); }

int SlotsOf(const PJRT_Api& api) {
  const PJRT_Api_Version& version = api.pjrt_api_version;
  if (version.major_version != kPjrtMajor || version.minor_version < kPjrtOldestReadableMinor) {
    return 0;
  }
  if (version.minor_version < kPjrtOldestMinor) return FunctionsAt(version.minor_version);
  if (api.struct_size < kHeadSize || api.struct_size > kImplausibleTableSize) return 0;
  return static_cast<int>((api.struct_size - kHeadSize) / sizeof(void*));
}

Expected<PluginTable> ReadPluginTable(const std::string& path, const PJRT_Api* api, bool allow_old,
                                      const LogSink& log) {
  size_t size = api->struct_size;
  if (size < kHeadSize || size > kImplausibleTableSize) {
    return FailedPrecondition("the table of ", path, " says that it has ", size,
                              " bytes, which is no size of a PJRT table. Is it a PJRT plugin?");
  }
  const PJRT_Api_Version& version = api->pjrt_api_version;
  if (version.struct_size > kImplausibleTableSize) {
    return FailedPrecondition("the table of ", path,
                              " has no version: it was built before 2023-06-07, and such tables "
                              "cannot be read. Use a newer release of the plugin");
  }
  if (version.major_version != kPjrtMajor) {
    return FailedPrecondition(path, " reports PJRT ", version.major_version, ".",
                              version.minor_version, ", and this libplinth speaks ", kPjrtMajor,
                              ".x. Use a libplinth of that major version");
  }
  int minor = version.minor_version;
  PLINTH_RETURN_IF_ERROR(CheckMinor(path, minor, allow_old));

  PluginTable table{path, api, minor, FunctionsAt(std::min(minor, kPjrtDeclaredMinor))};
  if (minor < kPjrtOldestMinor) return table;  // The size they announce says nothing.
  int announced = static_cast<int>((size - kHeadSize) / sizeof(void*));
  int smallest = FunctionsAt(kPjrtOldestMinor);
  if (announced < smallest) {
    return FailedPrecondition(path, " reports PJRT 0.", minor, " and a table of ", size,
                              " bytes, which holds ", announced, " functions; every table since 0.",
                              kPjrtOldestMinor, " holds ", smallest,
                              " at least. The plugin is damaged, or says a wrong version");
  }
  if (announced < table.function_count) {
    Log(log, LogLevel::kWarning,
        StrCat(path, " reports PJRT 0.", minor, ", but its table ends after ", announced, " of ",
               table.function_count, " functions; the others count as absent"));
  }
  if (announced > table.function_count && !table.IsNewerThanUs()) {
    Log(log, LogLevel::kDebug,
        StrCat(path, " reports PJRT 0.", minor, ", and its table is longer than that; only its ",
               table.function_count, " functions are used"));
  }
  table.function_count = std::min(announced, table.function_count);
  return table;
}

}  // namespace plinth::loader
