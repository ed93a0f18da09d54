// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/open.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/loader/broken_table.h"
#include "impl/loader/default_layouts.h"
#include "impl/loader/emulation.h"
#include "impl/loader/testing/fake_test.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_stream_extension.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/extension_chain.h"

namespace plinth::loader {
namespace {

using ::testing::AllOf;
using testing::Fake;
using testing::FakeOptions;
using ::testing::HasSubstr;
namespace id = reflection::function;

Expected<const PJRT_Api*> Open(OpenOptions options = {}) {
  options.path = PLINTH_FAKE_PLUGIN;
  return OpenPlugin(options);
}

Expected<const PJRT_Api*> OpenFake(const FakeOptions& fake, OpenOptions options = {}) {
  Fake().Make(fake);
  return Open(std::move(options));
}

FakeOptions OfMinor(int minor) {
  FakeOptions options;
  options.minor = minor;
  return options;
}

Status TryOpen(const FakeOptions& fake, OpenOptions options = {}) {
  return OpenFake(fake, std::move(options)).status();
}

TEST(OpenTest, RefusesWhatIsNoPlugin) {
  OpenOptions options;
  options.path = "/nonexistent/plugin.so";
  Status status = OpenPlugin(options).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.ToString(), HasSubstr("/nonexistent/plugin.so"));
  options.path = "libm.so.6";
  status = OpenPlugin(options).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.ToString(), HasSubstr("GetPjrtApi"));
  FakeOptions fake;
  fake.returns_null = true;
  EXPECT_THAT(TryOpen(fake).ToString(), HasSubstr("returned null"));
}

TEST(OpenTest, RefusesOtherVersionsWithTheReason) {
  FakeOptions fake;
  fake.major = 1;
  EXPECT_THAT(TryOpen(fake).ToString(), AllOf(HasSubstr("1.117"), HasSubstr("0.x")));
  OpenOptions old;
  old.allow_old = true;
  EXPECT_THAT(TryOpen(OfMinor(27), old).ToString(), HasSubstr("cannot be read"));
  EXPECT_THAT(TryOpen(OfMinor(-1), old).ToString(), HasSubstr("cannot be read"));
  EXPECT_THAT(TryOpen(OfMinor(56), old).ToString(), HasSubstr("two different tables"));
  for (int minor : {28, 55}) {
    Status status = TryOpen(OfMinor(minor));
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.ToString(), HasSubstr("PLINTH_ALLOW_OLD=1"));
  }
}

TEST(OpenTest, RefusesTablesOfImpossibleSize) {
  FakeOptions fake;
  fake.announced_size = 8;
  EXPECT_THAT(TryOpen(fake).ToString(), HasSubstr("8 bytes"));
  fake.announced_size = size_t{1} << 40;
  EXPECT_EQ(TryOpen(fake).code(), StatusCode::kFailedPrecondition);
  fake = OfMinor(90);
  fake.functions = 100;
  EXPECT_THAT(TryOpen(fake).ToString(), AllOf(HasSubstr("100"), HasSubstr("101")));
  fake = FakeOptions();
  fake.version_size = uintptr_t{0x7f1234567890};  // A function, in tables without a version.
  EXPECT_THAT(TryOpen(fake).ToString(), HasSubstr("has no version"));
}

TEST(OpenTest, RefusesTablesWithoutWhatEveryPluginHas) {
  FakeOptions fake;
  fake.null_slots = {id::kPJRT_Error_Message, id::kPJRT_Client_Create};
  EXPECT_THAT(TryOpen(fake).ToString(),
              AllOf(HasSubstr("fake_plugin.so (PJRT 0.117)"),
                    HasSubstr("null at PJRT_Error_Message, PJRT_Client_Create.")));
  for (int function = 0; function < 100; ++function) fake.null_slots.insert(function);
  EXPECT_THAT(TryOpen(fake).ToString(), HasSubstr(" more"));
  // What the loader answers itself, and what a plugin need not have.
  fake.null_slots = {id::kPJRT_Plugin_Attributes, id::kPJRT_Buffer_CopyToDevice,
                     id::kPJRT_Client_Load};
  EXPECT_TRUE(TryOpen(fake).ok());
  // Functions that came later than the plugin.
  EXPECT_TRUE(TryOpen(OfMinor(57)).ok());
}

