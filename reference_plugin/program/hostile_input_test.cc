// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>

#include "plinth/program/program.h"
#include "reference_plugin/program/bytecode_writer_for_tests.h"
#include "reference_plugin/program/test_files.h"

// Small input that is made to take much memory, long, or what is not its own.
namespace plinth::program {
namespace {

// The most memory that this process ever had, in bytes.
size_t PeakMemory() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

// Quadratic work takes several times as long; what is right takes a fraction of a second.
#ifdef PLINTH_IS_SANITIZED
constexpr double kLongInSeconds = 50;
#else
constexpr double kLongInSeconds = 5;
#endif
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void ExpectError(const Status& status, std::string_view says) {
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
  EXPECT_NE(status.message().find(says), std::string_view::npos) << status.ToString();
}

// A program in bytecode around the body of one function without arguments.
class FunctionFile {
 public:
  FunctionFile() {
    func_ = writer_.OpName(BytecodeWriter::kVhlo, "func_v1");
    return_ = writer_.OpName(BytecodeWriter::kVhlo, "return_v1");
    case_ = writer_.OpName(BytecodeWriter::kVhlo, "case_v1");
    add_ = writer_.OpName(BytecodeWriter::kVhlo, "add_v1");
    constant_ = writer_.OpName(BytecodeWriter::kVhlo, "constant_v1");
    token_ = writer_.OpName(BytecodeWriter::kVhlo, "create_token_v1");
    token_type_ = writer_.Type(BytecodeWriter::kVhlo, Varint(22));
    no_attributes_ = Dictionary({});
    location_ = writer_.Attribute(BytecodeWriter::kBuiltin, Varint(15));
    const uint64_t f32 = writer_.Type(BytecodeWriter::kBuiltin, Varint(5));
    scalar_ = writer_.Type(BytecodeWriter::kBuiltin, Varints({13, 0, f32}));
  }

  // `mask` tells which parts `rest` has.
  std::string Op(uint64_t name, uint8_t mask, const std::string& rest) const {
    return Varint(name) + static_cast<char>(mask) + Varint(location_) + rest;
  }
  std::string Return() const { return Op(return_, 0, ""); }
  uint64_t Dictionary(std::initializer_list<std::pair<std::string_view, uint64_t>> entries) {
    std::string bytes = Varints({1, entries.size()});
    for (const auto& [name, value] : entries) {
      bytes += Varints({writer_.StringAttribute(name), value});
    }
    return writer_.Attribute(BytecodeWriter::kBuiltin, bytes);
  }
  // func.func @<name>, its region not isolated from the module.
  std::string Function(std::string_view name, uint64_t type, const std::string& region) {
    const uint64_t attribute = writer_.Attribute(BytecodeWriter::kBuiltin, Varints({6, type}));
    const uint64_t attributes =
        Dictionary({{"sym_name", writer_.StringAttribute(name)}, {"function_type", attribute}});
    return Op(func_, BytecodeWriter::kAttributes | BytecodeWriter::kRegions,
              Varints({attributes, 1 << 1}) + region);
  }
  std::string Function(std::string_view name, const std::string& region) {
    return Function(name, writer_.Type(BytecodeWriter::kBuiltin, Varints({2, 0, 0})), region);
  }
  // Makes one value.
  std::string Token(uint64_t dictionary) {
    return Op(token_, BytecodeWriter::kAttributes | BytecodeWriter::kResults,
              Varints({dictionary, 1, token_type_}));
  }
  std::string File(uint64_t num_values, uint64_t num_ops, const std::string& ops) {
    const std::string body = BytecodeWriter::Region(num_values, num_ops + 1, ops + Return());
    return writer_.File(BytecodeWriter::Region(0, 1, Function("main", body)));
  }

