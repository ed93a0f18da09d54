// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/waiting.h"

#include <utility>

#include "conformance/cases/alias_buffer.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace waiting {
namespace {

const std::vector<float> kValues = {1, 2, 3, 4};

template <typename T>
std::shared_ptr<T> Kept(Waiting& waiting, T value) {
  auto shared = std::make_shared<T>(std::move(value));
  waiting.kept.push_back(shared);
  return shared;
}

PJRT_Memory* FirstMemory(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  return device.ok() ? DefaultMemoryOf(context, *device) : nullptr;
}

bool MakeCreated(Context& context, Waiting& waiting) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Event_Create", context.plugin().Call(create)))
    return false;
  waiting.event = OwnedEvent(context.plugin(), create.event);
  // The event may be destroyed before it is set only by who sets it.
  waiting.end = [&context, event = create.event](const Ending& ending) {
    std::string text = ending.text;
    auto set = MakeArgs<PJRT_Event_Set_Args>();
    set.event = event;
    set.error_code = ending.code;
    set.error_message = text.data();
    set.error_message_size = text.size();
    Status status = context.plugin().Call(set);
    std::fill(text.begin(), text.end(), '?');
    return status;
  };
  return true;
}

// A buffer of f32[4] that the manager has to fill.
std::shared_ptr<OwnedBuffer> MakePending(Context& context, Waiting& waiting) {
  Expected<OwnedManager> made = NewManagerOfFour(context, FirstMemory(context));
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateBuffersForAsyncHostToDevice",
                  made.status()))
    return nullptr;
  auto manager = Kept(waiting, *std::move(made));
  auto get = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  get.transfer_manager = manager->get();
  if (!context.Ok("PJRT-Args-accepted", "RetrieveBuffer", context.plugin().Call(get)))
    return nullptr;
  waiting.end = [&context, manager](const Ending& ending) {
    if (ending.code == PJRT_Error_Code_OK) {
      auto transfer = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
      transfer.transfer_manager = manager->get();
      transfer.data = kValues.data();
      transfer.transfer_size = 16;
      transfer.is_last_transfer = true;
      PLINTH_RETURN_IF_ERROR(context.plugin().Call(transfer));
      OwnedEvent done(context.plugin(), transfer.done_with_h2d_transfer);
      return done ? context.Await(done.get()) : Status();
    }
    std::string text = ending.text;
    auto fail = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
    fail.transfer_manager = manager->get();
    fail.error_code = ending.code;
    fail.error_message = text.data();
    fail.error_message_size = text.size();
    Status status = context.plugin().Call(fail);
    std::fill(text.begin(), text.end(), '?');
    return status;
  };
  return Kept(waiting, OwnedBuffer(context.plugin(), get.buffer_out));
}

bool MakeTransferred(Context& context, Waiting& waiting) {
  auto buffer = MakePending(context, waiting);
  if (buffer == nullptr) return false;
  waiting.event = ReadyEventOf(context, buffer->get());
  waiting.another = [&context, buffer] { return ReadyEventOf(context, buffer->get()); };
  return static_cast<bool>(waiting.event);
}

bool MakeAlias(Context& context, Waiting& waiting) {
  Expected<Alias> made = MakeAlias(context, FirstMemory(context), {4});
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateAliasBuffer", made.status()))
    return false;
  auto alias = Kept(waiting, std::move(made->buffer));
  waiting.event = ReadyEventOf(context, alias->get());
  waiting.another = [&context, alias] { return ReadyEventOf(context, alias->get()); };
  waiting.end = [&context, fulfill = made->fulfill,
                 kept = std::make_shared<OwnedBuffer>()](const Ending& ending) {
    std::string text = ending.text;
    auto tell = MakeArgs<PJRT_Client_FulfillAliasBuffer_Args>();
    tell.client = context.client();
    tell.fulfill_alias_buffer_cb = fulfill;
    tell.status_code = ending.code;
    tell.error_message = text.data();
    tell.error_message_size = text.size();
    if (ending.code == PJRT_Error_Code_OK) {
      PLINTH_ASSIGN_OR_RETURN(*kept, context.Upload(HostArray::F32({4}, kValues)));
      tell.buffer = kept->get();
      tell.error_message = nullptr;
      tell.error_message_size = 0;
    }
    Status status = context.plugin().Call(tell);
    // XLA's own CPU answers with the error that it is given, and passes it on.
    if (ending.code != PJRT_Error_Code_OK && Carries(status, ending.code, ending.text)) status = {};
    std::fill(text.begin(), text.end(), '?');
    return status;
  };
  return static_cast<bool>(waiting.event);
}

bool MakeToHost(Context& context, Waiting& waiting) {
  auto buffer = MakePending(context, waiting);
  if (buffer == nullptr) return false;
  auto memory = Kept(waiting, std::vector<float>(4));
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer->get();
  args.dst = memory->data();
  args.dst_size = 16;
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Buffer_ToHostBuffer of a buffer to come",
                  context.plugin().Call(args)))
    return false;
  waiting.event = OwnedEvent(context.plugin(), args.event);
  return static_cast<bool>(waiting.event);
}

bool MakeRawToHost(Context& context, Waiting& waiting) {
  auto buffer = MakePending(context, waiting);
  if (buffer == nullptr) return false;
  auto memory = Kept(waiting, std::vector<float>(4));
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  args.buffer = buffer->get();
  args.dst = memory->data();
  args.transfer_size = 16;
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Buffer_CopyRawToHost of a buffer to come",
                  context.plugin().Call(args)))
    return false;
  waiting.event = OwnedEvent(context.plugin(), args.event);
  return static_cast<bool>(waiting.event);
}

