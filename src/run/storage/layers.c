/* Releases of a job: layers of message passing as artifacts, with their owners. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/base.h"
#include "inside/pmp.h"
#include "pmp/contractive.h"
#include "pmp/publish.h"
#include "pmp/release.h"
#include "pmp/release_ranks.h"
#include "release/artifact.h"
#include "run/method/method.h"
#include "run/storage/checkpoints.h"

static void record_draw(void *checkpoints, const char *token) {
  sotto_i_checkpoints_drawn(checkpoints, token);
}

sotto_i_release_owner sotto_i_job_owner(const sotto_i_job *job) {
  return (sotto_i_release_owner){.options = job->options,
                                 .data = job->data,
                                 .cost = job->cost,
                                 .ledger = job->ledger,
                                 .run_id = job->run_id,
                                 .folder = job->folder,
                                 .seed = job->seed,
                                 .kept = job->kept,
                                 .ranks = sotto_i_job_ranks(job),
                                 .observer = job->observer,
                                 .probe = job->probe,
                                 .drawn = record_draw,
                                 .context = job->checkpoints};
}

sotto_status sotto_i_job_ask_part(const sotto_i_job *job, size_t item, uint64_t times,
                                  const sotto_dataset *part, sotto_error *err) {
  const sotto_i_release_owner owner = sotto_i_job_owner(job);
  return sotto_i_cost_ask_part(&owner, item, times, part, err);
}

void sotto_i_job_noise_key(sotto_key *key, const sotto_i_job *job) {
  const sotto_i_release_owner owner = sotto_i_job_owner(job);
  sotto_i_release_noise_key(key, &owner);
}

/* Description of the release in the ledger. */
static void describe(char *out, size_t size, const sotto_i_job *job, const sotto_i_release_request *request) {
  size_t width = request->inputs->cols;
  const sotto_options *o = job->options;
  const sotto_protection *p = &job->plan->options.protection;
  const char *floored = p->nonnegative ? ", floored at 0" : "";
  char level[96] = "";
  if (p->level == SOTTO_LEVEL_NODE)
    (void)snprintf(level, sizeof level, ", node level, degrees at most %llu, rows clipped to %.6g%s",
                   (unsigned long long)p->most, p->row_clip, floored);
  if (p->level == SOTTO_LEVEL_ROW)
    (void)snprintf(level, sizeof level, ", node level, own rows alone%s", floored);
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
                      request->of_label ? " of the label party's edges" : "", sotto_layer_name(o->aggregator),
                      job->plan->options.layers, width, job->plan->grid.sigma, level);
  if (job->last_alone)
    (void)snprintf(out + used, size - (size_t)used, ", after %llu hops without noise, degrees at most %llu",
                   (unsigned long long)o->layers, (unsigned long long)o->max_degree);
  if (sotto_i_job_releases(o) > 1)
    (void)snprintf(out + used, size - (size_t)used, ", release %llu of %llu",
                   (unsigned long long)(request->round + 1), (unsigned long long)sotto_i_job_releases(o));
}

uint64_t sotto_i_job_releases(const sotto_options *options) {
  const sotto_i_variant *variant = sotto_i_variant_of(options);
  return variant->releases == NULL ? 1 : variant->releases(options);
}

/* Key of one release: each release of a seed has its own noise, even if a fixed seed replaces the system's
 * key. */
static void noise_key(sotto_key *key, const sotto_key *whole, const sotto_i_release_request *request) {
  enum { label_keys = 128 }; /* larger than any number of rounds */
  uint64_t number = request->round + (request->of_label ? label_keys : 0);
  *key = *whole;
  if (number > 0) sotto_i_key_derive(key, whole, number);
}

sotto_status sotto_i_job_compute(sotto_release **out, const sotto_i_job *job,
                                 const sotto_i_release_request *request, const sotto_key *key, const char *id,
                                 const char *description, sotto_error *err) {
  const sotto_graph *graph = request->of_label ? job->label_graph : &job->data->graph;
  const char *run = job->options->out;
  if (job->contractive != NULL)
    return sotto_contractive_release(out, job->contractive, &job->data->graph, request->inputs, key, id, run,
                                     description, job->observer, err);
  if (job->last_alone)
    return sotto_i_publish_release(out, job->plan, (uint32_t)job->options->layers, graph, request->inputs,
                                   key, id, run, description, job->observer, err);
  return sotto_i_release_weighted(out, job->plan, graph, request->inputs, request->weights, key, id, run,
                                  description, job->observer, err);
}

