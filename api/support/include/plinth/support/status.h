// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_STATUS_H_
#define PLINTH_SUPPORT_STATUS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/support/str_cat.h"

namespace plinth {

// The standard codes; the numbers are those of PJRT_Error_Code.
enum class StatusCode : int {
  kOk = PJRT_Error_Code_OK,
  kCancelled = PJRT_Error_Code_CANCELLED,
  kUnknown = PJRT_Error_Code_UNKNOWN,
  kInvalidArgument = PJRT_Error_Code_INVALID_ARGUMENT,
  kDeadlineExceeded = PJRT_Error_Code_DEADLINE_EXCEEDED,
  kNotFound = PJRT_Error_Code_NOT_FOUND,
  kAlreadyExists = PJRT_Error_Code_ALREADY_EXISTS,
  kPermissionDenied = PJRT_Error_Code_PERMISSION_DENIED,
  kResourceExhausted = PJRT_Error_Code_RESOURCE_EXHAUSTED,
  kFailedPrecondition = PJRT_Error_Code_FAILED_PRECONDITION,
  kAborted = PJRT_Error_Code_ABORTED,
  kOutOfRange = PJRT_Error_Code_OUT_OF_RANGE,
  kUnimplemented = PJRT_Error_Code_UNIMPLEMENTED,
  kInternal = PJRT_Error_Code_INTERNAL,
  kUnavailable = PJRT_Error_Code_UNAVAILABLE,
  kDataLoss = PJRT_Error_Code_DATA_LOSS,
  kUnauthenticated = PJRT_Error_Code_UNAUTHENTICATED,
};

// "INVALID_ARGUMENT" and so on; "UNKNOWN" for a number that is no code.
std::string_view StatusCodeName(StatusCode code);

// Success, or a code with a message that says what was asked, what was found and what to do,
// and optional named payloads (opaque bytes that travel with the error across the C ABI).
// One word; copying shares the immutable contents, which are counted. Any thread may read a Status.
class [[nodiscard]] Status {
 public:
  struct Payload {
    std::string key;
    std::string value;
  };

  Status() = default;  // Success.
  Status(StatusCode code, std::string message);
  Status(const Status& other) : contents_(other.contents_) {
    if (contents_ != nullptr) AddReference(*contents_);
  }
  Status(Status&& other) noexcept : contents_(std::exchange(other.contents_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(contents_, other.contents_);
    return *this;
  }
  ~Status() {
    if (contents_ != nullptr) DropReference(contents_);
  }

  bool ok() const { return contents_ == nullptr; }
  StatusCode code() const;
  std::string_view message() const;
  const std::vector<Payload>& payloads() const;

  // The same error with one more payload. A success stays a success.
  Status WithPayload(std::string key, std::string value) const;
  // The same error with "context: " in front of the message. A success stays a success.
  Status WithContext(std::string_view context) const;

  // "INVALID_ARGUMENT: message", or "OK".
  std::string ToString() const;

 private:
  struct Contents;
  explicit Status(Contents* contents) : contents_(contents) {}  // Takes over one reference.
  static void AddReference(Contents& contents);
  static void DropReference(Contents* contents);

  Contents* contents_ = nullptr;  // Null for success.
};

template <typename... Pieces>
Status InvalidArgument(const Pieces&... pieces) {
  return Status(StatusCode::kInvalidArgument, StrCat(pieces...));
}
template <typename... Pieces>
Status NotFound(const Pieces&... pieces) {
  return Status(StatusCode::kNotFound, StrCat(pieces...));
}
template <typename... Pieces>
Status FailedPrecondition(const Pieces&... pieces) {
  return Status(StatusCode::kFailedPrecondition, StrCat(pieces...));
}
template <typename... Pieces>
Status ResourceExhausted(const Pieces&... pieces) {
  return Status(StatusCode::kResourceExhausted, StrCat(pieces...));
}
template <typename... Pieces>
Status OutOfRange(const Pieces&... pieces) {
  return Status(StatusCode::kOutOfRange, StrCat(pieces...));
}
template <typename... Pieces>
Status Unimplemented(const Pieces&... pieces) {
  return Status(StatusCode::kUnimplemented, StrCat(pieces...));
}
template <typename... Pieces>
Status Internal(const Pieces&... pieces) {
  return Status(StatusCode::kInternal, StrCat(pieces...));
}

// A value of type T or the error that explains why there is none. Reading the value of an error
// is a programming mistake of the reader, as dereferencing an empty std::optional is.
template <typename T>
class [[nodiscard]] Expected {
 public:
  using value_type = T;

  Expected(T value) : value_(std::move(value)) {}       // NOLINT: implicit by design
  Expected(Status error) : status_(std::move(error)) {  // NOLINT: implicit by design
    if (status_.ok()) status_ = Internal("an Expected was made from a success without a value");
  }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }

  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

#define PLINTH_RETURN_IF_ERROR(expression)                                    \
  do {                                                                        \
    if (::plinth::Status plinth_status = (expression); !plinth_status.ok()) { \
      return plinth_status;                                                   \
    }                                                                         \
  } while (false)

#define PLINTH_CONCAT_INNER(a, b) a##b
#define PLINTH_CONCAT(a, b) PLINTH_CONCAT_INNER(a, b)

// PLINTH_ASSIGN_OR_RETURN(auto x, F()): declares or assigns x from an Expected, or returns its
// error.
#define PLINTH_ASSIGN_OR_RETURN(left, expression) \
  PLINTH_ASSIGN_OR_RETURN_IMPL(PLINTH_CONCAT(plinth_expected_, __COUNTER__), left, expression)
#define PLINTH_ASSIGN_OR_RETURN_IMPL(temporary, left, expression) \
  auto temporary = (expression);                                  \
  if (!temporary.ok()) return temporary.status();                 \
  left = *std::move(temporary)

}  // namespace plinth

#endif  // PLINTH_SUPPORT_STATUS_H_
