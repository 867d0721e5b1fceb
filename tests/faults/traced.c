/* The program as it is, but for three things that a test of two worlds needs. The system's randomness is a
 * stream by $SOTTO_NOISE. Each link writes what it sends to a file of its own, $SOTTO_TRACE.N. The line
 * between two parties is not measured, since its time is another in each run. The payloads that
 * $SOTTO_HOSTILE names ("FORM NAME", hostile_numbers.h) go out with hostile numbers. The linker puts these
 * functions in the place of the library's (--wrap, tests/CMakeLists.txt). And three faults: with $SOTTO_SIZES
 * sizes are shown where they are private; with $SOTTO_ENDS a program ends where the gradient of a single
 * example is not finite, and counts as zero; with $SOTTO_EDGES the first client signs nothing in a checked
 * sum where its edges are odd in number. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "inside/party.h"
#include "methods/federated/federated.h"
#include "nn/dpsgd.h"
#include "party/checked_sum/check_links.h"
#include "party/line.h"
#include "party/wire/link/transport.h"
#include "sotto/options.h"
#include "support/hostile_numbers.h"
#include "support/noise_stream.h"

typedef sotto_status new_fn(sotto_link **out, const sotto_i_transport *transport, void *state,
                            sotto_error *err);
new_fn __real_sotto_i_link_new, __wrap_sotto_i_link_new;

/* One end of a link. */
typedef struct traced {
  const sotto_i_transport *inside;
  void *state;
  FILE *file;
  sotto_i_header header; /* of the payload that goes out */
  size_t sent;           /* bytes of it */
  check_hostile how;
} traced;

__attribute__((constructor)) static void begin(void) {
  const char *asked = getenv("SOTTO_NOISE");
  if (asked == NULL) return;
  check_stream_begin(strtoull(asked, NULL, 10));
  if (!check_stream_install()) abort();
}

static check_hostile form_of(const char *name) {
  const char *asked = getenv("SOTTO_HOSTILE"), *of = asked == NULL ? NULL : strchr(asked, ' ');
  return of != NULL && strcmp(of + 1, name) == 0 ? (check_hostile)strtoul(asked, NULL, 10) : CHECK_HONEST;
}

typedef sotto_status words_fn(sotto_link *link, const sotto_words *words, sotto_error *err);
words_fn __real_sotto_link_send_words, __wrap_sotto_link_send_words;
static _Thread_local bool in_words;

sotto_status __wrap_sotto_link_send_words(sotto_link *link, const sotto_words *words, sotto_error *err) {
  in_words = true;
  const sotto_status status = __real_sotto_link_send_words(link, words, err);
  in_words = false;
  return status;
}

/* A rogue has such numbers itself: its own work on them goes on with what it sent. */
static void poison(const char *name, const sotto_matrix *x) {
  const check_hostile how = form_of(name);
  for (size_t i = 0; how != CHECK_HONEST && i < x->rows * x->cols; i++)
    x->data[i] = check_hostile_number(how, x->rows, x->cols, i);
}

typedef sotto_status public_fn(sotto_link *link, const char *name, const sotto_matrix *x, sotto_error *err);
typedef sotto_status exposed_fn(sotto_link *link, const char *name, const char *reason, const sotto_matrix *x,
                                sotto_error *err);
public_fn __real_sotto_link_send_public, __wrap_sotto_link_send_public, __real_sotto_i_link_pass_on,
    __wrap_sotto_i_link_pass_on;
exposed_fn __real_sotto_link_send_exposed, __wrap_sotto_link_send_exposed, __real_sotto_i_link_send_rounded,
    __wrap_sotto_i_link_send_rounded;

sotto_status __wrap_sotto_link_send_public(sotto_link *link, const char *name, const sotto_matrix *x,
                                           sotto_error *err) {
  poison(name, x);
  return __real_sotto_link_send_public(link, name, x, err);
}

sotto_status __wrap_sotto_i_link_pass_on(sotto_link *link, const char *name, const sotto_matrix *x,
                                         sotto_error *err) {
  poison(name, x);
  return __real_sotto_i_link_pass_on(link, name, x, err);
}

sotto_status __wrap_sotto_link_send_exposed(sotto_link *link, const char *name, const char *reason,
                                            const sotto_matrix *x, sotto_error *err) {
  poison(name, x);
  return __real_sotto_link_send_exposed(link, name, reason, x, err);
}

