// SPDX-License-Identifier: Apache-2.0
#include <plinth/client/client.h>

int main() { return plinth::client::Api::FromTable(nullptr).ok() ? 1 : 0; }
