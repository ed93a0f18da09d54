// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/product.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference_plugin/cuda/library/matrix_product.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

using compiler::BatchDim;
using compiler::MapDim;
using compiler::NumElements;
using compiler::OperandMap;
using compiler::Product;

constexpr int32_t kBlock = 256;
constexpr int32_t kSide = 16;   // threads along each side of a tile
constexpr int32_t kDepth = 16;  // of the inner index, in shared memory at once
constexpr int64_t kMostSplits = 64;
constexpr int64_t kLeastSplit = 256;  // of the inner index

// How a product is cut.
struct Tiling {
  int64_t rows, columns, depth, batch;
  int32_t tile;    // rows and columns of a block
  int64_t splits;  // of the inner index, over blocks
  int64_t tiles_down() const { return (rows + tile - 1) / tile; }
  int64_t tiles_across() const { return (columns + tile - 1) / tile; }
  int64_t tiles() const { return tiles_down() * tiles_across(); }
  int64_t split_depth() const {
    const int64_t each = (depth + splits - 1) / splits;
    return (each + kDepth - 1) / kDepth * kDepth;
  }
};

// The type that sums are kept in.
DType SumType(DType result) {
  const DTypeInfo& info = InfoOf(result);
  return info.kind == DTypeClass::kFloat && info.bits < 32 ? DType::kF32 : result;
}

Tiling ChooseTiling(const Product& product, const Architecture& architecture) {
  Tiling tiling{NumElements(product.a.outer),
                NumElements(product.b.outer),
                NumElements(product.a.inner),
                1,
                0,
                1};
  for (const BatchDim& dim : product.batch) tiling.batch *= dim.size;
  const int64_t bytes = ByteSize(SumType(product.c.dtype));
  const int64_t enough = architecture.multiprocessors;
  // A thread holds (tile / 16)^2 sums.
  tiling.tile = bytes <= 4 ? 128 : bytes <= 8 ? 64 : 32;
  while (tiling.tile > 32 && tiling.tiles() * tiling.batch < enough) tiling.tile /= 2;
  const int64_t blocks = std::max<int64_t>(1, tiling.tiles() * tiling.batch);
  tiling.splits = std::clamp<int64_t>(std::min(2 * enough / blocks, tiling.depth / kLeastSplit), 1,
                                      kMostSplits);
  return tiling;
}

std::vector<int64_t> SizesOf(const std::vector<MapDim>& dims) {
  std::vector<int64_t> sizes;
  sizes.reserve(dims.size());
  for (const MapDim& dim : dims) sizes.push_back(dim.size);
  return sizes;
}

class ProductPrinter {
 public:
  ProductPrinter(const Product& product, const Tiling& tiling)
      : product_(product), tiling_(tiling), sum_(SumType(product.c.dtype)) {}

