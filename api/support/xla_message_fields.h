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
    kArgumentLayouts = 1,  // repeated ShapeProto
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
    kResultLayout = 2,  // ShapeProto
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
    kNamedSharding = 14,  // NamedShardingProto
  };
};

// The axes of a mesh that each dimension is spread over.
struct NamedShardingProto {
  enum : uint32_t {
    kMesh = 2,  // MeshProto
    kDimShardings = 3,  // repeated NamedDimensionProto
    kReplicatedAxes = 4,  // repeated AxisRefProto
    kUnreducedAxes = 5,  // repeated AxisRefProto
    kManualAxes = 7,  // repeated AxisRefProto
    kReductionOp = 8,  // int32
  };
};

// The axes of one dimension (NamedShardingProto.DimensionSharding).
struct NamedDimensionProto {
  enum : uint32_t {
    kAxes = 1,  // repeated AxisRefProto
  };
};

// Devices in a grid: 0, 1, 2, ..., a list, or a formula.
struct MeshProto {
  enum : uint32_t {
    kAxes = 1,  // repeated MeshAxisProto
    kDeviceIds = 2,  // repeated int64
    kIotaTransform = 3,  // MeshIotaProto
  };
};

// MeshProto.MeshAxis
struct MeshAxisProto {
  enum : uint32_t {
    kName = 1,  // string
    kSize = 2,  // int64
  };
};

// 0, 1, 2, ... in a shape, transposed (MeshProto.IotaTransform).
struct MeshIotaProto {
  enum : uint32_t {
    kReshapeDims = 1,  // repeated int64
    kTransposePerm = 2,  // repeated int64
  };
};

// An axis of a mesh, or a part of it.
struct AxisRefProto {
  enum : uint32_t {
    kMeshAxisIndex = 1,  // int64
    kSubAxisInfo = 2,  // SubAxisProto
  };
};

// AxisRefProto.SubAxis
struct SubAxisProto {
  enum : uint32_t {
    kPreSize = 1,  // int64
    kSize = 2,  // int64
  };
};

// A program of format "hlo".
struct HloModuleProto {
  enum : uint32_t {
    kName = 1,  // string
    kEntryComputationName = 2,  // string
    kComputations = 3,  // repeated HloComputationProto
    kHostProgramShape = 4,  // ProgramShapeProto
    kEntryComputationId = 6,  // int64
    kInputOutputAlias = 8,  // HloInputOutputAliasProto
    kSpmdOutputSharding = 12,  // OpShardingProto
    kSpmdParametersShardings = 14,  // repeated OpShardingProto
    kStackFrameIndex = 17,  // StackFrameIndexProto
    kBufferDonor = 18,  // HloBufferDonorProto
    kFrontendAttributes = 19,  // FrontendAttributesProto
  };
};

// A program of format "hlo_with_config".
struct HloModuleProtoWithConfig {
  enum : uint32_t {
    kHloModule = 1,  // HloModuleProto
    kConfig = 2,  // HloModuleConfigProto
  };
};

// How a module is compiled, as far as a caller must know.
struct HloModuleConfigProto {
  enum : uint32_t {
    kEntryComputationLayout = 1,  // ProgramShapeProto
  };
};

// The parameters and the result of a computation.
struct ProgramShapeProto {
  enum : uint32_t {
    kParameters = 1,  // repeated ShapeProto
    kResult = 2,  // ShapeProto
    kParameterNames = 3,  // repeated string
  };
};

// Instructions, operands before their users.
struct HloComputationProto {
  enum : uint32_t {
    kName = 1,  // string
    kInstructions = 2,  // repeated HloInstructionProto
    kProgramShape = 4,  // ProgramShapeProto
    kId = 5,  // int64
    kRootId = 6,  // int64
  };
};

