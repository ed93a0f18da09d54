// SPDX-License-Identifier: Apache-2.0
// The layer on a plugin made of answers: what a plugin may do wrong, modes.

#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/validation/check_tables.h"
#include "impl/layers/validation/handle_table.h"
#include "impl/layers/validation/misuse/calls.h"
#include "impl/layers/validation/testing/validation_fixture.h"
#include "impl/layers/validation/validation_layer.h"
#include "plinth/support/error.h"

namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// By the sources of this folder, in which the test runs.
TEST_F(ValidationTest, EveryRequirementThatIsNamedIsThere) {
  const reflection::Requirement* none = &reflection::Requirements().front();
  const std::regex name("\"(PJRT-\\w+-[\\w-]+)\"");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    const std::string path = entry.path();
    if (!path.ends_with(".cc") || path.ends_with("_test.cc")) continue;
    std::stringstream source;
    source << std::ifstream(path).rdbuf();
    const std::string text = source.str();
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
      const std::string id = (*it)[1];
      if (id == none->id.view()) continue;
      ++count;
      EXPECT_NE(&Require(id.c_str()), none) << path << ": " << id;
    }
  }
  EXPECT_GT(count, 40);
}

// Every null and every enum that the registry asks plugins to refuse is looked at.
TEST_F(ValidationTest, EveryNullAndEnumOfTheRegistryIsChecked) {
  for (int i = 0; i < reflection::kFunctionCount; ++i) {
    const reflection::Function& of = reflection::Functions()[i];
    if (!of.IsRegular()) continue;
    for (const reflection::Requirement& requirement : reflection::RequirementsOf(of)) {
      std::string text = static_cast<const char*>(requirement.text);
      bool is_checkable = text.starts_with("A null `") || text.starts_with("A value outside ");
      if (!is_checkable || text.find("INVALID_ARGUMENT") == std::string::npos) continue;
      // Those two are in buffer_checks.cc and client_checks.cc.
      if (text.find("with elements") != std::string::npos) continue;
      if (text.starts_with("A null `default_assignment`")) continue;
      bool is_checked = false;
      for (const FieldCheck& check : CheckTables::Get().Of(i).inputs) {
        is_checked = is_checked || check.requirement == &requirement;
      }
      EXPECT_TRUE(is_checked) << requirement.id << ": " << text;
    }
    EXPECT_LT(CheckTables::Get().Of(i).answer_slot, kNumAnswers) << of.name;
  }
}

TEST_F(ValidationTest, WithoutMisuseNothingIsSaid) {
  Start();
  destroy_buffer(&world_, world_.buffer);
  NEW(Client_Destroy, args);
  args.client = world_.client;
  RUN(&world_, Client_Destroy, args);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
}

TEST_F(ValidationTest, SuccessWithoutOutputs) {
  Start();
  NEW(Buffer_ReadyEvent, ready);
  ready.buffer = world_.buffer;
  ready.event = HandleAt<PJRT_Event>(9);  // what the caller's memory held
  RUN(&world_, Buffer_ReadyEvent, ready);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Args-output-handle", "`event` is null")));
}

TEST_F(ValidationTest, ListsWithoutAddress) {
  Start();
  chain_.Answer(function::kPJRT_Client_PlatformName, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Client_PlatformName_Args*>(args)->platform_name_size = 3;
    return nullptr;
  });
  chain_.Answer(function::kPJRT_Client_Devices, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Client_Devices_Args*>(args)->num_devices = 2;
    return nullptr;
  });
  NEW(Client_PlatformName, name);
  name.client = world_.client;
  RUN(&world_, Client_PlatformName, name);
  NEW(Client_Devices, devices);
  devices.client = world_.client;
  RUN(&world_, Client_Devices, devices);
  EXPECT_THAT(
      chain_.TakeLines(),
      ElementsAre(Fault("PJRT-Args-output-array", "`platform_name` is null and its length is 3"),
                  Fault("PJRT-Args-output-array", "`devices` is null and its length is 2")));
}

