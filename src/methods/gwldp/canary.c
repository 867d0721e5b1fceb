/* The canary of a graph's embeddings under the multi-bit encoder: all values change from 0 to 1. */
#include "audit/canary.h"

#include <math.h>

#include "base/error.h"
#include "gwldp.h"
#include "inside/audit.h"
#include "party/coded.h"
#include "run/train/run.h"

enum { graphs = 32, nodes = 2 }; /* graphs whose bits are compared with the true ones */

static sotto_status encode_value(sotto_matrix *out, const sotto_i_canary *c, float value, size_t count,
                                 size_t each, const sotto_key *key, sotto_error *err) {
  const size_t rows = count * each;
  uint64_t first[graphs + 1];
  sotto_matrix x = {0};
  sotto_graph unused = {0};
  sotto_status status;
  for (size_t g = 0; g <= count; g++) first[g] = g * each;
  SOTTO_TRY(sotto_matrix_new(&x, rows, c->clean[0].cols, err));
  for (size_t i = 0; i < rows * x.cols; i++) x.data[i] = value;
  const sotto_i_federation federation = {.options = &c->options};
  const sotto_i_fed_client client = {.federation = &federation};
  sotto_i_gwldp_coding coding = {.client = &client, .rows = &x, .first = first, .graphs = count};
  SOTTO_TRY(sotto_i_gwldp_encode(&coding, &unused, out, key, err));
done:
  sotto_matrix_free(&x);
  return status;
}

/* For a graph of one node, which gets all of epsilon. */
static sotto_status draw_bits(void *context, double *value, bool second, const sotto_key *key,
                              sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_matrix codes = {0};
  sotto_status status = encode_value(&codes, c, second ? 1 : 0, 1, 1, key, err);
  *value = 0;
  for (size_t j = 0; status == SOTTO_OK && j < codes.cols; j++) *value += (double)codes.data[j];
  sotto_matrix_free(&codes);
  return status;
}

/* All true bits are 1, so the others were flipped; columns outside the sample have no bits. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_multibit encoder;
  sotto_matrix codes = {0};
  sotto_status status;
  *out = (sotto_noise_draw){.cols = 1};
  SOTTO_TRY(sotto_i_coded_encoder(&encoder, nodes, c->clean[0].cols, c->options.epsilon, err));
  out->flip = ldexp((double)encoder.flip, -64);
  SOTTO_TRY(encode_value(&codes, c, 1, graphs, nodes, key, err));
  for (size_t i = 0; i < codes.rows * codes.cols && out->rows < SOTTO_NOISE_VALUES; i++)
    if (codes.data[i] != 0) out->values[out->rows++] = codes.data[i] < 0 ? 1 : 0;
done:
  sotto_matrix_free(&codes);
  return status;
}

sotto_status sotto_i_multibit_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                     sotto_error *err) {
  const sotto_dataset *data = run->data;
  const size_t classes = data->graph_count > 0 ? data->graph_classes : data->classes;
  sotto_multibit encoder;
  (void)kind;
  sotto_status status = sotto_i_coded_encoder(&encoder, 1, classes, c->options.epsilon, err);
  if (status != SOTTO_OK) return status;
  c->stated.epsilon = encoder.epsilon;
  c->stated.delta = c->stated.mu = 0; /* the release is pure; the models of the rounds are not private */
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_bits;
  c->stated.noise = draw_noise;
  return sotto_matrix_new(&c->clean[0], 1, classes, err);
}
