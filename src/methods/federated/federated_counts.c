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
#include "protocols/counts.h"
#include "protocols/table.h"
#include "protocols/unsure.h"
#include "recipe.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"
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

/* The first training's model, which says in which cluster a node is. */
static const char clusters_file[] = "clusters.safetensors";

sotto_status sotto_i_fed_counts_ask(const sotto_i_fed_client *c, sotto_error *err) {
  if (item_of(c) == SOTTO_I_NO_ITEM) return SOTTO_OK;
  return sotto_i_job_ask_part(c->federation->job, item_of(c), 1, &c->data, err);
}

/* Sets [features | read]; read NULL: zeros for counts by class. */
static sotto_status set_read(sotto_i_fed_client *c, const sotto_matrix *read, sotto_error *err) {
  const size_t by_class = sotto_i_fed_counts_width(c->federation, SOTTO_I_BY_CLASS);
  const size_t width = read != NULL ? read->cols : by_class, cols = c->federation->inputs - by_class;
  sotto_matrix wide = {0};
  sotto_status status = sotto_matrix_new(&wide, c->features.rows, cols + width, err);
  if (status != SOTTO_OK) return status;
  for (size_t v = 0; v < wide.rows; v++) {
    float *row = wide.data + v * wide.cols;
    memcpy(row, c->features.data + v * c->features.cols, cols * sizeof *row);
    if (read != NULL) memcpy(row + cols, read->data + v * width, width * sizeof *row);
  }
  if (c->tape != NULL) sotto_tape_reset(c->tape); /* the tape borrows what is freed here */
  sotto_matrix_free(&c->features);
  c->features = wide;
  return SOTTO_OK;
}

sotto_status sotto_i_fed_counts_begin(sotto_i_fed_client *c, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_graph_from_pairs(&c->completed, c->data.graph.nodes, NULL, NULL, 0, err));
  SOTTO_TRY(sotto_i_graph_net_operator(&c->spread, &c->model.net.options, &c->completed, err));
  SOTTO_TRY(set_read(c, NULL, err));
done:
  return status;
}

/* Scores by the received model. */
static sotto_status find_scores(sotto_matrix *out, sotto_i_fed_client *c, sotto_error *err) {
  const uint32_t turn = sotto_i_turn_begin(c->federation->turns, c->tape);
  sotto_matrix scores;
  sotto_status status = sotto_i_fed_scores(&scores, c, err);
  if (status == SOTTO_OK) status = sotto_i_table_join(out, &scores, &(sotto_matrix){0}, err);
  sotto_i_turn_end(c->federation->turns, turn, c->tape);
  return status;
}

