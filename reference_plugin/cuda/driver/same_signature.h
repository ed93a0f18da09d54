// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_SAME_SIGNATURE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_SAME_SIGNATURE_H_

#include <type_traits>

namespace plinth::cuda {

// Whether a caller of one function may call another: as many parameters, each of the same size and
// kind. What pointers point to is compared where both say how large it is: names of structs and
// enums differ, as the declarations are our own.
template <typename A, typename B>
constexpr bool SamePointee() {
  if constexpr (requires { sizeof(A) + sizeof(B); }) {
    return sizeof(A) == sizeof(B) && std::is_const_v<A> == std::is_const_v<B>;
  } else {
    return true;
  }
}

template <typename A, typename B>
constexpr bool SameParameter() {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    return SamePointee<std::remove_pointer_t<A>, std::remove_pointer_t<B>>();
  } else {
    return std::is_pointer_v<A> == std::is_pointer_v<B> && sizeof(A) == sizeof(B) &&
           std::is_floating_point_v<A> == std::is_floating_point_v<B>;
  }
}

template <typename F, typename G>
inline constexpr bool kSameSignature = false;
template <typename R, typename... As, typename S, typename... Bs>
inline constexpr bool kSameSignature<R (*)(As...), S (*)(Bs...)> = [] {
  if constexpr (sizeof...(As) == sizeof...(Bs)) {
    return SameParameter<R, S>() && (SameParameter<As, Bs>() && ...);
  }
  return false;
}();

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_SAME_SIGNATURE_H_
