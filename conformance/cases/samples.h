// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_SAMPLES_H_
#define PLINTH_CONFORMANCE_CASES_SAMPLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/cases/alias_buffer.h"
#include "conformance/runner/context.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {

// Objects of a client to fill arguments with, made once for a case.
class Samples {
 public:
  // What cannot be made stays null; a function that needs it is then not asked.
  explicit Samples(const Context& context);
  ~Samples();
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  // Makes a handle that few functions need; before Handle.
  void MakeRare(int kind);

  // A borrowed handle of the kind (index in reflection::Handles()), or null.
  void* Handle(int kind) const;

  const Context& context() const { return context_; }
  PJRT_Buffer* buffer() const { return buffer_.get(); }
  PJRT_LoadedExecutable* executable() const { return loaded_.get(); }
  // Empty where the plugin has none.
  std::string SerializedExecutable() const;
  std::string SerializedTopology() const;

 private:
  const Context& context_;
  OwnedBuffer buffer_;
  OwnedLoadedExecutable loaded_;
  OwnedExecutable executable_;
  OwnedEvent event_;
  PJRT_Device* device_ = nullptr;
  PJRT_DeviceDescription* description_ = nullptr;
  PJRT_Memory* memory_ = nullptr;
  PJRT_TopologyDescription* topology_ = nullptr;
  PJRT_Error* error_ = nullptr;
  OwnedManager manager_;
  Alias alias_;
  OwnedExecuteContext execute_context_;
};

// Memory for one argument struct: what lies behind `size` is a few known bytes and then a page that
// nobody may touch, so that reading or writing far beyond ends the process, and writing nearby is
// seen.
class GuardedArgs {
 public:
  explicit GuardedArgs(size_t size);
  ~GuardedArgs();
  GuardedArgs(const GuardedArgs&) = delete;
  GuardedArgs& operator=(const GuardedArgs&) = delete;

  std::byte* data() const { return data_; }
  // Whether nothing was written behind the struct.
  bool IsIntact() const;

 private:
  size_t size_, mapped_;
  std::byte* pages_;
  std::byte* data_;
};

// Arguments for a call of `function`, with what they point to: valid as far as the registry and
// the samples say.
class Arguments {
 public:
  Arguments(Samples& samples, const reflection::Function& function);

  // Whether every handle that the function needs could be had.
  bool AreComplete() const { return missing_.empty(); }
  const std::string& missing() const { return missing_; }

  // The struct, of its full size, as bytes.
  std::vector<std::byte>& bytes() { return bytes_; }

  // Ends what a call that handed out into `args`, of which `size` bytes are there, began: callbacks
  // that the caller owes are called, and events awaited, so that memory the plugin uses until then
  // may go. A second time it does nothing more.
  static void FinishOutputs(const Context& context, const reflection::Function& function,
                            std::byte* args, size_t size);
  // The same, and frees what was handed out.
  static void FreeOutputs(const Context& context, const reflection::Function& function,
                          std::byte* args, size_t size);

 private:
  void FillHandles(Samples& samples, const reflection::Struct& structure);
  void FillArrays(const Samples& samples, const reflection::Struct& structure);
  void FillPrograms(const Samples& samples, const reflection::Function& function);
  void Put(std::string_view field, uint64_t value);
  void* Keep(std::string_view bytes);
  // An event that may be set.
  PJRT_Event* CreateEvent(const Context& context);

  const reflection::Struct& structure_;
  std::vector<std::byte> bytes_;
  std::vector<std::vector<std::byte>> owned_;
  OwnedEvent created_;
  std::string missing_;
};

// A struct_size as callers say it, and how many bytes are really there: upstream's own header
// announced some of them wrongly.
struct SizeSaid {
  size_t announced, actual;
};

// Calls a function with a copy of `bytes`, of which as many are shown to the plugin as `size` says,
// and frees what it hands out. `is_intact` tells whether nothing was written behind them.
Status CallSized(const Context& context, const reflection::Function& function,
                 const std::vector<std::byte>& bytes, SizeSaid size, bool& is_intact,
                 PJRT_Extension_Base* extension = nullptr);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_SAMPLES_H_
