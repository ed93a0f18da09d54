// SPDX-License-Identifier: Apache-2.0
// What TensorFlow's load_pluggable_device_library() looks up beside GetPjrtApi, which is
// libplinth's: PJRT devices as /device:PLINTH:N. TensorFlow's C API for the client is in no library
// of its wheel, so this takes the C++ functions behind it, and is for the one release it is
// compiled with.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "impl/tensorflow/options.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/compiler/tf2xla/xla_op_registry.h"
#include "tensorflow/core/common_runtime/next_pluggable_device/c/plugin_c_api.h"
#include "tensorflow/core/framework/types.h"

// The headers of these include some of MLIR that the wheel lacks.
namespace xla {

class KeyValueStoreInterface;
using PjRtValueType = std::variant<std::string, bool, int64_t, std::vector<int64_t>, float>;

// The begin of its table of virtual functions.
class PjRtClient {
 public:
  virtual ~PjRtClient() = default;
  virtual int process_index() const = 0;
  virtual int device_count() const = 0;
  virtual int addressable_device_count() const = 0;
};

absl::StatusOr<std::unique_ptr<PjRtClient>> GetCApiClient(
    absl::string_view device_type,
    const absl::flat_hash_map<std::string, PjRtValueType>& create_options,
    std::shared_ptr<KeyValueStoreInterface> kv_store);

}  // namespace xla

namespace tensorflow {

absl::Status SetPjRtClientInTFGlobalResourceManager(const DeviceType& device_type,
                                                    std::unique_ptr<xla::PjRtClient> client);
absl::StatusOr<xla::PjRtClient*> GetPjRtClient(const DeviceType& device_type);

}  // namespace tensorflow

namespace {

constexpr char kDeviceType[] = "PLINTH";
// The only device that tensorflow-cpu compiles for.
constexpr char kCompilationDevice[] = "XLA_CPU_JIT";
// What TensorFlow takes of several devices that could run an op is the highest: its CPU has 70.
constexpr int32_t kPriority = 60;

// The client belongs to TensorFlow from then on.
absl::Status MakeClient() {
  std::string error;
  absl::flat_hash_map<std::string, xla::PjRtValueType> options;
  for (const auto& [name, value] : plinth::tensorflow::ClientOptions(&error)) {
    options[name] = std::visit([](const auto& one) { return xla::PjRtValueType(one); }, value);
  }
  if (!error.empty()) return absl::InvalidArgumentError(error);
  absl::StatusOr<std::unique_ptr<xla::PjRtClient>> client =
      xla::GetCApiClient(kDeviceType, options, nullptr);
  if (!client.ok()) return client.status();
  return tensorflow::SetPjRtClientInTFGlobalResourceManager(tensorflow::DeviceType(kDeviceType),
                                                            *std::move(client));
}

// Null if there is none; then `status` says why.
xla::PjRtClient* Client(TF_Status* status) {
  static const auto* const made = new absl::Status(MakeClient());
  absl::Status why = *made;
  if (why.ok()) {
    absl::StatusOr<xla::PjRtClient*> client =
        tensorflow::GetPjRtClient(tensorflow::DeviceType(kDeviceType));
    if (client.ok()) {
      TF_SetStatus(status, TF_OK, "");
      return *client;
    }
    why = client.status();
  }
  TF_SetStatus(status, static_cast<TF_Code>(why.code()), std::string(why.message()).c_str());
  return nullptr;
}

int32_t DeviceCount(TF_Status* status) {
  xla::PjRtClient* const client = Client(status);
  return client == nullptr ? 0 : client->addressable_device_count();
}

void InitDeviceStates(TF_Status* status) { Client(status); }

// Who frees a list deletes what is on the heap.
template <typename List>
List CopyList(const List& from) {
  List to = from;
  if (from.size <= TPU_C_API_MAX_INLINED) return to;
  to.heap = new std::remove_pointer_t<decltype(to.heap)>[static_cast<size_t>(from.size)];
  std::copy_n(from.heap, from.size, to.heap);
  return to;
}

XLA_Shape CopyShape(const XLA_Shape& from) {
  XLA_Shape to = from;
  to.dimensions = CopyList(from.dimensions);
  to.dynamic_dimensions = CopyList(from.dynamic_dimensions);
  to.layout.minor_to_major = CopyList(from.layout.minor_to_major);
  to.layout.tiles.size = 0;  // Arrays have none here.
  if (from.ntuple_shapes > 0) {
    to.tuple_shapes = new XLA_Shape[static_cast<size_t>(from.ntuple_shapes)];
    std::transform(from.tuple_shapes, from.tuple_shapes + from.ntuple_shapes, to.tuple_shapes,
                   CopyShape);
  }
  return to;
}

// Values are the same on the device.
void DeviceShape(XLA_Shape* shape, int, bool, XLA_LayoutPreference, XLA_Shape* device_shape,
                 TF_Status* status) {
  *device_shape = CopyShape(*shape);
  TF_SetStatus(status, TF_OK, "");
}

const TFNPD_Api* Api() {
  static const TFNPD_Api api = [] {
    TFNPD_Api table = {};
    table.struct_size = TFNPD_Api_STRUCT_SIZE;
    table.TFNPD_XlaShapeToDeviceShapeRepresentation = DeviceShape;
    table.TFNPD_GetDeviceCount = DeviceCount;
    table.TFNPD_InitPluginInternalDeviceStates = InitDeviceStates;
    return table;
  }();
  return &api;
}

void RegisterCompilation() {
  tensorflow::XlaOpRegistry::DeviceRegistration registration;
  registration.compilation_device_name = kCompilationDevice;
  registration.autoclustering_policy =
      tensorflow::XlaOpRegistry::AutoclusteringPolicy::kIfExplicitlyRequested;
  registration.cluster_resource_variable_ops_unsafely = true;
  registration.cluster_stack_ops = true;
  registration.cluster_tensor_array_ops = true;
  registration.cluster_stateful_rng_ops = true;
  registration.cluster_control_trigger = true;
  registration.elide_assert_and_checknumerics = true;
  registration.cluster_variant_ops = true;
  registration.cluster_slow_ops = true;
  registration.cluster_inaccurate_ops = true;
  tensorflow::XlaOpRegistry::RegisterCompilationDevice(kDeviceType, registration);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const TFNPD_Api* TFNPD_InitPlugin(
    TFNPD_PluginParams* params, TF_Status* status) {
  // All else that this file needs of TensorFlow is weak (build.py), so another release gets here.
  if (const std::string version = TF_Version(); version != PLINTH_TENSORFLOW_VERSION) {
    const std::string text =
        "libplinth_tensorflow.so was built for TensorFlow " PLINTH_TENSORFLOW_VERSION
        " and this is TensorFlow " +
        version + "; build it in this environment: python impl/tensorflow/build.py";
    TF_SetStatus(status, TF_FAILED_PRECONDITION, text.c_str());
    return nullptr;
  }
  params->struct_size = TFNPD_PLUGIN_PARAMS_STRUCT_SIZE;
  params->device_type = kDeviceType;
  params->compilation_device_name = kCompilationDevice;
  params->priority = kPriority;
  params->is_pluggable_device = false;
  params->use_pjrt_on_demand_compile = true;
  static std::once_flag once;
  std::call_once(once, RegisterCompilation);
  TF_SetStatus(status, TF_OK, "");
  return Api();
}