  BytecodeWriter writer_;
  uint64_t func_, return_, case_, add_, constant_, location_, scalar_, token_, token_type_,
      no_attributes_;
};

TEST(HostileText, OpsInsideOfOpsCannotPromiseResultsAgainAndAgain) {
  std::string text = "func.func @main(%i: tensor<i32>) {\n";
  for (int i = 0; i < 3; ++i) text += StrCat("%a", i, ":500 = \"stablehlo.case\"(%i) ({\n");
  text += std::string(1000, ' ');
  ExpectError(Read(Bytes(text)).status(), "an op with 500 results after 1001 values");
}

TEST(HostileBytecode, WriterWritesWhatIsRead) {
  FunctionFile file;
  Expected<Module> module = Read(Bytes(file.File(0, 0, "")));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  ASSERT_NE(module->main(), nullptr);
  EXPECT_EQ(module->main()->body->operations.size(), 1u);
}

// As arguments of a manual_computation have them in programs of JAX.
TEST(HostileBytecode, TypesOfStablehlo) {
  const auto read = [](std::string_view type) {
    FunctionFile file;
    file.token_type_ = file.writer_.Type(BytecodeWriter::kStablehlo, std::string(type));
    return Read(Bytes(file.File(1, 1, file.Token(file.no_attributes_))));
  };
  EXPECT_TRUE(read(Varint(0)).ok()) << read(Varint(0)).status().ToString();
  EXPECT_TRUE(read(Varints({1, 1, 0})).ok()) << read(Varints({1, 1, 0})).status().ToString();
  EXPECT_EQ(read(Varint(2)).status().code(), StatusCode::kUnimplemented);
  ExpectError(read(Varints({1, 9})).status(), "type");
  ExpectError(read(Varints({0, 0})).status(), "1 bytes left over in a type");
}

// As code has that calls itself.
TEST(HostileBytecode, DeepLocationsAreCut) {
  FunctionFile file;
  const uint64_t name = file.writer_.StringAttribute("f");
  const uint64_t callee =
      file.writer_.Attribute(BytecodeWriter::kBuiltin, Varints({14, name, file.location_}));
  for (int i = 0; i < 10'000; ++i) {
    file.location_ =
        file.writer_.Attribute(BytecodeWriter::kBuiltin,
                               Varints({10, i % 2 == 0 ? callee : file.location_, file.location_}));
  }
  Expected<Module> module = Read(Bytes(file.File(0, 0, "")));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const std::string location = ToString(module->main()->body->operations[0].location);
  EXPECT_TRUE(location.starts_with("\"f\" called from \"f\"")) << location;
  EXPECT_LT(location.size(), 1000u);
}

TEST(HostileBytecode, AnnouncedRegionsTakeNoMemory) {
  FunctionFile file;
  const size_t filler = 400'000;
  // Each op of 150, one inside of the other, announces as many regions as there are bytes left.
  std::string ops = file.Token(file.no_attributes_);
  for (int i = 0; i < 150; ++i) {
    ops += file.Op(file.case_, BytecodeWriter::kOperands | BytecodeWriter::kRegions,
                   Varints({1, 0, filler << 1}) + Varints({1, 0, 1 << 1}));
  }
  ops += std::string(filler, '\xFF');
  const std::string contents = file.File(1, 1, ops);
  const size_t before = PeakMemory();
  ExpectError(Read(Bytes(contents)).status(), "op name 127 is asked for");
  EXPECT_LT(PeakMemory() - before, size_t{200} << 20);
}

TEST(HostileBytecode, AModuleHasNoValues) {
  FunctionFile file;
  // The function's only op adds the value that the module's block would have as its argument.
  const std::string add = file.Op(file.add_, BytecodeWriter::kResults | BytecodeWriter::kOperands,
                                  Varints({1, file.scalar_, 2, 0, 0}));
  const std::string function =
      file.Function("main", BytecodeWriter::Region(1, 2, add + file.Return()));
  const std::string argument = Varints({1, file.scalar_ << 1, 0});
  const std::string contents = file.writer_.File(Varints({1, 1, 1 << 1 | 1}) + argument + function);
  ExpectError(Read(Bytes(contents)).status(), "the block of a module has arguments");
}

TEST(HostileText, AModuleHasNoValues) {
  ExpectError(Read(Bytes("module {\n^bb0(%a: tensor<f32>):\n}")).status(),
              "its block has arguments");
}

TEST(HostileBytecode, ARegionDefinesAsManyValuesAsItAnnounces) {
  FunctionFile file;
  ExpectError(Read(Bytes(file.File(3, 0, ""))).status(), "3 of them are missing");
}

TEST(HostileBytecode, OneLongNameOfManyOpsIsNotReadAgainAndAgain) {
  BytecodeWriter writer;
  const uint64_t name = writer.String(std::string(200'000, 'a'));
  for (int i = 0; i < 200'000; ++i) writer.OpName(BytecodeWriter::kVhlo, name);
  const std::string contents = writer.File(BytecodeWriter::Region(0, 0, ""));
  const double start = CpuSeconds();
  Expected<Module> module = Read(Bytes(contents));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_LT(CpuSeconds() - start, kLongInSeconds);
}

std::string Repeated(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

uint64_t LongDictionary(BytecodeWriter& writer) {
  std::string entries;
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t name = writer.StringAttribute(StrCat("a", i));
    entries += Varints({name, name});
  }
  return writer.Attribute(BytecodeWriter::kBuiltin, Varints({1, 20'000}) + entries);
}

// Many references to one long part: what is made of each must not add up.
void ExpectDisproportion(const std::string& contents) {
  Expected<Module> module = Read(Bytes(contents));
  ASSERT_FALSE(module.ok()) << module->memory() << " bytes of " << contents.size();
  ExpectError(module.status(), "out of proportion");
}

TEST(HostileBytecode, ManyOpsWithOneLongDictionary) {
  FunctionFile file;
  const uint64_t dictionary = LongDictionary(file.writer_);
  ExpectDisproportion(file.File(1000, 1000, Repeated(file.Token(dictionary), 1000)));
}

TEST(HostileBytecode, ManyOpsWithOneLongListOfIntegers) {
  FunctionFile file;
  const uint64_t i64 = file.writer_.Type(BytecodeWriter::kBuiltin, Varints({0, 64 << 2}));
  const uint64_t type = file.writer_.Type(BytecodeWriter::kBuiltin, Varints({13, 1, 40'000, i64}));
  const std::string values = '\1' + std::string(8 * 20'000 - 1, '\0');
  const uint64_t elements =
      file.writer_.Attribute(BytecodeWriter::kBuiltin, Varints({18, type, values.size()}) + values);
  const uint64_t dictionary = file.Dictionary({{"dimensions", elements}});
  const std::string op =
      file.Op(file.writer_.OpName(BytecodeWriter::kVhlo, "reverse_v1"),
              BytecodeWriter::kAttributes | BytecodeWriter::kResults | BytecodeWriter::kOperands,
              Varints({dictionary, 1, file.scalar_, 1, 0}));
  ExpectDisproportion(file.File(1001, 1001, file.Token(file.no_attributes_) + Repeated(op, 1000)));
}

TEST(HostileBytecode, ManyOpsWithOneLongListOfPrecisions) {
  FunctionFile file;
  const uint64_t precision = file.writer_.Attribute(BytecodeWriter::kVhlo, Varints({11, 0}));
  const uint64_t list = file.writer_.Attribute(
      BytecodeWriter::kVhlo, Varints({1, 20'000}) + Repeated(Varint(precision), 20'000));
  const uint64_t dictionary = file.Dictionary({{"precision_config", list}});
  const std::string op =
      file.Op(file.writer_.OpName(BytecodeWriter::kVhlo, "dot_v1"),
              BytecodeWriter::kAttributes | BytecodeWriter::kResults | BytecodeWriter::kOperands,
              Varints({dictionary, 1, file.scalar_, 2, 0, 0}));
  ExpectDisproportion(file.File(1001, 1001, file.Token(file.no_attributes_) + Repeated(op, 1000)));
}

TEST(HostileBytecode, ManySymbolsOfOneLongName) {
  FunctionFile file;
  const uint64_t name = file.writer_.StringAttribute(std::string(100'000, 'a'));
  std::string list;
  for (int i = 0; i < 1000; ++i) {
    list += Varint(file.writer_.Attribute(BytecodeWriter::kBuiltin, Varints({5, name, 0})));
  }
  const uint64_t symbols =
      file.writer_.Attribute(BytecodeWriter::kBuiltin, Varints({0, 1000}) + list);
  ExpectDisproportion(file.File(1, 1, file.Token(file.Dictionary({{"a", symbols}}))));
}

TEST(HostileBytecode, ManyConstantsOfOneResource) {
  FunctionFile file;
  file.writer_.set_resource('\1' + std::string(100'000 - 1, '\0'));
  const uint64_t i8 = file.writer_.Type(BytecodeWriter::kBuiltin, Varints({0, 8 << 2}));
  const uint64_t type = file.writer_.Type(BytecodeWriter::kBuiltin, Varints({13, 1, 200'000, i8}));
  std::string ops;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = file.writer_.Attribute(BytecodeWriter::kBuiltin, Varints({16, type, 0}));
    ops += file.Op(file.constant_, BytecodeWriter::kAttributes | BytecodeWriter::kResults,
                   Varints({file.Dictionary({{"value", value}}), 1, type}));
  }
  ExpectDisproportion(file.File(1000, 1000, ops));
}

TEST(HostileBytecode, ManyDeclarationsOfOneLongType) {
  FunctionFile file;
  const uint64_t type =
      file.writer_.Type(BytecodeWriter::kBuiltin,
                        Varints({2, 20'000}) + Repeated(Varint(file.scalar_), 20'000) + Varint(0));
  std::string functions;
  for (int i = 0; i < 1000; ++i) functions += file.Function(StrCat("f", i), type, Varint(0));
  ExpectDisproportion(file.writer_.File(BytecodeWriter::Region(0, 1000, functions)));
}

TEST(HostileText, ManyConstantsOfOneResource) {
  std::string text = "module attributes {a = [1";
  for (int i = 0; i < 1000; ++i) text += ", dense_resource<r> : tensor<100000xi8>";
  text += "]} {}\n{-# dialect_resources: { builtin: { r: \"0x0100000001" +
          std::string(2 * 100'000 - 2, '0') + "\" } } #-}";
  ExpectDisproportion(text);
}

// The time to read must not grow with the square of the number of types.
TEST(HostileText, ManyTypesThatDifferLittle) {
  constexpr int kTypes = 50'000;
  const auto text = [&](auto type) {
    std::string out = "module attributes {a = [1";
    for (int i = 1; i <= kTypes; ++i) out += StrCat(", tensor<", type(i), ">");
    return out + "]} {}";
  };
  for (const std::string& types : {
           text([](int i) { return StrCat("?xf32, #stablehlo.bounds<", i, ">"); }),
           text([](int i) { return StrCat(static_cast<int64_t>(i) << 32, "xf32"); }),
       }) {
    const double start = CpuSeconds();
    Expected<Module> module = Read(Bytes(types));
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    EXPECT_LT(CpuSeconds() - start, kLongInSeconds);
  }
}

TEST(HostileText, ManyFunctionsAfterOneWithManyValues) {
  std::string text = "!t = tensor<f32>\nfunc.func @f(%a: !t";
  for (int i = 0; i < 200'000; ++i) text += StrCat(", %", i, ": !t");
  text += ") { return }";
  for (int i = 0; i < 100'000; ++i) text += StrCat("\nfunc.func private @f", i, "()");
  const double start = CpuSeconds();
  Expected<Module> module = Read(Bytes(text));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_LT(CpuSeconds() - start, kLongInSeconds);
}

TEST(HostileBytecode, ManyCompositesOfOneLongDictionary) {
  FunctionFile file;
  const uint64_t dictionary = LongDictionary(file.writer_);
  const uint64_t name = file.writer_.StringAttribute("f");
  const uint64_t attributes = file.Dictionary(
      {{"composite_attributes", dictionary}, {"decomposition", name}, {"name", name}});
  const std::string op = file.Op(file.writer_.OpName(BytecodeWriter::kVhlo, "composite_v1"),
                                 BytecodeWriter::kAttributes, Varint(attributes));
  ExpectDisproportion(file.File(0, 1000, Repeated(op, 1000)));
}

TEST(HostileText, StructsOfWrongParts) {
  for (const char* text : {
           "#stablehlo.axis_ref<name = \"x\", sub_axis_info = #a>",
           "#stablehlo.mesh<axes = [#a]>",
           "#stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, "
           "accumulation_type = f32, allow_imprecise_accumulation = [1]>",
       }) {
    const std::string program = StrCat("#a = 1 : i64\nmodule attributes {a = ", text, "} {}");
    ExpectError(Read(Bytes(program)).status(), "2:");
  }
}

TEST(HostileBytecode, StructsOfWrongParts) {
  // #stablehlo.axis_ref<name, sub_axis_info = #stablehlo.bounds<>>: printing looks for its sizes.
  FunctionFile file;
  const uint64_t name =
      file.writer_.Attribute(BytecodeWriter::kVhlo, Varints({14, file.writer_.String("x")}));
  const uint64_t bounds = file.writer_.Attribute(BytecodeWriter::kVhlo, Varints({18, 0}));
  const uint64_t axis =
      file.writer_.Attribute(BytecodeWriter::kVhlo, Varints({22, name, 1, bounds}));
  ExpectError(Read(Bytes(file.File(1, 1, file.Token(file.Dictionary({{"a", axis}}))))).status(),
              "a field of #stablehlo.axis_ref");
}

TEST(HostileText, TypesOfWrongParts) {
  ExpectError(
      Read(Bytes("module attributes {a = tensor<?xf32, #stablehlo.bounds<1, 2>>} {}")).status(),
      "not one bound per dimension");
  EXPECT_FALSE(Read(Bytes("module attributes {a = complex<tensor<f32>>} {}")).ok());
  EXPECT_TRUE(Read(Bytes("module attributes {a = complex<f32>} {}")).ok());
}

}  // namespace
}  // namespace plinth::program
