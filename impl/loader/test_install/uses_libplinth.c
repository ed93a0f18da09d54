// SPDX-License-Identifier: Apache-2.0
// Probes the plugin of the command line, with nothing but what is installed.

#include <plinth.h>
#include <stdio.h>

int main(int argc, char** argv) {
  plinth_load_options options = {.struct_size = plinth_load_options_STRUCT_SIZE};
  options.plugin = argc > 1 ? argv[1] : NULL;
  char* result = NULL;
  plinth_status* status = plinth_probe(&options, NULL, &result);
  puts(status == NULL ? result : plinth_status_message(status));
  plinth_string_free(result);
  plinth_status_destroy(status);
  return status == NULL ? 0 : 1;
}
