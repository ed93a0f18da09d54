// SPDX-License-Identifier: Apache-2.0
#include <plinth/sdk/plugin.h>

int main() { return plinth::sdk::Event().IsReady() ? 0 : 1; }
