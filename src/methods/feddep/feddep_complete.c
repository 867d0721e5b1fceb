/* Embeddings that a client's generators make: the generators' first weights, the scale of what they make, and
 * embeddings for other data of the client by the generators that it kept. */
#include "base/error.h"
#include "feddep.h"
#include "inside/nn.h"
#include "kept_generator.h"
#include "methods/federated/protocol.h"
#include "options.h"
#include "tensor/tape.h"

enum { generator_streams = 1 << 16 };

sotto_status sotto_i_feddep_generator_new(sotto_i_generator *out, const sotto_i_fed_client *c, size_t width,
                                          sotto_error *err) {
  const sotto_i_generator_options options = sotto_i_feddep_generator(c->federation, width);
  sotto_key key;
  sotto_key_public(&key, c->federation->seed);
  return sotto_i_generator_new(out, &options, generator_streams, &key, err);
}

void sotto_i_feddep_soften(sotto_matrix *rows) {
  static const float scale = 0.1F;
  for (size_t i = 0; i < rows->rows * rows->cols; i++) rows->data[i] *= scale;
}

/* Rows by one generator that the run kept. */
static sotto_status generate_again(sotto_matrix *out, sotto_i_fed_client *c, size_t k, const char *folder,
                                   sotto_error *err) {
  const size_t width = sotto_i_feddep_width(c->federation->options, c->federation->inputs);
  const sotto_i_generator_data data = sotto_i_feddep_data(c, NULL);
  sotto_i_generator generator = {.params = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_feddep_generator_new(&generator, c, width, err));
  SOTTO_TRY(sotto_i_generator_load(&generator, c, k, folder, err));
  SOTTO_TRY(sotto_i_generator_mean(out, &generator, &data, err));
done:
  sotto_i_generator_free(&generator);
  return status;
}

sotto_status sotto_i_feddep_complete(sotto_i_fed_client *c, const char *folder, sotto_error *err) {
  const size_t count = (size_t)sotto_i_part_settings_of(c->federation->options)->cross_fit;
  const size_t cols = sotto_i_feddep_width(c->federation->options, c->federation->inputs);
  sotto_matrix one = {0}, sum = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&sum, c->data.graph.nodes, cols, err));
  for (size_t k = 0; k < count; k++) {
    sotto_matrix_free(&one);
    SOTTO_TRY(generate_again(&one, c, k, folder, err));
    for (size_t i = 0; i < sum.rows * cols; i++) sum.data[i] += one.data[i] / (float)count;
  }
  sotto_i_feddep_soften(&sum);
  sotto_tape_reset(c->tape); /* it may borrow the old rows */
  sotto_matrix_free(&c->beside);
  c->beside = sum;
  sum = (sotto_matrix){0};
done:
  sotto_matrix_free(&one);
  sotto_matrix_free(&sum);
  return status;
}