TEST(OpenTest, RefusesSlotsThatAreNoCode) {
  static const int data = 7;
  for (const void* garbage : {static_cast<const void*>(&data), reinterpret_cast<const void*>(8)}) {
    FakeOptions fake;
    fake.garbage = {{id::kPJRT_Client_DmaMap, garbage}};
    Status status = TryOpen(fake);
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.ToString(),
                AllOf(HasSubstr("PJRT_Client_DmaMap is no code"), HasSubstr("shorter")));
  }
}

TEST(OpenTest, RefusesTablesThatCannotBeRead) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* pages = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  // The head is there, and all that it promises lies behind the end of what is mapped.
  const size_t head = offsetof(PJRT_Api, PJRT_Error_Destroy);
  char* table = pages + page - head;
  std::memcpy(table, Fake().Make(FakeOptions()), head);
  auto* api = reinterpret_cast<const PJRT_Api*>(table);
  OwnMemory memory = OwnMemory::Now();
  EXPECT_THAT(CheckReadable("/x.so", api, memory).ToString(),
              AllOf(HasSubstr("/x.so"), HasSubstr("1144 bytes")));
  api = reinterpret_cast<const PJRT_Api*>(pages + page);
  EXPECT_THAT(CheckReadable("/x.so", api, memory).ToString(), HasSubstr("cannot be read"));
  munmap(pages, 2 * page);
}

TEST(OpenTest, RefusesExtensionsThatCannotBeRead) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* pages = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  // A whole head at the end of what is mapped, of a node that says it is larger.
  PJRT_Extension_Base node = {40, PJRT_Extension_Type_FFI, nullptr};
  char* at_end = pages + page - PJRT_Extension_Base_STRUCT_SIZE;
  std::memcpy(at_end, &node, PJRT_Extension_Base_STRUCT_SIZE);
  FakeOptions fake;
  fake.extensions = reinterpret_cast<PJRT_Extension_Base*>(at_end);
  EXPECT_THAT(TryOpen(fake).ToString(), AllOf(HasSubstr("type 5"), HasSubstr("40 bytes")));
  PJRT_Extension_Base first = {PJRT_Extension_Base_STRUCT_SIZE, PJRT_Extension_Type_Stream,
                               reinterpret_cast<PJRT_Extension_Base*>(pages + page)};
  fake.extensions = &first;
  EXPECT_THAT(TryOpen(fake).ToString(), HasSubstr("node 1 cannot be read"));
  munmap(pages, 2 * page);
  Fake().Make(FakeOptions());
}

TEST(OpenTest, OwnMemoryReadsWhatTheSystemSays) {
  OwnMemory memory = OwnMemory::FromMaps(
      "1000-2000 r--p 0 fd:00 1 /a.so\n2000-3000 r-xp 0 fd:00 1 /a.so\nno line\n"
      "5000-6000 ---p 0 00:00 0\n7000-\n8000-9000 --xp 0 00:00 0");
  auto at = [](uintptr_t address) { return reinterpret_cast<const void*>(address); };
  EXPECT_TRUE(memory.IsReadable(at(0x1ff0), 0x1010)) << "across two ranges that touch";
  EXPECT_FALSE(memory.IsReadable(at(0x2ff0), 0x11));
  EXPECT_FALSE(memory.IsReadable(at(0x5000), 1));
  EXPECT_FALSE(memory.IsReadable(at(~uintptr_t{0}), 8)) << "round the end";
  EXPECT_TRUE(memory.IsCode(at(0x2000)));
  EXPECT_TRUE(memory.IsCode(at(0x8fff)));
  EXPECT_FALSE(memory.IsCode(at(0x1000)));
  EXPECT_FALSE(memory.IsCode(nullptr));
  // A system that says nothing forbids nothing.
  EXPECT_TRUE(OwnMemory::FromMaps("").IsCode(at(0x1000)));
  EXPECT_TRUE(OwnMemory::FromMaps("").IsReadable(at(0x1000), 1));
}

