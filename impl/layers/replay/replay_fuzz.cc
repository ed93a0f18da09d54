// SPDX-License-Identifier: Apache-2.0
// Replays hostile captures on a plugin that accepts everything. An input is a whole capture file if
// it begins as one does; else it is records, each with its size in two bytes in front, that the
// target puts into a file with the right checksums.
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "impl/layers/replay/replay.h"
#include "impl/layers/trace/capture_format.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/args.h"

namespace {

using plinth::reflection::Base;
using plinth::reflection::Direction;
namespace capture = plinth::layers::capture;
namespace fn = plinth::reflection::function;

char some_object[64];

// Reads every argument that has a length, as a plugin would, and fills in every handle.
PJRT_Error* Answer(int slot, void* args) {
  const auto& function = plinth::reflection::Functions()[static_cast<size_t>(slot)];
  const auto& structure = plinth::reflection::Structs()[static_cast<size_t>(function.args)];
  auto* place = static_cast<char*>(args);
  static volatile char sink;
  for (const auto& field : plinth::reflection::FieldsOf(structure)) {
    if (field.base == Base::kHandle && field.depth == 0 && field.direction == Direction::kOut) {
      void* handle = some_object;
      std::memcpy(place + field.offset, &handle, sizeof(handle));
    }
    if (field.direction == Direction::kIn && field.depth == 1 && field.length_field >= 0) {
      const auto& length =
          plinth::reflection::FieldsOf(structure)[static_cast<size_t>(field.length_field)];
      const char* data;
      uint64_t count = 0;
      std::memcpy(&data, place + field.offset, sizeof(data));
      std::memcpy(&count, place + length.offset, length.size);
      if (data != nullptr && count > 0) sink = data[count * field.element_size - 1];
    }
  }
  if (slot == fn::kPJRT_Event_IsReady) {
    static_cast<PJRT_Event_IsReady_Args*>(args)->is_ready = true;
  } else if (slot == fn::kPJRT_Executable_NumOutputs) {
    static_cast<PJRT_Executable_NumOutputs_Args*>(args)->num_outputs = 2;
  } else if (slot == fn::kPJRT_LoadedExecutable_Execute) {
    auto& execute = *static_cast<PJRT_LoadedExecutable_Execute_Args*>(args);
    for (size_t i = 0; i < execute.num_devices; ++i) {
      for (size_t k = 0; k < execute.num_args && execute.argument_lists != nullptr; ++k) {
        sink = execute.argument_lists[i][k] != nullptr;
      }
      for (size_t k = 0; k < 2; ++k) {
        execute.output_lists[i][k] = reinterpret_cast<PJRT_Buffer*>(some_object);
      }
    }
  } else if (slot == fn::kPJRT_Buffer_ToHostBuffer) {
    auto& to_host = *static_cast<PJRT_Buffer_ToHostBuffer_Args*>(args);
    if (to_host.dst == nullptr) {
      to_host.dst_size = 24;
    } else {
      std::memset(to_host.dst, 0, to_host.dst_size);
    }
  }
  static_cast<void>(sink);
  return nullptr;
}

template <int... slots>
PJRT_Api MakeApi(std::integer_sequence<int, slots...>) {
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  PJRT_Error* (*const functions[])(void*) = {[](void* args) { return Answer(slots, args); }...};
  std::memcpy(&api.PJRT_Error_Destroy, functions, sizeof(functions));
  return api;
}

constexpr int kSlots = (PJRT_Api_STRUCT_SIZE - offsetof(PJRT_Api, PJRT_Error_Destroy)) / 8;

void Append(std::string& out, uint32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string FileOf(std::string_view data) {
  if (data.substr(0, 8) == capture::kMagic) return std::string(data);
  std::string records;
  while (data.size() >= 2) {
    size_t size = static_cast<unsigned char>(data[0]) | static_cast<unsigned char>(data[1]) << 8;
    std::string_view payload = data.substr(2, size);
    Append(records, static_cast<uint32_t>(payload.size()));
    Append(records, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(payload.data()),
                                                static_cast<uInt>(payload.size()))));
    records += payload;
    data.remove_prefix(2 + payload.size());
  }
  std::string file(capture::kMagic);
  for (uint32_t number :
       {capture::kVersion, 0u, capture::kLive, static_cast<uint32_t>(records.size()),
        static_cast<uint32_t>(records.size()), 0u}) {
    Append(file, number);
  }
  return file + records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static PJRT_Api api = MakeApi(std::make_integer_sequence<int, kSlots>());
  static int file = memfd_create("capture", MFD_CLOEXEC);
  std::string bytes = FileOf({reinterpret_cast<const char*>(data), size});
  if (ftruncate(file, 0) != 0 ||
      pwrite(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return 0;
  }
  plinth::layers::ReplayOptions options;
  options.path = "/proc/self/fd/" + std::to_string(file);
  options.memory_limit = uint64_t{4} << 20;
  options.keep_going = true;
  plinth::layers::ReplayReport report;
  static_cast<void>(plinth::layers::Replay(options, &api, &report));
  return 0;
}
