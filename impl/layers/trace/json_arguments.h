// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_JSON_ARGUMENTS_H_
#define PLINTH_IMPL_LAYERS_TRACE_JSON_ARGUMENTS_H_

#include "impl/layers/trace/json_text.h"
#include "impl/layers/trace/objects.h"

namespace plinth::layers {

// Appends what is worth reading in the arguments and results of a call as a JSON object: sizes,
// dims, types, names, texts that are short, and handles by their numbers. What does not fit is left
// out.
void AppendArguments(const FinishedCall& finished, Objects& objects, JsonText& json);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_JSON_ARGUMENTS_H_
