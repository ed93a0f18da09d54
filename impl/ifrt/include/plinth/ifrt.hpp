// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IFRT_HPP_
#define PLINTH_IFRT_HPP_

#include <complex>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plinth_ifrt.h"

// Arrays over many devices, in C++20 over plinth_ifrt.h, header-only: it needs the standard library
// alone, and nothing of it crosses the border of libplinth_ifrt. Objects are handles: copying one
// adds a reference. Errors are values; any thread may use any object, as plinth_ifrt.h says.
namespace plinth::ifrt {

// Success, or a code with a text.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(PJRT_Error_Code code, std::string message) : code_(code), message_(std::move(message)) {}
  // Takes over a status of the C API; null for success.
  explicit Status(plinth_status* status) {
    if (status == nullptr) return;
    code_ = plinth_status_code(status);
    message_ = plinth_status_message(status);
    plinth_status_destroy(status);
  }
  bool ok() const { return code_ == PJRT_Error_Code_OK; }
  PJRT_Error_Code code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  PJRT_Error_Code code_ = PJRT_Error_Code_OK;
  std::string message_;
};

// A value, or why there is none. Reading the value of an error is a mistake of the reader.
template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::move(value)) {}         // NOLINT: implicit by design
  Expected(Status status) : state_(std::move(status)) {}  // NOLINT: implicit by design
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  Status status() const { return ok() ? Status() : std::get<1>(state_); }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

 private:
  std::variant<T, Status> state_;
};

// The element type that T has in memory.
template <typename T>
constexpr PJRT_Buffer_Type TypeOf() {
  if constexpr (std::is_same_v<T, bool>) return PJRT_Buffer_Type_PRED;
  if constexpr (std::is_same_v<T, int8_t>) return PJRT_Buffer_Type_S8;
  if constexpr (std::is_same_v<T, int16_t>) return PJRT_Buffer_Type_S16;
  if constexpr (std::is_same_v<T, int32_t>) return PJRT_Buffer_Type_S32;
  if constexpr (std::is_same_v<T, int64_t>) return PJRT_Buffer_Type_S64;
  if constexpr (std::is_same_v<T, uint8_t>) return PJRT_Buffer_Type_U8;
  if constexpr (std::is_same_v<T, uint16_t>) return PJRT_Buffer_Type_U16;
  if constexpr (std::is_same_v<T, uint32_t>) return PJRT_Buffer_Type_U32;
  if constexpr (std::is_same_v<T, uint64_t>) return PJRT_Buffer_Type_U64;
  if constexpr (std::is_same_v<T, float>) return PJRT_Buffer_Type_F32;
  if constexpr (std::is_same_v<T, double>) return PJRT_Buffer_Type_F64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return PJRT_Buffer_Type_C64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return PJRT_Buffer_Type_C128;
  return PJRT_Buffer_Type_INVALID;
}

enum class Copy {
  kAlways = PLINTH_IFRT_ALWAYS_COPY,
  kReuse = PLINTH_IFRT_REUSE_INPUT,
  kDonate = PLINTH_IFRT_DONATE_INPUT,
};
enum class Host {
  kDuringCall = PLINTH_IFRT_DURING_CALL,
  kUntilTransferred = PLINTH_IFRT_UNTIL_TRANSFERRED,
  kZeroCopy = PLINTH_IFRT_ZERO_COPY,
  kMutableZeroCopy = PLINTH_IFRT_MUTABLE_ZERO_COPY,
};
enum class Rung {
  kAny = PLINTH_IFRT_ANY_RUNG,
  kPrograms = PLINTH_IFRT_PROGRAMS_RUNG,
  kHost = PLINTH_IFRT_HOST_RUNG,
  kIdentity = PLINTH_IFRT_IDENTITY_RUNG,
};

namespace internal {

// One reference to a handle of the C API.
template <typename H, void (*Retain)(H*), void (*Release)(H*)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(H* owned) : handle_(owned) {}
  Handle(const Handle& other) : handle_(other.handle_) { Retain(handle_); }
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() { Release(handle_); }
  H* get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  H* handle_ = nullptr;
};

using ClientHandle =
    Handle<plinth_ifrt_client, plinth_ifrt_client_retain, plinth_ifrt_client_release>;
using ShardingHandle =
    Handle<plinth_ifrt_sharding, plinth_ifrt_sharding_retain, plinth_ifrt_sharding_release>;
using ArrayHandle = Handle<plinth_ifrt_array, plinth_ifrt_array_retain, plinth_ifrt_array_release>;
using ExecutableHandle =
    Handle<plinth_ifrt_executable, plinth_ifrt_executable_retain, plinth_ifrt_executable_release>;
using FutureHandle =
    Handle<plinth_ifrt_future, plinth_ifrt_future_retain, plinth_ifrt_future_release>;

inline std::string TakeText(char* text, size_t size) {
  std::string copy(text, size);
  plinth_string_free(text);
  return copy;
}
inline std::string TakeText(char* text) { return TakeText(text, std::strlen(text)); }

}  // namespace internal

// A value that may be used when something has completed. For Future<void> there is no value.
template <typename T = void>
class Future {
 public:
  using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  using Result = std::conditional_t<std::is_void_v<T>, Status, Expected<Value>>;

  explicit Future(internal::FutureHandle handle, Value value = {})
      : handle_(std::move(handle)), value_(std::move(value)) {}

  bool IsReady() const { return plinth_ifrt_future_is_ready(handle_.get()); }
  // Waits, without end by default; DEADLINE_EXCEEDED if it takes longer.
  Result Await(int64_t timeout_ms = -1) const {
    return Finish(Status(plinth_ifrt_future_await(handle_.get(), timeout_ms)));
  }
  // Calls `f` with the result: here if it is complete, else on the thread that completes it. It
  // must not throw.
  template <typename F>
  void Then(F f) const {
    struct Call {
      Future future;
      F f;
    };
    plinth_ifrt_future_on_ready(
        handle_.get(),
        [](plinth_status* status, void* data) {
          const std::unique_ptr<Call> call(static_cast<Call*>(data));
          call->f(call->future.Finish(Status(status)));
        },
        new Call{*this, std::move(f)});
  }

