// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_REPLAY_H_
#define PLINTH_IMPL_LAYERS_REPLAY_REPLAY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

// Repeats a run that the trace layer captured, on any plugin, and compares what the run read from
// the device with what this one reads.
namespace plinth::layers {

struct ReplayOptions {
  std::string path;  // the capture file
  // |got - wanted| <= absolute + relative * |wanted|; negative: the default of the element type,
  // which is zero for integers and booleans. NaN equals NaN.
  double relative_tolerance = -1;
  double absolute_tolerance = -1;
  // Go on after a divergence and count them; else the first one ends the replay.
  bool keep_going = false;
  // In place of the captured options of PJRT_Client_Create, for a plugin that knows other ones.
  std::optional<std::vector<NamedValue>> create_options;
  // Most bytes that host data of the capture may take at a time.
  uint64_t memory_limit = uint64_t{8} << 30;
  // Longest wait for one event of the plugin; one that is not ready then ends the replay.
  double wait_seconds = 300;
  // Called now and then on the calling thread; may be empty.
  std::function<void(uint64_t bytes_done, uint64_t bytes_total)> progress;
};

// Where a replay differs from its capture.
struct ReplayDivergence {
  uint64_t call = 0;     // number in the capture, from 1, of the call that made the output
  std::string function;  // of that call
  std::string output;    // "output 0 of device 0, buffer 12 (f32[2,3])", "num_outputs", "error"
  std::vector<int64_t> index;  // of the first element that differs; empty where it is no array
  std::string got, wanted;
  uint64_t elements_different = 0;  // of that output
  double largest_difference = 0;    // |got - wanted| in it, where it has numbers

  // One line with all of it.
  std::string ToString() const;
};

struct ReplayReport {
  std::string captured_plugin;    // its path, as the capture says
  std::string captured_platform;  // empty if the run did not ask for it
  int captured_minor = 0;         // that its table reported
  uint64_t calls = 0;             // in the capture
  uint64_t replayed = 0;          // called again
  uint64_t skipped = 0;           // queries without influence on results
  uint64_t outputs_compared = 0;  // arrays
  uint64_t bytes_compared = 0;
  uint64_t outputs_not_captured = 0;  // the capture says that it could not read them
  uint64_t outputs_unknown = 0;       // arrays of a type or form that is not compared
  uint64_t divergences = 0;
  std::optional<ReplayDivergence> first;
  bool truncated = false;          // the captured process died; what it wrote is complete
  std::vector<std::string> notes;  // what was left out and why, each once
};

// An error says why the replay could not be done: a file that is no capture, is broken or asks for
// too much, or a plugin that makes no client. A run that differs is no error: see the report, which
// is filled in either case. `api` is a plugin's table, or one that libplinth put in front of it;
// PJRT_Plugin_Initialize is called. Handles that the capture leaves alive are destroyed at the end.
Status Replay(const ReplayOptions& options, const PJRT_Api* api, ReplayReport* report);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_REPLAY_H_
