// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/replay.h"

#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/replay/args_builder.h"
#include "impl/layers/replay/capture_reader.h"
#include "impl/layers/test_client.h"
#include "impl/layers/trace/trace_layer.h"

namespace plinth::layers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fn = reflection::function;

std::string TempPath(std::string_view name) {
  return StrCat(testing::TempDir(), "/plinth_replay_test.", getpid(), ".", name);
}

const PJRT_Api* Plugin() {
  static const PJRT_Api* api = TestChain::Open(PLINTH_TEST_PLUGIN);
  return api;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void Use(TestChain& chain, const std::string& options) {
  Expected<std::unique_ptr<Layer>> layer = CreateTraceLayer(chain.Context(options));
  ASSERT_TRUE(layer.ok()) << layer.status().ToString();
  chain.Use(*std::move(layer));
}

// A run with everything that is to be replayed; its arrays are large enough to have parts.
void RunCaptured(const std::string& options) {
  TestChain chain(Plugin());
  Use(chain, options);
  TestClient client(chain);
  PJRT_LoadedExecutable* affine = client.Compile(kAffineProgram);
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y(6);
  // Transposed, and backwards in one dimension.
  PJRT_Buffer* input = client.FromHost(PJRT_Buffer_Type_F32, x.data() + 1, {2, 3}, {-4, 8});
  std::vector<PJRT_Buffer*> outputs = client.Execute(affine, {input}, 1);
  client.ToHost(outputs[0], y.data(), 24);
  EXPECT_THAT(y, ElementsAre(5, 9, 13, 3, 7, 11));
  std::vector<PJRT_Buffer*> unread = client.Execute(affine, {outputs[0]}, 1, false);
  std::vector<int64_t> large(200000);
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<int64_t>(i * i);
  PJRT_Buffer* large_buffer =
      client.FromHost(PJRT_Buffer_Type_S64, large.data(), {static_cast<int64_t>(large.size())});
  client.ToHost(large_buffer, large.data(), large.size() * 8);
  auto pointer = MakeArgs<PJRT_Buffer_UnsafePointer_Args>();
  pointer.buffer = input;
  client.Ok(pointer);
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = input;
  client.Ok(dims);
  auto bad = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  EXPECT_FALSE(client.Call(bad).ok());
  client.Destroy(input);
  client.Destroy(large_buffer);
  client.Destroy(outputs[0]);
  client.Destroy(unread[0]);
  client.Destroy(affine);
}

ReplayReport ReplayOk(const ReplayOptions& options, const PJRT_Api* api) {
  ReplayReport report;
  Status status = Replay(options, api, &report);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return report;
}

TEST(ReplayTest, ARunIsRepeated) {
  std::string path = TempPath("run");
  RunCaptured("capture=" + path);
  ReplayOptions options;
  options.path = path;
  uint64_t progress = 0;
  options.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_LE(done, total);
    progress = done;
  };
  ReplayReport report = ReplayOk(options, Plugin());
  EXPECT_FALSE(report.first) << report.first->ToString();
  EXPECT_EQ(report.divergences, 0u);
  // One that the client read, one that it took a pointer to, and the large one.
  EXPECT_EQ(report.outputs_compared, 3u);
  EXPECT_EQ(report.bytes_compared, 24u + 24u + 1600000u);
  EXPECT_GT(report.replayed, 10u);
  EXPECT_FALSE(report.truncated);
  EXPECT_EQ(progress, std::filesystem::file_size(path));
  EXPECT_THAT(report.notes, testing::IsEmpty());
  std::filesystem::remove(path);
}

