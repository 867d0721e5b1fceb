/* Embeddings encoded by the multi-bit encoder, as payloads. */
#include "coded.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/dp.h"
#include "party/wire/link/transport.h"

sotto_status sotto_i_coded_encoder(sotto_multibit *out, size_t rows, size_t cols, double epsilon,
                                   sotto_error *err) {
  double whole = epsilon > 0 ? epsilon : 1 / (double)rows;
  double columns = fmax(1, fmin((double)cols, floor(whole / 2.18)));
  sotto_status status = sotto_multibit_new(out, 0, 1, rows, cols, (size_t)columns, whole, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "a graph of %zu nodes", rows);
  return status;
}

sotto_status sotto_i_coded_rows(sotto_matrix *out, const sotto_matrix *x, const uint64_t *first,
                                size_t graphs, double epsilon, const sotto_key *key, sotto_error *err) {
  int8_t *codes = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(out, x->rows, x->cols, err));
  SOTTO_TRY(sotto_i_new(&codes, x->rows * x->cols, 1, err));
  for (size_t g = 0; g < graphs; g++) {
    sotto_multibit encoder;
    size_t rows = first[g + 1] - first[g];
    const sotto_matrix part = {x->data + first[g] * x->cols, rows, x->cols};
    if (rows == 0) continue;
    SOTTO_TRY(sotto_i_coded_encoder(&encoder, rows, x->cols, epsilon, err));
    SOTTO_TRY(sotto_multibit_encode(codes + first[g] * x->cols, &part, &encoder, key, (uint32_t)g, err));
  }
  for (size_t i = 0; i < x->rows * x->cols; i++) out->data[i] = codes[i];
done:
  sotto_i_free(codes);
  return status;
}

sotto_status sotto_i_coded_receive(sotto_matrix *out, sotto_link *link, const char *name, sotto_error *err) {
  const sotto_expectation expected = {
      .name = name, .kind = SOTTO_WIRE_RELEASE, .rows = out->rows, .cols = out->cols};
  sotto_status status = sotto_link_receive(link, out, &expected, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < out->rows * out->cols; i++)
    if (out->data[i] != -1 && out->data[i] != 0 && out->data[i] != 1)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: %g in row %zu is not a code (-1, 0 or 1)", name,
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
