// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/python.h"
#include "reference_plugin/backend/calls/python_callback_list.h"
#include "reference_plugin/backend/calls/table.h"
#include "reference_plugin/backend/run/call_context.h"

// jax.pure_callback, io_callback, debug.print and debug.callback: a Python function of the host,
// named by its number in a list that the framework gives to each execution.
namespace plinth::backend {
namespace {

using python::Functions;
using python::Object;
using python::Ref;

constexpr int kReadable = 0x100, kWritable = 0x200;  // PyBUF_READ, PyBUF_WRITE
constexpr int kEqual = 2;                            // Py_EQ

struct NumpyType {
  DType dtype;
  const char* module;
  const char* name;
};
constexpr NumpyType kNumpyTypes[] = {
    {DType::kPred, "numpy", "bool_"},
    {DType::kS8, "numpy", "int8"},
    {DType::kS16, "numpy", "int16"},
    {DType::kS32, "numpy", "int32"},
    {DType::kS64, "numpy", "int64"},
    {DType::kU8, "numpy", "uint8"},
    {DType::kU16, "numpy", "uint16"},
    {DType::kU32, "numpy", "uint32"},
    {DType::kU64, "numpy", "uint64"},
    {DType::kF16, "numpy", "float16"},
    {DType::kF32, "numpy", "float32"},
    {DType::kF64, "numpy", "float64"},
    {DType::kC64, "numpy", "complex64"},
    {DType::kC128, "numpy", "complex128"},
    {DType::kBF16, "ml_dtypes", "bfloat16"},
    {DType::kS2, "ml_dtypes", "int2"},
    {DType::kU2, "ml_dtypes", "uint2"},
    {DType::kS4, "ml_dtypes", "int4"},
    {DType::kU4, "ml_dtypes", "uint4"},
    {DType::kF4E2M1FN, "ml_dtypes", "float4_e2m1fn"},
    {DType::kF8E3M4, "ml_dtypes", "float8_e3m4"},
    {DType::kF8E4M3, "ml_dtypes", "float8_e4m3"},
    {DType::kF8E4M3FN, "ml_dtypes", "float8_e4m3fn"},
    {DType::kF8E4M3B11FNUZ, "ml_dtypes", "float8_e4m3b11fnuz"},
    {DType::kF8E4M3FNUZ, "ml_dtypes", "float8_e4m3fnuz"},
    {DType::kF8E5M2, "ml_dtypes", "float8_e5m2"},
    {DType::kF8E5M2FNUZ, "ml_dtypes", "float8_e5m2fnuz"},
    {DType::kF8E8M0FNU, "ml_dtypes", "float8_e8m0fnu"},
};

// An operand or result; tokens have no numpy type.
struct Array {
  CustomCallArray array;
  const NumpyType* type = nullptr;
  compiler::Dims byte_strides;
};

// The interpreter, with its lock held, and the error that ended a call.
class Interpreter {
 public:
  explicit Interpreter(const Functions& functions) : f(functions) {}

  Ref Make(Object* object) const { return Ref(f, object); }
  // The tuple of these; takes them. Null if one of them is.
  template <typename... Refs>
  Ref Tuple(Refs... items) const {
    return python::MakeTuple(f, std::move(items)...);
  }
  Ref Integers(std::span<const int64_t> values) const {
    Ref tuple = Make(f.NewTuple(static_cast<intptr_t>(values.size())));
    for (size_t i = 0; tuple && i < values.size(); ++i) {
      Object* const value = f.FromInteger(values[i]);
      if (value == nullptr) return Make(nullptr);
      f.SetTupleItem(tuple.get(), static_cast<intptr_t>(i), value);
    }
    return tuple;
  }
  // A function of a module, called.
  template <typename... Refs>
  Ref Call(const Ref& module, const char* name, Refs... arguments) const {
    return python::CallMethod(f, module, name, std::move(arguments)...);
  }

  const Functions& f;
};

class PythonCallbackStep final : public PreparedStep {
 public:
  PythonCallbackStep(uint64_t index, std::vector<Array> operands, std::vector<Array> results)
      : index_(index), operands_(std::move(operands)), results_(std::move(results)) {}

  bool may_wait() const override { return true; }

  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& context) const override {
    PLINTH_ASSIGN_OR_RETURN(Object* const callback, python::FindCallback(*context.call, index_));
    PLINTH_ASSIGN_OR_RETURN(const Functions* functions, python::Find());
    const python::Lock lock(*functions);
    return CallWithLock(Interpreter(*functions), callback, operands, results);
  }