/* The same; training nodes have their labels instead. */
static sotto_status find_clusters(sotto_matrix *out, const sotto_matrix *scores, const sotto_i_fed_client *c,
                                  sotto_error *err) {
  const sotto_status status = sotto_i_table_join(out, scores, &(sotto_matrix){0}, err);
  for (size_t i = 0; status == SOTTO_OK && i < c->count[SOTTO_PART_TRAIN]; i++) {
    const uint32_t v = c->rows[SOTTO_PART_TRAIN][i];
    for (size_t j = 0; j < out->cols; j++) out->data[v * out->cols + j] = (size_t)c->data.labels[v] == j;
  }
  return status;
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
  SOTTO_TRY(sotto_matrix_new(&all, c->known->rows, c->known->cols, err));
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

/* Counts under the plan of `job`: that of the training, of which the client's data is one part, or that of a
 * release of other data. */
static sotto_status use_counts(sotto_dataset *out, const sotto_i_fed_client *c, const sotto_i_job *job,
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

/* Features from counts of some nodes, in units of their noise (NULL: none). */
static sotto_status read_table(sotto_matrix *read, const sotto_matrix *counts,
                               const sotto_laplace_grid *noise, sotto_i_cluster_kind kind, sotto_error *err) {
  const sotto_i_counted of = {.noise = noise, .whole = kind == SOTTO_I_BY_FEATURES};
  return sotto_i_readings_append(read, counts, &of, err);
}

/* Pilots have what was read of their own counts, if these are of the chosen kind, else zeros. */
static void join_pilots(sotto_matrix *read, const sotto_i_fed_cells *cells) {
  const sotto_i_pilots *p = &cells->pilots;
  const sotto_matrix *own = &p->read[cells->kind];
  const sotto_i_pilot_stage stage = sotto_i_pilots_stage(cells->kind);
  for (size_t v = 0; p->group != NULL && v < read->rows; v++)
    if (p->group[v] != 0) memset(read->data + v * read->cols, 0, read->cols * sizeof *read->data);
  for (size_t i = 0; i < p->count[stage] && own->cols == read->cols; i++)
    memcpy(read->data + p->nodes[stage][i] * read->cols, own->data + i * own->cols,
           own->cols * sizeof *own->data);
}

/* Features from counts of all nodes, after the client's own. */
static sotto_status read_counts(sotto_i_fed_client *c, const sotto_matrix *counts,
                                const sotto_laplace_grid *noise, sotto_error *err) {
  sotto_matrix read = {0};
  sotto_status status;
  SOTTO_TRY(read_table(&read, counts, noise, c->cells.kind, err));
  if (noise != NULL) join_pilots(&read, &c->cells);
  SOTTO_TRY(set_read(c, &read, err));
done:
  sotto_matrix_free(&read);
  return status;
}

/* The noise of a training; NULL without. */
static sotto_status noise_of(const sotto_laplace_grid **out, sotto_laplace_grid *grid,
                             const sotto_options *options, sotto_error *err) {
  *out = NULL;
  if (!sotto_i_price_asked(options)) return SOTTO_OK;
  *out = grid;
  return sotto_i_counts_grid_of(grid, options->epsilon, err);
}

/* Levels of a release (unsure.h): of one group, or of all that are no pilots. NULL: all count alike. */
static sotto_status levels_of(uint8_t **out, const sotto_i_fed_client *c, sotto_i_pilot_stage stage,
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
                                          sotto_i_pilot_stage stage, const sotto_matrix *known,
                                          sotto_error *err) {
  const sotto_i_pilots *p = &c->cells.pilots;
  sotto_laplace_grid grid;
  sotto_dataset released = {0};
  uint8_t *levels = NULL;
  sotto_i_fed_counting context = {
      .client = c, .known = known, .stage = stage, .rows = p->nodes[stage], .row_count = p->count[stage]};
  sotto_status status;
  SOTTO_TRY(noise_of(&context.noise, &grid, c->federation->options, err));
  SOTTO_TRY(levels_of(&levels, c, stage, err));
  context.levels = levels;
  SOTTO_TRY(use_counts(&released, c, c->federation->job, &context, err));
  SOTTO_TRY(read_table(read, &released.features, context.noise, sotto_i_pilots_kind(stage), err));
  SOTTO_TRY(
      read_table(told, &released.features, noise_of_choice(context.noise), sotto_i_pilots_kind(stage), err));
done:
  sotto_i_free(levels);
  sotto_dataset_free(&released);
  return status;
}

/* A kept table. */
static sotto_status open_table(sotto_dataset *out, const sotto_i_fed_client *c, const char *folder,
                               uint32_t stage, size_t rows, sotto_i_cluster_kind kind, sotto_error *err) {
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

/* What was read of the counts of the chosen kind's pilots, whose files the folder has. */
static sotto_status read_pilots(sotto_i_fed_client *c, const char *folder, const sotto_laplace_grid *noise,
                                sotto_error *err) {
  sotto_i_pilots *p = &c->cells.pilots;
  const sotto_i_cluster_kind kind = c->cells.kind;
  const sotto_i_pilot_stage stage = sotto_i_pilots_stage(kind);
  sotto_dataset kept = {0};
  sotto_status status = SOTTO_OK;
  if (p->nodes[stage] == NULL || noise == NULL) return SOTTO_OK;
  SOTTO_TRY(open_table(&kept, c, folder, stage, p->count[stage], kind, err));
  SOTTO_TRY(read_table(&p->read[kind], &kept.features, noise, kind, err));
done:
  sotto_dataset_free(&kept);
  return status;
}

/* The model of the second training, with new optimisers. */
static sotto_status begin_second_training(sotto_i_fed_client *c, sotto_error *err) {
  sotto_status status;
  sotto_tape_reset(c->tape);
  sotto_i_fed_model_free(&c->model);
  SOTTO_TRY(sotto_i_fed_model_of(&c->model, c->federation, c->cells.kind, err));
  SOTTO_TRY(sotto_i_fed_client_room(c, err));
done:
  return status;
}

sotto_status sotto_i_fed_counts_read(sotto_i_fed_client *c, const char *folder, sotto_error *err) {
  sotto_laplace_grid grid;
  const sotto_laplace_grid *noise;
  sotto_dataset released = {0};
  sotto_status status;
  SOTTO_TRY(noise_of(&noise, &grid, c->federation->options, err));
  SOTTO_TRY(sotto_i_fed_cells_find(c, folder, err));
  SOTTO_TRY(read_pilots(c, folder, noise, err));
  SOTTO_TRY(open_table(&released, c, folder, 0, c->features.rows, c->cells.kind, err));
  SOTTO_TRY(begin_second_training(c, err));
  SOTTO_TRY(read_counts(c, &released.features, noise, err));
done:
  sotto_dataset_free(&released);
  return status;
}

static sotto_status load_clusters(sotto_i_fed_client *c, const char *folder, sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_folder_find(&path, folder, clusters_file, err));
  if (sotto_i_is_file(path))
    status = sotto_params_load(&c->model.params, 1, path, err);
  else
    status = sotto_i_fail(err, SOTTO_NOT_FOUND,
                          "%s: is not there, and it says in which cluster a node of other data is; bring it "
                          "back from a copy, or train again",
                          path);
done:
  sotto_i_free(path);
  return status;
}

/* Clusters of the chosen kind. */
static sotto_status find_known(sotto_matrix *out, const sotto_matrix *scores, const sotto_i_fed_client *c,
                               sotto_error *err) {
  if (c->cells.kind == SOTTO_I_BY_FEATURES) return sotto_i_fed_cells_of(out, c, err);
  return find_clusters(out, scores, c, err);
}

sotto_status sotto_i_fed_counts_of_other(sotto_i_fed_client *c, const char *folder,
                                         const sotto_i_job *release, sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_matrix scores = {0}, known = {0}, counts = {0};
  sotto_dataset released = {0};
  sotto_i_fed_counting context = {.client = c, .known = &known, .noise = release == NULL ? NULL : &grid};
  const sotto_key none = {.origin = SOTTO_KEY_NONE};
  sotto_status status;
  SOTTO_TRY(load_clusters(c, folder, err));
  SOTTO_TRY(find_scores(&scores, c, err));
  SOTTO_TRY(sotto_i_fed_cells_find(c, folder, err));
  sotto_i_pilots_free(&c->cells.pilots); /* those of the training */
  SOTTO_TRY(find_known(&known, &scores, c, err));
  SOTTO_TRY(begin_second_training(c, err));
  if (release == NULL) {
    SOTTO_TRY(sotto_i_fed_counts_make(&context, NULL, &counts, &none, err));
    SOTTO_TRY(read_counts(c, &counts, NULL, err));
    goto done;
  }
  SOTTO_TRY(sotto_i_counts_grid_of(&grid, release->options->epsilon, err));
  SOTTO_TRY(use_counts(&released, c, release, &context, err));
  SOTTO_TRY(read_counts(c, &released.features, &grid, err));
done:
  sotto_matrix_free(&scores);
  sotto_matrix_free(&known);
  sotto_matrix_free(&counts);
  sotto_dataset_free(&released);
  return status;
}

sotto_status sotto_i_fed_counts_narrow(sotto_options *options, const char *file, sotto_error *err) {
  (void)file;
  return sotto_i_fed_linked_asked(options) ? sotto_options_set(options, "partition", "alike", err) : SOTTO_OK;
}

static sotto_status receive_clusters(sotto_matrix *scores, sotto_i_fed_client *c, sotto_error *err) {
  const sotto_expectation expected = {
      .name = "clusters", .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = c->model.size};
  sotto_status status;
  SOTTO_TRY(sotto_link_receive(c->link, &c->global, &expected, err));
  sotto_i_fed_model_unpack(&c->model, c->global.data);
  if (c->federation->apart || c->number == 0) { /* all clients of one process have one folder */
    const sotto_params *sets[] = {c->model.params};
    SOTTO_TRY(sotto_i_job_save_params(c->federation->job, clusters_file, sets, 1, err));
  }
  SOTTO_TRY(find_scores(scores, c, err));
done:
  return status;
}

/* Pilots of the other kind have no counts to train on. Their rows come after the others. */
static void leave_out_pilots(sotto_i_fed_client *c) {
  const sotto_i_pilots *p = &c->cells.pilots;
  const uint8_t stage = (uint8_t)sotto_i_pilots_stage(c->cells.kind);
  uint32_t *rows = c->rows[SOTTO_PART_TRAIN];
  const size_t all = c->count[SOTTO_PART_TRAIN];
  size_t kept = 0;
  if (p->group == NULL) return;
  for (size_t i = 0; i < all; i++) {
    const uint32_t v = rows[i];
    if (p->group[v] != 0 && p->group[v] != stage) continue;
    rows[i] = rows[kept];
    rows[kept++] = v;
  }
  c->left_out = all - kept;
  c->count[SOTTO_PART_TRAIN] = kept;
}

/* Without noise everything is counted, whoever was a pilot. */
static sotto_status spend_pilots(sotto_i_fed_client *c, bool noisy, sotto_error *err) {
  if (!noisy) sotto_i_pilots_free(&c->cells.pilots);
  leave_out_pilots(c);
  return begin_second_training(c, err);
}

static sotto_status prepare_counts(sotto_matrix *known, sotto_matrix *foreign, sotto_i_fed_client *c,
                                   bool noisy, sotto_error *err) {
  sotto_matrix scores = {0}, by_class = {0};
  sotto_status status;
  SOTTO_TRY(receive_clusters(&scores, c, err));
  SOTTO_TRY(find_clusters(&by_class, &scores, c, err));
  SOTTO_TRY(sotto_i_fed_cells_choose(c, &scores, &by_class, err));
  SOTTO_TRY(find_known(known, &scores, c, err));
  SOTTO_TRY(spend_pilots(c, noisy, err));
  if (c->federation->linked) SOTTO_TRY(sotto_i_fed_linked_exchange(foreign, c, known, err));
done:
  sotto_matrix_free(&scores);
  sotto_matrix_free(&by_class);
  return status;
}

sotto_status sotto_i_fed_counts_resume(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  sotto_laplace_grid grid;
  const sotto_laplace_grid *noise;
  sotto_status status;
  SOTTO_TRY(noise_of(&noise, &grid, f->options, err));
  SOTTO_TRY(sotto_i_fed_cells_find(c, f->job->folder, err));
  SOTTO_TRY(read_pilots(c, f->job->folder, noise, err));
  SOTTO_TRY(spend_pilots(c, noise != NULL, err));
done:
  return status;
}

sotto_status sotto_i_fed_counts_release(sotto_i_fed_client *c, bool resumed, sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_matrix known = {0}, foreign = {0};
  sotto_dataset released = {0};
  uint8_t *levels = NULL;
  sotto_i_fed_counting context = {.client = c, .known = resumed ? NULL : &known};
  sotto_status status;
  SOTTO_TRY(noise_of(&context.noise, &grid, c->federation->options, err));
  if (!resumed) SOTTO_TRY(prepare_counts(&known, &foreign, c, context.noise != NULL, err));
  if (foreign.cols > 0) context.foreign = &foreign;
  SOTTO_TRY(levels_of(&levels, c, SOTTO_I_STAGE_OTHERS, err));
  context.levels = levels;
  SOTTO_TRY(use_counts(&released, c, c->federation->job, &context, err));
  SOTTO_TRY(read_counts(c, &released.features, context.noise, err));
done:
  sotto_i_free(levels);
  sotto_matrix_free(&known);
  sotto_matrix_free(&foreign);
  sotto_dataset_free(&released);
  return status;
}