// An array that comes in whole, into a buffer that is there before it.
void RunTransfer(const std::string& options) {
  TestChain chain(Plugin());
  Use(chain, options);
  TestClient client(chain);
  const int64_t dims[] = {2, 2};
  PJRT_ShapeSpec spec = {};
  spec.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
  spec.dims = dims;
  spec.num_dims = 2;
  spec.element_type = PJRT_Buffer_Type_S32;
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = client.device();
  client.Ok(memory);
  auto create = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  create.client = client.client();
  create.shape_specs = &spec;
  create.num_shape_specs = 1;
  create.memory = memory.memory;
  client.Ok(create);
  int32_t array[] = {1, -2, 3, 4};
  auto transfer = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
  transfer.transfer_manager = create.transfer_manager;
  transfer.data = array;
  transfer.shape_dims = dims;
  transfer.shape_num_dims = 2;
  transfer.shape_element_type = PJRT_Buffer_Type_S32;
  client.Ok(transfer);
  client.Await(transfer.done_with_h2d_transfer);
  std::fill(std::begin(array), std::end(array), 0);
  auto retrieve = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  retrieve.transfer_manager = create.transfer_manager;
  client.Ok(retrieve);
  client.ToHost(retrieve.buffer_out, array, sizeof(array));
  EXPECT_THAT(array, ElementsAre(1, -2, 3, 4));
  auto destroy = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
  destroy.transfer_manager = create.transfer_manager;
  client.Ok(destroy);
  client.Destroy(retrieve.buffer_out);
}

TEST(ReplayTest, LiteralsAreTransferredAgain) {
  std::string path = TempPath("literal");
  RunTransfer("capture=" + path);
  ReplayOptions options;
  options.path = path;
  ReplayReport report = ReplayOk(options, Plugin());
  EXPECT_EQ(report.divergences, 0u);
  EXPECT_EQ(report.outputs_compared, 1u);
  EXPECT_EQ(report.bytes_compared, 16u);
  EXPECT_THAT(report.notes, testing::IsEmpty());
  std::filesystem::remove(path);
}

TEST(ReplayTest, AllOutputs) {
  std::string path = TempPath("all");
  RunCaptured("outputs=all,capture=" + path);
  ReplayOptions options;
  options.path = path;
  EXPECT_EQ(ReplayOk(options, Plugin()).outputs_compared, 4u);
  RunCaptured("outputs=none,capture=" + path);
  EXPECT_EQ(ReplayOk(options, Plugin()).outputs_compared, 0u);
  std::filesystem::remove(path);
}

