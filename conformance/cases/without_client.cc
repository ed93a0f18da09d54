// SPDX-License-Identifier: Apache-2.0
// L1 and L2: what needs no client: events before there is one, and errors when theirs is gone.

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/error_object.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/waiting.h"

namespace plinth::conformance {
namespace without_client {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kMessage[] = "PJRT-Error_Message-const";

// In a process where no client was made.
void EventsBefore(Context& context) {
  for (PJRT_Error_Code code : {PJRT_Error_Code_OK, PJRT_Error_Code_ABORTED}) {
    Waiting waiting;
    if (!MakeCreatedEvent(context, waiting)) return;
    const std::string text = code == PJRT_Error_Code_OK ? "" : "as the case says";
    Status waited;
    std::thread thread([&] { waited = context.Await(waiting.event.get()); });
    const Status ended = waiting.end({"", code, text});
    if (!context.Ok(kAccepted, "PJRT_Event_Set", ended)) _exit(1);
    thread.join();
    context.Check("PJRT-Event_Set-outcome",
                  code == PJRT_Error_Code_OK ? waited.ok() : Carries(waited, code, text),
                  "an event of no client ended with ", waited.ToString());
  }
}

struct Held {
  const char* what;
  PJRT_Error* error;
  std::string text;
  int code;
};

// Errors of several functions say the same when other clients go, and their own.
void ErrorsAfter(Context& context) {
  // Hardware that only one client may use has no other that could go.
  const bool is_exclusive = context.profile().is_exclusive;
  Expected<OwnedClient> made = context.NewClient();
  if (!context.Ok("", "PJRT_Client_Create", made.status())) return;
  OwnedClient own = *std::move(made), other;
  if (!is_exclusive) {
    Expected<OwnedClient> second = context.NewClient();
    if (!context.Ok("", "PJRT_Client_Create", second.status())) return;
    other = *std::move(second);
  }
  const PJRT_Api* api = context.plugin().api();
  std::vector<Held> all;
  auto hold = [&](const char* what, PJRT_Error* error) {
    if (error != nullptr)
      all.push_back({what, error, ErrorText(context, error), ErrorCode(context, error)});
  };
  auto program = MakeArgs<PJRT_Program>();
  std::string code = "this is no program";
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  auto compile = MakeArgs<PJRT_Client_Compile_Args>();
  compile.client = own.get();
  compile.program = &program;
  compile.compile_options = SingleDeviceCompileOptions().data();
  compile.compile_options_size = SingleDeviceCompileOptions().size();
  hold("PJRT_Client_Compile", api->PJRT_Client_Compile(&compile));
  auto look_up = MakeArgs<PJRT_Client_LookupDevice_Args>();
  look_up.client = own.get();
  look_up.id = 1 << 30;
  hold("PJRT_Client_LookupDevice", api->PJRT_Client_LookupDevice(&look_up));
  auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
  load.client = own.get();
  load.serialized_executable = code.data();
  load.serialized_executable_size = code.size();
  hold("PJRT_Executable_DeserializeAndLoad", api->PJRT_Executable_DeserializeAndLoad(&load));
  const int64_t dims[] = {-4};
  auto upload = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  upload.client = own.get();
  upload.data = code.data();
  upload.type = PJRT_Buffer_Type_F32;
  upload.dims = dims;
  upload.num_dims = 1;
  Context there(context.plugin(), context.profile(), own.get(), context.seed());
  if (Expected<PJRT_Device*> device = there.Device(); device.ok()) upload.device = *device;
  hold("PJRT_Client_BufferFromHostBuffer", api->PJRT_Client_BufferFromHostBuffer(&upload));
  auto look = [&](const char* when) {
    for (const Held& each : all) {
      context.Check(kMessage, ErrorText(context, each.error) == each.text,
                    "the text of an error of ", each.what, " is another ", when);
      context.Check("PJRT-Error-code", ErrorCode(context, each.error) == each.code,
                    "the code of an error of ", each.what, " is another ", when);
    }
  };
  look("the second time");
  if (other) {
    (void)other.Destroy();
    look("when another client is gone");
  }
  (void)own.Destroy();
  look("when its client is gone");
  for (const Held& each : all) (void)context.plugin().Take(each.error);
}

// How many devices clients have that are made one after the other, in a process of its own: with
// the profile's options and without any. -1: none could be made.
struct Counts {
  int64_t with = -1, without = -1;
  friend bool operator==(const Counts&, const Counts&) = default;
};

int64_t DevicesWith(Context& context, bool has_options) {
  NamedValues options(context.profile());
  auto create = MakeArgs<PJRT_Client_Create_Args>();
  create.create_options = has_options ? options.data() : nullptr;
  create.num_options = has_options ? options.size() : 0;
  if (!context.plugin().Call(create).ok()) return -1;
  OwnedClient client(context.plugin(), create.client);
  auto devices = MakeArgs<PJRT_Client_Devices_Args>();
  devices.client = client.get();
  return context.plugin().Call(devices).ok() ? static_cast<int64_t>(devices.num_devices) : -1;
}

Counts CountsOf(Context& context, bool options_first) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    Counts counts;
    for (bool has_options : {options_first, !options_first, options_first})
      (has_options ? counts.with : counts.without) = DevicesWith(context, has_options);
    _exit(write(ends[1], &counts, sizeof(counts)) == sizeof(counts) ? 0 : 1);
  }
  close(ends[1]);
  Counts counts;
  if (read(ends[0], &counts, sizeof(counts)) != sizeof(counts)) counts = {};
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return counts;
}

// A client is as its own options say, whichever client the process had before.
void OptionsInTurn(Context& context) {
  if (NamedValues(context.profile()).size() == 0)
    return context.Unsupported("the profile names no create options");
  const Counts first = CountsOf(context, true), last = CountsOf(context, false);
  for (int64_t count : {first.with, first.without, last.with, last.without}) {
    if (count < 0) return context.Unsupported("no client is made with and without options");
  }
  context.Check(kOutputTrue, first == last, "a client with options and one without have ",
                first.with, " and ", first.without, " devices; if that without comes first, ",
                last.with, " and ", last.without);
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  cases.push_back({"L1/client/events_before",
                   Level::kL1,
                   ClientNeed::kAlone,
                   {kAccepted, "PJRT-Event_Set-outcome"},
                   EventsBefore,
                   false});
  cases.push_back({"L1/client/options_in_turn",
                   Level::kL1,
                   ClientNeed::kAlone,
                   {kOutputTrue, kAccepted},
                   OptionsInTurn,
                   false});
  cases.push_back({"L2/process/errors_after_clients",
                   Level::kL2,
                   ClientNeed::kNone,
                   {kMessage, "PJRT-Error-code"},
                   ErrorsAfter,
                   false});
}

}  // namespace without_client

void AddWithoutClientCases(std::vector<Case>& cases) { without_client::AddCases(cases); }

}  // namespace plinth::conformance
