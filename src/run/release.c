/* The releases of a seed: taken from the run folder or made, and paid for; one, but in vesper. Methods share
 * it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "cost.h"
#include "method.h"
#include "pmp/publish.h"
#include "pmp/release.h"

/* Names the release in the ledger, and tells it from one made with other options. */
static void describe(char *out, size_t size, const sotto_i_job *job, const sotto_i_release_request *request) {
  size_t width = request->inputs->cols;
  const sotto_options *o = job->options;
  const sotto_protection *p = &job->plan->options.protection;
  char level[80] = "";
  if (p->level == SOTTO_LEVEL_NODE)
    (void)snprintf(level, sizeof level, ", node level, degrees at most %llu, rows cut to %.6g",
                   (unsigned long long)p->most, p->row_clip);
  if (p->level == SOTTO_LEVEL_ROW) (void)snprintf(level, sizeof level, ", node level, own rows alone");
  if (job->contractive != NULL) {
    const sotto_contractive_options *c = &job->contractive->options;
    (void)snprintf(out, size,
                   "%s, last of %u contractive layers of width %zu, C_L %.6g, alpha %.6g, beta %.6g, floor "
                   "%llu, noise %.6g%s",
                   o->method, c->layers, width, c->contraction, c->graph_weight, c->residual,
                   (unsigned long long)c->degree_floor, job->plan->grid.sigma, level);
    return;
  }
  int used = snprintf(out, size, "%s%s, %s, %u noisy layers of width %zu, noise %.6g%s", o->method,
                      request->of_label ? " of the label party's edges" : "", o->aggregator,
                      job->plan->options.layers, width, job->plan->grid.sigma, level);
  if (sotto_i_publishes(o, "vfgnn"))
    (void)snprintf(out + used, size - (size_t)used, ", after %llu hops without noise, degrees at most %llu",
                   (unsigned long long)o->layers, (unsigned long long)o->max_degree);
  if (sotto_i_job_releases(o) > 1)
    (void)snprintf(out + used, size - (size_t)used, ", release %llu of %llu",
                   (unsigned long long)(request->round + 1), (unsigned long long)sotto_i_job_releases(o));
}

uint64_t sotto_i_job_releases(const sotto_options *options) {
  if (sotto_i_has_holders(options) && sotto_i_variant_of(options)->noisy)
    return options->epochs; /* each holder's rows, in every epoch */
  return sotto_i_vesper_at_node_level(options) ? 2 : options->releases;
}

void sotto_i_release_id(char id[SOTTO_I_ID_SIZE], const sotto_options *options, const char *run_id,
                        uint64_t seed, uint64_t round, bool of_label) {
  int used = snprintf(id, SOTTO_I_ID_SIZE, "%.32s-%llu%s", run_id, (unsigned long long)seed,
                      of_label ? "-label" : "");
  if (sotto_i_vesper_at_node_level(options))
    (void)snprintf(id + used, SOTTO_I_ID_SIZE - (size_t)used, "-%llu", (unsigned long long)round);
  else if (sotto_i_job_releases(options) > 1)
    (void)snprintf(id + used, SOTTO_I_ID_SIZE - (size_t)used, "-r%llu", (unsigned long long)(round + 1));
}

/* Each release of a seed has noise of its own, also when a fixed seed stands for the system's key. */
static void noise_key(sotto_key *key, const sotto_i_job *job, const sotto_i_release_request *request) {
  enum { label_keys = 128 }; /* above every number of rounds */
  uint64_t number = request->round + (request->of_label ? label_keys : 0);
  sotto_i_job_noise_key(key, job);
  if (number > 0) {
    sotto_key whole = *key;
    sotto_i_key_derive(key, &whole, number);
    sotto_key_wipe(&whole);
  }
}

sotto_status sotto_i_job_compute(sotto_release **out, const sotto_i_job *job,
                                 const sotto_i_release_request *request, const sotto_key *key, const char *id,
                                 const char *description, sotto_error *err) {
  const sotto_graph *graph = request->of_label ? job->label_graph : &job->data->graph;
  const char *run = job->options->out;
  if (job->contractive != NULL)
    return sotto_contractive_release(out, job->contractive, &job->data->graph, request->inputs, key, id, run,
                                     description, job->observer, err);
  if (sotto_i_publishes(job->options, "vfgnn"))
    return sotto_i_publish_release(out, job->plan, (uint32_t)job->options->layers, graph, request->inputs,
                                   key, id, run, description, job->observer, err);
  return sotto_i_release_weighted(out, job->plan, graph, request->inputs, request->weights, key, id, run,
                                  description, job->observer, err);
}

static sotto_status make(sotto_release **out, const sotto_i_job *job, const sotto_i_release_request *request,
                         const char *description, const char *path, sotto_error *err) {
  sotto_key key = {{0}, SOTTO_KEY_NONE};
  char id[SOTTO_I_ID_SIZE];
  sotto_status status;
  sotto_i_release_id(id, job->options, job->run_id, job->seed, request->round, request->of_label);
  noise_key(&key, job, request);
  SOTTO_TRY(sotto_i_job_compute(out, job, request, &key, id, description, err));
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
  if (found->mu == plan->mu && found->options.protection.level == plan->options.protection.level &&
      found->options.protection.most == plan->options.protection.most &&
      found->options.protection.row_clip == plan->options.protection.row_clip &&
      found->options.layers == plan->options.layers &&
      found->options.aggregator == plan->options.aggregator &&
      found->options.degree_floor == plan->options.degree_floor &&
      found->options.self == plan->options.self && found->options.raw == plan->options.raw &&
      found->options.activation == plan->options.activation && rows->rows == inputs->rows &&
      rows->cols == inputs->cols && strcmp(sotto_release_charge(*out).description, description) == 0)
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: was made with other options; use a new run folder", path);
}

void sotto_i_release_file(char out[40], const sotto_options *options, uint64_t round, bool of_label) {
  const char *whose = of_label ? "label-" : "";
  (void)snprintf(out, 40, "%srelease.bin", whose);
  if (sotto_i_job_releases(options) > 1)
    (void)snprintf(out, 40, "%srelease-%llu.bin", whose, (unsigned long long)(round + 1));
}

sotto_status sotto_i_job_release(sotto_release **out, const sotto_i_job *job,
                                 const sotto_i_release_request *request, sotto_error *err) {
  char *path = NULL, description[256], file[40];
  sotto_status status;
  SOTTO_I_CHECK(job->plan != NULL);
  describe(description, sizeof description, job, request);
  sotto_i_release_file(file, job->options, request->round, request->of_label);
  SOTTO_TRY(sotto_i_join(&path, job->folder, file, err));
  if (sotto_i_is_file(path))
    SOTTO_TRY(load(out, job, request->inputs, description, path, err));
  else
    SOTTO_TRY(make(out, job, request, description, path, err));
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_job_pay(sotto_release *release, const sotto_i_job *job, sotto_error *err) {
  if (job->plan->grid.sigma == 0) return SOTTO_OK;
  return sotto_release_pay(release, job->ledger, job->data, err);
}
