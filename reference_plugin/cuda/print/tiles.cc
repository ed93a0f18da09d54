// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/forms.h"
#include "reference_plugin/cuda/print/kernel_code.h"
#include "reference_plugin/cuda/print/scalar_text.h"

namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Phase;

class TilePrinter {
 public:
  TilePrinter(const Kernel& kernel, const Form& form)
      : kernel_(kernel),
        form_(form),
        out_(kernel, /*takes_length=*/false),
        last_(kernel.shape.extents.size() - 1),
        turned_(static_cast<size_t>(form.turned_dim)) {}

  Expected<PrintedStep> Print(const Architecture& architecture) {
    const compiler::Dims& extents = kernel_.shape.extents;
    const int64_t across = TilesOf(extents[last_]), down = TilesOf(extents[turned_]);
    double others = 1;
    for (size_t d = 0; d < extents.size(); ++d) {
      if (d != last_ && d != turned_) others *= static_cast<double>(extents[d]);
    }
    const double blocks = others * static_cast<double>(across) * static_cast<double>(down);
    if (blocks > static_cast<double>(architecture.grid_x)) {
      return ResourceExhausted("a kernel of ", blocks, " tiles; a launch takes ",
                               architecture.grid_x);
    }
    const auto grid = static_cast<uint32_t>(blocks);
    Code& code = out_.code();
    code.Line("const u32 tile = blockIdx.x % ", across * down, "u, rest = blockIdx.x / ",
              across * down, "u;");
    code.Line("const u32 x = threadIdx.x % ", kTile, "u, y = threadIdx.x / ", kTile, "u;");
    const std::string_view type = out_.index_type();
    code.Line("const ", type, " down0 = (", type, ")(tile / ", across, "u * ", kTile,
              "u), across0 = (", type, ")(tile % ", across, "u * ", kTile, "u);");
    Others(extents);
    out_.Begin();
    const bool has_inputs = Declare(kernel_.shape.inputs, 'q');
    const bool has_outputs = Declare(kernel_.shape.outputs, 'w');
    ReadAhead();
    if (has_inputs) {
      Open("x", "y");
      Fetch();
      Close();
      code.Line("__syncthreads();");
    }
    Open("y", "x");
    PLINTH_RETURN_IF_ERROR(Compute());
    Close();
    if (has_outputs) {
      code.Line("__syncthreads();");
      Open("x", "y");
      Put();
      Close();
    }
    Action action;
    action.arguments = out_.arguments();
    action.kernel = MakeKernel(out_.parameters(), code.Take(), form_.block, true);
    action.grid = grid;
    action.block = static_cast<uint32_t>(form_.block);
    PrintedStep step;
    step.actions.push_back(std::move(action));
    return step;
  }

 private:
  static int64_t TilesOf(int64_t extent) { return (extent + kTile - 1) / kTile; }

  bool IsTurned(const Access& access) const { return cuda::IsTurned(access, form_.turned_dim); }

  // The coordinates of dimensions that lie in no tile, from the number `rest`.
  void Others(const compiler::Dims& extents) {
    point_.resize(extents.size());
    point_[turned_] = "down";
    point_[last_] = "across";
    std::string rest = "rest";
    for (size_t d = extents.size(); d-- > 0;) {
      if (d == last_ || d == turned_) continue;
      point_[d] = StrCat("p", d);
      out_.code().Line("const ", out_.index_type(), " p", d, " = (", out_.index_type(), ")(", rest,
                       " % ", extents[d], "u);");
      out_.code().Line("const u32 rest", d, " = ", rest, " / ", extents[d], "u;");
      rest = StrCat("rest", d);
    }
  }

  // One more column keeps threads that go down a tile out of each other's banks.
  bool Declare(const std::vector<Access>& accesses, char prefix) {
    bool any = false;
    for (size_t a = 0; a < accesses.size(); ++a) {
      if (!IsTurned(accesses[a])) continue;
      any = true;
      out_.code().Line("__shared__ ", ValueType(accesses[a].dtype), " ", prefix, a, "[", kTile,
                       "][", kTile + 1, "];");
    }
    return any;
  }

