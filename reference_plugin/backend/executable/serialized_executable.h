// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_SERIALIZED_EXECUTABLE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_SERIALIZED_EXECUTABLE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::backend {

// What a serialized executable is made of: a CompileOptionsProto, a program, and what the back end
// keeps beside it.
struct SerializedExecutable {
  std::string options;
  std::string format;  // of the program, as the C API names it
  std::string code;
  std::string kept = {};  // Backend::keep
};

// Who writes or reads one. An executable is read only by what wrote it.
struct SerializedBy {
  std::string_view backend;  // in messages: Backend::name
  std::string_view build_id;
  std::string_view cpu;  // the instruction sets that are used
};

// Layout: 16 bytes of magic, version, 32 characters of checksum over all other bytes, build id,
// cpu, size of the content, content. Numbers are little-endian; a text is its size in 4 bytes, then
// itself; the content is deflated (zlib): options, format, code and what is kept, each its size in
// 8 bytes, then itself.
inline constexpr uint32_t kSerializedVersion = 4;

Expected<std::string> WriteSerializedExecutable(const SerializedExecutable& parts,
                                                const SerializedBy& writer);

// INVALID_ARGUMENT if the bytes are no executable or damaged; FAILED_PRECONDITION if another
// version of the format, another build or another CPU wrote them.
Expected<SerializedExecutable> ReadSerializedExecutable(std::string_view bytes,
                                                        const SerializedBy& reader);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_SERIALIZED_EXECUTABLE_H_
