// SPDX-License-Identifier: Apache-2.0
#include "plinth/reflection/reflection.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "pjrt_c_api.h"
#include "pjrt_c_api_abi_version_extension.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::reflection {
namespace {

TEST(ReflectionTest, CoreFunctionsComeFirstInSlotOrder) {
  constexpr int kCount = (PJRT_Api_STRUCT_SIZE - offsetof(PJRT_Api, PJRT_Error_Destroy)) / 8;
  for (int slot = 0; slot < kCount; ++slot) {
    EXPECT_EQ(Functions()[slot].slot, slot);
    EXPECT_EQ(Functions()[slot].table, -1);
    EXPECT_EQ(Functions()[slot].offset, 40 + 8 * slot);
    EXPECT_TRUE(Functions()[slot].IsRegular()) << Functions()[slot].name;
  }
  EXPECT_EQ(Functions()[kCount].table, 0);
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

// The layouts come from api/generate/layout.py; here the compiler has the last word.
TEST(ReflectionTest, WhatIsOpenedIsClosed) {
  const Function& create = Get(function::kPJRT_Event_Create);
  const Function& set = Get(function::kPJRT_Event_Set);
  ASSERT_GE(create.opens, 0);
  EXPECT_EQ(FieldsOf(Structs()[create.args])[create.opens].name.view(), "event");
  EXPECT_EQ(create.closes, -1);
  EXPECT_FALSE(create.provides);
  EXPECT_GE(set.closes, 0);
  EXPECT_TRUE(set.provides);
  EXPECT_TRUE(Get(function::kPJRT_AsyncHostToDeviceTransferManager_TransferData).provides);
  // What is opened is a handle, and a function closes it.
  for (const Function& opening : Functions()) {
    if (opening.opens < 0) continue;
    const Field& opened = FieldsOf(Structs()[opening.args])[opening.opens];
    EXPECT_EQ(opened.base, Base::kHandle) << opening.name;
    EXPECT_TRUE(std::any_of(Functions().begin(), Functions().end(), [&](const Function& closing) {
      return closing.closes >= 0 &&
             FieldsOf(Structs()[closing.args])[closing.closes].name.view() == opened.name.view();
    })) << opening.name;
  }
}

TEST(ReflectionTest, FieldsLieWhereTheCompilerPutsThem) {
  const auto lies_at = [](structure::Id id, const char* name, size_t offset, size_t size) {
    const Field* field = FindField(Get(id), name);
    ASSERT_NE(field, nullptr) << name;
    EXPECT_EQ(field->offset, offset) << name;
    EXPECT_EQ(field->size, size) << name;
  };
#define PLINTH_LIES(type, field) \
  lies_at(structure::k##type, #field, offsetof(type, field), sizeof(type::field))
  PLINTH_LIES(PJRT_ExecuteOptions, launch_id);
  PLINTH_LIES(PJRT_ExecuteOptions, call_location);
  PLINTH_LIES(PJRT_ExecuteOptions, use_major_to_minor_data_layout_for_callbacks);
  PLINTH_LIES(PJRT_ExecuteOptions, num_custom_options);
  PLINTH_LIES(PJRT_NamedValue, value_size);
  PLINTH_LIES(PJRT_Buffer_MemoryLayout, type);
  PLINTH_LIES(PJRT_Buffer_GetMemoryLayout_Args, layout);
  PLINTH_LIES(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set);
#undef PLINTH_LIES
}

TEST(ReflectionTest, WhatAMinorDoesNotPromiseIsMarked) {
  EXPECT_EQ(FindField(Get(structure::kPJRT_ProcessInfo), "struct_size")->safe_since, 76);
  const Field* try_get = FindField(Get(structure::kPJRT_Client_Create_Args), "kv_try_get_callback");
  EXPECT_EQ(try_get->since, 61);
  EXPECT_EQ(try_get->safe_since, 62);
}

TEST(ReflectionTest, EveryExtensionIsThereOnce) {
  std::set<int> types;
  for (const Table& table : Tables()) EXPECT_TRUE(types.insert(table.type).second) << table.type;
  const Enum& known = Enums()[enumeration::kPJRT_Extension_Type];
  EXPECT_EQ(types.size() + 1, ValuesOf(known).size()) << "all but Unknown, which has no struct";
  const auto end_of = [](int type) { return Structs()[FindTable(type)->structure].end; };
  EXPECT_EQ(end_of(PJRT_Extension_Type_Layouts), PJRT_Layouts_Extension_STRUCT_SIZE);
  EXPECT_EQ(end_of(PJRT_Extension_Type_Shardings), PJRT_Shardings_Extension_STRUCT_SIZE);
  EXPECT_EQ(end_of(PJRT_Extension_Type_FFI), PJRT_FFI_Extension_STRUCT_SIZE);
  EXPECT_EQ(end_of(PJRT_Extension_Type_AbiVersion), PJRT_AbiVersion_Extension_STRUCT_SIZE);
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
