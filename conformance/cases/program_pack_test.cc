#include "conformance/cases/program_pack.h"

#include <gtest/gtest.h>

#include <set>

#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

TEST(ProgramPackTest, EveryEmbeddedFileIsWhole) {
  std::set<std::string_view> names;
  size_t count = 0;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    names.insert(file.name);
    Expected<ProgramPack> pack = ProgramPack::Read(file.bytes);
    ASSERT_TRUE(pack.ok()) << file.name << ": " << pack.status().ToString();
    for (size_t i = 0; i < pack->entries().size(); ++i, ++count) {
      Expected<const PackedProgram*> program = pack->Program(i);
      ASSERT_TRUE(program.ok()) << file.name << ": " << program.status().ToString();
      EXPECT_FALSE((*program)->text.empty());
      EXPECT_FALSE((*program)->artifacts.empty());
      for (const auto& [version, artifact] : (*program)->artifacts) {
        EXPECT_TRUE(artifact.starts_with("ML\xefR")) << file.name << " " << version;
      }
      for (const ExpectedResult& result : (*program)->results) {
        size_t elements = result.value.bytes.size() / InfoOf(result.value.type).bytes;
        EXPECT_TRUE(result.not_asked.empty() || result.not_asked.size() >= elements);
        EXPECT_TRUE(result.flushed.empty() || result.flushed.size() >= elements);
      }
    }
  }
  EXPECT_TRUE(names.contains("add") && names.contains("gather") && names.contains("jax"));
  EXPECT_GT(count, 3000u);
}

TEST(ProgramPackTest, WhatIsCutOrChangedIsRefused) {
  const EmbeddedFile* add = nullptr;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (file.name == "add") add = &file;
  }
  ASSERT_NE(add, nullptr);
  auto read = [](std::string_view bytes) {
    Expected<ProgramPack> pack = ProgramPack::Read(bytes);
    return pack.ok() ? pack->Program(0).status() : pack.status();
  };
  EXPECT_TRUE(read(add->bytes).ok());
  for (size_t size : {size_t{0}, size_t{4}, size_t{6}, size_t{20}, add->bytes.size() / 2,
                      add->bytes.size() - 1}) {
    EXPECT_FALSE(read(add->bytes.substr(0, size)).ok()) << size;
  }
  std::string changed(add->bytes);
  changed[4] = 2;  // another version
  EXPECT_FALSE(read(changed).ok());
  changed = add->bytes;
  changed[changed.size() / 2] ^= 1;
  EXPECT_FALSE(read(changed).ok());
}

}  // namespace
}  // namespace plinth::conformance
