// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_EXTENSIONS_H_
#define PLINTH_CONFORMANCE_MUTANTS_EXTENSIONS_H_

#include <cstring>
#include <new>

#include "conformance/mutants/mutant.h"

// Changes of the extensions that the plugin behind has.
namespace plinth::mutants {

// A copy of the chain of extensions in which the node of that type may be changed; null if there
// is none.
template <typename Node>
Node* OwnExtension(PJRT_Api& table, PJRT_Extension_Type type) {
  Node* found = nullptr;
  PJRT_Extension_Base** link = &table.extension_start;
  for (const PJRT_Extension_Base* node = table.extension_start; node != nullptr;
       node = node->next) {
    auto* copy = static_cast<PJRT_Extension_Base*>(::operator new(node->struct_size));
    std::memcpy(copy, node, node->struct_size);
    *link = copy;
    link = &copy->next;
    if (node->type == type) found = reinterpret_cast<Node*>(copy);
  }
  return found;
}

template <typename Node>
const Node& RealExtension(PJRT_Extension_Type type) {
  const PJRT_Extension_Base* node = Real().extension_start;
  while (node->type != type) node = node->next;
  return *reinterpret_cast<const Node*>(node);
}

template <typename Slot>
struct ExtensionOfSlot;
template <typename Extension, typename Args>
struct ExtensionOfSlot<PJRT_Error* (*Extension::*)(Args*)> {
  using Type = Extension;
  using ArgsType = Args;
};

// A mutant with another function in a slot of an extension: `body` gets arguments that are there,
// and what the plugin behind has in the slot.
template <auto kSlot, PJRT_Extension_Type kType, typename Body>
void ReplaceIn(PJRT_Api& table, Body) {
  using Extension = typename ExtensionOfSlot<decltype(kSlot)>::Type;
  using Args = typename ExtensionOfSlot<decltype(kSlot)>::ArgsType;
  auto* own = OwnExtension<Extension>(table, kType);
  if (own == nullptr) return;
  own->*kSlot = [](Args* args) -> PJRT_Error* {
    auto* behind = RealExtension<Extension>(kType).*kSlot;
    // A struct may end before its padding does.
    const bool is_whole = args != nullptr && args->struct_size + sizeof(void*) > sizeof(*args);
    return is_whole ? Body{}(args, behind) : behind(args);
  };
}

// Adds the extensions that few plugins have, without a bug.
void AddRareExtensions(PJRT_Api& table);

// A mutant with another function in a slot of an extension that the plugin behind lacks; it gets
// what is right.
template <auto kSlot, PJRT_Extension_Type kType, typename Body>
void ReplaceInAdded(PJRT_Api& table, Body) {
  using Extension = typename ExtensionOfSlot<decltype(kSlot)>::Type;
  using Args = typename ExtensionOfSlot<decltype(kSlot)>::ArgsType;
  AddRareExtensions(table);
  for (auto* node = table.extension_start; node != nullptr; node = node->next) {
    if (node->type != kType) continue;
    auto* own = reinterpret_cast<Extension*>(node);
    static PJRT_Error* (*behind)(Args*) = own->*kSlot;
    own->*kSlot = [](Args* args) -> PJRT_Error* {
      return args == nullptr ? behind(args) : Body{}(args, behind);
    };
    return;
  }
}

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_EXTENSIONS_H_
