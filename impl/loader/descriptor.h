// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_DESCRIPTOR_H_
#define PLINTH_IMPL_LOADER_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace plinth::loader {

// A file descriptor that is closed with its owner; negative: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return number_; }
  void Set(int number) {
    Close();
    number_ = number;
  }
  // False if closing failed, which can be how a write fails.
  bool Close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || close(number) == 0;
  }

 private:
  int number_;
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_DESCRIPTOR_H_
