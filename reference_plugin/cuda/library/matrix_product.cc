// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/matrix_product.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

using compiler::BatchDim;
using compiler::MapDim;
using compiler::Product;
using Matrix = MatrixProduct::Matrix;
using Rounding = MatrixProduct::Rounding;

// A list of addresses may be over so many dimensions.
constexpr size_t kListDims = 4;
// Calls that a step makes where the library takes no list of addresses.
constexpr int64_t kMostCalls = 64;

bool IsTaken(DType operands, DType result) {
  switch (operands) {
    case DType::kF16:
    case DType::kBF16:
      return result == operands || result == DType::kF32;
    case DType::kF32:
    case DType::kF64:
    case DType::kC64:
    case DType::kC128:
      return result == operands;
    case DType::kS8:
      return result == DType::kS32;
    default:
      return false;
  }
}

// A dimension that an operand and the result have in common.
struct SharedDim {
  int64_t size, operand, result;  // strides
};

// The dimensions of both lists, whose sizes are those of one list merged in two ways.
std::vector<SharedDim> Share(std::vector<MapDim> operand, std::vector<MapDim> result) {
  std::vector<SharedDim> shared;
  while (!operand.empty() && !result.empty()) {
    MapDim &o = operand.back(), &r = result.back();
    const int64_t size = std::min(o.size, r.size);
    shared.push_back({size, o.stride, r.stride});
    for (auto* dims : {&operand, &result}) {
      MapDim& dim = dims->back();
      dim.size /= size;
      dim.stride *= size;
      if (dim.size == 1) dims->pop_back();
    }
  }
  std::reverse(shared.begin(), shared.end());
  return shared;
}

// The matrix whose next row is `down` elements away and whose next column is `across`; nothing if
// it lies neither column by column nor row by row.
std::optional<Matrix> AsMatrix(int64_t rows, int64_t down, int64_t columns, int64_t across) {
  auto matrix = [](int64_t length, int64_t step, int64_t count, int64_t next,
                   bool is_turned) -> std::optional<Matrix> {
    if (step != 1 && length > 1) return std::nullopt;
    if (next < length && count > 1) return std::nullopt;
    Matrix made;
    made.leading = count > 1 ? next : length;
    made.is_turned = is_turned;
    return made;
  };
  if (auto made = matrix(rows, down, columns, across, false)) return made;
  return matrix(columns, across, rows, down, true);
}

// What is left of a product when its matrices are chosen.
struct Matrices {
  MatrixProduct product;
  bool is_swapped = false;  // left is operand 1
  std::vector<BatchDim> batch;
};

std::optional<Matrices> AsMatrices(const Product& product, const SharedDim& rows,
                                   const SharedDim& columns, const MapDim& a_inner,
                                   const MapDim& b_inner) {
  const int64_t depth = a_inner.size;
  auto a = AsMatrix(rows.size, rows.operand, depth, a_inner.stride);
  auto b = AsMatrix(depth, b_inner.stride, columns.size, columns.operand);
  auto c = AsMatrix(rows.size, rows.result, columns.size, columns.result);
  if (!a.has_value() || !b.has_value() || !c.has_value()) return std::nullopt;
  Matrices made;
  MatrixProduct& p = made.product;
  p.operands = product.a.dtype;
  p.result_type = product.c.dtype;
  p.depth = depth;
  p.rows = rows.size;
  p.columns = columns.size;
  p.left = *a;
  p.right = *b;
  p.result = *c;
  // The result lies by rows: what is computed is its transpose, of the other operand's by this
  // one's.
  if (c->is_turned) {
    std::swap(p.rows, p.columns);
    std::swap(p.left, p.right);
    for (Matrix* matrix : {&p.left, &p.right, &p.result}) matrix->is_turned = !matrix->is_turned;
    made.is_swapped = true;
  }
  return made;
}