// Asks for contents before it brings them in, on the way that `through` says.
void RunAhead(const std::string& options, std::string_view through) {
  TestChain chain(Plugin());
  Use(chain, options);
  TestClient client(chain);
  const int64_t dims[] = {2, 3};
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = client.device();
  client.Ok(memory);
  float array[] = {1, 2, 3, 4, 5, 6};
  PJRT_Buffer* later = nullptr;
  auto alias = MakeArgs<PJRT_Client_CreateAliasBuffer_Args>();
  auto create = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  if (through == "alias") {
    alias.client = client.client();
    alias.memory = memory.memory;
    alias.shape_dims = dims;
    alias.shape_num_dims = 2;
    alias.shape_element_type = PJRT_Buffer_Type_F32;
    client.Ok(alias);
    later = alias.alias_buffer;
  } else {
    auto spec = MakeArgs<PJRT_ShapeSpec>();
    spec.dims = dims;
    spec.num_dims = 2;
    spec.element_type = PJRT_Buffer_Type_F32;
    create.client = client.client();
    create.shape_specs = &spec;
    create.num_shape_specs = 1;
    create.memory = memory.memory;
    client.Ok(create);
    auto retrieve = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    retrieve.transfer_manager = create.transfer_manager;
    client.Ok(retrieve);
    later = retrieve.buffer_out;
  }
  PJRT_LoadedExecutable* affine = client.Compile(kAffineProgram);
  PJRT_Buffer* output = client.Execute(affine, {later}, 1, false)[0];
  float read[6] = {}, result[6] = {};
  auto to_host = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  to_host.src = later;
  to_host.dst = read;
  to_host.dst_size = sizeof(read);
  client.Ok(to_host);
  // Which comes back during the call below, or a moment before it.
  std::thread waits([&] { client.Await(to_host.event); });
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = output;
  client.Ok(ready);
  std::thread waits_too([&] { client.Await(ready.event); });
  if (through == "alias") {
    PJRT_Buffer* buffer = client.FromHost(PJRT_Buffer_Type_F32, array, {2, 3});
    auto fulfill = MakeArgs<PJRT_Client_FulfillAliasBuffer_Args>();
    fulfill.client = client.client();
    fulfill.buffer = buffer;
    fulfill.fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb;
    client.Ok(fulfill);
    client.Destroy(buffer);
  } else {
    auto transfer = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    transfer.transfer_manager = create.transfer_manager;
    transfer.data = array;
    transfer.transfer_size = sizeof(array);
    transfer.is_last_transfer = true;
    client.Ok(transfer);
    client.Await(transfer.done_with_h2d_transfer);
  }
  waits.join();
  waits_too.join();
  client.ToHost(output, result, sizeof(result));
  EXPECT_THAT(read, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(result, ElementsAre(3, 5, 7, 9, 11, 13));
  if (create.transfer_manager != nullptr) {
    auto destroy = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
    destroy.transfer_manager = create.transfer_manager;
    client.Ok(destroy);
  }
  client.Destroy(later);
  client.Destroy(output);
  client.Destroy(affine);
}

TEST(ReplayTest, WhatIsReadBeforeItIsThereIsWaitedForLater) {
  std::string path = TempPath("ahead");
  for (std::string_view through : {"transfer", "alias"}) {
    for (std::string_view outputs : {"", "outputs=all,"}) {
      SCOPED_TRACE(StrCat(through, outputs));
      RunAhead(StrCat(outputs, "capture=", path), through);
      ReplayOptions options;
      options.path = path;
      options.wait_seconds = 10;
      ReplayReport report = ReplayOk(options, Plugin());
      EXPECT_FALSE(report.first) << report.first->ToString();
      EXPECT_EQ(report.outputs_compared, 2u);
    }
  }
  std::filesystem::remove(path);
}

TEST(ReplayTest, AWaitHasAnEnd) {
  std::string path = TempPath("end");
  RunCaptured("capture=" + path);
  static PJRT_Api api = *Plugin();
  api.PJRT_Event_IsReady = [](PJRT_Event_IsReady_Args* args) -> PJRT_Error* {
    args->is_ready = false;
    return nullptr;
  };
  ReplayOptions options;
  options.path = path;
  options.wait_seconds = 0.05;
  ReplayReport report;
  EXPECT_EQ(Replay(options, &api, &report).code(), StatusCode::kDeadlineExceeded);
  std::filesystem::remove(path);
}

TEST(ReplayTest, AnArrayWithoutElementsNeedsNoMemory) {
  std::string path = TempPath("no_elements");
  {
    TestChain chain(Plugin());
    Use(chain, "capture=" + path);
    TestClient client(chain);
    PJRT_Buffer* buffer = client.FromHost(PJRT_Buffer_Type_F32, nullptr, {0, 3});
    auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
    dims.buffer = buffer;
    client.Ok(dims);
    client.Destroy(buffer);
  }
  ReplayOptions options;
  options.path = path;
  ReplayReport report = ReplayOk(options, Plugin());
  EXPECT_FALSE(report.first) << report.first->ToString();
  EXPECT_THAT(report.notes, testing::IsEmpty());
  std::filesystem::remove(path);
}

// A file of these records.
void WriteCapture(const std::string& path, const std::vector<std::string>& payloads) {
  std::string records;
  auto append = [](std::string& out, uint32_t value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  for (const std::string& payload : payloads) {
    append(records, static_cast<uint32_t>(payload.size()));
    append(records, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(payload.data()),
                                                static_cast<uInt>(payload.size()))));
    records += payload;
  }
  std::string file(capture::kMagic);
  auto size = static_cast<uint32_t>(records.size());
  for (uint32_t number : {capture::kVersion, 0u, capture::kLive, size, size, 0u}) {
    append(file, number);
  }
  WriteFile(path, file + records);
}

TEST(ReplayTest, WhatACaptureSaysItLostIsNotKeptWithoutBound) {
  std::string path = TempPath("lost");
  std::vector<std::string> payloads;
  for (int i = 0; i < 300; ++i) {
    capture::Writer record;
    record.Byte(static_cast<uint8_t>(capture::RecordType::kLost));
    record.Text(StrCat(i / 2, std::string(2000, 'x')));
    payloads.push_back(record.out());
  }
  WriteCapture(path, payloads);
  ReplayOptions options;
  options.path = path;
  ReplayReport report = ReplayOk(options, Plugin());
  EXPECT_EQ(report.notes.size(), 100u);
  EXPECT_LT(report.notes[0].size(), 300u);
  // Contents without any bytes.
  payloads.clear();
  for (uint64_t i = 1; i <= 70'000; ++i) {
    capture::Writer record;
    record.Byte(static_cast<uint8_t>(capture::RecordType::kBlobPart));
    record.Varint(i);
    payloads.push_back(record.out());
  }
  WriteCapture(path, payloads);
  EXPECT_EQ(Replay(options, Plugin(), &report).code(), StatusCode::kResourceExhausted);
  std::filesystem::remove(path);
}

