/* Domain checks of a run's data before any computation, and the split of the data among parties. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/names.h"
#include "inside/graph.h"
#include "run.h"
#include "run/parties/party_roles.h"
#include "sotto/schema.h"

bool sotto_i_run_owns_edges(const sotto_i_run *r) {
  return r->party == NULL ||
         (!sotto_i_party_is_apart(r->party, r->options) && sotto_i_party_has_data(r->party));
}

static sotto_status check_degrees(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_status status = SOTTO_OK;
  sotto_key key;
  if (o->max_degree == 0 || r->data->graph.offsets == NULL) return SOTTO_OK;
  if (sotto_i_has_holders(o) && r->party == NULL)
    return SOTTO_OK; /* checked after the data was split among the holders */
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
                      o->adjacency <= SOTTO_ADJACENCY_EDGE ? "" : ", or cut edges (degree-cut)");
}

/* The labels that a run learns, and the source of their number of classes. */
typedef struct learnt_labels {
  const int32_t *labels; /* NULL: no labels */
  uint64_t count;
  uint32_t classes;
  sotto_classes_from from;
  const char *what;
} learnt_labels;

static bool learns_graphs(const sotto_i_run *r) {
  return r->data->graph_count > 0 && sotto_i_has_clients(r->options);
}

static learnt_labels labels_of(const sotto_i_run *r) {
  const sotto_dataset *data = r->data;
  if (learns_graphs(r))
    return (learnt_labels){data->graph_labels, data->graph_count, data->graph_classes,
                           data->graph_classes_from, "graph"};
  return (learnt_labels){data->labels, data->graph.nodes, data->classes, data->classes_from, "node"};
}

static const sotto_names *names_of(const sotto_i_run *r) {
  return learns_graphs(r) ? &r->data->graph_class_names : &r->data->class_names;
}

/* The option that protects labels. With one, the number of classes must not be computed from the labels:
 * one label of a new class would change the size of every model and count. */
static const char *label_protection(const sotto_options *o) {
  static char text[40];
  if (!sotto_options_hide_measures(o)) return NULL;
  if (o->label_epsilon > 0) return "with label-epsilon";
  (void)snprintf(text, sizeof text, "at %s level", sotto_adjacency_name(o->adjacency));
  return text;
}

static sotto_status check_declared(const sotto_i_run *r, const learnt_labels *l, sotto_error *err) {
  static const char *const found[] = {[SOTTO_CLASSES_LARGEST] = "one more than its largest label",
                                      [SOTTO_CLASSES_FOUND] = "how many different labels occur"};
  const char *protection = label_protection(r->options);
  if (protection == NULL || l->labels == NULL || l->from == SOTTO_CLASSES_DECLARED) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "classes: %s does not state the number of its classes, and %s it cannot be %s; "
                      "declare it with classes",
                      r->data->name, protection, found[l->from]);
}

/* Means are computed from private rows, and would fill other rows' cells. The option is refused even where no
 * cell is missing, since a missing cell is private, too. */
static sotto_status check_no_means(const sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  const sotto_schema *schema = r->data->schema;
  const bool rows = o->adjacency == SOTTO_ADJACENCY_NODE || o->adjacency >= SOTTO_ADJACENCY_GRAPH;
  for (uint64_t j = 0; rows && schema != NULL && j < schema->column_count; j++)
    if (schema->columns[j].feature_count > 0 && schema->columns[j].missing == SOTTO_MISSING_MEAN)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "missing: '%.60s' of %s is filled with its mean, which follows from its rows, and at %s level no "
          "noise covers that; fill with zero, or declare a value in a schema (missing: value, fill: 40)",
          schema->columns[j].name, r->data->name, sotto_adjacency_name(o->adjacency));
  return SOTTO_OK;
}