// Dimensions of one product each, the outermost of the result first; neighbours that are one
// dimension are merged.
std::vector<BatchDim> Merge(std::vector<BatchDim> dims) {
  std::erase_if(dims, [](const BatchDim& dim) { return dim.size == 1; });
  std::stable_sort(dims.begin(), dims.end(),
                   [](const BatchDim& x, const BatchDim& y) { return x.c_stride > y.c_stride; });
  std::vector<BatchDim> merged;
  for (const BatchDim& dim : dims) {
    if (!merged.empty() && merged.back().a_stride == dim.size * dim.a_stride &&
        merged.back().b_stride == dim.size * dim.b_stride &&
        merged.back().c_stride == dim.size * dim.c_stride) {
      merged.back() = {merged.back().size * dim.size, dim.a_stride, dim.b_stride, dim.c_stride};
    } else {
      merged.push_back(dim);
    }
  }
  return merged;
}

// The largest matrices that the product is made of; every other dimension is one product per index.
std::optional<Matrices> LargestMatrices(Product product) {
  for (const auto* dims : {&product.a.outer, &product.a.inner, &product.b.outer}) {
    if (compiler::NumElements(*dims) == 0) return std::nullopt;
  }
  product.a.Simplify();
  product.b.Simplify();
  if (!product.a.IsPlain() || !product.b.IsPlain()) return std::nullopt;
  compiler::MergeDims(product.c.rows);
  compiler::MergeDims(product.c.columns);
  // With the run that Simplify takes off it is all that is summed over.
  if (!product.a.inner.empty() || !product.b.inner.empty()) return std::nullopt;
  const MapDim a_inner{product.a.run_length, product.a.run_stride};
  const MapDim b_inner{product.b.run_length, product.b.run_stride};
  std::vector<SharedDim> rows = Share(product.a.outer, product.c.rows);
  std::vector<SharedDim> columns = Share(product.b.outer, product.c.columns);
  if (rows.empty()) rows.push_back({1, 0, 0});
  if (columns.empty()) columns.push_back({1, 0, 0});
  std::optional<Matrices> best;
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < columns.size(); ++c) {
      auto made = AsMatrices(product, rows[r], columns[c], a_inner, b_inner);
      if (!made.has_value()) continue;
      if (best.has_value() && best->product.rows * best->product.columns >=
                                  made->product.rows * made->product.columns) {
        continue;
      }
      made->batch = product.batch;
      for (size_t d = 0; d < rows.size(); ++d) {
        if (d != r) made->batch.push_back({rows[d].size, rows[d].operand, 0, rows[d].result});
      }
      for (size_t d = 0; d < columns.size(); ++d) {
        if (d == c) continue;
        made->batch.push_back({columns[d].size, 0, columns[d].operand, columns[d].result});
      }
      best = std::move(made);
    }
  }
  if (best.has_value()) best->batch = Merge(std::move(best->batch));
  return best;
}

// Strides of left, right and result.
std::array<int64_t, 3> StridesOf(const BatchDim& dim, bool is_swapped) {
  return is_swapped ? std::array{dim.b_stride, dim.a_stride, dim.c_stride}
                    : std::array{dim.a_stride, dim.b_stride, dim.c_stride};
}

// The product with elements of each array so far apart, at least, from one product to the next.
void Align(MatrixProduct& product, const std::array<int64_t, 3>& offsets,
           std::span<const BatchDim> batch, bool is_swapped) {
  Matrix* const matrices[] = {&product.left, &product.right, &product.result};
  for (size_t i = 0; i < 3; ++i) {
    int64_t elements = offsets[i];
    for (const BatchDim& dim : batch) elements = std::gcd(elements, StridesOf(dim, is_swapped)[i]);
    const int64_t bytes = ByteSize(i == 2 ? product.result_type : product.operands);
    matrices[i]->alignment = static_cast<int32_t>(std::gcd(elements * bytes, kAccessAlignment));
  }
}

void BeStrided(MatrixProduct& product, const BatchDim& dim, bool is_swapped) {
  const std::array<int64_t, 3> strides = StridesOf(dim, is_swapped);
  product.batch = dim.size;
  product.left.batch_stride = strides[0];
  product.right.batch_stride = strides[1];
  product.result.batch_stride = strides[2];
}

