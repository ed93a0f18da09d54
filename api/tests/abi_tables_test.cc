// SPDX-License-Identifier: Apache-2.0
// The X-macro tables agree with what the compiler makes of the header.

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "pjrt_c_api.h"
#include "plinth/support/abi_version.h"

namespace plinth {
namespace {

#define PLINTH_PJRT_FUNCTION(slot, name, since, absent, minimum_struct_size)    \
  static_assert(offsetof(PJRT_Api, name) == 40 + 8 * (slot));                   \
  static_assert((minimum_struct_size) <= std::size_t{name##_Args_STRUCT_SIZE}); \
  static_assert((minimum_struct_size) >= 16);
#define PLINTH_PJRT_STRUCT(name, since, end, minimum_struct_size, carries_struct_size) \
  static_assert((end) <= sizeof(name) && sizeof(name) - (end) < alignof(name));        \
  static_assert((minimum_struct_size) <= (end));
#define PLINTH_PJRT_ENUM_VALUE(enum_name, name, value, since) \
  static_assert(static_cast<enum_name>(value) == name);
#include "plinth/support/abi_tables.inc"

enum class Absent { Required, Stub, Null };

struct FunctionRow {
  std::string_view name;
  int slot;
  int since;
  Absent absent;
  std::size_t minimum;
};

const std::vector<FunctionRow>& Functions() {
  static const std::vector<FunctionRow> rows = {
#define PLINTH_PJRT_FUNCTION(slot, name, since, absent, minimum_struct_size) \
  {#name, slot, since, Absent::absent, minimum_struct_size},
#include "plinth/support/abi_tables.inc"
  };
  return rows;
}

TEST(AbiTables, EveryFunctionOnceInSlotOrder) {
  ASSERT_EQ(Functions().size(), static_cast<std::size_t>(kPjrtFunctionCount));
  EXPECT_EQ(std::size_t{PJRT_Api_STRUCT_SIZE}, 40 + 8 * Functions().size());
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < Functions().size(); ++i) {
    EXPECT_EQ(Functions()[i].slot, static_cast<int>(i));
    EXPECT_LE(Functions()[i].since, kPjrtDeclaredMinor);
    names.insert(Functions()[i].name);
  }
  EXPECT_EQ(names.size(), Functions().size());
}

TEST(AbiTables, MinimumSizesOfCallersThatExist) {
  const auto minimum = [](std::string_view name) {
    for (const FunctionRow& row : Functions()) {
      if (row.name == name) return row.minimum;
    }
    return std::size_t{0};
  };
  EXPECT_EQ(minimum("PJRT_Client_Create"), 72u);        // JAX through 0.4.38
  EXPECT_EQ(minimum("PJRT_Plugin_Attributes"), 24u);    // JAX through 0.6.2
  EXPECT_EQ(minimum("PJRT_Device_MemoryStats"), 185u);  // all before 0.113
  EXPECT_EQ(minimum("PJRT_Executable_DeserializeAndLoad"), 48u);
}

TEST(AbiTables, TableSizesGrow) {
  std::vector<std::array<int, 2>> rows = {
#define PLINTH_PJRT_TABLE_SIZE(minor, function_count) {minor, function_count},
#include "plinth/support/abi_tables.inc"
  };
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kPjrtDeclaredMinor - kPjrtOldestMinor + 1));
  EXPECT_EQ(rows.front()[1], 101);
  EXPECT_EQ(rows.back()[1], kPjrtFunctionCount);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], kPjrtOldestMinor + static_cast<int>(i));
    if (i > 0) {
      EXPECT_GE(rows[i][1], rows[i - 1][1]);
    }
  }
}

TEST(AbiTables, AnnouncedSizes) {
  int attributes = 0;
#define PLINTH_PJRT_ANNOUNCED_SIZE(struct_name, announced, actual, first_minor, last_minor) \
  if (std::string_view(#struct_name) == "PJRT_Plugin_Attributes_Args" && (announced) == 24) \
    attributes = actual;
#include "plinth/support/abi_tables.inc"
  EXPECT_EQ(attributes, 32);
}

TEST(AbiTables, VersionsAreThoseOfTheHeader) {
  EXPECT_EQ(kPjrtDeclaredMinor, PJRT_API_MINOR);
  EXPECT_EQ(kPjrtMajor, PJRT_API_MAJOR);
  EXPECT_LE(kPjrtReportedMinor, kPjrtDeclaredMinor);
}

}  // namespace
}  // namespace plinth
