#ifndef PLINTH_SUPPORT_STR_CAT_H_
#define PLINTH_SUPPORT_STR_CAT_H_

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace plinth {
namespace str_cat_internal {

inline void Append(std::string& out, std::string_view piece) { out.append(piece); }
inline void Append(std::string& out, const char* piece) { out.append(piece); }
inline void Append(std::string& out, char piece) { out.push_back(piece); }
inline void Append(std::string& out, bool piece) { out.append(piece ? "true" : "false"); }

template <typename T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool> &&
         !std::same_as<T, char>) void Append(std::string& out, T piece) {
  char digits[64];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), piece);
  out.append(digits, end);
}

}  // namespace str_cat_internal

// Concatenates strings and numbers (shortest decimal form that reads back as the same value).
template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  std::string out;
  (str_cat_internal::Append(out, pieces), ...);
  return out;
}

// "a, b, c" for a range whose elements StrCat accepts.
template <typename Range>
std::string StrJoin(const Range& range, std::string_view separator = ", ") {
  std::string out;
  bool first = true;
  for (const auto& element : range) {
    if (!first) out.append(separator);
    first = false;
    str_cat_internal::Append(out, element);
  }
  return out;
}

}  // namespace plinth

#endif  // PLINTH_SUPPORT_STR_CAT_H_
