// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/c_api.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "plinth.h"

namespace plinth::ifrt {

Status TakeCStatus(plinth_status* status) {
  if (status == nullptr) return {};
  Status result(static_cast<StatusCode>(plinth_status_code(status)), plinth_status_message(status));
  plinth_status_destroy(status);
  return result;
}

plinth_status* MakeCStatus(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  const std::string_view message = status.message();
  return plinth_status_create(static_cast<PJRT_Error_Code>(status.code()), message.data(),
                              message.size());
}

Status NeedNotNull(const void* pointer, std::string_view what) {
  if (pointer != nullptr) return {};
  return InvalidArgument(what, " is null");
}

Status CheckCall(const plinth_ifrt_client* client, const void* inputs, size_t num_inputs,
                 plinth_ifrt_array** outputs, size_t num_outputs) {
  if (num_outputs != 0) {
    PLINTH_RETURN_IF_ERROR(NeedNotNull(outputs, "`outputs`"));
    std::fill(outputs, outputs + num_outputs, nullptr);
  }
  PLINTH_RETURN_IF_ERROR(NeedNotNull(client, "the client"));
  if (num_inputs != 0) PLINTH_RETURN_IF_ERROR(NeedNotNull(inputs, "the list of arrays"));
  return {};
}

Expected<char*> CopyText(std::string_view text) {
  char* copy = static_cast<char*>(malloc(text.size() + 1));
  if (copy == nullptr) return ResourceExhausted("no memory for a text of ", text.size(), " bytes");
  if (!text.empty()) memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

Status GiveText(std::string_view text, char** to) {
  PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(to, "where a text is to go"));
  PLINTH_ASSIGN_OR_RETURN(*to, CopyText(text));
  return {};
}

void GiveArrays(std::vector<Ref<Array>> arrays, plinth_ifrt_array** outputs) {
  for (size_t i = 0; i < arrays.size(); ++i) outputs[i] = ToC(arrays[i].Give());
}

Expected<DType> TypeFromC(int type) {
  const std::optional<DType> known = DTypeFromC(type);
  if (!known || *known == DType::kToken) {
    return InvalidArgument("an array of element type ", type,
                           ", which is no PJRT_Buffer_Type of arrays");
  }
  return *known;
}

Expected<Dims> DimsFromC(const int64_t* dims, size_t num_dims) {
  if (num_dims > kMaxRank) {
    return InvalidArgument("an array of ", num_dims, " dimensions; at most ", kMaxRank,
                           " are possible");
  }
  if (num_dims != 0) PLINTH_RETURN_IF_ERROR(NeedNotNull(dims, "the shape"));
  return Dims(dims, dims + num_dims);
}

Expected<ArraySpec> SpecFromC(const plinth_ifrt_array_spec& spec) {
  ArraySpec result;
  PLINTH_ASSIGN_OR_RETURN(result.type, TypeFromC(spec.type));
  PLINTH_ASSIGN_OR_RETURN(result.dims, DimsFromC(spec.dims, spec.num_dims));
  PLINTH_RETURN_IF_ERROR(NeedNotNull(spec.sharding, "the sharding of an array"));
  result.sharding = Ref<const Sharding>::Share(FromC(spec.sharding));
  return result;
}

Expected<std::vector<ArraySpec>> SpecsFromC(const plinth_ifrt_array_spec* specs, size_t count) {
  std::vector<ArraySpec> result;
  for (size_t i = 0; i < count; ++i) {
    PLINTH_ASSIGN_OR_RETURN(
        const plinth_ifrt_array_spec* spec,
        ElementOf(specs, i, &plinth_ifrt_array_spec::sharding, "the array specs"));
    PLINTH_ASSIGN_OR_RETURN(ArraySpec one, SpecFromC(*spec));
    result.push_back(std::move(one));
  }
  return result;
}

Expected<CopySemantics> SemanticsFromC(const plinth_ifrt_copy_semantics& semantics) {
  const int raw = RawEnum(semantics);
  if (raw < 0 || raw > static_cast<int>(CopySemantics::kDonateInput)) {
    return InvalidArgument("copy semantics ", raw, " are not known");
  }
  return static_cast<CopySemantics>(raw);
}

}  // namespace plinth::ifrt

using plinth::ifrt::FromC;
using plinth::ifrt::Guarded;
using plinth::ifrt::MakeCStatus;

bool plinth_ifrt_future_is_ready(plinth_ifrt_future* future) { return FromC(future)->IsReady(); }

plinth_status* plinth_ifrt_future_await(plinth_ifrt_future* future, int64_t timeout_ms) {
  return Guarded([&]() -> plinth::Status {
    PLINTH_IFRT_RETURN_IF_ERROR(plinth::ifrt::NeedNotNull(future, "the future"));
    return FromC(future)->Await(timeout_ms);
  });
}

void plinth_ifrt_future_on_ready(plinth_ifrt_future* future, plinth_ifrt_ready_callback callback,
                                 void* user_data) {
  FromC(future)->OnReady([callback, user_data](const plinth::Status& status) {
    callback(MakeCStatus(status), user_data);
  });
}

// Counting is the same for all.
#define PLINTH_IFRT_COUNTED(handle)                                   \
  void plinth_ifrt_##handle##_retain(plinth_ifrt_##handle* handle) {  \
    if (handle != nullptr) FromC(handle)->Retain();                   \
  }                                                                   \
  void plinth_ifrt_##handle##_release(plinth_ifrt_##handle* handle) { \
    if (handle != nullptr) FromC(handle)->Release();                  \
  }
PLINTH_IFRT_COUNTED(client)
PLINTH_IFRT_COUNTED(sharding)
PLINTH_IFRT_COUNTED(array)
PLINTH_IFRT_COUNTED(executable)
PLINTH_IFRT_COUNTED(future)
#undef PLINTH_IFRT_COUNTED
