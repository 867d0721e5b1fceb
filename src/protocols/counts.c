/* Counts of neighbours by cluster, with Laplace noise. At edge level clusters follow from features, labels
 * and earlier releases. So an edge (u, v) changes one count of u and one of v by 1 each, or one count of
 * the end with the less confident prediction by 2: l1 sensitivity 2. Noise has scale 2 / epsilon, on whole
 * numbers. At transfer level each transfer counts as an edge here. */
#include "counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "feature_sums.h"
#include "graph/blocks/block.h"
#include "inside/dp.h"
#include "options.h"
#include "release/artifact.h"
#include "tensor/columns.h"
#include "transfer_weights.h"
#include "unsure.h"

enum { first_stage_key = 1 << 16 }; /* owners' keys come before */

/* What passes of a node between ranks: its cluster, and its level above. */
enum { level_bit = 16, cluster_mask = (1 << level_bit) - 1 };
enum { gathered_nodes = 1 << 14 }; /* whose rows pass to rank 0 at a time */

static void fill_own(sotto_matrix *own, const sotto_i_block *b, const int32_t *message) {
  for (size_t i = 0; i < b->count; i++) {
    float *row = own->data + i * own->cols;
    const uint8_t level = (uint8_t)(message[i] >> level_bit);
    for (uint64_t e = b->graph.offsets[i]; e < b->graph.offsets[i + 1]; e++) {
      const int32_t other = message[b->graph.targets[e]];
      row[other & cluster_mask] += sotto_i_counts_weight(level, (uint8_t)(other >> level_bit));
    }
  }
}

/* Writes the clusters and levels of a rank's nodes, ascending. Returns how many nodes it has. */
static size_t message_of(int32_t *message, const sotto_i_block *b, uint32_t rank, const sotto_i_counts *c) {
  size_t count = 0;
  for (uint64_t v = 0; v < b->nodes; v++) {
    if (sotto_i_block_owner(b, v) != rank) continue;
    message[count++] = c->clusters->of[v] | (c->levels == NULL ? 1 : c->levels[v]) << level_bit;
  }
  return count;
}

/* Rank 0 alone has clusters and levels, and gives each rank those of its nodes. */
static sotto_status give_message(int32_t *own, const sotto_i_block *b, const sotto_i_counts *c,
                                 sotto_error *err) {
  int32_t *theirs = NULL;
  sotto_status status = SOTTO_OK;
  if (!sotto_i_ranks_first(b->ranks)) {
    const sotto_i_parcel taken = {.peer = 0, .take = true, .data = own, .bytes = b->count * sizeof *own};
    return sotto_i_ranks_pass(b->ranks, &taken, 1, err);
  }
  (void)message_of(own, b, 0, c);
  for (uint32_t r = 1; r < sotto_ranks_count(b->ranks); r++) {
    SOTTO_TRY(sotto_i_new_raw(&theirs, sotto_i_block_rows(b, r, 0, b->nodes), sizeof *theirs, err));
    const sotto_i_parcel sent = {
        .peer = r, .data = theirs, .bytes = message_of(theirs, b, r, c) * sizeof *theirs};
    SOTTO_TRY(sotto_i_ranks_pass(b->ranks, &sent, 1, err));
    sotto_i_free(theirs);
    theirs = NULL;
  }
done:
  sotto_i_free(theirs);
  return status;
}

/* Passes the rows of nodes first to end - 1 to rank 0, which puts them into `window`. `theirs` has room for
 * as many rows. */
static sotto_status gather_window(float *window, float *theirs, const sotto_matrix *own,
                                  const sotto_i_block *b, uint64_t first, uint64_t end, sotto_error *err) {
  const size_t cols = own->cols, from = sotto_i_block_from(b, first);
  const uint64_t row = cols * sizeof(float);
  sotto_status status = SOTTO_OK;
  if (!sotto_i_ranks_first(b->ranks)) {
    const sotto_i_parcel sent = {.data = own->data + from * cols,
                                 .bytes = (sotto_i_block_from(b, end) - from) * row};
    return sotto_i_ranks_pass(b->ranks, &sent, 1, err);
  }
  sotto_i_block_put(window, b, 0, first, end, own->data + from * cols, cols);
  for (uint32_t r = 1; r < sotto_ranks_count(b->ranks); r++) {
    const sotto_i_parcel taken = {
        .peer = r, .take = true, .data = theirs, .bytes = sotto_i_block_rows(b, r, first, end) * row};
    SOTTO_TRY(sotto_i_ranks_pass(b->ranks, &taken, 1, err));
    sotto_i_block_put(window, b, r, first, end, theirs, cols);
  }
done:
  return status;
}

