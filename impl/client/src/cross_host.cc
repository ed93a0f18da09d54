// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/cross_host.h"

#include "impl/client/src/calls.h"
#include "pjrt_c_api_cross_host_transfers_extension.h"

namespace plinth::client {
namespace {

using CrossHostExtension = PJRT_CrossHostTransfers_Extension;

Expected<const CrossHostExtension*> FindCrossHost(const Api& api) {
  const PJRT_Extension_Base* found = api.FindExtension(PJRT_Extension_Type_CrossHostTransfers);
  if (found == nullptr) {
    return Unimplemented("the plugin (PJRT 0.", api.version().minor,
                         ") has no CrossHostTransfers extension; it cannot copy between processes");
  }
  return reinterpret_cast<const CrossHostExtension*>(found);
}

}  // namespace

Status CheckCrossHost(const Api& api) {
  PLINTH_ASSIGN_OR_RETURN(const CrossHostExtension* extension, FindCrossHost(api));
  // They came together, at the end.
  if (extension->base.struct_size >= PJRT_CrossHostTransfers_Extension_STRUCT_SIZE &&
      extension->PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers != nullptr &&
      extension->PJRT_Transfers_PJRT_Client_CrossHostSendBuffers != nullptr) {
    return {};
  }
  return Unimplemented("the CrossHostTransfers extension of the plugin (PJRT 0.",
                       api.version().minor,
                       ") has no CrossHostSendBuffers and CrossHostReceiveBuffers (from 0.81)");
}

Expected<Event> SendAcross(const Client& client, const Buffer& buffer, int to_device_id,
                           int64_t key) {
  PLINTH_ASSIGN_OR_RETURN(const CrossHostExtension* extension, FindCrossHost(client.api()));
  PJRT_Buffer* raw = buffer.get();
  const int32_t device = to_device_id;
  PJRT_Event* sent = nullptr;
  PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args args = {};
  args.client = client.get();
  args.num_buffers = 1;
  args.buffers = &raw;
  args.dst_global_device_ids = &device;
  args.transfer_keys = &key;
  args.send_events = &sent;
  PLINTH_RETURN_IF_ERROR(client.api().CallExtension(
      *extension, &CrossHostExtension::PJRT_Transfers_PJRT_Client_CrossHostSendBuffers,
      "PJRT_Transfers_PJRT_Client_CrossHostSendBuffers", args,
      PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args_STRUCT_SIZE));
  return internal::AdoptEvent(client.api(), sent, client.ref(),
                              "PJRT_Transfers_PJRT_Client_CrossHostSendBuffers");
}

Expected<Buffer> ReceiveAcross(const Client& client, const Shape& shape, const class Device& to,
                               int from_device_id, int64_t key) {
  PLINTH_ASSIGN_OR_RETURN(const CrossHostExtension* extension, FindCrossHost(client.api()));
  size_t rank = shape.dims.size();
  const int64_t* dims = shape.dims.data();
  PJRT_Buffer_Type type = ToC(shape.dtype);
  LayoutArgument layout(shape);
  PJRT_Buffer_MemoryLayout* raw_layout = layout.get();
  const int32_t device = from_device_id;
  PJRT_Buffer* received = nullptr;
  PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args args = {};
  args.client = client.get();
  args.num_shapes = 1;
  args.shape_num_dims = &rank;
  args.num_dims = &dims;
  args.element_types = &type;
  args.layouts = &raw_layout;
  args.device = to.get();
  args.src_global_device_ids = &device;
  args.transfer_keys = &key;
  args.buffers = &received;
  PLINTH_RETURN_IF_ERROR(client.api().CallExtension(
      *extension, &CrossHostExtension::PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers,
      "PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers", args,
      PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args_STRUCT_SIZE));
  if (received == nullptr) {
    return internal::NullOutput("PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers", "a buffer");
  }
  return Buffer(Handle<PJRT_Buffer>(client.api(), received, client.ref()));
}

}  // namespace plinth::client
