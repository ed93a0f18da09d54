// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_MACHINE_MEMORY_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_MACHINE_MEMORY_H_

#include <cstdint>
#include <string>

namespace plinth::backend {

// How much memory this process may use: that of the machine, or less where its control groups
// (containers) say so. Beyond it the kernel ends a process. `root` is where /proc and /sys are.
int64_t TotalMemory(const std::string& root = "");

// How much of it is not in use, by any process. What the kernel takes back when it has to counts as
// free: files in the page cache and its own caches. Free swap of the machine counts, too, that of a
// control group does not: the limit of a group is one of memory. Pages that were asked for and not
// touched are not in use. Takes tens of microseconds.
int64_t AvailableMemory(const std::string& root = "");

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_MACHINE_MEMORY_H_
