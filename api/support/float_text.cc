// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/float_text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace plinth {
namespace {

// Tries more digits until the value comes back; both directions use the locale's decimal point,
// which is replaced at the end.
template <typename T, typename Parse>
std::string Shortest(T value, int max_digits, Parse parse) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[64];
  for (int digits = 1; digits <= max_digits; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, static_cast<double>(value));
    if (parse(text) == value) break;
  }
  // 20, not 2e+01, which %g prefers to zeros that are no digits of the value.
  char plain[64];
  if (std::fabs(value) < T{1e18} && std::trunc(value) == value &&
      std::snprintf(plain, sizeof(plain), "%.0f", static_cast<double>(value)) <=
          static_cast<int>(std::strlen(text))) {
    return plain;
  }
  std::string out;
  for (char c : std::string_view(text)) {
    constexpr std::string_view kOwn = "0123456789+-e";
    if (kOwn.find(c) != std::string_view::npos) {
      out.push_back(c);
    } else if (out.empty() || out.back() != '.') {
      out.push_back('.');
    }
  }
  return out;
}

}  // namespace

std::string FloatText(float value) {
  return Shortest(value, 9, [](const char* text) { return std::strtof(text, nullptr); });
}

std::string FloatText(double value) {
  return Shortest(value, 17, [](const char* text) { return std::strtod(text, nullptr); });
}

}  // namespace plinth
