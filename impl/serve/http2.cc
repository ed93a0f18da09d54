// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/http2.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <exception>

#include "plinth/support/str_cat.h"

namespace plinth::serve {
namespace {

constexpr uint32_t kMaxStreams = 256;
constexpr uint32_t kMaxFrame = 1 << 20;  // Large frames cost the sender less.
constexpr uint32_t kMaxHeaderBytes = 64 << 10;

nghttp2_nv ToNv(const std::pair<std::string, std::string>& header) {
  nghttp2_nv nv;
  nv.name = reinterpret_cast<uint8_t*>(const_cast<char*>(header.first.data()));
  nv.value = reinterpret_cast<uint8_t*>(const_cast<char*>(header.second.data()));
  nv.namelen = header.first.size();
  nv.valuelen = header.second.size();
  nv.flags = NGHTTP2_NV_FLAG_NONE;
  return nv;
}

std::vector<nghttp2_nv> ToNvs(const Headers& headers) {
  std::vector<nghttp2_nv> nvs;
  for (const auto& header : headers) nvs.push_back(ToNv(header));
  return nvs;
}

// nghttp2 is C: nothing may be thrown through it.
template <typename Body>
auto NoThrow(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception&) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

}  // namespace

const std::string* FindHeader(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

struct Http2::Callbacks {
  static Http2& Self(void* user_data) { return *static_cast<Http2*>(user_data); }

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    return NoThrow([&]() -> int {
      Stream& stream = Self(user_data).streams_[frame->hd.stream_id];
      stream.headers.clear();
      stream.header_bytes = 0;
      return 0;
    });
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* user_data) {
    return NoThrow([&]() -> int {
      Http2& self = Self(user_data);
      const auto found = self.streams_.find(frame->hd.stream_id);
      if (found == self.streams_.end()) return 0;
      Stream& stream = found->second;
      stream.header_bytes += name_size + value_size + 32;
      if (stream.header_bytes > kMaxHeaderBytes) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
      stream.headers.emplace_back(std::string(reinterpret_cast<const char*>(name), name_size),
                                  std::string(reinterpret_cast<const char*>(value), value_size));
      return 0;
    });
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    return NoThrow([&]() -> int {
      Http2& self = Self(user_data);
      const int id = frame->hd.stream_id;
      if (frame->hd.type == NGHTTP2_HEADERS) {
        const auto found = self.streams_.find(id);
        // Trailers of a request mean nothing here.
        const bool is_trailers = frame->headers.cat == NGHTTP2_HCAT_HEADERS &&
                                 nghttp2_session_check_server_session(self.session_) != 0;
        if (found != self.streams_.end() && !is_trailers) {
          self.events_->OnHeaders(id, std::move(found->second.headers));
        }
      }
      if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
          (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 && self.streams_.contains(id)) {
        self.events_->OnEnd(id);
      }
      return 0;
    });
  }

  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user_data) {
    return NoThrow([&]() -> int {
      Http2& self = Self(user_data);
      if (self.streams_.contains(id)) {
        self.events_->OnData(id, {reinterpret_cast<const char*>(data), size});
      } else {
        self.Consume(id, size);
      }
      return 0;
    });
  }

  static int OnClose(nghttp2_session*, int32_t id, uint32_t error_code, void* user_data) {
    return NoThrow([&]() -> int {
      Http2& self = Self(user_data);
      if (self.streams_.erase(id) != 0) self.events_->OnClosed(id, error_code == NGHTTP2_NO_ERROR);
      return 0;
    });
  }

