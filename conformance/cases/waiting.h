// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_WAITING_H_
#define PLINTH_CONFORMANCE_CASES_WAITING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

// Everything that a client may wait for.
namespace plinth::conformance {

// How it ends.
struct Ending {
  const char* name;
  PJRT_Error_Code code;
  std::string text;
};

// Something that is not there yet, and the event that says when it is.
struct Waiting {
  OwnedEvent event;
  std::function<Status(const Ending&)> end;
  // Another event for the same, or null.
  std::function<OwnedEvent()> another = [] { return OwnedEvent(); };
  // What has to live until the end.
  std::vector<std::shared_ptr<void>> kept;

  // Destroys, after the end, everything but the event.
  void LetGo() {
    end = nullptr;
    another = nullptr;
    kept.clear();
  }
};

// How an event tells its ending: as it is, with more text, or with more text and perhaps another
// code, where it was computed.
enum class Telling { kAsItIs, kInText, kOfComputed };

using Maker = std::function<bool(Context&, Waiting&)>;

// A way to get something that is to come.
struct Source {
  const char* name;
  Maker make;  // false, with a finding or UNSUPPORTED, where the plugin gives none
  Telling telling;
};
std::vector<Source> Sources();

// The first of them: an event that the case itself sets.
bool MakeCreatedEvent(Context& context, Waiting& waiting);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_WAITING_H_