  // co_await: goes on where the future completes.
  bool await_ready() const { return IsReady(); }
  void await_suspend(std::coroutine_handle<> caller) const {
    plinth_ifrt_future_on_ready(
        handle_.get(),
        [](plinth_status* status, void* data) {
          plinth_status_destroy(status);
          std::coroutine_handle<>::from_address(data).resume();
        },
        caller.address());
  }
  Result await_resume() const { return Await(); }

 private:
  Result Finish(Status status) const {
    if constexpr (std::is_void_v<T>) {
      return status;
    } else {
      if (!status.ok()) return status;
      return value_;
    }
  }
  internal::FutureHandle handle_;
  Value value_;
};

class Memory;

// A device of a client, which has to live.
class Device {
 public:
  Device() = default;
  explicit Device(const plinth_ifrt_device* device) : device_(device) {}
  int id() const { return plinth_ifrt_device_id(device_); }
  int process_index() const { return plinth_ifrt_device_process_index(device_); }
  bool is_addressable() const { return plinth_ifrt_device_is_addressable(device_); }
  std::string_view kind() const { return plinth_ifrt_device_kind(device_); }
  std::string_view ToString() const { return plinth_ifrt_device_text(device_); }
  // The default one first. None where a plugin knows no memories.
  std::vector<Memory> memories() const;
  std::optional<Memory> default_memory() const;
  // "" is the default one.
  std::optional<Memory> FindMemory(std::string_view kind) const;
  // The kinds of `memories`.
  std::vector<std::string> memory_kinds() const;
  const plinth_ifrt_device* get() const { return device_; }
  friend bool operator==(const Device&, const Device&) = default;

 private:
  const plinth_ifrt_device* device_ = nullptr;
};

// A memory of a device. What takes a `memory_kind` takes its kind: a sharding has each shard in the
// memory of that kind of its device.
class Memory {
 public:
  // Memory `index` of the device, which has that many.
  Memory(Device device, size_t index) : device_(device), index_(index) {}
  Device device() const { return device_; }
  std::string kind() const { return plinth_ifrt_device_memory_kind(device_.get(), index_); }
  bool is_default() const { return index_ == 0; }
  friend bool operator==(const Memory&, const Memory&) = default;

 private:
  Device device_;
  size_t index_;
};

inline std::vector<Memory> Device::memories() const {
  std::vector<Memory> memories;
  for (size_t i = 0; i < plinth_ifrt_device_num_memories(device_); ++i) {
    memories.emplace_back(*this, i);
  }
  return memories;
}
inline std::optional<Memory> Device::default_memory() const { return FindMemory({}); }
inline std::optional<Memory> Device::FindMemory(std::string_view kind) const {
  for (const Memory& memory : memories()) {
    if (kind.empty() || memory.kind() == kind) return memory;
  }
  return std::nullopt;
}
inline std::vector<std::string> Device::memory_kinds() const {
  std::vector<std::string> kinds;
  for (const Memory& memory : memories()) kinds.push_back(memory.kind());
  return kinds;
}

namespace internal {
inline std::vector<const plinth_ifrt_device*> Raw(std::span<const Device> devices) {
  std::vector<const plinth_ifrt_device*> raw;
  for (const Device& device : devices) raw.push_back(device.get());
  return raw;
}
inline std::vector<Device> Views(const plinth_ifrt_device* const* devices, size_t count) {
  std::vector<Device> views;
  for (size_t i = 0; i < count; ++i) views.emplace_back(devices[i]);
  return views;
}
inline const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }
}  // namespace internal

// Devices along named axes, row-major.
struct Mesh {
  struct Axis {
    std::string name;
    int64_t size;
  };
  std::vector<Axis> axes;
  std::vector<Device> devices;
};

// The names of the mesh axes along which each dimension is cut, none to leave it whole.
using AxesOfDims = std::vector<std::vector<std::string>>;

struct IndexDomain {
  std::vector<int64_t> origin;
  std::vector<int64_t> extents;
  friend bool operator==(const IndexDomain&, const IndexDomain&) = default;
};

// Which part of an array each device has.
class Sharding {
 public:
  Sharding() = default;
  explicit Sharding(plinth_ifrt_sharding* owned) : handle_(owned) {}
  static Sharding Share(const plinth_ifrt_sharding* borrowed) {
    plinth_ifrt_sharding_retain(const_cast<plinth_ifrt_sharding*>(borrowed));
    return Sharding(const_cast<plinth_ifrt_sharding*>(borrowed));
  }

