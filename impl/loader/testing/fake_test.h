// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_TESTING_FAKE_TEST_H_
#define PLINTH_IMPL_LOADER_TESTING_FAKE_TEST_H_

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "impl/loader/testing/fake_plugin.h"
#include "plinth/support/error.h"
#include "plinth/support/status.h"

namespace plinth::loader::testing {

inline FakePlugin& Fake() {
  static FakePlugin* const fake = [] {
    void* library = dlopen(PLINTH_FAKE_PLUGIN, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) ADD_FAILURE() << dlerror();
    return reinterpret_cast<FakePluginGet>(dlsym(library, "FakePlugin_Get"))();
  }();
  return *fake;
}

// An argument struct of a caller, of any size, with bytes behind it that nobody may touch.
class CallerStruct {
 public:
  explicit CallerStruct(size_t size) : size_(size), bytes_(size + kCanaries, kCanary) {
    std::memset(bytes_.data(), 0, size);
    Set<size_t>(0, size);
  }
  template <typename T>
  void Set(size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof(value));
  }
  unsigned char At(size_t offset) const { return bytes_[offset]; }
  void* data() { return bytes_.data(); }
  bool IsIntact() const {
    for (size_t i = size_; i < bytes_.size(); ++i) {
      if (bytes_[i] != kCanary) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kCanaries = 64;
  static constexpr unsigned char kCanary = 0xca;
  size_t size_;
  std::vector<unsigned char> bytes_;
};

// An argument struct of today.
template <typename Args>
Args NewArgs(size_t struct_size = 0) {
  Args args{};
  args.struct_size = struct_size;
  return args;
}
#define PLINTH_NEW_ARGS(type) ::plinth::loader::testing::NewArgs<type>(type##_STRUCT_SIZE)

}  // namespace plinth::loader::testing

#endif  // PLINTH_IMPL_LOADER_TESTING_FAKE_TEST_H_
