// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_GUARDED_H_
#define PLINTH_CONFORMANCE_WINDOWS_GUARDED_H_

/* Structs that end where a page ends that nobody may touch: a plugin that reads or writes past the
   struct that this revision knows dies, and the pair gets its verdict. Tail padding, which belongs
   to the page, is checked by value. One thread only. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { kGuardedPage = 4096, kGuardedSlots = 64, kGuardedCanary = 0xA5 };

typedef struct {
  unsigned char* end; /* Start of the page that nobody may touch. */
  size_t struct_size;
  size_t size; /* 0: free. */
} GuardedSlot;

static GuardedSlot guarded_slots[kGuardedSlots];

/* False if memory cannot be mapped. */
static bool GuardedInit(void) {
  for (int i = 0; i < kGuardedSlots; ++i) {
    unsigned char* pages = (unsigned char*)mmap(NULL, 2 * kGuardedPage, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return false;
    if (mprotect(pages + kGuardedPage, kGuardedPage, PROT_NONE) != 0) return false;
    guarded_slots[i].end = pages + kGuardedPage;
  }
  return true;
}

/* A zeroed struct of `size` bytes that says `struct_size` in its first word; null if all slots are
   taken or it does not fit into a page. */
static void* GuardedNew(size_t size, size_t struct_size) {
  if (size > kGuardedPage) return NULL;
  for (int i = 0; i < kGuardedSlots; ++i) {
    GuardedSlot* slot = &guarded_slots[i];
    if (slot->size != 0) continue;
    slot->size = size;
    slot->struct_size = struct_size;
    unsigned char* start = slot->end - size;
    memset(slot->end - kGuardedPage, kGuardedCanary, kGuardedPage);
    memset(start, 0, size);
    /* Where upstream's constant was wrong, the bytes behind it are fields and not padding. */
    if (struct_size < size && size - struct_size < sizeof(void*)) {
      memset(start + struct_size, kGuardedCanary, size - struct_size);
    }
    *(size_t*)start = struct_size;
    return start;
  }
  return NULL;
}

static GuardedSlot* GuardedFind(const void* object) {
  for (int i = 0; i < kGuardedSlots; ++i) {
    GuardedSlot* slot = &guarded_slots[i];
    if (slot->size != 0 && slot->end - slot->size == (const unsigned char*)object) return slot;
  }
  return NULL;
}

/* Whether what is not a field of the struct is as it was, struct_size included. */
static bool GuardedIntact(const void* object) {
  const GuardedSlot* slot = GuardedFind(object);
  if (slot == NULL || *(const size_t*)object != slot->struct_size) return false;
  if (slot->struct_size < slot->size && slot->size - slot->struct_size < sizeof(void*)) {
    for (size_t i = slot->struct_size; i < slot->size; ++i) {
      if (((const unsigned char*)object)[i] != kGuardedCanary) return false;
    }
  }
  return ((const unsigned char*)object)[-1] == kGuardedCanary;
}

static void GuardedFree(const void* object) {
  GuardedSlot* slot = GuardedFind(object);
  if (slot != NULL) slot->size = 0;
}

/* Between plugins: what a failed step left behind. */
static void GuardedFreeAll(void) {
  for (int i = 0; i < kGuardedSlots; ++i) guarded_slots[i].size = 0;
}

#endif /* PLINTH_CONFORMANCE_WINDOWS_GUARDED_H_ */