TEST_F(ValidationTest, EnumOutOfRangeComesOut) {
  Start();
  chain_.Answer(function::kPJRT_Buffer_ElementType, [](void* args) -> PJRT_Error* {
    int wrong = 77;
    std::memcpy(&static_cast<PJRT_Buffer_ElementType_Args*>(args)->type, &wrong, sizeof(wrong));
    return nullptr;
  });
  NEW(Buffer_ElementType, args);
  args.buffer = world_.buffer;
  RUN(&world_, Buffer_ElementType, args);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Args-output-enum", "`type` = 77")));
}

TEST_F(ValidationTest, ALivingBufferComesOutAsNew) {
  Start();
  new_buffer(&world_);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Args-output-new",
                                                    "that is in use: created by call #4 of "
                                                    "PJRT_Client_BufferFromHostBuffer")));
}

TEST_F(ValidationTest, AnswersThatChange) {
  Start();
  static int64_t dims[2] = {2, 3};
  chain_.Answer(function::kPJRT_Buffer_Dimensions, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Buffer_Dimensions_Args*>(args)->dims = dims;
    static_cast<PJRT_Buffer_Dimensions_Args*>(args)->num_dims = 2;
    return nullptr;
  });
  NEW(Buffer_Dimensions, args);
  args.buffer = world_.buffer;
  RUN(&world_, Buffer_Dimensions, args);
  RUN(&world_, Buffer_Dimensions, args);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
  dims[1] = 4;
  RUN(&world_, Buffer_Dimensions, args);
  EXPECT_THAT(chain_.TakeLines(),
              ElementsAre(Fault("PJRT-Args-output-same", "dims = {2, 4}, num_dims = 2")));
}

// A list counts to its end, however long: what is new in it has to become known.
TEST_F(ValidationTest, ALongListThatChangesAtItsEnd) {
  Start();
  constexpr size_t kCount = 100;
  static PJRT_Device* devices[kCount];
  for (size_t i = 0; i < kCount; ++i) devices[i] = HandleAt<PJRT_Device>(static_cast<int>(100 + i));
  chain_.Answer(function::kPJRT_Client_Devices, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Client_Devices_Args*>(args)->devices = devices;
    static_cast<PJRT_Client_Devices_Args*>(args)->num_devices = kCount;
    return nullptr;
  });
  NEW(Client_Devices, args);
  args.client = world_.client;
  RUN(&world_, Client_Devices, args);
  RUN(&world_, Client_Devices, args);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
  devices[kCount - 1] = HandleAt<PJRT_Device>(250);
  RUN(&world_, Client_Devices, args);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Args-output-same", "devices = {")));
  NEW(Device_IsAddressable, of_new);
  of_new.device = devices[kCount - 1];
  RUN(&world_, Device_IsAddressable, of_new);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty()) << "the client may use what it was given";
}

TEST_F(ValidationTest, EveryAnswerHasAPlaceInItsHandle) {
  int num_stable = 0;
  for (int id = 0; id < static_cast<int>(reflection::Functions().size()); ++id) {
    const reflection::Function& of = reflection::Functions()[static_cast<size_t>(id)];
    bool is_stable = of.answer == reflection::Answer::kStable;
    num_stable += is_stable ? 1 : 0;
    EXPECT_EQ(CheckTables::Get().Of(id).answer_slot >= 0, is_stable)
        << of.name << ": a handle has no room for more: kNumAnswers";
    EXPECT_LT(CheckTables::Get().Of(id).answer_slot, kNumAnswers) << of.name;
  }
  EXPECT_GT(num_stable, 30);
}

TEST_F(ValidationTest, ADeviceThatIsNotListed) {
  Start();
  chain_.Answer(function::kPJRT_Client_Devices, [this](void* args) -> PJRT_Error* {
    static_cast<PJRT_Client_Devices_Args*>(args)->devices = devices_;
    static_cast<PJRT_Client_Devices_Args*>(args)->num_devices = 1;
    return nullptr;
  });
  chain_.Answer(function::kPJRT_Buffer_Device, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Buffer_Device_Args*>(args)->device = HandleAt<PJRT_Device>(50);
    return nullptr;
  });
  NEW(Client_Devices, devices);
  devices.client = world_.client;
  RUN(&world_, Client_Devices, devices);
  NEW(Buffer_Device, args);
  args.buffer = world_.buffer;
  RUN(&world_, Buffer_Device, args);
  EXPECT_THAT(chain_.TakeLines(),
              ElementsAre(Fault("PJRT-Client_AddressableDevices-subset", "does not list")));
}

