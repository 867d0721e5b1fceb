/* Links: payload kinds, checks of received payloads, byte counts, and the list of exposed payloads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "inside/base.h"
#include "inside/party.h"
#include "inside/pmp.h"
#include "transport.h"

struct sotto_link {
  const sotto_i_transport *transport;
  void *state;
  sotto_traffic traffic;
  sotto_exposure exposures[SOTTO_MOST_EXPOSURES];
  size_t exposure_count;
  sotto_wire_format format; /* of releases */
  sotto_i_record record;
  const sotto_observer *observer;
  uint64_t done, planned; /* bytes in both directions; planned 0: no plan */
};

enum { block_bytes = 1 << 18 };

const char *sotto_wire_kind_name(sotto_wire_kind kind) {
  static const char *const names[] = {
#define SOTTO_WIRE_KIND_WORD(name, word, meaning) word,
      SOTTO_WIRE_KIND_LIST(SOTTO_WIRE_KIND_WORD)
#undef SOTTO_WIRE_KIND_WORD
  };
  return (unsigned)kind < SOTTO_WIRE_KINDS ? names[kind] : "unknown";
}

sotto_status sotto_i_link_new(sotto_link **out, const sotto_i_transport *transport, void *state,
                              sotto_error *err) {
  sotto_status status = sotto_i_new(out, 1, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  (*out)->transport = transport;
  (*out)->state = state;
  return SOTTO_OK;
}

void sotto_link_free(sotto_link *link) {
  if (link == NULL) return;
  link->transport->free(link->state);
  sotto_i_free(link);
}

void sotto_link_set_format(sotto_link *link, sotto_wire_format releases) {
  link->format = releases;
}

void sotto_i_link_record(sotto_link *link, const sotto_i_record *record) {
  link->record = record == NULL ? (sotto_i_record){NULL, NULL} : *record;
}

void sotto_i_link_plan(sotto_link *link, uint64_t bytes) {
  link->planned = bytes;
}

void sotto_i_link_watch(sotto_link *link, const sotto_observer *observer) {
  link->observer = observer;
}

static void count_bytes(sotto_link *link, sotto_wire_kind kind, uint64_t sent, uint64_t received) {
  link->traffic.sent[kind] += sent;
  link->traffic.received[kind] += received;
  link->done += sent + received;
  sotto_i_event(link->observer, &(sotto_event){.kind = SOTTO_EVENT_PAYLOAD,
                                               .payload = sotto_wire_kind_name(kind),
                                               .done = link->planned > 0 ? link->done : 0,
                                               .total = link->planned,
                                               .sent = sent,
                                               .received = received});
}

void sotto_link_close(sotto_link *link, const char *reason) {
  link->transport->close(link->state, reason);
}

/* Rows per block: few enough to stay in the cache. */
static size_t block_rows(size_t cols) {
  size_t rows = (size_t)block_bytes / (sizeof(float) * (cols == 0 ? 1 : cols));
  return rows == 0 ? 1 : rows;
}

/* Sends float32 from the memory of the rows; other formats from a block of their own. */
static sotto_status send_rows(sotto_link *link, const sotto_i_row_source *source, sotto_wire_format format,
                              sotto_error *err) {
  size_t step = block_rows(source->cols), size = sotto_i_row_bytes(format, source->cols);
  uint8_t *block = NULL;
  float *room = NULL;
  sotto_status status = SOTTO_OK;
  if (source->matrix == NULL) SOTTO_TRY(sotto_i_new_raw(&room, step * source->cols, sizeof *room, err));
  if (format != SOTTO_FORMAT_FLOAT32) SOTTO_TRY(sotto_i_new_raw(&block, step, size, err));
  for (size_t at = 0; at < source->rows && size > 0; at += step) {
    size_t count = source->rows - at < step ? source->rows - at : step;
    sotto_matrix rows;
    SOTTO_TRY(sotto_i_row_source_rows(&rows, source, room, at, count, err));
    if (block != NULL) sotto_i_encode_rows(block, rows.data, count, source->cols, format);
    SOTTO_TRY(link->transport->send_bytes(link->state, block != NULL ? (const void *)block : rows.data,
                                          count * size, err));
  }
done:
  sotto_i_free(room);
  sotto_i_free(block);
  return status;
}

static sotto_status send_header(sotto_link *link, const char *name, sotto_i_header *header,
                                sotto_error *err) {
  if (strlen(name) >= sizeof header->name)
    return sotto_i_fail(err, SOTTO_INVALID, "the payload name '%s' is longer than 63 bytes", name);
  (void)snprintf(header->name, sizeof header->name, "%s", name);
  return link->transport->send_header(link->state, header, err);
}

static sotto_status send_as(sotto_link *link, sotto_wire_kind kind, const char *name,
                            const sotto_i_row_source *rows, sotto_wire_format format, sotto_error *err) {
  sotto_i_header header = {
      .kind = (uint8_t)kind, .format = (uint8_t)format, .rows = rows->rows, .cols = rows->cols};
  sotto_status status;
  SOTTO_TRY(send_header(link, name, &header, err));
  SOTTO_TRY(send_rows(link, rows, format, err));
  count_bytes(link, kind, rows->rows * sotto_i_row_bytes(format, rows->cols), 0);
done:
  return status;
}

static sotto_wire_format format_of(const sotto_link *link, sotto_wire_kind kind) {
  return kind == SOTTO_WIRE_RELEASE ? link->format : SOTTO_FORMAT_FLOAT32;
}

static sotto_status send_matrix(sotto_link *link, sotto_wire_kind kind, const char *name,
                                const sotto_matrix *matrix, sotto_error *err) {
  const sotto_i_row_source rows = sotto_i_row_source_of(matrix);
  return send_as(link, kind, name, &rows, format_of(link, kind), err);
}

sotto_status sotto_link_send_public(sotto_link *link, const char *name, const sotto_matrix *matrix,
                                    sotto_error *err) {
  return send_matrix(link, SOTTO_WIRE_PUBLIC, name, matrix, err);
}

sotto_status sotto_i_link_send_charged(sotto_link *link, const char *name, const sotto_matrix *rows,
                                       const sotto_i_receipt *receipt, sotto_error *err) {
  const sotto_i_row_source source = sotto_i_row_source_of(rows);
  return sotto_i_link_send_charged_rows(link, name, &source, receipt, err);
}

sotto_status sotto_i_link_send_charged_rows(sotto_link *link, const char *name,
                                            const sotto_i_row_source *rows, const sotto_i_receipt *receipt,
                                            sotto_error *err) {
  if (!sotto_i_receipt_holds(receipt))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: was not charged to a ledger, so it may not be sent", name);
  return send_as(link, SOTTO_WIRE_RELEASE, name, rows, format_of(link, SOTTO_WIRE_RELEASE), err);
}

static sotto_status check_paid(const sotto_release *release, const char *name, sotto_error *err) {
  if (sotto_release_paid(release)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: the release was not charged to a ledger, so it may not be sent", name);
}

sotto_status sotto_i_link_send_paid(sotto_link *link, const char *name, const sotto_matrix *rows,
                                    const sotto_release *release, sotto_error *err) {
  sotto_status status = check_paid(release, name, err);
  return status == SOTTO_OK ? send_matrix(link, SOTTO_WIRE_RELEASE, name, rows, err) : status;
}

sotto_status sotto_link_send_release(sotto_link *link, const char *name, const sotto_release *release,
                                     uint32_t layer, sotto_error *err) {
  sotto_status status = check_paid(release, name, err);
  if (status != SOTTO_OK) return status;
  if (layer < 1 || layer > sotto_release_plan(release)->options.layers)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: the release has no noisy layer %u", name, layer);
  return send_matrix(link, SOTTO_WIRE_RELEASE, name, sotto_release_layer(release, layer), err);
}

sotto_status sotto_i_link_pass_on(sotto_link *link, const char *name, const sotto_matrix *rows,
                                  sotto_error *err) {
  return send_matrix(link, SOTTO_WIRE_RELEASE, name, rows, err);
}

sotto_status sotto_i_link_note(sotto_link *link, const char *name, const char *reason, sotto_error *err) {
  for (size_t i = 0; i < link->exposure_count; i++)
    if (strcmp(link->exposures[i].name, name) == 0) return SOTTO_OK;
  if (link->exposure_count == SOTTO_MOST_EXPOSURES)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: more than %d kinds of exposed payload", name,
                        SOTTO_MOST_EXPOSURES);
  sotto_exposure *exposure = &link->exposures[link->exposure_count++];
  (void)snprintf(exposure->name, sizeof exposure->name, "%s", name);
  (void)snprintf(exposure->reason, sizeof exposure->reason, "%s", reason);
  return SOTTO_OK;
}

sotto_status sotto_link_send_exposed(sotto_link *link, const char *name, const char *reason,
                                     const sotto_matrix *matrix, sotto_error *err) {
  const sotto_i_row_source rows = sotto_i_row_source_of(matrix);
  return sotto_i_link_send_exposed_rows(link, name, reason, &rows, err);
}

sotto_status sotto_i_link_send_exposed_rows(sotto_link *link, const char *name, const char *reason,
                                            const sotto_i_row_source *rows, sotto_error *err) {
  sotto_status status = sotto_i_link_note(link, name, reason, err);
  if (status != SOTTO_OK) return status;
  return send_as(link, SOTTO_WIRE_EXPOSED, name, rows, SOTTO_FORMAT_FLOAT32, err);
}

sotto_status sotto_i_link_send_rounded(sotto_link *link, const char *name, const char *reason,
                                       const sotto_matrix *matrix, sotto_error *err) {
  const sotto_i_row_source rows = sotto_i_row_source_of(matrix);
  sotto_status status = sotto_i_link_note(link, name, reason, err);
  if (status != SOTTO_OK) return status;
  return send_as(link, SOTTO_WIRE_EXPOSED, name, &rows, SOTTO_I_ROUNDED, err);
}

sotto_status sotto_link_send_words(sotto_link *link, const sotto_words *words, sotto_error *err) {
  sotto_i_header header = {.kind = (uint8_t)words->kind,
                           .format = SOTTO_FORMAT_FLOAT32, /* 4 bytes each, unchanged */
                           .rows = words->rows,
                           .cols = words->cols};
  size_t bytes = words->rows * words->cols * 4;
  sotto_status status;
  if ((unsigned)words->kind >= SOTTO_WIRE_KINDS || words->kind == SOTTO_WIRE_RELEASE)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: words never go out as a %s payload", words->name,
                        sotto_wire_kind_name(words->kind));
  if ((words->kind == SOTTO_WIRE_EXPOSED) != (words->reason != NULL))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: an exposed payload, and no other, says why it is exposed",
                        words->name);
  if (words->reason != NULL) SOTTO_TRY(sotto_i_link_note(link, words->name, words->reason, err));
  SOTTO_TRY(send_header(link, words->name, &header, err));
  if (bytes > 0) SOTTO_TRY(link->transport->send_bytes(link->state, words->data, bytes, err));
  count_bytes(link, words->kind, bytes, 0);