  // An answer may be over before the request is: then the stream is, for both.
  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame, void*) {
    const bool is_last = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                         (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (is_last && nghttp2_session_check_server_session(session) != 0 &&
        nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0) {
      return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                       NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  // As much in a frame as the other side takes: nghttp2 itself stays at 16 KiB, and each frame
  // costs the reader of it some microseconds.
  static ssize_t OnFrameSize(nghttp2_session*, uint8_t, int32_t, int32_t connection_window,
                             int32_t stream_window, uint32_t frame_limit, void*) {
    return std::min({static_cast<int64_t>(connection_window), static_cast<int64_t>(stream_window),
                     static_cast<int64_t>(std::min(frame_limit, kMaxFrame))});
  }

  static ssize_t OnRead(nghttp2_session* session, int32_t id, uint8_t* to, size_t size,
                        uint32_t* flags, nghttp2_data_source*, void* user_data) {
    return NoThrow([&]() -> ssize_t {
      Http2& self = Self(user_data);
      const auto found = self.streams_.find(id);
      if (found == self.streams_.end()) return NGHTTP2_ERR_CALLBACK_FAILURE;
      Http2Source& source = *found->second.source;
      bool is_end = false;
      const size_t taken = source.Read(reinterpret_cast<char*>(to), size, &is_end);
      if (is_end) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        const Headers trailers = source.Trailers();
        if (!trailers.empty()) {
          *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
          const auto nvs = ToNvs(trailers);
          if (nghttp2_submit_trailer(session, id, nvs.data(), nvs.size()) != 0) {
            return NGHTTP2_ERR_CALLBACK_FAILURE;
          }
        }
      } else if (taken == 0) {
        return NGHTTP2_ERR_DEFERRED;
      }
      return static_cast<ssize_t>(taken);
    });
  }
};

Http2::Http2(Role role, Events* events, const Windows& windows) : events_(events) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0) {
    nghttp2_session_callbacks_del(callbacks);
    error_ = ResourceExhausted("out of host memory");
    return;
  }
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, Callbacks::OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::OnHeader);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::OnFrame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::OnData);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, Callbacks::OnSent);
  nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, Callbacks::OnFrameSize);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::OnClose);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_peer_max_concurrent_streams(option, kMaxStreams);
  const int made = role == Role::kServer
                       ? nghttp2_session_server_new2(&session_, callbacks, this, option)
                       : nghttp2_session_client_new2(&session_, callbacks, this, option);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(option);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMaxStreams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(windows.stream)},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, kMaxFrame},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMaxHeaderBytes},
  };
  if (made != 0 || nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, 4) != 0 ||
      nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, windows.connection) !=
          0) {
    error_ = ResourceExhausted("out of host memory");
  }
}

Http2::~Http2() { nghttp2_session_del(session_); }

Status Http2::Feed(std::string_view bytes) {
  if (!error_.ok()) return error_;
  const ssize_t taken = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) {
    error_ = InvalidArgument("HTTP/2: ", nghttp2_strerror(static_cast<int>(taken)));
  }
  return error_;
}

Status Http2::Send(std::string* out, size_t limit) {
  while (session_ != nullptr && out->size() < limit) {
    const uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    if (size < 0) {
      error_ = Internal("HTTP/2: ", nghttp2_strerror(static_cast<int>(size)));
      return error_;
    }
    if (size == 0) break;
    out->append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  }
  return {};
}

bool Http2::IsDone() const {
  return session_ == nullptr || !error_.ok() ||
         (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0);
}

void Http2::Respond(int stream, const Headers& headers, std::unique_ptr<Http2Source> source) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  const auto nvs = ToNvs(headers);
  nghttp2_data_provider provider = {};
  provider.read_callback = Callbacks::OnRead;
  found->second.source = std::move(source);
  if (nghttp2_submit_response(session_, stream, nvs.data(), nvs.size(),
                              found->second.source ? &provider : nullptr) != 0) {
    Reset(stream);
  }
}

Expected<int> Http2::Request(const Headers& headers, std::unique_ptr<Http2Source> source) {
  if (!error_.ok()) return error_;
  const auto nvs = ToNvs(headers);
  nghttp2_data_provider provider = {};
  provider.read_callback = Callbacks::OnRead;
  const int stream = nghttp2_submit_request(session_, nullptr, nvs.data(), nvs.size(),
                                            source ? &provider : nullptr, nullptr);
  if (stream < 0) return Internal("HTTP/2: ", nghttp2_strerror(stream));
  streams_[stream].source = std::move(source);
  return stream;
}

void Http2::Resume(int stream) {
  // Fails if the stream is not waiting, which is as well.
  (void)nghttp2_session_resume_data(session_, stream);
}

void Http2::Reset(int stream) {
  (void)nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_INTERNAL_ERROR);
}

void Http2::Consume(int stream, size_t bytes) {
  // The stream may be gone; the connection has its bytes back in any case.
  (void)nghttp2_session_consume(session_, stream, bytes);
}

void Http2::GoAway() { (void)nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR); }

}  // namespace plinth::serve