  std::vector<Device> devices() const {
    size_t count = 0;
    const plinth_ifrt_device* const* list = plinth_ifrt_sharding_devices(get(), &count);
    return internal::Views(list, count);
  }
  size_t num_addressable() const { return plinth_ifrt_sharding_num_addressable(get()); }
  std::string_view memory_kind() const { return plinth_ifrt_sharding_memory_kind(get()); }
  bool is_fully_replicated() const { return plinth_ifrt_sharding_is_fully_replicated(get()); }
  Expected<std::vector<IndexDomain>> IndexDomains(std::span<const int64_t> dims,
                                                  bool addressable_only = false) const {
    const size_t count = addressable_only ? num_addressable() : devices().size();
    std::vector<int64_t> origins(count * dims.size() + 1);
    std::vector<int64_t> extents(count * dims.size() + 1);
    const Status status(plinth_ifrt_sharding_index_domains(
        get(), dims.data(), dims.size(), addressable_only, origins.data(), extents.data()));
    if (!status.ok()) return status;
    std::vector<IndexDomain> domains;
    for (size_t i = 0; i < count; ++i) {
      const auto slice = [&](const std::vector<int64_t>& all) {
        const auto begin = all.begin() + static_cast<ptrdiff_t>(i * dims.size());
        return std::vector<int64_t>(begin, begin + static_cast<ptrdiff_t>(dims.size()));
      };
      domains.push_back({slice(origins), slice(extents)});
    }
    return domains;
  }
  Expected<std::vector<int64_t>> ShardShape(std::span<const int64_t> dims) const {
    std::vector<int64_t> shape(dims.size());
    const Status status(
        plinth_ifrt_sharding_shard_shape(get(), dims.data(), dims.size(), shape.data()));
    if (!status.ok()) return status;
    return shape;
  }
  Expected<std::string> ToOpSharding(size_t rank) const {
    char* bytes = nullptr;
    size_t size = 0;
    const Status status(plinth_ifrt_sharding_to_op_sharding(get(), rank, &bytes, &size));
    if (!status.ok()) return status;
    return internal::TakeText(bytes, size);
  }
  Expected<Sharding> WithDevices(std::span<const Device> devices,
                                 const std::string& memory_kind = "") const {
    plinth_ifrt_sharding* made = nullptr;
    const auto raw = internal::Raw(devices);
    const Status status(plinth_ifrt_sharding_with_devices(get(), raw.data(), raw.size(),
                                                          internal::OrNull(memory_kind), &made));
    if (!status.ok()) return status;
    return Sharding(made);
  }
  // Whether both mean the same for arrays of that shape.
  bool SameFor(const Sharding& other, std::span<const int64_t> dims) const {
    static constexpr int64_t kScalar = 0;
    return plinth_ifrt_sharding_equal(get(), other.get(), dims.empty() ? &kScalar : dims.data(),
                                      dims.size());
  }
  uint64_t hash() const { return plinth_ifrt_sharding_hash(get()); }
  std::string ToString() const { return internal::TakeText(plinth_ifrt_sharding_text(get())); }
  // The same for every shape.
  friend bool operator==(const Sharding& a, const Sharding& b) {
    return plinth_ifrt_sharding_equal(a.get(), b.get(), nullptr, 0);
  }
  plinth_ifrt_sharding* get() const { return handle_.get(); }

 private:
  internal::ShardingHandle handle_;
};

// What an array is, without contents.
struct ArraySpec {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims = {};
  Sharding sharding = {};
};

// Shards of arrays that become shards of other arrays, on the devices where they are. Together the
// mappings name each output shard once, and no input shard twice.
struct Remap {
  // Shards start, start + step, ... below end, of all shards of an array.
  struct Shards {
    int64_t start;
    int64_t end;
    int64_t step = 1;
  };
  // These shards of an input become as many of an output, one after the other.
  struct Mapping {
    size_t input;
    size_t output;
    std::vector<Shards> from;
    std::vector<Shards> to;
  };
  std::vector<ArraySpec> inputs;
  std::vector<ArraySpec> outputs;
  std::vector<Mapping> mappings;
};

class Client;

// An array over devices.
class Array {
 public:
  Array() = default;
  Array(internal::ClientHandle client, plinth_ifrt_array* owned)
      : client_(std::move(client)), handle_(owned) {}

  PJRT_Buffer_Type type() const { return plinth_ifrt_array_type(get()); }
  std::span<const int64_t> dims() const {
    size_t count = 0;
    const int64_t* dims = plinth_ifrt_array_dims(get(), &count);
    return {dims, count};
  }
  size_t num_elements() const {
    size_t count = 1;
    for (const int64_t extent : dims()) count *= static_cast<size_t>(extent);
    return count;
  }
  Sharding sharding() const { return Sharding::Share(plinth_ifrt_array_sharding(get())); }
  // How its shards lie on their devices, as XLA writes it: "{1,0}" is row-major.
  Expected<std::string> Layout() const {
    char* text = nullptr;
    const Status status(plinth_ifrt_array_layout(get(), &text));
    if (!status.ok()) return status;
    return internal::TakeText(text);
  }
  bool is_deleted() const { return plinth_ifrt_array_is_deleted(get()); }
  void Delete() const {
    plinth_ifrt_array* const one = get();
    plinth_ifrt_arrays_delete(&one, 1);
  }
  Future<> Ready() const {
    plinth_ifrt_array* const one = get();
    plinth_ifrt_future* future = nullptr;
    const Status status(plinth_ifrt_arrays_ready(client_.get(), &one, 1, &future));
    // The array is one of the client's: nothing can be wrong.
    (void)status.ok();
    return Future<>(internal::FutureHandle(future));
  }
  // Starts to copy the whole array to `data`, which stays valid until the future completes.
  Expected<Future<>> CopyToHost(void* data, const int64_t* byte_strides = nullptr) const {
    plinth_ifrt_array* const one = get();
    const plinth_ifrt_host_destination to = {plinth_ifrt_host_destination_STRUCT_SIZE, data,
                                             byte_strides};
    plinth_ifrt_future* future = nullptr;
    const Status status(plinth_ifrt_arrays_to_host(client_.get(), &one, 1, &to, &future));
    if (!status.ok()) return status;
    return Future<>(internal::FutureHandle(future));
  }
  // The memory of an addressable shard, or of the whole array where each shard is that, as a
  // DLManagedTensorVersioned of DLPack 1.x, which its deleter frees. Without a copy; waits.
  Expected<void*> ToDlpack(std::optional<size_t> shard = std::nullopt) const {
    void* tensor = nullptr;
    const Status status(plinth_ifrt_array_to_dlpack(
        get(), shard ? static_cast<int64_t>(*shard) : int64_t{-1}, &tensor));
    if (!status.ok()) return status;
    return tensor;
  }
  // The elements, row-major; waits. INVALID_ARGUMENT if T is not the element type.
  template <typename T>
  Expected<std::vector<T>> ToHost() const {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements in memory");
    if (TypeOf<T>() != type()) {
      return Status(PJRT_Error_Code_INVALID_ARGUMENT, "the array has another element type");
    }
    std::vector<T> elements(num_elements());
    const Expected<Future<>> copied = CopyToHost(elements.data());
    if (!copied.ok()) return copied.status();
    if (const Status done = copied->Await(); !done.ok()) return done;
    return elements;
  }
  Expected<Array> Reshard(const Sharding& to, Copy copy = Copy::kAlways,
                          Rung rung = Rung::kAny) const {
    plinth_ifrt_array* const one = get();
    plinth_ifrt_array* made = nullptr;
    const plinth_ifrt_sharding* const sharding = to.get();
    return Made(plinth_ifrt_arrays_reshard(client_.get(), &one, 1, &sharding,
                                           static_cast<plinth_ifrt_copy_semantics>(copy),
                                           static_cast<plinth_ifrt_reshard_rung>(rung), &made),
                made);
  }
  // The same with shards that lie in that order on their devices: one number for each dimension,
  // the one that varies fastest first.
  Expected<Array> Reshard(const Sharding& to, std::span<const int64_t> minor_to_major,
                          Copy copy = Copy::kAlways, Rung rung = Rung::kAny) const {
    if (minor_to_major.size() != dims().size()) {
      return Status(PJRT_Error_Code_INVALID_ARGUMENT, "a layout names each dimension once");
    }
    plinth_ifrt_array* const one = get();
    plinth_ifrt_array* made = nullptr;
    const plinth_ifrt_sharding* const sharding = to.get();
    const int64_t* const order = minor_to_major.data();
    return Made(
        plinth_ifrt_arrays_reshard_to_layouts(client_.get(), &one, 1, &sharding, &order,
                                              static_cast<plinth_ifrt_copy_semantics>(copy),
                                              static_cast<plinth_ifrt_reshard_rung>(rung), &made),
        made);
  }
  // The bytes of each shard as another type and shape, where they are.
  Expected<Array> Bitcast(const ArraySpec& to, Copy copy = Copy::kAlways) const {
    plinth_ifrt_array* const one = get();
    plinth_ifrt_array* made = nullptr;
    const plinth_ifrt_array_spec spec = {plinth_ifrt_array_spec_STRUCT_SIZE, to.type,
                                         to.dims.data(), to.dims.size(), to.sharding.get()};
    return Made(plinth_ifrt_arrays_bitcast(client_.get(), &one, 1, &spec,
                                           static_cast<plinth_ifrt_copy_semantics>(copy), &made),
                made);
  }
  // The same cut on other devices, or on the same if there are none; in the memory where it is if
  // none is named.
  Expected<Array> CopyTo(std::span<const Device> devices, const std::string& memory_kind = "",
                         Copy copy = Copy::kAlways) const {
    plinth_ifrt_array* const one = get();
    plinth_ifrt_array* made = nullptr;
    const auto raw = internal::Raw(devices);
    return Made(plinth_ifrt_arrays_copy(client_.get(), &one, 1, raw.empty() ? nullptr : raw.data(),
                                        raw.size(), internal::OrNull(memory_kind),
                                        static_cast<plinth_ifrt_copy_semantics>(copy), &made),
                made);
  }
  // The shards on devices of this process.
  Expected<std::vector<Array>> Disassemble(Copy copy = Copy::kReuse) const {
    std::vector<plinth_ifrt_array*> made(sharding().num_addressable());
    const Status status(plinth_ifrt_array_disassemble(
        get(), static_cast<plinth_ifrt_copy_semantics>(copy), made.data()));
    if (!status.ok()) return status;
    std::vector<Array> arrays;
    arrays.reserve(made.size());
    for (plinth_ifrt_array* one : made) arrays.emplace_back(client_, one);
    return arrays;
  }
  Expected<Array> ReplicatedShard(Copy copy = Copy::kReuse) const {
    plinth_ifrt_array* made = nullptr;
    return Made(plinth_ifrt_array_replicated_shard(
                    get(), static_cast<plinth_ifrt_copy_semantics>(copy), &made),
                made);
  }
  plinth_ifrt_array* get() const { return handle_.get(); }