done:
  return status;
}

static sotto_status check_rows(const float *rows, size_t first, size_t count, double most,
                               const sotto_expectation *expected, sotto_error *err) {
  for (size_t i = 0; i < count; i++) {
    const float *row = rows + i * expected->cols;
    double square = 0;
    for (size_t j = 0; j < expected->cols; j++) square += (double)row[j] * row[j];
    if (!isfinite(square))
      return sotto_i_fail(err, SOTTO_NUMERIC, "%s: row %zu holds a value that is not finite", expected->name,
                          first + i);
    if (most > 0 && sqrt(square) > most)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: row %zu has norm %g, above the promised %g", expected->name,
                          first + i, sqrt(square), expected->row_norm);
  }
  return SOTTO_OK;
}

static sotto_status check_header(const sotto_i_header *header, const sotto_expectation *expected,
                                 sotto_wire_format format, sotto_error *err) {
  if (header->kind != expected->kind || strcmp(header->name, expected->name) != 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "expected the %s payload '%s', got the %s payload '%s'",
                        sotto_wire_kind_name(expected->kind), expected->name,
                        sotto_wire_kind_name((sotto_wire_kind)header->kind), header->name);
  if (header->format != format)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "%s: came as %s, not as %s", expected->name,
                        sotto_wire_format_name((sotto_wire_format)header->format),
                        sotto_wire_format_name(format));
  if (header->rows != expected->rows || header->cols != expected->cols)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: got %llu x %llu, expected %zu x %zu", expected->name,
                        (unsigned long long)header->rows, (unsigned long long)header->cols, expected->rows,
                        expected->cols);
  return SOTTO_OK;
}

