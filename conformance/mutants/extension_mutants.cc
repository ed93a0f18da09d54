// SPDX-License-Identifier: Apache-2.0
// Bugs of the extensions that the plugin behind has: layouts, shardings, FFI, partitioners of
// custom calls. Written from the requirements, without looking at the cases.

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "pjrt_c_api_custom_partitioner_extension.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::mutants {
namespace {

constexpr PJRT_Extension_Type kLayouts = PJRT_Extension_Type_Layouts;
constexpr PJRT_Extension_Type kShardings = PJRT_Extension_Type_Shardings;
constexpr PJRT_Extension_Type kFfi = PJRT_Extension_Type_FFI;
constexpr PJRT_Extension_Type kPartitioner = PJRT_Extension_Type_Custom_Partitioner;

// The text of a layout that is handed out, to be changed; freed by its holder as before.
template <typename Change>
void ChangeLayoutTexts(PJRT_Api& table, Change) {
  ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize, kLayouts>(
      table, [](auto* a, auto* behind) {
        PJRT_Error* error = behind(a);
        if (error != nullptr) return error;
        static auto* const texts = new std::set<std::string>;
        std::string text(a->serialized_bytes, a->serialized_bytes_size);
        Change{}(text);
        std::lock_guard<std::mutex> lock(Memory());
        const std::string& kept = *texts->insert(text).first;
        a->serialized_bytes = kept.data();
        a->serialized_bytes_size = kept.size();
        return error;
      });
}

// Layouts whose text was asked for, with the holder's bytes.
std::map<PJRT_Layouts_MemoryLayout*, std::vector<std::pair<char*, size_t>>>& TextsOf() {
  static auto* const texts =
      new std::map<PJRT_Layouts_MemoryLayout*, std::vector<std::pair<char*, size_t>>>;
  return *texts;
}

// Callbacks that were passed on with a `dtor` that does nothing, and their own.
using Callbacks = JAX_CustomCallPartitioner_Callbacks;

// What a type's objects are freed with.
std::map<int64_t, void (*)(void*)>& Deleters() {
  static auto* const deleters = new std::map<int64_t, void (*)(void*)>;
  return *deleters;
}

bool IsNarrow(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4 ||
         type == PJRT_Buffer_Type_S2 || type == PJRT_Buffer_Type_U2;
}

constexpr Mutant kExtensionMutants[] = {
    {"layout_text_of_four", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "the text of a layout names four dimensions at most",
     [](PJRT_Api& t) {
       ChangeLayoutTexts(t, [](std::string& text) {
         size_t commas = 0;
         for (size_t i = 0; i < text.size() && text[i] != ':'; ++i) {
           if (text[i] == ',' && ++commas == 4) {
             text = text.substr(0, i) + "}";
             return;
           }
         }
       });
     }},
    {"layout_text_with_spaces", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "the text of a layout has a space after each comma",
     [](PJRT_Api& t) {
       ChangeLayoutTexts(t, [](std::string& text) {
         std::string spaced;
         for (char c : text) {
           spaced += c;
           if (c == ',') spaced += ' ';
         }
         text = spaced;
       });
     }},
    {"layout_text_dies_with_layout", "PJRT-Args-output-lifetime",
     "the text of a layout is wiped when the layout is freed, though its holder lives",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize, kLayouts>(
           t, [](auto* a, auto* behind) {
             PJRT_Error* error = behind(a);
             if (error != nullptr) return error;
             std::lock_guard<std::mutex> lock(Memory());
             auto* own = new char[a->serialized_bytes_size + 1];
             std::memcpy(own, a->serialized_bytes, a->serialized_bytes_size);
             TextsOf()[a->layout].push_back({own, a->serialized_bytes_size});
             a->serialized_bytes = own;
             return error;
           });
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy, kLayouts>(
           t, [](auto* a, auto* behind) {
             {
               std::lock_guard<std::mutex> lock(Memory());
               for (auto [bytes, size] : TextsOf()[a->layout]) std::memset(bytes, '?', size);
               TextsOf().erase(a->layout);
             }
             return behind(a);
           });
     }},
    {"default_layout_of_narrow_types", "PJRT-Layouts_PJRT_Client_GetDefaultLayout-default",
     "the default layout of types below a byte is that of no dimensions",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Client_GetDefaultLayout, kLayouts>(
           t, [](auto* a, auto* behind) {
             if (!IsNarrow(a->type)) return behind(a);
             auto own = *a;
             own.num_dims = 0;
             PJRT_Error* error = behind(&own);
             a->layout = own.layout;
             return error;
           });
     }},
    {"topology_layout_of_rank_5", "PJRT-Layouts_PJRT_Topology_GetDefaultLayout-same",
     "the default layout of a topology has four dimensions at most",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Topology_GetDefaultLayout, kLayouts>(
           t, [](auto* a, auto* behind) {
             auto own = *a;
             if (own.num_dims > 4) own.num_dims = 4;
             PJRT_Error* error = behind(&own);
             a->layout = own.layout;
             return error;
           });
     }},
    {"parameter_layouts_of_first", "PJRT-Layouts_PJRT_Executable_GetParameterLayouts-parameters",
     "each parameter has the layout of the first",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
                 kLayouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr || a->num_parameters < 2) return error;
         auto* own = new std::vector<PJRT_Layouts_MemoryLayout*>(a->num_parameters, a->layouts[0]);
         a->layouts = own->data();
         return error;
       });
     }},
    {"output_layouts_share_a_list", "PJRT-Args-output-lifetime",
     "the list of layouts of outputs is that of the executable that was asked last",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts, kLayouts>(
           t, [](auto* a, auto* behind) {
             PJRT_Error* error = behind(a);
             if (error != nullptr || a->num_outputs > 64) return error;
             static PJRT_Layouts_MemoryLayout* list[64];
             std::memcpy(list, a->layouts, a->num_outputs * sizeof(list[0]));
             a->layouts = list;
             return error;
           });
     }},
    {"output_layouts_backwards", "PJRT-Layouts_PJRT_Executable_GetOutputLayouts-outputs",
     "the layouts of outputs stand in reverse order",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts, kLayouts>(
           t, [](auto* a, auto* behind) {
             PJRT_Error* error = behind(a);
             if (error != nullptr || a->num_outputs < 2) return error;
             auto* own = new std::vector<PJRT_Layouts_MemoryLayout*>(a->layouts,
                                                                     a->layouts + a->num_outputs);
             a->layouts = new PJRT_Layouts_MemoryLayout*[own->size()];
             for (size_t i = 0; i < own->size(); ++i) a->layouts[i] = (*own)[own->size() - 1 - i];
             return error;
           });
     }},
    {"buffer_layout_is_default", "PJRT-Layouts_PJRT_Buffer_MemoryLayout-same",
     "the layout of a buffer is the default one, whatever it was made with",
     [](PJRT_Api& t) {
       RememberClient(t);
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout, kLayouts>(
           t, [](auto* a, auto* behind) {
             if (a->buffer == nullptr || LastClient() == nullptr) return behind(a);
             auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
             dims.buffer = a->buffer;
             FreeError(Real().PJRT_Buffer_Dimensions(&dims));
             PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args get = {};
             get.struct_size = sizeof(get);
             get.client = LastClient();
             get.type = ElementTypeOf(a->buffer);
             get.dims = dims.dims;
             get.num_dims = dims.num_dims;
             PJRT_Error* error = RealExtension<PJRT_Layouts_Extension>(kLayouts)
                                     .PJRT_Layouts_PJRT_Client_GetDefaultLayout(&get);
             a->layout = get.layout;
             return error;
           });
     }},
    {"sharding_sizes_of_first", "PJRT-Shardings_PJRT_Executable_OutputShardings-outputs",
     "each sharding of an output has the length of the first",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_OutputShardings,
                 kShardings>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr || a->sharding_sizes == nullptr || a->num_outputs < 2) return error;
         a->sharding_sizes =
             (new std::vector<size_t>(a->num_outputs, a->sharding_sizes[0]))->data();
         return error;
       });
     }},
    {"parameter_shardings_backwards",
     "PJRT-Shardings_PJRT_Executable_ParameterShardings-parameters",
     "the shardings of parameters stand in reverse order",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_ParameterShardings,
                 kShardings>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr || a->shardings == nullptr || a->num_parameters < 2) return error;
         const size_t n = a->num_parameters;
         auto* texts = new const char*[n];
         auto* sizes = new size_t[n];
         for (size_t i = 0; i < n; ++i) {
           texts[i] = a->shardings[n - 1 - i];
           sizes[i] = a->sharding_sizes[n - 1 - i];
         }
         a->shardings = texts;
         a->sharding_sizes = sizes;
         return error;
       });
     }},
    {"shardings_without_sizes", "PJRT-Shardings_PJRT_Executable_ParameterShardings-parameters",
     "the list of shardings is there, that of their lengths is null",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_ParameterShardings,
                 kShardings>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr || a->num_parameters == 0) return error;
         static const char* const none[4096] = {};
         if (a->shardings == nullptr) a->shardings = none;
         a->sharding_sizes = nullptr;
         return error;
       });
     }},
    {"ffi_type_id_zero", "PJRT-FFI_Type_Register-ids", "a new type gets the id 0",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::type_register, kFfi>(t, [](auto* a, auto* behind) {
         auto own = *a;
         PJRT_Error* error = behind(&own);
         if (error == nullptr && a->type_id != 0) a->type_id = own.type_id;
         return error;
       });
     }},
    {"ffi_later_types_share_an_id", "PJRT-FFI_Type_Register-ids",
     "from the third type on, types get the id of the second",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::type_register, kFfi>(t, [](auto* a, auto* behind) {
         static std::vector<int64_t> ids;
         const bool is_new = a->type_id == 0;
         PJRT_Error* error = behind(a);
         if (error != nullptr || !is_new) return error;
         std::lock_guard<std::mutex> lock(Memory());
         if (ids.size() >= 2) a->type_id = ids[1];
         ids.push_back(a->type_id);
         return error;
       });
     }},
    {"ffi_one_datum", "PJRT-FFI_UserData_Add-found",
     "a context holds one datum: a second of another type is forgotten",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::user_data_add, kFfi>(
           t, [](auto* a, auto* behind) -> PJRT_Error* {
             static auto* const filled = new std::set<PJRT_ExecuteContext*>;
             std::lock_guard<std::mutex> lock(Memory());
             if (a->context != nullptr && !filled->insert(a->context).second) return nullptr;
             return behind(a);
           });
     }},
    {"ffi_datum_once", "PJRT-FFI_UserData_Add-found",
     "an execution after the first with a context does not see its data",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.options == nullptr || a.options->struct_size < sizeof(PJRT_ExecuteOptions) ||
             a.options->context == nullptr)
           return;
         static auto* const used = new std::set<PJRT_ExecuteContext*>;
         std::lock_guard<std::mutex> lock(Memory());
         if (used->insert(a.options->context).second) return;
         static thread_local PJRT_ExecuteOptions own;
         own = *a.options;
         own.context = nullptr;
         a.options = &own;
       });
       Replace<&PJRT_Api::PJRT_ExecuteContext_Create>(
           t, [](auto* a) { return Real().PJRT_ExecuteContext_Create(a); });
     }},
    {"ffi_datum_freed_at_once", "PJRT-FFI_UserData_Add-found",
     "the deleter of a type runs when data is added, before any handler saw it",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::type_register, kFfi>(t, [](auto* a, auto* behind) {
         auto own = *a;
         PJRT_FFI_Type_Info without = {};
         auto* deleter = a->type_info == nullptr ? nullptr : a->type_info->deleter;
         if (a->type_info != nullptr) {
           without = *a->type_info;
           without.deleter = [](void*) {};
           own.type_info = &without;
         }
         PJRT_Error* error = behind(&own);
         a->type_id = own.type_id;
         std::lock_guard<std::mutex> lock(Memory());
         Deleters()[a->type_id] = deleter;
         return error;
       });
       ReplaceIn<&PJRT_FFI_Extension::user_data_add, kFfi>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         void (*deleter)(void*) = nullptr;
         {
           std::lock_guard<std::mutex> lock(Memory());
           deleter = Deleters()[a->user_data.type_id];
         }
         if (error == nullptr && deleter != nullptr) deleter(a->user_data.data);
         return error;
       });
     }},
    {"ffi_any_platform", "PJRT-FFI_Register_Handler-called",
     "a handler for another platform takes the place of the platform's own",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::register_handler, kFfi>(t, [](auto* a, auto* behind) {
         const std::string_view platform(a->platform_name == nullptr ? "" : a->platform_name,
                                         a->platform_name_size);
         if (platform == "cpu" || platform.empty()) return behind(a);
         auto own = *a;
         own.platform_name = "cpu";
         own.platform_name_size = 3;
         return behind(&own);
       });
     }},
    {"ffi_long_names", "PJRT-FFI_Register_Handler-called",
     "the name of a handler is kept up to 31 bytes",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::register_handler, kFfi>(t, [](auto* a, auto* behind) {
         auto own = *a;
         if (own.target_name_size > 31) own.target_name_size = 31;
         return behind(&own);
       });
     }},
    {"partitioner_freed_at_once", "PJRT-Args-output-lifetime",
     "the callbacks of a partitioner are freed when they are registered, and called later",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Custom_Partitioner_Extension::register_custom_partitioner, kPartitioner>(
           t, [](auto* a, auto* behind) {
             if (a->callbacks == nullptr) return behind(a);
             auto own = *a;
             auto* kept = new Callbacks(*a->callbacks);
             auto* freed = kept->dtor;
             kept->dtor = [](Callbacks*) {};
             own.callbacks = kept;
             PJRT_Error* error = behind(&own);
             if (error == nullptr && freed != nullptr) freed(a->callbacks);
             return error;
           });
     }},
    {"partitioner_name_cut", "PJRT-Args-accepted",
     "a partitioner is registered under its name without the last letter",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Custom_Partitioner_Extension::register_custom_partitioner, kPartitioner>(
           t, [](auto* a, auto* behind) {
             auto own = *a;
             if (own.name_size > 1) --own.name_size;
             return behind(&own);
           });
     }},
    {"partitioner_once", "PJRT-Args-accepted", "a second partitioner, for another name, is refused",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Custom_Partitioner_Extension::register_custom_partitioner, kPartitioner>(
           t, [](auto* a, auto* behind) {
             static int registered = 0;
             std::lock_guard<std::mutex> lock(Memory());
             if (++registered > 1)
               return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "there is a partitioner");
             return behind(a);
           });
     }},
};

}  // namespace

std::span<const Mutant> ExtensionMutants() { return kExtensionMutants; }

}  // namespace plinth::mutants