/* Copies the rows of a window that are asked for. */
static void keep_rows(sotto_matrix *table, const sotto_i_counts *c, const float *window, uint64_t first,
                      uint64_t end) {
  for (size_t i = 0; i < c->row_count; i++)
    if (c->rows[i] >= first && c->rows[i] < end)
      memcpy(table->data + i * table->cols, window + (c->rows[i] - first) * table->cols,
             table->cols * sizeof *window);
}

/* Sends all rows to rank 0, which puts those that are asked for into the table. */
static sotto_status gather_table(sotto_matrix *table, const sotto_matrix *own, const sotto_i_block *b,
                                 const sotto_i_counts *c, sotto_error *err) {
  const bool first = sotto_i_ranks_first(b->ranks), some = c->rows != NULL;
  float *theirs = NULL, *room = NULL;
  sotto_status status = SOTTO_OK;
  if (first) SOTTO_TRY(sotto_i_new_raw(&theirs, gathered_nodes * own->cols, sizeof *theirs, err));
  if (first && some) SOTTO_TRY(sotto_i_new_raw(&room, gathered_nodes * own->cols, sizeof *room, err));
  for (uint64_t v = 0; v < b->nodes; v += gathered_nodes) {
    const uint64_t end = b->nodes - v < gathered_nodes ? b->nodes : v + gathered_nodes;
    float *window = some || !first ? room : table->data + v * table->cols;
    SOTTO_TRY(gather_window(window, theirs, own, b, v, end, err));
    if (first && some) keep_rows(table, c, window, v, end);
  }
done:
  sotto_i_free(theirs);
  sotto_i_free(room);
  return status;
}

/* Only rank 0 has the table and knows its columns. */
static sotto_status fill_ranks(sotto_matrix *table, const sotto_i_block *b, const sotto_i_counts *c,
                               uint64_t cols, sotto_error *err) {
  const bool first = sotto_i_ranks_first(b->ranks);
  sotto_matrix own = {0};
  sotto_i_halo halo = {.block = NULL};
  sotto_status status;
  if (c->added != NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "ranks: this model adds up features of neighbours; run it in one process");
  SOTTO_TRY(sotto_i_ranks_give(b->ranks, &cols, sizeof cols, err));
  SOTTO_TRY(sotto_i_halo_new(&halo, b, 1, err));
  SOTTO_TRY(give_message(halo.rows, b, c, err));
  SOTTO_TRY(sotto_i_halo_pass(&halo, err));
  SOTTO_TRY(sotto_matrix_new(&own, b->count, cols, err));
  fill_own(&own, b, halo.rows);
  sotto_i_halo_free(&halo);
  if (first) SOTTO_TRY(sotto_matrix_new(table, c->rows != NULL ? c->row_count : b->nodes, cols, err));
  SOTTO_TRY(gather_table(table, &own, b, c, err));
done:
  sotto_i_halo_free(&halo);
  sotto_matrix_free(&own);
  return status;
}

static double epsilon_each(const sotto_options *o) {
  return o->epsilon / (double)o->layers;
}

/* In units of one count, whose scale is that much larger for the units of a row. */
static sotto_status grid_of_units(sotto_laplace_grid *out, double epsilon, double units, sotto_error *err) {
  if (!(epsilon >= 1e-2 && epsilon <= 1e3))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: %g; it must be 0.01 to 1000", epsilon);
  return sotto_laplace_grid_whole(out, units * (2 / epsilon) * (1 + 0x1p-40), err);
}

sotto_status sotto_i_counts_grid_of(sotto_laplace_grid *out, double epsilon, sotto_error *err) {
  return grid_of_units(out, epsilon, 1, err);
}

sotto_status sotto_i_counts_grid(sotto_laplace_grid *out, const sotto_options *options, sotto_error *err) {
  double epsilon = epsilon_each(options);
  if (!(epsilon >= 1e-2 && epsilon <= 1e3))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: %g for each of %llu layers; it must be 0.01 to 1000 each",
                        epsilon, (unsigned long long)options->layers);
  return sotto_i_counts_grid_of(out, epsilon, err);
}

sotto_status sotto_i_sums_grid_of(sotto_laplace_grid *out, double epsilon, sotto_error *err) {
  return grid_of_units(out, epsilon, SOTTO_I_SUM_UNITS, err);
}

sotto_status sotto_i_release_grid(sotto_laplace_grid *out, bool sums, const sotto_options *options,
                                  sotto_error *err) {
  if (!sums) return sotto_i_counts_grid(out, options, err);
  return sotto_i_sums_grid_of(out, epsilon_each(options), err);
}

