/* Embeddings under the multi-bit encoder. */
#include "coded.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "party/wire/transport.h"

struct sotto_i_coded {
  sotto_matrix codes;
  double epsilon;
  bool paid;
};

sotto_status sotto_i_coded_encoder(sotto_multibit *out, size_t rows, size_t cols, double epsilon,
                                   sotto_error *err) {
  double whole = epsilon > 0 ? epsilon : 1 / (double)rows;
  double columns = fmax(1, fmin((double)cols, floor(whole / 2.18)));
  sotto_status status = sotto_multibit_new(out, 0, 1, rows, cols, (size_t)columns, whole, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "a graph of %zu nodes", rows);
  return status;
}

sotto_status sotto_i_coded_new(sotto_i_coded **out, const sotto_matrix *x, const uint64_t *first,
                               size_t graphs, double epsilon, const sotto_key *key, sotto_error *err) {
  sotto_i_coded *coded = NULL;
  int8_t *codes = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_new(&coded, 1, sizeof *coded, err));
  SOTTO_TRY(sotto_matrix_new(&coded->codes, x->rows, x->cols, err));
  SOTTO_TRY(sotto_i_new(&codes, x->rows * x->cols, 1, err));
  for (size_t g = 0; g < graphs; g++) {
    sotto_multibit encoder;
    size_t rows = first[g + 1] - first[g];
    const sotto_matrix part = {x->data + first[g] * x->cols, rows, x->cols};
    if (rows == 0) continue;
    SOTTO_TRY(sotto_i_coded_encoder(&encoder, rows, x->cols, epsilon, err));
    SOTTO_TRY(sotto_multibit_encode(codes + first[g] * x->cols, &part, &encoder, key, (uint32_t)g, err));
    coded->epsilon = fmax(coded->epsilon, encoder.epsilon);
  }
  for (size_t i = 0; i < x->rows * x->cols; i++) coded->codes.data[i] = codes[i];
  *out = coded;
  coded = NULL;
done:
  sotto_i_free(codes);
  sotto_i_coded_free(coded);
  return status;
}

void sotto_i_coded_free(sotto_i_coded *coded) {
  if (coded == NULL) return;
  sotto_matrix_free(&coded->codes);
  sotto_i_free(coded);
}

double sotto_i_coded_epsilon(const sotto_i_coded *coded) {
  return coded->epsilon;
}

/* The charges of one release, at both levels. */
enum { levels = 2, id_size = 128 };

static void list_charges(sotto_charge *out, char (*ids)[id_size], double epsilon, uint64_t number,
                         const sotto_i_coded_bill *bill) {
  static const char *const adjacencies[levels] = {"node", "edge"};
  for (int i = 0; i < levels; i++) {
    (void)snprintf(ids[i], id_size, "%.90s-%llu-%s", bill->id, (unsigned long long)number, adjacencies[i]);
    out[i] = (sotto_charge){.id = ids[i],
                            .run = bill->run,
                            .mechanism = "multibit",
                            .adjacency = adjacencies[i],
                            .description = "embeddings of graphs, each under the multi-bit encoder",
                            .epsilon = epsilon,
                            .insecure = bill->insecure};
  }
}

sotto_status sotto_i_coded_charge(double epsilon, uint64_t releases, const sotto_i_coded_bill *bill, bool ask,
                                  sotto_error *err) {
  sotto_charge *charges = NULL;
  char(*ids)[id_size] = NULL;
  size_t count = levels * releases;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&charges, count, sizeof *charges, err));
  SOTTO_TRY(sotto_i_new(&ids, count, sizeof *ids, err));
  for (uint64_t i = 0; i < releases; i++)
    list_charges(charges + levels * i, ids + levels * i, epsilon, i, bill);
  SOTTO_TRY(ask ? sotto_ledger_would_accept(bill->ledger, bill->digest, bill->name, charges, count, err)
                : sotto_ledger_charge(bill->ledger, bill->digest, bill->name, charges, count, err));
done:
  sotto_i_free(charges);
  sotto_i_free(ids);
  return status;
}

sotto_status sotto_i_coded_pay(sotto_i_coded *coded, const sotto_i_coded_bill *bill, sotto_error *err) {
  sotto_status status = sotto_i_coded_charge(coded->epsilon, 1, bill, false, err);
  coded->paid = status == SOTTO_OK;
  return status;
}

sotto_status sotto_i_coded_send(sotto_link *link, const char *name, const sotto_i_coded *coded,
                                sotto_error *err) {
  if (!coded->paid)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: the codes were not charged to a ledger, so they may not be sent", name);
  return sotto_i_link_send_paid(link, name, &coded->codes, err);
}

sotto_status sotto_i_coded_receive(sotto_matrix *out, sotto_link *link, const char *name, sotto_error *err) {
  const sotto_expectation expected = {
      .name = name, .kind = SOTTO_WIRE_RELEASE, .rows = out->rows, .cols = out->cols};
  sotto_status status = sotto_link_receive(link, out, &expected, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < out->rows * out->cols; i++)
    if (out->data[i] != -1 && out->data[i] != 0 && out->data[i] != 1)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: %g in row %zu is no code: -1, 0 or 1", name,
                          (double)out->data[i], i / out->cols);
  return SOTTO_OK;
}

sotto_status sotto_i_coded_decode(sotto_matrix *codes, const uint64_t *first, size_t graphs, double epsilon,
                                  sotto_error *err) {
  int8_t *raw = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&raw, codes->rows * codes->cols, 1, err));
  for (size_t i = 0; i < codes->rows * codes->cols; i++) raw[i] = (int8_t)codes->data[i];
  for (size_t g = 0; g < graphs; g++) {
    sotto_multibit encoder;
    size_t rows = first[g + 1] - first[g];
    sotto_matrix part = {codes->data + first[g] * codes->cols, rows, codes->cols};
    if (rows == 0) continue;
    SOTTO_TRY(sotto_i_coded_encoder(&encoder, rows, codes->cols, epsilon, err));
    SOTTO_TRY(sotto_multibit_decode(&part, raw + first[g] * codes->cols, &encoder, err));
  }
done:
  sotto_i_free(raw);
  return status;
}
