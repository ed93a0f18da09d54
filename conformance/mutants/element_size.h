// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_ELEMENT_SIZE_H_
#define PLINTH_CONFORMANCE_MUTANTS_ELEMENT_SIZE_H_

#include <cstdint>

#include "conformance/mutants/mutant.h"

namespace plinth::mutants {

// Bytes of an element in host memory, for the types that are used most; `others` for others.
inline int64_t BytesOfElement(PJRT_Buffer_Type type, int64_t others = 1) {
  switch (type) {
    case PJRT_Buffer_Type_PRED:
    case PJRT_Buffer_Type_S8:
    case PJRT_Buffer_Type_U8:
      return 1;
    case PJRT_Buffer_Type_S16:
    case PJRT_Buffer_Type_U16:
    case PJRT_Buffer_Type_F16:
    case PJRT_Buffer_Type_BF16:
      return 2;
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
    case PJRT_Buffer_Type_F32:
      return 4;
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
    case PJRT_Buffer_Type_F64:
    case PJRT_Buffer_Type_C64:
      return 8;
    case PJRT_Buffer_Type_C128:
      return 16;
    default:
      return others;
  }
}

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_ELEMENT_SIZE_H_