static void close_faulty(sotto_link *link) {
  link->transport->close(link->state, SOTTO_I_BREACH_REASON);
}

/* Copies the rows first to first + count - 1 that are held, and returns the place of the next. */
static size_t keep_rows(sotto_matrix *out, const sotto_i_rank_rows *held, size_t at, const float *rows,
                        size_t first, size_t count) {
  for (; at < held->count && held->nodes[at] < first + count; at++)
    memcpy(out->data + at * out->cols, rows + (held->nodes[at] - first) * out->cols,
           out->cols * sizeof *rows);
  return at;
}

/* Rows are checked block by block, while they are in the cache. */
static sotto_status receive_rows(sotto_link *link, sotto_matrix *out, const sotto_i_rank_rows *held,
                                 const sotto_i_header *header, const sotto_expectation *expected,
                                 bool *broken, sotto_error *err) {
  sotto_wire_format format = (sotto_wire_format)header->format;
  size_t step = block_rows(out->cols), size = sotto_i_row_bytes(format, out->cols);
  double most = expected->row_norm * (1 + sotto_i_format_slack(format, out->cols));
  size_t kept = 0;
  uint8_t *block = NULL;
  float *room = NULL;
  sotto_status status = SOTTO_OK;
  if (most > 0) most += 1e-4;
  if (held != NULL) SOTTO_TRY(sotto_i_new_raw(&room, step * out->cols, sizeof *room, err));
  if (format != SOTTO_FORMAT_FLOAT32) SOTTO_TRY(sotto_i_new_raw(&block, step, size, err));
  for (size_t at = 0; at < expected->rows && size > 0; at += step) {
    size_t count = expected->rows - at < step ? expected->rows - at : step;
    float *rows = room != NULL ? room : out->data + at * out->cols;
    SOTTO_TRY(
        link->transport->receive_bytes(link->state, block != NULL ? (void *)block : rows, count * size, err));
    if (block != NULL) sotto_i_decode_rows(rows, block, count, out->cols, format);
    status = check_rows(rows, at, count, most, expected, err);
    *broken = status != SOTTO_OK;
    if (*broken) goto done;
    if (room != NULL) kept = keep_rows(out, held, kept, rows, at, count);
  }
done:
  sotto_i_free(room);
  sotto_i_free(block);
  return status;
}