 private:
  Status CallWithLock(const Interpreter& python, Object* callback, std::span<void* const> operands,
                      std::span<void* const> results) const {
    const Functions& f = python.f;
    Ref numpy = python.Make(f.ImportModule("numpy"));
    Ref arguments = python.Make(f.NewTuple(static_cast<intptr_t>(operands_.size())));
    if (!numpy || !arguments) return PythonError(f);
    for (size_t i = 0; i < operands_.size(); ++i) {
      // Copied, because the callback may keep it and the operand's memory is used again.
      Ref argument = operands_[i].type == nullptr
                         ? NoneOf(python)
                         : python.Call(numpy, "array",
                                       View(python, numpy, operands_[i], operands[i], kReadable));
      if (!argument) return PythonError(f);
      f.SetTupleItem(arguments.get(), static_cast<intptr_t>(i), argument.Release());
    }
    Ref values = python.Make(f.Call(callback, arguments.get()));
    if (!values) return PythonError(f);
    if (results_.empty()) return Status();
    const intptr_t count = f.SequenceSize(values.get());
    if (count < 0) return PythonError(f);
    if (count != static_cast<intptr_t>(results_.size())) {
      return InvalidArgument("the Python callback returned ", count, " values; expected ",
                             results_.size());
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].type == nullptr) continue;
      Ref value = python.Make(f.SequenceItem(values.get(), static_cast<intptr_t>(i)));
      if (!value) return PythonError(f);
      PLINTH_RETURN_IF_ERROR(Store(python, numpy, i, std::move(value), results[i]));
    }
    return Status();
  }

  static Status PythonError(const Functions& f) {
    return Internal("a Python callback failed: ", python::TakeError(f));
  }

  static Ref NoneOf(const Interpreter& python) {
    python.f.IncRef(python.f.none);
    return python.Make(python.f.none);
  }

  static Ref TypeOf(const Interpreter& python, const Ref& numpy, const NumpyType& type) {
    Ref module = python.Make(python.f.ImportModule(type.module));
    Ref scalar = python.Make(module ? python.f.GetAttribute(module.get(), type.name) : nullptr);
    return python.Call(numpy, "dtype", std::move(scalar));
  }

  // A numpy array over the bytes of an operand or result.
  static Ref View(const Interpreter& python, const Ref& numpy, const Array& array, void* data,
                  int flags) {
    static char nothing = 0;
    char* const bytes = data == nullptr ? &nothing : static_cast<char*>(data);
    return python.Call(numpy, "ndarray", python.Integers(array.array.dims),
                       TypeOf(python, numpy, *array.type),
                       python.Make(python.f.ViewMemory(bytes, array.array.SizeInBytes(), flags)),
                       python.Make(python.f.FromInteger(0)), python.Integers(array.byte_strides));
  }

  Status Store(const Interpreter& python, const Ref& numpy, size_t index, Ref value,
               void* data) const {
    const Functions& f = python.f;
    const Array& expected = results_[index];
    Ref array = python.Call(numpy, "asarray", std::move(value));
    Ref type = python.Make(array ? f.GetAttribute(array.get(), "dtype") : nullptr);
    Ref shape = python.Make(type ? f.GetAttribute(array.get(), "shape") : nullptr);
    Ref wanted_type = TypeOf(python, numpy, *expected.type);
    Ref wanted_shape = python.Integers(expected.array.dims);
    if (!shape || !wanted_type || !wanted_shape) return PythonError(f);
    const int same_type = f.Equal(type.get(), wanted_type.get(), kEqual);
    const int same_shape = f.Equal(shape.get(), wanted_shape.get(), kEqual);
    if (same_type < 0 || same_shape < 0) return PythonError(f);
    if (same_type == 0 || same_shape == 0) {
      return InvalidArgument("the Python callback returned value ", index, " as ",
                             python::ToString(f, type.get()), python::ToString(f, shape.get()),
                             "; expected ", python::ToString(f, wanted_type.get()),
                             python::ToString(f, wanted_shape.get()));
    }
    Ref target = View(python, numpy, expected, data, kWritable);
    Ref copied = python.Call(numpy, "copyto", std::move(target), std::move(array));
    return copied ? Status() : PythonError(f);
  }

  const uint64_t index_;
  const std::vector<Array> operands_, results_;
};

Expected<std::vector<Array>> ArraysOf(std::span<const CustomCallArray> list) {
  std::vector<Array> arrays;
  for (const CustomCallArray& source : list) {
    Array& array = arrays.emplace_back();
    array.array = source;
    if (source.dtype == DType::kToken) continue;
    for (const NumpyType& type : kNumpyTypes) {
      if (type.dtype == source.dtype) array.type = &type;
    }
    if (array.type == nullptr) {
      return Unimplemented("arrays of ", Name(source.dtype), " cannot be handed to Python");
    }
    array.byte_strides = compiler::Dims(source.dims.size(), 0);
    int64_t stride = ByteSize(source.dtype);
    for (int64_t dim : source.minor_to_major) {
      array.byte_strides[dim] = stride;
      stride *= source.dims[dim];
    }
  }
  return arrays;
}

Expected<std::unique_ptr<PreparedStep>> PreparePythonCallback(const CustomCall& call) {
  PLINTH_ASSIGN_OR_RETURN(const int64_t index, call.Integer("index"));
  PLINTH_ASSIGN_OR_RETURN(std::vector<Array> operands, ArraysOf(call.operands));
  PLINTH_ASSIGN_OR_RETURN(std::vector<Array> results, ArraysOf(call.results));
  return std::unique_ptr<PreparedStep>(new PythonCallbackStep(
      static_cast<uint64_t>(index), std::move(operands), std::move(results)));
}

// JAX through 0.5.3 passes the address of an object inside jaxlib, which nobody else can call.
Expected<std::unique_ptr<PreparedStep>> RefuseOldCallback(const CustomCall&) {
  return Unimplemented(
      "Python callbacks of JAX before 0.6.0 (pure_callback, io_callback, debug.print) are called "
      "inside jaxlib only; use JAX 0.6.0 or newer, or leave the callback out");
}

constexpr CustomCallRow kPythonCallbackRows[] = {
    // Frameworks name the platform that they lower for; the function is the host's all the same.
    {"xla_python_cpu_callback", RefuseOldCallback},
    {"xla_python_gpu_callback", RefuseOldCallback},
    {"xla_ffi_partitioned_python_cpu_callback", PreparePythonCallback},
    {"xla_ffi_partitioned_python_gpu_callback", PreparePythonCallback},
    {"xla_ffi_python_cpu_callback", PreparePythonCallback},
    {"xla_ffi_python_gpu_callback", PreparePythonCallback},
};

}  // namespace

std::span<const CustomCallRow> PythonCallbackRows() { return kPythonCallbackRows; }

}  // namespace plinth::backend
