/* Publications of a holder with noise: an artifact for each step of each epoch, stored and sent again after
 * a restart. Steps of one epoch publish different nodes, and use edges among these only; an edge belongs to
 * one holder. So draws of one epoch are of disjoint parts, and cost one release together (docs/vfgnn.md). */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "party/wire/link/transport.h"
#include "pmp/publish.h"
#include "pmp/release.h"
#include "protocols/table.h"
#include "release/artifact.h"
#include "tensor/columns.h"
#include "vfgnn.h"

typedef struct publication {
  const sotto_i_vfgnn_holder *holder;
  sotto_matrix *rows;
} publication;

static void name_file(char out[64], const sotto_i_vfgnn_holder *h, uint64_t epoch, size_t step) {
  (void)snprintf(out, 64, "published-%zu-%llu-%zu.sotto", h->index + 1, (unsigned long long)epoch + 1,
                 step + 1);
}

/* Several holders share an account if they are in one process. */
static uint32_t part_of(const sotto_i_vfgnn_holder *h) {
  const sotto_i_vfgnn *c = h->shared;
  const size_t holder = c->together ? h->index : 0, holders = c->together ? c->holders : 1;
  return holders * h->batch.steps == 1 ? 0 : (uint32_t)(holder * h->batch.steps + h->batch.step + 1);
}

static sotto_status make_publication(void *context, sotto_graph *graph, sotto_matrix *table,
                                     const sotto_key *whole, sotto_error *err) {
  const publication *p = context;
  const sotto_i_vfgnn_holder *h = p->holder;
  sotto_release *release = NULL;
  sotto_key mine, key;
  sotto_status status;
  (void)graph;
  sotto_i_key_derive(&mine, whole, h->index + 1);
  sotto_i_key_derive(&key, &mine, h->batch.number + 1);
  (void)sotto_i_rows_to_finite(
      p->rows); /* weights learn from the server's gradients, and rows follow from edges */
  for (size_t i = 0; i < p->rows->rows * p->rows->cols; i++)
    p->rows->data[i] *= 1 - 0x1p-20F; /* strictly within the unit ball */
  SOTTO_TRY(sotto_i_publish_clean(&release, h->shared->job->plan, NULL, p->rows, &key, "", "", "", err));
  *table = release->layers[1];
  release->layers[1] = (sotto_matrix){0};
done:
  sotto_key_wipe(&mine);
  sotto_key_wipe(&key);
  sotto_release_free(release);
  return status;
}

/* The rows before noise: `make` has scaled them into the unit ball. */
static sotto_status exact_rows(void *context, sotto_matrix *table, sotto_error *err) {
  const publication *p = context;
  return sotto_i_table_join(table, p->rows, &(sotto_matrix){0}, err);
}

sotto_status sotto_i_vfgnn_publish(sotto_i_vfgnn_holder *h, sotto_matrix *rows, uint64_t epoch,
                                   sotto_error *err) {
  const sotto_i_job *job = h->shared->job;
  publication p = {h, rows};
  sotto_dataset published;
  sotto_i_receipt receipt;
  char file[64], made_with[256], description[160];
  sotto_status status;
  name_file(file, h, epoch, h->batch.step);
  (void)snprintf(description, sizeof description, "vfgnn, rows of all nodes, epoch %llu, noise %.6g",
                 (unsigned long long)(epoch + 1), job->plan->grid.sigma);
  (void)snprintf(made_with, sizeof made_with, "%s; %zu rows of %zu, step %zu of %zu, mu %.17g, noise %.17g",
                 description, rows->rows, rows->cols, h->batch.step + 1, h->batch.steps, job->plan->mu,
                 job->plan->grid.sigma);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(job),
                   .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                   .number = epoch,
                   .file = file,
                   .made_with = made_with,
                   .description = description,
                   .part = part_of(h),
                   .processed = true}, /* normalised rows */
      .rows = rows->rows,
      .context = &p,
      .make = make_publication,
      .exact = exact_rows};
  SOTTO_TRY(sotto_i_table_use(&published, &receipt, &table, err));
  status = sotto_i_link_send_charged(h->peers.dealer, "embeddings", &published.features, &receipt, err);
  sotto_dataset_free(&published);
done:
  return status;
}

static void remove_before(sotto_i_vfgnn_holder *h, uint64_t epoch) {
  char file[64];
  for (; h->forgotten < epoch; h->forgotten++)
    for (size_t step = 0; step < h->batch.steps; step++) {
      name_file(file, h, h->forgotten, step);
      sotto_i_artifact_forget(h->shared->job->folder, file);
    }
}

void sotto_i_vfgnn_forget_published(sotto_i_vfgnn_holder *h) {
  const sotto_i_checkpoints *c = h->checkpoints;
  sotto_i_checkpoint_list list;
  if (!h->shared->noisy || c == NULL) return;
  sotto_i_checkpoints_found(&list, c->folder, c->role);
  remove_before(h, list.of[SOTTO_I_KEPT_CHECKPOINTS - 1].number);
}

void sotto_i_vfgnn_forget_all_published(sotto_i_vfgnn_holder *h) {
  if (h->shared->noisy) remove_before(h, h->shared->job->options->epochs);
}
