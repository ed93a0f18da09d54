// SPDX-License-Identifier: Apache-2.0
// Bugs in the table, its versions and sizes, its extensions and its errors.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

// A copy of the chain's first node, of `size` bytes at most, that the caller may change.
PJRT_Extension_Base* CopyFirst(PJRT_Api& table) {
  alignas(16) static char node[512];
  std::memcpy(node, table.extension_start,
              std::min(sizeof(node), table.extension_start->struct_size));
  table.extension_start = reinterpret_cast<PJRT_Extension_Base*>(node);
  return table.extension_start;
}

constexpr Mutant kMutants[] = {
    {"wrong_major", "PJRT-Api-struct_size", "the major version is 1",
     [](PJRT_Api& t) { t.pjrt_api_version.major_version = 1; }},
    {"short_table", "PJRT-Api-struct_size", "the table ends before the last slots of its minor",
     [](PJRT_Api& t) { t.struct_size = offsetof(PJRT_Api, PJRT_Device_CreateAsyncTrackingEvent); }},
    {"stale_version", "PJRT-Api-struct_size",
     "a newer minor is claimed than the table has slots for",
     [](PJRT_Api& t) {
       t.struct_size = offsetof(PJRT_Api, PJRT_Buffer_DonateWithControlDependency);
       t.pjrt_api_version.minor_version = 90;
     }},
    {"null_slot", "PJRT-Api-full", "a slot that clients do not test is null",
     [](PJRT_Api& t) { t.PJRT_Buffer_UnpaddedDimensions = nullptr; }},
    {"null_extension_slot", "PJRT-Api-full", "a slot of an extension's table is null",
     [](PJRT_Api& t) {
       std::memset(reinterpret_cast<char*>(CopyFirst(t)) + sizeof(PJRT_Extension_Base), 0,
                   sizeof(void*));
     }},
    {"extension_circle", "PJRT-Args-extension_start", "the chain of extensions runs in a circle",
     [](PJRT_Api& t) {
       PJRT_Extension_Base* first = CopyFirst(t);
       first->next = first;
     }},
    {"extension_size", "PJRT-Args-extension_start",
     "an extension says that it is smaller than its head",
     [](PJRT_Api& t) { CopyFirst(t)->struct_size = 4; }},
    {"extension_twice", "PJRT-Args-extension_start", "an extension is twice on the chain",
     [](PJRT_Api& t) {
       PJRT_Extension_Base* old = t.extension_start;
       CopyFirst(t)->next = old;
     }},
    {"attribute_type", "PJRT-Plugin_Attributes-lifetime",
     "an attribute has a type that there is not",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Plugin_Attributes>(t, [](auto* a) -> PJRT_Error* {
         static PJRT_NamedValue bad[1];
         PJRT_Error* error = Real().PJRT_Plugin_Attributes(a);
         if (error != nullptr || a->num_attributes == 0) return error;
         bad[0] = a->attributes[0];
         int type = 77;
         std::memcpy(&bad[0].type, &type, sizeof(type));
         a->attributes = bad;
         a->num_attributes = 1;
         return nullptr;
       });
     }},
    {"refuses_larger_size", "PJRT-Args-struct_size-larger",
     "a struct_size larger than its own is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto* a) {
         if (a->struct_size <= sizeof(*a)) return Real().PJRT_Buffer_Dimensions(a);
         return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "struct_size is too large");
       });
     }},
    {"size_off_by_one", "PJRT-Args-struct_size-larger",
     "a struct of exactly the right size is refused: < became <=",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_SizeOfGeneratedCodeInBytes>(t, [](auto* a) {
         if (a->struct_size > StructOf<std::remove_reference_t<decltype(*a)>>::kSize) {
           return Real().PJRT_Executable_SizeOfGeneratedCodeInBytes(a);
         }
         return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "struct_size is too small");
       });
     }},
    {"writes_behind_struct", "PJRT-Args-struct_size",
     "fields are written that the caller's struct does not have",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto* a) {
         auto own = *a;
         own.struct_size = StructOf<PJRT_Executable_GetCompiledMemoryStats_Args>::kSize;
         PJRT_Error* error = Real().PJRT_Executable_GetCompiledMemoryStats(&own);
         own.struct_size = a->struct_size;
         *a = own;
         return error;
       });
     }},
    {"reads_behind_struct", "PJRT-Executable_DeserializeAndLoad-size-48",
     "an option is read that callers of 0.70 do not have",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) {
         auto own = *a;
         own.struct_size = StructOf<PJRT_Executable_DeserializeAndLoad_Args>::kSize;
         PJRT_Error* error = Real().PJRT_Executable_DeserializeAndLoad(&own);
         a->loaded_executable = own.loaded_executable;
         return error;
       });
     }},
    {"attributes_24", "PJRT-Plugin_Attributes-size-24",
     "the struct_size that upstream announced by mistake is refused",
     [](PJRT_Api& t) {
       t.PJRT_Plugin_Attributes = [](PJRT_Plugin_Attributes_Args* a) {
         if (a != nullptr && a->struct_size == 24) {
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "struct_size is too small");
         }
         return Real().PJRT_Plugin_Attributes(a);
       };
     }},
    {"refuses_extensions", "PJRT-Args-extension_start",
     "an unknown extension on the chain of arguments is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Devices>(t, [](auto* a) {
         if (a->extension_start == nullptr) return Real().PJRT_Client_Devices(a);
         return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "unknown extension");
       });
     }},
    {"error_without_head", "PJRT-Error-head", "an error has no function table",
     [](PJRT_Api& t) {
       static PJRT_Error headless = {nullptr};
       t.PJRT_Client_PlatformName = [](PJRT_Client_PlatformName_Args* a) {
         bool is_whole = a == nullptr || a->struct_size >= sizeof(*a);
         return is_whole ? Real().PJRT_Client_PlatformName(a) : &headless;
       };
       t.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* a) {
         if (a == nullptr || a->error != &headless) Real().PJRT_Error_Destroy(a);
       };
       Replace<&PJRT_Api::PJRT_Error_GetCode>(t, [](auto* a) -> PJRT_Error* {
         if (a->error != &headless) return Real().PJRT_Error_GetCode(a);
         a->code = PJRT_Error_Code_INVALID_ARGUMENT;
         return nullptr;
       });
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         if (a == nullptr || a->error != &headless) return Real().PJRT_Error_Message(a);
         a->message = "no head";
         a->message_size = 7;
       };
     }},
    {"error_code_none", "PJRT-Error-code", "an error has a code that there is not",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Error_GetCode>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Error_GetCode(a);
         int code = 99;
         std::memcpy(&a->code, &code, sizeof(code));
         return error;
       });
     }},
    {"error_code_wrong", "PJRT-Args-struct_size-smaller", "INVALID_ARGUMENT is reported as UNKNOWN",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Error_GetCode>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Error_GetCode(a);
         if (a->code == PJRT_Error_Code_INVALID_ARGUMENT) a->code = PJRT_Error_Code_UNKNOWN;
         return error;
       });
     }},
    {"error_without_text", "PJRT-Error_Message-const", "the text of an error can be read once",
     [](PJRT_Api& t) {
       static thread_local const PJRT_Error* last = nullptr;
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a == nullptr || a->struct_size < sizeof(*a)) return;
         if (a->error == last) a->message_size = 0;
         last = a->error;
       };
       t.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* a) {
         last = nullptr;
         Real().PJRT_Error_Destroy(a);
       };
     }},
    {"error_shared", "PJRT-Error-caller-frees",
     "one error object is returned by every failing call",
     [](PJRT_Api& t) {
       t.PJRT_Client_PlatformName = [](PJRT_Client_PlatformName_Args* a) {
         if (a == nullptr || a->struct_size >= sizeof(*a)) {
           return Real().PJRT_Client_PlatformName(a);
         }
         static PJRT_Error* const shared = Real().PJRT_Client_PlatformName(a);
         return shared;
       };
     }},
    {"error_destroy_null", "PJRT-Error_Destroy-null", "destroying a null error ends the process",
     [](PJRT_Api& t) {
       t.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* a) {
         if (a != nullptr && a->error == nullptr) std::abort();
         Real().PJRT_Error_Destroy(a);
       };
     }},
};

}  // namespace

std::span<const Mutant> TableMutants() { return kMutants; }

}  // namespace plinth::mutants