// An instruction; which fields it has depends on its opcode.
struct HloInstructionProto {
  enum : uint32_t {
    kName = 1,  // string
    kOpcode = 2,  // string
    kShape = 3,  // ShapeProto
    kMetadata = 7,  // OpMetadataProto
    kLiteral = 8,  // LiteralProto
    kParameterNumber = 9,  // int64
    kTupleIndex = 13,  // int64
    kDimensions = 14,  // repeated int64
    kWindow = 15,  // WindowProto
    kConvolutionDimensionNumbers = 16,  // ConvolutionDimensionNumbersProto
    kSliceDimensions = 17,  // repeated SliceDimensionsProto
    kExponentBits = 18,  // int32
    kMantissaBits = 19,  // int32
    kDynamicSliceSizes = 20,  // repeated int64
    kPaddingConfig = 21,  // PaddingConfigProto
    kDistribution = 23,  // int32
    kEpsilon = 24,  // float
    kFeatureIndex = 25,  // int64
    kChannelId = 26,  // int64
    kCustomCallTarget = 28,  // string
    kDotDimensionNumbers = 30,  // DotDimensionNumbersProto
    kFftType = 31,  // int32
    kFftLength = 32,  // repeated int64
    kGatherDimensionNumbers = 33,  // GatherDimensionNumbersProto
    kGatherSliceSizes = 34,  // repeated int64
    kId = 35,  // int64
    kOperandIds = 36,  // repeated int64
    kCalledComputationIds = 38,  // repeated int64
    kSharding = 40,  // OpShardingProto
    kBackendConfig = 43,  // bytes
    kUseGlobalDeviceIds = 71,  // bool
    kScatterDimensionNumbers = 48,  // ScatterDimensionNumbersProto
    kReplicaGroups = 49,  // repeated ReplicaGroupProto
    kFeatureGroupCount = 50,  // int64
    kPrecisionConfig = 51,  // PrecisionConfigProto
    kSourceTargetPairs = 52,  // repeated SourceTargetProto
    kConstrainLayout = 56,  // bool
    kOperandShapesWithLayout = 57,  // repeated ShapeProto
    kBatchGroupCount = 58,  // int64
    kTriangularSolveOptions = 59,  // TriangularSolveOptionsProto
    kIsStable = 60,  // bool
    kCholeskyOptions = 62,  // CholeskyOptionsProto
    kComparisonDirection = 63,  // string
    kCustomCallHasSideEffect = 65,  // bool
    kIndicesAreSorted = 67,  // bool
    kFrontendAttributes = 68,  // FrontendAttributesProto
    kUniqueIndices = 69,  // bool
    kRngAlgorithm = 70,  // int32
    kComparisonType = 72,  // string
    kOutputOperandAliasing = 74,  // repeated OutputOperandAliasingProto
    kCustomCallApiVersion = 77,  // int32
    kK = 81,  // int64
    kStatisticsViz = 82,  // bytes
    kLargest = 85,  // bool
    kCollectiveDeviceList = 87,  // CollectiveDeviceListProto
    kIsComposite = 89,  // bool
    kResultAccuracy = 91,  // ResultAccuracyProto
    kIotaCollectiveDeviceList = 92,  // IotaReplicaGroupListProto
    kMeshAxesReplicaGroupList = 93,  // MeshAxesReplicaGroupListProto
    kBackendConfigPayload = 99,  // bytes
    kComparisonOrder = 102,  // string
  };
};

// An array, a token, or a tuple of shapes.
struct ShapeProto {
  enum : uint32_t {
    kElementType = 2,  // int32
    kDimensions = 3,  // repeated int64
    kTupleShapes = 4,  // repeated ShapeProto
    kLayout = 5,  // LayoutProto
    kIsDynamicDimension = 6,  // repeated bool
  };
};

// The order of the dimensions in memory.
struct LayoutProto {
  enum : uint32_t {
    kMinorToMajor = 1,  // repeated int64
  };
};

// The elements of a constant, in the list of its element type.
struct LiteralProto {
  enum : uint32_t {
    kShape = 1,  // ShapeProto
    kPreds = 2,  // repeated bool
    kU8s = 3,  // bytes
    kS32s = 4,  // repeated int32
    kS64s = 5,  // repeated int64
    kU32s = 6,  // repeated uint32
    kU64s = 7,  // repeated uint64
    kF32s = 8,  // repeated float
    kF64s = 9,  // repeated double
    kTupleLiterals = 10,  // repeated LiteralProto
    kF16s = 11,  // bytes
    kC64s = 12,  // repeated float
    kBf16s = 13,  // bytes
    kS8s = 15,  // bytes
    kU16s = 16,  // bytes
    kS16s = 17,  // bytes
    kC128s = 18,  // repeated double
    kF8e5m2s = 19,  // bytes
    kF8e4m3fns = 20,  // bytes
    kS4s = 21,  // bytes
    kU4s = 22,  // bytes
    kF8e4m3b11fnuzs = 23,  // bytes
    kF8e5m2fnuzs = 24,  // bytes
    kF8e4m3fnuzs = 25,  // bytes
    kS2s = 26,  // bytes
    kU2s = 27,  // bytes
    kF8e4m3s = 28,  // bytes
    kF8e3m4s = 29,  // bytes
    kS1s = 30,  // bytes
    kU1s = 31,  // bytes
    kF4e2m1fns = 32,  // bytes
    kF8e8m0fnus = 33,  // bytes
  };
};

