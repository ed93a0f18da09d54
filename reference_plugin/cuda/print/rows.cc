// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cuda/print/forms.h"
#include "reference_plugin/cuda/print/kernel_code.h"
#include "reference_plugin/cuda/print/scalar_text.h"

namespace plinth::cuda {
namespace {

using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;
using compiler::Reduction;

// What changes no value that it is combined with, for the usual ops; then a thread without points
// needs no care.
std::optional<std::string> IdentityText(const compiler::Combiner& combiner, DType type) {
  const std::optional<Opcode> op = compiler::SingleOp(combiner);
  if (!op.has_value()) return std::nullopt;
  const DTypeInfo& info = InfoOf(type);
  const bool is_f64 = type == DType::kF64;
  switch (info.kind) {
    case DTypeClass::kFloat:
      if (*op == Opcode::kAdd) return is_f64 ? "-0.0" : "-0.0f";
      if (*op == Opcode::kMultiply) return is_f64 ? "1.0" : "1.0f";
      if (*op == Opcode::kMaximum) {
        return is_f64 ? "f64_bits(0xfff0000000000000ull)" : "f32_bits(0xff800000u)";
      }
      if (*op == Opcode::kMinimum) {
        return is_f64 ? "f64_bits(0x7ff0000000000000ull)" : "f32_bits(0x7f800000u)";
      }
      return std::nullopt;
    case DTypeClass::kPred:
      if (*op == Opcode::kAnd || *op == Opcode::kMinimum || *op == Opcode::kMultiply) return "true";
      if (*op == Opcode::kOr || *op == Opcode::kMaximum || *op == Opcode::kAdd) return "false";
      if (*op == Opcode::kXor) return "false";
      return std::nullopt;
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned: {
      compiler::ScalarBits bits;
      const bool is_signed = info.kind == DTypeClass::kSigned;
      const uint64_t ones = ~uint64_t{0} >> (64 - info.bits);
      if (*op == Opcode::kAdd || *op == Opcode::kOr || *op == Opcode::kXor)
        return LiteralText(type, bits);
      if (*op == Opcode::kMultiply) bits.low = 1;
      if (*op == Opcode::kAnd) bits.low = ones;
      if (*op == Opcode::kMaximum) bits.low = is_signed ? uint64_t{1} << (info.bits - 1) : 0;
      if (*op == Opcode::kMinimum) bits.low = is_signed ? ones >> 1 : ones;
      return LiteralText(type, bits);
    }
    default:
      return std::nullopt;
  }
}

// What a launch does of a kernel.
enum class Part : uint8_t {
  kAll,
  kParts,  // the first phase, of parts of the rows; what they give goes to scratch
  kRest,   // what the parts have given, combined, and the phases after it
};

class RowPrinter {
 public:
  RowPrinter(const Kernel& kernel, const Form& form, Part part = Part::kAll)
      : kernel_(kernel),
        form_(form),
        part_(part),
        out_(kernel, false),
        code_(out_.code()),
        num_rows_(NumRows(kernel.shape)),
        row_length_(RowLength(kernel.shape)),
        length_(part == Part::kAll     ? row_length_
                : part == Part::kParts ? row_length_ / form.splits
                                       : form.splits) {}

