// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/sweep.h"

#include <random>
#include <set>
#include <tuple>

namespace plinth::conformance {
namespace {

constexpr int kCandidates = 20;

using Pair = std::tuple<size_t, size_t, size_t, size_t>;  // parameter, value, parameter, value

void ForPairs(const Row& row, const std::function<void(const Pair&)>& visit) {
  for (size_t a = 0; a < row.size(); ++a) {
    for (size_t b = a + 1; b < row.size(); ++b) visit({a, row[a], b, row[b]});
  }
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

}  // namespace

std::vector<Row> CoveringRows(std::span<const Parameter> parameters, uint64_t seed) {
  std::set<Pair> open;
  for (size_t a = 0; a < parameters.size(); ++a) {
    for (size_t b = a + 1; b < parameters.size(); ++b) {
      for (size_t i = 0; i < parameters[a].values.size(); ++i) {
        for (size_t k = 0; k < parameters[b].values.size(); ++k) open.insert({a, i, b, k});
      }
    }
  }
  std::vector<Row> rows;
  auto take = [&](const Row& row) {
    ForPairs(row, [&](const Pair& pair) { open.erase(pair); });
    rows.push_back(row);
  };
  take(Row(parameters.size(), 0));
  std::mt19937_64 random(seed);
  while (!open.empty()) {
    auto [a, i, b, k] = *open.begin();
    Row best;
    size_t most = 0;
    for (int candidate = 0; candidate < kCandidates; ++candidate) {
      Row row(parameters.size());
      for (size_t p = 0; p < row.size(); ++p) row[p] = random() % parameters[p].values.size();
      row[a] = i;
      row[b] = k;
      size_t covered = 0;
      ForPairs(row, [&](const Pair& pair) { covered += open.contains(pair) ? 1 : 0; });
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

void Sweep(Context& context, std::span<const Parameter> parameters,
           const std::function<void(Context&, const Row&)>& run) {
  std::vector<Row> rows;
  int rounds = context.depth() == Depth::kFull ? 8 : 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Row> more = CoveringRows(parameters, context.seed() + static_cast<uint64_t>(round));
    rows.insert(rows.end(), more.begin(), more.end());
  }
  // One row with little that is simple says more than the simplest.
  if (context.depth() == Depth::kQuick) rows = {rows.back()};
  size_t unsupported = 0;
  for (Row& row : rows) {
    context.TellRow(DescribeRow(parameters, row));
    Result result = RunRow(context, row, run);
    if (result.verdict == Verdict::kUnsupported) {
      if (unsupported++ == 0 && !result.notes.empty()) {
        context.Note(StrCat(DescribeRow(parameters, row), ": ", result.notes.back()));
      }
      continue;
    }
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
