/* The domain of a run: what its data must meet before anything is computed, and who holds what of it here. */
#include <string.h>

#include "base/error.h"
#include "run.h"

bool sotto_i_run_owns_edges(const sotto_i_run *r) {
  return r->party == NULL || (r->party->role != SOTTO_ROLE_LABEL && r->party->role != SOTTO_ROLE_SERVER);
}

static sotto_status check_degrees(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_status status = SOTTO_OK;
  sotto_key key;
  if (o->max_degree == 0 || r->data->graph.offsets == NULL) return SOTTO_OK;
  if (sotto_i_has_holders(o)) return SOTTO_OK; /* each holder checks its own graph */
  if (o->degree_cut) {
    r->cut = *r->data;
    sotto_key_public(&key, o->seed);
    status = sotto_graph_cut_degrees(&r->cut.graph, &r->data->graph, o->max_degree, &key, err);
    if (status != SOTTO_OK) return status;
    r->is_cut = true;
    r->data = &r->cut;
    return SOTTO_OK;
  }
  sotto_error found = {0};
  status = sotto_graph_check_degrees(&r->data->graph, o->max_degree, &found);
  if (status == SOTTO_OK) return status;
  return sotto_i_fail(err, status, "max-degree: %.300s: declare a larger one%s", found.text,
                      strcmp(o->adjacency, "edge") == 0 ? "" : ", or cut edges (degree-cut)");
}

sotto_status sotto_i_run_check_domain(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  const sotto_i_method *method = sotto_i_method_of(o);
  if (strcmp(o->adjacency, "node") == 0 && o->delta * (double)r->data->graph.nodes >= 1)
    return sotto_i_fail(err, SOTTO_RANGE, "delta: %g is not below one in %llu, the number of nodes", o->delta,
                        (unsigned long long)r->data->graph.nodes);
  sotto_status status = check_degrees(r, err);
  return status == SOTTO_OK && method->divide != NULL ? method->divide(r, err) : status;
}

void sotto_i_run_end(sotto_i_run *r) {
  if (r->is_cut) sotto_graph_free(&r->cut.graph);
  if (r->data == &r->part) {
    sotto_graph_free(&r->part.graph);
    sotto_graph_free(&r->label_graph);
  }
  sotto_matrix_free(&r->features);
  sotto_ledger_close(r->ledger);
}
