// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <unordered_map>
#include <vector>

#include "reference_plugin/program/text_parser_base.h"

// Locations, and the names that stand for them, which may come later.
namespace plinth::program {

LocationRef AttributeParser::LocationAlias(std::string_view name) {
  LocationAliasEntry& entry = location_aliases_[name];
  if (entry.location == nullptr) {
    entry.location = builder_.arena().New(Location());
    entry.used_at = position();
  }
  return entry.location;
}

LocationRef AttributeParser::ParseLocation() {
  if (!TakeWord("loc") || !Take('(')) return nullptr;
  LocationRef location = ParseLocationBody();
  return location != nullptr && Take(')') ? location : nullptr;
}

LocationRef AttributeParser::SkipLocationBody() {
  std::string closing;  // of the brackets that are open
  const auto at_end = [&] {
    return token_.Is(')') || token_.Is(']') || token_.Is(',') || token_.IsWord("at");
  };
  if (at_end()) return Wanted("a location");
  while (!closing.empty() || !at_end()) {
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kError) {
      return Wanted("the end of a location");
    }
    if (token_.kind == TokenKind::kPunctuation) {
      constexpr std::string_view kOpening = "([{<", kClosing = ")]}>";
      const char c = token_.text[0];
      if (const size_t at = kOpening.find(c); at != std::string_view::npos) {
        closing.push_back(kClosing[at]);
      } else if (kClosing.find(c) != std::string_view::npos) {
        if (closing.empty() || closing.back() != c) return Wanted("the end of a location");
        closing.pop_back();
      }
    }
    Advance();
  }
  return builder_.unknown_location();
}

LocationRef AttributeParser::ParseLocationBody() {
  const Nesting nesting(&depth_);
  if (depth_ > kMaxLocationDepth) return SkipLocationBody();
  Location location;
  std::vector<LocationRef> children;
  const auto parse_child = [&] {
    children.push_back(ParseLocationBody());
    return children.back() != nullptr;
  };
  if (token_.kind == TokenKind::kHash) {
    LocationRef alias = LocationAlias(token_.text);
    Advance();
    return alias;
  }
  if (token_.IsWord("loc")) return ParseLocation();
  if (AcceptWord("unknown")) return builder_.unknown_location();
  if (token_.kind == TokenKind::kString) {
    if (!TakeString(&location.text)) return nullptr;
    if (Accept(':')) {
      location.kind = Location::Kind::kFile;
      int64_t line, column, end;
      if (!TakeInteger(&line) || !Take(':') || !TakeInteger(&column)) return nullptr;
      location.line = static_cast<uint32_t>(line);
      location.column = static_cast<uint32_t>(column);
      // "to 3:4": the end of a range.
      if (AcceptWord("to")) {
        if (token_.kind == TokenKind::kInteger && !TakeInteger(&end)) return nullptr;
        if (!Take(':') || !TakeInteger(&end)) return nullptr;
      }
    } else {
      location.kind = Location::Kind::kName;
      if (Accept('(')) {
        if (!parse_child() || !Take(')')) return nullptr;
        if (children[0] == builder_.unknown_location()) children.clear();
      }
    }
  } else if (AcceptWord("callsite")) {
    location.kind = Location::Kind::kCallSite;
    if (!Take('(') || !parse_child() || !TakeWord("at") || !parse_child() || !Take(')')) {
      return nullptr;
    }
  } else if (AcceptWord("fused")) {
    location.kind = Location::Kind::kFused;
    if (Accept('<') && (ParseAttribute() == nullptr || !Take('>'))) return nullptr;
    if (!TakeList('[', ']', parse_child)) return nullptr;
  } else {
    return Wanted("a location");
  }
  location.children = builder_.arena().Copy(children);
  return builder_.arena().New(location);
}

bool AttributeParser::CheckLocationAliases() {
  for (const auto& [name, entry] : location_aliases_) {
    if (!entry.defined) return FailAt(entry.used_at, "location alias ", name, " is not defined");
  }
  // Aliases may be used before they are defined, so they could contain themselves: a walk that
  // goes deeper than there are aliases has gone in a circle.
  enum class State : uint8_t { kOpen, kDone };
  std::unordered_map<const Location*, State> states;
  struct Frame {
    const Location* location;
    size_t next;
  };
  for (const auto& [name, entry] : location_aliases_) {
    std::vector<Frame> stack;
    if (states.emplace(entry.location, State::kOpen).second) stack.push_back({entry.location, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.location->children.size()) {
        states[frame.location] = State::kDone;
        stack.pop_back();
        continue;
      }
      const Location* child = frame.location->children[frame.next++];
      const auto [at, is_new] = states.emplace(child, State::kOpen);
      if (is_new) {
        stack.push_back({child, 0});
      } else if (at->second == State::kOpen) {
        return FailAt(entry.used_at, "location alias ", name, " contains itself");
      }
    }
  }
  return true;
}

}  // namespace plinth::program
