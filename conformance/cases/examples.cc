// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/examples.h"

#include <algorithm>
#include <numeric>

#include "conformance/cases/judge_buffer.h"

namespace plinth::conformance {
namespace {

HostArray Map(const HostArray& array, auto function) {
  std::vector<float> values = array.AsF32();
  for (float& value : values) value = function(value);
  return HostArray::F32(array.dims, values);
}

}  // namespace

HostArray Counted(std::vector<int64_t> dims, float first) {
  size_t count = 1;
  for (int64_t dim : dims) count *= static_cast<size_t>(dim);
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return HostArray::F32(std::move(dims), values);
}

std::vector<Example> Examples() {
  std::vector<Example> all;
  HostArray four = Counted({4}, 1);
  all.push_back({"add_one", {four}, {Map(four, [](float x) { return x + 1; })}});
  all.push_back(
      {"large", {Counted({70001}, 3)}, {Map(Counted({70001}, 3), [](float x) { return x + 1; })}});
  all.push_back(
      {"mixed",
       {four, Counted({2, 3}, 2)},
       {Map(four, [](float x) { return 2 * x; }),
        Map(Counted({2, 3}, 2), [](float x) { return x * x; }), HostArray::F32({}, {7})}});
  Example many{"many_arguments", {}, {}};
  std::vector<float> sums(2);
  for (int i = 0; i < 200; ++i) {
    many.arguments.push_back(Counted({2}, static_cast<float>(i % 7)));
    for (int k = 0; k < 2; ++k)
      sums[static_cast<size_t>(k)] += static_cast<float>((i + 1) * (i % 7 + k));
  }
  many.results.push_back(HostArray::F32({2}, sums));
  all.push_back(many);
  Example results{"many_results", {HostArray::F32({}, {0.5f})}, {}};
  for (int i = 0; i < 65; ++i) {
    const std::vector<int64_t> kShapes[] = {{}, {2}, {2, 3}, {1, 2, 3}};
    results.results.push_back(
        Map(Counted(kShapes[i % 4], 0), [&](float) { return static_cast<float>(i) + 0.5f; }));
  }
  all.push_back(results);
  const DType kTypes[] = {DType::kPred, DType::kS8,  DType::kS16, DType::kS32, DType::kS64,
                          DType::kU8,   DType::kU16, DType::kU32, DType::kU64, DType::kF16,
                          DType::kBF16, DType::kF32, DType::kF64, DType::kC64, DType::kC128};
  const std::vector<int64_t> kDims[] = {
      {}, {2}, {2, 3}, {1, 2, 3}, {2, 1, 3, 2}, {1, 2, 1, 3, 2}, {2, 1, 2, 1, 2, 1}, {3, 0}};
  Example types{"of_types", {}, {}};
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    HostArray array = RandomBits(kTypes[i], kDims[i % 8], i);
    // No NaN: a program may change its payload.
    DTypeClass kind = InfoOf(array.type).kind;
    if (kind == DTypeClass::kFloat || kind == DTypeClass::kComplex) {
      for (std::byte& byte : array.bytes) byte &= std::byte{0x3F};
    }
    types.arguments.push_back(array);
  }
  types.results.assign(types.arguments.rbegin(), types.arguments.rend());
  all.push_back(types);
  all.push_back({"no_arguments", {}, {HostArray::F32({2}, {7, -1})}});
  all.push_back({"no_results", {Counted({2}, 1)}, {}});
  all.push_back({"argument_returned", {Counted({2}, 1)}, {Counted({2}, 1), Counted({2}, 1)}});
  all.push_back({"empty_array", {Counted({0, 3}, 1)}, {Counted({0, 3}, 1)}});
  return all;
}

std::vector<PJRT_Buffer*> UploadAll(Context& context, const std::vector<HostArray>& arrays,
                                    std::vector<OwnedBuffer>& buffers) {
  std::vector<PJRT_Buffer*> handles;
  for (const HostArray& array : arrays) {
    Expected<OwnedBuffer> buffer = context.Upload(array);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) break;
    buffers.push_back(*std::move(buffer));
    handles.push_back(buffers.back().get());
  }
  return handles;
}

bool HasTypes(Context& context, const Example& example) {
  return std::all_of(example.arguments.begin(), example.arguments.end(),
                     [&](const HostArray& array) { return HasSweptType(context, array.type); });
}

}  // namespace plinth::conformance
