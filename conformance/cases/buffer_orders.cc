// SPDX-License-Identifier: Apache-2.0
// L2: a buffer and what may happen to it, in every order of a few steps, held against a model.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <thread>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/orders.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/sweep.h"

namespace plinth::conformance {
namespace buffer_orders {
namespace {

const std::vector<float> kValues = {1, 2, 3, 4};
const std::vector<float> kSums = {2, 3, 4, 5};

enum class Step { kDelete, kRead, kRun, kDonate, kTake, kGive, kCopy, kReady, kDestroy };
enum class Answer { kOk, kError, kInvalid, kEither };

// What a step answers of a living buffer and of a deleted one, and which it leaves. References are
// counted apart: kGive is an error without one.
struct Rule {
  Step step;
  const char* name;
  Answer living, deleted;
  bool deletes;
  const char* requirement;
};
constexpr Rule kRules[] = {
    {Step::kDelete, "delete", Answer::kOk, Answer::kOk, true, "PJRT-Buffer_Delete-again"},
    {Step::kRead, "read", Answer::kOk, Answer::kError, false, "PJRT-Buffer_ToHostBuffer-deleted"},
    {Step::kRun, "run", Answer::kOk, Answer::kInvalid, false,
     "PJRT-LoadedExecutable_Execute-deleted"},
    {Step::kDonate, "donate", Answer::kOk, Answer::kInvalid, true,
     "PJRT-LoadedExecutable_Execute-donation"},
    {Step::kTake, "take a reference", Answer::kOk, Answer::kEither, false,
     "PJRT-Buffer_IncreaseExternalReferenceCount-keeps"},
    {Step::kGive, "give a reference", Answer::kOk, Answer::kOk, false,
     "PJRT-Buffer_DecreaseExternalReferenceCount-zero"},
    {Step::kCopy, "copy", Answer::kOk, Answer::kError, false, "PJRT-Buffer_CopyToMemory-contents"},
    {Step::kReady, "ready", Answer::kOk, Answer::kError, false, "PJRT-Buffer_ReadyEvent-deleted"},
    {Step::kDestroy, "destroy", Answer::kOk, Answer::kOk, true, "PJRT-Args-accepted"},
};

struct Programs {
  OwnedLoadedExecutable add, donate;
  PJRT_Device* device = nullptr;
  PJRT_Memory* memory = nullptr;
};

// One buffer with what was made of it.
class Life {
 public:
  Life(Context& context, const Programs& programs, PJRT_HostBufferSemantics semantics)
      : context_(context), programs_(programs), semantics_(semantics) {
    std::copy(kValues.begin(), kValues.end(), memory_);
  }

  bool Begin() {
    const int64_t dims[] = {4};
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = context_.client();
    args.data = memory_;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = 1;
    args.host_buffer_semantics = semantics_;
    args.device = programs_.device;
    if (!context_.Ok("", "PJRT_Client_BufferFromHostBuffer", context_.plugin().Call(args)))
      return false;
    buffer_ = OwnedBuffer(context_.plugin(), args.buffer);
    done_ = OwnedEvent(context_.plugin(), args.done_with_host_buffer);
    return true;
  }

