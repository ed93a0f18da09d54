// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/status.h"

#include <atomic>

namespace plinth {

std::string_view StatusCodeName(StatusCode code) {
  static constexpr std::string_view kNames[] = {"OK",
                                                "CANCELLED",
                                                "UNKNOWN",
                                                "INVALID_ARGUMENT",
                                                "DEADLINE_EXCEEDED",
                                                "NOT_FOUND",
                                                "ALREADY_EXISTS",
                                                "PERMISSION_DENIED",
                                                "RESOURCE_EXHAUSTED",
                                                "FAILED_PRECONDITION",
                                                "ABORTED",
                                                "OUT_OF_RANGE",
                                                "UNIMPLEMENTED",
                                                "INTERNAL",
                                                "UNAVAILABLE",
                                                "DATA_LOSS",
                                                "UNAUTHENTICATED"};
  auto index = static_cast<size_t>(code);
  return index < std::size(kNames) ? kNames[index] : "UNKNOWN";
}

// Immutable but for the count.
struct Status::Contents {
  StatusCode code;
  std::string message;
  std::vector<Payload> payloads;
  std::atomic<uint32_t> references = 1;
};

Status::Status(StatusCode code, std::string message) {
  if (code != StatusCode::kOk) contents_ = new Contents{code, std::move(message), {}};
}

void Status::AddReference(Contents& contents) {
  contents.references.fetch_add(1, std::memory_order_relaxed);
}

void Status::DropReference(Contents* contents) {
  if (contents->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete contents;
}

StatusCode Status::code() const { return ok() ? StatusCode::kOk : contents_->code; }

std::string_view Status::message() const { return ok() ? std::string_view() : contents_->message; }

const std::vector<Status::Payload>& Status::payloads() const {
  static const std::vector<Payload> kNone;
  return ok() ? kNone : contents_->payloads;
}

Status Status::WithPayload(std::string key, std::string value) const {
  if (ok()) return *this;
  std::vector<Payload> payloads = contents_->payloads;
  payloads.push_back({std::move(key), std::move(value)});
  return Status(new Contents{contents_->code, contents_->message, std::move(payloads)});
}

Status Status::WithContext(std::string_view context) const {
  if (ok()) return *this;
  return Status(new Contents{contents_->code, StrCat(context, ": ", contents_->message),
                             contents_->payloads});
}

std::string Status::ToString() const {
  return ok() ? "OK" : StrCat(StatusCodeName(code()), ": ", message());
}

}  // namespace plinth
