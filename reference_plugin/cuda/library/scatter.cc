// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/radix_order.h"
#include "reference_plugin/cuda/library/step_code.h"
#include "reference_plugin/cuda/print/form.h"

namespace plinth::cuda {
namespace {

using compiler::Dims;
using compiler::ScatterAttributes;

// How windows that may meet are kept from each other.
enum class ScatterForm : uint8_t {
  kApart,    // they do not meet: a thread per element of each window
  kAtomic,   // the same, by atomic operations: in any order
  kSorted,   // by their place: runs of windows at one place, cut into chunks whose partial results
             // are put together in order
  kRuns,     // the same for combiners whose partial results mean nothing: a thread per run
  kInOrder,  // few, or windows that meet in part: each thread goes through all windows and takes
             // those of its share of the rows
};

constexpr int64_t kFewWindows = 128;
// Threads over which windows are spread that are gone through in order.
constexpr int64_t kMostOwners = 4096, kThreads = 1 << 16;

class ScatterPrinter {
 public:
  ScatterPrinter(const compiler::plan::PlanStep& step, const Architecture& architecture)
      : step_(step),
        architecture_(architecture),
        attributes_(std::get<ScatterAttributes>(*step.attributes)),
        arrays_(step.results.size()),
        input_(step.operands[0].type),
        indices_(step.operands[arrays_].type),
        updates_(step.operands[arrays_ + 1].type),
        input_strides_(compiler::DenseStrides(input_.dims)),
        update_strides_(compiler::DenseStrides(updates_.dims)),
        index_strides_(compiler::DenseStrides(indices_.dims)),
        window_of_dim_(input_.dims.size(), 1) {
    for (int64_t d = 0; d < input_.rank(); ++d) {
      if (Has(attributes_.inserted_window_dims, d) || Has(attributes_.input_batching_dims, d)) {
        continue;
      }
      const int64_t size = updates_.dims[attributes_.update_window_dims[window_dims_.size()]];
      window_of_dim_[static_cast<size_t>(d)] = size;
      window_dims_.push_back(d);
      window_sizes_.push_back(size);
      elements_ *= size;
    }
    for (int64_t d = 0; d < indices_.rank(); ++d) {
      if (d != attributes_.index_vector_dim) batch_sizes_.push_back(indices_.dims[d]);
    }
    for (int64_t size : batch_sizes_) windows_ *= size;
    for (const Dims* dims :
         {&attributes_.scatter_dims_to_operand_dims, &attributes_.input_batching_dims}) {
      for (int64_t d : *dims) place_dims_.push_back(d);
    }
    for (int64_t d : place_dims_) places_ *= static_cast<double>(input_.dims[d]);
  }

  Expected<PrintedStep> Print(bool deterministic) {
    PrintedStep printed;
    if (updates_.NumElements() == 0 || input_.NumElements() == 0) return printed;
    Status status;
    switch (Choose(deterministic)) {
      case ScatterForm::kApart:
        status = PrintApart(printed);
        break;
      case ScatterForm::kAtomic:
        status = PrintAtomic(printed);
        break;
      case ScatterForm::kSorted:
        status = PrintSorted(printed);
        break;
      case ScatterForm::kRuns:
        status = PrintRuns(printed);
        break;
      case ScatterForm::kInOrder:
        status = PrintInOrder(printed);
        break;
    }
    PLINTH_RETURN_IF_ERROR(status);
    return printed;
  }

 private:
  const compiler::Combiner& combiner() const { return step_.combiners[0]; }
  DType type() const { return step_.results[0].type.dtype; }