TEST(OpenTest, WholeTablesAreHandedOutThemselves) {
  for (int minor : {110, 114, 117}) {
    FakeOptions fake = OfMinor(minor);
    const PJRT_Api* own = Fake().Make(fake);
    Expected<const PJRT_Api*> api = Open();
    ASSERT_TRUE(api.ok()) << api.status().ToString();
    EXPECT_EQ(*api, own);
  }
}

TEST(OpenTest, PluginsThatLeadBack) {
  FakeOptions fake;
  Status inner;
  fake.on_get = [&] { inner = Open().status(); };
  EXPECT_TRUE(OpenFake(fake).ok());
  EXPECT_EQ(inner.code(), StatusCode::kFailedPrecondition);
  Fake().Make(FakeOptions());
  EXPECT_TRUE(Open().ok()) << "the mark was left behind";
}

TEST(OpenTest, ShortTablesAreCompleted) {
  const PJRT_Api* own = Fake().Make(OfMinor(72));
  std::vector<std::string> log;
  OpenOptions options;
  options.log = [&](LogLevel, std::string_view line) { log.emplace_back(line); };
  Expected<const PJRT_Api*> api = Open(options);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_NE(*api, own);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], AllOf(HasSubstr("caller -> adapter -> "), HasSubstr("(PJRT 0.72)")));
  EXPECT_EQ((*api)->struct_size, size_t{PJRT_Api_STRUCT_SIZE});
  EXPECT_EQ((*api)->pjrt_api_version.minor_version, 72);
  for (const reflection::Function& function : reflection::Functions()) {
    if (function.table >= 0) continue;
    void* slot;
    std::memcpy(&slot, reinterpret_cast<const char*>(*api) + function.offset, sizeof(slot));
    bool may_be_null = function.absent == reflection::Absent::kNull && function.since > 72;
    EXPECT_EQ(slot == nullptr, may_be_null) << function.name;
  }
  auto map = PLINTH_NEW_ARGS(PJRT_Client_DmaMap_Args);
  EXPECT_TRUE((TakeError((*api)->PJRT_Client_DmaMap(&map)).ok()));
  auto deserialize = PLINTH_NEW_ARGS(PJRT_TopologyDescription_Deserialize_Args);
  PJRT_Error* error = (*api)->PJRT_TopologyDescription_Deserialize(&deserialize);
  ASSERT_NE(error, nullptr);
  auto destroy = PLINTH_NEW_ARGS(PJRT_Error_Destroy_Args);
  destroy.error = error;
  (*api)->PJRT_Error_Destroy(&destroy);
  // The direct way and the adapted one, with and without an error.
  auto name = PLINTH_NEW_ARGS(PJRT_Client_PlatformName_Args);
  EXPECT_EQ((*api)->PJRT_Client_PlatformName(&name), nullptr);
  EXPECT_NE(name.platform_name, nullptr);
  Fake().FailNext(PJRT_Error_Code_ABORTED, "no");
  EXPECT_EQ(TakeError((*api)->PJRT_Client_PlatformName(&name)).code(), StatusCode::kAborted);
  EXPECT_EQ(TakeError((*api)->PJRT_Client_PlatformName(nullptr)).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Fake().LiveErrors(), 0);

  Expected<const PJRT_Api*> again = Open(options);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *api) << "the same plugin with the same options is one chain";
}

TEST(OpenTest, PluginsNewerThanWeReportOurMinor) {
  Expected<const PJRT_Api*> api = OpenFake(OfMinor(130));
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_EQ((*api)->pjrt_api_version.minor_version, 117);
  auto name = PLINTH_NEW_ARGS(PJRT_Client_PlatformName_Args);
  EXPECT_EQ((*api)->PJRT_Client_PlatformName(&name), nullptr);
}

TEST(OpenTest, TableThatEndsTooEarly) {
  FakeOptions fake = OfMinor(90);
  fake.functions = 110;  // Of 128.
  Expected<const PJRT_Api*> api = OpenFake(fake);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  auto map = PLINTH_NEW_ARGS(PJRT_Client_DmaMap_Args);
  EXPECT_EQ(TakeError((*api)->PJRT_Client_DmaMap(&map)).code(), StatusCode::kUnimplemented);
}

