/* The one release of a seed: taken from the run folder or made, and paid for. Methods share it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "method.h"

/* Names the release in the ledger, and tells it from one made with other options. */
static void describe(char *out, size_t size, const sotto_i_job *job, size_t width) {
  const sotto_options *o = job->options;
  if (job->contractive != NULL) {
    const sotto_contractive_options *c = &job->contractive->options;
    (void)snprintf(out, size,
                   "%s, last of %u contractive layers of width %zu, C_L %.6g, alpha %.6g, beta %.6g, floor "
                   "%llu, noise %.6g",
                   o->method, c->layers, width, c->contraction, c->graph_weight, c->residual,
                   (unsigned long long)c->degree_floor, job->plan->grid.sigma);
    return;
  }
  (void)snprintf(out, size, "%s, %s, %u noisy layers of width %zu, noise %.6g", o->method, o->aggregator,
                 job->plan->options.layers, width, job->plan->grid.sigma);
}

static sotto_status make(sotto_release **out, const sotto_i_job *job, const sotto_matrix *inputs,
                         const char *description, const char *path, sotto_error *err) {
  sotto_key key = {{0}, SOTTO_KEY_NONE};
  char id[64];
  sotto_status status;
  (void)snprintf(id, sizeof id, "%s-%llu", job->run_id, (unsigned long long)job->seed);
  if (job->options->insecure_seed == SOTTO_UNSET)
    sotto_key_system(&key);
  else
    sotto_key_insecure(&key, job->options->insecure_seed + (job->seed - job->options->seed));
  if (job->contractive != NULL)
    SOTTO_TRY(sotto_contractive_release(out, job->contractive, &job->data->graph, inputs, &key, id,
                                        job->options->out, description, job->observer, err));
  else
    SOTTO_TRY(sotto_release_new(out, job->plan, &job->data->graph, inputs, &key, id, job->options->out,
                                description, job->observer, err));
  SOTTO_TRY(sotto_release_save(*out, path, err));
done:
  sotto_key_wipe(&key);
  return status;
}

static sotto_status load(sotto_release **out, const sotto_i_job *job, const sotto_matrix *inputs,
                         const char *description, const char *path, sotto_error *err) {
  const sotto_pmp_plan *plan = job->plan;
  sotto_status status = sotto_release_load(out, path, err);
  if (status != SOTTO_OK) return status;
  const sotto_pmp_plan *found = sotto_release_plan(*out);
  const sotto_matrix *rows = sotto_release_layer(*out, 0);
  if (found->mu == plan->mu && found->options.layers == plan->options.layers &&
      found->options.aggregator == plan->options.aggregator &&
      found->options.degree_floor == plan->options.degree_floor &&
      found->options.self == plan->options.self && found->options.raw == plan->options.raw &&
      found->options.activation == plan->options.activation && rows->rows == inputs->rows &&
      rows->cols == inputs->cols && strcmp(sotto_release_charge(*out).description, description) == 0)
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: was made with other options; use a new run folder", path);
}

sotto_status sotto_i_job_release(sotto_release **out, const sotto_i_job *job, const sotto_matrix *inputs,
                                 sotto_error *err) {
  char *path = NULL, description[256];
  sotto_status status;
  SOTTO_I_CHECK(job->plan != NULL);
  describe(description, sizeof description, job, inputs->cols);
  SOTTO_TRY(sotto_i_join(&path, job->folder, "release.bin", err));
  if (sotto_i_is_file(path))
    SOTTO_TRY(load(out, job, inputs, description, path, err));
  else
    SOTTO_TRY(make(out, job, inputs, description, path, err));
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_job_pay(sotto_release *release, const sotto_i_job *job, sotto_error *err) {
  if (job->plan->grid.sigma == 0) return SOTTO_OK;
  return sotto_release_pay(release, job->ledger, job->data, err);
}
