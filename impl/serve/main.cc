// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "impl/serve/callbacks.h"
#include "impl/serve/convert.h"
#include "impl/serve/server.h"
#include "impl/serve/status_client.h"
#include "plinth/support/str_cat.h"

namespace plinth::serve {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

constexpr const char* kFooter =
    R"(A client is JAX 0.7.1 or later, with the module plinth_pjrt.remote or
PLINTH_REMOTE=grpc://ADDRESS. The protocol knows no passwords and programs are code: whoever reaches
the address runs code here. Exit codes: 0 done, 1 failed, 2 the command line is wrong.)";

struct CommandLine {
  std::string listen = "127.0.0.1:0";
  std::string plugin;
  std::string layers;
  std::vector<std::string> options;
  std::string log = "stderr";
  bool is_network = false;
  Server::Options server;
  std::string status_address;
};

int Fail(const Status& status, int code) {
  std::fprintf(stderr, "plinth-serve: %s\n", status.ToString().c_str());
  return code;
}

int64_t PhysicalMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

int ShowStatus(const std::string& text) {
  const Expected<Address> address = Address::Parse(text);
  if (!address.ok()) return Fail(address.status(), kUsage);
  const Expected<std::string> json = AskStatus(*address);
  if (!json.ok()) return Fail(json.status(), kFailed);
  const Expected<Json> parsed = Json::Parse(*json);
  std::fputs(parsed.ok() ? StrCat(parsed->ToIndentedString(), "\n").c_str() : json->c_str(),
             stdout);
  return kDone;
}

// Lines with the time of day, from any thread.
Expected<Service::Log> OpenLog(const std::string& to) {
  if (to == "none") return Service::Log();
  std::shared_ptr<std::FILE> file(stderr, [](std::FILE*) {});
  if (to != "stderr") {
    file.reset(std::fopen(to.c_str(), "ae"), [](std::FILE* open) {
      if (open != nullptr) std::fclose(open);
    });
    if (!file) return InvalidArgument("--log ", to, " cannot be opened");
  }
  return Service::Log([file](std::string_view line) {
    const std::time_t now = std::time(nullptr);
    std::tm parts = {};
    gmtime_r(&now, &parts);
    char when[32];
    std::strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &parts);
    std::fprintf(file.get(), "%s %.*s\n", when, static_cast<int>(line.size()), line.data());
    std::fflush(file.get());
  });
}

int Serve(const CommandLine& line) {
  // Before any thread: all of them leave these signals to the one that waits for them.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  const Expected<Address> address = Address::Parse(line.listen);
  if (!address.ok()) return Fail(address.status(), kUsage);
  Expected<Service::Log> log = OpenLog(line.log);
  if (!log.ok()) return Fail(log.status(), kUsage);
  Expected<Listener> listener = Listen(*address, line.is_network);
  if (!listener.ok()) return Fail(listener.status(), kFailed);
  auto client =
      ifrt::Client::Create({.plugin = line.plugin, .layers = line.layers, .options = line.options});
  if (!client.ok()) return Fail(FromIfrt(client.status()), kFailed);
  if (const Status status = AddCallbackHandlers(client->api(), client->platform_name());
      !status.ok() && *log) {
    (*log)(StrCat("no calls of functions of clients: ", status.ToString()));
  }
  const std::string text = listener->text;
  const size_t num_devices = client->devices().size();
  Server server(*std::move(listener), *std::move(client), line.server, *std::move(log));
  std::printf("listening on %s (%zu devices)\n", text.c_str(), num_devices);
  std::fflush(stdout);

  std::thread signals([&] {
    int number = 0;
    while (sigwait(&ending, &number) == 0 && number != 0) {
      if (number == SIGUSR1) return;
      server.Stop();
    }
  });
  server.Run();
  if (address->is_unix) unlink(address->host.c_str());
  signals.detach();
  // Threads of the plugin and the one that waits for signals may still run.
  std::fflush(nullptr);
  _exit(kDone);
}

int RunCommandLine(int argc, char** argv) {
  CommandLine line;
  line.server.memory_per_connection = PhysicalMemory();
  CLI::App app("Lets JAX on other machines compute on the devices of a PJRT plugin here.",
               "plinth-serve");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("plinth-serve ") + plinth_version());
  app.add_option("--plugin", line.plugin, "Path or name of a plugin; else as plinth finds one");
  app.add_option("--layers", line.layers, "Layers of libplinth, as in PLINTH_LAYERS");
  app.add_option("--option", line.options, "NAME=VALUE of the plugin's client; may be repeated")
      ->take_all();
  app.add_option("--listen", line.listen, "unix:PATH or HOST:PORT; port 0 is any")
      ->capture_default_str();
  app.add_flag("--insecure-network", line.is_network, "Listen where other machines reach it");
  app.add_option("--max-connections", line.server.max_connections, "More are closed at once")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--memory-per-connection", line.server.memory_per_connection,
                 "Bytes of arrays, buffers and programs that a connection may have (8G, 500M); all "
                 "by default")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--idle-timeout", line.server.idle_seconds,
                 "Seconds without a byte after which a session is ended; 0 for never")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  app.add_option("--drain-timeout", line.server.drain_seconds,
                 "Seconds for which sessions go on after SIGTERM")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  app.add_option("--log", line.log, "stderr, none, or a file that is appended to")
      ->capture_default_str();
  CLI::App* status = app.add_subcommand("status", "Shows what a running server does, as JSON");
  status->add_option("address", line.status_address, "unix:PATH or HOST:PORT")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return Fail(InvalidArgument(error.what(), ". See plinth-serve --help"), kUsage);
  }
  return status->parsed() ? ShowStatus(line.status_address) : Serve(line);
}

}  // namespace
}  // namespace plinth::serve

int main(int argc, char** argv) {
  try {
    return plinth::serve::RunCommandLine(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "plinth-serve: %s\n", error.what());
    return 1;
  }
}
