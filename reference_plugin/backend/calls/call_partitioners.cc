// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/call_partitioners.h"

#include <dlfcn.h>

#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <utility>
#include <vector>

#include "plinth/program/program.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"
#include "plinth/support/xla_messages.h"
#include "reference_plugin/backend/calls/python.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/passes/inline.h"
#include "reference_plugin/program/hlo_types.h"

namespace plinth::backend {
namespace {

using Callbacks = JAX_CustomCallPartitioner_Callbacks;
using Text = JAX_CustomCallPartitioner_string;

Text TextOf(const std::string& bytes) { return {bytes.data(), bytes.size()}; }
std::string_view ViewOf(const Text& text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string ShapeBytes(const compiler::Type& type) {
  const program::HloElementType* const element = program::FindHloElementType(type.dtype);
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_int32(messages::ShapeProto::kElementType, element == nullptr ? 0 : element->number);
  writer.add_packed_int64(messages::ShapeProto::kDimensions, type.dims.begin(), type.dims.end());
  // Readers of bounds expect one for each dimension.
  const std::vector<bool> is_dynamic(type.dims.size(), false);
  writer.add_packed_bool(messages::ShapeProto::kIsDynamicDimension, is_dynamic.begin(),
                         is_dynamic.end());
  return bytes;
}

// Shapes and shardings in XLA's messages, for as long as a callback reads them.
class Arrays {
 public:
  using Array = compiler::partition::CallPartitioners::Array;

  explicit Arrays(std::span<const Array> arrays) {
    for (const Array& array : arrays) {
      shapes_.push_back(ShapeBytes(*array.type));
      shardings_.push_back(program::WriteOpSharding(array.sharding));
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
      values_.push_back({TextOf(shapes_[i]), true, TextOf(shardings_[i])});
    }
  }
  // One array, or a tuple.
  JAX_CustomCallPartitioner_aval Joined(std::span<const Array> arrays) {
    if (values_.size() == 1) return values_[0];
    protozero::pbf_writer shape(tuple_shape_);
    shape.add_int32(messages::ShapeProto::kElementType, program::kHloTupleType);
    program::OpSharding sharding;
    sharding.kind = program::OpSharding::Kind::kTuple;
    for (size_t i = 0; i < arrays.size(); ++i) {
      shape.add_message(messages::ShapeProto::kTupleShapes, shapes_[i]);
      sharding.elements.push_back(arrays[i].sharding);
    }
    tuple_sharding_ = program::WriteOpSharding(sharding);
    return {TextOf(tuple_shape_), true, TextOf(tuple_sharding_)};
  }
  std::vector<JAX_CustomCallPartitioner_aval>& values() { return values_; }

 private:
  std::vector<std::string> shapes_, shardings_;
  std::string tuple_shape_, tuple_sharding_;
  std::vector<JAX_CustomCallPartitioner_aval> values_;
};

Expected<program::OpSharding> ReadSharding(const Text& text) {
  return program::ReadOpSharding(AsBytes(ViewOf(text)));
}

// jaxlib hands out bytecode of the dialect itself, in a form that only the same build reads. It can
// write text of it, in the interpreter that has just made it.
Expected<std::string> TextByPython(std::string_view bytecode) {
  PLINTH_ASSIGN_OR_RETURN(const python::Functions* const functions, python::Find());
  const python::Functions& f = *functions;
  const python::Lock lock(f);
  constexpr int kReadOnly = 0x100;  // PyBUF_READ
  std::string copy(bytecode);
  python::Ref view(f, f.ViewMemory(copy.data(), static_cast<intptr_t>(copy.size()), kReadOnly));
  const python::Ref builtins(f, f.ImportModule("builtins"));
  python::Ref bytes = python::CallMethod(f, builtins, "bytes", std::move(view));
  const python::Ref dialects(f, f.ImportModule("jax._src.interpreters.mlir"));
  python::Ref context = python::CallMethod(f, dialects, "make_ir_context");
  const python::Ref ir(f, f.ImportModule("jaxlib.mlir.ir"));
  const python::Ref type(f, ir ? f.GetAttribute(ir.get(), "Module") : nullptr);
  const python::Ref module =
      python::CallMethod(f, type, "parse", std::move(bytes), std::move(context));
  if (!module) return Internal("Python cannot read it: ", python::TakeError(f));
  return python::ToString(f, module.get());
}

Expected<program::Module> ReadPart(std::string_view code) {
  constexpr std::string_view kBytecode = "ML\xefR";
  Expected<program::Module> read = program::Read(AsBytes(code));
  if (read.ok() || !code.starts_with(kBytecode)) return read;
  PLINTH_ASSIGN_OR_RETURN(const std::string text, TextByPython(code));
  return program::ReadText(text);
}

// Frees what a callback has handed out.
class Cleanup {
 public:
  explicit Cleanup(const JAX_CustomCallPartitioner_version_and_error& header) : header_(header) {}
  ~Cleanup() {
    if (header_.cleanup_fn != nullptr) header_.cleanup_fn(header_.data);
  }
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;

 private:
  const JAX_CustomCallPartitioner_version_and_error& header_;
};

// What stands in the backend_config of an InspectSharding: pointers of the process that traced the
// program. The layout is jaxlib's (0.4.34 to 0.12).
struct InspectArgs {
  const char* sharding;  // an OpSharding
  size_t sharding_size;
  const char* error;
  size_t error_size;
  void* error_scratch;
  void (*free_error)(InspectArgs* args);
};
struct InspectCallback {
  void (*call)(void* data, InspectArgs* args);
  void* data;
};

// Nobody else's code is called, whatever stands in a program.
bool IsOfJaxlib(const void* function) {
  Dl_info info;
  return function != nullptr && dladdr(function, &info) != 0 && info.dli_fname != nullptr &&
         std::string_view(info.dli_fname).find("jaxlib") != std::string_view::npos;
}

PJRT_Error* RegisterPartitioner(PJRT_Register_Custom_Partitioner_Args* args) {
  constexpr std::string_view kName = "PJRT_Register_Custom_Partitioner";
  if (args == nullptr || args->struct_size < PJRT_Register_Custom_Partitioner_Args_STRUCT_SIZE) {
    return MakeError(InvalidArgument(kName, ": its arguments are missing or too short"));
  }
  if (args->name == nullptr || args->name_size == 0 || args->callbacks == nullptr) {
    return MakeError(InvalidArgument(kName, ": it needs a name and callbacks"));
  }
  return MakeError(RegisteredPartitioners::Get().Register(
      std::string_view(args->name, args->name_size), args->callbacks));
}

// Nothing is to be kept: such calls have an attribute num_batch_dims, which the partitioner heeds
// whoever they are of.
PJRT_Error* RegisterBatches(PJRT_Register_Batch_Partitionable_Args* args) {
  if (args == nullptr || args->struct_size < PJRT_Register_Batch_Partitionable_Args_STRUCT_SIZE ||
      args->name == nullptr) {
    return MakeError(InvalidArgument(
        "PJRT_Register_Batch_Partitionable: its arguments are missing or too short"));
  }
  return nullptr;
}

}  // namespace

RegisteredPartitioners& RegisteredPartitioners::Get() {
  static auto* const partitioners = new RegisteredPartitioners;
  return *partitioners;
}

Status RegisteredPartitioners::Register(std::string_view target, Callbacks* callbacks) {
  if (callbacks->partition == nullptr) {
    return InvalidArgument("the partitioner of @", target, " has no function partition");
  }
  const std::lock_guard lock(mutex_);
  callbacks_[std::string(target)] = callbacks;
  return Status();
}

bool RegisteredPartitioners::Has(std::string_view target) const {
  const std::lock_guard lock(mutex_);
  return callbacks_.contains(target);
}

Expected<RegisteredPartitioners::Part> RegisteredPartitioners::Partition(
    const compiler::Op& op, std::span<const Array> operands, std::span<const Array> results,
    int64_t num_partitions) {
  const auto& call = op.Get<compiler::CustomCallAttributes>();
  Callbacks* callbacks = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = callbacks_.find(call.target);
    if (found == callbacks_.end()) return Internal("nobody partitions @", call.target);
    callbacks = found->second;
  }
  Arrays given(operands), wanted(results);
  JAX_CustomCallPartitioner_Partition_Args args{};
  args.num_args = operands.size();
  args.op_args = given.values().data();
  args.op_result = wanted.Joined(results);
  args.backend_config = {call.backend_config.data(), call.backend_config.size()};
  callbacks->partition(callbacks, &args);
  const Cleanup cleanup(args.header);
  if (args.header.has_error) {
    return StatusFromParts(args.header.code, args.header.error_msg.data, args.header.error_msg.size)
        .WithContext("its partitioner");
  }
  Part part;
  for (size_t i = 0; i < operands.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(part.operands.emplace_back(), ReadSharding(args.args_sharding[i]));
  }
  PLINTH_ASSIGN_OR_RETURN(program::OpSharding result, ReadSharding(args.result_sharding));
  if (results.size() == 1) {
    part.results.push_back(std::move(result));
  } else {
    part.results = std::move(result.elements);
  }
  Expected<program::Module> read = ReadPart(ViewOf(args.mlir_module));
  if (!read.ok()) return read.status().WithContext("the program of its partitioner");
  Expected<std::unique_ptr<compiler::Module>> module =
      compiler::importer::Import(*std::move(read), {1, num_partitions});
  if (!module.ok()) return module.status().WithContext("the program of its partitioner");
  part.module = *std::move(module);
  PLINTH_RETURN_IF_ERROR(compiler::passes::Inline(*part.module));
  return part;
}

Status RegisteredPartitioners::Tell(std::string_view backend_config,
                                    const program::OpSharding& sharding) {
  InspectCallback callback;
  if (backend_config.size() != sizeof(callback)) return Status();
  std::memcpy(&callback, backend_config.data(), sizeof(callback));
  if (!IsOfJaxlib(reinterpret_cast<const void*>(callback.call))) return Status();
  const std::string bytes = program::WriteOpSharding(sharding);
  InspectArgs args{};
  args.sharding = bytes.data();
  args.sharding_size = bytes.size();
  callback.call(callback.data, &args);
  if (args.error == nullptr) return Status();
  Status status =
      Internal("who inspects a sharding: ", std::string_view(args.error, args.error_size));
  if (args.free_error != nullptr) args.free_error(&args);
  return status;
}

PJRT_Extension_Base* CustomPartitionerExtension() {
  static PJRT_Custom_Partitioner_Extension extension = [] {
    PJRT_Custom_Partitioner_Extension made{};
    made.base.struct_size = PJRT_Custom_Partitioner_Extension_STRUCT_SIZE;
    made.base.type = PJRT_Extension_Type_Custom_Partitioner;
    made.register_custom_partitioner = RegisterPartitioner;
    made.register_batch_partitionable = RegisterBatches;
    return made;
  }();
  return &extension.base;
}

}  // namespace plinth::backend
