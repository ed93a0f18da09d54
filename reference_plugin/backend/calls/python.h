// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_PYTHON_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_PYTHON_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "plinth/support/status.h"

// The interpreter of this process, if it has one. Nothing links to Python: its functions are looked
// up in the process at first use, so the plugin loads in C programs too, and in any version.
namespace plinth::backend::python {

struct Object;  // PyObject

// The functions that are used, of the stable ABI.
struct Functions {
  int (*IsInitialized)();
  int (*EnsureLock)();
  void (*ReleaseLock)(int);
  void (*IncRef)(Object*);
  void (*DecRef)(Object*);
  Object* (*ImportModule)(const char* name);
  Object* (*GetAttribute)(Object* object, const char* name);
  Object* (*Call)(Object* callable, Object* arguments);
  Object* (*NewTuple)(intptr_t size);
  int (*SetTupleItem)(Object* tuple, intptr_t index, Object* item);  // takes the item
  Object* (*FromInteger)(long long value);  // NOLINT(google-runtime-int): Python's signature
  Object* (*FromText)(const char* utf8);
  void* (*CapsulePointer)(Object* capsule, const char* name);
  Object* (*ViewMemory)(char* data, intptr_t size, int flags);
  intptr_t (*SequenceSize)(Object* sequence);
  Object* (*SequenceItem)(Object* sequence, intptr_t index);
  int (*Equal)(Object* a, Object* b, int operation);
  Object* (*ToText)(Object* object);
  const char* (*Utf8)(Object* text, intptr_t* size);
  void (*FetchError)(Object** type, Object** value, Object** trace);
  void (*NormalizeError)(Object** type, Object** value, Object** trace);
  void (*ClearError)();
  Object* none;
  int (*IsFinalizing)();  // null if this version has no such function
};

// FAILED_PRECONDITION if there is no interpreter, or it is going away.
Expected<const Functions*> Find();

// Whether the interpreter is going away. A thread that wants its lock then is ended by Python,
// through the destructors of what stands on its stack: these must leave Python alone.
inline bool IsGone(const Functions& functions) {
  return functions.IsFinalizing != nullptr && functions.IsFinalizing() != 0;
}

// Python's lock, held from here to the end of the scope. Find() has succeeded.
class Lock {
 public:
  explicit Lock(const Functions& functions)
      : functions_(functions), state_(functions.EnsureLock()) {}
  ~Lock() {
    if (!IsGone(functions_)) functions_.ReleaseLock(state_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  const Functions& functions_;
  const int state_;
};

// A reference that is dropped at the end, with the lock held. Null after a Python error.
class Ref {
 public:
  Ref(const Functions& functions, Object* object) : functions_(&functions), object_(object) {}
  Ref(Ref&& other) noexcept
      : functions_(other.functions_), object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(functions_, other.functions_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr && !IsGone(*functions_)) functions_->DecRef(object_);
  }

  Object* get() const { return object_; }
  Object* Release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const Functions* functions_;
  Object* object_;
};

// The tuple of these; takes them. Null if one of them is.
template <typename... Refs>
Ref MakeTuple(const Functions& functions, Refs... items) {
  Ref tuple(functions, (... && bool(items)) ? functions.NewTuple(sizeof...(items)) : nullptr);
  intptr_t index = 0;
  if (tuple) (functions.SetTupleItem(tuple.get(), index++, items.Release()), ...);
  return tuple;
}

// object.name(arguments...): a method of an object, or a function of a module. Null if that fails,
// or if the object or an argument is null.
template <typename... Refs>
Ref CallMethod(const Functions& functions, const Ref& object, const char* name, Refs... arguments) {
  const Ref method(functions, object ? functions.GetAttribute(object.get(), name) : nullptr);
  const Ref tuple = MakeTuple(functions, std::move(arguments)...);
  return Ref(functions, method && tuple ? functions.Call(method.get(), tuple.get()) : nullptr);
}

// The error that Python has set, with its trace, as text; clears it.
std::string TakeError(const Functions& functions);
// str(object), or what went wrong.
std::string ToString(const Functions& functions, Object* object);

}  // namespace plinth::backend::python

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_PYTHON_H_
