// SPDX-License-Identifier: Apache-2.0
// What happens to an exception that nobody catches, which is never one of ours: the process ends,
// as it would, but without the text on standard error, and without the 40 KB of code that makes it.

#include <cstdlib>

namespace __gnu_cxx {

void __verbose_terminate_handler();  // NOLINT(bugprone-reserved-identifier): libstdc++'s

void __verbose_terminate_handler() { std::abort(); }

}  // namespace __gnu_cxx
