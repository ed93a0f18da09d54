// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "reference_plugin/cuda/print/forms.h"
#include "reference_plugin/cuda/print/kernel_code.h"

namespace plinth::cuda {

// A thread takes `form.vector` neighbouring points through all phases: it has read them before it
// writes, which working in place relies on.
Expected<PrintedStep> PrintPointwise(const compiler::Kernel& kernel, const Form& form,
                                     const Architecture& architecture) {
  const compiler::KernelShape& shape = kernel.shape;
  const int32_t rank = static_cast<int32_t>(shape.extents.size());
  int64_t points = 1;
  for (int64_t extent : shape.extents) points *= extent;
  const int64_t threads = (points + form.vector - 1) / form.vector;
  const int64_t grid = (threads + form.block - 1) / form.block;
  if (grid > architecture.grid_x) {
    return ResourceExhausted("a kernel over ", points, " points; a launch takes ",
                             architecture.grid_x * form.block);
  }

  KernelCode out(kernel, form.takes_length);
  Code& code = out.code();
  const bool is_small = points <= INT32_MAX;
  const std::string_view type = is_small ? "u32" : "u64";
  code.Line("const ", type, " t = (", type, ")blockIdx.x * ", form.block, "u + threadIdx.x;");
  std::string part;
  Point point(shape.extents.size());
  if (form.takes_length) {
    code.Line("if (t * ", form.vector, "u >= n) return;");
    code.Line("const s32 p0 = (s32)(t * ", form.vector, "u);");
    point[0] = "p0";
    if (form.vector > 1) {
      code.Line("const u32 m = n - (u32)p0;");
      part = "m";
    }
  } else {
    code.Line("if (t >= ", threads, is_small ? "u" : "ull", ") return;");
    for (int32_t d = 0; d < rank; ++d) point[static_cast<size_t>(d)] = StrCat("p", d);
    if (rank > 0) {
      out.Split(form.vector == 1 ? "t" : StrCat("t * ", form.vector, "u"), points, 0, point);
    }
  }
  out.Begin();
  std::vector<int32_t> phases(kernel.body.phases.size());
  std::iota(phases.begin(), phases.end(), 0);
  PLINTH_RETURN_IF_ERROR(out.Points(
      phases, point, rank - 1, form.vector, part,
      [&](int32_t phase, int32_t node) { return out.ValueName(phase, node); },
      [](int32_t, std::string_view) { return Status(); }));

  std::vector<std::string> parameters = out.parameters();
  Action action;
  action.arguments = out.arguments();
  if (form.takes_length) {
    parameters.push_back("u32 n");
    action.arguments.push_back({Argument::Kind::kU32, 0, 0, static_cast<uint64_t>(points)});
  }
  action.kernel = MakeKernel(parameters, code.Take(), form.block, false);
  action.grid = static_cast<uint32_t>(grid);
  action.block = static_cast<uint32_t>(form.block);
  PrintedStep step;
  step.actions.push_back(std::move(action));
  return step;
}

}  // namespace plinth::cuda
