#include "plinth/reflection/reflection.h"

#include <cstddef>
#include <string>

#include "gtest/gtest.h"
#include "pjrt_c_api.h"

namespace plinth::reflection {
namespace {

TEST(ReflectionTest, CoreFunctionsComeFirstInSlotOrder) {
  for (int slot = 0; slot < 138; ++slot) {
    EXPECT_EQ(Functions()[slot].slot, slot);
    EXPECT_EQ(Functions()[slot].table, -1);
    EXPECT_EQ(Functions()[slot].offset, 40 + 8 * slot);
    EXPECT_TRUE(Functions()[slot].IsRegular()) << Functions()[slot].name;
  }
  EXPECT_EQ(Functions()[138].table, 0);
  EXPECT_EQ(Get(function::kPJRT_Buffer_Destroy).offset, offsetof(PJRT_Api, PJRT_Buffer_Destroy));
}

TEST(ReflectionTest, EveryIndexLeadsWhereItShould) {
  for (const Struct& structure : Structs()) {
    std::span<const Field> fields = FieldsOf(structure);
    for (const Field& field : fields) {
      std::string where = std::string(structure.name.view()) + "." + std::string(field.name.view());
      EXPECT_LE(field.offset + field.size, structure.end) << where;
      EXPECT_LT(field.length_field, structure.num_fields) << where;
      if (field.length_field >= 0) {
        const Field& length = fields[field.length_field];
        EXPECT_TRUE(length.base == Base::kUnsigned || length.base == Base::kInteger) << where;
      }
      if (field.base == Base::kEnum) {
        ASSERT_LT(field.target, kEnumCount) << where;
        EXPECT_NE(std::string(field.type).find(Enums()[field.target].name), std::string::npos);
      }
      if (field.base == Base::kHandle) {
        ASSERT_LT(field.target, kHandleCount) << where;
        EXPECT_NE(std::string(field.type).find(Handles()[field.target]), std::string::npos);
      }
      if (field.base == Base::kStruct) {
        ASSERT_LT(field.target, kStructCount) << where;
      }
    }
  }
  for (const Function& function : Functions()) {
    for (const Requirement& requirement : RequirementsOf(function)) {
      EXPECT_EQ(&Functions()[requirement.function], &function) << requirement.id;
    }
    EXPECT_LT(function.args, kStructCount) << function.name;
  }
  for (const Table& table : Tables()) EXPECT_EQ(FindTable(table.type), &table);
}

TEST(ReflectionTest, FieldsSayWhatTheyAre) {
  const Struct& args = Get(structure::kPJRT_Client_BufferFromHostBuffer_Args);
  EXPECT_EQ(args.function, function::kPJRT_Client_BufferFromHostBuffer);
  const Field* dims = FindField(args, "dims");
  ASSERT_NE(dims, nullptr);
  EXPECT_EQ(dims->base, Base::kInteger);
  EXPECT_EQ(dims->depth, 1);
  EXPECT_EQ(dims->element_size, 8);
  EXPECT_STREQ(FieldsOf(args)[dims->length_field].name, "num_dims");
  const Field* buffer = FindField(args, "buffer");
  EXPECT_EQ(buffer->base, Base::kHandle);
  EXPECT_EQ(buffer->depth, 0);
  EXPECT_EQ(buffer->direction, Direction::kOut);
  EXPECT_EQ(buffer->owner, Owner::kCaller);
  EXPECT_STREQ(buffer->lifetime, "PJRT_Buffer_Destroy");
  EXPECT_EQ(FindField(args, "nothing"), nullptr);
}

TEST(ReflectionTest, EndsGrowWithTheMinor) {
  const Struct& options = Get(structure::kPJRT_ExecuteOptions);
  EXPECT_EQ(EndAt(options, 116), 160u);
  EXPECT_EQ(EndAt(options, 114), 144u);
  EXPECT_EQ(EndAt(options, 97), 120u);
  EXPECT_EQ(EndAt(options, 1000), options.end);
}

TEST(ReflectionTest, NamesAndRequirementsAreFound) {
  const Enum& types = Enums()[enumeration::kPJRT_Buffer_Type];
  EXPECT_STREQ(NameOf(types, 11), "PJRT_Buffer_Type_F32");
  EXPECT_EQ(NameOf(types, 99), nullptr);
  ASSERT_NE(FindRequirement("PJRT-Buffer_Destroy-once"), nullptr);
  EXPECT_EQ(FindRequirement("PJRT-Buffer_Destroy-once")->function, function::kPJRT_Buffer_Destroy);
  EXPECT_EQ(FindFunction("PJRT_Nothing"), nullptr);
  EXPECT_EQ(FindTable(10000), nullptr);
}

}  // namespace
}  // namespace plinth::reflection
