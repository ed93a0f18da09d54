// SPDX-License-Identifier: Apache-2.0
// Bugs that show in the process as a whole: clients, threads, forks, exits, memory, noise.

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

std::atomic<int> num_clients = 0;

void CountClients(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(table, [](auto& a) { ++num_clients; });
  Replace<&PJRT_Api::PJRT_Client_Destroy>(table, [](auto* a) {
    if (a->client != nullptr) --num_clients;
    return Real().PJRT_Client_Destroy(a);
  });
}

const pid_t loaded_in = getpid();

constexpr Mutant kProcessMutants[] = {
    {"unknown_option", "PJRT-Client_Create-unknown-option",
     "an option that nobody knows is ignored",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Create>(t, [](auto* a) {
         while (a->num_options > 0) {
           const PJRT_NamedValue& last = a->create_options[a->num_options - 1];
           if (!std::string_view(last.name, last.name_size).starts_with("an_option")) break;
           --a->num_options;
         }
         return Real().PJRT_Client_Create(a);
       });
     }},
    {"store_called", "PJRT-Client_Create-kv-garbage",
     "the key-value store of a single process is asked",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Create>(t, [](auto* a) {
         bool has_store = HasField(*a, &PJRT_Client_Create_Args::kv_get_user_arg) &&
                          a->kv_get_callback != nullptr;
         if (has_store) {
           auto get = MakeArgs<PJRT_KeyValueGetCallback_Args>();
           get.key = "topology";
           get.key_size = 8;
           get.timeout_in_ms = 1;
           get.user_arg = a->kv_get_user_arg;
           if (PJRT_Error* error = a->kv_get_callback(&get)) return error;
         }
         return Real().PJRT_Client_Create(a);
       });
     }},
    {"one_client", "PJRT-Threads-any", "only one client can be made",
     [](PJRT_Api& t) {
       CountClients(t);
       Replace<&PJRT_Api::PJRT_Client_Create>(t, [](auto* a) {
         if (num_clients > 0) return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "one client only");
         PJRT_Error* error = Real().PJRT_Client_Create(a);
         if (error == nullptr) ++num_clients;
         return error;
       });
     }},
    {"initialize_again", "PJRT-Plugin_Initialize-again", "Initialize fails the second time",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Plugin_Initialize>(t, [](auto* a) {
         static std::atomic<bool> was_called = false;
         if (!was_called.exchange(true)) return Real().PJRT_Plugin_Initialize(a);
         return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "was initialized");
       });
     }},
    {"fork_hangs", "PJRT-Process-fork", "a call in the child of a fork waits for ever",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_PlatformName>(t, [](auto* a) {
         while (getpid() != loaded_in) pause();
         return Real().PJRT_Client_PlatformName(a);
       });
     }},
    {"fork_not_seen", "PJRT-Process-fork", "a client is used on in the child of a fork",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_PlatformName>(t, [](auto* a) -> PJRT_Error* {
         if (getpid() == loaded_in) return Real().PJRT_Client_PlatformName(a);
         a->platform_name = "cpu";
         a->platform_name_size = 3;
         return nullptr;
       });
     }},
    {"exit_hangs", "PJRT-Process-exit", "a process with a client does not end",
     [](PJRT_Api& t) {
       CountClients(t);
       std::atexit([] {
         while (num_clients > 0) pause();
       });
     }},
    {"exit_aborts", "PJRT-Process-exit", "a process with a client ends by an abort",
     [](PJRT_Api& t) {
       CountClients(t);
       std::atexit([] {
         if (num_clients > 0) std::abort();
       });
     }},
    {"writes_to_stderr", "PJRT-Process-alive", "errors are written to standard error",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error != nullptr) fputs("error: the program does not compile\n", stderr);
         return error;
       });
     }},
    {"leaks_buffers", "PJRT-Process-memory", "buffers are never freed",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) -> PJRT_Error* { return nullptr; });
     }},
    {"leaks_executables", "PJRT-Process-memory", "loaded executables are never freed",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(
           t, [](auto* a) -> PJRT_Error* { return nullptr; });
     }},
    {"leaks_errors", "PJRT-Process-memory", "errors are never freed",
     [](PJRT_Api& t) { t.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args*) {}; }},
    {"leaks_events", "PJRT-Process-memory", "events are never freed",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) -> PJRT_Error* { return nullptr; });
     }},
};

}  // namespace

std::span<const Mutant> ProcessMutants() { return kProcessMutants; }

}  // namespace plinth::mutants
