// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_FILES_H_
#define PLINTH_IMPL_LOADER_FILES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "plinth/support/text.h"

namespace plinth::loader {

// The whole of a regular file of at most `max_size` bytes. Devices, pipes and folders are refused
// without waiting for them.
Expected<std::string> ReadFile(const std::string& path, size_t max_size);

// OK if the path leads to a regular file.
Status CheckRegularFile(const std::string& path);

// Names in a folder, without "." and "..", sorted; at most `max_names`, then RESOURCE_EXHAUSTED.
// NOT_FOUND if there is no such folder.
Expected<std::vector<std::string>> ReadFolder(const std::string& path, size_t max_names);

bool IsFolder(const std::string& path);
bool IsSameFile(const std::string& a, const std::string& b);

std::string FolderOf(std::string_view path);
std::string_view FileNameOf(std::string_view path);

// `path` if it is absolute, else below `folder`.
std::string Below(std::string_view folder, std::string_view path);

// What the system says about an error number.
std::string SystemError(int number);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_FILES_H_