  Expected<PrintedStep> Print(const Architecture& architecture) {
    const int64_t grid =
        (num_rows_ + form_.rows - 1) / form_.rows * (part_ == Part::kParts ? form_.splits : 1);
    if (grid > architecture.grid_x) {
      return ResourceExhausted("a kernel over ", num_rows_, " rows; a launch takes ",
                               architecture.grid_x * form_.rows);
    }
    if (row_length_ > INT32_MAX) {
      return Unimplemented("rows of ", row_length_, " elements; a kernel takes ", INT32_MAX);
    }
    FindKept();
    BeginRows();
    int32_t reduction = 0;
    for (size_t p = 0; p < kernel_.body.phases.size(); ++p) {
      const Phase& phase = kernel_.body.phases[p];
      if (part_ == Part::kParts && p > 0) break;
      if (phase.over_reduced) {
        PLINTH_RETURN_IF_ERROR(PointPhase(static_cast<int32_t>(p), reduction));
        reduction += static_cast<int32_t>(phase.reductions.size());
      } else {
        PLINTH_RETURN_IF_ERROR(RowPhase(static_cast<int32_t>(p)));
      }
    }
    PrintedStep step;
    std::vector<std::string> parameters = out_.parameters();
    Action action;
    action.arguments = out_.arguments();
    if (form_.row_place == RowPlace::kScratch) {
      parameters.push_back("char* scratch");
      action.arguments.push_back({Argument::Kind::kScratch, 0, 0, 0});
      const int64_t bytes = num_rows_ * length_ * RowBytes(kernel_);
      step.scratch_bytes = (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
    }
    if (part_ != Part::kAll) {
      parameters.push_back("char* scratch");
      action.arguments.push_back({Argument::Kind::kScratch, 0, 0, 0});
      step.scratch_bytes = parts_bytes_;
    }
    action.kernel = MakeKernel(parameters, code_.Take(), form_.block, has_barriers_);
    action.grid = static_cast<uint32_t>(grid);
    action.block = static_cast<uint32_t>(form_.block);
    step.actions.push_back(std::move(action));
    return step;
  }

 private:
  struct Kept {
    int32_t phase, node;
    DType type;
    int64_t scratch_offset;  // kScratch: of all rows together
  };

  int64_t steps() const { return length_ / form_.vector; }
  // Steps that a thread takes, at most.
  int64_t turns() const { return (steps() + form_.slices - 1) / form_.slices; }
  // Threads of a row that have points.
  int64_t live() const {
    if (steps() == 0) return 0;
    return form_.in_order ? (steps() + turns() - 1) / turns()
                          : std::min<int64_t>(steps(), form_.slices);
  }

  void FindKept() {
    if (form_.keeps_inputs) kept_inputs_ = KeptInputs(kernel_, form_.vector);
    std::set<std::pair<int32_t, int32_t>> nodes;
    for (const Phase& phase : kernel_.body.phases) {
      for (const Node& node : phase.nodes) {
        const bool is_kept =
            node.kind == NodeKind::kRow && kernel_.body.phases[node.index].over_reduced;
        if (is_kept) nodes.insert({node.index, node.component});
      }
    }
    for (const auto& [phase, node] : nodes) {
      kept_.push_back({phase, node, kernel_.body.phases[phase].nodes[node].dtype, 0});
    }
    // Wide elements first, so that each array lies at a multiple of its elements' size.
    std::stable_sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) {
      return ByteSize(a.type) > ByteSize(b.type);
    });
    int64_t offset = 0;
    for (Kept& kept : kept_) {
      kept.scratch_offset = offset;
      offset += num_rows_ * length_ * ByteSize(kept.type);
    }
  }

  std::string KeptName(int32_t phase, int32_t node) const { return StrCat("k", phase, "_", node); }

  // Threads get their row and their place in it.
  void BeginRows() {
    const bool one = form_.rows == 1;
    const std::string_view type = num_rows_ > INT32_MAX / 2 ? "u64" : "u32";
    std::string in_block = "0u", slice = "threadIdx.x";
    if (form_.slices == 1) {
      in_block = "threadIdx.x", slice = "0u";
    } else if (!one && form_.rows_fastest) {
      in_block = StrCat("threadIdx.x % ", form_.rows, "u");
      slice = StrCat("threadIdx.x / ", form_.rows, "u");
    } else if (!one) {
      in_block = StrCat("threadIdx.x / ", form_.slices, "u");
      slice = StrCat("threadIdx.x % ", form_.slices, "u");
    }
    code_.Line("const u32 in_block = ", in_block, ", slice = ", slice, ";");
    std::string block = "blockIdx.x";
    if (part_ == Part::kParts) {
      code_.Line("const u32 split = blockIdx.x % ", form_.splits, "u;");
      block = StrCat("(blockIdx.x / ", form_.splits, "u)");
    }
    code_.Line("const ", type, " row = (", type, ")", block, " * ", form_.rows, "u + in_block;");
    // Threads without a row go on to the barriers.
    const bool fills_blocks = num_rows_ % form_.rows == 0;
    if (form_.slices > 1) {
      code_.Line("const bool on = ", fills_blocks ? "true" : StrCat("row < ", num_rows_, "u"), ";");
    } else if (!fills_blocks) {
      code_.Line("if (row >= ", num_rows_, "u) return;");
    }
    const int32_t parallel = kernel_.shape.num_parallel;
    point_.assign(kernel_.shape.extents.size(), "0");
    std::vector<std::string> names;
    for (int32_t d = 0; d < parallel; ++d) {
      point_[static_cast<size_t>(d)] = StrCat("p", d);
      names.push_back(StrCat("p", d));
    }
    if (parallel > 0) out_.Split("row", num_rows_, 0, names);
    out_.Begin();
    for (const Kept& kept : kept_) {
      const std::string name = KeptName(kept.phase, kept.node);
      const std::string type_name = BitsType(kept.type);
      if (form_.row_place == RowPlace::kRegisters) {
        code_.Line(type_name, " ", name, "[", std::max<int64_t>(1, turns() * form_.vector), "];");
      } else if (form_.row_place == RowPlace::kShared) {
        code_.Line("__shared__ ", type_name, " ", name, "[",
                   std::max<int64_t>(1, form_.rows * length_), "];");
      } else {
        code_.Line(type_name, "* ", name, " = (", type_name, "*)(scratch + ", kept.scratch_offset,
                   "ll) + (s64)row * ", length_, ";");
      }
    }
  }

