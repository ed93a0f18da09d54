// SPDX-License-Identifier: Apache-2.0
// A plugin that can do next to nothing, and that misbehaves as PLINTH_TEST_... says.

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pjrt_c_api.h"

#define EXPORT __attribute__((visibility("default")))

static const char kMessage[] = "the device is switched off";

static void DestroyErrorHead(PJRT_Error* error) { (void)error; }
static void MessageOfHead(const PJRT_Error* error, const char** message, size_t* size) {
  (void)error;
  *message = kMessage;
  *size = strlen(kMessage);
}
#if defined(PLINTH_TEST_FAILS_WITH_CODE_OK)
enum { kCode = PJRT_Error_Code_OK };
#else
enum { kCode = PJRT_Error_Code_UNAVAILABLE };
#endif
static PJRT_Error_Code CodeOfHead(const PJRT_Error* error) {
  (void)error;
  return (PJRT_Error_Code)kCode;
}
static void PayloadsOfHead(const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor, void* arg) {
  (void)error;
  (void)visitor;
  (void)arg;
}
static const PJRT_Error_FunctionTable kHead = {PJRT_Error_FunctionTable_STRUCT_SIZE,
                                               sizeof(PJRT_Error),
                                               NULL,
                                               &DestroyErrorHead,
                                               &MessageOfHead,
                                               &CodeOfHead,
                                               &PayloadsOfHead};
// The only error there is; a constant.
static PJRT_Error error = {&kHead};

static PJRT_Error* Refuse(void* args) {
  (void)args;
  return &error;
}
static void ErrorDestroy(PJRT_Error_Destroy_Args* args) { (void)args; }
static void ErrorMessage(PJRT_Error_Message_Args* args) {
  args->message = kMessage;
  args->message_size = strlen(kMessage);
}
static PJRT_Error* ErrorGetCode(PJRT_Error_GetCode_Args* args) {
  args->code = (PJRT_Error_Code)kCode;
  return NULL;
}

static PJRT_Error* Initialize(PJRT_Plugin_Initialize_Args* args) {
  (void)args;
#if defined(PLINTH_TEST_ABORTS_IN_INITIALIZE)
  static const char kLastWords[] = "F0000 check failed: the sky is blue\n";
  if (write(2, kLastWords, sizeof(kLastWords) - 1) < 0) return &error;
  abort();
#elif defined(PLINTH_TEST_EXITS_IN_INITIALIZE)
  exit(7);
#elif defined(PLINTH_TEST_HANGS_IN_INITIALIZE)
  signal(SIGTERM, SIG_IGN);
  while (1) pause();
#elif defined(PLINTH_TEST_FAILS_IN_INITIALIZE) || defined(PLINTH_TEST_FAILS_WITH_CODE_OK)
  return &error;
#elif defined(PLINTH_TEST_LEAVES_A_CHILD)
  // It holds the descriptors of its parent open.
  pid_t child = fork();
  if (child > 0) {
    fprintf(stderr, "child %d\n", (int)child);
  } else if (child == 0) {
    sleep(30);
    _exit(0);
  }
#endif
  return NULL;
}

static PJRT_Error* Attributes(PJRT_Plugin_Attributes_Args* args) {
  static const int64_t kVersion[] = {1, 2, 3};
  static PJRT_NamedValue value;
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = "test_version";
  value.name_size = strlen(value.name);
  value.type = PJRT_NamedValue_kInt64List;
  value.int64_array_value = kVersion;
  value.value_size = 3;
  args->attributes = &value;
  args->num_attributes = 1;
  return NULL;
}

static PJRT_Error* ClientCreate(PJRT_Client_Create_Args* args) {
  (void)args;
  return &error;
}

#if defined(PLINTH_TEST_NEEDS_A_LIBRARY)
int plinth_test_missing(void);
#endif

#if !defined(PLINTH_TEST_NO_SYMBOL)
EXPORT
#endif
const PJRT_Api* GetPjrtApi(void);

#if defined(PLINTH_TEST_NO_SYMBOL)
__attribute__((visibility("hidden")))
#endif
const PJRT_Api*
GetPjrtApi(void) {
  static PJRT_Api api;
#if defined(PLINTH_TEST_NULL_TABLE)
  return NULL;
#elif defined(PLINTH_TEST_ABORTS_IN_ENTRY_POINT)
  abort();
#elif defined(PLINTH_TEST_NEEDS_A_LIBRARY)
  if (plinth_test_missing() != 0) return NULL;
#endif
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.minor_version = 114;
#if defined(PLINTH_TEST_WRONG_MAJOR)
  api.pjrt_api_version.major_version = 1;
#endif
  // What no test asks for is there and fails: a table without it would not be opened.
  for (size_t at = offsetof(PJRT_Api, PJRT_Error_Destroy); at < sizeof(api); at += sizeof(void*)) {
    PJRT_Error* (*refuse)(void*) = &Refuse;
    memcpy((char*)&api + at, &refuse, sizeof(refuse));
  }
  api.PJRT_Error_Destroy = &ErrorDestroy;
  api.PJRT_Error_Message = &ErrorMessage;
  api.PJRT_Error_GetCode = &ErrorGetCode;
  api.PJRT_Plugin_Initialize = &Initialize;
  api.PJRT_Plugin_Attributes = &Attributes;
  api.PJRT_Client_Create = &ClientCreate;
  api.PJRT_Client_Load = NULL;  // which clients test for
  return &api;
}
