// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_CONTEXT_H_
#define PLINTH_CONFORMANCE_RUNNER_CONTEXT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/handle.h"
#include "conformance/runner/plugin.h"
#include "conformance/runner/profile.h"
#include "conformance/runner/verdict.h"
#include "plinth/support/dtype.h"
#include "plinth/support/str_cat.h"

namespace plinth::conformance {

// An array on the host: dense, row-major, one byte per element of sub-byte types.
struct HostArray {
  DType type = DType::kF32;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;

  template <typename T>
  static HostArray Of(DType type, std::vector<int64_t> dims, std::span<const T> values) {
    auto bytes = std::as_bytes(values);
    return {type, std::move(dims), {bytes.begin(), bytes.end()}};
  }
  static HostArray F32(std::vector<int64_t> dims, const std::vector<float>& values) {
    return Of<float>(DType::kF32, std::move(dims), values);
  }
  std::vector<float> AsF32() const;
};

// CompileOptionsProto for one replica and one partition.
std::string_view SingleDeviceCompileOptions();

// The create options of a profile, as the C API takes them. The profile outlives it.
class NamedValues {
 public:
  explicit NamedValues(const Profile& profile);
  const PJRT_NamedValue* data() const { return values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  std::vector<PJRT_NamedValue> values_;
};

// How many rows the cases try that generate them: one, a covering array, several of them.
enum class Depth { kQuick, kDefault, kFull };

// What a case works with: the plugin, a client, and a place for what it finds. Not thread-safe,
// but for the calls of the plugin.
class Context {
 public:
  Context(const Plugin& plugin, const Profile& profile, PJRT_Client* client, uint64_t seed)
      : plugin_(plugin), profile_(profile), client_(client), seed_(seed) {}

  const Plugin& plugin() const { return plugin_; }
  const Profile& profile() const { return profile_; }
  uint64_t seed() const { return seed_; }
  Depth depth() const { return depth_; }
  void set_depth(Depth depth) { depth_ = depth; }
  // Told what a case of many rows is about to try, so that a crash has a name.
  void set_on_row(std::function<void(const std::string&)> tell) { on_row_ = std::move(tell); }
  void TellRow(const std::string& row) const {
    if (on_row_) on_row_(row);
  }
  // Null for cases that need none.
  PJRT_Client* client() const { return client_; }
  // The client's first addressable device; a Status where it has none.
  Expected<PJRT_Device*> Device() const;

  // Findings. A case goes on or returns, as it likes.
  void Fail(std::string_view requirement, std::string text);
  void Unsupported(std::string reason);
  // The same for want of devices, or of partitions of a program: no level asks for the case then.
  void LacksDevices(std::string reason);
  bool HasFindings() const { return !findings_.empty(); }
  void Note(std::string fact) { notes_.push_back(std::move(fact)); }

  // True if `status` is a success. Otherwise the case is UNSUPPORTED where the plugin says that it
  // does not implement the function, or else has a finding.
  bool Ok(std::string_view requirement, std::string_view what, const Status& status);
  // Whether `condition` holds; otherwise a finding.
  template <typename... Pieces>
  bool Check(std::string_view requirement, bool condition, const Pieces&... text) {
    if (!condition) Fail(requirement, StrCat(text...));
    return condition;
  }
  // Whether the call was answered by an error of one of `codes`; otherwise a finding.
  bool CheckRefused(std::string_view requirement, std::string_view what, const Status& status,
                    std::initializer_list<StatusCode> codes = {});

  // Operations on the raw table.
  Expected<OwnedClient> NewClient() const;
  // To the first device, or to another.
  Expected<OwnedBuffer> Upload(const HostArray& array, PJRT_Device* device = nullptr) const;
  Expected<HostArray> Download(PJRT_Buffer* buffer) const;
  // Waits for an event, by each of the ways that there are in turn.
  Status Await(PJRT_Event* event) const;
  // A program for one replica and one partition; by default text of StableHLO.
  Expected<OwnedLoadedExecutable> Compile(
      std::string_view program, std::string_view format = "mlir",
      std::string_view options = SingleDeviceCompileOptions()) const;
  // The same, whatever the profile says about programs.
  Expected<OwnedLoadedExecutable> CompileAnyway(std::string_view program, std::string_view format,
                                                std::string_view options) const;
  // Runs on the executable's only device. `done`, if wanted, is the caller's to free.
  Expected<std::vector<OwnedBuffer>> Execute(PJRT_LoadedExecutable* executable,
                                             std::span<PJRT_Buffer* const> arguments,
                                             OwnedEvent* done = nullptr) const;
  Expected<size_t> NumOutputs(PJRT_LoadedExecutable* executable) const;

  // What was found, as a result without name and time.
  Result TakeResult();

 private:
  Status AwaitCallback(PJRT_Event* event) const;
  Status AwaitPolled(PJRT_Event* event) const;

  const Plugin& plugin_;
  const Profile& profile_;
  PJRT_Client* client_;
  uint64_t seed_;
  mutable std::atomic<unsigned> awaited_ = 0;  // cases wait on several threads
  Depth depth_ = Depth::kDefault;
  std::function<void(const std::string&)> on_row_;
  Verdict verdict_ = Verdict::kPass;
  bool lacks_devices_ = false;
  std::vector<Finding> findings_;
  std::vector<std::string> notes_;
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_CONTEXT_H_
