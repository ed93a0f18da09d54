// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/program_pack.h"

#include <gtest/gtest.h>
#include <zlib.h>

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

// A pack of one program with an argument of these bytes.
std::string PackOf(char devices, const std::string& argument) {
  std::string program = std::string("\1x") + '\0' + devices + '\0' + '\1' + argument + '\0';
  std::string packed(compressBound(program.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(program.data()), program.size());
  packed.resize(size);
  std::string names("\1\1p\0", 4);
  return std::string("PLOP\1") + static_cast<char>(names.size()) + names +
         static_cast<char>(program.size()) + packed;
}

Status Unpack(const std::string& bytes) {
  Expected<ProgramPack> pack = ProgramPack::Read(bytes);
  return pack.ok() ? pack->Program(0).status() : pack.status();
}

TEST(ProgramPackTest, DevicesShareArgumentsEvenly) {
  const std::string scalar("\x0b\0\1\2\3\4", 6);
  EXPECT_TRUE(Unpack(PackOf(1, scalar)).ok()) << Unpack(PackOf(1, scalar)).ToString();
  EXPECT_FALSE(Unpack(PackOf(0, scalar)).ok());
  EXPECT_FALSE(Unpack(PackOf(2, scalar)).ok());
}

TEST(ProgramPackTest, SizesThatOverflowAreRefused) {
  // f32[2^31, 2^31]: 2^64 bytes, which wrap to none. f32[0, 2^31] has none.
  const std::string large = "\x80\x80\x80\x80\x08";
  EXPECT_FALSE(Unpack(PackOf(1, "\x0b\2" + large + large)).ok());
  EXPECT_TRUE(Unpack(PackOf(1, std::string("\x0b\2\0", 3) + large)).ok());
  EXPECT_FALSE(Unpack(PackOf(1, std::string("\x0b\2\0\xff", 4) + large)).ok());
}

}  // namespace
}  // namespace plinth::conformance
