// SPDX-License-Identifier: Apache-2.0
// Plugins that compute something else: the text of a program is rewritten before it is compiled, or
// an output is changed. Written from the specification of StableHLO, without looking at the packs.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

// Of a program in text; empty for others.
std::string_view TextOf(const PJRT_Client_Compile_Args& a) {
  if (!HasText(a)) return {};
  return {a.program->code, a.program->code_size};
}

// Compiles with each line of the program changed.
template <typename Change>
PJRT_Error* CompileLines(PJRT_Client_Compile_Args* a, Change change) {
  if (!HasText(*a)) return Real().PJRT_Client_Compile(a);
  std::string_view code(a->program->code, a->program->code_size);
  std::string changed;
  while (!code.empty()) {
    size_t end = std::min(code.find('\n'), code.size() - 1) + 1;
    changed += change(std::string(code.substr(0, end)));
    code.remove_prefix(end);
  }
  PJRT_Error* error = CompileText(a, std::move(changed));
  if (error == nullptr) return nullptr;
  FreeError(error);
  return Real().PJRT_Client_Compile(a);
}

template <typename Change>
void Lines(PJRT_Api& t, Change) {
  Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) { return CompileLines(a, Change{}); });
}

// "3x5x" of the last "tensor<3x5xf32>" in a line; `element` without the closing bracket.
std::string DimsBefore(std::string_view line, std::string_view element) {
  size_t from = line.rfind("tensor<");
  if (from == line.npos) return "?";
  std::string_view inner = line.substr(from + 7);
  size_t end = inner.find(std::string(element) + ">");
  return end == inner.npos ? "?" : std::string(inner.substr(0, end));
}

// Clears the elements of f32 outputs that do not fill eight, of arrays with so many elements or
// more.
PJRT_Error* ClearTails(PJRT_LoadedExecutable_Execute_Args* a, size_t least) {
  PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
  if (error != nullptr || a->num_devices != 1 || a->output_lists == nullptr) return error;
  auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = a->executable;
  FreeError(Real().PJRT_LoadedExecutable_GetExecutable(&get));
  auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
  count.executable = get.executable;
  FreeError(Real().PJRT_Executable_NumOutputs(&count));
  for (size_t i = 0; i < count.num_outputs; ++i) {
    auto size = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    size.src = a->output_lists[0][i];
    PJRT_Error* failed = Real().PJRT_Buffer_ToHostBuffer(&size);
    FreeError(failed);
    size_t elements = size.dst_size / 4;
    if (failed != nullptr || elements < least || elements % 8 == 0) continue;
    auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
    ready.buffer = size.src;
    FreeError(Real().PJRT_Buffer_ReadyEvent(&ready));
    auto await = MakeArgs<PJRT_Event_Await_Args>();
    await.event = ready.event;
    failed = Real().PJRT_Event_Await(&await);
    auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
    destroy.event = ready.event;
    FreeError(Real().PJRT_Event_Destroy(&destroy));
    auto pointer = MakeArgs<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
    pointer.buffer = size.src;
    if (failed == nullptr) failed = Real().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer);
    if (failed == nullptr) {
      std::memset(static_cast<char*>(pointer.device_memory_ptr) + elements / 8 * 32, 0,
                  elements % 8 * 4);
    }
    FreeError(failed);
  }
  return nullptr;
}

struct LeastFloat {
  std::string operator()(std::string line) const {
    if (!Has(line, "\"stablehlo.reduce_window\"(%a0, %a1)")) return line;
    return "%zz = stablehlo.constant dense<0xFF800000> : tensor<f32>\n" +
           Replaced(line, "(%a0, %a1)", "(%a0, %zz)");
  }
};

