// SPDX-License-Identifier: Apache-2.0
// L2: arrays made of arrays that were made of others, by every two functions that do so: each is
// what it has to be, and so is what it was made of, whichever goes first.

#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/sweep.h"

namespace plinth::conformance {
namespace chains {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";

// A buffer with what it has to say of itself.
struct Link {
  OwnedBuffer buffer;
  BufferFacts facts;
};

Expected<Link> Upload(Context& context, const HostArray& array) {
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, context.Upload(array));
  return Link{std::move(buffer), {array, device, DefaultMemoryOf(context, device)}};
}

// `way` of the names below.
Expected<Link> Derive(Context& context, std::string_view way, const Link& from) {
  const Plugin& plugin = context.plugin();
  Link made{{}, from.facts};
  if (way == "copy to device") {
    auto args = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
    args.buffer = from.buffer.get();
    args.dst_device = AddressableDevices(context).back();
    made.facts.device = args.dst_device;
    made.facts.memory = nullptr;
    PLINTH_RETURN_IF_ERROR(plugin.Call(args));
    made.buffer = OwnedBuffer(plugin, args.dst_buffer);
  } else if (way == "copy to memory") {
    auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    args.buffer = from.buffer.get();
    made.facts.device = AddressableDevices(context).front();
    args.dst_memory = made.facts.memory = DefaultMemoryOf(context, made.facts.device);
    PLINTH_RETURN_IF_ERROR(plugin.Call(args));
    made.buffer = OwnedBuffer(plugin, args.dst_buffer);
  } else if (way == "cast flat" || way == "cast to columns") {
    int64_t count = 1;
    for (int64_t dim : from.facts.array.dims) count *= dim;
    made.facts.array.dims =
        way == "cast flat" ? std::vector<int64_t>{count} : std::vector<int64_t>{count, 1};
    // It has the bytes of the original in its own order.
    made.facts.has_contents &= LiesRowMajor(context, from.buffer.get());
    auto args = MakeArgs<PJRT_Buffer_Bitcast_Args>();
    args.buffer = from.buffer.get();
    args.element_type = ToC(made.facts.array.type);
    args.dims = made.facts.array.dims.data();
    args.num_dims = made.facts.array.dims.size();
    PLINTH_RETURN_IF_ERROR(plugin.Call(args));
    made.buffer = OwnedBuffer(plugin, args.out_buffer);
    made.facts.has_contents &= LiesRowMajor(context, made.buffer.get());
  } else if (way == "donate") {
    auto args = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Args>();
    args.buffer = from.buffer.get();
    PLINTH_RETURN_IF_ERROR(plugin.Call(args));
    made.buffer = OwnedBuffer(plugin, args.out_buffer);
    auto tell = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
    tell.callback_data = args.callback_data;
    args.dependency_ready_callback(&tell);
  }
  return made;
}

// Whether a buffer is gone when another was made of it, and if not, is what it was. Whether a cast
// takes its original the header leaves open.
void JudgeSource(Context& context, const Link& source, std::string_view way) {
  const bool is_deleted = IsBufferDeleted(context, source.buffer.get());
  if (way.starts_with("cast") && is_deleted) return;
  const bool is_gone = way == "donate";
  if (!context.Check("PJRT-Buffer_IsDeleted-truth", is_deleted == is_gone, "after ", way,
                     " the original counts as ", is_gone ? "alive" : "deleted"))
    return;
  if (!is_gone) JudgeBuffer(context, source.buffer.get(), source.facts);
}

void MadeOfMade(Context& context) {
  const std::vector<std::string> ways = {"copy to memory", "copy to device", "cast flat",
                                         "cast to columns", "donate"};
  const std::vector<Parameter> parameters = {
      {"first", ways},
      {"then", ways},
      {"type", {"f32", "u8", "bf16", "s64"}},
      {"shape", {"[4]", "[]", "[2,3]", "[0]", "[5,5]", "[7,1009]"}}};
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    const std::string &first = ways[row[0]], &then = ways[row[1]];
    const DType type = TypeNamed(parameters[2].values[row[2]]);
    if (!HasSweptType(probe, type)) return;
    const HostArray array = RandomBits(type, ShapeOf(parameters[3].values[row[3]]), probe.seed());
    Expected<Link> one = Upload(probe, array), other = Upload(probe, array);
    if (!probe.Ok("", "PJRT_Client_BufferFromHostBuffer", one.status()) || !other.ok()) return;
    Expected<Link> two = Derive(probe, first, *one);
    // What a plugin takes other cases say.
    if (!two.ok()) return probe.Unsupported(two.status().ToString());
    JudgeBuffer(probe, two->buffer.get(), two->facts);
    JudgeSource(probe, *one, first);
    // What is done with an array that was uploaded is done with one that was made, too; but who
    // shares memory need not give it away.
    Status alone = Derive(probe, then, *other).status();
    Expected<Link> three = Derive(probe, then, *two);
    const bool shares = first.starts_with("cast") && then == "donate";
    if (!three.ok() && (!alone.ok() || shares)) return probe.Unsupported(alone.ToString());
    if (!probe.Check(kAccepted, three.ok(), then, " of what was made by ", first, ": ",
                     three.status().ToString()))
      return;
    JudgeBuffer(probe, three->buffer.get(), three->facts);
    JudgeSource(probe, *two, then);
    (void)one->buffer.Destroy();
    JudgeSource(probe, *two, then);
    (void)two->buffer.Destroy();
    JudgeBuffer(probe, three->buffer.get(), three->facts);
  });
}

}  // namespace
}  // namespace chains

void AddChainCases(std::vector<Case>& cases) {
  cases.push_back({"L2/sweep/made_of_made",
                   Level::kL2,
                   ClientNeed::kShared,
                   {"PJRT-Buffer_IsDeleted-truth", "PJRT-Buffer_Bitcast-same-bytes", kOutputTrue,
                    "PJRT-Buffer_CopyToMemory-contents", "PJRT-Buffer_CopyToDevice-contents",
                    "PJRT-Args-accepted", "PJRT-Buffer_Dimensions-asked-for"},
                   chains::MadeOfMade,
                   false});
}

}  // namespace plinth::conformance
