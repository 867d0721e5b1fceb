/* The server's networks of vfgnn: they combine the holders' published rows, up to the last hidden layer
 * (algorithm 2, lines 9 to 13). With counts there is one network for each fold of the training nodes, over
 * its own columns. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "vfgnn.h"

enum { combination_dropout = 700, hidden_dropout = 720, of_a_fold = 40 };

static uint32_t stream_of_fold(uint32_t of, size_t fold) {
  return of + (uint32_t)fold * of_a_fold;
}

sotto_var sotto_i_vfgnn_of_fold(const sotto_i_vfgnn *c, sotto_tape *tape, sotto_var x, size_t fold) {
  const size_t width = sotto_i_vfgnn_hidden(c);
  return c->counts ? sotto_tape_columns(tape, x, fold * width, (fold + 1) * width) : x;
}

uint64_t sotto_i_vfgnn_epochs(const sotto_i_vfgnn *c) {
  return c->counts ? c->job->options->encoder_epochs : c->job->options->epochs;
}

static bool combines_by(const sotto_i_vfgnn_server *s, sotto_combination how) {
  return s->shared->job->options->combine == how;
}

static sotto_status add_network(sotto_i_vfgnn_server *s, size_t fold, const sotto_key *key,
                                sotto_error *err) {
  const sotto_options *o = s->shared->job->options;
  const size_t width = sotto_i_vfgnn_hidden(s->shared);
  const sotto_mlp_options mlp = {
      .widths = {combines_by(s, SOTTO_COMBINE_CAT) ? s->shared->holders * width : width, width},
      .layers = 1,
      .activation = sotto_i_head_activation(o),
      .input_dropout = (float)o->dropout,
      .activate_last = true};
  char name[32] = "server";
  sotto_key own = *key;
  if (s->shared->counts) {
    (void)snprintf(name, sizeof name, "server%zu", fold);
    sotto_i_key_derive(&own, key, fold);
  }
  return sotto_mlp_new(&s->mlp[fold], s->params, name, &mlp, stream_of_fold(combination_dropout, fold), &own,
                       err);
}

sotto_status sotto_i_vfgnn_join_new(sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_key key;
  sotto_status status;
  sotto_i_key_derive(&key, &c->key, 1);
  SOTTO_TRY(sotto_params_new(&s->params, err));
  for (size_t k = 0; k < sotto_i_vfgnn_folds(c); k++) SOTTO_TRY(add_network(s, k, &key, err));
  for (size_t i = 0; i < c->holders && combines_by(s, SOTTO_COMBINE_REGRESSION); i++) {
    char name[40];
    (void)snprintf(name, sizeof name, "server.weight%zu", i + 1);
    SOTTO_TRY(
        sotto_params_add(s->params, &s->weights[i], name, 1, c->width, SOTTO_INIT_ONE, true, &key, err));
  }
done:
  return status;
}

/* COMBINE, equations 3 to 5; rows[i] are of one part's nodes. */
static sotto_var combine_rows(const sotto_i_vfgnn_server *s, sotto_tape *tape, const sotto_var *rows,
                              const uint32_t *zeros, size_t count, size_t fold) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_var all = {0};
  for (size_t i = 0; i < c->holders; i++) {
    sotto_var row = rows[i];
    if (combines_by(s, SOTTO_COMBINE_REGRESSION)) {
      sotto_var weight = sotto_params_var(s->params, s->weights[i], tape);
      row = sotto_tape_multiply(tape, row, sotto_tape_gather_rows(tape, weight, zeros, count));
    }
    row = sotto_i_vfgnn_of_fold(c, tape, row, fold);
    if (i == 0)
      all = row;
    else
      all = combines_by(s, SOTTO_COMBINE_CAT) ? sotto_tape_concat(tape, all, row)
                                              : sotto_tape_add(tape, all, row);
  }
  float gain = sqrtf((float)sotto_i_vfgnn_hidden(c)); /* from unit-norm rows to values near 1 */
  return sotto_tape_scale(tape, all, combines_by(s, SOTTO_COMBINE_CAT) ? gain : gain / (float)c->holders);
}

sotto_var sotto_i_vfgnn_join(sotto_i_vfgnn_server *s, sotto_tape *tape, const sotto_var *rows,
                             const uint32_t *zeros, size_t count, uint64_t step, bool training) {
  const sotto_i_vfgnn *c = s->shared;
  const sotto_pass pass = {.tape = tape, .key = &c->key, .step = step, .training = training};
  const float dropout = (float)c->job->options->dropout;
  sotto_var all = {0};
  for (size_t k = 0; k < sotto_i_vfgnn_folds(c); k++) {
    sotto_var z = sotto_mlp_apply(&s->mlp[k], s->params, &pass, combine_rows(s, tape, rows, zeros, count, k));
    if (training && dropout > 0)
      z = sotto_tape_dropout(tape, z, dropout, &c->key, stream_of_fold(hidden_dropout, k), step);
    all = k == 0 ? z : sotto_tape_concat(tape, all, z);
  }
  return all;
}
