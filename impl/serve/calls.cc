// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "impl/serve/connection.h"
#include "impl/serve/session.h"
#include "plinth/support/str_cat.h"

// The methods of the service xla.ifrt.proxy.GrpcIfrtService.
namespace plinth::serve {
namespace {

// Requests of these methods name a buffer or a version.
constexpr size_t kMaxSmallMessage = 64 << 10;
constexpr size_t kChunk = size_t{1} << 20;
// Answers that the client does not take: beyond this no request of it is read.
constexpr size_t kMaxWaitingAnswers = size_t{1} << 20;
// Answers that nobody waits for.
constexpr size_t kMaxLateAnswers = size_t{16} << 10;

// A method with one message in and one out, or a stream out.
class SmallCall : public Call {
 public:
  using Call::Call;
  void OnData(std::string_view bytes) override {
    Consume(bytes.size());
    if (received_.size() + bytes.size() > kMaxSmallMessage) {
      too_long_ = true;
    } else {
      received_.append(bytes);
    }
  }
  void OnEnd() override {
    grpc::Unframer unframer(kMaxSmallMessage);
    unframer.Add(received_);
    const Expected<std::optional<std::string_view>> message = unframer.Next();
    Status status;
    if (too_long_) {
      status = ResourceExhausted("a request of more than ", kMaxSmallMessage, " bytes");
    } else if (!message.ok()) {
      status = message.status();
    } else if (!message->has_value() || unframer.num_waiting() != 0) {
      status = InvalidArgument("one whole message is needed");
    } else {
      status = Handle(**message);
    }
    if (!status.ok()) Finish(status);
  }

 private:
  // Responds, or returns why not.
  virtual Status Handle(std::string_view message) = 0;
  std::string received_;
  bool too_long_ = false;
};

class GetVersionCall : public SmallCall {
 public:
  using SmallCall::SmallCall;

 private:
  Status Handle(std::string_view message) override {
    proxy::GrpcGetVersionRequest request;
    PLINTH_RETURN_IF_ERROR(proxy::Read(message, &request));
    PLINTH_ASSIGN_OR_RETURN(const proxy::IfrtProxyVersion version, Negotiate(request));
    FinishWith(proxy::Write(proxy::GrpcGetVersionResponse{version}));
    return {};
  }
};

// The bytes of a host buffer as messages of a megabyte each, copied nowhere but into frames.
class ChunkSource : public Http2Source {
 public:
  explicit ChunkSource(HostBufferRef buffer) : buffer_(std::move(buffer)) {}

  size_t Read(char* to, size_t size, bool* is_end) override {
    size_t taken = 0;
    while (taken < size) {
      if (!header_.empty()) {
        const size_t part = std::min(size - taken, header_.size());
        std::memcpy(to + taken, header_.data(), part);
        header_.erase(0, part);
        taken += part;
        continue;
      }
      if (offset_ < chunk_end_) {
        const size_t part = std::min(size - taken, chunk_end_ - offset_);
        std::memcpy(to + taken, buffer_->data() + offset_, part);
        offset_ += part;
        taken += part;
        continue;
      }
      // An empty buffer is one empty message.
      if (offset_ == buffer_->size() && has_begun_) {
        *is_end = true;
        break;
      }
      has_begun_ = true;
      BeginChunk();
    }
    return taken;
  }
  Headers Trailers() override { return grpc::StatusTrailers({}); }

 private:
  // The frame and the field `data`, as a GrpcHostBufferLookupResponse has them before its bytes.
  void BeginChunk() {
    const size_t size = std::min(kChunk, buffer_->size() - offset_);
    chunk_end_ = offset_ + size;
    std::string field;
    if (size != 0) {
      field = "\x0a";
      for (size_t rest = size;; rest >>= 7) {
        field.push_back(static_cast<char>((rest & 127) | (rest > 127 ? 128 : 0)));
        if (rest <= 127) break;
      }
    }
    const size_t message = field.size() + size;
    header_ = {0, static_cast<char>(message >> 24), static_cast<char>(message >> 16),
               static_cast<char>(message >> 8), static_cast<char>(message)};
    header_ += field;
  }

