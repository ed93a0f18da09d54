// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/random_walk.h"

#include <algorithm>
#include <thread>

#include "plinth/support/str_cat.h"

namespace plinth::conformance {

void RandomWalk::Walk(size_t num_steps, const std::vector<Step>& steps,
                      const std::function<void()>& look_around, const std::function<bool()>& ends) {
  for (size_t i = 0; i < num_steps && !context_.HasFindings() && !ends(); ++i) {
    const auto& [name, take] = steps[Below(steps.size())];
    const bool is_elsewhere = Below(4) == 0;
    told_.push_back(StrCat(name, is_elsewhere ? " on a thread" : ""));
    context_.TellRow(StrCat("step ", i, ": ", told_.back()));
    auto step = [&, take = take] {
      take();
      look_around();
    };
    if (is_elsewhere) {
      std::thread(step).join();
    } else {
      step();
    }
  }
}

void RandomWalk::TellSteps() {
  constexpr size_t kMostTold = 12;
  const size_t told = std::min(told_.size(), kMostTold);
  if (!context_.HasFindings()) return;
  context_.Note(StrCat("after ", told_.size(), " steps, the last: ",
                       StrJoin(std::vector<std::string>(
                           told_.end() - static_cast<std::ptrdiff_t>(told), told_.end()))));
}

void RandomWalk::TakeFindings() {
  for (const Finding& finding : aside_.TakeResult().findings)
    context_.Fail(finding.requirement, finding.text);
}

size_t NumSteps(const Context& context, size_t usually) {
  return context.depth() == Depth::kFull    ? 2000
         : context.depth() == Depth::kQuick ? usually / 10
                                            : usually;
}

}  // namespace plinth::conformance
