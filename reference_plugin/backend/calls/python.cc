// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/python.h"

#include <dlfcn.h>

namespace plinth::backend::python {
namespace {

template <typename T>
bool Look(const char* name, T* slot) {
  *slot = reinterpret_cast<T>(dlsym(RTLD_DEFAULT, name));
  return *slot != nullptr;
}

struct Found {
  Functions functions{};
  const char* missing = nullptr;
};

Found LookAll() {
  Found found;
  Functions& f = found.functions;
  const auto need = [&](const char* name, auto* slot) {
    if (found.missing == nullptr && !Look(name, slot)) found.missing = name;
  };
  need("Py_IsInitialized", &f.IsInitialized);
  need("PyGILState_Ensure", &f.EnsureLock);
  need("PyGILState_Release", &f.ReleaseLock);
  need("Py_IncRef", &f.IncRef);
  need("Py_DecRef", &f.DecRef);
  need("PyImport_ImportModule", &f.ImportModule);
  need("PyObject_GetAttrString", &f.GetAttribute);
  need("PyObject_CallObject", &f.Call);
  need("PyTuple_New", &f.NewTuple);
  need("PyTuple_SetItem", &f.SetTupleItem);
  need("PyLong_FromLongLong", &f.FromInteger);
  need("PyUnicode_FromString", &f.FromText);
  need("PyCapsule_GetPointer", &f.CapsulePointer);
  need("PyMemoryView_FromMemory", &f.ViewMemory);
  need("PySequence_Size", &f.SequenceSize);
  need("PySequence_GetItem", &f.SequenceItem);
  need("PyObject_RichCompareBool", &f.Equal);
  need("PyObject_Str", &f.ToText);
  need("PyUnicode_AsUTF8AndSize", &f.Utf8);
  need("PyErr_Fetch", &f.FetchError);
  need("PyErr_NormalizeException", &f.NormalizeError);
  need("PyErr_Clear", &f.ClearError);
  need("_Py_NoneStruct", &f.none);
  // The public name came with 3.13.
  if (!Look("Py_IsFinalizing", &f.IsFinalizing)) Look("_Py_IsFinalizing", &f.IsFinalizing);
  return found;
}

// The lines of traceback.format_exception, or null. Takes the three references.
Ref FormatException(const Functions& f, Object* type, Object* value, Object* trace) {
  Ref module(f, f.ImportModule("traceback"));
  Ref format(f, module ? f.GetAttribute(module.get(), "format_exception") : nullptr);
  Ref arguments(f, f.NewTuple(3));
  if (!arguments) return arguments;
  f.SetTupleItem(arguments.get(), 0, type);
  f.SetTupleItem(arguments.get(), 1, value);
  f.SetTupleItem(arguments.get(), 2, trace);
  if (!format) return format;
  return Ref(f, f.Call(format.get(), arguments.get()));
}

}  // namespace

Expected<const Functions*> Find() {
  static const Found* const found = new Found(LookAll());
  if (found->missing != nullptr) {
    return FailedPrecondition("this process has no Python interpreter: the symbol ", found->missing,
                              " is not in it");
  }
  const Functions* functions = &found->functions;
  if (functions->IsInitialized() == 0 || IsGone(*functions)) {
    return FailedPrecondition("Python is not running, or is being shut down");
  }
  return functions;
}

std::string ToString(const Functions& f, Object* object) {
  Ref text(f, object == nullptr ? nullptr : f.ToText(object));
  intptr_t size = 0;
  const char* utf8 = text ? f.Utf8(text.get(), &size) : nullptr;
  if (utf8 == nullptr) {
    f.ClearError();
    return "(no text)";
  }
  return std::string(utf8, static_cast<size_t>(size));
}

std::string TakeError(const Functions& f) {
  Object *type = nullptr, *value = nullptr, *trace = nullptr;
  f.FetchError(&type, &value, &trace);
  if (type == nullptr) return "Python reported an error and set none";
  f.NormalizeError(&type, &value, &trace);
  std::string brief = ToString(f, type) + ": " + ToString(f, value);
  if (trace == nullptr || value == nullptr) {
    Ref drop_type(f, type), drop_value(f, value), drop_trace(f, trace);
    return brief;
  }
  Ref lines = FormatException(f, type, value, trace);  // takes the three
  std::string text;
  const intptr_t count = lines ? f.SequenceSize(lines.get()) : 0;
  for (intptr_t i = 0; i < count; ++i) {
    Ref line(f, f.SequenceItem(lines.get(), i));
    text += ToString(f, line.get());
  }
  if (text.empty()) {
    f.ClearError();
    return brief;
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace plinth::backend::python
