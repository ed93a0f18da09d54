// SPDX-License-Identifier: Apache-2.0
#include <plinth/reference/plugin.h>

int main() {
  return plinth::reference::Plugin({.name = "npu", .version = "1", .make_device = nullptr})
                 .info()
                 .options.empty()
             ? 1
             : 0;
}
