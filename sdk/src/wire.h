// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_WIRE_H_
#define PLINTH_SDK_SRC_WIRE_H_

#include <cstdint>
#include <memory>
#include <span>

#include "plinth/sdk/client.h"
#include "plinth/sdk/shape.h"
#include "plinth/support/status.h"

namespace plinth::sdk::internal {

// Readers of what several functions of the C ABI take. Messages begin with `function`.

Expected<DType> ReadDType(const char* function, const PJRT_Buffer_Type& type);

// Checks the sizes and gives a view of the caller's array.
Expected<std::span<const int64_t>> ReadDims(const char* function, const int64_t* dims,
                                            size_t num_dims);

// The layout as an order of dimensions; null for a null pointer alone. Strides are accepted if they
// are those of a dense array.
Expected<std::shared_ptr<const Layout>> ReadLayout(const char* function,
                                                   const PJRT_Buffer_MemoryLayout* layout,
                                                   DType dtype, std::span<const int64_t> dims);

// `layout` of the result is null for row-major and for a null pointer, as everywhere in Shape.
Expected<Shape> ReadShape(const char* function, const PJRT_Buffer_Type& type, const int64_t* dims,
                          size_t num_dims, const PJRT_Buffer_MemoryLayout* layout);

// Byte strides of a host array and how many bytes it spans.
struct HostStrides {
  std::span<const int64_t> strides;  // Into `storage`, or the caller's.
  bool is_dense = true;              // Dense and row-major.
  int64_t span = 0;                  // Bytes from the first to behind the last element.
  int64_t storage[kMaxRank];
};

// Strides for a destination: null is `own`, the layout of the source, itself null where that is
// row-major. Refuses negative strides, and tiles.
Status ReadHostLayout(const char* function, const PJRT_Buffer_MemoryLayout* layout,
                      const Layout* own, DType dtype, std::span<const int64_t> dims,
                      HostStrides& result);

// Whether the strides are those of a dense row-major array.
bool AreDense(std::span<const int64_t> dims, std::span<const int64_t> strides,
              int64_t element_size);

// The memory and device that a call names. A device alone means its default memory; beside a memory
// it is ignored (PJRT-Client_BufferFromHostBuffer-memory-wins) unless it can address that memory.
// What counts must be of `client`, and addressable, as all memories of a client are.
struct Place {
  Memory* memory = nullptr;
  Device* device = nullptr;
};
Expected<Place> ReadPlace(const char* function, const ClientCore& client, PJRT_Memory* memory,
                          PJRT_Device* device);

// The error that a caller describes with code, message and payloads; never OK.
Status ReadError(const char* function, const PJRT_Error_Code& code, const char* message,
                 size_t message_size, const PJRT_NamedValue* payload, size_t num_payload,
                 Status& error);

// Fills in the C form of a layout; the arrays belong to `layout` or are static.
void WriteLayout(const std::shared_ptr<const Layout>& layout, size_t rank,
                 PJRT_Buffer_MemoryLayout& result);

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_WIRE_H_
