// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_FAILURE_H_
#define REFERENCE_PLUGIN_PROGRAM_FAILURE_H_

namespace plinth::program {

// What a reader's function returns after it has noted an error: a null pointer or false, whichever
// its return type is.
struct Failure {
  template <typename T>
  operator T*() const {  // NOLINT: implicit by design
    return nullptr;
  }
  operator bool() const { return false; }  // NOLINT: implicit by design
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_FAILURE_H_
