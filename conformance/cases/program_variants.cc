// SPDX-License-Identifier: Apache-2.0
// L1: programs that differ in one place: they are other programs, whatever a cache looks at. All
// are alive at once, and each computes its own.

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace program_variants {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

struct Variant {
  const char* what;
  std::string text;
  std::vector<float> wanted;  // of [1, 2, 3, 4]
};

// A program of one name whose body is `lines`, with result %r. A long constant that nothing but the
// last element of the result uses stands before it.
std::string ProgramOf(std::string_view lines, int last = 0, std::string_view name = "variant") {
  std::string table;
  for (int i = 0; i < 299; ++i) table += "0, ";
  return StrCat(
      "module @", name, " {\n  func.func public @main(%a: tensor<4xf32>) -> ",
      "tensor<4xf32> {\n    %table = stablehlo.constant dense<[", table, last,
      "]> : tensor<300xi32>\n",
      "    %part = stablehlo.slice %table [296:300] : (tensor<300xi32>) -> tensor<4xi32>\n",
      "    %more = stablehlo.convert %part : (tensor<4xi32>) -> tensor<4xf32>\n", lines,
      "    %sum = stablehlo.add %r, %more : tensor<4xf32>\n",
      "    return %sum : tensor<4xf32>\n  }\n}\n");
}

std::string WithConstant(std::string_view op, std::string_view constant) {
  return StrCat("    %c = stablehlo.constant dense<", constant,
                "> : tensor<4xf32>\n    %r = ", "stablehlo.", op, " %a, %c : tensor<4xf32>\n");
}

std::vector<Variant> Variants() {
  return {
      {"the first", ProgramOf(WithConstant("add", "1.0")), {2, 3, 4, 5}},
      {"another constant", ProgramOf(WithConstant("add", "2.0")), {3, 4, 5, 6}},
      {"another op", ProgramOf(WithConstant("subtract", "1.0")), {0, 1, 2, 3}},
      {"the end of a long constant", ProgramOf(WithConstant("add", "1.0"), 7), {2, 3, 4, 12}},
      {"operands turned",
       ProgramOf("    %c = stablehlo.constant dense<1.0> : tensor<4xf32>\n    %r = "
                 "stablehlo.subtract %c, %a : tensor<4xf32>\n"),
       {0, -1, -2, -3}},
      {"one of the elements", ProgramOf(WithConstant("add", "[1.0, 1.0, 1.0, 3.0]")), {2, 3, 4, 7}},
      {"an attribute",
       ProgramOf("    %r = stablehlo.reverse %a, dims = [0] : tensor<4xf32>\n"),
       {4, 3, 2, 1}},
      {"an attribute that says nothing",
       ProgramOf("    %r = stablehlo.reverse %a, dims = [] : tensor<4xf32>\n"),
       {1, 2, 3, 4}},
      {"the direction of a comparison",
       ProgramOf("    %z = stablehlo.constant dense<2.0> : tensor<4xf32>\n    %p = "
                 "stablehlo.compare GT, %a, %z, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> "
                 "tensor<4xi1>\n    %r = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xf32>\n"),
       {0, 0, 1, 1}},
      {"the other direction",
       ProgramOf("    %z = stablehlo.constant dense<2.0> : tensor<4xf32>\n    %p = "
                 "stablehlo.compare GE, %a, %z, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> "
                 "tensor<4xi1>\n    %r = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xf32>\n"),
       {0, 1, 1, 1}},
      {"the sign of a zero",
       ProgramOf("    %z = stablehlo.constant dense<-0.0> : tensor<4xf32>\n    %o = "
                 "stablehlo.constant dense<1.0> : tensor<4xf32>\n    %q = stablehlo.atan2 %z, %o : "
                 "tensor<4xf32>\n    %r = stablehlo.add %a, %q : tensor<4xf32>\n"),
       {1, 2, 3, 4}},
      {"the first again", ProgramOf(WithConstant("add", "1.0")), {2, 3, 4, 5}},
      {"another name", ProgramOf(WithConstant("add", "1.0"), 0, "other"), {2, 3, 4, 5}},
  };
}

void Run(Context& context) {
  std::vector<Variant> variants = Variants();
  std::vector<OwnedLoadedExecutable> loaded;
  for (const Variant& variant : variants) {
    Expected<OwnedLoadedExecutable> one =
        context.CompileAnyway(variant.text, "mlir", SingleDeviceCompileOptions());
    // They are not stored as artifacts; a plugin need not read text.
    if (!one.ok() && loaded.empty()) return context.Unsupported(one.status().ToString());
    if (!context.Ok("PJRT-Args-accepted", StrCat("a program that differs in ", variant.what),
                    one.status()))
      return;
    loaded.push_back(*std::move(one));
  }
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
  PJRT_Buffer* handles[] = {buffer->get()};
  // Turned, so that what was compiled last does not run last.
  for (size_t turn = 0; turn < 2 * loaded.size(); ++turn) {
    size_t i = turn < loaded.size() ? turn : 2 * loaded.size() - 1 - turn;
    auto results = context.Execute(loaded[i].get(), handles);
    if (!context.Ok(kResults, variants[i].what, results.status())) return;
    Expected<HostArray> back = context.Download((*results)[0].get());
    if (!context.Ok(kResults, "PJRT_Buffer_ToHostBuffer", back.status())) return;
    if (!context.Check(kResults, back->AsF32() == variants[i].wanted,
                       "the program that differs in ", variants[i].what, " gives [",
                       StrJoin(back->AsF32()), "], not [", StrJoin(variants[i].wanted), "]"))
      return;
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  cases.push_back({"L1/program/variants", Level::kL1, ClientNeed::kShared, {kResults}, Run, false});
}

}  // namespace program_variants

void AddProgramVariantCases(std::vector<Case>& cases) { program_variants::AddCases(cases); }

}  // namespace plinth::conformance