  Action Multiply() {
    Code& code = code_;
    code.Line("const u32 tile = blockIdx.x % ", tiling_.tiles(), "u, rest = blockIdx.x / ",
              tiling_.tiles(), "u;");
    code.Line("const u32 split = rest % ", tiling_.splits, "u, batch = rest / ", tiling_.splits,
              "u;");
    code.Line("const u32 row0 = tile / ", tiling_.tiles_across(), "u * ", tiling_.tile,
              "u, column0 = tile % ", tiling_.tiles_across(), "u * ", tiling_.tile, "u;");
    BatchOffsets();
    const std::string type = ValueType(sum_);
    // One more column keeps threads that write a column out of each other's banks.
    code.Line("__shared__ ", type, " as[", kDepth, "][", tiling_.tile + 1, "], bs[", kDepth, "][",
              tiling_.tile + 1, "];");
    code.Line("const u32 down = threadIdx.x / ", kSide, "u, across = threadIdx.x % ", kSide, "u;");
    const int32_t each = tiling_.tile / kSide;
    code.Line(type, " sums[", each, "][", each, "];");
    EachSum([&] { code.Line("sums[r][q] = ", ZeroText(), ";"); });
    code.Line("const u32 end = ", tiling_.splits == 1
                                      ? StrCat(tiling_.depth, "u;")
                                      : StrCat("(split + 1) * ", tiling_.split_depth(), "u < ",
                                               tiling_.depth, "u ? (split + 1) * ",
                                               tiling_.split_depth(), "u : ", tiling_.depth, "u;"));
    code.Open("for (u32 k0 = split * ", tiling_.split_depth(), "u; k0 < end; k0 += ", kDepth, "u)");
    LoadTile(product_.a, 'a', "row0", tiling_.rows);
    LoadTile(product_.b, 'b', "column0", tiling_.columns);
    code.Line("__syncthreads();");
    code.Line("#pragma unroll");
    code.Open("for (u32 k = 0; k < ", kDepth, "u; ++k)");
    code.Line(type, " x[", each, "], y[", each, "];");
    code.Line("#pragma unroll");
    code.Line("for (u32 r = 0; r < ", each, "u; ++r) x[r] = as[k][down + ", kSide, "u * r];");
    code.Line("#pragma unroll");
    code.Line("for (u32 q = 0; q < ", each, "u; ++q) y[q] = bs[k][across + ", kSide, "u * q];");
    EachSum([&] { code.Line("sums[r][q] = multiply_add(x[r], y[q], sums[r][q]);"); });
    code.Close();
    code.Line("__syncthreads();");
    code.Close();
    StoreSums();
    Action action;
    std::vector<std::string> parameters = {"const char* pa", "const char* pb", "char* pc"};
    action.arguments = {{Argument::Kind::kOperand, 0, 0, 0}, {Argument::Kind::kOperand, 1, 0, 0}};
    action.arguments.push_back(
        {tiling_.splits > 1 ? Argument::Kind::kScratch : Argument::Kind::kResult, 0, 0, 0});
    action.kernel = MakeKernel(parameters, code.Take(), kBlock, true);
    action.grid = static_cast<uint32_t>(tiling_.tiles() * tiling_.splits * tiling_.batch);
    action.block = kBlock;
    return action;
  }

  // Adds what the splits have left in scratch, in their order.
  Action AddSplits() {
    const int64_t points = tiling_.rows * tiling_.columns * tiling_.batch;
    Code& code = code_;
    code.Line("const u32 t = blockIdx.x * ", kBlock, "u + threadIdx.x;");
    code.Line("if (t >= ", points, "u) return;");
    const std::string type = TypeText(sum_);
    code.Line(type, "::V sum = ld<", type, ">(pa + (s64)t * ", ByteSize(sum_), ");");
    code.Open("for (u32 s = 1; s < ", tiling_.splits, "u; ++s)");
    code.Line("sum = add(sum, ld<", type, ">(pa + (s * ", points, "ll + t) * ", ByteSize(sum_),
              "));");
    code.Close();
    code.Line("const u32 column = t % ", tiling_.columns, "u, rest = t / ", tiling_.columns, "u;");
    code.Line("const u32 row = rest % ", tiling_.rows, "u, batch = rest / ", tiling_.rows, "u;");
    BatchOffsets();
    StoreResult("row", "column", "sum");
    Action action;
    const std::vector<std::string> parameters = {"const char* pa", "char* pc"};
    action.arguments = {{Argument::Kind::kScratch, 0, 0, 0}, {Argument::Kind::kResult, 0, 0, 0}};
    action.kernel = MakeKernel(parameters, code.Take(), kBlock, false);
    action.grid = GridOf((points + kBlock - 1) / kBlock);
    action.block = kBlock;
    return action;
  }

 private:
  std::string ZeroText() const { return LiteralText(sum_, {}); }

  template <typename Body>
  void EachSum(const Body& body) {
    const int32_t each = tiling_.tile / kSide;
    code_.Line("#pragma unroll");
    code_.Open("for (u32 r = 0; r < ", each, "u; ++r)");
    code_.Line("#pragma unroll");
    code_.Open("for (u32 q = 0; q < ", each, "u; ++q)");
    body();
    code_.Close();
    code_.Close();
  }

  void BatchOffsets() {
    std::vector<int64_t> sizes;
    for (const BatchDim& dim : product_.batch) sizes.push_back(dim.size);
    const std::vector<std::string> names = SplitIndex(code_, sizes, "batch", "n");
    Terms a, b, c;
    for (size_t d = 0; d < names.size(); ++d) {
      a.push_back({product_.batch[d].a_stride, names[d]});
      b.push_back({product_.batch[d].b_stride, names[d]});
      c.push_back({product_.batch[d].c_stride, names[d]});
    }
    code_.Line("const s64 a_batch = ", SumText(a, product_.a.offset), ";");
    code_.Line("const s64 b_batch = ", SumText(b, product_.b.offset), ";");
    code_.Line("const s64 c_batch = ", SumText(c, product_.c.offset), ";");
  }

