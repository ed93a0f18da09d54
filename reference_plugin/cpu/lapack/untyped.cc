// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/lapack/families.h"

// The calls of JAX before 0.4.38, where flags and sizes are operands. Shapes say the sizes; a flag
// is known when the program runs, so the typed call is prepared for each of its values.
namespace plinth::cpu::lapack {
namespace {

// An operand without dimensions that is an attribute of the typed call: the number of a letter
// (s32), or the letter (u8).
struct Flag {
  uint8_t operand;
  DType dtype;
  std::string_view attribute;
  std::string_view letters;
};

struct Form {
  size_t num_operands, num_results;
  std::span<const Flag> flags;
  // What the typed call takes of both, in its order. Left are sizes and work arrays.
  std::span<const uint8_t> operands, results;
};

// left, lower, transposed, unit diagonal, rows, columns, batch, alpha, a, b -> x.
constexpr Flag kTrsmFlags[] = {{0, DType::kS32, "side", "RL"},
                               {1, DType::kS32, "uplo", "UL"},
                               {2, DType::kS32, "trans_x", "NTC"},
                               {3, DType::kS32, "diag", "NU"}};
constexpr uint8_t kTrsmOperands[] = {8, 9, 7}, kTrsmResults[] = {0};
constexpr Form kTrsm = {10, 1, kTrsmFlags, kTrsmOperands, kTrsmResults};

// batch, order, mode, sort, a -> schur form, work of complex ones, values (two parts of real
// ones), vectors, number selected, info.
constexpr Flag kGeesFlags[] = {{2, DType::kU8, "mode", "VN"}, {3, DType::kU8, "sort", "N"}};
constexpr uint8_t kGeesOperands[] = {4}, kRealGeesResults[] = {0, 3, 1, 2, 4, 5},
                  kComplexGeesResults[] = {0, 3, 2, 4, 5};
constexpr Form kRealGees = {5, 6, kGeesFlags, kGeesOperands, kRealGeesResults};
constexpr Form kComplexGees = {5, 6, kGeesFlags, kGeesOperands, kComplexGeesResults};

// order, lower, leading dimension, batch, size of work, a -> a, diagonals, tau, info, work.
constexpr Flag kSytrdFlags[] = {{1, DType::kS32, "uplo", "UL"}};
constexpr uint8_t kSytrdOperands[] = {5}, kSytrdResults[] = {0, 1, 2, 3, 4};
constexpr Form kSytrd = {6, 6, kSytrdFlags, kSytrdOperands, kSytrdResults};

struct UntypedRow {
  std::string_view target, typed;
  const Form& form;
};

constexpr UntypedRow kRows[] = {
    {"blas_strsm", "lapack_strsm_ffi", kTrsm},
    {"blas_dtrsm", "lapack_dtrsm_ffi", kTrsm},
    {"blas_ctrsm", "lapack_ctrsm_ffi", kTrsm},
    {"blas_ztrsm", "lapack_ztrsm_ffi", kTrsm},
    {"lapack_sgees", "lapack_sgees_ffi", kRealGees},
    {"lapack_dgees", "lapack_dgees_ffi", kRealGees},
    {"lapack_cgees", "lapack_cgees_ffi", kComplexGees},
    {"lapack_zgees", "lapack_zgees_ffi", kComplexGees},
    {"lapack_ssytrd", "lapack_ssytrd_ffi", kSytrd},
    {"lapack_dsytrd", "lapack_dsytrd_ffi", kSytrd},
    {"lapack_chetrd", "lapack_chetrd_ffi", kSytrd},
    {"lapack_zhetrd", "lapack_zhetrd_ffi", kSytrd},
};

const UntypedRow* Find(std::string_view target) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const UntypedRow& r) { return r.target == target; });
  return row == std::end(kRows) ? nullptr : row;
}

