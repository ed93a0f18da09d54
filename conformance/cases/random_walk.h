// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_RANDOM_WALK_H_
#define PLINTH_CONFORMANCE_CASES_RANDOM_WALK_H_

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/cases.h"
#include "conformance/runner/context.h"

namespace plinth::conformance {

// Steps in any order, here and on other threads, until one finds something. The seed of the context
// and the number of the walk say which.
class RandomWalk {
 public:
  RandomWalk(const RandomWalk&) = delete;
  RandomWalk& operator=(const RandomWalk&) = delete;

 protected:
  struct Step {
    const char* name;
    std::function<void()> take;
  };

  RandomWalk(Context& context, uint64_t number)
      : context_(context),
        aside_(context.plugin(), context.profile(), context.client(), context.seed()),
        random_(context.seed() * 1000 + number) {}
  ~RandomWalk() = default;

  // After each step, on the same thread, `look_around`; ends early once `ends` holds.
  void Walk(size_t num_steps, const std::vector<Step>& steps,
            const std::function<void()>& look_around, const std::function<bool()>& ends);
  // More about the step that is being taken, for whoever reads a finding.
  void Tell(const std::string& detail) { told_.back() += StrCat(" (", detail, ")"); }
  // The last steps, if something was found.
  void TellSteps();

  size_t Below(size_t count) { return static_cast<size_t>(random_() % count); }
  // One of a list that is not empty.
  template <typename T>
  T& OneOf(std::vector<T>& list) {
    return list[Below(list.size())];
  }
  template <typename T>
  T TakeOneOf(std::vector<T>& list) {
    std::swap(OneOf(list), list.back());
    T taken = std::move(list.back());
    list.pop_back();
    return taken;
  }

  // What `aside_` found becomes the walk's.
  void TakeFindings();

  Context& context_;
  Context aside_;  // for what the plugin may lack without ending the walk
  std::mt19937_64 random_;

 private:
  std::vector<std::string> told_;
};

// How many steps a walk takes, by the depth of the context.
size_t NumSteps(const Context& context, size_t usually);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_RANDOM_WALK_H_
