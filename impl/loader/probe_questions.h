// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_PROBE_QUESTIONS_H_
#define PLINTH_IMPL_LOADER_PROBE_QUESTIONS_H_

#include <functional>
#include <string_view>

#include "pjrt_c_api.h"
#include "plinth/support/json.h"
#include "plinth/support/status.h"

// What the probe's child asks a table, as JSON. Everything here may crash or hang with the plugin.
namespace plinth::loader {

// Version, size, and which slots are filled, as the plugin made the table.
Json DescribeTable(const PJRT_Api& api);
// Type, name and size of each extension, as the plugin made the chain.
Json DescribeExtensions(const PJRT_Api& api);

Json DescribeStatus(const Status& status);

Status Initialize(const PJRT_Api& api);
Status ReadAttributes(const PJRT_Api& api, Json::Object& attributes);

// Makes a client, asks for platform and devices, and destroys it. `stage` is told before each step.
Status QuestionClient(const PJRT_Api& api, std::string_view create_options_json,
                      const std::function<void(const char*)>& stage, Json::Object& client);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_PROBE_QUESTIONS_H_