// Writes the addresses of the matrices of each product: three lists, kArrayAlignment apart. One
// text serves all products.
std::shared_ptr<const KernelText> ListsKernel() {
  std::vector<std::string> parameters = {"const char* a", "const char* b", "const char* c",
                                         "char* lists", "u32 n"};
  Code code;
  code.Line("  const u32 t = blockIdx.x * ", kStepBlock, "u + threadIdx.x;");
  code.Line("  if (t >= n) return;");
  code.Line("  u64 rest = t, x = (u64)a, y = (u64)b, z = (u64)c;");
  for (size_t d = kListDims; d-- > 0;) {
    code.Line("  x += rest % n", d, " * x", d, "; y += rest % n", d, " * y", d, "; z += rest % n",
              d, " * z", d, "; rest /= n", d, ";");
  }
  for (size_t d = 0; d < kListDims; ++d) {
    for (const char* name : {"n", "x", "y", "z"}) parameters.push_back(StrCat("u64 ", name, d));
  }
  code.Line("  const u64 list = ((u64)n * 8 + ", kArrayAlignment - 1, ") / ", kArrayAlignment,
            " * ", kArrayAlignment, ";");
  code.Line("  *(u64*)(lists + t * 8ull) = x;");
  code.Line("  *(u64*)(lists + list + t * 8ull) = y;");
  code.Line("  *(u64*)(lists + 2 * list + t * 8ull) = z;");
  return MakeKernel(parameters, code.Take(), kStepBlock, false);
}

class Appender {
 public:
  Appender(const Matrices& made, const Product& product, PrintedStep& step)
      : made_(made),
        step_(step),
        offsets_(made.is_swapped
                     ? std::array{product.b.offset, product.a.offset, product.c.offset}
                     : std::array{product.a.offset, product.b.offset, product.c.offset}) {}

  const std::array<int64_t, 3>& offsets() const { return offsets_; }

  // One call; element 0 of each array is `offsets` elements from its begin.
  void Call(const MatrixProduct& product, const std::array<int64_t, 3>& offsets,
            int64_t workspace) {
    Action action = MakeCall(product, workspace, 0);
    const std::array<Argument, 3> arrays = Arrays(product, offsets);
    action.arguments.insert(action.arguments.begin(), arrays.begin(), arrays.end());
    step_.actions.push_back(std::move(action));
    Need(workspace);
  }

  // One call, and a launch before it that lists the addresses.
  void CallByPointers(const MatrixProduct& product, int64_t workspace) {
    const int64_t list = RoundUp(product.batch * 8, kArrayAlignment);
    Action launch;
    launch.kernel = ListsKernel();
    launch.grid = GridOf((product.batch + kStepBlock - 1) / kStepBlock);
    launch.block = kStepBlock;
    for (const Argument& array : Arrays(product, offsets_)) launch.arguments.push_back(array);
    launch.arguments.push_back({Argument::Kind::kScratch, 0, 0, 0});
    auto number = [&](Argument::Kind kind, int64_t value) {
      launch.arguments.push_back({kind, 0, 0, static_cast<uint64_t>(value)});
    };
    number(Argument::Kind::kU32, product.batch);
    for (size_t d = 0; d < kListDims; ++d) {
      // Dimensions that there are not, first.
      const size_t missing = kListDims - made_.batch.size();
      const BatchDim dim = d < missing ? BatchDim{} : made_.batch[d - missing];
      const std::array<int64_t, 3> strides = StridesOf(dim, made_.is_swapped);
      number(Argument::Kind::kU64, dim.size);
      number(Argument::Kind::kU64, strides[0] * ByteSize(product.operands));
      number(Argument::Kind::kU64, strides[1] * ByteSize(product.operands));
      number(Argument::Kind::kU64, strides[2] * ByteSize(product.result_type));
    }
    step_.actions.push_back(std::move(launch));
    Action action = MakeCall(product, workspace, 3 * list);
    for (int64_t i = 0; i < 3; ++i) {
      action.arguments.insert(action.arguments.begin() + i,
                              Argument{Argument::Kind::kScratch, 0, i * list, 0});
    }
    step_.actions.push_back(std::move(action));
    Need(3 * list + workspace);
  }

 private:
  static Action MakeCall(const MatrixProduct& product, int64_t workspace, int64_t scratch) {
    Action action;
    action.kind = Action::Kind::kProduct;
    action.product = std::make_shared<const MatrixProduct>(product);
    action.arguments = {{Argument::Kind::kScratch, 0, scratch, 0}};
    action.bytes = workspace;
    return action;
  }
  std::array<Argument, 3> Arrays(const MatrixProduct& product,
                                 const std::array<int64_t, 3>& offsets) const {
    const int64_t bytes = ByteSize(product.operands);
    return {Argument{Argument::Kind::kOperand, made_.is_swapped ? 1 : 0, offsets[0] * bytes, 0},
            Argument{Argument::Kind::kOperand, made_.is_swapped ? 0 : 1, offsets[1] * bytes, 0},
            Argument{Argument::Kind::kResult, 0, offsets[2] * ByteSize(product.result_type), 0}};
  }
  void Need(int64_t scratch) { step_.scratch_bytes = std::max(step_.scratch_bytes, scratch); }