  ScatterForm Choose(bool deterministic) const {
    if (attributes_.unique_indices || windows_ == 1) return ScatterForm::kApart;
    const DTypeInfo& info = InfoOf(type());
    const bool commutes = arrays_ == 1 && Commutes(combiner());
    const bool has_atomics =
        info.kind != DTypeClass::kComplex && (info.bits == 32 || info.bits == 64);
    if (commutes && has_atomics && (info.kind != DTypeClass::kFloat || !deterministic)) {
      return ScatterForm::kAtomic;
    }
    // Windows of one row at most are at one place, or meet nowhere.
    const bool are_rows =
        std::all_of(attributes_.scatter_dims_to_operand_dims.begin(),
                    attributes_.scatter_dims_to_operand_dims.end(),
                    [this](int64_t d) { return window_of_dim_[static_cast<size_t>(d)] == 1; });
    if (!are_rows || windows_ <= kFewWindows || windows_ > INT32_MAX || places_ >= UINT32_MAX) {
      return ScatterForm::kInOrder;
    }
    return commutes ? ScatterForm::kSorted : ScatterForm::kRuns;
  }

  // Declares the indices of a window (an expression of type u64) among the windows.
  std::vector<std::string> Batch(Code& code, std::string_view window) const {
    return SplitIndex(code, batch_sizes_, window, "b");
  }

  // Declares s0, s1, ...: where a window goes in the scattered dimensions. A window that is not
  // wholly inside is dropped: `otherwise` is done with it ("continue;").
  void Starts(Code& code, const std::vector<std::string>& batch, std::string_view otherwise) const {
    const int64_t vector_dim = attributes_.index_vector_dim;
    Terms index;
    size_t next = 0;
    for (int64_t d = 0; d < indices_.rank(); ++d) {
      if (d != vector_dim) index.push_back({index_strides_[d], batch[next++]});
    }
    const int64_t vector_stride = vector_dim < indices_.rank() ? index_strides_[vector_dim] : 0;
    for (size_t i = 0; i < attributes_.scatter_dims_to_operand_dims.size(); ++i) {
      const int64_t dim = attributes_.scatter_dims_to_operand_dims[i];
      const std::string at = SumText(index, static_cast<int64_t>(i) * vector_stride);
      const int64_t most = input_.dims[dim] - window_of_dim_[static_cast<size_t>(dim)];
      code.Line("const ", ValueType(indices_.dtype), " x", i, " = ",
                LoadText(StrCat("i", arrays_), at, indices_.dtype), ";");
      code.Line("if (x", i, " < 0 || (u64)x", i, " > ", most, "ull) ", otherwise);
      code.Line("const s64 s", i, " = (s64)x", i, ";");
    }
  }

  // The coordinate of a window in each of place_dims_.
  std::vector<std::string> Coordinates(const std::vector<std::string>& batch) const {
    std::vector<std::string> coordinates;
    for (size_t i = 0; i < attributes_.scatter_dims_to_operand_dims.size(); ++i) {
      coordinates.push_back(StrCat("s", i));
    }
    for (int64_t dim : attributes_.scatter_indices_batching_dims) {
      coordinates.push_back(
          batch[static_cast<size_t>(dim > attributes_.index_vector_dim ? dim - 1 : dim)]);
    }
    return coordinates;
  }

  // Element `at` of a window: where it goes, and where its update is.
  std::vector<std::string> Element(Code& code) const {
    return SplitIndex(code, window_sizes_, "at", "w");
  }
  std::string To(const std::vector<std::string>& coordinates,
                 const std::vector<std::string>& element) const {
    Terms to;
    for (size_t i = 0; i < place_dims_.size(); ++i) {
      to.push_back({input_strides_[place_dims_[i]], coordinates[i]});
    }
    for (size_t i = 0; i < window_dims_.size(); ++i) {
      to.push_back({input_strides_[window_dims_[i]], element[i]});
    }
    return SumText(to);
  }
  std::string From(const std::vector<std::string>& batch,
                   const std::vector<std::string>& element) const {
    Terms from;
    for (size_t i = 0; i < window_dims_.size(); ++i) {
      from.push_back({update_strides_[attributes_.update_window_dims[i]], element[i]});
    }
    size_t next = 0;
    for (int64_t d = 0; d < updates_.rank(); ++d) {
      if (!Has(attributes_.update_window_dims, d)) {
        from.push_back({update_strides_[d], batch[next++]});
      }
    }
    return SumText(from);
  }

