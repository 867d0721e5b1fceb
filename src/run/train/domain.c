/* The domain of a run: requirements on its data before any computation, and the parties' parts of it. */
#include <string.h>

#include "base/error.h"
#include "run.h"
#include "run/parties/party_roles.h"

bool sotto_i_run_owns_edges(const sotto_i_run *r) {
  return r->party == NULL || (r->party->role != SOTTO_ROLE_LABEL && sotto_i_party_has_data(r->party));
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
                      o->adjacency == SOTTO_ADJACENCY_EDGE ? "" : ", or cut edges (degree-cut)");
}

/* Labels are private at node and at client level, and so is what is read off them. */
static sotto_status check_declared(const sotto_i_run *r, sotto_error *err) {
  static const char *const found[] = {[SOTTO_CLASSES_LARGEST] = "one more than its largest label",
                                      [SOTTO_CLASSES_FOUND] = "how many different labels occur"};
  const sotto_dataset *data = r->data;
  const sotto_adjacency level = r->options->adjacency;
  if ((level != SOTTO_ADJACENCY_NODE && level != SOTTO_ADJACENCY_CLIENT) || r->options->classes > 0 ||
      data->labels == NULL || data->classes_from == SOTTO_CLASSES_DECLARED)
    return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "classes: %s does not state the number of its classes, and at %s level it cannot be %s; "
      "declare it with classes",
      data->name, sotto_adjacency_name(level), found[data->classes_from]);
}

/* Holds the data to a declared number of classes. Where classes were numbered by those that occur, all must:
 * with one less, others would have other numbers. */
static sotto_status check_classes(sotto_i_run *r, sotto_error *err) {
  const uint64_t classes = r->options->classes;
  const sotto_dataset *data = r->data;
  if (classes == 0 || data->labels == NULL) return check_declared(r, err);
  if (data->classes_from != SOTTO_CLASSES_LARGEST && data->classes != classes)
    return sotto_i_fail(err, SOTTO_RANGE, "classes: %llu are declared, and %s has %u",
                        (unsigned long long)classes, data->name, data->classes);
  for (uint64_t v = 0; v < data->graph.nodes; v++)
    if (data->labels[v] >= 0 && (uint64_t)data->labels[v] >= classes)
      return sotto_i_fail(err, SOTTO_RANGE,
                          "classes: the label of node %llu is %d, not below the declared %llu",
                          (unsigned long long)v, (int)data->labels[v], (unsigned long long)classes);
  if (!r->is_cut) r->cut = *data;
  r->cut.classes = (uint32_t)classes;
  r->data = &r->cut;
  return SOTTO_OK;
}

sotto_status sotto_i_run_check_domain(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  const sotto_i_method *method = sotto_i_method_of(o);
  if (o->adjacency == SOTTO_ADJACENCY_NODE && o->delta * (double)r->data->graph.nodes >= 1)
    return sotto_i_fail(err, SOTTO_RANGE, "delta: %g is not below one in %llu, the number of nodes", o->delta,
                        (unsigned long long)r->data->graph.nodes);
  sotto_status status = check_degrees(r, err);
  if (status == SOTTO_OK) status = check_classes(r, err);
  return status == SOTTO_OK && method->divide != NULL ? method->divide(r, err) : status;
}

void sotto_i_run_end(sotto_i_run *r) {
  if (r->is_cut) sotto_graph_free(&r->cut.graph);
  if (r->data == &r->part) {
    sotto_graph_free(&r->part.graph);
    sotto_graph_free(&r->label_graph);
  }
  sotto_matrix_free(&r->features);
  sotto_i_feature_rows_free(&r->rows);
  sotto_ledger_close(r->ledger);
}
