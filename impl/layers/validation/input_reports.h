// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_INPUT_REPORTS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_INPUT_REPORTS_H_

#include "impl/layers/validation/call_state.h"

// What is said of bad arguments. Apart from the checks, which run on every call.
namespace plinth::layers::validation {

[[gnu::cold]] void ReportNull(CallState& state, const reflection::Requirement& requirement,
                              const char* name);
[[gnu::cold]] void ReportNullList(CallState& state, const FieldCheck& check, uint64_t length);
[[gnu::cold]] void ReportNullElement(CallState& state, const char* name, uint64_t index);
[[gnu::cold]] void ReportBadHandle(CallState& state, int kind, const void* address,
                                   const Sight& sight, const char* name);
[[gnu::cold]] void ReportOtherClient(CallState& state, int kind, const void* address,
                                     const Sight& sight, HandleRef client, const char* name);
[[gnu::cold]] void ReportBadEnum(CallState& state, const FieldCheck& check, int value);
[[gnu::cold]] void ReportBadSize(CallState& state);
[[gnu::cold]] void ReportNestedSize(CallState& state, int structure, size_t size, size_t minimum,
                                    const char* path);
[[gnu::cold]] void ReportBadChain(CallState& state, int node, const PJRT_Extension_Base* at,
                                  const char* what);
[[gnu::cold]] void ReportBadFree(CallState& state, const Sight& sight, bool is_freed, int others,
                                 int16_t user);
[[gnu::cold]] void ReportBorrowed(CallState& state, const Sight& sight);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_INPUT_REPORTS_H_
