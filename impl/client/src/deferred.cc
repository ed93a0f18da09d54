// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/deferred.h"

#include "impl/client/src/calls.h"

namespace plinth::client {

using internal::NullOutput;

namespace {

// Code and message of an outcome, in the names that all of these structs have.
template <typename Args>
void SetMessage(const Status& outcome, Args& args) {
  args.error_message = outcome.message().data();
  args.error_message_size = outcome.message().size();
}

}  // namespace

Expected<Alias> CreateAlias(const Client& client, const Shape& shape, const Memory& memory) {
  PJRT_Client_CreateAliasBuffer_Args args = {};
  args.client = client.get();
  args.memory = memory.get();
  args.shape_dims = shape.dims.data();
  args.shape_num_dims = shape.dims.size();
  args.shape_element_type = ToC(shape.dtype);
  LayoutArgument layout(shape);
  args.shape_layout = layout.get();
  PLINTH_RETURN_IF_ERROR(client.api().Call(args));
  Buffer buffer(Handle<PJRT_Buffer>(client.api(), args.alias_buffer, client.ref()));
  if (args.alias_buffer == nullptr || args.fulfill_alias_buffer_cb == nullptr) {
    return NullOutput("PJRT_Client_CreateAliasBuffer", "its buffer or callback");
  }
  Promise<const Buffer*> target(
      [api = client.api(), c_client = client.get(), keep = client.ref(),
       callback = args.fulfill_alias_buffer_cb](const Status& outcome, const Buffer* answer) {
        PJRT_Client_FulfillAliasBuffer_Args fulfill = {};
        fulfill.client = c_client;
        fulfill.buffer = answer == nullptr ? nullptr : answer->get();
        fulfill.status_code = static_cast<PJRT_Error_Code>(outcome.code());
        SetMessage(outcome, fulfill);
        fulfill.fulfill_alias_buffer_cb = callback;
        return api.Call(fulfill);
      });
  return Alias{std::move(buffer), std::move(target)};
}

Expected<ControlledDonation> DonateWithControlDependency(const Buffer& source) {
  PJRT_Buffer_DonateWithControlDependency_Args args = {};
  args.buffer = source.get();
  PLINTH_RETURN_IF_ERROR(source.api().Call(args));
  Buffer buffer(Handle<PJRT_Buffer>(source.api(), args.out_buffer, source.client()));
  if (args.out_buffer == nullptr || args.dependency_ready_callback == nullptr) {
    return NullOutput("PJRT_Buffer_DonateWithControlDependency", "its buffer or callback");
  }
  Promise<bool> dependency(
      [keep = source.client(), data = args.callback_data,
       callback = args.dependency_ready_callback](const Status& outcome, bool) {
        PJRT_Buffer_DonateWithControlDependency_Callback_Args ready = {};
        ready.struct_size = PJRT_Buffer_DonateWithControlDependency_Callback_Args_STRUCT_SIZE;
        ready.callback_data = data;
        ready.error_code = static_cast<PJRT_Error_Code>(outcome.code());
        SetMessage(outcome, ready);
        callback(&ready);
        return Status();
      });
  return ControlledDonation{std::move(buffer), std::move(dependency)};
}

Expected<RawCopy> CopyRawToHostLater(const Buffer& source, int64_t offset, int64_t transfer_size) {
  PJRT_Buffer_CopyRawToHostFuture_Args args = {};
  args.buffer = source.get();
  args.offset = offset;
  args.transfer_size = transfer_size;
  PLINTH_RETURN_IF_ERROR(source.api().Call(args));
  Event done(Handle<PJRT_Event>(source.api(), args.event, source.client()));
  if (args.event == nullptr || args.future_ready_callback == nullptr) {
    return NullOutput("PJRT_Buffer_CopyRawToHostFuture", "its event or callback");
  }
  Promise<void*> destination(
      [keep = source.client(), data = args.callback_data, callback = args.future_ready_callback](
          const Status& outcome, void* answer) {
        PJRT_Buffer_CopyRawToHostFuture_Callback_Args ready = {};
        ready.struct_size = PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE;
        ready.callback_data = data;
        ready.error_code = static_cast<PJRT_Error_Code>(outcome.code());
        SetMessage(outcome, ready);
        ready.dst = answer;
        callback(&ready);
        return Status();
      });
  return RawCopy{std::move(done), std::move(destination)};
}

}  // namespace plinth::client
