// SPDX-License-Identifier: Apache-2.0
// Generated from api/messages by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PLINTH_SUPPORT_XLA_MESSAGE_FIELDS_H_
#define PLINTH_SUPPORT_XLA_MESSAGE_FIELDS_H_

#include <cstdint>

// Field numbers of XLA's messages, one struct a message.
namespace plinth::messages {

// How to compile a program.
struct CompileOptionsProto {
  enum : uint32_t {
    kParameterIsTupledArguments = 2,  // bool
    kExecutableBuildOptions = 3,  // ExecutableBuildOptionsProto
    kCompilePortableExecutable = 4,  // bool
    kProfileVersion = 5,  // int64
    kEnvOptionOverrides = 7,  // repeated OptionOverrideEntry
    kAllowInPlaceMlirModification = 9,  // bool
  };
};

// The part of the options that is about devices and partitioning.
struct ExecutableBuildOptionsProto {
  enum : uint32_t {
    kDeviceOrdinal = 1,  // int64
    kDebugOptions = 3,  // bytes
    kNumReplicas = 4,  // int64
    kNumPartitions = 5,  // int64
    kUseSpmdPartitioning = 6,  // bool
    kDeduplicateHlo = 8,  // bool
    kDeviceAssignment = 9,  // DeviceAssignmentProto
    kAliasPassthroughParams = 10,  // bool
    kRunBackendOnly = 11,  // bool
    kAllowSpmdShardingPropagationToOutput = 12,  // repeated bool
    kDeviceMemorySize = 15,  // int64
    kAllowSpmdShardingPropagationToParameters = 18,  // repeated bool
    kUseShardyPartitioner = 19,  // bool
    kProcessIndex = 22,  // int64
    kProcessCount = 23,  // int64
  };
};

// An entry of the map env_option_overrides.
struct OptionOverrideEntry {
  enum : uint32_t {
    kKey = 1,  // string
    kValue = 2,  // OptionOverrideProto
  };
};

// The value of an option, one of these.
struct OptionOverrideProto {
  enum : uint32_t {
    kStringField = 1,  // string
    kBoolField = 2,  // bool
    kIntField = 3,  // int64
    kDoubleField = 4,  // double
  };
};

// Which device runs which replica of which partition.
struct DeviceAssignmentProto {
  enum : uint32_t {
    kReplicaCount = 1,  // int32
    kComputationCount = 2,  // int32
    kComputationDevices = 3,  // repeated ComputationDevice
  };
};

// The devices of one partition, by replica.
struct ComputationDevice {
  enum : uint32_t {
    kReplicaDeviceIds = 1,  // repeated int64
  };
};

// How an array is spread over devices. XLA calls it OpSharding.
struct OpShardingProto {
  enum : uint32_t {
    kType = 1,  // int32
    kTileAssignmentDimensions = 3,  // repeated int64
    kTileAssignmentDevices = 4,  // repeated int64
    kTupleShardings = 5,  // repeated OpShardingProto
    kReplicateOnLastTileDim = 6,  // bool
    kLastTileDims = 8,  // repeated int32
    kIotaReshapeDims = 9,  // repeated int64
    kIotaTransposePerm = 10,  // repeated int32
  };
};

}  // namespace plinth::messages

#endif  // PLINTH_SUPPORT_XLA_MESSAGE_FIELDS_H_
