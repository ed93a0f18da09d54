// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/callbacks.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "api/support/ffi_dtype.h"
#include "pjrt_c_api_ffi_extension.h"
#include "plinth/client/api.h"
#include "xla_ffi_c_api.h"

namespace plinth::serve {
namespace {

constexpr std::string_view kKeyPrefix = "plinth-callbacks:";
constexpr std::string_view kPoll = "plinth_callback_poll";
// Keys of one session, which has one or two.
constexpr size_t kMaxChannels = 1024;
constexpr size_t kKeySize = kKeyPrefix.size() + 32;  // 128 bits in hexadecimal.

using Region = std::span<char>;

// The memory of operands or results. UNIMPLEMENTED for types of less than a byte.
Expected<std::vector<Region>> BuffersOf(int64_t count, void* const* buffers) {
  std::vector<Region> all;
  for (int64_t i = 0; i < count; ++i) {
    const auto* buffer = static_cast<const XLA_FFI_Buffer*>(buffers[i]);
    const std::optional<DType> type = DTypeFromFfi(buffer->dtype);
    if (!type)
      return Unimplemented("a callback to the client with elements of a type unknown here");
    const DTypeInfo& info = InfoOf(*type);
    if (*type != DType::kPred && info.bits != 8 * info.bytes) {
      return Unimplemented("a callback to the client with elements of less than a byte: ",
                           info.name);
    }
    int64_t size = info.bytes;
    for (int64_t d = 0; d < buffer->rank; ++d) size *= buffer->dims[d];
    all.emplace_back(static_cast<char*>(buffer->data), static_cast<size_t>(size));
  }
  return all;
}

size_t TotalSize(std::span<const Region> buffers) {
  size_t total = 0;
  for (const Region& one : buffers) total += one.size();
  return total;
}

// Two lists of buffers of equal total size, as if each were one.
void CopyAll(std::span<const Region> from, std::span<const Region> to) {
  size_t at = 0;
  size_t begin = 0;
  for (const Region& source : from) {
    for (size_t done = 0; done < source.size();) {
      while (begin == to[at].size()) {
        ++at;
        begin = 0;
      }
      const size_t count = std::min(source.size() - done, to[at].size() - begin);
      std::memcpy(to[at].data() + begin, source.data() + done, count);
      done += count;
      begin += count;
    }
  }
}

}  // namespace

// Calls under way, of one key. Any thread.
class CallsUnderWay {
 public:
  // Waits for the client's reply.
  Status Call(uint32_t index, std::vector<Region> operands, std::vector<Region> results) {
    Pending call{index, std::move(operands), std::move(results), {}, false};
    std::unique_lock lock(mutex_);
    if (is_closed_) return Gone();
    while (++last_number_ == 0 || calls_.contains(last_number_)) continue;
    const uint32_t number = last_number_;
    calls_.emplace(number, &call);
    waiting_.push_back({number, index});
    changed_.notify_all();
    changed_.wait(lock, [&] { return call.is_done || is_closed_; });
    calls_.erase(number);
    return call.is_done ? call.outcome : Gone();
  }

