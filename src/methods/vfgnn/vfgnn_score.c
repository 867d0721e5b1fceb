/* The label holder's output layers of vfgnn, and scores by them. */
#include <stdio.h>

#include "base/error.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "protocols/cross_fit.h"
#include "protocols/table.h"
#include "vfgnn.h"

sotto_status sotto_i_vfgnn_outputs_new(sotto_i_vfgnn_labels *l, const sotto_i_vfgnn *c, sotto_error *err) {
  sotto_key key, own;
  sotto_status status = SOTTO_OK;
  sotto_i_key_derive(&key, &c->key, 2);
  for (size_t k = 0; k < sotto_i_vfgnn_folds(c); k++) {
    char name[32] = "labels.output";
    own = key;
    if (c->counts) {
      (void)snprintf(name, sizeof name, "labels.output%zu", k);
      sotto_i_key_derive(&own, &key, k);
    }
    SOTTO_TRY(
        sotto_linear_new(&l->output[k], l->params, name, sotto_i_vfgnn_hidden(c), c->classes, &own, err));
  }
done:
  return status;
}

/* With several networks: the logarithms of their mean probabilities (protocols/folds.h). */
sotto_status sotto_i_vfgnn_labels_score(sotto_matrix *scores, sotto_i_vfgnn_holder *holder,
                                        const sotto_matrix *hidden, const uint32_t *nodes, sotto_error *err) {
  const sotto_i_vfgnn *c = holder->shared;
  sotto_i_vfgnn_labels *l = holder->labels;
  sotto_matrix own = {0};
  sotto_status status = SOTTO_OK;
  sotto_tape_reset(l->tape);
  sotto_var rows = sotto_tape_constant(l->tape, hidden);
  if (c->counts) SOTTO_TRY(sotto_matrix_new(scores, hidden->rows, c->classes, err));
  for (size_t k = 0; k < sotto_i_vfgnn_folds(c); k++) {
    sotto_var one = sotto_i_vfgnn_of_fold(c, l->tape, rows, k);
    one = sotto_linear_apply(&l->output[k], l->params, l->tape, one);
    if (!c->counts) return sotto_tape_copy(scores, l->tape, one, err);
    SOTTO_TRY(sotto_tape_copy(&own, l->tape, one, err));
    sotto_i_rows_to_softmax(&own);
    sotto_i_folds_add(scores, &own, &l->folds, (uint32_t)k, nodes);
    sotto_matrix_free(&own);
  }
  sotto_i_to_logarithms(scores);
done:
  return status;
}