sotto_status sotto_i_counts_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_laplace_grid grid;
  const bool transfers = o->adjacency == SOTTO_ADJACENCY_TRANSFER;
  *out = (sotto_cost){.adjacency = transfers ? "transfer" : "edge"};
  if (!sotto_i_price_asked(o) || o->layers == 0) return SOTTO_OK; /* none: answers from features alone */
  sotto_status status = sotto_i_counts_grid(&grid, o, err);
  if (status != SOTTO_OK) return status;
  const sotto_mechanism laplace = sotto_laplace_grid_mechanism(&grid, 2, 0);
  for (uint64_t k = 0; k < o->layers; k++)
    sotto_i_cost_add_pure(out, "how many neighbours of each node lie in each cluster", &laplace,
                          epsilon_each(o));
  return SOTTO_OK;
}

sotto_status sotto_i_weighed_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_dataset *d = job->data;
  const sotto_status status = sotto_i_counts_price(out, job, err);
  if (status == SOTTO_OK && out->count > 0 && sotto_i_has_transfers(d) &&
      sotto_i_is_weighed(SOTTO_I_BY_TRANSFERS, d->classes, job->options))
    out->items[0].what = "how many neighbours of each node lie in each cluster, or sums of weights of them";
  return status;
}

void sotto_i_counts_expected(double expected[SOTTO_I_LEVELS], const uint8_t *levels, size_t nodes) {
  double share[SOTTO_I_LEVELS] = {0};
  for (size_t v = 0; v < nodes; v++) share[levels[v]] += 1 / (double)nodes;
  for (int own = 0; own < SOTTO_I_LEVELS; own++) {
    expected[own] = 0;
    for (int other = 0; other < SOTTO_I_LEVELS; other++)
      expected[own] += share[other] * (double)sotto_i_counts_weight((uint8_t)own, (uint8_t)other);
  }
}

static float weight_of(const uint8_t *levels, uint64_t own, uint64_t other) {
  return levels == NULL ? 1 : sotto_i_counts_weight(levels[own], levels[other]);
}

void sotto_i_counts_fill(sotto_matrix *table, const sotto_graph *graph, const sotto_i_clusters *clusters,
                         const uint8_t *levels) {
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      const uint64_t u = graph->targets[e];
      table->data[u * clusters->count + clusters->of[v]] += weight_of(levels, u, v);
    }
}

void sotto_i_counts_fill_sums(sotto_matrix *table, const sotto_graph *graph, const sotto_matrix *rows,
                              const uint8_t *levels) {
  const size_t cols = rows->cols;
  for (uint64_t u = 0; u < graph->nodes; u++)
    for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
      const uint64_t v = graph->targets[e];
      const float times = weight_of(levels, u, v);
      if (times > 0) sotto_i_feature_sums_add(table->data + u * cols, rows->data + v * cols, cols, times);
    }
}

void sotto_i_counts_file(char out[32], uint32_t round) {
  (void)snprintf(out, 32, "counts-%u.sotto", round);
}

static const sotto_graph *graph_of(const sotto_i_counts *c) {
  return c->graph != NULL ? c->graph : &c->job->data->graph;
}

static size_t rows_of(const sotto_i_counts *c) {
  return c->survey ? 1 : graph_of(c)->nodes;
}

static size_t columns_of(const sotto_i_counts *c) {
  if (c->survey) return sotto_i_survey_columns();
  if (c->bins != NULL) return sotto_i_transfer_columns(c->bins);
  if (c->added != NULL) return c->added->cols;
  return c->clusters != NULL ? c->clusters->count : 0; /* ranks other than the first do not know */
}

sotto_status sotto_i_counted_relations(sotto_i_relations *out, const sotto_i_job *job,
                                       const sotto_graph *graph, sotto_error *err) {
  const sotto_dataset *data = job->data;
  *out = (sotto_i_relations){.graph = graph != NULL ? graph : &data->graph,
                             .transfers = &data->transfers,
                             .apart = job->options->adjacency == SOTTO_ADJACENCY_TRANSFER};
  if (!out->apart) return SOTTO_OK;
  if (graph != NULL || sotto_i_block_of(data) != NULL)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "adjacency: transfers are counted in one process, of one party's data; take edge level");
  if (sotto_i_has_transfers(data)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "adjacency: %s has no transfers; take edge level, or import its edges with a direction, an "
      "amount or a time",
      data->name);
}

void sotto_i_counts_fill_relations(sotto_matrix *table, const sotto_i_relations *relations,
                                   const sotto_i_transfer_bins *bins, const sotto_i_clusters *clusters,
                                   const uint8_t *levels) {
  if (bins != NULL)
    sotto_i_transfer_cells_fill(table, relations, bins, bins->weights == NULL ? NULL : clusters->of, levels);
  else if (relations->apart)
    sotto_i_relations_fill(table, relations->transfers, clusters->of, levels);
  else
    sotto_i_counts_fill(table, relations->graph, clusters, levels);
}

