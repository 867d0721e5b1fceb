/* Edge level: a client's edges are used only for the number of neighbours of each node in each cell.
 *
 * Clients first train on features alone. The cluster of a training node is then its label, that of any
 * other node its predicted class; or pilots choose clusters of features (cells.h). So clusters follow from
 * features, labels and earlier releases of all clients, and an edge changes one count of each of its ends by
 * 1, in one release or, at a pilot, in another one: l1 sensitivity 2 of all together. The counts stay with
 * their client; its messages are functions of features, labels and the noisy counts. An edge belongs to one
 * client's part, so the whole costs as much as one client. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "cells.h"
#include "federated.h"
#include "nn/readings.h"
#include "protocol.h"
#include "protocols/counts.h"
#include "protocols/table.h"
#include "protocols/unsure.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"
#include "tables.h"
#include "tensor/columns.h"

sotto_status sotto_i_fed_counts_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_laplace_grid grid;
  *out = (sotto_cost){.adjacency = "edge"};
  const bool has_data = job->seat == NULL || job->seat->role == SOTTO_ROLE_CLIENT;
  if (has_data && job->data->graph_count > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "adjacency: edge is for nodes that are classified, not graphs");
  if (has_data && job->data->features.cols == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "adjacency: edge needs features; %s has none, and degrees are private there",
                        job->data->name);
  if (!sotto_i_price_asked(o)) return SOTTO_OK;
  sotto_status status = sotto_i_counts_grid_of(&grid, o->epsilon, err);
  if (status != SOTTO_OK) return status;
  const sotto_mechanism laplace = sotto_laplace_grid_mechanism(&grid, 2, 0);
  sotto_i_cost_add_pure(out, "how many neighbours of each node lie in each cluster", &laplace, o->epsilon);
  return SOTTO_OK;
}

enum { stage_bit = 12 }; /* of the number of a key, above those of clients */

static size_t item_of(const sotto_i_fed_client *c) {
  return sotto_i_cost_item_of(c->federation->job->cost, SOTTO_ACCOUNT_DATA);
}

sotto_status sotto_i_fed_counts_ask(const sotto_i_fed_client *c, sotto_error *err) {
  if (item_of(c) == SOTTO_I_NO_ITEM) return SOTTO_OK;
  return sotto_i_job_ask_part(c->federation->job, item_of(c), 1, &c->data, err);
}

sotto_status sotto_i_fed_counts_make(void *counting, sotto_graph *unused, sotto_matrix *table,
                                     const sotto_key *whole, sotto_error *err) {
  const sotto_i_fed_counting *c = counting;
  const sotto_i_federation *f = c->client->federation;
  sotto_matrix all = {0};
  sotto_key key = {.origin = SOTTO_KEY_NONE};
  sotto_status status;
  (void)unused;
  if (c->known == NULL)
    return sotto_i_fail(
        err, SOTTO_NOT_FOUND,
        "the counts of this seed are gone, and so is the model that they were made by; remove "
        "the seed's folder to begin it again");
  sotto_i_key_derive(&key, whole, (f->seed << 20) ^ ((uint64_t)c->stage << stage_bit) ^ c->client->number);
  SOTTO_TRY(sotto_matrix_new(&all, c->known->nodes, c->known->count, err));
  sotto_i_counts_fill(&all, &c->client->data.graph, c->known, c->levels);
  for (size_t i = 0; c->foreign != NULL && i < all.rows * all.cols; i++) all.data[i] += c->foreign->data[i];
  if (c->rows != NULL) {
    SOTTO_TRY(sotto_i_take_rows(table, &all, c->rows, c->row_count, err));
  } else {
    *table = all;
    all = (sotto_matrix){0};
  }
  if (c->noise != NULL) SOTTO_TRY(sotto_laplace_grid_add_noise(table, c->noise, &key, 0, err));
done:
  sotto_matrix_free(&all);
  sotto_key_wipe(&key);
  return status;
}

/* stage 0: of all nodes that are no pilots. */
static void name_file(char out[64], const sotto_i_fed_client *c, uint32_t stage) {
  if (stage == 0)
    (void)snprintf(out, 64, "counts-%u.sotto", (unsigned)c->number + 1);
  else
    (void)snprintf(out, 64, "pilots-%u-%u.sotto", stage, (unsigned)c->number + 1);
}

