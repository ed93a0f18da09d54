#include "plinth/support/status.h"

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

Status::Status(StatusCode code, std::string message) {
  if (code == StatusCode::kOk) return;
  contents_ = std::make_shared<const Contents>(Contents{code, std::move(message), {}});
}

const std::vector<Status::Payload>& Status::payloads() const {
  static const std::vector<Payload> kNone;
  return ok() ? kNone : contents_->payloads;
}

Status Status::WithPayload(std::string key, std::string value) const {
  if (ok()) return *this;
  Contents contents = *contents_;
  contents.payloads.push_back({std::move(key), std::move(value)});
  Status result;
  result.contents_ = std::make_shared<const Contents>(std::move(contents));
  return result;
}

Status Status::WithContext(std::string_view context) const {
  if (ok()) return *this;
  Contents contents = *contents_;
  contents.message = StrCat(context, ": ", contents.message);
  Status result;
  result.contents_ = std::make_shared<const Contents>(std::move(contents));
  return result;
}

std::string Status::ToString() const {
  return ok() ? "OK" : StrCat(StatusCodeName(code()), ": ", message());
}

}  // namespace plinth
