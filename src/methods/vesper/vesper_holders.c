/* Several holders of columns and edges, and one label party that they all talk to.
 *
 * Each holder plays the data party of the publication by counts over its own link: its own encoder, and its
 * own release of counts of neighbours by its own edges, charged to its own account. No holder receives
 * another's release. The label party concatenates the holders' embeddings, adds up their counts, and sends
 * all holders the same clusters. An edge is one holder's, and changes that holder's counts alone. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "protocols/holders.h"
#include "run/files/job_file.h"
#include "vesper.h"

const char sotto_i_vesper_scores[] = "scores";

typedef struct holder {
  sotto_i_vesper shared;
  sotto_i_job job;       /* of its part of the data */
  sotto_matrix features; /* in one process, owned */
  sotto_i_data_party data;
} holder;

/* The parties of this process; one in a process of its own has the others empty. */
typedef struct parties {
  const sotto_i_job *job;
  sotto_i_vesper shared; /* the label party's */
  sotto_i_parted parted;
  sotto_i_label_party label;
  sotto_dataset parts[SOTTO_MOST_HOLDERS]; /* in one process */
  holder holders[SOTTO_MOST_HOLDERS];
} parties;

/* In one process each holder scales its own columns, as it does in a process of its own. */
static sotto_status take_part(holder *h, const sotto_i_job *job, const sotto_dataset *part,
                              sotto_error *err) {
  sotto_options scaled = *job->options;
  scaled.feature_scale = sotto_i_scale_of(job->options, job->data);
  h->job.data = part;
  h->job.features = &h->features;
  h->job.rows = NULL;
  h->data.part = h->data.holder;
  return sotto_i_scaled_features(&h->features, &scaled, part, err);
}

static sotto_status prepare_holder(parties *p, sotto_i_session *session, sotto_error *err) {
  const size_t index = session->number - 1;
  holder *h = &p->holders[index];
  sotto_status status = SOTTO_OK;
  h->job = *p->job;
  h->data = (sotto_i_data_party){
      .shared = &h->shared, .holder = session->number, .session = session, .link = session->links[0]};
  session->own = &h->data;
  if (session->local) SOTTO_TRY(take_part(h, p->job, &p->parts[index], err));
  h->shared = (sotto_i_vesper){.job = &h->job, .data_features = *h->job.features};
  h->shared.data_rows = sotto_i_row_source_of(&h->shared.data_features);
  sotto_i_job_key(&h->shared.key, &h->job);
  SOTTO_TRY(sotto_params_new(&h->data.params, err));
done:
  return status;
}

static sotto_status prepare_label(parties *p, sotto_i_session *session, sotto_error *err) {
  sotto_status status;
  p->shared = (sotto_i_vesper){.job = p->job, .parted = &p->parted};
  p->label = (sotto_i_label_party){.shared = &p->shared,
                                   .session = session,
                                   .link = session->links[0],
                                   .links = session->links,
                                   .holders = session->link_count};
  session->own = &p->label;
  sotto_i_job_key(&p->shared.key, p->job);
  SOTTO_TRY(sotto_i_parted_new(&p->parted, p->job, err));
  SOTTO_TRY(sotto_params_new(&p->label.head_params, err));
  SOTTO_TRY(sotto_params_new(&p->label.params, err));
done:
  return status;
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  parties *p = shared;
  sotto_status status = SOTTO_OK;
  p->job = job;
  if (sessions[0].local) SOTTO_TRY(sotto_i_holders_deal(p->parts, job, (size_t)job->options->holders, err));
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < sessions[i].link_count; k++)
      sotto_link_set_format(sessions[i].links[k], job->options->wire);
    SOTTO_TRY(sessions[i].role == SOTTO_ROLE_LABEL ? prepare_label(p, &sessions[i], err)
                                                   : prepare_holder(p, &sessions[i], err));
  }
done:
  return status;
}

static void add_link(sotto_i_outcome *out, size_t first, sotto_traffic *to, const sotto_link *link) {
  sotto_exposure list[SOTTO_MOST_EXPOSURES] = {{.name = ""}};
  sotto_traffic_add(to, sotto_link_traffic(link));
  sotto_i_outcome_expose(out, first, list, sotto_link_exposures(link, list));
}

/* What this party received is what the others sent. */
static sotto_traffic turned(sotto_traffic own) {
  sotto_traffic out;
  memcpy(out.sent, own.received, sizeof out.sent);
  memcpy(out.received, own.sent, sizeof out.received);
  return out;
}

static void fill_traffic(sotto_i_outcome *out, const parties *p) {
  const bool label = p->label.session != NULL;
  for (size_t i = 0; i < SOTTO_MOST_HOLDERS; i++)
    if (p->holders[i].data.link != NULL) add_link(out, 0, &out->data_party, p->holders[i].data.link);
  out->data_exposures = out->exposure_count;
  for (size_t i = 0; label && i < p->label.holders; i++)
    add_link(out, out->data_exposures, &out->label_party, p->label.links[i]);
  if (!label) out->label_party = turned(out->data_party);
  if (label && !p->label.session->local) out->data_party = turned(out->label_party);
}

static void fill_quality(sotto_i_outcome *out, const parties *p) {
  const bool label = p->label.session != NULL;
  const sotto_quality none = sotto_i_quality_none();
  out->quality = (sotto_seed_result){.seed = p->job->seed,
                                     .test = label ? p->label.test : none,
                                     .validation = label ? p->label.validation : none,
                                     .baseline_test = label ? p->label.baseline_test : none,
                                     .baseline_validation = label ? p->label.baseline_validation : none};
}

static sotto_status finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  parties *p = shared;
  const sotto_params *sets[SOTTO_MOST_HOLDERS + 2];
  size_t count = 0;
  sotto_status status;
  fill_quality(out, p);
  fill_traffic(out, p);
  for (size_t i = 0; i < SOTTO_MOST_HOLDERS; i++)
    if (p->holders[i].data.params != NULL) sets[count++] = p->holders[i].data.params;
  if (p->label.session != NULL) {
    sets[count++] = p->label.head_params;
    sets[count++] = p->label.params;
    SOTTO_TRY(sotto_i_job_save_matrix(p->job, sotto_i_vesper_scores, &p->label.scores, err));
  }
  SOTTO_TRY(sotto_i_job_save_model(p->job, sets, count, err));
done:
  return status;
}

static void free_roles(void *shared) {
  parties *p = shared;
  for (size_t i = 0; i < SOTTO_MOST_HOLDERS; i++) {
    holder *h = &p->holders[i];
    sotto_split_free(&h->data.split);
    sotto_params_free(h->data.params);
    sotto_matrix_free(&h->features);
    sotto_dataset_free(&p->parts[i]);
  }
  sotto_params_free(p->label.head_params);
  sotto_params_free(p->label.params);
  sotto_matrix_free(&p->label.scores);
  sotto_i_parted_free(&p->parted);
}

static uint32_t member_count(const sotto_i_job *job) {
  return (uint32_t)job->options->holders;
}

const sotto_i_roles sotto_i_vesper_holders_roles = {
    .member = SOTTO_ROLE_HOLDER,
    .size = sizeof(parties),
    .members = member_count,
    .prepare = prepare,
    .run =
        {[SOTTO_ROLE_LABEL] = sotto_i_vesper_counts_label, [SOTTO_ROLE_HOLDER] = sotto_i_vesper_counts_data},
    .finish = finish,
    .release = free_roles};