  const HostBufferRef buffer_;
  std::string header_;
  size_t offset_ = 0;
  size_t chunk_end_ = 0;
  bool has_begun_ = false;
};

class LookupCall : public SmallCall {
 public:
  using SmallCall::SmallCall;

 private:
  Status Handle(std::string_view message) override {
    proxy::GrpcHostBufferLookupRequest request;
    PLINTH_RETURN_IF_ERROR(proxy::Read(message, &request));
    PLINTH_ASSIGN_OR_RETURN(const auto buffers,
                            connection().service().FindSession(request.session_id));
    const auto found = buffers->Find(request.handle);
    if (!found) return NotFound("there is no host buffer ", request.handle);
    PLINTH_ASSIGN_OR_RETURN(HostBufferRef buffer, *found);
    Respond(std::make_unique<ChunkSource>(std::move(buffer)));
    return {};
  }
};

class DeleteCall : public SmallCall {
 public:
  using SmallCall::SmallCall;

 private:
  Status Handle(std::string_view message) override {
    proxy::GrpcHostBufferDeleteRequest request;
    PLINTH_RETURN_IF_ERROR(proxy::Read(message, &request));
    PLINTH_ASSIGN_OR_RETURN(const auto buffers,
                            connection().service().FindSession(request.session_id));
    PLINTH_RETURN_IF_ERROR(buffers->Delete(request.handle));
    FinishWith("");
    return {};
  }
};

// A host buffer that comes in pieces, each copied to its place as it comes: the frames of gRPC and
// the field `data` of the messages are cut off on the way.
class StoreCall : public Call {
 public:
  StoreCall(Connection* connection, int stream, std::shared_ptr<HostBuffers> buffers,
            HostBufferRef buffer, uint64_t handle)
      : Call(connection, stream),
        buffers_(std::move(buffers)),
        buffer_(std::move(buffer)),
        handle_(handle) {}
  ~StoreCall() override {
    if (!is_over_) {
      buffers_->Fail(handle_, Status(static_cast<StatusCode>(PJRT_Error_Code_DATA_LOSS),
                                     StrCat("host buffer ", handle_, ": the client stopped after ",
                                            received_, " of ", buffer_->size(), " bytes")));
    }
  }

  void OnData(std::string_view bytes) override {
    Consume(bytes.size());
    while (!bytes.empty() && !is_over_) {
      if (data_left_ != 0) {
        const size_t part = std::min(bytes.size(), data_left_);
        if (part > buffer_->size() - received_) {
          return Fail(StrCat("more than the ", buffer_->size(), " bytes that were announced"));
        }
        std::memcpy(buffer_->data() + received_, bytes.data(), part);
        received_ += part;
        data_left_ -= part;
        message_left_ -= part;
        bytes.remove_prefix(part);
        continue;
      }
      header_.push_back(bytes.front());
      bytes.remove_prefix(1);
      if (message_left_ == 0) {
        ReadFrameHeader();
      } else {
        --message_left_;
        ReadFieldHeader();
      }
    }
  }

  void OnEnd() override {
    if (is_over_) return;
    if (!header_.empty() || message_left_ != 0 || received_ != buffer_->size()) {
      return Fail(
          StrCat(received_, " bytes instead of the ", buffer_->size(), " that were announced"));
    }
    is_over_ = true;
    const Status status = buffers_->Put(handle_, buffer_);
    if (status.ok()) {
      FinishWith("");
    } else {
      Finish(status);
    }
  }

 private:
  void ReadFrameHeader() {
    if (header_.size() < grpc::kFrameHeader) return;
    if (header_[0] != 0) return Fail("a compressed message; grpc-encoding must be identity");
    for (size_t i = 1; i < grpc::kFrameHeader; ++i) {
      message_left_ = message_left_ << 8 | static_cast<unsigned char>(header_[i]);
    }
    header_.clear();
  }

  // The tag of `data` and its length, which may take five bytes.
  void ReadFieldHeader() {
    if (header_[0] != '\x0a') return Fail("a message with another field than data");
    if (header_.size() == 1) {
      if (message_left_ == 0) Fail("a message that ends in the middle");
      return;
    }
    if ((header_.back() & 0x80) != 0) {
      if (header_.size() > 5 || message_left_ == 0) Fail("a length that does not end");
      return;
    }
    for (size_t i = header_.size(); i-- > 1;) {
      data_left_ = data_left_ << 7 | static_cast<unsigned char>(header_[i] & 0x7f);
    }
    header_.clear();
    if (data_left_ > message_left_) Fail("a field that is longer than its message");
  }

