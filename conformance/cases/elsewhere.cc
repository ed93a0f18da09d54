// SPDX-License-Identifier: Apache-2.0
// L2: what L1 asks, once more in circumstances of which no case says anything: on another thread,
// of a client that came later, when another client is gone, among many objects. What is not right
// in the usual circumstances either is the finding of the case itself.

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/cases.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace elsewhere {
namespace {

using Work = std::function<void(Context&)>;

void DoIn(const Context& context, PJRT_Client* client, const Work& work) {
  Context own(context.plugin(), context.profile(), client, context.seed());
  own.set_depth(context.depth());
  work(own);
}

// Each does a piece of work in one circumstance. False, with a finding or UNSUPPORTED, where it
// cannot be had.

bool OnThread(Context& context, const Work& work) {
  std::thread([&] { DoIn(context, context.client(), work); }).join();
  return true;
}

bool InLaterClient(Context& context, const Work& work) {
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time"), false;
  Expected<OwnedClient> later = context.NewClient();
  if (!context.Ok("PJRT-Args-accepted", "a second client", later.status())) return false;
  DoIn(context, later->get(), work);
  return context.Ok("PJRT-Args-accepted", "PJRT_Client_Destroy", later->Destroy());
}

bool AfterAnother(Context& context, const Work& work) {
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time"), false;
  Expected<OwnedClient> other = context.NewClient();
  if (!context.Ok("PJRT-Args-accepted", "a second client", other.status())) return false;
  DoIn(context, other->get(), [](Context& theirs) {
    (void)theirs.Compile(ProgramFor(theirs, "add_one"));
    (void)theirs.Upload(Counted({4}, 1));
  });
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_Destroy", other->Destroy())) return false;
  DoIn(context, context.client(), work);
  return true;
}

bool AmongMany(Context& context, const Work& work) {
  constexpr int kArrays = 300, kPrograms = 20;
  std::vector<OwnedBuffer> arrays;
  for (int i = 0; i < kArrays; ++i) {
    Expected<OwnedBuffer> array = context.Upload(Counted({i % 5 + 1}, static_cast<float>(i)));
    if (!context.Ok("PJRT-Args-accepted", StrCat("array ", i), array.status())) return false;
    arrays.push_back(*std::move(array));
  }
  std::vector<OwnedLoadedExecutable> programs;
  for (int i = 0; i < kPrograms; ++i) {
    // Which programs there are is asked by cases of their own.
    Expected<OwnedLoadedExecutable> program =
        context.Compile(ProgramFor(context, i % 2 == 0 ? "add_one" : "mixed"));
    if (program.ok()) programs.push_back(*std::move(program));
  }
  DoIn(context, context.client(), work);
  return true;
}

struct Circumstance {
  const char* name;
  bool (*run)(Context&, const Work&);
  bool is_of_each;  // anew for each case: a thread that made clients is no stranger any more
};
constexpr Circumstance kCircumstances[] = {{"on_a_thread", OnThread, true},
                                           {"in_a_later_client", InLaterClient, false},
                                           {"after_another_client", AfterAnother, false},
                                           {"among_many", AmongMany, false}};

// All cases of an area, "judge" of "L1/judge/".
struct Area {
  std::string name;
  std::vector<Case> cases;
};

// Of L1, but for sweeps: they take long, and ask what the circumstances change in many ways.
std::vector<Area> Areas(const std::vector<Case>& all) {
  std::vector<Area> areas;
  for (const Case& item : all) {
    if (item.level != Level::kL1 || item.client != ClientNeed::kShared || item.is_robust ||
        item.name.starts_with("L1/sweep/"))
      continue;
    const std::string name = item.name.substr(3, item.name.find('/', 3) - 3);
    if (areas.empty() || areas.back().name != name) {
      const auto at = std::find_if(areas.begin(), areas.end(),
                                   [&](const Area& area) { return area.name == name; });
      if (at == areas.end()) {
        areas.push_back({name, {}});
      } else {
        std::rotate(at, at + 1, areas.end());
      }
    }
    areas.back().cases.push_back(item);
  }
  return areas;
}

// What cases find in a circumstance and do not find outside of it.
void Compare(Context& context, std::span<const Case> cases, const Circumstance& circumstance) {
  std::vector<std::pair<const Case*, std::vector<Finding>>> found;
  const bool is_there = circumstance.run(context, [&](Context& there) {
    for (const Case& item : cases) {
      there.set_on_row(
          [&](const std::string& row) { context.TellRow(StrCat(item.name, ": ", row)); });
      context.TellRow(item.name);
      item.run(there);
      if (there.HasFindings()) found.emplace_back(&item, there.TakeResult().findings);
    }
  });
  if (!is_there) return;
  for (const auto& [item, findings] : found) {
    bool is_usual = false;
    DoIn(context, context.client(), [&, &each = *item](Context& here) {
      each.run(here);
      is_usual = here.HasFindings();
    });
    if (is_usual) continue;
    for (const Finding& finding : findings)
      context.Fail(finding.requirement, StrCat(item->name, ": ", finding.text));
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  std::vector<Case> again;
  for (Area& area : Areas(cases)) {
    std::set<std::string> requirements;
    for (const Case& item : area.cases)
      requirements.insert(item.requirements.begin(), item.requirements.end());
    const auto items = std::make_shared<const std::vector<Case>>(std::move(area.cases));
    for (const Circumstance& circumstance : kCircumstances) {
      again.push_back({StrCat("L2/elsewhere/", circumstance.name, "/", area.name),
                       Level::kL2,
                       ClientNeed::kShared,
                       {requirements.begin(), requirements.end()},
                       [circumstance, items](Context& context) {
                         std::span<const Case> all(*items);
                         if (context.depth() == Depth::kQuick) all = all.last(1);
                         const size_t step = circumstance.is_of_each ? 1 : all.size();
                         for (size_t i = 0; i < all.size(); i += step)
                           Compare(context, all.subspan(i, step), circumstance);
                       },
                       false});
    }
  }
  cases.insert(cases.end(), again.begin(), again.end());
}

}  // namespace elsewhere

void AddElsewhereCases(std::vector<Case>& cases) { elsewhere::AddCases(cases); }

}  // namespace plinth::conformance