class UntypedStep final : public backend::PreparedStep {
 public:
  static Expected<std::unique_ptr<backend::PreparedStep>> Make(
      const backend::CustomCall& call, const UntypedRow& row,
      const library::LibraryOptions& options) {
    const Form& form = row.form;
    if (call.operands.size() != form.num_operands || call.results.size() != form.num_results) {
      return InvalidArgument("it has ", call.operands.size(), " operands and ", call.results.size(),
                             " results; expected ", form.num_operands, " and ", form.num_results);
    }
    for (const Flag& flag : form.flags) {
      const backend::CustomCallArray& operand = call.operands[flag.operand];
      if (operand.dtype != flag.dtype || operand.rank() != 0) {
        return InvalidArgument("it has ", Describe(call), "; expected operand ", flag.operand,
                               " to be the flag ", flag.attribute, ", a ", Name(flag.dtype),
                               " without dimensions");
      }
    }
    auto step = std::make_unique<UntypedStep>(form);
    std::vector<backend::CustomCallArray> operands, results;
    for (uint8_t i : form.operands) operands.push_back(call.operands[i]);
    for (uint8_t i : form.results) results.push_back(call.results[i]);
    const std::vector<int32_t> aliases(results.size(), -1);
    backend::CustomCall typed = call;
    typed.operands = operands;
    typed.results = results;
    typed.aliases = aliases;

    size_t num_variants = 1;
    for (const Flag& flag : form.flags) num_variants *= flag.letters.size();
    bool any = false;
    for (size_t variant = 0; variant < num_variants; ++variant) {
      std::vector<program::Attribute> letters;
      size_t rest = variant;
      for (const Flag& flag : form.flags) {
        letters.push_back(
            program::Attribute::Integer(nullptr, flag.letters[rest % flag.letters.size()]));
        rest /= flag.letters.size();
      }
      std::vector<program::NamedAttribute> entries;
      for (size_t i = 0; i < letters.size(); ++i) {
        entries.push_back({form.flags[i].attribute, &letters[i]});
      }
      std::sort(entries.begin(), entries.end(),
                [](const auto& a, const auto& b) { return a.name < b.name; });
      const program::Attribute dictionary = program::Attribute::Dictionary(entries);
      typed.attributes = &dictionary;
      step->variants_.push_back(PrepareTyped(row.typed, typed, options));
      if (step->variants_.back().ok()) {
        any = true;
        step->scratch_bytes_ =
            std::max(step->scratch_bytes_, (*step->variants_.back())->scratch_bytes());
      }
    }
    if (!any) return step->variants_.front().status();
    return std::unique_ptr<backend::PreparedStep>(std::move(step));
  }

  explicit UntypedStep(const Form& form) : form_(form) {}

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    size_t variant = 0, stride = 1;
    for (const Flag& flag : form_.flags) {
      int32_t value = 0;
      std::memcpy(&value, operands[flag.operand], flag.dtype == DType::kS32 ? 4 : 1);
      const size_t letter = flag.dtype == DType::kS32 ? static_cast<size_t>(value)
                                                      : flag.letters.find(static_cast<char>(value));
      if (letter >= flag.letters.size()) {
        return InvalidArgument("operand ", flag.operand, ", the flag ", flag.attribute, ", is ",
                               value, "; expected one of ", flag.letters.size(), " values, for ",
                               flag.letters);
      }
      variant += stride * letter;
      stride *= flag.letters.size();
    }
    const auto& step = variants_[variant];
    // This side of the matrices does not fit: both are prepared, and one is right.
    if (!step.ok()) return step.status();
    void* typed_operands[3];
    void* typed_results[6];
    for (size_t i = 0; i < form_.operands.size(); ++i) {
      typed_operands[i] = operands[form_.operands[i]];
    }
    for (size_t i = 0; i < form_.results.size(); ++i) typed_results[i] = results[form_.results[i]];
    return (*step)->Run({typed_operands, form_.operands.size()},
                        {typed_results, form_.results.size()}, context);
  }

  int64_t scratch_bytes() const override { return scratch_bytes_; }

 private:
  static Expected<std::unique_ptr<backend::PreparedStep>> PrepareTyped(
      std::string_view target, const backend::CustomCall& call,
      const library::LibraryOptions& options) {
    for (const auto rows : {LapackSolverRows(), LapackSpectralRows(), LapackOrthogonalRows()}) {
      for (const LapackRow& row : rows) {
        if (row.target == target) return row.prepare(call, options);
      }
    }
    return Internal("there is no ", target);
  }

  const Form& form_;
  // The first flag varies fastest.
  std::vector<Expected<std::unique_ptr<backend::PreparedStep>>> variants_;
  int64_t scratch_bytes_ = 0;
};

}  // namespace

backend::CallFamily UntypedFamily(const library::LibraryOptions& options) {
  return {[](std::string_view target) { return Find(target) != nullptr; },
          [options](const backend::CustomCall& call) {
            return UntypedStep::Make(call, *Find(call.target), options);
          }};
}

}  // namespace plinth::cpu::lapack