 private:
  Expected<Array> Made(plinth_status* c_status, plinth_ifrt_array*& made) const {
    Status status(c_status);
    if (!status.ok()) return status;
    return Array(client_, made);
  }
  internal::ClientHandle client_;
  internal::ArrayHandle handle_;
};

struct ExecuteOptions {
  int launch_id = 0;
  std::vector<int64_t> non_donatable = {};
  std::optional<Device> device = {};  // Of a portable program.
  std::string call_location = {};
};

// A program on devices; perhaps not compiled yet: functions wait for that.
class Executable {
 public:
  Executable() = default;
  Executable(internal::ClientHandle client, plinth_ifrt_executable* owned)
      : client_(std::move(client)), handle_(owned) {}

  // Completes when it is compiled.
  Future<> Ready() const {
    plinth_ifrt_future* future = nullptr;
    const Status status(plinth_ifrt_executable_ready(get(), &future));
    (void)status.ok();
    return Future<>(internal::FutureHandle(future));
  }
  Expected<size_t> NumOutputs() const {
    size_t count = 0;
    const Status status(plinth_ifrt_executable_num_outputs(get(), &count));
    if (!status.ok()) return status;
    return count;
  }
  Expected<ArraySpec> Output(size_t index) const {
    ArraySpec spec;
    const int64_t* dims = nullptr;
    size_t num_dims = 0;
    const plinth_ifrt_sharding* sharding = nullptr;
    const Status status(
        plinth_ifrt_executable_output(get(), index, &spec.type, &dims, &num_dims, &sharding));
    if (!status.ok()) return status;
    spec.dims.assign(dims, dims + num_dims);
    spec.sharding = Sharding::Share(sharding);
    return spec;
  }
  // UNIMPLEMENTED where the plugin does not tell, here and in the next three.
  Expected<size_t> NumParameters() const {
    size_t count = 0;
    const Status status(plinth_ifrt_executable_num_parameters(get(), &count));
    if (!status.ok()) return status;
    return count;
  }
  // Null in a portable one.
  Expected<Sharding> ParameterSharding(size_t index) const {
    const plinth_ifrt_sharding* sharding = nullptr;
    const Status status(plinth_ifrt_executable_parameter_sharding(get(), index, &sharding));
    if (!status.ok()) return status;
    return Sharding::Share(sharding);
  }
  Expected<std::string> ParameterLayout(size_t index) const {
    return Text(
        [&](char** text) { return plinth_ifrt_executable_parameter_layout(get(), index, text); });
  }
  Expected<std::string> OutputLayout(size_t index) const {
    return Text(
        [&](char** text) { return plinth_ifrt_executable_output_layout(get(), index, text); });
  }
  Expected<std::vector<Device>> Devices() const {
    const plinth_ifrt_device* const* devices = nullptr;
    size_t count = 0;
    const Status status(plinth_ifrt_executable_devices(get(), &devices, &count));
    if (!status.ok()) return status;
    return internal::Views(devices, count);
  }
  Expected<std::string> Serialize() const {
    char* bytes = nullptr;
    size_t size = 0;
    const Status status(plinth_ifrt_executable_serialize(get(), &bytes, &size));
    if (!status.ok()) return status;
    return internal::TakeText(bytes, size);
  }
  Expected<std::string> Fingerprint() const {
    return Text([&](char** text) { return plinth_ifrt_executable_fingerprint(get(), text); });
  }
  Expected<std::string> Name() const {
    return Text([&](char** text) { return plinth_ifrt_executable_name(get(), text); });
  }
  // After optimization: its format, "mlir", "hlo" or another that the plugin has, and the code,
  // most often bytes.
  struct Program {
    std::string format;
    std::string code;
  };
  Expected<Program> Optimized() const {
    char* code = nullptr;
    char* format = nullptr;
    size_t size = 0;
    const Status status(plinth_ifrt_executable_text(get(), &code, &size, &format));
    if (!status.ok()) return status;
    return Program{internal::TakeText(format), internal::TakeText(code, size)};
  }
  // JSON objects.
  Expected<std::string> Cost() const {
    return Text([&](char** text) { return plinth_ifrt_executable_cost(get(), text); });
  }
  Expected<std::string> Memory() const {
    return Text([&](char** text) { return plinth_ifrt_executable_memory(get(), text); });
  }

