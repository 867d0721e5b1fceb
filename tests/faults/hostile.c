/* The linker puts these in the place of the library's (--wrap, tests/CMakeLists.txt). */
#include "hostile.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "party/wire/link/transport.h"

typedef sotto_status receive_fn(sotto_link *link, sotto_matrix *out, const sotto_expectation *expected,
                                sotto_error *err);
typedef sotto_status words_fn(sotto_link *link, void *out, const sotto_expectation *expected,
                              sotto_error *err);
receive_fn __real_sotto_link_receive, __wrap_sotto_link_receive, __real_sotto_i_link_receive_rounded,
    __wrap_sotto_i_link_receive_rounded;
words_fn __real_sotto_link_receive_words, __wrap_sotto_link_receive_words;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all of these: parties are threads */
static char target[64], taken[CHECK_MOST_TAKEN][CHECK_TAKEN];
static check_hostile kind;
static size_t count;

void check_plant_hostile(const char *name, check_hostile how) {
  (void)pthread_mutex_lock(&lock);
  (void)snprintf(target, sizeof target, "%s", name == NULL ? "" : name);
  kind = name == NULL ? CHECK_HONEST : how;
  count = 0;
  (void)pthread_mutex_unlock(&lock);
}

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

size_t check_taken(char (*out)[CHECK_TAKEN]) {
  (void)pthread_mutex_lock(&lock);
  const size_t all = count;
  memcpy(out, taken, all * sizeof *taken);
  (void)pthread_mutex_unlock(&lock);
  qsort(out, all, sizeof *out, by_text);
  return all;
}

/* What this payload is to become. */
static check_hostile note(const sotto_expectation *e, const char *what) {
  (void)pthread_mutex_lock(&lock);
  const check_hostile how = strcmp(e->name, target) == 0 ? kind : CHECK_HONEST;
  if (count < CHECK_MOST_TAKEN)
    (void)snprintf(taken[count++], CHECK_TAKEN, "%.48s: %zu x %zu %s", e->name, e->rows, e->cols, what);
  (void)pthread_mutex_unlock(&lock);
  return how;
}

/* No longer than promised: a peer that breaks a promise is seen by all. */
static void poison(sotto_matrix *out, const sotto_expectation *e) {
  const check_hostile how = note(e, "numbers");
  for (size_t i = 0; how != CHECK_HONEST && i < out->rows * out->cols; i++) {
    const float value = check_hostile_number(how, out->rows, out->cols, i);
    out->data[i] = e->row_norm > 0 && value > 1e-3F ? 1e-3F : value;
  }
}

sotto_status __wrap_sotto_link_receive(sotto_link *link, sotto_matrix *out, const sotto_expectation *e,
                                       sotto_error *err) {
  const sotto_status status = __real_sotto_link_receive(link, out, e, err);
  if (status == SOTTO_OK) poison(out, e);
  return status;
}

sotto_status __wrap_sotto_i_link_receive_rounded(sotto_link *link, sotto_matrix *out,
                                                 const sotto_expectation *e, sotto_error *err) {
  const sotto_status status = __real_sotto_i_link_receive_rounded(link, out, e, err);
  if (status == SOTTO_OK) poison(out, e);
  return status;
}

sotto_status __wrap_sotto_link_receive_words(sotto_link *link, void *out, const sotto_expectation *e,
                                             sotto_error *err) {
  static const unsigned char bytes[] = {0, 0x7F, 0x80, 0x01, 0xFF};
  const sotto_status status = __real_sotto_link_receive_words(link, out, e, err);
  if (status != SOTTO_OK) return status;
  const check_hostile how = note(e, "words");
  if (how != CHECK_HONEST) memset(out, bytes[how], e->rows * e->cols * 4);
  return status;
}
