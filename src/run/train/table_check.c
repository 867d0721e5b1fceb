/* Checks of the data of a training: the table's edges and the column of its split, then all others. */
#include <math.h>

#include "base/error.h"
#include "graph/partition/take.h"
#include "inside/alerts.h"
#include "inside/graph.h"
#include "ranks.h"
#include "run.h"
#include "sotto/schema.h"

/* A method that learns from features alone, by the list of methods. */
static const char *method_without_edges(void) {
  const sotto_i_method *const *all = sotto_i_methods();
  for (size_t i = 0; all[i] != NULL; i++)
    if (!all[i]->variants[0].edges) return all[i]->name;
  return "of features alone";
}

/* The schema says that a table has no list of edges. The number of edges in a list is not read. */
static sotto_status check_edges(sotto_i_run *r, sotto_error *err) {
  const sotto_schema *schema = r->data->schema;
  if (schema == NULL || !schema->edgeless || !r->variant->edges || !sotto_i_run_owns_edges(r))
    return SOTTO_OK;
  if (r->party != NULL) r->declines = SOTTO_DECLINE_TABLE;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: is a table of nodes without edges, and %s learns from edges; train on features "
                      "alone with method %s, or give a list of edges",
                      r->data->name, r->options->method, method_without_edges());
}

/* One party has the edges and another one the days, so neither can cut off the past. */
static sotto_status check_split_time(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  if (r->party == NULL && sotto_i_run_ranks(r) == NULL)
    return sotto_split_time_check(r->data, o->train_share, o->validation_share, err);
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "split: a split by time is of one process that has the whole table; cut the tables by "
                      "`sotto data window`, and take random");
}

/* A party with labels gives the published split with them; whether its table has one is no secret. */
static sotto_status check_split(sotto_i_run *r, sotto_error *err) {
  const sotto_dataset *data = r->data;
  const bool gives = data->labels != NULL || data->graph_labels != NULL;
  if (r->options->split == SOTTO_SPLITTING_TIME) return check_split_time(r, err);
  if (r->party == NULL || !gives || r->options->split != SOTTO_SPLITTING_PLANETOID || data->split != NULL)
    return SOTTO_OK;
  r->declines = SOTTO_DECLINE_SPLIT;
  return sotto_i_fail(err, SOTTO_NOT_FOUND,
                      "split: %s comes with no published split; take random, or another table", data->name);
}

static bool is_labelled(const sotto_dataset *data, uint64_t item) {
  if (data->graph_count > 0) return data->graph_labels != NULL && data->graph_labels[item] >= 0;
  return (data->labels != NULL && data->labels[item] >= 0) ||
         (data->numbers != NULL && isfinite(data->numbers[item]));
}

/* Graphs are in the part of their nodes. */
static size_t count_trained(const sotto_i_run *r, size_t *labelled) {
  const sotto_dataset *data = r->data;
  const uint64_t items = sotto_deal_items(data);
  size_t published = 0;
  *labelled = 0;
  for (uint64_t i = 0; i < items; i++) {
    const uint64_t node = data->graph_count > 0 ? data->graph_first[i] : i;
    *labelled += is_labelled(data, i);
    published += data->split != NULL && node < data->graph.nodes && data->split[node] == SOTTO_PART_TRAIN;
  }
  return r->options->split == SOTTO_SPLITTING_PLANETOID
             ? published
             : sotto_i_share_of(r->options->train_share, *labelled);
}

/* A client that splits its own items has to have one to train on. The others hear that its table was refused.
 */
static sotto_status check_trained(sotto_i_run *r, sotto_error *err) {
  const char *what = r->data->graph_count > 0 ? "graph" : "node";
  size_t labelled;
  if (r->party == NULL || r->party->role != SOTTO_ROLE_CLIENT || count_trained(r, &labelled) > 0)
    return SOTTO_OK;
  r->declines = SOTTO_DECLINE_TABLE;
  if (labelled == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: no %s has a label, which every client gives", r->data->name,
                        what);
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: no labelled %s (it has %zu) is in the training part, and a client needs one: give more "
      "rows, or raise train-share for all",
      r->data->name, what, labelled);
}

/* Edges, and what the split goes by. */
static sotto_status check_table(sotto_i_run *r, sotto_error *err) {
  sotto_status status = check_edges(r, err);
  if (status == SOTTO_OK) status = check_split(r, err);
  return status == SOTTO_OK ? check_trained(r, err) : status;
}

static sotto_status check_features(sotto_i_run *r, sotto_error *err) {
  if (r->data->features.cols > 0 || !sotto_i_run_owns_edges(r) || sotto_i_has_clients(r->options))
    return SOTTO_OK;
  r->declines = SOTTO_DECLINE_TABLE;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no features to learn from", r->data->name);
}

/* An alert rate that is given has to have a meaning. */
static sotto_status check_alerts(const sotto_i_run *r, sotto_error *err) {
  const sotto_dataset *d = r->data;
  int32_t rare = -1;
  if (r->options->alert_rate[0] == '\0') return SOTTO_OK;
  if (r->party != NULL || sotto_i_run_ranks(r) != NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "alert-rate: %s choose no threshold for alerts; leave it out, and order nodes by the "
                        "probability of the class",
                        r->party != NULL ? "parties over a network" : "ranks");
  if (d->graph_count > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "alert-rate: alerts are of nodes, and %s has labels of graphs; leave it out",
                        d->name);
  if (d->labels == NULL) return SOTTO_OK; /* refused where labels are read */
  const sotto_status status = sotto_rare_class(&rare, NULL, d->labels, d->graph.nodes, d->classes, err);
  if (status != SOTTO_OK || rare >= 0) return status;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "alert-rate: no class of %s is rare, which is below 10%% of the labels and a third of an "
      "even share, so that there are no alerts; leave it out",
      d->name);
}

sotto_status sotto_i_run_check_data(sotto_i_run *r, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(check_features(r, err));
  SOTTO_TRY(check_table(r, err));
  SOTTO_TRY(sotto_i_run_check_domain(r, err));
  SOTTO_TRY(check_alerts(r, err));
  status = sotto_i_run_check_words(r, err);
  if (status != SOTTO_OK) r->declines = SOTTO_DECLINE_TABLE;
done:
  return status;
}