  void Fail(std::string_view what) {
    is_over_ = true;
    const Status error(static_cast<StatusCode>(PJRT_Error_Code_DATA_LOSS),
                       StrCat("host buffer ", handle_, ": ", what));
    buffers_->Fail(handle_, error);
    Finish(error);
  }

  const std::shared_ptr<HostBuffers> buffers_;
  const HostBufferRef buffer_;
  const uint64_t handle_;
  size_t received_ = 0;
  size_t message_left_ = 0;
  size_t data_left_ = 0;
  std::string header_;
  bool is_over_ = false;
};

// A client's session. Requests wait, unread, for the host buffers that they use, and for the client
// to take answers.
class SessionCall : public Call {
 public:
  SessionCall(Connection* connection, int stream)
      : Call(connection, stream), unframer_(MaxMessage(connection->service().limits())) {}
  ~SessionCall() override {
    Consume(unconsumed_);  // The window of the connection is also that of its other calls.
    if (buffers_) buffers_->Close();
    if (session_) connection().service().RemoveSession(session_->id());
  }

  Status Open(const proxy::GrpcIfrtSessionMetadata& metadata) {
    PLINTH_RETURN_IF_ERROR(CheckVersion(metadata.version));
    Service& service = connection().service();
    // Other connections tell of buffers; this one looks whether it is theirs that it waits for.
    const auto work = [mailbox = std::weak_ptr(connection().mailbox()), owner = &connection(),
                       id = stream()] {
      if (const auto box = mailbox.lock()) {
        box->Post([owner, id] {
          if (Call* call = owner->FindCall(id)) static_cast<SessionCall*>(call)->Work();
        });
      }
    };
    work_ = work;
    buffers_ = std::make_shared<HostBuffers>(connection().account(), work);
    PLINTH_ASSIGN_OR_RETURN(const uint64_t id, service.AddSession(buffers_));
    session_ =
        std::make_shared<Session>(service.client(), id, metadata, buffers_, connection().mailbox(),
                                  [this](const proxy::IfrtResponse& response, bool is_awaited) {
                                    Answer(response, is_awaited);
                                  });
    auto answers = std::make_unique<grpc::MessageQueue>([this] {
      if (is_full_ && answers_->num_waiting() < kMaxWaitingAnswers / 2) {
        is_full_ = false;
        work_();
      }
    });
    answers_ = answers.get();
    Respond(std::move(answers));
    return {};
  }

  void OnData(std::string_view bytes) override {
    if (is_over_) return Consume(bytes.size());
    unframer_.Add(bytes);
    unconsumed_ += bytes.size();
    Work();
  }

  void OnEnd() override {
    is_ended_ = true;
    Work();
  }

  void Count(Counts* counts) const override {
    if (!session_) return;
    ++counts->sessions;
    counts->requests += session_->num_requests();
    counts->pending += session_->num_pending();
    counts->arrays += session_->num_arrays();
    counts->executables += session_->num_executables();
  }

 private:
  // A message is kept until it is whole.
  static size_t MaxMessage(const Service::Limits& limits) {
    return std::min(limits.max_message,
                    static_cast<size_t>(std::max<int64_t>(limits.memory_per_connection, 0)));
  }
  // Handles what can be handled now.
  void Work() {
    while (!is_over_ && !is_full_) {
      if (!has_request_) {
        const Expected<std::optional<std::string_view>> message = unframer_.Next();
        if (!message.ok()) return End(message.status());
        if (!message->has_value()) {
          if (is_ended_ && unframer_.num_waiting() != 0) {
            return End(InvalidArgument("the session ends in the middle of a request"));
          }
          if (is_ended_) End({});
          break;
        }
        request_ = {};
        const Status status = proxy::Read(**message, &request_);
        if (!status.ok()) return End(status);
        has_request_ = true;
      }
      if (!session_->IsReady(request_)) return;  // Nothing more is read, so the client stops.
      has_request_ = false;
      session_->Handle(request_);
      is_full_ = answers_->num_waiting() > kMaxWaitingAnswers;
    }
    if (!is_full_ && unconsumed_ != 0) {
      // Also of a request that is not whole: a large one needs more than a window.
      Consume(std::exchange(unconsumed_, 0));
    }
  }

