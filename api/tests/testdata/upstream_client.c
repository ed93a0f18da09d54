/* SPDX-License-Identifier: Apache-2.0 */
/* A client as one writes it against upstream's include path. It only has to compile. */
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_gpu.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"

/* An extension of somebody else's, built with the macros that the header offers. */
typedef struct Vendor_Extension {
  PJRT_Extension_Base base;
  int answer;
} Vendor_Extension;
PJRT_DEFINE_STRUCT_TRAITS(Vendor_Extension, answer);

static const PJRT_Extension_Base* find(const PJRT_Api* api, PJRT_Extension_Type type) {
  const PJRT_Extension_Base* node = api->extension_start;
  while (node != NULL && node->type != type) node = node->next;
  return node;
}

static void on_ready(PJRT_Error* error, void* user_arg) { *(bool*)user_arg = error == NULL; }

int client_main(void);

int client_main(void) {
  const PJRT_Api* api = GetPjrtApi();
  const PJRT_Layouts_Extension* layouts =
      (const PJRT_Layouts_Extension*)find(api, PJRT_Extension_Type_Layouts);
  PJRT_NamedValue option;
  PJRT_Client_Create_Args create;
  PJRT_Event_OnReady_Args ready;
  PJRT_Error* error;
  bool done = false;

  if (api->pjrt_api_version.major_version != PJRT_API_MAJOR) return 1;
  if (api->struct_size < PJRT_Api_STRUCT_SIZE) return 2;
  if (layouts != NULL && layouts->base.struct_size >= PJRT_Layouts_Extension_STRUCT_SIZE &&
      layouts->PJRT_Layouts_PJRT_Executable_GetOutputLayouts == NULL) {
    return 3;
  }
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.extension_start = NULL;
  option.name = "devices";
  option.name_size = 7;
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = 2;
  option.value_size = 1;
  create.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE;
  create.extension_start = NULL;
  create.create_options = &option;
  create.num_options = 1;
  error = api->PJRT_Client_Create(&create);
  if (error != NULL) {
    PJRT_Error_Destroy_Args destroy = {PJRT_Error_Destroy_Args_STRUCT_SIZE, NULL, error};
    api->PJRT_Error_Destroy(&destroy);
    return 4;
  }
  ready.struct_size = PJRT_Event_OnReady_Args_STRUCT_SIZE;
  ready.extension_start = NULL;
  ready.event = NULL;
  ready.callback = on_ready;
  ready.user_arg = &done;
  return api->PJRT_Event_OnReady(&ready) == NULL && Vendor_Extension_STRUCT_SIZE == 28 ? 0 : 5;
}
