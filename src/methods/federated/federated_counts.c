/* Edge level: a client's edges are used only for the number of neighbours of each node in each cluster.
 *
 * Clients first train on features alone. The cluster of a training node is then its label, that of any
 * other node its predicted class. So clusters follow from features and labels of all clients, and an edge
 * changes one count of each of its ends by 1: l1 sensitivity 2. The counts stay with their client; its
 * messages are functions of features, labels and the noisy counts. An edge belongs to one client's part, so
 * the whole costs as much as one client. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "federated.h"
#include "nn/readings.h"
#include "protocols/counts.h"
#include "protocols/table.h"
#include "recipe.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"

size_t sotto_i_fed_counts_width(const sotto_i_federation *f) {
  return f->counts ? 2 * (size_t)f->classes : 0;
}

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

static size_t item_of(const sotto_i_fed_client *c) {
  return sotto_i_cost_item_of(c->federation->job->cost, SOTTO_ACCOUNT_DATA);
}

/* The first training's model, which says in which cluster a node is. */
static const char clusters_file[] = "clusters.safetensors";

sotto_status sotto_i_fed_counts_ask(const sotto_i_fed_client *c, sotto_error *err) {
  if (item_of(c) == SOTTO_I_NO_ITEM) return SOTTO_OK;
  return sotto_i_job_ask_part(c->federation->job, item_of(c), 1, &c->data, err);
}

/* Sets [features | read]; read NULL: zeros. */
static sotto_status set_read(sotto_i_fed_client *c, const sotto_matrix *read, sotto_error *err) {
  const size_t width = sotto_i_fed_counts_width(c->federation), cols = c->federation->inputs - width;
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

/* Scores by the received model; training nodes have their labels instead. */
static sotto_status find_clusters(sotto_matrix *out, sotto_i_fed_client *c, sotto_error *err) {
  const uint32_t turn = sotto_i_turn_begin(c->federation->turns, c->tape);
  sotto_matrix scores;
  sotto_status status = sotto_i_fed_scores(&scores, c, err);
  if (status == SOTTO_OK) status = sotto_i_table_join(out, &scores, &(sotto_matrix){0}, err);
  sotto_i_turn_end(c->federation->turns, turn, c->tape);
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
  sotto_key key;
  sotto_status status;
  (void)unused;
  if (c->known == NULL)
    return sotto_i_fail(
        err, SOTTO_NOT_FOUND,
        "the counts of this seed are gone, and so is the model that they were made by; remove "
        "the seed's folder to begin it again");
  sotto_i_key_derive(&key, whole, (f->seed << 20) ^ c->client->number);
  SOTTO_TRY(sotto_matrix_new(table, c->known->rows, c->known->cols, err));
  sotto_i_counts_fill(table, &c->client->data.graph, c->known, NULL);
  for (size_t i = 0; c->foreign != NULL && i < table->rows * table->cols; i++)
    table->data[i] += c->foreign->data[i];
  if (c->noise != NULL) SOTTO_TRY(sotto_laplace_grid_add_noise(table, c->noise, &key, 0, err));
done:
  sotto_key_wipe(&key);
  return status;
}

static void name_file(char out[64], const sotto_i_fed_client *c) {
  (void)snprintf(out, 64, "counts-%u.sotto", (unsigned)c->number + 1);
}

/* Counts under the plan of `job`: that of the training, of which the client's data is one part, or that of a
 * release of other data. */
static sotto_status use_counts(sotto_dataset *out, const sotto_i_fed_client *c, const sotto_i_job *job,
                               sotto_i_fed_counting *context, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const bool whole = f->apart || job != f->job;
  char file[64], made_with[192];
  name_file(file, c);
  (void)snprintf(made_with, sizeof made_with, "%s, counts of a client%s: epsilon %.17g, scale %.17g",
                 f->options->method, f->linked && job == f->job ? " and of edges to others" : "",
                 job->options->epsilon, context->noise == NULL ? 0 : context->noise->scale);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(job),
                   .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                   .file = file,
                   .made_with = made_with,
                   .part = whole ? 0 : c->number + 1,
                   .part_data = whole ? NULL : &c->data,
                   .run_key = true},
      .rows = c->features.rows,
      .context = context,
      .make = sotto_i_fed_counts_make};
  return sotto_i_table_use(out, NULL, &table, err);
}

/* Features from counts, in units of their noise (NULL: none), after the client's own. */
static sotto_status read_counts(sotto_i_fed_client *c, const sotto_matrix *counts,
                                const sotto_laplace_grid *noise, sotto_error *err) {
  sotto_matrix read = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_readings_append(&read, counts, &(sotto_i_counted){.noise = noise}, err));
  SOTTO_TRY(set_read(c, &read, err));
