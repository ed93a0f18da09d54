// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/caller_callbacks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "impl/loader/plugin_shape.h"
#include "plinth/support/error.h"

namespace plinth::loader {
namespace {

namespace function = reflection::function;
namespace structure = reflection::structure;

// A callback of the caller's, which is handed out as the `user_arg` of ours.
struct Wrapped {
  void* callback = nullptr;
  void* user_arg = nullptr;
};

template <typename Callback>
Callback CallbackOf(const Wrapped& wrapped) {
  return reinterpret_cast<Callback>(wrapped.callback);
}

PJRT_CallbackError make_error = &MakeCallbackError;

// An error that the caller made with `make_error`, as the plugin makes them. Takes it.
PJRT_Error* ToPlugin(PJRT_Error* error, const PJRT_CallbackError* callback_error) {
  if (error == nullptr) return nullptr;
  PJRT_Error_Code code = PluginErrors::CodeOf(error);
  std::string message = PluginErrors::MessageOf(error);
  TakeError(error).ok();
  return (*callback_error)(code, message.data(), message.size());
}

// The three callbacks of the store of key and value: their arguments are alike from 0.28 on, as far
// as a plugin has them.
template <typename Callback, typename Args>
PJRT_Error* KeyValue(Args* args) {
  const Wrapped& caller = *static_cast<const Wrapped*>(args->user_arg);
  Args copy = *args;
  copy.user_arg = caller.user_arg;
  copy.callback_error = &make_error;
  PJRT_Error* error = CallbackOf<Callback>(caller)(&copy);
  const PJRT_CallbackError* callback_error = args->callback_error;
  copy.user_arg = args->user_arg;
  copy.callback_error = args->callback_error;
  *args = copy;
  return ToPlugin(error, callback_error);
}

PJRT_Error* Send(PJRT_Chunk* chunk, PJRT_CallbackError* callback_error, size_t total_size,
                 bool done, void* user_arg) {
  const Wrapped& caller = *static_cast<const Wrapped*>(user_arg);
  PJRT_Error* error =
      CallbackOf<PJRT_SendCallback>(caller)(chunk, &make_error, total_size, done, caller.user_arg);
  return ToPlugin(error, callback_error);
}

// What PJRT_Event_OnReady calls in place of a callback: it lives until then.
struct ReadyContext {
  PJRT_Event_OnReadyCallback callback;
  void* user_arg;
  const PluginErrors& errors;
};

void OnReadyCallback(PJRT_Error* error, void* user_arg) {
  auto* owned = static_cast<ReadyContext*>(user_arg);
  ReadyContext context = *owned;
  delete owned;
  context.callback(context.errors.Lift(error), context.user_arg);
}

// Has `callback` run instead of the caller's; null stays null.
template <typename Callback>
void Replace(Callback* callback, void** user_arg, Callback ours, Wrapped* wrapped) {
  if (*callback == nullptr) return;
  *wrapped = {reinterpret_cast<void*>(*callback), *user_arg};
  *callback = ours;
  *user_arg = wrapped;
}

// A copy of a struct of the plugin's size, which is ours or less.
template <typename Struct>
Struct CopyOf(int structure, const Struct& source) {
  Struct copy{};
  std::memcpy(&copy, &source, std::min(TrueSize(structure, source.struct_size), sizeof(copy)));
  return copy;
}

}  // namespace

// As long as its client.
struct CallerCallbacks::OfClient {
  Wrapped get, put, try_get;
};

// As long as one execution: until its completion events are ready.
struct CallerCallbacks::OfExecution {
  std::vector<Wrapped> callbacks;
  std::atomic<size_t> running{0};