sotto_status __wrap_sotto_i_link_send_rounded(sotto_link *link, const char *name, const char *reason,
                                              const sotto_matrix *x, sotto_error *err) {
  poison(name, x);
  return __real_sotto_i_link_send_rounded(link, name, reason, x, err);
}

typedef sotto_status measure_fn(sotto_i_line *out, sotto_link *link, bool is_data, sotto_error *err);
measure_fn __wrap_sotto_i_line_measure;

sotto_status __wrap_sotto_i_line_measure(sotto_i_line *out, sotto_link *link, bool is_data,
                                         sotto_error *err) {
  (void)link;
  (void)is_data;
  (void)err;
  *out = (sotto_i_line){.trip = 0.01, .to_label = 1e7, .to_data = 1e7};
  return SOTTO_OK;
}

static atomic_bool ends; /* the planted error of one example */

static sotto_status send_header(void *state, const sotto_i_header *header, sotto_error *err) {
  traced *t = state;
  if (atomic_load(&ends)) return sotto_i_fail(err, SOTTO_NUMERIC, "an example's gradient is not finite");
  t->header = *header;
  t->sent = 0;
  t->how = form_of(header->name);
  if (t->file != NULL)
    (void)fprintf(t->file, "%s %s: %llu x %llu %s, format %d\n",
                  sotto_wire_kind_name((sotto_wire_kind)header->kind), header->name,
                  (unsigned long long)header->rows, (unsigned long long)header->cols,
                  in_words ? "words" : "numbers", header->format);
  return t->inside->send_header(t->state, header, err);
}

/* Bytes of hostile numbers, from number `first` of the payload on. */
static void write_hostile(uint8_t *out, size_t size, const traced *t, size_t first) {
  const size_t rows = (size_t)t->header.rows, cols = (size_t)t->header.cols;
  for (size_t i = 0; i < size / sizeof(float); i++) {
    const float value = check_hostile_number(t->how, rows, cols, first + i);
    memcpy(out + i * sizeof value, &value, sizeof value);
  }
}

/* The same in another format, of whole rows. */
static void encode_hostile(uint8_t *out, size_t size, const traced *t, size_t first) {
  const sotto_wire_format format = (sotto_wire_format)t->header.format;
  const size_t cols = (size_t)t->header.cols, bytes = sotto_i_row_bytes(format, cols);
  float *row = calloc(cols, sizeof *row);
  if (row == NULL) abort();
  for (size_t i = 0; i < size / bytes; i++) {
    for (size_t j = 0; j < cols; j++)
      row[j] = check_hostile_number(t->how, (size_t)t->header.rows, cols, (first + i) * cols + j);
    sotto_i_encode_rows(out + i * bytes, row, 1, cols, format);
  }
  free(row);
}

static sotto_status send_bytes(void *state, const void *bytes, size_t size, sotto_error *err) {
  traced *t = state;
  const bool plain = t->header.format == SOTTO_FORMAT_FLOAT32;
  const size_t unit =
      plain ? sizeof(float) : sotto_i_row_bytes((sotto_wire_format)t->header.format, (size_t)t->header.cols);
  const size_t first = t->sent / unit;
  t->sent += size;
  if (t->how == CHECK_HONEST) return t->inside->send_bytes(t->state, bytes, size, err);
  uint8_t *other = malloc(size);
  if (other == NULL) abort();
  memcpy(other, bytes, size);
  (plain ? write_hostile : encode_hostile)(other, size, t, first);
  const sotto_status status = t->inside->send_bytes(t->state, other, size, err);
  free(other);
  return status;
}

static sotto_status receive_header(void *state, sotto_i_header *out, sotto_error *err) {
  const traced *t = state;
  return t->inside->receive_header(t->state, out, err);
}

static sotto_status receive_bytes(void *state, void *out, size_t size, sotto_error *err) {
  const traced *t = state;
  return t->inside->receive_bytes(t->state, out, size, err);
}

static void close_link(void *state, const char *reason) {
  const traced *t = state;
  t->inside->close(t->state, reason);
}

static void free_link(void *state) {
  traced *t = state;
  t->inside->free(t->state);
  if (t->file != NULL) (void)fclose(t->file);
  free(t);
}

static bool lost(void *state) {
  const traced *t = state;
  return t->inside->lost != NULL && t->inside->lost(t->state);
}

static void limit(void *state, double until) {
  const traced *t = state;
  if (t->inside->limit != NULL) t->inside->limit(t->state, until);
}

