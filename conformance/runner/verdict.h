// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_VERDICT_H_
#define PLINTH_CONFORMANCE_RUNNER_VERDICT_H_

#include <string>
#include <string_view>
#include <vector>

namespace plinth::conformance {

enum class Verdict { kPass, kFail, kCrash, kHang, kUnsupported, kWaived };

// "PASS", "FAIL" and so on, as reports write them.
std::string_view VerdictName(Verdict verdict);
// Nothing with another name: false.
bool VerdictFromName(std::string_view name, Verdict& verdict);

// What did not hold.
struct Finding {
  std::string requirement;  // its number in the registry; empty where the case as a whole failed
  std::string text;         // what was asked and what was answered
};

struct Result {
  std::string name;
  Verdict verdict = Verdict::kPass;
  bool is_robust = false;
  double seconds = 0;
  std::vector<Finding> findings = {};
  std::vector<std::string> notes = {};         // facts worth reporting, for example accepted sizes
  std::string waiver = {};                     // the reason, if WAIVED
  std::vector<std::string> requirements = {};  // that the case checks
  Verdict unwaived = Verdict::kFail;           // what it was, if WAIVED
  bool lacks_devices = false;  // UNSUPPORTED for want of devices or partitions alone
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_VERDICT_H_
