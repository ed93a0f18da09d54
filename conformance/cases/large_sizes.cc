// SPDX-License-Identifier: Apache-2.0
// L1: what is said of arrays whose sizes do not fit into 31 or 32 bits. Nothing is written to them.

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"

namespace plinth::conformance {
namespace large_sizes {
namespace {

constexpr char kEnough[] = "PJRT-Buffer_OnDeviceSizeInBytes-enough";

void Run(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "a device", device.status())) return;
  struct Large {
    PJRT_Buffer_Type type;
    std::vector<int64_t> dims;
    int64_t bytes_each;
  };
  constexpr int64_t kOne = 1;
  int asked = 0;
  for (const Large& each :
       {Large{PJRT_Buffer_Type_U8, {kOne << 31}, 1}, Large{PJRT_Buffer_Type_U8, {3, kOne << 30}, 1},
        Large{PJRT_Buffer_Type_F32, {(kOne << 30) + 3}, 4},
        Large{PJRT_Buffer_Type_U8, {(kOne << 32) + 7}, 1}}) {
    auto args = MakeArgs<PJRT_Client_CreateUninitializedBuffer_Args>();
    args.client = context.client();
    args.shape_dims = each.dims.data();
    args.shape_num_dims = each.dims.size();
    args.shape_element_type = each.type;
    args.device = *device;
    const Status status = context.plugin().Call(args);
    if (!status.ok()) {  // there may be no room for it
      context.Note(StrCat("[", StrJoin(each.dims), "]: ", status.ToString()));
      continue;
    }
    ++asked;
    OwnedBuffer buffer(context.plugin(), args.buffer);
    int64_t bytes = each.bytes_each;
    for (int64_t dim : each.dims) bytes *= dim;
    if (auto size = Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, buffer.get())) {
      context.Check(kEnough, size->on_device_size_in_bytes >= static_cast<size_t>(bytes),
                    "an array of ", bytes, " bytes takes ", size->on_device_size_in_bytes);
    }
    if (auto dims = Get<&PJRT_Buffer_Dimensions_Args::buffer>(context, buffer.get())) {
      const std::vector<int64_t> found(dims->dims, dims->dims + dims->num_dims);
      context.Check(kOutputTrue, found == each.dims, "an array of [", StrJoin(each.dims),
                    "] says [", StrJoin(found), "]");
    }
    auto to_host = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    to_host.src = buffer.get();
    if (Succeeds(context, to_host)) {
      context.Check("PJRT-Buffer_ToHostBuffer-dst_size",
                    to_host.dst_size == static_cast<size_t>(bytes), "an array of ", bytes,
                    " bytes needs ", to_host.dst_size, " on the host");
    }
  }
  if (asked == 0) context.Unsupported("there is no room for arrays of 2 GiB");
}

}  // namespace
}  // namespace large_sizes

void AddLargeSizeCases(std::vector<Case>& cases) {
  cases.push_back({"L1/sweep/large_sizes",
                   Level::kL1,
                   ClientNeed::kShared,
                   {large_sizes::kEnough, kOutputTrue, "PJRT-Buffer_ToHostBuffer-dst_size"},
                   large_sizes::Run,
                   false});
}

}  // namespace plinth::conformance