constexpr Mutant kValueMutants[] = {
    {"large_arrays_lack_tail", "PJRT-LoadedExecutable_Execute-results",
     "what is left of more than 65536 elements after eights is not computed",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](auto* a) { return ClearTails(a, 65537); });
     }},
    {"windows_start_low", "PJRT-LoadedExecutable_Execute-results",
     "a window's largest number does not count the initial value",
     [](PJRT_Api& t) { Lines(t, LeastFloat{}); }},
    {"sums_start_at_zero", "PJRT-LoadedExecutable_Execute-results",
     "a sum of nothing is 0, and not the initial value",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         const std::string_view code = TextOf(*a);
         std::string type = Between(code, "%a1: ", ")");
         bool is_sum = Has(code, "%z = stablehlo.add ");
         static thread_local std::string kind;
         kind = is_sum ? type : "";
         return CompileLines(a, [](std::string line) {
           if (kind.empty() || !Has(line, "\"stablehlo.reduce\"(%a0, %a1) ({")) return line;
           return "%zz = stablehlo.subtract %a1, %a1 : " + kind + "\n" +
                  Replaced(line, "(%a0, %a1) ({", "(%a0, %zz) ({");
         });
       });
     }},
    {"indices_of_32_bits", "PJRT-LoadedExecutable_Execute-results",
     "the start of a slice is cut to 32 bits",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         if (!Has(line, "\"stablehlo.dynamic_slice\"(%a0, %a1)") || !Has(line, ", tensor<i64>)"))
           return line;
         return "%zz = stablehlo.convert %a1 : (tensor<i64>) -> tensor<i32>\n" +
                Replaced(Replaced(line, "(%a0, %a1)", "(%a0, %zz)"), ", tensor<i64>)",
                         ", tensor<i32>)");
       });
     }},
    {"unsigned_indices_signed", "PJRT-LoadedExecutable_Execute-results",
     "an unsigned start of a slice is read as signed",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         if (!Has(line, "\"stablehlo.dynamic_slice\"(%a0, %a1)") || !Has(line, ", tensor<ui64>)"))
           return line;
         return "%zz = stablehlo.bitcast_convert %a1 : (tensor<ui64>) -> tensor<i64>\n" +
                Replaced(Replaced(line, "(%a0, %a1)", "(%a0, %zz)"), ", tensor<ui64>)",
                         ", tensor<i64>)");
       });
     }},
    {"gathers_by_32_bits", "PJRT-LoadedExecutable_Execute-results",
     "indices of a gather are cut to 32 bits",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = Between(line, "f32>, tensor<", "xi64>)");
         if (!Has(line, "\"stablehlo.gather\"(%a0, %a1)") || dims.empty()) return line;
         return "%zz = stablehlo.convert %a1 : (tensor<" + dims + "xi64>) -> tensor<" + dims +
                "xi32>\n" +
                Replaced(Replaced(line, "(%a0, %a1)", "(%a0, %zz)"), "xi64>)", "xi32>)");
       });
     }},
    {"scatters_by_32_bits", "PJRT-LoadedExecutable_Execute-results",
     "indices of a scatter are cut to 32 bits",
     [](PJRT_Api& t) {
       // The types stand in a later line than the operands.
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         const std::string_view code = TextOf(*a);
         static thread_local std::string dims;
         dims = Has(code, "stablehlo.scatter") ? Between(code, "%a1: tensor<", "xi64>") : "";
         if (Has(dims, ",")) dims = "";
         return CompileLines(a, [](std::string line) {
           if (dims.empty()) return line;
           std::string from = "tensor<" + dims + "xi64>", to = "tensor<" + dims + "xi32>";
           if (Has(line, "\"stablehlo.scatter\"(%a0, %a1, %a2)")) {
             return "%zz = stablehlo.convert %a1 : (" + from + ") -> " + to + "\n" +
                    Replaced(line, "(%a0, %a1, %a2)", "(%a0, %zz, %a2)");
           }
           return Has(line, "scatter_dimension_numbers") ? Replaced(line, from, to) : line;
         });
       });
     }},
    {"halves_go_up", "PJRT-LoadedExecutable_Execute-results",
     "a conversion to bf16 rounds halves up, and not to even",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "bf16");
         if (dims == "?" || !Has(line, "%r = stablehlo.convert %a0 : (tensor<" + dims + "f32>)"))
           return line;
         std::string u = "tensor<" + dims + "ui32>", n = "tensor<" + dims + "ui16>";
         return "%z0 = stablehlo.bitcast_convert %a0 : (tensor<" + dims + "f32>) -> " + u +
                "\n%z1 = stablehlo.constant dense<32768> : " + u +
                "\n%z2 = stablehlo.constant dense<16> : " + u +
                "\n%z3 = stablehlo.add %z0, %z1 : " + u +
                "\n%z4 = stablehlo.shift_right_logical %z3, %z2 : " + u +
                "\n%z5 = stablehlo.convert %z4 : (" + u + ") -> " + n +
                "\n%r = stablehlo.bitcast_convert %z5 : (" + n + ") -> tensor<" + dims + "bf16>\n";
       });
     }},
    {"large_integers_cut", "PJRT-LoadedExecutable_Execute-results",
     "s32 above 2^30 becomes f32 by cutting bits",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "f32");
         if (dims == "?" || !Has(line, "%r = stablehlo.convert %a0 : (tensor<" + dims + "i32>)"))
           return line;
         std::string i = "tensor<" + dims + "i32>", f = "tensor<" + dims + "f32>";
         return "%z0 = stablehlo.constant dense<-64> : " + i + "\n%z1 = stablehlo.abs %a0 : " + i +
                "\n%z2 = stablehlo.constant dense<1073741824> : " + i +
                "\n%z3 = stablehlo.compare LT, %z1, %z2, SIGNED : (" + i + ", " + i +
                ") -> tensor<" + dims + "i1>\n%z4 = stablehlo.and %a0, %z0 : " + i +
                "\n%z5 = stablehlo.select %z3, %a0, %z4 : tensor<" + dims + "i1>, " + i +
                "\n%r = stablehlo.convert %z5 : (" + i + ") -> " + f + "\n";
       });
     }},
    {"unsigned_by_signed", "PJRT-LoadedExecutable_Execute-results", "f64 becomes u64 by way of s64",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "ui64");
         if (dims == "?" || !Has(line, "%r = stablehlo.convert %a0 : (tensor<" + dims + "f64>)"))
           return line;
         return "%z0 = stablehlo.convert %a0 : (tensor<" + dims + "f64>) -> tensor<" + dims +
                "i64>\n%r = stablehlo.convert %z0 : (tensor<" + dims + "i64>) -> tensor<" + dims +
                "ui64>\n";
       });
     }},
    {"longs_compare_as_doubles", "PJRT-LoadedExecutable_Execute-results", "s64 are compared as f64",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "i1");
         std::string from = "tensor<" + dims + "i64>", to = "tensor<" + dims + "f64>";
         std::string number = Between(line, "%r", " =");
         if (!Has(line, "stablehlo.compare ") ||
             !Has(line, "%a0, %a1, SIGNED : (" + from + ", " + from + ")"))
           return line;
         line = Replaced(
             Replaced(line, "%a0, %a1, SIGNED", "%x" + number + ", %y" + number + ", FLOAT"), from,
             to);
         return "%x" + number + " = stablehlo.convert %a0 : (" + from + ") -> " + to + "\n%y" +
                number + " = stablehlo.convert %a1 : (" + from + ") -> " + to + "\n" + line;
       });
     }},
    {"nearly_equal", "PJRT-LoadedExecutable_Execute-results",
     "numbers of f32 that are neighbours are equal",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "i1");
         std::string f = "tensor<" + dims + "f32>", number = Between(line, "%r", " =");
         if (!Has(line, "stablehlo.compare EQ, %a0, %a1, FLOAT : (" + f)) return line;
         std::string x = "%x" + number;
         return x + "d = stablehlo.subtract %a0, %a1 : " + f + "\n" + x + "a = stablehlo.abs " + x +
                "d : " + f + "\n" + x + "b = stablehlo.abs %a0 : " + f + "\n" + x +
                "c = stablehlo.constant dense<1.0e-6> : " + f + "\n" + x +
                "e = stablehlo.multiply " + x + "b, " + x + "c : " + f + "\n%r" + number +
                " = stablehlo.compare LE, " + x + "a, " + x + "e, FLOAT : (" + f + ", " + f +
                ") -> tensor<" + dims + "i1>\n";
       });
     }},
    {"long_sorts_unstable", "PJRT-LoadedExecutable_Execute-results",
     "sorts of more than 1000 elements change the order of equals",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         const std::string_view code = TextOf(*a);
         static thread_local bool is_long;
         is_long = Has(code, "stablehlo.sort") && !Between(code, "%a0: tensor<", "x").empty() &&
                   Between(code, "%a0: tensor<", "x").size() >= 4;
         return CompileLines(a, [](const std::string& line) {
           return is_long ? Replaced(line, "compare LT", "compare LE") : line;
         });
       });
     }},
    {"reverses_outermost", "PJRT-LoadedExecutable_Execute-results",
     "of three dimensions the first is reversed, not the second",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         if (!Has(line, "stablehlo.reverse")) return line;
         return Replaced(line, "dimensions = array<i64: 1>", "dimensions = array<i64: 0>");
       });
     }},
    {"iota_of_last", "PJRT-LoadedExecutable_Execute-results",
     "iota counts along the last of three dimensions, not the second",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = Between(line, "stablehlo.iota dim = 1 : tensor<", ">");
         if (std::count(dims.begin(), dims.end(), 'x') != 3) return line;
         return Replaced(line, "dim = 1", "dim = 2");
       });
     }},
    {"joins_sixteen", "PJRT-LoadedExecutable_Execute-results",
     "the 17th array of a concatenation is the 14th",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         if (!Has(line, "stablehlo.concatenate") || !Has(line, "%a16")) return line;
         return Replaced(line, "%a16", "%a13");
       });
     }},
    {"tanh_overflows", "PJRT-LoadedExecutable_Execute-results",
     "tanh of a complex number is computed from e^2x",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "complex<f32>");
         if (dims == "?" || !Has(line, "\"stablehlo.tanh\"(%a0)")) return line;
         std::string c = " : tensor<" + dims + "complex<f32>>\n";
         return "%z0 = stablehlo.add %a0, %a0" + c + "%z1 = stablehlo.exponential %z0" + c +
                "%z2 = stablehlo.constant dense<(1.0, 0.0)>" + c +
                "%z3 = stablehlo.subtract %z1, %z2" + c + "%z4 = stablehlo.add %z1, %z2" + c +
                "%r = stablehlo.divide %z3, %z4" + c;
       });
     }},
    {"roots_square", "PJRT-LoadedExecutable_Execute-results",
     "the root of a complex number is computed from its square",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "complex<f32>");
         if (dims == "?" || !Has(line, "\"stablehlo.sqrt\"(%a0)")) return line;
         std::string c = " : tensor<" + dims + "complex<f32>>\n",
                     f = " : tensor<" + dims + "f32>\n";
         std::string part = " : (tensor<" + dims + "complex<f32>>) -> tensor<" + dims + "f32>\n";
         return "%z0 = stablehlo.real %a0" + part + "%z1 = stablehlo.imag %a0" + part +
                "%z2 = stablehlo.multiply %z0, %z0" + f + "%z3 = stablehlo.multiply %z1, %z1" + f +
                "%z4 = stablehlo.add %z2, %z3" + f + "%z5 = stablehlo.sqrt %z4" + f +
                "%z6 = stablehlo.sqrt %z5" + f + "%z7 = stablehlo.atan2 %z1, %z0" + f +
                "%z8 = stablehlo.constant dense<0.5>" + f + "%z9 = stablehlo.multiply %z7, %z8" +
                f + "%y0 = stablehlo.cosine %z9" + f + "%y1 = stablehlo.sine %z9" + f +
                "%y2 = stablehlo.multiply %z6, %y0" + f + "%y3 = stablehlo.multiply %z6, %y1" + f +
                "%r = stablehlo.complex %y2, %y3 : tensor<" + dims + "complex<f32>>\n";
       });
     }},
    {"logs_square", "PJRT-LoadedExecutable_Execute-results",
     "the logarithm of a complex number is computed from its square",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "complex<f32>");
         if (dims == "?" || !Has(line, "\"stablehlo.log\"(%a0)")) return line;
         std::string f = " : tensor<" + dims + "f32>\n";
         std::string part = " : (tensor<" + dims + "complex<f32>>) -> tensor<" + dims + "f32>\n";
         return "%z0 = stablehlo.real %a0" + part + "%z1 = stablehlo.imag %a0" + part +
                "%z2 = stablehlo.multiply %z0, %z0" + f + "%z3 = stablehlo.multiply %z1, %z1" + f +
                "%z4 = stablehlo.add %z2, %z3" + f + "%z5 = stablehlo.log %z4" + f +
                "%z6 = stablehlo.constant dense<0.5>" + f + "%z7 = stablehlo.multiply %z5, %z6" +
                f + "%z8 = stablehlo.atan2 %z1, %z0" + f +
                "%r = stablehlo.complex %z7, %z8 : tensor<" + dims + "complex<f32>>\n";
       });
     }},
    {"products_that_do_not_fit", "PJRT-LoadedExecutable_Execute-results",
     "a product of s8 that does not fit is 0",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "i8");
         std::string n = "tensor<" + dims + "i8>", w = "tensor<" + dims + "i32>";
         bool is_product = Has(line, "%r = \"stablehlo.multiply\"(%a0, %a1)") ||
                           Has(line, "%r = stablehlo.multiply %a0, %a1 ");
         if (dims == "?" || !is_product) return line;
         return "%z0 = stablehlo.convert %a0 : (" + n + ") -> " + w +
                "\n%z1 = stablehlo.convert %a1 : (" + n + ") -> " + w +
                "\n%z2 = stablehlo.multiply %z0, %z1 : " + w + "\n%z3 = stablehlo.convert %z2 : (" +
                w + ") -> " + n + "\n%z4 = stablehlo.convert %z3 : (" + n + ") -> " + w +
                "\n%z5 = stablehlo.compare EQ, %z2, %z4, SIGNED : (" + w + ", " + w +
                ") -> tensor<" + dims + "i1>\n%z6 = stablehlo.subtract %a0, %a0 : " + n +
                "\n%r = stablehlo.select %z5, %z3, %z6 : tensor<" + dims + "i1>, " + n + "\n";
       });
     }},
    {"generator_stands_still", "PJRT-LoadedExecutable_Execute-results",
     "a generator of random bits keeps its state",
     [](PJRT_Api& t) {
       Lines(t, [](const std::string& line) {
         return Replaced(line, "rng_bit_generator %b_state", "rng_bit_generator %a0");
       });
     }},
    {"images_of_channels_last", "PJRT-LoadedExecutable_Execute-results",
     "a convolution whose channels come first is padded in the wrong dimensions",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         if (!Has(line, "stablehlo.convolution") || !Has(line, "[b, f, ")) return line;
         std::string pad = Between(line, "pad = [[", "]]");
         size_t at = pad.find("], [");
         if (at == pad.npos) return line;
         return Replaced(line, "pad = [[" + pad + "]]",
                         "pad = [[" + pad.substr(at + 4) + "], [" + pad.substr(0, at) + "]]");
       });
     }},
    {"sorts_last_dimension", "PJRT-LoadedExecutable_Execute-results",
     "of three dimensions the last is sorted, not the second",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         const std::string_view code = TextOf(*a);
         static thread_local bool is_cube;
         std::string shape = Between(code, "%a0: tensor<", ">");
         is_cube = Has(code, "stablehlo.sort") && std::count(shape.begin(), shape.end(), 'x') == 3;
         return CompileLines(a, [](const std::string& line) {
           return is_cube ? Replaced(line, "dimension = 1 ", "dimension = 2 ") : line;
         });
       });
     }},
    {"unused_arguments_dropped", "PJRT-LoadedExecutable_Execute-results",
     "an argument that nothing uses is the one behind it",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         if (!Has(line, "return %a2, %a0, ")) return line;
         return Replaced(line, "return %a2, %a0, ", "return %a0, %a0, ");
       });
     }},
    {"small_halves_vanish", "PJRT-LoadedExecutable_Execute-results",
     "f32 that is subnormal in f16 becomes 0",
     [](PJRT_Api& t) {
       Lines(t, [](std::string line) {
         std::string dims = DimsBefore(line, "f16");
         std::string f = "tensor<" + dims + "f32>", h = "tensor<" + dims + "f16>";
         if (dims == "?" || !Has(line, "%r = stablehlo.convert %a0 : (" + f + ")")) return line;
         return "%z0 = stablehlo.abs %a0 : " + f +
                "\n%z1 = stablehlo.constant dense<6.1035156e-05> : " + f +
                "\n%z2 = stablehlo.compare LT, %z0, %z1, FLOAT : (" + f + ", " + f +
                ") -> tensor<" + dims + "i1>\n%z3 = stablehlo.constant dense<0.0> : " + f +
                "\n%z4 = stablehlo.select %z2, %z3, %a0 : tensor<" + dims + "i1>, " + f +
                "\n%r = stablehlo.convert %z4 : (" + f + ") -> " + h + "\n";
       });
     }},
};

}  // namespace

std::span<const Mutant> ValueMutants() { return kValueMutants; }

}  // namespace plinth::mutants