done:
  sotto_matrix_free(&read);
  return status;
}

sotto_status sotto_i_fed_counts_read(sotto_i_fed_client *c, const char *folder, sotto_error *err) {
  char file[64], *path = NULL;
  sotto_laplace_grid grid;
  sotto_dataset released = {0};
  const bool noisy = sotto_i_price_asked(c->federation->options);
  sotto_status status;
  name_file(file, c);
  SOTTO_TRY(sotto_i_join(&path, folder, file, err));
  SOTTO_TRY(sotto_dataset_open(&released, path, NULL, err));
  if (noisy) SOTTO_TRY(sotto_i_counts_grid_of(&grid, c->federation->options->epsilon, err));
  if (released.features.rows != c->features.rows || released.features.cols != c->federation->classes) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not of %s", path, c->data.name);
    goto done;
  }
  SOTTO_TRY(read_counts(c, &released.features, noisy ? &grid : NULL, err));
done:
  sotto_dataset_free(&released);
  sotto_i_free(path);
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

sotto_status sotto_i_fed_counts_of_other(sotto_i_fed_client *c, const char *folder,
                                         const sotto_i_job *release, sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_matrix known = {0}, counts = {0};
  sotto_dataset released = {0};
  sotto_i_fed_counting context = {.client = c, .known = &known, .noise = release == NULL ? NULL : &grid};
  const sotto_key none = {.origin = SOTTO_KEY_NONE};
  sotto_status status;
  SOTTO_TRY(load_clusters(c, folder, err));
  SOTTO_TRY(find_clusters(&known, c, err));
  if (release == NULL) {
    SOTTO_TRY(sotto_i_fed_counts_make(&context, NULL, &counts, &none, err));
    SOTTO_TRY(read_counts(c, &counts, NULL, err));
    goto done;
  }
  SOTTO_TRY(sotto_i_counts_grid_of(&grid, release->options->epsilon, err));
  SOTTO_TRY(use_counts(&released, c, release, &context, err));
  SOTTO_TRY(read_counts(c, &released.features, &grid, err));
done:
  sotto_matrix_free(&known);
  sotto_matrix_free(&counts);
  sotto_dataset_free(&released);
  return status;
}

sotto_status sotto_i_fed_counts_narrow(sotto_options *options, const char *file, sotto_error *err) {
  (void)file;
  return sotto_i_fed_linked_asked(options) ? sotto_options_set(options, "partition", "alike", err) : SOTTO_OK;
}

/* A new training begins, on features and counts, with new optimisers. */
static sotto_status begin_second_training(sotto_i_fed_client *c, sotto_error *err) {
  sotto_tape_reset(c->tape);
  sotto_i_fed_model_free(&c->model);
  return sotto_i_fed_model_new(&c->model, c->federation, err);
}

static sotto_status receive_clusters(sotto_matrix *known, sotto_i_fed_client *c, sotto_error *err) {
  const sotto_expectation expected = {
      .name = "clusters", .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = c->model.size};
  sotto_status status;
  SOTTO_TRY(sotto_link_receive(c->link, &c->global, &expected, err));
  sotto_i_fed_model_unpack(&c->model, c->global.data);
  if (c->federation->apart || c->number == 0) { /* all clients of one process have one folder */
    const sotto_params *sets[] = {c->model.params};
    SOTTO_TRY(sotto_i_job_save_params(c->federation->job, clusters_file, sets, 1, err));
  }
  SOTTO_TRY(find_clusters(known, c, err));
  SOTTO_TRY(begin_second_training(c, err));
done:
  return status;
}

sotto_status sotto_i_fed_counts_release(sotto_i_fed_client *c, bool resumed, sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_matrix known = {0}, foreign = {0};
  sotto_dataset released = {0};
  const bool noisy = item_of(c) != SOTTO_I_NO_ITEM;
  sotto_i_fed_counting context = {
      .client = c, .known = resumed ? NULL : &known, .noise = noisy ? &grid : NULL};
  sotto_status status = SOTTO_OK;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid_of(&grid, c->federation->options->epsilon, err));
  if (!resumed) SOTTO_TRY(receive_clusters(&known, c, err));
  if (!resumed && c->federation->linked) {
    SOTTO_TRY(sotto_i_fed_linked_exchange(&foreign, c, &known, err));
    context.foreign = &foreign;
  }
  SOTTO_TRY(use_counts(&released, c, c->federation->job, &context, err));
  SOTTO_TRY(read_counts(c, &released.features, noisy ? &grid : NULL, err));
done:
  sotto_matrix_free(&known);
  sotto_matrix_free(&foreign);
  sotto_dataset_free(&released);
  return status;
}
