// SPDX-License-Identifier: Apache-2.0
// What the client does on a real plugin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>

#include "impl/client/src/plugin_test_util.h"
#include "plinth/client/client.h"
#include "plinth/client/deferred.h"
#include "plinth/client/ffi.h"
#include "plinth/client/layouts.h"
#include "plinth/client/shardings.h"
#include "plinth/support/abi_version.h"
#include "xla_ffi_c_api.h"

namespace plinth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(PluginTest, TableAndClient) {
  EXPECT_GE(api_->version().minor, 100);
  EXPECT_EQ(api_->function_count(), kPjrtFunctionCount);
  ASSERT_VALUE(auto attributes, api_->Attributes());
  EXPECT_FALSE(attributes.empty());
  ASSERT_VALUE(auto platform, client_->PlatformName());
  EXPECT_EQ(platform, "cpu");
  ASSERT_VALUE(auto id, devices_[1].Id());
  EXPECT_EQ(id, 1);
  ASSERT_VALUE(auto found, client_->LookupDevice(1));
  EXPECT_EQ(found, devices_[1]);
  EXPECT_FALSE(client_->LookupDevice(7).ok());
  ASSERT_VALUE(auto memory, devices_[0].DefaultMemory());
  ASSERT_VALUE(auto reach, memory.Devices());
  EXPECT_EQ(reach[0], devices_[0]);
  ASSERT_VALUE(auto topology, client_->Topology());
  ASSERT_VALUE(auto descriptions, topology.Devices());
  EXPECT_EQ(descriptions.size(), 2u);
  ASSERT_VALUE(auto assignment, client_->DefaultDeviceAssignment(1, 2));
  EXPECT_THAT(assignment.devices, ElementsAre(0, 1));
  EXPECT_FALSE(client_->DefaultDeviceAssignment(0, 1).ok());
}

TEST_F(PluginTest, UnknownOptionIsThePluginsError) {
  const Status status = Client::Create(*api_, Options().Set("no_such_option", 1)).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("no_such_option"));
}

TEST_F(PluginTest, EveryTypeGoesThereAndBack) {
  for (int i = 1; i < kNumDTypes; ++i) {
    const DType type = static_cast<DType>(i);
    if (type == DType::kToken) continue;
    const int64_t dims[] = {3, 5};
    ASSERT_VALUE(auto array, HostArray::Create(type, dims));
    for (size_t b = 0; b < array.byte_size(); ++b) {
      array.data()[b] = static_cast<std::byte>(b % 2);  // Valid for pred and one bit, too.
    }
    Expected<Buffer> buffer = client_->BufferFromHost(array.view(), devices_[0]);
    if (!buffer.ok()) {
      EXPECT_EQ(buffer.status().code(), StatusCode::kUnimplemented) << Name(type);
      continue;
    }
    ASSERT_VALUE(auto got_type, buffer->Type());
    EXPECT_EQ(got_type, type);
    ASSERT_VALUE(auto back, buffer->ToHost());
    EXPECT_EQ(back.byte_size(), array.byte_size());
    EXPECT_EQ(std::memcmp(back.data(), array.data(), array.byte_size()), 0) << Name(type);
  }
}

