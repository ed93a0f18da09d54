// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/fault/fault_spec.h"

#include <charconv>
#include <optional>

#include "plinth/reflection/reflection.h"
#include "plinth/support/text.h"

namespace plinth::layers {
namespace {

constexpr size_t kMaxLength = 4096;
constexpr size_t kMaxRules = 64;
constexpr uint64_t kMaxDelayUs = 60'000'000;

// The first word, removed from `text`.
std::string_view TakeWord(std::string_view& text) {
  text = Trim(text);
  std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  text = Trim(text.substr(word.size()));
  return word;
}

// The number at the beginning, removed from `text`.
std::optional<uint64_t> TakeNumber(std::string_view& text) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

Status NotUnderstood(std::string_view part, std::string_view why) {
  return InvalidArgument("fault: `", part.substr(0, 200), "` was not understood: ", why, ". ",
                         FaultGrammar());
}

bool CanFail(const reflection::Function& function) {
  return function.IsRegular() && function.returns == reflection::Returns::kError;
}

// A pattern leaves these out, an exact name does not: hardly any client survives a failing Destroy,
// and errors about errors hide what is to be seen.
bool PatternsLeaveOut(std::string_view name) {
  return name.ends_with("_Destroy") || name.starts_with("PJRT_Error_");
}

Status FindFunctions(std::string_view part, std::string_view name, std::vector<int>& functions) {
  std::span<const reflection::Function> all = reflection::Functions();
  if (name == "alloc") {
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].allocates) functions.push_back(static_cast<int>(i));
    }
    return Status();
  }
  bool is_pattern = name.find('*') != std::string_view::npos;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!GlobMatches(name, all[i].name.view())) continue;
    if (is_pattern && (!CanFail(all[i]) || PatternsLeaveOut(all[i].name.view()))) continue;
    if (!CanFail(all[i])) return NotUnderstood(part, "this function returns no error");
    functions.push_back(static_cast<int>(i));
  }
  if (functions.empty()) {
    return NotUnderstood(part, StrCat("no function that can fail matches `", name, "`"));
  }
  return Status();
}

Status ParseWhen(std::string_view part, std::string_view text, FaultRule& rule) {
  std::string_view number = text;
  std::string_view word = TakeWord(number);
  if (word == "every") {
    rule.when = FaultRule::When::kEvery;
  } else if (word == "from") {
    rule.when = FaultRule::When::kFrom;
  } else {
    number = text;
  }
  std::optional<uint64_t> count = TakeNumber(number);
  if (!count || *count == 0 || !number.empty()) {
    return NotUnderstood(part, StrCat("`", text, "` is no N, `every N` or `from N` with N from 1"));
  }
  rule.count = *count;
  return Status();
}

Status ParseCode(std::string_view part, std::string_view text, FaultRule& rule) {
  for (int code = 1; code <= PJRT_Error_Code_UNAUTHENTICATED; ++code) {
    if (StatusCodeName(static_cast<StatusCode>(code)) == text) {
      rule.code = static_cast<StatusCode>(code);
      return Status();
    }
  }
  return NotUnderstood(part, StrCat("`", text, "` is no error code such as INTERNAL"));
}

Expected<FaultRule> ParseRule(std::string_view part) {
  size_t colon = part.find(':');
  size_t equals = part.find('=', colon == std::string_view::npos ? 0 : colon);
  if (colon == std::string_view::npos || equals == std::string_view::npos) {
    return NotUnderstood(part, "`:` or `=` is missing");
  }
  FaultRule rule;
  rule.text = part;
  PLINTH_RETURN_IF_ERROR(FindFunctions(part, Trim(part.substr(0, colon)), rule.functions));
  PLINTH_RETURN_IF_ERROR(ParseWhen(part, Trim(part.substr(colon + 1, equals - colon - 1)), rule));
  PLINTH_RETURN_IF_ERROR(ParseCode(part, Trim(part.substr(equals + 1)), rule));
  return rule;
}

Expected<std::chrono::microseconds> ParseDelay(std::string_view part) {
  std::string_view rest = part;
  TakeWord(rest);
  if (TakeWord(rest) != "events") return NotUnderstood(part, "only `events` can be delayed");
  std::optional<uint64_t> number = TakeNumber(rest);
  uint64_t unit = rest == "us" ? 1 : rest == "ms" ? 1000 : rest == "s" ? 1'000'000 : 0;
  if (!number || unit == 0 || *number > kMaxDelayUs / unit) {
    return NotUnderstood(part, "the delay is a whole number with us, ms or s, at most 60s");
  }
  return std::chrono::microseconds(*number * unit);
}

}  // namespace

std::string_view FaultGrammar() {
  return "Parts are separated by `;`. A part is `FUNCTION:WHEN=CODE` (FUNCTION: a name such as "
         "PJRT_Client_Compile, a pattern with `*`, or `alloc`; WHEN: `3`, `every 10` or `from 5`; "
         "CODE: such as INTERNAL) or `delay events 20ms`";
}

Expected<FaultSpec> ParseFaultSpec(std::string_view text) {
  if (text.size() > kMaxLength) {
    return InvalidArgument("fault: ", text.size(), " characters of options; at most ", kMaxLength,
                           " are read");
  }
  FaultSpec spec;
  while (!text.empty()) {
    size_t end = text.find(';');
    std::string_view part = Trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (part.empty()) continue;
    std::string_view rest = part;
    if (TakeWord(rest) == "delay") {
      PLINTH_ASSIGN_OR_RETURN(spec.event_delay, ParseDelay(part));
      continue;
    }
    if (spec.rules.size() == kMaxRules) {
      return InvalidArgument("fault: more than ", kMaxRules, " rules");
    }
    PLINTH_ASSIGN_OR_RETURN(FaultRule rule, ParseRule(part));
    spec.rules.push_back(std::move(rule));
  }
  if (spec.rules.empty() && spec.event_delay.count() == 0) {
    return InvalidArgument("fault: no options given. ", FaultGrammar());
  }
  return spec;
}

}  // namespace plinth::layers