TEST(OpenTest, OldPluginsWhenAskedTo) {
  FakeOptions fake = OfMinor(44);
  fake.announced_size = 808;
  PJRT_Extension_Base unreadable{~size_t{0}, PJRT_Extension_Type_FFI, nullptr};
  fake.extensions = &unreadable;
  OpenOptions options;
  options.allow_old = true;
  Expected<const PJRT_Api*> api = OpenFake(fake, options);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_EQ((*api)->pjrt_api_version.minor_version, 44);
  EXPECT_EQ((*api)->extension_start, nullptr);
  auto stats = PLINTH_NEW_ARGS(PJRT_Executable_GetCompiledMemoryStats_Args);
  EXPECT_EQ((*api)->PJRT_Executable_GetCompiledMemoryStats(&stats), nullptr);
  EXPECT_NE(stats.host_temp_size_in_bytes, 0);
  EXPECT_EQ(stats.peak_memory_in_bytes, 0);
}

PJRT_Error* SerializeLayout(PJRT_Layouts_MemoryLayout_Serialize_Args* args) {
  args->serialized_bytes_size = 7;
  return nullptr;
}

TEST(OpenTest, ExtensionChains) {
  PJRT_Layouts_Extension layouts{};
  layouts.base = {56, PJRT_Extension_Type_Layouts, nullptr};
  layouts.PJRT_Layouts_MemoryLayout_Serialize = &SerializeLayout;
  struct Unknown {
    PJRT_Extension_Base base;
    uint64_t words[2];
  } unknown{{sizeof(Unknown), static_cast<PJRT_Extension_Type>(99), &layouts.base}, {5, 6}};
  PJRT_FFI_Extension ffi{};
  ffi.base = {sizeof(ffi), PJRT_Extension_Type_FFI, &unknown.base};
  PJRT_Stream_Extension huge{};
  huge.base = {size_t{1} << 50, PJRT_Extension_Type_Stream, &ffi.base};
  Unknown huge_unknown{{size_t{1} << 50, static_cast<PJRT_Extension_Type>(98), &huge.base}, {}};
  layouts.base.next = &huge_unknown.base;  // A circle.

  FakeOptions fake = OfMinor(75);
  fake.extensions = &huge_unknown.base;
  Expected<const PJRT_Api*> api = OpenFake(fake);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  const PJRT_Extension_Base* chain = (*api)->extension_start;
  EXPECT_EQ(FindExtension(chain, 98), nullptr);
  EXPECT_EQ(FindExtension(chain, PJRT_Extension_Type_FFI), nullptr) << "0.75 has another layout";
  const auto* stream = FindExtension(chain, PJRT_Extension_Type_Stream);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->struct_size, size_t{PJRT_Stream_Extension_STRUCT_SIZE});
  const auto* passed = reinterpret_cast<const Unknown*>(FindExtension(chain, 99));
  ASSERT_NE(passed, nullptr);
  EXPECT_EQ(passed->base.struct_size, sizeof(Unknown));
  EXPECT_EQ(passed->words[1], 6u);

  const auto* copied = reinterpret_cast<const PJRT_Layouts_Extension*>(
      FindExtension(chain, PJRT_Extension_Type_Layouts));
  ASSERT_NE(copied, nullptr);
  EXPECT_EQ(copied->base.struct_size, 56u);
  EXPECT_NE(copied->PJRT_Layouts_MemoryLayout_Serialize, &SerializeLayout);
  auto serialize = PLINTH_NEW_ARGS(PJRT_Layouts_MemoryLayout_Serialize_Args);
  EXPECT_EQ(copied->PJRT_Layouts_MemoryLayout_Serialize(&serialize), nullptr);
  EXPECT_EQ(serialize.serialized_bytes_size, 7u);
  // A slot that clients do not test, and that the plugin leaves null.
  auto destroy = PLINTH_NEW_ARGS(PJRT_Layouts_MemoryLayout_Destroy_Args);
  ASSERT_NE(copied->PJRT_Layouts_MemoryLayout_Destroy, nullptr);
  Status status = TakeError(copied->PJRT_Layouts_MemoryLayout_Destroy(&destroy));
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
}

