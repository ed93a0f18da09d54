// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "reference_plugin/cuda/print/forms.h"
#include "reference_plugin/cuda/print/kernel_code.h"

namespace plinth::cuda {
namespace {

class PointPrinter {
 public:
  PointPrinter(const compiler::Kernel& kernel, const Form& form, int64_t points)
      : kernel_(kernel),
        form_(form),
        points_(points),
        vectors_((points + form.vector - 1) / form.vector),
        per_block_(int64_t{form.block} * form.turns),
        is_small_(points <= INT32_MAX),
        phases_(kernel.body.phases.size()),
        out_(kernel, form.takes_length),
        code_(out_.code()) {
    std::iota(phases_.begin(), phases_.end(), 0);
  }

  Expected<PrintedStep> Print(const Architecture& architecture) {
    const int64_t grid = (vectors_ + per_block_ - 1) / per_block_;
    if (grid > architecture.grid_x) {
      return ResourceExhausted("a kernel over ", points_, " points; a launch takes ",
                               architecture.grid_x * per_block_ * form_.vector);
    }
    const std::string_view type = is_small_ ? "u32" : "u64";
    code_.Line("const ", type, " t = (", type, ")blockIdx.x * ", per_block_, "u + threadIdx.x;");
    PLINTH_RETURN_IF_ERROR(form_.turns == 1 && form_.vector == 1 ? OnePoint() : ManyPoints());
    Action action;
    action.arguments = out_.arguments();
    std::vector<std::string> parameters = out_.parameters();
    if (form_.takes_length) {
      parameters.push_back("u32 n");
      action.arguments.push_back({Argument::Kind::kU32, 0, 0, static_cast<uint64_t>(points_)});
    }
    action.kernel = MakeKernel(parameters, code_.Take(), form_.block, false);
    action.grid = static_cast<uint32_t>(grid);
    action.block = static_cast<uint32_t>(form_.block);
    PrintedStep step;
    step.actions.push_back(std::move(action));
    return step;
  }

 private:
  std::string LengthText() const {
    return form_.takes_length ? "n" : StrCat(points_, is_small_ ? "u" : "ull");
  }
  // The number of a thread's vector `turn`.
  std::string NumberOf(std::string_view turn) const {
    return form_.turns == 1 ? "t" : StrCat("(t + ", turn, " * ", form_.block, "u)");
  }

  // Declares the coordinates of the point `number`.
  Point PointOf(std::string_view number) {
    Point point;
    for (size_t d = 0; d < kernel_.shape.extents.size(); ++d) point.push_back(StrCat("p", d));
    if (form_.takes_length) {
      code_.Line("const s32 p0 = (s32)(", number, ");");
    } else if (!point.empty()) {
      out_.Split(number, points_, 0, point);
    }
    return point;
  }

  // A point, or a vector of neighbours from the point `number` on.
  Status Compute(std::string_view number, int32_t vector,
                 const std::function<std::string(int32_t)>& kept = nullptr) {
    const Point point = PointOf(number);
    const auto rank = static_cast<int32_t>(kernel_.shape.extents.size());
    return out_.Points(
        phases_, point, rank - 1, vector,
        [&](int32_t phase, int32_t node) { return out_.ValueName(phase, node); },
        [](int32_t, std::string_view) { return Status(); }, kept);
  }

  Status OnePoint() {
    code_.Line("if (t >= ", LengthText(), ") return;");
    out_.Begin();
    return Compute("t", 1);
  }

  // All of a thread's points are there, but for those of the last block.
  Status ManyPoints() {
    out_.Begin();
    const int32_t vector = form_.vector;
    const bool is_whole = !form_.takes_length && vectors_ % per_block_ == 0;
    if (!is_whole) {
      const std::string last = NumberOf(StrCat(form_.turns - 1, "u"));
      code_.Open("if ((", last, " + 1u) * ", vector, "u <= ", LengthText(), ")");
    }
    if (form_.turns == 1) {
      PLINTH_RETURN_IF_ERROR(Compute(StrCat("t * ", vector, "u"), vector));
    } else {
      PLINTH_RETURN_IF_ERROR(Turns());
    }
    if (is_whole) return Status();
    code_.Close();
    code_.Open("else");
    code_.Line("#pragma unroll 1");
    code_.Open("for (u32 i = 0; i < ", form_.turns * vector, "u; ++i)");
    code_.Line("const ", is_small_ ? "u32" : "u64", " at = ", NumberOf(StrCat("i / ", vector, "u")),
               " * ", vector, "u + i % ", vector, "u;");
    code_.Line("if (at >= ", LengthText(), ") break;");
    PLINTH_RETURN_IF_ERROR(Compute("at", 1));
    code_.Close();
    code_.Close();
    return Status();
  }

  // Reads what it can of all turns before it computes the first: no read is moved over a store.
  Status Turns() {
    const int32_t vector = form_.vector;
    const std::vector<int32_t> inputs = InputsAhead(kernel_, vector);
    const auto pack_of = [&](int32_t input) {
      const compiler::Access& access = kernel_.shape.inputs[static_cast<size_t>(input)];
      return access.byte_strides.back() == 0 ? 1 : vector;
    };
    const std::string number = StrCat(NumberOf("k"), " * ", vector, "u");
    for (int32_t input : inputs) {
      code_.Line(out_.PackType(input, pack_of(input)), " e", input, "[", form_.turns, "];");
    }
    code_.Line("#pragma unroll");
    code_.Open("for (u32 k = 0; k < ", form_.turns, "u; ++k)");
    const Point point = PointOf(number);
    for (int32_t input : inputs) {
      code_.Line("e", input, "[k] = ", out_.PackText(input, point, pack_of(input)), ";");
    }
    code_.Close();
    code_.Line("#pragma unroll");
    code_.Open("for (u32 k = 0; k < ", form_.turns, "u; ++k)");
    PLINTH_RETURN_IF_ERROR(Compute(number, vector, [&](int32_t input) {
      const bool is_ahead = std::find(inputs.begin(), inputs.end(), input) != inputs.end();
      return is_ahead ? StrCat("e", input, "[k]") : std::string();
    }));
    code_.Close();
    return Status();
  }

  const compiler::Kernel& kernel_;
  const Form& form_;
  const int64_t points_, vectors_, per_block_;
  const bool is_small_;
  std::vector<int32_t> phases_;
  KernelCode out_;
  Code& code_;
};

}  // namespace

// A thread takes `form.vector` neighbouring points, `form.turns` times, through all phases: it has
// read them before it writes, or writes each after it has read it, which working in place relies
// on.
Expected<PrintedStep> PrintPointwise(const compiler::Kernel& kernel, const Form& form,
                                     const Architecture& architecture) {
  int64_t points = 1;
  for (int64_t extent : kernel.shape.extents) points *= extent;
  return PointPrinter(kernel, form, points).Print(architecture);
}

}  // namespace plinth::cuda