  // Starts it; outputs complete later. `done`, if not null, gets a future that completes when every
  // device is done.
  Expected<std::vector<Array>> Execute(std::span<const Array> arguments,
                                       const ExecuteOptions& options = {},
                                       std::optional<Future<>>* done = nullptr) const {
    std::vector<plinth_ifrt_array*> raw;
    for (const Array& argument : arguments) raw.push_back(argument.get());
    const Expected<size_t> num_outputs = NumOutputs();
    if (!num_outputs.ok()) return num_outputs.status();
    std::vector<plinth_ifrt_array*> outputs(*num_outputs);
    plinth_ifrt_execute_options c_options = {};
    c_options.struct_size = plinth_ifrt_execute_options_STRUCT_SIZE;
    c_options.launch_id = options.launch_id;
    c_options.non_donatable = options.non_donatable.data();
    c_options.num_non_donatable = options.non_donatable.size();
    c_options.device = options.device ? options.device->get() : nullptr;
    c_options.call_location = internal::OrNull(options.call_location);
    plinth_ifrt_future* future = nullptr;
    const Status status(plinth_ifrt_executable_execute(get(), raw.data(), raw.size(), &c_options,
                                                       outputs.data(), outputs.size(),
                                                       done == nullptr ? nullptr : &future));
    if (!status.ok()) return status;
    if (done != nullptr) done->emplace(internal::FutureHandle(future));
    std::vector<Array> arrays;
    arrays.reserve(outputs.size());
    for (plinth_ifrt_array* one : outputs) arrays.emplace_back(client_, one);
    return arrays;
  }
  Expected<std::vector<Array>> operator()(std::initializer_list<Array> arguments) const {
    return Execute({arguments.begin(), arguments.size()});
  }
  Status Cancel(int launch_id, PJRT_Error_Code code, const std::string& message) const {
    return Status(plinth_ifrt_executable_cancel(get(), launch_id, code, message.c_str()));
  }
  plinth_ifrt_executable* get() const { return handle_.get(); }

 private:
  template <typename Ask>
  static Expected<std::string> Text(Ask ask) {
    char* text = nullptr;
    const Status status(ask(&text));
    if (!status.ok()) return status;
    return internal::TakeText(text);
  }
  internal::ClientHandle client_;
  internal::ExecutableHandle handle_;
};

// What the processes of a run share; called from any thread, several at once. They must not throw.
struct KeyValueStore {
  // Waits for the key for at most that long, then DEADLINE_EXCEEDED; 0: NOT_FOUND at once.
  std::function<Expected<std::string>(std::string_view key, int64_t timeout_ms)> get;
  std::function<Status(std::string_view key, std::string_view value)> put;
};

struct ClientOptions {
  std::string plugin = {};                // A path or a name; "" as plinth_load finds one.
  std::string layers = {};                // "" as PLINTH_LAYERS says.
  const PJRT_Api* api = nullptr;          // Instead of `plugin`.
  std::vector<std::string> options = {};  // "name=value".
  // Of a run of several processes. Lives until the client and what was made from it are gone.
  std::optional<KeyValueStore> store = {};
};

struct CompileOptions {
  std::string format = "mlir";  // Or "hlo", "serialized".
  std::vector<Device> devices = {};
  int num_replicas = 1;
  bool portable = false;
  bool use_shardy = false;
  bool serial = false;
  std::vector<std::string> overrides = {};  // "name=value".
  std::vector<Sharding> output_shardings = {};
};

// A plugin's client. Whatever is made from it keeps it alive.
class Client {
 public:
  static Expected<Client> Create(const ClientOptions& options) {
    std::vector<const char*> texts;
    for (const std::string& text : options.options) texts.push_back(text.c_str());
    plinth_ifrt_client_options c_options = {};
    c_options.struct_size = plinth_ifrt_client_options_STRUCT_SIZE;
    c_options.plugin = internal::OrNull(options.plugin);
    c_options.layers = internal::OrNull(options.layers);
    c_options.api = options.api;
    c_options.options = texts.data();
    c_options.num_options = texts.size();
    if (options.store) {
      c_options.key_value_get = &GetKey;
      c_options.key_value_put = &PutKey;
      c_options.key_value_done = [](void* data) { delete static_cast<KeyValueStore*>(data); };
      c_options.key_value_user_data = new KeyValueStore(*options.store);
    }
    plinth_ifrt_client* client = nullptr;
    const Status status(plinth_ifrt_client_create(&c_options, &client));
    if (!status.ok()) return status;
    return Client(internal::ClientHandle(client));
  }