// Where an instruction comes from (OpMetadata).
struct OpMetadataProto {
  enum : uint32_t {
    kOpType = 1,  // string
    kOpName = 2,  // string
    kSourceFile = 3,  // string
    kSourceLine = 4,  // int32
    kStackFrameId = 15,  // int32
    kSourceColumn = 18,  // int32
  };
};

// Positions in sources; those that refer to each other count from 1.
struct StackFrameIndexProto {
  enum : uint32_t {
    kFileNames = 1,  // repeated string
    kFunctionNames = 2,  // repeated string
    kFileLocations = 3,  // repeated FileLocationProto
    kStackFrames = 4,  // repeated StackFrameProto
  };
};

// A position (StackFrameIndexProto.FileLocation).
struct FileLocationProto {
  enum : uint32_t {
    kFileNameId = 1,  // int32
    kFunctionNameId = 2,  // int32
    kLine = 3,  // int32
    kColumn = 4,  // int32
  };
};

// A position, and that of its caller (StackFrameIndexProto.StackFrame).
struct StackFrameProto {
  enum : uint32_t {
    kFileLocationId = 1,  // int32
    kParentFrameId = 2,  // int32
  };
};

// A map of texts (FrontendAttributes).
struct FrontendAttributesProto {
  enum : uint32_t {
    kMap = 1,  // repeated FrontendAttributeEntry
  };
};

// An entry of the map.
struct FrontendAttributeEntry {
  enum : uint32_t {
    kKey = 1,  // string
    kValue = 2,  // string
  };
};

// Which parameters give their memory to which outputs.
struct HloInputOutputAliasProto {
  enum : uint32_t {
    kEntries = 1,  // repeated AliasEntryProto
  };
};

// A parameter and an output (HloInputOutputAliasProto.AliasEntryProto).
struct AliasEntryProto {
  enum : uint32_t {
    kOutputShapeIndex = 1,  // repeated int64
    kParameterNumber = 2,  // int64
    kParameterShapeIndex = 3,  // repeated int64
  };
};

// Which parameters give their memory to any output.
struct HloBufferDonorProto {
  enum : uint32_t {
    kEntries = 1,  // repeated BufferDonorEntryProto
  };
};

// A parameter (HloBufferDonorProto.BufferDonorEntryProto).
struct BufferDonorEntryProto {
  enum : uint32_t {
    kParameterNumber = 1,  // int64
    kParameterShapeIndex = 2,  // repeated int64
  };
};

// A window over dimensions (Window).
struct WindowProto {
  enum : uint32_t {
    kDimensions = 1,  // repeated WindowDimensionProto
  };
};

// A window along one dimension (WindowDimension).
struct WindowDimensionProto {
  enum : uint32_t {
    kSize = 1,  // int64
    kStride = 2,  // int64
    kPaddingLow = 3,  // int64
    kPaddingHigh = 4,  // int64
    kWindowDilation = 5,  // int64
    kBaseDilation = 6,  // int64
    kWindowReversal = 7,  // bool
  };
};

// What the dimensions of a convolution are (ConvolutionDimensionNumbers).
struct ConvolutionDimensionNumbersProto {
  enum : uint32_t {
    kKernelInputFeatureDimension = 3,  // int64
    kKernelOutputFeatureDimension = 4,  // int64
    kKernelSpatialDimensions = 6,  // repeated int64
    kInputBatchDimension = 7,  // int64
    kInputFeatureDimension = 8,  // int64
    kOutputBatchDimension = 9,  // int64
    kOutputFeatureDimension = 10,  // int64
    kInputSpatialDimensions = 11,  // repeated int64
    kOutputSpatialDimensions = 12,  // repeated int64
  };
};

// A slice along one dimension (HloInstructionProto.SliceDimensions).
struct SliceDimensionsProto {
  enum : uint32_t {
    kStart = 1,  // int64
    kLimit = 2,  // int64
    kStride = 3,  // int64
  };
};

// Padding of all dimensions (PaddingConfig).
struct PaddingConfigProto {
  enum : uint32_t {
    kDimensions = 1,  // repeated PaddingConfigDimensionProto
  };
};