static sotto_status fill_whole(sotto_matrix *table, const sotto_i_counts *c, sotto_error *err) {
  sotto_i_relations relations;
  const sotto_status status = sotto_i_counted_relations(&relations, c->job, c->graph, err);
  if (status != SOTTO_OK) return status;
  if (c->added != NULL && relations.apart)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "adjacency: sums of features are of edges, not of transfers");
  if (c->added != NULL)
    sotto_i_counts_fill_sums(table, relations.graph, c->added, c->levels);
  else if (c->survey)
    sotto_i_survey_fill(table, &relations, c->levels);
  else
    sotto_i_counts_fill_relations(table, &relations, c->bins, c->clusters, c->levels);
  return SOTTO_OK;
}

static sotto_status fill_alone(sotto_matrix *table, const sotto_i_counts *c, sotto_error *err) {
  sotto_matrix whole = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&whole, rows_of(c), columns_of(c), err));
  SOTTO_TRY(fill_whole(&whole, c, err));
  if (c->rows != NULL) {
    SOTTO_TRY(sotto_i_take_rows(table, &whole, c->rows, c->row_count, err));
  } else {
    *table = whole;
    whole = (sotto_matrix){0};
  }
done:
  sotto_matrix_free(&whole);
  return status;
}

sotto_status sotto_i_counts_make(void *context, sotto_graph *unused, sotto_matrix *table,
                                 const sotto_key *whole, sotto_error *err) {
  const sotto_i_counts *c = context;
  sotto_key key = *whole;
  sotto_status status;
  (void)unused;
  if (c->owner > 0) sotto_i_key_derive(&key, whole, c->owner);
  sotto_key of_owner = key;
  if (c->stage > 0) sotto_i_key_derive(&key, &of_owner, first_stage_key + c->stage);
  const sotto_i_block *block = sotto_i_block_of(c->job->data);
  if (block == NULL)
    SOTTO_TRY(fill_alone(table, c, err));
  else
    SOTTO_TRY(fill_ranks(table, block, c, columns_of(c), err));
  if (c->noise != NULL) SOTTO_TRY(sotto_laplace_grid_add_noise(table, c->noise, &key, c->round, err));
done:
  sotto_key_wipe(&key);
  sotto_key_wipe(&of_owner);
  return status;
}

enum { name_room = 40 };

static void name_file(char out[name_room], const sotto_i_counts *c) {
  if (c->stage > 0 && c->owner > 0)
    (void)snprintf(out, name_room, "pilots-%u-%u.sotto", c->owner, c->stage);
  else if (c->stage > 0)
    (void)snprintf(out, name_room, "pilots-%u.sotto", c->stage);
  else if (c->owner == 0)
    sotto_i_counts_file(out, c->round);
  else
    (void)snprintf(out, name_room, "counts-%u-%u.sotto", c->owner, c->round);
}

sotto_status sotto_i_counts_release(sotto_dataset *out, sotto_i_receipt *receipt,
                                    const sotto_i_counts *counts, sotto_error *err) {
  const sotto_options *o = counts->job->options;
  sotto_i_counts context = *counts;
  char file[name_room], made_with[192];
  name_file(file, counts);
  (void)snprintf(made_with, sizeof made_with,
                 "%s, counts at %s level: epsilon %.17g, layers %llu, read share %.17g, scale %.17g",
                 o->method, sotto_adjacency_name(o->adjacency), o->epsilon, (unsigned long long)o->layers,
                 sotto_i_read_share(o), counts->noise == NULL ? 0 : counts->noise->scale);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(counts->job),
                   .item = counts->noise == NULL ? SOTTO_I_NO_ITEM : counts->item,
                   .file = file,
                   .made_with = made_with,
                   .kept = counts->kept,
                   .part = counts->part},
      .rows = counts->rows != NULL ? counts->row_count : rows_of(counts),
      .by_rows = counts->rows == NULL,
      .context = &context,
      .make = sotto_i_counts_make};
  return sotto_i_table_use(out, receipt, &table, err);
}

static sotto_status read_rows(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  return sotto_i_block_features(sotto_i_block_of(context), out, first, count, err);
}

sotto_i_row_source sotto_i_counts_released(sotto_dataset *released) {
  sotto_i_row_source rows = sotto_i_row_source_of(&released->features);
  if (sotto_i_block_of(released) == NULL) return rows;
  rows.matrix = NULL;
  rows.read = read_rows;
  rows.context = released;
  return rows;
}

sotto_status sotto_i_counts_exact(sotto_matrix *out, const sotto_i_counts *counts, sotto_error *err) {
  sotto_i_counts context = *counts;
  sotto_key unused = {.bytes = {0}};
  SOTTO_I_CHECK(counts->noise == NULL);
  context.owner = context.stage = 0; /* they separate draws of noise alone */
  return sotto_i_counts_make(&context, NULL, out, &unused, err);
}
