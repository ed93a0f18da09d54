// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_CASE_H_
#define PLINTH_CONFORMANCE_RUNNER_CASE_H_

#include <functional>
#include <string>
#include <vector>

namespace plinth::conformance {

class Context;

enum class Level { kL0, kL1, kL2, kL3, kL4 };

// Which client a case needs. Beside `kNone` ones, which may make their own, a plugin whose profile
// says `exclusive` has no other client. `kShared` ones run one after the other with one client;
// `kWanted` ones do too, but also without any, where none can be made; `kFresh` ones get a process
// and a client of their own, because they end or fork what others would use; `kAlone` ones a
// process in which no client was made, because the child of a fork has none of the threads of one.
enum class ClientNeed { kNone, kWanted, kShared, kFresh, kAlone };

struct Case {
  std::string name;  // "L1/transfer/roundtrip/f32/rank2"; unique
  Level level = Level::kL0;
  ClientNeed client = ClientNeed::kShared;
  std::vector<std::string> requirements;  // ids of the registry that it checks
  std::function<void(Context&)> run;
  // Findings of class robust are reported apart and never lower a level.
  bool is_robust = false;
  // Runs in a process whose malloc tells to the byte what it has handed out: no thread keeps there
  // what it has given back, up to seven blocks of each size, which count as handed out otherwise.
  bool counts_bytes = false;
};

// Every case, in the order in which they run. The same list in every process.
std::vector<Case> AllCases();

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_CASE_H_