  std::string_view platform_name() const { return plinth_ifrt_client_platform_name(get()); }
  std::string_view platform_version() const { return plinth_ifrt_client_platform_version(get()); }
  int process_index() const { return plinth_ifrt_client_process_index(get()); }
  // The plugin's table, for what is not here.
  const PJRT_Api* api() const { return plinth_ifrt_client_api(get()); }
  // What each operation rests on with this plugin, as JSON.
  Expected<std::string> Ladder() const {
    char* text = nullptr;
    const Status status(plinth_ifrt_client_ladder(get(), &text));
    if (!status.ok()) return status;
    return internal::TakeText(text);
  }
  // Every device of the run, also those of other processes.
  std::vector<Device> devices() const {
    size_t count = 0;
    const plinth_ifrt_device* const* list = plinth_ifrt_client_devices(get(), &count);
    return internal::Views(list, count);
  }
  std::optional<Device> FindDevice(int id) const {
    const plinth_ifrt_device* device = plinth_ifrt_client_find_device(get(), id);
    if (device == nullptr) return std::nullopt;
    return Device(device);
  }

  // Shardings; "" is the default memory.
  Expected<Sharding> Single(const Device& device, const std::string& memory_kind = "") const {
    return Replicated({&device, 1}, memory_kind);
  }
  Expected<Sharding> Single(const Memory& memory) const {
    return Single(memory.device(), memory.kind());
  }
  Expected<Sharding> Replicated(std::span<const Device> devices,
                                const std::string& memory_kind = "") const {
    return Make(devices, memory_kind, plinth_ifrt_sharding_replicated);
  }
  Expected<Sharding> Opaque(std::span<const Device> devices,
                            const std::string& memory_kind = "") const {
    return Make(devices, memory_kind, plinth_ifrt_sharding_opaque);
  }
  Expected<Sharding> Named(const Mesh& mesh, const AxesOfDims& axes_of_dims,
                           const std::string& memory_kind = "") const {
    std::vector<const char*> names;
    std::vector<int64_t> sizes;
    for (const Mesh::Axis& axis : mesh.axes) {
      names.push_back(axis.name.c_str());
      sizes.push_back(axis.size);
    }
    std::vector<size_t> counts;
    std::vector<size_t> axes;
    for (const std::vector<std::string>& of_dim : axes_of_dims) {
      counts.push_back(of_dim.size());
      for (const std::string& name : of_dim) {
        size_t axis = 0;
        while (axis < names.size() && name != names[axis]) ++axis;
        if (axis == names.size()) {
          return Status(PJRT_Error_Code_INVALID_ARGUMENT, "the mesh has no axis " + name);
        }
        axes.push_back(axis);
      }
    }
    plinth_ifrt_named_sharding named = {plinth_ifrt_named_sharding_STRUCT_SIZE,
                                        names.data(),
                                        sizes.data(),
                                        sizes.size(),
                                        counts.size(),
                                        counts.data(),
                                        axes.data()};
    plinth_ifrt_sharding* made = nullptr;
    const auto raw = internal::Raw(mesh.devices);
    const Status status(plinth_ifrt_sharding_named(get(), raw.data(), raw.size(),
                                                   internal::OrNull(memory_kind), &named, &made));
    if (!status.ok()) return status;
    return Sharding(made);
  }
  Expected<Sharding> FromOpSharding(std::span<const Device> devices, std::string_view bytes,
                                    const std::string& memory_kind = "") const {
    plinth_ifrt_sharding* made = nullptr;
    const auto raw = internal::Raw(devices);
    const Status status(plinth_ifrt_sharding_from_op_sharding(get(), raw.data(), raw.size(),
                                                              internal::OrNull(memory_kind),
                                                              bytes.data(), bytes.size(), &made));
    if (!status.ok()) return status;
    return Sharding(made);
  }
  Expected<Sharding> Concrete(std::span<const Device> devices, std::span<const int64_t> dims,
                              std::span<const IndexDomain> domains,
                              const std::string& memory_kind = "") const {
    std::vector<int64_t> origins;
    std::vector<int64_t> extents;
    for (const IndexDomain& domain : domains) {
      origins.insert(origins.end(), domain.origin.begin(), domain.origin.end());
      extents.insert(extents.end(), domain.extents.begin(), domain.extents.end());
    }
    const size_t needed = devices.size() * dims.size();
    if (domains.size() != devices.size() || origins.size() != needed || extents.size() != needed) {
      return Status(PJRT_Error_Code_INVALID_ARGUMENT, "one index domain for each device is needed");
    }
    plinth_ifrt_sharding* made = nullptr;
    const auto raw = internal::Raw(devices);
    const Status status(plinth_ifrt_sharding_concrete(
        get(), raw.data(), raw.size(), internal::OrNull(memory_kind), dims.data(), dims.size(),
        origins.data(), extents.data(), &made));
    if (!status.ok()) return status;
    return Sharding(made);
  }

