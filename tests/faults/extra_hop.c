/* The linker puts these two in the place of the library's (--wrap, tests/CMakeLists.txt): audits call
 * sotto_contractive_release, trainings write layers while they are made. */
#include "extra_hop.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "inside/graph.h"
#include "pmp/contractive.h"
#include "pmp/release.h"

static atomic_bool planted;

void check_plant_hop(bool on) {
  atomic_store(&planted, on);
}

static sotto_status hop(sotto_matrix *rows, const sotto_graph *graph, sotto_error *err) {
  sotto_status status;
  sotto_operator *gcn = NULL;
  sotto_matrix out = {0};
  SOTTO_TRY(sotto_operator_new(&gcn, graph, SOTTO_AGGREGATOR_GCN, 0, true, err));
  SOTTO_TRY(sotto_matrix_new(&out, rows->rows, rows->cols, err));
  SOTTO_TRY(sotto_operator_apply(gcn, &out, rows, err));
  memcpy(rows->data, out.data, rows->rows * rows->cols * sizeof(float));
done:
  sotto_operator_free(gcn);
  sotto_matrix_free(&out);
  return status;
}

typedef sotto_status release_fn(sotto_release **out, const sotto_contractive_plan *plan,
                                const sotto_graph *graph, const sotto_matrix *inputs, const sotto_key *key,
                                const char *id, const char *run, const char *description,
                                const sotto_observer *observer, sotto_error *err);
release_fn __real_sotto_contractive_release, __wrap_sotto_contractive_release;

sotto_status __wrap_sotto_contractive_release(sotto_release **out, const sotto_contractive_plan *plan,
                                              const sotto_graph *graph, const sotto_matrix *inputs,
                                              const sotto_key *key, const char *id, const char *run,
                                              const char *description, const sotto_observer *observer,
                                              sotto_error *err) {
  sotto_status status =
      __real_sotto_contractive_release(out, plan, graph, inputs, key, id, run, description, observer, err);
  if (status != SOTTO_OK || !atomic_load(&planted)) return status;
  status = hop(&(*out)->layers[1], graph, err);
  if (status == SOTTO_OK) return status;
  sotto_release_free(*out);
  *out = NULL;
  return status;
}

typedef sotto_status layers_fn(const sotto_contractive_plan *plan, const sotto_graph *graph,
                               const sotto_matrix *inputs, int32_t *over, const sotto_key *key,
                               const sotto_i_release_sink *sink, const char *folder,
                               const sotto_observer *observer, sotto_error *err);
layers_fn __real_sotto_i_contractive_layers, __wrap_sotto_i_contractive_layers;

sotto_status __wrap_sotto_i_contractive_layers(const sotto_contractive_plan *plan, const sotto_graph *graph,
                                               const sotto_matrix *inputs, int32_t *over,
                                               const sotto_key *key, const sotto_i_release_sink *sink,
                                               const char *folder, const sotto_observer *observer,
                                               sotto_error *err) {
  sotto_status status;
  sotto_matrix layers[2] = {{0}, {0}};
  if (!atomic_load(&planted))
    return __real_sotto_i_contractive_layers(plan, graph, inputs, over, key, sink, folder, observer, err);
  for (int k = 0; k < 2; k++) SOTTO_TRY(sotto_matrix_new(&layers[k], inputs->rows, inputs->cols, err));
  const sotto_i_release_sink memory = {.layers = layers};
  SOTTO_TRY(__real_sotto_i_contractive_layers(plan, graph, inputs, NULL, key, &memory, NULL, observer, err));
  SOTTO_TRY(hop(&layers[1], graph, err));
  for (int k = 0; k < 2; k++)
    SOTTO_TRY(sink->take(sink->context, layers[k].data, layers[k].rows * layers[k].cols, err));
done:
  for (int k = 0; k < 2; k++) sotto_matrix_free(&layers[k]);
  return status;
}