bool MakeRawFuture(Context& context, Waiting& waiting) {
  Expected<OwnedBuffer> uploaded = context.Upload(HostArray::F32({4}, kValues));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", uploaded.status())) return false;
  auto buffer = Kept(waiting, *std::move(uploaded));
  auto memory = Kept(waiting, std::vector<float>(4));
  // A plugin without raw copies may say so by the event alone, too late to tell it from a fault.
  auto plain = MakeArgs<PJRT_Buffer_CopyRawToHost_Args>();
  plain.buffer = buffer->get();
  plain.dst = memory->data();
  plain.transfer_size = 16;
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Buffer_CopyRawToHost",
                  context.plugin().Call(plain))) {
    return false;
  }
  OwnedEvent copied(context.plugin(), plain.event);
  if (!context.Ok("", "the event of PJRT_Buffer_CopyRawToHost", context.Await(copied.get()))) {
    return false;
  }
  auto args = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Args>();
  args.buffer = buffer->get();
  args.transfer_size = 16;
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Buffer_CopyRawToHostFuture",
                  context.plugin().Call(args)))
    return false;
  waiting.event = OwnedEvent(context.plugin(), args.event);
  waiting.end = [memory, args](const Ending& ending) {
    std::string text = ending.text;
    auto tell = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
    tell.callback_data = args.callback_data;
    tell.error_code = ending.code;
    tell.error_message = text.data();
    tell.error_message_size = text.size();
    tell.dst = ending.code == PJRT_Error_Code_OK ? memory->data() : nullptr;
    args.future_ready_callback(&tell);
    std::fill(text.begin(), text.end(), '?');
    return Status();
  };
  return static_cast<bool>(waiting.event);
}

bool MakeDonated(Context& context, Waiting& waiting) {
  Expected<OwnedBuffer> uploaded = context.Upload(HostArray::F32({4}, kValues));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", uploaded.status())) return false;
  auto args = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Args>();
  args.buffer = uploaded->get();
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Buffer_DonateWithControlDependency",
                  context.plugin().Call(args)))
    return false;
  auto out = Kept(waiting, OwnedBuffer(context.plugin(), args.out_buffer));
  waiting.event = ReadyEventOf(context, out->get());
  waiting.another = [&context, out] { return ReadyEventOf(context, out->get()); };
  waiting.end = [args](const Ending& ending) {
    std::string text = ending.text;
    auto tell = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
    tell.callback_data = args.callback_data;
    tell.error_code = ending.code;
    tell.error_message = text.data();
    tell.error_message_size = text.size();
    args.dependency_ready_callback(&tell);
    return Status();
  };
  return static_cast<bool>(waiting.event);
}

bool MakeCopied(Context& context, Waiting& waiting) {
  auto buffer = MakePending(context, waiting);
  if (buffer == nullptr) return false;
  auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  args.buffer = buffer->get();
  args.dst_memory = FirstMemory(context);
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Buffer_CopyToMemory of a buffer to come",
                  context.plugin().Call(args)))
    return false;
  auto copy = Kept(waiting, OwnedBuffer(context.plugin(), args.dst_buffer));
  waiting.event = ReadyEventOf(context, copy->get());
  waiting.another = [&context, copy] { return ReadyEventOf(context, copy->get()); };
  return static_cast<bool>(waiting.event);
}

// `output`: the ready event of the result, not the event of the execution.
bool MakeExecuted(Context& context, Waiting& waiting, bool is_output) {
  auto buffer = MakePending(context, waiting);
  if (buffer == nullptr) return false;
  Expected<OwnedLoadedExecutable> made = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", made.status())) return false;
  auto executable = Kept(waiting, *std::move(made));
  PJRT_Buffer* handles[] = {buffer->get()};
  OwnedEvent done;
  auto results = context.Execute(executable->get(), handles, &done);
  if (!context.Ok("PJRT-Args-accepted", "PJRT_LoadedExecutable_Execute on a buffer to come",
                  results.status()))
    return false;
  auto result = Kept(waiting, std::move((*results)[0]));
  if (!is_output) {
    waiting.event = std::move(done);
    return static_cast<bool>(waiting.event);
  }
  waiting.event = ReadyEventOf(context, result->get());
  waiting.another = [&context, result] { return ReadyEventOf(context, result->get()); };
  return static_cast<bool>(waiting.event);
}

std::vector<Source> All() {
  return {{"created", MakeCreated, Telling::kAsItIs},
          {"transferred", MakeTransferred, Telling::kInText},
          {"alias", MakeAlias, Telling::kInText},
          {"to_host", MakeToHost, Telling::kInText},
          {"raw_to_host", MakeRawToHost, Telling::kInText},
          {"raw_future", MakeRawFuture, Telling::kInText},
          {"donated", MakeDonated, Telling::kInText},
          {"copied", MakeCopied, Telling::kInText},
          {"executed", [](Context& c, Waiting& w) { return MakeExecuted(c, w, false); },
           Telling::kOfComputed},
          {"output", [](Context& c, Waiting& w) { return MakeExecuted(c, w, true); },
           Telling::kOfComputed}};
}

}  // namespace
}  // namespace waiting

std::vector<Source> Sources() { return waiting::All(); }

bool MakeCreatedEvent(Context& context, Waiting& waiting) {
  return waiting::MakeCreated(context, waiting);
}

}  // namespace plinth::conformance
