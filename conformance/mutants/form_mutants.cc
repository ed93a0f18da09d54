// SPDX-License-Identifier: Apache-2.0
// Bugs that show in rare forms of a call: many dimensions, other orders, empty texts, two answers
// at once, what extensions say. Written from the requirements, without looking at the cases.

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::mutants {
namespace {

std::mutex& FormLock() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

constexpr PJRT_Extension_Type kLayouts = PJRT_Extension_Type_Layouts;

// Layouts that are handed out cannot be freed.
void KeepLayouts(PJRT_Api& table) {
  ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy, kLayouts>(
      table, [](auto*, auto*) { return MakeError(PJRT_Error_Code_INTERNAL, "it stays"); });
}

// Keeps a list for ever, as a plugin that never frees would.
template <typename T>
T* Keep(std::vector<T> list) {
  static auto* const kept = new std::deque<std::vector<T>>;
  std::lock_guard<std::mutex> lock(FormLock());
  return kept->emplace_back(std::move(list)).data();
}

// Bytes that were serialized, by their hash.
std::set<size_t>& Written() {
  static auto* const written = new std::set<size_t>;
  return *written;
}

constexpr Mutant kFormMutants[] = {
    {"dims_of_32_bits", "PJRT-Buffer_Dimensions-asked-for", "dimensions are kept in 32 bits",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         std::vector<int64_t> dims(a.dims, a.dims + a.num_dims);
         if (std::none_of(dims.begin(), dims.end(), [](int64_t d) { return d > INT32_MAX; }))
           return;
         for (int64_t& dim : dims) dim = static_cast<int32_t>(dim);
         a.dims = Keep(dims);
       });
     }},
    {"strides_are_no_layout", "PJRT-Buffer_ToHostBuffer-layout",
     "a layout of strides for the host is ignored",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Buffer_MemoryLayout* layout = a->host_layout;
         if (layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Strides)
           return Real().PJRT_Buffer_ToHostBuffer(a);
         a->host_layout = nullptr;
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         a->host_layout = layout;
         return error;
       });
     }},
    {"layouts_of_manager", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "a manager's buffers ignore their layouts",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         if (a.device_layouts == nullptr) return;
         a.device_layouts = nullptr;
         a.num_device_layouts = 0;
       });
     }},
    {"literal_row_major", "PJRT-Buffer_ToHostBuffer-contents",
     "the layout of a literal is taken for row-major",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(
           t, [](auto& a) { a.shape_layout = nullptr; });
     }},
    {"strides_of_16_bits", "PJRT-Client_BufferFromHostBuffer-strides",
     "strides above 65535 are cut to 16 bits",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->byte_strides == nullptr || a->num_byte_strides != a->num_dims)
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         std::vector<int64_t> strides(a->byte_strides, a->byte_strides + a->num_byte_strides);
         for (int64_t& stride : strides) stride = stride > 65535 ? stride & 65535 : stride;
         auto own = *a;
         own.byte_strides = strides.data();
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(&own);
         a->buffer = own.buffer;
         a->done_with_host_buffer = own.done_with_host_buffer;
         return error;
       });
     }},
    {"callback_needs_argument", "PJRT-Event_OnReady-once",
     "a callback without a user_arg is not called",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         if (a->user_arg != nullptr || a->callback == nullptr) return Real().PJRT_Event_OnReady(a);
         auto own = *a;
         own.callback = [](PJRT_Error* error, void*) { FreeError(error); };
         return Real().PJRT_Event_OnReady(&own);
       });
     }},
    {"error_of_first_thread", "PJRT-Threads-any",
     "errors of events are told to the thread alone that asked first",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Error>(t, [](auto* a) -> PJRT_Error* {
         static const std::thread::id first = std::this_thread::get_id();
         PJRT_Error* error = Real().PJRT_Event_Error(a);
         if (error == nullptr || std::this_thread::get_id() == first) return error;
         FreeError(error);
         return nullptr;
       });
     }},
    {"argument_once", "PJRT-LoadedExecutable_Execute-results",
     "a buffer that is two arguments is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_devices == 1 && a->argument_lists != nullptr &&
             a->argument_lists[0] != nullptr) {
           std::set<PJRT_Buffer*> seen(a->argument_lists[0], a->argument_lists[0] + a->num_args);
           if (seen.size() < a->num_args)
             return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "an argument is given twice");
         }
         return Real().PJRT_LoadedExecutable_Execute(a);
       });
     }},
    {"alias_is_arguments", "PJRT-Executable_GetCompiledMemoryStats-alias",
     "all bytes of arguments count as aliased",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(
           t, [](auto& a) { a.alias_size_in_bytes = a.argument_size_in_bytes; });
     }},
    {"serialized_at_home", "PJRT-Executable_DeserializeAndLoad-elsewhere",
     "only the process that wrote an executable can load it",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(FormLock());
         Written().insert(
             std::hash<std::string_view>()({a.serialized_bytes, a.serialized_bytes_size}));
       });
       Replace<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto* a) {
         if (a->serialized_executable != nullptr) {
           std::lock_guard<std::mutex> lock(FormLock());
           if (!Written().contains(std::hash<std::string_view>()(
                   {a->serialized_executable, a->serialized_executable_size})))
             return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "it is of another process");
         }
         return Real().PJRT_Executable_DeserializeAndLoad(a);
       });
     }},
    {"shapes_share_a_place", "PJRT-Args-output-lifetime",
     "output dimensions of all executables share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         static int64_t dims[4096];
         size_t count = 0;
         for (size_t i = 0; i < a.num_outputs; ++i) count += a.dim_sizes[i];
         std::lock_guard<std::mutex> lock(FormLock());
         std::copy_n(a.dims, count, dims);
         a.dims = dims;
       });
     }},
    {"layout_major_first", "PJRT-Layouts_PJRT_Buffer_MemoryLayout-same",
     "the text of a layout of two dimensions lists the slowest first",
     [](PJRT_Api& t) {
       auto* own = OwnExtension<PJRT_Layouts_Extension>(t, kLayouts);
       if (own == nullptr) return;
       own->PJRT_Layouts_MemoryLayout_Serialize = [](PJRT_Layouts_MemoryLayout_Serialize_Args* a) {
         PJRT_Error* error =
             RealExtension<PJRT_Layouts_Extension>(kLayouts).PJRT_Layouts_MemoryLayout_Serialize(a);
         if (error == nullptr && a->serialized_bytes_size == 5) {
           a->serialized_bytes =
               std::string_view(a->serialized_bytes, 5) == "{1,0}" ? "{0,1}" : "{1,0}";
         }
         return error;
       };
     }},
    {"layout_without_braces", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "the text of a layout has no braces",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize, kLayouts>(
           t, [](auto* a, auto* behind) {
             PJRT_Error* error = behind(a);
             if (error != nullptr || a->serialized_bytes_size < 2) return error;
             ++a->serialized_bytes;
             a->serialized_bytes_size -= 2;
             return error;
           });
     }},
    {"layout_text_not_freed", "PJRT-Layouts_MemoryLayout_Serialize-serialized_layout-owner",
     "the text of a layout has no deleter",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize, kLayouts>(
           t, [](auto* a, auto* behind) {
             PJRT_Error* error = behind(a);
             a->serialized_layout_deleter = nullptr;
             return error;
           });
     }},
    {"default_lacks_dimension", "PJRT-Layouts_PJRT_Client_GetDefaultLayout-default",
     "the default layout of a client lacks a dimension",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Client_GetDefaultLayout, kLayouts>(
           t, [](auto* a, auto* behind) {
             auto own = *a;
             if (own.num_dims > 1) --own.num_dims;
             PJRT_Error* error = behind(&own);
             a->layout = own.layout;
             return error;
           });
     }},
    {"default_of_topology_lacks_dimension", "PJRT-Layouts_PJRT_Topology_GetDefaultLayout-same",
     "the default layout of a topology lacks a dimension",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Topology_GetDefaultLayout, kLayouts>(
           t, [](auto* a, auto* behind) {
             auto own = *a;
             if (own.num_dims > 1) --own.num_dims;
             PJRT_Error* error = behind(&own);
             a->layout = own.layout;
             return error;
           });
     }},
    {"output_layouts_cut", "PJRT-Layouts_PJRT_Executable_GetOutputLayouts-outputs",
     "the layouts of outputs lack the last",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts, kLayouts>(
           t, [](auto* a, auto* behind) {
             PJRT_Error* error = behind(a);
             if (error == nullptr && a->num_outputs > 0) --a->num_outputs;
             return error;
           });
     }},
    {"parameter_shardings_cut", "PJRT-Shardings_PJRT_Executable_ParameterShardings-parameters",
     "the sharding of the last parameter is missing",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_ParameterShardings,
                 PJRT_Extension_Type_Shardings>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr && a->num_parameters > 0) --a->num_parameters;
         return error;
       });
     }},
    {"layout_of_client_not_freed", "PJRT-Layouts_PJRT_Client_GetDefaultLayout-layout-owner",
     "a default layout cannot be freed", KeepLayouts},
    {"layout_of_topology_not_freed", "PJRT-Layouts_PJRT_Topology_GetDefaultLayout-layout-owner",
     "a default layout of a topology cannot be freed", KeepLayouts},
    {"layout_of_buffer_not_freed", "PJRT-Layouts_PJRT_Buffer_MemoryLayout-layout-owner",
     "the layout of a buffer cannot be freed", KeepLayouts},
    {"layouts_of_results", "PJRT-Layouts_PJRT_Executable_GetParameterLayouts-parameters",
     "the layouts of parameters lack the last",
     [](PJRT_Api& t) {
       auto* own = OwnExtension<PJRT_Layouts_Extension>(t, kLayouts);
       if (own == nullptr) return;
       own->PJRT_Layouts_PJRT_Executable_GetParameterLayouts =
           [](PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* a) {
             PJRT_Error* error = RealExtension<PJRT_Layouts_Extension>(kLayouts)
                                     .PJRT_Layouts_PJRT_Executable_GetParameterLayouts(a);
             if (error == nullptr && a->num_parameters > 0) --a->num_parameters;
             return error;
           };
     }},
    {"shardings_cut", "PJRT-Shardings_PJRT_Executable_OutputShardings-outputs",
     "the sharding of the last output is missing",
     [](PJRT_Api& t) {
       constexpr PJRT_Extension_Type kType = PJRT_Extension_Type_Shardings;
       auto* own = OwnExtension<PJRT_Shardings_Extension>(t, kType);
       if (own == nullptr) return;
       own->PJRT_Shardings_PJRT_Executable_OutputShardings =
           [](PJRT_Shardings_PJRT_Executable_OutputShardings_Args* a) {
             PJRT_Error* error = RealExtension<PJRT_Shardings_Extension>(kType)
                                     .PJRT_Shardings_PJRT_Executable_OutputShardings(a);
             if (error == nullptr && a->num_outputs > 0) --a->num_outputs;
             return error;
           };
     }},
    {"handler_forgotten", "PJRT-FFI_Register_Handler-called",
     "names of handlers lose their last letter",
     [](PJRT_Api& t) {
       constexpr PJRT_Extension_Type kType = PJRT_Extension_Type_FFI;
       auto* own = OwnExtension<PJRT_FFI_Extension>(t, kType);
       if (own == nullptr) return;
       own->register_handler = [](PJRT_FFI_Register_Handler_Args* a) {
         if (a == nullptr || a->target_name_size == 0)
           return RealExtension<PJRT_FFI_Extension>(kType).register_handler(a);
         auto shorter = *a;
         --shorter.target_name_size;
         return RealExtension<PJRT_FFI_Extension>(kType).register_handler(&shorter);
       };
     }},
    {"types_share_an_id", "PJRT-FFI_Type_Register-ids", "all types of FFI data get one id",
     [](PJRT_Api& t) {
       auto* own = OwnExtension<PJRT_FFI_Extension>(t, PJRT_Extension_Type_FFI);
       if (own == nullptr) return;
       own->type_register = [](PJRT_FFI_Type_Register_Args* a) -> PJRT_Error* {
         if (a->type_id == 0) a->type_id = 77;
         return nullptr;
       };
     }},
};

}  // namespace

std::span<const Mutant> FormMutants() { return kFormMutants; }

}  // namespace plinth::mutants