  // False, with a finding, if it went otherwise than the rule says.
  bool Take(const Rule& rule, const std::string& before) {
    Status status = Do(rule.step);
    Answer wanted = is_deleted_ ? rule.deleted : rule.living;
    if (rule.step == Step::kGive && references_ == 0) wanted = Answer::kError;
    // What somebody else holds may be copied, or the donation refused.
    if (rule.step == Step::kDonate && references_ > 0 && !is_deleted_) wanted = Answer::kEither;
    if (status.code() == StatusCode::kUnimplemented) wanted = Answer::kEither;
    bool is_right = wanted == Answer::kEither || (wanted == Answer::kOk) == status.ok();
    if (wanted == Answer::kInvalid && !status.ok())
      is_right = status.code() == StatusCode::kInvalidArgument;
    const char* wanted_text = wanted == Answer::kOk      ? "success"
                              : wanted == Answer::kError ? "an error"
                                                         : "INVALID_ARGUMENT";
    if (!context_.Check(rule.requirement, is_right, before, rule.name, ": expected ", wanted_text,
                        ", got ", status.ToString()))
      return false;
    if (rule.step == Step::kDestroy) return true;
    if (status.ok() && rule.deletes) is_deleted_ = true;
    if (status.ok() && rule.step == Step::kTake) ++references_;
    if (status.ok() && rule.step == Step::kGive) --references_;
    bool says = IsBufferDeleted(context_, buffer_.get());
    // What was copied for the program is still there.
    if (rule.step == Step::kDonate && references_ > 0 && status.ok()) is_deleted_ = says;
    if (!context_.Check("PJRT-Buffer_IsDeleted-truth", says == is_deleted_, before, rule.name,
                        ": then PJRT_Buffer_IsDeleted is ", says ? "true" : "false"))
      return false;
    auto type = Get<&PJRT_Buffer_ElementType_Args::buffer>(context_, buffer_.get());
    auto dims = Get<&PJRT_Buffer_Dimensions_Args::buffer>(context_, buffer_.get());
    return context_.Check("PJRT-Args-output-same",
                          type && dims && RawEnum(type->type) == PJRT_Buffer_Type_F32 &&
                              dims->num_dims == 1 && dims->dims[0] == 4,
                          before, rule.name, ": then type or dimensions are others");
  }

  void End(const std::string& all) {
    if (buffer_ && !is_deleted_) CheckValues(all, "the buffer", buffer_.get(), kValues);
    while (buffer_ && references_ > 0) {
      --references_;
      (void)Do(Step::kGive);
    }
    (void)buffer_.Destroy();
    if (read_) {
      Status status = context_.Await(read_.get());
      context_.Check("PJRT-Buffer_Delete-uses", status.ok() && host_ == kValues, all,
                     "then what was read is ", status.ok() ? StrJoin(host_) : status.ToString(),
                     ", not ", StrJoin(kValues));
    }
    for (const OwnedBuffer& made : sums_) CheckValues(all, "a result", made.get(), kSums);
    for (const OwnedBuffer& made : copies_) CheckValues(all, "a copy", made.get(), kValues);
    sums_.clear();
    copies_.clear();
    context_.Ok("PJRT-Client_BufferFromHostBuffer-done", "done_with_host_buffer",
                context_.Await(done_.get()));
    context_.Check("PJRT-Args-input",
                   semantics_ == PJRT_HostBufferSemantics_kMutableZeroCopy ||
                       std::equal(kValues.begin(), kValues.end(), memory_),
                   all, "then the host memory of the array is [",
                   StrJoin(std::vector<float>(memory_, memory_ + 4)), "]");
  }

 private:
  Status Do(Step step) {
    const Plugin& plugin = context_.plugin();
    PJRT_Buffer* handles[] = {buffer_.get()};
    switch (step) {
      case Step::kDelete: {
        auto args = MakeArgs<PJRT_Buffer_Delete_Args>();
        args.buffer = buffer_.get();
        return plugin.Call(args);
      }
      case Step::kRead: {
        if (!is_deleted_ && !read_) return BeginRead();
        PLINTH_ASSIGN_OR_RETURN(HostArray array, context_.Download(buffer_.get()));
        return array.AsF32() == kValues ? Status()
                                        : Internal("the values are [", StrJoin(array.AsF32()), "]");
      }
      case Step::kRun: {
        PLINTH_ASSIGN_OR_RETURN(auto results, context_.Execute(programs_.add.get(), handles));
        sums_.push_back(std::move(results[0]));
        return Status();
      }
      case Step::kDonate: {
        PLINTH_ASSIGN_OR_RETURN(auto results, context_.Execute(programs_.donate.get(), handles));
        sums_.push_back(std::move(results[0]));
        return Status();
      }
      case Step::kTake: {
        auto args = MakeArgs<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
        args.buffer = buffer_.get();
        return plugin.Call(args);
      }
      case Step::kGive: {
        auto args = MakeArgs<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
        args.buffer = buffer_.get();
        return plugin.Call(args);
      }
      case Step::kCopy: {
        auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
        args.buffer = buffer_.get();
        args.dst_memory = programs_.memory;
        PLINTH_RETURN_IF_ERROR(plugin.Call(args));
        OwnedBuffer copy(plugin, args.dst_buffer);
        // The error may come with the copy.
        if (is_deleted_) return context_.Download(copy.get()).status();
        copies_.push_back(std::move(copy));
        return Status();
      }
      case Step::kReady: {
        auto args = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
        args.buffer = buffer_.get();
        PLINTH_RETURN_IF_ERROR(plugin.Call(args));
        OwnedEvent event(plugin, args.event);
        return context_.Await(event.get());
      }
      case Step::kDestroy:
        return buffer_.Destroy();
    }
    return Status();
  }

