#include "reference_plugin/cpu/pjrt/serialized_executable.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "reference_plugin/cpu/pjrt/build_id.h"

namespace plinth::cpu {
namespace {

constexpr std::string_view kMagic = "plinth-cpu-executable-1\n";
constexpr size_t kChecksumSize = 32;

void AppendPart(std::string& out, std::string_view part) {
  uint64_t size = part.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof(size));
  out.append(part);
}

// Takes a part from the front of `bytes`; nothing if it is cut off.
std::optional<std::string_view> TakePart(std::string_view& bytes) {
  uint64_t size;
  if (bytes.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof(size));
  bytes.remove_prefix(sizeof(size));
  if (size > bytes.size()) return std::nullopt;
  std::string_view part = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return part;
}

}  // namespace

std::string WriteSerializedExecutable(const SerializedExecutable& parts) {
  std::string out(kMagic);
  AppendPart(out, BuildId());
  AppendPart(out, parts.options);
  AppendPart(out, parts.code);
  return out + Fingerprint({out});
}

Expected<SerializedExecutable> ReadSerializedExecutable(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kChecksumSize) {
    return InvalidArgument("these ", bytes.size(),
                           " bytes are no executable of the plinth CPU plugin");
  }
  std::string_view content = bytes.substr(0, bytes.size() - kChecksumSize);
  if (Fingerprint({content}) != bytes.substr(content.size())) {
    return InvalidArgument("the serialized executable is damaged: its checksum does not match");
  }
  content.remove_prefix(kMagic.size());
  auto build_id = TakePart(content), options = TakePart(content), code = TakePart(content);
  if (!build_id || !options || !code || !content.empty()) {
    return InvalidArgument("the serialized executable is damaged: its parts do not fit its size");
  }
  if (*build_id != BuildId()) {
    return FailedPrecondition("the executable was serialized by build ", *build_id,
                              " of the plugin, this is build ", BuildId(), "; compile it again");
  }
  return SerializedExecutable{*options, *code};
}

}  // namespace plinth::cpu