  // The place of a kept value of the current point.
  std::string KeptPlace(int32_t phase, int32_t node, std::string_view j) const {
    const std::string name = KeptName(phase, node);
    switch (form_.row_place) {
      case RowPlace::kRegisters:
        return StrCat(name, "[k * ", form_.vector, " + ", j, "]");
      case RowPlace::kShared:
        return StrCat(name, "[in_block * ", length_, "u + q + ", j, "]");
      default:
        return StrCat(name, "[q + ", j, "]");
    }
  }

  // Once per row: every thread of it computes, one stores, when all have read.
  Status RowPhase(int32_t number) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    const bool guards = form_.slices > 1;
    // Nodes stay in scope for later phases; without a row they read the last one's elements.
    if (guards) {
      for (size_t n = 0; n < phase.nodes.size(); ++n) {
        const int32_t node = static_cast<int32_t>(n);
        if (IsReadLater(number, node) || IsStored(phase, node)) {
          code_.Line(ValueType(phase.nodes[n].dtype), " w", number, "_", n, ";");
        }
      }
      code_.Open("if (on)");
    }
    PLINTH_RETURN_IF_ERROR(out_.Nodes(
        number, point_, [](int32_t) { return std::string(); },
        [](int32_t, int32_t) { return std::string(); }));
    if (guards) {
      for (size_t n = 0; n < phase.nodes.size(); ++n) {
        const int32_t node = static_cast<int32_t>(n);
        if (IsReadLater(number, node) || IsStored(phase, node)) {
          code_.Line("w", number, "_", n, " = ", out_.ValueName(number, node), ";");
        }
      }
      code_.Close();
      for (size_t n = 0; n < phase.nodes.size(); ++n) {
        const int32_t node = static_cast<int32_t>(n);
        if (IsReadLater(number, node) || IsStored(phase, node)) {
          code_.Line("const ", ValueType(phase.nodes[n].dtype), " ", out_.ValueName(number, node),
                     " = w", number, "_", n, ";");
        }
      }
      if (!phase.stores.empty()) {
        Barrier();
        code_.Open("if (on && slice == 0)");
      }
    }
    for (const compiler::Store& store : phase.stores) {
      code_.Line("st<", TypeText(kernel_.shape.outputs[static_cast<size_t>(store.output)].dtype),
                 ">(", out_.OutputAddress(store.output, point_), ", ",
                 out_.ValueName(number, store.node), ");");
    }
    if (guards && !phase.stores.empty()) code_.Close();
    return Status();
  }

  static bool IsStored(const Phase& phase, int32_t node) {
    return std::any_of(phase.stores.begin(), phase.stores.end(),
                       [&](const compiler::Store& store) { return store.node == node; });
  }
  bool IsReadLater(int32_t number, int32_t component) const {
    for (const Phase& phase : kernel_.body.phases) {
      for (const Node& node : phase.nodes) {
        if (node.kind == NodeKind::kRow && node.index == number && node.component == component) {
          return true;
        }
      }
    }
    return false;
  }

  // All threads of a row have come here.
  void Barrier() {
    has_barriers_ = true;
    const bool in_warp = !form_.rows_fastest && form_.slices <= kWarp;
    code_.Line(in_warp ? "__syncwarp();" : "__syncthreads();");
  }