// The plugin with one wrong function.
const PJRT_Api* WrongPlugin() {
  static PJRT_Api api = *Plugin();
  api.PJRT_Buffer_ToHostBuffer = [](PJRT_Buffer_ToHostBuffer_Args* args) {
    PJRT_Error* error = Plugin()->PJRT_Buffer_ToHostBuffer(args);
    if (error != nullptr || args->dst == nullptr) return error;
    // The CPU plugin's copies of small arrays are there at once.
    if (args->dst_size == 24) static_cast<float*>(args->dst)[4] += 1;
    return error;
  };
  return &api;
}

TEST(ReplayTest, TheFirstDivergenceIsTold) {
  std::string path = TempPath("wrong");
  RunCaptured("capture=" + path);
  ReplayOptions options;
  options.path = path;
  ReplayReport report = ReplayOk(options, WrongPlugin());
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.divergences, 1u);
  EXPECT_THAT(report.first->output, HasSubstr("f32[2,3]"));
  EXPECT_EQ(report.first->function, "PJRT_LoadedExecutable_Execute");
  EXPECT_THAT(report.first->output, HasSubstr("output 0 of device 0"));
  EXPECT_THAT(report.first->index, ElementsAre(1, 1));
  EXPECT_EQ(report.first->got, "8");
  EXPECT_EQ(report.first->wanted, "7");
  EXPECT_EQ(report.first->elements_different, 1u);
  EXPECT_THAT(report.first->ToString(), HasSubstr("element [1, 1]: got 8, wanted 7"));
  options.keep_going = true;
  report = ReplayOk(options, WrongPlugin());
  EXPECT_EQ(report.divergences, 2u);
  EXPECT_EQ(report.outputs_compared, 3u);
  options.absolute_tolerance = 2;
  EXPECT_EQ(ReplayOk(options, WrongPlugin()).divergences, 0u);
  std::filesystem::remove(path);
}

TEST(ReplayTest, AProgramThatThePluginRefuses) {
  std::string path = TempPath("refused");
  RunCaptured("capture=" + path);
  static PJRT_Api api = *Plugin();
  api.PJRT_Client_Compile = [](PJRT_Client_Compile_Args*) {
    return MakeError(Unimplemented("no compiler here"));
  };
  ReplayOptions options;
  options.path = path;
  ReplayReport report = ReplayOk(options, &api);
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->function, "PJRT_Client_Compile");
  EXPECT_THAT(report.first->got, HasSubstr("no compiler here"));
  options.keep_going = true;
  report = ReplayOk(options, &api);
  // What depends on it cannot be compared, and says so.
  EXPECT_GE(report.divergences, 3u);
  // A table that ends early is as good as functions that are not there.
  api.struct_size = offsetof(PJRT_Api, PJRT_Client_Compile);
  EXPECT_EQ(ReplayOk(options, &api).first->function, "PJRT_Client_Compile");
  std::filesystem::remove(path);
}

TEST(ReplayTest, WhatSucceedsHereAloneIsFreed) {
  std::string path = TempPath("alone");
  static PJRT_Api refuses = *Plugin(), counts = *Plugin();
  refuses.PJRT_Client_CreateErrorBuffer = [](PJRT_Client_CreateErrorBuffer_Args*) {
    return MakeError(Unimplemented("not here"));
  };
  {
    TestChain chain(&refuses);
    Use(chain, "capture=" + path);
    TestClient client(chain);
    int64_t dims[] = {4};
    auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
    memory.device = client.device();
    client.Ok(memory);
    auto create = MakeArgs<PJRT_Client_CreateErrorBuffer_Args>();
    create.client = client.client();
    create.error_code = PJRT_Error_Code_INTERNAL;
    create.shape_dims = dims;
    create.shape_num_dims = 1;
    create.shape_element_type = PJRT_Buffer_Type_F32;
    create.memory = memory.memory;
    EXPECT_FALSE(client.Call(create).ok());
  }
  static int freed;
  freed = 0;
  counts.PJRT_Buffer_Destroy = [](PJRT_Buffer_Destroy_Args* args) {
    ++freed;
    return Plugin()->PJRT_Buffer_Destroy(args);
  };
  ReplayOptions options;
  options.path = path;
  options.keep_going = true;
  EXPECT_EQ(ReplayOk(options, &counts).divergences, 1u);
  EXPECT_EQ(freed, 1);
  std::filesystem::remove(path);
}