TEST(OpenTest, DefaultLayouts) {
  OpenOptions options;
  options.default_layouts = true;
  Expected<const PJRT_Api*> api = OpenFake(OfMinor(117), options);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  const auto* layouts = reinterpret_cast<const PJRT_Layouts_Extension*>(
      FindExtension((*api)->extension_start, PJRT_Extension_Type_Layouts));
  ASSERT_NE(layouts, nullptr);
  EXPECT_EQ(layouts->PJRT_Layouts_PJRT_Executable_GetOutputLayouts, nullptr);

  const int64_t dims[3] = {2, 3, 4};
  auto of_client = PLINTH_NEW_ARGS(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args);
  of_client.dims = dims;
  of_client.num_dims = 3;
  ASSERT_EQ(layouts->PJRT_Layouts_PJRT_Client_GetDefaultLayout(&of_client), nullptr);
  auto serialize = PLINTH_NEW_ARGS(PJRT_Layouts_MemoryLayout_Serialize_Args);
  serialize.layout = of_client.layout;
  ASSERT_EQ(layouts->PJRT_Layouts_MemoryLayout_Serialize(&serialize), nullptr);
  EXPECT_EQ(std::string(serialize.serialized_bytes, serialize.serialized_bytes_size), "{2,1,0}");
  serialize.serialized_layout_deleter(serialize.serialized_layout);
  auto destroy = PLINTH_NEW_ARGS(PJRT_Layouts_MemoryLayout_Destroy_Args);
  destroy.layout = of_client.layout;
  EXPECT_EQ(layouts->PJRT_Layouts_MemoryLayout_Destroy(&destroy), nullptr);

  of_client.num_dims = size_t{1} << 60;
  EXPECT_EQ(TakeError(layouts->PJRT_Layouts_PJRT_Client_GetDefaultLayout(&of_client)).code(),
            StatusCode::kInvalidArgument);
  serialize.layout = nullptr;
  EXPECT_EQ(TakeError(layouts->PJRT_Layouts_MemoryLayout_Serialize(&serialize)).code(),
            StatusCode::kInvalidArgument);
  // The fake says that a buffer has 0x5a5a... dimensions.
  auto of_buffer = PLINTH_NEW_ARGS(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args);
  EXPECT_EQ(TakeError(layouts->PJRT_Layouts_PJRT_Buffer_MemoryLayout(&of_buffer)).code(),
            StatusCode::kInvalidArgument);
}

TEST(OpenTest, RaisedMinor) {
  OpenOptions options;
  options.api_minor = 66;  // 0.63 to 0.66 brought no function.
  Expected<const PJRT_Api*> api = OpenFake(OfMinor(63), options);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_EQ((*api)->pjrt_api_version.minor_version, 66);
  options.api_minor = 67;
  EXPECT_THAT(TryOpen(OfMinor(63), options).ToString(),
              AllOf(HasSubstr("PJRT_Client_DmaMap"), HasSubstr("at most 0.66")));
  options.api_minor = kPjrtDeclaredMinor + 1;
  EXPECT_EQ(TryOpen(OfMinor(104), options).code(), StatusCode::kInvalidArgument);
}

TEST(OpenTest, LoweredMinorServesOlderCallers) {
  OpenOptions options;
  options.api_minor = 57;
  Expected<const PJRT_Api*> api = OpenFake(OfMinor(117), options);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_EQ((*api)->pjrt_api_version.minor_version, 57);
  testing::CallerStruct create(72);
  EXPECT_EQ((*api)->PJRT_Client_Create(static_cast<PJRT_Client_Create_Args*>(create.data())),
            nullptr);
  EXPECT_TRUE(create.IsIntact());
}

