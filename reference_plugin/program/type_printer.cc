// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plinth/program/printer.h"
#include "plinth/support/str_cat.h"

namespace plinth::program {
namespace {

void PrintTypeList(std::span<const TypeRef> types, std::string* out) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) out->append(", ");
    PrintType(*types[i], out);
  }
}

}  // namespace

void PrintType(const Type& type, std::string* out) {
  switch (type.kind) {
    case TypeKind::kTensor:
      out->append("tensor<");
      for (int64_t dim : type.dims) {
        if (dim == kDynamic) {
          out->append("?x");
        } else {
          out->append(StrCat(dim, "x"));
        }
      }
      out->append(type.is_index ? "index" : InfoOf(type.dtype).mlir_name);
      if (type.encoding != nullptr) {
        out->append(", ");
        PrintAttribute(*type.encoding, out);
      }
      out->push_back('>');
      break;
    case TypeKind::kScalar:
      out->append(InfoOf(type.dtype).mlir_name);
      break;
    case TypeKind::kIndex:
      out->append("index");
      break;
    case TypeKind::kToken:
      out->append("!stablehlo.token");
      break;
    case TypeKind::kNone:
      out->append("none");
      break;
    case TypeKind::kTf32:
      out->append("tf32");
      break;
    case TypeKind::kTuple:
    case TypeKind::kFuture:
      out->append(type.kind == TypeKind::kTuple ? "tuple<" : "!stablehlo.future<");
      PrintTypeList(type.elements, out);
      out->push_back('>');
      break;
    case TypeKind::kFunction: {
      out->push_back('(');
      PrintTypeList(type.elements, out);
      out->append(") -> ");
      const bool bare = type.results.size() == 1 && type.results[0]->kind != TypeKind::kFunction;
      if (!bare) out->push_back('(');
      PrintTypeList(type.results, out);
      if (!bare) out->push_back(')');
      break;
    }
  }
}

std::string ToString(TypeRef type) {
  std::string out;
  PrintType(*type, &out);
  return out;
}

}  // namespace plinth::program
