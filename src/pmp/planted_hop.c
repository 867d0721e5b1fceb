/* A fault for tests alone: a contractive release that ends as the public code of paper 002 does, with one
 * more aggregate over the private graph after the last noise (rule R3). Nothing in the library or the program
 * switches it on, and the switch is not exported. */
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "contractive.h"

static atomic_bool planted;

void sotto_i_plant_hop(bool on) {
  atomic_store(&planted, on);
}

sotto_status sotto_i_planted_hop(sotto_matrix *rows, const sotto_graph *graph, sotto_error *err) {
  sotto_status status;
  sotto_operator *gcn = NULL;
  sotto_matrix hop = {0};
  if (!atomic_load(&planted)) return SOTTO_OK;
  SOTTO_TRY(sotto_operator_new(&gcn, graph, SOTTO_AGGREGATOR_GCN, 0, true, err));
  SOTTO_TRY(sotto_matrix_new(&hop, rows->rows, rows->cols, err));
  SOTTO_TRY(sotto_operator_apply(gcn, &hop, rows, err));
  memcpy(rows->data, hop.data, rows->rows * rows->cols * sizeof(float));
done:
  sotto_operator_free(gcn);
  sotto_matrix_free(&hop);
  return status;
}
