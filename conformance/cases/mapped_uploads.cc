// SPDX-License-Identifier: Apache-2.0
// L1: uploads from host memory of which a part is mapped for DMA: before it, in it, over its ends.

#include <cstring>
#include <memory>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/sweep.h"

namespace plinth::conformance {
namespace mapped_uploads {
namespace {

constexpr size_t kPage = 4096;
// The middle one of three stretches of two pages is mapped.
struct alignas(kPage) Memory {
  std::byte bytes[6 * kPage];
};
constexpr size_t kBegin = 2 * kPage, kEnd = 4 * kPage;

void Run(Context& context) {
  if (!context.plugin().Has(reflection::function::kPJRT_Client_DmaMap) ||
      !context.plugin().Has(reflection::function::kPJRT_Client_DmaUnmap))
    return context.Unsupported("no PJRT_Client_DmaMap");
  const std::vector<Parameter> parameters = {
      {"type", {"f32", "u8", "f64"}},
      {"begins", {"with the range", "before it", "in it", "in its last bytes", "after it"}},
      {"ends", {"with the range", "in it", "after it"}},
      {"semantics", {"only during call", "until done", "zero copy"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const size_t begins[] = {kBegin, kBegin - 512, kBegin + 512, kEnd - 16, kEnd};
    const size_t ends[] = {kEnd, kBegin + 1024, kEnd + 2048};
    const size_t begin = begins[row[1]], end = ends[row[2]];
    if (begin >= end) return;
    const DType type = TypeNamed(parameters[0].values[row[0]]);
    if (!HasSweptType(probe, type)) return;
    const auto count = static_cast<int64_t>((end - begin) / InfoOf(type).bytes);
    const HostArray array = RandomBits(type, {count}, probe.seed());
    auto memory = std::make_unique<Memory>();
    std::memcpy(memory->bytes + begin, array.bytes.data(), array.bytes.size());
    auto map = MakeArgs<PJRT_Client_DmaMap_Args>();
    map.client = probe.client();
    map.data = memory->bytes + kBegin;
    map.size = kEnd - kBegin;
    if (!Succeeds(probe, map)) return;
    const PJRT_HostBufferSemantics semantics[] = {
        PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
        PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
        PJRT_HostBufferSemantics_kImmutableZeroCopy};
    Expected<PJRT_Device*> device = probe.Device();
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = probe.client();
    args.data = memory->bytes + begin;
    args.type = ToC(type);
    args.dims = array.dims.data();
    args.num_dims = 1;
    args.host_buffer_semantics = semantics[row[3]];
    args.device = device.ok() ? *device : nullptr;
    if (Succeeds(probe, args)) {
      OwnedBuffer buffer(probe.plugin(), args.buffer);
      OwnedEvent done(probe.plugin(), args.done_with_host_buffer);
      JudgeBuffer(probe, buffer.get(), {array, args.device});
      (void)buffer.Destroy();
      if (done) probe.Ok("", "done_with_host_buffer", probe.Await(done.get()));
    }
    auto unmap = MakeArgs<PJRT_Client_DmaUnmap_Args>();
    unmap.client = probe.client();
    unmap.data = map.data;
    (void)Succeeds(probe, unmap);
  });
}

}  // namespace
}  // namespace mapped_uploads

void AddMappedUploadCases(std::vector<Case>& cases) {
  cases.push_back({"L1/sweep/mapped_uploads",
                   Level::kL1,
                   ClientNeed::kShared,
                   {"PJRT-Args-accepted", "PJRT-Buffer_ToHostBuffer-contents", kOutputTrue},
                   mapped_uploads::Run,
                   false});
}

}  // namespace plinth::conformance