  // A tile of an operand into shared memory, as values of the sums' type; zeros beyond its ends.
  void LoadTile(const OperandMap& map, char name, std::string_view first, int64_t outer) {
    const int32_t loads = tiling_.tile * kDepth / kBlock;
    // Neighbouring threads read neighbours in memory, as far as one dimension can tell.
    const bool inner_is_fast = !map.inner.empty() && map.inner.back().window < 0 &&
                               map.inner.back().stride == 1 && map.inner.back().size > 1;
    code_.Line("#pragma unroll");
    code_.Open("for (u32 e = 0; e < ", loads, "u; ++e)");
    code_.Line("const u32 at = e * ", kBlock, "u + threadIdx.x;");
    if (inner_is_fast) {
      code_.Line("const u32 kk = at % ", kDepth, "u, oo = at / ", kDepth, "u;");
    } else {
      code_.Line("const u32 oo = at % ", tiling_.tile, "u, kk = at / ", tiling_.tile, "u;");
    }
    code_.Line("const u32 k = k0 + kk, o = ", first, " + oo;");
    code_.Line(ValueType(sum_), " v = ", ZeroText(), ";");
    code_.Open("if (o < ", outer, "u && k < end)");
    const std::vector<std::string> o = SplitIndex(code_, SizesOf(map.outer), "o", "om");
    const std::vector<std::string> k = SplitIndex(code_, SizesOf(map.inner), "k", "im");
    Terms position;
    std::vector<Terms> windows(map.windows.size());
    auto add = [&](const std::vector<MapDim>& dims, const std::vector<std::string>& names) {
      for (size_t d = 0; d < dims.size(); ++d) {
        if (dims[d].window < 0) {
          position.push_back({dims[d].stride, names[d]});
        } else {
          windows[static_cast<size_t>(dims[d].window)].push_back({dims[d].step, names[d]});
        }
      }
    };
    add(map.outer, o);
    add(map.inner, k);
    std::string condition;
    for (size_t w = 0; w < windows.size(); ++w) {
      const compiler::MapWindow& window = map.windows[w];
      code_.Line("const s64 w", w, " = ", SumText(windows[w], window.low), ";");
      condition +=
          StrCat(condition.empty() ? "" : " && ", "(u64)w", w, " < ", window.extent, "ull");
      if (window.dilation > 1) {
        condition += StrCat(" && w", w, " % ", window.dilation, "ll == 0");
        code_.Line("const s64 x", w, " = w", w, " / ", window.dilation, "ll;");
        position.push_back({window.stride, StrCat("x", w)});
      } else {
        position.push_back({window.stride, StrCat("w", w)});
      }
    }
    const std::string load = StrCat("v = cv<", TypeText(sum_), ">(ld<", TypeText(map.dtype), ">(p",
                                    std::string(1, name), " + (", std::string(1, name), "_batch + ",
                                    SumText(position, 0), ") * ", ByteSize(map.dtype), "));");
    code_.Line(condition.empty() ? "" : StrCat("if (", condition, ") "), load);
    code_.Close();
    code_.Line(name, "s[kk][oo] = v;");
    code_.Close();
  }

  void StoreResult(std::string_view row, std::string_view column, std::string_view value) {
    const std::vector<std::string> rows = SplitIndex(code_, SizesOf(product_.c.rows), row, "i");
    const std::vector<std::string> columns =
        SplitIndex(code_, SizesOf(product_.c.columns), column, "j");
    Terms position;
    for (size_t d = 0; d < rows.size(); ++d) {
      position.push_back({product_.c.rows[d].stride, rows[d]});
    }
    for (size_t d = 0; d < columns.size(); ++d) {
      position.push_back({product_.c.columns[d].stride, columns[d]});
    }
    code_.Line("st<", TypeText(product_.c.dtype), ">(pc + (c_batch + ", SumText(position, 0),
               ") * ", ByteSize(product_.c.dtype), ", ", value, ");");
  }