sotto_status sotto_i_run_tell_classes(const sotto_i_run *r, sotto_error *err) {
  const learnt_labels l = labels_of(r);
  const sotto_names *names = learns_graphs(r) ? &r->data->graph_class_names : &r->data->class_names;
  uint32_t absent = 0, first = 0;
  char number[24];
  bool *has = NULL;
  if (l.labels == NULL || l.classes == 0 || label_protection(r->options) != NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_new(&has, l.classes, sizeof *has, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < l.count; v++)
    if (l.labels[v] >= 0 && (uint32_t)l.labels[v] < l.classes) has[l.labels[v]] = true;
  for (uint32_t c = l.classes; c-- > 0;)
    if (!has[c]) absent++, first = c;
  sotto_i_free(has);
  if (absent == 0) return SOTTO_OK;
  (void)snprintf(number, sizeof number, "%u", (unsigned)first);
  const char *name = sotto_name(names, first);
  sotto_i_log(r->observer, SOTTO_LOG_INFO,
              "classes: no %s of %s has '%.60s'%s; macro F1 leaves out what neither labels nor answers have",
              l.what, r->data->name, name == NULL ? number : name,
              absent > 1 ? ", nor some other classes" : "");
  return SOTTO_OK;
}

sotto_status sotto_i_run_check_words(const sotto_i_run *r, sotto_error *err) {
  const sotto_status status = check_no_means(r, err);
  if (status != SOTTO_OK) return status;

  const sotto_options *o = r->options;
  const sotto_schema *schema = r->data->schema;
  const char *protection = label_protection(o);
  const bool rows = o->adjacency == SOTTO_ADJACENCY_NODE || o->adjacency >= SOTTO_ADJACENCY_GRAPH;
  const learnt_labels l = labels_of(r);
  const bool declared = o->schema[0] != '\0' || (r->data->reading != NULL && r->data->reading->stated);
  if (protection == NULL || r->data->reading == NULL || declared) return SOTTO_OK;
  for (uint64_t j = 0; rows && schema != NULL && j < schema->column_count; j++)
    if (schema->columns[j].kind == SOTTO_COLUMN_CATEGORY)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "schema: the words of '%.60s' were found in rows of %s, and %s they cannot be; declare them "
          "with schema (`sotto data schema`), or import the table, which does",
          schema->columns[j].name, r->data->name, protection);
  const sotto_names *names = names_of(r);
  if (r->party == NULL || !sotto_i_has_clients(o) || names->count == 0 || l.from != SOTTO_CLASSES_FOUND)
    return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "schema: the names of classes were found in labels of %s, and the server would see them, which "
      "%s they may not be; declare them with schema, or import the data, which does",
      r->data->name, protection);
}

/* Sets the declared number of classes. Outputs without a label stay unused; class names are padded too. */
static sotto_status set_classes(sotto_i_run *r, uint32_t classes, sotto_error *err) {
  const bool graphs = learns_graphs(r);
  if (r->data != &r->cut) r->cut = *r->data;
  uint32_t *number = graphs ? &r->cut.graph_classes : &r->cut.classes;
  sotto_names *names = graphs ? &r->cut.graph_class_names : &r->cut.class_names;
  r->data = &r->cut;
  if (*number < classes && names->count > 0) {
    const sotto_status status = sotto_i_names_pad(&r->class_names, names, classes, err);
    if (status != SOTTO_OK) return status;
    *names = r->class_names;
  }
  *number = classes;
  return SOTTO_OK;
}

/* Labels of one class fit every model, and edges would be charged for nothing. Where labels are protected
 * their number of classes is declared. */
static sotto_status check_two(const sotto_i_run *r, const learnt_labels *l, sotto_error *err) {
  bool some = false;
  if (label_protection(r->options) != NULL || l->labels == NULL || l->classes != 1 ||
      l->from == SOTTO_CLASSES_DECLARED)
    return SOTTO_OK;
  for (uint64_t i = 0; i < l->count && !some; i++) some = l->labels[i] >= 0;
  const char *name = sotto_name(names_of(r), 0);
  if (!some) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "classes: each %s of %s with a label has the class '%.60s', and a model tells two apart; name "
      "the column of classes (label), or declare how many there are (classes)",
      l->what, r->data->name, name == NULL ? "0" : name);
}

