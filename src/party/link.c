/* A link: payload kinds, checks of what arrives, byte counts, the list of what was exposed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "transport.h"

struct sotto_link {
  const sotto_i_transport *transport;
  void *state;
  sotto_traffic traffic;
  sotto_exposure exposures[SOTTO_MOST_EXPOSURES];
  size_t exposure_count;
};

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
  link->transport->close(link->state, "the other party ended");
  link->transport->free(link->state);
  sotto_i_free(link);
}

void sotto_link_close(sotto_link *link, const char *reason) {
  link->transport->close(link->state, reason);
}

static sotto_status send_values(sotto_link *link, sotto_wire_kind kind, const char *name, const void *data,
                                size_t rows, size_t cols, sotto_error *err) {
  sotto_i_message message = {.kind = (uint8_t)kind, .rows = rows, .cols = cols};
  size_t values = rows * cols;
  if (strlen(name) >= sizeof message.name)
    return sotto_i_fail(err, SOTTO_INVALID, "the payload name '%s' is longer than 63 bytes", name);
  (void)snprintf(message.name, sizeof message.name, "%s", name);
  sotto_status status = sotto_i_new_raw(&message.values, values, sizeof(float), err);
  if (status != SOTTO_OK) return status;
  if (values > 0) memcpy(message.values, data, values * sizeof(float));
  status = link->transport->send(link->state, &message, err);
  if (status == SOTTO_OK) link->traffic.sent[kind] += values * sizeof(float);
  return status;
}

static sotto_status send_matrix(sotto_link *link, sotto_wire_kind kind, const char *name,
                                const sotto_matrix *matrix, sotto_error *err) {
  return send_values(link, kind, name, matrix->data, matrix->rows, matrix->cols, err);
}

sotto_status sotto_link_send_public(sotto_link *link, const char *name, const sotto_matrix *matrix,
                                    sotto_error *err) {
  return send_matrix(link, SOTTO_WIRE_PUBLIC, name, matrix, err);
}

sotto_status sotto_link_send_release(sotto_link *link, const char *name, const sotto_release *release,
                                     uint32_t layer, sotto_error *err) {
  if (!sotto_release_paid(release))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: the release was not charged to a ledger, so it may not be sent", name);
  if (layer < 1 || layer > sotto_release_plan(release)->options.layers)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: the release has no noisy layer %u", name, layer);
  return send_matrix(link, SOTTO_WIRE_RELEASE, name, sotto_release_layer(release, layer), err);
}

static sotto_status note_exposure(sotto_link *link, const char *name, const char *reason, sotto_error *err) {
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
  sotto_status status = note_exposure(link, name, reason, err);
  if (status != SOTTO_OK) return status;
  return send_matrix(link, SOTTO_WIRE_EXPOSED, name, matrix, err);
}

sotto_status sotto_link_send_words(sotto_link *link, const sotto_words *words, sotto_error *err) {
  sotto_status status;
  if ((unsigned)words->kind >= SOTTO_WIRE_KINDS || words->kind == SOTTO_WIRE_RELEASE)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: words never go out as a %s payload", words->name,
                        sotto_wire_kind_name(words->kind));
  if ((words->kind == SOTTO_WIRE_EXPOSED) != (words->reason != NULL))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: an exposed payload, and no other, says why it is exposed",
                        words->name);
  if (words->reason != NULL) SOTTO_TRY(note_exposure(link, words->name, words->reason, err));
  SOTTO_TRY(send_values(link, words->kind, words->name, words->data, words->rows, words->cols, err));
done:
  return status;
}

static sotto_status check_values(const sotto_i_message *message, const sotto_expectation *expected,
                                 sotto_error *err) {
  for (uint64_t i = 0; i < message->rows; i++) {
    const float *row = message->values + i * message->cols;
    double square = 0;
    for (uint64_t j = 0; j < message->cols; j++) square += (double)row[j] * row[j];
    if (!isfinite(square))
      return sotto_i_fail(err, SOTTO_NUMERIC, "%s: row %llu holds a value that is not finite", expected->name,
                          (unsigned long long)i);
    if (expected->row_norm > 0 && sqrt(square) > expected->row_norm + 1e-4)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: row %llu has norm %g, above the promised %g", expected->name,
                          (unsigned long long)i, sqrt(square), expected->row_norm);
  }
  return SOTTO_OK;
}

static sotto_status check_message(const sotto_i_message *message, const sotto_expectation *expected,
                                  sotto_error *err) {
  if (message->kind != expected->kind || strcmp(message->name, expected->name) != 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "expected the %s payload '%s', got the %s payload '%s'",
                        sotto_wire_kind_name(expected->kind), expected->name,
                        sotto_wire_kind_name((sotto_wire_kind)message->kind), message->name);
  if (message->rows != expected->rows || message->cols != expected->cols)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: got %llu x %llu, expected %zu x %zu", expected->name,
                        (unsigned long long)message->rows, (unsigned long long)message->cols, expected->rows,
                        expected->cols);
  return SOTTO_OK;
}

/* Takes the next message into out; `numbers` asks for finite floats. */
static sotto_status receive_values(sotto_link *link, void *out, const sotto_expectation *expected,
                                   bool numbers, sotto_error *err) {
  sotto_i_message message = {0};
  sotto_status status = link->transport->receive(link->state, &message, err);
  if (status != SOTTO_OK) return status;
  status = check_message(&message, expected, err);
  if (status == SOTTO_OK && numbers) status = check_values(&message, expected, err);
  size_t bytes = expected->rows * expected->cols * sizeof(float);
  if (status != SOTTO_OK) {
    link->transport->close(link->state, "what was received breaks the protocol");
  } else {
    if (bytes > 0) memcpy(out, message.values, bytes);
    link->traffic.received[expected->kind] += bytes;
  }
  sotto_i_free(message.values);
  return status;
}

sotto_status sotto_link_receive(sotto_link *link, sotto_matrix *out, const sotto_expectation *expected,
                                sotto_error *err) {
  SOTTO_I_CHECK(out->rows == expected->rows && out->cols == expected->cols);
  return receive_values(link, out->data, expected, true, err);
}

sotto_status sotto_link_receive_words(sotto_link *link, void *out, const sotto_expectation *expected,
                                      sotto_error *err) {
  return receive_values(link, out, expected, false, err);
}

sotto_traffic sotto_link_traffic(const sotto_link *link) {
  return link->traffic;
}

size_t sotto_link_exposures(const sotto_link *link, sotto_exposure out[SOTTO_MOST_EXPOSURES]) {
  memcpy(out, link->exposures, link->exposure_count * sizeof *out);
  return link->exposure_count;
}
