/* One party of a federation in a process of its own: the recipes of one process, over the links that the
 * meeting gave it. A client reads its part alone; the server has no data. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "federated.h"

enum { split_keys = 5000 };

/* Graphs are in the part that their nodes are in. */
static sotto_part part_of(const sotto_dataset *data, uint64_t item) {
  uint64_t node = data->graph_count > 0 ? data->graph_first[item] : item;
  return node < data->graph.nodes ? (sotto_part)data->split[node] : SOTTO_PART_NONE;
}

/* By the split that the data come with; else each client deals its own items. */
static sotto_status own_rows(sotto_i_fed_client *c, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  uint64_t items = sotto_deal_items(&c->data);
  sotto_split split = {0};
  sotto_key key, own;
  sotto_status status = SOTTO_OK;
  if (strcmp(o->split, "planetoid") == 0 && c->data.split == NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: comes with no split of its own; use a random one",
                        c->data.name);
  if (strcmp(o->split, "kfold") == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "split: clients apart from each other have random or planetoid");
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_new_raw(&c->rows[part], items, sizeof(uint32_t), err));
  if (strcmp(o->split, "planetoid") == 0) {
    for (uint64_t i = 0; i < items; i++) {
      sotto_part part = part_of(&c->data, i);
      if (part > SOTTO_PART_NONE && part <= SOTTO_PART_TEST) c->rows[part][c->count[part]++] = (uint32_t)i;
    }
    goto done;
  }
  sotto_i_job_key(&key, job);
  sotto_i_key_derive(&own, &key, split_keys + c->number);
  SOTTO_TRY(sotto_split_random(&split, &c->data, o->train_share, o->validation_share, &own, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    c->count[part] = split.count[part];
    memcpy(c->rows[part], split.rows[part], split.count[part] * sizeof(uint32_t));
  }
done:
  sotto_split_free(&split);
  return status;
}

static void begin_outcome(sotto_i_outcome *out, const sotto_i_job *job) {
  const sotto_quality none = {NAN, NAN, NAN};
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .test = none,
                                     .validation = none,
                                     .baseline_test = none,
                                     .baseline_validation = none};
}

static sotto_status check_data(const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const int32_t *labels = f->graphs ? c->data.graph_labels : c->data.labels;
  if (labels == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no labels of %s to learn", c->data.name,
                        f->graphs ? "graphs" : "nodes");
  if (c->count[SOTTO_PART_TRAIN] > 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: has nothing to train on", c->data.name);
}

static sotto_status run_client(sotto_i_outcome *out, const sotto_i_federation *f, const sotto_i_job *job,
                               sotto_error *err) {
  sotto_i_fed_client c = {.federation = f, .number = job->seat->number - 1, .link = job->seat->links[0]};
  sotto_status status;
  c.job = job;
  c.data = *job->data;
  c.data.storage = NULL; /* borrowed */
  SOTTO_TRY(own_rows(&c, job, err));
  SOTTO_TRY(check_data(&c, err));
  SOTTO_TRY(sotto_i_gwldp_begin(&c, err));
  SOTTO_TRY(sotto_i_fed_client_recipe(&c, err));
  begin_outcome(out, job);
  out->data_party = sotto_link_traffic(c.link);
  sotto_i_fed_add_exposures(out, 0, c.link);
  out->data_exposures = out->exposure_count;
  if (c.releases > 0)
    out->graph_epsilon = (sotto_graph_epsilon){.least = c.least, .most = c.most, .releases = c.releases};
  const sotto_params *sets[] = {c.model.params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  c.link = NULL; /* the meeting's */
  sotto_i_fed_client_free(&c);
  return status;
}

static sotto_status run_server(sotto_i_outcome *out, const sotto_i_federation *f, const sotto_i_job *job,
                               sotto_error *err) {
  sotto_i_fed_server s = {.federation = f, .job = job};
  sotto_status status;
  if (f->classes == 0 || f->inputs == 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "no client said how many classes there are");
  SOTTO_TRY(sotto_i_new(&s.links, f->clients, sizeof(sotto_link *), err));
  memcpy(s.links, job->seat->links, f->clients * sizeof(sotto_link *));
  SOTTO_TRY(sotto_i_fed_server_recipe(&s, err));
  begin_outcome(out, job);
  out->quality.validation = sotto_i_fed_quality(&s, 0, f->clients, 0);
  out->quality.test = sotto_i_fed_quality(&s, 0, f->clients, 1);
  for (uint32_t i = 0; i < f->clients; i++) {
    const sotto_traffic traffic = sotto_i_fed_traffic(&s, i);
    for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
      out->label_party.sent[kind] += traffic.sent[kind];
      out->label_party.received[kind] += traffic.received[kind];
    }
    if (s.links[i] != NULL) sotto_i_fed_add_exposures(out, 0, s.links[i]);
  }
  SOTTO_TRY(sotto_i_fed_log(&s, NULL, err));
  const sotto_params *sets[] = {s.model.params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  for (uint32_t i = 0; s.links != NULL && i < f->clients; i++) s.links[i] = NULL; /* the meeting's */
  sotto_i_fed_server_free(&s);
  return status;
}

sotto_status sotto_i_fed_party(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_federation f;
  sotto_status status = sotto_i_fed_settle(&f, job, err);
  if (status != SOTTO_OK) return status;
  if (job->seat->role == SOTTO_ROLE_SERVER) return run_server(out, &f, job, err);
  return run_client(out, &f, job, err);
}