  Status Poll(std::span<uint32_t> number_and_index) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !waiting_.empty() || is_closed_; });
    if (is_closed_) return Gone();
    std::copy_n(waiting_.front().begin(), 2, number_and_index.begin());
    waiting_.pop_front();
    return {};
  }

  Status Fetch(uint32_t number, Region bytes) {
    const std::lock_guard lock(mutex_);
    PLINTH_ASSIGN_OR_RETURN(Pending* const call, Find(number));
    if (const size_t size = TotalSize(call->operands); size != bytes.size()) {
      return InvalidArgument("call ", number, " has ", size, " bytes of operands, not ",
                             bytes.size());
    }
    CopyAll(call->operands, {&bytes, 1});
    return {};
  }

  Status Reply(uint32_t number, bool is_error, Region bytes) {
    const std::lock_guard lock(mutex_);
    if (number == 0) {
      waiting_.push_back({0, 0});
      changed_.notify_all();
      return {};
    }
    PLINTH_ASSIGN_OR_RETURN(Pending* const call, Find(number));
    if (is_error) {
      call->outcome = Internal(std::string_view(bytes.data(), bytes.size()));
    } else if (const size_t size = TotalSize(call->results); size != bytes.size()) {
      call->outcome = Internal("the client gave ", bytes.size(), " bytes of results for ", size);
    } else {
      CopyAll({&bytes, 1}, call->results);
    }
    call->is_done = true;
    changed_.notify_all();
    return {};
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  // On the stack of its Call; its memory is the plugin's until that returns.
  struct Pending {
    uint32_t index;
    std::vector<Region> operands;
    std::vector<Region> results;
    Status outcome;
    bool is_done;
  };

  static Status Gone() {
    return Status(static_cast<StatusCode>(PJRT_Error_Code_CANCELLED),
                  "the client whose function the program calls is gone");
  }
  Expected<Pending*> Find(uint32_t number) {
    const auto found = calls_.find(number);
    if (found == calls_.end() || found->second->is_done) {
      return NotFound("there is no call ", number, " of a function of this client");
    }
    return found->second;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::array<uint32_t, 2>> waiting_;
  std::unordered_map<uint32_t, Pending*> calls_;
  uint32_t last_number_ = 0;
  bool is_closed_ = false;
};

namespace {

// Channels by key; of the process, as handlers are.
struct ChannelsByKey {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<CallbackChannel>, std::less<>> by_key;
};
ChannelsByKey& TheChannels() {
  static auto* const channels = new ChannelsByKey;  // Handlers may run until the process ends.
  return *channels;
}

}  // namespace

class CallbackChannel {
 public:
  explicit CallbackChannel(std::string key) : key_(std::move(key)) {}
  ~CallbackChannel() {
    ChannelsByKey& channels = TheChannels();
    {
      const std::lock_guard lock(channels.mutex);
      const auto found = channels.by_key.find(key_);
      if (found != channels.by_key.end() && found->second.expired()) channels.by_key.erase(found);
    }
    calls_->Close();
  }
  const std::shared_ptr<CallsUnderWay>& calls() const { return calls_; }

 private:
  const std::string key_;
  // Calls that wait keep it, not this: they end when the last session has let go.
  const std::shared_ptr<CallsUnderWay> calls_ = std::make_shared<CallsUnderWay>();
};

namespace {

CallbackChannelRef OpenChannel(const std::string& key) {
  ChannelsByKey& channels = TheChannels();
  const std::lock_guard lock(channels.mutex);
  std::weak_ptr<CallbackChannel>& known = channels.by_key[key];
  CallbackChannelRef channel = known.lock();
  if (!channel) known = channel = std::make_shared<CallbackChannel>(key);
  return channel;
}

Expected<std::shared_ptr<CallsUnderWay>> FindCalls(std::string_view key) {
  CallbackChannelRef channel;
  {
    ChannelsByKey& channels = TheChannels();
    const std::lock_guard lock(channels.mutex);
    const auto found = channels.by_key.find(key);
    if (found != channels.by_key.end()) channel = found->second.lock();
  }
  if (!channel) return FailedPrecondition("no session has compiled a program with this key");
  return channel->calls();
}

// What a handler gets.
struct CallbackFrame {
  std::string_view key;
  std::optional<uint32_t> index;
  std::vector<Region> operands;
  std::vector<Region> results;

  static Expected<CallbackFrame> Read(const XLA_FFI_CallFrame& frame) {
    CallbackFrame read;
    for (int64_t i = 0; i < frame.attrs.size; ++i) {
      const std::string_view name(frame.attrs.names[i]->ptr, frame.attrs.names[i]->len);
      if (name == "key" && frame.attrs.types[i] == XLA_FFI_AttrType_STRING) {
        const auto* text = static_cast<const XLA_FFI_ByteSpan*>(frame.attrs.attrs[i]);
        read.key = {text->ptr, text->len};
      } else if (name == "index" && frame.attrs.types[i] == XLA_FFI_AttrType_SCALAR) {
        const auto* number = static_cast<const XLA_FFI_Scalar*>(frame.attrs.attrs[i]);
        if (number->dtype == XLA_FFI_DataType_U32) {
          read.index = *static_cast<const uint32_t*>(number->value);
        }
      }
    }
    PLINTH_ASSIGN_OR_RETURN(read.operands, BuffersOf(frame.args.size, frame.args.args));
    PLINTH_ASSIGN_OR_RETURN(read.results, BuffersOf(frame.rets.size, frame.rets.rets));
    return read;
  }
};

Status CheckSizes(std::span<const Region> buffers, std::initializer_list<size_t> sizes) {
  size_t i = 0;
  bool is_right = buffers.size() == sizes.size();
  // SIZE_MAX: of any size.
  for (const size_t size : sizes) {
    is_right = is_right && (size == SIZE_MAX || buffers[i].size() == size);
    ++i;
  }
  if (is_right) return {};
  return InvalidArgument("a custom call for callbacks with operands or results of a wrong size");
}

uint32_t NumberAt(Region bytes, size_t i) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + 4 * i, sizeof(number));
  return number;
}

Status CallTheClient(const CallbackFrame& frame) {
  if (!frame.index) return InvalidArgument("plinth_callback_call without the attribute `index`");
  PLINTH_ASSIGN_OR_RETURN(const auto calls, FindCalls(frame.key));
  return calls->Call(*frame.index, frame.operands, frame.results);
}

