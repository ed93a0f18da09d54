// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_PROGRAM_H_
#define PLINTH_CONFORMANCE_WINDOWS_PROGRAM_H_

/* A program: compiled, asked about itself, run, serialized, loaded again. */

#include "run.h"

static PJRT_LoadedExecutable* Compile(PJRT_Client* client, const char* code, size_t size,
                                      bool must_fail) {
  PJRT_LoadedExecutable* executable = NULL;
  NEW(PJRT_Program, program);
  program->code = (char*)code;
  program->code_size = size;
  program->format = "mlir";
  program->format_size = 4;
  NEW_ARGS(PJRT_Client_Compile, args);
  args->client = client;
  args->program = program;
  args->compile_options = kCompileOptions;
  args->compile_options_size = sizeof(kCompileOptions) - 1;
  if (must_fail) {
    MUST_FAIL(PJRT_Client_Compile, args, kAnyCode);
  } else if (CALL(PJRT_Client_Compile, args)) {
    executable = args->executable;
  }
  FREE(args);
  FREE(program);
  return executable;
}

static void LookAtExecutable(PJRT_Executable* executable) {
  NEW_ARGS(PJRT_Executable_NumOutputs, outputs);
  outputs->executable = executable;
  if (CALL(PJRT_Executable_NumOutputs, outputs)) {
    EXPECT(outputs->num_outputs == 1, "%zu outputs", outputs->num_outputs);
  }
  FREE(outputs);
  NEW_ARGS(PJRT_Executable_NumReplicas, replicas);
  replicas->executable = executable;
  if (CALL(PJRT_Executable_NumReplicas, replicas)) {
    EXPECT(replicas->num_replicas == 1, "%zu replicas", replicas->num_replicas);
  }
  FREE(replicas);
  NEW_ARGS(PJRT_Executable_NumPartitions, partitions);
  partitions->executable = executable;
  CALL(PJRT_Executable_NumPartitions, partitions);
  FREE(partitions);
  CHECK_TEXT(PJRT_Executable_Name, executable, executable, executable_name);
  NEW_ARGS(PJRT_Executable_SizeOfGeneratedCodeInBytes, code);
  code->executable = executable;
  TRY(PJRT_Executable_SizeOfGeneratedCodeInBytes, code);
  FREE(code);
  NEW_ARGS(PJRT_Executable_OutputElementTypes, types);
  types->executable = executable;
  if (TRY(PJRT_Executable_OutputElementTypes, types)) {
    EXPECT(types->num_output_types == 1 && types->output_types[0] == PJRT_Buffer_Type_F32,
           "wrong output types");
  }
  FREE(types);
  NEW_ARGS(PJRT_Executable_OutputDimensions, dims);
  dims->executable = executable;
  if (TRY(PJRT_Executable_OutputDimensions, dims)) {
    EXPECT(dims->num_outputs == 1 && dims->dim_sizes[0] == 1 && dims->dims[0] == kElements,
           "wrong output dimensions");
  }
  FREE(dims);
  NEW_ARGS(PJRT_Executable_OutputMemoryKinds, kinds);
  kinds->executable = executable;
  if (TRY(PJRT_Executable_OutputMemoryKinds, kinds)) {
    CheckText(kinds->memory_kinds[0], kinds->memory_kind_sizes[0], "output memory kind");
  }
  FREE(kinds);
  NEW_ARGS(PJRT_Executable_GetCostAnalysis, cost);
  cost->executable = executable;
  if (TRY(PJRT_Executable_GetCostAnalysis, cost)) {
    CheckNamedValues(cost->properties, cost->num_properties, "cost analysis");
  }
  FREE(cost);
  NEW_ARGS(PJRT_Executable_GetCompiledMemoryStats, stats);
  stats->executable = executable;
  if (TRY(PJRT_Executable_GetCompiledMemoryStats, stats)) {
    EXPECT(stats->output_size_in_bytes >= (int64_t)sizeof(kResult), "%lld bytes of output",
           (long long)stats->output_size_in_bytes);
  }
  FREE(stats);
  NEW_ARGS(PJRT_Executable_Fingerprint, fingerprint);
  fingerprint->executable = executable;
  TRY(PJRT_Executable_Fingerprint, fingerprint);
  FREE(fingerprint);
  NEW(PJRT_Program, program);
  NEW_ARGS(PJRT_Executable_OptimizedProgram, optimized);
  optimized->executable = executable;
  optimized->program = program;
  TRY(PJRT_Executable_OptimizedProgram, optimized);
  CheckIntact(program, "PJRT_Executable_OptimizedProgram");
  FREE(optimized);
  FREE(program);
#if PJRT_API_MINOR >= 87
  NEW_ARGS(PJRT_Executable_GetCompileOptions, options);
  options->executable = executable;
  if (TRY(PJRT_Executable_GetCompileOptions, options)) {
    options->serialized_compile_options_deleter(options->serialized_compile_options);
  }
  FREE(options);
#endif
#if PJRT_API_MINOR >= 102
  NEW_ARGS(PJRT_Executable_ParameterMemoryKinds, parameters);
  parameters->executable = executable;
  if (TRY(PJRT_Executable_ParameterMemoryKinds, parameters)) {
    EXPECT(parameters->num_parameters == 2, "%zu parameters", parameters->num_parameters);
  }
  FREE(parameters);
#endif
}