typedef struct releasing {
  const sotto_i_job *job;
  const sotto_i_release_request *request;
  const char *description;
  sotto_release **out;
} releasing;

static sotto_status compute_and_save(const releasing *r, const char *path, const sotto_key *key,
                                     sotto_error *err) {
  sotto_release *made = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_job_compute(&made, r->job, r->request, key, "", r->description, err));
  SOTTO_TRY(sotto_release_save(made, path, err));
done:
  sotto_release_free(made);
  return status;
}

/* Writes into the memory of the inputs if they are no longer needed. */
static sotto_status write_contractive(const releasing *r, const char *path, const sotto_key *key,
                                      sotto_error *err) {
  const sotto_i_job *job = r->job;
  sotto_matrix inputs = *r->request->inputs;
  sotto_release *written = NULL;
  const sotto_status status =
      sotto_i_contractive_write(&written, path, job->contractive, &job->data->graph, &inputs, job->folder,
                                key, "", job->options->out, r->description, job->observer, err);
  sotto_release_free(written);
  return status;
}

static sotto_status write_contractive_ranks(const releasing *r, const char *path, const sotto_i_block *block,
                                            const sotto_key *key, sotto_error *err) {
  sotto_matrix inputs = *r->request->inputs;
  SOTTO_I_CHECK(r->request->spent);
  return sotto_i_contractive_write_ranks(path, r->job->contractive, block, &inputs, key, r->job->options->out,
                                         r->description, r->job->observer, err);
}

/* Plain layers are written one by one as they are made, so that memory holds one layer. */
static sotto_status make_release(void *context, const char *path, const sotto_key *whole, sotto_error *err) {
  const releasing *r = context;
  const sotto_i_job *job = r->job;
  sotto_release *written = NULL;
  sotto_key key;
  sotto_status status;
  const sotto_i_block *block = sotto_i_block_of(job->data);
  noise_key(&key, whole, r->request);
  if (block != NULL && job->contractive != NULL) {
    status = write_contractive_ranks(r, path, block, &key, err);
  } else if (block != NULL) {
    SOTTO_I_CHECK(r->request->weights == NULL && !job->last_alone);
    status = sotto_i_release_write_ranks(path, job->plan, block, r->request->inputs, &key, job->options->out,
                                         r->description, job->observer, err);
  } else if (job->contractive != NULL && r->request->spent) {
    status = write_contractive(r, path, &key, err);
  } else if (job->contractive != NULL || r->request->weights != NULL || job->last_alone) {
    status = compute_and_save(r, path, &key, err);
  } else {
    const sotto_graph *graph = r->request->of_label ? job->label_graph : &job->data->graph;
    status = sotto_release_write(&written, path, job->plan, graph, r->request->inputs, &key, "",
                                 job->options->out, r->description, job->observer, err);
  }
  sotto_release_free(written);
  sotto_key_wipe(&key);
  return status;
}

/* For audits: the first released layer with its noise, before scaling and activation. It is made by the
 * same code as the release, in a file next to those of the seed. */
static sotto_status show_release(void *context, sotto_graph *unused, sotto_matrix *table,
                                 const sotto_key *key, sotto_error *err) {
  const releasing *r = context;
  sotto_pmp_plan plan = *r->job->plan;
  sotto_i_job job = *r->job;
  const releasing raw = {&job, r->request, r->description, NULL};
  sotto_release *made = NULL;
  char *path = NULL;
  sotto_status status;
  (void)unused;
  plan.options.raw = true;
  plan.options.activation = SOTTO_ACTIVATION_NONE;
  job.plan = &plan;
  job.observer = NULL;
  SOTTO_TRY(sotto_i_join(&path, job.folder, "audited.bin", err));
  SOTTO_TRY(make_release((void *)(uintptr_t)&raw, path, key, err));
  SOTTO_TRY(sotto_release_load(&made, path, err));
  const sotto_matrix *layer = sotto_release_layer(made, job.last_alone ? plan.options.layers : 1);
  SOTTO_TRY(sotto_matrix_new(table, layer->rows, layer->cols, err));
  memcpy(table->data, layer->data, layer->rows * layer->cols * sizeof(float));
done:
  if (path != NULL) (void)remove(path);
  sotto_i_free(path);
  sotto_release_free(made);
  return status;
}

