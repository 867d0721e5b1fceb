/* open, read, write, fsync, rename, mmap and the heap, of which one call fails. */
#include "calls.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

const char *const check_call_names[CHECK_CALLS] = {"memory", "heap", "open",   "read",
                                                   "write",  "sync", "rename", "map"};

static _Atomic uint64_t made[CHECK_CALLS], fail_at[CHECK_CALLS];
static atomic_bool counting, short_write;
static uint64_t *noted; /* NULL: places are not looked at */
static check_call noted_kind;
static uint64_t memory_before; /* allocations before the last one that was noted */

void check_fail_call(check_call kind, uint64_t nth) {
  for (int k = 0; k < CHECK_CALLS; k++) {
    atomic_store(&made[k], 0);
    atomic_store(&fail_at[k], k == (int)kind ? nth : 0);
  }
  atomic_store(&short_write, false);
  atomic_store(&counting, true);
  (void)sotto_i_memory_fail_at(kind == CHECK_MEMORY ? nth : 0);
}

uint64_t check_calls(check_call kind) {
  if (kind != CHECK_MEMORY) return atomic_load(&made[kind]);
  return memory_before + sotto_i_memory_fail_at(0);
}

void check_note_places(uint64_t *places, check_call kind) {
  void *first[1];
  (void)backtrace(first, 1); /* it opens a library the first time */
  noted = places;
  noted_kind = kind;
  memory_before = 0;
}

/* FNV-1a over the addresses of eight callers. */
static void note_place(uint64_t nth) {
  enum { own = 3, callers = 8 };
  void *frames[own + callers];
  const int count = backtrace(frames, own + callers);
  uint64_t hash = 14695981039346656037U;
  for (int i = own; i < count; i++) hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211U;
  if (nth <= check_most_places) noted[nth - 1] = hash;
}

static bool fails(check_call kind, int code) {
  if (!atomic_load(&counting)) return false;
  const uint64_t nth = atomic_fetch_add(&made[kind], 1) + 1;
  if (noted != NULL && kind == noted_kind) note_place(nth);
  if (nth != atomic_load(&fail_at[kind])) return false;
  errno = code;
  return true;
}

/* The library counts its own allocations; who asked for one is seen here. */
static void note_memory(void) {
  if (noted == NULL || noted_kind != CHECK_MEMORY || !atomic_load(&counting)) return;
  memory_before += sotto_i_memory_fail_at(0);
  note_place(memory_before + 1);
}

sotto_status __real_sotto_i_new(void *out, size_t count, size_t size, sotto_error *err);
sotto_status __wrap_sotto_i_new(void *out, size_t count, size_t size, sotto_error *err);
sotto_status __wrap_sotto_i_new(void *out, size_t count, size_t size, sotto_error *err) {
  note_memory();
  return __real_sotto_i_new(out, count, size, err);
}

sotto_status __real_sotto_i_new_raw(void *out, size_t count, size_t size, sotto_error *err);
sotto_status __wrap_sotto_i_new_raw(void *out, size_t count, size_t size, sotto_error *err);
sotto_status __wrap_sotto_i_new_raw(void *out, size_t count, size_t size, sotto_error *err) {
  note_memory();
  return __real_sotto_i_new_raw(out, count, size, err);
}

sotto_status __real_sotto_i_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err);
sotto_status __wrap_sotto_i_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err);
sotto_status __wrap_sotto_i_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err) {
  if (need > *capacity) note_memory();
  return __real_sotto_i_grow(items, capacity, need, size, err);
}

sotto_status __real_sotto_i_strdup(char **out, const char *text, sotto_error *err);
sotto_status __wrap_sotto_i_strdup(char **out, const char *text, sotto_error *err);
sotto_status __wrap_sotto_i_strdup(char **out, const char *text, sotto_error *err) {
  note_memory();
  return __real_sotto_i_strdup(out, text, err);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
  return fails(CHECK_HEAP, ENOMEM) ? NULL : __real_calloc(count, size);
}

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size) {
  return fails(CHECK_HEAP, ENOMEM) ? NULL : __real_realloc(memory, size);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text) {
  return fails(CHECK_HEAP, ENOMEM) ? NULL : __real_strdup(text);
}

int __real_vasprintf(char **out, const char *format, va_list arguments);
int __wrap_vasprintf(char **out, const char *format, va_list arguments);
int __wrap_vasprintf(char **out, const char *format, va_list arguments) {
  return fails(CHECK_HEAP, ENOMEM) ? -1 : __real_vasprintf(out, format, arguments);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  unsigned mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  return fails(CHECK_OPEN, EMFILE) ? -1 : __real_open(path, flags, mode);
}

ssize_t __real_read(int descriptor, void *data, size_t size);
ssize_t __wrap_read(int descriptor, void *data, size_t size);
ssize_t __wrap_read(int descriptor, void *data, size_t size) {
  return fails(CHECK_READ, EIO) ? -1 : __real_read(descriptor, data, size);
}

ssize_t __real_pread(int descriptor, void *data, size_t size, off_t at);
ssize_t __wrap_pread(int descriptor, void *data, size_t size, off_t at);
ssize_t __wrap_pread(int descriptor, void *data, size_t size, off_t at) {
  return fails(CHECK_READ, EIO) ? -1 : __real_pread(descriptor, data, size, at);
}

ssize_t __real_write(int descriptor, const void *data, size_t size);
ssize_t __wrap_write(int descriptor, const void *data, size_t size);
ssize_t __wrap_write(int descriptor, const void *data, size_t size) {
  if (atomic_exchange(&short_write, false)) {
    errno = ENOSPC;
    return -1;
  }
  if (!fails(CHECK_WRITE, ENOSPC)) return __real_write(descriptor, data, size);
  if (size < 2 || atomic_load(&fail_at[CHECK_WRITE]) % 2 == 0) return -1;
  atomic_store(&short_write, true);
  return __real_write(descriptor, data, size / 2);
}

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor) {
  return fails(CHECK_SYNC, EIO) ? -1 : __real_fsync(descriptor);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
  return fails(CHECK_RENAME, ENOSPC) ? -1 : __real_rename(from, to);
}

void *__real_mmap(void *at, size_t size, int protection, int flags, int descriptor, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int descriptor, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int descriptor, off_t offset) {
  return fails(CHECK_MAP, ENOMEM) ? MAP_FAILED : __real_mmap(at, size, protection, flags, descriptor, offset);
}
