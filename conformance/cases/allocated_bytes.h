// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ALLOCATED_BYTES_H_
#define PLINTH_CONFORMANCE_CASES_ALLOCATED_BYTES_H_

#include <cstdint>

namespace plinth::conformance {

// Bytes that malloc and its like have handed out and not got back, of all threads and of whatever
// this process has loaded, to the byte. A plugin with an allocator of its own does not count. 0 in
// builds with sanitizers, which have their own malloc and keep what was given back. Thread-safe.
int64_t AllocatedBytes();

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ALLOCATED_BYTES_H_
