// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "impl/ifrt/c_api.h"
#include "impl/ifrt/dlpack.h"
#include "impl/ifrt/host.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"

using plinth::Expected;
using plinth::GetField;
using plinth::InvalidArgument;
using plinth::Status;
using plinth::ifrt::Array;
using plinth::ifrt::ArraysFromC;
using plinth::ifrt::ArraySpec;
using plinth::ifrt::CheckCall;
using plinth::ifrt::ElementOf;
using plinth::ifrt::FromC;
using plinth::ifrt::Future;
using plinth::ifrt::GiveArrays;
using plinth::ifrt::Guarded;
using plinth::ifrt::NeedNotNull;
using plinth::ifrt::Ref;
using plinth::ifrt::ShareClient;
using plinth::ifrt::SpecsFromC;
using plinth::ifrt::ToC;

namespace {

Status GiveFuture(Expected<Ref<Future>> made, plinth_ifrt_future** future) {
  if (!made.ok()) return made.status();
  *future = ToC(made->Give());
  return {};
}

}  // namespace

plinth_status* plinth_ifrt_arrays_from_host(plinth_ifrt_client* client,
                                            const plinth_ifrt_host_array* arrays, size_t num_arrays,
                                            plinth_ifrt_host_semantics semantics,
                                            plinth_ifrt_done_callback done, void* user_data,
                                            plinth_ifrt_array** outputs) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, arrays, num_arrays, outputs, num_arrays));
    const int raw = plinth::RawEnum(semantics);
    constexpr plinth::client::HostSemantics kSemantics[] = {
        plinth::client::HostSemantics::kDuringCall,
        plinth::client::HostSemantics::kUntilTransferred,
        plinth::client::HostSemantics::kZeroCopy,
        plinth::client::HostSemantics::kMutableZeroCopy,
    };
    if (raw < 0 || raw > 3) return InvalidArgument("host semantics ", raw, " are not known");
    std::vector<plinth::ifrt::HostSpec> specs;
    for (size_t i = 0; i < num_arrays; ++i) {
      PLINTH_ASSIGN_OR_RETURN(
          const plinth_ifrt_host_array* one,
          ElementOf(arrays, i, &plinth_ifrt_host_array::num_shard_data, "the host arrays"));
      PLINTH_ASSIGN_OR_RETURN(
          ArraySpec spec, plinth::ifrt::SpecFromC({plinth_ifrt_array_spec_STRUCT_SIZE, one->type,
                                                   one->dims, one->num_dims, one->sharding}));
      plinth::ifrt::HostSpec from{.spec = std::move(spec), .data = one->data};
      if (one->byte_strides != nullptr) from.byte_strides = {one->byte_strides, one->num_dims};
      if (one->shard_data != nullptr) from.shard_data = {one->shard_data, one->num_shard_data};
      const int64_t* order = GetField(*one, &plinth_ifrt_host_array::minor_to_major, nullptr);
      if (order != nullptr) from.minor_to_major = {order, one->num_dims};
      specs.push_back(std::move(from));
    }
    std::function<void()> run;
    if (done != nullptr) run = [done, user_data] { done(user_data); };
    PLINTH_ASSIGN_OR_RETURN(
        std::vector<Ref<Array>> made,
        plinth::ifrt::ArraysFromHost(ShareClient(client), specs, kSemantics[raw], std::move(run)));
    GiveArrays(std::move(made), outputs);
    return {};
  });
}

plinth_status* plinth_ifrt_arrays_uninitialized(plinth_ifrt_client* client,
                                                const plinth_ifrt_array_spec* specs,
                                                size_t num_arrays, plinth_ifrt_array** outputs) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, specs, num_arrays, outputs, num_arrays));
    PLINTH_ASSIGN_OR_RETURN(const std::vector<ArraySpec> wanted, SpecsFromC(specs, num_arrays));
    PLINTH_ASSIGN_OR_RETURN(std::vector<Ref<Array>> made,
                            plinth::ifrt::ArraysUninitialized(ShareClient(client), wanted));
    GiveArrays(std::move(made), outputs);
    return {};
  });
}

plinth_status* plinth_ifrt_arrays_error(plinth_ifrt_client* client,
                                        const plinth_ifrt_array_spec* specs, size_t num_arrays,
                                        PJRT_Error_Code code, const char* message,
                                        plinth_ifrt_array** outputs) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, specs, num_arrays, outputs, num_arrays));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(message, "`message`"));
    const Status error = plinth::StatusFromParts(plinth::RawEnum(code), message, strlen(message));
    if (error.ok()) return InvalidArgument("an array that has an error needs one, not OK");
    PLINTH_ASSIGN_OR_RETURN(std::vector<ArraySpec> wanted, SpecsFromC(specs, num_arrays));
    for (size_t i = 0; i < num_arrays; ++i) {
      if (wanted[i].sharding->client().get() != FromC(client)) {
        return InvalidArgument("the sharding of array ", i, " is of another client");
      }
    }
    for (size_t i = 0; i < num_arrays; ++i) {
      outputs[i] = ToC(Array::OfError(std::move(wanted[i]), error).Give());
    }
    return {};
  });
}

