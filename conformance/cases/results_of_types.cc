// SPDX-License-Identifier: Apache-2.0
// L1: results of every type, of several shapes, on the first device and the last: they say their
// type, dimensions, size and place as what was uploaded does, and have the bytes of the arguments.

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/launch.h"

namespace plinth::conformance {
namespace results_of_types {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

const std::vector<int64_t> kShapes[] = {
    {4}, {}, {1}, {3, 0, 2}, {2, 3, 5}, {7, 33}, {1, 2, 1, 3, 1}};

int64_t CountOf(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

// A program that gives each argument as it is and in one dimension.
std::string ProgramOf(DType type) {
  std::string arguments, types, body, results;
  size_t number = 0;
  for (const std::vector<int64_t>& dims : kShapes) {
    const std::string own = TypeText(type, dims), flat = TypeText(type, {CountOf(dims)});
    const std::string comma = number == 0 ? "" : ", ";
    arguments += StrCat(comma, "%arg", number, ": ", own);
    types += StrCat(comma, own, ", ", flat);
    body += StrCat("    %f", number, " = stablehlo.reshape %arg", number, " : (", own, ") -> ",
                   flat, "\n");
    results += StrCat(comma, "%arg", number, ", %f", number);
    ++number;
  }
  return StrCat("module @results {\n  func.func public @main(", arguments, ") -> (", types, ") {\n",
                body, "    return ", results, " : ", types, "\n  }\n}\n");
}

void Run(Context& context, DType type) {
  if (!HasSweptType(context, type)) return;
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.empty()) return;
  PJRT_Device* device = static_cast<int>(type) % 2 == 0 ? devices.front() : devices.back();
  const int id = DeviceIdOf(context, device);
  Expected<OwnedLoadedExecutable> loaded =
      context.CompileAnyway(ProgramOf(type), "mlir", CompileOptionsOf(1, 1, {&id, 1}));
  // A plugin need not read text, nor have the type.
  if (!loaded.ok()) return context.Unsupported(loaded.status().ToString());
  std::vector<HostArray> arrays;
  std::vector<OwnedBuffer> arguments;
  std::vector<PJRT_Buffer*> handles;
  for (const std::vector<int64_t>& dims : kShapes) {
    arrays.push_back(RandomBits(type, dims, context.seed() + arrays.size()));
    Expected<OwnedBuffer> buffer = context.Upload(arrays.back(), device);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
    arguments.push_back(*std::move(buffer));
    handles.push_back(arguments.back().get());
  }
  auto results = context.Execute(loaded->get(), handles);
  if (!context.Ok(kResults, "PJRT_LoadedExecutable_Execute", results.status())) return;
  arguments.clear();
  if (!context.Check(kResults, results->size() == 2 * arrays.size(), "there are ", results->size(),
                     " results"))
    return;
  for (size_t i = 0; i < results->size(); ++i) {
    HostArray wanted = arrays[i / 2];
    if (i % 2 == 1) wanted.dims = {CountOf(wanted.dims)};
    JudgeBuffer(context, (*results)[i].get(), {wanted, device});
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (int number = 1; number < kNumDTypes; ++number) {
    const auto type = static_cast<DType>(number);
    if (InfoOf(type).bytes == 0) continue;
    cases.push_back({StrCat("L1/results/", Name(type)),
                     Level::kL1,
                     ClientNeed::kShared,
                     {kResults, kOutputTrue, "PJRT-Buffer_OnDeviceSizeInBytes-enough",
                      "PJRT-Buffer_ElementType-asked-for", "PJRT-Buffer_Dimensions-asked-for"},
                     [=](Context& context) { Run(context, type); },
                     false});
  }
}

}  // namespace results_of_types

void AddResultsOfTypesCases(std::vector<Case>& cases) { results_of_types::AddCases(cases); }

}  // namespace plinth::conformance