  std::string Update(size_t array) const {
    return LoadText(StrCat("i", arrays_ + 1 + array), "from",
                    step_.operands[arrays_ + 1 + array].type.dtype);
  }

  // y0, y1, ...: the values `before` combined with the updates at `from`.
  Status Combine(Code& code, const std::vector<std::string>& before) const {
    std::vector<std::string> parameters = before;
    for (size_t i = 0; i < arrays_; ++i) parameters.push_back(Update(i));
    for (std::string& value : CapturedValues(step_, 2 * arrays_ + 1)) {
      parameters.push_back(std::move(value));
    }
    PLINTH_ASSIGN_OR_RETURN(const CombinedText text, CombineText(combiner(), parameters, "c"));
    for (const std::string& statement : text.statements) code.Line(statement);
    for (size_t i = 0; i < arrays_; ++i) {
      code.Line("const ", ValueType(step_.results[i].type.dtype), " y", i, " = ", text.results[i],
                ";");
    }
    return Status();
  }
  std::vector<std::string> LoadAll() const {
    std::vector<std::string> values;
    for (size_t i = 0; i < arrays_; ++i) {
      values.push_back(LoadText(StrCat("o", i), "to", step_.results[i].type.dtype));
    }
    return values;
  }
  void StoreAll(Code& code, std::string_view name) const {
    for (size_t i = 0; i < arrays_; ++i) {
      const DType element = step_.results[i].type.dtype;
      code.Line("st<", TypeText(element), ">(", ElementAddress(StrCat("o", i), "to", element), ", ",
                name, i, ");");
    }
  }

  // A thread has element `at` of `window`: declares both, and where it goes and comes from.
  void EachElement(Code& code) const {
    code.Line("const u64 at = (u64)t % ", elements_, "ull, window = (u64)t / ", elements_, "ull;");
    const std::vector<std::string> element = Element(code);
    const std::vector<std::string> batch = Batch(code, "window");
    Starts(code, batch, "return;");
    code.Line("const s64 to = ", To(Coordinates(batch), element), ", from = ", From(batch, element),
              ";");
  }

  Status PrintApart(PrintedStep& printed) {
    Code code;
    EachElement(code);
    PLINTH_RETURN_IF_ERROR(Combine(code, LoadAll()));
    StoreAll(code, "y");
    AppendPoints(step_, elements_ * windows_, code.Take(), false, printed);
    return Status();
  }

  Status PrintAtomic(PrintedStep& printed) {
    Code code;
    EachElement(code);
    const DTypeInfo& info = InfoOf(type());
    const std::string_view words = info.bits == 32 ? "u32" : "u64";
    const bool adds = compiler::SingleOp(combiner()) == compiler::Opcode::kAdd;
    const std::string address = ElementAddress("o0", "to", type());
    if (adds && info.kind != DTypeClass::kFloat && info.bits == 32) {
      code.Line("atomicAdd((u32*)(", address, "), (u32)", Update(0), ");");
    } else if (adds && info.kind == DTypeClass::kFloat) {
      code.Line("atomicAdd((", ValueType(type()), "*)(", address, "), ", Update(0), ");");
    } else {
      const std::string element(TypeText(type()));
      code.Line(words, "* place = (", words, "*)(", address, ");");
      code.Line(words, " seen = *place, before;");
      code.Line("do {");
      code.Line("before = seen;");
      PLINTH_RETURN_IF_ERROR(Combine(code, {StrCat(element, "::from(before)")}));
      code.Line("seen = atomicCAS(place, before, (", words, ")", element, "::bits(y0));");
      code.Line("} while (seen != before);");
    }
    AppendPoints(step_, elements_ * windows_, code.Take(), false, printed);
    return Status();
  }