  // An array with what the host has: `data` is whole, dense row-major or with strides in bytes.
  // `done` runs once when nothing uses the memory any more. `minor_to_major`: how shards are to lie
  // on their devices, one number for each dimension; null for the plugin's default.
  Expected<Array> FromHost(const ArraySpec& spec, const void* data,
                           const int64_t* byte_strides = nullptr, Host host = Host::kDuringCall,
                           std::function<void()> done = {},
                           const int64_t* minor_to_major = nullptr) const {
    plinth_ifrt_host_array from = {};
    from.struct_size = plinth_ifrt_host_array_STRUCT_SIZE;
    from.type = spec.type;
    from.dims = spec.dims.data();
    from.num_dims = spec.dims.size();
    from.sharding = spec.sharding.get();
    from.data = data;
    from.byte_strides = byte_strides;
    from.minor_to_major = minor_to_major;
    return FromHost(from, host, std::move(done));
  }
  // The same with the contents of each addressable shard.
  Expected<Array> FromHostShards(const ArraySpec& spec, std::span<const void* const> shards,
                                 Host host = Host::kDuringCall,
                                 std::function<void()> done = {}) const {
    plinth_ifrt_host_array from = {};
    from.struct_size = plinth_ifrt_host_array_STRUCT_SIZE;
    from.type = spec.type;
    from.dims = spec.dims.data();
    from.num_dims = spec.dims.size();
    from.sharding = spec.sharding.get();
    from.shard_data = shards.data();
    from.num_shard_data = shards.size();
    return FromHost(from, host, std::move(done));
  }
  template <typename T>
  Expected<Array> FromHost(std::vector<int64_t> dims, const Sharding& sharding,
                           std::span<const T> elements) const {
    size_t count = 1;
    for (const int64_t extent : dims) count *= static_cast<size_t>(extent);
    if (count != elements.size()) {
      return Status(PJRT_Error_Code_INVALID_ARGUMENT, "the shape has " + std::to_string(count) +
                                                          " elements, not " +
                                                          std::to_string(elements.size()));
    }
    return FromHost({TypeOf<T>(), std::move(dims), sharding}, elements.data());
  }
  // An array over the memory of DLManagedTensorVersioned: one whole, or one for each addressable
  // shard. Takes them over; on failure they stay the caller's.
  Expected<Array> FromDlpack(const ArraySpec& spec, std::span<void* const> tensors) const {
    const plinth_ifrt_array_spec c_spec = ToC(spec);
    plinth_ifrt_array* made = nullptr;
    const Status status(
        plinth_ifrt_array_from_dlpack(get(), &c_spec, tensors.data(), tensors.size(), &made));
    if (!status.ok()) return status;
    return Array(handle_, made);
  }
  Expected<Array> Uninitialized(const ArraySpec& spec) const {
    const plinth_ifrt_array_spec c_spec = ToC(spec);
    plinth_ifrt_array* made = nullptr;
    const Status status(plinth_ifrt_arrays_uninitialized(get(), &c_spec, 1, &made));
    if (!status.ok()) return status;
    return Array(handle_, made);
  }
  Expected<Array> ErrorArray(const ArraySpec& spec, PJRT_Error_Code code,
                             const std::string& message) const {
    const plinth_ifrt_array_spec c_spec = ToC(spec);
    plinth_ifrt_array* made = nullptr;
    const Status status(plinth_ifrt_arrays_error(get(), &c_spec, 1, code, message.c_str(), &made));
    if (!status.ok()) return status;
    return Array(handle_, made);
  }
  Expected<Array> Assemble(const ArraySpec& spec, std::span<const Array> shards,
                           Copy copy = Copy::kReuse) const {
    const plinth_ifrt_array_spec c_spec = ToC(spec);
    const auto raw = Raw(shards);
    plinth_ifrt_array* made = nullptr;
    const Status status(plinth_ifrt_array_assemble(get(), &c_spec, raw.data(), raw.size(),
                                                   static_cast<plinth_ifrt_copy_semantics>(copy),
                                                   &made));
    if (!status.ok()) return status;
    return Array(handle_, made);
  }
  // Completes when all are there or have failed.
  Expected<Future<>> Ready(std::span<const Array> arrays) const {
    const auto raw = Raw(arrays);
    plinth_ifrt_future* future = nullptr;
    const Status status(plinth_ifrt_arrays_ready(get(), raw.data(), raw.size(), &future));
    if (!status.ok()) return status;
    return Future<>(internal::FutureHandle(future));
  }
  // Array i gets sharding i.
  Expected<std::vector<Array>> Reshard(std::span<const Array> arrays,
                                       std::span<const Sharding> shardings,
                                       Copy copy = Copy::kAlways, Rung rung = Rung::kAny) const {
    if (arrays.size() != shardings.size()) {
      return Status(PJRT_Error_Code_INVALID_ARGUMENT, "one sharding for each array is needed");
    }
    std::vector<const plinth_ifrt_sharding*> to;
    for (const Sharding& sharding : shardings) to.push_back(sharding.get());
    const auto raw = Raw(arrays);
    std::vector<plinth_ifrt_array*> made(arrays.size());
    const Status status(plinth_ifrt_arrays_reshard(
        get(), raw.data(), raw.size(), to.data(), static_cast<plinth_ifrt_copy_semantics>(copy),
        static_cast<plinth_ifrt_reshard_rung>(rung), made.data()));
    if (!status.ok()) return status;
    return Arrays(made);
  }
  // As Array::CopyTo, of several that are in the same places.
  Expected<std::vector<Array>> CopyTo(std::span<const Array> arrays,
                                      std::span<const Device> devices,
                                      const std::string& memory_kind = "",
                                      Copy copy = Copy::kAlways) const {
    const auto raw = Raw(arrays);
    const auto to = internal::Raw(devices);
    std::vector<plinth_ifrt_array*> made(arrays.size());
    const Status status(plinth_ifrt_arrays_copy(
        get(), raw.data(), raw.size(), to.empty() ? nullptr : to.data(), to.size(),
        internal::OrNull(memory_kind), static_cast<plinth_ifrt_copy_semantics>(copy), made.data()));
    if (!status.ok()) return status;
    return Arrays(made);
  }
  // Whether a remap is sound.
  Status Validate(const Remap& remap) const {
    return Status(
        With(remap, [&](const auto* plan) { return plinth_ifrt_remap_validate(get(), plan); }));
  }
  // Follows it, after validating it.
  Expected<std::vector<Array>> Follow(const Remap& remap, std::span<const Array> arrays,
                                      Copy copy = Copy::kReuse) const {
    const auto raw = Raw(arrays);
    std::vector<plinth_ifrt_array*> made(remap.outputs.size());
    const Status status(With(remap, [&](const auto* plan) {
      return plinth_ifrt_arrays_remap(get(), plan, raw.data(), raw.size(),
                                      static_cast<plinth_ifrt_copy_semantics>(copy), made.data());
    }));
    if (!status.ok()) return status;
    return Arrays(made);
  }

