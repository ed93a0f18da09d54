// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/callback_store.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "impl/ifrt/c_api.h"

namespace plinth::ifrt {
namespace {

class CallbackStore : public client::KeyValueStore {
 public:
  explicit CallbackStore(const plinth_ifrt_client_options& options)
      : get_(GetField(options, &plinth_ifrt_client_options::key_value_get, nullptr)),
        put_(GetField(options, &plinth_ifrt_client_options::key_value_put, nullptr)),
        done_(GetField(options, &plinth_ifrt_client_options::key_value_done, nullptr)),
        user_data_(GetField(options, &plinth_ifrt_client_options::key_value_user_data, nullptr)) {}
  ~CallbackStore() override {
    if (done_ != nullptr) done_(user_data_);
  }

  bool has_both() const { return get_ != nullptr && put_ != nullptr; }
  bool has_any() const { return get_ != nullptr || put_ != nullptr || done_ != nullptr; }

  Expected<std::string> Get(std::string_view key, std::chrono::milliseconds timeout) override {
    char* value = nullptr;
    size_t size = 0;
    PLINTH_IFRT_RETURN_IF_ERROR(TakeCStatus(
        get_(key.data(), key.size(), int64_t{timeout.count()}, &value, &size, user_data_)));
    if (value == nullptr && size != 0) {
      return Internal("the key-value store succeeded with a null value of ", size, " bytes");
    }
    std::string copy(value == nullptr ? "" : value, size);
    std::free(value);
    return copy;
  }
  Expected<std::string> TryGet(std::string_view key) override {
    return Get(key, std::chrono::milliseconds(0));
  }
  Status Put(std::string_view key, std::string_view value) override {
    return TakeCStatus(put_(key.data(), key.size(), value.data(), value.size(), user_data_));
  }

 private:
  const plinth_ifrt_key_value_get_callback get_;
  const plinth_ifrt_key_value_put_callback put_;
  const plinth_ifrt_done_callback done_;
  void* const user_data_;
};

}  // namespace

Expected<std::unique_ptr<client::KeyValueStore>> StoreFromC(
    const plinth_ifrt_client_options& options) {
  auto store = std::make_unique<CallbackStore>(options);
  if (store->has_any() && !store->has_both()) {
    return InvalidArgument("a key-value store needs both key_value_get and key_value_put");
  }
  if (!store->has_any()) return std::unique_ptr<client::KeyValueStore>();
  return std::unique_ptr<client::KeyValueStore>(std::move(store));
}

}  // namespace plinth::ifrt
