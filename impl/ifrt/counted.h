// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_COUNTED_H_
#define PLINTH_IMPL_IFRT_COUNTED_H_

#include <atomic>
#include <cstdint>
#include <utility>

namespace plinth::ifrt {

// What a handle of the C API points to: counts its references and ends with the last. Made with one
// reference. Any thread.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  void Retain() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  virtual ~Counted() = default;

 private:
  mutable std::atomic<uint32_t> references_{1};
};

// One reference to a Counted.
template <typename T>
class Ref {
 public:
  Ref() = default;
  // Takes over a reference.
  static Ref Adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Adds one.
  static Ref Share(T* object) {
    if (object != nullptr) object->Retain();
    return Adopt(object);
  }
  Ref(const Ref& other) : Ref(Share(other.object_)) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->Release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // The caller has the reference now.
  T* Give() { return std::exchange(object_, nullptr); }
  template <typename Base>
  operator Ref<Base>() const {  // NOLINT: a reference to the base
    return Ref<Base>::Share(object_);
  }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Args>
Ref<T> MakeRef(Args&&... args) {
  return Ref<T>::Adopt(new T(std::forward<Args>(args)...));
}

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_COUNTED_H_