  void Done() {
    if (running.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

CallerCallbacks::CallerCallbacks(const PluginTable& table, const PluginErrors& errors)
    : table_(table), errors_(errors) {}
CallerCallbacks::~CallerCallbacks() = default;

bool CallerCallbacks::MayConcern(int id) {
  return id == function::kPJRT_Event_OnReady || id == function::kPJRT_Client_Create ||
         id == function::kPJRT_Client_Destroy || id == function::kPJRT_LoadedExecutable_Execute;
}

bool CallerCallbacks::Concerns(int id, const void* args) {
  if (id != function::kPJRT_LoadedExecutable_Execute) return MayConcern(id);
  const auto& execute = *static_cast<const PJRT_LoadedExecutable_Execute_Args*>(args);
  return execute.options != nullptr && execute.options->num_send_ops != 0 &&
         execute.options->send_callbacks != nullptr;
}

PJRT_Error* CallerCallbacks::Call(int id, Target target, void* args) {
  switch (id) {
    case function::kPJRT_Event_OnReady:
      return OnReady(target, CopyOf(structure::kPJRT_Event_OnReady_Args,
                                    *static_cast<PJRT_Event_OnReady_Args*>(args)));
    case function::kPJRT_Client_Create:
      return CreateClient(target, static_cast<PJRT_Client_Create_Args*>(args));
    case function::kPJRT_Client_Destroy:
      return DestroyClient(target, static_cast<PJRT_Client_Destroy_Args*>(args));
    default:
      return Execute(target, *static_cast<PJRT_LoadedExecutable_Execute_Args*>(args));
  }
}

PJRT_Error* CallerCallbacks::OnReady(Target target, PJRT_Event_OnReady_Args args) {
  if (args.callback == nullptr) return target(&args);
  auto* context = new ReadyContext{args.callback, args.user_arg, errors_};
  args.callback = &OnReadyCallback;
  args.user_arg = context;
  PJRT_Error* error = target(&args);
  if (error != nullptr) delete context;  // Refused, so the callback never runs.
  return error;
}

PJRT_Error* CallerCallbacks::CreateClient(Target target, PJRT_Client_Create_Args* args) {
  PJRT_Client_Create_Args copy = CopyOf(structure::kPJRT_Client_Create_Args, *args);
  auto callbacks = std::make_unique<OfClient>();
  Replace(&copy.kv_get_callback, &copy.kv_get_user_arg,
          &KeyValue<PJRT_KeyValueGetCallback, PJRT_KeyValueGetCallback_Args>, &callbacks->get);
  Replace(&copy.kv_put_callback, &copy.kv_put_user_arg,
          &KeyValue<PJRT_KeyValuePutCallback, PJRT_KeyValuePutCallback_Args>, &callbacks->put);
  Replace(&copy.kv_try_get_callback, &copy.kv_try_get_user_arg,
          &KeyValue<PJRT_KeyValueTryGetCallback, PJRT_KeyValueTryGetCallback_Args>,
          &callbacks->try_get);
  PJRT_Error* error = target(&copy);
  args->client = copy.client;
  if (error == nullptr) {
    std::lock_guard<std::mutex> lock(mutex_);
    clients_[copy.client] = std::move(callbacks);
  }
  return error;
}

PJRT_Error* CallerCallbacks::DestroyClient(Target target, PJRT_Client_Destroy_Args* args) {
  std::unique_ptr<OfClient> callbacks;
  {
    // Taken out before the call: from its end on another client may have the address.
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = clients_.find(args->client);
    if (found != clients_.end()) {
      callbacks = std::move(found->second);
      clients_.erase(found);
    }
  }
  const PJRT_Client* client = args->client;
  PJRT_Error* error = target(args);
  if (error != nullptr && callbacks != nullptr) {
    std::lock_guard<std::mutex> lock(mutex_);
    clients_[client] = std::move(callbacks);
  }
  return error;
}

PJRT_Error* CallerCallbacks::Execute(Target target,
                                     const PJRT_LoadedExecutable_Execute_Args& args) {
  PJRT_LoadedExecutable_Execute_Args copy =
      CopyOf(structure::kPJRT_LoadedExecutable_Execute_Args, args);
  PJRT_ExecuteOptions options = CopyOf(structure::kPJRT_ExecuteOptions, *args.options);
  copy.options = &options;
  auto execution = std::make_unique<OfExecution>();
  const size_t num_ops = options.num_send_ops;
  execution->callbacks.resize(args.num_devices * num_ops);
  std::vector<PJRT_SendCallbackInfo> infos(args.num_devices * num_ops);
  std::vector<PJRT_SendCallbackInfo*> lists(args.num_devices);
  for (size_t i = 0; i < args.num_devices; ++i) {
    if (options.send_callbacks[i] == nullptr) continue;
    lists[i] = infos.data() + i * num_ops;
    for (size_t j = 0; j < num_ops; ++j) {
      lists[i][j] = options.send_callbacks[i][j];
      Replace(&lists[i][j].send_callback, &lists[i][j].user_arg, &Send,
              &execution->callbacks[i * num_ops + j]);
    }
  }
  options.send_callbacks = lists.data();
  // Events of ours if the caller wants none: they tell when the callbacks have run.
  std::vector<PJRT_Event*> events(args.num_devices);
  const bool owns_events = args.device_complete_events == nullptr;
  if (owns_events) copy.device_complete_events = events.data();

  PJRT_Error* error = target(&copy);
  if (error != nullptr || args.num_devices == 0) return error;
  execution->running = args.num_devices;
  OfExecution* shared = execution.release();
  for (size_t i = 0; i < args.num_devices; ++i) {
    FreeWhenReady(shared, copy.device_complete_events[i], owns_events);
  }
  return nullptr;
}

// Where a plugin gives no event, or none that can be asked, nobody knows when the callbacks end:
// they are kept for good then.
void CallerCallbacks::FreeWhenReady(OfExecution* execution, PJRT_Event* event, bool owns_event) {
  if (event == nullptr) return;
  auto call = [&](function::Id id, void* args) {
    auto target = reinterpret_cast<Target>(table_.Slot(reflection::Get(id)));
    if (target == nullptr) return;
    if (PJRT_Error* error = target(args)) TakeError(errors_.Lift(error)).ok();
  };
  PJRT_Event_OnReady_Args ready{};
  ready.struct_size = PJRT_Event_OnReady_Args_STRUCT_SIZE;
  ready.event = event;
  struct Context {
    OfExecution* execution;
    const PluginErrors& errors;
  };
  ready.user_arg = new Context{execution, errors_};
  ready.callback = [](PJRT_Error* error, void* user_arg) {
    auto* context = static_cast<Context*>(user_arg);
    if (error != nullptr) TakeError(context->errors.Lift(error)).ok();
    context->execution->Done();
    delete context;
  };
  call(function::kPJRT_Event_OnReady, &ready);
  if (!owns_event) return;
  PJRT_Event_Destroy_Args destroy{};
  destroy.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE;
  destroy.event = event;
  call(function::kPJRT_Event_Destroy, &destroy);
}

}  // namespace plinth::loader
