// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_C_API_H_
#define PLINTH_IMPL_IFRT_C_API_H_

#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/ifrt/array.h"
#include "impl/ifrt/client.h"
#include "impl/ifrt/copy.h"
#include "impl/ifrt/executable.h"
#include "impl/ifrt/sharding.h"
#include "plinth/support/args.h"
#include "plinth/support/status.h"
#include "plinth_ifrt.h"

// What the functions of plinth_ifrt.h share. A handle is its object.
namespace plinth::ifrt {

// PLINTH_RETURN_IF_ERROR for lambdas in sight of plinth.h, one of whose types has the name of that
// macro's variable.
#define PLINTH_IFRT_RETURN_IF_ERROR(expression)                         \
  do {                                                                  \
    if (::plinth::Status ifrt_error = (expression); !ifrt_error.ok()) { \
      return ifrt_error;                                                \
    }                                                                   \
  } while (false)

// PLINTH_IFRT_HANDLE(client, Client): conversions between a handle and its object.
#define PLINTH_IFRT_HANDLE(handle, Type)                                             \
  inline Type* FromC(plinth_ifrt_##handle* c) { return reinterpret_cast<Type*>(c); } \
  inline const Type* FromC(const plinth_ifrt_##handle* c) {                          \
    return reinterpret_cast<const Type*>(c);                                         \
  }                                                                                  \
  inline plinth_ifrt_##handle* ToC(Type* object) {                                   \
    return reinterpret_cast<plinth_ifrt_##handle*>(object);                          \
  }                                                                                  \
  inline const plinth_ifrt_##handle* ToC(const Type* object) {                       \
    return reinterpret_cast<const plinth_ifrt_##handle*>(object);                    \
  }
PLINTH_IFRT_HANDLE(client, Client)
PLINTH_IFRT_HANDLE(device, Device)
PLINTH_IFRT_HANDLE(sharding, Sharding)
PLINTH_IFRT_HANDLE(array, Array)
PLINTH_IFRT_HANDLE(executable, Executable)
PLINTH_IFRT_HANDLE(future, Future)
#undef PLINTH_IFRT_HANDLE

// Lists of handles are lists of objects.
inline std::span<const Device* const> DevicesFromC(const plinth_ifrt_device* const* devices,
                                                   size_t count) {
  return {reinterpret_cast<const Device* const*>(devices), devices == nullptr ? 0 : count};
}
inline std::span<Array* const> ArraysFromC(plinth_ifrt_array* const* arrays, size_t count) {
  return {reinterpret_cast<Array* const*>(arrays), arrays == nullptr ? 0 : count};
}
inline Ref<const Client> ShareClient(plinth_ifrt_client* client) {
  return Ref<const Client>::Share(FromC(client));
}

// The error of a status; frees it.
Status TakeCStatus(plinth_status* status);
// Null for a success.
plinth_status* MakeCStatus(const Status& status) noexcept;

// Runs the body of a function; running out of memory is an error too.
template <typename Body>
plinth_status* Guarded(Body body) noexcept {
  try {
    return MakeCStatus(body());
  } catch (const std::bad_alloc&) {
    return MakeCStatus(Status(StatusCode::kResourceExhausted, {}));
  } catch (...) {
    return MakeCStatus(Status(StatusCode::kInternal, {}));
  }
}

// INVALID_ARGUMENT if a pointer that a function needs is null.
Status NeedNotNull(const void* pointer, std::string_view what);

// Checks what most functions that make arrays are given, and clears the outputs.
Status CheckCall(const plinth_ifrt_client* client, const void* inputs, size_t num_inputs,
                 plinth_ifrt_array** outputs, size_t num_outputs);

// A copy for the caller, NUL-terminated, freed by plinth_string_free.
Expected<char*> CopyText(std::string_view text);
// The same, to where the caller wants it.
Status GiveText(std::string_view text, char** to);

// Gives arrays to the caller.
void GiveArrays(std::vector<Ref<Array>> arrays, plinth_ifrt_array** outputs);

// Element i of a list of structs, which lie as far apart as the caller's are large.
// INVALID_ARGUMENT for null and for structs that end before `last`.
template <typename T, typename Last>
Expected<const T*> ElementOf(const T* list, size_t i, Last T::*last, std::string_view what) {
  if (list == nullptr) return InvalidArgument(what, " are null");
  const size_t size = list->struct_size;
  const auto* element = reinterpret_cast<const T*>(reinterpret_cast<const char*>(list) + i * size);
  if (element->struct_size != size || !HasField(*element, last)) {
    return InvalidArgument(what, ": struct_size is ", element->struct_size,
                           "; set it to the X_STRUCT_SIZE of the struct, at least ", sizeof(T));
  }
  return element;
}

Expected<DType> TypeFromC(int type);
// INVALID_ARGUMENT for null with a size, and for more dimensions than arrays may have.
Expected<Dims> DimsFromC(const int64_t* dims, size_t num_dims);
Expected<ArraySpec> SpecFromC(const plinth_ifrt_array_spec& spec);
Expected<std::vector<ArraySpec>> SpecsFromC(const plinth_ifrt_array_spec* specs, size_t count);
Expected<CopySemantics> SemanticsFromC(const plinth_ifrt_copy_semantics& semantics);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_C_API_H_