/* For audits, layer by layer: the stored layer is the input of the next one. */
static sotto_status compare_layer(void *context, const char *path, uint32_t layer, sotto_matrix *kept,
                                  sotto_matrix *exact, bool *scaled, sotto_error *err) {
  const releasing *r = context;
  const uint32_t first = r->job->last_alone ? r->job->plan->options.layers : 1;
  const uint32_t number = first + layer - 1;
  sotto_pmp_plan plan = *r->job->plan;
  sotto_i_job job = *r->job;
  sotto_i_release_request request = *r->request;
  sotto_release *file = NULL, *clean = NULL;
  sotto_key key;
  sotto_status status;
  sotto_key_system(&key);
  SOTTO_TRY(sotto_release_load(&file, path, err));
  const sotto_pmp_options *o = &file->plan.options;
  *scaled = !o->raw;
  if (number > o->layers || o->activation != SOTTO_ACTIVATION_NONE) goto done;
  plan.grid.sigma = 0;
  plan.options.raw = true;
  if (!job.last_alone) plan.options.layers = 1;
  if (number > first) request.inputs = &file->layers[number - 1];
  if (request.weights != NULL) request.weights += number - 1;
  job.plan = &plan;
  job.observer = NULL;
  SOTTO_TRY(sotto_i_job_compute(&clean, &job, &request, &key, "", "", err));
  *kept = file->layers[number];
  *exact = clean->layers[job.last_alone ? number : 1];
  file->layers[number] = (sotto_matrix){0};
  clean->layers[job.last_alone ? number : 1] = (sotto_matrix){0};
done:
  sotto_key_wipe(&key);
  sotto_release_free(file);
  sotto_release_free(clean);
  return status;
}

/* Contractive layers are hidden in the last one, and overwrite their inputs. */
static bool can_show(const sotto_i_job *job) {
  return job->contractive == NULL && sotto_i_block_of(job->data) == NULL;
}

static sotto_status load_release(void *context, const char *path, const sotto_i_receipt *receipt,
                                 sotto_error *err) {
  const releasing *r = context;
  return sotto_i_release_load_charged(r->out, path, r->job->plan, receipt, r->request->by_rows, err);
}

void sotto_i_release_file(char out[40], const sotto_options *options, uint64_t round, bool of_label) {
  const char *whose = of_label ? "label-" : "";
  (void)snprintf(out, 40, "%srelease.bin", whose);
  if (sotto_i_job_releases(options) > 1)
    (void)snprintf(out, 40, "%srelease-%llu.bin", whose, (unsigned long long)(round + 1));
}

/* Describes everything that determines the release except its input rows, which follow from data, options
 * and earlier releases. */
static void describe_fully(char *out, size_t size, const sotto_i_job *job, const char *description) {
  const sotto_pmp_plan *p = job->plan;
  const sotto_pmp_options *o = &p->options;
  (void)snprintf(out, size,
                 "%s; aggregator %d, layers %u, floor %llu, self %d, raw %d, activation %d, level %d, most "
                 "%llu, row clip %.17g, mu %.17g, rows %llu",
                 description, (int)o->aggregator, (unsigned)o->layers, (unsigned long long)o->degree_floor,
                 o->self, o->raw, (int)o->activation, (int)o->protection.level,
                 (unsigned long long)o->protection.most, o->protection.row_clip, p->mu,
                 (unsigned long long)job->data->graph.nodes);
}

sotto_status sotto_i_job_release(sotto_release **out, const sotto_i_job *job,
                                 const sotto_i_release_request *request, sotto_error *err) {
  char description[256], made_with[640], file[40];
  SOTTO_I_CHECK(job->plan != NULL);
  releasing r = {job, request, description, out};
  describe(description, sizeof description, job, request);
  describe_fully(made_with, sizeof made_with, job, description);
  sotto_i_release_file(file, job->options, request->round, request->of_label);
  const sotto_i_artifact artifact = {.owner = sotto_i_job_owner(job),
                                     .item = job->plan->grid.sigma > 0 ? request->item : SOTTO_I_NO_ITEM,
                                     .number = request->number,
                                     .kept = request->kept,
                                     .file = file,
                                     .made_with = made_with,
                                     .description = description,
                                     .context = &r,
                                     .make = make_release,
                                     .show = can_show(job) ? show_release : NULL,
                                     .compare = can_show(job) ? compare_layer : NULL,
                                     .load = load_release};
  return sotto_i_artifact_use(&artifact, err);
}