  void StoreSums() {
    EachSum([&] {
      code_.Line("const u32 row = row0 + down + ", kSide, "u * r, column = column0 + across + ",
                 kSide, "u * q;");
      code_.Open("if (row < ", tiling_.rows, "u && column < ", tiling_.columns, "u)");
      if (tiling_.splits > 1) {
        code_.Line("st<", TypeText(sum_), ">(pc + (((s64)split * ", tiling_.batch, "ll + batch) * ",
                   tiling_.rows * tiling_.columns, "ll + (s64)row * ", tiling_.columns,
                   "ll + column) * ", ByteSize(sum_), ", sums[r][q]);");
      } else {
        StoreResult("row", "column", "sums[r][q]");
      }
      code_.Close();
    });
  }
  const Product& product_;
  const Tiling& tiling_;
  const DType sum_;
  Code code_;
};

// Appends the kernels of a product of operands 0 and 1 into result 0.
Status AppendKernels(Product product, const Architecture& architecture, PrintedStep& step) {
  product.a.Simplify();
  product.b.Simplify();
  compiler::MergeDims(product.c.rows);
  compiler::MergeDims(product.c.columns);
  // Simplify takes the run of the inner index off: here it is a dimension like others.
  for (OperandMap* map : {&product.a, &product.b}) {
    if (map->run_length == 1) continue;
    map->inner.push_back({map->run_length, map->run_stride, -1, 0});
    map->run_length = 1;
  }
  const Tiling tiling = ChooseTiling(product, architecture);
  if (tiling.rows == 0 || tiling.columns == 0 || tiling.batch == 0) return Status();
  const int64_t most = INT32_MAX / 2;
  if (tiling.rows > most || tiling.columns > most || tiling.depth > most ||
      tiling.tiles() > architecture.grid_x / (tiling.splits * tiling.batch)) {
    return Unimplemented("a product of ", tiling.batch, " x ", tiling.rows, " x ", tiling.columns,
                         " x ", tiling.depth, " is larger than a launch");
  }
  step.actions.push_back(ProductPrinter(product, tiling).Multiply());
  if (tiling.splits > 1) {
    step.actions.push_back(ProductPrinter(product, tiling).AddSplits());
    const int64_t bytes = tiling.splits * tiling.batch * tiling.rows * tiling.columns *
                          ByteSize(SumType(product.c.dtype));
    step.scratch_bytes = std::max(step.scratch_bytes, RoundUp(bytes, kArrayAlignment));
  }
  return Status();
}

}  // namespace

Expected<PrintedStep> PrintProducts(const compiler::plan::PlanStep& step,
                                    const Architecture& architecture,
                                    const ProductChoices& products) {
  PrintedStep printed;
  auto append = [&](Product product, MatrixProduct::Rounding rounding) {
    if (AppendMatrixProduct(product, rounding, products, printed)) return Status();
    return AppendKernels(std::move(product), architecture, printed);
  };
  const compiler::Type &left = step.operands[0].type, &right = step.operands[1].type;
  const compiler::Type& result = step.results[0].type;
  if (const auto* dot = std::get_if<compiler::DotAttributes>(step.attributes.get())) {
    PLINTH_RETURN_IF_ERROR(
        append(compiler::DotProduct(*dot, left, right, result),
               RoundingOf(dot->precision, dot->algorithm, left.dtype, products.allow_tf32)));
    return printed;
  }
  // More classes of outputs than this cost more launches than the zeros that they avoid.
  constexpr int64_t kMostParts = 9;
  const auto& conv = std::get<compiler::ConvolutionAttributes>(*step.attributes);
  const compiler::ConvolutionArrays arrays{conv, left, right, result};
  if (result.NumElements() == 0) return printed;
  const MatrixProduct::Rounding rounding =
      RoundingOf(conv.precision, std::nullopt, left.dtype, products.allow_tf32);
  for (const compiler::ConvolutionPart& part : compiler::PartsOf(arrays, kMostParts)) {
    PLINTH_RETURN_IF_ERROR(append(compiler::ConvolutionProduct(arrays, part), rounding));
  }
  return printed;
}

}  // namespace plinth::cuda
