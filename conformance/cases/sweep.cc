// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/sweep.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace plinth::conformance {
namespace {

constexpr int kCandidates = 20;
// Every three values meet where that takes no more rows.
constexpr size_t kMostRows = 1500;

using Meeting = std::vector<std::pair<size_t, size_t>>;  // parameters, each with a value

// Every choice of `strength` of so many parameters.
std::vector<std::vector<size_t>> Choices(size_t parameters, size_t strength) {
  std::vector<std::vector<size_t>> all = {{}};
  for (size_t i = 0; i < strength; ++i) {
    std::vector<std::vector<size_t>> longer;
    for (const std::vector<size_t>& choice : all) {
      for (size_t p = choice.empty() ? 0 : choice.back() + 1; p < parameters; ++p) {
        longer.push_back(choice);
        longer.back().push_back(p);
      }
    }
    all = std::move(longer);
  }
  return all;
}

size_t StrengthFor(std::span<const Parameter> parameters) {
  std::vector<size_t> sizes;
  for (const Parameter& parameter : parameters) sizes.push_back(parameter.values.size());
  std::sort(sizes.rbegin(), sizes.rend());
  if (sizes.size() < 3) return sizes.size();
  return sizes[0] * sizes[1] * sizes[2] <= kMostRows ? 3 : 2;
}

Result RunRow(Context& context, const Row& row,
              const std::function<void(Context&, const Row&)>& run) {
  Context probe(context.plugin(), context.profile(), context.client(), context.seed());
  probe.set_depth(context.depth());
  run(probe, row);
  Result result = probe.TakeResult();
  for (Finding& finding : context.plugin().findings().Take()) {
    result.verdict = Verdict::kFail;
    result.findings.push_back(std::move(finding));
  }
  return result;
}

// Says more than the simplest row: little of it is simple.
std::vector<Row> RandomRows(std::span<const Parameter> parameters, uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Row> rows(count, Row(parameters.size()));
  for (Row& row : rows) {
    for (size_t p = 0; p < row.size(); ++p) row[p] = random() % parameters[p].values.size();
  }
  return rows;
}

}  // namespace

std::vector<Row> CoveringRows(std::span<const Parameter> parameters, uint64_t seed) {
  const std::vector<std::vector<size_t>> choices =
      Choices(parameters.size(), StrengthFor(parameters));
  std::set<Meeting> open;
  for (const std::vector<size_t>& choice : choices) {
    std::vector<Meeting> meetings = {{}};
    for (size_t p : choice) {
      std::vector<Meeting> longer;
      for (const Meeting& meeting : meetings) {
        for (size_t value = 0; value < parameters[p].values.size(); ++value) {
          longer.push_back(meeting);
          longer.back().emplace_back(p, value);
        }
      }
      meetings = std::move(longer);
    }
    open.insert(meetings.begin(), meetings.end());
  }
  auto for_meetings = [&](const Row& row, const std::function<void(const Meeting&)>& visit) {
    for (const std::vector<size_t>& choice : choices) {
      Meeting meeting;
      for (size_t p : choice) meeting.emplace_back(p, row[p]);
      visit(meeting);
    }
  };
  std::vector<Row> rows;
  auto take = [&](const Row& row) {
    for_meetings(row, [&](const Meeting& meeting) { open.erase(meeting); });
    rows.push_back(row);
  };
  take(Row(parameters.size(), 0));
  std::mt19937_64 random(seed);
  while (!open.empty()) {
    const Meeting wanted = *open.begin();
    Row best;
    size_t most = 0;
    for (int candidate = 0; candidate < kCandidates; ++candidate) {
      Row row(parameters.size());
      for (size_t p = 0; p < row.size(); ++p) row[p] = random() % parameters[p].values.size();
      for (const auto& [p, value] : wanted) row[p] = value;
      size_t covered = 0;
      for_meetings(row, [&](const Meeting& meeting) { covered += open.contains(meeting) ? 1 : 0; });
      if (covered > most) {
        most = covered;
        best = row;
      }
    }
    take(best);
  }
  return rows;
}

std::string DescribeRow(std::span<const Parameter> parameters, const Row& row) {
  std::string text;
  for (size_t p = 0; p < row.size(); ++p) {
    text += StrCat(p == 0 ? "" : ", ", parameters[p].name, " ", parameters[p].values[row[p]]);
  }
  return text;
}

namespace {

std::vector<Row> RowsToTry(const Context& context, std::span<const Parameter> parameters) {
  if (context.depth() == Depth::kQuick) {
    constexpr size_t kRows = 4;  // the first that is supported counts
    return RandomRows(parameters, context.seed(), kRows);
  }
  std::vector<Row> rows;
  const int rounds = context.depth() == Depth::kFull ? 8 : 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Row> more = CoveringRows(parameters, context.seed() + static_cast<uint64_t>(round));
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace

void Sweep(Context& context, std::span<const Parameter> parameters,
           const std::function<void(Context&, const Row&)>& run) {
  const std::vector<Row> rows = RowsToTry(context, parameters);
  size_t unsupported = 0;
  for (Row row : rows) {
    context.TellRow(DescribeRow(parameters, row));
    Result result = RunRow(context, row, run);
    if (result.verdict == Verdict::kUnsupported) {
      if (unsupported++ == 0 && !result.notes.empty()) {
        context.Note(StrCat(DescribeRow(parameters, row), ": ", result.notes.back()));
      }
      continue;
    }
    if (result.verdict == Verdict::kPass && context.depth() == Depth::kQuick) return;
    if (result.verdict == Verdict::kPass) continue;
    for (size_t p = 0; p < row.size(); ++p) {
      for (size_t simpler = 0; simpler < row[p]; ++simpler) {
        Row trial = row;
        trial[p] = simpler;
        context.TellRow(DescribeRow(parameters, trial));
        Result again = RunRow(context, trial, run);
        if (again.verdict != Verdict::kFail) continue;
        row = trial;
        result = std::move(again);
        break;
      }
    }
    for (const Finding& finding : result.findings) {
      context.Fail(finding.requirement, StrCat(DescribeRow(parameters, row), ": ", finding.text));
    }
    return;
  }
  context.Note(StrCat(rows.size(), " rows, ", unsupported, " not supported"));
  if (unsupported == rows.size()) context.Unsupported("no row is supported");
}

}  // namespace plinth::conformance
