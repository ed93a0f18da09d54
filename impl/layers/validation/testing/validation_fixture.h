// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_TESTING_VALIDATION_FIXTURE_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_TESTING_VALIDATION_FIXTURE_H_

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/validation/misuse/calls.h"
#include "impl/layers/validation/testing/table_chain.h"

namespace plinth::layers::validation {

// Handles are addresses in here; nobody reads them.
alignas(16) inline char memory[4096];

template <typename T>
T* HandleAt(int index) {
  return reinterpret_cast<T*>(memory + 16 * index);
}

class ValidationTest : public ::testing::Test {
 protected:
  ValidationTest() {
    chain_.Answer(reflection::function::kPJRT_Client_Create, [](void* args) -> PJRT_Error* {
      static_cast<PJRT_Client_Create_Args*>(args)->client = HandleAt<PJRT_Client>(1);
      return nullptr;
    });
    chain_.Answer(reflection::function::kPJRT_Client_BufferFromHostBuffer,
                  [](void* args) -> PJRT_Error* {
                    auto* a = static_cast<PJRT_Client_BufferFromHostBuffer_Args*>(args);
                    a->buffer = HandleAt<PJRT_Buffer>(2);
                    a->done_with_host_buffer = HandleAt<PJRT_Event>(3);
                    return nullptr;
                  });
    chain_.Answer(reflection::function::kPJRT_Client_AddressableDevices,
                  [this](void* args) -> PJRT_Error* {
                    auto* a = static_cast<PJRT_Client_AddressableDevices_Args*>(args);
                    a->addressable_devices = devices_;
                    a->num_addressable_devices = 1;
                    return nullptr;
                  });
  }

  void Start(const std::string& options = "") {
    chain_.UseValidation(options);
    world_.api = chain_.api();
    NEW(Plugin_Initialize, initialize);
    RUN(&world_, Plugin_Initialize, initialize);
    NEW(Client_Create, create);
    RUN(&world_, Client_Create, create);
    world_.client = create.client;
    NEW(Client_AddressableDevices, devices);
    devices.client = create.client;
    RUN(&world_, Client_AddressableDevices, devices);
    world_.device = devices.addressable_devices[0];
    world_.buffer = new_buffer(&world_);
    EXPECT_THAT(chain_.TakeLines(), ::testing::IsEmpty());
  }

  PJRT_Error_Code CodeOf(PJRT_Error* error) {
    if (error == nullptr) return PJRT_Error_Code_OK;
    NEW(Error_GetCode, args);
    args.error = error;
    chain_.api()->PJRT_Error_GetCode(&args);
    return args.code;
  }

  TableChain chain_{nullptr};
  PJRT_Device* devices_[1] = {HandleAt<PJRT_Device>(4)};
  World world_ = {};
};

inline ::testing::Matcher<std::string> Fault(const std::string& requirement,
                                             const std::string& text) {
  return ::testing::AllOf(
      ::testing::StartsWith("validation: misuse by the plugin [" + requirement + "] in call #"),
      ::testing::HasSubstr(text));
}

inline ::testing::Matcher<std::string> Misuse(const std::string& requirement,
                                              const std::string& text) {
  return ::testing::AllOf(
      ::testing::StartsWith("validation: misuse by the client [" + requirement + "] in call #"),
      ::testing::HasSubstr(text));
}

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_TESTING_VALIDATION_FIXTURE_H_
