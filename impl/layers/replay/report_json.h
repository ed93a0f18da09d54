// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_REPORT_JSON_H_
#define PLINTH_IMPL_LAYERS_REPLAY_REPORT_JSON_H_

#include "impl/layers/replay/replay.h"
#include "plinth/support/json.h"

namespace plinth::layers {

// A report as plinth_replay and `plinth replay --json` give it; docs/using/layers.md has its keys.
Json::Object ReportToJson(const ReplayReport& report);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_REPORT_JSON_H_