  const Matrices& made_;
  PrintedStep& step_;
  const std::array<int64_t, 3> offsets_;
};

}  // namespace

Rounding RoundingOf(compiler::Precision precision,
                    const std::optional<compiler::DotAlgorithm>& algorithm, DType operands,
                    bool allow_tf32) {
  if (operands != DType::kF32) return Rounding::kNone;
  if (!algorithm.has_value()) {
    return allow_tf32 && precision == compiler::Precision::kDefault ? Rounding::kTf32
                                                                    : Rounding::kNone;
  }
  // Several products of parts of the elements come near f32, which is then used itself.
  if (algorithm->primitive_operations > 1 || algorithm->lhs_components > 1 ||
      algorithm->rhs_components > 1 || algorithm->lhs_precision != algorithm->rhs_precision) {
    return Rounding::kNone;
  }
  if (!algorithm->lhs_precision.has_value()) return Rounding::kTf32;
  switch (*algorithm->lhs_precision) {
    case DType::kBF16:
      return Rounding::kBF16;
    case DType::kF16:
      return Rounding::kF16;
    default:
      return Rounding::kNone;
  }
}

bool AppendMatrixProduct(const Product& product, Rounding rounding, const ProductChoices& choices,
                         PrintedStep& step) {
  if (!IsTaken(product.a.dtype, product.c.dtype) || product.a.dtype != product.b.dtype) {
    return false;
  }
  std::optional<Matrices> made = LargestMatrices(product);
  if (!made.has_value()) return false;
  MatrixProduct& whole = made->product;
  whole.rounding = rounding;
  int64_t batch = 1;
  for (const BatchDim& dim : made->batch) batch *= dim.size;
  for (int64_t size : {whole.rows, whole.columns, whole.depth, batch}) {
    if (size == 0 || size > INT32_MAX) return false;
  }
  const bool lists = made->batch.size() > 1 && made->batch.size() <= kListDims;
  if (choices.library == nullptr) {
    if (lists) step.spare.push_back(ListsKernel());
    return false;
  }
  const double work = static_cast<double>(whole.rows) * static_cast<double>(whole.columns) *
                      static_cast<double>(whole.depth) * static_cast<double>(batch);
  if (work < choices.least_work) return false;
  Appender appender(*made, product, step);
  if (lists) {
    MatrixProduct by_pointers = whole;
    by_pointers.batch = batch;
    by_pointers.by_pointers = true;
    Align(by_pointers, appender.offsets(), made->batch, made->is_swapped);
    if (const auto workspace = choices.library->Workspace(by_pointers)) {
      appender.CallByPointers(by_pointers, *workspace);
      return true;
    }
  }
  // The dimension with the most products is one call's, the others are calls.
  Align(whole, appender.offsets(), made->batch, made->is_swapped);
  std::vector<BatchDim> calls = made->batch;
  if (!calls.empty()) {
    const auto most = std::max_element(
        calls.begin(), calls.end(), [](const auto& x, const auto& y) { return x.size < y.size; });
    BeStrided(whole, *most, made->is_swapped);
    calls.erase(most);
  }
  if (batch / whole.batch > kMostCalls) return false;
  const auto workspace = choices.library->Workspace(whole);
  if (!workspace.has_value()) return false;
  for (int64_t call = 0; call < batch / whole.batch; ++call) {
    std::array<int64_t, 3> offsets = appender.offsets();
    int64_t rest = call;
    for (const BatchDim& dim : calls) {
      const std::array<int64_t, 3> strides = StridesOf(dim, made->is_swapped);
      for (size_t i = 0; i < 3; ++i) offsets[i] += rest % dim.size * strides[i];
      rest /= dim.size;
    }
    appender.Call(whole, offsets, *workspace);
  }
  return true;
}

}  // namespace plinth::cuda