static void LookAtLoadedExecutable(PJRT_LoadedExecutable* executable) {
  NEW_ARGS(PJRT_LoadedExecutable_AddressableDevices, devices);
  devices->executable = executable;
  if (CALL(PJRT_LoadedExecutable_AddressableDevices, devices)) {
    EXPECT(devices->num_addressable_devices == 1, "%zu devices", devices->num_addressable_devices);
  }
  FREE(devices);
#if PJRT_API_MINOR >= 79
  NEW_ARGS(PJRT_LoadedExecutable_GetDeviceAssignment, assignment);
  assignment->executable = executable;
  if (TRY(PJRT_LoadedExecutable_GetDeviceAssignment, assignment)) {
    assignment->serialized_device_assignment_deleter(assignment->serialized_device_assignment);
  }
  FREE(assignment);
#endif
#if PJRT_API_MINOR >= 96
  NEW_ARGS(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  ids->executable = executable;
  TRY(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  FREE(ids);
#endif
}

/* Runs a * b + a and compares. */
static void Execute(PJRT_LoadedExecutable* executable, PJRT_Client* client, PJRT_Device* device,
                    const char* what) {
  PJRT_Buffer* inputs[2] = {ToDevice(client, device, NULL, kLeft, PJRT_Buffer_Type_F32),
                            ToDevice(client, device, NULL, kRight, PJRT_Buffer_Type_F32)};
  PJRT_Buffer* const* argument_lists[1] = {inputs};
  PJRT_Buffer* outputs[1] = {NULL};
  PJRT_Buffer** output_lists[1] = {outputs};
  PJRT_Event* complete[1] = {NULL};
  NEW(PJRT_ExecuteOptions, options);
  NEW_ARGS(PJRT_LoadedExecutable_Execute, args);
  args->executable = executable;
  args->options = options;
  args->argument_lists = argument_lists;
  args->num_devices = 1;
  args->num_args = 2;
  args->output_lists = output_lists;
  args->device_complete_events = complete;
  if (inputs[0] != NULL && inputs[1] != NULL && CALL(PJRT_LoadedExecutable_Execute, args)) {
    Await(complete[0]);
    ExpectOnHost(outputs[0], kResult, what);
    DestroyBuffer(outputs[0]);
  }
  CheckIntact(options, "PJRT_ExecuteOptions");
  FREE(args);
  FREE(options);
  DestroyBuffer(inputs[0]);
  DestroyBuffer(inputs[1]);
}

static void SerializeAndLoad(PJRT_Executable* executable, PJRT_Client* client,
                             PJRT_Device* device) {
  NEW_ARGS(PJRT_Executable_Serialize, serialize);
  serialize->executable = executable;
  if (TRY(PJRT_Executable_Serialize, serialize)) {
    NEW_ARGS(PJRT_Executable_DeserializeAndLoad, load);
    load->client = client;
    load->serialized_executable = serialize->serialized_bytes;
    load->serialized_executable_size = serialize->serialized_bytes_size;
    if (TRY(PJRT_Executable_DeserializeAndLoad, load)) {
      Execute(load->loaded_executable, client, device, "execute, from serialized bytes");
      CALL_WITH(PJRT_LoadedExecutable_Destroy, executable, load->loaded_executable);
    }
    FREE(load);
    serialize->serialized_executable_deleter(serialize->serialized_executable);
  }
  FREE(serialize);
}

/* A program of two devices. Clients of before the Shardings extension read its shardings in the
 * optimized program: what form that has is noted. */
static void LookAtShardedProgram(PJRT_Client* client) {
  static const char kSharded[] =
      "module @sharded attributes {mhlo.num_partitions = 2 : i32} {\n"
      "  func.func public @main(%x: tensor<4xf32> {mhlo.sharding = \"{devices=[2]<=[2]}\"})\n"
      "      -> (tensor<4xf32> {mhlo.sharding = \"{devices=[2]<=[2]}\"}) {\n"
      "    %0 = stablehlo.add %x, %x : tensor<4xf32>\n"
      "    return %0 : tensor<4xf32>\n"
      "  }\n"
      "}\n";
  /* executable_build_options {num_replicas: 1, num_partitions: 2, use_spmd_partitioning: true}. */
  static const char kOptions[] = "\x1a\x06\x20\x01\x28\x02\x30\x01";
  NEW(PJRT_Program, program);
  program->code = (char*)kSharded;
  program->code_size = sizeof(kSharded) - 1;
  program->format = "mlir";
  program->format_size = 4;
  NEW_ARGS(PJRT_Client_Compile, compile);
  compile->client = client;
  compile->program = program;
  compile->compile_options = kOptions;
  compile->compile_options_size = sizeof(kOptions) - 1;
  NEW_ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  NEW(PJRT_Program, made);
  NEW_ARGS(PJRT_Executable_OptimizedProgram, optimized);
  if (TRY(PJRT_Client_Compile, compile)) {
    get->loaded_executable = compile->executable;
    if (CALL(PJRT_LoadedExecutable_GetExecutable, get)) {
      optimized->executable = get->executable;
      optimized->program = made;
      if (TRY(PJRT_Executable_OptimizedProgram, optimized)) {
        snprintf(session.form_of_two, sizeof(session.form_of_two), "%.*s", (int)made->format_size,
                 made->format);
      }
      CALL_WITH(PJRT_Executable_Destroy, executable, get->executable);
    }
    CALL_WITH(PJRT_LoadedExecutable_Destroy, executable, compile->executable);
  }
  FREE(optimized);
  FREE(made);
  FREE(get);
  FREE(compile);
  FREE(program);
}

static void UseProgram(PJRT_Client* client, PJRT_Device* device) {
  static const char kBroken[] = "module { this is no program";
  Compile(client, kBroken, sizeof(kBroken) - 1, true);
  PJRT_LoadedExecutable* loaded = Compile(client, kProgram, sizeof(kProgram) - 1, false);
  if (loaded == NULL) return;
  LookAtLoadedExecutable(loaded);
  Execute(loaded, client, device, "execute");
  NEW_ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get->loaded_executable = loaded;
  if (CALL(PJRT_LoadedExecutable_GetExecutable, get)) {
    LookAtExecutable(get->executable);
    SerializeAndLoad(get->executable, client, device);
    CALL_WITH(PJRT_Executable_Destroy, executable, get->executable);
  }
  FREE(get);
  CALL_WITH(PJRT_LoadedExecutable_Delete, executable, loaded);
  NEW_ARGS(PJRT_LoadedExecutable_IsDeleted, deleted);
  deleted->executable = loaded;
  if (CALL(PJRT_LoadedExecutable_IsDeleted, deleted)) {
    EXPECT(deleted->is_deleted, "an executable is not deleted");
  }
  FREE(deleted);
  CALL_WITH(PJRT_LoadedExecutable_Destroy, executable, loaded);
  if (session.devices > 1) LookAtShardedProgram(client);
}

#endif /* PLINTH_CONFORMANCE_WINDOWS_PROGRAM_H_ */
