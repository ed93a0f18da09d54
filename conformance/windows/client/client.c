// SPDX-License-Identifier: Apache-2.0
/* A client frozen at the revision of the header that it is compiled with.

     window_client_0.NN PLUGIN.so...

   Loads each plugin in turn and does what a framework of that time does: initialize, look, move
   data, compile, run, free. Prints one line of JSON per plugin; a line {"begin": PATH} comes
   before, so that whoever started this process knows which plugin ended it. Exit status 0 if every
   plugin passed, 1 if not, 2 for wrong use. */

#include <dlfcn.h>
#include <stdlib.h>

#include "rare.h"

static void PrintText(const char* text, size_t size) {
  putchar('"');
  for (size_t i = 0; i < size; ++i) {
    const unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\') {
      printf("\\%c", c);
    } else if (c < 0x20 || c >= 0x7f) {
      printf("\\u%04x", c);
    } else {
      putchar(c);
    }
  }
  putchar('"');
}

/* A list kept as text with '\n' between. */
static void PrintList(const char* name, const char* list) {
  printf(", \"%s\": [", name);
  for (bool first = true; *list != '\0'; first = false) {
    const size_t size = strcspn(list, "\n");
    if (!first) printf(", ");
    PrintText(list, size);
    list += size;
    if (*list == '\n') ++list;
  }
  putchar(']');
}

/* How many functions the plugin's table says it holds. */
static size_t FunctionCount(void) {
  const size_t first = offsetof(PJRT_Api, PJRT_Error_Destroy);
  return session.api->struct_size < first ? 0 : (session.api->struct_size - first) / sizeof(void*);
}

static void UseClient(PJRT_Client* client) {
  PJRT_Device* device = LookAtClient(client);
  if (device != NULL) {
    UseBuffers(client, device);
#if PJRT_API_MINOR >= 62
    UseTransfers(client, device);
#endif
    UseProgram(client, device);
    UseRare(client, device);
  }
#if PJRT_API_MINOR >= 89
  UseEvents();
#endif
  CALL_WITH(PJRT_Client_Destroy, client, client);
}

/* The client of a major version that does not exist yet, if a test asks for it. */
static int OwnMajor(void) {
  const char* text = getenv("PLINTH_WINDOW_MAJOR");
  return text == NULL ? PJRT_API_MAJOR : atoi(text);
}

static void UseApi(void) {
  const PJRT_Api_Version* version = &session.api->pjrt_api_version;
  session.minor = version->minor_version;
  EXPECT(version->major_version == OwnMajor(), "major version %d", version->major_version);
  /* Nothing else of such a table is known. */
  if (version->major_version != OwnMajor()) return;
  EXPECT(version->struct_size >= PJRT_Api_Version_STRUCT_SIZE, "PJRT_Api_Version has size %zu",
         version->struct_size);
  LookAtExtensions(session.api->extension_start);
  NEW_ARGS(PJRT_Plugin_Initialize, initialize);
  if (!CALL(PJRT_Plugin_Initialize, initialize)) return;
  FREE(initialize);
  NEW_ARGS(PJRT_Plugin_Attributes, attributes);
  if (CALL(PJRT_Plugin_Attributes, attributes)) {
    CheckNamedValues(attributes->attributes, attributes->num_attributes, "plugin");
  }
  FREE(attributes);
  NEW(PJRT_NamedValue, unknown);
  unknown->name = "no plugin has this option";
  unknown->name_size = strlen(unknown->name);
  unknown->type = PJRT_NamedValue_kInt64;
  unknown->value_size = 1;
  NEW_ARGS(PJRT_Client_Create, refused);
  refused->create_options = unknown;
  refused->num_options = 1;
  MUST_FAIL(PJRT_Client_Create, refused, PJRT_Error_Code_INVALID_ARGUMENT);
  FREE(refused);
  FREE(unknown);
  NEW_ARGS(PJRT_Client_Create, create);
  if (CALL(PJRT_Client_Create, create)) UseClient(create->client);
  FREE(create);
}

static bool UsePlugin(const char* path) {
  memset(&session, 0, sizeof(session));
  GuardedFreeAll();
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const PJRT_Api* (*get_api)(void) = NULL;
  if (library == NULL) {
    FAIL("dlopen: %s", dlerror());
  } else {
    *(void**)&get_api = dlsym(library, "GetPjrtApi");
    if (get_api == NULL) FAIL("no symbol GetPjrtApi");
  }
  size_t functions = 0;
  if (get_api != NULL) {
    session.api = get_api();
    if (session.api == NULL) {
      FAIL("GetPjrtApi gives null");
    } else {
      functions = FunctionCount();
      UseApi();
    }
  }
  const char* verdict = session.failed > 0 ? "FAIL" : session.refused > 0 ? "REFUSED" : "PASS";
  printf("{\"plugin\": ");
  PrintText(path, strlen(path));
  printf(
      ", \"client_minor\": %d, \"plugin_minor\": %d, \"functions\": %zu, \"calls\": %d, "
      "\"verdict\": \"%s\"",
      PJRT_API_MINOR, session.minor, functions, session.calls, verdict);
  PrintList("failures", session.failures);
  PrintList("refusals", session.refusals);
  PrintList("absent", session.absent);
  printf(", \"form_of_two\": ");
  PrintText(session.form_of_two, strlen(session.form_of_two));
  printf("}\n");
  fflush(stdout);
  return session.failed == 0 && session.refused == 0;
}

int main(int argc, char** argv) {
  if (argc < 2 || !GuardedInit()) {
    fprintf(stderr, argc < 2 ? "usage: %s PLUGIN.so...\n" : "%s: cannot map memory\n", argv[0]);
    return 2;
  }
  bool passed = true;
  for (int i = 1; i < argc; ++i) {
    printf("{\"begin\": ");
    PrintText(argv[i], strlen(argv[i]));
    printf("}\n");
    fflush(stdout);
    passed = UsePlugin(argv[i]) && passed;
  }
  return passed ? 0 : 1;
}
