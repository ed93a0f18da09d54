// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_CALL_H_
#define PLINTH_CONFORMANCE_WINDOWS_CALL_H_

/* One call of the table as a caller of this header's revision makes it, and what is noted of it. */

#include <stdarg.h>
#include <stdio.h>

#include "guarded.h"
#include "pjrt_c_api.h"

enum { kTextSize = 2048, kMessageSize = 400, kAnyCode = -1 };

/* What one plugin did. `failures`, `refusals` and `absent` are lists of text, '\n' between. */
typedef struct {
  const PJRT_Api* api;
  int minor; /* As the plugin reports it. */
  int calls;
  int failed;
  int refused; /* Answers about struct_size: what an adapter is there for. */
  char failures[kTextSize];
  char refusals[kTextSize];
  char absent[kTextSize];
  size_t devices;
  char form_of_two[64]; /* The format of the optimized program of two devices. */
} Session;

static Session session;

static void Append(char* list, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void Append(char* list, const char* format, ...) {
  size_t used = strlen(list);
  if (used + 2 >= kTextSize) return;
  if (used > 0) list[used++] = '\n';
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(list + used, kTextSize - used, format, arguments);
  va_end(arguments);
}

#define FAIL(...) (++session.failed, Append(session.failures, __VA_ARGS__))
#define EXPECT(condition, ...) ((condition) ? (void)0 : FAIL(__VA_ARGS__))

/* Whether the plugin's table reaches the slot and holds something there. */
#define HAS(function) (HasSlot(offsetof(PJRT_Api, function)))
static bool HasSlot(size_t offset) {
  void* entry = NULL;
  if (session.api->struct_size < offset + sizeof(void*)) return false;
  memcpy(&entry, (const char*)session.api + offset, sizeof(entry));
  return entry != NULL;
}

/* `NEW(T, name)` ... `FREE(name)`: a struct as this revision knows it, zeroed. */
#define NEW(type, name) type* name = (type*)GuardedNew(sizeof(type), type##_STRUCT_SIZE)
#define NEW_ARGS(function, name) NEW(function##_Args, name)
#define FREE(name) GuardedFree(name)

static void CheckIntact(const void* args, const char* function) {
  EXPECT(GuardedIntact(args), "%s: wrote outside of the struct, or changed struct_size", function);
}

#if PJRT_API_MINOR >= 107
/* What a framework does with an error that crossed a callback: it knows nothing but its head. */
static void CheckErrorHead(const PJRT_Error* error, const char* message, size_t message_size,
                           int code) {
  const PJRT_Error_FunctionTable* table = error->vtable;
  const char* text = NULL;
  size_t size = 0;
  if (table == NULL || table->struct_size < PJRT_Error_FunctionTable_STRUCT_SIZE) {
    FAIL("the error has no function table, or a short one");
    return;
  }
  table->message(error, &text, &size);
  EXPECT(size == message_size && (size == 0 || memcmp(text, message, size) == 0),
         "the error says something else through its head");
  EXPECT((int)table->get_code(error) == code, "the error has another code through its head");
}
#endif

#if PJRT_API_MINOR >= 99
static void IgnorePayload(const char* key, size_t key_size, const char* value, size_t value_size,
                          void* user_arg) {
  (void)key, (void)key_size, (void)value, (void)value_size;
  ++*(int*)user_arg;
}
#endif

/* Reads and frees an error. Returns its code, 0 for none. */
static int TakeError(PJRT_Error* error, char message[kMessageSize]) {
  message[0] = '\0';
  if (error == NULL) return 0;
  NEW_ARGS(PJRT_Error_Message, text);
  text->error = error;
  session.api->PJRT_Error_Message(text);
  CheckIntact(text, "PJRT_Error_Message");
  if (text->message != NULL) {
    snprintf(message, kMessageSize, "%.*s", (int)text->message_size, text->message);
  }
  NEW_ARGS(PJRT_Error_GetCode, code);
  code->error = error;
  EXPECT(session.api->PJRT_Error_GetCode(code) == NULL, "PJRT_Error_GetCode fails");
  CheckIntact(code, "PJRT_Error_GetCode");
  const int result = (int)code->code;
  EXPECT(result >= 1 && result <= 16, "an error has the code %d", result);
#if PJRT_API_MINOR >= 99
  if (HAS(PJRT_Error_ForEachPayload)) {
    int payloads = 0;
    NEW_ARGS(PJRT_Error_ForEachPayload, each);
    each->error = error;
    each->visitor = &IgnorePayload;
    each->user_arg = &payloads;
    EXPECT(session.api->PJRT_Error_ForEachPayload(each) == NULL, "PJRT_Error_ForEachPayload fails");
    FREE(each);
  }
#endif
#if PJRT_API_MINOR >= 107
  if (session.minor >= 107) CheckErrorHead(error, text->message, text->message_size, result);
#endif
  FREE(code);
  FREE(text);
  NEW_ARGS(PJRT_Error_Destroy, destroy);
  destroy->error = error;
  session.api->PJRT_Error_Destroy(destroy);
  CheckIntact(destroy, "PJRT_Error_Destroy");
  FREE(destroy);
  return result;
}

/* Whether an error is about the size of a struct: what an adapter between the two is there for. */
static bool IsRefusal(int code, const char* message) {
  return code == PJRT_Error_Code_INVALID_ARGUMENT &&
         (strstr(message, "size: expected") != NULL || strstr(message, "struct_size") != NULL);
}

/* Notes how a call ended. Refusals of a size are kept apart from every other failure. */
static bool Ended(PJRT_Error* error, const char* function, const void* args, bool may_be_missing) {
  char message[kMessageSize];
  ++session.calls;
  CheckIntact(args, function);
  const int code = TakeError(error, message);
  if (code == 0) return true;
  if (code == PJRT_Error_Code_UNIMPLEMENTED && (may_be_missing || session.minor < PJRT_API_MINOR)) {
    /* A loader between the two fills the table of an older plugin with functions that say this. */
    Append(session.absent, "%s", function);
  } else if (IsRefusal(code, message)) {
    ++session.refused;
    Append(session.refusals, "%s: %s", function, message);
  } else {
    FAIL("%s: code %d: %s", function, code, message);
  }
  return false;
}

/* A function that the plugin should have, being as new as this header, is not there. */
static bool Absent(const char* function, bool may_be_missing) {
  Append(session.absent, "%s", function);
  EXPECT(may_be_missing || session.minor < PJRT_API_MINOR, "%s: not in the table", function);
  return false;
}

/* CALL: must succeed if the plugin's table has it. TRY: may also be null or UNIMPLEMENTED. */
#define CALL_AS(function, args, may_be_missing)                                        \
  (HAS(function) ? Ended(session.api->function(args), #function, args, may_be_missing) \
                 : Absent(#function, may_be_missing))
#define CALL(function, args) CALL_AS(function, args, false)
#define TRY(function, args) CALL_AS(function, args, true)

/* Notes an answer that must be an error of this code, with a text. */
static void Failed(PJRT_Error* error, const char* function, const void* args, int expected) {
  char message[kMessageSize];
  ++session.calls;
  CheckIntact(args, function);
  const int code = TakeError(error, message);
  if (IsRefusal(code, message)) {
    ++session.refused;
    Append(session.refusals, "%s: %s", function, message);
    return;
  }
  EXPECT(expected == kAnyCode ? code != 0 : code == expected, "%s: expected code %d, got %d: %s",
         function, expected, code, message);
  EXPECT(message[0] != '\0', "%s: an error without a text", function);
}

/* The call must fail with this code, if the plugin's table has it. */
#define MUST_FAIL(function, args, code) \
  (HAS(function) ? Failed(session.api->function(args), #function, args, code) : (void)0)

/* A call that takes one handle and gives nothing, as all Destroy functions are. */
#define CALL_WITH(function, field, handle) \
  do {                                     \
    NEW_ARGS(function, args_of_call);      \
    args_of_call->field = (handle);        \
    CALL(function, args_of_call);          \
    FREE(args_of_call);                    \
  } while (0)

static void CheckText(const char* text, size_t size, const char* what) {
  EXPECT(size == 0 || text != NULL, "%s: a text without bytes", what);
  EXPECT(size < 1 << 20, "%s: a text of %zu bytes", what, size);
  for (size_t i = 0; text != NULL && i < size && i < 1 << 20; ++i) {
    if (text[i] == '\0') {
      FAIL("%s: NUL inside a text", what);
      break;
    }
  }
}

static void CheckNamedValues(const PJRT_NamedValue* values, size_t count, const char* what) {
  EXPECT(count == 0 || values != NULL, "%s: no values", what);
  for (size_t i = 0; values != NULL && i < count && i < 1000; ++i) {
    CheckText(values[i].name, values[i].name_size, what);
    EXPECT(values[i].type <= PJRT_NamedValue_kBool, "%s: type %d", what, (int)values[i].type);
    if (values[i].type == PJRT_NamedValue_kString) {
      CheckText(values[i].string_value, values[i].value_size, what);
    }
  }
}

/* Waits for an event and frees it. */
static bool Await(PJRT_Event* event) {
  if (event == NULL) return true;
  NEW_ARGS(PJRT_Event_Await, await);
  await->event = event;
  const bool done = CALL(PJRT_Event_Await, await);
  FREE(await);
  CALL_WITH(PJRT_Event_Destroy, event, event);
  return done;
}

#endif /* PLINTH_CONFORMANCE_WINDOWS_CALL_H_ */