  // Each thread takes some points of the tile: those with its number in one direction, and every
  // so many in the other.
  void Open(std::string_view down, std::string_view across) {
    const int32_t rows = form_.block / kTile;
    auto place = [&](std::string_view name) {
      return name == "x" ? std::string("x") : StrCat("y + ", rows, "u * e");
    };
    Code& code = out_.code();
    code.Line("#pragma unroll");
    code.Open("for (u32 e = 0; e < ", kTile / rows, "u; ++e)");
    code.Line("const u32 i = ", place(across), ", j = ", place(down), ";");
    code.Line("const ", out_.index_type(), " down = down0 + (", out_.index_type(),
              ")j, across = across0 + (", out_.index_type(), ")i;");
    code.Open("if (down < ", kernel_.shape.extents[turned_], " && across < ",
              kernel_.shape.extents[last_], ")");
  }
  void Close() {
    out_.code().Close();
    out_.code().Close();
  }

  void Fetch() {
    for (size_t a = 0; a < kernel_.shape.inputs.size(); ++a) {
      if (!IsTurned(kernel_.shape.inputs[a])) continue;
      out_.code().Line("q", a, "[i][j] = ", out_.LoadText(static_cast<int32_t>(a), point_), ";");
    }
  }

  // Whether a thread reads its elements of the input before it computes any: a store in between
  // would hold the next load up.
  bool IsReadAhead(const Access& access) const {
    constexpr size_t kMost = 8;  // each takes a register for every point of the thread
    return !IsTurned(access) && access.bounds.empty() && access.byte_strides[last_] != 0 &&
           kernel_.shape.inputs.size() <= kMost;
  }
  void ReadAhead() {
    bool any = false;
    for (size_t a = 0; a < kernel_.shape.inputs.size(); ++a) {
      const Access& access = kernel_.shape.inputs[a];
      if (!IsReadAhead(access)) continue;
      any = true;
      out_.code().Line(out_.PackType(static_cast<int32_t>(a), 1), " e", a, "[",
                       kTile * kTile / form_.block, "];");
    }
    if (!any) return;
    Open("y", "x");
    for (size_t a = 0; a < kernel_.shape.inputs.size(); ++a) {
      if (!IsReadAhead(kernel_.shape.inputs[a])) continue;
      const auto input = static_cast<int32_t>(a);
      out_.code().Line("e", a, "[e] = ", out_.PackText(input, point_, 1), ";");
    }
    Close();
  }

  Status Compute() {
    for (size_t p = 0; p < kernel_.body.phases.size(); ++p) {
      const Phase& phase = kernel_.body.phases[p];
      const auto number = static_cast<int32_t>(p);
      PLINTH_RETURN_IF_ERROR(out_.Nodes(
          number, point_,
          [&](int32_t node) {
            const int32_t input = phase.nodes[static_cast<size_t>(node)].index;
            const Access& access = kernel_.shape.inputs[static_cast<size_t>(input)];
            if (IsTurned(access)) return StrCat("q", input, "[i][j]");
            if (!IsReadAhead(access)) return std::string();
            return StrCat(TypeText(access.dtype), "::from(e", input, "[e])");
          },
          [&](int32_t earlier, int32_t node) { return out_.ValueName(earlier, node); }));
      for (const compiler::Store& store : phase.stores) {
        const Access& access = kernel_.shape.outputs[static_cast<size_t>(store.output)];
        const std::string value = out_.ValueName(number, store.node);
        if (IsTurned(access)) {
          out_.code().Line("w", store.output, "[i][j] = ", value, ";");
        } else {
          out_.code().Line("st<", TypeText(access.dtype), ">(",
                           out_.OutputAddress(store.output, point_), ", ", value, ");");
        }
      }
    }
    return Status();
  }

  void Put() {
    for (size_t a = 0; a < kernel_.shape.outputs.size(); ++a) {
      const Access& access = kernel_.shape.outputs[a];
      if (!IsTurned(access)) continue;
      out_.code().Line("st<", TypeText(access.dtype), ">(",
                       out_.OutputAddress(static_cast<int32_t>(a), point_), ", w", a, "[i][j]);");
    }
  }

  const Kernel& kernel_;
  const Form& form_;
  KernelCode out_;
  const size_t last_, turned_;
  Point point_;
};

}  // namespace

// A block takes a tile of two dimensions: what lies along one of them is read along it into shared
// memory, everything else is read and written along the other. All of a tile's turned elements are
// read before any of its points is written, which working in place relies on.
Expected<PrintedStep> PrintTiles(const compiler::Kernel& kernel, const Form& form,
                                 const Architecture& architecture) {
  return TilePrinter(kernel, form).Print(architecture);
}

}  // namespace plinth::cuda