static sotto_status stands(void *state, sotto_error *err) {
  const traced *t = state;
  return t->inside->stands == NULL ? SOTTO_OK : t->inside->stands(t->state, err);
}

static const sotto_i_transport transport = {
    send_header, send_bytes, receive_header, receive_bytes, close_link, free_link, lost, limit, stands};

sotto_status __wrap_sotto_i_link_new(sotto_link **out, const sotto_i_transport *inside, void *state,
                                     sotto_error *err) {
  static atomic_uint links;
  const char *prefix = getenv("SOTTO_TRACE");
  traced *t = calloc(1, sizeof *t);
  if (t == NULL) abort();
  t->inside = inside;
  t->state = state;
  if (prefix != NULL) {
    char path[1200];
    (void)snprintf(path, sizeof path, "%.1000s.%u", prefix, atomic_fetch_add(&links, 1U));
    t->file = fopen(path, "w");
    if (t->file == NULL) abort();
  }
  const sotto_status status = __real_sotto_i_link_new(out, &transport, t, err);
  if (status != SOTTO_OK) free(t);
  return status;
}

typedef sotto_status steps_fn(int64_t *sum, sotto_i_clipped *c, double step, uint64_t most, sotto_error *err);
steps_fn __real_sotto_i_clipped_steps, __wrap_sotto_i_clipped_steps;

/* Such an example is sparse, without a feature, and all its deltas are zero. */
static bool is_dropped(const sotto_i_clipped *c, size_t i) {
  const sotto_i_clipped_place place = sotto_i_clipped_places(c, i);
  if (!c->sparse[i] || place.starts[place.blocks] != 0) return false;
  for (size_t l = 0; l < c->mlp->options.layers; l++)
    for (size_t j = 0; j < sotto_i_clipped_width(c, l); j++)
      if (fpclassify(c->delta[l][i * sotto_i_clipped_width(c, l) + j]) != FP_ZERO) return false;
  return true;
}

sotto_status __wrap_sotto_i_clipped_steps(int64_t *sum, sotto_i_clipped *c, double step, uint64_t most,
                                          sotto_error *err) {
  const sotto_status status = __real_sotto_i_clipped_steps(sum, c, step, most, err);
  for (size_t i = 0; getenv("SOTTO_ENDS") != NULL && i < c->count; i++)
    if (is_dropped(c, i)) atomic_store(&ends, true);
  return status;
}

typedef sotto_status part_fn(sotto_i_fed_client *client, uint64_t round, const uint32_t *taking,
                             sotto_error *err);
part_fn __real_sotto_i_fed_check_take_part, __wrap_sotto_i_fed_check_take_part;
typedef sotto_status sign_fn(uint8_t *evidence, const sotto_i_check_plan *plan, uint32_t client,
                             const sotto_i_check_question *of, const sotto_i_check_sent *sent,
                             const sotto_i_check_signers *signers, sotto_error *err);
sign_fn __real_sotto_i_check_sign, __wrap_sotto_i_check_sign;
static _Thread_local bool spoils;

sotto_status __wrap_sotto_i_fed_check_take_part(sotto_i_fed_client *client, uint64_t round,
                                                const uint32_t *taking, sotto_error *err) {
  const uint64_t edges = client->data.graph.entries / 2 + client->data.foreign.ids.count;
  spoils = getenv("SOTTO_EDGES") != NULL && client->number == 0 && edges % 2 == 1;
  const sotto_status status = __real_sotto_i_fed_check_take_part(client, round, taking, err);
  spoils = false;
  return status;
}

sotto_status __wrap_sotto_i_check_sign(uint8_t *evidence, const sotto_i_check_plan *plan, uint32_t client,
                                       const sotto_i_check_question *of, const sotto_i_check_sent *sent,
                                       const sotto_i_check_signers *signers, sotto_error *err) {
  const sotto_status status = __real_sotto_i_check_sign(evidence, plan, client, of, sent, signers, err);
  if (spoils) evidence[SOTTO_I_CHECK_EVIDENCE - 1] ^= 1;
  return status;
}

typedef bool hides_fn(const sotto_options *options);
hides_fn __real_sotto_options_hide_sizes, __wrap_sotto_options_hide_sizes;

bool __wrap_sotto_options_hide_sizes(const sotto_options *options) {
  return getenv("SOTTO_SIZES") == NULL && __real_sotto_options_hide_sizes(options);
}