  // Starts to compile; its errors are those of the executable.
  Expected<Executable> Compile(std::string_view code, const CompileOptions& options = {}) const {
    const auto devices = internal::Raw(options.devices);
    std::vector<const char*> overrides;
    for (const std::string& text : options.overrides) overrides.push_back(text.c_str());
    std::vector<const plinth_ifrt_sharding*> shardings;
    for (const Sharding& sharding : options.output_shardings) shardings.push_back(sharding.get());
    plinth_ifrt_compile_options c_options = {};
    c_options.struct_size = plinth_ifrt_compile_options_STRUCT_SIZE;
    c_options.code = code.data();
    c_options.code_size = code.size();
    c_options.format = options.format.c_str();
    c_options.devices = devices.empty() ? nullptr : devices.data();
    c_options.num_devices = devices.size();
    c_options.num_replicas = options.num_replicas;
    c_options.portable = options.portable;
    c_options.use_shardy = options.use_shardy;
    c_options.serial = options.serial;
    c_options.overrides = overrides.data();
    c_options.num_overrides = overrides.size();
    c_options.output_shardings = shardings.data();
    c_options.num_output_shardings = shardings.size();
    plinth_ifrt_executable* made = nullptr;
    const Status status(plinth_ifrt_executable_compile(get(), &c_options, &made));
    if (!status.ok()) return status;
    return Executable(handle_, made);
  }
  // The same as something to wait for.
  Expected<Future<Executable>> CompileAsync(std::string_view code,
                                            const CompileOptions& options = {}) const {
    Expected<Executable> made = Compile(code, options);
    if (!made.ok()) return made.status();
    plinth_ifrt_future* future = nullptr;
    const Status status(plinth_ifrt_executable_ready(made->get(), &future));
    if (!status.ok()) return status;
    return Future<Executable>(internal::FutureHandle(future), *std::move(made));
  }

  plinth_ifrt_client* get() const { return handle_.get(); }

 private:
  explicit Client(internal::ClientHandle handle) : handle_(std::move(handle)) {}

  static plinth_status* ToC(const Status& status) {
    if (status.ok()) return nullptr;
    return plinth_status_create(status.code(), status.message().data(), status.message().size());
  }
  static plinth_status* GetKey(const char* key, size_t key_size, int64_t timeout_ms, char** value,
                               size_t* value_size, void* data) {
    const auto& store = *static_cast<const KeyValueStore*>(data);
    const Expected<std::string> found = store.get({key, key_size}, timeout_ms);
    if (!found.ok()) return ToC(found.status());
    *value = static_cast<char*>(std::malloc(found->size() + 1));
    if (*value == nullptr) return ToC(Status(PJRT_Error_Code_RESOURCE_EXHAUSTED, "no memory"));
    std::memcpy(*value, found->data(), found->size());
    *value_size = found->size();
    return nullptr;
  }
  static plinth_status* PutKey(const char* key, size_t key_size, const char* value,
                               size_t value_size, void* data) {
    const auto& store = *static_cast<const KeyValueStore*>(data);
    return ToC(store.put({key, key_size}, {value, value_size}));
  }

  static std::vector<plinth_ifrt_array*> Raw(std::span<const Array> arrays) {
    std::vector<plinth_ifrt_array*> raw;
    for (const Array& array : arrays) raw.push_back(array.get());
    return raw;
  }
  static plinth_ifrt_array_spec ToC(const ArraySpec& spec) {
    return {plinth_ifrt_array_spec_STRUCT_SIZE, spec.type, spec.dims.data(), spec.dims.size(),
            spec.sharding.get()};
  }
  std::vector<Array> Arrays(std::span<plinth_ifrt_array* const> made) const {
    std::vector<Array> arrays;
    arrays.reserve(made.size());
    for (plinth_ifrt_array* one : made) arrays.emplace_back(handle_, one);
    return arrays;
  }
  // What `call` answers to the plan of the C API.
  template <typename Call>
  static plinth_status* With(const Remap& remap, Call call) {
    std::vector<plinth_ifrt_array_spec> specs;
    for (const ArraySpec& spec : remap.inputs) specs.push_back(ToC(spec));
    for (const ArraySpec& spec : remap.outputs) specs.push_back(ToC(spec));
    std::vector<std::vector<plinth_ifrt_shard_interval>> intervals;
    const auto to_c = [&](const std::vector<Remap::Shards>& list) {
      auto& made = intervals.emplace_back();
      for (const Remap::Shards& one : list) {
        made.push_back({plinth_ifrt_shard_interval_STRUCT_SIZE, one.start, one.end, one.step});
      }
      return made.data();
    };
    std::vector<plinth_ifrt_shard_mapping> mappings;
    for (const Remap::Mapping& one : remap.mappings) {
      mappings.push_back({plinth_ifrt_shard_mapping_STRUCT_SIZE, one.input, one.output,
                          to_c(one.from), one.from.size(), to_c(one.to), one.to.size()});
    }
    const plinth_ifrt_remap_plan plan = {plinth_ifrt_remap_plan_STRUCT_SIZE,
                                         specs.data(),
                                         remap.inputs.size(),
                                         specs.data() + remap.inputs.size(),
                                         remap.outputs.size(),
                                         mappings.data(),
                                         mappings.size()};
    return call(&plan);
  }
  template <typename Function>
  Expected<Sharding> Make(std::span<const Device> devices, const std::string& memory_kind,
                          Function function) const {
    plinth_ifrt_sharding* made = nullptr;
    const auto raw = internal::Raw(devices);
    const Status status(
        function(get(), raw.data(), raw.size(), internal::OrNull(memory_kind), &made));
    if (!status.ok()) return status;
    return Sharding(made);
  }
  Expected<Array> FromHost(const plinth_ifrt_host_array& from, Host host,
                           std::function<void()> done) const {
    using Done = std::function<void()>;
    std::unique_ptr<Done> held;
    plinth_ifrt_done_callback callback = nullptr;
    if (done) {
      held = std::make_unique<Done>(std::move(done));
      callback = [](void* data) {
        const std::unique_ptr<Done> run(static_cast<Done*>(data));
        (*run)();
      };
    }
    plinth_ifrt_array* made = nullptr;
    const Status status(plinth_ifrt_arrays_from_host(get(), &from, 1,
                                                     static_cast<plinth_ifrt_host_semantics>(host),
                                                     callback, held.get(), &made));
    if (!status.ok()) return status;
    (void)held.release();  // The callback has freed it, or will.
    return Array(handle_, made);
  }

  internal::ClientHandle handle_;
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IFRT_HPP_