  Status PrintInOrder(PrintedStep& printed) {
    int64_t owners = 1;
    if (!attributes_.scatter_dims_to_operand_dims.empty()) {
      const int64_t first = attributes_.scatter_dims_to_operand_dims[0];
      // Windows of one row at most lie in no other's share.
      if (window_of_dim_[static_cast<size_t>(first)] == 1) {
        owners =
            std::clamp<int64_t>(kThreads / elements_, 1, std::min(kMostOwners, input_.dims[first]));
      }
    }
    Code code;
    code.Line("const u64 at = (u64)t % ", elements_, "ull, owner = (u64)t / ", elements_, "ull;");
    const std::vector<std::string> element = Element(code);
    code.Open("for (u64 window = 0; window < ", windows_, "ull; ++window)");
    const std::vector<std::string> batch = Batch(code, "window");
    Starts(code, batch, "continue;");
    if (owners > 1) code.Line("if ((u64)s0 % ", owners, "ull != owner) continue;");
    code.Line("const s64 to = ", To(Coordinates(batch), element), ", from = ", From(batch, element),
              ";");
    PLINTH_RETURN_IF_ERROR(Combine(code, LoadAll()));
    StoreAll(code, "y");
    code.Close();
    AppendPoints(step_, elements_ * owners, code.Take(), false, printed);
    return Status();
  }

  // The windows by their places, those that are dropped last.
  void Sort(PrintedStep& printed) {
    places_sizes_.clear();
    for (int64_t d : place_dims_) places_sizes_.push_back(input_.dims[d]);
    Code code;
    code.Line("u32 key = ", NoPlace(), ";");
    code.Line("do {");
    const std::vector<std::string> batch = Batch(code, "p");
    Starts(code, batch, "continue;");
    std::string place = "0";
    const std::vector<std::string> coordinates = Coordinates(batch);
    for (size_t i = 0; i < coordinates.size(); ++i) {
      place = i == 0 ? coordinates[0]
                     : StrCat("(", place, ") * ", places_sizes_[i], "ll + ", coordinates[i]);
    }
    code.Line("key = (u32)(", place, ");");
    code.Line("} while (false);");
    RadixKey key;
    key.body = code.Take();
    key.bits = std::bit_width(static_cast<uint64_t>(places_));
    order_ = AppendRadixOrder(step_, {1, windows_}, {&key, 1}, printed.scratch_bytes, printed,
                              &printed.scratch_bytes);
  }
  std::string NoPlace() const { return StrCat(static_cast<uint64_t>(places_), "u"); }
  void Sorted(Code& code) const {
    code.Line("const u32* keys = (const u32*)(scratch + ", order_.keys, "ll);");
    code.Line("const u32* order = (const u32*)(scratch + ", order_.positions, "ll);");
  }
  // Declares `to` of the place `key`, and what says where the update of a window is.
  void Place(Code& code, const std::vector<std::string>& element) const {
    const std::vector<std::string> coordinates = SplitIndex(code, places_sizes_, "key", "g");
    code.Line("const s64 to = ", To(coordinates, element), ";");
  }