TEST(OpenTest, RaisedMinorGivesMemoriesAHead) {
  FakeOptions fake = OfMinor(104);
  fake.lists_memories = true;
  OpenOptions options;
  options.api_minor = 117;
  Expected<const PJRT_Api*> api = OpenFake(fake, options);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_EQ((*api)->pjrt_api_version.minor_version, 117);
  auto list = PLINTH_NEW_ARGS(PJRT_Client_AddressableMemories_Args);
  ASSERT_EQ((*api)->PJRT_Client_AddressableMemories(&list), nullptr);
  ASSERT_EQ(list.num_addressable_memories, 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(list.addressable_memories[i]->vtable, nullptr);
  auto again = PLINTH_NEW_ARGS(PJRT_Client_AddressableMemories_Args);
  ASSERT_EQ((*api)->PJRT_Client_AddressableMemories(&again), nullptr);
  EXPECT_EQ(again.addressable_memories, list.addressable_memories);
  auto memory = PLINTH_NEW_ARGS(PJRT_Device_DefaultMemory_Args);
  ASSERT_EQ((*api)->PJRT_Device_DefaultMemory(&memory), nullptr);
  EXPECT_EQ(memory.memory, list.addressable_memories[1]) << "one head for one memory";

  Fake().Record(true);
  auto copy = PLINTH_NEW_ARGS(PJRT_Buffer_CopyToMemory_Args);
  copy.dst_memory = memory.memory;
  ASSERT_EQ((*api)->PJRT_Buffer_CopyToMemory(&copy), nullptr);
  EXPECT_NE(copy.dst_buffer, nullptr);
  auto host = PLINTH_NEW_ARGS(PJRT_Client_BufferFromHostBuffer_Args);
  ASSERT_EQ((*api)->PJRT_Client_BufferFromHostBuffer(&host), nullptr);
  auto kind = PLINTH_NEW_ARGS(PJRT_Memory_Kind_Args);
  kind.memory = list.addressable_memories[0];
  kind.struct_size = 20;
  EXPECT_EQ(TakeError((*api)->PJRT_Memory_Kind(&kind)).code(), StatusCode::kInvalidArgument);
  auto calls = Fake().TakeCalls();
  Fake().Record(false);
  ASSERT_EQ(calls.size(), 2u);
  PJRT_Buffer_CopyToMemory_Args seen;
  std::memcpy(&seen, calls[0].args.data(), sizeof(seen));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(seen.dst_memory), 0x20u);
  PJRT_Client_BufferFromHostBuffer_Args host_seen;
  std::memcpy(&host_seen, calls[1].args.data(), sizeof(host_seen));
  EXPECT_EQ(host_seen.memory, nullptr);
}

TEST(OpenTest, UnknownLayers) {
  OpenOptions options;
  options.layer_specs = {"nonsense"};
  EXPECT_THAT(TryOpen(OfMinor(117), options).ToString(), HasSubstr("nonsense"));
  options.layer_specs = {"trace(file=a"};
  EXPECT_THAT(TryOpen(OfMinor(117), options).ToString(), HasSubstr("parenthesis"));
  options.layer_specs = {"(a)"};
  EXPECT_EQ(TryOpen(OfMinor(117), options).code(), StatusCode::kInvalidArgument);
  options.layer_specs = {"/nonexistent/layer.so"};
  EXPECT_THAT(TryOpen(OfMinor(117), options).ToString(), HasSubstr("/nonexistent/layer.so"));
}