  void Answer(const proxy::IfrtResponse& response, bool is_awaited) {
    if (is_over_) return;
    answers_->Add(grpc::Frame(proxy::Write(response)));
    if (is_awaited || answers_->num_waiting() > kMaxLateAnswers) {
      connection().Resume(stream());
    } else {
      connection().ResumeLater(stream());
    }
  }

  void End(const Status& status) {
    is_over_ = true;
    if (!status.ok()) {
      connection().service().LogLine(StrCat("a session ends: ", status.ToString()));
    }
    Consume(std::exchange(unconsumed_, 0));
    answers_->End(grpc::StatusTrailers(status));
    connection().Resume(stream());
  }

  grpc::Unframer unframer_;
  std::shared_ptr<HostBuffers> buffers_;
  std::shared_ptr<Session> session_;
  std::function<void()> work_;
  grpc::MessageQueue* answers_ = nullptr;  // Lives as long as the stream.
  proxy::IfrtRequest request_;
  bool has_request_ = false;  // It waits for host buffers.
  bool is_full_ = false;      // The client takes no answers.
  bool is_ended_ = false;
  bool is_over_ = false;
  size_t unconsumed_ = 0;
};

template <typename Message>
Expected<Message> ReadHeader(const Headers& headers, std::string_view name) {
  const std::string* value = FindHeader(headers, name);
  if (value == nullptr) return InvalidArgument("the header ", name, " is missing");
  PLINTH_ASSIGN_OR_RETURN(const std::string bytes, grpc::DecodeBinaryHeader(*value));
  Message message;
  PLINTH_RETURN_IF_ERROR(proxy::Read(bytes, &message));
  return message;
}

}  // namespace

Expected<std::unique_ptr<Call>> MakeCall(Connection* connection, int stream,
                                         const Headers& headers) {
  const std::string* path = FindHeader(headers, ":path");
  const std::string_view name = path == nullptr ? "" : std::string_view(*path);
  constexpr std::string_view kService = "/xla.ifrt.proxy.GrpcIfrtService/";
  const std::string_view method =
      name.starts_with(kService) ? name.substr(kService.size()) : std::string_view();
  using Made = std::unique_ptr<Call>;
  if (method == "GetVersion") return Made(std::make_unique<GetVersionCall>(connection, stream));
  if (method == "HostBufferLookup") return Made(std::make_unique<LookupCall>(connection, stream));
  if (method == "HostBufferDelete") return Made(std::make_unique<DeleteCall>(connection, stream));
  if (method == "HostBufferStore") {
    PLINTH_ASSIGN_OR_RETURN(const auto metadata,
                            ReadHeader<proxy::GrpcHostBufferStoreMetadata>(
                                headers, "ifrt-proxy-grpc-host-buffer-store-metadata-bin"));
    PLINTH_ASSIGN_OR_RETURN(const auto buffers,
                            connection->service().FindSession(metadata.session_id));
    Expected<HostBufferRef> buffer = HostBuffer::Create(buffers->account(), metadata.buffer_size);
    if (!buffer.ok()) {
      buffers->Fail(metadata.handle, buffer.status());
      return buffer.status();
    }
    return Made(std::make_unique<StoreCall>(connection, stream, buffers, *std::move(buffer),
                                            metadata.handle));
  }
  if (method == "IfrtSession") {
    PLINTH_ASSIGN_OR_RETURN(const auto metadata,
                            ReadHeader<proxy::GrpcIfrtSessionMetadata>(
                                headers, "ifrt-proxy-grpc-ifrt-session-metadata-bin"));
    auto call = std::make_unique<SessionCall>(connection, stream);
    PLINTH_RETURN_IF_ERROR(call->Open(metadata));
    return Made(std::move(call));
  }
  return Unimplemented("plinth-serve has no method '", name.substr(0, 200), "'");
}

}  // namespace plinth::serve