  Status PrintRuns(PrintedStep& printed) {
    Sort(printed);
    const bool takes_last = arrays_ == 1 && compiler::IsAssignment(combiner());
    Code code;
    code.Line("const u32 at = (u32)(t % ", elements_, "u), i = (u32)(t / ", elements_, "u);");
    Sorted(code);
    code.Line("const u32 key = keys[i];");
    code.Line("if (key == ", NoPlace(), ") return;");
    if (takes_last) {
      code.Line("if (i + 1 < ", windows_, "u && keys[i + 1] == key) return;");
    } else {
      code.Line("if (i > 0 && keys[i - 1] == key) return;");
    }
    const std::vector<std::string> element = Element(code);
    Place(code, element);
    if (!takes_last) {
      const std::vector<std::string> first = LoadAll();
      for (size_t a = 0; a < arrays_; ++a) {
        code.Line(ValueType(step_.results[a].type.dtype), " v", a, " = ", first[a], ";");
      }
      code.Open("for (u32 j = i; j < ", windows_, "u && keys[j] == key; ++j)");
    }
    const std::vector<std::string> batch = Batch(code, takes_last ? "order[i]" : "order[j]");
    code.Line("const s64 from = ", From(batch, element), ";");
    if (takes_last) {
      code.Line("const ", ValueType(type()), " y0 = ", Update(0), ";");
      StoreAll(code, "y");
    } else {
      std::vector<std::string> before;
      for (size_t a = 0; a < arrays_; ++a) before.push_back(StrCat("v", a));
      PLINTH_RETURN_IF_ERROR(Combine(code, before));
      for (size_t a = 0; a < arrays_; ++a) code.Line("v", a, " = y", a, ";");
      code.Close();
      StoreAll(code, "v");
    }
    AppendPoints(step_, elements_ * windows_, code.Take(), true, printed);
    return Status();
  }

  // combine(x, y) of one value, and update(window, at).
  Status Lambdas(Code& code, const std::vector<std::string>& element) const {
    const std::string value(ValueType(type()));
    PLINTH_ASSIGN_OR_RETURN(const CombinedText text,
                            CombineText(combiner(), std::vector<std::string>{"x", "y"}, "c"));
    code.Line("auto combine = [&](", value, " x, ", value, " y) -> ", value, " {");
    for (const std::string& statement : text.statements) code.Line(statement);
    code.Line("return ", text.results[0], ";");
    code.Line("};");
    code.Line("auto update = [&](u32 window) -> ", value, " {");
    const std::vector<std::string> batch = Batch(code, "window");
    code.Line("const s64 from = ", From(batch, element), ";");
    code.Line("return ", Update(0), ";");
    code.Line("};");
    return Status();
  }

