// SPDX-License-Identifier: Apache-2.0
#include <plinth/ifrt.hpp>

int main() { return plinth::ifrt::Status().ok() ? 0 : 1; }