plinth_status* plinth_ifrt_arrays_to_host(plinth_ifrt_client* client,
                                          plinth_ifrt_array* const* arrays, size_t num_arrays,
                                          const plinth_ifrt_host_destination* destinations,
                                          plinth_ifrt_future** ready) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(ready, "`ready`"));
    *ready = nullptr;
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, arrays, num_arrays, nullptr, 0));
    const std::span<Array* const> given = ArraysFromC(arrays, num_arrays);
    std::vector<plinth::ifrt::HostDestination> to;
    for (size_t i = 0; i < num_arrays; ++i) {
      PLINTH_ASSIGN_OR_RETURN(
          const plinth_ifrt_host_destination* one,
          ElementOf(destinations, i, &plinth_ifrt_host_destination::byte_strides,
                    "the destinations"));
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(given[i], "an array"));
      plinth::ifrt::HostDestination destination{.data = one->data};
      if (one->byte_strides != nullptr) {
        destination.byte_strides = {one->byte_strides, given[i]->dims().size()};
      }
      to.push_back(destination);
    }
    return GiveFuture(plinth::ifrt::ArraysToHost(ShareClient(client), given, to), ready);
  });
}

plinth_status* plinth_ifrt_array_to_dlpack(plinth_ifrt_array* array, int64_t shard, void** tensor) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(tensor, "`tensor`"));
    *tensor = nullptr;
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(array, "the array"));
    PLINTH_ASSIGN_OR_RETURN(*tensor, plinth::ifrt::ArrayToDlpack(*FromC(array), shard));
    return {};
  });
}

plinth_status* plinth_ifrt_array_from_dlpack(plinth_ifrt_client* client,
                                             const plinth_ifrt_array_spec* spec,
                                             void* const* tensors, size_t num_tensors,
                                             plinth_ifrt_array** array) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, tensors, num_tensors, array, 1));
    PLINTH_ASSIGN_OR_RETURN(std::vector<ArraySpec> wanted, SpecsFromC(spec, 1));
    std::vector<plinth::ifrt::DlpackManaged*> given;
    for (size_t i = 0; i < num_tensors; ++i) {
      given.push_back(static_cast<plinth::ifrt::DlpackManaged*>(tensors[i]));
    }
    PLINTH_ASSIGN_OR_RETURN(Ref<Array> made, plinth::ifrt::ArrayFromDlpack(
                                                 ShareClient(client), std::move(wanted[0]), given));
    *array = ToC(made.Give());
    return {};
  });
}

void plinth_ifrt_arrays_release(plinth_ifrt_array* const* arrays, size_t num_arrays) {
  for (Array* array : ArraysFromC(arrays, num_arrays)) {
    if (array != nullptr) array->Release();
  }
}

PJRT_Buffer_Type plinth_ifrt_array_type(const plinth_ifrt_array* array) {
  return plinth::ToC(FromC(array)->type());
}

const int64_t* plinth_ifrt_array_dims(const plinth_ifrt_array* array, size_t* num_dims) {
  *num_dims = FromC(array)->dims().size();
  return FromC(array)->dims().data();
}

const plinth_ifrt_sharding* plinth_ifrt_array_sharding(const plinth_ifrt_array* array) {
  return ToC(FromC(array)->sharding().get());
}

plinth_status* plinth_ifrt_array_layout(plinth_ifrt_array* array, char** layout) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(array, "the array"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(layout, "where a text is to go"));
    PLINTH_ASSIGN_OR_RETURN(const std::string text, FromC(array)->LayoutText());
    return plinth::ifrt::GiveText(text, layout);
  });
}

plinth_status* plinth_ifrt_arrays_ready(plinth_ifrt_client* client,
                                        plinth_ifrt_array* const* arrays, size_t num_arrays,
                                        plinth_ifrt_future** ready) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(ready, "`ready`"));
    *ready = nullptr;
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, arrays, num_arrays, nullptr, 0));
    const std::span<Array* const> given = ArraysFromC(arrays, num_arrays);
    for (size_t i = 0; i < given.size(); ++i) {
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(given[i], "an array"));
      if (given[i]->sharding()->client().get() != FromC(client)) {
        return InvalidArgument("array ", i, " is of another client");
      }
    }
    return GiveFuture(plinth::ifrt::ReadyFuture(ShareClient(client), given), ready);
  });
}

void plinth_ifrt_arrays_delete(plinth_ifrt_array* const* arrays, size_t num_arrays) {
  for (Array* array : ArraysFromC(arrays, num_arrays)) array->Delete();
}

bool plinth_ifrt_array_is_deleted(const plinth_ifrt_array* array) {
  return FromC(array)->IsDeleted();
}