TEST_F(PluginTest, StridesBothWays) {
  const std::vector<int32_t> columns = {0, 3, 1, 4, 2, 5};
  const int64_t strides[] = {4, 8};
  ASSERT_VALUE(auto buffer,
               client_->BufferFromHost({columns.data(), DType::kS32, kDims, strides}, devices_[0]));
  ASSERT_VALUE(auto rows, buffer.ToHost());
  EXPECT_THAT(rows.elements<int32_t>(), ElementsAre(0, 1, 2, 3, 4, 5));
  // Into every other element of a larger array, backwards.
  std::vector<int32_t> wide(12, -1);
  const int64_t wide_strides[] = {-24, 8};
  ASSERT_OK(buffer.ToHost(MutableHostView{wide.data() + 6, DType::kS32, kDims, wide_strides}));
  EXPECT_THAT(wide, ElementsAre(3, -1, 4, -1, 5, -1, 0, -1, 1, -1, 2, -1));
  std::vector<int32_t> dense(6);
  ASSERT_OK(buffer.ToHost(MutableHostView{dense.data(), DType::kS32, kDims, {}}));
  EXPECT_THAT(dense, ElementsAre(0, 1, 2, 3, 4, 5));
  const int64_t wrong[] = {3, 2};
  EXPECT_EQ(buffer.ToHost(MutableHostView{dense.data(), DType::kS32, wrong, {}}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(buffer.ToHost(MutableHostView{nullptr, DType::kS32, kDims, {}}).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(PluginTest, ScalarsAndEmptyArrays) {
  const float one = 1.5f;
  ASSERT_VALUE(auto scalar, client_->BufferFromHost({&one, DType::kF32, {}, {}}, devices_[0]));
  ASSERT_VALUE(auto scalar_back, scalar.ToHost());
  EXPECT_THAT(scalar_back.elements<float>(), ElementsAre(1.5f));
  const int64_t dims[] = {0, 4};
  ASSERT_VALUE(auto empty, client_->BufferFromHost({nullptr, DType::kF32, dims, {}}, devices_[0]));
  ASSERT_VALUE(auto empty_back, empty.ToHost());
  EXPECT_THAT(empty_back.elements<float>(), IsEmpty());
  EXPECT_THAT(empty_back.dims(), ElementsAre(0, 4));
}

TEST_F(PluginTest, HostArrayIsMovedIn) {
  ASSERT_VALUE(auto array, HostArray::Create(DType::kF32, kDims));
  for (int i = 0; i < 6; ++i) array.elements<float>()[i] = static_cast<float>(i);
  ASSERT_VALUE(auto buffer, client_->BufferFromHost(std::move(array), devices_[0]));
  ASSERT_VALUE(auto back, buffer.ToHost());
  EXPECT_THAT(back.elements<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(PluginTest, ExecuteWithDonation) {
  ASSERT_VALUE(auto executable, client_->Compile(Program{kAddAndDouble}));
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  ASSERT_VALUE(auto y, FromFloats({1, 1, 1, 1, 1, 1}));
  const Buffer* arguments[] = {&x, &y};
  const int64_t keep[] = {0};
  ExecuteOptions options;
  options.non_donatable = keep;
  ASSERT_VALUE(auto kept, executable.ExecuteOne(arguments, options));
  ASSERT_VALUE(bool is_deleted, x.IsDeleted());
  EXPECT_FALSE(is_deleted);
  ASSERT_VALUE(auto outputs, executable.ExecuteOne(arguments));
  ASSERT_VALUE(is_deleted, x.IsDeleted());
  EXPECT_TRUE(is_deleted);
  ASSERT_EQ(outputs.size(), 2u);
  ASSERT_VALUE(auto sum, outputs[0].ToHost());
  EXPECT_THAT(sum.elements<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  ASSERT_VALUE(auto twice, outputs[1].ToHost());
  EXPECT_THAT(twice.elements<float>(), ElementsAre(2, 2, 2, 2, 2, 2));
  EXPECT_FALSE(executable.ExecuteOne(arguments).ok()) << "x was donated";
}

TEST_F(PluginTest, PortableProgramOnAChosenDeviceWithItsEvent) {
  CompileOptions compile_options;
  compile_options.portable = true;
  ASSERT_VALUE(auto executable, client_->Compile(Program{kAddAndDouble}, compile_options));
  const std::vector<float> values(6, 2.0f);
  ASSERT_VALUE(auto x,
               client_->BufferFromHost({values.data(), DType::kF32, kDims, {}}, devices_[1]));
  const std::vector<const Buffer*> arguments[] = {{&x, &x}};
  const int64_t keep[] = {0};
  ExecuteOptions options;
  options.non_donatable = keep;
  options.device = devices_[1];
  options.want_done_events = true;
  options.call_location = "plugin_test.cc:1";
  ASSERT_VALUE(auto result, executable.Execute(arguments, options));
  ASSERT_EQ(result.done.size(), 1u);
  ASSERT_OK(result.done[0].Await());
  ASSERT_VALUE(bool is_ready, result.done[0].IsReady());
  EXPECT_TRUE(is_ready);
  ASSERT_VALUE(auto on, result.outputs[0][0].Device());
  EXPECT_EQ(on, devices_[1]);
  ASSERT_VALUE(auto sum, result.outputs[0][0].ToHost());
  EXPECT_EQ(sum.elements<float>()[5], 4.0f);
}

TEST_F(PluginTest, CallbackOfTheReadyEvent) {
  ASSERT_VALUE(auto buffer, FromFloats({0, 1, 2, 3, 4, 5}));
  ASSERT_VALUE(auto ready, buffer.Ready());
  std::mutex mutex;
  std::condition_variable changed;
  int runs = 0;
  ASSERT_OK(ready.OnReady([&](const Status& status) {
    std::lock_guard lock(mutex);
    EXPECT_TRUE(status.ok());
    ++runs;
    changed.notify_all();
  }));
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return runs > 0; });
  EXPECT_EQ(runs, 1);
}

TEST_F(PluginTest, ErrorBufferFailsWhoeverReadsIt) {
  ASSERT_VALUE(auto memory, devices_[0].DefaultMemory());
  ASSERT_VALUE(auto buffer, client_->CreateError(Status(StatusCode::kDataLoss, "gone"),
                                                 {DType::kF32, {2, 3}}, memory));
  EXPECT_EQ(buffer.Await().code(), StatusCode::kDataLoss);
  const Status status = buffer.ToHost().status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("gone"));
}

TEST_F(PluginTest, CompileErrorsAndWhatIsKnownOfAProgram) {
  const Status status = client_->Compile(Program{"no program"}).status();
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(client_->Compile(Program{kAddAndDouble, "fortran"}).ok());
  ASSERT_VALUE(auto loaded, client_->Compile(Program{kAddAndDouble}));
  const Executable& executable = loaded.executable();
  ASSERT_VALUE(auto name, executable.Name());
  EXPECT_EQ(name, "add_and_double");
  ASSERT_VALUE(auto outputs, executable.Outputs());
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].type, DType::kF32);
  EXPECT_THAT(outputs[1].dims, ElementsAre(2, 3));
  ASSERT_VALUE(auto cost, executable.CostAnalysis());
  EXPECT_FALSE(cost.empty());
  ASSERT_VALUE(auto memory, executable.MemoryStats());
  EXPECT_EQ(memory.arguments, 48);
  EXPECT_EQ(memory.outputs, 48);
  EXPECT_EQ(memory.aliases, 24);
  ASSERT_VALUE(auto kinds, executable.OutputMemoryKinds());
  EXPECT_EQ(kinds.size(), 2u);
  ASSERT_VALUE(auto layouts, OutputLayoutTexts(executable));
  EXPECT_THAT(layouts, ElementsAre("{1,0}", "{1,0}"));
  ASSERT_VALUE(auto fingerprint, executable.Fingerprint());
  EXPECT_FALSE(fingerprint.empty());
}

TEST_F(PluginTest, SerializeAndLoadAgain) {
  std::string bytes;
  {
    ASSERT_VALUE(auto loaded, client_->Compile(Program{kAddAndDouble}));
    ASSERT_VALUE(bytes, loaded.executable().Serialize());
  }
  ASSERT_VALUE(auto again, client_->DeserializeAndLoad(bytes));
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  ASSERT_VALUE(auto y, FromFloats({1, 1, 1, 1, 1, 1}));
  const Buffer* arguments[] = {&x, &y};
  ASSERT_VALUE(auto outputs, again.ExecuteOne(arguments));
  ASSERT_VALUE(auto sum, outputs[0].ToHost());
  EXPECT_THAT(sum.elements<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  bytes.resize(bytes.size() / 2);
  EXPECT_FALSE(client_->DeserializeAndLoad(bytes).ok());
}

TEST_F(PluginTest, TransferManagerFillsBuffersPieceByPiece) {
  ASSERT_VALUE(auto memory, devices_[0].DefaultMemory());
  const Shape shapes[] = {{DType::kF32, {4}}, {DType::kS32, {1}}};
  ASSERT_VALUE(auto manager, client_->CreateBuffersForTransfer(shapes, memory));
  ASSERT_VALUE(auto count, manager.BufferCount());
  EXPECT_EQ(count, 2u);
  ASSERT_VALUE(auto first, manager.RetrieveBuffer(0));
  ASSERT_VALUE(auto second, manager.RetrieveBuffer(1));
  const float values[] = {1, 2, 3, 4};
  ASSERT_VALUE(auto half, manager.TransferData(0, values, 0, 8, false));
  ASSERT_OK(half.Await());
  ASSERT_VALUE(auto rest, manager.TransferData(0, values + 2, 8, 8, true));
  ASSERT_OK(rest.Await());
  ASSERT_OK(manager.SetBufferError(1, Status(StatusCode::kAborted, "not today")));
  ASSERT_VALUE(auto back, first.ToHost());
  EXPECT_THAT(back.elements<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(second.Await().code(), StatusCode::kAborted);
}

TEST_F(PluginTest, BuffersAndExecutablesOutliveTheClientObject) {
  ASSERT_VALUE(auto executable, client_->Compile(Program{kAddAndDouble}));
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  client_.reset();
  const Buffer* arguments[] = {&x, &x};
  ExecuteOptions options;
  const int64_t keep[] = {0};
  options.non_donatable = keep;
  ASSERT_VALUE(auto outputs, executable.ExecuteOne(arguments, options));
  ASSERT_VALUE(auto sum, outputs[0].ToHost());
  EXPECT_THAT(sum.elements<float>(), ElementsAre(0, 2, 4, 6, 8, 10));
}

TEST_F(PluginTest, CopiesAndReferences) {
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  ASSERT_VALUE(auto copy, x.CopyToDevice(devices_[1]));
  ASSERT_VALUE(auto on, copy.Device());
  EXPECT_EQ(on, devices_[1]);
  {
    ASSERT_VALUE(auto reference, x.AddExternalReference());
    ASSERT_OK(x.Await());
    EXPECT_EQ(static_cast<const float*>(reference.data())[5], 5.0f);
  }
  float raw[2];
  ASSERT_VALUE(auto event, x.CopyRawToHost(raw, 8, 8));
  ASSERT_OK(event.Await());
  EXPECT_THAT(raw, ElementsAre(2, 3));
  ASSERT_OK(x.Delete());
  ASSERT_VALUE(bool is_deleted, x.IsDeleted());
  EXPECT_TRUE(is_deleted);
  EXPECT_FALSE(x.ToHost().ok());
  ASSERT_VALUE(auto back, copy.ToHost());
  EXPECT_THAT(back.elements<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(PluginTest, AliasIsReadyWhenItsTargetIsNamed) {
  ASSERT_VALUE(auto memory, devices_[0].DefaultMemory());
  ASSERT_VALUE(auto alias, CreateAlias(*client_, {DType::kF32, {2, 3}}, memory));
  ASSERT_VALUE(auto ready, alias.buffer.Ready());
  ASSERT_VALUE(bool is_ready, ready.IsReady());
  EXPECT_FALSE(is_ready);
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  ASSERT_OK(alias.target.Set(&x));
  ASSERT_VALUE(auto back, alias.buffer.ToHost());
  EXPECT_THAT(back.elements<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(alias.target.Set(&x).code(), StatusCode::kFailedPrecondition);
}

TEST_F(PluginTest, PromiseThatIsDroppedFailsWhoWaits) {
  ASSERT_VALUE(auto memory, devices_[0].DefaultMemory());
  std::optional<Buffer> buffer;
  {
    ASSERT_VALUE(auto alias, CreateAlias(*client_, {DType::kF32, {2, 3}}, memory));
    buffer.emplace(std::move(alias.buffer));
  }
  EXPECT_EQ(buffer->Await().code(), StatusCode::kCancelled);
}

TEST_F(PluginTest, RawCopyToADestinationNamedLater) {
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  ASSERT_VALUE(auto copy, CopyRawToHostLater(x, 8, 8));
  float values[2] = {};
  ASSERT_OK(copy.destination.Set(values));
  ASSERT_OK(copy.done.Await());
  EXPECT_THAT(values, ElementsAre(2, 3));
  ASSERT_VALUE(auto failed, CopyRawToHostLater(x, 0, 4));
  ASSERT_OK(failed.destination.Fail(Status(StatusCode::kAborted, "no room")));
  EXPECT_EQ(failed.done.Await().code(), StatusCode::kAborted);
}

TEST_F(PluginTest, DonationThatWaitsForItsDependency) {
  ASSERT_VALUE(auto x, FromFloats({0, 1, 2, 3, 4, 5}));
  Expected<ControlledDonation> donation = DonateWithControlDependency(x);
  if (!donation.ok()) {
    EXPECT_EQ(donation.status().code(), StatusCode::kUnimplemented);
    return;
  }
  ASSERT_OK(donation->dependency.Set(true));
  ASSERT_VALUE(auto back, donation->buffer.ToHost());
  EXPECT_THAT(back.elements<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(PluginTest, ViewTellsWhenTheMemoryIsFree) {
  alignas(64) float values[] = {1, 2, 3, 4};
  bool is_free = false;
  {
    ASSERT_VALUE(auto view, client_->CreateView(values, {DType::kF32, {4}}, devices_[0],
                                                [&] { is_free = true; }));
    ASSERT_VALUE(auto back, view.ToHost());
    EXPECT_THAT(back.elements<float>(), ElementsAre(1, 2, 3, 4));
    EXPECT_FALSE(is_free);
  }
  EXPECT_TRUE(is_free);
}

TEST_F(PluginTest, ShardingsOfAProgramOnOneDevice) {
  ASSERT_VALUE(const LoadedExecutable program, client_->Compile(Program{kAddAndDouble}));
  ASSERT_VALUE(const std::vector<std::string> parameters, ParameterShardings(program.executable()));
  ASSERT_VALUE(const std::vector<std::string> outputs, OutputShardings(program.executable()));
  // Unknown, or one for each.
  EXPECT_TRUE(parameters.empty() || parameters.size() == 2u);
  EXPECT_TRUE(outputs.empty() || outputs.size() == 2u);
}

// Writes what the execution carries, an int32_t of the type whose id the call names.
XLA_FFI_Error* WriteCarried(XLA_FFI_CallFrame* frame) {
  for (XLA_FFI_InternalExtension* node = frame->extension_start; node != nullptr;
       node = node->next) {
    if (node->type != XLA_FFI_Extension_Metadata) continue;
    XLA_FFI_Metadata* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(node)->metadata;
    metadata->api_version.major_version = 0;
    metadata->api_version.minor_version = 3;
    return nullptr;
  }
  XLA_FFI_TypeId id = {
      *static_cast<const int64_t*>(static_cast<XLA_FFI_Buffer*>(frame->args.args[0])->data)};
  XLA_FFI_InvokeContext_Get_Args get = {};
  get.struct_size = XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE;
  get.ctx = frame->ctx;
  get.type_id = &id;
  if (XLA_FFI_Error* error = frame->api->XLA_FFI_InvokeContext_Get(&get)) return error;
  *static_cast<int32_t*>(static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0])->data) =
      *static_cast<const int32_t*>(get.data);
  return nullptr;
}

TEST_F(PluginTest, DataThatAnExecutionCarriesToItsHandlers) {
  void* handler = reinterpret_cast<void*>(WriteCarried);
  ASSERT_OK(RegisterFfiHandler(*api_, "client_test.carried", handler, "Host"));
  ASSERT_OK(RegisterFfiHandler(*api_, "client_test.carried", handler, "Host"));  // the same again
  int other = 0;
  EXPECT_EQ(RegisterFfiHandler(*api_, "", handler, "Host").code(), StatusCode::kInvalidArgument);
  ASSERT_VALUE(const int64_t type, RegisterFfiType(*api_, "client_test.type"));
  ASSERT_VALUE(const int64_t again, RegisterFfiType(*api_, "client_test.type"));
  EXPECT_EQ(type, again);
  ASSERT_VALUE(const LoadedExecutable program, client_->Compile(Program{R"(
module @carried {
  func.func public @main(%id: tensor<i64>) -> tensor<i32> {
    %0 = stablehlo.custom_call @client_test.carried(%id)
        {api_version = 4 : i32, backend_config = {}} : (tensor<i64>) -> tensor<i32>
    return %0 : tensor<i32>
  }
})"}));
  ASSERT_VALUE(const Buffer id, client_->BufferFromHost({&type, DType::kS64, {}, {}}, devices_[0]));
  const Buffer* arguments[] = {&id};
  for (int32_t carried : {41, -7}) {
    ASSERT_VALUE(ExecuteContext context, ExecuteContext::Create(*api_));
    ASSERT_OK(context.Add(type, &carried));
    EXPECT_EQ(context.Add(type, &other).code(), StatusCode::kAlreadyExists);
    ExecuteOptions options;
    options.context = &context;
    ASSERT_VALUE(const std::vector<Buffer> outputs, program.ExecuteOne(arguments, options));
    ASSERT_VALUE(const HostArray result, outputs[0].ToHost());
    EXPECT_EQ(*static_cast<const int32_t*>(result.view().data), carried);
  }
  // Without data of that type the handler's error is the execution's, at once or in the output.
  const Expected<std::vector<Buffer>> none = program.ExecuteOne(arguments);
  EXPECT_FALSE(none.ok() && (*none)[0].ToHost().ok());
}

// A client of before the Shardings extension (JAX through 0.9.0, PyTorch/XLA) reads shardings in
// the optimized program, and as HLO alone. One that has asked the extension gets the program's
// text.
TEST_F(PluginTest, OptimizedProgramForClientsOldAndNew) {
  constexpr std::string_view kSharded = R"(
module @sharded attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"})
      -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";
  CompileOptions options;
  options.num_partitions = 2;
  options.use_spmd_partitioning = true;
  ASSERT_VALUE(const LoadedExecutable of_old, client_->Compile(Program{kSharded}, options));
  ASSERT_VALUE(const LoadedExecutable of_new, client_->Compile(Program{kSharded}, options));
  ASSERT_VALUE(const std::vector<std::string> outputs, OutputShardings(of_new.executable()));
  ASSERT_EQ(outputs.size(), 1u);
  ASSERT_VALUE(const auto text, of_new.executable().OptimizedProgram());
  EXPECT_EQ(text.format, "mlir");
  EXPECT_THAT(text.code, HasSubstr("tensor<2xf32>"));
  ASSERT_VALUE(const auto outline, of_old.executable().OptimizedProgram());
  EXPECT_EQ(outline.format, "hlo_with_config");
  // Of one device, both get what was compiled.
  ASSERT_VALUE(const LoadedExecutable alone, client_->Compile(Program{kAddAndDouble}));
  ASSERT_VALUE(const auto same, alone.executable().OptimizedProgram());
  EXPECT_EQ(same.format, "mlir");
}

}  // namespace
}  // namespace plinth::client