/* Receives the next header. A violation of the protocol ends the link. */
static sotto_status receive_header(sotto_link *link, sotto_i_header *header,
                                   const sotto_expectation *expected, sotto_wire_format format,
                                   sotto_error *err) {
  sotto_status status = link->transport->receive_header(link->state, header, err);
  if (status != SOTTO_OK) return status;
  status = check_header(header, expected, format, err);
  if (status != SOTTO_OK) close_faulty(link);
  return status;
}

static sotto_status receive_as(sotto_link *link, sotto_matrix *out, const sotto_i_rank_rows *held,
                               const sotto_expectation *expected, sotto_wire_format format,
                               sotto_error *err) {
  sotto_i_header header = {0};
  bool broken = false;
  SOTTO_I_CHECK(out->rows == (held == NULL ? expected->rows : held->count) && out->cols == expected->cols);
  SOTTO_I_CHECK(held == NULL || link->record.take == NULL);
  sotto_status status = receive_header(link, &header, expected, format, err);
  if (status != SOTTO_OK) return status;
  status = receive_rows(link, out, held, &header, expected, &broken, err);
  if (broken) close_faulty(link);
  if (status == SOTTO_OK)
    count_bytes(link, expected->kind, 0,
                expected->rows * sotto_i_row_bytes((sotto_wire_format)header.format, out->cols));
  if (status == SOTTO_OK && link->record.take != NULL)
    status = link->record.take(link->record.context, expected->name, expected->kind, out, err);
  return status;
}

sotto_status sotto_link_receive(sotto_link *link, sotto_matrix *out, const sotto_expectation *expected,
                                sotto_error *err) {
  return receive_as(link, out, NULL, expected, format_of(link, expected->kind), err);
}

sotto_status sotto_i_link_receive_held(sotto_link *link, sotto_matrix *out, const sotto_i_rank_rows *held,
                                       const sotto_expectation *expected, sotto_error *err) {
  return receive_as(link, out, held, expected, format_of(link, expected->kind), err);
}

sotto_status sotto_i_link_receive_rounded(sotto_link *link, sotto_matrix *out,
                                          const sotto_expectation *expected, sotto_error *err) {
  return receive_as(link, out, NULL, expected, SOTTO_I_ROUNDED, err);
}

sotto_status sotto_link_receive_words(sotto_link *link, void *out, const sotto_expectation *expected,
                                      sotto_error *err) {
  sotto_i_header header = {0};
  size_t bytes = expected->rows * expected->cols * 4;
  sotto_status status;
  if (expected->kind == SOTTO_WIRE_RELEASE)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: a release never comes as words", expected->name);
  SOTTO_TRY(receive_header(link, &header, expected, SOTTO_FORMAT_FLOAT32, err));
  if (bytes > 0) SOTTO_TRY(link->transport->receive_bytes(link->state, out, bytes, err));
  count_bytes(link, expected->kind, 0, bytes);
done:
  return status;
}

bool sotto_i_link_lost(const sotto_link *link) {
  return link->transport->lost != NULL && link->transport->lost(link->state);
}

void sotto_i_link_limit(sotto_link *link, double seconds) {
  if (link->transport->limit == NULL) return;
  link->transport->limit(link->state, seconds > 0 ? sotto_i_seconds() + seconds : 0);
}

sotto_status sotto_i_link_stands(sotto_link *link, sotto_error *err) {
  return link->transport->stands == NULL ? SOTTO_OK : link->transport->stands(link->state, err);
}

sotto_traffic sotto_link_traffic(const sotto_link *link) {
  return link->traffic;
}

void sotto_traffic_add(sotto_traffic *to, sotto_traffic more) {
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    to->sent[kind] += more.sent[kind];
    to->received[kind] += more.received[kind];
  }
}

size_t sotto_link_exposures(const sotto_link *link, sotto_exposure out[SOTTO_MOST_EXPOSURES]) {
  memcpy(out, link->exposures, link->exposure_count * sizeof *out);
  return link->exposure_count;
}
