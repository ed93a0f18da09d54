#ifndef PLINTH_REFERENCE_PLUGIN_CPU_PJRT_SERIALIZED_EXECUTABLE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_PJRT_SERIALIZED_EXECUTABLE_H_

#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::cpu {

// The parts of a serialized executable: a CompileOptionsProto and a program of format "mlir".
struct SerializedExecutable {
  std::string_view options;
  std::string_view code;
};

// Magic, format version, build id, the parts with their sizes, and a checksum over all of it.
std::string WriteSerializedExecutable(const SerializedExecutable& parts);

// The parts point into `bytes`. INVALID_ARGUMENT if the bytes are no executable or damaged;
// FAILED_PRECONDITION if another build wrote them.
Expected<SerializedExecutable> ReadSerializedExecutable(std::string_view bytes);

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_PJRT_SERIALIZED_EXECUTABLE_H_