Status PollForCall(const CallbackFrame& frame) {
  PLINTH_RETURN_IF_ERROR(CheckSizes(frame.results, {8}));
  PLINTH_ASSIGN_OR_RETURN(const auto calls, FindCalls(frame.key));
  uint32_t numbers[2] = {};
  PLINTH_RETURN_IF_ERROR(calls->Poll(numbers));
  std::memcpy(frame.results[0].data(), numbers, sizeof(numbers));
  return {};
}

Status FetchOperands(const CallbackFrame& frame) {
  PLINTH_RETURN_IF_ERROR(CheckSizes(frame.operands, {4}));
  PLINTH_RETURN_IF_ERROR(CheckSizes(frame.results, {SIZE_MAX}));
  PLINTH_ASSIGN_OR_RETURN(const auto calls, FindCalls(frame.key));
  return calls->Fetch(NumberAt(frame.operands[0], 0), frame.results[0]);
}

Status ReplyToCall(const CallbackFrame& frame) {
  PLINTH_RETURN_IF_ERROR(CheckSizes(frame.operands, {8, SIZE_MAX}));
  PLINTH_RETURN_IF_ERROR(CheckSizes(frame.results, {4}));
  PLINTH_ASSIGN_OR_RETURN(const auto calls, FindCalls(frame.key));
  std::memset(frame.results[0].data(), 0, 4);
  return calls->Reply(NumberAt(frame.operands[0], 0), NumberAt(frame.operands[0], 1) != 0,
                      frame.operands[1]);
}

template <Status (*kHandler)(const CallbackFrame&)>
XLA_FFI_Error* HandleCustomCall(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr &&
      frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata& metadata =
        *reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start)->metadata;
    metadata.api_version.major_version = XLA_FFI_API_MAJOR;
    metadata.api_version.minor_version = XLA_FFI_API_MINOR;
    return nullptr;
  }
  const Expected<CallbackFrame> read = CallbackFrame::Read(*frame);
  const Status status = read.ok() ? kHandler(*read) : read.status();
  if (status.ok()) return nullptr;
  const std::string text(status.message());
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, text.c_str(),
                                    static_cast<XLA_FFI_Error_Code>(status.code())};
  return frame->api->XLA_FFI_Error_Create(&args);
}

}  // namespace

CallbackChannels::~CallbackChannels() {
  for (const CallbackChannelRef& channel : polled_) channel->calls()->Close();
}

void CallbackChannels::Open(std::string_view program) {
  const bool polls = program.find(kPoll) != std::string_view::npos;
  for (size_t at = program.find(kKeyPrefix);
       at != std::string_view::npos && all_.size() < kMaxChannels;
       at = program.find(kKeyPrefix, at + 1)) {
    const std::string_view key = program.substr(at, kKeySize);
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (key.size() != kKeySize ||
        !std::all_of(key.begin() + kKeyPrefix.size(), key.end(), is_digit)) {
      continue;
    }
    CallbackChannelRef channel = OpenChannel(std::string(key));
    if (polls) polled_.insert(channel);
    all_.insert(std::move(channel));
  }
}

Status AddCallbackHandlers(const PJRT_Api* api, std::string_view platform) {
  if (platform != "cpu") return Unimplemented("callbacks on ", platform, ": not host memory");
  PLINTH_ASSIGN_OR_RETURN(const client::Api table, client::Api::FromTable(api));
  const auto* ffi =
      reinterpret_cast<const PJRT_FFI_Extension*>(table.FindExtension(PJRT_Extension_Type_FFI));
  if (ffi == nullptr) return Unimplemented("callbacks: the plugin has no extension FFI");
  const std::pair<std::string_view, XLA_FFI_Handler*> handlers[] = {
      {"plinth_callback_call", &HandleCustomCall<&CallTheClient>},
      {kPoll, &HandleCustomCall<&PollForCall>},
      {"plinth_callback_fetch", &HandleCustomCall<&FetchOperands>},
      {"plinth_callback_reply", &HandleCustomCall<&ReplyToCall>}};
  for (const auto& [name, handler] : handlers) {
    PJRT_FFI_Register_Handler_Args args = {};
    args.target_name = name.data();
    args.target_name_size = name.size();
    args.handler = reinterpret_cast<void*>(handler);
    args.platform_name = platform.data();
    args.platform_name_size = platform.size();
    PLINTH_RETURN_IF_ERROR(table.CallExtension(*ffi, &PJRT_FFI_Extension::register_handler,
                                               "PJRT_FFI_Register_Handler", args,
                                               PJRT_FFI_Register_Handler_Args_STRUCT_SIZE));
  }
  return {};
}

}  // namespace plinth::serve