TEST_F(ValidationTest, AnErrorIsWholeHoweverItIsRead) {
  Start();
  chain_.Answer(function::kPJRT_Buffer_Delete, [](void*) -> PJRT_Error* {
    return MakeError(Status(StatusCode::kNotFound, "nothing there").WithPayload("key", "value"));
  });
  NEW(Buffer_Delete, args);
  args.buffer = world_.buffer;
  PJRT_Error* error = chain_.api()->PJRT_Buffer_Delete(&args);
  ASSERT_NE(error, nullptr);
  // Through its head, as no layer sees it.
  Status status = TakeError(error);
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "nothing there");
  ASSERT_EQ(status.payloads().size(), 1u);
  EXPECT_EQ(status.payloads()[0].value, "value");
  // That was its end: nothing is left.
  destroy_buffer(&world_, world_.buffer);
  NEW(Client_Destroy, destroy);
  destroy.client = world_.client;
  RUN(&world_, Client_Destroy, destroy);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
}

TEST_F(ValidationTest, ErrorsWithoutHeadOrCode) {
  Start();
  static PJRT_Error headless = {nullptr};
  chain_.Answer(function::kPJRT_Buffer_Delete, [](void*) -> PJRT_Error* { return &headless; });
  NEW(Buffer_Delete, args);
  args.buffer = world_.buffer;
  EXPECT_EQ(chain_.api()->PJRT_Buffer_Delete(&args), &headless);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Error-head", "no function table")));

  static PJRT_Error_FunctionTable table = {};
  table.struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE;
  headless.vtable = &table;
  EXPECT_EQ(chain_.api()->PJRT_Buffer_Delete(&args), &headless);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Error-head", "empty slots")));

  table.destroy = [](PJRT_Error*) {};
  table.message = [](const PJRT_Error*, const char** text, size_t* size) {
    *text = nullptr;
    *size = 9;
  };
  table.for_each_payload = [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {};
  table.get_code = [](const PJRT_Error*) { return PJRT_Error_Code_OK; };
  drop(&world_, chain_.api()->PJRT_Buffer_Delete(&args));
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Error-code", "is 0"),
                                              Fault("PJRT-Args-output-array", "its length is 9")));
}

TEST_F(ValidationTest, AFailedCreateWithAClient) {
  chain_.UseValidation("");
  world_.api = chain_.api();
  chain_.Answer(function::kPJRT_Client_Create, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Client_Create_Args*>(args)->client = HandleAt<PJRT_Client>(1);
    return MakeError(Internal("no"));
  });
  NEW(Plugin_Initialize, initialize);
  RUN(&world_, Plugin_Initialize, initialize);
  NEW(Client_Create, create);
  RUN(&world_, Client_Create, create);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Fault("PJRT-Client_Create-failure", "`client` = ")));
}

TEST_F(ValidationTest, AFailedDestroyFreesNothing) {
  Start();
  chain_.Answer(function::kPJRT_Buffer_Destroy,
                [](void*) -> PJRT_Error* { return MakeError(Unimplemented("not now")); });
  destroy_buffer(&world_, world_.buffer);
  NEW(Buffer_IsDeleted, args);
  args.buffer = world_.buffer;
  RUN(&world_, Buffer_IsDeleted, args);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
}