  Status PrintSorted(PrintedStep& printed) {
    Sort(printed);
    // Chunks keep the device busy, and there are not many to put together at one place.
    const double all = static_cast<double>(windows_) * static_cast<double>(elements_);
    const int64_t chunk =
        std::max<int64_t>({16, static_cast<int64_t>(all / (512.0 * architecture_.multiprocessors)),
                           static_cast<int64_t>(std::sqrt(static_cast<double>(windows_)) / 4)});
    const int64_t chunks = (windows_ + chunk - 1) / chunk;
    const DTypeInfo& info = InfoOf(type());
    const bool is_narrow = info.kind == DTypeClass::kFloat && info.bits < 32;
    const int64_t bytes = chunks * elements_ * ByteSize(is_narrow ? DType::kF32 : type());
    const int64_t first_at = printed.scratch_bytes;
    const int64_t last_at = first_at + RoundUp(bytes, kArrayAlignment);
    printed.scratch_bytes = last_at + RoundUp(bytes, kArrayAlignment);

    auto begin = [&](Code& code) {
      code.Line("const u32 at = (u32)(t % ", elements_, "u), chunk = (u32)(t / ", elements_, "u);");
      Sorted(code);
      code.Line(ValueType(type()), "* firsts = (", ValueType(type()), "*)(scratch + ", first_at,
                "ll);");
      code.Line(ValueType(type()), "* lasts = (", ValueType(type()), "*)(scratch + ", last_at,
                "ll);");
      code.Line("auto begin_of = [&](u32 c) -> u32 { return c * ", chunk, "u; };");
      code.Line("auto end_of = [&](u32 c) -> u32 { return c < ", chunks - 1, "u ? (c + 1) * ",
                chunk, "u : ", windows_, "u; };");
      // Whether its last run goes on in the next chunk; whether its first run began before.
      code.Line("auto is_open = [&](u32 c) -> bool { return c < ", chunks - 1,
                "u && keys[end_of(c) - 1] == keys[end_of(c)]; };");
      code.Line("auto is_headed = [&](u32 c) -> bool { return c > 0 && is_open(c - 1); };");
      return Element(code);
    };
    auto put = [&](Code& code, std::string_view value) {
      code.Open("");
      code.Line("const ", ValueType(type()), " sum = ", value, ";");
      code.Line("st<", TypeText(type()), ">(", ElementAddress("o0", "to", type()), ", combine(",
                LoadText("o0", "to", type()), ", sum));");
      code.Close();
    };

    // Runs that lie in the chunk are put where they go; what may go on is left in scratch.
    Code code;
    const std::vector<std::string> element = begin(code);
    PLINTH_RETURN_IF_ERROR(Lambdas(code, element));
    code.Line("const u32 end = end_of(chunk);");
    code.Line("bool is_first = is_headed(chunk);");
    code.Open("for (u32 j = begin_of(chunk); j < end;)");
    code.Line("const u32 key = keys[j];");
    code.Line("if (key == ", NoPlace(), ") return;");
    code.Line(ValueType(type()), " value = update(order[j++]);");
    code.Line("while (j < end && keys[j] == key) value = combine(value, update(order[j++]));");
    code.Open("if (is_first)");
    code.Line("firsts[(s64)chunk * ", elements_, "ll + at] = value;");
    code.Line("} else if (j == end && is_open(chunk)) {");
    code.Line("lasts[(s64)chunk * ", elements_, "ll + at] = value;");
    code.Line("} else {");
    Place(code, element);
    put(code, "value");
    code.Close();
    code.Line("is_first = false;");
    code.Close();
    AppendPoints(step_, elements_ * chunks, code.Take(), true, printed);

    // A run that goes on is put together by the chunk in which it begins.
    Code rest;
    const std::vector<std::string> same = begin(rest);
    PLINTH_RETURN_IF_ERROR(Lambdas(rest, same));
    rest.Line("if (!is_open(chunk)) return;");
    rest.Line("const u32 key = keys[end_of(chunk) - 1];");
    rest.Line("if (key == ", NoPlace(), ") return;");
    rest.Line("if (is_headed(chunk) && keys[begin_of(chunk)] == key) return;");
    rest.Line(ValueType(type()), " value = lasts[(s64)chunk * ", elements_, "ll + at];");
    rest.Open("for (u32 c = chunk + 1;; ++c)");
    rest.Line("value = combine(value, firsts[(s64)c * ", elements_, "ll + at]);");
    rest.Line("if (!is_open(c) || keys[end_of(c) - 1] != key) break;");
    rest.Close();
    Place(rest, same);
    put(rest, "value");
    AppendPoints(step_, elements_ * chunks, rest.Take(), true, printed);
    return Status();
  }

  const compiler::plan::PlanStep& step_;
  const Architecture& architecture_;
  const ScatterAttributes& attributes_;
  const size_t arrays_;
  const compiler::Type &input_, &indices_, &updates_;
  const Dims input_strides_, update_strides_, index_strides_;
  std::vector<int64_t> window_of_dim_;               // size of a window in each dimension
  Dims window_dims_;                                 // of the input
  std::vector<int64_t> window_sizes_, batch_sizes_;  // of one window; of the windows
  int64_t windows_ = 1, elements_ = 1;               // all of them; of one
  // The dimensions in which windows differ, and how many places that makes.
  Dims place_dims_;
  double places_ = 1;
  std::vector<int64_t> places_sizes_;
  RadixResult order_;
};

}  // namespace

// The result holds the input.
Expected<PrintedStep> PrintScatter(const compiler::plan::PlanStep& step,
                                   const Architecture& architecture, bool deterministic) {
  return ScatterPrinter(step, architecture).Print(deterministic);
}

}  // namespace plinth::cuda
