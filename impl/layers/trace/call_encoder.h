// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_CALL_ENCODER_H_
#define PLINTH_IMPL_LAYERS_TRACE_CALL_ENCODER_H_

#include <string_view>

#include "impl/layers/trace/capture_file.h"
#include "impl/layers/trace/objects.h"

namespace plinth::layers {

// Appends the arguments and results of a call to a record: `fields` of capture_format.h.
// `array`: the elements of an array that the call brings in through memory of unknown length, or
// null where they are not known.
void EncodeFields(const FinishedCall& finished, Objects& objects, const std::string_view* array,
                  CaptureFile& file, capture::Writer& record);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_CALL_ENCODER_H_
