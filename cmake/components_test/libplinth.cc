// SPDX-License-Identifier: Apache-2.0
#include <plinth.h>

int main() { return plinth_version()[0] == '\0'; }