  // The first read of a living buffer: it is waited for at the end, whatever comes meanwhile.
  Status BeginRead() {
    auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer_.get();
    args.dst = host_.data();
    args.dst_size = host_.size() * sizeof(float);
    PLINTH_RETURN_IF_ERROR(context_.plugin().Call(args));
    read_ = OwnedEvent(context_.plugin(), args.event);
    return Status();
  }

  void CheckValues(const std::string& all, std::string_view what, PJRT_Buffer* buffer,
                   const std::vector<float>& wanted) {
    Expected<HostArray> array = context_.Download(buffer);
    context_.Check("PJRT-Buffer_Delete-uses", array.ok() && array->AsF32() == wanted, all, "then ",
                   what, " is ", array.ok() ? StrJoin(array->AsF32()) : array.status().ToString(),
                   ", not ", StrJoin(wanted));
  }

  Context& context_;
  const Programs& programs_;
  PJRT_HostBufferSemantics semantics_;
  // Read, and as the semantics say used, until `done_` is ready.
  alignas(64) float memory_[4];
  OwnedEvent done_;
  OwnedBuffer buffer_;
  std::vector<OwnedBuffer> sums_, copies_;
  std::vector<float> host_ = std::vector<float>(4);
  OwnedEvent read_;
  bool is_deleted_ = false;
  int references_ = 0;
};

bool MakePrograms(Context& context, PJRT_Device* device, Programs& programs) {
  const int id = DeviceIdOf(context, device);
  const std::string options = CompileOptionsOf(1, 1, {&id, 1});
  Expected<OwnedLoadedExecutable> add =
      context.Compile(ProgramFor(context, "add_one"), "mlir", options);
  Expected<OwnedLoadedExecutable> donate =
      context.Compile(ProgramFor(context, "donating"), "mlir", options);
  if (!context.Ok("", "PJRT_Client_Compile", add.status()) ||
      !context.Ok("", "PJRT_Client_Compile", donate.status()))
    return false;
  programs.add = *std::move(add);
  programs.donate = *std::move(donate);
  programs.device = device;
  programs.memory = DefaultMemoryOf(context, device);
  return true;
}

// Destroying ends an order; those that differ after that are one.
void EveryOrder(Context& context, size_t first) {
  // Compiled for the first device, and for the last.
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.empty()) return;
  devices = {devices.front(), devices.back()};
  Programs programs[2];
  for (size_t d = 0; d < devices.size(); ++d) {
    if (!MakePrograms(context, devices[d], programs[d])) return;
  }
  size_t count = 0;
  ForEachOrder(context, first, std::size(kRules), [&](std::span<const size_t> order) {
    auto end = std::find_if(order.begin(), order.end(),
                            [](size_t r) { return kRules[r].step == Step::kDestroy; });
    if (std::any_of(end == order.end() ? end : end + 1, order.end(),
                    [](size_t r) { return r != 0; }))
      return true;
    ++count;
    Life life(context, programs[count / 4 % 2], static_cast<PJRT_HostBufferSemantics>(count % 4));
    if (!life.Begin()) return false;
    std::string before;
    bool is_right = true;
    for (size_t r : order) {
      is_right = life.Take(kRules[r], before);
      before += StrCat(kRules[r].name, ", ");
      if (!is_right || kRules[r].step == Step::kDestroy) break;
    }
    life.End(before);
    return is_right && !context.HasFindings();
  });
  context.Note(StrCat(count, " orders"));
}

// A client goes when what was made with it was freed in any order.
void ClientGoesLast(Context& context) {
  int order[] = {0, 1, 2, 3};
  int tries = 0;
  do {
    if (context.depth() != Depth::kFull && tries++ % 4 != 0) continue;
    Expected<OwnedClient> made = context.NewClient();
    if (!context.Ok("PJRT-Client_Create-failure", "PJRT_Client_Create", made.status())) return;
    Context own(context.plugin(), context.profile(), made->get(), context.seed());
    Expected<OwnedLoadedExecutable> loaded = own.Compile(ProgramFor(own, "add_one"));
    Expected<OwnedBuffer> buffer = own.Upload(HostArray::F32({4}, kValues));
    if (!context.Ok("", "PJRT_Client_Compile", loaded.status()) ||
        !context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status()))
      return;
    auto get =
        Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, loaded->get());
    if (!get) return;
    OwnedExecutable executable(context.plugin(), get->executable);
    PJRT_Buffer* handles[] = {buffer->get()};
    OwnedEvent done;
    auto results = own.Execute(loaded->get(), handles, &done);
    if (!context.Ok("", "PJRT_LoadedExecutable_Execute", results.status())) return;
    for (int each : order) {
      Status status;
      if (each == 0) status = loaded->Destroy();
      if (each == 1) status = buffer->Destroy();
      if (each == 2) status = executable.Destroy();
      if (each == 3) status = done.Destroy();
      context.Ok("PJRT-Args-accepted", "destroying", status);
    }
    Expected<HostArray> array = own.Download((*results)[0].get());
    context.Check("PJRT-Buffer_Delete-uses", array.ok() && array->AsF32() == kSums,
                  "a result when all that made it is gone: ",
                  array.ok() ? StrJoin(array->AsF32()) : array.status().ToString());
    results->clear();
    context.Ok("PJRT-Client_Destroy-null", "PJRT_Client_Destroy", made->Destroy());
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

// Whose memory is used without a copy, until when.
struct Owner {
  std::atomic<int> calls = 0;
  std::atomic<void*> pointer = nullptr;
};

// Of the view whose callback has no argument.
std::atomic<Owner*> last_owner = nullptr;

void Views(Context& context, const std::vector<const char*>& orders) {
  constexpr char kOnDelete[] = "PJRT-Client_CreateViewOfDeviceBuffer-on_delete";
  Expected<PJRT_Device*> device = context.Device();
  Expected<OwnedBuffer> probe = context.Upload(HostArray::F32({1}, {0}));
  if (!device.ok() || !context.Ok("", "PJRT_Client_BufferFromHostBuffer", probe.status())) return;
  auto on_cpu = Get<&PJRT_Buffer_IsOnCpu_Args::buffer>(context, probe->get());
  if (!on_cpu || !RawBool(on_cpu->is_on_cpu))
    return context.Unsupported("device memory is not host memory");
  Programs programs;
  if (!MakePrograms(context, *device, programs)) return;
  alignas(64) static float memory[4];
  for (const char* how : orders) {
    std::copy(kValues.begin(), kValues.end(), memory);
    std::string_view steps = how;
    auto* owner = new Owner;  // stays, in case that it is told twice
    int64_t dims[] = {4};
    auto args = MakeArgs<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
    args.client = context.client();
    args.device_buffer_ptr = memory;
    args.dims = dims;
    args.num_dims = 1;
    args.element_type = PJRT_Buffer_Type_F32;
    if (steps == "memory") {
      args.memory = programs.memory;
    } else {
      args.device = *device;
    }
    if (steps != "no callback") {
      args.on_delete_callback = [](void* pointer, void* arg) {
        auto* self = static_cast<Owner*>(arg);
        self->pointer = pointer;
        ++self->calls;
      };
      args.on_delete_callback_arg = owner;
    }
    // The callback knows by itself what it is told of.
    if (steps == "no argument") {
      last_owner = owner;
      args.on_delete_callback_arg = nullptr;
      args.on_delete_callback = [](void* pointer, void* arg) {
        Owner* self = last_owner;
        self->pointer = arg == nullptr ? pointer : arg;
        ++self->calls;
      };
    }
    Status status = context.plugin().Call(args);
    if (!context.Ok(kOnDelete, "PJRT_Client_CreateViewOfDeviceBuffer", status)) return;
    dims[0] = 99;
    OwnedBuffer view(context.plugin(), args.buffer);
    JudgeBuffer(context, view.get(), {HostArray::F32({4}, kValues), *device});
    auto where = Get<&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer>(context, view.get());
    if (where) {
      context.Check(kOnDelete, where->device_memory_ptr == memory,
                    "a view lies at another address");
    }
    OwnedBuffer made;
    PJRT_Buffer* handles[] = {view.get()};
    if (steps.starts_with("use") || steps == "donate") {
      auto results =
          context.Execute(steps == "donate" ? programs.donate.get() : programs.add.get(), handles);
      if (steps != "donate" &&
          !context.Ok(kOnDelete, "PJRT_LoadedExecutable_Execute", results.status()))
        return;
      if (results.ok()) made = std::move((*results)[0]);
    }
    if (steps.starts_with("copy")) {
      auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
      copy.buffer = view.get();
      copy.dst_memory = programs.memory;
      if (Succeeds(context, copy)) made = OwnedBuffer(context.plugin(), copy.dst_buffer);
    }
    if (steps != "donate") {
      context.Check(kOnDelete, owner->calls == 0, how,
                    ": on_delete_callback ran while the view was alive");
    }
    if (steps == "reference") {
      (void)Get<&PJRT_Buffer_IncreaseExternalReferenceCount_Args::buffer>(context, view.get());
      (void)DeleteBuffer(context, view.get());
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      context.Check(kOnDelete, owner->calls == 0,
                    "on_delete_callback ran while there was a reference to the memory");
      (void)Get<&PJRT_Buffer_DecreaseExternalReferenceCount_Args::buffer>(context, view.get());
    }
    if (steps.find("delete") != std::string_view::npos) (void)DeleteBuffer(context, view.get());
    if (!steps.ends_with("delete")) context.Ok(kOnDelete, "PJRT_Buffer_Destroy", view.Destroy());
    if (steps == "no callback") continue;
    // What was made of it may share its memory.
    bool may_share = steps.starts_with("copy") || steps == "donate";
    if (may_share && owner->calls == 0) {
      if (made && steps != "donate")
        JudgeBuffer(context, made.get(), {HostArray::F32({4}, kValues), *device});
      (void)made.Destroy();
    }
    for (int i = 0; i < 3000 && owner->calls == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    context.Check(kOnDelete, owner->calls == 1, how, ": on_delete_callback ran ",
                  owner->calls.load(), " times, not once");
    context.Check(kOnDelete, owner->pointer == memory || owner->calls == 0, how,
                  ": on_delete_callback got another pointer");
    // The memory is its owner's again, and a copy is a copy.
    std::fill(std::begin(memory), std::end(memory), -1.0f);
    if (made && steps != "donate") {
      Expected<HostArray> array = context.Download(made.get());
      const auto& wanted = steps.starts_with("copy") ? kValues : kSums;
      context.Check(kOnDelete, array.ok() && array->AsF32() == wanted, how,
                    ": what was made of the view is ",
                    array.ok() ? StrJoin(array->AsF32()) : array.status().ToString());
    }
    (void)view.Destroy();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    context.Check(kOnDelete, owner->calls == 1, how, ": on_delete_callback ran ",
                  owner->calls.load(), " times in all");
  }
}

// Memory of the host that a buffer uses is told free after its last use, and no earlier.
void ZeroCopyDone(Context& context) {
  constexpr char kDone[] = "PJRT-Client_BufferFromHostBuffer-done";
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  for (auto semantics :
       {PJRT_HostBufferSemantics_kImmutableZeroCopy, PJRT_HostBufferSemantics_kMutableZeroCopy,
        PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
        PJRT_HostBufferSemantics_kImmutableOnlyDuringCall}) {
    for (bool deletes : {false, true}) {
      constexpr size_t kCount = 1 << 16;
      std::vector<float> space(kCount + 1024);
      float* memory = space.data() + (4096 - reinterpret_cast<uintptr_t>(space.data()) % 4096) / 4;
      for (size_t i = 0; i < kCount; ++i) memory[i] = static_cast<float>(i);
      int64_t dims[] = {kCount};
      auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
      args.client = context.client();
      args.data = memory;
      args.type = PJRT_Buffer_Type_F32;
      args.dims = dims;
      args.num_dims = 1;
      args.host_buffer_semantics = semantics;
      args.device = *device;
      if (!Succeeds(context, args)) return;
      OwnedBuffer buffer(context.plugin(), args.buffer);
      OwnedEvent done(context.plugin(), args.done_with_host_buffer);
      std::atomic<int> calls = 0;
      auto ready = MakeArgs<PJRT_Event_OnReady_Args>();
      ready.event = done.get();
      ready.user_arg = &calls;
      struct Both {
        const Plugin* plugin;
        std::atomic<int>* calls;
      };
      auto* both = new Both{&context.plugin(), &calls};
      ready.user_arg = both;
      ready.callback = [](PJRT_Error* error, void* arg) {
        (void)static_cast<Both*>(arg)->plugin->Take(error);
        ++*static_cast<Both*>(arg)->calls;
      };
      if (!Succeeds(context, ready)) return;
      context.Ok("", "the ready event", AwaitBuffer(context, buffer.get()));
      auto where =
          Get<&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer>(context, buffer.get());
      auto on_cpu = Get<&PJRT_Buffer_IsOnCpu_Args::buffer>(context, buffer.get());
      bool is_known = where && on_cpu && RawBool(on_cpu->is_on_cpu);
      bool is_used = is_known && where->device_memory_ptr == memory;
      bool may_use = semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
                     semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
      if (!is_known && may_use) {
        context.Note("nobody knows where the buffer lies");
      } else if (is_used) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        context.Check(kDone, !IsEventReady(context, done.get()) && calls == 0,
                      "done_with_host_buffer is ready while the buffer uses the memory");
        context.Check("PJRT-Client_BufferFromHostBuffer-only-during-call", may_use,
                      "the buffer uses host memory that it has to copy");
      } else {
        context.Ok(kDone, "done_with_host_buffer of a buffer that has a copy",
                   context.Await(done.get()));
        std::fill_n(memory, kCount, -1.0f);
        Expected<HostArray> array = context.Download(buffer.get());
        context.Check(kDone,
                      array.ok() && array->AsF32()[kCount - 1] == static_cast<float>(kCount - 1),
                      "host memory was read after done_with_host_buffer");
      }
      if (deletes) (void)DeleteBuffer(context, buffer.get());
      (void)buffer.Destroy();
      context.Ok(kDone, "done_with_host_buffer of a buffer that is gone",
                 context.Await(done.get()));
      for (int i = 0; i < 3000 && calls == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      context.Check("PJRT-Event_OnReady-once", calls == 1, "its callback ran ", calls.load(),
                    " times");
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, ClientNeed need, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    cases.push_back(
        {"L2/order/" + name, Level::kL2, need, std::move(requirements), std::move(run), false});
  };
  std::vector<std::string> all = {"PJRT-Buffer_IsDeleted-truth", "PJRT-Buffer_Delete-uses",
                                  "PJRT-Args-output-same", "PJRT-Client_BufferFromHostBuffer-done"};
  for (const Rule& rule : kRules) all.emplace_back(rule.requirement);
  for (size_t r = 0; r < std::size(kRules); ++r) {
    std::string name = StrCat("buffer/", kRules[r].name);
    std::replace(name.begin(), name.end(), ' ', '_');
    add(name, ClientNeed::kShared, all, [=](Context& context) { EveryOrder(context, r); });
  }
  add("client_goes_last", ClientNeed::kNone,
      {"PJRT-Client_Destroy-null", "PJRT-Buffer_Delete-uses"}, ClientGoesLast);
  auto add_views = [&](const std::string& name, const std::vector<const char*>& orders) {
    add(name, ClientNeed::kShared, {"PJRT-Client_CreateViewOfDeviceBuffer-on_delete"},
        [=](Context& context) { Views(context, orders); });
  };
  add_views("views", {"destroy", "delete", "delete, destroy", "use, destroy", "use, delete",
                      "copy, destroy", "memory", "reference", "donate", "no argument"});
  // By itself: XLA's own CPU aborts.
  add_views("view_without_callback", {"no callback"});
  add("zero_copy_done", ClientNeed::kShared,
      {"PJRT-Client_BufferFromHostBuffer-done",
       "PJRT-Client_BufferFromHostBuffer-only-during-call"},
      ZeroCopyDone);
}

}  // namespace buffer_orders

void AddBufferOrderCases(std::vector<Case>& cases) { buffer_orders::AddCases(cases); }

}  // namespace plinth::conformance