  std::string Accumulator(int32_t reduction, size_t component) const {
    return StrCat("c", reduction, "_", component);
  }

  Status PointPhase(int32_t number, int32_t first_reduction) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    for (size_t r = 0; r < phase.reductions.size(); ++r) {
      const Reduction& reduction = phase.reductions[r];
      const int32_t name = first_reduction + static_cast<int32_t>(r);
      const std::optional<std::string> identity = IdentityOf(phase, reduction);
      if (!identity.has_value()) code_.Line("bool h", name, " = false;");
      for (size_t c = 0; c < reduction.inputs.size(); ++c) {
        const DType type = phase.nodes[reduction.inputs[c]].dtype;
        if (identity.has_value()) {
          code_.Line(ValueType(type), " ", Accumulator(name, c), " = ", *identity, ";");
        } else {
          code_.Line(ValueType(type), " ", Accumulator(name, c), " = ", ValueType(type), "();");
        }
      }
    }
    if (length_ > 0) {
      ReadInputs(number);
      PLINTH_RETURN_IF_ERROR(PointLoop(number, first_reduction));
    }
    for (size_t r = 0; r < phase.reductions.size(); ++r) {
      PLINTH_RETURN_IF_ERROR(
          Finish(number, phase.reductions[r], first_reduction + static_cast<int32_t>(r)));
    }
    return Status();
  }

  // The loop over a thread's points, and their place q in the row.
  void OpenLoop() {
    if (form_.row_place == RowPlace::kRegisters || form_.keeps_inputs) {
      code_.Line("#pragma unroll");
    }
    code_.Open("for (u32 k = 0; k < ", turns(), "u; ++k)");
    if (form_.in_order) {
      code_.Line("const u32 q = slice * ", turns(), "u + k;");
    } else {
      code_.Line("const u32 q = (k * ", form_.slices, "u + slice) * ", form_.vector, "u;");
    }
    std::string condition = form_.slices > 1 ? "on" : "";
    if (steps() != turns() * form_.slices) {
      condition += StrCat(condition.empty() ? "" : " && ", "q < ", length_, "u");
    }
    code_.Open(condition.empty() ? "" : StrCat("if (", condition, ")"));
  }
  void CloseLoop() {
    code_.Close();
    code_.Close();
  }

  // Declares the coordinates of q.
  Point PointOf() {
    Point point = point_;
    const int32_t parallel = kernel_.shape.num_parallel;
    const int32_t rank = static_cast<int32_t>(kernel_.shape.extents.size());
    std::vector<std::string> names;
    for (int32_t d = parallel; d < rank; ++d) {
      point[static_cast<size_t>(d)] = StrCat("q", d);
      names.push_back(StrCat("q", d));
    }
    if (parallel < rank) {
      const std::string at = part_ == Part::kParts ? StrCat("split * ", length_, "u + q") : "q";
      out_.Split(at, row_length_, parallel, names);
    }
    return point;
  }

  // What is kept of inputs from this phase on. All of it is under way before anything is done with
  // it: a loop that computes, too, may not read ahead.
  void ReadInputs(int32_t number) {
    std::vector<int32_t> inputs;
    for (int32_t input : kept_inputs_) {
      if (ReadersOf(kernel_, input).first == number) inputs.push_back(input);
    }
    if (inputs.empty()) return;
    for (int32_t input : inputs) {
      code_.Line(out_.PackType(input, form_.vector), " e", input, "[", turns(), "];");
    }
    OpenLoop();
    const Point point = PointOf();
    for (int32_t input : inputs) {
      code_.Line("e", input, "[k] = ", out_.PackText(input, point, form_.vector), ";");
    }
    CloseLoop();
  }

  Status PointLoop(int32_t number, int32_t first_reduction) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    OpenLoop();
    if (part_ == Part::kRest) {
      for (size_t r = 0; r < phase.reductions.size(); ++r) {
        const int32_t name = first_reduction + static_cast<int32_t>(r);
        std::vector<std::string> elements;
        for (size_t c = 0; c < phase.reductions[r].inputs.size(); ++c) {
          elements.push_back(PartPlace(phase, phase.reductions[r], name, c, "q"));
        }
        PLINTH_RETURN_IF_ERROR(Accumulate(number, phase.reductions[r], name, elements));
      }
      CloseLoop();
      return Status();
    }
    const Point point = PointOf();
    const auto rank = static_cast<int32_t>(kernel_.shape.extents.size());
    auto row = [&](int32_t phase_number, int32_t node) {
      const DType type = kernel_.body.phases[static_cast<size_t>(phase_number)]
                             .nodes[static_cast<size_t>(node)]
                             .dtype;
      return StrCat(TypeText(type), "::from(",
                    KeptPlace(phase_number, node, form_.vector > 1 ? "j" : "0"), ")");
    };
    auto after = [&](int32_t phase_number, std::string_view j) -> Status {
      for (const Kept& kept : kept_) {
        if (kept.phase != phase_number) continue;
        code_.Line(KeptPlace(kept.phase, kept.node, j), " = ", TypeText(kept.type), "::bits(",
                   out_.ValueName(kept.phase, kept.node), ");");
      }
      for (size_t r = 0; r < phase.reductions.size(); ++r) {
        std::vector<std::string> elements;
        for (int32_t input : phase.reductions[r].inputs) {
          elements.push_back(out_.ValueName(phase_number, input));
        }
        PLINTH_RETURN_IF_ERROR(Accumulate(phase_number, phase.reductions[r],
                                          first_reduction + static_cast<int32_t>(r), elements));
      }
      return Status();
    };
    auto kept = [&](int32_t input) {
      const bool has =
          std::find(kept_inputs_.begin(), kept_inputs_.end(), input) != kept_inputs_.end();
      return has ? StrCat("e", input, "[k]") : std::string();
    };
    const int32_t phases[] = {number};
    PLINTH_RETURN_IF_ERROR(
        out_.Points(phases, point, rank - 1, form_.vector, "", row, after, kept));
    CloseLoop();
    return Status();
  }

  static std::optional<std::string> IdentityOf(const Phase& phase, const Reduction& reduction) {
    if (reduction.inputs.size() != 1) return std::nullopt;
    return IdentityText(reduction.combiner, phase.nodes[reduction.inputs[0]].dtype);
  }

  // c = combiner(left, right): statements that assign to the accumulators.
  Status Combine(int32_t number, const Reduction& reduction, int32_t name,
                 const std::vector<std::string>& left, const std::vector<std::string>& right) {
    std::vector<std::string> parameters = left;
    parameters.insert(parameters.end(), right.begin(), right.end());
    for (int32_t captured : reduction.captured) {
      parameters.push_back(StrCat("(", out_.UniformValue(number, captured), ")"));
    }
    PLINTH_ASSIGN_OR_RETURN(CombinedText text, CombineText(reduction.combiner, parameters, "x"));
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    for (const std::string& statement : text.statements) code_.Line(statement);
    if (text.results.size() == 1) {
      code_.Line(Accumulator(name, 0), " = ", text.results[0], ";");
      return Status();
    }
    for (size_t c = 0; c < text.results.size(); ++c) {
      code_.Line("const ", ValueType(phase.nodes[reduction.inputs[c]].dtype), " y", c, " = ",
                 text.results[c], ";");
    }
    for (size_t c = 0; c < text.results.size(); ++c) {
      code_.Line(Accumulator(name, c), " = y", c, ";");
    }
    return Status();
  }

  std::vector<std::string> Accumulators(const Reduction& reduction, int32_t name) const {
    std::vector<std::string> names;
    for (size_t c = 0; c < reduction.inputs.size(); ++c) names.push_back(Accumulator(name, c));
    return names;
  }

  // Where the parts' values lie in scratch: for each row one of each part.
  std::string PartPlace(const Phase& phase, const Reduction& reduction, int32_t name,
                        size_t component, std::string_view split) {
    const DType type = phase.nodes[reduction.inputs[component]].dtype;
    const auto [place, is_new] =
        parts_.try_emplace({name, static_cast<int32_t>(component)}, parts_bytes_);
    if (is_new) {
      // A value of a narrow float takes four bytes.
      const int64_t bytes = num_rows_ * form_.splits * std::max<int64_t>(ByteSize(type), 4);
      parts_bytes_ += (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
    }
    return StrCat("((", ValueType(type), "*)(scratch + ", place->second, "ll))[row * ",
                  form_.splits, "u + ", split, "]");
  }

  Status Accumulate(int32_t number, const Reduction& reduction, int32_t name,
                    const std::vector<std::string>& elements) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    const bool has_identity = IdentityOf(phase, reduction).has_value();
    if (has_identity) {
      code_.Open("");
    } else {
      code_.Open("if (!h", name, ")");
      for (size_t c = 0; c < elements.size(); ++c) {
        code_.Line(Accumulator(name, c), " = ", elements[c], ";");
      }
      code_.Line("h", name, " = true;");
      code_.Close();
      code_.Open("else");
    }
    PLINTH_RETURN_IF_ERROR(
        Combine(number, reduction, name, Accumulators(reduction, name), elements));
    code_.Close();
    return Status();
  }

  // All threads' parts into one, the same in every thread; then the initial value; then rounded.
  Status Finish(int32_t number, const Reduction& reduction, int32_t name) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    if (live() > 1) {
      if (form_.rows_fastest) {
        PLINTH_RETURN_IF_ERROR(ThroughShared(number, reduction, name));
      } else {
        PLINTH_RETURN_IF_ERROR(ThroughWarps(number, reduction, name));
      }
    } else if (live() == 1 && form_.slices > 1) {
      return Internal("several threads take a row of one step");
    }
    if (part_ == Part::kParts) {
      for (size_t c = 0; c < reduction.inputs.size(); ++c) {
        code_.Line(form_.slices > 1 ? "if (on && slice == 0) " : "",
                   PartPlace(phase, reduction, name, c, "split"), " = ", Accumulator(name, c), ";");
      }
      return Status();
    }
    std::vector<std::string> initial;
    for (size_t c = 0; c < reduction.inputs.size(); ++c) {
      const DType type = phase.nodes[reduction.inputs[c]].dtype;
      initial.push_back(StrCat("z", name, "_", c));
      code_.Line("const ", ValueType(type), " ", initial.back(), " = ",
                 out_.UniformValue(number, reduction.initial[c]), ";");
    }
    if (length_ == 0) {
      for (size_t c = 0; c < initial.size(); ++c) {
        code_.Line(Accumulator(name, c), " = ", initial[c], ";");
      }
    } else {
      code_.Open("");
      PLINTH_RETURN_IF_ERROR(
          Combine(number, reduction, name, initial, Accumulators(reduction, name)));
      code_.Close();
    }
    for (size_t c = 0; c < reduction.inputs.size(); ++c) {
      const DType type = phase.nodes[reduction.inputs[c]].dtype;
      const std::string value = Accumulator(name, c);
      code_.Line("const ", ValueType(type), " ", out_.ReducedName(name, static_cast<int32_t>(c)),
                 " = ", IsWrapped(type) ? StrCat(TypeText(type), "::wrap(", value, ")") : value,
                 ";");
    }
    return Status();
  }

  // Warps exchange by shuffles, in the order of lanes; then the block through shared memory, in the
  // order of warps.
  Status ThroughWarps(int32_t number, const Reduction& reduction, int32_t name) {
    has_barriers_ = true;
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    const bool has_identity = IdentityOf(phase, reduction).has_value();
    const int32_t width = std::min(form_.slices, kWarp);
    for (int32_t distance = 1; distance < std::min<int64_t>(width, live()); distance *= 2) {
      code_.Open("");
      std::vector<std::string> right;
      for (size_t c = 0; c < reduction.inputs.size(); ++c) {
        right.push_back(StrCat("t", c));
        code_.Line("const ", ValueType(phase.nodes[reduction.inputs[c]].dtype), " t", c,
                   " = from_above(", Accumulator(name, c), ", ", distance, "u);");
      }
      // Lanes that are not at the start of their part have no use for what they compute.
      std::string condition = StrCat("slice % ", width, "u + ", distance, "u < ", width, "u");
      if (!has_identity) condition += StrCat(" && slice + ", distance, "u < ", live(), "u");
      code_.Open("if (", condition, ")");
      PLINTH_RETURN_IF_ERROR(
          Combine(number, reduction, name, Accumulators(reduction, name), right));
      code_.Close();
      code_.Close();
    }
    if (form_.slices <= kWarp) {
      for (size_t c = 0; c < reduction.inputs.size(); ++c) {
        code_.Line(Accumulator(name, c), " = from_lane(", Accumulator(name, c),
                   ", (threadIdx.x & 31u) & ~", form_.slices - 1, "u);");
      }
      return Status();
    }
    const int32_t warps = form_.slices / kWarp;
    const int64_t live_warps = (live() + kWarp - 1) / kWarp;
    for (size_t c = 0; c < reduction.inputs.size(); ++c) {
      const std::string type = ValueType(phase.nodes[reduction.inputs[c]].dtype);
      code_.Line("__shared__ ", type, " m", name, "_", c, "[", form_.rows * warps, "];");
      code_.Line("if (slice % 32u == 0) m", name, "_", c, "[in_block * ", warps,
                 "u + slice / 32u] = ", Accumulator(name, c), ";");
    }
    code_.Line("__syncthreads();");
    for (size_t c = 0; c < reduction.inputs.size(); ++c) {
      code_.Line(Accumulator(name, c), " = m", name, "_", c, "[in_block * ", warps, "u];");
    }
    if (live_warps > 1) {
      code_.Open("for (u32 w = 1; w < ", live_warps, "u; ++w)");
      std::vector<std::string> right;
      for (size_t c = 0; c < reduction.inputs.size(); ++c) {
        right.push_back(StrCat("m", name, "_", c, "[in_block * ", warps, "u + w]"));
      }
      PLINTH_RETURN_IF_ERROR(
          Combine(number, reduction, name, Accumulators(reduction, name), right));
      code_.Close();
    }
    return Status();
  }

  // Every thread puts down its part; all of them combine those of their row in the order of slices.
  Status ThroughShared(int32_t number, const Reduction& reduction, int32_t name) {
    has_barriers_ = true;
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    for (size_t c = 0; c < reduction.inputs.size(); ++c) {
      const std::string type = ValueType(phase.nodes[reduction.inputs[c]].dtype);
      code_.Line("__shared__ ", type, " m", name, "_", c, "[", form_.block, "];");
      code_.Line("m", name, "_", c, "[slice * ", form_.rows,
                 "u + in_block] = ", Accumulator(name, c), ";");
    }
    code_.Line("__syncthreads();");
    for (size_t c = 0; c < reduction.inputs.size(); ++c) {
      code_.Line(Accumulator(name, c), " = m", name, "_", c, "[in_block];");
    }
    code_.Open("for (u32 s = 1; s < ", live(), "u; ++s)");
    std::vector<std::string> right;
    for (size_t c = 0; c < reduction.inputs.size(); ++c) {
      right.push_back(StrCat("m", name, "_", c, "[s * ", form_.rows, "u + in_block]"));
    }
    PLINTH_RETURN_IF_ERROR(Combine(number, reduction, name, Accumulators(reduction, name), right));
    code_.Close();
    return Status();
  }

  const Kernel& kernel_;
  const Form& form_;
  const Part part_;
  KernelCode out_;
  Code& code_;
  const int64_t num_rows_, row_length_;
  const int64_t length_;                                  // of what a block takes of a row
  std::map<std::pair<int32_t, int32_t>, int64_t> parts_;  // (reduction, component): offset
  int64_t parts_bytes_ = 0;
  Point point_;  // of the row: zeros in the reduced dimensions
  std::vector<Kept> kept_;
  std::vector<int32_t> kept_inputs_;
  bool has_barriers_ = false;
};

}  // namespace

Expected<PrintedStep> PrintRows(const Kernel& kernel, const Form& form,
                                const Architecture& architecture) {
  if (form.splits == 1) return RowPrinter(kernel, form).Print(architecture);
  PLINTH_ASSIGN_OR_RETURN(PrintedStep step,
                          RowPrinter(kernel, form, Part::kParts).Print(architecture));
  // A warp combines the parts of a row.
  Form rest;
  rest.kind = FormKind::kRows;
  rest.slices = kWarp;
  rest.rows = rest.block / kWarp;
  rest.in_order = form.in_order;
  rest.splits = form.splits;
  PLINTH_ASSIGN_OR_RETURN(PrintedStep end,
                          RowPrinter(kernel, rest, Part::kRest).Print(architecture));
  step.actions.push_back(std::move(end.actions[0]));
  return step;
}

}  // namespace plinth::cuda
