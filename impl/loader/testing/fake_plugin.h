// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_TESTING_FAKE_PLUGIN_H_
#define PLINTH_IMPL_LOADER_TESTING_FAKE_PLUGIN_H_

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"

namespace plinth::loader::testing {

// What every byte of an output field holds after a successful call.
inline constexpr unsigned char kWritten = 0x5a;

// Shapes a plugin before GetPjrtApi makes a table of it.
struct FakeOptions {
  int minor = 117;
  int major = 0;
  int functions = -1;         // In the table; -1: those of the minor.
  size_t announced_size = 0;  // The table's struct_size; 0: the right one.
  size_t version_size = PJRT_Api_Version_STRUCT_SIZE;
  std::set<int> null_slots;       // Indices in reflection::Functions().
  bool exact_sizes = true;        // Refuse structs of any other size than that of the minor.
  std::map<int, size_t> demands;  // Sizes for structs that only a newer plugin would want.
  PJRT_Extension_Base* extensions = nullptr;
  std::map<int, const void*> garbage;  // What stands in slots in place of functions.
  bool lists_memories = false;         // The client has two memories, the second is the default.
  std::function<void()> on_get;        // Runs inside of GetPjrtApi.
  bool returns_null = false;           // GetPjrtApi does.
};

// A call that reached the plugin.
struct FakeCall {
  int function = -1;
  std::vector<unsigned char> args;     // As many bytes as struct_size says.
  std::vector<unsigned char> options;  // Of Execute: its PJRT_ExecuteOptions.
};

// One for each copy of the .so. Not for several threads, except where a call fails nothing.
class FakePlugin {
 public:
  virtual ~FakePlugin() = default;
  // The table of a plugin shaped so; GetPjrtApi gives the last one made.
  virtual const PJRT_Api* Make(const FakeOptions& options) = 0;
  // The next call that is not about errors fails so.
  virtual void FailNext(PJRT_Error_Code code, const std::string& message) = 0;
  // The next call that succeeds runs this at its end, inside of the plugin.
  virtual void InNext(std::function<void(void* args)> run) = 0;
  // An error as this plugin makes them.
  virtual PJRT_Error* NewError(PJRT_Error_Code code, const std::string& message) = 0;
  // Errors made and not yet destroyed.
  virtual int LiveErrors() const = 0;
  // Calls since the last time it was asked. Recording slows calls down; off at first.
  virtual std::vector<FakeCall> TakeCalls() = 0;
  virtual void Record(bool on) = 0;
  // Called in place of an event's completion: runs what PJRT_Event_OnReady registered.
  virtual void CompleteEvents(PJRT_Error_Code code) = 0;
};

// Exported by the .so as FakePlugin_Get.
using FakePluginGet = FakePlugin* (*)();

}  // namespace plinth::loader::testing

#endif  // PLINTH_IMPL_LOADER_TESTING_FAKE_PLUGIN_H_