// Padding of one dimension (PaddingConfig.PaddingConfigDimension).
struct PaddingConfigDimensionProto {
  enum : uint32_t {
    kEdgePaddingLow = 1,  // int64
    kEdgePaddingHigh = 2,  // int64
    kInteriorPadding = 3,  // int64
  };
};

// What the dimensions of a product are (DotDimensionNumbers).
struct DotDimensionNumbersProto {
  enum : uint32_t {
    kLhsContractingDimensions = 1,  // repeated int64
    kRhsContractingDimensions = 2,  // repeated int64
    kLhsBatchDimensions = 3,  // repeated int64
    kRhsBatchDimensions = 4,  // repeated int64
  };
};

// What the dimensions of a gather are (GatherDimensionNumbers).
struct GatherDimensionNumbersProto {
  enum : uint32_t {
    kOffsetDims = 1,  // repeated int64
    kCollapsedSliceDims = 2,  // repeated int64
    kStartIndexMap = 3,  // repeated int64
    kIndexVectorDim = 4,  // int64
    kOperandBatchingDims = 5,  // repeated int64
    kStartIndicesBatchingDims = 6,  // repeated int64
  };
};

// What the dimensions of a scatter are (ScatterDimensionNumbers).
struct ScatterDimensionNumbersProto {
  enum : uint32_t {
    kUpdateWindowDims = 1,  // repeated int64
    kInsertedWindowDims = 2,  // repeated int64
    kScatterDimsToOperandDims = 3,  // repeated int64
    kIndexVectorDim = 4,  // int64
    kInputBatchingDims = 5,  // repeated int64
    kScatterIndicesBatchingDims = 6,  // repeated int64
  };
};

// How exactly a product is computed (PrecisionConfig).
struct PrecisionConfigProto {
  enum : uint32_t {
    kOperandPrecision = 1,  // repeated int32
    kAlgorithm = 2,  // int32
  };
};

// How exact a function is (ResultAccuracy).
struct ResultAccuracyProto {
  enum : uint32_t {
    kMode = 1,  // int32
    kTolerance = 2,  // ToleranceProto
  };
};

// Bounds of errors (ResultAccuracy.Tolerance).
struct ToleranceProto {
  enum : uint32_t {
    kAtol = 1,  // double
    kRtol = 2,  // double
    kUlps = 3,  // int64
  };
};

// Devices that work together (ReplicaGroup).
struct ReplicaGroupProto {
  enum : uint32_t {
    kReplicaIds = 1,  // repeated int64
  };
};

// Groups of devices, as a list or as a formula.
struct CollectiveDeviceListProto {
  enum : uint32_t {
    kReplicaGroups = 1,  // repeated ReplicaGroupProto
    kIotaReplicaGroupList = 2,  // IotaReplicaGroupListProto
  };
};

// 0, 1, 2, ... in a shape, transposed, as rows of groups.
struct IotaReplicaGroupListProto {
  enum : uint32_t {
    kNumReplicaGroups = 1,  // int64
    kNumDevicesPerGroup = 2,  // int64
    kIotaReshapeDims = 3,  // repeated int64
    kIotaTransposePerm = 4,  // repeated int32
  };
};

// Groups of the devices that differ in these axes of a mesh.
struct MeshAxesReplicaGroupListProto {
  enum : uint32_t {
    kMesh = 1,  // MeshProto
    kAxes = 2,  // repeated AxisRefProto
  };
};

// Who sends to whom (SourceTarget).
struct SourceTargetProto {
  enum : uint32_t {
    kSource = 1,  // int64
    kTarget = 2,  // int64
  };
};

// Which triangle, and on which side (TriangularSolveOptions).
struct TriangularSolveOptionsProto {
  enum : uint32_t {
    kLeftSide = 1,  // bool
    kLower = 2,  // bool
    kUnitDiagonal = 3,  // bool
    kTransposeA = 4,  // int32
  };
};

// Which triangle (CholeskyOptions).
struct CholeskyOptionsProto {
  enum : uint32_t {
    kLower = 1,  // bool
  };
};

// An output that is an operand (OutputOperandAliasing).
struct OutputOperandAliasingProto {
  enum : uint32_t {
    kOutputShapeIndex = 1,  // repeated int64
    kOperandIndex = 2,  // int64
    kOperandShapeIndex = 3,  // repeated int64
  };
};

}  // namespace plinth::messages

#endif  // PLINTH_SUPPORT_XLA_MESSAGE_FIELDS_H_
