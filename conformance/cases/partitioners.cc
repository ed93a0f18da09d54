// SPDX-License-Identifier: Apache-2.0
// L3: what is registered to partition custom calls is asked to, and stays alive for it.

#include <atomic>
#include <memory>

#include "conformance/cases/cases.h"
#include "conformance/cases/extension_calls.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/stored_programs.h"
#include "pjrt_c_api_custom_partitioner_extension.h"

namespace plinth::conformance {
namespace partitioners {
namespace {

using Text = JAX_CustomCallPartitioner_string;

// Callbacks as they are registered, and what happened to them. They are the plugin's for the life
// of the process.
struct Partitioner {
  JAX_CustomCallPartitioner_Callbacks callbacks = {};
  std::atomic<int> calls = 0, freed = 0, calls_after_free = 0;
};

Partitioner& Of(JAX_CustomCallPartitioner_Callbacks* callbacks) {
  return *static_cast<Partitioner*>(callbacks->private_data);
}

void Count(JAX_CustomCallPartitioner_Callbacks* callbacks) {
  Partitioner& self = Of(callbacks);
  ++self.calls;
  if (self.freed > 0) ++self.calls_after_free;
}

void Succeed(JAX_CustomCallPartitioner_version_and_error& header) {
  header.has_error = false;
  header.data = nullptr;
  header.cleanup_fn = nullptr;
}

// Each part is what the whole is: twice its argument.
constexpr std::string_view kPart =
    "module @part {\n"
    "  func.func public @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
    "    %0 = stablehlo.add %arg0, %arg0 : tensor<2x2xf32>\n"
    "    return %0 : tensor<2x2xf32>\n"
    "  }\n"
    "}\n";

Partitioner* NewPartitioner() {
  auto* made = new Partitioner;
  JAX_CustomCallPartitioner_Callbacks& callbacks = made->callbacks;
  callbacks.version = 1;
  callbacks.private_data = made;
  callbacks.dtor = [](JAX_CustomCallPartitioner_Callbacks* self) { ++Of(self).freed; };
  callbacks.partition = [](JAX_CustomCallPartitioner_Callbacks* self,
                           JAX_CustomCallPartitioner_Partition_Args* args) {
    Count(self);
    Succeed(args->header);
    auto* shardings = new std::vector<Text>;
    for (size_t i = 0; i < args->num_args; ++i) shardings->push_back(args->op_args[i].sharding);
    args->mlir_module = {kPart.data(), kPart.size()};
    args->args_sharding = shardings->data();
    args->result_sharding = args->op_result.sharding;
    args->header.data = shardings;
    args->header.cleanup_fn = [](void* data) { delete static_cast<std::vector<Text>*>(data); };
  };
  callbacks.infer_sharding = [](JAX_CustomCallPartitioner_Callbacks* self,
                                JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args) {
    Count(self);
    Succeed(args->header);
    args->has_result_sharding = args->num_args > 0 && args->op_args[0].has_sharding;
    if (args->has_result_sharding) args->result_sharding = args->op_args[0].sharding;
  };
  callbacks.propagate_user_sharding =
      [](JAX_CustomCallPartitioner_Callbacks* self,
         JAX_CustomCallPartitioner_PropagateUserSharding_Args* args) {
        Count(self);
        Succeed(args->header);
      };
  return made;
}

// Null where the plugin refuses, with a finding unless it may lack the function.
Partitioner* Register(Context& context, std::string_view name) {
  Partitioner* made = NewPartitioner();
  std::string longer = StrCat(name, "X");  // names need not end with NUL
  PJRT_Register_Custom_Partitioner_Args args = {};
  args.name = longer.data();
  args.name_size = name.size();
  args.callbacks = &made->callbacks;
  if (!AskExtension(context, "PJRT_Register_Custom_Partitioner", args)) return nullptr;
  return made;
}

void Partitioners(Context& context) {
  if (!HasExtension(context, "PJRT_Register_Custom_Partitioner"))
    return context.Unsupported("no extension Custom_Partitioner");
  std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  const StoredVersion* version = VersionFor(StablehloRangeOf(context.plugin()));
  if (context.profile().program_form != ProgramForm::kText &&
      (version == nullptr || StoredArtifact("partitioned_call", *version).empty()))
    return context.Unsupported("the program needs a newer StableHLO");
  // Before and after others of names alike.
  if (Register(context, "plinth_conformance.partition") == nullptr) return;
  Partitioner* own = Register(context, "plinth_conformance.partitioned");
  Partitioner* other = Register(context, "plinth_conformance.partitioned.too");
  if (own == nullptr || other == nullptr) return;
  Expected<OwnedLoadedExecutable> loaded =
      context.Compile(ProgramFor(context, "partitioned_call"), "mlir", CompileOptionsOf(1, 2, ids));
  if (!context.Check("PJRT-Args-accepted", loaded.ok(),
                     "a program whose call has a partitioner: ", loaded.status().ToString()))
    return;
  context.Check("PJRT-Args-accepted", own->calls > 0 && other->calls == 0,
                "the partitioner of the call was called ", own->calls.load(),
                " times, that of another name ", other->calls.load(), " times");
  context.Check("PJRT-Args-output-lifetime", own->calls_after_free == 0,
                "a partitioner was called after it was freed");
  const std::vector<PJRT_Device*> devices = DevicesOf(context, loaded->get());
  if (!context.Check("PJRT-Args-accepted", devices.size() == 2, "the program has ", devices.size(),
                     " devices"))
    return;
  std::vector<OwnedBuffer> arguments, results;
  PJRT_Buffer *handles[2] = {}, *outputs[2] = {};
  PJRT_Buffer* const* argument_lists[] = {&handles[0], &handles[1]};
  PJRT_Buffer** output_lists[] = {&outputs[0], &outputs[1]};
  for (size_t i = 0; i < 2; ++i) {
    const float first = static_cast<float>(i) * 10;
    Expected<OwnedBuffer> argument = context.Upload(
        HostArray::F32({2, 2}, {first, first + 1, first + 2, first + 3}), devices[i]);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
    arguments.push_back(*std::move(argument));
    handles[i] = arguments[i].get();
  }
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = loaded->get();
  args.options = &options;
  args.argument_lists = argument_lists;
  args.num_devices = 2;
  args.num_args = 1;
  args.output_lists = output_lists;
  if (!Succeeds(context, args)) return;
  for (PJRT_Buffer* output : outputs) results.emplace_back(context.plugin(), output);
  for (size_t i = 0; i < 2; ++i) {
    const float first = static_cast<float>(i) * 20;
    JudgeBuffer(context, results[i].get(),
                {HostArray::F32({2, 2}, {first, first + 2, first + 4, first + 6}), devices[i]});
  }
}

}  // namespace
}  // namespace partitioners

void AddPartitionerCases(std::vector<Case>& cases) {
  cases.push_back({"L3/judge/extension/partitioners",
                   Level::kL3,
                   ClientNeed::kShared,
                   {"PJRT-Args-accepted", "PJRT-Args-output-lifetime", "PJRT-Strings-size",
                    "PJRT-LoadedExecutable_Execute-results"},
                   partitioners::Partitioners,
                   false});
}

}  // namespace plinth::conformance
