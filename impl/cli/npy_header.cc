// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/npy_header.h"

#include <charconv>

namespace plinth::cli {
namespace {

constexpr size_t kMaxNpyRank = 64;

// A cursor over the text; every Take skips spaces first.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool Take(std::string_view token) {
    SkipSpaces();
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  Expected<std::string> TakeString() {
    SkipSpaces();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return Wrong("a string");
    const size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return Wrong("the end of a string");
    std::string result(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return result;
  }

  Expected<bool> TakeBool() {
    if (Take("True")) return true;
    if (Take("False")) return false;
    return Wrong("True or False");
  }

  Expected<std::vector<int64_t>> TakeTuple() {
    std::vector<int64_t> result;
    if (!Take("(")) return Wrong("a tuple");
    while (!Take(")")) {
      SkipSpaces();
      int64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc() || value < 0) return Wrong("an extent");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      Take("L");  // As Python 2 wrote it.
      result.push_back(value);
      if (result.size() > kMaxNpyRank)
        return InvalidArgument("more than ", kMaxNpyRank, " dimensions");
      if (!Take(",")) {
        if (!Take(")")) return Wrong("a comma or )");
        break;
      }
    }
    return result;
  }

  Status Wrong(std::string_view wanted) const {
    return InvalidArgument("expected ", wanted, " in the header at \"", rest_.substr(0, 30), "\"");
  }
  bool AtEnd() {
    SkipSpaces();
    return rest_.empty();
  }

 private:
  void SkipSpaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) {
      rest_.remove_prefix(1);
    }
  }
  std::string_view rest_;
};

}  // namespace

Expected<NpyHeader> ParseNpyHeader(std::string_view text) {
  NpyHeader header;
  Cursor cursor(text);
  bool has_descr = false, has_order = false, has_shape = false;
  if (!cursor.Take("{")) return cursor.Wrong("a dictionary");
  while (!cursor.Take("}")) {
    PLINTH_ASSIGN_OR_RETURN(const std::string key, cursor.TakeString());
    if (!cursor.Take(":")) return cursor.Wrong("a colon");
    bool* has = key == "descr"           ? &has_descr
                : key == "fortran_order" ? &has_order
                : key == "shape"         ? &has_shape
                                         : nullptr;
    if (has == nullptr || *has) {
      return InvalidArgument("key \"", key.substr(0, 40), "\" is unknown or there twice");
    }
    *has = true;
    if (has == &has_descr) {
      Expected<std::string> descr = cursor.TakeString();
      if (!descr.ok()) return InvalidArgument("arrays of structures are not supported");
      header.descr = *std::move(descr);
    } else if (has == &has_order) {
      PLINTH_ASSIGN_OR_RETURN(header.fortran_order, cursor.TakeBool());
    } else {
      PLINTH_ASSIGN_OR_RETURN(header.shape, cursor.TakeTuple());
    }
    if (!cursor.Take(",")) {
      if (!cursor.Take("}")) return cursor.Wrong("a comma or }");
      break;
    }
  }
  if (!cursor.AtEnd()) return cursor.Wrong("nothing more");
  if (!has_descr || !has_order || !has_shape) {
    return InvalidArgument("the header lacks descr, fortran_order or shape");
  }
  return header;
}

std::string NpyHeaderText(const NpyHeader& header) {
  return StrCat("{'descr': '", header.descr,
                "', 'fortran_order': ", header.fortran_order ? "True" : "False", ", 'shape': (",
                StrJoin(header.shape, ", "), header.shape.size() == 1 ? "," : "", "), }");
}

}  // namespace plinth::cli