sotto_status sotto_i_fed_counts_use(sotto_dataset *out, const sotto_i_fed_client *c, const sotto_i_job *job,
                                    sotto_i_fed_counting *context, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const bool whole = f->apart || job != f->job, pilots = job == f->job && c->cells.pilots.group != NULL;
  /* Pilots of each kind, and all others, are disjoint parts of a client. */
  const uint32_t own = !pilots ? 0 : context->stage > 0 ? context->stage : SOTTO_I_STAGE_OTHERS;
  const uint32_t among = pilots ? (own - 1) * f->clients + c->number + 1 : c->number + 1;
  char file[64], made_with[192];
  name_file(file, c, context->stage);
  (void)snprintf(made_with, sizeof made_with, "%s, counts of a client%s: epsilon %.17g, scale %.17g",
                 f->options->method, f->linked && job == f->job ? " and of edges to others" : "",
                 job->options->epsilon, context->noise == NULL ? 0 : context->noise->scale);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(job),
                   .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                   .file = file,
                   .made_with = made_with,
                   .part = whole ? own : among,
                   .part_data = whole ? NULL : &c->data,
                   .own_part = whole ? 0 : own,
                   .run_key = true},
      .rows = context->rows != NULL ? context->row_count : c->features.rows,
      .context = context,
      .make = sotto_i_fed_counts_make};
  return sotto_i_table_use(out, NULL, &table, err);
}

sotto_status sotto_i_fed_counts_table(sotto_matrix *read, const sotto_matrix *counts,
                                      const sotto_laplace_grid *noise, sotto_i_cluster_kind kind,
                                      sotto_error *err) {
  const sotto_i_counted of = {.noise = noise, .whole = kind == SOTTO_I_BY_FEATURES};
  return sotto_i_readings_append(read, counts, &of, err);
}

sotto_status sotto_i_fed_counts_noise(const sotto_laplace_grid **out, sotto_laplace_grid *grid,
                                      const sotto_options *options, sotto_error *err) {
  *out = NULL;
  if (!sotto_i_price_asked(options)) return SOTTO_OK;
  *out = grid;
  return sotto_i_counts_grid_of(grid, options->epsilon, err);
}

sotto_status sotto_i_fed_counts_levels(uint8_t **out, const sotto_i_fed_client *c, sotto_i_pilot_stage stage,
                                       sotto_error *err) {
  const sotto_i_pilots *p = &c->cells.pilots;
  const size_t nodes = c->features.rows;
  if (p->group == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(out, nodes, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  if (stage != SOTTO_I_STAGE_OTHERS) {
    sotto_i_pilots_levels(*out, nodes, p, stage);
  } else {
    memset(*out, SOTTO_I_DEAF + 1, nodes);
    sotto_i_pilots_spent(*out, nodes, p);
  }
  return SOTTO_OK;
}

/* For the choice of a kind a unit below one neighbour would hide how many there are. */
static const sotto_laplace_grid *noise_of_choice(const sotto_laplace_grid *noise) {
  return noise != NULL && sotto_i_laplace_deviation(noise) >= 1 ? noise : NULL;
}

sotto_status sotto_i_fed_counts_of_pilots(sotto_matrix *read, sotto_matrix *told, sotto_i_fed_client *c,
                                          sotto_i_pilot_stage stage, const sotto_i_clusters *known,
                                          sotto_error *err) {
  const sotto_i_pilots *p = &c->cells.pilots;
  sotto_laplace_grid grid;
  sotto_dataset released = {0};
  uint8_t *levels = NULL;
  sotto_i_fed_counting context = {
      .client = c, .known = known, .stage = stage, .rows = p->nodes[stage], .row_count = p->count[stage]};
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_counts_noise(&context.noise, &grid, c->federation->options, err));
  SOTTO_TRY(sotto_i_fed_counts_levels(&levels, c, stage, err));
  context.levels = levels;
  SOTTO_TRY(sotto_i_fed_counts_use(&released, c, c->federation->job, &context, err));
  SOTTO_TRY(
      sotto_i_fed_counts_table(read, &released.features, context.noise, sotto_i_pilots_kind(stage), err));
  SOTTO_TRY(sotto_i_fed_counts_table(told, &released.features, noise_of_choice(context.noise),
                                     sotto_i_pilots_kind(stage), err));
done:
  sotto_i_free(levels);
  sotto_dataset_free(&released);
  return status;
}

sotto_status sotto_i_fed_counts_open(sotto_dataset *out, const sotto_i_fed_client *c, const char *folder,
                                     uint32_t stage, size_t rows, sotto_i_cluster_kind kind,
                                     sotto_error *err) {
  char file[64], *path = NULL;
  sotto_status status;
  name_file(file, c, stage);
  SOTTO_TRY(sotto_i_join(&path, folder, file, err));
  SOTTO_TRY(sotto_dataset_open(out, path, NULL, err));
  if (out->features.rows != rows || out->features.cols != sotto_i_fed_cell_count(c->federation, kind))
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not of %s", path, c->data.name);
done:
  sotto_i_free(path);
  return status;
}
