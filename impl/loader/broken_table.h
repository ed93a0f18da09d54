// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_BROKEN_TABLE_H_
#define PLINTH_IMPL_LOADER_BROKEN_TABLE_H_

#include "impl/loader/own_memory.h"
#include "impl/loader/plugin_table.h"

namespace plinth::loader {

// Whether as many bytes of the table can be read as it says. Comes before anything else is read.
Status CheckReadable(const std::string& path, const PJRT_Api* api, const OwnMemory& memory);

// What can be seen of a table without a call: that each function which every plugin has is there,
// and that what stands in the slots is code. An error names the slots.
Status CheckSlots(const PluginTable& table, const OwnMemory& memory);

// Whether the nodes of the plugin's extension chain can be read. What else is wrong with one is
// left out when they are copied.
Status CheckExtensions(const PluginTable& table, const OwnMemory& memory);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_BROKEN_TABLE_H_
