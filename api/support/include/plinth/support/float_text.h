// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_FLOAT_TEXT_H_
#define PLINTH_SUPPORT_FLOAT_TEXT_H_

#include <string>

namespace plinth {

// The shortest decimal form that reads back as the same value, with a point whatever the locale;
// "inf", "-inf" and "nan". What StrCat prints. Slower than std::to_chars, but
// without the 130 KB of tables, which are much for a small library.
std::string FloatText(float value);
std::string FloatText(double value);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_FLOAT_TEXT_H_