// A program without parameters needs no lists of arguments, whatever the plugin says of them.
TEST_F(ValidationTest, ARefusalWithoutArguments) {
  Start();
  chain_.Answer(function::kPJRT_Client_Compile, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Client_Compile_Args*>(args)->executable = HandleAt<PJRT_LoadedExecutable>(5);
    return nullptr;
  });
  chain_.Answer(function::kPJRT_LoadedExecutable_AddressableDevices,
                [this](void* args) -> PJRT_Error* {
                  auto* a = static_cast<PJRT_LoadedExecutable_AddressableDevices_Args*>(args);
                  a->addressable_devices = devices_;
                  a->num_addressable_devices = 1;
                  return nullptr;
                });
  chain_.Answer(function::kPJRT_LoadedExecutable_Execute,
                [](void*) -> PJRT_Error* { return MakeError(InvalidArgument("not today")); });
  chain_.Answer(function::kPJRT_Error_GetCode, [](void* args) -> PJRT_Error* {
    static_cast<PJRT_Error_GetCode_Args*>(args)->code = PJRT_Error_Code_INVALID_ARGUMENT;
    return nullptr;
  });
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.format = "mlir";
  program.format_size = 4;
  NEW(Client_Compile, compile);
  compile.client = world_.client;
  compile.program = &program;
  RUN(&world_, Client_Compile, compile);
  Execution execution;
  fill_execution(&execution, compile.executable, nullptr);
  execution.args.num_args = 0;
  execution.args.argument_lists = nullptr;
  run_execution(&world_, &execution);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(HasSubstr("[PJRT-LoadedExecutable_Execute-shape]")));
}

TEST_F(ValidationTest, InModeErrorThePluginIsNotReached) {
  Start("mode=error");
  int reached = 0;
  chain_.Answer(function::kPJRT_Buffer_Delete, [&](void*) -> PJRT_Error* {
    ++reached;
    return nullptr;
  });
  NEW(Buffer_Delete, args);
  PJRT_Error* error = chain_.api()->PJRT_Buffer_Delete(&args);
  EXPECT_EQ(CodeOf(error), PJRT_Error_Code_INVALID_ARGUMENT);
  NEW(Error_Message, message);
  message.error = error;
  chain_.api()->PJRT_Error_Message(&message);
  EXPECT_THAT(std::string(message.message, message.message_size),
              AllOf(HasSubstr("PJRT_Buffer_Delete: `buffer` is null"), HasSubstr("Required (")));
  drop(&world_, error);
  EXPECT_EQ(reached, 0);
  args.buffer = world_.buffer;
  EXPECT_EQ(chain_.api()->PJRT_Buffer_Delete(&args), nullptr);
  EXPECT_EQ(reached, 1);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Misuse("PJRT-Buffer_Delete-buffer", "is null")));
}

TEST_F(ValidationTest, InModeLogThePluginIsReached) {
  Start("mode=log");
  int reached = 0;
  chain_.Answer(function::kPJRT_Buffer_Delete, [&](void*) -> PJRT_Error* {
    ++reached;
    return nullptr;
  });
  NEW(Buffer_Delete, args);
  EXPECT_EQ(chain_.api()->PJRT_Buffer_Delete(&args), nullptr);
  EXPECT_EQ(reached, 1);
}

TEST_F(ValidationTest, InModeBreakTheDebuggerIsCalled) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Start("mode=break");
        delete_buffer(&world_, nullptr);
      },
      ::testing::KilledBySignal(SIGTRAP), "");
}

TEST_F(ValidationTest, TheLogEndsAtItsLimit) {
  Start("limit=2");
  for (int i = 0; i < 5; ++i) delete_buffer(&world_, nullptr);
  std::vector<std::string> lines = chain_.TakeLines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[2], HasSubstr("2 reports are written"));
}

TEST_F(ValidationTest, LeaksAreNotLookedForIfNotAsked) {
  Start("leaks=false");
  NEW(Client_Destroy, args);
  args.client = world_.client;
  RUN(&world_, Client_Destroy, args);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
}

TEST_F(ValidationTest, ABufferOfADestroyedClientIsGoneEvenIfItsAddressIsNot) {
  Start("mode=error");
  NEW(Client_Destroy, args);
  args.client = world_.client;
  RUN(&world_, Client_Destroy, args);
  EXPECT_THAT(chain_.TakeLines(),
              ElementsAre(Misuse("PJRT-Client_Destroy-owned", "1 PJRT_Buffer is left")));
  destroy_buffer(&world_, world_.buffer);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(Misuse("PJRT-Client_Destroy-owned", "that is gone")));
}

TEST(ValidationOptionsTest, WrongOptionsMakeNoLayer) {
  LayerContext context;
  context.options = "mode=quiet";
  context.log = [](std::string_view) {};
  EXPECT_FALSE(CreateValidationLayer(context).ok());
}

}  // namespace
}  // namespace plinth::layers::validation
