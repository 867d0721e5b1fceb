/* Calls of the system that fail when a test wants it: the linker puts these in the place of the C library's
 * (--wrap, tests/CMakeLists.txt). */
#ifndef SOTTO_TESTS_FAULTS_CALLS_H
#define SOTTO_TESTS_FAULTS_CALLS_H

#include <stdint.h>

typedef enum check_call {
  CHECK_MEMORY, /* the library's memory (base/memory.h) */
  CHECK_HEAP,   /* calloc, realloc, strdup, vasprintf: the program's memory */
  CHECK_OPEN,   /* open, with EMFILE */
  CHECK_READ,   /* read and pread, with EIO */
  CHECK_WRITE,  /* write, with ENOSPC: in turn nothing is written, or half of it and the next call fails */
  CHECK_SYNC,   /* fsync, with EIO */
  CHECK_RENAME, /* rename, with ENOSPC */
  CHECK_MAP,    /* mmap, with ENOMEM */
  CHECK_CALLS
} check_call;

extern const char *const check_call_names[CHECK_CALLS];

/* The nth call of this kind from now on fails, 1 is the next; 0: none does. Others are only counted. Ends
 * what was planted before. */
void check_fail_call(check_call kind, uint64_t nth);
/* Calls of this kind since then. */
uint64_t check_calls(check_call kind);

/* Where calls are made: a number of the place and of the functions that led there, for the first `most` calls
 * of one kind. */
enum { check_most_places = 1 << 16 };
/* From now on the place of the nth call of this kind is written to places[n - 1]; NULL ends that. What a
 * place that cannot be seen has is 0. One thread may call. */
void check_note_places(uint64_t *places, check_call kind);

#endif
