/* What opened models do not answer, and why. */
#include "model.h"

#include "base/error.h"
#include "run/method/matrix.h"
#include "run/settings/options.h"

sotto_status sotto_i_model_check_kind(const sotto_options *o, bool graphs, sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_of(o);
  const sotto_i_case of = sotto_i_case_of(o);
  const char *why = sotto_i_unanswered(&of);
  if (method->items != NULL && !method->nodes_too && !graphs)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "method: models of %s answer about whole graphs alone, by `sotto predict`",
                        o->method);
  if (method->items == NULL && graphs)
    return sotto_i_fail(err, SOTTO_INVALID, "graphs: models of %s answer about nodes", o->method);
  if (why != NULL) return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: %s", o->method, why);
  if (o->label_features > 0 || o->label_edges > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "label-features, label-edges: models of %s that read them do not answer queries yet",
                        o->method);
  if (o->wire != SOTTO_FORMAT_FLOAT32)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "wire: only float32 keeps what the label party of %s received", o->method);
  return SOTTO_OK;
}

/* Ranks answer from a release, row by row, and read no edge. */
sotto_status sotto_i_model_check_ranks(const sotto_model *m, const sotto_model_options *asked,
                                       sotto_error *err) {
  const sotto_options *o = &m->options;
  if (!m->run.variant->ranks || o->degree_cut || o->max_degree > 0)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "method: models of %s with these options answer in one process; start it without mpirun", o->method);
  if (asked == NULL || (!asked->fresh && !asked->alone && !asked->nightly && !asked->graphs)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "fresh, alone, nightly, graphs: are of one process; over ranks a model answers from the release "
      "of the run, or from one of other data");
}

/* Answers about nodes follow from the run's noisy releases. Answers about a graph read its nodes and edges
 * without noise, so only the owner of the graph may see them. */
sotto_status sotto_i_model_check_served(const sotto_options *o, sotto_error *err) {
  if (o->adjacency == SOTTO_ADJACENCY_NONE) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: %s", o->method, sotto_i_served_graphs);
}

/* At node level answers read rows without noise, so only the owner of the rows may see them. */
sotto_status sotto_i_model_check_rows(const sotto_options *o, const sotto_model_options *asked,
                                      sotto_error *err) {
  if (o->adjacency != SOTTO_ADJACENCY_NODE || asked == NULL) return SOTTO_OK;
  if (asked->served) return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: %s", o->method, sotto_i_served_rows);
  if (!asked->fresh && !asked->alone && !asked->nightly && asked->again == 0 && asked->epsilon == 0)
    return SOTTO_OK;
  const sotto_i_case of = sotto_i_case_of(o);
  const char *why = sotto_i_own_alone(&of);
  if (why != NULL) return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: %s", o->method, why);
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "fresh, alone, epsilon, again, nightly: at node level answers about any data read its rows "
      "without noise, for their owner, and make no release; leave the option out");
}

/* For these requests the caller must name the data, even if it is the run's own. */
sotto_status sotto_i_model_check_named(const sotto_model_options *asked, sotto_error *err) {
  if (asked == NULL || (asked->epsilon == 0 && asked->again == 0 && !asked->nightly && !asked->alone))
    return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "epsilon, again, nightly, alone: name the data; the run's own is answered from its release, and "
      "answers cost nothing");
}

sotto_status sotto_i_opening_refuse(const sotto_i_opening *from, const char *way, sotto_error *err) {
  const sotto_i_case of = sotto_i_case_of(from->job->options);
  const char *why = sotto_i_own_alone(&of);
  SOTTO_I_CHECK(why != NULL);
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "%s: is not the data of this run, as far as can be seen; %s: %s; %s",
                      from->job->data->name, of.method->name, why, way);
}

sotto_status sotto_i_opening_alone(const sotto_i_opening *from, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "%s: answers about it are computed over its whole graph; start it without mpirun",
                      from->job->data->name);
}

sotto_status sotto_i_opening_check(const sotto_i_opening *from, sotto_error *err) {
  if (from->own) return SOTTO_OK;
  if (from->alone)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "models of %s read a release for each node, and nodes without edges have none; put them "
        "into the data of the next release",
        from->job->options->method);
  const sotto_i_case of = sotto_i_case_of(from->job->options);
  if (!sotto_i_job_wants_privacy(from->job->options) && sotto_i_own_alone(&of) != NULL)
    return sotto_i_opening_refuse(from, "train a new run with it", err);
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: what this run keeps is not of %s, as its nodes, features or labels show; other data is "
      "another release, which is made and charged when epsilon is given for it. Where it is the "
      "same data, give the run's folder with its owner-only",
      from->job->folder, from->job->data->name);
}
