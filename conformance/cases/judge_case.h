// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_JUDGE_CASE_H_
#define PLINTH_CONFORMANCE_CASES_JUDGE_CASE_H_

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/runner/case.h"

namespace plinth::conformance {

// A case that compares what functions say with what was put in and with one another. Its level is
// that of its name.
inline void AddJudgeCase(std::vector<Case>& cases, std::string name,
                         std::vector<std::string> requirements, std::function<void(Context&)> run) {
  requirements.emplace_back(kOutputTrue);
  requirements.emplace_back("PJRT-Args-accepted");
  const Level level = name[1] == '1' ? Level::kL1 : Level::kL3;
  cases.push_back({std::move(name), level, ClientNeed::kShared, std::move(requirements),
                   std::move(run), false});
}

// Judges here, and again on a thread that did nothing before: what was asked or refused before
// makes no difference, nor does who asks.
inline std::function<void(Context&)> HereAndOnAThread(void (*judge)(Context&)) {
  return [judge](Context& context) {
    judge(context);
    if (!context.HasFindings()) std::thread([&] { judge(context); }).join();
  };
}

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_JUDGE_CASE_H_
