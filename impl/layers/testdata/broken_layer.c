// SPDX-License-Identifier: Apache-2.0
// Layers that libplinth has to refuse; one library for each value of PLINTH_BROKEN.
#include "plinth_layer.h"

static PJRT_Error* OnCall(void* state, const plinth_layer_call* call) {
  (void)state;
  return call->next(call->token);
}

static PJRT_Error* Create(const plinth_layer_context* context, void** state) {
  (void)state;
  return context->make_error(context->host, PJRT_Error_Code_NOT_FOUND, context->options);
}

#if PLINTH_BROKEN != 1  // 1: no entry point
const plinth_layer* plinth_layer_get(int32_t version) {
  static const plinth_layer layer = {
      .struct_size = PLINTH_BROKEN == 3 ? 16 : plinth_layer_STRUCT_SIZE,
      .version = PLINTH_BROKEN == 4 ? 2 : 1,
      .name = "broken",
      .create = Create,
      .call = PLINTH_BROKEN == 5 ? NULL : OnCall,
  };
  return PLINTH_BROKEN == 2 && version < 2 ? NULL : &layer;
}
#else
const int plinth_no_layer = 0;
#endif