/* Checks the data against the declared number of classes, before this process connects to another party. */
static sotto_status check_classes(sotto_i_run *r, sotto_error *err) {
  const uint64_t classes = r->options->classes;
  const learnt_labels l = labels_of(r);
  const bool client = r->party != NULL && r->party->role == SOTTO_ROLE_CLIENT;
  if (client && names_of(r)->count > 0 && label_protection(r->options) == NULL)
    return SOTTO_OK; /* names of all clients' classes are counted together (party_names.c) */
  if (classes == 0 && !client) {
    const sotto_status status = check_two(r, &l, err);
    if (status != SOTTO_OK) return status;
  }
  if (classes == 0 || l.labels == NULL) return check_declared(r, &l, err);
  if (l.from == SOTTO_CLASSES_DECLARED && l.classes != classes)
    return sotto_i_fail(err, SOTTO_RANGE, "classes: %llu are declared, and %s states %u",
                        (unsigned long long)classes, r->data->name, l.classes);
  if (l.from == SOTTO_CLASSES_FOUND && l.classes != classes && label_protection(r->options) != NULL)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "classes: %llu are declared, and %u different labels occur in %s. They are numbered "
                        "in their order, so one more would give others other numbers. Declare as many as "
                        "occur, where that may be known, or give labels as numbers from 0",
                        (unsigned long long)classes, l.classes, r->data->name);
  for (uint64_t i = 0; i < l.count; i++)
    if (l.labels[i] >= 0 && (uint64_t)l.labels[i] >= classes)
      return sotto_i_fail(err, SOTTO_RANGE,
                          "classes: the label of %s %llu is class %d, counted from 0: %llu are declared; "
                          "declare a larger number",
                          l.what, (unsigned long long)i, (int)l.labels[i], (unsigned long long)classes);
  return set_classes(r, (uint32_t)classes, err);
}

/* At transfer level edges without transfers have nothing to protect. */
static sotto_status check_transfers(const sotto_i_run *r, sotto_error *err) {
  if (r->options->adjacency != SOTTO_ADJACENCY_TRANSFER || !sotto_i_run_owns_edges(r) ||
      r->data->transfers.sources != NULL)
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "adjacency: %s has no transfers to protect one by one; take edge level, or import its "
                      "edges with a direction, an amount or a time",
                      r->data->name);
}

sotto_status sotto_i_run_check_domain(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  const sotto_i_method *method = sotto_i_method_of(o);
  if (o->adjacency == SOTTO_ADJACENCY_NODE && o->delta * (double)r->data->graph.nodes >= 1) {
    if (r->party != NULL) r->declines = SOTTO_DECLINE_BOUND; /* all know the number of nodes */
    return sotto_i_fail(err, SOTTO_RANGE, "delta: %g is not below one in %llu, the number of nodes", o->delta,
                        (unsigned long long)r->data->graph.nodes);
  }
  sotto_status status = check_transfers(r, err);
  if (status == SOTTO_OK) status = check_degrees(r, err);
  if (status != SOTTO_OK) return status; /* its edges are private: other parties do not learn the reason */
  status = check_classes(r, err);
  if (r->party != NULL && status != SOTTO_OK) r->declines = SOTTO_DECLINE_TABLE;
  if (status == SOTTO_OK && method->bounds != NULL) status = method->bounds(r, err);
  return status == SOTTO_OK && method->divide != NULL ? method->divide(r, err) : status;
}

void sotto_i_run_end(sotto_i_run *r) {
  if (r->is_cut) sotto_graph_free(&r->cut.graph);
  if (r->data == &r->part) {
    sotto_graph_free(&r->part.graph);
    sotto_graph_free(&r->label_graph);
  }
  sotto_i_arranged_free(&r->arranged);
  sotto_schema_free(r->suited);
  sotto_i_names_free(&r->class_names);
  sotto_matrix_free(&r->features);
  sotto_i_feature_rows_free(&r->rows);
  sotto_ledger_close(r->ledger);
}