// docs/using/loader-adaptation.md is true.
TEST(OpenTest, DocumentedEmulations) {
  std::ifstream file("../../docs/using/loader-adaptation.md");
  std::string page(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(page.empty());
  size_t rows = 0;
  for (auto emulations : {Emulations(), DefaultLayoutEmulations()}) {
    for (const Emulation& emulation : emulations) {
      std::string name(reflection::Get(emulation.function).name);
      EXPECT_THAT(page, HasSubstr("| `" + name + "` | " + emulation.how + " |"));
      ++rows;
    }
  }
  size_t documented = 0;
  for (size_t at = page.find("| `PJRT_"); at != std::string::npos;
       at = page.find("\n| `PJRT_", at + 1)) {
    // The table of costs has rows with a unit.
    if (page.substr(at, page.find('\n', at + 1) - at).find(" ns |") == std::string::npos) {
      ++documented;
    }
  }
  EXPECT_EQ(documented, rows);
}

TEST(OpenTest, ManyThreadsOpenAndCall) {
  Fake().Make(OfMinor(81));
  std::vector<std::thread> threads;
  std::vector<const PJRT_Api*> tables(8);
  for (size_t i = 0; i < tables.size(); ++i) {
    threads.emplace_back([&, i] {
      Expected<const PJRT_Api*> api = Open();
      if (!api.ok()) return;
      tables[i] = *api;
      for (int n = 0; n < 1000; ++n) {
        auto name = PLINTH_NEW_ARGS(PJRT_Client_PlatformName_Args);
        if ((*api)->PJRT_Client_PlatformName(&name) != nullptr) tables[i] = nullptr;
        auto stats = PLINTH_NEW_ARGS(PJRT_Executable_GetCompiledMemoryStats_Args);
        if ((*api)->PJRT_Executable_GetCompiledMemoryStats(&stats) != nullptr) tables[i] = nullptr;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(tables[0], nullptr);
  for (const PJRT_Api* table : tables) EXPECT_EQ(table, tables[0]);
}

// What the adapter of a plugin before 0.102 answers itself; it names the plugin.
Status CallMissing(const PJRT_Api* api) {
  auto args = PLINTH_NEW_ARGS(PJRT_Executable_ParameterMemoryKinds_Args);
  return TakeError(api->PJRT_Executable_ParameterMemoryKinds(&args));
}

// From here on the process has no functions of the compiler left: chains that are opened in a test
// after these have libffi's.
std::vector<const PJRT_Api*> OpenAllCompiled() {
  std::vector<const PJRT_Api*> tables;
  for (int i = 0; i < kThunkInstances; ++i) {
    Expected<const PJRT_Api*> api = OpenFake(OfMinor(57 + i));
    EXPECT_TRUE(api.ok()) << api.status().ToString();
    tables.push_back(api.ok() ? *api : nullptr);
  }
  return tables;
}

// As a hardened service: pages that can be executed are refused from now on.
bool RefuseExecutableMemory() {
  const auto load = [](size_t offset) {
    return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<uint32_t>(offset)};
  };
  const auto skip_unless = [](uint16_t test, uint32_t value, uint8_t instructions) {
    return sock_filter{static_cast<uint16_t>(BPF_JMP | test | BPF_K), 0, instructions, value};
  };
  const auto skip_if = [](uint32_t value, uint8_t instructions) {
    return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, instructions, 0, value};
  };
  sock_filter filter[] = {load(offsetof(seccomp_data, nr)),
                          skip_if(SYS_mprotect, 1),
                          skip_unless(BPF_JEQ, SYS_mmap, 3),
                          load(offsetof(seccomp_data, args) + 2 * sizeof(uint64_t)),
                          skip_unless(BPF_JSET, PROT_EXEC, 1),
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EACCES},
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog program = {std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Before the next, in whose process libffi has its pages.
TEST(OpenTestEnd, SeventeenthChainWithoutExecutableMemory) {
  const std::vector<const PJRT_Api*> tables = OpenAllCompiled();
  const pid_t child = fork();
  if (child == 0) {
    if (!RefuseExecutableMemory()) _exit(2);
    const Status status = OpenFake(OfMinor(100)).status();
    const bool refused = status.code() == StatusCode::kResourceExhausted &&
                         status.ToString().find("16") != std::string::npos;
    if (!refused) std::fprintf(stderr, "%s\n", status.ToString().c_str());
    _exit(refused && !CallMissing(tables[0]).ok() ? 0 : 1);
  }
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  Fake().Make(OfMinor(117));
  EXPECT_TRUE(Open().ok()) << "a whole table needs no thunks";
}

TEST(OpenTestEnd, AnyNumberOfChains) {
  std::vector<const PJRT_Api*> tables = OpenAllCompiled();
  for (int minor = 57 + kThunkInstances; minor < 102; ++minor) {
    Expected<const PJRT_Api*> api = OpenFake(OfMinor(minor));
    ASSERT_TRUE(api.ok()) << api.status().ToString();
    tables.push_back(*api);
    // A result that is no error, and one that is.
    auto name = PLINTH_NEW_ARGS(PJRT_Client_PlatformName_Args);
    EXPECT_EQ((*api)->PJRT_Client_PlatformName(&name), nullptr);
    Fake().FailNext(PJRT_Error_Code_ABORTED, "no");
    EXPECT_EQ(TakeError((*api)->PJRT_Client_PlatformName(&name)).code(), StatusCode::kAborted);
  }
  EXPECT_EQ(Fake().LiveErrors(), 0);
  for (size_t i = 0; i < tables.size(); ++i) {
    EXPECT_THAT(CallMissing(tables[i]).ToString(), HasSubstr(StrCat("(PJRT 0.", 57 + i, ")")));
  }
}

}  // namespace
}  // namespace plinth::loader
