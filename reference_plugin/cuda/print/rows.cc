// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference_plugin/cuda/print/accumulator.h"
#include "reference_plugin/cuda/print/forms.h"
#include "reference_plugin/cuda/print/kernel_code.h"
#include "reference_plugin/cuda/print/scalar_text.h"

namespace plinth::cuda {
namespace {

using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;
using compiler::Reduction;

// What a launch does of a kernel.
enum class Part : uint8_t {
  kAll,
  kParts,  // the phase over points, of parts of the rows; what they give goes to scratch
  kRest,   // what the parts have given, combined, and the other phases
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
                : part == Part::kParts ? form.part
                                       : form.splits),
        pack_(form.vector * form.columns),
        pack_dim_(form.columns > 1 ? kernel.shape.num_parallel - 1
                                   : static_cast<int32_t>(kernel.shape.extents.size()) - 1) {
    if (form.columns > 1) out_.SetRowValues("w", "[j]");
  }

  Expected<PrintedStep> Print(const Architecture& architecture) {
    const int64_t rows = int64_t{form_.rows} * form_.columns;  // of a block
    const int64_t grid = (num_rows_ + rows - 1) / rows * (part_ == Part::kParts ? form_.splits : 1);
    if (grid > architecture.grid_x) {
      return ResourceExhausted("a kernel over ", num_rows_, " rows; a launch takes ",
                               architecture.grid_x * rows);
    }
    FindKept();
    BeginRows();
    int32_t reduction = 0;
    for (size_t p = 0; p < kernel_.body.phases.size(); ++p) {
      const Phase& phase = kernel_.body.phases[p];
      if (phase.over_reduced) {
        PLINTH_RETURN_IF_ERROR(PointPhase(static_cast<int32_t>(p), reduction));
        reduction += static_cast<int32_t>(phase.reductions.size());
        if (part_ == Part::kParts) break;
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
    action.shared_bytes = static_cast<uint32_t>(form_.launch_shared_bytes);
    step.actions.push_back(std::move(action));
    return step;
  }

 private:
  struct Kept {
    int32_t phase, node;
    DType type;
    int64_t offset;  // kScratch: of all rows together; kShared: of a block's
  };

  int64_t steps() const { return length_ / form_.vector; }
  // Of the last part.
  int64_t last_steps() const {
    return part_ == Part::kParts ? (row_length_ - (form_.splits - 1) * length_) / form_.vector
                                 : steps();
  }
  // Steps that a thread takes, at most.
  int64_t turns() const { return (steps() + form_.slices - 1) / form_.slices; }
  // Threads of a row that have points.
  int64_t live(int64_t steps) const {
    if (steps == 0) return 0;
    return form_.in_order ? (steps + turns() - 1) / turns()
                          : std::min<int64_t>(steps, form_.slices);
  }
  std::string LiveText() const {
    const int64_t all = live(steps()), last = live(last_steps());
    if (all == last) return StrCat(all, "u");
    return StrCat("(split == ", form_.splits - 1, "u ? ", last, "u : ", all, "u)");
  }
  // The type of places in a row, and how numbers of it end.
  std::string_view place_type() const { return length_ > INT32_MAX / 2 ? "u64" : "u32"; }
  std::string_view place_end() const { return length_ > INT32_MAX / 2 ? "ull" : "u"; }

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
    const int64_t rows = form_.row_place == RowPlace::kShared ? form_.rows : num_rows_;
    for (Kept& kept : kept_) {
      kept.offset = offset;
      offset += rows * length_ * ByteSize(kept.type);
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
    if (form_.columns == 1) {
      code_.Line("const ", type, " row = (", type, ")", block, " * ", form_.rows, "u + in_block;");
    } else {
      code_.Line("const ", type, " row = ((", type, ")", block, " * ", form_.rows,
                 "u + in_block) * ", form_.columns, "u;");
    }
    if (steps() != last_steps()) {
      code_.Line("const u32 end = split == ", form_.splits - 1, "u ? ", last_steps() * form_.vector,
                 "u : ", length_, "u;");
    }
    // Threads without a row go on to the barriers.
    const bool fills_blocks = num_rows_ % (int64_t{form_.rows} * form_.columns) == 0;
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
    if (form_.launch_shared_bytes > 0) {
      code_.Line("LAUNCH_SHARED(kept, ", form_.launch_shared_bytes, ");");
    }
    for (const Kept& kept : kept_) {
      const std::string name = KeptName(kept.phase, kept.node);
      const std::string type_name = BitsType(kept.type);
      if (form_.row_place == RowPlace::kRegisters) {
        code_.Line(type_name, " ", name, "[", std::max<int64_t>(1, turns() * form_.vector), "];");
      } else if (form_.launch_shared_bytes > 0) {
        code_.Line(type_name, "* const ", name, " = (", type_name, "*)((char*)kept + ", kept.offset,
                   ");");
      } else if (form_.row_place == RowPlace::kShared) {
        code_.Line("__shared__ ", type_name, " ", name, "[",
                   std::max<int64_t>(1, form_.rows * length_), "];");
      } else {
        code_.Line(type_name, "* ", name, " = (", type_name, "*)(scratch + ", kept.offset,
                   "ll) + (s64)row * ", length_, ";");
      }
    }
  }

  // The place of a kept value of the current point.
  std::string KeptPlace(int32_t phase, int32_t node, std::string_view j) const {
    const std::string name = KeptName(phase, node);
    switch (form_.row_place) {
      case RowPlace::kRegisters:
        return StrCat(name, "[", turn_, " * ", form_.vector, " + ", j, "]");
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
    // What comes before the points is computed for each part, and stored once.
    const bool stores = !phase.stores.empty() && part_ != Part::kParts;
    if (form_.columns > 1) return RowPhaseOfColumns(number);
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
      if (stores) {
        Barrier();
        code_.Open("if (on && slice == 0)");
      }
    }
    for (const compiler::Store& store : phase.stores) {
      if (!stores) break;
      code_.Line("st<", TypeText(kernel_.shape.outputs[static_cast<size_t>(store.output)].dtype),
                 ">(", out_.OutputAddress(store.output, point_), ", ",
                 out_.ValueName(number, store.node), ");");
    }
    if (guards && stores) code_.Close();
    return Status();
  }

  // The same of each of a thread's rows, before the points: what they need of it.
  Status RowPhaseOfColumns(int32_t number) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    std::vector<int32_t> nodes;
    for (size_t n = 0; n < phase.nodes.size(); ++n) {
      if (IsReadLater(number, static_cast<int32_t>(n))) nodes.push_back(static_cast<int32_t>(n));
    }
    if (nodes.empty()) return Status();
    for (int32_t node : nodes) {
      code_.Line(ValueType(phase.nodes[static_cast<size_t>(node)].dtype), " w", number, "_", node,
                 "[", form_.columns, "];");
    }
    code_.Open("if (on)");
    code_.Line("#pragma unroll");
    code_.Open("for (u32 j = 0; j < ", form_.columns, "; ++j)");
    Point point = point_;
    std::string& at = point[static_cast<size_t>(pack_dim_)];
    at = StrCat(at, " + (", out_.index_type(), ")j");
    PLINTH_RETURN_IF_ERROR(out_.Nodes(
        number, point, [](int32_t) { return std::string(); },
        [](int32_t, int32_t) { return std::string(); }));
    for (int32_t node : nodes) {
      code_.Line("w", number, "_", node, "[j] = ", out_.ValueName(number, node), ";");
    }
    code_.Close();
    code_.Close();
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

  Status PointPhase(int32_t number, int32_t first_reduction) {
    const Phase& phase = kernel_.body.phases[static_cast<size_t>(number)];
    std::vector<Accumulator> accumulators;
    for (const Reduction& reduction : phase.reductions) {
      const auto r = static_cast<int32_t>(accumulators.size());
      accumulators.emplace_back(out_, form_, number, reduction, first_reduction + r);
      accumulators.back().Declare();
    }
    if (length_ > 0) {
      ReadInputs(number);
      PLINTH_RETURN_IF_ERROR(PointLoops(number, accumulators));
    }
    for (Accumulator& accumulator : accumulators) PLINTH_RETURN_IF_ERROR(Finish(accumulator));
    return Status();
  }

  // Whether all turns of a thread are written out, so that it can have values of each in registers.
  bool IsUnrolled() const { return form_.row_place == RowPlace::kRegisters || form_.keeps_inputs; }

  // The loop over a thread's points, or over `count` of them from number `first` on, and their
  // place q in the row.
  void OpenLoop(std::string_view first, int64_t count) {
    if (IsUnrolled() || !first.empty()) code_.Line("#pragma unroll");
    const std::string_view type = place_type(), end = place_end();
    code_.Open("for (", type, " k = 0; k < ", count, end, "; ++k)");
    turn_ = first.empty() ? "k" : StrCat("(", first, " + k)");
    if (form_.in_order) {
      code_.Line("const ", type, " q = (slice * ", turns(), end, " + ", turn_, ") * ", form_.vector,
                 "u;");
    } else {
      code_.Line("const ", type, " q = (", turn_, " * ", form_.slices, "u + slice) * ",
                 form_.vector, "u;");
    }
    std::string condition = form_.slices > 1 ? "on" : "";
    const auto require = [&](const std::string& text) {
      condition += StrCat(condition.empty() ? "" : " && ", text);
    };
    const bool has_rest = turns() % count != 0;
    if (steps() != last_steps()) {
      require("q < end");
    } else if (steps() != turns() * form_.slices || (has_rest && !form_.in_order)) {
      require(StrCat("q < ", length_, end));
    }
    // The next point after a thread's run is that of another thread.
    if (has_rest && form_.in_order) require(StrCat(turn_, " < ", turns(), end));
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
      const std::string_view type = row_length_ > INT32_MAX / 2 ? "u64" : "u32";
      const std::string at =
          part_ == Part::kParts ? StrCat("(", type, ")split * ", length_, "u + q") : "q";
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
    ReadTurns(inputs, "", turns());
  }

  void ReadTurns(std::span<const int32_t> inputs, std::string_view first, int64_t count) {
    OpenLoop(first, count);
    const Point point = PointOf();
    for (int32_t input : inputs) {
      code_.Line("e", input, "[k] = ", out_.PackText(input, point, pack_), ";");
    }
    CloseLoop();
  }

  // All turns of a thread: some of them at a time, for which it reads what it can before it
  // computes. A read that waits for arithmetic, or for a store, is slow.
  Status PointLoops(int32_t number, std::span<Accumulator> accumulators) {
    if (part_ == Part::kRest) {
      OpenLoop("", turns());
      for (Accumulator& accumulator : accumulators) {
        PLINTH_RETURN_IF_ERROR(accumulator.Add(PartPlaces(accumulator, "q")));
      }
      CloseLoop();
      return Status();
    }
    ahead_inputs_ = InputsAhead(kernel_, number, pack_dim_, pack_);
    std::erase_if(ahead_inputs_, [&](int32_t input) { return IsKept(input); });
    const int64_t ahead = TurnsAhead(kernel_, form_, number, turns(), ahead_inputs_);
    if (ahead == 1) {
      ahead_inputs_.clear();
      return PointLoop(number, accumulators, "", turns());
    }
    code_.Open("");
    for (int32_t input : ahead_inputs_) {
      code_.Line(out_.PackType(input, pack_), " e", input, "[", ahead, "];");
    }
    const std::string first = ahead < turns() ? "first" : "0u";
    if (ahead < turns()) {
      if (IsUnrolled()) code_.Line("#pragma unroll");
      code_.Open("for (", place_type(), " first = 0; first < ", turns(), place_end(),
                 "; first += ", ahead, "u)");
    }
    ReadTurns(ahead_inputs_, first, ahead);
    PLINTH_RETURN_IF_ERROR(PointLoop(number, accumulators, first, ahead));
    if (ahead < turns()) code_.Close();
    code_.Close();
    return Status();
  }

  bool IsKept(int32_t input) const {
    return std::find(kept_inputs_.begin(), kept_inputs_.end(), input) != kept_inputs_.end();
  }

  Status PointLoop(int32_t number, std::span<Accumulator> accumulators, std::string_view first,
                   int64_t count) {
    OpenLoop(first, count);
    const Point point = PointOf();
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
      for (Accumulator& accumulator : accumulators) {
        std::vector<std::string> elements;
        for (size_t c = 0; c < accumulator.num_components(); ++c) {
          elements.push_back(out_.ValueName(phase_number, accumulator.input(c)));
        }
        PLINTH_RETURN_IF_ERROR(accumulator.Add(elements));
      }
      return Status();
    };
    auto kept = [&](int32_t input) {
      if (IsKept(input)) return StrCat("e", input, "[", turn_, "]");
      const bool is_ahead =
          std::find(ahead_inputs_.begin(), ahead_inputs_.end(), input) != ahead_inputs_.end();
      return is_ahead ? StrCat("e", input, "[k]") : std::string();
    };
    const int32_t phases[] = {number};
    PLINTH_RETURN_IF_ERROR(out_.Points(phases, point, pack_dim_, pack_, row, after, kept));
    CloseLoop();
    return Status();
  }

  // Where the parts' values lie in scratch: for each row one of each part, side by side what
  // neighbouring threads write.
  std::vector<std::string> PartPlaces(const Accumulator& accumulator, std::string_view split) {
    std::vector<std::string> places;
    for (size_t c = 0; c < accumulator.num_components(); ++c) {
      const DType type = accumulator.type(c);
      const auto [place, is_new] =
          parts_.try_emplace({accumulator.number(), static_cast<int32_t>(c)}, parts_bytes_);
      if (is_new) {
        // A value of a narrow float takes four bytes.
        const int64_t bytes = num_rows_ * form_.splits * std::max<int64_t>(ByteSize(type), 4);
        parts_bytes_ += (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
      }
      const std::string at = form_.rows_fastest
                                 ? StrCat("(s64)", split, " * ", num_rows_, "ll + row")
                                 : StrCat(num_rows_ * form_.splits > INT32_MAX ? "(s64)" : "",
                                          "row * ", form_.splits, "u + ", split);
      places.push_back(
          StrCat("((", ValueType(type), "*)(scratch + ", place->second, "ll))[", at, "]"));
    }
    return places;
  }

  // The value of all of a row's threads, or of a part of the row.
  Status Finish(Accumulator& accumulator) {
    const int64_t most = live(steps());
    if (most > 1) {
      has_barriers_ = true;
      PLINTH_RETURN_IF_ERROR(accumulator.Exchange(most, LiveText(), part_ != Part::kParts));
    } else if (most == 1 && form_.slices > 1) {
      return Internal("several threads take a row of one step");
    }
    if (part_ != Part::kParts) return accumulator.Finish(length_ > 0);
    const std::vector<std::string> places = PartPlaces(accumulator, "split");
    if (form_.slices > 1) code_.Open("if (on && slice == 0)");
    PLINTH_RETURN_IF_ERROR(accumulator.ForEachColumn([&] {
      for (size_t c = 0; c < places.size(); ++c) {
        std::string place = places[c];
        if (form_.columns > 1) place.insert(place.size() - 1, " + j");
        code_.Line(place, " = ", accumulator.Name(c), ";");
      }
      return Status();
    }));
    if (form_.slices > 1) code_.Close();
    return Status();
  }

  const Kernel& kernel_;
  const Form& form_;
  const Part part_;
  KernelCode out_;
  Code& code_;
  const int64_t num_rows_, row_length_;
  const int64_t length_;                                  // of what a block takes of a row
  const int32_t pack_, pack_dim_;                         // neighbours that a thread takes at once
  std::map<std::pair<int32_t, int32_t>, int64_t> parts_;  // (reduction, component): offset
  int64_t parts_bytes_ = 0;
  Point point_;  // of the row: zeros in the reduced dimensions
  std::vector<Kept> kept_;
  std::vector<int32_t> kept_inputs_;
  std::string turn_;                   // the number of a thread's turn, in the loop that is open
  std::vector<int32_t> ahead_inputs_;  // of the phase: those that are read some turns ahead
  bool has_barriers_ = false;
};

}  // namespace

Expected<PrintedStep> PrintRows(const Kernel& kernel, const Form& form,
                                const Architecture& architecture) {
  if (form.splits == 1) return RowPrinter(kernel, form).Print(architecture);
  PLINTH_ASSIGN_OR_RETURN(PrintedStep step,
                          RowPrinter(kernel, form, Part::kParts).Print(architecture));
  // A warp combines the parts of a row; or, of columns, a thread some parts of each.
  Form rest;
  rest.kind = FormKind::kRows;
  rest.rows_fastest = form.rows_fastest;
  rest.slices = form.rows_fastest ? std::min(kWarp, PowerOfTwoFrom((form.splits + 7) / 8)) : kWarp;
  rest.rows = form.rows_fastest ? kWarp : rest.block / kWarp;
  rest.block = rest.rows * rest.slices;
  rest.in_order = form.in_order;
  rest.splits = form.splits;
  PLINTH_ASSIGN_OR_RETURN(PrintedStep end,
                          RowPrinter(kernel, rest, Part::kRest).Print(architecture));
  step.actions.push_back(std::move(end.actions[0]));
  return step;
}

}  // namespace plinth::cuda
