#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "reference_plugin/program/bytecode_writer_for_tests.h"
#include "reference_plugin/program/program.h"
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
  std::string Function(std::string_view name, const std::string& region) {
    const uint64_t type = writer_.Type(BytecodeWriter::kBuiltin, Varints({2, 0, 0}));
    const uint64_t type_attribute = writer_.Attribute(BytecodeWriter::kBuiltin, Varints({6, type}));
    const uint64_t attributes = Dictionary(
        {{"sym_name", writer_.StringAttribute(name)}, {"function_type", type_attribute}});
    return Op(func_, BytecodeWriter::kAttributes | BytecodeWriter::kRegions,
              Varints({attributes, 1 << 1}) + region);
  }
  std::string File(uint64_t num_values, uint64_t num_ops, const std::string& ops) {
    const std::string body = BytecodeWriter::Region(num_values, num_ops + 1, ops + Return());
    return writer_.File(BytecodeWriter::Region(0, 1, Function("main", body)));
  }

  BytecodeWriter writer_;
  uint64_t func_, return_, case_, add_, constant_, location_, scalar_;
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

TEST(HostileBytecode, AnnouncedRegionsTakeNoMemory) {
  FunctionFile file;
  const size_t filler = 400'000;
  // Each op of 150, one inside of the other, announces as many regions as there are bytes left.
  const uint64_t bytes = file.writer_.Attribute(
      BytecodeWriter::kBuiltin, Varints({18, file.scalar_, 4}) + std::string(4, '\0'));
  const uint64_t value = file.Dictionary({{"value", bytes}});
  std::string ops = file.Op(file.constant_, BytecodeWriter::kAttributes | BytecodeWriter::kResults,
                            Varints({value, 1, file.scalar_}));
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
  const auto start = std::chrono::steady_clock::now();
  Expected<Module> module = Read(Bytes(contents));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace plinth::program
