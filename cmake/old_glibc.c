/* SPDX-License-Identifier: Apache-2.0 */
/* What Plinth's binaries call of glibc that has got a newer version since 2.27, by its old version:
 * so that binaries that were linked on a newer system run on an older one. Hidden functions, linked
 * into what is released (PLINTH_OLD_GLIBC), libstdc++'s static library included.
 * cmake/check_shared_library.sh names what is missing here.
 *
 * Nothing is slower by it, but for two things that are said below. A function of OLD is the jump
 * that the linker would have put into its table of jumps. */
#ifndef __x86_64__
#error "the old versions below are those of x86-64; no other machine is served so far"
#endif
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

#define OLD(name, version)                                                                       \
  __asm__(".symver plinth_old_" #name ", " #name "@GLIBC_" version "\n.pushsection .text." #name \
          ",\"ax\",@progbits\n"                                                                  \
          ".globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name              \
          ":\nendbr64\njmp *plinth_old_" #name                                                   \
          "@GOTPCREL(%rip)\n"                                                                    \
          ".size " #name ", . - " #name "\n.popsection\n");

/* The table is in OldGlibc.cmake. Of 2.34: what was in libdl and libpthread. Of 2.29: functions of
 * libm, which go without tables of errors of SVID, otherwise the same code. */
#include "old_functions.inc"

/* Before 2.33 functions of the headers, over these. */
__asm__(
    ".symver __xstat, __xstat@GLIBC_2.2.5\n.symver __fxstat, __fxstat@GLIBC_2.2.5\n"
    ".symver __lxstat, __lxstat@GLIBC_2.2.5\n.symver __fxstatat, __fxstatat@GLIBC_2.4\n");
int __xstat(int version, const char* path, void* result);
int __fxstat(int version, int file, void* result);
int __lxstat(int version, const char* path, void* result);
int __fxstatat(int version, int folder, const char* path, void* result, int flags);
enum { kStatVersion = 1 };
#define STAT(suffix)                                                                  \
  HIDDEN int stat##suffix(const char* path, void* result) {                           \
    return __xstat(kStatVersion, path, result);                                       \
  }                                                                                   \
  HIDDEN int fstat##suffix(int file, void* result) {                                  \
    return __fxstat(kStatVersion, file, result);                                      \
  }                                                                                   \
  HIDDEN int lstat##suffix(const char* path, void* result) {                          \
    return __lxstat(kStatVersion, path, result);                                      \
  }                                                                                   \
  HIDDEN int fstatat##suffix(int folder, const char* path, void* result, int flags) { \
    return __fxstatat(kStatVersion, folder, path, result, flags);                     \
  }
STAT()
STAT(64) /* On x86-64 the same struct. */

/* Of 2.32. libstdc++ asks it whether a shared_ptr's count needs an atomic operation. It cannot be
 * kept up to date from here, so counts are always atomic: slower in a program of one thread alone,
 * which no program is that has made a client. */
HIDDEN char __libc_single_threaded = 0;

/* Of 2.30: std::condition_variable waits by it for a time of the steady clock. An older glibc waits
 * by the system's clock; if that is set meanwhile, the wait is longer or shorter by as much. Those
 * who wait so look at the steady clock again. */
typedef int ClockWait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
static ClockWait* own_clock_wait;
/* Before every other constructor of the binary; without threads, as any of its kind. */
__attribute__((constructor(101))) static void FindClockWait(void) {
  own_clock_wait = (ClockWait*)dlvsym(RTLD_DEFAULT, "pthread_cond_clockwait", "GLIBC_2.30");
}
static long long Nanoseconds(const struct timespec* time) {
  return time->tv_sec * 1000000000LL + time->tv_nsec;
}
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  clockid_t clock, const struct timespec* until) {
  if (own_clock_wait != NULL) return own_clock_wait(condition, mutex, clock, until);
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  struct timespec now, system;
  if (clock_gettime(clock, &now) != 0) return EINVAL;
  clock_gettime(CLOCK_REALTIME, &system);
  /* A time too far away is as far as the type of seconds goes in all clocks. */
  long long left = until->tv_sec - now.tv_sec > 4000000000LL
                       ? 4000000000000000000LL
                       : Nanoseconds(until) - Nanoseconds(&now);
  long long end = Nanoseconds(&system) + left;
  struct timespec system_until = {end / 1000000000, end % 1000000000};
  return pthread_cond_timedwait(condition, mutex, &system_until);
}

/* Of 2.33: the suite asks it for the memory in use. The older one counts in int, modulo 2^32, so
 * that differences, which is what the suite looks at, are right. */
HIDDEN struct mallinfo2 mallinfo2(void) {
  typedef struct mallinfo2 Own(void);
  Own* own = (Own*)dlvsym(RTLD_DEFAULT, "mallinfo2", "GLIBC_2.33");
  if (own != NULL) return own();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo old = mallinfo();
#pragma GCC diagnostic pop
  return (struct mallinfo2){.arena = (unsigned)old.arena,
                            .ordblks = (unsigned)old.ordblks,
                            .smblks = (unsigned)old.smblks,
                            .hblks = (unsigned)old.hblks,
                            .hblkhd = (unsigned)old.hblkhd,
                            .fsmblks = (unsigned)old.fsmblks,
                            .uordblks = (unsigned)old.uordblks,
                            .fordblks = (unsigned)old.fordblks,
                            .keepcost = (unsigned)old.keepcost};
}

/* Of 2.34 for programs: it runs the constructors itself. An older one leaves them to the program,
 * of which a newer linker's start object knows nothing. */
typedef int Main(int, char**, char**);
typedef void Initializer(int, char**, char**);
extern const Elf64_Dyn _DYNAMIC[] HIDDEN;
extern const char __ehdr_start[] HIDDEN;
/* By the dynamic section, since a library that is run as a program (libplinth) has no other way. */
static void Initialize(int argc, char** argv, char** environment) {
  Initializer* const* array = NULL;
  size_t size = 0;
  for (const Elf64_Dyn* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_INIT_ARRAY)
      array = (Initializer* const*)(__ehdr_start + entry->d_un.d_ptr);
    if (entry->d_tag == DT_INIT_ARRAYSZ) size = entry->d_un.d_val;
  }
  for (size_t i = 0; i < size / sizeof(*array); ++i) array[i](argc, argv, environment);
}
__asm__(".symver plinth_old_start, __libc_start_main@GLIBC_2.2.5\n");
int plinth_old_start(Main*, int, char**, Initializer*, void (*)(void), void (*)(void), void*);
HIDDEN int __libc_start_main(Main* main, int argc, char** argv, Initializer* initialize,
                             void (*finish)(void), void (*finish_loader)(void), void* stack) {
  return plinth_old_start(main, argc, argv, initialize != NULL ? initialize : Initialize, finish,
                          finish_loader, stack);
}