TEST(ReplayTest, AListThatTheCaptureLeavesOutIsNotAnEmptyOne) {
  const reflection::Struct& structure =
      reflection::Get(reflection::structure::kPJRT_Client_BufferFromHostBuffer_Args);
  CapturedField dims;
  dims.offset = reflection::FindField(structure, "dims")->offset;
  dims.value.tag = capture::Tag::kOpaque;
  HandleMap handles;
  EXPECT_EQ(ArgsBuilder(handles).Build(structure, {dims}).status().code(),
            StatusCode::kUnimplemented);
}

TEST(ReplayTest, AKilledRunIsReplayedUpToItsEnd) {
  std::string path = TempPath("killed"), copy = TempPath("copy");
  TestChain chain(Plugin());
  Use(chain, "capture=" + path);
  {
    TestClient client(chain);
    float x = 3;
    PJRT_Buffer* input = client.FromHost(PJRT_Buffer_Type_F32, &x, {});
    client.ToHost(input, &x, 4);
    std::filesystem::copy(path, copy, std::filesystem::copy_options::overwrite_existing);
    client.Destroy(input);
  }
  ReplayOptions options;
  options.path = copy;
  ReplayReport report = ReplayOk(options, Plugin());
  EXPECT_TRUE(report.truncated);
  EXPECT_EQ(report.outputs_compared, 1u);
  options.path = path;
  EXPECT_FALSE(ReplayOk(options, Plugin()).truncated);
  EXPECT_LT(std::filesystem::file_size(path), 20000u);
  std::filesystem::remove(path);
  std::filesystem::remove(copy);
}

// A plugin that takes everything and does nothing, for files that nobody wrote.
const PJRT_Api* EmptyPlugin() {
  static PJRT_Api api = *Plugin();
  return &api;
}

TEST(ReplayTest, BrokenFilesAreErrors) {
  std::string path = TempPath("broken");
  RunCaptured("capture=" + path);
  std::string good = ReadFile(path);
  ReplayOptions options;
  options.path = path;
  const ReplayReport whole = ReplayOk(options, EmptyPlugin());
  ReplayReport report;
  auto replay = [&](std::string_view bytes) {
    WriteFile(path, bytes);
    return Replay(options, EmptyPlugin(), &report);
  };
  EXPECT_THAT(replay("").message(), HasSubstr("is no capture"));
  EXPECT_THAT(replay("something else, long enough").message(), HasSubstr("is no capture"));
  std::string version = good;
  version[8] = 9;
  EXPECT_THAT(replay(version).message(), HasSubstr("version 9"));
  EXPECT_TRUE(replay(good.substr(0, 16)).ok());
  EXPECT_THAT(replay(good.substr(0, 20)).message(), HasSubstr("head of a frame"));
  EXPECT_THAT(replay(good.substr(0, good.size() - 1)).message(), HasSubstr("ends within a frame"));
  std::string sizes = good;
  sizes[24 + 3] = 0x7F;
  EXPECT_THAT(replay(sizes).message(), HasSubstr("impossible"));
  for (size_t i = 32; i < good.size(); i += 1 + good.size() / 50) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    // A bit without a meaning, such as those after the last block of a frame, changes nothing.
    if (!replay(flipped).ok()) continue;
    EXPECT_EQ(report.calls, whole.calls) << i;
    EXPECT_EQ(report.bytes_compared, whole.bytes_compared) << i;
    EXPECT_EQ(report.divergences, 0u) << i;
  }
  WriteFile(path, good);
  options.memory_limit = 100000;
  Status status = Replay(options, EmptyPlugin(), &report);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  options.path = "/nowhere/at/all";
  EXPECT_EQ(Replay(options, EmptyPlugin(), &report).code(), StatusCode::kNotFound);
  options.path = "/dev/zero";
  EXPECT_EQ(Replay(options, EmptyPlugin(), &report).code(), StatusCode::kInvalidArgument);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace plinth::layers
