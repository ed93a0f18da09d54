// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_ADAPTED_CALL_H_
#define PLINTH_IMPL_LOADER_ADAPTED_CALL_H_

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "impl/loader/plugin_shape.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/small_vector.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// The structs of one call, in the sizes of the plugin: a struct that already has the right one is
// passed as it is, others are copied, and their outputs copied back. On the stack of the calling
// thread.
class AdaptedCall {
 public:
  AdaptedCall(PluginShape& shape, const reflection::Function& function)
      : shape_(shape), function_(function) {}

  // What the plugin is to be called with, in *plugin_args: `args` itself or a copy. `args` is not
  // null. An error says which value the plugin cannot know.
  Status Down(void* args, void** plugin_args);

  // Copies outputs to the caller, after a success.
  void Up() const;

  // Understands a plugin's complaint about the size of one of the structs that it was given, and
  // has it called with the size that it wants from now on. False if the text is none.
  bool Learn(std::string_view message);

 private:
  struct Copy {
    int structure;
    char* caller;
    char* plugin;
    size_t caller_size, plugin_size;
    bool copy_back;
  };
  struct Sent {
    int structure;
    size_t size;
  };

  Status DownStruct(int structure, char* source, bool copy_back, char** result);
  Status DownField(int structure, const reflection::Field& field, char* source, size_t size,
                   char** replaced);
  Status CheckElements(const reflection::Field& field, char* first, size_t count);
  Status CheckEnum(int structure, const PluginShape::Check& check, const char* source) const;
  Status RefuseUnknown(int structure, const char* source, size_t size) const;
  bool IsDefault(int structure, const reflection::Field& field, const char* source,
                 size_t size) const;
  bool MeansNothing(int structure, const reflection::Field& field, const char* source,
                    size_t size) const;
  char* MakeCopy(int structure, const char* source, size_t size, size_t plugin_size);
  char* Allocate(size_t size);
  bool IsOfExtension() const { return function_.table >= 0; }

  PluginShape& shape_;
  const reflection::Function& function_;
  SmallVector<Copy, 4> copies_;
  SmallVector<Sent, 6> sent_;
  static constexpr size_t kInlineBytes = 768;
  alignas(16) char inline_[kInlineBytes];
  size_t used_ = 0;
  std::vector<std::unique_ptr<char[]>> more_;
};

// Reads "Unexpected X size: expected N, got M" of upstream's plugins.
struct SizeComplaint {
  size_t expected = 0;
  size_t got = 0;
};
bool ParseSizeComplaint(std::string_view message, SizeComplaint* complaint);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_ADAPTED_CALL_H_
