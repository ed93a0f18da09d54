// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_BEHIND_H_
#define PLINTH_CONFORMANCE_MUTANTS_BEHIND_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "pjrt_c_api.h"

// Short questions to the plugin behind, which has no bug. Null, 0 or nothing where it answers an
// error.
namespace plinth::mutants {

// Guards what a mutant remembers: a process is one mutant.
std::mutex& Memory();

// Where the elements of a buffer lie, once it is ready; null where it has none.
char* BytesOf(PJRT_Buffer* buffer);
size_t SizeOf(PJRT_Buffer* buffer);
size_t RankOf(PJRT_Buffer* buffer);
PJRT_Buffer_Type ElementTypeOf(PJRT_Buffer* buffer);
PJRT_Device* DeviceOf(PJRT_Buffer* buffer);
PJRT_Memory* MemoryOf(PJRT_Buffer* buffer);
bool IsDeleted(PJRT_Buffer* buffer);
// Whether both have the same size and bytes.
bool AreEqual(PJRT_Buffer* one, PJRT_Buffer* other);
// A copy on its own device; the caller destroys it.
PJRT_Buffer* CopyOf(PJRT_Buffer* buffer);
void Delete(PJRT_Buffer* buffer);
void Destroy(PJRT_Buffer* buffer);

PJRT_Device* FirstDevice(PJRT_Client* client);
int IdOf(PJRT_Device* device);
PJRT_Memory* DefaultMemoryOf(PJRT_Device* device);
std::string KindOf(PJRT_Memory* memory);
// Whether the memory is one of the device's.
bool Reaches(PJRT_Device* device, PJRT_Memory* memory);
size_t NumBuffersOf(PJRT_AsyncHostToDeviceTransferManager* manager);

// The client that buffers belong to: the last that was made by a table that remembers it.
PJRT_Client*& LastClient();
void RememberClient(PJRT_Api& table);
// The thread that made the last client, in a table that remembers it.
std::thread::id& ThreadOfClient();
void RememberThread(PJRT_Api& table);
// An array of the same type and dimensions, row-major, with other bytes; the caller destroys it.
PJRT_Buffer* Uninitialized(PJRT_Buffer* like, PJRT_Client* client, PJRT_Device* device);
// One that carries an error, in the same memory.
PJRT_Buffer* Failed(PJRT_Buffer* like, PJRT_Client* client, PJRT_Error_Code code);
bool IsRowMajor(PJRT_Buffer* buffer);
// The layout of this order, which has to live as long.
PJRT_Buffer_MemoryLayout LayoutOf(std::span<const int64_t> minor_to_major);
// Whether its contents are still to come.
bool IsPending(PJRT_Buffer* buffer);
// Whether it is there and carries an error.
bool CarriesError(PJRT_Buffer* buffer);

// A text that stays, and is there once however often it is asked for.
std::string_view KeptText(const std::string& text);
// Bytes that nobody frees.
void Forget(size_t bytes);

// The caller destroys what these give.
PJRT_Event* DoneEvent();
PJRT_Event* PendingEvent();
PJRT_Event* FailedEvent(std::string_view text);
PJRT_Event* ReadyEventOf(PJRT_Buffer* buffer);
bool IsReady(PJRT_Event* event);
// Waits for it.
bool Fails(PJRT_Event* event);
void Drop(PJRT_Event* event);

// Uploads `bytes` bytes of a row-major array so much later, and says at once that the host memory
// is free.
PJRT_Error* UploadLater(PJRT_Client_BufferFromHostBuffer_Args* args, int64_t bytes,
                        std::chrono::milliseconds later);

// A handle of its own, which the caller destroys.
PJRT_Executable* ExecutableOf(PJRT_LoadedExecutable* loaded);
size_t NumOutputsOf(PJRT_LoadedExecutable* loaded);
// What an execution that succeeded gave out on one of its devices.
std::span<PJRT_Buffer*> OutputsOf(const PJRT_LoadedExecutable_Execute_Args& args,
                                  size_t device = 0);

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_BEHIND_H_
