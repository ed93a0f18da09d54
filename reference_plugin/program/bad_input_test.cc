// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "plinth/program/program.h"
#include "reference_plugin/program/test_files.h"

namespace plinth::program {
namespace {

// Each input takes ten times as long under a sanitizer.
#ifdef PLINTH_IS_SANITIZED
constexpr size_t kRounds = 15;
#else
constexpr size_t kRounds = 150;
#endif

// Errors name a place: a byte of bytecode, or a line and column of text.
void ExpectGoodError(const Status& status, const std::string& what) {
  EXPECT_TRUE(status.code() == StatusCode::kInvalidArgument ||
              status.code() == StatusCode::kUnimplemented)
      << what << ": " << status.ToString();
  EXPECT_FALSE(status.message().empty()) << what;
}

// Reading must not crash; what it accepts must print and read back.
void ReadHostile(std::string_view contents, const std::string& what) {
  Expected<Module> module = Read(Bytes(contents));
  if (!module.ok()) return ExpectGoodError(module.status(), what);
  Expected<Module> again = ReadText(Print(*module));
  ASSERT_TRUE(again.ok()) << what << ": " << again.status().ToString();
  std::string difference;
  EXPECT_TRUE(Equal(*module, *again, &difference)) << what << ": " << difference;
}

std::vector<std::filesystem::path> AllBytecode() {
  std::vector<std::filesystem::path> paths = FilesEndingWith(kJaxPrograms, ".mlirbc");
  for (const auto& path : FilesEndingWith("testdata", ".mlirbc")) paths.push_back(path);
  return paths;
}

std::vector<std::filesystem::path> AllText() {
  std::vector<std::filesystem::path> paths = FilesEndingWith(kJaxPrograms, ".mlir.txt");
  for (const auto& path : FilesEndingWith("testdata", ".mlir")) paths.push_back(path);
  return paths;
}

TEST(BadBytecode, TruncatedAtEveryByte) {
  for (const auto& path : AllBytecode()) {
    const std::string contents = LoadFile(path);
    ASSERT_FALSE(contents.empty());
    for (size_t size = 0; size < contents.size(); ++size) {
      // An exact copy, so that a sanitizer sees a read past its end.
      const std::vector<char> part(contents.begin(),
                                   contents.begin() + static_cast<ptrdiff_t>(size));
      Expected<Module> module = Read(std::as_bytes(std::span<const char>(part)));
      ASSERT_FALSE(module.ok()) << path << " cut at " << size;
      ASSERT_EQ(module.status().code(), StatusCode::kInvalidArgument) << path << " " << size;
      if (size > 0) {
        ASSERT_NE(module.status().message().find("at byte "), std::string_view::npos)
            << path << " cut at " << size << ": " << module.status().ToString();
      }
    }
  }
}

TEST(BadBytecode, FlippedBits) {
  std::mt19937 random(20261121);
  for (const auto& path : AllBytecode()) {
    const std::string contents = LoadFile(path);
    for (size_t round = 0; round < kRounds; ++round) {
      std::string flipped = contents;
      const int flips = 1 + static_cast<int>(random() % 4);
      for (int i = 0; i < flips; ++i) {
        flipped[random() % flipped.size()] ^= static_cast<char>(1 << (random() % 8));
      }
      ReadHostile(flipped, StrCat(path.string(), " round ", round));
    }
  }
}

TEST(BadText, TruncatedAtEveryByte) {
  for (const auto& path : AllText()) {
    const std::string contents = LoadFile(path);
    // Long files would take long; their middle is like that of short ones.
    const size_t step = 1 + contents.size() / (10 * kRounds);
    for (size_t size = 0; size + 1 < contents.size(); size += step) {
      Expected<Module> module = Read(Bytes(std::string_view(contents).substr(0, size)));
      if (!module.ok()) ExpectGoodError(module.status(), StrCat(path.string(), " cut at ", size));
    }
  }
}

TEST(BadText, ChangedBytes) {
  std::mt19937 random(7);
  constexpr std::string_view kBytes = "(){}[]<>,:=-%@#!^\"0x19.aF ?\n";
  for (const auto& path : AllText()) {
    const std::string contents = LoadFile(path);
    const int rounds = contents.size() > 10000 ? 10 : 100;
    for (int round = 0; round < rounds; ++round) {
      std::string changed = contents;
      for (int i = 0; i < 2; ++i) {
        changed[random() % changed.size()] = kBytes[random() % kBytes.size()];
      }
      ReadHostile(changed, StrCat(path.string(), " round ", round));
    }
  }
}

struct Wrong {
  const char* text;
  StatusCode code;
  const char* says;  // Part of the message.
};

// What fuzzing found worth keeping.
TEST(FuzzCorpus, IsReadWithoutHarm) {
  for (const char* folder : {"testdata/bytecode_fuzz", "testdata/text_fuzz"}) {
    const auto paths = FilesEndingWith(folder, "");
    EXPECT_GE(paths.size(), 10u) << folder;
    for (const auto& path : paths) ReadHostile(LoadFile(path), path.string());
  }
}

TEST(BadText, ErrorsSayPlaceAndExpectation) {
  const Wrong cases[] = {
      {"", StatusCode::kInvalidArgument, "empty"},
      {"module {", StatusCode::kInvalidArgument, "1:9: expected an op, found the end"},
      {"func.func @f() { %0 = foo.bar : i32 }", StatusCode::kUnimplemented,
       "1:23: op foo.bar is not known"},
      {"func.func @f() {\n  \"stablehlo.nope\"() : () -> ()\n}", StatusCode::kUnimplemented,
       "2:3: op stablehlo.nope"},
      {"func.func @f() {\n  %0 = stablehlo.add %1, %2 : tensor<f32>\n}",
       StatusCode::kInvalidArgument, "2:22: value %1 is used before it is defined"},
      {"func.func @f(%a: tensor<2xq7>) { return }", StatusCode::kUnimplemented,
       "1:27: type q7 is not known"},
      {"func.func @f(%a: tensor<*xf32>) { return }", StatusCode::kUnimplemented, "unknown rank"},
      {"func.func @f(%a: tensor<99999999999x99999999999xf32>) { return }",
       StatusCode::kInvalidArgument, "too many elements"},
      {"func.func @f(%a: tensor<f32>) -> tensor<f64> {\n  %0 = stablehlo.add %a, %a : tensor<f64>\n"
       "  return %0 : tensor<f64>\n}",
       StatusCode::kInvalidArgument, "operand 0 of stablehlo.add is tensor<f32>, not tensor<f64>"},
      {"func.func @f(%a: tensor<f32>) {\n  %0 = stablehlo.negate %a : tensor<f32>\n}",
       StatusCode::kInvalidArgument, "does not end with a return"},
      {"func.func @f(%a: tensor<f32>) {\n  %a = stablehlo.negate %a : tensor<f32>\n  return\n}",
       StatusCode::kInvalidArgument, "value %a is defined twice"},
      {"func.func @f() {\n  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>\n  return\n}",
       StatusCode::kInvalidArgument, "a list of 3 elements where tensor<2xi32> has 2"},
      {"func.func @f() {\n  %0 = stablehlo.constant dense<300> : tensor<i8>\n  return\n}",
       StatusCode::kInvalidArgument, "2:33: a number that does not fit i8"},
      {"func.func @f() {\n  %0 = stablehlo.constant dense<\"0x00\"> : tensor<2xi32>\n  return\n}",
       StatusCode::kInvalidArgument, "1 bytes of elements do not fit tensor<2xi32>"},
      {"func.func @f(%a: tensor<2xf32>) {\n  %0 = \"stablehlo.transpose\"(%a) : (tensor<2xf32>) -> "
       "tensor<2xf32>\n  return\n}",
       StatusCode::kInvalidArgument,
       "2:8: stablehlo.transpose: attribute \"permutation\" is missing"},
      {"func.func @f(%a: tensor<2xf32>) {\n  %0 = \"stablehlo.transpose\"(%a) <{permutation = 1 : "
       "i64}> : (tensor<2xf32>) -> tensor<2xf32>\n  return\n}",
       StatusCode::kInvalidArgument, "must be array<i64: ...>"},
      {"func.func @f() {\n  \"stablehlo.add\"() : () -> ()\n  return\n}",
       StatusCode::kInvalidArgument, "it has 0 operands, not 2"},
      {"module { module {} }", StatusCode::kInvalidArgument, "cannot stand in a region"},
      {"func.func @f() { return }\nfunc.func @f() { return }", StatusCode::kInvalidArgument,
       "@f is defined twice"},
      {"func.func @f() {\n  stablehlo.custom_call @g() {a = #sdy.nope<1>} : () -> ()\n  return\n}",
       StatusCode::kUnimplemented, "attribute #sdy.nope is not known"},
      {"func.func @f() { return } loc(#l)\n#l = loc(\"a\"(#l))", StatusCode::kInvalidArgument,
       "contains itself"},
      {"func.func @f() { return } loc(#l)", StatusCode::kInvalidArgument, "#l is not defined"},
      {"func.func @f(%a: tensor<f32>) {\n^bb0:\n  return\n^bb1:\n  return\n}",
       StatusCode::kUnimplemented, "second block"},
  };
  for (const Wrong& wrong : cases) {
    Expected<Module> module = Read(Bytes(wrong.text));
    ASSERT_FALSE(module.ok()) << wrong.text;
    EXPECT_EQ(module.status().code(), wrong.code) << wrong.text;
    EXPECT_NE(module.status().message().find(wrong.says), std::string_view::npos)
        << wrong.text << "\n  says: " << module.status().ToString();
  }
}

std::string Repeat(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(BadText, DeepNestingIsRefused) {
  const int deep = 100000;
  for (const std::string& text : {
           "#a = " + Repeat("[", deep),
           "#a = " + Repeat("{a = ", deep),
           "!t = " + Repeat("tuple<", deep),
           "!t = " + Repeat("(", deep),
           "#l = loc(" + Repeat("\"a\"(", deep),
           "#l = loc(" + Repeat("fused[", deep),
           "func.func @f() { " + Repeat("\"stablehlo.map\"() ({ ", deep),
           "#a = dense<" + Repeat("[", deep) + "> : tensor<" + Repeat("1x", deep) + "f32>",
       }) {
    Expected<Module> module = Read(Bytes(text));
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.status().code(), StatusCode::kInvalidArgument) << module.status().ToString();
  }
}

TEST(BadText, DeepLocationsAreCut) {
  const int deep = 100000;
  for (const auto& [open, inner, close] : {
           std::tuple{"\"a\"(", "\"b\"", ")"},
           {"fused<{a = 1, b = \"](\"}>[", "unknown, #l", "]"},
           {"callsite(\"f.py\":1:2 at ", "loc(unknown)", ")"},
           {"callsite(", "\"f.py\":1:2 to :3", " at \"f.py\":1:2)"},
       }) {
    const std::string text = StrCat("#l = loc(unknown)\nmodule {} loc(", Repeat(open, deep), inner,
                                    Repeat(close, deep), ")");
    Expected<Module> module = Read(Bytes(text));
    EXPECT_TRUE(module.ok()) << open << ": " << module.status().ToString();
  }
  // What is cut is not read, but its brackets and strings must close.
  for (const char* inner : {")", "(", "callsite(", "\"", "{]"}) {
    const std::string text =
        StrCat("module {} loc(", Repeat("fused[", deep), inner, Repeat("]", deep), ")");
    EXPECT_EQ(Read(Bytes(text)).status().code(), StatusCode::kInvalidArgument) << inner;
  }
}

// What looks like the head of the resources may be part of a string.
TEST(BadText, ResourcesAreNotLookedForInStrings) {
  Expected<Module> module = Read(Bytes("module attributes {a = \"{-#\"} {}"));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(module->op().Text("a"), "{-#");
}

TEST(BadText, AliasesCannotMultiply) {
  std::string text = "#a0 = [1, 2, 3, 4]\n";
  for (int i = 1; i < 64; ++i) {
    text += StrCat("#a", i, " = [#a", i - 1, ", #a", i - 1, ", #a", i - 1, "]\n");
  }
  text += "module attributes {a = #a63} {}";
  Expected<Module> module = Read(Bytes(text));
  ASSERT_FALSE(module.ok());
  EXPECT_NE(module.status().message().find("aliases"), std::string_view::npos);
}

TEST(BadBytecode, VersionsAreNamed) {
  const std::string contents = LoadFile(std::string(kJaxPrograms) + "conv.mlirbc");
  const size_t at = contents.find("1.13.7");
  ASSERT_NE(at, std::string::npos);
  for (const char* version : {"0.8.9", "1.18.0", "1.99.7", "2.0.0"}) {
    std::string changed = contents;
    changed.replace(at, 6, StrCat(version, std::string(6 - std::string(version).size(), '0')));
    Expected<Module> module = Read(Bytes(changed));
    ASSERT_FALSE(module.ok()) << version;
    EXPECT_EQ(module.status().code(), StatusCode::kUnimplemented);
    EXPECT_NE(module.status().message().find(StrCat("the program is in VHLO ", version)),
              std::string_view::npos)
        << module.status().ToString();
    EXPECT_NE(module.status().message().find("versions 0.9 to 1.17 are read"),
              std::string_view::npos)
        << module.status().ToString();
  }
}

TEST(BadBytecode, UnknownRevisionsAreNamed) {
  std::string contents = LoadFile(std::string(kJaxPrograms) + "conv.mlirbc");
  const size_t at = contents.find("convolution_v1");
  ASSERT_NE(at, std::string::npos);
  contents.replace(at, 14, "convolution_v9");
  Expected<Module> module = Read(Bytes(contents));
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(module.status().message().find("op vhlo.convolution_v9"), std::string_view::npos);
  EXPECT_NE(module.status().message().find("known is convolution_v1"), std::string_view::npos)
      << module.status().ToString();
}

TEST(BadBytecode, MemoryIsBoundedByTheInput) {
  std::mt19937 random(11);
  for (const auto& path : AllBytecode()) {
    const std::string contents = LoadFile(path);
    for (int round = 0; round < 50; ++round) {
      std::string flipped = contents;
      flipped[random() % flipped.size()] ^= static_cast<char>(1 << (random() % 8));
      Expected<Module> module = Read(Bytes(flipped));
      if (!module.ok()) continue;
      EXPECT_LT(module->memory(), 200 * contents.size() + 65536) << path;
    }
  }
}

}  // namespace
}  // namespace plinth::program
