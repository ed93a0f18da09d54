// SPDX-License-Identifier: Apache-2.0
// A layer for libplinth: counts the calls of every function and prints the counts when the last
// client is destroyed. Use it with PLINTH_LAYERS=/path/to/libplinth_layer_count_calls.so.
//
// With an installed Plinth (component headers):
//   cc -std=c11 -fPIC -shared -I PREFIX/include/plinth/api count_calls.c -o libcount_calls.so

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "plinth_layer.h"

// Slot of PJRT_Api, counted from PJRT_Error_Destroy.
#define SLOT_OF(function)                                                              \
  ((int32_t)((offsetof(PJRT_Api, function) - offsetof(PJRT_Api, PJRT_Error_Destroy)) / \
             sizeof(void*)))

enum { MAX_COUNTERS = 512 };

typedef struct {
  int32_t extension_type, slot;
  const char* function;
  unsigned long calls;
} Counter;

typedef struct {
  const plinth_layer_context* context;
  pthread_mutex_t mutex;
  Counter counters[MAX_COUNTERS];
  int num_counters;
  int live_clients;
} State;

static PJRT_Error* Create(const plinth_layer_context* context, void** state) {
  State* s = calloc(1, sizeof(State));
  if (s == NULL) {
    return context->make_error(context->host, PJRT_Error_Code_RESOURCE_EXHAUSTED, "no memory");
  }
  s->context = context;
  pthread_mutex_init(&s->mutex, NULL);
  *state = s;
  return NULL;
}

static void Destroy(void* state) { free(state); }

static void Count(State* s, const plinth_layer_call* call) {
  int i = 0;
  while (i < s->num_counters && (s->counters[i].slot != call->slot ||
                                 s->counters[i].extension_type != call->extension_type)) {
    ++i;
  }
  if (i == MAX_COUNTERS) return;
  if (i == s->num_counters) {
    Counter counter = {call->extension_type, call->slot, call->function, 0};
    s->counters[s->num_counters++] = counter;
  }
  ++s->counters[i].calls;
}

static void Print(const State* s) {
  char line[160];
  for (int i = 0; i < s->num_counters; ++i) {
    snprintf(line, sizeof(line), "count_calls: %8lu %s", s->counters[i].calls,
             s->counters[i].function);
    s->context->log(s->context->host, line);
  }
}

static PJRT_Error* OnCall(void* state, const plinth_layer_call* call) {
  State* s = state;
  PJRT_Error* error = call->next(call->token);
  // No lock is held while the call is on its way: it may come back in a callback.
  pthread_mutex_lock(&s->mutex);
  Count(s, call);
  if (call->extension_type == -1 && error == NULL) {
    if (call->slot == SLOT_OF(PJRT_Client_Create)) ++s->live_clients;
    if (call->slot == SLOT_OF(PJRT_Client_Destroy) && --s->live_clients == 0) Print(s);
  }
  pthread_mutex_unlock(&s->mutex);
  return error;
}

const plinth_layer* plinth_layer_get(int32_t version) {
  static const plinth_layer layer = {
      .struct_size = plinth_layer_STRUCT_SIZE,
      .version = 1,
      .name = "count_calls",
      .create = Create,
      .call = OnCall,
      .destroy = Destroy,
  };
  return version >= 1 ? &layer : NULL;
}
