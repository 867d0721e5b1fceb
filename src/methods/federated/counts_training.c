/* Edge level, between the two trainings of a client: from the model of features alone to counts, and to the
 * features that the second training reads. */
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

/* The first training's model, which says in which cluster a node is. */
static const char clusters_file[] = "clusters.safetensors";

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
static sotto_status find_clusters(sotto_i_clusters *out, const sotto_matrix *scores,
                                  const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_status status = sotto_i_clusters_largest(out, scores, err);
  for (size_t i = 0; status == SOTTO_OK && i < c->count[SOTTO_PART_TRAIN]; i++) {
    const uint32_t v = c->rows[SOTTO_PART_TRAIN][i];
    out->of[v] = (uint16_t)c->data.labels[v];
  }
  return status;
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
  SOTTO_TRY(sotto_i_fed_counts_table(&read, counts, noise, c->cells.kind, err));
  if (noise != NULL) join_pilots(&read, &c->cells);
  SOTTO_TRY(set_read(c, &read, err));
done:
  sotto_matrix_free(&read);
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
  SOTTO_TRY(sotto_i_fed_counts_open(&kept, c, folder, stage, p->count[stage], kind, err));
  SOTTO_TRY(sotto_i_fed_counts_table(&p->read[kind], &kept.features, noise, kind, err));
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
  SOTTO_TRY(sotto_i_fed_counts_noise(&noise, &grid, c->federation->options, err));
  SOTTO_TRY(sotto_i_fed_cells_find(c, folder, err));
  SOTTO_TRY(read_pilots(c, folder, noise, err));
  SOTTO_TRY(sotto_i_fed_counts_open(&released, c, folder, 0, c->features.rows, c->cells.kind, err));
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
static const sotto_i_clusters *known_of(const sotto_i_fed_client *c, const sotto_i_clusters *by_class) {
  return c->cells.kind == SOTTO_I_BY_FEATURES ? &c->cells.by_features : by_class;
}

sotto_status sotto_i_fed_counts_of_other(sotto_i_fed_client *c, const char *folder,
                                         const sotto_i_job *release, sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_matrix scores = {0}, counts = {0};
  sotto_i_clusters by_class = {.of = NULL};
  sotto_dataset released = {0};
  sotto_i_fed_counting context = {.client = c, .noise = release == NULL ? NULL : &grid};
  const sotto_key none = {.origin = SOTTO_KEY_NONE};
  sotto_status status;
  SOTTO_TRY(load_clusters(c, folder, err));
  SOTTO_TRY(find_scores(&scores, c, err));
  SOTTO_TRY(sotto_i_fed_cells_find(c, folder, err));
  sotto_i_pilots_free(&c->cells.pilots); /* those of the training */
  SOTTO_TRY(find_clusters(&by_class, &scores, c, err));
  context.known = known_of(c, &by_class);
  SOTTO_TRY(begin_second_training(c, err));
  if (release == NULL) {
    SOTTO_TRY(sotto_i_fed_counts_make(&context, NULL, &counts, &none, err));
    SOTTO_TRY(read_counts(c, &counts, NULL, err));
    goto done;
  }
  SOTTO_TRY(sotto_i_counts_grid_of(&grid, release->options->epsilon, err));
  SOTTO_TRY(sotto_i_fed_counts_use(&released, c, release, &context, err));
  SOTTO_TRY(read_counts(c, &released.features, &grid, err));
done:
  sotto_matrix_free(&scores);
  sotto_i_clusters_free(&by_class);
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

static sotto_status prepare_counts(sotto_i_clusters *by_class, sotto_matrix *foreign, sotto_i_fed_client *c,
                                   bool noisy, sotto_error *err) {
  sotto_matrix scores = {0};
  sotto_status status;
  SOTTO_TRY(receive_clusters(&scores, c, err));
  SOTTO_TRY(find_clusters(by_class, &scores, c, err));
  SOTTO_TRY(sotto_i_fed_cells_choose(c, &scores, by_class, err));
  SOTTO_TRY(spend_pilots(c, noisy, err));
  if (c->federation->linked) SOTTO_TRY(sotto_i_fed_linked_exchange(foreign, c, known_of(c, by_class), err));
done:
  sotto_matrix_free(&scores);
  return status;
}

sotto_status sotto_i_fed_counts_resume(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  sotto_laplace_grid grid;
  const sotto_laplace_grid *noise;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_counts_noise(&noise, &grid, f->options, err));
  SOTTO_TRY(sotto_i_fed_cells_find(c, f->job->folder, err));
  SOTTO_TRY(read_pilots(c, f->job->folder, noise, err));
  SOTTO_TRY(spend_pilots(c, noise != NULL, err));
done:
  return status;
}

sotto_status sotto_i_fed_counts_release(sotto_i_fed_client *c, bool resumed, sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_i_clusters by_class = {.of = NULL};
  sotto_matrix foreign = {0};
  sotto_dataset released = {0};
  uint8_t *levels = NULL;
  sotto_i_fed_counting context = {.client = c};
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_counts_noise(&context.noise, &grid, c->federation->options, err));
  if (!resumed) SOTTO_TRY(prepare_counts(&by_class, &foreign, c, context.noise != NULL, err));
  if (!resumed) context.known = known_of(c, &by_class);
  if (foreign.cols > 0) context.foreign = &foreign;
  SOTTO_TRY(sotto_i_fed_counts_levels(&levels, c, SOTTO_I_STAGE_OTHERS, err));
  context.levels = levels;
  SOTTO_TRY(sotto_i_fed_counts_use(&released, c, c->federation->job, &context, err));
  SOTTO_TRY(read_counts(c, &released.features, context.noise, err));
done:
  sotto_i_free(levels);
  sotto_i_clusters_free(&by_class);
  sotto_matrix_free(&foreign);
  sotto_dataset_free(&released);
  return status;
}
